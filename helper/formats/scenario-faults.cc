// SPDX-License-Identifier: GPL-2.0-only
#include "scenario-faults.h"

#include "quantity.h"
#include "scenario-sections.h"

#include "ns3/uint128.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Kind = FaultConfig::Kind;

struct KindLine
{
    Kind kind;
    const char* name;
    const char* line;
};

constexpr KindLine KINDS[] = {
    {Kind::LINK_DOWN, "link-down", "a cable is unplugged; both ends see it, routes follow"},
    {Kind::LINK_FLAP, "link-flap", "a cable is unplugged again and again"},
    {Kind::ONE_WAY, "one-way", "one direction of a cable carries nothing, and nobody sees it"},
    {Kind::DEGRADED_RATE, "degraded-rate", "a cable gets slower, both ways"},
    {Kind::BIT_ERRORS, "bit-errors", "a cable flips bits; FEC corrects some"},
    {Kind::LOSS, "loss", "a cable loses frames"},
    {Kind::SWITCH_REBOOT, "switch-reboot", "a switch loses its packets and links for a time"},
    {Kind::SLOW_RECEIVER, "slow-receiver", "a NIC takes frames in slower than its cable"},
    {Kind::PAUSE_STORM, "pause-storm", "a NIC asks for PFC pauses without end"},
    {Kind::NIC_STOP, "nic-stop", "a NIC neither sends nor takes anything, its link stays up"},
    {Kind::SLOW_GPU, "slow-gpu", "the SMs of a GPU are slower than they should be"},
};

std::vector<std::string>
KindNames()
{
    std::vector<std::string> names;
    for (const KindLine& known : KINDS)
    {
        names.emplace_back(known.name);
    }
    return names;
}

/// Faults of these kinds set one value, so two of them at once would contradict each other. The
/// others hold a link down, and may do so together.
bool
SetsValue(Kind kind)
{
    return kind == Kind::DEGRADED_RATE || kind == Kind::BIT_ERRORS || kind == Kind::LOSS ||
           kind == Kind::SLOW_RECEIVER || kind == Kind::PAUSE_STORM || kind == Kind::SLOW_GPU;
}

/// What the names in a fault mean.
class Places
{
  public:
    explicit Places(const FabricGraph& graph)
        : m_graph(graph)
    {
    }

    const FabricGraph& Graph() const
    {
        return m_graph;
    }

    std::string NameOf(uint32_t vertex) const
    {
        return m_graph.GetVertices()[vertex].name;
    }

    std::optional<uint32_t> Find(const std::string& name) const
    {
        const auto& all = m_graph.GetVertices();
        auto found = std::find_if(all.begin(), all.end(), [&](const FabricGraph::Vertex& v) {
            return v.name == name;
        });
        if (found == all.end())
        {
            return std::nullopt;
        }
        return static_cast<uint32_t>(found - all.begin());
    }

    /// @return the vertex of that name and, where one is asked for, that role
    uint32_t Get(const std::string& name,
                 const InputPlace& place,
                 std::optional<FabricGraph::Role> role = std::nullopt) const
    {
        std::optional<uint32_t> vertex = Find(name);
        const auto& all = m_graph.GetVertices();
        if (vertex && (!role || all[*vertex].role == *role))
        {
            return *vertex;
        }
        std::vector<std::string> names;
        for (const FabricGraph::Vertex& v : all)
        {
            if (!role || v.role == *role)
            {
                names.push_back(v.name);
            }
        }
        const char* what = !role ? "node" : *role == FabricGraph::Role::HOST ? "host" : "switch";
        std::string nearest = NearestWord(name, names);
        throw InputError(place,
                         std::string("no ") + what + " is called \"" + name + "\"" +
                             (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"),
                         names.empty()
                             ? std::string("a topology that has one")
                             : "a name like \"" + names.front() + "\" or \"" + names.back() + "\"");
    }

    /// @return the cables between two vertices, in the graph's order
    std::vector<uint32_t> CablesBetween(uint32_t a, uint32_t b) const
    {
        std::vector<uint32_t> cables;
        for (uint32_t e = 0; e < m_graph.GetEdges().size(); ++e)
        {
            const FabricGraph::Edge& edge = m_graph.GetEdges()[e];
            if ((edge.a == a && edge.b == b) || (edge.a == b && edge.b == a))
            {
                cables.push_back(e);
            }
        }
        return cables;
    }

    /// @return the cables of a vertex, in the order of its ports
    std::vector<uint32_t> CablesOf(uint32_t vertex) const
    {
        std::vector<uint32_t> cables;
        for (uint32_t e = 0; e < m_graph.GetEdges().size(); ++e)
        {
            const FabricGraph::Edge& edge = m_graph.GetEdges()[e];
            if (edge.a == vertex || edge.b == vertex)
            {
                cables.push_back(e);
            }
        }
        return cables;
    }

    /// @return both ends of a link written as "A-B"; names may have dashes themselves
    std::pair<uint32_t, uint32_t> Ends(const std::string& text, const InputPlace& place) const
    {
        std::vector<std::pair<uint32_t, uint32_t>> readings;
        std::string half; // a split of which one side is a name
        for (size_t dash = text.find('-'); dash != std::string::npos;
             dash = text.find('-', dash + 1))
        {
            std::optional<uint32_t> a = Find(text.substr(0, dash));
            std::optional<uint32_t> b = Find(text.substr(dash + 1));
            if (a && b)
            {
                readings.emplace_back(*a, *b);
            }
            else if (a || b)
            {
                half = a ? text.substr(dash + 1) : text.substr(0, dash);
            }
        }
        if (readings.size() > 1)
        {
            throw InputError(place,
                             "\"" + text + "\" can be read in two ways",
                             "the names of both ends, like [\"" + NameOf(readings[0].first) +
                                 "\", \"" + NameOf(readings[0].second) + "\"]");
        }
        if (readings.empty() && !half.empty())
        {
            Get(half, place); // says what is wrong with it
        }
        if (readings.empty())
        {
            const FabricGraph::Edge& any = m_graph.GetEdges().front();
            throw InputError(place,
                             "\"" + text + "\" is no link",
                             "the names of its two ends, like \"" + NameOf(any.a) + "-" +
                                 NameOf(any.b) + "\" or [\"" + NameOf(any.a) + "\", \"" +
                                 NameOf(any.b) + "\"]");
        }
        return readings.front();
    }

  private:
    const FabricGraph& m_graph;
};

std::pair<uint32_t, uint32_t>
ReadEnds(JsonReader& reader, const Places& places)
{
    const JsonValue& value = reader.Get("link");
    InputPlace place = reader.Place("link");
    if (value.kind != JsonValue::Kind::ARRAY)
    {
        return places.Ends(GetString(value, place.key), place);
    }
    if (value.elements.size() != 2)
    {
        throw InputError(place,
                         "has " + std::to_string(value.elements.size()) + " names",
                         "the names of the link's two ends");
    }
    auto end = [&](size_t i) {
        std::string path = ElementPath(place.key, i);
        return places.Get(GetString(value.elements[i], path), PlaceOf(value.elements[i], path));
    };
    uint32_t a = end(0);
    return {a, end(1)};
}

void
ReadLink(JsonReader& reader, const Places& places, FaultConfig& fault)
{
    auto [a, b] = ReadEnds(reader, places);
    std::vector<uint32_t> cables = places.CablesBetween(a, b);
    std::string name = places.NameOf(a) + "-" + places.NameOf(b);
    if (cables.empty())
    {
        throw InputError(reader.Place("link"),
                         "no cable joins \"" + places.NameOf(a) + "\" and \"" + places.NameOf(b) +
                             "\"",
                         "two nodes that have one");
    }
    auto last = static_cast<uint32_t>(cables.size() - 1);
    if (last > 0 && !reader.Find("index"))
    {
        throw InputError(reader.Place("index"),
                         "is missing: " + std::to_string(cables.size()) + " cables join " + name,
                         "0 to " + std::to_string(last));
    }
    reader.Read("index", fault.index, 0, last);
    fault.edge = cables[fault.index];
    fault.ends = {places.NameOf(a), places.NameOf(b)};
    fault.where = name + (last > 0 ? "[" + std::to_string(fault.index) + "]" : "");
}

/// "from" or "to": which end's frames are lost.
void
ReadDirection(JsonReader& reader, const Places& places, FaultConfig& fault)
{
    const JsonValue* from = reader.Find("from");
    const JsonValue* to = reader.Find("to");
    if (!from == !to)
    {
        throw InputError(reader.Place(from ? "to" : "from"),
                         from ? "from is there as well" : "is missing",
                         "either from or to, one of the link's ends");
    }
    InputPlace place = reader.Place(from ? "from" : "to");
    uint32_t named = places.Get(GetString(from ? *from : *to, place.key), place);
    const FabricGraph::Edge& edge = places.Graph().GetEdges()[fault.edge];
    if (named != edge.a && named != edge.b)
    {
        throw InputError(place,
                         "\"" + places.NameOf(named) + "\" is no end of " + fault.where,
                         ListWords(fault.ends));
    }
    fault.vertex = (named == edge.a) == (from != nullptr) ? edge.a : edge.b;
    fault.from = places.NameOf(fault.vertex);
    fault.where += " from " + fault.from;
}

void
ReadNic(JsonReader& reader, const Places& places, FaultConfig& fault)
{
    std::string name = GetString(reader.Get("host"), reader.Place("host").key);
    fault.vertex = places.Get(name, reader.Place("host"), FabricGraph::Role::HOST);
    std::vector<uint32_t> cables = places.CablesOf(fault.vertex);
    if (cables.empty())
    {
        throw InputError(reader.Place("host"), "\"" + name + "\" has no cable", "a host with one");
    }
    auto last = static_cast<uint32_t>(cables.size() - 1);
    if (last > 0 && !reader.Find("port"))
    {
        throw InputError(reader.Place("port"),
                         "is missing: " + name + " has " + std::to_string(cables.size()) + " ports",
                         "0 to " + std::to_string(last));
    }
    reader.Read("port", fault.index, 0, last);
    fault.edge = cables[fault.index];
    fault.ends = {name};
    fault.where = name + (last > 0 ? ":" + std::to_string(fault.index) : "");
}

void
ReadSwitch(JsonReader& reader, const Places& places, FaultConfig& fault)
{
    std::string name = GetString(reader.Get("switch"), reader.Place("switch").key);
    fault.vertex = places.Get(name, reader.Place("switch"), FabricGraph::Role::SWITCH);
    fault.ends = {name};
    fault.where = name;
}

void
RefuseZero(JsonReader& reader, const std::string& key, Time time)
{
    if (!time.IsStrictlyPositive())
    {
        throw InputError(reader.Place(key), Describe(reader.Get(key)) + " is no time", "above 0");
    }
}

void
ReadFlap(JsonReader& reader, FaultConfig& fault)
{
    Time down;
    reader.Get("period");
    reader.Read("period", fault.period);
    reader.Get("downTime");
    reader.Read("downTime", down);
    RefuseZero(reader, "downTime", down);
    if (down >= fault.period)
    {
        throw InputError(reader.Place("downTime"),
                         Describe(reader.Get("downTime")) + " leaves no time up",
                         "below period, " + FormatTime(fault.period));
    }
    reader.Get("count");
    reader.Read("count", fault.count, 1, 1'000'000);
    // Both are at most MOST_PS: their product needs 128 bits.
    Uint128 whole = static_cast<Uint128>(fault.period.GetPicoSeconds());
    whole = whole * fault.count + static_cast<Uint128>(fault.at.GetPicoSeconds());
    if (whole > static_cast<Uint128>(MOST_PS))
    {
        throw InputError(reader.Place("count"),
                         std::to_string(fault.count) + " periods end after 1000000s",
                         "fewer, or a shorter period");
    }
    fault.lasts = down;
}

void
ReadClasses(JsonReader& reader, FaultConfig& fault)
{
    if (const JsonValue* value = reader.Find("classes"))
    {
        fault.classes = ReadClassList(*value, reader.Place("classes").key);
    }
}

void
ReadDuration(JsonReader& reader, FaultConfig& fault)
{
    if (reader.Find("for"))
    {
        Time lasts;
        reader.Read("for", lasts);
        RefuseZero(reader, "for", lasts);
        fault.lasts = lasts;
    }
}

void
ReadOwnKeys(JsonReader& reader, const Places& places, FaultConfig& fault)
{
    switch (fault.kind)
    {
    case Kind::LINK_DOWN:
        ReadLink(reader, places, fault);
        break;
    case Kind::LINK_FLAP:
        ReadLink(reader, places, fault);
        ReadFlap(reader, fault);
        return; // has no "for"
    case Kind::ONE_WAY:
        ReadLink(reader, places, fault);
        ReadDirection(reader, places, fault);
        break;
    case Kind::DEGRADED_RATE:
        ReadLink(reader, places, fault);
        reader.Get("rate");
        reader.ReadLinkRate("rate", fault.rate);
        break;
    case Kind::BIT_ERRORS:
        ReadLink(reader, places, fault);
        reader.Get("ber");
        reader.Read("ber", fault.probability, 0, 0.5);
        reader.ReadName("fec", fault.fec, {"none", "kr4", "kp4"});
        break;
    case Kind::LOSS:
        ReadLink(reader, places, fault);
        reader.Get("rate");
        reader.Read("rate", fault.probability, 0, 1);
        break;
    case Kind::SWITCH_REBOOT:
        ReadSwitch(reader, places, fault);
        reader.Get("for");
        break;
    case Kind::SLOW_RECEIVER:
        ReadNic(reader, places, fault);
        reader.Get("rate");
        reader.ReadLinkRate("rate", fault.rate);
        reader.ReadBytes("buffer", fault.bufferBytes, 1, uint64_t{1} << 40);
        break;
    case Kind::PAUSE_STORM:
        ReadNic(reader, places, fault);
        ReadClasses(reader, fault);
        break;
    case Kind::NIC_STOP:
        ReadNic(reader, places, fault);
        break;
    case Kind::SLOW_GPU:
        reader.Get("gpu");
        reader.Read("gpu", fault.gpu, 0, UINT32_MAX);
        reader.Get("clock");
        reader.Read("clock", fault.clock, 1e-3, 1);
        fault.where = "gpu" + std::to_string(fault.gpu);
        break;
    }
    ReadDuration(reader, fault);
}

FaultConfig
ReadFault(const JsonValue& value, const std::string& path, const Places& places)
{
    JsonReader reader(value, path);
    std::string type;
    reader.Get("type");
    reader.ReadName("type", type, KindNames());
    FaultConfig fault;
    fault.kind = std::find_if(std::begin(KINDS), std::end(KINDS), [&](const KindLine& known) {
                     return type == known.name;
                 })->kind;
    reader.Read("at", fault.at);
    ReadOwnKeys(reader, places, fault);
    reader.RejectUnknownKeys();
    return fault;
}

bool
Overlap(const FaultConfig& a, const FaultConfig& b)
{
    auto beforeEnd = [](Time at, std::optional<Time> end) { return !end || at < *end; };
    return beforeEnd(a.at, b.GetEnd()) && beforeEnd(b.at, a.GetEnd());
}

} // namespace

std::optional<Time>
FaultConfig::GetEnd() const
{
    if (!lasts)
    {
        return std::nullopt;
    }
    return at + Time(static_cast<int64_t>(count - 1) * period.GetTimeStep()) + *lasts;
}

std::string
GetFaultName(FaultConfig::Kind kind)
{
    for (const KindLine& known : KINDS)
    {
        if (known.kind == kind)
        {
            return known.name;
        }
    }
    return "unknown";
}

std::vector<std::pair<std::string, std::string>>
GetFaultList()
{
    std::vector<std::pair<std::string, std::string>> list;
    for (const KindLine& known : KINDS)
    {
        list.emplace_back(known.name, known.line);
    }
    return list;
}

FaultConfig
MakeLinkDown(const FabricGraph& graph, uint32_t edge, Time at)
{
    FaultConfig fault;
    fault.at = at;
    fault.edge = edge;
    const FabricGraph::Edge& cable = graph.GetEdges().at(edge);
    fault.ends = {graph.GetVertices()[cable.a].name, graph.GetVertices()[cable.b].name};
    fault.where = fault.ends[0] + "-" + fault.ends[1];
    return fault;
}

uint8_t
ReadClassList(const JsonValue& value, const std::string& path)
{
    uint8_t classes = 0;
    const std::vector<JsonValue>& list = GetArray(value, path, "traffic classes, 0 to 7");
    for (size_t i = 0; i < list.size(); i++)
    {
        std::string at = ElementPath(path, i);
        auto bit = static_cast<uint8_t>(1U << GetUnsigned(list[i], at, 0, 7));
        if (classes & bit)
        {
            throw InputError(PlaceOf(list[i], at),
                             list[i].text + " is there twice",
                             "each class once");
        }
        classes |= bit;
    }
    if (classes == 0)
    {
        throw InputError(PlaceOf(value, path), "is an empty list", "at least one class, 0 to 7");
    }
    return classes;
}

void
CheckCollector(const NetworkConfig& network, const FabricGraph& graph, const JsonValue& value)
{
    if (network.telemetry.dropMirror)
    {
        const JsonValue& mirror = *value.Find("telemetry")->Find("dropMirror");
        Places(graph).Get(
            network.telemetry.dropMirror->collector,
            PlaceOf(*mirror.Find("collector"), "network.telemetry.dropMirror.collector"),
            FabricGraph::Role::HOST);
    }
}

std::vector<FaultConfig>
ReadFaults(const JsonValue& value, const FabricGraph& graph)
{
    Places places(graph);
    std::vector<FaultConfig> faults;
    const std::vector<JsonValue>& list = GetArray(value, "faults", "faults");
    for (size_t i = 0; i < list.size(); i++)
    {
        std::string path = ElementPath("faults", i);
        FaultConfig fault = ReadFault(list[i], path, places);
        for (size_t j = 0; j < i; j++)
        {
            const FaultConfig& other = faults[j];
            if (SetsValue(fault.kind) && other.kind == fault.kind && other.edge == fault.edge &&
                other.vertex == fault.vertex && other.gpu == fault.gpu && Overlap(fault, other))
            {
                throw InputError(PlaceOf(list[i], path),
                                 "overlaps with " + ElementPath("faults", j) + ", also " +
                                     GetFaultName(fault.kind) + " of " + fault.where,
                                 "one at a time");
            }
        }
        faults.push_back(fault);
    }
    return faults;
}

} // namespace ns3
