// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROUTING_GRAPH_H
#define ROUTING_GRAPH_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A fabric as a RouteComputation sees it: numbers only, and only links that work.
 */
struct RoutingGraph
{
    /// What is behind a port that leads to no switch.
    static constexpr uint32_t NO_SWITCH = UINT32_MAX;

    /// A port of a switch.
    struct Port
    {
        uint32_t neighbor{NO_SWITCH}; ///< index of the switch behind it; NO_SWITCH: an endpoint,
                                      ///< or the link is down
        uint32_t farPort{0};          ///< port number at that switch
        uint32_t weight{1};           ///< of the link, at least 1
        uint64_t bitRate{0};          ///< of the port, bits a second
    };

    /// A switch.
    struct Switch
    {
        uint32_t tier{0}; ///< 1 next to hosts, 2 above, ...; 0: not said
        std::vector<Port> ports;
    };

    /// Destinations that are plugged into the same switches, so that the way there is the same.
    struct Target
    {
        std::vector<uint32_t> homes;     ///< indices of those switches, ascending
        std::vector<uint32_t> addresses; ///< of the destinations, ascending
    };

    std::vector<Switch> switches;
    std::vector<Target> targets;
    std::vector<uint32_t> endpoints; ///< addresses of the fabric's endpoints, in their order
};

/// Where a switch sends the frames to a target.
struct PortGroup
{
    std::vector<uint32_t> ports;   ///< ascending; empty: no route
    std::vector<uint32_t> weights; ///< of each port, at least 1; empty: all the same
};

} // namespace ns3

#endif // ROUTING_GRAPH_H
