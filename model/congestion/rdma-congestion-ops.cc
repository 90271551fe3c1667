// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-congestion-ops.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionOps);

TypeId
RdmaCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCongestionOps")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddAttribute("BaseRtt",
                          "Round trip of a full frame and its answer through an empty network, "
                          "for algorithms that must know it; 0: the queue pair's BaseRtt.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaCongestionOps::m_baseRtt),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaFeedback
RdmaCongestionOps::GetFeedback() const
{
    return {};
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

void
RdmaCongestionOps::Resumed(RdmaRateState&, int64_t)
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
RdmaCongestionOps::Trimmed(RdmaRateState& state, const RdmaAckSignal& signal)
{
    NakReceived(state, signal.now);
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

void
RdmaCongestionOps::CreditReceived(RdmaRateState& state, uint64_t bytes, int64_t)
{
    state.sendLimitBytes = std::max(state.sendLimitBytes, bytes);
}

uint64_t
RdmaCongestionOps::DataReceived(const RdmaArrivalSignal& signal)
{
    return signal.demandBytes;
}

double
RdmaCongestionOps::GetCreditShare() const
{
    return 1;
}

int64_t
RdmaCongestionOps::GetBaseRttSteps(const RdmaRateState& state) const
{
    int64_t steps = m_baseRtt.IsZero() ? state.baseRttSteps : m_baseRtt.GetTimeStep();
    NS_ABORT_MSG_IF(steps <= 0,
                    GetInstanceTypeId().GetName()
                        << " must know the round trip of an empty network: set its attribute "
                           "BaseRtt, or ns3::QueuePair::BaseRtt");
    return steps;
}

} // namespace ns3
