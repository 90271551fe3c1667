// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum-attribute.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccCongestionOps);

TypeId
HpccCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HpccCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<HpccCongestionOps>()
            .AddAttribute("Form",
                          "Window: the paper's (WindowAi, a window on the wire). Rate: that of the "
                          "authors' simulator (RateAi, MinRate, a window of payload by HasWindow "
                          "and VariableWindow).",
                          EnumValue(WINDOW),
                          MakeEnumAccessorFor<int>(&HpccCongestionOps::m_form),
                          MakeEnumChecker(WINDOW, "Window", RATE, "Rate"))
            .AddAttribute("Telemetry",
                          "Format that data frames collect: Hpcc (8 bytes a hop, 15 hops, rates "
                          "that have a code) or IntMd (32 bytes a hop, 31 hops, any rate).",
                          EnumValue(static_cast<int>(TelemetryFormat::HPCC)),
                          MakeEnumAccessorFor<int>(&HpccCongestionOps::m_telemetry),
                          MakeEnumChecker(static_cast<int>(TelemetryFormat::HPCC),
                                          "Hpcc",
                                          static_cast<int>(TelemetryFormat::INT_MD),
                                          "IntMd"))
            .AddAttribute("Eta",
                          "Utilization that is aimed at (paper: eta).",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&HpccCongestionOps::m_eta),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MaxStage",
                          "After so many rounds of additions alone, the utilization sets the "
                          "window (paper: maxStage); 0: it does in every round.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&HpccCongestionOps::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("WindowAi",
                          "Form Window: bytes that are added (paper: W_AI).",
                          UintegerValue(80),
                          MakeUintegerAccessor(&HpccCongestionOps::m_windowAi),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("RateAi",
                          "Form Rate: rate that is added.",
                          DataRateValue(DataRate("40Mbps")),
                          MakeDataRateAccessor(&HpccCongestionOps::m_rateAi),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "No rate is below this. The paper has no such floor.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&HpccCongestionOps::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("FastReact",
                          "Look at every answer; else at one a round trip.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&HpccCongestionOps::m_fastReact),
                          MakeBooleanChecker())
            .AddAttribute("MultipleRates",
                          "Each hop has its own utilization, reference and stage; the lowest rate "
                          "counts.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&HpccCongestionOps::m_multipleRates),
                          MakeBooleanChecker())
            .AddAttribute("HasWindow",
                          "Form Rate: bound the payload in flight, too; else QueuePair's own "
                          "window holds.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&HpccCongestionOps::m_hasWindow),
                          MakeBooleanChecker())
            .AddAttribute("VariableWindow",
                          "Form Rate with HasWindow: rate x T; else line rate x T.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&HpccCongestionOps::m_variableWindow),
                          MakeBooleanChecker());
    return tid;
}

std::string
HpccCongestionOps::GetName() const
{
    return "hpcc";
}

Ptr<RdmaCongestionOps>
HpccCongestionOps::Fork() const
{
    return CopyObject<HpccCongestionOps>(this);
}

RdmaFeedback
HpccCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    feedback.telemetry = static_cast<TelemetryFormat>(m_telemetry);
    return feedback;
}

void
HpccCongestionOps::Init(RdmaRateState& state, int64_t)
{
    m_rttSteps = static_cast<double>(GetBaseRttSteps(state));
    double stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    m_additionBps = m_form == WINDOW
                        ? 8 * static_cast<double>(m_windowAi) * stepsPerSecond / m_rttSteps
                        : static_cast<double>(m_rateAi.GetBitRate());
    constexpr double LEAST_WINDOW_BYTES = 1; // W and R are never 0
    m_floorBps = std::max(static_cast<double>(m_minRate.GetBitRate()),
                          8 * LEAST_WINDOW_BYTES * stepsPerSecond / m_rttSteps);
    m_floorBps = std::min(m_floorBps, state.lineRateBps);
    m_roundEnd = 0;
    m_memory = {};
    Forget(state.lineRateBps, 1);
    SetRate(state, state.lineRateBps);
}

void
HpccCongestionOps::Acked(RdmaRateState& state, const RdmaAckSignal& signal)
{
    bool roundEnds = signal.ackedThrough > m_roundEnd;
    if (!roundEnds && !m_fastReact)
    {
        return;
    }
    Told told = Measure(signal);
    if (told == Told::USE)
    {
        SetRate(state, React(state, roundEnds));
    }
    if (told == Told::START || (told == Told::USE && roundEnds))
    {
        m_roundEnd = signal.sentThrough;
    }
}

void
HpccCongestionOps::Trimmed(RdmaRateState& state, const RdmaAckSignal& signal)
{
    Acked(state, signal);
}

/// @param rateBps reference of all @param controls how many there are
void
HpccCongestionOps::Forget(double rateBps, size_t controls)
{
    m_controls.assign(controls, {1, rateBps, 0});
}

// ---------------------------------------------------------------- MeasureInflight

HpccCongestionOps::Told
HpccCongestionOps::Measure(const RdmaAckSignal& signal)
{
    IntMemory::News news = m_memory.Observe(signal);
    if (news == IntMemory::News::NOTHING)
    {
        return Told::NOTHING;
    }
    if (news == IntMemory::News::PATH)
    {
        if (m_multipleRates)
        {
            Forget(m_rateBps, signal.telemetry->telemetry.size());
        }
        return Told::START;
    }
    double most = -1;
    const IntHopInterval* bottleneck = nullptr;
    const std::vector<IntHopInterval>& hops = m_memory.GetIntervals();
    for (size_t i = 0; i < hops.size(); ++i)
    {
        double utilization = UtilizationOf(hops[i]);
        if (m_multipleRates)
        {
            Average(m_controls[i], utilization, hops[i].steps);
        }
        if (utilization > most)
        {
            most = utilization;
            bottleneck = &hops[i];
        }
    }
    if (!m_multipleRates)
    {
        Average(m_controls.front(), most, bottleneck->steps);
    }
    return Told::USE;
}

double
HpccCongestionOps::UtilizationOf(const IntHopInterval& hop) const
{
    double stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    double queueBits = 8 * static_cast<double>(std::min(hop.queueBytes, hop.oldQueueBytes));
    return (hop.GetTxRate() + queueBits * stepsPerSecond / m_rttSteps) /
           static_cast<double>(hop.bitsPerSecond);
}

void
HpccCongestionOps::Average(Control& control, double utilization, int64_t steps) const
{
    double weight = std::min(1.0, static_cast<double>(steps) / m_rttSteps);
    control.utilization += weight * (utilization - control.utilization);
}

// ---------------------------------------------------------------- ComputeWind

/// @param state rate @param roundEnds the references move @return the new rate
double
HpccCongestionOps::React(const RdmaRateState& state, bool roundEnds)
{
    double lowest = state.lineRateBps;
    for (Control& control : m_controls)
    {
        double excess = control.utilization / m_eta;
        bool byUtilization = excess >= 1 || control.stage >= m_maxStage;
        // Of an idle path the utilization may be 0: the quotient is infinite, the rate line rate.
        double base = byUtilization ? control.referenceBps / excess : control.referenceBps;
        double rate = std::clamp(base + m_additionBps, m_floorBps, state.lineRateBps);
        lowest = std::min(lowest, rate);
        if (roundEnds)
        {
            control.referenceBps = rate;
            control.stage = byUtilization ? 0 : control.stage + 1;
        }
    }
    return lowest;
}

void
HpccCongestionOps::SetRate(RdmaRateState& state, double rateBps)
{
    m_rateBps = state.rateBps = rateBps;
    if (m_form == RATE)
    {
        double bps = m_variableWindow ? rateBps : state.lineRateBps;
        state.windowBytes = m_hasWindow ? std::max<uint64_t>(1, BytesInRoundTrip(bps)) : 0;
        return;
    }
    // W is of bytes on the wire, the queue pair counts payload.
    double payloadShare = static_cast<double>(state.mtuBytes) / state.frameBytes;
    state.windowBytes = std::max<uint64_t>(1, BytesInRoundTrip(rateBps * payloadShare));
}

/// @param rateBps bits a second @return whole bytes in T at that rate
uint64_t
HpccCongestionOps::BytesInRoundTrip(double rateBps) const
{
    double stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    return static_cast<uint64_t>(rateBps * m_rttSteps / stepsPerSecond / 8);
}

} // namespace ns3
