// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-presets.h"

namespace ns3
{

namespace
{

constexpr uint64_t GBYTES_PER_SECOND = 8'000'000'000; // in bits a second

const std::vector<GpuPreset>&
Presets()
{
    static const std::vector<GpuPreset> presets{
        {"h100-sxm",
         DataRate(450 * GBYTES_PER_SECOND),  // 18 NVLink 4 links of 25 GB/s each way
         DataRate(3350 * GBYTES_PER_SECOND), // HBM3
         80'000'000'000,
         132,
         989.4e12, // without sparsity
         "NVIDIA H100 Tensor Core GPU data sheet and architecture white paper (2022)"},
    };
    return presets;
}

} // namespace

const GpuPreset*
FindGpuPreset(const std::string& name)
{
    for (const GpuPreset& preset : Presets())
    {
        if (preset.name == name)
        {
            return &preset;
        }
    }
    return nullptr;
}

std::vector<std::string>
GetGpuPresetNames()
{
    std::vector<std::string> names;
    for (const GpuPreset& preset : Presets())
    {
        names.push_back(preset.name);
    }
    return names;
}

} // namespace ns3
