// SPDX-License-Identifier: GPL-2.0-only
#include "shortest-path-routes.h"

#include "ns3/boolean.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ShortestPathRoutes);

namespace
{

constexpr uint64_t UNREACHED = UINT64_MAX;

} // namespace

TypeId
ShortestPathRoutes::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ShortestPathRoutes")
            .SetParent<RouteComputation>()
            .SetGroupName("AiFabric")
            .AddConstructor<ShortestPathRoutes>()
            .AddAttribute("WeighByRate",
                          "The ports of a group have weights in the proportion of their rates, for "
                          "a path selector that looks at weights.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ShortestPathRoutes::m_weighByRate),
                          MakeBooleanChecker());
    return tid;
}

std::string
ShortestPathRoutes::Prepare(const RoutingGraph& graph)
{
    m_allWeightsAreOne = true;
    for (const RoutingGraph::Switch& each : graph.switches)
    {
        for (const RoutingGraph::Port& port : each.ports)
        {
            m_allWeightsAreOne = m_allWeightsAreOne && port.weight == 1;
        }
    }
    return "";
}

void
ShortestPathRoutes::CountHops(const RoutingGraph& graph, const RoutingGraph::Target& target)
{
    m_queue = target.homes;
    for (size_t next = 0; next < m_queue.size(); ++next)
    {
        for (const RoutingGraph::Port& port : graph.switches[m_queue[next]].ports)
        {
            if (port.neighbor != RoutingGraph::NO_SWITCH && m_distance[port.neighbor] == UNREACHED)
            {
                m_distance[port.neighbor] = m_distance[m_queue[next]] + 1;
                m_queue.push_back(port.neighbor);
            }
        }
    }
}

void
ShortestPathRoutes::CountWeights(const RoutingGraph& graph, const RoutingGraph::Target& target)
{
    using Entry = std::pair<uint64_t, uint32_t>; // distance, switch
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> nearest;
    for (uint32_t home : target.homes)
    {
        nearest.emplace(0, home);
    }
    while (!nearest.empty())
    {
        auto [distance, s] = nearest.top();
        nearest.pop();
        if (distance > m_distance[s])
        {
            continue; // a shorter way was found since
        }
        for (const RoutingGraph::Port& port : graph.switches[s].ports)
        {
            if (port.neighbor != RoutingGraph::NO_SWITCH &&
                distance + port.weight < m_distance[port.neighbor])
            {
                m_distance[port.neighbor] = distance + port.weight;
                nearest.emplace(distance + port.weight, port.neighbor);
            }
        }
    }
}

void
ShortestPathRoutes::FindRoutes(const RoutingGraph& graph,
                               const RoutingGraph::Target& target,
                               std::vector<PortGroup>& routes)
{
    m_distance.assign(graph.switches.size(), UNREACHED);
    for (uint32_t home : target.homes)
    {
        m_distance[home] = 0;
    }
    if (m_allWeightsAreOne)
    {
        CountHops(graph, target);
    }
    else
    {
        CountWeights(graph, target);
    }
    for (uint32_t s = 0; s < graph.switches.size(); ++s)
    {
        const auto& ports = graph.switches[s].ports;
        for (uint32_t p = 0; p < ports.size() && m_distance[s] != UNREACHED; ++p)
        {
            if (ports[p].neighbor != RoutingGraph::NO_SWITCH &&
                m_distance[ports[p].neighbor] + ports[p].weight == m_distance[s])
            {
                routes[s].ports.push_back(p);
            }
        }
        if (m_weighByRate)
        {
            WeighByRate(ports, routes[s]);
        }
    }
}

void
WeighByRate(const std::vector<RoutingGraph::Port>& ports, PortGroup& group)
{
    uint64_t unit = 0;
    uint64_t largest = 0;
    for (uint32_t p : group.ports)
    {
        unit = std::gcd(unit, ports[p].bitRate);
        largest = std::max(largest, ports[p].bitRate);
    }
    if (largest == unit)
    {
        return; // all the same
    }
    // Rates without a large common divisor would not fit 32 bits.
    unit = std::max(unit, largest / UINT16_MAX);
    for (uint32_t p : group.ports)
    {
        group.weights.push_back(
            static_cast<uint32_t>(std::max<uint64_t>(1, ports[p].bitRate / unit)));
    }
}

} // namespace ns3
