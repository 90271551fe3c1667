// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_PLATFORM_H
#define GPU_PLATFORM_H

#include "collective-platform.h"
#include "server-graph.h"

#include "ns3/gpu-endpoint.h"
#include "ns3/gpu-presets.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * Describes GPUs to a tuner: links, NICs and switches as they have been installed. Of groups that
 * differ, the slowest NIC and the group with the fewest NICs count.
 * @param gpus by rank
 * @param preset of the GPUs, for what cannot be seen: compute capability and number of links; null:
 *        a Hopper GPU with links of 25 GB/s
 * @param cpuVendor of the servers: "intel", "amd" or "arm"
 * @return the description
 */
CollectivePlatform MakePlatform(const std::vector<Ptr<GpuEndpoint>>& gpus,
                                const GpuPreset* preset = nullptr,
                                const std::string& cpuVendor = "intel");

/**
 * Describes the GPUs of a scale-up domain, or of a server without one, to FindChannelOrders(). A
 * GPU's own NICs are near to it, all others far.
 * @param gpus of one group, in the order of RankLayout::GetGroups()
 * @return the graph; its NICs are those of the GPUs, in their order
 */
ServerGraph MakeServerGraph(const std::vector<Ptr<GpuEndpoint>>& gpus);

} // namespace ns3

#endif // GPU_PLATFORM_H
