// SPDX-License-Identifier: GPL-2.0-only
#ifndef SHORTEST_PATH_ROUTES_H
#define SHORTEST_PATH_ROUTES_H

#include "route-computation.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief All shortest paths, by the weights of links (1 unless said otherwise: hops).
 *
 * All ports of a switch that lead to its target on a shortest path are a group; parallel links
 * belong to it all. Optionally the members share by their rates (weighted ECMP; the path selector
 * must look at weights).
 */
class ShortestPathRoutes : public RouteComputation
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string Prepare(const RoutingGraph& graph) override;
    void FindRoutes(const RoutingGraph& graph,
                    const RoutingGraph::Target& target,
                    std::vector<PortGroup>& routes) override;

  private:
    void CountHops(const RoutingGraph& graph, const RoutingGraph::Target& target);
    void CountWeights(const RoutingGraph& graph, const RoutingGraph::Target& target);

    bool m_weighByRate{false};
    bool m_allWeightsAreOne{true};
    std::vector<uint64_t> m_distance; ///< by switch, to the nearest home of the target
    std::vector<uint32_t> m_queue;
};

/**
 * Gives the ports of a group weights in the proportion of their rates.
 * @param ports of the switch
 * @param group its weights are set, unless all rates are the same
 */
void WeighByRate(const std::vector<RoutingGraph::Port>& ports, PortGroup& group);

} // namespace ns3

#endif // SHORTEST_PATH_ROUTES_H
