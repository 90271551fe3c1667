// SPDX-License-Identifier: GPL-2.0-only
#ifndef TOPOLOGY_DOT_H
#define TOPOLOGY_DOT_H

#include "ns3/fabric-graph.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A fabric as Graphviz text: `dot -Tsvg topology.dot`.
 *
 * Tiers are ranks, the highest at the top. Of a large fabric what is alike is one node, see
 * DrawTopology().
 * @param out where to
 * @param graph the fabric
 * @param name of the graph
 */
void WriteTopologyDot(std::ostream& out, const FabricGraph& graph, const std::string& name);

} // namespace ns3

#endif // TOPOLOGY_DOT_H
