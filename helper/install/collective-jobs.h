// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_JOBS_H
#define COLLECTIVE_JOBS_H

#include "collective-planner.h"
#include "fabric-run.h"
#include "gpu-cluster-helper.h"

#include "ns3/collective-executor.h"
#include "ns3/nccl-tests-report.h"
#include "ns3/scenario.h"

#include <deque>
#include <fstream>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/// The collectives of a communicator.
struct PlacedCommunicator
{
    uint32_t job;
    Ptr<Communicator> communicator;
    Ptr<CollectiveExecutor> executor;
    std::unique_ptr<CollectivePlanner> planner;
    uint64_t launched{0}; ///< collectives so far
};

/**
 * @ingroup ai-fabric
 * @brief Runs the jobs of a scenario that are collectives: sweeps of one operation, and the
 * programs of nccl-tests.
 *
 * Everything is planned, and refused where it cannot work, before the simulation begins.
 */
class CollectiveJobs
{
  public:
    /**
     * @param scenario what to run
     * @param run the fabric that carries it
     * @param cluster its GPUs
     * @param out where tables go
     */
    CollectiveJobs(const Scenario& scenario,
                   FabricRun& run,
                   const GpuCluster& cluster,
                   std::ostream& out);
    ~CollectiveJobs();

    /// @param job number of a job whose workload is a collective
    void PlaceCollective(uint32_t job);
    /// @param job number of a job whose workload is nccl-tests
    void PlaceNcclTests(uint32_t job);

    /// @param job number of a job @return number of its latest collective, from 0; empty: has none
    std::string GetCollective(uint32_t job) const;

    /// @return bytes of all collectives to come, as nccl-tests counts them
    double GetBytesPlaced() const
    {
        return m_bytesPlaced;
    }

    /// @return bytes of those that have ended
    double GetBytesDone() const
    {
        return m_bytesDone;
    }

    /// @param summary receives "collectives", and "ncclTests" where there are some
    void AddSummary(nlohmann::ordered_json& summary) const;

  private:
    /// Of one collective in one process.
    struct Part;
    class Sweep;
    class NcclTestRun;

    PlacedCommunicator& MakeCommunicator(uint32_t job,
                                         const std::string& name,
                                         const std::vector<uint32_t>& ranks,
                                         const CollectiveChoice& choice);
    void RequireRoutes(const PlacedCommunicator& placed, const PlannedCollective& planned) const;
    InputPlace PlaceOf(uint32_t job) const;
    const CollectiveRecord& Launch(PlacedCommunicator& placed,
                                   const PlannedCollective& planned,
                                   CollectiveExecutor::EndCallback end);
    void Report(const PlacedCommunicator& placed, const CollectiveRecord& record);
    bool HasPart(const PlacedCommunicator& placed) const;
    uint32_t CountParts(const PlacedCommunicator& placed) const;
    void PartToldOf(std::string_view bytes);
    void OpenNcclTestsCsv();

    const Scenario& m_scenario;
    FabricRun& m_run;
    const GpuCluster& m_cluster;
    std::ostream& m_out;
    std::ofstream m_collectives;                    ///< collectives.csv
    std::ofstream m_ncclTests;                      ///< nccl-tests.csv
    std::deque<PlacedCommunicator> m_communicators; ///< stable addresses
    std::vector<std::unique_ptr<Sweep>> m_sweeps;
    std::vector<std::unique_ptr<NcclTestRun>> m_tests;
    double m_bytesPlaced{0};
    double m_bytesDone{0};
    std::unique_ptr<nlohmann::ordered_json> m_rows;     ///< of summary.json
    std::unique_ptr<nlohmann::ordered_json> m_testRows; ///< likewise
};

} // namespace ns3

#endif // COLLECTIVE_JOBS_H
