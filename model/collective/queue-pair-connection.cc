// SPDX-License-Identifier: GPL-2.0-only
#include "queue-pair-connection.h"

#include "ns3/abort.h"
#include "ns3/rdma-stack.h"

#include <sstream>

namespace ns3
{

namespace
{

/// One is enough, as each is replaced when it completes; more would only take memory.
constexpr uint32_t POSTED_RECEIVES = 1;

Ptr<QueuePair>
MakePair(const GpuEndpoint& gpu, Ptr<CompletionQueue> completions)
{
    Ptr<RdmaStack> stack = gpu.GetNode()->GetObject<RdmaStack>();
    NS_ABORT_MSG_UNLESS(stack && gpu.GetNicPort(),
                        "QueuePairConnection: GPU " << gpu.GetId()
                                                    << " has no NIC with RDMA, and its peer is "
                                                       "not in its scale-up domain");
    return stack->CreateQueuePair(gpu.GetNicPort(), completions);
}

} // namespace

QueuePairConnection::QueuePairConnection(const Ends& ends,
                                         const GpuEndpoint& from,
                                         const GpuEndpoint& to,
                                         Ptr<CompletionQueue> completions,
                                         uint64_t id,
                                         FailureCallback failure)
    : CollectiveConnection(ends,
                           to.GetNode()->GetId(),
                           to.GetNetworkStepOverhead().GetTimeStep(),
                           std::move(failure)),
      m_id(id),
      m_sender(MakePair(from, completions)),
      m_receiver(MakePair(to, completions))
{
    QueuePair::Connect(m_sender, m_receiver);
    for (uint32_t i = 0; i < POSTED_RECEIVES; ++i)
    {
        PostReceive();
    }
}

void
QueuePairConnection::PostReceive()
{
    ReceiveWorkRequest request;
    request.id = m_id;
    PostResult result = m_receiver->PostReceive(request);
    if (result != PostResult::POSTED)
    {
        Fail(std::string("a receive was not posted: ") + ToString(result));
    }
}

void
QueuePairConnection::Transmit(uint64_t bytes, uint32_t number)
{
    SendWorkRequest request;
    request.id = m_id;
    request.operation = RdmaOperation::WRITE_WITH_IMM;
    request.bytes = bytes;
    request.immediate = number;
    PostResult result = m_sender->PostSend(request);
    if (result != PostResult::POSTED)
    {
        Fail(std::string("a message was not posted: ") + ToString(result));
    }
}

void
QueuePairConnection::SetJob(uint32_t job)
{
    m_sender->SetJob(job);
    m_receiver->SetJob(job);
}

void
QueuePairConnection::Completed(const WorkCompletion& completion)
{
    if (completion.status != WcStatus::SUCCESS)
    {
        Fail(std::string("a work request of ") + std::to_string(completion.bytes) +
             " B ended with status " + ToString(completion.status));
    }
    else if (completion.opcode == WcOpcode::WRITE)
    {
        Departed();
    }
    else
    {
        NS_ABORT_MSG_IF(completion.immediate != m_expected,
                        "QueuePairConnection: message " << completion.immediate << " came by "
                                                        << Describe() << " where message "
                                                        << m_expected << " was due");
        ++m_expected;
        PostReceive();
        Arrived(completion.bytes);
    }
}

std::string
QueuePairConnection::Describe() const
{
    std::ostringstream os;
    os << "queue pair " << m_sender->GetNumber() << " of "
       << Ipv4Address(m_sender->GetLocalAddress()) << " (to queue pair " << m_receiver->GetNumber()
       << " of " << Ipv4Address(m_receiver->GetLocalAddress()) << ")";
    return os.str();
}

} // namespace ns3
