// SPDX-License-Identifier: GPL-2.0-only
#include "direct-algorithm.h"

#include "buffer-layout.h"
#include "data-division.h"
#include "peer-schedule.h"
#include "transfer-table.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DirectAlgorithm);

namespace
{

/// Transfers that a channel of NCCL works on at once (NCCL_MAX_DEV_WORK_P2P_PER_BATCH, device.h).
constexpr uint32_t TRANSFERS_AT_ONCE = 8;

/// A part of a transfer is a multiple of it (ncclP2pPartBounds, device.h).
constexpr uint64_t PART_ALIGNMENT = 4096;

/// Into how many parts a transfer is cut, as addP2pToPlan() of NCCL's enqueue.cc.
class PartRule
{
  public:
    PartRule(uint32_t most, uint32_t workChannels, const RankLayout& layout, uint64_t chunkBytes)
        : m_least(most),
          m_most(most)
    {
        while (m_least > 1 && uint64_t{m_least} * layout.GetSize() > workChannels)
        {
            m_least /= 2;
        }
        bool several = layout.GetGroups().size() > 1;
        m_leastBytes = std::max<uint64_t>(1, several ? chunkBytes / 2 : chunkBytes / 8);
        m_mostBytes = several ? chunkBytes : 32 * chunkBytes;
    }

    /// @param bytes of a transfer @return its parts, at least 1
    uint32_t Count(uint64_t bytes) const
    {
        uint64_t parts =
            std::max<uint64_t>(1, std::min<uint64_t>(m_least, DivideUp(bytes, m_leastBytes)));
        while (std::max(m_leastBytes, DivideUp(bytes, parts)) > m_mostBytes && parts <= m_most / 2)
        {
            parts *= 2;
        }
        return static_cast<uint32_t>(parts);
    }

  private:
    uint32_t m_least;
    uint32_t m_most;
    uint64_t m_leastBytes;
    uint64_t m_mostBytes;
};

/**
 * Who works on what: channels, their slots, and the rounds of each slot.
 *
 * Bundles of rounds are dealt out over columns of channels; each column has a channel for every
 * part. Part p of the i-th bundle of a column is on its channel (p + i) modulo parts, so that
 * transfers of few parts use all channels too.
 */
class SlotPlan
{
  public:
    SlotPlan(uint32_t ranks, uint32_t bundle, uint32_t parts, uint32_t workChannels)
        : m_ranks(ranks),
          m_bundle(bundle),
          m_parts(parts)
    {
        uint32_t bundles = static_cast<uint32_t>(DivideUp(ranks, bundle));
        m_columns = std::clamp(workChannels / parts, 1U, bundles);
        m_layers = std::min(TRANSFERS_AT_ONCE / bundle,
                            static_cast<uint32_t>(DivideUp(bundles, m_columns)));
    }

    uint32_t GetChannels() const
    {
        return m_columns * m_parts;
    }

    uint32_t GetSlots() const
    {
        return m_bundle * m_layers;
    }

    /// @return rounds that a channel works on at once, in slots that follow each other
    uint32_t GetBundle() const
    {
        return m_bundle;
    }

    /**
     * @param channel a channel
     * @param slot one of its slots
     * @param index counts what the slot works on, from 0
     * @param round receives the round
     * @param part receives the part of the round's transfer
     * @return false: there is no such round
     */
    bool Find(uint32_t channel,
              uint32_t slot,
              uint32_t index,
              uint32_t& round,
              uint32_t& part) const
    {
        uint32_t inColumn = slot / m_bundle + m_layers * index;
        uint32_t bundle = channel % m_columns + m_columns * inColumn;
        round = bundle * m_bundle + slot % m_bundle;
        part = (channel / m_columns + m_parts - inColumn % m_parts) % m_parts;
        return round < m_ranks;
    }

  private:
    uint32_t m_ranks;
    uint32_t m_bundle;
    uint32_t m_parts;
    uint32_t m_columns;
    uint32_t m_layers;
};

/// @return rounds that NCCL puts on one channel before it turns to the next (channel.h)
uint32_t
BundleOf(const RankLayout& layout)
{
    return layout.GetGroups().size() > 1 ? std::min(layout.GetLargestGroup(), TRANSFERS_AT_ONCE)
                                         : 1;
}

/// What moves blocks. Each slot of a channel has a thread that sends and one that receives.
class DirectExchangeProgram : public CollectiveProgram
{
  public:
    DirectExchangeProgram(const CollectiveRequest& request,
                          const RankLayout& layout,
                          const CollectivePlan& plan,
                          uint32_t workChannels)
        : m_kind(request.operation == CollectiveOperation::SEND_RECEIVE ||
                         request.operation == CollectiveOperation::POINT_TO_POINT
                     ? ProgramKind::SEND_RECEIVE
                     : ProgramKind::EXCHANGE),
          m_typeBytes(request.typeBytes),
          m_chunkCount(GetMessageCount(plan, plan.sliceBytes, request.typeBytes)),
          m_networkChunkCount(
              GetMessageCount(plan,
                              plan.networkSliceBytes > 0 ? plan.networkSliceBytes : plan.sliceBytes,
                              request.typeBytes)),
          m_transfers(request, layout.GetSize()),
          m_schedule(layout),
          m_parts(plan.channels, workChannels, layout, plan.chunkBytes),
          m_slots(layout.GetSize(),
                  BundleOf(layout),
                  m_parts.Count(m_transfers.GetLongest() * request.typeBytes),
                  workChannels)
    {
        for (uint32_t rank = 0; rank < layout.GetSize(); ++rank)
        {
            m_groupOf.push_back(layout.GetGroup(rank));
        }
    }

    ProgramKind GetKind() const override
    {
        return m_kind;
    }

    uint32_t GetChannels() const override
    {
        return m_slots.GetChannels();
    }

    uint32_t GetThreads(uint32_t) const override
    {
        return 2 * m_slots.GetSlots() * m_slots.GetChannels();
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

    const TransferTable& GetTransfers() const
    {
        return m_transfers;
    }

    const PeerSchedule& GetSchedule() const
    {
        return m_schedule;
    }

    const SlotPlan& GetSlots() const
    {
        return m_slots;
    }

    uint32_t GetTypeBytes() const
    {
        return m_typeBytes;
    }

    /// @return most elements of a message from a rank to another
    uint64_t GetChunkCount(uint32_t source, uint32_t destination) const
    {
        return AreTogether(source, destination) ? m_chunkCount : m_networkChunkCount;
    }

    /// @return whether they are of one group
    bool AreTogether(uint32_t rank, uint32_t other) const
    {
        return m_groupOf[rank] == m_groupOf[other];
    }

    /// @return messages that carry a part of what goes from a rank to another
    uint64_t CountMessages(uint32_t source, uint32_t destination, uint32_t part) const
    {
        uint64_t messages = 0;
        for (uint32_t t = 0; t < m_transfers.Count(source, destination); ++t)
        {
            uint64_t count = m_transfers.Get(source, destination, t).count;
            messages += DivideUp(Locate(count, part).count, GetChunkCount(source, destination));
        }
        return messages;
    }

    /// @return a part of a transfer, in elements of it
    Part Locate(uint64_t count, uint32_t part) const
    {
        uint64_t unit = std::max<uint64_t>(1, PART_ALIGNMENT / m_typeBytes);
        uint64_t perPart =
            DivideUp(DivideUp(count, m_parts.Count(count * m_typeBytes)), unit) * unit;
        uint64_t begin = std::min(part * perPart, count);
        return {begin, std::min(perPart, count - begin)};
    }

  private:
    static uint64_t GetMessageCount(const CollectivePlan& plan, uint64_t slice, uint32_t typeBytes)
    {
        return std::max<uint64_t>(1, std::min(plan.chunkBytes, slice) / typeBytes);
    }

    ProgramKind m_kind;
    uint32_t m_typeBytes;
    uint64_t m_chunkCount;        ///< elements of a message within a group
    uint64_t m_networkChunkCount; ///< likewise between groups
    TransferTable m_transfers;
    PeerSchedule m_schedule;
    PartRule m_parts;
    SlotPlan m_slots;
    std::vector<uint32_t> m_groupOf; ///< by rank
};

/// The steps of one of the two threads of a slot.
class DirectExchangeSteps : public StepSource
{
  public:
    DirectExchangeSteps(const DirectExchangeProgram& program, uint32_t rank, uint32_t thread)
        : m_program(program),
          m_rank(rank),
          m_receives(thread % 2 == 1),
          m_slot(thread / 2 % program.GetSlots().GetSlots()),
          m_channel(thread / 2 / program.GetSlots().GetSlots())
    {
    }

    bool Next(ProgramStep& step) override;

  private:
    bool FindChunk();
    bool FindTransfer();
    bool FindRound();
    void FindBatches(uint32_t round);
    MessageBatch NextBatch();

    const DirectExchangeProgram& m_program;
    uint32_t m_rank;
    bool m_receives;
    uint32_t m_slot;
    uint32_t m_channel;
    uint32_t m_rounds{0}; ///< entered so far
    uint32_t m_part{0};   ///< of the round's transfers
    uint32_t m_source{0};
    uint32_t m_destination{0};
    uint32_t m_transfers{0}; ///< of this round
    uint32_t m_transfer{0};  ///< the next of them
    TransferTable::Transfer m_piece{0, 0, 0};
    uint64_t m_done{0};                 ///< elements of the piece
    uint64_t m_firstBatch{0};           ///< number of the first batch of the round
    uint64_t m_messages{0};             ///< of the round, so far
    std::vector<uint64_t> m_companions; ///< messages of those whose messages travel along
};

bool
DirectExchangeSteps::FindRound()
{
    uint32_t round = 0;
    if (!m_program.GetSlots().Find(m_channel, m_slot, m_rounds, round, m_part))
    {
        return false;
    }
    ++m_rounds;
    const PeerSchedule& schedule = m_program.GetSchedule();
    m_source = m_receives ? schedule.GetSource(m_rank, round) : m_rank;
    m_destination = m_receives ? m_rank : schedule.GetDestination(m_rank, round);
    // The thread that sends does the copy to oneself.
    bool none = m_receives && m_source == m_rank;
    m_transfers = none ? 0 : m_program.GetTransfers().Count(m_source, m_destination);
    m_transfer = 0;
    FindBatches(round);
    return true;
}

/// Whoever sends to the same rank from the same group in rounds that are worked on at once.
void
DirectExchangeSteps::FindBatches(uint32_t round)
{
    m_companions.clear();
    m_messages = 0;
    if (m_program.AreTogether(m_source, m_destination))
    {
        return;
    }
    const PeerSchedule& schedule = m_program.GetSchedule();
    const uint32_t bundle = m_program.GetSlots().GetBundle();
    const uint32_t first = round / bundle * bundle;
    m_firstBatch = uint64_t{first} << 32;
    for (uint32_t r = first; r < std::min(first + bundle, schedule.GetSize()); ++r)
    {
        uint32_t source = schedule.GetSource(m_destination, r);
        if (m_program.AreTogether(source, m_source))
        {
            m_companions.push_back(m_program.CountMessages(source, m_destination, m_part));
        }
    }
}

MessageBatch
DirectExchangeSteps::NextBatch()
{
    MessageBatch batch;
    batch.messages = static_cast<uint32_t>(
        std::count_if(m_companions.begin(), m_companions.end(), [this](uint64_t messages) {
            return messages > m_messages;
        }));
    batch.number = m_firstBatch + m_messages++;
    return batch;
}

bool
DirectExchangeSteps::FindTransfer()
{
    while (m_transfer == m_transfers)
    {
        if (!FindRound())
        {
            return false;
        }
    }
    m_piece = m_program.GetTransfers().Get(m_source, m_destination, m_transfer++);
    Part part = m_program.Locate(m_piece.count, m_part);
    if (m_source == m_destination && m_program.GetTransfers().IsInPlace(m_rank, m_piece))
    {
        part.count = 0;
    }
    m_piece = {m_piece.inputOffset + part.offset, m_piece.outputOffset + part.offset, part.count};
    m_done = 0;
    return true;
}

bool
DirectExchangeSteps::FindChunk()
{
    while (m_done == m_piece.count)
    {
        if (!FindTransfer())
        {
            return false;
        }
    }
    return true;
}

bool
DirectExchangeSteps::Next(ProgramStep& step)
{
    if (!FindChunk())
    {
        return false;
    }
    uint64_t type = m_program.GetTypeBytes();
    uint64_t count =
        std::min(m_program.GetChunkCount(m_source, m_destination), m_piece.count - m_done);
    ProgramOperand input{ProgramBuffer::INPUT, (m_piece.inputOffset + m_done) * type};
    ProgramOperand output{ProgramBuffer::OUTPUT, (m_piece.outputOffset + m_done) * type};
    step = ProgramStep();
    step.bytes = count * type;
    m_done += count;
    if (m_source == m_destination)
    {
        step.source = input;
        step.destination = output;
    }
    else if (m_receives)
    {
        step.receive = {MessageWay::PEER, m_source, m_channel, NextBatch()};
        step.destination = output;
    }
    else
    {
        step.source = input;
        step.send = {MessageWay::PEER, m_destination, m_channel, NextBatch()};
    }
    return true;
}

std::unique_ptr<StepSource>
DirectExchangeProgram::Open(uint32_t rank, uint32_t thread) const
{
    return std::make_unique<DirectExchangeSteps>(*this, rank, thread);
}

/// What adds, in one shot. A channel has a thread that sends and one that receives and adds.
class DirectReduceProgram : public CollectiveProgram
{
  public:
    DirectReduceProgram(const CollectiveRequest& request,
                        const RankLayout& layout,
                        const CollectivePlan& plan)
        : m_request(request),
          m_channels(plan.channels),
          m_schedule(layout)
    {
        uint64_t chunkCount = std::min(plan.chunkBytes, plan.sliceBytes) / request.typeBytes;
        // All blocks are cut into as many chunks as the longest one, so that all ranks agree.
        uint64_t longest = GetInputBlock(request, layout.GetSize(), 0, request.root).count;
        longest = std::max(longest, GetInputBlock(request, layout.GetSize(), 0, 0).count);
        m_chunks = DivideUp(DivideUp(longest, m_channels), std::max<uint64_t>(1, chunkCount));
    }

    uint32_t GetChannels() const override
    {
        return m_channels;
    }

    uint32_t GetThreads(uint32_t) const override
    {
        return 2 * m_channels;
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

    const CollectiveRequest& GetRequest() const
    {
        return m_request;
    }

    const PeerSchedule& GetSchedule() const
    {
        return m_schedule;
    }

    uint64_t GetChunks() const
    {
        return m_chunks;
    }

    /// @return a chunk of what goes to a rank: of the input of whoever sends it, elements
    Part Locate(uint32_t destination, uint32_t channel, uint64_t chunk) const
    {
        Part block = GetInputBlock(m_request, m_schedule.GetSize(), destination, destination);
        Part share = EvenPart(block.count, m_channels, channel);
        Part part = EvenPart(share.count, m_chunks, chunk);
        return {block.offset + share.offset + part.offset, part.count};
    }

  private:
    CollectiveRequest m_request;
    uint32_t m_channels;
    PeerSchedule m_schedule;
    uint64_t m_chunks;
};

/// The steps of one of its threads: chunk by chunk, and of each chunk peer by peer.
class DirectReduceSteps : public StepSource
{
  public:
    DirectReduceSteps(const DirectReduceProgram& program, uint32_t rank, uint32_t thread)
        : m_program(program),
          m_rank(rank),
          m_ranks(program.GetSchedule().GetSize()),
          m_receives(thread % 2 == 1),
          m_channel(thread / 2)
    {
    }

    bool Next(ProgramStep& step) override;

  private:
    bool MakeStep(ProgramStep& step);
    void MakeReceive(const Part& part, ProgramStep& step) const;

    const DirectReduceProgram& m_program;
    uint32_t m_rank;
    uint32_t m_ranks;
    bool m_receives;
    uint32_t m_channel;
    uint64_t m_chunk{0};
    uint32_t m_round{0};
    uint64_t m_sends{0}; ///< steps of the thread that sends, up to this chunk
    bool m_counted{false};
};

bool
DirectReduceSteps::Next(ProgramStep& step)
{
    while (m_chunk < m_program.GetChunks())
    {
        // One rank alone has only round 0: its copy.
        if (++m_round >= std::max(m_ranks, 2U))
        {
            m_round = 0;
            m_counted = false;
            ++m_chunk;
        }
        else if (MakeStep(step))
        {
            return true;
        }
    }
    return false;
}

bool
DirectReduceSteps::MakeStep(ProgramStep& step)
{
    const CollectiveRequest& request = m_program.GetRequest();
    const PeerSchedule& schedule = m_program.GetSchedule();
    uint64_t type = request.typeBytes;
    step = ProgramStep();
    if (m_receives)
    {
        Part part = m_program.Locate(m_rank, m_channel, m_chunk);
        MakeReceive(part, step);
        if (request.inPlace && m_ranks > 1 && !m_counted && !HasRoot(request.operation) &&
            request.operation != CollectiveOperation::REDUCE_SCATTER)
        {
            // What this overwrites must have been sent to all.
            m_sends += part.count > 0 ? m_ranks - 1 : 0;
            if (m_sends > 0)
            {
                step.after = {2 * m_channel, m_sends - 1};
            }
            m_counted = true;
        }
        return part.count > 0 && !(m_ranks == 1 && request.inPlace);
    }
    if (m_ranks == 1)
    {
        return false;
    }
    uint32_t destination = schedule.GetDestination(m_rank, m_round);
    Part part = m_program.Locate(destination, m_channel, m_chunk);
    step.source = {ProgramBuffer::INPUT, part.offset * type};
    step.send = {MessageWay::PEER, destination, m_channel};
    step.bytes = part.count * type;
    return part.count > 0;
}

void
DirectReduceSteps::MakeReceive(const Part& part, ProgramStep& step) const
{
    const CollectiveRequest& request = m_program.GetRequest();
    uint64_t type = request.typeBytes;
    uint64_t block = GetInputBlock(request, m_ranks, m_rank, m_rank).offset;
    step.destination = {ProgramBuffer::OUTPUT, (part.offset - block) * type};
    step.bytes = part.count * type;
    if (m_round == 1)
    {
        step.source = {ProgramBuffer::INPUT, part.offset * type};
    }
    else
    {
        step.accumulates = true;
    }
    if (m_ranks > 1)
    {
        uint32_t source = m_program.GetSchedule().GetSource(m_rank, m_round);
        step.receive = {MessageWay::PEER, source, m_channel};
    }
}

std::unique_ptr<StepSource>
DirectReduceProgram::Open(uint32_t rank, uint32_t thread) const
{
    return std::make_unique<DirectReduceSteps>(*this, rank, thread);
}

} // namespace

TypeId
DirectAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DirectAlgorithm")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("AiFabric")
            .AddConstructor<DirectAlgorithm>()
            .AddAttribute("PointToPointChannels",
                          "Channels that transfers are dealt out over, each working on 8 at once: "
                          "NCCL's p2p channels. Channels is how many of them one transfer may use; "
                          "where that is more, it counts.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&DirectAlgorithm::m_workChannels),
                          MakeUintegerChecker<uint32_t>(1, 1024));
    return tid;
}

std::string
DirectAlgorithm::GetName() const
{
    return "direct";
}

std::string
DirectAlgorithm::Check(const CollectiveRequest&, const RankLayout&) const
{
    return ""; // whatever moves from somewhere to somewhere can go straight there
}

std::shared_ptr<const CollectiveProgram>
DirectAlgorithm::Emit(const CollectiveRequest& request,
                      const RankLayout& layout,
                      const CollectivePlan& plan) const
{
    if (TransferTable::Holds(request))
    {
        uint32_t work = plan.workChannels > 0 ? plan.workChannels : m_workChannels;
        return std::make_shared<DirectExchangeProgram>(request,
                                                       layout,
                                                       plan,
                                                       std::max(work, plan.channels));
    }
    return std::make_shared<DirectReduceProgram>(request, layout, plan);
}

} // namespace ns3
