// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROUTE_COMPUTATION_H
#define ROUTE_COMPUTATION_H

#include "routing-graph.h"

#include "ns3/object.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Decides by which ports each switch sends what is for a target. A fabric has one
 * (FabricRouting); a study brings its own by subclassing.
 *
 * It sees the links that work at the moment. It may be asked again whenever links have changed.
 */
class RouteComputation : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * A new graph: called once before FindRoutes() is called for its targets.
     * @param graph the fabric
     * @return empty, or why this kind of routes cannot be computed for it
     */
    virtual std::string Prepare(const RoutingGraph& graph)
    {
        (void)graph;
        return "";
    }

    /**
     * @param graph the one of Prepare()
     * @param target where to
     * @param routes by switch, all empty: receives the ports towards the target. What it says of
     * the target's homes is ignored: they deliver.
     */
    virtual void FindRoutes(const RoutingGraph& graph,
                            const RoutingGraph::Target& target,
                            std::vector<PortGroup>& routes) = 0;

    /// @return true: each destination is a target of its own, for the way to one may differ from
    /// that to its neighbour
    virtual bool RoutesEachDestination() const
    {
        return false;
    }
};

} // namespace ns3

#endif // ROUTE_COMPUTATION_H
