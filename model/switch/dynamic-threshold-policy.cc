// SPDX-License-Identifier: GPL-2.0-only
#include "dynamic-threshold-policy.h"

#include "shared-buffer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DynamicThresholdPolicy);

TypeId
DynamicThresholdPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DynamicThresholdPolicy")
                            .SetParent<BufferPolicy>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<DynamicThresholdPolicy>();
    return tid;
}

uint64_t
DynamicThresholdPolicy::IngressLimit(const SharedBuffer& buffer,
                                     uint32_t port,
                                     uint32_t trafficClass)
{
    return Limit(buffer.GetIngressAlpha(port, trafficClass), buffer.GetFreeBytes(trafficClass));
}

uint64_t
DynamicThresholdPolicy::EgressLimit(const SharedBuffer& buffer,
                                    uint32_t port,
                                    uint32_t trafficClass)
{
    return Limit(buffer.GetEgressAlpha(port, trafficClass),
                 buffer.GetEgressFreeBytes(trafficClass));
}

} // namespace ns3
