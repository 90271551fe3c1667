// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_FLOWS_H
#define HPCC_FLOWS_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A line of flow.txt of the HPCC family.
struct HpccFlow
{
    uint32_t source;          ///< node id of a host
    uint32_t destination;     ///< node id of another host
    uint8_t priorityGroup;    ///< traffic class, 0 to 7
    uint16_t destinationPort; ///< UDP port
    uint64_t bytes;           ///< at least 1
    Time start;               ///< simulated time, to the picosecond
};

/**
 * Reads flows: their count, then for each `source destination priority-group destination-port bytes
 * start-seconds`. What follows the last flow announced is comment.
 * @param path of the file
 * @param isHost by node id: the flows join these
 * @return the flows, in file order; InputError tells what is wrong
 */
std::vector<HpccFlow> ReadHpccFlows(const std::string& path, const std::vector<bool>& isHost);

} // namespace ns3

#endif // HPCC_FLOWS_H
