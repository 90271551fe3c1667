// SPDX-License-Identifier: GPL-2.0-only
#include "ladder-queue.h"

#include <algorithm>

namespace ns3
{

LadderQueue::LadderQueue()
    : m_bottom(256)
{
}

LadderQueue::~LadderQueue() = default;

void
LadderQueue::Grow()
{
    constexpr size_t BLOCK_NODES = 256;
    m_blocks.push_back(std::make_unique<Node[]>(BLOCK_NODES));
    for (size_t i = BLOCK_NODES; i > 0; --i)
    {
        ReturnNode(&m_blocks.back()[i - 1]);
    }
}

void
LadderQueue::Clear()
{
    while (!IsEmpty())
    {
        RemoveNext();
    }
}

void
LadderQueue::MakeRoom(size_t more)
{
    size_t length = m_tail - m_head;
    if (length + more > m_bottom.size() / 2)
    {
        m_bottom.resize(2 * (length + more));
    }
    std::copy(m_bottom.begin() + m_head, m_bottom.begin() + m_tail, m_bottom.begin());
    m_head = 0;
    m_tail = length;
}

void
LadderQueue::InsertAtBottom(const QueuedEvent& event)
{
    if (m_tail == m_bottom.size())
    {
        MakeRoom(1);
    }
    size_t length = m_tail - m_head;
    size_t middle = m_head + length / 2;
    if (m_head > 0 && length > 0 && event < m_bottom[middle])
    {
        size_t place = --m_head; // those before it move to the front
        for (; m_bottom[place + 1] < event; ++place)
        {
            m_bottom[place] = m_bottom[place + 1];
        }
        m_bottom[place] = event;
    }
    else
    {
        size_t place = m_tail++; // those after it move to the back
        for (; place > m_head && event < m_bottom[place - 1]; --place)
        {
            m_bottom[place] = m_bottom[place - 1];
        }
        m_bottom[place] = event;
    }
    // A rung helps only where it divides: not where most have one time.
    if (length > LONG_BOTTOM && m_bottom[middle].time < m_bottom[m_tail - 1].time)
    {
        SpreadBottom();
    }
}

void
LadderQueue::Refill()
{
    while (m_depth > 0)
    {
        Rung& rung = *m_rungs[m_depth - 1];
        if (rung.count == 0)
        {
            --m_depth; // what comes for its time from now on goes to the bottom
        }
        else if (TakeBucket(rung))
        {
            return;
        }
    }
    TakeTop();
}

bool
LadderQueue::TakeBucket(Rung& rung)
{
    while (rung.filled[rung.firstWord] == 0)
    {
        ++rung.firstWord;
    }
    uint64_t& word = rung.filled[rung.firstWord];
    uint32_t bucket = rung.firstWord * 64 + __builtin_ctzll(word);
    word &= word - 1;
    Node* list = rung.buckets[bucket];
    uint32_t count = rung.sizes[bucket];
    rung.buckets[bucket] = nullptr;
    rung.sizes[bucket] = 0;
    rung.count -= count;
    uint64_t start = rung.start + (uint64_t{bucket} << rung.shift);
    rung.next = start + (uint64_t{1} << rung.shift);
    if (count <= FEW || rung.shift == 0)
    {
        Sort(list, count);
        return true;
    }
    Rung& finer = AddRung(start, rung.next, count);
    while (list)
    {
        Node* node = list;
        list = node->next;
        finer.Push(node);
    }
    return false;
}

void
LadderQueue::TakeTop()
{
    Node* list = m_top;
    size_t count = m_topSize;
    if (count == 0)
    {
        return;
    }
    m_top = nullptr;
    m_topSize = 0;
    m_topStart = m_topLast + 1;
    uint64_t first = m_topFirst;
    m_topFirst = UINT64_MAX;
    m_topLast = 0;
    if (count <= FEW)
    {
        Sort(list, count);
        return;
    }
    Rung& rung = AddRung(first, m_topStart, count);
    while (list)
    {
        Node* node = list;
        list = node->next;
        rung.Push(node);
    }
    Refill();
}

LadderQueue::Rung&
LadderQueue::AddRung(uint64_t start, uint64_t end, size_t count)
{
    if (m_depth == m_rungs.size())
    {
        m_rungs.push_back(std::make_unique<Rung>());
    }
    Rung& rung = *m_rungs[m_depth++];
    constexpr size_t IN_A_BUCKET = 4;
    uint64_t buckets = std::clamp<uint64_t>(count / IN_A_BUCKET, 16, BUCKETS);
    rung.start = start;
    rung.next = start;
    rung.count = 0;
    rung.firstWord = 0;
    rung.shift = 0;
    while ((end - 1 - start) >> rung.shift >= buckets)
    {
        ++rung.shift;
    }
    return rung;
}

void
LadderQueue::SpreadBottom()
{
    uint64_t end = m_depth > 0 ? m_rungs[m_depth - 1]->next : m_topStart;
    Rung& rung = AddRung(m_bottom[m_head].time, end, m_tail - m_head);
    for (; m_head < m_tail; ++m_head)
    {
        rung.Push(TakeNode(m_bottom[m_head]));
    }
    m_head = m_tail = 0;
    Refill();
}

void
LadderQueue::Sort(Node* list, size_t count)
{
    if (m_tail + count > m_bottom.size())
    {
        MakeRoom(count);
    }
    auto first = m_bottom.begin() + m_tail;
    for (size_t i = 0; i < count; ++i)
    {
        Node* node = list;
        list = node->next;
        first[i] = node->event;
        ReturnNode(node);
    }
    m_tail += count;
    std::sort(first, first + count);
}

bool
LadderQueue::RemoveFrom(Node*& list, const QueuedEvent& event)
{
    for (Node** link = &list; *link; link = &(*link)->next)
    {
        Node* node = *link;
        if (node->event.time == event.time && node->event.order == event.order)
        {
            *link = node->next;
            ReturnNode(node);
            return true;
        }
    }
    return false;
}

bool
LadderQueue::RemoveFromBottom(const QueuedEvent& event)
{
    auto last = m_bottom.begin() + m_tail;
    auto place = std::lower_bound(m_bottom.begin() + m_head, last, event);
    if (place == last || event < *place)
    {
        return false;
    }
    std::copy(place + 1, last, place);
    --m_tail;
    return true;
}

bool
LadderQueue::Remove(const QueuedEvent& event)
{
    bool found = false;
    if (event.time >= m_topStart)
    {
        found = RemoveFrom(m_top, event);
        m_topSize -= found;
        m_size -= found;
        return found;
    }
    for (uint32_t i = 0; i < m_depth; ++i)
    {
        Rung& rung = *m_rungs[i];
        if (event.time >= rung.next)
        {
            uint64_t bucket = (event.time - rung.start) >> rung.shift;
            found = RemoveFrom(rung.buckets[bucket], event);
            rung.sizes[bucket] -= found;
            rung.count -= found;
            if (rung.sizes[bucket] == 0)
            {
                rung.filled[bucket / 64] &= ~(uint64_t{1} << (bucket % 64));
            }
            m_size -= found;
            return found;
        }
    }
    found = RemoveFromBottom(event);
    m_size -= found;
    return found;
}

} // namespace ns3
