// SPDX-License-Identifier: GPL-2.0-only
#include "fct-statistics.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr double PERCENT = 100;

/// @param flows sizes and slowdowns @param first index @param end index @param percents of the
/// slowdowns @return what those flows
/// are together
FctBin
EvaluateFlows(const std::vector<std::pair<uint64_t, double>>& flows,
              size_t first,
              size_t end,
              const std::vector<double>& percents)
{
    FctBin bin;
    bin.flows = end - first;
    std::vector<double> slowdowns;
    double sum = 0;
    for (size_t f = first; f < end; ++f)
    {
        bin.bytes += flows[f].first;
        slowdowns.push_back(flows[f].second);
        sum += flows[f].second;
    }
    if (!slowdowns.empty())
    {
        std::sort(slowdowns.begin(), slowdowns.end());
        bin.mean = sum / static_cast<double>(slowdowns.size());
        for (double percent : percents)
        {
            bin.percentiles.push_back(NearestRank(slowdowns, percent));
        }
    }
    return bin;
}

} // namespace

double
NearestRank(const std::vector<double>& sorted, double percent)
{
    constexpr double ROUNDING = 1e-9; // 99.9 % of 1000 are 999, whatever a double makes of it
    const double rank =
        std::ceil(percent * static_cast<double>(sorted.size()) / PERCENT - ROUNDING);
    return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

double
JainIndex(const std::vector<double>& shares)
{
    double sum = 0;
    double squares = 0;
    for (double share : shares)
    {
        sum += share;
        squares += share * share;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 1;
}

std::vector<FctBin>
FctStatistics::Evaluate(const FctBins& bins, const std::vector<double>& percents) const
{
    std::vector<std::pair<uint64_t, double>> flows = m_flows;
    std::stable_sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    std::vector<uint64_t> sizes;
    for (const auto& flow : flows)
    {
        sizes.push_back(flow.first);
    }
    const std::vector<size_t> first = bins.Cut(sizes);
    const std::vector<uint64_t>& edges = bins.GetEdges();
    std::vector<FctBin> result;
    for (size_t b = 0; b + 1 < first.size(); ++b)
    {
        FctBin bin = EvaluateFlows(flows, first[b], first[b + 1], percents);
        if (!edges.empty())
        {
            bin.above = b == 0 ? 0 : edges[b - 1];
            bin.upTo = b < edges.size() ? edges[b] : UINT64_MAX;
        }
        else if (bin.flows > 0)
        {
            bin.above = sizes[first[b]];
            bin.upTo = sizes[first[b + 1] - 1];
        }
        result.push_back(bin);
    }
    return result;
}

FctBin
FctStatistics::EvaluateAll(const std::vector<double>& percents) const
{
    FctBin bin = EvaluateFlows(m_flows, 0, m_flows.size(), percents);
    bin.upTo = UINT64_MAX;
    return bin;
}

} // namespace ns3
