// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The PFC watchdog: when it acts and what it does, to the picosecond at one port; and a NIC
 * that never stops pausing, in a fabric with and without one.
 */

#include "two-ports.h"

#include "ns3/pfc-watchdog.h"
#include "ns3/pointer.h"

using namespace ns3;

namespace
{

uint64_t
WatchdogDrops(Ptr<FabricNetDevice> port)
{
    return port->GetCounters().dropsByReason[static_cast<size_t>(DropReason::WATCHDOG)];
}

// ---------------------------------------------------------------- at one port

/// a is watched: 100 us to detect a storm, 400 us without pause frames to end it.
class Watchdog : public TwoPorts
{
  protected:
    struct Event
    {
        Time at;
        uint32_t trafficClass;
        bool began;
    };

    void Build(const std::string& action)
    {
        TwoPorts::Build("100Gbps");
        watchdog = CreateObject<PfcWatchdog>();
        watchdog->SetAttribute("DetectionTime", TimeValue(MicroSeconds(100)));
        watchdog->SetAttribute("RestorationTime", TimeValue(MicroSeconds(400)));
        watchdog->SetAttribute("Action", StringValue(action));
        watchdog->Watch(a, 1 << 3);
        watchdog->TraceConnectWithoutContext(
            "Storm",
            Callback<void, Ptr<FabricNetDevice>, uint32_t, bool>(
                [this](Ptr<FabricNetDevice> port, uint32_t trafficClass, bool began) {
                    EXPECT_EQ(port, a);
                    events.push_back({Simulator::Now(), trafficClass, began});
                }));
    }

    Ptr<PfcWatchdog> watchdog;
    std::vector<Event> events;
};

// The storm of b: a pause of 335.5392 us at 0 and, repeated at half of that, at 167.7696 us.
const Time LAST_PAUSE = PicoSeconds(167769600 + 505760); // arrived
const Time PAUSE_TIME = PicoSeconds(335539200);

TEST_F(Watchdog, DropsWhatIsStuckAndWhatComes)
{
    // A frame waits from 1 us on: a storm at 101 us. b ends it at 300 us; 400 us after the last
    // pause frame, when the last pause has run out too, the class is lossless again.
    Build("Drop");
    b->StartPauseStorm(1 << 3);
    At(MicroSeconds(1), [this] { Enqueue(2, 3, 1000); });
    At(MicroSeconds(200), [this] {
        EXPECT_EQ(watchdog->GetStormingClasses(a), 1u << 3);
        Enqueue(3, 3, 1000);
        Enqueue(1, 4, 1000);
    });
    At(MicroSeconds(300), [this] { b->StopPauseStorm(); });
    At(MicroSeconds(600), [this] { Enqueue(1, 3, 1000); });
    Simulator::Run();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].at, MicroSeconds(101));
    EXPECT_EQ(events[0].trafficClass, 3u);
    EXPECT_TRUE(events[0].began);
    EXPECT_EQ(events[1].at, LAST_PAUSE + MicroSeconds(400));
    EXPECT_FALSE(events[1].began);
    ASSERT_EQ(atA.flushed.size(), 5u);
    EXPECT_EQ(atA.flushed[0].at, MicroSeconds(101));
    EXPECT_EQ(atA.flushed[4].at, MicroSeconds(200));
    EXPECT_EQ(WatchdogDrops(a), 5u);
    ASSERT_EQ(starts.size(), 2u) << "class 4, and what came after the storm";
    EXPECT_EQ(starts[1].at, MicroSeconds(600));
    EXPECT_EQ(watchdog->GetStorms(), 1u);
    EXPECT_EQ(watchdog->GetRestorations(), 1u);
    EXPECT_EQ(watchdog->GetStormingClasses(a), 0u);
}

TEST_F(Watchdog, ForwardsAgainstThePause)
{
    Build("Forward");
    b->StartPauseStorm(1 << 3);
    At(MicroSeconds(1), [this] { Enqueue(2, 3, 1000); });
    At(MicroSeconds(200), [this] { Enqueue(1, 3, 1000); });
    At(MicroSeconds(300), [this] { b->StopPauseStorm(); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 3u);
    EXPECT_EQ(starts[0].at, MicroSeconds(101));
    EXPECT_EQ(starts[2].at, MicroSeconds(200));
    EXPECT_EQ(WatchdogDrops(a), 0u);
    EXPECT_EQ(watchdog->GetRestorations(), 1u);
    // Restored: a pause is obeyed again.
    b->SendPause(1 << 3, 0xffff);
    At(Simulator::Now() + MicroSeconds(1),
       [this] { EXPECT_EQ(a->GetPausedClasses(NowSteps()), 1u << 3); });
    Simulator::Run();
}

TEST_F(Watchdog, TakesNoNoticeOfPausesThatEndInTime)
{
    // Stopped for 90 of 100 us, ten times, with frames in the queue all the time.
    Build("Drop");
    Enqueue(20000, 3, 1000); // 1.6 ms at line rate
    for (int64_t i = 0; i < 10; ++i)
    {
        At(MicroSeconds(100 * i), [this] { b->SendPause(1 << 3, 0xffff); });
        At(MicroSeconds(100 * i + 90), [this] { b->SendPause(1 << 3, 0); });
    }
    Simulator::Run();
    EXPECT_EQ(watchdog->GetStorms(), 0u);
    EXPECT_EQ(atB.arrivals.size(), 20000u);
}

TEST_F(Watchdog, TakesNoNoticeWhileNothingWaits)
{
    Build("Drop");
    b->StartPauseStorm(1 << 3);
    At(MilliSeconds(2), [this] { b->StopPauseStorm(); });
    Simulator::Run();
    EXPECT_EQ(watchdog->GetStorms(), 0u);
    EXPECT_EQ(a->GetPausedClasses(NowSteps()), 0u);
}

TEST_F(Watchdog, WatchesTheClassesItIsToldTo)
{
    Build("Drop");
    b->StartPauseStorm(1 << 4);
    At(MicroSeconds(1), [this] { Enqueue(1, 4, 1000); });
    At(MicroSeconds(300), [this] { b->StopPauseStorm(); });
    Simulator::Run();
    EXPECT_EQ(watchdog->GetStorms(), 0u);
    EXPECT_EQ(starts.at(0).at, LAST_PAUSE + PAUSE_TIME);
}

TEST_F(Watchdog, DetectsTheNextStormToo)
{
    Build("Drop");
    for (int64_t start : {0, 2000})
    {
        At(MicroSeconds(start), [this] { b->StartPauseStorm(1 << 3); });
        At(MicroSeconds(start + 1), [this] { Enqueue(1, 3, 1000); });
        At(MicroSeconds(start + 300), [this] { b->StopPauseStorm(); });
    }
    Simulator::Run();
    ASSERT_EQ(events.size(), 4u);
    EXPECT_EQ(events[2].at, MicroSeconds(2101));
    EXPECT_EQ(watchdog->GetRestorations(), 2u);
}

// ---------------------------------------------------------------- in a fabric

/**
 * left-host0 sends to right-host0, whose NIC begins a pause storm at 100 us; left-host1 sends to
 * right-host1. All links have 100 Gb/s, so each flow has half of the link between the switches.
 */
class Storm : public testing::Test
{
  protected:
    void Run(Ptr<PfcWatchdog> watchdog)
    {
        f.fabric.SetBufferAttribute("Size", UintegerValue(1000000));
        f.fabric.SetSwitchAttribute("PfcWatchdog", PointerValue(watchdog));
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(6)); // 262 us
        f.BuildTwoSwitches(2, "100Gbps", 1, "100Gbps", NanoSeconds(500));
        f.Post(f.Connect(0, 2), 1000000000);
        f.Post(f.Connect(1, 3), 1000000000);
        Simulator::Schedule(MicroSeconds(100), [this] { f.Port(2)->StartPauseStorm(1 << 3); });
        Simulator::Schedule(MilliSeconds(1), [this] { atOneMs = VictimBytes(); });
        Simulator::Stop(MilliSeconds(2));
        f.Run();
    }

    uint64_t VictimBytes()
    {
        return f.Port(3)->GetCounters().rxBytes;
    }

    FabricFixture f;
    uint64_t atOneMs{0};
};

TEST_F(Storm, SpreadsWithoutAWatchdog)
{
    // The buffer of the right switch fills with frames for right-host0, the link is paused, and the
    // victim, which has nothing to do with it, stops.
    Run(nullptr);
    EXPECT_GT(atOneMs, 0u);
    EXPECT_EQ(VictimBytes(), atOneMs) << "nothing more in the second millisecond";
    EXPECT_NE(f.Port(1)->GetPausedClasses(NowSteps()), 0u);
    EXPECT_EQ(f.Drops(), 0u);
}

TEST_F(Storm, IsContainedByAWatchdogThatDrops)
{
    // From 300 us on what is for right-host0 is dropped; the victim has the half of the link that
    // is its due, at the least: 6.25 MB a millisecond.
    auto watchdog = CreateObject<PfcWatchdog>();
    watchdog->SetAttribute("DetectionTime", TimeValue(MicroSeconds(200)));
    Run(watchdog);
    EXPECT_EQ(watchdog->GetStorms(), 1u);
    EXPECT_GT(VictimBytes() - atOneMs, 0.95 * 6250000);
    Ptr<FabricNetDevice> broken = f.Port(2)->GetPeer();
    EXPECT_GT(WatchdogDrops(broken), 0u);
    EXPECT_EQ(f.Switch(1)->GetFaultDrops(), WatchdogDrops(broken));
    EXPECT_EQ(f.Drops(), 0u) << "of other causes";
}

TEST_F(Storm, IsContainedByAWatchdogThatForwards)
{
    auto watchdog = CreateObject<PfcWatchdog>();
    watchdog->SetAttribute("DetectionTime", TimeValue(MicroSeconds(200)));
    watchdog->SetAttribute("Action", StringValue("Forward"));
    Run(watchdog);
    EXPECT_EQ(watchdog->GetStorms(), 1u);
    EXPECT_GT(VictimBytes() - atOneMs, 0.95 * 6250000);
    EXPECT_EQ(f.Switch(1)->GetFaultDrops() + f.Drops(), 0u);
}

} // namespace
