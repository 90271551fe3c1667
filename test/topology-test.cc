// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The topology builders: how many of what, what is joined with what, how far and how wide,
 * by the formulas of the papers that introduced them; the presets of published clusters against the
 * published figures and files; and the file format of graphs.
 */

#include "ns3/cluster-presets.h"
#include "ns3/dragonfly-plus-topology.h"
#include "ns3/dragonfly-topology.h"
#include "ns3/dual-plane-topology.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/gpu-mesh-topology.h"
#include "ns3/graph-measures.h"
#include "ns3/graph-topology.h"
#include "ns3/hpcc-topology.h"
#include "ns3/input-error.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/nstime.h"
#include "ns3/rail-only-topology.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/star-topology.h"
#include "ns3/three-tier-pod-topology.h"
#include "ns3/torus-topology.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <queue>
#include <set>
#include <sstream>
#include <tuple>

using namespace ns3;

namespace
{

constexpr auto HOST = FabricGraph::Role::HOST;
constexpr auto SWITCH = FabricGraph::Role::SWITCH;

std::vector<std::vector<uint32_t>>
Neighbours(const FabricGraph& graph)
{
    std::vector<std::vector<uint32_t>> neighbours(graph.GetVertices().size());
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        neighbours[edge.a].push_back(edge.b);
        neighbours[edge.b].push_back(edge.a);
    }
    return neighbours;
}

uint32_t
Vertex(const FabricGraph& graph, const std::string& name)
{
    for (uint32_t v = 0; v < graph.GetVertices().size(); v++)
    {
        if (graph.GetVertices()[v].name == name)
        {
            return v;
        }
    }
    ADD_FAILURE() << "no vertex is called " << name;
    return 0;
}

/// @return cables on the shortest way, hosts not passed through
uint32_t
Hops(const FabricGraph& graph, uint32_t from, uint32_t to)
{
    auto neighbours = Neighbours(graph);
    std::vector<uint32_t> hops(neighbours.size(), UINT32_MAX);
    std::queue<uint32_t> open;
    hops[from] = 0;
    open.push(from);
    while (!open.empty())
    {
        uint32_t v = open.front();
        open.pop();
        for (uint32_t next : neighbours[v])
        {
            if (hops[next] == UINT32_MAX)
            {
                hops[next] = hops[v] + 1;
                if (graph.GetVertices()[next].role == SWITCH)
                {
                    open.push(next);
                }
            }
        }
    }
    return hops[to];
}

void
ExpectUniqueNames(const FabricGraph& graph)
{
    std::set<std::string> names;
    for (const FabricGraph::Vertex& vertex : graph.GetVertices())
    {
        EXPECT_TRUE(names.insert(vertex.name).second) << vertex.name;
    }
}

/// @return the switches of a tier
std::vector<uint32_t>
OfTier(const FabricGraph& graph, uint32_t tier)
{
    std::vector<uint32_t> found;
    for (uint32_t v = 0; v < graph.GetVertices().size(); v++)
    {
        const FabricGraph::Vertex& vertex = graph.GetVertices()[v];
        if (vertex.role == SWITCH && vertex.tier == tier)
        {
            found.push_back(v);
        }
    }
    return found;
}

/// Expects so many switches of so many ports in a tier.
void
ExpectTier(const FabricGraph& graph, uint32_t tier, size_t switches, size_t ports)
{
    SCOPED_TRACE("tier " + std::to_string(tier));
    auto neighbours = Neighbours(graph);
    EXPECT_EQ(OfTier(graph, tier).size(), switches);
    for (uint32_t v : OfTier(graph, tier))
    {
        EXPECT_EQ(neighbours[v].size(), ports) << graph.GetVertices()[v].name;
        EXPECT_LE(ports, 1024U);
    }
}

/// @return the largest number, plus 1
uint32_t
CountNetworks(const FabricGraph& graph)
{
    std::vector<uint32_t> networks = GetNetworks(graph);
    return *std::max_element(networks.begin(), networks.end()) + 1;
}

constexpr uint64_t GBPS = 1'000'000'000;

class TopologyTest : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        Time::SetResolution(Time::PS);
    }
};

/// A file that goes with the object.
class TextFile
{
  public:
    explicit TextFile(const std::string& text)
        : m_path(testing::TempDir() + "topology-test-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt")
    {
        std::ofstream(m_path) << text;
    }

    ~TextFile()
    {
        std::filesystem::remove(m_path);
    }

    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    std::string m_path;
};

/// @return what ReadGraphTopology() says of a text, from the line number on
std::string
Complaint(const std::string& text)
{
    TextFile file(text);
    try
    {
        ReadGraphTopology(file.GetPath());
    }
    catch (const InputError& error)
    {
        EXPECT_EQ(error.GetPlace().file, file.GetPath());
        return std::string(error.what()).substr(file.GetPath().size() + 1);
    }
    return "none";
}

} // namespace

TEST_F(TopologyTest, Star)
{
    StarParameters parameters;
    parameters.hosts = 5;
    parameters.linkRate = DataRate(100'000'000'000);
    parameters.linkDelay = NanoSeconds(7);
    FabricGraph graph = MakeStar(parameters);
    EXPECT_EQ(graph.Count(HOST), 5U);
    EXPECT_EQ(graph.Count(SWITCH), 1U);
    ASSERT_EQ(graph.GetEdges().size(), 5U);
    for (uint32_t h = 0; h < 5; h++)
    {
        EXPECT_EQ(graph.GetVertices()[h].name, "host" + std::to_string(h));
        EXPECT_EQ(graph.GetEdges()[h].a, h);
        EXPECT_EQ(graph.GetEdges()[h].b, 5U);
        EXPECT_EQ(graph.GetEdges()[h].rate.GetBitRate(), 100'000'000'000U);
        EXPECT_EQ(graph.GetEdges()[h].delay.GetPicoSeconds(), 7000);
        EXPECT_EQ(graph.GetEdges()[h].lossRate, 0);
    }
    parameters.hosts = 1;
    EXPECT_NE(parameters.Check(), "");
}

TEST_F(TopologyTest, LeafSpine)
{
    LeafSpineParameters parameters;
    parameters.leaves = 3;
    parameters.hostsPerLeaf = 4;
    parameters.spines = 2;
    parameters.linksPerSpine = 2;
    parameters.uplinkRate = DataRate(800'000'000'000);
    parameters.uplinkDelay = NanoSeconds(9);
    ASSERT_EQ(parameters.Check(), "");
    FabricGraph graph = MakeLeafSpine(parameters);
    EXPECT_EQ(graph.Count(HOST), 12U);                   // 3 x 4
    EXPECT_EQ(graph.Count(SWITCH), 5U);                  // 3 + 2
    ASSERT_EQ(graph.GetEdges().size(), 12U + 3 * 2 * 2); // a cable a host; leaves x spines x 2
    ExpectUniqueNames(graph);
    auto neighbours = Neighbours(graph);
    for (uint32_t h = 0; h < 12; h++)
    {
        uint32_t leaf = Vertex(graph, "leaf" + std::to_string(h / 4));
        EXPECT_EQ(neighbours[h], std::vector<uint32_t>{leaf});
    }
    for (uint32_t l = 0; l < 3; l++)
    {
        EXPECT_EQ(neighbours[Vertex(graph, "leaf" + std::to_string(l))].size(), 4U + 2 * 2);
    }
    for (uint32_t s = 0; s < 2; s++)
    {
        EXPECT_EQ(neighbours[Vertex(graph, "spine" + std::to_string(s))].size(), 3U * 2);
    }
    EXPECT_EQ(graph.GetEdges().back().rate.GetBitRate(), 800'000'000'000U);
    EXPECT_EQ(graph.GetEdges().back().delay.GetPicoSeconds(), 9000);
    EXPECT_EQ(Hops(graph, 0, 3), 2U);  // by the leaf
    EXPECT_EQ(Hops(graph, 0, 11), 4U); // by leaf, spine, leaf
}

TEST_F(TopologyTest, LeafSpineOfOneLeafNeedsNoSpine)
{
    LeafSpineParameters parameters;
    parameters.leaves = 1;
    parameters.spines = 0;
    EXPECT_EQ(parameters.Check(), "");
    parameters.leaves = 2;
    EXPECT_NE(parameters.Check(), "");
}

TEST_F(TopologyTest, FatTree)
{
    // Al-Fares et al. 2008, section 3: k^3/4 hosts, (k/2)^2 cores, k pods of k switches, and every
    // switch uses its k ports; three tiers of k^3/4 cables.
    for (uint32_t k : {2, 4, 6, 8})
    {
        SCOPED_TRACE(k);
        FatTreeParameters parameters;
        parameters.k = k;
        ASSERT_EQ(parameters.Check(), "");
        FabricGraph graph = MakeFatTree(parameters);
        EXPECT_EQ(graph.Count(HOST), k * k * k / 4);
        EXPECT_EQ(graph.Count(SWITCH), 5 * k * k / 4);
        EXPECT_EQ(graph.GetEdges().size(), 3 * k * k * k / 4);
        ExpectUniqueNames(graph);
        auto neighbours = Neighbours(graph);
        for (uint32_t v = 0; v < neighbours.size(); v++)
        {
            bool host = graph.GetVertices()[v].role == HOST;
            EXPECT_EQ(neighbours[v].size(), host ? 1 : k) << graph.GetVertices()[v].name;
            std::set<uint32_t> distinct(neighbours[v].begin(), neighbours[v].end());
            EXPECT_EQ(distinct.size(), neighbours[v].size()) << "parallel cables";
        }
    }
    FabricGraph graph = MakeFatTree(FatTreeParameters{});
    EXPECT_EQ(graph.Count(HOST), 16U); // the figures of k = 4, by hand
    EXPECT_EQ(graph.Count(SWITCH), 20U);
    EXPECT_EQ(graph.GetEdges().size(), 48U);
    EXPECT_EQ(Hops(graph, 0, 1), 2U);  // same edge switch
    EXPECT_EQ(Hops(graph, 0, 2), 4U);  // same pod
    EXPECT_EQ(Hops(graph, 0, 15), 6U); // another pod
}

TEST_F(TopologyTest, EveryCoreOfAFatTreeReachesEveryPodOnce)
{
    FatTreeParameters parameters;
    parameters.k = 6;
    FabricGraph graph = MakeFatTree(parameters);
    auto neighbours = Neighbours(graph);
    for (uint32_t c = 0; c < 9; c++)
    {
        std::set<uint32_t> pods;
        for (uint32_t a : neighbours[Vertex(graph, "core" + std::to_string(c))])
        {
            pods.insert((a - Vertex(graph, "aggregation0")) / 3);
        }
        EXPECT_EQ(pods.size(), 6U);
    }
}

TEST_F(TopologyTest, RailOptimizedOfTwoServers)
{
    RailOptimizedParameters parameters; // 2 servers of 8 GPUs
    ASSERT_EQ(parameters.Check(), "");
    FabricGraph graph = MakeRailOptimized(parameters);
    EXPECT_EQ(graph.Count(HOST), 2U);
    EXPECT_EQ(graph.Count(SWITCH), 8U + 8); // a leaf a rail, as many spines
    EXPECT_EQ(graph.GetEdges().size(), 2U * 8 + 8 * 8);
    ExpectUniqueNames(graph);
    auto neighbours = Neighbours(graph);
    for (uint32_t server = 0; server < 2; server++)
    {
        EXPECT_EQ(graph.GetVertices()[server].name, "server" + std::to_string(server));
        ASSERT_EQ(neighbours[server].size(), 8U);
        for (uint32_t rail = 0; rail < 8; rail++)
        {
            EXPECT_EQ(neighbours[server][rail], Vertex(graph, "pod0-rail" + std::to_string(rail)));
        }
    }
    for (uint32_t spine = 0; spine < 8; spine++)
    {
        EXPECT_EQ(neighbours[Vertex(graph, "spine" + std::to_string(spine))].size(), 8U);
    }
}

TEST_F(TopologyTest, RailOptimizedInPods)
{
    RailOptimizedParameters parameters;
    parameters.servers = 6;
    parameters.gpusPerServer = 4;
    parameters.serversPerPod = 2;
    parameters.spines = 3;
    parameters.linksPerSpine = 2;
    parameters.spineRate = DataRate(800'000'000'000);
    ASSERT_EQ(parameters.Check(), "");
    FabricGraph graph = MakeRailOptimized(parameters);
    EXPECT_EQ(graph.Count(HOST), 6U);
    EXPECT_EQ(graph.Count(SWITCH), 3U * 4 + 3); // 3 pods of 4 leaves, 3 spines
    EXPECT_EQ(graph.GetEdges().size(), 6U * 4 + 12 * 3 * 2);
    auto neighbours = Neighbours(graph);
    for (uint32_t server = 0; server < 6; server++)
    {
        for (uint32_t rail = 0; rail < 4; rail++)
        {
            std::string leaf = "pod" + std::to_string(server / 2) + "-rail" + std::to_string(rail);
            EXPECT_EQ(neighbours[server][rail], Vertex(graph, leaf));
        }
    }
    uint32_t leaf = Vertex(graph, "pod2-rail3");
    EXPECT_EQ(neighbours[leaf].size(), 2U + 3 * 2); // its pod's servers, and all spines twice
    EXPECT_EQ(graph.GetEdges().front().rate.GetBitRate(), 400'000'000'000U);
    EXPECT_EQ(graph.GetEdges().back().rate.GetBitRate(), 800'000'000'000U);
    parameters.serversPerPod = 4;
    EXPECT_NE(parameters.Check(), "");
}

TEST_F(TopologyTest, TheSameParametersGiveTheSameGraph)
{
    auto text = [] {
        std::string all;
        FabricGraph graph = MakeRailOptimized(RailOptimizedParameters{});
        for (const FabricGraph::Edge& edge : graph.GetEdges())
        {
            all += std::to_string(edge.a) + "-" + std::to_string(edge.b) + " ";
        }
        return all;
    };
    EXPECT_EQ(text(), text());
}

TEST_F(TopologyTest, EverySwitchHasItsTier)
{
    EXPECT_EQ(OfTier(MakeStar(StarParameters{}), 1).size(), 1U);
    FabricGraph leafSpine = MakeLeafSpine(LeafSpineParameters{}); // 4 leaves, 4 spines
    EXPECT_EQ(OfTier(leafSpine, 1).size(), 4U);
    EXPECT_EQ(OfTier(leafSpine, 2).size(), 4U);
    FabricGraph rail = MakeRailOptimized(RailOptimizedParameters{}); // 8 leaves, 8 spines
    EXPECT_EQ(OfTier(rail, 1).size(), 8U);
    EXPECT_EQ(OfTier(rail, 2).size(), 8U);
    FabricGraph fatTree = MakeFatTree(FatTreeParameters{}); // k = 4: 8 edge, 8 aggregation, 4 core
    EXPECT_EQ(OfTier(fatTree, 1).size(), 8U);
    EXPECT_EQ(OfTier(fatTree, 2).size(), 8U);
    EXPECT_EQ(OfTier(fatTree, 3).size(), 4U);
}

// ---------------------------------------------------------------- fat trees

TEST_F(TopologyTest, FatTreeHasFullBisectionAndDiameterSix)
{
    // Al-Fares et al. 2008: rearrangeably non-blocking, so half of the k^3/4 hosts can send to the
    // other half at their full rate.
    for (uint32_t k : {4, 6, 8})
    {
        FatTreeParameters parameters;
        parameters.k = k;
        parameters.linkRate = DataRate(100 * GBPS);
        FabricGraph graph = MakeFatTree(parameters);
        HalvesBandwidth halves = MeasureHalves(graph);
        EXPECT_EQ(halves.bps, uint64_t{k} * k * k / 4 / 2 * 100 * GBPS);
        EXPECT_EQ(halves.bps, halves.portsBps);
        EXPECT_EQ(MeasureDistances(graph).shortest, 2U);
        EXPECT_EQ(MeasureDistances(graph).longest, 6U);
    }
}

TEST_F(TopologyTest, FatTreeOversubscribedAtTheEdge)
{
    FatTreeParameters parameters;
    parameters.k = 4;
    parameters.hostsPerEdge = 6; // 3 : 1 over k/2 = 2 uplinks
    ASSERT_EQ(parameters.Check(), "");
    FabricGraph graph = MakeFatTree(parameters);
    EXPECT_EQ(graph.Count(HOST), 4U * 2 * 6); // pods, edge switches, hosts
    ExpectTier(graph, 1, 8, 6 + 2);
    ExpectTier(graph, 2, 8, 4);
    ExpectTier(graph, 3, 4, 4);
    EXPECT_EQ(graph.GetEdges().size(), 48U + 16 + 16);
    HalvesBandwidth halves = MeasureHalves(graph);
    EXPECT_EQ(halves.bps * 3, halves.portsBps);
    std::vector<TierMeasure> tiers = MeasureTiers(graph);
    EXPECT_EQ(tiers[0].downBps, 3 * tiers[0].upBps);
    EXPECT_EQ(tiers[1].downBps, tiers[1].upBps);
    EXPECT_EQ(tiers[2].upBps, 0U);
    EXPECT_EQ(Hops(graph, 0, 5), 2U);  // the six of an edge switch
    EXPECT_EQ(Hops(graph, 0, 6), 4U);  // the next one's
    EXPECT_EQ(Hops(graph, 0, 12), 6U); // the next pod's
}

TEST_F(TopologyTest, FatTreeOversubscribedAtTheCore)
{
    FatTreeParameters parameters;
    parameters.k = 8;
    parameters.coresPerAggregation = 1; // 4 : 1 below k/2 = 4
    parameters.uplinkRate = DataRate(800 * GBPS);
    ASSERT_EQ(parameters.Check(), "");
    FabricGraph graph = MakeFatTree(parameters);
    ExpectTier(graph, 1, 32, 8);
    ExpectTier(graph, 2, 32, 4 + 1);
    ExpectTier(graph, 3, 4, 8); // one core a plane, one cable to each pod
    HalvesBandwidth halves = MeasureHalves(graph);
    EXPECT_EQ(halves.portsBps, 64 * 400 * GBPS);
    EXPECT_EQ(halves.bps, 16 * 800 * GBPS); // 4 pods x 4 uplinks
    std::vector<TierMeasure> tiers = MeasureTiers(graph);
    EXPECT_EQ(tiers[0].upBps, 2 * tiers[0].downBps); // half the load, as cables are twice as fast
    EXPECT_EQ(tiers[1].downBps, 4 * tiers[1].upBps);
    parameters.k = 5;
    EXPECT_NE(parameters.Check(), "");
    parameters.k = 4;
    parameters.hostsPerEdge = 1023; // and 2 uplinks
    EXPECT_EQ(parameters.Check(), "an edge switch would have 1025 ports; expected 1 to 1024");
}

// ---------------------------------------------------------------- pods

TEST_F(TopologyTest, ThreeTierPod)
{
    ThreeTierPodParameters p;
    p.pods = 3;
    p.leavesPerPod = 4;
    p.hostsPerLeaf = 2;
    p.gpusPerServer = 8;
    p.spinesPerPod = 4;
    p.linksPerSpine = 2;
    p.coresPerSpine = 2;
    p.linksPerCore = 1;
    p.linkRate = DataRate(200 * GBPS);
    p.spineRate = DataRate(400 * GBPS);
    p.coreRate = DataRate(800 * GBPS);
    ASSERT_EQ(p.Check(), "");
    FabricGraph graph = MakeThreeTierPod(p);
    ExpectUniqueNames(graph);
    EXPECT_EQ(graph.Count(HOST), 3U * 4 * 2);
    ExpectTier(graph, 1, 3 * 4, 2 * 8 + 4 * 2);
    ExpectTier(graph, 2, 3 * 4, 4 * 2 + 2);
    ExpectTier(graph, 3, 4 * 2, 3); // spines x cores of each; a cable to each pod
    EXPECT_EQ(graph.GetEdges().size(), 24U * 8 + 12 * 8 + 12 * 2);
    std::vector<TierMeasure> tiers = MeasureTiers(graph);
    EXPECT_EQ(tiers[0].downBps, 24 * 8 * 200 * GBPS); // 1 : 1 at the leaf: 16 x 200 to 8 x 400
    EXPECT_EQ(tiers[0].upBps, tiers[0].downBps);
    EXPECT_EQ(tiers[1].downBps, 2 * tiers[1].upBps); // 8 x 400 to 2 x 800
    PortDistances distances = MeasureDistances(graph);
    EXPECT_EQ(distances.shortest, 2U);
    EXPECT_EQ(distances.longest, 6U);
    EXPECT_EQ(CountNetworks(graph), 1U);
    // All NICs of a host go to its leaf.
    auto neighbours = Neighbours(graph);
    EXPECT_EQ(neighbours[5], std::vector<uint32_t>(8, Vertex(graph, "leaf2")));
    // Spines of one place in their pods share their cores.
    EXPECT_TRUE(neighbours[Vertex(graph, "core3")] ==
                (std::vector<uint32_t>{Vertex(graph, "spine1"),
                                       Vertex(graph, "spine5"),
                                       Vertex(graph, "spine9")}));
    p.coresPerSpine = 0;
    EXPECT_EQ(p.Check(), "coresPerSpine is 0; expected 1 to 1024");
    p.pods = 1;
    EXPECT_EQ(p.Check(), "");
    EXPECT_EQ(MeasureDistances(MakeThreeTierPod(p)).longest, 4U);
}

TEST_F(TopologyTest, RailOnlyFallsIntoItsRails)
{
    // Wang et al. 2024: a server's NIC r reaches the NICs r of all servers, and nothing else.
    RailOnlyParameters p;
    p.servers = 5;
    p.gpusPerServer = 4;
    ASSERT_EQ(p.Check(), "");
    FabricGraph graph = MakeRailOnly(p);
    EXPECT_EQ(graph.Count(HOST), 5U);
    ExpectTier(graph, 1, 4, 5);
    EXPECT_EQ(graph.GetEdges().size(), 20U);
    EXPECT_EQ(CountNetworks(graph), 4U);
    std::vector<uint32_t> networks = GetNetworks(graph);
    for (uint32_t edge = 0; edge < 20; edge++)
    {
        EXPECT_EQ(networks[edge], edge % 4) << "NIC r in network r";
        EXPECT_EQ(graph.GetVertices()[graph.GetEdges()[edge].b].name,
                  "rail" + std::to_string(edge % 4));
    }
    EXPECT_EQ(MeasureDistances(graph).longest, 2U);
    EXPECT_EQ(MeasureHalves(graph).bps, 2U * 4 * 400 * GBPS); // two servers to the other three
    p.servers = 1025;
    EXPECT_EQ(p.Check(), "servers is 1025; expected 2 to 1024");
}

TEST_F(TopologyTest, DualPlaneIsTwoNetworksOfEveryNic)
{
    DualPlaneParameters p;
    p.segments = 3;
    p.serversPerSegment = 4;
    p.gpusPerServer = 2;
    p.aggregationsPerPlane = 5;
    ASSERT_EQ(p.Check(), "");
    FabricGraph graph = MakeDualPlane(p);
    ExpectUniqueNames(graph);
    EXPECT_EQ(graph.Count(HOST), 12U);
    ExpectTier(graph, 1, 3 * 2 * 2, 4 + 5); // a ToR a segment, rail and plane
    ExpectTier(graph, 2, 2 * 5, 3 * 2);     // an aggregation has all ToRs of its plane
    EXPECT_EQ(graph.GetEdges().size(), 12U * 2 * 2 + 12 * 5);
    EXPECT_EQ(CountNetworks(graph), 2U);
    std::vector<uint32_t> networks = GetNetworks(graph);
    auto neighbours = Neighbours(graph);
    for (uint32_t server = 0; server < 12; server++)
    {
        for (uint32_t port = 0; port < 4; port++)
        {
            std::string tor = "segment" + std::to_string(server / 4) + "-rail" +
                              std::to_string(port / 2) + "-plane" + std::to_string(port % 2);
            EXPECT_EQ(neighbours[server][port], Vertex(graph, tor));
            EXPECT_EQ(networks[server * 4 + port], port % 2);
        }
    }
    EXPECT_EQ(MeasureDistances(graph).longest, 4U); // two tiers, in the pod of any size
    p.aggregationsPerPlane = 0;
    EXPECT_EQ(p.Check(), "aggregationsPerPlane is 0; expected 1 to 1024");
    p.segments = 1;
    EXPECT_EQ(p.Check(), "");
    EXPECT_EQ(CountNetworks(MakeDualPlane(p)), 4U); // no aggregation joins the rails either
}

// ---------------------------------------------------------------- direct networks

TEST_F(TopologyTest, Dragonfly)
{
    // Kim et al. 2008, section 3: N = a p (a h + 1) terminals, radix p + a - 1 + h, one cable a
    // pair of groups, and at most local, global, local between two switches. Its figure 5 has p = h
    // = 2, a = 4: 9 groups, 72 terminals.
    for (auto [a, p, h] : {std::array{4U, 2U, 2U}, {2U, 1U, 1U}, {6U, 3U, 3U}, {3U, 1U, 2U}})
    {
        for (auto arrangement : {GlobalArrangement::PALMTREE, GlobalArrangement::ABSOLUTE})
        {
            SCOPED_TRACE(std::to_string(a) + "," + std::to_string(p) + "," + std::to_string(h));
            DragonflyParameters parameters;
            parameters.a = a;
            parameters.p = p;
            parameters.h = h;
            parameters.arrangement = arrangement;
            ASSERT_EQ(parameters.Check(), "");
            const uint32_t g = a * h + 1;
            FabricGraph graph = MakeDragonfly(parameters);
            ExpectUniqueNames(graph);
            EXPECT_EQ(graph.Count(HOST), a * p * g);
            ExpectTier(graph, 1, a * g, p + a - 1 + h);
            EXPECT_EQ(graph.GetEdges().size(), a * p * g + g * a * (a - 1) / 2 + g * (g - 1) / 2);
            EXPECT_EQ(MeasureDistances(graph).longest, 5U); // and the two hosts' own cables
            std::set<std::pair<uint32_t, uint32_t>> pairs;
            for (uint32_t e = a * p * g + g * a * (a - 1) / 2; e < graph.GetEdges().size(); e++)
            {
                const FabricGraph::Edge& edge = graph.GetEdges()[e];
                const uint32_t hosts = graph.Count(HOST);
                pairs.insert({(edge.a - hosts) / a, (edge.b - hosts) / a});
                EXPECT_EQ(edge.weight, 3U);
            }
            EXPECT_EQ(pairs.size(), g * (g - 1) / 2) << "each pair of groups once";
        }
    }
    EXPECT_EQ(MakeDragonfly(DragonflyParameters{}).Count(HOST), 72U);
}

TEST_F(TopologyTest, DragonflyArrangements)
{
    // Palmtree: port k of group i leads to group i - k - 1; absolute: to k, or k + 1 from i on.
    // With 5 groups of 4 ports, written out for group 2.
    std::map<uint32_t, uint32_t> palmtree;
    for (const GlobalLink& link : MakeGlobalLinks(5, 4, GlobalArrangement::PALMTREE))
    {
        EXPECT_EQ((link.groupA + 5 - link.portA - 1) % 5, link.groupB);
        EXPECT_EQ((link.groupB + 5 - link.portB - 1) % 5, link.groupA);
        if (link.groupA == 2)
        {
            palmtree[link.portA] = link.groupB;
        }
        if (link.groupB == 2)
        {
            palmtree[link.portB] = link.groupA;
        }
    }
    EXPECT_EQ(palmtree, (std::map<uint32_t, uint32_t>{{0, 1}, {1, 0}, {2, 4}, {3, 3}}));
    std::map<uint32_t, uint32_t> absolute;
    for (const GlobalLink& link : MakeGlobalLinks(5, 4, GlobalArrangement::ABSOLUTE))
    {
        if (link.groupA == 2)
        {
            absolute[link.portA] = link.groupB;
        }
        if (link.groupB == 2)
        {
            absolute[link.portB] = link.groupA;
        }
    }
    EXPECT_EQ(absolute, (std::map<uint32_t, uint32_t>{{0, 0}, {1, 1}, {2, 3}, {3, 4}}));
}

TEST_F(TopologyTest, DragonflyOfFewerGroupsHasMoreCablesAPair)
{
    DragonflyParameters parameters; // a = 4, h = 2: 8 global ports a group
    parameters.g = 3;               // so 4 to each of two others
    ASSERT_EQ(parameters.Check(), "");
    FabricGraph graph = MakeDragonfly(parameters);
    EXPECT_EQ(graph.GetEdges().size(), 24U + 3 * 6 + 3 * 4);
    ExpectTier(graph, 1, 12, 2 + 3 + 2); // no port is left over
    parameters.g = 10;
    EXPECT_EQ(parameters.Check(), "g is 10; expected 1 to 9");
    parameters.g = 4; // 8 ports to 3 others: 2 each, 2 are left over
    EXPECT_EQ(MakeDragonfly(parameters).GetEdges().size(), 32U + 4 * 6 + 6 * 2);
}

TEST_F(TopologyTest, DragonflyPlus)
{
    // Shpiner et al. 2017: groups of l leaves and s spines, fully joined; s h + 1 groups at most;
    // leaf, spine, spine, leaf at most.
    for (auto [l, s, p, h] : {std::array{2U, 2U, 2U, 2U}, {4U, 4U, 4U, 4U}, {3U, 2U, 1U, 1U}})
    {
        DragonflyPlusParameters parameters;
        parameters.leaves = l;
        parameters.spines = s;
        parameters.hostsPerLeaf = p;
        parameters.globalLinks = h;
        ASSERT_EQ(parameters.Check(), "");
        const uint32_t g = s * h + 1;
        FabricGraph graph = MakeDragonflyPlus(parameters);
        ExpectUniqueNames(graph);
        EXPECT_EQ(graph.Count(HOST), g * l * p);
        ExpectTier(graph, 1, g * l, p + s);
        ExpectTier(graph, 2, g * s, l + h);
        EXPECT_EQ(graph.GetEdges().size(), g * l * p + g * l * s + g * (g - 1) / 2);
        EXPECT_EQ(MeasureDistances(graph).longest, 5U);
    }
    DragonflyPlusParameters parameters;
    parameters.groups = 6;
    EXPECT_EQ(parameters.Check(), "groups is 6; expected 1 to 5");
    parameters.groups = 1;
    parameters.globalLinks = 0; // a leaf-spine fabric
    EXPECT_EQ(parameters.Check(), "");
    EXPECT_EQ(MeasureDistances(MakeDragonflyPlus(parameters)).longest, 4U);
}

TEST_F(TopologyTest, Torus)
{
    // A k-ary n-cube (Dally and Towles, "Principles and Practices of Interconnection Networks",
    // 2004, chapter 5): n N cables of N switches for k > 2, diameter n floor(k/2), and 2 N / k
    // cables of the longest dimension, if even, across the middle.
    struct Case
    {
        uint32_t dimensions, x, y, z;
        uint32_t cables, diameter, across;
    };

    for (const Case& c : {Case{2, 4, 4, 1, 32, 4, 8},
                          Case{2, 3, 6, 1, 36, 4, 6},
                          Case{2, 2, 2, 1, 4, 2, 2}, // a ring of two is one cable
                          Case{3, 4, 4, 4, 192, 6, 32},
                          Case{3, 2, 3, 4, 12 + 24 + 24, 4, 12}})
    {
        SCOPED_TRACE(std::to_string(c.x) + "x" + std::to_string(c.y) + "x" + std::to_string(c.z));
        TorusParameters p;
        p.dimensions = c.dimensions;
        p.x = c.x;
        p.y = c.y;
        p.z = c.z;
        p.hostsPerSwitch = 20; // more than the torus can carry
        ASSERT_EQ(p.Check(), "");
        FabricGraph graph = MakeTorus(p);
        ExpectUniqueNames(graph);
        const uint32_t switches = c.x * c.y * c.z;
        EXPECT_EQ(graph.Count(SWITCH), switches);
        EXPECT_EQ(graph.Count(HOST), 20 * switches);
        EXPECT_EQ(graph.GetEdges().size(), 20 * switches + c.cables);
        uint32_t ports = 20;
        for (uint32_t size : {c.x, c.y, c.z})
        {
            ports += std::min(size - 1, 2U);
        }
        ExpectTier(graph, 1, switches, ports);
        EXPECT_EQ(MeasureDistances(graph).longest, c.diameter + 2);
        EXPECT_EQ(MeasureHalves(graph).bps, c.across * 400 * GBPS);
    }
    TorusParameters p;
    p.y = 1;
    EXPECT_EQ(p.Check(), "y is 1; expected 2 to 1024");
}

TEST_F(TopologyTest, GpuMesh)
{
    GpuMeshParameters p;
    p.gpus = 6;
    p.linksPerPair = 2;
    ASSERT_EQ(p.Check(), "");
    FabricGraph graph = MakeGpuMesh(p);
    EXPECT_EQ(graph.Count(HOST), 6U);
    EXPECT_EQ(graph.Count(SWITCH), 0U);
    EXPECT_EQ(graph.GetEdges().size(), 15U * 2); // n (n - 1) / 2 pairs
    EXPECT_EQ(CountNetworks(graph), 30U);        // each cable by itself
    EXPECT_EQ(MeasureDistances(graph).longest, 1U);
    EXPECT_EQ(MeasureHalves(graph).bps, 9U * 2 * 400 * GBPS); // n^2 / 4 pairs across
    EXPECT_EQ(Neighbours(graph)[3], (std::vector<uint32_t>{0, 0, 1, 1, 2, 2, 4, 4, 5, 5}));
    p.gpus = 257;
    EXPECT_EQ(p.Check(), "gpus is 257; expected 2 to 256");
}

// ---------------------------------------------------------------- published clusters

namespace
{

FabricGraph
Make(const ClusterPreset::Parameters& parameters)
{
    struct Maker
    {
        FabricGraph operator()(const RailOptimizedParameters& p) const
        {
            EXPECT_EQ(p.Check(), "");
            return MakeRailOptimized(p);
        }

        FabricGraph operator()(const LeafSpineParameters& p) const
        {
            EXPECT_EQ(p.Check(), "");
            return MakeLeafSpine(p);
        }

        FabricGraph operator()(const FatTreeParameters& p) const
        {
            EXPECT_EQ(p.Check(), "");
            return MakeFatTree(p);
        }

        FabricGraph operator()(const ThreeTierPodParameters& p) const
        {
            EXPECT_EQ(p.Check(), "");
            return MakeThreeTierPod(p);
        }

        FabricGraph operator()(const DualPlaneParameters& p) const
        {
            EXPECT_EQ(p.Check(), "");
            return MakeDualPlane(p);
        }
    };

    return std::visit(Maker(), parameters);
}

FabricGraph
MakePreset(const std::string& name, double share = 1)
{
    auto preset = FindClusterPreset(name);
    EXPECT_TRUE(preset) << name;
    ClusterPreset::Parameters part;
    EXPECT_EQ(CutCluster(preset->parameters, share, part), "");
    return Make(part);
}

/// @return NIC ports of all hosts
uint64_t
CountNicPorts(const FabricGraph& graph)
{
    uint64_t ports = 0;
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        ports += graph.GetVertices()[edge.a].role == HOST;
        ports += graph.GetVertices()[edge.b].role == HOST;
    }
    return ports;
}

} // namespace

TEST_F(TopologyTest, MetasClusterForLlama3)
{
    // "The Llama 3 Herd of Models", 3.3.1: racks of 16 GPUs in two servers under one ToR, 192 racks
    // a pod of 3,072 with full bisection, 8 pods, 24K GPUs, 1 : 7 above.
    FabricGraph graph = MakePreset("meta-roce-24k");
    EXPECT_EQ(graph.Count(HOST), 3072U);
    EXPECT_EQ(CountNicPorts(graph), 24576U);
    std::vector<TierMeasure> tiers = MeasureTiers(graph);
    ASSERT_EQ(tiers.size(), 3U);
    EXPECT_EQ(tiers[0].switches, 1536U);
    EXPECT_EQ(tiers[0].downBps, 24576 * 400 * GBPS);
    EXPECT_EQ(tiers[0].downBps, tiers[0].upBps);
    double oversubscription =
        static_cast<double>(tiers[1].downBps) / static_cast<double>(tiers[1].upBps);
    EXPECT_NEAR(oversubscription, 7, 0.2);
    EXPECT_LE(tiers[1].mostPorts, 576U); // of the chassis that Meta names for it
    // A rack's neighbours: one pod's share is an eighth.
    EXPECT_EQ(CountNicPorts(MakePreset("meta-roce-24k", 0.125)), 3072U);
    EXPECT_EQ(MeasureTiers(MakePreset("meta-roce-24k", 0.125)).size(), 2U);
    EXPECT_EQ(CountNicPorts(MakePreset("meta-roce-24k", 0.25)), 6144U);
    EXPECT_EQ(CountNicPorts(MakePreset("meta-roce-24k", 1e-6)), 16U);
}

TEST_F(TopologyTest, AlibabasHpn)
{
    // SIGCOMM 2024: a segment has 1,024 GPUs on 16 ToRs of 128 x 200G down (8 more for backup) and
    // 60 x 400G up; a pod has 15 segments and 120 aggregation switches, and is two networks.
    FabricGraph segment = MakePreset("alibaba-hpn-segment");
    EXPECT_EQ(segment.Count(HOST), 128U);
    EXPECT_EQ(CountNicPorts(segment), 1024U * 2);
    ExpectTier(segment, 1, 16, 128 + 60);
    FabricGraph pod = MakePreset("alibaba-hpn-pod");
    EXPECT_EQ(CountNicPorts(pod), 15360U * 2);
    ExpectTier(pod, 1, 15 * 16, 128 + 60);
    ExpectTier(pod, 2, 120, 120);
    EXPECT_EQ(CountNetworks(pod), 2U);
    std::vector<TierMeasure> tiers = MeasureTiers(pod);
    // 1.067 : 1, with the paper's 136 ports; 16 : 15 without the backup's.
    EXPECT_EQ(tiers[0].downBps * 15, tiers[0].upBps * 16);
    EXPECT_EQ(MakePreset("alibaba-hpn-pod", 0.2).Count(HOST), 3U * 128);
    EXPECT_EQ(MakePreset("alibaba-hpn-segment", 1. / 16).Count(HOST), 8U);
}

TEST_F(TopologyTest, NvidiasSuperPod)
{
    // DGX SuperPOD reference architecture, larger fabrics: 1 SU has 8 leaves and 4 spines, 4 SUs
    // have 32 and 16; all are 64-port switches, and all ports are used.
    FabricGraph one = MakePreset("dgx-h100-superpod-su");
    EXPECT_EQ(one.Count(HOST), 32U);
    EXPECT_EQ(CountNicPorts(one), 256U);
    ExpectTier(one, 1, 8, 64);
    ExpectTier(one, 2, 4, 64);
    FabricGraph four = MakePreset("dgx-h100-superpod-4su");
    EXPECT_EQ(CountNicPorts(four), 1024U);
    ExpectTier(four, 1, 32, 64);
    ExpectTier(four, 2, 16, 64);
    EXPECT_EQ(MeasureHalves(four).bps, MeasureHalves(four).portsBps);
    EXPECT_EQ(MakePreset("dgx-h100-superpod-4su", 0.3).Count(HOST), 64U); // whole units
    EXPECT_EQ(MakePreset("dgx-h100-superpod-4su", 0.125).Count(HOST), 16U);
}

TEST_F(TopologyTest, ByteDancesTorSet)
{
    // NSDI 2024, 3.6: 64 servers of 8 x 200G under a set of ToRs; of a ToR's 64 ports of 400G 32
    // are split into 64 of 200G, and 32 go up.
    FabricGraph graph = MakePreset("megascale-tor-set");
    EXPECT_EQ(CountNicPorts(graph), 512U);
    ExpectTier(graph, 1, 8, 64 + 32);
    std::vector<TierMeasure> tiers = MeasureTiers(graph);
    EXPECT_EQ(tiers[0].downBps, 8 * 64 * 200 * GBPS);
    EXPECT_EQ(tiers[0].downBps, tiers[0].upBps);
}

TEST_F(TopologyTest, IrnsFatTree)
{
    // SIGCOMM 2018, 4.1: 54 servers, 45 switches of 6 ports in 6 pods, 40 Gb/s, 2 us.
    FabricGraph graph = MakePreset("irn-54");
    EXPECT_EQ(graph.Count(HOST), 54U);
    EXPECT_EQ(graph.Count(SWITCH), 45U);
    for (uint32_t tier : {1, 2, 3})
    {
        ExpectTier(graph, tier, tier == 3 ? 9 : 18, 6);
    }
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        EXPECT_EQ(edge.rate.GetBitRate(), 40 * GBPS);
        EXPECT_EQ(edge.delay.GetPicoSeconds(), 2'000'000);
    }
    ClusterPreset::Parameters part;
    EXPECT_NE(CutCluster(FindClusterPreset("irn-54")->parameters, 0.5, part), "");
}

TEST_F(TopologyTest, PublishedTopologyFilesCableByCable)
{
    const std::string folder = AI_FABRIC_SOURCE_DIR "/../shared/data/inputs/hpcc/";
    if (!std::filesystem::exists(folder + "fat.txt"))
    {
        GTEST_SKIP() << "the published topology files are not on this machine";
    }
    const std::map<std::string, std::string> files{
        {"hpcc-320", "fat.txt"},
        {"conweave-leaf-spine-128", "conweave_leaf_spine_128_100G_OS2.txt"},
        {"conweave-fat-tree-256", "conweave_fat_k8_100G_OS2.txt"}};
    for (const auto& [name, file] : files)
    {
        SCOPED_TRACE(name);
        FabricGraph published = ReadHpccTopology(folder + file).graph;
        FabricGraph graph = MakePreset(name);
        ASSERT_EQ(graph.GetVertices().size(), published.GetVertices().size());
        ASSERT_EQ(graph.GetEdges().size(), published.GetEdges().size());
        auto cables = [](const FabricGraph& of) {
            std::multiset<std::tuple<uint32_t, uint32_t, uint64_t, int64_t>> all;
            for (const FabricGraph::Edge& edge : of.GetEdges())
            {
                all.emplace(std::min(edge.a, edge.b),
                            std::max(edge.a, edge.b),
                            edge.rate.GetBitRate(),
                            edge.delay.GetPicoSeconds());
            }
            return all;
        };
        EXPECT_TRUE(cables(graph) == cables(published));
        // The file does not say tiers: they are found.
        std::vector<uint32_t> tiers = GetTiers(graph);
        EXPECT_EQ(GetTiers(published), tiers);
    }
}

TEST_F(TopologyTest, EveryPresetSaysItsSource)
{
    EXPECT_GE(GetClusterPresetNames().size(), 10U);
    for (const std::string& name : GetClusterPresetNames())
    {
        auto preset = FindClusterPreset(name);
        EXPECT_FALSE(preset->description.empty() || preset->source.empty() ||
                     preset->assumptions.empty())
            << name;
        for (const TierMeasure& tier : MeasureTiers(Make(preset->parameters)))
        {
            EXPECT_LE(tier.mostPorts, 1024U) << name;
        }
    }
    EXPECT_FALSE(FindClusterPreset("atlantis"));
}

// ---------------------------------------------------------------- graphs from files

TEST_F(TopologyTest, GraphFile)
{
    TextFile file("# two hosts, two ways\n"
                  "host a\n"
                  "host b # the other one\n"
                  "\n"
                  "switch left 1\n"
                  "switch up.2\n"
                  "link a left 100Gbps 1us\n"
                  "link left b 200Gbps 500ns weight=3 loss=0.25\n"
                  "link up.2 left 4Tbps 0ns loss=1e-6#tight\n");
    FabricGraph graph = ReadGraphTopology(file.GetPath());
    ASSERT_EQ(graph.GetVertices().size(), 4U);
    EXPECT_EQ(graph.GetVertices()[1].name, "b");
    EXPECT_EQ(graph.GetVertices()[1].role, HOST);
    EXPECT_EQ(graph.GetVertices()[2].tier, 1U);
    EXPECT_EQ(graph.GetVertices()[3].name, "up.2");
    EXPECT_EQ(graph.GetVertices()[3].tier, 0U);
    EXPECT_EQ(GetTiers(graph), (std::vector<uint32_t>{0, 0, 1, 2}));
    ASSERT_EQ(graph.GetEdges().size(), 3U);
    const FabricGraph::Edge& second = graph.GetEdges()[1];
    EXPECT_EQ(second.a, 2U);
    EXPECT_EQ(second.b, 1U);
    EXPECT_EQ(second.rate.GetBitRate(), 200 * GBPS);
    EXPECT_EQ(second.delay.GetPicoSeconds(), 500'000);
    EXPECT_EQ(second.weight, 3U);
    EXPECT_EQ(second.lossRate, 0.25);
    EXPECT_EQ(graph.GetEdges()[0].weight, 1U);
    EXPECT_EQ(graph.GetEdges()[0].lossRate, 0);
    EXPECT_EQ(graph.GetEdges()[2].lossRate, 1e-6);
}

TEST_F(TopologyTest, GraphFilesThatAreWritten)
{
    FabricGraph graph = MakeDragonflyPlus(DragonflyPlusParameters{});
    std::ostringstream text;
    WriteGraphTopology(text, graph);
    TextFile file(text.str());
    FabricGraph read = ReadGraphTopology(file.GetPath());
    std::ostringstream again;
    WriteGraphTopology(again, read);
    EXPECT_EQ(text.str(), again.str());
    ASSERT_EQ(read.GetEdges().size(), graph.GetEdges().size());
    for (size_t e = 0; e < graph.GetEdges().size(); e++)
    {
        EXPECT_EQ(read.GetEdges()[e].a, graph.GetEdges()[e].a);
        EXPECT_EQ(read.GetEdges()[e].b, graph.GetEdges()[e].b);
        EXPECT_EQ(read.GetEdges()[e].delay, graph.GetEdges()[e].delay);
    }
}

TEST_F(TopologyTest, GraphFilesThatAreWrong)
{
    const std::string hosts = "host a\nhost b\nswitch s\n";
    EXPECT_EQ(Complaint("hots a\n"),
              "1: \"hots\" is not known; did you mean \"host\"?; expected \"host\", \"switch\" or "
              "\"link\"");
    EXPECT_EQ(Complaint("host a b\n"), "1: host: the line has 3 words; expected \"host NAME\"");
    EXPECT_EQ(Complaint("host a:1\n"),
              "1: name: \"a:1\" cannot be a name; expected letters, digits, '-', '_' and '.'");
    EXPECT_EQ(Complaint(hosts + "switch a\n"),
              "4: name: \"a\" is there twice; expected each host and switch once");
    EXPECT_EQ(Complaint("switch s 65\n"),
              "1: tier: 65 is out of range; expected a whole number, 1 to 64");
    EXPECT_EQ(Complaint(hosts + "link a c 1Gbps 1us\n"),
              "4: link: \"c\" is no host or switch so far; expected a name of a line before");
    EXPECT_EQ(Complaint(hosts + "link a a 1Gbps 1us\n"),
              "4: link: \"a\" is linked with itself; expected two different names");
    EXPECT_EQ(Complaint(hosts + "link a s 1Gbps\n"),
              "4: link: the line has 4 words; expected \"link NAME NAME RATE DELAY [weight=N] "
              "[loss=P]\"");
    EXPECT_EQ(Complaint(hosts + "link a s 1Gps 1us\n").rfind("4: rate: \"1Gps\" is not", 0), 0U);
    EXPECT_EQ(Complaint(hosts + "link a s 1Gbps 1m\n").rfind("4: delay: \"1m\" is not", 0), 0U);
    EXPECT_EQ(Complaint(hosts + "link a s 1Gbps 1us weight=0\n"),
              "4: weight: 0 is out of range; expected a whole number, 1 to 65536");
    EXPECT_EQ(Complaint(hosts + "link a s 1Gbps 1us loss=1.5\n"),
              "4: loss: 1.5 is out of range; expected a number, 0 to 1");
    EXPECT_EQ(Complaint(hosts + "link a s 1Gbps 1us cost=2\n"),
              "4: link: \"cost=2\" is not known; expected weight=N or loss=P");
    EXPECT_EQ(Complaint(hosts + "link a s 1Gbps 1us\n"),
              "4: link: the file ends, and \"b\" has no link; expected at least 1");
    EXPECT_EQ(Complaint("host a\n"), "1: host: the file ends with 1 hosts; expected at least 2");
}
