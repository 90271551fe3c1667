// SPDX-License-Identifier: GPL-2.0-only
#include "topology-drawing.h"

#include "ns3/graph-measures.h"
#include "ns3/quantity.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{

using Detail = TopologyDrawing::Detail;

/// Which class each vertex is in: numbers from 0, in order of first vertices.
struct Classes
{
    std::vector<uint32_t> of;
    uint32_t count{0};
};

template <typename Key>
Classes
Number(const std::vector<Key>& keys)
{
    Classes classes;
    std::map<Key, uint32_t> numbers;
    for (const Key& key : keys)
    {
        auto [found, isNew] = numbers.emplace(key, classes.count);
        classes.count += isNew;
        classes.of.push_back(found->second);
    }
    return classes;
}

Classes
EachByItself(const FabricGraph& graph)
{
    std::vector<uint32_t> keys(graph.GetVertices().size());
    for (uint32_t v = 0; v < keys.size(); ++v)
    {
        keys[v] = v;
    }
    return Number(keys);
}

/// A cable's other end (or its class), and the cable's rate and delay.
using Attachment = std::tuple<uint32_t, uint64_t, int64_t>;

/// @param graph a fabric @param classOf by vertex @return by vertex: its cables, sorted
std::vector<std::vector<Attachment>>
Attachments(const FabricGraph& graph, const std::vector<uint32_t>& classOf)
{
    std::vector<std::vector<Attachment>> attachments(graph.GetVertices().size());
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        const uint64_t rate = edge.rate.GetBitRate();
        const int64_t delay = edge.delay.GetTimeStep();
        attachments[edge.a].emplace_back(classOf[edge.b], rate, delay);
        attachments[edge.b].emplace_back(classOf[edge.a], rate, delay);
    }
    for (auto& list : attachments)
    {
        std::sort(list.begin(), list.end());
    }
    return attachments;
}

Classes
EqualHosts(const FabricGraph& graph)
{
    const Classes all = EachByItself(graph);
    const auto attachments = Attachments(graph, all.of);
    std::vector<std::pair<uint32_t, std::vector<Attachment>>> keys; // of a switch: itself
    for (uint32_t v = 0; v < all.count; ++v)
    {
        bool isHost = graph.GetVertices()[v].role == FabricGraph::Role::HOST;
        keys.emplace_back(isHost ? all.count : v, attachments[v]);
    }
    return Number(keys);
}

/// The coarsest classes in which all members have as many cables to each other class.
Classes
EqualKinds(const FabricGraph& graph, const std::vector<uint32_t>& tiers, uint32_t most)
{
    Classes classes = Number(tiers);
    while (classes.count <= most)
    {
        const auto attachments = Attachments(graph, classes.of);
        std::vector<std::pair<uint32_t, std::vector<Attachment>>> keys;
        for (uint32_t v = 0; v < tiers.size(); ++v)
        {
            keys.emplace_back(classes.of[v], attachments[v]);
        }
        Classes finer = Number(keys);
        if (finer.count == classes.count)
        {
            return classes;
        }
        classes = finer;
    }
    return classes;
}

std::string
LabelOf(const FabricGraph& graph, const std::vector<uint32_t>& vertices)
{
    const std::string& first = graph.GetVertices()[vertices.front()].name;
    if (vertices.size() == 1)
    {
        return first;
    }
    return first + " .. " + graph.GetVertices()[vertices.back()].name + " (" +
           std::to_string(vertices.size()) + ")";
}

TopologyDrawing
DrawClasses(const FabricGraph& graph, const Classes& classes, const std::vector<uint32_t>& tiers)
{
    TopologyDrawing drawing;
    drawing.nodeOf = classes.of;
    drawing.nodes.resize(classes.count);
    for (uint32_t v = 0; v < tiers.size(); ++v)
    {
        TopologyDrawing::Node& node = drawing.nodes[classes.of[v]];
        node.tier = tiers[v];
        node.vertices.push_back(v);
    }
    for (TopologyDrawing::Node& node : drawing.nodes)
    {
        node.label = LabelOf(graph, node.vertices);
    }
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> links;
    for (uint32_t e = 0; e < graph.GetEdges().size(); ++e)
    {
        const FabricGraph::Edge& edge = graph.GetEdges()[e];
        links[std::minmax(classes.of[edge.a], classes.of[edge.b])].push_back(e);
        // Hosts are of tier 0: cables from host to host are the same thing.
        drawing.isRound |= tiers[edge.a] == tiers[edge.b] && tiers[edge.a] <= 1;
    }
    for (const auto& [ends, edges] : links)
    {
        drawing.links.push_back({ends.first, ends.second, edges});
    }
    return drawing;
}

} // namespace

TopologyDrawing
DrawTopology(const FabricGraph& graph, uint32_t mostNodes, uint32_t mostLinks)
{
    const std::vector<uint32_t> tiers = GetTiers(graph);
    for (Detail detail : {Detail::ALL, Detail::HOSTS, Detail::CLASSES, Detail::TIERS})
    {
        const Classes classes = detail == Detail::ALL       ? EachByItself(graph)
                                : detail == Detail::HOSTS   ? EqualHosts(graph)
                                : detail == Detail::CLASSES ? EqualKinds(graph, tiers, mostNodes)
                                                            : Number(tiers);
        if (detail != Detail::TIERS && classes.count > mostNodes)
        {
            continue;
        }
        TopologyDrawing drawing = DrawClasses(graph, classes, tiers);
        drawing.detail = detail;
        if (detail == Detail::TIERS || drawing.links.size() <= mostLinks)
        {
            return drawing;
        }
    }
    return {}; // not reached
}

std::string
DescribeCables(const FabricGraph& graph, const std::vector<uint32_t>& edges)
{
    std::map<uint64_t, uint32_t> counts; // by rate
    for (uint32_t e : edges)
    {
        counts[graph.GetEdges()[e].rate.GetBitRate()]++;
    }
    std::string text;
    for (const auto& [rate, count] : counts)
    {
        text += text.empty() ? "" : ", ";
        text += count == 1 ? "" : std::to_string(count) + " x ";
        text += FormatDataRate(DataRate(rate));
    }
    return text;
}

} // namespace ns3
