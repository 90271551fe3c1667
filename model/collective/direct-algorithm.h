// SPDX-License-Identifier: GPL-2.0-only
#ifndef DIRECT_ALGORITHM_H
#define DIRECT_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Every block goes straight from the rank that has it to the rank that wants it: NCCL's
 * grouped point-to-point, and one-shot collectives.
 *
 * What moves blocks (all-to-all, all-to-all-v, gather, scatter, send-receive, point-to-point,
 * all-gather, broadcast) is scheduled as NCCL v2.26.2 does sends and receives of a group (init.cc,
 * enqueue.cc, sendrecv.h):
 * - a rank comes to its peers in the order of PeerSchedule;
 * - the transfer of a round is cut into parts, one a channel: few channels where there are many
 *   ranks, more of them, up to the plan's, as the transfer grows beyond a chunk for each; parts are
 *   multiples of 4 KiB but the last;
 * - a channel works on up to 8 transfers at once, each way; the next one begins when its turn has
 *   come in one of the 8 slots. Rounds are dealt out over PointToPointChannels: round by round
 *   within one group, and by groups' worth of up to 8 rounds among several groups;
 * - a part is cut into chunks, each of them a message. A rank's transfer to itself is a copy.
 *
 * What adds (reduce-scatter, reduce, all-reduce, barrier) is done in one shot: each rank sends its
 * contribution to all who want it, in the order of the schedule, and adds what it receives in that
 * order; a channel has its share of it. That costs one latency and, in all-reduce, (n - 1) S bytes
 * a rank: for small sizes.
 */
class DirectAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::string Check(const CollectiveRequest& request, const RankLayout& layout) const override;
    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                  const RankLayout& layout,
                                                  const CollectivePlan& plan) const override;

  private:
    uint32_t m_workChannels{0};
};

} // namespace ns3

#endif // DIRECT_ALGORITHM_H
