// SPDX-License-Identifier: GPL-2.0-only
#include "dctcp-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/enum-attribute.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DctcpCongestionOps);

TypeId
DctcpCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DctcpCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<DctcpCongestionOps>()
            .AddAttribute("Form",
                          "What it sets: a window, paced over the base round trip (the paper), or "
                          "a rate (the HPCC simulator).",
                          EnumValue(WINDOW),
                          MakeEnumAccessorFor<int>(&DctcpCongestionOps::m_form),
                          MakeEnumChecker(WINDOW, "Window", RATE, "Rate"))
            .AddAttribute("Gain",
                          "g, the weight of one window's share of marked bytes in alpha.",
                          DoubleValue(1.0 / 16),
                          MakeDoubleAccessor(&DctcpCongestionOps::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha at the start: 1, so that the first mark is answered as TCP does.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DctcpCongestionOps::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("RateAi",
                          "Form Rate: additive increase, each round trip.",
                          DataRateValue(DataRate("615Mbps")),
                          MakeDataRateAccessor(&DctcpCongestionOps::m_rateAi),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Form Rate: no cut goes below.",
                          DataRateValue(DataRate("100Mbps")),
                          MakeDataRateAccessor(&DctcpCongestionOps::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("MinWindow",
                          "Form Window: no cut goes below; full frames.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DctcpCongestionOps::m_minWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("InitialWindow",
                          "Form Window: the first window, full frames, and slow start from there "
                          "to the first mark. 0: what line rate sends in the base round trip, and "
                          "no slow start, as RDMA starts.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&DctcpCongestionOps::m_initialWindow),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

std::string
DctcpCongestionOps::GetName() const
{
    return "dctcp";
}

Ptr<RdmaCongestionOps>
DctcpCongestionOps::Fork() const
{
    return CopyObject<DctcpCongestionOps>(this);
}

RdmaFeedback
DctcpCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    feedback.ecnEcho = true;
    return feedback;
}

void
DctcpCongestionOps::Init(RdmaRateState& state, int64_t)
{
    m_alpha = m_initialAlpha;
    state.rateBps = state.lineRateBps;
    if (m_form == RATE)
    {
        return;
    }
    m_baseRtt = GetBaseRttSteps(state);
    double product = FramesIn(state.lineRateBps, m_baseRtt, state.frameBytes);
    bool slowStart = m_initialWindow > 0;
    m_window = std::max(slowStart ? m_initialWindow : product, m_minWindow);
    m_slowStartUntil = slowStart ? std::numeric_limits<double>::infinity() : 0.0;
    Apply(state);
}

void
DctcpCongestionOps::Acked(RdmaRateState& state, const RdmaAckSignal& signal)
{
    m_inFlightBytes = signal.inFlightBytes;
    m_ackedBytes += signal.ackedBytes;
    m_markedBytes += signal.ecnEcho ? signal.ackedBytes : 0;
    m_cutRound.Take(signal.ackedBytes);
    m_round.Take(signal.ackedBytes);
    bool roundEnds = m_round.IsOver() && m_ackedBytes > 0;
    if (roundEnds)
    {
        EndRound();
    }
    if (!m_cutRound.IsOver())
    {
        return;
    }
    if (signal.ecnEcho)
    {
        Cut(state, 1 - m_alpha / 2);
    }
    else
    {
        Grow(state, signal, roundEnds);
    }
}

void
DctcpCongestionOps::EndRound()
{
    // What the first answer acknowledges belongs to the round that it begins.
    if (m_counting)
    {
        double share = static_cast<double>(m_markedBytes) / static_cast<double>(m_ackedBytes);
        m_alpha = (1 - m_gain) * m_alpha + m_gain * share;
        m_ackedBytes = m_markedBytes = 0;
    }
    m_counting = true;
    m_round.Start(m_inFlightBytes);
}

void
DctcpCongestionOps::Cut(RdmaRateState& state, double factor)
{
    m_cutRound.Start(m_inFlightBytes);
    if (m_form == RATE)
    {
        double floor = std::min(static_cast<double>(m_minRate.GetBitRate()), state.lineRateBps);
        state.rateBps = std::max(state.rateBps * factor, floor);
        return;
    }
    m_window = std::max(m_window * factor, m_minWindow);
    m_slowStartUntil = m_window;
    Apply(state);
}

void
DctcpCongestionOps::Grow(RdmaRateState& state, const RdmaAckSignal& signal, bool roundEnds)
{
    if (m_form == RATE)
    {
        double step = roundEnds ? static_cast<double>(m_rateAi.GetBitRate()) : 0.0;
        state.rateBps = std::min(state.rateBps + step, state.lineRateBps);
        return;
    }
    // Who cannot send faster must not collect a window that no cut would reach.
    uint64_t used = signal.inFlightBytes + signal.ackedBytes + state.mtuBytes;
    if (state.rateBps >= state.lineRateBps && used <= state.windowBytes)
    {
        return;
    }
    double acked = static_cast<double>(signal.ackedBytes) / state.mtuBytes;
    m_window += m_window < m_slowStartUntil ? acked : acked / m_window;
    Apply(state);
}

void
DctcpCongestionOps::NakReceived(RdmaRateState& state, int64_t)
{
    if (m_cutRound.IsOver())
    {
        Cut(state, 0.5);
    }
}

void
DctcpCongestionOps::TimedOut(RdmaRateState& state, int64_t)
{
    Cut(state, 0.5);
    if (m_form == WINDOW)
    {
        m_window = m_minWindow; // and slow start to the half
        Apply(state);
    }
}

void
DctcpCongestionOps::Apply(RdmaRateState& state)
{
    double bytes = std::max(m_window * state.mtuBytes, 1.0);
    state.windowBytes = static_cast<uint64_t>(bytes);
    state.rateBps = std::min(RateOf(m_window, m_baseRtt, state.frameBytes), state.lineRateBps);
}

} // namespace ns3
