// SPDX-License-Identifier: GPL-2.0-only
#include "arrival-order-scheduler.h"

#include "arrival-event.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ArrivalOrderScheduler);

namespace
{
constexpr size_t HEAP_CHILDREN = 4;
constexpr uint64_t AFTER_ARRIVALS = uint64_t{1} << 32;
} // namespace

TypeId
ArrivalOrderScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ArrivalOrderScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ArrivalOrderScheduler>();
    return tid;
}

ArrivalOrderScheduler::ArrivalOrderScheduler() = default;

ArrivalOrderScheduler::~ArrivalOrderScheduler() = default;

Scheduler::Event
ArrivalOrderScheduler::EventOf(const Entry& entry)
{
    Scheduler::Event event;
    event.impl = entry.impl;
    event.key.m_ts = entry.time;
    event.key.m_uid = entry.uid;
    event.key.m_context = entry.context;
    return event;
}

void
ArrivalOrderScheduler::Insert(const Scheduler::Event& event)
{
    const ArrivalEvent* arrival = ArrivalEvent::From(event.impl);
    const uint64_t order = arrival ? arrival->GetNumber() : AFTER_ARRIVALS + event.key.m_uid;
    m_heap.emplace_back();
    Rise(m_heap.size() - 1,
         {event.key.m_ts, order, event.impl, event.key.m_uid, event.key.m_context});
}

bool
ArrivalOrderScheduler::IsEmpty() const
{
    return m_heap.empty();
}

Scheduler::Event
ArrivalOrderScheduler::PeekNext() const
{
    return EventOf(m_heap.front());
}

Scheduler::Event
ArrivalOrderScheduler::RemoveNext()
{
    const Entry next = m_heap.front();
    const Entry last = m_heap.back();
    m_heap.pop_back();
    if (!m_heap.empty())
    {
        Sink(0, last);
    }
    return EventOf(next);
}

void
ArrivalOrderScheduler::Remove(const Scheduler::Event& event)
{
    auto found = std::find_if(m_heap.begin(), m_heap.end(), [&event](const Entry& entry) {
        return entry.uid == event.key.m_uid && entry.impl == event.impl;
    });
    NS_ABORT_MSG_IF(found == m_heap.end(), "ArrivalOrderScheduler: no such event");
    const auto index = static_cast<size_t>(found - m_heap.begin());
    const Entry last = m_heap.back();
    m_heap.pop_back();
    if (index < m_heap.size())
    {
        Sink(index, last);
        Rise(index, m_heap[index]);
    }
}

void
ArrivalOrderScheduler::Rise(size_t index, const Entry& entry)
{
    const Entry rising = entry; // it may stand in the heap
    while (index > 0)
    {
        const size_t parent = (index - 1) / HEAP_CHILDREN;
        if (!(rising < m_heap[parent]))
        {
            break;
        }
        m_heap[index] = m_heap[parent];
        index = parent;
    }
    m_heap[index] = rising;
}

void
ArrivalOrderScheduler::Sink(size_t index, const Entry& entry)
{
    for (;;)
    {
        const size_t first = index * HEAP_CHILDREN + 1;
        if (first >= m_heap.size())
        {
            break;
        }
        const size_t end = std::min(first + HEAP_CHILDREN, m_heap.size());
        size_t least = first;
        for (size_t child = first + 1; child < end; ++child)
        {
            least = m_heap[child] < m_heap[least] ? child : least;
        }
        if (!(m_heap[least] < entry))
        {
            break;
        }
        m_heap[index] = m_heap[least];
        index = least;
    }
    m_heap[index] = entry;
}

} // namespace ns3
