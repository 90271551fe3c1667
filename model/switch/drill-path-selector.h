// SPDX-License-Identifier: GPL-2.0-only
#ifndef DRILL_PATH_SELECTOR_H
#define DRILL_PATH_SELECTOR_H

#include "path-selector.h"

#include <unordered_map>
#include <vector>

namespace ns3
{

class UniformRandomVariable;

/**
 * @ingroup ai-fabric
 * @brief DRILL(d, m): each frame takes the least loaded of d ports drawn at random and of the m
 * that were the least loaded before (Ghorbani et al., "DRILL: Micro Load Balancing for Low-latency
 * Data Center Networks", SIGCOMM 2017).
 *
 * The load of a port is the time that what waits there takes: for ports of one rate the same order
 * as by bytes. The memory is one for each group of ports (told apart by its first port and its
 * number of ports). Ports whose links are down are passed over. Frames overtake each other, though
 * rarely where loads are symmetric: the transport must place them out of order. The paper's
 * decomposition of asymmetric fabrics into symmetric parts is not modelled.
 */
class DrillPathSelector : public PathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    DrillPathSelector();

    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

    int64_t AssignStreams(int64_t stream) override;

  private:
    void Draw(ForwardingTable::Ports ports);

    uint32_t m_samples{0};
    uint32_t m_memory{0};
    Ptr<UniformRandomVariable> m_random;
    std::vector<uint32_t> m_drawn;                                     ///< of the frame at hand
    std::unordered_map<uint64_t, std::vector<uint32_t>> m_leastBefore; ///< by group; never iterated
};

} // namespace ns3

#endif // DRILL_PATH_SELECTOR_H
