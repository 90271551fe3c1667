// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Links that fail, wholly or in one direction, that lose bits or slow down; switches that
 * restart; receivers that cannot keep up. Times by hand: at 100 Gb/s a byte takes 80 ps, the slot
 * of a frame of 1000 B (with 8 of preamble and 12 of gap) 81.6 ns, the cable 500 ns.
 */

#include "two-ports.h"

#include "ns3/frame-error-model.h"
#include "ns3/pfc-initiator.h"

#include <cmath>

using namespace ns3;

namespace
{

uint64_t
Drops(Ptr<FabricNetDevice> port, DropReason reason)
{
    return port->GetCounters().dropsByReason[static_cast<size_t>(reason)];
}

// ---------------------------------------------------------------- up and down

class Link : public TwoPorts
{
  protected:
    void Build()
    {
        TwoPorts::Build("100Gbps");
    }

    void SetUpAt(Time when, bool up)
    {
        At(when, [this, up] { cable->SetUp(up); });
    }
};

TEST_F(Link, DownLosesWhatIsInFlightAndDropsWhatWaits)
{
    // At 200 ns frames 0 and 1 are on the cable and 2 is on its way into it; 3 to 9 wait.
    Build();
    Enqueue(10, 3, 1000);
    SetUpAt(NanoSeconds(200), false);
    At(NanoSeconds(201), [this] {
        EXPECT_FALSE(a->IsLinkUp());
        EXPECT_FALSE(b->IsLinkUp());
        EXPECT_FALSE(cable->IsUp());
        EXPECT_EQ(a->GetQueuedBytes(), 0u);
        Enqueue(1, 3, 1000); // comes to wait: dropped as well
    });
    Simulator::Run();
    EXPECT_TRUE(atB.arrivals.empty());
    EXPECT_EQ(b->GetCounters().lostFrames, 3u);
    EXPECT_EQ(cable->GetLostFrames(), 3u);
    EXPECT_EQ(Drops(a, DropReason::LINK_DOWN), 8u);
    ASSERT_EQ(atA.flushed.size(), 8u);
    EXPECT_EQ(atA.flushed[0].id, 3u);
    EXPECT_EQ(atA.flushed[0].at, NanoSeconds(200));
    EXPECT_EQ(atA.flushed[7].at, NanoSeconds(201));
    EXPECT_EQ(atA.changes, std::vector<bool>{false});
    EXPECT_EQ(atB.changes, std::vector<bool>{false});
    EXPECT_EQ(starts.size(), 3u);
}

TEST_F(Link, DownDoesNotTakeBackWhatHasArrived)
{
    // Frame 0 is there at 80.64 + 500 ns.
    Build();
    Enqueue(3, 3, 1000);
    SetUpAt(PicoSeconds(580641), false);
    Simulator::Run();
    EXPECT_EQ(atB.arrivals.size(), 1u);
    EXPECT_EQ(b->GetCounters().lostFrames, 2u);
}

TEST_F(Link, UpGoesOnAtTheRightTime)
{
    // Down at 200 ns in the middle of frame 2, whose slot ends at 244.8 ns, and up at 210 ns. The
    // times of arrival of what was lost must not move those of what comes after.
    Build();
    Enqueue(10, 3, 1000);
    SetUpAt(NanoSeconds(200), false);
    SetUpAt(NanoSeconds(210), true);
    At(NanoSeconds(220), [this] { Enqueue(3, 3, 1000); });
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), 3u);
    for (int64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(atB.arrivals[i].at, PicoSeconds(244800 + i * 81600 + 80640 + 500000));
    }
    EXPECT_TRUE(a->IsLinkUp());
    EXPECT_EQ(atA.changes, (std::vector<bool>{false, true}));
}

TEST_F(Link, FlapsManyTimes)
{
    // Up from 0, 2, 4, ... us for 1 us each, a frame every 100 ns. Of the 10 frames of each time up
    // those that arrive within it, 580.64 ns later, are sent at 0 to 400 ns: 5.
    Build();
    for (int64_t us = 1; us < 40; ++us)
    {
        SetUpAt(MicroSeconds(us), us % 2 == 0);
    }
    for (int64_t i = 0; i < 400; ++i)
    {
        At(NanoSeconds(100 * i + 1), [this] { Enqueue(1, 3, 1000); });
    }
    Simulator::Run();
    EXPECT_EQ(atB.arrivals.size(), 20u * 5);
    EXPECT_EQ(b->GetCounters().lostFrames, 20u * 5);
    EXPECT_EQ(Drops(a, DropReason::LINK_DOWN), 200u);
    for (const auto& arrival : atB.arrivals)
    {
        EXPECT_EQ((arrival.at - PicoSeconds(581640)).GetTimeStep() % 100000, 0);
    }
}

TEST_F(Link, ChangesAreToldToNs3)
{
    Build();
    int changes = 0;
    b->AddLinkChangeCallback(Callback<void>([&] { ++changes; }));
    cable->SetUp(false);
    cable->SetUp(false); // it is
    cable->SetUp(true);
    EXPECT_EQ(changes, 2);
}

TEST_F(Link, FlapWhilePausedOpensTheClass)
{
    // The pause would hold for 335.5 us, and b would repeat it.
    Build();
    PfcInitiator initiator;
    initiator.Configure(*b, 0xffff);
    initiator.Pause(3);
    SetUpAt(MicroSeconds(1), false);
    SetUpAt(MicroSeconds(2), true);
    At(MicroSeconds(1), [&] { initiator.Reset(); }); // what its owner does in LinkChanged()
    At(MicroSeconds(2), [this] { Enqueue(1, 3, 1000); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 1u);
    EXPECT_EQ(starts[0].at, MicroSeconds(2));
    ASSERT_EQ(pauseChanges.size(), 2u);
    EXPECT_EQ(pauseChanges[1].at, MicroSeconds(1));
    EXPECT_EQ(a->PausedSteps(3, NowSteps()), (MicroSeconds(1) - PauseArrives()).GetTimeStep());
    EXPECT_EQ(b->GetCounters().pausesSent, 1u);
}

TEST_F(Link, APauseThatWasToTakeEffectAfterTheFlapDoesNot)
{
    helper.SetDeviceAttribute("PauseResponseTime", TimeValue(MicroSeconds(2)));
    Build();
    b->SendPause(1 << 3, 0xffff); // there at 0.5 us, in effect at 2.5 us
    SetUpAt(MicroSeconds(1), false);
    SetUpAt(NanoSeconds(1500), true);
    Simulator::Run();
    EXPECT_TRUE(pauseChanges.empty());
}

TEST_F(Link, APauseFrameThatWaitsIsForgotten)
{
    Build();
    b->Enqueue(MakeFrame(0, 9000));
    b->SendPause(1 << 3, 0xffff);
    SetUpAt(NanoSeconds(100), false);
    At(NanoSeconds(200), [this] { b->SendPause(1 << 3, 0xffff); });
    SetUpAt(NanoSeconds(300), true);
    Simulator::Run();
    EXPECT_EQ(b->GetCounters().pausesSent, 0u);
}

TEST_F(Link, FailsInOneDirectionWithoutAWord)
{
    // From a to b frames are lost from 100 to 150 ns: frame 0, in flight; frame 1, started at
    // 81.6 ns; none is started in between. Frame 2 of 163.2 ns gets through, and b's all do.
    Build();
    Enqueue(3, 3, 1000);
    b->Enqueue(MakeFrame(3, 1000));
    At(NanoSeconds(100), [this] {
        cable->SetDirectionUp(0, false);
        EXPECT_TRUE(a->IsLinkUp());
        EXPECT_TRUE(b->IsLinkUp());
    });
    At(NanoSeconds(150), [this] { cable->SetDirectionUp(0, true); });
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), 1u);
    EXPECT_EQ(atB.arrivals[0].id, 2u);
    EXPECT_EQ(atA.arrivals.size(), 1u);
    EXPECT_EQ(b->GetCounters().lostFrames, 2u);
    EXPECT_TRUE(atA.changes.empty());
    EXPECT_TRUE(atB.changes.empty());
}

TEST_F(Link, ADeadDirectionLosesWhatIsSentMeanwhile)
{
    // Mended before the frame would have arrived: it is lost all the same.
    Build();
    cable->SetDirectionUp(0, false);
    Enqueue(1, 3, 1000);
    At(NanoSeconds(100), [this] { cable->SetDirectionUp(0, true); });
    Simulator::Run();
    EXPECT_TRUE(atB.arrivals.empty());
    EXPECT_EQ(b->GetCounters().lostFrames, 1u);
}

TEST_F(Link, APauseOnADeadDirectionIsRememberedAsLost)
{
    Build();
    cable->SetDirectionUp(1, false);
    b->SendPause(1 << 3, 0xffff);
    EXPECT_TRUE(b->WasPauseLost(3));
}

TEST_F(Link, DegradedRateHoldsFromTheNextFrameOn)
{
    // 25 Gb/s from 200 ns on: frame 2 keeps its slot until 244.8 ns, frame 3 takes 1020 x 320 ps.
    Build();
    Enqueue(6, 3, 1000);
    At(NanoSeconds(200), [this] { a->SetDataRate(DataRate("25Gbps")); });
    Simulator::Run();
    ASSERT_EQ(starts.size(), 6u);
    EXPECT_EQ(starts[3].at, PicoSeconds(244800));
    EXPECT_EQ(starts[4].at, PicoSeconds(244800 + 326400));
    EXPECT_EQ(starts[5].at, PicoSeconds(244800 + 2 * 326400));
    EXPECT_EQ(atB.arrivals[5].at, starts[5].at + PicoSeconds(1008 * 320 + 500000));
}

// ---------------------------------------------------------------- bit errors

/// P[Binomial(n, p) > t], term by term in the widest floating point there is.
long double
Tail(int n, int t, long double p)
{
    long double sum = 0;
    for (int i = t + 1; i <= n; ++i)
    {
        long double term = 1;
        for (int k = 1; k <= i; ++k)
        {
            term *= static_cast<long double>(n - i + k) / k * p;
        }
        sum += term * std::pow(1 - p, static_cast<long double>(n - i));
    }
    return sum;
}

double
LossProbability(double bitErrorRate, FrameErrorModel::Fec fec, uint32_t bytes)
{
    FrameErrorModel model;
    model.Configure(bitErrorRate, fec);
    return model.LossProbability(bytes);
}

TEST(BitErrors, WithoutFecTheFirstOneLosesTheFrame)
{
    for (double p : {1e-15, 1e-12, 1e-8, 1e-5, 1e-3, 0.1})
    {
        for (uint32_t bytes : {64, 1000, 9000})
        {
            // 1 - (1 - p)^bits = sum of p (1 - p)^k over k < bits, where nothing cancels.
            long double expected = 0;
            long double survived = 1;
            for (uint32_t k = 0; k < 8 * bytes; ++k)
            {
                expected += survived * p;
                survived *= 1 - static_cast<long double>(p);
            }
            EXPECT_NEAR(LossProbability(p, FrameErrorModel::FEC_NONE, bytes) /
                            static_cast<double>(expected),
                        1,
                        1e-9)
                << p << " " << bytes;
        }
    }
    EXPECT_EQ(LossProbability(0, FrameErrorModel::FEC_NONE, 1000), 0);
    EXPECT_EQ(LossProbability(0, FrameErrorModel::FEC_KP4, 1000), 0);
}

struct Code
{
    FrameErrorModel::Fec fec;
    int n;
    int t;
};

const Code CODES[] = {{FrameErrorModel::FEC_KR4, 528, 7}, {FrameErrorModel::FEC_KP4, 544, 15}};

TEST(BitErrors, ACodewordFailsWithTheBinomialTail)
{
    for (const Code& code : CODES)
    {
        for (double p : {1e-6, 5e-5, 2.4e-4, 1e-3, 3e-3, 1e-2})
        {
            long double symbol = 1 - std::pow(1 - static_cast<long double>(p), 10.0L);
            FrameErrorModel model;
            model.Configure(p, code.fec);
            auto expected = static_cast<double>(Tail(code.n, code.t, symbol));
            EXPECT_NEAR(model.GetUnitErrorRate() / expected, 1, 1e-9) << code.n << " " << p;
        }
    }
}

TEST(BitErrors, AFrameIsLostWithAnyOfItsCodewords)
{
    // Averaged over all 5120 places of a codeword where the frame may begin.
    for (const Code& code : CODES)
    {
        FrameErrorModel model;
        model.Configure(3e-3, code.fec);
        auto good = static_cast<long double>(1 - model.GetUnitErrorRate());
        for (uint32_t bytes : {1, 64, 640, 641, 1500, 4158, 9216})
        {
            long double lost = 0;
            for (uint64_t begin = 0; begin < 5120; ++begin)
            {
                uint64_t codewords = (begin + 8 * uint64_t{bytes} - 1) / 5120 + 1;
                lost += 1 - std::pow(good, static_cast<long double>(codewords));
            }
            EXPECT_NEAR(model.LossProbability(bytes), static_cast<double>(lost / 5120), 1e-9)
                << code.n << " " << bytes;
        }
    }
}

TEST(BitErrors, TheStandardsWorstRatesGiveItsFrameLossRatios)
{
    // IEEE 802.3, 95.1.1: a BER of 5e-5 before RS(528,514) with random errors gives a frame loss
    // ratio of less than 6.2e-10 for frames of 64 bytes; 124.1.1: 2.4e-4 before RS(544,514) less
    // than 1.7e-12. Neither has much to spare.
    double kr4 = LossProbability(5e-5, FrameErrorModel::FEC_KR4, 64);
    EXPECT_LT(kr4, 6.2e-10);
    EXPECT_GT(kr4, 6.2e-10 / 2);
    double kp4 = LossProbability(2.4e-4, FrameErrorModel::FEC_KP4, 64);
    EXPECT_LT(kp4, 1.7e-12);
    EXPECT_GT(kp4, 1.7e-12 / 2);
}

struct ErrorRate
{
    const char* fec;
    double bitErrorRate;
    int n;
    int t;
};

class BitErrorsOnTheCable : public TwoPorts, public testing::WithParamInterface<ErrorRate>
{
};

TEST_P(BitErrorsOnTheCable, LoseSoManyFrames)
{
    // 40,000 frames of 640 B, which reach into a second codeword from 5119 of 5120 places. The
    // count is binomial: within 4 standard deviations of its mean.
    ErrorRate p = GetParam();
    helper.SetChannelAttribute("BitErrorRate", DoubleValue(p.bitErrorRate));
    helper.SetChannelAttribute("Fec", StringValue(p.fec));
    Build("100Gbps");
    cable->AssignStreams(7);
    constexpr double FRAMES = 40000;
    Enqueue(static_cast<uint32_t>(FRAMES), 3, 640);
    Simulator::Run();
    long double lost = 1 - std::pow(1 - static_cast<long double>(p.bitErrorRate), 5120.0L);
    if (p.n > 0)
    {
        long double symbol = 1 - std::pow(1 - static_cast<long double>(p.bitErrorRate), 10.0L);
        long double word = Tail(p.n, p.t, symbol);
        long double two = 1 - (1 - word) * (1 - word);
        lost = (word + 5119 * two) / 5120;
    }
    auto share = static_cast<double>(lost);
    EXPECT_GT(share, 0.001) << "or the count says nothing";
    EXPECT_NEAR(static_cast<double>(b->GetCounters().lostFrames),
                FRAMES * share,
                4 * std::sqrt(FRAMES * share * (1 - share)));
    EXPECT_EQ(b->GetCounters().lostFrames + atB.arrivals.size(), 40000u);
}

INSTANTIATE_TEST_SUITE_P(Codes,
                         BitErrorsOnTheCable,
                         testing::Values(ErrorRate{"None", 1e-5, 0, 0},
                                         ErrorRate{"None", 1e-6, 0, 0},
                                         ErrorRate{"Kr4", 4e-4, 528, 7},
                                         ErrorRate{"Kp4", 1.5e-3, 544, 15}));

// ---------------------------------------------------------------- in a fabric

/// Three hosts around a switch at 100 Gb/s; host 0 and 1 send to host 2.
class Star : public testing::Test
{
  protected:
    void Build()
    {
        f.fabric.SetBufferAttribute("Size", UintegerValue(300000));
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(4)); // 66 us
        f.BuildStar(3, "100Gbps", NanoSeconds(500));
        f.Post(f.Connect(0, 2), 2000000);
        f.Post(f.Connect(1, 2), 2000000);
    }

    void RunToTheEnd()
    {
        f.Run();
        f.ExpectAllSucceeded(2, 4000000);
        f.ExpectDrained();
    }

    uint64_t DropsBy(DropReason reason)
    {
        uint64_t sum = 0;
        for (uint32_t p = 0; p < 3; ++p)
        {
            sum += Drops(f.Switch()->GetPort(p), reason);
        }
        return sum;
    }

    void At(Time when, std::function<void()> action)
    {
        Simulator::Schedule(when, [action] { action(); });
    }

    FabricFixture f;
};

TEST_F(Star, ALinkThatFailsUnderLoadDropsWhatWaitsThereAndRecovers)
{
    Build();
    At(MicroSeconds(50), [this] {
        uint64_t waiting = f.Switch()->GetPort(2)->GetQueuedBytes();
        EXPECT_GT(waiting, 0u);
        f.Cable(2)->SetUp(false);
        EXPECT_EQ(f.Switch()->GetPort(2)->GetQueuedBytes(), 0u);
        EXPECT_EQ(f.Switch()->GetBuffer()->GetUsedBytes(), 0u) << "all of it was for host 2";
    });
    At(MicroSeconds(80), [this] { f.Cable(2)->SetUp(true); });
    RunToTheEnd();
    EXPECT_GT(DropsBy(DropReason::LINK_DOWN), 0u);
    EXPECT_EQ(f.Switch()->GetFaultDrops(), DropsBy(DropReason::LINK_DOWN));
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_GT(f.Port(2)->GetCounters().lostFrames, 0u);
}

TEST_F(Star, AFlapWhilePausedLeavesNoPauseBehind)
{
    Build();
    At(MicroSeconds(60), [this] {
        EXPECT_TRUE(f.Switch()->IsPausing(0, 3));
        EXPECT_EQ(f.Port(0)->GetPausedClasses(NowSteps()), 1u << 3);
        f.Cable(0)->SetUp(false);
        EXPECT_FALSE(f.Switch()->IsPausing(0, 3));
        EXPECT_EQ(f.Port(0)->GetPausedClasses(NowSteps()), 0u);
    });
    At(MicroSeconds(61), [this] { f.Cable(0)->SetUp(true); });
    RunToTheEnd();
    EXPECT_EQ(f.Drops(), 0u) << "what was still in the way stopped host 0 again at once";
}

TEST_F(Star, AFailureInOneDirectionIsSurvived)
{
    // The ACKs of host 2 are lost for 100 us; nobody is told.
    Build();
    uint32_t fromHost = f.Cable(2)->GetDevice(0) == f.Port(2) ? 0 : 1;
    At(MicroSeconds(50), [this, fromHost] { f.Cable(2)->SetDirectionUp(fromHost, false); });
    At(MicroSeconds(150), [this, fromHost] { f.Cable(2)->SetDirectionUp(fromHost, true); });
    RunToTheEnd();
    EXPECT_GT(f.Switch()->GetPort(2)->GetCounters().lostFrames, 0u);
    EXPECT_EQ(f.Port(2)->GetCounters().lostFrames, 0u);
}

TEST_F(Star, AnEndpointDoesNotSendWhileItsLinkIsDown)
{
    Build();
    At(MicroSeconds(50), [this] { f.Cable(0)->SetUp(false); });
    uint64_t sent = 0;
    At(MicroSeconds(51), [&] { sent = f.Port(0)->GetCounters().txFrames; });
    At(MicroSeconds(99), [&] { EXPECT_EQ(f.Port(0)->GetCounters().txFrames, sent); });
    At(MicroSeconds(100), [this] { f.Cable(0)->SetUp(true); });
    RunToTheEnd();
}

TEST_F(Star, ASwitchThatRestartsForgetsEverything)
{
    Build();
    At(MicroSeconds(50), [this] {
        EXPECT_GT(f.Switch()->GetBuffer()->GetUsedBytes(), 0u);
        f.Switch()->SetRunning(false);
        EXPECT_EQ(f.Switch()->GetBuffer()->GetUsedBytes(), 0u);
        for (uint32_t h = 0; h < 3; ++h)
        {
            EXPECT_FALSE(f.Port(h)->IsLinkUp());
            EXPECT_FALSE(f.Switch()->IsPausing(h, 3));
        }
    });
    At(MicroSeconds(90), [this] {
        f.Switch()->SetRunning(true);
        EXPECT_TRUE(f.Port(0)->IsLinkUp());
    });
    RunToTheEnd();
    EXPECT_GT(DropsBy(DropReason::SWITCH_DOWN), 0u);
    EXPECT_EQ(DropsBy(DropReason::LINK_DOWN), 0u);
}

TEST_F(Star, ALinkThatWasDownBeforeARestartStaysDown)
{
    Build();
    At(MicroSeconds(40), [this] { f.Cable(1)->SetUp(false); });
    At(MicroSeconds(50), [this] { f.Switch()->SetRunning(false); });
    At(MicroSeconds(60), [this] {
        f.Switch()->SetRunning(true);
        EXPECT_TRUE(f.Port(0)->IsLinkUp());
        EXPECT_FALSE(f.Port(1)->IsLinkUp());
    });
    At(MicroSeconds(70), [this] { f.Cable(1)->SetUp(true); });
    RunToTheEnd();
}

TEST_F(Star, ALinkThatIsMendedDuringARestartComesUpWithTheSwitch)
{
    Build();
    At(MicroSeconds(40), [this] { f.Cable(1)->SetUp(false); });
    At(MicroSeconds(50), [this] { f.Switch()->SetRunning(false); });
    At(MicroSeconds(60), [this] {
        f.Cable(1)->SetUp(true);
        EXPECT_FALSE(f.Port(1)->IsLinkUp());
    });
    At(MicroSeconds(70), [this] {
        f.Switch()->SetRunning(true);
        EXPECT_TRUE(f.Port(1)->IsLinkUp());
    });
    RunToTheEnd();
}

// ---------------------------------------------------------------- slow receivers

TEST_F(Link, ASlowReceiverTakesFramesInAtItsRate)
{
    // 1000 B at 10 Gb/s take 800 ns; the first one is there at 580.64 ns.
    helper.SetDeviceAttribute("ReceiveRate", StringValue("10Gbps"));
    Build();
    Enqueue(5, 3, 1000);
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), 5u);
    for (int64_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(atB.arrivals[i].at, PicoSeconds(580640 + (i + 1) * 800000));
    }
}

TEST_F(Link, ASlowReceiverStopsAndOpensAtItsThresholds)
{
    // Frames come every 81.6 ns and leave every 800 ns. The buffer holds more than 10,000 B with
    // frame 11 (one has left by then, at 1380.64 ns): 580.64 + 11 x 81.6 = 1478.24 ns.
    helper.SetDeviceAttribute("ReceiveRate", StringValue("10Gbps"));
    helper.SetDeviceAttribute("ReceiveXoffBytes", UintegerValue(10000));
    helper.SetDeviceAttribute("ReceiveXonBytes", UintegerValue(3000));
    helper.SetDeviceAttribute("PfcSendClasses", UintegerValue(1 << 3));
    Build();
    Enqueue(40, 3, 1000);
    Simulator::Run();
    ASSERT_GE(pauseChanges.size(), 2u);
    EXPECT_EQ(pauseChanges[0].at, PicoSeconds(1478240) + PauseArrives());
    // Frames 0 to 24 have been started by then (24 x 81.6 = 1958.4 < 1984 ns). 3 are left when 22
    // have been taken in: 580.64 + 22 x 800 ns.
    EXPECT_EQ(starts[24].at, PicoSeconds(24 * 81600));
    EXPECT_EQ(pauseChanges[1].at, PicoSeconds(580640 + 22 * 800000) + PauseArrives());
    EXPECT_EQ(atB.arrivals.size(), 40u);
    EXPECT_EQ(b->GetCounters().droppedFrames, 0u);
}

TEST_F(Link, ASlowReceiverDropsWhatDoesNotFit)
{
    // Nobody obeys. 100 frames come within 8.16 us, in which 10 are taken in; of the others 20 fit.
    helper.SetDeviceAttribute("ReceiveRate", StringValue("10Gbps"));
    helper.SetDeviceAttribute("ReceiveBufferBytes", UintegerValue(20000));
    helper.SetDeviceAttribute("ReceiveXoffBytes", UintegerValue(20000));
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(0));
    Build();
    Enqueue(100, 3, 1000);
    Simulator::Run();
    EXPECT_EQ(Drops(b, DropReason::RECEIVE_FULL), 100u - 20 - 10);
    EXPECT_EQ(atB.arrivals.size(), 30u);
}

TEST_F(Link, ASlowReceiverThatRecoversTakesAllInAtOnce)
{
    Build();
    b->SetReceiveRate(DataRate("1Gbps"));
    Enqueue(10, 3, 1000);
    At(MicroSeconds(2), [this] {
        EXPECT_TRUE(atB.arrivals.empty());
        EXPECT_EQ(b->GetReceiveQueueBytes(), 10000u);
        b->SetReceiveRate(DataRate(0));
        EXPECT_EQ(atB.arrivals.size(), 10u);
        Enqueue(1, 3, 1000);
    });
    At(MicroSeconds(3), [this] {
        EXPECT_EQ(atB.arrivals.size(), 11u);
        b->SetReceiveRate(DataRate("1Gbps")); // 8 us a frame; no event of before disturbs it
        Enqueue(1, 3, 1000);
    });
    Simulator::Run();
    EXPECT_EQ(atB.arrivals.back().at, MicroSeconds(3) + PicoSeconds(580640) + MicroSeconds(8));
}

TEST(SlowReceiverDeathTest, ABufferThatCannotHoldTheHeadroomIsRefused)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(
        {
            FabricHelper helper;
            helper.SetDeviceAttribute("ReceiveRate", StringValue("10Gbps"));
            helper.SetDeviceAttribute("ReceiveBufferBytes", UintegerValue(20000));
            NodeContainer nodes(2);
            helper.Install(nodes.Get(0), nodes.Get(1));
        },
        "ReceiveBufferBytes is 20000, but after a pause");
}

TEST(SlowReceiver, BackPressureReachesTheSenderThroughTwoSwitches)
{
    // 16 MB of full frames (4096 B in 4158 B, the first one with a RETH) at 100 Gb/s, taken in at
    // 10 Gb/s of frames. Nothing is lost, and the time is that of the drain.
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(18));
    f.fabric.SetBufferAttribute("Size", UintegerValue(1000000));
    f.BuildChain({"100Gbps", "100Gbps", "100Gbps"}, NanoSeconds(500));
    f.Port(1)->SetAttribute("ReceiveRate", StringValue("10Gbps"));
    constexpr uint64_t MESSAGE = 4096 * 4000;
    f.Post(f.Connect(0, 1), MESSAGE);
    f.Run();
    f.ExpectAllSucceeded(1, MESSAGE);
    f.ExpectDrained();
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(f.Port(1)->GetCounters().droppedFrames, 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    EXPECT_GT(f.Switch(0)->GetPort(0)->GetCounters().pausesSent, 0u);
    EXPECT_GT(f.Port(0)->GetCounters().pausesReceived, 0u);
    double expected = 4000 * 4158 * 8 / 10e9;
    EXPECT_NEAR(TimeStep(f.records[0].end - f.records[0].start).GetSeconds() / expected, 1, 0.01);
}

} // namespace
