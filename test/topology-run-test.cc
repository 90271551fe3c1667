// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Every topology carries traffic: what ring all-reduces send over it by their closed form,
 * which NIC ports are used where a GPU has several, and what is refused. And what the program draws
 * and says of a topology.
 */

#include "program-run.h"

#include "ns3/cluster-presets.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/gpu-mesh-topology.h"
#include "ns3/nic-ways.h"
#include "ns3/nstime.h"
#include "ns3/rank-ports.h"
#include "ns3/three-tier-pod-topology.h"
#include "ns3/topology-drawing.h"
#include "ns3/topology-picture.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

using namespace ns3;
using namespace test;

namespace
{

/// Before any time is made.
const bool RESOLUTION_IS_SET = [] {
    Time::SetResolution(Time::PS);
    return true;
}();

constexpr uint64_t MIB = 1 << 20;

/// Where a run went, and how it ended.
class ProgramRun
{
  public:
    /// @param topology JSON @param workload JSON
    ProgramRun(const std::string& topology, const std::string& workload)
    {
        folder.Write("s.json",
                     "{\"topology\": {" + topology + "}, \"jobs\": [{\"workload\": {" + workload +
                         "}}], \"network\": {\"deadlockCheck\": \"off\"}}");
        result =
            RunProgram("run " + folder.PathOf("s.json") + " --quiet --out " + folder.PathOf("r"));
    }

    /// @return the rows of a file of the results
    std::vector<CsvRow> Rows(const std::string& file) const
    {
        return ReadCsv(folder.PathOf("r/" + file));
    }

    TemporaryFolder folder;
    ProgramResult result;
};

const std::string ALL_REDUCE =
    R"("type": "collective", "op": "all-reduce", "algorithm": "ring", "sizes": "1MiB")";

/// @param ports rows of links.csv @param prefix of ports' names @return payload that these sent
uint64_t
SentBy(const std::vector<CsvRow>& ports, const std::string& prefix)
{
    uint64_t sum = 0;
    for (const CsvRow& row : ports)
    {
        if (row.at("port").rfind(prefix, 0) == 0)
        {
            sum += std::stoull(row.at("tx_payload_bytes"));
        }
    }
    return sum;
}

std::string
Described(const std::string& topology, const std::string& options, const TemporaryFolder& folder)
{
    folder.Write("s.json",
                 "{\"topology\": {" + topology + "}, \"jobs\": [{\"workload\": {" + ALL_REDUCE +
                     "}}]}");
    ProgramResult result = RunProgram("describe " + folder.PathOf("s.json") + " " + options);
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
}

size_t
CountOf(const std::string& text, const std::string& what)
{
    size_t count = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    {
        ++count;
    }
    return count;
}

/// Expects that each element that is opened is closed, in the right order.
void
ExpectWellFormed(const std::string& xml)
{
    std::vector<std::string> open;
    for (size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1))
    {
        const size_t end = xml.find('>', at);
        ASSERT_NE(end, std::string::npos);
        const std::string tag = xml.substr(at + 1, end - at - 1);
        const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
        if (tag.front() == '/')
        {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ("/" + open.back(), tag);
            open.pop_back();
        }
        else if (tag.back() != '/' && tag.front() != '!' && name != "meta")
        {
            open.push_back(name);
        }
    }
    EXPECT_TRUE(open.empty());
}

} // namespace

// ---------------------------------------------------------------- traffic

TEST(TopologyRun, ARingSendsWhatItMustOnEveryTopology)
{
    // A ring all-reduce of S bytes over n ranks: each rank sends 2 (n - 1) / n S (Patarasu and
    // Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009); together
    // 2 (n - 1) S. With a GPU a host all of it goes over NIC ports.
    const std::map<std::string, uint64_t> ranks{
        {R"("type": "star", "hosts": 5)", 5},
        {R"("type": "leaf-spine")", 16},
        {R"("type": "fat-tree", "hostsPerEdge": 3, "coresPerAggregation": 1)", 24},
        {R"("type": "three-tier-pod", "leavesPerPod": 2)", 16},
        {R"("type": "dragonfly", "a": 2, "p": 2, "h": 1)", 12},
        {R"("type": "dragonfly-plus")", 20},
        {R"("type": "torus-2d", "x": 3, "y": 2)", 6},
        {R"("type": "torus-3d", "x": 2, "y": 2, "z": 3)", 12},
        {R"("type": "gpu-mesh", "gpus": 6)", 6},
        {R"("preset": "hpcc-320", "scale": 0.1)", 32}};
    for (const auto& [topology, n] : ranks)
    {
        SCOPED_TRACE(topology);
        ProgramRun run(topology, ALL_REDUCE);
        ASSERT_EQ(run.result.status, 0) << run.result.output;
        const std::vector<CsvRow> ports = run.Rows("links.csv");
        uint64_t sent = SentBy(ports, "host") + SentBy(ports, "gpu");
        ExpectClearToSend(sent - 2 * (n - 1) * MIB, run.Rows("messages.csv"));
        for (const CsvRow& port : ports)
        {
            EXPECT_EQ(port.at("drops"), "0") << port.at("port");
        }
    }
}

TEST(TopologyRun, AMeshUsesTheCableToThePeer)
{
    // Two rings, forth and back? No: ring order is by rank, so that the cable of each pair of
    // neighbours carries 2 (n - 1) / n S one way, and all others nothing.
    ProgramRun run(R"("type": "gpu-mesh", "gpus": 4)", ALL_REDUCE + R"(, "channels": 1)");
    ASSERT_EQ(run.result.status, 0) << run.result.output;
    std::map<std::pair<std::string, std::string>, uint64_t> sent;
    for (const CsvRow& row : run.Rows("links.csv"))
    {
        const std::string from = row.at("port").substr(0, 4);
        const std::string to = row.at("peer").substr(0, 4);
        sent[{from, to}] += std::stoull(row.at("tx_payload_bytes"));
    }
    EXPECT_EQ(sent.size(), 12U);
    size_t used = 0;
    uint64_t others = 0;
    for (const auto& [ends, bytes] : sent)
    {
        used += bytes == 2 * 3 * MIB / 4;
        others += bytes == 2 * 3 * MIB / 4 ? 0 : bytes;
    }
    EXPECT_EQ(used, 4U);
    ExpectClearToSend(others, run.Rows("messages.csv")); // the way back
}

TEST(TopologyRun, FlowsOfAMeshGoDirectly)
{
    ProgramRun run(R"("type": "gpu-mesh", "gpus": 5, "linksPerPair": 2)",
                   R"("type": "flows", "flows": [{"source": 1, "destination": 4, "bytes": 50000},
               {"source": 1, "destination": 4, "bytes": 60000}])");
    ASSERT_EQ(run.result.status, 0) << run.result.output;
    // Ports of gpu1: two each to gpu0, gpu2, gpu3, gpu4; the flows take them in turn.
    for (const CsvRow& row : run.Rows("links.csv"))
    {
        const uint64_t bytes = std::stoull(row.at("tx_payload_bytes"));
        const std::string& port = row.at("port");
        EXPECT_EQ(bytes, port == "gpu1:6" ? 50000U : port == "gpu1:7" ? 60000U : 0U) << port;
    }
}

TEST(TopologyRun, BothPlanesCarryACollective)
{
    ProgramRun run(R"("type": "dual-tor-dual-plane", "serversPerSegment": 2, "segments": 2,
               "gpusPerServer": 2)",
                   ALL_REDUCE);
    ASSERT_EQ(run.result.status, 0) << run.result.output;
    uint64_t byPlane[2] = {0, 0};
    for (const CsvRow& row : run.Rows("links.csv"))
    {
        const std::string& port = row.at("port");
        const size_t colon = port.find(':');
        if (port.rfind("server", 0) == 0 && colon != std::string::npos &&
            port.find('/') == std::string::npos)
        {
            byPlane[(port[colon + 1] - '0') % 2] += std::stoull(row.at("tx_payload_bytes"));
        }
    }
    EXPECT_GT(byPlane[0], 0U);
    // Whole messages in turn: the planes differ by less than one message in ten.
    const auto more = static_cast<double>(std::max(byPlane[0], byPlane[1]));
    const auto less = static_cast<double>(std::min(byPlane[0], byPlane[1]));
    EXPECT_LT(more / less, 1.1);
}

TEST(TopologyRun, MinimalRoutesOfADragonflyTakeOneGlobalCable)
{
    // Kim et al. 2008, section 4.2: when all hosts of a group send to the next group, minimal
    // routes share the one cable between the two groups. Groups 0 and 1 have a p = 8 hosts each.
    std::string flows;
    for (uint32_t host = 0; host < 8; ++host)
    {
        flows += std::string(host > 0 ? ", " : "") + "{\"source\": " + std::to_string(host) +
                 ", \"destination\": " + std::to_string(host + 8) + ", \"bytes\": 200000}";
    }
    ProgramRun run(R"("type": "dragonfly", "a": 4, "p": 2, "h": 2)",
                   "\"type\": \"flows\", \"flows\": [" + flows + "]");
    ASSERT_EQ(run.result.status, 0) << run.result.output;
    uint64_t global = 0;
    for (const CsvRow& row : run.Rows("links.csv"))
    {
        const std::string from = row.at("port").substr(0, 6);
        const std::string to = row.at("peer").substr(0, 6);
        const uint64_t bytes = std::stoull(row.at("tx_payload_bytes"));
        if (bytes > 0 && from.rfind("group", 0) == 0 && to.rfind("group", 0) == 0 && from != to)
        {
            EXPECT_EQ(from, "group0");
            EXPECT_EQ(to, "group1");
            ++global;
            EXPECT_EQ(bytes, 8 * 200000U);
        }
    }
    EXPECT_EQ(global, 1U);
}

TEST(TopologyRun, FlowsOfARankTakeItsPlanesInTurn)
{
    ProgramRun run(R"("type": "dual-tor-dual-plane", "gpusPerServer": 2)",
                   R"("type": "flows", "flows": [{"source": 1, "destination": 3, "bytes": 1000},
               {"source": 1, "destination": 5, "bytes": 1000}])");
    ASSERT_EQ(run.result.status, 0) << run.result.output;
    std::vector<CsvRow> messages = run.Rows("messages.csv");
    ASSERT_EQ(messages.size(), 2U);
    // Rank 1 is GPU 1 of server 0: NIC 1, ports 2 and 3.
    std::set<std::string> ways;
    for (const CsvRow& row : messages)
    {
        ways.insert(row.at("source") + " " + row.at("destination"));
    }
    EXPECT_EQ(ways, (std::set<std::string>{"server0:2 server1:2", "server0:3 server2:3"}));
}

TEST(TopologyRun, RailsWithoutSpinesAreApart)
{
    const std::string rails = R"("type": "rail-only", "servers": 2, "gpusPerServer": 4)";
    ProgramRun collective(rails, ALL_REDUCE); // the ring stays in its rails between servers
    EXPECT_EQ(collective.result.status, 0) << collective.result.output;
    ProgramRun flow(rails,
                    R"("type": "flows", "flows": [{"source": 0, "destination": 5, "bytes": 1}])");
    EXPECT_EQ(flow.result.status, 2);
    EXPECT_NE(flow.result.output.find("no route leads from server0:0 to server1:1"),
              std::string::npos)
        << flow.result.output;
}

TEST(TopologyRun, AGraphFileRuns)
{
    ProgramRun run(R"("file": "g.txt", "format": "graph")", ALL_REDUCE);
    EXPECT_EQ(run.result.status, 2) << "there is no such file yet";
    run.folder.Write("g.txt",
                     "host a\nhost b\nhost c\nswitch s 1\nlink a s 100Gbps 1us\n"
                     "link b s 100Gbps 1us weight=2\nlink s c 200Gbps 1us\n");
    ProgramResult again = RunProgram("run " + run.folder.PathOf("s.json") + " --quiet --out " +
                                     run.folder.PathOf("r"));
    EXPECT_EQ(again.status, 0) << again.output;
    const std::vector<CsvRow> ports = run.Rows("links.csv");
    uint64_t sent = SentBy(ports, "a") + SentBy(ports, "b") + SentBy(ports, "c");
    ExpectClearToSend(sent - 2 * 2 * MIB, run.Rows("messages.csv"));
}

TEST(NicWays, PairPortsOfOneNetwork)
{
    using Pairs = std::vector<std::pair<size_t, size_t>>;
    EXPECT_EQ(PairPorts({0}, {0}), (Pairs{{0, 0}}));
    EXPECT_EQ(PairPorts({0}, {1}), Pairs());
    EXPECT_EQ(PairPorts({0, 1}, {0, 1}), (Pairs{{0, 0}, {1, 1}})) << "planes";
    EXPECT_EQ(PairPorts({4, 5, 6}, {7, 5}), (Pairs{{1, 1}})) << "a mesh";
    EXPECT_EQ(PairPorts({0, 0}, {0, 0}), (Pairs{{0, 0}, {1, 1}})) << "two ports, one network";
    EXPECT_EQ(PairPorts({0}, {0, 0, 0}), (Pairs{{0, 0}, {0, 1}, {0, 2}}));
}

TEST(NicWays, RanksOfAMesh)
{
    GpuMeshParameters parameters;
    parameters.gpus = 4;
    RankPorts ranks(MakeGpuMesh(parameters), 1);
    EXPECT_EQ(ranks.GetPorts(2).size(), 3U);
    auto [from, to] = ranks.Next(1, 3);
    EXPECT_EQ(from.vertex, 1U);
    EXPECT_EQ(from.index, 2U); // after those to 0 and 2
    EXPECT_EQ(to.vertex, 3U);
    EXPECT_EQ(to.index, 1U); // after that to 0
}

// ---------------------------------------------------------------- drawings

TEST(Drawing, MergesWhatIsAlike)
{
    FatTreeParameters parameters; // k = 4: 16 hosts, two an edge switch
    FabricGraph graph = MakeFatTree(parameters);
    TopologyDrawing all = DrawTopology(graph);
    EXPECT_EQ(all.detail, TopologyDrawing::Detail::ALL);
    EXPECT_EQ(all.nodes.size(), 36U);
    EXPECT_EQ(all.links.size(), 48U);
    EXPECT_FALSE(all.isRound);
    TopologyDrawing hosts = DrawTopology(graph, 30);
    EXPECT_EQ(hosts.detail, TopologyDrawing::Detail::HOSTS);
    EXPECT_EQ(hosts.nodes.size(), 8U + 20);
    EXPECT_EQ(hosts.nodes[0].label, "host0 .. host1 (2)");
    EXPECT_EQ(hosts.links.size(), 8U + 32);
    TopologyDrawing kinds = DrawTopology(graph, 20); // hosts, edge, aggregation, core
    EXPECT_EQ(kinds.detail, TopologyDrawing::Detail::CLASSES);
    ASSERT_EQ(kinds.nodes.size(), 4U);
    EXPECT_EQ(kinds.nodes[1].label, "edge0 .. edge7 (8)");
    ASSERT_EQ(kinds.links.size(), 3U);
    EXPECT_EQ(DescribeCables(graph, kinds.links[2].edges), "16 x 400Gbps");
}

TEST(Drawing, LargeClustersStayReadable)
{
    FabricGraph graph = MakeThreeTierPod(
        std::get<ThreeTierPodParameters>(FindClusterPreset("meta-roce-24k")->parameters));
    TopologyDrawing drawing = DrawTopology(graph);
    ASSERT_EQ(drawing.nodes.size(), 4U);
    EXPECT_EQ(drawing.nodes[0].vertices.size(), 3072U);
    EXPECT_EQ(drawing.nodes[0].label, "host0 .. host3071 (3072)");
    std::ostringstream picture;
    WriteTopologySvg(picture, graph);
    EXPECT_LT(picture.str().size(), 10000U);
    ExpectWellFormed(picture.str());
}

TEST(Drawing, EveryCableHasItsLoad)
{
    FabricGraph graph = MakeFatTree(FatTreeParameters{});
    std::vector<CableLoad> loads(graph.GetEdges().size());
    loads[0].a.utilization = 1;
    loads[1].b.pausedSteps = 5'000'000;
    loads[2].a.drops = 7;
    std::ostringstream out;
    WriteTopologySvg(out, graph, loads);
    const std::string picture = out.str();
    ExpectWellFormed(picture);
    EXPECT_EQ(CountOf(picture, "<line "), 2U * 48) << "a half for each direction";
    EXPECT_EQ(CountOf(picture, "<circle "), 16U);
    EXPECT_EQ(CountOf(picture, "from host0: 100.0 % busy"), 1U);
    EXPECT_EQ(CountOf(picture, "stroke=\"#b00a14\""), 1U) << "the hottest colour";
    EXPECT_EQ(CountOf(picture, "from edge0: 0.0 % busy, paused 5.000000 us"), 1U);
    EXPECT_EQ(CountOf(picture, "fill=\"#e07000\""), 1U) << "its mark";
    EXPECT_EQ(CountOf(picture, "7 frames dropped or lost"), 1U);
    EXPECT_EQ(CountOf(picture, "stroke=\"#c00000\""), 1U) << "its mark";
}

// ---------------------------------------------------------------- describe and report

TEST(Describe, SaysTheNumbers)
{
    TemporaryFolder folder;
    const std::string text =
        Described(R"("type": "fat-tree", "k": 4, "hostsPerEdge": 4)", "", folder);
    for (const char* line :
         {"32 hosts, 20 switches, 64 links",
          "32, with 32 GPUs and 32 NIC ports, 10.0.0.1 to 10.0.0.32",
          "8 switches of 6 ports, 12800Gbps down, 6400Gbps up: 2.00 : 1",
          "8 switches of 4 ports, 6400Gbps down, 6400Gbps up: 1.00 : 1",
          "4 switches of 4 ports, 6400Gbps down",
          "2 to 6 cables between NIC ports",
          "3200Gbps from half of the hosts to the other, 50.0 % of their ports' rate",
          "all-reduce of 1 size, 1MiB; 1MiB in all",
          "32 ranks, GPUs 0-31"})
    {
        EXPECT_NE(text.find(line), std::string::npos) << line << "\nis not in\n" << text;
    }
}

TEST(Describe, DrawsAndWritesTheGraph)
{
    TemporaryFolder folder;
    const std::string topology = R"("type": "leaf-spine", "leaves": 3, "hostsPerLeaf": 2,
                                    "spines": 2, "linksPerSpine": 2)";
    const std::string text =
        Described(topology,
                  "--dot " + folder.PathOf("t.dot") + " --picture " + folder.PathOf("t.svg") +
                      " --graph " + folder.PathOf("t.txt"),
                  folder);
    const std::string dot = ReadBytes(folder.PathOf("t.dot"));
    EXPECT_EQ(CountOf(dot, "[label=\"host"), 6U);
    EXPECT_EQ(CountOf(dot, "[label=\"leaf"), 3U);
    EXPECT_EQ(CountOf(dot, "[label=\"spine"), 2U);
    EXPECT_EQ(CountOf(dot, " -- "), 6U + 6) << "parallel cables are one line";
    EXPECT_EQ(CountOf(dot, "[label=\"2 x 400Gbps\"]"), 6U);
    EXPECT_EQ(CountOf(dot, "rank=same"), 3U);
    EXPECT_EQ(CountOf(dot, "{"), CountOf(dot, "}"));
    const std::string picture = ReadBytes(folder.PathOf("t.svg"));
    ExpectWellFormed(picture);
    EXPECT_EQ(CountOf(picture, "<line "), 2U * 12);

    // The graph that was written is the same fabric.
    const std::string again = Described("\"file\": \"t.txt\", \"format\": \"graph\"", "", folder);
    auto numbers = [](const std::string& from) {
        return from.substr(from.find("  switches"), from.find("  job") - from.find("  switches"));
    };
    EXPECT_EQ(numbers(again), numbers(text));
    EXPECT_EQ(RunProgram("run --dot x " + folder.PathOf("s.json")).status, 2);
}

TEST(HtmlReport, IsOnePageAndTheSameEachTime)
{
    const std::string workload =
        R"("type": "flows", "flows": [{"source": 0, "destination": 3, "bytes": 4000000},
           {"source": 1, "destination": 3, "bytes": 4000000},
           {"source": 2, "destination": 3, "bytes": 4000000}])";
    ProgramRun one(R"("type": "star", "hosts": 4)", workload);
    ProgramRun other(R"("type": "star", "hosts": 4)", workload);
    ASSERT_EQ(one.result.status, 0) << one.result.output;
    const std::string page = ReadBytes(one.folder.PathOf("r/report.html"));
    EXPECT_EQ(page, ReadBytes(other.folder.PathOf("r/report.html")));
    ExpectWellFormed(page);
    // Nothing is fetched: the only addresses are the names of SVG's namespace.
    EXPECT_EQ(CountOf(page, "http"), CountOf(page, "xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_EQ(CountOf(page, "src="), 0U);
    EXPECT_EQ(CountOf(page, "href="), 0U);
    // Three into one: the receiver's cable is the hottest.
    const size_t table = page.find("Hottest links");
    ASSERT_NE(table, std::string::npos);
    const size_t first = page.find("<td>", table);
    EXPECT_EQ(page.substr(first, 39), "<td>switch:3</td><td>host3</td><td>400G");
    EXPECT_EQ(CountOf(page, "<circle "), 4U);
}
