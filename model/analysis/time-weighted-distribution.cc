// SPDX-License-Identifier: GPL-2.0-only
#include "time-weighted-distribution.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

TimeWeightedDistribution::TimeWeightedDistribution(uint64_t cell)
    : m_cell(cell)
{
    NS_ABORT_MSG_IF(cell == 0, "TimeWeightedDistribution: a cell holds at least 1");
}

void
TimeWeightedDistribution::Add(uint64_t value, int64_t steps)
{
    m_steps += steps;
    m_weighted += static_cast<double>(value) * static_cast<double>(steps);
    m_largest = std::max(m_largest, value);
    m_cells[value / m_cell + (value % m_cell > 0 ? 1 : 0)] += steps;
}

double
TimeWeightedDistribution::GetMean() const
{
    return m_steps > 0 ? m_weighted / static_cast<double>(m_steps) : 0;
}

uint64_t
TimeWeightedDistribution::GetPercentile(double percent) const
{
    constexpr double WHOLE = 100;
    const double wanted = percent / WHOLE * static_cast<double>(m_steps);
    int64_t sum = 0;
    for (const auto& [cells, steps] : m_cells)
    {
        sum += steps;
        if (static_cast<double>(sum) >= wanted)
        {
            return std::min(cells * m_cell, m_largest);
        }
    }
    return m_largest;
}

double
TimeWeightedDistribution::GetShare(uint64_t value) const
{
    int64_t sum = 0;
    for (const auto& [cells, steps] : m_cells)
    {
        if (cells * m_cell > value)
        {
            break;
        }
        sum += steps;
    }
    return m_steps > 0 ? static_cast<double>(sum) / static_cast<double>(m_steps) : 1;
}

} // namespace ns3
