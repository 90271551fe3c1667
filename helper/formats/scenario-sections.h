// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCENARIO_SECTIONS_H
#define SCENARIO_SECTIONS_H

#include "json-document.h"
#include "scenario.h"

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief The readers of a scenario's sections, for ReadScenario().
 */

/// @param value "topology" @param scenarioFile its paths are relative to @return it, checked
TopologyConfig ReadTopology(const JsonValue& value, const std::string& scenarioFile);

/// @param value "network" @param scenarioFile its paths are relative to @return it, checked
NetworkConfig ReadNetwork(const JsonValue& value, const std::string& scenarioFile);

/// @param value "network.buffer" @return it, checked
BufferConfig ReadBuffer(const JsonValue& value);
/**
 * Refuses a switch of the topology that is larger than the preset of its buffer.
 * @param network as read
 * @param graph with the switches
 * @param value "network", for the place
 */
void CheckSwitchPreset(const NetworkConfig& network,
                       const FabricGraph& graph,
                       const JsonValue& value);
/// @param value "network.pfc" @return it, checked
PfcConfig ReadPfc(const JsonValue& value);
/// @param value "network.ecn" @param markAt set where it says @return it, checked
std::vector<EcnConfig> ReadEcn(const JsonValue& value, std::string& markAt);
/// @param value "network.pathSelection" @return it, checked
PathSelectionConfig ReadPathSelection(const JsonValue& value);
/// @param value "network.routing" @param scenarioFile its paths are relative to @return it, checked
RoutingConfig ReadRouting(const JsonValue& value, const std::string& scenarioFile);
/// @param value "network.scheduling" @return it, checked
SchedulingConfig ReadScheduling(const JsonValue& value);
/// @param value "network.telemetry" @return it, checked
TelemetryConfig ReadTelemetry(const JsonValue& value);

/// @return the names of path selectors
std::vector<std::string> GetPathSelectorNames();
/// @return the names of buffer policies
std::vector<std::string> GetBufferPolicyNames();

/**
 * Attributes of a type, by name.
 * @param value an object, or null: none
 * @param path its key path
 * @param type TypeId of the attributes
 * @return them, checked
 */
std::vector<AttributeSetting> ReadParameters(const JsonValue* value,
                                             const std::string& path,
                                             const std::string& type);

/// A bare name is short for an object that has nothing else.
/// @param value an object or a name @param path its key path @param key of the name
/// @return the object
JsonValue AsObject(const JsonValue& value, const std::string& path, const std::string& key);

/**
 * Refuses ECN thresholds that are the wrong way round once the preset has filled in what is
 * missing.
 * @param network as read
 * @param graph with the links that have them
 * @param value "network", for the place
 */
void CheckEcn(const NetworkConfig& network, const FabricGraph& graph, const JsonValue& value);

/**
 * Refuses what coarse packets cannot be right for.
 * @param scenario complete
 * @param root of the scenario, for the place
 */
void CheckCoarsePackets(const Scenario& scenario, const JsonValue& root);

/**
 * Flows that arrive by chance.
 * @param reader of the workload
 * @param path its key path
 * @param scenarioFile its paths are relative to
 * @param gpus number of GPUs, the hosts of the traffic matrix
 * @return it, checked
 */
GeneratedFlowsWorkload ReadGeneratedFlows(JsonReader& reader,
                                          const std::string& path,
                                          const std::string& scenarioFile,
                                          uint32_t gpus);
/// @param value a size, a range, or a list of them @param path its key path @return bytes, in order
std::vector<uint64_t> ReadSizes(const JsonValue& value, const std::string& path);

/// What the reader of a collective workload has to know.
struct CollectiveContext
{
    std::string path;         ///< key path of the workload
    std::string scenarioFile; ///< its paths are relative to
    uint32_t ranks;           ///< of each communicator
    const NcclConfig& nccl;   ///< of the scenario
};

/// @param value "nccl", or null @param path its key path @param general what it adds to
/// @return it, checked
NcclConfig ReadNccl(const JsonValue* value, const std::string& path, const NcclConfig& general);

/// @param reader of a workload "collective" @param context of it @return it, checked
CollectiveWorkload ReadCollective(JsonReader& reader, const CollectiveContext& context);

/// @param reader of a workload "nccl-tests" @param context of it @return it, checked
NcclTestsWorkload ReadNcclTests(JsonReader& reader, const CollectiveContext& context);

/// @param value "split", or null @param path its key path @param ranks of the job
/// @return it, checked
SplitConfig ReadSplit(const JsonValue* value, const std::string& path, uint32_t ranks);

/// @param value "analysis" @return it, checked
AnalysisConfig ReadAnalysis(const JsonValue& value);

/// @param value "gpu" @return it, checked
GpuConfig ReadGpu(const JsonValue& value);

/**
 * @param value "jobs"
 * @param scenario its file and topology
 * @param gpus number of GPUs
 * @return them, checked
 */
std::vector<JobConfig> ReadJobs(const JsonValue& value, const Scenario& scenario, uint32_t gpus);

/**
 * Refuses a collector of dropped frames that is no host.
 * @param network as read
 * @param graph with the hosts
 * @param value "network", for the place
 */
void CheckCollector(const NetworkConfig& network, const FabricGraph& graph, const JsonValue& value);

/// @param value "faults" @param graph what their names mean @return them, checked
std::vector<FaultConfig> ReadFaults(const JsonValue& value, const FabricGraph& graph);

/// @param value a list of traffic classes @param path its key path @return bit c: class c is in it
uint8_t ReadClassList(const JsonValue& value, const std::string& path);

/// @param file of the scenario @param path that it names @return the path from where we are
std::string FromFolderOf(const std::string& file, const std::string& path);

/**
 * Refuses a name that exists, but not in this version, with a message that says so.
 * @param reader of the object
 * @param key of the name
 * @param later names of later versions
 * @param now names of this one
 */
void RefuseLater(JsonReader& reader,
                 const std::string& key,
                 const std::vector<std::string>& later,
                 const std::vector<std::string>& now);

} // namespace ns3

#endif // SCENARIO_SECTIONS_H
