// SPDX-License-Identifier: GPL-2.0-only
#ifndef PEER_SCHEDULE_H
#define PEER_SCHEDULE_H

#include "rank-layout.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief In which order a rank comes to its peers, as NCCL's point-to-point schedule (init.cc of
 * v2.26.2).
 *
 * There is a round for each rank. In a round a rank sends to the one that is so many groups and, in
 * the group, so many positions ahead, and receives from the one that is as many behind; so what one
 * rank sends in a round is what its peer receives in the same round. The distances are the
 * triangular numbers 0, 1, 3, 6, 10, ... modulo the next power of two, those that are too big left
 * out: of groups in the outer loop, of positions in the inner one. Round 0 is the rank itself.
 * Where groups are of unequal size, all ranks are one group.
 */
class PeerSchedule
{
  public:
    /// @param layout the ranks
    explicit PeerSchedule(const RankLayout& layout);

    /// @return number of rounds: that of ranks
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_groupOf.size());
    }

    /// @return ranks of a group
    uint32_t GetGroupSize() const
    {
        return static_cast<uint32_t>(m_positionDistances.size());
    }

    /// @param rank a rank @param round a round @return whom it sends to
    uint32_t GetDestination(uint32_t rank, uint32_t round) const;

    /// @param rank a rank @param round a round @return whom it receives from
    uint32_t GetSource(uint32_t rank, uint32_t round) const;

    /// @param n a number of places @return all distances between them, in NCCL's order
    static std::vector<uint32_t> GetDistances(uint32_t n);

  private:
    std::vector<std::vector<uint32_t>> m_groups; ///< of one size
    std::vector<uint32_t> m_groupOf;             ///< by rank
    std::vector<uint32_t> m_positionOf;
    std::vector<uint32_t> m_groupDistances;
    std::vector<uint32_t> m_positionDistances;
};

} // namespace ns3

#endif // PEER_SCHEDULE_H
