// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-helper.h"

#include "ns3/node.h"

namespace ns3
{

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
    Ptr<RdmaStack> stack = MakeStack();
    for (uint32_t d = 0; d < node->GetNDevices(); ++d)
    {
        if (Ptr<FabricNetDevice> port = DynamicCast<FabricNetDevice>(node->GetDevice(d)))
        {
            Ptr<RdmaNic> nic = MakeNic();
            nic->SetDevice(port);
            stack->AddNic(nic);
        }
    }
    node->AggregateObject(stack);
    return stack;
}

} // namespace ns3
