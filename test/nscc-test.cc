// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief NSCC of Ultra Ethernet: each branch against an independent script (data/nscc-steps.py),
 * constants by hand, and in a network: a window at the target, fair shares, trimming.
 */

#include "congestion-setup.h"

#include "ns3/frame-trimmer.h"
#include "ns3/nscc-congestion-ops.h"
#include "ns3/nscc-presets.h"
#include "ns3/pointer.h"

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint32_t MTU = 4096;
constexpr uint32_t WIRE = 4202; // SR WRITE: 62 + 24 + 4096, preamble and gap 20

/// @return what a pair at 100 Gb/s with a base round trip of 12 us is told: a is 1
RdmaRateState
Facts()
{
    RdmaRateState facts;
    facts.lineRateBps = 100e9;
    facts.mtuBytes = MTU;
    facts.frameBytes = WIRE;
    facts.baseRttSteps = MicroSeconds(12).GetTimeStep();
    return facts;
}

/// Payload of a BDP: 150000 bytes on the wire, of which each 4202 carry 4096.
constexpr double BDP = 150000.0 * MTU / WIRE;

/// A congestion control under a made-up connection.
class Nscc : public testing::Test
{
  protected:
    void Start(double fairDecrease = 0, double delayGain = 0.0125)
    {
        ops->SetAttribute("FairDecrease", DoubleValue(fairDecrease));
        ops->SetAttribute("DelayGain", DoubleValue(delayGain));
        state = Facts();
        ops->Init(state, 0);
    }

    void Ack(Time now, uint64_t bytes, Time delay, bool marked, uint64_t inFlight = 100000)
    {
        RdmaAckSignal signal{};
        signal.now = now.GetTimeStep();
        signal.ackedBytes = bytes;
        signal.inFlightBytes = inFlight;
        signal.rttSteps = (MicroSeconds(12) + delay).GetTimeStep();
        signal.ecnEcho = marked;
        ops->Acked(state, signal);
    }

    Ptr<NsccCongestionOps> ops{CreateObject<NsccCongestionOps>()};
    RdmaRateState state;
};

// ---------------------------------------------------------------- stepping

TEST_F(Nscc, TakesEachStepAsTheScriptSays)
{
    Start(0.8);
    std::ifstream file(AI_FABRIC_SOURCE_DIR "/test/data/nscc-steps.csv");
    ASSERT_TRUE(file);
    std::string line;
    std::getline(file, line); // names of the columns
    std::map<std::string, int> branches;
    int steps = 0;
    while (std::getline(file, line))
    {
        SCOPED_TRACE(line);
        std::istringstream fields(line);
        std::string kind;
        std::getline(fields, kind, ',');
        int64_t value[6];
        char comma;
        for (int64_t& v : value)
        {
            fields >> v >> comma;
        }
        double window;
        double average;
        std::string branch;
        fields >> window >> comma >> average >> comma >> branch;
        RdmaAckSignal signal{};
        signal.now = value[0];
        signal.ackedBytes = static_cast<uint64_t>(value[1]);
        signal.inFlightBytes = static_cast<uint64_t>(value[2]);
        signal.rttSteps = value[3];
        signal.endpointSteps = value[4];
        signal.ecnEcho = value[5] != 0;
        if (kind == "ack")
        {
            ops->Acked(state, signal);
        }
        else if (kind == "trim")
        {
            ops->Trimmed(state, signal);
        }
        else if (kind == "nak")
        {
            ops->NakReceived(state, signal.now);
        }
        else
        {
            ASSERT_EQ(kind, "timeout");
            ops->TimedOut(state, signal.now);
        }
        ASSERT_NEAR(ops->GetWindow(), window, 1e-5);
        ASSERT_NEAR(ops->GetAverageDelay(), average, 1e-5);
        ASSERT_EQ(state.windowBytes, static_cast<uint64_t>(ops->GetWindow()));
        ++branches[branch.substr(0, branch.find('+'))];
        ++steps;
    }
    EXPECT_EQ(steps, 84);
    for (const char* branch : {"proportional",
                               "fast",
                               "fair-increase",
                               "fair-decrease",
                               "decrease",
                               "held-decrease",
                               "quick",
                               "lost",
                               "timeout"})
    {
        EXPECT_GT(branches[branch], 0) << branch;
    }
}

// ---------------------------------------------------------------- constants, by hand

TEST_F(Nscc, StartsWithOneAndAHalfBdpAndTheSpecificationsTarget)
{
    Start();
    EXPECT_NEAR(ops->GetWindow(), 1.5 * BDP, 1e-3);
    EXPECT_DOUBLE_EQ(ops->GetTargetDelay(), 9e6); // 0.75 of 12 us
    EXPECT_DOUBLE_EQ(state.rateBps, 100e9);
    EXPECT_TRUE(ops->GetFeedback().ecnEcho);
    EXPECT_FALSE(ops->GetFeedback().cnp);

    ops->SetAttribute("Trimming", BooleanValue(false));
    Start();
    EXPECT_DOUBLE_EQ(ops->GetTargetDelay(), 12e6);
    ops->SetAttribute("TargetQueueDelay", TimeValue(MicroSeconds(6)));
    Start();
    EXPECT_DOUBLE_EQ(ops->GetTargetDelay(), 6e6);
}

TEST_F(Nscc, FairIncreaseAddsFiveFramesARoundTrip)
{
    ops->SetAttribute("Eta", DoubleValue(0));
    Start();
    Ack(MicroSeconds(1), 0, Time(0), false); // quick adapt starts to look
    for (int i = 0; i < 20; ++i)
    {
        RdmaAckSignal trimmed{};
        trimmed.now = MicroSeconds(2).GetTimeStep();
        ops->Trimmed(state, trimmed); // well below the largest window
    }
    double window = ops->GetWindow();
    EXPECT_NEAR(window, 1.5 * BDP - 20.0 * MTU, 1e-3);
    // A window's worth of bytes, in steps of 9 frames, each of which is put in force.
    double expected = window;
    int64_t now = 3;
    for (double bytes = 0; bytes < window; bytes += 9 * MTU)
    {
        Ack(MicroSeconds(now++), 9 * MTU, MicroSeconds(20), false);
        expected += 5.0 * MTU * 9 * MTU / expected;
    }
    EXPECT_NEAR(ops->GetWindow(), expected, 1e-3);
    EXPECT_NEAR(ops->GetWindow() - window, 5.0 * MTU, 1.5 * MTU);
}

TEST_F(Nscc, ProportionalIncreaseVanishesAtTheTarget)
{
    ops->SetAttribute("Eta", DoubleValue(0));
    Start();
    RdmaAckSignal trimmed{};
    trimmed.now = 1;
    ops->Trimmed(state, trimmed);
    double window = ops->GetWindow();
    Ack(MicroSeconds(1), 9 * MTU, NanoSeconds(8999), false);
    // 4 frames a round trip and 12 us below the target: here 1 ns below it.
    EXPECT_NEAR(ops->GetWindow() - window, 4.0 * MTU / 12000 * 9 * MTU / window, 1e-6);
}

TEST_F(Nscc, DecreasesByHalfAtMostAndOnceARoundTrip)
{
    Start(0, 1); // the average is the last delay
    double window = ops->GetWindow();
    Ack(MicroSeconds(1), MTU, MicroSeconds(30), true);
    EXPECT_NEAR(ops->GetWindow(), window / 2, 1e-6); // 0.8 (30 - 9) / 30 = 0.56
    Ack(MicroSeconds(10), MTU, MicroSeconds(30), true);
    EXPECT_NEAR(ops->GetWindow(), window / 2, 1e-6);
    Ack(MicroSeconds(13), MTU, MicroSeconds(12), true); // 12 us since: not more
    EXPECT_NEAR(ops->GetWindow(), window / 2 + 0.15 * MTU, 1e-6);
    double before = ops->GetWindow();
    Ack(NanoSeconds(13001), MTU, MicroSeconds(12), true);
    EXPECT_NEAR(ops->GetWindow(), before * (1 - 0.8 * (12.0 - 9) / 12), 1e-6);
}

TEST_F(Nscc, LeavesTheWindowAtAMarkWithoutDelay)
{
    ops->SetAttribute("Eta", DoubleValue(0));
    Start();
    Ack(MicroSeconds(1), MTU, MicroSeconds(3), true);
    EXPECT_NEAR(ops->GetWindow(), 1.5 * BDP, 1e-3);
    Start(0.5);
    Ack(MicroSeconds(1), MTU, MicroSeconds(3), true);
    EXPECT_NEAR(ops->GetWindow(), 1.5 * BDP - 0.5 * MTU * 1.5, 1e-3);
}

TEST_F(Nscc, NeverGoesBelowAFrame)
{
    Start();
    for (int i = 0; i < 100; ++i)
    {
        ops->TimedOut(state, i);
    }
    EXPECT_EQ(state.windowBytes, MTU);
}

TEST(NsccPresets, ScaleTheirMarksWithTheLineRate)
{
    for (const CongestionPreset& preset : NsccPresets(DataRate("400Gbps")))
    {
        ASSERT_TRUE(preset.marking);
        EXPECT_EQ(preset.marking->kminBytes, 120000u); // 0.2 of 400 Gb/s 12 us = 600 kB
        EXPECT_EQ(preset.marking->kmaxBytes, 480000u);
        EXPECT_EQ(preset.ops.GetTypeId().GetName(), "ns3::NsccCongestionOps");
    }
}

// ---------------------------------------------------------------- in a network

/// Flows through one port of a star of 100 Gb/s.
class NsccFabric : public testing::Test
{
  protected:
    void Build(uint32_t senders, bool trims)
    {
        rtt = StarRoundTrip(DataRate("100Gbps"), DELAY, MTU);
        UseCongestionControl(f, "nscc", DataRate("100Gbps"), rtt);
        f.fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(trims ? 0 : 1 << 3));
        if (trims)
        {
            trimmer = CreateObject<FrameTrimmer>();
            f.fabric.SetSwitchAttribute("FrameTrimmer", PointerValue(trimmer));
            f.fabric.SetBufferAttribute("Size", UintegerValue(1 << 20));
        }
        f.rdma.SetReliability("ns3::SelectiveRepeat");
        for (const char* timer : {"LongTimeout", "ShortTimeout"})
        {
            f.rdma.SetReliabilityAttribute(timer, TimeValue(MilliSeconds(4)));
        }
        receiver = senders;
        f.BuildStar(senders + 1, "100Gbps", DELAY);
    }

    static constexpr int64_t DELAY_NS = 2500;
    const Time DELAY = NanoSeconds(DELAY_NS);
    FabricFixture f;
    Time rtt;
    Ptr<FrameTrimmer> trimmer;
    uint32_t receiver{0};
};

TEST_F(NsccFabric, SharesALinkFairlyAndFillsIt)
{
    constexpr uint32_t SENDERS = 4;
    Build(SENDERS, false);
    std::vector<Connection> connections;
    for (uint32_t h = 0; h < SENDERS; ++h)
    {
        connections.push_back(f.Connect(h, receiver));
        f.Post(connections.back(), 1 << 30);
    }
    std::vector<double> from(SENDERS);
    auto acked = [&](uint32_t h) {
        const RdmaRequester& requester = connections[h].a->GetRequester();
        return static_cast<double>(requester.GetWindow().acked) * MTU;
    };
    Simulator::Schedule(MilliSeconds(5), [&] {
        for (uint32_t h = 0; h < SENDERS; ++h)
        {
            from[h] = acked(h);
        }
    });
    Simulator::Stop(MilliSeconds(45));
    f.Run();
    double sum = 0;
    double squares = 0;
    for (uint32_t h = 0; h < SENDERS; ++h)
    {
        double bytes = acked(h) - from[h];
        sum += bytes;
        squares += bytes * bytes;
    }
    // Jain's index. On a single path shares wander: whoever sends most hears of short delays first.
    EXPECT_GT(sum * sum / (SENDERS * squares), 0.95);
    double full = 100e9 / 8 * 40e-3 * MTU / WIRE;
    EXPECT_GT(sum, 0.97 * full);
    EXPECT_LE(sum, 1.001 * full);
    EXPECT_EQ(f.Drops(), 0u);
    // The queue is at the target: increases stop there, and decreases begin.
    for (const Connection& c : connections)
    {
        auto nscc = DynamicCast<NsccCongestionOps>(c.a->GetPacer().GetOps());
        EXPECT_NEAR(nscc->GetAverageDelay(), nscc->GetTargetDelay(), 0.2 * nscc->GetTargetDelay());
        EXPECT_NEAR(nscc->GetTargetDelay(), 0.75 * rtt.GetTimeStep(), 1);
    }
}

TEST_F(NsccFabric, DoesNotDrownALinkInHeaders)
{
    // 15 senders that repeated whatever is trimmed at once, whatever their window, would keep 1.5
    // Tb/s of frames coming: 1.5 Tb/s 102 / 1130 of headers alone are more than the link takes.
    f.rdma.SetQueuePairAttribute("Mtu", UintegerValue(1024));
    Build(15, true);
    constexpr int64_t FRAMES = 2000;
    for (uint32_t h = 0; h < receiver; ++h)
    {
        f.Post(f.Connect(h, receiver), FRAMES * 1024);
    }
    Simulator::Stop(MilliSeconds(100));
    f.Run();
    f.ExpectAllSucceeded(15, 15 * FRAMES * 1024);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    const int64_t least = 15 * FRAMES * (62 + 24 + 1024 + 20) * 80;
    EXPECT_LT(f.records.back().end, least * 3 / 2);
}

TEST_F(NsccFabric, GetsAnIncastThroughASmallBufferThatTrims)
{
    Build(16, true);
    constexpr uint64_t BYTES = 256 * MTU;
    for (uint32_t h = 0; h < receiver; ++h)
    {
        f.Post(f.Connect(h, receiver), BYTES);
    }
    f.Run();
    f.ExpectAllSucceeded(16, 16 * BYTES);
    f.ExpectDrained();
    EXPECT_GT(trimmer->GetTrimmedFrames(), 0u);
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    int64_t end = 0;
    for (const MessageRecord& record : f.records)
    {
        end = std::max(end, record.end);
    }
    // At least the payload's time, 80 ps a byte on the wire; and not a quarter more.
    const int64_t least = int64_t{16} * 256 * WIRE * 80;
    EXPECT_GT(end, least);
    EXPECT_LT(end, least * 5 / 4);
}

} // namespace
