// SPDX-License-Identifier: GPL-2.0-only
#ifndef CM_MESSAGES_H
#define CM_MESSAGES_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

/**
 * @file
 * @brief Communication management datagrams: how InfiniBand and RoCE set connections up and end
 * them (IBA vol. 1, chapters 12 and 13).
 *
 * Each is a management datagram (MAD) of 256 bytes: a header of 24 and a message of 232, whose end
 * is private data of the application. They travel as UD SENDs between queue pairs 1. Reserved bits
 * are sent as zeros and not looked at. The messages for path migration (LAP, APR) and for UD (SIDR)
 * are not here.
 */

namespace ns3
{

namespace wire
{

constexpr uint32_t MAD_BYTES = 256;                    ///< every management datagram
constexpr uint32_t GENERAL_SERVICES_QP = 1;            ///< its queue pair
constexpr uint32_t GENERAL_SERVICES_QKEY = 0x80010000; ///< and the key of that
constexpr uint16_t PERMISSIVE_LID = 0xffff;            ///< RoCE has no LIDs
constexpr uint8_t PORT_SPACE_TCP = 0x06;               ///< of RDMA IP CM service ids

} // namespace wire

/// A global identifier, first byte first: an IPv6 address, or an IPv4 one as ::ffff:a.b.c.d.
using CmGid = std::array<uint8_t, 16>;

/// Why a connection is refused (IBA vol. 1, 12.6.7.2); of the codes those that Ethernet can have.
enum class CmRejectReason : uint16_t
{
    NONE = 0,
    NO_QUEUE_PAIR = 1,
    NO_RESOURCES = 3,
    TIMEOUT = 4, ///< an answer did not come
    UNSUPPORTED_REQUEST = 5,
    INVALID_COMMUNICATION_ID = 6,
    INVALID_SERVICE_ID = 8, ///< nobody listens there
    INVALID_TRANSPORT_TYPE = 9,
    STALE_CONNECTION = 10, ///< the queue pair is in an older connection yet
    INVALID_PATH_MTU = 26, ///< the additional information is the code of the largest one
    CONSUMER = 28,         ///< the application has refused
};

/// @param reason a reason @return what it means, as a sentence
const char* ToString(CmRejectReason reason);

/// Transport service of a connection.
enum class CmTransport : uint8_t
{
    RC = 0,
    UC = 1,
};

/// Message that a REJ or an MRA answers.
enum class CmAnswered : uint8_t
{
    REQ = 0,
    REP = 1,
    OTHER = 2,
};

/// One way of a connection, in a REQ.
struct CmPath
{
    uint16_t localLid{0};
    uint16_t remoteLid{0};
    CmGid localGid{};
    CmGid remoteGid{};
    uint32_t flowLabel{0}; ///< 20 bits
    uint8_t packetRate{0}; ///< 6 bits, a code
    uint8_t trafficClass{0};
    uint8_t hopLimit{0};
    uint8_t serviceLevel{0}; ///< 4 bits
    bool subnetLocal{false};
    uint8_t ackTimeout{0}; ///< 5 bits: n of the receiver's transport timer, 4.096 us x 2^n
};

/// REQ, ConnectRequest: the active side asks for a connection.
struct CmRequest
{
    static constexpr uint16_t ATTRIBUTE = 0x0010;

    uint32_t localId{0};   ///< communication id of the sender's side
    uint64_t serviceId{0}; ///< what it wants to talk to, see MakeIpServiceId()
    uint64_t caGuid{0};    ///< of the sender's NIC
    uint32_t qkey{0};
    uint32_t qpNumber{0};             ///< 24 bits
    uint8_t responderResources{0};    ///< READs and atomics that the sender serves at a time
    uint8_t initiatorDepth{0};        ///< READs and atomics that the sender will have outstanding
    uint8_t remoteResponseTimeout{0}; ///< 5 bits: n of what the receiver takes, 4.096 us x 2^n
    CmTransport transport{CmTransport::RC};
    bool flowControl{false};
    uint32_t startingPsn{0};         ///< 24 bits
    uint8_t localResponseTimeout{0}; ///< 5 bits: likewise what the sender takes
    uint8_t retryCount{0};           ///< 3 bits, for the receiver's queue pair
    uint16_t pkey{0xffff};
    uint8_t pathMtu{0};       ///< 4 bits, see CmMtuCode()
    uint8_t rnrRetryCount{0}; ///< 3 bits, for the receiver's queue pair
    uint8_t maxCmRetries{0};  ///< 4 bits
    bool sharedReceiveQueue{false};
    CmPath primary;
    CmPath alternate;
    std::array<uint8_t, 92> privateData{};
};

/// REP, ConnectReply: the passive side agrees.
struct CmReply
{
    static constexpr uint16_t ATTRIBUTE = 0x0013;

    uint32_t localId{0};
    uint32_t remoteId{0}; ///< communication id of the receiver's side
    uint32_t qkey{0};
    uint32_t qpNumber{0};    ///< 24 bits
    uint32_t startingPsn{0}; ///< 24 bits
    uint8_t responderResources{0};
    uint8_t initiatorDepth{0};
    uint8_t targetAckDelay{0};   ///< 5 bits, a code
    uint8_t failoverAccepted{0}; ///< 2 bits
    bool flowControl{false};
    uint8_t rnrRetryCount{0}; ///< 3 bits, for the receiver's queue pair
    bool sharedReceiveQueue{false};
    uint64_t caGuid{0};
    std::array<uint8_t, 196> privateData{};
};

/// RTU, ReadyToUse: the active side has heard the REP.
struct CmReadyToUse
{
    static constexpr uint16_t ATTRIBUTE = 0x0014;

    uint32_t localId{0};
    uint32_t remoteId{0};
    std::array<uint8_t, 224> privateData{};
};

/// REJ, ConnectReject: there will be no connection.
struct CmReject
{
    static constexpr uint16_t ATTRIBUTE = 0x0012;

    uint32_t localId{0};
    uint32_t remoteId{0};
    CmAnswered answered{CmAnswered::REQ};
    uint8_t informationBytes{0}; ///< 7 bits: how many of `information` count
    CmRejectReason reason{CmRejectReason::NONE};
    std::array<uint8_t, 72> information{}; ///< by reason
    std::array<uint8_t, 148> privateData{};
};

/// MRA, MessageReceiptAcknowledgement: the answer will take longer.
struct CmReceipt
{
    static constexpr uint16_t ATTRIBUTE = 0x0011;

    uint32_t localId{0};
    uint32_t remoteId{0};
    CmAnswered answered{CmAnswered::REQ};
    uint8_t serviceTimeout{0}; ///< 5 bits: n of how long, 4.096 us x 2^n
    std::array<uint8_t, 222> privateData{};
};

/// DREQ, DisconnectRequest: one side ends the connection.
struct CmDisconnectRequest
{
    static constexpr uint16_t ATTRIBUTE = 0x0015;

    uint32_t localId{0};
    uint32_t remoteId{0};
    uint32_t remoteQpNumber{0}; ///< 24 bits
    std::array<uint8_t, 220> privateData{};
};

/// DREP, DisconnectReply: the other side has heard it.
struct CmDisconnectReply
{
    static constexpr uint16_t ATTRIBUTE = 0x0016;

    uint32_t localId{0};
    uint32_t remoteId{0};
    std::array<uint8_t, 224> privateData{};
};

/// Any of them.
using CmMessage = std::variant<CmRequest,
                               CmReceipt,
                               CmReject,
                               CmReply,
                               CmReadyToUse,
                               CmDisconnectRequest,
                               CmDisconnectReply>;

/// @param message a message @return its short name, as in the standard
const char* GetName(const CmMessage& message);

/// The bytes of a management datagram.
using MadBytes = std::array<uint8_t, wire::MAD_BYTES>;

/**
 * @ingroup ai-fabric
 * @brief A management datagram of the class communication management.
 */
struct CmDatagram
{
    uint64_t transactionId{0}; ///< the same in all messages of an exchange
    CmMessage message;

    /// @return the bytes on the wire
    MadBytes ToBytes() const;

    /**
     * @param bytes of a datagram
     * @param error if not null, receives what is wrong: another class or version, a message that
     *        is not known
     * @return the datagram, or nothing
     */
    static std::optional<CmDatagram> FromBytes(const MadBytes& bytes, std::string* error = nullptr);
};

// ---- the way of IP addresses and ports in it (IBA annex A11, RDMA IP CM service)

/// @param port number in the port space of TCP @return the service id
constexpr uint64_t
MakeIpServiceId(uint16_t port)
{
    return uint64_t{0x0000000001000000} | uint64_t{wire::PORT_SPACE_TCP} << 16 | port;
}

/// @param serviceId any @return it is MakeIpServiceId() of a port, which its low 16 bits are
constexpr bool
IsIpServiceId(uint64_t serviceId)
{
    return serviceId >> 16 == MakeIpServiceId(0) >> 16;
}

/**
 * @brief What the RDMA IP CM service puts before the application's private data in a REQ: 36 bytes.
 *
 * @verbatim
   byte  0                      1                           2 .. 3       4 .. 19    20 .. 35
         major (4) minor (4)    IP version (4) reserved     source port  source     destination
   @endverbatim
 * An IPv4 address stands in the last 4 of its 16 bytes.
 */
struct IpCmHeader
{
    static constexpr uint32_t BYTES = 36; ///< size on the wire

    bool ipv6{false};
    uint16_t sourcePort{0};
    std::array<uint8_t, 16> source{};
    std::array<uint8_t, 16> destination{};

    /// @param request its private data starts with this header from now on
    void Write(CmRequest& request) const;
    /// @param request a REQ @return the header; nothing if it has another version
    static std::optional<IpCmHeader> Read(const CmRequest& request);
};

/// @param mtu payload bytes @return their code in a REQ, 1 (256 bytes) to 5 (4096); 0: none
uint8_t CmMtuCode(uint32_t mtu);
/// @param code in a REQ @return payload bytes; 0: unknown
uint32_t CmMtuBytes(uint8_t code);

} // namespace ns3

#endif // CM_MESSAGES_H
