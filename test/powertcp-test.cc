// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief PowerTCP and theta-PowerTCP: each step against an independent computation
 * (data/powertcp-steps.py), the parameter sets against their sources, and in a fabric the fixed
 * point's queue, fairness, and what one flow gets.
 */

#include "int-steps.h"
#include "long-incast.h"

#include "ns3/congestion-presets.h"
#include "ns3/powertcp-congestion-ops.h"
#include "ns3/theta-powertcp-congestion-ops.h"

using namespace ns3;

namespace
{

// ---------------------------------------------------------------- steps

TEST(PowerTcpSteps, AreThoseOfTheIndependentComputation)
{
    uint32_t cases = 0;
    uint32_t steps = 0;
    for (const IntCase& c : ReadIntCases("powertcp-steps.csv"))
    {
        SCOPED_TRACE(c.name);
        IntSender sender(c);
        auto power = DynamicCast<PowerTcpCongestionOps>(sender.ops);
        ASSERT_TRUE(power);
        for (size_t i = 0; i < c.steps.size(); ++i)
        {
            SCOPED_TRACE("step " + std::to_string(i));
            const IntStep& step = c.steps[i];
            sender.Answer(step);
            EXPECT_NEAR(sender.state.rateBps, step.expected[0], 1e-9 * step.expected[0]);
            EXPECT_NEAR(static_cast<double>(sender.state.windowBytes), step.expected[1], 1);
            EXPECT_NEAR(power->GetPower(), step.expected[2], 1e-9 * step.expected[2]);
            EXPECT_NEAR(power->GetOldWindow(), step.expected[3], 1e-9 * step.expected[3]);
            ++steps;
        }
        ++cases;
    }
    EXPECT_EQ(cases, 4u);
    EXPECT_GT(steps, 4 * 20u);
}

TEST(PowerTcpFeedback, IsTelemetryOrNone)
{
    auto power = CreateObject<PowerTcpCongestionOps>();
    EXPECT_EQ(power->GetName(), "powertcp");
    EXPECT_FALSE(power->GetFeedback().cnp);
    EXPECT_EQ(power->GetFeedback().telemetry, TelemetryFormat::HPCC);
    auto theta = CreateObject<ThetaPowerTcpCongestionOps>();
    EXPECT_EQ(theta->GetName(), "theta-powertcp");
    EXPECT_FALSE(theta->GetFeedback().cnp);
    EXPECT_EQ(theta->GetFeedback().telemetry, TelemetryFormat::NONE);
}

TEST(PowerTcpPresets, AreThoseOfTheirSources)
{
    auto parameter = [](const std::string& algorithm, const char* set, const char* name) {
        ObjectFactory ops = GetCongestionPreset(algorithm, set, DataRate("100Gbps")).ops;
        StringValue value;
        ops.Create<RdmaCongestionOps>()->GetAttribute(name, value);
        return value.Get();
    };
    for (const char* algorithm : {"powertcp", "theta-powertcp"})
    {
        EXPECT_EQ(GetCongestionPresetNames(algorithm).size(), 2u);
        EXPECT_EQ(parameter(algorithm, "paper", "Gamma"), "0.9");
        EXPECT_EQ(parameter(algorithm, "paper", "TargetPower"), "1");
        // rdma-hw.cc of ns3-datacenter adds 150 Mb/s.
        EXPECT_EQ(parameter(algorithm, "powertcp-simulator", "BetaRate"), "150000000bps");
    }
    EXPECT_EQ(parameter("powertcp", "powertcp-simulator", "TargetPower"), "0.95");
    EXPECT_EQ(parameter("theta-powertcp", "powertcp-simulator", "TargetPower"), "1.05");
    EXPECT_EQ(parameter("theta-powertcp", "powertcp-simulator", "Gamma"), "0.7");
}

// ---------------------------------------------------------------- in a fabric

constexpr uint32_t MTU = 1000;
const char* const RATE = "100Gbps";
constexpr double BYTES_PER_SECOND = 1e11 / 8;
const Time DELAY = NanoSeconds(2500);
constexpr uint32_t EXPECTED_FLOWS = 10;

/// One of the two algorithms.
struct PowerKind
{
    const char* name;
    uint64_t baseBytes; ///< of telemetry
    uint64_t hopBytes;  ///< likewise
};

const PowerKind BY_TELEMETRY{"powertcp", 2, 8};
const PowerKind BY_DELAY{"theta-powertcp", 0, 0};

LongIncast
Incast(const PowerKind& kind, uint32_t flows)
{
    LongIncast incast;
    incast.ops = GetCongestionPreset(kind.name, "paper", DataRate(RATE)).ops;
    incast.flows = flows;
    incast.rate = RATE;
    incast.mtu = MTU;
    incast.delay = DELAY;
    incast.baseRtt = StarRoundTrip(RATE, MTU, kind.baseBytes, kind.hopBytes, DELAY);
    incast.stagger = MicroSeconds(20);
    incast.settled = MilliSeconds(2);
    incast.end = MilliSeconds(4);
    return incast;
}

/**
 * The fixed point of the control law, window = window/power + beta, in frames of the queue. There,
 * in bytes on the wire, the windows of all flows hold what is under way: sent at the bottleneck's
 * rate in one round trip. A queue pair sends while less than its window is in flight, so up to a
 * frame more is.
 * @param kind which power
 * @param flows N
 * @param overshoot frames that each flow has in flight beyond its window, 0 to 1
 * @return bytes of the queue
 */
double
FixedPointQueue(const PowerKind& kind, uint32_t flows, double overshoot)
{
    double tau = StarRoundTrip(RATE, MTU, kind.baseBytes, kind.hopBytes, DELAY).GetSeconds();
    double stored = bytes::ROCE + MTU + static_cast<double>(kind.baseBytes);
    double sent = stored + static_cast<double>(kind.hopBytes);
    double pacedSlot = stored + bytes::PREAMBLE + bytes::GAP; // what a window counts
    double slot = sent + bytes::PREAMBLE + bytes::GAP;
    double beta = BYTES_PER_SECOND * tau / EXPECTED_FLOWS;
    double low = 0;
    double high = 1e6;
    for (int i = 0; i < 100; ++i)
    {
        double frames = (low + high) / 2;
        double roundTrip = tau + frames * slot / BYTES_PER_SECOND;
        double underWay = roundTrip * BYTES_PER_SECOND / slot;
        double windows = (underWay - overshoot * flows) * pacedSlot;
        double power = kind.hopBytes == 0
                           ? roundTrip / tau
                           : sent / slot * (frames * stored / (BYTES_PER_SECOND * tau) + 1);
        (windows * (1 - 1 / power) > beta * flows ? high : low) = frames;
    }
    return low * stored;
}

class PowerTcpIncast : public testing::TestWithParam<std::tuple<const PowerKind*, uint32_t>>
{
};

TEST_P(PowerTcpIncast, HasTheQueueOfTheFixedPointAndIsFair)
{
    // The paper's equilibrium (theorem 1): a queue of the sum of all beta. What frames have beside
    // payload makes it a little more; see FixedPointQueue.
    const PowerKind& kind = *std::get<0>(GetParam());
    uint32_t flows = std::get<1>(GetParam());
    SettledIncast settled = RunLongIncast(Incast(kind, flows));
    double least = FixedPointQueue(kind, flows, 0);
    double most = FixedPointQueue(kind, flows, 1);
    RecordProperty("meanQueue", std::to_string(settled.meanQueue));
    RecordProperty("least", std::to_string(least));
    RecordProperty("most", std::to_string(most));
    EXPECT_GT(settled.meanQueue, 0.9 * least); // it swings by some frames of a few dozen
    EXPECT_LT(settled.meanQueue, 1.1 * most);
    EXPECT_GT(settled.jain, 0.98);
    EXPECT_EQ(settled.pauses, 0u);
    double sent = bytes::ROCE + MTU + static_cast<double>(kind.baseBytes + kind.hopBytes);
    EXPECT_NEAR(settled.txShare, sent / (sent + bytes::PREAMBLE + bytes::GAP), 0.001);
}

INSTANTIATE_TEST_SUITE_P(KindsAndFlows,
                         PowerTcpIncast,
                         testing::Combine(testing::Values(&BY_TELEMETRY, &BY_DELAY),
                                          testing::Values(2u, 4u, 8u, 16u)));

TEST(PowerTcpAlone, FillsTheLinkWithoutAQueue)
{
    // No window is above a round trip at line rate.
    for (const PowerKind* kind : {&BY_TELEMETRY, &BY_DELAY})
    {
        SettledIncast settled = RunLongIncast(Incast(*kind, 1));
        double sent = bytes::ROCE + MTU + static_cast<double>(kind->baseBytes + kind->hopBytes);
        EXPECT_GT(settled.txShare, 0.99 * sent / (sent + bytes::PREAMBLE + bytes::GAP));
        EXPECT_LE(settled.maxQueue, 3 * sent);
    }
}

} // namespace
