// SPDX-License-Identifier: GPL-2.0-only
#include "run-manifest.h"

#include "content-hash.h"

#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/utsname.h>
#include <thread>

#ifndef AI_FABRIC_VERSION
#define AI_FABRIC_VERSION "unknown"
#endif
#ifndef AI_FABRIC_NS3_VERSION
#define AI_FABRIC_NS3_VERSION "of the surrounding tree"
#endif

namespace ns3
{

namespace
{

std::string
ProcessorName()
{
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line))
    {
        if (line.rfind("model name", 0) == 0)
        {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown";
}

std::string
UtcNow()
{
    std::time_t now = std::time(nullptr);
    std::array<char, 32> text;
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text.data();
}

} // namespace

std::string
GetProgramVersion()
{
    // The program and this module's library, as they are loaded.
    std::set<std::string> paths;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
    {
        const size_t slash = line.find('/');
        const size_t name = line.rfind('/');
        if (slash != std::string::npos && line.find("ai-fabric", name) != std::string::npos)
        {
            paths.insert(line.substr(slash));
        }
    }
    std::string hashes;
    for (const std::string& path : paths)
    {
        hashes += Sha1OfFile(path);
    }
    constexpr size_t DIGITS = 12;
    return std::string(AI_FABRIC_VERSION) + " on ns-3 " + AI_FABRIC_NS3_VERSION + ", build " +
           Sha1OfText(hashes).substr(0, DIGITS);
}

nlohmann::ordered_json
MakeManifest(const RunManifest& manifest, const nlohmann::ordered_json& resolved)
{
    nlohmann::ordered_json json;
    json["ai_fabric_version"] = AI_FABRIC_VERSION;
    json["ns3_version"] = AI_FABRIC_NS3_VERSION;
    StringValue simulator;
    GlobalValue::GetValueByName("SimulatorImplementationType", simulator);
    json["simulator"] = simulator.Get();
    json["command"] = manifest.commandLine;
    json["seed"] = manifest.seed;
    json["inputs"] = nlohmann::ordered_json::array();
    for (const std::string& path : manifest.inputs)
    {
        json["inputs"].push_back({{"file", path}, {"sha1", Sha1OfFile(path)}});
    }
    utsname machine{};
    uname(&machine);
    json["machine"] = {{"system", std::string(machine.sysname) + " " + machine.release},
                       {"architecture", machine.machine},
                       {"processor", ProcessorName()},
                       {"cores", std::thread::hardware_concurrency()}};
    json["finished"] = UtcNow();
    json["wall_s"] = manifest.wallSeconds;
    json["events"] = Simulator::GetEventCount();
    json["resolved"] = resolved;
    return json;
}

} // namespace ns3
