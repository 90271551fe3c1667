// SPDX-License-Identifier: GPL-2.0-only
#include "scenario.h"

#include "platform-file.h"
#include "scenario-sections.h"

#include "ns3/collective-algorithms.h"
#include "ns3/collective-plan.h"
#include "ns3/collective-request.h"
#include "ns3/fct-bins.h"
#include "ns3/flow-size-tables.h"
#include "ns3/gpu-presets.h"
#include "ns3/pcie-presets.h"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace ns3
{

namespace
{

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
        settings.push_back(
            CheckAttribute({key.substr(0, colons), key.substr(colons + 2), value.elements[i].text},
                           place));
        RefuseInherited(settings.back(), place);
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
    reader.Read("report", output.report);
    reader.Read("pfc", output.pfc);
    reader.Read("sample", output.sample);
    reader.Refuse("timeline", "is not in this version");
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

GpuConfig
ReadGpu(const JsonValue& value)
{
    JsonReader reader(value, "gpu");
    GpuConfig gpu;
    reader.ReadName("model", gpu.model, GetGpuPresetNames());
    if (reader.Find("scaleUpRate"))
    {
        gpu.scaleUpRate = DataRate();
        reader.ReadLinkRate("scaleUpRate", *gpu.scaleUpRate);
    }
    if (reader.Find("hbmBandwidth"))
    {
        gpu.hbmBandwidth = DataRate();
        reader.Read("hbmBandwidth", *gpu.hbmBandwidth);
    }
    if (const JsonValue* scaleUp = reader.Find("scaleUp"))
    {
        gpu.scaleUp = ReadScaleUp(*scaleUp);
    }
    std::vector<std::string> trees = GetPciePresetNames();
    trees.insert(trees.begin(), "none");
    reader.ReadName("pcie", gpu.pcie, trees);
    reader.RejectUnknownKeys();
    return gpu;
}

std::string
FromFolderOf(const std::string& file, const std::string& path)
{
    namespace fs = std::filesystem;
    return fs::path(path).is_absolute() ? path : (fs::path(file).parent_path() / path).string();
}

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

Scenario
ReadScenario(const std::string& path, const std::vector<std::string>& overrides)
{
    return ReadScenario(ReadJson(path), overrides);
}

Scenario
ReadScenario(JsonDocument document, const std::vector<std::string>& overrides)
{
    const std::string path = document.file;
    for (const std::string& override : overrides)
    {
        ApplyOverride(document, override);
    }
    MergePlatform(document);
    JsonReader reader(document.root, "");
    Scenario scenario;
    scenario.file = path;
    scenario.name = std::filesystem::path(path).stem().string();
    reader.Read("name", scenario.name);
    reader.Read("seed", scenario.seed, 1, std::numeric_limits<uint32_t>::max());
    reader.Read("stop", scenario.stop);
    reader.ReadName("partition", scenario.partition, {"pod", "rail", "cut"});
    // All keys are known before the first section is read, so that a misspelt section is told
    // first.
    const JsonValue* topology = reader.Find("topology");
    const JsonValue* network = reader.Find("network");
    const JsonValue* gpu = reader.Find("gpu");
    const JsonValue* nccl = reader.Find("nccl");
    const JsonValue* communication = reader.Find("communication");
    const JsonValue* jobs = reader.Find("jobs");
    const JsonValue* faults = reader.Find("faults");
    const JsonValue* analysis = reader.Find("analysis");
    const JsonValue* attributes = reader.Find("attributes");
    const JsonValue* output = reader.Find("output");
    reader.Find("experiment"); // is for ReadExperiment()
    reader.Refuse("background", "background traffic is not in this version");
    reader.RejectUnknownKeys();

    scenario.topology = ReadTopology(topology ? *topology : reader.Get("topology"), path);
    if (network)
    {
        scenario.network = ReadNetwork(*network, path);
    }
    if (gpu)
    {
        scenario.gpu = ReadGpu(*gpu);
    }
    scenario.nccl = ReadNccl(nccl, "nccl", {});
    scenario.communication = ReadParameters(communication, "communication", "ns3::CollectiveCosts");
    FabricGraph graph = MakeGraph(scenario.topology);
    CheckEcn(scenario.network, graph, network ? *network : document.root);
    CheckSwitchPreset(scenario.network, graph, network ? *network : document.root);
    CheckCollector(scenario.network, graph, network ? *network : document.root);
    uint32_t gpus = graph.Count(FabricGraph::Role::HOST) * GetGpusPerServer(scenario.topology);
    scenario.jobs = ReadJobs(jobs ? *jobs : reader.Get("jobs"), scenario, gpus);
    if (faults)
    {
        scenario.faults = ReadFaults(*faults, graph);
    }
    if (analysis)
    {
        scenario.analysis = ReadAnalysis(*analysis);
    }
    if (attributes)
    {
        scenario.attributes = ReadAttributes(*attributes);
    }
    if (output)
    {
        scenario.output = ReadOutput(*output, graph);
    }
    CheckCoarsePackets(scenario, document.root);
    return scenario;
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
        return {"rail-optimized",
                "rail-only",
                "leaf-spine",
                "fat-tree",
                "three-tier-pod",
                "dual-tor-dual-plane",
                "dragonfly",
                "dragonfly-plus",
                "torus-2d",
                "torus-3d",
                "gpu-mesh",
                "star"};
    }
    if (kind == "technologies")
    {
        return {"rocev2"};
    }
    if (kind == "congestion-controls")
    {
        return GetCongestionControlNames();
    }
    if (kind == "congestion-scopes")
    {
        return {"queue-pair", "destination"};
    }
    if (kind == "path-selectors")
    {
        return GetPathSelectorNames();
    }
    if (kind == "buffer-policies")
    {
        return GetBufferPolicyNames();
    }
    if (kind == "ecn-markers")
    {
        return {"red", "step"};
    }
    if (kind == "routings")
    {
        return {"shortest", "up-down"};
    }
    if (kind == "reliabilities")
    {
        return {"go-back-n", "selective-repeat", "out-of-order"};
    }
    if (kind == "workloads")
    {
        return {"collective", "nccl-tests", "flows", "perftest"};
    }
    if (kind == "flow-sizes")
    {
        return GetFlowSizeTableNames();
    }
    if (kind == "traffic-matrices")
    {
        return {"uniform", "permutation", "all-to-all"};
    }
    if (kind == "arrivals")
    {
        return {"poisson", "on-off"};
    }
    if (kind == "size-bins")
    {
        return FctBins::GetNames();
    }
    if (kind == "perftests")
    {
        return GetPerftestNames();
    }
    if (kind == "collectives")
    {
        return GetCollectiveOperationNames();
    }
    if (kind == "algorithms")
    {
        std::vector<std::string> names{"auto"};
        for (const CollectiveAlgorithmEntry& entry : GetCollectiveAlgorithms())
        {
            names.push_back(entry.name);
        }
        return names;
    }
    if (kind == "protocols")
    {
        return GetCollectiveProtocolNames();
    }
    if (kind == "transfer-generators")
    {
        return {"hot", "zipf"};
    }
    if (kind == "nccl-tests")
    {
        return GetNcclTestNames();
    }
    if (kind == "platforms")
    {
        return GetPlatformNames();
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
