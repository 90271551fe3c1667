// SPDX-License-Identifier: GPL-2.0-only
#include "topology-dot.h"

#include "topology-drawing.h"

#include <map>

namespace ns3
{

namespace
{

/// @param text any @return as a quoted string of the dot language
std::string
Quote(const std::string& text)
{
    std::string quoted = "\"";
    for (char c : text)
    {
        quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return quoted + "\"";
}

} // namespace

void
WriteTopologyDot(std::ostream& out, const FabricGraph& graph, const std::string& name)
{
    const TopologyDrawing drawing = DrawTopology(graph);
    out << "graph " << Quote(name) << " {\n"
        << (drawing.isRound ? "  layout=circo;\n" : "  rankdir=TB;\n  ranksep=1.2;\n")
        << "  node [fontname=\"Helvetica\", fontsize=10];\n"
        << "  edge [fontname=\"Helvetica\", fontsize=8, color=\"#607080\"];\n";

    std::map<uint32_t, std::vector<uint32_t>, std::greater<>> tiers; // nodes, highest tier first
    for (uint32_t n = 0; n < drawing.nodes.size(); ++n)
    {
        tiers[drawing.nodes[n].tier].push_back(n);
    }
    for (const auto& [tier, nodes] : tiers)
    {
        out << "  subgraph " << (tier > 0 ? "tier" + std::to_string(tier) : "hosts") << " {\n"
            << (drawing.isRound ? "" : "    rank=same;\n") << "    node ["
            << (tier > 0 ? "shape=box, style=\"rounded,filled\", fillcolor=\"#dbe7f3\""
                         : "shape=ellipse")
            << "];\n";
        for (uint32_t n : nodes)
        {
            out << "    n" << n << " [label=" << Quote(drawing.nodes[n].label) << "];\n";
        }
        out << "  }\n";
    }

    // A label for each kind of cable is enough, where there are many.
    constexpr size_t MOST_LABELS = 60;
    const bool labelled = drawing.links.size() <= MOST_LABELS;
    for (const TopologyDrawing::Link& link : drawing.links)
    {
        // dot puts the first end above the second.
        const bool aIsAbove = drawing.nodes[link.a].tier > drawing.nodes[link.b].tier;
        out << "  n" << (aIsAbove ? link.a : link.b) << " -- n" << (aIsAbove ? link.b : link.a);
        const std::string cables = DescribeCables(graph, link.edges);
        out << (labelled ? " [label=" : " [tooltip=") << Quote(cables) << "];\n";
    }
    out << "}\n";
}

} // namespace ns3
