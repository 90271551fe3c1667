// SPDX-License-Identifier: GPL-2.0-only
#ifndef GRAPH_TOPOLOGY_H
#define GRAPH_TOPOLOGY_H

#include "ns3/fabric-graph.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief A fabric as a text file, a line a thing:
 *
 *     host NAME
 *     switch NAME [TIER]
 *     link NAME NAME RATE DELAY [weight=N] [loss=P]
 *
 * What follows a # is comment. A name has letters, digits, '-', '_' and '.', and must be there
 * before the first link that has it. The ports of a vertex are its links, in the file's order.
 */

/// @param path of the file @return its fabric; InputError tells what is wrong
FabricGraph ReadGraphTopology(const std::string& path);

/// @param out where to @param graph some fabric: ReadGraphTopology() reads what is written
void WriteGraphTopology(std::ostream& out, const FabricGraph& graph);

} // namespace ns3

#endif // GRAPH_TOPOLOGY_H
