// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Congestion controls whose papers prove or claim fairness share a link equally, whoever
 * came first; TIMELY does not (Zhu et al., "ECN or Delay", CoNEXT 2016, section 4.2).
 */

#include "long-flows.h"

#include "ns3/congestion-presets.h"
#include "ns3/patched-timely-congestion-ops.h"
#include "ns3/timely-congestion-ops.h"

using namespace ns3;

namespace
{

/// A preset, and a link and times in which it converges.
struct Case
{
    const char* algorithm;
    const char* preset;
    const char* rate;
    uint32_t mtu;
    int milliseconds; ///< of the run; the last quarter is measured
};

std::ostream&
operator<<(std::ostream& out, const Case& c)
{
    return out << c.algorithm;
}

/// The switch, the NICs and the queue pairs get what the preset says.
void
Apply(const CongestionPreset& preset, FabricFixture& fixture)
{
    fixture.rdma.SetCongestionControl(preset.ops);
    if (preset.ops.Create<RdmaCongestionOps>()->GetFeedback().telemetry != TelemetryFormat::NONE)
    {
        fixture.fabric.SetSwitchPart("IntStamper", ObjectFactory("ns3::IntStamper"));
        fixture.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(4500));
    }
    if (!preset.marking)
    {
        return;
    }
    CongestionMarking marking = *preset.marking;
    fixture.rdma.SetNicAttribute("CnpInterval", TimeValue(marking.cnpInterval));
    fixture.fabric.SetEcn([=](DataRate) {
        return EcnThresholds{marking.kminBytes, marking.kmaxBytes, marking.pmax};
    });
    fixture.fabric.SetSwitchAttribute("MarkingPoint",
                                      StringValue(marking.markAtDequeue ? "Dequeue" : "Enqueue"));
}

class Fairness : public testing::TestWithParam<std::tuple<Case, uint32_t>>
{
};

TEST_P(Fairness, JainIndexAtConvergence)
{
    auto [c, n] = GetParam();
    LongFlows flows(c.rate, MicroSeconds(1), c.mtu);
    Apply(GetCongestionPreset(c.algorithm, c.preset, DataRate(c.rate)), flows.fixture);
    Time run = MilliSeconds(c.milliseconds);
    flows.Start(n, run / 100);
    flows.Run(run, run / 4, run / 1000);
    RecordProperty("jain", std::to_string(flows.GetJainIndex())); // the manual's table
    EXPECT_GT(flows.GetJainIndex(), 0.98);
    EXPECT_GT(flows.GetUtilization(), 0.9);
    EXPECT_EQ(flows.fixture.Drops(), 0u);
}

constexpr Case CASES[] = {
    {"dcqcn", "paper", "40Gbps", 4096, 200},
    {"hpcc", "paper", "100Gbps", 1024, 20}, // as in the paper: 4096 are half a window
    {"powertcp", "paper", "100Gbps", 4096, 40},
    {"dctcp", "paper", "40Gbps", 4096, 120},
    {"swift", "base-rtt", "100Gbps", 4096, 40},
    {"patched-timely", "paper", "10Gbps", 4096, 600},
};

INSTANTIATE_TEST_SUITE_P(Flows,
                         Fairness,
                         testing::Combine(testing::ValuesIn(CASES), testing::Values(2, 4, 8, 16)));

/// Two flows over 10 Gb/s that start with different shares of it. @param type of both
/// @param share of the first one @return Jain's index after 600 ms
double
JainFromShares(const std::string& type, double share)
{
    LongFlows flows("10Gbps", MicroSeconds(1), 4096);
    flows.configure = [&](uint32_t flow, Ptr<QueuePair> qp) {
        ObjectFactory factory(type);
        factory.Set("InitialRateShare", DoubleValue(flow == 0 ? share : 1 - share));
        qp->SetCongestionControl(factory.Create<RdmaCongestionOps>());
    };
    flows.Start(2, Time(0));
    flows.Run(MilliSeconds(600), MilliSeconds(100), MilliSeconds(1));
    return flows.GetJainIndex();
}

/// Any shares that fill the link are a fixed point of TIMELY: the gradient is 0 for all flows. So
/// flows keep a difference that they started with.
TEST(Fairness, TimelyKeepsTheSharesThatFlowsStartWith)
{
    EXPECT_LT(JainFromShares("ns3::TimelyCongestionOps", 0.9), 0.9);
}

TEST(Fairness, PatchedTimelyDoesNot)
{
    EXPECT_GT(JainFromShares("ns3::PatchedTimelyCongestionOps", 0.9), 0.98);
}

TEST(Fairness, JainIndexByHand)
{
    EXPECT_DOUBLE_EQ(JainIndex({5, 5, 5, 5}), 1.0);
    EXPECT_DOUBLE_EQ(JainIndex({1, 0, 0, 0}), 0.25);
    EXPECT_DOUBLE_EQ(JainIndex({1, 3}), 0.8); // 16 / (2 x 10)
}

} // namespace
