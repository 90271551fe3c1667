// SPDX-License-Identifier: GPL-2.0-only
#include "run-manifest.h"

#include "ns3/simulator.h"

#include <array>
#include <boost/uuid/detail/sha1.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
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
Sha1Of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    boost::uuids::detail::sha1 hash;
    hash.process_bytes(bytes.data(), bytes.size());
    boost::uuids::detail::sha1::digest_type digest;
    hash.get_digest(digest);
    std::string text;
    for (unsigned int word : digest)
    {
        std::array<char, 9> hex;
        std::snprintf(hex.data(), hex.size(), "%08x", word);
        text += hex.data();
    }
    return text;
}

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

nlohmann::ordered_json
MakeManifest(const RunManifest& manifest, const nlohmann::ordered_json& resolved)
{
    nlohmann::ordered_json json;
    json["ai_fabric_version"] = AI_FABRIC_VERSION;
    json["ns3_version"] = AI_FABRIC_NS3_VERSION;
    json["command"] = manifest.commandLine;
    json["seed"] = manifest.seed;
    json["inputs"] = nlohmann::ordered_json::array();
    for (const std::string& path : manifest.inputs)
    {
        json["inputs"].push_back({{"file", path}, {"sha1", Sha1Of(path)}});
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
