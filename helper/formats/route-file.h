// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROUTE_FILE_H
#define ROUTE_FILE_H

#include "ns3/fabric-graph.h"
#include "ns3/static-routes.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Reads routing tables that somebody wrote, for StaticRoutes.
 *
 * A line is three words: a switch, destinations, and where that switch sends what is for them.
 *
 *     leaf0  host5              spine1
 *     leaf0  host6,host7:1      spine0@3,spine1    # three frames of four by spine0
 *     spine0 *                  4                  # all other destinations: by port 4
 *
 * Destinations are names of hosts, or host:port for one of the ports of a host, or * for all that
 * no other line of the switch names. Where to is a port number, or the name of a neighbouring
 * switch for all links to it; each may have a weight (1 unless given). Ports are numbered from 0 in
 * the order of the switch's cables. From # on a line is a comment.
 *
 * @param path of the file
 * @param graph the fabric
 * @return the routes, in order of lines
 * @throw InputError with file, line and field
 */
std::vector<StaticRoute> ReadRouteFile(const std::string& path, const FabricGraph& graph);

} // namespace ns3

#endif // ROUTE_FILE_H
