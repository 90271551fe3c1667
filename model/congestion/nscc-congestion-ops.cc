// SPDX-License-Identifier: GPL-2.0-only
#include "nscc-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NsccCongestionOps);

namespace
{

/// The network that the specification's constants are for.
constexpr double REFERENCE_BPS = 100e9;
constexpr double REFERENCE_RTT_SECONDS = 12e-6;

} // namespace

TypeId
NsccCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NsccCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<NsccCongestionOps>()
            .AddAttribute("TargetQueueDelay",
                          "Target of the queueing delay (target_Qdelay); 0: the base round trip, "
                          "or three quarters of it with Trimming.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&NsccCongestionOps::m_targetDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Trimming",
                          "The network trims frames: sets the default of TargetQueueDelay.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&NsccCongestionOps::m_trimming),
                          MakeBooleanChecker())
            .AddAttribute("LowersBaseRtt",
                          "A shorter round trip than the base one becomes the base.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&NsccCongestionOps::m_lowersBaseRtt),
                          MakeBooleanChecker())
            .AddAttribute("MaxWindowBdp",
                          "Largest and initial window, in bandwidth-delay products.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&NsccCongestionOps::m_maxWindowBdps),
                          MakeDoubleChecker<double>(0.001))
            .AddAttribute("Alpha",
                          "Proportional increase: frames a round trip, at no delay and a target of "
                          "12 us, times a.",
                          DoubleValue(4),
                          MakeDoubleAccessor(&NsccCongestionOps::m_alphaFrames),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("FairIncrease",
                          "Fair increase: frames a round trip, times a (fi).",
                          DoubleValue(5),
                          MakeDoubleAccessor(&NsccCongestionOps::m_fairFrames),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Eta",
                          "Added each time that increases are put in force after a base round "
                          "trip: frames, times a.",
                          DoubleValue(0.15),
                          MakeDoubleAccessor(&NsccCongestionOps::m_etaFrames),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("FastIncrease",
                          "Fast increase: share of the acknowledged bytes, times a (fi_scale).",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&NsccCongestionOps::m_fastShare),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("FastIncreaseDelay",
                          "A delay below it counts as no queue.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&NsccCongestionOps::m_fastDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Gamma",
                          "Multiplicative decrease: the window loses Gamma (average - target) / "
                          "average of itself.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&NsccCongestionOps::m_gamma),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "Most that multiplicative decrease takes, of the window.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&NsccCongestionOps::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("FairDecrease",
                          "Fair decrease: the window loses this share of the acknowledged bytes, "
                          "times window / BDP (fd). The specification: 0, another path.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&NsccCongestionOps::m_fairDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("DelayGain",
                          "Weight of a new delay in the average.",
                          DoubleValue(0.0125),
                          MakeDoubleAccessor(&NsccCongestionOps::m_delayGain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AdjustFrames",
                          "Increases are put in force when more full frames are acknowledged.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&NsccCongestionOps::m_adjustFrames),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("QuickAdapt",
                          "The window jumps down to what was achieved.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&NsccCongestionOps::m_quickAdapt),
                          MakeBooleanChecker())
            .AddAttribute("QuickAdaptGate",
                          "Only where less than the largest window / 2^this was achieved.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&NsccCongestionOps::m_quickAdaptGate),
                          MakeUintegerChecker<uint32_t>(0, 31))
            .AddAttribute("QuickAdaptDelay",
                          "Also without a loss where the delay is above so many targets.",
                          DoubleValue(4),
                          MakeDoubleAccessor(&NsccCongestionOps::m_quickAdaptDelays),
                          MakeDoubleChecker<double>(0));
    return tid;
}

std::string
NsccCongestionOps::GetName() const
{
    return "nscc";
}

Ptr<RdmaCongestionOps>
NsccCongestionOps::Fork() const
{
    return CopyObject<NsccCongestionOps>(this);
}

RdmaFeedback
NsccCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    feedback.ecnEcho = true;
    return feedback;
}

void
NsccCongestionOps::Init(RdmaRateState& state, int64_t now)
{
    state.rateBps = state.lineRateBps;
    double stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    double goodput = static_cast<double>(state.mtuBytes) / state.frameBytes;
    m_bytesPerStep = state.lineRateBps / 8 / stepsPerSecond * goodput;
    m_frame = state.mtuBytes;
    m_networkRtt = static_cast<double>(GetBaseRttSteps(state));
    SetBaseRtt(m_networkRtt);
    m_target = m_targetDelay.IsZero() ? m_networkRtt * (m_trimming ? 0.75 : 1)
                                      : static_cast<double>(m_targetDelay.GetTimeStep());
    double referenceRtt = REFERENCE_RTT_SECONDS * stepsPerSecond;
    double a = state.lineRateBps * m_networkRtt / (REFERENCE_BPS * referenceRtt);
    m_alpha = m_alphaFrames * m_frame * a / referenceRtt; // a b / target, b = target / 12 us
    m_fair = m_fairFrames * m_frame * a;
    m_eta = m_etaFrames * m_frame * a;
    m_fast = m_fastShare * a;

    m_window = m_maxWindow;
    m_averageDelay = m_increments = m_receivedBytes = m_emptyBytes = 0;
    m_adjustedAt = now;
    m_isFast = m_hasDecreased = m_lossSeen = false;
    m_achievedBytes = m_bytesToIgnore = m_bytesIgnored = m_inFlight = 0;
    m_lookAt = 0;
    SetWindow(state);
}

void
NsccCongestionOps::SetBaseRtt(double steps)
{
    m_baseRtt = steps;
    m_bdp = m_bytesPerStep * steps;
    m_maxWindow = std::max(m_frame, m_maxWindowBdps * m_bdp);
}

void
NsccCongestionOps::SetWindow(RdmaRateState& state)
{
    state.windowBytes = static_cast<uint64_t>(m_window);
}

void
NsccCongestionOps::Bound()
{
    m_window = std::min(std::max(m_window, m_frame), m_maxWindow);
}

// ---------------------------------------------------------------- delay

double
NsccCongestionOps::MeasureDelay(const RdmaAckSignal& signal)
{
    auto rtt = static_cast<double>(signal.rttSteps - signal.endpointSteps);
    if (rtt < m_baseRtt && rtt > 0 && m_lowersBaseRtt)
    {
        SetBaseRtt(rtt);
    }
    if (rtt < m_baseRtt)
    {
        return m_averageDelay; // not of a full frame, or by a coarse clock
    }
    AverageDelay(rtt - m_baseRtt, signal.ecnEcho);
    return rtt - m_baseRtt;
}

void
NsccCongestionOps::AverageDelay(double delay, bool marked)
{
    // A long delay without a mark was on another path, or is over.
    double sample = !marked && delay > m_target ? m_baseRtt / 4 : delay;
    m_averageDelay = m_delayGain * sample + (1 - m_delayGain) * m_averageDelay;
}

// ---------------------------------------------------------------- answers

void
NsccCongestionOps::Acked(RdmaRateState& state, const RdmaAckSignal& signal)
{
    auto bytes = static_cast<double>(signal.ackedBytes);
    m_achievedBytes += bytes;
    m_receivedBytes += bytes;
    m_bytesIgnored += bytes;
    m_inFlight = static_cast<double>(signal.inFlightBytes);
    double delay = MeasureDelay(signal);
    if (QuickAdapt(signal.now, signal.ecnEcho, delay, false))
    {
        SetWindow(state);
        return;
    }
    if (!signal.ecnEcho && delay >= m_target)
    {
        m_increments += m_fair * bytes;
    }
    else if (!signal.ecnEcho)
    {
        Increase(bytes, delay);
    }
    else if (delay >= m_target)
    {
        DecreaseByDelay(signal.now);
    }
    else
    {
        DecreaseFairly(bytes);
    }
    Bound();
    double period = static_cast<double>(signal.now - m_adjustedAt);
    if (m_receivedBytes > m_adjustFrames * m_frame || period > m_networkRtt)
    {
        PutInForce(signal.now);
    }
    Bound();
    SetWindow(state);
}

void
NsccCongestionOps::Increase(double bytes, double delay)
{
    if (!FastIncrease(bytes, delay))
    {
        m_increments += m_alpha * bytes * (m_target - delay);
    }
}

bool
NsccCongestionOps::FastIncrease(double bytes, double delay)
{
    if (delay >= static_cast<double>(m_fastDelay.GetTimeStep()))
    {
        m_emptyBytes = 0;
        m_isFast = false;
        return false;
    }
    m_emptyBytes += bytes;
    m_isFast = m_isFast || m_emptyBytes > m_window;
    m_window += m_isFast ? bytes * m_fast : 0;
    return m_isFast;
}

void
NsccCongestionOps::DecreaseFairly(double bytes)
{
    m_window -= m_fairDecrease * bytes * m_window / m_bdp;
}

void
NsccCongestionOps::DecreaseByDelay(int64_t now)
{
    m_isFast = false;
    m_emptyBytes = 0;
    bool again = !m_hasDecreased || static_cast<double>(now - m_decreasedAt) > m_baseRtt;
    if (m_averageDelay > m_target && again)
    {
        double part = m_gamma * (m_averageDelay - m_target) / m_averageDelay;
        m_window *= 1 - std::min(part, m_maxDecrease);
        m_decreasedAt = now;
        m_hasDecreased = true;
    }
}

void
NsccCongestionOps::PutInForce(int64_t now)
{
    m_window += m_increments / m_window;
    if (static_cast<double>(now - m_adjustedAt) >= m_networkRtt)
    {
        m_window += m_eta;
        m_adjustedAt = now;
    }
    m_increments = m_receivedBytes = 0;
}

bool
NsccCongestionOps::QuickAdapt(int64_t now, bool marked, double delay, bool lost)
{
    if (!m_quickAdapt)
    {
        return false;
    }
    bool done = m_bytesIgnored < m_bytesToIgnore && marked;
    if (!done && now > m_lookAt)
    {
        double gate = m_maxWindow / static_cast<double>(uint64_t{1} << m_quickAdaptGate);
        bool cause = m_lossSeen || lost || delay > m_quickAdaptDelays * m_target;
        if (m_lookAt != 0 && cause && m_achievedBytes < gate)
        {
            m_window = std::max(m_achievedBytes, m_frame);
            m_bytesToIgnore = m_inFlight;
            m_bytesIgnored = 0;
            m_lossSeen = false;
            done = true;
        }
        m_achievedBytes = 0;
        m_lookAt = now + std::llround(m_baseRtt + m_target);
    }
    if (done)
    {
        m_increments = m_receivedBytes = 0;
    }
    return done;
}

// ---------------------------------------------------------------- losses

void
NsccCongestionOps::Trimmed(RdmaRateState& state, const RdmaAckSignal& signal)
{
    m_inFlight = static_cast<double>(signal.inFlightBytes);
    LoseFrame(state, signal.now);
}

void
NsccCongestionOps::NakReceived(RdmaRateState& state, int64_t now)
{
    LoseFrame(state, now);
}

void
NsccCongestionOps::LoseFrame(RdmaRateState& state, int64_t now)
{
    m_bytesIgnored += m_frame;
    AverageDelay(m_networkRtt, true); // as long, at least, as the queue that was full
    m_lossSeen = true;
    if (!QuickAdapt(now, true, 0, true))
    {
        m_window -= m_frame;
        Bound();
    }
    SetWindow(state);
}

void
NsccCongestionOps::TimedOut(RdmaRateState& state, int64_t)
{
    m_lossSeen = true;
    m_window -= m_frame;
    Bound();
    SetWindow(state);
}

} // namespace ns3
