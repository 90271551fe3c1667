// SPDX-License-Identifier: GPL-2.0-only
#include "nvls-program.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Operation = CollectiveOperation;
using Role = NvlsProgram::Role;

/// The steps of one thread: the chunks of all loops, and the steps of each, as a role has them.
class NvlsSteps : public StepSource
{
  public:
    NvlsSteps(const NvlsProgram& program, uint32_t rank, uint32_t channel)
        : m_program(program),
          m_rank(rank),
          m_channel(channel)
    {
    }

    bool Next(ProgramStep& step) final
    {
        while (m_loop < m_program.GetLoops(m_channel))
        {
            NvlsProgram::Chunk chunk = m_program.Locate(m_channel, m_loop, GetHead(m_index));
            if (chunk.count > 0 && m_turn < CountTurns())
            {
                step = ProgramStep();
                step.bytes = chunk.count * m_program.GetRequest().typeBytes;
                Fill(step, chunk, m_turn++);
                return true;
            }
            m_turn = 0;
            if (++m_index == CountHeads())
            {
                m_index = 0;
                ++m_loop;
            }
        }
        return false;
    }

  protected:
    /// @return heads that have to do with this thread
    virtual uint32_t CountHeads() const
    {
        return m_program.GetHeads();
    }

    /// @param index which of them @return its number
    virtual uint32_t GetHead(uint32_t index) const
    {
        return index;
    }

    /// @return steps of a chunk
    virtual uint64_t CountTurns() const
    {
        return 1;
    }

    virtual void Fill(ProgramStep& step, const NvlsProgram::Chunk& chunk, uint64_t turn) const = 0;

    ProgramMessage MakeMessage(MessageWay way, uint32_t peer) const
    {
        return {way, peer, m_channel};
    }

    ProgramOperand MakeOperand(ProgramBuffer buffer, uint64_t element) const
    {
        return {buffer, element * m_program.GetRequest().typeBytes};
    }

    uint32_t GetHeadRank() const
    {
        return m_program.GetHeadRank(m_rank, GetHead(m_index));
    }

    /// @return which of CountHeads() it is at
    uint32_t GetIndex() const
    {
        return m_index;
    }

    const NvlsProgram& m_program;
    uint32_t m_rank;
    uint32_t m_channel;

  private:
    uint64_t m_loop{0};
    uint32_t m_index{0};
    uint64_t m_turn{0};
};

/// What goes to or comes from all heads by way of the buffer that the switch works on: a loop's
/// chunks are all there before the first one goes on, as with NCCL's primitives.
class NvlsBufferedSteps : public NvlsSteps
{
  public:
    using NvlsSteps::NvlsSteps;

  protected:
    uint32_t CountHeads() const override
    {
        return 2 * m_program.GetHeads();
    }

    uint32_t GetHead(uint32_t index) const override
    {
        return index % m_program.GetHeads();
    }

    /// @return the first half of a loop: buffers are filled
    bool Fills() const
    {
        return GetIndex() < m_program.GetHeads();
    }

    ProgramOperand GetBuffer(bool scatter) const
    {
        return {ProgramBuffer::SCRATCH,
                m_program.GetBuffer(m_channel, GetHead(GetIndex()), scatter)};
    }
};

/// Own input to all heads.
class NvlsScatterSteps : public NvlsBufferedSteps
{
  public:
    using NvlsBufferedSteps::NvlsBufferedSteps;

  protected:
    void Fill(ProgramStep& step, const NvlsProgram::Chunk& chunk, uint64_t) const override
    {
        if (Fills())
        {
            step.source = MakeOperand(ProgramBuffer::INPUT, chunk.input);
            step.destination = GetBuffer(true);
            return;
        }
        step.source = GetBuffer(true);
        step.send = MakeMessage(MessageWay::REDUCTION, GetHeadRank());
    }
};

/// Results from all heads.
class NvlsGatherSteps : public NvlsBufferedSteps
{
  public:
    using NvlsBufferedSteps::NvlsBufferedSteps;

  protected:
    void Fill(ProgramStep& step, const NvlsProgram::Chunk& chunk, uint64_t) const override
    {
        if (Fills())
        {
            step.receive = MakeMessage(MessageWay::MULTICAST, GetHeadRank());
            step.destination = GetBuffer(false);
            return;
        }
        step.source = GetBuffer(false);
        step.destination = MakeOperand(ProgramBuffer::OUTPUT, chunk.output);
    }
};

/// What only a head does, with its own chunk.
class NvlsHeadSteps : public NvlsSteps
{
  public:
    NvlsHeadSteps(const NvlsProgram& program, uint32_t rank, uint32_t channel)
        : NvlsSteps(program, rank, channel),
          m_neighbours(program.GetNeighbours(rank, channel))
    {
    }

  protected:
    uint32_t CountHeads() const override
    {
        return 1;
    }

    uint32_t GetHead(uint32_t) const override
    {
        return m_program.GetHead(m_rank);
    }

    bool IsRoot() const
    {
        return m_neighbours.parent == RankTree::NONE;
    }

    ProgramOperand GetScratch(bool up) const
    {
        return {ProgramBuffer::SCRATCH, m_program.GetScratch(m_channel, up)};
    }

    NvlsProgram::Neighbours m_neighbours;
};

/// Takes the group's sum and those of the children; up to the parent, or back to all.
class NvlsReduceSteps : public NvlsHeadSteps
{
  public:
    using NvlsHeadSteps::NvlsHeadSteps;

  protected:
    uint64_t CountTurns() const override
    {
        return 1 + m_neighbours.children.size() * (IsRoot() ? 2 : 1);
    }

    void Fill(ProgramStep& step, const NvlsProgram::Chunk& chunk, uint64_t turn) const override
    {
        const std::vector<uint32_t>& children = m_neighbours.children;
        if (turn > children.size())
        {
            // The root has the result, and has sent it to its own group.
            step.source = GetScratch(true);
            step.send = MakeMessage(MessageWay::PEER, children[turn - children.size() - 1]);
            return;
        }
        if (turn == 0)
        {
            step.receive = MakeMessage(MessageWay::REDUCTION, m_rank);
        }
        else
        {
            step.receive = MakeMessage(MessageWay::PEER, children[turn - 1]);
            step.source = GetScratch(true);
        }
        if (m_program.GetRequest().operation == Operation::REDUCE_SCATTER)
        {
            step.destination = MakeOperand(ProgramBuffer::OUTPUT, chunk.output);
            return;
        }
        bool isSum = turn == children.size();
        if (isSum)
        {
            step.send = IsRoot() ? MakeMessage(MessageWay::MULTICAST, m_rank)
                                 : MakeMessage(MessageWay::PEER, m_neighbours.parent);
        }
        if (!isSum || (IsRoot() && !children.empty()))
        {
            step.destination = GetScratch(true);
        }
    }
};

/// Takes the result of the parent, or its own input; to its group and to the children.
class NvlsSpreadSteps : public NvlsHeadSteps
{
  public:
    using NvlsHeadSteps::NvlsHeadSteps;

  protected:
    uint64_t CountTurns() const override
    {
        bool gathers = m_program.GetRequest().operation == Operation::ALL_GATHER;
        return gathers || !IsRoot() ? 1 + m_neighbours.children.size() : 0;
    }

    void Fill(ProgramStep& step, const NvlsProgram::Chunk& chunk, uint64_t turn) const override
    {
        if (turn > 0)
        {
            step.source = GetScratch(false);
            step.send = MakeMessage(MessageWay::PEER, m_neighbours.children[turn - 1]);
            return;
        }
        step.send = MakeMessage(MessageWay::MULTICAST, m_rank);
        if (IsRoot())
        {
            step.source = MakeOperand(ProgramBuffer::INPUT, chunk.input);
            return;
        }
        step.receive = MakeMessage(MessageWay::PEER, m_neighbours.parent);
        if (!m_neighbours.children.empty())
        {
            step.destination = GetScratch(false);
        }
    }
};

/// A rank that is no head has nothing to do in a head's thread.
class NvlsNoSteps : public StepSource
{
  public:
    bool Next(ProgramStep&) override
    {
        return false;
    }
};

/// The threads of a channel.
std::vector<Role>
GetRoles(Operation operation, bool severalGroups)
{
    switch (operation)
    {
    case Operation::ALL_GATHER:
        return {Role::SPREAD, Role::GATHER};
    case Operation::REDUCE_SCATTER:
        return {Role::SCATTER, Role::REDUCE};
    default:
        break;
    }
    std::vector<Role> roles{Role::SCATTER, Role::GATHER, Role::REDUCE};
    if (severalGroups)
    {
        roles.push_back(Role::SPREAD);
    }
    return roles;
}

} // namespace

std::string
CheckNvlsGroups(const RankLayout& layout)
{
    if (!layout.HasInSwitchReduction())
    {
        return "NVLS needs scale-up switches that reduce and multicast";
    }
    for (const std::vector<uint32_t>& group : layout.GetGroups())
    {
        if (group.size() < 2)
        {
            return "NVLS needs two ranks in each group; rank " + std::to_string(group.front()) +
                   " is alone in its";
        }
    }
    return "";
}

NvlsProgram::NvlsProgram(const CollectiveRequest& request,
                         const RankLayout& layout,
                         const CollectivePlan& plan)
    : m_request(request),
      m_plan(plan),
      m_groups(layout.GetGroups()),
      m_groupOf(layout.GetSize()),
      m_headOf(layout.GetSize(), NO_HEAD),
      m_heads(layout.GetSize()),
      m_roles(GetRoles(request.operation, m_groups.size() > 1))
{
    if (!IsByBlock())
    {
        m_heads = std::min(m_heads, NVLS_MOST_HEADS);
    }
    for (const std::vector<uint32_t>& group : m_groups)
    {
        m_heads = std::min(m_heads, static_cast<uint32_t>(group.size()));
    }
    for (uint32_t rank = 0; rank < layout.GetSize(); ++rank)
    {
        m_groupOf[rank] = layout.GetGroup(rank);
    }
    for (const std::vector<uint32_t>& group : m_groups)
    {
        for (uint32_t head = 0; head < m_heads; ++head)
        {
            m_headOf[group[head]] = head;
        }
    }
    for (bool second : {false, true})
    {
        m_groupTrees.push_back(MakeBinaryTree(static_cast<uint32_t>(m_groups.size()), second));
    }
}

bool
NvlsProgram::IsByBlock() const
{
    return m_request.operation == Operation::ALL_GATHER ||
           m_request.operation == Operation::REDUCE_SCATTER;
}

uint32_t
NvlsProgram::GetChannels() const
{
    return m_plan.channels;
}

uint32_t
NvlsProgram::GetThreads(uint32_t) const
{
    return m_plan.channels * static_cast<uint32_t>(m_roles.size());
}

uint32_t
NvlsProgram::GetWarps(uint32_t rank, uint32_t thread) const
{
    const auto ranks = static_cast<uint32_t>(m_groupOf.size());
    const uint32_t channel = ChannelOf(thread);
    const Role role = RoleOf(thread);
    const bool gathers = m_request.operation == Operation::ALL_GATHER;
    const bool hasParent = m_groupTrees[channel % 2].parent[m_groupOf[rank]] != RankTree::NONE;
    const uint32_t spread = gathers || hasParent ? 4 : 0;
    const uint32_t reduce = gathers ? 0 : !hasParent && ranks <= 6 ? 7 : 5;
    if (role == Role::SPREAD || role == Role::REDUCE)
    {
        return role == Role::SPREAD ? spread : reduce;
    }
    const uint32_t others = BLOCK_WARPS - spread - reduce;
    if (IsByBlock())
    {
        return others;
    }
    return role == Role::SCATTER ? (others + 1) / 2 : others / 2;
}

uint64_t
NvlsProgram::GetScratch(uint32_t channel, bool up) const
{
    uint64_t message = GetMessageCount(m_plan, m_request.typeBytes) * m_request.typeBytes;
    return (2 * uint64_t{channel} + (up ? 0 : 1)) * message;
}

uint64_t
NvlsProgram::GetBuffer(uint32_t channel, uint32_t head, bool scatter) const
{
    uint64_t message = GetMessageCount(m_plan, m_request.typeBytes) * m_request.typeBytes;
    uint64_t before = (2 * uint64_t{channel} + (scatter ? 0 : 1)) * m_heads + head;
    return GetScratch(GetChannels(), true) + before * message;
}

uint64_t
NvlsProgram::GetScratchBytes(uint32_t) const
{
    return GetBuffer(GetChannels(), 0, true);
}

uint32_t
NvlsProgram::GetHeadRank(uint32_t rank, uint32_t head) const
{
    return m_groups[m_groupOf[rank]][head];
}

ChunkDivision
NvlsProgram::Divide(uint32_t channel) const
{
    // In the last loop, chunks are multiples of this: NCCL wants few heads to be at work within a
    // domain, and lines of memory over the network.
    constexpr uint64_t ALIGNMENT_ONE_GROUP = 16 * 1024;
    constexpr uint64_t ALIGNMENT_GROUPS = 16;
    auto ranks = static_cast<uint32_t>(m_groupOf.size());
    uint64_t share = GetChannelShare(m_request, ranks, m_plan, channel).count;
    uint64_t message = GetMessageCount(m_plan, m_request.typeBytes);
    if (IsByBlock())
    {
        return {share, message, 1, 1};
    }
    uint64_t alignment = m_groups.size() == 1 ? ALIGNMENT_ONE_GROUP : ALIGNMENT_GROUPS;
    return {share, message, m_heads, std::max<uint64_t>(1, alignment / m_request.typeBytes)};
}

uint64_t
NvlsProgram::GetLoops(uint32_t channel) const
{
    return Divide(channel).GetLoops();
}

NvlsProgram::Chunk
NvlsProgram::Locate(uint32_t channel, uint64_t loop, uint32_t head) const
{
    auto ranks = static_cast<uint32_t>(m_groupOf.size());
    uint64_t share = GetChannelShare(m_request, ranks, m_plan, channel).offset;
    Part part = Divide(channel).Locate(loop, IsByBlock() ? 0 : head);
    part.offset += share;
    if (!IsByBlock())
    {
        return {part.offset, part.offset, part.count};
    }
    Part block = EvenPart(m_request.count, ranks, m_groups[0][head]);
    part = ClipPart(part, block.count);
    bool gathers = m_request.operation == Operation::ALL_GATHER;
    return {part.offset + (gathers ? 0 : block.offset),
            part.offset + (gathers ? block.offset : 0),
            part.count};
}

NvlsProgram::Neighbours
NvlsProgram::GetNeighbours(uint32_t rank, uint32_t channel) const
{
    const RankTree& tree = m_groupTrees[channel % 2];
    uint32_t group = m_groupOf[rank];
    uint32_t head = m_headOf[rank];
    Neighbours neighbours{RankTree::NONE, {}};
    if (tree.parent[group] != RankTree::NONE)
    {
        neighbours.parent = m_groups[tree.parent[group]][head];
    }
    for (uint32_t child : tree.children[group])
    {
        neighbours.children.push_back(m_groups[child][head]);
    }
    return neighbours;
}

ProgramKind
NvlsProgram::GetKind() const
{
    return m_groups.size() > 1 ? ProgramKind::SWITCH_AND_NETWORK : ProgramKind::SWITCH;
}

std::unique_ptr<StepSource>
NvlsProgram::Open(uint32_t rank, uint32_t thread) const
{
    const uint32_t channel = ChannelOf(thread);
    const Role role = RoleOf(thread);
    switch (role)
    {
    case Role::SCATTER:
        return std::make_unique<NvlsScatterSteps>(*this, rank, channel);
    case Role::GATHER:
        return std::make_unique<NvlsGatherSteps>(*this, rank, channel);
    case Role::REDUCE:
    case Role::SPREAD:
        break;
    }
    if (GetHead(rank) == NO_HEAD)
    {
        return std::make_unique<NvlsNoSteps>();
    }
    if (role == Role::REDUCE)
    {
        return std::make_unique<NvlsReduceSteps>(*this, rank, channel);
    }
    return std::make_unique<NvlsSpreadSteps>(*this, rank, channel);
}

} // namespace ns3
