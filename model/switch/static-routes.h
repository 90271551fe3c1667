// SPDX-License-Identifier: GPL-2.0-only
#ifndef STATIC_ROUTES_H
#define STATIC_ROUTES_H

#include "route-computation.h"

#include <map>

namespace ns3
{

/// A line of a routing table that somebody wrote.
struct StaticRoute
{
    uint32_t switchNumber{0};        ///< of the switch, in order of creation
    std::vector<uint32_t> endpoints; ///< numbers of destinations among the fabric's endpoints;
                                     ///< empty: all that no other line of the switch names
    PortGroup group;                 ///< where to
};

/**
 * @ingroup ai-fabric
 * @brief Routes as somebody wrote them (ReadRouteFile reads them from a file).
 *
 * A port whose link is down is left out of its group. What no line covers, or whose ports are all
 * down, goes by Otherwise, and has no route if that is null. A switch delivers to its own endpoints
 * whatever the lines say.
 */
class StaticRoutes : public RouteComputation
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param routes replace those so far; of two for one switch and destination the later counts
    void SetRoutes(std::vector<StaticRoute> routes);

    std::string Prepare(const RoutingGraph& graph) override;
    void FindRoutes(const RoutingGraph& graph,
                    const RoutingGraph::Target& target,
                    std::vector<PortGroup>& routes) override;

    bool RoutesEachDestination() const override
    {
        return true;
    }

  protected:
    void DoDispose() override;

  private:
    /// The table of a switch.
    struct Table
    {
        std::map<uint32_t, const PortGroup*> groups; ///< by address
        const PortGroup* rest{nullptr};              ///< of all others; null: none
    };

    std::string Check(const RoutingGraph& graph, const StaticRoute& route) const;

    std::vector<StaticRoute> m_routes;
    std::vector<Table> m_tables; ///< by switch
    Ptr<RouteComputation> m_otherwise;
};

} // namespace ns3

#endif // STATIC_ROUTES_H
