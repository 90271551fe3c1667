// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief An incast, as one of its senders sees it by in-band telemetry.
 *
 *     hosts ----- left switch ===== right switch ----- one host
 *
 * Each host on the left sends one message to the only host on the right, all at once. The frames
 * ask both switches for telemetry, and the acknowledgements bring it back. The program prints, for
 * the first sender, what each hop said of its queue and of the load of its port since the last
 * time; the load is the difference of two counters by that of two time stamps, as HPCC has it.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iomanip>
#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

std::vector<IntHop> g_last; ///< what the hops said in the line before
int64_t g_nextLine = 0;     ///< no line before, time steps
Time g_every = MicroSeconds(20);

/// @param now what a hop says @param before what it said earlier @return share of its rate in use
double
Load(const IntHop& now, const IntHop& before)
{
    double seconds = TimeStep(now.time - before.time).GetSeconds();
    double bits = 8.0 * static_cast<double>(now.txBytes - before.txBytes);
    return seconds > 0 ? bits / seconds / static_cast<double>(now.bitsPerSecond) : 0;
}

/// Prints a line, if it is time for one. @param answer with the hops of the frame that it answers
void
Print(const QueuePair&, const FabricFrame& answer)
{
    const std::vector<IntHop>& hops = answer.switchHeader->telemetry;
    if (hops.empty() || NowSteps() < g_nextLine)
    {
        return;
    }
    g_nextLine = NowSteps() + g_every.GetTimeStep();
    std::cout << std::fixed << std::setprecision(1) << std::setw(8)
              << Simulator::Now().GetNanoSeconds() / 1000.0;
    for (size_t i = 0; i < hops.size(); ++i)
    {
        std::cout << "   switch " << hops[i].switchId << " port " << hops[i].egressPort
                  << std::setw(9) << hops[i].queueBytes << " B" << std::setw(6)
                  << (g_last.size() == hops.size() ? 100 * Load(hops[i], g_last[i]) : 0) << " %";
    }
    std::cout << "\n";
    g_last = hops;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);

    uint32_t senders = 4;
    uint64_t bytes = 1 << 20;
    std::string format = "IntMd";
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "hosts that send", senders);
    cmd.AddValue("bytes", "of each message", bytes);
    cmd.AddValue("format", "of the telemetry on the wire: IntMd or Hpcc", format);
    cmd.AddValue("every", "shortest time between two lines", g_every);
    cmd.Parse(argc, argv);

    FabricGraph graph;
    uint32_t left = graph.AddSwitch("left");
    uint32_t right = graph.AddSwitch("right");
    uint32_t target = graph.AddHost("target");
    graph.Connect({target, right, DataRate("100Gbps"), NanoSeconds(500)});
    graph.Connect({left, right, DataRate("200Gbps"), NanoSeconds(500)});
    std::vector<uint32_t> hosts;
    for (uint32_t i = 0; i < senders; ++i)
    {
        hosts.push_back(graph.AddHost("host" + std::to_string(i)));
        graph.Connect({hosts.back(), left, DataRate("100Gbps"), NanoSeconds(500)});
    }
    FabricHelper fabric;
    fabric.SetSwitchAttribute("IntStamper", PointerValue(CreateObject<IntStamper>()));
    fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(4300)); // frames grow on their way
    FabricNetwork network = fabric.Install(graph);

    RdmaHelper rdma;
    rdma.SetQueuePairAttribute("CollectTelemetry", StringValue(format));
    rdma.SetQueuePairAttribute("AckInterval", UintegerValue(1));
    rdma.Install(network.hosts);
    auto completions = CreateObject<CompletionQueue>();
    auto make = [&](uint32_t host) {
        auto stack = network.nodes.Get(host)->GetObject<RdmaStack>();
        return stack->CreateQueuePair(network.ports[host][0], completions);
    };
    for (uint32_t host : hosts)
    {
        Ptr<QueuePair> sender = make(host);
        QueuePair::Connect(sender, make(target));
        SendWorkRequest request;
        request.bytes = bytes;
        if (PostResult result = sender->PostSend(request); result != PostResult::POSTED)
        {
            std::cerr << sender->Explain(result) << std::endl;
            return 1;
        }
    }
    auto stack = network.nodes.Get(hosts[0])->GetObject<RdmaStack>();
    stack->GetNics().at(0)->TraceConnectWithoutContext("Telemetry", MakeCallback(&Print));

    std::cout << "time, us   queue behind the frame and load of the port, hop by hop\n";
    Simulator::Run();
    std::cout << "all done at " << Simulator::Now().GetMicroSeconds() << " us" << std::endl;
    Simulator::Destroy();
    return 0;
}
