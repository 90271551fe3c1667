// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Eight GPUs, four switch planes, every GPU writes to every other one: how busy are the
 * links, and how long are they out of credit?
 *
 *     gpu 0 ... gpu 7     each with a link to each of four switches, by credits
 *
 * Try --buffer=8KiB in bytes (--buffer=8704): with less memory behind a link than the round trip
 * carries, links wait for credits.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // before anything else

    uint32_t gpus = 8;
    uint32_t planes = 4;
    uint64_t bytes = 4 << 20;
    uint64_t buffer = 0;
    CommandLine cmd(__FILE__);
    cmd.AddValue("gpus", "of the domain", gpus);
    cmd.AddValue("planes", "switches of the domain", planes);
    cmd.AddValue("bytes", "from each GPU to each other one", bytes);
    cmd.AddValue("buffer", "memory behind each link, bytes; 0: twice the round trip", buffer);
    cmd.Parse(argc, argv);

    // A server needs a NIC, though nothing goes there.
    FabricGraph graph;
    uint32_t leaf = graph.AddSwitch("leaf");
    graph.Connect({graph.AddHost("server"), leaf, DataRate("400Gbps"), NanoSeconds(500)});
    FabricNetwork network = FabricHelper().Install(graph);
    RdmaHelper().Install(network.hosts);

    GpuClusterHelper helper;
    helper.SetPreset(*FindGpuPreset("h100-sxm"));
    helper.SetGpusPerServer(gpus);
    helper.SetPlanes(planes);
    helper.SetCreditBuffer(buffer);
    GpuCluster cluster = helper.Install(network);

    uint64_t arrived = 0;
    Time last;
    auto whole = Callback<void, uint64_t>([&](uint64_t length) {
        arrived += length;
        last = Simulator::Now();
    });
    for (uint32_t from = 0; from < gpus; ++from)
    {
        for (uint32_t hop = 1; hop < gpus; ++hop)
        {
            Ptr<ScaleUpPort> port = cluster.gpus[from]->GetScaleUpPort();
            Ptr<ScaleUpPort> peer = cluster.gpus[(from + hop) % gpus]->GetScaleUpPort();
            port->Send(ScaleUpPort::Connect(port, peer, ScaleUpPort::DepartedCallback(), whole),
                       bytes);
        }
    }
    Simulator::Run();

    std::cout << arrived << " bytes in " << last.As(Time::US) << "\n"
              << "link                          busy %   out of credit us   credit frames\n"
              << std::fixed << std::setprecision(2);
    for (const ScaleUpLink& link : cluster.domains[0].links)
    {
        const PortCounters& counters = link.device->GetCounters();
        uint8_t trafficClass = cluster.gpus[0]->GetScaleUpPort()->GetTrafficClass();
        auto stalled = static_cast<double>(link.device->PausedSteps(trafficClass, NowSteps()));
        std::cout << std::left << std::setw(28) << link.name << std::right << std::setw(8)
                  << 100.0 * static_cast<double>(counters.busySteps) /
                         static_cast<double>(last.GetTimeStep())
                  << std::setw(19) << stalled / 1e6 << std::setw(16) << counters.creditsReceived
                  << "\n";
    }
    Simulator::Destroy();
    return 0;
}
