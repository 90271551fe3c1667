// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief ConWeave: its timers to the nanosecond, against times worked out by hand; that frames
 * arrive in order however often their flows change paths; that flows leave slow paths.
 */

#include "fabric-fixture.h"

#include "ns3/conweave-path-selector.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/pointer.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

using Type = ConWeaveFields::Type;

constexpr uint64_t MTU = 4096;
const Time DELAY = NanoSeconds(500);
const std::string RATE = "100Gbps";

Type
TypeOf(const FabricFrame& frame)
{
    return frame.switchHeader ? frame.switchHeader->conweave.type : Type::NONE;
}

/// @param k ports of each switch @return a fat tree at 100 Gb/s
FabricGraph
FatTree(uint32_t k)
{
    FatTreeParameters p;
    p.k = k;
    p.linkRate = DataRate(RATE);
    p.linkDelay = DELAY;
    p.uplinkDelay = DELAY;
    return MakeFatTree(p);
}

/// @param leaves how many @param hosts at each @param spines how many @param hostRate of their
/// cables @param uplinkRate of the leaves' cables @param cables from a leaf to a spine
/// @return a leaf-spine fabric
FabricGraph
LeafSpine(uint32_t leaves,
          uint32_t hosts,
          uint32_t spines,
          const std::string& hostRate = RATE,
          const std::string& uplinkRate = RATE,
          uint32_t cables = 1)
{
    LeafSpineParameters p;
    p.leaves = leaves;
    p.hostsPerLeaf = hosts;
    p.spines = spines;
    p.linksPerSpine = cables;
    p.linkRate = DataRate(hostRate);
    p.uplinkRate = DataRate(uplinkRate);
    p.linkDelay = DELAY;
    p.uplinkDelay = DELAY;
    return MakeLeafSpine(p);
}

/// A fabric whose switches all speak ConWeave.
struct ConWeaveFixture : FabricFixture
{
    ConWeaveFixture()
    {
        fabric.SetPathSelector("ns3::ConWeavePathSelector");
    }

    void SetTime(const std::string& name, Time time)
    {
        fabric.SetPathSelectorAttribute(name, TimeValue(time));
    }

    /// As the paper's evaluation has them for a lossless fat tree.
    void SetLosslessFatTreeTimes()
    {
        SetTime("InactiveTime", MilliSeconds(1));
        SetTime("ResumeMargin", MicroSeconds(64));
        SetTime("DefaultResumeWait", MicroSeconds(600));
    }

    Ptr<ConWeavePathSelector> Selector(uint32_t index) const
    {
        return DynamicCast<ConWeavePathSelector>(Switch(index)->GetPathSelector());
    }

    uint64_t Sum(uint64_t ConWeaveCounters::*counter) const
    {
        uint64_t sum = 0;
        for (uint32_t s = 0; s < network.switches.GetN(); ++s)
        {
            sum += Selector(s)->GetCounters().*counter;
        }
        return sum;
    }

    /// From now on counts requests that reach a host out of order. To be called once built.
    void WatchOrder()
    {
        for (uint32_t h = 0; h < network.hosts.GetN(); ++h)
        {
            for (const auto& port : PortsOf(h))
            {
                port->TraceConnectWithoutContext("FrameRx",
                                                 MakeCallback(&ConWeaveFixture::Check, this));
            }
        }
    }

    std::vector<Ptr<FabricNetDevice>> PortsOf(uint32_t host) const
    {
        std::vector<Ptr<FabricNetDevice>> ports;
        for (const auto& nic : network.hosts.Get(host)->GetObject<RdmaStack>()->GetNics())
        {
            ports.push_back(nic->GetDevice());
        }
        return ports;
    }

    void ExpectNothingHeld() const
    {
        for (uint32_t s = 0; s < network.switches.GetN(); ++s)
        {
            EXPECT_EQ(Selector(s)->GetCounters().heldBytes, 0u);
            EXPECT_EQ(Selector(s)->GetCounters().queuesInUse, 0u);
        }
    }

    uint64_t dataFrames{0};
    uint64_t outOfOrder{0};

  private:
    void Check(const FabricFrame& frame)
    {
        if (frame.kind != FrameKind::ROCE || !GetOpcodeTraits(frame.opcode).request)
        {
            return;
        }
        ++dataFrames;
        auto [last, isNew] = m_lastPsn.try_emplace({frame.dstAddress, frame.destQp}, frame.psn);
        outOfOrder += !isNew && frame.psn != ((last->second + 1) & 0xffffff);
        last->second = frame.psn;
    }

    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_lastPsn; ///< by receiving queue pair
};

// ---------------------------------------------------------------- timers

/**
 * Two leaves with a host each, two spines; one flow of messages of one frame each.
 *
 *     host 0 - leaf 0 < spine 0, spine 1 > leaf 1 - host 1
 *
 * Leaf 0 has the spines at ports 1 and 2, so path 0 is spine 0 and path 1 is spine 1.
 */
struct Probe : ConWeaveFixture
{
    // On the wire at 100 Gb/s, 80 ps a byte: preamble 8, RoCE 62, RETH 16, 4096: 4182 B are
    // 334.56 ns; an answer of 64 B and its preamble 5.76 ns.
    const Time frameTime = PicoSeconds(334560);
    const Time toLeaf = frameTime + DELAY;                          // 834.56 ns
    const Time forward = 2 * (frameTime + DELAY);                   // leaf to leaf: 1669.12 ns
    const Time baseRtt = forward + 2 * (PicoSeconds(5760) + DELAY); // 2680.64 ns

    void BuildProbe()
    {
        FabricGraph graph;
        uint32_t hosts[] = {graph.AddHost("host0"), graph.AddHost("host1")};
        uint32_t leaves[] = {graph.AddSwitch("leaf0"), graph.AddSwitch("leaf1")};
        uint32_t spines[] = {graph.AddSwitch("spine0"), graph.AddSwitch("spine1")};
        for (uint32_t i : {0, 1})
        {
            graph.Connect({hosts[i], leaves[i], DataRate(RATE), DELAY});
        }
        for (uint32_t leaf : leaves)
        {
            for (uint32_t spine : spines)
            {
                graph.Connect({leaf, spine, DataRate(RATE), DELAY});
            }
        }
        Build(graph);
        for (const auto& channel : network.channels)
        {
            channel->SetLossFilter(
                Callback<bool, const FabricFrame&>([this](const FabricFrame& frame) {
                    return (loseReplies && TypeOf(frame) == Type::RTT_REPLY) ||
                           (lose && TypeOf(frame) == Type::DATA && lose(frame));
                }));
        }
        Port(1)->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame&>([this](const FabricFrame& frame) {
                if (TypeOf(frame) == Type::DATA)
                {
                    arrivals.emplace(frame.psn, Arrival{Simulator::Now(), FieldsOf(frame)});
                }
            }));
        m_connection = Connect(0, 1);
    }

    /// @param at when host 0 sends each frame
    void Send(const std::vector<Time>& at)
    {
        for (Time when : at)
        {
            Simulator::Schedule(when, [this] { Post(m_connection, MTU); });
        }
        Simulator::Stop(at.back() + MilliSeconds(1)); // before any retransmission timer
        Run();
    }

    static ConWeaveFields FieldsOf(const FabricFrame& frame)
    {
        return frame.switchHeader->conweave;
    }

    const ConWeaveCounters& Source() const
    {
        return Selector(0)->GetCounters();
    }

    const ConWeaveCounters& Destination() const
    {
        return Selector(1)->GetCounters();
    }

    struct Arrival
    {
        Time at;
        ConWeaveFields fields;
    };

    bool loseReplies{true};
    std::function<bool(const FabricFrame&)> lose; ///< which DATA frames cables lose
    std::map<uint32_t, Arrival> arrivals;         ///< at host 1, by PSN: the first one

  private:
    Connection m_connection;
};

TEST(ConWeaveTimers, ReplyIsLateAfterBaseRttAndMargin)
{
    // The second frame comes to the leaf a spacing after the first; the deadline is
    // 2680.64 ns + 4 us.
    for (auto [spacing, reroutes] :
         {std::pair{PicoSeconds(6680640), 0u}, {PicoSeconds(6680641), 1u}})
    {
        Probe p;
        p.BuildProbe();
        p.Send({Time(0), spacing});
        EXPECT_EQ(p.Source().epochs, 1u);
        EXPECT_EQ(p.Source().reroutes, reroutes) << spacing.As(Time::NS);
        EXPECT_EQ(p.arrivals.at(1).fields.tail, reroutes == 1);
        EXPECT_EQ(p.arrivals.at(1).fields.path, p.arrivals.at(0).fields.path) << "TAIL: old path";
        EXPECT_EQ(p.Destination().clearsSent, reroutes);
        EXPECT_EQ(p.Destination().repliesSent, 1u);
    }
}

TEST(ConWeaveTimers, AReplyTakesTheBaseRtt)
{
    // With no margin, a frame at the very time of the reply is the next epoch's first; one a
    // picosecond earlier is too early for both.
    for (auto [spacing, epochs] : {std::pair{PicoSeconds(2680639), 1u}, {PicoSeconds(2680641), 2u}})
    {
        Probe p;
        p.loseReplies = false;
        p.SetTime("ReplyMargin", Time(0));
        p.BuildProbe();
        p.Send({Time(0), spacing});
        EXPECT_EQ(p.Source().epochs, epochs);
        EXPECT_EQ(p.Source().reroutes, 0u);
        EXPECT_EQ(p.arrivals.at(1).fields.epoch, epochs);
    }
}

TEST(ConWeaveTimers, ASilentFlowStartsAfresh)
{
    for (auto [spacing, restarts] :
         {std::pair{MicroSeconds(300), 0u}, {MicroSeconds(300) + PicoSeconds(1), 1u}})
    {
        Probe p;
        p.BuildProbe();
        p.Send({Time(0), spacing});
        EXPECT_EQ(p.Source().idleRestarts, restarts);
        EXPECT_EQ(p.Source().reroutes, 1 - restarts);
    }
}

TEST(ConWeaveTimers, TheReorderQueueOpensWhenTheTailIsOverdue)
{
    // Frames at 0, 7 and 14 us; the second one is the TAIL, and lost. The first one arrived at the
    // far leaf 1669.12 ns after it was at the near one, so the TAIL is expected 7 us later, and
    // the third frame is held until 16 us after that.
    Probe p;
    p.lose = [](const FabricFrame& frame) { return Probe::FieldsOf(frame).tail; };
    p.BuildProbe();
    const Time spacing = MicroSeconds(7);
    p.Send({Time(0), spacing, 2 * spacing});
    EXPECT_EQ(p.Source().reroutes, 1u);
    EXPECT_EQ(p.Destination().heldFrames, 1u);
    EXPECT_EQ(p.Destination().peakHeldBytes, 62 + 16 + MTU);
    EXPECT_EQ(p.Destination().timerReleases, 1u);
    EXPECT_EQ(p.Destination().clearsSent, 1u);
    EXPECT_TRUE(p.arrivals.at(2).fields.rerouted);
    EXPECT_NE(p.arrivals.at(2).fields.path, p.arrivals.at(0).fields.path);
    EXPECT_EQ(p.arrivals.at(2).at,
              p.toLeaf + p.forward + spacing + MicroSeconds(16) + p.frameTime + DELAY);
    p.ExpectNothingHeld();
}

TEST(ConWeaveTimers, TheReorderQueueOpensAfterTheDefaultWaitWhereNothingIsKnown)
{
    // The same, but nothing of the old path has arrived: 200 us from the arrival of the third.
    Probe p;
    p.lose = [](const FabricFrame& frame) { return !Probe::FieldsOf(frame).rerouted; };
    p.BuildProbe();
    const Time spacing = MicroSeconds(7);
    p.Send({Time(0), spacing, 2 * spacing});
    EXPECT_EQ(p.Destination().timerReleases, 1u);
    EXPECT_EQ(p.arrivals.at(2).at,
              2 * spacing + p.toLeaf + p.forward + MicroSeconds(200) + p.frameTime + DELAY);
    p.ExpectNothingHeld();
}

TEST(ConWeaveTimers, TheTailOpensTheReorderQueue)
{
    // The old path is 10 us longer from the TAIL on, so that the third frame overtakes it: it waits
    // for the TAIL, and follows it on the wire a frame, 12 B of gap and 8 B of preamble behind.
    Probe p;
    p.BuildProbe();
    uint32_t path = 0;
    p.Selector(0)->TraceConnectWithoutContext(
        "Reroute",
        Callback<void, const FabricFrame&, uint16_t, uint16_t>([&](const FabricFrame&,
                                                                   uint16_t from,
                                                                   uint16_t to) {
            EXPECT_NE(from, to);
            path = from;
            Ptr<FabricNetDevice> uplink = p.Switch(0)->GetPort(1 + from);
            DynamicCast<FabricChannel>(uplink->GetChannel())->SetDelay(DELAY + MicroSeconds(10));
        }));
    const Time spacing = MicroSeconds(7);
    p.Send({Time(0), spacing, 2 * spacing, 5 * spacing});
    EXPECT_EQ(p.Destination().heldFrames, 1u);
    EXPECT_EQ(p.Destination().tailReleases, 1u);
    EXPECT_EQ(p.Destination().timerReleases, 0u);
    EXPECT_EQ(p.arrivals.at(1).fields.path, path);
    EXPECT_EQ(p.arrivals.at(1).at,
              spacing + p.toLeaf + p.forward + MicroSeconds(10) + p.frameTime + DELAY);
    EXPECT_EQ(p.arrivals.at(2).at, p.arrivals.at(1).at + p.frameTime + OnWire(RATE, 12));
    // CLEAR: the next frame starts an epoch on the new path.
    EXPECT_EQ(p.arrivals.at(3).fields.path, 1 - path);
    EXPECT_EQ(p.arrivals.at(3).fields.epoch, 2u);
    EXPECT_TRUE(p.arrivals.at(3).fields.wantsReply);
    EXPECT_FALSE(p.arrivals.at(3).fields.rerouted);
    p.ExpectNothingHeld();
    p.ExpectSharesAddUp();
}

/// Marks everything.
class AlwaysMark : public EcnMarker
{
  public:
    bool ShouldMark(uint64_t, int64_t) override
    {
        return true;
    }
};

TEST(ConWeaveTimers, ANotifiedPathIsNotTakenForPathBusyTime)
{
    // All paths mark. Frames at 0, 7 (TAIL), 14 (CLEAR is here: the next epoch, on the other path)
    // and 21 us: no reply, so it looks for a path. The first path has been busy since the NOTIFY
    // that the TAIL caused, at 7 us + 2680.64 ns, and is until exactly 21 us in the first case.
    for (auto [busy, reroutes] :
         {std::pair{PicoSeconds(11319360), 2u}, {PicoSeconds(11319361), 1u}})
    {
        Probe p;
        p.SetTime("PathBusyTime", busy);
        p.BuildProbe();
        for (uint32_t uplink : {1, 2})
        {
            p.Switch(0)->SetEcnMarker(uplink, 3, CreateObject<AlwaysMark>());
        }
        const Time spacing = MicroSeconds(7);
        p.Send({Time(0), spacing, 2 * spacing, 3 * spacing});
        EXPECT_EQ(p.Destination().notifiesSent, 4u);
        EXPECT_EQ(p.Source().epochs, 2u);
        EXPECT_EQ(p.Source().reroutes, reroutes);
        EXPECT_EQ(p.Source().noGoodPath, 2 - reroutes);
    }
}

TEST(ConWeaveAnswers, AreFramesOf64BytesInTheHighestClass)
{
    Probe p;
    p.loseReplies = false;
    p.BuildProbe();
    uint32_t answers = 0;
    for (uint32_t uplink : {1, 2})
    {
        p.Switch(0)->GetPort(uplink)->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame&>([&](const FabricFrame& frame) {
                if (TypeOf(frame) != Type::NONE)
                {
                    ++answers;
                    EXPECT_EQ(TypeOf(frame), Type::RTT_REPLY);
                    EXPECT_EQ(frame.trafficClass, 7);
                    EXPECT_EQ(frame.sizeBytes, 64u);
                    EXPECT_EQ(frame.ToPacket()->GetSize(), 60u) << "all but the FCS";
                }
            }));
    }
    uint32_t atHost = 0;
    p.Port(0)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>(
            [&](const FabricFrame& frame) { atHost += TypeOf(frame) != Type::NONE; }));
    p.Send({Time(0), MicroSeconds(7), MicroSeconds(14)});
    EXPECT_EQ(p.Source().epochs, 3u);
    EXPECT_EQ(answers, 3u);
    EXPECT_EQ(atHost, 0u) << "the ToR takes them";
    EXPECT_EQ(p.records.size(), 3u);
}

TEST(ConWeave, WithoutAReorderQueueFramesArriveAsTheyCome)
{
    Probe p;
    p.fabric.SetPathSelectorAttribute("ReorderQueues", UintegerValue(0));
    p.lose = [](const FabricFrame& frame) { return Probe::FieldsOf(frame).tail; };
    p.BuildProbe();
    const Time spacing = MicroSeconds(7);
    p.Send({Time(0), spacing, 2 * spacing});
    EXPECT_EQ(p.Destination().heldFrames, 0u);
    EXPECT_EQ(p.Destination().unheldFrames, 3u) << "and what the NAK brings: the second and third";
    EXPECT_EQ(p.arrivals.at(2).at, 2 * spacing + p.toLeaf + p.forward + p.frameTime + DELAY);
}

TEST(ConWeave, FlowsInsideOneRackAreNotTouched)
{
    ConWeaveFixture f;
    f.Build(LeafSpine(2, 2, 2));
    f.Port(1)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>(
            [](const FabricFrame& frame) { EXPECT_EQ(frame.switchHeader, nullptr); }));
    f.Post(f.Connect(0, 1), 1000000);
    f.Run();
    f.ExpectAllSucceeded(1, 1000000);
    EXPECT_EQ(f.Sum(&ConWeaveCounters::epochs), 0u);
    EXPECT_EQ(f.Sum(&ConWeaveCounters::repliesSent), 0u);
}

// ---------------------------------------------------------------- paths

TEST(ConWeavePaths, AreAllTheWaysThroughAFatTreeAndEachHasOneNumber)
{
    // Between pods of a fat tree of 4-port switches there are 2 x 2 ways, one by each core switch;
    // inside a pod 2, one by each aggregation switch.
    ConWeaveFixture f;
    f.SetTime("ReplyMargin", Time(0)); // so that flows wander
    f.Build(FatTree(4));
    std::map<std::pair<uint32_t, uint16_t>, std::set<std::string>> waysOf; // by host and number
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::string> way;   // by flow and PSN
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint16_t> number;
    for (uint32_t s = 0; s < f.network.switches.GetN(); ++s)
    {
        for (uint32_t p = 0; p < f.Switch(s)->GetNPorts(); ++p)
        {
            f.Switch(s)->GetPort(p)->TraceConnectWithoutContext(
                "FrameRx",
                Callback<void, const FabricFrame&>([&, s](const FabricFrame& frame) {
                    if (frame.kind == FrameKind::ROCE && GetOpcodeTraits(frame.opcode).request)
                    {
                        way[{frame.dstAddress, frame.destQp, frame.psn}] += " " + std::to_string(s);
                        if (TypeOf(frame) == Type::DATA)
                        {
                            number[{frame.dstAddress, frame.destQp, frame.psn}] =
                                Probe::FieldsOf(frame).path;
                        }
                    }
                }));
        }
    }
    const uint32_t farHost = 15;
    const uint32_t podHost = 3;
    for (int i = 0; i < 16; ++i)
    {
        f.Post(f.Connect(0, farHost), 100000);
        f.Post(f.Connect(0, podHost), 100000);
    }
    f.Run();
    for (const auto& [frame, path] : number)
    {
        waysOf[{std::get<0>(frame), path}].insert(way.at(frame));
    }
    std::map<uint32_t, std::set<std::string>> all;
    std::map<uint32_t, uint32_t> numbers;
    for (const auto& [key, ways] : waysOf)
    {
        EXPECT_EQ(ways.size(), 1u) << "path " << key.second << " is one way";
        all[key.first].insert(ways.begin(), ways.end());
        ++numbers[key.first];
    }
    uint32_t far = f.Port(farHost)->GetIpv4Address().Get();
    uint32_t pod = f.Port(podHost)->GetIpv4Address().Get();
    EXPECT_EQ(numbers[far], 4u);
    EXPECT_EQ(all[far].size(), 4u);
    EXPECT_EQ(numbers[pod], 2u);
    EXPECT_EQ(all[pod].size(), 2u);
}

// ---------------------------------------------------------------- order

struct Scenario
{
    const char* name;
    FabricGraph graph;
    bool lossless;
    const char* reliability;
    uint32_t incast; ///< additionally so many hosts send to host 0
};

std::vector<Scenario>
Scenarios()
{
    FabricGraph twoTiers = LeafSpine(4, 4, 2); // 2:1
    FabricGraph threeTiers = FatTree(4);
    FabricGraph otherRates = LeafSpine(3, 6, 3, "25Gbps", "40Gbps", 2);
    RailOptimizedParameters rails;
    rails.servers = 8;
    rails.gpusPerServer = 2;
    rails.serversPerPod = 4;

    // Branches with different numbers of paths: left and right have two middles in common, one of
    // which goes by two more switches.
    FabricGraph uneven;
    uint32_t left = uneven.AddSwitch("left");
    uint32_t right = uneven.AddSwitch("right");
    uint32_t up = uneven.AddSwitch("up");
    uint32_t down = uneven.AddSwitch("down");
    uint32_t row1 = uneven.AddSwitch("row1");
    uint32_t row2 = uneven.AddSwitch("row2");
    for (uint32_t h = 0; h < 8; ++h)
    {
        uneven.Connect({uneven.AddHost("host" + std::to_string(h)),
                        h < 4 ? left : right,
                        DataRate(RATE),
                        DELAY});
    }
    for (auto [a, b] : {std::pair{left, up}, {up, down}, {up, down}, {up, down}, {down, right}})
    {
        uneven.Connect({a, b, DataRate(RATE), DELAY});
    }
    for (auto [a, b] : {std::pair{left, row1}, {row1, row2}, {row2, right}})
    {
        uneven.Connect({a, b, DataRate(RATE), DELAY});
    }

    return {{"TwoTiersLossless", twoTiers, true, "ns3::GoBackN", 0},
            {"TwoTiersIrn", twoTiers, false, "ns3::SelectiveRepeat", 0},
            {"ThreeTiersLossless", threeTiers, true, "ns3::GoBackN", 0},
            {"ThreeTiersIrn", threeTiers, false, "ns3::SelectiveRepeat", 0},
            {"ThreeTiersIncast", threeTiers, true, "ns3::GoBackN", 15},
            {"SixPortFatTree", FatTree(6), true, "ns3::GoBackN", 15},
            {"OtherRatesIncast", otherRates, true, "ns3::GoBackN", 17},
            {"RailsIncast", MakeRailOptimized(rails), true, "ns3::GoBackN", 7},
            {"Uneven", uneven, true, "ns3::GoBackN", 0}};
}

class ConWeaveOrder : public testing::TestWithParam<uint32_t>
{
};

TEST_P(ConWeaveOrder, IsKeptWhileFlowsChangePaths)
{
    // Peer bug 46: other fat trees, other rates and incast are nothing special.
    Scenario s = Scenarios().at(GetParam());
    SCOPED_TRACE(s.name);
    ConWeaveFixture f;
    f.SetLosslessFatTreeTimes();
    f.fabric.SetSwitchAttribute("Pfc", BooleanValue(s.lossless));
    f.fabric.SetBufferAttribute("Size", UintegerValue(64000000));
    if (!s.lossless)
    {
        f.fabric.SetBufferAttribute("LossyAlpha",
                                    DoubleValue(16)); // no loss: order is the question
    }
    f.fabric.SetEcn([](DataRate) { return EcnThresholds{100000, 400000, 0.2}; });
    f.rdma.SetReliability(s.reliability);
    f.Build(s.graph);
    f.WatchOrder();

    // Each host sends to several others, in bursts, so that paths are unevenly loaded.
    const uint64_t message = 400000;
    const uint32_t hosts = f.network.hosts.GetN();
    uint64_t messages = 0;
    std::mt19937 random(7);
    for (uint32_t h = 0; h < hosts; ++h)
    {
        for (uint32_t i = 0; i < 3; ++i)
        {
            uint32_t to = (h + 1 + random() % (hosts - 1)) % hosts;
            Connection c = f.Connect(h, to);
            for (uint32_t k = 0; k < 2; ++k, ++messages)
            {
                Simulator::Schedule(MicroSeconds(random() % 50), [&f, c] { f.Post(c, message); });
            }
        }
    }
    for (uint32_t h = 1; h <= s.incast; ++h, ++messages)
    {
        f.Post(f.Connect(h, 0), message);
    }
    f.Run();
    f.ExpectAllSucceeded(messages, messages * message);
    f.ExpectDrained();
    f.ExpectNothingHeld();
    f.ExpectSharesAddUp();
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_GT(f.Sum(&ConWeaveCounters::reroutes), 0u);
    EXPECT_GT(f.Sum(&ConWeaveCounters::heldFrames), 0u);
    EXPECT_GT(f.Sum(&ConWeaveCounters::tailReleases), 0u);
    EXPECT_EQ(f.Sum(&ConWeaveCounters::timerReleases), 0u);
    EXPECT_EQ(f.Sum(&ConWeaveCounters::unheldFrames), 0u);
    // Each epoch asked once and each reroute was cleared once; nothing lost an answer.
    EXPECT_EQ(f.Sum(&ConWeaveCounters::repliesSent), f.Sum(&ConWeaveCounters::epochs));
    EXPECT_EQ(f.Sum(&ConWeaveCounters::clearsSent), f.Sum(&ConWeaveCounters::reroutes));
    EXPECT_EQ(f.dataFrames, messages * ((message + MTU - 1) / MTU));
    EXPECT_EQ(f.outOfOrder, 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, ConWeaveOrder, testing::Range(0U, 9U));

TEST(ConWeave, WorksBesideTelemetry)
{
    // An acknowledgement echoes the switch header of the frame that it answers; it is no DATA.
    ConWeaveFixture f;
    f.SetLosslessFatTreeTimes();
    f.fabric.SetSwitchAttribute("IntStamper", PointerValue(CreateObject<IntStamper>()));
    f.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(4500)); // telemetry included
    f.rdma.SetQueuePairAttribute("CollectTelemetry", StringValue("IntMd"));
    f.Build(LeafSpine(2, 4, 2));
    f.WatchOrder();
    uint64_t acks = 0;
    for (uint32_t h = 0; h < 4; ++h)
    {
        f.Port(h)->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame&>([&acks](const FabricFrame& frame) {
                acks += frame.kind == FrameKind::ROCE;
                EXPECT_EQ(TypeOf(frame), Type::NONE);
            }));
        f.Post(f.Connect(h, 4 + h), 1000000);
    }
    f.Run();
    f.ExpectAllSucceeded(4, 4000000);
    f.ExpectDrained();
    EXPECT_GT(acks, 0u);
    EXPECT_GT(f.Sum(&ConWeaveCounters::reroutes), 0u);
    EXPECT_EQ(f.outOfOrder, 0u);
}

// ---------------------------------------------------------------- slow paths

/// Four flows of 2 MB from one rack to another by four spines. @param selector TypeId
/// @param slowSpines so many of them are reached at 10 Gb/s only @return when all are done, and how
/// often they changed paths
std::pair<Time, uint64_t>
RunBesideSlowSpines(const std::string& selector, uint32_t slowSpines)
{
    ConWeaveFixture f;
    f.fabric.SetPathSelector(selector);
    const bool isConWeave = selector == "ns3::ConWeavePathSelector";
    if (isConWeave)
    {
        f.SetLosslessFatTreeTimes(); // a queue at 10 Gb/s holds a TAIL up for more than 16 us
    }
    f.Build(LeafSpine(2, 1, 4));
    for (uint32_t spine = 0; spine < slowSpines; ++spine)
    {
        f.Switch(0)->GetPort(1 + spine)->SetDataRate(DataRate("10Gbps"));
    }
    f.WatchOrder();
    for (int i = 0; i < 4; ++i)
    {
        f.Post(f.Connect(0, 1), 2000000);
    }
    f.Run();
    f.ExpectAllSucceeded(4, 8000000);
    f.ExpectDrained();
    // A reorder queue that the timer opens lets its frames overtake: with 10 Gb/s ahead of a TAIL
    // that can come about.
    EXPECT_TRUE(f.outOfOrder == 0 || f.Sum(&ConWeaveCounters::timerReleases) > 0) << f.outOfOrder;
    return {TimeStep(f.records.back().end), isConWeave ? f.Sum(&ConWeaveCounters::reroutes) : 0};
}

TEST(ConWeave, LeavesADegradedLink)
{
    // Four flows of 2 MB share the host's link: 8 MB at 100 Gb/s, 640 us and 2 % of headers.
    // By ECMP at least one of the four is on the degraded uplinks (seed as given) and needs at
    // least 2 MB / 10 Gb/s = 1.6 ms. With ConWeave it gets away after a round trip, to a path that
    // is drawn, and may have to again: one of nine runs in the middle takes less than 1 ms, and
    // none as long as by ECMP.
    Time ecmp = RunBesideSlowSpines("ns3::EcmpPathSelector", 3).first;
    EXPECT_GT(ecmp, MicroSeconds(1600));
    std::vector<Time> times;
    for (uint64_t run = 1; run <= 9; ++run)
    {
        RngSeedManager::SetRun(run);
        auto [conWeave, reroutes] = RunBesideSlowSpines("ns3::ConWeavePathSelector", 3);
        EXPECT_GT(reroutes, 0u);
        times.push_back(conWeave);
    }
    RngSeedManager::SetRun(1);
    std::sort(times.begin(), times.end());
    EXPECT_LT(times[4], MicroSeconds(1000));
    EXPECT_LT(times.back(), MicroSeconds(1600));
}

TEST(ConWeave, DoesNothingOnAnIdleFabric)
{
    auto [time, reroutes] = RunBesideSlowSpines("ns3::ConWeavePathSelector", 0);
    EXPECT_EQ(reroutes, 0u);
    EXPECT_LT(time, MicroSeconds(670));
}

/// Eight flows of 4 MB from a rack to another by eight spines: there is a path for each.
/// @param selector TypeId @return when all are done
Time
RunPermutation(const std::string& selector)
{
    ConWeaveFixture f;
    f.fabric.SetPathSelector(selector);
    if (selector == "ns3::ConWeavePathSelector")
    {
        f.SetLosslessFatTreeTimes();
    }
    f.fabric.SetEcn([](DataRate) { return EcnThresholds{100000, 400000, 0.2}; });
    f.Build(LeafSpine(2, 8, 8));
    f.WatchOrder();
    for (uint32_t h = 0; h < 8; ++h)
    {
        f.Post(f.Connect(h, 8 + h), 4000000);
    }
    f.Run();
    f.ExpectAllSucceeded(8, 32000000);
    f.ExpectDrained();
    EXPECT_EQ(f.outOfOrder, 0u);
    return TimeStep(f.records.back().end);
}

TEST(ConWeave, PartsFlowsThatCollide)
{
    // At line rate a flow takes 4 MB / 100 Gb/s and 2 % of headers, 327 us. By ECMP two of eight
    // meet on some uplink (8! / 8^8: but once in 400 fabrics), and they need twice that. With
    // ConWeave one of them looks for a free path after a round trip: less than 3/4 of that.
    EXPECT_GT(RunPermutation("ns3::EcmpPathSelector"), MicroSeconds(650));
    EXPECT_LT(RunPermutation("ns3::ConWeavePathSelector"), MicroSeconds(490));
}

TEST(ConWeave, IsTheSameTwice)
{
    auto run = [] {
        ConWeaveFixture f;
        f.Build(LeafSpine(2, 4, 2));
        for (uint32_t h = 0; h < 4; ++h)
        {
            f.Post(f.Connect(h, 4 + h), 1000000);
        }
        f.Run();
        std::vector<int64_t> ends;
        for (const MessageRecord& record : f.records)
        {
            ends.push_back(record.end);
        }
        return ends;
    };
    EXPECT_EQ(run(), run());
}

} // namespace
