// SPDX-License-Identifier: GPL-2.0-only
#ifndef NIC_WAYS_H
#define NIC_WAYS_H

#include "ns3/fabric-net-device.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

class GpuEndpoint;

/**
 * @file
 * @ingroup ai-fabric
 * @brief Which NIC ports of two GPUs are for each other.
 *
 * A GPU may have several NIC ports: in planes that nothing joins, on cables to single peers, or
 * several in one network. Ports of different networks cannot reach each other.
 */

/// A NIC port that a GPU uses.
struct GpuNicPort
{
    Ptr<FabricNetDevice> device;
    uint32_t network{0}; ///< that it leads into: a number that such ports have in common
};

/**
 * @param from networks of one GPU's ports @param to of another one's
 * @return index of a port of each: network by network that both have, in the first one's order, and
 * in each as often as the one with more ports there has ports
 */
std::vector<std::pair<size_t, size_t>> PairPorts(const std::vector<uint32_t>& from,
                                                 const std::vector<uint32_t>& to);

/// A port of each of two GPUs.
using NicWay = std::pair<Ptr<FabricNetDevice>, Ptr<FabricNetDevice>>;

/// @param from a GPU @param to another one @return its ports that can reach ports of the other one
std::vector<NicWay> FindNicWays(const GpuEndpoint& from, const GpuEndpoint& to);

} // namespace ns3

#endif // NIC_WAYS_H
