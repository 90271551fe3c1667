// SPDX-License-Identifier: GPL-2.0-only
#ifndef VALIDATION_REPORT_H
#define VALIDATION_REPORT_H

#include "results-folder.h"

#include "ns3/measured-table.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// A row of a table, simulated.
struct ValidatedRow
{
    MeasuredRow measured;
    double microseconds; ///< simulated
    double busGBps;      ///< likewise
    double errorPercent; ///< of the time: (simulated - measured) / measured
    std::string algorithm;
    std::string protocol;
    uint32_t channels;
};

/// A table, simulated.
struct ValidatedTable
{
    MeasuredTable table;
    std::vector<ValidatedRow> rows; ///< those that were simulated
    std::string failure;            ///< empty, or why there are none

    /// @param sizeClass index in GetSizeClasses()
    /// @return mean absolute error of its rows, percent; none: no rows
    std::optional<double> GetError(size_t sizeClass) const;

    /// @param sizeClass index in GetSizeClasses() @return mean error with its sign; 0: no rows
    double GetBias(size_t sizeClass) const;

    /// @return it was simulated, and no class is above its limit
    bool MeetsLimits() const;

    /// @return where algorithm and protocol change: "ring LL to 1 MiB, nvls Simple from 2 MiB"
    std::string DescribeSwitches() const;
};

/**
 * Takes the results of a run.
 * @param table that was simulated
 * @param csv path of the run's nccl-tests.csv
 * @return both together
 */
ValidatedTable ReadValidatedTable(const MeasuredTable& table, const std::string& csv);

/**
 * @ingroup ai-fabric
 * @brief What `validate` found: a table for the terminal, validation.csv, validation.json, two
 * pictures a table and a page with all of them.
 */
class ValidationReport
{
  public:
    /// @param tables all that were simulated
    explicit ValidationReport(std::vector<ValidatedTable> tables);

    /// @return all tables meet all limits
    bool AllMeetLimits() const;

    /// @param sizeClass index in GetSizeClasses() @param fitted of tables that constants were
    /// fitted on, or of the others @return mean of their errors, percent; none: no rows
    std::optional<double> GetMeanError(size_t sizeClass, bool fitted) const;

    /// @return mean absolute error of all rows of all tables, percent
    double GetOverallError() const;

    /// @param out where to
    void Print(std::ostream& out) const;

    /// @param folder where to @param command that ran this, for the page
    void Write(const ResultsFolder& folder, const std::string& command) const;

  private:
    void WriteCsv(const ResultsFolder& folder) const;
    void WriteJson(const ResultsFolder& folder) const;
    void WritePage(std::ostream& out, const std::string& command) const;
    void WriteSummary(std::ostream& out) const;
    static void DrawBandwidth(std::ostream& out, const ValidatedTable& table);
    static void DrawError(std::ostream& out, const ValidatedTable& table);

    std::vector<ValidatedTable> m_tables;
};

} // namespace ns3

#endif // VALIDATION_REPORT_H
