// SPDX-License-Identifier: GPL-2.0-only
#include "fat-tree-topology.h"

namespace ns3
{

std::string
FatTreeParameters::Check() const
{
    if (k < 2 || k > 128 || k % 2 != 0)
    {
        return "k is " + std::to_string(k) + "; expected an even number, 2 to 128";
    }
    return "";
}

FabricGraph
MakeFatTree(const FatTreeParameters& parameters)
{
    const uint32_t half = parameters.k / 2;
    const uint32_t tier = parameters.k * half; // edge switches, and as many aggregation switches
    const uint32_t hosts = tier * half;
    const uint32_t edge0 = hosts;
    const uint32_t aggregation0 = edge0 + tier;
    const uint32_t core0 = aggregation0 + tier;

    FabricGraph graph;
    for (uint32_t h = 0; h < hosts; h++)
    {
        graph.AddHost("host" + std::to_string(h));
    }
    for (uint32_t e = 0; e < tier; e++)
    {
        graph.AddSwitch("edge" + std::to_string(e));
    }
    for (uint32_t a = 0; a < tier; a++)
    {
        graph.AddSwitch("aggregation" + std::to_string(a));
    }
    for (uint32_t c = 0; c < half * half; c++)
    {
        graph.AddSwitch("core" + std::to_string(c));
    }

    for (uint32_t h = 0; h < hosts; h++)
    {
        graph.Connect({h, edge0 + h / half, parameters.linkRate, parameters.linkDelay});
    }
    auto uplink = [&](uint32_t from, uint32_t to) {
        graph.Connect({from, to, parameters.linkRate, parameters.uplinkDelay});
    };
    for (uint32_t e = 0; e < tier; e++)
    {
        for (uint32_t j = 0; j < half; j++)
        {
            uplink(edge0 + e, aggregation0 + e / half * half + j);
        }
    }
    for (uint32_t a = 0; a < tier; a++)
    {
        for (uint32_t j = 0; j < half; j++)
        {
            uplink(aggregation0 + a, core0 + a % half * half + j);
        }
    }
    return graph;
}

} // namespace ns3
