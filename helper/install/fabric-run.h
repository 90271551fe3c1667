// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_RUN_H
#define FABRIC_RUN_H

#include "fabric-helper.h"
#include "fault-injector.h"
#include "happenings.h"
#include "partition-helper.h"
#include "rdma-helper.h"

#include "ns3/base-rtt.h"
#include "ns3/fabric-graph.h"
#include "ns3/input-error.h"
#include "ns3/link-report.h"
#include "ns3/message-report.h"
#include "ns3/port-names.h"
#include "ns3/rdma-flow-application.h"
#include "ns3/results-folder.h"
#include "ns3/time-series.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ns3
{

class Progress;

/// How the program was called.
struct RunOptions
{
    std::string out;                 ///< results folder; empty: the scenario's own
    bool quiet{false};               ///< no progress line
    std::vector<std::string> inputs; ///< files that were read, for the manifest
    std::string commandLine;         ///< for the manifest
    std::string partition;           ///< with a ProcessGroup, see GetPartitionKindNames(); empty:
                                     ///< as the scenario says, or a cut
};

/// What all NICs of a fabric counted, added up.
RdmaNicCounters AddUpNics(const std::vector<Ptr<RdmaNic>>& nics);

/**
 * @ingroup ai-fabric
 * @brief A fabric that runs under observation: builds it, watches it, writes what it did.
 *
 * What kind of work it carries is its user's business (ScenarioRunner, HpccRunner). Set the two
 * helpers' attributes, Build(), place the work, Simulate(), Report().
 */
class FabricRun
{
  public:
    /// How a simulation ended.
    enum class Outcome
    {
        FINISHED, ///< all work is done
        FAILED,   ///< some work has ended with an error
        STALLED,  ///< nothing moves while work is outstanding
        TIME_UP,  ///< the time limit came first
    };

    /// Hears of a port that is stopped or opened: the port, the class, stopped or not, when (time
    /// steps).
    using PauseHandler = std::function<void(const ReportedPort&, uint32_t, bool, int64_t)>;

    /**
     * @param graph the fabric on paper
     * @param graphSource the file to name where the fabric cannot work
     * @param folder where results go
     * @param options how the program was called
     */
    FabricRun(const FabricGraph& graph,
              const std::string& graphSource,
              const ResultsFolder& folder,
              const RunOptions& options);
    ~FabricRun();

    FabricRun(const FabricRun&) = delete;
    FabricRun& operator=(const FabricRun&) = delete;

    /// @return builds the fabric; set its attributes before Build()
    FabricHelper& Fabric()
    {
        return m_fabric;
    }

    /// @return builds RDMA; set its attributes before Build()
    RdmaHelper& Rdma()
    {
        return m_rdma;
    }

    /**
     * Where a ProcessGroup runs: how the fabric is divided over it; before Build().
     * @param kind one of GetPartitionKindNames(), unless the call of the program says another
     * @param hostsPerDomain see PartitionHelper
     */
    void SetPartition(const std::string& kind, uint32_t hostsPerDomain);

    /**
     * Installs the fabric and RDMA on its hosts; InputError where the buffers cannot be lossless.
     * Hosts need not all reach each other: RequireRoute() is for those that have to.
     */
    void Build();

    /// @return what was built
    const FabricNetwork& Network() const
    {
        return m_network;
    }

    /// @return the fabric on paper
    const FabricGraph& Graph() const
    {
        return m_graph;
    }

    /// @return all hosts reach each other
    bool IsWhole() const
    {
        return m_isWhole;
    }

    /// @return the fabric's switch ports, in the order of the graph's links
    std::vector<ReportedPort> GetSwitchPorts() const;

    /// @return how messages are cut into frames
    const MessageReport::Wire& GetWire() const
    {
        return m_messages->GetWire();
    }

    /// @param address of an endpoint's port @return the port's name in reports
    const std::string& NameOfAddress(uint32_t address) const
    {
        return m_names->NameOfAddress(address);
    }

    /// @return the results folder
    const ResultsFolder& Folder() const
    {
        return m_folder;
    }

    /// @return all RDMA NICs, by vertex and port
    const std::vector<Ptr<RdmaNic>>& Nics() const
    {
        return m_nics;
    }

    /// @param vertex a host @param port of its NIC ports @return a new queue pair there
    Ptr<QueuePair> CreateQueuePair(uint32_t vertex, uint32_t port);

    /// @param source address @param destination address @param bytes of a WRITE between them
    /// @return its time if it were alone in the fabric, time steps
    int64_t IdealSteps(uint32_t source, uint32_t destination, uint64_t bytes);

    /// @param job its job @param source address @param destination address
    /// @return what a message about a flow calls it
    std::string DescribeFlow(const std::string& job, uint32_t source, uint32_t destination) const;

    /// @param jobOf says job and collective of a message; then rows are written
    void ReportMessages(
        std::function<std::pair<std::string, std::string>(const MessageRecord&)> jobOf);

    /// @param vertices names of hosts or switches whose ports are captured; InputError if unknown
    void CapturePorts(const std::vector<std::string>& vertices);

    /// @param handler called whenever PFC stops or opens a class of a port
    void ReportPauses(PauseHandler handler);

    /// Writes rates.csv, of flows placed from now on, and queues.csv; after Build().
    /// @param interval between samples; 0: neither
    void SampleEvery(Time interval);

    /// @param wanted whether Report() writes links.csv
    void SetLinksWanted(bool wanted)
    {
        m_linksWanted = wanted;
    }

    /// @param wanted whether Report() writes report.html
    void SetReportWanted(bool wanted)
    {
        m_reportWanted = wanted;
    }

    /// @param port one more for links.csv: of a scale-up link
    void AddReportedPort(const ReportedPort& port)
    {
        m_reported.push_back(port);
    }

    /**
     * Schedules what goes wrong; after Build(), once. What happens goes to faults.csv.
     * @param faults places as in the graph
     * @param gpus by number; those that faults name must be there
     */
    void InjectFaults(const std::vector<FaultConfig>& faults,
                      const std::vector<Ptr<GpuEndpoint>>& gpus = {});

    /**
     * Looks for cyclic buffer dependencies: lossless classes that may deadlock. After Build().
     * @param mode "off"; "warn": says so; "refuse": InputError
     * @param place of the mode, for the message
     * @param out where a warning goes
     */
    void CheckDeadlocks(const std::string& mode, const InputPlace& place, std::ostream& out) const;

    /**
     * Refuses work between ports that no route joins.
     * @param from a host's port @param to another one
     * @param place of the work, for the message
     */
    void RequireRoute(const Ptr<FabricNetDevice>& from,
                      const Ptr<FabricNetDevice>& to,
                      const InputPlace& place) const;

    // ---- what several processes do together

    /// @return a ProcessGroup runs it, of one process or more
    bool IsDistributed() const
    {
        return m_happenings != nullptr;
    }

    /// @param node a node @return this process simulates it
    static bool IsOwn(const Ptr<Node>& node);

    /// Refuses what a ProcessGroup cannot do. @param asked whether it is asked for
    /// @param key of the scenario @param what it is
    void RefuseDistributed(bool asked, const std::string& key, const std::string& what) const;

    /**
     * Where a ProcessGroup runs: something that WorkPlaced() has announced has a part in this
     * process. The run ends when all parts have.
     */
    void PartPlaced()
    {
        ++m_parts;
    }

    /// Such a part has ended. @param bytes goes to the handler of SetPartHandler()
    void PartEnded(const std::string& bytes);

    /// @param handler at the end of the run hears at process 0 of all parts that have ended, and is
    /// to call WorkEnded() as it would have
    void SetPartHandler(Happenings::Handler handler);

    // ---- work

    /// A piece of work was placed. @param start when it starts, of simulated time
    void WorkPlaced(Time start)
    {
        ++m_outstanding;
        m_lastStart = std::max(m_lastStart, start);
    }

    /**
     * Places a flow as a piece of work.
     * @param sender a connected queue pair
     * @param id what its record is to say
     * @param bytes its length
     * @param start of simulated time
     * @param ended hears of its end, and is to call WorkEnded()
     */
    void PlaceFlow(Ptr<QueuePair> sender,
                   uint64_t id,
                   uint64_t bytes,
                   Time start,
                   Callback<void, const FlowRecord&> ended);

    /// A piece of work has ended. @param error empty, or why it failed
    void WorkEnded(const std::string& error = "");

    /// @param describe one line for each operation that waits
    void DescribeBlockedBy(std::function<std::vector<std::string>()> describe)
    {
        m_describers.push_back(std::move(describe));
    }

    /**
     * Runs until all work has ended, nothing moves any more, or time is up.
     * @param shareDone how much of the work is done, 0 to 1, for the progress line
     * @param limit of simulated time; 0: none
     * @return how it ended
     */
    Outcome Simulate(std::function<double()> shareDone, Time limit = Time(0));

    /// Called before something else is written to the terminal.
    void ClearProgress();

    // ---- results

    /**
     * Writes links.csv, summary.json and manifest.json, where frames were dropped drops.csv, and
     * prints the fabric's part of the summary.
     * @param outcome of Simulate()
     * @param summary what the user of this class has to say; the fabric's part is added
     * @param resolved the input as resolved, for the manifest
     * @param seed for the manifest
     * @param out where to print
     * @return exit status: 0 done, 3 stalled or failed
     */
    int Report(Outcome outcome,
               nlohmann::ordered_json summary,
               const nlohmann::ordered_json& resolved,
               uint32_t seed,
               std::ostream& out);

  private:
    /// Kinds of happenings.
    enum Happening : uint32_t
    {
        FLOW_ENDED,
        MESSAGE_COMPLETED,
        PAUSE_CHANGED,
        PART_ENDED,
    };

    void Divide();
    void PlaceOwnFlow(Ptr<QueuePair> sender,
                      uint64_t id,
                      uint64_t bytes,
                      Time start,
                      Callback<void, const FlowRecord&> ended);
    void OwnFlowEnded(uint64_t index, const FlowRecord& record);
    void OwnPartEnded();
    void CheckEnd();
    void Collect();
    void CollectPorts();
    void CollectNics();
    void CollectLines();
    MessageReport::Wire InstalledWire() const;
    void TellBaseRtts();
    void SetBaseRtt(const QueuePair& pair, QpState before, QpState after);
    void MessageCompleted(const MessageRecord& record);
    void Watch();
    uint64_t CountMovements() const;
    void FaultHappened(const FaultConfig& fault, const FaultInjector::Event& event);
    std::vector<std::string> DescribeEnd(Outcome outcome) const;
    void DescribeBlocked(std::vector<std::string>& lines) const;
    void DescribeFailedPairs(std::vector<std::string>& lines) const;
    void DescribePauses(std::vector<std::string>& lines) const;
    void DescribeDeadlocks(std::vector<std::string>& lines) const;
    void ReportFaults(nlohmann::ordered_json& summary, std::ostream& out) const;
    void ReportDrops(nlohmann::ordered_json& summary, std::ostream& out) const;

    FabricGraph m_graph;
    std::string m_graphSource;
    ResultsFolder m_folder;
    RunOptions m_options;
    FabricHelper m_fabric;
    RdmaHelper m_rdma;
    FabricNetwork m_network;
    std::vector<Ptr<RdmaNic>> m_nics;
    std::unique_ptr<PortNames> m_names;
    std::unique_ptr<MessageReport> m_messages;
    BaseRttTable m_baseRtts;
    std::vector<ReportedPort> m_reported;
    std::function<std::pair<std::string, std::string>(const MessageRecord&)> m_jobOf;
    std::vector<std::function<std::vector<std::string>()>> m_describers;
    PauseHandler m_pauseHandler;
    std::unique_ptr<Happenings> m_happenings; ///< null: one process, as ever
    std::string m_partitionKind{"cut"};
    uint32_t m_hostsPerDomain{1};
    std::vector<Callback<void, const FlowRecord&>> m_flowEnds; ///< by order of placing
    int64_t m_parts{0};         ///< of work, in this process, that have not ended
    int64_t m_lastPartEnd{0};   ///< time steps
    bool m_isUnfinished{false}; ///< in some process
    RdmaNicCounters m_nicTotals;
    std::vector<std::string> m_linesOfOthers; ///< why it did not end
    bool m_linksWanted{true};
    bool m_reportWanted{true};
    bool m_isWhole{true}; ///< all hosts reach each other
    std::unique_ptr<TimeSeries> m_series;
    std::unique_ptr<FaultInjector> m_faults;
    std::ofstream m_faultLog; ///< faults.csv
    std::unique_ptr<Progress> m_progress;
    uint64_t m_outstanding{0};
    std::vector<std::string> m_errors;
    bool m_stalled{false};
    uint64_t m_movements{0}; ///< at the last look of Watch()
    Time m_lastStart;        ///< of all work, and of faults: until then all may be still
    Time m_patience;
    Time m_end;
    std::chrono::duration<double> m_wall{0};
};

} // namespace ns3

#endif // FABRIC_RUN_H
