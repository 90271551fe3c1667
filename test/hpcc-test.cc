// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief HPCC and HPCC-PINT: each step against an independent computation (data/hpcc-steps.py), the
 * parameter sets against their sources, and in a fabric the fixed point, fairness, and short
 * messages.
 */

#include "int-steps.h"
#include "long-incast.h"

#include "ns3/congestion-presets.h"
#include "ns3/hpcc-congestion-ops.h"
#include "ns3/hpcc-pint-congestion-ops.h"
#include "ns3/int-header.h"

using namespace ns3;

namespace
{

// ---------------------------------------------------------------- steps

TEST(HpccSteps, AreThoseOfTheIndependentComputation)
{
    uint32_t cases = 0;
    uint32_t steps = 0;
    for (const IntCase& c : ReadIntCases("hpcc-steps.csv"))
    {
        SCOPED_TRACE(c.name);
        IntSender sender(c);
        auto hpcc = DynamicCast<HpccCongestionOps>(sender.ops);
        ASSERT_TRUE(hpcc);
        for (size_t i = 0; i < c.steps.size(); ++i)
        {
            SCOPED_TRACE("step " + std::to_string(i));
            const IntStep& step = c.steps[i];
            sender.Answer(step);
            EXPECT_NEAR(sender.state.rateBps, step.expected[0], 1e-9 * step.expected[0]);
            EXPECT_NEAR(static_cast<double>(sender.state.windowBytes), step.expected[1], 1);
            EXPECT_NEAR(hpcc->GetUtilization(), step.expected[2], 1e-9);
            EXPECT_EQ(hpcc->GetStage(), step.expected[3]);
            ++steps;
        }
        ++cases;
    }
    EXPECT_EQ(cases, 6u);
    EXPECT_GT(steps, 6 * 20u);
}

/// One hop of 100 Gb/s, T of 10 us, a window of 125000 bytes on the wire.
struct OneHop
{
    OneHop(const Ptr<HpccCongestionOps>& hpcc, TelemetryFormat format)
        : ops(hpcc)
    {
        state.lineRateBps = 1e11;
        state.mtuBytes = 1000;
        state.frameBytes = 1000;
        state.baseRttSteps = MicroSeconds(10).GetTimeStep();
        ops->Init(state, 0);
        header.telemetryFormat = format;
        header.telemetry.resize(1);
        header.telemetry[0].bitsPerSecond = 100000000000;
    }

    void Answer(Time at, uint64_t txBytes)
    {
        header.telemetry[0].time = at.GetTimeStep();
        header.telemetry[0].txBytes = txBytes;
        acked += 1000;
        RdmaAckSignal signal{};
        signal.now = at.GetTimeStep();
        signal.ackedThrough = acked;
        signal.sentThrough = acked + 100000;
        signal.hops = 1;
        signal.telemetry = &header;
        ops->Acked(state, signal);
    }

    Ptr<HpccCongestionOps> ops;
    RdmaRateState state;
    SwitchHeader header;
    uint64_t acked{0};
};

TEST(HpccMemory, GoesOnWhereTheWiresCountersWrap)
{
    // HPCC's TS has 24 bits of a nanosecond, txBytes 20 of 128 bytes. Across the wrap 10 us pass
    // and 100000 bytes go: u = 0.8, and in a whole T nothing is left of the first U.
    OneHop hop(CreateObject<HpccCongestionOps>(), TelemetryFormat::HPCC);
    const Time turn = NanoSeconds(1 << 24);
    const uint64_t turnBytes = uint64_t{1} << 27;
    hop.Answer(turn - MicroSeconds(4), turnBytes - 40000);
    hop.Answer(MicroSeconds(6), 60000);
    EXPECT_NEAR(hop.ops->GetUtilization(), 0.8, 1e-12);
    // A step back is no wrap.
    hop.Answer(MicroSeconds(5), 50000);
    EXPECT_NEAR(hop.ops->GetUtilization(), 0.8, 1e-12);
    // INT-MD's counters do not wrap: the same is an answer out of date.
    OneHop wide(CreateObject<HpccCongestionOps>(), TelemetryFormat::INT_MD);
    wide.Answer(turn - MicroSeconds(4), turnBytes - 40000);
    wide.Answer(MicroSeconds(6), 60000);
    EXPECT_EQ(wide.ops->GetUtilization(), 1);
}

TEST(HpccMemory, BeginsANewWithAnotherPath)
{
    OneHop hop(CreateObject<HpccCongestionOps>(), TelemetryFormat::INT_MD);
    hop.Answer(MicroSeconds(10), 0);
    hop.Answer(MicroSeconds(20), 100000);
    EXPECT_NEAR(hop.ops->GetUtilization(), 0.8, 1e-12);
    hop.header.telemetry[0].egressPort = 7; // whose counters have nothing to do with the others
    hop.Answer(MicroSeconds(30), 5000000);
    EXPECT_NEAR(hop.ops->GetUtilization(), 0.8, 1e-12);
    hop.Answer(MicroSeconds(40), 5062500);
    EXPECT_NEAR(hop.ops->GetUtilization(), 0.5, 1e-12);
}

TEST(HpccPint, LooksAtTheShareOfAnswersThatItIsTold)
{
    // Each answer that is looked at shows another digest than the one before, so U changes with it.
    // 16000 draws with p = 1/16: 1000 of them, standard deviation 31.
    auto pint = CreateObject<HpccPintCongestionOps>();
    pint->SetAttribute("SamplingProbability", DoubleValue(1.0 / 16));
    EXPECT_EQ(pint->AssignStreams(7), 1);
    OneHop hop(pint, TelemetryFormat::PINT);
    hop.header.telemetry.clear();
    hop.header.telemetry.resize(1);
    uint32_t looks = 0;
    for (uint32_t i = 0; i < 16000; ++i)
    {
        double before = pint->GetUtilization();
        hop.header.digest = static_cast<uint16_t>(100 + i % 100);
        hop.Answer(NanoSeconds(100 * i), 0);
        looks += pint->GetUtilization() != before;
    }
    EXPECT_NEAR(looks, 1000, 4 * 31);
}

TEST(HpccFeedback, IsTelemetryAndNoCnp)
{
    auto hpcc = CreateObject<HpccCongestionOps>();
    EXPECT_EQ(hpcc->GetName(), "hpcc");
    EXPECT_FALSE(hpcc->GetFeedback().cnp);
    EXPECT_EQ(hpcc->GetFeedback().telemetry, TelemetryFormat::HPCC);
    hpcc->SetAttribute("Telemetry", StringValue("IntMd"));
    EXPECT_EQ(hpcc->GetFeedback().telemetry, TelemetryFormat::INT_MD);
    auto pint = CreateObject<HpccPintCongestionOps>();
    EXPECT_EQ(pint->GetName(), "hpcc-pint");
    EXPECT_EQ(pint->GetFeedback().telemetry, TelemetryFormat::PINT);
    pint->SetAttribute("DigestBytes", UintegerValue(2));
    EXPECT_EQ(pint->GetFeedback().telemetry, TelemetryFormat::PINT_16);
    EXPECT_FALSE(pint->GetFeedback().cnp);
}

TEST(HpccDeath, WithoutWhatItMustKnow)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            RdmaRateState state;
            state.lineRateBps = 1e11;
            CreateObject<HpccCongestionOps>()->Init(state, 0);
        },
        "BaseRtt");
    EXPECT_DEATH(
        {
            OneHop hop(CreateObject<HpccCongestionOps>(), TelemetryFormat::HPCC);
            hop.header.telemetry.clear();
            RdmaAckSignal signal{};
            signal.hops = 1;
            signal.telemetry = &hop.header;
            hop.ops->Acked(hop.state, signal);
        },
        "IntStamper");
    EXPECT_DEATH(
        {
            auto pint = CreateObject<HpccPintCongestionOps>();
            pint->SetAttribute("MultipleRates", BooleanValue(true));
            OneHop hop(pint, TelemetryFormat::PINT);
        },
        "MultipleRates");
    EXPECT_DEATH(
        {
            auto pint = CreateObject<HpccPintCongestionOps>();
            pint->SetAttribute("LogBase", DoubleValue(1.01)); // 1.01^254/512 is 0.024
            OneHop hop(pint, TelemetryFormat::PINT);
        },
        "raise DigestBytes");
}

// ---------------------------------------------------------------- parameter sets

/// @param factory of a set @param name of an attribute @return its value as text
std::string
Parameter(const ObjectFactory& factory, const std::string& name)
{
    Ptr<RdmaCongestionOps> ops = factory.Create<RdmaCongestionOps>();
    StringValue value;
    ops->GetAttribute(name, value);
    return value.Get();
}

TEST(HpccPresets, AreThoseOfTheirSources)
{
    const DataRate rate("100Gbps");
    EXPECT_EQ(GetCongestionPresetNames("hpcc").size(), 2u);
    ObjectFactory paper = GetCongestionPreset("hpcc", "paper", rate).ops;
    EXPECT_EQ(Parameter(paper, "Form"), "Window");
    EXPECT_EQ(Parameter(paper, "Eta"), "0.95");
    EXPECT_EQ(Parameter(paper, "MaxStage"), "5");
    EXPECT_EQ(Parameter(paper, "WindowAi"), "80");
    // run.py: 10 Mb/s x 100/25.
    ObjectFactory simulator = GetCongestionPreset("hpcc", "hpcc-simulator", rate).ops;
    EXPECT_EQ(Parameter(simulator, "Form"), "Rate");
    EXPECT_EQ(Parameter(simulator, "MaxStage"), "0");
    EXPECT_EQ(Parameter(simulator, "RateAi"), "40000000bps");
    EXPECT_EQ(Parameter(simulator, "MinRate"), "1000000000bps");
    // The scripts of PINT: --bw 100 --hpai 50 --pint_log_base 1.05 --pint_prob 1, 1/16, 1/256.
    ObjectFactory pint = GetCongestionPreset("hpcc-pint", "paper-256", rate).ops;
    EXPECT_EQ(Parameter(pint, "RateAi"), "50000000bps");
    EXPECT_EQ(Parameter(pint, "LogBase"), "1.05");
    EXPECT_EQ(Parameter(pint, "SamplingProbability"), "0.00390625");
    EXPECT_EQ(GetCongestionPresetNames("hpcc-pint").size(), 3u);
}

// ---------------------------------------------------------------- in a fabric

constexpr uint32_t MTU = 1000;
const char* const RATE = "100Gbps";
constexpr double RATE_BPS = 1e11;
constexpr double ETA = 0.95;
const Time DELAY = NanoSeconds(2500);
constexpr uint64_t NIC_FRAME = bytes::PREAMBLE + bytes::ROCE + MTU + bytes::GAP; // the pacer's

/// @param ops congestion control @param flows N @param baseBytes of telemetry
/// @param hopBytes of telemetry @return flows without an end into one port
LongIncast
Incast(const ObjectFactory& ops, uint32_t flows, uint64_t baseBytes, uint64_t hopBytes)
{
    LongIncast incast;
    incast.ops = ops;
    incast.flows = flows;
    incast.rate = RATE;
    incast.mtu = MTU;
    incast.delay = DELAY;
    incast.baseRtt = StarRoundTrip(RATE, MTU, baseBytes, hopBytes, DELAY);
    incast.settled = MilliSeconds(1);
    incast.end = MilliSeconds(3);
    return incast;
}

/**
 * The fixed point of the control law. Rates do not change where
 *
 *     sum R = sum R eta/U + N a     with additions of the rate a
 *
 * and U, at an empty queue, is what the port sends: sum R by the pacer's frame, which has preamble
 * and gap, times the switch's, which has neither but the hop's telemetry. So U = eta + k N a/B.
 */
double
FixedPoint(const LongIncast& incast, double additionBps, uint64_t telemetryBytes)
{
    double pacedBytes = static_cast<double>(NIC_FRAME);
    double countedBytes = static_cast<double>(bytes::ROCE + MTU + telemetryBytes);
    return ETA + countedBytes / pacedBytes * incast.flows * additionBps / RATE_BPS;
}

class HpccFixedPoint : public testing::TestWithParam<std::tuple<std::string, uint32_t>>
{
};

TEST_P(HpccFixedPoint, IsEtaAndAnEmptyQueue)
{
    auto [preset, flows] = GetParam();
    LongIncast incast =
        Incast(GetCongestionPreset("hpcc", preset, DataRate(RATE)).ops, flows, 2, 8);
    double addition = preset == "paper" ? 8 * 80 / incast.baseRtt.GetSeconds() : 40e6;
    SettledIncast settled = RunLongIncast(incast);
    double expected = FixedPoint(incast, addition, 2 + 8);
    RecordProperty("txShare", std::to_string(settled.txShare));
    RecordProperty("meanQueue", std::to_string(settled.meanQueue));
    EXPECT_NEAR(settled.txShare, expected, 0.01 * ETA);
    // Paced flows of one rate meet by chance: in the mean fewer than two frames wait.
    EXPECT_LT(settled.meanQueue, 2.0 * (bytes::ROCE + MTU));
    EXPECT_GT(settled.jain, 0.98);
    EXPECT_EQ(settled.pauses, 0u);
}

INSTANTIATE_TEST_SUITE_P(FormsAndFlows,
                         HpccFixedPoint,
                         testing::Combine(testing::Values("paper", "hpcc-simulator"),
                                          testing::Values(1u, 2u, 4u, 8u, 16u)));

class HpccFairness : public testing::TestWithParam<uint32_t>
{
};

TEST_P(HpccFairness, ComesFromTheAdditions)
{
    // Flows come one after the other, each at line rate. W_AI is by the paper's rule, W_init
    // (1 - eta)/N: differences shrink by 5 % a round trip.
    uint32_t flows = GetParam();
    ObjectFactory ops = GetCongestionPreset("hpcc", "paper", DataRate(RATE)).ops;
    LongIncast incast = Incast(ops, flows, 2, 8);
    double window = RATE_BPS / 8 * incast.baseRtt.GetSeconds();
    incast.ops.Set("WindowAi", UintegerValue(static_cast<uint64_t>(window * (1 - ETA) / flows)));
    incast.stagger = MicroSeconds(50);
    incast.settled = MilliSeconds(3);
    incast.end = MilliSeconds(5);
    SettledIncast settled = RunLongIncast(incast);
    EXPECT_GT(settled.jain, 0.98);
    EXPECT_EQ(settled.pauses, 0u);
}

INSTANTIATE_TEST_SUITE_P(Flows, HpccFairness, testing::Values(2u, 4u, 8u, 16u));

class PintFixedPoint : public testing::TestWithParam<std::tuple<std::string, uint32_t>>
{
};

TEST_P(PintFixedPoint, IsCloseToHpccs)
{
    // Codes are 5 % apart and drawn, so that their mean is right: what the port sends is HPCC's
    // within 2 %, and in the mean fewer than two frames wait.
    auto [preset, flows] = GetParam();
    LongIncast incast =
        Incast(GetCongestionPreset("hpcc-pint", preset, DataRate(RATE)).ops, flows, 1, 0);
    incast.stamper.Set("PintBaseRtt", TimeValue(incast.baseRtt));
    SettledIncast settled = RunLongIncast(incast);
    RecordProperty("txShare", std::to_string(settled.txShare));
    RecordProperty("meanQueue", std::to_string(settled.meanQueue));
    RecordProperty("jain", std::to_string(settled.jain));
    EXPECT_NEAR(settled.txShare, FixedPoint(incast, 50e6, 1), 0.02 * ETA);
    EXPECT_LT(settled.meanQueue, 2.0 * (bytes::ROCE + MTU));
    // Fairness is not PINT's claim, and depends on the draws: each flow looks at others, of 5 % up
    // or down, against additions of 0.05 % a round trip. With p = 1 the least index of 24 seeds was
    // 0.89. With p = 1/16 it goes down to 0.72 (48 runs): nothing is asked of it.
    if (preset == "paper")
    {
        EXPECT_GT(settled.jain, 0.75);
    }
    EXPECT_EQ(settled.pauses, 0u);
}

INSTANTIATE_TEST_SUITE_P(PresetsAndFlows,
                         PintFixedPoint,
                         testing::Combine(testing::Values("paper", "paper-16"),
                                          testing::Values(2u, 8u)));

class HpccMessages : public testing::TestWithParam<const char*>
{
};

TEST_P(HpccMessages, OfAnySizeArriveOverThreeHops)
{
    FabricFixture f;
    ObjectFactory stamper("ns3::IntStamper");
    stamper.Set("PintBaseRtt", TimeValue(MicroSeconds(10)));
    f.fabric.SetSwitchPart("IntStamper", stamper);
    f.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(4500));
    f.rdma.SetCongestionControl(GetParam());
    f.rdma.SetQueuePairAttribute("BaseRtt", TimeValue(MicroSeconds(10)));
    f.BuildChain({"100Gbps", "200Gbps", "400Gbps", "100Gbps"}, MicroSeconds(1));
    Connection c = f.Connect(0, 1);
    uint64_t total = 0;
    const uint64_t sizes[] = {1, 0, 4096, 100, 10000000, 70000, 1};
    for (uint64_t size : sizes)
    {
        f.Post(c, size);
        total += size;
    }
    f.Run();
    f.ExpectAllSucceeded(std::size(sizes), total);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
}

INSTANTIATE_TEST_SUITE_P(Algorithms,
                         HpccMessages,
                         testing::Values("ns3::HpccCongestionOps",
                                         "ns3::HpccPintCongestionOps",
                                         "ns3::PowerTcpCongestionOps",
                                         "ns3::ThetaPowerTcpCongestionOps"));

} // namespace
