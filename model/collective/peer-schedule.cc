// SPDX-License-Identifier: GPL-2.0-only
#include "peer-schedule.h"

#include <algorithm>

namespace ns3
{

std::vector<uint32_t>
PeerSchedule::GetDistances(uint32_t n)
{
    uint32_t modulus = 1;
    while (modulus < n)
    {
        modulus *= 2;
    }
    std::vector<uint32_t> distances;
    uint32_t distance = 0;
    for (uint32_t i = 1; i <= modulus; ++i)
    {
        if (distance < n)
        {
            distances.push_back(distance);
        }
        distance = (distance + i) % modulus;
    }
    return distances;
}

PeerSchedule::PeerSchedule(const RankLayout& layout)
    : m_groups(layout.GetGroups()),
      m_groupOf(layout.GetSize()),
      m_positionOf(layout.GetSize())
{
    for (std::vector<uint32_t>& group : m_groups)
    {
        std::sort(group.begin(), group.end());
    }
    bool equal = std::all_of(m_groups.begin(), m_groups.end(), [&](const auto& group) {
        return group.size() == m_groups[0].size();
    });
    if (!equal)
    {
        m_groups.assign(1, std::vector<uint32_t>());
        for (uint32_t rank = 0; rank < layout.GetSize(); ++rank)
        {
            m_groups[0].push_back(rank);
        }
    }
    for (uint32_t group = 0; group < m_groups.size(); ++group)
    {
        for (uint32_t position = 0; position < m_groups[group].size(); ++position)
        {
            m_groupOf[m_groups[group][position]] = group;
            m_positionOf[m_groups[group][position]] = position;
        }
    }
    m_groupDistances = GetDistances(static_cast<uint32_t>(m_groups.size()));
    m_positionDistances =
        GetDistances(m_groups.empty() ? 1 : static_cast<uint32_t>(m_groups[0].size()));
}

uint32_t
PeerSchedule::GetDestination(uint32_t rank, uint32_t round) const
{
    uint32_t group = m_groupOf[rank] + m_groupDistances[round / GetGroupSize()];
    uint32_t position = m_positionOf[rank] + m_positionDistances[round % GetGroupSize()];
    return m_groups[group % m_groups.size()][position % GetGroupSize()];
}

uint32_t
PeerSchedule::GetSource(uint32_t rank, uint32_t round) const
{
    uint32_t groups = static_cast<uint32_t>(m_groups.size());
    uint32_t group = m_groupOf[rank] + groups - m_groupDistances[round / GetGroupSize()];
    uint32_t position =
        m_positionOf[rank] + GetGroupSize() - m_positionDistances[round % GetGroupSize()];
    return m_groups[group % groups][position % GetGroupSize()];
}

} // namespace ns3
