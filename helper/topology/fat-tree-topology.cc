// SPDX-License-Identifier: GPL-2.0-only
#include "fat-tree-topology.h"

#include "parameter-check.h"

namespace ns3
{

FatTreeParameters
FatTreeParameters::Resolved() const
{
    FatTreeParameters resolved = *this;
    resolved.hostsPerEdge = hostsPerEdge == 0 ? k / 2 : hostsPerEdge;
    resolved.coresPerAggregation = coresPerAggregation == 0 ? k / 2 : coresPerAggregation;
    resolved.uplinkRate = uplinkRate.GetBitRate() == 0 ? linkRate : uplinkRate;
    return resolved;
}

std::string
FatTreeParameters::Check() const
{
    ParameterCheck check;
    check.Require(k >= 2 && k <= 128 && k % 2 == 0,
                  "k is " + std::to_string(k),
                  "an even number, 2 to 128");
    if (check.IsFine())
    {
        const FatTreeParameters p = Resolved();
        const uint64_t tier = uint64_t{k} * k / 2;
        check.Ports("an edge switch", uint64_t{p.hostsPerEdge} + k / 2);
        check.Ports("an aggregation switch", uint64_t{p.coresPerAggregation} + k / 2);
        check.Size(tier * p.hostsPerEdge, tier * p.hostsPerEdge + tier * k / 2);
    }
    return check.Get();
}

FabricGraph
MakeFatTree(const FatTreeParameters& parameters)
{
    const FatTreeParameters p = parameters.Resolved();
    const uint32_t half = p.k / 2;
    const uint32_t tier = p.k * half; // edge switches, and as many aggregation switches
    const uint32_t hosts = tier * p.hostsPerEdge;
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
        graph.AddSwitch("edge" + std::to_string(e), 1);
    }
    for (uint32_t a = 0; a < tier; a++)
    {
        graph.AddSwitch("aggregation" + std::to_string(a), 2);
    }
    for (uint32_t c = 0; c < half * p.coresPerAggregation; c++)
    {
        graph.AddSwitch("core" + std::to_string(c), 3);
    }

    for (uint32_t h = 0; h < hosts; h++)
    {
        graph.Connect({h, edge0 + h / p.hostsPerEdge, p.linkRate, p.linkDelay});
    }
    auto uplink = [&](uint32_t from, uint32_t to) {
        graph.Connect({from, to, p.uplinkRate, p.uplinkDelay});
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
        for (uint32_t j = 0; j < p.coresPerAggregation; j++)
        {
            uplink(aggregation0 + a, core0 + a % half * p.coresPerAggregation + j);
        }
    }
    return graph;
}

} // namespace ns3
