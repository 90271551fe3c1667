// SPDX-License-Identifier: GPL-2.0-only
#ifndef RING_ALGORITHM_H
#define RING_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief NCCL's rings: all-reduce, all-gather, reduce-scatter, broadcast, reduce, barrier.
 *
 * Each channel has a ring, a share of the data (GetChannelShare()) and a thread at each rank; a
 * share goes in loops of a chunk for each rank (of one chunk for broadcast and reduce), a chunk in
 * slices. In a loop, reduce-scatter sends partial sums once around (n - 1 steps: block r ends at
 * rank r), all-gather sends whole blocks once around (n - 1 steps); all-reduce is the one and then
 * the other, 2 (n - 1) steps (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
 * clusters of workstations", JPDC 69(2), 2009). Broadcast and reduce are chains that begin or end
 * at the root. A step receives, adds or copies and sends a slice at once, as NCCL's primitives
 * (src/device/all_reduce.h and its neighbours at v2.26.2-1). As there, a chunk without elements is
 * a message without data: each rank of a ring of few elements still takes all steps.
 *
 * All ranks send their first chunk before they receive one, so a chunk is not longer than one slice
 * less than the receiver has room for, and there must be room for two.
 *
 * The order is the layout's where it has one (by channel modulo their number), else by rail, see
 * MakeRingOrder(). A barrier is an all-reduce.
 */
class RingAlgorithm : public CollectiveAlgorithm
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
    /// @return twice as many as the largest group has ranks: each of its NICs is exit of two rings
    /// and entry of two (NCCL doubles the rings that it finds, too)
    uint32_t GetDefaultChannels(const RankLayout& layout) const override;
};

} // namespace ns3

#endif // RING_ALGORITHM_H
