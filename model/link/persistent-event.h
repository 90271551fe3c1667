// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERSISTENT_EVENT_H
#define PERSISTENT_EVENT_H

#include "ns3/fabric-event.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"
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
    const FabricSimulatorImpl* simulator = FabricSimulatorImpl::Active();
    return simulator ? simulator->GetNowSteps() : Simulator::Now().GetTimeStep();
}

/**
 * @brief An event that one object schedules again and again without allocating anything.
 *
 * Each call of `Schedule` puts one more entry into the simulator's queue, which calls the object's
 * method when its time comes. It is never cancelled (a cancelled entry would linger in the queue
 * all the same): the method decides whether there is something to do. `Detach` must be called
 * before the object goes, unless this goes with it.
 *
 * @tparam T the class of the object
 * @tparam Method what to call
 */
template <typename T, void (T::*Method)()>
class PersistentEvent : public FabricEvent, public SimpleRefCount<PersistentEvent<T, Method>>
{
  public:
    /// @param target the object whose method is called
    explicit PersistentEvent(T* target)
        : FabricEvent(KIND),
          m_target(target)
    {
    }

    /// From now on an entry that is still queued does nothing.
    void Detach()
    {
        m_target = nullptr;
    }

  private:
    static void Fire(FabricEvent& event)
    {
        if (T* target = static_cast<PersistentEvent&>(event).m_target)
        {
            (target->*Method)();
        }
    }

    static constexpr Kind KIND{&Fire, nullptr};

    T* m_target; ///< the object, null once it is gone
};

/**
 * @brief A wake-up call at the earliest of the times asked for.
 *
 * Asking for a later time than one already asked for costs nothing; asking for an earlier one
 * queues one more entry, and the later one, when it is asked for again after that, serves. The
 * method is called at least once at or after the earliest time asked for.
 *
 * @tparam T the class of the object
 * @tparam Method what to call
 * @tparam PrefetchMethod what to call shortly before, see FabricEvent::Stage; null: nothing
 */
template <typename T,
          void (T::*Method)(),
          void (T::*PrefetchMethod)(FabricEvent::Stage) const = nullptr>
class WakeUp : private FabricEvent
{
  public:
    /// @param target the object to wake
    explicit WakeUp(T* target)
        : FabricEvent(KIND),
          m_target(target)
    {
    }

    /// @param context the node @param when absolute time steps @param now the current time steps
    void At(uint32_t context, int64_t when, int64_t now)
    {
        if (when >= m_when)
        {
            return;
        }
        const bool queued = when == GetOvertaken(now);
        if (queued || m_when != NEVER)
        {
            SetOvertaken(m_when, now);
        }
        m_when = when;
        if (!queued)
        {
            Schedule(context, when - now);
        }
    }

    /// @return the earliest time asked for that has not come yet, or NEVER
    int64_t When() const
    {
        return m_when;
    }

  private:
    static void Fire(FabricEvent& event)
    {
        auto& wakeUp = static_cast<WakeUp&>(event);
        const int64_t now = NowSteps();
        if (wakeUp.m_when == NEVER || now < wakeUp.m_when)
        {
            // Overtaken, and not asked for again.
            if (wakeUp.GetOvertaken(now) == now)
            {
                wakeUp.m_overtaken = 0;
            }
            return;
        }
        wakeUp.m_when = NEVER;
        (wakeUp.m_target->*Method)();
    }

    static void Prefetch(const FabricEvent& event, Stage stage)
    {
        if constexpr (PrefetchMethod != nullptr)
        {
            (static_cast<const WakeUp&>(event).m_target->*PrefetchMethod)(stage);
        }
    }

    /// @param now time steps @return of an entry that is queued and not asked for any more; NEVER:
    /// none is known
    int64_t GetOvertaken(int64_t now) const
    {
        return m_overtaken == 0 ? NEVER : now + static_cast<uint32_t>(m_overtaken - now);
    }

    void SetOvertaken(int64_t when, int64_t now)
    {
        m_overtaken = when - now <= UINT32_MAX ? static_cast<uint32_t>(when) : 0;
    }

    static constexpr Kind KIND{&Fire, PrefetchMethod != nullptr ? &Prefetch : nullptr};

    uint32_t m_overtaken{0}; ///< low bits of GetOvertaken(), which is less than 2^32 steps away; 0:
                             ///< none. An entry whose bits are all 0 is not remembered
    T* m_target;
    int64_t m_when{NEVER};
};

} // namespace ns3

#endif // PERSISTENT_EVENT_H
