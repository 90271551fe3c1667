// SPDX-License-Identifier: GPL-2.0-only
#include "sweep-runner.h"

#include "ns3/content-hash.h"
#include "ns3/input-error.h"
#include "ns3/run-manifest.h"
#include "ns3/scenario.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/wait.h>

namespace ns3
{

namespace
{

constexpr int SWEEP_DONE = 0;
constexpr int SWEEP_OTHER = 1;
constexpr int SWEEP_STALLED = 3;
constexpr int SWEEP_INTERRUPTED = 130; ///< as a shell says it
const char* const RUN_FILE = "run.json";

/// @param text of a value @return a part of a folder's name that is its alone
std::string
FolderPart(const std::string& text)
{
    constexpr size_t MOST_CHARACTERS = 40;
    constexpr size_t HASH_CHARACTERS = 8;
    std::string part;
    for (unsigned char c : text)
    {
        const bool isPlain = std::isalnum(c) || c == '.' || c == '-' || c == '+';
        part += isPlain ? static_cast<char>(c) : '_';
    }
    if (part.size() > MOST_CHARACTERS || part != text || part[0] == '.')
    {
        part = part.substr(0, MOST_CHARACTERS) + "_" + Sha1OfText(text).substr(0, HASH_CHARACTERS);
    }
    return part;
}

/// Adds the hashes of all files that a value names.
void
AddFiles(const nlohmann::ordered_json& value, std::string& hashes)
{
    if (value.is_string())
    {
        std::error_code ignored;
        const std::string path = value.get<std::string>();
        if (std::filesystem::is_regular_file(path, ignored))
        {
            hashes += Sha1OfFile(path);
        }
        return;
    }
    for (const auto& element : value)
    {
        if (value.is_structured())
        {
            AddFiles(element, hashes);
        }
    }
}

/// @param scenario some @return a hash of all that its results depend on, besides the program
std::string
HashInputs(const Scenario& scenario)
{
    nlohmann::ordered_json resolved = ResolvedJson(scenario);
    resolved["output"].erase("dir"); // each run has a folder of its own
    std::string text = resolved.dump();
    AddFiles(resolved, text);
    return Sha1OfText(text);
}

/// @param status as wait4() gave it @return as SweepRun has it
int
RunStatusOf(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

} // namespace

SweepRunner::SweepRunner(const SweepOptions& options, std::ostream& out)
    : m_options(options),
      m_out(out),
      m_program(GetProgramVersion())
{
    LabelSweepAxes(m_options.axes);
    if (m_options.axes.empty() && m_options.seeds < 2)
    {
        throw InputError({"sweep", 0, ""},
                         "nothing is varied",
                         "--vary PATH=a,b,c, or several --seeds");
    }
    auto sets = [](const std::string& assignment, const std::string& path) {
        return assignment.compare(0, path.size() + 1, path + "=") == 0;
    };
    for (const SweepAxis& axis : m_options.axes)
    {
        for (const std::string& override : m_options.overrides)
        {
            if (sets(override, axis.path))
            {
                throw InputError({"--set " + override, 0, axis.path}, "is varied", "one of both");
            }
        }
        if (axis.path == "seed" && m_options.seeds > 0)
        {
            throw InputError({"--vary seed", 0, ""}, "--seeds is there, too", "one of both");
        }
    }
    for (const std::string& override : m_options.overrides)
    {
        if (sets(override, "seed") && m_options.seeds > 0)
        {
            throw InputError({"--set " + override, 0, ""}, "--seeds is there, too", "one of both");
        }
    }
    Plan();
}

void
SweepRunner::Plan()
{
    for (const SweepPoint& point : GetSweepPoints(m_options.axes))
    {
        std::string name;
        std::string folder;
        std::vector<std::string> settings = m_options.overrides;
        for (size_t a = 0; a < point.size(); ++a)
        {
            const SweepAxis& axis = m_options.axes[a];
            name += (a > 0 ? " " : "") + axis.label + "=" + point[a];
            folder += (a > 0 ? "," : "") + FolderPart(axis.label) + "=" + FolderPart(point[a]);
            settings.push_back(axis.path + "=" + point[a]);
        }
        for (uint32_t seed = 1; seed <= std::max(1U, m_options.seeds); ++seed)
        {
            Planned planned;
            planned.run.values = point;
            planned.settings = settings;
            planned.run.name = name;
            planned.run.folder = "runs/" + folder;
            if (m_options.seeds > 0)
            {
                const std::string text = std::to_string(seed);
                planned.settings.push_back("seed=" + text);
                planned.run.name += (name.empty() ? "seed " : ", seed ") + text;
                planned.run.folder += (folder.empty() ? "seed-" : "/seed-") + text;
            }
            CheckScenario(planned, point);
            m_planned.push_back(std::move(planned));
        }
    }
    // Only now, when nothing can be wrong any more.
    m_folder.emplace(m_options.out.empty() ? "results/sweep/" + m_name : m_options.out);
    for (Planned& planned : m_planned)
    {
        planned.need = FindNeed(planned);
    }
}

void
SweepRunner::CheckScenario(Planned& planned, const SweepPoint& point)
{
    try
    {
        const Scenario scenario = ReadScenario(m_options.scenario, planned.settings);
        planned.run.seed = scenario.seed;
        planned.inputs = HashInputs(scenario);
        m_name = m_planned.empty() ? scenario.name : m_name;
    }
    catch (const InputError& error)
    {
        InputPlace place = error.GetPlace();
        for (size_t a = 0; a < point.size(); ++a)
        {
            const std::string assignment = m_options.axes[a].path + "=" + point[a];
            if (place.file == "--set " + assignment)
            {
                place.file = "--vary " + assignment; // as the user wrote it
            }
        }
        throw InputError(place, error.GetFound(), error.GetExpected());
    }
}

SweepRunner::Need
SweepRunner::FindNeed(Planned& planned) const
{
    std::ifstream file(m_folder->PathOf(planned.run.folder + "/" + RUN_FILE));
    const auto record = nlohmann::json::parse(file, nullptr, false);
    if (!record.is_object())
    {
        return Need::NEW; // or stopped before it had ended
    }
    SweepRun& run = planned.run;
    run.status = record.value("status", SWEEP_OTHER);
    run.wallSeconds = record.value("wall_s", 0.0);
    run.userSeconds = record.value("user_s", 0.0);
    run.peakMib = record.value("peak_mib", 0.0);
    return m_options.again                                           ? Need::ASKED
           : record.value("inputs", "") != planned.inputs            ? Need::INPUTS
           : record.value("program", "") != m_program                ? Need::PROGRAM
           : run.status != SWEEP_DONE && run.status != SWEEP_STALLED ? Need::BROKEN
                                                                     : Need::NONE;
}

ProgramCall
SweepRunner::CallOf(const Planned& planned) const
{
    ProgramCall call{planned.run.name,
                     m_folder->PathOf(planned.run.folder),
                     {"run", m_options.scenario, "--quiet"}};
    if (!m_options.platforms.empty())
    {
        call.words.insert(call.words.end(), {"--platforms", m_options.platforms});
    }
    for (const std::string& setting : planned.settings)
    {
        call.words.insert(call.words.end(), {"--set", setting});
    }
    return call;
}

void
SweepRunner::Ended(const ProgramCall& call)
{
    constexpr double KIB_PER_MIB = 1024;
    auto planned = std::find_if(m_planned.begin(), m_planned.end(), [&](const Planned& each) {
        return each.run.name == call.name;
    });
    SweepRun& run = planned->run;
    run.status = RunStatusOf(call.status);
    run.wallSeconds = call.wallSeconds;
    run.userSeconds = call.userSeconds;
    run.peakMib = static_cast<double>(call.peakKib) / KIB_PER_MIB;
    const nlohmann::ordered_json record{{"name", run.name},
                                        {"settings", planned->settings},
                                        {"inputs", planned->inputs},
                                        {"program", m_program},
                                        {"status", run.status},
                                        {"wall_s", run.wallSeconds},
                                        {"user_s", run.userSeconds},
                                        {"peak_mib", run.peakMib}};
    // All of it or nothing, whenever this program is ended.
    const ResultsFolder folder(call.folder);
    const std::string unfinished = std::string(RUN_FILE) + ".new";
    folder.Create(unfinished) << record.dump(2) << "\n";
    std::filesystem::rename(folder.PathOf(unfinished), folder.PathOf(RUN_FILE));
}

void
SweepRunner::TellPlan() const
{
    static const std::array<const char*, 6> TEXTS{
        "were done before, with the same inputs, and are not done again",
        "are new",
        "are done again, their inputs have changed",
        "are done again, the program has changed",
        "are done again, they had not ended as a run should",
        "are done again, as --again says"};
    m_out << "sweep     " << m_planned.size() << " runs";
    const char* separator = ": ";
    for (size_t need = 0; need < TEXTS.size(); ++need)
    {
        const auto count =
            std::count_if(m_planned.begin(), m_planned.end(), [need](const Planned& planned) {
                return static_cast<size_t>(planned.need) == need;
            });
        if (count > 0)
        {
            m_out << separator << count << ' ' << TEXTS[need];
            separator = "; ";
        }
    }
    m_out << std::endl;
}

void
SweepRunner::TellFailures() const
{
    for (const Planned& planned : m_planned)
    {
        if (planned.run.status != SWEEP_DONE)
        {
            ProgramCall call;
            call.folder = m_folder->PathOf(planned.run.folder);
            const int status = planned.run.status;
            m_out << "\n"
                  << planned.run.name << " has "
                  << (status == SWEEP_STALLED ? "stalled or failed, " : "failed, ")
                  << (status < 0 ? "signal " + std::to_string(-status)
                                 : "exit status " + std::to_string(status))
                  << ": " << call.folder << "\n"
                  << LastLinesOf(call);
        }
    }
}

int
SweepRunner::GetStatus() const
{
    int status = SWEEP_DONE;
    for (const Planned& planned : m_planned)
    {
        const int own = planned.run.status;
        if (own != SWEEP_DONE && own != SWEEP_STALLED)
        {
            return SWEEP_OTHER;
        }
        status = std::max(status, own);
    }
    return status;
}

int
SweepRunner::Run()
{
    TellPlan();
    std::vector<ProgramCall> calls;
    for (const Planned& planned : m_planned)
    {
        if (planned.need != Need::NONE)
        {
            calls.push_back(CallOf(planned));
        }
    }
    const auto start = std::chrono::steady_clock::now();
    ProgramPool pool("sweep", m_options.jobs, false);
    pool.SetEnded([this](const ProgramCall& call) { Ended(call); });
    pool.StopAtInterrupt();
    if (!calls.empty())
    {
        pool.RunAll(calls);
    }
    if (ProgramPool::HasBeenInterrupted())
    {
        std::cerr << "\nstopped: what has ended is kept, and the same command goes on from there: "
                  << m_folder->GetPath() << std::endl;
        return SWEEP_INTERRUPTED;
    }
    std::vector<SweepRun> runs;
    for (const Planned& planned : m_planned)
    {
        runs.push_back(planned.run);
    }
    const SweepReport report("Sweep of " + m_name,
                             m_options.axes,
                             runs,
                             std::max(1U, m_options.seeds),
                             *m_folder);
    report.Write(m_options.commandLine);
    m_out << "\n";
    report.Print(m_out);
    TellFailures();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    m_out << "\ntime      " << FixedText(wall.count(), 1) << " s: " << calls.size()
          << " runs, at most " << pool.GetJobs() << " side by side\n"
          << "results   " << m_folder->PathOf("sweep.csv") << ", "
          << m_folder->PathOf("report.html") << std::endl;
    return GetStatus();
}

} // namespace ns3
