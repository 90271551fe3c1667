// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What a kernel costs: by roofline, by measurement, by table.
 */

#include "fabric-fixture.h"

#include "ns3/gpu-endpoint.h"
#include "ns3/measured-kernel-cost.h"
#include "ns3/roofline-kernel-cost.h"
#include "ns3/table-kernel-cost.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// 10^15 operations a second in bf16 and 4 x 10^12 B/s: the knee is at 250 operations a byte.
Ptr<GpuEndpoint>
RoundGpu()
{
    auto gpu = CreateObject<GpuEndpoint>();
    gpu->SetAttribute("PeakRates", StringValue("bf16=1e15 fp8=2e15"));
    gpu->SetAttribute("HbmBandwidth", DataRateValue(DataRate(32'000'000'000'000ULL)));
    gpu->SetAttribute("Multiprocessors", UintegerValue(100));
    return gpu;
}

Ptr<RooflineKernelCost>
Roofline(double flop, uint64_t bytes)
{
    auto kernel = CreateObject<RooflineKernelCost>();
    kernel->SetAttribute("Flop", DoubleValue(flop));
    kernel->SetAttribute("Bytes", UintegerValue(bytes));
    return kernel;
}

/// A file that is gone with the test.
class TableFile
{
  public:
    explicit TableFile(const std::string& text)
        : path(testing::TempDir() + "gpu-kernel-test.csv")
    {
        std::ofstream(path) << text;
    }

    ~TableFile()
    {
        std::remove(path.c_str());
    }

    std::string path;
};

} // namespace

// ---------------------------------------------------------------- roofline

TEST(RooflineKernel, HasItsKneeAtPeakOverBandwidth)
{
    auto gpu = RoundGpu();
    EXPECT_EQ(Roofline(1e9, 4'000'000)->GetTime(*gpu), MicroSeconds(1)) << "250 FLOP/B: both";
    EXPECT_EQ(Roofline(2e9, 4'000'000)->GetTime(*gpu), MicroSeconds(2)) << "500: compute";
    EXPECT_EQ(Roofline(5e8, 4'000'000)->GetTime(*gpu), MicroSeconds(1)) << "125: memory";
    EXPECT_EQ(Roofline(5e8, 12'000'000)->GetTime(*gpu), MicroSeconds(3));
    EXPECT_EQ(Roofline(0, 0)->GetTime(*gpu), Time(0));
}

TEST(RooflineKernel, EfficienciesScaleTheRoofs)
{
    auto gpu = RoundGpu();
    auto computes = Roofline(1e9, 0);
    computes->SetAttribute("ComputeEfficiency", StringValue("0.5"));
    EXPECT_EQ(computes->GetTime(*gpu), MicroSeconds(2));
    auto moves = Roofline(0, 4'000'000);
    moves->SetAttribute("MemoryEfficiency", StringValue("0.8"));
    EXPECT_EQ(moves->GetTime(*gpu), NanoSeconds(1250));
}

TEST(RooflineKernel, TimeFollowsTheCurveOfEfficiency)
{
    // 10^10 operations are half way from 10^9 to 10^11, by logarithm: 0.4.
    auto gpu = RoundGpu();
    auto kernel = Roofline(1e10, 0);
    kernel->SetAttribute("ComputeEfficiency", StringValue("1e9:0.2 1e11:0.6"));
    EXPECT_EQ(kernel->GetTime(*gpu), MicroSeconds(25));
}

TEST(RooflineKernel, FewerSmsComputeLess)
{
    auto gpu = RoundGpu();
    auto kernel = Roofline(1e9, 1'000'000);
    kernel->SetAttribute("Multiprocessors", UintegerValue(50));
    EXPECT_EQ(kernel->GetTime(*gpu), MicroSeconds(2));
    kernel->SetAttribute("Multiprocessors", UintegerValue(101));
    EXPECT_EQ(kernel->Check(*gpu), "a kernel on 101 SMs; the GPU has 100");
}

TEST(RooflineKernel, AGemmOnH100)
{
    // 2 x 4096^3 = 137,438,953,472 FLOP at 989.4 TFLOP/s are 138.911 us; three matrices of 32 MiB
    // at 3.35 TB/s would be 30.05 us.
    auto gpu = CreateObject<GpuEndpoint>();
    auto gemm = RooflineKernelCost::MakeGemm(4096, 4096, 4096, GpuPrecision::BF16);
    GpuWork work = gemm->GetWork(*gpu);
    EXPECT_EQ(work.memoryBytes, 3u * 32 * 1024 * 1024);
    EXPECT_EQ(work.multiprocessors, 132u);
    EXPECT_NEAR(gemm->GetTime(*gpu).GetPicoSeconds() / 1e6, 137'438.953472 / 989.4, 1e-3);
    // One row: 2 x 4096^2 FLOP are 0.03 us, but 4096^2 + 2 x 4096 numbers of 2 B are 10.02 us.
    auto gemv = RooflineKernelCost::MakeGemm(1, 4096, 4096, GpuPrecision::BF16);
    EXPECT_NEAR(gemv->GetTime(*gpu).GetPicoSeconds() / 1e6, 33'570'816 / 3.35e6, 1e-3);
}

TEST(RooflineKernel, PrecisionChoosesThePeak)
{
    auto gpu = RoundGpu();
    auto kernel = Roofline(2e9, 0);
    kernel->SetAttribute("Precision", StringValue("fp8"));
    EXPECT_EQ(kernel->GetTime(*gpu), MicroSeconds(1));
}

TEST(RooflineKernelDeathTest, APrecisionThatTheGpuHasNotIsAnError)
{
    auto gpu = RoundGpu();
    auto kernel = Roofline(1e9, 0);
    kernel->SetAttribute("Precision", StringValue("fp4"));
    EXPECT_EQ(kernel->Check(*gpu), "a kernel in fp4, which the GPU has not got");
    auto stream = gpu->CreateStream();
    EXPECT_DEATH(stream->LaunchKernel("kernel", kernel), "fp4, which the GPU has not got");
    EXPECT_DEATH(kernel->SetAttribute("Precision", StringValue("fp5")), "is not one of");
}

TEST(EfficiencyCurve, RefusesWhatIsNone)
{
    EfficiencyCurve curve;
    EXPECT_DOUBLE_EQ(curve.Get(1e9), 1);
    EXPECT_EQ(curve.Parse("1e6:0.1 1e8:0.5"), "");
    EXPECT_DOUBLE_EQ(curve.Get(1), 0.1);
    EXPECT_DOUBLE_EQ(curve.Get(1e7), 0.3);
    EXPECT_DOUBLE_EQ(curve.Get(1e20), 0.5);
    EXPECT_EQ(curve.Parse(""), "no efficiency");
    EXPECT_EQ(curve.Parse("1.2"), "\"1.2\": an efficiency is above 0 and at most 1");
    EXPECT_EQ(curve.Parse("0"), "\"0\": an efficiency is above 0 and at most 1");
    EXPECT_EQ(curve.Parse("5:0.1 5:0.2"), "\"5:0.2\": sizes are above 0 and go upwards");
    EXPECT_EQ(curve.Parse("x:1"), "\"x:1\" is neither EFFICIENCY nor SIZE:EFFICIENCY");
    EXPECT_DOUBLE_EQ(curve.Get(1e7), 0.3) << "as before";
}

TEST(PrecisionRates, AreReadAndWritten)
{
    PrecisionRates rates;
    EXPECT_EQ(ParsePrecisionRates("bf16=1e15 int8=5", rates), "");
    EXPECT_EQ(ToString(rates), "bf16=1000000000000000 int8=5");
    EXPECT_NE(ParsePrecisionRates("fp12=1", rates).find("\"fp12=1\" is not PRECISION=RATE"),
              std::string::npos);
    EXPECT_EQ(ParsePrecisionRates("fp8=0", rates),
              "\"fp8=0\" has no rate above 0 (operations a second)");
    EXPECT_EQ(ParsePrecisionRates("fp8=3x", rates),
              "\"fp8=3x\" has no rate above 0 (operations a second)");
}

// ---------------------------------------------------------------- measured

TEST(MeasuredKernel, TakesWhatWasMeasured)
{
    auto gpu = RoundGpu();
    auto kernel = CreateObject<MeasuredKernelCost>();
    kernel->SetAttribute("Duration", TimeValue(MicroSeconds(7)));
    EXPECT_EQ(kernel->GetTime(*gpu), MicroSeconds(7));
    kernel->SetAttribute("Bytes", UintegerValue(28'000'000)); // all that 7 us move
    EXPECT_EQ(kernel->Check(*gpu), "");
    kernel->SetAttribute("Bytes", UintegerValue(32'000'000));
    EXPECT_NE(kernel->Check(*gpu).find("a kernel that moves 32000000 B"), std::string::npos);
}

// ---------------------------------------------------------------- table

TEST(KernelTable, IsLinearInTheLogarithms)
{
    // From 10 us at 1000 to 1000 us at 100000; half way, by logarithm, are 100 us at 10000.
    KernelTable table;
    EXPECT_EQ(table.Add("softmax", {1000}, MicroSeconds(10)), "");
    EXPECT_EQ(table.Add("softmax", {100'000}, MicroSeconds(1000)), "");
    Time time;
    EXPECT_EQ(table.Find("softmax", {1000}, time), "");
    EXPECT_EQ(time, MicroSeconds(10));
    EXPECT_EQ(table.Find("softmax", {10'000}, time), "");
    EXPECT_EQ(time, MicroSeconds(100));
}

TEST(KernelTable, HasAnyNumberOfDimensions)
{
    // Time is m x n^2 ns at the corners, which is linear in the logarithms: so it is in between.
    KernelTable table;
    for (uint64_t m : {16, 64})
    {
        for (uint64_t n : {100, 400})
        {
            EXPECT_EQ(table.Add("gemm", {m, n}, NanoSeconds(m * n * n)), "");
        }
    }
    Time time;
    EXPECT_EQ(table.Find("gemm", {32, 200}, time), "");
    EXPECT_NEAR(time.GetPicoSeconds(), 32 * 200 * 200 * 1e3, 1);
    EXPECT_EQ(table.Find("gemm", {16, 200}, time), "");
    EXPECT_NEAR(time.GetPicoSeconds(), 16 * 200 * 200 * 1e3, 1);
}

TEST(KernelTable, NamesTheRangeOfWhatItHasNot)
{
    KernelTable table;
    table.Add("gemm", {16, 100}, NanoSeconds(1));
    table.Add("gemm", {64, 100}, NanoSeconds(1));
    table.Add("gemm", {16, 400}, NanoSeconds(1));
    Time time;
    EXPECT_EQ(table.Find("gemm", {8, 100}, time),
              "gemm: 8 x 100 is outside the table: 16..64 x 100..400");
    EXPECT_EQ(table.Find("gemm", {16, 401}, time),
              "gemm: 16 x 401 is outside the table: 16..64 x 100..400");
    EXPECT_EQ(table.Find("gemm", {32, 200}, time),
              "gemm: 64 x 400 is missing in the table, next to 32 x 200");
    EXPECT_EQ(table.Find("gemm", {32}, time), "gemm: 1 dimensions; the table has 2");
    EXPECT_EQ(table.Find("conv", {32}, time), "no kernel \"conv\" in the table");
    EXPECT_EQ(table.Add("gemm", {16, 100}, NanoSeconds(2)), "gemm: 16 x 100 a second time");
    EXPECT_EQ(table.Add("gemm", {0, 100}, NanoSeconds(2)), "gemm: a size of 0");
    EXPECT_EQ(table.Add("gemm", {16}, NanoSeconds(2)), "gemm: 1 dimensions, and 2 before");
    EXPECT_EQ(table.Add("gemm", {1, 1}, Time(0)), "gemm: a time that is not above 0");
}

TEST(KernelTable, IsReadFromAFile)
{
    TableFile file("name,m,n,time_us\n# measured on one GPU\ngemm, 16, 100, 2.5\n\n"
                   "gemm,64,100,10\n");
    KernelTable table;
    EXPECT_EQ(table.Load(file.path), "");
    Time time;
    EXPECT_EQ(table.Find("gemm", {32, 100}, time), "");
    EXPECT_EQ(time, MicroSeconds(5));
    EXPECT_EQ(table.GetNames(), std::vector<std::string>{"gemm"});
}

TEST(KernelTable, SaysWhereAFileIsWrong)
{
    const std::vector<std::pair<std::string, std::string>> table{
        {"kernel,m,time_us\n", ":1: the first line names the columns"},
        {"name,m,time\n", ":1: the first line names the columns"},
        {"name,m,time_us\ngemm,1\n", ":2: 2 columns; the first line names 3"},
        {"name,m,time_us\n\ngemm,-1,2\n", ":3: \"-1\" is not a size"},
        {"name,m,time_us\ngemm,1,2us\n", ":2: \"2us\" is not a time"},
        {"name,m,time_us\ngemm,1,2\ngemm,1,3\n", ":3: gemm: 1 a second time"},
        {"", ": is empty"}};
    for (const auto& [text, error] : table)
    {
        TableFile file(text);
        EXPECT_NE(KernelTable().Load(file.path).find(file.path + error), std::string::npos) << text;
    }
    EXPECT_EQ(KernelTable().Load("/nowhere.csv"), "/nowhere.csv: cannot be read");
}

TEST(TableKernel, TakesTheTableTimeAndItsErrors)
{
    auto gpu = RoundGpu();
    auto table = CreateObject<KernelTable>();
    table->Add("norm", {1024}, MicroSeconds(3));
    auto kernel = CreateObject<TableKernelCost>();
    EXPECT_EQ(kernel->Check(*gpu), "a kernel without a table");
    kernel->SetKernel(table, "norm", {1024});
    EXPECT_EQ(kernel->GetTime(*gpu), MicroSeconds(3));
    kernel->SetKernel(table, "norm", {2048});
    EXPECT_EQ(kernel->Check(*gpu), "norm: 2048 is outside the table: 1024..1024");
}
