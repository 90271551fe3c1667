// SPDX-License-Identifier: GPL-2.0-only
#include "sweep-axis.h"

#include "input-error.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

namespace ns3
{

namespace
{

constexpr size_t MOST_RUNS = 100000;

std::string
Trimmed(const std::string& text)
{
    const size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// @param text values @param place for a message @return them, as they are written
std::vector<std::string>
SplitAtCommas(const std::string& text, const InputPlace& place)
{
    std::vector<std::string> values(1);
    int depth = 0;
    bool quoted = false;
    bool escaped = false;
    for (char c : text)
    {
        if (c == ',' && depth == 0 && !quoted)
        {
            values.emplace_back();
            continue;
        }
        values.back() += c;
        if (quoted)
        {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        quoted = c == '"';
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
    if (quoted || depth != 0)
    {
        throw InputError(place,
                         quoted ? "a quote is not closed" : "brackets do not match",
                         "values separated by commas; those inside \"...\", [...] and {...} "
                         "belong to a value");
    }
    return values;
}

void
CheckValues(const std::vector<std::string>& values, const InputPlace& place)
{
    std::set<std::string> seen;
    for (const std::string& value : values)
    {
        if (value.empty())
        {
            throw InputError(place,
                             "a value is empty",
                             "values separated by commas, \"\" if meant");
        }
        const bool isJson = value[0] == '"' || value[0] == '[' || value[0] == '{';
        if (isJson && !nlohmann::json::accept(value))
        {
            throw InputError(place, value + " is not JSON", "a JSON string, list or object");
        }
        if (!seen.insert(value).second)
        {
            throw InputError(place, "the value " + value + " is there twice", "it once");
        }
    }
}

/// @param path of a field @param parts how many @return its last parts
std::string
LastParts(const std::string& path, size_t parts)
{
    size_t at = path.size();
    for (size_t found = 0; at > 0; --at)
    {
        const char before = path[at - 1];
        const bool isBorder = before == '.' || before == '[' || before == ']' || before == ':';
        if (isBorder && at < path.size() && path[at] != '.' && path[at] != ':' && path[at] != '[' &&
            ++found == parts)
        {
            break;
        }
    }
    return path.substr(at);
}

/// A number with what follows it.
struct Quantity
{
    double number;
    std::string unit; ///< without the prefix
};

std::optional<Quantity>
QuantityOf(std::string text)
{
    if (text.size() > 1 && text.front() == '"' && text.back() == '"')
    {
        text = text.substr(1, text.size() - 2);
    }
    char* end = nullptr;
    Quantity quantity{std::strtod(text.c_str(), &end), end};
    if (text.empty() || end == text.c_str() || std::isalpha(static_cast<unsigned char>(text[0])))
    {
        return std::nullopt; // not a number; strtod() takes "inf" and "nan", too
    }
    static const std::vector<std::pair<std::string, double>> PREFIXES{{"Ki", 0x1p10},
                                                                      {"Mi", 0x1p20},
                                                                      {"Gi", 0x1p30},
                                                                      {"Ti", 0x1p40},
                                                                      {"K", 1e3},
                                                                      {"M", 1e6},
                                                                      {"G", 1e9},
                                                                      {"T", 1e12},
                                                                      {"p", 1e-12},
                                                                      {"n", 1e-9},
                                                                      {"u", 1e-6},
                                                                      {"m", 1e-3}};
    static const std::vector<std::string> UNITS{"", "B", "bps", "b/s", "s"};
    for (const auto& [prefix, factor] : PREFIXES)
    {
        const std::string rest =
            quantity.unit.substr(std::min(prefix.size(), quantity.unit.size()));
        if (quantity.unit.compare(0, prefix.size(), prefix) == 0 && !rest.empty() &&
            std::find(UNITS.begin(), UNITS.end(), rest) != UNITS.end())
        {
            return Quantity{quantity.number * factor, rest};
        }
    }
    const bool isKnown = std::find(UNITS.begin(), UNITS.end(), quantity.unit) != UNITS.end();
    return isKnown ? std::optional(quantity) : std::nullopt;
}

} // namespace

SweepAxis
ParseSweepAxis(const std::string& text)
{
    const InputPlace place{"--vary " + text, 0, ""};
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
    {
        throw InputError(place, "names no values", "PATH=a,b,c, like network.mtu=1024,4096");
    }
    SweepAxis axis{text.substr(0, equals), "", {}};
    for (const std::string& value : SplitAtCommas(text.substr(equals + 1), place))
    {
        axis.values.push_back(Trimmed(value));
    }
    CheckValues(axis.values, place);
    return axis;
}

void
LabelSweepAxes(std::vector<SweepAxis>& axes)
{
    std::set<std::string> paths;
    for (const SweepAxis& axis : axes)
    {
        if (!paths.insert(axis.path).second)
        {
            throw InputError({"--vary " + axis.path, 0, ""},
                             "is varied twice",
                             "all values in one");
        }
    }
    bool isClear = false;
    for (size_t parts = 1; !isClear; ++parts)
    {
        std::set<std::string> labels;
        isClear = true;
        for (SweepAxis& axis : axes)
        {
            axis.label = LastParts(axis.path, parts);
            const bool isNumber = std::isdigit(static_cast<unsigned char>(axis.label[0])) != 0;
            isClear = labels.insert(axis.label).second && isClear &&
                      (!isNumber || axis.label == axis.path);
        }
    }
}

std::vector<SweepPoint>
GetSweepPoints(const std::vector<SweepAxis>& axes)
{
    std::vector<SweepPoint> points(1);
    for (const SweepAxis& axis : axes)
    {
        std::vector<SweepPoint> more;
        if (points.size() * axis.values.size() > MOST_RUNS)
        {
            throw InputError({"--vary " + axis.path, 0, ""},
                             "makes more than " + std::to_string(MOST_RUNS) + " runs",
                             "fewer values");
        }
        for (const SweepPoint& point : points)
        {
            for (const std::string& value : axis.values)
            {
                more.push_back(point);
                more.back().push_back(value);
            }
        }
        points = std::move(more);
    }
    return points;
}

std::optional<std::vector<double>>
GetSweepNumbers(const SweepAxis& axis)
{
    std::vector<double> numbers;
    std::string unit;
    for (const std::string& value : axis.values)
    {
        const std::optional<Quantity> quantity = QuantityOf(value);
        if (!quantity || (!numbers.empty() && quantity->unit != unit))
        {
            return std::nullopt;
        }
        unit = quantity->unit;
        numbers.push_back(quantity->number);
    }
    return numbers;
}

} // namespace ns3
