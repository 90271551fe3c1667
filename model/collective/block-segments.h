// SPDX-License-Identifier: GPL-2.0-only
#ifndef BLOCK_SEGMENTS_H
#define BLOCK_SEGMENTS_H

#include "collective-request.h"

namespace ns3
{

/**
 * Walks over a channel's share of neighbouring blocks of the whole buffer. A channel has its share
 * of every block; where there is one channel, neighbouring blocks lie together and are one segment.
 * @param total elements of the whole buffer
 * @param ranks blocks that it is cut into
 * @param channels that share each block
 * @param channel one of them
 * @param first block
 * @param last the block behind the last one
 * @param visit called with each segment as a Part of the whole buffer
 */
template <typename Visit>
void
ForSegments(uint64_t total,
            uint32_t ranks,
            uint32_t channels,
            uint32_t channel,
            uint32_t first,
            uint32_t last,
            Visit visit)
{
    auto begin = [&](uint32_t block) {
        return block < ranks ? EvenPart(total, ranks, block).offset : total;
    };
    if (channels == 1)
    {
        visit(Part{begin(first), begin(last) - begin(first)});
        return;
    }
    for (uint32_t block = first; block < last; ++block)
    {
        Part whole = EvenPart(total, ranks, block);
        Part share = EvenPart(whole.count, channels, channel);
        visit(Part{whole.offset + share.offset, share.count});
    }
}

} // namespace ns3

#endif // BLOCK_SEGMENTS_H
