// SPDX-License-Identifier: GPL-2.0-only
#ifndef RUN_MANIFEST_H
#define RUN_MANIFEST_H

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ns3
{

/// What a run needs to be done again, besides the module itself.
struct RunManifest
{
    std::string commandLine;
    uint32_t seed{1};
    std::vector<std::string> inputs; ///< files that were read
    double wallSeconds{0};
};

/// @return the versions of this module and of ns-3, and a hash of the program's own files: another
/// one after each change and build
std::string GetProgramVersion();

/**
 * @param manifest about the run
 * @param resolved the input with all defaults
 * @return manifest.json: versions, input hashes (SHA-1), machine, date, wall time
 */
nlohmann::ordered_json MakeManifest(const RunManifest& manifest,
                                    const nlohmann::ordered_json& resolved);

} // namespace ns3

#endif // RUN_MANIFEST_H
