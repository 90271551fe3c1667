// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_TESTS_REPORT_H
#define NCCL_TESTS_REPORT_H

#include "ns3/collective-plan.h"
#include "ns3/nccl-tests-config.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>

namespace ns3
{

/// What was measured of one size, out of place or in place.
struct NcclTestHalf
{
    double seconds{0};             ///< of an iteration
    NcclTestBandwidth bandwidth{}; ///< bytes a second
    std::optional<uint64_t> wrong; ///< elements; none: not checked
    CollectivePlan plan;           ///< how it was carried out
};

/// A line of the table.
struct NcclTestRow
{
    NcclTestSize size;
    int32_t root; ///< -1: the test has none
    std::optional<NcclTestHalf> outOfPlace;
    std::optional<NcclTestHalf> inPlace;
};

/// Prints what the program prints before its first line. @param out where to
/// @param options of the test @param ranks of the communicator @param cluster what runs it
void PrintNcclTestHeader(std::ostream& out,
                         const NcclTestOptions& options,
                         uint32_t ranks,
                         const std::string& cluster);

/// Prints a line. @param out where to @param options of the test @param row the line
void PrintNcclTestRow(std::ostream& out, const NcclTestOptions& options, const NcclTestRow& row);

/// Prints what comes after the last line. @param out where to @param options of the test
/// @param averageBus mean bus bandwidth of all columns that were measured, bytes a second
void PrintNcclTestEnd(std::ostream& out, const NcclTestOptions& options, double averageBus);

/// Writes the header of nccl-tests.csv. @param out where to
void WriteNcclTestCsvHeader(std::ostream& out);

/// Writes a row for each place. @param out where to @param job its job @param options of the test
/// @param row the line
void WriteNcclTestCsv(std::ostream& out,
                      const std::string& job,
                      const NcclTestOptions& options,
                      const NcclTestRow& row);

/// @param job its job @param options of the test @param row a line
/// @return it as an object of summary.json
nlohmann::ordered_json NcclTestSummary(const std::string& job,
                                       const NcclTestOptions& options,
                                       const NcclTestRow& row);

} // namespace ns3

#endif // NCCL_TESTS_REPORT_H
