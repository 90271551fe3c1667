// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-platform.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace ns3
{

namespace
{

double
ToGBps(const DataRate& rate)
{
    return rate.GetBitRate() / 8e9;
}

/// @param architecture such as "9.0" @return 90; 80 for what is not NVIDIA's
uint32_t
ToComputeCapability(const std::string& architecture)
{
    char* rest = nullptr;
    double number = std::strtod(architecture.c_str(), &rest);
    bool cuda = !architecture.empty() && *rest == '\0';
    return cuda ? static_cast<uint32_t>(std::lround(number * 10)) : 80;
}

/// The scale-up links of a GPU.
void
DescribeScaleUp(const std::vector<Ptr<GpuEndpoint>>& gpus, CollectivePlatform& platform)
{
    std::set<uint32_t> servers;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        servers.insert(gpu->GetNode()->GetId());
    }
    Ptr<ScaleUpPort> port = gpus.front()->GetScaleUpPort();
    platform.hasInSwitchReduction = port && port->HasFrameGroups();
    platform.hasSwitch = true;
    for (uint32_t link = 0; port && link < port->GetNLinks(); link++)
    {
        Ptr<FabricNetDevice> device = port->GetDevice(link);
        platform.scaleUpGBps += ToGBps(device->GetDataRate());
        // Switches of a domain are on nodes of their own; in a mesh a GPU is at the other end.
        Ptr<FabricNetDevice> peer = device->GetPeer();
        platform.hasSwitch =
            platform.hasSwitch && !(peer && servers.count(peer->GetNode()->GetId()) > 0);
    }
}

/// The NICs of the groups: domains, or servers where there are none.
void
DescribeNics(const std::vector<Ptr<GpuEndpoint>>& gpus, CollectivePlatform& platform)
{
    std::map<std::pair<bool, uint32_t>, std::set<std::pair<uint32_t, uint32_t>>> nics;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        bool domain = gpu->GetScaleUpPort() != nullptr;
        auto& ofGroup = nics[{domain, domain ? gpu->GetScaleUpDomain() : gpu->GetServer()}];
        for (const GpuNicPort& port : gpu->GetNicPorts())
        {
            ofGroup.insert({port.device->GetNode()->GetId(), port.device->GetIfIndex()});
            double rate = ToGBps(port.device->GetDataRate());
            platform.nicGBps = platform.nicGBps > 0 ? std::min(platform.nicGBps, rate) : rate;
        }
    }
    platform.nicsPerGroup = UINT32_MAX;
    for (const auto& [group, ofGroup] : nics)
    {
        platform.nicsPerGroup =
            std::min(platform.nicsPerGroup, static_cast<uint32_t>(ofGroup.size()));
    }
}

/// NIC ports of GPUs, each once, in their order.
std::vector<Ptr<FabricNetDevice>>
ListNics(const std::vector<Ptr<GpuEndpoint>>& gpus)
{
    std::vector<Ptr<FabricNetDevice>> nics;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        for (const GpuNicPort& port : gpu->GetNicPorts())
        {
            if (std::find(nics.begin(), nics.end(), port.device) == nics.end())
            {
                nics.push_back(port.device);
            }
        }
    }
    return nics;
}

/// How far a GPU is from a NIC port.
ServerPath
FindNicPath(const GpuEndpoint& gpu, const Ptr<FabricNetDevice>& nic)
{
    for (const GpuNicPort& port : gpu.GetNicPorts())
    {
        if (port.device == nic)
        {
            return ServerPath::PIX;
        }
    }
    return ServerPath::SYS;
}

/// Links from each GPU to each other one.
void
DescribeLinks(const std::vector<Ptr<GpuEndpoint>>& gpus, ServerGraph& graph)
{
    for (uint32_t a = 0; a < gpus.size(); a++)
    {
        graph.gpuPaths[a][a] = ServerPath::NVL;
        Ptr<ScaleUpPort> port = gpus[a]->GetScaleUpPort();
        for (uint32_t link = 0; port && link < port->GetNLinks(); link++)
        {
            Ptr<FabricNetDevice> device = port->GetDevice(link);
            double gbps = ToGBps(device->GetDataRate());
            bool toPeer = false;
            for (uint32_t b = 0; b < gpus.size(); b++)
            {
                Ptr<ScaleUpPort> other = gpus[b]->GetScaleUpPort();
                for (uint32_t i = 0; b != a && other && i < other->GetNLinks(); i++)
                {
                    if (other->GetDevice(i) == device->GetPeer())
                    {
                        graph.gpuPaths[a][b] = ServerPath::NVL;
                        graph.gpuGBps[a][b] += gbps;
                        graph.switched = false;
                        toPeer = true;
                    }
                }
            }
            for (uint32_t b = 0; !toPeer && b < gpus.size(); b++)
            {
                graph.gpuPaths[a][b] = ServerPath::NVL;
                graph.gpuGBps[a][b] += gbps;
            }
        }
    }
}

} // namespace

CollectivePlatform
MakePlatform(const std::vector<Ptr<GpuEndpoint>>& gpus,
             const GpuPreset* preset,
             const std::string& cpuVendor)
{
    CollectivePlatform platform;
    platform.cpuVendor = cpuVendor;
    if (gpus.empty())
    {
        return platform;
    }
    DescribeScaleUp(gpus, platform);
    DescribeNics(gpus, platform);
    if (preset)
    {
        platform.computeCapability = ToComputeCapability(preset->architecture);
        platform.scaleUpLinks = preset->scaleUpLinks;
    }
    bool cuda = platform.computeCapability > 80 || !preset || preset->architecture == "8.0";
    if (!cuda)
    {
        platform.scaleUpLinks = 0; // NCCL knows no speed of such links: what they have counts
    }
    else if (platform.scaleUpLinks == 0)
    {
        constexpr double LINK_GBPS = 25; // NVLink 3 and 4
        platform.scaleUpLinks =
            static_cast<uint32_t>(std::max(1L, std::lround(platform.scaleUpGBps / LINK_GBPS)));
    }
    if (!gpus.front()->GetScaleUpPort())
    {
        platform.scaleUpLinks = 0;
        constexpr double PCIE_GBPS[] = {0, 3, 6, 12, 24, 48, 96}; // NCCL's, 16 lanes
        uint32_t generation = preset ? std::min(preset->pcieGeneration, 6U) : 5;
        platform.pcieGBps = PCIE_GBPS[generation];
    }
    return platform;
}

ServerGraph
MakeServerGraph(const std::vector<Ptr<GpuEndpoint>>& gpus)
{
    std::vector<Ptr<FabricNetDevice>> nics = ListNics(gpus);
    ServerGraph graph;
    graph.gpuPaths.assign(gpus.size(), std::vector<ServerPath>(gpus.size(), ServerPath::PHB));
    graph.gpuGBps.assign(gpus.size(), std::vector<double>(gpus.size(), 0));
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        graph.nicPaths.emplace_back();
        for (const Ptr<FabricNetDevice>& nic : nics)
        {
            graph.nicPaths.back().push_back(FindNicPath(*gpu, nic));
        }
    }
    DescribeLinks(gpus, graph);
    return graph;
}

} // namespace ns3
