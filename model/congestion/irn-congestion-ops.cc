// SPDX-License-Identifier: GPL-2.0-only
#include "irn-congestion-ops.h"

#include "flight-round.h"

#include "ns3/uinteger.h"

#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IrnCongestionOps);

TypeId
IrnCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IrnCongestionOps")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<IrnCongestionOps>()
            .AddAttribute("BdpFrames",
                          "Most full frames in flight; 0: what line rate sends in the base round "
                          "trip, the last begun frame included.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IrnCongestionOps::m_bdpFrames),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

std::string
IrnCongestionOps::GetName() const
{
    return "irn";
}

Ptr<RdmaCongestionOps>
IrnCongestionOps::Fork() const
{
    return CopyObject<IrnCongestionOps>(this);
}

RdmaFeedback
IrnCongestionOps::GetFeedback() const
{
    RdmaFeedback feedback;
    feedback.cnp = false;
    return feedback;
}

void
IrnCongestionOps::Init(RdmaRateState& state, int64_t)
{
    state.rateBps = state.lineRateBps;
    uint64_t frames = m_bdpFrames;
    if (frames == 0)
    {
        double product = FramesIn(state.lineRateBps, GetBaseRttSteps(state), state.frameBytes);
        frames = static_cast<uint64_t>(std::ceil(product));
    }
    state.windowBytes = frames * state.mtuBytes;
}

} // namespace ns3
