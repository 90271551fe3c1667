// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_REPORT_H
#define COLLECTIVE_REPORT_H

#include "ns3/collective-record.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace ns3
{

/// Writes the header of collectives.csv. @param out where to
void WriteCollectiveCsvHeader(std::ostream& out);

/// Writes a row. @param out where to @param job its job @param record a collective that has ended
void WriteCollectiveCsv(std::ostream& out, const std::string& job, const CollectiveRecord& record);

/// Prints the head of the table, as nccl-tests has it. @param out where to @param title a line
void PrintCollectiveTableHeader(std::ostream& out, const std::string& title);

/// Prints a row. @param out where to @param record a collective @param type of its elements
void PrintCollectiveTableRow(std::ostream& out,
                             const CollectiveRecord& record,
                             const std::string& type);

/// @param job its job @param record a collective @return it as an object of summary.json
nlohmann::ordered_json CollectiveSummary(const std::string& job, const CollectiveRecord& record);

} // namespace ns3

#endif // COLLECTIVE_REPORT_H
