// SPDX-License-Identifier: GPL-2.0-only
#ifndef ARRIVAL_ORDER_SCHEDULER_H
#define ARRIVAL_ORDER_SCHEDULER_H

#include "ns3/scheduler.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A scheduler whose order among events of one time does not depend on how a network is
 * divided over processes.
 *
 * First come the arrivals of frames (ArrivalEvent), by the number of the port where they arrive;
 * then all other events, in the order in which they were scheduled, as with ns-3's own schedulers.
 * What a node does then follows from its own past and from what arrives, and not from when other
 * nodes' events of the same time happened to be called.
 *
 * A 4-ary heap; it takes its place by ns-3's global value SchedulerType.
 */
class ArrivalOrderScheduler : public Scheduler
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    ArrivalOrderScheduler();
    ~ArrivalOrderScheduler() override;

    // Scheduler
    void Insert(const Scheduler::Event& event) override;
    bool IsEmpty() const override;
    Scheduler::Event PeekNext() const override;
    Scheduler::Event RemoveNext() override;
    void Remove(const Scheduler::Event& event) override;

  private:
    /// An event and its place.
    struct Entry
    {
        uint64_t time;
        uint64_t order; ///< of arrivals their number, of others 2^32 and their uid
        EventImpl* impl;
        uint32_t uid;
        uint32_t context;

        bool operator<(const Entry& other) const
        {
            return time != other.time ? time < other.time : order < other.order;
        }
    };

    static Scheduler::Event EventOf(const Entry& entry);
    void Rise(size_t index, const Entry& entry);
    void Sink(size_t index, const Entry& entry);

    std::vector<Entry> m_heap;
};

} // namespace ns3

#endif // ARRIVAL_ORDER_SCHEDULER_H
