// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief TIMELY and Patched TIMELY: each step against an independent script, the parameter sets
 * against their sources, and the fixed point of Patched TIMELY in a fabric.
 */

#include "congestion-steps.h"
#include "long-flows.h"

#include "ns3/congestion-presets.h"
#include "ns3/patched-timely-congestion-ops.h"
#include "ns3/timely-congestion-ops.h"
#include "ns3/timely-presets.h"

using namespace ns3;

namespace
{

TEST(Timely, StepsLikeTheScript)
{
    CongestionSteps steps;
    steps.Check("timely-steps.csv");
    EXPECT_EQ(steps.GetSequences(), 9u);
    EXPECT_EQ(steps.GetSignals(), 221u);
}

/// Algorithm 1 by hand: 10 Gb/s, minRTT 20 us, alpha 7/8, beta 0.8, events at 60, 62, 40 us.
TEST(Timely, ThreeEventsByHand)
{
    auto ops = CreateObject<TimelyCongestionOps>();
    RdmaRateState state;
    state.lineRateBps = 10e9;
    ops->Init(state, 0);
    RdmaAckSignal signal{};
    signal.ackedBytes = 16384;
    signal.rttSteps = MicroSeconds(60).GetTimeStep();
    ops->Acked(state, signal);
    EXPECT_EQ(state.rateBps, 10e9);
    signal.rttSteps = MicroSeconds(62).GetTimeStep();
    ops->Acked(state, signal);
    EXPECT_NEAR(ops->GetGradient(), 0.0875, 1e-15); // 7/8 x 2 us / 20 us
    EXPECT_NEAR(state.rateBps, 9.3e9, 1e-3);        // x (1 - 0.8 x 0.0875)
    signal.rttSteps = MicroSeconds(40).GetTimeStep();
    ops->Acked(state, signal);
    EXPECT_NEAR(state.rateBps, 9.31e9, 1e-3); // + 10 Mb/s
}

/// Neither wants CNPs, echoed marks or telemetry.
TEST(Timely, NeedsOnlyTimeStamps)
{
    for (const char* type : {"ns3::TimelyCongestionOps", "ns3::PatchedTimelyCongestionOps"})
    {
        RdmaFeedback feedback = ObjectFactory(type).Create<RdmaCongestionOps>()->GetFeedback();
        EXPECT_FALSE(feedback.cnp);
        EXPECT_FALSE(feedback.ecnEcho);
        EXPECT_EQ(feedback.telemetry, TelemetryFormat::NONE);
        EXPECT_FALSE(feedback.credit);
    }
}

/// @param preset a set @param name of an attribute @return its value, as text
std::string
ValueOf(const CongestionPreset& preset, const std::string& name)
{
    StringValue value;
    preset.ops.Create()->GetAttribute(name, value);
    return value.Get();
}

TEST(Timely, PresetsHaveTheirSourcesValues)
{
    DataRate rate("100Gbps");
    CongestionPreset paper = TimelyPresets(rate).at(0);
    EXPECT_EQ(paper.name, "paper");
    EXPECT_EQ(DataRate(ValueOf(paper, "RateAi")), DataRate("10Mbps"));
    EXPECT_EQ(DataRate(ValueOf(paper, "RateHai")), DataRate("50Mbps")); // N = 5
    EXPECT_EQ(Time(ValueOf(paper, "TLow")), MicroSeconds(50));
    EXPECT_EQ(Time(ValueOf(paper, "THigh")), MicroSeconds(500));
    EXPECT_EQ(ValueOf(paper, "Beta"), "0.8");
    EXPECT_FALSE(paper.marking);

    CongestionPreset hpcc = TimelyPresets(rate).at(1);
    EXPECT_EQ(hpcc.name, "hpcc-simulator");
    EXPECT_EQ(DataRate(ValueOf(hpcc, "RateAi")), DataRate("100Mbps")); // 10 x 100 / 10
    EXPECT_EQ(DataRate(ValueOf(hpcc, "RateHai")), DataRate("500Mbps"));
    EXPECT_EQ(DataRate(ValueOf(hpcc, "MinRate")), DataRate("1Gbps"));
    EXPECT_EQ(ValueOf(hpcc, "Alpha"), "0.875");
    EXPECT_EQ(Time(ValueOf(hpcc, "MinRtt")), MicroSeconds(20));
    EXPECT_EQ(ValueOf(hpcc, "Completion"), "Round");

    CongestionPreset patched = PatchedTimelyPresets(rate).at(0);
    EXPECT_EQ(ValueOf(patched, "Beta"), "0.008");
    EXPECT_EQ(ValueOf(patched, "Segment"), "16384");
}

/// Zhu et al., CoNEXT 2016, theorem of section 4.3: at the fixed point the gradient is 0, so w =
/// 1/2, and RateAi / 2 = Beta R e / 2 with R = C / N. So RTT = TLow (1 + N RateAi / (Beta C)).
class PatchedTimelyFixedPoint : public testing::TestWithParam<uint32_t>
{
};

TEST_P(PatchedTimelyFixedPoint, RoundTripAndRates)
{
    uint32_t n = GetParam();
    LongFlows flows("10Gbps", MicroSeconds(1), 4096);
    flows.configure = [&](uint32_t flow, Ptr<QueuePair> qp) { // shares of 1 : 2 : ... : n
        auto ops = CreateObject<PatchedTimelyCongestionOps>();
        ops->SetAttribute("InitialRateShare", DoubleValue(2.0 * (flow + 1) / n / (n + 1)));
        qp->SetCongestionControl(ops);
    };
    flows.Start(n, Time(0));
    flows.Run(MilliSeconds(600), MilliSeconds(200), MicroSeconds(10));

    double c = 10e9;
    double expectedRtt = 50e-6 * (1 + n * 10e6 / (0.008 * c));
    // What is not queue: four cables, and two frames and an answer on the wire.
    double base = 4e-6 + (2 * (4096 + 82) + 2 * 86) * 8 / c;
    double queueing = flows.GetMeanQueueBytes() * 8 / c;
    EXPECT_NEAR(base + queueing, expectedRtt, 0.1 * expectedRtt);
    for (double rate : flows.GetRates())
    {
        EXPECT_NEAR(rate, c / n, 0.1 * c / n);
    }
    EXPECT_GT(flows.GetJainIndex(), 0.98);
}

INSTANTIATE_TEST_SUITE_P(Flows, PatchedTimelyFixedPoint, testing::Values(2, 4, 8));

} // namespace
