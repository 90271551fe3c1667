// SPDX-License-Identifier: GPL-2.0-only
#ifndef MEASURED_TABLE_H
#define MEASURED_TABLE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief Tables of nccl-tests that were measured on real machines, and the index that says on which
 * platform each is to be simulated. doc/validation.rst has the form of both.
 */

/// A line of a table.
struct MeasuredRow
{
    uint64_t bytes;      ///< size
    double microseconds; ///< of an iteration
    double busGBps;      ///< bus bandwidth, by its time
};

/// A table, and how it is to be simulated.
struct MeasuredTable
{
    std::string name;              ///< of its file, without .csv
    std::string platform;          ///< file in examples/platforms, without .json
    std::string test;              ///< program of nccl-tests
    uint32_t ranks{0};             ///< of the communicator
    uint32_t groups{1};            ///< scale-up domains, or servers without them
    std::string dataType;          ///< as nccl-tests calls it
    bool inPlace{false};           ///< which half of its columns counts
    std::string ncclVersion;       ///< that the source states; empty: it does not
    bool fitted{false};            ///< constants of its platform were fitted on it
    uint64_t from{0};              ///< smaller sizes are not compared
    std::string note;              ///< why one half, or why not all sizes
    std::string scenario;          ///< JSON: what its scenario has besides the platform
    std::vector<MeasuredRow> rows; ///< that are compared, by size
};

/// A class of sizes, with the error that is allowed.
struct SizeClass
{
    std::string name;    ///< such as "below 1 MiB"
    uint64_t from;       ///< bytes
    uint64_t below;      ///< bytes
    double limitPercent; ///< of the mean absolute error
};

/// @return below 1 MiB, from 1 to 64 MiB, from 64 MiB on
const std::vector<SizeClass>& GetSizeClasses();

/// @param bytes a size @return its class: index in GetSizeClasses()
size_t FindSizeClass(uint64_t bytes);

/**
 * @param path of index.json
 * @return its tables, complete; InputError where the index or a table is wrong
 */
std::vector<MeasuredTable> ReadMeasuredTables(const std::string& path);

/**
 * @param tables all that there are
 * @param names of some, whole or in part; none: all
 * @return those; InputError where a name fits none
 */
std::vector<MeasuredTable> SelectMeasuredTables(const std::vector<MeasuredTable>& tables,
                                                const std::vector<std::string>& names);

} // namespace ns3

#endif // MEASURED_TABLE_H
