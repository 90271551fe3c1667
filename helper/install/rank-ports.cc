// SPDX-License-Identifier: GPL-2.0-only
#include "rank-ports.h"

#include "ns3/abort.h"
#include "ns3/graph-measures.h"
#include "ns3/nic-ways.h"

#include <algorithm>

namespace ns3
{

RankPorts::RankPorts(const FabricGraph& graph, uint32_t gpusPerServer)
{
    const auto& vertices = graph.GetVertices();
    const std::vector<uint32_t> networks = GetNetworks(graph);
    std::vector<std::vector<uint32_t>> networksOf(vertices.size()); // by vertex and port
    for (size_t e = 0; e < networks.size(); ++e)
    {
        networksOf[graph.GetEdges()[e].a].push_back(networks[e]);
        networksOf[graph.GetEdges()[e].b].push_back(networks[e]);
    }
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        if (vertices[v].role != FabricGraph::Role::HOST)
        {
            continue;
        }
        const uint64_t count = networksOf[v].size();
        NS_ABORT_MSG_IF(count == 0, "RankPorts: " << vertices[v].name << " has no cable");
        for (uint64_t gpu = 0; gpu < gpusPerServer; ++gpu)
        {
            const uint64_t first = gpu * count / gpusPerServer;
            const uint64_t end = std::max(first + 1, (gpu + 1) * count / gpusPerServer);
            m_ports.emplace_back();
            m_networks.emplace_back();
            for (uint64_t p = first; p < end; ++p)
            {
                m_ports.back().push_back({v, static_cast<uint32_t>(p)});
                m_networks.back().push_back(networksOf[v][p]);
            }
        }
    }
    m_calls.resize(m_ports.size(), 0);
}

std::pair<RankPorts::Port, RankPorts::Port>
RankPorts::Next(uint32_t source, uint32_t destination)
{
    auto ways = PairPorts(m_networks.at(source), m_networks.at(destination));
    if (ways.empty())
    {
        return {m_ports[source].front(), m_ports[destination].front()};
    }
    auto [own, other] = ways[m_calls[source]++ % ways.size()];
    return {m_ports[source][own], m_ports[destination][other]};
}

} // namespace ns3
