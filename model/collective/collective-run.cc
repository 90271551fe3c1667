// SPDX-License-Identifier: GPL-2.0-only
#include "collective-run.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

CollectiveRun::CollectiveRun(CollectiveExecutor& executor,
                             uint64_t sequence,
                             const CollectiveRequest& request,
                             const CollectiveAlgorithm& algorithm,
                             const CollectivePlan& plan)
    : m_executor(executor),
      m_communicator(PeekPointer(executor.GetCommunicator())),
      m_program(algorithm.Emit(request, m_communicator->GetLayout(), plan)),
      m_ranks(m_communicator->GetSize()),
      m_ranksLeft(0)
{
    for (uint32_t r = 0; r < m_ranks.size(); ++r)
    {
        m_ranksLeft += executor.IsOwn(r) ? 1 : 0;
    }
    m_record.sequence = sequence;
    m_record.communicator = m_communicator->GetName();
    m_record.request = request;
    m_record.plan = plan;
    m_record.plan.algorithm = algorithm.GetName();
    m_record.plan.channels = m_program->GetChannels();
    m_record.ranks = m_communicator->GetSize();
    m_record.rankEnds.resize(m_ranks.size());
    m_record.rankWaits.resize(m_ranks.size());
}

void
CollectiveRun::Connect()
{
    /// One thread of one rank, and the connections that it used last.
    struct Walk
    {
        uint32_t rank;
        std::unique_ptr<StepSource> steps;
        ProgramMessage in;
        ProgramMessage out;
    };

    std::vector<Walk> walks;
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        for (uint32_t t = 0; t < m_program->GetThreads(rank); ++t)
        {
            walks.push_back({rank, m_program->Open(rank, t), {}, {}});
        }
    }
    auto use = [this](uint32_t rank, ProgramMessage& last, const ProgramMessage& next, bool sends) {
        const bool isSame =
            last && last.way == next.way && last.peer == next.peer && last.channel == next.channel;
        if (next && !isSame)
        {
            m_communicator->GetConnection(next, rank, sends);
            last = next;
        }
    };
    // All first steps, then all second ones, and so on: about as they would be used.
    ProgramStep step;
    for (size_t running = walks.size(); running > 0;)
    {
        running = 0;
        for (Walk& walk : walks)
        {
            if (walk.steps && walk.steps->Next(step))
            {
                use(walk.rank, walk.in, step.receive, false);
                use(walk.rank, walk.out, step.send, true);
                ++running;
            }
            else
            {
                walk.steps = nullptr;
            }
        }
    }
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
    rank.gpu = m_communicator->GetGpu(rankNumber);
    rank.gpu->BeginCommunication(m_record.plan.channels);
    if (rank.threadsRunning > 0)
    {
        rank.working.assign(m_program->GetBlock(rankNumber, rank.threadsRunning - 1) + 1, 0);
    }
    for (uint32_t t = 0; t < m_program->GetThreads(rankNumber); ++t)
    {
        rank.threads.push_back(
            std::make_unique<ProgramThread>(*this, rankNumber, t, m_program->Open(rankNumber, t)));
        rank.threads.back()->Start();
    }
    ShareWarps(rankNumber);
    for (const auto& thread : rank.threads)
    {
        thread->Continue();
    }
    CheckDone(rankNumber); // a rank without a thread
}

void
CollectiveRun::ShareWarps(uint32_t rank)
{
    const auto& threads = m_ranks[rank].threads;
    std::vector<uint32_t> sharing(m_ranks[rank].working.size()); // of each block, that have steps
    for (uint32_t t = 0; t < threads.size(); ++t)
    {
        sharing[m_program->GetBlock(rank, t)] += threads[t]->HasEnded() ? 0 : 1;
    }
    for (uint32_t t = 0; t < threads.size(); ++t)
    {
        const uint32_t warps = m_program->GetWarps(rank, t);
        const uint32_t alike = std::max(1U, sharing[m_program->GetBlock(rank, t)]);
        threads[t]->SetShare(warps > 0 ? static_cast<double>(warps) / BLOCK_WARPS : 1.0 / alike);
    }
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
    m_record.rankWaits[rankNumber] = GetWaited(rank);
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
    if (rank.gpu)
    {
        rank.gpu->EndCommunication(m_record.plan.channels);
        rank.gpu = nullptr;
    }
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
    m_record.stragglerRank = FindStraggler(*m_communicator, m_record);
    m_executor.RunEnded(*this);
}

uint32_t
CollectiveRun::FindStraggler(const Communicator& communicator, const CollectiveRecord& record)
{
    const std::vector<Time>& waits = record.rankWaits;
    Time sum;
    uint32_t least = 0;
    for (uint32_t r = 0; r < waits.size(); ++r)
    {
        sum += waits[r];
        least = waits[r] < waits[least] ? r : least;
    }
    if (2 * waits[least] * static_cast<int64_t>(waits.size()) >= sum)
    {
        // All wait alike: a link holds them up, no rank.
        return FindSlowestConnection(communicator, record.sequence, least);
    }
    return least;
}

uint32_t
CollectiveRun::FindSlowestConnection(const Communicator& communicator,
                                     uint64_t sequence,
                                     uint32_t otherwise)
{
    int64_t longest = 0;
    uint32_t source = otherwise;
    for (const auto& connection : communicator.GetConnections())
    {
        const CollectiveConnection::Waits& waits = connection->GetWaits();
        int64_t both = std::min(waits.starved, waits.blocked);
        if (waits.collective == sequence && both > longest)
        {
            longest = both;
            source = connection->GetEnds().sources.front();
        }
    }
    return source;
}

Time
CollectiveRun::GetWaited(const Rank& rank)
{
    int64_t steps = 0;
    for (const auto& thread : rank.threads)
    {
        steps += thread->GetWaited();
    }
    return TimeStep(steps / static_cast<int64_t>(std::max<size_t>(1, rank.threads.size())));
}

Time
CollectiveRun::GetLaunchLatency() const
{
    return m_communicator->GetCosts()->GetLaunchLatency(m_record.plan.protocol,
                                                        m_program->GetKind());
}

double
CollectiveRun::GetSlowdown(uint32_t rank) const
{
    return m_communicator->GetGpu(rank)->GetCommunicationSlowdown();
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
        if (m_ranks[r].stage != Stage::DONE && m_executor.IsOwn(r))
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
        if (m_ranks[r].stage != Stage::DONE && m_executor.IsOwn(r))
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
       << m_record.communicator << " (" << m_record.plan.algorithm << "), rank " << rankNumber
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
        constexpr size_t NAMED = 2; // the others mostly wait for the same
        const char* separator = "";
        size_t waiting = 0;
        for (const auto& thread : rank.threads)
        {
            if (!thread->HasEnded() && ++waiting <= NAMED)
            {
                os << separator << thread->DescribeWait();
                separator = "; ";
            }
        }
        if (waiting > NAMED)
        {
            os << "; " << waiting - NAMED << " more threads wait";
        }
        if (rank.sendsPending > 0)
        {
            os << separator << rank.sendsPending << " messages that it sent have not gone";
        }
    }
    return os.str();
}

} // namespace ns3
