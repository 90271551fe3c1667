// SPDX-License-Identifier: GPL-2.0-only
#ifndef GRAPH_MEASURES_H
#define GRAPH_MEASURES_H

#include "fabric-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief What can be said of a fabric on paper: tiers, parts, distances, bandwidths.
 */

/**
 * @param graph some
 * @return by vertex: 0 for hosts, for switches their tier. Where the graph does not say it, it is 1
 * next to hosts and else one more than the nearest switch's that has it.
 */
std::vector<uint32_t> GetTiers(const FabricGraph& graph);

/**
 * The networks that a fabric falls into, since hosts do not forward: cables are in one network if a
 * way over switches joins them. NIC ports in different networks cannot reach each other.
 * @param graph some
 * @return by edge: number of its network, from 0 in order of first edges
 */
std::vector<uint32_t> GetNetworks(const FabricGraph& graph);

/// The switches of a tier, taken together.
struct TierMeasure
{
    uint32_t tier;
    uint32_t switches{0};
    uint32_t fewestPorts{UINT32_MAX};
    uint32_t mostPorts{0};
    uint64_t downBps{0}; ///< of cables to lower tiers and hosts, each way
    uint64_t upBps{0};   ///< of cables to higher tiers
    uint64_t sameBps{0}; ///< of cables within the tier, each counted once
};

/// @param graph some @return its tiers, ascending
std::vector<TierMeasure> MeasureTiers(const FabricGraph& graph);

/// Cables between NIC ports.
struct PortDistances
{
    uint32_t shortest{0}; ///< 0: no two ports are in one network
    uint32_t longest{0};  ///< the diameter
};

/**
 * @param graph some
 * @return cables on the shortest way between two NIC ports of different hosts that are in one
 * network: the fewest and the most
 */
PortDistances MeasureDistances(const FabricGraph& graph);

/// What fits between the two halves of the hosts.
struct HalvesBandwidth
{
    uint64_t bps{0};      ///< from the first half to the second, all ways used
    uint64_t portsBps{0}; ///< what the NIC ports of the smaller side could take
};

/**
 * The largest flow from the hosts of the first half, in order of vertices, to those of the second.
 * In builders' fabrics that cut is the bisection: the least among cuts into halves.
 * @param graph some
 * @return its bandwidth
 */
HalvesBandwidth MeasureHalves(const FabricGraph& graph);

} // namespace ns3

#endif // GRAPH_MEASURES_H
