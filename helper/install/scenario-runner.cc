// SPDX-License-Identifier: GPL-2.0-only
#include "scenario-runner.h"

#include "rank-ports.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/congestion-presets.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/go-back-n.h"
#include "ns3/input-error.h"
#include "ns3/int-header.h"
#include "ns3/nic-presets.h"
#include "ns3/node.h"
#include "ns3/out-of-order-placement.h"
#include "ns3/pcie-presets.h"
#include "ns3/perftest-report.h"
#include "ns3/pointer.h"
#include "ns3/quantity.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/route-file.h"
#include "ns3/selective-repeat.h"
#include "ns3/simulator.h"
#include "ns3/static-routes.h"
#include "ns3/string.h"
#include "ns3/switch-presets.h"
#include "ns3/uinteger.h"
#include "ns3/up-down-routes.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace ns3
{

namespace
{

/// @param network its protocols
/// @return headers that a data frame may have besides its payload, at most
uint32_t
MostHeaderBytes(const NetworkConfig& network)
{
    if (network.wire.dataOverhead > 0)
    {
        return network.wire.dataOverhead;
    }
    uint32_t bytes = wire::ROCEV2_BASE_BYTES + wire::RETH_BYTES + wire::IMMDT_BYTES;
    bytes += network.ipVersion == 6 ? wire::IPV6_BYTES - wire::IPV4_BYTES : 0;
    bytes += network.vlan > 0 ? wire::VLAN_TAG_BYTES : 0;
    bytes += network.reliability == "go-back-n" ? 0 : wire::PLACEMENT_BYTES;
    return bytes;
}

/// @param network its protocols @return size of a data frame without telemetry, at most; of one
/// that stands for several: of all of them with what lies between
uint32_t
MostDataBytes(const NetworkConfig& network)
{
    const uint32_t one = (network.mtu + 3) / 4 * 4 + MostHeaderBytes(network);
    const uint32_t gap = network.wire.preamble + network.wire.interFrameGap;
    return one + (network.segmentsPerFrame - 1) * (one + gap);
}

/// @param telemetry what is asked for @return the format of INT
TelemetryFormat
TelemetryFormatOf(const TelemetryConfig& telemetry)
{
    return telemetry.intFormat == "int-md" ? TelemetryFormat::INT_MD
           : telemetry.intFormat == "hpcc" ? TelemetryFormat::HPCC
                                           : TelemetryFormat::NONE;
}

/// @param format of INT @param switches of the fabric
/// @return what INT adds to a frame, at most: no frame passes a switch twice
uint32_t
MostTelemetryBytes(TelemetryFormat format, uint32_t switches)
{
    SwitchHeader header;
    header.telemetryFormat = format;
    uint32_t hops = std::min<uint32_t>(TelemetryMaxHops(format), switches);
    return TelemetryBytes(header) + hops * TelemetryHopBytes(format);
}

/// @param name one of GetScenarioNames("reliabilities") @return its RdmaReliability
TypeId
ReliabilityOf(const std::string& name)
{
    return name == "selective-repeat" ? SelectiveRepeat::GetTypeId()
           : name == "out-of-order"   ? OutOfOrderPlacement::GetTypeId()
                                      : GoBackN::GetTypeId();
}

/// @param type TypeId's name @param parameters its attributes @return makes such parts
ObjectFactory
MakePart(const std::string& type, const std::vector<AttributeSetting>& parameters)
{
    ObjectFactory part(type);
    ApplyAttributes(parameters, part);
    return part;
}

/// @param ecn what the scenario says @param control whose preset has the rest @param rate of the
/// port @return a marker
Ptr<EcnMarker>
MakeMarker(const EcnConfig& ecn, const CongestionControlConfig& control, DataRate rate)
{
    const CongestionMarking marking = *GetMarkingPreset(control, rate).marking;
    if (ecn.marker == "step")
    {
        ObjectFactory step("ns3::StepEcnMarker");
        step.Set("Threshold", UintegerValue(ecn.thresholdBytes.value_or(marking.kminBytes)));
        return step.Create<EcnMarker>();
    }
    ObjectFactory red("ns3::RedEcnMarker");
    red.Set("Kmin", UintegerValue(ecn.kminBytes.value_or(marking.kminBytes)));
    red.Set("Kmax", UintegerValue(ecn.kmaxBytes.value_or(marking.kmaxBytes)));
    red.Set("Pmax", DoubleValue(ecn.pmax.value_or(marking.pmax)));
    if (ecn.queueWeight)
    {
        red.Set("QueueWeight", DoubleValue(*ecn.queueWeight));
        red.Set("LinkRate", DataRateValue(rate));
    }
    return red.Create<EcnMarker>();
}

/// @param scenario some @return a job of it has flows between NICs
bool
HasFlows(const Scenario& scenario)
{
    return std::any_of(scenario.jobs.begin(), scenario.jobs.end(), [](const JobConfig& job) {
        return std::holds_alternative<FlowsWorkload>(job.workload) ||
               std::holds_alternative<GeneratedFlowsWorkload>(job.workload);
    });
}

/// Random streams of generated flows: a job's do not depend on how many others there are.
constexpr int64_t FIRST_FLOW_STREAM = 1 << 20;
constexpr int64_t STREAMS_PER_JOB = 16;

/// @param name one of GetScenarioNames("traffic-matrices") @return what it is
TrafficMatrix::Kind
MatrixKindOf(const std::string& name)
{
    return name == "permutation"  ? TrafficMatrix::Kind::PERMUTATION
           : name == "all-to-all" ? TrafficMatrix::Kind::ALL_TO_ALL
                                  : TrafficMatrix::Kind::UNIFORM;
}

/// @param parameters of a generator @return about how many bytes it will make, for the progress
double
ExpectedBytes(const FlowGeneratorParameters& parameters)
{
    constexpr double BITS = 8;
    double bytesPerSecond = 0;
    for (uint32_t host = 0; host < parameters.hostRateBps.size(); ++host)
    {
        const double load = parameters.load * parameters.matrix.GetLoadShare(host) +
                            (parameters.incast ? parameters.incast->load : 0);
        bytesPerSecond += load * static_cast<double>(parameters.hostRateBps[host]) / BITS;
    }
    const double byTime = parameters.duration.GetSeconds() * bytesPerSecond;
    const double byCount = static_cast<double>(parameters.flows) * parameters.sizes.GetMeanBytes();
    return byTime == 0 ? byCount : byCount == 0 ? byTime : std::min(byTime, byCount);
}

DataRate
FirstNicRate(const FabricGraph& graph)
{
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        if (graph.GetVertices()[edge.a].role == FabricGraph::Role::HOST ||
            graph.GetVertices()[edge.b].role == FabricGraph::Role::HOST)
        {
            return edge.rate;
        }
    }
    return DataRate("400Gbps");
}

} // namespace

ScenarioRunner::ScenarioRunner(const Scenario& scenario,
                               const RunOptions& options,
                               std::ostream& out)
    : m_scenario(scenario),
      m_out(out),
      m_run(MakeGraph(scenario.topology),
            scenario.file,
            ResultsFolder(options.out.empty() ? scenario.output.dir : options.out),
            options),
      m_perftestRows(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::array()))
{
    RngSeedManager::SetSeed(m_scenario.seed);
    ResolveCongestionControl();
    ConfigureFabric();
    ConfigureRdma();
    ConfigureEcn();
    ApplyAttributeSettings();
    m_run.SetPartition(m_scenario.partition, GetServersPerDomain());
    m_run.Build();
    RefuseUndivided();
    TellSwitchesOfPint();
    CollectMirroredDrops();
    m_run.CheckDeadlocks(m_scenario.network.deadlockCheck,
                         {m_scenario.file, 0, "network.deadlockCheck"},
                         m_out);
    InstallGpus();
    m_collectiveJobs = std::make_unique<CollectiveJobs>(m_scenario, m_run, m_cluster, m_out);
    m_run.CapturePorts(m_scenario.output.pcap);
    RequireGpusOfFaults();
    m_run.InjectFaults(m_scenario.faults, m_cluster.gpus);
    m_run.SampleEvery(m_scenario.output.sample);
    WatchPauses();
    SampleQueues();
    if (m_scenario.output.messages)
    {
        m_run.ReportMessages([this](const MessageRecord& record) { return JobOf(record); });
    }
    if (HasFlows(m_scenario))
    {
        m_fctReport = std::make_unique<FctReport>(m_run.Folder(), m_scenario.analysis);
    }
    for (uint32_t job = 0; job < m_scenario.jobs.size(); ++job)
    {
        const auto& workload = m_scenario.jobs[job].workload;
        if (std::holds_alternative<CollectiveWorkload>(workload))
        {
            m_collectiveJobs->PlaceCollective(job);
        }
        else if (std::holds_alternative<NcclTestsWorkload>(workload))
        {
            m_collectiveJobs->PlaceNcclTests(job);
        }
        else if (const auto* perftest = std::get_if<PerftestWorkload>(&workload))
        {
            PlacePerftest(job, *perftest);
        }
        else if (const auto* generated = std::get_if<GeneratedFlowsWorkload>(&workload))
        {
            PlaceGeneratedFlows(job, *generated);
        }
        else
        {
            PlaceFlows(job, std::get<FlowsWorkload>(workload));
        }
    }
}

ScenarioRunner::~ScenarioRunner()
{
    Simulator::Destroy();
}

// ---------------------------------------------------------------- distributed runs

uint32_t
ScenarioRunner::GetServersPerDomain() const
{
    const uint32_t gpus = m_scenario.gpu.scaleUp.domainSize;
    const uint32_t perServer = std::max(1U, GetGpusPerServer(m_scenario.topology));
    return std::max(1U, (gpus + perServer - 1) / perServer);
}

void
ScenarioRunner::RefuseUndivided() const
{
    const OutputConfig& output = m_scenario.output;
    m_run.RefuseDistributed(!m_scenario.faults.empty(), "faults", "a run with faults");
    m_run.RefuseDistributed(!output.pcap.empty(), "output.pcap", "a capture");
    m_run.RefuseDistributed(!output.sample.IsZero(), "output.sample", "a time series");
    m_run.RefuseDistributed(!m_scenario.analysis.sample.IsZero(),
                            "analysis.sample",
                            "a distribution of queues");
    m_run.RefuseDistributed(m_scenario.network.telemetry.dropMirror.has_value(),
                            "network.telemetry.dropMirror",
                            "a collector of drops");
    for (size_t j = 0; j < m_scenario.jobs.size(); ++j)
    {
        const std::string key = "jobs[" + std::to_string(j) + "].workload";
        const auto& workload = m_scenario.jobs[j].workload;
        m_run.RefuseDistributed(std::holds_alternative<PerftestWorkload>(workload),
                                key,
                                "perftest, whose two ends share one application,");
        m_run.RefuseDistributed(std::holds_alternative<GeneratedFlowsWorkload>(workload),
                                key,
                                "generated flows, whose queue pairs are used again as flows end,");
    }
}

// ---------------------------------------------------------------- watching

void
ScenarioRunner::WatchPauses()
{
    if (m_scenario.output.pfc)
    {
        m_pauses = m_run.Folder().Create("pfc.csv");
        m_pauses << "time_us,port,peer,class,state\n";
    }
    if (!m_scenario.output.pfc && !m_scenario.analysis.asked)
    {
        return;
    }
    m_run.ReportPauses([this](const ReportedPort& port,
                              uint32_t trafficClass,
                              bool paused,
                              int64_t at) {
        m_pauseDistribution.Changed(port.name, trafficClass, paused, at);
        if (m_scenario.output.pfc)
        {
            m_pauses << MicrosecondText(at) << ',' << port.name << ',' << port.peer << ','
                     << trafficClass << ',' << (paused ? "paused" : "open") << '\n';
        }
    });
}

void
ScenarioRunner::SampleQueues()
{
    if (m_scenario.analysis.sample.IsZero())
    {
        return;
    }
    m_queueDistribution = std::make_unique<QueueDistribution>(m_scenario.analysis.sample);
    for (const ReportedPort& port : m_run.GetSwitchPorts())
    {
        m_queueDistribution->AddPort(port);
    }
    m_queueDistribution->Start();
}

void
ScenarioRunner::WriteAnalysis(nlohmann::ordered_json& summary)
{
    const AnalysisConfig& analysis = m_scenario.analysis;
    if (!analysis.asked)
    {
        return;
    }
    if (m_flowReport.GetCount() > 0)
    {
        m_fctReport->Finish(m_out);
        summary["slowdown"] = m_fctReport->Summary();
    }
    m_pauseDistribution.Write(m_run.Folder(), analysis.percentiles, NowSteps());
    if (m_queueDistribution)
    {
        m_queueDistribution->Write(m_run.Folder(), analysis.percentiles);
    }
}

// ---------------------------------------------------------------- building

void
ScenarioRunner::ConfigureFabric()
{
    const NetworkConfig& network = m_scenario.network;
    FabricHelper& fabric = m_run.Fabric();
    fabric.SetSeed(m_scenario.seed);
    fabric.SetDeviceAttribute("Preamble", UintegerValue(network.wire.preamble));
    fabric.SetDeviceAttribute("InterFrameGap", UintegerValue(network.wire.interFrameGap));
    ConfigurePfc();
    fabric.SetDeviceAttribute("VlanId", UintegerValue(network.vlan));
    uint32_t largest =
        std::max(MostDataBytes(network), network.wire.controlFrame) +
        MostTelemetryBytes(m_telemetry, m_run.Graph().Count(FabricGraph::Role::SWITCH));
    fabric.SetSwitchAttribute("MaxFrameBytes",
                              UintegerValue(std::max(largest, wire::MIN_FRAME_BYTES)));
    ConfigureBuffer();
    ConfigureRouting();
    ConfigureScheduling();
    ConfigureTelemetry();
    WarnOfReordering();
    WarnOfTrimming();
    TellCoarsePackets();
    const PathSelectionConfig& selection = network.pathSelection;
    fabric.SetPathSelector(GetPathSelectorType(selection.name), selection.sharedSeed);
    for (const AttributeSetting& parameter : selection.parameters)
    {
        fabric.SetPathSelectorAttribute(parameter.name, StringValue(parameter.value));
    }
}

void
ScenarioRunner::ResolveCongestionControl()
{
    const NetworkConfig& network = m_scenario.network;
    const CongestionControlConfig& control = network.congestionControl;
    m_control = GetCongestionPreset(control.name, control.preset, FirstNicRate(m_run.Graph()));
    ApplyAttributes(control.parameters, m_control.ops);
    ApplyAttributes(m_scenario.attributes, m_control.ops);
    const TelemetryFormat needed =
        m_control.ops.Create<RdmaCongestionOps>()->GetFeedback().telemetry;
    const TelemetryFormat asked = TelemetryFormatOf(network.telemetry);
    if (needed != TelemetryFormat::NONE && asked != TelemetryFormat::NONE && asked != needed)
    {
        throw InputError({m_scenario.file, 0, "network.telemetry.int"},
                         "\"" + network.telemetry.intFormat +
                             "\" is not the format that congestion control " + control.name +
                             " needs",
                         "no word about it: the switches write what congestion control needs");
    }
    m_telemetry = asked != TelemetryFormat::NONE ? asked : needed;
}

void
ScenarioRunner::TellSwitchesOfPint()
{
    const FabricNetwork& network = m_run.Network();
    const bool pint =
        m_telemetry == TelemetryFormat::PINT || m_telemetry == TelemetryFormat::PINT_16;
    if (!pint)
    {
        return;
    }
    const MessageReport::Wire& wire = m_run.GetWire();
    const Time longest =
        m_scenario.network.baseRtt
            ? *m_scenario.network.baseRtt
            : TimeStep(static_cast<uint64_t>(BaseRttTable().GetLongestSteps(
                  network.GetHostPorts(),
                  MakeRoundTripFrames(wire.mtu, wire.headers, wire.controlBytes))));
    DoubleValue logBase;
    m_control.ops.Create<RdmaCongestionOps>()->GetAttribute("LogBase", logBase);
    for (const Ptr<FabricSwitch>& fabricSwitch : network.GetSwitches())
    {
        PointerValue stamper;
        fabricSwitch->GetAttribute("IntStamper", stamper);
        TimeValue given;
        stamper.GetObject()->GetAttribute("PintBaseRtt", given);
        if (given.Get().IsZero())
        {
            stamper.GetObject()->SetAttribute("PintBaseRtt", TimeValue(longest));
        }
        stamper.GetObject()->SetAttribute("PintLogBase", logBase);
    }
}

void
ScenarioRunner::ConfigurePfc()
{
    const PfcConfig& pfc = m_scenario.network.pfc;
    FabricHelper& fabric = m_run.Fabric();
    fabric.SetSwitchAttribute("Pfc", BooleanValue(pfc.enabled));
    fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(pfc.classes));
    fabric.SetSwitchAttribute("PauseQuanta", UintegerValue(pfc.quanta));
    if (pfc.global)
    {
        fabric.SetDeviceAttribute("GlobalPause", BooleanValue(true));
    }
    // A NIC asks for pauses of the lossless classes unless the scenario says otherwise.
    uint8_t lossless = pfc.enabled ? pfc.classes : 0;
    fabric.SetHostDeviceAttribute("PfcSendClasses", UintegerValue(pfc.hostsAsk.value_or(lossless)));
    if (pfc.hostsObey)
    {
        fabric.SetHostDeviceAttribute("PfcClasses", UintegerValue(*pfc.hostsObey));
        fabric.SetSwitchAttribute("LossyWithoutPfc", BooleanValue(true));
    }
    if (pfc.watchdog)
    {
        ObjectFactory watchdog("ns3::PfcWatchdog");
        watchdog.Set("DetectionTime", TimeValue(pfc.watchdog->detectionTime));
        watchdog.Set("RestorationTime", TimeValue(pfc.watchdog->restorationTime));
        watchdog.Set("Action", StringValue(pfc.watchdog->action == "drop" ? "Drop" : "Forward"));
        fabric.SetSwitchPart("PfcWatchdog", watchdog);
    }
}

void
ScenarioRunner::ConfigureBuffer()
{
    const BufferConfig& buffer = m_scenario.network.buffer;
    FabricHelper& fabric = m_run.Fabric();
    uint64_t size = DEFAULT_BUFFER_BYTES;
    uint64_t cell = 0;
    if (!buffer.preset.empty())
    {
        SwitchPreset preset = GetSwitchPreset(buffer.preset);
        size = preset.bufferBytes;
        cell = preset.cellBytes;
    }
    fabric.SetBufferAttribute("Size", UintegerValue(buffer.sizeBytes.value_or(size)));
    fabric.SetBufferAttribute("CellSize", UintegerValue(buffer.cellBytes.value_or(cell)));
    fabric.SetBufferAttribute("Alpha", DoubleValue(buffer.alpha.value_or(DEFAULT_BUFFER_ALPHA)));
    auto setBytes = [&fabric](const char* attribute, const std::optional<uint64_t>& bytes) {
        if (bytes)
        {
            fabric.SetBufferAttribute(attribute, UintegerValue(*bytes));
        }
    };
    setBytes("Reserved", buffer.reservedBytes);
    setBytes("HeadroomPool", buffer.headroomPoolBytes);
    setBytes("LossyPool", buffer.lossyPoolBytes);
    setBytes("EgressLosslessPool", buffer.egressLosslessBytes);
    setBytes("EgressLossyPool", buffer.egressLossyBytes);
    fabric.SetBufferAttribute("HeadroomOversubscription",
                              DoubleValue(buffer.headroomOversubscription));
    if (buffer.lossyAlpha)
    {
        fabric.SetBufferAttribute("LossyAlpha", DoubleValue(*buffer.lossyAlpha));
    }
    if (buffer.referenceRate)
    {
        fabric.SetBufferAttribute("ReferenceRate", DataRateValue(*buffer.referenceRate));
    }
    for (const AttributeSetting& parameter : buffer.parameters)
    {
        fabric.SetBufferAttribute(parameter.name, StringValue(parameter.value));
    }
    fabric.SetBufferAttribute("Policy",
                              ObjectFactoryValue(MakePart(GetBufferPolicyType(buffer.policy.name),
                                                          buffer.policy.parameters)));
}

void
ScenarioRunner::ConfigureRouting()
{
    const RoutingConfig& routing = m_scenario.network.routing;
    FabricHelper& fabric = m_run.Fabric();
    if (routing.name == "up-down")
    {
        fabric.SetRoutes(CreateObject<UpDownRoutes>());
    }
    else if (routing.name == "file")
    {
        auto routes = CreateObject<StaticRoutes>();
        routes->SetRoutes(ReadRouteFile(routing.file, m_run.Graph()));
        fabric.SetRoutes(routes);
    }
    fabric.SetRoutingAttribute("ConvergenceTime", TimeValue(routing.convergenceTime));
}

void
ScenarioRunner::ConfigureScheduling()
{
    const SchedulingConfig& scheduling = m_scenario.network.scheduling;
    FabricHelper& fabric = m_run.Fabric();
    auto append = [](std::string& list, const std::string& entry) {
        list += (list.empty() ? "" : ",") + entry;
    };
    std::string shares;
    for (const SchedulingConfig::Share& share : scheduling.shares)
    {
        append(shares, FormatClasses(share.classes) + ":" + std::to_string(share.percent));
    }
    std::string rates;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (scheduling.classRates[c])
        {
            append(rates, std::to_string(c) + ":" + FormatDataRate(*scheduling.classRates[c]));
        }
    }
    if (scheduling.strictClasses)
    {
        fabric.SetDeviceAttribute("StrictClasses", UintegerValue(*scheduling.strictClasses));
    }
    if (!shares.empty())
    {
        fabric.SetDeviceAttribute("EtsShares", StringValue(shares));
    }
    if (scheduling.portRate)
    {
        fabric.SetDeviceAttribute("PortShaper", DataRateValue(*scheduling.portRate));
    }
    if (!rates.empty())
    {
        fabric.SetDeviceAttribute("ClassShaper", StringValue(rates));
    }
}

void
ScenarioRunner::WarnOfReordering()
{
    const NetworkConfig& network = m_scenario.network;
    if (network.reliability == "go-back-n" && PathSelectorReorders(network.pathSelection.name))
    {
        m_out << "warning: with path selection " << network.pathSelection.name
              << " frames overtake each other, and go-back-n takes each for a loss; reliability "
                 "selective-repeat or out-of-order tolerates it"
              << std::endl;
    }
}

void
ScenarioRunner::WarnOfTrimming()
{
    const NetworkConfig& network = m_scenario.network;
    if (network.telemetry.trimming && network.congestionControl.name == "none" &&
        network.windowBytes == 0)
    {
        m_out
            << "warning: with trimming, senders that neither congestion control nor a window holds "
               "back may fill a link with headers alone, so that no data gets through; set "
               "network.window or network.congestionControl"
            << std::endl;
    }
}

void
ScenarioRunner::TellCoarsePackets()
{
    const NetworkConfig& network = m_scenario.network;
    if (network.segmentsPerFrame == 1)
    {
        return;
    }
    m_out << "coarse: a simulated frame stands for up to " << network.segmentsPerFrame
          << " frames of " << network.mtu << " B (network.segmentsPerFrame): queues, pauses, marks "
          << "and losses are as coarse" << std::endl;
    const EcnConfig& ecn = network.ecn.front();
    const uint64_t kmin =
        GetMarkingPreset(network.congestionControl, FirstNicRate(m_run.Graph())).marking->kminBytes;
    const uint64_t marks = ecn.thresholdBytes.value_or(ecn.kminBytes.value_or(kmin));
    if (marks < 2 * uint64_t{MostDataBytes(network)})
    {
        m_out << "warning: ECN marks from " << marks
              << " B on, which are fewer than two such frames" << std::endl;
    }
}

void
ScenarioRunner::ConfigureTelemetry()
{
    const TelemetryConfig& telemetry = m_scenario.network.telemetry;
    if (m_telemetry != TelemetryFormat::NONE)
    {
        m_run.Fabric().SetSwitchPart("IntStamper", ObjectFactory("ns3::IntStamper"));
    }
    const TelemetryFormat asked = TelemetryFormatOf(telemetry);
    if (asked != TelemetryFormat::NONE)
    {
        m_run.Rdma().SetQueuePairAttribute("CollectTelemetry", EnumValue(static_cast<int>(asked)));
    }
    FabricHelper& fabric = m_run.Fabric();
    if (telemetry.trimming)
    {
        fabric.SetSwitchPart("FrameTrimmer", MakePart("ns3::FrameTrimmer", *telemetry.trimming));
    }
    if (telemetry.dropMirror)
    {
        fabric.SetSwitchPart("DropMirror",
                             MakePart("ns3::DropMirror", telemetry.dropMirror->parameters));
    }
}

void
ScenarioRunner::ConfigureRdma()
{
    const NetworkConfig& network = m_scenario.network;
    RdmaHelper& rdma = m_run.Rdma();
    rdma.SetQueuePairAttribute("Mtu", UintegerValue(network.mtu));
    rdma.SetQueuePairAttribute("SegmentsPerFrame", UintegerValue(network.segmentsPerFrame));
    rdma.SetQueuePairAttribute("AckInterval", UintegerValue(network.ackInterval));
    rdma.SetQueuePairAttribute("Timeout", UintegerValue(network.timeout));
    rdma.SetQueuePairAttribute("RetryCount", UintegerValue(network.retryCount));
    rdma.SetQueuePairAttribute("RetryForever", BooleanValue(network.retryForever));
    rdma.SetQueuePairAttribute("Window", UintegerValue(network.windowBytes));
    rdma.SetQueuePairAttribute("Ipv6", BooleanValue(network.ipVersion == 6));
    rdma.SetReliability(ReliabilityOf(network.reliability).GetName());
    rdma.SetNicAttribute("DataOverhead", UintegerValue(network.wire.dataOverhead));
    rdma.SetNicAttribute("ControlFrameBytes", UintegerValue(network.wire.controlFrame));

    const CongestionControlConfig& control = network.congestionControl;
    rdma.SetCongestionControl(m_control.ops);
    rdma.SetQueuePairAttribute("CongestionScope",
                               EnumValue(control.scope == "destination" ? QueuePair::PER_DESTINATION
                                                                        : QueuePair::PER_PAIR));
    if (network.baseRtt)
    {
        rdma.SetQueuePairAttribute("BaseRtt", TimeValue(*network.baseRtt));
    }
    if (network.cnpInterval || m_control.marking)
    {
        rdma.SetNicAttribute(
            "CnpInterval",
            TimeValue(network.cnpInterval ? *network.cnpInterval : m_control.marking->cnpInterval));
    }
    rdma.SetNicAttribute("TimestampResolution", TimeValue(network.timestampResolution));

    ObjectFactory hostInterface;
    ApplyNicPreset(network.nic, hostInterface); // the reader knows that there is one of this name
    for (const AttributeSetting& setting : m_scenario.attributes)
    {
        if (setting.type == RdmaHostInterface::GetTypeId().GetName())
        {
            hostInterface.SetTypeId(setting.type); // an ideal NIC with a cost is not ideal
        }
    }
    if (hostInterface.IsTypeIdSet())
    {
        ApplyAttributes(m_scenario.attributes, hostInterface);
    }
    rdma.SetHostInterface(hostInterface);
}

void
ScenarioRunner::ConfigureEcn()
{
    const NetworkConfig& network = m_scenario.network;
    bool asked = std::any_of(network.ecn.begin(), network.ecn.end(), [](const EcnConfig& ecn) {
        return ecn.marker != "red" || ecn.kminBytes || ecn.kmaxBytes || ecn.pmax;
    });
    const CongestionControlConfig& control = network.congestionControl;
    if (!m_control.marking && !asked)
    {
        return; // nobody would react
    }
    bool presetMarksAtDequeue =
        GetMarkingPreset(control, FirstNicRate(m_run.Graph())).marking->markAtDequeue;
    if (network.markAt.empty() ? presetMarksAtDequeue : network.markAt == "dequeue")
    {
        m_run.Fabric().SetSwitchAttribute("MarkingPoint", EnumValue(FabricSwitch::MARK_AT_DEQUEUE));
    }
    for (const EcnConfig& ecn : network.ecn)
    {
        uint8_t classes = ecn.classes.value_or(network.pfc.classes);
        m_run.Fabric().SetEcnMarker(classes, [ecn, control](DataRate rate) {
            return MakeMarker(ecn, control, rate);
        });
    }
}

void
ScenarioRunner::ApplyAttributeSettings()
{
    for (const AttributeSetting& setting : m_scenario.communication)
    {
        Config::SetDefault(setting.type + "::" + setting.name, StringValue(setting.value));
    }
    // As defaults they reach what is made without a word about them, on the helpers what is not.
    for (const AttributeSetting& setting : m_scenario.attributes)
    {
        StringValue value(setting.value);
        Config::SetDefault(setting.type + "::" + setting.name, value);
        if (setting.type == FabricNetDevice::GetTypeId().GetName())
        {
            m_run.Fabric().SetDeviceAttribute(setting.name, value);
            m_run.Fabric().SetHostDeviceAttribute(setting.name, value);
        }
        else if (setting.type == FabricSwitch::GetTypeId().GetName())
        {
            m_run.Fabric().SetSwitchAttribute(setting.name, value);
        }
        else if (setting.type == SharedBuffer::GetTypeId().GetName())
        {
            m_run.Fabric().SetBufferAttribute(setting.name, value);
        }
        else if (setting.type == RdmaNic::GetTypeId().GetName())
        {
            m_run.Rdma().SetNicAttribute(setting.name, value);
        }
        else if (setting.type == QueuePair::GetTypeId().GetName())
        {
            m_run.Rdma().SetQueuePairAttribute(setting.name, value);
        }
    }
}

void
ScenarioRunner::CollectMirroredDrops()
{
    if (!m_scenario.network.telemetry.dropMirror)
    {
        return;
    }
    const auto& vertices = m_run.Graph().GetVertices();
    uint32_t host = 0; // the reader knows that there is one of this name
    while (vertices[host].name != m_scenario.network.telemetry.dropMirror->collector)
    {
        ++host;
    }
    Ptr<FabricNetDevice> port = m_run.Network().ports[host].front();
    UintegerValue udpPort;
    for (const Ptr<FabricSwitch>& fabricSwitch : m_run.Network().GetSwitches())
    {
        PointerValue mirror;
        fabricSwitch->GetAttribute("DropMirror", mirror);
        mirror.GetObject()->SetAttribute("Collector", Ipv4AddressValue(port->GetIpv4Address()));
        mirror.GetObject()->GetAttribute("UdpPort", udpPort);
    }
    m_mirrored = m_run.Folder().Create("mirror.csv");
    m_mirrored << "time_us,switch,ingress,egress,class,reason,bytes,unreported\n";
    m_collector = CreateObject<DropMirrorCollector>();
    m_collector->SetAttribute("UdpPort", udpPort);
    m_collector->TraceConnectWithoutContext("Report",
                                            MakeCallback(&ScenarioRunner::DropMirrored, this));
    m_collector->Attach(port);
}

void
ScenarioRunner::DropMirrored(const DropMirrorHeader& header, Ptr<const Packet>)
{
    constexpr int64_t PS_PER_NS = 1000;
    uint32_t vertex = 0;
    while (m_run.Network().nodes.Get(vertex)->GetId() != header.switchId)
    {
        ++vertex;
    }
    m_mirrored << MicrosecondText(static_cast<int64_t>(header.nanoseconds) * PS_PER_NS) << ','
               << m_run.Graph().GetVertices()[vertex].name << ',' << header.ingressPort << ',';
    if (header.egressPort != FabricSwitch::NO_PORT)
    {
        m_mirrored << header.egressPort;
    }
    m_mirrored << ',' << +header.trafficClass << ','
               << ToString(static_cast<DropReason>(header.reason)) << ',' << header.frameBytes
               << ',' << header.suppressed << '\n';
}

void
ScenarioRunner::InstallGpus()
{
    bool collectives =
        std::any_of(m_scenario.jobs.begin(), m_scenario.jobs.end(), [](const auto& job) {
            return std::holds_alternative<CollectiveWorkload>(job.workload) ||
                   std::holds_alternative<NcclTestsWorkload>(job.workload);
        });
    if (!collectives)
    {
        return; // flows run between NICs
    }
    GpuClusterHelper gpus;
    GpuPreset preset = *FindGpuPreset(m_scenario.gpu.model);
    preset.scaleUpRate = m_scenario.gpu.scaleUpRate.value_or(preset.scaleUpRate);
    preset.hbmBandwidth = m_scenario.gpu.hbmBandwidth.value_or(preset.hbmBandwidth);
    gpus.SetPreset(preset);
    uint32_t perServer = GetGpusPerServer(m_scenario.topology);
    gpus.SetGpusPerServer(perServer);
    Apply(m_scenario.gpu.scaleUp, gpus);
    for (const AttributeSetting& setting : m_scenario.attributes)
    {
        if (setting.type == GpuEndpoint::GetTypeId().GetName())
        {
            gpus.SetGpuAttribute(setting.name, StringValue(setting.value));
        }
        else if (setting.type == ScaleUpPort::GetTypeId().GetName())
        {
            gpus.SetScaleUpPortAttribute(setting.name, StringValue(setting.value));
        }
    }
    std::string error;
    m_cluster = gpus.Install(m_run.Network(), error);
    if (!error.empty())
    {
        throw InputError({m_scenario.file, 0, "gpu"}, error);
    }
    InstallPcie();
    for (const ScaleUpDomain& domain : m_cluster.domains)
    {
        for (const ScaleUpLink& link : domain.links)
        {
            m_run.AddReportedPort({link.name, link.peer, link.device});
        }
    }
}

void
ScenarioRunner::InstallPcie()
{
    if (m_scenario.gpu.pcie == "none")
    {
        return;
    }
    std::map<uint32_t, std::vector<Ptr<GpuEndpoint>>> servers; // by node
    for (const Ptr<GpuEndpoint>& gpu : m_cluster.gpus)
    {
        servers[gpu->GetNode()->GetId()].push_back(gpu);
    }
    for (const auto& [id, gpus] : servers)
    {
        std::set<uint32_t> nics; // by interface
        for (const Ptr<GpuEndpoint>& gpu : gpus)
        {
            for (const GpuNicPort& port : gpu->GetNicPorts())
            {
                nics.insert(port.device->GetIfIndex());
            }
        }
        std::string error;
        Ptr<PcieTree> tree = MakePcieTree(m_scenario.gpu.pcie,
                                          static_cast<uint32_t>(gpus.size()),
                                          static_cast<uint32_t>(nics.size()),
                                          error);
        if (!tree)
        {
            throw InputError({m_scenario.file, 0, "gpu.pcie"}, error);
        }
        gpus.front()->GetNode()->AggregateObject(tree);
    }
}

void
ScenarioRunner::RequireGpusOfFaults() const
{
    for (size_t f = 0; f < m_scenario.faults.size(); ++f)
    {
        const FaultConfig& fault = m_scenario.faults[f];
        if (fault.kind == FaultConfig::Kind::SLOW_GPU && fault.gpu >= m_cluster.gpus.size())
        {
            throw InputError({m_scenario.file, 0, "faults[" + std::to_string(f) + "].gpu"},
                             std::to_string(fault.gpu),
                             m_cluster.gpus.empty()
                                 ? "a scenario with GPUs: no job of this one has a collective"
                                 : "0 to " + std::to_string(m_cluster.gpus.size() - 1));
        }
    }
}

// ---------------------------------------------------------------- flows

void
ScenarioRunner::PlaceFlows(uint32_t job, const FlowsWorkload& workload)
{
    RankPorts ranks(m_run.Graph(), GetGpusPerServer(m_scenario.topology));
    const JobConfig& config = m_scenario.jobs[job];
    for (size_t f = 0; f < workload.flows.size(); ++f)
    {
        const FlowConfig& flow = workload.flows[f];
        auto make = [&](const RankPorts::Port& port) {
            Ptr<QueuePair> qp = m_run.CreateQueuePair(port.vertex, port.index);
            qp->SetAttribute("TrafficClass", UintegerValue(flow.trafficClass));
            qp->SetJob(job);
            return qp;
        };
        const auto [from, to] = ranks.Next(flow.source, flow.destination);
        m_run.RequireRoute(m_run.Network().ports[from.vertex][from.index],
                           m_run.Network().ports[to.vertex][to.index],
                           {m_scenario.file, 0, "jobs[" + std::to_string(job) + "].workload"});
        Ptr<QueuePair> sender = make(from);
        QueuePair::Connect(sender, make(to));
        m_run.PlaceFlow(sender,
                        m_flows.size(),
                        flow.bytes,
                        config.start + flow.start,
                        MakeCallback(&ScenarioRunner::FlowEnded, this));
        m_flows.push_back({config.name, sender->GetLocalAddress(), sender->GetRemoteAddress()});
        m_bytesPlaced += static_cast<double>(flow.bytes);
    }
}

void
ScenarioRunner::FlowEnded(const FlowRecord& record)
{
    const PlacedFlow& flow = m_flows[record.flowId];
    ReportFlow(record, flow, flow.job);
}

void
ScenarioRunner::ReportFlow(const FlowRecord& record,
                           const PlacedFlow& flow,
                           const std::string& group)
{
    const int64_t ideal = m_run.IdealSteps(flow.source, flow.destination, record.bytes);
    m_flowReport.Add(record, ideal);
    m_fctReport->Add({record,
                      flow.job,
                      group,
                      m_run.NameOfAddress(flow.source),
                      m_run.NameOfAddress(flow.destination),
                      ideal});
    m_bytesDone += static_cast<double>(record.bytes);
    m_run.WorkEnded(record.status == WcStatus::SUCCESS
                        ? ""
                        : m_run.DescribeFlow(flow.job, flow.source, flow.destination) + ": " +
                              ToString(record.status));
}

// ---------------------------------------------------------------- generated flows

FlowGeneratorParameters
ScenarioRunner::MakeGeneratorParameters(const GeneratedFlowsWorkload& workload,
                                        const RankPorts& ranks) const
{
    FlowGeneratorParameters parameters;
    parameters.sizes = workload.sizes;
    parameters.load = workload.load;
    for (uint32_t rank = 0; rank < ranks.GetCount(); ++rank)
    {
        uint64_t rate = 0;
        for (const RankPorts::Port& port : ranks.GetPorts(rank))
        {
            rate += m_run.Network().ports[port.vertex][port.index]->GetDataRate().GetBitRate();
        }
        parameters.hostRateBps.push_back(rate);
    }
    parameters.matrix = workload.weights.empty()
                            ? TrafficMatrix(MatrixKindOf(workload.matrix), ranks.GetCount())
                            : TrafficMatrix(workload.weights);
    if (workload.headersCount)
    {
        const MessageReport::Wire& wire = m_run.GetWire();
        const WireConfig& link = m_scenario.network.wire;
        const uint64_t twoFrames = 2 * uint64_t{wire.mtu};
        const FrameTrain train =
            MakeFrameTrain(RdmaOperation::WRITE, twoFrames, wire.mtu, wire.headers);
        parameters.overhead.mtu = wire.mtu;
        parameters.overhead.frameBytes = static_cast<uint32_t>(train.middleBytes - wire.mtu) +
                                         link.preamble + link.interFrameGap;
        parameters.overhead.flowBytes = static_cast<uint32_t>(train.firstBytes - train.middleBytes);
    }
    if (workload.arrivals == "on-off")
    {
        parameters.onOff = workload.onOff;
    }
    parameters.incast = workload.incast;
    parameters.duration = workload.duration;
    parameters.flows = workload.count;
    return parameters;
}

void
ScenarioRunner::PlaceGeneratedFlows(uint32_t job, const GeneratedFlowsWorkload& workload)
{
    const InputPlace place{m_scenario.file, 0, "jobs[" + std::to_string(job) + "].workload"};
    if (!m_run.IsWhole())
    {
        throw InputError(place,
                         "generated flows need a fabric in which all hosts reach each other");
    }
    const RankPorts ranks(m_run.Graph(), GetGpusPerServer(m_scenario.topology));
    const FlowGeneratorParameters parameters = MakeGeneratorParameters(workload, ranks);
    const std::string error = FlowGenerator::Check(parameters);
    if (!error.empty())
    {
        throw InputError(place, error);
    }
    FlowGenerator generator(parameters);
    generator.AssignStreams(FIRST_FLOW_STREAM + STREAMS_PER_JOB * int64_t{job});
    FlowLauncher::Settings settings;
    settings.job = job;
    settings.trafficClass = workload.trafficClass;
    settings.start = m_scenario.jobs[job].start;
    settings.baseRtt = m_scenario.network.baseRtt.value_or(Time(0));
    m_bytesPlaced += ExpectedBytes(parameters);
    m_launchers.push_back(std::make_unique<FlowLauncher>(
        m_run,
        ranks,
        generator,
        settings,
        [this]() { return m_flows.size() + m_generatedFlows++; },
        [this, job](const FlowLauncher::Ended& flow) { GeneratedFlowEnded(job, flow); }));
    m_launchers.back()->Start();
}

void
ScenarioRunner::GeneratedFlowEnded(uint32_t job, const FlowLauncher::Ended& flow)
{
    const std::string& name = m_scenario.jobs[job].name;
    ReportFlow(flow.record,
               {name, flow.source, flow.destination},
               flow.incast ? name + " incast" : name);
}

// ---------------------------------------------------------------- perftest

void
ScenarioRunner::PlacePerftest(uint32_t job, const PerftestWorkload& workload)
{
    RankPorts ranks(m_run.Graph(), GetGpusPerServer(m_scenario.topology));
    const auto [from, to] = ranks.Next(workload.client, workload.server);
    const Ptr<FabricNetDevice> client = m_run.Network().ports[from.vertex][from.index];
    const Ptr<FabricNetDevice> server = m_run.Network().ports[to.vertex][to.index];
    m_run.RequireRoute(client,
                       server,
                       {m_scenario.file, 0, "jobs[" + std::to_string(job) + "].workload"});
    auto test = CreateObject<PerftestApplication>();
    test->Set(workload.config, client, server);
    test->SetJob(job);
    test->SetStartTime(m_scenario.jobs[job].start);
    client->GetNode()->AddApplication(test);
    test->TraceConnectWithoutContext(
        "Result",
        Callback<void, const PerftestResult&>(
            [this, job, test = PeekPointer(test)](const PerftestResult& result) {
                PerftestMeasured(job, test, result);
            }));
    for (uint64_t bytes : test->GetConfig().sizes)
    {
        m_bytesPlaced += static_cast<double>(bytes);
    }
    if (!m_perftests.is_open())
    {
        m_perftests = m_run.Folder().Create("perftest.csv");
        WritePerftestCsvHeader(m_perftests);
    }
    m_run.WorkPlaced(m_scenario.jobs[job].start);
}

void
ScenarioRunner::PerftestMeasured(uint32_t job,
                                 Ptr<PerftestApplication> test,
                                 const PerftestResult& result)
{
    const std::string& name = m_scenario.jobs[job].name;
    std::ostringstream& table = m_perftestTables[job];
    if (test->GetResults().size() == 1)
    {
        PrintPerftestHeader(table, test->GetConfig(), m_scenario.network.mtu);
    }
    PrintPerftestRow(table, result);
    WritePerftestCsv(m_perftests, name, test->GetConfig(), result);
    m_perftestRows->push_back(PerftestSummary(name, test->GetConfig(), result));
    m_bytesDone += static_cast<double>(result.bytes);
    if (test->IsDone())
    {
        PrintPerftestEnd(table);
        m_run.ClearProgress();
        m_out << table.str();
        m_run.WorkEnded(result.error.empty() ? "" : name + ": " + result.error);
    }
}

// ---------------------------------------------------------------- running

std::pair<std::string, std::string>
ScenarioRunner::JobOf(const MessageRecord& record) const
{
    return {m_scenario.jobs[record.job].name, m_collectiveJobs->GetCollective(record.job)};
}

double
ScenarioRunner::ShareDone() const
{
    // Of generated flows the sum is known only on average.
    const double placed = m_bytesPlaced + m_collectiveJobs->GetBytesPlaced();
    const double done = m_bytesDone + m_collectiveJobs->GetBytesDone();
    return placed > 0 ? std::min(1.0, done / placed) : 0;
}

int
ScenarioRunner::Run()
{
    FabricRun::Outcome outcome = m_run.Simulate([this]() { return ShareDone(); }, m_scenario.stop);
    m_run.ClearProgress();
    if (m_flowReport.GetCount() > 0)
    {
        m_flowReport.Print(m_out);
    }
    nlohmann::ordered_json summary;
    summary["name"] = m_scenario.name;
    if (m_scenario.network.segmentsPerFrame > 1)
    {
        summary["coarse_segments_per_frame"] = m_scenario.network.segmentsPerFrame;
    }
    m_collectiveJobs->AddSummary(summary);
    summary["flows"] = m_flowReport.Summary();
    WriteAnalysis(summary);
    if (!m_perftestRows->empty())
    {
        summary["perftests"] = *m_perftestRows;
    }
    m_run.SetLinksWanted(m_scenario.output.links);
    m_run.SetReportWanted(m_scenario.output.report);
    return m_run.Report(outcome, summary, ResolvedJson(m_scenario), m_scenario.seed, m_out);
}

} // namespace ns3
