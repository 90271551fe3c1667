// SPDX-License-Identifier: GPL-2.0-only
#ifndef TREE_ALGORITHM_H
#define TREE_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief NCCL's double binary tree: all-reduce and barrier.
 *
 * A channel has a tree of all ranks (see MakeRankTree()) and a share of the data, which goes chunk
 * by chunk: sums up the tree, the result down. Both are at work at the same time, in two threads of
 * a rank; the root does both in one (runTreeSplit() of NCCL's src/device/all_reduce.h at
 * v2.26.2-1). Half of the channels have the first tree and half the second, so that each rank is
 * inner node in one half only. A message is a chunk, but not longer than a slice.
 */
class TreeAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::string Check(const CollectiveRequest& request, const RankLayout& layout) const override;
    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                  const RankLayout& layout,
                                                  const CollectivePlan& plan) const override;

  protected:
    /// @return twice as many as the largest group has ranks: two trees with each NIC at the head
    uint32_t GetDefaultChannels(const RankLayout& layout) const override;
};

} // namespace ns3

#endif // TREE_ALGORITHM_H
