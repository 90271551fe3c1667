// SPDX-License-Identifier: GPL-2.0-only
#ifndef TREE_ORDER_H
#define TREE_ORDER_H

#include "rank-layout.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// A tree of ranks or of groups.
struct RankTree
{
    static constexpr uint32_t NONE = UINT32_MAX;

    std::vector<uint32_t> parent;                ///< by node; of the root: NONE
    std::vector<std::vector<uint32_t>> children; ///< by node
};

/**
 * @brief One of the two trees of NCCL's double binary tree (src/graph/trees.cc; Sanders, Speck and
 * Traff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
 * 35(12), 2009).
 *
 * In the first tree, node i > 0 with lowest set bit b has the parent (i ^ b) | 2 b, or i ^ b if
 * there is no such node; 0 is the root. The second one is the first with the nodes numbered from
 * behind (an even number of nodes), or shifted by one (an odd number), so that a node which has
 * children in the one is a leaf in the other, but for one of them.
 *
 * @param nodes how many
 * @param second which one
 * @return the tree; the lower child (before mirroring or shifting) comes first
 */
RankTree MakeBinaryTree(uint32_t nodes, bool second);

/**
 * @brief The tree of all ranks on a channel, as NCCL connects it (src/graph/connect.cc): a binary
 * tree over the groups, a chain in each group.
 *
 * Even channels have the first tree, odd ones the second. The chain of a group is the layout's
 * where it has one (for channels 2 k and 2 k + 1: number k, modulo their number), else the group's
 * ranks beginning with number k. The head of a chain has the group's parent; a group's first child
 * hangs on the second rank of the chain and its second child on the head, so that the work is
 * shared (NCCL's balanced tree).
 *
 * @param layout the ranks
 * @param channel number of the channel
 * @return the tree; a rank's next in the chain is its first child
 */
RankTree MakeRankTree(const RankLayout& layout, uint32_t channel);

/// @param tree a tree @return number of edges from its root to its deepest node
uint32_t GetDepth(const RankTree& tree);

} // namespace ns3

#endif // TREE_ORDER_H
