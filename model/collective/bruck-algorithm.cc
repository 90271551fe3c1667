// SPDX-License-Identifier: GPL-2.0-only
#include "bruck-algorithm.h"

#include "block-segments.h"
#include "buffer-layout.h"
#include "round-program.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(BruckAlgorithm);

namespace
{

/// @param n ranks @return the smallest k with 2^k >= n
uint32_t
BruckRounds(uint32_t n)
{
    uint32_t k = 0;
    while ((uint64_t{1} << k) < n)
    {
        ++k;
    }
    return k;
}

/// Round 0 puts each rank's own block in place, round k + 1 is Bruck's round k.
class BruckGatherProgram : public RoundProgram
{
  public:
    BruckGatherProgram(const CollectiveRequest& request, uint32_t ranks, const CollectivePlan& plan)
        : RoundProgram(plan.channels, plan.sliceBytes, request.typeBytes),
          m_ranks(ranks),
          m_request(request)
    {
    }

    uint64_t GetRounds() const override
    {
        return 1 + BruckRounds(m_ranks);
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override;

  private:
    /// Visits this channel's segments of so many blocks, which may go round the end.
    template <typename Visit>
    void ForBlocks(uint32_t channel, uint32_t first, uint32_t blocks, Visit visit) const
    {
        uint32_t last = std::min(first + blocks, m_ranks);
        ForSegments(m_request.count, m_ranks, GetChannels(), channel, first, last, visit);
        if (first + blocks > m_ranks)
        {
            uint32_t rest = first + blocks - m_ranks;
            ForSegments(m_request.count, m_ranks, GetChannels(), channel, 0, rest, visit);
        }
    }

    uint32_t m_ranks;
    CollectiveRequest m_request;
};

void
BruckGatherProgram::MakeMoves(uint32_t rank,
                              uint32_t channel,
                              uint64_t round,
                              RoundMoves& moves) const
{
    uint64_t type = GetTypeBytes();
    if (round == 0)
    {
        if (!m_request.inPlace)
        {
            uint64_t own = EvenPart(m_request.count, m_ranks, rank).offset;
            ForSegments(m_request.count,
                        m_ranks,
                        GetChannels(),
                        channel,
                        rank,
                        rank + 1,
                        [&](const Part& part) {
                            moves.CopyIn({ProgramBuffer::INPUT, (part.offset - own) * type},
                                         {ProgramBuffer::OUTPUT, part.offset * type},
                                         part.count * type);
                        });
        }
        return;
    }
    uint32_t have = 1U << (round - 1);
    uint32_t blocks = std::min(have, m_ranks - have);
    uint32_t to = (rank + m_ranks - have) % m_ranks;
    uint32_t from = (rank + have) % m_ranks;
    ForBlocks(channel, rank, blocks, [&](const Part& part) {
        moves.Send(to, {ProgramBuffer::OUTPUT, part.offset * type}, part.count * type);
    });
    ForBlocks(channel, from, blocks, [&](const Part& part) {
        moves.Receive(from, {ProgramBuffer::OUTPUT, part.offset * type}, part.count * type);
    });
}

/**
 * All-to-all. The scratch of a channel is one area to pack in and one to receive in for each round;
 * a block stays where its last round has put it until it is packed again.
 */
class BruckExchangeProgram : public RoundProgram
{
  public:
    BruckExchangeProgram(const CollectiveRequest& request,
                         uint32_t ranks,
                         const CollectivePlan& plan)
        : RoundProgram(plan.channels, plan.sliceBytes, request.typeBytes),
          m_ranks(ranks),
          m_request(request),
          m_areaBytes(uint64_t{(ranks + 1) / 2} * Share(0, 0).count * request.typeBytes)
    {
    }

    uint64_t GetRounds() const override
    {
        return std::max(1U, BruckRounds(m_ranks));
    }

    uint64_t GetScratchBytes(uint32_t) const override
    {
        return m_ranks == 1 ? 0 : GetChannels() * (1 + GetRounds()) * m_areaBytes;
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override;

  private:
    /// @return a channel's share of each block that ends at a rank, as a part of the block
    Part Share(uint32_t destination, uint32_t channel) const
    {
        return EvenPart(EvenPart(m_request.count, m_ranks, destination).count,
                        GetChannels(),
                        channel);
    }

    /// @return where a rank's block for another one begins in its input, bytes
    uint64_t InputOffset(uint32_t destination, uint32_t channel) const
    {
        return (EvenPart(m_request.count, m_ranks, destination).offset +
                Share(destination, channel).offset) *
               GetTypeBytes();
    }

    /// @return where a rank's output has the block of another one, bytes
    uint64_t OutputOffset(uint32_t source, uint32_t rank, uint32_t channel) const
    {
        return (GetOutputBlock(m_request, m_ranks, source, rank).offset +
                Share(rank, channel).offset) *
               GetTypeBytes();
    }

    /// @return bytes of the block that is at @p sender in @p round and has still @p way to go
    uint64_t BlockBytes(uint32_t sender, uint32_t way, uint32_t round, uint32_t channel) const
    {
        uint32_t left = way & ~((1U << round) - 1);
        return Share((sender + left) % m_ranks, channel).count * GetTypeBytes();
    }

    /// @return bytes of a round's message before the block with @p way
    uint64_t PackedOffset(uint32_t sender, uint32_t way, uint32_t round, uint32_t channel) const;

    /// @return where a rank has the block with @p way before a round
    ProgramOperand Find(uint32_t rank, uint32_t way, uint32_t round, uint32_t channel) const;

    /// @param area 0 to pack in, 1 + round to receive in @return its place
    ProgramOperand Area(uint32_t channel, uint64_t area) const
    {
        return {ProgramBuffer::SCRATCH, (channel * (1 + GetRounds()) + area) * m_areaBytes};
    }

    uint32_t m_ranks;
    CollectiveRequest m_request;
    uint64_t m_areaBytes;
};

uint64_t
BruckExchangeProgram::PackedOffset(uint32_t sender,
                                   uint32_t way,
                                   uint32_t round,
                                   uint32_t channel) const
{
    uint32_t bit = 1U << round;
    if (m_request.count % m_ranks == 0)
    {
        // Blocks are of one size: count the ways below that have the bit.
        uint64_t before = uint64_t{way >> (round + 1)} * bit + (way & (bit - 1));
        return before * Share(0, channel).count * GetTypeBytes();
    }
    uint64_t bytes = 0;
    for (uint32_t other = bit; other < way; ++other)
    {
        bytes += (other & bit) != 0 ? BlockBytes(sender, other, round, channel) : 0;
    }
    return bytes;
}

ProgramOperand
BruckExchangeProgram::Find(uint32_t rank, uint32_t way, uint32_t round, uint32_t channel) const
{
    uint32_t gone = way & ((1U << round) - 1);
    if (gone == 0)
    {
        return {ProgramBuffer::INPUT, InputOffset((rank + way) % m_ranks, channel)};
    }
    uint32_t last = BruckRounds(gone + 1) - 1; // the highest bit of it
    uint32_t sender = (rank + m_ranks - (1U << last)) % m_ranks;
    return Advance(Area(channel, 1 + last), PackedOffset(sender, way, last, channel));
}

void
BruckExchangeProgram::MakeMoves(uint32_t rank,
                                uint32_t channel,
                                uint64_t round,
                                RoundMoves& moves) const
{
    if (round == 0)
    {
        moves.CopyIn({ProgramBuffer::INPUT, InputOffset(rank, channel)},
                     {ProgramBuffer::OUTPUT, OutputOffset(rank, rank, channel)},
                     Share(rank, channel).count * GetTypeBytes());
    }
    if (m_ranks == 1)
    {
        return;
    }
    uint32_t k = static_cast<uint32_t>(round);
    uint32_t bit = 1U << k;
    uint32_t to = (rank + bit) % m_ranks;
    uint32_t from = (rank + m_ranks - bit) % m_ranks;
    uint64_t packed = 0;
    uint64_t arriving = 0;
    for (uint32_t way = bit; way < m_ranks; ++way)
    {
        if ((way & bit) != 0)
        {
            uint64_t bytes = BlockBytes(rank, way, k, channel);
            moves.CopyOut(Find(rank, way, k, channel), Advance(Area(channel, 0), packed), bytes);
            packed += bytes;
            arriving += BlockBytes(from, way, k, channel);
        }
    }
    moves.Send(to, Area(channel, 0), packed);
    moves.Receive(from, Area(channel, 1 + k), arriving);
    uint32_t arrivedBelow = std::min(2 * bit, m_ranks);
    for (uint32_t way = bit; way < arrivedBelow; ++way)
    {
        uint32_t source = (rank + m_ranks - way) % m_ranks;
        moves.CopyIn(Advance(Area(channel, 1 + k), PackedOffset(from, way, k, channel)),
                     {ProgramBuffer::OUTPUT, OutputOffset(source, rank, channel)},
                     Share(rank, channel).count * GetTypeBytes());
    }
}

} // namespace

TypeId
BruckAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::BruckAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<BruckAlgorithm>();
    return tid;
}

std::string
BruckAlgorithm::GetName() const
{
    return "bruck";
}

std::string
BruckAlgorithm::Check(const CollectiveRequest& request, const RankLayout&) const
{
    if (request.operation == CollectiveOperation::ALL_GATHER ||
        request.operation == CollectiveOperation::ALL_TO_ALL)
    {
        return "";
    }
    return std::string("Bruck's algorithm cannot do ") + ToString(request.operation);
}

std::shared_ptr<const CollectiveProgram>
BruckAlgorithm::Emit(const CollectiveRequest& request,
                     const RankLayout& layout,
                     const CollectivePlan& plan) const
{
    if (request.operation == CollectiveOperation::ALL_GATHER)
    {
        return std::make_shared<BruckGatherProgram>(request, layout.GetSize(), plan);
    }
    return std::make_shared<BruckExchangeProgram>(request, layout.GetSize(), plan);
}

} // namespace ns3
