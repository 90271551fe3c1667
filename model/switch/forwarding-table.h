// SPDX-License-Identifier: GPL-2.0-only
#ifndef FORWARDING_TABLE_H
#define FORWARDING_TABLE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Where a switch sends a frame: a dense table from destination to a group of equal ports.
 *
 * The fabric's addresses are consecutive, so the table is an array of 16-bit group numbers; ports
 * of a group are stored once, however many destinations share it.
 */
class ForwardingTable
{
  public:
    /// The group without ports: no route.
    static constexpr uint16_t NO_ROUTE = 0;

    /// The ports of a group.
    struct Ports
    {
        const uint32_t* first;            ///< port numbers, ascending
        uint32_t count;                   ///< 0: no route
        const uint32_t* weights{nullptr}; ///< of each port, at least 1; null: all the same
    };

    /**
     * Prepares for a range of addresses; routes so far are gone.
     * @param base lowest address, host byte order
     * @param count how many addresses
     */
    void Reset(uint32_t base, uint32_t count);

    /**
     * @param ports of a group, ascending; empty: no route
     * @param weights the share of each port, at least 1; empty: all the same
     * @return the group's number, the same for the same ports and weights
     */
    uint16_t AddGroup(const std::vector<uint32_t>& ports,
                      const std::vector<uint32_t>& weights = {});

    /// @param address destination, inside the range of Reset() @param group of AddGroup()
    void SetGroup(uint32_t address, uint16_t group);

    /// @param address destination @return the number of its group; 0 outside the range of Reset()
    uint16_t GetGroup(uint32_t address) const
    {
        uint32_t index = address - m_base;
        return index < m_groupOf.size() ? m_groupOf[index] : NO_ROUTE;
    }

    /**
     * @param address destination, inside the range of Reset()
     * @param ports where frames to it may leave, ascending; empty takes the route away
     * @param weights the share of each port, at least 1; empty: all the same
     */
    void SetRoute(uint32_t address,
                  const std::vector<uint32_t>& ports,
                  const std::vector<uint32_t>& weights = {});

    /// @param address destination @return the ports to choose from
    Ports Lookup(uint32_t address) const
    {
        uint32_t index = address - m_base;
        if (index >= m_groupOf.size())
        {
            return {nullptr, 0};
        }
        return GetPorts(m_groupOf[index]);
    }

    /// @param number of a group @return its ports
    Ports GetPorts(uint16_t number) const
    {
        const Group& group = m_groups[number];
        const uint32_t* first = m_ports.data() + group.offset;
        return {first, group.count, group.weighted ? first + group.count : nullptr};
    }

    /// @return number of groups, that of "no route" included
    size_t GetNGroups() const
    {
        return m_groups.size();
    }

    /// @return bytes of memory that the table takes
    size_t GetMemoryBytes() const;

  private:
    struct Group
    {
        uint32_t offset;
        uint32_t count;
        bool weighted; ///< the weights follow the ports
    };

    bool IsLast(const std::vector<uint32_t>& ports, const std::vector<uint32_t>& weights) const;

    uint32_t m_base{0};
    std::vector<uint16_t> m_groupOf; ///< by address; group 0 is "no route"
    std::vector<Group> m_groups{{0, 0, false}};
    std::vector<uint32_t> m_ports;
    std::map<std::vector<uint32_t>, uint16_t> m_known; ///< ports, then weights: set-up only
    uint16_t m_last{NO_ROUTE};                         ///< group of the last AddGroup()
};

} // namespace ns3

#endif // FORWARDING_TABLE_H
