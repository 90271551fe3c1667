// SPDX-License-Identifier: GPL-2.0-only
#include "dual-plane-topology.h"

#include "parameter-check.h"

namespace ns3
{

std::string
DualPlaneParameters::Check() const
{
    ParameterCheck check;
    check.Range("segments", segments, 1, MOST_SWITCH_PORTS)
        .Range("serversPerSegment", serversPerSegment, 1, MOST_SWITCH_PORTS)
        .Range("gpusPerServer", gpusPerServer, 1, 64)
        .Range("planes", planes, 1, 8)
        .Range("aggregationsPerPlane", aggregationsPerPlane, segments > 1 ? 1 : 0, 1024)
        .Range("linksPerAggregation", linksPerAggregation, 1, 256);
    if (check.IsFine())
    {
        const uint64_t servers = uint64_t{segments} * serversPerSegment;
        const uint64_t torsOfAPlane = uint64_t{segments} * gpusPerServer;
        const uint64_t up = uint64_t{aggregationsPerPlane} * linksPerAggregation;
        check.Ports("a ToR", serversPerSegment + up)
            .Size(servers, planes * (servers * gpusPerServer + torsOfAPlane * up));
        if (aggregationsPerPlane > 0)
        {
            check.Ports("an aggregation switch", torsOfAPlane * linksPerAggregation);
        }
    }
    return check.Get();
}

FabricGraph
MakeDualPlane(const DualPlaneParameters& parameters)
{
    const DualPlaneParameters& p = parameters;
    const uint32_t servers = p.segments * p.serversPerSegment;
    const uint32_t torsOfASegment = p.gpusPerServer * p.planes;
    const uint32_t tors = p.segments * torsOfASegment;
    const uint32_t tor0 = servers;
    const uint32_t aggregation0 = tor0 + tors;

    FabricGraph graph;
    for (uint32_t s = 0; s < servers; s++)
    {
        graph.AddHost("server" + std::to_string(s));
    }
    for (uint32_t t = 0; t < tors; t++)
    {
        graph.AddSwitch("segment" + std::to_string(t / torsOfASegment) + "-rail" +
                            std::to_string(t % torsOfASegment / p.planes) + "-plane" +
                            std::to_string(t % p.planes),
                        1);
    }
    for (uint32_t a = 0; a < p.planes * p.aggregationsPerPlane; a++)
    {
        graph.AddSwitch("plane" + std::to_string(a / p.aggregationsPerPlane) + "-aggregation" +
                            std::to_string(a % p.aggregationsPerPlane),
                        2);
    }

    for (uint32_t s = 0; s < servers; s++)
    {
        for (uint32_t port = 0; port < torsOfASegment; port++)
        {
            const uint32_t tor = tor0 + s / p.serversPerSegment * torsOfASegment + port;
            graph.Connect({s, tor, p.linkRate, p.linkDelay});
        }
    }
    for (uint32_t t = 0; t < tors; t++)
    {
        for (uint32_t cable = 0; cable < p.aggregationsPerPlane * p.linksPerAggregation; cable++)
        {
            const uint32_t aggregation = aggregation0 + t % p.planes * p.aggregationsPerPlane +
                                         cable / p.linksPerAggregation;
            graph.Connect({tor0 + t, aggregation, p.uplinkRate, p.uplinkDelay});
        }
    }
    return graph;
}

} // namespace ns3
