// SPDX-License-Identifier: GPL-2.0-only
#ifndef MAC_TABLE_H
#define MAC_TABLE_H

#include "ns3/mac48-address.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Which address of the fabric each MAC address of its endpoints has.
 *
 * One for all switches of a fabric: each of them knows by its own ForwardingTable where that
 * address is.
 */
class MacTable
{
  public:
    /// @param mac of an endpoint @param address of the same endpoint in the fabric
    void Add(Mac48Address mac, uint32_t address)
    {
        m_entries.emplace_back(ToNumber(mac), address);
    }

    /**
     * The other way round, by a search through all; for what happens seldom.
     * @param address of an endpoint in the fabric
     * @param mac receives its MAC address, the first one if it has several ports
     * @return whether it is known
     */
    bool FindMac(uint32_t address, Mac48Address& mac) const;

    /**
     * Makes the table ready for Find(), after the last Add().
     * @return false if two endpoints have the same MAC address
     */
    bool Sort();

    /// @param mac any @param address receives the endpoint's @return false if nobody has @p mac
    bool Find(Mac48Address mac, uint32_t& address) const;

  private:
    static uint64_t ToNumber(Mac48Address mac);

    std::vector<std::pair<uint64_t, uint32_t>> m_entries; ///< ascending
};

} // namespace ns3

#endif // MAC_TABLE_H
