// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Flow sizes, traffic matrices and arrivals against what they are drawn from: means in
 * closed form, distances of distributions with their confidence bounds, matrices by counting.
 */

#include "ns3/flow-generator.h"
#include "ns3/flow-size-tables.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace ns3;

namespace
{

const bool PICOSECONDS = (Time::SetResolution(Time::PS), true);

constexpr uint64_t RATE = 100'000'000'000;
constexpr double STEPS_PER_SECOND = 1e12;

class FlowGeneratorTest : public testing::Test
{
};

/// @param name of a published distribution
FlowSizeDistribution
Published(const std::string& name)
{
    const FlowSizeTable* table = FindFlowSizeTable(name);
    EXPECT_NE(table, nullptr) << name;
    return FlowSizeDistribution(table->points);
}

/// 64 hosts at 100 Gb/s, each to all others.
FlowGeneratorParameters
Parameters(const FlowSizeDistribution& sizes, double load, Time duration, uint32_t hosts = 64)
{
    FlowGeneratorParameters parameters;
    parameters.sizes = sizes;
    parameters.load = load;
    parameters.hostRateBps.assign(hosts, RATE);
    parameters.matrix = TrafficMatrix(TrafficMatrix::Kind::UNIFORM, hosts);
    parameters.duration = duration;
    return parameters;
}

std::vector<GeneratedFlow>
Generate(const FlowGeneratorParameters& parameters, int64_t stream = 1)
{
    FlowGenerator generator(parameters);
    generator.AssignStreams(stream);
    std::vector<GeneratedFlow> flows;
    for (GeneratedFlow flow; generator.Next(flow);)
    {
        flows.push_back(flow);
    }
    return flows;
}

double
SumBytes(const std::vector<GeneratedFlow>& flows)
{
    double sum = 0;
    for (const GeneratedFlow& flow : flows)
    {
        sum += static_cast<double>(flow.bytes);
    }
    return sum;
}

/// Variance of a size: by the points, with straight lines between.
double
MeanSquare(const FlowSizeDistribution& sizes)
{
    const auto& points = sizes.GetPoints();
    double sum = 0;
    for (size_t p = 1; p < points.size(); ++p)
    {
        const auto a = static_cast<double>(points[p - 1].bytes);
        const auto b = static_cast<double>(points[p].bytes);
        sum += (a * a + a * b + b * b) / 3 * (points[p].percent - points[p - 1].percent) / 100;
    }
    return sum;
}

} // namespace

// ---------------------------------------------------------------- sizes

TEST_F(FlowGeneratorTest, MeansOfPublishedDistributions)
{
    // By hand: half the sum of both ends, times the percent between. What would round to 0 is 1:
    // half a byte of the first line.
    const double websearch =
        (0 + 10e3) / 2 * .15 + (10e3 + 20e3) / 2 * .05 + (20e3 + 30e3) / 2 * .10 +
        (30e3 + 50e3) / 2 * .10 + (50e3 + 80e3) / 2 * .13 + (80e3 + 200e3) / 2 * .07 +
        (200e3 + 1e6) / 2 * .10 + (1e6 + 2e6) / 2 * .10 + (2e6 + 5e6) / 2 * .10 +
        (5e6 + 10e6) / 2 * .07 + (10e6 + 30e6) / 2 * .03;
    EXPECT_NEAR(websearch, 1711250, 0.5); // the figure that papers give: 1.7 MB
    EXPECT_NEAR(Published("websearch").GetMeanBytes(), websearch + 0.5 / 10e3 * .15, 1e-6);
    const double ali = 4e3 / 2 * .2293 + 6e3 * .4628 + 12e3 * .1140 + 24e3 * .0986 + 48e3 * .0306 +
                       96e3 * .0324 + 192e3 * .0076 + (256e3 + 2e6) / 2 * .0247;
    EXPECT_NEAR(Published("ali-storage-2019").GetMeanBytes(), ali + 0.5 / 4e3 * .2293, 1e-6);
    EXPECT_NEAR(Published("solar-2022").GetMeanBytes(),
                4095.0 / 2 * .00001 + 4095.5 * .29999 + 20479.0 / 2 * .05 + 16383.5 * .15 +
                    (16384.0 + 65535) / 2 * .10 + 65535.5 * .35 + (65536.0 + 262144) / 2 * .05 +
                    0.5 / 4095 * .00001,
                1e-6);
}

TEST_F(FlowGeneratorTest, PublishedDistributionsHaveTheirEnds)
{
    const std::map<std::string, std::pair<size_t, uint64_t>> ends{
        {"websearch", {12, 30000000}},
        {"fb-hadoop", {20, 10000000}},
        {"ali-storage-2019", {9, 2000000}},
        {"google-rpc-2008", {843, 15158197}},
        {"solar-2022", {8, 262144}}};
    EXPECT_EQ(GetFlowSizeTableNames().size(), ends.size());
    for (const auto& [name, end] : ends)
    {
        EXPECT_EQ(Published(name).GetPoints().size(), end.first) << name;
        EXPECT_EQ(Published(name).GetLongest(), end.second) << name;
        EXPECT_FALSE(FindFlowSizeTable(name)->source.empty());
    }
    EXPECT_EQ(FindFlowSizeTable("web-search"), nullptr);
}

TEST_F(FlowGeneratorTest, SizesLieOnTheLine)
{
    const FlowSizeDistribution sizes({{100, 20}, {200, 60}, {200, 80}, {1000, 100}});
    EXPECT_EQ(sizes.GetSize(0), 100U); // 20 % have the first size
    EXPECT_EQ(sizes.GetSize(0.19), 100U);
    EXPECT_EQ(sizes.GetSize(0.3), 125U); // a quarter of the way from 20 to 60 %
    EXPECT_EQ(sizes.GetSize(0.7), 200U); // a step: 20 % have exactly 200
    EXPECT_EQ(sizes.GetSize(0.9), 600U);
    EXPECT_DOUBLE_EQ(sizes.GetShare(99), 0);
    EXPECT_DOUBLE_EQ(sizes.GetShare(1000), 1);
    EXPECT_NEAR(sizes.GetShare(100), 0.2 + 0.4 * 0.005, 1e-12); // with those that round down
    EXPECT_DOUBLE_EQ(sizes.GetMeanBytes(), 100 * .2 + 150 * .4 + 200 * .2 + 600 * .2);
    const FlowSizeDistribution one(4000);
    EXPECT_EQ(one.GetSize(0.5), 4000U);
    EXPECT_DOUBLE_EQ(one.GetMeanBytes(), 4000);
    EXPECT_DOUBLE_EQ(one.GetMeanFrames(1000), 4);
    EXPECT_DOUBLE_EQ(one.GetMeanFrames(1001), 4);
    EXPECT_DOUBLE_EQ(one.GetMeanFrames(999), 5);
    // Uniform over 1 to 2000 bytes (0 counts as 1), frames of 1000: those above 1000 have two.
    const FlowSizeDistribution line({{0, 0}, {2000, 100}});
    EXPECT_NEAR(line.GetMeanFrames(1000), 1 + 999.5 / 2000, 1e-12);
    EXPECT_NEAR(line.GetMeanBytes(), 1000 + 0.5 / 2000, 1e-9);
}

TEST_F(FlowGeneratorTest, WrongDistributionsAreRefused)
{
    size_t index = 0;
    EXPECT_NE(FlowSizeDistribution::Check({{0, 0}, {10, 50}, {5, 100}}, index), "");
    EXPECT_EQ(index, 2U);
    EXPECT_NE(FlowSizeDistribution::Check({{0, 0}, {10, 50}, {20, 40}}, index), "");
    EXPECT_EQ(index, 2U);
    EXPECT_NE(FlowSizeDistribution::Check({{0, 0}, {10, 99}}, index), "");
    EXPECT_EQ(index, 1U);
    EXPECT_NE(FlowSizeDistribution::Check({}, index), "");
    EXPECT_NE(FlowSizeDistribution::Check({{0, 100}}, index), "");
    EXPECT_EQ(FlowSizeDistribution::Check({{0, 0}, {10, 100}}, index), "");
}

class Distances : public testing::TestWithParam<std::string>
{
};

TEST_P(Distances, DrawnSizesHaveTheirDistribution)
{
    // Kolmogorov and Smirnov: with n draws the largest distance exceeds 1.95 / sqrt(n) once in a
    // thousand times. Pearson: chi-square of 50 equal parts, 49 degrees, is above 85.4 as seldom.
    const FlowSizeDistribution sizes = Published(GetParam());
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(7);
    constexpr size_t N = 100000;
    std::vector<uint64_t> drawn;
    for (size_t i = 0; i < N; ++i)
    {
        drawn.push_back(sizes.GetSize(random->GetValue(0, 1)));
    }
    std::sort(drawn.begin(), drawn.end());
    double distance = 0;
    for (size_t i = 0; i < N; ++i)
    {
        if (i + 1 < N && drawn[i + 1] == drawn[i])
        {
            continue; // a step: the last of equal ones is where both have passed it
        }
        const double empirical = static_cast<double>(i + 1) / N;
        distance = std::max(distance, std::abs(empirical - sizes.GetShare(drawn[i])));
    }
    EXPECT_LT(distance, 1.95 / std::sqrt(N));

    std::map<uint64_t, double> observed; // by upper edge of a part
    std::vector<uint64_t> edges;
    for (uint32_t part = 1; part <= 50; ++part)
    {
        edges.push_back(part == 50 ? sizes.GetLongest() : sizes.GetSize(part / 50.0));
    }
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (uint64_t size : drawn)
    {
        ++observed[*std::lower_bound(edges.begin(), edges.end(), size)];
    }
    double chiSquare = 0;
    double below = 0;
    for (uint64_t edge : edges)
    {
        const double expected = N * (sizes.GetShare(edge) - below);
        below = sizes.GetShare(edge);
        chiSquare += (observed[edge] - expected) * (observed[edge] - expected) / expected;
    }
    EXPECT_LT(chiSquare, 85.4) << edges.size() << " parts";

    // The mean, within 4 standard errors.
    double sum = 0;
    for (uint64_t size : drawn)
    {
        sum += static_cast<double>(size);
    }
    const double mean = sizes.GetMeanBytes();
    const double error = std::sqrt((MeanSquare(sizes) - mean * mean) / N);
    EXPECT_NEAR(sum / N, mean, 4 * error);
}

INSTANTIATE_TEST_SUITE_P(Published,
                         Distances,
                         testing::ValuesIn(GetFlowSizeTableNames()),
                         [](const auto& name) {
                             std::string text = name.param;
                             std::replace(text.begin(), text.end(), '-', '_');
                             return text;
                         });

// ---------------------------------------------------------------- load

TEST_F(FlowGeneratorTest, LoadIsAsAsked)
{
    // A compound Poisson process: the bytes of a time T have mean r T and variance
    // (flows of T) x mean square of a size.
    for (double load : {0.3, 0.5, 0.8})
    {
        for (const char* name : {"websearch", "fb-hadoop"})
        {
            const FlowSizeDistribution sizes = Published(name);
            const Time duration = MilliSeconds(name[0] == 'w' ? 200 : 20);
            const auto flows = Generate(Parameters(sizes, load, duration));
            const double expected = 64 * load * RATE / 8 * duration.GetSeconds();
            const double count = expected / sizes.GetMeanBytes();
            const double error = std::sqrt(count * MeanSquare(sizes));
            EXPECT_NEAR(SumBytes(flows), expected, 4 * error) << name << " " << load;
            EXPECT_LT(4 * error, 0.12 * expected) << "too few flows to tell";
            EXPECT_NEAR(static_cast<double>(flows.size()), count, 4 * std::sqrt(count));
        }
    }
}

TEST_F(FlowGeneratorTest, LoadOnTheWireCountsHeaders)
{
    // Flows of 10000 B in frames of 1000 B: 10 frames x 82 B and 16 B once.
    FlowGeneratorParameters parameters =
        Parameters(FlowSizeDistribution(10000), 0.5, MilliSeconds(20));
    parameters.overhead = {1000, 82, 16};
    EXPECT_DOUBLE_EQ(FlowGenerator(parameters).GetMeanLoadBytes(), 10836);
    const auto flows = Generate(parameters);
    const double expected = 64 * 0.5 * RATE / 8 * 0.02 / 10836;
    EXPECT_NEAR(static_cast<double>(flows.size()), expected, 4 * std::sqrt(expected));
}

TEST_F(FlowGeneratorTest, ArrivalsArePoisson)
{
    // Of one host: intervals are exponential. Kolmogorov and Smirnov as above; and the flows of
    // 100 us each have as much variance as mean: of n counts the ratio is within 4 sqrt(2/n) of 1.
    FlowGeneratorParameters parameters =
        Parameters(FlowSizeDistribution(1000), 0.02, MilliSeconds(100));
    std::vector<int64_t> starts;
    int64_t before = 0;
    for (const GeneratedFlow& flow : Generate(parameters))
    {
        EXPECT_GE(flow.start, before) << "out of order";
        before = flow.start;
        if (flow.source == 5)
        {
            starts.push_back(flow.start);
        }
    }
    const double mean = 1000 * 8 / (0.02 * RATE) * STEPS_PER_SECOND;
    std::vector<double> intervals;
    for (size_t i = 0; i < starts.size(); ++i)
    {
        intervals.push_back(static_cast<double>(starts[i] - (i == 0 ? 0 : starts[i - 1])));
    }
    std::sort(intervals.begin(), intervals.end());
    ASSERT_GT(intervals.size(), 20000U); // 25000 expected
    const auto n = static_cast<double>(intervals.size());
    double distance = 0;
    for (size_t i = 0; i < intervals.size(); ++i)
    {
        const double exponential = 1 - std::exp(-intervals[i] / mean);
        distance = std::max(distance, std::abs(exponential - static_cast<double>(i) / n));
        distance = std::max(distance, std::abs(exponential - static_cast<double>(i + 1) / n));
    }
    EXPECT_LT(distance, 1.95 / std::sqrt(n));

    std::vector<double> counts(1000, 0);
    for (int64_t start : starts)
    {
        ++counts[static_cast<size_t>(start / 100'000'000)];
    }
    const double countMean = n / 1000;
    double variance = 0;
    for (double count : counts)
    {
        variance += (count - countMean) * (count - countMean) / 999;
    }
    EXPECT_NEAR(variance / countMean, 1, 4 * std::sqrt(2.0 / 1000));
}

TEST_F(FlowGeneratorTest, OnOffArrivalsKeepTheLoadAndComeInBursts)
{
    // On 20 us, off 80 us: a host's flows of a time that is long against both have
    // variance / mean = 1 + 2 m (1-p) t p' with m the rate when on and 1/t = 1/on + 1/off; far
    // above a Poisson process' 1. The load stays.
    FlowGeneratorParameters parameters =
        Parameters(FlowSizeDistribution(1000), 0.1, MilliSeconds(40));
    parameters.onOff = OnOffPattern{MicroSeconds(20), MicroSeconds(80)};
    const auto flows = Generate(parameters);
    const double rateOn = 0.1 * RATE / 8 / 1000 * 5;       // flows a second in on-times
    const double relaxation = 1 / (1 / 20e-6 + 1 / 80e-6); // of the state, seconds
    const double dispersion = 1 + 2 * rateOn * 0.8 * relaxation;
    const double expected = 64 * 0.1 * RATE / 8 / 1000 * 0.04;
    EXPECT_NEAR(static_cast<double>(flows.size()), expected, 4 * std::sqrt(expected * dispersion));
    std::map<std::pair<uint32_t, int64_t>, double> counts; // host, millisecond
    for (const GeneratedFlow& flow : flows)
    {
        ++counts[{flow.source, flow.start / 1'000'000'000}];
    }
    const double mean = expected / (64 * 40);
    double variance = 0;
    for (uint32_t host = 0; host < 64; ++host)
    {
        for (int64_t ms = 0; ms < 40; ++ms)
        {
            const double count = counts[{host, ms}];
            variance += (count - mean) * (count - mean) / (64 * 40);
        }
    }
    // A millisecond is 62 relaxation times: the figure is 1.6 % below its limit.
    EXPECT_NEAR(variance / mean, dispersion, 0.15 * dispersion);
    EXPECT_GT(dispersion, 100);
}

TEST_F(FlowGeneratorTest, EndsByTimeOrByCount)
{
    FlowGeneratorParameters parameters =
        Parameters(FlowSizeDistribution(1000), 0.5, MilliSeconds(1));
    for (const GeneratedFlow& flow : Generate(parameters))
    {
        EXPECT_LT(flow.start, MilliSeconds(1).GetTimeStep());
    }
    parameters.flows = 17;
    EXPECT_EQ(Generate(parameters).size(), 17U);
    parameters.duration = Time(0);
    parameters.flows = 100000;
    EXPECT_EQ(Generate(parameters).size(), 100000U);
    parameters.flows = 0;
    EXPECT_NE(FlowGenerator::Check(parameters), "");
}

// ---------------------------------------------------------------- matrices

TEST_F(FlowGeneratorTest, UniformGoesToAllOthersAlike)
{
    const uint32_t hosts = 16;
    const auto flows =
        Generate(Parameters(FlowSizeDistribution(1000), 0.5, MilliSeconds(4), hosts));
    std::map<std::pair<uint32_t, uint32_t>, double> counts;
    for (const GeneratedFlow& flow : flows)
    {
        ASSERT_NE(flow.source, flow.destination);
        ++counts[{flow.source, flow.destination}];
    }
    EXPECT_EQ(counts.size(), hosts * (hosts - 1));
    const double expected = static_cast<double>(flows.size()) / (hosts * (hosts - 1));
    double chiSquare = 0;
    for (const auto& [pair, count] : counts)
    {
        chiSquare += (count - expected) * (count - expected) / expected;
    }
    EXPECT_LT(chiSquare, 313.4); // 239 degrees, once in a thousand times
}

TEST_F(FlowGeneratorTest, PermutationsAreOneToOne)
{
    std::set<std::vector<uint32_t>> seen;
    for (int64_t stream = 0; stream < 20; ++stream)
    {
        FlowGeneratorParameters parameters =
            Parameters(FlowSizeDistribution(1000), 0.5, MilliSeconds(1), 8);
        parameters.matrix = TrafficMatrix(TrafficMatrix::Kind::PERMUTATION, 8);
        std::map<uint32_t, std::set<uint32_t>> to;
        std::map<uint32_t, std::set<uint32_t>> from;
        for (const GeneratedFlow& flow : Generate(parameters, 10 * stream))
        {
            ASSERT_NE(flow.source, flow.destination);
            to[flow.source].insert(flow.destination);
            from[flow.destination].insert(flow.source);
        }
        std::vector<uint32_t> permutation;
        for (uint32_t host = 0; host < 8; ++host)
        {
            ASSERT_EQ(to[host].size(), 1U);
            ASSERT_EQ(from[host].size(), 1U);
            permutation.push_back(*to[host].begin());
        }
        seen.insert(permutation);
    }
    EXPECT_GT(seen.size(), 15U); // of 5040
}

TEST_F(FlowGeneratorTest, AllToAllTakesTurns)
{
    FlowGeneratorParameters parameters =
        Parameters(FlowSizeDistribution(1000), 0.5, MilliSeconds(1), 4);
    parameters.matrix = TrafficMatrix(TrafficMatrix::Kind::ALL_TO_ALL, 4);
    std::vector<uint32_t> of2;
    for (const GeneratedFlow& flow : Generate(parameters))
    {
        if (flow.source == 2)
        {
            of2.push_back(flow.destination);
        }
    }
    ASSERT_GT(of2.size(), 100U);
    const std::vector<uint32_t> turn{3, 0, 1};
    for (size_t i = 0; i < of2.size(); ++i)
    {
        ASSERT_EQ(of2[i], turn[i % 3]);
    }
}

TEST_F(FlowGeneratorTest, WeightsShareTheLoad)
{
    // Host 0 has the largest row: its load is what is asked for; host 1 has half of it, host 2
    // none.
    const std::vector<std::vector<double>> weights{{0, 3, 1}, {2, 0, 0}, {0, 0, 0}};
    FlowGeneratorParameters parameters =
        Parameters(FlowSizeDistribution(1000), 0.5, MilliSeconds(4), 3);
    parameters.matrix = TrafficMatrix(weights);
    std::map<std::pair<uint32_t, uint32_t>, double> counts;
    for (const GeneratedFlow& flow : Generate(parameters))
    {
        ++counts[{flow.source, flow.destination}];
    }
    const double all = 0.5 * RATE / 8 / 1000 * 4e-3; // 25000 flows of host 0
    EXPECT_EQ(counts.size(), 3U);
    EXPECT_NEAR((counts[{0, 1}]), 0.75 * all, 4 * std::sqrt(0.75 * all));
    EXPECT_NEAR((counts[{0, 2}]), 0.25 * all, 4 * std::sqrt(0.25 * all));
    EXPECT_NEAR((counts[{1, 0}]), 0.5 * all, 4 * std::sqrt(0.5 * all));
    EXPECT_NE(TrafficMatrix::CheckWeights({{0, 1}, {1, 1}}), "") << "to itself";
    EXPECT_NE(TrafficMatrix::CheckWeights({{0, 1}, {1}}), "") << "not square";
    EXPECT_NE(TrafficMatrix::CheckWeights({{0, -1}, {1, 0}}), "") << "negative";
    EXPECT_NE(TrafficMatrix::CheckWeights({{0, 0}, {0, 0}}), "") << "nothing";
}

// ---------------------------------------------------------------- incasts

TEST_F(FlowGeneratorTest, IncastsHaveTheirSendersAndLoad)
{
    FlowGeneratorParameters parameters = Parameters(Published("websearch"), 0.3, MilliSeconds(100));
    parameters.incast = IncastPattern{30, 50000, 0.1, std::nullopt};
    std::map<int64_t, std::vector<GeneratedFlow>> incasts;
    double incastBytes = 0;
    double backgroundBytes = 0;
    for (const GeneratedFlow& flow : Generate(parameters))
    {
        (flow.incast ? incastBytes : backgroundBytes) += static_cast<double>(flow.bytes);
        if (flow.incast)
        {
            incasts[flow.start].push_back(flow);
        }
    }
    std::set<uint32_t> receivers;
    for (const auto& [start, flows] : incasts)
    {
        ASSERT_EQ(flows.size(), 30U);
        std::set<uint32_t> senders;
        for (const GeneratedFlow& flow : flows)
        {
            EXPECT_EQ(flow.bytes, 50000U);
            EXPECT_EQ(flow.destination, flows[0].destination);
            senders.insert(flow.source);
        }
        EXPECT_EQ(senders.size(), 30U);
        EXPECT_EQ(senders.count(flows[0].destination), 0U);
        receivers.insert(flows[0].destination);
    }
    EXPECT_EQ(receivers.size(), 64U);
    const double expected = 0.1 * 64 * RATE / 8 * 0.1 / (30 * 50000); // 5333 incasts
    EXPECT_NEAR(static_cast<double>(incasts.size()), expected, 4 * std::sqrt(expected));
    EXPECT_NEAR(backgroundBytes, 0.3 * 64 * RATE / 8 * 0.1, 0.06 * 0.3 * 64 * RATE / 8 * 0.1);

    parameters.load = 0;
    parameters.incast->receiver = 9;
    for (const GeneratedFlow& flow : Generate(parameters))
    {
        ASSERT_TRUE(flow.incast);
        ASSERT_EQ(flow.destination, 9U);
    }
    parameters.incast->senders = 64;
    EXPECT_NE(FlowGenerator::Check(parameters), "");
}

// ---------------------------------------------------------------- determinism

TEST_F(FlowGeneratorTest, SameStreamsSameFlows)
{
    FlowGeneratorParameters parameters = Parameters(Published("fb-hadoop"), 0.5, MilliSeconds(2));
    parameters.incast = IncastPattern{10, 5000, 0.02, std::nullopt};
    auto same = [](const std::vector<GeneratedFlow>& a, const std::vector<GeneratedFlow>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
            return x.source == y.source && x.destination == y.destination && x.bytes == y.bytes &&
                   x.start == y.start && x.incast == y.incast;
        });
    };
    const auto flows = Generate(parameters, 5);
    EXPECT_GT(flows.size(), 1000U);
    EXPECT_TRUE(same(flows, Generate(parameters, 5)));
    EXPECT_FALSE(same(flows, Generate(parameters, 50)));
    RngSeedManager::SetSeed(2);
    EXPECT_FALSE(same(flows, Generate(parameters, 5)));
    RngSeedManager::SetSeed(1);
    // How long it goes on changes nothing about what has been.
    parameters.duration = MilliSeconds(1);
    const auto half = Generate(parameters, 5);
    EXPECT_TRUE(same(half, {flows.begin(), flows.begin() + static_cast<int64_t>(half.size())}));
}
