// SPDX-License-Identifier: GPL-2.0-only
#ifndef TOPOLOGY_DRAWING_H
#define TOPOLOGY_DRAWING_H

#include "ns3/fabric-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A fabric as it is drawn, by TopologyPicture and as Graphviz text: where it is large, what
 * is alike is one node.
 */
struct TopologyDrawing
{
    /// How much is merged.
    enum class Detail : uint8_t
    {
        ALL,     ///< nothing but parallel cables
        HOSTS,   ///< hosts that have the same cables to the same switches
        CLASSES, ///< vertices that have the same cables to the same kinds of vertices
        TIERS,   ///< hosts, and the switches of each tier
    };

    /// A vertex, or some that are alike.
    struct Node
    {
        std::string label;
        uint32_t tier; ///< 0: hosts
        std::vector<uint32_t> vertices;
    };

    /// The cables between two nodes.
    struct Link
    {
        uint32_t a; ///< node
        uint32_t b; ///< node, not below a; a where they are between vertices of one node
        std::vector<uint32_t> edges;
    };

    Detail detail{Detail::ALL};
    std::vector<Node> nodes;
    std::vector<Link> links;      ///< by a, then b
    bool isRound{false};          ///< switches next to hosts are joined with each other
    std::vector<uint32_t> nodeOf; ///< by vertex
};

/**
 * @param graph a fabric
 * @param mostNodes to be drawn
 * @param mostLinks to be drawn
 * @return the drawing of most detail that has no more of both; of tiers, however many it has
 */
TopologyDrawing DrawTopology(const FabricGraph& graph,
                             uint32_t mostNodes = 320,
                             uint32_t mostLinks = 1600);

/// @param graph a fabric @param edges of it, all alike or not @return such as "8 x 400Gbps"
std::string DescribeCables(const FabricGraph& graph, const std::vector<uint32_t>& edges);

} // namespace ns3

#endif // TOPOLOGY_DRAWING_H
