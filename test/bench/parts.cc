// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What the parts cost, one by one: event queues, a frame's life, a link, a switch with more
 * and more of its functions on, a queue pair, steps of collectives.
 *
 * Times are of processor, of the simulated run alone (not of building what it runs on).
 * items_per_second counts what the name of a benchmark says.
 */

#include "cpu-time.h"

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <benchmark/benchmark.h>
#include <random>

using namespace ns3;

namespace
{

/// Runs what has been scheduled, and ends the simulation. @param state gets the time
void
RunMeasured(benchmark::State& state)
{
    const double start = CpuSeconds();
    Simulator::Run();
    state.SetIterationTime(CpuSeconds() - start);
}

// ---------------------------------------------------------------- event queues

/// An event that does nothing; only its place in the queue counts.
class Nothing : public EventImpl
{
    void Notify() override
    {
    }
};

/**
 * The hold model: of N pending events the next is taken and put back at a later time. Times are
 * those of a fabric: most events are a frame's serialization or a cable away, a few are timers.
 */
void
EventQueue(benchmark::State& state, const char* typeId)
{
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(typeId, &type))
    {
        state.SkipWithError("this ns-3 does not have it");
        return;
    }
    Ptr<Scheduler> queue = ObjectFactory(typeId).Create<Scheduler>();
    Ptr<Nothing> nothing = Create<Nothing>();
    constexpr size_t DELAYS = 1 << 12;
    std::vector<uint64_t> delays(DELAYS);
    std::mt19937_64 random(1);
    for (uint64_t& delay : delays)
    {
        constexpr uint64_t FRAME = 84'000;
        constexpr uint64_t CABLE = 1'000'000;
        constexpr uint64_t TIMER = 55'000'000;
        const uint64_t kind = random() % 64;
        delay = kind == 0 ? TIMER : kind < 32 ? FRAME : CABLE + random() % FRAME;
    }
    uint32_t uid = 0;
    for (int64_t i = 0; i < state.range(0); ++i)
    {
        queue->Insert({PeekPointer(nothing), {delays[i % DELAYS], uid++, 0}});
    }
    for (auto _ : state)
    {
        Scheduler::Event event = queue->RemoveNext();
        event.key.m_ts += delays[uid % DELAYS];
        event.key.m_uid = uid++;
        queue->Insert(event);
    }
    while (!queue->IsEmpty())
    {
        queue->RemoveNext();
    }
    state.SetItemsProcessed(state.iterations());
}

// ---------------------------------------------------------------- frames

void
FrameLife(benchmark::State& state)
{
    for (auto _ : state)
    {
        FramePtr frame = FabricFrame::Create();
        frame->payloadBytes = 1000;
        frame->ComputeSize();
        benchmark::DoNotOptimize(frame->sizeBytes);
    }
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK(FrameLife);

void
FrameToBytesAndBack(benchmark::State& state)
{
    FramePtr frame = FabricFrame::Create();
    frame->payloadBytes = 1000;
    frame->ComputeSize();
    for (auto _ : state)
    {
        FramePtr copy = FabricFrame::FromPacket(frame->ToPacket());
        benchmark::DoNotOptimize(copy.get());
    }
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK(FrameToBytesAndBack);

// ---------------------------------------------------------------- a link

/// Takes in what comes.
class Sink : public FabricPortOwner
{
    void ReceiveFrame(FabricNetDevice&, FramePtr) override
    {
    }
};

/// A port's queue of frames goes over one cable: a hop with nothing behind it.
void
LinkHop(benchmark::State& state)
{
    constexpr uint32_t FRAMES = 10'000;
    for (auto _ : state)
    {
        FabricHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
        NodeContainer nodes(2);
        NetDeviceContainer devices = helper.Install(nodes.Get(0), nodes.Get(1));
        auto from = DynamicCast<FabricNetDevice>(devices.Get(0));
        auto to = DynamicCast<FabricNetDevice>(devices.Get(1));
        Sink sink;
        from->SetOwner(&sink);
        to->SetOwner(&sink);
        for (uint32_t i = 0; i < FRAMES; ++i)
        {
            FramePtr frame = FabricFrame::Create();
            frame->sizeBytes = 1062;
            frame->trafficClass = 3;
            from->Enqueue(frame);
        }
        RunMeasured(state);
        Simulator::Destroy();
    }
    state.SetItemsProcessed(state.iterations() * FRAMES);
}

BENCHMARK(LinkHop)->UseManualTime()->Unit(benchmark::kMillisecond);

// ---------------------------------------------------------------- switch and queue pair

/// How much is on.
enum SwitchFunctions : int64_t
{
    FORWARD, ///< neither PFC nor ECN
    PFC_ECN, ///< the usual lossless fabric, by DCQCN
    WITH_INT ///< and INT by every switch, with HPCC
};

/// Hosts around one switch, and a message from each to the next one.
void
RunRing(benchmark::State& state,
        uint32_t hosts,
        SwitchFunctions functions,
        uint64_t bytes,
        uint32_t messages)
{
    const DataRate rate("100Gbps");
    FabricGraph graph;
    const uint32_t center = graph.AddSwitch("switch");
    for (uint32_t h = 0; h < hosts; ++h)
    {
        graph.Connect({graph.AddHost("host" + std::to_string(h)), center, rate, MicroSeconds(1)});
    }
    FabricHelper fabric;
    RdmaHelper rdma;
    if (functions == FORWARD)
    {
        fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(0));
        fabric.SetDeviceAttribute("PfcClasses", UintegerValue(0));
    }
    else
    {
        fabric.SetEcn([](DataRate) { return EcnThresholds{400'000, 1'600'000, 0.2}; });
        rdma.SetCongestionControl(functions == WITH_INT ? "ns3::HpccCongestionOps"
                                                        : "ns3::DcqcnCongestionOps");
    }
    if (functions == WITH_INT)
    {
        fabric.SetSwitchPart("IntStamper", ObjectFactory("ns3::IntStamper"));
        rdma.SetQueuePairAttribute("BaseRtt", TimeValue(MicroSeconds(5)));
    }
    rdma.SetQueuePairAttribute("Mtu", UintegerValue(1000));
    rdma.SetQueuePairAttribute("AckInterval", UintegerValue(1));
    FabricNetwork network = fabric.Install(graph);
    fabric.AssignStreams(network, 1);
    rdma.Install(network.hosts);
    auto queue = CreateObject<CompletionQueue>();
    uint64_t done = 0;
    queue->SetCallback(
        Callback<void, const WorkCompletion&>([&done](const WorkCompletion&) { ++done; }));
    auto pairOf = [&](uint32_t host) {
        Ptr<RdmaStack> stack = network.hosts.Get(host)->GetObject<RdmaStack>();
        return stack->CreateQueuePair(stack->GetNics().at(0), queue);
    };
    for (uint32_t h = 0; h < hosts; ++h)
    {
        Ptr<QueuePair> sender = pairOf(h);
        QueuePair::Connect(sender, pairOf((h + 1) % hosts));
        for (uint32_t m = 0; m < messages; ++m)
        {
            SendWorkRequest request;
            request.bytes = bytes;
            NS_ABORT_IF(sender->PostSend(request) != PostResult::POSTED);
        }
    }
    RunMeasured(state);
    NS_ABORT_IF(done != uint64_t{hosts} * messages);
    Simulator::Destroy();
}

/// items: data frames, each two links and a switch, and its acknowledgement back.
void
SwitchFrame(benchmark::State& state)
{
    constexpr uint32_t HOSTS = 16;
    constexpr uint64_t FRAMES = 2'000;
    for (auto _ : state)
    {
        RunRing(state, HOSTS, static_cast<SwitchFunctions>(state.range(0)), FRAMES * 1000, 1);
    }
    state.SetItemsProcessed(state.iterations() * HOSTS * FRAMES);
    static const char* const NAMES[] = {"forwarding", "PFC, ECN, DCQCN", "PFC, ECN, INT, HPCC"};
    state.SetLabel(NAMES[state.range(0)]);
}

BENCHMARK(SwitchFrame)
    ->Arg(FORWARD)
    ->Arg(PFC_ECN)
    ->Arg(WITH_INT)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// items: messages of a size on one queue pair, acknowledged.
void
QueuePairMessage(benchmark::State& state)
{
    constexpr uint32_t MESSAGES = 10'000;
    for (auto _ : state)
    {
        RunRing(state, 2, PFC_ECN, static_cast<uint64_t>(state.range(0)), MESSAGES);
    }
    state.SetItemsProcessed(state.iterations() * 2 * MESSAGES);
}

BENCHMARK(QueuePairMessage)->Arg(64)->Arg(4000)->UseManualTime()->Unit(benchmark::kMillisecond);

// ---------------------------------------------------------------- collectives

/// items: messages of a ring all-reduce over servers of 8 GPUs.
void
RingMessage(benchmark::State& state)
{
    const auto servers = static_cast<uint32_t>(state.range(0));
    constexpr uint64_t SLICE = 64 * 1024;
    uint64_t messages = 0;
    for (auto _ : state)
    {
        RailOptimizedParameters parameters;
        parameters.servers = servers;
        FabricNetwork network = FabricHelper().Install(MakeRailOptimized(parameters));
        RdmaHelper rdma;
        rdma.Install(network.hosts);
        GpuCluster cluster = GpuClusterHelper().Install(network);
        auto communicator = CreateObject<Communicator>();
        communicator->SetRanks("world", cluster.gpus);
        auto executor = CreateObject<CollectiveExecutor>();
        executor->SetCommunicator(communicator);
        auto ring = CreateObjectWithAttributes<RingAlgorithm>("Channels",
                                                              UintegerValue(8),
                                                              "SliceSize",
                                                              UintegerValue(2 * 1024 * 1024));
        const uint64_t ranks = cluster.gpus.size();
        CollectiveRequest request;
        request.operation = CollectiveOperation::ALL_REDUCE;
        request.count = SLICE * 8 * ranks / request.typeBytes;
        bool done = false;
        executor->Launch(request, ring, [&done](const CollectiveRecord&) { done = true; });
        RunMeasured(state);
        NS_ABORT_IF(!done);
        Simulator::Destroy();
        messages += 8 * ranks * 2 * (ranks - 1);
    }
    state.SetItemsProcessed(static_cast<int64_t>(messages));
}

BENCHMARK(RingMessage)->Arg(1)->Arg(4)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace

int
main(int argc, char** argv)
{
    Time::SetResolution(Time::PS);
    // As the program ai-fabric has it.
    GlobalValue::Bind("SchedulerType", StringValue("ns3::PriorityQueueScheduler"));
    TypeId simulator;
    if (TypeId::LookupByNameFailSafe("ns3::FabricSimulatorImpl", &simulator))
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator.GetName()));
    }
    for (const char* type : {"ns3::MapScheduler",
                             "ns3::HeapScheduler",
                             "ns3::CalendarScheduler",
                             "ns3::PriorityQueueScheduler",
                             "ns3::FabricScheduler"})
    {
        benchmark::RegisterBenchmark((std::string("EventQueue/") + type).c_str(), EventQueue, type)
            ->Arg(100)
            ->Arg(10'000);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
    {
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
