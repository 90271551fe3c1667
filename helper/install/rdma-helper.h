// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_HELPER_H
#define RDMA_HELPER_H

#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-stack.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Puts an RdmaStack on nodes, with an RDMA NIC behind each of their fabric ports.
 */
class RdmaHelper
{
  public:
    RdmaHelper();

    /// @param name attribute of RdmaNic @param value for all NICs
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of QueuePair @param value the default of all queue pairs
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /// @param factory makes the congestion control of all queue pairs
    void SetCongestionControl(ObjectFactory factory);
    /// @param typeId an RdmaCongestionOps
    void SetCongestionControl(const std::string& typeId);
    /// @param name attribute of the congestion control @param value for all queue pairs
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value);

    /// @param nodes whose FabricNetDevices get an RDMA NIC
    void Install(const NodeContainer& nodes) const;
    /// @param node likewise @return its stack
    Ptr<RdmaStack> Install(Ptr<Node> node) const;

  private:
    ObjectFactory m_nic;
    ObjectFactory m_queuePair;
    ObjectFactory m_congestionControl;
};

} // namespace ns3

#endif // RDMA_HELPER_H
