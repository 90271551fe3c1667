// SPDX-License-Identifier: GPL-2.0-only
#include "experiment-runner.h"

#include "ns3/experiment-report.h"
#include "ns3/input-error.h"
#include "ns3/scenario.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <unistd.h>

namespace ns3
{

namespace
{

std::string
DefaultFolder(const Experiment& experiment, const ExperimentOptions& options)
{
    return options.out.empty() ? "results/reproduce/" + experiment.name : options.out;
}

} // namespace

void
CheckVariants(const Experiment& experiment, bool full)
{
    for (const auto& variant : GetVariants(experiment, full ? experiment.full : experiment.brief))
    {
        ReadScenario(experiment.file, variant.settings);
    }
}

ExperimentRunner::ExperimentRunner(const Experiment& experiment,
                                   const ExperimentOptions& options,
                                   std::ostream& out)
    : m_experiment(experiment),
      m_options(options),
      m_form(options.full ? experiment.full : experiment.brief),
      m_out(out),
      m_variants(GetVariants(experiment, m_form)),
      m_folder(DefaultFolder(experiment, options))
{
}

int
ExperimentRunner::Run()
{
    constexpr int ALL_HOLD = 0;
    constexpr int OFF = 1;
    CheckVariants(m_experiment, m_options.full);
    const std::vector<ExperimentRun> runs = PlanRuns();
    std::vector<ProgramCall> calls;
    for (const ExperimentRun& run : runs)
    {
        calls.push_back(CallOf(run));
    }
    const auto start = std::chrono::steady_clock::now();
    ProgramPool pool(m_experiment.name, m_options.jobs, true);
    if (const ProgramCall* failed = pool.RunAll(calls))
    {
        ReportFailure(*failed);
        return OFF;
    }
    std::vector<std::vector<std::string>> folders(m_variants.size());
    for (const ExperimentRun& run : runs)
    {
        folders[run.variant].push_back(run.folder);
    }
    ExperimentReport report(m_experiment, m_options.full ? "full" : "short", m_variants, folders);
    report.Write(m_folder, m_options.commandLine);
    report.Print(m_out);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    m_out << "\ntime      " << FixedText(wall.count(), 1) << " s: " << runs.size()
          << " runs, at most " << pool.GetJobs() << " side by side\n"
          << "results   " << m_folder.PathOf("report.html") << std::endl;
    return report.AllHold() ? ALL_HOLD : OFF;
}

std::vector<ExperimentRunner::ExperimentRun>
ExperimentRunner::PlanRuns() const
{
    std::vector<ExperimentRun> runs;
    for (size_t v = 0; v < m_variants.size(); ++v)
    {
        for (uint32_t seed = 1; seed <= m_form.seeds; ++seed)
        {
            const std::string part = "seed-" + std::to_string(seed);
            std::string folder = m_variants[v].name;
            std::replace(folder.begin(), folder.end(), '/', '_');
            runs.push_back({v,
                            seed,
                            m_variants[v].name + " " + part,
                            m_folder.PathOf("runs/" + folder + "/" + part)});
        }
    }
    return runs;
}

ProgramCall
ExperimentRunner::CallOf(const ExperimentRun& run) const
{
    ProgramCall call{run.name, run.folder, {"run", m_experiment.file, "--quiet"}};
    for (const std::string& setting : m_variants[run.variant].settings)
    {
        call.words.insert(call.words.end(), {"--set", setting});
    }
    call.words.insert(call.words.end(), {"--seed", std::to_string(run.seed)});
    return call;
}

void
ExperimentRunner::ReportFailure(const ProgramCall& failed) const
{
    if (isatty(STDERR_FILENO))
    {
        std::cerr << "\r\033[K";
    }
    std::cerr << m_experiment.name << ": the run " << failed.name << " has failed, "
              << DescribeFailure(failed) << "; the others were ended, and nothing is reported\n"
              << LastLinesOf(failed) << "  results so far: " << failed.folder << std::endl;
}

} // namespace ns3
