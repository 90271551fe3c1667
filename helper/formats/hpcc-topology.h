// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_TOPOLOGY_H
#define HPCC_TOPOLOGY_H

#include "ns3/fabric-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// topology.txt of the HPCC family.
struct HpccTopology
{
    std::string file;              ///< it came from
    FabricGraph graph;             ///< the vertex of node id n is vertex n: host<n> or switch<n>
    std::vector<bool> isHost;      ///< by node id
    std::vector<uint32_t> hostIds; ///< ids of the nodes that are hosts, ascending
};

/**
 * Reads a topology: `nodes switches links`, the ids of the switches, and for each link `source
 * destination rate delay error-rate`. What follows the last link announced is comment.
 * @param path of the file
 * @param errorRatePerLink of the links whose own error rate is 0
 * @return it; InputError tells what is wrong
 */
HpccTopology ReadHpccTopology(const std::string& path, double errorRatePerLink = 0);

/**
 * Reads the file of the nodes to trace: their count, then their ids.
 * @param path of the file
 * @return the ids, which need not all exist: the published files name more nodes than the
 *         topologies that they are used with have, and those are to be skipped
 */
std::vector<uint32_t> ReadHpccTraceNodes(const std::string& path);

} // namespace ns3

#endif // HPCC_TOPOLOGY_H
