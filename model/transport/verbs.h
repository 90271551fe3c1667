// SPDX-License-Identifier: GPL-2.0-only
#ifndef VERBS_H
#define VERBS_H

#include "memory-region.h"
#include "rdma-path.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/wire-format.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * @brief The vocabulary of verbs: work requests, completions, states.
 */

namespace ns3
{

/// Transport service of a queue pair.
enum class QpType : uint8_t
{
    RC, ///< reliable connected: in order, exactly once, or an error
    UC, ///< unreliable connected: a message arrives whole or not at all
    UD, ///< unreliable datagram: messages of one frame, to any queue pair
};

/// @param type a service @return its short name
const char* ToString(QpType type);

/// Operation of a send work request.
enum class RdmaOperation : uint8_t
{
    SEND,
    SEND_WITH_IMM,
    SEND_WITH_INVALIDATE, ///< also takes back a key of the receiver's memory
    WRITE,
    WRITE_WITH_IMM,
    READ,
    COMPARE_SWAP, ///< 8 bytes: swapped if they equal `compare`
    FETCH_ADD,    ///< 8 bytes: `swapOrAdd` is added
};

/// @param operation an operation @return its name
const char* ToString(RdmaOperation operation);

/// @param operation an operation @return it consumes a receive work request's room
constexpr bool
IsSend(RdmaOperation operation)
{
    return operation <= RdmaOperation::SEND_WITH_INVALIDATE;
}

/// @param operation an operation @return it is COMPARE_SWAP or FETCH_ADD
constexpr bool
IsAtomic(RdmaOperation operation)
{
    return operation >= RdmaOperation::COMPARE_SWAP;
}

/// @param operation an operation @return its data come back: READ or atomic
constexpr bool
ReturnsData(RdmaOperation operation)
{
    return operation >= RdmaOperation::READ;
}

/// A piece of local memory: where data come from, or go to.
struct ScatterGatherElement
{
    uint64_t address{0};
    uint64_t bytes{0};
    uint32_t localKey{0};
};

/// What a queue pair is asked to send.
struct SendWorkRequest
{
    uint64_t id{0}; ///< returned in the completion
    RdmaOperation operation{RdmaOperation::WRITE};
    uint64_t bytes{0};         ///< length, at most 2^31; the sum of the pieces where there are any
    uint64_t remoteAddress{0}; ///< WRITE, READ, atomics: where
    uint32_t remoteKey{0};     ///< likewise: key of the memory region
    uint32_t immediate{0};     ///< of the _WITH_IMM operations
    uint32_t invalidateKey{0}; ///< SEND_WITH_INVALIDATE: the receiver's key
    uint64_t compare{0};       ///< COMPARE_SWAP
    uint64_t swapOrAdd{0};     ///< COMPARE_SWAP: new value; FETCH_ADD: what to add
    bool signaled{true};       ///< give a completion also on success
    bool fence{false};         ///< start only when all READs and atomics before are complete
    bool solicited{false};     ///< asks for an event at the receiver
    bool inlined{false};       ///< the bytes travel in the work request: no read from memory
    RdmaAddressHandle path{};  ///< UD: where to, see QueuePair::CreateAddressHandle
    uint32_t remoteQp{0};      ///< UD: to which queue pair
    uint32_t qkey{0};          ///< UD: the receiver's queue key
    Ptr<Packet> payload{};     ///< the bytes themselves; null: from `pieces`, or zeros
    std::vector<ScatterGatherElement>
        pieces{}; ///< local memory; empty: `bytes` of no special place
};

/// Room that a queue pair offers for a SEND or a WRITE_WITH_IMM.
struct ReceiveWorkRequest
{
    uint64_t id{0};    ///< returned in the completion
    uint64_t bytes{0}; ///< room for a SEND's data; UD: 40 more than the data, as verbs has it
    ScatterGatherElement place{}; ///< where they go; all 0: nowhere in particular
};

/// Bytes that a UD receive keeps for the global routing header.
constexpr uint64_t UD_RECEIVE_HEADER_BYTES = 40;

/// How a work request ended.
enum class WcStatus : uint8_t
{
    SUCCESS,
    LOCAL_LENGTH,           ///< a message was longer than its receive work request
    LOCAL_PROTECTION,       ///< a key does not cover the local memory
    RETRY_EXCEEDED,         ///< no acknowledgement came within the retries
    RNR_RETRY_EXCEEDED,     ///< the receiver never had a receive work request ready
    REMOTE_INVALID_REQUEST, ///< the receiver found the request malformed, or too long
    REMOTE_ACCESS,          ///< the key does not give that access to that memory
    REMOTE_OPERATIONAL,     ///< the receiver failed in itself
    FLUSHED,                ///< not started or not finished when the queue pair went to error
};

/// @param status a status @return its name, as in verbs
const char* ToString(WcStatus status);

/// What a completion reports.
enum class WcOpcode : uint8_t
{
    SEND,           ///< a SEND was acknowledged (UC, UD: has left)
    WRITE,          ///< a WRITE was acknowledged (UC: has left)
    READ,           ///< a READ's data are here
    COMPARE_SWAP,   ///< the old value is here
    FETCH_ADD,      ///< the old value is here
    RECV,           ///< a SEND arrived
    RECV_WRITE_IMM, ///< a WRITE_WITH_IMM arrived
};

/// An entry of a completion queue.
struct WorkCompletion
{
    uint64_t id{0};
    WcStatus status{WcStatus::SUCCESS};
    WcOpcode opcode{WcOpcode::SEND};
    bool hasImmediate{false};
    bool invalidated{false}; ///< a SEND_WITH_INVALIDATE took `immediate`'s key back
    bool solicited{false};   ///< the sender asked for an event
    uint32_t immediate{0};   ///< the immediate data, or the key that was invalidated
    uint64_t bytes{0};       ///< payload bytes of the message (UD receive: 40 more)
    uint32_t qpNumber{0};
    uint32_t sourceQp{0};       ///< UD receive: who sent it
    Mac48Address sourceMac{};   ///< UD receive: of its port, or of the router before it
    uint64_t atomicOriginal{0}; ///< COMPARE_SWAP, FETCH_ADD: the value before
};

/// What PostSend and PostReceive answer.
enum class PostResult : uint8_t
{
    POSTED,
    MESSAGE_TOO_LONG, ///< more than 2^31 bytes (UD: more than an MTU)
    WRONG_STATE,      ///< the queue pair's state does not allow it
    WRONG_OPERATION,  ///< the queue pair's type does not have this operation
    QUEUE_FULL,       ///< as many work requests as the attribute allows are outstanding
    PAYLOAD_MISMATCH, ///< payload or pieces and length differ
    TOO_MANY_PIECES,  ///< more than MaxSge
    INLINE_TOO_LONG,  ///< more than MaxInline, or an operation that cannot be inline
    NO_DESTINATION,   ///< UD without an address handle
    BAD_LOCAL_KEY,    ///< a piece is not covered by its key, or may not be written
    BAD_ATOMIC,       ///< atomics have 8 bytes at an address that 8 divides
    SHARED_RECEIVES,  ///< the pair takes receives from its shared receive queue
};

/// @param result a result @return what it means, as a sentence
const char* ToString(PostResult result);

/// States of a queue pair (IBA vol. 1, 10.3.1).
enum class QpState : uint8_t
{
    RESET, ///< created
    INIT,  ///< takes receive work requests
    RTR,   ///< ready to receive
    RTS,   ///< ready to send
    SQD,   ///< send queue drains: what has started ends, nothing new starts
    ERROR, ///< all work is flushed
};

/// @param state a state @return its name, as in the standard
const char* ToString(QpState state);

/// What QueuePair::Modify answers.
enum class ModifyResult : uint8_t
{
    MODIFIED,
    WRONG_TRANSITION, ///< the standard has no way from the present state to that one
    NO_REMOTE,        ///< RTR of a connected service needs the other side
    BAD_REMOTE,       ///< its number or its PSN has more than 24 bits, or its IP version differs
};

/// @param result a result @return what it means, as a sentence
const char* ToString(ModifyResult result);

} // namespace ns3

#endif // VERBS_H
