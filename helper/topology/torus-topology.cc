// SPDX-License-Identifier: GPL-2.0-only
#include "torus-topology.h"

#include "parameter-check.h"

namespace ns3
{

TorusParameters
TorusParameters::Resolved() const
{
    TorusParameters resolved = *this;
    resolved.z = dimensions == 2 ? 1 : z;
    resolved.torusRate = torusRate.GetBitRate() == 0 ? linkRate : torusRate;
    return resolved;
}

std::string
TorusParameters::Check() const
{
    ParameterCheck check;
    check.Range("dimensions", dimensions, 2, 3)
        .Range("x", x, 2, 1024)
        .Range("y", y, 2, 1024)
        .Range("z", dimensions == 3 ? z : 2, 2, 1024)
        .Range("hostsPerSwitch", hostsPerSwitch, 1, MOST_SWITCH_PORTS)
        .Ports("a switch", uint64_t{hostsPerSwitch} + 2 * dimensions);
    if (check.IsFine())
    {
        const uint64_t switches = uint64_t{x} * y * Resolved().z;
        check.Size(switches * hostsPerSwitch, switches * (hostsPerSwitch + dimensions));
    }
    return check.Get();
}

FabricGraph
MakeTorus(const TorusParameters& parameters)
{
    const TorusParameters p = parameters.Resolved();
    const uint32_t switches = p.x * p.y * p.z;
    const uint32_t hosts = switches * p.hostsPerSwitch;

    FabricGraph graph;
    for (uint32_t h = 0; h < hosts; h++)
    {
        graph.AddHost("host" + std::to_string(h));
    }
    for (uint32_t s = 0; s < switches; s++)
    {
        std::string name =
            "switch-" + std::to_string(s % p.x) + "-" + std::to_string(s / p.x % p.y);
        name += p.dimensions == 3 ? "-" + std::to_string(s / p.x / p.y) : "";
        graph.AddSwitch(name, 1);
    }
    for (uint32_t h = 0; h < hosts; h++)
    {
        graph.Connect({h, hosts + h / p.hostsPerSwitch, p.linkRate, p.linkDelay});
    }
    uint32_t stride = 1;
    for (uint32_t size : {p.x, p.y, p.z})
    {
        for (uint32_t s = 0; s < switches && size > 1; s++)
        {
            const uint32_t at = s / stride % size;
            if (size > 2 || at == 0)
            {
                const uint32_t next = s - at * stride + (at + 1) % size * stride;
                graph.Connect({hosts + s, hosts + next, p.torusRate, p.torusDelay});
            }
        }
        stride *= size;
    }
    return graph;
}

} // namespace ns3
