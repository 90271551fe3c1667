// SPDX-License-Identifier: GPL-2.0-only
#ifndef DROP_REASON_H
#define DROP_REASON_H

#include <cstdint>

namespace ns3
{

/// Why a frame was dropped.
enum class DropReason : uint8_t
{
    NO_ROUTE,      ///< no route leads to its destination
    LOSSY_FULL,    ///< its class is lossy, and the memory or its queue's share is used up
    HEADROOM_FULL, ///< its class is lossless, and its headroom is used up all the same
    PAUSE_LOST,    ///< likewise, while a pause frame that was to stop it has been lost
    HOST_QUEUE,    ///< the node's own stack sent more than the port's queue takes
    NO_RECEIVER,   ///< nothing at the node takes it
    RECEIVE_FULL,  ///< the receive buffer of a slow NIC is full
    WATCHDOG,      ///< the PFC watchdog emptied or barred its queue
    LINK_DOWN,     ///< its port has no link
    SWITCH_DOWN,   ///< its switch is restarting
    COUNT          ///< how many reasons there are
};

/// @param reason why @return a word for tables: "no-route", "lossy-full", ...
const char* ToString(DropReason reason);

} // namespace ns3

#endif // DROP_REASON_H
