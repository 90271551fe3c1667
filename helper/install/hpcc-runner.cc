// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-runner.h"

#include "hpcc-congestion-control.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-results.h"
#include "ns3/input-error.h"
#include "ns3/int-header.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uint128.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

constexpr uint16_t FIRST_SOURCE_PORT = 10000;
constexpr uint64_t XON_OFFSET_BYTES = 3 * 1024; // the family's resume offset

/// A shortest path as the family measures it for its windows.
struct PathFigures
{
    bool reached{false};
    int64_t delay{0};          ///< one way, time steps
    int64_t store{0};          ///< a full payload's serialization on every link, time steps
    uint64_t rate{UINT64_MAX}; ///< of the slowest link, bits a second
};

/// Round trip of a path, time steps: 2 x delay + store.
int64_t
RoundTripSteps(const PathFigures& path)
{
    return 2 * path.delay + path.store;
}

/// Bandwidth-delay product of a path, bytes.
uint64_t
BdpBytes(const PathFigures& path)
{
    Uint128 steps = RoundTripSteps(path);
    Uint128 perByte = static_cast<Uint128>(8) * Seconds(1).GetTimeStep();
    return static_cast<uint64_t>(steps * path.rate / perByte);
}

/// Breadth first from a host; hosts do not forward.
std::vector<PathFigures>
PathsFrom(const FabricGraph& graph,
          const std::vector<std::vector<const FabricGraph::Edge*>>& edgesOf,
          uint32_t source,
          uint32_t payload)
{
    std::vector<PathFigures> paths(graph.GetVertices().size());
    std::vector<uint32_t> queue{source};
    paths[source].reached = true;
    for (size_t i = 0; i < queue.size(); ++i)
    {
        uint32_t v = queue[i];
        if (v != source && graph.GetVertices()[v].role == FabricGraph::Role::HOST)
        {
            continue;
        }
        for (const FabricGraph::Edge* edge : edgesOf[v])
        {
            uint32_t next = edge->a == v ? edge->b : edge->a;
            if (paths[next].reached)
            {
                continue;
            }
            uint64_t rate = edge->rate.GetBitRate();
            Uint128 bits = static_cast<Uint128>(8) * payload;
            auto store = static_cast<int64_t>(bits * Seconds(1).GetTimeStep() / rate);
            paths[next] = {true,
                           paths[v].delay + edge->delay.GetTimeStep(),
                           paths[v].store + store,
                           std::min(paths[v].rate, rate)};
            queue.push_back(next);
        }
    }
    return paths;
}

std::vector<std::vector<const FabricGraph::Edge*>>
EdgesByVertex(const FabricGraph& graph)
{
    std::vector<std::vector<const FabricGraph::Edge*>> edgesOf(graph.GetVertices().size());
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        edgesOf[edge.a].push_back(&edge);
        edgesOf[edge.b].push_back(&edge);
    }
    return edgesOf;
}

/// Rate of the first host's link, for parameters that scale with it and that no key sets.
DataRate
HostRate(const HpccTopology& topology)
{
    for (const FabricGraph::Edge& edge : topology.graph.GetEdges())
    {
        if (topology.isHost[edge.a] || topology.isHost[edge.b])
        {
            return edge.rate;
        }
    }
    return DataRate(100'000'000'000);
}

RunOptions
WithInputs(RunOptions options, const HpccConfig& config)
{
    options.inputs = {config.file,
                      FindHpccFile(config, "TOPOLOGY_FILE"),
                      FindHpccFile(config, "FLOW_FILE")};
    return options;
}

} // namespace

HpccRunner::HpccRunner(const HpccConfig& config,
                       const WireConfig& wire,
                       const RunOptions& options,
                       std::ostream& out)
    : m_config(config),
      m_wire(wire),
      m_out(out),
      m_topology(ReadHpccTopology(FindHpccFile(config, "TOPOLOGY_FILE"), config.errorRatePerLink)),
      m_flows(ReadHpccFlows(FindHpccFile(config, "FLOW_FILE"), m_topology.isHost)),
      m_run(m_topology.graph,
            m_topology.file,
            ResultsFolder(options.out.empty() ? "results" : options.out),
            WithInputs(options, config))
{
    RefuseUnsupported();
    if (!m_config.traceFile.empty())
    {
        ReadHpccTraceNodes(FindHpccFile(m_config, "TRACE_FILE")); // checked, but nothing is traced
    }
    CheckHpccThresholds(m_config, m_topology);
    MeasurePaths();
    ConfigureFabric();
    ConfigureTelemetry();
    ConfigureRdma();
    m_run.Build();
    m_run.CheckDeadlocks("warn", {}, m_out);
    TakeLinkDown();

    m_fct = m_run.Folder().Create("fct.txt");
    m_pfc = m_run.Folder().Create("pfc.txt");
    m_run.ReportPauses([this](const ReportedPort& port, uint32_t, bool paused, int64_t at) {
        PauseChanged(port, paused, at);
    });
    m_run.ReportMessages(
        [](const MessageRecord&) { return std::pair<std::string, std::string>("flows", ""); });
    for (size_t f = 0; f < m_flows.size(); ++f)
    {
        PlaceFlow(f);
    }
}

HpccRunner::~HpccRunner()
{
    Simulator::Destroy();
}

void
HpccRunner::RefuseUnsupported() const
{
    auto refuse = [this](bool asked, const std::string& key, const std::string& why) {
        if (asked)
        {
            auto place = m_config.places.find(key);
            throw InputError(place != m_config.places.end() ? place->second
                                                            : InputPlace{m_config.file, 0, key},
                             why);
        }
    };
    refuse(m_config.GetReaction() == HpccConfig::HPCC && m_config.sampleFeedback,
           "SAMPLE_FEEDBACK",
           "1: HPCC that skips hops without a queue does not exist here");
    refuse(!m_config.dynamicPfcThreshold,
           "USE_DYNAMIC_PFC_THRESHOLD",
           "0: static PFC thresholds do not exist in this version");
    refuse(m_config.backToZero, "L2_BACK_TO_ZERO", "1: go-back-to-zero does not exist here");
    refuse(m_config.ackInterval == 0, "L2_ACK_INTERVAL", "0: a sender without ACKs cannot finish");
    refuse(!m_config.rateBound, "RATE_BOUND", "0: sending without pacing does not exist here");
    refuse(m_config.nicTotalPauseTime > 0, "NIC_TOTAL_PAUSE_TIME", "does not exist here");
}

void
HpccRunner::ConfigureFabric()
{
    uint32_t classes = 0;
    for (const HpccFlow& flow : m_flows)
    {
        classes |= 1U << flow.priorityGroup;
    }
    FabricHelper& fabric = m_run.Fabric();
    fabric.SetDeviceAttribute("Preamble", UintegerValue(m_wire.preamble));
    fabric.SetDeviceAttribute("InterFrameGap", UintegerValue(m_wire.interFrameGap));
    fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(classes));
    fabric.SetSwitchAttribute("MarkingPoint", EnumValue(FabricSwitch::MARK_AT_DEQUEUE));
    uint32_t headers = m_wire.dataOverhead > 0
                           ? m_wire.dataOverhead
                           : wire::ROCEV2_BASE_BYTES + wire::RETH_BYTES + 3; // and a pad
    if (m_config.GetReaction() == HpccConfig::HPCC)
    {
        headers += wire::HPCC_BASE_BYTES + wire::HPCC_MAX_HOPS * wire::HPCC_HOP_BYTES;
    }
    uint32_t largest = std::max(m_config.packetPayloadBytes + headers, m_wire.controlFrame);
    fabric.SetSwitchAttribute("MaxFrameBytes",
                              UintegerValue(std::max(largest, wire::MIN_FRAME_BYTES)));
    fabric.SetBufferAttribute("Size", UintegerValue(m_config.bufferBytes));
    fabric.SetBufferAttribute("XonOffset", UintegerValue(XON_OFFSET_BYTES));
    fabric.SetRoutingAttribute("ConvergenceTime",
                               TimeValue(Time(0))); // the family's routes follow at once
    if (m_config.enableQcn)
    {
        auto thresholds = [this](DataRate rate) {
            uint64_t bps = rate.GetBitRate();
            auto kmin = m_config.kminBytes.find(bps);
            if (kmin == m_config.kminBytes.end())
            {
                return EcnThresholds{UINT64_MAX, UINT64_MAX, 0}; // a host's port: never asked
            }
            return EcnThresholds{kmin->second, m_config.kmaxBytes.at(bps), m_config.pmax.at(bps)};
        };
        fabric.SetEcn(thresholds, static_cast<uint8_t>(classes));
    }
}

void
HpccRunner::ConfigureTelemetry()
{
    HpccConfig::Reaction reaction = m_config.GetReaction();
    if (reaction != HpccConfig::HPCC && reaction != HpccConfig::HPCC_PINT)
    {
        return;
    }
    ObjectFactory stamper("ns3::IntStamper");
    stamper.Set("HpccUnits", UintegerValue(m_config.intMultiple));
    stamper.Set("PintBaseRtt", TimeValue(TimeStep(m_longest.roundTripSteps)));
    stamper.Set("PintLogBase", DoubleValue(m_config.pintLogBase));
    m_run.Fabric().SetSwitchPart("IntStamper", stamper);
}

void
HpccRunner::TakeLinkDown()
{
    if (!m_config.linkDown)
    {
        return;
    }
    // As in the family's program: of parallel links the one that is listed last.
    m_run.RefuseDistributed(true, "LINK_DOWN", "a link that goes down");
    const HpccConfig::LinkDown& down = *m_config.linkDown;
    const auto& edges = m_topology.graph.GetEdges();
    std::optional<uint32_t> found;
    for (uint32_t e = 0; e < edges.size(); ++e)
    {
        bool joins = (edges[e].a == down.a && edges[e].b == down.b) ||
                     (edges[e].a == down.b && edges[e].b == down.a);
        found = joins ? e : found;
    }
    if (!found)
    {
        throw InputError(m_config.places.at("LINK_DOWN"),
                         "no link joins nodes " + std::to_string(down.a) + " and " +
                             std::to_string(down.b),
                         "a link of " + m_topology.file);
    }
    m_run.InjectFaults({MakeLinkDown(m_topology.graph, *found, down.at)});
}

void
HpccRunner::ConfigureRdma()
{
    RdmaHelper& rdma = m_run.Rdma();
    rdma.SetQueuePairAttribute("Mtu", UintegerValue(m_config.packetPayloadBytes));
    rdma.SetQueuePairAttribute("AckInterval", UintegerValue(m_config.ackInterval));
    rdma.SetQueuePairAttribute("VariableWindow", BooleanValue(m_config.variableWindow));
    rdma.SetNicAttribute("CnpInterval", TimeValue(Time(0))); // the family marks every ACK
    rdma.SetNicAttribute("ControlInDataClass", BooleanValue(!m_config.ackHighPriority));
    rdma.SetNicAttribute("RepaceWaitingFrames",
                         BooleanValue(m_config.GetReaction() != HpccConfig::DCQCN));
    rdma.SetNicAttribute("DataOverhead", UintegerValue(m_wire.dataOverhead));
    rdma.SetNicAttribute("ControlFrameBytes", UintegerValue(m_wire.controlFrame));
    rdma.SetCongestionControl(MakeHpccCongestionControl(m_config, HostRate(m_topology)));
}

void
HpccRunner::MeasurePaths()
{
    const FabricGraph& graph = m_topology.graph;
    auto edgesOf = EdgesByVertex(graph);
    for (uint32_t source : m_topology.hostIds)
    {
        std::vector<PathFigures> paths =
            PathsFrom(graph, edgesOf, source, m_config.packetPayloadBytes);
        for (uint32_t destination : m_topology.hostIds)
        {
            const PathFigures& path = paths[destination];
            if (destination != source && path.reached)
            {
                m_longest.windowBytes = std::max(m_longest.windowBytes, BdpBytes(path));
                m_longest.roundTripSteps = std::max(m_longest.roundTripSteps, RoundTripSteps(path));
            }
        }
    }
}

HpccRunner::PathBounds
HpccRunner::BoundsOf(const HpccFlow& flow) const
{
    if (m_config.globalWindow)
    {
        return m_longest;
    }
    const FabricGraph& graph = m_topology.graph;
    std::vector<PathFigures> paths =
        PathsFrom(graph, EdgesByVertex(graph), flow.source, m_config.packetPayloadBytes);
    const PathFigures& path = paths[flow.destination];
    return {BdpBytes(path), RoundTripSteps(path)};
}

void
HpccRunner::PlaceFlow(size_t index)
{
    const HpccFlow& flow = m_flows[index];
    uint16_t& nextPort =
        m_nextPort.try_emplace({flow.source, flow.destination}, FIRST_SOURCE_PORT).first->second;
    m_sourcePorts.push_back(nextPort++);
    PathBounds bounds = BoundsOf(flow);
    auto make = [&](uint32_t node) {
        Ptr<QueuePair> qp = m_run.CreateQueuePair(node, 0);
        qp->SetAttribute("TrafficClass", UintegerValue(flow.priorityGroup));
        qp->SetAttribute("Window", UintegerValue(m_config.hasWindow ? bounds.windowBytes : 0));
        qp->SetAttribute("BaseRtt", TimeValue(TimeStep(bounds.roundTripSteps)));
        qp->SetAttribute("UdpSourcePort", UintegerValue(m_sourcePorts.back()));
        return qp;
    };
    Ptr<QueuePair> sender = make(flow.source);
    QueuePair::Connect(sender, make(flow.destination));
    m_run.PlaceFlow(sender,
                    index,
                    flow.bytes,
                    flow.start,
                    MakeCallback(&HpccRunner::FlowEnded, this));
    m_bytesPlaced += flow.bytes;
}

void
HpccRunner::FlowEnded(const FlowRecord& record)
{
    constexpr int64_t STEPS_PER_NS = 1000;
    const HpccFlow& flow = m_flows[record.flowId];
    auto addressOf = [this](uint32_t node) {
        return m_run.Network().ports[node][0]->GetIpv4Address().Get();
    };
    uint32_t source = addressOf(flow.source);
    uint32_t destination = addressOf(flow.destination);
    int64_t ideal = m_run.IdealSteps(source, destination, record.bytes);
    WriteHpccFct(m_fct,
                 {flow.source,
                  flow.destination,
                  m_sourcePorts[record.flowId],
                  flow.destinationPort,
                  record.bytes,
                  static_cast<uint64_t>(record.start / STEPS_PER_NS),
                  static_cast<uint64_t>((record.end - record.start) / STEPS_PER_NS),
                  static_cast<uint64_t>(ideal / STEPS_PER_NS)});
    m_flowReport.Add(record, ideal);
    m_bytesDone += record.bytes;
    m_run.WorkEnded(record.status == WcStatus::SUCCESS
                        ? ""
                        : m_run.DescribeFlow("flow file", source, destination) + ": " +
                              ToString(record.status));
}

void
HpccRunner::PauseChanged(const ReportedPort& port, bool paused, int64_t at)
{
    constexpr int64_t STEPS_PER_NS = 1000;
    // Their interface 0 is the loopback; the ports of a node count from 1.
    WriteHpccPfc(m_pfc,
                 {static_cast<uint64_t>(at / STEPS_PER_NS),
                  port.vertex,
                  !m_topology.isHost[port.vertex],
                  port.port->GetIfIndex() + 1,
                  paused});
}

int
HpccRunner::Run()
{
    m_out << m_flows.size() << " flows, " << m_topology.hostIds.size() << " hosts, "
          << (m_config.GetReaction() == HpccConfig::NO_REACTION
                  ? std::string("PFC alone")
                  : GetHpccCcModeName(m_config.ccMode))
          << std::endl;
    if (m_config.enableTrace)
    {
        m_out << "note: ENABLE_TRACE 1: their binary trace is not written" << std::endl;
    }
    FabricRun::Outcome outcome = m_run.Simulate(
        [this]() {
            return m_bytesPlaced == 0
                       ? 0
                       : static_cast<double>(m_bytesDone) / static_cast<double>(m_bytesPlaced);
        },
        m_config.stopTime.value_or(Time(0)));
    m_run.ClearProgress();
    if (outcome == FabricRun::Outcome::TIME_UP)
    {
        m_out << m_flows.size() - m_flowReport.GetCount()
              << " flows had not ended at SIMULATOR_STOP_TIME" << std::endl;
    }
    m_flowReport.Print(m_out);
    m_fct.close();
    m_pfc.close();
    nlohmann::ordered_json summary;
    summary["name"] = m_config.file;
    summary["flows"] = m_flowReport.Summary();
    summary["flows_placed"] = m_flows.size();
    nlohmann::ordered_json resolved;
    resolved["hpcc_config"] = m_config.file;
    resolved["cc_mode"] = m_config.ccMode;
    resolved["packet_payload_bytes"] = m_config.packetPayloadBytes;
    resolved["data_overhead_bytes"] = m_wire.dataOverhead;
    resolved["control_frame_bytes"] = m_wire.controlFrame;
    return m_run.Report(outcome, summary, resolved, 1, m_out);
}

} // namespace ns3
