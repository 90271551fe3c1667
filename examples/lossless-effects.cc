// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What a lossless fabric does to flows that did nothing wrong, and what DCQCN makes of it.
 *
 * Three effects, each with PFC alone and with PFC and DCQCN, on cables of 40 Gb/s:
 *
 *     parking lot             head of line             victim flow
 *
 *     far1, far2 - s0         a, v - left              h1, h2, VS - t1 - spine - t4 - R, h3, h4, h5
 *     mid  ------- s1                 |                                    |
 *     near ------- s2 - R     R, V, c1, c2, c3         VR ---------------- t2
 *
 * All flows but v and VS go to R. The last column is what each would get of the cables if bandwidth
 * were shared as evenly as they allow.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iomanip>
#include <iostream>
#include <map>

using namespace ns3;

namespace
{

/// A flow that never ends.
struct Flow
{
    std::string from;
    std::string to;
    double fairGbps;
};

/// A fabric and its flows.
struct Effect
{
    std::string name;
    std::vector<std::pair<std::string, std::vector<std::string>>> switches; ///< with their hosts
    std::vector<std::pair<std::string, std::string>> trunks;
    std::vector<Flow> flows;
};

const std::vector<Effect> EFFECTS = {
    {"parking lot",
     {{"s0", {"far1", "far2"}}, {"s1", {"mid"}}, {"s2", {"near", "R"}}},
     {{"s0", "s1"}, {"s1", "s2"}},
     {{"near", "R", 10}, {"mid", "R", 10}, {"far1", "R", 10}, {"far2", "R", 10}}},
    {"head of line",
     {{"left", {"a", "v"}}, {"right", {"R", "V", "c1", "c2", "c3"}}},
     {{"left", "right"}},
     {{"a", "R", 10}, {"c1", "R", 10}, {"c2", "R", 10}, {"c3", "R", 10}, {"v", "V", 30}}},
    {"victim flow",
     {{"t1", {"h1", "h2", "VS"}}, {"t2", {"VR"}}, {"t4", {"R", "h3", "h4", "h5"}}, {"spine", {}}},
     {{"t1", "spine"}, {"t2", "spine"}, {"t4", "spine"}},
     {{"h1", "R", 8},
      {"h2", "R", 8},
      {"h3", "R", 8},
      {"h4", "R", 8},
      {"h5", "R", 8},
      {"VS", "VR", 24}}},
};

const DataRate RATE("40Gbps");

/// @param effect its fabric @param hosts gets the numbers of its hosts @return it, on paper
FabricGraph
Draw(const Effect& effect, std::map<std::string, uint32_t>& hosts)
{
    FabricGraph graph;
    std::map<std::string, uint32_t> switches;
    for (const auto& [name, ofSwitch] : effect.switches)
    {
        switches[name] = graph.AddSwitch(name);
        for (const std::string& host : ofSwitch)
        {
            hosts[host] = graph.Count(FabricGraph::Role::HOST);
            graph.Connect({graph.AddHost(host), switches[name], RATE, NanoSeconds(100)});
        }
    }
    for (const auto& [a, b] : effect.trunks)
    {
        graph.Connect({switches[a], switches[b], RATE, NanoSeconds(100)});
    }
    return graph;
}

/// @param effect what to run @param dcqcn with it or without @param horizon how long
/// @return rate of each flow over the second half, Gb/s of payload; last: pause frames
std::vector<double>
Run(const Effect& effect, bool dcqcn, Time horizon)
{
    FabricHelper fabric;
    RdmaHelper rdma;
    fabric.SetBufferAttribute("Size", UintegerValue(12'000'000));
    if (dcqcn)
    {
        CongestionPreset set = GetCongestionPreset("dcqcn", "paper", RATE);
        fabric.SetEcn([set](DataRate) {
            return EcnThresholds{set.marking->kminBytes, set.marking->kmaxBytes, set.marking->pmax};
        });
        rdma.SetNicAttribute("CnpInterval", TimeValue(set.marking->cnpInterval));
        rdma.SetCongestionControl(set.ops);
    }
    std::map<std::string, uint32_t> hosts;
    FabricNetwork network = fabric.Install(Draw(effect, hosts));
    rdma.Install(network.hosts);
    fabric.AssignStreams(network, 1);

    std::map<std::pair<uint32_t, uint32_t>, double> bytes; // by address and queue pair of receivers
    std::vector<std::pair<uint32_t, uint32_t>> receivers;  // by flow
    for (const Flow& flow : effect.flows)
    {
        auto deviceOf = [&](const std::string& host) {
            return network.hosts.Get(hosts.at(host))
                ->GetObject<RdmaStack>()
                ->GetNics()[0]
                ->GetDevice();
        };
        auto pairAt = [&](const std::string& host) {
            Ptr<FabricNetDevice> device = deviceOf(host);
            return device->GetNode()->GetObject<RdmaStack>()->CreateQueuePair(device, nullptr);
        };
        Ptr<QueuePair> sender = pairAt(flow.from);
        Ptr<QueuePair> receiver = pairAt(flow.to);
        QueuePair::Connect(sender, receiver);
        SendWorkRequest request;
        request.bytes = uint64_t{1} << 31;
        NS_ABORT_MSG_UNLESS(sender->PostSend(request) == PostResult::POSTED, "not posted");
        receivers.emplace_back(deviceOf(flow.to)->GetIpv4Address().Get(), receiver->GetNumber());
    }
    Callback<void, const FabricFrame&> count([&bytes](const FabricFrame& frame) {
        bytes[{frame.dstAddress, frame.destQp}] += frame.payloadBytes;
    });
    for (const auto& port : network.GetHostPorts())
    {
        port->TraceConnectWithoutContext("FrameRx", count);
    }
    Simulator::Schedule(horizon / 2, [&bytes] { bytes.clear(); });
    Simulator::Stop(horizon);
    Simulator::Run();

    std::vector<double> result;
    for (const auto& receiver : receivers)
    {
        result.push_back(8e-9 * bytes[receiver] / (horizon.GetSeconds() / 2));
    }
    double pauses = 0;
    for (const auto& ports : network.ports)
    {
        for (const auto& port : ports)
        {
            pauses += static_cast<double>(port->GetCounters().pausesSent);
        }
    }
    result.push_back(pauses);
    Simulator::Destroy();
    return result;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    Time horizon = MilliSeconds(60);
    CommandLine cmd(__FILE__);
    cmd.AddValue("horizon", "length of each run; its second half is measured", horizon);
    cmd.Parse(argc, argv);

    std::cout << "Gb/s of payload     PFC alone   PFC + DCQCN   fair share\n" << std::fixed;
    for (const Effect& effect : EFFECTS)
    {
        std::vector<double> alone = Run(effect, false, horizon);
        std::vector<double> dcqcn = Run(effect, true, horizon);
        std::cout << effect.name << "\n" << std::setprecision(1);
        for (size_t i = 0; i < effect.flows.size(); ++i)
        {
            const Flow& flow = effect.flows[i];
            std::cout << "  " << std::left << std::setw(14) << flow.from + " -> " + flow.to
                      << std::right << std::setw(12) << alone[i] << std::setw(14) << dcqcn[i]
                      << std::setw(13) << flow.fairGbps * 4096 / 4178 << "\n"; // 82 B around 4096
        }
        std::cout << "  pause frames  " << std::setprecision(0) << std::setw(12) << alone.back()
                  << std::setw(14) << dcqcn.back() << "\n";
    }
    return 0;
}
