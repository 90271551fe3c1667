// SPDX-License-Identifier: GPL-2.0-only
#ifndef CHANNEL_SEARCH_H
#define CHANNEL_SEARCH_H

#include "rank-layout.h"
#include "server-graph.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// What may be done to get from a GPU to a NIC.
struct ChannelRules
{
    bool pxn{true};       ///< a GPU may send by the NIC of another one that it reaches by NVLink
    bool crossNic{false}; ///< a ring may leave a group by another NIC than it comes in by
};

/**
 * @brief Lays rings and chains of trees over servers, as NCCL's search does (src/graph/search.cc,
 * connect.cc).
 *
 * Channel c of several groups belongs to NIC c modulo their number: that is its rail. In each group
 * its ring comes in at the GPU nearest to that NIC, passes all GPUs, and leaves by the same NIC:
 * from a GPU that is at the same PCIe switch or, with PXN, from any that reaches the first one by
 * NVLink. From GPU to GPU it prefers NVLink to PCIe and, of NVLinks, those that channels before it
 * use least for their bandwidth; of equal ones the GPU with the next lower number, as NCCL does on
 * NVSwitch: ring 0 of 8 GPUs is 0, 7, 6, ..., 1, ring 1 is 1, 0, 7, ..., 2. In one group there is
 * no NIC, and all rings of a switched server have the same order, 0, 1, 2, ...
 *
 * The chain of a tree begins at the GPU nearest to the channel's NIC and goes on upwards.
 *
 * @param layout the ranks; each of its groups is a server that the graph describes: its ranks, in
 * the layout's order, are GPUs 0, 1, ...
 * @param graph the server
 * @param channels how many orders to find; at least 1
 * @param rules what is allowed
 * @param error receives why there are none; else it is left empty
 * @return rings and chains by channel; no rings where crossNic leaves them to MakeRingOrder()
 */
ChannelOrders FindChannelOrders(const RankLayout& layout,
                                const ServerGraph& graph,
                                uint32_t channels,
                                const ChannelRules& rules,
                                std::string& error);

} // namespace ns3

#endif // CHANNEL_SEARCH_H
