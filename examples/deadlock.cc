// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The classic triangle: three lossless switches that stop each other for good.
 *
 *            host 0
 *              |
 *           switch 0
 *            /    \
 *     switch 2 --- switch 1
 *        |            |
 *      host 2       host 1
 *
 * Each host sends to the one that is two switches further clockwise. With --routes=clockwise every
 * frame goes that way, over two links; so each link between switches waits for the next one, all
 * around. The cycle is found before the run; in the run the switches pause each other until nothing
 * moves, and the detector names the ports. With --routes=up-down there is no cycle, and all
 * messages arrive.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

namespace
{

/// @return routes by which each switch sends all that is not for its own host clockwise
Ptr<RouteComputation>
MakeClockwiseRoutes()
{
    // Port 0 leads to the host; the links were made 0-1, 1-2, 2-0.
    auto routes = CreateObject<StaticRoutes>();
    routes->SetRoutes({{0, {}, {{1}, {}}}, {1, {}, {{2}, {}}}, {2, {}, {{2}, {}}}});
    return routes;
}

void
ReportDeadlock(Ptr<FabricRouting> routing, const BufferCycle& cycle)
{
    std::cout << "deadlock at " << Simulator::Now().As(Time::US) << ": "
              << ToString(cycle, *routing) << std::endl;
    Simulator::Stop();
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // before anything else

    std::string routes = "clockwise";
    uint64_t bytes = 4 << 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("routes", "clockwise or up-down", routes);
    cmd.AddValue("bytes", "length of each message", bytes);
    cmd.Parse(argc, argv);
    if (routes != "clockwise" && routes != "up-down")
    {
        std::cerr << "--routes=" << routes << ": expected clockwise or up-down" << std::endl;
        return 2;
    }

    FabricGraph graph;
    uint32_t switches[3];
    for (int i = 0; i < 3; ++i)
    {
        switches[i] = graph.AddSwitch("switch" + std::to_string(i));
        uint32_t host = graph.AddHost("host" + std::to_string(i));
        graph.Connect({host, switches[i], DataRate("100Gbps"), NanoSeconds(500)});
    }
    for (int i = 0; i < 3; ++i)
    {
        graph.Connect({switches[i], switches[(i + 1) % 3], DataRate("100Gbps"), NanoSeconds(500)});
    }
    FabricHelper fabric;
    fabric.SetBufferAttribute("Size", UintegerValue(1 << 20));
    fabric.SetRoutes(routes == "clockwise" ? MakeClockwiseRoutes()
                                           : Ptr<RouteComputation>(CreateObject<UpDownRoutes>()));
    FabricNetwork network = fabric.Install(graph);

    std::vector<BufferCycle> cycles = FindBufferCycles(*network.routing);
    std::cout << cycles.size() << " cyclic buffer dependencies before the run" << std::endl;
    for (const BufferCycle& cycle : cycles)
    {
        std::cout << "    " << ToString(cycle, *network.routing) << std::endl;
    }

    RdmaHelper().Install(network.hosts);
    auto completions = CreateObject<CompletionQueue>();
    int completed = 0;
    completions->SetCallback(Callback<void, const WorkCompletion&>(
        [&completed](const WorkCompletion&) { ++completed; }));
    std::vector<Ptr<QueuePair>> pairs;
    for (uint32_t h = 0; h < 3; ++h)
    {
        auto make = [&](uint32_t host) {
            auto stack = network.hosts.Get(host)->GetObject<RdmaStack>();
            pairs.push_back(stack->CreateQueuePair(network.GetHostPorts()[host], completions));
            return pairs.back();
        };
        Ptr<QueuePair> sender = make(h);
        QueuePair::Connect(sender, make((h + 2) % 3));
        SendWorkRequest request;
        request.bytes = bytes;
        if (sender->PostSend(request) != PostResult::POSTED)
        {
            return 1;
        }
    }

    auto detector = CreateObject<DeadlockDetector>();
    detector->SetAttribute("Interval", TimeValue(MicroSeconds(100)));
    detector->SetRouting(network.routing);
    detector->TraceConnectWithoutContext("Deadlock",
                                         MakeBoundCallback(&ReportDeadlock, network.routing));
    detector->Start();
    Simulator::Run();

    uint64_t stuck = 0;
    for (const auto& fabricSwitch : network.GetSwitches())
    {
        stuck += fabricSwitch->GetBuffer()->GetUsedBytes();
    }
    std::cout << completed << " of 3 messages of " << bytes << " bytes complete; " << stuck
              << " bytes left in the switches" << std::endl;
    bool deadlocked = !detector->GetDeadlocks().empty();
    Simulator::Destroy();
    return deadlocked ? 3 : 0;
}
