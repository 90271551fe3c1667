// SPDX-License-Identifier: GPL-2.0-only
#ifndef WIRE_BYTES_H
#define WIRE_BYTES_H

#include "ns3/fabric-frame.h"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

/**
 * @file
 * @brief What tests need of bytes, frames as text, and an ICRC of its own.
 */

namespace wire_test
{

using namespace ns3;

using Bytes = std::vector<uint8_t>;

/// @param text hexadecimal digits, with anything between them @return the bytes
inline Bytes
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

/// @param bytes any @return them in hexadecimal
inline std::string
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

/// @param packet any @return its bytes
inline Bytes
BytesOf(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

/// @param bytes any @return a packet of them
inline Ptr<Packet>
PacketOf(const Bytes& bytes)
{
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

/// @param bytes any @param at offset @return two bytes as a number
inline uint32_t
BigEndian16(const Bytes& bytes, size_t at)
{
    return (bytes.at(at) << 8) | bytes.at(at + 1);
}

/// Shifts bytes through the CRC-32 register of IEEE 802.3 one bit at a time.
/// @param state of the register @param bytes to go in @return next state
inline uint32_t
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

/// A second ICRC, from the text of the standard. @param ipPacket IPv4 or IPv6, without the ICRC
/// @return the ICRC
inline uint32_t
SlowIcrc(Bytes ipPacket)
{
    bool ipv6 = ipPacket.at(0) >> 4 == 6;
    const std::vector<size_t> masked = ipv6 ? std::vector<size_t>{1, 2, 3, 7, 46, 47, 52}
                                            : std::vector<size_t>{1, 8, 10, 11, 26, 27, 32};
    for (size_t at : masked)
    {
        ipPacket.at(at) = 0xff;
    }
    ipPacket[0] |= ipv6 ? 0x0f : 0;
    return ~CrcBits(STATE_AFTER_ONES, ipPacket);
}

/// The ICRC that an image of IPv4 or IPv6 without options carries. @param ipPacket with its ICRC
/// @return it
inline uint32_t
IcrcAtEnd(const Bytes& ipPacket)
{
    uint32_t icrc = 0;
    for (size_t i = 1; i <= 4; ++i)
    {
        icrc = (icrc << 8) | ipPacket.at(ipPacket.size() - i);
    }
    return icrc;
}

/// Every field that the wire carries, so that two frames can be compared as a whole.
/// @param f the frame @return "name value ..."
inline std::string
Describe(const FabricFrame& f)
{
    std::ostringstream out;
    RdmaOpcodeTraits t = GetOpcodeTraits(f.opcode);
    bool roce = f.kind == FrameKind::ROCE;
    out << "kind " << +static_cast<uint8_t>(f.kind) << " size " << f.sizeBytes << " type "
        << f.etherType << " mac " << f.srcMac << ">" << f.dstMac << " ip " << f.srcAddress << ">"
        << f.dstAddress << " id " << f.ipId << " df " << f.dontFragment << " dscp " << +f.dscp
        << " ecn " << +static_cast<uint8_t>(f.ecn) << " ttl " << +f.ttl << " port "
        << f.udpSourcePort << " checksum " << f.udpChecksum << " hash " << f.flowHash << " opcode "
        << +static_cast<uint8_t>(f.opcode) << " se " << f.solicited << " m " << f.migrated << " a "
        << f.ackRequest << " fecn " << f.fecn << " becn " << f.becn << " pkey " << f.pkey << " qp "
        << f.destQp << " psn " << f.psn << " reth " << f.remoteAddress << " " << f.remoteKey << " "
        << f.dmaLength << " imm " << f.immediate << " aeth " << +f.syndrome << " " << f.msn
        << " atomic " << f.atomicData;
    if (roce && t.hasDeth)
    {
        out << " deth " << f.qkey << " " << f.srcQp;
    }
    if (roce && t.hasPlacement)
    {
        out << " placement " << f.messageNumber << " " << f.frameOffset;
    }
    if (roce && t.hasAtomicEth)
    {
        out << " compare " << f.atomicCompare;
    }
    if (roce && t.hasSack)
    {
        out << " sack " << f.sackBase << " " << f.sackBits;
    }
    if (f.vlanTagged)
    {
        out << " tag " << f.vlanTci << " class " << +f.trafficClass;
    }
    if (f.ipv6)
    {
        out << " ipv6 " << ToHex(Bytes(f.srcIpv6.begin(), f.srcIpv6.end())) << ">"
            << ToHex(Bytes(f.dstIpv6.begin(), f.dstIpv6.end())) << " label " << f.ipv6FlowLabel;
    }
    if (f.kind == FrameKind::PFC)
    {
        out << " pause " << +f.pauseClasses;
        for (uint16_t quanta : f.pauseQuanta)
        {
            out << " " << quanta;
        }
    }
    out << " message " << f.messageId << " bytes " << f.payloadBytes << " payload "
        << (f.payload ? ToHex(BytesOf(f.payload)) : "none");
    return out.str();
}

} // namespace wire_test

#endif // WIRE_BYTES_H
