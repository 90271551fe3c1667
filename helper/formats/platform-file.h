// SPDX-License-Identifier: GPL-2.0-only
#ifndef PLATFORM_FILE_H
#define PLATFORM_FILE_H

#include "json-document.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief Platforms: what scenarios on the same machines have in common, in a file.
 *
 * A platform has sections of a scenario (topology, network, gpu, nccl, communication, attributes,
 * ...), and says in description, sources, assumptions and fitted where they come from. A scenario
 * names one by "platform"; what it says itself beats the platform, key by key. A platform may name
 * another one that it is a variant of.
 */

/// @param folder where platforms are that are named without a path; at first examples/platforms
void SetPlatformFolder(const std::string& folder);

/// @return the names of the platforms there, sorted
std::vector<std::string> GetPlatformNames();

/// @param name of a platform, or the path of its file from the folder of `file`
/// @param file that names it @param place where
/// @return the path of its file; InputError where there is none
std::string FindPlatformFile(const std::string& name,
                             const std::string& file,
                             const InputPlace& place);

/// @param name of a platform @return its description; empty where it has none
std::string GetPlatformDescription(const std::string& name);

/**
 * Completes a scenario by the platform that it names, if any.
 * @param document the scenario
 */
void MergePlatform(JsonDocument& document);

} // namespace ns3

#endif // PLATFORM_FILE_H
