// SPDX-License-Identifier: GPL-2.0-only
#include "collective-connection.h"

#include "ns3/growing-ring.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

CollectiveConnection::Receiver::Receiver()
    : readyEvent(this),
      returnEvent(this)
{
}

CollectiveConnection::CollectiveConnection(const Ends& ends,
                                           std::vector<uint32_t> nodes,
                                           Ptr<const CollectiveCosts> costs,
                                           bool network,
                                           FailureCallback failure)
    : m_ends(ends),
      m_costs(costs),
      m_failure(std::move(failure)),
      m_network(network),
      m_senders(ends.sources.size()),
      m_receivers(ends.destinations.size())
{
    for (size_t i = 0; i < m_receivers.size(); ++i)
    {
        m_receivers[i].connection = this;
        m_receivers[i].index = static_cast<uint32_t>(i);
        m_receivers[i].node = nodes[i];
    }
}

CollectiveConnection::~CollectiveConnection() = default;

size_t
CollectiveConnection::IndexOf(const std::vector<uint32_t>& ranks, uint32_t rank)
{
    return std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
}

// ---------------------------------------------------------------- senders

uint64_t
CollectiveConnection::LeastFreed() const
{
    uint64_t least = m_receivers.front().freed;
    for (const Receiver& receiver : m_receivers)
    {
        least = std::min(least, receiver.freed);
    }
    return least;
}

bool
CollectiveConnection::HasRoom(uint32_t source, uint32_t window, CollectiveConnectionUser& user)
{
    Sender& sender = m_senders[IndexOf(m_ends.sources, source)];
    bool room = sender.sent - LeastFreed() < window;
    sender.waiting = room ? nullptr : &user;
    return room;
}

void
CollectiveConnection::Send(uint32_t source,
                           uint64_t bytes,
                           int64_t pace,
                           CollectiveConnectionUser& user,
                           const MessageBatch& batch)
{
    size_t index = IndexOf(m_ends.sources, source);
    Sender& sender = m_senders[index];
    GrowIfFull(sender.onTheWay);
    sender.onTheWay.push_back(&user);
    ++sender.sent;
    Transmit(static_cast<uint32_t>(index), bytes, pace, batch);
}

void
CollectiveConnection::Departed(uint32_t index)
{
    Sender& sender = m_senders[index];
    if (sender.onTheWay.empty())
    {
        return; // abandoned
    }
    CollectiveConnectionUser* user = sender.onTheWay.front();
    sender.onTheWay.pop_front();
    user->SendCompleted();
}

void
CollectiveConnection::Freed(uint32_t receiver)
{
    ++m_receivers[receiver].freed;
    for (Sender& sender : m_senders)
    {
        if (CollectiveConnectionUser* user = sender.waiting)
        {
            sender.waiting = nullptr; // comes back if there is no room for it yet
            user->MayGoOn();
        }
    }
}

// ---------------------------------------------------------------- receivers

void
CollectiveConnection::Arrived(uint32_t index, uint64_t bytes)
{
    Receiver& receiver = m_receivers[index];
    int64_t now = NowSteps();
    GrowIfFull(receiver.messages);
    receiver.messages.push_back({bytes, now});
    if (receiver.messages.size() == 1)
    {
        CheckFront(index);
    }
}

int64_t
CollectiveConnection::GetArrivalOfAll(const MessageBatch&, int64_t arrival)
{
    return arrival;
}

int64_t
CollectiveConnection::GetReadyTime(const Receiver& receiver)
{
    if (receiver.messages.empty())
    {
        return NEVER;
    }
    int64_t whole = GetArrivalOfAll(receiver.batch, receiver.messages.front().arrival);
    return whole == NEVER ? NEVER : whole + receiver.overhead;
}

void
CollectiveConnection::CheckFront(uint32_t index)
{
    Receiver& receiver = m_receivers[index];
    int64_t ready = receiver.waiting ? GetReadyTime(receiver) : NEVER;
    if (ready != NEVER)
    {
        // The last of a batch may have been asked for late.
        int64_t now = NowSteps();
        receiver.readyEvent.At(receiver.node, std::max(now, ready), now);
    }
}

bool
CollectiveConnection::IsReady(uint32_t destination,
                              CollectiveProtocol protocol,
                              CollectiveConnectionUser& user,
                              const MessageBatch& batch)
{
    Receiver& receiver = m_receivers[IndexOf(m_ends.destinations, destination)];
    receiver.overhead = m_costs->GetStepOverhead(protocol, m_ends.way, m_network);
    receiver.batch = batch;
    int64_t now = NowSteps();
    int64_t ready = GetReadyTime(receiver);
    receiver.waiting = ready <= now ? nullptr : &user;
    if (receiver.waiting && ready != NEVER)
    {
        receiver.readyEvent.At(receiver.node, ready, now);
    }
    return !receiver.waiting;
}

void
CollectiveConnection::Receiver::Ready()
{
    if (CollectiveConnectionUser* user = waiting)
    {
        waiting = nullptr;
        user->MayGoOn();
    }
}

bool
CollectiveConnection::Take(uint32_t destination, uint64_t bytes)
{
    Receiver& receiver = m_receivers[IndexOf(m_ends.destinations, destination)];
    uint64_t came = receiver.messages.front().bytes;
    receiver.messages.pop_front();
    if (came != bytes)
    {
        Fail("a message of " + std::to_string(came) + " B came where the program expects " +
             std::to_string(bytes) + " B");
    }
    return came == bytes;
}

void
CollectiveConnection::Release(uint32_t destination)
{
    ReturnSlot(static_cast<uint32_t>(IndexOf(m_ends.destinations, destination)));
}

void
CollectiveConnection::ReturnSlot(uint32_t index)
{
    Receiver& receiver = m_receivers[index];
    int64_t now = NowSteps();
    GrowIfFull(receiver.returns);
    receiver.returns.push_back(now + m_costs->GetSlotReturn());
    receiver.returnEvent.At(receiver.node, receiver.returns.front(), now);
}

void
CollectiveConnection::Receiver::SlotReturned()
{
    int64_t now = NowSteps();
    while (!returns.empty() && returns.front() <= now)
    {
        returns.pop_front();
        connection->Freed(index);
    }
    if (!returns.empty())
    {
        returnEvent.At(node, returns.front(), now);
    }
}

// ----------------------------------------------------------------

void
CollectiveConnection::Waited(uint64_t collective, bool forRoom, int64_t steps)
{
    if (m_waits.collective != collective)
    {
        m_waits = {collective, 0, 0};
    }
    (forRoom ? m_waits.blocked : m_waits.starved) += steps;
}

void
CollectiveConnection::Abandon()
{
    for (Sender& sender : m_senders)
    {
        sender.onTheWay.clear();
        sender.waiting = nullptr;
    }
    for (Receiver& receiver : m_receivers)
    {
        receiver.waiting = nullptr;
    }
}

std::string
CollectiveConnection::DescribeEnds() const
{
    std::ostringstream os;
    const char* separator = "";
    auto print = [&](const std::vector<uint32_t>& ranks) {
        os << (ranks.size() > 1 ? "ranks " : "rank ");
        for (uint32_t rank : ranks)
        {
            os << separator << rank;
            separator = ", ";
        }
        separator = "";
    };
    print(m_ends.sources);
    os << " to ";
    print(m_ends.destinations);
    os << ", channel " << m_ends.channel;
    return os.str();
}

void
CollectiveConnection::Fail(const std::string& why)
{
    m_failure(DescribeEnds() + ", by " + Describe() + ": " + why);
}

} // namespace ns3
