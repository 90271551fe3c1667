// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The packets of a verb are those that Linux' soft-RoCE sent for it.
 *
 * The table was read off captures with tshark: which frames a message has, their payload, which of
 * them ask for an acknowledgement, and what was answered. Each row is checked against the capture
 * (where that is present) and against our own frames.
 *
 * What the captures agree on: the PSN goes up by one a frame; the last frame of each message asks
 * for an acknowledgement, no other one does; each such frame is answered once, by an ACK with its
 * own PSN, syndrome 31 (no credits) and the count of messages; an atomic by its ATOMIC ACK.
 *
 * What differs: in messages of more than 65 frames soft-RoCE asks with every 66th frame, which is
 * AckInterval 66 here (the default is 16). rdma_cm.pcap sets the acknowledgement bit on its
 * management datagrams too, although nobody answers them; pingpong_ud.pcap and ours do not. No
 * capture has a READ or a SEND with invalidate.
 */

#include "pcap-file.h"
#include "verbs-fixture.h"

#include <fstream>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 1024;

// ---------------------------------------------------------------- the table

/// Equal messages, one after the other.
struct Run
{
    uint32_t times;
    RdmaOperation operation;
    uint64_t bytes;
    const char* frames; ///< of each: opcode in hex, 'a' if it asks for an ACK, ':' payload bytes
};

/// What one side of a connection sent, and what it was answered.
struct Conversation
{
    const char* name;
    const char* capture;
    const char* source; ///< IPv4 address of the sender
    uint32_t receiverQp;
    uint32_t senderQp;
    QpType type;
    std::vector<Run> runs;
};

constexpr auto WRITE = RdmaOperation::WRITE;
constexpr auto WRITE_IMM = RdmaOperation::WRITE_WITH_IMM;
constexpr auto SEND = RdmaOperation::SEND;

constexpr const char* WRITE_3000 = "06:1024 07:1024 08a:952";
constexpr const char* WRITE_8192 =
    "06:1024 07:1024 07:1024 07:1024 07:1024 07:1024 07:1024 09a:1024";

/// NCCL, ring all-reduce of three ranks: the ready-to-receive messages of a channel.
const std::vector<Run> NCCL_READY{{16, WRITE, 64, "0aa:64"}};

/// NCCL's data: @p oneByte says which of the first eight, else empty, messages had a byte; then
/// four times 8 KiB, each followed by an empty one.
std::vector<Run>
NcclData(const std::vector<uint32_t>& oneByte)
{
    std::vector<Run> runs(8, Run{1, WRITE_IMM, 0, "0ba:0"});
    for (uint32_t i : oneByte)
    {
        runs[i] = {1, WRITE_IMM, 1, "0ba:1"};
    }
    for (int i = 0; i < 4; ++i)
    {
        runs.push_back({1, WRITE_IMM, 8192, WRITE_8192});
        runs.push_back({1, WRITE_IMM, 0, "0ba:0"});
    }
    return runs;
}

const std::vector<Conversation> CONVERSATIONS{
    {"WriteBandwidth",
     "rdma_write_bw.pcap",
     "10.1.16.62",
     0x1b,
     0x1d,
     QpType::RC,
     {{5, WRITE, 3000, WRITE_3000}}},
    {"WriteLatencyThere",
     "rdma_write_lat.pcap",
     "10.1.16.61",
     0x25,
     0x24,
     QpType::RC,
     {{5, WRITE, 64, "0aa:64"}}},
    {"WriteLatencyBack",
     "rdma_write_lat.pcap",
     "10.1.16.62",
     0x24,
     0x25,
     QpType::RC,
     {{5, WRITE, 64, "0aa:64"}}},
    {"SendBandwidth",
     "rdma_send_bw.pcap",
     "10.1.16.62",
     0x23,
     0x24,
     QpType::RC,
     {{5, SEND, 3000, "00:1024 01:1024 02a:952"}}},
    {"PingPongThere",
     "pingpong_rc.pcap",
     "10.1.16.62",
     0x20,
     0x21,
     QpType::RC,
     {{5, SEND, 1024, "04a:1024"}}},
    {"PingPongBack",
     "pingpong_rc.pcap",
     "10.1.16.61",
     0x21,
     0x20,
     QpType::RC,
     {{5, SEND, 1024, "04a:1024"}}},
    {"AtomicBandwidth",
     "rdma_atomic_bw.pcap",
     "10.1.16.62",
     0x28,
     0x29,
     QpType::RC,
     {{5, RdmaOperation::FETCH_ADD, 8, "14a:0"}}},
    {"DatagramThere",
     "pingpong_ud.pcap",
     "10.1.16.62",
     0x22,
     0x23,
     QpType::UD,
     {{5, SEND, 1024, "64:1024"}}},
    {"DatagramBack",
     "pingpong_ud.pcap",
     "10.1.16.61",
     0x23,
     0x22,
     QpType::UD,
     {{5, SEND, 1024, "64:1024"}}},
    {"ConnectionManagerSends",
     "rdma_cm.pcap",
     "10.1.16.62",
     0x3b,
     0x3d,
     QpType::RC,
     {{1, SEND, 16, "04a:16"},
      {2, SEND, 4, "04a:4"},
      {1, SEND, 2, "04a:2"},
      {6, SEND, 56, "04a:56"},
      {5, SEND, 8, "04a:8"},
      {1, SEND, 56, "04a:56"}}},
    {"ConnectionManagerWrites",
     "rdma_cm.pcap",
     "10.1.16.62",
     0x3c,
     0x3e,
     QpType::RC,
     {{5, WRITE, 3000, WRITE_3000}}},
    {"NcclReady0", "nccl_ring_node0.pcap", "172.30.0.25", 0x27, 0x23, QpType::RC, NCCL_READY},
    {"NcclData0", "nccl_ring_node0.pcap", "172.30.0.25", 0x23, 0x22, QpType::RC, NcclData({4})},
    {"NcclData0In", "nccl_ring_node0.pcap", "172.30.0.12", 0x23, 0x27, QpType::RC, NcclData({2})},
    {"NcclData1", "nccl_ring_node1.pcap", "172.30.0.11", 0x28, 0x22, QpType::RC, NcclData({0, 6})},
    {"NcclReady1", "nccl_ring_node1.pcap", "172.30.0.12", 0x22, 0x28, QpType::RC, NCCL_READY},
    {"NcclData2", "nccl_ring_node2.pcap", "172.30.0.12", 0x23, 0x27, QpType::RC, NcclData({2})},
};

// ---------------------------------------------------------------- sequences

/// One line a frame; PSNs count from the first request.
struct Sequence
{
    std::vector<std::string> requests; ///< "opcode[a]:payload +psn"
    std::vector<std::string> answers;  ///< "opcode syndrome +psn #msn"
};

/// @param opcode of BTH @param asks for an ACK @param payload bytes @param psn step @return a line
std::string
RequestLine(uint32_t opcode, bool asks, uint64_t payload, uint32_t psn)
{
    std::ostringstream line;
    line << std::hex << (opcode < 16 ? "0" : "") << opcode << std::dec << (asks ? "a" : "") << ":"
         << payload << " +" << psn;
    return line.str();
}

/// @param opcode of BTH @param syndrome of AETH @param psn step @param msn of AETH @return a line
std::string
AnswerLine(uint32_t opcode, uint32_t syndrome, uint32_t psn, uint32_t msn)
{
    std::ostringstream line;
    line << std::hex << opcode << std::dec << " " << syndrome << " +" << psn << " #" << msn;
    return line.str();
}

/// @param c a row @return what it says
Sequence
FromTable(const Conversation& c)
{
    constexpr uint32_t NO_CREDITS = 31;
    Sequence s;
    uint32_t psn = 0;
    uint32_t msn = 0;
    for (const Run& run : c.runs)
    {
        for (uint32_t i = 0; i < run.times; ++i)
        {
            std::istringstream frames(run.frames);
            std::string frame;
            while (frames >> frame)
            {
                uint32_t opcode = std::stoul(frame.substr(0, 2), nullptr, 16);
                bool asks = frame[2] == 'a';
                uint64_t payload = std::stoull(frame.substr(frame.find(':') + 1));
                s.requests.push_back(RequestLine(opcode, asks, payload, psn));
                if (asks)
                {
                    bool atomic = opcode == 0x13 || opcode == 0x14;
                    s.answers.push_back(AnswerLine(atomic ? 0x12 : 0x11, NO_CREDITS, psn, ++msn));
                }
                ++psn;
            }
        }
    }
    return s;
}

/// @param address dotted @return 32 bits
uint32_t
AddressOf(const char* address)
{
    uint32_t value = 0;
    std::istringstream text(address);
    for (std::string part; std::getline(text, part, '.');)
    {
        value = value << 8 | std::stoul(part);
    }
    return value;
}

/// What a RoCEv2 frame over IPv4 says, read by hand.
struct Parsed
{
    uint32_t source{0};
    uint32_t opcode{0};
    uint32_t payload{0};
    uint32_t destQp{0};
    bool asks{false};
    uint32_t psn{0};
    uint32_t syndrome{0};
    uint32_t msn{0};
};

/// Bytes between BTH and payload, of the opcodes of the captures (IBA vol. 1, table 38).
uint32_t
ExtensionBytes(uint32_t opcode)
{
    switch (opcode)
    {
    case 0x06:
    case 0x0a:
    case 0x0c:
        return 16; // RETH
    case 0x0b:
        return 16 + 4; // and ImmDt
    case 0x09:
    case 0x11:
    case 0x0d:
    case 0x0f:
    case 0x10:
        return 4; // ImmDt, or AETH
    case 0x12:
        return 4 + 8; // AETH and the old value
    case 0x14:
        return 28; // AtomicETH
    case 0x64:
        return 8; // DETH
    default:
        return 0;
    }
}

/// @param frame from the capture @param parsed what it says @return it is RoCEv2
bool
Parse(const pcap::Bytes& frame, Parsed& parsed)
{
    auto number = [&](size_t at, size_t count) {
        uint32_t value = 0;
        for (size_t i = 0; i < count; ++i)
        {
            value = value << 8 | frame.at(at + i);
        }
        return value;
    };
    constexpr size_t IP = 14;
    constexpr size_t UDP = IP + 20;
    constexpr size_t BTH = UDP + 8;
    if (frame.size() < BTH + 16 || number(12, 2) != 0x0800 || frame[IP] != 0x45 ||
        frame[IP + 9] != 17 || number(UDP + 2, 2) != 4791)
    {
        return false;
    }
    parsed.source = number(IP + 12, 4);
    parsed.opcode = frame[BTH];
    uint32_t pad = frame[BTH + 1] >> 4 & 3;
    parsed.destQp = number(BTH + 5, 3);
    parsed.asks = frame[BTH + 8] >> 7;
    parsed.psn = number(BTH + 9, 3);
    parsed.payload = number(UDP + 4, 2) - 8 - 12 - 4 - pad - ExtensionBytes(parsed.opcode);
    if (parsed.opcode == 0x11 || parsed.opcode == 0x12)
    {
        parsed.syndrome = frame.at(BTH + 12);
        parsed.msn = number(BTH + 13, 3);
    }
    return true;
}

/// @param c a row @return what its capture has
Sequence
FromCapture(const Conversation& c, const std::string& path)
{
    Sequence s;
    uint32_t source = AddressOf(c.source);
    uint32_t first = 0;
    for (const pcap::Bytes& frame : pcap::Read(path))
    {
        Parsed p;
        if (!Parse(frame, p))
        {
            continue;
        }
        bool answer = p.opcode >= 0x0d && p.opcode <= 0x12;
        if (!answer && p.source == source && p.destQp == c.receiverQp)
        {
            first = s.requests.empty() ? p.psn : first;
            s.requests.push_back(
                RequestLine(p.opcode, p.asks, p.payload, (p.psn - first) & 0xffffff));
        }
        else if (answer && p.source != source && p.destQp == c.senderQp)
        {
            s.answers.push_back(
                AnswerLine(p.opcode, p.syndrome, (p.psn - first) & 0xffffff, p.msn));
        }
    }
    return s;
}

/// @param c a row @return what our own pairs send for the same messages
Sequence
FromOurs(const Conversation& c)
{
    constexpr uint32_t FIRST_PSN = 0xfffffa; // wraps on the way
    VerbsFixture f(MTU);
    f.Build();
    auto configure = [](Ptr<QueuePair> qp) {
        qp->SetAttribute("InitialPsn", UintegerValue(FIRST_PSN));
        qp->SetAttribute("AckInterval", UintegerValue(66));
    };
    Link link{f.MakeEnd(0, c.type, configure), f.MakeEnd(1, c.type, configure)};
    RdmaAddressHandle path;
    if (c.type == QpType::UD)
    {
        for (const auto& end : {link.a, link.b})
        {
            for (QpState state : {QpState::INIT, QpState::RTR, QpState::RTS})
            {
                EXPECT_EQ(end->qp->Modify(state), ModifyResult::MODIFIED);
            }
        }
        QpRemote remote = link.b->qp->GetLocal();
        path = link.a->qp->CreateAddressHandle(remote.address, remote.mac);
    }
    else
    {
        QueuePair::Connect(link.a->qp, link.b->qp);
    }
    Sequence s;
    f.Watch(0, "FrameTx", [&](const FabricFrame& frame) {
        s.requests.push_back(RequestLine(static_cast<uint32_t>(frame.opcode),
                                         frame.ackRequest,
                                         frame.payloadBytes,
                                         (frame.psn - FIRST_PSN) & 0xffffff));
    });
    f.Watch(0, "FrameRx", [&](const FabricFrame& frame) {
        s.answers.push_back(AnswerLine(static_cast<uint32_t>(frame.opcode),
                                       frame.syndrome,
                                       (frame.psn - FIRST_PSN) & 0xffffff,
                                       frame.msn));
    });
    size_t posted = 0;
    for (const Run& run : c.runs)
    {
        for (uint32_t i = 0; i < run.times; ++i)
        {
            EXPECT_EQ(link.b->qp->PostReceive({0, run.bytes + 40, {}}), PostResult::POSTED);
            SendWorkRequest request = VerbsFixture::Request(link, run.operation, run.bytes);
            request.path = path;
            request.remoteQp = link.b->qp->GetNumber();
            request.qkey = 0x11111111;
            EXPECT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
            ++posted;
        }
    }
    f.Run();
    EXPECT_EQ(link.a->Statuses(), (std::vector<WcStatus>(posted, WcStatus::SUCCESS)));
    return s;
}

// ---------------------------------------------------------------- tests

class PacketSequence : public testing::TestWithParam<Conversation>
{
};

TEST_P(PacketSequence, OfOursIsTheTable)
{
    Sequence expected = FromTable(GetParam());
    Sequence ours = FromOurs(GetParam());
    EXPECT_EQ(ours.requests, expected.requests);
    EXPECT_EQ(ours.answers, expected.answers);
}

TEST_P(PacketSequence, OfTheCaptureIsTheTable)
{
    std::string path =
        std::string(AI_FABRIC_SOURCE_DIR "/../shared/data/pcap/") + GetParam().capture;
    if (!std::ifstream(path))
    {
        GTEST_SKIP() << "no " << path;
    }
    Sequence expected = FromTable(GetParam());
    Sequence capture = FromCapture(GetParam(), path);
    EXPECT_EQ(capture.requests, expected.requests);
    EXPECT_EQ(capture.answers, expected.answers);
}

INSTANTIATE_TEST_SUITE_P(Of,
                         PacketSequence,
                         testing::ValuesIn(CONVERSATIONS),
                         [](const testing::TestParamInfo<Conversation>& info) {
                             return std::string(info.param.name);
                         });

TEST(AckPolicy, OfALongMessageIsSoftRocesWithInterval66)
{
    // Linux' rxe_req.c counts frames since the last request and asks when more than 64 have gone
    // unasked before this one, that is with the 66th; and with the last frame.
    std::ostringstream text;
    for (int i = 0; i < 200; ++i)
    {
        bool asks = i == 65 || i == 131 || i == 197 || i == 199;
        text << (i == 0 ? "06" : i == 199 ? "08" : "07") << (asks ? "a" : "") << ":1024 ";
    }
    std::string frames = text.str();
    Conversation c{"", "", "", 0, 0, QpType::RC, {{1, WRITE, 200 * MTU, frames.c_str()}}};
    // VerbsFixture's memory is smaller than that: no pieces, zeros.
    VerbsFixture f(MTU);
    f.Build();
    auto open = [](Ptr<QueuePair> qp) {
        qp->SetProtectionDomain(nullptr);
        qp->SetAttribute("AckInterval", UintegerValue(66));
    };
    Link link{f.MakeEnd(0, QpType::RC, open), f.MakeEnd(1, QpType::RC, open)};
    QueuePair::Connect(link.a->qp, link.b->qp);
    std::vector<std::string> requests;
    f.Watch(0, "FrameTx", [&](const FabricFrame& frame) {
        requests.push_back(RequestLine(static_cast<uint32_t>(frame.opcode),
                                       frame.ackRequest,
                                       frame.payloadBytes,
                                       frame.psn));
    });
    std::vector<uint32_t> acked;
    f.Watch(0, "FrameRx", [&](const FabricFrame& frame) { acked.push_back(frame.psn); });
    SendWorkRequest request;
    request.bytes = 200 * MTU;
    ASSERT_EQ(link.a->qp->PostSend(request), PostResult::POSTED);
    f.Run();
    EXPECT_EQ(requests, FromTable(c).requests);
    EXPECT_EQ(acked, (std::vector<uint32_t>{65, 131, 197, 199}));
}

TEST(PacketSequence, OfAReadIsOneRequestAndItsResponses)
{
    // No capture has one. IBA vol. 1, 9.4.4 and 9.7.5.1: the responses have the PSNs from the
    // request's on, First and Last an AETH; the next request comes behind them.
    VerbsFixture f(MTU);
    f.Build();
    Link link = f.MakeLink();
    std::vector<std::string> requests;
    std::vector<std::string> responses;
    f.Watch(0, "FrameTx", [&](const FabricFrame& frame) {
        requests.push_back(RequestLine(static_cast<uint32_t>(frame.opcode),
                                       frame.ackRequest,
                                       frame.dmaLength,
                                       frame.psn));
    });
    f.Watch(0, "FrameRx", [&](const FabricFrame& frame) {
        responses.push_back(RequestLine(static_cast<uint32_t>(frame.opcode),
                                        frame.ackRequest,
                                        frame.payloadBytes,
                                        frame.psn));
    });
    for (uint64_t count : {3 * MTU - 72, MTU, uint64_t{0}, 2 * MTU})
    {
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::READ, count)),
                  PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(requests,
              (std::vector<std::string>{"0ca:3000 +0", "0ca:1024 +3", "0ca:0 +4", "0ca:2048 +5"}));
    EXPECT_EQ(responses,
              (std::vector<std::string>{"0d:1024 +0",
                                        "0e:1024 +1",
                                        "0f:952 +2",
                                        "10:1024 +3",
                                        "10:0 +4",
                                        "0d:1024 +5",
                                        "0f:1024 +6"}));
}

} // namespace
