// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-helper.h"

#include "ns3/line-rate-congestion-ops.h"
#include "ns3/node.h"

namespace ns3
{

RdmaHelper::RdmaHelper()
{
    m_nic.SetTypeId(RdmaNic::GetTypeId());
    m_queuePair.SetTypeId(QueuePair::GetTypeId());
    m_congestionControl.SetTypeId(LineRateCongestionOps::GetTypeId());
}

void
RdmaHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nic.Set(name, value);
}

void
RdmaHelper::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePair.Set(name, value);
}

void
RdmaHelper::SetCongestionControl(ObjectFactory factory)
{
    m_congestionControl = factory;
}

void
RdmaHelper::SetCongestionControl(const std::string& typeId)
{
    m_congestionControl = ObjectFactory();
    m_congestionControl.SetTypeId(typeId);
}

void
RdmaHelper::SetCongestionControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_congestionControl.Set(name, value);
}

void
RdmaHelper::Install(const NodeContainer& nodes) const
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        Install(*node);
    }
}

Ptr<RdmaStack>
RdmaHelper::Install(Ptr<Node> node) const
{
    Ptr<RdmaStack> stack = CreateObject<RdmaStack>();
    stack->SetQueuePairFactory(m_queuePair);
    stack->SetCongestionControl(m_congestionControl.Create<RdmaCongestionOps>());
    for (uint32_t d = 0; d < node->GetNDevices(); ++d)
    {
        if (Ptr<FabricNetDevice> port = DynamicCast<FabricNetDevice>(node->GetDevice(d)))
        {
            stack->AddNic(port, m_nic);
        }
    }
    node->AggregateObject(stack);
    return stack;
}

} // namespace ns3
