// SPDX-License-Identifier: GPL-2.0-only
#include "name-lists.h"

#include "ns3/dcqcn-presets.h"
#include "ns3/gpu-presets.h"
#include "ns3/nic-presets.h"
#include "ns3/scenario.h"

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
        {"leaf-spine", "every leaf has links to every spine"},
        {"fat-tree", "three tiers of k-port switches, k^3/4 hosts"},
        {"star", "hosts around one switch"},
        {"file", "a topology file (format hpcc)"},
        {"all-reduce", "every rank ends with the sum of all ranks' buffers"},
        {"all-gather", "every rank ends with the blocks of all ranks"},
        {"reduce-scatter", "every rank ends with its block of the sum"},
        {"auto", "the algorithm that fits: in this version always ring"},
        {"ring", "rings laid out by rail, one a channel"},
        {"none", "line rate; PFC alone holds senders back"},
        {"dcqcn", "DCQCN (SIGCOMM 2015), with presets"},
        {"ecmp", "hash of the 5-tuple, a seed for each switch"},
        {"go-back-n", "the standard's: the receiver takes frames in order only"},
        {"selective-repeat", "IRN (SIGCOMM 2018): only what is lost goes again, bounded in flight"},
        {"out-of-order", "frames are placed as they come, messages complete by themselves"},
        {"rocev2", "RoCEv2 over Ethernet with PFC"},
        {"collective", "a collective operation, one or a sweep of sizes"},
        {"flows", "flows between NICs, listed or from a file"},
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
            "workloads",
            "collectives",
            "algorithms",
            "congestion-controls",
            "dcqcn-presets",
            "path-selectors",
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
    if (kind == "dcqcn-presets")
    {
        for (const std::string& name : GetDcqcnPresetNames())
        {
            entries.emplace_back(name, GetDcqcnPreset(name, DataRate("400Gbps")).description);
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
