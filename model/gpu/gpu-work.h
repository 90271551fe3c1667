// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_WORK_H
#define GPU_WORK_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a kernel or a copy within the memory asks of a GPU.
 *
 * Alone on the GPU it takes the longer of its compute time and the time that its traffic takes the
 * memory.
 */
struct GpuWork
{
    uint32_t multiprocessors{0}; ///< SMs that it could use; 0: none, its compute time is a delay
    Time compute;                ///< with all the SMs that it asks for, and memory that never waits
    uint64_t memoryBytes{0};     ///< HBM traffic, reads and writes together
    double memoryEfficiency{1};  ///< share of the HBM bandwidth that its accesses reach when alone
};

} // namespace ns3

#endif // GPU_WORK_H
