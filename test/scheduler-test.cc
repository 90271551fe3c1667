// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Who sends next at a port: strict priority, shares by ETS, and rates that are held. The
 * shares and bounds are those of IEEE 802.1Q; a slot of S bytes takes 8 + S + 12 on the wire.
 */

#include "two-ports.h"

#include "ns3/ets-scheduler.h"
#include "ns3/port-shaper.h"
#include "ns3/random-variable-stream.h"

#include <map>

using namespace ns3;

namespace
{

// ---------------------------------------------------------------- how shares are written

struct BadText
{
    const char* text;
    const char* says;
};

TEST(EtsShares, ThatAreWrongAreRefusedByName)
{
    const BadText all[] = {
        {"0:20,3:50", "\"0:20,3:50\" add up to 70, not to 100"},
        {"0:60,3:50", "add up to 110"},
        {"8:100", "the entry \"8:100\" must be CLASS:PERCENT"},
        {"0:101", "must be"},
        {"0:0,1:100", "the entry \"0:0\" must be"},
        {"0:-1,1:101", "must be"},
        {"0", "must be"},
        {":100", "must be"},
        {"0:", "must be"},
        {"0:50,", "the entry \"\" must be"},
        {"0:50,,1:50", "the entry \"\" must be"},
        {"0:50:1,1:50", "must be"},
        {"0+:50,1:50", "must be"},
        {"0 :50,1:50", "must be"},
        {"a:50,1:50", "must be"},
        {"0:50.5,1:49.5", "must be"},
        {"0:50,0:50", "the entry \"0:50\" gives class 0 a second share"},
        {"0+1:50,1:50", "gives class 1 a second share"},
        {"0:99999999999999999999", "must be"},
    };
    for (const BadText& bad : all)
    {
        EtsScheduler ets;
        EXPECT_NE(ets.Configure(bad.text).find(bad.says), std::string::npos)
            << bad.text << ": " << ets.Configure(bad.text);
    }
    EtsScheduler ets;
    EXPECT_EQ(ets.Configure("0:20,3:50,4+5:30"), "");
    EXPECT_EQ(ets.GetClasses(), 0x39u);
}

TEST(ClassShaper, TextThatIsWrongIsRefusedByName)
{
    const BadText all[] = {
        {"3", "must be CLASS:RATE"},
        {"8:10Gbps", "the entry \"8:10Gbps\" must be"},
        {"3:fast", "must be"},
        {"3:0bps", "must be"},
        {"3:10Gbps:x", "must be"},
        {"3:10Gbps:1:2", "must be"},
        {"3:10Gbps,3:20Gbps", "the entry \"3:20Gbps\" limits a class for the second time"},
        {"3:10Gbps,", "the entry \"\" must be"},
    };
    for (const BadText& bad : all)
    {
        PortShaper shaper;
        EXPECT_NE(shaper.SetClassBuckets(bad.text).find(bad.says), std::string::npos)
            << bad.text << ": " << shaper.SetClassBuckets(bad.text);
    }
    PortShaper shaper;
    EXPECT_FALSE(shaper.IsLimiting());
    EXPECT_EQ(shaper.SetClassBuckets("3:10Gbps,4:2.5Gbps:0"), "");
    EXPECT_TRUE(shaper.IsLimiting());
}

TEST(SchedulerDeathTest, AttributesThatAreWrongStopTheProgram)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    auto device = CreateObject<FabricNetDevice>();
    EXPECT_DEATH(device->SetAttribute("EtsShares", StringValue("0:1")), "EtsShares.*add up to 1");
    EXPECT_DEATH(device->SetAttribute("ClassShaper", StringValue("0:1:2:3")), "ClassShaper.*must");
}

// ---------------------------------------------------------------- shares

/// 100 Gb/s; classes are kept backlogged for a while.
class Scheduler : public TwoPorts
{
  protected:
    static constexpr uint64_t BACKLOG = 20'000'000;

    void Build()
    {
        TwoPorts::Build("100Gbps");
    }

    void Backlog(uint32_t trafficClass, uint32_t sizeBytes, uint64_t total = BACKLOG)
    {
        Enqueue(static_cast<uint32_t>(total / sizeBytes), trafficClass, sizeBytes);
    }

    /// Runs until so many bytes have been on the wire.
    void RunFor(uint64_t wireBytes)
    {
        Simulator::Stop(Wire(wireBytes));
        Simulator::Run();
    }

    /// Each class had its share of what was received, within 1 % of the share.
    void ExpectShares(const std::map<uint32_t, double>& expected)
    {
        double total = 0;
        for (const auto& arrival : atB.arrivals)
        {
            total += arrival.sizeBytes;
        }
        for (const auto& [trafficClass, share] : expected)
        {
            EXPECT_NEAR(static_cast<double>(atB.BytesOf(trafficClass)) / total, share, 0.01 * share)
                << "class " << trafficClass;
        }
    }
};

TEST_F(Scheduler, EtsGivesEachGroupItsShareWhateverTheSizesOfFrames)
{
    helper.SetDeviceAttribute("EtsShares", StringValue("0:20,3:50,4+5:30"));
    Build();
    Backlog(0, 300);
    Backlog(3, 1500);
    Backlog(4, 4158);
    Backlog(5, 64);
    RunFor(16'000'000);
    ExpectShares({{0, 0.2}, {3, 0.5}, {4, 0.15}, {5, 0.15}});
}

TEST_F(Scheduler, EtsHoldsFromOnePercentOn)
{
    helper.SetDeviceAttribute("EtsShares", StringValue("0:1,1:2,2:97"));
    Build();
    Backlog(0, 9000);
    Backlog(1, 64);
    Backlog(2, 4158, 2 * BACKLOG);
    RunFor(39'000'000);
    // 386 kB of class 0 are 43 frames of 9000 B. It may be a frame ahead of its share, and its
    // first one went before the others came. The rest to 1 %.
    EXPECT_NEAR(static_cast<double>(atB.BytesOf(0)), 386000, 2 * 9000);
    ExpectShares({{2, 0.97}});
}

TEST_F(Scheduler, WhatAClassDoesNotUseGoesToTheOthersByTheirShares)
{
    // Class 3 is idle, and 5 of the group of 4 and 5: 0 and 4 share 20 : 30, nothing is wasted.
    helper.SetDeviceAttribute("EtsShares", StringValue("0:20,3:50,4+5:30"));
    Build();
    Backlog(0, 1000);
    Backlog(4, 4000);
    RunFor(20'000'000);
    ExpectShares({{0, 0.4}, {4, 0.6}});
    EXPECT_GE(a->GetCounters().busySteps, Wire(20'000'000).GetTimeStep()) << "never idle";
}

TEST_F(Scheduler, AClassThatSendsLessThanItsShareIsNotHeldBack)
{
    // Class 3 offers 10 of its 50 percent: 1000 B every 816 ns. Each of its frames waits for no
    // more than its turn: one round of the others.
    helper.SetDeviceAttribute("EtsShares", StringValue("0:50,3:50"));
    Build();
    Backlog(0, 1000);
    for (int64_t i = 0; i < 1000; ++i)
    {
        At(PicoSeconds(816000 * i + 1), [this] { a->Enqueue(MakeFrame(3, 1000, 1)); });
    }
    RunFor(1020 * 10 * 1000);
    EXPECT_NEAR(static_cast<double>(atB.BytesOf(3)), 1e6, 2e4);
    ExpectShares({{0, 0.9}});
}

TEST_F(Scheduler, StrictClassesStandAboveTheShares)
{
    helper.SetDeviceAttribute("StrictClasses", UintegerValue(0x80));
    helper.SetDeviceAttribute("EtsShares", StringValue("0:50,6:50"));
    Build();
    Backlog(0, 1000, 1'000'000);
    Backlog(6, 1000, 1'000'000);
    Backlog(7, 1000, 1'000'000);
    RunFor(2'800'000);
    EXPECT_EQ(atB.BytesOf(7), 1'000'000u);
    for (size_t i = 1; i <= 1000; ++i)
    {
        ASSERT_EQ(starts[i].trafficClass, 7u) << "after the frame that was on the wire";
    }
    EXPECT_NEAR(static_cast<double>(atB.BytesOf(0)), static_cast<double>(atB.BytesOf(6)), 20000);
}

TEST_F(Scheduler, AClassWithoutAShareTakesWhatIsLeft)
{
    helper.SetDeviceAttribute("EtsShares", StringValue("0:100"));
    Build();
    Backlog(2, 1000, 1'000'000);
    Backlog(1, 1000, 1'000'000);
    Backlog(0, 1000, 1'000'000);
    Simulator::Run();
    // The first frame of class 2 was on the wire before the others came.
    std::vector<uint32_t> order;
    for (const Start& start : starts)
    {
        if (order.empty() || order.back() != start.trafficClass)
        {
            order.push_back(start.trafficClass);
        }
    }
    EXPECT_EQ(order, (std::vector<uint32_t>{2, 0, 2, 1}));
}

TEST_F(Scheduler, AStrictFrameWaitsForOneLowerFrameAtMost)
{
    // 2000 frames of class 7 at random times, alone in their class (a slot is 81.6 ns, and they
    // come 2 us apart on average), over a backlog of 9000 B frames in all others.
    Build();
    for (uint32_t c = 0; c < 7; ++c)
    {
        Backlog(c, 9000, 8'000'000);
    }
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    std::map<uint32_t, Time> asked;
    Time when;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        when += PicoSeconds(random->GetInteger(200'000, 3'800'000));
        asked[i] = when;
        At(when, [this, i] { a->Enqueue(MakeFrame(7, 1000, i)); });
    }
    Simulator::Run();
    Time longest;
    for (const Start& start : starts)
    {
        if (start.trafficClass == 7)
        {
            longest = std::max(longest, start.at - asked[start.id]);
        }
    }
    EXPECT_LT(longest, Wire(9020)) << "the bound";
    EXPECT_GT(longest, 0.95 * Wire(9020)) << "and it is nearly met";
}

TEST_F(Scheduler, AStrictFrameThatComesJustTooLateWaitsForTheWholeFrame)
{
    Build();
    Enqueue(3, 0, 9000);
    At(PicoSeconds(1), [this] { a->Enqueue(MakeFrame(7, 1000)); });
    Simulator::Run();
    EXPECT_EQ(starts[1].trafficClass, 7u);
    EXPECT_EQ(starts[1].at - PicoSeconds(1), Wire(9020) - PicoSeconds(1));
}

// ---------------------------------------------------------------- shaping

/// Wire bytes of the frames that have started in [from, to], and the most that a bucket lets pass.
void
ExpectWithinBucket(const std::vector<std::pair<Time, uint64_t>>& sent, double rate, uint64_t burst)
{
    // Compared at the starts: between two starts i <= j the frames i to j-1 have passed, and the
    // bucket was not below empty when j started: sum(i .. j-1) <= rate x time + burst. Each frame's
    // time is rounded to a picosecond: some bytes in thousands of frames.
    for (size_t i = 0; i < sent.size(); i += 7)
    {
        uint64_t sum = 0;
        for (size_t j = i; j < sent.size(); ++j)
        {
            double seconds = (sent[j].first - sent[i].first).GetSeconds();
            ASSERT_LE(static_cast<double>(sum),
                      rate / 8 * seconds + static_cast<double>(burst) + 10)
                << i << " to " << j;
            sum += sent[j].second;
        }
    }
}

TEST_F(Scheduler, APortIsShapedToItsRateWithItsBurst)
{
    // 37 Gb/s of 100, bucket 30,000 B; frames of 4158, 64 and 1500 B.
    helper.SetDeviceAttribute("PortShaper", StringValue("37Gbps"));
    helper.SetDeviceAttribute("PortShaperBurst", UintegerValue(30000));
    Build();
    Backlog(0, 4158, 4'000'000);
    Backlog(1, 64, 100'000);
    Backlog(3, 1500, 4'000'000);
    Simulator::Run();
    std::vector<std::pair<Time, uint64_t>> sent;
    uint64_t sum = 0;
    for (const Start& start : starts)
    {
        sent.emplace_back(start.at, start.sizeBytes + 20);
        sum += start.sizeBytes + 20;
    }
    ExpectWithinBucket(sent, 37e9, 30000);
    // At the end the bucket is empty: all but the burst and the last frame took its time.
    double paid = static_cast<double>(sum - sent.back().second) - 30000;
    EXPECT_NEAR(paid * 8 / sent.back().first.GetSeconds() / 37e9, 1, 0.001);
    // The burst goes at line rate: more than 30,000 B are on the wire before the first wait.
    size_t atLineRate = 1;
    uint64_t first = 0;
    while (sent[atLineRate].first - sent[atLineRate - 1].first == Wire(sent[atLineRate - 1].second))
    {
        first += sent[atLineRate - 1].second;
        ++atLineRate;
    }
    EXPECT_GT(first, 30000u);
}

TEST_F(Scheduler, WithoutABurstEachFrameWaitsForItsOwnTime)
{
    helper.SetDeviceAttribute("PortShaper", StringValue("10Gbps"));
    helper.SetDeviceAttribute("PortShaperBurst", UintegerValue(0));
    Build();
    Enqueue(1000, 3, 1000);
    Simulator::Run();
    for (size_t i = 0; i < 1000; ++i)
    {
        ASSERT_EQ(starts[i].at, PicoSeconds(static_cast<int64_t>(i) * 1020 * 800)); // 0.8 ns a byte
    }
}

TEST_F(Scheduler, AClassIsShapedAndTheOthersTakeTheRest)
{
    // Class 3 has 25 Gb/s of the line, class 0 the other 75; without class 0 it has no more.
    helper.SetDeviceAttribute("ClassShaper", StringValue("3:25Gbps:5000"));
    Build();
    Backlog(3, 1000, 4'000'000);
    Backlog(0, 1000, 6'000'000);
    Simulator::Run();
    std::vector<std::pair<Time, uint64_t>> sent;
    uint64_t lineTurns = 0;
    Time lastOfClass0;
    for (const Start& start : starts)
    {
        if (start.trafficClass == 3)
        {
            sent.emplace_back(start.at, 1020);
        }
        else
        {
            ++lineTurns;
            lastOfClass0 = start.at;
        }
    }
    ExpectWithinBucket(sent, 25e9, 5000);
    EXPECT_NEAR(3999 * 1020 * 8 / sent.back().first.GetSeconds() / 25e9, 1, 0.002);
    EXPECT_NEAR(5999 * 1020 * 8 / lastOfClass0.GetSeconds() / 75e9, 1, 0.002);
    EXPECT_EQ(lineTurns, 6000u);
}

TEST_F(Scheduler, ShapingDoesNotHoldPauseFrames)
{
    helper.SetDeviceAttribute("PortShaper", StringValue("1Gbps"));
    helper.SetDeviceAttribute("PortShaperBurst", UintegerValue(0));
    Build();
    Enqueue(2, 0, 1000); // the second one at 8.16 us
    At(MicroSeconds(1), [this] { a->SendPause(1 << 3, 0xffff); });
    std::vector<Time> pauses;
    b->TraceConnectWithoutContext("FrameRx",
                                  Callback<void, const FabricFrame&>([&](const FabricFrame& f) {
                                      if (f.IsPause())
                                      {
                                          pauses.push_back(Simulator::Now());
                                      }
                                  }));
    Simulator::Run();
    ASSERT_EQ(pauses.size(), 1u);
    EXPECT_EQ(pauses[0], MicroSeconds(1) + PauseArrives());
    EXPECT_EQ(starts.back().at, PicoSeconds(1020 * 8000)) << "nor does it pay for them";
}

TEST_F(Scheduler, AShapedClassThatIsPausedGoesOnWhenBothAllow)
{
    helper.SetDeviceAttribute("ClassShaper", StringValue("3:10Gbps:0"));
    Build();
    b->SendPause(1 << 3, 100); // until 505.76 + 512 ns
    At(NanoSeconds(600), [this] { Enqueue(2, 3, 1000); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 2u);
    EXPECT_EQ(starts[0].at, PauseArrives() + NanoSeconds(512));
    EXPECT_EQ(starts[1].at, starts[0].at + NanoSeconds(816));
}

TEST(Shaping, AnRdmaNicSendsAtTheShapedRateOfItsPort)
{
    // What the port pulls is shaped as what it queues: 16.384 MB in frames of 4158 B (+ 20).
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(18));
    f.BuildStar(2, "100Gbps", NanoSeconds(500));
    f.Port(0)->SetAttribute("ClassShaper", StringValue("3:40Gbps:0"));
    f.Post(f.Connect(0, 1), 4096 * 4000);
    f.Run();
    f.ExpectAllSucceeded(1, 4096 * 4000);
    double expected = 3999 * 4178 * 8 / 40e9;
    EXPECT_NEAR(TimeStep(f.records[0].end - f.records[0].start).GetSeconds() / expected, 1, 0.003);
}

} // namespace
