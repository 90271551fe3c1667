// SPDX-License-Identifier: GPL-2.0-only
#ifndef RANK_LAYOUT_H
#define RANK_LAYOUT_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// Where a rank sits, as far as an algorithm cares.
struct RankPlace
{
    uint32_t group; ///< ranks of one group reach each other by scale-up links, or share a server
    uint32_t rail;  ///< NICs of one rail are close to each other in the network
};

/**
 * @brief The ranks of a communicator by group and rail: what an algorithm sees of the machines.
 */
class RankLayout
{
  public:
    RankLayout() = default;

    /// @param places by rank; groups and rails may have any numbers
    explicit RankLayout(const std::vector<RankPlace>& places);

    /**
     * @param groups how many
     * @param ranksPerGroup in each, on rails 0, 1, ...
     * @return the layout of a regular cluster, ranks numbered group by group
     */
    static RankLayout Regular(uint32_t groups, uint32_t ranksPerGroup);

    /// @return number of ranks
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_railOf.size());
    }

    /// @return the ranks of each group, by rail, then by rank; groups in order of their first rank
    const std::vector<std::vector<uint32_t>>& GetGroups() const
    {
        return m_groups;
    }

    /// @return ranks of the largest group; 0 if there is no rank
    uint32_t GetLargestGroup() const;

    /// @param rank a rank @return its rail
    uint32_t GetRail(uint32_t rank) const
    {
        return m_railOf[rank];
    }

  private:
    std::vector<uint32_t> m_railOf;
    std::vector<std::vector<uint32_t>> m_groups;
};

} // namespace ns3

#endif // RANK_LAYOUT_H
