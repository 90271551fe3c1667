// SPDX-License-Identifier: GPL-2.0-only
#include "dscp-map.h"

#include "ns3/wire-format.h"

#include <charconv>
#include <sstream>

namespace ns3
{

namespace
{

/// Reads the number that @p text consists of. @param text it @param value gets it
/// @return false if @p text is anything but a decimal number of at most 32 bits
bool
ReadNumber(const std::string& text, uint32_t& value)
{
    const char* end = text.data() + text.size();
    auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
}

} // namespace

DscpMap::DscpMap()
{
    m_class.fill(NO_ENTRY);
}

DscpMap
DscpMap::Parse(const std::string& text, std::string& error)
{
    error.clear();
    DscpMap map;
    std::istringstream entries(text);
    std::string entry;
    bool more = !text.empty();
    while (more)
    {
        std::getline(entries, entry, ',');
        more = !entries.eof();
        std::string why = map.Add(entry);
        if (!why.empty())
        {
            error = "in the DSCP map \"" + text + "\", entry \"" + entry + "\": " + why;
            return {};
        }
        entry.clear();
    }
    return map;
}

std::string
DscpMap::Add(const std::string& entry)
{
    size_t colon = entry.find(':');
    std::string range = entry.substr(0, colon);
    size_t dash = range.find('-');
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t trafficClass = 0;
    if (colon == std::string::npos || !ReadNumber(entry.substr(colon + 1), trafficClass) ||
        !ReadNumber(range.substr(0, dash), first) ||
        !ReadNumber(dash == std::string::npos ? range : range.substr(dash + 1), last))
    {
        return "must be DSCP:CLASS or FIRST-LAST:CLASS, in decimal and without spaces";
    }
    if (first > last || last >= N_DSCP)
    {
        return "a DSCP must be 0 to 63, the first of a range not above its last";
    }
    if (trafficClass >= N_TRAFFIC_CLASSES)
    {
        return "a class must be 0 to 7";
    }
    for (uint32_t dscp = first; dscp <= last; ++dscp)
    {
        if (m_class[dscp] != NO_ENTRY)
        {
            return "DSCP " + std::to_string(dscp) + " already has class " +
                   std::to_string(m_class[dscp]);
        }
        m_class[dscp] = static_cast<uint8_t>(trafficClass);
    }
    return "";
}

std::string
DscpMap::ToString() const
{
    std::ostringstream text;
    for (uint32_t first = 0, last = 0; first < N_DSCP; first = last + 1)
    {
        last = first;
        while (last + 1 < N_DSCP && m_class[last + 1] == m_class[first])
        {
            ++last;
        }
        if (m_class[first] == NO_ENTRY)
        {
            continue;
        }
        text << (text.tellp() > 0 ? "," : "") << first;
        if (last > first)
        {
            text << '-' << last;
        }
        text << ':' << uint32_t{m_class[first]};
    }
    return text.str();
}

} // namespace ns3
