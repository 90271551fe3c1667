// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERSISTENT_EVENT_H
#define PERSISTENT_EVENT_H

#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <limits>

namespace ns3
{

/// A time that never comes, in time steps.
constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

/// @return the simulation time in time steps: what the frame path counts in.
inline int64_t
NowSteps()
{
    return Simulator::Now().GetTimeStep();
}

/**
 * @brief An event that one object schedules again and again without allocating anything.
 *
 * The object embeds it by pointer and calls `Schedule`; each call puts one more entry into ns-3's
 * queue for the same EventImpl, which calls the object's method when its time comes. It is never
 * cancelled (a cancelled entry would linger in the queue all the same): the method decides whether
 * there is something to do. `Detach` must be called before the object goes.
 *
 * @tparam T the class of the object
 * @tparam Method what to call
 */
template <typename T, void (T::*Method)()>
class PersistentEvent : public EventImpl
{
  public:
    /// @param target the object whose method is called
    explicit PersistentEvent(T* target)
        : m_target(target)
    {
    }

    /// @param context the node whose event it is @param delaySteps from now, in time steps
    void Schedule(uint32_t context, int64_t delaySteps)
    {
        Ref(); // the queue's reference; it drops it after the call
        Simulator::ScheduleWithContext(context, TimeStep(delaySteps), this);
    }

    /// From now on an entry that is still queued does nothing.
    void Detach()
    {
        m_target = nullptr;
    }

  private:
    void Notify() override
    {
        if (m_target)
        {
            (m_target->*Method)();
        }
    }

    T* m_target; ///< the object, null once it is gone
};

/**
 * @brief A wake-up call at the earliest of the times asked for.
 *
 * Asking for a later time than one already asked for costs nothing; asking for an earlier one
 * queues one more entry. The method is called at least once at or after the earliest time asked
 * for.
 */
template <typename T, void (T::*Method)()>
class WakeUp
{
  public:
    /// @param target the object to wake
    explicit WakeUp(T* target)
        : m_target(target),
          m_event(Create<PersistentEvent<WakeUp, &WakeUp::Fire>>(this))
    {
    }

    WakeUp(const WakeUp&) = delete;
    WakeUp& operator=(const WakeUp&) = delete;

    ~WakeUp()
    {
        m_event->Detach();
    }

    /// @param context the node @param when absolute time steps @param now the current time steps
    void At(uint32_t context, int64_t when, int64_t now)
    {
        if (when < m_when)
        {
            m_when = when;
            m_event->Schedule(context, when - now);
        }
    }

    /// @return the earliest time asked for that has not come yet, or NEVER
    int64_t When() const
    {
        return m_when;
    }

  private:
    void Fire()
    {
        // An entry of an earlier request that a still earlier one overtook is ignored.
        if (m_when == NEVER || NowSteps() < m_when)
        {
            return;
        }
        m_when = NEVER;
        (m_target->*Method)();
    }

    T* m_target;
    int64_t m_when{NEVER};
    Ptr<PersistentEvent<WakeUp, &WakeUp::Fire>> m_event;
};

} // namespace ns3

#endif // PERSISTENT_EVENT_H
