// SPDX-License-Identifier: GPL-2.0-only
#include "collective-jobs.h"

#include "process-group.h"

#include "ns3/boolean.h"
#include "ns3/collective-report.h"
#include "ns3/collective-run.h"
#include "ns3/nic-ways.h"
#include "ns3/simulator.h"
#include "ns3/transfer-generator.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

/// @param from a GPU @param to another one @return they are in one scale-up domain
bool
ShareDomain(const GpuEndpoint& from, const GpuEndpoint& to)
{
    return from.GetScaleUpPort() && to.GetScaleUpPort() &&
           from.GetScaleUpDomain() == to.GetScaleUpDomain();
}

/// @param ranks of a job @param split of them @param index of a communicator @return its ranks
std::vector<uint32_t>
RanksOf(const std::vector<uint32_t>& ranks, const SplitConfig& split, uint32_t index)
{
    if (split.size == 0)
    {
        return ranks;
    }
    const auto count = static_cast<uint32_t>(ranks.size()) / split.size;
    std::vector<uint32_t> own;
    for (uint32_t i = 0; i < split.size; ++i)
    {
        own.push_back(ranks[split.by == "block" ? index * split.size + i : i * count + index]);
    }
    return own;
}

} // namespace

// ---------------------------------------------------------------- parts of other processes

/// What one process knows of a collective, as bytes and back.
struct CollectiveJobs::Part
{
    /// How a rank fared.
    struct Rank
    {
        uint32_t rank;
        int64_t end;    ///< time steps
        int64_t waited; ///< likewise
    };

    /// How a connection did, in the order of Communicator::GetConnections().
    struct Connection
    {
        int64_t starved; ///< time steps
        int64_t blocked; ///< likewise
    };

    /// The rest.
    struct Head
    {
        uint64_t sweep;
        uint32_t process;
        int64_t start; ///< time steps
        int64_t end;   ///< likewise
        uint64_t ranks;
        uint64_t connections;
    };

    Head head{};
    std::vector<Rank> ranks;
    std::vector<Connection> connections;
    std::string error;

    Part() = default;

    Part(uint64_t sweep, const PlacedCommunicator& placed, const CollectiveRecord& record)
        : error(record.error)
    {
        for (uint32_t r = 0; r < record.ranks; ++r)
        {
            if (placed.executor->IsOwn(r))
            {
                ranks.push_back(
                    {r, record.rankEnds[r].GetTimeStep(), record.rankWaits[r].GetTimeStep()});
            }
        }
        for (const auto& connection : placed.communicator->GetConnections())
        {
            const CollectiveConnection::Waits& waits = connection->GetWaits();
            const bool used = waits.collective == record.sequence;
            connections.push_back({used ? waits.starved : 0, used ? waits.blocked : 0});
        }
        head = {sweep,
                ProcessGroup::GetRank(),
                record.start.GetTimeStep(),
                record.end.GetTimeStep(),
                ranks.size(),
                connections.size()};
    }

    explicit Part(std::string_view bytes)
    {
        auto take = [&bytes](void* to, size_t size) {
            bytes.copy(static_cast<char*>(to), size);
            bytes.remove_prefix(size);
        };
        take(&head, sizeof(head));
        ranks.resize(head.ranks);
        take(ranks.data(), ranks.size() * sizeof(Rank));
        connections.resize(head.connections);
        take(connections.data(), connections.size() * sizeof(Connection));
        error = bytes;
    }

    std::string ToBytes() const
    {
        std::string bytes(reinterpret_cast<const char*>(&head), sizeof(head));
        bytes.append(reinterpret_cast<const char*>(ranks.data()), ranks.size() * sizeof(Rank));
        bytes.append(reinterpret_cast<const char*>(connections.data()),
                     connections.size() * sizeof(Connection));
        return bytes + error;
    }

    /// @param record gets what this process knows @param communicator likewise
    void AddTo(CollectiveRecord& record, const Communicator& communicator) const
    {
        record.start = std::min(record.start, Time(TimeStep(static_cast<uint64_t>(head.start))));
        record.end = std::max(record.end, Time(TimeStep(static_cast<uint64_t>(head.end))));
        for (const Rank& rank : ranks)
        {
            record.rankEnds[rank.rank] = TimeStep(static_cast<uint64_t>(rank.end));
            record.rankWaits[rank.rank] = TimeStep(static_cast<uint64_t>(rank.waited));
        }
        for (size_t c = 0; c < connections.size() && head.process != ProcessGroup::GetRank(); ++c)
        {
            CollectiveConnection& connection = *communicator.GetConnections()[c];
            connection.Waited(record.sequence, false, connections[c].starved);
            connection.Waited(record.sequence, true, connections[c].blocked);
        }
        if (record.error.empty())
        {
            record.error = error;
        }
    }
};

// ---------------------------------------------------------------- one operation, many sizes

/// The collectives of one communicator, one after the other.
class CollectiveJobs::Sweep
{
  public:
    Sweep(CollectiveJobs& jobs,
          uint64_t index,
          PlacedCommunicator& placed,
          const CollectiveWorkload& workload)
        : m_jobs(jobs),
          m_index(index),
          m_placed(placed),
          m_workload(workload)
    {
        jobs.m_run.RefuseDistributed(
            workload.sizes.size() * workload.iterations > 1,
            "jobs[" + std::to_string(placed.job) + "].workload",
            "a sequence of collectives, each of which begins when the last rank of the one before "
            "is done,");
        for (uint64_t size : workload.sizes)
        {
            m_plans.push_back(placed.planner->Plan(MakeRequest(size)));
            const double bytes = static_cast<double>(m_plans.back().request.GetBytes());
            jobs.m_bytesPlaced += bytes * workload.iterations;
        }
        jobs.RequireRoutes(placed, m_plans.front());
    }

    void Start()
    {
        const JobConfig& job = m_jobs.m_scenario.jobs[m_placed.job];
        if (m_placed.communicator->GetName() == job.name ||
            m_placed.communicator->GetName() == job.name + ".0")
        {
            m_jobs.m_run.ClearProgress();
            PrintCollectiveTableHeader(m_jobs.m_out,
                                       job.name + ": " + m_workload.op + ", " +
                                           std::to_string(m_placed.communicator->GetSize()) +
                                           " ranks" +
                                           (job.split.size > 0 ? " of each communicator" : "") +
                                           ", " + m_workload.choice.algorithm);
        }
        LaunchNext();
    }

    /// One of the processes tells what it knows. @param part it
    void AddPart(const Part& part)
    {
        if (m_partsLeft == 0)
        {
            m_partsLeft = m_jobs.CountParts(m_placed);
            m_record.start = Time::Max();
        }
        part.AddTo(m_record, *m_placed.communicator);
        if (--m_partsLeft == 0)
        {
            m_record.stragglerRank =
                CollectiveRun::FindStraggler(*m_placed.communicator, m_record);
            Ended(m_record);
        }
    }

  private:
    CollectiveRequest MakeRequest(uint64_t size) const
    {
        const uint32_t typeBytes = GetElementBytes(m_workload.dataType);
        const uint32_t ranks = m_placed.communicator->GetSize();
        CollectiveRequest request;
        ParseCollectiveOperation(m_workload.op, request.operation);
        if (request.operation == CollectiveOperation::BARRIER)
        {
            return MakeBarrier(typeBytes);
        }
        if (!m_workload.transfers.kind.empty())
        {
            return MakeTransfers(request.operation,
                                 GenerateTransfers(m_workload.transfers, size, typeBytes, ranks),
                                 ranks,
                                 typeBytes);
        }
        request.count = size / typeBytes;
        request.typeBytes = typeBytes;
        request.root = m_workload.root;
        request.inPlace = m_workload.inPlace;
        return request;
    }

    void LaunchNext()
    {
        if (m_jobs.m_run.IsDistributed())
        {
            m_record = m_jobs.Launch(m_placed,
                                     m_plans.front(),
                                     [this](const CollectiveRecord& record) { PartEnded(record); });
            return;
        }
        m_jobs.Launch(m_placed,
                      m_plans[m_next / m_workload.iterations],
                      [this](const CollectiveRecord& record) { Ended(record); });
    }

    void PartEnded(const CollectiveRecord& record)
    {
        m_jobs.m_run.PartEnded(Part(m_index, m_placed, record).ToBytes());
    }

    void Ended(const CollectiveRecord& record)
    {
        const JobConfig& job = m_jobs.m_scenario.jobs[m_placed.job];
        m_jobs.m_run.ClearProgress();
        PrintCollectiveTableRow(m_jobs.m_out, record, m_workload.dataType);
        m_jobs.Report(m_placed, record);
        ++m_next;
        if (m_next == m_plans.size() * m_workload.iterations || !record.error.empty())
        {
            m_jobs.m_run.WorkEnded(record.error.empty() ? "" : job.name + ": " + record.error);
            return;
        }
        // In an event of its own: the one that ends a collective is still inside its stream.
        Simulator::ScheduleNow(&Sweep::LaunchNext, this);
    }

    CollectiveJobs& m_jobs;
    uint64_t m_index;
    PlacedCommunicator& m_placed;
    const CollectiveWorkload& m_workload;
    CollectiveRecord m_record; ///< of several processes
    uint32_t m_partsLeft{0};   ///< that have not been added to it
    std::vector<PlannedCollective> m_plans; ///< by size
    size_t m_next{0};                       ///< of sizes x iterations
};

// ---------------------------------------------------------------- nccl-tests

/// One program of nccl-tests: for each root, size and place it warms up, and then measures.
class CollectiveJobs::NcclTestRun
{
  public:
    NcclTestRun(CollectiveJobs& jobs, PlacedCommunicator& placed, const NcclTestsWorkload& workload)
        : m_jobs(jobs),
          m_placed(placed),
          m_options(workload.options),
          m_test(*FindNcclTest(workload.options.test)),
          m_typeBytes(GetNcclTypeBytes(workload.options.dataType)),
          m_ranks(placed.communicator->GetSize())
    {
        for (int32_t root : Roots())
        {
            for (uint64_t size : GetNcclTestSizes(m_options))
            {
                for (bool inPlace : Places())
                {
                    PlanMeasurement(root, size, inPlace);
                }
            }
        }
    }

    void Start()
    {
        m_jobs.m_run.ClearProgress();
        PrintNcclTestHeader(
            m_jobs.m_out,
            m_options,
            m_ranks,
            m_jobs.m_scenario.gpu.model + ", " +
                std::to_string(m_placed.communicator->GetLayout().GetGroups().size()) +
                " group(s)");
        Begin();
    }

  private:
    struct Measurement
    {
        NcclTestSize size;
        int32_t root;
        bool inPlace;
        PlannedCollective planned;
        bool isChecked; ///< the program; not where the test itself does without
        uint32_t warmUp;
        uint32_t iterations;
    };

    std::vector<int32_t> Roots() const
    {
        if (!HasRoot(m_test.operation))
        {
            return {-1};
        }
        if (m_options.root >= 0)
        {
            return {m_options.root};
        }
        std::vector<int32_t> roots(m_ranks);
        std::iota(roots.begin(), roots.end(), 0);
        return roots;
    }

    std::vector<bool> Places() const
    {
        switch (m_options.place)
        {
        case NcclTestPlace::OUT_OF_PLACE:
            return {false};
        case NcclTestPlace::IN_PLACE:
            return {true};
        case NcclTestPlace::BOTH:
            break;
        }
        return {false, true};
    }

    void PlanMeasurement(int32_t root, uint64_t size, bool inPlace)
    {
        const bool repeats = size <= m_options.repeatUpTo;
        Measurement measurement{MakeNcclTestSize(m_test, size, m_typeBytes, m_ranks),
                                root,
                                inPlace,
                                {},
                                false,
                                repeats ? m_options.warmUp : 0,
                                repeats ? m_options.iterations : 1};
        CollectiveRequest request;
        request.operation = m_test.operation;
        request.count = measurement.size.count;
        request.typeBytes = m_typeBytes;
        request.root = static_cast<uint32_t>(std::max(root, 0));
        request.inPlace = inPlace && CanBeInPlace(m_test.operation);
        measurement.planned = m_placed.planner->Plan(request);
        // As the tests do: what cannot be in place is timed there, but not checked.
        measurement.isChecked = m_options.check > 0 && request.inPlace == inPlace;
        if (m_measurements.empty())
        {
            m_jobs.RequireRoutes(m_placed, measurement.planned);
        }
        m_jobs.m_bytesPlaced +=
            static_cast<double>(request.GetBytes()) * (measurement.warmUp + measurement.iterations);
        m_measurements.push_back(measurement);
    }

    /// Begins the next measurement.
    void Begin()
    {
        Measurement& measurement = m_measurements[m_next];
        if (measurement.isChecked)
        {
            const std::string wrong = m_placed.planner->Check(measurement.planned);
            if (!wrong.empty())
            {
                End(DescribePlan(measurement.planned.plan) + " does not do what " + m_options.test +
                    " asks for: " + wrong);
                return;
            }
        }
        if (measurement.size.count == 0) // NCCL launches nothing
        {
            m_seconds = 0;
            Measured();
            return;
        }
        if (measurement.warmUp == 0)
        {
            Measure();
            return;
        }
        Launch(measurement.warmUp, &NcclTestRun::Measure);
    }

    /// Launches iterations back to back. @param then what comes after the last one
    void Launch(uint32_t iterations, void (NcclTestRun::*then)())
    {
        m_outstanding = iterations;
        m_then = then;
        for (uint32_t i = 0; i < iterations; ++i)
        {
            m_jobs.Launch(m_placed,
                          m_measurements[m_next].planned,
                          [this](const CollectiveRecord& record) { IterationEnded(record); });
        }
    }

    void IterationEnded(const CollectiveRecord& record)
    {
        m_jobs.Report(m_placed, record);
        if (m_failed)
        {
            return;
        }
        if (!record.error.empty())
        {
            m_failed = true;
            End(record.error);
            return;
        }
        if (--m_outstanding == 0)
        {
            m_seconds = SecondsSince(m_start, record);
            // In an event of its own: the one that ends a collective is still inside its stream.
            Simulator::ScheduleNow(m_then, this);
        }
    }

    /// @return time of all iterations, as -a wants it of the ranks
    double SecondsSince(Time start, const CollectiveRecord& record) const
    {
        std::vector<double> seconds;
        for (const Time& end : record.rankEnds)
        {
            seconds.push_back((end - start).GetSeconds());
        }
        switch (m_options.average)
        {
        case 0:
            return seconds.front();
        case 2:
            return *std::min_element(seconds.begin(), seconds.end());
        case 3:
            return *std::max_element(seconds.begin(), seconds.end());
        default:
            return std::accumulate(seconds.begin(), seconds.end(), 0.0) / m_ranks;
        }
    }

    void Measure()
    {
        m_start = Simulator::Now();
        Launch(m_measurements[m_next].iterations, &NcclTestRun::Measured);
    }

    void Measured()
    {
        const Measurement& measurement = m_measurements[m_next];
        NcclTestHalf half;
        half.seconds = m_seconds / measurement.iterations;
        half.bandwidth =
            GetNcclTestBandwidth(m_test, measurement.size, m_typeBytes, m_ranks, half.seconds);
        half.plan = measurement.planned.plan;
        if (measurement.isChecked)
        {
            half.wrong = 0; // or we would not have come so far
        }
        m_busSum += half.bandwidth.bus;
        m_row.size = measurement.size;
        m_row.root = measurement.root;
        (measurement.inPlace ? m_row.inPlace : m_row.outOfPlace) = half;
        if (m_options.place != NcclTestPlace::BOTH || measurement.inPlace)
        {
            WriteRow();
        }
        if (++m_next == m_measurements.size())
        {
            m_jobs.m_run.ClearProgress();
            PrintNcclTestEnd(m_jobs.m_out,
                             m_options,
                             m_busSum / static_cast<double>(m_measurements.size()));
            m_jobs.m_run.WorkEnded();
            return;
        }
        Begin();
    }

    void WriteRow()
    {
        const std::string& job = m_jobs.m_scenario.jobs[m_placed.job].name;
        m_jobs.m_run.ClearProgress();
        PrintNcclTestRow(m_jobs.m_out, m_options, m_row);
        WriteNcclTestCsv(m_jobs.m_ncclTests, job, m_options, m_row);
        m_jobs.m_testRows->push_back(NcclTestSummary(job, m_options, m_row));
        m_row = {};
    }

    void End(const std::string& error)
    {
        m_jobs.m_run.WorkEnded(m_jobs.m_scenario.jobs[m_placed.job].name + ": " + error);
    }

    CollectiveJobs& m_jobs;
    PlacedCommunicator& m_placed;
    const NcclTestOptions& m_options;
    const NcclTest& m_test;
    uint32_t m_typeBytes;
    uint32_t m_ranks;
    std::vector<Measurement> m_measurements;
    size_t m_next{0};
    uint32_t m_outstanding{0};
    bool m_failed{false};
    void (NcclTestRun::*m_then)(){nullptr};
    Time m_start;
    double m_seconds{0};
    double m_busSum{0};
    NcclTestRow m_row{};
};

// ---------------------------------------------------------------- all of them

CollectiveJobs::CollectiveJobs(const Scenario& scenario,
                               FabricRun& run,
                               const GpuCluster& cluster,
                               std::ostream& out)
    : m_scenario(scenario),
      m_run(run),
      m_cluster(cluster),
      m_out(out),
      m_rows(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::array())),
      m_testRows(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::array()))
{
}

CollectiveJobs::~CollectiveJobs() = default;

InputPlace
CollectiveJobs::PlaceOf(uint32_t job) const
{
    return {m_scenario.file, 0, "jobs[" + std::to_string(job) + "].workload"};
}

PlacedCommunicator&
CollectiveJobs::MakeCommunicator(uint32_t job,
                                 const std::string& name,
                                 const std::vector<uint32_t>& ranks,
                                 const CollectiveChoice& choice)
{
    if (!m_collectives.is_open())
    {
        m_collectives = m_run.Folder().Create("collectives.csv");
        WriteCollectiveCsvHeader(m_collectives);
    }
    std::vector<Ptr<GpuEndpoint>> gpus;
    for (uint32_t rank : ranks)
    {
        gpus.push_back(m_cluster.gpus.at(rank));
    }
    PlacedCommunicator& placed = m_communicators.emplace_back();
    placed.job = job;
    placed.communicator = CreateObject<Communicator>();
    placed.communicator->SetRanks(name, gpus);
    placed.communicator->SetJob(job);
    placed.executor = CreateObject<CollectiveExecutor>();
    placed.executor->SetCommunicator(placed.communicator);
    if (m_run.IsDistributed())
    {
        placed.executor->SetAttribute("ConnectFirst", BooleanValue(true));
        if (HasPart(placed))
        {
            m_run.PartPlaced();
        }
        m_run.SetPartHandler([this](int64_t, std::string_view bytes) { PartToldOf(bytes); });
    }
    placed.planner = std::make_unique<CollectivePlanner>(choice,
                                                         placed.communicator,
                                                         m_scenario.gpu.model,
                                                         PlaceOf(job));
    m_run.DescribeBlockedBy([executor = placed.executor]() { return executor->DescribeBlocked(); });
    m_run.WorkPlaced(m_scenario.jobs[job].start);
    return placed;
}

void
CollectiveJobs::PlaceCollective(uint32_t job)
{
    const JobConfig& config = m_scenario.jobs[job];
    const auto& workload = std::get<CollectiveWorkload>(config.workload);
    const uint32_t count =
        config.split.size > 0 ? static_cast<uint32_t>(config.ranks.size()) / config.split.size : 1;
    for (uint32_t index = 0; index < count; ++index)
    {
        PlacedCommunicator& placed = MakeCommunicator(
            job,
            config.split.size > 0 ? config.name + "." + std::to_string(index) : config.name,
            RanksOf(config.ranks, config.split, index),
            workload.choice);
        m_sweeps.push_back(std::make_unique<Sweep>(*this, m_sweeps.size(), placed, workload));
        Simulator::Schedule(config.start, &Sweep::Start, m_sweeps.back().get());
    }
}

bool
CollectiveJobs::HasPart(const PlacedCommunicator& placed) const
{
    for (uint32_t r = 0; r < placed.communicator->GetSize(); ++r)
    {
        if (placed.executor->IsOwn(r))
        {
            return true;
        }
    }
    return false;
}

uint32_t
CollectiveJobs::CountParts(const PlacedCommunicator& placed) const
{
    std::set<uint32_t> processes;
    for (uint32_t r = 0; r < placed.communicator->GetSize(); ++r)
    {
        processes.insert(placed.communicator->GetGpu(r)->GetNode()->GetSystemId());
    }
    return static_cast<uint32_t>(processes.size());
}

void
CollectiveJobs::PartToldOf(std::string_view bytes)
{
    const Part part(bytes);
    m_sweeps.at(part.head.sweep)->AddPart(part);
}

void
CollectiveJobs::PlaceNcclTests(uint32_t job)
{
    m_run.RefuseDistributed(true,
                            "jobs[" + std::to_string(job) + "].workload.type",
                            "nccl-tests, whose measurements begin when the last rank of the one "
                            "before is done,");
    const JobConfig& config = m_scenario.jobs[job];
    const auto& workload = std::get<NcclTestsWorkload>(config.workload);
    const NcclTestOptions& options = workload.options;
    const uint32_t ranks = options.processes * options.threads * options.gpus;
    OpenNcclTestsCsv();
    PlacedCommunicator& placed =
        MakeCommunicator(job,
                         config.name,
                         {config.ranks.begin(), config.ranks.begin() + ranks},
                         workload.choice);
    m_tests.push_back(std::make_unique<NcclTestRun>(*this, placed, workload));
    Simulator::Schedule(config.start, &NcclTestRun::Start, m_tests.back().get());
}

void
CollectiveJobs::OpenNcclTestsCsv()
{
    if (!m_ncclTests.is_open())
    {
        m_ncclTests = m_run.Folder().Create("nccl-tests.csv");
        WriteNcclTestCsvHeader(m_ncclTests);
    }
}

void
CollectiveJobs::RequireRoutes(const PlacedCommunicator& placed,
                              const PlannedCollective& planned) const
{
    const Communicator& communicator = *placed.communicator;
    for (const auto& [source, destination] : placed.planner->FindPeers(planned))
    {
        const GpuEndpoint& from = *communicator.GetGpu(source);
        const GpuEndpoint& to = *communicator.GetGpu(destination);
        if (ShareDomain(from, to))
        {
            continue;
        }
        const std::vector<NicWay> ways = FindNicWays(from, to);
        const bool byAnother =
            ways.empty() &&
            std::any_of(m_cluster.gpus.begin(), m_cluster.gpus.end(), [&](const auto& other) {
                return ShareDomain(from, *other) && !FindNicWays(*other, to).empty();
            });
        if (!byAnother)
        {
            m_run.RequireRoute(ways.empty() ? from.GetNicPort() : ways.front().first,
                               ways.empty() ? to.GetNicPort() : ways.front().second,
                               PlaceOf(placed.job));
        }
    }
}

std::string
CollectiveJobs::GetCollective(uint32_t job) const
{
    uint64_t launched = 0;
    for (const PlacedCommunicator& placed : m_communicators)
    {
        launched += placed.job == job ? placed.launched : 0;
    }
    return launched > 0 ? std::to_string(launched - 1) : "";
}

const CollectiveRecord&
CollectiveJobs::Launch(PlacedCommunicator& placed,
                       const PlannedCollective& planned,
                       CollectiveExecutor::EndCallback end)
{
    ++placed.launched;
    const uint64_t sequence =
        placed.executor->Launch(planned.request, planned.algorithm, planned.plan, std::move(end));
    return placed.executor->GetRecord(sequence);
}

void
CollectiveJobs::Report(const PlacedCommunicator& placed, const CollectiveRecord& record)
{
    const ReportedCollective reported{m_scenario.jobs[placed.job].name,
                                      placed.planner->GetChooser(),
                                      record};
    WriteCollectiveCsv(m_collectives, reported);
    if (std::holds_alternative<CollectiveWorkload>(m_scenario.jobs[placed.job].workload))
    {
        m_rows->push_back(CollectiveSummary(reported));
    }
    m_bytesDone += static_cast<double>(record.request.GetBytes());
}

void
CollectiveJobs::AddSummary(nlohmann::ordered_json& summary) const
{
    summary["collectives"] = *m_rows;
    if (!m_testRows->empty())
    {
        summary["ncclTests"] = *m_testRows;
    }
}

} // namespace ns3
