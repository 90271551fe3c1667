// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The formats on the wire, against bytes and numbers that this module did not make.
 *
 * Sizes are written out as the standards give them, not taken from wire-format.h, and the ICRC is
 * computed here bit by bit, not with icrc.cc.
 */

#include "pcap-file.h"

#include "ns3/aeth-syndrome.h"
#include "ns3/fabric-frame.h"
#include "ns3/icrc.h"
#include "ns3/ipv4-header.h"
#include "ns3/pfc-header.h"
#include "ns3/roce-headers.h"
#include "ns3/scale-up-header.h"
#include "ns3/udp-header.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

// ---- bytes

Bytes
FromHex(const std::string& text)
{
    Bytes bytes;
    std::string digits;
    for (char c : text)
    {
        if (std::isxdigit(static_cast<unsigned char>(c)))
        {
            digits += c;
        }
        if (digits.size() == 2)
        {
            bytes.push_back(static_cast<uint8_t>(std::stoul(digits, nullptr, 16)));
            digits.clear();
        }
    }
    return bytes;
}

std::string
ToHex(const Bytes& bytes)
{
    std::string text;
    char two[3];
    for (uint8_t byte : bytes)
    {
        std::snprintf(two, sizeof(two), "%02x", byte);
        text += two;
    }
    return text;
}

Bytes
BytesOf(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

Ptr<Packet>
PacketOf(const Bytes& bytes)
{
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

FramePtr
Parse(const Bytes& bytes, std::string* error = nullptr)
{
    return FabricFrame::FromPacket(PacketOf(bytes), error);
}

/// Parses what must be wrong. @return the message
std::string
ErrorOf(const Bytes& bytes)
{
    std::string error;
    EXPECT_FALSE(Parse(bytes, &error)) << ToHex(bytes);
    EXPECT_NE(error, "");
    return error;
}

uint32_t
BigEndian16(const Bytes& bytes, size_t at)
{
    return (bytes.at(at) << 8) | bytes.at(at + 1);
}

Bytes
Pattern(uint32_t size)
{
    Bytes bytes(size);
    for (uint32_t i = 0; i < size; ++i)
    {
        bytes[i] = static_cast<uint8_t>(1 + i * 7);
    }
    return bytes;
}

// ---- a second ICRC, from the text of the standard

/// Shifts @p bytes through the CRC-32 register of IEEE 802.3 one bit at a time.
uint32_t
CrcBits(uint32_t state, const Bytes& bytes)
{
    for (uint8_t byte : bytes)
    {
        for (int bit = 0; bit < 8; ++bit)
        {
            uint32_t feedback = (state ^ (byte >> bit)) & 1;
            state = (state >> 1) ^ (feedback ? 0xedb88320u : 0);
        }
    }
    return state;
}

/// State of the register after the 8 bytes of ones that stand for an LRH (Linux rxe_icrc.c agrees).
constexpr uint32_t STATE_AFTER_ONES = 0xdebb20e3;

uint32_t
SlowIcrc(Bytes ipPacket)
{
    for (size_t masked : {1, 8, 10, 11, 26, 27, 32})
    {
        ipPacket.at(masked) = 0xff;
    }
    return ~CrcBits(STATE_AFTER_ONES, ipPacket);
}

// ---- frames

/// Opcode and the bytes of its extension headers: RETH 16, ImmDt 4, AETH 4.
struct OpcodeSize
{
    uint8_t opcode;
    uint32_t extensionBytes;
};

constexpr OpcodeSize OPCODES[] = {
    {0x00, 0},      // SEND First
    {0x01, 0},      // SEND Middle
    {0x02, 0},      // SEND Last
    {0x03, 4},      // SEND Last with Immediate
    {0x04, 0},      // SEND Only
    {0x05, 4},      // SEND Only with Immediate
    {0x06, 16},     // RDMA WRITE First
    {0x07, 0},      // RDMA WRITE Middle
    {0x08, 0},      // RDMA WRITE Last
    {0x09, 4},      // RDMA WRITE Last with Immediate
    {0x0a, 16},     // RDMA WRITE Only
    {0x0b, 16 + 4}, // RDMA WRITE Only with Immediate
    {0x11, 4},      // Acknowledge
    {0x81, 16},     // CNP: 16 reserved bytes
};

/// Every field that the wire carries, so that two frames can be compared as a whole.
std::string
Describe(const FabricFrame& f)
{
    std::ostringstream out;
    out << "kind " << +static_cast<uint8_t>(f.kind) << " size " << f.sizeBytes << " type "
        << f.etherType << " mac " << f.srcMac << ">" << f.dstMac << " ip " << f.srcAddress << ">"
        << f.dstAddress << " id " << f.ipId << " dscp " << +f.dscp << " ecn "
        << +static_cast<uint8_t>(f.ecn) << " ttl " << +f.ttl << " port " << f.udpSourcePort
        << " hash " << f.flowHash << " opcode " << +static_cast<uint8_t>(f.opcode) << " se "
        << f.solicited << " m " << f.migrated << " a " << f.ackRequest << " fecn " << f.fecn
        << " becn " << f.becn << " pkey " << f.pkey << " qp " << f.destQp << " psn " << f.psn
        << " reth " << f.remoteAddress << " " << f.remoteKey << " " << f.dmaLength << " imm "
        << f.immediate << " aeth " << +f.syndrome << " " << f.msn << " pause " << +f.pauseClasses;
    for (uint16_t quanta : f.pauseQuanta)
    {
        out << " " << quanta;
    }
    out << " message " << f.messageId << " bytes " << f.payloadBytes << " payload "
        << (f.payload ? ToHex(BytesOf(f.payload)) : "none");
    return out.str();
}

/// Simulation metadata: what the wire does not carry.
std::string
DescribeMetadata(const FabricFrame& f)
{
    std::ostringstream out;
    out << +f.trafficClass << " " << f.ingressPort << " " << f.arrivalTime << " " << f.enqueueTime
        << " " << f.pauseClock << " " << f.journey.serialization << " " << f.journey.propagation
        << " " << f.journey.queueing << " " << f.journey.paused << " " << f.sentTime;
    return out.str();
}

/// A frame whose fields are all unlike their defaults, as far as @p opcode carries them.
FramePtr
MakeRoce(uint8_t opcode, uint32_t payloadBytes)
{
    FramePtr f = FabricFrame::Create();
    f->opcode = static_cast<RdmaOpcode>(opcode);
    RdmaOpcodeTraits traits = GetOpcodeTraits(f->opcode);
    f->srcMac = Mac48Address("02:00:00:00:00:01");
    f->dstMac = Mac48Address("02:00:00:00:00:02");
    f->srcAddress = 0x0a010203;
    f->dstAddress = 0x0a040506;
    f->ipId = 0xbeef;
    f->dscp = 26;
    f->ecn = EcnField::ECT0;
    f->ttl = 61;
    f->udpSourcePort = 0xc123;
    f->flowHash = 0x829bac1a; // see Wire.FlowHash
    f->solicited = true;
    f->migrated = false;
    f->ackRequest = true;
    f->fecn = true;
    f->becn = true;
    f->pkey = 0x8001;
    f->destQp = 0xfedcba;
    f->psn = 0xabcdef;
    if (traits.hasReth)
    {
        f->remoteAddress = 0x7f01'2345'6789'abcd;
        f->remoteKey = 0xcafe0123;
        f->dmaLength = 0x7fffffff;
    }
    if (traits.hasImmediate)
    {
        f->immediate = 0xdeadbeef;
    }
    if (traits.hasAeth)
    {
        f->syndrome = 0x6a;
        f->msn = 0x123456;
    }
    f->payloadBytes = opcode == 0x81 ? 0 : payloadBytes;
    f->ComputeSize();
    return f;
}

constexpr uint32_t PAYLOADS[] = {0, 1, 2, 3, 4, 1023, 1024, 4096, 9000};

/**
 * A RoCEv2 frame from its parts, with lengths, IP checksum and ICRC right whatever the parts are.
 * @param bth twelve bytes
 * @param rest what follows BTH, up to the ICRC
 */
Bytes
Assemble(const Bytes& bth, const Bytes& rest)
{
    uint32_t udpBytes = static_cast<uint32_t>(8 + bth.size() + rest.size() + 4);
    uint32_t ipBytes = 20 + udpBytes;
    Bytes ip = FromHex("4500 0000 0001 4000 4011 0000 0a000001 0a000002 c000 12b7 0000 0000");
    ip[2] = static_cast<uint8_t>(ipBytes >> 8);
    ip[3] = static_cast<uint8_t>(ipBytes);
    ip[24] = static_cast<uint8_t>(udpBytes >> 8);
    ip[25] = static_cast<uint8_t>(udpBytes);
    uint32_t sum = 0;
    for (size_t i = 0; i < 20; i += 2)
    {
        sum += BigEndian16(ip, i);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    ip[10] = static_cast<uint8_t>(~sum >> 8);
    ip[11] = static_cast<uint8_t>(~sum);
    ip.insert(ip.end(), bth.begin(), bth.end());
    ip.insert(ip.end(), rest.begin(), rest.end());
    uint32_t icrc = SlowIcrc(ip);
    for (int shift = 0; shift < 32; shift += 8)
    {
        ip.push_back(static_cast<uint8_t>(icrc >> shift));
    }
    Bytes frame = FromHex("020000000002 020000000001 0800");
    frame.insert(frame.end(), ip.begin(), ip.end());
    return frame;
}

// ---- the ICRC

TEST(Icrc, StateAfterEightBytesOfOnes)
{
    EXPECT_EQ(CrcBits(0xffffffff, Bytes(8, 0xff)), STATE_AFTER_ONES);
}

TEST(Icrc, EqualsBitwiseComputation)
{
    std::mt19937 random(1);
    for (size_t size : {40, 41, 43, 44, 100, 1500, 4140, 9060})
    {
        Bytes packet(size);
        for (uint8_t& byte : packet)
        {
            byte = static_cast<uint8_t>(random());
        }
        EXPECT_EQ(ComputeIcrc(packet.data(), size), SlowIcrc(packet)) << size;
    }
}

// A CNP that a ConnectX-4 Lx sent. Bytes from Scapy's regression tests, test/contrib/roce.uts
// (https://github.com/secdev/scapy), "RoCE CNP captured on ConnectX-4 Lx".
const char* const CONNECTX_CNP = "e41d2dab2bc2 7cfe90643b32 0800"
                                 "45c2003c718c4000401191610a0011010a001201"
                                 "000012b700280000"
                                 "8100ffff4000011800000000"
                                 "00000000000000000000000000000000"
                                 "82fd002a";

TEST(Wire, ConnectXCnpIsParsed)
{
    std::string error;
    FramePtr f = Parse(FromHex(CONNECTX_CNP), &error);
    ASSERT_TRUE(f) << error;
    EXPECT_EQ(f->kind, FrameKind::ROCE);
    EXPECT_EQ(f->opcode, RdmaOpcode::CNP);
    EXPECT_EQ(f->srcAddress, Ipv4Address("10.0.17.1").Get());
    EXPECT_EQ(f->dstAddress, Ipv4Address("10.0.18.1").Get());
    EXPECT_EQ(f->dscp, 48);
    EXPECT_EQ(f->ecn, EcnField::ECT0);
    EXPECT_EQ(f->ipId, 0x718c);
    EXPECT_EQ(f->destQp, 0x118u);
    EXPECT_TRUE(f->becn);
    EXPECT_FALSE(f->fecn);
    EXPECT_FALSE(f->migrated);
    EXPECT_EQ(f->payloadBytes, 0u);
    EXPECT_EQ(f->sizeBytes, 78u);
}

TEST(Wire, ConnectXCnpIsReproduced)
{
    FramePtr f = FabricFrame::Create();
    f->dstMac = Mac48Address("e4:1d:2d:ab:2b:c2");
    f->srcMac = Mac48Address("7c:fe:90:64:3b:32");
    f->srcAddress = Ipv4Address("10.0.17.1").Get();
    f->dstAddress = Ipv4Address("10.0.18.1").Get();
    f->dscp = 48;
    f->ecn = EcnField::ECT0;
    f->ipId = 0x718c;
    f->opcode = RdmaOpcode::CNP;
    f->migrated = false;
    f->becn = true;
    f->destQp = 0x118;
    EXPECT_EQ(ToHex(BytesOf(f->ToPacket())), ToHex(FromHex(CONNECTX_CNP)));
}

// RDMA WRITE Only of "hello", put together by hand. Its ICRC is what this prints, where F holds the
// hexadecimal digits below from 456a to 6c6c6f000000:
//   python3 -c "import sys,zlib; b=bytearray.fromhex(sys.argv[1])
//   for i in (1,8,10,11,26,27,32): b[i]=255
//   print(zlib.crc32(b'\xff'*8+b).to_bytes(4,'little').hex())" "$F"
const char* const WRITE_ONLY = "020000000002 020000000001 0800"
                               "456a 0044 beef 4000 3d11 6342 0a010203 0a040506" // 68 bytes, ECT(0)
                               "c123 12b7 0030 0000"                             // UDP, 48 bytes
                               "0a f0 ffff 00 001234 80 abcdef" // SE, M, 3 bytes of pad; A
                               "00007f0123456789 cafe0123 00000005"
                               "68656c6c6f 000000"
                               "165ac784";

TEST(Wire, WriteOnlyByHand)
{
    FramePtr f = FabricFrame::Create();
    f->dstMac = Mac48Address("02:00:00:00:00:02");
    f->srcMac = Mac48Address("02:00:00:00:00:01");
    f->srcAddress = Ipv4Address("10.1.2.3").Get();
    f->dstAddress = Ipv4Address("10.4.5.6").Get();
    f->dscp = 26;
    f->ecn = EcnField::ECT0;
    f->ttl = 61;
    f->ipId = 0xbeef;
    f->udpSourcePort = 0xc123;
    f->opcode = RdmaOpcode::RC_WRITE_ONLY;
    f->solicited = true;
    f->ackRequest = true;
    f->destQp = 0x1234;
    f->psn = 0xabcdef;
    f->remoteAddress = 0x7f0123456789;
    f->remoteKey = 0xcafe0123;
    f->dmaLength = 5;
    f->payloadBytes = 5;
    f->payload = PacketOf({'h', 'e', 'l', 'l', 'o'});
    f->flowHash = FlowHash(f->srcAddress, f->dstAddress, f->udpSourcePort);
    f->ComputeSize();
    EXPECT_EQ(ToHex(BytesOf(f->ToPacket())), ToHex(FromHex(WRITE_ONLY)));

    std::string error;
    FramePtr parsed = Parse(FromHex(WRITE_ONLY), &error);
    ASSERT_TRUE(parsed) << error;
    EXPECT_EQ(Describe(*parsed), Describe(*f));
}

// ---- sizes and round trips

TEST(Wire, ByteCounts)
{
    for (const OpcodeSize& o : OPCODES)
    {
        for (uint32_t payload : PAYLOADS)
        {
            FramePtr f = MakeRoce(o.opcode, payload);
            uint32_t padded = o.opcode == 0x81 ? 0 : (payload + 3) / 4 * 4;
            uint32_t udp = 8 + 12 + o.extensionBytes + padded + 4; // UDP, BTH, ..., ICRC
            uint32_t frame = std::max(64u, 14 + 20 + udp + 4);     // Ethernet, IPv4, ..., FCS
            Bytes image = BytesOf(f->ToPacket());
            EXPECT_EQ(f->sizeBytes, frame) << +o.opcode << " " << payload;
            EXPECT_EQ(image.size() + 4, frame) << +o.opcode << " " << payload;
            EXPECT_EQ(BigEndian16(image, 14 + 2), 20 + udp);
            EXPECT_EQ(BigEndian16(image, 14 + 20 + 4), udp);
            EXPECT_EQ(BigEndian16(image, 14 + 20 + 6), 0u) << "UDP checksum";
            EXPECT_EQ(BigEndian16(image, 14 + 6), 0x4000u) << "do not fragment";
        }
    }
}

TEST(Wire, EveryOpcodeRoundTripsWithZeros)
{
    for (const OpcodeSize& o : OPCODES)
    {
        for (uint32_t payload : PAYLOADS)
        {
            FramePtr f = MakeRoce(o.opcode, payload);
            std::string error;
            FramePtr parsed = FabricFrame::FromPacket(f->ToPacket(), &error);
            ASSERT_TRUE(parsed) << +o.opcode << " " << payload << ": " << error;
            EXPECT_EQ(Describe(*parsed), Describe(*f));
            EXPECT_FALSE(parsed->payload);
        }
    }
}

TEST(Wire, EveryOpcodeRoundTripsWithBytes)
{
    for (const OpcodeSize& o : OPCODES)
    {
        for (uint32_t payload : PAYLOADS)
        {
            if (payload == 0 || o.opcode == 0x81)
            {
                continue;
            }
            FramePtr f = MakeRoce(o.opcode, payload);
            f->payload = PacketOf(Pattern(payload));
            std::string error;
            FramePtr parsed = Parse(BytesOf(f->ToPacket()), &error);
            ASSERT_TRUE(parsed) << +o.opcode << " " << payload << ": " << error;
            EXPECT_EQ(Describe(*parsed), Describe(*f));
            EXPECT_EQ(f->payload->GetSize(), payload) << "the frame's own packet has grown";
        }
    }
}

TEST(Wire, ImagesHaveRightIcrc)
{
    for (const OpcodeSize& o : OPCODES)
    {
        Bytes image = BytesOf(MakeRoce(o.opcode, 1023)->ToPacket());
        Bytes ip(image.begin() + 14, image.end() - 4);
        uint32_t icrc = SlowIcrc(ip);
        for (int i = 0; i < 4; ++i)
        {
            EXPECT_EQ(image[image.size() - 4 + i], (icrc >> (8 * i)) & 0xff);
        }
    }
}

TEST(Wire, ReservedBitsAndFlagsOfBth)
{
    FramePtr f = MakeRoce(0x04, 4);
    Bytes image = BytesOf(f->ToPacket());
    EXPECT_EQ(image[14 + 20 + 8 + 1], 0x80) << "SE, no M, no pad, version 0";
    EXPECT_EQ(image[14 + 20 + 8 + 4], 0xc0) << "FECN and BECN";
    EXPECT_EQ(image[14 + 20 + 8 + 8], 0x80) << "A";
}

// A switch may set CE on the way: nothing else of the image but the IP checksum may change.
TEST(Wire, EcnMarkLeavesIcrcAlone)
{
    FramePtr f = MakeRoce(0x0a, 1024);
    Bytes before = BytesOf(f->ToPacket());
    f->ecn = EcnField::CE;
    f->ttl = 5;
    Bytes after = BytesOf(f->ToPacket());
    std::set<size_t> changed;
    for (size_t i = 0; i < before.size(); ++i)
    {
        if (before[i] != after[i])
        {
            changed.insert(i);
        }
    }
    EXPECT_EQ(changed, (std::set<size_t>{14 + 1, 14 + 8, 14 + 10, 14 + 11}));
    ASSERT_TRUE(Parse(after));
    EXPECT_EQ(Parse(after)->ecn, EcnField::CE);
}

TEST(Wire, ZeroPayloadStaysSmall)
{
    for (uint32_t payload : {4095, 4096, 9000})
    {
        FramePtr f = MakeRoce(0x0a, payload);
        EXPECT_LT(f->ToPacket()->GetSerializedSize(), 250u);
        f->kind = FrameKind::SCALE_UP;
        EXPECT_LT(f->ToPacket()->GetSerializedSize(), 250u);
    }
}

TEST(Wire, SerializedPacketOfNs3IsTheSameFrame)
{
    FramePtr f = MakeRoce(0x0b, 4095);
    Ptr<Packet> packet = f->ToPacket();
    Bytes buffer(packet->GetSerializedSize());
    ASSERT_TRUE(packet->Serialize(buffer.data(), static_cast<uint32_t>(buffer.size())));
    Ptr<Packet> arrived = Create<Packet>(buffer.data(), static_cast<uint32_t>(buffer.size()), true);
    FramePtr parsed = FabricFrame::FromPacket(arrived);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(Describe(*parsed), Describe(*f));
}

TEST(Wire, EthernetPaddingIsIgnored)
{
    FramePtr f = MakeRoce(0x04, 0);
    Bytes image = BytesOf(f->ToPacket());
    EXPECT_EQ(image.size(), 60u) << "two bytes more than 14 + 20 + 8 + 12 + 4";
    image.insert(image.end(), 7, 0xee);
    FramePtr parsed = Parse(image);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(Describe(*parsed), Describe(*f));
}

TEST(WireDeathTest, WrongPayloadSizeAborts)
{
    FramePtr f = MakeRoce(0x04, 10);
    f->payload = Create<Packet>(11);
    EXPECT_DEATH(f->ToPacket(), "payloadBytes is 10, but the payload has 11 bytes");
    f->payload = nullptr;
    f->payloadBytes = 65536;
    EXPECT_DEATH(f->ToPacket(), "payloadBytes 65536 does not fit into one IPv4 packet");
}

// ---- PFC

// Classes 3 and 4: stop class 3 for the longest time, let class 4 go on. IEEE 802.3 annex 31D.
const char* const PFC_BYTES = "0180c2000001 020000000001 8808"
                              "0101 0018"
                              "0000 0000 0000 ffff 0000 0000 0000 0000"
                              "00000000000000000000000000000000000000000000000000 00";

TEST(Wire, PfcBytes)
{
    FramePtr f = FabricFrame::Create();
    f->kind = FrameKind::PFC;
    f->srcMac = Mac48Address("02:00:00:00:00:01");
    f->pauseClasses = 0x18;
    f->pauseQuanta[3] = 0xffff;
    f->ComputeSize();
    EXPECT_EQ(f->sizeBytes, 64u);
    Bytes expected = FromHex(PFC_BYTES);
    EXPECT_EQ(expected.size(), 60u);
    EXPECT_EQ(ToHex(BytesOf(f->ToPacket())), ToHex(expected));

    FramePtr parsed = Parse(expected);
    ASSERT_TRUE(parsed);
    f->dstMac = Mac48Address("01:80:c2:00:00:01");
    f->etherType = 0x8808;
    EXPECT_EQ(Describe(*parsed), Describe(*f));
}

TEST(Wire, PfcQuantaAreInOrder)
{
    FramePtr f = FabricFrame::Create();
    f->kind = FrameKind::PFC;
    f->pauseClasses = 0xff;
    f->pauseQuanta = {1, 2, 3, 4, 5, 6, 7, 0x1234};
    Bytes image = BytesOf(f->ToPacket());
    EXPECT_EQ(ToHex(Bytes(image.begin() + 16, image.begin() + 34)),
              "00ff00010002000300040005000600071234");
    ASSERT_TRUE(Parse(image));
    EXPECT_EQ(Parse(image)->pauseQuanta, f->pauseQuanta);
}

TEST(Wire, PfcErrors)
{
    Bytes image = FromHex(PFC_BYTES);
    image[15] = 0x02;
    EXPECT_EQ(ErrorOf(image), "MAC control opcode: found 258, expected 257");
    image = FromHex(PFC_BYTES);
    for (size_t size = 0; size < 14 + 20; ++size)
    {
        ErrorOf(Bytes(image.begin(), image.begin() + size));
    }
}

// ---- frames of ns-3's own stack

Ptr<Packet>
Ipv4Packet(uint8_t protocol, const Bytes& payload, uint16_t fragmentOffset = 0)
{
    Ptr<Packet> packet = PacketOf(payload);
    Ipv4Header ip;
    ip.SetProtocol(protocol);
    ip.SetSource("10.1.2.3");
    ip.SetDestination("10.4.5.6");
    ip.SetPayloadSize(static_cast<uint16_t>(payload.size()));
    ip.SetTtl(9);
    ip.SetTos(0xb9); // EF, ECT(1)
    ip.SetIdentification(77);
    ip.SetFragmentOffset(fragmentOffset);
    packet->AddHeader(ip);
    return packet;
}

FramePtr
MakePacketFrame(Ptr<Packet> payload, uint16_t etherType)
{
    FramePtr f = FabricFrame::Create();
    f->kind = FrameKind::PACKET;
    f->etherType = etherType;
    f->payload = payload;
    f->ComputeSize();
    return f;
}

TEST(Wire, TcpPacketKeepsItsBytes)
{
    Bytes tcp = FromHex("1389 0050 00000001 00000002 5010 ffff 0000 0000");
    tcp.resize(200, 0x55);
    FramePtr f = MakePacketFrame(Ipv4Packet(6, tcp), 0x0800);
    EXPECT_EQ(f->sizeBytes, 14u + 20 + 200 + 4);
    Bytes image = BytesOf(f->ToPacket());
    EXPECT_EQ(image.size(), 14u + 20 + 200);

    FramePtr parsed = Parse(image);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->kind, FrameKind::PACKET);
    EXPECT_EQ(parsed->sizeBytes, f->sizeBytes);
    EXPECT_EQ(BytesOf(parsed->payload), BytesOf(f->payload));
    EXPECT_EQ(parsed->srcAddress, 0x0a010203u);
    EXPECT_EQ(parsed->dstAddress, 0x0a040506u);
    EXPECT_EQ(parsed->ecn, EcnField::ECT1);
    EXPECT_EQ(parsed->dscp, 46);
    EXPECT_EQ(parsed->ttl, 9);
    EXPECT_EQ(parsed->flowHash, 0x5ea94912u) << "ports 5001 and 80, protocol 6: see Wire.FlowHash";
}

TEST(Wire, OtherPacketsAreKeptWhole)
{
    Bytes datagram = FromHex("12b7 12b6 000c 0000 01020304"); // UDP, but to port 4790
    Bytes fragment =
        FromHex("c000 12b7 0028 0000 01020304"); // a fragment whose bytes look like UDP
    for (Ptr<Packet> payload :
         {Ipv4Packet(17, datagram), Ipv4Packet(17, fragment, 64), Ipv4Packet(1, {})})
    {
        Bytes image = BytesOf(MakePacketFrame(payload, 0x0800)->ToPacket());
        EXPECT_EQ(image.size(), 60u) << "padded";
        FramePtr parsed = Parse(image);
        ASSERT_TRUE(parsed);
        EXPECT_EQ(parsed->kind, FrameKind::PACKET);
        EXPECT_EQ(parsed->sizeBytes, 64u);
        EXPECT_EQ(BytesOf(parsed->ToPacket()), image);
    }
    Bytes arp = BytesOf(MakePacketFrame(PacketOf(Pattern(28)), 0x0806)->ToPacket());
    EXPECT_EQ(ToHex(arp).substr(24, 4), "0806");
    EXPECT_EQ(ToHex(arp).substr(28, 2 * 28), ToHex(Pattern(28)));
    EXPECT_EQ(Parse(arp)->etherType, 0x0806);
    EXPECT_EQ(BytesOf(Parse(arp)->ToPacket()), arp);
}

TEST(Wire, FragmentsOfOneFlowHashAlike)
{
    FramePtr first = MakePacketFrame(Ipv4Packet(17, Pattern(8), 64), 0x0800);
    FramePtr second = MakePacketFrame(Ipv4Packet(17, Bytes(8, 9), 128), 0x0800);
    EXPECT_EQ(Parse(BytesOf(first->ToPacket()))->flowHash,
              Parse(BytesOf(second->ToPacket()))->flowHash);
}

// ---- scale-up

TEST(Wire, ScaleUp)
{
    FramePtr f = FabricFrame::Create();
    f->kind = FrameKind::SCALE_UP;
    f->srcMac = Mac48Address("02:00:00:00:00:01");
    f->dstMac = Mac48Address("02:00:00:00:00:02");
    f->srcAddress = 0x01020304;
    f->dstAddress = 0x05060708;
    f->messageId = 0x1122334455667788;
    f->payloadBytes = 256;
    f->sizeBytes = 272;
    f->ComputeSize();
    EXPECT_EQ(f->sizeBytes, 272u) << "a scale-up frame's size is its owner's";

    Bytes image = BytesOf(f->ToPacket());
    EXPECT_EQ(image.size(), 14u + 20 + 256);
    EXPECT_EQ(ToHex(Bytes(image.begin(), image.begin() + 36)),
              "020000000002"
              "020000000001"
              "88b5"
              "05060708"
              "01020304"
              "1122334455667788"
              "00000100"
              "0000");

    FramePtr parsed = Parse(image);
    ASSERT_TRUE(parsed);
    f->etherType = 0x88b5;
    f->sizeBytes = parsed->sizeBytes;
    f->flowHash = parsed->flowHash;
    EXPECT_EQ(Describe(*parsed), Describe(*f));

    image.resize(14 + 20 + 255);
    EXPECT_EQ(ErrorOf(image), "bytes of the scale-up payload: found 255, expected 256");
    image.resize(14 + 19);
    EXPECT_EQ(ErrorOf(image), "bytes of the scale-up header: found 19, expected at least 20");
}

// ---- bad input

TEST(WireErrors, EveryFlippedBitIsSeen)
{
    // What a receiver must not look at: the UDP checksum and BTH's reserved bits beside FECN, BECN.
    auto ignored = [](size_t byte, int bit) {
        return byte == 14 + 26 || byte == 14 + 27 || (byte == 14 + 32 && bit < 6);
    };
    for (const char* hex : {CONNECTX_CNP, WRITE_ONLY})
    {
        const Bytes image = FromHex(hex);
        const std::string original = Describe(*Parse(image));
        for (size_t byte = 0; byte < image.size(); ++byte)
        {
            for (int bit = 0; bit < 8; ++bit)
            {
                Bytes flipped = image;
                flipped[byte] ^= static_cast<uint8_t>(1 << bit);
                std::string error;
                FramePtr f = Parse(flipped, &error);
                if (ignored(byte, bit))
                {
                    ASSERT_TRUE(f) << error;
                    EXPECT_EQ(Describe(*f), original);
                }
                else if (f)
                {
                    EXPECT_NE(Describe(*f), original) << "byte " << byte << " bit " << bit;
                }
                else
                {
                    EXPECT_NE(error, "");
                }
            }
        }
    }
}

TEST(WireErrors, EveryTruncationIsSeen)
{
    for (const OpcodeSize& o : OPCODES)
    {
        Bytes image = BytesOf(MakeRoce(o.opcode, 37)->ToPacket());
        for (size_t size = 0; size < image.size(); ++size)
        {
            ErrorOf(Bytes(image.begin(), image.begin() + size));
        }
    }
}

TEST(WireErrors, MessagesNameFieldFoundAndExpected)
{
    const Bytes image = FromHex(WRITE_ONLY);
    auto with = [&image](size_t at, uint8_t value) {
        Bytes changed = image;
        changed[at] = value;
        return ErrorOf(changed);
    };
    EXPECT_EQ(ErrorOf({}), "bytes of the Ethernet header: found 0, expected at least 14");
    EXPECT_EQ(ErrorOf(Bytes(image.begin(), image.begin() + 20)),
              "bytes of the IPv4 header: found 6, expected at least 20");
    EXPECT_EQ(with(14, 0x65), "IPv4 version: found 6, expected 4");
    EXPECT_EQ(with(14, 0x44), "IPv4 header length: found 16, expected at least 20");
    EXPECT_EQ(with(14 + 3, 0x45), "IPv4 total length: found 69, expected 20 to 68");
    EXPECT_EQ(with(14 + 3, 0x13), "IPv4 total length: found 19, expected 20 to 68");
    EXPECT_EQ(with(14 + 11, 0x43),
              "IPv4 header checksum: found 25411, expected the sum of the header");
    EXPECT_EQ(with(14 + 25, 0x2f), "UDP length: found 47, expected 48");
    EXPECT_EQ(with(80, 0xc6), "ICRC: found 2227591702, expected 2227657238");
}

TEST(WireErrors, Ipv4OptionsAreRefused)
{
    Bytes image = FromHex(WRITE_ONLY);
    image[14] = 0x46; // the UDP source port is now an option, and the ports those of ...
    image[14 + 26] = 0x12;
    image[14 + 27] = 0xb7; // ... this
    EXPECT_EQ(ErrorOf(image), "IPv4 header length of a RoCEv2 packet: found 24, expected 20");
}

TEST(WireErrors, Ipv4ChecksumMayBeLeftOut)
{
    Bytes image = FromHex(WRITE_ONLY);
    image[14 + 10] = image[14 + 11] = 0;
    EXPECT_TRUE(Parse(image));
}

TEST(WireErrors, RightCrcAroundWrongHeaders)
{
    auto bth = [](const char* start) {
        return FromHex(std::string(start) + "ffff 00000012 00000001");
    };
    ASSERT_TRUE(Parse(Assemble(bth("0440"), Bytes(8))));

    EXPECT_EQ(ErrorOf(Assemble(bth("0c40"), Bytes(16))),
              "BTH opcode: found 12, expected a SEND, WRITE or ACK of the reliable connected "
              "service, or a CNP");
    EXPECT_EQ(ErrorOf(Assemble(bth("0441"), Bytes(8))),
              "BTH transport version: found 1, expected 0");
    EXPECT_EQ(ErrorOf(Assemble(bth("0440"), Bytes(7))),
              "bytes of payload and pad: found 7, expected a multiple of 4");
    EXPECT_EQ(ErrorOf(Assemble(bth("0470"), {})),
              "BTH pad count: found 3, expected no more than what follows the headers");
    EXPECT_EQ(ErrorOf(Assemble(bth("1140"), Bytes(2))),
              "bytes of AETH: found 2, expected at least 4");
    EXPECT_EQ(ErrorOf(Assemble(bth("0640"), Bytes(15))),
              "bytes of RETH: found 15, expected at least 16");
    EXPECT_EQ(ErrorOf(Assemble(bth("0b40"), Bytes(16))),
              "bytes of ImmDt: found 0, expected at least 4");
    EXPECT_EQ(ErrorOf(Assemble(bth("8100"), Bytes(12))),
              "reserved bytes of a CNP: found 12, expected 16");
    EXPECT_EQ(ErrorOf(Assemble(bth("8110"), Bytes(16))),
              "BTH pad count of a CNP: found 1, expected 0");
    EXPECT_EQ(ErrorOf(Assemble(FromHex("0440ffff00000012"), {})),
              "bytes of BTH and ICRC: found 12, expected at least 16");
}

TEST(WireErrors, RandomBytesNeverCrash)
{
    std::mt19937 random(7);
    const char* starts[] = {"0800", "080045000050", "8808", "88b5", "0806", ""};
    for (int round = 0; round < 20000; ++round)
    {
        Bytes image(12);
        Bytes start = FromHex(starts[random() % 6]);
        image.insert(image.end(), start.begin(), start.end());
        image.resize(image.size() + random() % 120);
        for (size_t i = 12 + start.size(); i < image.size(); ++i)
        {
            image[i] = static_cast<uint8_t>(random());
        }
        std::string error;
        FramePtr f = Parse(image, &error);
        EXPECT_EQ(f == nullptr, error != "");
    }
}

TEST(WireErrors, RandomHeadersWithRightCrcNeverCrash)
{
    std::mt19937 random(8);
    for (int round = 0; round < 5000; ++round)
    {
        Bytes bth(12);
        Bytes rest(random() % 40);
        for (uint8_t& byte : bth)
        {
            byte = static_cast<uint8_t>(random());
        }
        bth[0] = OPCODES[random() % std::size(OPCODES)].opcode;
        bth[1] &= 0xf0;
        FramePtr f = Parse(Assemble(bth, rest));
        if (f)
        {
            EXPECT_TRUE(FabricFrame::FromPacket(f->ToPacket()));
        }
    }
}

// ---- pool

TEST(Pool, ReusedFramesHaveDefaults)
{
    FramePtr fresh = FabricFrame::Create();
    const std::string defaults = Describe(*fresh);
    const std::string metadata = DescribeMetadata(*fresh);
    for (int round = 0; round < 200; ++round) // more than a block of them
    {
        std::vector<FramePtr> frames;
        for (int i = 0; i < round; ++i)
        {
            FramePtr f = FabricFrame::Create();
            ASSERT_EQ(Describe(*f), defaults);
            ASSERT_EQ(DescribeMetadata(*f), metadata);
            f = MakeRoce(OPCODES[i % std::size(OPCODES)].opcode, 100);
            f->kind = FrameKind::PFC;
            f->pauseClasses = 1;
            f->pauseQuanta.fill(9);
            f->payload = Create<Packet>(100);
            f->etherType = 0x0806;
            f->messageId = 1;
            f->trafficClass = 3;
            f->ingressPort = 4;
            f->arrivalTime = f->enqueueTime = f->pauseClock = 5;
            f->journey = {6, 7, 8, 9};
            f->sentTime = 10;
            frames.push_back(f);
        }
    }
}

TEST(Pool, ReleaseDropsPayload)
{
    Ptr<Packet> payload = Create<Packet>(10);
    FramePtr f = FabricFrame::Create();
    f->payload = payload;
    FramePtr other = f;
    EXPECT_EQ(payload->GetReferenceCount(), 2u);
    f = nullptr;
    EXPECT_EQ(payload->GetReferenceCount(), 2u);
    other = nullptr;
    EXPECT_EQ(payload->GetReferenceCount(), 1u);
}

TEST(Pool, CloneIsItsOwnFrame)
{
    FramePtr f = MakeRoce(0x0b, 5);
    f->payload = PacketOf(Pattern(5));
    f->trafficClass = 3;
    f->journey.queueing = 17;
    FrameFifo fifo;
    fifo.Push(f);
    FramePtr copy = f->Clone();
    EXPECT_EQ(Describe(*copy), Describe(*f));
    EXPECT_EQ(DescribeMetadata(*copy), DescribeMetadata(*f));

    copy->payload->RemoveAtStart(3);
    copy->psn = 1;
    EXPECT_EQ(f->payload->GetSize(), 5u);
    EXPECT_EQ(f->psn, 0xabcdefu);
    fifo.Push(copy);
    EXPECT_EQ(fifo.Pop(), f);
    EXPECT_EQ(fifo.Pop(), copy);
    EXPECT_TRUE(fifo.IsEmpty());
}

// ---- tables

// MurmurHash3_x86_32, seed 0, over the little-endian words source, destination, ports, protocol;
// values from a separate implementation, itself checked against the published hash of "test".
TEST(Wire, FlowHash)
{
    EXPECT_EQ(FlowHash(0x0a000001, 0x0a000002, 49152), 0x3213059eu);
    EXPECT_EQ(FlowHash(0x0a000001, 0x0a000002, 49153), 0x5f6ab481u);
    EXPECT_EQ(FlowHash(0x0a010203, 0x0a040506, 0xc123), 0x829bac1au);
    EXPECT_EQ(FlowHash(0x0a010203, 0x0a040506, 5001, 80, 6), 0x5ea94912u);
}

TEST(Wire, FlowHashSpreadsPorts)
{
    constexpr uint32_t FLOWS = 16000;
    constexpr uint32_t PATHS = 16;
    std::vector<uint32_t> count(PATHS);
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        ++count[FlowHash(0x0a000001, 0x0a000002, static_cast<uint16_t>(49152 + i)) % PATHS];
    }
    for (uint32_t n : count)
    {
        EXPECT_NEAR(n, FLOWS / PATHS, 150); // about five standard deviations
    }
}

TEST(Tables, RnrTimer)
{
    // IBA vol. 1, "Encoding for RNR NAK Timer Field", in milliseconds.
    const double milliseconds[] = {655.36, 0.01,  0.02,  0.03,   0.04,   0.06,   0.08,   0.12,
                                   0.16,   0.24,  0.32,  0.48,   0.64,   0.96,   1.28,   1.92,
                                   2.56,   3.84,  5.12,  7.68,   10.24,  15.36,  20.48,  30.72,
                                   40.96,  61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52};
    for (uint8_t code = 0; code < 32; ++code)
    {
        EXPECT_NEAR(RnrTimerMicroseconds(code), milliseconds[code] * 1000, 1e-6) << +code;
    }
}

TEST(Tables, AethSyndrome)
{
    EXPECT_EQ(MakeSyndrome(AethKind::ACK, AETH_CREDIT_INVALID), 0x1f);
    EXPECT_EQ(MakeSyndrome(AethKind::RNR_NAK, 14), 0x2e);
    EXPECT_EQ(MakeSyndrome(AethKind::NAK, 0), 0x60);
    EXPECT_EQ(MakeSyndrome(AethKind::NAK, static_cast<uint8_t>(NakCode::REMOTE_ACCESS_ERROR)),
              0x62);
    EXPECT_EQ(SyndromeKind(0x63), AethKind::NAK);
    EXPECT_EQ(SyndromeKind(0x3f), AethKind::RNR_NAK);
    EXPECT_EQ(SyndromeValue(0x63), 3);
}

/// Letters of what an opcode implies: First, Last, Send, Write, Reth, Imm, Aeth.
std::string
TraitLetters(uint8_t opcode)
{
    RdmaOpcodeTraits t = GetOpcodeTraits(static_cast<RdmaOpcode>(opcode));
    std::string letters = t.known ? "" : "unknown";
    letters += t.first ? "F" : "";
    letters += t.last ? "L" : "";
    letters += t.send ? "S" : "";
    letters += t.write ? "W" : "";
    letters += t.hasReth ? "R" : "";
    letters += t.hasImmediate ? "I" : "";
    letters += t.hasAeth ? "A" : "";
    return letters;
}

TEST(Tables, OpcodeTraits)
{
    const char* rc[] =
        {"FS", "S", "LS", "LSI", "FLS", "FLSI", "FWR", "W", "LW", "LWI", "FLWR", "FLWRI"};
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        std::string expected = opcode < 12      ? rc[opcode]
                               : opcode == 0x11 ? "A"
                               : opcode == 0x81 ? ""
                                                : "unknown";
        EXPECT_EQ(TraitLetters(static_cast<uint8_t>(opcode)), expected) << opcode;
    }
}

// ---- headers on their own

template <typename H>
std::string
Printed(const H& header)
{
    std::ostringstream out;
    header.Print(out);
    return out.str();
}

TEST(Headers, Print)
{
    BthHeader bth;
    bth.opcode = RdmaOpcode::RC_WRITE_ONLY;
    bth.destQp = 18;
    bth.psn = 7;
    EXPECT_EQ(Printed(bth),
              "(solicited=0 migrated=1 pad=0 version=0 pkey=0xffff fecn=0 becn=0 ack-request=0) "
              "opcode 0xa qp 18 psn 7");
    RethHeader reth;
    reth.address = 0x1000;
    reth.remoteKey = 0xab;
    reth.dmaLength = 64;
    EXPECT_EQ(Printed(reth), "address 0x1000 rkey 0xab length 64");
    AethHeader aeth;
    aeth.syndrome = 0x60;
    aeth.msn = 3;
    EXPECT_EQ(Printed(aeth), "syndrome 0x60 msn 3");
    ImmDtHeader immDt;
    immDt.immediate = 0xff;
    EXPECT_EQ(Printed(immDt), "immediate 0xff");
    PfcHeader pfc;
    pfc.classes = 0x09;
    pfc.quanta = {5, 0, 0, 0xffff};
    EXPECT_EQ(Printed(pfc), "(opcode=257) quanta 0:5 3:65535");
}

TEST(Headers, FieldsWiderThanTheWireAreCut)
{
    BthHeader bth;
    bth.destQp = 0xff000001;
    bth.psn = 0x12000002;
    bth.padCount = 7;
    bth.version = 0x1f;
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(bth);
    EXPECT_EQ(ToHex(BytesOf(packet)),
              "047fffff"
              "00000001"
              "00000002");
}

TEST(Headers, TypeIds)
{
    for (const char* name :
         {"BthHeader", "RethHeader", "AethHeader", "ImmDtHeader", "PfcHeader", "ScaleUpHeader"})
    {
        TypeId tid;
        ASSERT_TRUE(TypeId::LookupByNameFailSafe(std::string("ns3::") + name, &tid)) << name;
        EXPECT_EQ(tid.GetParent(), Header::GetTypeId());
        EXPECT_TRUE(tid.HasConstructor());
    }
}

// ---- captures of real stacks

#ifdef AI_FABRIC_SOURCE_DIR
const std::filesystem::path CAPTURES = AI_FABRIC_SOURCE_DIR "/../shared/data/pcap";
#else
const std::filesystem::path CAPTURES = "pcap";
#endif

/// @return whether the bytes are an IPv4 UDP packet to RoCEv2's port
bool
IsRoceV2(const Bytes& b)
{
    return b.size() > 42 && BigEndian16(b, 12) == 0x0800 && b[23] == 17 &&
           BigEndian16(b, 36) == 4791;
}

/// @return whether the reliable-connected opcode is one that the module has
bool
IsModelled(uint8_t opcode)
{
    return opcode < 0x0c || opcode == 0x11 || opcode == 0x81;
}

/// Checks one captured frame: parsed and written again it gives the same bytes.
void
CheckCaptured(const Bytes& captured)
{
    std::string error;
    FramePtr f = Parse(captured, &error);
    if (IsRoceV2(captured) && !IsModelled(captured[42]))
    {
        // The ICRC is looked at before the opcode, so this message says that it was right.
        EXPECT_EQ(error.rfind("BTH opcode: found ", 0), 0u) << error;
        return;
    }
    ASSERT_TRUE(f) << error << ": " << ToHex(captured);
    EXPECT_EQ(f->kind, IsRoceV2(captured) ? FrameKind::ROCE : FrameKind::PACKET);
    Bytes expected = captured;
    expected.resize(
        std::max<size_t>(60, captured.size())); // the sending host's NIC pads after tcpdump
    EXPECT_EQ(ToHex(BytesOf(f->ToPacket())), ToHex(expected));
}

TEST(Captures, EveryFrameParsesAndComesBackTheSame)
{
    if (!std::filesystem::is_directory(CAPTURES))
    {
        GTEST_SKIP() << "no captures in " << CAPTURES;
    }
    int roce = 0;
    int modelled = 0;
    for (const auto& entry : std::filesystem::directory_iterator(CAPTURES))
    {
        if (entry.path().extension() != ".pcap")
        {
            continue;
        }
        SCOPED_TRACE(entry.path().filename());
        for (const Bytes& frame : pcap::Read(entry.path().string()))
        {
            CheckCaptured(frame);
            roce += IsRoceV2(frame);
            modelled += IsRoceV2(frame) && IsModelled(frame[42]);
        }
    }
    EXPECT_GT(modelled, 0);
    RecordProperty("RoceFrames", roce);
    RecordProperty("ModelledFrames", modelled);
}

// ---- a second reader

/// @param command for the shell @return what it prints, line by line
std::vector<std::string>
RunCommand(const std::string& command)
{
    std::vector<std::string> lines;
    FILE* pipe = popen(command.c_str(), "r");
    std::string line;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    {
        if (c == '\n')
        {
            lines.push_back(line);
            line.clear();
        }
        else
        {
            line += static_cast<char>(c);
        }
    }
    pclose(pipe);
    return lines;
}

/// @return fields of a line of tshark's, each number in decimal, whatever base it was printed in
std::string
InDecimal(const std::string& line)
{
    std::istringstream in(line);
    std::string field;
    std::string out;
    while (std::getline(in, field, '|'))
    {
        out += (field.empty() ? "-" : std::to_string(std::stoull(field, nullptr, 0))) + " ";
    }
    return out;
}

/// What tshark should print of @p f, in the order of TSHARK_FIELDS.
std::string
Expected(const FabricFrame& f)
{
    RdmaOpcodeTraits t = GetOpcodeTraits(f.opcode);
    std::ostringstream out;
    bool cnp = f.opcode == RdmaOpcode::CNP;
    out << +f.ttl << " " << f.ipId << " " << f.udpSourcePort << " "
        << +static_cast<uint8_t>(f.opcode) << " " << (cnp ? 0 : +f.PadCount()) << " " << f.pkey
        << " " << f.destQp << " " << f.psn << " ";
    std::ostringstream reth;
    reth << f.remoteAddress << " " << f.remoteKey << " " << f.dmaLength << " ";
    out << (t.hasReth ? reth.str() : "- - - ");
    std::ostringstream aeth;
    aeth << +f.syndrome << " " << f.msn << " ";
    out << (t.hasAeth ? aeth.str() : "- - ");
    return out.str();
}

const char* const TSHARK_FIELDS =
    " -e ip.ttl -e ip.id -e udp.srcport -e infiniband.bth.opcode -e infiniband.bth.padcnt"
    " -e infiniband.bth.p_key -e infiniband.bth.destqp -e infiniband.bth.psn"
    " -e infiniband.reth.va -e infiniband.reth.r_key -e infiniband.reth.dmalen"
    " -e infiniband.aeth.syndrome -e infiniband.aeth.msn -e frame.len";

/// A file of its own in the directory for temporary files; it goes with the object.
class TemporaryFile
{
  public:
    TemporaryFile()
    {
        std::string name = ::testing::TempDir() + "ai-fabric-wire-XXXXXX";
        m_name.assign(name.c_str(), name.c_str() + name.size() + 1);
        int fd = mkstemp(m_name.data());
        EXPECT_GE(fd, 0);
        std::fclose(fdopen(fd, "w"));
    }

    ~TemporaryFile()
    {
        std::remove(m_name.data());
    }

    std::string Path() const
    {
        return m_name.data();
    }

  private:
    std::vector<char> m_name;
};

bool
HaveTshark()
{
    return std::system("tshark --version >/dev/null 2>&1") == 0;
}

TEST(Tshark, ReadsRoceFrames)
{
    if (!HaveTshark())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    std::vector<pcap::Bytes> frames;
    std::vector<std::string> expected;
    for (const OpcodeSize& o : OPCODES)
    {
        for (uint32_t payload : {0, 1, 1024})
        {
            FramePtr f = MakeRoce(o.opcode, payload);
            frames.push_back(BytesOf(f->ToPacket()));
            expected.push_back(Expected(*f) + std::to_string(f->sizeBytes - 4) + " ");
        }
    }
    TemporaryFile file;
    pcap::Write(file.Path(), frames);
    std::vector<std::string> lines =
        RunCommand("tshark -n -r '" + file.Path() + "' -T fields -E separator='|' -E occurrence=f" +
                   TSHARK_FIELDS + " 2>/dev/null");
    ASSERT_EQ(lines.size(), expected.size());
    for (size_t i = 0; i < lines.size(); ++i)
    {
        EXPECT_EQ(InDecimal(lines[i]), expected[i]) << "frame " << i;
    }
}

TEST(Tshark, ReadsPfcFrames)
{
    if (!HaveTshark())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    FramePtr f = FabricFrame::Create();
    f->kind = FrameKind::PFC;
    f->pauseClasses = 0x88;
    f->pauseQuanta = {0, 0, 0, 100, 0, 0, 0, 65535};
    TemporaryFile file;
    pcap::Write(file.Path(), {BytesOf(f->ToPacket())});
    std::vector<std::string> lines =
        RunCommand("tshark -n -r '" + file.Path() +
                   "' -T fields -E separator='|' -e macc.opcode"
                   " -e macc.cbfc.enbv -e macc.cbfc.pause_time.c3 -e macc.cbfc.pause_time.c7"
                   " -e frame.len 2>/dev/null");
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(InDecimal(lines[0]), "257 136 100 65535 60 ");
}

} // namespace
