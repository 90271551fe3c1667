// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_GRAPH_H
#define NCCL_GRAPH_H

#include "collective-platform.h"
#include "nccl-constants.h"
#include "nccl-environment.h"

#include <cstdint>

namespace ns3
{

/// What NCCL's search has found for a pattern: channels that run beside each other at a speed.
struct NcclGraph
{
    uint32_t channels{0};  ///< 0: there is no such pattern
    double intraGBps{0};   ///< of a channel within a node
    double interGBps{0};   ///< of a channel between nodes
    bool sameOrder{false}; ///< all channels have the same order of ranks
};

/// What the cost model knows of the machines.
struct NcclGraphs
{
    uint32_t nodes{1};
    double ranksPerNode{1};
    bool nvlink{false}; ///< ranks of a node reach each other by NVLink
    NcclGraph ring;
    NcclGraph tree;
    NcclGraph nvls;           ///< its channels are the heads
    uint32_t channels{0};     ///< of the communicator, those that only NVLS needs too
    uint32_t ringChannels{0}; ///< of rings and trees
    uint32_t nvlsChannels{0}; ///< thread blocks of NVLS; 0: not to be had
};

/**
 * @brief Finds how many channels at which speed a server's links carry, as NCCL's search does
 * (src/graph/search.cc, connect.cc), for servers that are all alike and whose GPUs are too.
 *
 * NCCL tries falling speeds; at each it lays as many rings (or trees) as the links have bandwidth
 * for, and keeps the set that moves most. Then it doubles channels that are fast, and tries to
 * raise the speed. Where all GPUs are alike, how many fit follows from sums:
 *
 * | pattern | NVLink of a GPU (B GB/s, G GPUs) | NIC |
 * | --- | --- | --- |
 * | ring | channels x intra <= B | each channel takes inter of one NIC |
 * | tree | one node: channels x intra <= B; else (intra (G - 1) + inter / 2) / G a channel |
 * likewise | | NVLS | (heads + 1) x intra <= B: a head pulls for itself and for all | one NIC a
 * head |
 *
 * @param constants of the version
 * @param environment limits of channels
 * @param platform the machines
 * @param nodes groups of the communicator
 * @param ranks of the communicator
 * @param nvls whether all groups can use in-switch reduction
 * @return what was found
 */
NcclGraphs FindNcclGraphs(const NcclConstants& constants,
                          const NcclEnvironment& environment,
                          const CollectivePlatform& platform,
                          uint32_t nodes,
                          uint32_t ranks,
                          bool nvls);

/// @param computeCapability of a GPU @return 0 Volta and older, 1 Ampere, 2 Hopper, 3 Blackwell
uint32_t GetNcclGeneration(uint32_t computeCapability);

/// @param constants of the version @param computeCapability of a GPU @return of an NVLink, GB/s
double GetNvlinkGBps(const NcclConstants& constants, uint32_t computeCapability);

} // namespace ns3

#endif // NCCL_GRAPH_H
