// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Where the time of a message went: each part against a case whose numbers are worked out by
 * hand. That the parts add up is checked here and in every other test of the transport.
 */

#include "fabric-fixture.h"

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 4096;
constexpr uint64_t SLOT = 8 + 62 + MTU + 12; ///< a full frame with preamble and gap
constexpr uint64_t LAST_BIT = 8 + 62 + MTU;  ///< until its last bit
constexpr uint64_t ACK = 8 + 66;             ///< likewise, of an ACK
const Time DELAY = NanoSeconds(500);
const std::string RATE = "100Gbps"; // a byte takes 80 ps

int64_t
Steps(uint64_t count)
{
    return OnWire(RATE, count).GetTimeStep();
}

const MessageRecord&
RecordOf(const FabricFixture& f, uint64_t id)
{
    for (const MessageRecord& record : f.records)
    {
        if (record.workRequestId == id)
        {
            return record;
        }
    }
    ADD_FAILURE() << "no record of message " << id;
    static const MessageRecord none{};
    return none;
}

TEST(TimeShares, OfALoneMessageAreSerializationAndPropagation)
{
    // A SEND of 100 frames over one switch: 99 slots, then the last frame and its ACK on two links
    // each, and four cables.
    FabricFixture f;
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, 100 * MTU);
    f.Post(c, 100 * MTU, RdmaOperation::SEND);
    f.Run();
    f.ExpectSharesAddUp();
    const TimeShares& s = RecordOf(f, 0).shares;
    EXPECT_EQ(s.serialization, Steps(99 * SLOT + 2 * LAST_BIT + 2 * ACK));
    EXPECT_EQ(s.propagation, DELAY.GetTimeStep() * 4);
    EXPECT_EQ(s.queueing + s.paused + s.congestionControl + s.window + s.nicContention +
                  s.retransmission,
              0);
}

TEST(TimeShares, AtHalfTheRateAreHalfCongestionControl)
{
    // 50 Gb/s on a 100 Gb/s port: behind each of 99 slots the pace holds the next frame as long.
    FabricFixture f;
    f.rdma.SetCongestionControlAttribute("Rate", DataRateValue(DataRate("50Gbps")));
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, 100 * MTU);
    f.Post(c, 100 * MTU, RdmaOperation::SEND);
    f.Run();
    f.ExpectSharesAddUp();
    const TimeShares& s = RecordOf(f, 0).shares;
    EXPECT_EQ(s.congestionControl, Steps(99 * SLOT));
    EXPECT_EQ(s.serialization, Steps(99 * SLOT + 2 * LAST_BIT + 2 * ACK));
    EXPECT_EQ(s.window + s.nicContention + s.paused + s.queueing + s.retransmission, 0);
}

TEST(TimeShares, OfAFullWindowAreWindow)
{
    // A window of one frame: each frame goes when the ACK of the one before is back, a round trip
    // after it started; of that the slot is the frame's own.
    constexpr uint64_t FRAMES = 10;
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Window", UintegerValue(MTU));
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, FRAMES * MTU);
    f.Post(c, FRAMES * MTU, RdmaOperation::SEND);
    f.Run();
    f.ExpectSharesAddUp();
    const TimeShares& s = RecordOf(f, 0).shares;
    int64_t roundTrip = Steps(2 * LAST_BIT + 2 * ACK) + DELAY.GetTimeStep() * 4;
    EXPECT_EQ(s.window, static_cast<int64_t>(FRAMES - 1) * (roundTrip - Steps(SLOT)));
    EXPECT_EQ(s.serialization, Steps((FRAMES - 1) * SLOT + 2 * LAST_BIT + 2 * ACK));
    EXPECT_EQ(s.congestionControl + s.nicContention + s.paused + s.queueing + s.retransmission, 0);
}

TEST(TimeShares, BehindAnotherPairOfTheNicAreContention)
{
    // Two pairs of one NIC take turns: between two frames of the one is one of the other.
    constexpr uint64_t FRAMES = 50;
    FabricFixture f;
    f.BuildStar(3, RATE, DELAY);
    Connection first = f.Connect(0, 1);
    Connection second = f.Connect(0, 2);
    f.PostReceive(first, FRAMES * MTU);
    f.PostReceive(second, FRAMES * MTU);
    f.Post(first, FRAMES * MTU, RdmaOperation::SEND, 1);
    f.Post(second, FRAMES * MTU, RdmaOperation::SEND, 2);
    f.Run();
    f.ExpectSharesAddUp();
    // The first one's second frame had no competitor when the port asked: posted later, the other
    // pair stands behind it in the round. Frames go 1 1' 2' ... : first, second, first, ...
    EXPECT_EQ(RecordOf(f, 2).shares.nicContention, Steps(FRAMES * SLOT));
    EXPECT_NEAR(static_cast<double>(RecordOf(f, 1).shares.nicContention),
                static_cast<double>(Steps((FRAMES - 1) * SLOT)),
                static_cast<double>(Steps(SLOT)));
    EXPECT_EQ(RecordOf(f, 2).shares.queueing, 0) << "different receivers: no queue in the switch";
}

TEST(TimeShares, BehindAnotherFlowInTheSwitchAreQueueing)
{
    // Host 1's 10 frames and, at the same moment, one frame of host 2 come to host 0's port. The
    // switch has the frame of host 1 first (it was posted first), so host 2's only frame, which
    // arrives when that one does, waits for exactly one slot.
    FabricFixture f;
    f.BuildStar(3, RATE, DELAY);
    Connection first = f.Connect(1, 0);
    Connection second = f.Connect(2, 0);
    f.PostReceive(first, 10 * MTU);
    f.PostReceive(second, MTU);
    f.Post(first, 10 * MTU, RdmaOperation::SEND, 1);
    f.Post(second, MTU, RdmaOperation::SEND, 2);
    f.Run();
    f.ExpectSharesAddUp();
    const TimeShares& s = RecordOf(f, 2).shares;
    EXPECT_EQ(s.queueing, Steps(SLOT));
    EXPECT_EQ(s.serialization, Steps(2 * LAST_BIT + 2 * ACK));
    EXPECT_EQ(s.propagation, DELAY.GetTimeStep() * 4);
    // The last frame of host 1 waits for that one frame of host 2, too.
    EXPECT_EQ(RecordOf(f, 1).shares.queueing, Steps(SLOT));
}

TEST(TimeShares, OfAPausedSenderArePaused)
{
    // The switch's port stops class 3 of the sender for 1000 quanta in the middle of the message:
    // 1000 x 64 B x 80 ps = 5.12 us. The frame on the wire when the pause comes is not cut; the
    // rest of its slot is its own time.
    FabricFixture f;
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, 100 * MTU);
    f.Post(c, 100 * MTU, RdmaOperation::SEND);
    // At 20 slots the switch's port sends the pause; it arrives 72 B and a cable later, 1.51 slots
    // on, so in the middle of a frame of which 0.49 slots are left.
    int64_t send = Steps(20 * SLOT);
    int64_t arrival = send + Steps(8 + 64) + DELAY.GetTimeStep();
    int64_t slotEnd = (arrival / Steps(SLOT) + 1) * Steps(SLOT);
    Simulator::Schedule(TimeStep(send), [&f] { f.Port(0)->GetPeer()->SendPause(1 << 3, 1000); });
    f.Run();
    f.ExpectSharesAddUp();
    const TimeShares& s = RecordOf(f, 0).shares;
    int64_t held = Steps(1000 * 64);
    EXPECT_EQ(s.paused, held - (slotEnd - arrival));
    EXPECT_EQ(s.serialization, Steps(99 * SLOT + 2 * LAST_BIT + 2 * ACK));
    EXPECT_EQ(s.nicContention + s.window + s.congestionControl + s.queueing + s.retransmission, 0);
}

TEST(TimeShares, OfAPauseThatHeldNothingAreNotPaused)
{
    // 50 pauses of 10 quanta (51.2 ns) come and go while a frame (334 ns) is on the wire. Later the
    // pair waits for another one of its NIC: those old pauses are no reason for that.
    FabricFixture f;
    f.BuildStar(3, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, 200 * MTU);
    f.Post(c, 200 * MTU, RdmaOperation::SEND, 1);
    // A pause takes 72 B and 500 ns, so 537.28 - 334.24 = 203 ns of a slot: it is sent at a slot's
    // beginning, arrives in the middle of the next one, and is over before its end.
    for (int i = 0; i < 50; ++i)
    {
        Simulator::Schedule(TimeStep(i * Steps(SLOT)),
                            [&f] { f.Port(0)->GetPeer()->SendPause(1 << 3, 10); });
    }
    Connection other = f.Connect(0, 2);
    Simulator::Schedule(TimeStep(100 * Steps(SLOT)), [&f, other] { f.Post(other, 50 * MTU); });
    f.Run();
    f.ExpectSharesAddUp();
    EXPECT_EQ(f.Port(0)->GetCounters().pausesReceived, 50u);
    EXPECT_EQ(RecordOf(f, 1).shares.paused, 0);
    EXPECT_GE(RecordOf(f, 1).shares.nicContention, Steps(49 * SLOT));
}

TEST(TimeShares, InAPausedSwitchPortArePaused)
{
    // The receiver stops the switch's port before the message comes; it waits there until the
    // quanta run out.
    FabricFixture f;
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, MTU);
    f.Port(1)->SendPause(1 << 3, 1000);
    f.Post(c, MTU, RdmaOperation::SEND);
    f.Run();
    f.ExpectSharesAddUp();
    int64_t opens = Steps(8 + 64) + DELAY.GetTimeStep() + Steps(1000 * 64);
    int64_t arrives = Steps(LAST_BIT) + DELAY.GetTimeStep();
    EXPECT_EQ(RecordOf(f, 0).shares.paused, opens - arrives);
    EXPECT_EQ(RecordOf(f, 0).shares.queueing, 0);
}

TEST(TimeShares, OfARepetitionAreRetransmission)
{
    // One frame, lost once: the timer (code 5: 131.072 us) and then a whole new round.
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(5));
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    bool lost = false;
    f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame&) {
        bool lose = !lost;
        lost = true;
        return lose;
    }));
    f.PostReceive(c, MTU);
    f.Post(c, MTU, RdmaOperation::SEND);
    f.Run();
    f.ExpectSharesAddUp();
    const TimeShares& s = RecordOf(f, 0).shares;
    EXPECT_EQ(s.retransmission, NanoSeconds(131072).GetTimeStep());
    EXPECT_EQ(s.serialization, Steps(2 * LAST_BIT + 2 * ACK));
    EXPECT_EQ(s.propagation, DELAY.GetTimeStep() * 4);
}

TEST(TimeShares, OfAWaitForTheReceiverAreRetransmission)
{
    // The first message finds no room and is told to wait for 10 us. The third one, posted during
    // that wait, is behind it, as the second one is, of which some frames have gone and some not:
    // all three wait for a repetition, not for any rate.
    FabricFixture f;
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1);
    f.Post(c, MTU, RdmaOperation::SEND, 1);
    f.Post(c, 20 * MTU, RdmaOperation::WRITE, 2);
    Simulator::Schedule(MicroSeconds(7), [&f, c] {
        f.PostReceive(c, MTU);
        f.Post(c, MTU, RdmaOperation::WRITE, 3);
    });
    f.Run();
    f.ExpectAllSucceeded(3, 22 * MTU);
    f.ExpectSharesAddUp();
    for (uint64_t id : {1, 2, 3})
    {
        EXPECT_EQ(RecordOf(f, id).shares.congestionControl, 0);
        EXPECT_EQ(RecordOf(f, id).shares.nicContention, 0);
    }
}

/// Where acknowledgements travel, and whether the window follows the rate.
class TimeSharesOfAll : public testing::TestWithParam<bool>
{
};

TEST_P(TimeSharesOfAll, AddUpWhenEverythingHappensAtOnce)
{
    // Incast, loss, windows, pacing by DCQCN, several pairs a NIC, messages posted at any time.
    FabricFixture f;
    f.rdma.SetNicAttribute("ControlInDataClass", BooleanValue(GetParam()));
    f.rdma.SetQueuePairAttribute("VariableWindow", BooleanValue(GetParam()));
    f.lossRate = 1e-3;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
    f.rdma.SetQueuePairAttribute("Window", UintegerValue(4 * MTU));
    f.rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
    f.fabric.SetEcn([](DataRate) { return EcnThresholds{20000, 200000, 0.1}; });
    f.fabric.SetBufferAttribute("Size", UintegerValue(400000));
    f.BuildTwoSwitches(4, RATE, 2, "50Gbps", DELAY);
    std::vector<Connection> connections;
    for (uint32_t i = 0; i < 32; ++i)
    {
        connections.push_back(f.Connect(i % 7, (i % 7 + 1 + i / 7) % 8));
    }
    uint64_t posted = 0;
    for (uint32_t i = 0; i < 640; ++i)
    {
        uint64_t message = (i * 7919) % 300000;
        posted += message;
        Simulator::Schedule(NanoSeconds(i * 1237), [&f, &connections, i, message] {
            f.Post(connections[i % 32], message, RdmaOperation::WRITE, i);
        });
    }
    f.Run();
    f.ExpectAllSucceeded(640, posted);
    f.ExpectSharesAddUp();
    f.ExpectDrained();
    TimeShares sum;
    for (const MessageRecord& record : f.records)
    {
        sum += record.shares;
    }
    EXPECT_GT(sum.queueing, 0);
    EXPECT_GT(sum.paused, 0);
    EXPECT_GT(sum.congestionControl, 0);
    EXPECT_GT(sum.window, 0);
    EXPECT_GT(sum.nicContention, 0);
    EXPECT_GT(sum.retransmission, 0);
}

INSTANTIATE_TEST_SUITE_P(Variants, TimeSharesOfAll, testing::Bool());

} // namespace
