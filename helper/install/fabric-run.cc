// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-run.h"

#include "process-group.h"

#include "ns3/boolean.h"
#include "ns3/buffer-dependencies.h"
#include "ns3/deadlock-detector.h"
#include "ns3/drop-report.h"
#include "ns3/html-report.h"
#include "ns3/node.h"
#include "ns3/progress.h"
#include "ns3/run-manifest.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{
/// Most lines of a stall report about one kind of thing.
constexpr size_t MOST_LINES = 20;

/// A distributed run looks so often whether all work has ended: a whole number of times, so that the
/// end does not depend on how it is divided.
Time
ClosingPeriod()
{
    return MicroSeconds(10);
}

/// A flow that has ended, by order of placing.
struct EndedFlow
{
    uint64_t index;
    FlowRecord record;
};

/// A class of a port that was stopped or opened.
struct ChangedPause
{
    uint64_t port;
    uint32_t trafficClass;
    bool paused;
};

/// What a port has to report.
struct ReportedStatistics
{
    uint64_t port;
    PortStatistics statistics;
};
} // namespace

RdmaNicCounters
AddUpNics(const std::vector<Ptr<RdmaNic>>& nics)
{
    RdmaNicCounters sum;
    for (const auto& nic : nics)
    {
        const RdmaNicCounters& one = nic->GetCounters();
        sum.dataFramesSent += one.dataFramesSent;
        sum.retransmittedFrames += one.retransmittedFrames;
        sum.dataFramesReceived += one.dataFramesReceived;
        sum.acksSent += one.acksSent;
        sum.naksSent += one.naksSent;
        sum.rnrNaksSent += one.rnrNaksSent;
        sum.cnpsSent += one.cnpsSent;
        sum.cnpsReceived += one.cnpsReceived;
        sum.timeouts += one.timeouts;
        sum.unknownQpFrames += one.unknownQpFrames;
    }
    return sum;
}

FabricRun::FabricRun(const FabricGraph& graph,
                     const std::string& graphSource,
                     const ResultsFolder& folder,
                     const RunOptions& options)
    : m_graph(graph),
      m_graphSource(graphSource),
      m_folder(folder),
      m_options(options)
{
}

FabricRun::~FabricRun() = default;

void
FabricRun::SetPartition(const std::string& kind, uint32_t hostsPerDomain)
{
    m_partitionKind = kind;
    m_hostsPerDomain = hostsPerDomain;
}

void
FabricRun::Divide()
{
    PartitionKind kind;
    const std::string& name =
        m_options.partition.empty() ? m_partitionKind : m_options.partition;
    if (!ParsePartitionKind(name, kind))
    {
        throw InputError({m_graphSource, 0, "partition"},
                         "\"" + name + "\" is no way to divide a fabric",
                         "pod, rail or cut");
    }
    PartitionHelper helper(m_graph);
    helper.SetHostsPerDomain(m_hostsPerDomain);
    std::string error;
    const FabricPartition partition = helper.Divide(kind, ProcessGroup::GetSize(), error);
    if (!error.empty())
    {
        throw InputError({m_graphSource, 0, "partition"}, name + ": " + error);
    }
    m_fabric.SetRanks(partition.rankOfVertex);
    m_happenings = std::make_unique<Happenings>();
}

bool
FabricRun::IsOwn(const Ptr<Node>& node)
{
    return node->GetSystemId() == ProcessGroup::GetRank();
}

void
FabricRun::RefuseDistributed(bool asked, const std::string& key, const std::string& what) const
{
    if (asked && IsDistributed())
    {
        throw InputError({m_graphSource, 0, key},
                         what + " cannot be divided over processes",
                         "a run without --distributed");
    }
}

void
FabricRun::Build()
{
    if (ProcessGroup::IsActive())
    {
        Divide();
    }
    std::string error;
    m_network = m_fabric.Install(m_graph, error);
    if (!error.empty())
    {
        throw InputError({m_graphSource, 0, ""}, error);
    }
    m_fabric.AssignStreams(m_network, 1);
    m_rdma.Install(m_network.hosts);
    for (auto node = m_network.hosts.Begin(); node != m_network.hosts.End(); ++node)
    {
        const auto& nics = (*node)->GetObject<RdmaStack>()->GetNics();
        m_nics.insert(m_nics.end(), nics.begin(), nics.end());
    }
    if (m_nics.empty())
    {
        throw InputError({m_graphSource, 0, ""}, "no host has a cable", "at least one");
    }
    m_isWhole = m_network.routing->FindUnreachablePairs(1).empty();
    m_names = std::make_unique<PortNames>(m_graph, m_network);
    m_messages = std::make_unique<MessageReport>(m_folder, *m_names, InstalledWire());
    TellBaseRtts();

    std::vector<uint32_t> portsSeen(m_graph.GetVertices().size(), 0);
    for (const FabricGraph::Edge& edge : m_graph.GetEdges())
    {
        std::string a = m_names->NameOf(edge.a, portsSeen[edge.a]);
        std::string b = m_names->NameOf(edge.b, portsSeen[edge.b]);
        m_reported.push_back({a, b, m_network.ports[edge.a][portsSeen[edge.a]++], edge.a});
        m_reported.push_back({b, a, m_network.ports[edge.b][portsSeen[edge.b]++], edge.b});
    }
}

void
FabricRun::TellBaseRtts()
{
    for (const auto& nic : m_nics)
    {
        nic->TraceConnectWithoutContext("State", MakeCallback(&FabricRun::SetBaseRtt, this));
    }
}

void
FabricRun::SetBaseRtt(const QueuePair& pair, QpState, QpState after)
{
    if (after != QpState::RTR || pair.GetType() == QpType::UD)
    {
        return; // congestion control starts later, and here the other side is known for the first
                // time
    }
    QueuePair* own = pair.GetNic().FindQueuePair(pair.GetNumber());
    TimeValue given;
    own->GetAttribute("BaseRtt", given);
    if (given.Get().IsZero())
    {
        const MessageReport::Wire wire = m_messages->GetWire();
        const int64_t steps = m_baseRtts.GetSteps(
            m_names->PortOfAddress(pair.GetLocalAddress()),
            m_names->PortOfAddress(pair.GetRemoteAddress()),
            MakeRoundTripFrames(pair.GetMtu(), wire.headers, wire.controlBytes));
        own->SetAttribute("BaseRtt", TimeValue(TimeStep(static_cast<uint64_t>(steps))));
    }
}

MessageReport::Wire
FabricRun::InstalledWire() const
{
    // Asked of what was installed, so that it is true however its attributes were set.
    const Ptr<RdmaNic>& nic = m_nics.front();
    UintegerValue dataOverhead;
    UintegerValue controlBytes;
    nic->GetAttribute("DataOverhead", dataOverhead);
    nic->GetAttribute("ControlFrameBytes", controlBytes);
    Ptr<RdmaStack> stack = nic->GetDevice()->GetNode()->GetObject<RdmaStack>();
    Ptr<QueuePair> pair = stack->MakeSample();
    BooleanValue ipv6;
    pair->GetAttribute("Ipv6", ipv6);
    DataHeaders headers;
    headers.fixedBytes = static_cast<uint32_t>(dataOverhead.Get());
    headers.selective = pair->IsToBeSelective();
    headers.extraBytes = ipv6.Get() ? wire::IPV6_BYTES - wire::IPV4_BYTES : 0;
    headers.extraBytes += nic->GetDevice()->GetVlanId() > 0 ? wire::VLAN_TAG_BYTES : 0;
    return {pair->GetMtu(), headers, static_cast<uint32_t>(controlBytes.Get())};
}

Ptr<QueuePair>
FabricRun::CreateQueuePair(uint32_t vertex, uint32_t port)
{
    Ptr<RdmaStack> stack = m_network.nodes.Get(vertex)->GetObject<RdmaStack>();
    return stack->CreateQueuePair(m_network.ports[vertex].at(port), nullptr);
}

int64_t
FabricRun::IdealSteps(uint32_t source, uint32_t destination, uint64_t bytes)
{
    MessageRecord whole{};
    whole.operation = RdmaOperation::WRITE;
    whole.bytes = bytes;
    whole.srcAddress = source;
    whole.dstAddress = destination;
    return m_messages->IdealSteps(whole);
}

std::string
FabricRun::DescribeFlow(const std::string& job, uint32_t source, uint32_t destination) const
{
    return job + ": flow from " + m_names->NameOfAddress(source) + " to " +
           m_names->NameOfAddress(destination);
}

void
FabricRun::ReportMessages(
    std::function<std::pair<std::string, std::string>(const MessageRecord&)> jobOf)
{
    m_jobOf = std::move(jobOf);
    if (m_happenings)
    {
        m_happenings->SetHandler(MESSAGE_COMPLETED, [this](int64_t, std::string_view bytes) {
            const auto record = Happenings::ValueOf<MessageRecord>(bytes);
            auto [job, collective] = m_jobOf(record);
            m_messages->Write(record, job, collective);
        });
    }
    for (const auto& nic : m_nics)
    {
        nic->TraceConnectWithoutContext("MessageComplete",
                                        MakeCallback(&FabricRun::MessageCompleted, this));
    }
}

void
FabricRun::MessageCompleted(const MessageRecord& record)
{
    if (m_happenings)
    {
        m_happenings->AddValue(MESSAGE_COMPLETED, record);
        return;
    }
    auto [job, collective] = m_jobOf(record);
    m_messages->Write(record, job, collective);
}

void
FabricRun::ReportPauses(PauseHandler handler)
{
    m_pauseHandler = std::move(handler);
    for (size_t p = 0; p < m_reported.size(); ++p)
    {
        m_reported[p].port->TraceConnectWithoutContext(
            "PauseState",
            Callback<void, uint32_t, bool>([this, p](uint32_t trafficClass, bool paused) {
                if (m_happenings)
                {
                    m_happenings->AddValue(PAUSE_CHANGED, ChangedPause{p, trafficClass, paused});
                    return;
                }
                m_pauseHandler(m_reported[p], trafficClass, paused, NowSteps());
            }));
    }
    if (m_happenings)
    {
        m_happenings->SetHandler(PAUSE_CHANGED, [this](int64_t at, std::string_view bytes) {
            const auto changed = Happenings::ValueOf<ChangedPause>(bytes);
            m_pauseHandler(m_reported[changed.port], changed.trafficClass, changed.paused, at);
        });
    }
}

void
FabricRun::SampleEvery(Time interval)
{
    if (interval.IsZero())
    {
        return;
    }
    m_series = std::make_unique<TimeSeries>(m_folder, interval);
    for (const ReportedPort& port : GetSwitchPorts())
    {
        m_series->AddPort(port);
    }
}

std::vector<ReportedPort>
FabricRun::GetSwitchPorts() const
{
    const auto& vertices = m_graph.GetVertices();
    std::vector<ReportedPort> ports;
    for (const ReportedPort& reported : m_reported)
    {
        if (reported.vertex < vertices.size() && // else it is a scale-up port
            vertices[reported.vertex].role == FabricGraph::Role::SWITCH)
        {
            ports.push_back(reported);
        }
    }
    return ports;
}

void
FabricRun::CheckDeadlocks(const std::string& mode, const InputPlace& place, std::ostream& out) const
{
    if (mode == "off")
    {
        return;
    }
    for (const BufferCycle& cycle : FindBufferCycles(*m_network.routing))
    {
        std::string text =
            "by its routes the fabric may deadlock, " + ToString(cycle, *m_network.routing);
        if (mode == "refuse")
        {
            throw InputError(place, text, "routes without a cyclic buffer dependency");
        }
        out << "warning: " << text << std::endl;
    }
}

void
FabricRun::RequireRoute(const Ptr<FabricNetDevice>& from,
                        const Ptr<FabricNetDevice>& to,
                        const InputPlace& place) const
{
    if (!m_isWhole && !m_network.routing->IsReachable(from, to))
    {
        throw InputError(place,
                         "no route leads from " +
                             m_names->NameOfAddress(from->GetIpv4Address().Get()) + " to " +
                             m_names->NameOfAddress(to->GetIpv4Address().Get()),
                         "ports that the topology and the routing join");
    }
}

// ---------------------------------------------------------------- faults

void
FabricRun::InjectFaults(const std::vector<FaultConfig>& faults,
                        const std::vector<Ptr<GpuEndpoint>>& gpus)
{
    if (faults.empty())
    {
        return;
    }
    m_faultLog = m_folder.Create("faults.csv");
    m_faultLog << "time_us,fault,type,where,what\n";
    m_faults = std::make_unique<FaultInjector>(m_graph, m_network);
    m_faults->SetListener([this](const FaultConfig& fault, const FaultInjector::Event& event) {
        FaultHappened(fault, event);
    });
    m_faults->SetGpus(gpus);
    m_faults->Schedule(faults);
    m_lastStart = std::max(m_lastStart, m_faults->GetLastChange());
    m_network.routing->TraceConnectWithoutContext(
        "Converged",
        Callback<void, uint64_t>([this](uint64_t computations) {
            m_faultLog << MicrosecondText(NowSteps()) << ",,routing,all switches,tables filled: "
                       << "computation " << computations << "\n";
        }));
}

void
FabricRun::FaultHappened(const FaultConfig& fault, const FaultInjector::Event& event)
{
    m_faultLog << MicrosecondText(event.at.GetTimeStep()) << ',' << event.fault << ','
               << GetFaultName(fault.kind) << ',' << fault.where << ',' << event.what << '\n';
}

void
FabricRun::CapturePorts(const std::vector<std::string>& vertices)
{
    const auto& all = m_graph.GetVertices();
    for (const std::string& name : vertices)
    {
        auto found = std::find_if(all.begin(), all.end(), [&name](const FabricGraph::Vertex& v) {
            return v.name == name;
        });
        if (found == all.end())
        {
            throw InputError({m_graphSource, 0, "output.pcap"},
                             "\"" + name + "\" is no host or switch of the topology",
                             "a name such as \"" + all.front().name + "\"");
        }
        auto vertex = static_cast<uint32_t>(found - all.begin());
        for (uint32_t p = 0; p < m_network.ports[vertex].size(); ++p)
        {
            std::string file = name + "-" + std::to_string(p) + ".pcap";
            m_fabric.EnablePcap(m_folder.PathOf(file), m_network.ports[vertex][p], true, true);
        }
    }
}

// ---------------------------------------------------------------- running

void
FabricRun::PlaceFlow(Ptr<QueuePair> sender,
                     uint64_t id,
                     uint64_t bytes,
                     Time start,
                     Callback<void, const FlowRecord&> ended)
{
    WorkPlaced(start);
    if (!m_happenings)
    {
        PlaceOwnFlow(sender, id, bytes, start, ended);
        return;
    }
    const uint64_t index = m_flowEnds.size();
    m_flowEnds.push_back(ended);
    if (IsOwn(sender->GetNic().GetDevice()->GetNode()))
    {
        ++m_parts;
        PlaceOwnFlow(sender,
                     id,
                     bytes,
                     start,
                     Callback<void, const FlowRecord&>([this, index](const FlowRecord& record) {
                         OwnFlowEnded(index, record);
                     }));
    }
}

void
FabricRun::PlaceOwnFlow(Ptr<QueuePair> sender,
                        uint64_t id,
                        uint64_t bytes,
                        Time start,
                        Callback<void, const FlowRecord&> ended)
{
    auto application = CreateObject<RdmaFlowApplication>();
    application->SetAttribute("Bytes", UintegerValue(bytes));
    application->SetAttribute("FlowId", UintegerValue(id));
    application->SetQueuePair(sender);
    application->TraceConnectWithoutContext("FlowComplete", ended);
    application->SetStartTime(start);
    sender->GetNic().GetDevice()->GetNode()->AddApplication(application);
    if (m_series)
    {
        m_series->AddFlow(id,
                          m_names->NameOfAddress(sender->GetLocalAddress()),
                          m_names->NameOfAddress(sender->GetRemoteAddress()),
                          sender,
                          bytes);
    }
}

void
FabricRun::OwnFlowEnded(uint64_t index, const FlowRecord& record)
{
    m_happenings->AddValue(FLOW_ENDED, EndedFlow{index, record});
    OwnPartEnded();
}

void
FabricRun::OwnPartEnded()
{
    --m_parts;
    m_lastPartEnd = NowSteps();
}

void
FabricRun::PartEnded(const std::string& bytes)
{
    m_happenings->Add(PART_ENDED, bytes);
    OwnPartEnded();
}

void
FabricRun::SetPartHandler(Happenings::Handler handler)
{
    m_happenings->SetHandler(PART_ENDED, std::move(handler));
}

void
FabricRun::CheckEnd()
{
    std::vector<int64_t> parts{m_parts};
    ProcessGroup::Sum(parts);
    if (parts.front() == 0)
    {
        Simulator::Stop();
        return;
    }
    Simulator::Schedule(ClosingPeriod(), &FabricRun::CheckEnd, this);
}

void
FabricRun::WorkEnded(const std::string& error)
{
    if (!error.empty())
    {
        m_errors.push_back(error);
    }
    if (--m_outstanding == 0 && !m_happenings)
    {
        m_end = Simulator::Now();
        Simulator::Stop();
    }
}

FabricRun::Outcome
FabricRun::Simulate(std::function<double()> shareDone, Time limit)
{
    // Long enough for every retry of a queue pair: after that it has failed, and said so.
    m_patience = MilliSeconds(100);
    for (const auto& nic : m_nics)
    {
        for (const auto& qp : nic->GetQueuePairs())
        {
            int64_t retries = qp->GetTimeoutSteps() * (qp->GetRetryCount() + 2);
            m_patience = std::max(m_patience, Time(TimeStep(retries)));
        }
    }
    m_progress = std::make_unique<Progress>(m_options.quiet, std::move(shareDone));
    auto start = std::chrono::steady_clock::now();
    if (m_outstanding > 0)
    {
        m_progress->Start();
        Simulator::Schedule(m_patience, &FabricRun::Watch, this);
        if (m_happenings)
        {
            Simulator::Schedule(ClosingPeriod(), &FabricRun::CheckEnd, this);
        }
        if (m_series)
        {
            m_series->Start();
        }
        if (limit.IsStrictlyPositive())
        {
            Simulator::Stop(limit);
        }
        Simulator::Run();
    }
    m_wall = std::chrono::steady_clock::now() - start;
    m_progress->Finish();
    if (m_series)
    {
        m_series->Finish();
    }
    m_isUnfinished = m_outstanding > 0;
    if (m_happenings)
    {
        Collect();
    }
    if (m_isUnfinished)
    {
        m_end = Simulator::Now();
        return m_stalled ? Outcome::STALLED : Outcome::TIME_UP;
    }
    return m_errors.empty() ? Outcome::FINISHED : Outcome::FAILED;
}

void
FabricRun::Collect()
{
    std::vector<int64_t> parts{m_parts};
    ProcessGroup::Sum(parts);
    m_isUnfinished = parts.front() > 0;
    m_end = TimeStep(static_cast<uint64_t>(ProcessGroup::Max(m_lastPartEnd)));
    if (m_isUnfinished)
    {
        CollectLines();
    }
    CollectPorts();
    CollectNics();
    m_happenings->SetHandler(FLOW_ENDED, [this](int64_t, std::string_view bytes) {
        const auto flow = Happenings::ValueOf<EndedFlow>(bytes);
        m_flowEnds[flow.index](flow.record);
    });
    m_happenings->Tell();
    // The outcome is one for all: process 0 knows of errors.
    if (ProcessGroup::Max(m_errors.empty() ? 0 : 1) > 0 && m_errors.empty())
    {
        m_errors.emplace_back("see process 0");
    }
}

void
FabricRun::CollectPorts()
{
    std::string own;
    for (uint64_t p = 0; p < m_reported.size(); ++p)
    {
        if (IsOwn(m_reported[p].port->GetNode()))
        {
            const ReportedStatistics statistics{p, m_reported[p].port->GetStatistics()};
            own.append(reinterpret_cast<const char*>(&statistics), sizeof(statistics));
        }
    }
    for (const std::string& bytes : ProcessGroup::Gather(own))
    {
        for (size_t begin = 0; begin < bytes.size(); begin += sizeof(ReportedStatistics))
        {
            const auto statistics = Happenings::ValueOf<ReportedStatistics>(
                std::string_view(bytes).substr(begin, sizeof(ReportedStatistics)));
            m_reported[statistics.port].port->SetStatistics(statistics.statistics);
        }
    }
}

void
FabricRun::CollectNics()
{
    const RdmaNicCounters own = AddUpNics(m_nics);
    constexpr size_t COUNTERS = sizeof(RdmaNicCounters) / sizeof(int64_t);
    static_assert(std::is_trivially_copyable_v<RdmaNicCounters>);
    std::vector<int64_t> sums(COUNTERS);
    std::memcpy(sums.data(), &own, sizeof(own));
    ProcessGroup::Sum(sums);
    m_nicTotals = Happenings::ValueOf<RdmaNicCounters>(
        {reinterpret_cast<const char*>(sums.data()), sizeof(RdmaNicCounters)});
}

void
FabricRun::CollectLines()
{
    std::string own;
    if (ProcessGroup::GetRank() > 0)
    {
        for (const std::string& line : DescribeEnd(Outcome::STALLED))
        {
            own += line + "\n";
        }
    }
    for (const std::string& text : ProcessGroup::Gather(own))
    {
        std::istringstream lines(text);
        std::string line;
        while (std::getline(lines, line))
        {
            m_linesOfOthers.push_back(line);
        }
    }
}

void
FabricRun::ClearProgress()
{
    m_progress->Clear();
}

uint64_t
FabricRun::CountMovements() const
{
    uint64_t sum = 0;
    for (const ReportedPort& reported : m_reported)
    {
        // Pause frames alone are no progress: a deadlock repeats them for ever.
        sum += reported.port->GetCounters().txPayloadBytes;
    }
    for (const auto& nic : m_nics)
    {
        sum +=
            nic->GetCounters().acksSent + nic->GetCounters().naksSent + nic->GetCounters().timeouts;
    }
    return sum;
}

void
FabricRun::Watch()
{
    uint64_t movements = CountMovements();
    if (m_happenings)
    {
        std::vector<int64_t> sums{static_cast<int64_t>(movements)};
        ProcessGroup::Sum(sums);
        movements = static_cast<uint64_t>(sums.front());
    }
    if (movements == m_movements && Simulator::Now() > m_lastStart + m_patience)
    {
        m_stalled = true;
        Simulator::Stop();
        return;
    }
    m_movements = movements;
    Simulator::Schedule(m_patience, &FabricRun::Watch, this);
}

std::vector<std::string>
FabricRun::DescribeEnd(Outcome outcome) const
{
    std::vector<std::string> lines;
    DescribeDeadlocks(lines);
    lines.insert(lines.end(), m_errors.begin(), m_errors.end());
    DescribeFailedPairs(lines);
    if (outcome == Outcome::STALLED)
    {
        DescribeBlocked(lines);
    }
    DescribePauses(lines);
    lines.insert(lines.end(), m_linesOfOthers.begin(), m_linesOfOthers.end());
    return lines;
}

void
FabricRun::DescribeBlocked(std::vector<std::string>& lines) const
{
    for (const auto& describe : m_describers)
    {
        std::vector<std::string> more = describe();
        lines.insert(lines.end(), more.begin(), more.end());
    }
    size_t pairs = 0;
    for (const auto& nic : m_nics)
    {
        for (const auto& qp : nic->GetQueuePairs())
        {
            if (qp->GetRequester().GetOutstanding() > 0 && ++pairs <= MOST_LINES)
            {
                lines.push_back(
                    "queue pair " + std::to_string(qp->GetNumber()) + " of " +
                    m_names->NameOfAddress(qp->GetLocalAddress()) + " to " +
                    m_names->NameOfAddress(qp->GetRemoteAddress()) + ": " +
                    std::to_string(qp->GetRequester().GetOutstanding()) + " work requests, " +
                    std::to_string(qp->GetRequester().GetInFlightBytes()) + " B in flight");
            }
        }
    }
    if (pairs > MOST_LINES)
    {
        lines.push_back("and " + std::to_string(pairs - MOST_LINES) + " more queue pairs");
    }
}

void
FabricRun::DescribeFailedPairs(std::vector<std::string>& lines) const
{
    size_t pairs = 0;
    for (const auto& nic : m_nics)
    {
        for (const auto& qp : nic->GetQueuePairs())
        {
            if (qp->GetState() == QpState::ERROR && ++pairs <= MOST_LINES)
            {
                lines.push_back("queue pair " + std::to_string(qp->GetNumber()) + " of " +
                                m_names->NameOfAddress(qp->GetLocalAddress()) + " to " +
                                m_names->NameOfAddress(qp->GetRemoteAddress()) + " has failed");
            }
        }
    }
    if (pairs > MOST_LINES)
    {
        lines.push_back("and " + std::to_string(pairs - MOST_LINES) + " more queue pairs");
    }
}

void
FabricRun::DescribeDeadlocks(std::vector<std::string>& lines) const
{
    auto detector = CreateObject<DeadlockDetector>();
    detector->SetRouting(m_network.routing);
    detector->Look(); // a deadlock is what is the same at the next look
    for (const BufferCycle& cycle : detector->Look())
    {
        lines.push_back("deadlock: these queues wait for each other, " +
                        ToString(cycle, *m_network.routing));
    }
}

void
FabricRun::DescribePauses(std::vector<std::string>& lines) const
{
    for (const ReportedPort& reported : m_reported)
    {
        if (uint8_t classes = reported.port->GetPausedClasses(NowSteps()))
        {
            lines.push_back("port " + reported.name + " is paused by " + reported.peer +
                            ", classes (bits) " + std::to_string(classes));
        }
    }
}

// ---------------------------------------------------------------- results

void
FabricRun::ReportFaults(nlohmann::ordered_json& summary, std::ostream& out) const
{
    if (!m_faults)
    {
        return;
    }
    std::vector<uint32_t> events(m_faults->GetFaults().size(), 0);
    for (const FaultInjector::Event& event : m_faults->GetEvents())
    {
        ++events[event.fault];
    }
    summary["faults"] = nlohmann::ordered_json::array();
    for (uint32_t f = 0; f < events.size(); ++f)
    {
        const FaultConfig& fault = m_faults->GetFaults()[f];
        const char* happened = events[f] > 0 ? "" : ": did not happen, the run had ended";
        summary["faults"].push_back({{"type", GetFaultName(fault.kind)},
                                     {"where", fault.where},
                                     {"at_us", static_cast<double>(fault.at.GetTimeStep()) / 1e6},
                                     {"changes", events[f]}});
        out << (f == 0 ? "faults    " : "          ") << GetFaultName(fault.kind) << " of "
            << fault.where << " at "
            << FixedText(static_cast<double>(fault.at.GetTimeStep()) / 1e6, 1) << " us" << happened
            << "\n";
    }
}

void
FabricRun::ReportDrops(nlohmann::ordered_json& summary, std::ostream& out) const
{
    std::map<std::string, uint64_t> drops = CountDrops(m_reported);
    if (drops.empty())
    {
        return;
    }
    std::ofstream file = m_folder.Create("drops.csv");
    WriteDropReport(file, m_reported);
    summary["drops_by_reason"] = drops;
    out << "dropped   ";
    const char* separator = "";
    for (const auto& [reason, frames] : drops)
    {
        out << separator << frames << " " << reason;
        separator = ", ";
    }
    out << "\n";
}

int
FabricRun::Report(Outcome outcome,
                  nlohmann::ordered_json summary,
                  const nlohmann::ordered_json& resolved,
                  uint32_t seed,
                  std::ostream& out)
{
    constexpr int DONE = 0;
    constexpr int DID_NOT_FINISH = 3;
    const bool done = outcome == Outcome::FINISHED || outcome == Outcome::TIME_UP;
    if (ProcessGroup::GetRank() > 0)
    {
        return done ? DONE : DID_NOT_FINISH;
    }
    int64_t elapsed = m_end.GetTimeStep();
    if (m_linksWanted)
    {
        std::ofstream links = m_folder.Create("links.csv");
        WriteLinkReport(links, m_reported, elapsed);
    }
    FabricTotals totals = AddUpPorts(m_reported, elapsed);
    RdmaNicCounters nics = m_happenings ? m_nicTotals : AddUpNics(m_nics);

    static const char* const NAMES[] = {"finished", "failed", "stalled", "time is up"};
    summary["outcome"] = NAMES[static_cast<int>(outcome)];
    summary["simulated_us"] = static_cast<double>(elapsed) / 1e6;
    summary["fabric"] = {
        {"ecn_marks", totals.ecnMarks},
        {"cnps", nics.cnpsSent},
        {"pauses", totals.pauses},
        {"paused_us", static_cast<double>(totals.pausedSteps) / 1e6},
        {"drops", totals.drops},
        {"lost_frames", totals.lost},
        {"retransmitted_frames", nics.retransmittedFrames},
        {"timeouts", nics.timeouts},
        {"peak_queue_bytes", totals.peakQueueBytes},
        {"hottest_link", totals.hottest},
        {"hottest_link_utilization", totals.hottestUtilization},
        {"data_frames", nics.dataFramesSent},
        {"frame_hops", totals.frames},
    };

    out << "\nfabric    " << totals.ecnMarks << " ECN marks, " << nics.cnpsSent << " CNPs, "
        << totals.pauses << " pauses ("
        << FixedText(static_cast<double>(totals.pausedSteps) / 1e6, 1)
        << " us), drops = " << totals.drops << ", lost = " << totals.lost
        << ", retransmitted = " << nics.retransmittedFrames << "\n"
        << "hottest   " << (totals.hottest.empty() ? "none" : totals.hottest) << ", "
        << FixedText(100 * totals.hottestUtilization, 1) << " % busy; fullest queue "
        << totals.peakQueueBytes << " B\n";
    ReportDrops(summary, out);
    ReportFaults(summary, out);
    out << "time      " << FixedText(static_cast<double>(elapsed) / 1e6, 1) << " us simulated in "
        << FixedText(m_wall.count(), 2) << " s, " << totals.frames << " frame hops\n"
        << "results   " << m_folder.GetPath() << std::endl;

    if (outcome == Outcome::STALLED || outcome == Outcome::FAILED)
    {
        std::vector<std::string> lines = DescribeEnd(outcome);
        summary["blocked"] = lines;
        std::cerr << (outcome == Outcome::STALLED
                          ? "stalled: nothing moves while work is outstanding\n"
                          : "failed\n");
        for (size_t i = 0; i < std::min(lines.size(), 2 * MOST_LINES); ++i)
        {
            std::cerr << "  " << lines[i] << "\n";
        }
    }

    m_folder.Create("summary.json") << summary.dump(2) << "\n";
    if (m_reportWanted)
    {
        std::ofstream page = m_folder.Create("report.html");
        WriteHtmlReport(page, summary, m_graph, m_reported, elapsed);
    }
    RunManifest manifest;
    manifest.commandLine = m_options.commandLine;
    manifest.seed = seed;
    manifest.inputs = m_options.inputs;
    manifest.wallSeconds = m_wall.count();
    m_folder.Create("manifest.json") << MakeManifest(manifest, resolved).dump(2) << "\n";
    return done ? DONE : DID_NOT_FINISH;
}

} // namespace ns3
