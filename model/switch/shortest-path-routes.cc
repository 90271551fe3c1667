// SPDX-License-Identifier: GPL-2.0-only
#include "shortest-path-routes.h"

#include "ns3/node.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t NO_SWITCH = UINT32_MAX;
constexpr uint32_t UNREACHED = UINT32_MAX;

/// The fabric as numbers: for each switch, which switch is behind each of its ports.
struct SwitchGraph
{
    std::vector<std::vector<uint32_t>> neighborOfPort;
};

/// An endpoint port and the switch port that it is plugged into.
struct Attachment
{
    uint32_t address;
    uint32_t port;
};

std::vector<uint32_t>
DistancesTo(uint32_t target, const SwitchGraph& graph)
{
    std::vector<uint32_t> distance(graph.neighborOfPort.size(), UNREACHED);
    std::vector<uint32_t> queue{target};
    distance[target] = 0;
    for (size_t i = 0; i < queue.size(); ++i)
    {
        for (uint32_t neighbor : graph.neighborOfPort[queue[i]])
        {
            if (neighbor != NO_SWITCH && distance[neighbor] == UNREACHED)
            {
                distance[neighbor] = distance[queue[i]] + 1;
                queue.push_back(neighbor);
            }
        }
    }
    return distance;
}

std::vector<uint32_t>
PortsTowards(const std::vector<uint32_t>& neighborOfPort,
             const std::vector<uint32_t>& distance,
             uint32_t own)
{
    std::vector<uint32_t> ports;
    for (uint32_t p = 0; p < neighborOfPort.size(); ++p)
    {
        if (neighborOfPort[p] != NO_SWITCH && distance[neighborOfPort[p]] + 1 == own)
        {
            ports.push_back(p);
        }
    }
    return ports;
}

/**
 * A tree over the switches: breadth first from each that no earlier one reaches.
 * @param graph the switches
 * @param switches the same
 * @return by switch: the ports that are edges of the tree, ascending
 */
std::vector<std::vector<uint32_t>>
SpanningTree(const SwitchGraph& graph, const std::vector<Ptr<FabricSwitch>>& switches)
{
    std::vector<std::vector<uint32_t>> treePorts(switches.size());
    std::vector<bool> reached(switches.size());
    for (uint32_t root = 0; root < switches.size(); ++root)
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
            for (uint32_t p = 0; p < graph.neighborOfPort[s].size(); ++p)
            {
                uint32_t neighbor = graph.neighborOfPort[s][p];
                if (neighbor == NO_SWITCH || reached[neighbor])
                {
                    continue;
                }
                reached[neighbor] = true;
                queue.push_back(neighbor);
                treePorts[s].push_back(p);
                Ptr<FabricNetDevice> far = switches[s]->GetPort(p)->GetPeer();
                treePorts[neighbor].push_back(switches[neighbor]->GetPortNumber(far));
            }
        }
    }
    return treePorts;
}

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

} // namespace

std::string
ComputeShortestPathRoutes(const std::vector<Ptr<FabricSwitch>>& switches,
                          const std::vector<Ptr<FabricNetDevice>>& endpoints)
{
    std::map<uint32_t, uint32_t> indexOfNode; // by node id: a defined order
    for (uint32_t s = 0; s < switches.size(); ++s)
    {
        indexOfNode[switches[s]->GetPort(0)->GetNode()->GetId()] = s;
    }

    SwitchGraph graph;
    std::vector<std::vector<Attachment>> attached(switches.size());
    for (uint32_t s = 0; s < switches.size(); ++s)
    {
        graph.neighborOfPort.emplace_back();
        for (uint32_t p = 0; p < switches[s]->GetNPorts(); ++p)
        {
            Ptr<FabricNetDevice> peer = switches[s]->GetPort(p)->GetPeer();
            auto found = indexOfNode.find(peer->GetNode()->GetId());
            graph.neighborOfPort[s].push_back(found == indexOfNode.end() ? NO_SWITCH
                                                                         : found->second);
            if (found == indexOfNode.end())
            {
                attached[s].push_back({peer->GetIpv4Address().Get(), p});
            }
        }
    }

    uint32_t lowest = UINT32_MAX;
    uint32_t highest = 0;
    for (const auto& endpoint : endpoints)
    {
        lowest = std::min(lowest, endpoint->GetIpv4Address().Get());
        highest = std::max(highest, endpoint->GetIpv4Address().Get());
    }
    for (const auto& fabricSwitch : switches)
    {
        fabricSwitch->GetForwardingTable().Reset(lowest,
                                                 endpoints.empty() ? 0 : highest - lowest + 1);
    }

    std::shared_ptr<const MacTable> macs = MacsOf(endpoints);
    if (!macs)
    {
        return "two endpoints have the same MAC address";
    }
    std::vector<std::vector<uint32_t>> floodPorts = SpanningTree(graph, switches);
    for (uint32_t s = 0; s < switches.size(); ++s)
    {
        for (const Attachment& attachment : attached[s])
        {
            floodPorts[s].push_back(attachment.port);
        }
        std::sort(floodPorts[s].begin(), floodPorts[s].end());
        switches[s]->SetFloodPorts(floodPorts[s]);
        switches[s]->SetMacTable(macs);
    }

    for (uint32_t target = 0; target < switches.size(); ++target)
    {
        if (attached[target].empty())
        {
            continue;
        }
        std::vector<uint32_t> distance = DistancesTo(target, graph);
        for (uint32_t s = 0; s < switches.size(); ++s)
        {
            if (distance[s] == UNREACHED && !attached[s].empty())
            {
                std::ostringstream why;
                why << "no path leads from the switch of node "
                    << switches[s]->GetPort(0)->GetNode()->GetId() << " to the switch of node "
                    << switches[target]->GetPort(0)->GetNode()->GetId()
                    << ": the fabric falls into parts";
                return why.str();
            }
            std::vector<uint32_t> ports =
                s == target ? std::vector<uint32_t>{}
                            : PortsTowards(graph.neighborOfPort[s], distance, distance[s]);
            for (const Attachment& attachment : attached[target])
            {
                switches[s]->GetForwardingTable().SetRoute(
                    attachment.address,
                    s == target ? std::vector<uint32_t>{attachment.port} : ports);
            }
        }
    }
    return "";
}

} // namespace ns3
