// SPDX-License-Identifier: GPL-2.0-only
#ifndef PORT_NAMES_H
#define PORT_NAMES_H

#include "ns3/fabric-graph.h"
#include "ns3/fabric-helper.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What reports call the ports of a fabric: the vertex's name, and the port's number where
 * the vertex has several ("leaf0:3", "host5").
 */
class PortNames
{
  public:
    /// @param graph the fabric on paper @param network the fabric as installed
    PortNames(const FabricGraph& graph, const FabricNetwork& network);

    /// @param vertex of the graph @param port of its ports @return the name
    std::string NameOf(uint32_t vertex, uint32_t port) const;

    /// @param address IPv4 address of an endpoint's port, host byte order @return the name
    const std::string& NameOfAddress(uint32_t address) const;

    /// @param address IPv4 address of an endpoint's port, host byte order @return the port
    Ptr<FabricNetDevice> PortOfAddress(uint32_t address) const;

    /// @param address IPv4 address of an endpoint's port, host byte order @return its vertex
    uint32_t VertexOfAddress(uint32_t address) const;

  private:
    struct Endpoint
    {
        std::string name;
        Ptr<FabricNetDevice> port;
        uint32_t vertex;
    };

    const Endpoint& Find(uint32_t address) const;

    std::vector<std::string> m_vertices;
    std::vector<size_t> m_ports; ///< how many each vertex has
    uint32_t m_base{0};
    std::vector<Endpoint> m_endpoints; ///< by address - base
};

} // namespace ns3

#endif // PORT_NAMES_H
