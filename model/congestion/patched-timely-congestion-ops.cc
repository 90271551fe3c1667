// SPDX-License-Identifier: GPL-2.0-only
#include "patched-timely-congestion-ops.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PatchedTimelyCongestionOps);

TypeId
PatchedTimelyCongestionOps::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PatchedTimelyCongestionOps")
                            .SetParent<DelayGradientCongestionOps>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<PatchedTimelyCongestionOps>()
                            .AddAttribute("Beta",
                                          "Weight of a decrease.",
                                          DoubleValue(0.008),
                                          MakeDoubleAccessor(&PatchedTimelyCongestionOps::m_beta),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

std::string
PatchedTimelyCongestionOps::GetName() const
{
    return "patched-timely";
}

Ptr<RdmaCongestionOps>
PatchedTimelyCongestionOps::Fork() const
{
    return CopyObject<PatchedTimelyCongestionOps>(this);
}

double
PatchedTimelyCongestionOps::ChangeBetween(double rateBps, int64_t rttSteps) const
{
    double weight = std::min(std::max(2 * GetGradient() + 0.5, 0.0), 1.0);
    double low = static_cast<double>(GetLowSteps());
    double error = (static_cast<double>(rttSteps) - low) / low;
    return GetRateAi() * (1 - weight) + rateBps * (1 - m_beta * weight * error);
}

double
PatchedTimelyCongestionOps::GetBeta() const
{
    return m_beta;
}

} // namespace ns3
