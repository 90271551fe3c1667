// SPDX-License-Identifier: GPL-2.0-only
#include "collective-executor.h"

#include "collective-run.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveExecutor);

TypeId
CollectiveExecutor::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveExecutor")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<CollectiveExecutor>()
            .AddAttribute("ConnectFirst",
                          "All connections of a collective are made when it is launched, in an "
                          "order that its program gives: not when they are first used. To be set "
                          "where a simulation is divided over processes, for the numbers of queue "
                          "pairs, and so ECMP, depend on that order.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&CollectiveExecutor::m_connectsFirst),
                          MakeBooleanChecker())
            .AddTraceSource("CollectiveComplete",
                            "A collective has ended.",
                            MakeTraceSourceAccessor(&CollectiveExecutor::m_collectiveTrace),
                            "ns3::CollectiveExecutor::CollectiveTracedCallback");
    return tid;
}

CollectiveExecutor::CollectiveExecutor()
    : m_sweepEvent(Create<PersistentEvent<CollectiveExecutor, &CollectiveExecutor::Sweep>>(this))
{
}

CollectiveExecutor::~CollectiveExecutor()
{
    m_sweepEvent->Detach();
}

void
CollectiveExecutor::DoDispose()
{
    m_runs.clear();
    m_communicator = nullptr;
    Object::DoDispose();
}

void
CollectiveExecutor::SetCommunicator(Ptr<Communicator> communicator)
{
    NS_ABORT_MSG_IF(m_communicator, "CollectiveExecutor: the communicator is set already");
    m_communicator = communicator;
    m_nextSequence.assign(communicator->GetSize(), 0);
    communicator->AddFailureCallback([this]() { CommunicatorFailed(); });
}

Ptr<Communicator>
CollectiveExecutor::GetCommunicator() const
{
    return m_communicator;
}

uint64_t
CollectiveExecutor::Launch(const CollectiveRequest& request,
                           Ptr<const CollectiveAlgorithm> algorithm,
                           EndCallback end)
{
    return Launch(request,
                  algorithm,
                  algorithm->MakePlan(request, m_communicator->GetLayout()),
                  std::move(end));
}

uint64_t
CollectiveExecutor::Launch(const CollectiveRequest& request,
                           Ptr<const CollectiveAlgorithm> algorithm,
                           const CollectivePlan& plan,
                           EndCallback end)
{
    uint64_t sequence = m_nextSequence.at(0);
    for (uint64_t next : m_nextSequence)
    {
        NS_ABORT_MSG_IF(next != sequence,
                        "CollectiveExecutor::Launch: the ranks of communicator "
                            << m_communicator->GetName()
                            << " have been launched one by one and are not at the same collective");
    }
    CollectiveRun& run = MakeRun(request, algorithm, plan);
    run.SetEndCallback(std::move(end));
    if (m_connectsFirst)
    {
        run.Connect();
    }
    for (uint32_t rank = 0; rank < m_communicator->GetSize(); ++rank)
    {
        LaunchRank(rank, request, algorithm, plan);
    }
    return sequence;
}

uint64_t
CollectiveExecutor::LaunchRank(uint32_t rank,
                               const CollectiveRequest& request,
                               Ptr<const CollectiveAlgorithm> algorithm,
                               RankDoneCallback done)
{
    return LaunchRank(rank,
                      request,
                      algorithm,
                      algorithm->MakePlan(request, m_communicator->GetLayout()),
                      std::move(done));
}

uint64_t
CollectiveExecutor::LaunchRank(uint32_t rank,
                               const CollectiveRequest& request,
                               Ptr<const CollectiveAlgorithm> algorithm,
                               const CollectivePlan& plan,
                               RankDoneCallback done)
{
    uint64_t sequence = m_nextSequence.at(rank)++;
    if (sequence == m_firstSequence + m_runs.size())
    {
        MakeRun(request, algorithm, plan);
    }
    if (!IsOwn(rank))
    {
        NS_ABORT_MSG_UNLESS(m_connectsFirst,
                            "CollectiveExecutor: set ConnectFirst where ranks belong to other "
                            "processes");
        return sequence;
    }
    // A run that failed may be gone before this rank comes to it; its stream then passes over it.
    CollectiveRun* run = FindRun(sequence);
    if (run && !run->HasEnded())
    {
        const CollectiveRecord& record = run->GetRecord();
        if (!(record.request == request) || record.plan.algorithm != algorithm->GetName())
        {
            m_communicator->Fail("rank " + std::to_string(rank) + " asks for " +
                                 Describe(request, algorithm->GetName()) + " as collective " +
                                 std::to_string(sequence) + ", where others ask for " +
                                 Describe(record.request, record.plan.algorithm));
        }
        run->RankLaunched(rank, std::move(done));
    }
    else if (done)
    {
        Simulator::ScheduleNow(&CollectiveExecutor::Call, done);
    }
    m_communicator->GetStream(rank)->Enqueue(ToString(request.operation),
                                             [this, sequence, rank](GpuStream::Done streamDone) {
                                                 StartRank(sequence, rank, std::move(streamDone));
                                             });
    return sequence;
}

bool
CollectiveExecutor::IsOwn(uint32_t rank) const
{
    return m_communicator->GetGpu(rank)->GetNode()->GetSystemId() == Simulator::GetSystemId();
}

const CollectiveRecord&
CollectiveExecutor::GetRecord(uint64_t sequence) const
{
    const CollectiveRun* run = FindRun(sequence);
    NS_ABORT_MSG_UNLESS(run, "CollectiveExecutor: no collective " << sequence << " is under way");
    return run->GetRecord();
}

std::string
CollectiveExecutor::Describe(const CollectiveRequest& request, const std::string& algorithm)
{
    return std::string(ToString(request.operation)) + " of " + std::to_string(request.count) +
           " x " + std::to_string(request.typeBytes) + " B (" + algorithm + ")";
}

CollectiveRun&
CollectiveExecutor::MakeRun(const CollectiveRequest& request,
                            Ptr<const CollectiveAlgorithm> algorithm,
                            const CollectivePlan& plan)
{
    std::string objection = CheckRequest(request, m_communicator->GetSize());
    if (objection.empty())
    {
        objection = algorithm->Check(request, m_communicator->GetLayout());
    }
    NS_ABORT_MSG_UNLESS(objection.empty(),
                        "CollectiveExecutor: " << algorithm->GetName() << " cannot do "
                                               << Describe(request, algorithm->GetName())
                                               << " on communicator " << m_communicator->GetName()
                                               << ": " << objection);
    uint64_t sequence = m_firstSequence + m_runs.size();
    m_runs.push_back(std::make_unique<CollectiveRun>(*this, sequence, request, *algorithm, plan));
    ++m_outstanding;
    return *m_runs.back();
}

CollectiveRun*
CollectiveExecutor::FindRun(uint64_t sequence) const
{
    uint64_t index = sequence - m_firstSequence;
    return sequence >= m_firstSequence && index < m_runs.size() ? m_runs[index].get() : nullptr;
}

void
CollectiveExecutor::StartRank(uint64_t sequence, uint32_t rank, GpuStream::Done done)
{
    CollectiveRun* run = FindRun(sequence);
    if (!run || run->HasEnded())
    {
        done();
        return;
    }
    run->RankStarts(rank, std::move(done));
    Simulator::ScheduleWithContext(m_communicator->GetGpu(rank)->GetNode()->GetId(),
                                   run->GetLaunchLatency(),
                                   &CollectiveExecutor::RunRank,
                                   Ptr<CollectiveExecutor>(this),
                                   sequence,
                                   rank);
}

void
CollectiveExecutor::RunRank(uint64_t sequence, uint32_t rank)
{
    CollectiveRun* run = FindRun(sequence);
    if (!run || run->HasEnded())
    {
        return;
    }
    if (m_communicator->GetError().empty())
    {
        run->RankRuns(rank);
    }
    else
    {
        run->Fail(m_communicator->GetError());
    }
}

void
CollectiveExecutor::RunEnded(CollectiveRun& run)
{
    --m_outstanding;
    m_collectiveTrace(run.GetRecord());
    run.ReportEnd();
    // The run's own methods are still on the call stack: it goes in an event of its own.
    m_sweepEvent->Schedule(m_communicator->GetGpu(0)->GetNode()->GetId(), 0);
}

void
CollectiveExecutor::Sweep()
{
    // The row is kept without gaps: a run that ended before an earlier one goes after that.
    while (!m_runs.empty() && m_runs.front()->HasEnded())
    {
        m_runs.pop_front();
        ++m_firstSequence;
    }
}

void
CollectiveExecutor::CommunicatorFailed()
{
    // What a callback launches meanwhile fails when its turn comes.
    size_t launched = m_runs.size();
    for (size_t i = 0; i < launched; ++i)
    {
        m_runs[i]->Fail(m_communicator->GetError());
    }
}

std::vector<std::string>
CollectiveExecutor::DescribeBlocked() const
{
    std::vector<std::string> lines;
    for (const auto& run : m_runs)
    {
        if (!run->HasEnded())
        {
            run->DescribeBlocked(lines);
        }
    }
    return lines;
}

void
CollectiveExecutor::Call(RankDoneCallback done)
{
    done();
}

} // namespace ns3
