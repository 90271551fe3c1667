// SPDX-License-Identifier: GPL-2.0-only
#include "rank-layout.h"

#include <algorithm>
#include <map>

namespace ns3
{

RankLayout::RankLayout(const std::vector<RankPlace>& places)
{
    std::map<uint32_t, size_t> indexOfGroup;
    for (uint32_t rank = 0; rank < places.size(); ++rank)
    {
        m_railOf.push_back(places[rank].rail);
        auto [entry, isNew] = indexOfGroup.emplace(places[rank].group, m_groups.size());
        if (isNew)
        {
            m_groups.emplace_back();
        }
        m_groupOf.push_back(static_cast<uint32_t>(entry->second));
        m_groups[entry->second].push_back(rank);
    }
    for (auto& group : m_groups)
    {
        std::stable_sort(group.begin(), group.end(), [this](uint32_t a, uint32_t b) {
            return m_railOf[a] < m_railOf[b];
        });
    }
}

RankLayout
RankLayout::Regular(uint32_t groups, uint32_t ranksPerGroup)
{
    std::vector<RankPlace> places;
    for (uint32_t group = 0; group < groups; ++group)
    {
        for (uint32_t rail = 0; rail < ranksPerGroup; ++rail)
        {
            places.push_back({group, rail});
        }
    }
    return RankLayout(places);
}

uint32_t
RankLayout::GetLargestGroup() const
{
    size_t largest = 0;
    for (const auto& group : m_groups)
    {
        largest = std::max(largest, group.size());
    }
    return static_cast<uint32_t>(largest);
}

} // namespace ns3
