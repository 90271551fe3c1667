// SPDX-License-Identifier: GPL-2.0-only
#ifndef DRAGONFLY_TOPOLOGY_H
#define DRAGONFLY_TOPOLOGY_H

#include "fabric-graph.h"
#include "global-links.h"

namespace ns3
{

/// What a dragonfly is made of; the letters are the paper's.
struct DragonflyParameters
{
    uint32_t a{4}; ///< switches of a group
    uint32_t p{2}; ///< hosts of a switch
    uint32_t h{2}; ///< global cables of a switch
    uint32_t g{0}; ///< groups; 0: as many as possible, a h + 1
    GlobalArrangement arrangement{GlobalArrangement::PALMTREE};
    DataRate linkRate{400'000'000'000}; ///< host to switch
    DataRate localRate{0};              ///< within a group; 0: as linkRate
    DataRate globalRate{0};             ///< between groups; 0: as linkRate
    Time linkDelay{NanoSeconds(25)};    ///< host to switch, one way: 5 m
    Time localDelay{NanoSeconds(50)};   ///< within a group, one way: 10 m
    Time globalDelay{NanoSeconds(500)}; ///< between groups, one way: 100 m

    /// @return the parameters with nothing left at "0: ..."
    DragonflyParameters Resolved() const;
    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * Groups of switches that are all joined with each other, and cables between all pairs of groups
 * (Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008):
 * a p g hosts, a g switches of p + a - 1 + h ports; a (a - 1) / 2 local cables a group, and
 * floor(a h / (g - 1)) global cables a pair of groups. At most 3 cables lie between two switches:
 * local, global, local. The paper's balance is a = 2p = 2h. Global port k of a group is at its
 * switch k / h.
 *
 * A global cable has the weight 3, so that no shortest path goes over two of them.
 *
 * Its shortest paths have cyclic buffer dependencies: lossless in one class it can deadlock.
 *
 * Vertices: host0.. (switch by switch), group0-switch0, group0-switch1, ...
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeDragonfly(const DragonflyParameters& parameters);

} // namespace ns3

#endif // DRAGONFLY_TOPOLOGY_H
