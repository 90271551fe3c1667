// SPDX-License-Identifier: GPL-2.0-only
#include "perftest-side.h"

#include "ns3/abort.h"
#include "ns3/enum.h"
#include "ns3/rdma-nic.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{
constexpr uint64_t ATOMIC_OPERAND = 1;
} // namespace

PerftestSide::~PerftestSide()
{
    Clear();
}

void
PerftestSide::Clear()
{
    for (Ptr<CompletionQueue>* queue : {&m_sends, &m_receives})
    {
        if (*queue)
        {
            (*queue)->SetCallback({});
        }
    }
    if (m_nic)
    {
        m_nic->TraceDisconnectWithoutContext("Written", MakeCallback(&PerftestSide::Written, this));
    }
    m_nic = nullptr;
    m_ends.clear();
    m_indexOf.clear();
    m_sends = nullptr;
    m_receives = nullptr;
}

void
PerftestSide::Create(const PerftestConfig& config, Ptr<RdmaStack> stack, Ptr<FabricNetDevice> port)
{
    m_config = config;
    // What is posted once fits all sizes of the sweep.
    m_room = *std::max_element(config.sizes.begin(), config.sizes.end()) +
             (PerftestQpType(config) == QpType::UD ? UD_RECEIVE_HEADER_BYTES : 0);
    m_sends = CreateObject<CompletionQueue>();
    m_sends->SetCallback(MakeCallback(&PerftestSide::Sent, this));
    m_receives = CreateObject<CompletionQueue>();
    m_receives->SetCallback(MakeCallback(&PerftestSide::Received, this));
    m_nic = stack->GetNic(port);
    for (uint32_t i = 0; i < config.queuePairs; ++i)
    {
        Ptr<QueuePair> qp = stack->CreateQueuePair(port, m_sends);
        qp->SetReceiveCompletionQueue(m_receives);
        qp->SetAttribute("Type", EnumValue(static_cast<int>(PerftestQpType(config))));
        qp->SetAttribute("MaxInline", UintegerValue(*config.inlineBytes));
        qp->SetAttribute("MaxReads", UintegerValue(config.outstandingReads));
        qp->SetAttribute("MaxIncomingReads", UintegerValue(config.outstandingReads));
        End end;
        end.qp = qp;
        end.request.id = i;
        end.request.operation = PerftestOperation(config);
        end.request.compare = ATOMIC_OPERAND;
        end.request.swapOrAdd = ATOMIC_OPERAND;
        m_ends.push_back(end);
        m_indexOf.resize(std::max<size_t>(m_indexOf.size(), qp->GetNumber() + 1));
        m_indexOf[qp->GetNumber()] = i + 1;
    }
    m_nic->TraceConnectWithoutContext("Written", MakeCallback(&PerftestSide::Written, this));
}

void
PerftestSide::Connect(const PerftestConfig& config, PerftestSide& a, PerftestSide& b)
{
    for (uint32_t i = 0; i < a.GetN(); ++i)
    {
        Ptr<QueuePair> one = a.m_ends[i].qp;
        Ptr<QueuePair> other = b.m_ends[i].qp;
        if (PerftestQpType(config) != QpType::UD)
        {
            QueuePair::Connect(one, other);
            continue;
        }
        for (PerftestSide* side : {&a, &b})
        {
            End& end = side->m_ends[i];
            QpRemote remote = (side == &a ? other : one)->GetLocal();
            for (QpState state : {QpState::INIT, QpState::RTR, QpState::RTS})
            {
                ModifyResult result = end.qp->Modify(state);
                NS_ABORT_MSG_UNLESS(result == ModifyResult::MODIFIED, end.qp->Explain(result));
            }
            end.request.path = end.qp->CreateAddressHandle(remote.address, remote.mac);
            end.request.remoteQp = remote.qpNumber;
        }
        a.m_ends[i].request.qkey = other->GetQkey();
        b.m_ends[i].request.qkey = one->GetQkey();
    }
}

void
PerftestSide::SetMessage(uint64_t bytes)
{
    bool mayBeInline = !ReturnsData(PerftestOperation(m_config));
    for (End& end : m_ends)
    {
        end.request.bytes = bytes;
        end.request.inlined = mayBeInline && bytes <= *m_config.inlineBytes;
    }
}

void
PerftestSide::Send(uint32_t pair, bool signaled)
{
    End& end = m_ends[pair];
    end.request.signaled = signaled;
    PostResult result = end.qp->PostSend(end.request);
    if (result != PostResult::POSTED)
    {
        m_errorHandler(end.qp->Explain(result));
    }
}

void
PerftestSide::FillReceives()
{
    for (uint32_t pair = 0; pair < m_ends.size() && IsSend(PerftestOperation(m_config)); ++pair)
    {
        FillReceives(pair);
    }
}

void
PerftestSide::FillReceives(uint32_t pair)
{
    End& end = m_ends[pair];
    ReceiveWorkRequest request;
    request.id = pair;
    request.bytes = m_room;
    for (; end.receives < m_config.rxDepth; ++end.receives)
    {
        PostResult result = end.qp->PostReceive(request);
        if (result != PostResult::POSTED)
        {
            m_errorHandler(end.qp->Explain(result));
            return;
        }
    }
}

void
PerftestSide::Sent(const WorkCompletion& completion)
{
    if (completion.status != WcStatus::SUCCESS)
    {
        m_errorHandler(std::string("a message ended with ") + ToString(completion.status));
    }
    else if (m_sendHandler)
    {
        m_sendHandler(static_cast<uint32_t>(completion.id), completion);
    }
}

void
PerftestSide::Received(const WorkCompletion& completion)
{
    if (completion.status != WcStatus::SUCCESS)
    {
        m_errorHandler(std::string("a receive ended with ") + ToString(completion.status));
        return;
    }
    auto pair = static_cast<uint32_t>(completion.id);
    --m_ends[pair].receives;
    FillReceives(pair);
    if (m_arrivalHandler)
    {
        m_arrivalHandler(pair);
    }
}

void
PerftestSide::Written(const QueuePair& qp, uint64_t)
{
    bool mine = qp.GetNumber() < m_indexOf.size() && m_indexOf[qp.GetNumber()] > 0;
    if (mine && m_arrivalHandler && PerftestOperation(m_config) == RdmaOperation::WRITE)
    {
        m_arrivalHandler(m_indexOf[qp.GetNumber()] - 1);
    }
}

} // namespace ns3
