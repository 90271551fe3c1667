// SPDX-License-Identifier: GPL-2.0-only
#ifndef DROP_REPORT_H
#define DROP_REPORT_H

#include "link-report.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// What the reports call frames that were lost on the cable to a port.
constexpr const char* LOST_ON_CABLE = "cable";

/// @param ports all ports @return frames that went nowhere, by reason; those without any are left
/// out
std::map<std::string, uint64_t> CountDrops(const std::vector<ReportedPort>& ports);

/**
 * @brief drops.csv: a row a port and reason.
 * @param out where to
 * @param ports all ports
 */
void WriteDropReport(std::ostream& out, const std::vector<ReportedPort>& ports);

} // namespace ns3

#endif // DROP_REPORT_H
