// SPDX-License-Identifier: GPL-2.0-only
#include "rail-only-topology.h"

#include "parameter-check.h"

namespace ns3
{

std::string
RailOnlyParameters::Check() const
{
    return ParameterCheck()
        .Range("servers", servers, 2, MOST_SWITCH_PORTS)
        .Range("gpusPerServer", gpusPerServer, 1, 64)
        .Get();
}

FabricGraph
MakeRailOnly(const RailOnlyParameters& parameters)
{
    const RailOnlyParameters& p = parameters;
    FabricGraph graph;
    for (uint32_t s = 0; s < p.servers; s++)
    {
        graph.AddHost("server" + std::to_string(s));
    }
    for (uint32_t r = 0; r < p.gpusPerServer; r++)
    {
        graph.AddSwitch("rail" + std::to_string(r), 1);
    }
    for (uint32_t s = 0; s < p.servers; s++)
    {
        for (uint32_t r = 0; r < p.gpusPerServer; r++)
        {
            graph.Connect({s, p.servers + r, p.linkRate, p.linkDelay});
        }
    }
    return graph;
}

} // namespace ns3
