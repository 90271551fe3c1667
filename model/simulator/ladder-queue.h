// SPDX-License-Identifier: GPL-2.0-only
#ifndef LADDER_QUEUE_H
#define LADDER_QUEUE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// An event that waits for its time.
struct QueuedEvent
{
    uint64_t time;    ///< when, time steps; below 2^63
    uint64_t order;   ///< among those of one time: the smaller first
    uintptr_t event;  ///< what to do; the queue does not look at it
    uint32_t context; ///< likewise: whose event it is

    bool operator<(const QueuedEvent& other) const
    {
        return time != other.time ? time < other.time : order < other.order;
    }
};

/**
 * @brief Events by time: a ladder queue.
 *
 * After Tang, Goh and Thng, "Ladder Queue: An O(1) Priority Queue Structure for Large-Scale
 * Discrete Event Simulation" (ACM TOMACS 15(3), 2005). What is far away lies unsorted at the top.
 * When it comes near it is spread over the buckets of a rung; a bucket that holds much when its
 * turn comes is spread over a rung of finer buckets; one that holds little is sorted and becomes
 * the bottom, from which events are taken. So each event is moved two or three times however many
 * there are, and the next ones are known in their order, for whoever wants to prefetch what they
 * need.
 *
 * In steady state it allocates nothing.
 */
class LadderQueue
{
  public:
    LadderQueue();
    ~LadderQueue();
    LadderQueue(const LadderQueue&) = delete;
    LadderQueue& operator=(const LadderQueue&) = delete;

    /// @return true: there is no event
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// @return number of events
    size_t GetSize() const
    {
        return m_size;
    }

    /// @param event one more
    void Insert(const QueuedEvent& event)
    {
        ++m_size;
        if (event.time >= m_topStart)
        {
            InsertAtTop(event);
            return;
        }
        for (uint32_t i = 0; i < m_depth; ++i)
        {
            if (event.time >= m_rungs[i]->next)
            {
                m_rungs[i]->Push(TakeNode(event));
                return;
            }
        }
        InsertAtBottom(event);
    }

    /// @return the earliest event; there must be one
    const QueuedEvent& PeekNext()
    {
        if (m_head == m_tail)
        {
            Refill();
        }
        return m_bottom[m_head];
    }

    /// @return the earliest event, taken out; there must be one
    QueuedEvent RemoveNext()
    {
        const size_t wanted = m_size < MANY ? 0 : LOOK_AHEAD;
        while (m_tail - m_head <= wanted && m_size > m_tail - m_head)
        {
            Refill();
        }
        --m_size;
        return m_bottom[m_head++];
    }

    /**
     * Looks ahead without an effect.
     * @param distance 0: the event that RemoveNext() will give; up to LOOK_AHEAD
     * @return the event that comes then, as far as is known; null if nothing is
     */
    const QueuedEvent* Ahead(size_t distance) const
    {
        size_t at = m_head + distance;
        return at < m_tail ? &m_bottom[at] : nullptr;
    }

    /// @param event with the time and order of one to take out @return whether there was one
    bool Remove(const QueuedEvent& event);

    /// Takes all events out.
    void Clear();

    /// @param visit called with each event, in no particular order; it may change what is to do
    template <typename Visitor>
    void ForEach(Visitor visit)
    {
        for (size_t i = m_head; i < m_tail; ++i)
        {
            visit(m_bottom[i]);
        }
        ForEachIn(m_top, visit);
        for (uint32_t i = 0; i < m_depth; ++i)
        {
            for (Node* bucket : m_rungs[i]->buckets)
            {
                ForEachIn(bucket, visit);
            }
        }
    }

    /// With fewer events nobody needs to look ahead.
    static constexpr size_t MANY = 256;

    /// How many events stay in sight where there are MANY.
    static constexpr size_t LOOK_AHEAD = 12;

  private:
    static constexpr uint32_t BUCKETS = 1024;  ///< of a rung
    static constexpr uint32_t FEW = 24;        ///< are sorted
    static constexpr size_t LONG_BOTTOM = 512; ///< is spread over a rung

    struct Node
    {
        QueuedEvent event;
        Node* next;
    };

    struct Rung
    {
        uint64_t start;     ///< of bucket 0
        uint64_t next;      ///< start of the first bucket that has not been taken
        uint32_t shift;     ///< a bucket is 2^shift time steps wide
        uint32_t count;     ///< events in it
        uint32_t firstWord; ///< of `filled` that may have a bit set
        std::array<uint64_t, BUCKETS / 64> filled;
        std::array<Node*, BUCKETS> buckets;
        std::array<uint32_t, BUCKETS> sizes;

        void Push(Node* node)
        {
            uint64_t bucket = (node->event.time - start) >> shift;
            node->next = buckets[bucket];
            buckets[bucket] = node;
            ++sizes[bucket];
            ++count;
            filled[bucket / 64] |= uint64_t{1} << (bucket % 64);
        }
    };

    template <typename Visitor>
    static void ForEachIn(Node* list, Visitor& visit)
    {
        for (Node* node = list; node; node = node->next)
        {
            visit(node->event);
        }
    }

    Node* TakeNode(const QueuedEvent& event)
    {
        if (!m_free)
        {
            Grow();
        }
        Node* node = m_free;
        m_free = node->next;
        node->event = event;
        return node;
    }

    void ReturnNode(Node* node)
    {
        node->next = m_free;
        m_free = node;
    }

    void InsertAtTop(const QueuedEvent& event)
    {
        Node* node = TakeNode(event);
        node->next = m_top;
        m_top = node;
        m_topFirst = event.time < m_topFirst ? event.time : m_topFirst;
        m_topLast = event.time > m_topLast ? event.time : m_topLast;
        ++m_topSize;
    }

    void InsertAtBottom(const QueuedEvent& event);
    void Refill();
    void TakeTop();
    bool TakeBucket(Rung& rung);
    void SpreadBottom();
    Rung& AddRung(uint64_t start, uint64_t end, size_t count);
    void Sort(Node* list, size_t count);
    void MakeRoom(size_t more);
    bool RemoveFrom(Node*& list, const QueuedEvent& event);
    bool RemoveFromBottom(const QueuedEvent& event);
    void Grow();

    size_t m_size{0};
    uint64_t m_topStart{0}; ///< what is not before this lies at the top
    uint32_t m_depth{0};    ///< rungs in use, the last one is the finest
    std::vector<std::unique_ptr<Rung>> m_rungs;
    size_t m_head{0}; ///< of the bottom
    size_t m_tail{0};
    std::vector<QueuedEvent> m_bottom;
    Node* m_free{nullptr};
    Node* m_top{nullptr};
    size_t m_topSize{0};
    uint64_t m_topFirst{UINT64_MAX}; ///< no time at the top is before this
    uint64_t m_topLast{0};           ///< or after this
    std::vector<std::unique_ptr<Node[]>> m_blocks;
};

} // namespace ns3

#endif // LADDER_QUEUE_H
