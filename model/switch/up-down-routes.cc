// SPDX-License-Identifier: GPL-2.0-only
#include "up-down-routes.h"

#include "ns3/enum-attribute.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(UpDownRoutes);

namespace
{

constexpr uint64_t NO_WAY = UINT64_MAX;
constexpr uint32_t NO_DEPTH = UINT32_MAX;

} // namespace

TypeId
UpDownRoutes::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::UpDownRoutes")
            .SetParent<RouteComputation>()
            .SetGroupName("AiFabric")
            .AddConstructor<UpDownRoutes>()
            .AddAttribute("Levels",
                          "What says which end of a link is the upper one.",
                          EnumValue(UpDownRoutes::LEVELS_AUTO),
                          MakeEnumAccessorFor<Levels>(&UpDownRoutes::m_levels),
                          MakeEnumChecker(UpDownRoutes::LEVELS_AUTO,
                                          "Auto",
                                          UpDownRoutes::LEVELS_TIERS,
                                          "Tiers",
                                          UpDownRoutes::LEVELS_BREADTH_FIRST,
                                          "BreadthFirst"))
            .AddAttribute("Root",
                          "Number of the switch, in order of creation, that levels are counted "
                          "from where they do not come from tiers.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&UpDownRoutes::m_root),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

std::string
UpDownRoutes::Prepare(const RoutingGraph& graph)
{
    const auto& switches = graph.switches;
    auto count = static_cast<uint32_t>(switches.size());
    bool allHaveTiers = std::all_of(switches.begin(), switches.end(), [](const auto& each) {
        return each.tier > 0;
    });
    if (m_levels == LEVELS_TIERS && !allHaveTiers)
    {
        return "up-down routes by tiers need the tier of each switch";
    }
    if (m_root >= count && count > 0)
    {
        return "the root of up-down routes is switch " + std::to_string(m_root) + " of " +
               std::to_string(count);
    }
    std::vector<uint32_t> depths(count);
    if (m_levels == LEVELS_BREADTH_FIRST || !allHaveTiers)
    {
        FindDepths(graph, depths);
    }
    else
    {
        for (uint32_t s = 0; s < count; ++s)
        {
            depths[s] = UINT32_MAX - switches[s].tier;
        }
    }
    m_order.resize(count);
    std::iota(m_order.begin(), m_order.end(), 0);
    std::stable_sort(m_order.begin(), m_order.end(), [&depths](uint32_t a, uint32_t b) {
        return depths[a] < depths[b];
    });
    m_place.resize(count);
    for (uint32_t i = 0; i < count; ++i)
    {
        m_place[m_order[i]] = i;
    }
    return "";
}

void
UpDownRoutes::FindDepths(const RoutingGraph& graph, std::vector<uint32_t>& depths) const
{
    auto count = static_cast<uint32_t>(graph.switches.size());
    depths.assign(count, NO_DEPTH);
    std::vector<uint32_t> queue;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t root = (m_root + i) % count; // one for each part that the fabric falls into
        if (depths[root] != NO_DEPTH)
        {
            continue;
        }
        depths[root] = 0;
        queue.assign(1, root);
        for (size_t next = 0; next < queue.size(); ++next)
        {
            for (const RoutingGraph::Port& port : graph.switches[queue[next]].ports)
            {
                if (port.neighbor != RoutingGraph::NO_SWITCH && depths[port.neighbor] == NO_DEPTH)
                {
                    depths[port.neighbor] = depths[queue[next]] + 1;
                    queue.push_back(port.neighbor);
                }
            }
        }
    }
}

void
UpDownRoutes::CountDown(const RoutingGraph& graph, const RoutingGraph::Target& target)
{
    m_down.assign(graph.switches.size(), NO_WAY);
    for (uint32_t home : target.homes)
    {
        m_down[home] = 0;
    }
    for (auto s = m_order.rbegin(); s != m_order.rend(); ++s) // what is below is known
    {
        for (const RoutingGraph::Port& port : graph.switches[*s].ports)
        {
            if (port.neighbor != RoutingGraph::NO_SWITCH && IsAbove(*s, port.neighbor) &&
                m_down[port.neighbor] != NO_WAY)
            {
                m_down[*s] = std::min(m_down[*s], m_down[port.neighbor] + port.weight);
            }
        }
    }
}

void
UpDownRoutes::CountUp(const RoutingGraph& graph)
{
    m_whole = m_down;
    for (uint32_t s : m_order) // what is above is known
    {
        if (m_down[s] != NO_WAY)
        {
            continue;
        }
        for (const RoutingGraph::Port& port : graph.switches[s].ports)
        {
            if (port.neighbor != RoutingGraph::NO_SWITCH && IsAbove(port.neighbor, s) &&
                m_whole[port.neighbor] != NO_WAY)
            {
                m_whole[s] = std::min(m_whole[s], m_whole[port.neighbor] + port.weight);
            }
        }
    }
}

void
UpDownRoutes::FindRoutes(const RoutingGraph& graph,
                         const RoutingGraph::Target& target,
                         std::vector<PortGroup>& routes)
{
    CountDown(graph, target);
    CountUp(graph);
    for (uint32_t s = 0; s < graph.switches.size(); ++s)
    {
        if (m_whole[s] == NO_WAY)
        {
            continue;
        }
        bool goesDown = m_down[s] != NO_WAY;
        const auto& ports = graph.switches[s].ports;
        for (uint32_t p = 0; p < ports.size(); ++p)
        {
            uint32_t neighbor = ports[p].neighbor;
            if (neighbor == RoutingGraph::NO_SWITCH || IsAbove(s, neighbor) != goesDown)
            {
                continue;
            }
            uint64_t rest = goesDown ? m_down[neighbor] : m_whole[neighbor];
            if (rest != NO_WAY && rest + ports[p].weight == m_whole[s])
            {
                routes[s].ports.push_back(p);
            }
        }
    }
}

} // namespace ns3
