// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-topology.h"

#include "line-reader.h"
#include "quantity.h"

namespace ns3
{

namespace
{

constexpr uint64_t MOST_NODES = 65536; // the family's addresses hold 16 bits of node id
constexpr uint64_t MOST_LINKS = 1U << 24;

/// Reads a list of ids that may go over several lines.
std::vector<uint32_t>
ReadIds(LineReader& reader, uint64_t count, const std::string& what, uint64_t largest)
{
    std::vector<uint32_t> ids;
    while (ids.size() < count)
    {
        reader.Need("the id of " + what + " " + std::to_string(ids.size() + 1) + " of " +
                    std::to_string(count));
        for (const std::string& word : reader.GetWords())
        {
            ids.push_back(
                static_cast<uint32_t>(ParseUnsigned(word, reader.Place(what), 0, largest)));
        }
    }
    if (ids.size() > count)
    {
        throw InputError(reader.Place(what),
                         std::to_string(ids.size()) + " ids",
                         std::to_string(count) + ", as the first line says");
    }
    return ids;
}

FabricGraph::Edge
ReadLink(const LineReader& reader, uint64_t nodes, double errorRatePerLink)
{
    const std::vector<std::string>& words = reader.GetWords();
    auto node = [&](const std::string& key, size_t word) {
        return static_cast<uint32_t>(ParseUnsigned(words[word], reader.Place(key), 0, nodes - 1));
    };
    FabricGraph::Edge edge;
    edge.a = node("source", 0);
    edge.b = node("destination", 1);
    if (edge.a == edge.b)
    {
        throw InputError(reader.Place("destination"),
                         "node " + words[1] + " is linked with itself",
                         "another node");
    }
    edge.rate = ParseLinkRate(words[2], reader.Place("rate"));
    edge.delay = ParseTime(words[3], reader.Place("delay"));
    edge.lossRate = ParseDouble(words[4], reader.Place("error-rate"), 0, 1);
    edge.lossRate = edge.lossRate > 0 ? edge.lossRate : errorRatePerLink;
    return edge;
}

void
AddNodes(HpccTopology& topology)
{
    for (uint32_t id = 0; id < topology.isHost.size(); id++)
    {
        if (topology.isHost[id])
        {
            topology.graph.AddHost("host" + std::to_string(id));
            topology.hostIds.push_back(id);
        }
        else
        {
            topology.graph.AddSwitch("switch" + std::to_string(id));
        }
    }
}

} // namespace

HpccTopology
ReadHpccTopology(const std::string& path, double errorRatePerLink)
{
    LineReader reader(path, "a topology file");
    reader.Need("the numbers of nodes, switches and links", 3);
    uint64_t nodes = ParseUnsigned(reader.GetWords()[0], reader.Place("nodes"), 2, MOST_NODES);
    uint64_t switches = ParseUnsigned(reader.GetWords()[1], reader.Place("switches"), 0, nodes - 1);
    uint64_t links = ParseUnsigned(reader.GetWords()[2], reader.Place("links"), 1, MOST_LINKS);

    HpccTopology topology;
    topology.file = path;
    topology.isHost.assign(nodes, true);
    for (uint32_t id : ReadIds(reader, switches, "switch", nodes - 1))
    {
        if (!topology.isHost[id])
        {
            throw InputError(reader.Place("switch"),
                             std::to_string(id) + " is there twice",
                             "each switch once");
        }
        topology.isHost[id] = false;
    }
    AddNodes(topology);
    for (uint64_t link = 1; link <= links; link++)
    {
        reader.Need("link " + std::to_string(link) + " of " + std::to_string(links) +
                        ", as \"source destination rate delay error-rate\"",
                    5);
        topology.graph.Connect(ReadLink(reader, nodes, errorRatePerLink));
    }
    return topology;
}

std::vector<uint32_t>
ReadHpccTraceNodes(const std::string& path)
{
    LineReader reader(path, "a file of the nodes to trace");
    reader.Need("the number of nodes to trace", 1);
    uint64_t count = ParseUnsigned(reader.GetWords()[0], reader.Place("nodes"), 0, MOST_NODES);
    return ReadIds(reader, count, "node", UINT32_MAX);
}

} // namespace ns3
