// SPDX-License-Identifier: GPL-2.0-only
#ifndef RAIL_OPTIMIZED_TOPOLOGY_H
#define RAIL_OPTIMIZED_TOPOLOGY_H

#include "fabric-graph.h"

namespace ns3
{

/// What a rail-optimized fabric is made of.
struct RailOptimizedParameters
{
    uint32_t servers{2};
    uint32_t gpusPerServer{8};          ///< with a NIC each: the number of rails
    uint32_t serversPerPod{0};          ///< that share a set of rail leaves; 0: all servers
    uint32_t spines{0};                 ///< 0: as many as rails
    uint32_t linksPerSpine{1};          ///< parallel cables between a leaf and a spine
    DataRate linkRate{400'000'000'000}; ///< NIC to leaf
    DataRate spineRate{0};              ///< leaf to spine; 0: as linkRate
    Time linkDelay{NanoSeconds(25)};    ///< NIC to leaf, one way: 5 m of copper or fibre
    Time spineDelay{NanoSeconds(250)};  ///< leaf to spine, one way: 50 m of fibre

    /// @return the parameters with nothing left at "0: ..."
    RailOptimizedParameters Resolved() const;
    /// @return empty, or which parameter is out of its range
    std::string Check() const;
};

/**
 * NIC r of every server has its cable to leaf r of the server's pod, so GPUs of the same number are
 * one switch apart; every leaf has a cable (or several) to every spine.
 *
 * Vertices: server0.., pod0-rail0, pod0-rail1, .., spine0... Port r of a server is its NIC r.
 * @param parameters valid ones
 * @return the fabric
 */
FabricGraph MakeRailOptimized(const RailOptimizedParameters& parameters);

} // namespace ns3

#endif // RAIL_OPTIMIZED_TOPOLOGY_H
