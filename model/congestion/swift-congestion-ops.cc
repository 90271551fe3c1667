// SPDX-License-Identifier: GPL-2.0-only
#include "swift-congestion-ops.h"

#include "flight-round.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwiftCongestionOps);

TypeId
SwiftCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SwiftCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<SwiftCongestionOps>()
            .AddAttribute("BaseTarget",
                          "base_target: the delay that a few flows over one hop need for full "
                          "throughput. 0: BaseTargetRtts base round trips.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&SwiftCongestionOps::m_baseTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("BaseTargetRtts",
                          "Base round trips in the base target, where BaseTarget is 0.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_baseTargetRtts),
                          MakeDoubleChecker<double>(1.0))
            .AddAttribute("HopDelay",
                          "h: what each switch on the way adds to the target. 0 where the base "
                          "target has them.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&SwiftCongestionOps::m_hopDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("EndpointTarget",
                          "Target of the time in the receiver; 0: the base target.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&SwiftCongestionOps::m_endpointTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FsRange",
                          "fs_range: what a small window adds to the target, in base targets.",
                          DoubleValue(5),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_fsRange),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("FsMinWindow",
                          "fs_min_cwnd: window, in frames, that adds all of FsRange.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_fsMinWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("FsMaxWindow",
                          "fs_max_cwnd: window, in frames, that adds nothing.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_fsMaxWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("Ai",
                          "Additive increase, frames a round trip.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_ai),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Beta",
                          "Weight of a multiplicative decrease.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_beta),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MaxDecrease",
                          "max_mdf: largest share of the window that one cut takes.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_maxDecrease),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MinWindow",
                          "Least window, frames.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_minWindow),
                          MakeDoubleChecker<double>(1e-9))
            .AddAttribute("MaxWindow",
                          "Largest window, frames. 0: what line rate sends in the target delay; "
                          "more than that would be cut when it is used.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_maxWindow),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("InitialWindow",
                          "First window, frames. 0: what line rate sends in the base round trip.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&SwiftCongestionOps::m_initialWindow),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("RetransmitResetThreshold",
                          "So many timeouts in a row set the window to MinWindow.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&SwiftCongestionOps::m_resetThreshold),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
SwiftCongestionOps::NotifyConstructionCompleted()
{
    RdmaCongestionOps::NotifyConstructionCompleted();
    NS_ABORT_MSG_IF(m_fsMinWindow >= m_fsMaxWindow,
                    "SwiftCongestionOps: FsMinWindow ("
                        << m_fsMinWindow << ") must be below FsMaxWindow (" << m_fsMaxWindow
                        << ")");
}

std::string
SwiftCongestionOps::GetName() const
{
    return "swift";
}

Ptr<RdmaCongestionOps>
SwiftCongestionOps::Fork() const
{
    return CopyObject<SwiftCongestionOps>(this);
}

RdmaFeedback
SwiftCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    return feedback;
}

void
SwiftCongestionOps::Init(RdmaRateState& state, int64_t)
{
    m_framesPerStep = FramesIn(state.lineRateBps, 1, state.frameBytes);
    m_baseSteps = m_baseTarget.IsZero()
                      ? m_baseTargetRtts * static_cast<double>(GetBaseRttSteps(state))
                      : static_cast<double>(m_baseTarget.GetTimeStep());
    double first = m_initialWindow > 0
                       ? m_initialWindow
                       : m_framesPerStep * static_cast<double>(GetBaseRttSteps(state));
    m_fabric.frames = m_endpoint.frames = std::max(first, m_minWindow);
    // The first cut must not wait for a round trip since the beginning of time.
    m_fabric.lastCut = m_endpoint.lastCut = std::numeric_limits<int64_t>::min() / 2;
    Apply(state);
}

double
SwiftCongestionOps::GetTargetSteps(uint8_t hops) const
{
    double range = m_fsRange * m_baseSteps;
    double atMin = 1 / std::sqrt(m_fsMinWindow);
    double atMax = 1 / std::sqrt(m_fsMaxWindow);
    double slope = range / (atMin - atMax);
    double scaling = slope * (1 / std::sqrt(m_fabric.frames) - atMax);
    return m_baseSteps + hops * static_cast<double>(m_hopDelay.GetTimeStep()) +
           std::min(std::max(scaling, 0.0), range);
}

void
SwiftCongestionOps::Acked(RdmaRateState& state, const RdmaAckSignal& signal)
{
    m_rtt = signal.rttSteps;
    m_timeouts = 0;
    double acked = static_cast<double>(signal.ackedBytes) / state.mtuBytes;
    double inFabric = static_cast<double>(signal.rttSteps - signal.endpointSteps);
    double target = GetTargetSteps(signal.hops);
    Adjust(m_fabric, {inFabric, target}, acked, signal.now);
    double atEndpoint = m_endpointTarget.IsZero()
                            ? m_baseSteps
                            : static_cast<double>(m_endpointTarget.GetTimeStep());
    double inEndpoint = static_cast<double>(signal.endpointSteps);
    Adjust(m_endpoint, {inEndpoint, atEndpoint}, acked, signal.now);
    Bound(m_fabric, target);
    Bound(m_endpoint, target);
    Apply(state);
}

void
SwiftCongestionOps::Adjust(Window& window,
                           const Delay& delay,
                           double ackedFrames,
                           int64_t now) const
{
    if (delay.measured < delay.target)
    {
        double share = window.frames >= 1 ? 1 / window.frames : 1.0;
        window.frames += m_ai * share * ackedFrames;
        return;
    }
    double over = (delay.measured - delay.target) / delay.measured;
    Cut(window, std::max(1 - m_beta * over, 1 - m_maxDecrease), now);
}

void
SwiftCongestionOps::Cut(Window& window, double factor, int64_t now) const
{
    if (now - window.lastCut >= m_rtt)
    {
        double before = window.frames;
        window.frames = std::max(before * factor, m_minWindow);
        window.lastCut = window.frames < before ? now : window.lastCut;
    }
}

void
SwiftCongestionOps::Bound(Window& window, double targetSteps) const
{
    double most = m_maxWindow > 0 ? m_maxWindow : targetSteps * m_framesPerStep;
    window.frames = std::max(std::min(window.frames, most), m_minWindow);
}

void
SwiftCongestionOps::CutForLoss(RdmaRateState& state, int64_t now)
{
    Cut(m_fabric, 1 - m_maxDecrease, now);
    Cut(m_endpoint, 1 - m_maxDecrease, now);
    Apply(state);
}

void
SwiftCongestionOps::NakReceived(RdmaRateState& state, int64_t now)
{
    m_timeouts = 0;
    CutForLoss(state, now);
}

void
SwiftCongestionOps::TimedOut(RdmaRateState& state, int64_t now)
{
    ++m_timeouts;
    if (m_timeouts < m_resetThreshold)
    {
        CutForLoss(state, now);
        return;
    }
    m_fabric = m_endpoint = {m_minWindow, now};
    Apply(state);
}

void
SwiftCongestionOps::Apply(RdmaRateState& state) const
{
    double frames = std::min(m_fabric.frames, m_endpoint.frames);
    state.windowBytes =
        static_cast<uint64_t>(std::max(frames, 1.0) * static_cast<double>(state.mtuBytes));
    // A frame every round trip / window, and no window in flight may be below a frame.
    state.rateBps = frames < 1 && m_rtt > 0
                        ? std::min(RateOf(frames, m_rtt, state.frameBytes), state.lineRateBps)
                        : state.lineRateBps;
}

} // namespace ns3
