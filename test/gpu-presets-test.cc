// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief GPU presets against the data sheets, in the data sheets' own units.
 *
 * NVIDIA gives the bandwidth of NVLink both ways together, and most tensor rates with sparsity,
 * which are twice the dense ones; AMD gives dense rates and Infinity Fabric both ways together.
 */

#include "fabric-fixture.h"

#include "ns3/gpu-endpoint.h"
#include "ns3/gpu-presets.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// A row of a data sheet.
struct DataSheet
{
    const char* name;
    uint64_t scaleUpBothWays; ///< GB/s
    uint32_t links;
    uint64_t hbm;    ///< GB/s
    uint64_t memory; ///< GB
    uint32_t multiprocessors;
    double fp64; ///< 10^12 operations a second, dense, tensor or matrix units
    double fp32;
    double tf32;
    double bf16;
    double fp8;
    double fp4;
    double int8;
    uint32_t pcie;
    const char* architecture;
};

const std::vector<DataSheet>&
DataSheets()
{
    static const std::vector<DataSheet> sheets{
        {"a100-sxm-40", 600, 12, 1555, 40, 108, 19.5, 19.5, 156, 312, 0, 0, 624, 4, "8.0"},
        {"a100-sxm-80", 600, 12, 2039, 80, 108, 19.5, 19.5, 156, 312, 0, 0, 624, 4, "8.0"},
        // 989.4, 1978.9, ... are the white paper's; the data sheet has them with sparsity
        {"h100-sxm", 900, 18, 3350, 80, 132, 66.9, 66.9, 494.7, 989.4, 1978.9, 0, 1978.9, 5, "9.0"},
        {"h200-sxm",
         900,
         18,
         4800,
         141,
         132,
         66.9,
         66.9,
         494.7,
         989.4,
         1978.9,
         0,
         1978.9,
         5,
         "9.0"},
        {"b200-sxm", 1800, 18, 8000, 180, 148, 40, 80, 1100, 2250, 4500, 9000, 4500, 5, "10.0"},
        // NVL72: FP4 1,440, FP8 720, BF16 360, TF32 180 PFLOP/s with sparsity over 72 GPUs
        {"gb200", 1800, 18, 8000, 186, 152, 40, 80, 1250, 2500, 5000, 10000, 5000, 5, "10.0"},
        {"mi300x",
         896,
         7,
         5300,
         192,
         304,
         163.4,
         163.4,
         653.7,
         1307.4,
         2614.9,
         0,
         2614.9,
         5,
         "gfx942"},
    };
    return sheets;
}

double
Rate(const GpuPreset& preset, GpuPrecision precision)
{
    return preset.peakRates[static_cast<size_t>(precision)] / 1e12;
}

} // namespace

TEST(GpuPresetFigures, AreThoseOfTheDataSheets)
{
    EXPECT_EQ(GetGpuPresetNames().size(), DataSheets().size());
    for (const DataSheet& sheet : DataSheets())
    {
        SCOPED_TRACE(sheet.name);
        const GpuPreset* preset = FindGpuPreset(sheet.name);
        ASSERT_NE(preset, nullptr);
        EXPECT_EQ(preset->scaleUpRate.GetBitRate(), sheet.scaleUpBothWays * 8'000'000'000 / 2);
        EXPECT_EQ(preset->scaleUpLinks, sheet.links);
        EXPECT_EQ(preset->hbmBandwidth.GetBitRate(), sheet.hbm * 8'000'000'000);
        EXPECT_EQ(preset->memoryBytes, sheet.memory * 1'000'000'000);
        EXPECT_EQ(preset->multiprocessors, sheet.multiprocessors);
        EXPECT_DOUBLE_EQ(Rate(*preset, GpuPrecision::FP64), sheet.fp64);
        EXPECT_DOUBLE_EQ(Rate(*preset, GpuPrecision::FP32), sheet.fp32);
        EXPECT_DOUBLE_EQ(Rate(*preset, GpuPrecision::TF32), sheet.tf32);
        EXPECT_DOUBLE_EQ(Rate(*preset, GpuPrecision::BF16), sheet.bf16);
        EXPECT_DOUBLE_EQ(Rate(*preset, GpuPrecision::FP16), sheet.bf16);
        EXPECT_DOUBLE_EQ(Rate(*preset, GpuPrecision::FP8), sheet.fp8);
        EXPECT_DOUBLE_EQ(Rate(*preset, GpuPrecision::FP4), sheet.fp4);
        EXPECT_DOUBLE_EQ(Rate(*preset, GpuPrecision::INT8), sheet.int8);
        EXPECT_EQ(preset->pcieGeneration, sheet.pcie);
        EXPECT_EQ(preset->architecture, sheet.architecture);
    }
}

TEST(GpuPresetFigures, AgreeWithEachOther)
{
    for (const std::string& name : GetGpuPresetNames())
    {
        SCOPED_TRACE(name);
        const GpuPreset& preset = *FindGpuPreset(name);
        EXPECT_EQ(preset.scaleUpRate.GetBitRate(),
                  preset.scaleUpLinks * preset.scaleUpLinkRate.GetBitRate());
        EXPECT_DOUBLE_EQ(preset.peakBf16Flops / 1e12, Rate(preset, GpuPrecision::BF16));
        EXPECT_GT(preset.l2Bytes, 0u);
        EXPECT_GT(preset.copyEngines, 0u);
        EXPECT_FALSE(preset.source.empty());
    }
}

TEST(GpuPresetFigures, BecomeAttributesOfAGpu)
{
    ObjectFactory factory("ns3::GpuEndpoint");
    ApplyGpuPreset(*FindGpuPreset("b200-sxm"), factory);
    auto gpu = factory.Create<GpuEndpoint>();
    EXPECT_EQ(gpu->GetMultiprocessors(), 148u);
    EXPECT_EQ(gpu->GetHbmBandwidth(), DataRate(64'000'000'000'000ULL));
    EXPECT_EQ(gpu->GetMemoryBytes(), 180'000'000'000u);
    EXPECT_DOUBLE_EQ(gpu->GetPeakRate(GpuPrecision::FP4), 9e15);
    EXPECT_EQ(gpu->GetCopyEngines()->GetCount(), 3u);
    EXPECT_NEAR(gpu->GetCopyEngines()->GetHostRate().GetBitRate(), 423.7e9, 0.1e9); // PCIe 5
    ApplyGpuPreset(*FindGpuPreset("gb200"), factory);
    auto grace = factory.Create<GpuEndpoint>();
    EXPECT_EQ(grace->GetCopyEngines()->GetHostRate(), DataRate("3600Gbps")); // NVLink-C2C
    ApplyGpuPreset(*FindGpuPreset("a100-sxm-40"), factory);
    EXPECT_DOUBLE_EQ(factory.Create<GpuEndpoint>()->GetPeakRate(GpuPrecision::FP8), 0);
}

TEST(GpuPresetFigures, DefaultsOfAGpuAreH100s)
{
    ObjectFactory factory("ns3::GpuEndpoint");
    ApplyGpuPreset(*FindGpuPreset("h100-sxm"), factory);
    auto preset = factory.Create<GpuEndpoint>();
    auto plain = CreateObject<GpuEndpoint>();
    EXPECT_EQ(plain->GetMultiprocessors(), preset->GetMultiprocessors());
    EXPECT_EQ(plain->GetHbmBandwidth(), preset->GetHbmBandwidth());
    EXPECT_EQ(plain->GetMemoryBytes(), preset->GetMemoryBytes());
    for (size_t p = 0; p < GPU_PRECISIONS; ++p)
    {
        auto precision = static_cast<GpuPrecision>(p);
        EXPECT_DOUBLE_EQ(plain->GetPeakRate(precision), preset->GetPeakRate(precision));
    }
}
