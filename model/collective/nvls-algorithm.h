// SPDX-License-Identifier: GPL-2.0-only
#ifndef NVLS_ALGORITHM_H
#define NVLS_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief NCCL's NVLS: all-reduce, all-gather, reduce-scatter, barrier by a switch that reduces and
 * multicasts, for one group.
 *
 * A rank sends and receives its data once, whatever the number of ranks: in all-reduce each rank
 * is the head of one chunk of a loop, whose sum it gets from the switch and multicasts. In
 * all-gather a rank multicasts its block, in reduce-scatter it gets the sum of it. See NvlsProgram.
 */
class NvlsAlgorithm : public CollectiveAlgorithm
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

#endif // NVLS_ALGORITHM_H
