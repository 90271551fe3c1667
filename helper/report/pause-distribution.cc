// SPDX-License-Identifier: GPL-2.0-only
#include "pause-distribution.h"

#include "ns3/fct-statistics.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ns3
{

namespace
{
constexpr double STEPS_PER_US = 1e6;
}

void
PauseDistribution::Changed(const std::string& port, uint32_t trafficClass, bool paused, int64_t now)
{
    Pauses& pauses = m_pauses[{port, trafficClass}];
    if (paused && pauses.since < 0)
    {
        pauses.since = now;
    }
    else if (!paused && pauses.since >= 0)
    {
        pauses.microseconds.push_back(static_cast<double>(now - pauses.since) / STEPS_PER_US);
        pauses.since = -1;
    }
}

void
PauseDistribution::Write(const ResultsFolder& folder,
                         const std::vector<double>& percents,
                         int64_t end) const
{
    std::ofstream out = folder.Create("pause-distribution.csv");
    out << "port,class,pauses,paused_us,share_of_time,mean_us";
    for (double percent : percents)
    {
        std::ostringstream name; // as short as the number is
        name << percent;
        out << ",p" << name.str() << "_us";
    }
    out << ",max_us\n";
    for (const auto& [key, pauses] : m_pauses)
    {
        std::vector<double> times = pauses.microseconds;
        if (pauses.since >= 0)
        {
            times.push_back(static_cast<double>(end - pauses.since) / STEPS_PER_US);
        }
        if (times.empty())
        {
            continue;
        }
        std::sort(times.begin(), times.end());
        const double sum = std::accumulate(times.begin(), times.end(), 0.0);
        const double share = end > 0 ? sum * STEPS_PER_US / static_cast<double>(end) : 0;
        out << key.first << ',' << key.second << ',' << times.size() << ',' << FixedText(sum, 6)
            << ',' << FixedText(share, 6) << ','
            << FixedText(sum / static_cast<double>(times.size()), 6);
        for (double percent : percents)
        {
            out << ',' << FixedText(NearestRank(times, percent), 6);
        }
        out << ',' << FixedText(times.back(), 6) << '\n';
    }
}

} // namespace ns3
