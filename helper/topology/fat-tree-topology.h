// SPDX-License-Identifier: GPL-2.0-only
#ifndef FAT_TREE_TOPOLOGY_H
#define FAT_TREE_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a fat tree is made of.
struct FatTreeParameters
{
    uint32_t k{4};                      ///< ports of every switch; even
    DataRate linkRate{400'000'000'000}; ///< of every cable, each way
    Time linkDelay{NanoSeconds(500)};   ///< host to edge switch, one way
    Time uplinkDelay{NanoSeconds(500)}; ///< between switches, one way

    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * The three-tier fat tree of k-port switches: k pods of k/2 edge and k/2 aggregation switches, and
 * (k/2)^2 core switches; k^3/4 hosts, 5k^2/4 switches, 3k^3/4 cables, full bisection (Al-Fares,
 * Loukissas, Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008).
 *
 * Vertices: host0.. (pod by pod, edge switch by edge switch), edge0.., aggregation0.., core0...
 * Aggregation switch j of every pod has the cores j k/2 to (j+1) k/2 - 1.
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeFatTree(const FatTreeParameters& parameters);

} // namespace ns3

#endif // FAT_TREE_TOPOLOGY_H
