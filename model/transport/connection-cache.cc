// SPDX-License-Identifier: GPL-2.0-only
#include "connection-cache.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

void
ConnectionCache::Configure(uint32_t entries, uint32_t ways)
{
    NS_ABORT_MSG_IF(ways == 0 || entries % ways != 0,
                    "ConnectionCache: " << entries << " entries are no whole number of sets of "
                                        << ways << " ways");
    m_entries = entries;
    m_ways = ways;
    m_lines.assign(entries, 0);
}

bool
ConnectionCache::Touch(uint32_t connection)
{
    if (m_entries == 0)
    {
        return true;
    }
    // Numbers are given out one after the other, so that their low bits spread them evenly.
    auto set = m_lines.begin() + static_cast<int64_t>(connection % (m_entries / m_ways)) * m_ways;
    auto end = set + m_ways;
    uint64_t tag = uint64_t{connection} + 1; // 0 is an empty line
    auto line = std::find(set, end, tag);
    bool hit = line != end;
    if (!hit)
    {
        line = end - 1;
        *line = tag;
    }
    std::rotate(set, line, line + 1);
    return hit;
}

} // namespace ns3
