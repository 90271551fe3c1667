// SPDX-License-Identifier: GPL-2.0-only
#include "graph-topology.h"
#include "hpcc-topology.h"
#include "scenario-sections.h"

#include "ns3/cluster-presets.h"
#include "ns3/parameter-check.h"

namespace ns3
{

namespace
{

void
CheckBuilder(const std::string& complaint, const JsonReader& reader)
{
    if (!complaint.empty())
    {
        throw InputError(reader.Place(), complaint);
    }
}

/// Reads a rate that follows another one unless it is given, here or by a preset.
void
ReadFollowingRate(JsonReader& reader, const std::string& key, DataRate& value, bool preset)
{
    value = preset ? value : DataRate(0);
    reader.ReadLinkRate(key, value);
}

// Each builder's keys are the members of its parameters. A preset's parameters are the defaults
// where there is one.

RailOptimizedParameters
Read(JsonReader& reader, RailOptimizedParameters p, bool preset)
{
    reader.Read("servers", p.servers, 1, MOST_TOPOLOGY_HOSTS);
    reader.Read("gpusPerServer", p.gpusPerServer, 1, 64);
    reader.Read("serversPerPod", p.serversPerPod, 1, MOST_TOPOLOGY_HOSTS);
    reader.Read("spines", p.spines, 1, 4096);
    reader.Read("linksPerSpine", p.linksPerSpine, 1, 256);
    reader.ReadLinkRate("linkRate", p.linkRate);
    ReadFollowingRate(reader, "spineRate", p.spineRate, preset);
    reader.Read("linkDelay", p.linkDelay);
    reader.Read("spineDelay", p.spineDelay);
    CheckBuilder(p.Check(), reader);
    return p.Resolved();
}

LeafSpineParameters
Read(JsonReader& reader, LeafSpineParameters p, bool preset)
{
    reader.Read("leaves", p.leaves, 1, 65536);
    reader.Read("hostsPerLeaf", p.hostsPerLeaf, 1, 4096);
    reader.Read("spines", p.spines, 0, 4096);
    reader.Read("linksPerSpine", p.linksPerSpine, 1, 256);
    reader.ReadLinkRate("linkRate", p.linkRate);
    p.uplinkRate = preset ? p.uplinkRate : p.linkRate;
    reader.ReadLinkRate("uplinkRate", p.uplinkRate);
    reader.Read("linkDelay", p.linkDelay);
    p.uplinkDelay = preset ? p.uplinkDelay : p.linkDelay;
    reader.Read("uplinkDelay", p.uplinkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

FatTreeParameters
Read(JsonReader& reader, FatTreeParameters p, bool preset)
{
    reader.Read("k", p.k, 2, 128);
    reader.Read("hostsPerEdge", p.hostsPerEdge, 1, MOST_SWITCH_PORTS);
    reader.Read("coresPerAggregation", p.coresPerAggregation, 1, MOST_SWITCH_PORTS);
    reader.ReadLinkRate("linkRate", p.linkRate);
    ReadFollowingRate(reader, "uplinkRate", p.uplinkRate, preset);
    reader.Read("linkDelay", p.linkDelay);
    p.uplinkDelay = preset ? p.uplinkDelay : p.linkDelay;
    reader.Read("uplinkDelay", p.uplinkDelay);
    CheckBuilder(p.Check(), reader);
    return p.Resolved();
}

ThreeTierPodParameters
Read(JsonReader& reader, ThreeTierPodParameters p, bool preset)
{
    reader.Read("pods", p.pods, 1, MOST_SWITCH_PORTS);
    reader.Read("leavesPerPod", p.leavesPerPod, 1, MOST_SWITCH_PORTS);
    reader.Read("hostsPerLeaf", p.hostsPerLeaf, 1, MOST_SWITCH_PORTS);
    reader.Read("gpusPerServer", p.gpusPerServer, 1, 64);
    reader.Read("spinesPerPod", p.spinesPerPod, 1, MOST_SWITCH_PORTS);
    reader.Read("linksPerSpine", p.linksPerSpine, 1, 256);
    reader.Read("coresPerSpine", p.coresPerSpine, 0, MOST_SWITCH_PORTS);
    reader.Read("linksPerCore", p.linksPerCore, 1, 256);
    reader.ReadLinkRate("linkRate", p.linkRate);
    ReadFollowingRate(reader, "spineRate", p.spineRate, preset);
    ReadFollowingRate(reader, "coreRate", p.coreRate, preset);
    reader.Read("linkDelay", p.linkDelay);
    reader.Read("spineDelay", p.spineDelay);
    reader.Read("coreDelay", p.coreDelay);
    CheckBuilder(p.Check(), reader);
    return p.Resolved();
}

DualPlaneParameters
Read(JsonReader& reader, DualPlaneParameters p, bool /* preset */)
{
    reader.Read("segments", p.segments, 1, MOST_SWITCH_PORTS);
    reader.Read("serversPerSegment", p.serversPerSegment, 1, MOST_SWITCH_PORTS);
    reader.Read("gpusPerServer", p.gpusPerServer, 1, 64);
    reader.Read("planes", p.planes, 1, 8);
    reader.Read("aggregationsPerPlane", p.aggregationsPerPlane, 0, MOST_SWITCH_PORTS);
    reader.Read("linksPerAggregation", p.linksPerAggregation, 1, 256);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.ReadLinkRate("uplinkRate", p.uplinkRate);
    reader.Read("linkDelay", p.linkDelay);
    reader.Read("uplinkDelay", p.uplinkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

RailOnlyParameters
ReadRailOnly(JsonReader& reader)
{
    RailOnlyParameters p;
    reader.Read("servers", p.servers, 2, MOST_SWITCH_PORTS);
    reader.Read("gpusPerServer", p.gpusPerServer, 1, 64);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.Read("linkDelay", p.linkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

GlobalArrangement
ReadArrangement(JsonReader& reader)
{
    std::string name = "palmtree";
    reader.ReadName("arrangement", name, {"palmtree", "absolute"});
    return name == "palmtree" ? GlobalArrangement::PALMTREE : GlobalArrangement::ABSOLUTE;
}

/// Reads the rates and delays that both kinds of dragonfly have.
template <typename Parameters>
void
ReadDragonflyCables(JsonReader& reader, Parameters& p)
{
    p.arrangement = ReadArrangement(reader);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.ReadLinkRate("localRate", p.localRate);
    reader.ReadLinkRate("globalRate", p.globalRate);
    reader.Read("linkDelay", p.linkDelay);
    reader.Read("localDelay", p.localDelay);
    reader.Read("globalDelay", p.globalDelay);
}

DragonflyParameters
ReadDragonfly(JsonReader& reader)
{
    DragonflyParameters p;
    reader.Read("a", p.a, 1, MOST_SWITCH_PORTS);
    reader.Read("p", p.p, 1, MOST_SWITCH_PORTS);
    reader.Read("h", p.h, 0, MOST_SWITCH_PORTS);
    reader.Read("g", p.g, 1, MOST_TOPOLOGY_HOSTS);
    ReadDragonflyCables(reader, p);
    CheckBuilder(p.Check(), reader);
    return p.Resolved();
}

DragonflyPlusParameters
ReadDragonflyPlus(JsonReader& reader)
{
    DragonflyPlusParameters p;
    reader.Read("groups", p.groups, 1, MOST_TOPOLOGY_HOSTS);
    reader.Read("leaves", p.leaves, 1, MOST_SWITCH_PORTS);
    reader.Read("spines", p.spines, 1, MOST_SWITCH_PORTS);
    reader.Read("hostsPerLeaf", p.hostsPerLeaf, 1, MOST_SWITCH_PORTS);
    reader.Read("globalLinks", p.globalLinks, 0, MOST_SWITCH_PORTS);
    ReadDragonflyCables(reader, p);
    CheckBuilder(p.Check(), reader);
    return p.Resolved();
}

TorusParameters
ReadTorus(JsonReader& reader, uint32_t dimensions)
{
    TorusParameters p;
    p.dimensions = dimensions;
    reader.Read("x", p.x, 2, 1024);
    reader.Read("y", p.y, 2, 1024);
    if (dimensions == 3)
    {
        reader.Read("z", p.z, 2, 1024);
    }
    reader.Read("hostsPerSwitch", p.hostsPerSwitch, 1, MOST_SWITCH_PORTS);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.ReadLinkRate("torusRate", p.torusRate);
    reader.Read("linkDelay", p.linkDelay);
    reader.Read("torusDelay", p.torusDelay);
    CheckBuilder(p.Check(), reader);
    return p.Resolved();
}

GpuMeshParameters
ReadGpuMesh(JsonReader& reader)
{
    GpuMeshParameters p;
    reader.Read("gpus", p.gpus, 2, 256);
    reader.Read("linksPerPair", p.linksPerPair, 1, 64);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.Read("linkDelay", p.linkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

StarParameters
ReadStar(JsonReader& reader)
{
    StarParameters p;
    reader.Read("hosts", p.hosts, 2, MOST_TOPOLOGY_HOSTS);
    reader.ReadLinkRate("linkRate", p.linkRate);
    reader.Read("linkDelay", p.linkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

TopologyFile
ReadFile(JsonReader& reader, const JsonValue& file, const std::string& scenarioFile)
{
    TopologyFile read;
    read.file = FromFolderOf(scenarioFile, GetString(file, "topology.file"));
    reader.ReadName("format", read.format, {"hpcc", "graph"});
    if (read.format == "graph")
    {
        reader.Read("gpusPerServer", read.gpusPerServer, 1, 64);
    }
    return read;
}

TopologyConfig
ReadPreset(JsonReader& reader)
{
    std::string name;
    reader.ReadName("preset", name, GetClusterPresetNames());
    double share = 1;
    constexpr double LEAST_SHARE = 1e-6;
    reader.Read("scale", share, LEAST_SHARE, 1);
    ClusterPreset::Parameters part;
    std::string complaint = CutCluster(FindClusterPreset(name)->parameters, share, part);
    if (!complaint.empty())
    {
        throw InputError(reader.Place("scale"), complaint);
    }
    return std::visit([&](const auto& p) { return TopologyConfig(Read(reader, p, true)); }, part);
}

TopologyConfig
ReadBuilder(JsonReader& reader, const std::string& type)
{
    if (type == "rail-optimized")
    {
        return Read(reader, RailOptimizedParameters(), false);
    }
    if (type == "rail-only")
    {
        return ReadRailOnly(reader);
    }
    if (type == "leaf-spine")
    {
        return Read(reader, LeafSpineParameters(), false);
    }
    if (type == "fat-tree")
    {
        return Read(reader, FatTreeParameters(), false);
    }
    if (type == "three-tier-pod")
    {
        return Read(reader, ThreeTierPodParameters(), false);
    }
    if (type == "dual-tor-dual-plane")
    {
        return Read(reader, DualPlaneParameters(), false);
    }
    if (type == "dragonfly")
    {
        return ReadDragonfly(reader);
    }
    if (type == "dragonfly-plus")
    {
        return ReadDragonflyPlus(reader);
    }
    if (type == "torus-2d" || type == "torus-3d")
    {
        return ReadTorus(reader, type == "torus-2d" ? 2 : 3);
    }
    if (type == "gpu-mesh")
    {
        return ReadGpuMesh(reader);
    }
    return ReadStar(reader);
}

FabricGraph
Make(const RailOptimizedParameters& p)
{
    return MakeRailOptimized(p);
}

FabricGraph
Make(const RailOnlyParameters& p)
{
    return MakeRailOnly(p);
}

FabricGraph
Make(const LeafSpineParameters& p)
{
    return MakeLeafSpine(p);
}

FabricGraph
Make(const FatTreeParameters& p)
{
    return MakeFatTree(p);
}

FabricGraph
Make(const ThreeTierPodParameters& p)
{
    return MakeThreeTierPod(p);
}

FabricGraph
Make(const DualPlaneParameters& p)
{
    return MakeDualPlane(p);
}

FabricGraph
Make(const DragonflyParameters& p)
{
    return MakeDragonfly(p);
}

FabricGraph
Make(const DragonflyPlusParameters& p)
{
    return MakeDragonflyPlus(p);
}

FabricGraph
Make(const TorusParameters& p)
{
    return MakeTorus(p);
}

FabricGraph
Make(const GpuMeshParameters& p)
{
    return MakeGpuMesh(p);
}

FabricGraph
Make(const StarParameters& p)
{
    return MakeStar(p);
}

FabricGraph
Make(const TopologyFile& p)
{
    FabricGraph graph =
        p.format == "hpcc" ? ReadHpccTopology(p.file).graph : ReadGraphTopology(p.file);
    std::vector<uint32_t> ports(graph.GetVertices().size(), 0);
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        ports[edge.a]++;
        ports[edge.b]++;
    }
    for (size_t v = 0; v < ports.size(); v++)
    {
        const FabricGraph::Vertex& vertex = graph.GetVertices()[v];
        const bool whole = ports[v] > 0 && ports[v] % p.gpusPerServer == 0;
        if (vertex.role == FabricGraph::Role::HOST && !whole)
        {
            throw InputError({p.file, 0, "host"},
                             vertex.name + " has " + std::to_string(ports[v]) + " links",
                             "at least 1, and a multiple of gpusPerServer, " +
                                 std::to_string(p.gpusPerServer));
        }
    }
    return graph;
}

} // namespace

TopologyConfig
ReadTopology(const JsonValue& value, const std::string& scenarioFile)
{
    JsonReader reader(value, "topology");
    TopologyConfig topology;
    if (const JsonValue* file = reader.Find("file"))
    {
        topology = ReadFile(reader, *file, scenarioFile);
    }
    else if (reader.Find("preset"))
    {
        topology = ReadPreset(reader);
    }
    else
    {
        std::string type;
        reader.Get("type");
        reader.ReadName("type", type, GetScenarioNames("topologies"));
        topology = ReadBuilder(reader, type);
    }
    reader.RejectUnknownKeys();
    return topology;
}

FabricGraph
MakeGraph(const TopologyConfig& topology)
{
    return std::visit([](const auto& parameters) { return Make(parameters); }, topology);
}

uint32_t
GetGpusPerServer(const TopologyConfig& topology)
{
    if (const auto* rail = std::get_if<RailOptimizedParameters>(&topology))
    {
        return rail->gpusPerServer;
    }
    if (const auto* railOnly = std::get_if<RailOnlyParameters>(&topology))
    {
        return railOnly->gpusPerServer;
    }
    if (const auto* pods = std::get_if<ThreeTierPodParameters>(&topology))
    {
        return pods->gpusPerServer;
    }
    if (const auto* planes = std::get_if<DualPlaneParameters>(&topology))
    {
        return planes->gpusPerServer;
    }
    const auto* file = std::get_if<TopologyFile>(&topology);
    return file ? file->gpusPerServer : 1;
}

std::string
GetTopologyType(const TopologyConfig& topology)
{
    if (const auto* torus = std::get_if<TorusParameters>(&topology))
    {
        return torus->dimensions == 2 ? "torus-2d" : "torus-3d";
    }
    constexpr const char* NAMES[] = {"rail-optimized",
                                     "leaf-spine",
                                     "fat-tree",
                                     "star",
                                     "file",
                                     "three-tier-pod",
                                     "rail-only",
                                     "dual-tor-dual-plane",
                                     "dragonfly",
                                     "dragonfly-plus",
                                     "torus",
                                     "gpu-mesh"};
    static_assert(std::size(NAMES) == std::variant_size_v<TopologyConfig>);
    return NAMES[topology.index()];
}

} // namespace ns3
