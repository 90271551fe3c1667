// SPDX-License-Identifier: GPL-2.0-only
#include "hierarchical-algorithm.h"

#include "buffer-layout.h"
#include "round-program.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HierarchicalAlgorithm);

namespace
{

/// A rank's place in a ring of some size, and the pieces that go round.
struct RingTurn
{
    uint32_t size;
    uint32_t place;

    uint32_t Next() const
    {
        return (place + 1) % size;
    }

    uint32_t Previous() const
    {
        return (place + size - 1) % size;
    }

    /// @return the piece so many places behind the own one
    uint32_t Behind(uint64_t steps) const
    {
        return static_cast<uint32_t>((place + 2 * uint64_t{size} - steps) % size);
    }
};

/// The base of the four: who sits where.
class HierarchicalProgram : public RoundProgram
{
  public:
    HierarchicalProgram(const CollectiveRequest& request,
                        const RankLayout& layout,
                        const CollectivePlan& plan)
        : RoundProgram(plan.channels, plan.sliceBytes, request.typeBytes),
          m_request(request),
          m_ranks(layout.GetSize()),
          m_groups(layout.GetGroups()),
          m_groupOf(m_ranks),
          m_positionOf(m_ranks)
    {
        for (uint32_t group = 0; group < m_groups.size(); ++group)
        {
            for (uint32_t position = 0; position < m_groups[group].size(); ++position)
            {
                m_groupOf[m_groups[group][position]] = group;
                m_positionOf[m_groups[group][position]] = position;
            }
        }
    }

    /// @return number of groups
    uint32_t Outer() const
    {
        return static_cast<uint32_t>(m_groups.size());
    }

    /// @return ranks of a group
    uint32_t Inner() const
    {
        return static_cast<uint32_t>(m_groups[0].size());
    }

    /// @return the ring of a rank's group
    RingTurn InnerTurn(uint32_t rank) const
    {
        return {Inner(), m_positionOf[rank]};
    }

    /// @return the ring of a rank's rail
    RingTurn OuterTurn(uint32_t rank) const
    {
        return {Outer(), m_groupOf[rank]};
    }

    /// @return the rank at a position of a rank's group
    uint32_t InGroup(uint32_t rank, uint32_t position) const
    {
        return m_groups[m_groupOf[rank]][position];
    }

    /// @return the rank of a group at a rank's position
    uint32_t OnRail(uint32_t rank, uint32_t group) const
    {
        return m_groups[group][m_positionOf[rank]];
    }

    /// @return a channel's share of a rank's block: of the whole buffer, in bytes
    Part Block(uint32_t rank, uint32_t channel) const
    {
        Part whole = EvenPart(m_request.count, m_ranks, rank);
        Part share = EvenPart(whole.count, GetChannels(), channel);
        return {(whole.offset + share.offset) * GetTypeBytes(), share.count * GetTypeBytes()};
    }

    /// @return likewise, from the block's beginning
    Part InBlock(uint32_t rank, uint32_t channel) const
    {
        Part part = Block(rank, channel);
        return {part.offset - EvenPart(m_request.count, m_ranks, rank).offset * GetTypeBytes(),
                part.count};
    }

    CollectiveRequest m_request;
    uint32_t m_ranks;
    std::vector<std::vector<uint32_t>> m_groups;
    std::vector<uint32_t> m_groupOf;
    std::vector<uint32_t> m_positionOf;
};

/// All-reduce: a channel's share is cut by position, and that by group. Sums are in the outputs.
class HierarchicalReduceProgram : public HierarchicalProgram
{
  public:
    using HierarchicalProgram::HierarchicalProgram;

    uint64_t GetRounds() const override
    {
        return std::max<uint64_t>(1, 2 * uint64_t{Inner() - 1} + 2 * uint64_t{Outer() - 1});
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override
    {
        uint64_t inner = Inner() - 1;
        uint64_t outer = Outer() - 1;
        if (m_ranks == 1)
        {
            Part own = Piece(channel, 0);
            ProgramOperand input{ProgramBuffer::INPUT, own.offset};
            ProgramOperand output{ProgramBuffer::OUTPUT, own.offset};
            moves.CopyIn(input, output, m_request.inPlace ? 0 : own.count);
        }
        else if (round < inner)
        {
            ReduceInside(rank, channel, round, moves);
        }
        else if (round < inner + 2 * outer)
        {
            ReduceOutside(rank, channel, round - inner, moves);
        }
        else
        {
            GatherInside(rank, channel, round - inner - 2 * outer, moves);
        }
    }

  private:
    /// @return the piece of a channel's share at a position, of the whole buffer, in bytes
    Part Piece(uint32_t channel, uint32_t position) const
    {
        Part share = EvenPart(m_request.count, GetChannels(), channel);
        Part piece = EvenPart(share.count, Inner(), position);
        return {(share.offset + piece.offset) * GetTypeBytes(), piece.count * GetTypeBytes()};
    }

    /// @return the part of it that is a group's
    Part SubPiece(uint32_t channel, uint32_t position, uint32_t group) const
    {
        Part piece = Piece(channel, position);
        Part part = EvenPart(piece.count / GetTypeBytes(), Outer(), group);
        return {piece.offset + part.offset * GetTypeBytes(), part.count * GetTypeBytes()};
    }

    void ReduceInside(uint32_t rank, uint32_t channel, uint64_t round, RoundMoves& moves) const
    {
        RingTurn turn = InnerTurn(rank);
        Part out = Piece(channel, turn.Behind(1 + round));
        Part in = Piece(channel, turn.Behind(2 + round));
        ProgramBuffer have = round == 0 ? ProgramBuffer::INPUT : ProgramBuffer::OUTPUT;
        moves.Send(InGroup(rank, turn.Next()), {have, out.offset}, out.count);
        moves.ReceiveReduce(InGroup(rank, turn.Previous()),
                            {ProgramBuffer::INPUT, in.offset},
                            {ProgramBuffer::OUTPUT, in.offset},
                            in.count);
    }

    void ReduceOutside(uint32_t rank, uint32_t channel, uint64_t round, RoundMoves& moves) const
    {
        RingTurn turn = OuterTurn(rank);
        uint32_t position = m_positionOf[rank];
        uint32_t next = OnRail(rank, turn.Next());
        uint32_t previous = OnRail(rank, turn.Previous());
        // Of a group of one nothing is in the outputs yet.
        ProgramBuffer mine = Inner() == 1 ? ProgramBuffer::INPUT : ProgramBuffer::OUTPUT;
        Part out = SubPiece(channel, position, turn.Behind(1 + round));
        Part in = SubPiece(channel, position, turn.Behind(2 + round));
        ProgramOperand output{ProgramBuffer::OUTPUT, in.offset};
        moves.Send(next, {round == 0 ? mine : ProgramBuffer::OUTPUT, out.offset}, out.count);
        if (round < Outer() - 1)
        {
            moves.ReceiveReduce(previous, {mine, in.offset}, output, in.count);
        }
        else
        {
            moves.Receive(previous, output, in.count);
        }
    }

    void GatherInside(uint32_t rank, uint32_t channel, uint64_t round, RoundMoves& moves) const
    {
        RingTurn turn = InnerTurn(rank);
        Part out = Piece(channel, turn.Behind(round));
        Part in = Piece(channel, turn.Behind(1 + round));
        moves.Send(InGroup(rank, turn.Next()), {ProgramBuffer::OUTPUT, out.offset}, out.count);
        moves.Receive(InGroup(rank, turn.Previous()), {ProgramBuffer::OUTPUT, in.offset}, in.count);
    }
};

/// Reduce-scatter. Sums are in the scratch until they are whole.
class HierarchicalScatterProgram : public HierarchicalProgram
{
  public:
    using HierarchicalProgram::HierarchicalProgram;

    uint64_t GetRounds() const override
    {
        return std::max<uint64_t>(1, uint64_t{Inner() - 1} + (Outer() - 1));
    }

    uint64_t GetScratchBytes(uint32_t) const override
    {
        return m_ranks > 2 ? m_request.GetBytes() : 0;
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override
    {
        if (m_ranks == 1)
        {
            Part own = Block(rank, channel);
            moves.CopyIn({ProgramBuffer::INPUT, own.offset},
                         Result(rank, channel),
                         m_request.inPlace ? 0 : own.count);
        }
        else if (round < Inner() - 1)
        {
            ReduceInside(rank, channel, round, moves);
        }
        else
        {
            ReduceOutside(rank, channel, round - (Inner() - 1), moves);
        }
    }

  private:
    ProgramOperand Result(uint32_t rank, uint32_t channel) const
    {
        return {ProgramBuffer::OUTPUT, InBlock(rank, channel).offset};
    }

    void ReduceInside(uint32_t rank, uint32_t channel, uint64_t round, RoundMoves& moves) const
    {
        RingTurn turn = InnerTurn(rank);
        ProgramBuffer have = round == 0 ? ProgramBuffer::INPUT : ProgramBuffer::SCRATCH;
        bool isResult = Outer() == 1 && round + 2 == Inner();
        for (const std::vector<uint32_t>& group : m_groups)
        {
            Part out = Block(group[turn.Behind(1 + round)], channel);
            Part in = Block(group[turn.Behind(2 + round)], channel);
            ProgramOperand sum{ProgramBuffer::SCRATCH, in.offset};
            moves.Send(InGroup(rank, turn.Next()), {have, out.offset}, out.count);
            moves.ReceiveReduce(InGroup(rank, turn.Previous()),
                                {ProgramBuffer::INPUT, in.offset},
                                isResult ? Result(rank, channel) : sum,
                                in.count);
        }
    }

    void ReduceOutside(uint32_t rank, uint32_t channel, uint64_t round, RoundMoves& moves) const
    {
        RingTurn turn = OuterTurn(rank);
        ProgramBuffer mine = Inner() == 1 ? ProgramBuffer::INPUT : ProgramBuffer::SCRATCH;
        ProgramBuffer have = round == 0 ? mine : ProgramBuffer::SCRATCH;
        Part out = Block(OnRail(rank, turn.Behind(1 + round)), channel);
        Part in = Block(OnRail(rank, turn.Behind(2 + round)), channel);
        ProgramOperand sum{ProgramBuffer::SCRATCH, in.offset};
        moves.Send(OnRail(rank, turn.Next()), {have, out.offset}, out.count);
        moves.ReceiveReduce(OnRail(rank, turn.Previous()),
                            {mine, in.offset},
                            round + 2 == Outer() ? Result(rank, channel) : sum,
                            in.count);
    }
};

/// All-gather. Round 0 puts each rank's own block in place.
class HierarchicalGatherProgram : public HierarchicalProgram
{
  public:
    using HierarchicalProgram::HierarchicalProgram;

    uint64_t GetRounds() const override
    {
        return 1 + uint64_t{Outer() - 1} + (Inner() - 1);
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override
    {
        if (round == 0)
        {
            Part own = Block(rank, channel);
            moves.CopyIn({ProgramBuffer::INPUT, InBlock(rank, channel).offset},
                         {ProgramBuffer::OUTPUT, own.offset},
                         m_request.inPlace ? 0 : own.count);
        }
        else if (round < Outer())
        {
            RingTurn turn = OuterTurn(rank);
            Exchange(OnRail(rank, turn.Next()),
                     OnRail(rank, turn.Behind(round - 1)),
                     OnRail(rank, turn.Previous()),
                     OnRail(rank, turn.Behind(round)),
                     channel,
                     moves);
        }
        else
        {
            RingTurn turn = InnerTurn(rank);
            uint64_t k = round - Outer();
            for (const std::vector<uint32_t>& group : m_groups)
            {
                Exchange(InGroup(rank, turn.Next()),
                         group[turn.Behind(k)],
                         InGroup(rank, turn.Previous()),
                         group[turn.Behind(k + 1)],
                         channel,
                         moves);
            }
        }
    }

  private:
    /// Sends the block of one rank, and receives that of another.
    void Exchange(uint32_t to,
                  uint32_t ownerOut,
                  uint32_t from,
                  uint32_t ownerIn,
                  uint32_t channel,
                  RoundMoves& moves) const
    {
        Part out = Block(ownerOut, channel);
        Part in = Block(ownerIn, channel);
        moves.Send(to, {ProgramBuffer::OUTPUT, out.offset}, out.count);
        moves.Receive(from, {ProgramBuffer::OUTPUT, in.offset}, in.count);
    }
};

/**
 * All-to-all. A rank's scratch has a row for each other group, with the blocks of its own group's
 * ranks for the rank of that group on its rail.
 */
class HierarchicalExchangeProgram : public HierarchicalProgram
{
  public:
    HierarchicalExchangeProgram(const CollectiveRequest& request,
                                const RankLayout& layout,
                                const CollectivePlan& plan)
        : HierarchicalProgram(request, layout, plan)
    {
        m_areaBytes = uint64_t{Inner()} * Outer() * Block(0, 0).count;
        m_rowsAreWhole = GetChannels() == 1;
        for (const std::vector<uint32_t>& group : m_groups)
        {
            for (uint32_t position = 0; position < group.size(); ++position)
            {
                m_rowsAreWhole &= group[position] == group[0] + position;
            }
        }
    }

    uint64_t GetRounds() const override
    {
        return std::max<uint64_t>(1, uint64_t{Inner() - 1} + (Outer() - 1));
    }

    uint64_t GetScratchBytes(uint32_t) const override
    {
        return Outer() > 1 ? GetChannels() * m_areaBytes : 0;
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override
    {
        uint64_t inner = Inner() - 1;
        if (round == 0)
        {
            KeepOwn(rank, channel, moves);
        }
        if (round < inner)
        {
            ExchangeInside(rank, channel, static_cast<uint32_t>(round) + 1, moves);
        }
        else if (m_ranks > 1)
        {
            ExchangeOutside(rank, channel, static_cast<uint32_t>(round - inner) + 1, moves);
        }
    }

  private:
    /// @return where the block of a source goes: to the output, or to the row of its group
    ProgramOperand Place(uint32_t rank,
                         uint32_t source,
                         uint32_t destination,
                         uint32_t channel) const
    {
        if (rank == destination)
        {
            return Output(source, rank, channel);
        }
        return Row(rank, m_groupOf[destination], m_positionOf[source], channel);
    }

    /// @return where a rank's output has the block of a source
    ProgramOperand Output(uint32_t source, uint32_t rank, uint32_t channel) const
    {
        uint64_t block = GetOutputBlock(m_request, m_ranks, source, rank).offset * GetTypeBytes();
        return {ProgramBuffer::OUTPUT, block + InBlock(rank, channel).offset};
    }

    /// @return where a rank's scratch has the block of a position for a group
    ProgramOperand Row(uint32_t rank, uint32_t group, uint32_t position, uint32_t channel) const
    {
        uint64_t offset = channel * m_areaBytes;
        for (uint32_t before = 0; before < group; ++before)
        {
            offset += Inner() * Block(OnRail(rank, before), channel).count;
        }
        return {ProgramBuffer::SCRATCH,
                offset + position * Block(OnRail(rank, group), channel).count};
    }

    void KeepOwn(uint32_t rank, uint32_t channel, RoundMoves& moves) const
    {
        for (uint32_t group = 0; group < Outer(); ++group)
        {
            uint32_t destination = OnRail(rank, group);
            Part block = Block(destination, channel);
            // The next round sends from there, or this one does where groups have one rank.
            if (Inner() > 1 || destination == rank)
            {
                moves.CopyIn({ProgramBuffer::INPUT, block.offset},
                             Place(rank, rank, destination, channel),
                             block.count);
            }
        }
    }

    void ExchangeInside(uint32_t rank, uint32_t channel, uint32_t ahead, RoundMoves& moves) const
    {
        RingTurn turn = InnerTurn(rank);
        uint32_t to = InGroup(rank, (turn.place + ahead) % turn.size);
        uint32_t from = InGroup(rank, turn.Behind(ahead));
        for (uint32_t group = 0; group < Outer(); ++group)
        {
            Part out = Block(OnRail(to, group), channel);
            uint32_t mine = OnRail(rank, group);
            moves.Send(to, {ProgramBuffer::INPUT, out.offset}, out.count);
            moves.Receive(from, Place(rank, from, mine, channel), Block(mine, channel).count);
        }
    }

    void ExchangeOutside(uint32_t rank, uint32_t channel, uint32_t ahead, RoundMoves& moves) const
    {
        RingTurn turn = OuterTurn(rank);
        uint32_t toGroup = (turn.place + ahead) % turn.size;
        uint32_t to = OnRail(rank, toGroup);
        uint32_t from = OnRail(rank, turn.Behind(ahead));
        uint32_t pieces = m_rowsAreWhole ? 1 : Inner();
        uint32_t blocks = Inner() / pieces;
        Part block = Block(to, channel);
        for (uint32_t position = 0; position < pieces; ++position)
        {
            ProgramOperand source = Inner() == 1
                                        ? ProgramOperand{ProgramBuffer::INPUT, block.offset}
                                        : Row(rank, toGroup, position, channel);
            moves.Send(to, source, blocks * block.count);
            moves.Receive(from,
                          Output(InGroup(from, position), rank, channel),
                          blocks * Block(rank, channel).count);
        }
    }

    uint64_t m_areaBytes{0};
    bool m_rowsAreWhole{false}; ///< a row lies together in the output, too
};

} // namespace

TypeId
HierarchicalAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HierarchicalAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<HierarchicalAlgorithm>();
    return tid;
}

std::string
HierarchicalAlgorithm::GetName() const
{
    return "hierarchical";
}

std::string
HierarchicalAlgorithm::Check(const CollectiveRequest& request, const RankLayout& layout) const
{
    const std::vector<std::vector<uint32_t>>& groups = layout.GetGroups();
    for (const std::vector<uint32_t>& group : groups)
    {
        if (group.size() != groups[0].size())
        {
            return "a hierarchical collective needs groups of equal size, not of " +
                   std::to_string(groups[0].size()) + " and " + std::to_string(group.size()) +
                   " ranks";
        }
    }
    switch (request.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::BARRIER:
    case CollectiveOperation::REDUCE_SCATTER:
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::ALL_TO_ALL:
        return "";
    default:
        break;
    }
    return std::string("a hierarchical collective cannot do ") + ToString(request.operation);
}

std::shared_ptr<const CollectiveProgram>
HierarchicalAlgorithm::Emit(const CollectiveRequest& request,
                            const RankLayout& layout,
                            const CollectivePlan& plan) const
{
    switch (request.operation)
    {
    case CollectiveOperation::REDUCE_SCATTER:
        return std::make_shared<HierarchicalScatterProgram>(request, layout, plan);
    case CollectiveOperation::ALL_GATHER:
        return std::make_shared<HierarchicalGatherProgram>(request, layout, plan);
    case CollectiveOperation::ALL_TO_ALL:
        return std::make_shared<HierarchicalExchangeProgram>(request, layout, plan);
    default:
        break;
    }
    return std::make_shared<HierarchicalReduceProgram>(request, layout, plan);
}

} // namespace ns3
