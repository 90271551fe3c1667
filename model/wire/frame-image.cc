// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Between a FabricFrame and its bytes: ToPacket() and FromPacket().
 */

#include "fabric-frame.h"
#include "icrc.h"
#include "pfc-header.h"
#include "roce-headers.h"
#include "scale-up-header.h"

#include "ns3/abort.h"
#include "ns3/buffer.h"
#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
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
constexpr uint32_t MAX_IPV4_BYTES = 0xffff;
constexpr uint32_t MIN_IMAGE_BYTES = wire::MIN_FRAME_BYTES - wire::FCS_BYTES;

// ---- trailers

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

void
AddExtensionHeaders(Packet& image, const FabricFrame& frame)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    // From the last to the first: a packet grows at its front.
    if (traits.hasImmediate)
    {
        ImmDtHeader immDt;
        immDt.immediate = frame.immediate;
        image.AddHeader(immDt);
    }
    if (traits.hasReth)
    {
        RethHeader reth;
        reth.address = frame.remoteAddress;
        reth.remoteKey = frame.remoteKey;
        reth.dmaLength = frame.dmaLength;
        image.AddHeader(reth);
    }
    if (traits.hasAeth)
    {
        AethHeader aeth;
        aeth.syndrome = frame.syndrome;
        aeth.msn = frame.msn;
        image.AddHeader(aeth);
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

/// The ICRC is not there yet, so the lengths have to count it. @param image @param frame
void
AddUdpAndIpv4(Packet& image, const FabricFrame& frame)
{
    uint32_t udpBytes = wire::UDP_BYTES + image.GetSize() + wire::ICRC_BYTES;
    NS_ABORT_MSG_IF(wire::IPV4_BYTES + udpBytes > MAX_IPV4_BYTES,
                    "FabricFrame: payloadBytes " << frame.payloadBytes
                                                 << " does not fit into one IPv4 packet");
    UdpHeader udp; // without a checksum, as NICs send it: the ICRC covers more
    udp.SetSourcePort(frame.udpSourcePort);
    udp.SetDestinationPort(wire::ROCEV2_UDP_PORT);
    udp.ForcePayloadSize(static_cast<uint16_t>(udpBytes)); // UDP's own header counts
    image.AddHeader(udp);

    Ipv4Header ipv4;
    ipv4.EnableChecksum();
    ipv4.SetTos(static_cast<uint8_t>((frame.dscp << 2) | static_cast<uint8_t>(frame.ecn)));
    ipv4.SetPayloadSize(static_cast<uint16_t>(udpBytes));
    ipv4.SetIdentification(frame.ipId);
    ipv4.SetDontFragment();
    ipv4.SetTtl(frame.ttl);
    ipv4.SetProtocol(PROTOCOL_UDP);
    ipv4.SetSource(Ipv4Address(frame.srcAddress));
    ipv4.SetDestination(Ipv4Address(frame.dstAddress));
    image.AddHeader(ipv4);
}

/// @param image an IPv4 packet that lacks only its ICRC
void
AddIcrc(Packet& image)
{
    std::vector<uint8_t> bytes(image.GetSize());
    image.CopyData(bytes.data(), image.GetSize());
    image.AddTrailer(IcrcTrailer(ComputeIcrc(bytes.data(), bytes.size())));
}

Ptr<Packet>
RoceImage(const FabricFrame& frame)
{
    bool cnp = frame.opcode == RdmaOpcode::CNP;
    uint8_t padBytes = cnp ? 0 : frame.PadCount();
    Ptr<Packet> image =
        cnp ? Create<Packet>(wire::CNP_RESERVED_BYTES) : PayloadBytes(frame, padBytes);
    AddExtensionHeaders(*image, frame);
    AddBth(*image, frame, padBytes);
    AddUdpAndIpv4(*image, frame);
    AddIcrc(*image);
    AddEthernet(*image, frame, frame.dstMac, wire::ETHERTYPE_IPV4);
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
PacketImage(const FabricFrame& frame)
{
    Ptr<Packet> image = frame.payload ? frame.payload->Copy() : Create<Packet>();
    AddEthernet(*image, frame, frame.dstMac, frame.etherType);
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
    AddEthernet(*image, frame, frame.dstMac, wire::ETHERTYPE_EXPERIMENTAL);
    return image;
}

// ---- bytes to frame

/**
 * @brief Reads one wire image into one frame.
 *
 * It goes through the image once, header by header; m_offset is where the next one starts. The
 * first thing that is wrong ends it.
 */
class FrameReader
{
  public:
    /// @param packet the image
    explicit FrameReader(Ptr<const Packet> packet);

    /// @return the frame, or null, and then GetError() says why
    FramePtr Read();

    /// @return field, value found, value expected
    const std::string& GetError() const
    {
        return m_error;
    }

  private:
    bool ReadEthernet();
    bool ReadBody();
    bool ReadPfc();
    bool ReadScaleUp();
    bool ReadPacket();
    bool ReadIpv4();
    bool CheckIpv4Lengths();
    void SetIpv4Fields(const Ipv4Header& ipv4);
    void HashPacket(const Ipv4Header& ipv4);
    bool IsRoce(const Ipv4Header& ipv4) const;
    bool ReadRoce(const Ipv4Header& ipv4);
    bool CheckIpv4OfRoce(const Ipv4Header& ipv4);
    bool ReadUdp();
    bool CheckIcrc();
    bool ReadBth();
    bool ReadExtensionHeaders();
    bool ReadCnpBody();
    bool ReadRocePayload();

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

    /// Notes what is wrong. @param field name @param found value @param expected value or its range
    /// @return false
    template <typename Found, typename Expected>
    bool Refuse(const char* field, const Found& found, const Expected& expected);

    /// Keeps the bytes from m_offset on as payload, unless all are zero. @param bytes how many
    void KeepPayload(uint32_t bytes);

    Ptr<const Packet> m_packet;
    std::vector<uint8_t> m_bytes; ///< the image, where several bytes are looked at together
    Buffer m_buffer;              ///< the image, where headers are read
    uint32_t m_offset{0};         ///< next byte
    uint32_t m_end;               ///< end of what the headers so far speak of
    uint8_t m_padCount{0};        ///< as BTH says
    FramePtr m_frame;
    std::string m_error;
};

FrameReader::FrameReader(Ptr<const Packet> packet)
    : m_packet(packet),
      m_bytes(packet->GetSize()),
      m_end(packet->GetSize()),
      m_frame(FabricFrame::Create())
{
    packet->CopyData(m_bytes.data(), m_end);
    m_buffer.AddAtStart(m_end);
    m_buffer.Begin().Write(m_bytes.data(), m_end);
}

FramePtr
FrameReader::Read()
{
    if (!ReadEthernet() || !ReadBody())
    {
        return nullptr;
    }
    return m_frame;
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
    Buffer::Iterator at = m_buffer.Begin();
    at.Next(m_offset);
    header.Deserialize(at);
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
    return true;
}

bool
FrameReader::ReadBody()
{
    switch (m_frame->etherType)
    {
    case wire::ETHERTYPE_IPV4:
        return ReadIpv4();
    case wire::ETHERTYPE_MAC_CONTROL:
        return ReadPfc();
    case wire::ETHERTYPE_EXPERIMENTAL:
        return ReadScaleUp();
    default:
        return ReadPacket();
    }
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
FrameReader::ReadPacket()
{
    constexpr uint32_t L3 = wire::ETHERNET_HEADER_BYTES;
    m_frame->kind = FrameKind::PACKET;
    m_frame->payload = m_packet->CreateFragment(L3, m_packet->GetSize() - L3);
    m_frame->ComputeSize();
    return true;
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
    if (IsRoce(ipv4))
    {
        return ReadRoce(ipv4);
    }
    HashPacket(ipv4);
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
}

/// @param ipv4 a header @return whether it says that this is a part of a packet
bool
IsFragment(const Ipv4Header& ipv4)
{
    return !ipv4.IsLastFragment() || ipv4.GetFragmentOffset() != 0;
}

/// A fragment may lack the ports, so that no fragment uses them: all take one path.
void
FrameReader::HashPacket(const Ipv4Header& ipv4)
{
    uint8_t protocol = ipv4.GetProtocol();
    bool ports =
        (protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP) && !IsFragment(ipv4) && Left() >= 4;
    m_frame->udpSourcePort = ports ? U16At(m_offset) : 0;
    m_frame->flowHash = FlowHash(m_frame->srcAddress,
                                 m_frame->dstAddress,
                                 m_frame->udpSourcePort,
                                 ports ? U16At(m_offset + 2) : 0,
                                 protocol);
}

bool
FrameReader::IsRoce(const Ipv4Header& ipv4) const
{
    return ipv4.GetProtocol() == PROTOCOL_UDP && !IsFragment(ipv4) && Left() >= wire::UDP_BYTES &&
           U16At(m_offset + 2) == wire::ROCEV2_UDP_PORT;
}

bool
FrameReader::ReadRoce(const Ipv4Header& ipv4)
{
    m_frame->kind = FrameKind::ROCE;
    if (!CheckIpv4OfRoce(ipv4) || !ReadUdp() || !CheckIcrc() || !ReadBth() ||
        !ReadExtensionHeaders())
    {
        return false;
    }
    bool good = m_frame->opcode == RdmaOpcode::CNP ? ReadCnpBody() : ReadRocePayload();
    m_frame->flowHash = FlowHash(m_frame->srcAddress, m_frame->dstAddress, m_frame->udpSourcePort);
    m_frame->ComputeSize();
    return good;
}

bool
FrameReader::CheckIpv4OfRoce(const Ipv4Header& ipv4)
{
    constexpr uint32_t CHECKSUM_AT = wire::ETHERNET_HEADER_BYTES + 10;
    uint32_t headerBytes = m_offset - wire::ETHERNET_HEADER_BYTES;
    if (headerBytes != wire::IPV4_BYTES)
    {
        return Refuse("IPv4 header length of a RoCEv2 packet", headerBytes, wire::IPV4_BYTES);
    }
    // Zero is what ns-3's own stack leaves where checksums are not enabled.
    if (!ipv4.IsChecksumOk() && U16At(CHECKSUM_AT) != 0)
    {
        return Refuse("IPv4 header checksum", U16At(CHECKSUM_AT), "the sum of the header");
    }
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
    const uint8_t* ip = m_bytes.data() + wire::ETHERNET_HEADER_BYTES;
    uint32_t expected = ComputeIcrc(ip, m_end - wire::ETHERNET_HEADER_BYTES);
    uint32_t found = 0;
    for (uint32_t byte = 0; byte < wire::ICRC_BYTES; ++byte)
    {
        found |= static_cast<uint32_t>(U8At(m_end + byte)) << (8 * byte);
    }
    return found == expected || Refuse("ICRC", found, expected);
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
                      "a SEND, WRITE or ACK of the reliable connected service, or a CNP");
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
FrameReader::ReadExtensionHeaders()
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(m_frame->opcode);
    AethHeader aeth;
    RethHeader reth;
    ImmDtHeader immDt;
    if ((traits.hasAeth && !Take(aeth, wire::AETH_BYTES, "bytes of AETH")) ||
        (traits.hasReth && !Take(reth, wire::RETH_BYTES, "bytes of RETH")) ||
        (traits.hasImmediate && !Take(immDt, wire::IMMDT_BYTES, "bytes of ImmDt")))
    {
        return false;
    }
    m_frame->syndrome = aeth.syndrome;
    m_frame->msn = aeth.msn;
    m_frame->remoteAddress = reth.address;
    m_frame->remoteKey = reth.remoteKey;
    m_frame->dmaLength = reth.dmaLength;
    m_frame->immediate = immDt.immediate;
    return true;
}

bool
FrameReader::ReadCnpBody()
{
    if (m_padCount != 0)
    {
        return Refuse("BTH pad count of a CNP", +m_padCount, 0);
    }
    return Left() == wire::CNP_RESERVED_BYTES ||
           Refuse("reserved bytes of a CNP", Left(), wire::CNP_RESERVED_BYTES);
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
    case FrameKind::PACKET:
        return PacketImage(*this);
    case FrameKind::SCALE_UP:
        return ScaleUpImage(*this);
    }
    NS_ABORT_MSG("FabricFrame: kind is " << static_cast<int>(kind) << ", expected 0 to 3");
    return nullptr;
}

FramePtr
FabricFrame::FromPacket(Ptr<const Packet> packet, std::string* error)
{
    FrameReader reader(packet);
    FramePtr frame = reader.Read();
    if (!frame && error)
    {
        *error = reader.GetError();
    }
    return frame;
}

} // namespace ns3
