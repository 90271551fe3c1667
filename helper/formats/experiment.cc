// SPDX-License-Identifier: GPL-2.0-only
#include "experiment.h"

#include "json-document.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

namespace ns3
{

namespace
{

constexpr double ANYTHING = std::numeric_limits<double>::max();

/// @param value any @return it as JSON text
std::string
JsonText(const JsonValue& value)
{
    std::string text;
    switch (value.kind)
    {
    case JsonValue::Kind::NONE:
        return "null";
    case JsonValue::Kind::STRING:
        text = "\"";
        for (char c : value.text)
        {
            text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
        }
        return text + "\"";
    case JsonValue::Kind::ARRAY:
    case JsonValue::Kind::OBJECT:
        for (size_t i = 0; i < value.elements.size(); ++i)
        {
            text += i > 0 ? "," : "";
            text += value.keys.empty() ? "" : "\"" + value.keys[i] + "\":";
            text += JsonText(value.elements[i]);
        }
        return value.kind == JsonValue::Kind::ARRAY ? "[" + text + "]" : "{" + text + "}";
    default:
        return value.text;
    }
}

/// @param value an object PATH: VALUE @param path its own @return PATH=VALUE
std::vector<std::string>
ReadSettings(const JsonValue& value, const std::string& path)
{
    JsonReader reader(value, path); // refuses what is no object
    std::vector<std::string> settings;
    for (size_t i = 0; i < value.keys.size(); ++i)
    {
        settings.push_back(value.keys[i] + "=" + JsonText(value.elements[i]));
    }
    return settings;
}

/// @param value a string or a list of strings @param path its key path @return them
std::vector<std::string>
ReadWords(const JsonValue& value, const std::string& path)
{
    if (value.kind != JsonValue::Kind::ARRAY)
    {
        return {GetString(value, path)};
    }
    std::vector<std::string> words;
    for (size_t i = 0; i < value.elements.size(); ++i)
    {
        words.push_back(GetString(value.elements[i], ElementPath(path, i)));
    }
    if (words.empty())
    {
        throw InputError(PlaceOf(value, path), "is an empty list", "at least one name");
    }
    return words;
}

/// @param reader of an object @param key of an optional number @return it
std::optional<double>
ReadOptional(JsonReader& reader, const std::string& key)
{
    if (!reader.Find(key))
    {
        return std::nullopt;
    }
    double number = 0;
    reader.Read(key, number, -ANYTHING, ANYTHING);
    return number;
}

/// @param reader of an object @param key of a text that must be there @return it
std::string
ReadText(JsonReader& reader, const std::string& key)
{
    std::string text;
    reader.Get(key);
    reader.Read(key, text); // refuses an empty one
    return text;
}

/// Reads one that is to be one of some names.
std::string
ReadKnown(JsonReader& reader, const std::string& key, const std::vector<std::string>& known)
{
    std::string name;
    reader.ReadName(key, name, known);
    return name;
}

std::vector<ExperimentAxis>
ReadAxes(const JsonValue& value)
{
    JsonReader reader(value, "experiment.axes");
    std::vector<ExperimentAxis> axes;
    for (size_t a = 0; a < value.keys.size(); ++a)
    {
        const std::string path = "experiment.axes." + value.keys[a];
        const JsonValue& values = value.elements[a];
        JsonReader axis(values, path);
        axes.push_back({value.keys[a], {}});
        for (size_t v = 0; v < values.keys.size(); ++v)
        {
            const std::string& name = values.keys[v];
            if (name.empty() || name.find_first_of("/*= ") != std::string::npos)
            {
                throw InputError(PlaceOf(values.elements[v], path),
                                 "\"" + name + "\" is no name of a value",
                                 "one without '/', '*', '=' and blanks");
            }
            axes.back().values.push_back(
                {name, ReadSettings(values.elements[v], path + "." + name)});
        }
        if (axes.back().values.empty())
        {
            throw InputError(PlaceOf(values, path), "has no values", "at least one");
        }
    }
    return axes;
}

ExperimentForm
ReadForm(const JsonValue& value, const std::string& path, const std::vector<ExperimentAxis>& axes)
{
    JsonReader reader(value, path);
    ExperimentForm form;
    reader.Read("seeds", form.seeds, 1, 10000);
    if (const JsonValue* settings = reader.Find("set"))
    {
        form.settings = ReadSettings(*settings, path + ".set");
    }
    if (const JsonValue* keep = reader.Find("keep"))
    {
        JsonReader kept(*keep, path + ".keep");
        for (const ExperimentAxis& axis : axes)
        {
            const JsonValue* names = kept.Find(axis.name);
            if (!names)
            {
                continue;
            }
            std::vector<std::string> known;
            for (const ExperimentValue& each : axis.values)
            {
                known.push_back(each.name);
            }
            const std::string keepPath = path + ".keep." + axis.name;
            form.keep.emplace_back(axis.name, ReadWords(*names, keepPath));
            for (const std::string& word : form.keep.back().second)
            {
                if (std::find(known.begin(), known.end(), word) == known.end())
                {
                    throw InputError(PlaceOf(*names, keepPath),
                                     "the axis has no value \"" + word + "\"",
                                     ListWords(known));
                }
            }
        }
        kept.RejectUnknownKeys();
    }
    reader.RejectUnknownKeys();
    return form;
}

std::vector<MeasureCondition>
ReadConditions(const JsonValue& value, const std::string& path)
{
    JsonReader reader(value, path);
    std::vector<MeasureCondition> conditions;
    for (size_t i = 0; i < value.keys.size(); ++i)
    {
        const JsonValue& element = value.elements[i];
        const std::string place = path + "." + value.keys[i];
        MeasureCondition condition{value.keys[i], {}};
        if (element.kind == JsonValue::Kind::OBJECT)
        {
            JsonReader range(element, place);
            condition.least = ReadOptional(range, "from").value_or(condition.least);
            condition.most = ReadOptional(range, "to").value_or(condition.most);
            range.RejectUnknownKeys();
        }
        else
        {
            condition.words = ReadWords(element, place);
        }
        conditions.push_back(condition);
    }
    return conditions;
}

ExperimentMeasure
ReadMeasure(const std::string& name, const JsonValue& value)
{
    const std::string path = "experiment.measures." + name;
    JsonReader reader(value, path);
    ExperimentMeasure measure;
    measure.name = name;
    measure.label = ReadText(reader, "label");
    measure.file = ReadText(reader, "file");
    measure.column = ReadText(reader, "column");
    if (const JsonValue* where = reader.Find("where"))
    {
        measure.where = ReadConditions(*where, path + ".where");
    }
    reader.Read("each", measure.each);
    reader.ReadName("eachReduce", measure.eachReduce, GetReductionNames());
    reader.ReadName("reduce", measure.reduce, GetReductionNames());
    reader.Read("by", measure.by);
    reader.Read("curves", measure.curves);
    reader.Read("scale", measure.scale, -ANYTHING, ANYTHING);
    measure.none = ReadOptional(reader, "none");
    if (const JsonValue* edges = reader.Find("edges"))
    {
        for (const JsonValue& edge : GetArray(*edges, path + ".edges", "numbers"))
        {
            try
            {
                measure.edges.push_back(std::stod(GetQuantityText(edge, path, "a number")));
            }
            catch (const std::logic_error&)
            {
                throw InputError(reader.Place("edges"), Describe(edge) + " is no number");
            }
        }
        if (measure.edges.size() < 2 || !std::is_sorted(measure.edges.begin(), measure.edges.end()))
        {
            throw InputError(reader.Place("edges"), "are no bins", "at least 2, ascending");
        }
    }
    const std::string extension = std::filesystem::path(measure.file).extension().string();
    if (extension != ".csv" && measure.file != "summary.json")
    {
        throw InputError(reader.Place("file"),
                         "\"" + measure.file + "\" has no table",
                         "a file like fct.csv, or summary.json");
    }
    if (measure.by.empty() && (!measure.edges.empty() || !measure.curves.empty()))
    {
        throw InputError(reader.Place(), "has edges or curves, and no points", "\"by\" as well");
    }
    reader.RejectUnknownKeys();
    return measure;
}

/// What plots and expectations may name.
struct Known
{
    std::vector<std::string> axes;
    std::vector<std::string> measures; ///< all
    std::vector<std::string> figures;  ///< those without points
    std::vector<ExperimentVariant> variants;
};

/// @param patterns of variants @param known variants @param place for a message: each must fit one
void
RequireFit(const std::vector<std::string>& patterns, const Known& known, const InputPlace& place)
{
    for (const std::string& pattern : patterns)
    {
        bool fits = std::any_of(known.variants.begin(),
                                known.variants.end(),
                                [&](const auto& variant) { return FitsVariant(pattern, variant); });
        if (!fits)
        {
            std::vector<std::string> names;
            for (size_t i = 0; i < std::min<size_t>(8, known.variants.size()); ++i)
            {
                names.push_back(known.variants[i].name);
            }
            throw InputError(place, "\"" + pattern + "\" fits no variant", ListWords(names));
        }
    }
}

std::vector<std::string>
ReadPatterns(JsonReader& reader,
             const std::string& key,
             const std::string& path,
             const Known& known)
{
    const JsonValue* value = reader.Find(key);
    if (!value)
    {
        return {};
    }
    std::vector<std::string> patterns = ReadWords(*value, path + "." + key);
    RequireFit(patterns, known, reader.Place(key));
    return patterns;
}

ExperimentPlot
ReadPlot(const JsonValue& value, const std::string& path, const Known& known)
{
    JsonReader reader(value, path);
    ExperimentPlot plot;
    plot.title = ReadText(reader, "title");
    reader.Get("measure");
    plot.measure = ReadKnown(reader, "measure", known.measures);
    plot.of = ReadPatterns(reader, "of", path, known);
    bool isFigure =
        std::find(known.figures.begin(), known.figures.end(), plot.measure) != known.figures.end();
    plot.kind = isFigure ? "bars" : "lines";
    reader.ReadName("kind", plot.kind, {"lines", "bars"});
    plot.axis = ReadKnown(reader, "axis", known.axes);
    if (!isFigure && (plot.kind == "bars" || !plot.axis.empty()))
    {
        throw InputError(reader.Place(), "bars and an axis are for a measure without \"by\"");
    }
    if (isFigure && plot.kind == "lines" && plot.axis.empty())
    {
        throw InputError(reader.Place(), "lines of a measure without \"by\"", "\"axis\" as well");
    }
    reader.Read("xLabel", plot.xLabel);
    reader.Read("xLog", plot.xLog);
    reader.Read("yLog", plot.yLog);
    reader.RejectUnknownKeys();
    return plot;
}

ExperimentExpectation
ReadExpectation(const JsonValue& value, const std::string& path, const Known& known)
{
    JsonReader reader(value, path);
    ExperimentExpectation expectation;
    expectation.claim = ReadText(reader, "claim");
    expectation.source = ReadText(reader, "source");
    reader.Get("measure");
    expectation.measure = ReadKnown(reader, "measure", known.figures);
    expectation.order = ReadPatterns(reader, "order", path, known);
    reader.Read("slack", expectation.slack, 0, 1);
    expectation.form = ReadKnown(reader, "form", {"short", "full"});
    expectation.of = ReadPatterns(reader, "of", path, known);
    reader.Read("over", expectation.over);
    expectation.overMeasure = ReadKnown(reader, "overMeasure", known.figures);
    expectation.min = ReadOptional(reader, "min");
    expectation.max = ReadOptional(reader, "max");
    reader.RejectUnknownKeys();
    const bool hasBand = expectation.min || expectation.max;
    if (hasBand == (expectation.order.size() > 1))
    {
        throw InputError(reader.Place(),
                         "expects nothing that can be checked, or two things at once",
                         "min or max, or an order of at least two variants");
    }
    if (!expectation.over.empty())
    {
        for (const ExperimentVariant& variant : known.variants)
        {
            if (expectation.of.empty() ||
                std::any_of(expectation.of.begin(), expectation.of.end(), [&](const auto& pattern) {
                    return FitsVariant(pattern, variant);
                }))
            {
                RequireFit({ResolvePattern(expectation.over, variant)},
                           known,
                           reader.Place("over"));
            }
        }
    }
    return expectation;
}

/// @param path values with '/' between them @return them
std::vector<std::string>
SplitValues(const std::string& path)
{
    std::vector<std::string> values(1);
    for (char c : path)
    {
        if (c == '/')
        {
            values.emplace_back();
            continue;
        }
        values.back() += c;
    }
    return values;
}

} // namespace

Experiment
ReadExperiment(const std::string& path)
{
    JsonDocument document = ReadJson(path);
    Experiment experiment;
    experiment.file = path;
    experiment.name = std::filesystem::path(path).stem().string();
    const JsonValue* section = document.root.Find("experiment");
    if (!section)
    {
        throw InputError({path, 0, "experiment"},
                         "is not there",
                         "the section that says what is compared");
    }
    JsonReader reader(*section, "experiment");
    experiment.title = ReadText(reader, "title");
    experiment.paper = ReadText(reader, "paper");
    experiment.figure = ReadText(reader, "figure");
    experiment.compares = ReadText(reader, "compares");
    experiment.wallTime = ReadText(reader, "wallTime");
    if (const JsonValue* axes = reader.Find("axes"))
    {
        experiment.axes = ReadAxes(*axes);
    }
    experiment.brief = ReadForm(reader.Get("short"), "experiment.short", experiment.axes);
    experiment.full = ReadForm(reader.Get("full"), "experiment.full", experiment.axes);

    Known known;
    for (const ExperimentAxis& axis : experiment.axes)
    {
        known.axes.push_back(axis.name);
    }
    known.variants = GetVariants(experiment, {});
    const JsonValue& measures = reader.Get("measures");
    JsonReader measuresReader(measures, "experiment.measures");
    for (size_t i = 0; i < measures.keys.size(); ++i)
    {
        experiment.measures.push_back(ReadMeasure(measures.keys[i], measures.elements[i]));
        known.measures.push_back(measures.keys[i]);
        if (experiment.measures.back().by.empty())
        {
            known.figures.push_back(measures.keys[i]);
        }
    }
    const JsonValue& plots = reader.Get("plots");
    for (size_t i = 0; i < GetArray(plots, "experiment.plots", "plots").size(); ++i)
    {
        experiment.plots.push_back(
            ReadPlot(plots.elements[i], ElementPath("experiment.plots", i), known));
    }
    const JsonValue& expect = reader.Get("expect");
    for (size_t i = 0; i < GetArray(expect, "experiment.expect", "expectations").size(); ++i)
    {
        experiment.expectations.push_back(
            ReadExpectation(expect.elements[i], ElementPath("experiment.expect", i), known));
    }
    if (experiment.expectations.empty())
    {
        throw InputError(reader.Place("expect"), "is an empty list", "at least one expectation");
    }
    reader.RejectUnknownKeys();
    return experiment;
}

std::vector<ExperimentVariant>
GetVariants(const Experiment& experiment, const ExperimentForm& form)
{
    std::vector<ExperimentVariant> variants{{"", {}, form.settings}};
    for (const ExperimentAxis& axis : experiment.axes)
    {
        auto kept = std::find_if(form.keep.begin(), form.keep.end(), [&axis](const auto& entry) {
            return entry.first == axis.name;
        });
        std::vector<ExperimentVariant> more;
        for (const ExperimentVariant& variant : variants)
        {
            for (const ExperimentValue& value : axis.values)
            {
                if (kept != form.keep.end() &&
                    std::find(kept->second.begin(), kept->second.end(), value.name) ==
                        kept->second.end())
                {
                    continue;
                }
                more.push_back(variant);
                more.back().name += (variant.name.empty() ? "" : "/") + value.name;
                more.back().values.push_back(value.name);
                more.back().settings.insert(more.back().settings.end(),
                                            value.settings.begin(),
                                            value.settings.end());
            }
        }
        variants = more;
    }
    if (experiment.axes.empty())
    {
        variants.front().name = "run";
        variants.front().values.emplace_back("run");
    }
    return variants;
}

bool
FitsVariant(const std::string& pattern, const ExperimentVariant& variant)
{
    const std::vector<std::string> values = SplitValues(pattern);
    if (pattern == "*")
    {
        return true;
    }
    if (values.size() != variant.values.size())
    {
        return false;
    }
    for (size_t i = 0; i < values.size(); ++i)
    {
        if (values[i] != "*" && values[i] != variant.values[i])
        {
            return false;
        }
    }
    return true;
}

std::string
ResolvePattern(const std::string& pattern, const ExperimentVariant& variant)
{
    std::vector<std::string> values = SplitValues(pattern);
    std::string name;
    for (size_t i = 0; i < values.size(); ++i)
    {
        const bool own = values[i] == "=" && i < variant.values.size();
        name += (i > 0 ? "/" : "") + (own ? variant.values[i] : values[i]);
    }
    return name;
}

const ExperimentMeasure&
FindMeasure(const Experiment& experiment, const std::string& name)
{
    return *std::find_if(
        experiment.measures.begin(),
        experiment.measures.end(),
        [&name](const ExperimentMeasure& measure) { return measure.name == name; });
}

std::vector<std::string>
GetReductionNames()
{
    return {"mean",
            "sum",
            "min",
            "max",
            "count",
            "p50",
            "p95",
            "p99",
            "p99.9",
            "jain",
            "spread",
            "deviation"};
}

double
Reduce(const std::string& name, std::vector<double> values)
{
    const auto count = static_cast<double>(values.size());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    std::sort(values.begin(), values.end());
    if (name == "sum")
    {
        return sum;
    }
    if (name == "min" || name == "max")
    {
        return name == "min" ? values.front() : values.back();
    }
    if (name == "count")
    {
        return count;
    }
    if (name == "jain") // Jain, Chiu, Hawe (1984): 1 where all are alike, 1/n where one has all
    {
        return squares > 0 ? sum * sum / (count * squares) : 1;
    }
    if (name == "spread")
    {
        return values.back() - values.front();
    }
    if (name == "deviation") // standard deviation of the values themselves
    {
        return std::sqrt(std::max(0.0, squares / count - sum / count * sum / count));
    }
    if (name.front() == 'p')
    {
        const double share = std::stod(name.substr(1)) / 100;
        // Without the small step 0.99 of 100 would be rank 100, by the last bit of the product.
        const auto rank = static_cast<size_t>(std::ceil(share * count - 1e-9));
        return values[std::max<size_t>(rank, 1) - 1];
    }
    return sum / count;
}

} // namespace ns3
