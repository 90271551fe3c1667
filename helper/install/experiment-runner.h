// SPDX-License-Identifier: GPL-2.0-only
#ifndef EXPERIMENT_RUNNER_H
#define EXPERIMENT_RUNNER_H

#include "program-pool.h"

#include "ns3/experiment.h"
#include "ns3/results-folder.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// How `reproduce` was called.
struct ExperimentOptions
{
    bool full{false};        ///< the full form
    uint32_t jobs{0};        ///< processes side by side; 0: as many as the machine has cores
    std::string out;         ///< results folder; empty: results/reproduce/NAME
    std::string commandLine; ///< for the page
};

/// Reads the scenario of every variant; InputError where one is wrong.
/// @param experiment whose @param full of the full form, else of the short one
void CheckVariants(const Experiment& experiment, bool full);

/**
 * @ingroup ai-fabric
 * @brief Runs an experiment: each variant and seed is a process of this same program (`run`), as
 * many side by side as the machine has cores; then measures and reports.
 *
 * Every run starts anew, in a folder of its own (runs/VARIANT/seed-N, with what it printed in
 * log.txt). The first run that fails ends the others.
 */
class ExperimentRunner
{
  public:
    /**
     * @param experiment what to run
     * @param options how
     * @param out where the table goes
     */
    ExperimentRunner(const Experiment& experiment,
                     const ExperimentOptions& options,
                     std::ostream& out);

    /// @return exit status: 0 all expectations hold, 1 some do not, or a run failed
    int Run();

  private:
    /// A process.
    struct ExperimentRun
    {
        size_t variant;
        uint32_t seed;
        std::string name; ///< for messages
        std::string folder;
    };

    std::vector<ExperimentRun> PlanRuns() const;
    ProgramCall CallOf(const ExperimentRun& run) const;
    void ReportFailure(const ProgramCall& failed) const;

    const Experiment& m_experiment;
    ExperimentOptions m_options;
    const ExperimentForm& m_form;
    std::ostream& m_out;
    std::vector<ExperimentVariant> m_variants;
    ResultsFolder m_folder;
};

} // namespace ns3

#endif // EXPERIMENT_RUNNER_H
