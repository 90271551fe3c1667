// SPDX-License-Identifier: GPL-2.0-only
#include "setting-text.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ns3
{

std::vector<std::string>
SplitText(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    if (text.empty())
    {
        return parts;
    }
    std::istringstream in(text + separator); // so that an empty last part counts as well
    for (std::string part; std::getline(in, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

bool
ParseWhole(const std::string& text, uint64_t most, uint64_t& number)
{
    constexpr size_t MOST_DIGITS = 18; // what 64 bits hold of any number
    if (text.empty() || text.size() > MOST_DIGITS ||
        !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }))
    {
        return false;
    }
    number = std::stoull(text);
    return number <= most;
}

} // namespace ns3
