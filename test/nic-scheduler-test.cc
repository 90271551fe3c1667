// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Who of a NIC's queue pairs sends next: what holds one pair never delays another.
 */

#include "fabric-fixture.h"

#include "ns3/line-rate-congestion-ops.h"

#include <map>

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 4096;
constexpr uint64_t SLOT = 8 + 62 + MTU + 12;
const Time DELAY = NanoSeconds(500);
const std::string RATE = "100Gbps";

/// @param rate pacing rate @return configures a pair to send at it, in a class
std::function<void(Ptr<QueuePair>)>
Paced(const std::string& rate, uint32_t trafficClass)
{
    return [=](Ptr<QueuePair> qp) {
        qp->SetAttribute("TrafficClass", UintegerValue(trafficClass));
        qp->SetCongestionControl(
            CreateObjectWithAttributes<LineRateCongestionOps>("Rate",
                                                              DataRateValue(DataRate(rate))));
    };
}

std::function<void(Ptr<QueuePair>)>
InClass(uint32_t trafficClass)
{
    return Paced("0bps", trafficClass); // 0 is the line rate
}

/// Notes when the data frames of each pair start at host 0.
class Starts
{
  public:
    explicit Starts(FabricFixture& f)
    {
        f.Port(0)->TraceConnectWithoutContext(
            "FrameTx",
            Callback<void, const FabricFrame&>([this](const FabricFrame& frame) {
                ofPair[frame.destQp].push_back(Simulator::Now());
                order.push_back(frame.destQp);
            }));
    }

    std::map<uint32_t, std::vector<Time>> ofPair; ///< by the receiver's queue pair number
    std::vector<uint32_t> order;
};

TEST(NicScheduler, APausedPairNeverDelaysARateLimitedOne)
{
    // Class 3 is stopped, with frames ready, while a pair of class 4 is paced at 10 Gb/s: each of
    // its frames starts exactly one pacing interval after the one before.
    for (Time pauseAt : {PicoSeconds(0), NanoSeconds(3100)})
    {
        FabricFixture f;
        f.BuildChain({RATE}, DELAY);
        Connection paused = f.Connect(0, 1, InClass(3));
        Connection paced = f.Connect(0, 1, Paced("10Gbps", 4));
        Starts starts(f);
        Simulator::Schedule(pauseAt, [&f] { f.Port(1)->SendPause(1 << 3, 65535); });
        f.Post(paused, 1 << 20);
        f.Post(paced, 50 * MTU);
        f.Run();
        f.ExpectAllSucceeded(2, (1 << 20) + 50 * MTU);
        const auto& times = starts.ofPair[paced.b->GetNumber()];
        ASSERT_EQ(times.size(), 50u);
        Time held = pauseAt + DELAY + OnWire(RATE, 8 + 64);
        int checked = 0;
        for (size_t i = 2; i < times.size(); ++i) // the first frame is longer by its RETH
        {
            if (times[i - 1] > held + OnWire(RATE, 2 * SLOT))
            {
                EXPECT_EQ(times[i] - times[i - 1], OnWire("10Gbps", SLOT));
                ++checked;
            }
        }
        EXPECT_GT(checked, 40);
        f.ExpectSharesAddUp();
    }
}

TEST(NicScheduler, AWaitingPairDelaysAPacedOneOnlyWhereThatFaultIsAskedFor)
{
    // Two pairs of 10 Gb/s over a long cable: one of six frames, one of a single frame, which from
    // 3.7 us on only waits for its acknowledgement. With the fault the other one's fourth frame
    // goes when that has come, for nothing else wakes the port up.
    const Time delay = MicroSeconds(100);
    const Time slot = OnWire("10Gbps", SLOT);
    const Time first = OnWire("10Gbps", SLOT + 16); // with its RETH
    for (bool fault : {false, true})
    {
        FabricFixture f;
        f.rdma.SetNicAttribute("WaitingPairStopsTimer", BooleanValue(fault));
        f.BuildChain({RATE}, delay);
        Connection paced = f.Connect(0, 1, Paced("10Gbps", 3));
        Connection waiting = f.Connect(0, 1, Paced("10Gbps", 3));
        Starts starts(f);
        f.Post(paced, 6 * MTU);
        f.Post(waiting, MTU);
        f.Run();
        f.ExpectAllSucceeded(2, 7 * MTU);
        const auto& times = starts.ofPair[paced.b->GetNumber()];
        ASSERT_EQ(times.size(), 6u);
        EXPECT_EQ(times[1], first);
        EXPECT_EQ(times[2], first + slot);
        Time acknowledged = OnWire(RATE, SLOT + 16)           // the other one's frame before it
                            + OnWire(RATE, 8 + 62 + 16 + MTU) // its own
                            + delay + OnWire(RATE, 8 + 66) + delay;
        EXPECT_EQ(times[3], fault ? acknowledged : first + 2 * slot);
        EXPECT_EQ(times[4] - times[3], slot);
        EXPECT_EQ(times[5] - times[4], slot);
    }
}

/// 1 Gb/s until the first answer, then 10.
class RaisedByAnAnswer : public RdmaCongestionOps
{
  public:
    std::string GetName() const override
    {
        return "raised-by-an-answer";
    }

    Ptr<RdmaCongestionOps> Fork() const override
    {
        return Create<RaisedByAnAnswer>();
    }

    void Init(RdmaRateState& state, int64_t) override
    {
        state.rateBps = 1e9;
    }

    void Acked(RdmaRateState& state, const RdmaAckSignal&) override
    {
        state.rateBps = 10e9;
    }
};

TEST(NicScheduler, ARateThatRisesMovesTheFrameThatWaitsUnlessThatIsTurnedOff)
{
    // The second frame waits at 1 Gb/s until the first one's answer comes, and what is left of its
    // bytes at 10 Gb/s. In the HPCC family DCQCN lets it wait to the end at 1 Gb/s.
    for (bool moves : {true, false})
    {
        FabricFixture f;
        f.rdma.SetNicAttribute("RepaceWaitingFrames", BooleanValue(moves));
        f.BuildChain({RATE}, DELAY);
        Connection paced = f.Connect(0, 1, [](Ptr<QueuePair> qp) {
            qp->SetAttribute("AckInterval", UintegerValue(1));
            qp->SetCongestionControl(Create<RaisedByAnAnswer>());
        });
        Starts starts(f);
        f.Post(paced, 3 * MTU);
        f.Run();
        f.ExpectAllSucceeded(1, 3 * MTU);
        const auto& times = starts.ofPair[paced.b->GetNumber()];
        ASSERT_EQ(times.size(), 3u);
        Time answered = OnWire(RATE, 8 + 62 + 16 + MTU) + DELAY + OnWire(RATE, 8 + 66) + DELAY;
        Time atTheOldRate = OnWire("1Gbps", SLOT + 16);
        Time moved = answered + (atTheOldRate - answered) / 10;
        EXPECT_NEAR((times[1] - (moves ? moved : atTheOldRate)).GetPicoSeconds(), 0, 1);
        EXPECT_EQ(times[2] - times[1], OnWire("10Gbps", SLOT));
    }
}

TEST(NicScheduler, APausedAndPacedPairNeverDelaysAnotherPacedOne)
{
    // Both wait by their pace; the paused one's time comes first, again and again.
    FabricFixture f;
    f.BuildChain({RATE}, DELAY);
    Connection paused = f.Connect(0, 1, Paced("50Gbps", 3));
    Connection paced = f.Connect(0, 1, Paced("10Gbps", 4));
    Starts starts(f);
    f.Port(1)->SendPause(1 << 3, 20000); // 102.4 us
    f.Post(paused, 1 << 20);
    f.Post(paced, 20 * MTU);
    f.Run();
    f.ExpectAllSucceeded(2, (1 << 20) + 20 * MTU);
    const auto& times = starts.ofPair[paced.b->GetNumber()];
    for (size_t i = 3; i < times.size(); ++i)
    {
        EXPECT_EQ(times[i] - times[i - 1], OnWire("10Gbps", SLOT));
    }
}

TEST(NicScheduler, AWindowBoundPairNeverDelaysARateLimitedOne)
{
    FabricFixture f;
    f.BuildChain({RATE}, MicroSeconds(50));
    Connection bound = f.Connect(0, 1, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("Window", UintegerValue(1)); // one frame each 100 us
    });
    Connection paced = f.Connect(0, 1, Paced("10Gbps", 3));
    Starts starts(f);
    f.Post(bound, 10 * MTU);
    f.Post(paced, 20 * MTU);
    f.Run();
    f.ExpectAllSucceeded(2, 30 * MTU);
    const auto& times = starts.ofPair[paced.b->GetNumber()];
    for (size_t i = 2; i < times.size(); ++i)
    {
        EXPECT_EQ(times[i] - times[i - 1], OnWire("10Gbps", SLOT));
    }
}

TEST(NicScheduler, PairsAtLineRateTakeTurns)
{
    constexpr uint32_t PAIRS = 7;
    FabricFixture f;
    f.BuildChain({RATE}, DELAY);
    std::vector<Connection> connections;
    Starts starts(f);
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        connections.push_back(f.Connect(0, 1));
    }
    for (const Connection& c : connections)
    {
        f.Post(c, 50 * MTU);
    }
    f.Run();
    f.ExpectAllSucceeded(PAIRS, PAIRS * 50 * MTU);
    // The first frame goes when only the first pair has work; from then on it is a round, in which
    // the first pair's second frame may stand before or after the others' first ones.
    ASSERT_EQ(starts.order.size(), PAIRS * 50u);
    for (size_t i = PAIRS; i < starts.order.size() - 2 * PAIRS; ++i) // it is done first, too
    {
        EXPECT_EQ(starts.order[i], starts.order[i + PAIRS]) << "frame " << i;
    }
}

TEST(NicScheduler, APacedPairKeepsItsRateBesideOneAtLineRate)
{
    // 10 of 100 Gb/s; it may have to wait for the frame on the wire each time, at most one slot.
    FabricFixture f;
    f.BuildChain({RATE}, DELAY);
    Connection greedy = f.Connect(0, 1);
    Connection paced = f.Connect(0, 1, Paced("10Gbps", 3));
    Starts starts(f);
    f.Post(greedy, 1000 * MTU);
    f.Post(paced, 50 * MTU);
    f.Run();
    f.ExpectAllSucceeded(2, 1050 * MTU);
    const auto& times = starts.ofPair[paced.b->GetNumber()];
    for (size_t i = 2; i < times.size(); ++i)
    {
        EXPECT_GE(times[i] - times[i - 1], OnWire("10Gbps", SLOT));
        EXPECT_LE(times[i] - times[i - 1], OnWire("10Gbps", SLOT) + OnWire(RATE, SLOT));
    }
    f.ExpectSharesAddUp();
}

TEST(NicScheduler, PairsThatMaySendMoreThanTheirShareHaveEqualShares)
{
    // One pair at line rate, the others paced at 60 of 100 Gb/s: max-min fair shares are equal. A
    // pair whose pace ends while a frame is on the wire goes before the one that sent it.
    for (uint32_t paced : {1, 2, 3})
    {
        FabricFixture f;
        f.BuildChain({RATE}, DELAY);
        std::vector<Connection> connections{f.Connect(0, 1)};
        for (uint32_t i = 0; i < paced; ++i)
        {
            connections.push_back(f.Connect(0, 1, Paced("60Gbps", 3)));
        }
        Starts starts(f);
        for (const Connection& c : connections)
        {
            f.Post(c, 1000 * MTU);
        }
        f.Run();
        const uint32_t pairs = paced + 1;
        std::map<uint32_t, uint32_t> frames;
        for (size_t i = 10 * pairs; i < 910 * pairs; ++i)
        {
            ++frames[starts.order[i]];
        }
        for (const Connection& c : connections)
        {
            EXPECT_NEAR(frames[c.b->GetNumber()], 900, 2) << pairs << " pairs";
        }
    }
}

TEST(NicScheduler, ClassesShareByTheirQuanta)
{
    // Two pairs in class 1, one in class 2, quanta 1 : 3: class 2 has three quarters, and the pairs
    // of class 1 an eighth each.
    FabricFixture f;
    f.BuildChain({RATE}, DELAY);
    f.Port(0)->SetClassQuantum(1, 5000);
    f.Port(0)->SetClassQuantum(2, 15000);
    std::vector<Connection> connections = {f.Connect(0, 1, InClass(1)),
                                           f.Connect(0, 1, InClass(1)),
                                           f.Connect(0, 1, InClass(2))};
    Starts starts(f);
    for (const Connection& c : connections)
    {
        f.Post(c, 8000 * MTU);
    }
    Simulator::Stop(OnWire(RATE, 8000 * SLOT)); // all are busy until then
    f.Run();
    double shares[] = {1.0 / 8, 1.0 / 8, 3.0 / 4};
    for (size_t i = 0; i < 3; ++i)
    {
        double share =
            static_cast<double>(starts.ofPair[connections[i].b->GetNumber()].size()) / 8000;
        EXPECT_NEAR(share, shares[i], 0.01 * shares[i]);
    }
}

TEST(NicScheduler, PauseAndResumeOfAnyClassWithAnyNumberOfPairs)
{
    // 0, 1 or 2 pairs in each of 8 classes; a pause and a resume of all classes, of each class by
    // itself, and of classes in which nobody is.
    for (uint32_t pairs : {0, 1, 2})
    {
        for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            FabricFixture f;
            f.BuildChain({RATE}, DELAY);
            Connection other = f.Connect(0, 1, InClass((c + 1) % N_TRAFFIC_CLASSES));
            f.Post(other, 20 * MTU);
            for (uint32_t i = 0; i < pairs; ++i)
            {
                f.Post(f.Connect(0, 1, InClass(c)), 20 * MTU);
            }
            auto at = [&f](int64_t us, uint8_t classes, uint16_t quanta) {
                Simulator::Schedule(MicroSeconds(us), [&f, classes, quanta] {
                    f.Port(1)->SendPause(classes, quanta);
                });
            };
            at(1, static_cast<uint8_t>(1 << c), 65535);
            at(3, static_cast<uint8_t>(1 << c), 0);
            at(5, 0xff, 65535);
            at(7, 0xff, 0);
            at(8, 0xff, 0);
            f.Run();
            f.ExpectAllSucceeded(1 + pairs, (1 + pairs) * 20 * MTU);
            f.ExpectDrained();
            f.ExpectSharesAddUp();
            EXPECT_LT(TimeStep(f.records.back().end), MicroSeconds(100))
                << "opened by the resume, not by its quanta (335 us)";
        }
    }
}

} // namespace
