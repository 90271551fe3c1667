// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERFTEST_REPORT_H
#define PERFTEST_REPORT_H

#include "ns3/perftest-config.h"
#include "ns3/perftest-result.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief A perftest's results: the table that perftest prints, rows of perftest.csv, summary.json.
 */

/// @param out where to @param config complete @param mtu payload of a full frame
void PrintPerftestHeader(std::ostream& out, const PerftestConfig& config, uint32_t mtu);

/// @param out where to @param result one size
void PrintPerftestRow(std::ostream& out, const PerftestResult& result);

/// @param out where to
void PrintPerftestEnd(std::ostream& out);

/// @param csv perftest.csv
void WritePerftestCsvHeader(std::ostream& csv);

/// @param csv perftest.csv @param job whose @param config complete @param result one size
void WritePerftestCsv(std::ostream& csv,
                      const std::string& job,
                      const PerftestConfig& config,
                      const PerftestResult& result);

/// @param job whose @param config complete @param result one size @return for summary.json
nlohmann::ordered_json PerftestSummary(const std::string& job,
                                       const PerftestConfig& config,
                                       const PerftestResult& result);

} // namespace ns3

#endif // PERFTEST_REPORT_H
