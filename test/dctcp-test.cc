// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief DCTCP: each step against an independent script, the parameter sets against their sources,
 * the square-root law in a fabric; and the window of IRN.
 */

#include "congestion-steps.h"
#include "long-flows.h"

#include "ns3/congestion-presets.h"
#include "ns3/dctcp-congestion-ops.h"
#include "ns3/dctcp-presets.h"
#include "ns3/irn-congestion-ops.h"
#include "ns3/irn-presets.h"
#include "ns3/step-ecn-marker.h"

using namespace ns3;

namespace
{

TEST(Dctcp, StepsLikeTheScript)
{
    CongestionSteps steps;
    steps.Check("dctcp-steps.csv");
    EXPECT_EQ(steps.GetSequences(), 5u);
    EXPECT_EQ(steps.GetSignals(), 431u);
}

TEST(Dctcp, WantsEchoesAndNoCnps)
{
    RdmaFeedback feedback = CreateObject<DctcpCongestionOps>()->GetFeedback();
    EXPECT_FALSE(feedback.cnp);
    EXPECT_TRUE(feedback.ecnEcho);
    EXPECT_EQ(feedback.telemetry, TelemetryFormat::NONE);
    EXPECT_FALSE(feedback.credit);
}

TEST(Dctcp, PresetsHaveTheirSourcesValues)
{
    CongestionPreset paper = DctcpPresets(DataRate("10Gbps")).at(0);
    EXPECT_EQ(paper.name, "paper");
    ASSERT_TRUE(paper.marking);
    EXPECT_EQ(paper.marking->kminBytes, 97500u); // K = 65 packets of 1500 bytes
    EXPECT_EQ(paper.marking->kmaxBytes, 97500u);
    DoubleValue gain;
    paper.ops.Create()->GetAttribute("Gain", gain);
    EXPECT_EQ(gain.Get(), 1.0 / 16);

    CongestionPreset hpcc = DctcpPresets(DataRate("100Gbps")).at(1);
    EXPECT_EQ(hpcc.name, "hpcc-simulator");
    ASSERT_TRUE(hpcc.marking);
    EXPECT_EQ(hpcc.marking->kminBytes, 300000u); // 30 KB x 100 / 10
    EXPECT_EQ(hpcc.marking->kmaxBytes, 300000u);
    EXPECT_EQ(hpcc.marking->pmax, 1.0);
    EXPECT_TRUE(hpcc.marking->markAtDequeue);
    DataRateValue rate;
    hpcc.ops.Create()->GetAttribute("RateAi", rate);
    EXPECT_EQ(rate.Get(), DataRate("615Mbps"));
}

/**
 * Alizadeh et al., SIGCOMM 2010, section 3.3. Windows grow by one a round trip until the queue is
 * K, at W* = (C RTT + K) / N frames each; the marks of one round trip come back while they grow to
 * W* + 1, then they are cut by alpha / 2. So alpha^2 (1 - alpha / 4) = (2 W* + 1) / (W* + 1)^2,
 * about 2 / W*, and the queue swings by A = N (W* + 1) alpha / 2, about sqrt(2 N (C RTT + K)) / 2.
 */
class DctcpSquareRootLaw : public testing::TestWithParam<std::tuple<uint32_t, double>>
{
};

TEST_P(DctcpSquareRootLaw, AlphaAndSwing)
{
    auto [n, w] = GetParam(); // N, W*
    constexpr uint32_t MTU = 1024;
    constexpr double FRAME = MTU + LongFlows::FRAME_HEADERS; // on the wire
    constexpr double QUEUED = MTU + bytes::ROCE;             // in a queue
    constexpr double C = 10e9 / 8 / FRAME;                   // frames a second
    double bdp = std::floor(0.75 * n * w);
    double k = n * w - bdp;
    ASSERT_GT(k, bdp / 7); // else the link would be idle at times (section 3.4)
    // Four cables; what is left is the frame and its answer on the wires of 40 and 10 Gb/s.
    double cables = bdp / C - (FRAME + 86) * (8 / 10e9 + 8 / 40e9);

    LongFlows flows("40Gbps", Seconds(cables / 4), MTU);
    flows.bottleneckRate = "10Gbps";
    flows.fixture.rdma.SetCongestionControl("ns3::DctcpCongestionOps");
    flows.fixture.rdma.SetCongestionControlAttribute("Gain", DoubleValue(1.0 / 32));
    auto threshold = static_cast<uint64_t>(k * QUEUED);
    flows.fixture.fabric.SetEcn([=](DataRate) { return EcnThresholds{threshold, threshold, 1.0}; });
    flows.Start(n, Time(0));
    double alphas = 0;
    flows.look = [&] {
        for (const Connection& flow : flows.GetFlows())
        {
            alphas += DynamicCast<DctcpCongestionOps>(flow.a->GetPacer().GetOps())->GetAlpha();
        }
    };
    Time roundTrip = Seconds(n * w / C);
    flows.Run(roundTrip * 1200, roundTrip * 400, roundTrip / 50);

    double law = std::sqrt(2 / w);
    double alpha = alphas / n / static_cast<double>(flows.GetQueueBytes().size());
    auto [least, most] =
        std::minmax_element(flows.GetQueueBytes().begin(), flows.GetQueueBytes().end());
    double swing = (*most - *least) / QUEUED;
    EXPECT_NEAR(alpha, law, 0.1 * law);
    EXPECT_NEAR(*most / QUEUED, k + n, 0.05 * k); // Qmax = K + N
    double a = std::sqrt(2 * n * n * w) / 2;
    EXPECT_NEAR(swing, a, 0.15 * a); // looked at 50 times a round trip
    EXPECT_GT(flows.GetUtilization(), 0.999);
}

INSTANTIATE_TEST_SUITE_P(FlowsAndWindows,
                         DctcpSquareRootLaw,
                         testing::Combine(testing::Values(1U, 2U), testing::Values(200, 400)));

/// IRN: 40 Gb/s, base round trip 24 us, frames of 1000 + 82 bytes: 110.9 frames, so 111.
TEST(Irn, WindowIsOneBandwidthDelayProduct)
{
    auto ops = CreateObject<IrnCongestionOps>();
    RdmaRateState state;
    state.lineRateBps = 40e9;
    state.mtuBytes = 1000;
    state.frameBytes = 1082;
    state.baseRttSteps = MicroSeconds(24).GetTimeStep();
    ops->Init(state, 0);
    EXPECT_EQ(state.windowBytes, 111000u);
    EXPECT_EQ(state.rateBps, 40e9);
    EXPECT_FALSE(ops->GetFeedback().cnp);
    ops->SetAttribute("BdpFrames", UintegerValue(110)); // the paper's number
    ops->Init(state, 0);
    EXPECT_EQ(state.windowBytes, 110000u);
    ops->SetAttribute("BdpFrames", UintegerValue(0));
    ops->SetAttribute("BaseRtt", TimeValue(MicroSeconds(12)));
    ops->Init(state, 0);
    EXPECT_EQ(state.windowBytes, 56000u); // 55.5 frames
    EXPECT_EQ(IrnPresets(DataRate("40Gbps")).at(0).name, "paper");
}

/// One flow fills its link with just that window; the queue stays within it.
TEST(Irn, OneProductIsEnough)
{
    LongFlows flows("40Gbps", MicroSeconds(2), 1024);
    flows.fixture.rdma.SetCongestionControl("ns3::IrnCongestionOps");
    flows.Start(1, Time(0));
    flows.Run(MilliSeconds(2), MilliSeconds(1));
    EXPECT_GT(flows.GetUtilization(), 0.99);
    for (double queue : flows.GetQueueBytes())
    {
        EXPECT_LE(queue, 2.0 * 1086);
    }
}

/// N flows: N products in flight, of which N - 1 wait.
TEST(Irn, QueueIsTheOthersProducts)
{
    LongFlows flows("40Gbps", MicroSeconds(2), 1024);
    flows.fixture.rdma.SetCongestionControl("ns3::IrnCongestionOps");
    flows.Start(4, Time(0));
    flows.Run(MilliSeconds(4), MilliSeconds(2));
    double baseRtt = 8e-6 + (2 * 1106 + 2 * 86) * 8 / 40e9;
    double window = std::ceil(baseRtt * 40e9 / 8 / 1106); // frames
    double expected = 4 * window - baseRtt * 40e9 / 8 / 1106;
    EXPECT_NEAR(flows.GetMeanQueueBytes() / 1086, expected, 0.05 * expected);
    EXPECT_GT(flows.GetUtilization(), 0.999);
}

} // namespace
