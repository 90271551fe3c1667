// SPDX-License-Identifier: GPL-2.0-only
#include "round-program.h"

#include "collective-request.h"

#include <algorithm>

namespace ns3
{

ProgramStep&
RoundMoves::Add(std::vector<ProgramStep>& side, uint64_t bytes)
{
    side.emplace_back();
    side.back().bytes = bytes;
    return side.back();
}

void
RoundMoves::Send(uint32_t to, const ProgramOperand& source, uint64_t bytes)
{
    if (bytes > 0)
    {
        ProgramStep& step = Add(m_out, bytes);
        step.source = source;
        step.send = {MessageWay::PEER, to, m_channel};
    }
}

void
RoundMoves::Receive(uint32_t from, const ProgramOperand& destination, uint64_t bytes)
{
    ReceiveReduce(from, ProgramOperand(), destination, bytes);
}

void
RoundMoves::ReceiveReduce(uint32_t from,
                          const ProgramOperand& addend,
                          const ProgramOperand& destination,
                          uint64_t bytes)
{
    if (bytes > 0)
    {
        ProgramStep& step = Add(m_in, bytes);
        step.receive = {MessageWay::PEER, from, m_channel};
        step.source = addend;
        step.destination = destination;
    }
}

void
RoundMoves::CopyOut(const ProgramOperand& source, const ProgramOperand& destination, uint64_t bytes)
{
    if (bytes > 0)
    {
        ProgramStep& step = Add(m_out, bytes);
        step.source = source;
        step.destination = destination;
    }
}

void
RoundMoves::CopyIn(const ProgramOperand& source, const ProgramOperand& destination, uint64_t bytes)
{
    if (bytes > 0)
    {
        ProgramStep& step = Add(m_in, bytes);
        step.source = source;
        step.destination = destination;
    }
}

namespace
{

/// The steps of one of the two threads of a rank on a channel.
class RoundSteps : public StepSource
{
  public:
    RoundSteps(const RoundProgram& program, uint32_t rank, uint32_t channel, bool incoming)
        : m_program(program),
          m_rank(rank),
          m_channel(channel),
          m_incoming(incoming),
          m_moves(rank, channel)
    {
    }

    bool Next(ProgramStep& step) override;

  private:
    bool FindMove();
    uint64_t CountSlices(const ProgramStep& move) const;

    const RoundProgram& m_program;
    uint32_t m_rank;
    uint32_t m_channel;
    bool m_incoming;
    uint64_t m_rounds{0};       ///< entered so far
    RoundMoves m_moves;         ///< of the last round that was entered
    size_t m_move{0};           ///< the next of them
    uint64_t m_slice{0};        ///< of that move
    uint64_t m_othersBefore{0}; ///< steps of the other thread in the rounds before this
    uint64_t m_othersNow{0};    ///< and in this one
    bool m_waits{false};        ///< the next step begins a round
};

uint64_t
RoundSteps::CountSlices(const ProgramStep& move) const
{
    uint64_t count = move.bytes / m_program.GetTypeBytes();
    return (count + m_program.GetSliceCount() - 1) / m_program.GetSliceCount();
}

bool
RoundSteps::FindMove()
{
    while (m_move == m_moves.Get(m_incoming).size())
    {
        if (m_rounds == m_program.GetRounds())
        {
            return false;
        }
        m_moves.Clear();
        m_program.MakeMoves(m_rank, m_channel, m_rounds++, m_moves);
        m_move = 0;
        m_waits = true;
        m_othersBefore += m_othersNow;
        m_othersNow = 0;
        for (const ProgramStep& move : m_moves.Get(!m_incoming))
        {
            m_othersNow += CountSlices(move);
        }
    }
    return true;
}

bool
RoundSteps::Next(ProgramStep& step)
{
    if (!FindMove())
    {
        return false;
    }
    const ProgramStep& move = m_moves.Get(m_incoming)[m_move];
    uint64_t slices = CountSlices(move);
    uint32_t type = m_program.GetTypeBytes();
    Part slice = EvenPart(move.bytes / type, slices, m_slice);
    step = move;
    step.bytes = slice.count * type;
    step.source = Advance(move.source, slice.offset * type);
    step.destination = Advance(move.destination, slice.offset * type);
    if (m_waits && m_othersBefore > 0)
    {
        step.after = {2 * m_channel + (m_incoming ? 0 : 1), m_othersBefore - 1};
    }
    m_waits = false;
    if (++m_slice == slices)
    {
        m_slice = 0;
        ++m_move;
    }
    return true;
}

} // namespace

RoundProgram::RoundProgram(uint32_t channels, uint64_t sliceBytes, uint32_t typeBytes)
    : m_channels(channels),
      m_sliceCount(std::max<uint64_t>(1, sliceBytes / typeBytes)),
      m_typeBytes(typeBytes)
{
}

std::unique_ptr<StepSource>
RoundProgram::Open(uint32_t rank, uint32_t thread) const
{
    return std::make_unique<RoundSteps>(*this, rank, thread / 2, thread % 2 == 1);
}

} // namespace ns3
