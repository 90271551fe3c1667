// SPDX-License-Identifier: GPL-2.0-only
#include "ring-algorithm.h"

#include "ring-order.h"

#include "ns3/uinteger.h"
#include "ns3/wire-format.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RingAlgorithm);

namespace
{

uint64_t
CeilDiv(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/// The program of a ring collective; its ranks' threads are the channels.
class RingProgram : public CollectiveProgram
{
  public:
    RingProgram(const CollectiveRequest& request,
                const RankLayout& layout,
                uint32_t channels,
                uint64_t chunkBytes,
                uint64_t sliceBytes);

    uint32_t GetChannels() const override
    {
        return static_cast<uint32_t>(m_rings.size());
    }

    uint32_t GetThreads(uint32_t) const override
    {
        return GetChannels();
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

    /// A ring, and where each rank is in it.
    struct Ring
    {
        std::vector<uint32_t> order;
        std::vector<uint32_t> position;
    };

    const Ring& GetRing(uint32_t channel) const
    {
        return m_rings[channel];
    }

    uint32_t GetSize() const
    {
        return m_ranks;
    }

    uint64_t GetLoops() const
    {
        return m_loops;
    }

    CollectiveOperation GetOperation() const
    {
        return m_request.operation;
    }

    /// @return elements of a full slice
    uint64_t GetSliceCount() const
    {
        return m_sliceCount;
    }

    uint32_t GetTypeBytes() const
    {
        return m_request.typeBytes;
    }

    /// @return the chunk of block @p block in loop @p loop of @p channel: elements of the buffer
    Part Locate(uint32_t channel, uint64_t loop, uint32_t block) const;

  private:
    CollectiveRequest m_request;
    uint32_t m_ranks;
    uint64_t m_sliceCount;
    uint64_t m_loops;
    std::vector<Ring> m_rings;
};

/// The steps of one rank on one channel.
class RingSteps : public StepSource
{
  public:
    RingSteps(const RingProgram& program, uint32_t channel, uint32_t rank);
    bool Next(ProgramStep& step) override;

  private:
    /// What is done with a slice, in this order.
    enum Phase : uint8_t
    {
        RECEIVE,
        MERGE,
        SEND,
        DONE,
    };

    bool Receives() const
    {
        return m_move > 0;
    }

    bool Sends() const
    {
        return m_move + 1 < m_moves;
    }

    bool FindSlice();
    void EnterMove();

    const RingProgram& m_program;
    uint32_t m_channel;
    uint32_t m_ranks;
    uint32_t m_position;
    uint32_t m_next;
    uint32_t m_previous;
    uint64_t m_moves; ///< chunks that a rank handles in a loop
    uint64_t m_loop{0};
    uint64_t m_move{0};
    Part m_chunk{0, 0};   ///< of this move
    uint64_t m_slices{0}; ///< of this chunk
    uint64_t m_slice{0};
    uint8_t m_phase{RECEIVE};
};

RingProgram::RingProgram(const CollectiveRequest& request,
                         const RankLayout& layout,
                         uint32_t channels,
                         uint64_t chunkBytes,
                         uint64_t sliceBytes)
    : m_request(request),
      m_ranks(layout.GetSize()),
      m_sliceCount(std::max<uint64_t>(1, sliceBytes / request.typeBytes)),
      m_rings(channels)
{
    for (uint32_t c = 0; c < channels; ++c)
    {
        m_rings[c].order = MakeRingOrder(layout, c);
        m_rings[c].position.resize(m_ranks);
        for (uint32_t p = 0; p < m_ranks; ++p)
        {
            m_rings[c].position[m_rings[c].order[p]] = p;
        }
    }
    uint64_t chunkCount = std::max<uint64_t>(1, chunkBytes / request.typeBytes);
    uint64_t longestShare = CeilDiv(CeilDiv(request.count, channels), m_ranks);
    m_loops = CeilDiv(longestShare, chunkCount);
}

Part
RingProgram::Locate(uint32_t channel, uint64_t loop, uint32_t block) const
{
    uint64_t channels = m_rings.size();
    if (m_request.operation == CollectiveOperation::ALL_REDUCE)
    {
        // Blocks are the algorithm's own here: they are cut last, so that a loop lies together.
        Part share = EvenPart(m_request.count, channels, channel);
        Part part = EvenPart(share.count, m_loops, loop);
        Part chunk = EvenPart(part.count, m_ranks, block);
        return {share.offset + part.offset + chunk.offset, chunk.count};
    }
    Part whole = EvenPart(m_request.count, m_ranks, block);
    Part share = EvenPart(whole.count, channels, channel);
    Part chunk = EvenPart(share.count, m_loops, loop);
    return {whole.offset + share.offset + chunk.offset, chunk.count};
}

std::unique_ptr<StepSource>
RingProgram::Open(uint32_t rank, uint32_t thread) const
{
    return std::make_unique<RingSteps>(*this, thread, rank);
}

RingSteps::RingSteps(const RingProgram& program, uint32_t channel, uint32_t rank)
    : m_program(program),
      m_channel(channel),
      m_ranks(program.GetSize()),
      m_position(program.GetRing(channel).position[rank])
{
    const std::vector<uint32_t>& order = program.GetRing(channel).order;
    m_next = order[(m_position + 1) % m_ranks];
    m_previous = order[(m_position + m_ranks - 1) % m_ranks];
    bool both = program.GetOperation() == CollectiveOperation::ALL_REDUCE;
    m_moves = both ? 2 * uint64_t{m_ranks} - 1 : m_ranks;
    if (m_ranks == 1)
    {
        m_loop = program.GetLoops(); // nobody to exchange anything with
    }
    else if (m_loop < program.GetLoops())
    {
        EnterMove();
    }
}

void
RingSteps::EnterMove()
{
    // The first chunk that a rank sends is its own block in all-gather; where sums go round, it is
    // the block of the rank before it, which that rank will be the last to add to.
    uint64_t ahead = m_program.GetOperation() == CollectiveOperation::ALL_GATHER ? 0 : 1;
    uint64_t owner = (m_position + 2 * uint64_t{m_ranks} - ahead - m_move) % m_ranks;
    m_chunk = m_program.Locate(m_channel, m_loop, m_program.GetRing(m_channel).order[owner]);
    m_slices = CeilDiv(m_chunk.count, m_program.GetSliceCount());
    m_slice = 0;
    m_phase = Receives() ? RECEIVE : SEND;
}

bool
RingSteps::FindSlice()
{
    while (m_loop < m_program.GetLoops())
    {
        if (m_slice < m_slices && (m_phase < SEND || (m_phase == SEND && Sends())))
        {
            return true;
        }
        if (m_slice + 1 < m_slices)
        {
            ++m_slice;
            m_phase = Receives() ? RECEIVE : SEND;
            continue;
        }
        if (++m_move == m_moves)
        {
            m_move = 0;
            ++m_loop;
        }
        if (m_loop < m_program.GetLoops())
        {
            EnterMove();
        }
    }
    return false;
}

bool
RingSteps::Next(ProgramStep& step)
{
    if (!FindSlice())
    {
        return false;
    }
    Part slice = EvenPart(m_chunk.count, m_slices, m_slice);
    bool reduces = m_program.GetOperation() != CollectiveOperation::ALL_GATHER && m_move < m_ranks;
    step = ProgramStep();
    step.channel = m_channel;
    step.offset = (m_chunk.offset + slice.offset) * m_program.GetTypeBytes();
    step.bytes = slice.count * m_program.GetTypeBytes();
    switch (m_phase++)
    {
    case RECEIVE:
        step.kind = ProgramStep::Kind::RECEIVE;
        step.peer = m_previous;
        break;
    case MERGE:
        step.kind = reduces ? ProgramStep::Kind::REDUCE : ProgramStep::Kind::COPY;
        break;
    default:
        step.kind = ProgramStep::Kind::SEND;
        step.peer = m_next;
        break;
    }
    return true;
}

} // namespace

TypeId
RingAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RingAlgorithm")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("AiFabric")
            .AddConstructor<RingAlgorithm>()
            .AddAttribute(
                "Channels",
                "Rings that the buffer is divided over; 0: twice as many as the largest "
                "group has ranks, so that each of its NICs is exit of two rings and entry "
                "of two (NCCL doubles the rings that it finds, too).",
                UintegerValue(0),
                MakeUintegerAccessor(&RingAlgorithm::m_channels),
                MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute(
                "ChunkSize",
                "Most bytes of a chunk; a loop moves as many chunks as there are ranks. "
                "Between two loops a ring waits for its last message, so short loops cost "
                "bandwidth. The default is that of NCCL's all-reduce: 4 steps of 512 KiB.",
                UintegerValue(2 * 1024 * 1024),
                MakeUintegerAccessor(&RingAlgorithm::m_chunkBytes),
                MakeUintegerChecker<uint64_t>(1, wire::MAX_MESSAGE_BYTES))
            .AddAttribute(
                "SliceSize",
                "Most bytes of a slice, the unit that is sent, reduced and forwarded: a "
                "message. A ring is busy all the time only if a chunk lasts longer than a "
                "slice's way to the next rank.",
                UintegerValue(128 * 1024),
                MakeUintegerAccessor(&RingAlgorithm::m_sliceBytes),
                MakeUintegerChecker<uint64_t>(1, wire::MAX_MESSAGE_BYTES));
    return tid;
}

std::string
RingAlgorithm::GetName() const
{
    return "ring";
}

std::string
RingAlgorithm::Check(const CollectiveRequest& request, const RankLayout& layout) const
{
    if (layout.GetSize() == 0)
    {
        return "the communicator has no rank";
    }
    if (request.typeBytes == 0 || request.typeBytes > m_sliceBytes)
    {
        return "an element of " + std::to_string(request.typeBytes) +
               " B must have 1 B at least and fit a slice of " + std::to_string(m_sliceBytes) +
               " B (ns3::RingAlgorithm::SliceSize)";
    }
    if (request.count > UINT64_MAX / request.typeBytes)
    {
        return std::to_string(request.count) + " elements of " + std::to_string(request.typeBytes) +
               " B are more than 2^64 bytes";
    }
    switch (request.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::REDUCE_SCATTER:
        return "";
    }
    return std::string("a ring cannot do ") + ToString(request.operation);
}

uint32_t
RingAlgorithm::GetChannels(const RankLayout& layout) const
{
    return m_channels > 0 ? m_channels : 2 * layout.GetLargestGroup();
}

std::shared_ptr<const CollectiveProgram>
RingAlgorithm::Emit(const CollectiveRequest& request, const RankLayout& layout) const
{
    return std::make_shared<RingProgram>(request,
                                         layout,
                                         GetChannels(layout),
                                         m_chunkBytes,
                                         m_sliceBytes);
}

} // namespace ns3
