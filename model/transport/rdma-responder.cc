// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-responder.h"

#include "psn.h"
#include "rdma-nic.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaResponder");

RdmaResponder::RdmaResponder(QueuePair& qp)
    : m_qp(qp)
{
}

void
RdmaResponder::Connect(uint64_t initialPsn)
{
    m_expected = initialPsn;
}

void
RdmaResponder::Post(const ReceiveWorkRequest& request)
{
    constexpr size_t FIRST_CAPACITY = 4;
    if (m_receives.full())
    {
        m_receives.set_capacity(std::max(FIRST_CAPACITY, 2 * m_receives.capacity()));
    }
    m_receives.push_back(request);
}

void
RdmaResponder::ReceiveData(const FabricFrame& frame)
{
    if (frame.ecn == EcnField::CE)
    {
        NotifyCongestion(frame);
    }
    uint64_t psn = ExpandPsn(frame.psn, m_expected);
    if (psn == m_expected)
    {
        RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
        if (!Accept(frame, traits))
        {
            return;
        }
        m_nakSent = false;
        ++m_expected;
        m_messageBytes += frame.payloadBytes;
        if (traits.last)
        {
            ++m_messages; // the ACK carries the new MSN
        }
        if (frame.ackRequest)
        {
            Answer(frame, MakeSyndrome(AethKind::ACK, AETH_CREDIT_INVALID), psn);
        }
        if (traits.last)
        {
            Deliver(frame, traits);
        }
    }
    else if (psn > m_expected)
    {
        if (!m_nakSent)
        {
            m_nakSent = true;
            ++m_qp.GetNic().Count().naksSent;
            auto code = static_cast<uint8_t>(NakCode::PSN_SEQUENCE_ERROR);
            Answer(frame, MakeSyndrome(AethKind::NAK, code), m_expected);
        }
    }
    else if (frame.ackRequest)
    {
        // A duplicate: its acknowledgement was lost. Say again how far we are.
        Answer(frame, MakeSyndrome(AethKind::ACK, AETH_CREDIT_INVALID), m_expected - 1);
    }
}

bool
RdmaResponder::Accept(const FabricFrame& frame, RdmaOpcodeTraits traits)
{
    // A SEND needs room from its first frame on, an immediate when it comes.
    bool needsReceive = (traits.send && traits.first) || (traits.write && traits.hasImmediate);
    if (needsReceive && m_receives.empty())
    {
        m_nakSent = true; // what follows is out of order: no further NAK
        ++m_qp.GetNic().Count().rnrNaksSent;
        Answer(frame, MakeSyndrome(AethKind::RNR_NAK, m_qp.GetMinRnrTimer()), m_expected);
        return false;
    }
    if (traits.first)
    {
        m_messageBytes = 0;
    }
    if (traits.send && m_messageBytes + frame.payloadBytes > m_receives.front().bytes)
    {
        m_nakSent = true;
        ++m_qp.GetNic().Count().naksSent;
        auto code = static_cast<uint8_t>(NakCode::INVALID_REQUEST);
        Answer(frame, MakeSyndrome(AethKind::NAK, code), m_expected);
        return false;
    }
    return true;
}

void
RdmaResponder::Deliver(const FabricFrame& frame, RdmaOpcodeTraits traits)
{
    m_deliveredBytes += m_messageBytes;
    if (!traits.send && !traits.hasImmediate)
    {
        return; // a plain WRITE is silent at its target
    }
    WorkCompletion completion;
    completion.id = m_receives.front().id;
    m_receives.pop_front();
    completion.opcode = traits.send ? WcOpcode::RECV : WcOpcode::RECV_WRITE_IMM;
    completion.bytes = m_messageBytes;
    completion.hasImmediate = traits.hasImmediate;
    completion.immediate = frame.immediate;
    m_qp.Complete(completion);
}

void
RdmaResponder::Answer(const FabricFrame& frame, uint8_t syndrome, uint64_t psn)
{
    FramePtr ack = FabricFrame::Create();
    ack->opcode = RdmaOpcode::RC_ACK;
    ack->syndrome = syndrome;
    ack->psn = static_cast<uint32_t>(psn) & wire::MASK_24;
    ack->msn = static_cast<uint32_t>(m_messages) & wire::MASK_24;
    ack->journey = frame.journey;
    ack->sentTime = frame.sentTime;
    m_qp.FillAddresses(*ack);
    m_qp.GetNic().Count().acksSent += SyndromeKind(syndrome) == AethKind::ACK;
    m_qp.GetNic().SendControl(std::move(ack));
}

void
RdmaResponder::NotifyCongestion(const FabricFrame& frame)
{
    int64_t now = NowSteps();
    if (now < m_nextCnp)
    {
        return;
    }
    m_nextCnp = now + m_qp.GetNic().GetCnpIntervalSteps();
    FramePtr cnp = FabricFrame::Create();
    cnp->opcode = RdmaOpcode::CNP;
    cnp->becn = true;
    cnp->pkey = frame.pkey;
    m_qp.FillAddresses(*cnp);
    m_qp.GetNic().SendCnp(std::move(cnp));
}

void
RdmaResponder::Fail()
{
    while (!m_receives.empty())
    {
        WorkCompletion completion;
        completion.id = m_receives.front().id;
        completion.status = WcStatus::FLUSHED;
        completion.opcode = WcOpcode::RECV;
        m_receives.pop_front();
        m_qp.Complete(completion);
    }
}

} // namespace ns3
