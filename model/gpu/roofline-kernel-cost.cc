// SPDX-License-Identifier: GPL-2.0-only
#include "roofline-kernel-cost.h"

#include "gpu-endpoint.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RooflineKernelCost);

TypeId
RooflineKernelCost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RooflineKernelCost")
            .SetParent<KernelCostModel>()
            .SetGroupName("AiFabric")
            .AddConstructor<RooflineKernelCost>()
            .AddAttribute("Flop",
                          "Operations, an addition and a multiplication counting as two.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RooflineKernelCost::m_flop),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Bytes",
                          "Memory traffic, reads and writes together.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RooflineKernelCost::m_bytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Precision",
                          "Of the operations: fp64, fp32, tf32, bf16, fp16, fp8, fp4 or int8.",
                          StringValue("bf16"),
                          MakeStringAccessor(&RooflineKernelCost::SetPrecision,
                                             &RooflineKernelCost::GetPrecision),
                          MakeStringChecker())
            .AddAttribute("ComputeEfficiency",
                          "Which part of the peak rate is reached, by number of operations: one "
                          "efficiency, or SIZE:EFFICIENCY points with spaces between.",
                          StringValue("1"),
                          MakeStringAccessor(&RooflineKernelCost::SetComputeEfficiency,
                                             &RooflineKernelCost::GetComputeEfficiency),
                          MakeStringChecker())
            .AddAttribute("MemoryEfficiency",
                          "Which part of the memory bandwidth is reached, by bytes; likewise.",
                          StringValue("1"),
                          MakeStringAccessor(&RooflineKernelCost::SetMemoryEfficiency,
                                             &RooflineKernelCost::GetMemoryEfficiency),
                          MakeStringChecker());
    return tid;
}

RooflineKernelCost::RooflineKernelCost() = default;
RooflineKernelCost::~RooflineKernelCost() = default;

Ptr<RooflineKernelCost>
RooflineKernelCost::MakeGemm(uint64_t m, uint64_t n, uint64_t k, GpuPrecision precision)
{
    auto cost = CreateObject<RooflineKernelCost>();
    cost->m_flop = 2.0 * m * n * k;
    cost->m_bytes = (m * k + k * n + m * n) * GetBits(precision) / 8;
    cost->m_precision = precision;
    return cost;
}

std::string
RooflineKernelCost::Check(const GpuEndpoint& gpu) const
{
    if (m_flop > 0 && !(gpu.GetPeakRate(m_precision) > 0))
    {
        return "a kernel in " + GetPrecision() + ", which the GPU has not got";
    }
    return KernelCostModel::Check(gpu);
}

GpuWork
RooflineKernelCost::DoGetWork(const GpuEndpoint& gpu) const
{
    GpuWork work;
    if (m_flop > 0)
    {
        double part = static_cast<double>(GetMultiprocessors(gpu)) / gpu.GetMultiprocessors();
        double rate = gpu.GetPeakRate(m_precision) * m_computeEfficiency.Get(m_flop) * part;
        work.compute = TimeStep(std::llround(m_flop / rate * Seconds(1).GetTimeStep()));
    }
    work.memoryBytes = m_bytes;
    work.memoryEfficiency = m_memoryEfficiency.Get(static_cast<double>(m_bytes));
    return work;
}

void
RooflineKernelCost::SetPrecision(std::string name)
{
    NS_ABORT_MSG_IF(!FindGpuPrecision(name, m_precision),
                    "RooflineKernelCost::Precision: \""
                        << name << "\" is not one of fp64, fp32, tf32, bf16, fp16, fp8, fp4, int8");
}

std::string
RooflineKernelCost::GetPrecision() const
{
    return ToString(m_precision);
}

void
RooflineKernelCost::SetComputeEfficiency(std::string curve)
{
    std::string error = m_computeEfficiency.Parse(curve);
    NS_ABORT_MSG_IF(!error.empty(), "RooflineKernelCost::ComputeEfficiency: " << error);
}

std::string
RooflineKernelCost::GetComputeEfficiency() const
{
    return m_computeEfficiency.ToString();
}

void
RooflineKernelCost::SetMemoryEfficiency(std::string curve)
{
    std::string error = m_memoryEfficiency.Parse(curve);
    NS_ABORT_MSG_IF(!error.empty(), "RooflineKernelCost::MemoryEfficiency: " << error);
}

std::string
RooflineKernelCost::GetMemoryEfficiency() const
{
    return m_memoryEfficiency.ToString();
}

} // namespace ns3
