// SPDX-License-Identifier: GPL-2.0-only
#include "pat-algorithm.h"

#include "data-division.h"
#include "local-copy-program.h"
#include "pat-schedule.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PatAlgorithm);

namespace
{

using Operation = CollectiveOperation;

/// A place of one block, as all ranks call it.
struct PatPlace
{
    enum Kind : uint8_t
    {
        NONE,
        INPUT,
        OUTPUT,
        SLOT,         ///< a sum that has been begun
        SEND_AREA,    ///< a message to be sent
        RECEIVE_AREA, ///< a message that has come
    };

    Kind kind{NONE};
    uint32_t slot{0};
};

/// A step, as all ranks call it.
struct PatStep
{
    static constexpr uint64_t NOTHING = UINT64_MAX;

    std::vector<uint32_t> blocks; ///< what it is about; several where they are a message
    PatPlace source;
    PatPlace destination;
    bool accumulates{false};
    uint32_t receiveDistance{0}; ///< 0: no message
    uint32_t sendDistance{0};
    uint64_t after{NOTHING}; ///< step of the other thread in this loop...
    bool loopBefore{false};  ///< ... or in the one before
    bool opensArea{false};   ///< begins a message that is put together or taken apart
};

/// The steps of a loop.
struct PatLoop
{
    std::vector<PatStep> send;
    std::vector<PatStep> receive;
    uint32_t slots{0};
    uint32_t widestMessage{0}; ///< blocks
};

std::vector<uint32_t>
ShiftBlocks(const std::vector<uint32_t>& blocks, uint32_t distance)
{
    std::vector<uint32_t> shifted = blocks;
    for (uint32_t& block : shifted)
    {
        block += distance;
    }
    return shifted;
}

/// Makes the steps of an all-gather: a block is kept in the output until it has been sent.
class PatGatherMaker
{
  public:
    PatGatherMaker(uint32_t ranks, const PatWidth& width, bool inPlace)
        : m_received(ranks, PatStep::NOTHING)
    {
        if (!inPlace)
        {
            PatStep copy;
            copy.blocks = {0};
            copy.source.kind = PatPlace::INPUT;
            copy.destination.kind = PatPlace::OUTPUT;
            m_loop.receive.push_back(copy);
        }
        for (const PatMessage& message : OrderByHops(MakePatMessages(ranks, width), ranks))
        {
            m_loop.widestMessage =
                std::max(m_loop.widestMessage, static_cast<uint32_t>(message.blocks.size()));
            Send(message);
            Receive(message);
        }
    }

    PatLoop Take()
    {
        return std::move(m_loop);
    }

  private:
    /// The output keeps all blocks, so first go messages that wait for the fewest others.
    static std::vector<PatMessage> OrderByHops(const std::vector<PatMessage>& messages,
                                               uint32_t ranks)
    {
        std::vector<size_t> hops(ranks, 0); // messages in a row by which a block has come
        std::vector<std::vector<PatMessage>> byHops;
        for (const PatMessage& message : messages)
        {
            size_t most = 0;
            for (uint32_t block : message.blocks)
            {
                most = std::max(most, hops[block]);
            }
            for (uint32_t block : message.blocks)
            {
                hops[block + message.distance] = most + 1;
            }
            byHops.resize(std::max(byHops.size(), most + 1));
            byHops[most].push_back(message);
        }
        std::vector<PatMessage> ordered;
        for (const std::vector<PatMessage>& group : byHops)
        {
            ordered.insert(ordered.end(), group.begin(), group.end());
        }
        return ordered;
    }

    void Send(const PatMessage& message)
    {
        PatStep whole;
        whole.blocks = message.blocks;
        whole.sendDistance = message.distance;
        uint64_t after = PatStep::NOTHING;
        for (uint32_t block : message.blocks)
        {
            if (block > 0 && (after == PatStep::NOTHING || m_received[block] > after))
            {
                after = m_received[block];
            }
        }
        if (message.blocks.size() == 1)
        {
            whole.source = PlaceOf(message.blocks[0]);
            whole.after = after;
            m_loop.send.push_back(whole);
            return;
        }
        for (uint32_t block : message.blocks)
        {
            PatStep pack;
            pack.blocks = {block};
            pack.source = PlaceOf(block);
            pack.destination.kind = PatPlace::SEND_AREA;
            pack.after = after;
            pack.opensArea = block == message.blocks.front();
            m_loop.send.push_back(pack);
            after = PatStep::NOTHING;
        }
        whole.source.kind = PatPlace::SEND_AREA;
        m_loop.send.push_back(whole);
    }

    void Receive(const PatMessage& message)
    {
        PatStep whole;
        whole.blocks = ShiftBlocks(message.blocks, message.distance);
        whole.receiveDistance = message.distance;
        bool alone = message.blocks.size() == 1;
        whole.destination.kind = alone ? PatPlace::OUTPUT : PatPlace::RECEIVE_AREA;
        m_loop.receive.push_back(whole);
        for (uint32_t block : whole.blocks)
        {
            if (!alone)
            {
                PatStep unpack;
                unpack.blocks = {block};
                unpack.source.kind = PatPlace::RECEIVE_AREA;
                unpack.destination.kind = PatPlace::OUTPUT;
                unpack.opensArea = block == whole.blocks.front();
                m_loop.receive.push_back(unpack);
            }
            m_received[block] = m_loop.receive.size() - 1;
        }
    }

    static PatPlace PlaceOf(uint32_t block)
    {
        return {block == 0 ? PatPlace::INPUT : PatPlace::OUTPUT, 0};
    }

    PatLoop m_loop;
    std::vector<uint64_t> m_received; ///< step after which a block is in the output
};

/// Makes the steps of a reduce-scatter: the all-gather backwards; a sum is kept in a slot.
class PatScatterMaker
{
  public:
    PatScatterMaker(uint32_t ranks, const PatWidth& width, bool inPlace)
        : m_inPlace(inPlace),
          m_sums(ranks)
    {
        std::vector<PatMessage> messages = MakePatMessages(ranks, width);
        std::reverse(messages.begin(), messages.end());
        for (const PatMessage& message : messages)
        {
            m_loop.widestMessage =
                std::max(m_loop.widestMessage, static_cast<uint32_t>(message.blocks.size()));
            Send(message);
            Receive(message);
        }
        // A slot's first use waits for its last use in the loop before.
        for (auto [step, slot] : m_firstUses)
        {
            m_loop.receive[step].after = m_slotSent[slot];
            m_loop.receive[step].loopBefore = true;
        }
        m_loop.slots = static_cast<uint32_t>(m_slotSent.size());
    }

    PatLoop Take()
    {
        return std::move(m_loop);
    }

  private:
    /// What is known of the sum of a block.
    struct Sum
    {
        bool begun{false};
        uint32_t slot{0};
        uint64_t received{PatStep::NOTHING}; ///< step that has last added to it
    };

    PatPlace PlaceOf(uint32_t block) const
    {
        if (!m_sums[block].begun)
        {
            return {PatPlace::INPUT, 0};
        }
        return block == 0 ? PatPlace{PatPlace::OUTPUT, 0}
                          : PatPlace{PatPlace::SLOT, m_sums[block].slot};
    }

    void Send(const PatMessage& message)
    {
        PatStep whole;
        whole.blocks = ShiftBlocks(message.blocks, message.distance);
        whole.sendDistance = message.distance;
        uint64_t after = PatStep::NOTHING;
        for (uint32_t block : whole.blocks)
        {
            uint64_t received = m_sums[block].received;
            if (received != PatStep::NOTHING && (after == PatStep::NOTHING || received > after))
            {
                after = received;
            }
        }
        if (whole.blocks.size() == 1)
        {
            whole.source = PlaceOf(whole.blocks[0]);
            whole.after = after;
        }
        else
        {
            for (uint32_t block : whole.blocks)
            {
                PatStep pack;
                pack.blocks = {block};
                pack.source = PlaceOf(block);
                pack.destination.kind = PatPlace::SEND_AREA;
                pack.after = after;
                pack.opensArea = block == whole.blocks.front();
                m_loop.send.push_back(pack);
                after = PatStep::NOTHING;
            }
            whole.source.kind = PatPlace::SEND_AREA;
        }
        m_loop.send.push_back(whole);
        for (uint32_t block : whole.blocks)
        {
            if (m_sums[block].begun)
            {
                m_slotSent[m_sums[block].slot] = m_loop.send.size() - 1;
                m_freeSlots.push_back(m_sums[block].slot);
            }
        }
    }

    void Receive(const PatMessage& message)
    {
        PatStep whole;
        whole.blocks = message.blocks;
        whole.receiveDistance = message.distance;
        if (message.blocks.size() == 1)
        {
            uint32_t block = message.blocks[0];
            whole.source = PlaceOf(block);
            Begin(block, whole);
            whole.destination = PlaceOf(block);
            m_loop.receive.push_back(whole);
            m_sums[block].received = m_loop.receive.size() - 1;
            return;
        }
        whole.destination.kind = PatPlace::RECEIVE_AREA;
        m_loop.receive.push_back(whole);
        for (uint32_t block : message.blocks)
        {
            AddFromArea(block, block == message.blocks.front());
        }
    }

    void AddFromArea(uint32_t block, bool isFirst)
    {
        PatStep add;
        add.blocks = {block};
        if (!m_sums[block].begun)
        {
            PatStep copy = add;
            copy.source = PlaceOf(block);
            Begin(block, copy);
            copy.destination = PlaceOf(block);
            if (block > 0 || !m_inPlace)
            {
                m_loop.receive.push_back(copy);
            }
        }
        add.source.kind = PatPlace::RECEIVE_AREA;
        add.destination = PlaceOf(block);
        add.accumulates = true;
        add.opensArea = isFirst;
        m_loop.receive.push_back(add);
        m_sums[block].received = m_loop.receive.size() - 1;
    }

    /// Gives a sum a place, if it has none; the step, which is the next one, is the first to use
    /// it.
    void Begin(uint32_t block, PatStep& step)
    {
        Sum& sum = m_sums[block];
        if (sum.begun)
        {
            return;
        }
        sum.begun = true;
        if (block == 0)
        {
            return;
        }
        if (m_freeSlots.empty())
        {
            sum.slot = static_cast<uint32_t>(m_slotSent.size());
            m_slotSent.push_back(PatStep::NOTHING);
            m_firstUses.emplace_back(m_loop.receive.size(), sum.slot);
            return;
        }
        sum.slot = m_freeSlots.back();
        m_freeSlots.pop_back();
        step.after = m_slotSent[sum.slot];
    }

    bool m_inPlace;
    PatLoop m_loop;
    std::vector<Sum> m_sums;                              ///< by block
    std::vector<uint32_t> m_freeSlots;                    ///< the last one is used next
    std::vector<uint64_t> m_slotSent;                     ///< by slot: step that has last sent it
    std::vector<std::pair<size_t, uint32_t>> m_firstUses; ///< step and slot
};

/// The program; threads 2 c and 2 c + 1 of a rank send and receive on channel c.
class PatProgram : public CollectiveProgram
{
  public:
    PatProgram(const CollectiveRequest& request, uint32_t ranks, const CollectivePlan& plan);

    uint32_t GetChannels() const override
    {
        return m_plan.channels;
    }

    uint32_t GetThreads(uint32_t) const override
    {
        return 2 * m_plan.channels;
    }

    uint64_t GetScratchBytes(uint32_t) const override
    {
        return GetChannels() * GetChannelScratchBytes();
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

    uint32_t GetSize() const
    {
        return m_ranks;
    }

    bool IsGather() const
    {
        return m_request.operation == Operation::ALL_GATHER;
    }

    const std::vector<PatStep>& GetSteps(bool sends) const
    {
        return sends ? m_loop.send : m_loop.receive;
    }

    /// @return what a channel handles of the longest block in a loop
    ChunkDivision GetChunks(uint32_t channel) const;

    /// @return bytes that a slot, or an area of a message, begins at
    uint64_t GetScratchOffset(uint32_t channel, const PatPlace& place) const;

    const CollectiveRequest& GetRequest() const
    {
        return m_request;
    }

    const CollectivePlan& GetPlan() const
    {
        return m_plan;
    }

  private:
    uint64_t GetBlockBytes() const
    {
        return GetMessageCount(m_plan, m_request.typeBytes) * m_request.typeBytes;
    }

    uint64_t GetChannelScratchBytes() const
    {
        uint64_t areas = m_loop.widestMessage > 1 ? 2 * uint64_t{m_loop.widestMessage} : 0;
        return (m_loop.slots + areas) * GetBlockBytes();
    }

    CollectiveRequest m_request;
    uint32_t m_ranks;
    CollectivePlan m_plan;
    PatLoop m_loop;
};

/// The steps of one thread of one rank.
class PatSteps : public StepSource
{
  public:
    PatSteps(const PatProgram& program, uint32_t rank, uint32_t channel, bool sends);
    bool Next(ProgramStep& step) override;

  private:
    uint32_t GetRank(uint64_t before) const;
    Part LocatePart(uint32_t owner) const;
    uint64_t CountBytes(const std::vector<uint32_t>& blocks) const;
    ProgramOperand Resolve(const PatPlace& place, uint32_t block);
    ProgramMessage MakeMessage(uint32_t distance, bool sends) const;

    const PatProgram& m_program;
    uint32_t m_rank;
    uint32_t m_channel;
    bool m_sends;
    Part m_share; ///< of the longest block
    ChunkDivision m_chunks;
    uint64_t m_loop{0};
    size_t m_step{0};
    uint64_t m_area{0}; ///< bytes of the open message that have been handled
};

PatProgram::PatProgram(const CollectiveRequest& request, uint32_t ranks, const CollectivePlan& plan)
    : m_request(request),
      m_ranks(ranks),
      m_plan(plan)
{
    uint64_t share = GetChannelShare(request, ranks, plan, 0).count * request.typeBytes;
    uint64_t block = std::min(std::max<uint64_t>(share, 1), GetBlockBytes());
    PatWidth width = GetPatWidth(ranks, block, plan.sliceBytes, plan.window);
    m_loop = IsGather() ? PatGatherMaker(ranks, width, request.inPlace).Take()
                        : PatScatterMaker(ranks, width, request.inPlace).Take();
}

ChunkDivision
PatProgram::GetChunks(uint32_t channel) const
{
    return {GetChannelShare(m_request, m_ranks, m_plan, channel).count,
            GetMessageCount(m_plan, m_request.typeBytes),
            1,
            1};
}

uint64_t
PatProgram::GetScratchOffset(uint32_t channel, const PatPlace& place) const
{
    uint64_t block = place.slot;
    if (place.kind != PatPlace::SLOT)
    {
        block = m_loop.slots + (place.kind == PatPlace::RECEIVE_AREA ? m_loop.widestMessage : 0);
    }
    return channel * GetChannelScratchBytes() + block * GetBlockBytes();
}

std::unique_ptr<StepSource>
PatProgram::Open(uint32_t rank, uint32_t thread) const
{
    return std::make_unique<PatSteps>(*this, rank, thread / 2, thread % 2 == 0);
}

PatSteps::PatSteps(const PatProgram& program, uint32_t rank, uint32_t channel, bool sends)
    : m_program(program),
      m_rank(rank),
      m_channel(channel),
      m_sends(sends),
      m_share(GetChannelShare(program.GetRequest(), program.GetSize(), program.GetPlan(), channel)),
      m_chunks(program.GetChunks(channel))
{
}

/// The rank that is some before this one.
uint32_t
PatSteps::GetRank(uint64_t before) const
{
    uint64_t ranks = m_program.GetSize();
    return static_cast<uint32_t>((m_rank + ranks - before % ranks) % ranks);
}

/// What of a rank's block this loop is about.
Part
PatSteps::LocatePart(uint32_t owner) const
{
    Part chunk = m_chunks.Locate(m_loop, 0);
    chunk.offset += m_share.offset;
    const CollectiveRequest& request = m_program.GetRequest();
    return ClipPart(chunk, EvenPart(request.count, m_program.GetSize(), owner).count);
}

uint64_t
PatSteps::CountBytes(const std::vector<uint32_t>& blocks) const
{
    uint64_t count = 0;
    for (uint32_t block : blocks)
    {
        count += LocatePart(GetRank(block)).count;
    }
    return count * m_program.GetRequest().typeBytes;
}

ProgramOperand
PatSteps::Resolve(const PatPlace& place, uint32_t block)
{
    const CollectiveRequest& request = m_program.GetRequest();
    uint32_t owner = GetRank(block);
    uint64_t offset = LocatePart(owner).offset * request.typeBytes;
    uint64_t whole = EvenPart(request.count, m_program.GetSize(), owner).offset * request.typeBytes;
    switch (place.kind)
    {
    case PatPlace::NONE:
        return {};
    case PatPlace::INPUT:
        return {ProgramBuffer::INPUT, offset + (m_program.IsGather() ? 0 : whole)};
    case PatPlace::OUTPUT:
        return {ProgramBuffer::OUTPUT, offset + (m_program.IsGather() ? whole : 0)};
    default:
        return {ProgramBuffer::SCRATCH, m_program.GetScratchOffset(m_channel, place)};
    }
}

ProgramMessage
PatSteps::MakeMessage(uint32_t distance, bool sends) const
{
    if (distance == 0)
    {
        return {};
    }
    bool forward = sends == m_program.IsGather();
    uint32_t peer = GetRank(forward ? m_program.GetSize() - distance : distance);
    return {MessageWay::PEER, peer, m_channel};
}

bool
PatSteps::Next(ProgramStep& step)
{
    const std::vector<PatStep>& steps = m_program.GetSteps(m_sends);
    if (m_loop == m_chunks.GetLoops())
    {
        return false;
    }
    const PatStep& next = steps[m_step];
    step = ProgramStep();
    step.bytes = CountBytes(next.blocks);
    step.source = Resolve(next.source, next.blocks[0]);
    step.destination = Resolve(next.destination, next.blocks[0]);
    step.accumulates = next.accumulates;
    step.receive = MakeMessage(next.receiveDistance, false);
    step.send = MakeMessage(next.sendDistance, true);
    if (!step.receive && !step.send)
    {
        // One block of a message is put into its area or taken out of it, behind those before it.
        m_area = next.opensArea ? 0 : m_area;
        bool packs = next.destination.kind == PatPlace::SEND_AREA;
        bool unpacks = next.source.kind == PatPlace::RECEIVE_AREA;
        (packs ? step.destination : step.source).offset += packs || unpacks ? m_area : 0;
        m_area += packs || unpacks ? step.bytes : 0;
    }
    if (next.after != PatStep::NOTHING && m_loop >= (next.loopBefore ? 1 : 0))
    {
        uint64_t stepsOfOther = m_program.GetSteps(!m_sends).size();
        step.after.thread = 2 * m_channel + (m_sends ? 1 : 0);
        step.after.step = (m_loop - (next.loopBefore ? 1 : 0)) * stepsOfOther + next.after;
    }
    if (++m_step == steps.size())
    {
        m_step = 0;
        ++m_loop;
    }
    return true;
}

} // namespace

TypeId
PatAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PatAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<PatAlgorithm>();
    return tid;
}

std::string
PatAlgorithm::GetName() const
{
    return "pat";
}

std::string
PatAlgorithm::Check(const CollectiveRequest& request, const RankLayout&) const
{
    if (request.operation == Operation::ALL_GATHER ||
        request.operation == Operation::REDUCE_SCATTER)
    {
        return "";
    }
    return std::string("PAT cannot do ") + ToString(request.operation);
}

uint32_t
PatAlgorithm::GetDefaultChannels(const RankLayout&) const
{
    return 2;
}

std::shared_ptr<const CollectiveProgram>
PatAlgorithm::Emit(const CollectiveRequest& request,
                   const RankLayout& layout,
                   const CollectivePlan& plan) const
{
    if (layout.GetSize() == 1)
    {
        return std::make_shared<LocalCopyProgram>(request);
    }
    return std::make_shared<PatProgram>(request, layout.GetSize(), plan);
}

} // namespace ns3
