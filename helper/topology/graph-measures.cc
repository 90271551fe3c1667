// SPDX-License-Identifier: GPL-2.0-only
#include "graph-measures.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ns3
{

namespace
{

constexpr uint32_t UNREACHED = UINT32_MAX;

bool
IsHost(const FabricGraph& graph, uint32_t vertex)
{
    return graph.GetVertices()[vertex].role == FabricGraph::Role::HOST;
}

/// @param graph some @return by switch: its neighbours that are switches, each once, ascending
std::vector<std::vector<uint32_t>>
SwitchNeighbours(const FabricGraph& graph)
{
    std::vector<std::vector<uint32_t>> neighbours(graph.GetVertices().size());
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        if (!IsHost(graph, edge.a) && !IsHost(graph, edge.b))
        {
            neighbours[edge.a].push_back(edge.b);
            neighbours[edge.b].push_back(edge.a);
        }
    }
    for (auto& list : neighbours)
    {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return neighbours;
}

/// The root of a vertex in a forest of joined ones.
uint32_t
RootOf(std::vector<uint32_t>& parent, uint32_t vertex)
{
    while (parent[vertex] != vertex)
    {
        vertex = parent[vertex] = parent[parent[vertex]];
    }
    return vertex;
}

/// The largest flow by Dinic's algorithm, in a network of undirected cables.
class LargestFlow
{
  public:
    explicit LargestFlow(uint32_t vertices)
        : m_arcs(vertices)
    {
    }

    void Connect(uint32_t a, uint32_t b, uint64_t forth, uint64_t back)
    {
        m_arcs[a].push_back({b, static_cast<uint32_t>(m_arcs[b].size()), forth});
        m_arcs[b].push_back({a, static_cast<uint32_t>(m_arcs[a].size() - 1), back});
    }

    uint64_t Find(uint32_t source, uint32_t sink)
    {
        uint64_t total = 0;
        while (LayOut(source, sink))
        {
            m_next.assign(m_arcs.size(), 0);
            while (uint64_t more = Push(source, sink))
            {
                total += more;
            }
        }
        return total;
    }

  private:
    struct Arc
    {
        uint32_t to;
        uint32_t reverse; ///< index of the arc back in the other end's list
        uint64_t room;
    };

    /// Counts the steps from the source. @return whether the sink can be reached
    bool LayOut(uint32_t source, uint32_t sink)
    {
        m_level.assign(m_arcs.size(), UNREACHED);
        m_level[source] = 0;
        std::vector<uint32_t> queue{source};
        for (size_t i = 0; i < queue.size(); ++i)
        {
            for (const Arc& arc : m_arcs[queue[i]])
            {
                if (arc.room > 0 && m_level[arc.to] == UNREACHED)
                {
                    m_level[arc.to] = m_level[queue[i]] + 1;
                    queue.push_back(arc.to);
                }
            }
        }
        return m_level[sink] != UNREACHED;
    }

    /// Fills one way from source to sink. @return how much it took; 0: there is none left
    uint64_t Push(uint32_t source, uint32_t sink)
    {
        std::vector<Arc*> way;
        uint32_t at = source;
        while (at != sink)
        {
            Arc* forward = nullptr;
            for (size_t& i = m_next[at]; i < m_arcs[at].size() && !forward; i += !forward)
            {
                Arc& arc = m_arcs[at][i];
                forward = arc.room > 0 && m_level[arc.to] == m_level[at] + 1 ? &arc : nullptr;
            }
            if (forward)
            {
                way.push_back(forward);
                at = forward->to;
            }
            else if (way.empty())
            {
                return 0;
            }
            else
            {
                const Arc* last = way.back();
                at = m_arcs[last->to][last->reverse].to;
                way.pop_back();
                ++m_next[at];
            }
        }
        uint64_t amount = UINT64_MAX;
        for (const Arc* arc : way)
        {
            amount = std::min(amount, arc->room);
        }
        for (Arc* arc : way)
        {
            arc->room -= amount;
            m_arcs[arc->to][arc->reverse].room += amount;
        }
        return amount;
    }

    std::vector<std::vector<Arc>> m_arcs; ///< by vertex
    std::vector<uint32_t> m_level;        ///< by vertex
    std::vector<size_t> m_next;           ///< by vertex: arc to try next
};

} // namespace

std::vector<uint32_t>
GetTiers(const FabricGraph& graph)
{
    const auto& vertices = graph.GetVertices();
    std::vector<uint32_t> tiers(vertices.size(), 0);
    std::vector<uint32_t> queue;
    auto reach = [&](uint32_t vertex, uint32_t tier) {
        if (!IsHost(graph, vertex) && vertices[vertex].tier == 0 && tiers[vertex] == 0)
        {
            tiers[vertex] = tier;
            queue.push_back(vertex);
        }
    };
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        if (IsHost(graph, edge.a) != IsHost(graph, edge.b))
        {
            reach(IsHost(graph, edge.a) ? edge.b : edge.a, 1);
        }
    }
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        if (vertices[v].tier > 0)
        {
            tiers[v] = vertices[v].tier;
            queue.push_back(v);
        }
    }
    std::stable_sort(queue.begin(), queue.end(), [&](uint32_t a, uint32_t b) {
        return tiers[a] < tiers[b];
    });
    const auto neighbours = SwitchNeighbours(graph);
    for (size_t i = 0; i < queue.size(); ++i)
    {
        for (uint32_t neighbour : neighbours[queue[i]])
        {
            reach(neighbour, tiers[queue[i]] + 1);
        }
    }
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        reach(v, 1); // no host in reach
    }
    return tiers;
}

std::vector<uint32_t>
GetNetworks(const FabricGraph& graph)
{
    std::vector<uint32_t> parent(graph.GetVertices().size());
    std::iota(parent.begin(), parent.end(), 0);
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        if (!IsHost(graph, edge.a) && !IsHost(graph, edge.b))
        {
            parent[RootOf(parent, edge.a)] = RootOf(parent, edge.b);
        }
    }
    std::vector<uint32_t> networks;
    std::map<uint32_t, uint32_t> numberOf; // by root
    uint32_t count = 0;
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        if (IsHost(graph, edge.a) && IsHost(graph, edge.b))
        {
            networks.push_back(count++);
            continue;
        }
        uint32_t root = RootOf(parent, IsHost(graph, edge.a) ? edge.b : edge.a);
        auto [found, isNew] = numberOf.emplace(root, count);
        count += isNew;
        networks.push_back(found->second);
    }
    return networks;
}

std::vector<TierMeasure>
MeasureTiers(const FabricGraph& graph)
{
    const std::vector<uint32_t> tiers = GetTiers(graph);
    std::vector<uint32_t> ports(tiers.size(), 0);
    std::map<uint32_t, TierMeasure> measures;
    for (uint32_t v = 0; v < tiers.size(); ++v)
    {
        if (!IsHost(graph, v))
        {
            measures.emplace(tiers[v], TierMeasure{tiers[v]}).first->second.switches++;
        }
    }
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        const uint64_t bps = edge.rate.GetBitRate();
        for (auto [own, other] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)})
        {
            ports[own]++;
            if (IsHost(graph, own))
            {
                continue;
            }
            TierMeasure& measure = measures.at(tiers[own]);
            if (tiers[own] == tiers[other])
            {
                measure.sameBps += own == edge.a ? bps : 0;
            }
            else
            {
                (tiers[own] > tiers[other] ? measure.downBps : measure.upBps) += bps;
            }
        }
    }
    std::vector<TierMeasure> result;
    for (uint32_t v = 0; v < tiers.size(); ++v)
    {
        if (!IsHost(graph, v))
        {
            TierMeasure& measure = measures.at(tiers[v]);
            measure.fewestPorts = std::min(measure.fewestPorts, ports[v]);
            measure.mostPorts = std::max(measure.mostPorts, ports[v]);
        }
    }
    for (const auto& [tier, measure] : measures)
    {
        result.push_back(measure);
    }
    return result;
}

PortDistances
MeasureDistances(const FabricGraph& graph)
{
    const auto neighbours = SwitchNeighbours(graph);
    std::vector<std::vector<uint32_t>> hostsOf(graph.GetVertices().size()); // by switch
    PortDistances distances;
    auto see = [&distances](uint32_t cables) {
        distances.shortest =
            distances.shortest == 0 ? cables : std::min(distances.shortest, cables);
        distances.longest = std::max(distances.longest, cables);
    };
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        if (IsHost(graph, edge.a) && IsHost(graph, edge.b))
        {
            see(1);
        }
        else if (IsHost(graph, edge.a) || IsHost(graph, edge.b))
        {
            bool hostIsA = IsHost(graph, edge.a);
            hostsOf[hostIsA ? edge.b : edge.a].push_back(hostIsA ? edge.a : edge.b);
        }
    }
    for (auto& hosts : hostsOf)
    {
        std::sort(hosts.begin(), hosts.end());
        hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    }
    std::vector<uint32_t> steps;
    for (uint32_t from = 0; from < hostsOf.size(); ++from)
    {
        if (hostsOf[from].empty())
        {
            continue;
        }
        steps.assign(hostsOf.size(), UNREACHED);
        steps[from] = 0;
        std::vector<uint32_t> queue{from};
        for (size_t i = 0; i < queue.size(); ++i)
        {
            const uint32_t at = queue[i];
            // Two switches with the same single host have no pair of different hosts.
            bool same = hostsOf[at].size() == 1 && hostsOf[from] == hostsOf[at];
            if (!hostsOf[at].empty() && !same)
            {
                see(steps[at] + 2);
            }
            for (uint32_t next : neighbours[at])
            {
                if (steps[next] == UNREACHED)
                {
                    steps[next] = steps[at] + 1;
                    queue.push_back(next);
                }
            }
        }
    }
    return distances;
}

HalvesBandwidth
MeasureHalves(const FabricGraph& graph)
{
    const auto count = static_cast<uint32_t>(graph.GetVertices().size());
    const uint32_t source = count;
    const uint32_t sink = count + 1;
    const uint32_t half = graph.Count(FabricGraph::Role::HOST) / 2;
    std::vector<bool> isSecond(count, false);
    LargestFlow flow(count + 2);
    uint32_t hosts = 0;
    for (uint32_t v = 0; v < count; ++v)
    {
        if (IsHost(graph, v))
        {
            isSecond[v] = hosts++ >= half;
            isSecond[v] ? flow.Connect(v, sink, INT64_MAX, 0)
                        : flow.Connect(source, v, INT64_MAX, 0);
        }
    }
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> cables; // parallel ones are one
    uint64_t ports[2] = {0, 0};
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        cables[std::minmax(edge.a, edge.b)] += edge.rate.GetBitRate();
        for (uint32_t v : {edge.a, edge.b})
        {
            ports[isSecond[v]] += IsHost(graph, v) ? edge.rate.GetBitRate() : 0;
        }
    }
    for (const auto& [ends, bps] : cables)
    {
        flow.Connect(ends.first, ends.second, bps, bps);
    }
    return {flow.Find(source, sink), std::min(ports[0], ports[1])};
}

} // namespace ns3
