// SPDX-License-Identifier: GPL-2.0-only
#include "scenario-runner.h"

#include "ns3/boolean.h"
#include "ns3/collective-report.h"
#include "ns3/config.h"
#include "ns3/dcqcn-presets.h"
#include "ns3/double.h"
#include "ns3/ecmp-path-selector.h"
#include "ns3/enum.h"
#include "ns3/go-back-n.h"
#include "ns3/input-error.h"
#include "ns3/line-rate-congestion-ops.h"
#include "ns3/nic-presets.h"
#include "ns3/node.h"
#include "ns3/out-of-order-placement.h"
#include "ns3/perftest-report.h"
#include "ns3/ring-algorithm.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/selective-repeat.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

/// @param name one of GetScenarioNames("reliabilities") @return its RdmaReliability
TypeId
ReliabilityOf(const std::string& name)
{
    return name == "selective-repeat" ? SelectiveRepeat::GetTypeId()
           : name == "out-of-order"   ? OutOfOrderPlacement::GetTypeId()
                                      : GoBackN::GetTypeId();
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
      m_collectiveJobOf(scenario.jobs.size(), -1),
      m_collectiveRows(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::array())),
      m_perftestRows(std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::array()))
{
    RngSeedManager::SetSeed(m_scenario.seed);
    ConfigureFabric();
    ConfigureRdma(FirstNicRate(m_run.Graph()));
    ConfigureEcn();
    ApplyAttributeSettings();
    m_run.Build();
    InstallGpus();
    m_run.CapturePorts(m_scenario.output.pcap);
    if (m_scenario.output.pfc)
    {
        m_pauses = m_run.Folder().Create("pfc.csv");
        m_pauses << "time_us,port,peer,class,state\n";
        m_run.ReportPauses([this](const ReportedPort& port, uint32_t trafficClass, bool paused) {
            m_pauses << MicrosecondText(NowSteps()) << ',' << port.name << ',' << port.peer << ','
                     << trafficClass << ',' << (paused ? "paused" : "open") << '\n';
        });
    }
    if (m_scenario.output.messages)
    {
        m_run.ReportMessages([this](const MessageRecord& record) { return JobOf(record); });
    }
    for (uint32_t job = 0; job < m_scenario.jobs.size(); ++job)
    {
        const auto& workload = m_scenario.jobs[job].workload;
        if (const auto* collective = std::get_if<CollectiveWorkload>(&workload))
        {
            PlaceCollectives(job, *collective);
        }
        else if (const auto* perftest = std::get_if<PerftestWorkload>(&workload))
        {
            PlacePerftest(job, *perftest);
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

// ---------------------------------------------------------------- building

void
ScenarioRunner::ConfigureFabric()
{
    const NetworkConfig& network = m_scenario.network;
    FabricHelper& fabric = m_run.Fabric();
    fabric.SetSeed(m_scenario.seed);
    fabric.SetDeviceAttribute("Preamble", UintegerValue(network.wire.preamble));
    fabric.SetDeviceAttribute("InterFrameGap", UintegerValue(network.wire.interFrameGap));
    fabric.SetSwitchAttribute("Pfc", BooleanValue(network.pfc));
    fabric.SetDeviceAttribute("VlanId", UintegerValue(network.vlan));
    uint32_t largest =
        std::max((network.mtu + 3) / 4 * 4 + MostHeaderBytes(network), network.wire.controlFrame);
    fabric.SetSwitchAttribute("MaxFrameBytes",
                              UintegerValue(std::max(largest, wire::MIN_FRAME_BYTES)));
    fabric.SetBufferAttribute("Size", UintegerValue(network.bufferBytes));
    fabric.SetBufferAttribute("Alpha", DoubleValue(network.bufferAlpha));
    fabric.SetPathSelector(EcmpPathSelector::GetTypeId().GetName());
}

void
ScenarioRunner::ConfigureRdma(DataRate nicRate)
{
    const NetworkConfig& network = m_scenario.network;
    RdmaHelper& rdma = m_run.Rdma();
    rdma.SetQueuePairAttribute("Mtu", UintegerValue(network.mtu));
    rdma.SetQueuePairAttribute("AckInterval", UintegerValue(network.ackInterval));
    rdma.SetQueuePairAttribute("Timeout", UintegerValue(network.timeout));
    rdma.SetQueuePairAttribute("RetryCount", UintegerValue(network.retryCount));
    rdma.SetQueuePairAttribute("Window", UintegerValue(network.windowBytes));
    rdma.SetQueuePairAttribute("Ipv6", BooleanValue(network.ipVersion == 6));
    rdma.SetReliability(ReliabilityOf(network.reliability).GetName());
    rdma.SetNicAttribute("DataOverhead", UintegerValue(network.wire.dataOverhead));
    rdma.SetNicAttribute("ControlFrameBytes", UintegerValue(network.wire.controlFrame));

    ObjectFactory reaction;
    reaction.SetTypeId(LineRateCongestionOps::GetTypeId());
    if (network.congestionControl.name == "dcqcn")
    {
        DcqcnPreset preset = GetDcqcnPreset(network.congestionControl.preset, nicRate);
        reaction = preset.reaction;
        rdma.SetNicAttribute("CnpInterval",
                             TimeValue(network.cnpInterval.value_or(preset.cnpInterval)));
    }
    else if (network.cnpInterval)
    {
        rdma.SetNicAttribute("CnpInterval", TimeValue(*network.cnpInterval));
    }
    ApplyAttributes(network.congestionControl.parameters, reaction);
    ApplyAttributes(m_scenario.attributes, reaction);
    rdma.SetCongestionControl(reaction);

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
    EcnConfig ecn = network.ecn;
    bool asked = ecn.kminBytes || ecn.kmaxBytes || ecn.pmax;
    if (network.congestionControl.name == "none" && !asked)
    {
        return; // nobody would react
    }
    std::string preset = network.congestionControl.preset;
    if (GetDcqcnPreset(preset, DataRate("400Gbps")).markAtDequeue)
    {
        m_run.Fabric().SetSwitchAttribute("MarkingPoint", EnumValue(FabricSwitch::MARK_AT_DEQUEUE));
    }
    m_run.Fabric().SetEcn([ecn, preset](DataRate rate) {
        DcqcnPreset defaults = GetDcqcnPreset(preset, rate);
        return EcnThresholds{ecn.kminBytes.value_or(defaults.kminBytes),
                             ecn.kmaxBytes.value_or(defaults.kmaxBytes),
                             ecn.pmax.value_or(defaults.pmax)};
    });
}

void
ScenarioRunner::ApplyAttributeSettings()
{
    // As defaults they reach what is made without a word about them, on the helpers what is not.
    for (const AttributeSetting& setting : m_scenario.attributes)
    {
        StringValue value(setting.value);
        Config::SetDefault(setting.type + "::" + setting.name, value);
        if (setting.type == FabricNetDevice::GetTypeId().GetName())
        {
            m_run.Fabric().SetDeviceAttribute(setting.name, value);
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
ScenarioRunner::InstallGpus()
{
    bool collectives =
        std::any_of(m_scenario.jobs.begin(), m_scenario.jobs.end(), [](const auto& job) {
            return std::holds_alternative<CollectiveWorkload>(job.workload);
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
    gpus.SetScaleUp(perServer > 1);
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
    for (size_t d = 0; d < m_cluster.domains.size(); ++d)
    {
        const ScaleUpDomain& domain = m_cluster.domains[d];
        std::string server = "server" + std::to_string(d);
        for (size_t g = 0; g < domain.gpuPorts.size(); ++g)
        {
            std::string gpu = server + "/gpu" + std::to_string(g);
            std::string nvswitch = server + "/scale-up:" + std::to_string(g);
            m_run.AddReportedPort({gpu, nvswitch, domain.gpuPorts[g]});
            m_run.AddReportedPort({nvswitch, gpu, domain.gpuPorts[g]->GetPeer()});
        }
    }
}

// ---------------------------------------------------------------- collectives

void
ScenarioRunner::PlaceCollectives(uint32_t job, const CollectiveWorkload& workload)
{
    const JobConfig& config = m_scenario.jobs[job];
    std::vector<Ptr<GpuEndpoint>> gpus;
    for (uint32_t rank : config.ranks)
    {
        gpus.push_back(m_cluster.gpus.at(rank));
    }
    auto communicator = CreateObject<Communicator>();
    communicator->SetRanks(config.name, gpus);
    communicator->SetJob(job);

    CollectiveJob work;
    work.config = &config;
    work.workload = &workload;
    work.executor = CreateObject<CollectiveExecutor>();
    work.executor->SetCommunicator(communicator);
    Ptr<RingAlgorithm> ring = CreateObject<RingAlgorithm>(); // "auto" has no other choice yet
    if (workload.channels > 0)
    {
        ring->SetAttribute("Channels", UintegerValue(workload.channels));
    }
    if (workload.chunkBytes > 0)
    {
        ring->SetAttribute("ChunkSize", UintegerValue(workload.chunkBytes));
    }
    work.algorithm = ring;
    ParseCollectiveOperation(workload.op, work.operation);
    work.typeBytes = GetElementBytes(workload.dataType);
    for (uint64_t size : workload.sizes)
    {
        m_bytesPlaced += static_cast<double>(size) * workload.iterations;
        CollectiveRequest request{work.operation, size / work.typeBytes, work.typeBytes};
        std::string objection = ring->Check(request, communicator->GetLayout());
        if (!objection.empty())
        {
            throw InputError({m_scenario.file, 0, "jobs[" + std::to_string(job) + "].workload"},
                             objection);
        }
    }

    if (m_collectiveJobs.empty())
    {
        m_collectives = m_run.Folder().Create("collectives.csv");
        WriteCollectiveCsvHeader(m_collectives);
    }
    auto index = static_cast<uint32_t>(m_collectiveJobs.size());
    m_collectiveJobOf[job] = static_cast<int32_t>(index);
    m_collectiveJobs.push_back(work);
    Ptr<CollectiveExecutor> executor = work.executor;
    m_run.DescribeBlockedBy([executor]() { return executor->DescribeBlocked(); });
    m_run.WorkPlaced(config.start);
    Simulator::Schedule(config.start, &ScenarioRunner::LaunchNext, this, index);
}

void
ScenarioRunner::LaunchNext(uint32_t index)
{
    CollectiveJob& job = m_collectiveJobs[index];
    if (job.next == 0)
    {
        m_run.ClearProgress();
        PrintCollectiveTableHeader(m_out,
                                   job.config->name + ": " + job.workload->op + ", " +
                                       std::to_string(job.config->ranks.size()) + " ranks, " +
                                       job.algorithm->GetName());
    }
    uint64_t size = job.workload->sizes[job.next / job.workload->iterations];
    CollectiveRequest request{job.operation, size / job.typeBytes, job.typeBytes};
    job.executor->Launch(request, job.algorithm, [this, index](const CollectiveRecord& record) {
        CollectiveEnded(index, record);
    });
}

void
ScenarioRunner::CollectiveEnded(uint32_t index, const CollectiveRecord& record)
{
    CollectiveJob& job = m_collectiveJobs[index];
    m_run.ClearProgress();
    PrintCollectiveTableRow(m_out, record, job.workload->dataType);
    WriteCollectiveCsv(m_collectives, job.config->name, record);
    m_collectiveRows->push_back(CollectiveSummary(job.config->name, record));
    m_bytesDone += static_cast<double>(record.request.GetBytes());
    ++job.next;
    bool last = job.next == job.workload->sizes.size() * job.workload->iterations;
    if (last || !record.error.empty())
    {
        m_run.WorkEnded(record.error.empty() ? "" : job.config->name + ": " + record.error);
    }
    else
    {
        // In an event of its own: the one that ends a collective is still inside its stream.
        Simulator::ScheduleNow(&ScenarioRunner::LaunchNext, this, index);
    }
}

// ---------------------------------------------------------------- flows

void
ScenarioRunner::PlaceFlows(uint32_t job, const FlowsWorkload& workload)
{
    uint32_t perServer = GetGpusPerServer(m_scenario.topology);
    std::vector<uint32_t> hosts; // the vertices that are hosts
    for (uint32_t v = 0; v < m_run.Graph().GetVertices().size(); ++v)
    {
        if (m_run.Graph().GetVertices()[v].role == FabricGraph::Role::HOST)
        {
            hosts.push_back(v);
        }
    }
    const JobConfig& config = m_scenario.jobs[job];
    for (size_t f = 0; f < workload.flows.size(); ++f)
    {
        const FlowConfig& flow = workload.flows[f];
        auto make = [&](uint32_t rank) {
            Ptr<QueuePair> qp = m_run.CreateQueuePair(hosts.at(rank / perServer), rank % perServer);
            qp->SetAttribute("TrafficClass", UintegerValue(flow.trafficClass));
            qp->SetJob(job);
            return qp;
        };
        Ptr<QueuePair> sender = make(flow.source);
        QueuePair::Connect(sender, make(flow.destination));
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
    m_flowReport.Add(record, m_run.IdealSteps(flow.source, flow.destination, record.bytes));
    m_bytesDone += static_cast<double>(record.bytes);
    m_run.WorkEnded(record.status == WcStatus::SUCCESS
                        ? ""
                        : m_run.DescribeFlow(flow.job, flow.source, flow.destination) + ": " +
                              ToString(record.status));
}

// ---------------------------------------------------------------- perftest

void
ScenarioRunner::PlacePerftest(uint32_t job, const PerftestWorkload& workload)
{
    uint32_t perServer = GetGpusPerServer(m_scenario.topology);
    std::vector<std::vector<Ptr<FabricNetDevice>>> hosts;
    for (uint32_t v = 0; v < m_run.Graph().GetVertices().size(); ++v)
    {
        if (m_run.Graph().GetVertices()[v].role == FabricGraph::Role::HOST)
        {
            hosts.push_back(m_run.Network().ports[v]);
        }
    }
    auto portOf = [&](uint32_t rank) { return hosts.at(rank / perServer).at(rank % perServer); };
    auto test = CreateObject<PerftestApplication>();
    test->Set(workload.config, portOf(workload.client), portOf(workload.server));
    test->SetJob(job);
    test->SetStartTime(m_scenario.jobs[job].start);
    portOf(workload.client)->GetNode()->AddApplication(test);
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
    int32_t index = m_collectiveJobOf[record.job];
    return {m_scenario.jobs[record.job].name,
            index < 0 ? "" : std::to_string(m_collectiveJobs[index].next)};
}

double
ScenarioRunner::ShareDone() const
{
    return m_bytesPlaced > 0 ? m_bytesDone / m_bytesPlaced : 0;
}

int
ScenarioRunner::Run()
{
    FabricRun::Outcome outcome = m_run.Simulate([this]() { return ShareDone(); });
    m_run.ClearProgress();
    if (m_flowReport.GetCount() > 0)
    {
        m_flowReport.Print(m_out);
    }
    nlohmann::ordered_json summary;
    summary["name"] = m_scenario.name;
    summary["collectives"] = *m_collectiveRows;
    summary["flows"] = m_flowReport.Summary();
    if (!m_perftestRows->empty())
    {
        summary["perftests"] = *m_perftestRows;
    }
    m_run.SetLinksWanted(m_scenario.output.links);
    return m_run.Report(outcome, summary, ResolvedJson(m_scenario), m_scenario.seed, m_out);
}

} // namespace ns3
