// SPDX-License-Identifier: GPL-2.0-only
#ifndef FAT_TREE_TOPOLOGY_H
#define FAT_TREE_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a fat tree is made of.
struct FatTreeParameters
{
    uint32_t k{4};                      ///< pods, and ports of a switch without oversubscription
    uint32_t hostsPerEdge{0};           ///< of an edge switch; 0: k/2, no oversubscription
    uint32_t coresPerAggregation{0};    ///< uplinks of an aggregation switch; 0: k/2
    DataRate linkRate{400'000'000'000}; ///< host to edge switch
    DataRate uplinkRate{0};             ///< between switches; 0: as linkRate
    Time linkDelay{NanoSeconds(500)};   ///< host to edge switch, one way
    Time uplinkDelay{NanoSeconds(500)}; ///< between switches, one way

    /// @return the parameters with nothing left at "0: ..."
    FatTreeParameters Resolved() const;
    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * The three-tier fat tree of k-port switches: k pods of k/2 edge and k/2 aggregation switches, and
 * (k/2)^2 core switches; k^3/4 hosts, 5k^2/4 switches, 3k^3/4 cables, full bisection (Al-Fares,
 * Loukissas, Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008).
 *
 * With more than k/2 hosts on an edge switch, or fewer than k/2 cores above an aggregation switch,
 * it is oversubscribed there: hostsPerEdge k^2/2 hosts, coresPerAggregation k/2 cores.
 *
 * Vertices: host0.. (pod by pod, edge switch by edge switch), edge0.., aggregation0.., core0...
 * Aggregation switch j of every pod has the cores j c to (j+1) c - 1, c = coresPerAggregation.
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeFatTree(const FatTreeParameters& parameters);

} // namespace ns3

#endif // FAT_TREE_TOPOLOGY_H
