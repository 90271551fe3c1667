// SPDX-License-Identifier: GPL-2.0-only
#ifndef KERNEL_COST_MODEL_H
#define KERNEL_COST_MODEL_H

#include "gpu-work.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

class GpuEndpoint;

/**
 * @ingroup ai-fabric
 * @brief What a kernel asks of a GPU. A subclass knows it from FLOP and bytes, from a measurement,
 * or from a table.
 */
class KernelCostModel : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    KernelCostModel();
    ~KernelCostModel() override;

    /// @param gpu that it is to run on @return empty, or why it cannot
    virtual std::string Check(const GpuEndpoint& gpu) const;

    /// @param gpu that it is to run on; Check() has nothing against it (else the program ends)
    /// @return what it asks for
    GpuWork GetWork(const GpuEndpoint& gpu) const;

    /// @param gpu as in GetWork() @return how long it takes when it has the GPU for itself
    Time GetTime(const GpuEndpoint& gpu) const;

  protected:
    /// @param gpu that it runs on @return what it asks for, but for the number of SMs
    virtual GpuWork DoGetWork(const GpuEndpoint& gpu) const = 0;

    /// @param gpu that it runs on @return the SMs that it asks for
    uint32_t GetMultiprocessors(const GpuEndpoint& gpu) const;

  private:
    uint32_t m_multiprocessors{0};
};

} // namespace ns3

#endif // KERNEL_COST_MODEL_H
