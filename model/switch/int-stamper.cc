// SPDX-License-Identifier: GPL-2.0-only
#include "int-stamper.h"

#include "fabric-switch.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IntStamper);

TypeId
IntStamper::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IntStamper")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IntStamper>();
    return tid;
}

void
IntStamper::Stamp(FabricSwitch&, uint32_t, FabricFrame&)
{
}

} // namespace ns3
