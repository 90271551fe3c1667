// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_PRESETS_H
#define GPU_PRESETS_H

#include "gpu-precision.h"

#include "ns3/data-rate.h"
#include "ns3/object-factory.h"

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
    uint32_t multiprocessors; ///< SMs, or compute units
    double peakBf16Flops;     ///< dense BF16 tensor operations a second
    std::string source;       ///< where the figures are from

    uint32_t scaleUpLinks{0};   ///< NVLink or Infinity Fabric links
    DataRate scaleUpLinkRate{}; ///< of one of them, each way
    PrecisionRates peakRates{}; ///< operations a second, dense, on the fastest unit
    uint32_t pcieGeneration{0}; ///< of its link of 16 lanes to NICs and host
    DataRate hostRate{};        ///< to the host, each way, if not by PCIe; else 0
    uint64_t l2Bytes{0};        ///< last cache that all SMs share, or that of a compute die
    uint32_t copyEngines{0};    ///< copies that can be under way at once
    std::string architecture{}; ///< CUDA's compute capability, or the target of AMD's compiler
};

/// @param name of a preset @return it, or null if there is none of that name
const GpuPreset* FindGpuPreset(const std::string& name);

/// @return the names of all presets
std::vector<std::string> GetGpuPresetNames();

/// @param preset of a GPU @param gpu factory of GpuEndpoint, which gets its attributes
void ApplyGpuPreset(const GpuPreset& preset, ObjectFactory& gpu);

} // namespace ns3

#endif // GPU_PRESETS_H
