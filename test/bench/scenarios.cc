// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The workloads of examples/scenarios/bench as whole processes: what a user waits for, with
 * start, set-up and reports, beside what other simulators took for the same.
 *
 *     scenarios [NAME]... [--repeat N] [--out FOLDER] [--program PROGRAM]
 *
 * NAME is a scenario's or the beginning of some; without one all run. A workload runs three times
 * if that takes less than 20 s of processor, once at least, and the quickest run counts: other work
 * on the machine can only slow it down. FOLDER/results.json has all figures; FOLDER is by default
 * where this program is.
 *
 * A data packet-hop is a full packet's payload (the MTU) on a link, whichever frames carried it: so
 * acknowledgements and other control frames count for nothing. A frame hop is any frame on a link.
 */

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double MILLION = 1e6;
constexpr uint32_t DEFAULT_RUNS = 3;
constexpr double ENOUGH_SECONDS = 20; ///< of processor, for a workload

struct Options
{
    std::vector<std::string> names;
    uint32_t repeat{0}; ///< 0: by ENOUGH_SECONDS
    fs::path out{fs::canonical("/proc/self/exe").parent_path()};
    std::string program{AI_FABRIC_PROGRAM};
};

/// A run of a workload, as the system and the results folder tell of it.
struct Run
{
    double cpuSeconds{0};
    double wallSeconds{0};
    double peakMb{0};
    double dataHops{0};
    double frameHops{0};
    double events{0};
    double simulatedUs{0};
};

/// What another simulator took for the same, from test/data/peers-performance.csv.
struct Peer
{
    std::string name;
    bool isNs3{false};
    double cpuSeconds{0};
    double peakMb{0};
};

double
Seconds(const timeval& time)
{
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / MILLION;
}

std::vector<std::string>
Split(const std::string& line)
{
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');)
    {
        fields.push_back(field);
    }
    return fields;
}

std::map<std::string, std::vector<Peer>>
ReadPeers()
{
    const fs::path path = fs::path(AI_FABRIC_SOURCE_DIR) / "test/data/peers-performance.csv";
    std::ifstream file(path);
    if (!file)
    {
        throw std::runtime_error("cannot read " + path.string());
    }
    std::map<std::string, std::vector<Peer>> peers;
    bool named = false;
    for (std::string line; std::getline(file, line);)
    {
        if (line.empty() || line[0] == '#')
        {
            continue;
        }
        if (named)
        {
            // workload,peer,kind,runs,wall_s,cpu_s,peak_mb,...
            const std::vector<std::string> f = Split(line);
            peers[f.at(0)].push_back(
                {f.at(1), f.at(2) == "ns-3", std::stod(f.at(5)), std::stod(f.at(6))});
        }
        named = true; // the first line names the columns
    }
    return peers;
}

/// @param links links.csv @return payload bytes, hop by hop
double
PayloadBytes(const fs::path& links)
{
    std::ifstream file(links);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = Split(line);
    const auto column = static_cast<size_t>(
        std::find(names.begin(), names.end(), "tx_payload_bytes") - names.begin());
    double sum = 0;
    while (std::getline(file, line))
    {
        sum += std::stod(Split(line).at(column));
    }
    return sum;
}

/// Replaces this process by a run.
[[noreturn]] void
Become(const Options& options, const fs::path& scenario, const fs::path& folder)
{
    const int log = open((folder / "log.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execl(options.program.c_str(),
          "ai-fabric-run",
          "run",
          scenario.c_str(),
          "--out",
          folder.c_str(),
          "--quiet",
          nullptr);
    std::cerr << options.program << ": " << std::strerror(errno) << std::endl;
    _exit(127);
}

Run
RunOnce(const Options& options, const fs::path& scenario, const fs::path& folder)
{
    fs::remove_all(folder);
    fs::create_directories(folder);
    timespec begin{};
    timespec end{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const pid_t process = fork();
    if (process == 0)
    {
        Become(options, scenario, folder);
    }
    int status = 0;
    rusage usage{};
    if (process < 0 || wait4(process, &status, 0, &usage) != process)
    {
        throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    {
        throw std::runtime_error(scenario.string() + " failed: see " +
                                 (folder / "log.txt").string());
    }
    const Json summary = Json::parse(std::ifstream(folder / "summary.json"));
    const Json manifest = Json::parse(std::ifstream(folder / "manifest.json"));
    constexpr double NANO = 1e-9;
    constexpr double KIB = 1024;
    Run run;
    run.cpuSeconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
    run.wallSeconds = static_cast<double>(end.tv_sec - begin.tv_sec) +
                      NANO * static_cast<double>(end.tv_nsec - begin.tv_nsec);
    run.peakMb = static_cast<double>(usage.ru_maxrss) * KIB / MILLION;
    run.dataHops = PayloadBytes(folder / "links.csv") /
                   manifest.at("resolved").at("network").at("mtu").get<double>();
    run.frameHops = summary.at("fabric").at("frame_hops");
    run.events = manifest.at("events");
    run.simulatedUs = summary.at("simulated_us");
    return run;
}

/// @return the quickest of some runs
Run
Measure(const Options& options, const fs::path& scenario, std::vector<double>& seconds)
{
    Run best;
    double spent = 0;
    const uint32_t most = options.repeat > 0 ? options.repeat : DEFAULT_RUNS;
    for (uint32_t r = 0; r < most && (r == 0 || options.repeat > 0 || spent < ENOUGH_SECONDS); ++r)
    {
        const Run run = RunOnce(options, scenario, options.out / "runs" / scenario.stem());
        best = r == 0 || run.cpuSeconds < best.cpuSeconds ? run : best;
        seconds.push_back(run.cpuSeconds);
        spent += run.cpuSeconds;
    }
    return best;
}

/// @return the quickest peer of a kind; null: none is recorded
const Peer*
Fastest(const std::vector<Peer>& peers, bool isNs3)
{
    const Peer* fastest = nullptr;
    for (const Peer& peer : peers)
    {
        if (peer.isNs3 == isNs3 && (!fastest || peer.cpuSeconds < fastest->cpuSeconds))
        {
            fastest = &peer;
        }
    }
    return fastest;
}

std::string
Number(double value, int digits)
{
    std::ostringstream os;
    os << std::fixed << std::setprecision(digits) << value;
    return os.str();
}

/// @return "7.2x 0.38M 283MB": how many times as fast, and the peer's own figures
std::string
Compare(const Run& run, const Peer* peer)
{
    if (!peer)
    {
        return "-";
    }
    return Number(peer->cpuSeconds / run.cpuSeconds, 1) + "x of " +
           Number(run.dataHops / peer->cpuSeconds / MILLION, 2) + " M/s, " +
           Number(peer->peakMb, 0) + " MB";
}

void
PrintHead()
{
    std::cout << std::left << std::setw(16) << "workload" << std::right << std::setw(9) << "M hops"
              << std::setw(9) << "M/cpu-s" << std::setw(8) << "ev/hop" << std::setw(9) << "cpu s"
              << std::setw(9) << "wall s" << std::setw(12) << "sim us" << std::setw(7) << "MB"
              << std::left << "  " << std::setw(28) << "fastest ns-3 peer"
              << "htsim" << std::endl;
}

void
PrintRow(const std::string& name, const Run& run, const std::vector<Peer>& peers)
{
    std::cout << std::left << std::setw(16) << name << std::right << std::setw(9)
              << Number(run.dataHops / MILLION, 3) << std::setw(9)
              << Number(run.dataHops / run.cpuSeconds / MILLION, 2) << std::setw(8)
              << Number(run.events / run.frameHops, 2) << std::setw(9) << Number(run.cpuSeconds, 2)
              << std::setw(9) << Number(run.wallSeconds, 2) << std::setw(12)
              << Number(run.simulatedUs, 1) << std::setw(7) << Number(run.peakMb, 0) << std::left
              << "  " << std::setw(28) << Compare(run, Fastest(peers, true))
              << Compare(run, Fastest(peers, false)) << std::endl;
}

Json
ToJson(const std::string& name,
       const Run& run,
       const std::vector<double>& seconds,
       const std::vector<Peer>& peers)
{
    Json json = {{"workload", name},
                 {"data_hops", run.dataHops},
                 {"data_hops_per_cpu_s", run.dataHops / run.cpuSeconds},
                 {"frame_hops", run.frameHops},
                 {"events", run.events},
                 {"events_per_frame_hop", run.events / run.frameHops},
                 {"cpu_s", run.cpuSeconds},
                 {"cpu_s_of_runs", seconds},
                 {"wall_s", run.wallSeconds},
                 {"simulated_us", run.simulatedUs},
                 {"peak_mb", run.peakMb},
                 {"peers", Json::array()}};
    for (const Peer& peer : peers)
    {
        json["peers"].push_back({{"name", peer.name},
                                 {"cpu_s", peer.cpuSeconds},
                                 {"peak_mb", peer.peakMb},
                                 {"times_as_fast", peer.cpuSeconds / run.cpuSeconds}});
    }
    return json;
}

Options
ParseArguments(int argc, char* argv[])
{
    Options options;
    for (int i = 1; i < argc; ++i)
    {
        const std::string word = argv[i];
        const bool valued = word == "--repeat" || word == "--out" || word == "--program";
        if (valued && i + 1 >= argc)
        {
            throw std::invalid_argument(word + ": its value is missing");
        }
        if (word == "--repeat")
        {
            options.repeat = static_cast<uint32_t>(std::stoul(argv[++i]));
        }
        else if (word == "--out")
        {
            options.out = argv[++i];
        }
        else if (word == "--program")
        {
            options.program = argv[++i];
        }
        else if (word.rfind("--", 0) == 0)
        {
            throw std::invalid_argument(word + ": no such option; there are --repeat --out "
                                               "--program");
        }
        else
        {
            options.names.push_back(word);
        }
    }
    return options;
}

/// @return the scenarios that are asked for, in the order of their names
std::vector<fs::path>
FindScenarios(const std::vector<std::string>& names)
{
    const fs::path folder = fs::path(AI_FABRIC_SOURCE_DIR) / "examples/scenarios/bench";
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder))
    {
        if (entry.path().extension() == ".json")
        {
            all.push_back(entry.path());
        }
    }
    std::sort(all.begin(), all.end());
    std::vector<fs::path> found;
    for (const fs::path& path : all)
    {
        const std::string name = path.stem();
        if (names.empty() ||
            std::any_of(names.begin(), names.end(), [&name](const std::string& begin) {
                return name.rfind(begin, 0) == 0;
            }))
        {
            found.push_back(path);
        }
    }
    if (found.empty())
    {
        throw std::invalid_argument(names.front() + ": no such scenario in " + folder.string());
    }
    return found;
}

std::string
UtcNow()
{
    char text[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text;
}

} // namespace

int
main(int argc, char* argv[])
{
    constexpr int BAD_INPUT = 2;
    try
    {
        const Options options = ParseArguments(argc, argv);
        auto peers = ReadPeers();
        Json results = {{"measured", UtcNow()}, {"workloads", Json::array()}};
        PrintHead();
        for (const fs::path& scenario : FindScenarios(options.names))
        {
            const std::string name = scenario.stem();
            std::vector<double> seconds;
            const Run run = Measure(options, scenario, seconds);
            PrintRow(name, run, peers[name]);
            results["workloads"].push_back(ToJson(name, run, seconds, peers[name]));
            const Json manifest = Json::parse(
                std::ifstream(options.out / "runs" / scenario.stem() / "manifest.json"));
            results["machine"] = manifest.at("machine");
            results["ns3_version"] = manifest.at("ns3_version");
            std::ofstream(options.out / "results.json") << results.dump(2) << "\n";
        }
        std::cout << "hops: of data; M/cpu-s: of them in a second of processor; ev/hop: events a "
                     "frame hop, acknowledgements included\n"
                  << "results: " << (options.out / "results.json").string() << std::endl;
    }
    catch (const std::invalid_argument& error)
    {
        std::cerr << "scenarios: " << error.what() << std::endl;
        return BAD_INPUT;
    }
    catch (const std::exception& error)
    {
        std::cerr << "scenarios: " << error.what() << std::endl;
        return 1;
    }
    return 0;
}
