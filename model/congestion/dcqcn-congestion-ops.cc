// SPDX-License-Identifier: GPL-2.0-only
#include "dcqcn-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DcqcnCongestionOps);

namespace
{

/// Below it (2^-60) alpha counts as 0: neither 1 - alpha/2 nor g + (1 - g) alpha can tell.
constexpr double NEGLIGIBLE_ALPHA = 1.0 / (uint64_t{1} << 60);

/// Halving never arrives: a rate this close (relative) to line rate is line rate.
constexpr double LINE_RATE_TOLERANCE = 1e-6;

} // namespace

TypeId
DcqcnCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DcqcnCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<DcqcnCongestionOps>()
            .AddAttribute("Gain",
                          "g, the weight of one observation in alpha.",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&DcqcnCongestionOps::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha at the first CNP.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&DcqcnCongestionOps::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AlphaInterval",
                          "The alpha timer: alpha decays after each such time without a CNP.",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&DcqcnCongestionOps::m_alphaInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RateIncreaseInterval",
                          "The increase timer: the rate grows after each such time without a cut.",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&DcqcnCongestionOps::m_increaseInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RateDecreaseInterval",
                          "Shortest time between two cuts of the rate; 0: each CNP cuts.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&DcqcnCongestionOps::m_decreaseInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ByteCounter",
                          "The rate grows after so many bytes on the wire without a cut (preamble "
                          "and gap included); 0 switches the byte counter off.",
                          UintegerValue(10000000),
                          MakeUintegerAccessor(&DcqcnCongestionOps::m_byteCounter),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("FastRecoveryTimes",
                          "F: increases of fast recovery, before the target itself is raised.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&DcqcnCongestionOps::m_fastRecovery),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RateAi",
                          "Additive increase of the target.",
                          DataRateValue(DataRate("40Mbps")),
                          MakeDataRateAccessor(&DcqcnCongestionOps::m_rateAi),
                          MakeDataRateChecker())
            .AddAttribute("RateHai",
                          "Hyper increase of the target.",
                          DataRateValue(DataRate("200Mbps")),
                          MakeDataRateAccessor(&DcqcnCongestionOps::m_rateHai),
                          MakeDataRateChecker())
            .AddAttribute(
                "HyperIncreaseGrows",
                "The i-th hyper increase is i x RateHai, as in QCN; else each is RateHai.",
                BooleanValue(true),
                MakeBooleanAccessor(&DcqcnCongestionOps::m_hyperGrows),
                MakeBooleanChecker())
            .AddAttribute("MinRate",
                          "No cut goes below.",
                          DataRateValue(DataRate("100Mbps")),
                          MakeDataRateAccessor(&DcqcnCongestionOps::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("MinDecreaseFactor",
                          "A cut leaves at least this share of the rate.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&DcqcnCongestionOps::m_minDecreaseFactor),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("ClampTargetRate",
                          "Each cut lowers the target to the rate before it. Without, only a cut "
                          "after an increase by the byte counter does.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&DcqcnCongestionOps::m_clampTarget),
                          MakeBooleanChecker())
            .AddAttribute("ClampTargetRateAfterIncrease",
                          "Without ClampTargetRate: so does a cut after an increase by the timer.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DcqcnCongestionOps::m_clampTargetAfterIncrease),
                          MakeBooleanChecker())
            .AddAttribute("TimerDriven",
                          "A CNP only sets a flag. Timers that run from the first CNP on look at "
                          "it: alpha's each AlphaInterval, the cut's each RateDecreaseInterval.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DcqcnCongestionOps::m_timerDriven),
                          MakeBooleanChecker())
            .AddAttribute("CnpByEcnEcho",
                          "There are no CNP frames: an answer to a marked frame says so itself, "
                          "and is a CNP. For comparison with simulators that do it so.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DcqcnCongestionOps::m_cnpByEcnEcho),
                          MakeBooleanChecker());
    return tid;
}

std::string
DcqcnCongestionOps::GetName() const
{
    return "dcqcn";
}

Ptr<RdmaCongestionOps>
DcqcnCongestionOps::Fork() const
{
    return CopyObject<DcqcnCongestionOps>(this);
}

RdmaFeedback
DcqcnCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = !m_cnpByEcnEcho;
    feedback.ecnEcho = m_cnpByEcnEcho;
    return feedback;
}

void
DcqcnCongestionOps::Init(RdmaRateState& state, int64_t)
{
    m_alpha = m_initialAlpha;
    m_target = state.rateBps = state.lineRateBps;
}

void
DcqcnCongestionOps::Sent(RdmaRateState& state, uint32_t wireBytes, int64_t now)
{
    if (!m_recovering && !m_cnpForCut)
    {
        return;
    }
    Advance(state, now);
    if (m_byteCounter == 0)
    {
        return;
    }
    m_bytesSent += wireBytes;
    while (m_recovering && m_bytesSent >= m_byteCounter)
    {
        m_bytesSent -= m_byteCounter;
        IncreaseRate(state);
        ++m_byteStage;
    }
}

void
DcqcnCongestionOps::Acked(RdmaRateState& state, const RdmaAckSignal& signal)
{
    if (m_cnpByEcnEcho && signal.ecnEcho)
    {
        CnpReceived(state, signal.now);
    }
}

void
DcqcnCongestionOps::CnpReceived(RdmaRateState& state, int64_t now)
{
    Advance(state, now);
    if (m_timerDriven)
    {
        m_cnpForCut = true;
        m_cnpForAlpha = m_started; // InitialAlpha stands for the first CNP
        if (!m_started)
        {
            m_alphaDue = now + m_alphaInterval.GetTimeStep();
            m_cutDue = now + CutPeriod();
        }
    }
    else
    {
        if (now >= m_cutDue)
        {
            CutRate(state, now);
            m_alpha = (1 - m_gain) * m_alpha + m_gain;
            m_cutDue = now + m_decreaseInterval.GetTimeStep();
        }
        m_alphaDue = now + m_alphaInterval.GetTimeStep();
    }
    m_started = true;
}

void
DcqcnCongestionOps::Advance(RdmaRateState& state, int64_t now)
{
    if (!m_started)
    {
        return;
    }
    if (m_timerDriven && m_cutDue <= now)
    {
        if (m_cnpForCut)
        {
            m_cnpForCut = false;
            AdvanceAlpha(m_cutDue);
            AdvanceIncrease(state, m_cutDue);
            CutRate(state, m_cutDue);
        }
        m_cutDue += TicksUntil(now, m_cutDue, CutPeriod()) * CutPeriod();
    }
    AdvanceAlpha(now);
    AdvanceIncrease(state, now);
}

int64_t
DcqcnCongestionOps::GetNextIncrease() const
{
    return m_recovering ? m_increaseDue : INT64_MAX;
}

int64_t
DcqcnCongestionOps::TicksUntil(int64_t now, int64_t due, int64_t period)
{
    return due > now ? 0 : (now - due) / period + 1;
}

int64_t
DcqcnCongestionOps::CutPeriod() const
{
    return std::max<int64_t>(m_decreaseInterval.GetTimeStep(), 1);
}

void
DcqcnCongestionOps::AdvanceAlpha(int64_t now)
{
    int64_t period = m_alphaInterval.GetTimeStep();
    int64_t ticks = TicksUntil(now, m_alphaDue, period);
    m_alphaDue += ticks * period;
    if (ticks > 0 && m_cnpForAlpha)
    {
        m_cnpForAlpha = false;
        m_alpha = (1 - m_gain) * m_alpha + m_gain;
        --ticks;
    }
    // Multiplied step by step, not by a power: so it does not matter how often we are called, nor
    // whose mathematical library this is.
    for (; ticks > 0 && m_alpha > 0; --ticks)
    {
        m_alpha *= 1 - m_gain;
        if (m_alpha < NEGLIGIBLE_ALPHA)
        {
            m_alpha = 0;
        }
    }
}

void
DcqcnCongestionOps::AdvanceIncrease(RdmaRateState& state, int64_t now)
{
    int64_t period = m_increaseInterval.GetTimeStep();
    while (m_recovering && m_increaseDue <= now)
    {
        if (state.rateBps == m_target && m_rateAi.GetBitRate() == 0 && m_rateHai.GetBitRate() == 0)
        {
            int64_t ticks = TicksUntil(now, m_increaseDue, period); // that change nothing
            m_timeStage += ticks;
            m_increaseDue += ticks * period;
            return;
        }
        IncreaseRate(state);
        ++m_timeStage;
        m_increaseDue += period;
    }
}

void
DcqcnCongestionOps::CutRate(RdmaRateState& state, int64_t now)
{
    if (m_clampTarget || m_byteStage > 0 || (m_clampTargetAfterIncrease && m_timeStage > 0))
    {
        m_target = state.rateBps;
    }
    double factor = std::max(1 - m_alpha / 2, m_minDecreaseFactor);
    double floor = std::min(static_cast<double>(m_minRate.GetBitRate()), state.lineRateBps);
    state.rateBps = std::max(state.rateBps * factor, floor);
    m_recovering = true;
    m_timeStage = m_byteStage = 0;
    m_bytesSent = 0;
    m_increaseDue = now + m_increaseInterval.GetTimeStep();
}

void
DcqcnCongestionOps::IncreaseRate(RdmaRateState& state)
{
    // Counts are those before this event, so that fast recovery has F events. Without the byte
    // counter the timer counts for both.
    uint64_t byteStage = m_byteCounter > 0 ? m_byteStage : m_timeStage;
    uint64_t both = std::min(m_timeStage, byteStage);
    if (both > m_fastRecovery)
    {
        double times = m_hyperGrows ? static_cast<double>(both - m_fastRecovery) : 1.0;
        m_target += times * static_cast<double>(m_rateHai.GetBitRate());
    }
    else if (std::max(m_timeStage, byteStage) >= m_fastRecovery)
    {
        m_target += static_cast<double>(m_rateAi.GetBitRate());
    }
    m_target = std::min(m_target, state.lineRateBps);
    state.rateBps = (m_target + state.rateBps) / 2;
    if (state.rateBps > state.lineRateBps * (1 - LINE_RATE_TOLERANCE))
    {
        state.rateBps = m_target = state.lineRateBps;
        m_recovering = false; // nothing is left to recover
    }
}

} // namespace ns3
