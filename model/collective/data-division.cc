// SPDX-License-Identifier: GPL-2.0-only
#include "data-division.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// ncclFuncTrafficPerByte() of NCCL's src/enqueue.cc.
uint64_t
TrafficPerByte(CollectiveOperation operation, uint32_t ranks)
{
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::BARRIER:
        return 2;
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::REDUCE_SCATTER:
        return ranks;
    default:
        return 1;
    }
}

/// The elements that are divided over the channels.
uint64_t
DividedCount(const CollectiveRequest& request, uint32_t ranks)
{
    bool byBlock = request.operation == CollectiveOperation::ALL_GATHER ||
                   request.operation == CollectiveOperation::REDUCE_SCATTER;
    return byBlock ? EvenPart(request.count, ranks, 0).count : request.count;
}

} // namespace

Part
GetChannelShare(const CollectiveRequest& request,
                uint32_t ranks,
                const CollectivePlan& plan,
                uint32_t channel)
{
    constexpr uint64_t LEAST_TRAFFIC = 16 * 1024;
    constexpr uint64_t CELL_ALIGNMENT = 16;
    uint64_t traffic = TrafficPerByte(request.operation, ranks);
    traffic *= plan.protocol == CollectiveProtocol::LL ? 4 : 1;
    uint64_t cellBytes = AlignUp(DivideUp(LEAST_TRAFFIC, traffic), CELL_ALIGNMENT);
    uint64_t cell = std::max<uint64_t>(1, cellBytes / request.typeBytes);
    uint64_t count = DividedCount(request, ranks);
    uint64_t cells = DivideUp(DivideUp(count, cell), plan.channels);
    uint64_t share = std::min(count, cells * cell);
    return ClipPart({std::min(count, channel * share), share}, count);
}

Part
ChunkDivision::Locate(uint64_t loop, uint64_t index) const
{
    uint64_t loopCount = m_chunk * m_chunksPerLoop;
    uint64_t begin = loop * loopCount;
    uint64_t left = m_share - begin;
    uint64_t chunk = m_chunk;
    if (left < loopCount)
    {
        chunk = std::min(chunk, AlignUp(DivideUp(left, m_chunksPerLoop), m_alignment));
    }
    Part part = ClipPart({index * chunk, chunk}, left);
    return {begin + part.offset, part.count};
}

uint64_t
GetChunkCount(const CollectivePlan& plan, uint32_t typeBytes)
{
    return std::max<uint64_t>(1, plan.chunkBytes / typeBytes);
}

uint64_t
GetMessageCount(const CollectivePlan& plan, uint32_t typeBytes)
{
    return std::max<uint64_t>(1, std::min(plan.chunkBytes, plan.sliceBytes) / typeBytes);
}

SlicedSteps::SlicedSteps(const CollectivePlan& plan, uint32_t typeBytes)
    : m_typeBytes(typeBytes),
      m_longestSlice(GetMessageCount(plan, typeBytes)),
      m_slicesPerChunk(DivideUp(GetChunkCount(plan, typeBytes), m_longestSlice)),
      m_emptySlices(plan.emptySlices)
{
}

bool
SlicedSteps::Next(ProgramStep& step)
{
    constexpr uint64_t SLICE_ALIGNMENT = 16;
    constexpr uint64_t SMALLEST_SHARE = 32;
    if (!m_open)
    {
        m_chunk = ProgramStep();
        if (!NextChunk(m_chunk))
        {
            return false;
        }
        uint64_t even = DivideUp(m_chunk.bytes / m_typeBytes, m_slicesPerChunk);
        uint64_t slice = std::max(AlignUp(even, SLICE_ALIGNMENT), m_longestSlice / SMALLEST_SHARE);
        m_sliceBytes = std::min(slice, m_longestSlice) * m_typeBytes;
        m_done = 0;
        m_slices = 0;
    }
    step = m_chunk;
    step.bytes = std::min(m_sliceBytes, m_chunk.bytes - m_done);
    step.source.offset += m_done;
    step.destination.offset += m_done;
    m_done += step.bytes;
    m_open = m_done < m_chunk.bytes || (m_emptySlices && ++m_slices < m_slicesPerChunk);
    return true;
}

} // namespace ns3
