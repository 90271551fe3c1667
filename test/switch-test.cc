// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The switch: who may use its memory, when it pauses, marks and drops, against numbers
 * worked out by hand; and that under random traffic no frame is ever unaccounted for.
 */

#include "fabric-fixture.h"

#include "ns3/pfc-headroom.h"
#include "ns3/red-ecn-marker.h"

#include <cmath>
#include <random>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;
constexpr uint32_t LOSSLESS = 3; ///< the lossless class by default
constexpr uint32_t LOSSY = 0;

// ---------------------------------------------------------------- headroom

TEST(Headroom, IsWhatMayStillArrive)
{
    // Three largest frames of 4210 B: the one that crosses the threshold, the one that the peer has
    // just begun, and one in the time that the pause waits for one. The rest is wire time, of which
    // a largest frame fills 4210 of 4230 B: the pause (84 B) and two cables. 100 Gb/s is 12.5 B a
    // nanosecond.
    constexpr uint64_t FRAMES = 3 * 4210;
    auto headroom =
        [](const char* rate, Time cable, Time latency = Time(0), Time response = Time(0)) {
            return ComputePfcHeadroom({DataRate(rate), cable, latency, response, 4210, 20});
        };
    EXPECT_EQ(headroom("100Gbps", MicroSeconds(1)), FRAMES + 24966); // 25084 x 4210 / 4230: 24965.4
    EXPECT_EQ(headroom("400Gbps", NanoSeconds(40)), FRAMES + 4065);  // 8 m; 4084 x ...: 4064.7
    // Long haul: 100 B/ns x 20 ms is more than 31 bits hold, x 100 ms more than 32 bits.
    EXPECT_EQ(headroom("800Gbps", MilliSeconds(10)), FRAMES + 1990543819u); // ...818.7
    EXPECT_EQ(headroom("800Gbps", MilliSeconds(50)), FRAMES + 9952718760u); // ...759.7
    // Latencies of both ports and the peer's response count once each, rounded up to a byte.
    EXPECT_EQ(headroom("100Gbps", NanoSeconds(1), NanoSeconds(600), NanoSeconds(200)),
              FRAMES + 10062); // 25 + 7500 + 2500 + 84 = 10109 on the wire: 10061.2
    EXPECT_EQ(headroom("100Gbps", PicoSeconds(1)), FRAMES + 85); // 1 + 84 = 85: 84.6
    // MAC and PHY are passed four times: at 100 Gb/s 4 x 80 ns are 4000 B.
    PfcHeadroomInput in{DataRate("100Gbps"), MicroSeconds(1), Time(0), Time(0), 4210, 20};
    in.phyMacDelay = NanoSeconds(80);
    EXPECT_EQ(ComputePfcHeadroom(in), FRAMES + 28947); // 29084 x 4210 / 4230: 28946.5
}

TEST(Headroom, CountsWholeCells)
{
    // Cells of 208 B: a frame of 4210 B takes 21 of them, 4368 B. What takes most memory for its
    // time on the wire is a frame of 64 B: 208 B of memory for 84 B of wire (one of 209 B: 416 for
    // 229). On the wire meanwhile: the frame that the pause waits for, 4230 B, the pause, 84 B, and
    // 25,000 B of cable: 29,314 B, as 64 B frames 29314 x 208 / 84 = 72,587.05.
    PfcHeadroomInput in{DataRate("100Gbps"), MicroSeconds(1), Time(0), Time(0), 4210, 20};
    in.cellBytes = 208;
    EXPECT_EQ(ComputePfcHeadroom(in), 2 * 4368 + 72588u);
}

TEST(Headroom, OfEachPortFollowsFromItsOwnCable)
{
    FabricFixture f;
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    uint32_t near = graph.AddHost("near");
    uint32_t far = graph.AddHost("far");
    graph.Connect({near, center, DataRate("400Gbps"), NanoSeconds(40)});
    graph.Connect({far, center, DataRate("100Gbps"), MicroSeconds(1)});
    f.Build(graph);
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(0), 16695u); // 3 x 4210 + 4065
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(1), 37596u); // 3 x 4210 + 24966
    // 64 MiB, less 2 ports x 8 classes x 4 KiB, less the headroom of one lossless class.
    EXPECT_EQ(f.Switch()->GetBuffer()->GetSharedBytes(), 67108864u - 65536 - 16695 - 37596);
}

TEST(Headroom, ThatDoesNotFitIsRefusedWithTheFigures)
{
    // 10 ms at 800 Gb/s: 2 x 1,990,556,449 B of headroom do not fit 64 MiB.
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("long-haul");
    for (int h = 0; h < 2; ++h)
    {
        uint32_t host = graph.AddHost("host" + std::to_string(h));
        graph.Connect({host, center, DataRate("800Gbps"), MilliSeconds(10)});
    }
    FabricHelper helper;
    std::string error;
    helper.Install(graph, error);
    EXPECT_NE(error.find("long-haul"), std::string::npos) << error;
    EXPECT_NE(error.find("67108864"), std::string::npos) << error;
    EXPECT_NE(error.find("3981112898"), std::string::npos) << error;
    Simulator::Destroy();
}

TEST(Headroom, OfALongHaulLinkIsEnoughWhereItFits)
{
    // The same link with 8 GiB.
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(uint64_t{8} << 30));
    f.rdma.SetQueuePairAttribute("Mtu", UintegerValue(1 << 20));
    f.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue((1 << 20) + 82));
    f.BuildStar(2, "800Gbps", MilliSeconds(10));
    f.Post(f.Connect(0, 1), uint64_t{1} << 31);
    f.Run();
    f.ExpectAllSucceeded(1, uint64_t{1} << 31);
    f.ExpectDrained();
    EXPECT_EQ(f.Drops(), 0u);
}

TEST(PauseQuanta, TooShortToBeRepeatedInTimeAreRefused)
{
    // 100 quanta are 6400 B of time. A repetition at half of it may wait for a frame of 4230 B.
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    graph.Connect({graph.AddHost("host"), center, DataRate("100Gbps"), DELAY});
    FabricHelper helper;
    helper.SetSwitchAttribute("PauseQuanta", UintegerValue(100));
    std::string error;
    helper.Install(graph, error);
    EXPECT_NE(error.find("100 quanta"), std::string::npos) << error;
    EXPECT_NE(error.find("6400 B"), std::string::npos) << error;
    Simulator::Destroy();
}

TEST(PauseQuanta, AreRepeatedAtHalfOfTheirTime)
{
    // The receiver stops the switch's port for 65535 quanta (335.5 us); what comes for it fills the
    // memory, and the sender has to be held for the rest of that time, by pauses of 1000 quanta
    // (5.12 us), one each 2.56 us.
    FabricFixture f;
    f.fabric.SetSwitchAttribute("PauseQuanta", UintegerValue(1000));
    f.fabric.SetBufferAttribute("Size", UintegerValue(300000));
    f.BuildStar(2, "100Gbps", DELAY);
    std::vector<Time> pauses;
    std::vector<Time> resumes;
    std::vector<Time> starts;
    f.Port(1)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>([&](const FabricFrame& frame) {
            if (frame.kind == FrameKind::PFC)
            {
                (frame.pauseQuanta[LOSSLESS] ? pauses : resumes).push_back(Simulator::Now());
            }
        }));
    f.Port(1)->TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame&>(
            [&](const FabricFrame&) { starts.push_back(Simulator::Now()); }));
    f.Port(0)->SendPause(1 << LOSSLESS, 65535);
    f.Post(f.Connect(1, 0), 300000);
    f.Run();
    f.ExpectAllSucceeded(1, 300000);
    f.ExpectDrained();
    EXPECT_EQ(f.Drops(), 0u);

    Time opens = OnWire("100Gbps", 8 + 64 + 65535 * 64) + DELAY; // the switch's port
    Time period = OnWire("100Gbps", 500 * 64);
    ASSERT_FALSE(pauses.empty());
    size_t held = 0;
    for (; held + 1 < pauses.size() && pauses[held + 1] < opens; ++held)
    {
        EXPECT_EQ(pauses[held + 1] - pauses[held], period);
    }
    EXPECT_EQ(static_cast<int64_t>(held), (opens - pauses[0]).GetTimeStep() / period.GetTimeStep());
    ASSERT_FALSE(resumes.empty());
    for (Time start : starts)
    {
        EXPECT_TRUE(start < pauses[0] || start >= resumes[0]) << "not while it is stopped";
    }
}

// ---------------------------------------------------------------- the shared memory

/// 2 ports, class 3 lossless, 10,000 B of headroom each: 200,000 - 2 x 8 x 1000 - 20,000 are
/// shared.
Ptr<SharedBuffer>
SmallBuffer(double alpha)
{
    auto buffer = CreateObjectWithAttributes<SharedBuffer>("Size",
                                                           UintegerValue(200000),
                                                           "Reserved",
                                                           UintegerValue(1000),
                                                           "Alpha",
                                                           DoubleValue(alpha),
                                                           "LossyAlpha",
                                                           DoubleValue(0.5),
                                                           "XonOffset",
                                                           UintegerValue(3000));
    EXPECT_EQ(buffer->Configure({{1 << LOSSLESS, 10000, 0, 20}, {1 << LOSSLESS, 10000, 0, 20}}),
              "");
    EXPECT_EQ(buffer->GetSharedBytes(), 164000u);
    return buffer;
}

TEST(SharedBuffer, PausesAtTheDynamicThreshold)
{
    // alpha 1: shared part s of one class against T = 164,000 - s; they meet at s = 82,000, that is
    // after 83 frames of 1000 B, the first of which fills the reserve.
    Ptr<SharedBuffer> buffer = SmallBuffer(1.0);
    for (int frame = 1; frame <= 83; ++frame)
    {
        EXPECT_FALSE(buffer->MustPause(0, LOSSLESS)) << "after " << frame - 1 << " frames";
        ASSERT_TRUE(buffer->Admit(0, 1, LOSSLESS, 1000));
    }
    EXPECT_TRUE(buffer->MustPause(0, LOSSLESS));
    EXPECT_EQ(buffer->GetPeakHeadroomBytes(), 0u);
    // The other port is on its own reserve, and may use what is free: 82,000 x 1.
    EXPECT_FALSE(buffer->MustPause(1, LOSSLESS));
}

TEST(SharedBuffer, PausesLongBeforeItDrops)
{
    // What comes after the pause goes into the headroom: ten frames of 1000 B, and no eleventh.
    Ptr<SharedBuffer> buffer = SmallBuffer(1.0);
    int untilPause = 0;
    while (!buffer->MustPause(0, LOSSLESS))
    {
        ASSERT_TRUE(buffer->Admit(0, 1, LOSSLESS, 1000));
        ++untilPause;
    }
    EXPECT_EQ(untilPause, 83);
    int afterPause = 0;
    while (buffer->Admit(0, 1, LOSSLESS, 1000))
    {
        ++afterPause;
    }
    EXPECT_EQ(afterPause, 10);
    EXPECT_EQ(buffer->GetPeakHeadroomBytes(), 10000u);
    EXPECT_EQ(buffer->GetUsedBytes(), 93000u);
}

TEST(SharedBuffer, ResumesBelowTheThresholdByTheOffset)
{
    // s may go on when s + 3000 <= 164,000 - s, so from 80,500 down: with whole frames, 80,000.
    Ptr<SharedBuffer> buffer = SmallBuffer(1.0);
    for (int frame = 0; frame < 90; ++frame)
    {
        ASSERT_TRUE(buffer->Admit(0, 1, LOSSLESS, 1000));
    }
    int released = 0;
    while (!buffer->MayResume(0, LOSSLESS))
    {
        buffer->Release(0, 1, LOSSLESS, 1000);
        ++released;
    }
    EXPECT_EQ(released, 9); // 7 of headroom, 2 of the shared 82
    EXPECT_EQ(buffer->GetIngressBytes(0, LOSSLESS), 81000u);
    for (; released < 90; ++released)
    {
        buffer->Release(0, 1, LOSSLESS, 1000);
    }
    EXPECT_EQ(buffer->GetUsedBytes(), 0u);
    EXPECT_EQ(buffer->GetPeakBytes(), 90000u);
}

TEST(SharedBuffer, TakesFromOneWhatOthersUse)
{
    // alpha 1/8 with the other port holding s1 = 16,000: T = (164,000 - 16,000 - s) / 8 meets s at
    // 16,444, so the 18th frame (17,000 shared) is the first in the headroom.
    Ptr<SharedBuffer> buffer = SmallBuffer(1.0 / 8);
    for (int frame = 0; frame < 17; ++frame)
    {
        ASSERT_TRUE(buffer->Admit(1, 0, LOSSLESS, 1000));
    }
    for (int frame = 0; frame < 17; ++frame)
    {
        ASSERT_TRUE(buffer->Admit(0, 1, LOSSLESS, 1000));
    }
    EXPECT_EQ(buffer->GetPeakHeadroomBytes(), 0u);
    EXPECT_FALSE(buffer->MustPause(0, LOSSLESS));
    ASSERT_TRUE(buffer->Admit(0, 1, LOSSLESS, 1000));
    EXPECT_EQ(buffer->GetPeakHeadroomBytes(), 1000u);
    EXPECT_TRUE(buffer->MustPause(0, LOSSLESS));
}

TEST(SharedBuffer, LimitsALossyEgressQueue)
{
    // LossyAlpha 1/2: a queue q may grow while q + 1000 <= (164,000 - shared) / 2. All of it comes
    // from one port, of which the first 1000 B are reserve: shared = q - 1000. q = 54 frames is
    // admitted (54,000 <= (164,000 - 52,000) / 2), as is the 55th (55,000 <= 55,500), no 56th.
    Ptr<SharedBuffer> buffer = SmallBuffer(1.0);
    uint64_t queue = 0;
    while (buffer->Admit(0, 1, LOSSY, 1000))
    {
        queue += 1000;
    }
    EXPECT_EQ(queue, 55000u);
    // A reserve is there for whom it belongs to, however long the queue.
    EXPECT_TRUE(buffer->Admit(1, 1, LOSSY, 1000));
    EXPECT_FALSE(buffer->Admit(1, 1, LOSSY, 1000));
}

// ---------------------------------------------------------------- marking

TEST(RedEcnMarker, MarksWithTheProbabilityOfTheFormula)
{
    // Kmin 100,000, Kmax 400,000, Pmax 0.2 (linear between, nothing up to Kmin, all above Kmax).
    auto marker = CreateObjectWithAttributes<RedEcnMarker>("Kmin",
                                                           UintegerValue(100000),
                                                           "Kmax",
                                                           UintegerValue(400000),
                                                           "Pmax",
                                                           DoubleValue(0.2));
    marker->AssignStreams(1);

    struct
    {
        uint64_t queue;
        double probability;
    } cases[] = {{0, 0.0},
                 {100000, 0.0},
                 {175000, 0.05},
                 {250000, 0.1},
                 {325000, 0.15},
                 {400000, 0.2},
                 {400001, 1.0},
                 {1 << 30, 1.0}};

    for (const auto& c : cases)
    {
        EXPECT_DOUBLE_EQ(marker->GetProbability(c.queue), c.probability);
        constexpr int DRAWS = 100000;
        int marks = 0;
        for (int i = 0; i < DRAWS; ++i)
        {
            marks += marker->ShouldMark(c.queue, 0);
        }
        double sigma = std::sqrt(DRAWS * c.probability * (1 - c.probability));
        EXPECT_NEAR(marks, DRAWS * c.probability, 4 * sigma) << "queue " << c.queue;
    }
}

/// Two senders, 100 frames each, into one port: its queue grows to about 100 frames.
struct MarkingCase
{
    bool ecnCapable;
    const char* markingPoint;
};

uint64_t
MarksOf(const MarkingCase& c, uint64_t thresholdBytes)
{
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("EcnCapable", BooleanValue(c.ecnCapable));
    f.fabric.SetSwitchAttribute("MarkingPoint", StringValue(c.markingPoint));
    f.fabric.SetEcn([=](DataRate) { return EcnThresholds{thresholdBytes, thresholdBytes, 1.0}; });
    f.BuildStar(3, "100Gbps", DELAY);
    uint64_t arrivedMarked = 0;
    f.Port(0)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>(
            [&](const FabricFrame& frame) { arrivedMarked += frame.ecn == EcnField::CE; }));
    for (uint32_t h : {1, 2})
    {
        f.Post(f.Connect(h, 0), 100 * MTU);
    }
    f.Run();
    f.ExpectAllSucceeded(2, 200 * MTU);
    EXPECT_EQ(f.Port(0)->GetPeer()->GetCounters().ecnMarks, arrivedMarked);
    return arrivedMarked;
}

TEST(Marking, OnArrivalFollowsTheQueue)
{
    // Frames of 4158 B come in pairs, a slot apart. The first two have a RETH, so the port, which
    // sends one frame a slot, is free again shortly after the next pair has come: when n pairs have
    // come and n frames have gone, n wait. The first of the n-th pair finds n - 1 waiting, the
    // second one n. More than 49.5 frames: pairs 51 to 100, and 50 to 100.
    constexpr uint64_t THRESHOLD = 4158 * 99 / 2;
    EXPECT_EQ(MarksOf({true, "Enqueue"}, THRESHOLD), 50u + 51u);
}

TEST(Marking, OnDepartureLooksAtTheQueueBehind)
{
    // Behind the n-th frame that leaves n wait (n from 2 to 100), and then 99, 98, ...: more than
    // 49.5 do at departures 50 to 100, and 50 times more.
    constexpr uint64_t THRESHOLD = 4158 * 99 / 2;
    EXPECT_EQ(MarksOf({true, "Dequeue"}, THRESHOLD), 51u + 50u);
}

TEST(Marking, IsOnlyForEcnCapableTransports)
{
    EXPECT_EQ(MarksOf({false, "Enqueue"}, 0), 0u);
    EXPECT_EQ(MarksOf({false, "Dequeue"}, 0), 0u);
}

// ---------------------------------------------------------------- forwarding

TEST(Switch, Of512PortsForwardsAtLineRate)
{
    // Host i sends to host i + 1: no two share a port, so each is alone.
    constexpr uint32_t HOSTS = 512;
    FabricFixture f;
    f.BuildStar(HOSTS, "400Gbps", DELAY);
    for (uint32_t h = 0; h < HOSTS; ++h)
    {
        Connection c = f.Connect(h, (h + 1) % HOSTS);
        f.PostReceive(c, 10 * MTU);
        f.Post(c, 10 * MTU, RdmaOperation::SEND);
    }
    f.Run();
    f.ExpectAllSucceeded(HOSTS, HOSTS * 10 * MTU);
    f.ExpectDrained();
    Time alone = OnWire("400Gbps", 9 * 4178 + 2 * 4166 + 2 * 74) + DELAY * 4;
    for (const MessageRecord& record : f.records)
    {
        // An ACK may wait for one data frame of the other direction at each of two ports.
        EXPECT_GE(TimeStep(record.end - record.start), alone);
        EXPECT_LE(TimeStep(record.end - record.start), alone + OnWire("400Gbps", 2 * 4178));
    }
}

TEST(Switch, CountsWhatItCannotRoute)
{
    FabricFixture f;
    f.BuildStar(2, "100Gbps", DELAY);
    uint64_t dropped = 0;
    f.Port(0)->GetPeer()->TraceConnectWithoutContext(
        "FrameDrop",
        Callback<void, const FabricFrame&>([&](const FabricFrame&) { ++dropped; }));
    for (uint32_t address : {0u, 0xffffffffu, f.Port(1)->GetIpv4Address().Get() + 1})
    {
        FramePtr frame = FabricFrame::Create();
        frame->sizeBytes = 1000;
        frame->dstAddress = address;
        f.Port(0)->Enqueue(std::move(frame));
    }
    f.Run();
    EXPECT_EQ(f.Switch()->GetUnroutableDrops(), 3u);
    EXPECT_EQ(dropped, 3u);
    f.ExpectDrained();
}

TEST(Switch, SendsAFrameBackWhereItCameFrom)
{
    // A pair may talk to another one of its own NIC: in and out by one port, whose dequeue then
    // also resumes its own ingress. Another host joins, so that there is something to pause for.
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(300000));
    f.BuildStar(3, "100Gbps", DELAY);
    f.Post(f.Connect(0, 0), 4 << 20);
    f.Post(f.Connect(1, 0), 4 << 20);
    f.Post(f.Connect(2, 0), 4 << 20);
    f.Run();
    f.ExpectAllSucceeded(3, 3 * (4 << 20));
    f.ExpectDrained();
    f.ExpectSharesAddUp();
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_GT(f.Port(0)->GetCounters().pausesReceived, 0u);
}

using SwitchDeathTest = testing::Test;

TEST(SwitchDeathTest, AFrameTooLargeForTheHeadroomStopsTheRun)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(
        {
            FabricFixture f;
            f.rdma.SetQueuePairAttribute("Mtu", UintegerValue(8192));
            f.BuildStar(2, "100Gbps", DELAY);
            f.Post(f.Connect(0, 1), 8192);
            f.Run();
        },
        "MaxFrameBytes");
}

// ---------------------------------------------------------------- without PFC

TEST(WithoutPfc, DropsAreCountedAndRecovered)
{
    FabricFixture f;
    f.fabric.SetSwitchAttribute("Pfc", BooleanValue(false));
    f.fabric.SetBufferAttribute("Size", UintegerValue(500000));
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
    f.BuildStar(9, "100Gbps", DELAY);
    uint64_t traced = 0;
    for (uint32_t h = 1; h < 9; ++h)
    {
        f.Port(h)->GetPeer()->TraceConnectWithoutContext(
            "FrameDrop",
            Callback<void, const FabricFrame&>([&](const FabricFrame&) { ++traced; }));
        f.Post(f.Connect(h, 0), 1 << 20);
    }
    f.Run();
    f.ExpectAllSucceeded(8, 8 << 20);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
    EXPECT_GT(f.Switch()->GetLossyDrops(), 0u);
    EXPECT_EQ(f.Switch()->GetLossyDrops(), traced);
    EXPECT_EQ(f.Switch()->GetLosslessDrops(), 0u) << "no class is lossless";
    for (uint32_t h = 0; h < 9; ++h)
    {
        EXPECT_EQ(f.Port(h)->GetCounters().pausesReceived, 0u);
    }
}

// ---------------------------------------------------------------- random traffic

/// What became of the frames of each class, summed over the fabric.
struct Fate
{
    uint64_t sent{0};     ///< by hosts
    uint64_t received{0}; ///< by hosts
    uint64_t lost{0};     ///< by cables
    uint64_t dropped{0};  ///< by switches
};

class FrameLedger
{
  public:
    explicit FrameLedger(FabricFixture& f)
    {
        for (uint32_t v = 0; v < f.network.nodes.GetN(); ++v)
        {
            bool isHost = !f.network.nodes.Get(v)->GetObject<FabricSwitch>();
            for (const auto& port : f.network.ports[v])
            {
                Count(port, "FrameLost", &Fate::lost);
                Count(port, "FrameDrop", &Fate::dropped);
                if (isHost)
                {
                    Count(port, "FrameTx", &Fate::sent);
                    Count(port, "FrameRx", &Fate::received);
                }
            }
        }
    }

    Fate ofClass[N_TRAFFIC_CLASSES];

  private:
    void Count(Ptr<FabricNetDevice> port, const std::string& event, uint64_t Fate::*counter)
    {
        port->TraceConnectWithoutContext(
            event,
            Callback<void, const FabricFrame&>([this, counter](const FabricFrame& frame) {
                if (frame.kind != FrameKind::PFC)
                {
                    ++(ofClass[frame.trafficClass].*counter);
                }
            }));
    }
};

class RandomTraffic : public testing::TestWithParam<uint32_t>
{
  protected:
    /**
     * Eight hosts on two switches, two cables between them; everything is drawn from the seed:
     * lengths of cables, latencies, thresholds, MTUs, classes, sizes, times. Classes 3 and 4 are
     * lossless, class 1 is not.
     */
    void BuildFrom(uint32_t seed)
    {
        random.seed(seed);
        f.fabric.SetDeviceAttribute("IngressLatency", TimeValue(NanoSeconds(Draw(0, 800))));
        f.fabric.SetDeviceAttribute("PauseResponseTime", TimeValue(NanoSeconds(Draw(0, 400))));
        f.fabric.SetSwitchAttribute("LosslessClasses", UintegerValue((1 << 3) | (1 << 4)));
        f.fabric.SetSwitchAttribute("PauseQuanta", UintegerValue(Draw(200, 65535)));
        f.fabric.SetBufferAttribute("Alpha", DoubleValue(1.0 / Draw(1, 16)));
        f.fabric.SetBufferAttribute("XonOffset", UintegerValue(Draw(0, 20000)));
        // Reserves of 6 ports x 8 classes, and of headroom at most 6 x 2 x (12.7 KB + what two
        // cables of 1 us, the latencies and the response hold at 100 Gb/s: 50 KB).
        f.fabric.SetBufferAttribute("Size", UintegerValue(200000 + 760000 + Draw(10000, 300000)));
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(10));
        f.fabric.SetEcn([](DataRate) { return EcnThresholds{20000, 200000, 0.05}; });
        f.rdma.SetCongestionControl(Draw(0, 1) ? "ns3::DcqcnCongestionOps"
                                               : "ns3::LineRateCongestionOps");
        f.BuildTwoSwitches(4, "100Gbps", 2, "100Gbps", NanoSeconds(Draw(10, 1000)));
    }

    void PostRandomMessages(uint32_t messages)
    {
        for (uint32_t i = 0; i < 48; ++i)
        {
            uint32_t from = Draw(0, 7);
            uint32_t to = (from + Draw(1, 7)) % 8;
            uint32_t trafficClass = (uint32_t[]){1, 3, 4}[Draw(0, 2)];
            uint32_t mtu = Draw(0, 1) ? 1024 : 4096;
            connections.push_back(f.Connect(from, to, [=](Ptr<QueuePair> qp) {
                qp->SetAttribute("TrafficClass", UintegerValue(trafficClass));
                qp->SetAttribute("Mtu", UintegerValue(mtu));
            }));
        }
        for (uint32_t i = 0; i < messages; ++i)
        {
            uint64_t size = Draw(0, 9) == 0 ? Draw(0, 4) : Draw(1, 400000);
            const Connection c = connections[Draw(0, 47)];
            posted += size;
            Simulator::Schedule(NanoSeconds(Draw(0, 500000)),
                                [this, c, size, i] { f.Post(c, size, RdmaOperation::WRITE, i); });
        }
    }

    uint32_t Draw(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    }

    FabricFixture f;
    std::mt19937 random;
    std::vector<Connection> connections;
    uint64_t posted{0};
};

TEST_P(RandomTraffic, NeverLosesAFrameOfALosslessClass)
{
    BuildFrom(GetParam());
    FrameLedger ledger(f);
    PostRandomMessages(400);
    f.Run();
    f.ExpectAllSucceeded(400, posted);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        const Fate& fate = ledger.ofClass[c];
        EXPECT_EQ(fate.sent, fate.received + fate.lost + fate.dropped) << "class " << c;
        EXPECT_EQ(fate.lost, 0u);
    }
    EXPECT_EQ(ledger.ofClass[3].dropped, 0u);
    EXPECT_EQ(ledger.ofClass[4].dropped, 0u);
    uint64_t pauses = 0;
    for (const auto& fabricSwitch : f.network.GetSwitches())
    {
        EXPECT_EQ(fabricSwitch->GetLosslessDrops(), 0u);
        for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
        {
            pauses += fabricSwitch->GetPort(p)->GetCounters().pausesSent;
            EXPECT_LE(fabricSwitch->GetBuffer()->GetPeakHeadroomBytes(),
                      fabricSwitch->GetHeadroomBytes(p));
        }
    }
    EXPECT_GT(pauses, 0u) << "or the test shows nothing";
}

TEST_P(RandomTraffic, AccountsForEveryFrameAlsoWhenCablesLoseSome)
{
    BuildFrom(GetParam());
    for (const auto& cable : f.network.channels)
    {
        cable->SetAttribute("LossRate", DoubleValue(2e-3));
    }
    FrameLedger ledger(f);
    PostRandomMessages(200);
    f.Run();
    f.ExpectAllSucceeded(200, posted);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
    uint64_t lost = 0;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        const Fate& fate = ledger.ofClass[c];
        EXPECT_EQ(fate.sent, fate.received + fate.lost + fate.dropped) << "class " << c;
        lost += fate.lost;
    }
    EXPECT_GT(lost, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraffic, testing::Range(1u, 11u));

} // namespace
