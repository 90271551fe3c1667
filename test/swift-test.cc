// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Swift: each step against an independent script, the target against the paper's equation,
 * and in a fabric its delay target and windows below a frame.
 */

#include "congestion-steps.h"
#include "long-flows.h"

#include "ns3/congestion-presets.h"
#include "ns3/swift-congestion-ops.h"
#include "ns3/swift-presets.h"

using namespace ns3;

namespace
{

TEST(Swift, StepsLikeTheScript)
{
    CongestionSteps steps;
    steps.Check("swift-steps.csv");
    EXPECT_EQ(steps.GetSequences(), 5u);
    EXPECT_EQ(steps.GetSignals(), 88u);
}

/// Section 3.5 by hand: base 20 us, 3 us a hop, range 100 us between windows of 0.1 and 100.
TEST(Swift, TargetDelayByHand)
{
    auto ops = CreateObject<SwiftCongestionOps>();
    ops->SetAttribute("BaseTarget", TimeValue(MicroSeconds(20)));
    ops->SetAttribute("HopDelay", TimeValue(MicroSeconds(3)));
    RdmaRateState state;
    state.lineRateBps = 100e9;
    state.mtuBytes = 4096;
    state.frameBytes = 4178;
    state.baseRttSteps = MicroSeconds(8).GetTimeStep();
    auto target = [&](double window, uint8_t hops) {
        ops->SetAttribute("InitialWindow", DoubleValue(window));
        ops->Init(state, 0);
        return ops->GetTargetSteps(hops) / static_cast<double>(MicroSeconds(1).GetTimeStep());
    };
    EXPECT_NEAR(target(100, 0), 20, 1e-9);
    EXPECT_NEAR(target(400, 0), 20, 1e-9);   // not below the base
    EXPECT_NEAR(target(100, 5), 35, 1e-9);   // 5 hops
    EXPECT_NEAR(target(0.1, 0), 120, 1e-9);  // all of the range
    EXPECT_NEAR(target(0.01, 1), 123, 1e-9); // not more
    EXPECT_NEAR(target(1, 0), 20 + 100 * 0.9 / (std::sqrt(10.0) - 0.1), 1e-9);
    EXPECT_NEAR(target(25, 0), 20 + 100 * 0.1 / (std::sqrt(10.0) - 0.1), 1e-9);
}

TEST(Swift, NeedsOnlyTimeStamps)
{
    RdmaFeedback feedback = CreateObject<SwiftCongestionOps>()->GetFeedback();
    EXPECT_FALSE(feedback.cnp);
    EXPECT_FALSE(feedback.ecnEcho);
    EXPECT_EQ(feedback.telemetry, TelemetryFormat::NONE);
    EXPECT_FALSE(feedback.credit);
}

TEST(Swift, PresetsAreTwo)
{
    std::vector<CongestionPreset> presets = SwiftPresets(DataRate("100Gbps"));
    ASSERT_EQ(presets.size(), 2u);
    EXPECT_EQ(presets[0].name, "base-rtt");
    EXPECT_EQ(presets[1].name, "paper");
    TimeValue target;
    presets[1].ops.Create()->GetAttribute("BaseTarget", target);
    EXPECT_EQ(target.Get(), MicroSeconds(20));
    EXPECT_FALSE(presets[0].marking || presets[1].marking);
}

/// The round trip settles at the target delay, and the link is full. Without flow scaling the
/// target is one number.
class SwiftTarget : public testing::TestWithParam<uint32_t>
{
};

TEST_P(SwiftTarget, IsReached)
{
    uint32_t n = GetParam();
    LongFlows flows("100Gbps", MicroSeconds(1), 4096);
    flows.fixture.rdma.SetCongestionControl("ns3::SwiftCongestionOps");
    flows.fixture.rdma.SetCongestionControlAttribute("BaseTarget", TimeValue(MicroSeconds(20)));
    flows.fixture.rdma.SetCongestionControlAttribute("FsRange", DoubleValue(0));
    flows.Start(n, MilliSeconds(1));
    flows.Run(MilliSeconds(60), MilliSeconds(20));

    // What is not queue: four cables, two frames and two answers on the wire, at 100 Gb/s.
    double base = 4e-6 + (2 * (4096 + 82) + 2 * 86) * 8 / 100e9;
    double roundTrip = base + flows.GetMeanQueueBytes() * 8 / 100e9;
    EXPECT_NEAR(roundTrip, 20e-6, 2e-6);
    EXPECT_GT(flows.GetUtilization(), 0.99);
}

INSTANTIATE_TEST_SUITE_P(Flows, SwiftTarget, testing::Values(2, 4, 8));

/// 64 flows at 10 Gb/s whose target is below what a frame of each needs: 64 x 4178 B is 214 us, the
/// target 40 us. Windows below a frame hold the queue there.
TEST(Swift, WindowsBelowAFrame)
{
    LongFlows flows("10Gbps", MicroSeconds(1), 4096);
    flows.fixture.rdma.SetCongestionControl("ns3::SwiftCongestionOps");
    flows.fixture.rdma.SetCongestionControlAttribute("BaseTarget", TimeValue(MicroSeconds(40)));
    flows.fixture.rdma.SetCongestionControlAttribute("FsRange", DoubleValue(0));
    flows.Start(64, MicroSeconds(100));
    flows.Run(MilliSeconds(200), MilliSeconds(100));
    double mean = 0;
    for (const Connection& flow : flows.GetFlows())
    {
        auto ops = DynamicCast<SwiftCongestionOps>(flow.a->GetPacer().GetOps());
        mean += ops->GetFabricWindow() / 64;
    }
    EXPECT_LT(mean, 0.6);
    double roundTrip = 11e-6 + flows.GetMeanQueueBytes() * 8 / 10e9;
    EXPECT_LT(roundTrip, 80e-6); // a frame each would be above 200 us
    EXPECT_GT(flows.GetUtilization(), 0.9);
}

/// A host that takes its time: the endpoint window alone is cut.
TEST(Swift, EndpointDelayCutsTheEndpointWindow)
{
    auto ops = CreateObject<SwiftCongestionOps>();
    RdmaRateState state;
    state.lineRateBps = 100e9;
    state.mtuBytes = 4096;
    state.frameBytes = 4178;
    state.baseRttSteps = MicroSeconds(8).GetTimeStep(); // target 12 us
    ops->SetAttribute("FsRange", DoubleValue(0));
    ops->Init(state, 0);
    double first = 100e9 * 8e-6 / 8 / 4178;
    RdmaAckSignal signal{};
    signal.now = MicroSeconds(50).GetTimeStep();
    signal.ackedBytes = 4096;
    signal.rttSteps = MicroSeconds(32).GetTimeStep();
    signal.endpointSteps = MicroSeconds(24).GetTimeStep();
    ops->Acked(state, signal);
    EXPECT_NEAR(ops->GetFabricWindow(), first + 1 / first, 1e-9); // 8 us < 12 us
    EXPECT_NEAR(ops->GetEndpointWindow(), 0.6 * first, 1e-9);     // 1 - 0.8 (24 - 12) / 24
    EXPECT_EQ(state.windowBytes, static_cast<uint64_t>(0.6 * first * 4096));
}

} // namespace
