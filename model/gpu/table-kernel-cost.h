// SPDX-License-Identifier: GPL-2.0-only
#ifndef TABLE_KERNEL_COST_H
#define TABLE_KERNEL_COST_H

#include "kernel-cost-model.h"
#include "kernel-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A kernel whose time is looked up by name and shape in a KernelTable.
 */
class TableKernelCost : public KernelCostModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    TableKernelCost();
    ~TableKernelCost() override;

    /// @param table to look it up in @param name of the kernel @param shape of its operands
    void SetKernel(Ptr<const KernelTable> table,
                   const std::string& name,
                   const KernelTable::Shape& shape);

    std::string Check(const GpuEndpoint& gpu) const override;

  protected:
    GpuWork DoGetWork(const GpuEndpoint& gpu) const override;

  private:
    uint64_t m_bytes{0};
    Ptr<const KernelTable> m_table;
    std::string m_name;
    KernelTable::Shape m_shape;
};

} // namespace ns3

#endif // TABLE_KERNEL_COST_H
