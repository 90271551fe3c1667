// SPDX-License-Identifier: GPL-2.0-only
#ifndef MESSAGE_RECORD_H
#define MESSAGE_RECORD_H

#include "verbs.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Where the time of a message went, time steps. The parts add up to end - start.
 */
struct TimeShares
{
    int64_t serialization{0};     ///< bits on the wire: its own frames at the sender, the last one
                                  ///< (and its ACK) at every hop
    int64_t propagation{0};       ///< cables and pipelines, both ways
    int64_t queueing{0};          ///< in switch queues of open classes
    int64_t paused{0};            ///< held by PFC, at the sender and in switches
    int64_t congestionControl{0}; ///< held by the pacing rate
    int64_t window{0};            ///< held by a full window
    int64_t nicContention{0};     ///< ready, while the NIC served others
    int64_t hostInterface{0};     ///< doorbell, PCIe, and the NIC's own processing
    int64_t retransmission{0};    ///< repeating what was lost, and waiting to notice

    /// @return the sum of all parts
    int64_t Total() const
    {
        return serialization + propagation + queueing + paused + congestionControl + window +
               nicContention + hostInterface + retransmission;
    }

    /// @param o what to add @return this
    TimeShares& operator+=(const TimeShares& o)
    {
        serialization += o.serialization;
        propagation += o.propagation;
        queueing += o.queueing;
        paused += o.paused;
        congestionControl += o.congestionControl;
        window += o.window;
        nicContention += o.nicContention;
        hostInterface += o.hostInterface;
        retransmission += o.retransmission;
        return *this;
    }

    /// @param o what to take away @return this
    TimeShares& operator-=(const TimeShares& o)
    {
        serialization -= o.serialization;
        propagation -= o.propagation;
        queueing -= o.queueing;
        paused -= o.paused;
        congestionControl -= o.congestionControl;
        window -= o.window;
        nicContention -= o.nicContention;
        hostInterface -= o.hostInterface;
        retransmission -= o.retransmission;
        return *this;
    }
};

/// A message that has ended, as QueuePair's trace source MessageComplete reports it.
struct MessageRecord
{
    uint64_t workRequestId;
    uint32_t job; ///< what QueuePair::SetJob said
    RdmaOperation operation;
    WcStatus status;
    uint64_t bytes;
    uint32_t srcAddress; ///< IPv4, host byte order
    uint32_t dstAddress; ///< IPv4, host byte order
    uint32_t srcQp;
    uint32_t dstQp;
    uint16_t udpSourcePort;
    int64_t start; ///< posted, time steps
    int64_t end;   ///< completed at the sender, time steps
    TimeShares shares;
};

} // namespace ns3

#endif // MESSAGE_RECORD_H
