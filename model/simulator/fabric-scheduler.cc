// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-scheduler.h"

#include "ns3/abort.h"
#include "ns3/event-impl.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricScheduler);

namespace
{

/// @param queued an event @return it, as ns-3 has it
Scheduler::Event
ToSchedulerEvent(const QueuedEvent& queued)
{
    Scheduler::Event event;
    event.impl = reinterpret_cast<EventImpl*>(queued.event);
    event.key.m_ts = queued.time;
    event.key.m_uid = static_cast<uint32_t>(queued.order);
    event.key.m_context = queued.context;
    return event;
}

/// @param event of ns-3 @return it, as the queue has it

} // namespace

TypeId
FabricScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<FabricScheduler>();
    return tid;
}

FabricScheduler::FabricScheduler() = default;
FabricScheduler::~FabricScheduler() = default;

QueuedEvent
FabricScheduler::ToQueuedEvent(const Event& event) const
{
    return {event.key.m_ts,
            OrderOf(event),
            reinterpret_cast<uintptr_t>(event.impl),
            event.key.m_context};
}

void
FabricScheduler::Insert(const Event& event)
{
    m_queue.Insert(ToQueuedEvent(event));
}

bool
FabricScheduler::IsEmpty() const
{
    return m_queue.IsEmpty();
}

Scheduler::Event
FabricScheduler::PeekNext() const
{
    return ToSchedulerEvent(m_queue.PeekNext());
}

Scheduler::Event
FabricScheduler::RemoveNext()
{
    return ToSchedulerEvent(m_queue.RemoveNext());
}

void
FabricScheduler::Remove(const Event& event)
{
    bool found = m_queue.Remove(ToQueuedEvent(event));
    NS_ABORT_MSG_UNLESS(found, "FabricScheduler: the event to remove is not queued");
}

} // namespace ns3
