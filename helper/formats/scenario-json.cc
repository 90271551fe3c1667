// SPDX-License-Identifier: GPL-2.0-only
#include "quantity.h"
#include "scenario.h"

#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

Json
ToJson(const RailOptimizedParameters& parameters)
{
    const RailOptimizedParameters p = parameters.Resolved();
    return {{"servers", p.servers},
            {"gpusPerServer", p.gpusPerServer},
            {"serversPerPod", p.serversPerPod},
            {"spines", p.spines},
            {"linksPerSpine", p.linksPerSpine},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"spineRate", FormatDataRate(p.spineRate)},
            {"linkDelay", FormatTime(p.linkDelay)},
            {"spineDelay", FormatTime(p.spineDelay)}};
}

Json
ToJson(const LeafSpineParameters& p)
{
    return {{"leaves", p.leaves},
            {"hostsPerLeaf", p.hostsPerLeaf},
            {"spines", p.spines},
            {"linksPerSpine", p.linksPerSpine},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"uplinkRate", FormatDataRate(p.uplinkRate)},
            {"linkDelay", FormatTime(p.linkDelay)},
            {"uplinkDelay", FormatTime(p.uplinkDelay)}};
}

Json
ToJson(const FatTreeParameters& p)
{
    return {{"k", p.k},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"linkDelay", FormatTime(p.linkDelay)},
            {"uplinkDelay", FormatTime(p.uplinkDelay)}};
}

Json
ToJson(const StarParameters& p)
{
    return {{"hosts", p.hosts},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"linkDelay", FormatTime(p.linkDelay)}};
}

Json
ToJson(const TopologyFile& p)
{
    return {{"file", p.file}, {"format", p.format}};
}

Json
ToJson(const TopologyConfig& topology)
{
    Json json = Json::object();
    if (GetTopologyType(topology) != "file")
    {
        json["type"] = GetTopologyType(topology);
    }
    json.update(std::visit([](const auto& parameters) { return ToJson(parameters); }, topology));
    return json;
}

Json
ToJson(const CongestionControlConfig& control)
{
    Json json{{"name", control.name}};
    if (control.name == "dcqcn")
    {
        json["preset"] = control.preset;
        json["parameters"] = Json::object();
        for (const AttributeSetting& parameter : control.parameters)
        {
            json["parameters"][parameter.name] = parameter.value;
        }
    }
    return json;
}

Json
ToJson(const EcnConfig& ecn)
{
    Json json = Json::object();
    if (ecn.kminBytes)
    {
        json["kmin"] = FormatBytes(*ecn.kminBytes);
    }
    if (ecn.kmaxBytes)
    {
        json["kmax"] = FormatBytes(*ecn.kmaxBytes);
    }
    if (ecn.pmax)
    {
        json["pmax"] = *ecn.pmax;
    }
    return json;
}

Json
ToJson(const NetworkConfig& network)
{
    Json json{{"technology", network.technology},
              {"congestionControl", ToJson(network.congestionControl)},
              {"pfc", network.pfc},
              {"mtu", network.mtu},
              {"pathSelection", network.pathSelection},
              {"ackInterval", network.ackInterval},
              {"timeout", network.timeout},
              {"retryCount", network.retryCount},
              {"reliability", network.reliability},
              {"ipVersion", network.ipVersion},
              {"vlan", network.vlan},
              {"window", FormatBytes(network.windowBytes)},
              {"ecn", ToJson(network.ecn)},
              {"buffer", FormatBytes(network.bufferBytes)},
              {"bufferAlpha", network.bufferAlpha}};
    if (network.cnpInterval)
    {
        json["cnpInterval"] = FormatTime(*network.cnpInterval);
    }
    json["wire"] = {{"dataOverhead", network.wire.dataOverhead},
                    {"controlFrame", network.wire.controlFrame},
                    {"preamble", network.wire.preamble},
                    {"interFrameGap", network.wire.interFrameGap}};
    json["nic"] = network.nic;
    return json;
}

Json
ToJson(const GpuConfig& gpu)
{
    Json json{{"model", gpu.model}};
    if (gpu.scaleUpRate)
    {
        json["scaleUpRate"] = FormatDataRate(*gpu.scaleUpRate);
    }
    if (gpu.hbmBandwidth)
    {
        json["hbmBandwidth"] = FormatDataRate(*gpu.hbmBandwidth);
    }
    return json;
}

Json
ToJson(const CollectiveWorkload& workload)
{
    Json sizes = Json::array();
    for (uint64_t size : workload.sizes)
    {
        sizes.push_back(FormatBytes(size));
    }
    return {{"type", "collective"},
            {"op", workload.op},
            {"sizes", sizes},
            {"dataType", workload.dataType},
            {"algorithm", workload.algorithm},
            {"channels", workload.channels},
            {"chunk", FormatBytes(workload.chunkBytes)},
            {"iterations", workload.iterations}};
}

Json
ToJson(const FlowsWorkload& workload)
{
    if (!workload.file.empty())
    {
        return {{"type", "flows"}, {"file", workload.file}, {"format", "hpcc"}};
    }
    Json flows = Json::array();
    for (const FlowConfig& flow : workload.flows)
    {
        flows.push_back({{"source", flow.source},
                         {"destination", flow.destination},
                         {"bytes", flow.bytes},
                         {"start", FormatTime(flow.start)},
                         {"class", flow.trafficClass}});
    }
    return {{"type", "flows"}, {"flows", flows}};
}

Json
ToJson(const PerftestWorkload& workload)
{
    const PerftestConfig& config = workload.config;
    Json sizes = Json::array();
    for (uint64_t size : config.sizes)
    {
        sizes.push_back(FormatBytes(size));
    }
    return {{"type", "perftest"},
            {"test", config.test},
            {"connection", config.connection},
            {"client", workload.client},
            {"server", workload.server},
            {"sizes", sizes},
            {"iterations", config.iterations},
            {"queuePairs", config.queuePairs},
            {"txDepth", config.txDepth},
            {"rxDepth", config.rxDepth},
            {"cqModeration", config.cqModeration},
            {"inline", *config.inlineBytes},
            {"outstandingReads", config.outstandingReads},
            {"atomic", config.atomic},
            {"bidirectional", config.bidirectional}};
}

Json
ToJson(const JobConfig& job)
{
    Json json{{"name", job.name}, {"start", FormatTime(job.start)}};
    if (std::holds_alternative<CollectiveWorkload>(job.workload))
    {
        json["ranks"] = job.ranks;
        json["placement"] = job.placement;
    }
    json["workload"] =
        std::visit([](const auto& workload) { return ToJson(workload); }, job.workload);
    return json;
}

} // namespace

nlohmann::ordered_json
ResolvedJson(const Scenario& scenario)
{
    Json json{{"name", scenario.name},
              {"seed", scenario.seed},
              {"topology", ToJson(scenario.topology)},
              {"network", ToJson(scenario.network)},
              {"gpu", ToJson(scenario.gpu)}};
    json["jobs"] = Json::array();
    for (const JobConfig& job : scenario.jobs)
    {
        json["jobs"].push_back(ToJson(job));
    }
    json["attributes"] = Json::object();
    for (const AttributeSetting& setting : scenario.attributes)
    {
        json["attributes"][setting.type + "::" + setting.name] = setting.value;
    }
    json["output"] = {{"dir", scenario.output.dir},
                      {"messages", scenario.output.messages},
                      {"links", scenario.output.links},
                      {"pfc", scenario.output.pfc},
                      {"pcap", scenario.output.pcap}};
    return json;
}

} // namespace ns3
