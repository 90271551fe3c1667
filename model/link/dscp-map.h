// SPDX-License-Identifier: GPL-2.0-only
#ifndef DSCP_MAP_H
#define DSCP_MAP_H

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Which traffic class a packet goes by, from the DSCP of its IP header (RFC 2474).
 *
 * Written as text: entries `DSCP:CLASS` or `FIRST-LAST:CLASS`, separated by commas, for example
 * "46:5,26:3,48-55:6". A DSCP is 0 to 63, a class 0 to 7, and no DSCP may stand in two entries.
 */
class DscpMap
{
  public:
    /// An empty map: every packet goes by the class that its sender has for all others.
    DscpMap();

    /**
     * @param text the entries; empty for none
     * @param error empty, or what is wrong: the text, the entry, and what is allowed
     * @return the map; empty where there is an error
     */
    static DscpMap Parse(const std::string& text, std::string& error);

    /// @param dscp 0 to 63 @param otherwise class of a DSCP that has no entry @return its class
    uint8_t ClassOf(uint8_t dscp, uint8_t otherwise) const
    {
        uint8_t trafficClass = m_class[dscp & (N_DSCP - 1)];
        return trafficClass == NO_ENTRY ? otherwise : trafficClass;
    }

    /// @return the text that gives this map, in ascending order, ranges joined
    std::string ToString() const;

  private:
    static constexpr uint32_t N_DSCP = 64;
    static constexpr uint8_t NO_ENTRY = 0xff;

    std::string Add(const std::string& entry);

    std::array<uint8_t, N_DSCP> m_class;
};

} // namespace ns3

#endif // DSCP_MAP_H
