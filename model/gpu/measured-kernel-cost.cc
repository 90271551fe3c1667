// SPDX-License-Identifier: GPL-2.0-only
#include "measured-kernel-cost.h"

#include "gpu-endpoint.h"

#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MeasuredKernelCost);

TypeId
MeasuredKernelCost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MeasuredKernelCost")
            .SetParent<KernelCostModel>()
            .SetGroupName("AiFabric")
            .AddConstructor<MeasuredKernelCost>()
            .AddAttribute("Duration",
                          "With the GPU for itself.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&MeasuredKernelCost::m_duration),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Bytes",
                          "Memory traffic, reads and writes together; 0: it has none to share.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&MeasuredKernelCost::m_bytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

MeasuredKernelCost::MeasuredKernelCost() = default;
MeasuredKernelCost::~MeasuredKernelCost() = default;

std::string
MeasuredKernelCost::Check(const GpuEndpoint& gpu) const
{
    Time least = TimeStep(gpu.GetProcessor()->GetTimeAlone(DoGetWork(gpu)));
    if (least > m_duration)
    {
        std::ostringstream text;
        text << "a kernel that moves " << m_bytes << " B in " << m_duration.As(Time::US)
             << "; the GPU's memory takes " << least.As(Time::US);
        return text.str();
    }
    return KernelCostModel::Check(gpu);
}

GpuWork
MeasuredKernelCost::DoGetWork(const GpuEndpoint&) const
{
    GpuWork work;
    work.compute = m_duration;
    work.memoryBytes = m_bytes;
    return work;
}

} // namespace ns3
