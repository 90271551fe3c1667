// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_OPCODE_H
#define RDMA_OPCODE_H

#include <cstdint>

/**
 * @file
 * @brief BTH opcodes of the reliable connected service and of RoCEv2's CNP
 *        (InfiniBand Architecture Specification vol. 1, table "OpCode field").
 */

namespace ns3
{

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
    RC_ACK = 0x11,
    CNP = 0x81,
};

/// What a BTH opcode implies: which headers follow, and where in its message the frame stands.
struct RdmaOpcodeTraits
{
    bool known : 1;        ///< the opcode is one of RdmaOpcode
    bool first : 1;        ///< starts a message
    bool last : 1;         ///< ends a message
    bool send : 1;         ///< consumes a receive work request (SEND)
    bool write : 1;        ///< an RDMA WRITE
    bool hasReth : 1;      ///< RETH follows BTH
    bool hasImmediate : 1; ///< ImmDt follows
    bool hasAeth : 1;      ///< AETH follows BTH
};

/// @return the traits of @p opcode; `known` is false for any value outside RdmaOpcode.
constexpr RdmaOpcodeTraits
GetOpcodeTraits(RdmaOpcode opcode)
{
    //       known, first, last, send, write, reth, imm, aeth
    switch (opcode)
    {
    case RdmaOpcode::RC_SEND_FIRST:
        return {true, true, false, true, false, false, false, false};
    case RdmaOpcode::RC_SEND_MIDDLE:
        return {true, false, false, true, false, false, false, false};
    case RdmaOpcode::RC_SEND_LAST:
        return {true, false, true, true, false, false, false, false};
    case RdmaOpcode::RC_SEND_LAST_IMM:
        return {true, false, true, true, false, false, true, false};
    case RdmaOpcode::RC_SEND_ONLY:
        return {true, true, true, true, false, false, false, false};
    case RdmaOpcode::RC_SEND_ONLY_IMM:
        return {true, true, true, true, false, false, true, false};
    case RdmaOpcode::RC_WRITE_FIRST:
        return {true, true, false, false, true, true, false, false};
    case RdmaOpcode::RC_WRITE_MIDDLE:
        return {true, false, false, false, true, false, false, false};
    case RdmaOpcode::RC_WRITE_LAST:
        return {true, false, true, false, true, false, false, false};
    case RdmaOpcode::RC_WRITE_LAST_IMM:
        return {true, false, true, false, true, false, true, false};
    case RdmaOpcode::RC_WRITE_ONLY:
        return {true, true, true, false, true, true, false, false};
    case RdmaOpcode::RC_WRITE_ONLY_IMM:
        return {true, true, true, false, true, true, true, false};
    case RdmaOpcode::RC_ACK:
        return {true, false, false, false, false, false, false, true};
    case RdmaOpcode::CNP:
        return {true, false, false, false, false, false, false, false};
    }
    return {false, false, false, false, false, false, false, false};
}

} // namespace ns3

#endif // RDMA_OPCODE_H
