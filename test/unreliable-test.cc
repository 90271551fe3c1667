// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief UC and UD: what is lost stays lost, and nothing else; multicast.
 */

#include "verbs-fixture.h"

#include "ns3/leaf-spine-topology.h"

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 1024;

// ---------------------------------------------------------------- UC

struct Loss
{
    RdmaOperation operation;
    uint32_t frame; ///< of the second message
};

class UcLoss : public testing::TestWithParam<Loss>
{
};

TEST_P(UcLoss, OfAFrameDropsItsMessageOnly)
{
    // Three messages of four frames. IBA vol. 1, 9.8.2.2: a message with a gap is dropped, and the
    // next one that starts is taken; nothing is said to the sender.
    const Loss& p = GetParam();
    constexpr uint64_t COUNT = 4 * MTU;
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::UC);
    f.Lose(0, [&](const FabricFrame& frame) { return frame.psn == 4 + p.frame; });
    uint64_t written = 0;
    f.Nic(1)->TraceConnectWithoutContext(
        "Written",
        Callback<void, const QueuePair&, uint64_t>([&](const QueuePair&, uint64_t) { ++written; }));
    bool send = IsSend(p.operation);
    for (uint64_t id = 0; id < 3; ++id)
    {
        ReceiveWorkRequest room =
            send ? link.b->Room(10 + id, id * COUNT, COUNT) : ReceiveWorkRequest{10 + id, 0, {}};
        ASSERT_EQ(link.b->qp->PostReceive(room), PostResult::POSTED);
        link.a->Fill(id * COUNT, Pattern(COUNT, static_cast<uint32_t>(id)));
        ASSERT_EQ(
            link.a->qp->PostSend(VerbsFixture::Request(link, p.operation, COUNT, id, id * COUNT)),
            PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(3, WcStatus::SUCCESS)))
        << "the sender does not know";
    EXPECT_EQ(f.Nic(1)->GetCounters().brokenMessages, 1u);
    EXPECT_EQ(link.b->qp->GetState(), QpState::RTS);
    if (p.operation == RdmaOperation::WRITE)
    {
        EXPECT_EQ(written, 2u);
        EXPECT_TRUE(link.b->done.empty());
    }
    else
    {
        // The receive that the broken message had is used by the next one.
        EXPECT_EQ(link.b->Ids(), (std::vector<uint64_t>{10, 11}));
        for (const End::Done& done : link.b->done)
        {
            EXPECT_EQ(done.wc.status, WcStatus::SUCCESS);
            EXPECT_EQ(done.wc.bytes, COUNT);
        }
        EXPECT_EQ(link.b->qp->Query().receivesPosted, 1u);
    }
    EXPECT_EQ(link.b->Bytes(0, COUNT), Pattern(COUNT, 0));
    EXPECT_EQ(link.b->Bytes((send ? 1 : 2) * COUNT, COUNT), Pattern(COUNT, 2));
}

std::vector<Loss>
Losses()
{
    std::vector<Loss> all;
    for (RdmaOperation operation :
         {RdmaOperation::SEND, RdmaOperation::WRITE, RdmaOperation::WRITE_WITH_IMM})
    {
        for (uint32_t frame = 0; frame < 4; ++frame)
        {
            all.push_back({operation, frame});
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(EachFrame,
                         UcLoss,
                         testing::ValuesIn(Losses()),
                         [](const testing::TestParamInfo<Loss>& info) {
                             return std::string(ToString(info.param.operation)) + "_" +
                                    std::to_string(info.param.frame);
                         });

TEST(Uc, DropsASendWithoutAReceive)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::UC);
    for (uint64_t id = 0; id < 2; ++id)
    {
        ASSERT_EQ(
            link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::SEND, 3 * MTU, id)),
            PostResult::POSTED);
        f.Run();
        ASSERT_EQ(link.b->qp->PostReceive(link.b->Room(5 + id, 0, 3 * MTU)), PostResult::POSTED);
    }
    EXPECT_EQ(f.Nic(1)->GetCounters().brokenMessages, 1u);
    EXPECT_EQ(link.b->Ids(), (std::vector<uint64_t>{5}));
    EXPECT_EQ(link.b->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
}

TEST(Uc, DropsAWriteWithoutTheRight)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::UC);
    link.a->Fill(0, Pattern(3 * MTU, 1));
    SendWorkRequest request = VerbsFixture::Request(link, RdmaOperation::WRITE, 3 * MTU);
    request.remoteKey ^= 0x100;
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    EXPECT_EQ(link.b->Bytes(0, 3 * MTU), std::vector<uint8_t>(3 * MTU));
    EXPECT_EQ(f.Nic(1)->GetCounters().brokenMessages, 1u);
    EXPECT_EQ(link.b->qp->GetState(), QpState::RTS);
}

TEST(Uc, PsnWraps)
{
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink(QpType::UC, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("InitialPsn", UintegerValue(0xfffffe));
    });
    link.a->Fill(0, Pattern(5 * MTU, 1));
    ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 5 * MTU)),
              PostResult::POSTED);
    f.Run();
    EXPECT_EQ(link.b->Bytes(0, 5 * MTU), Pattern(5 * MTU, 1));
    EXPECT_EQ(f.Nic(1)->GetCounters().brokenMessages, 0u);
}

// ---------------------------------------------------------------- UD

/// Makes a UD pair that is ready. @param f the fabric @param host number @return it
std::shared_ptr<End>
MakeDatagramEnd(VerbsFixture& f, uint32_t host, const VerbsFixture::Configure& configure = {})
{
    auto end = f.MakeEnd(host, QpType::UD, configure);
    for (QpState state : {QpState::INIT, QpState::RTR, QpState::RTS})
    {
        EXPECT_EQ(end->qp->Modify(state), ModifyResult::MODIFIED);
    }
    return end;
}

/// @param from sender @param to receiver @param count bytes @param id of the work request
/// @return a SEND with the receiver's queue key
SendWorkRequest
Datagram(const End& from, const End& to, uint64_t count, uint64_t id = 0)
{
    SendWorkRequest request;
    request.id = id;
    request.operation = RdmaOperation::SEND;
    request.bytes = count;
    if (count > 0)
    {
        request.pieces = {from.Piece(0, count)};
    }
    QpRemote remote = to.qp->GetLocal();
    request.path = from.qp->CreateAddressHandle(remote.address, remote.mac);
    request.remoteQp = remote.qpNumber;
    request.qkey = 0x11111111;
    return request;
}

TEST(Ud, ArrivesBehindFortyBytesForTheHeader)
{
    // IBA vol. 1, 11.4.1.2 and ibv_post_recv: the first 40 bytes are kept for the GRH.
    for (uint64_t count : {uint64_t{0}, uint64_t{1}, MTU - 1, MTU})
    {
        for (bool immediate : {false, true})
        {
            VerbsFixture f(MTU);
            f.Build();
            auto a = MakeDatagramEnd(f, 0);
            auto extra = MakeDatagramEnd(f, 1); // so that the numbers of both sides differ
            auto b = MakeDatagramEnd(f, 1);
            a->Fill(0, Pattern(count, 1));
            b->Fill(0, Pattern(8, 2));
            ASSERT_EQ(b->qp->PostReceive(b->Room(9, 0, 40 + count)), PostResult::POSTED);
            SendWorkRequest request = Datagram(*a, *b, count, 4);
            request.immediate = 0xabcd;
            request.operation = immediate ? RdmaOperation::SEND_WITH_IMM : RdmaOperation::SEND;
            ASSERT_EQ(a->qp->PostSend(request), PostResult::POSTED);
            f.Run();
            ASSERT_EQ(a->done.size(), 1u);
            EXPECT_EQ(a->done[0].wc.status, WcStatus::SUCCESS);
            EXPECT_EQ(a->done[0].wc.bytes, count);
            // BTH and DETH 8, ImmDt 4: done when the frame is on the wire.
            uint64_t size = bytes::Frame(count) + 8 + (immediate ? 4 : 0);
            EXPECT_EQ(
                a->done[0].at,
                OnWire("400Gbps", bytes::PREAMBLE + std::max<uint64_t>(size, 64) + bytes::GAP));
            ASSERT_EQ(b->done.size(), 1u);
            const WorkCompletion& wc = b->done[0].wc;
            EXPECT_EQ(wc.status, WcStatus::SUCCESS);
            EXPECT_EQ(wc.id, 9u);
            EXPECT_EQ(wc.bytes, count + 40);
            EXPECT_EQ(wc.sourceQp, a->qp->GetNumber());
            EXPECT_EQ(wc.qpNumber, b->qp->GetNumber());
            EXPECT_EQ(wc.hasImmediate, immediate);
            EXPECT_EQ(wc.immediate, immediate ? 0xabcdu : 0u);
            EXPECT_EQ(b->Bytes(40, count), Pattern(count, 1));
        }
    }
}

TEST(Ud, ReachesManyPairsFromOne)
{
    VerbsFixture f(MTU);
    f.Build(3);
    auto from = MakeDatagramEnd(f, 0);
    std::vector<std::shared_ptr<End>> to{MakeDatagramEnd(f, 1), MakeDatagramEnd(f, 2)};
    for (const auto& end : to)
    {
        ASSERT_EQ(end->qp->PostReceive(end->Room(1, 0, 200)), PostResult::POSTED);
        ASSERT_EQ(from->qp->PostSend(Datagram(*from, *end, 100)), PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(to[0]->done.size(), 1u);
    EXPECT_EQ(to[1]->done.size(), 1u);
}

TEST(Ud, WithAnotherQueueKeyIsDropped)
{
    VerbsFixture f(MTU);
    f.Build();
    auto a = MakeDatagramEnd(f, 0);
    auto b = MakeDatagramEnd(f, 1, [](Ptr<QueuePair> qp) {
        qp->SetAttribute("Qkey", UintegerValue(0x22222222));
    });
    ASSERT_EQ(b->qp->PostReceive(b->Room(1, 0, 140)), PostResult::POSTED);
    SendWorkRequest request = Datagram(*a, *b, 100);
    ASSERT_EQ(a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    EXPECT_TRUE(b->done.empty());
    EXPECT_EQ(f.Nic(1)->GetCounters().droppedDatagrams, 1u);
    EXPECT_EQ(b->qp->Query().receivesPosted, 1u) << "the receive is still there";
    request.qkey = 0x22222222;
    ASSERT_EQ(a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(b->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
}

TEST(Ud, WithoutAReceiveIsDropped)
{
    VerbsFixture f(MTU);
    f.Build();
    auto a = MakeDatagramEnd(f, 0);
    auto b = MakeDatagramEnd(f, 1);
    ASSERT_EQ(a->qp->PostSend(Datagram(*a, *b, 100)), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(a->Statuses(), (std::vector<WcStatus>{WcStatus::SUCCESS}));
    EXPECT_EQ(f.Nic(1)->GetCounters().droppedDatagrams, 1u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::rnrNaksSent), 0u);
}

TEST(Ud, LongerThanItsReceiveIsALengthError)
{
    VerbsFixture f(MTU);
    f.Build();
    auto a = MakeDatagramEnd(f, 0);
    auto b = MakeDatagramEnd(f, 1);
    a->Fill(0, Pattern(100, 1));
    ASSERT_EQ(b->qp->PostReceive(b->Room(1, 0, 139)), PostResult::POSTED);
    ASSERT_EQ(b->qp->PostReceive(b->Room(2, 0, 140)), PostResult::POSTED);
    for (int i = 0; i < 2; ++i)
    {
        ASSERT_EQ(a->qp->PostSend(Datagram(*a, *b, 100)), PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(b->Ids(), (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(b->Statuses(), (std::vector<WcStatus>{WcStatus::LOCAL_LENGTH, WcStatus::SUCCESS}));
}

// ---------------------------------------------------------------- multicast

TEST(Multicast, ReachesEachPairOfTheGroupOnce)
{
    for (bool ipv6 : {false, true})
    {
        VerbsFixture f(MTU);
        LeafSpineParameters parameters;
        parameters.leaves = 3;
        parameters.hostsPerLeaf = 3;
        parameters.spines = 2;
        parameters.linksPerSpine = 2; // a flood that follows every cable would come many times
        f.FabricFixture::Build(MakeLeafSpine(parameters));
        auto useIp = [&](Ptr<QueuePair> qp) { qp->SetAttribute("Ipv6", BooleanValue(ipv6)); };
        RdmaAddress group = RdmaAddress::FromIpv4(0xef010101); // 239.1.1.1
        if (ipv6)
        {
            std::array<uint8_t, 16> address{0xff, 0x1e}; // ff1e::101:1
            address[13] = address[15] = 1;
            address[12] = 1;
            group = RdmaAddress::FromIpv6(address);
        }
        std::vector<std::shared_ptr<End>> members;
        std::vector<std::shared_ptr<End>> others;
        for (uint32_t host = 0; host < 9; ++host)
        {
            others.push_back(MakeDatagramEnd(f, host, useIp));
            // One host of the sender's leaf, all of the second, none of the third but its last.
            if (host == 1 || host / 3 == 1 || host == 8)
            {
                members.push_back(MakeDatagramEnd(f, host, useIp));
                members.back()->qp->AttachMulticast(group);
                members.back()->qp->AttachMulticast(group); // twice is once
            }
        }
        members.push_back(MakeDatagramEnd(f, 8, useIp)); // two on one NIC
        members.back()->qp->AttachMulticast(group);
        for (const auto& ends : {members, others})
        {
            for (const auto& end : ends)
            {
                for (uint64_t id : {1, 2, 3})
                {
                    ASSERT_EQ(end->qp->PostReceive(end->Room(id, 0, 140)), PostResult::POSTED);
                }
            }
        }
        const auto& sender = others[0];
        sender->Fill(0, Pattern(100, 7));
        SendWorkRequest request = Datagram(*sender, *sender, 100);
        request.path = sender->qp->CreateAddressHandle(group);
        request.remoteQp = 0xffffff; // IBA vol. 1, 10.5: the multicast QP number
        ASSERT_EQ(sender->qp->PostSend(request), PostResult::POSTED);
        f.Run();
        for (const auto& end : members)
        {
            ASSERT_EQ(end->Ids(), (std::vector<uint64_t>{1}))
                << "a member on node " << end->qp->GetPort().GetNodeId();
            EXPECT_EQ(end->done[0].wc.sourceQp, sender->qp->GetNumber());
            EXPECT_EQ(end->Bytes(40, 100), Pattern(100, 7));
        }
        for (const auto& end : others)
        {
            EXPECT_EQ(end->done.size(), end == sender ? 1u : 0u) << "only the sender's own";
        }
        EXPECT_EQ(f.Total(&RdmaNicCounters::droppedDatagrams), 0u);
        EXPECT_EQ(f.Drops(), 0u);
    }
}

} // namespace
