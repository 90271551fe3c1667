// SPDX-License-Identifier: GPL-2.0-only
#include "ring-algorithm.h"

#include "data-division.h"
#include "local-copy-program.h"
#include "ring-order.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RingAlgorithm);

namespace
{

using Operation = CollectiveOperation;

/// Whether data go from one end to another, not around.
bool
IsChain(Operation operation)
{
    return operation == Operation::BROADCAST || operation == Operation::REDUCE;
}

/// The program of a ring collective; its ranks' threads are the channels.
class RingProgram : public CollectiveProgram
{
  public:
    RingProgram(const CollectiveRequest& request,
                const RankLayout& layout,
                const CollectivePlan& plan);

    uint32_t GetChannels() const override
    {
        return m_plan.channels;
    }

    uint32_t GetThreads(uint32_t) const override
    {
        return m_plan.channels;
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

    const CollectiveRequest& GetRequest() const
    {
        return m_request;
    }

    const CollectivePlan& GetPlan() const
    {
        return m_plan;
    }

  private:
    CollectiveRequest m_request;
    CollectivePlan m_plan;
    uint32_t m_ranks;
    std::vector<Ring> m_rings;
};

/// The steps of one rank on one channel.
class RingSteps : public SlicedSteps
{
  public:
    RingSteps(const RingProgram& program, uint32_t channel, uint32_t rank);

  protected:
    bool NextChunk(ProgramStep& step) override;

  private:
    static ChunkDivision Divide(const RingProgram& program, uint64_t share);
    uint64_t CountMoves() const;
    uint32_t GetRank(uint64_t before) const;
    void Fill(ProgramStep& step) const;
    void FillAllReduce(ProgramStep& step) const;
    void FillAllGather(ProgramStep& step) const;
    void FillReduceScatter(ProgramStep& step) const;
    void FillChain(ProgramStep& step) const;
    void Receive(ProgramStep& step) const;
    void Send(ProgramStep& step) const;
    void Operate(ProgramOperand& operand, ProgramBuffer buffer, uint64_t element) const;

    const RingProgram& m_program;
    const CollectiveRequest& m_request;
    uint32_t m_channel;
    const RingProgram::Ring& m_ring;
    uint32_t m_ranks;
    uint32_t m_position;
    Part m_share;
    ChunkDivision m_chunks;
    uint64_t m_loop{0};
    uint64_t m_move{0}; ///< of a loop: how many chunks have been handled in it
};

RingProgram::RingProgram(const CollectiveRequest& request,
                         const RankLayout& layout,
                         const CollectivePlan& plan)
    : m_request(request),
      m_plan(plan),
      m_ranks(layout.GetSize()),
      m_rings(plan.channels)
{
    if (!IsChain(request.operation))
    {
        NS_ABORT_MSG_IF(plan.window < 2,
                        "A ring's ranks send before they receive: the receiver of a connection "
                        "must have room for two messages, not for "
                            << plan.window << " (ns3::CollectiveAlgorithm::Window).");
        uint64_t slice = GetMessageCount(plan, request.typeBytes) * request.typeBytes;
        m_plan.chunkBytes = std::min(plan.chunkBytes, slice * (plan.window - 1));
    }
    for (uint32_t c = 0; c < plan.channels; ++c)
    {
        m_rings[c].order = GetRingOrder(layout, c);
        m_rings[c].position.resize(m_ranks);
        for (uint32_t p = 0; p < m_ranks; ++p)
        {
            m_rings[c].position[m_rings[c].order[p]] = p;
        }
    }
}

std::unique_ptr<StepSource>
RingProgram::Open(uint32_t rank, uint32_t thread) const
{
    return std::make_unique<RingSteps>(*this, thread, rank);
}

RingSteps::RingSteps(const RingProgram& program, uint32_t channel, uint32_t rank)
    : SlicedSteps(program.GetPlan(), program.GetRequest().typeBytes),
      m_program(program),
      m_request(program.GetRequest()),
      m_channel(channel),
      m_ring(program.GetRing(channel)),
      m_ranks(program.GetSize()),
      m_position(m_ring.position[rank]),
      m_share(GetChannelShare(m_request, m_ranks, program.GetPlan(), channel)),
      m_chunks(Divide(program, m_share.count))
{
}

ChunkDivision
RingSteps::Divide(const RingProgram& program, uint64_t share)
{
    constexpr uint64_t ALIGNMENT_BYTES = 16;
    const CollectiveRequest& request = program.GetRequest();
    uint64_t chunk = GetChunkCount(program.GetPlan(), request.typeBytes);
    bool sums =
        request.operation == Operation::ALL_REDUCE || request.operation == Operation::BARRIER;
    // The other operations have their blocks, or no blocks at all.
    return sums ? ChunkDivision(share,
                                chunk,
                                program.GetSize(),
                                std::max<uint64_t>(1, ALIGNMENT_BYTES / request.typeBytes))
                : ChunkDivision(share, chunk, 1, 1);
}

uint64_t
RingSteps::CountMoves() const
{
    switch (m_request.operation)
    {
    case Operation::ALL_REDUCE:
    case Operation::BARRIER:
        return 2 * uint64_t{m_ranks} - 1;
    case Operation::ALL_GATHER:
    case Operation::REDUCE_SCATTER:
        return m_ranks;
    default:
        return 1;
    }
}

bool
RingSteps::NextChunk(ProgramStep& step)
{
    if (m_loop == m_chunks.GetLoops())
    {
        return false;
    }
    Fill(step);
    if (++m_move == CountMoves())
    {
        m_move = 0;
        ++m_loop;
    }
    return true;
}

/// The rank that is some positions before this one in the ring.
uint32_t
RingSteps::GetRank(uint64_t before) const
{
    return m_ring.order[(m_position + 2 * uint64_t{m_ranks} - before) % m_ranks];
}

void
RingSteps::Receive(ProgramStep& step) const
{
    step.receive = {MessageWay::PEER, GetRank(1), m_channel};
}

void
RingSteps::Send(ProgramStep& step) const
{
    step.send = {MessageWay::PEER, GetRank(m_ranks - 1), m_channel};
}

void
RingSteps::Operate(ProgramOperand& operand, ProgramBuffer buffer, uint64_t element) const
{
    operand.buffer = buffer;
    operand.offset = element * m_request.typeBytes;
}

void
RingSteps::Fill(ProgramStep& step) const
{
    switch (m_request.operation)
    {
    case Operation::ALL_GATHER:
        FillAllGather(step);
        break;
    case Operation::REDUCE_SCATTER:
        FillReduceScatter(step);
        break;
    case Operation::BROADCAST:
    case Operation::REDUCE:
        FillChain(step);
        break;
    default:
        FillAllReduce(step);
        break;
    }
}

void
RingSteps::FillAllReduce(ProgramStep& step) const
{
    // Chunk p is whole at position p, the last to add to it; it then goes once more around.
    uint64_t last = m_ranks - 1;
    uint64_t index = (m_position + 2 * uint64_t{m_ranks} - 1 - m_move) % m_ranks;
    Part chunk = m_chunks.Locate(m_loop, index);
    step.bytes = chunk.count * m_request.typeBytes;
    if (m_move > 0)
    {
        Receive(step);
    }
    if (m_move <= last)
    {
        Operate(step.source, ProgramBuffer::INPUT, m_share.offset + chunk.offset);
    }
    if (m_move >= last)
    {
        Operate(step.destination, ProgramBuffer::OUTPUT, m_share.offset + chunk.offset);
    }
    if (m_move < 2 * last)
    {
        Send(step);
    }
}

void
RingSteps::FillAllGather(ProgramStep& step) const
{
    Part block = EvenPart(m_request.count, m_ranks, GetRank(m_move));
    Part chunk = m_chunks.Locate(m_loop, 0);
    chunk = ClipPart({m_share.offset + chunk.offset, chunk.count}, block.count);
    step.bytes = chunk.count * m_request.typeBytes;
    if (m_move > 0)
    {
        Receive(step);
    }
    else
    {
        Operate(step.source, ProgramBuffer::INPUT, chunk.offset);
    }
    if (m_move > 0 || !m_request.inPlace)
    {
        Operate(step.destination, ProgramBuffer::OUTPUT, block.offset + chunk.offset);
    }
    if (m_move + 1 < m_ranks)
    {
        Send(step);
    }
}

void
RingSteps::FillReduceScatter(ProgramStep& step) const
{
    Part block = EvenPart(m_request.count, m_ranks, GetRank(m_move + 1));
    Part chunk = m_chunks.Locate(m_loop, 0);
    chunk = ClipPart({m_share.offset + chunk.offset, chunk.count}, block.count);
    step.bytes = chunk.count * m_request.typeBytes;
    Operate(step.source, ProgramBuffer::INPUT, block.offset + chunk.offset);
    if (m_move > 0)
    {
        Receive(step);
    }
    if (m_move + 1 < m_ranks)
    {
        Send(step);
    }
    else
    {
        Operate(step.destination, ProgramBuffer::OUTPUT, chunk.offset);
    }
}

void
RingSteps::FillChain(ProgramStep& step) const
{
    bool reduces = m_request.operation == Operation::REDUCE;
    bool isRoot = GetRank(0) == m_request.root;
    bool isFirst = reduces ? GetRank(1) == m_request.root : isRoot;
    bool isLast = reduces ? isRoot : GetRank(m_ranks - 1) == m_request.root;
    Part chunk = m_chunks.Locate(m_loop, 0);
    step.bytes = chunk.count * m_request.typeBytes;
    uint64_t element = m_share.offset + chunk.offset;
    if (!isFirst)
    {
        Receive(step);
    }
    if (reduces || isRoot)
    {
        Operate(step.source, ProgramBuffer::INPUT, element);
    }
    if (reduces ? isRoot : !isRoot || !m_request.inPlace)
    {
        Operate(step.destination, ProgramBuffer::OUTPUT, element);
    }
    if (!isLast)
    {
        Send(step);
    }
}

} // namespace

TypeId
RingAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RingAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RingAlgorithm>();
    return tid;
}

std::string
RingAlgorithm::GetName() const
{
    return "ring";
}

std::string
RingAlgorithm::Check(const CollectiveRequest& request, const RankLayout&) const
{
    switch (request.operation)
    {
    case Operation::ALL_REDUCE:
    case Operation::ALL_GATHER:
    case Operation::REDUCE_SCATTER:
    case Operation::BROADCAST:
    case Operation::REDUCE:
    case Operation::BARRIER:
        return "";
    default:
        return std::string("a ring cannot do ") + ToString(request.operation);
    }
}

uint32_t
RingAlgorithm::GetDefaultChannels(const RankLayout& layout) const
{
    return 2 * layout.GetLargestGroup();
}

std::shared_ptr<const CollectiveProgram>
RingAlgorithm::Emit(const CollectiveRequest& request,
                    const RankLayout& layout,
                    const CollectivePlan& plan) const
{
    if (layout.GetSize() == 1)
    {
        return std::make_shared<LocalCopyProgram>(request);
    }
    return std::make_shared<RingProgram>(request, layout, plan);
}

} // namespace ns3
