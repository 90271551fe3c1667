// SPDX-License-Identifier: GPL-2.0-only
#include "leaf-spine-topology.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint64_t MOST_HOSTS = 1U << 20;

} // namespace

std::string
LeafSpineParameters::Check() const
{
    if (leaves == 0 || hostsPerLeaf == 0 || uint64_t{leaves} * hostsPerLeaf < 2)
    {
        return "leaves x hostsPerLeaf is " + std::to_string(leaves) + " x " +
               std::to_string(hostsPerLeaf) + "; expected at least 2 hosts";
    }
    if (uint64_t{leaves} * hostsPerLeaf > MOST_HOSTS)
    {
        return "leaves x hostsPerLeaf is " + std::to_string(leaves) + " x " +
               std::to_string(hostsPerLeaf) + "; expected at most " + std::to_string(MOST_HOSTS) +
               " hosts";
    }
    if (uint64_t{leaves} * spines > MOST_CABLES / std::max(1U, linksPerSpine))
    {
        return "leaves x spines x linksPerSpine is " + std::to_string(leaves) + " x " +
               std::to_string(spines) + " x " + std::to_string(linksPerSpine) +
               "; expected at most " + std::to_string(MOST_CABLES) + " cables";
    }
    if (leaves > 1 && (spines == 0 || linksPerSpine == 0))
    {
        return "spines x linksPerSpine is " + std::to_string(spines) + " x " +
               std::to_string(linksPerSpine) + "; expected at least 1 of each, to join the leaves";
    }
    return "";
}

FabricGraph
MakeLeafSpine(const LeafSpineParameters& parameters)
{
    const LeafSpineParameters& p = parameters;
    FabricGraph graph;
    uint32_t hosts = p.leaves * p.hostsPerLeaf;
    for (uint32_t h = 0; h < hosts; h++)
    {
        graph.AddHost("host" + std::to_string(h));
    }
    for (uint32_t l = 0; l < p.leaves; l++)
    {
        graph.AddSwitch("leaf" + std::to_string(l), 1);
    }
    for (uint32_t s = 0; s < p.spines; s++)
    {
        graph.AddSwitch("spine" + std::to_string(s), 2);
    }
    for (uint32_t h = 0; h < hosts; h++)
    {
        graph.Connect({h, hosts + h / p.hostsPerLeaf, p.linkRate, p.linkDelay});
    }
    for (uint32_t l = 0; l < p.leaves; l++)
    {
        for (uint32_t cable = 0; cable < p.spines * p.linksPerSpine; cable++)
        {
            uint32_t spine = hosts + p.leaves + cable / p.linksPerSpine;
            graph.Connect({hosts + l, spine, p.uplinkRate, p.uplinkDelay});
        }
    }
    return graph;
}

} // namespace ns3
