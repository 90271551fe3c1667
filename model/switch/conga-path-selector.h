// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONGA_PATH_SELECTOR_H
#define CONGA_PATH_SELECTOR_H

#include "conga-leaf-tables.h"
#include "discounting-rate-estimator.h"
#include "flowlet-table.h"
#include "path-selector.h"

#include "ns3/nstime.h"

#include <vector>

namespace ns3
{

class FabricNetDevice;
class UniformRandomVariable;

/**
 * @ingroup ai-fabric
 * @brief CONGA: leaves measure how congested their paths are, tell each other, and send each
 * flowlet by the least congested (Alizadeh et al., "CONGA: Distributed Congestion-Aware Load
 * Balancing for Datacenters", SIGCOMM 2014).
 *
 * Each port to another switch has a rate estimator; X / (C tau) in 2^Q steps is the link's metric.
 * A frame that enters the fabric at a leaf is stamped with the leaf and the uplink that it takes,
 * and gathers the largest metric of the links that it passes; the leaf where it leaves the fabric
 * keeps that, and reports it on a frame of the other direction (SwitchHeader::conga). At the first
 * frame of a flowlet a leaf takes the uplink whose larger one of both metrics, its own link's and
 * the reported one, is the smallest; the uplink of the flow's last flowlet if that is among them.
 *
 * A leaf is a switch with hosts, for the frames that come from them; every other choice (a spine
 * with parallel cables, an upper tier) is by hash, as in the paper. With three tiers an uplink
 * thus stands for all paths behind it. Which leaf a host is behind is learned from its frames;
 * until one has come, only the local metric counts. Ports whose links are down are passed over by
 * leaves. The fields add nothing to a frame's length (the paper's ride in VXLAN's reserved bits).
 */
class CongaPathSelector : public PathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    CongaPathSelector();

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
    void FrameDeparts(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame) override;
    int64_t AssignStreams(int64_t stream) override;

    /// @param fabricSwitch whose selector this is @param port to another switch
    /// @param now time steps @return congestion of the link, 0 to 2^Q - 1
    uint32_t GetLocalMetric(FabricSwitch& fabricSwitch, uint32_t port, int64_t now);

    /// @return what is known of the other leaves
    const CongaLeafTables& GetLeafTables() const
    {
        return m_leaves;
    }

  private:
    struct Port
    {
        bool leadsToSwitch{false};
        uint16_t uplink{0}; ///< number among the ports to switches
        DiscountingRateEstimator rate;
    };

    Port& PortAt(FabricSwitch& fabricSwitch, uint32_t port);
    void Stamp(FabricSwitch& fabricSwitch, FabricFrame& frame, uint16_t uplink, int64_t now);
    uint32_t ChooseUplink(FabricSwitch& fabricSwitch,
                          const FabricFrame& frame,
                          ForwardingTable::Ports ports,
                          uint32_t current,
                          int64_t now);

    uint32_t m_quantizationBits{0};
    Time m_dreTime;
    double m_dreAlpha{0};
    Time m_flowletTimeout;
    Time m_agingTime;
    uint32_t m_tableSize{0};
    uint32_t m_seed{0};
    std::vector<Port> m_ports;
    FlowletTable m_flowlets;
    CongaLeafTables m_leaves;
    std::vector<uint32_t> m_best; ///< the least congested uplinks, of the frame at hand
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3

#endif // CONGA_PATH_SELECTOR_H
