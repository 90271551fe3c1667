// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Pause frames that are late, lost, repeated or not wanted: times by hand, from the sizes in
 * IEEE 802.3 and 802.1Q. At 100 Gb/s a byte takes 80 ps and a quantum of 512 bits 5.12 ns.
 */

#include "two-ports.h"

#include "ns3/pfc-initiator.h"

using namespace ns3;

namespace
{

bool
StopsAClass(const FabricFrame& frame)
{
    return frame.kind == FrameKind::PFC && frame.pauseQuanta[3] > 0;
}

bool
OpensAClass(const FabricFrame& frame)
{
    return frame.kind == FrameKind::PFC && frame.pauseQuanta[3] == 0;
}

/// b stops class 3 of a by a PfcInitiator, as a switch does. A pause lasts for 1000 quanta, 5.12
/// us.
class Pause : public TwoPorts
{
  protected:
    static constexpr uint16_t QUANTA = 1000;

    void Build()
    {
        TwoPorts::Build("100Gbps");
        initiator.Configure(*b, QUANTA);
    }

    Time PauseTime() const
    {
        return Wire(QUANTA * bytes::QUANTUM);
    }

    PfcInitiator initiator;
};

TEST_F(Pause, XoffIsSeenAtTheExactTime)
{
    // b has started a frame of 1500 B when it decides to stop a, at 10 ns:
    //   wait for the slot of that frame   (8 + 1500 + 12) x 80 ps = 121.60 ns
    //   pause frame                            (8 + 64) x 80 ps   =   5.76 ns
    //   cable                                                       500.00 ns
    //   ingress latency of a                                        300.00 ns
    //   response time of a                                          200.00 ns
    helper.SetDeviceAttribute("IngressLatency", TimeValue(NanoSeconds(300)));
    helper.SetDeviceAttribute("PauseResponseTime", TimeValue(NanoSeconds(200)));
    Build();
    b->Enqueue(MakeFrame(0, 1500));
    At(NanoSeconds(10), [this] { initiator.Pause(3); });
    At(MicroSeconds(3), [this] { initiator.Resume(3); });
    Enqueue(50, 3, 1000);
    Simulator::Run();
    ASSERT_EQ(pauseChanges.size(), 2u);
    EXPECT_EQ(pauseChanges[0].at, PicoSeconds(1127360));
    EXPECT_TRUE(pauseChanges[0].paused);
    // XON: no frame to wait for. 3000 + 5.76 + 500 + 300 + 200 ns.
    EXPECT_EQ(pauseChanges[1].at, PicoSeconds(4005760));
    // A slot of 1000 B takes 81.6 ns: frame 13 starts at 1060.8 ns, frame 14 would at 1142.4 ns.
    EXPECT_EQ(starts[13].at, PicoSeconds(13 * 81600));
    EXPECT_EQ(starts[14].at, PicoSeconds(4005760));
}

TEST_F(Pause, ALostResumeEndsByQuantaExpiryAtTheExactTime)
{
    // Stopped at 0, repeated after half of 5.12 us; then b wants to open the class, in vain. The
    // repetition was sent at 2.56 us, arrived 505.76 ns later and holds for 5.12 us.
    Build();
    initiator.Pause(3);
    LoseIf(OpensAClass);
    At(MicroSeconds(4), [this] { initiator.Resume(3); });
    At(MicroSeconds(1), [this] { Enqueue(3, 3, 1000); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 3u);
    EXPECT_EQ(starts[0].at, PicoSeconds(2560000 + 505760 + 5120000));
    EXPECT_EQ(b->GetCounters().resumesSent, 1u);
    EXPECT_EQ(a->GetCounters().lostFrames, 1u);
    EXPECT_FALSE(b->WasPauseLost(3)) << "that was none that stops";
}

TEST_F(Pause, ALostPauseIsSentAgainByRefresh)
{
    Build();
    int lost = 0;
    LoseIf([&](const FabricFrame& frame) { return StopsAClass(frame) && lost++ == 0; });
    Enqueue(100, 3, 1000); // 8.16 us
    initiator.Pause(3);
    At(NanoSeconds(505), [this] { EXPECT_FALSE(b->WasPauseLost(3)); });
    At(NanoSeconds(506), [this] { EXPECT_TRUE(b->WasPauseLost(3)); });
    At(MicroSeconds(3), [this] { EXPECT_TRUE(b->WasPauseLost(3)); });
    At(MicroSeconds(4), [this] { initiator.Resume(3); });
    Simulator::Run();
    ASSERT_EQ(pauseChanges.size(), 2u);
    EXPECT_EQ(pauseChanges[0].at, PicoSeconds(2560000 + 505760));
    EXPECT_EQ(pauseChanges[1].at, PicoSeconds(4000000 + 505760));
    EXPECT_EQ(b->GetCounters().pausesLost, 1u);
    EXPECT_EQ(b->GetCounters().pausesSent, 2u);
    EXPECT_FALSE(b->WasPauseLost(3)) << "forgotten once the class is opened";
    EXPECT_FALSE(b->WasPauseLost(4));
    EXPECT_EQ(starts.size(), 100u);
}

TEST_F(Pause, IsRepeatedAfterTheShareThatIsSet)
{
    // Every second one is lost: repeated at 40 % (2.048 us), the class is held without a gap, for
    // two periods are shorter than the pause; at 60 % it is open from 5.12 to 6.144 us.
    for (double share : {0.4, 0.6})
    {
        helper.SetDeviceAttribute("PauseRefresh", DoubleValue(share));
        Build();
        int sent = 0;
        LoseIf([&](const FabricFrame& f) { return StopsAClass(f) && sent++ % 2 == 1; });
        initiator.Pause(3);
        At(MicroSeconds(1), [this] { Enqueue(1, 3, 1000); });
        At(MicroSeconds(20), [this] { initiator.Resume(3); });
        starts.clear();
        Simulator::Run();
        ASSERT_EQ(starts.size(), 1u);
        EXPECT_EQ(starts[0].at, (share < 0.5 ? MicroSeconds(20) : PauseTime()) + PauseArrives())
            << share;
        Simulator::Destroy();
        initiator.Reset();
    }
}

TEST_F(Pause, IsNotRepeatedWhereRefreshIsOff)
{
    helper.SetDeviceAttribute("PauseRefresh", DoubleValue(0));
    Build();
    initiator.Pause(3);
    At(MicroSeconds(1), [this] { Enqueue(1, 3, 1000); });
    Simulator::Run();
    EXPECT_EQ(starts.at(0).at, PauseArrives() + PauseTime());
    EXPECT_EQ(b->GetCounters().pausesSent, 1u);
}

TEST_F(Pause, ADuplicateOrStrayResumeIsHarmless)
{
    Build();
    initiator.Resume(3); // never stopped
    initiator.Pause(3);
    At(MicroSeconds(2), [this] { initiator.Resume(3); });
    At(MicroSeconds(2), [this] { b->SendPause(1 << 3, 0); });
    At(MicroSeconds(3), [this] { initiator.Resume(3); });
    At(MicroSeconds(1), [this] { Enqueue(100, 3, 1000); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 100u);
    EXPECT_EQ(starts[0].at, MicroSeconds(2) + PauseArrives());
    EXPECT_EQ(starts[99].at - starts[0].at, 99 * Wire(1020));
    EXPECT_EQ(a->GetPausedClasses(NowSteps()), 0u);
}

TEST_F(Pause, PauseAndResumeInsideADepartureAtTheSamePort)
{
    // What stands behind the port asks for both while the port is in the middle of sending. The
    // news join in one frame, which goes next; the queue is served once, in order.
    Build();
    initiator.Configure(*a, QUANTA);
    atA.onDeparture = [this](FabricNetDevice&, FabricFrame& frame) {
        if (frame.psn % 2 == 0)
        {
            initiator.Pause(3);
        }
        else
        {
            initiator.Resume(3);
        }
    };
    Enqueue(10, 3, 1000);
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), 10u);
    for (uint32_t i = 0; i < 10; ++i)
    {
        EXPECT_EQ(atB.arrivals[i].id, i);
    }
    EXPECT_EQ(a->GetCounters().pausesSent, 5u);
    EXPECT_EQ(a->GetCounters().resumesSent, 5u);
}

TEST_F(Pause, SeveralClassesByOneFrame)
{
    Build();
    initiator.PauseClasses(0x18);
    Simulator::Schedule(MicroSeconds(1), [this] {
        EXPECT_EQ(a->GetPausedClasses(NowSteps()), 0x18u);
        EXPECT_EQ(b->GetCounters().pausesSent, 1u);
    });
    At(MicroSeconds(3), [this] {
        EXPECT_EQ(b->GetCounters().pausesSent, 2u) << "repeated by one frame too";
        initiator.ResumeClasses(0x18);
    });
    Simulator::Run();
    EXPECT_EQ(a->GetPausedClasses(NowSteps()), 0u);
    EXPECT_EQ(b->GetCounters().txFrames, 3u);
}

// ---------------------------------------------------------------- who takes part

TEST_F(Pause, IsSentOnlyForTheClassesThatThePortAsksFor)
{
    // Asymmetric: b obeys, but asks for class 4 only.
    helper.SetDeviceAttribute("PfcSendClasses", UintegerValue(1 << 4));
    Build();
    initiator.PauseClasses(0x18);
    At(MicroSeconds(1), [this] {
        EXPECT_EQ(a->GetPausedClasses(NowSteps()), 1u << 4);
        initiator.ResumeClasses(0x18);
        b->SendPause(1 << 3, QUANTA);
    });
    Simulator::Run();
    EXPECT_EQ(b->GetCounters().txFrames, 2u) << "none for class 3 alone";
}

TEST_F(Pause, OfTheWholeLinkStopsAllClasses)
{
    helper.SetDeviceAttribute("GlobalPause", BooleanValue(true));
    Build();
    initiator.Pause(3);
    initiator.Pause(4);
    At(MicroSeconds(1), [this] {
        EXPECT_EQ(a->GetPausedClasses(NowSteps()), 0xffu);
        Enqueue(1, 0, 1000);
    });
    At(MicroSeconds(2), [this] { initiator.Resume(4); }); // 3 still needs it
    At(MicroSeconds(7), [this] { initiator.Resume(3); });
    std::vector<FrameKind> kinds;
    b->TraceConnectWithoutContext("FrameTx",
                                  Callback<void, const FabricFrame&>([&](const FabricFrame& f) {
                                      kinds.push_back(f.kind);
                                      EXPECT_EQ(f.sizeBytes, bytes::PAUSE);
                                  }));
    Simulator::Run();
    ASSERT_EQ(starts.size(), 1u);
    EXPECT_EQ(starts[0].at, MicroSeconds(7) + PauseArrives());
    EXPECT_EQ(kinds, std::vector<FrameKind>(kinds.size(), FrameKind::PAUSE));
    EXPECT_EQ(b->GetCounters().resumesSent, 1u);
}

TEST_F(Pause, OfTheOtherKindIsNotObeyed)
{
    // IEEE 802.1Qbb: a link has one kind of flow control or the other.
    for (bool global : {false, true})
    {
        Build();
        b->SetAttribute("GlobalPause", BooleanValue(global));
        a->SetAttribute("GlobalPause", BooleanValue(!global));
        b->SendPause(1 << 3, QUANTA);
        Simulator::Run();
        EXPECT_EQ(a->GetCounters().pausesReceived, 1u);
        EXPECT_EQ(a->GetPausedClasses(0), 0u);
        EXPECT_TRUE(pauseChanges.empty());
        Simulator::Destroy();
    }
}

// ---------------------------------------------------------------- storms

TEST_F(Pause, AStormHoldsTheClassUntilItStopsAndTheLastPauseHasRunOut)
{
    // A pause of 65535 quanta lasts for 335.5392 us at 100 Gb/s and is repeated every 167.7696 us.
    Build();
    b->StartPauseStorm(1 << 3);
    At(MicroSeconds(1), [this] {
        Enqueue(1, 3, 1000);
        Enqueue(1, 4, 1000);
    });
    At(MilliSeconds(1), [this] { b->StopPauseStorm(); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 2u);
    EXPECT_EQ(starts[0].trafficClass, 4u);
    EXPECT_EQ(starts[0].at, MicroSeconds(1));
    // Sent at 0, 167.7696, ..., 5 x 167.7696 = 838.848 us.
    EXPECT_EQ(starts[1].at, PicoSeconds(838848000) + PauseArrives() + PicoSeconds(335539200));
    EXPECT_EQ(b->GetCounters().pausesSent, 6u);
}

TEST_F(Pause, AStormOfTheWholeLinkIsNotTakenForAWishOfTheOwner)
{
    // After it the link is opened as soon as the owner needs nothing stopped any more.
    helper.SetDeviceAttribute("GlobalPause", BooleanValue(true));
    Build();
    b->StartPauseStorm(1 << 3);
    At(MicroSeconds(1), [this] {
        b->StopPauseStorm();
        initiator.Pause(4);
    });
    At(MicroSeconds(2), [this] { initiator.Resume(4); });
    Simulator::Run();
    ASSERT_EQ(pauseChanges.size(), 16u);
    EXPECT_EQ(pauseChanges[15].at, MicroSeconds(2) + PauseArrives());
}

// ---------------------------------------------------------------- on a switch

/// Hosts 0 and 1 send 4 MB each to host 2 at 100 Gb/s, through 300 kB of memory.
class PausedIncast : public testing::Test
{
  protected:
    void Run(std::function<bool(const FabricFrame&)> lost)
    {
        f.fabric.SetBufferAttribute("Size", UintegerValue(300000));
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
        f.BuildStar(3, "100Gbps", NanoSeconds(500));
        if (lost)
        {
            f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>(lost));
        }
        f.Post(f.Connect(0, 2), 4000000);
        f.Post(f.Connect(1, 2), 4000000);
        f.Run();
        f.ExpectAllSucceeded(2, 8000000);
        f.ExpectDrained();
    }

    uint64_t DropsBy(DropReason reason)
    {
        uint64_t sum = 0;
        for (uint32_t p = 0; p < 3; ++p)
        {
            sum += f.Switch()->GetPort(p)->GetCounters().dropsByReason[size_t(reason)];
        }
        return sum;
    }

    FabricFixture f;
};

TEST_F(PausedIncast, LosesNothingWhileNoPauseIsLost)
{
    Run({});
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_GT(f.Switch()->GetPort(0)->GetCounters().pausesSent, 0u);
}

TEST_F(PausedIncast, DropsThatALostPauseCausesAreCountedUnderThatCause)
{
    // The pause is repeated after 167.8 us; until then host 0 sends 2 MB at 100 Gb/s, of which no
    // more than its headroom fits.
    int lost = 0;
    Run([&](const FabricFrame& frame) { return StopsAClass(frame) && lost++ == 0; });
    EXPECT_EQ(f.Switch()->GetPort(0)->GetCounters().pausesLost, 1u);
    EXPECT_GT(DropsBy(DropReason::PAUSE_LOST), 0u);
    EXPECT_EQ(DropsBy(DropReason::HEADROOM_FULL), 0u);
    EXPECT_EQ(f.Switch()->GetPort(1)->GetCounters().droppedFrames, 0u) << "host 1 was stopped";
    EXPECT_EQ(f.Drops(), DropsBy(DropReason::PAUSE_LOST));
}

TEST_F(PausedIncast, SurvivesTheLossOfAnyPauseFrame)
{
    // Every third pause frame is lost, whether it stops or opens.
    int count = 0;
    Run([&](const FabricFrame& frame) { return frame.kind == FrameKind::PFC && count++ % 3 == 0; });
    EXPECT_EQ(f.Drops(), DropsBy(DropReason::PAUSE_LOST));
    EXPECT_GT(count, 3);
}

struct ClassAndPairs
{
    uint32_t trafficClass;
    uint32_t pairs;
};

class PauseOfEachPriority : public testing::TestWithParam<ClassAndPairs>
{
};

TEST_P(PauseOfEachPriority, WithNoOneOrTwoQueuePairs)
{
    // The switch stops one class of host 0 at 2 us and opens it at 12 us. Whatever is there to
    // stop, nothing of that class starts in between, and all goes on afterwards.
    ClassAndPairs p = GetParam();
    FabricFixture f;
    f.fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(0xff));
    f.fabric.SetBufferAttribute("Size", UintegerValue(4000000));
    f.rdma.SetQueuePairAttribute("TrafficClass", UintegerValue(p.trafficClass));
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(12));
    f.BuildStar(2, "100Gbps", NanoSeconds(500));
    for (uint32_t i = 0; i < p.pairs; ++i)
    {
        f.Post(f.Connect(0, 1), 100000); // 8 us each
    }
    Time begin = MicroSeconds(2);
    Time end = MicroSeconds(12);
    auto port = f.Switch()->GetPort(0);
    Simulator::Schedule(begin, [&] { port->SendPause(1U << p.trafficClass, 0xffff); });
    Simulator::Schedule(end, [&] { port->SendPause(1U << p.trafficClass, 0); });
    uint64_t early = 0;
    uint64_t late = 0;
    // A pause frame may wait for an ACK on the wire; it takes 505.76 ns then.
    Time longest = OnWire("100Gbps", 8 + 66 + 12 + 8 + 64) + NanoSeconds(500);
    f.Port(0)->TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame&>([&](const FabricFrame& frame) {
            Time now = Simulator::Now();
            if (frame.trafficClass == p.trafficClass && frame.payloadBytes > 0)
            {
                EXPECT_TRUE(now < begin + longest || now >= end + NanoSeconds(500)) << now;
                ++(now < end ? early : late);
            }
        }));
    f.Run();
    f.ExpectAllSucceeded(p.pairs, p.pairs * 100000ULL);
    f.ExpectDrained();
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(early > 0, p.pairs > 0);
    EXPECT_EQ(late > 0, p.pairs > 0);
    EXPECT_EQ(f.Port(0)->GetCounters().pausesReceived, 1u);
}

std::vector<ClassAndPairs>
AllClassesAndPairs()
{
    std::vector<ClassAndPairs> all;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        for (uint32_t pairs : {0, 1, 2})
        {
            all.push_back({c, pairs});
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, PauseOfEachPriority, testing::ValuesIn(AllClassesAndPairs()));

} // namespace
