// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_OPCODE_H
#define RDMA_OPCODE_H

#include "wire-format.h"

#include <array>
#include <cstdint>

/**
 * @file
 * @brief BTH opcodes and what each implies (InfiniBand Architecture Specification vol. 1, table
 *        "OpCode field"; CNP: annex A17).
 */

namespace ns3
{

/**
 * @brief Transport service: the top three bits of a BTH opcode.
 *
 * SR and CONTROL are the module's own: a reliable connection with selective acknowledgement and
 * frames that can be placed in any order; and control frames that fit any connection. No standard
 * has them; the values are of the range (0xc0 to 0xff) that IBA leaves to manufacturers.
 */
enum class RdmaService : uint8_t
{
    RC = 0,      ///< reliable connection
    UC = 1,      ///< unreliable connection
    UD = 3,      ///< unreliable datagram
    CNP = 4,     ///< congestion notification
    SR = 6,      ///< ours: reliable connection, selective acknowledgement
    CONTROL = 7, ///< ours: credit
};

/// BTH opcodes (8 bits: 3 of transport service, 5 of operation).
enum class RdmaOpcode : uint8_t
{
    RC_SEND_FIRST = 0x00,
    RC_SEND_MIDDLE = 0x01,
    RC_SEND_LAST = 0x02,
    RC_SEND_LAST_IMM = 0x03,
    RC_SEND_ONLY = 0x04,
    RC_SEND_ONLY_IMM = 0x05,
    RC_WRITE_FIRST = 0x06,
    RC_WRITE_MIDDLE = 0x07,
    RC_WRITE_LAST = 0x08,
    RC_WRITE_LAST_IMM = 0x09,
    RC_WRITE_ONLY = 0x0a,
    RC_WRITE_ONLY_IMM = 0x0b,
    RC_READ_REQUEST = 0x0c,
    RC_READ_RESPONSE_FIRST = 0x0d,
    RC_READ_RESPONSE_MIDDLE = 0x0e,
    RC_READ_RESPONSE_LAST = 0x0f,
    RC_READ_RESPONSE_ONLY = 0x10,
    RC_ACK = 0x11,
    RC_ATOMIC_ACK = 0x12,
    RC_CMP_SWAP = 0x13,
    RC_FETCH_ADD = 0x14,
    RC_SEND_LAST_INV = 0x16,
    RC_SEND_ONLY_INV = 0x17,

    UC_SEND_FIRST = 0x20,
    UC_SEND_MIDDLE = 0x21,
    UC_SEND_LAST = 0x22,
    UC_SEND_LAST_IMM = 0x23,
    UC_SEND_ONLY = 0x24,
    UC_SEND_ONLY_IMM = 0x25,
    UC_WRITE_FIRST = 0x26,
    UC_WRITE_MIDDLE = 0x27,
    UC_WRITE_LAST = 0x28,
    UC_WRITE_LAST_IMM = 0x29,
    UC_WRITE_ONLY = 0x2a,
    UC_WRITE_ONLY_IMM = 0x2b,

    UD_SEND_ONLY = 0x64,
    UD_SEND_ONLY_IMM = 0x65,

    CNP = 0x81,

    SR_SEND_FIRST = 0xc0,
    SR_SEND_MIDDLE = 0xc1,
    SR_SEND_LAST = 0xc2,
    SR_SEND_LAST_IMM = 0xc3,
    SR_SEND_ONLY = 0xc4,
    SR_SEND_ONLY_IMM = 0xc5,
    SR_WRITE_FIRST = 0xc6,
    SR_WRITE_MIDDLE = 0xc7,
    SR_WRITE_LAST = 0xc8,
    SR_WRITE_LAST_IMM = 0xc9,
    SR_WRITE_ONLY = 0xca,
    SR_WRITE_ONLY_IMM = 0xcb,
    SR_READ_REQUEST = 0xcc,
    SR_READ_RESPONSE_FIRST = 0xcd,
    SR_READ_RESPONSE_MIDDLE = 0xce,
    SR_READ_RESPONSE_LAST = 0xcf,
    SR_READ_RESPONSE_ONLY = 0xd0,
    SR_ACK = 0xd1,
    SR_ATOMIC_ACK = 0xd2,
    SR_CMP_SWAP = 0xd3,
    SR_FETCH_ADD = 0xd4,
    SR_SEND_LAST_INV = 0xd6,
    SR_SEND_ONLY_INV = 0xd7,

    CREDIT = 0xe0,         ///< receiver to sender: how much may be sent
    CREDIT_REQUEST = 0xe1, ///< sender to receiver: how much there is to send
};

/// @param opcode any @return its transport service
constexpr RdmaService
GetService(RdmaOpcode opcode)
{
    return static_cast<RdmaService>(static_cast<uint8_t>(opcode) >> 5);
}

/**
 * @param service of the queue pair
 * @param rcForm the operation, as a reliable connection's opcode
 * @return the opcode of that operation in that service (for CNP the operation has no meaning); not
 *         every service has every operation: see RdmaOpcodeTraits::known
 */
constexpr RdmaOpcode
MakeOpcode(RdmaService service, RdmaOpcode rcForm)
{
    return static_cast<RdmaOpcode>((static_cast<uint8_t>(service) << 5) |
                                   (static_cast<uint8_t>(rcForm) & 0x1f));
}

/// @param opcode any @return its operation, as a reliable connection's opcode
constexpr RdmaOpcode
GetRcForm(RdmaOpcode opcode)
{
    return MakeOpcode(RdmaService::RC, opcode);
}

/// What a BTH opcode implies: which headers follow, and where in its message the frame stands.
struct RdmaOpcodeTraits
{
    bool known : 1;        ///< the opcode is one of RdmaOpcode
    bool first : 1;        ///< starts a message (or the answer to a READ)
    bool last : 1;         ///< ends a message (or the answer to a READ)
    bool send : 1;         ///< a SEND: consumes a receive work request
    bool write : 1;        ///< an RDMA WRITE
    bool readRequest : 1;  ///< asks for an RDMA READ
    bool readResponse : 1; ///< answers it
    bool atomic : 1;       ///< asks for CMP_SWAP or FETCH_ADD

    bool ack : 1;             ///< ACK or ATOMIC ACK
    bool request : 1;         ///< from requester to responder
    bool hasDeth : 1;         ///< DETH follows BTH
    bool hasPlacement : 1;    ///< ours: PlacementHeader follows BTH
    bool hasReth : 1;         ///< RETH follows
    bool hasAtomicEth : 1;    ///< AtomicETH follows
    bool hasAeth : 1;         ///< AETH follows BTH
    bool hasAtomicAckEth : 1; ///< AtomicAckETH follows AETH

    bool hasSack : 1;       ///< ours: SackHeader follows AETH
    bool hasImmediate : 1;  ///< ImmDt is the last header
    bool hasInvalidate : 1; ///< IETH is the last header
    bool hasPayload : 1;    ///< application bytes may follow
    bool hasCredit : 1;     ///< ours: CreditHeader follows BTH
    bool hasDemand : 1;     ///< ours: DemandHeader follows BTH

    uint8_t
        extensionBytes; ///< of all that stands between BTH and payload (CNP: its reserved bytes)
};

namespace internal
{

/// @param traits which headers there are @return their bytes
constexpr uint8_t
ExtensionBytes(const RdmaOpcodeTraits& traits)
{
    return static_cast<uint8_t>((traits.hasDeth ? wire::DETH_BYTES : 0) +
                                (traits.hasPlacement ? wire::PLACEMENT_BYTES : 0) +
                                (traits.hasReth ? wire::RETH_BYTES : 0) +
                                (traits.hasAtomicEth ? wire::ATOMIC_ETH_BYTES : 0) +
                                (traits.hasAeth ? wire::AETH_BYTES : 0) +
                                (traits.hasAtomicAckEth ? wire::ATOMIC_ACK_ETH_BYTES : 0) +
                                (traits.hasSack ? wire::SACK_BYTES : 0) +
                                (traits.hasCredit ? wire::CREDIT_BYTES : 0) +
                                (traits.hasDemand ? wire::DEMAND_BYTES : 0) +
                                (traits.hasImmediate ? wire::IMMDT_BYTES : 0) +
                                (traits.hasInvalidate ? wire::IETH_BYTES : 0));
}

/// Sets what the operation says, for every service. @param t the traits @param op its RC form
constexpr void
SetOperation(RdmaOpcodeTraits& t, RdmaOpcode op)
{
    using O = RdmaOpcode;
    t.send = op <= O::RC_SEND_ONLY_IMM || op == O::RC_SEND_LAST_INV || op == O::RC_SEND_ONLY_INV;
    t.write = op >= O::RC_WRITE_FIRST && op <= O::RC_WRITE_ONLY_IMM;
    t.readRequest = op == O::RC_READ_REQUEST;
    t.readResponse = op >= O::RC_READ_RESPONSE_FIRST && op <= O::RC_READ_RESPONSE_ONLY;
    t.atomic = op == O::RC_CMP_SWAP || op == O::RC_FETCH_ADD;
    t.ack = op == O::RC_ACK || op == O::RC_ATOMIC_ACK;
    t.request = t.send || t.write || t.readRequest || t.atomic;
    t.known = t.request || t.readResponse || t.ack;

    bool only = op == O::RC_SEND_ONLY || op == O::RC_SEND_ONLY_IMM || op == O::RC_SEND_ONLY_INV ||
                op == O::RC_WRITE_ONLY || op == O::RC_WRITE_ONLY_IMM || t.readRequest ||
                op == O::RC_READ_RESPONSE_ONLY || t.atomic;
    t.first = only || op == O::RC_SEND_FIRST || op == O::RC_WRITE_FIRST ||
              op == O::RC_READ_RESPONSE_FIRST;
    t.last = only || op == O::RC_SEND_LAST || op == O::RC_SEND_LAST_IMM ||
             op == O::RC_SEND_LAST_INV || op == O::RC_WRITE_LAST || op == O::RC_WRITE_LAST_IMM ||
             op == O::RC_READ_RESPONSE_LAST;

    t.hasReth = (t.write && t.first) || t.readRequest;
    t.hasAtomicEth = t.atomic;
    t.hasAeth = t.ack || (t.readResponse && (t.first || t.last));
    t.hasAtomicAckEth = op == O::RC_ATOMIC_ACK;
    t.hasImmediate = op == O::RC_SEND_LAST_IMM || op == O::RC_SEND_ONLY_IMM ||
                     op == O::RC_WRITE_LAST_IMM || op == O::RC_WRITE_ONLY_IMM;
    t.hasInvalidate = op == O::RC_SEND_LAST_INV || op == O::RC_SEND_ONLY_INV;
    t.hasPayload = t.send || t.write || t.readResponse;
}

/// @param service of a queue pair @param op an operation @return whether the one has the other
constexpr bool
ServiceHas(RdmaService service, RdmaOpcode op)
{
    switch (service)
    {
    case RdmaService::RC:
    case RdmaService::SR:
        return true;
    case RdmaService::UC:
        return op <= RdmaOpcode::RC_WRITE_ONLY_IMM;
    case RdmaService::UD:
        return op == RdmaOpcode::RC_SEND_ONLY || op == RdmaOpcode::RC_SEND_ONLY_IMM;
    case RdmaService::CNP:
    case RdmaService::CONTROL:
        break;
    }
    return false;
}

/// @param opcode any @return its traits
constexpr RdmaOpcodeTraits
MakeTraits(RdmaOpcode opcode)
{
    RdmaOpcodeTraits traits{};
    RdmaService service = GetService(opcode);
    if (opcode == RdmaOpcode::CNP)
    {
        traits.known = true;
        traits.extensionBytes = wire::CNP_RESERVED_BYTES;
    }
    else if (opcode == RdmaOpcode::CREDIT || opcode == RdmaOpcode::CREDIT_REQUEST)
    {
        traits.known = true;
        traits.hasCredit = opcode == RdmaOpcode::CREDIT;
        traits.hasDemand = opcode == RdmaOpcode::CREDIT_REQUEST;
        traits.extensionBytes = ExtensionBytes(traits);
    }
    else if (ServiceHas(service, GetRcForm(opcode)))
    {
        SetOperation(traits, GetRcForm(opcode));
        traits.hasDeth = service == RdmaService::UD;
        if (service == RdmaService::SR)
        {
            traits.hasPlacement = traits.request;
            traits.hasReth = traits.hasReth || traits.write; // each frame can be placed alone
            traits.hasSack = opcode == RdmaOpcode::SR_ACK;
        }
        traits.extensionBytes = ExtensionBytes(traits);
    }
    return traits;
}

/// @return the traits of all 256 opcodes
constexpr std::array<RdmaOpcodeTraits, 256>
MakeTraitsTable()
{
    std::array<RdmaOpcodeTraits, 256> table{};
    for (uint32_t opcode = 0; opcode < table.size(); ++opcode)
    {
        table[opcode] = MakeTraits(static_cast<RdmaOpcode>(opcode));
    }
    return table;
}

inline constexpr std::array<RdmaOpcodeTraits, 256> OPCODE_TRAITS = MakeTraitsTable();

} // namespace internal

/// @return the traits of @p opcode; `known` is false for any value outside RdmaOpcode.
constexpr RdmaOpcodeTraits
GetOpcodeTraits(RdmaOpcode opcode)
{
    return internal::OPCODE_TRAITS[static_cast<uint8_t>(opcode)];
}

} // namespace ns3

#endif // RDMA_OPCODE_H
