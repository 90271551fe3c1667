// SPDX-License-Identifier: GPL-2.0-only
#ifndef RING_ORDER_H
#define RING_ORDER_H

#include "rank-layout.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The order of ranks along the ring of a channel, laid out by rail.
 *
 * The ring passes through one group after the other, and within a group through all ranks. It
 * leaves a group by the NIC of one rank (exit) and comes into the next group by the NIC of the same
 * rail (entry), so that the way between groups stays in its rail. The exit's position in its group
 * is channel + 0, 1, 0, 1, ... and for the last of an odd number of groups channel + 2, modulo the
 * size of the group; so entry and exit of a group differ, and over as many channels as a group has
 * ranks each NIC is exit once and entry once. Where the entry's rail would be the exit's, or the
 * group has no rank on that rail, the entry is the rank after the exit, and that crossing changes
 * rails: an odd number of groups of two cannot do without.
 *
 * @param layout the ranks
 * @param channel number of the channel
 * @return all ranks, in ring order
 */
std::vector<uint32_t> MakeRingOrder(const RankLayout& layout, uint32_t channel);

/**
 * @param layout the ranks
 * @param channel number of the channel
 * @return the ring that was set in the layout for the channel (modulo their number), else
 * MakeRingOrder(); what was set must have each rank once
 */
std::vector<uint32_t> GetRingOrder(const RankLayout& layout, uint32_t channel);

} // namespace ns3

#endif // RING_ORDER_H
