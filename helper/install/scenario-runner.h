// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCENARIO_RUNNER_H
#define SCENARIO_RUNNER_H

#include "fabric-run.h"
#include "gpu-cluster-helper.h"

#include "ns3/collective-executor.h"
#include "ns3/drop-mirror-collector.h"
#include "ns3/flow-report.h"
#include "ns3/perftest-application.h"
#include "ns3/rdma-flow-application.h"
#include "ns3/scenario.h"

#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Runs a scenario: builds what it describes, starts its jobs, writes its results.
 *
 * Time::SetResolution(Time::PS) must have been called. One scenario a process: ns-3's simulator is
 * global.
 */
class ScenarioRunner
{
  public:
    /**
     * Builds the scenario; InputError where it cannot work.
     * @param scenario what to run
     * @param options how the program was called
     * @param out where tables go
     */
    ScenarioRunner(const Scenario& scenario, const RunOptions& options, std::ostream& out);
    ~ScenarioRunner();

    /// @return exit status: 0 done, 3 stalled or failed
    int Run();

  private:
    /// A job whose workload is collectives.
    struct CollectiveJob
    {
        const JobConfig* config;
        const CollectiveWorkload* workload;
        Ptr<CollectiveExecutor> executor;
        Ptr<CollectiveAlgorithm> algorithm;
        CollectiveOperation operation;
        uint32_t typeBytes;
        size_t next{0}; ///< of sizes x iterations
    };

    /// A flow of some job.
    struct PlacedFlow
    {
        std::string job;
        uint32_t source;      ///< IPv4 address
        uint32_t destination; ///< IPv4 address
    };

    void ConfigureFabric();
    void ConfigurePfc();
    void ConfigureBuffer();
    void ConfigureRouting();
    void ConfigureScheduling();
    void ConfigureTelemetry();
    void WarnOfReordering();
    void WarnOfTrimming();
    void ConfigureRdma(DataRate nicRate);
    void ConfigureEcn(DataRate nicRate);
    void ApplyAttributeSettings();
    void CollectMirroredDrops();
    void DropMirrored(const DropMirrorHeader& header, Ptr<const Packet> head);
    void InstallGpus();
    void PlaceCollectives(uint32_t job, const CollectiveWorkload& workload);
    void RequireRoutes(uint32_t job,
                       const CollectiveAlgorithm& algorithm,
                       const Communicator& communicator);
    void PlaceFlows(uint32_t job, const FlowsWorkload& workload);
    void PlacePerftest(uint32_t job, const PerftestWorkload& workload);
    void PerftestMeasured(uint32_t job,
                          Ptr<PerftestApplication> test,
                          const PerftestResult& result);
    void LaunchNext(uint32_t index);
    void CollectiveEnded(uint32_t index, const CollectiveRecord& record);
    void FlowEnded(const FlowRecord& record);
    std::pair<std::string, std::string> JobOf(const MessageRecord& record) const;
    double ShareDone() const;

    Scenario m_scenario;
    std::ostream& m_out;
    FabricRun m_run;
    GpuCluster m_cluster;
    std::vector<CollectiveJob> m_collectiveJobs;
    std::vector<int32_t> m_collectiveJobOf; ///< by job: index in m_collectiveJobs, or -1
    std::ofstream m_collectives;            ///< collectives.csv
    std::ofstream m_perftests;              ///< perftest.csv
    std::ofstream m_pauses;                 ///< pfc.csv
    std::ofstream m_mirrored;               ///< mirror.csv
    Ptr<DropMirrorCollector> m_collector;   ///< null: nobody hears of drops
    double m_bytesPlaced{0};
    double m_bytesDone{0};
    std::vector<PlacedFlow> m_flows; ///< by id
    FlowReport m_flowReport;
    std::unique_ptr<nlohmann::ordered_json> m_collectiveRows;
    std::unique_ptr<nlohmann::ordered_json> m_perftestRows;
    std::map<uint32_t, std::ostringstream> m_perftestTables; ///< by job: printed when it is whole
};

} // namespace ns3

#endif // SCENARIO_RUNNER_H
