// SPDX-License-Identifier: GPL-2.0-only
#include "program-thread.h"

#include "collective-run.h"

#include <algorithm>
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
      m_block(run.GetBlock(rank, index)),
      m_steps(std::move(steps)),
      m_event(Create<PersistentEvent<ProgramThread, &ProgramThread::Awake>>(this))
{
}

ProgramThread::~ProgramThread()
{
    m_event->Detach();
}

void
ProgramThread::Start()
{
    Fetch();
}

void
ProgramThread::Continue()
{
    while (!m_ended && !m_asleep && !m_run.HasEnded() &&
           m_run.GetCommunicator().GetError().empty() && Advance())
    {
    }
}

bool
ProgramThread::Advance()
{
    switch (m_stage)
    {
    case Stage::FETCH:
        return Fetch();
    case Stage::DEPENDS:
        return DependencyIsMet();
    case Stage::RECEIVES:
        return MessageIsThere();
    case Stage::SENDS:
        return RoomIsThere();
    case Stage::WORKS:
        break;
    }
    return FinishStep();
}

// Each of the following goes on to the next stage and returns true, or has arranged to be called
// again.

bool
ProgramThread::Fetch()
{
    if (!m_steps->Next(m_step))
    {
        m_ended = true;
        m_run.ThreadEnded(m_rank);
        return false;
    }
    m_stage = Stage::DEPENDS;
    return true;
}

bool
ProgramThread::DependencyIsMet()
{
    if (m_step.after.thread != ProgramStep::Dependency::NONE)
    {
        ProgramThread* other = m_run.GetThread(m_rank, m_step.after.thread);
        if (!other)
        {
            m_run.GetCommunicator().Fail(
                "rank " + std::to_string(m_rank) + ", thread " + std::to_string(m_index) +
                ", step " + std::to_string(m_stepsDone) + " depends on thread " +
                std::to_string(m_step.after.thread) + ", which the program does not have");
            return false;
        }
        if (other->m_stepsDone <= m_step.after.step)
        {
            other->m_followers.push_back(this);
            return false;
        }
    }
    m_stage = Stage::RECEIVES;
    return true;
}

bool
ProgramThread::MessageIsThere()
{
    if (m_step.receive)
    {
        CollectiveConnection& in = Connection(m_in, m_step.receive, false);
        CollectiveProtocol protocol = m_run.GetPlan().GetProtocol(in.IsNetwork());
        if (!in.IsReady(m_rank, protocol, *this, BatchOf(m_step.receive)))
        {
            return Waits();
        }
        HasWaited(in, false);
        if (!in.Take(m_rank, GetProtocolBytes(protocol, m_step.bytes)))
        {
            return false;
        }
    }
    m_stage = Stage::SENDS;
    return true;
}

bool
ProgramThread::RoomIsThere()
{
    if (m_step.send)
    {
        // A switch that adds up reads what the receiver asks for (NVLS loads): one message at a
        // time.
        uint32_t window = m_step.send.way == MessageWay::REDUCTION ? 1 : m_run.GetPlan().window;
        CollectiveConnection& out = Connection(m_out, m_step.send, true);
        if (!out.HasRoom(m_rank, window, *this))
        {
            return Waits();
        }
        HasWaited(out, true);
    }
    return BeginWork();
}

bool
ProgramThread::Waits()
{
    m_waitsSince = std::min(m_waitsSince, NowSteps());
    return false;
}

void
ProgramThread::HasWaited(CollectiveConnection& connection, bool forRoom)
{
    if (m_waitsSince != NEVER)
    {
        int64_t steps = NowSteps() - m_waitsSince;
        m_waited += steps;
        m_waitsSince = NEVER;
        connection.Waited(m_run.GetRecord().sequence, forRoom, steps);
    }
}

bool
ProgramThread::BeginWork()
{
    m_run.WorkBegins(m_rank, m_block);
    int64_t work = GetWork();
    if (m_step.send)
    {
        CollectiveConnection& out = *m_out.connection;
        CollectiveProtocol protocol = m_run.GetPlan().GetProtocol(out.IsNetwork());
        uint64_t bytes = GetProtocolBytes(protocol, m_step.bytes);
        m_run.SendStarted(m_rank);
        out.Send(m_rank, bytes, work, *this, BatchOf(m_step.send));
    }
    return WaitFor(work, Stage::WORKS);
}

bool
ProgramThread::IsNetworkStep() const
{
    return (m_step.receive && m_in.connection->IsNetwork()) ||
           (m_step.send && m_out.connection->IsNetwork());
}

MessageBatch
ProgramThread::BatchOf(const ProgramMessage& message) const
{
    MessageBatch batch = message.batch;
    batch.collective = m_run.GetRecord().sequence;
    return batch;
}

int64_t
ProgramThread::GetWork() const
{
    GpuEndpoint& gpu = *m_run.GetCommunicator().GetGpu(m_rank);
    bool network = IsNetworkStep();
    int64_t work =
        m_run.GetCommunicator().GetCosts()->GetWork(m_step,
                                                    {m_run.GetKind(),
                                                     m_run.GetPlan().GetProtocol(network),
                                                     network,
                                                     m_step.send && !m_out.connection->IsNetwork(),
                                                     m_run.GetWorking(m_rank, m_block),
                                                     m_share,
                                                     m_run.GetSlowdown(m_rank)});
    int64_t now = NowSteps();
    bool reduces = m_step.accumulates || (m_step.receive && m_step.source);
    bool touches = m_step.bytes > 0 && (m_step.source || m_step.destination);
    int64_t memory = !touches  ? now
                     : reduces ? gpu.BookReduction(m_step.bytes, now)
                               : gpu.BookCopy(m_step.bytes, now);
    return std::max(work, memory - now);
}

bool
ProgramThread::FinishStep()
{
    m_run.WorkEnds(m_rank, m_block);
    if (m_step.receive)
    {
        m_in.connection->Release(m_rank);
    }
    m_stage = Stage::FETCH;
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
    return true;
}

bool
ProgramThread::WaitFor(int64_t steps, Stage stage)
{
    m_stage = stage;
    if (steps <= 0)
    {
        return true;
    }
    m_asleep = true;
    m_event->Schedule(m_run.GetCommunicator().GetGpu(m_rank)->GetNode()->GetId(), steps);
    return false;
}

void
ProgramThread::Awake()
{
    m_asleep = false;
    Continue();
}

void
ProgramThread::MayGoOn()
{
    Continue();
}

void
ProgramThread::SendCompleted()
{
    m_run.SendCompleted(m_rank);
}

CollectiveConnection&
ProgramThread::Connection(Way& way, const ProgramMessage& message, bool sends)
{
    if (!way.connection || way.message.way != message.way || way.message.peer != message.peer ||
        way.message.channel != message.channel)
    {
        way = {message, &m_run.GetCommunicator().GetConnection(message, m_rank, sends)};
    }
    return *way.connection;
}

std::string
ProgramThread::DescribeWait() const
{
    std::ostringstream os;
    os << "thread " << m_index << ", step " << m_stepsDone;
    switch (m_stage)
    {
    case Stage::FETCH:
        os << " has not started";
        break;
    case Stage::DEPENDS:
        os << " waits for step " << m_step.after.step << " of thread " << m_step.after.thread;
        break;
    case Stage::RECEIVES:
        os << " waits for " << m_step.bytes << " B from " << m_in.connection->DescribeEnds()
           << ", by " << m_in.connection->Describe();
        break;
    case Stage::SENDS:
        os << " waits for room to send " << m_step.bytes << " B from "
           << m_out.connection->DescribeEnds() << ", by " << m_out.connection->Describe();
        break;
    default:
        os << " is at work";
    }
    return os.str();
}

} // namespace ns3
