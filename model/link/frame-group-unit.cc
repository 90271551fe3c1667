// SPDX-License-Identifier: GPL-2.0-only
#include "frame-group-unit.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FrameGroupUnit);

TypeId
FrameGroupUnit::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FrameGroupUnit").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

} // namespace ns3
