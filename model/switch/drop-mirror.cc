// SPDX-License-Identifier: GPL-2.0-only
#include "drop-mirror.h"

#include "fabric-switch.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DropMirror);

TypeId
DropMirror::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DropMirror")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<DropMirror>();
    return tid;
}

void
DropMirror::Mirror(FabricSwitch&, const FabricFrame&, uint32_t, uint32_t, DropReason)
{
}

} // namespace ns3
