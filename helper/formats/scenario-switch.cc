// SPDX-License-Identifier: GPL-2.0-only
#include "scenario-switch.h"

#include "quantity.h"
#include "scenario-sections.h"

#include "ns3/switch-presets.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// A name that a scenario uses, and what it stands for.
struct NamedType
{
    const char* name;
    const char* type;
    bool reorders; ///< of a path selector
};

constexpr NamedType PATH_SELECTORS[] = {
    {"ecmp", "ns3::EcmpPathSelector", false},
    {"weighted-ecmp", "ns3::WeightedEcmpPathSelector", false},
    {"entropy", "ns3::EntropyPathSelector", false},
    {"random-spray", "ns3::RandomSprayPathSelector", true},
    {"round-robin-spray", "ns3::RoundRobinSprayPathSelector", true},
    {"flowlet", "ns3::FlowletPathSelector", false},
    {"conga", "ns3::CongaPathSelector", false},
    {"drill", "ns3::DrillPathSelector", true},
    {"adaptive", "ns3::AdaptivePathSelector", true},
    {"conweave", "ns3::ConWeavePathSelector", false},
};

constexpr NamedType BUFFER_POLICIES[] = {
    {"dynamic-threshold", "ns3::DynamicThresholdPolicy", false},
    {"static-threshold", "ns3::StaticThresholdPolicy", false},
    {"complete-partition", "ns3::CompletePartitionPolicy", false},
    {"abm", "ns3::AbmBufferPolicy", false},
};

template <size_t N>
const NamedType&
FindType(const NamedType (&types)[N], const std::string& name)
{
    auto found = std::find_if(std::begin(types), std::end(types), [&](const NamedType& type) {
        return name == type.name;
    });
    return found == std::end(types) ? types[0] : *found; // the reader has checked the name
}

template <size_t N>
std::vector<std::string>
NamesOf(const NamedType (&types)[N])
{
    std::vector<std::string> names;
    for (const NamedType& type : types)
    {
        names.emplace_back(type.name);
    }
    return names;
}

/// A part that is off, on, or on with parameters: false, true or an object.
std::optional<std::vector<AttributeSetting>>
ReadSwitchedPart(JsonReader& reader, const std::string& key, const std::string& type)
{
    const JsonValue* value = reader.Find(key);
    if (!value)
    {
        return std::nullopt;
    }
    if (value->kind == JsonValue::Kind::OBJECT)
    {
        return ReadParameters(value, reader.Place(key).key, type);
    }
    bool on = false;
    reader.Read(key, on);
    return on ? std::make_optional<std::vector<AttributeSetting>>() : std::nullopt;
}

/// @param text traffic classes such as "3" or "4+5" @return bit c: class c is one of them
uint8_t
ParseClassGroup(const std::string& text, const InputPlace& place)
{
    uint8_t classes = 0;
    for (size_t i = 0; i < text.size(); i += 2)
    {
        bool isClass = text[i] >= '0' && text[i] < '0' + static_cast<char>(N_TRAFFIC_CLASSES);
        bool goesOn = i + 1 < text.size() && text[i + 1] == '+' && i + 2 < text.size();
        if (!isClass || (i + 1 < text.size() && !goesOn))
        {
            throw InputError(place,
                             "\"" + text + "\" names no traffic class",
                             "a class, 0 to 7, or a group of them like \"4+5\"");
        }
        classes |= static_cast<uint8_t>(1U << (text[i] - '0'));
    }
    return classes;
}

std::vector<SchedulingConfig::Share>
ReadShares(const JsonValue& value, const std::string& path, uint8_t strict)
{
    JsonReader reader(value, path);
    std::vector<SchedulingConfig::Share> shares;
    uint64_t sum = 0;
    uint8_t seen = 0;
    for (size_t i = 0; i < value.keys.size(); ++i)
    {
        InputPlace place = reader.Place(value.keys[i]);
        uint8_t classes = ParseClassGroup(value.keys[i], place);
        if (classes & (strict | seen))
        {
            throw InputError(place,
                             classes & strict ? "is strict as well" : "has another share as well",
                             "each class once");
        }
        seen |= classes;
        auto percent = static_cast<uint32_t>(GetUnsigned(value.elements[i], place.key, 1, 100));
        sum += percent;
        shares.push_back({classes, percent});
    }
    if (sum != 100)
    {
        throw InputError(PlaceOf(value, path),
                         "add up to " + std::to_string(sum),
                         "shares in per cent that add up to 100");
    }
    return shares;
}

/// The keys of an object that are traffic classes. @return by class: its value, or null
std::array<const JsonValue*, N_TRAFFIC_CLASSES>
ReadClassKeys(const JsonValue& value, const std::string& path)
{
    JsonReader reader(value, path);
    std::array<const JsonValue*, N_TRAFFIC_CLASSES> byClass{};
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        byClass[c] = reader.Find(std::to_string(c));
    }
    reader.RejectUnknownKeys();
    return byClass;
}

void
ReadOptional(JsonReader& reader,
             const std::string& key,
             std::optional<uint64_t>& bytes,
             uint64_t min = 0,
             uint64_t max = MOST_BYTES)
{
    if (reader.Find(key))
    {
        bytes = 0;
        reader.ReadBytes(key, *bytes, min, max);
    }
}

void
ReadOptional(JsonReader& reader,
             const std::string& key,
             std::optional<double>& value,
             double min,
             double max)
{
    if (reader.Find(key))
    {
        value = 0;
        reader.Read(key, *value, min, max);
    }
}

/// false, true or an object.
std::optional<WatchdogConfig>
ReadWatchdog(const JsonValue& value, const InputPlace& place)
{
    WatchdogConfig watchdog;
    if (value.kind == JsonValue::Kind::BOOLEAN)
    {
        return value.text == "true" ? std::make_optional(watchdog) : std::nullopt;
    }
    JsonReader reader(value, place.key);
    auto readTime = [&reader](const std::string& key, Time& time) {
        reader.Read(key, time);
        if (!time.IsStrictlyPositive())
        {
            throw InputError(reader.Place(key),
                             Describe(reader.Get(key)) + " is no time",
                             "above 0");
        }
    };
    readTime("detectionTime", watchdog.detectionTime);
    readTime("restorationTime", watchdog.restorationTime);
    reader.ReadName("action", watchdog.action, {"drop", "forward"});
    reader.RejectUnknownKeys();
    return watchdog;
}

/// "per-port", or an object with the shared pool.
void
ReadHeadroom(const JsonValue& value, const std::string& path, BufferConfig& buffer)
{
    if (value.kind != JsonValue::Kind::OBJECT)
    {
        if (GetString(value, path) != "per-port")
        {
            throw InputError(
                PlaceOf(value, path),
                Describe(value) + " is not known",
                "\"per-port\", or an object with the size of a pool: { \"pool\": ... }");
        }
        return;
    }
    JsonReader reader(value, path);
    reader.Get("pool");
    ReadOptional(reader, "pool", buffer.headroomPoolBytes, 1);
    reader.Read("oversubscription", buffer.headroomOversubscription, 1, 1024);
    reader.RejectUnknownKeys();
}

/// A bare value stands for an object with one key; messages are to name the key that the user
/// wrote.
/// @param value of the key @param path of the key @return an object with it, to be read as the root
JsonValue
Wrap(const JsonValue& value, const std::string& path)
{
    return {JsonValue::Kind::OBJECT, value.source, value.line, "", {value}, {path}};
}

void
RefuseDisorder(const std::optional<uint64_t>& kmin,
               const std::optional<uint64_t>& kmax,
               JsonReader& reader)
{
    if (kmin && kmax && *kmin > *kmax)
    {
        throw InputError(reader.Place("kmin"),
                         Describe(reader.Get("kmin")) + " is above kmax",
                         "at most kmax, " + FormatBytes(*kmax));
    }
}

EcnConfig
ReadOneEcn(const JsonValue& value, const std::string& path, std::string& markAt)
{
    JsonReader reader(value, path);
    EcnConfig ecn;
    if (const JsonValue* classes = reader.Find("classes"))
    {
        ecn.classes = ReadClassList(*classes, reader.Place("classes").key);
    }
    reader.ReadName("marker", ecn.marker, GetScenarioNames("ecn-markers"));
    if (ecn.marker == "step")
    {
        ReadOptional(reader, "threshold", ecn.thresholdBytes);
    }
    else
    {
        ReadOptional(reader, "kmin", ecn.kminBytes);
        ReadOptional(reader, "kmax", ecn.kmaxBytes);
        ReadOptional(reader, "pmax", ecn.pmax, 0, 1);
        ReadOptional(reader, "queueWeight", ecn.queueWeight, 1e-9, 1);
        RefuseDisorder(ecn.kminBytes, ecn.kmaxBytes, reader);
    }
    if (reader.Find("at"))
    {
        std::string at;
        reader.ReadName("at", at, {"enqueue", "dequeue"});
        if (!markAt.empty() && markAt != at)
        {
            throw InputError(reader.Place("at"),
                             "\"" + at + "\", but other classes are marked at " + markAt,
                             "the same for all classes: a switch has one marking point");
        }
        markAt = at;
    }
    reader.RejectUnknownKeys();
    return ecn;
}

} // namespace

JsonValue
AsObject(const JsonValue& value, const std::string& path, const std::string& key)
{
    if (value.kind == JsonValue::Kind::OBJECT)
    {
        return value;
    }
    GetString(value, path);
    return {JsonValue::Kind::OBJECT, value.source, value.line, "", {value}, {key}};
}

std::vector<AttributeSetting>
ReadParameters(const JsonValue* value, const std::string& path, const std::string& type)
{
    std::vector<AttributeSetting> settings;
    if (value)
    {
        JsonReader reader(*value, path);
        for (size_t i = 0; i < value->keys.size(); i++)
        {
            const std::string& name = value->keys[i];
            const JsonValue& setting = value->elements[i];
            InputPlace place = reader.Place(name);
            if (!setting.elements.empty() || setting.text.empty())
            {
                throw InputError(place, Describe(setting) + " is no value", "a string or a number");
            }
            settings.push_back(CheckAttribute({type, name, setting.text}, place));
        }
    }
    return settings;
}

BufferConfig
ReadBuffer(const JsonValue& value)
{
    const std::string path = "network.buffer";
    constexpr uint64_t LEAST = 1024;
    constexpr uint64_t MOST = uint64_t{1} << 40;
    BufferConfig buffer;
    if (value.kind !=
        JsonValue::Kind::OBJECT) // a bare size is short for an object with nothing else
    {
        buffer.sizeBytes = 0;
        JsonValue root = Wrap(value, path);
        JsonReader(root, "").ReadBytes(path, *buffer.sizeBytes, LEAST, MOST);
        return buffer;
    }
    JsonReader reader(value, path);
    reader.ReadName("preset", buffer.preset, GetSwitchPresetNames());
    ReadOptional(reader, "size", buffer.sizeBytes, LEAST, MOST);
    ReadOptional(reader, "cellSize", buffer.cellBytes, 1, 65536);
    ReadOptional(reader, "reserved", buffer.reservedBytes, 0, MOST);
    ReadOptional(reader, "alpha", buffer.alpha, 1e-6, 64);
    ReadOptional(reader, "lossyAlpha", buffer.lossyAlpha, 1e-6, 64);
    if (reader.Find("referenceRate"))
    {
        buffer.referenceRate = DataRate();
        reader.ReadLinkRate("referenceRate", *buffer.referenceRate);
    }
    if (const JsonValue* headroom = reader.Find("headroom"))
    {
        ReadHeadroom(*headroom, path + ".headroom", buffer);
    }
    if (const JsonValue* pools = reader.Find("pools"))
    {
        JsonReader poolReader(*pools, path + ".pools");
        ReadOptional(poolReader, "lossy", buffer.lossyPoolBytes, 1, MOST);
        ReadOptional(poolReader, "egressLossless", buffer.egressLosslessBytes, 1, MOST);
        ReadOptional(poolReader, "egressLossy", buffer.egressLossyBytes, 1, MOST);
        poolReader.RejectUnknownKeys();
    }
    if (const JsonValue* policy = reader.Find("policy"))
    {
        JsonValue part = AsObject(*policy, path + ".policy", "name");
        JsonReader policyReader(part, path + ".policy");
        policyReader.Get("name");
        policyReader.ReadName("name", buffer.policy.name, NamesOf(BUFFER_POLICIES));
        buffer.policy.parameters = ReadParameters(policyReader.Find("parameters"),
                                                  path + ".policy.parameters",
                                                  GetBufferPolicyType(buffer.policy.name));
        policyReader.RejectUnknownKeys();
    }
    buffer.parameters =
        ReadParameters(reader.Find("parameters"), path + ".parameters", "ns3::SharedBuffer");
    reader.RejectUnknownKeys();
    return buffer;
}

void
CheckSwitchPreset(const NetworkConfig& network, const FabricGraph& graph, const JsonValue& value)
{
    if (network.buffer.preset.empty())
    {
        return;
    }
    SwitchPreset preset = GetSwitchPreset(network.buffer.preset);
    // Up to 1024 ports of 4 Tb/s: 64 bits hold the sum.
    uint64_t capacity = preset.ports * preset.portRate.GetBitRate();
    std::vector<uint64_t> used(graph.GetVertices().size(), 0);
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        used[edge.a] += edge.rate.GetBitRate();
        used[edge.b] += edge.rate.GetBitRate();
    }
    for (uint32_t v = 0; v < used.size(); ++v)
    {
        if (graph.GetVertices()[v].role == FabricGraph::Role::SWITCH && used[v] > capacity)
        {
            const JsonValue& buffer = *value.Find("buffer");
            throw InputError(PlaceOf(*buffer.Find("preset"), "network.buffer.preset"),
                             "the ports of " + graph.GetVertices()[v].name + " add up to " +
                                 FormatDataRate(DataRate(used[v])),
                             "a switch of at most " + FormatDataRate(DataRate(capacity)) + ", as " +
                                 preset.name + " is");
        }
    }
}

PfcConfig
ReadPfc(const JsonValue& value)
{
    const std::string path = "network.pfc";
    PfcConfig pfc;
    if (value.kind == JsonValue::Kind::BOOLEAN)
    {
        pfc.enabled = value.text == "true";
        return pfc;
    }
    if (value.kind != JsonValue::Kind::OBJECT)
    {
        throw InputError(PlaceOf(value, path),
                         Describe(value) + " is not true or false",
                         "true, false, or an object: { ... }");
    }
    JsonReader reader(value, path);
    reader.Read("enabled", pfc.enabled);
    auto classes = [&](const std::string& key, auto& into) {
        if (const JsonValue* list = reader.Find(key))
        {
            into = ReadClassList(*list, reader.Place(key).key);
        }
    };
    classes("classes", pfc.classes);
    classes("hostsObey", pfc.hostsObey);
    classes("hostsAsk", pfc.hostsAsk);
    reader.Read("global", pfc.global);
    reader.Read("quanta", pfc.quanta, 1, 65535);
    if (const JsonValue* watchdog = reader.Find("watchdog"))
    {
        pfc.watchdog = ReadWatchdog(*watchdog, reader.Place("watchdog"));
    }
    reader.RejectUnknownKeys();
    return pfc;
}

std::vector<EcnConfig>
ReadEcn(const JsonValue& value, std::string& markAt)
{
    const std::string path = "network.ecn";
    std::vector<EcnConfig> all;
    if (value.kind != JsonValue::Kind::ARRAY)
    {
        all.push_back(ReadOneEcn(value, path, markAt));
        return all;
    }
    uint8_t seen = 0;
    for (size_t i = 0; i < value.elements.size(); i++)
    {
        std::string at = ElementPath(path, i);
        EcnConfig ecn = ReadOneEcn(value.elements[i], at, markAt);
        if (!ecn.classes)
        {
            throw InputError(PlaceOf(value.elements[i], at + ".classes"),
                             "is missing",
                             "the classes that these thresholds are for");
        }
        if (seen & *ecn.classes)
        {
            throw InputError(PlaceOf(*value.elements[i].Find("classes"), at + ".classes"),
                             "has a class that an earlier element has as well",
                             "each class once");
        }
        seen |= *ecn.classes;
        all.push_back(ecn);
    }
    if (all.empty())
    {
        throw InputError(PlaceOf(value, path), "is an empty list", "at least one object");
    }
    return all;
}

PathSelectionConfig
ReadPathSelection(const JsonValue& value)
{
    const std::string path = "network.pathSelection";
    PathSelectionConfig selection;
    if (value.kind != JsonValue::Kind::OBJECT)
    {
        JsonValue root = Wrap(value, path);
        JsonReader(root, "").ReadName(path, selection.name, NamesOf(PATH_SELECTORS));
        return selection;
    }
    JsonReader reader(value, path);
    reader.Get("name");
    reader.ReadName("name", selection.name, NamesOf(PATH_SELECTORS));
    selection.parameters = ReadParameters(reader.Find("parameters"),
                                          path + ".parameters",
                                          GetPathSelectorType(selection.name));
    reader.Read("sharedSeed", selection.sharedSeed);
    reader.RejectUnknownKeys();
    return selection;
}

RoutingConfig
ReadRouting(const JsonValue& value, const std::string& scenarioFile)
{
    const std::string path = "network.routing";
    RoutingConfig routing;
    if (value.kind != JsonValue::Kind::OBJECT)
    {
        JsonValue root = Wrap(value, path);
        JsonReader(root, "").ReadName(path, routing.name, GetScenarioNames("routings"));
        return routing;
    }
    JsonReader reader(value, path);
    const JsonValue* file = reader.Find("file");
    if (file && reader.Find("name"))
    {
        throw InputError(reader.Place("name"),
                         "stands beside file",
                         "either a name or a file with the routes");
    }
    if (file)
    {
        routing.name = "file";
        routing.file = FromFolderOf(scenarioFile, GetString(*file, path + ".file"));
    }
    else
    {
        reader.ReadName("name", routing.name, GetScenarioNames("routings"));
    }
    reader.Read("convergenceTime", routing.convergenceTime);
    reader.RejectUnknownKeys();
    return routing;
}

SchedulingConfig
ReadScheduling(const JsonValue& value)
{
    const std::string path = "network.scheduling";
    SchedulingConfig scheduling;
    JsonReader reader(value, path);
    if (const JsonValue* strict = reader.Find("strict"))
    {
        scheduling.strictClasses = ReadClassList(*strict, path + ".strict");
    }
    if (const JsonValue* shares = reader.Find("shares"))
    {
        scheduling.shares =
            ReadShares(*shares, path + ".shares", scheduling.strictClasses.value_or(0));
    }
    if (reader.Find("portRate"))
    {
        scheduling.portRate = DataRate();
        reader.ReadLinkRate("portRate", *scheduling.portRate);
    }
    if (const JsonValue* rates = reader.Find("classRates"))
    {
        auto byClass = ReadClassKeys(*rates, path + ".classRates");
        for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            std::string at = path + ".classRates." + std::to_string(c);
            if (byClass[c])
            {
                scheduling.classRates[c] =
                    ParseLinkRate(GetQuantityText(*byClass[c], at, "a data rate"),
                                  PlaceOf(*byClass[c], at));
            }
        }
    }
    reader.RejectUnknownKeys();
    return scheduling;
}

TelemetryConfig
ReadTelemetry(const JsonValue& value)
{
    TelemetryConfig telemetry;
    JsonReader reader(value, "network.telemetry");
    const JsonValue* format = reader.Find("int");
    if (format && format->kind == JsonValue::Kind::BOOLEAN)
    {
        telemetry.intFormat = format->text == "true" ? "int-md" : "none";
    }
    else
    {
        reader.ReadName("int", telemetry.intFormat, {"none", "int-md", "hpcc"});
    }
    telemetry.trimming = ReadSwitchedPart(reader, "trimming", "ns3::FrameTrimmer");
    if (const JsonValue* mirror = reader.Find("dropMirror"))
    {
        const std::string path = "network.telemetry.dropMirror";
        JsonReader mirrorReader(*mirror, path);
        telemetry.dropMirror = DropMirrorConfig{};
        mirrorReader.Get("collector");
        mirrorReader.Read("collector", telemetry.dropMirror->collector);
        telemetry.dropMirror->parameters = ReadParameters(mirrorReader.Find("parameters"),
                                                          path + ".parameters",
                                                          "ns3::DropMirror");
        mirrorReader.RejectUnknownKeys();
    }
    reader.RejectUnknownKeys();
    return telemetry;
}

std::string
FormatClasses(uint8_t classes)
{
    std::string text;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (classes & (1U << c))
        {
            text += (text.empty() ? "" : "+") + std::to_string(c);
        }
    }
    return text;
}

std::string
GetPathSelectorType(const std::string& name)
{
    return FindType(PATH_SELECTORS, name).type;
}

std::string
GetBufferPolicyType(const std::string& name)
{
    return FindType(BUFFER_POLICIES, name).type;
}

bool
PathSelectorReorders(const std::string& name)
{
    return FindType(PATH_SELECTORS, name).reorders;
}

std::vector<std::string>
GetPathSelectorNames()
{
    return NamesOf(PATH_SELECTORS);
}

std::vector<std::string>
GetBufferPolicyNames()
{
    return NamesOf(BUFFER_POLICIES);
}

} // namespace ns3
