// SPDX-License-Identifier: GPL-2.0-only
#ifndef DATA_DIVISION_H
#define DATA_DIVISION_H

#include "collective-plan.h"
#include "collective-program.h"
#include "collective-request.h"

#include <cstdint>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief How NCCL cuts data: over channels, into loops of chunks, a chunk into slices.
 */

/// @param a a number @param b a positive number @return a / b, rounded up
constexpr uint64_t
DivideUp(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/// @param a a number @param b a positive number @return the first multiple of b that is not below a
constexpr uint64_t
AlignUp(uint64_t a, uint64_t b)
{
    return DivideUp(a, b) * b;
}

/**
 * @brief The share of a channel, as scheduleCollTasksToPlan() in NCCL 2.26's src/enqueue.cc cuts
 * it.
 *
 * Channels get whole cells, the last one what is left; a cell is what makes 16 KiB of traffic, so
 * that of few data some channels get nothing. Traffic is counted by NCCL as twice the data for
 * all-reduce, the data times the ranks for all-gather and reduce-scatter, the data for the others;
 * four times that with LL.
 *
 * @param request what is asked for
 * @param ranks how many
 * @param plan channels and protocol are taken from it
 * @param channel which
 * @return elements of the buffer; for all-gather and reduce-scatter, of the longest block
 */
Part GetChannelShare(const CollectiveRequest& request,
                     uint32_t ranks,
                     const CollectivePlan& plan,
                     uint32_t channel);

/**
 * @brief A channel's share in loops of some chunks of one size; in the last loop the chunks are as
 * long as is needed, and the last of them may be shorter or empty.
 */
class ChunkDivision
{
  public:
    /**
     * @param share length of the share, elements
     * @param chunk length of a chunk, at least 1
     * @param chunksPerLoop at least 1
     * @param alignment of the length of a chunk in the last loop, elements, at least 1
     */
    ChunkDivision(uint64_t share, uint64_t chunk, uint64_t chunksPerLoop, uint64_t alignment)
        : m_share(share),
          m_chunk(chunk),
          m_chunksPerLoop(chunksPerLoop),
          m_alignment(alignment)
    {
    }

    /// @return number of loops
    uint64_t GetLoops() const
    {
        return DivideUp(m_share, m_chunk * m_chunksPerLoop);
    }

    /// @param loop which @param index chunk of the loop @return the chunk, in the share
    Part Locate(uint64_t loop, uint64_t index) const;

  private:
    uint64_t m_share;
    uint64_t m_chunk;
    uint64_t m_chunksPerLoop;
    uint64_t m_alignment;
};

/**
 * @param part a part of a longest block
 * @param block length of some block
 * @return what of the part lies in the block
 */
constexpr Part
ClipPart(const Part& part, uint64_t block)
{
    uint64_t offset = part.offset < block ? part.offset : block;
    return {offset, block - offset < part.count ? block - offset : part.count};
}

/// @param plan its chunkBytes @param typeBytes of an element @return elements of a chunk, at least
/// 1
uint64_t GetChunkCount(const CollectivePlan& plan, uint32_t typeBytes);

/// @param plan likewise @param typeBytes likewise @return elements of a message, at least 1, where
/// an algorithm sends a chunk as one message: those of a slice if that is the smaller
uint64_t GetMessageCount(const CollectivePlan& plan, uint32_t typeBytes);

/**
 * @brief Steps that are made chunk by chunk and cut into slices.
 *
 * As in genericOp() of NCCL's src/device/prims_simple.h, a chunk is cut into as many slices as the
 * longest chunk has, but a slice has a 32nd of the longest at least, and a multiple of 16 elements.
 * Slices without data are left out unless the plan wants them, except that a chunk without data is
 * one.
 */
class SlicedSteps : public StepSource
{
  public:
    /// @param plan chunkBytes and sliceBytes are taken from it @param typeBytes of an element
    SlicedSteps(const CollectivePlan& plan, uint32_t typeBytes);

    bool Next(ProgramStep& step) final;

  protected:
    /**
     * @param step receives the step for the whole of the next chunk
     * @return false if there is none
     */
    virtual bool NextChunk(ProgramStep& step) = 0;

  private:
    uint64_t m_typeBytes;
    uint64_t m_longestSlice; ///< elements
    uint64_t m_slicesPerChunk;
    bool m_emptySlices;
    ProgramStep m_chunk;
    uint64_t m_sliceBytes{0}; ///< of this chunk
    uint64_t m_done{0};       ///< bytes
    uint64_t m_slices{0};     ///< made of this chunk
    bool m_open{false};       ///< whether something of the chunk is left
};

} // namespace ns3

#endif // DATA_DIVISION_H
