// SPDX-License-Identifier: GPL-2.0-only
#include "roce-headers.h"

#include <sstream>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(BthHeader);
NS_OBJECT_ENSURE_REGISTERED(RethHeader);
NS_OBJECT_ENSURE_REGISTERED(AethHeader);
NS_OBJECT_ENSURE_REGISTERED(ImmDtHeader);

namespace
{

// Byte 1 of BTH.
constexpr uint8_t SOLICITED_BIT = 0x80;
constexpr uint8_t MIGRATED_BIT = 0x40;
constexpr uint8_t PAD_SHIFT = 4;
constexpr uint8_t PAD_MASK = 3;
constexpr uint8_t VERSION_MASK = 0x0f;
// Byte 4.
constexpr uint8_t FECN_BIT = 0x80;
constexpr uint8_t BECN_BIT = 0x40;
// Byte 8.
constexpr uint8_t ACK_REQUEST_BIT = 0x80;

/// @param set whether @param bit is set @return the bit or zero
uint8_t
BitIf(bool set, uint8_t bit)
{
    return set ? bit : 0;
}

/// Writes one byte and a 24-bit number as a word. @param i where @param high the byte @param low24
void
WriteU8U24(Buffer::Iterator& i, uint8_t high, uint32_t low24)
{
    i.WriteHtonU32((static_cast<uint32_t>(high) << 24) | (low24 & wire::MASK_24));
}

/// @param value a number @return it in hexadecimal; the stream's own format is not touched
std::string
Hex(uint64_t value)
{
    std::ostringstream out;
    out << "0x" << std::hex << value;
    return out.str();
}

} // namespace

// ---- BTH

TypeId
BthHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::BthHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<BthHeader>();
    return tid;
}

TypeId
BthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
BthHeader::Print(std::ostream& os) const
{
    os << "(solicited=" << solicited << " migrated=" << migrated << " pad=" << +padCount
       << " version=" << +version << " pkey=" << Hex(pkey) << " fecn=" << fecn << " becn=" << becn
       << " ack-request=" << ackRequest << ") opcode " << Hex(static_cast<uint8_t>(opcode))
       << " qp " << destQp << " psn " << psn;
}

uint32_t
BthHeader::GetSerializedSize() const
{
    return wire::BTH_BYTES;
}

void
BthHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteU8(static_cast<uint8_t>(opcode));
    i.WriteU8(BitIf(solicited, SOLICITED_BIT) | BitIf(migrated, MIGRATED_BIT) |
              ((padCount & PAD_MASK) << PAD_SHIFT) | (version & VERSION_MASK));
    i.WriteHtonU16(pkey);
    WriteU8U24(i, BitIf(fecn, FECN_BIT) | BitIf(becn, BECN_BIT), destQp);
    WriteU8U24(i, BitIf(ackRequest, ACK_REQUEST_BIT), psn);
}

uint32_t
BthHeader::Deserialize(Buffer::Iterator i)
{
    opcode = static_cast<RdmaOpcode>(i.ReadU8());
    uint8_t flags = i.ReadU8();
    solicited = flags & SOLICITED_BIT;
    migrated = flags & MIGRATED_BIT;
    padCount = (flags >> PAD_SHIFT) & PAD_MASK;
    version = flags & VERSION_MASK;
    pkey = i.ReadNtohU16();

    uint32_t word = i.ReadNtohU32();
    fecn = (word >> 24) & FECN_BIT;
    becn = (word >> 24) & BECN_BIT;
    destQp = word & wire::MASK_24;

    word = i.ReadNtohU32();
    ackRequest = (word >> 24) & ACK_REQUEST_BIT;
    psn = word & wire::MASK_24;
    return wire::BTH_BYTES;
}

// ---- RETH

TypeId
RethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RethHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RethHeader>();
    return tid;
}

TypeId
RethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RethHeader::Print(std::ostream& os) const
{
    os << "address " << Hex(address) << " rkey " << Hex(remoteKey) << " length " << dmaLength;
}

uint32_t
RethHeader::GetSerializedSize() const
{
    return wire::RETH_BYTES;
}

void
RethHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU64(address);
    i.WriteHtonU32(remoteKey);
    i.WriteHtonU32(dmaLength);
}

uint32_t
RethHeader::Deserialize(Buffer::Iterator i)
{
    address = i.ReadNtohU64();
    remoteKey = i.ReadNtohU32();
    dmaLength = i.ReadNtohU32();
    return wire::RETH_BYTES;
}

// ---- AETH

TypeId
AethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::AethHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<AethHeader>();
    return tid;
}

TypeId
AethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
AethHeader::Print(std::ostream& os) const
{
    os << "syndrome " << Hex(syndrome) << " msn " << msn;
}

uint32_t
AethHeader::GetSerializedSize() const
{
    return wire::AETH_BYTES;
}

void
AethHeader::Serialize(Buffer::Iterator i) const
{
    WriteU8U24(i, syndrome, msn);
}

uint32_t
AethHeader::Deserialize(Buffer::Iterator i)
{
    uint32_t word = i.ReadNtohU32();
    syndrome = static_cast<uint8_t>(word >> 24);
    msn = word & wire::MASK_24;
    return wire::AETH_BYTES;
}

// ---- ImmDt

TypeId
ImmDtHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ImmDtHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ImmDtHeader>();
    return tid;
}

TypeId
ImmDtHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
ImmDtHeader::Print(std::ostream& os) const
{
    os << "immediate " << Hex(immediate);
}

uint32_t
ImmDtHeader::GetSerializedSize() const
{
    return wire::IMMDT_BYTES;
}

void
ImmDtHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU32(immediate);
}

uint32_t
ImmDtHeader::Deserialize(Buffer::Iterator i)
{
    immediate = i.ReadNtohU32();
    return wire::IMMDT_BYTES;
}

} // namespace ns3
