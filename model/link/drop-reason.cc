// SPDX-License-Identifier: GPL-2.0-only
#include "drop-reason.h"

namespace ns3
{

const char*
ToString(DropReason reason)
{
    switch (reason)
    {
    case DropReason::NO_ROUTE:
        return "no-route";
    case DropReason::LOSSY_FULL:
        return "lossy-full";
    case DropReason::HEADROOM_FULL:
        return "headroom-full";
    case DropReason::PAUSE_LOST:
        return "pause-lost";
    case DropReason::HOST_QUEUE:
        return "host-queue";
    case DropReason::NO_RECEIVER:
        return "no-receiver";
    case DropReason::RECEIVE_FULL:
        return "receive-full";
    case DropReason::WATCHDOG:
        return "watchdog";
    case DropReason::LINK_DOWN:
        return "link-down";
    case DropReason::SWITCH_DOWN:
        return "switch-down";
    case DropReason::COUNT:
        break;
    }
    return "unknown";
}

} // namespace ns3
