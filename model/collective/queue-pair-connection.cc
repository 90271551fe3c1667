// SPDX-License-Identifier: GPL-2.0-only
#include "queue-pair-connection.h"

#include "collective-plan.h"

#include "ns3/abort.h"
#include "ns3/growing-ring.h"
#include "ns3/rdma-stack.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// Steps of batches that receives are posted for, over the messages of a batch (NCCL_SHARED_STEPS,
/// net.cc).
constexpr uint32_t SHARED_STEPS = 16;

/// One is enough, as each is replaced when it completes; more would only take memory.
constexpr uint32_t POSTED_RECEIVES = 1;

/// Lower half of the id of a clear-to-send's work request.
constexpr uint32_t CLEAR_TO_SEND = UINT32_MAX;

/// Set in the immediate of a message that is one of a batch; the rest is its number.
constexpr uint32_t IN_BATCH = 1U << 31;

/// Set in the lower half of the id of a WRITE whose immediate goes apart.
constexpr uint32_t APART = 1U << 31;

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
                                         const Parts& parts,
                                         Ptr<const CollectiveCosts> costs,
                                         Ptr<CompletionQueue> completions,
                                         uint32_t id,
                                         FailureCallback failure)
    : CollectiveConnection(ends, {parts.to->GetNode()->GetId()}, costs, true, std::move(failure)),
      m_id(id),
      m_striping(parts.striping),
      m_departures(parts.striping == Striping::SPLIT ? parts.pairs : 1),
      m_arrivals(parts.striping == Striping::SPLIT ? parts.pairs : 1),
      m_senderNode(parts.carrier->GetNode()->GetId()),
      m_sendingProxy(*parts.sending),
      m_receivingProxy(*parts.receiving),
      m_batches(parts.batches),
      m_proxyEvent(this),
      m_announceEvent(this),
      m_arrivalEvent(this)
{
    const std::vector<NicWay> ways = FindNicWays(*parts.carrier, *parts.to);
    if (ways.empty())
    {
        Fail("no network joins the NIC ports of GPU " + std::to_string(parts.carrier->GetId()) +
             " and those of GPU " + std::to_string(parts.to->GetId()));
        return;
    }
    for (uint32_t stripe = 0; stripe < parts.pairs; ++stripe)
    {
        MakeStripe(ways[stripe % ways.size()], parts, completions);
    }
    if (parts.carrier != parts.from)
    {
        m_port = parts.from->GetScaleUpPort();
        m_flow = ScaleUpPort::Connect(m_port,
                                      parts.carrier->GetScaleUpPort(),
                                      ScaleUpPort::DepartedCallback(),
                                      MakeCallback(&QueuePairConnection::HandToProxy, this));
    }
}

void
QueuePairConnection::MakeStripe(const NicWay& way,
                                const Parts& parts,
                                Ptr<CompletionQueue> completions)
{
    const auto& [own, other] = way;
    Stripe stripe{MakePair(*parts.carrier, own, completions),
                  MakePair(*parts.to, other, completions),
                  FindHostWay(*parts.carrier, *own),
                  FindHostWay(*parts.to, *other),
                  own->GetDataRate(),
                  other->GetDataRate()};
    QueuePair::Connect(stripe.sender, stripe.receiver);
    stripe.sender->SetWrittenCallback(MakeCallback(&QueuePairConnection::ClearToSend, this));
    m_stripes.push_back(stripe);
    const auto number = static_cast<uint32_t>(m_stripes.size() - 1);
    stripe.receiver->SetWrittenCallback(
        MakeCallback(&QueuePairConnection::DataWritten, this).Bind(number));
    for (uint32_t i = 0; i < POSTED_RECEIVES; ++i)
    {
        PostReceive(number);
    }
}

QueuePairConnection::HostWay
QueuePairConnection::FindHostWay(const GpuEndpoint& gpu, const FabricNetDevice& port)
{
    Ptr<PcieTree> tree = gpu.GetPcieTree();
    if (!tree)
    {
        return {};
    }
    uint32_t index = 0; // of the port among those of the server's NICs, which were installed first
    for (uint32_t d = 0; PeekPointer(gpu.GetNode()->GetDevice(d)) != &port; ++d)
    {
        index += DynamicCast<FabricNetDevice>(gpu.GetNode()->GetDevice(d)) ? 1 : 0;
    }
    return {tree, tree->GetGpu(gpu.GetLocalIndex()), tree->GetNic(index)};
}

void
QueuePairConnection::PostReceive(uint32_t stripe)
{
    ReceiveWorkRequest request;
    request.id = uint64_t{m_id} << 32 | stripe;
    CheckPosted("a receive", m_stripes[stripe].receiver->PostReceive(request));
}

void
QueuePairConnection::CheckPosted(const char* what, PostResult result)
{
    if (result != PostResult::POSTED)
    {
        Fail(std::string(what) + " was not posted: " + ToString(result));
    }
}

// ---------------------------------------------------------------- the sender

void
QueuePairConnection::Transmit(uint32_t, uint64_t bytes, int64_t pace, const MessageBatch& batch)
{
    if (m_batches)
    {
        GrowIfFull(m_batchOf);
        m_batchOf.push_back(batch);
    }
    if (m_port)
    {
        m_port->Send(m_flow, bytes, pace);
    }
    else
    {
        HandToProxyAfter(bytes, pace); // which posts what is whole
    }
}

void
QueuePairConnection::HandToProxy(uint64_t bytes)
{
    HandToProxyAfter(bytes, 0);
}

void
QueuePairConnection::HandToProxyAfter(uint64_t bytes, int64_t pace)
{
    TransmitByAll(bytes, m_posted++, pace);
}

void
QueuePairConnection::ProxyPosts()
{
    int64_t now = NowSteps();
    const int64_t work = GetCosts().GetProxyWork();
    while (!m_toPost.empty() && m_toPost.front().when <= now)
    {
        Passage& front = m_toPost.front();
        if (work > 0 && !front.served)
        {
            front.served = true;
            front.when = m_sendingProxy.Serve(now, work);
            break;
        }
        if (m_batches && !BatchIsComplete(front))
        {
            return; // until the others are there too
        }
        Passage message = front;
        message.inBatch = m_batches && m_batchOf.front().messages > 1;
        m_toPost.pop_front();
        if (Stripe& stripe = m_stripes[message.stripe]; stripe.ordering)
        {
            GrowIfFull(stripe.held);
            stripe.held.push_back(message);
        }
        else
        {
            Post(message);
        }
    }
    if (!m_toPost.empty())
    {
        m_proxyEvent.At(m_senderNode, m_toPost.front().when, now);
    }
}

bool
QueuePairConnection::BatchIsComplete(const Passage& message)
{
    for (; m_firstOfBatchOf != message.number; ++m_firstOfBatchOf)
    {
        m_batchOf.pop_front(); // all of it is posted
        m_departing.reset();
    }
    const MessageBatch& batch = m_batchOf.front();
    if (batch.messages <= 1 || (m_departing && m_departing->IsComplete()))
    {
        return true;
    }
    const uint32_t depth = std::clamp(SHARED_STEPS / batch.messages, 1U, PROTOCOL_STEPS);
    if (!m_departing && message.number - m_slotsFreed < depth)
    {
        m_departing = m_batches->departing.Join(batch, *this, NowSteps());
    }
    return m_departing && m_departing->IsComplete();
}

void
QueuePairConnection::BatchMayGo()
{
    m_proxyEvent.At(m_senderNode, NowSteps(), NowSteps());
}

void
QueuePairConnection::Post(const Passage& message)
{
    if (GetCosts().AnnouncesApart(message.bytes, message.inBatch))
    {
        Stripe& stripe = m_stripes[message.stripe];
        stripe.ordering = true;
        stripe.ordered = message;
        PostWrite(RdmaOperation::WRITE, message, message.stripe | APART);
    }
    else
    {
        PostWrite(RdmaOperation::WRITE_WITH_IMM, message, message.number);
    }
}

void
QueuePairConnection::PostWrite(RdmaOperation operation, const Passage& message, uint32_t id)
{
    SendWorkRequest request;
    request.id = uint64_t{m_id} << 32 | id;
    request.operation = operation;
    request.bytes = message.bytes;
    request.immediate = message.number | (message.inBatch ? IN_BATCH : 0);
    CheckPosted("a message", m_stripes[message.stripe].sender->PostSend(request));
}

void
QueuePairConnection::Acknowledged(uint32_t stripe)
{
    int64_t now = NowSteps();
    GrowIfFull(m_toAnnounce);
    m_toAnnounce.push_back({stripe, now + GetCosts().GetAdaptiveRoutingWait()});
    m_announceEvent.At(m_senderNode, m_toAnnounce.front().second, now);
}

void
QueuePairConnection::Announce()
{
    int64_t now = NowSteps();
    while (!m_toAnnounce.empty() && m_toAnnounce.front().second <= now)
    {
        Stripe& stripe = m_stripes[m_toAnnounce.front().first];
        m_toAnnounce.pop_front();
        stripe.ordering = false;
        Passage announcement = stripe.ordered;
        announcement.bytes = 0;
        PostWrite(RdmaOperation::WRITE_WITH_IMM, announcement, announcement.number);
        while (!stripe.held.empty() && !stripe.ordering)
        {
            Passage next = stripe.held.front();
            stripe.held.pop_front();
            Post(next);
        }
    }
    if (!m_toAnnounce.empty())
    {
        m_announceEvent.At(m_senderNode, m_toAnnounce.front().second, now);
    }
}

void
QueuePairConnection::TransmitByAll(uint64_t bytes, uint32_t number, int64_t pace)
{
    if (m_stripes.empty())
    {
        return; // it has failed
    }
    if (m_striping == Striping::ROUND_ROBIN || m_stripes.size() == 1)
    {
        TransmitBy(number % m_stripes.size(), bytes, number, pace);
        return;
    }
    constexpr uint64_t UNIT = 128;
    uint64_t units = (bytes + UNIT - 1) / UNIT;
    uint64_t part = (units + m_stripes.size() - 1) / m_stripes.size() * UNIT;
    for (uint32_t stripe = 0; stripe < m_stripes.size(); ++stripe)
    {
        uint64_t now = std::min(part, bytes);
        TransmitBy(stripe, now, number, pace);
        bytes -= now;
    }
}

void
QueuePairConnection::TransmitBy(uint32_t stripe, uint64_t bytes, uint32_t number, int64_t pace)
{
    int64_t now = NowSteps();
    int64_t when = now + pace + GetCosts().GetProxyPost();
    const Stripe& by = m_stripes[stripe];
    if (by.out.tree)
    {
        int64_t wire = by.nicOut.CalculateBytesTxTime(static_cast<uint32_t>(bytes)).GetTimeStep();
        when = std::max(when, by.out.tree->Book(by.out.gpu, by.out.nic, bytes, when) - wire);
    }
    if (!m_toPost.empty())
    {
        when = std::max(when, m_toPost.back().when); // in order
    }
    GrowIfFull(m_toPost);
    m_toPost.push_back({bytes, number, stripe, when});
    m_proxyEvent.At(m_senderNode, std::max(m_toPost.front().when, now), now);
}

void
QueuePairConnection::ClearToSend(uint64_t)
{
    ++m_slotsFreed;
    Freed(0);
    if (m_batches && !m_toPost.empty())
    {
        m_proxyEvent.At(m_senderNode, std::max(m_toPost.front().when, NowSteps()), NowSteps());
    }
}

// ---------------------------------------------------------------- the receiver

void
QueuePairConnection::ReturnSlot(uint32_t)
{
    if (m_stripes.empty())
    {
        return; // it has failed
    }
    m_arriving.reset();
    SendWorkRequest request;
    request.id = uint64_t{m_id} << 32 | CLEAR_TO_SEND;
    request.operation = RdmaOperation::WRITE;
    request.bytes = CLEAR_TO_SEND_BYTES;
    request.signaled = false;
    request.inlined = true;
    const Stripe& stripe = m_stripes[m_slotsReturned++ % m_stripes.size()];
    CheckPosted("a clear-to-send", stripe.receiver->PostSend(request));
}

void
QueuePairConnection::DataWritten(uint32_t stripe, uint64_t bytes)
{
    m_stripes[stripe].written += bytes;
}

void
QueuePairConnection::PartArrived(uint32_t stripe, uint64_t bytes, uint32_t immediate)
{
    const uint32_t number = immediate & ~IN_BATCH;
    int64_t now = NowSteps();
    int64_t when = now;
    const Stripe& by = m_stripes[stripe];
    if (by.in.tree)
    {
        int64_t wire = by.nicIn.CalculateBytesTxTime(static_cast<uint32_t>(bytes)).GetTimeStep();
        when = std::max(
            when,
            by.in.tree->Book(by.in.nic, by.in.gpu, bytes, std::max<int64_t>(0, now - wire)));
    }
    if (int64_t work = GetCosts().GetProxyWork(); work > 0 && (immediate & IN_BATCH) == 0)
    {
        when = std::max(when, m_receivingProxy.Serve(now, work));
    }
    if (!m_passing.empty())
    {
        when = std::max(when, m_passing.back().when); // in order
    }
    GrowIfFull(m_passing);
    m_passing.push_back({bytes, number, stripe, when});
    if (when == now)
    {
        ReportArrived();
    }
    else
    {
        m_arrivalEvent.At(GetNode(0), m_passing.front().when, now);
    }
}

int64_t
QueuePairConnection::GetArrivalOfAll(const MessageBatch& batch, int64_t arrival)
{
    if (!m_batches || batch.messages <= 1)
    {
        return arrival;
    }
    if (!m_arriving)
    {
        const int64_t work = GetCosts().GetProxyWork();
        const bool last = m_batches->arriving.IsNextTheLast(batch);
        const int64_t served =
            last && work > 0 ? m_receivingProxy.Serve(NowSteps(), work) : arrival;
        m_arriving = m_batches->arriving.Join(batch, *this, served);
    }
    return m_arriving->IsComplete() ? m_arriving->GetLatest() : NEVER;
}

void
QueuePairConnection::BatchHasCome()
{
    CheckFront(0);
}

void
QueuePairConnection::ReportArrived()
{
    int64_t now = NowSteps();
    while (!m_passing.empty() && m_passing.front().when <= now)
    {
        Passage part = m_passing.front();
        m_passing.pop_front();
        m_arrivals.Come(part.number, part.bytes, [this](uint64_t bytes) { Arrived(0, bytes); });
    }
    if (!m_passing.empty())
    {
        m_arrivalEvent.At(GetNode(0), m_passing.front().when, now);
    }
}

// ----------------------------------------------------------------

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
    else if (low == CLEAR_TO_SEND)
    {
        return;
    }
    else if (completion.opcode == WcOpcode::WRITE && (low & APART) != 0)
    {
        Acknowledged(low & ~APART);
    }
    else if (completion.opcode == WcOpcode::WRITE)
    {
        m_departures.Come(low, completion.bytes, [this](uint64_t) { Departed(0); });
    }
    else
    {
        PostReceive(low);
        uint64_t apart = std::exchange(m_stripes[low].written, 0);
        PartArrived(low, apart + completion.bytes, completion.immediate);
    }
}

std::string
QueuePairConnection::Describe() const
{
    if (m_stripes.empty())
    {
        return "the network";
    }
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
