// SPDX-License-Identifier: GPL-2.0-only
#ifndef COARSE_FRAME_H
#define COARSE_FRAME_H

#include "ns3/fabric-frame.h"

#include <cstdint>

namespace ns3
{

/// Most frames of the wire that one simulated frame stands for.
constexpr uint8_t MOST_SEGMENTS_PER_FRAME = 64;

/**
 * @brief Size of a frame that stands for several of the wire, one right behind the other: all their
 * headers and trailers, each one's pad and least size, and what lies between them on the wire. So
 * it takes as long on a link as they do.
 * @param frame of a reliable SEND or WRITE, with its segments, two or more
 * @param mtu payload bytes of a full frame of the wire
 * @param dataOverhead bytes of each besides the payload; 0: by the standard
 * @param gapBytes between two of them: preamble and inter-frame gap
 * @return bytes from the first one's destination address to the last one's FCS
 */
uint32_t CoarseFrameBytes(const FabricFrame& frame,
                          uint32_t mtu,
                          uint32_t dataOverhead,
                          uint32_t gapBytes);

} // namespace ns3

#endif // COARSE_FRAME_H
