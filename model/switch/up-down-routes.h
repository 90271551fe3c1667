// SPDX-License-Identifier: GPL-2.0-only
#ifndef UP_DOWN_ROUTES_H
#define UP_DOWN_ROUTES_H

#include "route-computation.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief No path goes up again after it has gone down (the up-star/down-star rule of Autonet:
 * Schroeder et al., IEEE JSAC 9(8), 1991): no cyclic buffer dependency is possible.
 *
 * Each link has an upper end: the switch of the higher tier or, where tiers are not known, of the
 * smaller distance from a root; of two switches on one level, the one that was made first. A switch
 * from which a way leads down to the target takes the shortest of those; any other one goes up, to
 * where the whole way is shortest. In a fat tree that is all shortest paths.
 *
 * Where levels come from tiers, two switches may have no such way between them although links join
 * them (their only common neighbour is below): then there is no route.
 */
class UpDownRoutes : public RouteComputation
{
  public:
    /// Where the levels of switches come from.
    enum Levels
    {
        LEVELS_AUTO,          ///< tiers if each switch has one
        LEVELS_TIERS,         ///< tiers; a switch without one is an error
        LEVELS_BREADTH_FIRST, ///< hops from the root
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    std::string Prepare(const RoutingGraph& graph) override;
    void FindRoutes(const RoutingGraph& graph,
                    const RoutingGraph::Target& target,
                    std::vector<PortGroup>& routes) override;

    /// @param a index of a switch @param b index of another one @return true: a is above b
    bool IsAbove(uint32_t a, uint32_t b) const
    {
        return m_place[a] < m_place[b];
    }

  private:
    void FindDepths(const RoutingGraph& graph, std::vector<uint32_t>& depths) const;
    void CountDown(const RoutingGraph& graph, const RoutingGraph::Target& target);
    void CountUp(const RoutingGraph& graph);

    Levels m_levels{LEVELS_AUTO};
    uint32_t m_root{0};
    std::vector<uint32_t> m_order; ///< switches, from the top down
    std::vector<uint32_t> m_place; ///< by switch: its place in that order
    std::vector<uint64_t> m_down;  ///< by switch: length of the shortest way that only goes down
    std::vector<uint64_t> m_whole; ///< by switch: length of its way
};

} // namespace ns3

#endif // UP_DOWN_ROUTES_H
