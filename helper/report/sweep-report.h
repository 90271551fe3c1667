// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWEEP_REPORT_H
#define SWEEP_REPORT_H

#include "results-folder.h"

#include "ns3/sweep-axis.h"

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A run of a sweep that has ended.
struct SweepRun
{
    SweepPoint values;     ///< by axis
    uint32_t seed{1};      ///< of everything random
    std::string name;      ///< of the values and the seed, for messages
    std::string folder;    ///< of its results, inside that of the sweep
    int status{0};         ///< exit status; below 0: minus the signal that ended it
    double wallSeconds{0}; ///< of the whole process
    double userSeconds{0}; ///< of processor
    double peakMib{0};     ///< of memory
};

/**
 * Takes the figures out of a summary.
 * @param summary as summary.json has it
 * @return figures and words by name: keys joined by points; an element of a list is named by what
 * it is about (job, operation, bytes). Those of the largest collective and of the largest perftest
 * are there once more, as largest_collective and largest_perftest.
 */
std::vector<std::pair<std::string, nlohmann::ordered_json>> FlattenSummary(
    const nlohmann::ordered_json& summary);

/**
 * @ingroup ai-fabric
 * @brief What came of a sweep: sweep.csv with all figures of all runs, means.csv where there were
 * several seeds, report.html with plots, and a table for the terminal of what differs.
 */
class SweepReport
{
  public:
    /**
     * Reads the results.
     * @param title of the page
     * @param axes what was varied
     * @param runs all, a point's seeds one after the other
     * @param seeds runs of each point
     * @param folder of the sweep
     */
    SweepReport(const std::string& title,
                const std::vector<SweepAxis>& axes,
                const std::vector<SweepRun>& runs,
                uint32_t seeds,
                const ResultsFolder& folder);

    /// @param command that ran this, for the page
    void Write(const std::string& command) const;

    /// @param out where to
    void Print(std::ostream& out) const;

  private:
    /// A row of figures: of a run, or the mean of some.
    using Figures = std::map<std::string, std::string>;

    /// A figure that tables and plots show.
    struct Column
    {
        std::string name;  ///< in sweep.csv
        std::string label; ///< short, with its unit
    };

    Figures ReadFigures(const SweepRun& run);
    void ComputeMeans();
    std::vector<Column> ColumnsThatDiffer(const std::vector<Figures>& rows) const;
    void WriteCsv(const std::string& file, const std::vector<Figures>& rows, bool means) const;
    std::vector<std::string> HeadOf(bool means) const;
    std::vector<std::string> RowOf(size_t row, bool means) const;
    static std::string CellOf(const Figures& figures, const std::string& name);
    void PrintTable(std::ostream& out, bool means) const;
    void WriteTable(std::ostream& out, bool means) const;
    void DrawAll(std::ostream& out) const;
    void Draw(std::ostream& out, const Column& column) const;
    std::string CurveOf(const SweepPoint& point) const;

    std::string m_title;
    const std::vector<SweepAxis>& m_axes;
    const std::vector<SweepRun>& m_runs;
    uint32_t m_seeds;
    const ResultsFolder& m_folder;
    std::vector<std::string> m_names; ///< of figures, in the order in which they were first seen
    std::vector<Figures> m_figures;   ///< by run
    std::vector<Figures> m_means;     ///< by point, over the runs that have ended well
    size_t m_xAxis{0};                ///< of plots: the axis with the most values
};

} // namespace ns3

#endif // SWEEP_REPORT_H
