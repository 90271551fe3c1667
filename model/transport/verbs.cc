// SPDX-License-Identifier: GPL-2.0-only
#include "verbs.h"

namespace ns3
{

const char*
ToString(QpType type)
{
    switch (type)
    {
    case QpType::RC:
        return "RC";
    case QpType::UC:
        return "UC";
    case QpType::UD:
        return "UD";
    }
    return "unknown";
}

const char*
ToString(RdmaOperation operation)
{
    switch (operation)
    {
    case RdmaOperation::SEND:
        return "SEND";
    case RdmaOperation::SEND_WITH_IMM:
        return "SEND_WITH_IMM";
    case RdmaOperation::SEND_WITH_INVALIDATE:
        return "SEND_WITH_INVALIDATE";
    case RdmaOperation::WRITE:
        return "WRITE";
    case RdmaOperation::WRITE_WITH_IMM:
        return "WRITE_WITH_IMM";
    case RdmaOperation::READ:
        return "READ";
    case RdmaOperation::COMPARE_SWAP:
        return "COMPARE_SWAP";
    case RdmaOperation::FETCH_ADD:
        return "FETCH_ADD";
    }
    return "unknown";
}

const char*
ToString(WcStatus status)
{
    switch (status)
    {
    case WcStatus::SUCCESS:
        return "WC_SUCCESS";
    case WcStatus::LOCAL_LENGTH:
        return "WC_LOC_LEN_ERR";
    case WcStatus::LOCAL_PROTECTION:
        return "WC_LOC_PROT_ERR";
    case WcStatus::RETRY_EXCEEDED:
        return "WC_RETRY_EXC_ERR";
    case WcStatus::RNR_RETRY_EXCEEDED:
        return "WC_RNR_RETRY_EXC_ERR";
    case WcStatus::REMOTE_INVALID_REQUEST:
        return "WC_REM_INV_REQ_ERR";
    case WcStatus::REMOTE_ACCESS:
        return "WC_REM_ACCESS_ERR";
    case WcStatus::REMOTE_OPERATIONAL:
        return "WC_REM_OP_ERR";
    case WcStatus::FLUSHED:
        return "WC_WR_FLUSH_ERR";
    }
    return "unknown";
}

const char*
ToString(PostResult result)
{
    switch (result)
    {
    case PostResult::POSTED:
        return "posted";
    case PostResult::MESSAGE_TOO_LONG:
        return "the message is too long: RC and UC carry at most 2^31 bytes, UD one MTU";
    case PostResult::WRONG_STATE:
        return "the queue pair's state does not allow it";
    case PostResult::WRONG_OPERATION:
        return "the queue pair's type does not have this operation";
    case PostResult::QUEUE_FULL:
        return "the queue holds as many work requests as it may";
    case PostResult::PAYLOAD_MISMATCH:
        return "the payload, or the sum of the pieces, has another length than the work request";
    case PostResult::TOO_MANY_PIECES:
        return "more scatter/gather pieces than MaxSge";
    case PostResult::INLINE_TOO_LONG:
        return "inline data must be a SEND or WRITE of at most MaxInline bytes";
    case PostResult::NO_DESTINATION:
        return "a UD queue pair needs an address handle (path) and remoteQp in each work request";
    case PostResult::BAD_LOCAL_KEY:
        return "a local key does not cover the memory with the access that the operation needs";
    case PostResult::BAD_ATOMIC:
        return "an atomic has 8 bytes at a remote address that 8 divides";
    case PostResult::SHARED_RECEIVES:
        return "the queue pair has a shared receive queue: post to that";
    }
    return "unknown";
}

const char*
ToString(QpState state)
{
    switch (state)
    {
    case QpState::RESET:
        return "RESET";
    case QpState::INIT:
        return "INIT";
    case QpState::RTR:
        return "RTR";
    case QpState::RTS:
        return "RTS";
    case QpState::SQD:
        return "SQD";
    case QpState::ERROR:
        return "ERR";
    }
    return "unknown";
}

const char*
ToString(ModifyResult result)
{
    switch (result)
    {
    case ModifyResult::MODIFIED:
        return "modified";
    case ModifyResult::WRONG_TRANSITION:
        return "the standard has no such transition from the present state";
    case ModifyResult::NO_REMOTE:
        return "a connected queue pair needs the other side to become ready to receive";
    case ModifyResult::BAD_REMOTE:
        return "the other side's number or PSN has more than 24 bits, or its IP version differs";
    }
    return "unknown";
}

} // namespace ns3
