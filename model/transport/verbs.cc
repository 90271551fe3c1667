// SPDX-License-Identifier: GPL-2.0-only
#include "verbs.h"

namespace ns3
{

const char*
ToString(WcStatus status)
{
    switch (status)
    {
    case WcStatus::SUCCESS:
        return "WC_SUCCESS";
    case WcStatus::RETRY_EXCEEDED:
        return "WC_RETRY_EXC_ERR";
    case WcStatus::RNR_RETRY_EXCEEDED:
        return "WC_RNR_RETRY_EXC_ERR";
    case WcStatus::REMOTE_INVALID_REQUEST:
        return "WC_REM_INV_REQ_ERR";
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
        return "an RDMA message holds at most 2^31 bytes";
    case PostResult::WRONG_STATE:
        return "the queue pair is not ready to send";
    case PostResult::QUEUE_FULL:
        return "the queue holds as many work requests as it may";
    case PostResult::PAYLOAD_MISMATCH:
        return "the payload has another length than the work request";
    }
    return "unknown";
}

} // namespace ns3
