// SPDX-License-Identifier: GPL-2.0-only
#ifndef RING_ALGORITHM_H
#define RING_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Ring all-reduce, all-gather and reduce-scatter, as NCCL's: one ring a channel.
 *
 * The buffer is divided over the channels, a channel's share into loops of a chunk for each rank, a
 * chunk into slices. In a loop, reduce-scatter sends partial sums once around (n - 1 steps: block r
 * ends at rank r), all-gather sends whole blocks once around (n - 1 steps); all-reduce is the one
 * and then the other, 2 (n - 1) steps (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms
 * for clusters of workstations", JPDC 69(2), 2009). A slice is forwarded as soon as it has been
 * reduced or copied, so that the links of all ranks are busy at the same time. All divisions are by
 * elements and even (EvenPart), any count will do; a share without elements makes no step.
 *
 * Rings are laid out by rail, see MakeRingOrder().
 */
class RingAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::string Check(const CollectiveRequest& request, const RankLayout& layout) const override;
    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                  const RankLayout& layout) const override;

    /// @param layout the ranks @return how many channels it uses for them
    uint32_t GetChannels(const RankLayout& layout) const;

  private:
    uint32_t m_channels{0};
    uint64_t m_chunkBytes{0};
    uint64_t m_sliceBytes{0};
};

} // namespace ns3

#endif // RING_ALGORITHM_H
