// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief DCQCN: the reaction point against hand computation and an independent oracle, its clock
 * without events, the parameter sets against their sources, the notification point, and all of it
 * in a fabric.
 */

#include "fabric-fixture.h"

#include "ns3/congestion-presets.h"
#include "ns3/dcqcn-congestion-ops.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

int64_t
Ns(int64_t nanoseconds)
{
    return NanoSeconds(nanoseconds).GetTimeStep();
}

int64_t
Us(int64_t microseconds)
{
    return MicroSeconds(microseconds).GetTimeStep();
}

/// A reaction point and the state that it sets.
struct Sender
{
    Sender(double lineRateBps, const std::map<std::string, std::string>& attributes)
        : ops(CreateObject<DcqcnCongestionOps>())
    {
        for (const auto& [name, value] : attributes)
        {
            ops->SetAttribute(name, StringValue(value));
        }
        state.lineRateBps = lineRateBps;
        ops->Init(state, 0);
    }

    void Sent(int64_t now, uint32_t bytes)
    {
        ops->Sent(state, bytes, now);
    }

    void Cnp(int64_t now)
    {
        ops->CnpReceived(state, now);
    }

    void Look(int64_t now)
    {
        ops->Advance(state, now);
    }

    /// In Gb/s; exact, for the numbers of the hand computations are dyadic.
    void Expect(double rate, double target, double alpha, uint64_t timer, uint64_t bytes) const
    {
        EXPECT_EQ(state.rateBps, rate * 1e9);
        EXPECT_EQ(ops->GetTargetRate(), target * 1e9);
        EXPECT_EQ(ops->GetAlpha(), alpha);
        EXPECT_EQ(ops->GetTimeStage(), timer);
        EXPECT_EQ(ops->GetByteStage(), bytes);
    }

    Ptr<DcqcnCongestionOps> ops;
    RdmaRateState state;
};

// ---------------------------------------------------------------- by hand

TEST(DcqcnByHand, CnpDriven)
{
    // Line rate 16 Gb/s, g = 1/2, F = 1, alpha's timer 8 us, increase timer 10 us, byte counter
    // 1000 bytes, additive increase 1 Gb/s, the i-th hyper increase i x 2 Gb/s.
    Sender s(16e9,
             {{"Gain", "0.5"},
              {"FastRecoveryTimes", "1"},
              {"AlphaInterval", "8us"},
              {"RateIncreaseInterval", "10us"},
              {"ByteCounter", "1000"},
              {"RateAi", "1Gbps"},
              {"RateHai", "2Gbps"}});
    s.Expect(16, 16, 1, 0, 0);
    s.Sent(Ns(-10), 5000); // nothing counts before the first CNP
    s.Expect(16, 16, 1, 0, 0);
    // CNP: target 16, rate 16 (1 - 1/2), alpha 1/2 + 1/2
    s.Cnp(Us(0));
    s.Expect(8, 16, 1, 0, 0);
    // 8 us: alpha 1/2. 10 us: timer, 0 before it < F: rate (16 + 8) / 2
    s.Look(Us(11));
    s.Expect(12, 16, 0.5, 1, 0);
    // CNP: target 12, rate 12 (1 - 1/4), alpha 1/4 + 1/2; the timers restart: 20 us and 22 us
    s.Cnp(Us(12));
    s.Expect(9, 12, 0.75, 0, 0);
    s.Look(Ns(19999));
    s.Expect(9, 12, 0.75, 0, 0);
    // 20 us: alpha 3/8. 22 us: rate (12 + 9) / 2
    s.Look(Us(22));
    s.Expect(10.5, 12, 0.375, 1, 0);
    // 1000 bytes: the timer has counted 1 = F: target 13, rate (13 + 10.5) / 2
    s.Sent(Us(23), 1000);
    s.Expect(11.75, 13, 0.375, 1, 1);
    // both have counted 1, which is not above F: target 14, rate (14 + 11.75) / 2
    s.Sent(Us(24), 1000);
    s.Expect(12.875, 14, 0.375, 1, 2);
    // 28 us: alpha 3/16. 32 us: timer, counts 1 and 2: target 15, rate (15 + 12.875) / 2
    s.Sent(Us(33), 999);
    s.Expect(13.9375, 15, 0.1875, 2, 2);
    // the 1000th byte: both 2 > F, i = 1: target 15 + 2, at most 16; rate (16 + 13.9375) / 2
    s.Sent(Us(34), 1);
    s.Expect(14.96875, 16, 0.1875, 2, 3);
    // 36 us: alpha 3/32. 42 us: rate (16 + 14.96875) / 2. 44 us: alpha 3/64
    // CNP at 45 us: rate 15.484375 (1 - 3/128), alpha 3/128 + 1/2
    s.Cnp(Us(45));
    s.Expect(15.484375 * 125 / 128, 15.484375, 67.0 / 128, 0, 0);
}

TEST(DcqcnByHand, HyperIncreaseGrows)
{
    // 64 Gb/s, F = 0, no byte counter, 1 us. After the cut to 32 without a clamp in the way (the
    // target is 64) nothing would show, so cut twice: rate 16, target 32. Then per timer:
    // count 0 = F: additive, target 33, rate (33 + 16) / 2 = 24.5
    // count 1, i = 1: target 34, rate 29.25
    // count 2, i = 2: target 36, rate 32.625
    // count 3, i = 3: target 39, rate 35.8125
    std::map<std::string, std::string> attributes = {{"FastRecoveryTimes", "0"},
                                                     {"ByteCounter", "0"},
                                                     {"RateIncreaseInterval", "1us"},
                                                     {"RateAi", "1Gbps"},
                                                     {"RateHai", "1Gbps"}};
    Sender s(64e9, attributes);
    s.Cnp(0);
    s.Cnp(0);
    s.Look(Us(4));
    s.Expect(35.8125, 39, 1, 4, 0);

    // With a fixed step: targets 33, 34, 35, 36; rates 24.5, 29.25, 32.125, 34.0625
    attributes["HyperIncreaseGrows"] = "false";
    Sender fixed(64e9, attributes);
    fixed.Cnp(0);
    fixed.Cnp(0);
    fixed.Look(Us(4));
    fixed.Expect(34.0625, 36, 1, 4, 0);
}

TEST(DcqcnByHand, TimerDriven)
{
    // 16 Gb/s, g = 1/2, F = 1; alpha each 1 us, cuts each 4 us, increases after 12 us.
    Sender s(16e9,
             {{"TimerDriven", "true"},
              {"Gain", "0.5"},
              {"FastRecoveryTimes", "1"},
              {"AlphaInterval", "1us"},
              {"RateDecreaseInterval", "4us"},
              {"RateIncreaseInterval", "12us"},
              {"ByteCounter", "0"},
              {"MinDecreaseFactor", "0"},
              {"ClampTargetRate", "false"},
              {"ClampTargetRateAfterIncrease", "true"}});
    s.Cnp(0);
    s.Expect(16, 16, 1, 0, 0); // only a flag so far
    s.Look(Ns(3999));
    s.Expect(16, 16, 1.0 / 8, 0, 0); // alpha's three looks found none
    // 4 us: alpha 1/16, then the cut: 16 (1 - 1/32); no increase came before, so no clamp
    s.Look(Us(4));
    s.Expect(15.5, 16, 1.0 / 16, 0, 0);
    // CNP at 15.5 us, after 11 more decays. 16 us, all three timers: alpha 2^-16 + 1/2; increase
    // (fast recovery): 15.75; cut, now with a clamp: target 15.75, rate 15.75 (1 - 1/4 - 2^-17)
    s.Cnp(Ns(15500));
    s.Expect(15.5, 16, std::ldexp(1, -15), 0, 0);
    s.Look(Us(16));
    s.Expect(15.75 * (0.75 - std::ldexp(1, -17)), 15.75, 0.5 + std::ldexp(1, -16), 0, 0);
    // The increase timer started again with the cut.
    s.Look(Us(28) - 1);
    EXPECT_EQ(s.ops->GetTimeStage(), 0u);
    s.Look(Us(28));
    EXPECT_EQ(s.ops->GetTimeStage(), 1u);
}

TEST(DcqcnByHand, AForkIsFresh)
{
    Sender s(16e9, {{"RateAi", "3Gbps"}});
    s.Cnp(0);
    Sender fork(16e9, {});
    fork.ops = DynamicCast<DcqcnCongestionOps>(s.ops->Fork());
    fork.ops->Init(fork.state, 0);
    fork.Expect(16, 16, 1, 0, 0);
    DataRateValue ai;
    fork.ops->GetAttribute("RateAi", ai);
    EXPECT_EQ(ai.Get(), DataRate("3Gbps"));
}

// ---------------------------------------------------------------- against the oracle

std::vector<std::string>
Split(const std::string& line)
{
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');)
    {
        fields.push_back(field);
    }
    return fields;
}

/// A time in the oracle's file is in ns, a rate in bit/s, a truth value 0 or 1.
std::string
AttributeText(const std::string& name, const std::string& value)
{
    bool time = name.find("Interval") != std::string::npos;
    bool rate = name == "RateAi" || name == "RateHai" || name == "MinRate";
    return value + (time ? "ns" : rate ? "bps" : "");
}

TEST(DcqcnOracle, EachStepOfEachSequence)
{
    // test/data/dcqcn-oracle.py has computed the file with events and 50 digits.
    std::ifstream file(AI_FABRIC_SOURCE_DIR "/test/data/dcqcn-oracle.csv");
    ASSERT_TRUE(file) << "test/data/dcqcn-oracle.csv is missing";
    std::string name;
    std::map<std::string, std::string> attributes;
    double lineRate = 0;
    std::unique_ptr<Sender> sender;
    uint32_t sequences = 0;
    uint32_t steps = 0;
    double worst = 0;
    for (std::string line; std::getline(file, line);)
    {
        std::vector<std::string> f = Split(line);
        if (f[0] == "sequence")
        {
            ++sequences;
            name = f[1];
            attributes.clear();
            sender.reset();
        }
        else if (f[0] == "attribute" && f[1] == "LineRate")
        {
            lineRate = std::stod(f[2]);
        }
        else if (f[0] == "attribute")
        {
            attributes[f[1]] = AttributeText(f[1], f[2]);
        }
        else
        {
            ASSERT_EQ(f.size(), 9u);
            if (!sender)
            {
                sender = std::make_unique<Sender>(lineRate, attributes);
            }
            int64_t now = Ns(std::stoll(f[1]));
            if (f[2] == "cnp")
            {
                sender->Cnp(now);
            }
            else if (f[2] == "sent")
            {
                sender->Sent(now, static_cast<uint32_t>(std::stoul(f[3])));
                sender->Look(now); // what nobody needs to know is not computed before
            }
            else
            {
                sender->Look(now);
            }
            auto compare = [&](const char* what, double ours, double theirs) {
                // alpha below 1e-17 is 0 for every use of it
                double error = std::abs(ours - theirs) / std::max(std::abs(theirs), 1e-5);
                worst = std::max(worst, error);
                ASSERT_LE(error, 1e-12) << what << " in " << name << ": " << line;
            };
            compare("rate", sender->state.rateBps, std::stod(f[4]));
            compare("target", sender->ops->GetTargetRate(), std::stod(f[5]));
            compare("alpha", sender->ops->GetAlpha(), std::stod(f[6]));
            ASSERT_EQ(sender->ops->GetTimeStage(), std::stoull(f[7])) << name << ": " << line;
            ASSERT_EQ(sender->ops->GetByteStage(), std::stoull(f[8])) << name << ": " << line;
            ++steps;
        }
    }
    EXPECT_EQ(sequences, 27u);
    EXPECT_EQ(steps, 2057u);
    std::cout << sequences << " sequences, " << steps << " steps, largest relative difference "
              << worst << std::endl;
}

// ---------------------------------------------------------------- the clock without events

TEST(DcqcnClock, LookingMoreOftenChangesNothing)
{
    std::mt19937_64 random(7);
    auto draw = [&](uint64_t below) { return static_cast<int64_t>(random() % below); };
    for (int round = 0; round < 60; ++round)
    {
        std::string preset = GetCongestionPresetNames("dcqcn")[round % 3];
        ObjectFactory factory = GetCongestionPreset("dcqcn", preset, DataRate("100Gbps")).ops;
        factory.Set("ByteCounter", UintegerValue(round % 2 ? 0 : 100000));
        factory.Set("ClampTargetRate", BooleanValue(round % 5 == 0));
        Sender lazy(100e9, {});
        Sender eager(100e9, {});
        lazy.ops = factory.Create<DcqcnCongestionOps>();
        eager.ops = factory.Create<DcqcnCongestionOps>();
        lazy.ops->Init(lazy.state, 0);
        eager.ops->Init(eager.state, 0);
        int64_t now = 0;
        for (int step = 0; step < 2000; ++step)
        {
            // mostly some hundred ns; now and then on a timer's tick; now and then a long pause
            int64_t gap = draw(4) ? draw(Ns(900)) : draw(20) ? Us(1) * draw(5) : draw(Us(3000));
            for (int64_t n = draw(6); n > 0 && gap > 0; --n)
            {
                int64_t part = draw(static_cast<uint64_t>(gap) + 1);
                now += part;
                gap -= part;
                eager.Look(now);
            }
            now += gap;
            if (draw(3))
            {
                auto bytes = static_cast<uint32_t>(draw(9000));
                lazy.Sent(now, bytes);
                eager.Sent(now, bytes);
            }
            else
            {
                lazy.Cnp(now);
                eager.Cnp(now);
            }
            // the pacing rate after each hook is what a queue pair uses: the same to the last bit
            ASSERT_EQ(lazy.state.rateBps, eager.state.rateBps) << preset << " step " << step;
        }
        lazy.Look(now);
        eager.Look(now);
        ASSERT_EQ(lazy.ops->GetAlpha(), eager.ops->GetAlpha());
        ASSERT_EQ(lazy.ops->GetTargetRate(), eager.ops->GetTargetRate());
        ASSERT_EQ(lazy.ops->GetTimeStage(), eager.ops->GetTimeStage());
        ASSERT_EQ(lazy.ops->GetByteStage(), eager.ops->GetByteStage());
    }
}

TEST(DcqcnClock, ALongPauseIsCheap)
{
    // 2000 pauses of 1000 s with timers of 1 us are 4e12 ticks: event by event, hours. Alpha is 0
    // after 60 ln 2 / -ln(1 - 1/256) = 10,626 of them, the rate at line rate after a few more.
    auto start = std::chrono::steady_clock::now();
    for (bool timerDriven : {false, true})
    {
        Sender s(400e9,
                 {{"TimerDriven", timerDriven ? "true" : "false"},
                  {"AlphaInterval", "1us"},
                  {"RateDecreaseInterval", "1us"},
                  {"RateIncreaseInterval", "1us"},
                  {"ByteCounter", "0"}});
        for (int64_t pause = 0; pause < 1000; ++pause)
        {
            int64_t now = Us(1000000000) * pause;
            s.Cnp(now);
            s.Cnp(now + Us(3));
            s.Look(now + Us(4));
            EXPECT_LT(s.state.rateBps, 400e9);
        }
        s.Look(Us(1000000000) * 1000);
        EXPECT_EQ(s.state.rateBps, 400e9);
        EXPECT_EQ(s.ops->GetAlpha(), 0);
    }
    // Nothing to gain: the rate stays where it is, and that is cheap too.
    Sender stuck(400e9, {{"RateIncreaseInterval", "1us"}, {"RateAi", "0bps"}, {"RateHai", "0bps"}});
    stuck.Cnp(0);
    stuck.Cnp(0);
    stuck.Look(Us(1000000000) * 1000);
    EXPECT_EQ(stuck.state.rateBps, 200e9);
    EXPECT_EQ(stuck.ops->GetTimeStage(), 1000000000000u);
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    EXPECT_LT(spent.count(), 20) << "the clock ticks one by one";
}

TEST(Dcqcn, TakesAMarkedAnswerForACnpWhereThereAreNoCnps)
{
    // The first cut, with alpha 1, halves the rate.
    RdmaAckSignal marked{};
    marked.now = 1000;
    marked.ecnEcho = true;
    RdmaAckSignal clean = marked;
    clean.ecnEcho = false;
    Sender byEcho(100e9, {{"CnpByEcnEcho", "true"}});
    EXPECT_FALSE(byEcho.ops->GetFeedback().cnp);
    EXPECT_TRUE(byEcho.ops->GetFeedback().ecnEcho);
    byEcho.ops->Acked(byEcho.state, clean);
    EXPECT_EQ(byEcho.state.rateBps, 100e9);
    byEcho.ops->Acked(byEcho.state, marked);
    EXPECT_EQ(byEcho.state.rateBps, 50e9);
    Sender byCnp(100e9, {});
    EXPECT_TRUE(byCnp.ops->GetFeedback().cnp);
    EXPECT_FALSE(byCnp.ops->GetFeedback().ecnEcho);
    byCnp.ops->Acked(byCnp.state, marked);
    EXPECT_EQ(byCnp.state.rateBps, 100e9);
}

// ---------------------------------------------------------------- parameter sets

/// A set as its source prints it.
struct Published
{
    std::string preset;
    std::string lineRate;
    std::map<std::string, std::string> reaction;
    uint64_t kminBytes;
    uint64_t kmaxBytes;
    double pmax;
    Time cnpInterval;
    bool markAtDequeue;
};

class DcqcnPresets : public testing::TestWithParam<Published>
{
};

TEST_P(DcqcnPresets, AreAsPublished)
{
    const Published& p = GetParam();
    CongestionPreset preset = GetCongestionPreset("dcqcn", p.preset, DataRate(p.lineRate));
    EXPECT_EQ(preset.name, p.preset);
    EXPECT_EQ(preset.marking->kminBytes, p.kminBytes);
    EXPECT_EQ(preset.marking->kmaxBytes, p.kmaxBytes);
    EXPECT_EQ(preset.marking->pmax, p.pmax);
    EXPECT_EQ(preset.marking->cnpInterval, p.cnpInterval);
    EXPECT_EQ(preset.marking->markAtDequeue, p.markAtDequeue);
    auto ops = preset.ops.Create<DcqcnCongestionOps>();
    for (const auto& [name, value] : p.reaction)
    {
        StringValue ours;
        ops->GetAttribute(name, ours);
        auto expected = CreateObject<DcqcnCongestionOps>();
        expected->SetAttribute(name, StringValue(value));
        StringValue theirs;
        expected->GetAttribute(name, theirs);
        EXPECT_EQ(ours.Get(), theirs.Get()) << name;
    }
}

/// Zhu et al., SIGCOMM 2015: rules of section 3.1, values of the testbed. RateHai (200Mb/s)
/// from the authors' simulator, bobzhuyb/ns3-rdma: mix/config.txt; MinRate (100Mb/s) from its
/// qbb-net-device.cc.
const std::map<std::string, std::string> PAPER = {{"TimerDriven", "false"},
                                                  {"Gain", "0.00390625"}, // 1/256
                                                  {"InitialAlpha", "1"},
                                                  {"AlphaInterval", "55us"},
                                                  {"RateDecreaseInterval", "0us"},
                                                  {"RateIncreaseInterval", "55us"},
                                                  {"ByteCounter", "10000000"},
                                                  {"FastRecoveryTimes", "5"},
                                                  {"RateAi", "40Mbps"},
                                                  {"RateHai", "200Mbps"},
                                                  {"HyperIncreaseGrows", "true"},
                                                  {"MinRate", "100Mbps"},
                                                  {"MinDecreaseFactor", "0.5"},
                                                  {"ClampTargetRate", "true"},
                                                  {"ClampTargetRateAfterIncrease", "false"}};

/// alibaba-edu/High-Precision-Congestion-Control at 9f4be2a, run.py with --cc dcqcn: t_alpha 1,
/// t_dec 4, t_inc 300, g 0.00390625, CLAMP_TARGET_RATE 0, FAST_RECOVERY_TIMES 1, MIN_RATE 1000Mb/s,
/// ai = 5 bw / 25, hai = 50 bw / 25, kmin 100 bw / 25 KB, kmax 400 bw / 25 KB, pmax 0.2;
/// switch-node.cc marks in SwitchNotifyDequeue.
std::map<std::string, std::string>
Hpcc(const std::string& ai, const std::string& hai)
{
    return {{"TimerDriven", "true"},
            {"Gain", "0.00390625"},
            {"InitialAlpha", "1"},
            {"AlphaInterval", "1us"},
            {"RateDecreaseInterval", "4us"},
            {"RateIncreaseInterval", "300us"},
            {"ByteCounter", "0"},
            {"FastRecoveryTimes", "1"},
            {"RateAi", ai},
            {"RateHai", hai},
            {"HyperIncreaseGrows", "false"},
            {"MinRate", "1000Mbps"},
            {"MinDecreaseFactor", "0"},
            {"ClampTargetRate", "false"},
            {"ClampTargetRateAfterIncrease", "true"}};
}

/// mlxconfig of ConnectX-5 and later: DCE_TCP_G 1019 (g = 1 - 1019/1024), DCE_TCP_RTT 1,
/// INITIAL_ALPHA_VALUE 1023 (of 1024), RATE_REDUCE_MONITOR_PERIOD 4, RPG_TIME_RESET 300,
/// RPG_BYTE_RESET 32767 (x 64 bytes), RPG_THRESHOLD 1, RPG_AI_RATE 5, RPG_HAI_RATE 50,
/// RPG_MIN_RATE 1, RPG_MIN_DEC_FAC 50, CLAMP_TGT_RATE 0, CLAMP_TGT_RATE_AFTER_TIME_INC 1,
/// MIN_TIME_BETWEEN_CNPS 4.
const std::map<std::string, std::string> NIC = {{"TimerDriven", "true"},
                                                {"Gain", "0.0048828125"},
                                                {"InitialAlpha", "0.9990234375"},
                                                {"AlphaInterval", "1us"},
                                                {"RateDecreaseInterval", "4us"},
                                                {"RateIncreaseInterval", "300us"},
                                                {"ByteCounter", "2097088"},
                                                {"FastRecoveryTimes", "1"},
                                                {"RateAi", "5Mbps"},
                                                {"RateHai", "50Mbps"},
                                                {"HyperIncreaseGrows", "false"},
                                                {"MinRate", "1Mbps"},
                                                {"MinDecreaseFactor", "0.5"},
                                                {"ClampTargetRate", "false"},
                                                {"ClampTargetRateAfterIncrease", "true"}};

/// "Barre", a study of DCQCN's parameters on BlueField-3 at 400 Gb/s with 1,024 GPUs, names ranges:
/// CNP interval 0 to 2 us, min_dec_fac 80 to 98 %, monitor period 1 to 4 us, AI 8 to 20 Mb/s,
/// time_reset 20 to 100 us. The middle of each; the rest is NIC.
std::map<std::string, std::string>
Tuned()
{
    std::map<std::string, std::string> set = NIC;
    set["MinDecreaseFactor"] = "0.89";
    set["RateDecreaseInterval"] = "2500ns";
    set["RateAi"] = "14Mbps";
    set["RateIncreaseInterval"] = "60us";
    return set;
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(
    Sources,
    DcqcnPresets,
    testing::Values(
        Published{"paper", "25Gbps", PAPER, 5000, 200000, 0.01, MicroSeconds(50), false},
        Published{"paper", "100Gbps", PAPER, 5000, 200000, 0.01, MicroSeconds(50), false},
        Published{"paper", "400Gbps", PAPER, 5000, 200000, 0.01, MicroSeconds(50), false},
        Published{"hpcc-simulator", "25Gbps", Hpcc("5Mbps", "50Mbps"), 100000, 400000, 0.2, Time(0), true},
        Published{"hpcc-simulator", "100Gbps", Hpcc("20Mbps", "200Mbps"), 400000, 1600000, 0.2, Time(0), true},
        Published{"hpcc-simulator", "400Gbps", Hpcc("80Mbps", "800Mbps"), 1600000, 6400000, 0.2, Time(0), true},
        Published{"nic-default", "25Gbps", NIC, 100000, 400000, 0.2, MicroSeconds(4), false},
        Published{"nic-default", "100Gbps", NIC, 400000, 1600000, 0.2, MicroSeconds(4), false},
        Published{"nic-default", "400Gbps", NIC, 1600000, 6400000, 0.2, MicroSeconds(4), false},
        Published{"tuned-400g", "400Gbps", Tuned(), 1600000, 6400000, 0.2, MicroSeconds(1), false}),
    [](const auto& set) {
        std::string name = set.param.preset + "_" + set.param.lineRate;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

// clang-format on

TEST(DcqcnPresetNames, AreTheFour)
{
    std::vector<std::string> names = {"nic-default", "paper", "hpcc-simulator", "tuned-400g"};
    EXPECT_EQ(GetCongestionPresetNames("dcqcn"), names);
}

TEST(DcqcnPresetNames, TheDefaultsOfTheClassAreThePaper)
{
    auto defaults = CreateObject<DcqcnCongestionOps>();
    auto paper =
        GetCongestionPreset("dcqcn", "paper", DataRate("40Gbps")).ops.Create<DcqcnCongestionOps>();
    for (const auto& [name, value] : PAPER)
    {
        StringValue a;
        StringValue b;
        defaults->GetAttribute(name, a);
        paper->GetAttribute(name, b);
        EXPECT_EQ(a.Get(), b.Get()) << name;
    }
}

// ---------------------------------------------------------------- in a fabric

/// A frame on a wire.
struct Seen
{
    int64_t at;
    uint64_t wireBytes; ///< gaps included
    RdmaOpcode opcode;
    bool marked;
    uint32_t dstAddress;
    uint32_t destQp;
    bool becn;
};

/// Watches a port.
class Watch
{
  public:
    explicit Watch(Ptr<FabricNetDevice> port)
    {
        port->TraceConnectWithoutContext("FrameTx", MakeCallback(&Watch::Tx, this));
        port->TraceConnectWithoutContext("FrameRx", MakeCallback(&Watch::Rx, this));
    }

    std::vector<Seen> sent;     ///< at the start of each
    std::vector<Seen> received; ///< at the end of each
    std::function<void(const Seen&)> onSent;
    std::function<void(const Seen&)> onReceived;

  private:
    static Seen Look(const FabricFrame& f)
    {
        return {NowSteps(),
                f.sizeBytes + bytes::PREAMBLE + bytes::GAP,
                f.kind == FrameKind::ROCE ? f.opcode : RdmaOpcode::RC_ACK,
                f.ecn == EcnField::CE,
                f.dstAddress,
                f.destQp,
                f.becn};
    }

    void Tx(const FabricFrame& frame)
    {
        sent.push_back(Look(frame));
        if (onSent)
        {
            onSent(sent.back());
        }
    }

    void Rx(const FabricFrame& frame)
    {
        received.push_back(Look(frame));
        if (onReceived)
        {
            onReceived(received.back());
        }
    }
};

std::vector<Seen>
Cnps(const std::vector<Seen>& frames, uint32_t dstAddress)
{
    std::vector<Seen> cnps;
    for (const Seen& f : frames)
    {
        if (f.opcode == RdmaOpcode::CNP && f.dstAddress == dstAddress)
        {
            cnps.push_back(f);
        }
    }
    return cnps;
}

/// Marks every frame that finds another one in its queue.
EcnThresholds
MarkAllThatWait(DataRate)
{
    return {0, 0, 1.0};
}

const std::string RATE = "100Gbps";
const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;

TEST(DcqcnNotification, NoMarkNoCnp)
{
    FabricFixture f;
    f.fabric.SetEcn(MarkAllThatWait);
    f.BuildStar(3, RATE, DELAY);
    Connection c = f.Connect(0, 2);
    f.Post(c, 1000 * MTU); // alone: a frame never waits for another one
    f.Run();
    EXPECT_EQ(f.Total(&RdmaNicCounters::dataFramesReceived), 1000u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::cnpsSent), 0u);
    f.ExpectDrained();
}

TEST(DcqcnNotification, NotEctIsNeverMarked)
{
    FabricFixture f;
    f.fabric.SetEcn(MarkAllThatWait);
    f.rdma.SetQueuePairAttribute("EcnCapable", BooleanValue(false));
    f.BuildStar(3, RATE, DELAY);
    f.Post(f.Connect(0, 2), 100 * MTU);
    f.Post(f.Connect(1, 2), 100 * MTU);
    f.Run();
    EXPECT_EQ(f.Total(&RdmaNicCounters::dataFramesReceived), 200u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::cnpsSent), 0u);
}

class DcqcnNotificationPoint : public testing::TestWithParam<std::tuple<int64_t, int64_t>>
{
};

TEST_P(DcqcnNotificationPoint, EachQueuePairHasItsIntervalAndDelay)
{
    auto [intervalNs, delayNs] = GetParam();
    FabricFixture f;
    f.fabric.SetEcn(MarkAllThatWait);
    f.rdma.SetNicAttribute("CnpInterval", TimeValue(NanoSeconds(intervalNs)));
    f.rdma.SetNicAttribute("CnpDelay", TimeValue(NanoSeconds(delayNs)));
    f.BuildStar(3, RATE, DELAY);
    Connection flows[] = {f.Connect(0, 2), f.Connect(1, 2)};
    Watch receiver(f.Port(2));
    for (const Connection& c : flows)
    {
        f.Post(c, 600 * MTU);
    }
    f.Run();
    EXPECT_EQ(f.Total(&RdmaNicCounters::cnpsSent), f.Total(&RdmaNicCounters::cnpsReceived));
    EXPECT_EQ(f.Total(&RdmaNicCounters::unknownQpFrames), 0u);

    uint64_t total = 0;
    for (const Connection& c : flows)
    {
        // What the notification point must do, from the frames that reached it: the first marked
        // one, and each marked one at least an interval after the last that it answered.
        std::vector<int64_t> expected;
        int64_t notBefore = 0;
        uint32_t receiverQp = c.b->GetNumber();
        for (const Seen& data : receiver.received)
        {
            if (data.marked && data.destQp == receiverQp && data.at >= notBefore)
            {
                expected.push_back(data.at + Ns(delayNs));
                notBefore = data.at + Ns(intervalNs);
            }
        }
        std::vector<Seen> cnps = Cnps(receiver.sent, c.b->GetRemoteAddress());
        ASSERT_EQ(cnps.size(), expected.size());
        ASSERT_GT(cnps.size(), 10u);
        total += cnps.size();
        // A CNP goes at that moment, or right after the one control frame that may be on the wire.
        int64_t wait = OnWire(RATE, bytes::ACK + bytes::PREAMBLE + bytes::GAP).GetTimeStep();
        for (size_t i = 0; i < cnps.size(); ++i)
        {
            if (delayNs % 100 == 0)
            {
                EXPECT_EQ(cnps[i].at, expected[i]) << "CNP " << i;
            }
            EXPECT_GE(cnps[i].at, expected[i]);
            EXPECT_LE(cnps[i].at, expected[i] + wait);
            EXPECT_EQ(cnps[i].destQp, c.a->GetNumber());
            EXPECT_TRUE(cnps[i].becn);
            EXPECT_FALSE(cnps[i].marked);
            // Ethernet 14, IPv4 20, UDP 8, BTH 12, 16 reserved, ICRC 4, FCS 4, then 8 + 12
            EXPECT_EQ(cnps[i].wireBytes, 78u + 20u);
        }
    }
    EXPECT_EQ(total, f.Nic(2)->GetCounters().cnpsSent);
    f.ExpectDrained();
}

// A frame of data takes 334.24 ns here, so 100 ns after one has come the way back is free; after
// 330 ns it may carry the acknowledgement of the next one.
INSTANTIATE_TEST_SUITE_P(IntervalAndDelay,
                         DcqcnNotificationPoint,
                         testing::Values(std::make_tuple(4000, 0),
                                         std::make_tuple(4000, 100),
                                         std::make_tuple(15000, 100),
                                         std::make_tuple(4000, 333),
                                         std::make_tuple(0, 100)));

TEST(DcqcnInAFabric, TheRateFollowsTheSignalsOnTheWire)
{
    // All that waits is marked. A second reaction point, fed with what passes at the sender's port,
    // must have the rate of the queue pair at every frame.
    for (const std::string& name : GetCongestionPresetNames("dcqcn"))
    {
        CongestionPreset preset = GetCongestionPreset("dcqcn", name, DataRate(RATE));
        FabricFixture f;
        f.fabric.SetEcn(MarkAllThatWait);
        f.rdma.SetCongestionControl(preset.ops);
        f.rdma.SetNicAttribute("CnpInterval", TimeValue(preset.marking->cnpInterval));
        f.BuildStar(3, RATE, DELAY);
        Connection flows[] = {f.Connect(0, 2), f.Connect(1, 2)};
        Sender twin(100e9, {});
        twin.ops = preset.ops.Create<DcqcnCongestionOps>();
        twin.ops->Init(twin.state, 0);
        Watch sender(f.Port(0));
        double lowest = 1;
        sender.onReceived = [&](const Seen& frame) {
            if (frame.opcode == RdmaOpcode::CNP)
            {
                twin.Cnp(frame.at);
            }
        };
        sender.onSent = [&](const Seen& frame) {
            twin.Sent(frame.at, static_cast<uint32_t>(frame.wireBytes));
            ASSERT_EQ(flows[0].a->GetPacer().GetState().rateBps, twin.state.rateBps);
            lowest = std::min(lowest, twin.state.rateBps / 100e9);
        };
        for (const Connection& c : flows)
        {
            f.Post(c, 1500 * MTU);
        }
        f.Run();
        EXPECT_GT(f.Nic(0)->GetCounters().cnpsReceived, 2u) << name;
        EXPECT_LT(lowest, 0.6) << name;
        f.ExpectDrained();
    }
}

TEST(DcqcnInAFabric, AfterOneCnpTheFlowIsBackAtLineRateWhenTheEquationsSay)
{
    // One CNP: rate 1/2, target 1 (of the line rate). The n-th tick of 55 us makes it 1 - 2^-(n+1);
    // additive increase changes nothing, as the target is the line rate. At n = 19 it is within
    // 1e-6: 1,045 us after the CNP.
    FabricFixture f;
    f.fabric.SetEcn(MarkAllThatWait);
    f.rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
    f.rdma.SetCongestionControlAttribute("ByteCounter", UintegerValue(0)); // the timer alone
    f.rdma.SetNicAttribute("CnpInterval", TimeValue(MilliSeconds(100)));   // one CNP
    f.BuildStar(3, RATE, DELAY);
    Connection c = f.Connect(0, 2);
    Connection disturbance = f.Connect(1, 2);
    Watch sender(f.Port(0));
    int64_t cnpAt = -1;
    int64_t backAt = -1;
    sender.onReceived = [&](const Seen& frame) {
        if (frame.opcode == RdmaOpcode::CNP)
        {
            ASSERT_EQ(cnpAt, -1);
            cnpAt = frame.at;
        }
    };
    sender.onSent = [&](const Seen& frame) {
        double rate = c.a->GetPacer().GetState().rateBps;
        if (cnpAt >= 0)
        {
            int64_t ticks = (frame.at - cnpAt) / Us(55);
            ASSERT_EQ(rate, ticks >= 19 ? 100e9 : 100e9 * (1 - std::ldexp(1, -1 - ticks)));
            backAt = backAt < 0 && rate == 100e9 ? frame.at : backAt;
        }
        else
        {
            ASSERT_EQ(rate, 100e9);
        }
    };
    f.Post(c, 4000 * MTU);
    f.Post(disturbance, 16 * MTU);
    f.Run();
    ASSERT_GT(cnpAt, 0);
    // The next frame of the flow sees it: one comes each 334.24 ns.
    EXPECT_GE(backAt, cnpAt + Us(1045));
    EXPECT_LE(backAt, cnpAt + Us(1045) + Ns(335));

    // And the frames really go at that rate: after the CNP, the rate's integral over each gap is
    // the frame. A tick that comes within a gap speeds up the rest of it.
    auto shareAt = [&](int64_t at) {
        int64_t ticks = (at - cnpAt) / Us(55);
        return ticks >= 19 ? 1 : 1 - std::ldexp(1, -1 - static_cast<int>(ticks));
    };
    int64_t line = OnWire(RATE, bytes::Frame(MTU) + bytes::PREAMBLE + bytes::GAP).GetTimeStep();
    uint32_t gaps = 0;
    for (size_t i = 0; i + 1 < sender.sent.size(); ++i)
    {
        int64_t from = sender.sent[i].at;
        int64_t to = sender.sent[i + 1].at;
        if (from < cnpAt || i == 0)
        {
            continue;
        }
        int64_t tick = std::min(to, cnpAt + ((from - cnpAt) / Us(55) + 1) * Us(55));
        double sent = static_cast<double>(tick - from) * shareAt(from) +
                      static_cast<double>(to - tick) * shareAt(tick);
        ASSERT_NEAR(sent, static_cast<double>(line), 2) << i; // each look rounds to a step
        ++gaps;
    }
    EXPECT_GT(gaps, 3000u);
    f.ExpectDrained();
}

// ---------------------------------------------------------------- fairness

/// An incast that never ends, looked at over the second half of a time.
struct Incast
{
    Incast(const std::string& presetName, const std::string& rate, uint32_t senders, Time time)
    {
        if (!presetName.empty())
        {
            CongestionPreset preset = GetCongestionPreset("dcqcn", presetName, DataRate(rate));
            fabric.fabric.SetEcn([preset](DataRate) {
                return EcnThresholds{preset.marking->kminBytes,
                                     preset.marking->kmaxBytes,
                                     preset.marking->pmax};
            });
            fabric.fabric.SetSwitchAttribute(
                "MarkingPoint",
                StringValue(preset.marking->markAtDequeue ? "Dequeue" : "Enqueue"));
            fabric.rdma.SetCongestionControl(preset.ops);
            fabric.rdma.SetNicAttribute("CnpInterval", TimeValue(preset.marking->cnpInterval));
        }
        // Deep queues are on purpose here: nobody repeats because of them.
        fabric.rdma.SetQueuePairAttribute("Timeout", UintegerValue(0));
        fabric.BuildStar(senders + 1, rate, DELAY);
        fabric.Port(senders)->TraceConnectWithoutContext("FrameRx",
                                                         MakeCallback(&Incast::Received, this));
        for (uint32_t i = 0; i < senders; ++i)
        {
            Connection c = fabric.Connect(i, senders);
            payload[c.b->GetNumber()] = 0;
            fabric.Post(c, uint64_t{1} << 30); // more than there is time for
        }
        Ptr<FabricNetDevice> bottleneck = fabric.Port(senders)->GetPeer();
        Simulator::Stop(time / 2);
        Simulator::Run();
        std::map<uint32_t, uint64_t> before = payload;
        double queueBefore = bottleneck->GetCounters().queueByteSteps;
        uint64_t deepest = 0;
        constexpr int SAMPLES = 1000;
        for (int i = 0; i < SAMPLES; ++i)
        {
            Simulator::Stop(time / (2 * SAMPLES));
            Simulator::Run();
            deepest = std::max(deepest, bottleneck->GetQueuedBytes());
        }
        double half = static_cast<double>((time / 2).GetTimeStep());
        meanQueue = (bottleneck->GetCounters().queueByteSteps - queueBefore) / half;
        deepestQueue = deepest;
        double sum = 0;
        double squares = 0;
        for (const auto& [qp, count] : payload)
        {
            auto share = static_cast<double>(count - before[qp]);
            sum += share;
            squares += share * share;
        }
        jain = sum * sum / (senders * squares);
        // Of the line rate, what payload can have: 4096 of 4096 + 62 + 20 bytes.
        constexpr double PAYLOAD = 4096.0 / 4178;
        auto lineRate = static_cast<double>(DataRate(rate).GetBitRate());
        goodput = 8 * sum / (time / 2).GetSeconds() / (lineRate * PAYLOAD);
        for (uint32_t p = 0; p < fabric.Switch()->GetNPorts(); ++p)
        {
            pauses += fabric.Switch()->GetPort(p)->GetCounters().pausesSent;
        }
        std::cout << (presetName.empty() ? "PFC alone" : presetName) << ", " << senders << ":1 at "
                  << rate << ", " << time.GetMilliSeconds() << " ms; second half: goodput "
                  << 100 * goodput << " %, Jain's index " << jain << ", queue " << meanQueue / 1000
                  << " KB, at most " << deepest / 1000 << " KB; " << pauses << " pauses, "
                  << fabric.Drops() << " drops" << std::endl;
    }

    void Received(const FabricFrame& frame)
    {
        if (frame.kind == FrameKind::ROCE && frame.payloadBytes > 0)
        {
            payload[frame.destQp] += frame.payloadBytes;
        }
    }

    FabricFixture fabric;
    std::map<uint32_t, uint64_t> payload; ///< by queue pair of the receiver
    double goodput{0};                    ///< share of what the bottleneck can carry
    double jain{0};
    double meanQueue{0};
    uint64_t deepestQueue{0};
    uint64_t pauses{0};
};

TEST(DcqcnFairness, TwoFlowsShareTheBottleneckOfThePaper)
{
    // 40 Gb/s, the paper's parameters. Two flows that start at line rate are cut together to a
    // fraction of it, and return by 40 Mb/s each 55 us: 0.73 Gb/s a ms for each, so 25 ms at most.
    Incast incast("paper", "40Gbps", 2, MilliSeconds(80));
    EXPECT_GT(incast.jain, 0.95);
    EXPECT_GT(incast.goodput, 0.99);
    EXPECT_LT(incast.goodput, 1.001); // a frame more or less at the ends
    // Without a mark below Kmin the flows grow; above Kmax all is marked, and they shrink.
    EXPECT_GT(incast.meanQueue, 5000);
    EXPECT_LT(incast.meanQueue, 200000);
    EXPECT_LT(incast.deepestQueue, 2u * 200000);
    EXPECT_EQ(incast.pauses, 0u);
    EXPECT_EQ(incast.fabric.Drops(), 0u);
}

class DcqcnIncast : public testing::TestWithParam<std::string>
{
};

TEST_P(DcqcnIncast, FifteenFlowsFillTheBottleneckWithFewerPausesThanPfcAlone)
{
    Incast dcqcn(GetParam(), RATE, 15, MilliSeconds(20));
    EXPECT_GT(dcqcn.goodput, 0.99);
    EXPECT_GT(dcqcn.jain, 0.95);
    EXPECT_EQ(dcqcn.fabric.Drops(), 0u);
    Incast pfc("", RATE, 15, MilliSeconds(2));
    EXPECT_GT(pfc.goodput, 0.99);
    EXPECT_EQ(pfc.fabric.Drops(), 0u);
    EXPECT_GT(pfc.pauses, 100u); // in a tenth of the time
    EXPECT_LT(dcqcn.pauses, pfc.pauses);
}

INSTANTIATE_TEST_SUITE_P(Presets,
                         DcqcnIncast,
                         testing::Values("paper", "hpcc-simulator"),
                         [](const auto& set) {
                             return std::string(set.param == "paper" ? "Paper" : "HpccSimulator");
                         });

} // namespace
