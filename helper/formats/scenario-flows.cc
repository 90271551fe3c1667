// SPDX-License-Identifier: GPL-2.0-only
#include "line-reader.h"
#include "quantity.h"
#include "scenario-sections.h"

#include "ns3/fct-bins.h"
#include "ns3/flow-size-tables.h"
#include "ns3/wire-format.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr double WHOLE_PERCENT = 100;
constexpr size_t MOST_POINTS = 1'000'000;

/// Refuses points that are no distribution, or flows that one message cannot hold.
/// @param points bytes and percent @param placeOf of the n-th point @return the distribution
template <typename PlaceOfPoint>
FlowSizeDistribution
MakeSizes(const std::vector<FlowSizeDistribution::Point>& points, PlaceOfPoint placeOf)
{
    size_t index = 0;
    const std::string error = FlowSizeDistribution::Check(points, index);
    if (!error.empty())
    {
        throw InputError(placeOf(index),
                         error,
                         "sizes and percents that ascend, the last percent 100");
    }
    if (points.back().bytes > wire::MAX_MESSAGE_BYTES)
    {
        throw InputError(placeOf(points.size() - 1),
                         std::to_string(points.back().bytes) +
                             " bytes are more than a message holds",
                         "at most " + std::to_string(wire::MAX_MESSAGE_BYTES));
    }
    return FlowSizeDistribution(points);
}

/// @param path of a file with a line for each point: bytes and percent @return the distribution
FlowSizeDistribution
ReadSizesFile(const std::string& path)
{
    LineReader reader(path, "a distribution of flow sizes");
    std::vector<FlowSizeDistribution::Point> points;
    std::vector<InputPlace> places;
    while (reader.Next())
    {
        if (reader.GetWords().size() != 2 || points.size() == MOST_POINTS)
        {
            throw InputError(reader.Place("point"),
                             std::to_string(reader.GetWords().size()) + " words in line, point " +
                                 std::to_string(points.size() + 1),
                             "\"bytes percent\", at most " + std::to_string(MOST_POINTS) +
                                 " points");
        }
        points.push_back(
            {ParseBytes(reader.GetWords()[0], reader.Place("bytes")),
             ParseDouble(reader.GetWords()[1], reader.Place("percent"), 0, WHOLE_PERCENT)});
        places.push_back(reader.Place("percent"));
    }
    if (points.empty())
    {
        throw InputError({path, 0, ""}, "is empty", "lines of \"bytes percent\"");
    }
    return MakeSizes(points, [&places](size_t index) { return places[index]; });
}

/// @param value a list of [bytes, percent] @param path its key path @return the distribution
FlowSizeDistribution
ReadSizePoints(const JsonValue& value, const std::string& path)
{
    std::vector<FlowSizeDistribution::Point> points;
    for (size_t i = 0; i < value.elements.size(); ++i)
    {
        const std::string pointPath = ElementPath(path, i);
        const JsonValue& point = value.elements[i];
        if (GetArray(point, pointPath, "bytes and percent").size() != 2)
        {
            throw InputError(PlaceOf(point, pointPath),
                             std::to_string(point.elements.size()) + " numbers are no point",
                             "[bytes, percent]");
        }
        const std::string bytesPath = ElementPath(pointPath, 0);
        const std::string percentPath = ElementPath(pointPath, 1);
        points.push_back(
            {ParseBytes(GetQuantityText(point.elements[0], bytesPath, "a number of bytes"),
                        PlaceOf(point.elements[0], bytesPath)),
             ParseDouble(GetQuantityText(point.elements[1], percentPath, "a number"),
                         PlaceOf(point.elements[1], percentPath),
                         0,
                         WHOLE_PERCENT)});
    }
    if (points.empty())
    {
        throw InputError(PlaceOf(value, path), "is an empty list", "points [bytes, percent]");
    }
    return MakeSizes(points, [&](size_t index) {
        return PlaceOf(value.elements[index], ElementPath(path, index));
    });
}

void
ReadFlowSizes(const JsonValue& value,
              const std::string& path,
              const std::string& scenarioFile,
              GeneratedFlowsWorkload& workload)
{
    if (value.kind == JsonValue::Kind::ARRAY)
    {
        workload.sizes = ReadSizePoints(value, path);
        return;
    }
    if (value.kind == JsonValue::Kind::OBJECT)
    {
        JsonReader reader(value, path);
        workload.sizesName =
            FromFolderOf(scenarioFile, GetString(reader.Get("file"), path + ".file"));
        workload.sizes = ReadSizesFile(workload.sizesName);
        reader.RejectUnknownKeys();
        return;
    }
    const std::string text =
        GetQuantityText(value, path, "a distribution's name, a size, points or a file");
    if (!text.empty() && text[0] >= '0' && text[0] <= '9')
    {
        const uint64_t bytes = ParseBytes(text, PlaceOf(value, path));
        workload.sizes =
            MakeSizes({{bytes, WHOLE_PERCENT}}, [&](size_t) { return PlaceOf(value, path); });
        return;
    }
    const FlowSizeTable* table = FindFlowSizeTable(text);
    if (!table)
    {
        const std::vector<std::string> names = GetFlowSizeTableNames();
        const std::string near = NearestWord(text, names);
        throw InputError(PlaceOf(value, path),
                         "\"" + text + "\" is not known" +
                             (near.empty() ? "" : ", did you mean \"" + near + "\"?"),
                         ListWords(names) + ", a size, points or { \"file\": ... }");
    }
    workload.sizesName = text;
    workload.sizes = FlowSizeDistribution(table->points);
}

/// @param path of a file with a row for each sender @return the weights
std::vector<std::vector<double>>
ReadWeights(const std::string& path, uint32_t hosts)
{
    LineReader reader(path, "a traffic matrix");
    constexpr double MOST_WEIGHT = 1e18;
    std::vector<std::vector<double>> weights;
    for (uint32_t row = 0; row < hosts; ++row)
    {
        reader.Need("row " + std::to_string(row) + " of " + std::to_string(hosts) +
                        ", a weight for each of " + std::to_string(hosts) + " receivers",
                    hosts);
        weights.emplace_back();
        for (const std::string& word : reader.GetWords())
        {
            weights.back().push_back(ParseDouble(word, reader.Place("weight"), 0, MOST_WEIGHT));
        }
    }
    if (reader.Next())
    {
        throw InputError(reader.Place("row"),
                         "there are more rows than hosts",
                         std::to_string(hosts) + " rows");
    }
    const std::string error = TrafficMatrix::CheckWeights(weights);
    if (!error.empty())
    {
        throw InputError({path, 0, ""}, error);
    }
    return weights;
}

void
ReadMatrix(const JsonValue& value,
           const std::string& path,
           const std::string& scenarioFile,
           uint32_t gpus,
           GeneratedFlowsWorkload& workload)
{
    const JsonValue object = AsObject(value, path, "name");
    JsonReader reader(object, path);
    if (const JsonValue* file = reader.Find("file"))
    {
        workload.matrix = FromFolderOf(scenarioFile, GetString(*file, path + ".file"));
        workload.weights = ReadWeights(workload.matrix, gpus);
    }
    else
    {
        reader.ReadName("name", workload.matrix, GetScenarioNames("traffic-matrices"));
    }
    reader.RejectUnknownKeys();
}

void
ReadArrivals(const JsonValue& value, const std::string& path, GeneratedFlowsWorkload& workload)
{
    const JsonValue object = AsObject(value, path, "name");
    JsonReader reader(object, path);
    reader.ReadName("name", workload.arrivals, GetScenarioNames("arrivals"));
    if (workload.arrivals == "on-off")
    {
        for (auto [key, time] : {std::pair<const char*, Time*>{"on", &workload.onOff.on},
                                 {"off", &workload.onOff.off}})
        {
            reader.Get(key);
            reader.Read(key, *time);
            if (time->IsZero())
            {
                throw InputError(reader.Place(key), "is 0", "a mean time above 0");
            }
        }
    }
    reader.RejectUnknownKeys();
}

IncastPattern
ReadIncast(const JsonValue& value, const std::string& path, uint32_t gpus)
{
    JsonReader reader(value, path);
    IncastPattern incast;
    reader.Get("senders");
    reader.Read("senders", incast.senders, 1, gpus - 1);
    reader.Get("bytes");
    reader.ReadBytes("bytes", incast.bytes, 1, wire::MAX_MESSAGE_BYTES);
    reader.Get("load");
    reader.Read("load", incast.load, 1e-9, 1);
    if (const JsonValue* receiver = reader.Find("receiver"))
    {
        incast.receiver =
            static_cast<uint32_t>(GetUnsigned(*receiver, path + ".receiver", 0, gpus - 1));
    }
    reader.RejectUnknownKeys();
    return incast;
}

} // namespace

GeneratedFlowsWorkload
ReadGeneratedFlows(JsonReader& reader,
                   const std::string& path,
                   const std::string& scenarioFile,
                   uint32_t gpus)
{
    GeneratedFlowsWorkload workload;
    if (const JsonValue* sizes = reader.Find("sizes"))
    {
        ReadFlowSizes(*sizes, path + ".sizes", scenarioFile, workload);
        reader.Get("load");
        reader.Read("load", workload.load, 1e-9, 1);
    }
    if (const JsonValue* incast = reader.Find("incast"))
    {
        workload.incast = ReadIncast(*incast, path + ".incast", gpus);
    }
    std::string of = "payload";
    reader.ReadName("loadOf", of, {"payload", "wire"});
    workload.headersCount = of == "wire";
    if (const JsonValue* arrivals = reader.Find("arrivals"))
    {
        ReadArrivals(*arrivals, path + ".arrivals", workload);
    }
    if (const JsonValue* matrix = reader.Find("matrix"))
    {
        ReadMatrix(*matrix, path + ".matrix", scenarioFile, gpus, workload);
    }
    reader.Read("duration", workload.duration);
    uint32_t count = 0;
    reader.Read("count", count, 1, std::numeric_limits<uint32_t>::max());
    workload.count = count;
    if (workload.duration.IsZero() && count == 0)
    {
        throw InputError(reader.Place(),
                         "nothing says when flows end to arrive",
                         "a \"duration\", a \"count\", or both");
    }
    uint32_t trafficClass = workload.trafficClass;
    reader.Read("class", trafficClass, 0, N_TRAFFIC_CLASSES - 1);
    workload.trafficClass = static_cast<uint8_t>(trafficClass);
    return workload;
}

AnalysisConfig
ReadAnalysis(const JsonValue& value)
{
    JsonReader reader(value, "analysis");
    AnalysisConfig analysis;
    analysis.asked = true;
    const JsonValue* bins = reader.Find("bins");
    if (bins && bins->kind == JsonValue::Kind::ARRAY)
    {
        analysis.bins.clear();
        for (size_t i = 0; i < bins->elements.size(); ++i)
        {
            const std::string path = ElementPath("analysis.bins", i);
            const InputPlace place = PlaceOf(bins->elements[i], path);
            const uint64_t edge =
                ParseBytes(GetQuantityText(bins->elements[i], path, "a number of bytes"), place);
            if (edge <= (analysis.edges.empty() ? 0 : analysis.edges.back()))
            {
                throw InputError(place,
                                 std::to_string(edge) + " bytes are not above the edge before",
                                 "sizes that ascend, above 0");
            }
            analysis.edges.push_back(edge);
        }
        if (analysis.edges.empty())
        {
            throw InputError(reader.Place("bins"), "is an empty list", "at least one size");
        }
    }
    else
    {
        reader.ReadName("bins", analysis.bins, FctBins::GetNames());
    }
    if (const JsonValue* percentiles = reader.Find("percentiles"))
    {
        analysis.percentiles.clear();
        const std::string path = "analysis.percentiles";
        for (const JsonValue& percentile : GetArray(*percentiles, path, "percentiles"))
        {
            const std::string at = ElementPath(path, analysis.percentiles.size());
            analysis.percentiles.push_back(ParseDouble(GetQuantityText(percentile, at, "a number"),
                                                       PlaceOf(percentile, at),
                                                       1e-9,
                                                       WHOLE_PERCENT));
        }
    }
    reader.Read("warmUp", analysis.warmUp);
    reader.Read("until", analysis.until);
    reader.Read("sample", analysis.sample);
    reader.RejectUnknownKeys();
    return analysis;
}

} // namespace ns3
