// SPDX-License-Identifier: GPL-2.0-only
#include "nic-ways.h"

#include "gpu-endpoint.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return the indices of the ports in a network
std::vector<size_t>
PortsIn(const std::vector<uint32_t>& networks, uint32_t network)
{
    std::vector<size_t> ports;
    for (size_t p = 0; p < networks.size(); ++p)
    {
        if (networks[p] == network)
        {
            ports.push_back(p);
        }
    }
    return ports;
}

std::vector<uint32_t>
NetworksOf(const GpuEndpoint& gpu)
{
    std::vector<uint32_t> networks;
    for (const GpuNicPort& port : gpu.GetNicPorts())
    {
        networks.push_back(port.network);
    }
    return networks;
}

} // namespace

std::vector<std::pair<size_t, size_t>>
PairPorts(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to)
{
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t p = 0; p < from.size(); ++p)
    {
        if (std::find(from.begin(), from.begin() + p, from[p]) != from.begin() + p)
        {
            continue; // a network that had its turn
        }
        std::vector<size_t> own = PortsIn(from, from[p]);
        std::vector<size_t> other = PortsIn(to, from[p]);
        for (size_t i = 0; !other.empty() && i < std::max(own.size(), other.size()); ++i)
        {
            pairs.emplace_back(own[i % own.size()], other[i % other.size()]);
        }
    }
    return pairs;
}

std::vector<NicWay>
FindNicWays(const GpuEndpoint& from, const GpuEndpoint& to)
{
    std::vector<NicWay> ways;
    for (auto [own, other] : PairPorts(NetworksOf(from), NetworksOf(to)))
    {
        ways.emplace_back(from.GetNicPorts()[own].device, to.GetNicPorts()[other].device);
    }
    return ways;
}

} // namespace ns3
