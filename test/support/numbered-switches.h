// SPDX-License-Identifier: GPL-2.0-only
#ifndef NUMBERED_SWITCHES_H
#define NUMBERED_SWITCHES_H

#include "ns3/fabric-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A fabric of switches s0, s1, ... with one host each, h0, h1, ..., on the switch's port 0.
class NumberedSwitches
{
  public:
    /// @param count of switches that are there from the start
    explicit NumberedSwitches(uint32_t count)
    {
        for (uint32_t s = 0; s < count; ++s)
        {
            AddSwitch();
        }
    }

    /// @param tier of the switch, 0: not said @param withHost with a host @return its number
    uint32_t AddSwitch(uint32_t tier = 0, bool withHost = true)
    {
        auto number = static_cast<uint32_t>(vertices.size());
        vertices.push_back(graph.AddSwitch("s" + std::to_string(number), tier));
        if (withHost)
        {
            uint32_t host = graph.AddHost("h" + std::to_string(number));
            Connect(host, vertices[number], 1, DataRate("100Gbps"));
        }
        return number;
    }

    /// @return index of the new cable
    size_t Link(uint32_t a, uint32_t b, uint32_t weight = 1, DataRate rate = DataRate("100Gbps"))
    {
        return Connect(vertices[a], vertices[b], weight, rate);
    }

    FabricGraph graph;
    std::vector<uint32_t> vertices; ///< by switch

  private:
    size_t Connect(uint32_t a, uint32_t b, uint32_t weight, DataRate rate)
    {
        FabricGraph::Edge edge{a, b, rate, NanoSeconds(500)};
        edge.weight = weight;
        graph.Connect(edge);
        return graph.GetEdges().size() - 1;
    }
};

} // namespace ns3

#endif // NUMBERED_SWITCHES_H
