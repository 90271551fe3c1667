// SPDX-License-Identifier: GPL-2.0-only
#ifndef HTML_REPORT_H
#define HTML_REPORT_H

#include "link-report.h"

#include "ns3/fabric-graph.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief report.html: a page that needs nothing else. Its head has the summary's figures; then come
 * the fabric as a picture with the load of each cable, the hottest links, and the ports that were
 * paused or dropped.
 * @param out where to
 * @param summary as summary.json has it
 * @param graph the fabric on paper
 * @param ports those of the graph first, two an edge in the order of edges, a before b; then others
 * @param elapsed simulated time, time steps
 */
void WriteHtmlReport(std::ostream& out,
                     const nlohmann::ordered_json& summary,
                     const FabricGraph& graph,
                     const std::vector<ReportedPort>& ports,
                     int64_t elapsed);

} // namespace ns3

#endif // HTML_REPORT_H
