// SPDX-License-Identifier: GPL-2.0-only
#include "scenario.h"

#include "hpcc-flows.h"
#include "hpcc-topology.h"
#include "json-document.h"
#include "quantity.h"

#include "ns3/dcqcn-congestion-ops.h"
#include "ns3/dcqcn-presets.h"
#include "ns3/gpu-presets.h"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_HOSTS = 1U << 20;
constexpr uint64_t MOST_BYTES = std::numeric_limits<int64_t>::max();

struct DataType
{
    const char* name;
    uint32_t bytes;
};

constexpr DataType DATA_TYPES[] = {
    {"int8", 1},
    {"uint8", 1},
    {"int32", 4},
    {"uint32", 4},
    {"int64", 8},
    {"uint64", 8},
    {"float16", 2},
    {"bfloat16", 2},
    {"float32", 4},
    {"float64", 8},
    {"fp8-e4m3", 1},
    {"fp8-e5m2", 1},
};

/// What the contract names and this version does not have yet.
const std::vector<std::string> LATER_WORKLOADS{"perftest",
                                               "training",
                                               "inference",
                                               "trace",
                                               "checkpoint",
                                               "dataset"};

std::string
FromFolderOf(const std::string& file, const std::string& path)
{
    namespace fs = std::filesystem;
    return fs::path(path).is_absolute() ? path : (fs::path(file).parent_path() / path).string();
}

/// A name that exists, but not in this version, gets a message that says so.
void
RefuseLater(JsonReader& reader,
            const std::string& key,
            const std::vector<std::string>& later,
            const std::vector<std::string>& now)
{
    const JsonValue* found = reader.Find(key);
    if (found && std::find(later.begin(), later.end(), found->text) != later.end())
    {
        throw InputError(reader.Place(key),
                         "\"" + found->text + "\" is not in this version",
                         ListWords(now));
    }
}

void
CheckBuilder(const std::string& complaint, const JsonReader& reader)
{
    if (!complaint.empty())
    {
        throw InputError(reader.Place(), complaint);
    }
}

// ---- topology

RailOptimizedParameters
ReadRailOptimized(JsonReader& reader)
{
    RailOptimizedParameters p;
    reader.Read("servers", p.servers, 1, MOST_HOSTS);
    reader.Read("gpusPerServer", p.gpusPerServer, 1, 64);
    reader.Read("serversPerPod", p.serversPerPod, 1, MOST_HOSTS);
    reader.Read("spines", p.spines, 1, 4096);
    reader.Read("linksPerSpine", p.linksPerSpine, 1, 256);
    reader.Read("linkRate", p.linkRate);
    reader.Read("spineRate", p.spineRate);
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
    reader.Read("linkRate", p.linkRate);
    p.uplinkRate = p.linkRate;
    reader.Read("uplinkRate", p.uplinkRate);
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
    reader.Read("linkRate", p.linkRate);
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
    reader.Read("linkRate", p.linkRate);
    reader.Read("linkDelay", p.linkDelay);
    CheckBuilder(p.Check(), reader);
    return p;
}

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

// ---- network

std::vector<AttributeSetting>
ReadParameters(const JsonValue* value, const std::string& path, const std::string& type)
{
    std::vector<AttributeSetting> settings;
    if (value)
    {
        JsonReader reader(*value, path);
        for (size_t i = 0; i < value->keys.size(); i++)
        {
            const std::string& name = value->keys[i];
            const JsonValue& setting = value->elements[i];
            InputPlace place = reader.Place(name);
            if (!setting.elements.empty() || setting.text.empty())
            {
                throw InputError(place, Describe(setting) + " is no value", "a string or a number");
            }
            settings.push_back(CheckAttribute({type, name, setting.text}, place));
        }
    }
    return settings;
}

CongestionControlConfig
ReadCongestionControl(const JsonValue& value)
{
    const std::string path = "network.congestionControl";
    CongestionControlConfig config;
    // A bare name is short for an object that has nothing else.
    JsonValue object = value;
    if (value.kind != JsonValue::Kind::OBJECT)
    {
        GetString(value, path);
        object = {JsonValue::Kind::OBJECT, value.source, value.line, "", {value}, {"name"}};
    }
    JsonReader reader(object, path);
    reader.Get("name");
    reader.ReadName("name", config.name, GetScenarioNames("congestion-controls"));
    if (config.name == "dcqcn")
    {
        reader.ReadName("preset", config.preset, GetDcqcnPresetNames());
        config.parameters = ReadParameters(reader.Find("parameters"),
                                           path + ".parameters",
                                           DcqcnCongestionOps::GetTypeId().GetName());
    }
    else
    {
        config.preset.clear();
    }
    reader.RejectUnknownKeys();
    return config;
}

EcnConfig
ReadEcn(const JsonValue& value)
{
    JsonReader reader(value, "network.ecn");
    EcnConfig ecn;
    auto readBytes = [&](const std::string& key, std::optional<uint64_t>& bytes) {
        if (reader.Find(key))
        {
            bytes = 0;
            reader.ReadBytes(key, *bytes, 0, MOST_BYTES);
        }
    };
    readBytes("kmin", ecn.kminBytes);
    readBytes("kmax", ecn.kmaxBytes);
    if (reader.Find("pmax"))
    {
        ecn.pmax = 0;
        reader.Read("pmax", *ecn.pmax, 0, 1);
    }
    if (ecn.kminBytes && ecn.kmaxBytes && *ecn.kminBytes > *ecn.kmaxBytes)
    {
        throw InputError(reader.Place("kmin"),
                         Describe(reader.Get("kmin")) + " is above kmax",
                         "at most kmax, " + FormatBytes(*ecn.kmaxBytes));
    }
    reader.RejectUnknownKeys();
    return ecn;
}

WireConfig
ReadWire(const JsonValue& value)
{
    JsonReader reader(value, "network.wire");
    WireConfig wire;
    reader.Read("dataOverhead", wire.dataOverhead, 0, 1024);
    reader.Read("controlFrame", wire.controlFrame, 0, 1024);
    reader.Read("preamble", wire.preamble, 0, 255);
    reader.Read("interFrameGap", wire.interFrameGap, 0, 255);
    reader.RejectUnknownKeys();
    return wire;
}

NetworkConfig
ReadNetwork(const JsonValue& value)
{
    JsonReader reader(value, "network");
    NetworkConfig network;
    const std::vector<std::string> technologies = GetScenarioNames("technologies");
    RefuseLater(reader, "technology", {"infiniband"}, technologies);
    reader.ReadName("technology", network.technology, technologies);
    if (const JsonValue* control = reader.Find("congestionControl"))
    {
        network.congestionControl = ReadCongestionControl(*control);
    }
    reader.Read("pfc", network.pfc);
    reader.Read("mtu", network.mtu, 64, 9000);
    reader.ReadName("pathSelection", network.pathSelection, GetScenarioNames("path-selectors"));
    reader.Read("ackInterval", network.ackInterval, 1, 1 << 20);
    reader.Read("timeout", network.timeout, 0, 31);
    reader.Read("retryCount", network.retryCount, 0, 7);
    reader.ReadBytes("window", network.windowBytes, 0, MOST_BYTES);
    if (const JsonValue* ecn = reader.Find("ecn"))
    {
        network.ecn = ReadEcn(*ecn);
    }
    reader.ReadBytes("buffer", network.bufferBytes, 1024, uint64_t{1} << 40);
    reader.Read("bufferAlpha", network.bufferAlpha, 1e-6, 64);
    if (reader.Find("cnpInterval"))
    {
        network.cnpInterval = Time();
        reader.Read("cnpInterval", *network.cnpInterval);
    }
    if (const JsonValue* wire = reader.Find("wire"))
    {
        network.wire = ReadWire(*wire);
    }
    reader.RejectUnknownKeys();
    return network;
}

// ---- GPU

GpuConfig
ReadGpu(const JsonValue& value)
{
    JsonReader reader(value, "gpu");
    GpuConfig gpu;
    auto readRate = [&](const std::string& key, std::optional<DataRate>& rate) {
        if (reader.Find(key))
        {
            rate = DataRate();
            reader.Read(key, *rate);
        }
    };
    reader.ReadName("model", gpu.model, GetGpuPresetNames());
    readRate("scaleUpRate", gpu.scaleUpRate);
    readRate("hbmBandwidth", gpu.hbmBandwidth);
    reader.RejectUnknownKeys();
    return gpu;
}

// ---- jobs

std::vector<uint64_t>
ReadSizes(const JsonValue& value, const std::string& path)
{
    if (value.kind != JsonValue::Kind::ARRAY)
    {
        return ParseSizes(GetQuantityText(value, path, "a number of bytes"), PlaceOf(value, path));
    }
    std::vector<uint64_t> sizes;
    for (size_t i = 0; i < value.elements.size(); i++)
    {
        std::vector<uint64_t> more = ReadSizes(value.elements[i], ElementPath(path, i));
        sizes.insert(sizes.end(), more.begin(), more.end());
    }
    if (sizes.empty())
    {
        throw InputError(PlaceOf(value, path), "is an empty list", "at least one size");
    }
    return sizes;
}

CollectiveWorkload
ReadCollective(JsonReader& reader, const std::string& path)
{
    CollectiveWorkload workload;
    reader.Get("op");
    reader.ReadName("op", workload.op, GetScenarioNames("collectives"));
    workload.sizes = ReadSizes(reader.Get("sizes"), path + ".sizes");
    reader.ReadName("dataType", workload.dataType, GetScenarioNames("data-types"));
    reader.ReadName("algorithm", workload.algorithm, GetScenarioNames("algorithms"));
    reader.Read("channels", workload.channels, 0, 64);
    reader.ReadBytes("chunk", workload.chunkBytes, 0, MOST_BYTES);
    reader.Read("iterations", workload.iterations, 1, 1'000'000);
    uint32_t element = GetElementBytes(workload.dataType);
    for (uint64_t size : workload.sizes)
    {
        if (size % element != 0)
        {
            throw InputError(reader.Place("sizes"),
                             std::to_string(size) + " bytes are no whole number of " +
                                 workload.dataType + " elements",
                             "multiples of " + std::to_string(element) + " bytes");
        }
    }
    return workload;
}

FlowConfig
ReadFlow(const JsonValue& value, const std::string& path, uint32_t gpus)
{
    JsonReader reader(value, path);
    FlowConfig flow{};
    flow.trafficClass = 3;
    auto rank = [&](const std::string& key) {
        return static_cast<uint32_t>(
            GetUnsigned(reader.Get(key), path + "." + key, 0, gpus - 1));
    };
    flow.source = rank("source");
    flow.destination = rank("destination");
    if (flow.source == flow.destination)
    {
        throw InputError(reader.Place("destination"),
                         std::to_string(flow.destination) + " is the source as well",
                         "another rank than the source");
    }
    reader.Get("bytes");
    reader.ReadBytes("bytes", flow.bytes, 1, MOST_BYTES);
    reader.Read("start", flow.start);
    uint32_t trafficClass = flow.trafficClass;
    reader.Read("class", trafficClass, 0, 7);
    flow.trafficClass = static_cast<uint8_t>(trafficClass);
    reader.RejectUnknownKeys();
    return flow;
}

/// Node ids of a file become ranks: those of a topology file's hosts, or the ranks themselves.
std::vector<FlowConfig>
ReadFlowFile(const std::string& file, const TopologyConfig& topology, uint32_t gpus)
{
    std::vector<bool> isHost(gpus, true);
    std::vector<uint32_t> rankOf(gpus);
    for (uint32_t rank = 0; rank < gpus; rank++)
    {
        rankOf[rank] = rank;
    }
    if (const auto* from = std::get_if<TopologyFile>(&topology))
    {
        HpccTopology read = ReadHpccTopology(from->file);
        isHost = read.isHost;
        rankOf.assign(isHost.size(), 0);
        for (uint32_t rank = 0; rank < read.hostIds.size(); rank++)
        {
            rankOf[read.hostIds[rank]] = rank;
        }
    }
    std::vector<FlowConfig> flows;
    for (const HpccFlow& flow : ReadHpccFlows(file, isHost))
    {
        flows.push_back({rankOf[flow.source],
                         rankOf[flow.destination],
                         flow.bytes,
                         flow.start,
                         flow.priorityGroup});
    }
    return flows;
}

FlowsWorkload
ReadFlows(JsonReader& reader,
          const std::string& path,
          const Scenario& scenario,
          uint32_t gpus)
{
    FlowsWorkload workload;
    if (const JsonValue* file = reader.Find("file"))
    {
        std::string format = "hpcc";
        workload.file = FromFolderOf(scenario.file, GetString(*file, path + ".file"));
        reader.ReadName("format", format, {"hpcc"});
        workload.flows = ReadFlowFile(workload.file, scenario.topology, gpus);
        return workload;
    }
    const JsonValue& list = reader.Get("flows");
    const std::vector<JsonValue>& flows = GetArray(list, path + ".flows", "flows");
    for (size_t i = 0; i < flows.size(); i++)
    {
        workload.flows.push_back(ReadFlow(flows[i], ElementPath(path + ".flows", i), gpus));
    }
    if (workload.flows.empty())
    {
        throw InputError(reader.Place("flows"), "is an empty list", "at least one flow");
    }
    return workload;
}

void
AddRanks(const JsonValue& value,
         const std::string& path,
         uint32_t gpus,
         std::vector<uint32_t>& ranks)
{
    InputPlace place = PlaceOf(value, path);
    if (value.kind == JsonValue::Kind::NUMBER)
    {
        ranks.push_back(static_cast<uint32_t>(GetUnsigned(value, path, 0, gpus - 1)));
        return;
    }
    std::string text = GetString(value, path);
    size_t dash = text.find('-');
    if (dash == std::string::npos || dash == 0)
    {
        throw InputError(place,
                         "\"" + text + "\" names no ranks",
                         "\"all\", a range like \"0-7\", or a list like [0, 1, \"8-15\"]");
    }
    uint64_t first = ParseUnsigned(text.substr(0, dash), place, 0, gpus - 1);
    uint64_t last = ParseUnsigned(text.substr(dash + 1), place, first, gpus - 1);
    for (uint64_t rank = first; rank <= last; rank++)
    {
        ranks.push_back(static_cast<uint32_t>(rank));
    }
}

std::vector<uint32_t>
ReadRanks(const JsonValue* value, const std::string& path, uint32_t gpus)
{
    std::vector<uint32_t> ranks;
    if (!value || (value->kind == JsonValue::Kind::STRING && value->text == "all"))
    {
        for (uint32_t rank = 0; rank < gpus; rank++)
        {
            ranks.push_back(rank);
        }
        return ranks;
    }
    if (value->kind == JsonValue::Kind::ARRAY)
    {
        for (size_t i = 0; i < value->elements.size(); i++)
        {
            AddRanks(value->elements[i], ElementPath(path, i), gpus, ranks);
        }
    }
    else
    {
        AddRanks(*value, path, gpus, ranks);
    }
    std::vector<uint32_t> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
    {
        throw InputError(PlaceOf(*value, path),
                         "rank " + std::to_string(*twice) + " is there twice",
                         "each rank once");
    }
    return ranks;
}

JobConfig
ReadJob(const JsonValue& value, const std::string& path, const Scenario& scenario, uint32_t gpus)
{
    JsonReader reader(value, path);
    JobConfig job;
    job.name = path;
    reader.Read("name", job.name);
    reader.Read("start", job.start);
    job.ranks = ReadRanks(nullptr, "", gpus);

    const std::string workloadPath = path + ".workload";
    JsonReader workload(reader.Get("workload"), workloadPath);
    std::string type;
    workload.Get("type");
    const std::vector<std::string> types = GetScenarioNames("workloads");
    RefuseLater(workload, "type", LATER_WORKLOADS, types);
    workload.ReadName("type", type, types);
    if (type == "collective")
    {
        job.ranks = ReadRanks(reader.Find("ranks"), path + ".ranks", gpus);
        if (job.ranks.size() < 2)
        {
            throw InputError(reader.Place("ranks"),
                             std::to_string(job.ranks.size()) + " ranks communicate with nobody",
                             "at least 2 ranks");
        }
        reader.ReadName("placement", job.placement, {"packed"});
        job.workload = ReadCollective(workload, workloadPath);
    }
    else
    {
        job.workload = ReadFlows(workload, workloadPath, scenario, gpus);
    }
    workload.RejectUnknownKeys();
    reader.RejectUnknownKeys();
    return job;
}

std::vector<JobConfig>
ReadJobs(const JsonValue& value, const Scenario& scenario, uint32_t gpus)
{
    std::vector<JobConfig> jobs;
    const std::vector<JsonValue>& elements = GetArray(value, "jobs", "jobs");
    for (size_t i = 0; i < elements.size(); i++)
    {
        std::string path = ElementPath("jobs", i);
        jobs.push_back(ReadJob(elements[i], path, scenario, gpus));
        for (size_t j = 0; j < i; j++)
        {
            if (jobs[j].name == jobs[i].name)
            {
                throw InputError(PlaceOf(elements[i], path + ".name"),
                                 "\"" + jobs[i].name + "\" is " + ElementPath("jobs", j) +
                                     "'s name as well",
                                 "a name for each job");
            }
        }
    }
    if (jobs.empty())
    {
        throw InputError(PlaceOf(value, "jobs"), "is an empty list", "at least one job");
    }
    return jobs;
}

// ---- the rest

std::vector<AttributeSetting>
ReadAttributes(const JsonValue& value)
{
    JsonReader reader(value, "attributes");
    std::vector<AttributeSetting> settings;
    for (size_t i = 0; i < value.keys.size(); i++)
    {
        const std::string& key = value.keys[i];
        InputPlace place = reader.Place(key);
        size_t colons = key.rfind("::");
        if (colons == std::string::npos || colons == 0)
        {
            throw InputError(place,
                             "\"" + key + "\" names no attribute",
                             "TYPE::ATTRIBUTE, like \"ns3::DcqcnCongestionOps::RateAi\"");
        }
        if (value.elements[i].text.empty())
        {
            throw InputError(place,
                             Describe(value.elements[i]) + " is no value",
                             "a string, a number, true or false");
        }
        settings.push_back(CheckAttribute(
            {key.substr(0, colons), key.substr(colons + 2), value.elements[i].text},
            place));
    }
    return settings;
}

OutputConfig
ReadOutput(const JsonValue& value, const FabricGraph& graph)
{
    JsonReader reader(value, "output");
    OutputConfig output;
    reader.Read("dir", output.dir);
    reader.Read("messages", output.messages);
    reader.Read("links", output.links);
    reader.Read("pfc", output.pfc);
    for (const char* later : {"timeline", "sample", "report"})
    {
        reader.Refuse(later, "is not in this version");
    }
    if (const JsonValue* pcap = reader.Find("pcap"))
    {
        std::vector<std::string> names;
        for (const FabricGraph::Vertex& vertex : graph.GetVertices())
        {
            names.push_back(vertex.name);
        }
        const std::vector<JsonValue>& list = GetArray(*pcap, "output.pcap", "names of nodes");
        for (size_t i = 0; i < list.size(); i++)
        {
            std::string path = ElementPath("output.pcap", i);
            std::string name = GetString(list[i], path);
            if (std::find(names.begin(), names.end(), name) == names.end())
            {
                throw InputError(PlaceOf(list[i], path),
                                 "no node is called \"" + name + "\"",
                                 "a name like \"" + names.front() + "\" or \"" + names.back() +
                                     "\"");
            }
            output.pcap.push_back(name);
        }
    }
    reader.RejectUnknownKeys();
    return output;
}

} // namespace

Scenario
ReadScenario(const std::string& path, const std::vector<std::string>& overrides)
{
    JsonDocument document = ReadJson(path);
    for (const std::string& override : overrides)
    {
        ApplyOverride(document, override);
    }
    JsonReader reader(document.root, "");
    Scenario scenario;
    scenario.file = path;
    scenario.name = std::filesystem::path(path).stem().string();
    reader.Read("name", scenario.name);
    reader.Read("seed", scenario.seed, 1, std::numeric_limits<uint32_t>::max());
    // All keys are known before the first section is read, so that a misspelt section is told first.
    const JsonValue* topology = reader.Find("topology");
    const JsonValue* network = reader.Find("network");
    const JsonValue* gpu = reader.Find("gpu");
    const JsonValue* jobs = reader.Find("jobs");
    const JsonValue* attributes = reader.Find("attributes");
    const JsonValue* output = reader.Find("output");
    reader.Refuse("background", "background traffic is not in this version");
    reader.Refuse("faults", "faults are not in this version");
    reader.RejectUnknownKeys();

    scenario.topology = ReadTopology(topology ? *topology : reader.Get("topology"), path);
    if (network)
    {
        scenario.network = ReadNetwork(*network);
    }
    if (gpu)
    {
        scenario.gpu = ReadGpu(*gpu);
    }
    FabricGraph graph = MakeGraph(scenario.topology);
    uint32_t gpus = graph.Count(FabricGraph::Role::HOST) * GetGpusPerServer(scenario.topology);
    scenario.jobs = ReadJobs(jobs ? *jobs : reader.Get("jobs"), scenario, gpus);
    if (attributes)
    {
        scenario.attributes = ReadAttributes(*attributes);
    }
    if (output)
    {
        scenario.output = ReadOutput(*output, graph);
    }
    return scenario;
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

uint32_t
GetElementBytes(const std::string& dataType)
{
    for (const DataType& element : DATA_TYPES)
    {
        if (dataType == element.name)
        {
            return element.bytes;
        }
    }
    return 0;
}

std::vector<std::string>
GetScenarioNames(const std::string& kind)
{
    if (kind == "topologies")
    {
        return {"rail-optimized", "leaf-spine", "fat-tree", "star"};
    }
    if (kind == "technologies")
    {
        return {"rocev2"};
    }
    if (kind == "congestion-controls")
    {
        return {"none", "dcqcn"};
    }
    if (kind == "path-selectors")
    {
        return {"ecmp"};
    }
    if (kind == "workloads")
    {
        return {"collective", "flows"};
    }
    if (kind == "collectives")
    {
        return {"all-reduce"};
    }
    if (kind == "algorithms")
    {
        return {"auto", "ring"};
    }
    std::vector<std::string> names;
    if (kind == "data-types")
    {
        for (const DataType& element : DATA_TYPES)
        {
            names.emplace_back(element.name);
        }
    }
    return names;
}

} // namespace ns3
