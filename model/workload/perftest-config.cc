// SPDX-License-Identifier: GPL-2.0-only
#include "perftest-config.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_QUEUE_PAIRS = 16384;
constexpr uint32_t MOST_DEPTH = 15000;
constexpr uint32_t FEWEST_ITERATIONS = 5;
constexpr uint64_t ATOMIC_BYTES = 8;
constexpr uint64_t LARGE_MESSAGE = 8192; ///< each has a completion, unless asked otherwise

/// The verb of a test's name: write, send, read or atomic.
std::string
VerbOf(const std::string& test)
{
    return test.substr(0, test.find('-'));
}

uint32_t
DefaultInline(const PerftestConfig& config)
{
    if (!MeasuresLatency(config))
    {
        return 0;
    }
    // What fits into 256 bytes behind the segments of each kind of work request.
    switch (PerftestOperation(config))
    {
    case RdmaOperation::WRITE:
        return 220;
    case RdmaOperation::SEND:
        return config.connection == "UD" ? 188 : 236;
    default:
        return 0;
    }
}

bool
OneOf(const std::string& name, const std::vector<std::string>& names)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string
Joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
    {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

} // namespace

std::vector<std::string>
GetPerftestNames()
{
    return {"write-bw",
            "write-lat",
            "send-bw",
            "send-lat",
            "read-bw",
            "read-lat",
            "atomic-bw",
            "atomic-lat"};
}

std::vector<std::string>
GetPerftestConnectionNames()
{
    return {"RC", "UC", "UD"};
}

std::vector<std::string>
GetPerftestAtomicNames()
{
    return {"fetch-and-add", "compare-and-swap"};
}

bool
MeasuresLatency(const PerftestConfig& config)
{
    return config.test.size() > 4 && config.test.substr(config.test.size() - 4) == "-lat";
}

RdmaOperation
PerftestOperation(const PerftestConfig& config)
{
    std::string verb = VerbOf(config.test);
    if (verb == "atomic")
    {
        return config.atomic == "fetch-and-add" ? RdmaOperation::FETCH_ADD
                                                : RdmaOperation::COMPARE_SWAP;
    }
    return verb == "write"  ? RdmaOperation::WRITE
           : verb == "send" ? RdmaOperation::SEND
                            : RdmaOperation::READ;
}

QpType
PerftestQpType(const PerftestConfig& config)
{
    return config.connection == "RC"   ? QpType::RC
           : config.connection == "UC" ? QpType::UC
                                       : QpType::UD;
}

PerftestConfig
CompletePerftest(PerftestConfig config)
{
    bool latency = MeasuresLatency(config);
    bool atomic = VerbOf(config.test) == "atomic";
    if (config.sizes.empty())
    {
        config.sizes.push_back(atomic ? ATOMIC_BYTES : latency ? 2 : 65536);
    }
    if (config.iterations == 0)
    {
        config.iterations = config.test == "write-bw" ? 5000 : 1000;
    }
    if (latency)
    {
        config.txDepth = 1;
    }
    if (config.cqModeration == 0)
    {
        bool large = config.sizes.size() == 1 && config.sizes[0] > LARGE_MESSAGE &&
                     config.connection != "UD";
        config.cqModeration = large ? 1 : 100;
    }
    config.cqModeration = std::min(config.cqModeration, config.txDepth);
    if (!config.inlineBytes)
    {
        config.inlineBytes = DefaultInline(config);
    }
    return config;
}

PerftestObjection
CheckPerftest(const PerftestConfig& config, uint32_t mtu)
{
    const std::pair<const char*, std::vector<std::string>> names[] = {
        {"test", GetPerftestNames()},
        {"connection", GetPerftestConnectionNames()},
        {"atomic", GetPerftestAtomicNames()}};
    const std::string* values[] = {&config.test, &config.connection, &config.atomic};
    for (size_t i = 0; i < std::size(values); i++)
    {
        if (!OneOf(*values[i], names[i].second))
        {
            return {names[i].first, "\"" + *values[i] + "\" is unknown", Joined(names[i].second)};
        }
    }
    RdmaOperation operation = PerftestOperation(config);
    if (ReturnsData(operation) && config.connection != "RC")
    {
        return {"connection", config.connection + " has no " + VerbOf(config.test), "RC"};
    }
    if (!IsSend(operation) && config.connection == "UD")
    {
        return {"connection", "UD has no " + VerbOf(config.test), "RC or UC"};
    }
    for (uint64_t size : config.sizes)
    {
        std::string found = std::to_string(size) + " bytes";
        if (IsAtomic(operation) && size != ATOMIC_BYTES)
        {
            return {"sizes", found, "8: atomics have no other size"};
        }
        if (config.connection == "UD" && size > mtu)
        {
            return {"sizes", found, "for UD at most the MTU, " + std::to_string(mtu)};
        }
        if (size < 1 || size > wire::MAX_MESSAGE_BYTES)
        {
            return {"sizes", found, "1 to " + std::to_string(wire::MAX_MESSAGE_BYTES)};
        }
    }

    struct Bound
    {
        const char* key;
        uint64_t value;
        uint64_t least;
        uint64_t most;
    };

    const Bound bounds[] = {
        {"iterations", config.iterations, FEWEST_ITERATIONS, 100'000'000},
        {"queuePairs", config.queuePairs, 1, MeasuresLatency(config) ? 1 : MOST_QUEUE_PAIRS},
        {"txDepth", config.txDepth, 1, MOST_DEPTH},
        {"rxDepth", config.rxDepth, 1, MOST_DEPTH},
        {"cqModeration", config.cqModeration, 1, config.txDepth},
        {"outstandingReads", config.outstandingReads, 1, 255}};
    for (const Bound& bound : bounds)
    {
        if (bound.value < bound.least || bound.value > bound.most)
        {
            return {bound.key,
                    std::to_string(bound.value) + " is out of range",
                    std::to_string(bound.least) + " to " + std::to_string(bound.most)};
        }
    }
    if (config.bidirectional && MeasuresLatency(config))
    {
        return {"bidirectional", "a latency has one direction at a time", "false"};
    }
    return {};
}

} // namespace ns3
