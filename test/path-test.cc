// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Which way frames take: equal-cost paths are all used, and evenly; others are not.
 */

#include "fabric-fixture.h"

#include <cmath>
#include <numeric>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;

/// The ports of a switch that lead to other switches.
std::vector<Ptr<FabricNetDevice>>
Uplinks(const FabricFixture& f, const std::string& name, const FabricGraph& graph)
{
    std::vector<Ptr<FabricNetDevice>> uplinks;
    for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
    {
        if (graph.GetVertices()[v].name != name)
        {
            continue;
        }
        for (const auto& port : f.network.ports[v])
        {
            if (port->GetPeer()->GetNode()->GetObject<FabricSwitch>())
            {
                uplinks.push_back(port);
            }
        }
    }
    return uplinks;
}

std::vector<Ptr<FabricNetDevice>>
ParallelLinks(const FabricFixture& f, uint32_t hostsPerSide)
{
    const auto& ports = f.network.ports[0]; // of the left switch: its hosts come first
    return {ports.begin() + hostsPerSide, ports.end()};
}

// ---------------------------------------------------------------- parallel links

class ParallelLinksCarry : public testing::TestWithParam<uint32_t>
{
};

TEST_P(ParallelLinksCarry, SoManyTimesTheRate)
{
    // 16 hosts, 1600 Gb/s, have 64 flows each for k links of 100 Gb/s. By the binomial law a link
    // has 1024 / k flows, give or take 4 sigma; even the emptiest of eight then has more than
    // enough to be always busy. Buffers are large, so that nobody is paused.
    const uint32_t k = GetParam();
    constexpr uint32_t HOSTS = 16;
    constexpr uint32_t FLOWS = HOSTS * 64;
    constexpr uint64_t MESSAGE = 16 * MTU;
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(uint64_t{1} << 30));
    f.fabric.SetBufferAttribute("Alpha", DoubleValue(8.0));
    f.BuildTwoSwitches(HOSTS, "100Gbps", k, "100Gbps", DELAY);
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        f.Post(f.Connect(i % HOSTS, HOSTS + i % HOSTS), MESSAGE);
    }
    auto links = ParallelLinks(f, HOSTS);
    ASSERT_EQ(links.size(), k);

    // From a tenth to half of the time that k links take for all of it.
    Time ideal = OnWire("100Gbps", FLOWS * MESSAGE / k);
    std::vector<uint64_t> before(k);
    std::vector<uint64_t> during(k);
    Simulator::Schedule(ideal / 10, [&] {
        for (uint32_t l = 0; l < k; ++l)
        {
            before[l] = links[l]->GetCounters().txPayloadBytes;
        }
    });
    Simulator::Schedule(ideal / 2, [&] {
        for (uint32_t l = 0; l < k; ++l)
        {
            during[l] = links[l]->GetCounters().txPayloadBytes - before[l];
        }
    });
    f.Run();
    f.ExpectAllSucceeded(FLOWS, FLOWS * MESSAGE);
    f.ExpectDrained();
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 0u) << "a flow keeps to one path, so in order";

    double seconds = (ideal / 2 - ideal / 10).GetSeconds();
    double total = static_cast<double>(std::accumulate(during.begin(), during.end(), uint64_t{0}));
    EXPECT_NEAR(8 * total / seconds, k * 100e9 * 4096 / 4178, 0.01 * k * 100e9);
    double mean = static_cast<double>(FLOWS) / k;
    for (const auto& link : links)
    {
        auto flows = static_cast<double>(link->GetCounters().txPayloadBytes / MESSAGE);
        EXPECT_NEAR(flows, mean, 4 * std::sqrt(mean * (1 - 1.0 / k)));
    }
}

INSTANTIATE_TEST_SUITE_P(Links, ParallelLinksCarry, testing::Values(1, 2, 4, 8));

TEST(UdpSourcePort, IsTheEntropyOfAFlow)
{
    // 64 pairs between two hosts: with one port for all they take one of eight links; with ports of
    // their own, the default, all eight (that one stays empty has a chance of 8 (7/8)^64 = 0.2 %).
    for (uint16_t port : {50000, 0})
    {
        FabricFixture f;
        f.rdma.SetQueuePairAttribute("UdpSourcePort", UintegerValue(port));
        f.BuildTwoSwitches(1, "100Gbps", 8, "100Gbps", DELAY);
        for (int i = 0; i < 64; ++i)
        {
            f.Post(f.Connect(0, 1), MTU);
        }
        f.Run();
        f.ExpectAllSucceeded(64, 64 * MTU);
        int used = 0;
        for (const auto& link : ParallelLinks(f, 1))
        {
            used += link->GetCounters().txPayloadBytes > 0;
        }
        EXPECT_EQ(used, port == 0 ? 8 : 1);
    }
}

// ---------------------------------------------------------------- two tiers of choice

/**
 * Two pods of eight hosts, a leaf and four spines; each spine has four cores of its own:
 * a leaf chooses among 4 spines, a spine among 4 cores, so there are 16 paths.
 */
FabricGraph
ThreeTiers()
{
    FabricGraph graph;
    std::vector<uint32_t> cores;
    for (int c = 0; c < 16; ++c)
    {
        cores.push_back(graph.AddSwitch("core" + std::to_string(c)));
    }
    for (int pod = 0; pod < 2; ++pod)
    {
        uint32_t leaf = graph.AddSwitch("leaf" + std::to_string(pod));
        for (int h = 0; h < 8; ++h)
        {
            uint32_t host = graph.AddHost("host" + std::to_string(pod) + "-" + std::to_string(h));
            graph.Connect({host, leaf, DataRate("100Gbps"), DELAY});
        }
        for (int s = 0; s < 4; ++s)
        {
            uint32_t spine =
                graph.AddSwitch("spine" + std::to_string(pod) + "-" + std::to_string(s));
            graph.Connect({leaf, spine, DataRate("400Gbps"), DELAY});
            for (int c = 0; c < 4; ++c)
            {
                graph.Connect({spine, cores[4 * s + c], DataRate("100Gbps"), DELAY});
            }
        }
    }
    return graph;
}

/// @return how many of 1024 flows from pod 0 to pod 1 take each of the 16 paths
std::vector<double>
FlowsOfPaths(bool shareSeed)
{
    constexpr uint32_t FLOWS = 1024;
    constexpr uint64_t MESSAGE = 1000;
    FabricGraph graph = ThreeTiers();
    FabricFixture f;
    f.fabric.SetPathSelector("ns3::EcmpPathSelector", shareSeed);
    f.Build(graph);
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        f.Post(f.Connect(i % 8, 8 + (i / 8) % 8), MESSAGE);
    }
    f.Run();
    f.ExpectAllSucceeded(FLOWS, FLOWS * MESSAGE);
    f.ExpectDrained();
    std::vector<double> flows;
    for (int s = 0; s < 4; ++s)
    {
        auto uplinks = Uplinks(f, "spine0-" + std::to_string(s), graph);
        EXPECT_EQ(uplinks.size(), 5u); // the first one leads down to the leaf
        for (size_t c = 1; c < uplinks.size(); ++c)
        {
            flows.push_back(
                static_cast<double>(uplinks[c]->GetCounters().txPayloadBytes / MESSAGE));
        }
    }
    EXPECT_EQ(std::accumulate(flows.begin(), flows.end(), 0.0), FLOWS);
    return flows;
}

TEST(TwoTiersOfChoice, DoNotPolarizeWithASeedForEachSwitch)
{
    // 1024 flows on 16 paths: 64 each; sigma of the binomial law is sqrt(64 x 15/16) = 7.7.
    for (double flows : FlowsOfPaths(false))
    {
        EXPECT_NEAR(flows, 64, 4 * std::sqrt(64 * 15.0 / 16));
    }
}

TEST(TwoTiersOfChoice, PolarizeWithASharedSeed)
{
    // What made the leaf take spine s makes that spine take its core s: 4 of 16 paths are used.
    std::vector<double> paths = FlowsOfPaths(true);
    int used = 0;
    for (double flows : paths)
    {
        used += flows > 0;
    }
    EXPECT_EQ(used, 4);
}

TEST(Seed, OfTheFabricChangesThePathsOfFlows)
{
    std::vector<uint64_t> used[2];
    for (uint32_t seed : {1, 2})
    {
        FabricFixture f;
        f.fabric.SetSeed(seed);
        f.BuildTwoSwitches(1, "100Gbps", 8, "100Gbps", DELAY);
        for (int i = 0; i < 64; ++i)
        {
            f.Post(f.Connect(0, 1), 1000);
        }
        f.Run();
        for (const auto& link : ParallelLinks(f, 1))
        {
            used[seed - 1].push_back(link->GetCounters().txPayloadBytes);
        }
    }
    EXPECT_NE(used[0], used[1]);
}

// ---------------------------------------------------------------- routes

TEST(Routes, AreShortestPathsOnly)
{
    // A triangle of switches: the direct cable, never the way around.
    FabricGraph graph;
    uint32_t s[] = {graph.AddSwitch("s0"), graph.AddSwitch("s1"), graph.AddSwitch("s2")};
    for (uint32_t i = 0; i < 3; ++i)
    {
        graph.Connect(
            {graph.AddHost("host" + std::to_string(i)), s[i], DataRate("100Gbps"), DELAY});
    }
    graph.Connect({s[0], s[1], DataRate("100Gbps"), DELAY});
    graph.Connect({s[1], s[2], DataRate("100Gbps"), DELAY});
    graph.Connect({s[2], s[0], DataRate("100Gbps"), DELAY});
    FabricFixture f;
    f.Build(graph);
    for (int i = 0; i < 32; ++i)
    {
        f.Post(f.Connect(0, 1), 1000);
    }
    f.Run();
    f.ExpectAllSucceeded(32, 32000);
    EXPECT_EQ(f.network.ports[s[0]][1]->GetCounters().txPayloadBytes, 32000u);
    EXPECT_EQ(f.network.ports[s[0]][2]->GetCounters().txFrames, 0u);
}

TEST(Routes, DoNotLeadThroughHosts)
{
    // Two fabrics that only share a host with a port in each: that host does not forward.
    FabricGraph graph;
    uint32_t left = graph.AddSwitch("left");
    uint32_t right = graph.AddSwitch("right");
    uint32_t both = graph.AddHost("both");
    graph.Connect({both, left, DataRate("100Gbps"), DELAY});
    graph.Connect({both, right, DataRate("100Gbps"), DELAY});
    FabricNetwork network = FabricHelper().Install(graph);
    uint32_t onTheRight = network.ports[both][1]->GetIpv4Address().Get();
    EXPECT_EQ(network.GetSwitches()[0]->GetForwardingTable().Lookup(onTheRight).count, 0u);
    EXPECT_EQ(network.GetSwitches()[1]->GetForwardingTable().Lookup(onTheRight).count, 1u);
    Simulator::Destroy();
}

TEST(ForwardingTable, SharesGroupsAndKnowsItsRange)
{
    ForwardingTable table;
    table.Reset(100, 3);
    table.SetRoute(100, {1, 2});
    table.SetRoute(102, {1, 2});
    EXPECT_EQ(table.Lookup(99).count, 0u);
    EXPECT_EQ(table.Lookup(101).count, 0u);
    EXPECT_EQ(table.Lookup(103).count, 0u);
    EXPECT_EQ(table.Lookup(0xffffffff).count, 0u);
    ASSERT_EQ(table.Lookup(100).count, 2u);
    EXPECT_EQ(table.Lookup(100).first[0], 1u);
    EXPECT_EQ(table.Lookup(100).first[1], 2u);
    EXPECT_EQ(table.Lookup(100).first, table.Lookup(102).first) << "stored once";
    table.SetRoute(100, {});
    EXPECT_EQ(table.Lookup(100).count, 0u);
    EXPECT_EQ(table.Lookup(102).count, 2u);
}

} // namespace
