// SPDX-License-Identifier: GPL-2.0-only
#include "pcie-tree.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/enum-attribute.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PcieTree);

std::string
ToString(PcieTree::PathKind kind)
{
    switch (kind)
    {
    case PcieTree::PIX:
        return "PIX";
    case PcieTree::PXB:
        return "PXB";
    case PcieTree::PHB:
        return "PHB";
    case PcieTree::SYS:
        return "SYS";
    }
    return "";
}

TypeId
PcieTree::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PcieTree")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<PcieTree>()
            .AddAttribute("MaxPayload",
                          "Payload of a transaction packet (bytes); each has a header and framing "
                          "of 24 B more, 16 B in generation 6. To be set before links are added.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&PcieTree::m_maxPayload),
                          MakeUintegerChecker<uint32_t>(16, 4096))
            .AddAttribute("SocketRate",
                          "Of the link between two sockets, each way, where none is given. The "
                          "default is what NCCL counts with on Sapphire Rapids (graph/topo.h): "
                          "22 GB/s.",
                          DataRateValue(DataRate(176'000'000'000)),
                          MakeDataRateAccessor(&PcieTree::m_socketRate),
                          MakeDataRateChecker())
            .AddAttribute("SwitchLatency",
                          "Through a switch. An assumption: vendors' briefs say 100 to 150 ns.",
                          TimeValue(NanoSeconds(110)),
                          MakeTimeAccessor(&PcieTree::m_switchLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HostBridgeLatency",
                          "Through a host bridge, from port to port or to the link to another "
                          "socket. An assumption: it is not published.",
                          TimeValue(NanoSeconds(250)),
                          MakeTimeAccessor(&PcieTree::m_hostBridgeLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("GpuDirect",
                          "Whether a NIC may read and write a GPU's memory itself.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&PcieTree::m_gpuDirect),
                          MakeBooleanChecker())
            .AddAttribute("GpuDirectReach",
                          "The farthest path on which GPU direct is used; beyond it transfers go "
                          "by the host's memory. The default is NCCL's (NCCL_NET_GDR_LEVEL).",
                          EnumValue(PcieTree::PXB),
                          MakeEnumAccessorFor<PathKind>(&PcieTree::m_gpuDirectReach),
                          MakeEnumChecker(PcieTree::PIX,
                                          "PIX",
                                          PcieTree::PXB,
                                          "PXB",
                                          PcieTree::PHB,
                                          "PHB",
                                          PcieTree::SYS,
                                          "SYS"));
    return tid;
}

PcieTree::PcieTree() = default;
PcieTree::~PcieTree() = default;

// ---- set-up

uint32_t
PcieTree::AddNode(const std::string& name, PcieNodeKind kind)
{
    NS_ABORT_MSG_IF(Find(name) != NO_NODE, "PcieTree: there are two nodes named " << name);
    auto number = static_cast<uint32_t>(m_nodes.size());
    m_nodes.push_back({name, kind, {}});
    if (kind == PcieNodeKind::GPU)
    {
        m_gpus.push_back(number);
    }
    if (kind == PcieNodeKind::NIC)
    {
        m_nics.push_back(number);
    }
    return number;
}

void
PcieTree::Connect(const std::string& upper, const std::string& lower, const PcieLink& link)
{
    std::string error = link.Check();
    NS_ABORT_MSG_IF(!error.empty(), "PcieTree: " << upper << " to " << lower << ": " << error);
    NS_ABORT_MSG_IF(m_nodes[Named(lower)].kind == PcieNodeKind::HOST_BRIDGE,
                    "PcieTree: " << lower << " is a host bridge, which nothing is above of");
    AddLink(Named(upper), Named(lower), link.GetDataRate(m_maxPayload));
}

void
PcieTree::ConnectSockets(const std::string& one, const std::string& other, DataRate rate)
{
    for (const std::string& name : {one, other})
    {
        NS_ABORT_MSG_IF(m_nodes[Named(name)].kind != PcieNodeKind::HOST_BRIDGE,
                        "PcieTree: " << name << " is not a host bridge");
    }
    AddLink(Named(one),
            Named(other),
            static_cast<double>((rate.GetBitRate() ? rate : m_socketRate).GetBitRate()));
}

void
PcieTree::AddLink(uint32_t one, uint32_t other, double rate)
{
    std::vector<uint32_t> path;
    bool sockets = m_nodes[one].kind == PcieNodeKind::HOST_BRIDGE &&
                   m_nodes[other].kind == PcieNodeKind::HOST_BRIDGE;
    // Sockets may be a mesh: the way with the fewest links is taken.
    bool joined = FindPath(one, other, path) && (!sockets || path.size() < 2);
    NS_ABORT_MSG_IF(joined,
                    "PcieTree: " << m_nodes[one].name << " and " << m_nodes[other].name
                                 << " are joined already");
    for (auto [from, to] : {std::make_pair(one, other), std::make_pair(other, one)})
    {
        m_nodes[from].ways.push_back(static_cast<uint32_t>(m_ways.size()));
        m_ways.push_back({from, to, rate});
    }
}

uint32_t
PcieTree::Named(const std::string& name) const
{
    uint32_t node = Find(name);
    NS_ABORT_MSG_IF(node == NO_NODE, "PcieTree: there is no node named " << name);
    return node;
}

// ---- who is where

uint32_t
PcieTree::Find(const std::string& name) const
{
    for (uint32_t n = 0; n < m_nodes.size(); ++n)
    {
        if (m_nodes[n].name == name)
        {
            return n;
        }
    }
    return NO_NODE;
}

uint32_t
PcieTree::GetGpu(uint32_t index) const
{
    return index < m_gpus.size() ? m_gpus[index] : NO_NODE;
}

uint32_t
PcieTree::GetNic(uint32_t index) const
{
    return index < m_nics.size() ? m_nics[index] : NO_NODE;
}

bool
PcieTree::FindPath(uint32_t from, uint32_t to, std::vector<uint32_t>& path) const
{
    // Breadth first: each node remembers the way by which it was reached.
    std::vector<uint32_t> by(m_nodes.size(), NO_NODE);
    std::vector<uint32_t> reached{from};
    for (size_t r = 0; r < reached.size() && reached[r] != to; ++r)
    {
        for (uint32_t way : m_nodes[reached[r]].ways)
        {
            uint32_t next = m_ways[way].to;
            if (next != from && by[next] == NO_NODE)
            {
                by[next] = way;
                reached.push_back(next);
            }
        }
    }
    path.clear();
    for (uint32_t node = to; node != from; node = m_ways[by[node]].from)
    {
        if (by[node] == NO_NODE)
        {
            return false;
        }
        path.insert(path.begin(), by[node]);
    }
    return true;
}

std::vector<uint32_t>
PcieTree::GetPath(uint32_t from, uint32_t to) const
{
    std::vector<uint32_t> path;
    NS_ABORT_MSG_IF(from >= m_nodes.size() || to >= m_nodes.size(),
                    "PcieTree: no nodes " << from << " and " << to << "; there are "
                                          << m_nodes.size());
    NS_ABORT_MSG_IF(!FindPath(from, to, path),
                    "PcieTree: nothing joins " << m_nodes[from].name << " and "
                                               << m_nodes[to].name);
    return path;
}

uint32_t
PcieTree::GetHostBridge(uint32_t node) const
{
    std::vector<uint32_t> nearest;
    uint32_t bridge = NO_NODE;
    for (uint32_t n = 0; n < m_nodes.size(); ++n)
    {
        std::vector<uint32_t> path;
        if (m_nodes[n].kind == PcieNodeKind::HOST_BRIDGE && FindPath(node, n, path) &&
            (bridge == NO_NODE || path.size() < nearest.size()))
        {
            bridge = n;
            nearest = path;
        }
    }
    NS_ABORT_MSG_IF(bridge == NO_NODE,
                    "PcieTree: " << m_nodes.at(node).name << " is under no host bridge");
    return bridge;
}

PcieTree::PathKind
PcieTree::GetPathKind(uint32_t from, uint32_t to) const
{
    uint32_t bridges = m_nodes.at(from).kind == PcieNodeKind::HOST_BRIDGE;
    uint32_t switches = 0;
    for (uint32_t way : GetPath(from, to))
    {
        bridges += m_nodes[m_ways[way].to].kind == PcieNodeKind::HOST_BRIDGE;
        switches += m_nodes[m_ways[way].to].kind == PcieNodeKind::SWITCH;
    }
    if (bridges > 0)
    {
        return bridges > 1 ? PcieTree::SYS : PcieTree::PHB;
    }
    return switches > 1 ? PcieTree::PXB : PcieTree::PIX;
}

DataRate
PcieTree::GetPathRate(uint32_t from, uint32_t to) const
{
    double rate = 0;
    for (uint32_t way : GetPath(from, to))
    {
        rate = rate > 0 ? std::min(rate, m_ways[way].rate) : m_ways[way].rate;
    }
    return DataRate(static_cast<uint64_t>(rate));
}

bool
PcieTree::IsGpuDirect(uint32_t gpu, uint32_t nic) const
{
    return m_gpuDirect && GetPathKind(gpu, nic) <= m_gpuDirectReach;
}

std::vector<uint32_t>
PcieTree::GetNearestNics(uint32_t gpuNode) const
{
    std::vector<uint32_t> nearest;
    std::pair<PcieTree::PathKind, size_t> best;
    for (uint32_t n = 0; n < m_nics.size(); ++n)
    {
        std::pair<PcieTree::PathKind, size_t> distance{GetPathKind(gpuNode, m_nics[n]),
                                                       GetPath(gpuNode, m_nics[n]).size()};
        if (nearest.empty() || distance < best)
        {
            nearest.clear();
            best = distance;
        }
        if (distance == best)
        {
            nearest.push_back(n);
        }
    }
    return nearest;
}

uint32_t
PcieTree::GetNearestNic(uint32_t gpu) const
{
    NS_ABORT_MSG_IF(gpu >= m_gpus.size(), "PcieTree: no GPU " << gpu);
    std::vector<uint32_t> nearest = GetNearestNics(m_gpus[gpu]);
    if (nearest.empty())
    {
        return NO_NODE;
    }
    size_t turn = 0;
    for (uint32_t before = 0; before < gpu; ++before)
    {
        turn += GetNearestNics(m_gpus[before]) == nearest;
    }
    return nearest[turn % nearest.size()];
}

// ---- transfers

int64_t
PcieTree::Book(uint32_t from, uint32_t to, uint64_t bytes, int64_t now)
{
    PcieNodeKind source = GetKind(from);
    PcieNodeKind sink = GetKind(to);
    bool sends = source == PcieNodeKind::GPU && sink == PcieNodeKind::NIC;
    bool receives = source == PcieNodeKind::NIC && sink == PcieNodeKind::GPU;
    if ((!sends && !receives) || IsGpuDirect(from, to))
    {
        return BookPath(from, to, bytes, now);
    }
    uint32_t memory = GetHostBridge(sends ? from : to); // the GPU's socket
    return BookPath(memory, to, bytes, BookPath(from, memory, bytes, now));
}

int64_t
PcieTree::BookPath(uint32_t from, uint32_t to, uint64_t bytes, int64_t now)
{
    double perSecond = 8.0 * Seconds(1).GetTimeStep();
    int64_t first = now; // first byte is at the next link
    int64_t last = now;  // last byte has passed
    for (uint32_t number : GetPath(from, to))
    {
        Way& way = m_ways[number];
        int64_t latency = GetLatency(way.to == to ? NO_NODE : way.to);
        int64_t start = std::max(first, way.freeAt);
        int64_t packet =
            std::llround(std::min<uint64_t>(bytes, m_maxPayload) * perSecond / way.rate);
        way.freeAt = start + std::llround(bytes * perSecond / way.rate);
        way.bytes += bytes;
        last = std::max(way.freeAt, last) + latency;
        first = start + packet + latency;
    }
    return last;
}

int64_t
PcieTree::GetLatency(uint32_t node) const
{
    if (node == NO_NODE || m_nodes[node].kind == PcieNodeKind::ROOT_PORT)
    {
        return 0;
    }
    return (m_nodes[node].kind == PcieNodeKind::HOST_BRIDGE ? m_hostBridgeLatency : m_switchLatency)
        .GetTimeStep();
}

uint64_t
PcieTree::GetBookedBytes(uint32_t from, uint32_t to) const
{
    for (uint32_t way : m_nodes.at(from).ways)
    {
        if (m_ways[way].to == to)
        {
            return m_ways[way].bytes;
        }
    }
    NS_ABORT_MSG("PcieTree: no link from " << GetName(from) << " to " << GetName(to));
    return 0;
}

} // namespace ns3
