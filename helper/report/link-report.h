// SPDX-License-Identifier: GPL-2.0-only
#ifndef LINK_REPORT_H
#define LINK_REPORT_H

#include "ns3/fabric-net-device.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// A port that is reported on: one direction of a link.
struct ReportedPort
{
    std::string name; ///< of the port
    std::string peer; ///< of the port at the other end
    Ptr<FabricNetDevice> port;
    uint32_t vertex{UINT32_MAX}; ///< of the graph, where it belongs to one
};

/**
 * @brief links.csv: a row a port.
 * @param out where to
 * @param ports all ports
 * @param elapsed of simulated time, for utilization and mean queue, time steps
 */
void WriteLinkReport(std::ostream& out, const std::vector<ReportedPort>& ports, int64_t elapsed);

/// What all ports of a fabric counted, added up.
struct FabricTotals
{
    uint64_t frames{0};         ///< received
    uint64_t payloadBytes{0};   ///< application bytes sent, hop by hop
    uint64_t ecnMarks{0};       ///< frames marked
    uint64_t pauses{0};         ///< PFC frames sent that stop a class
    int64_t pausedSteps{0};     ///< time that classes were stopped, all ports and classes
    uint64_t drops{0};          ///< frames dropped by switches and NICs
    uint64_t lost{0};           ///< frames lost on cables
    uint64_t peakQueueBytes{0}; ///< of the fullest port
    std::string hottest;        ///< the direction with the highest utilization, "from -> to"
    double hottestUtilization{0};
};

/**
 * @param ports all ports
 * @param elapsed of simulated time, time steps
 * @return the totals
 */
FabricTotals AddUpPorts(const std::vector<ReportedPort>& ports, int64_t elapsed);

} // namespace ns3

#endif // LINK_REPORT_H
