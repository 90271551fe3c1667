// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-pacer.h"

#include "ns3/nstime.h"

#include <algorithm>

namespace ns3
{

void
RdmaPacer::Start(Ptr<RdmaCongestionOps> ops, const RdmaRateState& facts, bool repaces, int64_t now)
{
    m_ops = ops;
    m_rate = facts;
    m_repaces = repaces;
    m_ops->Init(m_rate, now);
    m_owedBytes = 0;
    m_nextSendTime = 0;
    m_lookAgain = false;
    SetPace(0);
}

void
RdmaPacer::Sent(uint32_t wireBytes, uint32_t payloadBytes, int64_t now)
{
    m_rate.sentBytes += payloadBytes;
    double before = m_rate.rateBps;
    m_ops->Sent(m_rate, wireBytes, now);
    SetPace(before);
    m_owedBytes = wireBytes;
    SetNextSendTime(now);
}

void
RdmaPacer::SetPace(double rateBefore)
{
    if (m_rate.rateBps != rateBefore)
    {
        double stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
        // At line rate the wire itself is the pace.
        m_stepsPerByte =
            m_rate.rateBps < m_rate.lineRateBps ? 8 * stepsPerSecond / m_rate.rateBps : 0.0;
    }
}

void
RdmaPacer::SetNextSendTime(int64_t now)
{
    m_owedAt = now;
    m_nextSendTime = now + static_cast<int64_t>(m_owedBytes * m_stepsPerByte);
    m_lookAgain = m_repaces && m_nextSendTime > now && m_ops->GetNextIncrease() < m_nextSendTime;
    if (m_lookAgain)
    {
        m_nextSendTime = std::max(m_ops->GetNextIncrease(), now + 1);
    }
}

void
RdmaPacer::Repace(int64_t now, double rateBefore)
{
    if (!m_repaces)
    {
        SetPace(rateBefore); // of the next frame; the one that waits has its time
        return;
    }
    // What has been waited for at the old rate stays waited for.
    double paid =
        m_stepsPerByte > 0 ? static_cast<double>(now - m_owedAt) / m_stepsPerByte : m_owedBytes;
    m_owedBytes = std::max(0.0, m_owedBytes - paid);
    m_ops->Advance(m_rate, now);
    SetPace(rateBefore);
    SetNextSendTime(now);
}

bool
RdmaPacer::MaySend(int64_t now)
{
    CatchUp(now);
    return m_nextSendTime <= now;
}

void
RdmaPacer::CatchUp(int64_t now)
{
    while (m_lookAgain && m_nextSendTime <= now)
    {
        Repace(m_nextSendTime,
               m_rate.rateBps); // each at its own time: the rate differs before and after
    }
}

void
RdmaPacer::Resumed(int64_t now)
{
    Tell(now, [=](RdmaCongestionOps& ops, RdmaRateState& rate) { ops.Resumed(rate, now); });
}

void
RdmaPacer::Acked(const RdmaAckSignal& signal)
{
    Tell(signal.now, [&](RdmaCongestionOps& ops, RdmaRateState& rate) { ops.Acked(rate, signal); });
}

void
RdmaPacer::Trimmed(const RdmaAckSignal& signal)
{
    Tell(signal.now,
         [&](RdmaCongestionOps& ops, RdmaRateState& rate) { ops.Trimmed(rate, signal); });
}

void
RdmaPacer::CnpReceived(int64_t now)
{
    Tell(now, [=](RdmaCongestionOps& ops, RdmaRateState& rate) { ops.CnpReceived(rate, now); });
}

void
RdmaPacer::NakReceived(int64_t now)
{
    Tell(now, [=](RdmaCongestionOps& ops, RdmaRateState& rate) { ops.NakReceived(rate, now); });
}

void
RdmaPacer::TimedOut(int64_t now)
{
    Tell(now, [=](RdmaCongestionOps& ops, RdmaRateState& rate) { ops.TimedOut(rate, now); });
}

void
RdmaPacer::CreditReceived(uint64_t bytes, int64_t now)
{
    Tell(now, [=](RdmaCongestionOps& ops, RdmaRateState& rate) {
        ops.CreditReceived(rate, bytes, now);
    });
}

} // namespace ns3
