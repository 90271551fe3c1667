// SPDX-License-Identifier: GPL-2.0-only
#include "frame-trimmer.h"

#include "fabric-switch.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FrameTrimmer);

TypeId
FrameTrimmer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FrameTrimmer")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<FrameTrimmer>();
    return tid;
}

bool
FrameTrimmer::Trim(FabricFrame&)
{
    return false;
}

} // namespace ns3
