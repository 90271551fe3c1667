// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_HELPER_H
#define RDMA_HELPER_H

#include "rdma-settings.h"

#include "ns3/node-container.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Puts an RdmaStack on nodes, with an RDMA NIC behind each of their fabric ports.
 */
class RdmaHelper : public RdmaSettings
{
  public:
    /// @param nodes whose FabricNetDevices get an RDMA NIC
    void Install(const NodeContainer& nodes) const;
    /// @param node likewise @return its stack
    Ptr<RdmaStack> Install(Ptr<Node> node) const;
};

} // namespace ns3

#endif // RDMA_HELPER_H
