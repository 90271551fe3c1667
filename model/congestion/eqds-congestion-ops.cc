// SPDX-License-Identifier: GPL-2.0-only
#include "eqds-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EqdsCongestionOps);

TypeId
EqdsCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::EqdsCongestionOps")
            .SetParent<CreditCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<EqdsCongestionOps>()
            .AddAttribute("SpeculativeWindow",
                          "Sent before any credit has come, payload bytes; 0: "
                          "SpeculativeWindowBdp.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EqdsCongestionOps::m_firstWindow),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("SpeculativeWindowBdp",
                          "The same in bandwidth-delay products.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&EqdsCongestionOps::m_firstBdps),
                          MakeDoubleChecker<double>(0.001))
            .AddAttribute("CreditWindow",
                          "Most credit ahead of what a sender has sent, payload bytes; 0: "
                          "CreditWindowBdp.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EqdsCongestionOps::m_aheadWindow),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("CreditWindowBdp",
                          "The same in bandwidth-delay products; 0: no limit.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&EqdsCongestionOps::m_aheadBdps),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("CreditShare",
                          "Rate at which credit is given, of the receiver's link rate.",
                          DoubleValue(0.99),
                          MakeDoubleAccessor(&EqdsCongestionOps::m_creditShare),
                          MakeDoubleChecker<double>(0.01, 1));
    return tid;
}

std::string
EqdsCongestionOps::GetName() const
{
    return "eqds";
}

Ptr<RdmaCongestionOps>
EqdsCongestionOps::Fork() const
{
    return CopyObject<EqdsCongestionOps>(this);
}

} // namespace ns3
