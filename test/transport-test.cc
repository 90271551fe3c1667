// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief A reliable connection by itself: when a message is complete, to the picosecond, and what
 * sizes, sequence numbers, acknowledgements, windows and pacing do.
 */

#include "fabric-fixture.h"

#include <algorithm>

using namespace ns3;

namespace
{

// ---------------------------------------------------------------- completion times

/// The frames of a message, sizes as on the wire (destination address to FCS).
std::vector<uint64_t>
FramesOf(uint64_t messageBytes, uint64_t mtu, RdmaOperation operation)
{
    std::vector<uint64_t> frames;
    for (uint64_t left = messageBytes; left > mtu; left -= mtu)
    {
        frames.push_back(bytes::Frame(mtu));
    }
    frames.push_back(bytes::Frame(messageBytes - frames.size() * mtu));
    if (operation == RdmaOperation::WRITE || operation == RdmaOperation::WRITE_WITH_IMM)
    {
        frames.front() += bytes::RETH;
    }
    if (operation == RdmaOperation::WRITE_WITH_IMM || operation == RdmaOperation::SEND_WITH_IMM)
    {
        frames.back() += bytes::IMM;
    }
    frames.back() = std::max<uint64_t>(frames.back(), 64); // the shortest Ethernet frame
    return frames;
}

/**
 * A row of links of one rate is a pipeline: all frames pass the first link, each with preamble and
 * gap (but nobody waits for the gap after the last one); the largest one costs its
 * store-and-forward time once more at each further link, since the smaller ones hide behind it.
 * Then an ACK of 66 bytes goes back, stored and forwarded as often.
 */
Time
EqualLinks(const std::vector<uint64_t>& frames,
           const std::string& rate,
           uint64_t links,
           Time flight)
{
    uint64_t onFirstLink = 0;
    for (uint64_t frame : frames)
    {
        onFirstLink += bytes::PREAMBLE + frame + bytes::GAP;
    }
    onFirstLink -= bytes::GAP;
    uint64_t largest = bytes::PREAMBLE + *std::max_element(frames.begin(), frames.end());
    uint64_t ack = bytes::PREAMBLE + bytes::ACK;
    return OnWire(rate, onFirstLink + (links - 1) * largest + links * ack) +
           flight * static_cast<int64_t>(2 * links);
}

struct OneMessage
{
    std::string rate;
    uint64_t mtu;
    RdmaOperation operation;
    uint64_t switches;
    Time ingressLatency;
};

class CompletionTime : public testing::TestWithParam<OneMessage>
{
};

TEST_P(CompletionTime, OfOneMebibyteIsTheClosedForm)
{
    const OneMessage& p = GetParam();
    constexpr uint64_t MESSAGE = 1 << 20;
    const Time delay = NanoSeconds(500);
    FabricFixture f;
    f.fabric.SetDeviceAttribute("IngressLatency", TimeValue(p.ingressLatency));
    f.rdma.SetQueuePairAttribute("Mtu", UintegerValue(p.mtu));
    f.BuildChain(std::vector<std::string>(p.switches + 1, p.rate), delay);
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, MESSAGE);
    f.Post(c, MESSAGE, p.operation);
    f.Run();

    Time expected = EqualLinks(FramesOf(MESSAGE, p.mtu, p.operation),
                               p.rate,
                               p.switches + 1,
                               delay + p.ingressLatency);
    ASSERT_EQ(f.records.size(), 1u);
    EXPECT_EQ(f.records[0].status, WcStatus::SUCCESS);
    EXPECT_EQ(TimeStep(f.records[0].end), expected);
    EXPECT_EQ(f.completions.back().at, expected) << "the completion comes with the record";
    f.ExpectSharesAddUp();
}

INSTANTIATE_TEST_SUITE_P(
    RatesAndMtus,
    CompletionTime,
    testing::Values(OneMessage{"100Gbps", 1024, RdmaOperation::WRITE, 1, Time(0)},
                    OneMessage{"100Gbps", 4096, RdmaOperation::WRITE, 1, Time(0)},
                    OneMessage{"400Gbps", 1024, RdmaOperation::WRITE, 1, Time(0)},
                    OneMessage{"400Gbps", 4096, RdmaOperation::WRITE, 1, Time(0)},
                    OneMessage{"800Gbps", 1024, RdmaOperation::WRITE, 1, Time(0)},
                    OneMessage{"800Gbps", 4096, RdmaOperation::WRITE, 1, Time(0)}));

INSTANTIATE_TEST_SUITE_P(
    Operations,
    CompletionTime,
    testing::Values(OneMessage{"400Gbps", 4096, RdmaOperation::SEND, 1, Time(0)},
                    OneMessage{"400Gbps", 4096, RdmaOperation::SEND_WITH_IMM, 1, Time(0)},
                    OneMessage{"400Gbps", 4096, RdmaOperation::WRITE_WITH_IMM, 1, Time(0)}));

INSTANTIATE_TEST_SUITE_P(
    SwitchesInARow,
    CompletionTime,
    testing::Values(OneMessage{"400Gbps", 4096, RdmaOperation::WRITE, 0, Time(0)},
                    OneMessage{"400Gbps", 4096, RdmaOperation::WRITE, 2, Time(0)},
                    OneMessage{"400Gbps", 1024, RdmaOperation::SEND, 3, Time(0)},
                    OneMessage{"800Gbps", 4096, RdmaOperation::WRITE, 3, NanoSeconds(600)}));

TEST(CompletionTime, BehindASlowLinkIsThatLinksTime)
{
    // 400 Gb/s into 100 Gb/s: after the first frame the second link is never idle, so it alone
    // decides: store-and-forward of the first frame on the fast link, then all frames on the slow.
    constexpr uint64_t MESSAGE = 1 << 20;
    const Time delay = NanoSeconds(500);
    FabricFixture f;
    f.BuildChain({"400Gbps", "100Gbps"}, delay);
    f.Post(f.Connect(0, 1), MESSAGE);
    f.Run();

    std::vector<uint64_t> frames = FramesOf(MESSAGE, 4096, RdmaOperation::WRITE);
    uint64_t slowBytes = 0;
    for (uint64_t frame : frames)
    {
        slowBytes += bytes::PREAMBLE + frame + bytes::GAP;
    }
    slowBytes -= bytes::GAP;
    uint64_t ack = bytes::PREAMBLE + bytes::ACK;
    Time expected = OnWire("400Gbps", bytes::PREAMBLE + frames[0]) + OnWire("100Gbps", slowBytes) +
                    OnWire("100Gbps", ack) + OnWire("400Gbps", ack) + delay * 4;
    ASSERT_EQ(f.records.size(), 1u);
    EXPECT_EQ(TimeStep(f.records[0].end), expected);
    f.ExpectSharesAddUp();
}

TEST(CompletionTime, AheadOfAFastLinkIsTheSlowLinksTime)
{
    // 100 Gb/s into 400 Gb/s: each frame finds the second link idle; the last one decides.
    constexpr uint64_t MESSAGE = 1 << 20;
    const Time delay = NanoSeconds(500);
    FabricFixture f;
    f.BuildChain({"100Gbps", "400Gbps"}, delay);
    f.Post(f.Connect(0, 1), MESSAGE);
    f.Run();

    std::vector<uint64_t> frames = FramesOf(MESSAGE, 4096, RdmaOperation::WRITE);
    uint64_t slowBytes = 0;
    for (uint64_t frame : frames)
    {
        slowBytes += bytes::PREAMBLE + frame + bytes::GAP;
    }
    slowBytes -= bytes::GAP;
    uint64_t ack = bytes::PREAMBLE + bytes::ACK;
    Time expected = OnWire("100Gbps", slowBytes) +
                    OnWire("400Gbps", bytes::PREAMBLE + frames.back()) + OnWire("400Gbps", ack) +
                    OnWire("100Gbps", ack) + delay * 4;
    ASSERT_EQ(f.records.size(), 1u);
    EXPECT_EQ(TimeStep(f.records[0].end), expected);
    f.ExpectSharesAddUp();
}

TEST(Goodput, OfALongMessageIsThePayloadShareOfTheLineRate)
{
    // 4096 B of payload take 8 + 62 + 4096 + 12 = 4178 B of wire: 98.04 % of 400 Gb/s.
    constexpr uint64_t MESSAGE = 256 << 20;
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    f.Post(f.Connect(0, 1), MESSAGE);
    f.Run();
    double seconds = TimeStep(f.records.at(0).end).GetSeconds();
    double share = 8.0 * MESSAGE / seconds / 400e9;
    EXPECT_NEAR(share, 4096.0 / 4178.0, 0.001 * 4096.0 / 4178.0);
    EXPECT_LT(share, 4096.0 / 4178.0) << "never above the line rate";
}

// ---------------------------------------------------------------- sizes

class MessageBytes : public testing::TestWithParam<uint64_t>
{
};

TEST_P(MessageBytes, AreDeliveredExactly)
{
    constexpr uint64_t MTU = 4096;
    uint64_t message = GetParam();
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    Connection c = f.Connect(0, 1);
    f.PostReceive(c, message);
    f.Post(c, message, RdmaOperation::SEND);
    f.Run();
    f.ExpectAllSucceeded(1, message);
    uint64_t frames = std::max<uint64_t>(1, (message + MTU - 1) / MTU);
    EXPECT_EQ(f.Nic(0)->GetCounters().dataFramesSent, frames);
    EXPECT_EQ(f.Port(0)->GetCounters().txPayloadBytes, message);
    ASSERT_EQ(f.completions.size(), 2u); // the receive, then the send
    EXPECT_EQ(f.completions[0].wc.opcode, WcOpcode::RECV);
    EXPECT_EQ(f.completions[0].wc.bytes, message);
    EXPECT_EQ(f.completions[1].wc.bytes, message);
    EXPECT_EQ(
        TimeStep(f.records[0].end),
        EqualLinks(FramesOf(message, MTU, RdmaOperation::SEND), "400Gbps", 2, NanoSeconds(500)));
    f.ExpectDrained();
    f.ExpectSharesAddUp();
}

INSTANTIATE_TEST_SUITE_P(AroundTheMtu,
                         MessageBytes,
                         testing::Values(0, 1, 4095, 4096, 4097, 8191, 8192, 8193));

/// Few, large frames, so that large messages take little time to simulate.
constexpr uint64_t LARGE_MTU = 1 << 20;

void
UseLargeFrames(FabricFixture& f)
{
    f.rdma.SetQueuePairAttribute("Mtu", UintegerValue(LARGE_MTU));
    f.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(LARGE_MTU + 82));
    f.fabric.SetBufferAttribute("Size", UintegerValue(uint64_t{256} << 20));
}

class LargeMessageBytes : public testing::TestWithParam<uint64_t>
{
};

TEST_P(LargeMessageBytes, AreDeliveredExactly)
{
    uint64_t message = GetParam();
    FabricFixture f;
    UseLargeFrames(f);
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    f.Post(f.Connect(0, 1), message);
    f.Run();
    f.ExpectAllSucceeded(1, message);
    EXPECT_EQ(f.Port(0)->GetCounters().txPayloadBytes, message);
    EXPECT_EQ(TimeStep(f.records.at(0).end),
              EqualLinks(FramesOf(message, LARGE_MTU, RdmaOperation::WRITE),
                         "400Gbps",
                         2,
                         NanoSeconds(500)));
    f.ExpectDrained();
    f.ExpectSharesAddUp();
}

constexpr uint64_t TWO_GIB = uint64_t{1} << 31;

INSTANTIATE_TEST_SUITE_P(AroundTwoGibibytes,
                         LargeMessageBytes,
                         testing::Values(TWO_GIB - 1, TWO_GIB));

TEST(MessageBytes, AboveTwoGibibytesAreRefused)
{
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    Connection c = f.Connect(0, 1);
    SendWorkRequest request;
    request.bytes = TWO_GIB + 1;
    EXPECT_EQ(c.a->PostSend(request), PostResult::MESSAGE_TOO_LONG);
    EXPECT_EQ(c.a->GetRequester().GetOutstanding(), 0u);
    f.Run();
    EXPECT_TRUE(f.records.empty());
}

TEST(MessageBytes, OfSeveralMessagesPassFourGibibytes)
{
    // 2^32 and 2^32 + 1 bytes as an application sends them: in messages of at most 2^31 bytes.
    for (uint64_t rest : {0, 1})
    {
        FabricFixture f;
        UseLargeFrames(f);
        f.BuildStar(2, "800Gbps", NanoSeconds(500));
        Connection c = f.Connect(0, 1);
        f.Post(c, TWO_GIB);
        f.Post(c, TWO_GIB);
        if (rest > 0)
        {
            f.Post(c, rest);
        }
        f.Run();
        f.ExpectAllSucceeded(2 + rest, (uint64_t{1} << 32) + rest);
        EXPECT_EQ(c.b->GetResponder().GetDeliveredBytes(), (uint64_t{1} << 32) + rest);
        f.ExpectSharesAddUp();
    }
}

TEST(MessageBytes, OfAPayloadArriveAsTheyWere)
{
    // A payload must be as long as the request says.
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    Connection c = f.Connect(0, 1);
    std::vector<uint8_t> content(10000);
    for (size_t i = 0; i < content.size(); ++i)
    {
        content[i] = static_cast<uint8_t>(i * 7 + i / 256);
    }
    SendWorkRequest request;
    request.payload = Create<Packet>(content.data(), static_cast<uint32_t>(content.size()));
    request.bytes = content.size() - 1;
    EXPECT_EQ(c.a->PostSend(request), PostResult::PAYLOAD_MISMATCH);

    request.bytes = content.size();
    std::vector<uint8_t> arrived;
    f.Port(1)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>([&](const FabricFrame& frame) {
            if (frame.payload)
            {
                size_t before = arrived.size();
                arrived.resize(before + frame.payload->GetSize());
                frame.payload->CopyData(arrived.data() + before, frame.payload->GetSize());
            }
        }));
    ASSERT_EQ(c.a->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(arrived, content);
}

// ---------------------------------------------------------------- sequence numbers

TEST(Psn, WrapsAt24Bits)
{
    // From 0xfffff0 on: the 16th frame has the highest number, the 17th has 0.
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    Connection c = f.Connect(0, 1, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("InitialPsn", UintegerValue(0xfffff0));
    });
    std::vector<uint32_t> sent;
    f.Port(0)->TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame&>(
            [&](const FabricFrame& frame) { sent.push_back(frame.psn); }));
    f.Post(c, 64 * 4096);
    f.Run();
    f.ExpectAllSucceeded(1, 64 * 4096);
    ASSERT_EQ(sent.size(), 64u);
    for (uint32_t i = 0; i < sent.size(); ++i)
    {
        EXPECT_EQ(sent[i], (0xfffff0 + i) & 0xffffff);
    }
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 0u);
}

TEST(Psn, WrapsDuringRecovery)
{
    // The frame with number 0 is lost once: the NAK names it, and the repetition starts there.
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    Connection c = f.Connect(0, 1, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("InitialPsn", UintegerValue(0xfffff0));
    });
    bool done = false;
    f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
        bool lose = !done && frame.opcode != RdmaOpcode::RC_ACK && frame.psn == 0;
        done |= lose;
        return lose;
    }));
    f.Post(c, 64 * 4096);
    f.Run();
    EXPECT_TRUE(done);
    f.ExpectAllSucceeded(1, 64 * 4096);
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 1u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    f.ExpectSharesAddUp();
}

TEST(ManyMessages, SeventyThousandBetweenOnePair)
{
    // More than a 16-bit port or id could tell apart; each is posted when the one before is done.
    constexpr uint64_t MESSAGES = 70000;
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(100));
    Connection c = f.Connect(0, 1);
    uint64_t posted = 0;
    std::function<void()> next = [&] {
        if (posted < MESSAGES)
        {
            ++posted;
            f.Post(c, 64, RdmaOperation::WRITE, posted);
        }
    };
    f.Nic(0)->TraceConnectWithoutContext(
        "MessageComplete",
        Callback<void, const MessageRecord&>([&](const MessageRecord&) { next(); }));
    next();
    f.Run();
    f.ExpectAllSucceeded(MESSAGES, MESSAGES * 64);
    EXPECT_EQ(f.Nic(0)->GetCounters().dataFramesSent, MESSAGES);
    f.ExpectSharesAddUp();
}

TEST(ManyMessages, HundredThousandOutstanding)
{
    constexpr uint64_t MESSAGES = 100000;
    FabricFixture f;
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    Connection c = f.Connect(0, 1);
    for (uint64_t i = 0; i < MESSAGES; ++i)
    {
        f.Post(c, i % 128, RdmaOperation::WRITE, i);
    }
    EXPECT_EQ(c.a->GetRequester().GetOutstanding(), MESSAGES);
    f.Run();
    uint64_t total = 0;
    for (uint64_t i = 0; i < MESSAGES; ++i)
    {
        total += i % 128;
        ASSERT_EQ(f.records[i].workRequestId, i) << "completions come in the order of posting";
    }
    f.ExpectAllSucceeded(MESSAGES, total);
    f.ExpectDrained();
    f.ExpectSharesAddUp();
}

TEST(ManyMessages, ALimitOfTheQueueIsObeyed)
{
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("MaxSendWr", UintegerValue(2));
    f.rdma.SetQueuePairAttribute("MaxReceiveWr", UintegerValue(1));
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    Connection c = f.Connect(0, 1);
    f.Post(c, 1);
    f.Post(c, 1);
    EXPECT_EQ(c.a->PostSend(SendWorkRequest()), PostResult::QUEUE_FULL);
    f.PostReceive(c, 1);
    EXPECT_EQ(c.b->PostReceive({}), PostResult::QUEUE_FULL);
    f.Run();
    f.ExpectAllSucceeded(2, 2);
}

// ---------------------------------------------------------------- acknowledgements and windows

class AckInterval : public testing::TestWithParam<uint64_t>
{
};

TEST_P(AckInterval, IsTheRatioOfDataToAcks)
{
    // 6400 frames, a multiple of every interval here, so the last frame is no exception.
    uint64_t interval = GetParam();
    constexpr uint64_t FRAMES = 6400;
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("AckInterval", UintegerValue(interval));
    f.BuildStar(2, "400Gbps", NanoSeconds(500));
    f.Post(f.Connect(0, 1), FRAMES * 4096);
    f.Run();
    f.ExpectAllSucceeded(1, FRAMES * 4096);
    EXPECT_EQ(f.Nic(0)->GetCounters().dataFramesSent, FRAMES);
    EXPECT_EQ(f.Nic(1)->GetCounters().acksSent, FRAMES / interval);
}

INSTANTIATE_TEST_SUITE_P(Intervals, AckInterval, testing::Values(1, 4, 16, 64));

/// Watches a sender: what is in flight when a frame goes out.
class InFlightWatch
{
  public:
    InFlightWatch(FabricFixture& f, const Connection& c)
    {
        f.Port(0)->TraceConnectWithoutContext(
            "FrameTx",
            Callback<void, const FabricFrame&>([this, c](const FabricFrame&) {
                peak = std::max(peak, c.a->GetRequester().GetInFlightBytes());
            }));
    }

    uint64_t peak{0};
};

class WindowBytes : public testing::TestWithParam<uint64_t>
{
};

TEST_P(WindowBytes, AreFilledAndNeverExceeded)
{
    // A frame goes while less than the window is in flight: at most window - 1 + MTU are.
    uint64_t window = GetParam();
    constexpr uint64_t MTU = 4096;
    FabricFixture f;
    f.rdma.SetQueuePairAttribute("Window", UintegerValue(window));
    f.BuildStar(2, "400Gbps", MicroSeconds(5)); // 20 us x 400 Gb/s = 1 MB in flight without it
    Connection c = f.Connect(0, 1);
    InFlightWatch watch(f, c);
    f.Post(c, 200 * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, 200 * MTU);
    EXPECT_EQ(watch.peak, (window + MTU - 1) / MTU * MTU);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    f.ExpectSharesAddUp();
}

// AckInterval is 16 frames: the windows of 1 to 15 frames would wait for an acknowledgement that
// was never asked for, if the frame that fills them did not ask.
INSTANTIATE_TEST_SUITE_P(
    Bytes,
    WindowBytes,
    testing::Values(1, 4096, 4097, 3 * 4096, 15 * 4096, 17 * 4096, 100 * 4096));

/// Congestion control whose window shrinks from 64 frames to one byte with the first ACK.
class ShrinkingWindow : public RdmaCongestionOps
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ShrinkingWindow").SetParent<RdmaCongestionOps>();
        return tid;
    }

    std::string GetName() const override
    {
        return "shrinking-window";
    }

    Ptr<RdmaCongestionOps> Fork() const override
    {
        return CreateObject<ShrinkingWindow>();
    }

    void Init(RdmaRateState& state, int64_t now) override
    {
        RdmaCongestionOps::Init(state, now);
        state.windowBytes = 64 * 4096;
    }

    void Acked(RdmaRateState& state, const RdmaAckSignal&) override
    {
        state.windowBytes = 1;
    }
};

TEST(Window, ThatShrinksBelowWhatIsInFlightWaitsForNoTimer)
{
    // The frames after the 16th have not asked for an acknowledgement when the window closes.
    FabricFixture f;
    f.BuildStar(2, "400Gbps", MicroSeconds(1));
    Connection c = f.Connect(0, 1, [](Ptr<QueuePair> qp) {
        qp->SetCongestionControl(CreateObject<ShrinkingWindow>());
    });
    f.Post(c, 100 * 4096);
    f.Run();
    f.ExpectAllSucceeded(1, 100 * 4096);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    f.ExpectSharesAddUp();
}

// ---------------------------------------------------------------- pacing

TEST(Pacing, SpacesFramesExactly)
{
    // 10 Gb/s on a 100 Gb/s port: a frame each 4178 B x 800 ps, the first one 16 B longer.
    FabricFixture f;
    f.rdma.SetCongestionControlAttribute("Rate", DataRateValue(DataRate("10Gbps")));
    f.BuildStar(2, "100Gbps", NanoSeconds(500));
    std::vector<Time> starts;
    f.Port(0)->TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame&>(
            [&](const FabricFrame&) { starts.push_back(Simulator::Now()); }));
    f.Post(f.Connect(0, 1), 100 * 4096);
    f.Run();
    ASSERT_EQ(starts.size(), 100u);
    uint64_t slot = bytes::PREAMBLE + bytes::Frame(4096) + bytes::GAP;
    EXPECT_EQ(starts[0], Time(0));
    EXPECT_EQ(starts[1] - starts[0], OnWire("10Gbps", slot + bytes::RETH));
    for (size_t i = 2; i < starts.size(); ++i)
    {
        EXPECT_EQ(starts[i] - starts[i - 1], OnWire("10Gbps", slot));
    }
}

TEST(Pacing, SlowerThanTheTransportTimerIsNoTimeout)
{
    // 1 Mb/s: 16 frames, and so an ACK, take 535 ms, eight times the timer of 67 ms. The timer runs
    // from a frame that asks for an acknowledgement (IBA vol. 1, 9.7.6.1.3), not from any other.
    constexpr uint64_t MESSAGE = 20 * 4096;
    FabricFixture f;
    f.rdma.SetCongestionControlAttribute("Rate", DataRateValue(DataRate("1Mbps")));
    f.BuildStar(2, "100Gbps", NanoSeconds(500));
    f.Post(f.Connect(0, 1), MESSAGE);
    f.Run();
    f.ExpectAllSucceeded(1, MESSAGE);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    f.ExpectSharesAddUp();
}

} // namespace
