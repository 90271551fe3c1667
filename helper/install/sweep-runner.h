// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWEEP_RUNNER_H
#define SWEEP_RUNNER_H

#include "program-pool.h"

#include "ns3/results-folder.h"
#include "ns3/sweep-axis.h"
#include "ns3/sweep-report.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// How `sweep` was called.
struct SweepOptions
{
    std::string scenario;               ///< file
    std::vector<SweepAxis> axes;        ///< at least one, or several seeds
    std::vector<std::string> overrides; ///< PATH=VALUE, for every run
    uint32_t seeds{0};                  ///< of each point: 1 to so many; 0: the scenario's own
    uint32_t jobs{0};        ///< processes side by side; 0: as many as the machine has cores
    bool again{false};       ///< what is done is run again
    std::string out;         ///< results folder; empty: results/sweep/NAME
    std::string platforms;   ///< folder of platform files; empty: the usual one
    std::string commandLine; ///< for the page
};

/**
 * @ingroup ai-fabric
 * @brief Runs a scenario once for each combination of some values: each run is a process of this
 * same program, as many side by side as is wanted; then one table of all.
 *
 * A run that has ended leaves run.json beside its results, with hashes of its resolved inputs and
 * of the program. The next sweep into the same folder does not do it again if both are the same: so
 * a sweep goes on where it was stopped. Runs that a signal ended, or that ended with a status other
 * than 0 and 3, are done again.
 */
class SweepRunner
{
  public:
    /**
     * Reads the scenario of every run; InputError where one is wrong.
     * @param options how
     * @param out where the table goes
     */
    SweepRunner(const SweepOptions& options, std::ostream& out);

    /// @return exit status: 0 every run has ended well; 3 some have stalled or failed; 1 some have
    /// ended otherwise; 130 Ctrl-C came
    int Run();

  private:
    /// Why a run is to be done.
    enum class Need
    {
        NONE, ///< it is done
        NEW,
        INPUTS,  ///< they have changed
        PROGRAM, ///< it has changed
        BROKEN,  ///< it did not end by itself, or not as a run should
        ASKED,   ///< --again
    };

    /// A run, and what it is made of.
    struct Planned
    {
        SweepRun run;
        std::vector<std::string> settings; ///< PATH=VALUE
        std::string inputs;                ///< hash of what it reads, as resolved
        Need need{Need::NEW};
    };

    void Plan();
    void CheckScenario(Planned& planned, const SweepPoint& point);
    Need FindNeed(Planned& planned) const;
    ProgramCall CallOf(const Planned& planned) const;
    void Ended(const ProgramCall& call);
    void TellPlan() const;
    void TellFailures() const;
    int GetStatus() const;

    SweepOptions m_options;
    std::ostream& m_out;
    std::string m_name; ///< of the scenario
    std::string m_program;
    std::vector<Planned> m_planned;
    std::optional<ResultsFolder> m_folder;
};

} // namespace ns3

#endif // SWEEP_RUNNER_H
