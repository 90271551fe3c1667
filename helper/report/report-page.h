// SPDX-License-Identifier: GPL-2.0-only
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <ostream>
#include <string>

namespace ns3
{

/// @param text of a cell @return as a CSV file has it, in quotes where it needs them
std::string CsvCell(const std::string& text);

/// @param value some @return it with six digits at most
std::string DigitsText(double value);

/// Begins a page that needs nothing else, with the look of all reports about several runs.
/// @param out where to @param title of the page, and its heading
void BeginReportPage(std::ostream& out, const std::string& title);

/// @param out where to
void EndReportPage(std::ostream& out);

} // namespace ns3

#endif // REPORT_PAGE_H
