// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The program behind ./ai-fabric: runs a scenario file, or another simulator's input.
 */

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

/// What the command line says.
struct Arguments
{
    std::string call; ///< run, list or describe
    std::string scenario;
    std::string hpccConfig;
    std::string ncclTests; ///< a command line of nccl-tests
    std::string platform;  ///< that it runs on
    std::string kind;
    std::string dot;     ///< file for the topology as Graphviz text
    std::string picture; ///< file for the topology as SVG
    std::string graph;   ///< file for the topology in format graph
    std::vector<std::string> overrides;
    WireConfig wire;
    RunOptions options;
    std::string msccl; ///< an MSCCL program to run
    bool distributed{false};  ///< over the processes that mpirun has started
    bool nullMessages{false}; ///< by ns-3's other MPI simulator
};

/// A fault of the command line.
InputError
CallError(const std::string& key, const std::string& found, const std::string& expected = "")
{
    return InputError({"ai-fabric", 0, key}, found, expected);
}

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
           "  --null-messages   with --distributed: ns-3's NullMessageSimulatorImpl\n"
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
           "  --quick           every other size, up to 64 MiB\n"
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

Arguments
ParseArguments(int argc, char* argv[])
{
    Arguments arguments;
    for (int i = 0; i < argc; ++i)
    {
        arguments.options.commandLine += (i > 0 ? " " : "") + std::string(argv[i]);
    }
    if (argc < 2)
    {
        throw CallError("", "no call was given", "run, sweep, reproduce, validate, list or describe");
    }
    arguments.call = argv[1];
    bool wireGiven = false;
    std::string seed;
    for (int i = 2; i < argc; ++i)
    {
        std::string word = argv[i];
        auto value = [&]() {
            if (i + 1 >= argc)
            {
                throw CallError(word, "its value is missing");
            }
            return std::string(argv[++i]);
        };
        if (word == "--out")
        {
            arguments.options.out = value();
        }
        else if (word == "--set")
        {
            arguments.overrides.push_back(value());
        }
        else if (word == "--seed")
        {
            seed = value();
        }
        else if (word == "--hpcc")
        {
            arguments.hpccConfig = value();
        }
        else if (word == "--nccl-tests")
        {
            arguments.ncclTests = value();
        }
        else if (word == "--platform")
        {
            arguments.platform = value();
        }
        else if (word == "--platforms")
        {
            SetPlatformFolder(value());
        }
        else if (word == "--msccl")
        {
            arguments.msccl = value();
        }
        else if (word == "--wire")
        {
            arguments.wire = ParseWire(value());
            wireGiven = true;
        }
        else if (word == "--dot")
        {
            arguments.dot = value();
        }
        else if (word == "--picture")
        {
            arguments.picture = value();
        }
        else if (word == "--graph")
        {
            arguments.graph = value();
        }
        else if (word == "--quiet")
        {
            arguments.options.quiet = true;
        }
        else if (word == "--distributed" || word.rfind("--distributed=", 0) == 0)
        {
            const size_t equals = word.find('=');
            arguments.distributed = true;
            arguments.options.partition =
                equals == std::string::npos ? "" : word.substr(equals + 1);
        }
        else if (word == "--null-messages")
        {
            arguments.nullMessages = true;
        }
        else if (word.rfind("--", 0) == 0)
        {
            throw CallError(word,
                            "no such option",
                            "one of --out --set --seed --hpcc --wire --nccl-tests --platform "
                            "--platforms --quiet --distributed --null-messages "
                            "--dot --picture --graph");
        }
        else if (arguments.call == "list" && arguments.kind.empty())
        {
            arguments.kind = word;
        }
        else if (arguments.scenario.empty())
        {
            arguments.scenario = word;
        }
        else
        {
            throw CallError(word, "one argument too many");
        }
    }
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
    if (!arguments.msccl.empty() && (!arguments.hpccConfig.empty() || arguments.call != "run"))
    {
        throw CallError("--msccl", "goes with run, and without --hpcc");
    }
    if (!seed.empty())
    {
        if (!arguments.hpccConfig.empty())
        {
            throw CallError("--seed", "an HPCC configuration has no seed");
        }
        arguments.overrides.push_back("seed=" + seed);
    }
    for (const std::string* file : {&arguments.dot, &arguments.picture, &arguments.graph})
    {
        if (!file->empty() && arguments.call != "describe")
        {
            throw CallError(*file, "--dot, --picture and --graph go with describe");
        }
    }
    if (arguments.distributed && arguments.call != "run")
    {
        throw CallError("--distributed", "goes with run");
    }
    if (arguments.nullMessages && !arguments.distributed)
    {
        throw CallError("--null-messages", "goes with --distributed");
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
    ProcessGroup::Start(arguments.nullMessages);
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

int
Describe(const Arguments& arguments)
{
    if (arguments.scenario.empty())
    {
        throw CallError("describe", "no scenario was given", "a scenario file");
    }
    Scenario scenario = ReadScenario(arguments.scenario, arguments.overrides);
    FabricGraph graph = MakeGraph(scenario.topology);
    if (!arguments.dot.empty())
    {
        std::ofstream file = OpenFile(arguments.dot);
        WriteTopologyDot(file, graph, scenario.name);
    }
    if (!arguments.picture.empty())
    {
        std::ofstream file = OpenFile(arguments.picture);
        WriteTopologySvg(file, graph);
    }
    if (!arguments.graph.empty())
    {
        std::ofstream file = OpenFile(arguments.graph);
        WriteGraphTopology(file, graph);
    }
    DescribeScenario(std::cout, scenario, graph);
    std::cout << ResolvedJson(scenario).dump(2) << std::endl;
    return DONE;
}

int
List(const Arguments& arguments)
{
    std::vector<std::string> kinds = GetListKinds();
    if (!arguments.kind.empty())
    {
        if (std::find(kinds.begin(), kinds.end(), arguments.kind) == kinds.end())
        {
            std::string all;
            for (const std::string& kind : kinds)
            {
                all += (all.empty() ? "" : ", ") + kind;
            }
            throw CallError("list", "there is no kind \"" + arguments.kind + "\"", "one of " + all);
        }
        kinds = {arguments.kind};
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
    arguments.options.commandLine = "./ai-fabric reproduce";
    for (int i = 2; i < argc; ++i)
    {
        const std::string word = argv[i];
        auto value = [&]() {
            if (i + 1 >= argc)
            {
                throw CallError(word, "its value is missing");
            }
            return std::string(argv[++i]);
        };
        if (word == "--papers")
        {
            arguments.papers = value();
            continue; // the script says it
        }
        const int first = i;
        if (word == "--full")
        {
            arguments.options.full = true;
        }
        else if (word == "--list")
        {
            arguments.list = true;
        }
        else if (word == "--check")
        {
            arguments.check = true;
        }
        else if (word == "--jobs")
        {
            constexpr uint64_t MOST_JOBS = 4096;
            arguments.options.jobs = static_cast<uint32_t>(
                ParseUnsigned(value(), {"ai-fabric", 0, "--jobs"}, 1, MOST_JOBS));
        }
        else if (word == "--out")
        {
            arguments.options.out = value();
        }
        else if (word.rfind("--", 0) == 0)
        {
            throw CallError(word,
                            "no such option",
                            "one of --full --jobs --out --list --check --papers");
        }
        else if (arguments.name.empty())
        {
            arguments.name = word;
        }
        else
        {
            throw CallError(word, "one argument too many");
        }
        for (int part = first; part <= i; ++part)
        {
            arguments.options.commandLine += " " + std::string(argv[part]);
        }
    }
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

/// @param word of a command line @return as a shell takes it
std::string
InShell(const std::string& word)
{
    const bool isPlain = word.find_first_of(" \"'[]{}*?$&|;<>()") == std::string::npos;
    return isPlain ? word : "'" + word + "'";
}

SweepOptions
ParseSweep(int argc, char* argv[])
{
    SweepOptions options;
    options.commandLine = "./ai-fabric sweep";
    for (int i = 2; i < argc; ++i)
    {
        const std::string word = argv[i];
        auto value = [&]() {
            if (i + 1 >= argc)
            {
                throw CallError(word, "its value is missing");
            }
            return std::string(argv[++i]);
        };
        auto number = [&](uint64_t most) {
            return static_cast<uint32_t>(ParseUnsigned(value(), {"ai-fabric", 0, word}, 1, most));
        };
        if (word == "--platforms")
        {
            options.platforms = value();
            continue; // the script says it
        }
        const int first = i;
        if (word == "--vary")
        {
            options.axes.push_back(ParseSweepAxis(value()));
        }
        else if (word == "--seeds")
        {
            options.seeds = number(100000);
        }
        else if (word == "--jobs")
        {
            options.jobs = number(4096);
        }
        else if (word == "--again")
        {
            options.again = true;
        }
        else if (word == "--out")
        {
            options.out = value();
        }
        else if (word == "--set")
        {
            options.overrides.push_back(value());
        }
        else if (word.rfind("--", 0) == 0)
        {
            throw CallError(word,
                            "no such option",
                            "one of --vary --seeds --jobs --again --out --set --platforms");
        }
        else if (options.scenario.empty())
        {
            options.scenario = word;
        }
        else
        {
            throw CallError(word, "one argument too many");
        }
        for (int part = first; part <= i; ++part)
        {
            options.commandLine += " " + InShell(argv[part]);
        }
    }
    if (options.scenario.empty())
    {
        throw CallError("sweep", "no scenario was given", "a scenario file");
    }
    if (!options.platforms.empty())
    {
        SetPlatformFolder(options.platforms);
    }
    return options;
}

// ---------------------------------------------------------------- validate

ValidationOptions
ParseValidate(int argc, char* argv[], bool& list)
{
    ValidationOptions options;
    options.commandLine = "./ai-fabric validate";
    for (int i = 2; i < argc; ++i)
    {
        const std::string word = argv[i];
        auto value = [&]() {
            if (i + 1 >= argc)
            {
                throw CallError(word, "its value is missing");
            }
            return std::string(argv[++i]);
        };
        if (word == "--tables" || word == "--platforms")
        {
            (word == "--tables" ? options.index : options.platforms) = value();
            continue; // the script says them
        }
        const int first = i;
        if (word == "--quick")
        {
            options.quick = true;
        }
        else if (word == "--list")
        {
            list = true;
        }
        else if (word == "--jobs")
        {
            constexpr uint64_t MOST_JOBS = 4096;
            options.jobs = static_cast<uint32_t>(
                ParseUnsigned(value(), {"ai-fabric", 0, "--jobs"}, 1, MOST_JOBS));
        }
        else if (word == "--out")
        {
            options.out = value();
        }
        else if (word == "--set")
        {
            options.overrides.push_back(value());
        }
        else if (word.rfind("--", 0) == 0)
        {
            throw CallError(word,
                            "no such option",
                            "one of --quick --jobs --out --set --list --tables --platforms");
        }
        else
        {
            options.names.push_back(word);
        }
        for (int part = first; part <= i; ++part)
        {
            options.commandLine += " " + std::string(argv[part]);
        }
    }
    if (!options.platforms.empty())
    {
        SetPlatformFolder(options.platforms);
    }
    return options;
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
        if (argc > 1 && std::string(argv[1]) == "reproduce")
        {
            return Reproduce(ParseReproduce(argc, argv));
        }
        if (argc > 1 && std::string(argv[1]) == "sweep")
        {
            return SweepRunner(ParseSweep(argc, argv), std::cout).Run();
        }
        if (argc > 1 && std::string(argv[1]) == "validate")
        {
            return Validate(argc, argv);
        }
        Arguments arguments = ParseArguments(argc, argv);
        if (arguments.call == "run")
        {
            const int status = Run(arguments);
            ProcessGroup::Stop();
            return status;
        }
        if (arguments.call == "describe")
        {
            return Describe(arguments);
        }
        if (arguments.call == "list")
        {
            return List(arguments);
        }
        if (arguments.call == "help" || arguments.call == "--help")
        {
            PrintHelp(std::cout);
            return DONE;
        }
        throw CallError(arguments.call,
                        "no such call",
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
