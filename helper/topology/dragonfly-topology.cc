// SPDX-License-Identifier: GPL-2.0-only
#include "dragonfly-topology.h"

#include "parameter-check.h"

namespace ns3
{

namespace
{

/// A way over two global cables, 6 or more, is longer than any local, global, local, at most 5: so
/// that the shortest paths are the paper's minimal ones.
constexpr uint32_t GLOBAL_WEIGHT = 3;

} // namespace

DragonflyParameters
DragonflyParameters::Resolved() const
{
    DragonflyParameters resolved = *this;
    resolved.g = g == 0 ? a * h + 1 : g;
    resolved.localRate = localRate.GetBitRate() == 0 ? linkRate : localRate;
    resolved.globalRate = globalRate.GetBitRate() == 0 ? linkRate : globalRate;
    return resolved;
}

std::string
DragonflyParameters::Check() const
{
    ParameterCheck check;
    check.Range("a", a, 1, MOST_SWITCH_PORTS)
        .Range("p", p, 1, MOST_SWITCH_PORTS)
        .Range("h", h, g == 1 ? 0 : 1, MOST_SWITCH_PORTS)
        .Ports("a switch", uint64_t{p} + a - 1 + h);
    if (check.IsFine())
    {
        const uint64_t groups = Resolved().g;
        check.Range("g", groups, 1, uint64_t{a} * h + 1)
            .Size(groups * a * p, groups * a * (p + a + h));
    }
    return check.Get();
}

FabricGraph
MakeDragonfly(const DragonflyParameters& parameters)
{
    const DragonflyParameters d = parameters.Resolved();
    const uint32_t switches = d.g * d.a;
    const uint32_t hosts = switches * d.p;

    FabricGraph graph;
    for (uint32_t host = 0; host < hosts; host++)
    {
        graph.AddHost("host" + std::to_string(host));
    }
    for (uint32_t s = 0; s < switches; s++)
    {
        graph.AddSwitch("group" + std::to_string(s / d.a) + "-switch" + std::to_string(s % d.a), 1);
    }
    for (uint32_t host = 0; host < hosts; host++)
    {
        graph.Connect({host, hosts + host / d.p, d.linkRate, d.linkDelay});
    }
    for (uint32_t s = 0; s < switches; s++)
    {
        for (uint32_t other = s + 1; other < (s / d.a + 1) * d.a; other++)
        {
            graph.Connect({hosts + s, hosts + other, d.localRate, d.localDelay});
        }
    }
    for (const GlobalLink& link : MakeGlobalLinks(d.g, d.a * d.h, d.arrangement))
    {
        graph.Connect({hosts + link.groupA * d.a + link.portA / d.h,
                       hosts + link.groupB * d.a + link.portB / d.h,
                       d.globalRate,
                       d.globalDelay,
                       0,
                       GLOBAL_WEIGHT});
    }
    return graph;
}

} // namespace ns3
