// SPDX-License-Identifier: GPL-2.0-only
#include "static-routes.h"

#include "ns3/pointer.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StaticRoutes);

namespace
{

/// @param ports of a switch @param group of some of them @return those whose links work
PortGroup
WorkingPart(const std::vector<RoutingGraph::Port>& ports, const PortGroup& group)
{
    PortGroup working;
    for (size_t i = 0; i < group.ports.size(); ++i)
    {
        if (ports[group.ports[i]].neighbor != RoutingGraph::NO_SWITCH)
        {
            working.ports.push_back(group.ports[i]);
            if (!group.weights.empty())
            {
                working.weights.push_back(group.weights[i]);
            }
        }
    }
    return working;
}

} // namespace

TypeId
StaticRoutes::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StaticRoutes")
                            .SetParent<RouteComputation>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<StaticRoutes>()
                            .AddAttribute("Otherwise",
                                          "Routes of what no line covers, or whose ports are all "
                                          "down; null: it has none.",
                                          PointerValue(),
                                          MakePointerAccessor(&StaticRoutes::m_otherwise),
                                          MakePointerChecker<RouteComputation>());
    return tid;
}

void
StaticRoutes::DoDispose()
{
    m_otherwise = nullptr;
    RouteComputation::DoDispose();
}

void
StaticRoutes::SetRoutes(std::vector<StaticRoute> routes)
{
    m_routes = std::move(routes);
    m_tables.clear();
}

std::string
StaticRoutes::Check(const RoutingGraph& graph, const StaticRoute& route) const
{
    auto below = [](uint32_t number, size_t count, const std::string& what) {
        return number < count ? ""
                              : "a static route names " + what + " " + std::to_string(number) +
                                    " of " + std::to_string(count);
    };
    std::string why = below(route.switchNumber, graph.switches.size(), "switch");
    for (size_t i = 0; i < route.endpoints.size() && why.empty(); ++i)
    {
        why = below(route.endpoints[i], graph.endpoints.size(), "endpoint");
    }
    for (size_t i = 0; i < route.group.ports.size() && why.empty(); ++i)
    {
        why = below(route.group.ports[i], graph.switches[route.switchNumber].ports.size(), "port");
    }
    return why;
}

std::string
StaticRoutes::Prepare(const RoutingGraph& graph)
{
    m_tables.assign(graph.switches.size(), {});
    for (const StaticRoute& route : m_routes)
    {
        if (std::string why = Check(graph, route); !why.empty())
        {
            return why;
        }
        Table& table = m_tables[route.switchNumber];
        for (uint32_t endpoint : route.endpoints)
        {
            table.groups[graph.endpoints[endpoint]] = &route.group;
        }
        if (route.endpoints.empty())
        {
            table.rest = &route.group;
        }
    }
    return m_otherwise ? m_otherwise->Prepare(graph) : "";
}

void
StaticRoutes::FindRoutes(const RoutingGraph& graph,
                         const RoutingGraph::Target& target,
                         std::vector<PortGroup>& routes)
{
    if (m_otherwise)
    {
        m_otherwise->FindRoutes(graph, target, routes);
    }
    for (uint32_t s = 0; s < graph.switches.size(); ++s)
    {
        const Table& table = m_tables[s];
        auto found = table.groups.find(target.addresses.front());
        const PortGroup* group = found == table.groups.end() ? table.rest : found->second;
        if (!group)
        {
            continue;
        }
        PortGroup working = WorkingPart(graph.switches[s].ports, *group);
        if (!working.ports.empty())
        {
            routes[s] = std::move(working);
        }
    }
}

} // namespace ns3
