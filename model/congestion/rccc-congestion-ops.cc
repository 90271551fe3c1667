// SPDX-License-Identifier: GPL-2.0-only
#include "rccc-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RcccCongestionOps);

TypeId
RcccCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RcccCongestionOps")
            .SetParent<CreditCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<RcccCongestionOps>()
            .AddAttribute(
                "MaxWindow",
                "Initial credit, and most credit ahead of what a sender has sent, payload "
                "bytes; 0: MaxWindowBdp.",
                UintegerValue(0),
                MakeUintegerAccessor(&RcccCongestionOps::m_firstWindow),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxWindowBdp",
                          "The same in bandwidth-delay products.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&RcccCongestionOps::m_firstBdps),
                          MakeDoubleChecker<double>(0.001))
            .AddAttribute("CreditShare",
                          "Rate at which credit is given, of the receiver's link rate.",
                          DoubleValue(0.99),
                          MakeDoubleAccessor(&RcccCongestionOps::m_creditShare),
                          MakeDoubleChecker<double>(0.01, 1));
    return tid;
}

std::string
RcccCongestionOps::GetName() const
{
    return "rccc";
}

Ptr<RdmaCongestionOps>
RcccCongestionOps::Fork() const
{
    return CopyObject<RcccCongestionOps>(this);
}

void
RcccCongestionOps::Init(RdmaRateState& state, int64_t now)
{
    m_aheadWindow = m_firstWindow;
    m_aheadBdps = m_firstBdps;
    CreditCongestionOps::Init(state, now);
}

} // namespace ns3
