// SPDX-License-Identifier: GPL-2.0-only
#ifndef PAT_SCHEDULE_H
#define PAT_SCHEDULE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief A message of parallel aggregated trees (PAT), the same for all ranks but for rotation.
 *
 * Blocks are named by how far they have come: block s at rank r is that of rank r - s (modulo the
 * number of ranks).
 */
struct PatMessage
{
    uint32_t distance;            ///< to how many ranks further it goes
    std::vector<uint32_t> blocks; ///< what it carries, as they are called at the sender
};

/// How much goes at the same time.
struct PatWidth
{
    uint32_t blocksPerMessage{1}; ///< that are aggregated; a power of two
    uint32_t trees{1};            ///< that are walked through beside each other; a multiple of that
};

/**
 * @param ranks how many, at least 2
 * @param blockBytes length of a block
 * @param messageBytes that a message must not exceed
 * @param messages that may be on the way to a rank
 * @return as much aggregation as fits a message, but not more than what makes ceil(log2(ranks))
 * messages; then as many trees as there is room for messages
 */
PatWidth GetPatWidth(uint32_t ranks, uint64_t blockBytes, uint64_t messageBytes, uint32_t messages);

/**
 * @brief The all-gather by PAT (S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter
 * operations at scale", 2025; NCCL's src/include/collectives.h).
 *
 * A block travels from its owner along a binomial tree: block s comes to a rank from the one that
 * is lowbit(s) before it. First the blocks go far, in log2(trees) rounds, so that each rank has one
 * of each tree's roots; then all trees are walked through together in depth-first order, far
 * children first. So what a rank must keep at a time (reversed: the sums that it has begun) is
 * bounded by trees x log2(ranks / trees), not by the number of ranks. Read from its end, with
 * messages turned round, it is the reduce-scatter. A gather whose output keeps all blocks may send
 * them in any other order in which a block comes before it is sent.
 *
 * @param ranks how many, at least 2
 * @param width how much goes at the same time
 * @return the messages that each rank sends, in order
 */
std::vector<PatMessage> MakePatMessages(uint32_t ranks, const PatWidth& width);

} // namespace ns3

#endif // PAT_SCHEDULE_H
