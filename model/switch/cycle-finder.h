// SPDX-License-Identifier: GPL-2.0-only
#ifndef CYCLE_FINDER_H
#define CYCLE_FINDER_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief One shortest cycle of each strongly connected component of a graph (Tarjan, "Depth-first
 * search and linear graph algorithms", SIAM J. Comput. 1(2), 1972; without recursion).
 * @param successors by node: the nodes that its edges lead to, ascending
 * @return the cycles, each from its lowest node on, in ascending order of that
 */
std::vector<std::vector<uint32_t>> FindShortestCycles(
    const std::vector<std::vector<uint32_t>>& successors);

} // namespace ns3

#endif // CYCLE_FINDER_H
