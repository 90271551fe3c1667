// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONWEAVE_PATH_SELECTOR_H
#define CONWEAVE_PATH_SELECTOR_H

#include "conweave-destination.h"
#include "conweave-parameters.h"
#include "conweave-source.h"
#include "ecmp-path-selector.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief ConWeave: flows leave a congested path in the middle of a burst, and their frames arrive
 * in order all the same (Song et al., "Network Load Balancing with In-network Reordering Support
 * for RDMA", SIGCOMM 2023).
 *
 * All switches of the fabric must have it. Those next to hosts are source (ConWeaveSource) of the
 * flows that enter there and destination (ConWeaveDestination) of those that leave; at all of them
 * data follows the path in its header (ConWeavePaths). What is not RoCE data between two racks goes
 * by ECMP: acknowledgements, CNPs, ConWeave's own answers, packets of ns-3's stack.
 */
class ConWeavePathSelector : public EcmpPathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    ConWeavePathSelector();

    /// @return what this switch has counted
    const ConWeaveCounters& GetCounters() const
    {
        return m_counters;
    }

    void Configure(FabricSwitch& fabricSwitch) override;
    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

    bool WatchesFrames() const override
    {
        return true;
    }

    bool FrameArrives(FabricSwitch& fabricSwitch, uint32_t ingress, FramePtr& frame) override;
    int64_t AssignStreams(int64_t stream) override;

    /// Signature of Reroute. @param frame the TAIL @param from number of its path @param to number
    /// of the path of those that follow
    typedef void (*RerouteTracedCallback)(const FabricFrame& frame, uint16_t from, uint16_t to);

  private:
    void Prepare(const FabricSwitch& fabricSwitch);
    bool FrameFromPath(FabricSwitch& fabricSwitch, uint32_t ingress, FramePtr& frame);

    Time m_replyMargin;
    Time m_pathBusyTime;
    Time m_inactiveTime;
    Time m_resumeMargin;
    Time m_defaultResumeWait;
    uint32_t m_pathSamples{0};
    uint32_t m_maxPaths{0};
    uint32_t m_reorderQueues{0};
    uint8_t m_controlClass{0};
    ConWeaveParameters m_parameters;
    ConWeaveCounters m_counters;
    ConWeaveSource m_source{m_parameters, m_counters};
    ConWeaveDestination m_destination{m_parameters, m_counters};
    std::vector<bool> m_leadsToHost; ///< by port; empty: Prepare() is due
    TracedCallback<const FabricFrame&, uint16_t, uint16_t> m_rerouteTrace;
};

} // namespace ns3

#endif // CONWEAVE_PATH_SELECTOR_H
