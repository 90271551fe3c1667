// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCENARIO_H
#define SCENARIO_H

#include "attribute-setting.h"
#include "json-document.h"
#include "nccl-tests-config.h"
#include "scenario-faults.h"
#include "scenario-gpu.h"
#include "scenario-switch.h"

#include "ns3/congestion-presets.h"
#include "ns3/dragonfly-plus-topology.h"
#include "ns3/dragonfly-topology.h"
#include "ns3/dual-plane-topology.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/flow-generator.h"
#include "ns3/gpu-mesh-topology.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/perftest-config.h"
#include "ns3/rail-only-topology.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/star-topology.h"
#include "ns3/three-tier-pod-topology.h"
#include "ns3/torus-topology.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief The scenario file as plain data: read, checked, complete.
 *
 * The initial value of each member is the default of its key; doc/scenario.rst has the table.
 */

/// A fabric that a file describes.
struct TopologyFile
{
    std::string file;           ///< path, from where the program runs
    std::string format{"hpcc"}; ///< hpcc, graph
    uint32_t gpusPerServer{1};  ///< of each host; format graph
};

/// The parameters of one of the builders, or a file.
using TopologyConfig = std::variant<RailOptimizedParameters,
                                    LeafSpineParameters,
                                    FatTreeParameters,
                                    StarParameters,
                                    TopologyFile,
                                    ThreeTierPodParameters,
                                    RailOnlyParameters,
                                    DualPlaneParameters,
                                    DragonflyParameters,
                                    DragonflyPlusParameters,
                                    TorusParameters,
                                    GpuMeshParameters>;

/// Which congestion control, and its parameters.
struct CongestionControlConfig
{
    std::string name{"dcqcn"};                ///< see GetCongestionControlNames()
    std::string preset{"nic-default"};        ///< see GetCongestionPresetNames(); marking too
    std::vector<AttributeSetting> parameters; ///< beat the preset
    std::string scope{"queue-pair"};          ///< whom an instance serves: queue-pair, destination
};

/// @param control as read @param rate of a link
/// @return the set that says how its port marks frames: where the congestion control looks at no
/// marks, DCQCN's default one
CongestionPreset GetMarkingPreset(const CongestionControlConfig& control, DataRate rate);

/// Bytes of a frame besides its payload, where they are not to be RoCEv2's.
struct WireConfig
{
    uint32_t dataOverhead{0};   ///< of a data frame; 0: RoCEv2's headers, ICRC and FCS
    uint32_t controlFrame{0};   ///< whole ACK, NAK or CNP; 0: RoCEv2's
    uint32_t preamble{8};       ///< before each frame
    uint32_t interFrameGap{12}; ///< after each frame
};

/// The network's protocols.
struct NetworkConfig
{
    std::string technology{"rocev2"}; ///< the only one in this version
    CongestionControlConfig congestionControl;
    PfcConfig pfc;
    uint32_t mtu{4096}; ///< payload bytes of a full frame, 64 to 9000
    uint32_t segmentsPerFrame{1}; ///< coarse packets: frames of the wire that a simulated frame
                                  ///< stands for, 1 to 64
    PathSelectionConfig pathSelection;
    RoutingConfig routing;
    std::string deadlockCheck{"warn"};    ///< before the run: warn, refuse, off
    uint32_t ackInterval{16};             ///< data frames for each ACK, 1 to 2^20; what is not
                                          ///< said comes from the congestion control
    uint32_t timeout{14};                 ///< n of 4.096 us x 2^n; 0: off; to 31
    std::string reliability{"go-back-n"}; ///< recovery from loss
    uint32_t ipVersion{4};                ///< of RoCEv2 frames, 4 or 6
    uint32_t vlan{0};                     ///< VLAN of all frames, 1 to 4094; 0: untagged
    uint32_t retryCount{7};               ///< timeouts in a row before a queue pair fails, 0 to 7
    bool retryForever{false};             ///< it never fails
    uint64_t windowBytes{0}; ///< most payload bytes in flight of a queue pair; 0: no limit
    std::vector<EcnConfig> ecn{EcnConfig{}}; ///< at least one; classes of each are different
    std::string markAt;                      ///< enqueue, dequeue; empty: as the preset has it
    BufferConfig buffer;
    SchedulingConfig scheduling;
    TelemetryConfig telemetry;
    std::optional<Time> cnpInterval; ///< shortest time between CNPs of a queue pair; else preset's
    std::optional<Time> baseRtt;     ///< of an empty network; else of each pair, by the topology
    Time timestampResolution;        ///< of the NICs' clocks; 0: exact
    WireConfig wire;
    std::string nic{"ideal"}; ///< the host's side of the NICs, see GetNicPresetNames()
};

/// The GPUs: all the same.
struct GpuConfig
{
    std::string model{"h100-sxm"};        ///< see GetGpuPresetNames()
    std::optional<DataRate> scaleUpRate;  ///< of all its scale-up links, each way; else the model's
    std::optional<DataRate> hbmBandwidth; ///< reads and writes together; else the model's
    ScaleUpConfig scaleUp;                ///< what joins them
    std::string pcie{"none"};             ///< of a server, see GetPciePresetNames(); none: no limit
};

/// NCCL as it is installed, and what its environment says.
struct NcclConfig
{
    std::string version;            ///< whose constants the tuner has; empty: the tuner's default
    std::string cpuVendor{"intel"}; ///< of the servers: intel, amd, arm
    std::vector<std::pair<std::string, std::string>> environment; ///< NCCL_... names and values
};

/// Who chooses how a collective is carried out, and what is fixed beforehand.
struct CollectiveChoice
{
    std::string algorithm{"auto"}; ///< auto, or see GetScenarioNames("algorithms"), or msccl
    std::string mscclFile;         ///< of msccl: the program
    std::string protocol{"auto"};  ///< auto, LL, LL128, Simple
    uint32_t channels{0};          ///< 0: the tuner's or the algorithm's choice; to 64
    uint64_t chunkBytes{0};        ///< of a step's transfer; 0: likewise
    std::string tuner;             ///< TypeId of algorithm auto; empty: ns3::NcclTuner
    std::vector<AttributeSetting> tunerParameters; ///< its attributes
    NcclConfig nccl;                               ///< the scenario's, with what the workload adds
};

/// What one rank sends to another.
struct TransferConfig
{
    uint32_t source;      ///< rank of the communicator
    uint32_t destination; ///< likewise
    uint64_t bytes;       ///< whole elements
};

/// What goes from whom to whom, for all-to-all-v and point-to-point.
struct TransfersConfig
{
    std::string kind;                 ///< list, file, hot, zipf; empty: there are none
    std::string file;                 ///< of file: a matrix
    std::vector<TransferConfig> list; ///< of list and file; the others have sizes
    uint32_t hotRanks{1};             ///< of hot: the first ranks get more than others
    double factor{2};                 ///< of hot: so many times as much
    double exponent{1}; ///< of zipf: rank d gets a share in proportion to 1 / (d + 1)^exponent
};

/// The communicators of a job.
struct SplitConfig
{
    uint32_t size{0};        ///< ranks of each; 0: one communicator of all ranks
    std::string by{"block"}; ///< block: neighbours; stride: every n-th rank
};

/// One collective operation, for each of some sizes.
struct CollectiveWorkload
{
    std::string op{"all-reduce"};
    std::vector<uint64_t> sizes;     ///< bytes, as nccl-tests counts them; whole elements
    std::string dataType{"float32"}; ///< of an element
    uint32_t root{0};                ///< of operations that have one
    bool inPlace{false};             ///< input and output are one memory
    CollectiveChoice choice;
    TransfersConfig transfers;
    uint32_t iterations{1}; ///< of each size, one after the other
};

/// One of the programs of nccl-tests.
struct NcclTestsWorkload
{
    NcclTestOptions options;
    CollectiveChoice choice;
};

/// One flow between two ranks' NICs.
struct FlowConfig
{
    uint32_t source;      ///< rank: number of a GPU; on hosts with one GPU, of the host
    uint32_t destination; ///< another rank
    uint64_t bytes;       ///< at least 1
    Time start;           ///< after the job's start
    uint8_t trafficClass; ///< 0 to 7; 3 is the lossless one
};

/// Flows, each one message.
struct FlowsWorkload
{
    std::vector<FlowConfig> flows;
    std::string file; ///< that they came from, HPCC's format; empty: from the scenario itself
};

/// Flows that arrive by chance at a load.
struct GeneratedFlowsWorkload
{
    std::string sizesName; ///< a published distribution, or the file; empty: points of the scenario
    FlowSizeDistribution sizes;
    double load{0};                  ///< share of each host's link, 0 to 1
    bool headersCount{false};        ///< the load is of all bits on the wire, not of payload alone
    std::string arrivals{"poisson"}; ///< poisson, on-off
    OnOffPattern onOff;              ///< of on-off
    std::string matrix{"uniform"};   ///< see GetScenarioNames("traffic-matrices"), or the file
    std::vector<std::vector<double>> weights; ///< of a file
    std::optional<IncastPattern> incast;      ///< beside
    Time duration;                            ///< flows start before; 0: no limit
    uint64_t count{0};                        ///< most flows; 0: no limit
    uint8_t trafficClass{3};                  ///< 0 to 7; 3 is the lossless one
};

/// One of perftest's measurements between two ranks' NICs.
struct PerftestWorkload
{
    PerftestConfig config; ///< complete
    uint32_t client{0};    ///< rank that begins
    uint32_t server{1};    ///< another rank
};

/// Who does what from when on.
struct JobConfig
{
    std::string name;
    Time start;                      ///< simulated time
    std::vector<uint32_t> ranks;     ///< numbers of its GPUs, in rank order
    std::string placement{"packed"}; ///< rank after rank fills server after server
    SplitConfig split;               ///< of its ranks into communicators
    std::variant<CollectiveWorkload,
                 FlowsWorkload,
                 GeneratedFlowsWorkload,
                 PerftestWorkload,
                 NcclTestsWorkload>
        workload;
};

/// How the results of flows are looked at.
struct AnalysisConfig
{
    bool asked{false}; ///< the scenario has the section: slowdown.csv and its table are there
    std::string bins{"decades"}; ///< see FctBins::GetNames(); empty: the edges
    std::vector<uint64_t> edges; ///< of bins, bytes
    std::vector<double> percentiles{50, 95, 99, 99.9};
    Time warmUp; ///< flows that start before do not count
    Time until;  ///< flows that start then or later do not count; 0: all do
    Time sample; ///< of queues, for their distribution; 0: none
};

/// What is written.
struct OutputConfig
{
    std::string dir{"results"};    ///< from where the program runs
    bool messages{true};           ///< messages.csv
    bool links{true};              ///< links.csv
    bool report{true};             ///< report.html
    bool pfc{false};               ///< pfc.csv: every pause and resume
    Time sample;                   ///< interval of rates.csv and queues.csv; 0: none
    std::vector<std::string> pcap; ///< names of the vertices whose ports are captured
};

/// A scenario, complete.
struct Scenario
{
    std::string file; ///< it came from
    std::string name; ///< default: the file's name without .json
    uint32_t seed{1}; ///< of everything random, at least 1
    Time stop;        ///< simulated time at which it ends, done or not; 0: when all is done
    std::string partition{"cut"}; ///< of a distributed run: pod, rail, cut
    TopologyConfig topology;
    NetworkConfig network;
    GpuConfig gpu;
    NcclConfig nccl;                             ///< of all jobs
    std::vector<AttributeSetting> communication; ///< attributes of CollectiveCosts
    std::vector<JobConfig> jobs;                 ///< at least one
    std::vector<FaultConfig> faults;             ///< what goes wrong, and when
    AnalysisConfig analysis;
    std::vector<AttributeSetting> attributes; ///< beat presets, parameters and all of the above
    OutputConfig output;
};

/**
 * Reads and checks a scenario. Time::SetResolution(Time::PS) must have been called.
 * @param path of the file
 * @param overrides each PATH=VALUE, in order, before anything is checked
 * @return the scenario; InputError tells what is wrong
 */
Scenario ReadScenario(const std::string& path, const std::vector<std::string>& overrides = {});

/// @param document a scenario that has been parsed @param overrides likewise @return the scenario
Scenario ReadScenario(JsonDocument document, const std::vector<std::string>& overrides = {});

/// @param scenario some @return it with all defaults, for manifest.json
nlohmann::ordered_json ResolvedJson(const Scenario& scenario);

/// @param topology some @return its graph; InputError where a file is wrong
FabricGraph MakeGraph(const TopologyConfig& topology);

/// @param topology some @return GPUs of each host, each with a NIC: port i is GPU i's
uint32_t GetGpusPerServer(const TopologyConfig& topology);

/// @param topology some @return "rail-optimized", ..., or "file"
std::string GetTopologyType(const TopologyConfig& topology);

/// @param dataType of an element, such as float32 @return its bytes; 0: no such type
uint32_t GetElementBytes(const std::string& dataType);

/// @param kind topologies, collectives, algorithms, congestion-controls, path-selectors,
/// buffer-policies, ecn-markers, routings, faults, technologies, workloads, data-types, ...
/// @return the names that a scenario may use
std::vector<std::string> GetScenarioNames(const std::string& kind);

} // namespace ns3

#endif // SCENARIO_H
