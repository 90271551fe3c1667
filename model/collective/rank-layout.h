// SPDX-License-Identifier: GPL-2.0-only
#ifndef RANK_LAYOUT_H
#define RANK_LAYOUT_H

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// Where a rank sits, as far as an algorithm cares.
struct RankPlace
{
    uint32_t group; ///< ranks of one group reach each other by scale-up links, or share a server
    uint32_t rail;  ///< NICs of one rail are close to each other in the network
};

/// An order of ranks for each channel: what a search over the machines, or a file, has found.
struct ChannelOrders
{
    std::vector<std::vector<uint32_t>> rings; ///< by channel: all ranks in ring order
    /// By channel and group (in the order of GetGroups()): the group's ranks; the chain of a tree.
    std::vector<std::vector<std::vector<uint32_t>>> chains;
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

    /// @param rank a rank @return index of its group in GetGroups()
    uint32_t GetGroup(uint32_t rank) const
    {
        return m_groupOf[rank];
    }

    /// @param able whether the switch of each group can reduce and multicast (NVLS)
    void SetInSwitchReduction(bool able)
    {
        m_inSwitchReduction = able;
    }

    /// @return whether messages may go by MessageWay::REDUCTION and MULTICAST within groups
    bool HasInSwitchReduction() const
    {
        return m_inSwitchReduction;
    }

    /// @param orders to be used by channel modulo their number, instead of the built-in ones
    void SetOrders(std::shared_ptr<const ChannelOrders> orders)
    {
        m_orders = std::move(orders);
    }

    /// @return the orders that were set, or null
    const ChannelOrders* GetOrders() const
    {
        return m_orders.get();
    }

  private:
    bool m_inSwitchReduction{false};
    std::shared_ptr<const ChannelOrders> m_orders;
    std::vector<uint32_t> m_groupOf; ///< by rank
    std::vector<uint32_t> m_railOf;
    std::vector<std::vector<uint32_t>> m_groups;
};

} // namespace ns3

#endif // RANK_LAYOUT_H
