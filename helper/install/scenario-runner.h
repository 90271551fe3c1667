// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCENARIO_RUNNER_H
#define SCENARIO_RUNNER_H

#include "collective-jobs.h"
#include "fabric-run.h"
#include "flow-launcher.h"
#include "gpu-cluster-helper.h"

#include "ns3/drop-mirror-collector.h"
#include "ns3/fct-report.h"
#include "ns3/flow-report.h"
#include "ns3/pause-distribution.h"
#include "ns3/perftest-application.h"
#include "ns3/queue-distribution.h"
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
    /// A flow of some job.
    struct PlacedFlow
    {
        std::string job;
        uint32_t source;      ///< IPv4 address
        uint32_t destination; ///< IPv4 address
    };

    uint32_t GetServersPerDomain() const;
    void RefuseUndivided() const;
    void WatchPauses();
    void SampleQueues();
    void WriteAnalysis(nlohmann::ordered_json& summary);
    void ConfigureFabric();
    void ConfigurePfc();
    void ConfigureBuffer();
    void ConfigureRouting();
    void ConfigureScheduling();
    void ConfigureTelemetry();
    void WarnOfReordering();
    void WarnOfTrimming();
    void TellCoarsePackets();
    void ConfigureRdma();
    void ConfigureEcn();
    void ResolveCongestionControl();
    void TellSwitchesOfPint();
    void ApplyAttributeSettings();
    void CollectMirroredDrops();
    void DropMirrored(const DropMirrorHeader& header, Ptr<const Packet> head);
    void InstallGpus();
    void InstallPcie();
    void RequireGpusOfFaults() const;
    void PlaceFlows(uint32_t job, const FlowsWorkload& workload);
    void PlaceGeneratedFlows(uint32_t job, const GeneratedFlowsWorkload& workload);
    void GeneratedFlowEnded(uint32_t job, const FlowLauncher::Ended& flow);
    FlowGeneratorParameters MakeGeneratorParameters(const GeneratedFlowsWorkload& workload,
                                                    const RankPorts& ranks) const;
    void ReportFlow(const FlowRecord& record, const PlacedFlow& flow, const std::string& group);
    void PlacePerftest(uint32_t job, const PerftestWorkload& workload);
    void PerftestMeasured(uint32_t job,
                          Ptr<PerftestApplication> test,
                          const PerftestResult& result);
    void FlowEnded(const FlowRecord& record);
    std::pair<std::string, std::string> JobOf(const MessageRecord& record) const;
    double ShareDone() const;

    Scenario m_scenario;
    std::ostream& m_out;
    FabricRun m_run;
    CongestionPreset m_control;                         ///< with the scenario's own parameters
    TelemetryFormat m_telemetry{TelemetryFormat::NONE}; ///< that switches write
    GpuCluster m_cluster;
    std::unique_ptr<CollectiveJobs> m_collectiveJobs;
    std::ofstream m_perftests;            ///< perftest.csv
    std::ofstream m_pauses;               ///< pfc.csv
    std::ofstream m_mirrored;             ///< mirror.csv
    Ptr<DropMirrorCollector> m_collector; ///< null: nobody hears of drops
    double m_bytesPlaced{0};
    double m_bytesDone{0};
    std::vector<PlacedFlow> m_flows;                        ///< by id
    std::vector<std::unique_ptr<FlowLauncher>> m_launchers; ///< of jobs with generated flows
    uint64_t m_generatedFlows{0};                           ///< that have started
    FlowReport m_flowReport;
    std::unique_ptr<FctReport> m_fctReport; ///< null: no flows
    PauseDistribution m_pauseDistribution;
    std::unique_ptr<QueueDistribution> m_queueDistribution; ///< null: not asked for
    std::unique_ptr<nlohmann::ordered_json> m_perftestRows;
    std::map<uint32_t, std::ostringstream> m_perftestTables; ///< by job: printed when it is whole
};

} // namespace ns3

#endif // SCENARIO_RUNNER_H
