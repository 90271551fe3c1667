// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SCHEDULER_H
#define FABRIC_SCHEDULER_H

#include "ladder-queue.h"

#include "ns3/scheduler.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A LadderQueue as the event queue of ns-3's default simulator.
 *
 * For any ns-3 script, by the global value SchedulerType or by Simulator::SetScheduler(). The order
 * of events is that of every ns-3 scheduler.
 */
class FabricScheduler : public Scheduler
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FabricScheduler();
    ~FabricScheduler() override;

    // Scheduler
    void Insert(const Event& event) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& event) override;

  protected:
    /// @param event one @return its place among those of one time, the smaller first; the low 32
    /// bits are its uid
    virtual uint64_t OrderOf(const Event& event) const
    {
        return event.key.m_uid;
    }

  private:
    QueuedEvent ToQueuedEvent(const Event& event) const;

    mutable LadderQueue m_queue; ///< looking at the next event may sort some
};

} // namespace ns3

#endif // FABRIC_SCHEDULER_H
