// SPDX-License-Identifier: GPL-2.0-only
#include "soft-rdma-helper.h"

#include "ns3/abort.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/loopback-net-device.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/// @param ip Ipv4 or Ipv6; may be null @param device a device @return it has an address there
template <typename Ip>
bool
HasAddress(Ptr<Ip> ip, Ptr<NetDevice> device)
{
    int32_t interface = ip ? ip->GetInterfaceForDevice(device) : -1;
    return interface >= 0 && ip->GetNAddresses(interface) > 0;
}

/// @param port a port @return the largest MTU that its device has room for
uint32_t
LargestMtu(const UdpRdmaPort& port)
{
    Ptr<NetDevice> device = port.GetDevice();
    // The header of IPv6 is longer, so what fits with it fits with IPv4.
    return port.GetLargestMtu(HasAddress(device->GetNode()->GetObject<Ipv6>(), device));
}

/// @param largest any size @return the largest of the standard's MTUs up to that, or the smallest
uint32_t
StandardMtu(uint32_t largest)
{
    uint32_t mtu = 4096;
    while (mtu > 256 && mtu > largest)
    {
        mtu /= 2;
    }
    return mtu;
}

} // namespace

SoftRdmaHelper::SoftRdmaHelper()
{
    m_port.SetTypeId(UdpRdmaPort::GetTypeId());
}

void
SoftRdmaHelper::SetPortAttribute(const std::string& name, const AttributeValue& value)
{
    m_port.Set(name, value);
}

void
SoftRdmaHelper::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_mtuIsSet |= name == "Mtu";
    RdmaSettings::SetQueuePairAttribute(name, value);
}

Ptr<RdmaNic>
SoftRdmaHelper::Install(Ptr<NetDevice> device) const
{
    Ptr<UdpRdmaPort> port = m_port.Create<UdpRdmaPort>();
    port->SetDevice(device);
    Ptr<RdmaNic> nic = MakeNic();
    nic->AddPort(port);
    StackOf(device->GetNode(), *port)->AddNic(nic);
    return nic;
}

std::vector<Ptr<RdmaNic>>
SoftRdmaHelper::Install(const NetDeviceContainer& devices) const
{
    std::vector<Ptr<RdmaNic>> nics;
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        nics.push_back(Install(*device));
    }
    return nics;
}

std::vector<Ptr<RdmaNic>>
SoftRdmaHelper::Install(const NodeContainer& nodes) const
{
    std::vector<Ptr<RdmaNic>> nics;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        for (uint32_t d = 0; d < (*node)->GetNDevices(); ++d)
        {
            Ptr<NetDevice> device = (*node)->GetDevice(d);
            bool addressed = HasAddress((*node)->GetObject<Ipv4>(), device) ||
                             HasAddress((*node)->GetObject<Ipv6>(), device);
            if (addressed && !DynamicCast<LoopbackNetDevice>(device))
            {
                nics.push_back(Install(device));
            }
        }
    }
    return nics;
}

Ptr<RdmaStack>
SoftRdmaHelper::StackOf(Ptr<Node> node, const UdpRdmaPort& port) const
{
    uint32_t largest = LargestMtu(port);
    Ptr<RdmaStack> stack = node->GetObject<RdmaStack>();
    if (!stack)
    {
        stack = MakeStack();
        if (!m_mtuIsSet)
        {
            ObjectFactory pairs = GetQueuePairFactory();
            pairs.Set("Mtu", UintegerValue(StandardMtu(largest)));
            stack->SetQueuePairFactory(pairs);
        }
        node->AggregateObject(stack);
    }
    NS_ABORT_MSG_IF(stack->GetDefaultMtu() > largest,
                    "SoftRdmaHelper: queue pairs of node "
                        << node->GetId() << " have an MTU of " << stack->GetDefaultMtu()
                        << " bytes; device " << port.GetDevice()->GetIfIndex() << ", whose MTU is "
                        << port.GetDevice()->GetMtu() << ", has room for " << largest
                        << " beside the headers");
    return stack;
}

} // namespace ns3
