// SPDX-License-Identifier: GPL-2.0-only
#ifndef SHORTEST_PATH_ROUTES_H
#define SHORTEST_PATH_ROUTES_H

#include "fabric-switch.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Fills the forwarding tables of a fabric: all shortest paths, counted in hops.
 *
 * One breadth-first search for each switch that endpoints are attached to; endpoints do not
 * forward. Parallel links between two switches all belong to the group. MAC addresses lead to the
 * same ports. What is flooded goes along a tree over the switches (breadth first from the first
 * one) and to all endpoints.
 *
 * @param switches the switches of one fabric, their ports cabled
 * @param endpoints the ports of its endpoints; their IPv4 addresses should be consecutive
 * @return empty, or which endpoint cannot be reached from where, or that two have one MAC address
 */
std::string ComputeShortestPathRoutes(const std::vector<Ptr<FabricSwitch>>& switches,
                                      const std::vector<Ptr<FabricNetDevice>>& endpoints);

} // namespace ns3

#endif // SHORTEST_PATH_ROUTES_H
