// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Cyclic buffer dependencies found on paper, against circles that were worked out by hand;
 * and deadlocks found while they stand, against buffers that really do not empty.
 */

#include "fabric-fixture.h"
#include "numbered-switches.h"

#include "ns3/buffer-dependencies.h"
#include "ns3/cycle-finder.h"
#include "ns3/deadlock-detector.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/pointer.h"
#include "ns3/static-routes.h"
#include "ns3/up-down-routes.h"

#include <ctime>
#include <random>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint32_t LOSSLESS = 3; ///< the lossless class by default

// ---------------------------------------------------------------- fabrics

/// Switch i has its link to i + 1 on port 1 (the first one) or 2, by order of Connect: the ring's
/// links are made in order, so port 1 of switch 0 leads to 1, and port 2 of all others onward.
NumberedSwitches
Ring(uint32_t count)
{
    NumberedSwitches ring(count);
    for (uint32_t s = 0; s < count; ++s)
    {
        ring.Link(s, (s + 1) % count);
    }
    return ring;
}

uint32_t
ClockwisePort(uint32_t s)
{
    return s == 0 ? 1 : 2;
}

/// All that is not for a switch's own host goes on clockwise.
Ptr<RouteComputation>
Clockwise(uint32_t count)
{
    std::vector<StaticRoute> routes;
    for (uint32_t s = 0; s < count; ++s)
    {
        routes.push_back({s, {}, {{ClockwisePort(s)}, {}}});
    }
    auto computation = CreateObject<StaticRoutes>();
    computation->SetRoutes(routes);
    return computation;
}

/// Rows and columns of switches, each closed to a ring. @param side of the square
NumberedSwitches
Torus(uint32_t side)
{
    NumberedSwitches torus(side * side);
    for (uint32_t y = 0; y < side; ++y)
    {
        for (uint32_t x = 0; x < side; ++x)
        {
            torus.Link(y * side + x, y * side + (x + 1) % side);
            torus.Link(y * side + x, (y + 1) % side * side + x);
        }
    }
    return torus;
}

std::vector<std::string>
Names(const std::vector<BufferCycle>& cycles, const FabricRouting& routing)
{
    std::vector<std::string> names;
    for (const BufferCycle& cycle : cycles)
    {
        names.push_back(ToString(cycle, routing));
    }
    return names;
}

/// @param graph a fabric @param routes null: shortest paths @return names of its circles
std::vector<std::string>
CyclesOf(const FabricGraph& graph, Ptr<RouteComputation> routes = nullptr)
{
    FabricHelper helper;
    helper.SetRoutes(routes);
    FabricNetwork network = helper.Install(graph);
    std::vector<std::string> names = Names(FindBufferCycles(*network.routing), *network.routing);
    Simulator::Destroy();
    return names;
}

using Texts = std::vector<std::string>;

// ---------------------------------------------------------------- the search

TEST(CycleFinder, NamesOneShortestCycleOfEachComponent)
{
    using Graph = std::vector<std::vector<uint32_t>>;
    EXPECT_EQ(FindShortestCycles({}), Graph{});
    EXPECT_EQ(FindShortestCycles({{1}, {2}, {}}), Graph{});
    EXPECT_EQ(FindShortestCycles({{0}}), (Graph{{0}})); // waits for itself
    // 0 -> 1 -> 2 -> 3 -> 0 and the short cut 2 -> 1; 4 -> 5 -> 4 apart, reached from 3.
    EXPECT_EQ(FindShortestCycles({{1}, {2}, {1, 3}, {0, 4}, {5}, {4}}), (Graph{{1, 2}, {4, 5}}));
    // A cycle that is only found if cross edges to closed components do not count.
    EXPECT_EQ(FindShortestCycles({{1, 2}, {}, {1, 3}, {2}}), (Graph{{2, 3}}));
}

TEST(CycleFinder, DoesNotRecurse)
{
    // A chain of a million nodes: a recursive search would run out of stack. At its end a ring of a
    // thousand with a chord, which saves one.
    constexpr uint32_t CHAIN = 1000000;
    constexpr uint32_t RING = 1000;
    std::vector<std::vector<uint32_t>> graph(CHAIN + RING);
    for (uint32_t n = 0; n < CHAIN + RING - 1; ++n)
    {
        graph[n] = {n + 1};
    }
    graph.back() = {CHAIN};
    graph[CHAIN].push_back(CHAIN + 2);
    std::vector<std::vector<uint32_t>> cycles = FindShortestCycles(graph);
    ASSERT_EQ(cycles.size(), 1u);
    EXPECT_EQ(cycles[0].size(), RING - 1);
}

// ---------------------------------------------------------------- on paper

TEST(BufferCycles, OfClockwiseRingsAreTheRings)
{
    EXPECT_EQ(CyclesOf(Ring(3).graph, Clockwise(3)),
              Texts{"class 3: s0:1 -> s1:2 -> s2:2 -> s0:1"});
    EXPECT_EQ(CyclesOf(Ring(5).graph, Clockwise(5)),
              Texts{"class 3: s0:1 -> s1:2 -> s2:2 -> s3:2 -> s4:2 -> s0:1"});
}

TEST(BufferCycles, OfRingsWithShortestPathsGoBothWaysOrNotAtAll)
{
    // Three switches: every other one is a neighbour, no link waits for a second one.
    EXPECT_EQ(CyclesOf(Ring(3).graph), Texts{});
    // Four or five: what goes two links far makes each link wait for the next, in both directions.
    EXPECT_EQ(CyclesOf(Ring(4).graph),
              (Texts{"class 3: s0:1 -> s1:2 -> s2:2 -> s3:2 -> s0:1",
                     "class 3: s0:2 -> s3:1 -> s2:1 -> s1:1 -> s0:2"}));
    EXPECT_EQ(CyclesOf(Ring(5).graph).size(), 2u);
    EXPECT_EQ(CyclesOf(Ring(5).graph, CreateObject<UpDownRoutes>()), Texts{});
}

TEST(BufferCycles, NeedFramesThatCanBeThere)
{
    // The ring of four, with hosts on two neighbours only: nothing goes further than one link.
    NumberedSwitches ring(0);
    for (uint32_t s = 0; s < 4; ++s)
    {
        ring.AddSwitch(0, s < 2);
    }
    for (uint32_t s = 0; s < 4; ++s)
    {
        ring.Link(s, (s + 1) % 4);
    }
    EXPECT_EQ(CyclesOf(ring.graph), Texts{});
}

TEST(BufferCycles, OfATorusEndWithUpDownRoutes)
{
    for (uint32_t side : {4, 5})
    {
        NumberedSwitches torus = Torus(side);
        EXPECT_FALSE(CyclesOf(torus.graph).empty()) << side;
        EXPECT_EQ(CyclesOf(torus.graph, CreateObject<UpDownRoutes>()), Texts{}) << side;
    }
}

TEST(BufferCycles, AreNotInFatTrees)
{
    FatTreeParameters parameters;
    parameters.k = 4;
    EXPECT_EQ(CyclesOf(MakeFatTree(parameters)), Texts{});
}

/// Leaves 0 to 3, spines 4 and 5; leaf 0 has lost spine 5, and leaf 3 has lost spine 4.
NumberedSwitches
BrokenLeafSpine()
{
    NumberedSwitches fabric(0);
    for (uint32_t leaf = 0; leaf < 4; ++leaf)
    {
        fabric.AddSwitch(1);
    }
    fabric.AddSwitch(2, false);
    fabric.AddSwitch(2, false);
    for (uint32_t leaf = 0; leaf < 4; ++leaf)
    {
        if (leaf != 3)
        {
            fabric.Link(leaf, 4);
        }
        if (leaf != 0)
        {
            fabric.Link(leaf, 5);
        }
    }
    return fabric;
}

TEST(BufferCycles, ComeFromPathsThatBounceOffALeaf)
{
    // From leaf 0 to leaf 3 the shortest paths go up, down to leaf 1 or 2, and up again:
    //   s4 -> s1 waits for s1 -> s5   (from 0 to 3)
    //   s1 -> s5 waits for s5 -> s2   (from 1 to 2)
    //   s5 -> s2 waits for s2 -> s4   (from 3 to 0)
    //   s2 -> s4 waits for s4 -> s1   (from 2 to 1)
    // and the same with leaves 1 and 2 exchanged.
    // Ports: leaves 1 and 2 have spine 4 on port 1 and spine 5 on port 2; spine 4 has leaves 0, 1,
    // 2 on ports 0, 1, 2, spine 5 has leaves 1, 2, 3 there.
    NumberedSwitches fabric = BrokenLeafSpine();
    EXPECT_EQ(CyclesOf(fabric.graph),
              (Texts{"class 3: s1:1 -> s4:2 -> s2:2 -> s5:0 -> s1:1",
                     "class 3: s1:2 -> s5:1 -> s2:1 -> s4:1 -> s1:2"}));
    EXPECT_EQ(CyclesOf(fabric.graph, CreateObject<UpDownRoutes>()), Texts{});
}

TEST(BufferCycles, AreOfLosslessClassesOnly)
{
    NumberedSwitches ring = Ring(3);
    auto cycles = [&](uint8_t classes, bool pfc) {
        FabricHelper helper;
        helper.SetRoutes(Clockwise(3));
        helper.SetSwitchAttribute("LosslessClasses", UintegerValue(classes));
        helper.SetSwitchAttribute("Pfc", BooleanValue(pfc));
        FabricNetwork network = helper.Install(ring.graph);
        std::vector<uint32_t> found;
        for (const BufferCycle& cycle : FindBufferCycles(*network.routing))
        {
            found.push_back(cycle.trafficClass);
        }
        Simulator::Destroy();
        return found;
    };
    EXPECT_EQ(cycles(1U << 3 | 1U << 5, true), (std::vector<uint32_t>{3, 5}));
    EXPECT_EQ(cycles(0, true), std::vector<uint32_t>{});
    EXPECT_EQ(cycles(1U << 3, false), std::vector<uint32_t>{});
}

TEST(BufferCycles, EndWhereOneSwitchDoesNotPause)
{
    // A class that is lossy at one switch of the ring: who sends there is never stopped.
    FabricHelper helper;
    helper.SetRoutes(Clockwise(3));
    FabricNetwork network = helper.Install(Ring(3).graph);
    EXPECT_EQ(FindBufferCycles(*network.routing).size(), 1u);
    network.GetSwitches()[1]->SetAttribute("LosslessClasses", UintegerValue(0));
    EXPECT_EQ(FindBufferCycles(*network.routing).size(), 0u);
    Simulator::Destroy();
}

TEST(BufferCycles, AreFoundFastForAThousandHosts)
{
    FatTreeParameters parameters;
    parameters.k = 16; // 1,024 hosts, 320 switches
    FabricNetwork network = FabricHelper().Install(MakeFatTree(parameters));
    std::clock_t start = std::clock();
    EXPECT_EQ(FindBufferCycles(*network.routing).size(), 0u);
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5.0);
    Simulator::Destroy();
}

/// Random connected fabrics. @param seed of one
NumberedSwitches
RandomFabric(uint32_t seed)
{
    std::mt19937 random(seed);
    uint32_t count = 3 + random() % 20;
    NumberedSwitches fabric(count);
    for (uint32_t s = 1; s < count; ++s)
    {
        fabric.Link(random() % s, s);
    }
    for (uint32_t extra = random() % (2 * count); extra > 0; --extra)
    {
        uint32_t a = random() % count;
        uint32_t b = random() % count;
        if (a != b)
        {
            fabric.Link(a, b);
        }
    }
    return fabric;
}

TEST(BufferCycles, AreNotInAnyFabricWithUpDownRoutes)
{
    int withCycles = 0;
    for (uint32_t seed = 0; seed < 60; ++seed)
    {
        NumberedSwitches fabric = RandomFabric(seed);
        withCycles += !CyclesOf(fabric.graph).empty();
        EXPECT_EQ(CyclesOf(fabric.graph, CreateObject<UpDownRoutes>()), Texts{}) << "seed " << seed;
    }
    EXPECT_GT(withCycles, 10) << "shortest paths mostly have some: the test means something";
}

// ---------------------------------------------------------------- while it stands

/// The triangle: each host sends to the one two switches on.
class Triangle : public testing::Test
{
  protected:
    static constexpr uint64_t MESSAGE = 4 << 20;

    void Build(Ptr<RouteComputation> routes)
    {
        f.fabric.SetRoutes(routes);
        f.fabric.SetBufferAttribute("Size", UintegerValue(1 << 20));
        f.rdma.SetQueuePairAttribute("RetryCount", UintegerValue(7));
        f.Build(Ring(3).graph);
        detector->SetRouting(f.network.routing);
        detector->SetAttribute("Interval", TimeValue(MicroSeconds(100)));
        detector->TraceConnectWithoutContext("Deadlock", MakeCallback(&Triangle::OnDeadlock, this));
        for (uint32_t h = 0; h < 3; ++h)
        {
            f.Post(f.Connect(h, (h + 2) % 3), MESSAGE);
        }
    }

    void OnDeadlock(const BufferCycle& cycle)
    {
        found.push_back(ToString(cycle, *f.network.routing));
        foundAt.push_back(Simulator::Now());
    }

    /// @return bytes in all switches
    uint64_t Buffered() const
    {
        uint64_t sum = 0;
        for (const auto& each : f.network.GetSwitches())
        {
            sum += each->GetBuffer()->GetUsedBytes();
        }
        return sum;
    }

    /// @return application bytes that have arrived at hosts' ports
    uint64_t Moved() const
    {
        uint64_t sum = 0;
        for (const auto& fabricSwitch : f.network.GetSwitches())
        {
            for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
            {
                sum += fabricSwitch->GetPort(p)->GetCounters().txPayloadBytes;
            }
        }
        return sum;
    }

    FabricFixture f;
    Ptr<DeadlockDetector> detector{CreateObject<DeadlockDetector>()};
    Texts found;
    std::vector<Time> foundAt;
};

TEST_F(Triangle, DeadlocksClockwiseAndTheDetectorNamesThePorts)
{
    Build(Clockwise(3));
    const Texts expected{"class 3: s0:1 -> s1:2 -> s2:2 -> s0:1"};
    EXPECT_EQ(Names(FindBufferCycles(*f.network.routing), *f.network.routing), expected);
    detector->Start();
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    ASSERT_EQ(found, expected);
    EXPECT_LT(foundAt[0], MilliSeconds(2)); // 12 MiB would have passed in 1 ms
    EXPECT_EQ(detector->GetDeadlocks().size(), 1u) << "and once only";
    EXPECT_EQ(detector->Look().size(), 1u) << "it stands";

    // It is one: memory stays full and nothing moves, however long one waits.
    uint64_t buffered = Buffered();
    uint64_t moved = Moved();
    EXPECT_GT(buffered, 0u);
    EXPECT_EQ(f.Drops(), 0u);
    Simulator::Stop(MilliSeconds(200));
    Simulator::Run();
    EXPECT_EQ(Buffered(), buffered);
    EXPECT_EQ(Moved(), moved);
    EXPECT_EQ(f.Drops(), 0u);
    for (uint32_t s = 0; s < 3; ++s)
    {
        Ptr<FabricNetDevice> port = f.Switch(s)->GetPort(ClockwisePort(s));
        EXPECT_TRUE(port->GetPausedClasses(NowSteps()) & (1U << LOSSLESS)) << s;
        EXPECT_GT(port->GetQueuedBytes(LOSSLESS), 0u) << s;
    }
}

TEST_F(Triangle, RunsThroughWithUpDownRoutes)
{
    Build(CreateObject<UpDownRoutes>());
    EXPECT_TRUE(FindBufferCycles(*f.network.routing).empty());
    detector->Start();
    Simulator::Run(); // ends by itself: the detector does not keep it going
    EXPECT_EQ(found, Texts{});
    f.ExpectAllSucceeded(3, 3 * MESSAGE);
    f.ExpectDrained();
}

TEST(DeadlockDetector, DoesNotTakeASlowReceiverForOne)
{
    // 15:1 into one host: queues of two switches are paused again and again, none of them for good.
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(2 << 20));
    f.BuildTwoSwitches(8, "100Gbps", 1, "100Gbps", DELAY);
    for (uint32_t from = 1; from < 16; ++from)
    {
        f.Post(f.Connect(from, 0), 1 << 20);
    }
    auto detector = CreateObject<DeadlockDetector>();
    detector->SetRouting(f.network.routing);
    detector->SetAttribute("Interval", TimeValue(NanoSeconds(500)));
    detector->Start();
    f.Run();
    EXPECT_TRUE(detector->GetDeadlocks().empty());
    f.ExpectAllSucceeded(15, 15 << 20);
    uint64_t pauses = 0;
    for (const auto& fabricSwitch : f.network.GetSwitches())
    {
        for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
        {
            pauses += fabricSwitch->GetPort(p)->GetCounters().pausesReceived;
        }
    }
    EXPECT_GT(pauses, 0u) << "switches did pause each other";
}

} // namespace
