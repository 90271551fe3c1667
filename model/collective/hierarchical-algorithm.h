// SPDX-License-Identifier: GPL-2.0-only
#ifndef HIERARCHICAL_ALGORITHM_H
#define HIERARCHICAL_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Two levels: m groups (scale-up domains or servers) of g ranks each.
 *
 * A rank's peers are those of its group, and those that have its position in the other groups: its
 * rail. Both levels are rings, in rounds (RoundProgram).
 *
 * - all-reduce: reduce-scatter in the group, all-reduce along the rail, all-gather in the group. A
 *   rank sends 2 (g - 1) / g S inside and 2 (m - 1) / (m g) S outside.
 * - reduce-scatter: in the group, for the position of each block's rank; then along the rail.
 * - all-gather: along the rail, then in the group.
 * - all-to-all: each rank hands the blocks for position p of all groups to the rank at position p
 * of its own group, which sends each group its g blocks as one message: m - 1 messages out of a
 * rank instead of (m - 1) g.
 *
 * Groups of unequal size are refused. The ranks of a group are ordered by rail.
 */
class HierarchicalAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::string Check(const CollectiveRequest& request, const RankLayout& layout) const override;
    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                  const RankLayout& layout,
                                                  const CollectivePlan& plan) const override;
};

} // namespace ns3

#endif // HIERARCHICAL_ALGORITHM_H
