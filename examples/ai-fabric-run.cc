// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The program behind ./ai-fabric: runs a scenario file, or another simulator's input.
 */

#include "command-options.h"

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr int DONE = 0;
constexpr int BAD_INPUT = 2;
constexpr uint64_t MOST_JOBS = 4096;

/// What follows "run".
struct Arguments
{
    std::string scenario;
    std::string hpccConfig;
    std::string ncclTests; ///< a command line of nccl-tests
    std::string platform;  ///< that it runs on
    std::vector<std::string> overrides;
    WireConfig wire;
    RunOptions options;
    std::string msccl;       ///< an MSCCL program to run
    bool distributed{false}; ///< over the processes that mpirun has started
    std::string simulator;   ///< of each of them; "": the default
};

void
PrintHelp(std::ostream& out)
{
    out << "usage: ai-fabric run SCENARIO.json [OPTION]...\n"
           "       ai-fabric run --hpcc CONFIG.txt [OPTION]...\n"
           "       ai-fabric run --msccl PROGRAM.xml [SCENARIO.json] [OPTION]...\n"
           "       ai-fabric run --nccl-tests \"all_reduce_perf -b 8 -e 1G -f 2\" --platform NAME "
           "[OPTION]...\n"
           "       ai-fabric sweep SCENARIO.json --vary PATH=a,b,c [--vary ...]... [--seeds N] "
           "[OPTION]...\n"
           "       ai-fabric reproduce NAME [--full] [--jobs N] [--out DIR]\n"
           "       ai-fabric validate [TABLE]... [--quick] [--jobs N] [--out DIR] [--set "
           "PATH=VALUE]"
           "...\n"
           "       ai-fabric list [KIND]\n"
           "       ai-fabric describe SCENARIO.json [--set PATH=VALUE]... [--dot FILE] "
           "[--picture FILE]\n"
           "\n"
           "  --out DIR         results folder (default: the scenario's, or results)\n"
           "  --set PATH=VALUE  change a field of the scenario, such as network.mtu=1024; with\n"
           "                    --hpcc a key of CONFIG.txt, such as CC_MODE=1\n"
           "  --seed N          the same as --set seed=N\n"
           "  --wire D,C,P,G    with --hpcc: bytes of a data frame besides its payload, of a "
           "whole\n"
           "                    control frame, of preamble and of gap (default 0,0,8,12: RoCEv2)\n"
           "  --quiet           no progress line\n"
           "  --distributed[=pod|rail|cut]\n"
           "                    over the processes that mpirun has started, divided so (default: "
           "the\n"
           "                    scenario's partition, or cut)\n"
           "  --simulator KIND  of several processes: fabric (default), or ns-3's\n"
           "                    granted-time-window or null-message\n"
           "  --nccl-tests ARGS  a program of nccl-tests with its options, on a platform\n"
           "  --platform NAME   with --nccl-tests: a name of `list platforms`, or a file\n"
           "  --platforms DIR   where platforms are (default: examples/platforms)\n"
           "  --dot FILE        with describe: the topology as Graphviz text\n"
           "  --picture FILE    with describe: the topology as SVG picture\n"
           "  --graph FILE      with describe: the topology as a file of format graph\n"
           "\n"
           "sweep runs a scenario for each combination of values, and makes one table:\n"
           "  --vary PATH=a,b,c  a field and its values; commas inside \"...\", [...] and {...} "
           "belong\n"
           "                    to a value\n"
           "  --seeds N         each combination with seeds 1 to N; means as well\n"
           "  --jobs N          runs side by side (default: the machine's cores)\n"
           "  --again           also what an earlier sweep has done with the same inputs\n"
           "\n"
           "reproduce runs an experiment of a paper (a name of --list, or a file) and compares:\n"
           "  --full            as the paper has it; else a short form, which takes seconds\n"
           "  --jobs N          runs side by side (default: the machine's cores)\n"
           "  --list            the experiments\n"
           "  --check           reads every variant's scenario and runs nothing\n"
           "  --papers DIR      where experiments are (default: examples/scenarios/papers)\n"
           "\n"
           "validate simulates the measured tables of nccl-tests (all, or those whose names are "
           "given,\n"
           "whole or in part) and compares:\n"
           "  --quick           every other size, up to 1 GiB\n"
           "  --jobs N          tables side by side (default: the machine's cores)\n"
           "  --list            the tables\n"
           "  --tables FILE     the index of the tables (default: test/data/measured/index.json)\n"
           "\n"
           "exit status: 0 done; 2 bad input (nothing was run); 3 stalled or failed; 1 else\n";
}

WireConfig
ParseWire(const std::string& text)
{
    std::vector<uint32_t> figures;
    std::istringstream in(text);
    std::string part;
    while (std::getline(in, part, ','))
    {
        bool digits = !part.empty() && part.size() <= 5 &&
                      std::all_of(part.begin(), part.end(), [](unsigned char c) {
                          return std::isdigit(c) != 0;
                      });
        if (!digits)
        {
            figures.clear();
            break;
        }
        figures.push_back(static_cast<uint32_t>(std::stoul(part)));
    }
    constexpr uint32_t MOST_OVERHEAD = 65535;
    constexpr uint32_t MOST_GAP = 255;
    if (figures.size() != 4 || figures[0] > MOST_OVERHEAD || figures[1] > MOST_OVERHEAD ||
        figures[2] > MOST_GAP || figures[3] > MOST_GAP)
    {
        throw CallError("--wire",
                        "\"" + text + "\"",
                        "four numbers D,C,P,G, the first two 0 to 65535, the others 0 to 255");
    }
    return {figures[0], figures[1], figures[2], figures[3]};
}

/// @param arguments of a call that makes no sense as a whole: InputError
void
CheckArguments(const Arguments& arguments)
{
    if (!arguments.hpccConfig.empty() && !arguments.scenario.empty())
    {
        throw CallError(arguments.scenario, "a scenario and --hpcc exclude each other");
    }
    if (arguments.ncclTests.empty() != arguments.platform.empty())
    {
        throw CallError("--nccl-tests", "it and --platform go together", "both, or neither");
    }
    if (!arguments.ncclTests.empty() &&
        !(arguments.hpccConfig.empty() && arguments.scenario.empty()))
    {
        throw CallError("--nccl-tests", "a scenario, --hpcc and --nccl-tests exclude each other");
    }
    if (!arguments.msccl.empty() && !arguments.hpccConfig.empty())
    {
        throw CallError("--msccl", "it and --hpcc exclude each other");
    }
    if (!arguments.simulator.empty() && !arguments.distributed)
    {
        throw CallError("--simulator", "goes with --distributed");
    }
}

/// @param argc of main() @param argv likewise @return what follows "run"
Arguments
ParseRun(int argc, char* argv[])
{
    Arguments arguments;
    bool wireGiven = false;
    std::string seed;
    CommandOptions options;
    options.Argument(arguments.scenario);
    options.Text("--out", arguments.options.out);
    options.Texts("--set", arguments.overrides);
    options.Text("--seed", seed);
    options.Text("--hpcc", arguments.hpccConfig);
    options.Value("--wire", [&](const std::string& text) {
        arguments.wire = ParseWire(text);
        wireGiven = true;
    });
    options.Text("--msccl", arguments.msccl);
    options.Text("--nccl-tests", arguments.ncclTests);
    options.Text("--platform", arguments.platform);
    options.Value("--platforms", SetPlatformFolder);
    options.Flag("--quiet", arguments.options.quiet);
    options.FlagWith("--distributed", [&](const std::string& kind) {
        arguments.distributed = true;
        arguments.options.partition = kind;
    });
    options.Text("--simulator", arguments.simulator);
    options.GivenByScript("--platforms");
    arguments.options.commandLine = options.Parse(argc, argv);
    CheckArguments(arguments);
    if (!seed.empty())
    {
        if (!arguments.hpccConfig.empty())
        {
            throw CallError("--seed", "an HPCC configuration has no seed");
        }
        arguments.overrides.push_back("seed=" + seed);
    }
    if (wireGiven && arguments.hpccConfig.empty())
    {
        throw CallError("--wire", "goes with --hpcc; a scenario has network.wire");
    }
    return arguments;
}

/// @return where tables go: of several processes one writes them
std::ostream&
Out()
{
    static std::ostream nowhere(nullptr);
    return ProcessGroup::GetRank() == 0 ? std::cout : nowhere;
}

/// @param name as --simulator has it
ParallelSimulator
ParseParallelSimulator(const std::string& name)
{
    if (name.empty() || name == "fabric")
    {
        return ParallelSimulator::FABRIC;
    }
    if (name == "granted-time-window")
    {
        return ParallelSimulator::GRANTED_TIME_WINDOW;
    }
    if (name == "null-message")
    {
        return ParallelSimulator::NULL_MESSAGE;
    }
    throw CallError("--simulator",
                    "\"" + name + "\" is no simulator for several processes",
                    "fabric, granted-time-window or null-message");
}

/// Joins the other processes, if the call says so.
void
StartProcesses(Arguments& arguments)
{
    const uint32_t launched = ProcessGroup::GetLaunched();
    if (!arguments.distributed)
    {
        if (launched > 1)
        {
            throw CallError("run",
                            std::to_string(launched) +
                                " processes were started, and each would do the same",
                            "--distributed, which divides the run over them");
        }
        return;
    }
    if (launched > 1 && !ProcessGroup::HasMpi())
    {
        throw CallError("--distributed",
                        std::to_string(launched) +
                            " processes were started, but the ns-3 that this program was built "
                            "with has no MPI",
                        "a program built with one that has: ./ai-fabric in-tree NS3DIR "
                        "--enable-mpi (doc/distributed.rst)");
    }
    ProcessGroup::Start(ParseParallelSimulator(arguments.simulator));
    if (ProcessGroup::GetRank() > 0)
    {
        ResultsFolder::Discard();
        arguments.options.quiet = true;
    }
}

/// Runs a program of nccl-tests on a platform.
int
RunNcclTests(Arguments& arguments)
{
    nlohmann::ordered_json workload{{"type", "nccl-tests"}, {"args", arguments.ncclTests}};
    nlohmann::ordered_json job{{"name", "nccl-tests"}, {"workload", workload}};
    nlohmann::ordered_json json{{"name", "nccl-tests"},
                                {"platform", arguments.platform},
                                {"jobs", nlohmann::ordered_json::array({job})},
                                {"output", {{"messages", false}}}};
    JsonDocument document = ParseJson(json.dump(2), "--nccl-tests");
    const Scenario scenario = ReadScenario(document, arguments.overrides);
    ScenarioRunner runner(scenario, arguments.options, Out());
    return runner.Run();
}

/// Runs an MSCCL program; one that does not do what it says is refused before it begins.
int
RunMsccl(Arguments& arguments)
{
    Scenario scenario = MakeMscclScenario(arguments.msccl, arguments.scenario, arguments.overrides);
    arguments.options.inputs = {arguments.msccl};
    if (!arguments.scenario.empty())
    {
        arguments.options.inputs.push_back(arguments.scenario);
    }
    ScenarioRunner runner(scenario, arguments.options, Out());
    int status = runner.Run();
    if (status == DONE)
    {
        Out() << "verified: in each of these, every output has the contributions that it is to "
                 "have, each exactly once"
              << std::endl;
    }
    return status;
}

int
Run(Arguments& arguments)
{
    StartProcesses(arguments);
    if (!arguments.msccl.empty())
    {
        return RunMsccl(arguments);
    }
    if (!arguments.hpccConfig.empty())
    {
        HpccConfig config = ReadHpccConfig(arguments.hpccConfig, arguments.overrides);
        HpccRunner runner(config, arguments.wire, arguments.options, Out());
        return runner.Run();
    }
    if (!arguments.ncclTests.empty())
    {
        return RunNcclTests(arguments);
    }
    if (arguments.scenario.empty())
    {
        throw CallError("run", "no scenario was given", "a scenario file or --hpcc CONFIG.txt");
    }
    Scenario scenario = ReadScenario(arguments.scenario, arguments.overrides);
    arguments.options.inputs = {arguments.scenario};
    ScenarioRunner runner(scenario, arguments.options, Out());
    return runner.Run();
}

/// @param path of a new file; InputError where it cannot be written @return it, open
std::ofstream
OpenFile(const std::string& path)
{
    std::ofstream file(path);
    if (!file)
    {
        throw InputError({path, 0, ""}, "cannot be written", "a writable file");
    }
    return file;
}

/// Says what a scenario resolves to.
int
Describe(int argc, char* argv[])
{
    std::string file;
    std::vector<std::string> overrides;
    std::string dot;
    std::string picture;
    std::string graphFile;
    CommandOptions options;
    options.Argument(file);
    options.Texts("--set", overrides);
    options.Value("--platforms", SetPlatformFolder);
    options.Text("--dot", dot);
    options.Text("--picture", picture);
    options.Text("--graph", graphFile);
    options.Parse(argc, argv);
    if (file.empty())
    {
        throw CallError("describe", "no scenario was given", "a scenario file");
    }
    Scenario scenario = ReadScenario(file, overrides);
    FabricGraph graph = MakeGraph(scenario.topology);
    if (!dot.empty())
    {
        std::ofstream out = OpenFile(dot);
        WriteTopologyDot(out, graph, scenario.name);
    }
    if (!picture.empty())
    {
        std::ofstream out = OpenFile(picture);
        WriteTopologySvg(out, graph);
    }
    if (!graphFile.empty())
    {
        std::ofstream out = OpenFile(graphFile);
        WriteGraphTopology(out, graph);
    }
    DescribeScenario(std::cout, scenario, graph);
    std::cout << ResolvedJson(scenario).dump(2) << std::endl;
    return DONE;
}

/// Says what a scenario can name.
int
List(int argc, char* argv[])
{
    std::string asked;
    CommandOptions options;
    options.Argument(asked);
    options.Value("--platforms", SetPlatformFolder);
    options.Parse(argc, argv);
    std::vector<std::string> kinds = GetListKinds();
    if (!asked.empty())
    {
        if (std::find(kinds.begin(), kinds.end(), asked) == kinds.end())
        {
            std::string all;
            for (const std::string& kind : kinds)
            {
                all += (all.empty() ? "" : ", ") + kind;
            }
            throw CallError("list", "there is no kind \"" + asked + "\"", "one of " + all);
        }
        kinds = {asked};
    }
    for (const std::string& kind : kinds)
    {
        std::cout << kind << "\n";
        for (const auto& [name, line] : GetListEntries(kind))
        {
            std::cout << "  " << std::left << std::setw(24) << name
                      << (name.size() < 24 ? "" : "  ") << line << "\n";
        }
    }
    return DONE;
}

// ---------------------------------------------------------------- reproduce

/// What the command line says after "reproduce".
struct ReproduceArguments
{
    std::string name;
    std::string papers{"examples/scenarios/papers"};
    bool list{false};
    bool check{false};
    ExperimentOptions options;
};

ReproduceArguments
ParseReproduce(int argc, char* argv[])
{
    ReproduceArguments arguments;
    CommandOptions options;
    options.Argument(arguments.name);
    options.Flag("--full", arguments.options.full);
    options.Number("--jobs", arguments.options.jobs, MOST_JOBS);
    options.Text("--out", arguments.options.out);
    options.Flag("--list", arguments.list);
    options.Flag("--check", arguments.check);
    options.Text("--papers", arguments.papers);
    options.GivenByScript("--papers");
    arguments.options.commandLine = options.Parse(argc, argv);
    return arguments;
}

/// @param papers folder @return names of its experiments, sorted
std::vector<std::string>
ListExperiments(const std::string& papers)
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(papers, error))
    {
        if (entry.path().extension() == ".json")
        {
            names.push_back(entry.path().stem().string());
        }
    }
    if (names.empty())
    {
        throw CallError("--papers", "\"" + papers + "\" has no experiments", "a folder of them");
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// @param arguments that name an experiment, or its file @return the file
std::string
FindExperiment(const ReproduceArguments& arguments)
{
    const std::filesystem::path asFile(arguments.name);
    if (asFile.extension() == ".json" && std::filesystem::exists(asFile))
    {
        return arguments.name;
    }
    const std::vector<std::string> names = ListExperiments(arguments.papers);
    if (std::find(names.begin(), names.end(), arguments.name) == names.end())
    {
        const std::string nearest = NearestWord(arguments.name, names);
        throw CallError("reproduce",
                        arguments.name.empty() ? "no name was given"
                                               : "\"" + arguments.name + "\" is no experiment",
                        nearest.empty() ? "a name of --list" : "\"" + nearest + "\"");
    }
    return (std::filesystem::path(arguments.papers) / (arguments.name + ".json")).string();
}

int
Reproduce(const ReproduceArguments& arguments)
{
    if (arguments.list)
    {
        for (const std::string& name : ListExperiments(arguments.papers))
        {
            const Experiment experiment = ReadExperiment(
                (std::filesystem::path(arguments.papers) / (name + ".json")).string());
            std::cout << "  " << std::left << std::setw(24) << name << experiment.title << "\n";
        }
        return DONE;
    }
    const Experiment experiment = ReadExperiment(FindExperiment(arguments));
    if (arguments.check)
    {
        CheckVariants(experiment, false);
        CheckVariants(experiment, true);
        return DONE;
    }
    return ExperimentRunner(experiment, arguments.options, std::cout).Run();
}

// ---------------------------------------------------------------- sweep

SweepOptions
ParseSweep(int argc, char* argv[])
{
    SweepOptions sweep;
    CommandOptions options;
    options.Argument(sweep.scenario);
    options.Value("--vary",
                  [&](const std::string& text) { sweep.axes.push_back(ParseSweepAxis(text)); });
    options.Number("--seeds", sweep.seeds, 100000);
    options.Number("--jobs", sweep.jobs, MOST_JOBS);
    options.Flag("--again", sweep.again);
    options.Text("--out", sweep.out);
    options.Texts("--set", sweep.overrides);
    options.Text("--platforms", sweep.platforms);
    options.GivenByScript("--platforms");
    sweep.commandLine = options.Parse(argc, argv);
    if (sweep.scenario.empty())
    {
        throw CallError("sweep", "no scenario was given", "a scenario file");
    }
    if (!sweep.platforms.empty())
    {
        SetPlatformFolder(sweep.platforms);
    }
    return sweep;
}

// ---------------------------------------------------------------- validate

ValidationOptions
ParseValidate(int argc, char* argv[], bool& list)
{
    ValidationOptions validation;
    CommandOptions options;
    options.Arguments(validation.names);
    options.Flag("--quick", validation.quick);
    options.Number("--jobs", validation.jobs, MOST_JOBS);
    options.Text("--out", validation.out);
    options.Texts("--set", validation.overrides);
    options.Flag("--list", list);
    options.Text("--tables", validation.index);
    options.Text("--platforms", validation.platforms);
    options.GivenByScript("--tables");
    options.GivenByScript("--platforms");
    validation.commandLine = options.Parse(argc, argv);
    if (!validation.platforms.empty())
    {
        SetPlatformFolder(validation.platforms);
    }
    return validation;
}

int
Validate(int argc, char* argv[])
{
    bool list = false;
    const ValidationOptions options = ParseValidate(argc, argv, list);
    if (!list)
    {
        return ValidationRunner(options, std::cout).Run();
    }
    for (const MeasuredTable& table :
         SelectMeasuredTables(ReadMeasuredTables(options.index), options.names))
    {
        std::cout << "  " << std::left << std::setw(44) << table.name << table.test << ", "
                  << table.ranks << " ranks, platform " << table.platform
                  << (table.fitted ? ", fitted" : "") << "\n";
    }
    return DONE;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    FabricSimulatorImpl::Use();
    try
    {
        const std::string call = argc > 1 ? argv[1] : "";
        if (call == "run")
        {
            Arguments arguments = ParseRun(argc, argv);
            const int status = Run(arguments);
            ProcessGroup::Stop();
            return status;
        }
        if (call == "sweep")
        {
            return SweepRunner(ParseSweep(argc, argv), std::cout).Run();
        }
        if (call == "reproduce")
        {
            return Reproduce(ParseReproduce(argc, argv));
        }
        if (call == "validate")
        {
            return Validate(argc, argv);
        }
        if (call == "describe")
        {
            return Describe(argc, argv);
        }
        if (call == "list")
        {
            return List(argc, argv);
        }
        if (call == "help" || call == "--help")
        {
            PrintHelp(std::cout);
            return DONE;
        }
        throw CallError(call,
                        call.empty() ? "no call was given" : "no such call",
                        "run, sweep, reproduce, validate, list, describe or help");
    }
    catch (const InputError& error)
    {
        if (ProcessGroup::GetRank() == 0)
        {
            std::cerr << error.what() << std::endl;
        }
        ProcessGroup::Abort(BAD_INPUT);
        return BAD_INPUT;
    }
}
