// SPDX-License-Identifier: GPL-2.0-only
#include "theta-powertcp-congestion-ops.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ThetaPowerTcpCongestionOps);

TypeId
ThetaPowerTcpCongestionOps::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ThetaPowerTcpCongestionOps")
                            .SetParent<PowerTcpCongestionOps>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ThetaPowerTcpCongestionOps>();
    return tid;
}

std::string
ThetaPowerTcpCongestionOps::GetName() const
{
    return "theta-powertcp";
}

Ptr<RdmaCongestionOps>
ThetaPowerTcpCongestionOps::Fork() const
{
    return CopyObject<ThetaPowerTcpCongestionOps>(this);
}

RdmaFeedback
ThetaPowerTcpCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    return feedback;
}

void
ThetaPowerTcpCongestionOps::Init(RdmaRateState& state, int64_t now)
{
    m_lastRtt = 0;
    PowerTcpCongestionOps::Init(state, now);
}

void
ThetaPowerTcpCongestionOps::Acked(RdmaRateState& state, const RdmaAckSignal& signal)
{
    int64_t interval = signal.now - m_lastAck;
    if (signal.rttSteps <= 0 || (m_lastRtt > 0 && interval <= 0))
    {
        return; // no round trip was measured, or no time has passed
    }
    if (m_lastRtt > 0)
    {
        double gradient =
            static_cast<double>(signal.rttSteps - m_lastRtt) / static_cast<double>(interval);
        double voltage = static_cast<double>(signal.rttSteps) / GetRttSteps();
        Average(CurrentOf(gradient + 1) * voltage, interval);
        if (EndsRound(signal))
        {
            UpdateWindow(state);
            BeginRound(signal);
        }
    }
    else
    {
        BeginRound(signal);
    }
    m_lastRtt = signal.rttSteps;
    m_lastAck = signal.now;
}

void
ThetaPowerTcpCongestionOps::Trimmed(RdmaRateState&, const RdmaAckSignal&)
{
}

} // namespace ns3
