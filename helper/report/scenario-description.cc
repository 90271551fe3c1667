// SPDX-License-Identifier: GPL-2.0-only
#include "scenario-description.h"

#include "results-folder.h"

#include "ns3/graph-measures.h"
#include "ns3/ipv4-address.h"
#include "ns3/quantity.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

/// Measuring the bandwidth between halves takes seconds where there are more.
constexpr size_t MOST_CABLES_FOR_HALVES = 1U << 18;
/// Measuring distances takes seconds where there are more.
constexpr size_t MOST_SWITCHES_FOR_DISTANCES = 1U << 13;

/// A line with its subject in front; a line without one goes on with the last.
std::ostream&
Line(std::ostream& out, const std::string& subject)
{
    return out << "  " << std::left << std::setw(14) << subject;
}

/// @param count of things @param name of one @return such as "1 host" or "2 hosts"
std::string
Count(uint64_t count, const std::string& name)
{
    const bool es = name.size() > 1 && name.substr(name.size() - 2) == "ch";
    return std::to_string(count) + " " + name + (count == 1 ? "" : es ? "es" : "s");
}

std::string
Rate(uint64_t bps)
{
    // Sums over a fabric are beyond what a link's rate may be, but are written alike.
    return FormatDataRate(DataRate(bps));
}

std::string
Ratio(uint64_t down, uint64_t up)
{
    return FixedText(static_cast<double>(down) / static_cast<double>(up), 2) + " : 1";
}

/// @param numbers ascending @return such as "0-7, 16"
std::string
Ranges(const std::vector<uint32_t>& numbers)
{
    constexpr size_t MOST_RANGES = 12;
    std::string text;
    size_t ranges = 0;
    for (size_t i = 0; i < numbers.size();)
    {
        size_t end = i;
        while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1)
        {
            ++end;
        }
        if (++ranges > MOST_RANGES)
        {
            return text + ", ...";
        }
        text += text.empty() ? "" : ", ";
        text += std::to_string(numbers[i]);
        text += end > i ? "-" + std::to_string(numbers[end]) : "";
        i = end + 1;
    }
    return text;
}

void
DescribeTiers(std::ostream& out, const FabricGraph& graph)
{
    for (const TierMeasure& tier : MeasureTiers(graph))
    {
        Line(out, "tier " + std::to_string(tier.tier))
            << Count(tier.switches, "switch") << " of " << tier.fewestPorts;
        if (tier.mostPorts != tier.fewestPorts)
        {
            out << " to " << tier.mostPorts;
        }
        out << " ports, " << Rate(tier.downBps) << " down";
        if (tier.upBps > 0)
        {
            out << ", " << Rate(tier.upBps) << " up: " << Ratio(tier.downBps, tier.upBps);
        }
        if (tier.sameBps > 0)
        {
            out << ", " << Rate(tier.sameBps)
                << " within the tier: " << Ratio(tier.downBps, tier.sameBps);
        }
        out << "\n";
    }
}

void
DescribeCableKinds(std::ostream& out, const FabricGraph& graph)
{
    struct Kind
    {
        uint32_t low; ///< tier
        uint32_t high;
        uint64_t rate;
        int64_t delay;

        bool operator<(const Kind& other) const
        {
            return std::tie(low, high, rate, delay) <
                   std::tie(other.low, other.high, other.rate, other.delay);
        }
    };

    const std::vector<uint32_t> tiers = GetTiers(graph);
    std::map<Kind, uint64_t> kinds;
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        auto [low, high] = std::minmax(tiers[edge.a], tiers[edge.b]);
        kinds[{low, high, edge.rate.GetBitRate(), edge.delay.GetTimeStep()}]++;
    }
    constexpr size_t MOST_KINDS = 12;
    size_t lines = 0;
    auto name = [](uint32_t tier) {
        return tier == 0 ? std::string("host") : "tier " + std::to_string(tier);
    };
    for (const auto& [kind, count] : kinds)
    {
        if (lines == MOST_KINDS)
        {
            Line(out, "") << "and " << kinds.size() - MOST_KINDS << " more kinds\n";
            break;
        }
        Line(out, lines++ == 0 ? "cables" : "")
            << count << " of " << Rate(kind.rate) << ", " << FormatTime(TimeStep(kind.delay))
            << ", " << name(kind.low) << " to " << name(kind.high) << "\n";
    }
}

void
DescribeDistances(std::ostream& out, const FabricGraph& graph)
{
    const std::vector<uint32_t> networks = GetNetworks(graph);
    const uint32_t parts =
        networks.empty() ? 0 : *std::max_element(networks.begin(), networks.end()) + 1;
    if (parts > 1)
    {
        Line(out, "parts") << parts << " networks that nothing joins\n";
    }
    if (graph.Count(FabricGraph::Role::SWITCH) <= MOST_SWITCHES_FOR_DISTANCES)
    {
        const PortDistances distances = MeasureDistances(graph);
        Line(out, "distance") << distances.shortest << " to " << distances.longest
                              << " cables between NIC ports\n";
    }
    if (graph.GetEdges().size() <= MOST_CABLES_FOR_HALVES)
    {
        const HalvesBandwidth halves = MeasureHalves(graph);
        Line(out, "bisection") << Rate(halves.bps) << " from half of the hosts to the other, "
                               << FixedText(100. * static_cast<double>(halves.bps) /
                                                static_cast<double>(halves.portsBps),
                                            1)
                               << " % of their ports' rate\n";
    }
}

void
DescribeHosts(std::ostream& out, const Scenario& scenario, const FabricGraph& graph)
{
    constexpr uint32_t FIRST_ADDRESS = 0x0a000001; // FabricHelper's
    uint64_t ports = 0;
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        for (uint32_t v : {edge.a, edge.b})
        {
            ports += graph.GetVertices()[v].role == FabricGraph::Role::HOST;
        }
    }
    const uint64_t hosts = graph.Count(FabricGraph::Role::HOST);
    Line(out, "topology") << GetTopologyType(scenario.topology) << "\n";
    Line(out, "hosts") << hosts << ", with "
                       << Count(hosts * GetGpusPerServer(scenario.topology), "GPU") << " and "
                       << Count(ports, "NIC port") << ", " << Ipv4Address(FIRST_ADDRESS) << " to "
                       << Ipv4Address(FIRST_ADDRESS + static_cast<uint32_t>(ports) - 1) << "\n";
    Line(out, "switches") << graph.Count(FabricGraph::Role::SWITCH) << "\n";
}

/// One line about a workload.
struct WorkloadText
{
    std::string operator()(const CollectiveWorkload& workload) const
    {
        std::string text = workload.op + " of " + Count(workload.sizes.size(), "size") + ", " +
                           FormatBytes(workload.sizes.front());
        uint64_t sum = 0;
        for (uint64_t size : workload.sizes)
        {
            sum += size * workload.iterations;
        }
        text += workload.sizes.size() > 1 ? " to " + FormatBytes(workload.sizes.back()) : "";
        text +=
            workload.iterations > 1 ? ", " + std::to_string(workload.iterations) + " times" : "";
        return text + "; " + FormatBytes(sum) + " in all";
    }

    std::string operator()(const NcclTestsWorkload& workload) const
    {
        const NcclTestOptions& options = workload.options;
        uint64_t first = options.sizes.empty() ? options.minBytes : options.sizes.front();
        uint64_t last = options.sizes.empty() ? options.maxBytes : options.sizes.back();
        return options.test + ", " + FormatBytes(first) + " to " + FormatBytes(last) + ", " +
               std::to_string(options.iterations) + " times";
    }

    std::string operator()(const FlowsWorkload& workload) const
    {
        uint64_t sum = 0;
        for (const FlowConfig& flow : workload.flows)
        {
            sum += flow.bytes;
        }
        return Count(workload.flows.size(), "flow") + ", " + FormatBytes(sum) + " in all";
    }

    std::string operator()(const GeneratedFlowsWorkload& workload) const
    {
        std::string text = "flows that arrive by chance";
        if (workload.load > 0)
        {
            text += ", " + FixedText(100 * workload.load, 1) + " % of each link, mean " +
                    FixedText(workload.sizes.GetMeanBytes(), 0) + " B" +
                    (workload.sizesName.empty() ? "" : " (" + workload.sizesName + ")");
        }
        if (workload.incast)
        {
            text += ", incasts of " + std::to_string(workload.incast->senders) + " x " +
                    FormatBytes(workload.incast->bytes);
        }
        text += workload.duration.IsZero() ? "" : ", for " + FormatTime(workload.duration);
        return text + (workload.count > 0 ? ", at most " + std::to_string(workload.count) : "");
    }

    std::string operator()(const PerftestWorkload& workload) const
    {
        return workload.config.test + " between ranks " + std::to_string(workload.client) +
               " and " + std::to_string(workload.server);
    }
};

void
DescribeJobs(std::ostream& out, const Scenario& scenario)
{
    for (const JobConfig& job : scenario.jobs)
    {
        Line(out, "job " + job.name) << std::visit(WorkloadText(), job.workload) << "; from "
                                     << FormatTime(job.start) << "\n";
        if (std::holds_alternative<CollectiveWorkload>(job.workload) ||
            std::holds_alternative<NcclTestsWorkload>(job.workload))
        {
            Line(out, "") << Count(job.ranks.size(), "rank") << ", GPUs " << Ranges(job.ranks)
                          << "\n";
        }
    }
}

void
DescribeAttributes(std::ostream& out, const Scenario& scenario)
{
    bool first = true;
    for (const AttributeSetting& setting : scenario.attributes)
    {
        TypeId::AttributeInformation information;
        std::string initial;
        TypeId type;
        if (TypeId::LookupByNameFailSafe(setting.type, &type) &&
            type.LookupAttributeByName(setting.name, &information))
        {
            initial = information.originalInitialValue->SerializeToString(information.checker);
        }
        Line(out, first ? "attributes" : "") << setting.type << "::" << setting.name << " = "
                                             << setting.value << " (default " << initial << ")\n";
        first = false;
    }
}

} // namespace

void
DescribeScenario(std::ostream& out, const Scenario& scenario, const FabricGraph& graph)
{
    out << scenario.name << ": " << Count(graph.Count(FabricGraph::Role::HOST), "host") << ", "
        << graph.Count(FabricGraph::Role::SWITCH) << " switches, " << graph.GetEdges().size()
        << " links\n";
    DescribeHosts(out, scenario, graph);
    DescribeTiers(out, graph);
    DescribeCableKinds(out, graph);
    DescribeDistances(out, graph);
    DescribeJobs(out, scenario);
    DescribeAttributes(out, scenario);
}

} // namespace ns3
