// SPDX-License-Identifier: GPL-2.0-only
#include "delay-gradient-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/enum-attribute.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DelayGradientCongestionOps);

TypeId
DelayGradientCongestionOps::GetTypeId()
{
    using Ops = DelayGradientCongestionOps;
    static TypeId tid =
        TypeId("ns3::DelayGradientCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddAttribute("Alpha",
                          "Weight of a new difference of round trips in their moving average.",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&Ops::m_alpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MinRtt",
                          "What the average difference is divided by to be the gradient; 0: the "
                          "base round trip.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&Ops::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TLow",
                          "Below this round trip the rate grows, whatever the gradient is.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&Ops::m_low),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("THigh",
                          "Above this round trip the rate is cut, whatever the gradient is.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&Ops::m_high),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RateAi",
                          "delta, the step of additive increase.",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&Ops::m_rateAi),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "No cut goes below.",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&Ops::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("MinDecreaseFactor",
                          "One event leaves at least this share of the rate; 0: the algorithm's "
                          "text, without a bound.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Ops::m_minDecreaseFactor),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialRateShare",
                          "A pair starts at this share of line rate.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Ops::m_initialShare),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Completion",
                          "What is a completion event: Segment bytes are acknowledged, or a window "
                          "of data is.",
                          EnumValue(SEGMENT),
                          MakeEnumAccessorFor<int>(&Ops::m_completion),
                          MakeEnumChecker(SEGMENT, "Segment", ROUND, "Round"))
            .AddAttribute("Segment",
                          "Payload bytes of a segment; 0: each acknowledgement is an event.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&Ops::m_segmentBytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

RdmaFeedback
DelayGradientCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    return feedback;
}

void
DelayGradientCongestionOps::Init(RdmaRateState& state, int64_t)
{
    int64_t steps = m_minRtt.IsZero() ? GetBaseRttSteps(state) : m_minRtt.GetTimeStep();
    m_minRttSteps = static_cast<double>(steps);
    double floor = std::min(static_cast<double>(m_minRate.GetBitRate()), state.lineRateBps);
    state.rateBps = std::max(state.lineRateBps * m_initialShare, floor);
}

void
DelayGradientCongestionOps::Acked(RdmaRateState& state, const RdmaAckSignal& signal)
{
    if (!IsCompletion(signal))
    {
        return;
    }
    int64_t rtt = signal.rttSteps;
    if (m_lastRtt > 0)
    {
        double difference = static_cast<double>(rtt - m_lastRtt);
        m_averageDifference = (1 - m_alpha) * m_averageDifference + m_alpha * difference;
        m_gradient = m_averageDifference / m_minRttSteps;
        NoteEvent(rtt);
        double floor = std::max(static_cast<double>(m_minRate.GetBitRate()),
                                state.rateBps * m_minDecreaseFactor);
        double rate = std::max(NextRate(state.rateBps, rtt), floor);
        state.rateBps = std::min(rate, state.lineRateBps);
    }
    m_lastRtt = rtt;
}

bool
DelayGradientCongestionOps::IsCompletion(const RdmaAckSignal& signal)
{
    if (signal.ackedBytes == 0)
    {
        return false;
    }
    if (m_completion == ROUND)
    {
        m_round.Take(signal.ackedBytes);
        bool over = m_round.IsOver();
        if (over)
        {
            m_round.Start(signal.inFlightBytes);
        }
        return over;
    }
    m_ackedBytes += signal.ackedBytes;
    if (m_ackedBytes < m_segmentBytes)
    {
        return false;
    }
    m_ackedBytes = m_segmentBytes > 0 ? m_ackedBytes % m_segmentBytes : 0;
    return true;
}

double
DelayGradientCongestionOps::NextRate(double rateBps, int64_t rttSteps) const
{
    if (rttSteps < GetLowSteps())
    {
        return rateBps + GetStepBelow();
    }
    if (rttSteps > GetHighSteps())
    {
        double share = static_cast<double>(GetHighSteps()) / static_cast<double>(rttSteps);
        return rateBps * (1 - GetBeta() * (1 - share));
    }
    return ChangeBetween(rateBps, rttSteps);
}

void
DelayGradientCongestionOps::NoteEvent(int64_t)
{
}

double
DelayGradientCongestionOps::GetStepBelow() const
{
    return GetRateAi();
}

} // namespace ns3
