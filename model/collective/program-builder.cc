// SPDX-License-Identifier: GPL-2.0-only
#include "program-builder.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ProgramAlgorithm);

ThreadBuilder&
ThreadBuilder::Channel(uint32_t channel)
{
    m_channel = channel;
    return *this;
}

ThreadBuilder&
ThreadBuilder::After(uint32_t thread, uint64_t step)
{
    m_after = {thread, step};
    return *this;
}

ProgramMessage
ThreadBuilder::Peer(uint32_t rank) const
{
    return {MessageWay::PEER, rank, m_channel};
}

ThreadBuilder&
ThreadBuilder::Add(const ProgramStep& step)
{
    m_steps->push_back(step);
    if (m_after.thread != ProgramStep::Dependency::NONE)
    {
        m_steps->back().after = m_after;
        m_after = ProgramStep::Dependency();
    }
    return *this;
}

ThreadBuilder&
ThreadBuilder::Send(uint32_t to, const ProgramOperand& source, uint64_t bytes)
{
    ProgramStep step;
    step.source = source;
    step.send = Peer(to);
    step.bytes = bytes;
    return Add(step);
}

ThreadBuilder&
ThreadBuilder::Receive(uint32_t from, const ProgramOperand& destination, uint64_t bytes)
{
    return ReceiveReduceCopy(from, ProgramOperand(), destination, bytes);
}

ThreadBuilder&
ThreadBuilder::Copy(const ProgramOperand& source, const ProgramOperand& destination, uint64_t bytes)
{
    ProgramStep step;
    step.source = source;
    step.destination = destination;
    step.bytes = bytes;
    return Add(step);
}

ThreadBuilder&
ThreadBuilder::Reduce(const ProgramOperand& source,
                      const ProgramOperand& destination,
                      uint64_t bytes)
{
    ProgramStep step;
    step.source = source;
    step.destination = destination;
    step.accumulates = true;
    step.bytes = bytes;
    return Add(step);
}

ThreadBuilder&
ThreadBuilder::ReceiveSend(uint32_t from, uint32_t to, uint64_t bytes)
{
    return ReceiveReduceCopySend(from, ProgramOperand(), ProgramOperand(), to, bytes);
}

ThreadBuilder&
ThreadBuilder::ReceiveCopySend(uint32_t from,
                               const ProgramOperand& destination,
                               uint32_t to,
                               uint64_t bytes)
{
    return ReceiveReduceCopySend(from, ProgramOperand(), destination, to, bytes);
}

ThreadBuilder&
ThreadBuilder::ReceiveReduceCopy(uint32_t from,
                                 const ProgramOperand& source,
                                 const ProgramOperand& destination,
                                 uint64_t bytes)
{
    ProgramStep step;
    step.receive = Peer(from);
    step.source = source;
    step.destination = destination;
    step.bytes = bytes;
    return Add(step);
}

ThreadBuilder&
ThreadBuilder::ReceiveReduceSend(uint32_t from,
                                 const ProgramOperand& source,
                                 uint32_t to,
                                 uint64_t bytes)
{
    return ReceiveReduceCopySend(from, source, ProgramOperand(), to, bytes);
}

ThreadBuilder&
ThreadBuilder::ReceiveReduceCopySend(uint32_t from,
                                     const ProgramOperand& source,
                                     const ProgramOperand& destination,
                                     uint32_t to,
                                     uint64_t bytes)
{
    ProgramStep step;
    step.receive = Peer(from);
    step.source = source;
    step.destination = destination;
    step.send = Peer(to);
    step.bytes = bytes;
    return Add(step);
}

ThreadBuilder&
ThreadBuilder::Wait()
{
    return Add(ProgramStep());
}

namespace
{

/// Gives steps that are there already.
class WrittenSteps : public StepSource
{
  public:
    explicit WrittenSteps(const std::vector<ProgramStep>& steps)
        : m_steps(steps)
    {
    }

    bool Next(ProgramStep& step) override
    {
        if (m_next == m_steps.size())
        {
            return false;
        }
        step = m_steps[m_next++];
        return true;
    }

  private:
    const std::vector<ProgramStep>& m_steps;
    size_t m_next{0};
};

/// What a ProgramBuilder has built.
class WrittenProgram : public CollectiveProgram
{
  public:
    using Threads = std::vector<std::vector<ProgramStep>>;

    WrittenProgram(std::vector<Threads> threads, std::vector<uint64_t> scratchBytes)
        : m_threads(std::move(threads)),
          m_scratchBytes(std::move(scratchBytes))
    {
        for (const Threads& ofRank : m_threads)
        {
            for (const std::vector<ProgramStep>& steps : ofRank)
            {
                for (const ProgramStep& step : steps)
                {
                    m_channels =
                        std::max({m_channels, step.receive.channel + 1, step.send.channel + 1});
                }
            }
        }
    }

    uint32_t GetChannels() const override
    {
        return m_channels;
    }

    uint32_t GetThreads(uint32_t rank) const override
    {
        return static_cast<uint32_t>(m_threads[rank].size());
    }

    uint64_t GetScratchBytes(uint32_t rank) const override
    {
        return m_scratchBytes[rank];
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override
    {
        return std::make_unique<WrittenSteps>(m_threads[rank][thread]);
    }

  private:
    std::vector<Threads> m_threads; ///< by rank
    std::vector<uint64_t> m_scratchBytes;
    uint32_t m_channels{1};
};

} // namespace

ProgramBuilder::ProgramBuilder(uint32_t ranks)
    : m_threads(ranks),
      m_scratchBytes(ranks, 0)
{
}

ThreadBuilder&
ProgramBuilder::Thread(uint32_t rank, uint32_t thread)
{
    std::vector<std::unique_ptr<ThreadText>>& threads = m_threads.at(rank);
    while (threads.size() <= thread)
    {
        threads.push_back(std::make_unique<ThreadText>());
    }
    return threads[thread]->builder;
}

void
ProgramBuilder::SetScratch(uint32_t rank, uint64_t bytes)
{
    m_scratchBytes.at(rank) = bytes;
}

std::shared_ptr<const CollectiveProgram>
ProgramBuilder::Build() const
{
    std::vector<WrittenProgram::Threads> threads(m_threads.size());
    for (size_t rank = 0; rank < m_threads.size(); ++rank)
    {
        for (const std::unique_ptr<ThreadText>& thread : m_threads[rank])
        {
            threads[rank].push_back(thread->steps);
        }
    }
    return std::make_shared<WrittenProgram>(std::move(threads), m_scratchBytes);
}

TypeId
ProgramAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ProgramAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ProgramAlgorithm>();
    return tid;
}

void
ProgramAlgorithm::Set(const std::string& name,
                      const CollectiveRequest& request,
                      uint32_t ranks,
                      std::shared_ptr<const CollectiveProgram> program)
{
    m_name = name;
    m_request = request;
    m_ranks = ranks;
    m_program = std::move(program);
}

std::string
ProgramAlgorithm::GetName() const
{
    return m_name;
}

std::string
ProgramAlgorithm::Check(const CollectiveRequest& request, const RankLayout& layout) const
{
    if (!m_program)
    {
        return m_name + " has no program: Set() gives it one";
    }
    if (layout.GetSize() != m_ranks)
    {
        return m_name + " is for " + std::to_string(m_ranks) + " ranks, not for " +
               std::to_string(layout.GetSize());
    }
    if (!(request == m_request))
    {
        return m_name + " serves one " + ToString(m_request.operation) + " of " +
               std::to_string(m_request.count) + " elements of " +
               std::to_string(m_request.typeBytes) + " B" +
               (m_request.inPlace ? ", in place" : "") + ", and nothing else";
    }
    return "";
}

std::shared_ptr<const CollectiveProgram>
ProgramAlgorithm::Emit(const CollectiveRequest&, const RankLayout&, const CollectivePlan&) const
{
    return m_program;
}

} // namespace ns3
