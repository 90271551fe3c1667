// SPDX-License-Identifier: GPL-2.0-only
#include "fct-report.h"

#include "ns3/quantity.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

constexpr int SLOWDOWN_DECIMALS = 4;
constexpr int SIZES_WIDTH = 24;
constexpr int CELL_WIDTH = 10;

/// @param bytes a size @return short, for a table: "10 KB"
std::string
ShortBytes(uint64_t bytes)
{
    constexpr const char* UNITS[] = {" B", " KB", " MB", " GB"};
    size_t unit = 0;
    auto value = static_cast<double>(bytes);
    for (; value >= 1000 && unit + 1 < std::size(UNITS); ++unit)
    {
        value /= 1000;
    }
    std::ostringstream text;
    text << std::setprecision(4) << value << UNITS[unit];
    return text.str();
}

std::string
SizesText(const FctBin& bin)
{
    return bin.upTo != UINT64_MAX ? ShortBytes(bin.above) + " - " + ShortBytes(bin.upTo)
           : bin.above > 0        ? "above " + ShortBytes(bin.above)
                                  : "all";
}

} // namespace

FctReport::FctReport(const ResultsFolder& folder, const AnalysisConfig& config)
    : m_folder(folder),
      m_config(config),
      m_rows(folder.Create("fct.csv"))
{
    m_rows << "flow,job,group,source,destination,bytes,start_us,fct_us,ideal_us,slowdown,status\n";
}

FctStatistics&
FctReport::GroupOf(const std::string& name)
{
    auto found = std::find_if(m_groups.begin(), m_groups.end(), [&name](const auto& group) {
        return group.first == name;
    });
    if (found == m_groups.end())
    {
        m_groups.emplace_back(name, FctStatistics());
        return m_groups.back().second;
    }
    return found->second;
}

void
FctReport::Add(const Flow& flow)
{
    const FlowRecord& record = flow.record;
    const int64_t steps = record.end - record.start;
    // No ideal where no route is left: a link has failed.
    const double slowdown =
        flow.idealSteps > 0 ? static_cast<double>(steps) / static_cast<double>(flow.idealSteps) : 0;
    m_rows << record.flowId << ',' << flow.job << ',' << flow.group << ',' << flow.source << ','
           << flow.destination << ',' << record.bytes << ',' << MicrosecondText(record.start) << ','
           << MicrosecondText(steps) << ',' << MicrosecondText(flow.idealSteps) << ','
           << FixedText(slowdown, SLOWDOWN_DECIMALS) << ',' << ToString(record.status) << '\n';
    const bool counts = record.start >= m_config.warmUp.GetTimeStep() &&
                        (m_config.until.IsZero() || record.start < m_config.until.GetTimeStep());
    if (counts && record.status == WcStatus::SUCCESS && flow.idealSteps > 0)
    {
        GroupOf(flow.group).Add(record.bytes, slowdown);
    }
}

std::string
FctReport::PercentileName(double percent) const
{
    std::ostringstream text;
    text << 'p' << percent;
    return text.str();
}

void
FctReport::WriteRow(std::ostream& csv, const std::string& group, const FctBin& bin) const
{
    csv << group << ',' << bin.above << ',';
    if (bin.upTo != UINT64_MAX)
    {
        csv << bin.upTo;
    }
    csv << ',' << bin.flows << ',' << bin.bytes << ',';
    if (bin.flows > 0)
    {
        csv << FixedText(bin.mean, SLOWDOWN_DECIMALS);
    }
    for (size_t p = 0; p < m_config.percentiles.size(); ++p)
    {
        csv << ',' << (bin.flows > 0 ? FixedText(bin.percentiles[p], SLOWDOWN_DECIMALS) : "");
    }
    csv << '\n';
}

void
FctReport::PrintRow(std::ostream& out, const FctBin& bin) const
{
    if (bin.flows == 0)
    {
        return;
    }
    out << "  " << std::left << std::setw(SIZES_WIDTH) << SizesText(bin) << std::right
        << std::setw(CELL_WIDTH) << bin.flows << std::setw(CELL_WIDTH) << FixedText(bin.mean, 2);
    for (double percentile : bin.percentiles)
    {
        out << std::setw(CELL_WIDTH) << FixedText(percentile, 2);
    }
    out << "\n";
}

void
FctReport::Finish(std::ostream& out) const
{
    std::ofstream csv = m_folder.Create("slowdown.csv");
    csv << "group,above_bytes,up_to_bytes,flows,bytes,mean";
    for (double percent : m_config.percentiles)
    {
        csv << ',' << PercentileName(percent);
    }
    csv << '\n';
    const FctBins bins =
        m_config.bins.empty() ? FctBins(m_config.edges) : FctBins::ByName(m_config.bins);
    for (const auto& [group, statistics] : m_groups)
    {
        out << "slowdown  " << group << "\n  " << std::left << std::setw(SIZES_WIDTH) << "sizes"
            << std::right << std::setw(CELL_WIDTH) << "flows" << std::setw(CELL_WIDTH) << "mean";
        for (double percent : m_config.percentiles)
        {
            out << std::setw(CELL_WIDTH) << PercentileName(percent);
        }
        out << "\n";
        std::vector<FctBin> rows = statistics.Evaluate(bins, m_config.percentiles);
        rows.push_back(statistics.EvaluateAll(m_config.percentiles));
        for (const FctBin& bin : rows)
        {
            WriteRow(csv, group, bin);
            PrintRow(out, bin);
        }
    }
}

nlohmann::ordered_json
FctReport::Summary() const
{
    nlohmann::ordered_json summary = nlohmann::ordered_json::object();
    for (const auto& [group, statistics] : m_groups)
    {
        const FctBin all = statistics.EvaluateAll(m_config.percentiles);
        summary[group] = {{"flows", all.flows}, {"bytes", all.bytes}, {"mean", all.mean}};
        for (size_t p = 0; p < all.percentiles.size(); ++p)
        {
            summary[group][PercentileName(m_config.percentiles[p])] = all.percentiles[p];
        }
    }
    return summary;
}

} // namespace ns3
