// SPDX-License-Identifier: GPL-2.0-only
#include "hpcc-config.h"

#include "json-document.h"
#include "line-reader.h"
#include "quantity.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint64_t PS_PER_NS = 1'000;
constexpr uint64_t PS_PER_US = 1'000'000;
constexpr uint64_t MOST_32 = std::numeric_limits<uint32_t>::max();
constexpr int64_t NO_LIMIT = std::numeric_limits<int64_t>::max();

/// The values of one key.
struct Values
{
    std::vector<std::string> words;
    InputPlace place;

    uint64_t Unsigned(size_t word, uint64_t min, uint64_t max) const
    {
        return ParseUnsigned(words[word], place, min, max);
    }
};

/// A key: how many values it has (0: any number), what they are, and where they go.
struct Key
{
    const char* name;
    size_t values;
    const char* expected;
    std::function<void(HpccConfig&, const Values&)> store;
};

// Each makes a Key whose one value goes to a member.

Key
Flag(const char* name, bool HpccConfig::*member)
{
    return {name, 1, "0 or 1", [member](HpccConfig& config, const Values& values) {
                config.*member = values.Unsigned(0, 0, 1) == 1;
            }};
}

Key
Count(const char* name, uint32_t HpccConfig::*member, uint64_t min = 0, uint64_t max = MOST_32)
{
    return {name,
            1,
            "a whole number",
            [member, min, max](HpccConfig& config, const Values& values) {
                config.*member = static_cast<uint32_t>(values.Unsigned(0, min, max));
            }};
}

Key
Number(const char* name, double HpccConfig::*member, double min, double max)
{
    return {name, 1, "a number", [member, min, max](HpccConfig& config, const Values& values) {
                config.*member = ParseDouble(values.words[0], values.place, min, max);
            }};
}

Key
Rate(const char* name, DataRate HpccConfig::*member)
{
    return {name, 1, "a rate, like 50Mb/s", [member](HpccConfig& config, const Values& values) {
                config.*member = ParseDataRate(values.words[0], values.place);
            }};
}

Time
ParseTimeIn(const Values& values, uint64_t unitPs)
{
    int64_t ps = ParseCountPs(values.words[0], values.place, unitPs);
    if (ps > MOST_PS)
    {
        throw InputError(values.place, values.words[0] + " is too large", "at most 1000000 s");
    }
    return PicoSeconds(static_cast<uint64_t>(ps));
}

Key
TimeIn(const char* name, Time HpccConfig::*member, uint64_t unitPs)
{
    return {name, 1, "a number", [member, unitPs](HpccConfig& config, const Values& values) {
                config.*member = ParseTimeIn(values, unitPs);
            }};
}

/// An interval in us, which something repeats.
Key
Interval(const char* name, Time HpccConfig::*member)
{
    return {name, 1, "a number of us", [member](HpccConfig& config, const Values& values) {
                config.*member = ParseTimeIn(values, PS_PER_US);
                if (config.*member < NanoSeconds(1))
                {
                    throw InputError(values.place,
                                     values.words[0] + " us is too short",
                                     "at least 0.001");
                }
            }};
}

Key
Text(const char* name, std::string HpccConfig::*member)
{
    return {name, 1, "a path", [member](HpccConfig& config, const Values& values) {
                config.*member = values.words[0];
            }};
}

/// "count rate value rate value ...", each value read by a function.
template <typename T>
Key
RateMap(const char* name,
        std::map<uint64_t, T> HpccConfig::*member,
        std::function<T(const std::string&, const InputPlace&)> parse)
{
    return {name,
            0,
            "a count, then that many pairs of a rate in bits a second and a value",
            [member, parse](HpccConfig& config, const Values& values) {
                uint64_t pairs = values.Unsigned(0, 1, 1024);
                if (values.words.size() != 1 + 2 * pairs)
                {
                    throw InputError(values.place,
                                     std::to_string(values.words.size() - 1) +
                                         " values after the count of " + values.words[0],
                                     std::to_string(2 * pairs) + ", a rate and a value each");
                }
                (config.*member).clear();
                for (size_t i = 1; i < values.words.size(); i += 2)
                {
                    uint64_t rate = values.Unsigned(i, 1, UINT64_MAX);
                    (config.*member)[rate] = parse(values.words[i + 1], values.place);
                }
            }};
}

uint64_t
ParseKilobytes(const std::string& text, const InputPlace& place)
{
    return ParseUnsigned(text, place, 0, MOST_32) * 1000;
}

double
ParseProbability(const std::string& text, const InputPlace& place)
{
    return ParseDouble(text, place, 0, 1);
}

void
StoreStopTime(HpccConfig& config, const Values& values)
{
    int64_t ps = ParseCountPs(values.words[0], values.place, PS_PER_S);
    config.stopTime.reset();
    if (ps != NO_LIMIT)
    {
        config.stopTime = PicoSeconds(static_cast<uint64_t>(ps));
    }
}

void
StoreBufferSize(HpccConfig& config, const Values& values)
{
    config.bufferBytes = values.Unsigned(0, 1, MOST_32) << 20;
}

void
StoreLinkDown(HpccConfig& config, const Values& values)
{
    Time after = ParseTimeIn(values, PS_PER_US);
    auto node = [&](size_t word) {
        return static_cast<uint32_t>(values.Unsigned(word, 0, MOST_32));
    };
    HpccConfig::LinkDown down{Seconds(2) + after, node(1), node(2)};
    config.linkDown.reset();
    if (after.IsStrictlyPositive())
    {
        config.linkDown = down;
    }
}

void
Ignore(HpccConfig&, const Values&)
{
}

const std::vector<Key>&
Keys()
{
    using C = HpccConfig;
    static const std::vector<Key> keys{
        Flag("ENABLE_QCN", &C::enableQcn),
        Flag("USE_DYNAMIC_PFC_THRESHOLD", &C::dynamicPfcThreshold),
        Flag("CLAMP_TARGET_RATE", &C::clampTargetRate),
        Flag("L2_BACK_TO_ZERO", &C::backToZero),
        Flag("HAS_WIN", &C::hasWindow),
        Flag("GLOBAL_T", &C::globalWindow),
        Flag("VAR_WIN", &C::variableWindow),
        Flag("FAST_REACT", &C::fastReact),
        Flag("MULTI_RATE", &C::multiRate),
        Flag("SAMPLE_FEEDBACK", &C::sampleFeedback),
        Flag("RATE_BOUND", &C::rateBound),
        Flag("ACK_HIGH_PRIO", &C::ackHighPriority),
        Flag("ENABLE_TRACE", &C::enableTrace),
        Count("PACKET_PAYLOAD_SIZE", &C::packetPayloadBytes, 1, 65535),
        Count("L2_CHUNK_SIZE", &C::chunkBytes),
        Count("L2_ACK_INTERVAL", &C::ackInterval),
        Count("CC_MODE", &C::ccMode),
        Count("FAST_RECOVERY_TIMES", &C::fastRecoveryTimes),
        Count("MI_THRESH", &C::multiplicativeIncreaseThreshold),
        Count("INT_MULTI", &C::intMultiple, 1),
        Count("NIC_TOTAL_PAUSE_TIME", &C::nicTotalPauseTime),
        Number("EWMA_GAIN", &C::ewmaGain, 0, 1),
        Number("ERROR_RATE_PER_LINK", &C::errorRatePerLink, 0, 1),
        Number("U_TARGET", &C::targetUtilization, 0.01, 1),
        Number("PINT_LOG_BASE", &C::pintLogBase, 1.0001, 2),
        Number("PINT_PROB", &C::pintProbability, 0, 1),
        Rate("RATE_AI", &C::rateAi),
        Rate("RATE_HAI", &C::rateHai),
        Rate("MIN_RATE", &C::minRate),
        Rate("DCTCP_RATE_AI", &C::dctcpRateAi),
        Interval("ALPHA_RESUME_INTERVAL", &C::alphaInterval),
        Interval("RATE_DECREASE_INTERVAL", &C::rateDecreaseInterval),
        Interval("RP_TIMER", &C::rateIncreaseInterval),
        TimeIn("PAUSE_TIME", &C::pauseTime, PS_PER_US),
        TimeIn("QLEN_MON_START", &C::queueLengthStart, PS_PER_NS),
        TimeIn("QLEN_MON_END", &C::queueLengthEnd, PS_PER_NS),
        Text("TOPOLOGY_FILE", &C::topologyFile),
        Text("FLOW_FILE", &C::flowFile),
        Text("TRACE_FILE", &C::traceFile),
        Text("TRACE_OUTPUT_FILE", &C::traceOutputFile),
        Text("FCT_OUTPUT_FILE", &C::fctFile),
        Text("PFC_OUTPUT_FILE", &C::pfcFile),
        Text("QLEN_MON_FILE", &C::queueLengthFile),
        RateMap<uint64_t>("KMIN_MAP", &C::kminBytes, ParseKilobytes),
        RateMap<uint64_t>("KMAX_MAP", &C::kmaxBytes, ParseKilobytes),
        RateMap<double>("PMAX_MAP", &C::pmax, ParseProbability),
        {"SIMULATOR_STOP_TIME", 1, "seconds", StoreStopTime},
        {"BUFFER_SIZE", 1, "a whole number of MiB", StoreBufferSize},
        {"LINK_DOWN", 3, "a time in us and two node ids", StoreLinkDown},
        {"DATA_RATE", 1, "a rate", Ignore},  // the family's program reads these two,
        {"LINK_DELAY", 1, "a time", Ignore}, // and does not use them
    };
    return keys;
}

const Key&
FindKey(const std::string& name, const InputPlace& place)
{
    std::vector<std::string> names;
    for (const Key& key : Keys())
    {
        if (name == key.name)
        {
            return key;
        }
        names.emplace_back(key.name);
    }
    std::string nearest = NearestWord(name, names);
    throw InputError(place,
                     "unknown key" + (nearest.empty() ? "" : ", did you mean " + nearest + "?"),
                     "a key of the HPCC family's config.txt");
}

/// @param words a key and its values
void
Store(HpccConfig& config, const std::vector<std::string>& words, InputPlace place)
{
    place.key = words[0];
    const Key& key = FindKey(words[0], place);
    Values values{{words.begin() + 1, words.end()}, place};
    if (values.words.empty() || (key.values > 0 && values.words.size() != key.values))
    {
        throw InputError(place,
                         std::to_string(values.words.size()) + " values",
                         std::string(key.expected));
    }
    key.store(config, values);
    config.places[words[0]] = place;
}

void
Override(HpccConfig& config, const std::string& assignment)
{
    InputPlace place{"--set " + assignment, 0, ""};
    size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == assignment.size())
    {
        throw InputError(place,
                         "\"" + assignment + "\" is not an assignment",
                         "KEY=VALUE, like CC_MODE=1");
    }
    std::vector<std::string> words{assignment.substr(0, equals)};
    std::istringstream in(assignment.substr(equals + 1));
    for (std::string word; in >> word;)
    {
        words.push_back(word);
    }
    Store(config, words, place);
}

void
Require(const HpccConfig& config, const std::vector<std::string>& keys)
{
    for (const std::string& key : keys)
    {
        if (config.places.count(key) == 0)
        {
            throw InputError({config.file, 0, key}, "is missing", FindKey(key, {}).expected);
        }
    }
}

/// The keys without which the family's program does nothing sensible.
void
CheckComplete(const HpccConfig& config)
{
    Require(config, {"TOPOLOGY_FILE", "FLOW_FILE"});
    if (config.enableQcn)
    {
        Require(config, {"KMIN_MAP", "KMAX_MAP", "PMAX_MAP"});
    }
    switch (config.GetReaction())
    {
    case HpccConfig::NO_REACTION:
        break;
    case HpccConfig::DCQCN:
        Require(config, {"RP_TIMER", "EWMA_GAIN", "RATE_AI", "RATE_HAI"});
        break;
    case HpccConfig::HPCC:
    case HpccConfig::HPCC_PINT:
        Require(config, {"RATE_AI"});
        break;
    case HpccConfig::TIMELY:
        Require(config, {"RATE_AI", "RATE_HAI"});
        break;
    case HpccConfig::DCTCP:
        Require(config, {"EWMA_GAIN"});
        break;
    }
    for (const auto& [rate, kmin] : config.kminBytes)
    {
        auto kmax = config.kmaxBytes.find(rate);
        if (kmax != config.kmaxBytes.end() && kmin > kmax->second)
        {
            throw InputError(config.places.at("KMIN_MAP"),
                             std::to_string(kmin / 1000) + " at " + std::to_string(rate) +
                                 " is above KMAX_MAP's",
                             "at most " + std::to_string(kmax->second / 1000));
        }
    }
}

const std::string&
FileOf(const HpccConfig& config, const std::string& key)
{
    return key == "TOPOLOGY_FILE" ? config.topologyFile
           : key == "FLOW_FILE"   ? config.flowFile
                                  : config.traceFile;
}

} // namespace

HpccConfig
ReadHpccConfig(const std::string& path, const std::vector<std::string>& overrides)
{
    HpccConfig config;
    config.file = path;
    LineReader reader(path, "a config.txt of the HPCC family");
    while (reader.Next())
    {
        const std::vector<std::string>& words = reader.GetWords();
        if (words[0][0] == '#')
        {
            continue;
        }
        auto before = config.places.find(words[0]);
        if (before != config.places.end())
        {
            throw InputError(reader.Place(words[0]),
                             "is there twice, first in line " + std::to_string(before->second.line),
                             "it once");
        }
        Store(config, words, reader.Place());
    }
    for (const std::string& assignment : overrides)
    {
        Override(config, assignment);
    }
    CheckComplete(config);
    return config;
}

std::string
FindHpccFile(const HpccConfig& config, const std::string& key)
{
    namespace fs = std::filesystem;
    const fs::path named = FileOf(config, key);
    const fs::path folder = fs::absolute(config.file).parent_path();
    std::vector<fs::path> candidates{named};
    if (named.is_relative())
    {
        candidates = {folder / named, folder.parent_path() / named, folder / named.filename()};
    }
    std::string tried;
    for (const fs::path& candidate : candidates)
    {
        std::error_code ignored;
        if (!named.empty() && fs::is_regular_file(candidate, ignored))
        {
            return candidate.lexically_normal().string();
        }
        std::string text = candidate.lexically_normal().string();
        tried += (tried.empty() ? "" : ", ") + text;
    }
    auto place = config.places.find(key);
    throw InputError(place == config.places.end() ? InputPlace{config.file, 0, key} : place->second,
                     "there is no file \"" + named.string() + "\"",
                     "one of " + tried);
}

void
CheckHpccThresholds(const HpccConfig& config, const HpccTopology& topology)
{
    if (!config.enableQcn)
    {
        return;
    }
    for (const FabricGraph::Edge& edge : topology.graph.GetEdges())
    {
        if (topology.isHost[edge.a] && topology.isHost[edge.b])
        {
            continue;
        }
        uint64_t rate = edge.rate.GetBitRate();
        auto check = [&](const std::string& key, const auto& map) {
            if (map.count(rate) == 0)
            {
                throw InputError(config.places.at(key),
                                 "no value for " + FormatDataRate(edge.rate) + ", which links of " +
                                     topology.file + " have",
                                 "a pair that starts with " + std::to_string(rate));
            }
        };
        check("KMIN_MAP", config.kminBytes);
        check("KMAX_MAP", config.kmaxBytes);
        check("PMAX_MAP", config.pmax);
    }
}

HpccConfig::Reaction
HpccConfig::GetReaction() const
{
    switch (ccMode)
    {
    case 1:
        return enableQcn ? DCQCN : NO_REACTION;
    case 3:
        return HPCC;
    case 7:
        return TIMELY;
    case 8:
        return enableQcn ? DCTCP : NO_REACTION;
    case 10:
        return HPCC_PINT;
    case 12:
        return NO_REACTION;
    default:
        auto place = places.find("CC_MODE");
        throw InputError(place == places.end() ? InputPlace{file, 0, "CC_MODE"} : place->second,
                         std::to_string(ccMode) + " does not exist",
                         "1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP), 10 (HPCC-PINT), 12 (none)");
    }
}

uint32_t
HpccConfig::GetPintBytes() const
{
    // Utilizations of 1/512 to 512, each code PINT_LOG_BASE times the one before it.
    double codes = std::log(512.0 * 512.0) / std::log(pintLogBase);
    return codes <= 256 ? 1 : 2;
}

std::string
GetHpccCcModeName(uint32_t ccMode)
{
    switch (ccMode)
    {
    case 1:
        return "DCQCN";
    case 3:
        return "HPCC";
    case 7:
        return "TIMELY";
    case 8:
        return "DCTCP";
    case 10:
        return "HPCC-PINT";
    case 12:
        return "no congestion control";
    default:
        return "mode " + std::to_string(ccMode);
    }
}

} // namespace ns3
