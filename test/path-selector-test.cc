// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Path selectors: shares, balance over tiers, order, and what adaptive ones gain.
 *
 * Critical values of the chi-square law for 99 % are those of NIST/SEMATECH, "e-Handbook of
 * Statistical Methods", table 1.3.6.7.4.
 */

#include "fabric-fixture.h"

#include "ns3/adaptive-path-selector.h"
#include "ns3/conga-path-selector.h"
#include "ns3/entropy-path-selector.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/flowlet-path-selector.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/weighted-ecmp-path-selector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;
constexpr uint16_t FIRST_PORT = 49152; ///< of the dynamic ports: path 0 of EntropyPathSelector

constexpr double CHI_SQUARE_99_OF_2 = 9.210;
constexpr double CHI_SQUARE_99_OF_3 = 11.345;
constexpr double CHI_SQUARE_99_OF_15 = 30.578;

/// @param k ports of its switches @return a fat tree of 100 Gb/s
FabricGraph
FatTree(uint32_t k)
{
    FatTreeParameters p;
    p.k = k;
    p.linkRate = DataRate("100Gbps");
    return MakeFatTree(p);
}

/// @param observed counts @param shares what each should be of the sum @return chi-square
double
ChiSquare(const std::vector<double>& observed, const std::vector<double>& shares)
{
    double total = std::accumulate(observed.begin(), observed.end(), 0.0);
    double sum = 0;
    for (size_t i = 0; i < observed.size(); ++i)
    {
        double expected = total * shares[i];
        sum += (observed[i] - expected) * (observed[i] - expected) / expected;
    }
    return sum;
}

double
ChiSquare(const std::vector<double>& observed)
{
    return ChiSquare(observed, std::vector<double>(observed.size(), 1.0 / observed.size()));
}

template <typename T>
Ptr<T>
SelectorOf(const Ptr<FabricSwitch>& fabricSwitch)
{
    return DynamicCast<T>(fabricSwitch->GetPathSelector());
}

FramePtr
MakeFrame(uint32_t source, uint32_t destination, uint16_t sourcePort = FIRST_PORT)
{
    FramePtr frame = FabricFrame::Create();
    frame->opcode = RdmaOpcode::RC_WRITE_MIDDLE;
    frame->trafficClass = 3;
    frame->srcAddress = source;
    frame->dstAddress = destination;
    frame->udpSourcePort = sourcePort;
    frame->flowHash = FlowHash(source, destination, sourcePort);
    frame->payloadBytes = MTU;
    frame->ComputeSize();
    return frame;
}

/// Two switches with a host each and several links between them; what the left one chooses.
class Choice : public FabricFixture
{
  public:
    /// @param typeId of the selector @param rates of the links
    void BuildLinks(const std::string& typeId, const std::vector<std::string>& rates)
    {
        if (!typeId.empty())
        {
            fabric.SetPathSelector(typeId);
        }
        FabricGraph graph;
        uint32_t left = graph.AddSwitch("left");
        uint32_t right = graph.AddSwitch("right");
        for (uint32_t s : {left, right})
        {
            graph.Connect(
                {graph.AddHost("host" + std::to_string(s)), s, DataRate("100Gbps"), DELAY});
        }
        for (const std::string& rate : rates)
        {
            graph.Connect({left, right, DataRate(rate), DELAY});
        }
        Build(graph);
        source = Port(0)->GetIpv4Address().Get();
        destination = Port(1)->GetIpv4Address().Get();
    }

    FabricSwitch& Left() const
    {
        return *Switch(0);
    }

    /// @return the ports to the right
    ForwardingTable::Ports Links() const
    {
        return Left().GetForwardingTable().Lookup(destination);
    }

    /// @param frame any @return index of the link that is chosen
    uint32_t Select(FabricFrame& frame) const
    {
        ForwardingTable::Ports ports = Links();
        uint32_t port = Left().GetPathSelector()->Select(Left(), 0, frame, ports);
        return static_cast<uint32_t>(std::find(ports.first, ports.first + ports.count, port) -
                                     ports.first);
    }

    /// @param frames with consecutive source ports and sources @return how many take each link
    std::vector<double> CountLinks(uint32_t frames) const
    {
        std::vector<double> counts(Links().count);
        for (uint32_t i = 0; i < frames; ++i)
        {
            ++counts.at(Select(*MakeFrame(source + i / 10000, destination, i % 10000)));
        }
        return counts;
    }

    /// @return payload frames that each link has carried to the right
    std::vector<uint64_t> CarriedFrames() const
    {
        std::vector<uint64_t> frames;
        ForwardingTable::Ports ports = Links();
        for (uint32_t i = 0; i < ports.count; ++i)
        {
            frames.push_back(Left().GetPort(ports.first[i])->GetCounters().txPayloadBytes / MTU);
        }
        return frames;
    }

    uint32_t source{0};
    uint32_t destination{0};
};

// ---------------------------------------------------------------- ECMP

TEST(Ecmp, MixesAsMurmur3Does)
{
    // Of no bytes, murmur3 of 32 bits is its finalizer of the seed: published vectors.
    EXPECT_EQ(MixHash(0, 0), 0u);
    EXPECT_EQ(MixHash(1, 0), 0x514e28b7u);
    EXPECT_EQ(MixHash(0xffffffff, 0), 0x81f16f39u);
}

/// @return how many of 8 links 64 flows take that differ in one thing only
uint32_t
LinksUsed(const std::string& fields, const std::function<void(FabricFrame&, uint32_t)>& differ)
{
    Choice c;
    c.fabric.SetPathSelector("ns3::EcmpPathSelector");
    c.fabric.SetPathSelectorAttribute("HashFields", StringValue(fields));
    c.BuildLinks("", std::vector<std::string>(8, "100Gbps"));
    std::set<uint32_t> used;
    for (uint32_t i = 0; i < 64; ++i)
    {
        FramePtr frame = MakeFrame(c.source, c.destination);
        differ(*frame, i);
        used.insert(c.Select(*frame));
    }
    return static_cast<uint32_t>(used.size());
}

TEST(Ecmp, HashesTheFieldsThatItIsToldTo)
{
    // Where the field counts all 8 links are taken (one stays empty in 0.2 % of all cases).
    auto port = [](FabricFrame& f, uint32_t i) {
        f.udpSourcePort = static_cast<uint16_t>(FIRST_PORT + i);
        f.flowHash = FlowHash(f.srcAddress, f.dstAddress, f.udpSourcePort);
    };
    auto pair = [](FabricFrame& f, uint32_t i) { f.destQp = 100 + i; };
    auto source = [](FabricFrame& f, uint32_t i) {
        f.srcAddress += i;
        f.flowHash = FlowHash(f.srcAddress, f.dstAddress, f.udpSourcePort);
    };

    EXPECT_EQ(LinksUsed("FiveTuple", port), 8u);
    EXPECT_EQ(LinksUsed("FiveTuple", pair), 1u);
    EXPECT_EQ(LinksUsed("FiveTuple", source), 8u);
    EXPECT_EQ(LinksUsed("FiveTupleAndQp", port), 8u);
    EXPECT_EQ(LinksUsed("FiveTupleAndQp", pair), 8u);
    EXPECT_EQ(LinksUsed("Addresses", port), 1u);
    EXPECT_EQ(LinksUsed("Addresses", pair), 1u);
    EXPECT_EQ(LinksUsed("Addresses", source), 8u);
    EXPECT_EQ(LinksUsed("Destination", source), 1u);
}

TEST(Ecmp, WithTheQueuePairPartsPairsThatShareASourcePort)
{
    // Peer bug 53: all pairs have one UDP source port. The queue pair is the only entropy left.
    for (bool hashesPair : {false, true})
    {
        Choice c;
        c.rdma.SetQueuePairAttribute("UdpSourcePort", UintegerValue(50000));
        c.fabric.SetPathSelector("ns3::EcmpPathSelector");
        c.fabric.SetPathSelectorAttribute("HashFields",
                                          StringValue(hashesPair ? "FiveTupleAndQp" : "FiveTuple"));
        c.BuildLinks("", std::vector<std::string>(8, "100Gbps"));
        for (int i = 0; i < 64; ++i)
        {
            c.Post(c.Connect(0, 1), MTU);
        }
        c.Run();
        c.ExpectAllSucceeded(64, 64 * MTU);
        auto frames = c.CarriedFrames();
        EXPECT_EQ(8 - std::count(frames.begin(), frames.end(), 0u), hashesPair ? 8 : 1);
    }
}

/// 4096 flows from the hosts of one edge switch of an 8-ary fat tree to those of another pod.
class FatTreeFlows : public FabricFixture
{
  public:
    static constexpr uint32_t K = 8;
    static constexpr uint32_t HALF = K / 2;
    static constexpr uint32_t FLOWS = 4096;
    static constexpr uint64_t MESSAGE = 1000;
    static constexpr uint32_t HOSTS = K * K * K / 4;
    static constexpr uint32_t CORE0 = HOSTS + K * K; ///< vertex

    void Send()
    {
        Build(FatTree(K));
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            Post(Connect(i % HALF, HALF * HALF + i / HALF % (HALF * HALF)), MESSAGE);
        }
        Run();
        ExpectAllSucceeded(FLOWS, FLOWS * MESSAGE);
        ExpectDrained();
    }

    /// @return flows on each of the 16 paths: a path has a core of its own
    std::vector<double> FlowsOfCores() const
    {
        std::vector<double> flows;
        for (uint32_t core = 0; core < HALF * HALF; ++core)
        {
            const auto& toPod1 = network.ports[CORE0 + core][1];
            flows.push_back(static_cast<double>(toPod1->GetCounters().txPayloadBytes / MESSAGE));
        }
        return flows;
    }
};

TEST(EcmpInAFatTree, SpreadsFlowsEvenlyOverThreeTiers)
{
    FatTreeFlows f;
    f.Send();
    std::vector<double> paths = f.FlowsOfCores();
    EXPECT_EQ(std::accumulate(paths.begin(), paths.end(), 0.0), FatTreeFlows::FLOWS);
    EXPECT_LT(ChiSquare(paths), CHI_SQUARE_99_OF_15) << "16 paths";
    std::vector<double> aggregations(4);
    for (uint32_t core = 0; core < 16; ++core)
    {
        aggregations[core / 4] += paths[core];
    }
    EXPECT_LT(ChiSquare(aggregations), CHI_SQUARE_99_OF_3) << "the first choice";
}

TEST(EcmpInAFatTree, PolarizesWithASharedSeed)
{
    // The aggregation switch repeats the edge switch's choice: 4 of 16 paths have it all, so that
    // chi-square is at least 4 x (4 - 1)^2 / 4 x 256 / 4 + 12 x 256 = FLOWS x (16 / 4 - 1).
    FatTreeFlows f;
    f.fabric.SetPathSelector("ns3::EcmpPathSelector", true);
    f.Send();
    std::vector<double> paths = f.FlowsOfCores();
    EXPECT_EQ(std::count(paths.begin(), paths.end(), 0.0), 12);
    EXPECT_GE(ChiSquare(paths), FatTreeFlows::FLOWS * 3.0);
}

// ---------------------------------------------------------------- weights

TEST(PickByWeight, DividesTheHashSpaceExactly)
{
    // Of 2^32 hashes, 3:1:1 gives h < 3/5 x 2^32 = 2576980377.6 to the first port, h < 4/5 x 2^32 =
    // 3435973836.8 to the second.
    const uint32_t numbers[] = {7, 8, 9};
    const uint32_t weights[] = {3, 1, 1};
    ForwardingTable::Ports ports{numbers, 3, weights};
    EXPECT_EQ(PickByWeight(ports, 0), 7u);
    EXPECT_EQ(PickByWeight(ports, 2576980377u), 7u);
    EXPECT_EQ(PickByWeight(ports, 2576980378u), 8u);
    EXPECT_EQ(PickByWeight(ports, 3435973836u), 8u);
    EXPECT_EQ(PickByWeight(ports, 3435973837u), 9u);
    EXPECT_EQ(PickByWeight(ports, 0xffffffff), 9u);
}

TEST(PickByWeight, TakesWeightsWhoseSumExceeds32Bits)
{
    const uint32_t numbers[] = {0, 1, 2, 3};
    const uint32_t weights[] = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
    ForwardingTable::Ports ports{numbers, 4, weights};
    for (uint32_t quarter = 0; quarter < 4; ++quarter)
    {
        EXPECT_EQ(PickByWeight(ports, quarter << 30 | 1), quarter);
        EXPECT_EQ(PickByWeight(ports, quarter << 30 | 0x3fffffff), quarter);
    }
}

TEST(WeightedEcmp, FollowsTheWeightsOfTheRoute)
{
    Choice c;
    c.BuildLinks("ns3::WeightedEcmpPathSelector", std::vector<std::string>(3, "100Gbps"));
    ForwardingTable::Ports ports = c.Links();
    std::vector<uint32_t> numbers(ports.first, ports.first + ports.count);
    c.Left().GetForwardingTable().SetRoute(c.destination, numbers, {3, 1, 1});
    EXPECT_LT(ChiSquare(c.CountLinks(100000), {0.6, 0.2, 0.2}), CHI_SQUARE_99_OF_2);
}

TEST(WeightedEcmp, FollowsTheRatesWhereTheRouteHasNoWeights)
{
    for (bool byRate : {true, false})
    {
        Choice c;
        c.fabric.SetPathSelector("ns3::WeightedEcmpPathSelector");
        c.fabric.SetPathSelectorAttribute("WeightByRate", BooleanValue(byRate));
        c.BuildLinks("", {"400Gbps", "200Gbps", "200Gbps"});
        ForwardingTable::Ports ports = c.Links();
        ASSERT_EQ(ports.weights, nullptr);
        std::vector<double> shares = {0.5, 0.25, 0.25};
        std::vector<double> counts = c.CountLinks(100000);
        EXPECT_LT(byRate ? ChiSquare(counts, shares) : ChiSquare(counts), CHI_SQUARE_99_OF_2);
    }
}

// ---------------------------------------------------------------- spraying

struct Spray
{
    const char* selector;
    const char* reliability;
};

class SprayedMessages : public testing::TestWithParam<Spray>
{
};

TEST_P(SprayedMessages, TakeAllPathsEvenlyAndArriveWhole)
{
    // Four ways, from 1 to 4 us long, of which a frame takes 0.33 us: up to 9 frames overtake one.
    // Nobody takes that for a loss.
    constexpr uint64_t FRAMES = 4000;
    FabricGraph graph;
    uint32_t left = graph.AddSwitch("left");
    uint32_t right = graph.AddSwitch("right");
    graph.Connect({graph.AddHost("a"), left, DataRate("100Gbps"), DELAY});
    graph.Connect({graph.AddHost("b"), right, DataRate("100Gbps"), DELAY});
    for (int us = 1; us <= 4; ++us)
    {
        graph.Connect({left, right, DataRate("100Gbps"), MicroSeconds(us)});
    }
    FabricFixture f;
    f.fabric.SetPathSelector(GetParam().selector);
    f.rdma.SetReliability(GetParam().reliability);
    f.rdma.SetReliabilityAttribute("ReorderDistance", UintegerValue(64));
    f.Build(graph);
    f.Post(f.Connect(0, 1), FRAMES * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, FRAMES * MTU);
    f.ExpectDrained();
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    std::vector<double> frames;
    for (uint32_t link = 1; link <= 4; ++link)
    {
        frames.push_back(
            static_cast<double>(f.network.ports[left][link]->GetCounters().txPayloadBytes / MTU));
    }
    if (GetParam().selector == std::string("ns3::RoundRobinSprayPathSelector"))
    {
        EXPECT_EQ(frames, std::vector<double>(4, FRAMES / 4));
    }
    EXPECT_LT(ChiSquare(frames), CHI_SQUARE_99_OF_3);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds,
    SprayedMessages,
    testing::Values(Spray{"ns3::RandomSprayPathSelector", "ns3::OutOfOrderPlacement"},
                    Spray{"ns3::RandomSprayPathSelector", "ns3::SelectiveRepeat"},
                    Spray{"ns3::RoundRobinSprayPathSelector", "ns3::OutOfOrderPlacement"},
                    Spray{"ns3::RoundRobinSprayPathSelector", "ns3::SelectiveRepeat"}));

TEST(RandomSpray, HonoursWeightsAndItsStream)
{
    std::vector<double> counts[2];
    for (auto& count : counts)
    {
        Choice c;
        c.BuildLinks("ns3::RandomSprayPathSelector", std::vector<std::string>(3, "100Gbps"));
        ForwardingTable::Ports ports = c.Links();
        std::vector<uint32_t> numbers(ports.first, ports.first + ports.count);
        c.Left().GetForwardingTable().SetRoute(c.destination, numbers, {3, 1, 1});
        c.Left().GetPathSelector()->AssignStreams(7);
        count = c.CountLinks(100000);
    }
    EXPECT_LT(ChiSquare(counts[0], {0.6, 0.2, 0.2}), CHI_SQUARE_99_OF_2);
    EXPECT_EQ(counts[0], counts[1]) << "the same stream draws the same ports";
}

TEST(RoundRobinSpray, CountsByClassAndByWhatItIsToldTo)
{
    for (const char* counter : {"Group", "Destination", "Switch"})
    {
        Choice c;
        c.fabric.SetPathSelector("ns3::RoundRobinSprayPathSelector");
        c.fabric.SetPathSelectorAttribute("Counter", StringValue(counter));
        c.BuildLinks("", std::vector<std::string>(4, "100Gbps"));
        FramePtr data = MakeFrame(c.source, c.destination);
        FramePtr ack = MakeFrame(c.source, c.destination);
        FramePtr other = MakeFrame(c.source, c.destination + 1);
        ack->trafficClass = 6;
        uint32_t first = c.Select(*data);
        uint32_t firstAck = c.Select(*ack);
        EXPECT_EQ(c.Select(*data), (first + 1) % 4) << "an ACK between does not count";
        EXPECT_EQ(c.Select(*ack), (firstAck + 1) % 4);
        uint32_t firstOther = c.Select(*other);
        bool isShared = counter != std::string("Destination");
        EXPECT_EQ(c.Select(*data), (first + (isShared ? 3 : 2)) % 4) << counter;
        if (isShared)
        {
            EXPECT_EQ(firstOther, (first + 2) % 4);
        }
    }
}

// ---------------------------------------------------------------- entropy

TEST(Entropy, EnumeratesThePathsOfAFatTree)
{
    // k = 8: digit 0 of 4 is the aggregation switch, digit 1 of 4 its core; down there is one way.
    // Flow p has a message of p + 1 bytes, so that each core says which one it carried.
    FatTreeFlows f;
    f.fabric.SetPathSelector("ns3::EntropyPathSelector");
    f.Build(FatTree(FatTreeFlows::K));
    for (uint32_t p = 0; p < 16; ++p)
    {
        auto connection = f.Connect(1, 17, [p](Ptr<QueuePair> qp) {
            qp->SetAttribute("UdpSourcePort", UintegerValue(FIRST_PORT + p));
        });
        f.Post(connection, p + 1);
    }
    f.Run();
    f.ExpectAllSucceeded(16, 16 * 17 / 2);
    auto edge = SelectorOf<EntropyPathSelector>(f.Switch(0));
    EXPECT_EQ(edge->GetTier(), 1u);
    EXPECT_EQ(edge->GetRadices(), (std::vector<uint32_t>{4, 4, 1, 1, 1}));
    EXPECT_EQ(edge->GetPathCount(), 16u);
    for (uint32_t p = 0; p < 16; ++p)
    {
        uint32_t core = 4 * (p % 4) + p / 4;
        EXPECT_EQ(f.network.ports[FatTreeFlows::CORE0 + core][1]->GetCounters().txPayloadBytes,
                  p + 1)
            << "path " << p;
    }
}

TEST(Entropy, ReadsAnotherDigitOnTheWayDown)
{
    // Two spines with two cables to each leaf: 4 uplinks and 2 cables down make 8 paths, which 16
    // pairs with consecutive source ports take twice each.
    LeafSpineParameters p;
    p.leaves = 2;
    p.hostsPerLeaf = 1;
    p.spines = 2;
    p.linksPerSpine = 2;
    FabricFixture f;
    f.fabric.SetPathSelector("ns3::EntropyPathSelector");
    f.rdma.SetQueuePairAttribute("UdpSourcePortPolicy", StringValue("PerPair"));
    f.Build(MakeLeafSpine(p));
    for (int i = 0; i < 16; ++i)
    {
        f.Post(f.Connect(0, 1), MTU);
    }
    f.Run();
    f.ExpectAllSucceeded(16, 16 * MTU);
    EXPECT_EQ(SelectorOf<EntropyPathSelector>(f.Switch(0))->GetRadices(),
              (std::vector<uint32_t>{4, 2, 1}));
    constexpr uint32_t LEAF0 = 2;
    constexpr uint32_t SPINE0 = 4;
    for (uint32_t uplink = 1; uplink <= 4; ++uplink)
    {
        EXPECT_EQ(f.network.ports[LEAF0][uplink]->GetCounters().txPayloadBytes, 4 * MTU);
    }
    for (uint32_t spine : {SPINE0, SPINE0 + 1})
    {
        for (uint32_t toLeaf1 : {2, 3})
        {
            EXPECT_EQ(f.network.ports[spine][toLeaf1]->GetCounters().txPayloadBytes, 4 * MTU);
        }
    }
}

TEST(Entropy, TakesTheRadicesThatItIsGiven)
{
    Choice c;
    c.fabric.SetPathSelector("ns3::EntropyPathSelector");
    c.fabric.SetPathSelectorAttribute("Radices", StringValue("8,3"));
    c.fabric.SetPathSelectorAttribute("BasePort", UintegerValue(1000));
    c.BuildLinks("", std::vector<std::string>(4, "100Gbps"));
    // Path 13 in radix 8: lowest digit 5; 5 modulo 4 links is 1.
    EXPECT_EQ(c.Select(*MakeFrame(c.source, c.destination, 1013)), 1u);
    EXPECT_EQ(SelectorOf<EntropyPathSelector>(c.Switch(0))->GetPathCount(), 24u);
}

// ---------------------------------------------------------------- flowlets

TEST(Flowlet, KeepsItsPortUntilAGapExceedsTheTimeout)
{
    Choice c;
    c.fabric.SetPathSelector("ns3::FlowletPathSelector");
    c.fabric.SetPathSelectorAttribute("FlowletTimeout", TimeValue(MicroSeconds(10)));
    c.BuildLinks("", std::vector<std::string>(8, "100Gbps"));
    auto selector = SelectorOf<FlowletPathSelector>(c.Switch(0));
    std::vector<uint32_t> taken;
    Time at = MilliSeconds(1);
    auto frame = [&] {
        Simulator::Schedule(at, [&] {
            taken.push_back(c.Select(*MakeFrame(c.source, c.destination)));
        });
    };
    for (int i = 0; i < 100; ++i, at += MicroSeconds(10)) // a gap of just the timeout
    {
        frame();
    }
    for (int i = 0; i < 64; ++i, at += MicroSeconds(10) + PicoSeconds(1))
    {
        frame();
    }
    c.Run();
    EXPECT_EQ(std::count(taken.begin(), taken.begin() + 101, taken[0]), 101);
    EXPECT_EQ(selector->GetFlowlets(), 64u) << "one for 101 frames, one for each of 63";
    EXPECT_EQ(std::set<uint32_t>(taken.begin(), taken.end()).size(), 8u);
}

/// Bursts of four frames with random gaps over two ways of 1 and 3 us. @return NAKs for order
uint64_t
NaksOfBursts(Time timeout)
{
    FabricGraph graph;
    uint32_t left = graph.AddSwitch("left");
    uint32_t right = graph.AddSwitch("right");
    graph.Connect({graph.AddHost("a"), left, DataRate("100Gbps"), DELAY});
    graph.Connect({graph.AddHost("b"), right, DataRate("100Gbps"), DELAY});
    graph.Connect({left, right, DataRate("100Gbps"), MicroSeconds(1)});
    graph.Connect({left, right, DataRate("100Gbps"), MicroSeconds(3)});
    FabricFixture f;
    f.fabric.SetPathSelector("ns3::FlowletPathSelector");
    f.fabric.SetPathSelectorAttribute("FlowletTimeout", TimeValue(timeout));
    f.Build(graph);
    constexpr uint64_t BURSTS = 500;
    Connection connection = f.Connect(0, 1);
    std::mt19937 random(1);
    Time at;
    for (uint64_t i = 0; i < BURSTS; ++i)
    {
        Simulator::Schedule(at, [&f, connection] { f.Post(connection, 4 * MTU); });
        at += MicroSeconds(2) + NanoSeconds(random() % 5000); // a burst takes 1.3 us
    }
    f.Run();
    f.ExpectAllSucceeded(BURSTS, BURSTS * 4 * MTU);
    for (uint32_t link : {1, 2})
    {
        EXPECT_GT(f.network.ports[left][link]->GetCounters().txPayloadBytes, BURSTS * MTU);
    }
    return f.Total(&RdmaNicCounters::naksSent);
}

TEST(Flowlet, FramesKeepTheirOrderIfTheTimeoutExceedsTheDifferenceOfDelays)
{
    // The receiver goes back to N at the first frame out of order, so each one shows as a NAK.
    EXPECT_EQ(NaksOfBursts(MicroSeconds(2)), 0u);
    EXPECT_GT(NaksOfBursts(NanoSeconds(500)), 0u) << "the ways differ by 2 us";
}

// ---------------------------------------------------------------- DRILL

/// Sixteen hosts send to as many over 16 links at 80 % load. @return mean of the largest queue of
/// the links less the smallest, bytes
double
MeanImbalance(const std::string& selector)
{
    constexpr uint32_t HOSTS = 16;
    FabricFixture f;
    f.fabric.SetPathSelector(selector);
    f.fabric.SetBufferAttribute("Size", UintegerValue(uint64_t{1} << 28));
    f.rdma.SetReliability("ns3::OutOfOrderPlacement");
    f.rdma.SetReliabilityAttribute("ReorderDistance", UintegerValue(1000));
    f.BuildTwoSwitches(HOSTS, "80Gbps", HOSTS, "100Gbps", DELAY);
    for (uint32_t h = 0; h < HOSTS; ++h)
    {
        f.Post(f.Connect(h, HOSTS + h), 1000 * MTU);
    }
    double sum = 0;
    uint32_t samples = 0;
    std::function<void()> look = [&] {
        uint64_t most = 0;
        uint64_t least = UINT64_MAX;
        for (uint32_t link = HOSTS; link < 2 * HOSTS; ++link)
        {
            uint64_t bytes = f.network.ports[0][link]->GetQueuedBytes();
            most = std::max(most, bytes);
            least = std::min(least, bytes);
        }
        sum += static_cast<double>(most - least);
        ++samples;
    };
    for (int us = 50; us < 350; ++us) // the messages take 418 us
    {
        Simulator::Schedule(MicroSeconds(us), look);
    }
    f.Run();
    f.ExpectAllSucceeded(HOSTS, HOSTS * 1000 * MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    return sum / samples;
}

TEST(Drill, BalancesTheQueuesFarBetterThanChance)
{
    // Queues of the longest of two and a remembered one are doubly exponentially short, those of
    // random spraying exponentially (section 3.2 of the paper, by Mitzenmacher's results).
    double random = MeanImbalance("ns3::RandomSprayPathSelector");
    double drill = MeanImbalance("ns3::DrillPathSelector");
    EXPECT_GT(random, 2 * 4158.0);
    EXPECT_LT(drill, random / 3);
}

// ---------------------------------------------------------------- adaptive routing

TEST(Adaptive, GradesAreWaitingBytesInSteps)
{
    Choice c;
    c.fabric.SetPathSelector("ns3::AdaptivePathSelector");
    c.fabric.SetPathSelectorAttribute("GradeBytes", UintegerValue(2 * 4158));
    c.fabric.SetPathSelectorAttribute("Grades", UintegerValue(3));
    c.BuildLinks("", {"100Gbps", "100Gbps"});
    auto selector = SelectorOf<AdaptivePathSelector>(c.Switch(0));
    uint32_t port = c.Links().first[0];
    // The first frame goes on the wire at once, the others wait.
    for (uint32_t grade : {0, 0, 1, 1, 2, 2, 2, 2, 2})
    {
        c.Left().Forward(0, port, MakeFrame(c.source, c.destination));
        EXPECT_EQ(selector->GetGrade(c.Left().GetDevice(port), 3, 0), grade);
    }
}

TEST(Adaptive, AvoidsAHotPort)
{
    for (const char* mode : {"Free", "Bounded"})
    {
        for (bool isHot : {false, true})
        {
            Choice c;
            c.fabric.SetPathSelector("ns3::AdaptivePathSelector");
            c.fabric.SetPathSelectorAttribute("Mode", StringValue(mode));
            c.BuildLinks("", std::vector<std::string>(4, "100Gbps"));
            for (int i = 0; isHot && i < 6; ++i)
            {
                c.Left().Forward(0, c.Links().first[2], MakeFrame(c.source, c.destination));
            }
            // Five frames of 4158 bytes wait: more than a grade of 16 KiB.
            std::vector<double> counts = c.CountLinks(1000);
            EXPECT_EQ(counts[2] == 0, isHot) << mode;
            EXPECT_GT(counts[0], 150);
            EXPECT_GT(counts[1], 150);
            EXPECT_GT(counts[3], 150);
        }
    }
}

TEST(Adaptive, BoundedModeKeepsABurstTogether)
{
    Choice c;
    c.fabric.SetPathSelector("ns3::AdaptivePathSelector");
    c.fabric.SetPathSelectorAttribute("Mode", StringValue("Bounded"));
    c.BuildLinks("", std::vector<std::string>(4, "100Gbps"));
    FramePtr frame = MakeFrame(c.source, c.destination);
    uint32_t link = c.Select(*frame);
    for (int i = 0; i < 6; ++i)
    {
        c.Left().Forward(0, c.Links().first[link], MakeFrame(c.source, c.destination));
    }
    EXPECT_EQ(c.Select(*frame), link) << "its burst goes on, though the port is hot";
}

TEST(Adaptive, AvoidsAPortThatPfcHolds)
{
    for (bool skips : {true, false})
    {
        Choice c;
        c.fabric.SetPathSelector("ns3::AdaptivePathSelector");
        c.fabric.SetPathSelectorAttribute("SkipPaused", BooleanValue(skips));
        c.BuildLinks("", std::vector<std::string>(4, "100Gbps"));
        c.Left().GetDevice(c.Links().first[1]).GetPeer()->SendPause(1U << 3, 0xffff);
        std::vector<double> counts;
        Simulator::Schedule(MicroSeconds(2), [&] { counts = c.CountLinks(1000); });
        Simulator::Stop(MicroSeconds(3));
        c.Run();
        EXPECT_EQ(counts[1] == 0, skips);
    }
}

// ---------------------------------------------------------------- CONGA

TEST(DiscountingRateEstimator, LosesItsFractionEveryPeriod)
{
    // T = 20, alpha = 1/8: all of these numbers are exact in binary.
    DiscountingRateEstimator x;
    x.Add(1000, 0, 20, 0.125);
    EXPECT_EQ(x.GetBytes(19, 20, 0.125), 1000);
    EXPECT_EQ(x.GetBytes(20, 20, 0.125), 875);
    x.Add(1000, 25, 20, 0.125);
    EXPECT_EQ(x.GetBytes(59, 20, 0.125), 1875 * 0.875);
    EXPECT_EQ(x.GetBytes(60, 20, 0.125), 1875 * 0.875 * 0.875);
    EXPECT_EQ(x.GetBytes(1000000000, 20, 0.125), 0) << "50 million periods later";
}

TEST(DiscountingRateEstimator, SettlesAtTheRateTimesTau)
{
    // 50 bytes every unit of time: just before a discount X is R T / alpha, just after it is
    // (1 - alpha) of that (the fixed point of X = (1 - alpha) X + R T).
    DiscountingRateEstimator x;
    for (int64_t t = 0; t < 20 * 200; ++t)
    {
        x.Add(50, t, 20, 0.125);
    }
    EXPECT_NEAR(x.GetBytes(20 * 200 - 1, 20, 0.125), 50 * 20 / 0.125, 1e-3);
    EXPECT_NEAR(x.GetBytes(20 * 200, 20, 0.125), 50 * 20 / 0.125 * 0.875, 1e-3);
}

TEST(CongaLeafTables, ReportChangedMetricsFirstAndEachInTurn)
{
    CongaLeafTables tables;
    CongaFields in;
    in.sourceLeaf = 5;
    in.valid = true;
    for (uint8_t uplink : {0, 1, 2})
    {
        in.uplink = uplink;
        in.congestion = uplink + 1;
        tables.Arrived(in, 77, 100);
    }
    EXPECT_EQ(tables.GetLeafOf(77), 5u);
    EXPECT_EQ(tables.GetLeafOf(78), CongaLeafTables::UNKNOWN_LEAF);
    auto report = [&](int64_t now) {
        CongaFields out;
        tables.GiveFeedback(5, out, now, 1000);
        return out.feedbackValid ? out.feedbackUplink * 10 + out.feedbackMetric : -1;
    };
    EXPECT_EQ(report(100), 1); // uplink 0: 1; 1: 2; 2: 3
    EXPECT_EQ(report(100), 12);
    EXPECT_EQ(report(100), 23);
    EXPECT_EQ(report(100), 1) << "nothing has changed: in turn";
    in.uplink = 0;
    in.congestion = 7;
    tables.Arrived(in, 77, 200);
    EXPECT_EQ(report(200), 7) << "changed: before its turn";
    EXPECT_EQ(report(200), 12);
    EXPECT_EQ(report(1150), 7) << "the others are older than the aging time";
    EXPECT_EQ(report(1150), 7);
    EXPECT_EQ(report(1300), -1);
}

TEST(CongaLeafTables, MetricsFadeWithinTwoAgingTimes)
{
    CongaLeafTables tables;
    CongaFields in;
    in.sourceLeaf = 5;
    in.valid = true;
    in.feedbackValid = true;
    in.feedbackUplink = 3;
    in.feedbackMetric = 6;
    tables.Arrived(in, 77, 0);
    EXPECT_EQ(tables.GetMetric(5, 3, 0, 1000), 6u);
    EXPECT_EQ(tables.GetMetric(5, 3, 1000, 1000), 6u);
    EXPECT_EQ(tables.GetMetric(5, 3, 1500, 1000), 3u);
    EXPECT_EQ(tables.GetMetric(5, 3, 2000, 1000), 0u);
    EXPECT_EQ(tables.GetMetric(5, 2, 0, 1000), 0u) << "nothing was said of that uplink";
    EXPECT_EQ(tables.GetMetric(6, 3, 0, 1000), 0u) << "nor of that leaf";
}

/**
 * The asymmetric example of CONGA's figure 2: leaf 0 has 80 Gb/s to each of two spines, spine 0 has
 * 80 Gb/s to leaf 1, but spine 1 only 40. Hosts behind leaf 0 have 100 Gb/s for leaf 1: a quarter
 * of them at any time, each a burst and then nothing for 1.6 ms. That is far longer than a
 * flowlet's timeout and CONGA's time constant, so that decisions see what those before them did.
 */
class AsymmetricFabric : public FabricFixture
{
  public:
    static constexpr uint32_t HOSTS = 80;
    static constexpr uint64_t BURST = 80 * MTU;
    static constexpr uint32_t SPINE0 = 2; ///< vertex
    /// A burst is 80 x 4178 + 16 bytes on the wire; so often that is 1.25 Gb/s.
    const Time PERIOD = PicoSeconds((80 * 4178 + 16) * 8 * 800);

    /// What the links to leaf 1 deliver, by way of spine 0 and 1, Gb/s.
    struct Delivered
    {
        double ways[2];

        double Total() const
        {
            return ways[0] + ways[1];
        }
    };

    Delivered Measure()
    {
        Build(MakeGraph());
        for (uint32_t h = 0; h < HOSTS; ++h)
        {
            // For EntropyPathSelector: half of the hosts go each way.
            m_connections.push_back(Connect(h, HOSTS + h, [h](Ptr<QueuePair> qp) {
                qp->SetAttribute("UdpSourcePort", UintegerValue(FIRST_PORT + h % 2));
            }));
            Simulator::Schedule(PERIOD * (h * 27 % HOSTS) / HOSTS, [this, h] { PostAgain(h); });
        }
        const Time start = MilliSeconds(20);
        const Time end = MilliSeconds(60);
        Delivered before{};
        Simulator::Schedule(start, [&] { before = SoFar(); });
        Simulator::Stop(end);
        Run();
        Delivered delivered = SoFar();
        for (int way : {0, 1})
        {
            delivered.ways[way] -= before.ways[way];
            delivered.ways[way] *= 8.0 / static_cast<double>((end - start).GetNanoSeconds());
        }
        return delivered;
    }

  private:
    static FabricGraph MakeGraph()
    {
        FabricGraph graph;
        uint32_t leaf0 = graph.AddSwitch("leaf0");
        uint32_t leaf1 = graph.AddSwitch("leaf1");
        uint32_t spine0 = graph.AddSwitch("spine0");
        uint32_t spine1 = graph.AddSwitch("spine1");
        for (uint32_t h = 0; h < 2 * HOSTS; ++h)
        {
            uint32_t host = graph.AddHost("host" + std::to_string(h));
            graph.Connect({host, h < HOSTS ? leaf0 : leaf1, DataRate("5Gbps"), DELAY});
        }
        graph.Connect({leaf0, spine0, DataRate("80Gbps"), DELAY});
        graph.Connect({leaf0, spine1, DataRate("80Gbps"), DELAY});
        graph.Connect({spine0, leaf1, DataRate("80Gbps"), DELAY});
        graph.Connect({spine1, leaf1, DataRate("40Gbps"), DELAY});
        return graph;
    }

    void PostAgain(uint32_t host)
    {
        Post(m_connections[host], BURST);
        Simulator::Schedule(PERIOD, [this, host] { PostAgain(host); });
    }

    Delivered SoFar() const
    {
        Delivered bytes{};
        for (uint32_t way : {0, 1})
        {
            const PortCounters& counters = network.ports[SPINE0 + way][1]->GetCounters();
            bytes.ways[way] = static_cast<double>(counters.txBytes + 20 * counters.txFrames);
        }
        return bytes;
    }

    std::vector<Connection> m_connections;
};

TEST(Conga, FindsTheOptimumThatAnEvenSplitMisses)
{
    {
        // An even split has 50 Gb/s each way, of which 40 fit the slow one: 90.
        AsymmetricFabric f;
        f.fabric.SetPathSelector("ns3::EntropyPathSelector");
        AsymmetricFabric::Delivered even = f.Measure();
        EXPECT_NEAR(even.ways[0], 50, 1);
        EXPECT_NEAR(even.ways[1], 40, 0.1);
    }
    // The optimum has all 100, 2:1, where 66.7 / 80 = 33.3 / 40. With metrics of 6 bits, the most
    // that the paper considers; with 3 bits a step is already an eighth of a link.
    AsymmetricFabric f;
    f.fabric.SetPathSelector("ns3::CongaPathSelector");
    f.fabric.SetPathSelectorAttribute("QuantizationBits", UintegerValue(6));
    AsymmetricFabric::Delivered conga = f.Measure();
    EXPECT_NEAR(conga.Total(), 100, 1);
    EXPECT_NEAR(conga.ways[0] / 80, conga.ways[1] / 40, 0.08);
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 0u) << "gaps exceed the difference of delays";
}

// ---------------------------------------------------------------- all of them

const char* const SELECTORS[] = {"ns3::EcmpPathSelector",
                                 "ns3::WeightedEcmpPathSelector",
                                 "ns3::EntropyPathSelector",
                                 "ns3::RandomSprayPathSelector",
                                 "ns3::RoundRobinSprayPathSelector",
                                 "ns3::FlowletPathSelector",
                                 "ns3::DrillPathSelector",
                                 "ns3::AdaptivePathSelector",
                                 "ns3::CongaPathSelector"};

/// Two tiers, three tiers, unequal rates with parallel cables, and a mesh whose switches are leaf
/// and transit at once.
std::vector<FabricGraph>
Fabrics()
{
    FabricGraph unequal;
    uint32_t spines[] = {unequal.AddSwitch("spine0"), unequal.AddSwitch("spine1")};
    FabricGraph mesh;
    std::vector<uint32_t> corners;
    for (uint32_t s = 0; s < 4; ++s)
    {
        uint32_t leaf = unequal.AddSwitch("leaf" + std::to_string(s));
        corners.push_back(mesh.AddSwitch("corner" + std::to_string(s)));
        for (uint32_t h = 0; h < 4; ++h)
        {
            std::string name = "host" + std::to_string(4 * s + h);
            unequal.Connect({unequal.AddHost(name), leaf, DataRate("25Gbps"), DELAY});
            mesh.Connect({mesh.AddHost(name), corners[s], DataRate("100Gbps"), DELAY});
        }
        unequal.Connect({leaf, spines[0], DataRate("100Gbps"), DELAY});
        unequal.Connect({leaf, spines[1], DataRate("40Gbps"), MicroSeconds(3)});
        unequal.Connect({leaf, spines[1], DataRate("40Gbps"), MicroSeconds(3)});
    }
    for (uint32_t s = 0; s < 4; ++s) // a ring: opposite corners have two ways, of two hops
    {
        mesh.Connect({corners[s], corners[(s + 1) % 4], DataRate("100Gbps"), DELAY});
    }
    LeafSpineParameters leafSpine;
    leafSpine.linkRate = leafSpine.uplinkRate = DataRate("100Gbps");
    return {MakeLeafSpine(leafSpine), FatTree(4), unequal, mesh};
}

/// @return when each message of random traffic with an incast has ended
std::vector<int64_t>
EndsOf(const char* selector, const FabricGraph& graph)
{
    FabricFixture f;
    f.fabric.SetPathSelector(selector);
    f.fabric.SetBufferAttribute("Size", UintegerValue(64000000));
    f.rdma.SetReliability("ns3::OutOfOrderPlacement");
    f.Build(graph);
    std::mt19937 random(3);
    const uint32_t hosts = f.network.hosts.GetN();
    uint64_t messages = 0;
    for (uint32_t h = 1; h < hosts; ++h)
    {
        for (uint32_t to : {0U, (h + 1 + static_cast<uint32_t>(random()) % (hosts - 1)) % hosts})
        {
            Connection connection = f.Connect(h, to);
            for (int i = 0; i < 3; ++i, ++messages)
            {
                Simulator::Schedule(MicroSeconds(random() % 2000),
                                    [&f, connection] { f.Post(connection, 20 * MTU); });
            }
        }
    }
    f.Run();
    f.ExpectAllSucceeded(messages, messages * 20 * MTU);
    f.ExpectDrained();
    EXPECT_EQ(f.Drops(), 0u);
    std::vector<int64_t> ends;
    for (const MessageRecord& record : f.records)
    {
        ends.push_back(record.end);
    }
    return ends;
}

class EverySelector : public testing::TestWithParam<const char*>
{
};

TEST_P(EverySelector, WorksOnEveryFabricTheSameEachTime)
{
    // Peer bug 46: load balancers that assert on another fat tree, other rates, an incast.
    for (const FabricGraph& graph : Fabrics())
    {
        EXPECT_EQ(EndsOf(GetParam(), graph), EndsOf(GetParam(), graph));
    }
}

INSTANTIATE_TEST_SUITE_P(Selectors, EverySelector, testing::ValuesIn(SELECTORS));

class AdaptiveSelector : public testing::TestWithParam<const char*>
{
};

TEST_P(AdaptiveSelector, PassesOverALinkThatIsDown)
{
    Choice c;
    c.BuildLinks(GetParam(), std::vector<std::string>(4, "100Gbps"));
    ForwardingTable::Ports ports = c.Links(); // as they were: the routes have not converged
    std::vector<uint32_t> numbers(ports.first, ports.first + ports.count);
    c.CountLinks(1000); // flows have their ports
    DynamicCast<FabricChannel>(c.Left().GetDevice(numbers[2]).GetChannel())->SetUp(false);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        FramePtr frame = MakeFrame(c.source, c.destination, static_cast<uint16_t>(i));
        uint32_t port =
            c.Left().GetPathSelector()->Select(c.Left(), 0, *frame, {numbers.data(), 4});
        ASSERT_NE(port, numbers[2]);
    }
}

INSTANTIATE_TEST_SUITE_P(Selectors,
                         AdaptiveSelector,
                         testing::Values("ns3::FlowletPathSelector",
                                         "ns3::DrillPathSelector",
                                         "ns3::AdaptivePathSelector",
                                         "ns3::CongaPathSelector"));

} // namespace
