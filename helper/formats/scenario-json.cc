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
ToJson(const FatTreeParameters& parameters)
{
    const FatTreeParameters p = parameters.Resolved();
    return {{"k", p.k},
            {"hostsPerEdge", p.hostsPerEdge},
            {"coresPerAggregation", p.coresPerAggregation},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"uplinkRate", FormatDataRate(p.uplinkRate)},
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
    Json json{{"file", p.file}, {"format", p.format}};
    if (p.format == "graph")
    {
        json["gpusPerServer"] = p.gpusPerServer;
    }
    return json;
}

Json
ToJson(const ThreeTierPodParameters& parameters)
{
    const ThreeTierPodParameters p = parameters.Resolved();
    return {{"pods", p.pods},
            {"leavesPerPod", p.leavesPerPod},
            {"hostsPerLeaf", p.hostsPerLeaf},
            {"gpusPerServer", p.gpusPerServer},
            {"spinesPerPod", p.spinesPerPod},
            {"linksPerSpine", p.linksPerSpine},
            {"coresPerSpine", p.coresPerSpine},
            {"linksPerCore", p.linksPerCore},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"spineRate", FormatDataRate(p.spineRate)},
            {"coreRate", FormatDataRate(p.coreRate)},
            {"linkDelay", FormatTime(p.linkDelay)},
            {"spineDelay", FormatTime(p.spineDelay)},
            {"coreDelay", FormatTime(p.coreDelay)}};
}

Json
ToJson(const RailOnlyParameters& p)
{
    return {{"servers", p.servers},
            {"gpusPerServer", p.gpusPerServer},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"linkDelay", FormatTime(p.linkDelay)}};
}

Json
ToJson(const DualPlaneParameters& p)
{
    return {{"segments", p.segments},
            {"serversPerSegment", p.serversPerSegment},
            {"gpusPerServer", p.gpusPerServer},
            {"planes", p.planes},
            {"aggregationsPerPlane", p.aggregationsPerPlane},
            {"linksPerAggregation", p.linksPerAggregation},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"uplinkRate", FormatDataRate(p.uplinkRate)},
            {"linkDelay", FormatTime(p.linkDelay)},
            {"uplinkDelay", FormatTime(p.uplinkDelay)}};
}

/// @param p of either kind of dragonfly @return what both have
template <typename Parameters>
Json
DragonflyCables(const Parameters& p)
{
    return {{"arrangement", p.arrangement == GlobalArrangement::PALMTREE ? "palmtree" : "absolute"},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"localRate", FormatDataRate(p.localRate)},
            {"globalRate", FormatDataRate(p.globalRate)},
            {"linkDelay", FormatTime(p.linkDelay)},
            {"localDelay", FormatTime(p.localDelay)},
            {"globalDelay", FormatTime(p.globalDelay)}};
}

Json
ToJson(const DragonflyParameters& parameters)
{
    const DragonflyParameters p = parameters.Resolved();
    Json json{{"a", p.a}, {"p", p.p}, {"h", p.h}, {"g", p.g}};
    json.update(DragonflyCables(p));
    return json;
}

Json
ToJson(const DragonflyPlusParameters& parameters)
{
    const DragonflyPlusParameters p = parameters.Resolved();
    Json json{{"groups", p.groups},
              {"leaves", p.leaves},
              {"spines", p.spines},
              {"hostsPerLeaf", p.hostsPerLeaf},
              {"globalLinks", p.globalLinks}};
    json.update(DragonflyCables(p));
    return json;
}

Json
ToJson(const TorusParameters& parameters)
{
    const TorusParameters p = parameters.Resolved();
    Json json{{"x", p.x}, {"y", p.y}};
    if (p.dimensions == 3)
    {
        json["z"] = p.z;
    }
    json.update({{"hostsPerSwitch", p.hostsPerSwitch},
                 {"linkRate", FormatDataRate(p.linkRate)},
                 {"torusRate", FormatDataRate(p.torusRate)},
                 {"linkDelay", FormatTime(p.linkDelay)},
                 {"torusDelay", FormatTime(p.torusDelay)}});
    return json;
}

Json
ToJson(const GpuMeshParameters& p)
{
    return {{"gpus", p.gpus},
            {"linksPerPair", p.linksPerPair},
            {"linkRate", FormatDataRate(p.linkRate)},
            {"linkDelay", FormatTime(p.linkDelay)}};
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
ToJson(const std::vector<AttributeSetting>& parameters)
{
    Json json = Json::object();
    for (const AttributeSetting& parameter : parameters)
    {
        json[parameter.name] = parameter.value;
    }
    return json;
}

Json
ToJson(const CongestionControlConfig& control)
{
    return {{"name", control.name},
            {"preset", control.preset},
            {"parameters", ToJson(control.parameters)},
            {"scope", control.scope}};
}

/// A part that is off (false), or on with these parameters.
Json
ToJson(const std::optional<std::vector<AttributeSetting>>& part)
{
    return part ? ToJson(*part) : Json(false);
}

Json
ClassList(uint8_t classes)
{
    Json json = Json::array();
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (classes & (1U << c))
        {
            json.push_back(c);
        }
    }
    return json;
}

void
AddBytes(Json& json, const char* key, const std::optional<uint64_t>& bytes)
{
    if (bytes)
    {
        json[key] = FormatBytes(*bytes);
    }
}

Json
ToJson(const EcnConfig& ecn, const std::string& markAt)
{
    Json json = Json::object();
    if (ecn.classes)
    {
        json["classes"] = ClassList(*ecn.classes);
    }
    if (ecn.marker != "red")
    {
        json["marker"] = ecn.marker;
    }
    AddBytes(json, "threshold", ecn.thresholdBytes);
    AddBytes(json, "kmin", ecn.kminBytes);
    AddBytes(json, "kmax", ecn.kmaxBytes);
    if (ecn.pmax)
    {
        json["pmax"] = *ecn.pmax;
    }
    if (ecn.queueWeight)
    {
        json["queueWeight"] = *ecn.queueWeight;
    }
    if (!markAt.empty())
    {
        json["at"] = markAt;
    }
    return json;
}

Json
ToJson(const std::vector<EcnConfig>& all, const std::string& markAt)
{
    if (all.size() == 1)
    {
        return ToJson(all.front(), markAt);
    }
    Json json = Json::array();
    for (const EcnConfig& ecn : all)
    {
        json.push_back(ToJson(ecn, markAt));
    }
    return json;
}

Json
ToJson(const PfcConfig& pfc)
{
    Json json{{"enabled", pfc.enabled},
              {"classes", ClassList(pfc.classes)},
              {"global", pfc.global},
              {"quanta", pfc.quanta},
              {"watchdog", false}};
    if (pfc.watchdog)
    {
        json["watchdog"] = {{"detectionTime", FormatTime(pfc.watchdog->detectionTime)},
                            {"restorationTime", FormatTime(pfc.watchdog->restorationTime)},
                            {"action", pfc.watchdog->action}};
    }
    if (pfc.hostsObey)
    {
        json["hostsObey"] = ClassList(*pfc.hostsObey);
    }
    if (pfc.hostsAsk)
    {
        json["hostsAsk"] = ClassList(*pfc.hostsAsk);
    }
    return json;
}

Json
ToJson(const BufferConfig& buffer)
{
    Json json = Json::object();
    if (!buffer.preset.empty())
    {
        json["preset"] = buffer.preset;
    }
    bool complete = buffer.preset.empty(); // else what is not said is the preset's
    if (buffer.sizeBytes || complete)
    {
        json["size"] = FormatBytes(buffer.sizeBytes.value_or(DEFAULT_BUFFER_BYTES));
    }
    if (buffer.alpha || complete)
    {
        json["alpha"] = buffer.alpha.value_or(DEFAULT_BUFFER_ALPHA);
    }
    if (buffer.lossyAlpha)
    {
        json["lossyAlpha"] = *buffer.lossyAlpha;
    }
    AddBytes(json, "cellSize", buffer.cellBytes);
    AddBytes(json, "reserved", buffer.reservedBytes);
    json["headroom"] = "per-port";
    if (buffer.headroomPoolBytes)
    {
        json["headroom"] = {{"pool", FormatBytes(*buffer.headroomPoolBytes)},
                            {"oversubscription", buffer.headroomOversubscription}};
    }
    json["pools"] = Json::object();
    AddBytes(json["pools"], "lossy", buffer.lossyPoolBytes);
    AddBytes(json["pools"], "egressLossless", buffer.egressLosslessBytes);
    AddBytes(json["pools"], "egressLossy", buffer.egressLossyBytes);
    if (buffer.referenceRate)
    {
        json["referenceRate"] = FormatDataRate(*buffer.referenceRate);
    }
    json["policy"] = {{"name", buffer.policy.name},
                      {"parameters", ToJson(buffer.policy.parameters)}};
    json["parameters"] = ToJson(buffer.parameters);
    return json;
}

Json
ToJson(const PathSelectionConfig& selection)
{
    return {{"name", selection.name},
            {"parameters", ToJson(selection.parameters)},
            {"sharedSeed", selection.sharedSeed}};
}

Json
ToJson(const RoutingConfig& routing)
{
    Json json = routing.file.empty() ? Json{{"name", routing.name}} : Json{{"file", routing.file}};
    json["convergenceTime"] = FormatTime(routing.convergenceTime);
    return json;
}

Json
ToJson(const SchedulingConfig& scheduling)
{
    Json json = Json::object();
    if (scheduling.strictClasses)
    {
        json["strict"] = ClassList(*scheduling.strictClasses);
    }
    for (const SchedulingConfig::Share& share : scheduling.shares)
    {
        json["shares"][FormatClasses(share.classes)] = share.percent;
    }
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (scheduling.classRates[c])
        {
            json["classRates"][std::to_string(c)] = FormatDataRate(*scheduling.classRates[c]);
        }
    }
    if (scheduling.portRate)
    {
        json["portRate"] = FormatDataRate(*scheduling.portRate);
    }
    return json;
}

Json
ToJson(const TelemetryConfig& telemetry)
{
    Json json{{"int", telemetry.intFormat}, {"trimming", ToJson(telemetry.trimming)}};
    if (telemetry.dropMirror)
    {
        json["dropMirror"] = {{"collector", telemetry.dropMirror->collector},
                              {"parameters", ToJson(telemetry.dropMirror->parameters)}};
    }
    return json;
}

Json
ToJson(const NetworkConfig& network)
{
    Json json{{"technology", network.technology},
              {"congestionControl", ToJson(network.congestionControl)},
              {"pfc", ToJson(network.pfc)},
              {"mtu", network.mtu},
              {"segmentsPerFrame", network.segmentsPerFrame},
              {"pathSelection", ToJson(network.pathSelection)},
              {"routing", ToJson(network.routing)},
              {"deadlockCheck", network.deadlockCheck},
              {"ackInterval", network.ackInterval},
              {"timeout", network.timeout},
              {"retryCount", network.retryForever ? Json("unlimited") : Json(network.retryCount)},
              {"reliability", network.reliability},
              {"ipVersion", network.ipVersion},
              {"vlan", network.vlan},
              {"window", FormatBytes(network.windowBytes)},
              {"ecn", ToJson(network.ecn, network.markAt)},
              {"buffer", ToJson(network.buffer)},
              {"scheduling", ToJson(network.scheduling)},
              {"telemetry", ToJson(network.telemetry)}};
    if (network.cnpInterval)
    {
        json["cnpInterval"] = FormatTime(*network.cnpInterval);
    }
    if (network.baseRtt)
    {
        json["baseRtt"] = FormatTime(*network.baseRtt);
    }
    json["timestampResolution"] = FormatTime(network.timestampResolution);
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
    json["scaleUp"] = ToJson(gpu.scaleUp);
    json["pcie"] = gpu.pcie;
    return json;
}

Json
ToJson(const NcclConfig& nccl)
{
    Json json = Json::object();
    if (!nccl.version.empty())
    {
        json["version"] = nccl.version;
    }
    json["cpu"] = nccl.cpuVendor;
    for (const auto& [name, value] : nccl.environment)
    {
        json[name] = value;
    }
    return json;
}

/// Adds the keys that say how collectives are carried out.
void
AddChoice(Json& json, const CollectiveChoice& choice)
{
    json["algorithm"] =
        choice.algorithm == "msccl" ? Json{{"msccl", choice.mscclFile}} : Json(choice.algorithm);
    json["nccl"] = ToJson(choice.nccl);
    if (choice.algorithm == "msccl")
    {
        return;
    }
    json["protocol"] = choice.protocol;
    json["channels"] = choice.channels;
    json["chunk"] = FormatBytes(choice.chunkBytes);
    if (!choice.tuner.empty())
    {
        json["tuner"] = ToJson(choice.tunerParameters);
        json["tuner"]["type"] = choice.tuner;
    }
}

Json
ToJson(const TransfersConfig& transfers)
{
    if (transfers.kind == "file")
    {
        return {{"file", transfers.file}};
    }
    if (transfers.kind == "hot")
    {
        return {{"generator", "hot"}, {"ranks", transfers.hotRanks}, {"factor", transfers.factor}};
    }
    if (transfers.kind == "zipf")
    {
        return {{"generator", "zipf"}, {"exponent", transfers.exponent}};
    }
    Json list = Json::array();
    for (const TransferConfig& transfer : transfers.list)
    {
        list.push_back({{"source", transfer.source},
                        {"destination", transfer.destination},
                        {"bytes", FormatBytes(transfer.bytes)}});
    }
    return list;
}

Json
ToJson(const CollectiveWorkload& workload)
{
    Json json{{"type", "collective"}, {"op", workload.op}, {"dataType", workload.dataType}};
    const std::string& kind = workload.transfers.kind;
    if (kind != "list" && kind != "file" && workload.op != "barrier")
    {
        json["sizes"] = Json::array();
        for (uint64_t size : workload.sizes)
        {
            json["sizes"].push_back(FormatBytes(size));
        }
    }
    if (!kind.empty())
    {
        json["transfers"] = ToJson(workload.transfers);
    }
    CollectiveOperation operation = CollectiveOperation::ALL_REDUCE;
    ParseCollectiveOperation(workload.op, operation);
    if (HasRoot(operation))
    {
        json["root"] = workload.root;
    }
    if (workload.inPlace)
    {
        json["inPlace"] = true;
    }
    AddChoice(json, workload.choice);
    json["iterations"] = workload.iterations;
    return json;
}

Json
ToJson(const NcclTestsWorkload& workload)
{
    const NcclTestOptions& options = workload.options;
    Json json{{"type", "nccl-tests"}, {"test", options.test}, {"sizes", Json::array()}};
    for (uint64_t size : GetNcclTestSizes(options))
    {
        json["sizes"].push_back(FormatBytes(size));
    }
    json["processes"] = options.processes;
    json["gpus"] = options.gpus * options.threads;
    json["iterations"] = options.iterations;
    json["warmUp"] = options.warmUp;
    if (options.repeatUpTo != UINT64_MAX)
    {
        json["repeatUpTo"] = FormatBytes(options.repeatUpTo);
    }
    json["check"] = options.check;
    json["average"] = options.average;
    json["dataType"] = options.dataType;
    json["reduction"] = options.reduction;
    json["root"] = options.root;
    json["place"] = options.place == NcclTestPlace::BOTH       ? "both"
                    : options.place == NcclTestPlace::IN_PLACE ? "in-place"
                                                               : "out-of-place";
    AddChoice(json, workload.choice);
    return json;
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
ToJson(const GeneratedFlowsWorkload& workload)
{
    Json json{{"type", "flows"}};
    if (workload.load > 0)
    {
        json["sizes"] = Json::array();
        for (const FlowSizeDistribution::Point& point : workload.sizes.GetPoints())
        {
            json["sizes"].push_back(Json::array({point.bytes, point.percent}));
        }
        json["load"] = workload.load;
    }
    json["loadOf"] = workload.headersCount ? "wire" : "payload";
    json["arrivals"] = {{"name", workload.arrivals}};
    if (workload.arrivals == "on-off")
    {
        json["arrivals"]["on"] = FormatTime(workload.onOff.on);
        json["arrivals"]["off"] = FormatTime(workload.onOff.off);
    }
    json["matrix"] =
        workload.weights.empty() ? Json(workload.matrix) : Json{{"file", workload.matrix}};
    if (workload.incast)
    {
        json["incast"] = {{"senders", workload.incast->senders},
                          {"bytes", FormatBytes(workload.incast->bytes)},
                          {"load", workload.incast->load}};
        if (workload.incast->receiver)
        {
            json["incast"]["receiver"] = *workload.incast->receiver;
        }
    }
    json["duration"] = FormatTime(workload.duration);
    if (workload.count > 0)
    {
        json["count"] = workload.count;
    }
    json["class"] = workload.trafficClass;
    return json;
}

Json
ToJson(const AnalysisConfig& analysis)
{
    Json json{{"bins", analysis.bins}};
    if (analysis.bins.empty())
    {
        json["bins"] = analysis.edges;
    }
    json["percentiles"] = analysis.percentiles;
    json["warmUp"] = FormatTime(analysis.warmUp);
    json["until"] = FormatTime(analysis.until);
    json["sample"] = FormatTime(analysis.sample);
    return json;
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

/// The keys of its place.
void
AddPlace(Json& json, const FaultConfig& fault)
{
    using Kind = FaultConfig::Kind;
    switch (fault.kind)
    {
    case Kind::SWITCH_REBOOT:
        json["switch"] = fault.ends.front();
        break;
    case Kind::SLOW_GPU:
        json["gpu"] = fault.gpu;
        break;
    case Kind::SLOW_RECEIVER:
    case Kind::PAUSE_STORM:
    case Kind::NIC_STOP:
        json["host"] = fault.ends.front();
        json["port"] = fault.index;
        break;
    default:
        json["link"] = fault.ends;
        json["index"] = fault.index;
    }
}

Json
ToJson(const FaultConfig& fault)
{
    using Kind = FaultConfig::Kind;
    Json json{{"type", GetFaultName(fault.kind)}};
    AddPlace(json, fault);
    json["at"] = FormatTime(fault.at);
    if (fault.lasts)
    {
        json[fault.kind == Kind::LINK_FLAP ? "downTime" : "for"] = FormatTime(*fault.lasts);
    }
    switch (fault.kind)
    {
    case Kind::LINK_FLAP:
        json["period"] = FormatTime(fault.period);
        json["count"] = fault.count;
        break;
    case Kind::ONE_WAY:
        json["from"] = fault.from;
        break;
    case Kind::DEGRADED_RATE:
        json["rate"] = FormatDataRate(fault.rate);
        break;
    case Kind::BIT_ERRORS:
        json["ber"] = fault.probability;
        json["fec"] = fault.fec;
        break;
    case Kind::LOSS:
        json["rate"] = fault.probability;
        break;
    case Kind::SLOW_RECEIVER:
        json["rate"] = FormatDataRate(fault.rate);
        if (fault.bufferBytes > 0)
        {
            json["buffer"] = FormatBytes(fault.bufferBytes);
        }
        break;
    case Kind::PAUSE_STORM:
        json["classes"] = ClassList(fault.classes);
        break;
    case Kind::SLOW_GPU:
        json["clock"] = fault.clock;
        break;
    default:
        break;
    }
    return json;
}

Json
ToJson(const JobConfig& job)
{
    Json json{{"name", job.name}, {"start", FormatTime(job.start)}};
    if (std::holds_alternative<CollectiveWorkload>(job.workload) ||
        std::holds_alternative<NcclTestsWorkload>(job.workload))
    {
        json["ranks"] = job.ranks;
        json["placement"] = job.placement;
    }
    if (job.split.size > 0)
    {
        json["split"] = {{"size", job.split.size}, {"by", job.split.by}};
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
              {"stop", FormatTime(scenario.stop)},
              {"partition", scenario.partition},
              {"topology", ToJson(scenario.topology)},
              {"network", ToJson(scenario.network)},
              {"gpu", ToJson(scenario.gpu)},
              {"nccl", ToJson(scenario.nccl)},
              {"communication", ToJson(scenario.communication)}};
    json["jobs"] = Json::array();
    for (const JobConfig& job : scenario.jobs)
    {
        json["jobs"].push_back(ToJson(job));
    }
    json["faults"] = Json::array();
    for (const FaultConfig& fault : scenario.faults)
    {
        json["faults"].push_back(ToJson(fault));
    }
    if (scenario.analysis.asked)
    {
        json["analysis"] = ToJson(scenario.analysis);
    }
    json["attributes"] = Json::object();
    for (const AttributeSetting& setting : scenario.attributes)
    {
        json["attributes"][setting.type + "::" + setting.name] = setting.value;
    }
    json["output"] = {{"dir", scenario.output.dir},
                      {"messages", scenario.output.messages},
                      {"links", scenario.output.links},
                      {"report", scenario.output.report},
                      {"pfc", scenario.output.pfc},
                      {"sample", FormatTime(scenario.output.sample)},
                      {"pcap", scenario.output.pcap}};
    return json;
}

} // namespace ns3
