// SPDX-License-Identifier: GPL-2.0-only
#ifndef IDEAL_TIME_H
#define IDEAL_TIME_H

#include "ns3/fabric-net-device.h"
#include "ns3/verbs.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// A link as a frame sees it.
struct PathHop
{
    const FabricNetDevice* sender; ///< its rate, preamble and gap count
    int64_t flightSteps;           ///< cable and the far port's ingress latency, time steps
};

/**
 * @brief The links of a shortest path between two ports of a fabric (of equal ones, the first).
 * @param from an endpoint's port
 * @param to another endpoint's port
 * @return the links in order; empty if there is no path
 */
std::vector<PathHop> FindPath(Ptr<FabricNetDevice> from, Ptr<FabricNetDevice> to);

/// A message as frames on the wire.
struct FrameTrain
{
    uint64_t frames;      ///< at least 1
    uint64_t firstBytes;  ///< size of the first frame, destination address to FCS
    uint64_t middleBytes; ///< of all between
    uint64_t lastBytes;   ///< of the last one, where there are two or more
};

/**
 * @brief How a message is cut: RoCEv2 frames, or frames of a fixed overhead.
 * @param operation what it is
 * @param bytes payload of the message
 * @param mtu payload of a full frame
 * @param dataOverhead bytes besides the payload; 0: RoCEv2's headers
 * @return the train
 */
FrameTrain MakeFrameTrain(RdmaOperation operation,
                          uint64_t bytes,
                          uint32_t mtu,
                          uint32_t dataOverhead);

/**
 * @brief Time of a train that is alone on a path, from its first bit to its last frame's arrival.
 *
 * Links that store and forward are a flow shop: frame i starts on a link when it has arrived there
 * and frame i-1 has left. Equal frames in the middle each add the slot of the slowest link.
 *
 * @param path links in order
 * @param train the frames
 * @return time steps
 */
int64_t IdealTrainSteps(const std::vector<PathHop>& path, const FrameTrain& train);

} // namespace ns3

#endif // IDEAL_TIME_H
