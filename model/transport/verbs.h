// SPDX-License-Identifier: GPL-2.0-only
#ifndef VERBS_H
#define VERBS_H

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/wire-format.h"

#include <cstdint>

/**
 * @file
 * @brief The vocabulary of verbs: work requests, completions, states.
 */

namespace ns3
{

/// Operation of a send work request.
enum class RdmaOperation : uint8_t
{
    SEND,
    SEND_WITH_IMM,
    WRITE,
    WRITE_WITH_IMM,
};

/// What a queue pair is asked to send.
struct SendWorkRequest
{
    uint64_t id{0}; ///< returned in the completion
    RdmaOperation operation{RdmaOperation::WRITE};
    uint64_t bytes{0};         ///< length, at most 2^31
    uint64_t remoteAddress{0}; ///< WRITE: where to
    uint32_t remoteKey{0};     ///< WRITE: key of the memory region
    uint32_t immediate{0};     ///< of the _WITH_IMM operations
    bool signaled{true};       ///< give a completion also on success
    Ptr<Packet> payload;       ///< the bytes themselves; null: zeros that take no memory
};

/// Room that a queue pair offers for a SEND or a WRITE_WITH_IMM.
struct ReceiveWorkRequest
{
    uint64_t id{0};    ///< returned in the completion
    uint64_t bytes{0}; ///< room for a SEND's data
};

/// How a work request ended.
enum class WcStatus : uint8_t
{
    SUCCESS,
    RETRY_EXCEEDED,         ///< no acknowledgement came within the retries
    RNR_RETRY_EXCEEDED,     ///< the receiver never had a receive work request ready
    REMOTE_INVALID_REQUEST, ///< the receiver found the request malformed, or too long for its room
    FLUSHED,                ///< not started or not finished when the queue pair went to error
};

/// @param status a status @return its name, as in verbs
const char* ToString(WcStatus status);

/// What a completion reports.
enum class WcOpcode : uint8_t
{
    SEND,           ///< a SEND was acknowledged
    WRITE,          ///< a WRITE was acknowledged
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
    uint32_t immediate{0};
    uint64_t bytes{0}; ///< payload bytes of the message
    uint32_t qpNumber{0};
};

/// What PostSend and PostReceive answer.
enum class PostResult : uint8_t
{
    POSTED,
    MESSAGE_TOO_LONG, ///< more than 2^31 bytes
    WRONG_STATE,      ///< the queue pair is not connected, or in error
    QUEUE_FULL,       ///< as many work requests as the attribute allows are outstanding
    PAYLOAD_MISMATCH, ///< payload bytes and length differ
};

/// @param result a result @return what it means, as a sentence
const char* ToString(PostResult result);

/// States of a queue pair (the subset that has a meaning without a connection manager).
enum class QpState : uint8_t
{
    RESET, ///< created, not connected
    RTS,   ///< connected, ready to send
    ERROR, ///< all work is flushed
};

} // namespace ns3

#endif // VERBS_H
