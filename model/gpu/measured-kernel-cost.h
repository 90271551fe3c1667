// SPDX-License-Identifier: GPL-2.0-only
#ifndef MEASURED_KERNEL_COST_H
#define MEASURED_KERNEL_COST_H

#include "kernel-cost-model.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A kernel known by how long it takes alone, as a profiler shows it.
 *
 * With Bytes it also has its claim on the memory bandwidth; without, only on SMs.
 */
class MeasuredKernelCost : public KernelCostModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    MeasuredKernelCost();
    ~MeasuredKernelCost() override;

    std::string Check(const GpuEndpoint& gpu) const override;

  protected:
    GpuWork DoGetWork(const GpuEndpoint& gpu) const override;

  private:
    Time m_duration;
    uint64_t m_bytes{0};
};

} // namespace ns3

#endif // MEASURED_KERNEL_COST_H
