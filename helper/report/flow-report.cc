// SPDX-License-Identifier: GPL-2.0-only
#include "flow-report.h"

#include "results-folder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

/// The nearest-rank percentile: the smallest value that at least this share does not exceed.
double
Percentile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::max<size_t>(rank, 1) - 1];
}

} // namespace

void
FlowReport::Add(const FlowRecord& record, int64_t idealSteps)
{
    if (record.status != WcStatus::SUCCESS)
    {
        ++m_failed;
        return;
    }
    constexpr double STEPS_PER_MICROSECOND = 1e6;
    int64_t steps = record.end - record.start;
    m_times.push_back(static_cast<double>(steps) / STEPS_PER_MICROSECOND);
    m_slowdowns.push_back(static_cast<double>(steps) /
                          static_cast<double>(std::max<int64_t>(idealSteps, 1)));
    m_bytes += record.bytes;
    m_firstStart = std::min(m_firstStart, record.start);
    m_lastEnd = std::max(m_lastEnd, record.end);
}

nlohmann::ordered_json
FlowReport::Summary() const
{
    nlohmann::ordered_json summary{{"completed", m_times.size()}, {"failed", m_failed}};
    if (!m_times.empty())
    {
        double seconds = static_cast<double>(m_lastEnd - m_firstStart) / 1e12;
        summary["bytes"] = m_bytes;
        summary["goodput_gbps"] = 8 * static_cast<double>(m_bytes) / seconds / 1e9;
        for (const auto& [name, share] : {std::pair<const char*, double>{"p50", 0.5},
                                          {"p95", 0.95},
                                          {"p99", 0.99},
                                          {"max", 1.0}})
        {
            summary["completion_us"][name] = Percentile(m_times, share);
            summary["slowdown"][name] = Percentile(m_slowdowns, share);
        }
    }
    return summary;
}

void
FlowReport::Print(std::ostream& out) const
{
    out << "flows     " << m_times.size() << " completed, " << m_failed << " failed";
    if (!m_times.empty())
    {
        nlohmann::ordered_json figures = Summary();
        out << ", " << FixedText(figures["goodput_gbps"], 2)
            << " Gb/s of payload over the whole time\n"
            << "                     p50        p95        p99        max\n";
        for (const char* row : {"completion_us", "slowdown"})
        {
            out << (row[0] == 'c' ? "  completion us " : "  slowdown      ");
            for (const char* column : {"p50", "p95", "p99", "max"})
            {
                std::string text = FixedText(figures[row][column], 2);
                out << std::string(text.size() < 11 ? 11 - text.size() : 1, ' ') << text;
            }
            out << "\n";
        }
    }
    else
    {
        out << "\n";
    }
}

} // namespace ns3
