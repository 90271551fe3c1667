// SPDX-License-Identifier: GPL-2.0-only
#ifndef BUFFER_LAYOUT_H
#define BUFFER_LAYOUT_H

#include "collective-request.h"

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief Where the blocks of a request lie in its ranks' inputs and outputs, in elements. The table
 * is CollectiveRequest's.
 */

/// @param request what is asked for @param ranks how many @param rank one @return its input's
/// length
uint64_t GetInputCount(const CollectiveRequest& request, uint32_t ranks, uint32_t rank);

/// @param request what is asked for @param ranks how many @param rank one @return its output's
/// length
uint64_t GetOutputCount(const CollectiveRequest& request, uint32_t ranks, uint32_t rank);

/**
 * @param request an operation that moves blocks from rank to rank: any but point-to-point
 * @param ranks how many
 * @param source a rank
 * @param destination a rank
 * @return the block of the source's input that the destination gets (or gets the sum of)
 */
Part GetInputBlock(const CollectiveRequest& request,
                   uint32_t ranks,
                   uint32_t source,
                   uint32_t destination);

/**
 * @param request likewise
 * @param ranks how many
 * @param source a rank
 * @param destination a rank
 * @return where the destination's output has the block that comes from the source; of a reducing
 * operation, where it has the sum
 */
Part GetOutputBlock(const CollectiveRequest& request,
                    uint32_t ranks,
                    uint32_t source,
                    uint32_t destination);

/**
 * @param request what is asked for, in place
 * @param ranks how many
 * @param rank one
 * @return where its input begins in the memory that it shares with the output, and where the output
 * does: one of the two is 0
 */
std::pair<uint64_t, uint64_t> GetInPlaceOffsets(const CollectiveRequest& request,
                                                uint32_t ranks,
                                                uint32_t rank);

} // namespace ns3

#endif // BUFFER_LAYOUT_H
