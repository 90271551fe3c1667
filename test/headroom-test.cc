// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Set-up of a lossless switch: what it refuses, with which figures, what it lets through on
 * request; and that each headroom it accepts is within two MTUs of the least that works.
 */

#include "fabric-fixture.h"

#include "ns3/fabric-channel.h"

#include <numeric>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint32_t LOSSLESS = 3;

void
ExpectSays(const std::string& text, std::initializer_list<const char*> parts)
{
    for (const char* part : parts)
    {
        EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" in: " << text;
    }
}

// ---------------------------------------------------------------- refusals

TEST(HeadroomBytes, BelowTheNeedAreRefusedWithPortAndFigures)
{
    // 100 Gb/s and 500 ns: 3 x 4210 + (84 + 12500) x 4210 / 4230 = 25,154.5.
    FabricFixture f;
    f.BuildStar(2, "100Gbps", DELAY);
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(1), 25155u);
    f.Switch()->SetAttribute("HeadroomBytes", UintegerValue(25154));
    ExpectSays(f.Switch()->Configure(), {"port 0", "25155 B", "25154 B", "AllowShortHeadroom"});
    f.Switch()->SetAttribute("HeadroomBytes", UintegerValue(25155));
    EXPECT_EQ(f.Switch()->Configure(), "");
    f.Switch()->SetAttribute("HeadroomBytes", UintegerValue(100000));
    EXPECT_EQ(f.Switch()->Configure(), "");
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(0), 100000u);
    f.Switch()->SetAttribute("HeadroomBytes", UintegerValue(1000));
    f.Switch()->SetAttribute("AllowShortHeadroom", BooleanValue(true));
    EXPECT_EQ(f.Switch()->Configure(), "");
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(0), 1000u);
}

TEST(HeadroomBytes, ShortOnPurposeLosesFramesAndCountsThem)
{
    FabricFixture f;
    f.fabric.SetSwitchAttribute("HeadroomBytes", UintegerValue(5000));
    f.fabric.SetSwitchAttribute("AllowShortHeadroom", BooleanValue(true));
    f.fabric.SetBufferAttribute("Size", UintegerValue(1000000));
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
    f.BuildStar(9, "100Gbps", MicroSeconds(5));
    for (uint32_t h = 1; h < 9; ++h)
    {
        f.Post(f.Connect(h, 0), 1 << 20);
    }
    f.Run();
    f.ExpectAllSucceeded(8, 8 << 20); // go-back-N sends it again
    f.ExpectDrained();
    EXPECT_GT(f.Switch()->GetLosslessDrops(), 0u);
    EXPECT_EQ(f.Switch()->GetLossyDrops(), 0u);
}

TEST(HeadroomBytes, OfAllPortsBeyondTheMemoryAreRefused)
{
    // 255 ports x 10 km at 100 Gb/s: 255 x 1,256,xxx B do not fit 64 MiB.
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("center");
    for (int h = 0; h < 255; ++h)
    {
        graph.Connect({graph.AddHost("host" + std::to_string(h)),
                       center,
                       DataRate("100Gbps"),
                       MicroSeconds(50)});
    }
    FabricHelper helper;
    std::string error;
    helper.Install(graph, error);
    // 2 x 50 us x 12.5 B/ns + 84 = 1,250,084 B of wire: x 4210 / 4230 + 12,630 = 1,256,803.4.
    ExpectSays(error, {"center", "67108864 B", "320485020 B", "255 ports"}); // 255 x 1,256,804
    Simulator::Destroy();
}

TEST(PhyMacDelay, IsPartOfTheNeed)
{
    // Four passes of 100 ns at 100 Gb/s: 5000 B of wire, 4976.4 B of memory.
    FabricFixture f;
    f.fabric.SetSwitchAttribute("PhyMacDelay", TimeValue(NanoSeconds(100)));
    f.BuildStar(2, "100Gbps", DELAY);
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(0), 30131u); // 12,630 + 17,584 x 4210 / 4230
}

// ---------------------------------------------------------------- asymmetric PFC

TEST(AsymmetricPfc, ALosslessClassThatThePeerDoesNotHoldIsRefused)
{
    FabricFixture f;
    f.BuildStar(3, "100Gbps", DELAY);
    f.Port(1)->SetAttribute("PfcClasses", UintegerValue(0xf7));
    ExpectSays(f.Switch()->Configure(), {"class 3", "port 1", "PfcClasses", "LossyWithoutPfc"});
    f.Port(1)->SetAttribute("PfcClasses", UintegerValue(0x08));
    EXPECT_EQ(f.Switch()->Configure(), "");
}

TEST(AsymmetricPfc, ALosslessClassThatThePortDoesNotAskForIsRefused)
{
    FabricFixture f;
    f.BuildStar(3, "100Gbps", DELAY);
    f.Switch()->GetPort(2)->SetAttribute("PfcSendClasses", UintegerValue(0x01));
    ExpectSays(f.Switch()->Configure(), {"class 3", "port 2", "PfcSendClasses"});
}

TEST(AsymmetricPfc, AnEndThatExpectsPausesOfTheWholeLinkIsRefusedWhereTheOtherSendsThemByClass)
{
    FabricFixture f;
    f.BuildStar(3, "100Gbps", DELAY);
    f.Port(2)->SetAttribute("GlobalPause", BooleanValue(true));
    ExpectSays(f.Switch()->Configure(), {"class 3", "port 2", "GlobalPause"});
    f.Switch()->GetPort(2)->SetAttribute("GlobalPause", BooleanValue(true));
    EXPECT_EQ(f.Switch()->Configure(), "");
}

TEST(AsymmetricPfc, OnPurposeMakesTheClassLossyAtThatPortOnly)
{
    // Host 1 does not obey; with hosts 2 and 3 it sends to host 0. Only what it sends is dropped,
    // and only it is never asked to pause.
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(400000));
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
    f.BuildStar(4, "100Gbps", DELAY);
    f.Port(1)->SetAttribute("PfcClasses", UintegerValue(0));
    f.Switch()->SetAttribute("LossyWithoutPfc", BooleanValue(true));
    ASSERT_EQ(f.Switch()->Configure(), "");
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(1), 0u);
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(2), 25155u);
    for (uint32_t h : {1, 2, 3})
    {
        f.Post(f.Connect(h, 0), 4 << 20);
    }
    f.Run();
    f.ExpectAllSucceeded(3, 3 * (4 << 20));
    f.ExpectDrained();
    EXPECT_GT(f.Switch()->GetLossyDrops(), 0u);
    EXPECT_EQ(f.Switch()->GetLosslessDrops(), 0u);
    EXPECT_EQ(f.Switch()->GetPort(1)->GetCounters().droppedFrames, f.Switch()->GetLossyDrops());
    EXPECT_EQ(f.Port(1)->GetCounters().pausesReceived, 0u);
    EXPECT_GT(f.Port(2)->GetCounters().pausesReceived, 0u);
}

// ---------------------------------------------------------------- when PFC fires

TEST(Pfc, FiresWhereTheIncastPassesTheThresholdAndNotBelow)
{
    // 15 senders, 1 receiver, all at 100 Gb/s. With alpha 1/8 and n = 15 accounts the threshold is
    // S / (8 + 15) of the shared S, plus the reserve: with 64 MiB 2.8 MB each. 1 MB from each
    // cannot reach it; 4 MB must: only 1/15 of what comes has left by then.
    for (uint64_t bytes : {1000000, 4000000})
    {
        FabricFixture f;
        f.BuildStar(16, "100Gbps", DELAY);
        for (uint32_t h = 1; h < 16; ++h)
        {
            f.Post(f.Connect(h, 0), bytes);
        }
        f.Run();
        f.ExpectAllSucceeded(15, 15 * bytes);
        EXPECT_EQ(f.Drops(), 0u);
        for (uint32_t h = 1; h < 16; ++h)
        {
            EXPECT_EQ(f.Port(h)->GetCounters().pausesReceived > 0, bytes > 2800000) << h;
        }
    }
}

TEST(Pfc, HoldsAnIncastOf1000IntoEightMegabytesOrTheSwitchIsRefused)
{
    // 1001 ports at 10 Gb/s, 100 m: 12,630 + (84 + 1250) x 4210 / 4230 = 13,958 B of headroom
    // each are 13,971,958 B: 8 MB hold neither these nor the reserves, and 20 MB do.
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("center");
    for (int h = 0; h <= 1000; ++h)
    {
        graph.Connect({graph.AddHost("host" + std::to_string(h)),
                       center,
                       DataRate("10Gbps"),
                       NanoSeconds(500)});
    }
    {
        FabricHelper helper;
        helper.SetBufferAttribute("Size", UintegerValue(8000000));
        helper.SetBufferAttribute("Reserved", UintegerValue(0));
        std::string error;
        helper.Install(graph, error);
        ExpectSays(error, {"8000000 B", "13971958 B"});
        Simulator::Destroy();
    }
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(20000000));
    f.fabric.SetBufferAttribute("Reserved", UintegerValue(0));
    f.Build(graph);
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(0), 13958u);
    for (uint32_t h = 1; h <= 1000; ++h)
    {
        f.Post(f.Connect(h, 0), 40000);
    }
    f.Run();
    f.ExpectAllSucceeded(1000, 40000000);
    f.ExpectDrained();
    EXPECT_EQ(f.Drops(), 0u);
}

TEST(Pfc, HoldsA800GigabitLinkOfOneMeter)
{
    // Next to nothing is in the cable: headroom is for the frames at its ends.
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(1000000));
    f.BuildStar(5, "800Gbps", NanoSeconds(5));
    EXPECT_EQ(f.Switch()->GetHeadroomBytes(0), 13709u); // 12,630 + 1084 x 4210 / 4230
    for (uint32_t h = 1; h < 5; ++h)
    {
        f.Post(f.Connect(h, 0), 4 << 20);
    }
    f.Run();
    f.ExpectAllSucceeded(4, 4 * (4 << 20));
    f.ExpectDrained();
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_GT(f.Port(1)->GetCounters().pausesReceived, 0u);
    EXPECT_GT(f.Switch()->GetBuffer()->GetPeakHeadroomBytes(), 0u);
}

TEST(Pfc, AtRatesThatNobodyHasHeardOf)
{
    // A new rate needs no table of thresholds: RED and headroom follow from it.
    for (const char* rate : {"33Gbps", "133Gbps", "1600Gbps"})
    {
        FabricFixture f;
        f.fabric.SetEcn([](DataRate r) {
            return EcnThresholds{r.GetBitRate() / 1000000, r.GetBitRate() / 250000, 0.1};
        });
        f.fabric.SetBufferAttribute("Size", UintegerValue(1000000));
        f.BuildStar(4, rate, NanoSeconds(100));
        for (uint32_t h = 1; h < 4; ++h)
        {
            f.Post(f.Connect(h, 0), 1 << 20);
        }
        f.Run();
        f.ExpectAllSucceeded(3, 3 << 20);
        EXPECT_EQ(f.Drops(), 0u) << rate;
    }
}

// ---------------------------------------------------------------- the least that works

struct Link
{
    const char* rate;
    Time cable;
    uint32_t mtu;
    Time latency;  ///< of each port
    Time response; ///< to a pause
};

/**
 * The worst that can happen to a paused port: host A sends largest frames at line rate to a port
 * that drains next to nothing, and what comes back to A are largest frames at line rate, so that a
 * pause has to wait for one.
 */
class WorstCase
{
  public:
    explicit WorstCase(const Link& link)
        : m_link(link),
          m_frameBytes(link.mtu + bytes::ROCE)
    {
    }

    /// What came of one try.
    struct Outcome
    {
        uint64_t needed;     ///< the headroom of A's port by the formula
        uint64_t peak;       ///< most that was used
        uint64_t losses;     ///< in the lossless class
        uint64_t pausesSent; ///< by A's port
    };

    /// @param phase of the returning frames against A's, in 16ths of a frame
    /// @param headroom to give; 0: what the formula says
    Outcome Try(uint32_t phase, uint64_t headroom)
    {
        FabricHelper helper;
        Outcome outcome{};
        FabricNetwork network = Build(helper, headroom);
        Ptr<FabricSwitch> fabricSwitch = network.GetSwitches()[0];
        uint64_t limit = fabricSwitch->GetHeadroomBytes(0);
        Ptr<FabricNetDevice> a = network.ports[1][0];
        Ptr<FabricNetDevice> b = network.ports[2][0];
        Ptr<FabricNetDevice> c = network.ports[3][0];
        int64_t slot = a->SerializationSteps(m_frameBytes + 20);
        uint64_t frames = 40 + std::max(limit, m_mostHeadroom) / m_frameBytes;
        Send(a, b->GetIpv4Address(), LOSSLESS, frames);
        // From C's first frame on there is always one on its way to A.
        Simulator::Schedule(TimeStep(slot * phase / 16),
                            [=] { Send(c, a->GetIpv4Address(), 0, frames + 10); });
        Time end = TimeStep(slot * static_cast<int64_t>(frames)) + m_link.cable * 4 +
                   m_link.latency * 4 + m_link.response;
        Simulator::Stop(end);
        Simulator::Run();
        outcome.needed = limit;
        outcome.peak = fabricSwitch->GetBuffer()->GetPeakHeadroomBytes();
        outcome.losses = fabricSwitch->GetLosslessDrops();
        outcome.pausesSent = fabricSwitch->GetPort(0)->GetCounters().pausesSent;
        Simulator::Destroy();
        return outcome;
    }

    /// @return headroom by the formula
    uint64_t GetNeeded()
    {
        m_mostHeadroom = Try(0, 0).needed;
        return m_mostHeadroom;
    }

  private:
    FabricNetwork Build(FabricHelper& helper, uint64_t headroom)
    {
        FabricGraph graph;
        uint32_t center = graph.AddSwitch("switch");
        uint32_t a = graph.AddHost("a");
        uint32_t b = graph.AddHost("b");
        uint32_t c = graph.AddHost("c");
        graph.Connect({a, center, DataRate(m_link.rate), m_link.cable});
        graph.Connect({b, center, DataRate("10Mbps"), NanoSeconds(5)});
        graph.Connect({c, center, DataRate(m_link.rate), NanoSeconds(5)});
        helper.SetDeviceAttribute("IngressLatency", TimeValue(m_link.latency));
        helper.SetDeviceAttribute("PauseResponseTime", TimeValue(m_link.response));
        helper.SetSwitchAttribute("MaxFrameBytes", UintegerValue(m_frameBytes));
        helper.SetSwitchAttribute("HeadroomBytes", UintegerValue(headroom));
        helper.SetSwitchAttribute("AllowShortHeadroom", BooleanValue(true));
        // The pause is sent when the 21st frame that waits finds the limit passed.
        std::string limit = std::to_string(20 * m_frameBytes + 1);
        helper.SetBufferAttribute(
            "Policy",
            StringValue("ns3::StaticThresholdPolicy[IngressBytes=" + limit + "]"));
        helper.SetBufferAttribute("Reserved", UintegerValue(0));
        helper.SetBufferAttribute("Size", UintegerValue(uint64_t{1} << 32));
        return helper.Install(graph);
    }

    void Send(Ptr<FabricNetDevice> from, Ipv4Address to, uint32_t trafficClass, uint64_t count)
    {
        for (uint64_t i = 0; i < count; ++i)
        {
            FramePtr frame = FabricFrame::Create();
            frame->sizeBytes = m_frameBytes;
            frame->dstAddress = to.Get();
            frame->trafficClass = trafficClass;
            from->Enqueue(std::move(frame));
        }
    }

    Link m_link;
    uint32_t m_frameBytes;
    uint64_t m_mostHeadroom{0};
};

void
ExpectWithinTwoMtusOfTheLeast(const Link& link)
{
    SCOPED_TRACE(std::string(link.rate) + ", " + std::to_string(link.cable.GetNanoSeconds()) +
                 " ns, MTU " + std::to_string(link.mtu));
    WorstCase scenario(link);
    uint64_t needed = scenario.GetNeeded();
    WorstCase::Outcome worst{};
    uint32_t worstPhase = 0;
    for (uint32_t phase = 0; phase < 16; phase += 3)
    {
        WorstCase::Outcome outcome = scenario.Try(phase, 0);
        ASSERT_EQ(outcome.losses, 0u) << "accepted, and lost frames at phase " << phase;
        ASSERT_GT(outcome.pausesSent, 0u);
        if (outcome.peak > worst.peak)
        {
            worst = outcome;
            worstPhase = phase;
        }
    }
    // The least that works here, by bisection.
    uint64_t fails = 0;
    uint64_t works = needed;
    while (works - fails > 1)
    {
        // What was used is the first guess: it ends the search in two steps if it is right.
        uint64_t guess = worst.peak > fails && worst.peak < works        ? worst.peak
                         : worst.peak - 1 > fails && worst.peak == works ? worst.peak - 1
                                                                         : (works + fails) / 2;
        (scenario.Try(worstPhase, guess).losses ? fails : works) = guess;
    }
    EXPECT_EQ(works, worst.peak) << "what was used is the least that works";
    EXPECT_LE(works, needed);
    EXPECT_LE(needed - works, 2 * link.mtu) << "needed " << needed << ", least " << works;
}

class LeastHeadroom : public testing::TestWithParam<std::tuple<const char*, uint32_t>>
{
};

TEST_P(LeastHeadroom, IsWithinTwoMtusOfWhatSetUpComputes)
{
    auto [rate, mtu] = GetParam();
    for (int64_t meters : {1, 100, 1000, 10000})
    {
        ExpectWithinTwoMtusOfTheLeast({rate, NanoSeconds(5 * meters), mtu, Time(0), Time(0)});
    }
    ExpectWithinTwoMtusOfTheLeast({rate, NanoSeconds(35), mtu, NanoSeconds(613), NanoSeconds(287)});
}

INSTANTIATE_TEST_SUITE_P(
    RatesAndMtus,
    LeastHeadroom,
    testing::Combine(testing::Values("100Gbps", "200Gbps", "400Gbps", "800Gbps"),
                     testing::Values(256u, 1024u, 4096u, 9000u)));

} // namespace
