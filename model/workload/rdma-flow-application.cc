// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-flow-application.h"

#include "ns3/abort.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowApplication);

TypeId
RdmaFlowApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaFlowApplication")
            .SetParent<Application>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaFlowApplication>()
            .AddAttribute("Bytes",
                          "Length of the flow.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaFlowApplication::m_bytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MessageBytes",
                          "Largest message that the flow is cut into.",
                          UintegerValue(wire::MAX_MESSAGE_BYTES),
                          MakeUintegerAccessor(&RdmaFlowApplication::m_messageBytes),
                          MakeUintegerChecker<uint64_t>(1, wire::MAX_MESSAGE_BYTES))
            .AddAttribute("FlowId",
                          "Number that the flow is reported by.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaFlowApplication::m_flowId),
                          MakeUintegerChecker<uint64_t>())
            .AddTraceSource("FlowComplete",
                            "The flow has ended.",
                            MakeTraceSourceAccessor(&RdmaFlowApplication::m_flowTrace),
                            "ns3::RdmaFlowApplication::FlowTracedCallback");
    return tid;
}

RdmaFlowApplication::RdmaFlowApplication()
    : m_completions(CreateObject<CompletionQueue>())
{
    m_completions->SetCallback(MakeCallback(&RdmaFlowApplication::MessageCompleted, this));
}

RdmaFlowApplication::~RdmaFlowApplication() = default;

void
RdmaFlowApplication::DoDispose()
{
    m_qp = nullptr;
    m_completions = nullptr;
    Application::DoDispose();
}

void
RdmaFlowApplication::SetQueuePair(Ptr<QueuePair> qp)
{
    m_qp = qp;
    qp->SetCompletionQueue(m_completions);
}

void
RdmaFlowApplication::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_qp, "RdmaFlowApplication: SetQueuePair was not called");
    m_started = NowSteps();
    m_left = std::max<uint64_t>(1, (m_bytes + m_messageBytes - 1) / m_messageBytes);
    uint64_t unsent = m_bytes;
    for (uint64_t i = m_left; i > 0; --i)
    {
        SendWorkRequest request;
        request.id = m_flowId;
        request.operation = RdmaOperation::WRITE;
        request.bytes = std::min(unsent, m_messageBytes);
        unsent -= request.bytes;
        PostResult result = m_qp->PostSend(request);
        NS_ABORT_MSG_UNLESS(result == PostResult::POSTED,
                            "RdmaFlowApplication: flow " << m_flowId
                                                         << " was refused: " << ToString(result));
    }
}

void
RdmaFlowApplication::StopApplication()
{
    // RDMA offers no way to call a posted message back: it runs to its end.
}

void
RdmaFlowApplication::MessageCompleted(const WorkCompletion& completion)
{
    if (m_status == WcStatus::SUCCESS)
    {
        m_status = completion.status;
    }
    if (--m_left == 0)
    {
        m_done = true;
        m_flowTrace({m_flowId, m_bytes, m_started, NowSteps(), m_status});
    }
}

} // namespace ns3
