// SPDX-License-Identifier: GPL-2.0-only
#include "queue-pair-connection.h"

#include "ns3/abort.h"
#include "ns3/rdma-stack.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// One is enough, as each is replaced when it completes; more would only take memory.
constexpr uint32_t POSTED_RECEIVES = 1;

Ptr<QueuePair>
MakePair(const GpuEndpoint& gpu, Ptr<FabricNetDevice> port, Ptr<CompletionQueue> completions)
{
    Ptr<RdmaStack> stack = gpu.GetNode()->GetObject<RdmaStack>();
    NS_ABORT_MSG_UNLESS(stack && port,
                        "QueuePairConnection: GPU " << gpu.GetId()
                                                    << " has no NIC with RDMA, and its peer is "
                                                       "not in its scale-up domain");
    return stack->CreateQueuePair(port, completions);
}

} // namespace

QueuePairConnection::QueuePairConnection(const Ends& ends,
                                         const GpuEndpoint& from,
                                         const GpuEndpoint& to,
                                         uint32_t pairs,
                                         Striping striping,
                                         Ptr<CompletionQueue> completions,
                                         uint32_t id,
                                         FailureCallback failure)
    : CollectiveConnection(ends,
                           to.GetNode()->GetId(),
                           to.GetNetworkStepOverhead().GetTimeStep(),
                           std::move(failure)),
      m_id(id),
      m_striping(striping),
      m_departures(striping == Striping::SPLIT ? pairs : 1),
      m_arrivals(striping == Striping::SPLIT ? pairs : 1)
{
    const std::vector<NicWay> ways = FindNicWays(from, to);
    if (ways.empty())
    {
        Fail("no network joins the NIC ports of GPU " + std::to_string(from.GetId()) +
             " and those of GPU " + std::to_string(to.GetId()));
        return;
    }
    for (uint32_t stripe = 0; stripe < pairs; ++stripe)
    {
        const auto& [own, other] = ways[stripe % ways.size()];
        m_stripes.push_back({MakePair(from, own, completions), MakePair(to, other, completions)});
        QueuePair::Connect(m_stripes[stripe].sender, m_stripes[stripe].receiver);
        for (uint32_t i = 0; i < POSTED_RECEIVES; ++i)
        {
            PostReceive(stripe);
        }
    }
}

void
QueuePairConnection::PostReceive(uint32_t stripe)
{
    ReceiveWorkRequest request;
    request.id = uint64_t{m_id} << 32 | stripe;
    PostResult result = m_stripes[stripe].receiver->PostReceive(request);
    if (result != PostResult::POSTED)
    {
        Fail(std::string("a receive was not posted: ") + ToString(result));
    }
}

void
QueuePairConnection::Transmit(uint64_t bytes, uint32_t number)
{
    if (m_stripes.empty())
    {
        return; // it has failed
    }
    if (m_striping == Striping::ROUND_ROBIN || m_stripes.size() == 1)
    {
        TransmitBy(m_stripes[number % m_stripes.size()], bytes, number);
        return;
    }
    constexpr uint64_t UNIT = 128;
    uint64_t units = (bytes + UNIT - 1) / UNIT;
    uint64_t part = (units + m_stripes.size() - 1) / m_stripes.size() * UNIT;
    for (const Stripe& stripe : m_stripes)
    {
        uint64_t now = std::min(part, bytes);
        TransmitBy(stripe, now, number);
        bytes -= now;
    }
}

void
QueuePairConnection::TransmitBy(const Stripe& stripe, uint64_t bytes, uint32_t number)
{
    SendWorkRequest request;
    request.id = uint64_t{m_id} << 32 | number;
    request.operation = RdmaOperation::WRITE_WITH_IMM;
    request.bytes = bytes;
    request.immediate = number;
    PostResult result = stripe.sender->PostSend(request);
    if (result != PostResult::POSTED)
    {
        Fail(std::string("a message was not posted: ") + ToString(result));
    }
}

void
QueuePairConnection::SetJob(uint32_t job)
{
    for (const Stripe& stripe : m_stripes)
    {
        stripe.sender->SetJob(job);
        stripe.receiver->SetJob(job);
    }
}

void
QueuePairConnection::Completed(const WorkCompletion& completion)
{
    auto low = static_cast<uint32_t>(completion.id);
    if (completion.status != WcStatus::SUCCESS)
    {
        Fail(std::string("a work request of ") + std::to_string(completion.bytes) +
             " B ended with status " + ToString(completion.status));
    }
    else if (completion.opcode == WcOpcode::WRITE)
    {
        m_departures.Come(low, completion.bytes, [this](uint64_t) { Departed(); });
    }
    else
    {
        PostReceive(low);
        m_arrivals.Come(completion.immediate, completion.bytes, [this](uint64_t bytes) {
            Arrived(bytes);
        });
    }
}

std::string
QueuePairConnection::Describe() const
{
    std::ostringstream os;
    const Stripe& first = m_stripes.front();
    os << "queue pair " << first.sender->GetNumber() << " of "
       << Ipv4Address(first.sender->GetLocalAddress()) << " (to queue pair "
       << first.receiver->GetNumber() << " of " << Ipv4Address(first.receiver->GetLocalAddress());
    if (m_stripes.size() > 1)
    {
        os << "; " << m_stripes.size() - 1 << " more";
    }
    os << ")";
    return os.str();
}

} // namespace ns3
