// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What is lost, refused or never answered: every message completes with all its bytes, or
 * its queue pair goes to error and says so. Every test runs until no event is left, so none can
 * hang.
 */

#include "fabric-fixture.h"

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;

/// The transport timer of code n (IBA vol. 1, 9.7.6.1.3).
Time
TransportTimer(int n)
{
    return NanoSeconds(4096) * (int64_t{1} << n);
}

// ---------------------------------------------------------------- random loss

class LossRate : public testing::TestWithParam<double>
{
};

TEST_P(LossRate, OnEveryCableIsRecoveredFrom)
{
    // Both ways on both sides of a bottleneck: data, ACKs, NAKs, CNPs and pause frames get lost.
    constexpr uint64_t MESSAGE = 1 << 20;
    constexpr uint64_t MESSAGES = 8;
    FabricFixture f;
    f.lossRate = GetParam();
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(10)); // 4.2 ms: above any queue here
    f.fabric.SetEcn([](DataRate) { return EcnThresholds{20000, 200000, 0.1}; });
    f.rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
    f.BuildTwoSwitches(4, "100Gbps", 1, "100Gbps", DELAY);
    for (uint32_t h = 0; h < 4; ++h)
    {
        Connection c = f.Connect(h, h + 4);
        for (uint64_t m = 0; m < MESSAGES; ++m)
        {
            f.Post(c, MESSAGE);
        }
    }
    f.Run();
    f.ExpectAllSucceeded(4 * MESSAGES, 4 * MESSAGES * MESSAGE);
    f.ExpectDrained();
    f.ExpectSharesAddUp();

    // At least 4 x 8 x 256 data frames cross three cables: 24,576 chances to be lost.
    uint64_t lost = 0;
    for (const auto& cable : f.network.channels)
    {
        lost += cable->GetLostFrames();
    }
    EXPECT_GT(static_cast<double>(lost), 24576 * GetParam() / 3);
}

INSTANTIATE_TEST_SUITE_P(Rates, LossRate, testing::Values(1e-4, 1e-3, 1e-2));

// ---------------------------------------------------------------- loss of one particular frame

/// Loses frames of a kind on a cable: the one whose number, counted from 1, is given.
class LoseOne
{
  public:
    using Match = std::function<bool(const FabricFrame&)>;

    LoseOne(Ptr<FabricChannel> cable, uint64_t number, Match match)
        : m_number(number),
          m_match(match)
    {
        cable->SetLossFilter(Callback<bool, const FabricFrame&>(
            [this](const FabricFrame& frame) { return m_match(frame) && ++m_seen == m_number; }));
    }

    bool Happened() const
    {
        return m_seen >= m_number;
    }

  private:
    uint64_t m_number;
    uint64_t m_seen{0};
    Match m_match;
};

bool
IsData(const FabricFrame& frame)
{
    return frame.kind == FrameKind::ROCE && frame.opcode != RdmaOpcode::RC_ACK &&
           frame.opcode != RdmaOpcode::CNP;
}

bool
IsAnswer(const FabricFrame& frame, AethKind kind)
{
    return frame.kind == FrameKind::ROCE && frame.opcode == RdmaOpcode::RC_ACK &&
           SyndromeKind(frame.syndrome) == kind;
}

constexpr uint64_t FRAMES = 100;

/// One message of 100 frames from host 0 to host 1 over a switch, at 100 Gb/s.
class OneMessage : public testing::Test
{
  protected:
    void Start()
    {
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8)); // 1.048576 ms
        f.BuildStar(2, "100Gbps", DELAY);
        connection = f.Connect(0, 1);
    }

    void Finish()
    {
        f.Post(connection, FRAMES * MTU);
        f.Run();
        f.ExpectAllSucceeded(1, FRAMES * MTU);
        f.ExpectDrained();
        f.ExpectSharesAddUp();
    }

    uint64_t Timeouts() const
    {
        return f.Total(&RdmaNicCounters::timeouts);
    }

    uint64_t Repeated() const
    {
        return f.Total(&RdmaNicCounters::retransmittedFrames);
    }

    FabricFixture f;
    Connection connection;
};

TEST_F(OneMessage, SurvivesTheLossOfItsFirstFrame)
{
    Start();
    LoseOne loss(f.Cable(0), 1, IsData);
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 1u) << "the second frame shows the gap";
    EXPECT_EQ(Timeouts(), 0u);
}

TEST_F(OneMessage, SurvivesTheLossOfAMiddleFrame)
{
    Start();
    LoseOne loss(f.Cable(0), 50, IsData);
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 1u);
    EXPECT_EQ(Timeouts(), 0u);
    // Go-back-N repeats the lost frame and all that was sent until the NAK came. Frame 51 starts
    // when frame 50's slot ends; it shows the gap after both links (2 x (8 + 4158) B and 1 us); the
    // NAK needs 2 x 74 B and 1 us. 50 has 1 slot before that, of 4178 B:
    Time untilNak = OnWire("100Gbps", 2 * (8 + 4158) + 2 * 74) + DELAY * 4;
    Time slot = OnWire("100Gbps", 4178);
    int64_t sentMeanwhile = untilNak.GetTimeStep() / slot.GetTimeStep() + 1;
    EXPECT_EQ(Repeated(), static_cast<uint64_t>(1 + sentMeanwhile));
}

TEST_F(OneMessage, SurvivesTheLossOfTwoFramesWithANakEach)
{
    Start();
    uint32_t next = 29; // frames 30 and 70, once each
    f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
        bool lose = IsData(frame) && frame.psn == next;
        next += lose ? 40 : 0;
        return lose;
    }));
    Finish();
    EXPECT_EQ(next, 109u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 2u);
    EXPECT_EQ(Timeouts(), 0u);
}

TEST_F(OneMessage, SurvivesTheLossOfItsLastFrame)
{
    // Nothing comes after it, so nobody notices but the timer. It starts when the last ACK before
    // has come, that of frame 96 (AckInterval 16).
    Start();
    LoseOne loss(f.Cable(0), FRAMES, IsData);
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 1u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 0u);
    EXPECT_EQ(Repeated(), 4u) << "97 to 100";
    // ACK of 96: 96 frames on the first link (the first with RETH), the 96th on the second, ...
    Time ack96 = OnWire("100Gbps", 95 * 4178 + 16 + 4166 + (16 + 4166) + 2 * 74) + DELAY * 4;
    // ... then the timer, four frames, and the way back.
    Time expected =
        ack96 + TransportTimer(8) + OnWire("100Gbps", 3 * 4178 + 4166 + 4166 + 2 * 74) + DELAY * 4;
    EXPECT_EQ(TimeStep(f.records.at(0).end), expected);
}

TEST_F(OneMessage, SurvivesTheLossOfItsLastAck)
{
    // Seven ACKs: of frames 16, 32, ..., 96 and 100. The repetition finds a receiver that has all.
    Start();
    LoseOne loss(f.Cable(1), 7, [](const FabricFrame& frame) {
        return IsAnswer(frame, AethKind::ACK);
    });
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 1u);
    EXPECT_EQ(connection.b->GetResponder().GetDeliveredMessages(), 1u) << "delivered once";
    EXPECT_EQ(connection.b->GetResponder().GetDeliveredBytes(), FRAMES * MTU);
}

TEST_F(OneMessage, SurvivesTheLossOfAnAckThatALaterOneCovers)
{
    Start();
    LoseOne loss(f.Cable(1), 3, [](const FabricFrame& frame) {
        return IsAnswer(frame, AethKind::ACK);
    });
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 0u);
    EXPECT_EQ(Repeated(), 0u);
}

TEST_F(OneMessage, SurvivesTheLossOfANak)
{
    // The receiver sends one NAK a gap (IBA vol. 1, 9.7.5.2.8), so the timer has to help.
    Start();
    LoseOne data(f.Cable(0), 50, IsData);
    LoseOne nak(f.Cable(1), 1, [](const FabricFrame& frame) {
        return IsAnswer(frame, AethKind::NAK);
    });
    Finish();
    EXPECT_TRUE(data.Happened());
    EXPECT_TRUE(nak.Happened());
    EXPECT_EQ(Timeouts(), 1u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 1u);
}

TEST_F(OneMessage, SurvivesTheLossOfTheRepetition)
{
    // Frame 50 is lost, and lost again when repeated: the timer helps, once.
    Start();
    uint64_t lost = 0;
    f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
        bool lose = IsData(frame) && frame.psn == 49 && lost < 2;
        lost += lose;
        return lose;
    }));
    Finish();
    EXPECT_EQ(lost, 2u);
    EXPECT_EQ(Timeouts(), 1u);
}

// ---------------------------------------------------------------- loss of signals of congestion

/// Three senders into one port at 100 Gb/s: it must pause and mark.
class Incast : public testing::Test
{
  protected:
    static constexpr uint64_t MESSAGE = 2 << 20;

    void Start()
    {
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
        f.rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
        f.fabric.SetEcn([](DataRate) { return EcnThresholds{20000, 200000, 0.2}; });
        // 4 ports with 8 x 4 KiB of reserves and 25 KB of headroom leave 168 KB to share. Of it
        // each of three senders gets half of what is free, x = (168 KB - 3 x) / 2, so 34 KB.
        f.fabric.SetBufferAttribute("Size", UintegerValue(400000));
        f.fabric.SetBufferAttribute("Alpha", DoubleValue(0.5));
        f.BuildStar(4, "100Gbps", DELAY);
        for (uint32_t h = 1; h < 4; ++h)
        {
            connections.push_back(f.Connect(h, 0));
        }
    }

    void Finish()
    {
        for (const Connection& c : connections)
        {
            f.Post(c, MESSAGE);
        }
        f.Run();
        f.ExpectAllSucceeded(3, 3 * MESSAGE);
        f.ExpectDrained();
        f.ExpectSharesAddUp();
    }

    FabricFixture f;
    std::vector<Connection> connections;
};

TEST_F(Incast, SurvivesTheLossOfACnp)
{
    Start();
    LoseOne loss(f.Cable(0), 1, [](const FabricFrame& frame) {
        return frame.kind == FrameKind::ROCE && frame.opcode == RdmaOpcode::CNP;
    });
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(f.Total(&RdmaNicCounters::cnpsSent), f.Total(&RdmaNicCounters::cnpsReceived) + 1);
    EXPECT_EQ(f.Drops(), 0u) << "PFC guards the buffer all the same";
}

TEST_F(Incast, SurvivesTheLossOfAPause)
{
    // The sender goes on, the headroom overflows, and what is dropped is repeated.
    Start();
    LoseOne loss(f.Cable(1), 1, [](const FabricFrame& frame) {
        return frame.kind == FrameKind::PFC && frame.pauseQuanta[3] > 0;
    });
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_GT(f.Switch()->GetLosslessDrops(), 0u);
}

TEST_F(Incast, SurvivesTheLossOfAResume)
{
    // The class opens by itself when its quanta run out: 65535 x 512 bits are 335.5 us.
    Start();
    LoseOne loss(f.Cable(1), 1, [](const FabricFrame& frame) {
        return frame.kind == FrameKind::PFC && frame.pauseQuanta[3] == 0;
    });
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_GE(f.Port(1)->PausedSteps(3, NowSteps()),
              OnWire("100Gbps", 65535 * bytes::QUANTUM).GetTimeStep());
}

// ---------------------------------------------------------------- giving up

TEST(RetryExhaustion, EndsEveryWorkRequestAtTheTimeThatTheStandardSays)
{
    // A dead cable: the timer runs from the first frame, and each of the retries runs it again.
    constexpr int TIMEOUT = 5; // 131.072 us
    constexpr int RETRIES = 3;
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(TIMEOUT));
    f.rdma.SetQueuePairAttribute("RetryCount", UintegerValue(RETRIES));
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    f.Cable(0)->SetLossFilter(
        Callback<bool, const FabricFrame&>([](const FabricFrame&) { return true; }));
    ASSERT_EQ(c.a->PostReceive({77, 100}), PostResult::POSTED);
    for (uint64_t id = 1; id <= 3; ++id)
    {
        f.Post(c, MTU, RdmaOperation::WRITE, id);
    }
    f.Run();

    Time expected = TransportTimer(TIMEOUT) * (RETRIES + 1);
    ASSERT_EQ(f.completions.size(), 4u);
    const char* statuses[] = {"WC_RETRY_EXC_ERR",
                              "WC_WR_FLUSH_ERR",
                              "WC_WR_FLUSH_ERR",
                              "WC_WR_FLUSH_ERR"};
    uint64_t ids[] = {1, 2, 3, 77}; // the sends in order, then the receive
    for (size_t i = 0; i < 4; ++i)
    {
        EXPECT_STREQ(ToString(f.completions[i].wc.status), statuses[i]);
        EXPECT_EQ(f.completions[i].wc.id, ids[i]);
        EXPECT_EQ(f.completions[i].at, expected);
    }
    EXPECT_EQ(c.a->GetState(), QpState::ERROR);
    EXPECT_EQ(f.Nic(0)->GetCounters().timeouts, static_cast<uint64_t>(RETRIES + 1));
    EXPECT_EQ(f.Nic(0)->GetCounters().dataFramesSent, 3u * (RETRIES + 1));
    EXPECT_EQ(f.records.size(), 3u);
    f.ExpectSharesAddUp();

    // What is posted now is taken and flushed (IBA vol. 1, 10.3.1.7).
    EXPECT_EQ(c.a->PostSend(SendWorkRequest()), PostResult::POSTED);
    EXPECT_EQ(c.a->PostReceive({}), PostResult::POSTED);
    f.Run();
    ASSERT_EQ(f.completions.size(), 6u);
    EXPECT_STREQ(ToString(f.completions[4].wc.status), "WC_WR_FLUSH_ERR");
    EXPECT_STREQ(ToString(f.completions[5].wc.status), "WC_WR_FLUSH_ERR");
}

TEST(RetryExhaustion, LeavesOtherPairsAlone)
{
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(5));
    f.BuildStar(3, "100Gbps", DELAY);
    Connection dead = f.Connect(0, 1);
    Connection alive = f.Connect(0, 2);
    f.Cable(1)->SetLossFilter(
        Callback<bool, const FabricFrame&>([](const FabricFrame&) { return true; }));
    f.Post(dead, 1 << 20, RdmaOperation::WRITE, 1);
    f.Post(alive, 1 << 20, RdmaOperation::WRITE, 2);
    f.Run();
    ASSERT_EQ(f.records.size(), 2u);
    EXPECT_EQ(f.records[0].workRequestId, 2u);
    EXPECT_EQ(f.records[0].status, WcStatus::SUCCESS);
    EXPECT_EQ(f.records[1].status, WcStatus::RETRY_EXCEEDED);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
}

TEST(RetryCount, StartsAgainAfterProgress)
{
    // Ten messages whose last frame is lost once each: ten timeouts, but never two in a row.
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(5));
    f.rdma.SetQueuePairAttribute("RetryCount", UintegerValue(1));
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    uint32_t next = 0;
    f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
        bool lose = IsData(frame) && frame.psn == next;
        next += lose;
        return lose;
    }));
    for (int i = 0; i < 10; ++i)
    {
        Simulator::Schedule(MilliSeconds(i), [&f, c] { f.Post(c, MTU); });
    }
    f.Run();
    f.ExpectAllSucceeded(10, 10 * MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 10u);
}

// ---------------------------------------------------------------- receiver not ready

TEST(ReceiverNotReady, IsAskedAgainAfterTheTimeOfTheTable)
{
    // Code 14 is 1.28 ms (IBA vol. 1, RNR NAK timer field). The receive comes in time for the
    // second attempt.
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("MinRnrTimer", UintegerValue(14));
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    f.Post(c, MTU, RdmaOperation::SEND);
    Simulator::Schedule(MilliSeconds(1), [&f, c] { f.PostReceive(c, MTU); });
    f.Run();
    f.ExpectAllSucceeded(1, MTU);
    EXPECT_EQ(f.Nic(1)->GetCounters().rnrNaksSent, 1u);
    // Two equal rounds of a frame of 62 + 4096 B and an answer of 66 B, and the wait between them.
    Time round = OnWire("100Gbps", 2 * (8 + 4158) + 2 * 74) + DELAY * 4;
    EXPECT_EQ(TimeStep(f.records.at(0).end), round + MicroSeconds(1280) + round);
    f.ExpectSharesAddUp();
}

TEST(ReceiverNotReady, HoldsTheTransportTimer)
{
    // Code 0 is 655.36 ms, almost ten times the transport timer (67 ms): waiting as one was told to
    // is no timeout.
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("MinRnrTimer", UintegerValue(0));
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    f.Post(c, MTU, RdmaOperation::SEND);
    Simulator::Schedule(MilliSeconds(1), [&f, c] { f.PostReceive(c, MTU); });
    f.Run();
    f.ExpectAllSucceeded(1, MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    Time round = OnWire("100Gbps", 2 * (8 + 4158) + 2 * 74) + DELAY * 4;
    EXPECT_EQ(TimeStep(f.records.at(0).end), round + MicroSeconds(655360) + round);
}

TEST(ReceiverNotReady, ForEverIsAnErrorAfterTheRetries)
{
    constexpr int RETRIES = 2;
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("RnrRetryCount", UintegerValue(RETRIES));
    f.rdma.SetQueuePairAttribute("MinRnrTimer", UintegerValue(1)); // 10 us
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    f.Post(c, MTU, RdmaOperation::SEND, 1);
    f.Post(c, MTU, RdmaOperation::SEND, 2);
    f.Run();
    ASSERT_EQ(f.completions.size(), 2u);
    EXPECT_STREQ(ToString(f.completions[0].wc.status), "WC_RNR_RETRY_EXC_ERR");
    EXPECT_STREQ(ToString(f.completions[1].wc.status), "WC_WR_FLUSH_ERR");
    Time round = OnWire("100Gbps", 2 * (8 + 4158) + 2 * 74) + DELAY * 4;
    EXPECT_EQ(f.completions[0].at, (round + MicroSeconds(10)) * RETRIES + round);
    EXPECT_EQ(f.Nic(1)->GetCounters().rnrNaksSent, static_cast<uint64_t>(RETRIES + 1));
    f.ExpectSharesAddUp();
}

TEST(ReceiverNotReady, SurvivesTheLossOfItsNak)
{
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(5));
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    LoseOne loss(f.Cable(1), 1, [](const FabricFrame& frame) {
        return IsAnswer(frame, AethKind::RNR_NAK);
    });
    f.Post(c, 10 * MTU, RdmaOperation::SEND);
    Simulator::Schedule(MicroSeconds(300), [&f, c] { f.PostReceive(c, 10 * MTU); });
    f.Run();
    EXPECT_TRUE(loss.Happened());
    f.ExpectAllSucceeded(1, 10 * MTU);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
}

TEST(ReceiverNotReady, AppliesToImmediateDataToo)
{
    // A WRITE_WITH_IMM takes a receive with its last frame only: what comes before is kept.
    FabricFixture f;
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    f.Post(c, 10 * MTU, RdmaOperation::WRITE_WITH_IMM);
    Simulator::Schedule(MicroSeconds(15), [&f, c] { f.PostReceive(c, 0); });
    f.Run();
    f.ExpectAllSucceeded(1, 10 * MTU);
    EXPECT_GE(f.Nic(1)->GetCounters().rnrNaksSent, 1u);
    EXPECT_EQ(f.Nic(0)->GetCounters().retransmittedFrames, f.Nic(1)->GetCounters().rnrNaksSent)
        << "only the last frame goes again";
}

// ---------------------------------------------------------------- requests that are refused

TEST(SendLongerThanTheRoom, IsAnInvalidRequest)
{
    FabricFixture f;
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, 3 * MTU - 1);
    f.Post(c, 3 * MTU, RdmaOperation::SEND, 1);
    f.Post(c, 1, RdmaOperation::SEND, 2);
    f.Run();
    // The receiver's own error comes first, with the frame; then the NAK reaches the sender.
    ASSERT_EQ(f.completions.size(), 3u);
    EXPECT_STREQ(ToString(f.completions[0].wc.status), "WC_LOC_LEN_ERR");
    EXPECT_STREQ(ToString(f.completions[1].wc.status), "WC_REM_INV_REQ_ERR");
    EXPECT_STREQ(ToString(f.completions[2].wc.status), "WC_WR_FLUSH_ERR");
    EXPECT_EQ(c.a->GetState(), QpState::ERROR);
    EXPECT_EQ(c.b->GetState(), QpState::ERROR);
    EXPECT_EQ(c.b->GetResponder().GetDeliveredMessages(), 0u);
    f.ExpectSharesAddUp();
}

TEST(SendLongerThanTheRoom, FailsAlsoWhenTheNakIsLost)
{
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(5));
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    LoseOne loss(f.Cable(1), 1, [](const FabricFrame& frame) {
        return IsAnswer(frame, AethKind::NAK);
    });
    f.PostReceive(c, 3 * MTU - 1);
    f.Post(c, 3 * MTU, RdmaOperation::SEND, 1);
    f.Run();
    EXPECT_TRUE(loss.Happened());
    // A pair in ERROR does not answer: the sender hears nothing, and its retries end.
    ASSERT_EQ(f.completions.size(), 2u);
    EXPECT_STREQ(ToString(f.completions[0].wc.status), "WC_LOC_LEN_ERR");
    EXPECT_STREQ(ToString(f.completions[1].wc.status), "WC_RETRY_EXC_ERR");
}

TEST(SendThatFits, TakesTheReceivesInOrder)
{
    FabricFixture f;
    f.BuildStar(2, "100Gbps", DELAY);
    Connection c = f.Connect(0, 1);
    for (uint64_t id = 1; id <= 3; ++id)
    {
        f.PostReceive(c, id * 1000, id);
    }
    for (uint64_t id = 1; id <= 3; ++id)
    {
        f.Post(c, id * 1000, RdmaOperation::SEND_WITH_IMM, id);
    }
    f.Run();
    f.ExpectAllSucceeded(3, 6000);
    uint64_t next = 1;
    for (const auto& completion : f.completions)
    {
        if (completion.wc.opcode == WcOpcode::RECV)
        {
            EXPECT_EQ(completion.wc.id, next);
            EXPECT_EQ(completion.wc.bytes, next * 1000);
            EXPECT_TRUE(completion.wc.hasImmediate);
            ++next;
        }
    }
    EXPECT_EQ(next, 4u);
}

} // namespace
