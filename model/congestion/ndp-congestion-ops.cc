// SPDX-License-Identifier: GPL-2.0-only
#include "ndp-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NdpCongestionOps);

TypeId
NdpCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NdpCongestionOps")
            .SetParent<CreditCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<NdpCongestionOps>()
            .AddAttribute("InitialWindow",
                          "Sent before any pull has come, and most that is on its way later, "
                          "payload bytes; 0: InitialWindowBdp.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NdpCongestionOps::m_firstWindow),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("InitialWindowBdp",
                          "The same in bandwidth-delay products.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&NdpCongestionOps::m_firstBdps),
                          MakeDoubleChecker<double>(0.001))
            .AddAttribute("CreditShare",
                          "Rate at which credit is given, of the receiver's link rate.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&NdpCongestionOps::m_creditShare),
                          MakeDoubleChecker<double>(0.01, 1));
    return tid;
}

std::string
NdpCongestionOps::GetName() const
{
    return "ndp";
}

Ptr<RdmaCongestionOps>
NdpCongestionOps::Fork() const
{
    return CopyObject<NdpCongestionOps>(this);
}

void
NdpCongestionOps::Init(RdmaRateState& state, int64_t now)
{
    m_aheadWindow = m_firstWindow; // a pull a frame
    m_aheadBdps = m_firstBdps;
    CreditCongestionOps::Init(state, now);
}

} // namespace ns3
