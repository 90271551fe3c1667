// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Recovery from the loss of one particular frame, coalesced acknowledgements, the bound and
 * the timers of selective repeat, and placement out of order: each with the number that follows
 * from the rule.
 */

#include "fabric-fixture.h"

#include "ns3/aeth-syndrome.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/path-selector.h"

#include <algorithm>
#include <map>
#include <set>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
const std::string RATE = "100Gbps";
constexpr uint64_t MTU = 4096;
constexpr uint64_t PLACEMENT =
    8;                        ///< message number and offset, in requests of selective strategies
constexpr uint64_t SACK = 12; ///< base and bits, in their ACKs

const char* const STRATEGIES[] = {"ns3::GoBackN",
                                  "ns3::SelectiveRepeat",
                                  "ns3::OutOfOrderPlacement"};

/// @param typeId a strategy @param set may set its attributes @return one
Ptr<RdmaReliability>
Make(const std::string& typeId, const std::function<void(ObjectFactory&)>& set = {})
{
    ObjectFactory factory(typeId);
    if (set)
    {
        set(factory);
    }
    return factory.Create<RdmaReliability>();
}

/// The transport timer of code n (IBA vol. 1, 9.7.6.1.3).
Time
TransportTimer(int n)
{
    return NanoSeconds(4096) * (int64_t{1} << n);
}

/// @param frame a frame @param form opcode of a reliable connection @return it is that
bool
Is(const FabricFrame& frame, RdmaOpcode form)
{
    RdmaService service =
        frame.kind == FrameKind::ROCE ? GetService(frame.opcode) : RdmaService::CNP;
    return (service == RdmaService::RC || service == RdmaService::SR) &&
           GetRcForm(frame.opcode) == form;
}

bool
IsRequest(const FabricFrame& frame)
{
    return frame.kind == FrameKind::ROCE && GetOpcodeTraits(frame.opcode).request;
}

bool
IsReadResponse(const FabricFrame& frame)
{
    return frame.kind == FrameKind::ROCE && GetOpcodeTraits(frame.opcode).readResponse;
}

bool
IsAnswer(const FabricFrame& frame, AethKind kind)
{
    return Is(frame, RdmaOpcode::RC_ACK) && SyndromeKind(frame.syndrome) == kind;
}

/// Loses the frames of a kind whose numbers, counted from 1, are given.
class Lose
{
  public:
    using Match = std::function<bool(const FabricFrame&)>;

    Lose(Ptr<FabricChannel> cable, std::set<uint64_t> numbers, Match match)
        : m_numbers(numbers),
          m_match(match)
    {
        cable->SetLossFilter(Callback<bool, const FabricFrame&>([this](const FabricFrame& frame) {
            return m_match(frame) && m_numbers.count(++m_seen) > 0;
        }));
    }

    bool Happened() const
    {
        return m_seen >= *m_numbers.rbegin();
    }

  private:
    std::set<uint64_t> m_numbers;
    uint64_t m_seen{0};
    Match m_match;
};

// ---------------------------------------------------------------- one frame is lost

/// Messages from host 0 to host 1 over a switch.
class Recovery : public testing::TestWithParam<const char*>
{
  protected:
    static constexpr int TIMEOUT = 8; // 1.048576 ms, above IRN's timers

    void Start(uint32_t ackInterval = 16)
    {
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(TIMEOUT));
        f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(ackInterval));
        f.BuildStar(2, RATE, DELAY);
        connection = f.Connect(0, 1, [&](Ptr<QueuePair> qp) {
            qp->SetReliability(Make(GetParam(), [](ObjectFactory& factory) {
                if (GetParam() == std::string("ns3::OutOfOrderPlacement"))
                {
                    factory.Set("ReorderDistance", UintegerValue(1));
                }
            }));
        });
    }

    void Finish(uint64_t messages = 1)
    {
        f.Run();
        ASSERT_EQ(f.records.size(), messages);
        for (const MessageRecord& record : f.records)
        {
            EXPECT_EQ(record.status, WcStatus::SUCCESS) << ToString(record.status);
        }
        f.ExpectDrained();
        f.ExpectSharesAddUp();
        for (const auto& qp : {connection.a, connection.b})
        {
            EXPECT_EQ(qp->GetResponder().GetHeldFrames(), 0u);
            EXPECT_EQ(qp->GetResponder().GetArrivingMessages(), 0u);
            EXPECT_FALSE(qp->HasFrame());
        }
    }

    bool IsSelective() const
    {
        return GetParam() != std::string("ns3::GoBackN");
    }

    uint64_t Timeouts() const
    {
        return f.Total(&RdmaNicCounters::timeouts);
    }

    uint64_t Repeated() const
    {
        return f.Total(&RdmaNicCounters::retransmittedFrames);
    }

    uint64_t DeliveredMessages() const
    {
        return connection.b->GetResponder().GetDeliveredMessages();
    }

    FabricFixture f;
    Connection connection;
};

TEST_P(Recovery, FromLossOfTheLastFrame)
{
    // Nothing comes after it: the timer helps, once.
    Start();
    Lose loss(f.Cable(0), {100}, IsRequest);
    f.Post(connection, 100 * MTU);
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 0u);
    // Acknowledged are 96. Go-back-N repeats the others. A selective strategy repeats the oldest,
    // hears that only 100 is missing, and waits for the timer once more, as nothing behind it shows
    // that it is lost.
    EXPECT_EQ(Timeouts(), IsSelective() ? 2u : 1u);
    EXPECT_EQ(Repeated(), IsSelective() ? 2u : 4u);
}

TEST_P(Recovery, FromLossOfTheLastAck)
{
    // Of 100 frames 16, 32, ..., 96 and 100 are acknowledged: seven ACKs. The receiver has all.
    Start();
    Lose loss(f.Cable(1), {7}, [](const FabricFrame& frame) {
        return IsAnswer(frame, AethKind::ACK);
    });
    f.Post(connection, 100 * MTU);
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 1u);
    EXPECT_EQ(DeliveredMessages(), 1u) << "delivered once";
    EXPECT_EQ(connection.b->GetResponder().GetDeliveredBytes(), 100 * MTU);
    // Go-back-N repeats all that is not acknowledged, 97 to 100; a selective strategy the oldest.
    EXPECT_EQ(Repeated(), IsSelective() ? 1u : 4u);
}

TEST_P(Recovery, FromLossOfTheLastNak)
{
    // The 50th frame is lost, and what the receiver says of it first. Go-back-N says it once (IBA
    // vol. 1, 9.7.5.2.8), so the timer helps; IRN says it again with each frame that comes early.
    Start(1);
    Lose data(f.Cable(0), {50}, IsRequest);
    Lose nak(f.Cable(1), {1}, [this](const FabricFrame& frame) {
        bool selectiveNak = IsAnswer(frame, AethKind::ACK) && frame.sackBits != 0;
        return IsSelective() ? Is(frame, RdmaOpcode::RC_ACK) && selectiveNak
                             : IsAnswer(frame, AethKind::NAK);
    });
    f.Post(connection, 100 * MTU);
    Finish();
    EXPECT_TRUE(data.Happened());
    EXPECT_TRUE(nak.Happened());
    EXPECT_EQ(Timeouts(), IsSelective() ? 0u : 1u);
    if (IsSelective())
    {
        EXPECT_EQ(Repeated(), 1u) << "only what was lost";
    }
}

TEST_P(Recovery, FromLossOfAReadRequest)
{
    Start();
    Lose loss(f.Cable(0), {1}, [](const FabricFrame& frame) {
        return Is(frame, RdmaOpcode::RC_READ_REQUEST);
    });
    f.Post(connection, 10 * MTU, RdmaOperation::READ);
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 1u);
    EXPECT_EQ(Repeated(), 1u);
    EXPECT_EQ(DeliveredMessages(), 1u);
}

TEST_P(Recovery, FromLossOfTheLastReadResponse)
{
    Start();
    Lose loss(f.Cable(1), {10}, IsReadResponse);
    f.Post(connection, 10 * MTU, RdmaOperation::READ);
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 1u);
    EXPECT_EQ(Repeated(), 1u);
    // Ten responses, and the one that was lost again: the request asks for that one only.
    EXPECT_EQ(f.Nic(1)->GetCounters().dataFramesSent, 11u);
}

TEST_P(Recovery, FromLossOfAReadResponseInTheMiddle)
{
    // The next response shows the gap. Go-back-N asks for the rest again, and those that were on
    // their way are of no use; a selective strategy asks for the one that is missing.
    Start();
    Lose loss(f.Cable(1), {4}, IsReadResponse);
    f.Post(connection, 100 * MTU, RdmaOperation::READ);
    Finish();
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 0u);
    EXPECT_EQ(Repeated(), 1u);
    if (IsSelective())
    {
        EXPECT_EQ(f.Nic(1)->GetCounters().dataFramesSent, 101u);
    }
}

TEST_P(Recovery, FromLossOfEveryResponseOfOneOfTwoReads)
{
    // The response of the second READ shows that the first one's is lost.
    Start();
    Lose loss(f.Cable(1), {1}, IsReadResponse);
    f.Post(connection, MTU, RdmaOperation::READ, 1);
    f.Post(connection, MTU, RdmaOperation::READ, 2);
    Finish(2);
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 0u);
    EXPECT_EQ(f.records[0].workRequestId, 1u) << "in order";
    EXPECT_EQ(Repeated(), IsSelective() ? 1u : 2u);
}

TEST_P(Recovery, FromLossOfAnAtomicAck)
{
    // The addition is done; asked again, the responder gives the old result and adds nothing.
    Start();
    Lose loss(f.Cable(1), {1}, [](const FabricFrame& frame) {
        return Is(frame, RdmaOpcode::RC_ATOMIC_ACK);
    });
    for (uint64_t id = 0; id < 2; ++id)
    {
        SendWorkRequest request;
        request.id = id;
        request.operation = RdmaOperation::FETCH_ADD;
        request.bytes = 8;
        request.remoteAddress = 64;
        request.swapOrAdd = 5;
        Simulator::Schedule(MilliSeconds(10 * id), [this, request] {
            ASSERT_EQ(connection.a->PostSend(request), PostResult::POSTED);
        });
    }
    Finish(2);
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(Timeouts(), 1u);
    ASSERT_EQ(f.completions.size(), 2u);
    EXPECT_EQ(f.completions[0].wc.atomicOriginal, 0u);
    EXPECT_EQ(f.completions[1].wc.atomicOriginal, 5u) << "added once";
}

TEST_P(Recovery, FromLossOfResponsesWhileTheWindowIsFull)
{
    // The READ's response is lost, and behind it WRITEs fill the window: what was acknowledged
    // beyond the READ must not keep the timer from running.
    f.rdma.SetQueuePairAttribute("Window", UintegerValue(4 * MTU));
    Start();
    Lose loss(f.Cable(1), {1}, IsReadResponse);
    f.Post(connection, MTU, RdmaOperation::READ, 1);
    f.Post(connection, 20 * MTU, RdmaOperation::WRITE, 2);
    Finish(2);
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(f.records[0].workRequestId, 1u);
}

TEST_P(Recovery, FromLossOfAResponseWhileRequestsBehindItAreLostToo)
{
    // A READ's response is lost, and of 200 frames behind it every fifth: 40 gaps, each with
    // progress behind the READ. They are not retries without progress, nor do they put its timer
    // off: it has run since the READ went, or since the answer that was the last progress before
    // it.
    Start(1);
    Lose response(f.Cable(1), {1}, IsReadResponse);
    uint32_t next = 5;
    f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
        bool lose = IsRequest(frame) && frame.psn == next;
        next += lose ? 5 : 0;
        return lose;
    }));
    f.Post(connection, MTU, RdmaOperation::READ, 1);
    f.Post(connection, 200 * MTU, RdmaOperation::WRITE, 2);
    Finish(2);
    EXPECT_EQ(next, 205u);
    EXPECT_EQ(f.records[0].workRequestId, 1u);
    EXPECT_GE(Timeouts(), 1u);
    Time timer = GetParam() == std::string("ns3::SelectiveRepeat") ? MicroSeconds(320)
                                                                   : TransportTimer(TIMEOUT);
    EXPECT_LT(TimeStep(f.records[0].end), timer + MicroSeconds(10));
}

TEST_P(Recovery, FromLossOfAReceiverNotReadyNak)
{
    Start();
    Lose loss(f.Cable(1), {1}, [](const FabricFrame& frame) {
        return IsAnswer(frame, AethKind::RNR_NAK);
    });
    for (uint64_t id = 0; id < 5; ++id)
    {
        f.Post(connection, 3 * MTU, RdmaOperation::SEND, id);
        Simulator::Schedule(MicroSeconds(300 * (id + 1)),
                            [this, id] { f.PostReceive(connection, 3 * MTU, id); });
    }
    Finish(5);
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(DeliveredMessages(), 5u);
    for (uint64_t id = 0; id < 5; ++id)
    {
        EXPECT_EQ(f.records[id].workRequestId, id);
    }
}

TEST_P(Recovery, GivesUpAfterTheRetries)
{
    Start();
    f.Cable(0)->SetLossFilter(
        Callback<bool, const FabricFrame&>([](const FabricFrame&) { return true; }));
    f.Post(connection, 3 * MTU, RdmaOperation::WRITE, 1);
    f.Post(connection, 3 * MTU, RdmaOperation::READ, 2);
    f.Run();
    ASSERT_EQ(f.records.size(), 2u);
    EXPECT_EQ(f.records[0].status, WcStatus::RETRY_EXCEEDED);
    EXPECT_EQ(f.records[1].status, WcStatus::FLUSHED);
    EXPECT_EQ(Timeouts(), 8u) << "RetryCount is 7";
    EXPECT_EQ(connection.a->GetState(), QpState::ERROR);
    f.ExpectDrained();
}

std::string
StrategyName(const testing::TestParamInfo<const char*>& info)
{
    return std::string(info.param).substr(5);
}

INSTANTIATE_TEST_SUITE_P(Strategies, Recovery, testing::ValuesIn(STRATEGIES), StrategyName);

// ---------------------------------------------------------------- acknowledgements

class Coalescing : public testing::TestWithParam<std::tuple<const char*, uint32_t>>
{
};

TEST_P(Coalescing, DividesAcknowledgementsByTheInterval)
{
    // 1024 frames in one message: an ACK every so many frames, the last of them at its end.
    auto [strategy, interval] = GetParam();
    constexpr uint64_t FRAMES = 1024;
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(interval));
    f.BuildStar(2, RATE, DELAY);
    Connection c =
        f.Connect(0, 1, [name = strategy](Ptr<QueuePair> qp) { qp->SetReliability(Make(name)); });
    f.Post(c, FRAMES * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, FRAMES * MTU);
    EXPECT_EQ(f.Nic(0)->GetCounters().dataFramesSent, FRAMES);
    EXPECT_EQ(f.Nic(1)->GetCounters().acksSent, FRAMES / interval);
}

TEST_P(Coalescing, NeverWaitsForAnAckThatTheWindowHoldsBack)
{
    // A window of two frames and an interval above it: the frame that fills the window asks. So an
    // ACK comes for every second frame, and one at the end of each message of five.
    auto [strategy, interval] = GetParam();
    constexpr uint64_t MESSAGES = 20;
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(interval));
    f.rdma.SetQueuePairAttribute("Window", UintegerValue(2 * MTU));
    f.BuildStar(2, RATE, DELAY);
    Connection c =
        f.Connect(0, 1, [name = strategy](Ptr<QueuePair> qp) { qp->SetReliability(Make(name)); });
    for (uint64_t i = 0; i < MESSAGES; ++i)
    {
        f.Post(c, 5 * MTU);
    }
    f.Run();
    f.ExpectAllSucceeded(MESSAGES, MESSAGES * 5 * MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
}

INSTANTIATE_TEST_SUITE_P(Intervals,
                         Coalescing,
                         testing::Combine(testing::ValuesIn(STRATEGIES),
                                          testing::Values(1, 4, 16, 64)),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)).substr(5) + "_" +
                                    std::to_string(std::get<1>(info.param));
                         });

// ---------------------------------------------------------------- selective repeat (IRN)

class SelectiveRepeatTest : public testing::Test
{
  protected:
    void Start(const std::function<void(ObjectFactory&)>& set = {})
    {
        f.BuildStar(2, RATE, DELAY);
        connection = f.Connect(0, 1, [&](Ptr<QueuePair> qp) {
            qp->SetReliability(Make("ns3::SelectiveRepeat", set));
        });
    }

    /// @return bytes of a request with so much payload, of a WRITE
    static uint64_t WriteFrame(uint64_t payload)
    {
        return bytes::Frame(payload) + PLACEMENT + bytes::RETH; // each can be placed alone
    }

    /// @return wire time of a request over two links, and of its ACK back
    static Time RoundTrip(uint64_t payload)
    {
        uint64_t ack = bytes::ACK + SACK;
        return OnWire(RATE,
                      2 * (bytes::PREAMBLE + WriteFrame(payload)) + 2 * (bytes::PREAMBLE + ack)) +
               DELAY * 4;
    }

    /// @return from the start of a frame to the start of the next one
    static Time Slot(uint64_t payload)
    {
        return OnWire(RATE, bytes::PREAMBLE + WriteFrame(payload) + bytes::GAP);
    }

    FabricFixture f;
    Connection connection;
};

TEST_F(SelectiveRepeatTest, KeepsTheBoundOnFramesInFlight)
{
    // Checked at each frame that leaves, with losses on the way.
    constexpr uint64_t BOUND = 20;
    constexpr uint64_t FRAMES = 2000;
    f.lossRate = 1e-2;
    Start([&](ObjectFactory& factory) { factory.Set("MaxInFlight", UintegerValue(BOUND)); });
    uint64_t most = 0;
    f.Port(0)->TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame&>([&](const FabricFrame&) {
            const RdmaSendWindow& w = connection.a->GetRequester().GetWindow();
            most = std::max(most, w.sent - w.acked);
        }));
    f.Post(connection, FRAMES * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, FRAMES * MTU);
    EXPECT_EQ(most, BOUND);
}

TEST_F(SelectiveRepeatTest, RunsTheShortTimerForFewFrames)
{
    // The only frame is lost: 100 us after it has started it goes again.
    Start();
    Lose loss(f.Cable(0), {1}, IsRequest);
    f.Post(connection, MTU);
    f.Run();
    f.ExpectAllSucceeded(1, MTU);
    EXPECT_EQ(TimeStep(f.records[0].end), MicroSeconds(100) + RoundTrip(MTU));
}

TEST_F(SelectiveRepeatTest, RunsTheLongTimerForManyFrames)
{
    // All of 16 frames are lost. The timer starts with the one that asks, the last; 16 are in
    // flight, so it is the long one. It repeats the oldest frame; of the others nothing is known
    // but that they are not acknowledged, so each needs a timer. Now 15 are in flight, ... until
    // below 3 the short one runs.
    Start();
    std::set<uint64_t> all;
    for (uint64_t i = 1; i <= 16; ++i)
    {
        all.insert(i);
    }
    Lose loss(f.Cable(0), all, IsRequest);
    f.Post(connection, 16 * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, 16 * MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 16u);
    Time timers = MicroSeconds(320) * 14 + MicroSeconds(100) * 2;
    EXPECT_EQ(TimeStep(f.records[0].end), Slot(MTU) * 15 + timers + RoundTrip(MTU) * 16);
}

TEST_F(SelectiveRepeatTest, TakesTheTimerOfTheFramesThatAreStillInFlight)
{
    // The last of 100 frames is lost. ACKs come for every 16, so the last one is that of 96, with 4
    // in flight: 3 or more, the long timer.
    Start();
    Lose loss(f.Cable(0), {100}, IsRequest);
    f.Post(connection, 100 * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, 100 * MTU);
    // 97 goes again after it; its answer says that up to 99 has come. One is in flight: the short
    // timer, and 100 goes again.
    Time ack96 = Slot(MTU) * 95 + RoundTrip(MTU);
    EXPECT_EQ(TimeStep(f.records[0].end),
              ack96 + MicroSeconds(320) + RoundTrip(MTU) + MicroSeconds(100) + RoundTrip(MTU));
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 2u);
}

TEST_F(SelectiveRepeatTest, RepeatsOnlyWhatWasLost)
{
    // Ten frames here and there, two of them neighbours, none among the last few.
    std::set<uint64_t> numbers{3, 50, 51, 120, 300, 301, 400, 555, 777, 900};
    Start();
    Lose loss(f.Cable(0), numbers, IsRequest);
    f.Post(connection, 1000 * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, 1000 * MTU);
    EXPECT_TRUE(loss.Happened());
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), numbers.size());
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_EQ(f.Nic(1)->GetCounters().dataFramesReceived, 1000u) << "nothing comes twice";
}

TEST_F(SelectiveRepeatTest, FindsARepetitionThatIsLostToo)
{
    // By the timer, while others are lost and repeated: it must not be put off by them.
    Start();
    uint64_t tries = 0;
    uint64_t others = 0;
    f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
        bool oldest = IsRequest(frame) && frame.psn == 100 && tries < 2;
        tries += oldest;
        return oldest || (IsRequest(frame) && frame.psn % 100 == 0 && frame.psn > others &&
                          (others = frame.psn) > 0);
    }));
    f.Post(connection, 4000 * MTU);
    Time taken;
    f.Nic(1)->TraceConnectWithoutContext("Receive",
                                         Callback<void, const QueuePair&, const FabricFrame&>(
                                             [&](const QueuePair&, const FabricFrame& frame) {
                                                 taken =
                                                     frame.psn == 100 ? Simulator::Now() : taken;
                                             }));
    f.Run();
    f.ExpectAllSucceeded(1, 4000 * MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 1u);
    // It goes first after 100 slots, again a round trip later, and again after the long timer,
    // which runs from the second time.
    Time latest = Slot(MTU) * 103 + RoundTrip(MTU) * 2 + MicroSeconds(320);
    EXPECT_LT(taken, latest);
}

// ---------------------------------------------------------------- how much a strategy is worth

constexpr uint64_t BULK = 20000 * MTU;
const Time FAR = MicroSeconds(10); ///< each of four cables: 40 us of round trip

struct Bulk
{
    Time took;
    uint64_t repeated;
    uint64_t lost;
    uint64_t timeouts;
};

/// BULK at 100 Gb/s, while 1 % of the requests are lost on the first cable.
Bulk
SendBulk(const std::string& strategy)
{
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(1));
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(6)); // 262 us; IRN's is 320 us
    f.BuildStar(2, RATE, FAR);
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(7);
    f.Cable(0)->SetLossFilter(
        Callback<bool, const FabricFrame&>([random](const FabricFrame& frame) {
            return IsRequest(frame) && random->GetValue() < 1e-2;
        }));
    Connection c = f.Connect(0, 1, [&](Ptr<QueuePair> qp) { qp->SetReliability(Make(strategy)); });
    f.Post(c, BULK);
    f.Run();
    f.ExpectAllSucceeded(1, BULK);
    return {TimeStep(f.records.at(0).end),
            f.Total(&RdmaNicCounters::retransmittedFrames),
            f.Cable(0)->GetLostFrames(),
            f.Total(&RdmaNicCounters::timeouts)};
}

TEST(Goodput, OfSelectiveRepeatIsFarAboveGoBackN)
{
    // A loss costs go-back-N what went out until its NAK came: a round trip, W frames. So of each
    // 1 + p W frames one is of use, and where the first frame of a repetition is lost too the timer
    // runs besides. W: 40 us of cables, two more slots on the way and two ACKs, 40.4 us; a slot of
    // 4178 B takes 334 ns: 121 frames. p W = 1.21: less than half of the line's goodput.
    Bulk goBackN = SendBulk("ns3::GoBackN");
    Time line = OnWire(RATE, 4178) * int64x64_t(BULK / MTU);
    double slow = goBackN.took.GetSeconds() - goBackN.timeouts * TransportTimer(6).GetSeconds();
    EXPECT_NEAR(slow / line.GetSeconds(), 2.21, 0.22) << "besides timers";
    EXPECT_NEAR(static_cast<double>(goBackN.repeated) / static_cast<double>(BULK / MTU),
                1.21,
                0.22);

    // Selective repeat sends each lost frame once more: 1 / (1 - p). What is lost twice waits for a
    // timer while all else goes on; only at the end nothing is left to go on with: at most one
    // round trip and timer for each time that the last of these is lost.
    Bulk selective = SendBulk("ns3::SelectiveRepeat");
    EXPECT_GE(selective.repeated, selective.lost);
    EXPECT_LE(selective.repeated, selective.lost * 11 / 10) << "a new pass may come too soon";
    Time frames =
        OnWire(RATE, 4178 + PLACEMENT + bytes::RETH) * int64x64_t(BULK / MTU + selective.lost);
    EXPECT_GE(selective.took, frames);
    EXPECT_LE(selective.took, frames + (MicroSeconds(320) + FAR * 5) * 2);
    EXPECT_GT(goBackN.took.GetSeconds() / selective.took.GetSeconds(), 2.0);
}

// ---------------------------------------------------------------- out-of-order placement

/// Sprays: each frame goes a way of its own.
class RandomSpray : public PathSelector
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RandomSpray").SetParent<PathSelector>().AddConstructor<RandomSpray>();
        return tid;
    }

    RandomSpray()
        : m_random(CreateObject<UniformRandomVariable>())
    {
        m_random->SetStream(11);
    }

    uint32_t Select(FabricSwitch&, uint32_t, FabricFrame&, ForwardingTable::Ports ports) override
    {
        return ports.first[m_random->GetInteger(0, ports.count - 1)];
    }

  private:
    Ptr<UniformRandomVariable> m_random;
};

NS_OBJECT_ENSURE_REGISTERED(RandomSpray);

constexpr uint64_t SPRAYED = 4000; ///< frames of each message

/// Two hosts of one leaf send to two of another, over four spines: the uplinks are half full, the
/// hosts' cables full, and frames overtake each other where queues differ.
class Spraying : public testing::Test
{
  protected:
    void RunWith(const std::string& strategy)
    {
        LeafSpineParameters parameters;
        parameters.leaves = 2;
        parameters.hostsPerLeaf = 2;
        parameters.spines = 4;
        parameters.linkRate = parameters.uplinkRate = DataRate(RATE);
        f.fabric.SetPathSelector("ns3::RandomSpray");
        f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
        f.Build(MakeLeafSpine(parameters));
        for (uint32_t h = 0; h < 2; ++h)
        {
            f.Nic(h + 2)->TraceConnectWithoutContext(
                "Receive",
                Callback<void, const QueuePair&, const FabricFrame&>(
                    [this, h](const QueuePair&, const FabricFrame& frame) {
                        if (IsRequest(frame))
                        {
                            skew = std::max<int64_t>(skew, highest[h] - frame.psn);
                            highest[h] = std::max<int64_t>(highest[h], frame.psn);
                        }
                    }));
            Connection c =
                f.Connect(h, h + 2, [&](Ptr<QueuePair> qp) { qp->SetReliability(Make(strategy)); });
            f.Post(c, SPRAYED * MTU);
        }
        f.Run();
        f.ExpectAllSucceeded(2, 2 * SPRAYED * MTU);
        f.ExpectDrained();
        EXPECT_EQ(f.Drops(), 0u);
    }

    FabricFixture f;
    int64_t highest[2]{};
    int64_t skew{0}; ///< frames that overtook another, at most
};

TEST_F(Spraying, CostsPlacementOutOfOrderNothing)
{
    RunWith("ns3::OutOfOrderPlacement");
    EXPECT_GT(skew, 1) << "the order was not kept";
    EXPECT_LT(skew, 64) << "else the test must raise ReorderDistance";
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    // The line's bound: all frames one after the other; then four cables of 500 ns both ways, three
    // more links for the last frame and four for its ACK; and what the skew shows that the last
    // ones may have queued.
    uint64_t frame = bytes::Frame(MTU) + PLACEMENT + bytes::RETH;
    uint64_t slot = frame + bytes::PREAMBLE + bytes::GAP;
    Time bound = OnWire(RATE,
                        (SPRAYED - 1) * slot + 4 * (frame + bytes::PREAMBLE) +
                            4 * (bytes::ACK + SACK + bytes::PREAMBLE)) +
                 DELAY * 8;
    for (const MessageRecord& record : f.records)
    {
        EXPECT_GE(TimeStep(record.end), bound);
        EXPECT_LE(TimeStep(record.end), bound + OnWire(RATE, slot) * skew);
    }
}

TEST_F(Spraying, IsSurvivedByGoBackN)
{
    RunWith("ns3::GoBackN");
    EXPECT_GT(f.Total(&RdmaNicCounters::retransmittedFrames), SPRAYED);
}

TEST_F(Spraying, IsSurvivedBySelectiveRepeat)
{
    // It takes each frame that was overtaken for lost.
    RunWith("ns3::SelectiveRepeat");
    EXPECT_GT(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
}

TEST(OutOfOrder, CompletesASmallMessageBeforeALargeOneThatMissesAFrame)
{
    FabricFixture f;
    f.BuildStar(2, RATE, DELAY);
    Connection c = f.Connect(0, 1, [](Ptr<QueuePair> qp) {
        qp->SetReliability(Make("ns3::OutOfOrderPlacement"));
    });
    Lose loss(f.Cable(0), {50}, IsRequest);
    f.PostReceive(c, 100 * MTU, 1);
    f.PostReceive(c, 100 * MTU, 2);
    f.Post(c, 100 * MTU, RdmaOperation::SEND, 11);
    f.Post(c, MTU, RdmaOperation::SEND, 12);
    f.Run();
    EXPECT_TRUE(loss.Happened());
    f.ExpectAllSucceeded(2, 101 * MTU);
    ASSERT_EQ(f.completions.size(), 4u);
    EXPECT_EQ(f.completions[0].wc.opcode, WcOpcode::RECV);
    EXPECT_EQ(f.completions[0].wc.bytes, MTU);
    EXPECT_EQ(f.completions[0].wc.id, 2u) << "the large one took the first room when it began";
    EXPECT_EQ(f.completions[1].wc.opcode, WcOpcode::RECV);
    EXPECT_EQ(f.completions[1].wc.bytes, 100 * MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 1u);
}

TEST(OutOfOrder, WaitsWithAReadForWhatWasPostedBefore)
{
    // The WRITE's frame is lost; the READ behind it must see what it wrote.
    FabricFixture f;
    f.BuildStar(2, RATE, DELAY);
    f.rdma.SetQueuePairAttribute("Timeout", UintegerValue(5));
    Ptr<MemoryRegion> memory[2];
    for (uint32_t h = 0; h < 2; ++h)
    {
        memory[h] = f.Nic(h)->GetOpenDomain()->Register(0, 2 * MTU, ALL_ACCESS);
        memory[h]->Back();
    }
    memory[0]->Write(0, std::vector<uint8_t>(MTU, 7));
    Connection c = f.Connect(0, 1, [](Ptr<QueuePair> qp) {
        qp->SetReliability(Make("ns3::OutOfOrderPlacement"));
    });
    Lose loss(f.Cable(0), {1}, IsRequest);
    SendWorkRequest write;
    write.bytes = MTU;
    write.remoteKey = memory[1]->GetRemoteKey();
    write.pieces = {{0, MTU, memory[0]->GetLocalKey()}};
    SendWorkRequest read = write;
    read.operation = RdmaOperation::READ;
    read.pieces[0].address = MTU;
    ASSERT_EQ(c.a->PostSend(write), PostResult::POSTED);
    ASSERT_EQ(c.a->PostSend(read), PostResult::POSTED);
    f.Run();
    EXPECT_TRUE(loss.Happened());
    ASSERT_EQ(f.records.size(), 2u);
    EXPECT_EQ(memory[0]->Read(MTU, MTU), std::vector<uint8_t>(MTU, 7));
}

} // namespace
