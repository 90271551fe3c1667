// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-routing.h"

#include "cycle-finder.h"
#include "shortest-path-routes.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/fabric-channel.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricRouting");
NS_OBJECT_ENSURE_REGISTERED(FabricRouting);

namespace
{

constexpr uint32_t NO_SWITCH = RoutingGraph::NO_SWITCH;

/// @param endpoints of a fabric @return their MAC addresses, or null if two have the same
std::shared_ptr<const MacTable>
MacsOf(const std::vector<Ptr<FabricNetDevice>>& endpoints)
{
    auto macs = std::make_shared<MacTable>();
    const Mac48Address none("00:00:00:00:00:00");
    for (const auto& endpoint : endpoints)
    {
        if (endpoint->GetMacAddress() != none)
        {
            macs->Add(endpoint->GetMacAddress(), endpoint->GetIpv4Address().Get());
        }
    }
    return macs->Sort() ? macs : nullptr;
}

/**
 * A tree over the switches: breadth first from each that no earlier one reaches.
 * @param graph the switches
 * @return by switch: the ports that are edges of the tree
 */
std::vector<std::vector<uint32_t>>
SpanningTree(const RoutingGraph& graph)
{
    std::vector<std::vector<uint32_t>> treePorts(graph.switches.size());
    std::vector<bool> reached(graph.switches.size());
    for (uint32_t root = 0; root < graph.switches.size(); ++root)
    {
        std::vector<uint32_t> queue;
        if (!reached[root])
        {
            reached[root] = true;
            queue.push_back(root);
        }
        for (size_t i = 0; i < queue.size(); ++i)
        {
            uint32_t s = queue[i];
            const auto& ports = graph.switches[s].ports;
            for (uint32_t p = 0; p < ports.size(); ++p)
            {
                uint32_t neighbor = ports[p].neighbor;
                if (neighbor == NO_SWITCH || reached[neighbor])
                {
                    continue;
                }
                reached[neighbor] = true;
                queue.push_back(neighbor);
                treePorts[s].push_back(p);
                treePorts[neighbor].push_back(ports[p].farPort);
            }
        }
    }
    return treePorts;
}

} // namespace

TypeId
FabricRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricRouting")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricRouting>()
            .AddAttribute("ConvergenceTime",
                          "From a link's change until the tables of all switches have it. A "
                          "routing protocol takes milliseconds to seconds, a fast reroute less.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&FabricRouting::m_convergenceTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SeesOneWayFailures",
                          "A link that carries frames in one direction only counts as down. "
                          "Without, nobody notices: frames that way are lost.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricRouting::m_seesOneWayFailures),
                          MakeBooleanChecker())
            .AddAttribute(
                "Computation",
                "Decides by which ports frames go.",
                PointerValue(),
                MakePointerAccessor(&FabricRouting::SetComputation, &FabricRouting::GetComputation),
                MakePointerChecker<RouteComputation>())
            .AddTraceSource("Converged",
                            "The tables have been filled, at set-up or after a change.",
                            MakeTraceSourceAccessor(&FabricRouting::m_convergedTrace),
                            "ns3::FabricRouting::ConvergedTracedCallback");
    return tid;
}

FabricRouting::FabricRouting()
{
    SetComputation(nullptr); // a null attribute does not reach the setter
}

FabricRouting::~FabricRouting() = default;

void
FabricRouting::DoDispose()
{
    m_recompute.Cancel();
    m_switches.clear();
    m_endpoints.clear();
    m_computation = nullptr;
    Object::DoDispose();
}

// ---------------------------------------------------------------- set-up

void
FabricRouting::AddSwitch(Ptr<FabricSwitch> fabricSwitch, uint32_t tier, const std::string& name)
{
    uint32_t node = fabricSwitch->GetNodeId();
    bool isNew = m_indexOfNode.emplace(node, static_cast<uint32_t>(m_switches.size())).second;
    NS_ABORT_MSG_UNLESS(isNew, "FabricRouting: node " << node << " has a second switch");
    m_switches.push_back(fabricSwitch);
    m_tiers.push_back(tier);
    m_names.push_back(name.empty() ? "the switch of node " + std::to_string(node) : name);
    // The switch keeps its control plane, whoever else forgets it.
    fabricSwitch->SetLinkChangeCallback(
        MakeCallback(&FabricRouting::LinkChanged, Ptr<FabricRouting>(this)));
}

void
FabricRouting::AddEndpoint(Ptr<FabricNetDevice> port)
{
    m_endpoints.push_back(port);
}

void
FabricRouting::SetLinkWeight(Ptr<const FabricChannel> channel, uint32_t weight)
{
    NS_ABORT_MSG_IF(weight == 0, "FabricRouting: a link's weight is at least 1");
    m_weights[channel->GetId()] = weight;
}

void
FabricRouting::SetComputation(Ptr<RouteComputation> computation)
{
    m_computation = computation;
    if (!m_computation)
    {
        m_computation = CreateObject<ShortestPathRoutes>();
    }
}

Ptr<RouteComputation>
FabricRouting::GetComputation() const
{
    return m_computation;
}

uint32_t
FabricRouting::GetSwitchIndex(uint32_t node) const
{
    auto found = m_indexOfNode.find(node);
    return found == m_indexOfNode.end() ? NO_SWITCH : found->second;
}

// ---------------------------------------------------------------- the graph

bool
FabricRouting::Works(const FabricNetDevice& port) const
{
    return port.IsLinkUp() && !(m_seesOneWayFailures &&
                                StaticCast<FabricChannel>(port.GetChannel())->HasDeadDirection());
}

void
FabricRouting::BuildGraph()
{
    m_graph.switches.assign(m_switches.size(), {});
    for (uint32_t s = 0; s < m_switches.size(); ++s)
    {
        m_graph.switches[s].tier = m_tiers[s];
        auto& ports = m_graph.switches[s].ports;
        ports.resize(m_switches[s]->GetNPorts());
        for (uint32_t p = 0; p < ports.size(); ++p)
        {
            Ptr<FabricNetDevice> own = m_switches[s]->GetPort(p);
            Ptr<FabricNetDevice> peer = own->GetPeer();
            ports[p].bitRate = own->GetDataRate().GetBitRate();
            uint32_t neighbor = GetSwitchIndex(peer->GetNodeId());
            if (neighbor == NO_SWITCH || !Works(*own))
            {
                continue;
            }
            ports[p].neighbor = neighbor;
            ports[p].farPort = m_switches[neighbor]->GetPortNumber(peer);
            auto weight = m_weights.find(own->GetChannel()->GetId());
            ports[p].weight = weight == m_weights.end() ? 1 : weight->second;
        }
    }
}

void
FabricRouting::BuildTargets()
{
    m_graph.endpoints.clear();
    m_attachments.assign(m_endpoints.size(), {});
    std::map<uint32_t, std::vector<uint32_t>> homesOf; // by address
    for (uint32_t e = 0; e < m_endpoints.size(); ++e)
    {
        uint32_t address = m_endpoints[e]->GetIpv4Address().Get();
        m_graph.endpoints.push_back(address);
        Ptr<FabricNetDevice> peer = m_endpoints[e]->GetPeer();
        uint32_t home = peer ? GetSwitchIndex(peer->GetNodeId()) : NO_SWITCH;
        if (home != NO_SWITCH && Works(*m_endpoints[e]))
        {
            m_attachments[e] = {home, m_switches[home]->GetPortNumber(peer)};
            homesOf[address].push_back(home);
        }
    }
    // Destinations with the same homes are one target, at the place of the first of them.
    std::map<std::vector<uint32_t>, size_t> targetOf;
    m_graph.targets.clear();
    for (auto& [address, homes] : homesOf)
    {
        std::sort(homes.begin(), homes.end());
        homes.erase(std::unique(homes.begin(), homes.end()), homes.end());
        size_t target = m_graph.targets.size();
        if (!m_computation->RoutesEachDestination())
        {
            target = targetOf.try_emplace(homes, target).first->second;
        }
        if (target == m_graph.targets.size())
        {
            m_graph.targets.push_back({homes, {}});
        }
        m_graph.targets[target].addresses.push_back(address);
    }
}

// ---------------------------------------------------------------- the tables

std::string
FabricRouting::Compute()
{
    if (m_seesOneWayFailures && m_computations == 0)
    {
        WatchDirections();
    }
    std::string why = Fill();
    // What has been computed cannot go in a circle; what somebody wrote can.
    return why.empty() && m_computation->RoutesEachDestination() ? FindLoop() : why;
}

std::string
FabricRouting::Fill()
{
    BuildGraph();
    BuildTargets();
    std::string why = ResetTables();
    why = why.empty() ? m_computation->Prepare(m_graph) : why;
    if (!why.empty())
    {
        return why;
    }
    FillTables();
    SetLocalRoutes();
    SetFloodPorts();
    ++m_computations;
    for (const auto& fabricSwitch : m_switches)
    {
        fabricSwitch->GetPathSelector()->Configure(*fabricSwitch);
    }
    m_convergedTrace(m_computations);
    return "";
}

std::string
FabricRouting::ResetTables()
{
    std::shared_ptr<const MacTable> macs = MacsOf(m_endpoints);
    if (!macs)
    {
        return "two endpoints have the same MAC address";
    }
    const auto& addresses = m_graph.endpoints;
    auto [lowest, highest] = std::minmax_element(addresses.begin(), addresses.end());
    for (const auto& fabricSwitch : m_switches)
    {
        fabricSwitch->SetMacTable(macs);
        fabricSwitch->GetForwardingTable().Reset(addresses.empty() ? 0 : *lowest,
                                                 addresses.empty() ? 0 : *highest - *lowest + 1);
    }
    return "";
}

void
FabricRouting::FillTables()
{
    std::vector<PortGroup> routes(m_switches.size());
    for (const RoutingGraph::Target& target : m_graph.targets)
    {
        for (PortGroup& group : routes)
        {
            group.ports.clear();
            group.weights.clear();
        }
        m_computation->FindRoutes(m_graph, target, routes);
        for (uint32_t s = 0; s < m_switches.size(); ++s)
        {
            if (std::binary_search(target.homes.begin(), target.homes.end(), s))
            {
                continue; // it delivers
            }
            ForwardingTable& table = m_switches[s]->GetForwardingTable();
            uint16_t group = table.AddGroup(routes[s].ports, routes[s].weights);
            for (uint32_t address : target.addresses)
            {
                table.SetGroup(address, group);
            }
        }
    }
}

void
FabricRouting::SetLocalRoutes()
{
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> local; // by home and address
    for (uint32_t e = 0; e < m_endpoints.size(); ++e)
    {
        if (m_attachments[e].home != NO_SWITCH)
        {
            local[{m_attachments[e].home, m_graph.endpoints[e]}].push_back(m_attachments[e].port);
        }
    }
    for (auto& [where, ports] : local)
    {
        std::sort(ports.begin(), ports.end());
        m_switches[where.first]->GetForwardingTable().SetRoute(where.second, ports);
    }
}

void
FabricRouting::SetFloodPorts()
{
    std::vector<std::vector<uint32_t>> ports = SpanningTree(m_graph);
    for (const Attachment& attachment : m_attachments)
    {
        if (attachment.home != NO_SWITCH)
        {
            ports[attachment.home].push_back(attachment.port);
        }
    }
    for (uint32_t s = 0; s < m_switches.size(); ++s)
    {
        std::sort(ports[s].begin(), ports[s].end());
        m_switches[s]->SetFloodPorts(std::move(ports[s]));
    }
}

uint64_t
FabricRouting::GetMemoryBytes() const
{
    uint64_t sum = 0;
    for (const auto& fabricSwitch : m_switches)
    {
        sum += fabricSwitch->GetForwardingTable().GetMemoryBytes();
    }
    return sum;
}

// ---------------------------------------------------------------- after a change

void
FabricRouting::WatchDirections()
{
    auto changed = MakeCallback(&FabricRouting::DirectionChanged, this);
    for (const auto& fabricSwitch : m_switches)
    {
        for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
        {
            // A link between switches is watched twice: the second word changes nothing.
            fabricSwitch->GetPort(p)->GetChannel()->TraceConnectWithoutContext("DeadDirection",
                                                                               changed);
        }
    }
}

void
FabricRouting::DirectionChanged(bool dead)
{
    NS_LOG_INFO("a link " << (dead ? "is dead in one direction" : "is mended"));
    RecomputeSoon();
}

void
FabricRouting::LinkChanged(Ptr<FabricNetDevice> port, bool up)
{
    NS_LOG_INFO("link of node " << port->GetNodeId() << " is " << (up ? "up" : "down"));
    RecomputeSoon();
}

void
FabricRouting::RecomputeSoon()
{
    if (m_computations == 0 || IsConverging())
    {
        return; // nothing was computed yet; or what is pending will see it
    }
    // Its switches hold this object; a counted reference here would hold it by its own m_recompute.
    m_recompute = Simulator::Schedule(m_convergenceTime, &FabricRouting::Recompute, this);
}

bool
FabricRouting::IsConverging() const
{
    return !m_recompute.IsExpired();
}

void
FabricRouting::Recompute()
{
    std::string why = Fill();
    NS_ABORT_MSG_UNLESS(why.empty(), "FabricRouting: " << why);
}

// ---------------------------------------------------------------- what leads where

bool
FabricRouting::LeadsBy(uint32_t s, uint32_t address, uint32_t port) const
{
    ForwardingTable::Ports group = m_switches[s]->GetForwardingTable().Lookup(address);
    return std::binary_search(group.first, group.first + group.count, port);
}

std::vector<bool>
FabricRouting::FindReachers(const RoutingGraph::Target& target) const
{
    std::vector<bool> reaches(m_switches.size());
    std::vector<uint32_t> queue = target.homes;
    for (uint32_t home : target.homes)
    {
        reaches[home] = true;
    }
    for (size_t next = 0; next < queue.size(); ++next)
    {
        for (const RoutingGraph::Port& port : m_graph.switches[queue[next]].ports)
        {
            if (port.neighbor != NO_SWITCH && !reaches[port.neighbor] &&
                LeadsBy(port.neighbor, target.addresses.front(), port.farPort))
            {
                reaches[port.neighbor] = true;
                queue.push_back(port.neighbor);
            }
        }
    }
    return reaches;
}

std::vector<FabricRouting::UnreachablePair>
FabricRouting::FindUnreachablePairs(size_t limit) const
{
    std::map<uint32_t, const RoutingGraph::Target*> targetOf; // by address
    for (const RoutingGraph::Target& target : m_graph.targets)
    {
        for (uint32_t address : target.addresses)
        {
            targetOf[address] = &target;
        }
    }
    std::vector<UnreachablePair> pairs;
    const RoutingGraph::Target* known = nullptr; // whose strangers are at hand
    std::vector<uint32_t> strangers;
    for (size_t to = 0; to < m_endpoints.size(); ++to)
    {
        auto found = targetOf.find(m_graph.endpoints[to]);
        const RoutingGraph::Target* target = found == targetOf.end() ? nullptr : found->second;
        if (!target || target != known)
        {
            strangers = FindStrangers(target);
        }
        known = target;
        for (uint32_t from : strangers)
        {
            if (m_endpoints[from]->GetNodeId() == m_endpoints[to]->GetNodeId())
            {
                continue;
            }
            if (pairs.size() == limit)
            {
                return pairs;
            }
            pairs.push_back({m_endpoints[from], m_endpoints[to]});
        }
    }
    return pairs;
}

std::vector<uint32_t>
FabricRouting::FindStrangers(const RoutingGraph::Target* target) const
{
    std::vector<bool> reaches(m_switches.size());
    if (target)
    {
        reaches = FindReachers(*target);
    }
    std::vector<uint32_t> strangers;
    for (uint32_t e = 0; e < m_endpoints.size(); ++e)
    {
        if (m_attachments[e].home == NO_SWITCH || !reaches[m_attachments[e].home])
        {
            strangers.push_back(e);
        }
    }
    return strangers;
}

bool
FabricRouting::IsReachable(Ptr<const FabricNetDevice> from, Ptr<const FabricNetDevice> to) const
{
    Ptr<FabricNetDevice> peer = from->GetPeer();
    if (peer == to)
    {
        return Works(*from); // a cable between two endpoints needs no table
    }
    uint32_t first = peer ? GetSwitchIndex(peer->GetNodeId()) : NO_SWITCH;
    if (first == NO_SWITCH || !Works(*from))
    {
        return false;
    }
    uint32_t address = to->GetIpv4Address().Get();
    for (const RoutingGraph::Target& target : m_graph.targets)
    {
        if (std::binary_search(target.addresses.begin(), target.addresses.end(), address))
        {
            return FindReachers(target)[first];
        }
    }
    return false;
}

std::string
FabricRouting::FindLoop() const
{
    for (const RoutingGraph::Target& target : m_graph.targets)
    {
        std::vector<uint32_t> loop = FindLoopTo(target);
        if (!loop.empty())
        {
            std::ostringstream why;
            why << "frames to " << Ipv4Address(target.addresses.front())
                << " would go in a circle: ";
            for (uint32_t s : loop)
            {
                why << m_names[s] << ", ";
            }
            why << m_names[loop.front()];
            return why.str();
        }
    }
    return "";
}

std::vector<uint32_t>
FabricRouting::FindLoopTo(const RoutingGraph::Target& target) const
{
    std::vector<std::vector<uint32_t>> successors(m_switches.size());
    for (uint32_t s = 0; s < m_switches.size(); ++s)
    {
        auto group = m_switches[s]->GetForwardingTable().Lookup(target.addresses.front());
        for (uint32_t k = 0; k < group.count; ++k)
        {
            uint32_t neighbor = m_graph.switches[s].ports[group.first[k]].neighbor;
            if (neighbor != NO_SWITCH)
            {
                successors[s].push_back(neighbor);
            }
        }
    }
    std::vector<std::vector<uint32_t>> loops = FindShortestCycles(successors);
    return loops.empty() ? std::vector<uint32_t>{} : loops.front();
}

} // namespace ns3
