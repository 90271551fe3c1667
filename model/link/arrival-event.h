// SPDX-License-Identifier: GPL-2.0-only
#ifndef ARRIVAL_EVENT_H
#define ARRIVAL_EVENT_H

#include "ns3/event-impl.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief An event with a place of its own among those of one time: the arrival of a frame.
 *
 * ns3::ArrivalOrderScheduler calls arrivals before all other events of their time, by number. It is
 * scheduled again and again, as a PersistentEvent is.
 */
class ArrivalEvent final : public EventImpl
{
  public:
    /// What is called. @param target as given to the constructor
    using Handler = void (*)(void* target);

    /**
     * @param number its place: the smaller comes first
     * @param handler what to call
     * @param target with what
     */
    ArrivalEvent(uint32_t number, Handler handler, void* target);
    ~ArrivalEvent() override;

    /// @param impl an event @return it as an arrival; null if it is none
    static const ArrivalEvent* From(const EventImpl* impl);

    /// @return its place among the arrivals of one time
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /// @param context the node where something arrives @param delaySteps from now, time steps
    void Schedule(uint32_t context, int64_t delaySteps);

    /// From now on an entry that is still queued does nothing.
    void Detach()
    {
        m_target = nullptr;
    }

  private:
    void Notify() override;

    uint32_t m_number;
    Handler m_handler;
    void* m_target;
};

} // namespace ns3

#endif // ARRIVAL_EVENT_H
