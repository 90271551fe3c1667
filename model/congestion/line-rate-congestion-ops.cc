// SPDX-License-Identifier: GPL-2.0-only
#include "line-rate-congestion-ops.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LineRateCongestionOps);

TypeId
LineRateCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LineRateCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<LineRateCongestionOps>()
            .AddAttribute("Rate",
                          "Fixed pacing rate; 0 is the line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&LineRateCongestionOps::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Window",
                          "Most payload bytes in flight; 0 is no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&LineRateCongestionOps::m_windowBytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

std::string
LineRateCongestionOps::GetName() const
{
    return "none";
}

Ptr<RdmaCongestionOps>
LineRateCongestionOps::Fork() const
{
    return CopyObject<LineRateCongestionOps>(this);
}

void
LineRateCongestionOps::Init(RdmaRateState& state, int64_t)
{
    double fixed = static_cast<double>(m_rate.GetBitRate());
    state.rateBps = fixed > 0 ? std::min(fixed, state.lineRateBps) : state.lineRateBps;
    state.windowBytes = m_windowBytes;
}

} // namespace ns3
