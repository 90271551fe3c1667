// SPDX-License-Identifier: GPL-2.0-only
#include "rail-optimized-topology.h"

namespace ns3
{

namespace
{

constexpr uint64_t MOST_GPUS = 1U << 20;

} // namespace

RailOptimizedParameters
RailOptimizedParameters::Resolved() const
{
    RailOptimizedParameters resolved = *this;
    resolved.serversPerPod = serversPerPod == 0 ? servers : serversPerPod;
    resolved.spines = spines == 0 ? gpusPerServer : spines;
    resolved.spineRate = spineRate.GetBitRate() == 0 ? linkRate : spineRate;
    return resolved;
}

std::string
RailOptimizedParameters::Check() const
{
    if (servers == 0 || gpusPerServer == 0 || uint64_t{servers} * gpusPerServer < 2)
    {
        return "servers x gpusPerServer is " + std::to_string(servers) + " x " +
               std::to_string(gpusPerServer) + "; expected at least 2 GPUs";
    }
    if (uint64_t{servers} * gpusPerServer > MOST_GPUS)
    {
        return "servers x gpusPerServer is " + std::to_string(servers) + " x " +
               std::to_string(gpusPerServer) + "; expected at most " + std::to_string(MOST_GPUS) +
               " GPUs";
    }
    if (serversPerPod != 0 && servers % serversPerPod != 0)
    {
        return "serversPerPod is " + std::to_string(serversPerPod) + "; expected a divisor of " +
               std::to_string(servers) + ", the number of servers";
    }
    if (linksPerSpine == 0)
    {
        return "linksPerSpine is 0; expected at least 1";
    }
    const RailOptimizedParameters p = Resolved();
    uint64_t leaves = uint64_t{servers / p.serversPerPod} * gpusPerServer;
    if (leaves * p.spines > MOST_CABLES / linksPerSpine)
    {
        return "leaves x spines x linksPerSpine is " + std::to_string(leaves) + " x " +
               std::to_string(p.spines) + " x " + std::to_string(linksPerSpine) +
               "; expected at most " + std::to_string(MOST_CABLES) + " cables";
    }
    return "";
}

FabricGraph
MakeRailOptimized(const RailOptimizedParameters& parameters)
{
    const RailOptimizedParameters p = parameters.Resolved();
    const uint32_t rails = p.gpusPerServer;
    const uint32_t pods = p.servers / p.serversPerPod;
    const uint32_t leaf0 = p.servers;
    const uint32_t spine0 = leaf0 + pods * rails;

    FabricGraph graph;
    for (uint32_t s = 0; s < p.servers; s++)
    {
        graph.AddHost("server" + std::to_string(s));
    }
    for (uint32_t leaf = 0; leaf < pods * rails; leaf++)
    {
        graph.AddSwitch("pod" + std::to_string(leaf / rails) + "-rail" +
                            std::to_string(leaf % rails),
                        1);
    }
    for (uint32_t s = 0; s < p.spines; s++)
    {
        graph.AddSwitch("spine" + std::to_string(s), 2);
    }

    for (uint32_t s = 0; s < p.servers; s++)
    {
        for (uint32_t r = 0; r < rails; r++)
        {
            uint32_t leaf = leaf0 + s / p.serversPerPod * rails + r;
            graph.Connect({s, leaf, p.linkRate, p.linkDelay});
        }
    }
    for (uint32_t leaf = leaf0; leaf < spine0; leaf++)
    {
        for (uint32_t cable = 0; cable < p.spines * p.linksPerSpine; cable++)
        {
            graph.Connect({leaf, spine0 + cable / p.linksPerSpine, p.spineRate, p.spineDelay});
        }
    }
    return graph;
}

} // namespace ns3
