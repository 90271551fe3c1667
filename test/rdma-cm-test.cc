// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Connections by an exchange of messages: their bytes beside a capture's, their time beside
 * the closed form, and what loss, refusal and silence lead to.
 */

#include "fabric-fixture.h"
#include "pcap-file.h"
#include "tshark.h"
#include "wire-bytes.h"

#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rdma-connection-manager.h"
#include "ns3/soft-rdma-helper.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using wire_test::BytesOf;
using wire_test::FromHex;
using wire_test::ToHex;

constexpr size_t MAD = 256;
constexpr uint16_t PORT = 0x4853;
const std::string RATE = "100Gbps";
constexpr int64_t DELAY_NS = 500;

/// A frame with a management datagram: Ethernet 14, IPv4 20, UDP 8, BTH 12, DETH 8, datagram 256,
/// ICRC 4, FCS 4; over IPv6 20 more.
constexpr uint64_t MAD_FRAME = 326;

/// @param frameBytes of a frame that is alone @return its time over both cables of a star
Time
OneWay(uint64_t frameBytes = MAD_FRAME)
{
    return 2 * (OnWire(RATE, bytes::PREAMBLE + frameBytes) + NanoSeconds(DELAY_NS));
}

/// What is waited for an answer with Linux' constants: 4.096 us x (2^20 + 2 x 2^16).
const Time LINUX_WAIT = NanoSeconds(4096) * ((1 << 20) + 2 * (1 << 16));

/// @param frame any @return name of its communication management message; "" if it has none
std::string
NameOf(const FabricFrame& frame)
{
    if (frame.destQp != 1 || !frame.payload || frame.payload->GetSize() != MAD)
    {
        return "";
    }
    // The attribute id is in bytes 16 and 17 of the datagram (IBA vol. 1, 13.4.2 and 12.6).
    static const std::map<int, std::string> NAMES = {{0x10, "REQ"},
                                                     {0x11, "MRA"},
                                                     {0x12, "REJ"},
                                                     {0x13, "REP"},
                                                     {0x14, "RTU"},
                                                     {0x15, "DREQ"},
                                                     {0x16, "DREP"}};
    return NAMES.at(BytesOf(frame.payload)[17]);
}

/// Hosts around a switch, each with a connection manager, and all that happens between them.
class RdmaCm : public testing::Test
{
  protected:
    RdmaCm()
        : completions(CreateObject<CompletionQueue>())
    {
        SetDefault("ProcessingTime", TimeValue(Time(0)));
        completions->SetCallback(
            Callback<void, const WorkCompletion&>([this](const WorkCompletion& c) {
                completed.push_back({c, Simulator::Now()});
            }));
    }

    static void SetDefault(const std::string& name, const AttributeValue& value)
    {
        Config::SetDefault("ns3::RdmaConnectionManager::" + name, value);
    }

    /// @param hosts how many; cable 0, the active side's, is watched
    void Build(uint32_t hosts = 2)
    {
        f.BuildStar(hosts, RATE, NanoSeconds(DELAY_NS));
        f.Cable(0)->SetLossFilter(Callback<bool, const FabricFrame&>(
            [this](const FabricFrame& frame) { return Watch(frame); }));
    }

    bool Watch(const FabricFrame& frame)
    {
        frames.push_back(BytesOf(frame.ToPacket()));
        std::string name = NameOf(frame);
        if (name.empty())
        {
            return false;
        }
        messages.push_back(name);
        mads.push_back(BytesOf(frame.payload));
        auto left = lose.find(name);
        return left != lose.end() && left->second-- > 0;
    }

    Ptr<RdmaConnectionManager> Manager(uint32_t host) const
    {
        return RdmaConnectionManager::Of(f.Nic(host));
    }

    Ptr<QueuePair> MakePair(uint32_t host, const std::map<std::string, uint64_t>& attributes = {})
    {
        auto stack = f.network.hosts.Get(host)->GetObject<RdmaStack>();
        Ptr<QueuePair> qp = stack->CreateQueuePair(f.Port(host), completions);
        for (const auto& [name, value] : attributes)
        {
            qp->SetAttribute(name, UintegerValue(value));
        }
        return qp;
    }

    RdmaConnectionCallback Record(uint32_t host)
    {
        return RdmaConnectionCallback(
            [this, host](Ptr<RdmaConnection> connection, RdmaConnectionEvent event) {
                events.push_back({host, event, Simulator::Now(), connection});
            });
    }

    /// Host 1 accepts all connections. @param attributes of its pairs
    void AcceptAll(const std::map<std::string, uint64_t>& attributes = {}, bool ipv6 = false)
    {
        RdmaConnectionCallback record = Record(1);
        Manager(1)->Listen(
            PORT,
            RdmaConnectionCallback([this, attributes, ipv6, record](Ptr<RdmaConnection> connection,
                                                                    RdmaConnectionEvent event) {
                record(connection, event);
                if (event == RdmaConnectionEvent::CONNECT_REQUEST)
                {
                    Ptr<QueuePair> qp = MakePair(1, attributes);
                    qp->SetAttribute("Ipv6", BooleanValue(ipv6));
                    connection->Accept(qp, {7, 8, 9});
                }
            }));
    }

    Ptr<RdmaConnection> ConnectTo(uint32_t from,
                                  uint32_t to,
                                  Ptr<QueuePair> qp,
                                  const std::vector<uint8_t>& privateData = {},
                                  uint16_t port = PORT)
    {
        QpRemote there = MakeRemote(to, qp);
        return Manager(from)
            ->Connect(qp, there.address, there.mac, port, Record(from), privateData);
    }

    QpRemote MakeRemote(uint32_t host, Ptr<QueuePair> like) const
    {
        const RdmaPort& port = *f.Nic(host)->GetPorts()[0];
        return {port.GetAddress(like->GetLocal().address.ipv6), port.GetMac(), 0, 0};
    }

    struct Event
    {
        uint32_t host;
        RdmaConnectionEvent event;
        Time at;
        Ptr<RdmaConnection> connection;
    };

    /// There is one event of that kind at a host. @param host where @param event what
    /// @return it
    Event The(uint32_t host, RdmaConnectionEvent event) const
    {
        std::vector<Event> found;
        std::copy_if(events.begin(), events.end(), std::back_inserter(found), [&](const Event& e) {
            return e.host == host && e.event == event;
        });
        EXPECT_EQ(found.size(), 1u) << ToString(event) << " at host " << host;
        return found.empty() ? Event{} : found[0];
    }

    size_t Count(RdmaConnectionEvent event) const
    {
        return std::count_if(events.begin(), events.end(), [event](const Event& e) {
            return e.event == event;
        });
    }

    FabricFixture f;
    Ptr<CompletionQueue> completions;
    std::vector<FabricFixture::Completion> completed;
    std::vector<Event> events;
    std::map<std::string, int> lose;   ///< how many of the next messages of that name
    std::vector<std::string> messages; ///< on cable 0, both ways
    std::vector<wire_test::Bytes> mads;
    std::vector<wire_test::Bytes> frames;
};

using Names = std::vector<std::string>;
using E = RdmaConnectionEvent;

// ---------------------------------------------------------------- bytes

/// @param bytes of a datagram @return them as MadBytes
MadBytes
ToMad(const wire_test::Bytes& bytes)
{
    MadBytes mad{};
    EXPECT_EQ(bytes.size(), mad.size());
    std::copy_n(bytes.begin(), std::min(bytes.size(), mad.size()), mad.begin());
    return mad;
}

/// @return the datagrams of a real exchange, in order; empty where the capture is not
std::vector<wire_test::Bytes>
CapturedMads()
{
    const std::string path = AI_FABRIC_SOURCE_DIR "/../shared/data/pcap/rdma_cm.pcap";
    std::vector<wire_test::Bytes> mads;
    if (!std::ifstream(path).good())
    {
        return mads;
    }
    for (const pcap::Bytes& image : pcap::Read(path))
    {
        FramePtr frame = FabricFrame::FromPacket(wire_test::PacketOf(image));
        if (frame && frame->kind == FrameKind::ROCE && frame->destQp == 1)
        {
            EXPECT_EQ(frame->opcode, RdmaOpcode::UD_SEND_ONLY);
            EXPECT_EQ(frame->qkey, 0x80010000u);
            EXPECT_EQ(frame->srcQp, 1u);
            mads.push_back(BytesOf(frame->payload));
        }
    }
    return mads;
}

TEST(CmWire, CapturedDatagramsParseAndComeOutTheSame)
{
    std::vector<wire_test::Bytes> mads = CapturedMads();
    if (mads.empty())
    {
        GTEST_SKIP() << "no ../shared/data/pcap/rdma_cm.pcap";
    }
    Names names;
    for (const wire_test::Bytes& bytes : mads)
    {
        std::string error;
        auto datagram = CmDatagram::FromBytes(ToMad(bytes), &error);
        ASSERT_TRUE(datagram) << error;
        names.push_back(GetName(datagram->message));
        EXPECT_EQ(datagram->ToBytes(), ToMad(bytes)) << names.back();
    }
    // As tshark lists them.
    EXPECT_EQ(names,
              Names({"REQ",
                     "REP",
                     "RTU",
                     "REQ",
                     "REP",
                     "RTU",
                     "DREQ",
                     "DREQ",
                     "DREP",
                     "DREP",
                     "DREQ",
                     "DREP"}));

    // The first REQ and REP, as tshark prints them. (Its flow label and packet rate, 0x0091a and
    // 0x11, are not the bytes': those are 91 a3 c0 00.)
    auto first = CmDatagram::FromBytes(ToMad(mads[0]));
    EXPECT_EQ(first->transactionId, 0x26dc5c064u);
    const auto& req = std::get<CmRequest>(first->message);
    EXPECT_EQ(req.localId, 0x64c0c56du);
    EXPECT_EQ(req.serviceId, MakeIpServiceId(0x4853));
    EXPECT_EQ(req.caGuid, 0x025056fffea77d03u);
    EXPECT_EQ(req.qpNumber, 0x3du);
    EXPECT_EQ(req.responderResources, 0);
    EXPECT_EQ(req.initiatorDepth, 0);
    EXPECT_EQ(req.remoteResponseTimeout, 20);
    EXPECT_EQ(req.transport, CmTransport::RC);
    EXPECT_EQ(req.startingPsn, 0x7cc204u);
    EXPECT_EQ(req.localResponseTimeout, 20);
    EXPECT_EQ(req.retryCount, 7);
    EXPECT_EQ(req.pkey, 0xffff);
    EXPECT_EQ(CmMtuBytes(req.pathMtu), 1024u);
    EXPECT_EQ(req.rnrRetryCount, 7);
    EXPECT_EQ(req.maxCmRetries, 15);
    EXPECT_EQ(req.primary.localLid, 0xffff);
    EXPECT_EQ(req.primary.flowLabel, 0x91a3cu);
    EXPECT_EQ(req.primary.packetRate, 0);
    EXPECT_EQ(req.primary.hopLimit, 64);
    EXPECT_EQ(req.primary.ackTimeout, 17);
    auto header = IpCmHeader::Read(req);
    ASSERT_TRUE(header);
    EXPECT_FALSE(header->ipv6);
    EXPECT_EQ(header->sourcePort, 0xccf7);
    EXPECT_EQ(header->source[15], 62); // 10.1.16.62
    EXPECT_EQ(header->destination[15], 61);
    const auto rep = std::get<CmReply>(CmDatagram::FromBytes(ToMad(mads[1]))->message);
    EXPECT_EQ(rep.localId, 0x8988f456u);
    EXPECT_EQ(rep.remoteId, 0x64c0c56du);
    EXPECT_EQ(rep.qpNumber, 0x3bu);
    EXPECT_EQ(rep.startingPsn, 0x727d6du);
    EXPECT_EQ(rep.targetAckDelay, 15);
    EXPECT_EQ(rep.rnrRetryCount, 7);
}

TEST(CmWire, FieldsAreWhereTheStandardHasThem)
{
    // Offsets in the datagram: 24 bytes of header, then IBA vol. 1, 12.6.5 to 12.6.11.
    auto expect = [](const CmMessage& message, const std::map<size_t, std::string>& at) {
        MadBytes bytes = CmDatagram{0x0102030405060708, message}.ToBytes();
        wire_test::Bytes expected(MAD);
        for (const auto& [offset, hex] : at)
        {
            wire_test::Bytes part = FromHex(hex);
            std::copy(part.begin(), part.end(), expected.begin() + static_cast<int>(offset));
        }
        EXPECT_EQ(ToHex({bytes.begin(), bytes.end()}), ToHex(expected)) << GetName(message);
        auto back = CmDatagram::FromBytes(bytes);
        ASSERT_TRUE(back);
        EXPECT_EQ(back->transactionId, 0x0102030405060708u);
        EXPECT_EQ(back->ToBytes(), bytes);
    };
    auto header = [](const std::string& attribute) {
        return "01 07 02 03 0000 0000 0102030405060708 " + attribute + " 0000 00000000";
    };
    CmRequest req;
    req.localId = 0xa1a2a3a4;
    req.serviceId = MakeIpServiceId(18515);
    req.caGuid = 0xb1b2b3b4b5b6b7b8;
    req.qkey = 0xc1c2c3c4;
    req.qpNumber = 0xd1d2d3;
    req.responderResources = 4;
    req.initiatorDepth = 5;
    req.remoteResponseTimeout = 0x15; // 10101 and UC 01 and flow control 1: 1010 1011
    req.transport = CmTransport::UC;
    req.flowControl = true;
    req.startingPsn = 0xe1e2e3;
    req.localResponseTimeout = 0x12; // 10010 and 110: 1001 0110
    req.retryCount = 6;
    req.pkey = 0x8001;
    req.pathMtu = 5; // 0101 0 011
    req.rnrRetryCount = 3;
    req.maxCmRetries = 9; // 1001 1 000
    req.sharedReceiveQueue = true;
    req.primary.localLid = 0x1112;
    req.primary.remoteLid = 0x1314;
    req.primary.localGid = {0xfe, 0x80, 1};
    req.primary.remoteGid = {0xfe, 0x80, 2};
    req.primary.flowLabel = 0xabcde;
    req.primary.packetRate = 0x2a;
    req.primary.trafficClass = 0x77;
    req.primary.hopLimit = 0x40;
    req.primary.serviceLevel = 3;
    req.primary.subnetLocal = true; // 0011 1 000
    req.primary.ackTimeout = 17;    // 10001 000
    req.alternate.localLid = 0x2122;
    req.privateData[91] = 0x99;
    expect(req,
           {{0, header("0010")},
            {24, "a1a2a3a4"},
            {32, "0000 0000 0106 4853"},
            {40, "b1b2b3b4b5b6b7b8"},
            {52, "c1c2c3c4 d1d2d3 04 000000 05 000000 ab e1e2e3 96 8001 53 98 1112 1314"},
            {80, "fe8001"},
            {96, "fe8002"},
            {112, "abcde02a 77 40 38 88"},
            {120, "2122"},
            {255, "99"}});
    CmReply rep;
    rep.localId = 1;
    rep.remoteId = 2;
    rep.qkey = 3;
    rep.qpNumber = 0x414243;
    rep.startingPsn = 0x515253;
    rep.responderResources = 6;
    rep.initiatorDepth = 7;
    rep.targetAckDelay = 15; // 01111 10 1
    rep.failoverAccepted = 2;
    rep.flowControl = true;
    rep.rnrRetryCount = 5; // 101 1 0000
    rep.sharedReceiveQueue = true;
    rep.caGuid = 0x0102030405060708;
    rep.privateData[0] = 0x66;
    rep.privateData[195] = 0x67;
    expect(rep,
           {{0, header("0013")},
            {24, "00000001 00000002 00000003 414243 00 00000000 515253 00 06 07 7d b0"},
            {52, "0102030405060708 66"},
            {255, "67"}});
    CmReadyToUse rtu{1, 2, {}};
    rtu.privateData[0] = 3;
    expect(rtu, {{0, header("0014")}, {24, "00000001 00000002 03"}});
    CmReject rej;
    rej.localId = 1;
    rej.remoteId = 2;
    rej.answered = CmAnswered::REP; // 01 000000
    rej.informationBytes = 72;      // 1001000 0
    rej.reason = CmRejectReason::CONSUMER;
    rej.information[71] = 4;
    rej.privateData[0] = 5;
    rej.privateData[147] = 6;
    expect(
        rej,
        {{0, header("0012")}, {24, "00000001 00000002 40 90 001c"}, {107, "04 05"}, {255, "06"}});
    CmReceipt mra;
    mra.localId = 1;
    mra.remoteId = 2;
    mra.answered = CmAnswered::OTHER; // 10 000000
    mra.serviceTimeout = 24;          // 11000 000
    mra.privateData[0] = 9;
    expect(mra, {{0, header("0011")}, {24, "00000001 00000002 80 c0 09"}});
    CmDisconnectRequest dreq;
    dreq.localId = 1;
    dreq.remoteId = 2;
    dreq.remoteQpNumber = 0xa0b0c0;
    dreq.privateData[219] = 1;
    expect(dreq, {{0, header("0015")}, {24, "00000001 00000002 a0b0c0 00"}, {255, "01"}});
    CmDisconnectReply drep{1, 2, {}};
    drep.privateData[223] = 1;
    expect(drep, {{0, header("0016")}, {24, "00000001 00000002"}, {255, "01"}});
}

TEST(CmWire, OtherDatagramsAreRefused)
{
    MadBytes good = CmDatagram{1, CmReadyToUse{}}.ToBytes();
    ASSERT_TRUE(CmDatagram::FromBytes(good));
    for (auto [offset, value] : {std::pair<size_t, uint8_t>{0, 2}, // base version
                                 {1, 0x03},                        // subnet administration
                                 {2, 1},                           // class version
                                 {3, 0x01},                        // method Get
                                 {17, 0x19}})                      // LAP
    {
        MadBytes bad = good;
        bad[offset] = value;
        std::string error;
        EXPECT_FALSE(CmDatagram::FromBytes(bad, &error)) << offset;
        EXPECT_NE(error, "") << offset;
    }
    for (auto [mtu, code] : {std::pair<uint32_t, int>{256, 1},
                             {512, 2},
                             {1024, 3},
                             {2048, 4},
                             {4096, 5},
                             {1000, 0},
                             {8192, 0}})
    {
        EXPECT_EQ(CmMtuCode(mtu), code) << mtu; // IBA vol. 1, 9.8.2 path MTU
    }
    EXPECT_EQ(CmMtuBytes(0), 0u);
    EXPECT_EQ(CmMtuBytes(6), 0u);
}

// ---------------------------------------------------------------- set-up

TEST_F(RdmaCm, TakesTwoWaysAndThreeAndThenAWriteCompletes)
{
    Build();
    AcceptAll();
    Ptr<QueuePair> qp = MakePair(0);
    QpRemote there = MakeRemote(1, qp);
    constexpr uint64_t BYTES = 1000;
    RdmaConnectionCallback record = Record(0);
    Manager(0)->Connect(qp,
                        there.address,
                        there.mac,
                        PORT,
                        RdmaConnectionCallback([&](Ptr<RdmaConnection> connection, E event) {
                            record(connection, event);
                            SendWorkRequest request;
                            request.bytes = BYTES;
                            EXPECT_EQ(qp->PostSend(request), PostResult::POSTED);
                        }));
    EXPECT_EQ(qp->GetState(), QpState::INIT);
    f.Run();

    EXPECT_EQ(messages, Names({"REQ", "REP", "RTU"}));
    EXPECT_EQ(The(1, E::CONNECT_REQUEST).at, OneWay());
    EXPECT_EQ(The(0, E::ESTABLISHED).at, 2 * OneWay());
    EXPECT_EQ(The(1, E::ESTABLISHED).at, 3 * OneWay());
    // The WRITE leaves behind the RTU and the gap after it; then it, and its ACK, are alone.
    ASSERT_EQ(completed.size(), 1u);
    EXPECT_EQ(completed[0].wc.status, WcStatus::SUCCESS);
    EXPECT_EQ(completed[0].at,
              2 * OneWay() + OnWire(RATE, bytes::PREAMBLE + MAD_FRAME + bytes::GAP) +
                  OneWay(bytes::Frame(BYTES) + bytes::RETH) + OneWay(bytes::ACK));
    Ptr<QueuePair> other = The(1, E::ESTABLISHED).connection->GetQueuePair();
    EXPECT_EQ(other->GetState(), QpState::RTS);
    EXPECT_EQ(other->GetRemoteNumber(), qp->GetNumber());
    EXPECT_EQ(qp->GetRemoteNumber(), other->GetNumber());
    EXPECT_EQ(other->GetResponder().GetDeliveredBytes(), BYTES);
}

TEST_F(RdmaCm, ProcessingTimeIsPaidForEachMessage)
{
    SetDefault("ProcessingTime", TimeValue(MicroSeconds(10)));
    Build();
    AcceptAll();
    ConnectTo(0, 1, MakePair(0));
    f.Run();
    EXPECT_EQ(The(0, E::ESTABLISHED).at, 2 * (OneWay() + MicroSeconds(10)));
    EXPECT_EQ(The(1, E::ESTABLISHED).at, 3 * (OneWay() + MicroSeconds(10)));
}

TEST_F(RdmaCm, WorksOverIpv6)
{
    Build();
    AcceptAll({}, true);
    Ptr<QueuePair> qp = MakePair(0);
    qp->SetAttribute("Ipv6", BooleanValue(true));
    ConnectTo(0, 1, qp);
    f.Run();
    EXPECT_EQ(The(0, E::ESTABLISHED).at, 2 * OneWay(MAD_FRAME + 20));
    EXPECT_EQ(The(1, E::ESTABLISHED).at, 3 * OneWay(MAD_FRAME + 20));
    EXPECT_EQ(The(1, E::ESTABLISHED).connection->GetPeerAddress(), qp->GetLocal().address);
}

TEST_F(RdmaCm, PrivateDataArrives)
{
    Build();
    AcceptAll();
    std::vector<uint8_t> data(56);
    std::iota(data.begin(), data.end(), 1);
    ConnectTo(0, 1, MakePair(0), data);
    f.Run();
    EXPECT_EQ(The(1, E::CONNECT_REQUEST).connection->GetPeerPrivateData(), data);
    std::vector<uint8_t> answer = The(0, E::ESTABLISHED).connection->GetPeerPrivateData();
    ASSERT_EQ(answer.size(), 196u);
    answer.resize(4);
    EXPECT_EQ(answer, std::vector<uint8_t>({7, 8, 9, 0}));
}

TEST_F(RdmaCm, BothPairsGetWhatWasAgreed)
{
    Build();
    Ptr<QueuePair> a = MakePair(0,
                                {{"Mtu", 1024},
                                 {"InitialPsn", 0xfffffe},
                                 {"RetryCount", 5},
                                 {"RnrRetryCount", 3},
                                 {"Timeout", 17},
                                 {"MaxReads", 8},
                                 {"MaxIncomingReads", 4}});
    AcceptAll({{"Mtu", 4096},
               {"InitialPsn", 0x123456},
               {"RetryCount", 1},
               {"RnrRetryCount", 6},
               {"MaxReads", 16},
               {"MaxIncomingReads", 2}});
    ConnectTo(0, 1, a);
    f.Run();
    Ptr<QueuePair> b = The(1, E::ESTABLISHED).connection->GetQueuePair();
    EXPECT_EQ(messages, Names({"REQ", "REP", "RTU"}));
    EXPECT_EQ(a->GetMtu(), 1024u);
    EXPECT_EQ(b->GetMtu(), 1024u);
    EXPECT_EQ(a->Query().nextSendPsn, 0xfffffeu);
    EXPECT_EQ(b->Query().expectedPsn, 0xfffffeu);
    EXPECT_EQ(b->Query().nextSendPsn, 0x123456u);
    EXPECT_EQ(a->Query().expectedPsn, 0x123456u);
    // The retry count is the active side's for both; each side says how often the other one tries
    // when it is not ready itself.
    EXPECT_EQ(a->GetRetryCount(), 5);
    EXPECT_EQ(b->GetRetryCount(), 5);
    EXPECT_EQ(b->GetRnrRetryCount(), 3);
    EXPECT_EQ(a->GetRnrRetryCount(), 6);
    EXPECT_EQ(b->GetTimeoutSteps(), a->GetTimeoutSteps());
    // READs from a to b: 8 wanted, 2 served. From b to a: 16 wanted, 4 served.
    EXPECT_EQ(a->GetMaxReads(), 2);
    EXPECT_EQ(b->GetMaxIncomingReads(), 2);
    EXPECT_EQ(b->GetMaxReads(), 4);
    EXPECT_EQ(a->GetMaxIncomingReads(), 4);
}

TEST_F(RdmaCm, SmallerMtuOfThePassiveSideCostsOneMoreRound)
{
    for (int losses : {0, 1}) // of the REJ
    {
        SCOPED_TRACE(losses);
        if (losses == 0)
        {
            Build();
            AcceptAll({{"Mtu", 1024}});
        }
        lose["REJ"] = losses;
        messages.clear();
        events.clear();
        Time start = Simulator::Now();
        Ptr<QueuePair> a = MakePair(0, {{"Mtu", 4096}});
        ConnectTo(0, 1, a);
        f.Run();
        Time waited = losses * LINUX_WAIT;
        EXPECT_EQ(messages,
                  losses ? Names({"REQ", "REJ", "REQ", "REJ", "REQ", "REP", "RTU"})
                         : Names({"REQ", "REJ", "REQ", "REP", "RTU"}));
        EXPECT_EQ(The(0, E::ESTABLISHED).at - start, waited + 4 * OneWay());
        EXPECT_EQ(The(1, E::ESTABLISHED).at - start, waited + 5 * OneWay());
        EXPECT_EQ(a->GetMtu(), 1024u);
        EXPECT_EQ(The(1, E::CONNECT_REQUEST).connection->GetQueuePair()->GetMtu(), 1024u);
    }
}

// ---------------------------------------------------------------- beside the capture

TEST_F(RdmaCm, MessagesEqualTheCapturedOnes)
{
    std::vector<wire_test::Bytes> captured = CapturedMads();
    if (captured.empty())
    {
        GTEST_SKIP() << "no ../shared/data/pcap/rdma_cm.pcap";
    }
    Build();
    AcceptAll();
    // What the program of the capture had set: path MTU 1024, local ACK timeout 17.
    ConnectTo(0, 1, MakePair(0, {{"Mtu", 1024}, {"Timeout", 17}}));
    f.Run();
    Ptr<RdmaConnection> active = The(0, E::ESTABLISHED).connection;
    active->Disconnect();
    f.Run();
    ASSERT_EQ(messages, Names({"REQ", "REP", "RTU", "DREQ", "DREP"}));

    /// What belongs to the two runs and not to the protocol, by the offset in the datagram.
    using Places = std::vector<std::pair<size_t, size_t>>;
    const std::pair<size_t, size_t> TRANSACTION{8, 8};
    const std::pair<size_t, size_t> IDS{24, 8};

    struct Row
    {
        const char* name;
        size_t capturedAt; ///< its number among the captured datagrams
        Places differ;
    };

    const std::vector<Row> TABLE = {
        {"REQ",
         0,
         {TRANSACTION,
          IDS,
          {40, 8} /* GUID */,
          {56, 4} /* QP, responder resources */,
          {63, 1} /* initiator depth */,
          {68, 3} /* PSN */,
          {92, 4},
          {108, 4} /* GIDs' IPv4 */,
          {112, 4} /* flow label */,
          {166, 2} /* source port */,
          {180, 4},
          {196, 4} /* IPv4 */}},
        {"REP",
         1,
         {TRANSACTION,
          IDS,
          {36, 3} /* QP */,
          {44, 3} /* PSN */,
          {48, 2} /* responder resources, initiator depth */,
          {52, 8} /* GUID */,
          {60, 3} /* private data of AcceptAll() */}},
        {"RTU", 2, {TRANSACTION, IDS}},
        {"DREQ", 6, {TRANSACTION, IDS, {32, 3} /* QP */}},
        {"DREP", 8, {TRANSACTION, IDS}},
    };
    for (size_t i = 0; i < TABLE.size(); ++i)
    {
        wire_test::Bytes ours = mads[i];
        wire_test::Bytes theirs = captured[TABLE[i].capturedAt];
        for (auto [at, bytes] : TABLE[i].differ)
        {
            std::fill_n(ours.begin() + static_cast<int>(at), bytes, 0);
            std::fill_n(theirs.begin() + static_cast<int>(at), bytes, 0);
        }
        EXPECT_EQ(ToHex(ours), ToHex(theirs)) << TABLE[i].name;
    }

    // And what differs is put together by the same rules, here as there.
    for (const auto& [run, at] :
         {std::pair(mads, std::vector<size_t>{0, 1, 2, 3, 4}),
          std::pair(captured, std::vector<size_t>{3, 4, 5, 6, 8})}) // its second connection
    {
        auto part = [&, &run = run, &at = at](size_t message, size_t offset, size_t bytes) {
            const wire_test::Bytes& mad = run[at[message]];
            return ToHex({mad.begin() + static_cast<int>(offset),
                          mad.begin() + static_cast<int>(offset + bytes)});
        };
        EXPECT_EQ(part(0, 28, 4), "00000000");
        EXPECT_EQ(part(0, 8, 8), part(1, 8, 8)); // one transaction: REQ, REP, RTU
        EXPECT_EQ(part(0, 8, 8), part(2, 8, 8));
        EXPECT_EQ(part(3, 8, 8), part(4, 8, 8));   // DREQ, DREP
        EXPECT_EQ(part(0, 24, 4), part(1, 28, 4)); // the active side's id
        EXPECT_EQ(part(0, 24, 4), part(2, 24, 4));
        EXPECT_EQ(part(1, 24, 4), part(2, 28, 4)); // the passive side's
        EXPECT_EQ(part(0, 24, 4), part(3, 24, 4)); // the active side disconnects
        EXPECT_EQ(part(1, 24, 4), part(3, 28, 4));
        EXPECT_EQ(part(1, 24, 4), part(4, 24, 4));
        EXPECT_EQ(part(1, 36, 3), part(3, 32, 3));  // the passive side's QP
        EXPECT_EQ(part(0, 92, 4), part(0, 180, 4)); // addresses: in the GID and in the IP header
        EXPECT_EQ(part(0, 108, 4), part(0, 196, 4));
    }
}

TEST_F(RdmaCm, TsharkReadsTheExchange)
{
    if (!tshark::IsInstalled())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    for (bool ipv6 : {false, true})
    {
        SCOPED_TRACE(ipv6 ? "IPv6" : "IPv4");
        if (!ipv6)
        {
            Build();
        }
        frames.clear();
        events.clear();
        AcceptAll({{"Mtu", 1024}}, ipv6);
        Ptr<QueuePair> qp = MakePair(0);
        qp->SetAttribute("Ipv6", BooleanValue(ipv6));
        ConnectTo(0, 1, qp);
        f.Run();
        The(0, E::ESTABLISHED).connection->Disconnect();
        f.Run();
        Manager(1)->StopListening(PORT);
        tshark::TemporaryCapture capture(frames);
        EXPECT_EQ(tshark::Errors(capture.Path()), std::vector<std::string>());
        std::string info = ipv6 ? "ipv6" : "ip";
        auto rows = tshark::Read(capture.Path(),
                                 {"_ws.col.Info",
                                  "infiniband.bth.opcode",
                                  "infiniband.bth.destqp",
                                  "infiniband.bth.psn",
                                  "infiniband.deth.q_key",
                                  "infiniband.deth.srcqp",
                                  "infiniband.mad.mgmtclass",
                                  info + ".src"});
        Names expected = {"ConnectRequest",
                          "ConnectReject",
                          "ConnectRequest",
                          "ConnectReply",
                          "ReadyToUse",
                          "DisconnectRequest",
                          "DisconnectReply"};
        ASSERT_EQ(rows.size(), expected.size());
        std::map<std::string, uint64_t> nextPsn;
        for (size_t i = 0; i < rows.size(); ++i)
        {
            EXPECT_NE(rows[i]["_ws.col.Info"].find("CM: " + expected[i]), std::string::npos)
                << rows[i]["_ws.col.Info"];
            EXPECT_EQ(tshark::ToNumber(rows[i]["infiniband.bth.opcode"]), 0x64u);
            EXPECT_EQ(tshark::ToNumber(rows[i]["infiniband.bth.destqp"]), 1u);
            EXPECT_EQ(tshark::ToNumber(rows[i]["infiniband.deth.q_key"]), 0x80010000u);
            EXPECT_EQ(tshark::ToNumber(rows[i]["infiniband.deth.srcqp"]), 1u);
            EXPECT_EQ(tshark::ToNumber(rows[i]["infiniband.mad.mgmtclass"]), 7u);
            uint64_t psn = tshark::ToNumber(rows[i]["infiniband.bth.psn"]);
            auto [next, first] = nextPsn.emplace(rows[i][info + ".src"], psn);
            EXPECT_EQ(psn, next->second);
            ++next->second;
        }
    }
}

// ---------------------------------------------------------------- loss and silence

/// A message that is lost once, and what that changes.
struct Loss
{
    const char* message;
    int activeWaits;  ///< times LINUX_WAIT until the active side is established
    int passiveWaits; ///< likewise the passive side
    int endWaits;     ///< likewise from Disconnect() of the active side to its end
    Names on;         ///< on the cable
};

/// @param loss a parameter @param os where GoogleTest prints it
void
PrintTo(const Loss& loss, std::ostream* os)
{
    *os << loss.message;
}

class RdmaCmLoss : public RdmaCm, public testing::WithParamInterface<Loss>
{
};

TEST_P(RdmaCmLoss, IsRecovered)
{
    const Loss& loss = GetParam();
    Build();
    AcceptAll();
    lose[loss.message] = 1;
    Ptr<QueuePair> qp = MakePair(0);
    ConnectTo(0, 1, qp);
    f.Run();
    EXPECT_EQ(The(0, E::ESTABLISHED).at, loss.activeWaits * LINUX_WAIT + 2 * OneWay());
    EXPECT_EQ(The(1, E::ESTABLISHED).at, loss.passiveWaits * LINUX_WAIT + 3 * OneWay());
    Time end = Simulator::Now();
    The(0, E::ESTABLISHED).connection->Disconnect();
    EXPECT_EQ(qp->GetState(), QpState::ERROR);
    f.Run();
    EXPECT_EQ(The(0, E::DISCONNECTED).at - end, loss.endWaits * LINUX_WAIT + 2 * OneWay());
    The(1, E::DISCONNECTED);
    EXPECT_EQ(events.size(), 5u) << "CONNECT_REQUEST, twice ESTABLISHED and DISCONNECTED";
    EXPECT_EQ(messages, loss.on);
    EXPECT_EQ(Manager(0)->GetNConnections() + Manager(1)->GetNConnections(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    EachMessage,
    RdmaCmLoss,
    testing::Values(Loss{"none", 0, 0, 0, {"REQ", "REP", "RTU", "DREQ", "DREP"}},
                    Loss{"REQ", 1, 1, 0, {"REQ", "REQ", "REP", "RTU", "DREQ", "DREP"}},
                    Loss{"REP", 1, 1, 0, {"REQ", "REP", "REQ", "REP", "RTU", "DREQ", "DREP"}},
                    Loss{"RTU", 0, 1, 0, {"REQ", "REP", "RTU", "REP", "RTU", "DREQ", "DREP"}},
                    Loss{"DREQ", 0, 0, 1, {"REQ", "REP", "RTU", "DREQ", "DREQ", "DREP"}},
                    Loss{"DREP", 0, 0, 1, {"REQ", "REP", "RTU", "DREQ", "DREP", "DREQ", "DREP"}}),
    [](const testing::TestParamInfo<Loss>& info) { return std::string(info.param.message); });

TEST_F(RdmaCm, DataMayComeBeforeTheReadyToUse)
{
    Build();
    AcceptAll();
    lose["RTU"] = 1;
    Ptr<QueuePair> qp = MakePair(0);
    ConnectTo(0, 1, qp);
    Simulator::Schedule(2 * OneWay() + PicoSeconds(1), [&] {
        SendWorkRequest request;
        request.bytes = 4096;
        EXPECT_EQ(qp->PostSend(request), PostResult::POSTED);
    });
    f.Run();
    ASSERT_EQ(completed.size(), 1u);
    EXPECT_EQ(completed[0].wc.status, WcStatus::SUCCESS);
    EXPECT_LT(completed[0].at, MilliSeconds(1));
    EXPECT_EQ(The(1, E::ESTABLISHED).at, LINUX_WAIT + 3 * OneWay());
}

TEST_F(RdmaCm, NobodyThere)
{
    SetDefault("MaxRetries", UintegerValue(2));
    SetDefault("ResponseTimeout", UintegerValue(10));
    SetDefault("PacketLifeTime", UintegerValue(3));
    Build();
    Ptr<QueuePair> qp = MakePair(0);
    Ptr<RdmaConnection> connection = ConnectTo(0, 1, qp); // host 1 has no connection manager
    ASSERT_EQ(qp->PostReceive({77, 100}), PostResult::POSTED);
    f.Run();
    // Three REQs, each with 4.096 us x (2^10 + 2 x 2^3).
    EXPECT_EQ(messages, Names({"REQ", "REQ", "REQ"}));
    EXPECT_EQ(The(0, E::UNREACHABLE).at, 3 * 1040 * NanoSeconds(4096));
    EXPECT_EQ(connection->GetReason(), CmRejectReason::TIMEOUT);
    EXPECT_EQ(connection->GetState(), RdmaConnectionState::CLOSED);
    EXPECT_EQ(qp->GetState(), QpState::ERROR);
    ASSERT_EQ(completed.size(), 1u);
    EXPECT_EQ(completed[0].wc.id, 77u);
    EXPECT_EQ(completed[0].wc.status, WcStatus::FLUSHED);
}

TEST_F(RdmaCm, BothSidesGiveUpWhenNoReplyGetsThrough)
{
    SetDefault("MaxRetries", UintegerValue(1));
    Build();
    AcceptAll();
    lose["REP"] = 100;
    ConnectTo(0, 1, MakePair(0));
    f.Run();
    EXPECT_EQ(The(0, E::UNREACHABLE).at, 2 * LINUX_WAIT);
    EXPECT_EQ(The(1, E::UNREACHABLE).at, OneWay() + 2 * LINUX_WAIT);
    EXPECT_EQ(The(1, E::UNREACHABLE).connection->GetQueuePair()->GetState(), QpState::ERROR);
}

TEST_F(RdmaCm, TheActiveSideHearsThatNoReadyToUseCame)
{
    SetDefault("MaxRetries", UintegerValue(1));
    Build();
    AcceptAll();
    lose["RTU"] = 100;
    Ptr<QueuePair> qp = MakePair(0);
    ConnectTo(0, 1, qp);
    f.Run();
    EXPECT_EQ(messages, Names({"REQ", "REP", "RTU", "REP", "RTU", "REJ"}));
    EXPECT_EQ(The(1, E::UNREACHABLE).at, OneWay() + 2 * LINUX_WAIT);
    EXPECT_EQ(The(0, E::DISCONNECTED).at, 2 * OneWay() + 2 * LINUX_WAIT);
    EXPECT_EQ(The(0, E::DISCONNECTED).connection->GetReason(), CmRejectReason::TIMEOUT);
    EXPECT_EQ(qp->GetState(), QpState::ERROR);
}

// ---------------------------------------------------------------- refusal

TEST_F(RdmaCm, TheApplicationMayRefuse)
{
    Build();
    RdmaConnectionCallback record = Record(1);
    Manager(1)->Listen(PORT, RdmaConnectionCallback([&](Ptr<RdmaConnection> connection, E event) {
                           record(connection, event);
                           EXPECT_EQ(connection->GetPort(), PORT);
                           EXPECT_EQ(connection->GetType(), QpType::UC);
                           connection->Reject({42});
                       }));
    Ptr<QueuePair> qp = MakePair(0);
    qp->SetAttribute("Type", EnumValue(static_cast<int>(QpType::UC)));
    Ptr<RdmaConnection> connection = ConnectTo(0, 1, qp);
    f.Run();
    EXPECT_EQ(messages, Names({"REQ", "REJ"}));
    EXPECT_EQ(The(0, E::REJECTED).at, 2 * OneWay());
    EXPECT_EQ(connection->GetReason(), CmRejectReason::CONSUMER);
    EXPECT_EQ(connection->GetPeerPrivateData().size(), 148u);
    EXPECT_EQ(connection->GetPeerPrivateData()[0], 42);
    EXPECT_EQ(qp->GetState(), QpState::ERROR);
    EXPECT_EQ(events.size(), 2u);
}

TEST_F(RdmaCm, NobodyListensOnThatPort)
{
    Build();
    AcceptAll();
    Ptr<RdmaConnection> connection = ConnectTo(0, 1, MakePair(0), {}, PORT + 1);
    f.Run();
    The(0, E::REJECTED);
    EXPECT_EQ(connection->GetReason(), CmRejectReason::INVALID_SERVICE_ID);
}

TEST_F(RdmaCm, ALateDecisionIsAskedTimeFor)
{
    SetDefault("ResponseTimeout", UintegerValue(4));
    SetDefault("PacketLifeTime", UintegerValue(1));
    SetDefault("MaxRetries", UintegerValue(1));
    Build();
    Manager(1)->Listen(PORT, Record(1));
    ConnectTo(0, 1, MakePair(0));
    // After one repetition the REQ has no retries left: without the MRA the end would be at
    // 2 x 4.096 us x (2^4 + 2 x 2) = 163.84 us.
    Simulator::Schedule(MilliSeconds(1),
                        [this] { The(1, E::CONNECT_REQUEST).connection->Accept(MakePair(1)); });
    f.Run();
    EXPECT_EQ(messages, Names({"REQ", "REQ", "MRA", "REP", "RTU"}));
    EXPECT_EQ(The(0, E::ESTABLISHED).at, MilliSeconds(1) + OneWay());
    EXPECT_EQ(The(1, E::ESTABLISHED).at, MilliSeconds(1) + 2 * OneWay());
}

TEST_F(RdmaCm, AnOlderConnectionOfThePairIsGivenUp)
{
    Build();
    AcceptAll();
    Ptr<QueuePair> qp = MakePair(0);
    ConnectTo(0, 1, qp);
    f.Run();
    events.clear();
    ASSERT_EQ(qp->Modify(QpState::RESET), ModifyResult::MODIFIED); // host 1 does not hear of it
    Ptr<RdmaConnection> second = ConnectTo(0, 1, qp);
    f.Run();
    The(0, E::REJECTED);
    EXPECT_EQ(second->GetReason(), CmRejectReason::STALE_CONNECTION);
    EXPECT_EQ(The(1, E::DISCONNECTED).connection->GetQueuePair()->GetState(), QpState::ERROR);
    events.clear();
    ASSERT_EQ(qp->Modify(QpState::RESET), ModifyResult::MODIFIED);
    ConnectTo(0, 1, qp);
    f.Run();
    The(0, E::ESTABLISHED);
    The(1, E::ESTABLISHED);
}

// ---------------------------------------------------------------- the end

TEST_F(RdmaCm, DisconnectFlushesBothSides)
{
    Build();
    AcceptAll();
    Ptr<QueuePair> a = MakePair(0);
    ConnectTo(0, 1, a);
    f.Run();
    Ptr<QueuePair> b = The(1, E::ESTABLISHED).connection->GetQueuePair();
    ASSERT_EQ(b->PostReceive({5, 100}), PostResult::POSTED);
    SendWorkRequest request;
    request.id = 6;
    request.bytes = 1 << 30;
    ASSERT_EQ(a->PostSend(request), PostResult::POSTED);
    Time end = Simulator::Now() + MicroSeconds(100);
    Simulator::Schedule(MicroSeconds(100),
                        [this] { The(0, E::ESTABLISHED).connection->Disconnect(); });
    f.Run();
    ASSERT_EQ(completed.size(), 2u);
    EXPECT_EQ(completed[0].wc.id, 6u);
    EXPECT_EQ(completed[0].wc.status, WcStatus::FLUSHED);
    EXPECT_EQ(completed[0].at, end);
    EXPECT_EQ(completed[1].wc.id, 5u);
    EXPECT_EQ(completed[1].wc.status, WcStatus::FLUSHED);
    EXPECT_EQ(completed[1].at, The(1, E::DISCONNECTED).at);
    EXPECT_EQ(b->GetState(), QpState::ERROR);
    The(0, E::ESTABLISHED).connection->Disconnect(); // once more: nothing happens
    f.Run();
    EXPECT_EQ(Count(E::DISCONNECTED), 2u);
}

TEST_F(RdmaCm, DisconnectOfBothSidesAtOnce)
{
    Build();
    AcceptAll();
    ConnectTo(0, 1, MakePair(0));
    f.Run();
    for (uint32_t host : {0, 1})
    {
        The(host, E::ESTABLISHED).connection->Disconnect();
    }
    f.Run();
    EXPECT_EQ(std::count(messages.begin(), messages.end(), "DREQ"), 2); // as in the capture
    EXPECT_EQ(std::count(messages.begin(), messages.end(), "DREP"), 2);
    The(0, E::DISCONNECTED);
    The(1, E::DISCONNECTED);
}

// ---------------------------------------------------------------- many

TEST_F(RdmaCm, AThousandConnectionsToOneServer)
{
    constexpr uint32_t CLIENTS = 10;
    constexpr uint32_t EACH = 100;
    constexpr int64_t PROCESSING_US = 445; // the default
    SetDefault("ProcessingTime", TimeValue(MicroSeconds(PROCESSING_US)));
    Build(CLIENTS + 2); // host 0 does nothing
    AcceptAll();
    for (uint32_t c = 0; c < CLIENTS * EACH; ++c)
    {
        uint32_t client = 2 + c % CLIENTS;
        ConnectTo(client, 1, MakePair(client));
    }
    f.Run();
    EXPECT_EQ(Count(E::CONNECT_REQUEST), CLIENTS * EACH);
    EXPECT_EQ(Count(E::ESTABLISHED), 2 * CLIENTS * EACH);
    EXPECT_EQ(events.size(), 3 * CLIENTS * EACH);
    // From the first REQ on the server has always one more message to work on, 2,000 in all: RTUs
    // come while REQs wait.
    EXPECT_EQ(events.back().host, 1u);
    EXPECT_EQ(events.back().at, OneWay() + 2000 * MicroSeconds(PROCESSING_US));
    EXPECT_EQ(f.Drops(), 0u);
}

TEST_F(RdmaCm, AThousandConnectionsWithLoss)
{
    Build(12);
    AcceptAll();
    uint32_t counter = 0;
    f.Cable(1)->SetLossFilter(Callback<bool, const FabricFrame&>(
        [&counter](const FabricFrame&) { return ++counter % 5 == 0; }));
    for (uint32_t c = 0; c < 1000; ++c)
    {
        ConnectTo(2 + c % 10, 1, MakePair(2 + c % 10));
    }
    f.Run();
    EXPECT_EQ(Count(E::ESTABLISHED), 2000u);
    EXPECT_EQ(events.size(), 3000u);
}

// ---------------------------------------------------------------- the soft attachment

/// The parameter: over IPv6.
class RdmaCmSoft : public RdmaCm, public testing::WithParamInterface<bool>
{
};

TEST_P(RdmaCmSoft, ConnectsAndWrites)
{
    bool ipv6 = GetParam();
    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(devices);
    Ipv6AddressHelper addresses;
    addresses.SetBase("2001:db8::", Ipv6Prefix(64));
    addresses.Assign(devices);
    std::vector<Ptr<RdmaNic>> nics = SoftRdmaHelper().Install(devices);
    auto make = [&](uint32_t n) {
        Ptr<QueuePair> qp =
            nodes.Get(n)->GetObject<RdmaStack>()->CreateQueuePair(nics[n], completions);
        qp->SetAttribute("Ipv6", BooleanValue(ipv6));
        return qp;
    };
    RdmaConnectionCallback passive = Record(1);
    RdmaConnectionManager::Of(nics[1])->Listen(
        PORT,
        RdmaConnectionCallback([&](Ptr<RdmaConnection> connection, E event) {
            passive(connection, event);
            if (event == E::CONNECT_REQUEST)
            {
                connection->Accept(make(1));
            }
        }));
    Ptr<QueuePair> qp = make(0);
    RdmaConnectionCallback active = Record(0);
    RdmaConnectionCallback connectedThenWrite([&](Ptr<RdmaConnection> connection, E event) {
        active(connection, event);
        if (event == E::ESTABLISHED)
        {
            SendWorkRequest request;
            request.bytes = 10000;
            EXPECT_EQ(qp->PostSend(request), PostResult::POSTED);
        }
    });
    constexpr int64_t START_S = 3; // by then IPv6 has looked for duplicates of its addresses
    Simulator::Schedule(Seconds(START_S), [&] {
        RdmaConnectionManager::Of(nics[0])->Connect(qp,
                                                    nics[1]->GetPorts()[0]->GetAddress(ipv6),
                                                    Mac48Address(),
                                                    PORT,
                                                    connectedThenWrite);
    });
    Simulator::Stop(Seconds(2 * START_S));
    f.Run();
    // Two ways of 256 bytes and UD's headers at 1 Gb/s: less than 10 us, but no retry.
    EXPECT_LT(The(0, E::ESTABLISHED).at, Seconds(START_S) + MicroSeconds(10));
    EXPECT_LT(The(1, E::ESTABLISHED).at, Seconds(START_S) + MicroSeconds(15));
    ASSERT_EQ(completed.size(), 1u);
    EXPECT_EQ(completed[0].wc.status, WcStatus::SUCCESS);
    The(0, E::ESTABLISHED).connection->Disconnect();
    Simulator::Stop(Seconds(1));
    f.Run();
    EXPECT_EQ(Count(E::DISCONNECTED), 2u);
}

INSTANTIATE_TEST_SUITE_P(IpVersions,
                         RdmaCmSoft,
                         testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) {
                             return std::string(info.param ? "IPv6" : "IPv4");
                         });

// ---------------------------------------------------------------- misuse

using RdmaCmDeathTest = RdmaCm;

TEST_F(RdmaCmDeathTest, MisuseIsNamed)
{
    Build();
    AcceptAll();
    EXPECT_DEATH(AcceptAll(), "listens on port 18515 already");
    EXPECT_DEATH(ConnectTo(0, 1, MakePair(0), std::vector<uint8_t>(57)),
                 "57 bytes of private data; a REQ has room for 56");
    Ptr<QueuePair> ud = MakePair(0);
    ud->SetAttribute("Type", EnumValue(static_cast<int>(QpType::UD)));
    EXPECT_DEATH(ConnectTo(0, 1, ud), "UD has no connections");
    Ptr<QueuePair> busy = MakePair(0);
    ASSERT_EQ(busy->Modify(QpState::INIT), ModifyResult::MODIFIED);
    EXPECT_DEATH(ConnectTo(0, 1, busy), "\\(INIT\\): it must be in RESET");
    EXPECT_DEATH(ConnectTo(0, 1, MakePair(0, {{"Mtu", 1000}})), "cannot say an Mtu of 1000");
    EXPECT_DEATH(ConnectTo(0, 1, MakePair(1)), "it is of another NIC");
    Ptr<QueuePair> v6 = MakePair(0);
    RdmaAddress v4 = f.Nic(1)->GetPorts()[0]->GetAddress(false);
    v6->SetAttribute("Ipv6", BooleanValue(true));
    EXPECT_DEATH(Manager(0)->Connect(v6, v4, {}, PORT, Record(0)), "its attribute Ipv6");
}

TEST_F(RdmaCmDeathTest, MisuseOfARequestIsNamed)
{
    Build();
    Manager(1)->Listen(PORT, Record(1));
    Ptr<RdmaConnection> active = ConnectTo(0, 1, MakePair(0));
    EXPECT_DEATH(active->Accept(MakePair(0)), "nothing asks for it");
    EXPECT_DEATH(active->Disconnect(), "not established yet");
    Simulator::Stop(MicroSeconds(100));
    f.Run();
    Ptr<RdmaConnection> request = The(1, E::CONNECT_REQUEST).connection;
    EXPECT_DEATH(request->Accept(MakePair(1), std::vector<uint8_t>(197)),
                 "197 bytes of private data; a REP has room for 196");
    EXPECT_DEATH(request->Reject(std::vector<uint8_t>(149)),
                 "149 bytes of private data; a REJ has room for 148");
    Ptr<QueuePair> uc = MakePair(1);
    uc->SetAttribute("Type", EnumValue(static_cast<int>(QpType::UC)));
    EXPECT_DEATH(request->Accept(uc), "asks for RC, the queue pair is UC");
}

} // namespace
