// SPDX-License-Identifier: GPL-2.0-only
#include "collective-connection.h"

#include <algorithm>

namespace ns3
{

namespace
{

template <typename T>
void
PushBack(boost::circular_buffer<T>& buffer, const T& value)
{
    constexpr size_t FIRST_CAPACITY = 4;
    if (buffer.full())
    {
        buffer.set_capacity(std::max(FIRST_CAPACITY, 2 * buffer.capacity()));
    }
    buffer.push_back(value);
}

} // namespace

CollectiveConnection::CollectiveConnection(const Ends& ends,
                                           uint32_t node,
                                           int64_t stepOverhead,
                                           FailureCallback failure)
    : m_ends(ends),
      m_failure(std::move(failure)),
      m_node(node),
      m_stepOverhead(stepOverhead),
      m_wakeUp(this)
{
}

CollectiveConnection::~CollectiveConnection() = default;

void
CollectiveConnection::Send(uint64_t bytes, CollectiveConnectionUser& user)
{
    PushBack(m_senders, &user);
    Transmit(bytes, m_sent++);
}

void
CollectiveConnection::Departed()
{
    if (m_senders.empty())
    {
        return; // abandoned
    }
    CollectiveConnectionUser* user = m_senders.front();
    m_senders.pop_front();
    user->SendCompleted();
}

void
CollectiveConnection::Arrived(uint64_t bytes)
{
    int64_t now = NowSteps();
    PushBack(m_messages, {bytes, now + m_stepOverhead});
    if (m_waiting && m_messages.size() == 1)
    {
        m_wakeUp.At(m_node, now + m_stepOverhead, now);
    }
}

bool
CollectiveConnection::Take(uint64_t bytes, CollectiveConnectionUser& user)
{
    int64_t now = NowSteps();
    if (m_messages.empty() || m_messages.front().readyAt > now)
    {
        m_waiting = &user;
        if (!m_messages.empty())
        {
            m_wakeUp.At(m_node, m_messages.front().readyAt, now);
        }
        return false;
    }
    uint64_t came = m_messages.front().bytes;
    m_messages.pop_front();
    if (came != bytes)
    {
        Fail("a message of " + std::to_string(came) + " B came where the program expects " +
             std::to_string(bytes) + " B");
        return false;
    }
    return true;
}

void
CollectiveConnection::Ready()
{
    if (CollectiveConnectionUser* user = m_waiting)
    {
        m_waiting = nullptr;
        user->MessageReady();
    }
}

void
CollectiveConnection::Abandon()
{
    m_senders.clear();
    m_waiting = nullptr;
}

void
CollectiveConnection::Fail(const std::string& why)
{
    m_failure("rank " + std::to_string(m_ends.source) + " to rank " +
              std::to_string(m_ends.destination) + ", channel " + std::to_string(m_ends.channel) +
              ", by " + Describe() + ": " + why);
}

} // namespace ns3
