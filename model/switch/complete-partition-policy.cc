// SPDX-License-Identifier: GPL-2.0-only
#include "complete-partition-policy.h"

#include "shared-buffer.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CompletePartitionPolicy);

TypeId
CompletePartitionPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CompletePartitionPolicy")
            .SetParent<BufferPolicy>()
            .SetGroupName("AiFabric")
            .AddConstructor<CompletePartitionPolicy>()
            .AddAttribute("Classes",
                          "Bit c: class c has a part. A class without has its reserve only.",
                          UintegerValue(0xff),
                          MakeUintegerAccessor(&CompletePartitionPolicy::m_classes),
                          MakeUintegerChecker<uint8_t>(1));
    return tid;
}

std::string
CompletePartitionPolicy::Configure(const SharedBuffer& buffer)
{
    std::array<uint32_t, 2> classes{};
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        m_poolOf[c] = static_cast<uint8_t>(buffer.GetPool(c));
        classes[m_poolOf[c]] += (m_classes >> c) & 1U;
    }
    double scales = 0;
    for (uint32_t p = 0; p < buffer.GetNPorts(); ++p)
    {
        scales += buffer.GetScale(p);
    }
    for (uint32_t pool : {0, 1})
    {
        m_parts[pool].clear();
        for (uint32_t p = 0; p < buffer.GetNPorts(); ++p)
        {
            double share = buffer.GetScale(p) / scales / std::max(1U, classes[pool]);
            m_parts[pool].push_back(
                static_cast<uint64_t>(static_cast<double>(buffer.GetPoolBytes(pool)) * share));
        }
    }
    return "";
}

uint64_t
CompletePartitionPolicy::PartOf(uint32_t port, uint32_t trafficClass) const
{
    return m_classes & (1U << trafficClass) ? m_parts[m_poolOf[trafficClass]][port] : 0;
}

uint64_t
CompletePartitionPolicy::IngressLimit(const SharedBuffer&, uint32_t port, uint32_t trafficClass)
{
    return PartOf(port, trafficClass);
}

uint64_t
CompletePartitionPolicy::EgressLimit(const SharedBuffer&, uint32_t port, uint32_t trafficClass)
{
    return PartOf(port, trafficClass);
}

} // namespace ns3
