// SPDX-License-Identifier: GPL-2.0-only
#include "powertcp-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/enum-attribute.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PowerTcpCongestionOps);

TypeId
PowerTcpCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PowerTcpCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<PowerTcpCongestionOps>()
            .AddAttribute("Telemetry",
                          "Format that data frames collect: Hpcc (8 bytes a hop, 15 hops, rates "
                          "that have a code) or IntMd (32 bytes a hop, 31 hops, any rate).",
                          EnumValue(static_cast<int>(TelemetryFormat::HPCC)),
                          MakeEnumAccessorFor<int>(&PowerTcpCongestionOps::m_telemetry),
                          MakeEnumChecker(static_cast<int>(TelemetryFormat::HPCC),
                                          "Hpcc",
                                          static_cast<int>(TelemetryFormat::INT_MD),
                                          "IntMd"))
            .AddAttribute("Gamma",
                          "Weight of the new window in its moving average (paper: gamma).",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&PowerTcpCongestionOps::m_gamma),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute("ExpectedFlows",
                          "Flows that share a host's link (paper: N): beta is line rate x round "
                          "trip / N.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&PowerTcpCongestionOps::m_expectedFlows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("BetaRate",
                          "beta is this x round trip; 0: by ExpectedFlows.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&PowerTcpCongestionOps::m_betaRate),
                          MakeDataRateChecker())
            .AddAttribute("TargetPower",
                          "Power that counts as 1. The paper has 1; its authors' simulator 0.95, "
                          "as HPCC's eta, and with delays 1.05.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&PowerTcpCongestionOps::m_targetPower),
                          MakeDoubleChecker<double>(0.01, 2))
            .AddAttribute("MinCurrent",
                          "A current below this share of the link's rate counts as this, so that a "
                          "queue that drains does not look like a free link. The paper's equations "
                          "have no bound; its authors' simulator has this one.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&PowerTcpCongestionOps::m_minCurrent),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute("MinRate",
                          "No pace is below this. The paper has no such floor.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&PowerTcpCongestionOps::m_minRate),
                          MakeDataRateChecker());
    return tid;
}

std::string
PowerTcpCongestionOps::GetName() const
{
    return "powertcp";
}

Ptr<RdmaCongestionOps>
PowerTcpCongestionOps::Fork() const
{
    return CopyObject<PowerTcpCongestionOps>(this);
}

RdmaFeedback
PowerTcpCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    feedback.telemetry = static_cast<TelemetryFormat>(m_telemetry);
    return feedback;
}

void
PowerTcpCongestionOps::Init(RdmaRateState& state, int64_t)
{
    m_rttSteps = static_cast<double>(GetBaseRttSteps(state));
    double bytesPerBps = m_rttSteps / static_cast<double>(Seconds(1).GetTimeStep()) / 8;
    double betaRate = static_cast<double>(m_betaRate.GetBitRate());
    m_beta = bytesPerBps * (betaRate > 0 ? betaRate : state.lineRateBps / m_expectedFlows);
    m_most = bytesPerBps * state.lineRateBps;
    m_least = std::max(1.0, bytesPerBps * static_cast<double>(m_minRate.GetBitRate()));
    m_least = std::min(m_least, m_most);
    m_power = 1;
    m_window = m_oldWindow = m_most;
    m_roundEnd = 0;
    m_memory = {};
    state.rateBps = state.lineRateBps;
    double payloadShare = static_cast<double>(state.mtuBytes) / state.frameBytes;
    state.windowBytes = std::max<uint64_t>(1, static_cast<uint64_t>(m_window * payloadShare));
}

void
PowerTcpCongestionOps::Acked(RdmaRateState& state, const RdmaAckSignal& signal)
{
    IntMemory::News news = m_memory.Observe(signal);
    if (news == IntMemory::News::NOTHING)
    {
        return;
    }
    if (news == IntMemory::News::INTERVALS)
    {
        const std::vector<IntHopInterval>& hops = m_memory.GetIntervals();
        const IntHopInterval* highest = &hops.front();
        for (const IntHopInterval& hop : hops)
        {
            highest = PowerOf(hop) > PowerOf(*highest) ? &hop : highest;
        }
        Average(PowerOf(*highest), highest->steps);
        UpdateWindow(state);
    }
    if (news == IntMemory::News::PATH || EndsRound(signal))
    {
        BeginRound(signal);
    }
}

void
PowerTcpCongestionOps::Trimmed(RdmaRateState& state, const RdmaAckSignal& signal)
{
    PowerTcpCongestionOps::Acked(state, signal);
}

double
PowerTcpCongestionOps::PowerOf(const IntHopInterval& hop) const
{
    double bitsPerStep =
        static_cast<double>(hop.bitsPerSecond) / static_cast<double>(Seconds(1).GetTimeStep());
    double arrived = static_cast<double>(hop.txBytes) + static_cast<double>(hop.queueBytes) -
                     static_cast<double>(hop.oldQueueBytes);
    double current = CurrentOf(8 * arrived / static_cast<double>(hop.steps) / bitsPerStep);
    double pipe = bitsPerStep * m_rttSteps; // b tau
    return current * (8 * static_cast<double>(hop.queueBytes) + pipe) / pipe;
}

void
PowerTcpCongestionOps::Average(double power, int64_t steps)
{
    double weight = std::min(1.0, static_cast<double>(steps) / m_rttSteps);
    m_power += weight * (power / m_targetPower - m_power);
}

void
PowerTcpCongestionOps::UpdateWindow(RdmaRateState& state)
{
    double updated = m_gamma * (m_oldWindow / m_power + m_beta) + (1 - m_gamma) * m_window;
    m_window = std::clamp(updated, m_least, m_most);
    double stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    state.rateBps = std::min(8 * m_window * stepsPerSecond / m_rttSteps, state.lineRateBps);
    // The window is of bytes on the wire, the queue pair counts payload.
    double payloadShare = static_cast<double>(state.mtuBytes) / state.frameBytes;
    state.windowBytes = std::max<uint64_t>(1, static_cast<uint64_t>(m_window * payloadShare));
}

void
PowerTcpCongestionOps::BeginRound(const RdmaAckSignal& signal)
{
    m_oldWindow = m_window;
    m_roundEnd = signal.sentThrough;
}

} // namespace ns3
