// SPDX-License-Identifier: GPL-2.0-only
#include "msccl-algorithm.h"

#include "data-division.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MscclAlgorithm);

const MscclStepFacts&
GetMscclStepFacts(MscclStepType type)
{
    // name, receives, reads, writes, sends, accumulates
    static constexpr MscclStepFacts FACTS[] = {
        {"s", false, true, false, true, false},
        {"r", true, false, true, false, false},
        {"cpy", false, true, true, false, false},
        {"re", false, true, true, false, true},
        {"rcs", true, false, true, true, false},
        {"rrc", true, true, true, false, false},
        {"rrs", true, true, false, true, false},
        {"rrcs", true, true, true, true, false},
        {"nop", false, false, false, false, false},
    };
    return FACTS[static_cast<size_t>(type)];
}

namespace
{

/// How far chunks are moved at a time.
struct MscclPieces
{
    uint64_t chunkBytes; ///< of a chunk of the request
    uint64_t pieceBytes; ///< of it, at most, that an iteration works on
    uint64_t iterations; ///< 0: there are no data
    uint64_t together;   ///< chunks that one message, or a row of slices, may hold
    uint64_t sliceBytes; ///< most bytes of a message
    uint64_t typeBytes;

    /// @param iteration which @return bytes of each chunk that it works on
    uint64_t GetPiece(uint64_t iteration) const
    {
        return std::min(pieceBytes, chunkBytes - iteration * pieceBytes);
    }

    /// @param bytes moved at a time @return messages
    uint64_t CountSlices(uint64_t bytes) const
    {
        return DivideUp(bytes, sliceBytes);
    }

    /// @param step a step @param piece bytes of each chunk @return what it becomes, in number
    uint64_t CountSteps(const MscclStep& step, uint64_t piece) const
    {
        if (step.type == MscclStepType::NOP)
        {
            return 1;
        }
        uint64_t full = step.chunks / together;
        uint64_t rest = step.chunks % together;
        return full * CountSlices(together * piece) + (rest > 0 ? CountSlices(rest * piece) : 0);
    }

    /// @return what the steps of a thread block before one of them become in an iteration
    uint64_t CountStepsBefore(const MscclThreadBlock& block, uint64_t end, uint64_t piece) const
    {
        uint64_t count = 0;
        for (uint64_t i = 0; i < end; ++i)
        {
            count += CountSteps(block.steps[i], piece);
        }
        return count;
    }
};

/// An MSCCL program for a size.
class SizedMscclProgram : public CollectiveProgram
{
  public:
    SizedMscclProgram(std::shared_ptr<const MscclProgram> program, const MscclPieces& pieces)
        : m_program(std::move(program)),
          m_pieces(pieces)
    {
    }

    uint32_t GetChannels() const override
    {
        return m_program->channels;
    }

    uint32_t GetThreads(uint32_t rank) const override
    {
        return static_cast<uint32_t>(m_program->gpus[rank].threadBlocks.size());
    }

    uint32_t GetBlock(uint32_t, uint32_t thread) const override
    {
        return thread;
    }

    uint64_t GetScratchBytes(uint32_t rank) const override
    {
        return m_program->gpus[rank].scratchChunks * m_pieces.chunkBytes;
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

  private:
    std::shared_ptr<const MscclProgram> m_program;
    MscclPieces m_pieces;
};

/// The steps of a thread block, iteration by iteration.
class SizedMscclSteps : public StepSource
{
  public:
    SizedMscclSteps(const MscclGpu& gpu, const MscclThreadBlock& block, const MscclPieces& pieces)
        : m_gpu(gpu),
          m_block(block),
          m_pieces(pieces)
    {
    }

    bool Next(ProgramStep& step) override;

  private:
    bool FindStep();
    ProgramStep::Dependency FindDependency(const MscclStep& step) const;

    const MscclGpu& m_gpu;
    const MscclThreadBlock& m_block;
    const MscclPieces& m_pieces;
    uint64_t m_iteration{0};
    uint64_t m_step{0};  ///< of the thread block
    uint64_t m_chunk{0}; ///< of the step: those before are done
    uint64_t m_slice{0}; ///< of the chunks from there on
};

bool
SizedMscclSteps::FindStep()
{
    while (m_step == m_block.steps.size())
    {
        if (m_step == 0 || m_iteration + 1 >= m_pieces.iterations)
        {
            return false;
        }
        m_step = 0;
        ++m_iteration;
    }
    return m_pieces.iterations > 0;
}

ProgramStep::Dependency
SizedMscclSteps::FindDependency(const MscclStep& step) const
{
    if (step.after.thread == ProgramStep::Dependency::NONE)
    {
        return {};
    }
    const MscclThreadBlock& other = m_gpu.threadBlocks[step.after.thread];
    uint64_t full = m_pieces.CountStepsBefore(other, other.steps.size(), m_pieces.GetPiece(0));
    uint64_t upToIt =
        m_pieces.CountStepsBefore(other, step.after.step + 1, m_pieces.GetPiece(m_iteration));
    return {step.after.thread, m_iteration * full + upToIt - 1};
}

bool
SizedMscclSteps::Next(ProgramStep& step)
{
    if (!FindStep())
    {
        return false;
    }
    const MscclStep& text = m_block.steps[m_step];
    const MscclStepFacts& facts = GetMscclStepFacts(text.type);
    step = ProgramStep();
    if (m_chunk == 0 && m_slice == 0)
    {
        step.after = FindDependency(text);
    }
    if (text.type == MscclStepType::NOP)
    {
        ++m_step;
        return true;
    }
    uint64_t chunks = std::min(m_pieces.together, text.chunks - m_chunk);
    uint64_t bytes = chunks * m_pieces.GetPiece(m_iteration);
    uint64_t slices = m_pieces.CountSlices(bytes);
    Part slice = EvenPart(bytes / m_pieces.typeBytes, slices, m_slice);
    uint64_t offset = m_iteration * m_pieces.pieceBytes + slice.offset * m_pieces.typeBytes;
    auto place = [&](ProgramBuffer buffer, uint64_t chunk) {
        return ProgramOperand{buffer, (chunk + m_chunk) * m_pieces.chunkBytes + offset};
    };
    step.bytes = slice.count * m_pieces.typeBytes;
    if (facts.receives)
    {
        step.receive = {MessageWay::PEER, m_block.receivePeer, m_block.channel};
    }
    if (facts.reads)
    {
        step.source = place(text.sourceBuffer, text.sourceChunk);
    }
    if (facts.writes)
    {
        step.destination = place(text.destinationBuffer, text.destinationChunk);
    }
    if (facts.sends)
    {
        step.send = {MessageWay::PEER, m_block.sendPeer, m_block.channel};
    }
    step.accumulates = facts.accumulates;
    if (++m_slice == slices)
    {
        m_slice = 0;
        m_chunk += chunks;
        if (m_chunk == text.chunks)
        {
            m_chunk = 0;
            ++m_step;
        }
    }
    return true;
}

std::unique_ptr<StepSource>
SizedMscclProgram::Open(uint32_t rank, uint32_t thread) const
{
    const MscclGpu& gpu = m_program->gpus[rank];
    return std::make_unique<SizedMscclSteps>(gpu, gpu.threadBlocks[thread], m_pieces);
}

} // namespace

TypeId
MscclAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MscclAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<MscclAlgorithm>();
    return tid;
}

void
MscclAlgorithm::SetProgram(std::shared_ptr<const MscclProgram> program)
{
    m_program = std::move(program);
    // msccl.h of MSCCL: a chunk is 4 steps of the buffer and a slice 2 with Simple, else both are
    // one.
    uint64_t step = GetProtocolBufferBytes(m_program->protocol) / PROTOCOL_STEPS;
    uint64_t chunk = step;
    uint32_t window = PROTOCOL_STEPS;
    switch (m_program->protocol)
    {
    case CollectiveProtocol::LL:
        chunk = step / 2; // half of it is flags
        break;
    case CollectiveProtocol::LL128:
        chunk = step / 128 * 120;
        break;
    case CollectiveProtocol::SIMPLE:
        chunk = 4 * step;
        window = PROTOCOL_STEPS / 2;
        break;
    }
    uint64_t slice = m_program->protocol == CollectiveProtocol::SIMPLE ? chunk / 2 : chunk;
    SetAttribute("Protocol", StringValue(ToString(m_program->protocol)));
    SetAttribute("Channels", UintegerValue(m_program->channels));
    SetAttribute("ChunkSize", UintegerValue(chunk));
    SetAttribute("SliceSize", UintegerValue(slice));
    SetAttribute("Window", UintegerValue(window));
}

uint64_t
MscclAlgorithm::RoundUp(uint64_t bytes, uint32_t typeBytes) const
{
    return AlignUp(bytes, m_program->chunksPerLoop * typeBytes);
}

std::string
MscclAlgorithm::GetName() const
{
    return m_program ? "msccl:" + m_program->name : "msccl";
}

std::string
MscclAlgorithm::Check(const CollectiveRequest& request, const RankLayout& layout) const
{
    if (!m_program)
    {
        return "an MscclAlgorithm has no program: SetProgram() gives it one";
    }
    const MscclProgram& program = *m_program;
    std::string name = "the MSCCL program \"" + program.name + "\" ";
    if (layout.GetSize() != program.gpus.size())
    {
        return name + "is for " + std::to_string(program.gpus.size()) + " GPUs, not for " +
               std::to_string(layout.GetSize());
    }
    if (request.operation != program.operation)
    {
        return name + "does " + ToString(program.operation) + ", not " +
               ToString(request.operation);
    }
    if (request.root != 0)
    {
        return name + "has root 0, not " + std::to_string(request.root);
    }
    if (request.inPlace ? !program.inPlace : !program.outOfPlace)
    {
        return name + (request.inPlace ? "does not work in place" : "works in place only");
    }
    if (request.count % program.chunksPerLoop != 0)
    {
        return name + "divides buffers into " + std::to_string(program.chunksPerLoop) +
               " chunks, and " + std::to_string(request.count) + " elements cannot be";
    }
    if (request.GetBytes() < program.minBytes || request.GetBytes() > program.maxBytes)
    {
        return name + "is for " + std::to_string(program.minBytes) + " to " +
               std::to_string(program.maxBytes) + " bytes, not for " +
               std::to_string(request.GetBytes());
    }
    return "";
}

std::shared_ptr<const CollectiveProgram>
MscclAlgorithm::Emit(const CollectiveRequest& request,
                     const RankLayout&,
                     const CollectivePlan& plan) const
{
    uint64_t type = request.typeBytes;
    MscclPieces pieces;
    pieces.chunkBytes = request.GetBytes() / m_program->chunksPerLoop;
    pieces.pieceBytes = std::max(plan.chunkBytes / type, uint64_t{1}) * type;
    pieces.iterations = DivideUp(pieces.chunkBytes, pieces.pieceBytes);
    pieces.together =
        pieces.chunkBytes > 0 ? std::max<uint64_t>(1, pieces.pieceBytes / pieces.chunkBytes) : 1;
    pieces.sliceBytes = std::max(plan.sliceBytes / type, uint64_t{1}) * type;
    pieces.typeBytes = type;
    return std::make_shared<SizedMscclProgram>(m_program, pieces);
}

} // namespace ns3
