// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Routes: shortest paths by weights, up-down, from a file, one's own; what happens to them
 * when a link fails; and what they cost for ten thousand hosts.
 */

#include "fabric-fixture.h"
#include "numbered-switches.h"

#include "ns3/fat-tree-topology.h"
#include "ns3/input-error.h"
#include "ns3/pointer.h"
#include "ns3/route-file.h"
#include "ns3/shortest-path-routes.h"
#include "ns3/static-routes.h"
#include "ns3/up-down-routes.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <malloc.h>
#include <random>

using namespace ns3;

namespace
{

const DataRate RATE("100Gbps");
const Time DELAY = NanoSeconds(500);

using Ports = std::vector<uint32_t>;

/// Two leaves with a host each and some spines: leaf 0 has spine i on port 1 + i.
NumberedSwitches
LeafSpine(uint32_t spines)
{
    NumberedSwitches fabric(0);
    fabric.AddSwitch(1);
    fabric.AddSwitch(1);
    for (uint32_t i = 0; i < spines; ++i)
    {
        uint32_t spine = fabric.AddSwitch(2, false);
        fabric.Link(0, spine);
        fabric.Link(1, spine);
    }
    return fabric;
}

/// An installed fabric, to ask for its routes.
class Routed
{
  public:
    explicit Routed(const FabricGraph& graph, Ptr<RouteComputation> routes = nullptr)
    {
        helper.SetRoutes(routes);
        network = helper.Install(graph, error);
    }

    ~Routed()
    {
        Simulator::Destroy();
    }

    uint32_t Address(uint32_t endpoint) const
    {
        return network.routing->GetEndpoints()[endpoint]->GetIpv4Address().Get();
    }

    ForwardingTable::Ports Lookup(uint32_t s, uint32_t endpoint) const
    {
        return network.GetSwitches()[s]->GetForwardingTable().Lookup(Address(endpoint));
    }

    /// @param s a switch @param endpoint a destination @return the ports of the group
    Ports At(uint32_t s, uint32_t endpoint) const
    {
        ForwardingTable::Ports ports = Lookup(s, endpoint);
        return {ports.first, ports.first + ports.count};
    }

    /// @return the weights of the group; empty: all the same
    Ports WeightsAt(uint32_t s, uint32_t endpoint) const
    {
        ForwardingTable::Ports ports = Lookup(s, endpoint);
        return ports.weights ? Ports{ports.weights, ports.weights + ports.count} : Ports{};
    }

    FabricHelper helper;
    FabricNetwork network;
    std::string error;
};

// ---------------------------------------------------------------- shortest paths

TEST(ShortestPathRoutes, CountWeights)
{
    // A triangle whose link from s0 to s1 (port 1 of s0) is long: 3 > 1 + 1 by s2 (port 2 of s0).
    auto triangle = [](uint32_t weight) {
        NumberedSwitches fabric(3);
        fabric.Link(0, 1, weight);
        fabric.Link(0, 2);
        fabric.Link(2, 1);
        return fabric.graph;
    };
    EXPECT_EQ(Routed(triangle(1)).At(0, 1), (Ports{1}));
    EXPECT_EQ(Routed(triangle(3)).At(0, 1), (Ports{2}));
    EXPECT_EQ(Routed(triangle(2)).At(0, 1), (Ports{1, 2})) << "of one length: both";
    EXPECT_EQ(Routed(triangle(2)).At(1, 0), (Ports{1, 2})) << "and on the way back";
    EXPECT_EQ(Routed(triangle(UINT32_MAX)).At(0, 1), (Ports{2}));
}

TEST(ShortestPathRoutes, AddLargeWeightsUp)
{
    // A chain of 2^32 - 1 twice: the sum needs 33 bits, and is still less than 2^32 + 2^32 - 1.
    NumberedSwitches fabric(4);
    fabric.Link(0, 1, UINT32_MAX);
    fabric.Link(1, 3, UINT32_MAX);
    fabric.Link(0, 2, UINT32_MAX);
    fabric.Link(2, 3, UINT32_MAX - 1);
    EXPECT_EQ(Routed(fabric.graph).At(0, 3), (Ports{2}));
}

TEST(ShortestPathRoutes, KeepParallelLinksTogether)
{
    NumberedSwitches fabric(2);
    fabric.Link(0, 1);
    fabric.Link(0, 1);
    fabric.Link(0, 1, 2); // a longer one is not among them
    Routed routed(fabric.graph);
    EXPECT_EQ(routed.At(0, 1), (Ports{1, 2}));
    EXPECT_EQ(routed.At(0, 0), (Ports{0}));
    EXPECT_EQ(routed.WeightsAt(0, 1), Ports{});
}

TEST(ShortestPathRoutes, WeighPortsByTheirRates)
{
    NumberedSwitches fabric(2);
    fabric.Link(0, 1, 1, DataRate("400Gbps"));
    fabric.Link(0, 1, 1, DataRate("100Gbps"));
    fabric.Link(0, 1, 1, DataRate("200Gbps"));
    auto byRate = CreateObjectWithAttributes<ShortestPathRoutes>("WeighByRate", BooleanValue(true));
    {
        Routed routed(fabric.graph, byRate);
        EXPECT_EQ(routed.At(0, 1), (Ports{1, 2, 3}));
        EXPECT_EQ(routed.WeightsAt(0, 1), (Ports{4, 1, 2}));
    }
    NumberedSwitches equal(2);
    equal.Link(0, 1);
    equal.Link(0, 1);
    EXPECT_EQ(Routed(equal.graph, byRate).WeightsAt(0, 1), Ports{}) << "nothing to weigh";
}

TEST(ShortestPathRoutes, WeighOddRatesNearly)
{
    // 100 Gb/s and 99,999,999,999 b/s have no common divisor but 1: 16 bits of weight will do.
    std::vector<RoutingGraph::Port> ports(2);
    ports[0].bitRate = 100000000000;
    ports[1].bitRate = 99999999999;
    PortGroup group{{0, 1}, {}};
    WeighByRate(ports, group);
    ASSERT_EQ(group.weights.size(), 2u);
    EXPECT_NEAR(group.weights[0], 65535, 1);
    EXPECT_NEAR(group.weights[1], 65535, 1);
}

// ---------------------------------------------------------------- up and down

TEST(UpDownRoutes, AreAllShortestPathsOfAFatTree)
{
    FatTreeParameters parameters;
    parameters.k = 6; // 54 hosts, 45 switches
    FabricGraph graph = MakeFatTree(parameters);
    for (const char* levels : {"Auto", "Tiers"})
    {
        Routed shortest(graph);
        Routed upDown(graph,
                      CreateObjectWithAttributes<UpDownRoutes>("Levels", StringValue(levels)));
        for (uint32_t s = 0; s < 45; ++s)
        {
            for (uint32_t host = 0; host < 54; ++host)
            {
                ASSERT_EQ(upDown.At(s, host), shortest.At(s, host)) << s << " to " << host;
            }
        }
    }
}

/// @param seed of a random connected fabric
NumberedSwitches
RandomFabric(uint32_t seed)
{
    std::mt19937 random(seed);
    uint32_t count = 3 + random() % 20;
    NumberedSwitches fabric(count);
    for (uint32_t s = 1; s < count; ++s)
    {
        fabric.Link(random() % s, s, 1 + random() % 4);
    }
    for (uint32_t extra = random() % (2 * count); extra > 0; --extra)
    {
        uint32_t a = random() % count;
        uint32_t b = random() % count;
        if (a != b)
        {
            fabric.Link(a, b, 1 + random() % 4);
        }
    }
    return fabric;
}

TEST(UpDownRoutes, ReachEverybodyAndNeverGoUpAfterDown)
{
    for (uint32_t seed = 0; seed < 40; ++seed)
    {
        NumberedSwitches fabric = RandomFabric(seed);
        auto upDown = CreateObjectWithAttributes<UpDownRoutes>("Root", UintegerValue(seed % 3));
        Routed routed(fabric.graph, upDown);
        const RoutingGraph& graph = routed.network.routing->GetGraph();
        auto count = static_cast<uint32_t>(fabric.vertices.size());
        // All paths, step by step: (switch, whether it has come down).
        std::function<void(uint32_t, uint32_t, bool, uint32_t)> walk =
            [&](uint32_t s, uint32_t to, bool down, uint32_t steps) {
                ASSERT_LT(steps, 2 * count) << "seed " << seed << ": in a circle";
                if (s == to)
                {
                    return;
                }
                Ports ports = routed.At(s, to);
                ASSERT_FALSE(ports.empty()) << "seed " << seed << ": " << s << " to " << to;
                for (uint32_t p : ports)
                {
                    uint32_t next = graph.switches[s].ports[p].neighbor;
                    bool goesDown = upDown->IsAbove(s, next);
                    ASSERT_TRUE(goesDown || !down) << "seed " << seed << ": up after down";
                    walk(next, to, goesDown, steps + 1);
                }
            };
        for (uint32_t from = 0; from < count; ++from)
        {
            for (uint32_t to = 0; to < count; ++to)
            {
                walk(from, to, false, 0);
            }
        }
        EXPECT_TRUE(routed.network.routing->FindUnreachablePairs(1).empty());
    }
}

TEST(UpDownRoutes, ByTiersDoNotBounceOffALeaf)
{
    // Leaf 0 has spine 4 only, leaf 3 spine 5 only: a path between them goes by leaf 1 or 2.
    NumberedSwitches fabric(0);
    for (uint32_t leaf = 0; leaf < 4; ++leaf)
    {
        fabric.AddSwitch(1);
    }
    fabric.AddSwitch(2, false);
    fabric.AddSwitch(2, false);
    for (uint32_t leaf = 0; leaf < 3; ++leaf)
    {
        fabric.Link(leaf, 4);
        fabric.Link(leaf + 1, 5);
    }
    {
        Routed routed(fabric.graph, CreateObject<UpDownRoutes>());
        auto pairs = routed.network.routing->FindUnreachablePairs(10);
        ASSERT_EQ(pairs.size(), 2u);
        EXPECT_EQ(pairs[0].from, routed.network.routing->GetEndpoints()[3]);
        EXPECT_EQ(pairs[0].to, routed.network.routing->GetEndpoints()[0]);
        EXPECT_EQ(pairs[1].from, pairs[0].to);
        EXPECT_EQ(pairs[1].to, pairs[0].from);
    }
    // Counted from a root there is a way between any two, whatever the tiers.
    Routed routed(fabric.graph,
                  CreateObjectWithAttributes<UpDownRoutes>("Levels", StringValue("BreadthFirst")));
    EXPECT_TRUE(routed.network.routing->FindUnreachablePairs(10).empty());
}

TEST(UpDownRoutes, RefuseWhatTheyCannotKnow)
{
    Routed noTiers(NumberedSwitches(1).graph,
                   CreateObjectWithAttributes<UpDownRoutes>("Levels", StringValue("Tiers")));
    EXPECT_NE(noTiers.error.find("tier of each switch"), std::string::npos) << noTiers.error;
    Routed noRoot(NumberedSwitches(1).graph,
                  CreateObjectWithAttributes<UpDownRoutes>("Root", UintegerValue(1)));
    EXPECT_NE(noRoot.error.find("switch 1 of 1"), std::string::npos) << noRoot.error;
}

// ---------------------------------------------------------------- from a file

/// A file that is gone afterwards.
class RouteFile
{
  public:
    explicit RouteFile(const std::string& text)
        : path("routes-test-" + std::to_string(getpid()) + ".txt")
    {
        std::ofstream(path) << text;
    }

    ~RouteFile()
    {
        std::remove(path.c_str());
    }

    std::string path;
};

Ptr<StaticRoutes>
FromFile(const std::string& text, const FabricGraph& graph)
{
    RouteFile file(text);
    auto routes = CreateObject<StaticRoutes>();
    routes->SetRoutes(ReadRouteFile(file.path, graph));
    return routes;
}

TEST(StaticRoutes, AreWhatTheFileSays)
{
    NumberedSwitches fabric = LeafSpine(3); // s0, s1 leaves; s2, s3, s4 spines
    fabric.Link(0, 2);                      // a second link to spine s2: port 4 of leaf s0
    Routed routed(fabric.graph,
                  FromFile("# leaf, destinations, where to\n"
                           "s0 h1 s2,s3@3   # both links to s2\n"
                           "\n"
                           "s1 * 2\n"
                           "s2 h0 0\n"
                           "s2 h1 1\n",
                           fabric.graph));
    ASSERT_EQ(routed.error, "");
    EXPECT_EQ(routed.At(0, 1), (Ports{1, 2, 4}));
    EXPECT_EQ(routed.WeightsAt(0, 1), (Ports{1, 3, 1}));
    EXPECT_EQ(routed.At(1, 0), (Ports{2}));
    EXPECT_EQ(routed.At(2, 0), (Ports{0}));
    EXPECT_EQ(routed.At(2, 1), (Ports{1}));
    EXPECT_EQ(routed.At(0, 0), (Ports{0})) << "its own host needs no line";
    EXPECT_EQ(routed.At(3, 0), Ports{}) << "no line, no route";
}

TEST(StaticRoutes, KnowThePortsOfAHost)
{
    FabricGraph graph;
    uint32_t left = graph.AddSwitch("left");
    uint32_t right = graph.AddSwitch("right");
    uint32_t far = graph.AddSwitch("far");
    uint32_t host = graph.AddHost("host");
    graph.Connect({host, left, RATE, DELAY});
    graph.Connect({host, right, RATE, DELAY});
    graph.Connect({far, left, RATE, DELAY});
    graph.Connect({far, right, RATE, DELAY});
    Routed routed(graph, FromFile("far host:0 left\nfar host:1 right\n", graph));
    EXPECT_EQ(routed.At(2, 0), (Ports{0}));
    EXPECT_EQ(routed.At(2, 1), (Ports{1}));
    Routed both(graph, FromFile("far host left\n", graph));
    EXPECT_EQ(both.At(2, 0), (Ports{0}));
    EXPECT_EQ(both.At(2, 1), (Ports{0}));
}

TEST(StaticRoutes, NameTheMistakesInTheFile)
{
    FabricGraph graph = LeafSpine(2).graph;
    auto message = [&](const std::string& text) {
        RouteFile file(text);
        try
        {
            ReadRouteFile(file.path, graph);
        }
        catch (const InputError& error)
        {
            std::string what = error.what();
            return what.substr(file.path.size());
        }
        return std::string("no error");
    };
    EXPECT_EQ(message("s0 h1 s2\ns9 h1 s2\n"),
              ":2: switch: \"s9\" is no switch; expected the name of a switch");
    EXPECT_EQ(message("s0 s2 s2"),
              ":1: destination: \"s2\" is no host; expected the name of a host");
    EXPECT_EQ(message("s0 h1, s2"),
              ":1: destination: \"\" is no host; expected the name of a host");
    EXPECT_EQ(message("s0 h1"),
              ":1: the line has 2 words, not 3; expected a switch, destinations, and ports or "
              "neighbours");
    EXPECT_EQ(message("s0 h1 s1"),
              ":1: neighbour: no link leads from s0 to s1; expected a neighbouring switch");
    EXPECT_EQ(message("s0 h1 0"),
              ":1: port: port 0 of s0 leads to a host; expected a port to another switch; a switch "
              "delivers to its own hosts anyway");
    EXPECT_EQ(message("s0 h1 s2,1"),
              ":1: port: \"1\" leads by port 1, which is there already; expected each port once");
    EXPECT_EQ(message("s0 h1 s2\ns0 h0,h1 s3"),
              ":2: destination: \"h1\" has a route at s0 already, from line 1; expected each "
              "destination once a switch");
    EXPECT_NE(message("s0 h1 3").find(":1: port: "), std::string::npos) << message("s0 h1 3");
    EXPECT_NE(message("s0 h1 s2@0").find(":1: weight: "), std::string::npos);
    EXPECT_NE(message("s0 h1:1 s2").find(":1: destination: "), std::string::npos);
    EXPECT_EQ(message("s0 h1 s2"), "no error");
    EXPECT_THROW(ReadRouteFile("no-such-file", graph), InputError);
}

TEST(StaticRoutes, MustNotGoInACircle)
{
    NumberedSwitches fabric(3);
    fabric.Link(0, 1);
    fabric.Link(1, 2);
    Routed routed(fabric.graph, FromFile("s0 * s1\ns1 h2 s0\n", fabric.graph));
    EXPECT_EQ(routed.error, "frames to 10.0.0.3 would go in a circle: s0, s1, s0");
}

TEST(StaticRoutes, LeaveOutLinksThatAreDown)
{
    NumberedSwitches fabric = LeafSpine(2);
    auto fixed = FromFile("s0 h1 s2@3,s3\n", fabric.graph);
    fixed->SetAttribute("Otherwise", PointerValue(CreateObject<ShortestPathRoutes>()));
    Routed routed(fabric.graph, fixed);
    EXPECT_EQ(routed.At(1, 0), (Ports{1, 2})) << "no line: shortest paths";
    EXPECT_EQ(routed.WeightsAt(0, 1), (Ports{3, 1}));
    routed.network.channels[2]->SetUp(false); // s0 to s2
    ASSERT_EQ(routed.network.routing->Compute(), "");
    EXPECT_EQ(routed.At(0, 1), (Ports{2}));
    routed.network.channels[4]->SetUp(false); // s0 to s3
    ASSERT_EQ(routed.network.routing->Compute(), "");
    EXPECT_EQ(routed.At(0, 1), Ports{}) << "leaf s0 is cut off";
}

// ---------------------------------------------------------------- one's own (astra-sim #242)

/// To each destination by a spine of its own: the address modulo the number of uplinks.
class SpineByDestination : public RouteComputation
{
  public:
    void FindRoutes(const RoutingGraph& graph,
                    const RoutingGraph::Target& target,
                    std::vector<PortGroup>& routes) override
    {
        for (uint32_t s = 0; s < graph.switches.size(); ++s)
        {
            std::vector<uint32_t> up;
            std::vector<uint32_t> down;
            const auto& ports = graph.switches[s].ports;
            for (uint32_t p = 0; p < ports.size(); ++p)
            {
                if (ports[p].neighbor == target.homes.front())
                {
                    down.push_back(p);
                }
                else if (ports[p].neighbor != RoutingGraph::NO_SWITCH &&
                         graph.switches[s].tier == 1)
                {
                    up.push_back(p);
                }
            }
            routes[s].ports = down;
            if (down.empty() && !up.empty())
            {
                routes[s].ports = {up[target.addresses.front() % up.size()]};
            }
        }
    }

    bool RoutesEachDestination() const override
    {
        return true;
    }
};

TEST(RouteComputation, OfOnesOwnDecidesWhereFramesGo)
{
    // Leaves 0 and 1 with four hosts each, three spines.
    NumberedSwitches fabric = LeafSpine(3);
    for (uint32_t host = 0; host < 3; ++host)
    {
        uint32_t vertex = fabric.graph.AddHost("more" + std::to_string(host));
        fabric.graph.Connect({vertex, fabric.vertices[1], RATE, DELAY});
    }
    FabricFixture f;
    f.fabric.SetRoutes(CreateObject<SpineByDestination>());
    f.Build(fabric.graph);
    // h0 is 10.0.0.1, h1 .2, and more0 to more2 are .3 to .5: modulo 3 (with 10 x 2^24, which is 1
    // modulo 3) that is 0 for .2 and .5, 1 for .3, 2 for .4.
    for (uint32_t to = 1; to < 5; ++to)
    {
        f.Post(f.Connect(0, to), 1000 * to);
    }
    f.Run();
    f.ExpectAllSucceeded(4, 10000);
    EXPECT_EQ(f.Switch(0)->GetPort(1)->GetCounters().txPayloadBytes, 1000u + 4000);
    EXPECT_EQ(f.Switch(0)->GetPort(2)->GetCounters().txPayloadBytes, 2000u);
    EXPECT_EQ(f.Switch(0)->GetPort(3)->GetCounters().txPayloadBytes, 3000u);
}

// ---------------------------------------------------------------- when links change

/// Two spines; something happens to their links.
class Convergence : public testing::Test
{
  protected:
    /// Cables by index: 0, 1 to the hosts; leaf s0 to spine s2, s1 to s2, s0 to s3, s1 to s3.
    static constexpr uint32_t LEAF0_SPINE2 = 2;
    static constexpr uint32_t LEAF0_SPINE3 = 4;

    void Build()
    {
        f.fabric.SetRoutingAttribute("ConvergenceTime", TimeValue(MicroSeconds(50)));
        f.Build(LeafSpine(2).graph);
        f.network.routing->TraceConnectWithoutContext(
            "Converged",
            MakeCallback(&Convergence::OnConverged, this));
    }

    void OnConverged(uint64_t)
    {
        convergedAt.push_back(Simulator::Now());
    }

    void SetUp(Time at, uint32_t cable, bool up)
    {
        Simulator::Schedule(at, &FabricChannel::SetUp, f.network.channels[cable], up);
    }

    /// Notes at some time where leaf 0 sends what is for host 1.
    void NoteAt(Time at)
    {
        Simulator::Schedule(at, &Convergence::Note, this);
    }

    void Note()
    {
        auto ports = f.Switch(0)->GetForwardingTable().Lookup(f.Port(1)->GetIpv4Address().Get());
        notes.emplace_back(ports.first, ports.first + ports.count);
    }

    FabricFixture f;
    std::vector<Time> convergedAt;
    std::vector<Ports> notes;
};

TEST_F(Convergence, TakesItsTimeToTheStep)
{
    Build();
    SetUp(MicroSeconds(10), LEAF0_SPINE2, false);
    SetUp(MicroSeconds(200), LEAF0_SPINE2, true);
    for (int64_t converged : {60, 250})
    {
        NoteAt(MicroSeconds(converged) - TimeStep(1));
        NoteAt(MicroSeconds(converged) + TimeStep(1));
    }
    f.Run();
    EXPECT_EQ(convergedAt, (std::vector<Time>{MicroSeconds(60), MicroSeconds(250)}));
    EXPECT_EQ(notes, (std::vector<Ports>{{1, 2}, {2}, {2}, {1, 2}}));
    EXPECT_EQ(f.network.routing->GetComputations(), 3u);
}

TEST_F(Convergence, TakesSeveralChangesTogether)
{
    Build();
    SetUp(MicroSeconds(10), LEAF0_SPINE2, false);
    SetUp(MicroSeconds(20), LEAF0_SPINE3, false);
    SetUp(MicroSeconds(30), LEAF0_SPINE2, true);
    NoteAt(MicroSeconds(61));
    f.Run();
    EXPECT_EQ(convergedAt, (std::vector<Time>{MicroSeconds(60)}));
    EXPECT_EQ(notes, (std::vector<Ports>{{1}}));
}

TEST_F(Convergence, LeavesNoRouteWhereNoneIsLeft)
{
    Build();
    SetUp(MicroSeconds(10), LEAF0_SPINE2, false);
    SetUp(MicroSeconds(10), LEAF0_SPINE3, false);
    NoteAt(MicroSeconds(61));
    f.Run();
    EXPECT_EQ(notes, (std::vector<Ports>{{}}));
    EXPECT_EQ(f.network.routing->FindUnreachablePairs(10).size(), 2u);
    EXPECT_FALSE(f.network.routing->IsReachable(f.Port(0), f.Port(1)));
}

TEST_F(Convergence, OfAHostsLinkTakesItsRoutesAway)
{
    Build();
    SetUp(MicroSeconds(10), 1, false);
    NoteAt(MicroSeconds(59));
    NoteAt(MicroSeconds(61));
    f.Run();
    EXPECT_EQ(notes, (std::vector<Ports>{{1, 2}, {}}));
}

TEST_F(Convergence, SendsMessagesTheOtherWay)
{
    // 64 messages over both spines; one link fails on the way, what was lost is sent again.
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(6)); // 262 us
    Build();
    for (int i = 0; i < 64; ++i)
    {
        f.Post(f.Connect(0, 1), 100000);
    }
    SetUp(MicroSeconds(100), LEAF0_SPINE2, false);
    f.Run();
    f.ExpectAllSucceeded(64, 6400000);
    EXPECT_GT(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    EXPECT_GT(f.Switch(0)->GetPort(1)->GetCounters().txPayloadBytes, 0u);
    EXPECT_LT(f.Switch(0)->GetPort(1)->GetCounters().txPayloadBytes, 3200000u);
}

TEST_F(Convergence, DoesNotSeeASilentFailure)
{
    Build();
    Simulator::Schedule(MicroSeconds(10),
                        &FabricChannel::SetDirectionUp,
                        f.network.channels[LEAF0_SPINE2],
                        0,
                        false);
    NoteAt(MicroSeconds(100));
    f.Run();
    EXPECT_EQ(notes, (std::vector<Ports>{{1, 2}}));
    EXPECT_TRUE(convergedAt.empty());
}

TEST_F(Convergence, SeesOneWithADetectionProtocol)
{
    f.fabric.SetRoutingAttribute("SeesOneWayFailures", BooleanValue(true));
    Build();
    for (auto [at, up] : {std::pair{10, false}, std::pair{200, true}})
    {
        Simulator::Schedule(MicroSeconds(at),
                            &FabricChannel::SetDirectionUp,
                            f.network.channels[LEAF0_SPINE2],
                            0,
                            up);
    }
    NoteAt(MicroSeconds(61));
    NoteAt(MicroSeconds(251));
    f.Run();
    EXPECT_EQ(notes, (std::vector<Ports>{{2}, {1, 2}}));
    EXPECT_EQ(convergedAt, (std::vector<Time>{MicroSeconds(60), MicroSeconds(250)}));
}

TEST_F(Convergence, GoesOnWhenNobodyHoldsTheControlPlane)
{
    Build();
    f.network.routing = nullptr;
    SetUp(MicroSeconds(10), LEAF0_SPINE2, false);
    NoteAt(MicroSeconds(61));
    f.Run();
    EXPECT_EQ(notes, (std::vector<Ports>{{2}}));
}

// ---------------------------------------------------------------- parts and bonds

TEST(FabricRouting, NamesThePairsThatNothingJoins)
{
    // Two switches that share a host with a port on each, which does not forward: its own ports
    // need no way to each other, but nobody on the left reaches anybody on the right.
    FabricGraph graph;
    uint32_t sides[] = {graph.AddSwitch("left"), graph.AddSwitch("right")};
    uint32_t both = graph.AddHost("both");
    uint32_t only[] = {graph.AddHost("a"), graph.AddHost("b")};
    for (int side : {0, 1})
    {
        graph.Connect({both, sides[side], RATE, DELAY});
        graph.Connect({only[side], sides[side], RATE, DELAY});
    }
    FabricFixture f;
    f.Build(graph);
    // Endpoints: both:0 (left), both:1 (right), a (left), b (right).
    auto names = [&f](size_t limit) {
        std::vector<std::pair<int, int>> pairs;
        const auto& ends = f.network.routing->GetEndpoints();
        for (const auto& pair : f.network.routing->FindUnreachablePairs(limit))
        {
            pairs.emplace_back(std::find(ends.begin(), ends.end(), pair.from) - ends.begin(),
                               std::find(ends.begin(), ends.end(), pair.to) - ends.begin());
        }
        return pairs;
    };
    using Pairs = std::vector<std::pair<int, int>>;
    EXPECT_EQ(names(100), (Pairs{{3, 0}, {2, 1}, {1, 2}, {3, 2}, {0, 3}, {2, 3}}));
    EXPECT_EQ(names(2), (Pairs{{3, 0}, {2, 1}}));
    EXPECT_EQ(names(0), Pairs{});
    // What is sent all the same is dropped and counted at the first switch.
    f.rdma.SetQueuePairAttribute("RetryCount", UintegerValue(1));
    Connection c = f.Connect(1, 2, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("RetryCount", UintegerValue(1));
        qp->SetAttribute("Timeout", UintegerValue(6));
    });
    f.Post(c, 1000);
    f.Run();
    ASSERT_EQ(f.records.size(), 1u);
    EXPECT_EQ(f.records[0].status, WcStatus::RETRY_EXCEEDED);
    EXPECT_GT(f.Switch(0)->GetUnroutableDrops(), 0u);
}

TEST(FabricRouting, LeadsToABondByWhateverPortIsLeft)
{
    // A host with a port on each of two switches and one address for both (dual ToR).
    FabricGraph graph;
    uint32_t tors[] = {graph.AddSwitch("tor0"), graph.AddSwitch("tor1")};
    uint32_t spine = graph.AddSwitch("spine");
    uint32_t bonded = graph.AddHost("bonded");
    uint32_t far = graph.AddHost("far");
    for (uint32_t tor : tors)
    {
        graph.Connect({bonded, tor, RATE, DELAY});
        graph.Connect({tor, spine, RATE, DELAY});
    }
    graph.Connect({far, spine, RATE, DELAY});
    FabricHelper helper;
    helper.SetRoutingAttribute("ConvergenceTime", TimeValue(MicroSeconds(50)));
    FabricNetwork network = helper.Install(graph);
    auto ports = network.ports[bonded];
    ports[1]->SetIpv4Address(ports[0]->GetIpv4Address());
    ASSERT_EQ(network.routing->Compute(), "");
    auto at = [&](uint32_t s) {
        auto group =
            network.GetSwitches()[s]->GetForwardingTable().Lookup(ports[0]->GetIpv4Address().Get());
        return Ports{group.first, group.first + group.count};
    };
    EXPECT_EQ(at(2), (Ports{0, 1})) << "by either";
    EXPECT_EQ(at(0), (Ports{0}));
    EXPECT_EQ(at(1), (Ports{0}));
    Simulator::Schedule(MicroSeconds(1), &FabricChannel::SetUp, network.channels[0], false);
    Simulator::Run();
    EXPECT_EQ(at(2), (Ports{1}));
    EXPECT_EQ(at(0), (Ports{1})) << "by the spine";
    EXPECT_EQ(at(1), (Ports{0}));
    EXPECT_TRUE(network.routing->FindUnreachablePairs(10).size() == 1)
        << "only the dead port reaches nobody";
    Simulator::Destroy();
}

// ---------------------------------------------------------------- size

/// @return bytes that this process has asked for and not given back; unlike the resident set, the
///         same on every machine
uint64_t
AllocatedBytes()
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// @return processor time of this process
double
CpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST(RouteSize, AThousandHostsTakeLittleMemory)
{
    FatTreeParameters parameters;
    parameters.k = 16; // 1,024 hosts, 320 switches
    Routed routed(MakeFatTree(parameters));
    // Two bytes a switch and host, 655,360 B; and the groups: an edge switch has 8 for its hosts
    // and one up, the others one for each port.
    uint64_t bytes = routed.network.routing->GetMemoryBytes();
    EXPECT_GE(bytes, 655360u);
    EXPECT_LT(bytes, 2u << 20) << "the bound is 64 MB";
    EXPECT_EQ(routed.network.GetSwitches()[0]->GetForwardingTable().GetNGroups(), 1u + 8 + 1);
}

TEST(RouteSize, TenThousandHostsAreComputedInSeconds)
{
    FatTreeParameters parameters;
    parameters.k = 36; // 11,664 hosts, 1,620 switches
    Routed routed(MakeFatTree(parameters));
    ASSERT_EQ(routed.error, "");
    EXPECT_EQ(routed.network.hosts.GetN(), 11664u);
    EXPECT_LT(routed.network.routing->GetMemoryBytes(), 64u << 20);
    // Between pods by all 18 uplinks; within a pod's other edge switch the same; down by one port.
    EXPECT_EQ(routed.At(0, 11663).size(), 18u);
    EXPECT_EQ(routed.At(0, 0).size(), 1u);
    EXPECT_EQ(routed.At(1619, 0).size(), 1u);
    EXPECT_TRUE(routed.network.routing->FindUnreachablePairs(1).empty());
    // And again, with a link less: an edge switch loses one of its 18 uplinks.
    double start = CpuSeconds();
    routed.network.channels[11664]->SetUp(false);
    ASSERT_EQ(routed.network.routing->Compute(), "");
    EXPECT_LT(CpuSeconds() - start, 5.0);
    EXPECT_EQ(routed.At(0, 11663).size(), 17u);
}

TEST(RouteSize, AStarOfFourThousandHostsTakesLittleMemory)
{
    // HPCC's simulator crashes here, and takes more than 9 GB before (#9).
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(uint64_t{1} << 30));
    uint64_t before = AllocatedBytes();
    f.BuildStar(4000, "100Gbps", DELAY);
    for (uint32_t i = 0; i < 2000; ++i)
    {
        f.Post(f.Connect(i, 3999 - i), 10000);
    }
    f.Run();
    f.ExpectAllSucceeded(2000, 20000000);
    f.ExpectDrained();
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer's allocator counts nothing";
#endif
    uint64_t bytes = AllocatedBytes() - before;
    EXPECT_LT(bytes, 4000u * 65536) << bytes / 4000 << " B a host, its port and its pair included";
}

TEST(RouteSize, AddressesGoBeyondSixteenBits)
{
    // The peers build addresses from 16 bits of node number.
    FabricFixture f;
    f.fabric.SetFirstAddress("10.0.255.253");
    f.BuildTwoSwitches(4, "100Gbps", 1, "100Gbps", DELAY);
    EXPECT_EQ(f.Port(7)->GetIpv4Address(), Ipv4Address("10.1.0.4"));
    for (uint32_t from = 0; from < 8; ++from)
    {
        f.Post(f.Connect(from, 7 - from), 1000);
    }
    f.Run();
    f.ExpectAllSucceeded(8, 8000);

    ForwardingTable table;
    constexpr uint32_t HOSTS = 200000;
    table.Reset(0x0a000001, HOSTS);
    for (uint32_t h = 0; h < HOSTS; ++h)
    {
        table.SetRoute(0x0a000001 + h, {h / 4});
    }
    EXPECT_EQ(*table.Lookup(0x0a000001).first, 0u);
    EXPECT_EQ(*table.Lookup(0x0a000001 + 65536).first, 16384u);
    EXPECT_EQ(*table.Lookup(0x0a000001 + HOSTS - 1).first, 49999u);
    EXPECT_EQ(table.Lookup(0x0a000001 + HOSTS).count, 0u);
}

} // namespace
