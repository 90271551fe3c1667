// SPDX-License-Identifier: GPL-2.0-only
#include "port-names.h"

#include "ns3/abort.h"

namespace ns3
{

PortNames::PortNames(const FabricGraph& graph, const FabricNetwork& network)
{
    for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
    {
        m_vertices.push_back(graph.GetVertices()[v].name);
        m_ports.push_back(network.ports[v].size());
    }
    for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
    {
        if (graph.GetVertices()[v].role != FabricGraph::Role::HOST)
        {
            continue;
        }
        for (uint32_t p = 0; p < network.ports[v].size(); ++p)
        {
            uint32_t address = network.ports[v][p]->GetIpv4Address().Get();
            if (m_endpoints.empty())
            {
                m_base = address; // FabricHelper gives consecutive addresses in this order
            }
            m_endpoints.push_back({NameOf(v, p), network.ports[v][p], v});
        }
    }
}

std::string
PortNames::NameOf(uint32_t vertex, uint32_t port) const
{
    return m_ports.at(vertex) == 1 ? m_vertices[vertex]
                                   : m_vertices[vertex] + ":" + std::to_string(port);
}

const PortNames::Endpoint&
PortNames::Find(uint32_t address) const
{
    uint32_t index = address - m_base;
    NS_ABORT_MSG_IF(index >= m_endpoints.size(), "PortNames: no endpoint has this address");
    return m_endpoints[index];
}

const std::string&
PortNames::NameOfAddress(uint32_t address) const
{
    return Find(address).name;
}

Ptr<FabricNetDevice>
PortNames::PortOfAddress(uint32_t address) const
{
    return Find(address).port;
}

uint32_t
PortNames::VertexOfAddress(uint32_t address) const
{
    return Find(address).vertex;
}

} // namespace ns3
