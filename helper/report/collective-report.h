// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_REPORT_H
#define COLLECTIVE_REPORT_H

#include "ns3/collective-record.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace ns3
{

/// A collective that has ended, for reports.
struct ReportedCollective
{
    std::string job;
    std::string chosenBy; ///< a tuner's name, or "scenario"
    const CollectiveRecord& record;
};

/// Writes the header of collectives.csv. @param out where to
void WriteCollectiveCsvHeader(std::ostream& out);

/// Writes a row. @param out where to @param collective that has ended
void WriteCollectiveCsv(std::ostream& out, const ReportedCollective& collective);

/// Prints the head of the table, as nccl-tests has it. @param out where to @param title a line
void PrintCollectiveTableHeader(std::ostream& out, const std::string& title);

/// Prints a row. @param out where to @param record a collective @param type of its elements
void PrintCollectiveTableRow(std::ostream& out,
                             const CollectiveRecord& record,
                             const std::string& type);

/// @param collective that has ended @return it as an object of summary.json
nlohmann::ordered_json CollectiveSummary(const ReportedCollective& collective);

/// @param plan of a collective @return such as "ring LL, 16 channels"
std::string DescribePlan(const CollectivePlan& plan);

} // namespace ns3

#endif // COLLECTIVE_REPORT_H
