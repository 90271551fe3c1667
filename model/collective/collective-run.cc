// SPDX-License-Identifier: GPL-2.0-only
#include "collective-run.h"

#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{

CollectiveRun::CollectiveRun(CollectiveExecutor& executor,
                             uint64_t sequence,
                             const CollectiveRequest& request,
                             const CollectiveAlgorithm& algorithm)
    : m_executor(executor),
      m_communicator(PeekPointer(executor.GetCommunicator())),
      m_program(algorithm.Emit(request, m_communicator->GetLayout())),
      m_ranks(m_communicator->GetSize()),
      m_ranksLeft(m_communicator->GetSize())
{
    m_record.sequence = sequence;
    m_record.communicator = m_communicator->GetName();
    m_record.request = request;
    m_record.algorithm = algorithm.GetName();
    m_record.protocol = algorithm.GetProtocol();
    m_record.channels = m_program->GetChannels();
    m_record.ranks = m_communicator->GetSize();
    m_record.rankEnds.resize(m_ranks.size());
}

void
CollectiveRun::RankLaunched(uint32_t rank, CollectiveExecutor::RankDoneCallback done)
{
    m_ranks[rank].stage = Stage::QUEUED;
    m_ranks[rank].done = std::move(done);
}

void
CollectiveRun::RankStarts(uint32_t rank, GpuStream::Done done)
{
    m_ranks[rank].stage = Stage::STARTING;
    m_ranks[rank].streamDone = std::move(done);
    if (!m_started)
    {
        m_started = true;
        m_record.start = Simulator::Now();
    }
}

void
CollectiveRun::RankRuns(uint32_t rankNumber)
{
    Rank& rank = m_ranks[rankNumber];
    rank.stage = Stage::RUNNING;
    rank.threadsRunning = m_program->GetThreads(rankNumber);
    for (uint32_t t = 0; t < rank.threadsRunning; ++t)
    {
        rank.threads.push_back(
            std::make_unique<ProgramThread>(*this, rankNumber, t, m_program->Open(rankNumber, t)));
    }
    for (const auto& thread : rank.threads)
    {
        thread->Continue();
    }
    CheckDone(rankNumber); // a rank without a thread
}

ProgramThread*
CollectiveRun::GetThread(uint32_t rank, uint32_t thread) const
{
    const auto& threads = m_ranks[rank].threads;
    return thread < threads.size() ? threads[thread].get() : nullptr;
}

void
CollectiveRun::SendStarted(uint32_t rank)
{
    ++m_ranks[rank].sendsPending;
}

void
CollectiveRun::SendCompleted(uint32_t rank)
{
    --m_ranks[rank].sendsPending;
    CheckDone(rank);
}

void
CollectiveRun::ThreadEnded(uint32_t rank)
{
    --m_ranks[rank].threadsRunning;
    CheckDone(rank);
}

void
CollectiveRun::CheckDone(uint32_t rankNumber)
{
    Rank& rank = m_ranks[rankNumber];
    if (rank.stage != Stage::RUNNING || rank.threadsRunning > 0 || rank.sendsPending > 0)
    {
        return;
    }
    m_record.rankEnds[rankNumber] = Simulator::Now();
    bool last = --m_ranksLeft == 0;
    Finish(rank);
    if (last)
    {
        End();
    }
}

void
CollectiveRun::Finish(Rank& rank)
{
    rank.stage = Stage::DONE;
    GpuStream::Done streamDone = std::move(rank.streamDone);
    CollectiveExecutor::RankDoneCallback done = std::move(rank.done);
    if (streamDone)
    {
        streamDone();
    }
    if (done)
    {
        done();
    }
}

void
CollectiveRun::End()
{
    m_ended = true;
    m_record.end = Simulator::Now();
    m_record.stragglerRank = 0;
    for (uint32_t r = 1; r < m_ranks.size(); ++r)
    {
        if (m_record.rankEnds[r] > m_record.rankEnds[m_record.stragglerRank])
        {
            m_record.stragglerRank = r;
        }
    }
    m_executor.RunEnded(*this);
}

void
CollectiveRun::Fail(const std::string& why)
{
    if (m_ended)
    {
        return;
    }
    m_ended = true; // threads stop
    m_record.error = why;
    if (!m_started)
    {
        m_record.start = Simulator::Now();
    }
    for (uint32_t r = 0; r < m_ranks.size(); ++r)
    {
        if (m_ranks[r].stage != Stage::DONE)
        {
            m_record.rankEnds[r] = Simulator::Now();
            Finish(m_ranks[r]);
        }
    }
    End();
}

void
CollectiveRun::DescribeBlocked(std::vector<std::string>& lines) const
{
    for (uint32_t r = 0; r < m_ranks.size(); ++r)
    {
        if (m_ranks[r].stage != Stage::DONE)
        {
            lines.push_back(DescribeRank(r));
        }
    }
}

std::string
CollectiveRun::DescribeRank(uint32_t rankNumber) const
{
    const Rank& rank = m_ranks[rankNumber];
    std::ostringstream os;
    os << ToString(m_record.request.operation) << " " << m_record.sequence << " of communicator "
       << m_record.communicator << " (" << m_record.algorithm << "), rank " << rankNumber
       << " (GPU " << m_communicator->GetGpu(rankNumber)->GetId() << "): ";
    switch (rank.stage)
    {
    case Stage::ABSENT:
        os << "was never launched";
        break;
    case Stage::QUEUED:
        os << "waits in its stream behind " << m_communicator->GetStream(rankNumber)->GetRunning();
        break;
    case Stage::STARTING:
        os << "is being launched";
        break;
    default:
        const char* separator = "";
        for (const auto& thread : rank.threads)
        {
            if (!thread->HasEnded())
            {
                os << separator << thread->DescribeWait();
                separator = "; ";
            }
        }
        if (rank.sendsPending > 0)
        {
            os << separator << rank.sendsPending << " messages that it sent have not gone";
        }
    }
    return os.str();
}

} // namespace ns3
