// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_GRAPH_H
#define FABRIC_GRAPH_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The most cables that a builder of fabrics makes.
constexpr uint64_t MOST_CABLES = 1U << 24;

/**
 * @ingroup ai-fabric
 * @brief A fabric on paper: hosts, switches and cables. Builders and file readers make one,
 * FabricHelper::Install turns it into nodes.
 *
 * A host has a NIC port for each of its cables, in the order in which they were added.
 */
class FabricGraph
{
  public:
    /// What a vertex is.
    enum class Role : uint8_t
    {
        HOST,
        SWITCH,
    };

    /// A host or a switch.
    struct Vertex
    {
        Role role;
        std::string name; ///< unique
        uint32_t tier{0}; ///< of a switch: 1 next to hosts, 2 above, ...; 0: not said
    };

    /// A cable.
    struct Edge
    {
        uint32_t a; ///< index of a vertex
        uint32_t b; ///< index of another vertex
        DataRate rate;
        Time delay;         ///< one way
        double lossRate{0}; ///< probability that a frame is lost
        uint32_t weight{1}; ///< of a shortest path's length, at least 1
    };

    /// @param name unique @return index of the new vertex
    uint32_t AddHost(const std::string& name);
    /// @param name unique @param tier 1 next to hosts, 2 above, ...; 0: not said
    /// @return index of the new vertex
    uint32_t AddSwitch(const std::string& name, uint32_t tier = 0);
    /// @param edge a cable between two existing vertices
    void Connect(const Edge& edge);

    /// @return all vertices, in order of creation
    const std::vector<Vertex>& GetVertices() const
    {
        return m_vertices;
    }

    /// @return all cables, in order of creation
    const std::vector<Edge>& GetEdges() const
    {
        return m_edges;
    }

    /// @param role what to count @return how many vertices have it
    uint32_t Count(Role role) const;

  private:
    std::vector<Vertex> m_vertices;
    std::vector<Edge> m_edges;
};

} // namespace ns3

#endif // FABRIC_GRAPH_H
