// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-simulator-impl.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/global-value.h"
#include "ns3/object-factory.h"
#include "ns3/scheduler.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricSimulatorImpl);

FabricSimulatorImpl* FabricSimulatorImpl::g_active = nullptr;
SimulationWindows* FabricSimulatorImpl::g_windows = nullptr;

namespace
{

/// @return what becomes of the calls of an event that has gone: nothing
FabricEvent&
WithdrawnEvent()
{
    static const FabricEvent::Kind kind{[](FabricEvent&) {}, nullptr};
    static auto* const event = new FabricEvent(kind); // outlives every static object
    return *event;
}

/// @param scheduler name of its TypeId @return events of one time come in the order in which they
/// were scheduled
bool
HasUsualOrder(const std::string& scheduler)
{
    static const std::array<const char*, 6> usual{"ns3::MapScheduler",
                                                  "ns3::ListScheduler",
                                                  "ns3::HeapScheduler",
                                                  "ns3::CalendarScheduler",
                                                  "ns3::PriorityQueueScheduler",
                                                  "ns3::FabricScheduler"};
    return std::find(usual.begin(), usual.end(), scheduler) != usual.end();
}

} // namespace

TypeId
FabricSimulatorImpl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricSimulatorImpl")
                            .SetParent<SimulatorImpl>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<FabricSimulatorImpl>();
    return tid;
}

FabricSimulatorImpl::FabricSimulatorImpl()
    : m_order(AFTER_ARRIVALS + EventId::UID::VALID),
      m_currentContext(Simulator::NO_CONTEXT),
      m_mainThread(std::this_thread::get_id())
{
}

FabricSimulatorImpl::~FabricSimulatorImpl()
{
    g_active = g_active == this ? nullptr : g_active;
}

bool
FabricSimulatorImpl::Use()
{
    const std::string global = "SimulatorImplementationType";
    StringValue chosen;
    GlobalValue::GetValueByName(global, chosen);
    StringValue scheduler;
    GlobalValue::GetValueByName("SchedulerType", scheduler);
    if (!HasUsualOrder(scheduler.Get()))
    {
        return false; // on another simulator it has a meaning
    }
    const char* environment = std::getenv("NS_GLOBAL_VALUE"); // which ns-3 has read already
    bool byUser = environment && std::string(environment).find(global) != std::string::npos;
    if (chosen.Get() == "ns3::DefaultSimulatorImpl" && !byUser)
    {
        chosen.Set(GetTypeId().GetName());
        GlobalValue::Bind(global, chosen);
    }
    return chosen.Get() == GetTypeId().GetName();
}

void
FabricSimulatorImpl::DoDispose()
{
    TakeForeignEvents();
    m_queue.ForEach([](QueuedEvent& queued) {
        if (!IsFabricEvent(queued))
        {
            EventImplOf(queued)->Unref();
        }
    });
    m_queue.Clear();
    g_active = g_active == this ? nullptr : g_active;
    SimulatorImpl::DoDispose();
}

void
FabricSimulatorImpl::Destroy()
{
    // Nothing of ours is called any more, so who goes now has nothing to withdraw.
    m_queue.ForEach([](QueuedEvent& queued) {
        if (IsFabricEvent(queued))
        {
            FabricEventOf(queued)->m_pending = 0;
            queued.event = TagOf(WithdrawnEvent());
        }
    });
    while (!m_destroyEvents.empty())
    {
        Ptr<EventImpl> event = m_destroyEvents.front().PeekEventImpl();
        m_destroyEvents.pop_front();
        if (!event->IsCancelled())
        {
            event->Invoke();
        }
    }
}

void
FabricSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    std::string scheduler = schedulerFactory.GetTypeId().GetName();
    NS_ABORT_MSG_UNLESS(
        HasUsualOrder(scheduler),
        "FabricSimulatorImpl: it calls the events of one time in the order in which "
        "they were scheduled, as ns-3's schedulers do. "
            << scheduler << " may have another order: it needs ns3::DefaultSimulatorImpl");
    g_active = this; // ns-3 calls this on the simulator that it is going to use
}

uint32_t
FabricSimulatorImpl::GetSystemId() const
{
    return g_windows ? g_windows->GetRank() : 0;
}

// ---------------------------------------------------------------- running

inline void
FabricSimulatorImpl::Prefetch() const
{
    // With few events all that they need is in the cache.
    if (m_queue.GetSize() < LadderQueue::MANY)
    {
        return;
    }
    constexpr size_t EVENT_AHEAD = LadderQueue::LOOK_AHEAD - 1;
    if (const QueuedEvent* queued = m_queue.Ahead(EVENT_AHEAD))
    {
        __builtin_prefetch(reinterpret_cast<const void*>(queued->event & ~FABRIC_EVENT));
    }
    for (FabricEvent::Stage stage : {FabricEvent::FAR, FabricEvent::NEAR})
    {
        const QueuedEvent* queued = m_queue.Ahead(stage);
        if (queued && IsFabricEvent(*queued))
        {
            const FabricEvent& event = *FabricEventOf(*queued);
            if (event.m_kind->prefetch)
            {
                event.m_kind->prefetch(event, stage);
            }
        }
    }
}

void
FabricSimulatorImpl::Run()
{
    m_mainThread = std::this_thread::get_id();
    TakeForeignEvents();
    m_stop = false;
    if (g_windows)
    {
        RunWindows();
    }
    else
    {
        CallEvents<false>(SimulationWindows::NO_TIME);
    }
}

void
FabricSimulatorImpl::RunWindows()
{
    for (;;)
    {
        const uint64_t next =
            m_queue.IsEmpty() ? SimulationWindows::NO_TIME : m_queue.PeekNext().time;
        const uint64_t end = g_windows->Next(next, m_stop);
        if (end == SimulationWindows::NO_TIME)
        {
            return;
        }
        CallEvents<true>(end);
    }
}

/// Calls events until there is none, or one has stopped the simulation. @tparam BOUNDED or the next
/// one is not before the end @param end time steps
template <bool BOUNDED>
void
FabricSimulatorImpl::CallEvents(uint64_t end)
{
    while (!m_queue.IsEmpty() && !m_stop)
    {
        if (BOUNDED && m_queue.PeekNext().time >= end)
        {
            return;
        }
        QueuedEvent next = m_queue.RemoveNext();
        Prefetch();
        NS_ASSERT_MSG(next.time >= m_now, "FabricSimulatorImpl: an event of the past");
        ++m_eventCount;
        if (next.order >= AFTER_ARRIVALS || next.time != m_now)
        {
            m_currentOrder = next.order;
        }
        m_now = next.time;
        m_currentContext = next.context;
        if (IsFabricEvent(next))
        {
            FabricEvent& event = *FabricEventOf(next);
            --event.m_pending;
            event.m_kind->fire(event);
        }
        else
        {
            EventImpl* event = EventImplOf(next);
            event->Invoke();
            event->Unref();
        }
        if (m_hasForeign.load(std::memory_order_relaxed))
        {
            TakeForeignEvents();
        }
    }
}

bool
FabricSimulatorImpl::IsFinished() const
{
    return m_queue.IsEmpty() || m_stop;
}

void
FabricSimulatorImpl::Stop()
{
    m_stop = true;
}

FabricSimulatorImpl::StopResult
FabricSimulatorImpl::Stop(const Time& delay)
{
    return static_cast<StopResult>(Simulator::Schedule(delay, &Simulator::Stop));
}

// ---------------------------------------------------------------- scheduling

uint64_t
FabricSimulatorImpl::InsertImpl(uint32_t context, const Time& delay, EventImpl* event)
{
    NS_ABORT_MSG_IF(delay.IsStrictlyNegative(),
                    "FabricSimulatorImpl: an event was scheduled " << delay << " from now");
    auto uid = static_cast<uint32_t>(m_order);
    if (uid < EventId::UID::VALID)
    {
        m_order += EventId::UID::VALID - uid; // after 2^32 events: these have another meaning
    }
    uint64_t order = m_order++;
    m_queue.Insert({m_now + static_cast<uint64_t>(delay.GetTimeStep()),
                    order,
                    reinterpret_cast<uintptr_t>(event),
                    context});
    return order;
}

EventId
FabricSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(m_mainThread == std::this_thread::get_id(),
                  "Simulator::Schedule was called by another thread: only ScheduleWithContext may");
    auto uid = static_cast<uint32_t>(InsertImpl(m_currentContext, delay, event));
    return EventId(event,
                   m_now + static_cast<uint64_t>(delay.GetTimeStep()),
                   m_currentContext,
                   uid);
}

void
FabricSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    if (m_mainThread == std::this_thread::get_id())
    {
        InsertImpl(context, delay, event);
        return;
    }
    std::lock_guard<std::mutex> lock(m_foreignMutex);
    m_foreign.push_back({context, delay.GetTimeStep(), event});
    m_hasForeign = true;
}

void
FabricSimulatorImpl::TakeForeignEvents()
{
    std::vector<Foreign> events;
    {
        std::lock_guard<std::mutex> lock(m_foreignMutex);
        events.swap(m_foreign);
        m_hasForeign = false;
    }
    for (const Foreign& foreign : events)
    {
        InsertImpl(foreign.context, TimeStep(foreign.delay), foreign.event);
    }
}

EventId
FabricSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(Time(0), event);
}

EventId
FabricSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    EventId id(Ptr<EventImpl>(event, false), m_now, Simulator::NO_CONTEXT, EventId::UID::DESTROY);
    m_destroyEvents.push_back(id);
    ++m_order;
    return id;
}

// ---------------------------------------------------------------- events

void
FabricSimulatorImpl::Withdraw(FabricEvent& event)
{
    uint32_t left = event.m_pending;
    m_queue.ForEach([&](QueuedEvent& queued) {
        if (left > 0 && queued.event == TagOf(event))
        {
            queued.event = TagOf(WithdrawnEvent());
            --left;
        }
    });
    event.m_pending = 0;
}

void
FabricSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        auto found = std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id);
        if (found != m_destroyEvents.end())
        {
            m_destroyEvents.erase(found);
        }
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    // The id has the low half of the order: of the last 2^32 events, or of those before.
    constexpr uint64_t WRAP = uint64_t{1} << 32;
    uint64_t order = m_order - static_cast<uint32_t>(m_order - id.GetUid());
    QueuedEvent queued{id.GetTs(), order, 0, 0};
    while (!m_queue.Remove(queued))
    {
        NS_ABORT_MSG_IF(queued.order < AFTER_ARRIVALS + WRAP,
                        "FabricSimulatorImpl: no such event is queued");
        queued.order -= WRAP;
    }
    id.PeekEventImpl()->Cancel();
    id.PeekEventImpl()->Unref(); // the queue's reference
}

void
FabricSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
FabricSimulatorImpl::IsExpired(const EventId& id) const
{
    if (!id.PeekEventImpl() || id.PeekEventImpl()->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        auto found = std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id);
        return found == m_destroyEvents.end();
    }
    if (id.GetTs() != m_now)
    {
        return id.GetTs() < m_now;
    }
    if (m_currentOrder < AFTER_ARRIVALS)
    {
        return false; // nothing but arrivals so far at this time
    }
    return static_cast<int32_t>(id.GetUid() - static_cast<uint32_t>(m_currentOrder)) <= 0;
}

Time
FabricSimulatorImpl::Now() const
{
    return TimeStep(m_now);
}

Time
FabricSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - m_now);
}

Time
FabricSimulatorImpl::GetMaximumSimulationTime() const
{
    return TimeStep(INT64_MAX);
}

uint32_t
FabricSimulatorImpl::GetContext() const
{
    return m_currentContext;
}

uint64_t
FabricSimulatorImpl::GetEventCount() const
{
    return m_eventCount;
}

} // namespace ns3
