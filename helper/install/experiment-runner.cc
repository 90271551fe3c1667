// SPDX-License-Identifier: GPL-2.0-only
#include "experiment-runner.h"

#include "ns3/experiment-report.h"
#include "ns3/input-error.h"
#include "ns3/scenario.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ns3
{

namespace
{

constexpr size_t LOG_LINES = 15; ///< of a failed run that are shown

/// @param path of a text file @return its last lines
std::string
LastLines(const std::string& path)
{
    std::ifstream file(path);
    std::deque<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
        lines.push_back(line);
        if (lines.size() > LOG_LINES)
        {
            lines.pop_front();
        }
    }
    std::string text;
    for (const std::string& line : lines)
    {
        text += "    " + line + "\n";
    }
    return text;
}

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
    if (m_options.jobs == 0)
    {
        m_options.jobs = std::max(1U, std::thread::hardware_concurrency());
    }
}

int
ExperimentRunner::Run()
{
    constexpr int ALL_HOLD = 0;
    constexpr int OFF = 1;
    CheckVariants(m_experiment, m_options.full);
    std::vector<ExperimentRun> runs = PlanRuns();
    m_start = std::chrono::steady_clock::now();
    if (!RunAll(runs))
    {
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
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - m_start;
    m_out << "\ntime      " << FixedText(wall.count(), 1) << " s: " << runs.size()
          << " runs, at most " << m_options.jobs << " side by side\n"
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

bool
ExperimentRunner::RunAll(std::vector<ExperimentRun>& runs)
{
    size_t started = 0;
    size_t done = 0;
    ShowProgress(done, runs.size(), "");
    while (done < runs.size())
    {
        while (started < runs.size() && started < done + m_options.jobs)
        {
            Start(runs[started++]);
        }
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        auto run = std::find_if(runs.begin(), runs.end(), [ended](const ExperimentRun& each) {
            return each.process == ended && ended > 0;
        });
        if (run == runs.end())
        {
            continue; // a signal, or a child of somebody else
        }
        run->process = 0;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        {
            Fail(*run, status, runs);
            return false;
        }
        ShowProgress(++done, runs.size(), run->name);
    }
    return true;
}

void
ExperimentRunner::Start(ExperimentRun& run) const
{
    // What an earlier call left is gone, so that no old file is taken for a new one.
    std::error_code error;
    std::filesystem::remove_all(run.folder, error);
    ResultsFolder folder(run.folder);
    const std::string log = folder.PathOf("log.txt");
    std::vector<std::string> words{"ai-fabric-run", "run", m_experiment.file, "--quiet"};
    words.insert(words.end(), {"--out", run.folder});
    for (const std::string& setting : m_variants[run.variant].settings)
    {
        words.insert(words.end(), {"--set", setting});
    }
    words.insert(words.end(), {"--seed", std::to_string(run.seed)});
    std::vector<char*> arguments;
    for (std::string& word : words)
    {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    std::cout.flush();
    const pid_t process = fork();
    if (process < 0)
    {
        throw InputError({m_experiment.file, 0, ""},
                         std::string("no process can be started (") + std::strerror(errno) + ")",
                         "fewer --jobs");
    }
    if (process == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGTERM); // nobody waits for a run whose experiment was ended
        const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (file >= 0)
        {
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
        }
        execv("/proc/self/exe", arguments.data());
        _exit(127);
    }
    run.process = process;
}

void
ExperimentRunner::Fail(const ExperimentRun& failed, int status, std::vector<ExperimentRun>& runs)
{
    for (ExperimentRun& run : runs)
    {
        if (run.process > 0)
        {
            kill(run.process, SIGTERM);
            waitpid(run.process, nullptr, 0);
            run.process = 0;
        }
    }
    if (isatty(STDERR_FILENO))
    {
        std::cerr << "\r\033[K";
    }
    std::cerr << m_experiment.name << ": the run " << failed.name << " has failed, "
              << (WIFEXITED(status) ? "exit status " + std::to_string(WEXITSTATUS(status))
                                    : "signal " + std::to_string(WTERMSIG(status)))
              << "; the others were ended, and nothing is reported\n"
              << LastLines(failed.folder + "/log.txt") << "  results so far: " << failed.folder
              << std::endl;
}

void
ExperimentRunner::ShowProgress(size_t done, size_t all, const std::string& last)
{
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - m_start;
    const bool terminal = isatty(STDERR_FILENO);
    std::cerr << (terminal ? "\r\033[K" : "") << "  " << m_experiment.name << ": " << done << " of "
              << all << " runs done, " << FixedText(elapsed.count(), 0) << " s";
    if (!last.empty())
    {
        std::cerr << ", last " << last;
    }
    std::cerr << (terminal && done < all ? "" : "\n") << std::flush;
}

} // namespace ns3
