// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROOFLINE_KERNEL_COST_H
#define ROOFLINE_KERNEL_COST_H

#include "efficiency-curve.h"
#include "gpu-precision.h"
#include "kernel-cost-model.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A kernel known by its operations and its memory traffic.
 *
 *     time = max(FLOP / (peak x efficiency x SMs asked / SMs), bytes / (bandwidth x efficiency))
 *
 * S. Williams, A. Waterman, D. Patterson, "Roofline", Communications of the ACM 52(4), 2009.
 */
class RooflineKernelCost : public KernelCostModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RooflineKernelCost();
    ~RooflineKernelCost() override;

    std::string Check(const GpuEndpoint& gpu) const override;

    /**
     * A matrix product, C (m x n) = A (m x k) B (k x n): 2 m n k operations; A and B read and C
     * written once.
     * @param m rows @param n columns @param k what is summed over
     * @param precision of all three
     * @return its cost
     */
    static Ptr<RooflineKernelCost> MakeGemm(uint64_t m,
                                            uint64_t n,
                                            uint64_t k,
                                            GpuPrecision precision);

  protected:
    GpuWork DoGetWork(const GpuEndpoint& gpu) const override;

  private:
    void SetPrecision(std::string name);
    std::string GetPrecision() const;
    void SetComputeEfficiency(std::string curve);
    std::string GetComputeEfficiency() const;
    void SetMemoryEfficiency(std::string curve);
    std::string GetMemoryEfficiency() const;

    double m_flop{0};
    uint64_t m_bytes{0};
    GpuPrecision m_precision{GpuPrecision::BF16};
    EfficiencyCurve m_computeEfficiency;
    EfficiencyCurve m_memoryEfficiency;
};

} // namespace ns3

#endif // ROOFLINE_KERNEL_COST_H
