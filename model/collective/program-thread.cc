// SPDX-License-Identifier: GPL-2.0-only
#include "program-thread.h"

#include "collective-run.h"

#include <sstream>

namespace ns3
{

ProgramThread::ProgramThread(CollectiveRun& run,
                             uint32_t rank,
                             uint32_t index,
                             std::unique_ptr<StepSource> steps)
    : m_run(run),
      m_rank(rank),
      m_index(index),
      m_steps(std::move(steps)),
      m_memoryEvent(Create<PersistentEvent<ProgramThread, &ProgramThread::MemoryDone>>(this))
{
}

ProgramThread::~ProgramThread()
{
    m_memoryEvent->Detach();
}

void
ProgramThread::Continue()
{
    while (!m_run.HasEnded() && m_run.GetCommunicator().GetError().empty())
    {
        if (!m_hasStep)
        {
            m_hasStep = m_steps->Next(m_step);
            if (!m_hasStep)
            {
                m_ended = true;
                m_run.ThreadEnded(m_rank);
                return;
            }
        }
        if (!DependencyIsMet() || !Execute())
        {
            return;
        }
        FinishStep();
    }
}

bool
ProgramThread::Execute()
{
    Communicator& communicator = m_run.GetCommunicator();
    switch (m_step.kind)
    {
    case ProgramStep::Kind::SEND:
        m_run.SendStarted(m_rank);
        communicator.GetConnection(m_step.channel, m_rank, m_step.peer).Send(m_step.bytes, *this);
        return true;
    case ProgramStep::Kind::RECEIVE:
        return communicator.GetConnection(m_step.channel, m_step.peer, m_rank)
            .Take(m_step.bytes, *this);
    case ProgramStep::Kind::REDUCE:
        return WaitUntil(communicator.GetGpu(m_rank)->BookReduction(m_step.bytes, NowSteps()));
    case ProgramStep::Kind::COPY:
        return WaitUntil(communicator.GetGpu(m_rank)->BookCopy(m_step.bytes, NowSteps()));
    }
    return true;
}

bool
ProgramThread::WaitUntil(int64_t when)
{
    int64_t now = NowSteps();
    if (when <= now)
    {
        return true;
    }
    m_memoryEvent->Schedule(m_run.GetCommunicator().GetGpu(m_rank)->GetNode()->GetId(), when - now);
    return false;
}

void
ProgramThread::MemoryDone()
{
    FinishStep();
    Continue();
}

void
ProgramThread::MessageReady()
{
    Continue();
}

void
ProgramThread::SendCompleted()
{
    m_run.SendCompleted(m_rank);
}

void
ProgramThread::FinishStep()
{
    m_hasStep = false;
    ++m_stepsDone;
    if (!m_followers.empty())
    {
        std::vector<ProgramThread*> followers;
        followers.swap(m_followers); // those that still wait come back
        for (ProgramThread* follower : followers)
        {
            follower->Continue();
        }
    }
}

bool
ProgramThread::DependencyIsMet()
{
    m_follows = false;
    if (m_step.after.thread == ProgramStep::Dependency::NONE)
    {
        return true;
    }
    ProgramThread* other = m_run.GetThread(m_rank, m_step.after.thread);
    if (!other)
    {
        m_run.GetCommunicator().Fail(
            "rank " + std::to_string(m_rank) + ", thread " + std::to_string(m_index) + ", step " +
            std::to_string(m_stepsDone) + " depends on thread " +
            std::to_string(m_step.after.thread) + ", which the program does not have");
        return false;
    }
    if (other->m_stepsDone > m_step.after.step)
    {
        return true;
    }
    m_follows = true;
    other->m_followers.push_back(this);
    return false;
}

std::string
ProgramThread::DescribeWait() const
{
    std::ostringstream os;
    os << "thread " << m_index << ", step " << m_stepsDone;
    if (!m_hasStep)
    {
        os << " has not started";
    }
    else if (m_follows)
    {
        os << " waits for step " << m_step.after.step << " of thread " << m_step.after.thread;
    }
    else if (m_step.kind == ProgramStep::Kind::RECEIVE)
    {
        os << " waits for " << m_step.bytes << " B from rank " << m_step.peer << " on channel "
           << m_step.channel << " by "
           << m_run.GetCommunicator().GetConnection(m_step.channel, m_step.peer, m_rank).Describe();
    }
    else
    {
        os << " waits for the GPU's memory";
    }
    return os.str();
}

} // namespace ns3
