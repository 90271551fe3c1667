// SPDX-License-Identifier: GPL-2.0-only
#include "selective-reliability.h"

#include "growing-ring.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SelectiveReliability);

namespace
{

/// Room for so many states is kept when there are none.
constexpr size_t KEPT_STATES = 16;

} // namespace

TypeId
SelectiveReliability::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SelectiveReliability").SetParent<RdmaReliability>().SetGroupName("AiFabric");
    return tid;
}

SelectiveReliability::SelectiveReliability(const SelectiveReliability& other)
    : RdmaReliability(other),
      m_reorderDistance(other.m_reorderDistance)
{
}

bool
SelectiveReliability::IsSelective() const
{
    return true;
}

void
SelectiveReliability::Start(uint64_t firstPsn)
{
    m_base = m_highest = m_scanAt = firstPsn;
    m_gone = 0;
    m_states.clear();
    m_trimmed.reset();
}

SelectiveReliability::State
SelectiveReliability::StateOf(uint64_t psn) const
{
    return psn - m_base < m_states.size() ? m_states[psn - m_base] : UNKNOWN;
}

void
SelectiveReliability::Mark(uint64_t psn, State state)
{
    size_t at = psn - m_base;
    if (at >= m_states.size())
    {
        GrowTo(m_states, at + 1);
        m_states.resize(at + 1, UNKNOWN);
    }
    m_gone -= IsGone(m_states[at]);
    m_gone += IsGone(state);
    m_states[at] = state;
}

void
SelectiveReliability::Confirmed(const RdmaSendWindow& window)
{
    auto confirmed =
        m_states.begin() +
        static_cast<std::ptrdiff_t>(std::min<size_t>(window.confirmed - m_base, m_states.size()));
    m_gone -= static_cast<uint64_t>(std::count_if(m_states.begin(), confirmed, IsGone));
    m_states.erase_begin(static_cast<size_t>(confirmed - m_states.begin()));
    if (m_states.empty() && m_states.capacity() > KEPT_STATES)
    {
        m_states.set_capacity(0); // what an idle pair keeps is small
        m_trimmed.reset();
    }
    m_base = window.confirmed;
    m_highest = std::max(m_highest, m_base);
    m_scanAt = std::max(m_scanAt, m_base);
    MissOldest();
}

void
SelectiveReliability::MissOldest()
{
    // Of something behind it is known that it has come, and the oldest would be confirmed too.
    if (!m_states.empty() && m_states[0] == UNKNOWN)
    {
        Mark(m_base, MISSING);
        m_scanAt = m_base;
    }
}

uint64_t
SelectiveReliability::NextLost(const RdmaSendWindow& window)
{
    while (m_trimmed && !m_trimmed->empty())
    {
        uint64_t psn = m_trimmed->front();
        if (psn >= m_base && StateOf(psn) == TRIMMED)
        {
            return psn;
        }
        m_trimmed->pop_front(); // it has come since, or has gone again in a pass
    }
    while (m_scanAt + m_reorderDistance < m_highest)
    {
        if (m_states[m_scanAt - m_base] == MISSING)
        {
            return m_scanAt;
        }
        ++m_scanAt;
    }
    return window.sent;
}

uint64_t
SelectiveReliability::NextAfter(const RdmaSendWindow& window)
{
    if (m_trimmed && !m_trimmed->empty() && m_trimmed->front() + 1 == window.send)
    {
        if (StateOf(m_trimmed->front()) == TRIMMED)
        {
            Mark(m_trimmed->front(), REPEATED);
        }
        m_trimmed->pop_front();
        return NextLost(window);
    }
    for (; m_scanAt < window.send; ++m_scanAt) // what has just gone
    {
        if (m_scanAt - m_base >= m_states.size() || m_states[m_scanAt - m_base] != ARRIVED)
        {
            Mark(m_scanAt, REPEATED);
        }
    }
    return NextLost(window);
}

void
SelectiveReliability::Sacked(RdmaSendWindow& window, uint64_t base, uint64_t bits)
{
    for (uint64_t psn = base; bits != 0 && psn < window.sent; ++psn, bits >>= 1)
    {
        if (psn < m_base)
        {
            continue; // confirmed since
        }
        if (bits & 1)
        {
            Mark(psn, ARRIVED);
            m_highest = std::max(m_highest, psn + 1);
        }
        else if (psn - m_base >= m_states.size() || m_states[psn - m_base] == UNKNOWN)
        {
            Mark(psn, MISSING);
            m_scanAt = std::min(m_scanAt, psn);
        }
    }
    MissOldest();
    // A pass that is under way goes on, unless what it was about to repeat has come.
    bool inPass = window.send < window.sent;
    if (!inPass || (window.send >= m_base && window.send - m_base < m_states.size() &&
                    m_states[window.send - m_base] == ARRIVED))
    {
        window.send = NextLost(window);
    }
}

void
SelectiveReliability::Trimmed(RdmaSendWindow& window, uint64_t psn)
{
    State state = StateOf(psn);
    if (psn < m_base || psn >= window.sent || state == ARRIVED || state == TRIMMED)
    {
        return; // it has come since, or is about to go
    }
    Mark(psn, TRIMMED);
    if (!m_trimmed)
    {
        m_trimmed = std::make_unique<boost::circular_buffer<uint64_t>>();
    }
    GrowIfFull(*m_trimmed);
    m_trimmed->push_back(psn);
    if (window.send == window.sent) // else a pass is under way, and takes it up
    {
        window.send = NextLost(window);
    }
}

void
SelectiveReliability::StartPass()
{
    m_gone += static_cast<uint64_t>(std::count(m_states.begin(), m_states.end(), REPEATED));
    std::replace(m_states.begin(), m_states.end(), REPEATED, MISSING);
    m_scanAt = m_base;
}

void
SelectiveReliability::SequenceNak(RdmaSendWindow& window, uint64_t psn)
{
    // Receiver not ready: it has not taken this one, and keeps what it had behind it.
    StartPass();
    Mark(psn, MISSING);
    window.send = psn;
}

void
SelectiveReliability::TimedOut(RdmaSendWindow& window)
{
    StartPass();
    window.send = window.acked;
}

bool
SelectiveReliability::ResponseGap(RdmaSendWindow& window, uint64_t missing, uint64_t come)
{
    if (come - missing < m_reorderDistance || window.send != window.sent)
    {
        return false;
    }
    window.send = missing;
    return true;
}

uint64_t
SelectiveReliability::GetGone() const
{
    return m_gone;
}

size_t
SelectiveReliability::GetMemoryBytes() const
{
    size_t trimmed = m_trimmed ? m_trimmed->capacity() * sizeof(uint64_t) : 0;
    return m_states.capacity() * sizeof(State) + trimmed;
}

} // namespace ns3
