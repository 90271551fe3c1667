// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Files in: quantities, JSON with lines, scenarios, and the HPCC family's files.
 */

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dcqcn-congestion-ops.h"
#include "ns3/hpcc-config.h"
#include "ns3/hpcc-flows.h"
#include "ns3/hpcc-results.h"
#include "ns3/json-document.h"
#include "ns3/nstime.h"
#include "ns3/quantity.h"
#include "ns3/scenario.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

using namespace ns3;

namespace fs = std::filesystem;

namespace
{

const InputPlace PLACE{"x.json", 7, "a.b"};
const std::string SCENARIOS = AI_FABRIC_SOURCE_DIR "/examples/scenarios/";
const std::string SHARED = AI_FABRIC_SOURCE_DIR "/../shared/data/";

/// @return what() of the InputError that a function throws; empty: none
template <typename F>
std::string
Complaint(F&& function)
{
    try
    {
        function();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

#define EXPECT_COMPLAINT(expression, part)                                                         \
    EXPECT_PRED2([](const std::string& text,                                                       \
                    const std::string& some) { return text.find(some) != std::string::npos; },     \
                 Complaint([&] { expression; }),                                                   \
                 part)

class FormatsTest : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        Time::SetResolution(Time::PS);
    }

    void SetUp() override
    {
        m_folder = fs::temp_directory_path() / ("ai-fabric-formats-" + std::to_string(::getpid()));
        fs::create_directories(m_folder);
    }

    void TearDown() override
    {
        fs::remove_all(m_folder);
    }

    std::string Write(const std::string& name, const std::string& text)
    {
        fs::path path = m_folder / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path.string();
    }

    fs::path m_folder;
};

uint64_t
Rate(const std::string& text)
{
    return ParseDataRate(text, PLACE).GetBitRate();
}

int64_t
Ps(const std::string& text)
{
    return ParseTime(text, PLACE).GetPicoSeconds();
}

} // namespace

// ---- quantities: expected values are the definitions of the prefixes

TEST_F(FormatsTest, DataRates)
{
    EXPECT_EQ(Rate("400Gbps"), 400'000'000'000U);
    EXPECT_EQ(Rate("0.5Gbps"), 500'000'000U);
    EXPECT_EQ(Rate("1.6Tbps"), 1'600'000'000'000U);
    EXPECT_EQ(Rate("50Mb/s"), 50'000'000U);
    EXPECT_EQ(Rate("7Kbps"), 7'000U);
    EXPECT_EQ(Rate("7kbps"), 7'000U);
    EXPECT_EQ(Rate("1bps"), 1U);
    EXPECT_EQ(Rate("100000000000"), 100'000'000'000U);
    EXPECT_EQ(Rate("4e11"), 400'000'000'000U);
    EXPECT_EQ(Rate("400 Gbps"), 400'000'000'000U);
    EXPECT_EQ(Rate("0.000000001Gbps"), 1U);
    EXPECT_EQ(Rate("25.78125Gbps"), 25'781'250'000U);
    EXPECT_COMPLAINT(Rate("0.3bps"), "finer than a bit a second");
    EXPECT_COMPLAINT(Rate("1e20bps"), "too large");
    EXPECT_COMPLAINT(Rate("99999999999999999999999999999999999999999bps"), "too large");
    EXPECT_COMPLAINT(Rate("1e999999999999bps"), "too large");
    EXPECT_COMPLAINT(Rate(""), "is not a data rate");
    EXPECT_COMPLAINT(Rate("Gbps"), "is not a data rate");
    EXPECT_COMPLAINT(Rate("."), "is not a data rate");
    EXPECT_COMPLAINT(Rate("0x10"), "is not a data rate");
    EXPECT_COMPLAINT(Rate("4 00Gbps"), "is not a data rate");
    EXPECT_COMPLAINT(Rate("400gbps"), "is not a data rate");
    EXPECT_COMPLAINT(Rate("nan"), "is not a data rate");
}

TEST_F(FormatsTest, LinkRates)
{
    // A frame of 256 bytes takes 512 ps at 4 Tb/s, and a picosecond is its 0.2 %: rounding, half.
    EXPECT_EQ(ParseLinkRate("4Tbps", PLACE).GetBitRate(), 4'000'000'000'000U);
    EXPECT_COMPLAINT(ParseLinkRate("4.1Tbps", PLACE), "at most 4Tbps");
}

TEST_F(FormatsTest, TheMessageOfABadRate)
{
    EXPECT_EQ(Complaint([] {
                  ParseDataRate("400Gpbs", {"quickstart.json", 12, "topology.linkRate"});
              }),
              "quickstart.json:12: topology.linkRate: \"400Gpbs\" is not a data rate; expected a "
              "number with unit bps, Kbps, Mbps, Gbps or Tbps, like \"400Gbps\"");
}

TEST_F(FormatsTest, Times)
{
    EXPECT_EQ(Ps("1us"), 1'000'000);
    EXPECT_EQ(Ps("0.5us"), 500'000);
    EXPECT_EQ(Ps("0.001ms"), 1'000'000);
    EXPECT_EQ(Ps("1000ns"), 1'000'000);
    EXPECT_EQ(Ps("0.0125ms"), 12'500'000);
    EXPECT_EQ(Ps("3ps"), 3);
    EXPECT_EQ(Ps("0.003ns"), 3);
    EXPECT_EQ(Ps("2"), 2'000'000'000'000); // plain: SI, so seconds
    EXPECT_EQ(Ps("1e-6"), 1'000'000);
    EXPECT_EQ(Ps("0s"), 0);
    EXPECT_EQ(Ps("-0s"), 0);
    EXPECT_EQ(Ps("0.100000000000000000000000000000000000us"), 100'000);
    EXPECT_EQ(Ps("1000000s"), 1'000'000'000'000'000'000); // the latest time
    EXPECT_COMPLAINT(Ps("1000000.000000000001s"), "too large");
    EXPECT_COMPLAINT(Ps("1e30s"), "too large");
    EXPECT_COMPLAINT(Ps("0.5ps"), "finer than a picosecond");
    EXPECT_COMPLAINT(Ps("1.00000000000000000000000000000000001s"), "finer than a picosecond");
    EXPECT_COMPLAINT(Ps("-1us"), "negative");
    EXPECT_COMPLAINT(Ps("1 fortnight"), "is not a time");
    EXPECT_COMPLAINT(Ps("1e"), "is not a time");
}

TEST_F(FormatsTest, Bytes)
{
    EXPECT_EQ(ParseBytes("64KiB", PLACE), 65'536U);
    EXPECT_EQ(ParseBytes("64MiB", PLACE), 67'108'864U);
    EXPECT_EQ(ParseBytes("64MB", PLACE), 64'000'000U);
    EXPECT_EQ(ParseBytes("1GiB", PLACE), 1'073'741'824U);
    EXPECT_EQ(ParseBytes("16GB", PLACE), 16'000'000'000U); // past 32 bits
    EXPECT_EQ(ParseBytes("3TiB", PLACE), 3'298'534'883'328U);
    EXPECT_EQ(ParseBytes("1.5KiB", PLACE), 1'536U);
    EXPECT_EQ(ParseBytes("4096", PLACE), 4'096U);
    EXPECT_EQ(ParseBytes("0", PLACE), 0U);
    EXPECT_EQ(ParseBytes("7B", PLACE), 7U);
    EXPECT_EQ(ParseBytes("9223372036854775807", PLACE), 9'223'372'036'854'775'807U);
    EXPECT_COMPLAINT(ParseBytes("9223372036854775808", PLACE), "too large");
    EXPECT_COMPLAINT(ParseBytes("8388608TiB", PLACE), "too large"); // 2^63
    EXPECT_COMPLAINT(ParseBytes("1.5B", PLACE), "finer than a byte");
    EXPECT_COMPLAINT(ParseBytes("64M", PLACE), "is not a number of bytes"); // 10^6 or 2^20?
    EXPECT_COMPLAINT(ParseBytes("64Mb", PLACE), "is not a number of bytes");
    EXPECT_COMPLAINT(ParseBytes("-1", PLACE), "negative");
}

TEST_F(FormatsTest, Sizes)
{
    using Sizes = std::vector<uint64_t>;
    EXPECT_EQ(ParseSizes("64KiB", PLACE), Sizes{65'536});
    EXPECT_EQ(ParseSizes("1MiB:8MiB:2", PLACE),
              (Sizes{1'048'576, 2'097'152, 4'194'304, 8'388'608}));
    EXPECT_EQ(ParseSizes("1KB:30KB:3", PLACE), (Sizes{1000, 3000, 9000, 27000})); // END between
    EXPECT_EQ(ParseSizes("1KB:1KB:2", PLACE), Sizes{1000});
    EXPECT_EQ(ParseSizes("1:4611686018427387904:2", PLACE).size(), 63U); // 2^0 to 2^62
    EXPECT_COMPLAINT(ParseSizes("1:2", PLACE), "START:END:FACTOR");
    EXPECT_COMPLAINT(ParseSizes("1:2:3:4", PLACE), "START:END:FACTOR");
    EXPECT_COMPLAINT(ParseSizes("0:8:2", PLACE), "size of 0");
    EXPECT_COMPLAINT(ParseSizes("8:4:2", PLACE), "ends below its start");
    EXPECT_COMPLAINT(ParseSizes("4:8:1.5", PLACE), "not a whole number");
}

TEST_F(FormatsTest, PlainNumbers)
{
    EXPECT_EQ(ParseUnsigned("18446744073709551615", PLACE), UINT64_MAX);
    EXPECT_COMPLAINT(ParseUnsigned("18446744073709551616", PLACE), "out of range");
    EXPECT_COMPLAINT(ParseUnsigned("-1", PLACE), "out of range");
    EXPECT_COMPLAINT(ParseUnsigned("1e", PLACE), "not a whole number");
    EXPECT_EQ(ParseUnsigned("1e3", PLACE), 1000U);
    EXPECT_EQ(ParseDouble("0.00390625", PLACE, 0, 1), 1.0 / 256);
    EXPECT_COMPLAINT(ParseDouble("1.1", PLACE, 0, 1), "out of range");
    EXPECT_COMPLAINT(ParseDouble("inf", PLACE, 0, 1), "not a number");
    EXPECT_EQ(ParseCountPs("2.000000051", PLACE, 1'000'000'000'000), 2'000'000'051'000);
    EXPECT_EQ(ParseCountPs("0.1234567890129", PLACE, 1'000'000'000'000), 123'456'789'012);
    EXPECT_EQ(ParseCountPs("40000000000000.00", PLACE, 1'000'000'000'000), INT64_MAX);
}

TEST_F(FormatsTest, FormattedQuantitiesReadBack)
{
    EXPECT_EQ(FormatDataRate(DataRate(400'000'000'000)), "400Gbps");
    EXPECT_EQ(FormatDataRate(DataRate(25'781'250'000)), "25781250Kbps");
    EXPECT_EQ(FormatTime(PicoSeconds(1'500'000)), "1500ns");
    EXPECT_EQ(FormatTime(Time(0)), "0s");
    EXPECT_EQ(FormatBytes(67'108'864), "64MiB");
    EXPECT_EQ(FormatBytes(64'000'001), "64000001B");
    for (const char* text : {"400Gbps", "25781250Kbps", "1Tbps", "3bps"})
    {
        EXPECT_EQ(FormatDataRate(ParseDataRate(text, PLACE)), text);
    }
}

// ---- JSON

TEST_F(FormatsTest, EveryJsonValueKnowsItsLine)
{
    JsonDocument document = ParseJson("{\n"               // 1
                                      "  \"a\": 12\n"     // 2: a number, and then a line ends
                                      "  ,\n"             // 3
                                      "  \"b\": {\n"      // 4
                                      "    \"c\":\n"      // 5
                                      "      \"text\",\n" // 6: a value on a line of its own
                                      "\n"
                                      "    \"d\": [ 1.50,\n" // 8
                                      "      true,\n"        // 9
                                      "      null ]\n"       // 10
                                      "  }\n"
                                      "}\n",
                                      "x.json");
    const JsonValue& root = document.root;
    EXPECT_EQ(root.line, 1U);
    EXPECT_EQ(root.Find("a")->line, 2U);
    EXPECT_EQ(root.Find("a")->text, "12");
    const JsonValue& b = *root.Find("b");
    EXPECT_EQ(b.line, 4U);
    EXPECT_EQ(b.Find("c")->line, 6U);
    EXPECT_EQ(b.Find("c")->text, "text");
    const JsonValue& d = *b.Find("d");
    EXPECT_EQ(d.line, 8U);
    ASSERT_EQ(d.elements.size(), 3U);
    EXPECT_EQ(d.elements[0].line, 8U);
    EXPECT_EQ(d.elements[0].text, "1.50"); // as written
    EXPECT_EQ(d.elements[1].line, 9U);
    EXPECT_EQ(d.elements[2].line, 10U);
    EXPECT_EQ(d.elements[2].kind, JsonValue::Kind::NONE);
    EXPECT_EQ(root.Find("e"), nullptr);
}

TEST_F(FormatsTest, LinesOfWindowsFiles)
{
    JsonDocument document = ParseJson("{\r\n\"a\": 1,\r\n\"b\": 2\r\n}\r\n", "x.json");
    EXPECT_EQ(document.root.Find("b")->line, 3U);
}

TEST_F(FormatsTest, JsonFaults)
{
    EXPECT_COMPLAINT(ParseJson("{\n\n\"a\" 1 }", "x.json"), "x.json:3: not JSON: ");
    EXPECT_COMPLAINT(ParseJson("{ \"a\": 1,\n\"a\": 2 }", "x.json"), "x.json:2: the key \"a\"");
    EXPECT_COMPLAINT(ParseJson("{ \"a\": 1 } 2", "x.json"), "x.json:1: not JSON: ");
    EXPECT_COMPLAINT(ParseJson("{ \"a\": 1e999 }", "x.json"), "x.json:1: not JSON: ");
    EXPECT_COMPLAINT(ParseJson("", "x.json"), "x.json:1: not JSON: ");
    EXPECT_COMPLAINT(ParseJson(std::string(100, '['), "x.json"), "nested too deep");
    // One key in two objects is no fault.
    EXPECT_EQ(Complaint([] { ParseJson("[ { \"a\": 1 }, { \"a\": 1 } ]", "x.json"); }), "");
}

TEST_F(FormatsTest, NearestWords)
{
    EXPECT_EQ(NearestWord("mut", {"pfc", "mtu"}), "mtu");
    EXPECT_EQ(NearestWord("linkrate", {"linkDelay", "linkRate"}), "linkRate");
    EXPECT_EQ(NearestWord("quantum", {"pfc", "mtu"}), "");
    EXPECT_EQ(ListWords({"a", "b", "c"}), "\"a\", \"b\" or \"c\"");
}

TEST_F(FormatsTest, UnknownKeysAreThoseNobodyAskedFor)
{
    JsonDocument document = ParseJson("{ \"mtu\": 1024,\n \"pcf\": true }", "x.json");
    JsonReader reader(document.root, "network");
    uint32_t mtu = 0;
    bool pfc = false;
    reader.Read("mtu", mtu, 64, 9000);
    reader.Read("pfc", pfc);
    EXPECT_EQ(mtu, 1024U);
    EXPECT_EQ(Complaint([&] { reader.RejectUnknownKeys(); }),
              "x.json:2: network.pcf: unknown key, did you mean \"pfc\"?; expected \"mtu\" or "
              "\"pfc\"");
}

// ---- overrides

TEST_F(FormatsTest, OverridesSetAndAdd)
{
    JsonDocument document =
        ParseJson("{ \"network\": { \"mtu\": 4096 }, \"jobs\": [ { \"name\": \"a\" } ] }",
                  "x.json");
    ApplyOverride(document, "network.mtu=1024");
    ApplyOverride(document, "network.pathSelection=ecmp");
    ApplyOverride(document, "jobs.0.name=b=c");
    ApplyOverride(document, "jobs[0].ranks=[0, 1]");
    ApplyOverride(document, "gpu.model=h100-sxm");
    const JsonValue& network = *document.root.Find("network");
    EXPECT_EQ(network.Find("mtu")->text, "1024");
    EXPECT_EQ(network.Find("mtu")->kind, JsonValue::Kind::NUMBER);
    EXPECT_EQ(network.Find("pathSelection")->kind, JsonValue::Kind::STRING);
    const JsonValue& job = document.root.Find("jobs")->elements[0];
    EXPECT_EQ(job.Find("name")->text, "b=c");
    EXPECT_EQ(job.Find("ranks")->elements.size(), 2U);
    EXPECT_EQ(document.root.Find("gpu")->Find("model")->text, "h100-sxm");
}

TEST_F(FormatsTest, OverridesThatLeadNowhere)
{
    JsonDocument document = ParseJson("{ \"seed\": 1, \"jobs\": [ 1 ] }", "x.json");
    EXPECT_COMPLAINT(ApplyOverride(document, "network.mtu"), "expected PATH=VALUE");
    EXPECT_COMPLAINT(ApplyOverride(document, "=1"), "expected PATH=VALUE");
    EXPECT_COMPLAINT(ApplyOverride(document, "seed.x=1"),
                     "--set seed.x=1: seed: is 1, which has nothing named \"x\"");
    EXPECT_COMPLAINT(ApplyOverride(document, "jobs.1=1"), "1 is out of range");
    // A misspelt key is found by the reader that knows the keys, at the command line's place.
    EXPECT_EQ(Complaint([] {
                  ReadScenario(SCENARIOS + "quickstart.json", {"network.mut=1024"});
              }).substr(0, 78),
              "--set network.mut=1024: network.mut: unknown key, did you mean \"mtu\"?; expecte");
    EXPECT_COMPLAINT(ReadScenario(SCENARIOS + "quickstart.json", {"netwrok.mtu=1024"}),
                     "--set netwrok.mtu=1024: netwrok: unknown key, did you mean \"network\"?");
    EXPECT_COMPLAINT(ReadScenario(SCENARIOS + "quickstart.json", {"network.mtu=10"}),
                     "--set network.mtu=10: network.mtu: 10 is out of range");
}

// ---- scenarios

TEST_F(FormatsTest, Quickstart)
{
    Scenario scenario = ReadScenario(SCENARIOS + "quickstart.json");
    EXPECT_EQ(scenario.name, "quickstart");
    EXPECT_EQ(scenario.seed, 1U);
    const auto& topology = std::get<RailOptimizedParameters>(scenario.topology);
    EXPECT_EQ(topology.servers, 2U);
    EXPECT_EQ(topology.spines, 8U);
    EXPECT_EQ(topology.spineRate.GetBitRate(), 400'000'000'000U);
    EXPECT_EQ(GetGpusPerServer(scenario.topology), 8U);
    EXPECT_EQ(scenario.network.congestionControl.name, "dcqcn");
    EXPECT_TRUE(scenario.network.pfc.enabled);
    EXPECT_EQ(scenario.network.mtu, 4096U);
    EXPECT_EQ(scenario.gpu.model, "h100-sxm");
    ASSERT_EQ(scenario.jobs.size(), 1U);
    EXPECT_EQ(scenario.jobs[0].ranks.size(), 16U);
    const auto& workload = std::get<CollectiveWorkload>(scenario.jobs[0].workload);
    EXPECT_EQ(workload.op, "all-reduce");
    EXPECT_EQ(workload.choice.algorithm, "ring");
    EXPECT_EQ(workload.sizes.size(), 9U); // 1, 2, 4, ... 256 MiB
    EXPECT_EQ(workload.sizes.back(), 268'435'456U);
}

TEST_F(FormatsTest, IncastScenario)
{
    Scenario scenario = ReadScenario(SCENARIOS + "incast.json");
    const auto& workload = std::get<FlowsWorkload>(scenario.jobs[0].workload);
    ASSERT_EQ(workload.flows.size(), 15U);
    for (uint32_t i = 0; i < 15; i++)
    {
        EXPECT_EQ(workload.flows[i].source, i);
        EXPECT_EQ(workload.flows[i].destination, 15U);
        EXPECT_EQ(workload.flows[i].bytes, 4'000'000U);
        EXPECT_EQ(workload.flows[i].trafficClass, 3U);
    }
}

TEST_F(FormatsTest, AResolvedScenarioIsAScenarioAgain)
{
    for (const char* name : {"quickstart", "incast"})
    {
        Scenario scenario = ReadScenario(SCENARIOS + name + ".json",
                                         {"attributes={\"ns3::RdmaNic::CnpDelay\": \"1us\"}"});
        nlohmann::ordered_json first = ResolvedJson(scenario);
        std::string path = Write("resolved.json", first.dump(2));
        nlohmann::ordered_json second = ResolvedJson(ReadScenario(path));
        EXPECT_EQ(first.dump(2), second.dump(2));
        EXPECT_EQ(first["network"]["ackInterval"], 16);
    }
}

TEST_F(FormatsTest, EveryKeyOfAScenario)
{
    Write("fabric.txt", "4 1 3\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0.25\n");
    Write("flows.txt", "2\n1 3 3 100 5000000000 0.000000001\n2 1 0 100 7 1\n");
    std::string path = Write("all.json", R"({
      "name": "all", "seed": 7,
      "topology": { "file": "fabric.txt", "format": "hpcc" },
      "network": {
        "technology": "rocev2",
        "congestionControl": { "name": "dcqcn", "preset": "paper",
                               "parameters": { "RateAi": "5Mbps", "FastRecoveryTimes": 3 } },
        "pfc": false, "mtu": 1000, "pathSelection": "ecmp", "ackInterval": 1, "timeout": 10,
        "retryCount": 3, "window": "100KB", "buffer": "32MiB", "bufferAlpha": 0.25,
        "cnpInterval": "4us", "ecn": { "kmin": "400KB", "kmax": "1600KB", "pmax": 0.2 },
        "wire": { "dataOverhead": 36, "controlFrame": 60, "preamble": 0, "interFrameGap": 0 }
      },
      "gpu": { "model": "h100-sxm", "scaleUpRate": "3.6Tbps", "hbmBandwidth": "26.8Tbps" },
      "jobs": [
        { "name": "c", "start": "2us", "ranks": [ 2, "0-1" ], "placement": "packed",
          "workload": { "type": "collective", "op": "all-reduce", "sizes": [ "2KiB", "1KB:4KB:2" ],
                        "dataType": "float16", "algorithm": "auto", "channels": 2,
                        "chunk": "512KiB", "iterations": 5 } },
        { "name": "f", "workload": { "type": "flows", "file": "flows.txt", "format": "hpcc" } }
      ],
      "background": [], "faults": [],
      "attributes": { "ns3::QueuePair::TrafficClass": 3, "ns3::RdmaNic::CnpInterval": "0.5us" },
      "output": { "dir": "out", "messages": false, "links": false, "pfc": true,
                  "pcap": [ "host1", "switch0" ], "timeline": false }
    })");
    Scenario s = ReadScenario(path);
    EXPECT_EQ(s.name, "all");
    EXPECT_EQ(s.seed, 7U);
    EXPECT_EQ(std::get<TopologyFile>(s.topology).file, (m_folder / "fabric.txt").string());
    FabricGraph graph = MakeGraph(s.topology);
    EXPECT_EQ(graph.Count(FabricGraph::Role::HOST), 3U);
    EXPECT_EQ(graph.GetEdges()[2].lossRate, 0.25);
    EXPECT_EQ(s.network.congestionControl.preset, "paper");
    ASSERT_EQ(s.network.congestionControl.parameters.size(), 2U);
    EXPECT_EQ(s.network.congestionControl.parameters[0].value, "5000000bps");
    EXPECT_FALSE(s.network.pfc.enabled);
    EXPECT_EQ(s.network.windowBytes, 100'000U);
    EXPECT_EQ(s.network.buffer.sizeBytes, 33'554'432U);
    EXPECT_EQ(s.network.buffer.alpha, 0.25);
    EXPECT_EQ(s.network.cnpInterval, MicroSeconds(4));
    EXPECT_EQ(s.network.ecn.front().kminBytes, 400'000U);
    EXPECT_EQ(s.network.ecn.front().pmax, 0.2);
    EXPECT_EQ(s.network.wire.dataOverhead, 36U);
    EXPECT_EQ(s.network.wire.interFrameGap, 0U);
    EXPECT_EQ(s.gpu.scaleUpRate->GetBitRate(), 3'600'000'000'000U);
    ASSERT_EQ(s.jobs.size(), 2U);
    EXPECT_EQ(s.jobs[0].start, MicroSeconds(2));
    EXPECT_EQ(s.jobs[0].ranks, (std::vector<uint32_t>{2, 0, 1}));
    const auto& collective = std::get<CollectiveWorkload>(s.jobs[0].workload);
    EXPECT_EQ(collective.sizes, (std::vector<uint64_t>{2048, 1000, 2000, 4000}));
    EXPECT_EQ(collective.choice.chunkBytes, 524'288U);
    EXPECT_EQ(collective.iterations, 5U);
    const auto& flows = std::get<FlowsWorkload>(s.jobs[1].workload).flows;
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_EQ(flows[0].source, 0U); // node 1 is the first host
    EXPECT_EQ(flows[0].destination, 2U);
    EXPECT_EQ(flows[0].bytes, 5'000'000'000U);
    EXPECT_EQ(flows[0].start, NanoSeconds(1));
    EXPECT_EQ(flows[1].trafficClass, 0U);
    ASSERT_EQ(s.attributes.size(), 2U);
    EXPECT_EQ(s.attributes[1].value, "500000ps");
    EXPECT_EQ(s.output.dir, "out");
    EXPECT_FALSE(s.output.messages);
    EXPECT_EQ(s.output.pcap.size(), 2U);
}

TEST_F(FormatsTest, EveryKeyOfSwitchesAndFaults)
{
    Write("routes.txt", "leaf0 * spine0\n");
    std::string path = Write("switches.json", R"({
      "topology": { "type": "leaf-spine", "leaves": 2, "hostsPerLeaf": 2, "spines": 2,
                    "linksPerSpine": 2 },
      "network": {
        "pfc": { "enabled": true, "classes": [ 3, 4 ], "quanta": 1000, "global": false,
                 "hostsObey": [ 3 ], "hostsAsk": [ 4 ],
                 "watchdog": { "detectionTime": "1ms", "restorationTime": "2ms",
                               "action": "forward" } },
        "pathSelection": { "name": "ecmp", "parameters": {}, "sharedSeed": true },
        "routing": { "file": "routes.txt", "convergenceTime": "30us" },
        "deadlockCheck": "refuse",
        "ecn": [ { "classes": [ 3 ], "kmin": "10KB", "kmax": "20KB", "pmax": 0.5,
                   "queueWeight": 0.002, "at": "dequeue" },
                 { "classes": [ 4 ], "marker": "step", "threshold": "65KB" } ],
        "buffer": { "preset": "tomahawk3", "size": "48MiB", "cellSize": "254B",
                    "reserved": "2KiB", "alpha": 0.5, "lossyAlpha": 2,
                    "headroom": { "pool": "8MiB", "oversubscription": 2 },
                    "pools": { "lossy": "4MiB", "egressLossless": "32MiB", "egressLossy": "3MiB" },
                    "referenceRate": "100Gbps",
                    "policy": { "name": "static-threshold",
                                "parameters": { "IngressBytes": 100000 } },
                    "parameters": { "XonOffset": 4096 } },
        "scheduling": { "strict": [ 7 ], "shares": { "3": 60, "4+5": 30, "0": 10 },
                        "portRate": "300Gbps", "classRates": { "0": "10Gbps" } },
        "telemetry": { "int": "hpcc", "trimming": { "TrimClass": 6 }, "dropMirror": { "collector": "host1",
                                        "parameters": { "SnapBytes": 64 } } }
      },
      "jobs": [ { "workload": { "type": "collective", "op": "all-reduce", "sizes": 4 } } ],
      "faults": [
        { "type": "link-down", "link": "leaf1-spine0", "index": 1, "at": "1us", "for": "2us" },
        { "type": "link-flap", "link": [ "spine1", "leaf0" ], "index": 0, "period": "5us",
          "downTime": "1us", "count": 3 },
        { "type": "one-way", "link": "host0-leaf0", "to": "host0" },
        { "type": "degraded-rate", "link": "leaf0-host1", "rate": "40Gbps" },
        { "type": "bit-errors", "link": "leaf0-host1", "ber": 1e-9, "fec": "kr4" },
        { "type": "loss", "link": "leaf0-host1", "rate": 0.125 },
        { "type": "switch-reboot", "switch": "spine1", "for": "1ms" },
        { "type": "slow-receiver", "host": "host3", "rate": "1Gbps", "buffer": "1MiB" },
        { "type": "pause-storm", "host": "host2", "classes": [ 3, 4 ], "for": "1ms" },
        { "type": "pause-storm", "host": "host2", "at": "1ms" },
        { "type": "nic-stop", "host": "host2", "port": 0 }
      ]
    })");
    Scenario s = ReadScenario(path);
    EXPECT_EQ(s.network.pfc.classes, 0x18);
    EXPECT_EQ(s.network.pfc.hostsObey, 0x08);
    EXPECT_EQ(s.network.pfc.watchdog->restorationTime, MilliSeconds(2));
    EXPECT_TRUE(s.network.pathSelection.sharedSeed);
    EXPECT_EQ(s.network.routing.file, (m_folder / "routes.txt").string());
    EXPECT_EQ(s.network.routing.convergenceTime, MicroSeconds(30));
    ASSERT_EQ(s.network.ecn.size(), 2U);
    EXPECT_EQ(s.network.ecn[1].thresholdBytes, 65'000U);
    EXPECT_EQ(s.network.markAt, "dequeue");
    EXPECT_EQ(s.network.buffer.headroomPoolBytes, 8U << 20);
    EXPECT_EQ(s.network.buffer.policy.parameters.front().value, "100000");
    ASSERT_EQ(s.network.scheduling.shares.size(), 3U);
    EXPECT_EQ(s.network.scheduling.shares[1].classes, 0x30);
    ASSERT_EQ(s.faults.size(), 11U);
    // Cables in the order of leaf-spine: hosts first, then leaf by leaf and spine by spine, 2 each.
    EXPECT_EQ(s.faults[0].edge, 4U + 4U + 1U);
    EXPECT_EQ(s.faults[0].where, "leaf1-spine0[1]");
    EXPECT_EQ(s.faults[1].edge, 4U + 2U);
    EXPECT_EQ(s.faults[1].GetEnd(), MicroSeconds(11)); // two periods, and down a third time
    EXPECT_EQ(s.faults[2].from, "leaf0");
    EXPECT_FALSE(s.faults[3].GetEnd());
    EXPECT_EQ(s.faults[7].bufferBytes, 1U << 20);
    EXPECT_EQ(s.faults[8].classes, 0x18);

    nlohmann::ordered_json first = ResolvedJson(s);
    nlohmann::ordered_json second = ResolvedJson(ReadScenario(Write("again.json", first.dump(2))));
    EXPECT_EQ(first.dump(2), second.dump(2));
    EXPECT_EQ(first["faults"].size(), 11U);
    EXPECT_EQ(first["network"]["buffer"]["pools"]["lossy"], "4MiB");
}

TEST_F(FormatsTest, DefaultsAreThoseOfTheStruct)
{
    std::string path =
        Write("small.json",
              "{ \"topology\": { \"type\": \"star\" }, \"jobs\": [ { \"workload\": { "
              "\"type\": \"collective\", \"op\": \"all-reduce\", \"sizes\": 4 } } ] }");
    Scenario s = ReadScenario(path);
    EXPECT_EQ(s.name, "small");
    EXPECT_EQ(std::get<StarParameters>(s.topology).hosts, StarParameters{}.hosts);
    EXPECT_EQ(s.network.timeout, NetworkConfig{}.timeout);
    EXPECT_EQ(s.jobs[0].name, "jobs[0]");
    EXPECT_EQ(s.jobs[0].ranks.size(), 16U);
    EXPECT_TRUE(s.output.messages);
}

TEST_F(FormatsTest, AttributesReachAFactory)
{
    std::vector<AttributeSetting> settings{
        {"ns3::DcqcnCongestionOps", "RateAi", "7Mbps"},
        {"ns3::QueuePair", "Mtu", "512"},
    };
    ObjectFactory factory("ns3::DcqcnCongestionOps");
    factory.Set("RateAi", DataRateValue(DataRate("5Mbps")));
    ApplyAttributes(settings, factory);
    DataRateValue rate;
    factory.Create<DcqcnCongestionOps>()->GetAttribute("RateAi", rate);
    EXPECT_EQ(rate.Get().GetBitRate(), 7'000'000U);
}

TEST_F(FormatsTest, DataTypes)
{
    EXPECT_EQ(GetElementBytes("float32"), 4U);
    EXPECT_EQ(GetElementBytes("bfloat16"), 2U);
    EXPECT_EQ(GetElementBytes("float23"), 0U);
}

// ---- the HPCC family's files

TEST_F(FormatsTest, HpccConfigInItsUnits)
{
    std::string path = Write("config.txt",
                             "ENABLE_QCN 1\r\n\r\n"
                             "TOPOLOGY_FILE mix/topology.txt\n"
                             "FLOW_FILE mix/flow.txt\n"
                             "# a remark\n"
                             "CC_MODE 1\nRP_TIMER 900 \nALPHA_RESUME_INTERVAL 1.5\n"
                             "EWMA_GAIN 0.00390625\nRATE_AI 50Mb/s\nRATE_HAI 100Mb/s\n"
                             "KMAX_MAP 2 25000000000 400 100000000000 1600\n"
                             "KMIN_MAP 2 25000000000 100 100000000000 400\n"
                             "PMAX_MAP 2 25000000000 0.2 100000000000 0.25\n"
                             "BUFFER_SIZE 32\nSIMULATOR_STOP_TIME 4.00\nQLEN_MON_START 5\n"
                             "LINK_DOWN 10 3 4\nL2_ACK_INTERVAL 1\nHAS_WIN 0\n");
    HpccConfig config = ReadHpccConfig(path);
    EXPECT_TRUE(config.enableQcn);
    EXPECT_EQ(config.topologyFile, "mix/topology.txt");
    EXPECT_EQ(config.rateIncreaseInterval, MicroSeconds(900));
    EXPECT_EQ(config.alphaInterval, NanoSeconds(1500));
    EXPECT_EQ(config.ewmaGain, 1.0 / 256);
    EXPECT_EQ(config.rateAi.GetBitRate(), 50'000'000U);
    EXPECT_EQ(config.kmaxBytes.at(100'000'000'000), 1'600'000U);
    EXPECT_EQ(config.kminBytes.at(25'000'000'000), 100'000U);
    EXPECT_EQ(config.pmax.at(100'000'000'000), 0.25);
    EXPECT_EQ(config.bufferBytes, 32U << 20);
    EXPECT_EQ(config.stopTime, Seconds(4));
    EXPECT_EQ(config.queueLengthStart, NanoSeconds(5));
    ASSERT_TRUE(config.linkDown);
    EXPECT_EQ(config.linkDown->at, Seconds(2) + MicroSeconds(10));
    EXPECT_EQ(config.linkDown->b, 4U);
    EXPECT_FALSE(config.hasWindow);
    EXPECT_EQ(config.packetPayloadBytes, 1000U); // the family's default
    EXPECT_EQ(GetHpccCcModeName(config.ccMode), "DCQCN");
    EXPECT_EQ(GetHpccCcModeName(10), "HPCC-PINT");
    EXPECT_EQ(GetHpccCcModeName(12), "no congestion control");
    EXPECT_EQ(GetHpccCcModeName(13), "mode 13");

    config = ReadHpccConfig(path,
                            {"SIMULATOR_STOP_TIME=40000000000000.00",
                             "KMAX_MAP=1 400000000000 3200",
                             "LINK_DOWN=0 0 0"});
    EXPECT_FALSE(config.stopTime); // beyond 2^63 ps
    EXPECT_EQ(config.kmaxBytes.size(), 1U);
    EXPECT_FALSE(config.linkDown);
    EXPECT_COMPLAINT(ReadHpccConfig(path, {"CC_MOD=1"}), "--set CC_MOD=1: CC_MOD: unknown key");
    EXPECT_COMPLAINT(ReadHpccConfig(path, {"CC_MODE"}), "expected KEY=VALUE");
}

TEST_F(FormatsTest, HpccFilesAreFoundWhereTheyAre)
{
    const std::string text = "ENABLE_QCN 0\nTOPOLOGY_FILE mix/topology.txt\nFLOW_FILE flow.txt\n";
    Write("a/config.txt", text);
    Write("a/mix/topology.txt", "");
    Write("b/mix/config.txt", text);
    Write("b/mix/topology.txt", "");
    Write("c/config.txt", text);
    Write("c/topology.txt", "");
    Write("d/config.txt", text);
    auto find = [&](const std::string& folder) {
        HpccConfig config = ReadHpccConfig((m_folder / folder / "config.txt").string());
        return FindHpccFile(config, "TOPOLOGY_FILE");
    };
    EXPECT_EQ(find("a"), (m_folder / "a/mix/topology.txt").string());
    EXPECT_EQ(find("b/mix"), (m_folder / "b/mix/topology.txt").string()); // by the folder above
    EXPECT_EQ(find("c"), (m_folder / "c/topology.txt").string());         // by its bare name
    std::string complaint = Complaint([&] { find("d"); });
    for (const char* tried :
         {"config.txt:2: TOPOLOGY_FILE", "d/mix/topology.txt", "d/topology.txt"})
    {
        EXPECT_NE(complaint.find(tried), std::string::npos) << complaint;
    }
}

TEST_F(FormatsTest, HpccTopologyAndFlows)
{
    std::string path = Write("topology.txt",
                             "5 2 4\n"
                             "1\n4\n" // ids may go over lines
                             "0 1 100Gbps 0.001ms 0\n"
                             "2 1 25Gbps 1000ns 0.001\n"
                             "\n"
                             "1 4 400Gbps 0.0005ms 0.000000\n"
                             "3 4 100Gbps 1us 0\n"
                             "4 9 comment that is no link\n");
    HpccTopology topology = ReadHpccTopology(path, 0.5);
    EXPECT_EQ(topology.hostIds, (std::vector<uint32_t>{0, 2, 3}));
    const auto& vertices = topology.graph.GetVertices();
    ASSERT_EQ(vertices.size(), 5U);
    EXPECT_EQ(vertices[2].name, "host2");
    EXPECT_EQ(vertices[4].name, "switch4");
    EXPECT_EQ(vertices[4].role, FabricGraph::Role::SWITCH);
    const auto& edges = topology.graph.GetEdges();
    ASSERT_EQ(edges.size(), 4U);
    EXPECT_EQ(edges[0].delay.GetPicoSeconds(), 1'000'000);
    EXPECT_EQ(edges[1].rate.GetBitRate(), 25'000'000'000U);
    EXPECT_EQ(edges[1].lossRate, 0.001);
    EXPECT_EQ(edges[2].lossRate, 0.5); // 0: the configuration's
    EXPECT_EQ(edges[2].delay.GetPicoSeconds(), 500'000);

    std::string flowPath = Write("flow.txt",
                                 "2\r\n"
                                 "0 2 3 100 6000000000 2.000000051\r\n"
                                 "3 0 7 65535 1 0\r\n"
                                 "src0 dst0 3 dst_port0 size0 start_time0\r\n");
    std::vector<HpccFlow> flows = ReadHpccFlows(flowPath, topology.isHost);
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_EQ(flows[0].source, 0U);
    EXPECT_EQ(flows[0].destination, 2U);
    EXPECT_EQ(flows[0].priorityGroup, 3U);
    EXPECT_EQ(flows[0].destinationPort, 100U);
    EXPECT_EQ(flows[0].bytes, 6'000'000'000U); // past 32 bits
    EXPECT_EQ(flows[0].start.GetPicoSeconds(), 2'000'000'051'000);
    EXPECT_EQ(flows[1].destinationPort, 65535U);

    EXPECT_EQ(ReadHpccTraceNodes(Write("trace.txt", "3\n0 1\n7\n")),
              (std::vector<uint32_t>{0, 1, 7}));
    EXPECT_TRUE(ReadHpccTraceNodes(Write("trace.txt", "0\n\n")).empty());
}

TEST_F(FormatsTest, HpccThresholdsForEveryRateOfASwitch)
{
    HpccTopology topology =
        ReadHpccTopology(Write("topology.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 50Gbps 1us 0\n"));
    HpccConfig config = ReadHpccConfig(Write("config.txt",
                                             "CC_MODE 12\nTOPOLOGY_FILE t\nFLOW_FILE f\n"
                                             "KMIN_MAP 1 100000000000 1\n"
                                             "KMAX_MAP 1 100000000000 2\n"
                                             "PMAX_MAP 1 100000000000 1\n"));
    EXPECT_COMPLAINT(CheckHpccThresholds(config, topology),
                     "config.txt:4: KMIN_MAP: no value for 50Gbps");
    config.enableQcn = false;
    EXPECT_EQ(Complaint([&] { CheckHpccThresholds(config, topology); }), "");
}

TEST_F(FormatsTest, HpccResults)
{
    // Addresses by the family's formula: 0x0b000001 + (id / 256) 2^16 + (id mod 256) 2^8.
    EXPECT_EQ(GetHpccAddress(0), 0x0b000001U);
    EXPECT_EQ(GetHpccAddress(2), 0x0b000201U);
    EXPECT_EQ(GetHpccAddress(319), 0x0b013f01U);
    std::ostringstream fct;
    WriteHpccFct(fct, {2, 319, 10000, 100, 5'000'000'000, 2'000'000'000, 412'345, 400'001});
    EXPECT_EQ(fct.str(), "0b000201 0b013f01 10000 100 5000000000 2000000000 412345 400001\n");
    std::ostringstream longest;
    WriteHpccFct(longest,
                 {65535, 65535, 65535, 65535, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX});
    EXPECT_EQ(longest.str(),
              "0bffff01 0bffff01 65535 65535 18446744073709551615 18446744073709551615 "
              "18446744073709551615 18446744073709551615\n");
    std::ostringstream pfc;
    WriteHpccPfc(pfc, {125'091, 12, false, 1, true});
    WriteHpccPfc(pfc, {158'291, 16, true, 3, false});
    EXPECT_EQ(pfc.str(), "125091 12 0 1 1\n158291 16 1 3 0\n");
}

// ---- the published files, where they are at hand

TEST_F(FormatsTest, PublishedHpccTopologies)
{
    if (!fs::exists(SHARED + "inputs/hpcc"))
    {
        GTEST_SKIP() << "no " << SHARED << "inputs/hpcc";
    }

    struct Published
    {
        const char* file;
        uint32_t hosts; ///< first line: nodes - switches
        uint32_t switches;
        size_t links;
    };

    for (const Published& published :
         {Published{"topology.txt", 65, 1, 65},
          Published{"fat.txt", 320, 56, 480},
          Published{"ali_32host_10rack.txt", 320, 28, 800},
          Published{"astra_128_nodes_16_switch.txt", 128, 16, 192},
          Published{"astra_8_nodes_1_switch.txt", 8, 1, 8},
          Published{"conweave_fat_k4_100G_OS2.txt", 32, 20, 64},
          Published{"conweave_fat_k8_100G_OS2.txt", 256, 80, 512},
          Published{"conweave_leaf_spine_128_100G_OS2.txt", 128, 16, 192}})
    {
        SCOPED_TRACE(published.file);
        HpccTopology topology = ReadHpccTopology(SHARED + "inputs/hpcc/" + published.file);
        EXPECT_EQ(topology.graph.Count(FabricGraph::Role::HOST), published.hosts);
        EXPECT_EQ(topology.graph.Count(FabricGraph::Role::SWITCH), published.switches);
        EXPECT_EQ(topology.graph.GetEdges().size(), published.links);
        EXPECT_EQ(topology.hostIds.size(), published.hosts);
    }
    EXPECT_EQ(ReadHpccTraceNodes(SHARED + "inputs/hpcc/trace.txt").size(), 348U);
}

TEST_F(FormatsTest, PublishedHpccConfigs)
{
    if (!fs::exists(SHARED + "inputs/hpcc"))
    {
        GTEST_SKIP() << "no " << SHARED << "inputs/hpcc";
    }
    HpccConfig config = ReadHpccConfig(SHARED + "inputs/hpcc/config.txt");
    EXPECT_EQ(config.ccMode, 3U);
    EXPECT_EQ(config.kmaxBytes.at(50'000'000'000), 800'000U);
    HpccTopology topology = ReadHpccTopology(FindHpccFile(config, "TOPOLOGY_FILE"));
    CheckHpccThresholds(config, topology);
    std::vector<HpccFlow> flows = ReadHpccFlows(FindHpccFile(config, "FLOW_FILE"), topology.isHost);
    ASSERT_EQ(flows.size(), 2U); // the file says 2, and has more lines
    EXPECT_EQ(flows[1].bytes, 200'000'000U);
    EXPECT_EQ(flows[1].start, Seconds(2));

    HpccConfig astra = ReadHpccConfig(SHARED + "inputs/hpcc/astra_config.txt");
    EXPECT_EQ(astra.ccMode, 12U);
    EXPECT_FALSE(astra.stopTime);
    EXPECT_FALSE(astra.globalWindow);
    EXPECT_EQ(astra.kminBytes.size(), 6U);
}

TEST_F(FormatsTest, PublishedHpccRuns)
{
    if (!fs::exists(SHARED + "bench"))
    {
        GTEST_SKIP() << "no " << SHARED << "bench";
    }
    uint32_t read = 0;
    for (const char* folder : {"bench", "peer-results"})
    {
        for (const auto& entry : fs::recursive_directory_iterator(SHARED + folder))
        {
            std::string path = entry.path().string();
            if (path.find(".config.txt") == std::string::npos)
            {
                continue;
            }
            SCOPED_TRACE(path);
            HpccConfig config = ReadHpccConfig(path);
            HpccTopology topology = ReadHpccTopology(FindHpccFile(config, "TOPOLOGY_FILE"));
            CheckHpccThresholds(config, topology);
            EXPECT_FALSE(ReadHpccFlows(FindHpccFile(config, "FLOW_FILE"), topology.isHost).empty());
            EXPECT_EQ(ReadHpccTraceNodes(FindHpccFile(config, "TRACE_FILE")).size(), 0U);
            read++;
        }
    }
    EXPECT_GE(read, 24U); // 4 of bench, 5 x 4 of peer-results
}
