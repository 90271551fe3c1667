// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-settings.h"

#include "ns3/go-back-n.h"
#include "ns3/line-rate-congestion-ops.h"
#include "ns3/pointer.h"

namespace ns3
{

RdmaSettings::RdmaSettings()
{
    m_nic.SetTypeId(RdmaNic::GetTypeId());
    m_queuePair.SetTypeId(QueuePair::GetTypeId());
    m_congestionControl.SetTypeId(LineRateCongestionOps::GetTypeId());
    m_reliability.SetTypeId(GoBackN::GetTypeId());
}

void
RdmaSettings::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nic.Set(name, value);
}

void
RdmaSettings::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePair.Set(name, value);
}

void
RdmaSettings::SetCongestionControl(ObjectFactory factory)
{
    m_congestionControl = factory;
}

void
RdmaSettings::SetCongestionControl(const std::string& typeId)
{
    m_congestionControl = ObjectFactory();
    m_congestionControl.SetTypeId(typeId);
}

void
RdmaSettings::SetCongestionControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_congestionControl.Set(name, value);
}

void
RdmaSettings::SetReliability(ObjectFactory factory)
{
    m_reliability = factory;
}

void
RdmaSettings::SetReliability(const std::string& typeId)
{
    m_reliability = ObjectFactory();
    m_reliability.SetTypeId(typeId);
}

void
RdmaSettings::SetReliabilityAttribute(const std::string& name, const AttributeValue& value)
{
    m_reliability.Set(name, value);
}

void
RdmaSettings::SetHostInterface(ObjectFactory factory)
{
    m_hostInterface = factory;
}

Ptr<RdmaStack>
RdmaSettings::MakeStack() const
{
    Ptr<RdmaStack> stack = CreateObject<RdmaStack>();
    stack->SetQueuePairFactory(m_queuePair);
    stack->SetCongestionControl(m_congestionControl.Create<RdmaCongestionOps>());
    stack->SetReliability(m_reliability.Create<RdmaReliability>());
    return stack;
}

Ptr<RdmaNic>
RdmaSettings::MakeNic() const
{
    Ptr<RdmaNic> nic = m_nic.Create<RdmaNic>();
    if (m_hostInterface.IsTypeIdSet())
    {
        nic->SetAttribute("HostInterface",
                          PointerValue(m_hostInterface.Create<RdmaHostInterface>()));
    }
    return nic;
}

} // namespace ns3
