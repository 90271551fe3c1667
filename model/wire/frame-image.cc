// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Between a FabricFrame and its bytes: ToPacket(), FromPacket() and the same for IP packets.
 */

#include "fabric-frame.h"
#include "icrc.h"
#include "int-header.h"
#include "link-credit-header.h"
#include "pause-header.h"
#include "pfc-header.h"
#include "roce-headers.h"
#include "scale-up-header.h"

#include "ns3/abort.h"
#include "ns3/buffer.h"
#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/trailer.h"
#include "ns3/udp-header.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint8_t PROTOCOL_TCP = 6;
constexpr uint8_t PROTOCOL_UDP = 17;
constexpr uint32_t MAX_IP_LENGTH = 0xffff; // IPv4: with the header; IPv6: without
constexpr uint16_t PRIORITY_SHIFT = 13;    // 802.1Q: PCP in the tag
constexpr uint16_t DEI_VID_MASK = 0x1fff;
constexpr uint32_t MIN_IMAGE_BYTES = wire::MIN_FRAME_BYTES - wire::FCS_BYTES;

// ---- headers and trailers that have no other user

/// What follows EtherType 8100: the rest of the 802.1Q tag and the EtherType of the contents.
class VlanTag : public Header
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FabricVlanTag")
                                .SetParent<Header>()
                                .SetGroupName("AiFabric")
                                .HideFromDocumentation()
                                .AddConstructor<VlanTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    void Print(std::ostream& os) const override
    {
        os << "priority " << (tci >> PRIORITY_SHIFT) << " vlan " << (tci & 0xfff);
    }

    uint32_t GetSerializedSize() const override
    {
        return wire::VLAN_TAG_BYTES;
    }

    void Serialize(Buffer::Iterator i) const override
    {
        i.WriteHtonU16(tci);
        i.WriteHtonU16(etherType);
    }

    uint32_t Deserialize(Buffer::Iterator i) override
    {
        tci = i.ReadNtohU16();
        etherType = i.ReadNtohU16();
        return wire::VLAN_TAG_BYTES;
    }

    uint16_t tci{0};       ///< PCP 3, DEI 1, VID 12 bits
    uint16_t etherType{0}; ///< of what follows
};

/// Zero bytes at the end of a packet. Packet::AddPaddingAtEnd would leave them undefined.
class ZeroTrailer : public Trailer
{
  public:
    explicit ZeroTrailer(uint32_t bytes = 0)
        : m_bytes(bytes)
    {
    }

    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FabricZeroTrailer")
                                .SetParent<Trailer>()
                                .SetGroupName("AiFabric")
                                .HideFromDocumentation()
                                .AddConstructor<ZeroTrailer>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    void Print(std::ostream& os) const override
    {
        os << "zeros " << m_bytes;
    }

    uint32_t GetSerializedSize() const override
    {
        return m_bytes;
    }

    void Serialize(Buffer::Iterator i) const override
    {
        i.Prev(m_bytes);
        i.WriteU8(0, m_bytes);
    }

    uint32_t Deserialize(Buffer::Iterator) override
    {
        return m_bytes;
    }

    uint32_t Deserialize(Buffer::Iterator start, Buffer::Iterator end) override
    {
        m_bytes = end.GetDistanceFrom(start);
        return m_bytes;
    }

  private:
    uint32_t m_bytes; ///< how many
};

/// The invariant CRC at the end of a RoCEv2 packet; least significant byte first.
class IcrcTrailer : public Trailer
{
  public:
    explicit IcrcTrailer(uint32_t icrc = 0)
        : m_icrc(icrc)
    {
    }

    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FabricIcrcTrailer")
                                .SetParent<Trailer>()
                                .SetGroupName("AiFabric")
                                .HideFromDocumentation()
                                .AddConstructor<IcrcTrailer>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    void Print(std::ostream& os) const override
    {
        os << "icrc " << m_icrc;
    }

    uint32_t GetSerializedSize() const override
    {
        return wire::ICRC_BYTES;
    }

    void Serialize(Buffer::Iterator i) const override
    {
        i.Prev(wire::ICRC_BYTES);
        for (uint32_t byte = 0; byte < wire::ICRC_BYTES; ++byte)
        {
            i.WriteU8(static_cast<uint8_t>(m_icrc >> (8 * byte)));
        }
    }

    uint32_t Deserialize(Buffer::Iterator i) override
    {
        i.Prev(wire::ICRC_BYTES);
        m_icrc = 0;
        for (uint32_t byte = 0; byte < wire::ICRC_BYTES; ++byte)
        {
            m_icrc |= static_cast<uint32_t>(i.ReadU8()) << (8 * byte);
        }
        return wire::ICRC_BYTES;
    }

  private:
    uint32_t m_icrc; ///< the CRC
};

NS_OBJECT_ENSURE_REGISTERED(VlanTag);
NS_OBJECT_ENSURE_REGISTERED(ZeroTrailer);
NS_OBJECT_ENSURE_REGISTERED(IcrcTrailer);

/// @param packet to append to @param bytes how many zeros
void
AppendZeros(Packet& packet, uint32_t bytes)
{
    if (bytes > 0)
    {
        packet.AddTrailer(ZeroTrailer(bytes));
    }
}

/// Pads an image with zeros to the shortest that Ethernet allows. @param image the image
void
PadToMinimum(Packet& image)
{
    if (image.GetSize() < MIN_IMAGE_BYTES)
    {
        AppendZeros(image, MIN_IMAGE_BYTES - image.GetSize());
    }
}

// ---- frame to bytes

/**
 * @param frame whose application bytes are wanted
 * @param padBytes zeros that follow them
 * @return the bytes; where the application gave none, zeros that ns-3 holds as a mere count
 */
Ptr<Packet>
PayloadBytes(const FabricFrame& frame, uint32_t padBytes)
{
    if (!frame.payload)
    {
        return Create<Packet>(frame.payloadBytes + padBytes);
    }
    NS_ABORT_MSG_IF(frame.payload->GetSize() != frame.payloadBytes,
                    "FabricFrame: payloadBytes is " << frame.payloadBytes
                                                    << ", but the payload has "
                                                    << frame.payload->GetSize() << " bytes");
    Ptr<Packet> bytes = frame.payload->Copy();
    AppendZeros(*bytes, padBytes);
    return bytes;
}

/// @param image from EtherType's contents on @param frame @param destination @param etherType
void
AddEthernet(Packet& image, const FabricFrame& frame, Mac48Address destination, uint16_t etherType)
{
    EthernetHeader ethernet(false);
    ethernet.SetSource(frame.srcMac);
    ethernet.SetDestination(destination);
    ethernet.SetLengthType(etherType);
    image.AddHeader(ethernet);
    PadToMinimum(image);
}

/// The same with the VLAN tag, if the frame has one. @param image @param frame @param etherType
void
AddTaggedEthernet(Packet& image, const FabricFrame& frame, uint16_t etherType)
{
    if (!frame.vlanTagged)
    {
        AddEthernet(image, frame, frame.dstMac, etherType);
        return;
    }
    VlanTag tag;
    tag.tci = static_cast<uint16_t>((frame.trafficClass << PRIORITY_SHIFT) |
                                    (frame.vlanTci & DEI_VID_MASK));
    tag.etherType = etherType;
    image.AddHeader(tag);
    AddEthernet(image, frame, frame.dstMac, wire::ETHERTYPE_VLAN);
}

/// ImmDt or IETH, which stand next to the payload. @param image @param frame @param traits
void
AddLastHeader(Packet& image, const FabricFrame& frame, RdmaOpcodeTraits traits)
{
    if (traits.hasImmediate)
    {
        ImmDtHeader immDt;
        immDt.immediate = frame.immediate;
        image.AddHeader(immDt);
    }
    if (traits.hasInvalidate)
    {
        IethHeader ieth;
        ieth.remoteKey = frame.remoteKey;
        image.AddHeader(ieth);
    }
}

/// AETH and what may follow it. @param image @param frame @param traits of its opcode
void
AddAnswerHeaders(Packet& image, const FabricFrame& frame, RdmaOpcodeTraits traits)
{
    // From the last to the first: a packet grows at its front.
    if (traits.hasSack)
    {
        SackHeader sack;
        sack.base = frame.sackBase;
        sack.bitmap = frame.sackBits;
        image.AddHeader(sack);
    }
    if (traits.hasAtomicAckEth)
    {
        AtomicAckEthHeader original;
        original.original = frame.atomicData;
        image.AddHeader(original);
    }
    if (traits.hasAeth)
    {
        AethHeader aeth;
        aeth.syndrome = frame.syndrome;
        aeth.msn = frame.msn;
        image.AddHeader(aeth);
    }
}

/// Where a request's bytes go. @param image @param frame @param traits of its opcode
void
AddRequestHeaders(Packet& image, const FabricFrame& frame, RdmaOpcodeTraits traits)
{
    if (traits.hasAtomicEth)
    {
        AtomicEthHeader atomic;
        atomic.address = frame.remoteAddress;
        atomic.remoteKey = frame.remoteKey;
        atomic.swapOrAdd = frame.atomicData;
        atomic.compare = frame.atomicCompare;
        image.AddHeader(atomic);
    }
    if (traits.hasReth)
    {
        RethHeader reth;
        reth.address = frame.remoteAddress;
        reth.remoteKey = frame.remoteKey;
        reth.dmaLength = frame.dmaLength;
        image.AddHeader(reth);
    }
    if (traits.hasPlacement)
    {
        PlacementHeader placement;
        placement.messageNumber = frame.messageNumber;
        placement.frameOffset = frame.frameOffset;
        image.AddHeader(placement);
    }
    if (traits.hasDeth)
    {
        DethHeader deth;
        deth.qkey = frame.qkey;
        deth.srcQp = frame.srcQp;
        image.AddHeader(deth);
    }
}

/// What stands behind BTH in frames of the module's own control. @param image @param frame
/// @param traits of its opcode
void
AddControlHeader(Packet& image, const FabricFrame& frame, RdmaOpcodeTraits traits)
{
    if (traits.hasCredit)
    {
        CreditHeader credit;
        credit.creditBytes = frame.creditBytes;
        image.AddHeader(credit);
    }
    if (traits.hasDemand)
    {
        DemandHeader demand;
        demand.demandBytes = frame.demandBytes;
        demand.sentBytes = frame.sentBytes;
        demand.limitBytes = frame.limitBytes;
        image.AddHeader(demand);
    }
}

void
AddBth(Packet& image, const FabricFrame& frame, uint8_t padBytes)
{
    BthHeader bth;
    bth.opcode = frame.opcode;
    bth.solicited = frame.solicited;
    bth.migrated = frame.migrated;
    bth.padCount = padBytes;
    bth.pkey = frame.pkey;
    bth.fecn = frame.fecn;
    bth.becn = frame.becn;
    bth.destQp = frame.destQp;
    bth.ackRequest = frame.ackRequest;
    bth.psn = frame.psn;
    image.AddHeader(bth);
}

/// What a packet is to be in the end, which its lengths and its port tell.
struct Outer
{
    uint16_t udpPort;   ///< destination
    uint32_t icrcBytes; ///< that are still to come; a trimmed packet has none
};

/// @param image from BTH on @param frame @param outer the packet
void
AddUdp(Packet& image, const FabricFrame& frame, Outer outer)
{
    uint32_t udpBytes = wire::UDP_BYTES + image.GetSize() + outer.icrcBytes;
    NS_ABORT_MSG_IF((frame.ipv6 ? 0 : wire::IPV4_BYTES) + udpBytes > MAX_IP_LENGTH,
                    "FabricFrame: payloadBytes " << frame.payloadBytes
                                                 << " does not fit into one IPv"
                                                 << (frame.ipv6 ? 6 : 4) << " packet");
    UdpHeader udp;
    udp.SetSourcePort(frame.udpSourcePort);
    udp.SetDestinationPort(outer.udpPort);
    udp.ForcePayloadSize(static_cast<uint16_t>(udpBytes)); // UDP's own header counts
    // UdpHeader keeps the checksum with its bytes the other way round.
    udp.ForceChecksum(static_cast<uint16_t>((frame.udpChecksum << 8) | (frame.udpChecksum >> 8)));
    image.AddHeader(udp);
}

/// @param frame with an IP header @return its TOS or traffic class
uint8_t
TosOf(const FabricFrame& frame)
{
    return static_cast<uint8_t>((frame.dscp << 2) | static_cast<uint8_t>(frame.ecn));
}

/// @param image from UDP on, without ICRC @param frame @param outer the packet
void
AddIpv4(Packet& image, const FabricFrame& frame, Outer outer)
{
    Ipv4Header ipv4;
    ipv4.EnableChecksum();
    ipv4.SetTos(TosOf(frame));
    ipv4.SetPayloadSize(static_cast<uint16_t>(image.GetSize() + outer.icrcBytes));
    ipv4.SetIdentification(frame.ipId);
    frame.dontFragment ? ipv4.SetDontFragment() : ipv4.SetMayFragment();
    ipv4.SetTtl(frame.ttl);
    ipv4.SetProtocol(PROTOCOL_UDP);
    ipv4.SetSource(Ipv4Address(frame.srcAddress));
    ipv4.SetDestination(Ipv4Address(frame.dstAddress));
    image.AddHeader(ipv4);
}

/// @param image from UDP on, without ICRC @param frame @param outer the packet
void
AddIpv6(Packet& image, const FabricFrame& frame, Outer outer)
{
    Ipv6Header ipv6;
    ipv6.SetTrafficClass(TosOf(frame));
    ipv6.SetFlowLabel(frame.ipv6FlowLabel);
    ipv6.SetPayloadLength(static_cast<uint16_t>(image.GetSize() + outer.icrcBytes));
    ipv6.SetNextHeader(PROTOCOL_UDP);
    ipv6.SetHopLimit(frame.ttl);
    Ipv6Bytes source = frame.srcIpv6; // ns-3's addresses want bytes that may be written
    Ipv6Bytes destination = frame.dstIpv6;
    ipv6.SetSource(Ipv6Address(source.data()));
    ipv6.SetDestination(Ipv6Address(destination.data()));
    image.AddHeader(ipv6);
}

/// @param image from BTH on @param frame @param outer the packet
void
AddUdpAndIp(Packet& image, const FabricFrame& frame, Outer outer)
{
    AddUdp(image, frame, outer);
    frame.ipv6 ? AddIpv6(image, frame, outer) : AddIpv4(image, frame, outer);
}

/// @param image an IP packet that lacks only its ICRC @return the ICRC
uint32_t
IcrcOf(const Packet& image)
{
    static thread_local std::vector<uint8_t> bytes; // its size settles: no allocation
    uint32_t size = image.GetSize();
    bytes.resize(std::max<size_t>(bytes.size(), size));
    image.CopyData(bytes.data(), size);
    return ComputeIcrc(bytes.data(), size);
}

/// @param frame any @return its telemetry; null if it carries none
const SwitchHeader*
TelemetryOf(const FabricFrame& frame)
{
    const SwitchHeader* header = frame.switchHeader;
    return header && header->telemetryFormat != TelemetryFormat::NONE ? header : nullptr;
}

/**
 * What stands below BTH, and the ICRC. That one is of the packet as it was without telemetry, for
 * the sink takes the telemetry out before it checks: so no hop has to change it.
 * @param image from BTH on @param frame
 */
void
Enclose(Packet& image, const FabricFrame& frame)
{
    const SwitchHeader* telemetry = TelemetryOf(frame);
    bool trimmed = frame.IsTrimmed(); // the ICRC went with the payload
    Outer outer{wire::ROCEV2_UDP_PORT, trimmed ? 0 : wire::ICRC_BYTES};
    uint32_t icrc = 0;
    if (telemetry)
    {
        if (!trimmed)
        {
            Ptr<Packet> plain = image.Copy();
            AddUdpAndIp(*plain, frame, outer);
            icrc = IcrcOf(*plain);
        }
        image.AddHeader(IntHeader(*telemetry));
        outer.udpPort = TelemetryUdpPort(telemetry->telemetryFormat);
    }
    AddUdpAndIp(image, frame, outer);
    if (!trimmed)
    {
        image.AddTrailer(IcrcTrailer(telemetry ? icrc : IcrcOf(image)));
    }
}

/// @param frame of a CNP or of an opcode @return what follows the extension headers
Ptr<Packet>
RoceBody(const FabricFrame& frame, RdmaOpcodeTraits traits)
{
    NS_ABORT_MSG_IF(!traits.hasPayload && frame.payloadBytes != 0,
                    "FabricFrame: payloadBytes is " << frame.payloadBytes << ", but opcode "
                                                    << +static_cast<uint8_t>(frame.opcode)
                                                    << " has no payload");
    return frame.opcode == RdmaOpcode::CNP ? Create<Packet>(wire::CNP_RESERVED_BYTES)
                                           : PayloadBytes(frame, frame.PadCount());
}

/// @param frame of kind ROCE @return what BTH says; who cuts a payload off leaves BTH alone
uint8_t
BthPadCount(const FabricFrame& frame)
{
    return frame.IsTrimmed() ? (4 - (frame.switchHeader->trimmedPayloadBytes & 3)) & 3
                             : frame.PadCount();
}

/// @param frame of kind ROCE @return its IP packet
Ptr<Packet>
RoceIpPacket(const FabricFrame& frame)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    NS_ABORT_MSG_IF(!traits.known,
                    "FabricFrame: opcode is " << +static_cast<uint8_t>(frame.opcode)
                                              << ", expected one of RdmaOpcode");
    Ptr<Packet> image = RoceBody(frame, traits);
    AddLastHeader(*image, frame, traits);
    AddAnswerHeaders(*image, frame, traits);
    AddRequestHeaders(*image, frame, traits);
    AddControlHeader(*image, frame, traits);
    AddBth(*image, frame, BthPadCount(frame));
    Enclose(*image, frame);
    return image;
}

/// @param packet any @return the version that its first four bits say, if it is an IP header's
uint32_t
IpVersion(const Packet& packet)
{
    uint8_t first = 0;
    packet.CopyData(&first, 1);
    return first >> 4;
}

/// Replaces the IP header's ECN field by CE. @param packet IPv4, IPv6, or else left alone
/// @param etherType which it is
void
MarkPacket(Packet& packet, uint16_t etherType)
{
    uint32_t version = IpVersion(packet);
    if (etherType == wire::ETHERTYPE_IPV4 && version == 4)
    {
        Ipv4Header ipv4;
        ipv4.EnableChecksum();
        packet.RemoveHeader(ipv4);
        ipv4.SetEcn(Ipv4Header::ECN_CE);
        packet.AddHeader(ipv4);
    }
    else if (etherType == wire::ETHERTYPE_IPV6 && version == 6)
    {
        Ipv6Header ipv6;
        packet.RemoveHeader(ipv6);
        ipv6.SetEcn(Ipv6Header::ECN_CE);
        packet.AddHeader(ipv6);
    }
}

/// @param frame of kind PACKET @return its packet, with the mark that a switch may have set
Ptr<Packet>
PlainIpPacket(const FabricFrame& frame)
{
    Ptr<Packet> packet = frame.payload ? frame.payload->Copy() : Create<Packet>();
    if (frame.ecn == EcnField::CE)
    {
        MarkPacket(*packet, frame.etherType);
    }
    return packet;
}

Ptr<Packet>
RoceImage(const FabricFrame& frame)
{
    Ptr<Packet> image = RoceIpPacket(frame);
    AddTaggedEthernet(*image, frame, frame.ipv6 ? wire::ETHERTYPE_IPV6 : wire::ETHERTYPE_IPV4);
    return image;
}

Ptr<Packet>
PfcImage(const FabricFrame& frame)
{
    static const Mac48Address MAC_CONTROL("01:80:c2:00:00:01");
    PfcHeader pfc;
    pfc.classes = frame.pauseClasses;
    pfc.quanta = frame.pauseQuanta;
    Ptr<Packet> image = Create<Packet>();
    image->AddHeader(pfc);
    AddEthernet(*image, frame, MAC_CONTROL, wire::ETHERTYPE_MAC_CONTROL);
    return image;
}

Ptr<Packet>
PauseImage(const FabricFrame& frame)
{
    static const Mac48Address MAC_CONTROL("01:80:c2:00:00:01");
    PauseHeader pause;
    pause.quanta = frame.pauseQuanta[0];
    Ptr<Packet> image = Create<Packet>();
    image->AddHeader(pause);
    AddEthernet(*image, frame, MAC_CONTROL, wire::ETHERTYPE_MAC_CONTROL);
    return image;
}

Ptr<Packet>
PacketImage(const FabricFrame& frame)
{
    Ptr<Packet> image = PlainIpPacket(frame);
    AddTaggedEthernet(*image, frame, frame.etherType);
    return image;
}

Ptr<Packet>
LinkCreditImage(const FabricFrame& frame)
{
    LinkCreditHeader header;
    header.classes = frame.pauseClasses;
    header.sentBlocks = frame.sentBlocks;
    header.limits = frame.creditLimits;
    Ptr<Packet> image = Create<Packet>();
    image->AddHeader(header);
    AddEthernet(*image, frame, frame.dstMac, wire::ETHERTYPE_EXPERIMENTAL_2);
    return image;
}

Ptr<Packet>
ScaleUpImage(const FabricFrame& frame)
{
    ScaleUpHeader header;
    header.dstAddress = frame.dstAddress;
    header.srcAddress = frame.srcAddress;
    header.messageId = frame.messageId;
    header.payloadBytes = frame.payloadBytes;
    Ptr<Packet> image = PayloadBytes(frame, 0);
    image->AddHeader(header);
    AddTaggedEthernet(*image, frame, wire::ETHERTYPE_EXPERIMENTAL);
    return image;
}

// ---- bytes to frame

/**
 * @brief Reads one image into one frame.
 *
 * It goes through the image once, header by header; m_offset is where the next one starts. The
 * first thing that is wrong ends it.
 */
class FrameReader
{
  public:
    /// @param packet the image
    explicit FrameReader(Ptr<const Packet> packet);

    /// @return the frame of an image that starts with Ethernet, or null: then GetError() says why
    FramePtr ReadFrame();

    /// @param etherType what the image is @return its frame, or null: then GetError() says why
    FramePtr ReadIpPacket(uint16_t etherType);

    /// @return field, value found, value expected
    const std::string& GetError() const
    {
        return m_error;
    }

  private:
    bool ReadEthernet();
    bool ReadVlanTag();
    bool ReadBody();
    bool ReadL3();
    bool ReadMacControl();
    bool ReadPause();
    bool ReadPfc();
    bool ReadScaleUp();
    bool ReadLinkCredit();
    bool ReadPacket();
    bool ReadIpv4();
    bool CheckIpv4Lengths();
    void SetIpv4Fields(const Ipv4Header& ipv4);
    bool CheckIpv4OfRoce(const Ipv4Header& ipv4);
    bool ReadIpv6();
    void SetIpv6Fields(const Ipv6Header& ipv6);
    void SetPacketHash(uint8_t protocol, bool whole);
    void SetHash(uint16_t sourcePort, uint16_t destinationPort, uint8_t protocol);
    bool IsRoce(uint8_t protocol);
    bool ReadRoce();
    bool ReadUdp();
    bool ReadTelemetry();
    bool CheckIcrc();
    uint32_t IcrcWithoutTelemetry() const;
    bool IsTrimmed() const;
    bool ReadBth();
    bool ReadExtensionHeaders(RdmaOpcodeTraits traits);
    bool ReadControlHeader(RdmaOpcodeTraits traits);
    bool ReadRequestHeaders(RdmaOpcodeTraits traits);
    bool ReadAnswerHeaders(RdmaOpcodeTraits traits);
    bool ReadLastHeader(RdmaOpcodeTraits traits);
    bool ReadRest(RdmaOpcodeTraits traits);
    bool ReadRocePayload();

    /// Makes the first bytes of the image readable. @param bytes how many
    void Load(uint32_t bytes);

    /// @return bytes between m_offset and m_end
    uint32_t Left() const
    {
        return m_end - m_offset;
    }

    /// @param offset of a byte in the image @return it
    uint8_t U8At(uint32_t offset) const
    {
        return m_bytes[offset];
    }

    /// @param offset of two bytes in the image @return them as a big-endian number
    uint16_t U16At(uint32_t offset) const
    {
        return static_cast<uint16_t>((m_bytes[offset] << 8) | m_bytes[offset + 1]);
    }

    /// Refuses the image if fewer than @p bytes are left for @p what. @return whether they are
    /// there
    bool Need(uint32_t bytes, const char* what);

    /// Takes one header. @param header its fields @param bytes its size @param what its name
    /// @return whether it was there
    bool Take(Header& header, uint32_t bytes, const char* what);

    /// Takes a RoCE header, if there should be one. @param there whether @param header its fields
    /// @param what its name @return false if it should be there, but is not
    template <typename H>
    bool TakeIf(bool there, H& header, const char* what)
    {
        return !there || Take(header, H::BYTES, what);
    }

    /// Notes what is wrong. @param field name @param found value @param expected value or its range
    /// @return false
    template <typename Found, typename Expected>
    bool Refuse(const char* field, const Found& found, const Expected& expected);

    /// Keeps the bytes from m_offset on as payload, unless all are zero. @param bytes how many
    void KeepPayload(uint32_t bytes);

    Ptr<const Packet> m_packet;
    std::vector<uint8_t> m_bytes; ///< the image, as far as it is loaded
    uint32_t m_offset{0};         ///< next byte
    uint32_t m_end;               ///< end of what the headers so far speak of
    uint32_t m_ip{0};             ///< where the IP header is
    uint8_t m_padCount{0};        ///< as BTH says
    TelemetryFormat m_telemetry{TelemetryFormat::NONE};
    uint32_t m_telemetryBytes{0}; ///< between UDP and BTH
    FramePtr m_frame;
    std::string m_error;
};

FrameReader::FrameReader(Ptr<const Packet> packet)
    : m_packet(packet),
      m_end(packet->GetSize()),
      m_frame(FabricFrame::Create())
{
    // Ethernet with its tag, the longest IPv4 header and the ports after it: all that is looked at
    // in a packet that is not RoCE.
    constexpr uint32_t HEAD_BYTES = 18 + 60 + 8;
    Load(std::min(HEAD_BYTES, m_end));
}

void
FrameReader::Load(uint32_t bytes)
{
    m_bytes.resize(bytes);
    m_packet->CopyData(m_bytes.data(), bytes);
}

FramePtr
FrameReader::ReadFrame()
{
    if (!ReadEthernet() || !ReadBody())
    {
        return nullptr;
    }
    return m_frame;
}

FramePtr
FrameReader::ReadIpPacket(uint16_t etherType)
{
    m_frame->etherType = etherType;
    return ReadL3() ? m_frame : nullptr;
}

bool
FrameReader::Need(uint32_t bytes, const char* what)
{
    if (Left() < bytes)
    {
        std::ostringstream expected;
        expected << "at least " << bytes;
        return Refuse(what, Left(), expected.str());
    }
    return true;
}

bool
FrameReader::Take(Header& header, uint32_t bytes, const char* what)
{
    if (!Need(bytes, what))
    {
        return false;
    }
    Buffer buffer;
    buffer.AddAtStart(bytes);
    buffer.Begin().Write(&m_bytes[m_offset], bytes);
    header.Deserialize(buffer.Begin());
    m_offset += bytes;
    return true;
}

template <typename Found, typename Expected>
bool
FrameReader::Refuse(const char* field, const Found& found, const Expected& expected)
{
    std::ostringstream text;
    text << field << ": found " << found << ", expected " << expected;
    m_error = text.str();
    return false;
}

void
FrameReader::KeepPayload(uint32_t bytes)
{
    auto begin = m_bytes.begin() + m_offset;
    bool zeros = std::all_of(begin, begin + bytes, [](uint8_t byte) { return byte == 0; });
    m_frame->payload = zeros ? nullptr : m_packet->CreateFragment(m_offset, bytes);
}

bool
FrameReader::ReadEthernet()
{
    EthernetHeader ethernet(false);
    if (!Take(ethernet, wire::ETHERNET_HEADER_BYTES, "bytes of the Ethernet header"))
    {
        return false;
    }
    m_frame->srcMac = ethernet.GetSource();
    m_frame->dstMac = ethernet.GetDestination();
    m_frame->etherType = ethernet.GetLengthType();
    return m_frame->etherType != wire::ETHERTYPE_VLAN || ReadVlanTag();
}

bool
FrameReader::ReadVlanTag()
{
    VlanTag tag;
    if (!Take(tag, wire::VLAN_TAG_BYTES, "bytes of the VLAN tag"))
    {
        return false;
    }
    m_frame->vlanTagged = true;
    m_frame->vlanTci = tag.tci;
    m_frame->trafficClass = static_cast<uint8_t>(tag.tci >> PRIORITY_SHIFT);
    m_frame->etherType = tag.etherType;
    return tag.etherType != wire::ETHERTYPE_MAC_CONTROL ||
           Refuse("EtherType in a VLAN tag", tag.etherType, "none of MAC control");
}

bool
FrameReader::ReadBody()
{
    switch (m_frame->etherType)
    {
    case wire::ETHERTYPE_MAC_CONTROL:
        return ReadMacControl();
    case wire::ETHERTYPE_EXPERIMENTAL:
        return ReadScaleUp();
    case wire::ETHERTYPE_EXPERIMENTAL_2:
        return ReadLinkCredit();
    default:
        return ReadL3();
    }
}

bool
FrameReader::ReadL3()
{
    m_ip = m_offset;
    switch (m_frame->etherType)
    {
    case wire::ETHERTYPE_IPV4:
        return ReadIpv4();
    case wire::ETHERTYPE_IPV6:
        return ReadIpv6();
    default:
        return ReadPacket();
    }
}

bool
FrameReader::ReadMacControl()
{
    bool isPause = Left() >= PauseHeader::BYTES && U16At(m_offset) == wire::PAUSE_OPCODE;
    return isPause ? ReadPause() : ReadPfc();
}

bool
FrameReader::ReadPause()
{
    PauseHeader pause;
    if (!Take(pause, PauseHeader::BYTES, "bytes of the pause header"))
    {
        return false;
    }
    m_frame->kind = FrameKind::PAUSE;
    m_frame->pauseQuanta.fill(pause.quanta);
    m_frame->pauseClasses = 0xff;
    m_frame->ComputeSize();
    return true;
}

bool
FrameReader::ReadPfc()
{
    PfcHeader pfc;
    if (!Take(pfc, PfcHeader::BYTES, "bytes of the PFC header"))
    {
        return false;
    }
    if (pfc.opcode != wire::PFC_OPCODE)
    {
        return Refuse("MAC control opcode", pfc.opcode, wire::PFC_OPCODE);
    }
    m_frame->kind = FrameKind::PFC;
    m_frame->pauseClasses = pfc.classes;
    m_frame->pauseQuanta = pfc.quanta;
    m_frame->ComputeSize();
    return true;
}

bool
FrameReader::ReadScaleUp()
{
    ScaleUpHeader header;
    if (!Take(header, ScaleUpHeader::BYTES, "bytes of the scale-up header"))
    {
        return false;
    }
    if (header.payloadBytes > Left())
    {
        return Refuse("bytes of the scale-up payload", Left(), header.payloadBytes);
    }
    Load(m_end);
    m_frame->kind = FrameKind::SCALE_UP;
    m_frame->dstAddress = header.dstAddress;
    m_frame->srcAddress = header.srcAddress;
    m_frame->messageId = header.messageId;
    m_frame->payloadBytes = header.payloadBytes;
    m_frame->flowHash = FlowHash(header.srcAddress, header.dstAddress, 0);
    m_frame->sizeBytes = std::max(m_end + wire::FCS_BYTES, wire::MIN_FRAME_BYTES);
    KeepPayload(header.payloadBytes);
    return true;
}

bool
FrameReader::ReadLinkCredit()
{
    LinkCreditHeader header;
    if (!Take(header, LinkCreditHeader::BYTES, "bytes of the credit header"))
    {
        return false;
    }
    m_frame->kind = FrameKind::LINK_CREDIT;
    m_frame->pauseClasses = header.classes;
    m_frame->sentBlocks = header.sentBlocks;
    m_frame->creditLimits = header.limits;
    m_frame->sizeBytes = std::max(m_end + wire::FCS_BYTES, wire::MIN_FRAME_BYTES);
    return true;
}

bool
FrameReader::ReadPacket()
{
    m_frame->kind = FrameKind::PACKET;
    m_frame->payload =
        m_ip == 0 ? m_packet->Copy() : m_packet->CreateFragment(m_ip, m_packet->GetSize() - m_ip);
    m_frame->payloadBytes = m_frame->payload->GetSize();
    m_frame->ComputeSize();
    return true;
}

/// @param ipv4 a header @return whether it says that this is a part of a packet
bool
IsFragment(const Ipv4Header& ipv4)
{
    return !ipv4.IsLastFragment() || ipv4.GetFragmentOffset() != 0;
}

bool
FrameReader::ReadIpv4()
{
    Ipv4Header ipv4;
    ipv4.EnableChecksum();
    if (!CheckIpv4Lengths())
    {
        return false;
    }
    uint32_t headerBytes = (U8At(m_offset) & 0xfu) * 4;
    if (!Take(ipv4, headerBytes, "bytes of the IPv4 header"))
    {
        return false;
    }
    SetIpv4Fields(ipv4);
    if (!IsFragment(ipv4) && IsRoce(ipv4.GetProtocol()))
    {
        return CheckIpv4OfRoce(ipv4) && ReadRoce();
    }
    SetPacketHash(ipv4.GetProtocol(), !IsFragment(ipv4));
    return ReadPacket();
}

/// After this, m_end is the end of the IP packet: what follows is Ethernet padding.
bool
FrameReader::CheckIpv4Lengths()
{
    if (!Need(wire::IPV4_BYTES, "bytes of the IPv4 header"))
    {
        return false;
    }
    uint32_t version = U8At(m_offset) >> 4;
    if (version != 4)
    {
        return Refuse("IPv4 version", version, 4);
    }
    uint32_t headerBytes = (U8At(m_offset) & 0xfu) * 4;
    if (headerBytes < wire::IPV4_BYTES)
    {
        return Refuse("IPv4 header length", headerBytes, "at least 20");
    }
    uint32_t totalBytes = U16At(m_offset + 2);
    if (totalBytes < headerBytes || totalBytes > Left())
    {
        std::ostringstream range;
        range << headerBytes << " to " << Left();
        return Refuse("IPv4 total length", totalBytes, range.str());
    }
    m_end = m_offset + totalBytes;
    return true;
}

void
FrameReader::SetIpv4Fields(const Ipv4Header& ipv4)
{
    m_frame->srcAddress = ipv4.GetSource().Get();
    m_frame->dstAddress = ipv4.GetDestination().Get();
    m_frame->ecn = static_cast<EcnField>(ipv4.GetTos() & 3);
    m_frame->dscp = ipv4.GetTos() >> 2;
    m_frame->ttl = ipv4.GetTtl();
    m_frame->ipId = ipv4.GetIdentification();
    m_frame->dontFragment = ipv4.IsDontFragment();
}

bool
FrameReader::CheckIpv4OfRoce(const Ipv4Header& ipv4)
{
    uint32_t headerBytes = m_offset - m_ip;
    if (headerBytes != wire::IPV4_BYTES)
    {
        return Refuse("IPv4 header length of a RoCEv2 packet", headerBytes, wire::IPV4_BYTES);
    }
    // Zero is what ns-3's own stack leaves where checksums are not enabled.
    uint16_t checksum = U16At(m_ip + 10);
    return ipv4.IsChecksumOk() || checksum == 0 ||
           Refuse("IPv4 header checksum", checksum, "the sum of the header");
}

/// After this, m_end is the end of the IP packet: what follows is Ethernet padding.
bool
FrameReader::ReadIpv6()
{
    Ipv6Header ipv6;
    if (!Need(wire::IPV6_BYTES, "bytes of the IPv6 header"))
    {
        return false;
    }
    uint32_t version = U8At(m_offset) >> 4;
    if (version != 6)
    {
        return Refuse("IPv6 version", version, 6);
    }
    Take(ipv6, wire::IPV6_BYTES, "bytes of the IPv6 header");
    if (ipv6.GetPayloadLength() > Left())
    {
        std::ostringstream range;
        range << "at most " << Left();
        return Refuse("IPv6 payload length", ipv6.GetPayloadLength(), range.str());
    }
    m_end = m_offset + ipv6.GetPayloadLength();
    SetIpv6Fields(ipv6);
    if (IsRoce(ipv6.GetNextHeader()))
    {
        return ReadRoce();
    }
    SetPacketHash(ipv6.GetNextHeader(), true);
    return ReadPacket();
}

void
FrameReader::SetIpv6Fields(const Ipv6Header& ipv6)
{
    m_frame->ipv6 = true;
    ipv6.GetSource().GetBytes(m_frame->srcIpv6.data());
    ipv6.GetDestination().GetBytes(m_frame->dstIpv6.data());
    m_frame->srcAddress = LowWord(m_frame->srcIpv6);
    m_frame->dstAddress = LowWord(m_frame->dstIpv6);
    m_frame->ecn = static_cast<EcnField>(ipv6.GetTrafficClass() & 3);
    m_frame->dscp = ipv6.GetTrafficClass() >> 2;
    m_frame->ttl = ipv6.GetHopLimit();
    m_frame->ipv6FlowLabel = ipv6.GetFlowLabel();
}

/// A fragment may lack the ports, so that no fragment uses them: all take one path.
/// @param protocol of the IP header @param whole whether the packet is not a fragment
void
FrameReader::SetPacketHash(uint8_t protocol, bool whole)
{
    bool ports = (protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP) && whole && Left() >= 4;
    m_frame->udpSourcePort = ports ? U16At(m_offset) : 0;
    SetHash(m_frame->udpSourcePort, ports ? U16At(m_offset + 2) : 0, protocol);
}

void
FrameReader::SetHash(uint16_t sourcePort, uint16_t destinationPort, uint8_t protocol)
{
    const FabricFrame& f = *m_frame;
    m_frame->flowHash =
        f.ipv6 ? FlowHash6(f.srcIpv6,
                           f.dstIpv6,
                           f.ipv6FlowLabel,
                           sourcePort,
                           destinationPort,
                           protocol)
               : FlowHash(f.srcAddress, f.dstAddress, sourcePort, destinationPort, protocol);
}

bool
FrameReader::IsRoce(uint8_t protocol)
{
    if (protocol != PROTOCOL_UDP || Left() < wire::UDP_BYTES)
    {
        return false;
    }
    switch (U16At(m_offset + 2))
    {
    case wire::ROCEV2_UDP_PORT:
        return true;
    case wire::INT_MD_UDP_PORT:
        m_telemetry = TelemetryFormat::INT_MD;
        return true;
    case wire::HPCC_UDP_PORT:
        m_telemetry = TelemetryFormat::HPCC;
        return true;
    case wire::PINT_UDP_PORT:
        m_telemetry = TelemetryFormat::PINT;
        return true;
    case wire::PINT_16_UDP_PORT:
        m_telemetry = TelemetryFormat::PINT_16;
        return true;
    default:
        return false;
    }
}

bool
FrameReader::ReadRoce()
{
    m_frame->kind = FrameKind::ROCE;
    Load(m_end);
    if (!ReadUdp() || !ReadTelemetry())
    {
        return false;
    }
    bool trimmed = IsTrimmed();
    if (!(trimmed || CheckIcrc()) || !ReadBth())
    {
        return false;
    }
    RdmaOpcodeTraits traits = GetOpcodeTraits(m_frame->opcode);
    if (!ReadExtensionHeaders(traits) || !(trimmed || ReadRest(traits)))
    {
        return false;
    }
    if (trimmed)
    {
        SwitchHeader& header = m_frame->MakeSwitchHeader();
        header.trimmed = true;
        header.trimmedPayloadBytes = (4 - m_padCount) & 3;
    }
    if (m_telemetry != TelemetryFormat::NONE)
    {
        m_frame->switchHeader->collectsTelemetry = !traits.ack;
    }
    SetHash(m_frame->udpSourcePort, wire::ROCEV2_UDP_PORT, PROTOCOL_UDP);
    m_frame->ComputeSize();
    return true;
}

bool
FrameReader::ReadUdp()
{
    uint32_t udpBytes = U16At(m_offset + 4);
    if (udpBytes != Left())
    {
        return Refuse("UDP length", udpBytes, Left());
    }
    UdpHeader udp;
    if (!Take(udp, wire::UDP_BYTES, "bytes of the UDP header"))
    {
        return false;
    }
    m_frame->udpSourcePort = udp.GetSourcePort();
    m_frame->udpChecksum = U16At(m_offset - 2);
    return true;
}

/// Before anything of BTH is believed. After this, m_end is where the ICRC starts.
bool
FrameReader::CheckIcrc()
{
    if (!Need(wire::BTH_BYTES + wire::ICRC_BYTES, "bytes of BTH and ICRC"))
    {
        return false;
    }
    m_end -= wire::ICRC_BYTES;
    uint32_t expected = m_telemetry == TelemetryFormat::NONE
                            ? ComputeIcrc(&m_bytes[m_ip], m_end - m_ip)
                            : IcrcWithoutTelemetry();
    uint32_t found = 0;
    for (uint32_t byte = 0; byte < wire::ICRC_BYTES; ++byte)
    {
        found |= static_cast<uint32_t>(U8At(m_end + byte)) << (8 * byte);
    }
    return found == expected || Refuse("ICRC", found, expected);
}

/// @return the ICRC of the packet that the sink makes of this one
uint32_t
FrameReader::IcrcWithoutTelemetry() const
{
    std::vector<uint8_t> plain(m_bytes.begin() + m_ip, m_bytes.begin() + m_end);
    uint32_t bth = m_offset - m_ip;
    plain.erase(plain.begin() + bth - m_telemetryBytes, plain.begin() + bth);
    auto put = [&plain](uint32_t at, uint32_t value) {
        plain[at] = static_cast<uint8_t>(value >> 8);
        plain[at + 1] = static_cast<uint8_t>(value);
    };
    uint32_t ipBytes = m_frame->ipv6 ? wire::IPV6_BYTES : wire::IPV4_BYTES;
    auto bytes = static_cast<uint32_t>(plain.size()) + wire::ICRC_BYTES;
    m_frame->ipv6 ? put(4, bytes - ipBytes) : put(2, bytes);
    put(ipBytes + 2, wire::ROCEV2_UDP_PORT);
    put(ipBytes + 4, bytes - ipBytes);
    return ComputeIcrc(plain.data(), plain.size());
}

bool
FrameReader::ReadTelemetry()
{
    if (m_telemetry == TelemetryFormat::NONE)
    {
        return true;
    }
    constexpr uint32_t LENGTH_FIELDS = 4; // at least
    if (!Need(LENGTH_FIELDS, "bytes of telemetry"))
    {
        return false;
    }
    m_telemetryBytes = IntHeader::LengthOf(m_telemetry, &m_bytes[m_offset]);
    IntHeader telemetry(m_telemetry);
    if (!Take(telemetry, m_telemetryBytes, "bytes of telemetry"))
    {
        return false;
    }
    m_error = telemetry.GetError();
    m_frame->MakeSwitchHeader() = telemetry.Get();
    return m_error.empty();
}

/// Of a frame whose payload a switch has cut off its headers are left, without an ICRC. A whole
/// frame may have that DSCP, too: it ends with its ICRC.
bool
FrameReader::IsTrimmed() const
{
    if (m_frame->dscp != wire::TRIMMED_DSCP || Left() < wire::BTH_BYTES)
    {
        return false;
    }
    RdmaOpcodeTraits traits = GetOpcodeTraits(static_cast<RdmaOpcode>(U8At(m_offset)));
    return traits.hasPayload && Left() == wire::BTH_BYTES + traits.extensionBytes;
}

bool
FrameReader::ReadBth()
{
    BthHeader bth;
    if (!Take(bth, wire::BTH_BYTES, "bytes of BTH"))
    {
        return false;
    }
    if (bth.version != 0)
    {
        return Refuse("BTH transport version", +bth.version, 0);
    }
    if (!GetOpcodeTraits(bth.opcode).known)
    {
        return Refuse("BTH opcode",
                      +static_cast<uint8_t>(bth.opcode),
                      "one of the services RC, UC, UD, CNP, SR or CONTROL (see rdma-opcode.h)");
    }
    m_padCount = bth.padCount;
    m_frame->opcode = bth.opcode;
    m_frame->solicited = bth.solicited;
    m_frame->migrated = bth.migrated;
    m_frame->pkey = bth.pkey;
    m_frame->fecn = bth.fecn;
    m_frame->becn = bth.becn;
    m_frame->destQp = bth.destQp;
    m_frame->ackRequest = bth.ackRequest;
    m_frame->psn = bth.psn;
    return true;
}

bool
FrameReader::ReadExtensionHeaders(RdmaOpcodeTraits traits)
{
    return (!traits.request || ReadRequestHeaders(traits)) &&
           (!traits.hasAeth || ReadAnswerHeaders(traits)) && ReadControlHeader(traits) &&
           ReadLastHeader(traits);
}

bool
FrameReader::ReadControlHeader(RdmaOpcodeTraits traits)
{
    CreditHeader credit;
    DemandHeader demand;
    if (!TakeIf(traits.hasCredit, credit, "bytes of the credit header") ||
        !TakeIf(traits.hasDemand, demand, "bytes of the demand header"))
    {
        return false;
    }
    if (traits.hasCredit)
    {
        m_frame->creditBytes = credit.creditBytes;
    }
    if (traits.hasDemand)
    {
        m_frame->demandBytes = demand.demandBytes;
        m_frame->sentBytes = demand.sentBytes;
        m_frame->limitBytes = demand.limitBytes;
    }
    return true;
}

bool
FrameReader::ReadRequestHeaders(RdmaOpcodeTraits traits)
{
    DethHeader deth;
    PlacementHeader placement;
    RethHeader reth;
    AtomicEthHeader atomic;
    if (!TakeIf(traits.hasDeth, deth, "bytes of DETH") ||
        !TakeIf(traits.hasPlacement, placement, "bytes of the placement header") ||
        !TakeIf(traits.hasReth, reth, "bytes of RETH") ||
        !TakeIf(traits.hasAtomicEth, atomic, "bytes of AtomicETH"))
    {
        return false;
    }
    if (traits.hasDeth)
    {
        m_frame->qkey = deth.qkey;
        m_frame->srcQp = deth.srcQp;
    }
    else
    {
        m_frame->messageNumber = placement.messageNumber;
        m_frame->frameOffset = placement.frameOffset;
    }
    m_frame->remoteAddress = traits.hasAtomicEth ? atomic.address : reth.address;
    m_frame->remoteKey = traits.hasAtomicEth ? atomic.remoteKey : reth.remoteKey;
    m_frame->dmaLength = reth.dmaLength;
    m_frame->atomicData = atomic.swapOrAdd;
    m_frame->atomicCompare = atomic.compare;
    return true;
}

bool
FrameReader::ReadAnswerHeaders(RdmaOpcodeTraits traits)
{
    AethHeader aeth;
    AtomicAckEthHeader original;
    SackHeader sack;
    if (!Take(aeth, AethHeader::BYTES, "bytes of AETH") ||
        !TakeIf(traits.hasAtomicAckEth, original, "bytes of AtomicAckETH") ||
        !TakeIf(traits.hasSack, sack, "bytes of the SACK header"))
    {
        return false;
    }
    m_frame->syndrome = aeth.syndrome;
    m_frame->msn = aeth.msn;
    m_frame->atomicData = original.original;
    m_frame->sackBase = sack.base;
    m_frame->sackBits = sack.bitmap;
    return true;
}

bool
FrameReader::ReadLastHeader(RdmaOpcodeTraits traits)
{
    ImmDtHeader immDt;
    IethHeader ieth;
    if (!TakeIf(traits.hasImmediate, immDt, "bytes of ImmDt") ||
        !TakeIf(traits.hasInvalidate, ieth, "bytes of IETH"))
    {
        return false;
    }
    m_frame->immediate = immDt.immediate;
    if (traits.hasInvalidate)
    {
        m_frame->remoteKey = ieth.remoteKey;
    }
    return true;
}

/// @param traits of the opcode @return whether what follows the headers is what it should be
bool
FrameReader::ReadRest(RdmaOpcodeTraits traits)
{
    if (traits.hasPayload)
    {
        return ReadRocePayload();
    }
    if (m_padCount != 0)
    {
        return Refuse("BTH pad count without a payload", +m_padCount, 0);
    }
    bool cnp = m_frame->opcode == RdmaOpcode::CNP;
    uint32_t expected = cnp ? wire::CNP_RESERVED_BYTES : 0;
    return Left() == expected ||
           Refuse(cnp ? "reserved bytes of a CNP"
                      : "bytes after the headers of an opcode without payload",
                  Left(),
                  expected);
}

bool
FrameReader::ReadRocePayload()
{
    if (Left() % 4 != 0)
    {
        return Refuse("bytes of payload and pad", Left(), "a multiple of 4");
    }
    if (m_padCount > Left())
    {
        return Refuse("BTH pad count", +m_padCount, "no more than what follows the headers");
    }
    m_frame->payloadBytes = Left() - m_padCount;
    KeepPayload(m_frame->payloadBytes);
    return true;
}

} // namespace

Ptr<Packet>
FabricFrame::ToPacket() const
{
    switch (kind)
    {
    case FrameKind::ROCE:
        return RoceImage(*this);
    case FrameKind::PFC:
        return PfcImage(*this);
    case FrameKind::PAUSE:
        return PauseImage(*this);
    case FrameKind::PACKET:
        return PacketImage(*this);
    case FrameKind::SCALE_UP:
    case FrameKind::GROUP_CREDIT:
        return ScaleUpImage(*this);
    case FrameKind::LINK_CREDIT:
        return LinkCreditImage(*this);
    }
    NS_ABORT_MSG("FabricFrame: kind is " << static_cast<int>(kind) << ", expected 0 to 6");
    return nullptr;
}

FramePtr
FabricFrame::FromPacket(Ptr<const Packet> packet, std::string* error)
{
    FrameReader reader(packet);
    FramePtr frame = reader.ReadFrame();
    if (!frame && error)
    {
        *error = reader.GetError();
    }
    return frame;
}

Ptr<Packet>
FabricFrame::ToIpPacket() const
{
    NS_ABORT_MSG_IF(kind != FrameKind::ROCE && kind != FrameKind::PACKET,
                    "FabricFrame: kind is " << static_cast<int>(kind)
                                            << ", which has no IP packet in it");
    return kind == FrameKind::ROCE ? RoceIpPacket(*this) : PlainIpPacket(*this);
}

FramePtr
FabricFrame::FromIpPacket(Ptr<const Packet> packet, uint16_t etherType, std::string* error)
{
    FrameReader reader(packet);
    FramePtr frame = reader.ReadIpPacket(etherType);
    if (!frame && error)
    {
        *error = reader.GetError();
    }
    return frame;
}

} // namespace ns3
