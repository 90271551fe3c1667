// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief A port and its cable by themselves: times to the picosecond, scheduling of classes, and
 * priority flow control.
 */

#include "fabric-fixture.h"

#include "ns3/node.h"

using namespace ns3;

namespace
{

/// What stands behind a port here: it notes what comes and when.
class Recorder : public FabricPortOwner
{
  public:
    struct Arrival
    {
        Time at;
        uint32_t id;
        uint32_t trafficClass;
        uint32_t sizeBytes;
    };

    void ReceiveFrame(FabricNetDevice&, FramePtr frame) override
    {
        arrivals.push_back({Simulator::Now(), frame->psn, frame->trafficClass, frame->sizeBytes});
    }

    std::vector<Arrival> arrivals;
};

FramePtr
MakeFrame(uint32_t trafficClass, uint32_t sizeBytes, uint32_t id = 0)
{
    FramePtr frame = FabricFrame::Create();
    frame->trafficClass = trafficClass;
    frame->sizeBytes = sizeBytes;
    frame->psn = id;
    return frame;
}

const Time DELAY = NanoSeconds(500);

/// Two ports and a cable: a sends, b receives and pauses.
class Cable : public testing::Test
{
  protected:
    void Build(const std::string& lineRate)
    {
        rate = lineRate;
        helper.SetDeviceAttribute("DataRate", StringValue(rate));
        helper.SetChannelAttribute("Delay", TimeValue(DELAY));
        NodeContainer nodes(2);
        NetDeviceContainer devices = helper.Install(nodes.Get(0), nodes.Get(1));
        a = DynamicCast<FabricNetDevice>(devices.Get(0));
        b = DynamicCast<FabricNetDevice>(devices.Get(1));
        a->SetOwner(&atA);
        b->SetOwner(&atB);
        a->TraceConnectWithoutContext(
            "FrameTx",
            Callback<void, const FabricFrame&>(
                [this](const FabricFrame&) { starts.push_back(Simulator::Now()); }));
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    Time Wire(uint64_t count) const
    {
        return OnWire(rate, count);
    }

    /// From SendPause at an idle port until it is obeyed.
    Time PauseArrives() const
    {
        return Wire(bytes::PREAMBLE + bytes::PAUSE) + DELAY;
    }

    std::string rate;
    FabricHelper helper;
    Ptr<FabricNetDevice> a;
    Ptr<FabricNetDevice> b;
    Recorder atA;
    Recorder atB;
    std::vector<Time> starts; ///< of frames at a
};

// ---------------------------------------------------------------- time on the wire

struct RateAndByte
{
    const char* rate;
    int64_t picosecondsPerByte;
};

class Serialization : public Cable, public testing::WithParamInterface<RateAndByte>
{
};

TEST_P(Serialization, CountsPreambleFrameAndGap)
{
    // The last bit of a frame of S bytes is on the wire 8 + S bytes after its start; the next frame
    // starts 12 bytes later.
    Build(GetParam().rate);
    int64_t byte = GetParam().picosecondsPerByte;
    a->Enqueue(MakeFrame(0, 4158));
    a->Enqueue(MakeFrame(0, 64));
    a->Enqueue(MakeFrame(0, 1000));
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), 3u);
    EXPECT_EQ(starts[0], PicoSeconds(0));
    EXPECT_EQ(starts[1], PicoSeconds(byte * (8 + 4158 + 12)));
    EXPECT_EQ(starts[2], PicoSeconds(byte * (8 + 4158 + 12 + 8 + 64 + 12)));
    EXPECT_EQ(atB.arrivals[0].at, DELAY + PicoSeconds(byte * (8 + 4158)));
    EXPECT_EQ(atB.arrivals[1].at, starts[1] + DELAY + PicoSeconds(byte * (8 + 64)));
    EXPECT_EQ(atB.arrivals[2].at, starts[2] + DELAY + PicoSeconds(byte * (8 + 1000)));
    EXPECT_EQ(a->GetCounters().busySteps, byte * (4158 + 64 + 1000 + 3 * 20));
    EXPECT_EQ(a->GetCounters().txBytes, 4158u + 64 + 1000);
    EXPECT_EQ(b->GetCounters().rxFrames, 3u);
}

INSTANTIATE_TEST_SUITE_P(Rates,
                         Serialization,
                         testing::Values(RateAndByte{"10Gbps", 800},
                                         RateAndByte{"100Gbps", 80},
                                         RateAndByte{"400Gbps", 20},
                                         RateAndByte{"800Gbps", 10}));

TEST_F(Cable, TakesWholeNanosecondsWhereItIsToldTo)
{
    // At 100 Gb/s a byte takes 0.08 ns, so 8 + 1028 bytes 82.88 ns.
    helper.SetDeviceAttribute("WholeNanoseconds", BooleanValue(true));
    Build("100Gbps");
    a->Enqueue(MakeFrame(0, 1028));
    a->Enqueue(MakeFrame(0, 1036));
    Simulator::Run();
    EXPECT_EQ(atB.arrivals.at(0).at, DELAY + NanoSeconds(83));
    EXPECT_EQ(starts.at(1), NanoSeconds(84));                       // 8 + 1028 + 12: 83.84 ns
    EXPECT_EQ(atB.arrivals.at(1).at, DELAY + NanoSeconds(84 + 84)); // 8 + 1036: 83.52 ns
}

TEST_F(Cable, AddsTheReceiversLatency)
{
    helper.SetDeviceAttribute("IngressLatency", TimeValue(NanoSeconds(300)));
    Build("100Gbps");
    a->Enqueue(MakeFrame(0, 1000));
    Simulator::Run();
    EXPECT_EQ(atB.arrivals.at(0).at, Wire(1008) + DELAY + NanoSeconds(300));
}

TEST_F(Cable, CountsItsQueueOverTime)
{
    // Three frames of 1000 B at once: one goes, 2000 B wait for a slot of 1020 B, 1000 B for
    // another.
    Build("100Gbps");
    for (int i = 0; i < 3; ++i)
    {
        a->Enqueue(MakeFrame(0, 1000));
    }
    EXPECT_EQ(a->GetQueuedBytes(), 2000u);
    Simulator::Run();
    const PortCounters& counters = a->GetCounters();
    EXPECT_EQ(counters.peakQueueBytes, 2000u);
    EXPECT_DOUBLE_EQ(counters.queueByteSteps,
                     3000.0 * static_cast<double>(Wire(1020).GetTimeStep()));
}

TEST_F(Cable, LosesWhatTheFilterSays)
{
    Build("100Gbps");
    DynamicCast<FabricChannel>(a->GetChannel())
        ->SetLossFilter(Callback<bool, const FabricFrame&>(
            [](const FabricFrame& frame) { return frame.psn == 1; }));
    uint64_t traced = 0;
    b->TraceConnectWithoutContext(
        "FrameLost",
        Callback<void, const FabricFrame&>([&](const FabricFrame&) { ++traced; }));
    for (uint32_t i = 0; i < 3; ++i)
    {
        a->Enqueue(MakeFrame(0, 1000, i));
    }
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), 2u);
    EXPECT_EQ(atB.arrivals[1].id, 2u);
    EXPECT_EQ(b->GetCounters().lostFrames, 1u);
    EXPECT_EQ(traced, 1u);
}

using LinkDeathTest = Cable;

TEST_F(LinkDeathTest, ARateThatTheResolutionCannotExpressIsRefused)
{
    // A frame of 256 B must take 500 steps, so that rounding to a step is wrong by 0.1 % at most.
    // In picoseconds that ends at 4.096 Tb/s (and in nanoseconds, ns-3's default, at 4.096 Gb/s).
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(Build("5000Gbps"), "Time::SetResolution\\(Time::PS\\)");
    Build("4000Gbps");
}

TEST_F(LinkDeathTest, ARateOfZeroIsRefused)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(Build("0bps"), "above 0");
}

// ---------------------------------------------------------------- classes

TEST_F(Cable, ServesStrictClassesFirst)
{
    // 6 and 7 are strict by default, 7 first; the others follow in turn.
    Build("100Gbps");
    a->Enqueue(MakeFrame(0, 1000, 0)); // is on the wire when the others come
    for (uint32_t c : {0, 5, 6, 7})
    {
        a->Enqueue(MakeFrame(c, 1000, c));
        a->Enqueue(MakeFrame(c, 1000, c));
    }
    Simulator::Run();
    std::vector<uint32_t> order;
    for (const auto& arrival : atB.arrivals)
    {
        order.push_back(arrival.trafficClass);
    }
    EXPECT_EQ(std::vector<uint32_t>(order.begin(), order.begin() + 5),
              (std::vector<uint32_t>{0, 7, 7, 6, 6}));
}

TEST_F(Cable, SharesByWeight)
{
    // Classes 0, 1, 2 with quanta 1 : 2 : 4 and frames of 300, 1500 and 4000 B, always backlogged:
    // their bytes are as their weights, whatever the sizes of their frames.
    Build("100Gbps");
    const uint32_t sizes[] = {300, 1500, 4000};
    for (uint32_t c = 0; c < 3; ++c)
    {
        a->SetClassQuantum(c, 2000U << c);
        for (uint64_t queued = 0; queued < 40'000'000; queued += sizes[c])
        {
            a->Enqueue(MakeFrame(c, sizes[c]));
        }
    }
    Simulator::Stop(Wire(60'000'000)); // no class has run dry by then
    Simulator::Run();
    uint64_t served[3] = {};
    for (const auto& arrival : atB.arrivals)
    {
        served[arrival.trafficClass] += arrival.sizeBytes;
    }
    auto total = static_cast<double>(served[0] + served[1] + served[2]);
    EXPECT_NEAR(static_cast<double>(served[0]) / total, 1.0 / 7, 0.01 / 7);
    EXPECT_NEAR(static_cast<double>(served[1]) / total, 2.0 / 7, 0.02 / 7);
    EXPECT_NEAR(static_cast<double>(served[2]) / total, 4.0 / 7, 0.04 / 7);
}

TEST_F(Cable, ChargesNobodyForHavingBeenAlone)
{
    // Class 0 sends 10 MB while nobody else has anything. When class 1 comes, both get half at
    // once: 1000 frames each are through after 2000 slots, alternating in quanta of 10 frames.
    Build("100Gbps");
    for (int i = 0; i < 10000 + 1000; ++i)
    {
        a->Enqueue(MakeFrame(0, 1000));
    }
    Simulator::Schedule(Wire(10000 * 1020), [this] {
        for (int i = 0; i < 1000; ++i)
        {
            a->Enqueue(MakeFrame(1, 1000));
        }
    });
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), 12000u);
    int ofClass0 = 0;
    for (size_t i = 10000; i < 11000; ++i)
    {
        ofClass0 += atB.arrivals[i].trafficClass == 0;
    }
    EXPECT_NEAR(ofClass0, 500, 10);
}

// ---------------------------------------------------------------- priority flow control

class PauseQuanta : public Cable, public testing::WithParamInterface<uint16_t>
{
};

TEST_P(PauseQuanta, ExpireAfterSoManyTimes512Bits)
{
    // Nobody resumes. The frame came while the class was stopped, so it goes when the timer ends.
    Build("100Gbps");
    b->SendPause(1 << 3, GetParam());
    Simulator::Schedule(PauseArrives(), [this] { a->Enqueue(MakeFrame(3, 1000)); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 1u);
    EXPECT_EQ(starts[0], PauseArrives() + Wire(GetParam() * bytes::QUANTUM));
    EXPECT_EQ(a->PausedSteps(3, NowSteps()), Wire(GetParam() * bytes::QUANTUM).GetTimeStep());
    EXPECT_EQ(a->GetCounters().pausesReceived, 1u);
    EXPECT_EQ(b->GetCounters().pausesSent, 1u);
    EXPECT_EQ(b->GetCounters().txBytes, bytes::PAUSE);
}

INSTANTIATE_TEST_SUITE_P(Values, PauseQuanta, testing::Values(1, 100, 65535));

/// A backlog of class 3, and a pause of 1000 quanta that arrives in the middle of a frame.
class PausedBacklog : public Cable
{
  protected:
    static constexpr uint64_t SLOT = 8 + 4158 + 12;

    void Start(Time pauseAt = PicoSeconds(0))
    {
        Build("100Gbps");
        for (uint32_t i = 0; i < 20; ++i)
        {
            a->Enqueue(MakeFrame(3, 4158, i));
        }
        Simulator::Schedule(pauseAt, [this] { b->SendPause(1 << 3, 1000); });
    }
};

TEST_F(PausedBacklog, DoesNotCutTheFrameOnTheWire)
{
    // The pause takes 72 x 80 ps + 500 ns = 505.76 ns; a slot takes 334.24 ns, so the second frame
    // is under way. It arrives whole and on time.
    Start();
    Simulator::Run();
    ASSERT_EQ(starts.size(), 20u);
    EXPECT_EQ(starts[1], Wire(SLOT));
    EXPECT_EQ(atB.arrivals[1].at, Wire(SLOT + 8 + 4158) + DELAY);
    EXPECT_EQ(starts[2], PauseArrives() + Wire(1000 * bytes::QUANTUM));
    EXPECT_EQ(starts[3], starts[2] + Wire(SLOT)) << "and then at line rate";
}

TEST_F(PausedBacklog, IsStoppedAfterTheResponseTime)
{
    // 505.76 ns + 200 ns: a third frame was started at 668.48 ns. The quanta count from then, too.
    helper.SetDeviceAttribute("PauseResponseTime", TimeValue(NanoSeconds(200)));
    Start();
    Simulator::Run();
    ASSERT_EQ(starts.size(), 20u);
    EXPECT_EQ(starts[2], Wire(2 * SLOT));
    EXPECT_EQ(starts[3], PauseArrives() + NanoSeconds(200) + Wire(1000 * bytes::QUANTUM));
}

TEST_F(PausedBacklog, GoesOnWithAResume)
{
    Start();
    Time resume = MicroSeconds(2);
    Simulator::Schedule(resume, [this] { b->SendPause(1 << 3, 0); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 20u);
    EXPECT_EQ(starts[2], resume + PauseArrives());
    EXPECT_EQ(b->GetCounters().resumesSent, 1u);
    EXPECT_EQ(a->PausedSteps(3, NowSteps()), resume.GetTimeStep());
}

TEST_F(PausedBacklog, IsHeldByTheLastPauseOnly)
{
    // A second pause starts the timer anew, whether it is shorter or longer than what was left.
    for (uint16_t quanta : {10, 3000})
    {
        starts.clear();
        Start();
        Time second = MicroSeconds(2);
        Simulator::Schedule(second, [this, quanta] { b->SendPause(1 << 3, quanta); });
        Simulator::Run();
        ASSERT_EQ(starts.size(), 20u);
        EXPECT_EQ(starts[2], second + PauseArrives() + Wire(quanta * bytes::QUANTUM));
        Simulator::Destroy();
    }
}

TEST_F(PausedBacklog, TakesNoHarmFromResumesThatNobodyNeeds)
{
    Start();
    b->SendPause(1 << 3, 0); // none to end; goes in one frame with the pause that follows
    for (int i = 0; i < 3; ++i)
    {
        Simulator::Schedule(MicroSeconds(2 + i), [this] { b->SendPause(0xff, 0); });
    }
    Simulator::Run();
    ASSERT_EQ(starts.size(), 20u);
    EXPECT_EQ(starts[2], MicroSeconds(2) + PauseArrives());
    EXPECT_EQ(a->GetPausedClasses(NowSteps()), 0u);
}

TEST_F(PausedBacklog, IsNotHeldWhereTheClassIsNotObeyed)
{
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(0xf7));
    Start();
    Simulator::Run();
    EXPECT_EQ(starts[19], Wire(19 * SLOT));
    EXPECT_EQ(a->PausedSteps(3, NowSteps()), 0);
}

TEST_F(PausedBacklog, DoesNotHoldOtherClasses)
{
    Start();
    Simulator::Schedule(MicroSeconds(1), [this] {
        for (uint32_t i = 0; i < 5; ++i)
        {
            a->Enqueue(MakeFrame(4, 1000, 100 + i));
        }
    });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 25u);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(starts[2 + i], MicroSeconds(1) + Wire(i * 1020)); // after two of class 3
        EXPECT_EQ(atB.arrivals[2 + i].trafficClass, 4u);
    }
}

TEST_F(Cable, SendsAPauseAheadOfEverything)
{
    // b has a backlog in the highest class; its pause waits only for the frame on the wire. What is
    // said while it waits goes in the same frame.
    Build("100Gbps");
    for (int i = 0; i < 10; ++i)
    {
        b->Enqueue(MakeFrame(7, 1000));
    }
    std::vector<Time> pauses;
    uint8_t classes = 0;
    a->TraceConnectWithoutContext("FrameRx",
                                  Callback<void, const FabricFrame&>([&](const FabricFrame& frame) {
                                      if (frame.kind == FrameKind::PFC)
                                      {
                                          pauses.push_back(Simulator::Now());
                                          classes |= frame.pauseClasses;
                                      }
                                  }));
    Simulator::Schedule(PicoSeconds(1), [this] {
        b->SendPause(1 << 3, 100);
        b->SendPause(1 << 5, 100);
    });
    Simulator::Run();
    ASSERT_EQ(pauses.size(), 1u);
    EXPECT_EQ(pauses[0], Wire(1020) + PauseArrives());
    EXPECT_EQ(classes, (1 << 3) | (1 << 5));
    EXPECT_EQ(a->PausedSteps(5, NowSteps()), Wire(100 * bytes::QUANTUM).GetTimeStep());
}

/// An owner that resumes the class of its own port whenever a frame leaves there.
class ResumingOwner : public Recorder
{
  public:
    void FrameDeparts(FabricNetDevice& port, FabricFrame&) override
    {
        port.SendPause(1 << 3, 0);
    }
};

TEST_F(Cable, MayResumeItsOwnSenderWhileAFrameLeaves)
{
    // A frame leaves port a; the room that it frees lets a's owner open the other direction of the
    // same port, from inside the departure.
    Build("100Gbps");
    ResumingOwner owner;
    a->SetOwner(&owner);
    a->SendPause(1 << 3, 65535);
    for (uint32_t i = 0; i < 5; ++i)
    {
        Simulator::Schedule(MicroSeconds(1), [this, i] {
            b->Enqueue(MakeFrame(3, 1000, i)); // held
            a->Enqueue(MakeFrame(0, 1000, i));
        });
    }
    Simulator::Run();
    EXPECT_EQ(atB.arrivals.size(), 5u);
    ASSERT_EQ(owner.arrivals.size(), 5u);
    // The resume follows the first frame, and b sends when it has come.
    Time resumed = MicroSeconds(1) + Wire(1020) + PauseArrives();
    EXPECT_EQ(owner.arrivals[0].at, resumed + Wire(1008) + DELAY);
    EXPECT_EQ(a->GetCounters().resumesSent, 5u);
}

} // namespace
