// SPDX-License-Identifier: GPL-2.0-only
#include "pairwise-algorithm.h"

#include "round-program.h"
#include "transfer-table.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PairwiseAlgorithm);

namespace
{

/// Each rank's copy to itself is part of the first round.
class PairwiseProgram : public RoundProgram
{
  public:
    PairwiseProgram(const CollectiveRequest& request, uint32_t ranks, const CollectivePlan& plan)
        : RoundProgram(plan.channels, plan.sliceBytes, request.typeBytes),
          m_ranks(ranks),
          m_transfers(request, ranks)
    {
    }

    uint64_t GetRounds() const override
    {
        return std::max(1U, m_ranks - 1);
    }

    void MakeMoves(uint32_t rank,
                   uint32_t channel,
                   uint64_t round,
                   RoundMoves& moves) const override;

  private:
    /// @return this channel's part of the only transfer of a pair, offsets and count in bytes
    TransferTable::Transfer Locate(uint32_t source, uint32_t destination, uint32_t channel) const;

    uint32_t m_ranks;
    TransferTable m_transfers;
};

TransferTable::Transfer
PairwiseProgram::Locate(uint32_t source, uint32_t destination, uint32_t channel) const
{
    if (m_transfers.Count(source, destination) == 0)
    {
        return {0, 0, 0};
    }
    TransferTable::Transfer whole = m_transfers.Get(source, destination, 0);
    Part part = EvenPart(whole.count, GetChannels(), channel);
    uint64_t type = GetTypeBytes();
    return {(whole.inputOffset + part.offset) * type,
            (whole.outputOffset + part.offset) * type,
            part.count * type};
}

void
PairwiseProgram::MakeMoves(uint32_t rank, uint32_t channel, uint64_t round, RoundMoves& moves) const
{
    if (round == 0)
    {
        TransferTable::Transfer own = Locate(rank, rank, channel);
        moves.CopyIn({ProgramBuffer::INPUT, own.inputOffset},
                     {ProgramBuffer::OUTPUT, own.outputOffset},
                     own.count);
    }
    if (m_ranks == 1)
    {
        return;
    }
    uint32_t i = static_cast<uint32_t>(round) + 1;
    bool powerOfTwo = (m_ranks & (m_ranks - 1)) == 0;
    uint32_t to = powerOfTwo ? rank ^ i : (rank + i) % m_ranks;
    uint32_t from = powerOfTwo ? rank ^ i : (rank + m_ranks - i) % m_ranks;
    TransferTable::Transfer out = Locate(rank, to, channel);
    TransferTable::Transfer in = Locate(from, rank, channel);
    moves.Send(to, {ProgramBuffer::INPUT, out.inputOffset}, out.count);
    moves.Receive(from, {ProgramBuffer::OUTPUT, in.outputOffset}, in.count);
}

} // namespace

TypeId
PairwiseAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PairwiseAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<PairwiseAlgorithm>();
    return tid;
}

std::string
PairwiseAlgorithm::GetName() const
{
    return "pairwise";
}

std::string
PairwiseAlgorithm::Check(const CollectiveRequest& request, const RankLayout&) const
{
    if (request.operation == CollectiveOperation::ALL_TO_ALL ||
        request.operation == CollectiveOperation::ALL_TO_ALL_V)
    {
        return "";
    }
    return std::string("pairwise exchange cannot do ") + ToString(request.operation);
}

std::shared_ptr<const CollectiveProgram>
PairwiseAlgorithm::Emit(const CollectiveRequest& request,
                        const RankLayout& layout,
                        const CollectivePlan& plan) const
{
    return std::make_shared<PairwiseProgram>(request, layout.GetSize(), plan);
}

} // namespace ns3
