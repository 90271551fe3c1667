// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "fabric-switch.h"
#include "route-computation.h"

#include "ns3/event-id.h"
#include "ns3/traced-callback.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The control plane of a fabric: fills the forwarding tables of its switches, and fills them
 * again when links have changed.
 *
 * It stands for a routing protocol or a fabric controller, not for its messages: a link that goes
 * down or up is in the tables of all switches ConvergenceTime later, at one moment; until then
 * frames run into it and are lost. Several changes within that time are one recomputation. Which
 * ports lead where is the RouteComputation's decision.
 *
 * MAC addresses lead to the same ports as the IPv4 addresses of their endpoints. What is flooded
 * goes along a tree over the switches (breadth first from the first one) and to all endpoints.
 * Endpoints do not forward. Ports of endpoints with one IPv4 address (a bond) are one destination.
 *
 * A fabric may fall into parts: what cannot be reached has no route, and frames to it are dropped
 * and counted (FabricSwitch::GetUnroutableDrops).
 */
class FabricRouting : public Object
{
  public:
    /// Two endpoints of different nodes between which no route leads.
    struct UnreachablePair
    {
        Ptr<FabricNetDevice> from;
        Ptr<FabricNetDevice> to;
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    FabricRouting();
    ~FabricRouting() override;

    // ---- set-up

    /**
     * @param fabricSwitch one more switch, all its ports cabled
     * @param tier 1 next to hosts, 2 above, ...; 0: not said
     * @param name for messages; empty: after its node
     */
    void AddSwitch(Ptr<FabricSwitch> fabricSwitch, uint32_t tier = 0, const std::string& name = "");

    /// @param port one more endpoint: a port of a node that does not forward
    void AddEndpoint(Ptr<FabricNetDevice> port);

    /// @param channel a cable between switches @param weight of it, at least 1 (default 1)
    void SetLinkWeight(Ptr<const FabricChannel> channel, uint32_t weight);

    /// @param computation decides about the routes from now on; shortest paths unless called
    void SetComputation(Ptr<RouteComputation> computation);

    /// @return what decides about the routes
    Ptr<RouteComputation> GetComputation() const;

    /**
     * Fills the tables now, by the links that work now. To be called once after set-up, and when
     * addresses or the computation have been changed by hand.
     * @return empty, or why it cannot be done; the tables are then not usable
     */
    std::string Compute();

    // ---- what others read

    /// @return the switches, in order of AddSwitch()
    const std::vector<Ptr<FabricSwitch>>& GetSwitches() const
    {
        return m_switches;
    }

    /// @return the endpoints, in order of AddEndpoint()
    const std::vector<Ptr<FabricNetDevice>>& GetEndpoints() const
    {
        return m_endpoints;
    }

    /// @return the fabric as it was when the tables were last filled
    const RoutingGraph& GetGraph() const
    {
        return m_graph;
    }

    /// @param index of a switch @return its name, as messages have it
    const std::string& GetSwitchName(uint32_t index) const
    {
        return m_names.at(index);
    }

    /// @param node id of a node @return index of its switch; RoutingGraph::NO_SWITCH if it has none
    uint32_t GetSwitchIndex(uint32_t node) const;

    /**
     * @param limit stops after so many
     * @return endpoints of different nodes between which the tables lead no frame, by destination
     */
    std::vector<UnreachablePair> FindUnreachablePairs(size_t limit) const;

    /// @param from an endpoint @param to another one @return true: the tables lead there
    bool IsReachable(Ptr<const FabricNetDevice> from, Ptr<const FabricNetDevice> to) const;

    /// @return how many times the tables were filled
    uint64_t GetComputations() const
    {
        return m_computations;
    }

    /// @return bytes of memory that all forwarding tables take
    uint64_t GetMemoryBytes() const;

    /// @return true: a change is not yet in the tables
    bool IsConverging() const;

    // ---- what switches call

    /// A link has gone down or come up. @param port an end of it @param up what it is now
    void LinkChanged(Ptr<FabricNetDevice> port, bool up);

    /// Signature of Converged. @param computations how many times the tables were filled
    typedef void (*ConvergedTracedCallback)(uint64_t computations);

  protected:
    void DoDispose() override;

  private:
    /// Where an endpoint's port is plugged in.
    struct Attachment
    {
        uint32_t home{RoutingGraph::NO_SWITCH}; ///< NO_SWITCH: nowhere, or the link is down
        uint32_t port{0};
    };

    bool Works(const FabricNetDevice& port) const;
    void BuildGraph();
    void BuildTargets();
    std::string Fill();
    std::string ResetTables();
    void FillTables();
    void SetLocalRoutes();
    void SetFloodPorts();
    std::string FindLoop() const;
    std::vector<uint32_t> FindLoopTo(const RoutingGraph::Target& target) const;
    std::vector<bool> FindReachers(const RoutingGraph::Target& target) const;
    std::vector<uint32_t> FindStrangers(const RoutingGraph::Target* target) const;
    bool LeadsBy(uint32_t s, uint32_t address, uint32_t port) const;
    void WatchDirections();
    void DirectionChanged(bool dead);
    void RecomputeSoon();
    void Recompute();

    std::vector<Ptr<FabricSwitch>> m_switches;
    std::vector<std::string> m_names;
    std::vector<uint32_t> m_tiers;
    std::vector<Ptr<FabricNetDevice>> m_endpoints;
    std::map<uint32_t, uint32_t> m_indexOfNode; ///< by node id
    std::map<uint32_t, uint32_t> m_weights;     ///< by channel id, those that are not 1
    Ptr<RouteComputation> m_computation;
    Time m_convergenceTime;
    bool m_seesOneWayFailures{false};
    RoutingGraph m_graph;
    std::vector<Attachment> m_attachments; ///< by endpoint
    uint64_t m_computations{0};
    EventId m_recompute;
    TracedCallback<uint64_t> m_convergedTrace;
};

} // namespace ns3

#endif // FABRIC_ROUTING_H
