// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What verbs promise: operations, keys, queues, limits and their completions.
 *
 * Expected values are those of IBA vol. 1, chapters 9 to 11; sizes and times are computed here from
 * the bytes on the wire.
 */

#include "verbs-fixture.h"

#include "ns3/aeth-syndrome.h"

#include <algorithm>

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 1024;
constexpr uint32_t IMMEDIATE = 0xcafe0042;

// ---------------------------------------------------------------- operations

struct Case
{
    QpType type;
    RdmaOperation operation;
    uint64_t bytes;
};

class Operation : public testing::TestWithParam<Case>
{
};

/// @param operation of a request @return what its completion reports (IBA vol. 1, 11.4.2.1)
WcOpcode
SenderSees(RdmaOperation operation)
{
    return operation == RdmaOperation::READ ? WcOpcode::READ
           : IsSend(operation)              ? WcOpcode::SEND
                                            : WcOpcode::WRITE;
}

TEST_P(Operation, MovesTheBytesAndReportsThem)
{
    const Case& p = GetParam();
    constexpr uint64_t GUARD = 64;
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(p.type);
    End& from = p.operation == RdmaOperation::READ ? *link.b : *link.a;
    End& to = p.operation == RdmaOperation::READ ? *link.a : *link.b;
    const std::vector<uint8_t> sent = Pattern(p.bytes, 1);
    const std::vector<uint8_t> guard = Pattern(GUARD, 2);
    from.Fill(0, sent);
    to.Fill(p.bytes, guard);
    // The second region is what SEND_WITH_INVALIDATE takes back.
    Ptr<MemoryRegion> lent = link.b->domain->Register(0x5000, 64, ALL_ACCESS);
    bool takesReceive = IsSend(p.operation) || p.operation == RdmaOperation::WRITE_WITH_IMM;
    if (takesReceive)
    {
        uint64_t room = IsSend(p.operation) ? p.bytes : 0;
        ReceiveWorkRequest receive =
            room > 0 ? link.b->Room(77, 0, room) : ReceiveWorkRequest{77, 0, {}};
        ASSERT_EQ(link.b->qp->PostReceive(receive), PostResult::POSTED);
    }
    SendWorkRequest request = VerbsFixture::Request(link, p.operation, p.bytes, 55);
    request.immediate = IMMEDIATE;
    request.invalidateKey = lent->GetRemoteKey();
    if (p.bytes > 2)
    {
        // Three pieces that meet no frame's border.
        uint64_t third = p.bytes / 3;
        request.pieces = {link.a->Piece(0, third),
                          link.a->Piece(third, 1),
                          link.a->Piece(third + 1, p.bytes - third - 1)};
    }
    std::vector<uint32_t> msns;
    f.Watch(0, "FrameRx", [&](const FabricFrame& frame) { msns.push_back(frame.msn); });
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    f.Run();

    EXPECT_EQ(to.Bytes(0, p.bytes), sent);
    EXPECT_EQ(to.Bytes(p.bytes, GUARD), guard) << "bytes behind the message";
    ASSERT_EQ(link.a->done.size(), 1u);
    const WorkCompletion& send = link.a->done[0].wc;
    EXPECT_EQ(send.status, WcStatus::SUCCESS);
    EXPECT_EQ(send.id, 55u);
    EXPECT_EQ(send.opcode, SenderSees(p.operation));
    EXPECT_EQ(send.bytes, p.bytes);
    EXPECT_EQ(send.qpNumber, link.a->qp->GetNumber());
    ASSERT_EQ(link.b->done.size(), takesReceive ? 1u : 0u);
    if (takesReceive)
    {
        const WorkCompletion& receive = link.b->done[0].wc;
        bool immediate = p.operation == RdmaOperation::SEND_WITH_IMM ||
                         p.operation == RdmaOperation::WRITE_WITH_IMM;
        EXPECT_EQ(receive.status, WcStatus::SUCCESS);
        EXPECT_EQ(receive.id, 77u);
        EXPECT_EQ(receive.opcode, IsSend(p.operation) ? WcOpcode::RECV : WcOpcode::RECV_WRITE_IMM);
        EXPECT_EQ(receive.bytes, p.bytes);
        EXPECT_EQ(receive.hasImmediate, immediate);
        EXPECT_EQ(receive.immediate,
                  immediate                                            ? IMMEDIATE
                  : p.operation == RdmaOperation::SEND_WITH_INVALIDATE ? lent->GetRemoteKey()
                                                                       : 0);
    }
    bool invalidates = p.operation == RdmaOperation::SEND_WITH_INVALIDATE;
    EXPECT_EQ(lent->Allows(0x5000, 64, REMOTE_WRITE), !invalidates);
    if (p.type == QpType::RC)
    {
        ASSERT_FALSE(msns.empty());
        EXPECT_EQ(msns.back(), 1u) << "the responder has completed one message";
        EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    }
    else
    {
        EXPECT_TRUE(msns.empty()) << "UC is not acknowledged";
    }
}

std::vector<Case>
AllCases()
{
    using O = RdmaOperation;
    const std::vector<std::pair<QpType, std::vector<O>>> services{
        {QpType::RC,
         {O::SEND,
          O::SEND_WITH_IMM,
          O::SEND_WITH_INVALIDATE,
          O::WRITE,
          O::WRITE_WITH_IMM,
          O::READ}},
        {QpType::UC, {O::SEND, O::SEND_WITH_IMM, O::WRITE, O::WRITE_WITH_IMM}}};
    std::vector<Case> cases;
    for (const auto& [type, operations] : services)
    {
        for (O operation : operations)
        {
            for (uint64_t bytes : {uint64_t{0}, uint64_t{1}, MTU - 1, MTU, MTU + 1, 3 * MTU + 5})
            {
                cases.push_back({type, operation, bytes});
            }
        }
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(AroundTheMtu,
                         Operation,
                         testing::ValuesIn(AllCases()),
                         [](const testing::TestParamInfo<Case>& info) {
                             return std::string(ToString(info.param.type)) + "_" +
                                    ToString(info.param.operation) + "_" +
                                    std::to_string(info.param.bytes);
                         });

TEST(MessageSequenceNumber, CountsMessagesOfAllKinds)
{
    // IBA vol. 1, 9.7.7.1: the MSN counts completed request messages, whatever they are.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    ASSERT_EQ(link.b->qp->PostReceive(link.b->Room(0, 0, 2000)), PostResult::POSTED);
    std::vector<uint32_t> msns;
    f.Watch(0, "FrameRx", [&](const FabricFrame& frame) {
        if (GetOpcodeTraits(frame.opcode).hasAeth)
        {
            msns.push_back(frame.msn);
        }
    });
    using O = RdmaOperation;
    for (O operation : {O::WRITE, O::SEND, O::READ, O::FETCH_ADD, O::WRITE})
    {
        SendWorkRequest request =
            VerbsFixture::Request(link, operation, IsAtomic(operation) ? 8 : 2000);
        ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
        Simulator::Run();
    }
    // WRITE, SEND: an ACK each. READ of two responses: First and Last have an AETH.
    EXPECT_EQ(msns, (std::vector<uint32_t>{1, 2, 3, 3, 4, 5}));
}

// ---------------------------------------------------------------- atomics

TEST(Atomic, FetchAddReturnsTheOldValueAndAdds)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    const uint64_t word = link.b->memory->GetAddress() + 16;
    link.b->memory->WriteWord(word, 0xfffffffffffffff0);
    SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::FETCH_ADD, 8, 0, 16);
    request.swapOrAdd = 0x20; // the sum wraps at 2^64
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    ASSERT_EQ(link.a->done.size(), 1u);
    EXPECT_EQ(link.a->done[0].wc.opcode, WcOpcode::FETCH_ADD);
    EXPECT_EQ(link.a->done[0].wc.atomicOriginal, 0xfffffffffffffff0);
    EXPECT_EQ(link.b->memory->ReadWord(word), 0x10u);
    EXPECT_EQ(link.a->memory->ReadWord(link.a->memory->GetAddress() + 16), 0xfffffffffffffff0);
    EXPECT_TRUE(link.b->done.empty()) << "the responder is not told";
}

TEST(Atomic, CompareSwapSwapsOnlyWhatIsEqual)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    const uint64_t word = link.b->memory->GetAddress();
    link.b->memory->WriteWord(word, 5);
    for (uint64_t compare : {4, 5})
    {
        SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::COMPARE_SWAP, 8);
        request.compare = compare;
        request.swapOrAdd = 0x1122334455667788;
        ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
        f.Run();
        EXPECT_EQ(link.a->done.back().wc.opcode, WcOpcode::COMPARE_SWAP);
        EXPECT_EQ(link.a->done.back().wc.atomicOriginal, 5u);
        EXPECT_EQ(link.b->memory->ReadWord(word), compare == 5 ? 0x1122334455667788 : 5);
    }
    EXPECT_EQ(link.a->done.size(), 2u);
}

// ---------------------------------------------------------------- when they are complete

/// One way over the star's two links of 400 Gb/s: all frames on the first link, the largest once
/// more on the second one, and both cables.
Time
OneWay(const std::vector<uint64_t>& frames)
{
    uint64_t count = 0;
    for (uint64_t frame : frames)
    {
        count += bytes::PREAMBLE + frame + bytes::GAP;
    }
    count += bytes::PREAMBLE + *std::max_element(frames.begin(), frames.end());
    return OnWire("400Gbps", count - bytes::GAP) + NanoSeconds(1000);
}

TEST(CompletionTime, OfAReadIsItsRequestAndItsResponses)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::READ, 3 * MTU + 5)),
              PostResult::POSTED);
    f.Run();
    // First and Last have an AETH of 4 bytes.
    Time expected =
        OneWay({bytes::ROCE + bytes::RETH}) +
        OneWay({bytes::Frame(MTU) + 4, bytes::Frame(MTU), bytes::Frame(MTU), bytes::Frame(5) + 4});
    ASSERT_EQ(link.a->done.size(), 1u);
    EXPECT_EQ(link.a->done[0].at, expected);
    f.ExpectSharesAddUp();
}

TEST(CompletionTime, OfAnAtomicIsItsRequestAndItsAnswer)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::FETCH_ADD, 8)),
              PostResult::POSTED);
    f.Run();
    // AtomicETH has 28 bytes; the answer an AETH of 4 and the old value of 8.
    Time expected = OneWay({bytes::ROCE + 28}) + OneWay({bytes::ROCE + 4 + 8});
    ASSERT_EQ(link.a->done.size(), 1u);
    EXPECT_EQ(link.a->done[0].at, expected);
    f.ExpectSharesAddUp();
}

TEST(CompletionTime, OfUcIsTheEndOfItsLastFrame)
{
    // Nobody acknowledges: done when it is on the wire.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::UC);
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, MTU + 1)),
              PostResult::POSTED);
    f.Run();
    uint64_t count =
        2 * (bytes::PREAMBLE + bytes::GAP) + bytes::Frame(MTU) + bytes::RETH + bytes::Frame(1);
    ASSERT_EQ(link.a->done.size(), 1u);
    EXPECT_EQ(link.a->done[0].at, OnWire("400Gbps", count));
}

// ---------------------------------------------------------------- remote keys

struct BadKey
{
    const char* name;
    RdmaOperation operation;
    void (*spoil)(Link& link, SendWorkRequest& request);
};

class RemoteKey : public testing::TestWithParam<BadKey>
{
};

TEST_P(RemoteKey, ThatDoesNotAllowItEndsBothPairs)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    link.a->Fill(0, Pattern(2000, 1));
    const std::vector<uint8_t> before = Pattern(End::MEMORY_BYTES, 2);
    link.b->Fill(0, before);
    uint64_t count = IsAtomic(GetParam().operation) ? 8 : 2000;
    SendWorkRequest request = VerbsFixture::Request(link, GetParam().operation, count, 9);
    GetParam().spoil(link, request);
    std::vector<uint8_t> syndromes;
    f.Watch(0, "FrameRx", [&](const FabricFrame& frame) { syndromes.push_back(frame.syndrome); });
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    SendWorkRequest behind = VerbsFixture::Request(link, RdmaOperation::WRITE, 2000, 10);
    ASSERT_EQ(link.a->qp->PostSend(behind), PostResult::POSTED);
    ASSERT_EQ(link.b->qp->PostReceive({3, 0, {}}), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Statuses(),
              (std::vector<WcStatus>{WcStatus::REMOTE_ACCESS, WcStatus::FLUSHED}));
    EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{9, 10}));
    EXPECT_STREQ(ToString(link.a->done.at(0).wc.status), "WC_REM_ACCESS_ERR");
    EXPECT_EQ(link.b->Statuses(), (std::vector<WcStatus>{WcStatus::FLUSHED}));
    EXPECT_EQ(link.a->qp->GetState(), QpState::ERROR);
    EXPECT_EQ(link.b->qp->GetState(), QpState::ERROR);
    EXPECT_EQ(link.b->Bytes(0, End::MEMORY_BYTES), before) << "nothing is written";
    EXPECT_EQ(syndromes, (std::vector<uint8_t>{0x62})) << "NAK, code 2: remote access error";
    EXPECT_EQ(f.Total(&RdmaNicCounters::naksSent), 1u);
}

void
WrongKey(Link&, SendWorkRequest& request)
{
    request.remoteKey ^= 0x100;
}

void
KeyZero(Link&, SendWorkRequest& request)
{
    request.remoteKey = 0; // covers everything in an open domain only
}

void
BelowTheRegion(Link&, SendWorkRequest& request)
{
    request.remoteAddress -= 8;
}

void
PastTheRegion(Link& link, SendWorkRequest& request)
{
    request.remoteAddress = link.b->memory->GetAddress() + End::MEMORY_BYTES - request.bytes + 8;
}

void
PastTheEndOfMemory(Link&, SendWorkRequest& request)
{
    request.remoteAddress = UINT64_MAX - 7; // address + length wraps to a small number
}

void
WithoutTheRight(Link& link, SendWorkRequest& request)
{
    uint8_t right = request.operation == RdmaOperation::READ    ? REMOTE_READ
                    : request.operation == RdmaOperation::WRITE ? REMOTE_WRITE
                                                                : REMOTE_ATOMIC;
    request.remoteKey =
        link.b->domain
            ->Register(link.b->memory->GetAddress(), End::MEMORY_BYTES, ALL_ACCESS & ~right)
            ->GetRemoteKey();
}

void
Deregistered(Link& link, SendWorkRequest& request)
{
    auto region = link.b->domain->Register(0x9000, 4096, ALL_ACCESS);
    request.remoteKey = region->GetRemoteKey();
    request.remoteAddress = 0x9000;
    link.b->domain->Deregister(region);
}

void
OfAnotherDomain(Link& link, SendWorkRequest& request)
{
    // The same NIC, the same addresses, and the first region of its domain as ours is.
    auto other = link.b->qp->GetNic().CreateProtectionDomain();
    auto region = other->Register(link.b->memory->GetAddress(), End::MEMORY_BYTES, ALL_ACCESS);
    request.remoteKey = region->GetRemoteKey();
}

constexpr RdmaOperation KEYED[] = {RdmaOperation::WRITE,
                                   RdmaOperation::READ,
                                   RdmaOperation::COMPARE_SWAP,
                                   RdmaOperation::FETCH_ADD};

std::vector<BadKey>
BadKeys()
{
    std::vector<BadKey> all;
    for (RdmaOperation operation : KEYED)
    {
        all.push_back({"WrongKey", operation, WrongKey});
        all.push_back({"KeyZero", operation, KeyZero});
        all.push_back({"BelowTheRegion", operation, BelowTheRegion});
        all.push_back({"PastTheRegion", operation, PastTheRegion});
        all.push_back({"PastTheEndOfMemory", operation, PastTheEndOfMemory});
        all.push_back({"WithoutTheRight", operation, WithoutTheRight});
        all.push_back({"Deregistered", operation, Deregistered});
        all.push_back({"OfAnotherDomain", operation, OfAnotherDomain});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(AllWays,
                         RemoteKey,
                         testing::ValuesIn(BadKeys()),
                         [](const testing::TestParamInfo<BadKey>& info) {
                             return std::string(ToString(info.param.operation)) + "_" +
                                    info.param.name;
                         });

TEST(RemoteKeyOfNothing, IsNotLookedAt)
{
    // IBA vol. 1, 9.7.4.1.5 (R_Key validation): a request of length 0 needs no valid key.
    for (RdmaOperation operation : {RdmaOperation::WRITE, RdmaOperation::READ})
    {
        VerbsFixture f(MTU);
        f.Build();
        Link link = f.MakeLink();
        SendWorkRequest request = VerbsFixture::Request(link, operation, 0);
        request.remoteKey = 0xdead;
        ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
        f.Run();
        EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    }
}

TEST(RemoteKeyOfNothing, IsNotLookedAtInARepetitionEither)
{
    // The response of a READ of no bytes is lost: the repeated request must be answered as well.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    bool lost = false;
    f.Lose(0, [&](const FabricFrame& frame) {
        bool lose = !lost && GetOpcodeTraits(frame.opcode).readResponse;
        lost |= lose;
        return lose;
    });
    SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::READ, 0);
    request.remoteKey = 0xdead;
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_TRUE(lost);
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
}

TEST(RemoteKey, ThatWasInvalidatedIsRefused)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    auto lent = link.b->domain->Register(0x5000, 64, ALL_ACCESS);
    ASSERT_EQ(link.b->qp->PostReceive({1, 0, {}}), PostResult::POSTED);
    SendWorkRequest back = VerbsFixture::Request(link, RdmaOperation::SEND_WITH_INVALIDATE, 0);
    back.invalidateKey = lent->GetRemoteKey();
    SendWorkRequest write = VerbsFixture::Request(link, RdmaOperation::WRITE, 64);
    write.remoteAddress = 0x5000;
    write.remoteKey = lent->GetRemoteKey();
    for (const SendWorkRequest& request : {write, back, write})
    {
        ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(
        link.a->Statuses(),
        (std::vector<WcStatus>{WcStatus::SUCCESS, WcStatus::SUCCESS, WcStatus::REMOTE_ACCESS}));
    ASSERT_EQ(link.b->done.size(), 1u);
    EXPECT_TRUE(link.b->done[0].wc.invalidated);
}

TEST(RemoteKey, IsRefusedAfterWhatCameBeforeIsAnswered)
{
    // Requests are executed in order (IBA vol. 1, 9.5): a READ that came before the bad one is
    // answered whole, and its work request succeeds.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    link.b->Fill(0, Pattern(20000, 3));
    SendWorkRequest bad = VerbsFixture::Request(link, RdmaOperation::WRITE, 8, 2);
    bad.remoteKey ^= 0x100;
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::READ, 20000, 1)),
              PostResult::POSTED);
    ASSERT_EQ(link.a->qp->PostSend(bad), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(link.a->Statuses(),
              (std::vector<WcStatus>{WcStatus::SUCCESS, WcStatus::REMOTE_ACCESS}));
    EXPECT_EQ(link.a->Bytes(0, 20000), Pattern(20000, 3));
    EXPECT_EQ(link.b->qp->GetState(), QpState::ERROR);
}

// ---------------------------------------------------------------- lengths

TEST(Send, LongerThanItsReceiveEndsBothPairs)
{
    // IBA vol. 1, table "Summary of Responder NAKs": an invalid request; the receive completes with
    // a length error. With 2 frames the second one is too much, with 1 the first.
    for (uint64_t room : {MTU + 1, MTU - 1})
    {
        VerbsFixture f(MTU);
        f.Build();
        Link link = f.MakeLink();
        const std::vector<uint8_t> before = Pattern(4 * MTU, 2);
        link.b->Fill(0, before);
        link.a->Fill(0, Pattern(2 * MTU, 1));
        ASSERT_EQ(link.b->qp->PostReceive(link.b->Room(1, 0, room)), PostResult::POSTED);
        ASSERT_EQ(link.b->qp->PostReceive(link.b->Room(2, 0, room)), PostResult::POSTED);
        ASSERT_EQ(
            link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 2 * MTU, 7)),
            PostResult::POSTED);
        f.Run();
        EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::REMOTE_INVALID_REQUEST}));
        EXPECT_STREQ(ToString(link.a->done.at(0).wc.status), "WC_REM_INV_REQ_ERR");
        EXPECT_EQ(link.b->Statuses(),
                  (std::vector<WcStatus>{WcStatus::LOCAL_LENGTH, WcStatus::FLUSHED}));
        EXPECT_EQ(link.b->Ids(), (std::vector<uint64_t>{1, 2}));
        EXPECT_STREQ(ToString(link.b->done.at(0).wc.status), "WC_LOC_LEN_ERR");
        EXPECT_EQ(link.a->qp->GetState(), QpState::ERROR);
        EXPECT_EQ(link.b->qp->GetState(), QpState::ERROR);
        std::vector<uint8_t> after = link.b->Bytes(0, 4 * MTU);
        EXPECT_TRUE(std::equal(after.begin() + static_cast<std::ptrdiff_t>(room),
                               after.end(),
                               before.begin() + static_cast<std::ptrdiff_t>(room)))
            << "nothing is written behind the receive's room";
    }
}

TEST(WriteWithImm, NeedsAReceiveButNoRoom)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    ASSERT_EQ(link.b->qp->PostReceive({1, 0, {}}), PostResult::POSTED);
    ASSERT_EQ(
        link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE_WITH_IMM, 5 * MTU)),
        PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    EXPECT_EQ(link.b->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
}

TEST(Receive, WhoseMemoryWasTakenAwayIsAProtectionError)
{
    // IBA vol. 1, 9.9.3: a local fault of the responder; the requester hears of a remote
    // operational error (code 3).
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    ASSERT_EQ(link.b->qp->PostReceive(link.b->Room(1, 0, 64)), PostResult::POSTED);
    link.b->domain->Deregister(link.b->memory);
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 64)),
              PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::REMOTE_OPERATIONAL}));
    EXPECT_EQ(link.b->Statuses(), (std::vector<WcStatus>{WcStatus::LOCAL_PROTECTION}));
    EXPECT_EQ(link.a->qp->GetState(), QpState::ERROR);
    EXPECT_EQ(link.b->qp->GetState(), QpState::ERROR);
}

TEST(LocalMemory, ThatWasTakenAwayIsAProtectionError)
{
    // IBA vol. 1, 10.3.1 and 11.6.2: a local protection error ends the work request that met it;
    // what was posted behind it is flushed, what was complete before stays so.
    VerbsFixture f(MTU);
    f.Build();
    for (RdmaOperation operation :
         {RdmaOperation::SEND, RdmaOperation::WRITE, RdmaOperation::READ, RdmaOperation::FETCH_ADD})
    {
        Link link = f.MakeLink();
        ASSERT_EQ(link.b->qp->PostReceive(link.b->Room(1, 0, 64)), PostResult::POSTED);
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 0)),
                  PostResult::POSTED);
        uint64_t bytes = IsAtomic(operation) ? 8 : 64;
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, operation, bytes)),
                  PostResult::POSTED);
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 0)),
                  PostResult::POSTED);
        link.a->domain->Deregister(link.a->memory);
        f.Run();
        EXPECT_EQ(link.a->Statuses(),
                  (std::vector<WcStatus>{WcStatus::SUCCESS,
                                         WcStatus::LOCAL_PROTECTION,
                                         WcStatus::FLUSHED}))
            << ToString(operation);
        EXPECT_EQ(link.a->qp->GetState(), QpState::ERROR);
        EXPECT_EQ(link.b->qp->GetResponder().GetDeliveredBytes(), 0u) << "nothing was sent";
    }
}

// ---------------------------------------------------------------- shared receive queue

TEST(SharedReceiveQueue, ServesItsPairsFirstComeFirstServed)
{
    VerbsFixture f(MTU);
    f.Build(3);
    auto shared = CreateObject<SharedReceiveQueue>();
    shared->SetAttribute("Limit", UintegerValue(2));
    std::vector<size_t> limits;
    shared->TraceConnectWithoutContext("LimitReached", Callback<void, size_t>([&](size_t left) {
                                           limits.push_back(left);
                                       }));
    auto share = [&](Ptr<QueuePair> qp) { qp->SetSharedReceiveQueue(shared); };
    Link near{f.MakeEnd(0), f.MakeEnd(2, QpType::RC, share)};
    Link far{f.MakeEnd(1), f.MakeEnd(2, QpType::RC, share)};
    QueuePair::Connect(near.a->qp, near.b->qp);
    QueuePair::Connect(far.a->qp, far.b->qp);
    for (uint64_t id = 0; id < 4; ++id)
    {
        ASSERT_EQ(shared->PostReceive({id, 64, {}}), PostResult::POSTED);
    }
    EXPECT_EQ(near.b->qp->PostReceive({9, 64, {}}), PostResult::SHARED_RECEIVES);
    // Alternately, each when the one before is done.
    for (uint64_t i = 0; i < 4; ++i)
    {
        const Link& link = i % 2 == 0 ? near : far;
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 64)),
                  PostResult::POSTED);
        f.Run();
    }
    EXPECT_EQ(near.b->Ids(), (std::vector<uint64_t>{0, 2}));
    EXPECT_EQ(far.b->Ids(), (std::vector<uint64_t>{1, 3}));
    EXPECT_EQ(near.b->done.at(0).wc.qpNumber, near.b->qp->GetNumber());
    EXPECT_EQ(far.b->done.at(0).wc.qpNumber, far.b->qp->GetNumber());
    EXPECT_EQ(limits, (std::vector<size_t>{1})) << "once, when fewer than two were left";
    EXPECT_EQ(shared->GetSize(), 0u);
}

TEST(SharedReceiveQueue, ThatIsEmptyIsNotReady)
{
    VerbsFixture f(MTU);
    f.Build();
    auto shared = CreateObject<SharedReceiveQueue>();
    Link link =
        f.MakeLink(QpType::RC, [&](Ptr<QueuePair> qp) { qp->SetSharedReceiveQueue(shared); });
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 64)),
              PostResult::POSTED);
    Simulator::Schedule(MicroSeconds(25), [&] {
        ASSERT_EQ(shared->PostReceive({1, 64, {}}), PostResult::POSTED);
    });
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    // It comes at 1, 13 and 25.1 us: the RNR timer's 10 us and a round trip of 2 us apart.
    EXPECT_EQ(f.Total(&RdmaNicCounters::rnrNaksSent), 2u);
}

TEST(SharedReceiveQueue, KeepsItsReceivesWhenAPairFails)
{
    VerbsFixture f(MTU);
    f.Build();
    auto shared = CreateObject<SharedReceiveQueue>();
    Link link =
        f.MakeLink(QpType::RC, [&](Ptr<QueuePair> qp) { qp->SetSharedReceiveQueue(shared); });
    ASSERT_EQ(shared->PostReceive({1, 64, {}}), PostResult::POSTED);
    ASSERT_EQ(link.b->qp->Modify(QpState::ERROR), ModifyResult::MODIFIED);
    EXPECT_TRUE(link.b->done.empty());
    EXPECT_EQ(shared->GetSize(), 1u);
}

// ---------------------------------------------------------------- completion queues

TEST(CompletionQueue, IsPolledInOrder)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    link.a->queue->SetCallback({}); // to be polled
    for (uint64_t id = 0; id < 5; ++id)
    {
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 8, id)),
                  PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(link.a->queue->GetSize(), 5u);
    std::vector<WorkCompletion> some = link.a->queue->Poll(2);
    ASSERT_EQ(some.size(), 2u);
    EXPECT_EQ(some[0].id, 0u);
    EXPECT_EQ(some[1].id, 1u);
    EXPECT_EQ(link.a->queue->Poll().size(), 3u);
    EXPECT_EQ(link.a->queue->Poll().size(), 0u);
}

TEST(CompletionQueue, ThatOverflowsEndsItsPairs)
{
    // IBA vol. 1, 11.2.8 and 11.6.3.3: an overrun is an affiliated error of the queue, and every
    // pair that reports to it fails.
    VerbsFixture f(MTU);
    f.Build(3);
    auto small = CreateObject<CompletionQueue>();
    small->SetAttribute("Capacity", UintegerValue(2));
    std::vector<uint64_t> lost;
    small->TraceConnectWithoutContext(
        "Overflow",
        Callback<void, const WorkCompletion&>(
            [&](const WorkCompletion& wc) { lost.push_back(wc.id); }));
    auto useSmall = [&](Ptr<QueuePair> qp) { qp->SetCompletionQueue(small); };
    Link first{f.MakeEnd(0, QpType::RC, useSmall), f.MakeEnd(1)};
    Link second{f.MakeEnd(0, QpType::RC, useSmall), f.MakeEnd(2)};
    QueuePair::Connect(first.a->qp, first.b->qp);
    QueuePair::Connect(second.a->qp, second.b->qp);
    for (uint64_t id = 0; id < 3; ++id)
    {
        ASSERT_EQ(first.a->qp->PostSend(VerbsFixture::Request(first, RdmaOperation::WRITE, 8, id)),
                  PostResult::POSTED);
    }
    f.Run();
    EXPECT_TRUE(small->HasOverflowed());
    EXPECT_EQ(lost, (std::vector<uint64_t>{2}));
    EXPECT_EQ(first.a->qp->GetState(), QpState::ERROR);
    EXPECT_EQ(small->GetSize(), 2u) << "what was there can still be polled";
    // The queue stays broken, whether it is polled or not.
    EXPECT_EQ(small->Poll().size(), 2u);
    ASSERT_EQ(second.a->qp->PostSend(VerbsFixture::Request(second, RdmaOperation::WRITE, 8, 9)),
              PostResult::POSTED);
    f.Run();
    EXPECT_EQ(second.a->qp->GetState(), QpState::ERROR);
    EXPECT_EQ(small->GetSize(), 0u);
}

TEST(CompletionQueue, OfReceivesCanBeAnotherOne)
{
    VerbsFixture f(MTU);
    f.Build();
    auto receives = CreateObject<CompletionQueue>();
    Link link =
        f.MakeLink(QpType::RC, [&](Ptr<QueuePair> qp) { qp->SetReceiveCompletionQueue(receives); });
    ASSERT_EQ(link.b->qp->PostReceive({4, 64, {}}), PostResult::POSTED);
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 64, 3)),
              PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{3}));
    EXPECT_TRUE(link.b->done.empty());
    std::vector<WorkCompletion> polled = receives->Poll();
    ASSERT_EQ(polled.size(), 1u);
    EXPECT_EQ(polled[0].id, 4u);
    EXPECT_EQ(polled[0].opcode, WcOpcode::RECV);
}

TEST(Unsignaled, IsSilentUnlessItFails)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::WRITE, 8, 1);
    request.signaled = false;
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    request.id = 2;
    request.signaled = true;
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{2}));
    request.id = 3;
    request.signaled = false;
    request.remoteKey ^= 0x100;
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{2, 3}));
    EXPECT_EQ(link.a->done.back().wc.status, WcStatus::REMOTE_ACCESS);
    EXPECT_EQ(f.records.size(), 3u) << "reports see all of them";
}

TEST(Solicited, IsTheBitOfTheLastFrame)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    ASSERT_EQ(link.b->qp->PostReceive({1, 3 * MTU, {}}), PostResult::POSTED);
    SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::SEND, 3 * MTU);
    request.solicited = true;
    std::vector<bool> bits;
    f.Watch(0, "FrameTx", [&](const FabricFrame& frame) { bits.push_back(frame.solicited); });
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(bits, (std::vector<bool>{false, false, true}));
    ASSERT_EQ(link.b->done.size(), 1u);
    EXPECT_TRUE(link.b->done[0].wc.solicited);
}

// ---------------------------------------------------------------- order

TEST(Fence, WaitsForTheDataOfReads)
{
    // IBA vol. 1, 10.8.3.3: a fenced request starts when all READs and atomics before it are done.
    for (bool fence : {false, true})
    {
        VerbsFixture f(MTU);
        f.Build();
        Link link = f.MakeLink();
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::READ, 20000, 1)),
                  PostResult::POSTED);
        SendWorkRequest write = VerbsFixture::Request(link, RdmaOperation::WRITE, 8, 2, 32768);
        write.fence = fence;
        ASSERT_EQ(link.a->qp->PostSend(write), PostResult::POSTED);
        Time started;
        f.Watch(0, "FrameTx", [&](const FabricFrame& frame) {
            if (GetOpcodeTraits(frame.opcode).write)
            {
                started = Simulator::Now();
            }
        });
        f.Run();
        ASSERT_EQ(link.a->Ids(), (std::vector<uint64_t>{1, 2}));
        Time read = link.a->done[0].at;
        // Unfenced it follows the READ request of 78 bytes at once.
        EXPECT_EQ(started, fence ? read : OnWire("400Gbps", bytes::PREAMBLE + 78 + bytes::GAP));
    }
}

TEST(Inline, CopiesTheBytesWhenItIsPosted)
{
    for (bool inlined : {false, true})
    {
        VerbsFixture f(MTU);
        f.Build();
        Link link = f.MakeLink();
        const std::vector<uint8_t> old = Pattern(100, 1);
        const std::vector<uint8_t> changed = Pattern(100, 2);
        link.a->Fill(0, old);
        // A long one in front: the second one is still queued when the memory changes.
        ASSERT_EQ(link.a->qp->PostSend(
                      VerbsFixture::Request(link, RdmaOperation::WRITE, 4 * MTU, 0, 4096)),
                  PostResult::POSTED);
        SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::WRITE, 100);
        request.inlined = inlined;
        ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
        link.a->Fill(0, changed);
        f.Run();
        EXPECT_EQ(link.b->Bytes(0, 100), inlined ? old : changed);
    }
}

TEST(MaxReads, HoldsBackWhatIsTooMany)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("MaxReads", UintegerValue(2));
    });
    std::vector<Time> asked;
    f.Watch(0, "FrameTx", [&](const FabricFrame& frame) {
        if (GetOpcodeTraits(frame.opcode).readRequest)
        {
            asked.push_back(Simulator::Now());
        }
    });
    for (uint64_t id = 0; id < 4; ++id)
    {
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::READ, 2000, id)),
                  PostResult::POSTED);
    }
    f.Run();
    ASSERT_EQ(asked.size(), 4u);
    ASSERT_EQ(link.a->Ids(), (std::vector<uint64_t>{0, 1, 2, 3}));
    EXPECT_EQ(asked[1], OnWire("400Gbps", bytes::PREAMBLE + 78 + bytes::GAP));
    EXPECT_EQ(asked[2], link.a->done[0].at) << "when the first one is done";
    EXPECT_EQ(asked[3], link.a->done[1].at);
}

TEST(MaxReads, HoldsBackAtomicsToo)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("MaxReads", UintegerValue(1));
    });
    for (uint64_t id = 0; id < 3; ++id)
    {
        SendWorkRequest add = VerbsFixture::Request(link, RdmaOperation::FETCH_ADD, 8, id);
        add.swapOrAdd = 1;
        ASSERT_EQ(link.a->qp->PostSend(add), PostResult::POSTED);
    }
    f.Run();
    ASSERT_EQ(link.a->done.size(), 3u);
    Time one = OneWay({bytes::ROCE + 28}) + OneWay({bytes::ROCE + 4 + 8});
    for (int64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(link.a->done[i].at, one * (i + 1)) << "one round trip after the other";
        EXPECT_EQ(link.a->done[i].wc.atomicOriginal, static_cast<uint64_t>(i));
    }
}

TEST(MaxIncomingReads, ExceededIsAnInvalidRequest)
{
    // IBA vol. 1, 9.7.4.1.3 (responder resources): more than were agreed on is an invalid request.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("MaxIncomingReads", UintegerValue(1));
    });
    for (uint64_t id = 0; id < 2; ++id)
    {
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::READ, 20000, id)),
                  PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(link.a->Statuses(),
              (std::vector<WcStatus>{WcStatus::SUCCESS, WcStatus::REMOTE_INVALID_REQUEST}));
    EXPECT_EQ(link.a->qp->GetState(), QpState::ERROR);
    EXPECT_EQ(link.b->qp->GetState(), QpState::ERROR);
}

TEST(ImplicitAck, IsAReadResponse)
{
    // IBA vol. 1, 9.7.5.1: a response acknowledges all requests before it. The WRITE's own ACK is
    // lost; nothing is repeated.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    uint32_t lost = 0;
    f.Lose(0, [&](const FabricFrame& frame) {
        bool lose = frame.opcode == RdmaOpcode::RC_ACK;
        lost += lose;
        return lose;
    });
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 2000, 1)),
              PostResult::POSTED);
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::READ, 500, 2)),
              PostResult::POSTED);
    f.Run();
    EXPECT_EQ(lost, 1u);
    EXPECT_EQ(link.a->Ids(), (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(2, WcStatus::SUCCESS)));
    EXPECT_EQ(link.a->done[0].at, link.a->done[1].at);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::timeouts), 0u);
}

// ---------------------------------------------------------------- what is refused at the call

SendWorkRequest
PlainWrite(uint64_t count)
{
    SendWorkRequest request;
    request.bytes = count;
    return request;
}

TEST(PostSend, RefusesWhatTheTypeDoesNotHave)
{
    VerbsFixture f(MTU);
    f.Build();
    using O = RdmaOperation;
    Link uc = f.MakeLink(QpType::UC);
    for (O operation : {O::SEND_WITH_INVALIDATE, O::READ, O::COMPARE_SWAP, O::FETCH_ADD})
    {
        EXPECT_EQ(uc.a->qp->PostSend(VerbsFixture::Request(uc, operation, 8)),
                  PostResult::WRONG_OPERATION)
            << ToString(operation);
    }
    auto ud = f.MakeEnd(0, QpType::UD);
    for (QpState state : {QpState::INIT, QpState::RTR, QpState::RTS})
    {
        ASSERT_EQ(ud->qp->Modify(state), ModifyResult::MODIFIED);
    }
    for (O operation : {O::SEND_WITH_INVALIDATE,
                        O::WRITE,
                        O::WRITE_WITH_IMM,
                        O::READ,
                        O::COMPARE_SWAP,
                        O::FETCH_ADD})
    {
        SendWorkRequest request = PlainWrite(8);
        request.operation = operation;
        EXPECT_EQ(ud->qp->PostSend(request), PostResult::WRONG_OPERATION) << ToString(operation);
    }
    SendWorkRequest request = PlainWrite(8);
    request.operation = O::SEND;
    EXPECT_EQ(ud->qp->PostSend(request), PostResult::NO_DESTINATION);
    request.path = ud->qp->CreateAddressHandle(uc.b->qp->GetLocal().address);
    request.bytes = MTU + 1;
    EXPECT_EQ(ud->qp->PostSend(request), PostResult::MESSAGE_TOO_LONG);
}

TEST(PostSend, RefusesWhatIsTooLongOrDoesNotFit)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("MaxSge", UintegerValue(2));
        qp->SetAttribute("MaxInline", UintegerValue(64));
        qp->SetProtectionDomain(nullptr); // the open one
    });
    QueuePair& qp = *link.a->qp;
    constexpr uint64_t TWO_GIB = uint64_t{1} << 31; // IBA vol. 1, 9.3.3.1.3
    EXPECT_EQ(qp.PostSend(PlainWrite(TWO_GIB + 1)), PostResult::MESSAGE_TOO_LONG);
    EXPECT_EQ(qp.PostSend(PlainWrite(TWO_GIB)), PostResult::POSTED);
    SendWorkRequest request = PlainWrite(100);
    request.payload = Create<Packet>(99);
    EXPECT_EQ(qp.PostSend(request), PostResult::PAYLOAD_MISMATCH);
    request = PlainWrite(100);
    request.pieces = {{0, 50, 0}, {100, 49, 0}};
    EXPECT_EQ(qp.PostSend(request), PostResult::PAYLOAD_MISMATCH);
    request.pieces = {{0, 50, 0}, {100, 49, 0}, {200, 1, 0}};
    EXPECT_EQ(qp.PostSend(request), PostResult::TOO_MANY_PIECES);
    request = PlainWrite(65);
    request.inlined = true;
    EXPECT_EQ(qp.PostSend(request), PostResult::INLINE_TOO_LONG);
    request.bytes = 64;
    EXPECT_EQ(qp.PostSend(request), PostResult::POSTED);
    request.operation = RdmaOperation::READ;
    EXPECT_EQ(qp.PostSend(request), PostResult::INLINE_TOO_LONG) << "nothing goes out inline";
    request = PlainWrite(8);
    request.operation = RdmaOperation::FETCH_ADD;
    request.remoteAddress = 4;
    EXPECT_EQ(qp.PostSend(request), PostResult::BAD_ATOMIC);
    request.remoteAddress = 8;
    request.bytes = 4;
    EXPECT_EQ(qp.PostSend(request), PostResult::BAD_ATOMIC);
}

TEST(PostSend, RefusesLocalKeysThatDoNotCoverTheMemory)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    auto readOnly = link.a->domain->Register(0x9000, 4096, REMOTE_READ);
    SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::WRITE, 100);
    request.pieces[0].localKey ^= 0x100;
    EXPECT_EQ(link.a->qp->PostSend(request), PostResult::BAD_LOCAL_KEY);
    request.pieces[0].localKey = 0;
    EXPECT_EQ(link.a->qp->PostSend(request), PostResult::BAD_LOCAL_KEY) << "the domain is not open";
    request.pieces = {link.a->Piece(End::MEMORY_BYTES - 99, 100)};
    EXPECT_EQ(link.a->qp->PostSend(request), PostResult::BAD_LOCAL_KEY);
    request.pieces = {{0x9000, 100, readOnly->GetLocalKey()}};
    EXPECT_EQ(link.a->qp->PostSend(request), PostResult::POSTED)
        << "local reads are always allowed";
    request.operation = RdmaOperation::READ;
    EXPECT_EQ(link.a->qp->PostSend(request), PostResult::BAD_LOCAL_KEY) << "a READ writes there";
    ReceiveWorkRequest receive{1, 100, {0x9000, 100, readOnly->GetLocalKey()}};
    EXPECT_EQ(link.a->qp->PostReceive(receive), PostResult::BAD_LOCAL_KEY);
    receive = link.a->Room(1, 0, 100);
    receive.bytes = 99;
    EXPECT_EQ(link.a->qp->PostReceive(receive), PostResult::PAYLOAD_MISMATCH);
}

TEST(Post, RefusesMoreThanTheQueuesHold)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::RC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("MaxSendWr", UintegerValue(2));
        qp->SetAttribute("MaxReceiveWr", UintegerValue(2));
    });
    for (PostResult expected : {PostResult::POSTED, PostResult::POSTED, PostResult::QUEUE_FULL})
    {
        EXPECT_EQ(link.a->qp->PostSend(PlainWrite(0)), expected);
        EXPECT_EQ(link.a->qp->PostReceive({1, 8, {}}), expected);
    }
    f.Run();
    EXPECT_EQ(link.a->qp->PostSend(PlainWrite(0)), PostResult::POSTED) << "there is room again";
    auto shared = CreateObject<SharedReceiveQueue>();
    shared->SetAttribute("MaxWr", UintegerValue(1));
    EXPECT_EQ(shared->PostReceive({1, 8, {}}), PostResult::POSTED);
    EXPECT_EQ(shared->PostReceive({1, 8, {}}), PostResult::QUEUE_FULL);
}

TEST(Queues, OfNoDepthAreRefused)
{
    auto refuses = [](Ptr<Object> object, const std::string& name) {
        return !object->SetAttributeFailSafe(name, UintegerValue(0)) &&
               object->SetAttributeFailSafe(name, UintegerValue(1));
    };
    for (const char* name : {"MaxSendWr", "MaxReceiveWr", "MaxSge", "MaxReads", "MaxIncomingReads"})
    {
        EXPECT_TRUE(refuses(CreateObject<QueuePair>(), name)) << name;
    }
    EXPECT_TRUE(refuses(CreateObject<CompletionQueue>(), "Capacity"));
    EXPECT_TRUE(refuses(CreateObject<SharedReceiveQueue>(), "MaxWr"));
}

TEST(Explain, NamesPairNodeAndState)
{
    VerbsFixture f(MTU);
    f.Build();
    auto end = f.MakeEnd(1, QpType::UC);
    auto expectNamed = [&](const std::string& text, const std::string& reason) {
        std::string node = std::to_string(f.Port(1)->GetNode()->GetId());
        std::string pair = std::to_string(end->qp->GetNumber());
        EXPECT_NE(text.find("UC queue pair " + pair + " of node " + node + " (RESET)"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find(reason), std::string::npos) << text;
    };
    for (int i = 0; i <= static_cast<int>(PostResult::SHARED_RECEIVES); ++i)
    {
        auto result = static_cast<PostResult>(i);
        EXPECT_STRNE(ToString(result), "unknown") << i;
        expectNamed(end->qp->Explain(result), ToString(result));
    }
    for (int i = 0; i <= static_cast<int>(ModifyResult::BAD_REMOTE); ++i)
    {
        auto result = static_cast<ModifyResult>(i);
        EXPECT_STRNE(ToString(result), "unknown") << i;
        expectNamed(end->qp->Explain(result), ToString(result));
    }
}

} // namespace
