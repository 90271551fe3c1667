// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief States of a queue pair, how it ends, and numbers that wrap (IBA vol. 1, 10.3.1 and 9.7).
 */

#include "verbs-fixture.h"

#include "ns3/aeth-syndrome.h"

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 1024;

// ---------------------------------------------------------------- transitions

constexpr QpState STATES[] =
    {QpState::RESET, QpState::INIT, QpState::RTR, QpState::RTS, QpState::SQD, QpState::ERROR};

/// Table "QP State Transition Properties" of 10.3.1: from a row to a column. From any state to
/// Reset and to Error; INIT, RTS and SQD to themselves, to change attributes.
constexpr bool ALLOWED[6][6] = {
    // RESET INIT   RTR    RTS    SQD    ERR
    {true, true, false, false, false, true},  // RESET
    {true, true, true, false, false, true},   // INIT
    {true, false, false, true, false, true},  // RTR
    {true, false, false, true, true, true},   // RTS
    {true, false, false, true, true, true},   // SQD
    {true, false, false, false, false, true}, // ERR
};

/// Brings a new pair to a state by the shortest way. @param qp the pair @param state the state
void
Bring(QueuePair& qp, QpState state, const QpRemote& remote)
{
    static const std::vector<std::vector<QpState>> WAYS{
        {},
        {QpState::INIT},
        {QpState::INIT, QpState::RTR},
        {QpState::INIT, QpState::RTR, QpState::RTS},
        {QpState::INIT, QpState::RTR, QpState::RTS, QpState::SQD},
        {QpState::INIT, QpState::ERROR}};
    for (QpState step : WAYS[static_cast<size_t>(state)])
    {
        ASSERT_EQ(qp.Modify(step, &remote), ModifyResult::MODIFIED);
    }
    ASSERT_EQ(qp.GetState(), state);
}

TEST(Transition, IsAllowedAsTheStandardSays)
{
    for (QpType type : {QpType::RC, QpType::UC, QpType::UD})
    {
        VerbsFixture f(MTU);
        f.Build();
        QpRemote remote = f.MakeEnd(1, type)->qp->GetLocal();
        for (size_t from = 0; from < 6; ++from)
        {
            for (size_t to = 0; to < 6; ++to)
            {
                auto end = f.MakeEnd(0, type);
                Bring(*end->qp, STATES[from], remote);
                ModifyResult result = end->qp->Modify(STATES[to], &remote);
                EXPECT_EQ(result,
                          ALLOWED[from][to] ? ModifyResult::MODIFIED
                                            : ModifyResult::WRONG_TRANSITION)
                    << ToString(STATES[from]) << " to " << ToString(STATES[to]);
                EXPECT_EQ(end->qp->GetState(), ALLOWED[from][to] ? STATES[to] : STATES[from]);
            }
        }
    }
}

TEST(Transition, NeedsAnotherSideThatCanBe)
{
    VerbsFixture f(MTU);
    f.Build();
    auto end = f.MakeEnd(0);
    const QpRemote good = f.MakeEnd(1)->qp->GetLocal();
    ASSERT_EQ(end->qp->Modify(QpState::INIT), ModifyResult::MODIFIED);
    EXPECT_EQ(end->qp->Modify(QpState::RTR), ModifyResult::NO_REMOTE);
    QpRemote bad = good;
    bad.qpNumber = 1 << 24;
    EXPECT_EQ(end->qp->Modify(QpState::RTR, &bad), ModifyResult::BAD_REMOTE);
    bad = good;
    bad.initialPsn = 1 << 24;
    EXPECT_EQ(end->qp->Modify(QpState::RTR, &bad), ModifyResult::BAD_REMOTE);
    bad = good;
    bad.address.ipv6 = true;
    EXPECT_EQ(end->qp->Modify(QpState::RTR, &bad), ModifyResult::BAD_REMOTE);
    EXPECT_EQ(end->qp->GetState(), QpState::INIT);
    EXPECT_EQ(end->qp->Modify(QpState::RTR, &good), ModifyResult::MODIFIED);
}

TEST(Transition, IsTraced)
{
    VerbsFixture f(MTU);
    f.Build();
    std::vector<std::pair<QpState, QpState>> seen;
    f.Nic(0)->TraceConnectWithoutContext("State",
                                         Callback<void, const QueuePair&, QpState, QpState>(
                                             [&](const QueuePair&, QpState before, QpState after) {
                                                 seen.emplace_back(before, after);
                                             }));
    Link link = f.MakeLink();
    ASSERT_EQ(link.a->qp->Modify(QpState::ERROR), ModifyResult::MODIFIED);
    using S = QpState;
    EXPECT_EQ(seen,
              (std::vector<std::pair<S, S>>{{S::RESET, S::INIT},
                                            {S::INIT, S::RTR},
                                            {S::RTR, S::RTS},
                                            {S::RTS, S::ERROR}}));
}

TEST(Post, IsAllowedInTheStatesThatTheStandardNames)
{
    // Receives from INIT on, sends from RTS on; in ERR both are taken and flushed (10.3.1).
    VerbsFixture f(MTU);
    f.Build();
    QpRemote remote = f.MakeEnd(1)->qp->GetLocal();
    for (QpState state : STATES)
    {
        auto end = f.MakeEnd(0);
        Bring(*end->qp, state, remote);
        EXPECT_EQ(end->qp->PostReceive({1, 8, {}}),
                  state == QpState::RESET ? PostResult::WRONG_STATE : PostResult::POSTED)
            << ToString(state);
        SendWorkRequest request;
        EXPECT_EQ(end->qp->PostSend(request),
                  state < QpState::RTS ? PostResult::WRONG_STATE : PostResult::POSTED)
            << ToString(state);
    }
}

TEST(Query, TellsTypeStateAndProgress)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link{f.MakeEnd(0), f.MakeEnd(1)};
    link.a->qp->SetAttribute("InitialPsn", UintegerValue(0xfffffe));
    link.b->qp->SetAttribute("InitialPsn", UintegerValue(77));
    EXPECT_EQ(link.a->qp->Query().state, QpState::RESET);
    QueuePair::Connect(link.a->qp, link.b->qp);
    QpAttributes before = link.a->qp->Query();
    EXPECT_EQ(before.type, QpType::RC);
    EXPECT_EQ(before.state, QpState::RTS);
    EXPECT_EQ(before.number, link.a->qp->GetNumber());
    EXPECT_EQ(before.mtu, MTU);
    EXPECT_EQ(before.remoteNumber, link.b->qp->GetNumber());
    EXPECT_EQ(before.remote.key, link.b->qp->GetLocal().address.key);
    EXPECT_EQ(before.nextSendPsn, 0xfffffeu);
    EXPECT_EQ(before.expectedPsn, 77u);
    ASSERT_EQ(link.b->qp->PostReceive({1, 8, {}}), PostResult::POSTED);
    EXPECT_EQ(link.b->qp->Query().receivesPosted, 1u);
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 3 * MTU)),
              PostResult::POSTED);
    EXPECT_EQ(link.a->qp->Query().sendsOutstanding, 1u);
    f.Run();
    QpAttributes after = link.a->qp->Query();
    EXPECT_EQ(after.sendsOutstanding, 0u);
    EXPECT_EQ(after.nextSendPsn, 1u) << "0xfffffe + 3, in 24 bits";
    EXPECT_EQ(link.b->qp->Query().expectedPsn, 1u);
}

// ---------------------------------------------------------------- SQD

TEST(Sqd, EndsWhatHasStartedAndHoldsWhatHasNot)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    std::vector<Time> drained;
    f.Nic(0)->TraceConnectWithoutContext("Drained",
                                         Callback<void, const QueuePair&>([&](const QueuePair&) {
                                             drained.push_back(Simulator::Now());
                                         }));
    std::vector<Time> sent;
    f.Watch(0, "FrameTx", [&](const FabricFrame&) { sent.push_back(Simulator::Now()); });
    auto post = [&](uint64_t id) {
        ASSERT_EQ(
            link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 4 * MTU, id)),
            PostResult::POSTED);
    };
    post(1);
    post(2);
    // In the middle of the first message, which takes four slots of 22 ns.
    Simulator::Schedule(NanoSeconds(30), [&] {
        ASSERT_EQ(link.a->qp->Modify(QpState::SQD), ModifyResult::MODIFIED);
    });
    Simulator::Schedule(MicroSeconds(10), [&] { post(3); });
    Simulator::Schedule(MicroSeconds(20), [&] {
        EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{1}));
        EXPECT_EQ(sent.size(), 4u);
        ASSERT_EQ(drained.size(), 1u);
        EXPECT_EQ(drained[0], link.a->done[0].at);
        ASSERT_EQ(link.a->qp->Modify(QpState::RTS), ModifyResult::MODIFIED);
    });
    f.Run();
    EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{1, 2, 3}));
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(3, WcStatus::SUCCESS)));
    ASSERT_EQ(sent.size(), 12u);
    EXPECT_EQ(sent[4], MicroSeconds(20)) << "what waited goes at once";
    EXPECT_EQ(drained.size(), 1u);
}

TEST(Sqd, OfAnIdlePairIsDrainedAtOnce)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    int drained = 0;
    f.Nic(0)->TraceConnectWithoutContext(
        "Drained",
        Callback<void, const QueuePair&>([&](const QueuePair&) { ++drained; }));
    ASSERT_EQ(link.a->qp->Modify(QpState::SQD), ModifyResult::MODIFIED);
    EXPECT_EQ(drained, 1);
    ASSERT_EQ(link.a->qp->Modify(QpState::SQD), ModifyResult::MODIFIED);
    EXPECT_EQ(drained, 1);
}

TEST(Sqd, StillReceivesAndAnswers)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    ASSERT_EQ(link.b->qp->Modify(QpState::SQD), ModifyResult::MODIFIED);
    ASSERT_EQ(link.b->qp->PostReceive({4, 64, {}}), PostResult::POSTED);
    for (RdmaOperation operation : {RdmaOperation::SEND, RdmaOperation::READ})
    {
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, operation, 64)),
                  PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(2, WcStatus::SUCCESS)));
    EXPECT_EQ(link.b->Ids(), (std::vector<uint64_t>{4}));
}

// ---------------------------------------------------------------- ERR

TEST(Error, FlushesAllWorkInOrderAndWhatIsPostedLater)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    for (uint64_t id = 1; id <= 3; ++id)
    {
        SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::WRITE, 8 * MTU, id);
        request.signaled = false; // errors are always reported
        ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
        ASSERT_EQ(link.a->qp->PostReceive({10 + id, 64, {}}), PostResult::POSTED);
    }
    Simulator::Schedule(NanoSeconds(50), [&] {
        ASSERT_EQ(link.a->qp->Modify(QpState::ERROR), ModifyResult::MODIFIED);
        EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{1, 2, 3, 11, 12, 13}));
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 8, 4)),
                  PostResult::POSTED);
        ASSERT_EQ(link.a->qp->PostReceive({14, 64, {}}), PostResult::POSTED);
    });
    uint32_t sentLater = 0;
    f.Watch(0, "FrameTx", [&](const FabricFrame&) {
        sentLater += Simulator::Now() > NanoSeconds(50);
    });
    f.Run();
    EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{1, 2, 3, 11, 12, 13, 4, 14}));
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(8, WcStatus::FLUSHED)));
    EXPECT_STREQ(ToString(WcStatus::FLUSHED), "WC_WR_FLUSH_ERR");
    EXPECT_EQ(sentLater, 0u);
    EXPECT_EQ(link.a->qp->Query().sendsOutstanding, 0u);
    EXPECT_EQ(link.a->qp->Query().receivesPosted, 0u);
}

TEST(Error, IsDeafAndTheOtherSideRunsOutOfRetries)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("RetryCount", UintegerValue(1));
    });
    ASSERT_EQ(link.b->qp->Modify(QpState::ERROR), ModifyResult::MODIFIED);
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 8)),
              PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::RETRY_EXCEEDED}));
    EXPECT_EQ(f.Nic(1)->GetCounters().unknownQpFrames, 2u);
}

// ---------------------------------------------------------------- RESET

TEST(Reset, ForgetsAllAndThePairCanBeConnectedAnew)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("InitialPsn", UintegerValue(1000));
    });
    for (uint64_t id = 1; id <= 3; ++id)
    {
        ASSERT_EQ(
            link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::READ, 8 * MTU, id)),
            PostResult::POSTED);
        ASSERT_EQ(link.a->qp->PostReceive({10 + id, 64, {}}), PostResult::POSTED);
    }
    Simulator::Schedule(MicroSeconds(2), [&] { // responses are coming in
        ASSERT_EQ(link.a->qp->Modify(QpState::RESET), ModifyResult::MODIFIED);
        ASSERT_EQ(link.b->qp->Modify(QpState::RESET), ModifyResult::MODIFIED);
        EXPECT_EQ(link.a->qp->Query().sendsOutstanding, 0u);
        EXPECT_EQ(link.a->qp->Query().receivesPosted, 0u);
    });
    f.Run();
    EXPECT_TRUE(link.a->done.empty()) << "nobody hears of what was outstanding";

    for (int round = 0; round < 2; ++round)
    {
        for (const auto& end : {link.a, link.b})
        {
            end->qp->SetAttribute("InitialPsn", UintegerValue(5));
        }
        QueuePair::Connect(link.a->qp, link.b->qp);
        link.a->done.clear();
        link.b->Fill(0, Pattern(5000, 4 + round));
        std::vector<uint32_t> psns;
        std::vector<uint32_t> msns;
        ASSERT_EQ(link.b->qp->PostReceive({1, 100, {}}), PostResult::POSTED);
        using O = RdmaOperation;
        for (O operation : {O::READ, O::FETCH_ADD, O::SEND, O::WRITE})
        {
            uint64_t count = operation == O::FETCH_ADD ? 8 : operation == O::READ ? 5000 : 100;
            uint64_t offset = operation == O::READ ? 0 : 8192;
            ASSERT_EQ(
                link.a->qp->PostSend(VerbsFixture::Request(link, operation, count, 0, offset)),
                PostResult::POSTED);
        }
        f.Run();
        EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(4, WcStatus::SUCCESS)));
        EXPECT_EQ(link.a->Bytes(0, 5000), Pattern(5000, 4 + round));
        EXPECT_EQ(link.a->qp->Query().nextSendPsn, 5u + 5 + 1 + 1 + 1);
        // Once out of RTS, once out of ERR.
        if (round == 0)
        {
            ASSERT_EQ(link.a->qp->Modify(QpState::ERROR), ModifyResult::MODIFIED);
            ASSERT_EQ(link.a->qp->Modify(QpState::RESET), ModifyResult::MODIFIED);
            ASSERT_EQ(link.b->qp->Modify(QpState::RESET), ModifyResult::MODIFIED);
        }
    }
}

TEST(Reset, ForgetsAPartOfAMessage)
{
    // The receiver had half a SEND, in a receive of its own; the next connection starts clean.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    ASSERT_EQ(link.b->qp->PostReceive({1, 4 * MTU, {}}), PostResult::POSTED);
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 4 * MTU)),
              PostResult::POSTED);
    Simulator::Schedule(NanoSeconds(50), [&] {
        ASSERT_EQ(link.a->qp->Modify(QpState::RESET), ModifyResult::MODIFIED);
    });
    f.Run();
    ASSERT_EQ(link.b->qp->Modify(QpState::RESET), ModifyResult::MODIFIED);
    EXPECT_TRUE(link.a->done.empty());
    EXPECT_TRUE(link.b->done.empty());
    QueuePair::Connect(link.a->qp, link.b->qp);
    ASSERT_EQ(link.b->qp->PostReceive({2, 100, {}}), PostResult::POSTED);
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 100)),
              PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    EXPECT_EQ(link.b->Ids(), (std::vector<uint64_t>{2}));
    EXPECT_EQ(link.b->done.at(0).wc.bytes, 100u);
}

// ---------------------------------------------------------------- retries

class Exhaustion : public testing::TestWithParam<RdmaOperation>
{
};

TEST_P(Exhaustion, OfRetriesComesAfterThatManyTimeouts)
{
    // The first frame and each of RetryCount repetitions are given 4.096 us x 2^n each.
    constexpr uint64_t EXPONENT = 3;
    for (uint64_t retries : {0, 1, 7})
    {
        VerbsFixture f(MTU);
        f.Build();
        Link link = f.MakeLink(QpType::RC, [&](Ptr<QueuePair> qp) {
            qp->SetAttribute("RetryCount", UintegerValue(retries));
            qp->SetAttribute("Timeout", UintegerValue(EXPONENT));
        });
        uint32_t frames = 0;
        f.Lose(0, [&](const FabricFrame&) { return ++frames > 0; });
        uint64_t count = IsAtomic(GetParam()) ? 8 : 100;
        for (uint64_t id : {1, 2})
        {
            ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, GetParam(), count, id)),
                      PostResult::POSTED);
        }
        ASSERT_EQ(link.a->qp->PostReceive({3, 8, {}}), PostResult::POSTED);
        f.Run();
        EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{1, 2, 3}));
        EXPECT_EQ(link.a->Statuses(),
                  (std::vector<WcStatus>{WcStatus::RETRY_EXCEEDED,
                                         WcStatus::FLUSHED,
                                         WcStatus::FLUSHED}));
        EXPECT_STREQ(ToString(link.a->done[0].wc.status), "WC_RETRY_EXC_ERR");
        Time timeout = NanoSeconds(4096 << EXPONENT);
        EXPECT_EQ(link.a->done[0].at, timeout * static_cast<int64_t>(retries + 1));
        EXPECT_EQ(f.Nic(0)->GetCounters().timeouts, retries + 1);
        EXPECT_EQ(frames, 2 * (retries + 1)) << "both requests, each time";
        EXPECT_EQ(link.a->qp->GetState(), QpState::ERROR);
    }
}

INSTANTIATE_TEST_SUITE_P(OfEach,
                         Exhaustion,
                         testing::Values(RdmaOperation::SEND,
                                         RdmaOperation::WRITE,
                                         RdmaOperation::READ,
                                         RdmaOperation::FETCH_ADD),
                         [](const testing::TestParamInfo<RdmaOperation>& info) {
                             return std::string(ToString(info.param));
                         });

TEST(Retries, AreCountedAnewAfterProgress)
{
    // Each of ten messages is lost once; with one retry each that is no exhaustion.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("RetryCount", UintegerValue(1));
        qp->SetAttribute("Timeout", UintegerValue(2));
    });
    std::vector<bool> lost(10);
    f.Lose(0, [&](const FabricFrame& frame) {
        if (frame.opcode != RdmaOpcode::RC_WRITE_ONLY || lost.at(frame.psn))
        {
            return false;
        }
        lost[frame.psn] = true;
        return true;
    });
    for (uint64_t id = 0; id < 10; ++id)
    {
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 8, id)),
                  PostResult::POSTED);
        f.Run();
    }
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(10, WcStatus::SUCCESS)));
    EXPECT_EQ(f.Nic(0)->GetCounters().timeouts, 10u);
}

/// One way of a frame over the star's two links. @param frame bytes @return time
Time
OneWay(uint64_t frame)
{
    return OnWire("400Gbps", 2 * (bytes::PREAMBLE + frame)) + NanoSeconds(1000);
}

struct RnrCase
{
    uint8_t code;
    uint32_t microseconds; ///< IBA vol. 1, table "Encoding for RNR NAK Timer Field"
    uint64_t retries;
};

class Rnr : public testing::TestWithParam<RnrCase>
{
};

TEST_P(Rnr, ExhaustionComesAfterThatManyWaits)
{
    // Each attempt: the SEND there, the RNR NAK back; after each but the last the timer.
    const RnrCase& p = GetParam();
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [&](Ptr<QueuePair> qp) {
        qp->SetAttribute("RnrRetryCount", UintegerValue(p.retries));
        qp->SetAttribute("MinRnrTimer", UintegerValue(p.code));
    });
    std::vector<uint8_t> syndromes;
    f.Watch(0, "FrameRx", [&](const FabricFrame& frame) { syndromes.push_back(frame.syndrome); });
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 100, 1)),
              PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::RNR_RETRY_EXCEEDED}));
    EXPECT_STREQ(ToString(link.a->done.at(0).wc.status), "WC_RNR_RETRY_EXC_ERR");
    Time attempt = OneWay(bytes::Frame(100)) + OneWay(bytes::ACK);
    Time expected = attempt * static_cast<int64_t>(p.retries + 1) +
                    MicroSeconds(p.microseconds) * static_cast<int64_t>(p.retries);
    EXPECT_EQ(link.a->done[0].at, expected);
    EXPECT_EQ(syndromes, (std::vector<uint8_t>(p.retries + 1, 0x20 | p.code)));
    EXPECT_EQ(f.Nic(0)->GetCounters().timeouts, 0u);
    EXPECT_EQ(link.a->qp->GetState(), QpState::ERROR);
    EXPECT_EQ(link.b->qp->GetState(), QpState::RTS) << "the receiver has done nothing wrong";
}

INSTANTIATE_TEST_SUITE_P(Codes,
                         Rnr,
                         testing::Values(RnrCase{1, 10, 0},
                                         RnrCase{1, 10, 1},
                                         RnrCase{1, 10, 6},
                                         RnrCase{14, 1280, 2},
                                         RnrCase{25, 61440, 1},
                                         RnrCase{31, 491520, 1},
                                         RnrCase{0, 655360, 1}));

TEST(Rnr, OfSevenIsForEver)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(); // RnrRetryCount 7, MinRnrTimer 10 us
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 100, 1)),
              PostResult::POSTED);
    Simulator::Schedule(MilliSeconds(1), [&] {
        EXPECT_GT(f.Total(&RdmaNicCounters::rnrNaksSent), 80u) << "every 12 us";
        ASSERT_EQ(link.b->qp->PostReceive({2, 100, {}}), PostResult::POSTED);
    });
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    EXPECT_EQ(link.b->Ids(), (std::vector<uint64_t>{2}));
}

TEST(Rnr, OfAWriteWithImmediateComesWithItsLastFrame)
{
    // Only the frame with the immediate needs a receive: the others are not repeated.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    link.a->Fill(0, Pattern(4 * MTU, 1));
    std::vector<uint32_t> psns;
    f.Watch(0, "FrameTx", [&](const FabricFrame& frame) { psns.push_back(frame.psn); });
    ASSERT_EQ(
        link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE_WITH_IMM, 4 * MTU)),
        PostResult::POSTED);
    Simulator::Schedule(MicroSeconds(5), [&] {
        ASSERT_EQ(link.b->qp->PostReceive({2, 0, {}}), PostResult::POSTED);
    });
    f.Run();
    EXPECT_EQ(psns, (std::vector<uint32_t>{0, 1, 2, 3, 3}));
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    EXPECT_EQ(link.b->done.at(0).wc.bytes, 4 * MTU);
    EXPECT_EQ(link.b->Bytes(0, 4 * MTU), Pattern(4 * MTU, 1));
}

// ---------------------------------------------------------------- numbers that wrap

class Wrap : public testing::TestWithParam<RdmaOperation>
{
};

TEST_P(Wrap, OfThePsnIsNotNoticed)
{
    // Three messages of seven frames from 0xfffff9 on: the first one ends with 0xffffff.
    // Two more start just before the end, so that a message lies on it.
    for (uint32_t first : {0xfffff9, 0xfffffc, 0xffffff})
    {
        VerbsFixture f(MTU);
        f.Build();
        Link link = f.MakeLink(QpType::RC, [&](Ptr<QueuePair> qp) {
            qp->SetAttribute("InitialPsn", UintegerValue(first));
        });
        bool read = GetParam() == RdmaOperation::READ;
        End& from = read ? *link.b : *link.a;
        End& to = read ? *link.a : *link.b;
        constexpr uint64_t COUNT = 7 * MTU;
        from.Fill(0, Pattern(3 * COUNT, 1));
        std::vector<uint32_t> psns;
        f.Watch(read ? 1 : 0, "FrameTx", [&](const FabricFrame& frame) {
            psns.push_back(frame.psn);
        });
        for (uint64_t id = 0; id < 3; ++id)
        {
            ASSERT_EQ(link.b->qp->PostReceive(link.b->Room(id, id * COUNT, COUNT)),
                      PostResult::POSTED);
            ASSERT_EQ(link.a->qp->PostSend(
                          VerbsFixture::Request(link, GetParam(), COUNT, id, id * COUNT)),
                      PostResult::POSTED);
        }
        f.Run();
        EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(3, WcStatus::SUCCESS)));
        EXPECT_EQ(to.Bytes(0, 3 * COUNT), Pattern(3 * COUNT, 1));
        ASSERT_EQ(psns.size(), 21u);
        for (uint32_t i = 0; i < 21; ++i)
        {
            EXPECT_EQ(psns[i], (first + i) & 0xffffff);
        }
        EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 0u);
        EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    }
}

TEST_P(Wrap, OfThePsnSurvivesLoss)
{
    // Frame 0xffffff and frame 0 are lost once each.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [&](Ptr<QueuePair> qp) {
        qp->SetAttribute("InitialPsn", UintegerValue(0xfffffc));
    });
    bool read = GetParam() == RdmaOperation::READ;
    End& from = read ? *link.b : *link.a;
    End& to = read ? *link.a : *link.b;
    constexpr uint64_t COUNT = 14 * MTU;
    from.Fill(0, Pattern(COUNT, 1));
    ASSERT_EQ(link.b->qp->PostReceive(link.b->Room(1, 0, COUNT)), PostResult::POSTED);
    std::vector<uint32_t> toLose{0xffffff, 0};
    f.Lose(0, [&](const FabricFrame& frame) {
        bool lose = !toLose.empty() && frame.payloadBytes > 0 && frame.psn == toLose.front();
        if (lose)
        {
            toLose.erase(toLose.begin());
        }
        return lose;
    });
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, GetParam(), COUNT)),
              PostResult::POSTED);
    f.Run();
    EXPECT_TRUE(toLose.empty());
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    EXPECT_EQ(to.Bytes(0, COUNT), Pattern(COUNT, 1));
}

INSTANTIATE_TEST_SUITE_P(OfEach,
                         Wrap,
                         testing::Values(RdmaOperation::SEND,
                                         RdmaOperation::WRITE,
                                         RdmaOperation::READ),
                         [](const testing::TestParamInfo<RdmaOperation>& info) {
                             return std::string(ToString(info.param));
                         });

TEST(Wrap, OfTheMsnIsNotNoticed)
{
    // 2^24 WRITE frames without data are given to the receiver by hand, as if they had come: two
    // messages of two frames, and 2^24 - 4 of one. That makes 2^24 - 2 messages, and brings the PSN
    // once around to where the sender stands. Three more go over the wire.
    constexpr uint32_t FRAMES = 1 << 24;
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    FramePtr frame = FabricFrame::Create();
    for (uint32_t psn = 0; psn < FRAMES; ++psn)
    {
        using O = RdmaOpcode;
        frame->opcode = psn >= 4       ? O::RC_WRITE_ONLY
                        : psn % 2 == 0 ? O::RC_WRITE_FIRST
                                       : O::RC_WRITE_LAST;
        frame->psn = psn;
        link.b->qp->ReceiveFrame(*frame);
    }
    ASSERT_EQ(link.b->qp->GetResponder().GetDeliveredMessages(), FRAMES - 2);
    ASSERT_EQ(link.b->qp->Query().expectedPsn, 0u);
    std::vector<uint32_t> msns;
    f.Watch(0, "FrameRx", [&](const FabricFrame& ack) { msns.push_back(ack.msn); });
    for (uint64_t id = 0; id < 3; ++id)
    {
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 8, id)),
                  PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(msns, (std::vector<uint32_t>{0xffffff, 0, 1}));
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(3, WcStatus::SUCCESS)));
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
}

} // namespace
