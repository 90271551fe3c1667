// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCENARIO_GPU_H
#define SCENARIO_GPU_H

#include "json-document.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace ns3
{

class GpuClusterHelper;

/// A scenario's "scaleUp" in "gpu": what joins the GPUs of a domain.
struct ScaleUpConfig
{
    std::string type{"nvswitch"};       ///< nvswitch, mesh, none
    uint32_t planes{1};                 ///< of nvswitch: switches, 1 to 18
    uint32_t domainSize{0};             ///< GPUs of a domain; 0: those of a server
    std::string flowControl{"credits"}; ///< credits, pfc
    uint64_t creditBuffer{0};           ///< behind each link, bytes; 0: computed
    bool multicast{true};               ///< of nvswitch: it can reduce and multicast
    std::optional<uint64_t>
        framePayload; ///< how finely messages are cut, bytes; else ScaleUpPort's
};

/// @param value "gpu.scaleUp" @return it, checked
ScaleUpConfig ReadScaleUp(const JsonValue& value);

/// @param scaleUp some @return it as a scenario has it
nlohmann::ordered_json ToJson(const ScaleUpConfig& scaleUp);

/// @param scaleUp from a scenario @param gpus set up accordingly
void Apply(const ScaleUpConfig& scaleUp, GpuClusterHelper& gpus);

} // namespace ns3

#endif // SCENARIO_GPU_H
