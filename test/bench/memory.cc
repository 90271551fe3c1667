// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Bytes of each thing that a run has many of, and what setting up large fabrics takes.
 *
 * A figure is what the allocator has handed out for the things, its own overhead and all that ns-3
 * keeps for an Object included, divided by their number. The fabrics are leaves and spines without
 * oversubscription.
 */

#include "cpu-time.h"

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <functional>
#include <iomanip>
#include <iostream>
#include <malloc.h>
#include <sys/resource.h>

using namespace ns3;

namespace
{

/// What some work took.
struct Cost
{
    double seconds; ///< of processor
    double bytes;   ///< of the heap, that are still held
};

/// @return bytes that the allocator has handed out, large pieces included
double
HeldBytes()
{
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

Cost
Measure(const std::function<void()>& work)
{
    const double bytes = HeldBytes();
    const double start = CpuSeconds();
    work();
    return {CpuSeconds() - start, HeldBytes() - bytes};
}

void
Print(const std::string& what, uint64_t count, const Cost& cost)
{
    std::cout << "  " << std::left << std::setw(34) << what << std::right << std::setw(9) << count
              << std::setw(11) << static_cast<uint64_t>(cost.bytes / static_cast<double>(count))
              << std::setw(11) << std::fixed << std::setprecision(1) << cost.bytes / 1e6
              << std::setw(10) << std::setprecision(3) << cost.seconds << std::endl;
}

/// Sends from every host to the host half the fabric away, and looks what that takes.
void
AddFlows(const FabricNetwork& network)
{
    constexpr uint64_t BYTES = 100'000;
    const uint32_t hosts = network.hosts.GetN();
    std::vector<Ptr<QueuePair>> senders;
    auto pairOf = [&network](uint32_t host) {
        Ptr<RdmaStack> stack = network.hosts.Get(host)->GetObject<RdmaStack>();
        return stack->CreateQueuePair(network.ports[host][0], nullptr);
    };
    const Cost pairs = Measure([&]() {
        senders.reserve(hosts);
        for (uint32_t h = 0; h < hosts; ++h)
        {
            senders.push_back(pairOf(h));
            QueuePair::Connect(senders.back(), pairOf((h + hosts / 2) % hosts));
        }
    });
    Print("queue pair, before a message", 2 * hosts, pairs);
    const Cost flows = Measure([&]() {
        for (uint32_t h = 0; h < hosts; ++h)
        {
            auto application = CreateObject<RdmaFlowApplication>();
            application->SetAttribute("Bytes", UintegerValue(BYTES));
            application->SetQueuePair(senders[h]);
            application->SetStartTime(Time(0));
            network.hosts.Get(h)->AddApplication(application);
        }
    });
    Print("flow (RdmaFlowApplication)", hosts, flows);
    const Cost run = Measure([]() { Simulator::Run(); });
    Print("flow, what its run leaves", hosts, run);
    double sum = 0;
    for (const auto& sender : senders)
    {
        sum += static_cast<double>(sender->GetMemoryBytes());
    }
    Print("sending queue pair, as it counts", hosts, {0, sum});
}

void
MeasureFabric(uint32_t leaves, uint32_t hostsPerLeaf)
{
    LeafSpineParameters parameters;
    parameters.leaves = leaves;
    parameters.hostsPerLeaf = hostsPerLeaf;
    parameters.spines = hostsPerLeaf;
    const FabricGraph graph = MakeLeafSpine(parameters);
    FabricNetwork network;
    const Cost fabric = Measure([&]() { network = FabricHelper().Install(graph); });
    const uint64_t hosts = network.hosts.GetN();
    uint64_t ports = 0;
    for (const auto& each : network.ports)
    {
        ports += each.size();
    }
    const auto routes = static_cast<double>(network.routing->GetMemoryBytes());
    std::cout << hosts << " hosts, " << graph.GetVertices().size() - hosts << " switches, " << ports
              << " ports\n"
              << "  " << std::left << std::setw(34) << "" << std::right << std::setw(9) << "number"
              << std::setw(11) << "bytes each" << std::setw(11) << "MB" << std::setw(10) << "cpu s"
              << std::endl;
    Print("port, with its part of node, switch", ports, {fabric.seconds, fabric.bytes - routes});
    Print("route, of a switch to a host",
          hosts * (graph.GetVertices().size() - hosts),
          {0, routes});
    RdmaHelper rdma;
    rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
    Print("host's NIC and RDMA", hosts, Measure([&]() { rdma.Install(network.hosts); }));
    AddFlows(network);
    Simulator::Destroy();
    constexpr double MEGA = 1e6;
    constexpr double KIB = 1024;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::cout << "  peak memory of the process so far: " << std::setprecision(0)
              << static_cast<double>(usage.ru_maxrss) * KIB / MEGA << " MB\n"
              << std::endl;
}

} // namespace

int
main()
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::PriorityQueueScheduler"));
    std::cout << "a frame in flight or in a queue: " << sizeof(FabricFrame) << " B\n"
              << "a port's FabricNetDevice: " << sizeof(FabricNetDevice)
              << " B; a QueuePair: " << sizeof(QueuePair) << " B\n"
              << std::endl;
    MeasureFabric(8, 16);
    MeasureFabric(32, 32);
    MeasureFabric(128, 64);
    return 0;
}
