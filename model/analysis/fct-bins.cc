// SPDX-License-Identifier: GPL-2.0-only
#include "fct-bins.h"

#include "ns3/abort.h"
#include "ns3/flow-size-tables.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The HPCC simulator's script cuts flows into parts of 5 %.
constexpr uint32_t HPCC_BINS = 20;

std::vector<uint64_t>
DistributionEdges(const std::string& table)
{
    const FlowSizeDistribution sizes(FindFlowSizeTable(table)->points);
    std::vector<uint64_t> edges;
    for (uint32_t bin = 1; bin < HPCC_BINS; ++bin)
    {
        edges.push_back(sizes.GetSize(static_cast<double>(bin) / HPCC_BINS));
    }
    edges.push_back(sizes.GetLongest());
    return edges;
}

} // namespace

std::vector<std::string>
FctBins::GetNames()
{
    return {"hpcc", "hpcc-websearch", "hpcc-fb-hadoop", "decades"};
}

FctBins
FctBins::ByName(const std::string& name)
{
    if (name == "hpcc")
    {
        return FctBins();
    }
    if (name == "hpcc-websearch")
    {
        return FctBins(DistributionEdges("websearch"));
    }
    if (name == "hpcc-fb-hadoop")
    {
        return FctBins(DistributionEdges("fb-hadoop"));
    }
    NS_ABORT_MSG_UNLESS(name == "decades", "no bins of flow sizes are called \"" << name << "\"");
    std::vector<uint64_t> edges;
    for (uint64_t edge = 1'000; edge <= 1'000'000'000; edge *= 10)
    {
        edges.push_back(edge);
    }
    return FctBins(edges);
}

FctBins::FctBins(const std::vector<uint64_t>& edges)
    : m_edges(edges)
{
    const bool ascend =
        std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) == edges.end();
    NS_ABORT_MSG_IF(edges.empty() || edges.front() == 0 || !ascend,
                    "FctBins: edges must ascend and be above 0");
}

std::vector<size_t>
FctBins::Cut(const std::vector<uint64_t>& sizes) const
{
    std::vector<size_t> first{0};
    if (m_edges.empty())
    {
        for (uint32_t bin = 1; bin <= HPCC_BINS; ++bin)
        {
            first.push_back(bin * sizes.size() / HPCC_BINS);
        }
        return first;
    }
    for (uint64_t edge : m_edges)
    {
        first.push_back(static_cast<size_t>(std::upper_bound(sizes.begin(), sizes.end(), edge) -
                                            sizes.begin()));
    }
    first.push_back(sizes.size());
    return first;
}

} // namespace ns3
