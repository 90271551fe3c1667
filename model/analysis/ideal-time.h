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

/// What decides about the headers of data frames.
struct DataHeaders
{
    uint32_t fixedBytes{0}; ///< if above 0: all bytes besides the payload, whatever the rest says
    bool selective{false};  ///< placement header, and each WRITE frame has a RETH
    uint32_t extraBytes{0}; ///< of IPv6 instead of IPv4, of a VLAN tag
};

/**
 * @brief How the data of a message are cut into frames. (Of a READ: its responses.)
 * @param operation what it is
 * @param bytes payload of the message
 * @param mtu payload of a full frame
 * @param headers of each frame
 * @return the train
 */
FrameTrain MakeFrameTrain(RdmaOperation operation,
                          uint64_t bytes,
                          uint32_t mtu,
                          const DataHeaders& headers);

/**
 * @brief The frame that asks for a READ or an atomic.
 * @param operation READ or an atomic
 * @param headers of the frame
 * @return its size, bytes
 */
uint64_t RequestFrameBytes(RdmaOperation operation, const DataHeaders& headers);

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
