// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONWEAVE_PARAMETERS_H
#define CONWEAVE_PARAMETERS_H

#include "ns3/fabric-frame.h"

#include <cstdint>

namespace ns3
{

constexpr uint8_t EPOCH_MASK = 3; ///< of an epoch two bits go over the wire

/// What ConWeavePathSelector's attributes say; times in time steps.
struct ConWeaveParameters
{
    int64_t replyMargin{0};
    int64_t pathBusyTime{0};
    int64_t inactiveTime{0};
    int64_t resumeMargin{0};
    int64_t defaultResumeWait{0};
    uint32_t pathSamples{0};
    uint32_t maxPaths{0};
    uint32_t reorderQueues{0};
    uint8_t controlClass{0};
};

/// What one switch has counted of ConWeave.
struct ConWeaveCounters
{
    uint64_t epochs{0};          ///< source: round-trip times asked for
    uint64_t reroutes{0};        ///< source: path changes while a flow was active
    uint64_t noGoodPath{0};      ///< source: frames for which no path was found that is not busy
    uint64_t idleRestarts{0};    ///< source: flows that began again after a silence
    uint64_t repliesSent{0};     ///< destination
    uint64_t clearsSent{0};      ///< destination
    uint64_t notifiesSent{0};    ///< destination
    uint64_t heldFrames{0};      ///< destination: frames that went through a reorder queue
    uint64_t unheldFrames{0};    ///< destination: early, but all reorder queues were taken
    uint64_t tailReleases{0};    ///< destination: reorder queues that the TAIL opened
    uint64_t timerReleases{0};   ///< destination: reorder queues that the timer opened
    uint64_t heldBytes{0};       ///< destination: bytes in reorder queues now
    uint64_t peakHeldBytes{0};   ///< destination: most bytes that ever were
    uint32_t queuesInUse{0};     ///< destination: reorder queues that hold frames now
    uint32_t peakQueuesInUse{0}; ///< destination: most that ever did
};

/// What ConWeave takes for a flow: frames that must stay in order.
struct ConWeaveFlowKey
{
    uint32_t source{0};      ///< address
    uint32_t destination{0}; ///< address
    uint16_t udpSourcePort{0};
    uint8_t trafficClass{0};

    /// @param other another flow's @return whether it is the same one
    bool operator==(const ConWeaveFlowKey& other) const
    {
        return source == other.source && destination == other.destination &&
               udpSourcePort == other.udpSourcePort && trafficClass == other.trafficClass;
    }

    /// For tables that are looked things up in, never walked through.
    struct Hash
    {
        /// @param key a flow's @return well-mixed bits
        size_t operator()(const ConWeaveFlowKey& key) const
        {
            return FlowHash(key.source, key.destination, key.udpSourcePort, key.trafficClass);
        }
    };
};

/// @param frame of a flow @return the flow's key
inline ConWeaveFlowKey
ConWeaveFlowOf(const FabricFrame& frame)
{
    return {frame.srcAddress, frame.dstAddress, frame.udpSourcePort, frame.trafficClass};
}

} // namespace ns3

#endif // CONWEAVE_PARAMETERS_H
