// SPDX-License-Identifier: GPL-2.0-only
#include "out-of-order-placement.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OutOfOrderPlacement);

TypeId
OutOfOrderPlacement::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OutOfOrderPlacement")
            .SetParent<SelectiveReliability>()
            .SetGroupName("AiFabric")
            .AddConstructor<OutOfOrderPlacement>()
            .AddAttribute("ReorderDistance",
                          "A frame counts as lost when one that is so many behind it has arrived.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&OutOfOrderPlacement::m_reorderDistance),
                          MakeUintegerChecker<uint64_t>(1, PSN_WINDOW));
    return tid;
}

std::string
OutOfOrderPlacement::GetName() const
{
    return "out-of-order";
}

Ptr<RdmaReliability>
OutOfOrderPlacement::Fork() const
{
    return CopyObject<OutOfOrderPlacement>(this);
}

EarlyFrames
OutOfOrderPlacement::GetEarlyFrames() const
{
    return EarlyFrames::PLACE;
}

} // namespace ns3
