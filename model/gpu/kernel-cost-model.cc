// SPDX-License-Identifier: GPL-2.0-only
#include "kernel-cost-model.h"

#include "gpu-endpoint.h"

#include "ns3/abort.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(KernelCostModel);

TypeId
KernelCostModel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::KernelCostModel")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddAttribute("Multiprocessors",
                                          "SMs that the kernel can use; 0: all that the GPU has.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&KernelCostModel::m_multiprocessors),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

KernelCostModel::KernelCostModel() = default;
KernelCostModel::~KernelCostModel() = default;

std::string
KernelCostModel::Check(const GpuEndpoint& gpu) const
{
    if (m_multiprocessors > gpu.GetMultiprocessors())
    {
        return "a kernel on " + std::to_string(m_multiprocessors) + " SMs; the GPU has " +
               std::to_string(gpu.GetMultiprocessors());
    }
    return "";
}

uint32_t
KernelCostModel::GetMultiprocessors(const GpuEndpoint& gpu) const
{
    return m_multiprocessors ? m_multiprocessors : gpu.GetMultiprocessors();
}

GpuWork
KernelCostModel::GetWork(const GpuEndpoint& gpu) const
{
    std::string error = Check(gpu);
    NS_ABORT_MSG_IF(!error.empty(), "GPU " << gpu.GetId() << ": " << error);
    GpuWork work = DoGetWork(gpu);
    work.multiprocessors = GetMultiprocessors(gpu);
    return work;
}

Time
KernelCostModel::GetTime(const GpuEndpoint& gpu) const
{
    return TimeStep(gpu.GetProcessor()->GetTimeAlone(GetWork(gpu)));
}

} // namespace ns3
