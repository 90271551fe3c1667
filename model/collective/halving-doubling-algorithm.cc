// SPDX-License-Identifier: GPL-2.0-only
#include "halving-doubling-algorithm.h"

#include "block-segments.h"
#include "round-program.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HalvingDoublingAlgorithm);

namespace
{

/// Which ranks take part in halving and doubling, and for whom. A member is one that does.
class FoldedRanks
{
  public:
    explicit FoldedRanks(uint32_t ranks)
    {
        while (2 * uint64_t{m_members} <= ranks)
        {
            m_members *= 2;
            ++m_rounds;
        }
        m_folds = ranks - m_members;
    }

    /// @return number of members, a power of two
    uint32_t GetMembers() const
    {
        return m_members;
    }

    /// @return log2 of it
    uint32_t GetRounds() const
    {
        return m_rounds;
    }

    /// @return ranks that are not members
    uint32_t GetFolds() const
    {
        return m_folds;
    }

    /// @return true: it gives its input to the rank after it
    bool IsFolded(uint32_t rank) const
    {
        return rank < 2 * m_folds && rank % 2 == 0;
    }

    /// @return true: it takes part for the rank before it, too
    bool StandsForTwo(uint32_t rank) const
    {
        return rank < 2 * m_folds && rank % 2 == 1;
    }

    /// @param rank that is a member @return which one
    uint32_t MemberOf(uint32_t rank) const
    {
        return rank < 2 * m_folds ? rank / 2 : rank - m_folds;
    }

    /// @param member a member @return its rank
    uint32_t RankOf(uint32_t member) const
    {
        return member < m_folds ? 2 * member + 1 : member + m_folds;
    }

    /// @param member a member, or the number of them @return first block of those it stands for
    uint32_t FirstBlock(uint32_t member) const
    {
        return member < m_folds ? 2 * member : member + m_folds;
    }

  private:
    uint32_t m_members{1};
    uint32_t m_rounds{0};
    uint32_t m_folds{0};
};

/// Members from one up to before another one.
struct MemberRange
{
    uint32_t first;
    uint32_t last;
};

/// The base of the three: folding rounds at the beginning and at the end.
class HalvingDoublingProgram : public RoundProgram
{
  public:
    HalvingDoublingProgram(const CollectiveRequest& request,
                           uint32_t ranks,
                           const CollectivePlan& plan)
        : RoundProgram(plan.channels, plan.sliceBytes, request.typeBytes),
          m_request(request),
          m_ranks(ranks),
          m_folded(ranks)
    {
    }

    /// Adds a move of each segment of a range. @param range members @param add takes a Part, bytes
    template <typename Add>
    void ForRange(const MemberRange& range, uint32_t channel, Add add) const
    {
        auto addBytes = [&](const Part& part) {
            add(Part{part.offset * GetTypeBytes(), part.count * GetTypeBytes()});
        };
        if (m_request.operation == CollectiveOperation::ALL_REDUCE ||
            m_request.operation == CollectiveOperation::BARRIER)
        {
            // No block belongs to a rank here: a channel's share is one piece, cut by members.
            Part share = EvenPart(m_request.count, GetChannels(), channel);
            uint32_t members = m_folded.GetMembers();
            auto begin = [&](uint32_t member) {
                return member < members ? EvenPart(share.count, members, member).offset
                                        : share.count;
            };
            uint64_t first = begin(range.first);
            addBytes(Part{share.offset + first, begin(range.last) - first});
            return;
        }
        ForBlocks(m_folded.FirstBlock(range.first),
                  m_folded.FirstBlock(range.last),
                  channel,
                  addBytes);
    }

    /// Likewise, of ranks' blocks, in elements.
    template <typename Add>
    void ForBlocks(uint32_t first, uint32_t last, uint32_t channel, Add add) const
    {
        ForSegments(m_request.count, m_ranks, GetChannels(), channel, first, last, add);
    }

    /// Likewise, of one rank's block, in bytes. @param add takes a Part, and its offset in the
    /// block
    template <typename Add>
    void ForBlock(uint32_t rank, uint32_t channel, Add add) const
    {
        uint64_t begin = EvenPart(m_request.count, m_ranks, rank).offset;
        ForBlocks(rank, rank + 1, channel, [&](const Part& part) {
            add(Part{part.offset * GetTypeBytes(), part.count * GetTypeBytes()},
                (part.offset - begin) * GetTypeBytes());
        });
    }

    /// @return all members
    MemberRange All() const
    {
        return {0, m_folded.GetMembers()};
    }

    /// @return the range of a size, a power of two, that a member is in
    static MemberRange Around(uint32_t member, uint32_t size)
    {
        uint32_t first = member & ~(size - 1);
        return {first, first + size};
    }

    /// Gives the whole input to the next rank, or adds that of the rank before to the own one.
    void FoldInputs(uint32_t rank, uint32_t channel, ProgramBuffer sums, RoundMoves& moves) const;

    /// A round of recursive halving. @param round from 0 @param sums where they are
    void Halve(uint32_t rank,
               uint32_t channel,
               uint32_t round,
               ProgramBuffer sums,
               RoundMoves& moves) const;

    /// A round of recursive doubling in the outputs. @param size members that each half stands for
    void Double(uint32_t rank, uint32_t channel, uint32_t size, RoundMoves& moves) const;

    CollectiveRequest m_request;
    uint32_t m_ranks;
    FoldedRanks m_folded;
};

void
HalvingDoublingProgram::FoldInputs(uint32_t rank,
                                   uint32_t channel,
                                   ProgramBuffer sums,
                                   RoundMoves& moves) const
{
    ForRange(All(), channel, [&](const Part& part) {
        ProgramOperand input{ProgramBuffer::INPUT, part.offset};
        if (m_folded.IsFolded(rank))
        {
            moves.Send(rank + 1, input, part.count);
        }
        else if (m_folded.StandsForTwo(rank))
        {
            moves.ReceiveReduce(rank - 1, input, {sums, part.offset}, part.count);
        }
    });
}

void
HalvingDoublingProgram::Halve(uint32_t rank,
                              uint32_t channel,
                              uint32_t round,
                              ProgramBuffer sums,
                              RoundMoves& moves) const
{
    if (m_folded.IsFolded(rank))
    {
        return;
    }
    uint32_t half = m_folded.GetMembers() >> (round + 1);
    uint32_t member = m_folded.MemberOf(rank);
    uint32_t partner = m_folded.RankOf(member ^ half);
    bool fresh = round == 0 && !m_folded.StandsForTwo(rank);
    ProgramBuffer have = fresh ? ProgramBuffer::INPUT : sums;
    // The last half of reduce-scatter is the result itself where a rank stands for itself only.
    bool isResult = m_request.operation == CollectiveOperation::REDUCE_SCATTER && half == 1 &&
                    !m_folded.StandsForTwo(rank);
    ForRange(Around(member ^ half, half), channel, [&](const Part& part) {
        moves.Send(partner, {have, part.offset}, part.count);
    });
    uint64_t block = EvenPart(m_request.count, m_ranks, rank).offset * GetTypeBytes();
    ForRange(Around(member, half), channel, [&](const Part& part) {
        ProgramOperand sum{sums, part.offset};
        ProgramOperand result{ProgramBuffer::OUTPUT, part.offset - block};
        moves.ReceiveReduce(partner, {have, part.offset}, isResult ? result : sum, part.count);
    });
}

void
HalvingDoublingProgram::Double(uint32_t rank,
                               uint32_t channel,
                               uint32_t size,
                               RoundMoves& moves) const
{
    if (m_folded.IsFolded(rank))
    {
        return;
    }
    uint32_t member = m_folded.MemberOf(rank);
    uint32_t partner = m_folded.RankOf(member ^ size);
    ForRange(Around(member, size), channel, [&](const Part& part) {
        moves.Send(partner, {ProgramBuffer::OUTPUT, part.offset}, part.count);
    });
    ForRange(Around(member ^ size, size), channel, [&](const Part& part) {
        moves.Receive(partner, {ProgramBuffer::OUTPUT, part.offset}, part.count);
    });
}

/// All-reduce, sums in the outputs. Round 0 folds, the last one unfolds.
class HalvingDoublingReduceProgram : public HalvingDoublingProgram
{
  public:
    using HalvingDoublingProgram::HalvingDoublingProgram;

    uint64_t GetRounds() const override
    {
        return 2 + 2 * m_folded.GetRounds();
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override
    {
        uint32_t halvings = m_folded.GetRounds();
        uint32_t r = static_cast<uint32_t>(round);
        if (m_ranks == 1)
        {
            CopyAll(channel, round, moves);
        }
        else if (r == 0)
        {
            FoldInputs(rank, channel, ProgramBuffer::OUTPUT, moves);
        }
        else if (r <= halvings)
        {
            Halve(rank, channel, r - 1, ProgramBuffer::OUTPUT, moves);
        }
        else if (r <= 2 * halvings)
        {
            Double(rank, channel, 1U << (r - 1 - halvings), moves);
        }
        else
        {
            Unfold(rank, channel, moves);
        }
    }

  private:
    void CopyAll(uint32_t channel, uint64_t round, RoundMoves& moves) const
    {
        ForRange(All(), channel, [&](const Part& part) {
            if (round == 0 && !m_request.inPlace)
            {
                moves.CopyIn({ProgramBuffer::INPUT, part.offset},
                             {ProgramBuffer::OUTPUT, part.offset},
                             part.count);
            }
        });
    }

    void Unfold(uint32_t rank, uint32_t channel, RoundMoves& moves) const
    {
        ForRange(All(), channel, [&](const Part& part) {
            ProgramOperand output{ProgramBuffer::OUTPUT, part.offset};
            if (m_folded.IsFolded(rank))
            {
                moves.Receive(rank + 1, output, part.count);
            }
            else if (m_folded.StandsForTwo(rank))
            {
                moves.Send(rank - 1, output, part.count);
            }
        });
    }
};

/// Reduce-scatter, sums in the scratch. Round 0 folds, the last one unfolds.
class HalvingScatterProgram : public HalvingDoublingProgram
{
  public:
    using HalvingDoublingProgram::HalvingDoublingProgram;

    uint64_t GetRounds() const override
    {
        return 2 + m_folded.GetRounds();
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
        uint32_t r = static_cast<uint32_t>(round);
        if (r == 0 && m_ranks > 1)
        {
            FoldInputs(rank, channel, ProgramBuffer::SCRATCH, moves);
        }
        else if (r > 0 && r <= m_folded.GetRounds())
        {
            Halve(rank, channel, r - 1, ProgramBuffer::SCRATCH, moves);
        }
        else if (r > 0)
        {
            Unfold(rank, channel, moves);
        }
    }

  private:
    void Unfold(uint32_t rank, uint32_t channel, RoundMoves& moves) const
    {
        bool alone = m_ranks == 1 && !m_request.inPlace;
        ForBlock(rank, channel, [&](const Part& part, uint64_t inBlock) {
            ProgramOperand output{ProgramBuffer::OUTPUT, inBlock};
            if (m_folded.IsFolded(rank))
            {
                moves.Receive(rank + 1, output, part.count);
            }
            else if (m_folded.StandsForTwo(rank))
            {
                moves.CopyIn({ProgramBuffer::SCRATCH, part.offset}, output, part.count);
            }
            else if (alone)
            {
                moves.CopyIn({ProgramBuffer::INPUT, part.offset}, output, part.count);
            }
        });
        if (m_folded.StandsForTwo(rank))
        {
            ForBlock(rank - 1, channel, [&](const Part& part, uint64_t) {
                moves.Send(rank - 1, {ProgramBuffer::SCRATCH, part.offset}, part.count);
            });
        }
    }
};

/// All-gather. Round 0 puts the own block in place and folds, the last one unfolds.
class DoublingGatherProgram : public HalvingDoublingProgram
{
  public:
    using HalvingDoublingProgram::HalvingDoublingProgram;

    uint64_t GetRounds() const override
    {
        return 2 + m_folded.GetRounds();
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override
    {
        uint32_t r = static_cast<uint32_t>(round);
        if (r == 0)
        {
            Fold(rank, channel, moves);
        }
        else if (r <= m_folded.GetRounds())
        {
            Double(rank, channel, 1U << (r - 1), moves);
        }
        else
        {
            Unfold(rank, channel, moves);
        }
    }

  private:
    void Fold(uint32_t rank, uint32_t channel, RoundMoves& moves) const
    {
        ForBlock(rank, channel, [&](const Part& part, uint64_t inBlock) {
            ProgramOperand own{ProgramBuffer::INPUT, inBlock};
            if (!m_request.inPlace)
            {
                moves.CopyIn(own, {ProgramBuffer::OUTPUT, part.offset}, part.count);
            }
            if (m_folded.IsFolded(rank))
            {
                moves.Send(rank + 1, own, part.count);
            }
        });
        if (m_folded.StandsForTwo(rank))
        {
            ForBlock(rank - 1, channel, [&](const Part& part, uint64_t) {
                moves.Receive(rank - 1, {ProgramBuffer::OUTPUT, part.offset}, part.count);
            });
        }
    }

    /// All blocks but that of the folded rank go to it.
    void Unfold(uint32_t rank, uint32_t channel, RoundMoves& moves) const
    {
        bool gets = m_folded.IsFolded(rank);
        if (!gets && !m_folded.StandsForTwo(rank))
        {
            return;
        }
        uint32_t folded = gets ? rank : rank - 1;
        auto add = [&](const Part& part) {
            ProgramOperand output{ProgramBuffer::OUTPUT, part.offset * GetTypeBytes()};
            if (gets)
            {
                moves.Receive(rank + 1, output, part.count * GetTypeBytes());
            }
            else
            {
                moves.Send(folded, output, part.count * GetTypeBytes());
            }
        };
        ForBlocks(0, folded, channel, add);
        ForBlocks(folded + 1, m_ranks, channel, add);
    }
};

} // namespace

TypeId
HalvingDoublingAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HalvingDoublingAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<HalvingDoublingAlgorithm>();
    return tid;
}

std::string
HalvingDoublingAlgorithm::GetName() const
{
    return "halving-doubling";
}

std::string
HalvingDoublingAlgorithm::Check(const CollectiveRequest& request, const RankLayout&) const
{
    switch (request.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::BARRIER:
    case CollectiveOperation::REDUCE_SCATTER:
    case CollectiveOperation::ALL_GATHER:
        return "";
    default:
        break;
    }
    return std::string("halving and doubling cannot do ") + ToString(request.operation);
}

std::shared_ptr<const CollectiveProgram>
HalvingDoublingAlgorithm::Emit(const CollectiveRequest& request,
                               const RankLayout& layout,
                               const CollectivePlan& plan) const
{
    uint32_t ranks = layout.GetSize();
    switch (request.operation)
    {
    case CollectiveOperation::REDUCE_SCATTER:
        return std::make_shared<HalvingScatterProgram>(request, ranks, plan);
    case CollectiveOperation::ALL_GATHER:
        return std::make_shared<DoublingGatherProgram>(request, ranks, plan);
    default:
        break;
    }
    return std::make_shared<HalvingDoublingReduceProgram>(request, ranks, plan);
}

} // namespace ns3
