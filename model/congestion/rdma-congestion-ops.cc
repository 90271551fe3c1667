// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-congestion-ops.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionOps);

TypeId
RdmaCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCongestionOps").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
RdmaCongestionOps::Init(RdmaRateState& state, int64_t)
{
    state.rateBps = state.lineRateBps;
}

void
RdmaCongestionOps::Advance(RdmaRateState&, int64_t)
{
}

int64_t
RdmaCongestionOps::GetNextIncrease() const
{
    return INT64_MAX;
}

void
RdmaCongestionOps::Sent(RdmaRateState&, uint32_t, int64_t)
{
}

void
RdmaCongestionOps::Acked(RdmaRateState&, const RdmaAckSignal&)
{
}

void
RdmaCongestionOps::CnpReceived(RdmaRateState&, int64_t)
{
}

void
RdmaCongestionOps::NakReceived(RdmaRateState&, int64_t)
{
}

void
RdmaCongestionOps::TimedOut(RdmaRateState&, int64_t)
{
}

} // namespace ns3
