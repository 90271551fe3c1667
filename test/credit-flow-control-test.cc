// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Credit flow control: throughput by buffer and round trip, stall time, a buffer that never
 * overflows, lost credits and lost frames, wrapping counters.
 */

#include "two-ports.h"

#include "ns3/credit-flow-control.h"
#include "ns3/random-variable-stream.h"

#include <deque>

using namespace ns3;

namespace
{

constexpr uint32_t FRAME = 4096; ///< 64 blocks of 64 B
constexpr uint32_t CREDIT = 16;
constexpr int64_t DELAY_PS = 500'000;
constexpr int64_t BYTE_PS = 20; ///< 400 Gb/s

/// Has frames of one class without end, or so many, and counts what is pulled.
class Source : public FabricPortOwner
{
  public:
    explicit Source(uint64_t frames)
        : left(frames)
    {
    }

    void ReceiveFrame(FabricNetDevice&, FramePtr) override
    {
    }

    uint8_t ReadyClasses(FabricNetDevice&, int64_t) override
    {
        return left > 0 ? 1U << 3 : 0;
    }

    FramePtr PullFrame(FabricNetDevice&, uint32_t trafficClass, int64_t) override
    {
        ++pulled;
        if (left == 0)
        {
            return nullptr;
        }
        --left;
        FramePtr frame = FabricFrame::Create();
        frame->trafficClass = static_cast<uint8_t>(trafficClass);
        frame->sizeBytes = FRAME;
        return frame;
    }

    int64_t NextReadyTime(FabricNetDevice&, int64_t now, uint8_t closed) override
    {
        return left > 0 && !(closed & (1U << 3)) ? now : NEVER;
    }

    uint64_t left;
    uint64_t pulled{0};
};

/// Keeps each frame for a random while.
class Keeper : public FabricPortOwner
{
  public:
    Keeper(Ptr<UniformRandomVariable> chance, int64_t longestPs)
        : m_chance(chance),
          m_longest(longestPs)
    {
    }

    void ReceiveFrame(FabricNetDevice& port, FramePtr frame) override
    {
        uint32_t c = frame->trafficClass;
        uint32_t bytes = frame->sizeBytes;
        held[c] += bytes;
        most[c] = std::max(most[c], held[c]);
        ++received;
        Simulator::Schedule(TimeStep(static_cast<int64_t>(m_chance->GetValue(0, 1) * m_longest)),
                            [this, &port, c, bytes] {
                                held[c] -= bytes;
                                port.MemoryFreed(c);
                            });
    }

    uint64_t HeldBytes(FabricNetDevice&, uint32_t trafficClass) override
    {
        return held[trafficClass];
    }

    std::array<uint64_t, 8> held{};
    std::array<uint64_t, 8> most{};
    uint64_t received{0};

  private:
    Ptr<UniformRandomVariable> m_chance;
    double m_longest;
};

/// Two ports that go by credits, without preamble and gap.
class Credits : public TwoPorts
{
  protected:
    void BuildCredits(uint64_t bufferBytes, uint64_t updateBytes = FRAME)
    {
        helper.SetDeviceAttribute("FlowControl", StringValue("Credits"));
        helper.SetDeviceAttribute("CreditBufferBytes", UintegerValue(bufferBytes));
        helper.SetDeviceAttribute("CreditUpdateBytes", UintegerValue(updateBytes));
        helper.SetDeviceAttribute("CreditMaxFrameBytes", UintegerValue(FRAME));
        helper.SetDeviceAttribute("Preamble", UintegerValue(0));
        helper.SetDeviceAttribute("InterFrameGap", UintegerValue(0));
        Build("400Gbps");
    }
};

/// From the start of a frame until its credit is back.
constexpr int64_t LOOP_PS = (FRAME + CREDIT) * BYTE_PS + 2 * DELAY_PS;

class CreditsByBuffer : public Credits, public testing::WithParamInterface<uint64_t>
{
};

} // namespace

TEST_P(CreditsByBuffer, ThroughputIsTheBufferOverTheRoundTripAndNoMoreThanTheLink)
{
    uint64_t k = GetParam(); // frames that the buffer holds
    BuildCredits(k * FRAME);
    constexpr uint64_t N = 3000;
    Source source(N);
    a->SetOwner(&source);
    a->Kick();
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), N);
    double seconds = (atB.arrivals.back().at - atB.arrivals.front().at).GetSeconds();
    double rate = static_cast<double>(N - 1) * FRAME * 8 / seconds;
    double expected = std::min(400e9, static_cast<double>(k) * FRAME * 8e12 / LOOP_PS);
    EXPECT_NEAR(rate, expected, 0.01 * expected) << k;
    EXPECT_EQ(source.pulled, N) << "a port without credit is not pulled";
    EXPECT_EQ(a->GetCounters().creditsReceived, b->GetCounters().creditsSent);
}

INSTANTIATE_TEST_SUITE_P(Frames,
                         CreditsByBuffer,
                         testing::Values(1, 2, 3, 5, 8, 12, 13, 14, 16, 32));

TEST_F(Credits, StallTimeIsWhatTheRoundTripLeaves)
{
    constexpr int64_t K = 4;
    constexpr int64_t ROUNDS = 50;
    BuildCredits(K * FRAME);
    std::vector<bool> states;
    a->TraceConnectWithoutContext("CreditState",
                                  Callback<void, uint32_t, bool>([&](uint32_t c, bool out) {
                                      EXPECT_EQ(c, 3u);
                                      states.push_back(out);
                                  }));
    Source source(K * ROUNDS);
    a->SetOwner(&source);
    a->Kick();
    Simulator::Run();
    // K frames, and then nothing until the first one's credit is back; and so the last time.
    EXPECT_EQ(a->PausedSteps(3, NowSteps()), ROUNDS * (LOOP_PS - K * FRAME * BYTE_PS));
    EXPECT_EQ(atB.arrivals.back().at.GetPicoSeconds(),
              (ROUNDS - 1) * LOOP_PS + K * FRAME * BYTE_PS + DELAY_PS);
    EXPECT_FALSE(states.empty());
    EXPECT_FALSE(states.back());
    EXPECT_TRUE(pauseChanges.empty()) << "that is PFC's";
    EXPECT_EQ(a->GetCounters().pausesReceived, 0u);
}

TEST_F(Credits, OtherClassesAreNotHeld)
{
    BuildCredits(FRAME);
    Enqueue(10, 3, FRAME);
    Enqueue(10, 5, FRAME);
    Simulator::Run();
    EXPECT_EQ(atB.BytesOf(3), 10u * FRAME);
    EXPECT_EQ(atB.BytesOf(5), 10u * FRAME);
    // Class 5 goes whenever class 3 waits: the link is busy until they are through.
    Time last;
    for (const auto& entry : atB.arrivals)
    {
        last = entry.trafficClass == 5 ? entry.at : last;
    }
    EXPECT_LE(last.GetPicoSeconds(), 12 * FRAME * BYTE_PS + DELAY_PS);
}

TEST_F(Credits, CreditFramesAreAsFewAsTheThresholdAllows)
{
    BuildCredits(64 * FRAME, 16 * FRAME);
    Source source(1600);
    a->SetOwner(&source);
    a->Kick();
    Simulator::Run();
    EXPECT_EQ(b->GetCounters().creditsSent, 100u); // 1600 / 16
    EXPECT_EQ(a->PausedSteps(3, NowSteps()), 0);
}

TEST_F(Credits, ALostCreditIsRepairedByTheNextOneOrTheRefresh)
{
    helper.SetDeviceAttribute("CreditRefresh", TimeValue(MicroSeconds(5)));
    BuildCredits(2 * FRAME);
    uint64_t credits = 0;
    LoseIf([&](const FabricFrame& frame) {
        return frame.kind == FrameKind::LINK_CREDIT && ++credits % 3 != 0; // two of three
    });
    Source source(200);
    a->SetOwner(&source);
    a->Kick();
    Simulator::Run();
    EXPECT_EQ(atB.arrivals.size(), 200u);
}

TEST_F(Credits, ALostFrameIsNotMissedForEver)
{
    helper.SetDeviceAttribute("CreditRefresh", TimeValue(MicroSeconds(5)));
    BuildCredits(2 * FRAME);
    uint64_t frames = 0;
    LoseIf([&](const FabricFrame& frame) {
        return !frame.IsOfLink() && ++frames % 2 == 0; // every second one
    });
    Source source(200);
    a->SetOwner(&source);
    a->Kick();
    Simulator::Run();
    EXPECT_EQ(source.left, 0u); // without FCTBS two lost frames would be the end
    EXPECT_EQ(atB.arrivals.size(), 100u);
}

TEST_F(Credits, ALinkThatComesUpAgainStartsAfresh)
{
    BuildCredits(2 * FRAME);
    Source source(100);
    a->SetOwner(&source);
    a->Kick();
    At(MicroSeconds(5), [&] { cable->SetUp(false); });
    At(MicroSeconds(7), [&] { cable->SetUp(true); });
    Simulator::Run();
    EXPECT_EQ(source.left, 0u);
    EXPECT_GE(atB.arrivals.size(), 97u); // but for what was on the cable
}

TEST_F(Credits, TheBufferNeverOverflowsAndEverythingArrives)
{
    for (uint32_t seed = 1; seed <= 60; ++seed)
    {
        auto chance = CreateObject<UniformRandomVariable>();
        chance->SetStream(seed);
        auto pick = [&](uint64_t least, uint64_t most) { return chance->GetInteger(least, most); };
        FabricHelper fabric;
        const uint32_t largest = pick(64, 9000);
        const uint32_t block = 1U << pick(0, 7);
        const uint64_t buffer = largest + block + pick(0, 20) * largest;
        fabric.SetDeviceAttribute("DataRate",
                                  DataRateValue(DataRate(pick(1, 800) * 1'000'000'000)));
        fabric.SetDeviceAttribute("FlowControl", StringValue("Credits"));
        fabric.SetDeviceAttribute("CreditClasses", UintegerValue(0x0f));
        fabric.SetDeviceAttribute("CreditBlockBytes", UintegerValue(block));
        fabric.SetDeviceAttribute("CreditCounterBits",
                                  UintegerValue(block >= 64 ? 12 + pick(0, 4) : 16));
        fabric.SetDeviceAttribute("CreditBufferBytes",
                                  UintegerValue(std::min<uint64_t>(buffer, block * 2048)));
        fabric.SetDeviceAttribute("CreditMaxFrameBytes",
                                  UintegerValue(std::min<uint64_t>(largest, block * 1024)));
        fabric.SetDeviceAttribute("CreditUpdateBytes", UintegerValue(pick(0, 3) * largest));
        fabric.SetChannelAttribute("Delay", TimeValue(NanoSeconds(pick(0, 2000))));
        NodeContainer nodes(2);
        NetDeviceContainer devices = fabric.Install(nodes.Get(0), nodes.Get(1));
        auto sender = DynamicCast<FabricNetDevice>(devices.Get(0));
        auto receiver = DynamicCast<FabricNetDevice>(devices.Get(1));
        Keeper keeper(chance, static_cast<int64_t>(pick(0, 5'000'000)));
        Keeper nobody(chance, 0);
        sender->SetOwner(&nobody);
        receiver->SetOwner(&keeper);
        const uint64_t most = std::min<uint64_t>(largest, block * 1024);
        for (uint32_t i = 0; i < 500; ++i)
        {
            FramePtr frame = FabricFrame::Create();
            frame->trafficClass = static_cast<uint8_t>(pick(0, 3));
            frame->sizeBytes = static_cast<uint32_t>(pick(1, most));
            sender->Enqueue(frame);
        }
        Simulator::Run();
        EXPECT_EQ(keeper.received, 500u) << seed;
        for (uint32_t c = 0; c < 4; ++c)
        {
            EXPECT_LE(keeper.most[c], receiver->GetCreditBufferBytes()) << seed;
            EXPECT_EQ(keeper.held[c], 0u) << seed;
        }
        Simulator::Destroy();
    }
}

TEST_F(Credits, ASlowReceiverSetsThePace)
{
    helper.SetDeviceAttribute("ReceiveRate", StringValue("100Gbps"));
    BuildCredits(32 * FRAME);
    Source source(1000);
    a->SetOwner(&source);
    a->Kick();
    Simulator::Run();
    ASSERT_EQ(atB.arrivals.size(), 1000u);
    EXPECT_EQ(b->GetCounters().droppedFrames, 0u);
    EXPECT_EQ(b->GetCounters().pausesSent, 0u);
    // The first frame's way, then each at 80 ps a byte.
    EXPECT_EQ(atB.arrivals.back().at.GetPicoSeconds(),
              FRAME * BYTE_PS + DELAY_PS + 1000 * FRAME * int64_t{80});
}

TEST_F(Credits, AFrameOfCreditsCanBeReadAgain)
{
    FramePtr frame = FabricFrame::Create();
    frame->kind = FrameKind::LINK_CREDIT;
    frame->pauseClasses = 0x09;
    frame->sentBlocks = {1, 0, 0, 4095, 0, 0, 0, 0};
    frame->creditLimits = {65535, 0, 0, 2048, 0, 0, 0, 0};
    FramePtr read = FabricFrame::FromPacket(frame->ToPacket());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, FrameKind::LINK_CREDIT);
    EXPECT_EQ(read->pauseClasses, 0x09);
    EXPECT_EQ(read->sentBlocks, frame->sentBlocks);
    EXPECT_EQ(read->creditLimits, frame->creditLimits);
}

TEST(CreditConfig, WhatCannotWorkIsRefusedWithTheFigures)
{
    CreditFlowControl::Config config;
    config.maxFrameBytes = 4096;
    config.bufferBytes = 4095;
    EXPECT_NE(CreditFlowControl::Check(config).find("CreditBufferBytes is 4095"),
              std::string::npos);
    config.bufferBytes = 4096;
    EXPECT_EQ(CreditFlowControl::Check(config), "");
    config.counterBits = 12; // InfiniBand: at most 2048 blocks of 64 B
    config.bufferBytes = 2048 * 64;
    EXPECT_EQ(CreditFlowControl::Check(config), "");
    config.bufferBytes += 64;
    EXPECT_NE(CreditFlowControl::Check(config).find("12 bits allow at most 2048"),
              std::string::npos);
}
