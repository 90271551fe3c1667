// SPDX-License-Identifier: GPL-2.0-only
#include "three-tier-pod-topology.h"

#include "parameter-check.h"

namespace ns3
{

ThreeTierPodParameters
ThreeTierPodParameters::Resolved() const
{
    ThreeTierPodParameters resolved = *this;
    resolved.spineRate = spineRate.GetBitRate() == 0 ? linkRate : spineRate;
    resolved.coreRate = coreRate.GetBitRate() == 0 ? resolved.spineRate : coreRate;
    return resolved;
}

std::string
ThreeTierPodParameters::Check() const
{
    ParameterCheck check;
    check.Range("pods", pods, 1, MOST_SWITCH_PORTS)
        .Range("leavesPerPod", leavesPerPod, 1, MOST_SWITCH_PORTS)
        .Range("hostsPerLeaf", hostsPerLeaf, 1, MOST_SWITCH_PORTS)
        .Range("gpusPerServer", gpusPerServer, 1, 64)
        .Range("spinesPerPod", spinesPerPod, 1, MOST_SWITCH_PORTS)
        .Range("linksPerSpine", linksPerSpine, 1, 256)
        .Range("coresPerSpine", coresPerSpine, pods > 1 ? 1 : 0, MOST_SWITCH_PORTS)
        .Range("linksPerCore", linksPerCore, 1, 256);
    if (check.IsFine())
    {
        const uint64_t leaves = uint64_t{pods} * leavesPerPod;
        const uint64_t down = uint64_t{hostsPerLeaf} * gpusPerServer;
        const uint64_t up = uint64_t{spinesPerPod} * linksPerSpine;
        const uint64_t core = uint64_t{coresPerSpine} * linksPerCore;
        check.Ports("a leaf", down + up)
            .Ports("a spine", uint64_t{leavesPerPod} * linksPerSpine + core)
            .Ports("a core", uint64_t{pods} * linksPerCore)
            .Size(leaves * hostsPerLeaf, leaves * (down + up) + pods * spinesPerPod * core);
    }
    return check.Get();
}

FabricGraph
MakeThreeTierPod(const ThreeTierPodParameters& parameters)
{
    const ThreeTierPodParameters p = parameters.Resolved();
    const uint32_t leaves = p.pods * p.leavesPerPod;
    const uint32_t spines = p.pods * p.spinesPerPod;
    const uint32_t cores = p.spinesPerPod * p.coresPerSpine;
    const uint32_t hosts = leaves * p.hostsPerLeaf;
    const uint32_t leaf0 = hosts;
    const uint32_t spine0 = leaf0 + leaves;
    const uint32_t core0 = spine0 + spines;

    FabricGraph graph;
    for (uint32_t h = 0; h < hosts; h++)
    {
        graph.AddHost("host" + std::to_string(h));
    }
    for (uint32_t l = 0; l < leaves; l++)
    {
        graph.AddSwitch("leaf" + std::to_string(l), 1);
    }
    for (uint32_t s = 0; s < spines; s++)
    {
        graph.AddSwitch("spine" + std::to_string(s), 2);
    }
    for (uint32_t c = 0; c < cores; c++)
    {
        graph.AddSwitch("core" + std::to_string(c), 3);
    }

    for (uint32_t nic = 0; nic < hosts * p.gpusPerServer; nic++)
    {
        const uint32_t host = nic / p.gpusPerServer;
        graph.Connect({host, leaf0 + host / p.hostsPerLeaf, p.linkRate, p.linkDelay});
    }
    for (uint32_t l = 0; l < leaves; l++)
    {
        for (uint32_t cable = 0; cable < p.spinesPerPod * p.linksPerSpine; cable++)
        {
            const uint32_t spine = l / p.leavesPerPod * p.spinesPerPod + cable / p.linksPerSpine;
            graph.Connect({leaf0 + l, spine0 + spine, p.spineRate, p.spineDelay});
        }
    }
    for (uint32_t s = 0; s < spines; s++)
    {
        for (uint32_t cable = 0; cable < p.coresPerSpine * p.linksPerCore; cable++)
        {
            const uint32_t core = s % p.spinesPerPod * p.coresPerSpine + cable / p.linksPerCore;
            graph.Connect({spine0 + s, core0 + core, p.coreRate, p.coreDelay});
        }
    }
    return graph;
}

} // namespace ns3
