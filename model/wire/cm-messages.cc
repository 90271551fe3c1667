// SPDX-License-Identifier: GPL-2.0-only
#include "cm-messages.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

// Header of a management datagram (IBA vol. 1, 13.4.2).
constexpr uint8_t BASE_VERSION = 1;
constexpr uint8_t COMMUNICATION_MANAGEMENT = 0x07;
constexpr uint8_t CLASS_VERSION = 2;
constexpr uint8_t METHOD_SEND = 0x03;

/// A part of a byte or of several: @p width bits of @p value.
template <typename T>
struct BitField
{
    T& value;
    uint32_t width;
};

/// @param value a field @param width of it @return both
template <typename T>
BitField<T>
Bits(T& value, uint32_t width)
{
    return {value, width};
}

/**
 * Goes through a message field by field, first byte first. Each message is described once, for
 * Writer and Reader, so that what is written is what is read.
 */
template <typename Derived>
class Walker
{
  public:
    /// @param width of reserved bits
    static uint32_t Reserved(uint32_t width)
    {
        return width;
    }

    /// Fields of some bits each, in all whole bytes. @param fields BitField or a reserved width
    template <typename... Fields>
    void Packed(Fields... fields)
    {
        uint32_t width = (WidthOf(fields) + ...);
        Self().PackedOf(width, fields...);
    }

    /// A field of whole bytes. @param value the field @param bytes of it
    template <typename T>
    void Whole(T& value, uint32_t bytes = sizeof(T))
    {
        Packed(Bits(value, 8 * bytes));
    }

    /// Reserved bytes. @param bytes how many
    void Skip(uint32_t bytes)
    {
        m_at += bytes;
    }

  protected:
    static uint32_t WidthOf(uint32_t reserved)
    {
        return reserved;
    }

    template <typename T>
    static uint32_t WidthOf(BitField<T> field)
    {
        return field.width;
    }

    static uint64_t MaskOf(uint32_t width)
    {
        return width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
    }

    uint32_t m_at{0};

  private:
    Derived& Self()
    {
        return static_cast<Derived&>(*this);
    }
};

/// Puts fields into bytes.
class Writer : public Walker<Writer>
{
  public:
    explicit Writer(MadBytes& bytes)
        : m_bytes(bytes)
    {
    }

    template <size_t N>
    void Array(const std::array<uint8_t, N>& array)
    {
        std::copy(array.begin(), array.end(), m_bytes.begin() + m_at);
        m_at += N;
    }

  private:
    friend class Walker<Writer>;

    template <typename... Fields>
    void PackedOf(uint32_t width, Fields... fields)
    {
        uint64_t word = 0;
        ((word =
              WidthOf(fields) == 64 ? ValueOf(fields) : word << WidthOf(fields) | ValueOf(fields)),
         ...);
        for (uint32_t left = width; left > 0; left -= 8)
        {
            m_bytes[m_at++] = static_cast<uint8_t>(word >> (left - 8));
        }
    }

    static uint64_t ValueOf(uint32_t)
    {
        return 0; // reserved
    }

    template <typename T>
    static uint64_t ValueOf(BitField<T> field)
    {
        return static_cast<uint64_t>(field.value) & MaskOf(field.width);
    }

    MadBytes& m_bytes;
};

/// Takes fields out of bytes.
class Reader : public Walker<Reader>
{
  public:
    explicit Reader(const MadBytes& bytes)
        : m_bytes(bytes)
    {
    }

    template <size_t N>
    void Array(std::array<uint8_t, N>& array)
    {
        std::copy_n(m_bytes.begin() + m_at, N, array.begin());
        m_at += N;
    }

  private:
    friend class Walker<Reader>;

    template <typename... Fields>
    void PackedOf(uint32_t width, Fields... fields)
    {
        uint64_t word = 0;
        for (uint32_t i = 0; i < width / 8; ++i)
        {
            word = word << 8 | m_bytes[m_at++];
        }
        uint32_t left = width;
        (Take(word, left, fields), ...);
    }

    static void Take(uint64_t, uint32_t& left, uint32_t reserved)
    {
        left -= reserved;
    }

    template <typename T>
    static void Take(uint64_t word, uint32_t& left, BitField<T> field)
    {
        left -= field.width;
        field.value = static_cast<T>(word >> left & MaskOf(field.width));
    }

    const MadBytes& m_bytes;
};

// ---- the messages (IBA vol. 1, 12.6)

template <typename W>
void
Walk(W& w, CmPath& path)
{
    w.Whole(path.localLid);
    w.Whole(path.remoteLid);
    w.Array(path.localGid);
    w.Array(path.remoteGid);
    w.Packed(Bits(path.flowLabel, 20), w.Reserved(6), Bits(path.packetRate, 6));
    w.Whole(path.trafficClass);
    w.Whole(path.hopLimit);
    w.Packed(Bits(path.serviceLevel, 4), Bits(path.subnetLocal, 1), w.Reserved(3));
    w.Packed(Bits(path.ackTimeout, 5), w.Reserved(3));
}

template <typename W>
void
Walk(W& w, CmRequest& m)
{
    w.Whole(m.localId);
    w.Skip(4);
    w.Whole(m.serviceId);
    w.Whole(m.caGuid);
    w.Skip(4);
    w.Whole(m.qkey);
    w.Whole(m.qpNumber, 3);
    w.Whole(m.responderResources);
    w.Skip(3); // local end-to-end context, of reliable datagrams
    w.Whole(m.initiatorDepth);
    w.Skip(3); // likewise remote
    w.Packed(Bits(m.remoteResponseTimeout, 5), Bits(m.transport, 2), Bits(m.flowControl, 1));
    w.Whole(m.startingPsn, 3);
    w.Packed(Bits(m.localResponseTimeout, 5), Bits(m.retryCount, 3));
    w.Whole(m.pkey);
    w.Packed(Bits(m.pathMtu, 4), w.Reserved(1), Bits(m.rnrRetryCount, 3));
    w.Packed(Bits(m.maxCmRetries, 4), Bits(m.sharedReceiveQueue, 1), w.Reserved(3));
    Walk(w, m.primary);
    Walk(w, m.alternate);
    w.Array(m.privateData);
}

template <typename W>
void
Walk(W& w, CmReply& m)
{
    w.Whole(m.localId);
    w.Whole(m.remoteId);
    w.Whole(m.qkey);
    w.Whole(m.qpNumber, 3);
    w.Skip(1);
    w.Skip(4); // end-to-end context
    w.Whole(m.startingPsn, 3);
    w.Skip(1);
    w.Whole(m.responderResources);
    w.Whole(m.initiatorDepth);
    w.Packed(Bits(m.targetAckDelay, 5), Bits(m.failoverAccepted, 2), Bits(m.flowControl, 1));
    w.Packed(Bits(m.rnrRetryCount, 3), Bits(m.sharedReceiveQueue, 1), w.Reserved(4));
    w.Whole(m.caGuid);
    w.Array(m.privateData);
}

template <typename W>
void
Walk(W& w, CmReadyToUse& m)
{
    w.Whole(m.localId);
    w.Whole(m.remoteId);
    w.Array(m.privateData);
}

template <typename W>
void
Walk(W& w, CmReject& m)
{
    w.Whole(m.localId);
    w.Whole(m.remoteId);
    w.Packed(Bits(m.answered, 2), w.Reserved(6));
    w.Packed(Bits(m.informationBytes, 7), w.Reserved(1));
    w.Whole(m.reason);
    w.Array(m.information);
    w.Array(m.privateData);
}

template <typename W>
void
Walk(W& w, CmReceipt& m)
{
    w.Whole(m.localId);
    w.Whole(m.remoteId);
    w.Packed(Bits(m.answered, 2), w.Reserved(6));
    w.Packed(Bits(m.serviceTimeout, 5), w.Reserved(3));
    w.Array(m.privateData);
}

template <typename W>
void
Walk(W& w, CmDisconnectRequest& m)
{
    w.Whole(m.localId);
    w.Whole(m.remoteId);
    w.Whole(m.remoteQpNumber, 3);
    w.Skip(1);
    w.Array(m.privateData);
}

template <typename W>
void
Walk(W& w, CmDisconnectReply& m)
{
    w.Whole(m.localId);
    w.Whole(m.remoteId);
    w.Array(m.privateData);
}

/// The header's fields.
struct MadHeader
{
    uint8_t baseVersion{BASE_VERSION};
    uint8_t managementClass{COMMUNICATION_MANAGEMENT};
    uint8_t classVersion{CLASS_VERSION};
    uint8_t method{METHOD_SEND};
    uint16_t status{0};
    uint16_t classSpecific{0};
    uint64_t transactionId{0};
    uint16_t attribute{0};
    uint32_t modifier{0};
};

template <typename W>
void
Walk(W& w, MadHeader& h)
{
    w.Whole(h.baseVersion);
    w.Whole(h.managementClass);
    w.Whole(h.classVersion);
    w.Whole(h.method);
    w.Whole(h.status);
    w.Whole(h.classSpecific);
    w.Whole(h.transactionId);
    w.Whole(h.attribute);
    w.Skip(2);
    w.Whole(h.modifier);
}

/// @param attribute id of a message @return an empty message of that kind; nothing: not known
template <size_t I = 0>
std::optional<CmMessage>
MakeMessage(uint16_t attribute)
{
    if constexpr (I < std::variant_size_v<CmMessage>)
    {
        using Message = std::variant_alternative_t<I, CmMessage>;
        return Message::ATTRIBUTE == attribute ? CmMessage(Message())
                                               : MakeMessage<I + 1>(attribute);
    }
    return std::nullopt;
}

} // namespace

// ---------------------------------------------------------------- datagrams

MadBytes
CmDatagram::ToBytes() const
{
    MadBytes bytes{};
    Writer writer(bytes);
    std::visit(
        [&](auto copy) {
            MadHeader header;
            header.transactionId = transactionId;
            header.attribute = decltype(copy)::ATTRIBUTE;
            Walk(writer, header);
            Walk(writer, copy);
        },
        message);
    return bytes;
}

std::optional<CmDatagram>
CmDatagram::FromBytes(const MadBytes& bytes, std::string* error)
{
    auto fail = [error](const std::string& what) {
        if (error)
        {
            *error = what;
        }
        return std::nullopt;
    };
    Reader reader(bytes);
    MadHeader header;
    Walk(reader, header);
    if (header.baseVersion != BASE_VERSION || header.managementClass != COMMUNICATION_MANAGEMENT ||
        header.classVersion != CLASS_VERSION || header.method != METHOD_SEND)
    {
        return fail(
            "no communication management: base version " + std::to_string(header.baseVersion) +
            ", class " + std::to_string(header.managementClass) + " version " +
            std::to_string(header.classVersion) + ", method " + std::to_string(header.method));
    }
    std::optional<CmMessage> message = MakeMessage(header.attribute);
    if (!message)
    {
        return fail("unknown message, attribute id " + std::to_string(header.attribute));
    }
    std::visit([&](auto& m) { Walk(reader, m); }, *message);
    return CmDatagram{header.transactionId, *message};
}

const char*
GetName(const CmMessage& message)
{
    static constexpr const char* NAMES[] = {"REQ", "MRA", "REJ", "REP", "RTU", "DREQ", "DREP"};
    static_assert(std::size(NAMES) == std::variant_size_v<CmMessage>);
    return NAMES[message.index()];
}

const char*
ToString(CmRejectReason reason)
{
    switch (reason)
    {
    case CmRejectReason::NONE:
        return "not rejected";
    case CmRejectReason::NO_QUEUE_PAIR:
        return "no queue pair is available";
    case CmRejectReason::NO_RESOURCES:
        return "no resources are available";
    case CmRejectReason::TIMEOUT:
        return "an answer did not come in time";
    case CmRejectReason::UNSUPPORTED_REQUEST:
        return "the request is not supported";
    case CmRejectReason::INVALID_COMMUNICATION_ID:
        return "the communication id is not known";
    case CmRejectReason::INVALID_SERVICE_ID:
        return "nobody listens on that port";
    case CmRejectReason::INVALID_TRANSPORT_TYPE:
        return "the transport service is not supported";
    case CmRejectReason::STALE_CONNECTION:
        return "the queue pair was in an older connection yet";
    case CmRejectReason::INVALID_PATH_MTU:
        return "the path MTU is too large";
    case CmRejectReason::CONSUMER:
        return "the application has refused";
    }
    return "for a reason that is not known";
}

// ---------------------------------------------------------------- RDMA IP CM service

void
IpCmHeader::Write(CmRequest& request) const
{
    uint8_t* at = request.privateData.data();
    *at++ = 0; // version 0.0
    *at++ = ipv6 ? 0x60 : 0x40;
    *at++ = static_cast<uint8_t>(sourcePort >> 8);
    *at++ = static_cast<uint8_t>(sourcePort);
    at = std::copy(source.begin(), source.end(), at);
    std::copy(destination.begin(), destination.end(), at);
}

std::optional<IpCmHeader>
IpCmHeader::Read(const CmRequest& request)
{
    const uint8_t* at = request.privateData.data();
    uint8_t version = at[1] >> 4;
    if (at[0] != 0 || (version != 4 && version != 6))
    {
        return std::nullopt;
    }
    IpCmHeader header;
    header.ipv6 = version == 6;
    header.sourcePort = static_cast<uint16_t>(at[2] << 8 | at[3]);
    std::copy_n(at + 4, header.source.size(), header.source.begin());
    std::copy_n(at + 20, header.destination.size(), header.destination.begin());
    return header;
}

uint8_t
CmMtuCode(uint32_t mtu)
{
    for (uint8_t code = 1; code <= 5; ++code)
    {
        if (CmMtuBytes(code) == mtu)
        {
            return code;
        }
    }
    return 0;
}

uint32_t
CmMtuBytes(uint8_t code)
{
    return code >= 1 && code <= 5 ? 128U << code : 0;
}

} // namespace ns3
