// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-presets.h"

#include "pcie-link.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

constexpr uint64_t GBYTES_PER_SECOND = 8'000'000'000; // in bits a second
constexpr uint64_t GBYTES = 1'000'000'000;
constexpr uint64_t MIBYTES = 1 << 20;

/// Links and the rate of each of them, each way, in GB/s.
void
SetLinks(GpuPreset& preset, uint32_t links, uint32_t rate)
{
    preset.scaleUpLinks = links;
    preset.scaleUpLinkRate = DataRate(rate * GBYTES_PER_SECOND);
    preset.scaleUpRate = DataRate(links * rate * GBYTES_PER_SECOND);
}

/// Dense rates in 10^12 operations a second, in the order of GpuPrecision: FP64, FP32, TF32, BF16,
/// FP16, FP8, FP4, INT8.
void
SetRates(GpuPreset& preset, const PrecisionRates& tera)
{
    for (size_t p = 0; p < GPU_PRECISIONS; ++p)
    {
        preset.peakRates[p] = tera[p] * 1e12;
    }
    preset.peakBf16Flops = preset.peakRates[static_cast<size_t>(GpuPrecision::BF16)];
}

GpuPreset
MakeA100(const std::string& name, uint64_t bandwidth, uint64_t capacity)
{
    GpuPreset preset;
    preset.name = name;
    SetLinks(preset, 12, 25); // NVLink 3
    preset.hbmBandwidth = DataRate(bandwidth * GBYTES_PER_SECOND);
    preset.memoryBytes = capacity * GBYTES;
    preset.multiprocessors = 108;
    SetRates(preset, {19.5, 19.5, 156, 312, 312, 0, 0, 624});
    preset.pcieGeneration = 4;
    preset.l2Bytes = 40 * MIBYTES;
    preset.copyEngines = 3;
    preset.architecture = "8.0";
    preset.source = "NVIDIA A100 Tensor Core GPU data sheet (2021) and architecture white paper "
                    "(2020)";
    return preset;
}

GpuPreset
MakeHopper(const std::string& name, uint64_t bandwidth, uint64_t capacity)
{
    GpuPreset preset;
    preset.name = name;
    SetLinks(preset, 18, 25); // NVLink 4
    preset.hbmBandwidth = DataRate(bandwidth * GBYTES_PER_SECOND);
    preset.memoryBytes = capacity * GBYTES;
    preset.multiprocessors = 132;
    SetRates(preset, {66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 0, 1978.9});
    preset.pcieGeneration = 5;
    preset.l2Bytes = 50 * MIBYTES;
    preset.copyEngines = 3;
    preset.architecture = "9.0";
    preset.source = "NVIDIA H100 Tensor Core GPU data sheet and architecture white paper (2022)";
    return preset;
}

GpuPreset
MakeH200()
{
    GpuPreset preset = MakeHopper("h200-sxm", 4800, 141);
    preset.source = "NVIDIA H200 Tensor Core GPU data sheet (2024); SMs and rates as H100's";
    return preset;
}

GpuPreset
MakeBlackwell(const std::string& name, uint32_t multiprocessors, uint64_t capacity)
{
    GpuPreset preset;
    preset.name = name;
    SetLinks(preset, 18, 50); // NVLink 5
    preset.hbmBandwidth = DataRate(8000 * GBYTES_PER_SECOND);
    preset.memoryBytes = capacity * GBYTES;
    preset.multiprocessors = multiprocessors;
    preset.pcieGeneration = 5;
    preset.l2Bytes = 126 * MIBYTES;
    preset.copyEngines = 3; // not published: as Hopper's
    preset.architecture = "10.0";
    return preset;
}

GpuPreset
MakeB200()
{
    GpuPreset preset = MakeBlackwell("b200-sxm", 148, 180);
    SetRates(preset, {40, 80, 1100, 2250, 2250, 4500, 9000, 4500});
    preset.source =
        "NVIDIA Blackwell Architecture Technical Brief (2024), HGX B200; DGX B200 data "
        "sheet (2024: 1,440 GB and 64 TB/s for 8 GPUs); SMs and L2 as CUDA reports them";
    return preset;
}

GpuPreset
MakeGb200()
{
    GpuPreset preset = MakeBlackwell("gb200", 152, 186);
    SetRates(preset, {40, 80, 1250, 2500, 2500, 5000, 10000, 5000});
    preset.hostRate = DataRate(450 * GBYTES_PER_SECOND); // NVLink-C2C, 900 GB/s both ways
    preset.source =
        "NVIDIA GB200 NVL72 data sheet (2024), a 72nd; SMs and L2 as CUDA reports them; "
        "PCIe is Grace's, to the NICs, and the host is reached by NVLink-C2C";
    return preset;
}

GpuPreset
MakeMi300x()
{
    GpuPreset preset;
    preset.name = "mi300x";
    SetLinks(preset, 7, 64); // Infinity Fabric, one link to each of 7 peers
    preset.hbmBandwidth = DataRate(5300 * GBYTES_PER_SECOND);
    preset.memoryBytes = 192 * GBYTES;
    preset.multiprocessors = 304;
    SetRates(preset, {163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 0, 2614.9});
    preset.pcieGeneration = 5;
    preset.l2Bytes = 4 * MIBYTES; // of each of 8 compute dies
    preset.copyEngines = 2;       // not published: one for each way of the host
    preset.architecture = "gfx942";
    preset.source = "AMD Instinct MI300X data sheet and CDNA 3 white paper (2023)";
    return preset;
}

const std::vector<GpuPreset>&
Presets()
{
    static const std::vector<GpuPreset> presets{MakeA100("a100-sxm-40", 1555, 40),
                                                MakeA100("a100-sxm-80", 2039, 80),
                                                MakeHopper("h100-sxm", 3350, 80),
                                                MakeH200(),
                                                MakeB200(),
                                                MakeGb200(),
                                                MakeMi300x()};
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

void
ApplyGpuPreset(const GpuPreset& preset, ObjectFactory& gpu)
{
    gpu.Set("HbmBandwidth", DataRateValue(preset.hbmBandwidth));
    gpu.Set("Multiprocessors", UintegerValue(preset.multiprocessors));
    gpu.Set("MemoryBytes", UintegerValue(preset.memoryBytes));
    gpu.Set("PeakRates", StringValue(ToString(preset.peakRates)));
    gpu.Set("CopyEngines", UintegerValue(preset.copyEngines));
    DataRate hostRate = preset.hostRate;
    if (hostRate.GetBitRate() == 0)
    {
        PcieLink link{preset.pcieGeneration, 16};
        hostRate = DataRate(static_cast<uint64_t>(link.GetDataRate(256)));
    }
    gpu.Set("HostRate", DataRateValue(hostRate));
}

} // namespace ns3
