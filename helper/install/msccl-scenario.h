// SPDX-License-Identifier: GPL-2.0-only
#ifndef MSCCL_SCENARIO_H
#define MSCCL_SCENARIO_H

#include "ns3/scenario.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief What `ai-fabric run --msccl` runs.
 */

/**
 * Makes a scenario that runs an MSCCL program over sizes from 1 KiB to 64 MiB: those of them that
 * the program is for, rounded up to what its chunks divide.
 * @param file MSCCL XML
 * @param scenarioFile whose jobs are replaced; empty: a star of as many GPUs as the program has,
 * with 400 Gb/s links
 * @param overrides as for ReadScenario(), applied afterwards
 * @return the scenario
 */
Scenario MakeMscclScenario(const std::string& file,
                           const std::string& scenarioFile,
                           const std::vector<std::string>& overrides);

} // namespace ns3

#endif // MSCCL_SCENARIO_H
