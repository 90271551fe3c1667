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

/// @param value "network" @return it, checked
NetworkConfig ReadNetwork(const JsonValue& value);

/**
 * Refuses ECN thresholds that are the wrong way round once the preset has filled in what is
 * missing.
 * @param network as read
 * @param graph with the links that have them
 * @param value "network", for the place
 */
void CheckEcn(const NetworkConfig& network, const FabricGraph& graph, const JsonValue& value);

/// @param value "gpu" @return it, checked
GpuConfig ReadGpu(const JsonValue& value);

/**
 * @param value "jobs"
 * @param scenario its file and topology
 * @param gpus number of GPUs
 * @return them, checked
 */
std::vector<JobConfig> ReadJobs(const JsonValue& value, const Scenario& scenario, uint32_t gpus);

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
