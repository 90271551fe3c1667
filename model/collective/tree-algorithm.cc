// SPDX-License-Identifier: GPL-2.0-only
#include "tree-algorithm.h"

#include "data-division.h"
#include "local-copy-program.h"
#include "tree-order.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TreeAlgorithm);

namespace
{

/// The program of a tree; threads 2 c and 2 c + 1 of a rank send channel c up and down.
class TreeProgram : public CollectiveProgram
{
  public:
    TreeProgram(const CollectiveRequest& request,
                const RankLayout& layout,
                const CollectivePlan& plan);

    uint32_t GetChannels() const override
    {
        return static_cast<uint32_t>(m_trees.size());
    }

    uint32_t GetThreads(uint32_t) const override
    {
        return 2 * GetChannels();
    }

    uint64_t GetScratchBytes(uint32_t) const override
    {
        return GetChannels() * m_messageCount * m_request.typeBytes;
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

  private:
    CollectiveRequest m_request;
    CollectivePlan m_plan;
    uint64_t m_messageCount; ///< elements
    std::vector<RankTree> m_trees;
};

/// The steps of one rank on one channel, in one direction, or in both at the root.
class TreeSteps : public StepSource
{
  public:
    /// What it works on; offsets in elements.
    struct Place
    {
        const RankTree* tree;
        uint32_t rank;
        uint32_t channel;
        bool down;
        uint32_t typeBytes;
        Part share;
        uint64_t scratch; ///< where the sums of a chunk may be kept
    };

    TreeSteps(const Place& place, uint64_t messageCount);
    bool Next(ProgramStep& step) override;

  private:
    bool IsRoot() const
    {
        return m_parent == RankTree::NONE;
    }

    uint64_t CountSteps() const;
    ProgramMessage MakeMessage(uint32_t peer) const;
    ProgramOperand MakeOperand(ProgramBuffer buffer, const Part& chunk) const;
    void FillUp(ProgramStep& step, const Part& chunk) const;
    void FillDown(ProgramStep& step, const Part& chunk) const;

    Place m_place;
    uint32_t m_parent;
    const std::vector<uint32_t>& m_children;
    ChunkDivision m_chunks;
    uint64_t m_loop{0};
    uint64_t m_turn{0}; ///< number of the step within the chunk
};

TreeProgram::TreeProgram(const CollectiveRequest& request,
                         const RankLayout& layout,
                         const CollectivePlan& plan)
    : m_request(request),
      m_plan(plan),
      m_messageCount(GetMessageCount(plan, request.typeBytes))
{
    for (uint32_t c = 0; c < plan.channels; ++c)
    {
        m_trees.push_back(MakeRankTree(layout, c));
    }
}

std::unique_ptr<StepSource>
TreeProgram::Open(uint32_t rank, uint32_t thread) const
{
    TreeSteps::Place place{};
    place.channel = thread / 2;
    place.tree = &m_trees[place.channel];
    place.rank = rank;
    place.down = thread % 2 == 1;
    place.typeBytes = m_request.typeBytes;
    auto ranks = static_cast<uint32_t>(place.tree->parent.size());
    place.share = GetChannelShare(m_request, ranks, m_plan, place.channel);
    place.scratch = place.channel * m_messageCount;
    return std::make_unique<TreeSteps>(place, m_messageCount);
}

TreeSteps::TreeSteps(const Place& place, uint64_t messageCount)
    : m_place(place),
      m_parent(place.tree->parent[place.rank]),
      m_children(place.tree->children[place.rank]),
      m_chunks(place.share.count, messageCount, 1, 1)
{
}

uint64_t
TreeSteps::CountSteps() const
{
    uint64_t children = std::max<uint64_t>(1, m_children.size());
    if (!IsRoot())
    {
        return children;
    }
    return m_place.down ? 0 : 2 * children - 1;
}

ProgramMessage
TreeSteps::MakeMessage(uint32_t peer) const
{
    return {MessageWay::PEER, peer, m_place.channel};
}

ProgramOperand
TreeSteps::MakeOperand(ProgramBuffer buffer, const Part& chunk) const
{
    uint64_t element =
        buffer == ProgramBuffer::SCRATCH ? m_place.scratch : m_place.share.offset + chunk.offset;
    return {buffer, element * m_place.typeBytes};
}

bool
TreeSteps::Next(ProgramStep& step)
{
    uint64_t steps = CountSteps();
    if (m_loop == m_chunks.GetLoops() || steps == 0)
    {
        return false;
    }
    Part chunk = m_chunks.Locate(m_loop, 0);
    step = ProgramStep();
    step.bytes = chunk.count * m_place.typeBytes;
    m_place.down ? FillDown(step, chunk) : FillUp(step, chunk);
    if (++m_turn == steps)
    {
        m_turn = 0;
        ++m_loop;
    }
    return true;
}

void
TreeSteps::FillUp(ProgramStep& step, const Part& chunk) const
{
    if (m_turn >= std::max<uint64_t>(1, m_children.size()))
    {
        // The root has the result, and has sent it to its first child.
        step.source = MakeOperand(ProgramBuffer::OUTPUT, chunk);
        step.send = MakeMessage(m_children[m_turn + 1 - m_children.size()]);
        return;
    }
    if (!m_children.empty())
    {
        step.receive = MakeMessage(m_children[m_turn]);
    }
    step.source = MakeOperand(m_turn == 0 ? ProgramBuffer::INPUT : ProgramBuffer::SCRATCH, chunk);
    if (m_turn + 1 < m_children.size())
    {
        step.destination = MakeOperand(ProgramBuffer::SCRATCH, chunk);
        return;
    }
    if (IsRoot())
    {
        step.destination = MakeOperand(ProgramBuffer::OUTPUT, chunk);
    }
    step.send = MakeMessage(IsRoot() ? m_children.front() : m_parent);
}

void
TreeSteps::FillDown(ProgramStep& step, const Part& chunk) const
{
    if (m_turn == 0)
    {
        step.receive = MakeMessage(m_parent);
        step.destination = MakeOperand(ProgramBuffer::OUTPUT, chunk);
    }
    else
    {
        step.source = MakeOperand(ProgramBuffer::OUTPUT, chunk);
    }
    if (m_turn < m_children.size())
    {
        step.send = MakeMessage(m_children[m_turn]);
    }
}

} // namespace

TypeId
TreeAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TreeAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<TreeAlgorithm>();
    return tid;
}

std::string
TreeAlgorithm::GetName() const
{
    return "tree";
}

std::string
TreeAlgorithm::Check(const CollectiveRequest& request, const RankLayout&) const
{
    if (request.operation == CollectiveOperation::ALL_REDUCE ||
        request.operation == CollectiveOperation::BARRIER)
    {
        return "";
    }
    return std::string("a double binary tree cannot do ") + ToString(request.operation);
}

uint32_t
TreeAlgorithm::GetDefaultChannels(const RankLayout& layout) const
{
    return 2 * layout.GetLargestGroup();
}

std::shared_ptr<const CollectiveProgram>
TreeAlgorithm::Emit(const CollectiveRequest& request,
                    const RankLayout& layout,
                    const CollectivePlan& plan) const
{
    if (layout.GetSize() == 1)
    {
        return std::make_shared<LocalCopyProgram>(request);
    }
    return std::make_shared<TreeProgram>(request, layout, plan);
}

} // namespace ns3
