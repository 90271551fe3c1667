// SPDX-License-Identifier: GPL-2.0-only
#ifndef FCT_REPORT_H
#define FCT_REPORT_H

#include "results-folder.h"

#include "ns3/fct-statistics.h"
#include "ns3/rdma-flow-application.h"
#include "ns3/scenario.h"

#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief fct.csv: a row a flow, when it ends. slowdown.csv and a table: slowdown by flow size.
 *
 * Flows are in groups: a job's, and of a job with incasts those apart from the background.
 */
class FctReport
{
  public:
    /// A flow that has ended.
    struct Flow
    {
        FlowRecord record;
        std::string job;
        std::string group;
        std::string source;      ///< name of its port
        std::string destination; ///< name of its port
        int64_t idealSteps;      ///< its time if it were alone, time steps
    };

    /// @param folder where to @param config how to look at them
    FctReport(const ResultsFolder& folder, const AnalysisConfig& config);

    /// @param flow writes its row, and counts it if it is in the window of time
    void Add(const Flow& flow);

    /// Writes slowdown.csv. @param out gets the same as a table for a person
    void Finish(std::ostream& out) const;

    /// @return slowdowns of all sizes, by group, for summary.json
    nlohmann::ordered_json Summary() const;

  private:
    FctStatistics& GroupOf(const std::string& name);
    std::string PercentileName(double percent) const;
    void WriteRow(std::ostream& csv, const std::string& group, const FctBin& bin) const;
    void PrintRow(std::ostream& out, const FctBin& bin) const;

    ResultsFolder m_folder;
    AnalysisConfig m_config;
    std::ofstream m_rows;                                        ///< fct.csv
    std::vector<std::pair<std::string, FctStatistics>> m_groups; ///< in order of their first flows
};

} // namespace ns3

#endif // FCT_REPORT_H
