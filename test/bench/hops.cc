// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Packet-hops a second: 16 hosts on 4 leaves and 4 spines at 100 Gb/s, a permutation of 16
 * flows of 16 MB in frames of 1000 B of payload, DCQCN and PFC on.
 *
 * The same fabric and load as workload W2 of the comparison with other packet-level simulators
 * (all flows cross the spine: 4 hops a data frame).
 */

#include "cpu-time.h"

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <chrono>
#include <iostream>
#include <sys/resource.h>

using namespace ns3;

namespace
{

constexpr uint32_t LEAVES = 4;
constexpr uint32_t HOSTS_PER_LEAF = 4;
constexpr uint32_t SPINES = 4;
constexpr uint32_t HOSTS = LEAVES * HOSTS_PER_LEAF;

FabricGraph
MakeGraph(DataRate rate)
{
    FabricGraph graph;
    Time delay = MicroSeconds(1);
    for (uint32_t h = 0; h < HOSTS; ++h)
    {
        graph.AddHost("host" + std::to_string(h));
    }
    for (uint32_t l = 0; l < LEAVES; ++l)
    {
        uint32_t leaf = graph.AddSwitch("leaf" + std::to_string(l));
        for (uint32_t h = 0; h < HOSTS_PER_LEAF; ++h)
        {
            graph.Connect({l * HOSTS_PER_LEAF + h, leaf, rate, delay});
        }
    }
    for (uint32_t s = 0; s < SPINES; ++s)
    {
        uint32_t spine = graph.AddSwitch("spine" + std::to_string(s));
        for (uint32_t l = 0; l < LEAVES; ++l)
        {
            graph.Connect({HOSTS + l, spine, rate, delay});
        }
    }
    return graph;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    uint64_t bytes = 16000000;
    uint32_t payload = 1000;
    uint32_t ackInterval = 1;
    std::string scheduler = "ns3::PriorityQueueScheduler";
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "of each flow", bytes);
    cmd.AddValue("payload", "bytes of a full frame", payload);
    cmd.AddValue("ackInterval", "data frames an acknowledgement", ackInterval);
    cmd.AddValue("scheduler", "event scheduler", scheduler);
    cmd.Parse(argc, argv);
    GlobalValue::Bind("SchedulerType", StringValue(scheduler));

    DataRate rate("100Gbps");
    CongestionPreset preset = GetCongestionPreset("dcqcn", "hpcc-simulator", rate);
    FabricHelper fabric;
    fabric.SetEcn([&](DataRate) {
        return EcnThresholds{preset.marking->kminBytes,
                             preset.marking->kmaxBytes,
                             preset.marking->pmax};
    });
    fabric.SetSwitchAttribute("MarkingPoint", EnumValue(FabricSwitch::MARK_AT_DEQUEUE));
    fabric.SetBufferAttribute("Size", UintegerValue(32 * 1000 * 1000));
    FabricNetwork network = fabric.Install(MakeGraph(rate));
    fabric.AssignStreams(network, 1);
    RdmaHelper rdma;
    rdma.SetCongestionControl(preset.ops);
    rdma.SetNicAttribute("CnpInterval", TimeValue(preset.marking->cnpInterval));
    rdma.SetQueuePairAttribute("Mtu", UintegerValue(payload));
    rdma.SetQueuePairAttribute("AckInterval", UintegerValue(ackInterval));
    rdma.Install(network.hosts);

    // A permutation that always crosses the spine: slot s of a leaf sends to slot s of the leaf
    // 1 to 3 further on.
    uint64_t completions = 0;
    Time lastCompletion;
    auto queue = CreateObject<CompletionQueue>();
    queue->SetCallback(Callback<void, const WorkCompletion&>([&](const WorkCompletion&) {
        ++completions;
        lastCompletion = Simulator::Now();
    }));
    std::vector<Ptr<QueuePair>> pairs;
    for (uint32_t h = 0; h < HOSTS; ++h)
    {
        uint32_t slot = h % HOSTS_PER_LEAF;
        uint32_t to = (h + HOSTS_PER_LEAF * (1 + slot % (LEAVES - 1))) % HOSTS;
        auto pair = [&](uint32_t host) {
            auto stack = network.nodes.Get(host)->GetObject<RdmaStack>();
            return stack->CreateQueuePair(network.ports[host][0], queue);
        };
        Ptr<QueuePair> sender = pair(h);
        QueuePair::Connect(sender, pair(to));
        SendWorkRequest request;
        request.bytes = bytes;
        if (sender->PostSend(request) != PostResult::POSTED)
        {
            return 1;
        }
        pairs.push_back(sender);
    }

    double cpu = CpuSeconds();
    auto start = std::chrono::steady_clock::now();
    Simulator::Run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    cpu = CpuSeconds() - cpu;

    uint64_t hops = 0;
    uint64_t dataHops = 0;
    uint64_t marks = 0;
    uint64_t pauses = 0;
    uint64_t drops = 0;
    for (const auto& ports : network.ports)
    {
        for (const auto& port : ports)
        {
            const PortCounters& counters = port->GetCounters();
            hops += counters.rxFrames;
            dataHops += counters.txPayloadBytes / payload;
            marks += counters.ecnMarks;
            pauses += counters.pausesSent;
            drops += counters.droppedFrames;
        }
    }
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    auto events = static_cast<double>(Simulator::GetEventCount());
    std::cout << "completed              " << completions << " of " << HOSTS << "\n"
              << "simulated time         " << lastCompletion.As(Time::US) << "\n"
              << "packet-hops            " << hops << " (" << dataHops << " of data)\n"
              << "ECN marks, pauses, drops " << marks << ", " << pauses << ", " << drops << "\n"
              << "wall, cpu              " << wall.count() << " s, " << cpu << " s\n"
              << "packet-hops a second   " << static_cast<double>(hops) / wall.count() / 1e6
              << " M (wall), of data " << static_cast<double>(dataHops) / wall.count() / 1e6
              << " M\n"
              << "ns a packet-hop        " << cpu * 1e9 / static_cast<double>(hops) << " (cpu)\n"
              << "events a packet-hop    " << events / static_cast<double>(hops) << "\n"
              << "memory a queue pair    " << pairs[0]->GetMemoryBytes() << " B (idle)\n"
              << "peak memory            " << usage.ru_maxrss / 1024 << " MB" << std::endl;
    Simulator::Destroy();
    return completions == HOSTS ? 0 : 1;
}
