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
    /// The ports of a group.
    struct Ports
    {
        const uint32_t* first; ///< port numbers, ascending
        uint32_t count;        ///< 0: no route
    };

    /**
     * Prepares for a range of addresses; routes so far are gone.
     * @param base lowest address, host byte order
     * @param count how many addresses
     */
    void Reset(uint32_t base, uint32_t count);

    /**
     * @param address destination, inside the range of Reset()
     * @param ports where frames to it may leave, ascending; empty takes the route away
     */
    void SetRoute(uint32_t address, const std::vector<uint32_t>& ports);

    /// @param address destination @return the ports to choose from
    Ports Lookup(uint32_t address) const
    {
        uint32_t index = address - m_base;
        if (index >= m_groupOf.size())
        {
            return {nullptr, 0};
        }
        const Group& group = m_groups[m_groupOf[index]];
        return {m_ports.data() + group.offset, group.count};
    }

    /// @return bytes of memory that the table takes
    size_t GetMemoryBytes() const;

  private:
    struct Group
    {
        uint32_t offset;
        uint32_t count;
    };

    uint32_t m_base{0};
    std::vector<uint16_t> m_groupOf; ///< by address; group 0 is "no route"
    std::vector<Group> m_groups{{0, 0}};
    std::vector<uint32_t> m_ports;
    std::map<std::vector<uint32_t>, uint16_t> m_known; ///< set-up only
};

} // namespace ns3

#endif // FORWARDING_TABLE_H
