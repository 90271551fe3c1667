// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-pint-congestion-ops.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/int-header.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccPintCongestionOps);

TypeId
HpccPintCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HpccPintCongestionOps")
            .SetParent<HpccCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<HpccPintCongestionOps>()
            .AddAttribute("SamplingProbability",
                          "Probability that an answer is looked at (paper: p).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&HpccPintCongestionOps::m_samplingProbability),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("LogBase",
                          "Ratio of the values of neighbouring codes; as IntStamper's PintLogBase.",
                          DoubleValue(PintCode::DEFAULT_BASE),
                          MakeDoubleAccessor(&HpccPintCongestionOps::m_logBase),
                          MakeDoubleChecker<double>(1.0001, 2))
            .AddAttribute("DigestBytes",
                          "Bytes of telemetry in a frame: 1, enough for a LogBase of 1.05, or 2.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&HpccPintCongestionOps::m_digestBytes),
                          MakeUintegerChecker<uint32_t>(1, 2));
    return tid;
}

HpccPintCongestionOps::HpccPintCongestionOps()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

std::string
HpccPintCongestionOps::GetName() const
{
    return "hpcc-pint";
}

Ptr<RdmaCongestionOps>
HpccPintCongestionOps::Fork() const
{
    return CopyObject<HpccPintCongestionOps>(this);
}

RdmaFeedback
HpccPintCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback = HpccCongestionOps::GetFeedback();
    feedback.telemetry = m_digestBytes == 1 ? TelemetryFormat::PINT : TelemetryFormat::PINT_16;
    return feedback;
}

int64_t
HpccPintCongestionOps::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
HpccPintCongestionOps::Init(RdmaRateState& state, int64_t now)
{
    NS_ABORT_MSG_IF(HasMultipleRates(),
                    "HpccPintCongestionOps: MultipleRates needs the telemetry of every hop, and "
                    "PINT has one digest for all");
    constexpr double OVERLOAD = 100; // that codes must be able to tell
    uint16_t most = m_digestBytes == 1 ? PintCode::MAX_OF_ONE_BYTE : PintCode::MAX_OF_TWO_BYTES;
    NS_ABORT_MSG_IF(PintCode{m_logBase}.Decode(most) < OVERLOAD,
                    "HpccPintCongestionOps: with a LogBase of "
                        << m_logBase << " " << m_digestBytes
                        << " byte(s) reach no further than a utilization of "
                        << PintCode{m_logBase}.Decode(most) << ": raise DigestBytes");
    m_started = false;
    HpccCongestionOps::Init(state, now);
}

HpccCongestionOps::Told
HpccPintCongestionOps::Measure(const RdmaAckSignal& signal)
{
    if (!signal.telemetry || !IsDigest(signal.telemetry->telemetryFormat))
    {
        return Told::NOTHING; // a READ's or an atomic's answer
    }
    if (m_samplingProbability < 1 && m_random->GetValue() >= m_samplingProbability)
    {
        return Told::NOTHING;
    }
    uint16_t digest = signal.telemetry->digest;
    NS_ABORT_MSG_IF(digest == PintCode::NONE && signal.hops > 0,
                    "congestion control needs telemetry, but none of the switches on the way has "
                    "written any: set FabricSwitch's attribute IntStamper");
    if (digest == PintCode::NONE)
    {
        return Told::NOTHING;
    }
    if (!m_started)
    {
        m_started = true;
        return Told::START;
    }
    SetUtilization(PintCode{m_logBase}.Decode(digest));
    return Told::USE;
}

} // namespace ns3
