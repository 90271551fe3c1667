// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The topology builders: how many of what, and what is joined with what, by the formulas of
 * their documentation.
 */

#include "ns3/fat-tree-topology.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/nstime.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/star-topology.h"

#include <gtest/gtest.h>
#include <map>
#include <queue>
#include <set>

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

class TopologyTest : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        Time::SetResolution(Time::PS);
    }
};

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
