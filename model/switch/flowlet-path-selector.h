// SPDX-License-Identifier: GPL-2.0-only
#ifndef FLOWLET_PATH_SELECTOR_H
#define FLOWLET_PATH_SELECTOR_H

#include "flowlet-table.h"
#include "path-selector.h"

#include "ns3/nstime.h"

namespace ns3
{

class UniformRandomVariable;

/**
 * @ingroup ai-fabric
 * @brief LetFlow: each flowlet takes a port at random (Vanini et al., "Let It Flow: Resilient
 * Asymmetric Load Balancing with Flowlet Switching", NSDI 2017).
 *
 * A frame that comes later than FlowletTimeout after the one before it of its flow begins a
 * flowlet. Flowlets on congested paths end sooner, for their frames are delayed and the senders
 * slow down; so congested paths have less to carry, without being measured. No frame overtakes
 * another if the timeout exceeds the difference of the paths' delays.
 *
 * The choice honours the route's weights, and passes over ports whose links are down. A flowlet
 * whose link goes down, or whose port the route no longer has, chooses again at once.
 */
class FlowletPathSelector : public PathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FlowletPathSelector();

    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

    int64_t AssignStreams(int64_t stream) override;

    /// @return flowlets that have chosen a port so far
    uint64_t GetFlowlets() const
    {
        return m_flowlets;
    }

  private:
    Time m_timeout;
    uint32_t m_tableSize{0};
    uint32_t m_seed{0};
    uint64_t m_flowlets{0};
    FlowletTable m_table;
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3

#endif // FLOWLET_PATH_SELECTOR_H
