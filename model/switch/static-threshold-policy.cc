// SPDX-License-Identifier: GPL-2.0-only
#include "static-threshold-policy.h"

#include "shared-buffer.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StaticThresholdPolicy);

TypeId
StaticThresholdPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::StaticThresholdPolicy")
            .SetParent<BufferPolicy>()
            .SetGroupName("AiFabric")
            .AddConstructor<StaticThresholdPolicy>()
            .AddAttribute("IngressBytes",
                          "Most of the shared pool that an ingress port and class may hold; a "
                          "lossless one is paused there.",
                          UintegerValue(256 * 1024),
                          MakeUintegerAccessor(&StaticThresholdPolicy::m_ingressBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EgressBytes",
                          "Most that may wait in an egress queue of a lossy class.",
                          UintegerValue(1024 * 1024),
                          MakeUintegerAccessor(&StaticThresholdPolicy::m_egressBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("IngressClassBytes",
                          "IngressBytes of single classes: CLASS:BYTES,CLASS:BYTES.",
                          StringValue(""),
                          MakeStringAccessor(&StaticThresholdPolicy::m_ingressText),
                          MakeStringChecker())
            .AddAttribute("EgressClassBytes",
                          "EgressBytes of single classes: CLASS:BYTES,CLASS:BYTES.",
                          StringValue(""),
                          MakeStringAccessor(&StaticThresholdPolicy::m_egressText),
                          MakeStringChecker());
    return tid;
}

std::string
StaticThresholdPolicy::Configure(const SharedBuffer&)
{
    std::string error;
    m_ingressOfClass = ClassValues::Parse(m_ingressText, error);
    if (!error.empty())
    {
        return "StaticThresholdPolicy::IngressClassBytes: " + error;
    }
    m_egressOfClass = ClassValues::Parse(m_egressText, error);
    return error.empty() ? "" : "StaticThresholdPolicy::EgressClassBytes: " + error;
}

uint64_t
StaticThresholdPolicy::IngressLimit(const SharedBuffer& buffer,
                                    uint32_t port,
                                    uint32_t trafficClass)
{
    return buffer.ScaleToPort(port, m_ingressOfClass.GetBytes(trafficClass, m_ingressBytes));
}

uint64_t
StaticThresholdPolicy::EgressLimit(const SharedBuffer& buffer, uint32_t port, uint32_t trafficClass)
{
    return buffer.ScaleToPort(port, m_egressOfClass.GetBytes(trafficClass, m_egressBytes));
}

} // namespace ns3
