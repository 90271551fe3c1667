// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Frames of every opcode over IPv4 and IPv6, tagged or not, byte by byte as an independent
 *        program (data/wire-vectors.py) lays them out from the standards.
 */

#include "wire-bytes.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>

using namespace ns3;
using namespace wire_test;

namespace
{

/// One line of the file.
struct Vector
{
    std::string name;
    std::map<std::string, std::string> fields; ///< in hexadecimal
    Bytes image;
};

std::vector<Vector>
ReadVectors()
{
    std::ifstream in(AI_FABRIC_SOURCE_DIR "/test/data/wire-vectors.txt");
    std::vector<Vector> vectors;
    std::string line;
    while (std::getline(in, line))
    {
        std::istringstream words(line);
        Vector vector;
        words >> vector.name;
        for (std::string word; words >> word;)
        {
            size_t equals = word.find('=');
            if (equals == std::string::npos)
            {
                vector.image = FromHex(word);
            }
            else
            {
                vector.fields[word.substr(0, equals)] = word.substr(equals + 1);
            }
        }
        vectors.push_back(vector);
    }
    return vectors;
}

Mac48Address
ToMac(uint64_t value)
{
    uint8_t bytes[6];
    for (int i = 0; i < 6; ++i)
    {
        bytes[i] = static_cast<uint8_t>(value >> (40 - 8 * i));
    }
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

Ipv6Bytes
ToIpv6(const std::string& hex)
{
    Bytes bytes = FromHex(std::string(32 - hex.size(), '0') + hex);
    Ipv6Bytes address{};
    std::copy(bytes.begin(), bytes.end(), address.begin());
    return address;
}

/// Sets one field. @tparam MEMBER which @param f the frame @param value as the file has it
template <auto MEMBER>
void
Set(FabricFrame& f, uint64_t value)
{
    auto& field = f.*MEMBER;
    field = static_cast<std::decay_t<decltype(field)>>(value);
}

using Setter = void (*)(FabricFrame&, uint64_t);

/// How each number of the file gets into a frame.
const std::map<std::string, Setter> SETTERS = {
    {"opcode", Set<&FabricFrame::opcode>},
    {"solicited", Set<&FabricFrame::solicited>},
    {"migrated", Set<&FabricFrame::migrated>},
    {"pkey", Set<&FabricFrame::pkey>},
    {"fecn", Set<&FabricFrame::fecn>},
    {"becn", Set<&FabricFrame::becn>},
    {"destQp", Set<&FabricFrame::destQp>},
    {"ackRequest", Set<&FabricFrame::ackRequest>},
    {"psn", Set<&FabricFrame::psn>},
    {"udpSourcePort", Set<&FabricFrame::udpSourcePort>},
    {"udpChecksum", Set<&FabricFrame::udpChecksum>},
    {"dscp", Set<&FabricFrame::dscp>},
    {"ecn", Set<&FabricFrame::ecn>},
    {"ipId", Set<&FabricFrame::ipId>},
    {"dontFragment", Set<&FabricFrame::dontFragment>},
    {"ttl", Set<&FabricFrame::ttl>},
    {"srcAddress", Set<&FabricFrame::srcAddress>},
    {"dstAddress", Set<&FabricFrame::dstAddress>},
    {"ipv6", Set<&FabricFrame::ipv6>},
    {"ipv6FlowLabel", Set<&FabricFrame::ipv6FlowLabel>},
    {"etherType", Set<&FabricFrame::etherType>},
    {"trafficClass", Set<&FabricFrame::trafficClass>},
    {"vlanTagged", Set<&FabricFrame::vlanTagged>},
    {"vlanTci", Set<&FabricFrame::vlanTci>},
    {"flowHash", Set<&FabricFrame::flowHash>},
    {"sizeBytes", Set<&FabricFrame::sizeBytes>},
    {"payloadBytes", Set<&FabricFrame::payloadBytes>},
    {"remoteAddress", Set<&FabricFrame::remoteAddress>},
    {"remoteKey", Set<&FabricFrame::remoteKey>},
    {"dmaLength", Set<&FabricFrame::dmaLength>},
    {"immediate", Set<&FabricFrame::immediate>},
    {"msn", Set<&FabricFrame::msn>},
    {"syndrome", Set<&FabricFrame::syndrome>},
    {"qkey", Set<&FabricFrame::qkey>},
    {"srcQp", Set<&FabricFrame::srcQp>},
    {"messageNumber", Set<&FabricFrame::messageNumber>},
    {"frameOffset", Set<&FabricFrame::frameOffset>},
    {"sackBase", Set<&FabricFrame::sackBase>},
    {"sackBits", Set<&FabricFrame::sackBits>},
    {"atomicData", Set<&FabricFrame::atomicData>},
    {"atomicCompare", Set<&FabricFrame::atomicCompare>},
    {"creditBytes", Set<&FabricFrame::creditBytes>},
    {"demandBytes", Set<&FabricFrame::demandBytes>},
    {"sentBytes", Set<&FabricFrame::sentBytes>},
    {"limitBytes", Set<&FabricFrame::limitBytes>},
    {"srcMac", [](FabricFrame& f, uint64_t value) { f.srcMac = ToMac(value); }},
    {"dstMac", [](FabricFrame& f, uint64_t value) { f.dstMac = ToMac(value); }},
};

/// @return the frame that the line's fields say
FramePtr
FrameOf(const Vector& vector)
{
    FramePtr f = FabricFrame::Create();
    for (const auto& [name, value] : vector.fields)
    {
        if (name == "payload")
        {
            f->payload = PacketOf(FromHex(value));
        }
        else if (name == "srcIpv6")
        {
            f->srcIpv6 = ToIpv6(value);
        }
        else if (name == "dstIpv6")
        {
            f->dstIpv6 = ToIpv6(value);
        }
        else
        {
            SETTERS.at(name)(*f, std::stoull(value, nullptr, 16));
        }
    }
    return f;
}

TEST(WireVectors, ThereIsOneOfEachKind)
{
    std::set<uint8_t> opcodes;
    for (const Vector& vector : ReadVectors())
    {
        opcodes.insert(static_cast<uint8_t>(FrameOf(vector)->opcode));
    }
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        EXPECT_EQ(GetOpcodeTraits(static_cast<RdmaOpcode>(opcode)).known,
                  opcodes.count(opcode) == 1)
            << opcode;
    }
    EXPECT_EQ(ReadVectors().size(), 63u * 4); // 23 RC, 12 UC, 2 UD, CNP, 23 SR, 2 of credit
}

TEST(WireVectors, FramesBecomeTheirBytes)
{
    for (const Vector& vector : ReadVectors())
    {
        FramePtr f = FrameOf(vector);
        EXPECT_EQ(ToHex(BytesOf(f->ToPacket())), ToHex(vector.image)) << vector.name;
        uint32_t size = f->sizeBytes;
        f->ComputeSize();
        EXPECT_EQ(f->sizeBytes, size) << vector.name;
    }
}

TEST(WireVectors, BytesBecomeTheirFrames)
{
    for (const Vector& vector : ReadVectors())
    {
        std::string error;
        FramePtr parsed = FabricFrame::FromPacket(PacketOf(vector.image), &error);
        ASSERT_TRUE(parsed) << vector.name << ": " << error;
        EXPECT_EQ(Describe(*parsed), Describe(*FrameOf(vector))) << vector.name;
    }
}

} // namespace
