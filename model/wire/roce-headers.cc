// SPDX-License-Identifier: GPL-2.0-only
#include "roce-headers.h"

#include <sstream>
#include <string>

namespace ns3
{

template <typename H>
TypeId
RoceHeader<H>::GetTypeId()
{
    static TypeId tid = TypeId(H::NAME)
                            .template SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .template AddConstructor<H>();
    return tid;
}

template <typename H>
TypeId
RoceHeader<H>::GetInstanceTypeId() const
{
    return GetTypeId();
}

template <typename H>
uint32_t
RoceHeader<H>::GetSerializedSize() const
{
    return H::BYTES;
}

template class RoceHeader<BthHeader>;
template class RoceHeader<DethHeader>;
template class RoceHeader<PlacementHeader>;
template class RoceHeader<RethHeader>;
template class RoceHeader<AtomicEthHeader>;
template class RoceHeader<AethHeader>;
template class RoceHeader<AtomicAckEthHeader>;
template class RoceHeader<SackHeader>;
template class RoceHeader<CreditHeader>;
template class RoceHeader<DemandHeader>;
template class RoceHeader<ImmDtHeader>;
template class RoceHeader<IethHeader>;

NS_OBJECT_ENSURE_REGISTERED(BthHeader);
NS_OBJECT_ENSURE_REGISTERED(DethHeader);
NS_OBJECT_ENSURE_REGISTERED(PlacementHeader);
NS_OBJECT_ENSURE_REGISTERED(RethHeader);
NS_OBJECT_ENSURE_REGISTERED(AtomicEthHeader);
NS_OBJECT_ENSURE_REGISTERED(AethHeader);
NS_OBJECT_ENSURE_REGISTERED(AtomicAckEthHeader);
NS_OBJECT_ENSURE_REGISTERED(SackHeader);
NS_OBJECT_ENSURE_REGISTERED(CreditHeader);
NS_OBJECT_ENSURE_REGISTERED(DemandHeader);
NS_OBJECT_ENSURE_REGISTERED(ImmDtHeader);
NS_OBJECT_ENSURE_REGISTERED(IethHeader);

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

void
BthHeader::Print(std::ostream& os) const
{
    os << "(solicited=" << solicited << " migrated=" << migrated << " pad=" << +padCount
       << " version=" << +version << " pkey=" << Hex(pkey) << " fecn=" << fecn << " becn=" << becn
       << " ack-request=" << ackRequest << ") opcode " << Hex(static_cast<uint8_t>(opcode))
       << " qp " << destQp << " psn " << psn;
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
    return BYTES;
}

// ---- RETH

void
RethHeader::Print(std::ostream& os) const
{
    os << "address " << Hex(address) << " rkey " << Hex(remoteKey) << " length " << dmaLength;
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
    return BYTES;
}

// ---- AETH

void
AethHeader::Print(std::ostream& os) const
{
    os << "syndrome " << Hex(syndrome) << " msn " << msn;
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
    return BYTES;
}

// ---- ImmDt

void
ImmDtHeader::Print(std::ostream& os) const
{
    os << "immediate " << Hex(immediate);
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
    return BYTES;
}

// ---- AtomicETH

void
AtomicEthHeader::Print(std::ostream& os) const
{
    os << "address " << Hex(address) << " rkey " << Hex(remoteKey) << " swap-or-add "
       << Hex(swapOrAdd) << " compare " << Hex(compare);
}

void
AtomicEthHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU64(address);
    i.WriteHtonU32(remoteKey);
    i.WriteHtonU64(swapOrAdd);
    i.WriteHtonU64(compare);
}

uint32_t
AtomicEthHeader::Deserialize(Buffer::Iterator i)
{
    address = i.ReadNtohU64();
    remoteKey = i.ReadNtohU32();
    swapOrAdd = i.ReadNtohU64();
    compare = i.ReadNtohU64();
    return BYTES;
}

// ---- AtomicAckETH

void
AtomicAckEthHeader::Print(std::ostream& os) const
{
    os << "original " << Hex(original);
}

void
AtomicAckEthHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU64(original);
}

uint32_t
AtomicAckEthHeader::Deserialize(Buffer::Iterator i)
{
    original = i.ReadNtohU64();
    return BYTES;
}

// ---- IETH

void
IethHeader::Print(std::ostream& os) const
{
    os << "invalidate " << Hex(remoteKey);
}

void
IethHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU32(remoteKey);
}

uint32_t
IethHeader::Deserialize(Buffer::Iterator i)
{
    remoteKey = i.ReadNtohU32();
    return BYTES;
}

// ---- DETH

void
DethHeader::Print(std::ostream& os) const
{
    os << "qkey " << Hex(qkey) << " source-qp " << srcQp;
}

void
DethHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU32(qkey);
    WriteU8U24(i, 0, srcQp);
}

uint32_t
DethHeader::Deserialize(Buffer::Iterator i)
{
    qkey = i.ReadNtohU32();
    srcQp = i.ReadNtohU32() & wire::MASK_24;
    return BYTES;
}

// ---- placement

void
PlacementHeader::Print(std::ostream& os) const
{
    os << "message " << messageNumber << " offset " << frameOffset;
}

void
PlacementHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU32(messageNumber << 8);
    i.WriteHtonU32(frameOffset);
}

uint32_t
PlacementHeader::Deserialize(Buffer::Iterator i)
{
    messageNumber = i.ReadNtohU32() >> 8;
    frameOffset = i.ReadNtohU32();
    return BYTES;
}

// ---- SACK

void
SackHeader::Print(std::ostream& os) const
{
    os << "base " << base << " bitmap " << Hex(bitmap);
}

void
SackHeader::Serialize(Buffer::Iterator i) const
{
    WriteU8U24(i, 0, base);
    i.WriteHtonU64(bitmap);
}

uint32_t
SackHeader::Deserialize(Buffer::Iterator i)
{
    base = i.ReadNtohU32() & wire::MASK_24;
    bitmap = i.ReadNtohU64();
    return BYTES;
}

// ---- credit

void
CreditHeader::Print(std::ostream& os) const
{
    os << "credit " << creditBytes;
}

void
CreditHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU64(creditBytes);
}

uint32_t
CreditHeader::Deserialize(Buffer::Iterator i)
{
    creditBytes = i.ReadNtohU64();
    return BYTES;
}

// ---- demand

void
DemandHeader::Print(std::ostream& os) const
{
    os << "demand " << demandBytes << " sent " << sentBytes << " limit " << limitBytes;
}

void
DemandHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU64(demandBytes);
    i.WriteHtonU64(sentBytes);
    i.WriteHtonU64(limitBytes);
}

uint32_t
DemandHeader::Deserialize(Buffer::Iterator i)
{
    demandBytes = i.ReadNtohU64();
    sentBytes = i.ReadNtohU64();
    limitBytes = i.ReadNtohU64();
    return BYTES;
}

} // namespace ns3
