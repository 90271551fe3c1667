// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Flow completion times: a lone flow's slowdown is 1 to the picosecond over topologies,
 * sizes and headers; percentiles, bins and Jain's index by hand; base round trips by hand and on
 * the wire.
 */

#include "ns3/base-rtt.h"
#include "ns3/fabric-helper.h"
#include "ns3/fct-statistics.h"
#include "ns3/scenario-runner.h"
#include "ns3/time-weighted-distribution.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;

namespace
{

const bool PICOSECONDS = (Time::SetResolution(Time::PS), true);

class FctTest : public testing::Test
{
};

/// A folder that goes with its owner.
struct TemporaryFolder
{
    std::filesystem::path path;

    explicit TemporaryFolder(const std::string& name)
        : path(std::filesystem::temp_directory_path() / name)
    {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
    }

    ~TemporaryFolder()
    {
        std::filesystem::remove_all(path);
    }
};

/// @param path of a csv file @return its rows, by column's name
std::vector<std::map<std::string, std::string>>
ReadCsv(const std::filesystem::path& path)
{
    std::ifstream in(path);
    std::string line;
    auto split = [](const std::string& text) {
        std::vector<std::string> words;
        std::stringstream stream(text);
        for (std::string word; std::getline(stream, word, ',');)
        {
            words.push_back(word);
        }
        return words;
    };
    std::getline(in, line);
    const std::vector<std::string> names = split(line);
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(in, line))
    {
        const std::vector<std::string> words = split(line);
        rows.emplace_back();
        for (size_t w = 0; w < words.size() && w < names.size(); ++w)
        {
            rows.back()[names[w]] = words[w];
        }
    }
    return rows;
}

/// Runs a scenario. @param json it @param folder where its file and results go @return what it
/// prints
std::string
RunScenario(const std::string& json, const TemporaryFolder& folder)
{
    const std::string file = (folder.path / "scenario.json").string();
    std::ofstream(file) << json;
    RunOptions options;
    options.quiet = true;
    options.out = (folder.path / "results").string();
    std::ostringstream out;
    ScenarioRunner runner(ReadScenario(file), options, out);
    EXPECT_EQ(runner.Run(), 0) << out.str();
    return out.str();
}

} // namespace

// ---------------------------------------------------------------- statistics

TEST_F(FctTest, PercentilesAreOfNearestRank)
{
    // Of 10 values: rank ceil(p n).
    std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    EXPECT_EQ(NearestRank(values, 50), 5);
    EXPECT_EQ(NearestRank(values, 51), 6);
    EXPECT_EQ(NearestRank(values, 95), 10);
    EXPECT_EQ(NearestRank(values, 90), 9);
    EXPECT_EQ(NearestRank(values, 0.1), 1);
    EXPECT_EQ(NearestRank(values, 100), 10);
    std::vector<double> thousand;
    for (int i = 1; i <= 1000; ++i)
    {
        thousand.push_back(i);
    }
    EXPECT_EQ(NearestRank(thousand, 99.9), 999);
    EXPECT_EQ(NearestRank(thousand, 99), 990);
    EXPECT_EQ(NearestRank({7}, 99.9), 7);
}

TEST_F(FctTest, JainIndexIsAsDefined)
{
    EXPECT_DOUBLE_EQ(JainIndex({3, 3, 3, 3}), 1);
    EXPECT_DOUBLE_EQ(JainIndex({5, 0, 0, 0}), 0.25);
    EXPECT_DOUBLE_EQ(JainIndex({1, 2, 3}), 36.0 / (3 * 14));
    EXPECT_DOUBLE_EQ(JainIndex({}), 1);
}

TEST_F(FctTest, BinsByEdges)
{
    FctStatistics statistics;
    for (auto [bytes, slowdown] : std::vector<std::pair<uint64_t, double>>{{1000, 1.0},
                                                                           {1001, 2.0},
                                                                           {5000, 4.0},
                                                                           {10000, 3.0},
                                                                           {10001, 9.0},
                                                                           {1, 5.0}})
    {
        statistics.Add(bytes, slowdown);
    }
    const auto bins = statistics.Evaluate(FctBins({1000, 10000}), {50, 99});
    ASSERT_EQ(bins.size(), 3U);
    EXPECT_EQ(bins[0].flows, 2U); // 1 and 1000
    EXPECT_EQ(bins[0].bytes, 1001U);
    EXPECT_DOUBLE_EQ(bins[0].mean, 3);
    EXPECT_EQ(bins[0].percentiles, (std::vector<double>{1, 5}));
    EXPECT_EQ(bins[1].flows, 3U); // 1001, 5000, 10000
    EXPECT_EQ(bins[1].above, 1000U);
    EXPECT_EQ(bins[1].upTo, 10000U);
    EXPECT_DOUBLE_EQ(bins[1].mean, 3);
    EXPECT_EQ(bins[1].percentiles, (std::vector<double>{3, 4}));
    EXPECT_EQ(bins[2].flows, 1U);
    EXPECT_EQ(bins[2].upTo, UINT64_MAX);
    EXPECT_DOUBLE_EQ(statistics.EvaluateAll({50}).mean, 4);
    EXPECT_EQ(statistics.EvaluateAll({50}).percentiles.front(), 3);
    EXPECT_TRUE(FctStatistics().EvaluateAll({50}).percentiles.empty());
}

TEST_F(FctTest, BinsOfHpccsScriptAreByRank)
{
    // 45 flows, parts of 5 %: part i has ranks 45 i / 20 to 45 (i + 1) / 20, so 2 or 3 flows.
    FctStatistics statistics;
    for (uint64_t i = 0; i < 45; ++i)
    {
        statistics.Add(1000 - 10 * i, static_cast<double>(i)); // the longest first
    }
    const auto bins = statistics.Evaluate(FctBins::ByName("hpcc"), {50});
    ASSERT_EQ(bins.size(), 20U);
    EXPECT_EQ(bins[0].flows, 2U);  // ranks 0, 1
    EXPECT_EQ(bins[1].flows, 2U);  // 2, 3 (45 x 2 / 20 = 4)
    EXPECT_EQ(bins[2].flows, 2U);  // 4, 5
    EXPECT_EQ(bins[3].flows, 3U);  // 6, 7, 8 (45 x 4 / 20 = 9)
    EXPECT_EQ(bins[19].flows, 3U); // 42, 43, 44
    EXPECT_EQ(bins[0].above, 1000U - 440);
    EXPECT_EQ(bins[0].upTo, 1000U - 430);
    EXPECT_EQ(bins[0].percentiles.front(), 43);
    EXPECT_EQ(bins[19].upTo, 1000U);
}

TEST_F(FctTest, NamedBinsHaveTheirEdges)
{
    // 5 % steps of the distribution's points, straight lines between: 5 % of 0 to 15 % at 10000 is
    // a third of it.
    const std::vector<uint64_t> websearch{
        3333,   6667,   10000,  20000,   25000,   30000,   40000,   50000,   61538,   73077,
        114286, 200000, 600000, 1000000, 1500000, 2000000, 3500000, 5000000, 8571429, 30000000};
    EXPECT_EQ(FctBins::ByName("hpcc-websearch").GetEdges(), websearch);
    const auto hadoop = FctBins::ByName("hpcc-fb-hadoop").GetEdges();
    EXPECT_EQ(hadoop.size(), 20U);
    EXPECT_EQ(hadoop[0], 300U);
    EXPECT_EQ(hadoop[2], 350U);
    EXPECT_EQ(hadoop[9], 700U);
    EXPECT_EQ(hadoop[19], 10000000U);
    EXPECT_EQ(FctBins::ByName("decades").GetEdges().front(), 1000U);
    EXPECT_EQ(FctBins::ByName("decades").GetEdges().size(), 7U);
}

TEST_F(FctTest, DistributionsOverTime)
{
    TimeWeightedDistribution lengths;
    lengths.Add(0, 50);
    lengths.Add(10, 30);
    lengths.Add(100, 20);
    EXPECT_DOUBLE_EQ(lengths.GetMean(), 23);
    EXPECT_EQ(lengths.GetPercentile(50), 0U);
    EXPECT_EQ(lengths.GetPercentile(51), 10U);
    EXPECT_EQ(lengths.GetPercentile(80), 10U);
    EXPECT_EQ(lengths.GetPercentile(99), 100U);
    EXPECT_EQ(lengths.GetLargest(), 100U);
    EXPECT_DOUBLE_EQ(lengths.GetShare(0), 0.5);
    EXPECT_DOUBLE_EQ(lengths.GetShare(99), 0.8);
    TimeWeightedDistribution cells(64);
    cells.Add(1, 10);
    cells.Add(65, 10);
    EXPECT_EQ(cells.GetPercentile(50), 64U) << "rounded up to cells";
    EXPECT_EQ(cells.GetPercentile(100), 65U) << "but not above the largest";
    EXPECT_DOUBLE_EQ(cells.GetMean(), 33);
}

// ---------------------------------------------------------------- lone flows

/// A flow alone in some fabric.
struct Lone
{
    const char* name;
    const char* topology;
    const char* network;
    uint32_t destination;
};

class LoneFlow : public testing::TestWithParam<std::tuple<Lone, uint64_t>>
{
};

TEST_P(LoneFlow, HasASlowdownOfOne)
{
    const auto& [lone, bytes] = GetParam();
    TemporaryFolder folder("fct-lone-" + std::string(lone.name) + "-" + std::to_string(bytes));
    RunScenario(std::string("{ \"topology\": ") + lone.topology + ", \"network\": " + lone.network +
                    ", \"jobs\": [ { \"workload\": { \"type\": \"flows\", \"flows\": [ { "
                    "\"source\": 0, \"destination\": " +
                    std::to_string(lone.destination) + ", \"bytes\": " + std::to_string(bytes) +
                    ", \"start\": \"1us\" } ] } } ], \"analysis\": {} }",
                folder);
    const auto rows = ReadCsv(folder.path / "results" / "fct.csv");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].at("fct_us"), rows[0].at("ideal_us")) << "to the picosecond";
    EXPECT_EQ(rows[0].at("slowdown"), "1.0000");
    EXPECT_EQ(rows[0].at("bytes"), std::to_string(bytes));
    EXPECT_EQ(rows[0].at("start_us"), "1.000000");
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(
    TopologiesAndSizes,
    LoneFlow,
    testing::Combine(
        testing::Values(
            Lone{"star", R"({ "type": "star", "hosts": 2, "linkRate": "100Gbps" })",
                 R"({ "congestionControl": "none", "mtu": 1024 })", 1},
            Lone{"slow_middle", R"({ "type": "leaf-spine", "leaves": 2, "hostsPerLeaf": 2, "spines": 1, "linkRate": "100Gbps", "uplinkRate": "40Gbps", "linkDelay": "777ns" })",
                 R"({ "congestionControl": "none", "mtu": 4096 })", 3},
            Lone{"fat_tree", R"({ "type": "fat-tree", "k": 4, "linkRate": "400Gbps", "linkDelay": "1us" })",
                 R"({ "congestionControl": "none", "mtu": 1000 })", 15},
            Lone{"headers", R"({ "type": "fat-tree", "k": 4, "linkRate": "25Gbps" })",
                 R"({ "congestionControl": "none", "mtu": 256, "ipVersion": 6, "vlan": 7, "reliability": "selective-repeat", "ackInterval": 1, "wire": { "preamble": 7, "interFrameGap": 5 } })", 9},
            Lone{"dcqcn", R"({ "type": "star", "hosts": 3, "linkRate": "200Gbps" })",
                 R"({ "congestionControl": "dcqcn", "mtu": 4096 })", 2}),
        testing::Values(1, 255, 1000, 4096, 4097, 65536, 1000003, 20000000)),
    [](const auto& test) {
        return std::string(std::get<0>(test.param).name) + "_" + std::to_string(std::get<1>(test.param));
    });

// clang-format on

TEST_F(FctTest, TwoFlowsThatShareALinkTakeTwiceAsLong)
{
    // Two senders, one receiver, PFC alone: each of two equal flows of many frames has half of the
    // link, so both end near 2, and neither below 1.
    TemporaryFolder folder("fct-two");
    RunScenario(R"({ "topology": { "type": "star", "hosts": 3, "linkRate": "100Gbps" },
        "network": { "congestionControl": "none" },
        "jobs": [ { "name": "two", "workload": { "type": "flows", "flows": [
            { "source": 0, "destination": 2, "bytes": "10MB" },
            { "source": 1, "destination": 2, "bytes": "10MB" } ] } } ],
        "analysis": { "bins": ["1MB", "20MB"], "percentiles": [50, 100] } })",
                folder);
    const auto rows = ReadCsv(folder.path / "results" / "slowdown.csv");
    ASSERT_EQ(rows.size(), 4U); // two bins, above, all
    EXPECT_EQ(rows[1].at("group"), "two");
    EXPECT_EQ(rows[1].at("flows"), "2");
    EXPECT_EQ(rows[1].at("above_bytes"), "1000000");
    EXPECT_EQ(rows[1].at("up_to_bytes"), "20000000");
    EXPECT_NEAR(std::stod(rows[1].at("mean")), 2, 0.02);
    EXPECT_EQ(rows[3].at("flows"), "2");
    EXPECT_EQ(rows[3].at("mean"), rows[1].at("mean"));
}

// ---------------------------------------------------------------- generated flows

TEST_F(FctTest, GeneratedFlowsRunAndAreReported)
{
    TemporaryFolder folder("fct-generated");
    const std::string printed =
        RunScenario(R"({ "topology": { "type": "star", "hosts": 8, "linkRate": "100Gbps" },
        "network": { "congestionControl": "dcqcn", "mtu": 1000 },
        "jobs": [ { "name": "web", "start": "3us", "workload": { "type": "flows",
            "sizes": "fb-hadoop", "load": 0.3, "duration": "1ms",
            "incast": { "senders": 5, "bytes": "20KB", "load": 0.05 } } } ],
        "analysis": { "bins": "hpcc-fb-hadoop", "sample": "5us" }, "output": { "messages": false } })",
                    folder);
    const auto flows = ReadCsv(folder.path / "results" / "fct.csv");
    double background = 0;
    size_t incast = 0;
    for (const auto& flow : flows)
    {
        EXPECT_EQ(flow.at("status"), "WC_SUCCESS");
        EXPECT_GE(std::stod(flow.at("slowdown")), 1.0);
        EXPECT_GE(std::stod(flow.at("start_us")), 3.0);
        EXPECT_LT(std::stod(flow.at("start_us")), 1003.0);
        incast += flow.at("group") == "web incast" ? 1 : 0;
        background += flow.at("group") == "web" ? 1 : 0;
    }
    // 8 hosts x 30 % x 100 Gb/s x 1 ms over a mean of 120.4 KB: 249 flows. Incasts: 5 of 20 KB, so
    // 50 x 5 flows are expected.
    EXPECT_NEAR(background, 249, 4 * std::sqrt(249));
    EXPECT_EQ(incast % 5, 0U);
    EXPECT_NEAR(static_cast<double>(incast) / 5, 50, 4 * std::sqrt(50));
    const auto bins = ReadCsv(folder.path / "results" / "slowdown.csv");
    EXPECT_EQ(bins.size(), 2U * 22);
    EXPECT_NE(printed.find("slowdown  web\n"), std::string::npos);
    EXPECT_NE(printed.find("slowdown  web incast\n"), std::string::npos);
    EXPECT_NE(printed.find("p99.9"), std::string::npos);
    const auto queues = ReadCsv(folder.path / "results" / "queue-distribution.csv");
    EXPECT_EQ(queues.size(), 9U); // eight ports, and all of them
    EXPECT_EQ(queues.back().at("port"), "all");
}

TEST_F(FctTest, FlowsOnPairsThatHaveBeenUsedRunAsOnNewOnes)
{
    // Flows of some 2 us at a low load for 20 ms: pairs are used again after a millisecond of rest.
    TemporaryFolder folder("fct-again");
    RunScenario(R"({ "topology": { "type": "star", "hosts": 2, "linkRate": "100Gbps" },
        "jobs": [ { "workload": { "type": "flows", "sizes": 10000, "load": 0.02,
            "duration": "20ms" } } ], "analysis": {}, "output": { "messages": false } })",
                folder);
    // 2 hosts x 2 % x 100 Gb/s x 20 ms / 80000 bits = 1000 flows.
    const auto flows = ReadCsv(folder.path / "results" / "fct.csv");
    EXPECT_NEAR(static_cast<double>(flows.size()), 1000, 4 * std::sqrt(1000));
    for (const auto& flow : flows)
    {
        ASSERT_EQ(flow.at("status"), "WC_SUCCESS");
        ASSERT_GE(std::stod(flow.at("slowdown")), 1.0);
    }
}

TEST_F(FctTest, TheScenarioAsResolvedReadsBack)
{
    TemporaryFolder folder("fct-resolved");
    const Scenario scenario =
        ReadScenario(AI_FABRIC_SOURCE_DIR "/examples/scenarios/websearch.json");
    const nlohmann::ordered_json resolved = ResolvedJson(scenario);
    const std::string file = (folder.path / "again.json").string();
    std::ofstream(file) << resolved.dump(2);
    const nlohmann::ordered_json again = ResolvedJson(ReadScenario(file));
    EXPECT_EQ(again["jobs"], resolved["jobs"]);
    EXPECT_EQ(again["analysis"], resolved["analysis"]);
    EXPECT_EQ(resolved["jobs"][0]["workload"]["sizes"].size(), 12U);
    EXPECT_EQ(resolved["jobs"][0]["workload"]["incast"]["senders"], 16);
    EXPECT_EQ(resolved["analysis"]["bins"], "hpcc-websearch");
}

// ---------------------------------------------------------------- base round trips

TEST_F(FctTest, BaseRttIsTheRoundTripOfAFullFrame)
{
    // Star, 100 Gb/s, 500 ns. A middle frame of 1000 B has 14 + 20 + 8 + 12 + 4 + 4 B more: 1062;
    // its ACK is 62 + 4 = 66 B. With 8 B of preamble at 80 ps a byte, over two links each way.
    FabricHelper fabric;
    FabricGraph graph = MakeGraph(StarParameters{2, DataRate("100Gbps"), NanoSeconds(500)});
    FabricNetwork network = fabric.Install(graph);
    const auto ports = network.GetHostPorts();
    const int64_t ingress =
        2 * (ports[0]->GetPeer()->GetIngressLatencySteps() + ports[0]->GetIngressLatencySteps());
    const RoundTripFrames frames = MakeRoundTripFrames(1000);
    EXPECT_EQ(frames.answerBytes, 66U);
    EXPECT_EQ(frames.dataBytes, 1062U);
    const int64_t expected = 2 * 80 * (1062 + 8) + 2 * 80 * (66 + 8) + 4 * 500'000 + ingress;
    EXPECT_EQ(network.BaseRtt(ports[0], ports[1], 1000).GetTimeStep(), expected);
    BaseRttTable table;
    EXPECT_EQ(table.GetSteps(ports[0], ports[1], frames), expected);
    EXPECT_EQ(table.GetLongestSteps(ports, frames), expected);
    Simulator::Destroy();
}
