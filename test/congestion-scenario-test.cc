// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Every congestion control by its name in a scenario: presets are complete and valid at all
 * rates, the run uses what was named, pairs know their base round trip.
 */

#include "congestion-setup.h"

#include "ns3/congestion-presets.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/scenario-runner.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;

namespace
{

/// A folder that goes with its owner.
struct RunFolder
{
    std::filesystem::path path;

    explicit RunFolder(const std::string& name)
        : path(std::filesystem::temp_directory_path() / ("congestion-scenario-" + name))
    {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
    }

    ~RunFolder()
    {
        std::filesystem::remove_all(path);
    }
};

/// Four hosts, three of which send 200 KB to the fourth. @param control its congestion control,
/// JSON
/// @param more keys of "network", each with a comma before it
std::string
ThreeToOne(const std::string& control, const std::string& more = "")
{
    return R"({ "topology": { "type": "leaf-spine", "leaves": 2, "hostsPerLeaf": 2, "spines": 1,
                 "linkRate": "100Gbps" },
    "network": { "mtu": 1024, "congestionControl": )" +
           control + more + R"( },
    "jobs": [ { "name": "three-to-one", "workload": { "type": "flows", "flows": [
        { "source": 0, "destination": 3, "bytes": "200KB" },
        { "source": 1, "destination": 3, "bytes": "200KB" },
        { "source": 2, "destination": 3, "bytes": "200KB" } ] } } ] })";
}

struct Preset
{
    std::string algorithm;
    std::string name;
};

std::vector<Preset>
AllPresets()
{
    std::vector<Preset> all;
    for (const std::string& algorithm : GetCongestionControlNames())
    {
        for (const std::string& name : GetCongestionPresetNames(algorithm))
        {
            all.push_back({algorithm, name});
        }
    }
    return all;
}

std::string
NameOf(const testing::TestParamInfo<Preset>& test)
{
    std::string name = test.param.algorithm + "_" + test.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

class Presets : public testing::TestWithParam<Preset>
{
};

class CongestionScenario : public Presets
{
};

} // namespace

TEST(CongestionPresetNames, AreComplete)
{
    const std::vector<std::string> algorithms = AllCongestionControls();
    EXPECT_EQ(GetCongestionControlNames(), algorithms);
    EXPECT_EQ(GetScenarioNames("congestion-controls"), algorithms);
    auto has = [](const std::string& algorithm, const std::string& name) {
        const auto names = GetCongestionPresetNames(algorithm);
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const std::string& algorithm : algorithms)
    {
        const bool plain = algorithm == "none" || algorithm == "static";
        EXPECT_TRUE(has(algorithm, plain ? "default" : "paper")) << algorithm;
        EXPECT_FALSE(GetCongestionControlDescription(algorithm).empty());
    }
    for (const char* algorithm : {"dcqcn", "hpcc", "dctcp", "timely"})
    {
        EXPECT_TRUE(has(algorithm, "hpcc-simulator")) << algorithm;
    }
}

TEST_P(Presets, AreValidAtAllRates)
{
    const Preset& p = GetParam();
    for (const char* rate : {"10Gbps", "25Gbps", "100Gbps", "400Gbps", "1600Gbps"})
    {
        const CongestionPreset preset = GetCongestionPreset(p.algorithm, p.name, DataRate(rate));
        EXPECT_EQ(preset.algorithm, p.algorithm);
        EXPECT_EQ(preset.name, p.name);
        EXPECT_FALSE(preset.description.empty());
        EXPECT_EQ(preset.ops.GetTypeId().GetName(), GetCongestionControlType(p.algorithm));
        auto ops = preset.ops.Create<RdmaCongestionOps>();
        ASSERT_TRUE(ops);
        if (p.algorithm != "static")
        {
            EXPECT_EQ(ops->GetName(), p.algorithm);
        }
        if (preset.marking)
        {
            EXPECT_LE(preset.marking->kminBytes, preset.marking->kmaxBytes);
            EXPECT_GT(preset.marking->kmaxBytes, 0U);
            EXPECT_GT(preset.marking->pmax, 0);
            EXPECT_LE(preset.marking->pmax, 1);
        }
        if (ops->GetFeedback().ecnEcho)
        {
            EXPECT_TRUE(preset.marking) << "it looks at marks that nobody makes";
        }
    }
}

TEST_P(CongestionScenario, RunsByName)
{
    const Preset& p = GetParam();
    RunFolder folder(p.algorithm + "-" + p.name);
    const std::string file = (folder.path / "scenario.json").string();
    std::ofstream(file) << ThreeToOne("{ \"name\": \"" + p.algorithm + "\", \"preset\": \"" +
                                      p.name + "\" }");
    const Scenario scenario = ReadScenario(file);
    EXPECT_EQ(scenario.network.congestionControl.name, p.algorithm);
    EXPECT_EQ(scenario.network.congestionControl.preset, p.name);
    const auto resolved = ResolvedJson(scenario)["network"]["congestionControl"];
    EXPECT_EQ(resolved["name"], p.algorithm);
    EXPECT_EQ(resolved["preset"], p.name);
    RunOptions options;
    options.quiet = true;
    options.out = (folder.path / "results").string();
    std::ostringstream out;
    ScenarioRunner runner(scenario, options, out);
    EXPECT_EQ(runner.Run(), 0) << out.str();
    EXPECT_NE(out.str().find("3 completed, 0 failed"), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("drops = 0"), std::string::npos) << "lossless";
}

INSTANTIATE_TEST_SUITE_P(All, Presets, testing::ValuesIn(AllPresets()), NameOf);
INSTANTIATE_TEST_SUITE_P(All, CongestionScenario, testing::ValuesIn(AllPresets()), NameOf);

TEST(CongestionScenarioKeys, ScopeClockAndBaseRttAreRead)
{
    RunFolder folder("keys");
    const std::string file = (folder.path / "scenario.json").string();
    std::ofstream(file) << ThreeToOne(
        R"({ "name": "swift", "scope": "destination", "parameters": { "BaseRtt": "9us" } })",
        R"(, "baseRtt": "12us", "timestampResolution": "4ns")");
    const Scenario scenario = ReadScenario(file);
    EXPECT_EQ(scenario.network.congestionControl.scope, "destination");
    EXPECT_EQ(*scenario.network.baseRtt, MicroSeconds(12));
    EXPECT_EQ(scenario.network.timestampResolution, NanoSeconds(4));
    // As resolved it reads back as the same.
    const auto resolved = ResolvedJson(scenario);
    const std::string again = (folder.path / "again.json").string();
    std::ofstream(again) << resolved.dump(2);
    EXPECT_EQ(ResolvedJson(ReadScenario(again))["network"], resolved["network"]);
    RunOptions options;
    options.quiet = true;
    options.out = (folder.path / "results").string();
    std::ostringstream out;
    ScenarioRunner runner(scenario, options, out);
    EXPECT_EQ(runner.Run(), 0) << out.str();
}

TEST(CongestionScenarioKeys, AnotherTelemetryThanNeededIsRefused)
{
    RunFolder folder("telemetry");
    const std::string file = (folder.path / "scenario.json").string();
    std::ofstream(file) << ThreeToOne("\"hpcc\"", R"(, "telemetry": { "int": "int-md" })");
    RunOptions options;
    options.quiet = true;
    options.out = (folder.path / "results").string();
    std::ostringstream out;
    try
    {
        ScenarioRunner runner(ReadScenario(file), options, out);
        FAIL() << "was accepted";
    }
    catch (const InputError& error)
    {
        EXPECT_NE(std::string(error.what()).find("network.telemetry.int"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("hpcc"), std::string::npos);
    }
    Simulator::Destroy();
}

TEST(BaseRtt, IsThatOfThePairsOwnPath)
{
    // Hosts 0 and 1 at one leaf, host 2 at the other: 2 links and 4 links each way, as the fabric's
    // own figure says; test/fct-test.cc has that by hand.
    RunFolder folder("base-rtt");
    LeafSpineParameters parameters;
    parameters.leaves = 2;
    parameters.hostsPerLeaf = 2;
    parameters.spines = 1;
    parameters.linkRate = DataRate("100Gbps");
    parameters.uplinkRate = DataRate("100Gbps");
    RunOptions options;
    options.quiet = true;
    FabricRun run(MakeGraph(parameters), "test", ResultsFolder(folder.path.string()), options);
    run.Rdma().SetQueuePairAttribute("Mtu", UintegerValue(1024));
    run.Build();
    auto baseRtt = [&run](uint32_t destination) {
        std::vector<uint32_t> hosts;
        for (uint32_t v = 0; v < run.Graph().GetVertices().size(); ++v)
        {
            if (run.Graph().GetVertices()[v].role == FabricGraph::Role::HOST)
            {
                hosts.push_back(v);
            }
        }
        Ptr<QueuePair> from = run.CreateQueuePair(hosts[0], 0);
        Ptr<QueuePair> to = run.CreateQueuePair(hosts[destination], 0);
        QueuePair::Connect(from, to);
        TimeValue known;
        from->GetAttribute("BaseRtt", known);
        const auto& ports = run.Network().ports;
        EXPECT_EQ(known.Get(),
                  run.Network().BaseRtt(ports[hosts[0]][0], ports[hosts[destination]][0], 1024));
        return known.Get();
    };
    const Time near = baseRtt(1);
    const Time far = baseRtt(2);
    EXPECT_TRUE(near.IsStrictlyPositive());
    EXPECT_EQ(far, near + near) << "twice as many equal links, each way";
    Simulator::Destroy();
}
