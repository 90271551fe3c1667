// SPDX-License-Identifier: GPL-2.0-only
#ifndef SOFT_RDMA_HELPER_H
#define SOFT_RDMA_HELPER_H

#include "rdma-settings.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/udp-rdma-port.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Puts RDMA on nodes with an Internet stack, by any of their devices (soft-RoCE).
 *
 * To be used once addresses are assigned. Queue pairs get the largest of the standard's MTUs (256
 * to 4096 bytes) whose frames fit the device, as Linux does, unless the attribute Mtu is set here.
 */
class SoftRdmaHelper : public RdmaSettings
{
  public:
    SoftRdmaHelper();

    /// @param name attribute of UdpRdmaPort @param value for all ports
    void SetPortAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of QueuePair @param value the default of all queue pairs
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param device of a node with an Internet stack; several devices of a node get a NIC each
     * @return its NIC; the node's RdmaStack makes queue pairs for it
     */
    Ptr<RdmaNic> Install(Ptr<NetDevice> device) const;
    /// @param devices likewise @return their NICs, in this order
    std::vector<Ptr<RdmaNic>> Install(const NetDeviceContainer& devices) const;

    /// @param nodes of whose devices all that have an IP address get a NIC, but not the loopback
    /// @return the NICs, in order of nodes and devices
    std::vector<Ptr<RdmaNic>> Install(const NodeContainer& nodes) const;

  private:
    Ptr<RdmaStack> StackOf(Ptr<Node> node, const UdpRdmaPort& port) const;

    ObjectFactory m_port;
    bool m_mtuIsSet{false};
};

} // namespace ns3

#endif // SOFT_RDMA_HELPER_H
