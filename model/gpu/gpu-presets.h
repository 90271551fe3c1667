// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_PRESETS_H
#define GPU_PRESETS_H

#include "ns3/data-rate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What is published about a GPU.
struct GpuPreset
{
    std::string name;
    DataRate scaleUpRate;     ///< of all scale-up links together, each way
    DataRate hbmBandwidth;    ///< reads and writes together
    uint64_t memoryBytes;     ///< HBM capacity
    uint32_t multiprocessors; ///< SMs
    double peakBf16Flops;     ///< dense BF16 tensor operations a second
    std::string source;       ///< where the figures are from
};

/// @param name of a preset @return it, or null if there is none of that name
const GpuPreset* FindGpuPreset(const std::string& name);

/// @return the names of all presets
std::vector<std::string> GetGpuPresetNames();

} // namespace ns3

#endif // GPU_PRESETS_H
