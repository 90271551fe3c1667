// SPDX-License-Identifier: GPL-2.0-only
#ifndef BUFFER_DEPENDENCIES_H
#define BUFFER_DEPENDENCIES_H

#include "ns3/fabric-net-device.h"

#include <string>
#include <vector>

namespace ns3
{

class FabricRouting;

/**
 * @ingroup ai-fabric
 * @brief Ports of switches that wait for each other, or could.
 *
 * What leaves by a port of the list arrives at the next switch, and there waits to leave by the
 * next port of the list; behind the last comes the first.
 */
struct BufferCycle
{
    uint32_t trafficClass;
    std::vector<Ptr<FabricNetDevice>> ports;
};

/**
 * @brief The cyclic buffer dependencies of a fabric, found without running it.
 *
 * A link depends on another one if frames that come by the first may leave by the second: by the
 * tables as they are now, for a destination that is routed that way, from an endpoint that it can
 * come from. If the second is paused, the first may have to be. A class in which no dependency goes
 * in a circle cannot deadlock (Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor
 * Interconnection Networks", IEEE Trans. Computers C-36(5), 1987); one where one does may.
 *
 * Only links between switches count, and of those only such as the far switch pauses: where the
 * class is lossless. Flooded frames are not looked at, nor are pauses of whole links.
 *
 * @param routing a fabric whose tables are filled
 * @return for each lossless class and each set of links that depend on each other in circles: one
 * of the shortest circles, from its first port in order of switches and ports on
 */
std::vector<BufferCycle> FindBufferCycles(const FabricRouting& routing);

/**
 * @param cycle of a fabric
 * @param routing knows the names of its switches
 * @return one line, such as "class 3: a:2 -> b:2 -> c:2 -> a:2"
 */
std::string ToString(const BufferCycle& cycle, const FabricRouting& routing);

} // namespace ns3

#endif // BUFFER_DEPENDENCIES_H
