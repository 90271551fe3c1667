// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The order of a GPU's work: streams, events, the default stream, host functions, copies,
 * graphs and their capture, and what launching costs.
 *
 * The order is that of the CUDA Runtime API ("Stream Management", "Event Management", "Stream
 * synchronization behavior", "Graph Management").
 */

#include "fabric-fixture.h"

#include "ns3/collective-algorithms.h"
#include "ns3/collective-executor.h"
#include "ns3/gpu-cluster-helper.h"
#include "ns3/gpu-event.h"
#include "ns3/gpu-graph.h"
#include "ns3/measured-kernel-cost.h"
#include "ns3/pcie-presets.h"

#include <gtest/gtest.h>
#include <map>

using namespace ns3;

namespace
{

/// A GPU whose streams report when each operation started and ended.
class StreamGpu
{
  public:
    StreamGpu()
        : gpu(CreateObject<GpuEndpoint>())
    {
    }

    ~StreamGpu()
    {
        gpu->Dispose();
        Simulator::Destroy();
    }

    /// Launching costs nothing, so that only the order is seen.
    void NoLatency()
    {
        for (const char* name :
             {"LaunchLatency", "KernelStartLatency", "GraphLaunchLatency", "GraphNodeGap"})
        {
            gpu->SetAttribute(name, TimeValue(Time(0)));
        }
    }

    Ptr<GpuStream> Stream(bool blocking = true)
    {
        return Watch(gpu->CreateStream(blocking));
    }

    Ptr<GpuStream> Watch(Ptr<GpuStream> stream)
    {
        stream->TraceConnectWithoutContext("OperationComplete",
                                           MakeCallback(&StreamGpu::Ended, this));
        return stream;
    }

    void Ended(const GpuOperationRecord& record)
    {
        starts[record.name] = record.start;
        ends[record.name] = record.end;
    }

    Ptr<GpuEndpoint> gpu;
    std::map<std::string, Time> starts;
    std::map<std::string, Time> ends;
};

/// A kernel that takes a time on one SM, so that few kernels do not meet.
Ptr<KernelCostModel>
Kernel(Time duration)
{
    auto kernel = CreateObject<MeasuredKernelCost>();
    kernel->SetAttribute("Duration", TimeValue(duration));
    kernel->SetAttribute("Multiprocessors", UintegerValue(1));
    return kernel;
}

} // namespace

// ---------------------------------------------------------------- launches

TEST(GpuLaunch, HostAndDeviceLatencyComeBeforeTheKernel)
{
    // The host takes 2.5 us for each launch, the device 0.9 us before each kernel. The first one
    // runs from 3.4 to 13.4 us; the second one is launched at 5 us and starts behind it.
    StreamGpu g;
    auto stream = g.Stream();
    stream->LaunchKernel("first", Kernel(MicroSeconds(10)));
    stream->LaunchKernel("second", Kernel(MicroSeconds(10)));
    Simulator::Run();
    EXPECT_EQ(g.starts["first"], NanoSeconds(2500));
    EXPECT_EQ(g.ends["first"], NanoSeconds(13'400));
    EXPECT_EQ(g.ends["second"], NanoSeconds(24'300));
}

TEST(GpuLaunch, ShortKernelsWaitForTheHost)
{
    // Kernels of 1 us in a stream end 2.5 us after each other: the host's pace, not the GPU's.
    StreamGpu g;
    auto stream = g.Stream();
    for (const char* name : {"a", "b", "c"})
    {
        stream->LaunchKernel(name, Kernel(MicroSeconds(1)));
    }
    Simulator::Run();
    EXPECT_EQ(g.ends["a"], NanoSeconds(4400));
    EXPECT_EQ(g.ends["b"], NanoSeconds(6900));
    EXPECT_EQ(g.ends["c"], NanoSeconds(9400));
}

TEST(GpuLaunch, OneHostLaunchesForAllStreams)
{
    StreamGpu g;
    g.Stream()->LaunchKernel("one", Kernel(MicroSeconds(10)));
    g.Stream()->LaunchKernel("other", Kernel(MicroSeconds(10)));
    Simulator::Run();
    EXPECT_EQ(g.ends["one"], NanoSeconds(13'400));
    EXPECT_EQ(g.ends["other"], NanoSeconds(15'900));
}

// ---------------------------------------------------------------- events

TEST(GpuEvents, AStreamWaitsForAnotherOne)
{
    StreamGpu g;
    auto a = g.Stream();
    auto b = g.Stream();
    auto event = CreateObject<GpuEvent>();
    a->EnqueueKernel("before", MicroSeconds(5));
    a->RecordEvent(event);
    a->EnqueueKernel("after", MicroSeconds(5)); // not what the event stands for
    b->EnqueueKernel("free", MicroSeconds(1));
    b->WaitEvent(event);
    b->EnqueueKernel("waits", MicroSeconds(3));
    Simulator::Run();
    EXPECT_EQ(g.ends["free"], MicroSeconds(1));
    EXPECT_EQ(g.starts["waits"], MicroSeconds(5));
    EXPECT_EQ(g.ends["waits"], MicroSeconds(8));
    EXPECT_EQ(g.ends["after"], MicroSeconds(10));
}

TEST(GpuEvents, OneThatNeverWasRecordedHoldsNobody)
{
    StreamGpu g;
    auto stream = g.Stream();
    auto event = CreateObject<GpuEvent>();
    EXPECT_TRUE(event->IsComplete());
    stream->WaitEvent(event);
    stream->EnqueueKernel("kernel", MicroSeconds(3));
    Simulator::Run();
    EXPECT_EQ(g.ends["kernel"], MicroSeconds(3));
}

TEST(GpuEvents, AWaitIsForWhatTheEventStoodForThen)
{
    // Recorded again, it stands for something else; who waits does not notice.
    StreamGpu g;
    auto a = g.Stream();
    auto event = CreateObject<GpuEvent>();
    a->EnqueueKernel("first", MicroSeconds(5));
    a->RecordEvent(event);
    auto early = g.Stream();
    early->WaitEvent(event);
    early->EnqueueKernel("early", MicroSeconds(1));
    a->EnqueueKernel("second", MicroSeconds(5));
    a->RecordEvent(event);
    auto late = g.Stream();
    late->WaitEvent(event);
    late->EnqueueKernel("late", MicroSeconds(1));
    Simulator::Run();
    EXPECT_EQ(g.starts["early"], MicroSeconds(5));
    EXPECT_EQ(g.starts["late"], MicroSeconds(10));
}

TEST(GpuEvents, RecordingAgainInAnIdleStreamReleasesNobodyEarly)
{
    StreamGpu g;
    auto a = g.Stream();
    auto b = g.Stream();
    auto event = CreateObject<GpuEvent>();
    a->EnqueueKernel("long", MicroSeconds(5));
    a->RecordEvent(event);
    b->WaitEvent(event);
    b->EnqueueKernel("waits", MicroSeconds(1));
    g.Stream()->RecordEvent(event);
    EXPECT_TRUE(event->IsComplete());
    Simulator::Run();
    EXPECT_EQ(g.starts["waits"], MicroSeconds(5));
}

TEST(GpuEvents, GiveTheTimeBetweenThem)
{
    StreamGpu g;
    auto stream = g.Stream();
    auto start = CreateObject<GpuEvent>();
    auto end = CreateObject<GpuEvent>();
    stream->EnqueueKernel("before", MicroSeconds(2));
    stream->RecordEvent(start);
    stream->EnqueueKernel("timed", MicroSeconds(7));
    stream->RecordEvent(end);
    EXPECT_FALSE(end->IsComplete());
    Time complete;
    end->WhenComplete([&complete]() { complete = Simulator::Now(); });
    Simulator::Run();
    EXPECT_TRUE(end->IsComplete());
    EXPECT_EQ(complete, MicroSeconds(9));
    EXPECT_EQ(GpuEvent::GetElapsed(*start, *end), MicroSeconds(7));
}

TEST(GpuEvents, OrderStreamsOfTwoGpus)
{
    StreamGpu one;
    auto other = CreateObject<GpuEndpoint>();
    auto event = CreateObject<GpuEvent>();
    auto a = one.Stream();
    a->EnqueueKernel("here", MicroSeconds(4));
    a->RecordEvent(event);
    auto b = one.Watch(other->CreateStream());
    b->WaitEvent(event);
    b->EnqueueKernel("there", MicroSeconds(1));
    Simulator::Run();
    EXPECT_EQ(one.ends["there"], MicroSeconds(5));
    other->Dispose();
}

TEST(GpuEvents, ALongChainOverTwoStreamsDoesNotNest)
{
    StreamGpu g;
    auto a = g.Stream();
    auto b = g.Stream();
    a->EnqueueKernel("kernel", MicroSeconds(1));
    for (int i = 0; i < 100000; ++i)
    {
        auto event = CreateObject<GpuEvent>();
        a->RecordEvent(event);
        b->WaitEvent(event);
        std::swap(a, b);
    }
    a->EnqueueKernel("last", MicroSeconds(1));
    Simulator::Run();
    EXPECT_EQ(g.ends["last"], MicroSeconds(2));
}

TEST(GpuEventsDeathTest, ATimeIsThatOfACompleteEvent)
{
    StreamGpu g;
    auto event = CreateObject<GpuEvent>();
    EXPECT_DEATH(event->GetTime(), "has not been recorded");
    auto stream = g.Stream();
    stream->EnqueueKernel("kernel", MicroSeconds(1));
    stream->RecordEvent(event);
    EXPECT_DEATH(event->GetTime(), "not complete");
}

// ---------------------------------------------------------------- the default stream

namespace
{

/// A blocking stream, the default stream, a blocking and a non-blocking one, in this order.
void
RunDefaultStream(StreamGpu& g)
{
    auto a = g.Stream();
    auto b = g.Stream();
    auto free = g.Stream(false);
    auto defaultStream = g.Watch(g.gpu->GetDefaultStream());
    a->EnqueueKernel("a", MicroSeconds(5));
    defaultStream->EnqueueKernel("default", MicroSeconds(2));
    b->EnqueueKernel("b", MicroSeconds(1));
    free->EnqueueKernel("free", MicroSeconds(1));
    Simulator::Run();
}

} // namespace

TEST(GpuDefaultStream, WaitsForBlockingStreamsAndTheyForIt)
{
    StreamGpu g;
    RunDefaultStream(g);
    EXPECT_EQ(g.ends["a"], MicroSeconds(5));
    EXPECT_EQ(g.ends["default"], MicroSeconds(7));
    EXPECT_EQ(g.ends["b"], MicroSeconds(8));
    EXPECT_EQ(g.ends["free"], MicroSeconds(1));
}

TEST(GpuDefaultStream, IsLikeOthersIfItIsNotALegacyOne)
{
    StreamGpu g;
    g.gpu->SetAttribute("LegacyDefaultStream", BooleanValue(false));
    RunDefaultStream(g);
    EXPECT_EQ(g.ends["default"], MicroSeconds(2));
    EXPECT_EQ(g.ends["b"], MicroSeconds(1));
}

TEST(GpuDefaultStream, AnEventInItStandsForAllBlockingStreams)
{
    StreamGpu g;
    auto event = CreateObject<GpuEvent>();
    g.Stream()->EnqueueKernel("blocking", MicroSeconds(5));
    g.Stream(false)->EnqueueKernel("free", MicroSeconds(9));
    g.gpu->GetDefaultStream()->RecordEvent(event);
    Simulator::Run();
    EXPECT_EQ(event->GetTime(), MicroSeconds(5));
}

// ---------------------------------------------------------------- host functions

TEST(GpuHostFunction, ComesInTheOrderOfItsStream)
{
    StreamGpu g;
    auto stream = g.Stream();
    Time called;
    bool nextRuns = true;
    stream->EnqueueKernel("before", MicroSeconds(3));
    stream->EnqueueHostFunction("call", [&]() {
        called = Simulator::Now();
        nextRuns = stream->GetRunning() != "call";
    });
    stream->EnqueueKernel("after", MicroSeconds(1));
    Simulator::Run();
    EXPECT_EQ(called, MicroSeconds(3));
    EXPECT_FALSE(nextRuns);
    EXPECT_EQ(g.ends["after"], MicroSeconds(4));
}

// ---------------------------------------------------------------- copies

namespace
{

constexpr uint64_t COPY = 52'962'500; // 1 ms at 423.7 Gb/s, the default HostRate

} // namespace

TEST(GpuCopies, EnginesServeOneDirectionEach)
{
    StreamGpu g;
    g.NoLatency();
    g.Stream()->LaunchCopy("down 1", {GpuCopyKind::HOST_TO_DEVICE, COPY, nullptr});
    g.Stream()->LaunchCopy("down 2", {GpuCopyKind::HOST_TO_DEVICE, COPY, nullptr});
    g.Stream()->LaunchCopy("up", {GpuCopyKind::DEVICE_TO_HOST, COPY, nullptr});
    Simulator::Run();
    EXPECT_EQ(g.ends["down 1"], MilliSeconds(1));
    EXPECT_EQ(g.ends["down 2"], MilliSeconds(2));
    EXPECT_EQ(g.ends["up"], MilliSeconds(1));
}

TEST(GpuCopies, OneEngineServesAllOneAfterTheOther)
{
    StreamGpu g;
    g.NoLatency();
    g.gpu->SetAttribute("CopyEngines", UintegerValue(1));
    g.Stream()->LaunchCopy("down", {GpuCopyKind::HOST_TO_DEVICE, COPY, nullptr});
    g.Stream()->LaunchCopy("up", {GpuCopyKind::DEVICE_TO_HOST, COPY, nullptr});
    Simulator::Run();
    EXPECT_EQ(g.ends["up"], MilliSeconds(2));
}

TEST(GpuCopies, RunBesideKernels)
{
    StreamGpu g;
    g.NoLatency();
    g.Stream()->LaunchCopy("copy", {GpuCopyKind::HOST_TO_DEVICE, COPY, nullptr});
    auto kernel = CreateObject<MeasuredKernelCost>();
    kernel->SetAttribute("Duration", TimeValue(MilliSeconds(1)));
    g.Stream()->LaunchKernel("kernel", kernel);
    Simulator::Run();
    EXPECT_EQ(g.ends["copy"], MilliSeconds(1));
    EXPECT_EQ(g.ends["kernel"], MilliSeconds(1));
}

TEST(GpuCopies, WithinTheMemoryEachByteIsReadAndWritten)
{
    StreamGpu g;
    g.NoLatency();
    g.gpu->SetAttribute("HbmBandwidth", DataRateValue(DataRate(8'000'000'000'000ULL))); // 1 B/ps
    g.Stream()->LaunchCopy("copy", {GpuCopyKind::DEVICE_TO_DEVICE, 500'000, nullptr});
    Simulator::Run();
    EXPECT_EQ(g.ends["copy"], MicroSeconds(1));
}

TEST(GpuCopies, TakeThePcieTreeOfTheServer)
{
    // From cpu0 by switch0 to gpu0: the bytes take a link of generation 5, and the first packet of
    // 256 B one more and the switch.
    StreamGpu g;
    g.NoLatency();
    std::string error;
    auto tree = MakePcieTree("dgx-h100-like", 8, 8, error);
    auto node = CreateObject<Node>();
    node->AggregateObject(tree);
    g.gpu->SetNicPorts(node, {});
    g.Stream()->LaunchCopy("copy", {GpuCopyKind::HOST_TO_DEVICE, 1'000'000, nullptr});
    Simulator::Run();
    double rate = 512e9 * 128 / 130 * (57.88 / 62.96) * 256 / 280 / 8; // B/s
    EXPECT_NEAR(g.ends["copy"].GetPicoSeconds(), 1'000'256 / rate * 1e12 + 110'000, 2);
}

TEST(GpuCopies, ToAPeerGoByTheScaleUpPort)
{
    // 4096 B are one frame of 4352 B, 2 ps a byte at 4 Tb/s; the switch stores it. Two cables of
    // 25 ns, a switch of 300 ns.
    FabricFixture fixture;
    GpuClusterHelper helper;
    helper.SetGpusPerServer(2);
    helper.SetScaleUpDeviceAttribute("DataRate", DataRateValue(DataRate(4'000'000'000'000ULL)));
    helper.SetScaleUpSwitchDeviceAttribute("DataRate",
                                           DataRateValue(DataRate(4'000'000'000'000ULL)));
    fixture.BuildStar(1, "400Gbps", NanoSeconds(500));
    GpuCluster cluster = helper.Install(fixture.network);
    StreamGpu g;
    g.gpu = cluster.gpus[0];
    g.NoLatency();
    auto stream = g.Stream();
    stream->LaunchCopy("one", {GpuCopyKind::PEER_TO_PEER, 4096, cluster.gpus[1]});
    stream->LaunchCopy("two", {GpuCopyKind::PEER_TO_PEER, 4096, cluster.gpus[1]});
    Simulator::Run();
    int64_t once = 2 * 4352 * 2 + 350'000;
    EXPECT_EQ(g.ends["one"].GetPicoSeconds(), once);
    EXPECT_EQ(g.ends["two"].GetPicoSeconds(), 2 * once);
}

TEST(GpuCopiesDeathTest, APeerMustBeInReach)
{
    StreamGpu g;
    auto stream = g.Stream();
    auto other = CreateObject<GpuEndpoint>();
    EXPECT_DEATH(stream->LaunchCopy("copy", {GpuCopyKind::PEER_TO_PEER, 1, other}),
                 "neither a scale-up domain nor a PCIe tree");
    EXPECT_DEATH(stream->LaunchCopy("copy", {GpuCopyKind::PEER_TO_PEER, 1, nullptr}),
                 "needs another GPU");
}

// ---------------------------------------------------------------- graphs

TEST(GpuGraphs, AChainIsLaunchedOnce)
{
    // 2.5 us of the host, 0.9 us of the device, three kernels of 1 us, two gaps of 0.5 us. The same
    // three, launched one by one, end at 9.4 us (see ShortKernelsWaitForTheHost).
    StreamGpu g;
    auto graph = CreateObject<GpuGraph>();
    GpuGraph::Nodes after;
    for (const char* name : {"a", "b", "c"})
    {
        after = {graph->AddKernel(name, g.gpu, Kernel(MicroSeconds(1)), after)};
    }
    g.Stream()->LaunchGraph("graph", graph);
    Simulator::Run();
    EXPECT_EQ(g.ends["graph"], NanoSeconds(7400));
}

TEST(GpuGraphs, ANodeWaitsForAllThatItComesAfter)
{
    // a, then b and c beside each other, then d: the longer of b and c counts.
    StreamGpu g;
    auto graph = CreateObject<GpuGraph>();
    uint32_t a = graph->AddKernel("a", g.gpu, Kernel(MicroSeconds(1)), {});
    uint32_t b = graph->AddKernel("b", g.gpu, Kernel(MicroSeconds(2)), {a});
    uint32_t c = graph->AddKernel("c", g.gpu, Kernel(MicroSeconds(5)), {a});
    graph->AddKernel("d", g.gpu, Kernel(MicroSeconds(1)), {b, c});
    g.Stream()->LaunchGraph("graph", graph);
    Simulator::Run();
    EXPECT_EQ(g.ends["graph"], NanoSeconds(2500 + 900 + 1000 + 500 + 5000 + 500 + 1000));
}

TEST(GpuGraphs, DoNotRunBesideThemselves)
{
    // The second launch, in another stream, is made at 5 us and waits for the first one's end at
    // 2.5 + 0.9 + 10 us.
    StreamGpu g;
    auto graph = CreateObject<GpuGraph>();
    graph->AddKernel("kernel", g.gpu, Kernel(MicroSeconds(10)), {});
    g.Stream()->LaunchGraph("first", graph);
    g.Stream()->LaunchGraph("second", graph);
    Simulator::Run();
    EXPECT_EQ(g.ends["first"], NanoSeconds(13'400));
    EXPECT_EQ(g.ends["second"], NanoSeconds(24'300));
}

TEST(GpuGraphs, HoldCopiesAndAnyOperation)
{
    StreamGpu g;
    g.NoLatency();
    auto graph = CreateObject<GpuGraph>();
    uint32_t copy = graph->AddCopy("copy", g.gpu, {GpuCopyKind::HOST_TO_DEVICE, COPY, nullptr}, {});
    int calls = 0;
    graph->AddOperation("call",
                        [&calls](GpuStream::Done done) {
                            ++calls;
                            done();
                        },
                        {copy});
    auto stream = g.Stream();
    stream->LaunchGraph("first", graph);
    stream->LaunchGraph("second", graph);
    stream->LaunchGraph("nothing", CreateObject<GpuGraph>());
    Simulator::Run();
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(g.ends["first"], MilliSeconds(1));
    EXPECT_EQ(g.ends["nothing"], MilliSeconds(2));
}

TEST(GpuGraphs, HoldCollectives)
{
    // A kernel of 10 us and an all-reduce of two GPUs, as a graph of each that is launched twice.
    FabricFixture fixture;
    GpuClusterHelper helper;
    helper.SetGpusPerServer(2);
    fixture.BuildStar(1, "400Gbps", NanoSeconds(500));
    GpuCluster cluster = helper.Install(fixture.network);
    auto communicator = CreateObject<Communicator>();
    communicator->SetRanks("world", cluster.gpus);
    auto executor = CreateObject<CollectiveExecutor>();
    executor->SetCommunicator(communicator);
    CollectiveRequest request;
    request.count = 1 << 20;
    Ptr<CollectiveAlgorithm> ring = MakeCollectiveAlgorithm("ring");
    std::vector<GpuGraphNodeRecord> nodes; // of GPU 0
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        auto graph = CreateObject<GpuGraph>();
        uint32_t kernel =
            graph->AddKernel("kernel", cluster.gpus[rank], Kernel(MicroSeconds(10)), {});
        graph->AddOperation(
            "all-reduce",
            [=](GpuStream::Done done) { executor->LaunchRank(rank, request, ring, done); },
            {kernel});
        if (rank == 0)
        {
            graph->TraceConnectWithoutContext(
                "NodeComplete",
                Callback<void, const GpuGraphNodeRecord&>(
                    [&nodes](const GpuGraphNodeRecord& record) { nodes.push_back(record); }));
        }
        auto stream = cluster.gpus[rank]->CreateStream();
        stream->LaunchGraph("first", graph);
        stream->LaunchGraph("second", graph);
    }
    Simulator::Run();
    ASSERT_EQ(nodes.size(), 4u);
    EXPECT_EQ(executor->GetOutstanding(), 0u);
    EXPECT_EQ(nodes[1].name, "all-reduce");
    EXPECT_EQ(nodes[1].start, NanoSeconds(2500 + 900 + 10'000 + 500));
    // 4 MiB by 450 GB/s each way take a ring of two ranks 9.3 us at least.
    EXPECT_GT(nodes[1].end - nodes[1].start, NanoSeconds(9'300));
    EXPECT_EQ(nodes[2].start, nodes[1].end + NanoSeconds(900)) << "the second launch follows";
    EXPECT_EQ(nodes[3].end - nodes[3].start, nodes[1].end - nodes[1].start);
}

TEST(GpuGraphsDeathTest, ANodeComesAfterNodesThatAreThere)
{
    StreamGpu g;
    auto graph = CreateObject<GpuGraph>();
    EXPECT_DEATH(graph->AddKernel("a", g.gpu, Kernel(MicroSeconds(1)), {0}), "not there");
}

TEST(GpuCapture, TwoStreamsBecomeAGraph)
{
    // k1 in a; k2 in b, by an event; k3 in a beside it; k4 in a after both.
    StreamGpu g;
    auto a = g.Stream();
    auto b = g.Stream();
    auto graph = CreateObject<GpuGraph>();
    auto forked = CreateObject<GpuEvent>();
    auto joined = CreateObject<GpuEvent>();
    a->BeginCapture(graph);
    a->LaunchKernel("k1", Kernel(MicroSeconds(1)));
    a->RecordEvent(forked);
    b->WaitEvent(forked);
    b->LaunchKernel("k2", Kernel(MicroSeconds(5)));
    b->RecordEvent(joined);
    a->LaunchKernel("k3", Kernel(MicroSeconds(2)));
    a->WaitEvent(joined);
    a->LaunchKernel("k4", Kernel(MicroSeconds(1)));
    a->EndCapture();
    EXPECT_FALSE(a->IsCapturing());
    EXPECT_FALSE(b->IsCapturing());
    EXPECT_EQ(graph->GetNodes(), 4u);
    EXPECT_EQ(graph->GetAfter(1), GpuGraph::Nodes{0});
    EXPECT_EQ(graph->GetAfter(2), GpuGraph::Nodes{0});
    EXPECT_EQ(graph->GetAfter(3), (GpuGraph::Nodes{2, 1}));
    Simulator::Run();
    EXPECT_TRUE(g.ends.empty()) << "what is captured does not run";

    a->LaunchGraph("graph", graph);
    Simulator::Run();
    EXPECT_EQ(g.ends["graph"], NanoSeconds(2500 + 900 + 1000 + 500 + 5000 + 500 + 1000));
}

TEST(GpuCaptureDeathTest, StreamsMustJoinAndEventsMustBelong)
{
    StreamGpu g;
    auto a = g.Stream();
    auto b = g.Stream();
    auto forked = CreateObject<GpuEvent>();
    auto outside = CreateObject<GpuEvent>();
    a->BeginCapture(CreateObject<GpuGraph>());
    EXPECT_DEATH(a->WaitEvent(outside), "recorded in the same capture");
    a->LaunchKernel("k1", Kernel(MicroSeconds(1)));
    a->RecordEvent(forked);
    EXPECT_DEATH(forked->IsComplete(), "part of a graph");
    b->WaitEvent(forked);
    b->LaunchKernel("k2", Kernel(MicroSeconds(1)));
    EXPECT_DEATH(a->EndCapture(), "not joined");
    EXPECT_DEATH(a->BeginCapture(CreateObject<GpuGraph>()), "already");
}
