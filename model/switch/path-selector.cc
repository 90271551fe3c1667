// SPDX-License-Identifier: GPL-2.0-only
#include "path-selector.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PathSelector);

TypeId
PathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PathSelector").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

} // namespace ns3
