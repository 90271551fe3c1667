// SPDX-License-Identifier: GPL-2.0-only
#include "dragonfly-plus-topology.h"

#include "parameter-check.h"

namespace ns3
{

DragonflyPlusParameters
DragonflyPlusParameters::Resolved() const
{
    DragonflyPlusParameters resolved = *this;
    resolved.groups = groups == 0 ? spines * globalLinks + 1 : groups;
    resolved.localRate = localRate.GetBitRate() == 0 ? linkRate : localRate;
    resolved.globalRate = globalRate.GetBitRate() == 0 ? linkRate : globalRate;
    return resolved;
}

std::string
DragonflyPlusParameters::Check() const
{
    ParameterCheck check;
    check.Range("leaves", leaves, 1, MOST_SWITCH_PORTS)
        .Range("spines", spines, 1, MOST_SWITCH_PORTS)
        .Range("hostsPerLeaf", hostsPerLeaf, 1, MOST_SWITCH_PORTS)
        .Range("globalLinks", globalLinks, groups == 1 ? 0 : 1, MOST_SWITCH_PORTS)
        .Ports("a leaf", uint64_t{hostsPerLeaf} + spines)
        .Ports("a spine", uint64_t{leaves} + globalLinks);
    if (check.IsFine())
    {
        const uint64_t all = Resolved().groups;
        check.Range("groups", all, 1, uint64_t{spines} * globalLinks + 1)
            .Size(all * leaves * hostsPerLeaf,
                  all * (leaves * (hostsPerLeaf + spines) + uint64_t{spines} * globalLinks));
    }
    return check.Get();
}

FabricGraph
MakeDragonflyPlus(const DragonflyPlusParameters& parameters)
{
    const DragonflyPlusParameters d = parameters.Resolved();
    const uint32_t ofAGroup = d.leaves + d.spines;
    const uint32_t hosts = d.groups * d.leaves * d.hostsPerLeaf;
    auto leaf = [&](uint32_t group, uint32_t index) { return hosts + group * ofAGroup + index; };
    auto spine = [&](uint32_t group, uint32_t index) { return leaf(group, d.leaves + index); };

    FabricGraph graph;
    for (uint32_t host = 0; host < hosts; host++)
    {
        graph.AddHost("host" + std::to_string(host));
    }
    for (uint32_t group = 0; group < d.groups; group++)
    {
        const std::string name = "group" + std::to_string(group);
        for (uint32_t l = 0; l < d.leaves; l++)
        {
            graph.AddSwitch(name + "-leaf" + std::to_string(l), 1);
        }
        for (uint32_t s = 0; s < d.spines; s++)
        {
            graph.AddSwitch(name + "-spine" + std::to_string(s), 2);
        }
    }
    for (uint32_t host = 0; host < hosts; host++)
    {
        const uint32_t index = host / d.hostsPerLeaf;
        graph.Connect({host, leaf(index / d.leaves, index % d.leaves), d.linkRate, d.linkDelay});
    }
    for (uint32_t group = 0; group < d.groups; group++)
    {
        for (uint32_t cable = 0; cable < d.leaves * d.spines; cable++)
        {
            graph.Connect({leaf(group, cable / d.spines),
                           spine(group, cable % d.spines),
                           d.localRate,
                           d.localDelay});
        }
    }
    for (const GlobalLink& link :
         MakeGlobalLinks(d.groups, d.spines * d.globalLinks, d.arrangement))
    {
        graph.Connect({spine(link.groupA, link.portA / d.globalLinks),
                       spine(link.groupB, link.portB / d.globalLinks),
                       d.globalRate,
                       d.globalDelay});
    }
    return graph;
}

} // namespace ns3
