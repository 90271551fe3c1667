// SPDX-License-Identifier: GPL-2.0-only
#ifndef PAT_ALGORITHM_H
#define PAT_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Parallel aggregated trees: all-gather and reduce-scatter with few messages where data are
 * few, and a bounded scratch buffer where they are many.
 *
 * See MakePatMessages() for who sends what. Small blocks are put together in one message, so that a
 * rank sends ceil(log2(n)) of them; a block of a message's length goes alone, in n - 1 messages.
 * NCCL uses it where each server has one rank; here the layout may be any, and plays no part. A
 * rank has two threads a channel, one that sends and one that receives.
 */
class PatAlgorithm : public CollectiveAlgorithm
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
    /// @return 2
    uint32_t GetDefaultChannels(const RankLayout& layout) const override;
};

} // namespace ns3

#endif // PAT_ALGORITHM_H
