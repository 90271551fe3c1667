// SPDX-License-Identifier: GPL-2.0-only
#include "credit-congestion-ops.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CreditCongestionOps);

TypeId
CreditCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CreditCongestionOps").SetParent<RdmaCongestionOps>().SetGroupName("AiFabric");
    return tid;
}

RdmaFeedback
CreditCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    feedback.credit = true;
    return feedback;
}

uint64_t
CreditCongestionOps::BytesOf(uint64_t bytes, double bdps, const RdmaRateState& state) const
{
    if (bytes > 0 || bdps <= 0)
    {
        return bytes;
    }
    double rttSeconds = TimeStep(GetBaseRttSteps(state)).GetSeconds();
    double wireBytes = bdps * state.lineRateBps * rttSeconds / 8;
    auto frames = static_cast<uint64_t>(std::ceil(wireBytes / state.frameBytes));
    return std::max<uint64_t>(1, frames) * state.mtuBytes;
}

void
CreditCongestionOps::Init(RdmaRateState& state, int64_t)
{
    state.rateBps = state.lineRateBps;
    m_firstBytes = BytesOf(m_firstWindow, m_firstBdps, state);
    m_aheadBytes = BytesOf(m_aheadWindow, m_aheadBdps, state);
    state.sendLimitBytes = m_firstBytes;
}

void
CreditCongestionOps::Resumed(RdmaRateState& state, int64_t)
{
    state.sendLimitBytes = std::max(state.sendLimitBytes, state.sentBytes + m_firstBytes);
}

uint64_t
CreditCongestionOps::DataReceived(const RdmaArrivalSignal& signal)
{
    return m_aheadBytes > 0 ? std::min(signal.demandBytes, signal.sentBytes + m_aheadBytes)
                            : signal.demandBytes;
}

double
CreditCongestionOps::GetCreditShare() const
{
    return m_creditShare;
}

} // namespace ns3
