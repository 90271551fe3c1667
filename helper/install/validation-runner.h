// SPDX-License-Identifier: GPL-2.0-only
#ifndef VALIDATION_RUNNER_H
#define VALIDATION_RUNNER_H

#include "program-pool.h"

#include "ns3/measured-table.h"
#include "ns3/results-folder.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// How `validate` was called.
struct ValidationOptions
{
    std::string index{"test/data/measured/index.json"}; ///< of the tables
    std::vector<std::string> names;                     ///< of tables, whole or in part; none: all
    uint32_t jobs{0};  ///< processes side by side; 0: as many as the machine has cores
    bool quick{false}; ///< every other size, up to 1 GiB
    std::string out;   ///< results folder; empty: results/validate
    std::vector<std::string> overrides; ///< PATH=VALUE, for every scenario
    std::string platforms;              ///< folder of platform files; empty: the usual one
    std::string commandLine;            ///< for the page
};

/**
 * @param table a measured table
 * @param quick leave sizes out
 * @return JSON of the scenario that does what was measured
 */
std::string MakeValidationScenario(const MeasuredTable& table, bool quick);

/**
 * @ingroup ai-fabric
 * @brief Simulates measured tables, each as a process of its own, and compares.
 */
class ValidationRunner
{
  public:
    /// @param options how @param out where the table goes
    ValidationRunner(const ValidationOptions& options, std::ostream& out);

    /// @return exit status: 0 all limits are met, 1 some are not, or a run failed
    int Run();

  private:
    std::string WriteScenario(const MeasuredTable& table) const;
    ProgramCall CallOf(const MeasuredTable& table, const std::string& scenario) const;

    ValidationOptions m_options;
    std::ostream& m_out;
    ResultsFolder m_folder;
    std::vector<MeasuredTable> m_tables;
};

} // namespace ns3

#endif // VALIDATION_RUNNER_H
