// SPDX-License-Identifier: GPL-2.0-only
#include "measurement.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

/// Values of one point: by the value of the column `each`.
using PointValues = std::map<std::string, std::vector<double>>;

/// A curve while its file is read.
struct OpenCurve
{
    std::string name;
    std::map<double, PointValues> points;
};

/// A table of a run's results, read row by row.
class CsvReader
{
  public:
    CsvReader(const std::string& path, const InputPlace& place)
        : m_path(path),
          m_file(path),
          m_place(place)
    {
        if (!m_file || !Next())
        {
            throw InputError(place,
                             path + " was not written, or is empty",
                             "a file that the scenario's output has");
        }
        m_names = m_cells;
    }

    /// @return there is a row more
    bool Next()
    {
        if (!std::getline(m_file, m_line))
        {
            return false;
        }
        m_cells.assign(1, "");
        for (char c : m_line)
        {
            if (c == ',')
            {
                m_cells.emplace_back();
                continue;
            }
            m_cells.back() += c;
        }
        return true;
    }

    /// @param column a name @return its number
    size_t Find(const std::string& column) const
    {
        auto found = std::find(m_names.begin(), m_names.end(), column);
        if (found == m_names.end())
        {
            std::string all;
            for (const std::string& name : m_names)
            {
                all += (all.empty() ? "" : ", ") + name;
            }
            throw InputError(m_place,
                             m_path + " has no column \"" + column + "\"",
                             "one of " + all);
        }
        return found - m_names.begin();
    }

    /// @param column number @return the row's text there
    const std::string& Text(size_t column) const
    {
        static const std::string none;
        return column < m_cells.size() ? m_cells[column] : none;
    }

    /// @param column number @return the row's number there
    double Number(size_t column) const
    {
        const std::string& text = Text(column);
        char* end = nullptr;
        double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0')
        {
            throw InputError(m_place,
                             m_path + " has \"" + text + "\" in column " + m_names[column],
                             "a number in each row that is measured");
        }
        return value;
    }

  private:
    std::string m_path;
    std::ifstream m_file;
    InputPlace m_place;
    std::string m_line;
    std::vector<std::string> m_cells;
    std::vector<std::string> m_names;
};

/// A condition, with the number of its column.
struct PlacedCondition
{
    const MeasureCondition* condition;
    size_t column;

    bool Holds(const CsvReader& row) const
    {
        if (condition->words.empty())
        {
            const double value = row.Number(column);
            return value >= condition->least && value <= condition->most;
        }
        return std::find(condition->words.begin(), condition->words.end(), row.Text(column)) !=
               condition->words.end();
    }
};

/// @param edges of bins @param value some @return the upper edge of its bin; none: it is in none
std::optional<double>
UpperEdge(const std::vector<double>& edges, double value)
{
    auto upper = std::lower_bound(edges.begin(), edges.end(), value);
    if (upper == edges.begin() || upper == edges.end())
    {
        return std::nullopt;
    }
    return *upper;
}

double
ReducePoint(const ExperimentMeasure& measure, const PointValues& point)
{
    if (measure.each.empty())
    {
        return measure.scale * Reduce(measure.reduce, point.begin()->second);
    }
    std::vector<double> values;
    for (const auto& [name, group] : point)
    {
        values.push_back(Reduce(measure.eachReduce, group));
    }
    return measure.scale * Reduce(measure.reduce, values);
}

std::vector<OpenCurve>
ReadCurves(const ExperimentMeasure& measure, CsvReader& rows)
{
    const size_t value = rows.Find(measure.column);
    const size_t each = measure.each.empty() ? 0 : rows.Find(measure.each);
    const size_t by = measure.by.empty() ? 0 : rows.Find(measure.by);
    const size_t curve = measure.curves.empty() ? 0 : rows.Find(measure.curves);
    std::vector<PlacedCondition> conditions;
    for (const MeasureCondition& condition : measure.where)
    {
        conditions.push_back({&condition, rows.Find(condition.column)});
    }
    std::vector<OpenCurve> curves;
    std::map<std::string, size_t> numberOf;
    while (rows.Next())
    {
        if (!std::all_of(conditions.begin(), conditions.end(), [&rows](const auto& condition) {
                return condition.Holds(rows);
            }))
        {
            continue;
        }
        std::optional<double> x = measure.by.empty() ? 0 : rows.Number(by);
        if (!measure.edges.empty())
        {
            x = UpperEdge(measure.edges, *x);
        }
        if (!x)
        {
            continue;
        }
        const std::string name = measure.curves.empty() ? "" : rows.Text(curve);
        auto [number, isNew] = numberOf.try_emplace(name, curves.size());
        if (isNew)
        {
            curves.push_back({name, {}});
        }
        curves[number->second].points[*x][measure.each.empty() ? "" : rows.Text(each)].push_back(
            rows.Number(value));
    }
    return curves;
}

double
ReadSummary(const ExperimentMeasure& measure, const std::string& path, const InputPlace& place)
{
    std::ifstream file(path);
    nlohmann::json value = nlohmann::json::parse(file, nullptr, false);
    size_t start = 0;
    while (start <= measure.column.size())
    {
        const size_t end = std::min(measure.column.find('.', start), measure.column.size());
        const std::string key = measure.column.substr(start, end - start);
        if (!value.is_object() || !value.contains(key))
        {
            throw InputError(place, path + " has no " + measure.column + ": \"" + key + "\"");
        }
        nlohmann::json part = value[key];
        value = part;
        start = end + 1;
    }
    if (!value.is_number())
    {
        throw InputError(place, measure.column + " of " + path + " is no number");
    }
    return measure.scale * value.get<double>();
}

} // namespace

std::vector<MeasuredCurve>
Measure(const ExperimentMeasure& measure, const std::string& folder, const std::string& experiment)
{
    const InputPlace place{experiment, 0, "experiment.measures." + measure.name};
    const std::string path = (std::filesystem::path(folder) / measure.file).string();
    if (measure.file == "summary.json")
    {
        return {{"", {{0, ReadSummary(measure, path, place)}}}};
    }
    CsvReader rows(path, place);
    std::vector<MeasuredCurve> curves;
    for (const OpenCurve& open : ReadCurves(measure, rows))
    {
        curves.push_back({open.name, {}});
        for (const auto& [x, values] : open.points)
        {
            curves.back().points.emplace_back(x, ReducePoint(measure, values));
        }
    }
    if (curves.empty() && measure.by.empty())
    {
        if (!measure.none)
        {
            throw InputError(place,
                             path + " has no row that the conditions let through",
                             "a row, or \"none\": what the measure is then");
        }
        curves.push_back({"", {{0, *measure.none}}});
    }
    return curves;
}

std::vector<MeasuredCurve>
MeanOfRuns(const std::vector<std::vector<MeasuredCurve>>& seeds)
{
    struct Sum
    {
        double total{0};
        uint32_t runs{0};
    };

    std::vector<MeasuredCurve> curves;
    std::vector<std::map<double, Sum>> sums;
    for (const std::vector<MeasuredCurve>& run : seeds)
    {
        for (const MeasuredCurve& curve : run)
        {
            auto found = std::find_if(curves.begin(), curves.end(), [&curve](const auto& other) {
                return other.name == curve.name;
            });
            const size_t index = found - curves.begin();
            if (found == curves.end())
            {
                curves.push_back({curve.name, {}});
                sums.emplace_back();
            }
            for (const auto& [x, y] : curve.points)
            {
                sums[index][x].total += y;
                ++sums[index][x].runs;
            }
        }
    }
    for (size_t c = 0; c < curves.size(); ++c)
    {
        for (const auto& [x, sum] : sums[c])
        {
            curves[c].points.emplace_back(x, sum.total / sum.runs);
        }
    }
    return curves;
}

} // namespace ns3
