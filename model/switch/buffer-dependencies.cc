// SPDX-License-Identifier: GPL-2.0-only
#include "buffer-dependencies.h"

#include "cycle-finder.h"
#include "fabric-routing.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t NO_SWITCH = RoutingGraph::NO_SWITCH;

/// Which ports of a switch its frames leave by, for each port that they come by.
class PortMatrix
{
  public:
    explicit PortMatrix(uint32_t ports)
        : m_ports(ports),
          m_bits(uint64_t{ports} * ports)
    {
    }

    void Set(uint32_t ingress, uint32_t egress)
    {
        m_bits[uint64_t{ingress} * m_ports + egress] = true;
    }

    bool Get(uint32_t ingress, uint32_t egress) const
    {
        return m_bits[uint64_t{ingress} * m_ports + egress];
    }

  private:
    uint64_t m_ports;
    std::vector<bool> m_bits;
};

/// Follows the frames of each destination through a fabric.
class Dependencies
{
  public:
    explicit Dependencies(const FabricRouting& routing)
        : m_routing(routing),
          m_graph(routing.GetGraph())
    {
        for (uint32_t s = 0; s < m_graph.switches.size(); ++s)
        {
            auto ports = static_cast<uint32_t>(m_graph.switches[s].ports.size());
            m_firstLink.push_back(m_links);
            m_links += ports;
            m_turns.emplace_back(ports);
            m_delivers.push_back(FindDeliveries(s));
        }
        std::set<uint32_t> sources;
        for (const RoutingGraph::Target& target : m_graph.targets)
        {
            sources.insert(target.homes.begin(), target.homes.end());
        }
        m_sources.assign(sources.begin(), sources.end());
        for (const RoutingGraph::Target& target : m_graph.targets)
        {
            FollowAll(target);
        }
    }

    /// @param trafficClass a class @return one shortest cycle for each component, of links
    std::vector<std::vector<uint32_t>> FindCycles(uint32_t trafficClass) const
    {
        std::vector<std::vector<uint32_t>> successors(m_links);
        for (uint32_t s = 0; s < m_graph.switches.size(); ++s)
        {
            for (uint32_t p = 0; p < m_graph.switches[s].ports.size(); ++p)
            {
                const RoutingGraph::Port& port = m_graph.switches[s].ports[p];
                if (IsPausable(port, trafficClass))
                {
                    successors[m_firstLink[s] + p] = Successors(port, trafficClass);
                }
            }
        }
        return FindShortestCycles(successors);
    }

    /// @param link a number @return the port that it leaves by
    Ptr<FabricNetDevice> PortOf(uint32_t link) const
    {
        auto after = std::upper_bound(m_firstLink.begin(), m_firstLink.end(), link);
        auto s = static_cast<uint32_t>(after - m_firstLink.begin() - 1);
        return m_routing.GetSwitches()[s]->GetPort(link - m_firstLink[s]);
    }

  private:
    ForwardingTable& TableOf(uint32_t s) const
    {
        return m_routing.GetSwitches()[s]->GetForwardingTable();
    }

    bool IsPausable(const RoutingGraph::Port& port, uint32_t trafficClass) const
    {
        return port.neighbor != NO_SWITCH &&
               (m_routing.GetSwitches()[port.neighbor]->GetLosslessClasses() &
                (1U << trafficClass));
    }

    std::vector<uint32_t> Successors(const RoutingGraph::Port& link, uint32_t trafficClass) const
    {
        std::vector<uint32_t> successors;
        const auto& ports = m_graph.switches[link.neighbor].ports;
        for (uint32_t q = 0; q < ports.size(); ++q)
        {
            if (m_turns[link.neighbor].Get(link.farPort, q) && IsPausable(ports[q], trafficClass))
            {
                successors.push_back(m_firstLink[link.neighbor] + q);
            }
        }
        return successors;
    }

    /// Destinations of one target mostly share all routes: each way is followed once.
    void FollowAll(const RoutingGraph::Target& target)
    {
        std::set<std::vector<uint16_t>> followed;
        std::vector<uint16_t> groups(m_graph.switches.size());
        for (uint32_t address : target.addresses)
        {
            for (uint32_t s = 0; s < groups.size(); ++s)
            {
                uint16_t group = TableOf(s).GetGroup(address);
                groups[s] = m_delivers[s][group] ? ForwardingTable::NO_ROUTE : group;
            }
            if (followed.insert(groups).second)
            {
                Follow(groups);
            }
        }
    }

    /// @param s a switch @return by group of its table: true if all its ports lead to endpoints
    std::vector<bool> FindDeliveries(uint32_t s) const
    {
        std::vector<bool> delivers;
        for (size_t group = 0; group < TableOf(s).GetNGroups(); ++group)
        {
            ForwardingTable::Ports ports = TableOf(s).GetPorts(static_cast<uint16_t>(group));
            delivers.push_back(
                std::all_of(ports.first, ports.first + ports.count, [this, s](uint32_t p) {
                    return m_graph.switches[s].ports[p].neighbor == NO_SWITCH;
                }));
        }
        return delivers;
    }

    /// @param groups by switch: where the frames of a destination go
    void Follow(const std::vector<uint16_t>& groups)
    {
        std::vector<uint32_t> queue = m_sources;
        std::vector<bool> reached(m_graph.switches.size());
        for (uint32_t source : m_sources)
        {
            reached[source] = true;
        }
        for (size_t i = 0; i < queue.size(); ++i)
        {
            uint32_t s = queue[i];
            ForwardingTable::Ports ports = TableOf(s).GetPorts(groups[s]);
            for (uint32_t k = 0; k < ports.count; ++k)
            {
                const RoutingGraph::Port& port = m_graph.switches[s].ports[ports.first[k]];
                if (port.neighbor == NO_SWITCH)
                {
                    continue;
                }
                Turn(port.neighbor, port.farPort, groups[port.neighbor]);
                if (!reached[port.neighbor])
                {
                    reached[port.neighbor] = true;
                    queue.push_back(port.neighbor);
                }
            }
        }
    }

    /// Frames have come in. @param s where @param ingress by which port @param group where to
    void Turn(uint32_t s, uint32_t ingress, uint16_t group)
    {
        ForwardingTable::Ports ports = TableOf(s).GetPorts(group);
        for (uint32_t k = 0; k < ports.count; ++k)
        {
            m_turns[s].Set(ingress, ports.first[k]);
        }
    }

    const FabricRouting& m_routing;
    const RoutingGraph& m_graph;
    std::vector<uint32_t> m_firstLink; ///< by switch: number of the link of its port 0
    uint32_t m_links{0};
    std::vector<uint32_t> m_sources;           ///< switches with endpoints, ascending
    std::vector<PortMatrix> m_turns;           ///< by switch
    std::vector<std::vector<bool>> m_delivers; ///< by switch and group
};

} // namespace

std::vector<BufferCycle>
FindBufferCycles(const FabricRouting& routing)
{
    Dependencies dependencies(routing);
    std::vector<BufferCycle> cycles;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        for (const std::vector<uint32_t>& links : dependencies.FindCycles(c))
        {
            BufferCycle cycle{c, {}};
            for (uint32_t link : links)
            {
                cycle.ports.push_back(dependencies.PortOf(link));
            }
            cycles.push_back(std::move(cycle));
        }
    }
    return cycles;
}

std::string
ToString(const BufferCycle& cycle, const FabricRouting& routing)
{
    auto nameOf = [&routing](const Ptr<FabricNetDevice>& port) {
        uint32_t s = routing.GetSwitchIndex(port->GetNodeId());
        return routing.GetSwitchName(s) + ":" +
               std::to_string(routing.GetSwitches()[s]->GetPortNumber(port));
    };
    std::string text = "class " + std::to_string(cycle.trafficClass) + ": ";
    for (const auto& port : cycle.ports)
    {
        text += nameOf(port) + " -> ";
    }
    return text + nameOf(cycle.ports.front());
}

} // namespace ns3
