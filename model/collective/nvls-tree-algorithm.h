// SPDX-License-Identifier: GPL-2.0-only
#ifndef NVLS_TREE_ALGORITHM_H
#define NVLS_TREE_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief NCCL's NVLS-tree: all-reduce and barrier over several groups with in-switch reduction.
 *
 * As NVLS within each group; between the reduction and the multicast, the heads of the same number
 * in all groups add up and spread their chunk along a double binary tree of the groups
 * (MakeBinaryTree(): even channels the first tree, odd ones the second), over the network, on the
 * rail of the head. See NvlsProgram.
 */
class NvlsTreeAlgorithm : public CollectiveAlgorithm
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
    /// @return 16, NCCL's number of NVLS channels on Hopper
    uint32_t GetDefaultChannels(const RankLayout& layout) const override;
};

} // namespace ns3

#endif // NVLS_TREE_ALGORITHM_H
