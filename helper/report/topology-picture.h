// SPDX-License-Identifier: GPL-2.0-only
#ifndef TOPOLOGY_PICTURE_H
#define TOPOLOGY_PICTURE_H

#include "ns3/fabric-graph.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// What a port did in a run.
struct PortLoad
{
    double utilization{0};  ///< of its sending direction, 0 to 1
    int64_t pausedSteps{0}; ///< that its classes were stopped, time steps
    uint64_t drops{0};      ///< frames dropped at it, and lost on its cable
};

/// What the ports at both ends of a cable did.
struct CableLoad
{
    PortLoad a;
    PortLoad b;
};

/**
 * @ingroup ai-fabric
 * @brief A fabric as a picture, one SVG element that needs nothing else.
 *
 * Switches stand in a row a tier, the highest at the top, hosts at the bottom; fabrics whose
 * switches next to hosts are joined with each other stand on a circle. Each half of a cable has the
 * colour of the direction that leaves its end. Of a large fabric what is alike is one node
 * (DrawTopology()), and of its cables the busiest counts.
 * @param out where to
 * @param graph the fabric
 * @param loads by edge; empty: nothing ran
 */
void WriteTopologySvg(std::ostream& out,
                      const FabricGraph& graph,
                      const std::vector<CableLoad>& loads = {});

/// @param out where to: the colours and marks of WriteTopologySvg() with loads, as an SVG element
void WriteLoadLegend(std::ostream& out);

/// @param text any @return with what XML and HTML reserve escaped
std::string EscapeXml(const std::string& text);

} // namespace ns3

#endif // TOPOLOGY_PICTURE_H
