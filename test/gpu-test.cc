// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief GPUs: what a scale-up link carries and when, how streams order work, who sits where.
 *
 * Where times are exact, links run at 4 Tb/s: a byte takes 2 ps.
 */

#include "fabric-fixture.h"

#include "ns3/gpu-cluster-helper.h"

using namespace ns3;

namespace
{

constexpr int64_t BYTE_PS = 2;
constexpr int64_t PATH_PS = 2 * 25'000 + 300'000; // two cables of 25 ns, a switch of 300 ns
constexpr uint64_t FULL_FRAME = 4096 + 16 * 16;   // 16 link packets of 256 B, 16 B more each
constexpr uint64_t MIB = 1 << 20;

/// A server with some GPUs behind one NIC.
class Server
{
  public:
    explicit Server(uint32_t gpus)
    {
        helper.SetGpusPerServer(gpus);
        for (auto set : {&GpuClusterHelper::SetScaleUpDeviceAttribute,
                         &GpuClusterHelper::SetScaleUpSwitchDeviceAttribute})
        {
            (helper.*set)("DataRate", DataRateValue(DataRate(4'000'000'000'000ULL)));
        }
    }

    void Build()
    {
        fixture.BuildStar(1, "400Gbps", NanoSeconds(500));
        cluster = helper.Install(fixture.network);
    }

    struct Event
    {
        uint64_t bytes;
        int64_t at; ///< ps
    };

    /// A flow and what has happened to its messages.
    struct Flow
    {
        Ptr<ScaleUpPort> from;
        uint32_t number;
        std::vector<Event> departed;
        std::vector<Event> arrived;

        void Departed()
        {
            departed.push_back({0, Simulator::Now().GetPicoSeconds()});
        }

        void Arrived(uint64_t bytes)
        {
            arrived.push_back({bytes, Simulator::Now().GetPicoSeconds()});
        }

        void Send(uint64_t bytes)
        {
            from->Send(number, bytes);
        }
    };

    Flow& Connect(uint32_t from, uint32_t to)
    {
        flows.push_back(std::make_unique<Flow>());
        Flow& flow = *flows.back();
        flow.from = cluster.gpus[from]->GetScaleUpPort();
        flow.number = ScaleUpPort::Connect(flow.from,
                                           cluster.gpus[to]->GetScaleUpPort(),
                                           MakeCallback(&Flow::Departed, &flow),
                                           MakeCallback(&Flow::Arrived, &flow));
        return flow;
    }

    Ptr<FabricNetDevice> Port(uint32_t gpu)
    {
        return cluster.domains[0].gpuPorts[gpu];
    }

    FabricFixture fixture;
    GpuClusterHelper helper;
    GpuCluster cluster;
    std::vector<std::unique_ptr<Flow>> flows;
};

} // namespace

// ---------------------------------------------------------------- scale-up links

TEST(ScaleUp, AMessageTakesAllItsFramesAndTheLastOneTwice)
{
    Server s(2);
    s.Build();
    Server::Flow& flow = s.Connect(0, 1);
    flow.Send(MIB);
    Simulator::Run();
    // 256 frames leave one after the other; the switch stores the last one before it forwards it.
    int64_t frame = FULL_FRAME * BYTE_PS;
    ASSERT_EQ(flow.departed.size(), 1u);
    EXPECT_EQ(flow.departed[0].at, 256 * frame);
    ASSERT_EQ(flow.arrived.size(), 1u);
    EXPECT_EQ(flow.arrived[0].bytes, MIB);
    EXPECT_EQ(flow.arrived[0].at, 257 * frame + PATH_PS);
}

TEST(ScaleUp, OverheadIsSixteenBytesForEach256)
{
    // payload, frame: whole packets of 256 B, each with 16 B; nothing is one header
    const std::vector<std::pair<uint64_t, uint64_t>> table{{0, 16},
                                                           {1, 17},
                                                           {255, 271},
                                                           {256, 272},
                                                           {257, 289},
                                                           {4095, 4351},
                                                           {4096, 4352},
                                                           {4097, 4352 + 17}};
    for (auto [payload, size] : table)
    {
        Server s(2);
        s.Build();
        Server::Flow& flow = s.Connect(0, 1);
        flow.Send(payload);
        Simulator::Run();
        EXPECT_EQ(s.Port(0)->GetCounters().txBytes, size) << payload;
        EXPECT_EQ(s.Port(0)->GetCounters().txPayloadBytes, payload);
        ASSERT_EQ(flow.arrived.size(), 1u) << payload;
        EXPECT_EQ(flow.arrived[0].bytes, payload);
    }
}

TEST(ScaleUp, MessagesOfAFlowArriveInOrderWithTheirLengths)
{
    Server s(2);
    s.Build();
    Server::Flow& flow = s.Connect(0, 1);
    const std::vector<uint64_t> lengths{5000, 0, 1, 4096, 0, 123457};
    for (uint64_t length : lengths)
    {
        flow.Send(length);
    }
    Simulator::Run();
    ASSERT_EQ(flow.arrived.size(), lengths.size());
    EXPECT_EQ(flow.departed.size(), lengths.size());
    for (size_t i = 0; i < lengths.size(); ++i)
    {
        EXPECT_EQ(flow.arrived[i].bytes, lengths[i]);
    }
    EXPECT_EQ(flow.from->GetQueuedBytes(), 0u);
}

TEST(ScaleUp, TwoDestinationsShareFrameByFrame)
{
    Server s(3);
    s.Build();
    Server::Flow& first = s.Connect(0, 1);
    Server::Flow& second = s.Connect(0, 2);
    first.Send(MIB);
    second.Send(MIB);
    Simulator::Run();
    // 512 frames. The first flow has the first two, as its turn was taken while it was alone, and
    // then every second one: its last one is the 510th.
    int64_t frame = FULL_FRAME * BYTE_PS;
    EXPECT_EQ(first.arrived.at(0).at, 511 * frame + PATH_PS);
    EXPECT_EQ(second.arrived.at(0).at, 513 * frame + PATH_PS);
}

TEST(ScaleUp, FlowsToOneDestinationShareTooAndMessagesOfAFlowDoNot)
{
    Server s(2);
    s.Build();
    Server::Flow& two = s.Connect(0, 1);
    Server::Flow& one = s.Connect(0, 1);
    two.Send(MIB);
    two.Send(MIB);
    one.Send(MIB);
    Simulator::Run();
    // The first flow has frames 1, 2, 4, .. and the other one 3, 5, .., 513, until it is through.
    int64_t frame = FULL_FRAME * BYTE_PS;
    EXPECT_EQ(two.arrived.at(0).at, 511 * frame + PATH_PS);
    EXPECT_EQ(one.arrived.at(0).at, 514 * frame + PATH_PS);
    EXPECT_EQ(two.arrived.at(1).at, 769 * frame + PATH_PS);
}

TEST(ScaleUp, AnIncastIsHeldByPauseAndLosesNothing)
{
    Server s(4);
    s.helper.SetScaleUpFlowControl(FabricNetDevice::FLOW_CONTROL_PFC);
    s.helper.SetScaleUpBufferAttribute("Size", UintegerValue(2 * MIB));
    s.Build();
    for (uint32_t sender : {1, 2, 3})
    {
        s.Connect(sender, 0).Send(4 * MIB);
    }
    Simulator::Run();
    int64_t last = 0;
    for (const auto& flow : s.flows)
    {
        ASSERT_EQ(flow->arrived.size(), 1u);
        EXPECT_EQ(flow->arrived[0].bytes, 4 * MIB);
        last = std::max(last, flow->arrived[0].at);
    }
    // The receiver's link never idles: 3 x 1024 frames, and the first one's way to the switch.
    int64_t frame = FULL_FRAME * BYTE_PS;
    EXPECT_EQ(last, 3 * 1024 * frame + frame + PATH_PS);
    Ptr<FabricSwitch> fabricSwitch = s.cluster.domains[0].fabricSwitch;
    EXPECT_EQ(fabricSwitch->GetLosslessDrops(), 0u);
    uint64_t pauses = 0;
    for (uint32_t p = 0; p < 4; ++p)
    {
        pauses += fabricSwitch->GetPort(p)->GetCounters().pausesSent;
    }
    EXPECT_GT(pauses, 0u); // 8 MiB more than the link takes do not fit 2 MiB
}

TEST(ScaleUpDeathTest, ALostFrameEndsTheProgramAtOnce)
{
    for (uint32_t cable : {0, 1}) // at the sender's end, at the receiver's end
    {
        Server s(2);
        s.Build();
        s.Connect(0, 1).Send(MIB);
        s.cluster.domains[0].channels[cable]->SetLossFilter(Callback<bool, const FabricFrame&>(
            [](const FabricFrame& frame) { return frame.solicited; })); // the very last one
        EXPECT_DEATH(Simulator::Run(), "100.64.0.1 to 100.64.0.2 was lost");
    }
}

// ---------------------------------------------------------------- streams

namespace
{

/// Remembers the operations of a stream.
struct StreamLog
{
    std::vector<GpuOperationRecord> records;

    explicit StreamLog(Ptr<GpuStream> stream)
    {
        stream->TraceConnectWithoutContext("OperationComplete",
                                           MakeCallback(&StreamLog::Add, this));
    }

    void Add(const GpuOperationRecord& record)
    {
        records.push_back(record);
    }
};

} // namespace

TEST(GpuStream, OperationsRunOneAfterTheOther)
{
    FabricFixture fixture; // sets the time resolution
    auto gpu = CreateObject<GpuEndpoint>();
    gpu->SetPlace(5, 0, 5);
    gpu->CreateStream();
    Ptr<GpuStream> stream = gpu->CreateStream();
    StreamLog log(stream);
    stream->EnqueueKernel("first", MicroSeconds(3));
    stream->EnqueueKernel("second", MicroSeconds(4));
    EXPECT_EQ(stream->GetPending(), 2u);
    EXPECT_EQ(stream->GetRunning(), "first");
    Simulator::Run();
    ASSERT_EQ(log.records.size(), 2u);
    EXPECT_EQ(log.records[0].end, MicroSeconds(3));
    EXPECT_EQ(log.records[1].name, "second");
    EXPECT_EQ(log.records[1].gpu, 5u);
    EXPECT_EQ(log.records[1].stream, 1u);
    EXPECT_EQ(log.records[1].queued, Time(0));
    EXPECT_EQ(log.records[1].start, MicroSeconds(3));
    EXPECT_EQ(log.records[1].end, MicroSeconds(7));
    EXPECT_EQ(stream->GetPending(), 0u);
    EXPECT_EQ(stream->GetRunning(), "");
}

TEST(GpuStream, StreamsOfOneGpuOverlap)
{
    FabricFixture fixture;
    auto gpu = CreateObject<GpuEndpoint>();
    std::vector<std::unique_ptr<StreamLog>> logs;
    for (int i = 0; i < 2; ++i)
    {
        Ptr<GpuStream> stream = gpu->CreateStream();
        logs.push_back(std::make_unique<StreamLog>(stream));
        stream->EnqueueKernel("kernel", MicroSeconds(3));
    }
    Simulator::Run();
    for (const auto& log : logs)
    {
        EXPECT_EQ(log->records.at(0).end, MicroSeconds(3));
    }
}

TEST(GpuStream, AnyNumberOfOperationsMayBeDoneAtOnce)
{
    FabricFixture fixture;
    Ptr<GpuStream> stream = CreateObject<GpuEndpoint>()->CreateStream();
    uint64_t done = 0;
    stream->EnqueueKernel("kernel", MicroSeconds(1));
    for (int i = 0; i < 200000; ++i) // would not fit the call stack, were they nested
    {
        stream->Enqueue("nothing", [&done](GpuStream::Done end) {
            ++done;
            end();
        });
    }
    Simulator::Run();
    EXPECT_EQ(done, 200000u);
}

TEST(GpuStreamDeathTest, AnOperationIsDoneOnce)
{
    FabricFixture fixture;
    Ptr<GpuStream> stream = CreateObject<GpuEndpoint>()->CreateStream();
    GpuStream::Done keep;
    stream->Enqueue("first", [&keep](GpuStream::Done end) { keep = end; });
    stream->Enqueue("second", [](GpuStream::Done) {});
    keep();
    EXPECT_DEATH(keep(), "a second time");
}

// ---------------------------------------------------------------- memory

TEST(GpuMemory, AReductionMovesThreeBytesAndACopyTwo)
{
    FabricFixture fixture;
    auto gpu = CreateObject<GpuEndpoint>();
    gpu->SetAttribute("HbmBandwidth", DataRateValue(DataRate(8'000'000'000'000ULL))); // 1 B a ps
    EXPECT_EQ(gpu->BookReduction(1000, 0), 3000);
    EXPECT_EQ(gpu->BookCopy(1000, 0), 5000) << "after what is booked";
    EXPECT_EQ(gpu->BookCopy(1000, 10000), 12000) << "at once where nothing is";
    EXPECT_EQ(gpu->BookCopy(0, 20000), 20000);
    // 2^40 B twice over the memory: 2^41 ps more than 2^31, with no overflow on the way
    EXPECT_EQ(gpu->BookCopy(uint64_t{1} << 40, 20000), 20000 + (int64_t{1} << 41));
}

// ---------------------------------------------------------------- presets and placement

TEST(GpuPresets, H100HasThePublishedFigures)
{
    const GpuPreset* h100 = FindGpuPreset("h100-sxm");
    ASSERT_NE(h100, nullptr);
    EXPECT_EQ(h100->scaleUpRate, DataRate("3600Gbps"));                   // 900 GB/s both ways
    EXPECT_EQ(h100->hbmBandwidth.GetBitRate(), 8 * 3'350'000'000'000ULL); // 3.35 TB/s
    EXPECT_EQ(h100->multiprocessors, 132u);
    EXPECT_EQ(FindGpuPreset("h100"), nullptr);
    for (const std::string& name : GetGpuPresetNames())
    {
        EXPECT_EQ(FindGpuPreset(name)->name, name);
        EXPECT_FALSE(FindGpuPreset(name)->source.empty());
    }
}

TEST(GpuCluster, GpusAreNumberedByServerAndShareNicsInOrder)
{
    // Three servers with two NICs and four GPUs each: GPUs 0 and 1 by NIC 0, 2 and 3 by NIC 1.
    FabricFixture f;
    FabricGraph graph;
    uint32_t leaf = graph.AddSwitch("leaf");
    for (int server = 0; server < 3; ++server)
    {
        uint32_t host = graph.AddHost("server" + std::to_string(server));
        graph.Connect({host, leaf, DataRate("400Gbps"), NanoSeconds(25)});
        graph.Connect({host, leaf, DataRate("400Gbps"), NanoSeconds(25)});
    }
    f.Build(graph);
    GpuClusterHelper helper;
    helper.SetGpusPerServer(4);
    GpuCluster cluster = helper.Install(f.network);
    ASSERT_EQ(cluster.gpus.size(), 12u);
    ASSERT_EQ(cluster.domains.size(), 3u);
    for (uint32_t id = 0; id < 12; ++id)
    {
        const GpuEndpoint& gpu = *cluster.gpus[id];
        uint32_t local = id % 4;
        EXPECT_EQ(gpu.GetId(), id);
        EXPECT_EQ(gpu.GetServer(), id / 4);
        EXPECT_EQ(gpu.GetLocalIndex(), local);
        EXPECT_EQ(gpu.GetScaleUpDomain(), id / 4);
        EXPECT_EQ(gpu.GetNicPort(), f.network.ports[1 + id / 4][local / 2]);
        EXPECT_EQ(gpu.GetScaleUpPort()->GetDevice()->GetIpv4Address(),
                  Ipv4Address(("100.64.0." + std::to_string(id + 1)).c_str()));
    }
}

TEST(GpuCluster, AHostNeedsRdmaFirst)
{
    FabricFixture f;
    FabricGraph graph;
    uint32_t leaf = graph.AddSwitch("leaf");
    graph.Connect({graph.AddHost("server0"), leaf, DataRate("400Gbps"), NanoSeconds(25)});
    FabricNetwork network = f.fabric.Install(graph);
    std::string error;
    GpuClusterHelper().Install(network, error);
    EXPECT_NE(error.find("server 0: it has no RDMA"), std::string::npos) << error;
}

TEST(GpuCluster, WithoutScaleUpThereIsNoDomain)
{
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    GpuClusterHelper helper;
    helper.SetGpusPerServer(2);
    helper.SetScaleUp(false);
    GpuCluster cluster = helper.Install(f.network);
    EXPECT_TRUE(cluster.domains.empty());
    EXPECT_EQ(cluster.gpus[3]->GetScaleUpPort(), nullptr);
    EXPECT_EQ(cluster.gpus[3]->GetScaleUpDomain(), GpuEndpoint::NO_DOMAIN);
}
