// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-graph.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

uint32_t
FabricGraph::AddHost(const std::string& name)
{
    m_vertices.push_back({Role::HOST, name});
    return static_cast<uint32_t>(m_vertices.size() - 1);
}

uint32_t
FabricGraph::AddSwitch(const std::string& name, uint32_t tier)
{
    m_vertices.push_back({Role::SWITCH, name, tier});
    return static_cast<uint32_t>(m_vertices.size() - 1);
}

void
FabricGraph::Connect(const Edge& edge)
{
    NS_ABORT_MSG_IF(edge.a >= m_vertices.size() || edge.b >= m_vertices.size() || edge.a == edge.b,
                    "FabricGraph: a cable joins two different vertices below "
                        << m_vertices.size() << ", not " << edge.a << " and " << edge.b);
    m_edges.push_back(edge);
}

uint32_t
FabricGraph::Count(Role role) const
{
    return static_cast<uint32_t>(
        std::count_if(m_vertices.begin(), m_vertices.end(), [role](const Vertex& vertex) {
            return vertex.role == role;
        }));
}

} // namespace ns3
