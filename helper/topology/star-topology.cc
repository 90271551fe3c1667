// SPDX-License-Identifier: GPL-2.0-only
#include "star-topology.h"

namespace ns3
{

std::string
StarParameters::Check() const
{
    if (hosts < 2)
    {
        return "hosts is " + std::to_string(hosts) + "; expected at least 2";
    }
    return "";
}

FabricGraph
MakeStar(const StarParameters& parameters)
{
    FabricGraph graph;
    for (uint32_t h = 0; h < parameters.hosts; h++)
    {
        graph.AddHost("host" + std::to_string(h));
    }
    uint32_t hub = graph.AddSwitch("switch", 1);
    for (uint32_t h = 0; h < parameters.hosts; h++)
    {
        graph.Connect({h, hub, parameters.linkRate, parameters.linkDelay});
    }
    return graph;
}

} // namespace ns3
