// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SIMULATOR_IMPL_H
#define FABRIC_SIMULATOR_IMPL_H

#include "fabric-event.h"
#include "ladder-queue.h"
#include "simulation-windows.h"

#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A simulator as ns-3's default one, with events that cost less.
 *
 * Chosen by ns-3's global value SimulatorImplementationType, or by Use(). Any ns-3 program runs on
 * it and gives the same results: the same events in the same order, with the same EventIds.
 *
 * Its queue is a LadderQueue. What a FabricEvent schedules is called without an allocation, a
 * reference count or a `Time`; and while an event runs, the processor fetches what the next ones
 * need. A Scheduler of ns-3's that is set has nothing to do here: all of them give the same order,
 * which is also this one's. Any other one is refused, for its order may be different.
 *
 * Unlike the default simulator's, its order is right beyond 2^32 events.
 *
 * With SimulationWindows it simulates one part of a network while other processes simulate the
 * others. Arrivals of frames have a place of their own then, see ScheduleArrival().
 */
class FabricSimulatorImpl final : public SimulatorImpl
{
  public:
    /// An EventId in newer ns-3, nothing in older.
    using StopResult = decltype(Simulator::Stop(std::declval<const Time&>()));

    /// @return the TypeId
    static TypeId GetTypeId();

    FabricSimulatorImpl();
    ~FabricSimulatorImpl() override;

    /**
     * Chooses this simulator, unless another one has been chosen by the global value or the
     * environment, or a scheduler with an order of its own. To be called before anything asks for
     * the time.
     * @return whether it is this one
     */
    static bool Use();

    /**
     * From now on Run() goes from window to window.
     * @param windows who says how far; null: this process is alone
     */
    static void SetWindows(SimulationWindows* windows)
    {
        g_windows = windows;
    }

    /// @return the simulator that runs; null if it is another kind
    static FabricSimulatorImpl* Active()
    {
        return g_active;
    }

    /// @return the simulation time, time steps
    int64_t GetNowSteps() const
    {
        return static_cast<int64_t>(m_now);
    }

    /**
     * Calls an event later.
     * @param event it; one that goes before that must be withdrawn
     * @param context the node whose event it is
     * @param delaySteps from now, time steps; not below 0
     */
    void Schedule(FabricEvent& event, uint32_t context, int64_t delaySteps)
    {
        m_queue.Insert(
            {m_now + static_cast<uint64_t>(delaySteps), m_order++, TagOf(event), context});
    }

    /**
     * Calls an event later, at a place that does not depend on when it was scheduled: at one time
     * first all arrivals, by number, then all other events as they were scheduled. The order of
     * ArrivalOrderScheduler.
     * @param event it; one that goes before that must be withdrawn
     * @param context the node whose event it is
     * @param delaySteps from now, time steps; not below 0
     * @param number its place
     */
    void ScheduleArrival(FabricEvent& event, uint32_t context, int64_t delaySteps, uint32_t number)
    {
        m_queue.Insert({m_now + static_cast<uint64_t>(delaySteps), number, TagOf(event), context});
    }

    /// What is still to be called of an event does nothing from now on. @param event it
    void Withdraw(FabricEvent& event);

    // SimulatorImpl
    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    StopResult Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

  protected:
    void DoDispose() override;

  private:
    /// An event of another thread.
    struct Foreign
    {
        uint32_t context;
        int64_t delay;
        EventImpl* event;
    };

    /// QueuedEvent::event is the address of an EventImpl, or, with this bit set, of a FabricEvent.
    static constexpr uintptr_t FABRIC_EVENT = 1;

    static uintptr_t TagOf(FabricEvent& event)
    {
        return reinterpret_cast<uintptr_t>(&event) | FABRIC_EVENT;
    }

    static FabricEvent* FabricEventOf(const QueuedEvent& queued)
    {
        return reinterpret_cast<FabricEvent*>(queued.event - FABRIC_EVENT);
    }

    static EventImpl* EventImplOf(const QueuedEvent& queued)
    {
        return reinterpret_cast<EventImpl*>(queued.event);
    }

    static bool IsFabricEvent(const QueuedEvent& queued)
    {
        return queued.event & FABRIC_EVENT;
    }

    /// What no arrival's number reaches: from here on orders are given as events are scheduled.
    static constexpr uint64_t AFTER_ARRIVALS = uint64_t{1} << 32;

    uint64_t InsertImpl(uint32_t context, const Time& delay, EventImpl* event);
    template <bool BOUNDED>
    void CallEvents(uint64_t end);
    void RunWindows();
    void TakeForeignEvents();
    void Prefetch() const;

    static FabricSimulatorImpl* g_active; ///< the one that ns-3's Simulator has
    static SimulationWindows* g_windows;  ///< null: one process

    uint64_t m_now{0};
    uint64_t m_order;           ///< of the next event; its low 32 bits are ns-3's uid
    uint64_t m_currentOrder{0}; ///< greatest one at this time of events that have been called
    uint32_t m_currentContext;
    bool m_stop{false};
    std::atomic<bool> m_hasForeign{false};
    uint64_t m_eventCount{0};
    LadderQueue m_queue;
    std::list<EventId> m_destroyEvents;
    std::thread::id m_mainThread;
    std::mutex m_foreignMutex;
    std::vector<Foreign> m_foreign;
};

inline void
FabricEvent::Schedule(uint32_t context, int64_t delaySteps)
{
    if (FabricSimulatorImpl* simulator = FabricSimulatorImpl::Active())
    {
        ++m_pending;
        simulator->Schedule(*this, context, delaySteps);
    }
    else
    {
        ScheduleRelay(context, delaySteps);
    }
}

} // namespace ns3

#endif // FABRIC_SIMULATOR_IMPL_H
