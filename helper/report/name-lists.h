// SPDX-License-Identifier: GPL-2.0-only
#ifndef NAME_LISTS_H
#define NAME_LISTS_H

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// @return what `ai-fabric list` can list
std::vector<std::string> GetListKinds();

/// @param kind one of GetListKinds() @return names that a scenario may use, each with one line
std::vector<std::pair<std::string, std::string>> GetListEntries(const std::string& kind);

} // namespace ns3

#endif // NAME_LISTS_H
