// SPDX-License-Identifier: GPL-2.0-only
#ifndef RANK_PORTS_H
#define RANK_PORTS_H

#include "ns3/fabric-graph.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The NIC ports of each rank, and which of them lead to another rank.
 *
 * Ranks are GPUs, server by server. A server of N ports and G GPUs gives GPU g the ports that
 * GpuClusterHelper gives it.
 */
class RankPorts
{
  public:
    /// A port of a host.
    struct Port
    {
        uint32_t vertex; ///< of the graph
        uint32_t index;  ///< of the vertex's ports
    };

    /// @param graph some fabric @param gpusPerServer of each host
    RankPorts(const FabricGraph& graph, uint32_t gpusPerServer);

    /// @return number of ranks
    uint32_t GetCount() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /// @param rank a GPU @return its ports, at least one
    const std::vector<Port>& GetPorts(uint32_t rank) const
    {
        return m_ports.at(rank);
    }

    /**
     * Of the ports that two ranks have for each other, each call takes the next of the source's.
     * @param source a rank @param destination another one
     * @return a port of each; where no network joins them, the first of each
     */
    std::pair<Port, Port> Next(uint32_t source, uint32_t destination);

  private:
    std::vector<std::vector<Port>> m_ports;        ///< by rank
    std::vector<std::vector<uint32_t>> m_networks; ///< by rank: of its ports
    std::vector<size_t> m_calls;                   ///< by rank: Next() with it as source
};

} // namespace ns3

#endif // RANK_PORTS_H
