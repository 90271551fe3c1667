// SPDX-License-Identifier: GPL-2.0-only
#include "table-kernel-cost.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TableKernelCost);

TypeId
TableKernelCost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TableKernelCost")
            .SetParent<KernelCostModel>()
            .SetGroupName("AiFabric")
            .AddConstructor<TableKernelCost>()
            .AddAttribute("Bytes",
                          "Memory traffic, reads and writes together; 0: it has none to share.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&TableKernelCost::m_bytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

TableKernelCost::TableKernelCost() = default;
TableKernelCost::~TableKernelCost() = default;

void
TableKernelCost::SetKernel(Ptr<const KernelTable> table,
                           const std::string& name,
                           const KernelTable::Shape& shape)
{
    m_table = table;
    m_name = name;
    m_shape = shape;
}

std::string
TableKernelCost::Check(const GpuEndpoint& gpu) const
{
    if (!m_table)
    {
        return "a kernel without a table";
    }
    Time time;
    std::string error = m_table->Find(m_name, m_shape, time);
    return error.empty() ? KernelCostModel::Check(gpu) : error;
}

GpuWork
TableKernelCost::DoGetWork(const GpuEndpoint&) const
{
    GpuWork work;
    m_table->Find(m_name, m_shape, work.compute);
    work.memoryBytes = m_bytes;
    return work;
}

} // namespace ns3
