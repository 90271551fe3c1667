// SPDX-License-Identifier: GPL-2.0-only
#include "name-lists.h"

#include "ns3/cluster-presets.h"
#include "ns3/collective-algorithms.h"
#include "ns3/congestion-presets.h"
#include "ns3/flow-size-tables.h"
#include "ns3/gpu-presets.h"
#include "ns3/nccl-tests-config.h"
#include "ns3/nic-presets.h"
#include "ns3/platform-file.h"
#include "ns3/quantity.h"
#include "ns3/scenario.h"
#include "ns3/switch-presets.h"

#include <map>

namespace ns3
{

namespace
{

/// One line for each name that the scenario reader knows.
const std::map<std::string, std::string>&
Lines()
{
    static const std::map<std::string, std::string> lines{
        {"rail-optimized",
         "servers of GPUs; NIC r of each goes to rail leaf r, spines join leaves"},
        {"rail-only", "as rail-optimized without spines: each rail is a network of its own"},
        {"leaf-spine", "every leaf has links to every spine"},
        {"fat-tree", "three tiers of k-port switches, k^3/4 hosts; oversubscribed where asked"},
        {"three-tier-pod", "pods of leaves and spines, joined by cores; a rate for each tier"},
        {"dual-tor-dual-plane", "each NIC has a port in each of two planes (Alibaba's HPN)"},
        {"dragonfly", "groups of switches, all joined with each other; a p g hosts"},
        {"dragonfly-plus", "groups of leaves and spines, spines of all groups joined"},
        {"torus-2d", "switches on a grid whose rows and columns are rings"},
        {"torus-3d", "switches on a grid of three dimensions whose rows are rings"},
        {"gpu-mesh", "GPUs with a cable to each other one, and no switch"},
        {"star", "hosts around one switch"},
        {"file", "a topology file (formats hpcc, graph)"},
        {"all-reduce", "every rank ends with the sum of all ranks' buffers"},
        {"all-gather", "every rank ends with the blocks of all ranks"},
        {"reduce-scatter", "every rank ends with its block of the sum"},
        {"broadcast", "every rank ends with the root's buffer"},
        {"reduce", "the root ends with the sum of all ranks' buffers"},
        {"all-to-all-v", "all-to-all with the block sizes of a matrix"},
        {"gather", "the root ends with the blocks of all ranks"},
        {"scatter", "every rank ends with its block of the root's buffer"},
        {"send-receive", "every rank sends to the next one, as nccl-tests' sendrecv"},
        {"point-to-point", "a group of sends and receives between any ranks"},
        {"barrier", "nobody ends before all have begun"},
        {"auto", "as a tuner chooses, by default NCCL's cost model"},
        {"LL", "8 bytes carry 4 of data and a flag: the lowest latency"},
        {"LL128", "128 bytes carry 120 of data and a flag"},
        {"Simple", "whole slices, and a flag after a fence: the highest bandwidth"},
        {"hot", "the first ranks get some times as much as the others"},
        {"zipf", "rank d gets a share in proportion to 1 / (d + 1)^exponent"},
        {"nccl-tests", "a program of nccl-tests with its options and its table"},
        {"queue-pair", "an instance of congestion control for each queue pair"},
        {"destination", "one for all queue pairs of a NIC with the same destination and class"},
        {"ecmp", "hash of the 5-tuple, a seed for each switch"},
        {"weighted-ecmp", "ECMP in proportion to the routes' weights"},
        {"entropy", "the sender's UDP source port chooses the path"},
        {"random-spray", "each frame by chance (reorders)"},
        {"round-robin-spray", "each frame by the next port (reorders)"},
        {"flowlet", "LetFlow (NSDI 2017): a new choice after each pause of a flow"},
        {"conga", "CONGA (SIGCOMM 2014): flowlets by the congestion of whole paths"},
        {"drill", "DRILL (SIGCOMM 2017): the shortest of two random queues, each frame (reorders)"},
        {"adaptive", "the port with the least queued, each frame or flowlet (reorders)"},
        {"conweave", "ConWeave (SIGCOMM 2023): reroutes in flight, last switch restores the order"},
        {"dynamic-threshold", "a share alpha of what is free (Choudhury and Hahne, 1998)"},
        {"static-threshold", "fixed limits"},
        {"complete-partition", "each port and class has its own part"},
        {"abm", "ABM (SIGCOMM 2022): by congested queues and their drain rate"},
        {"red", "between kmin and kmax with growing probability"},
        {"step", "all above a threshold (DCTCP)"},
        {"shortest", "all shortest paths, by link weights"},
        {"up-down", "never up again after down: no cyclic buffer dependency"},
        {"go-back-n", "the standard's: the receiver takes frames in order only"},
        {"selective-repeat", "IRN (SIGCOMM 2018): only what is lost goes again, bounded in flight"},
        {"out-of-order", "frames are placed as they come, messages complete by themselves"},
        {"rocev2", "RoCEv2 over Ethernet with PFC"},
        {"collective", "a collective operation, one or a sweep of sizes"},
        {"flows", "flows between NICs: listed, from a file, or by chance at a load"},
        {"uniform", "any other host, by chance"},
        {"permutation", "one host each, drawn once, which nobody else sends to"},
        {"all-to-all",
         "to all others, each its own block (collective); all other hosts in turn (flows)"},
        {"poisson", "each host's flows come independently"},
        {"on-off", "the same, within times that begin and end by chance"},
        {"hpcc", "20 bins of 5 % of the flows each, as HPCC's fct_analysis.py"},
        {"hpcc-websearch", "the same 20 bins of the distribution websearch"},
        {"hpcc-fb-hadoop", "the same 20 bins of the distribution fb-hadoop"},
        {"decades", "up to 1 KB, 10 KB, ..., 1 GB"},
        {"perftest", "bandwidth or latency between two NICs, as linux-rdma/perftest measures it"},
        {"write-bw", "RDMA WRITE: MiB/s and messages a second"},
        {"write-lat", "RDMA WRITE to and fro: half of a round"},
        {"send-bw", "SEND: MiB/s and messages a second"},
        {"send-lat", "SEND to and fro: half of a round"},
        {"read-bw", "RDMA READ: MiB/s and messages a second"},
        {"read-lat", "RDMA READ: the whole round"},
        {"atomic-bw", "atomic operation: messages a second"},
        {"atomic-lat", "atomic operation: the whole round"},
    };
    return lines;
}

} // namespace

std::vector<std::string>
GetListKinds()
{
    return {"topologies",
            "topology-presets",
            "workloads",
            "flow-sizes",
            "traffic-matrices",
            "arrivals",
            "size-bins",
            "collectives",
            "algorithms",
            "protocols",
            "transfer-generators",
            "nccl-tests",
            "platforms",
            "congestion-controls",
            "congestion-presets",
            "congestion-scopes",
            "path-selectors",
            "routings",
            "buffer-policies",
            "switch-presets",
            "ecn-markers",
            "faults",
            "reliabilities",
            "technologies",
            "gpus",
            "nics",
            "perftests",
            "data-types"};
}

std::vector<std::pair<std::string, std::string>>
GetListEntries(const std::string& kind)
{
    std::vector<std::pair<std::string, std::string>> entries;
    if (kind == "topology-presets")
    {
        for (const std::string& name : GetClusterPresetNames())
        {
            const ClusterPreset preset = *FindClusterPreset(name);
            entries.emplace_back(name,
                                 preset.description + "\n" + std::string(26, ' ') +
                                     "source: " + preset.source + "\n" + std::string(26, ' ') +
                                     "assumed: " + preset.assumptions);
        }
        return entries;
    }
    if (kind == "algorithms")
    {
        entries.emplace_back("auto", Lines().at("auto"));
        for (const CollectiveAlgorithmEntry& entry : GetCollectiveAlgorithms())
        {
            entries.emplace_back(entry.name, entry.description);
        }
        return entries;
    }
    if (kind == "nccl-tests")
    {
        for (const NcclTest& test : GetNcclTests())
        {
            entries.emplace_back(test.name, test.description);
        }
        return entries;
    }
    if (kind == "platforms")
    {
        for (const std::string& name : GetPlatformNames())
        {
            entries.emplace_back(name, GetPlatformDescription(name));
        }
        return entries;
    }
    if (kind == "congestion-controls")
    {
        for (const std::string& name : GetCongestionControlNames())
        {
            entries.emplace_back(name, GetCongestionControlDescription(name));
        }
        return entries;
    }
    if (kind == "congestion-presets")
    {
        const DataRate rate("400Gbps"); // the descriptions are the same at all rates
        for (const std::string& control : GetCongestionControlNames())
        {
            for (const std::string& name : GetCongestionPresetNames(control))
            {
                entries.emplace_back(control + " " + name,
                                     GetCongestionPreset(control, name, rate).description);
            }
        }
        return entries;
    }
    if (kind == "flow-sizes")
    {
        for (const std::string& name : GetFlowSizeTableNames())
        {
            entries.emplace_back(name, FindFlowSizeTable(name)->source);
        }
        return entries;
    }
    if (kind == "nics")
    {
        for (const std::string& name : GetNicPresetNames())
        {
            entries.emplace_back(name, FindNicPreset(name)->description);
        }
        return entries;
    }
    if (kind == "faults")
    {
        return GetFaultList();
    }
    if (kind == "switch-presets")
    {
        for (const std::string& name : GetSwitchPresetNames())
        {
            SwitchPreset preset = GetSwitchPreset(name);
            std::string buffer = FormatBytes(preset.bufferBytes);
            std::string cell = FormatBytes(preset.cellBytes);
            entries.emplace_back(name,
                                 preset.chip + ": " + buffer + ", " + std::to_string(preset.ports) +
                                     " x " + FormatDataRate(preset.portRate) +
                                     (preset.cellBytes > 0 ? ", cells of " + cell : ""));
        }
        return entries;
    }
    if (kind == "gpus")
    {
        for (const std::string& name : GetGpuPresetNames())
        {
            entries.emplace_back(name, FindGpuPreset(name)->source);
        }
        return entries;
    }
    for (const std::string& name : GetScenarioNames(kind))
    {
        auto line = Lines().find(name);
        entries.emplace_back(name, line == Lines().end() ? "" : line->second);
    }
    return entries;
}

} // namespace ns3
