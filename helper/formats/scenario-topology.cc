// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-topology.h"
#include "scenario-sections.h"

namespace ns3
{

namespace
{

constexpr uint32_t MOST_HOSTS = 1U << 20;

void
CheckBuilder(const std::string& complaint, const JsonReader& reader)
{
    if (!complaint.empty())
    {
        throw InputError(reader.Place(), complaint);
    }
}

RailOptimizedParameters
ReadRailOptimized(JsonReader& reader)
{
    RailOptimizedParameters p;
    reader.Read("servers", p.servers, 1, MOST_HOSTS);
    reader.Read("gpusPerServer", p.gpusPerServer, 1, 64);
    reader.Read("serversPerPod", p.serversPerPod, 1, MOST_HOSTS);
    reader.Read("spines", p.spines, 1, 4096);
    reader.Read("linksPerSpine", p.linksPerSpine, 1, 256);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.ReadLinkRate("spineRate", p.spineRate);
    reader.Read("linkDelay", p.linkDelay);
    reader.Read("spineDelay", p.spineDelay);
    CheckBuilder(p.Check(), reader);
    return p.Resolved();
}

LeafSpineParameters
ReadLeafSpine(JsonReader& reader)
{
    LeafSpineParameters p;
    reader.Read("leaves", p.leaves, 1, 65536);
    reader.Read("hostsPerLeaf", p.hostsPerLeaf, 1, 4096);
    reader.Read("spines", p.spines, 0, 4096);
    reader.Read("linksPerSpine", p.linksPerSpine, 1, 256);
    reader.ReadLinkRate("linkRate", p.linkRate);
    p.uplinkRate = p.linkRate;
    reader.ReadLinkRate("uplinkRate", p.uplinkRate);
    reader.Read("linkDelay", p.linkDelay);
    p.uplinkDelay = p.linkDelay;
    reader.Read("uplinkDelay", p.uplinkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

FatTreeParameters
ReadFatTree(JsonReader& reader)
{
    FatTreeParameters p;
    reader.Read("k", p.k, 2, 128);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.Read("linkDelay", p.linkDelay);
    p.uplinkDelay = p.linkDelay;
    reader.Read("uplinkDelay", p.uplinkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

StarParameters
ReadStar(JsonReader& reader)
{
    StarParameters p;
    reader.Read("hosts", p.hosts, 2, MOST_HOSTS);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.Read("linkDelay", p.linkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

} // namespace

TopologyConfig
ReadTopology(const JsonValue& value, const std::string& scenarioFile)
{
    JsonReader reader(value, "topology");
    TopologyConfig topology;
    if (const JsonValue* file = reader.Find("file"))
    {
        TopologyFile read;
        read.file = FromFolderOf(scenarioFile, GetString(*file, "topology.file"));
        reader.ReadName("format", read.format, {"hpcc"});
        topology = read;
    }
    else
    {
        std::string type;
        reader.Get("type");
        reader.ReadName("type", type, GetScenarioNames("topologies"));
        if (type == "rail-optimized")
        {
            topology = ReadRailOptimized(reader);
        }
        else if (type == "leaf-spine")
        {
            topology = ReadLeafSpine(reader);
        }
        else if (type == "fat-tree")
        {
            topology = ReadFatTree(reader);
        }
        else
        {
            topology = ReadStar(reader);
        }
    }
    reader.RejectUnknownKeys();
    return topology;
}

FabricGraph
MakeGraph(const TopologyConfig& topology)
{
    if (const auto* rail = std::get_if<RailOptimizedParameters>(&topology))
    {
        return MakeRailOptimized(*rail);
    }
    if (const auto* leafSpine = std::get_if<LeafSpineParameters>(&topology))
    {
        return MakeLeafSpine(*leafSpine);
    }
    if (const auto* fatTree = std::get_if<FatTreeParameters>(&topology))
    {
        return MakeFatTree(*fatTree);
    }
    if (const auto* star = std::get_if<StarParameters>(&topology))
    {
        return MakeStar(*star);
    }
    return ReadHpccTopology(std::get<TopologyFile>(topology).file).graph;
}

uint32_t
GetGpusPerServer(const TopologyConfig& topology)
{
    const auto* rail = std::get_if<RailOptimizedParameters>(&topology);
    return rail ? rail->gpusPerServer : 1;
}

std::string
GetTopologyType(const TopologyConfig& topology)
{
    constexpr const char* NAMES[] = {"rail-optimized", "leaf-spine", "fat-tree", "star", "file"};
    return NAMES[topology.index()];
}

} // namespace ns3
