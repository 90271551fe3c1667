// SPDX-License-Identifier: GPL-2.0-only
#ifndef DRAGONFLY_PLUS_TOPOLOGY_H
#define DRAGONFLY_PLUS_TOPOLOGY_H

#include "fabric-graph.h"
#include "global-links.h"

namespace ns3
{

/// What a dragonfly+ is made of.
struct DragonflyPlusParameters
{
    uint32_t groups{0};       ///< 0: as many as possible, spines x globalLinks + 1
    uint32_t leaves{2};       ///< of a group
    uint32_t spines{2};       ///< of a group
    uint32_t hostsPerLeaf{2}; ///< of a leaf
    uint32_t globalLinks{2};  ///< global cables of a spine
    GlobalArrangement arrangement{GlobalArrangement::PALMTREE};
    DataRate linkRate{400'000'000'000}; ///< host to leaf
    DataRate localRate{0};              ///< leaf to spine; 0: as linkRate
    DataRate globalRate{0};             ///< spine to spine; 0: as linkRate
    Time linkDelay{NanoSeconds(25)};    ///< host to leaf, one way: 5 m
    Time localDelay{NanoSeconds(50)};   ///< leaf to spine, one way: 10 m
    Time globalDelay{NanoSeconds(500)}; ///< spine to spine, one way: 100 m

    /// @return the parameters with nothing left at "0: ..."
    DragonflyPlusParameters Resolved() const;
    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * Groups that are leaf-spine fabrics, with cables between the spines of all pairs of groups
 * (Shpiner, Haramaty, Eliad et al., "Dragonfly+: Low Cost Topology for Scaling Datacenters",
 * HiPINEB 2017): groups x leaves x hostsPerLeaf hosts, leaves x spines local cables a group, and
 * floor(spines x globalLinks / (groups - 1)) global cables a pair of groups. On the shortest paths
 * at most 3 cables lie between two leaves: up, global, down; so they have no cyclic buffer
 * dependency. Global port k of a group is at its spine k / globalLinks.
 *
 * Vertices: host0.. (leaf by leaf), group0-leaf0, .., group0-spine0, .., group1-leaf0, ...
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeDragonflyPlus(const DragonflyPlusParameters& parameters);

} // namespace ns3

#endif // DRAGONFLY_PLUS_TOPOLOGY_H
