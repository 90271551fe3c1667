// SPDX-License-Identifier: GPL-2.0-only
#include "validation-report.h"

#include "plot.h"
#include "topology-picture.h"

#include "ns3/input-error.h"
#include "ns3/quantity.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{

constexpr double PERCENT = 100;

const char* const VALIDATION_STYLE = R"(
body { font: 14px/1.45 Helvetica, Arial, sans-serif; color: #1d2b38; margin: 2em auto;
       max-width: 1280px; padding: 0 1em; }
h1 { font-size: 1.6em; margin-bottom: 0; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25em .8em; text-align: left; border-bottom: 1px solid #dde3e9; }
th { background: #f1f4f7; } td.number { text-align: right; }
.ok { color: #007a3d; font-weight: bold; } .off { color: #c00000; font-weight: bold; }
.note { color: #607080; } code { background: #f1f4f7; padding: .1em .3em; }
)";

/// The cells of a line of comma-separated values, where the last may be quoted.
std::vector<std::string>
CellsOf(const std::string& line)
{
    std::vector<std::string> cells{""};
    bool quoted = false;
    for (char c : line)
    {
        if (c == '"')
        {
            quoted = !quoted;
        }
        else if (c == ',' && !quoted)
        {
            cells.emplace_back();
        }
        else
        {
            cells.back() += c;
        }
    }
    return cells;
}

std::string
HowOf(const ValidatedRow& row)
{
    return row.algorithm + " " + row.protocol;
}

std::string
PercentText(const std::optional<double>& percent)
{
    return percent ? FixedText(*percent, 1) : "-";
}

/// @return the error is there and above the limit
bool
IsAbove(const std::optional<double>& error, size_t sizeClass)
{
    return error && *error > GetSizeClasses()[sizeClass].limitPercent;
}

} // namespace

// ---------------------------------------------------------------- one table

std::optional<double>
ValidatedTable::GetError(size_t sizeClass) const
{
    double sum = 0;
    size_t count = 0;
    for (const ValidatedRow& row : rows)
    {
        if (FindSizeClass(row.measured.bytes) == sizeClass)
        {
            sum += std::abs(row.errorPercent);
            ++count;
        }
    }
    return count > 0 ? std::optional<double>(sum / static_cast<double>(count)) : std::nullopt;
}

double
ValidatedTable::GetBias(size_t sizeClass) const
{
    double sum = 0;
    size_t count = 0;
    for (const ValidatedRow& row : rows)
    {
        if (FindSizeClass(row.measured.bytes) == sizeClass)
        {
            sum += row.errorPercent;
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

bool
ValidatedTable::MeetsLimits() const
{
    bool meets = failure.empty();
    for (size_t c = 0; c < GetSizeClasses().size(); ++c)
    {
        meets = meets && !IsAbove(GetError(c), c);
    }
    return meets;
}

std::string
ValidatedTable::DescribeSwitches() const
{
    std::string text;
    for (size_t i = 0; i < rows.size(); ++i)
    {
        if (i == 0 || HowOf(rows[i]) != HowOf(rows[i - 1]))
        {
            text += (text.empty() ? "" : ", ") + HowOf(rows[i]) + " from " +
                    FormatBytes(rows[i].measured.bytes);
        }
    }
    return text;
}

ValidatedTable
ReadValidatedTable(const MeasuredTable& table, const std::string& csv)
{
    std::ifstream in(csv);
    std::string line;
    if (!in || !std::getline(in, line))
    {
        throw InputError({csv, 0, ""}, "cannot be read", "the results of a run");
    }
    const std::vector<std::string> header = CellsOf(line);
    auto column = [&header](const char* name) {
        return static_cast<size_t>(std::find(header.begin(), header.end(), name) - header.begin());
    };
    std::map<uint64_t, std::vector<std::string>> bySize;
    while (std::getline(in, line))
    {
        const std::vector<std::string> cells = CellsOf(line);
        bySize[std::strtoull(cells.at(column("size_bytes")).c_str(), nullptr, 10)] = cells;
    }
    ValidatedTable validated{table, {}, ""};
    for (const MeasuredRow& measured : table.rows)
    {
        auto found = bySize.find(measured.bytes);
        if (found == bySize.end())
        {
            continue; // --quick leaves sizes out
        }
        const std::vector<std::string>& cells = found->second;
        ValidatedRow row{
            measured,
            std::strtod(cells.at(column("time_us")).c_str(), nullptr),
            std::strtod(cells.at(column("busbw_gbytes_per_s")).c_str(), nullptr),
            0,
            cells.at(column("algorithm")),
            cells.at(column("protocol")),
            static_cast<uint32_t>(std::strtoul(cells.at(column("channels")).c_str(), nullptr, 10))};
        row.errorPercent =
            (row.microseconds - measured.microseconds) / measured.microseconds * PERCENT;
        validated.rows.push_back(row);
    }
    return validated;
}

// ---------------------------------------------------------------- all tables

ValidationReport::ValidationReport(std::vector<ValidatedTable> tables)
    : m_tables(std::move(tables))
{
}

bool
ValidationReport::AllMeetLimits() const
{
    return std::all_of(m_tables.begin(), m_tables.end(), [](const ValidatedTable& table) {
        return table.MeetsLimits();
    });
}

std::optional<double>
ValidationReport::GetMeanError(size_t sizeClass, bool fitted) const
{
    double sum = 0;
    size_t count = 0;
    for (const ValidatedTable& table : m_tables)
    {
        const std::optional<double> error = table.GetError(sizeClass);
        if (error && table.table.fitted == fitted)
        {
            sum += *error;
            ++count;
        }
    }
    return count > 0 ? std::optional<double>(sum / static_cast<double>(count)) : std::nullopt;
}

double
ValidationReport::GetOverallError() const
{
    double sum = 0;
    size_t count = 0;
    for (const ValidatedTable& table : m_tables)
    {
        for (const ValidatedRow& row : table.rows)
        {
            sum += std::abs(row.errorPercent);
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

void
ValidationReport::Print(std::ostream& out) const
{
    out << "mean absolute error of the time, percent (! above the limit)\n\n"
        << std::left << std::setw(44) << "table" << std::right;
    for (const SizeClass& sizeClass : GetSizeClasses())
    {
        out << std::setw(14) << sizeClass.name;
    }
    out << "  fitted\n" << std::left << std::setw(44) << "limit" << std::right;
    for (const SizeClass& sizeClass : GetSizeClasses())
    {
        out << std::setw(14) << FixedText(sizeClass.limitPercent, 0);
    }
    out << "\n";
    for (const ValidatedTable& table : m_tables)
    {
        out << std::left << std::setw(44) << table.table.name << std::right;
        for (size_t c = 0; c < GetSizeClasses().size(); ++c)
        {
            const std::optional<double> error = table.GetError(c);
            out << std::setw(14) << PercentText(error) + (IsAbove(error, c) ? " !" : "  ");
        }
        out << "  " << (table.table.fitted ? "yes" : "no") << "\n";
        out << "    " << (table.failure.empty() ? table.DescribeSwitches() : table.failure) << "\n";
    }
    for (bool fitted : {true, false})
    {
        out << std::left << std::setw(44)
            << (fitted ? "mean of fitted tables" : "mean of the others") << std::right;
        for (size_t c = 0; c < GetSizeClasses().size(); ++c)
        {
            out << std::setw(14) << PercentText(GetMeanError(c, fitted)) + "  ";
        }
        out << "\n";
    }
    const auto met = std::count_if(m_tables.begin(), m_tables.end(), [](const auto& table) {
        return table.MeetsLimits();
    });
    out << "\n"
        << met << " of " << m_tables.size() << " tables meet all limits; mean of all rows "
        << FixedText(GetOverallError(), 1) << " %\n";
}

void
ValidationReport::Write(const ResultsFolder& folder, const std::string& command) const
{
    WriteCsv(folder);
    WriteJson(folder);
    for (const ValidatedTable& table : m_tables)
    {
        if (!table.rows.empty())
        {
            std::ofstream bandwidth = folder.Create(table.table.name + ".svg");
            DrawBandwidth(bandwidth, table);
            std::ofstream error = folder.Create(table.table.name + "-error.svg");
            DrawError(error, table);
        }
    }
    std::ofstream page = folder.Create("report.html");
    WritePage(page, command);
}

void
ValidationReport::WriteCsv(const ResultsFolder& folder) const
{
    std::ofstream out = folder.Create("validation.csv");
    out << "table,platform,test,ranks,place,fitted,size_bytes,size_class,measured_us,simulated_us,"
           "error_percent,measured_busbw_gbytes_per_s,simulated_busbw_gbytes_per_s,algorithm,"
           "protocol,channels\n";
    for (const ValidatedTable& table : m_tables)
    {
        for (const ValidatedRow& row : table.rows)
        {
            out << table.table.name << ',' << table.table.platform << ',' << table.table.test << ','
                << table.table.ranks << ',' << (table.table.inPlace ? "in-place" : "out-of-place")
                << ',' << (table.table.fitted ? "yes" : "no") << ',' << row.measured.bytes << ','
                << GetSizeClasses()[FindSizeClass(row.measured.bytes)].name << ','
                << FixedText(row.measured.microseconds, 3) << ',' << FixedText(row.microseconds, 3)
                << ',' << FixedText(row.errorPercent, 2) << ','
                << FixedText(row.measured.busGBps, 4) << ',' << FixedText(row.busGBps, 4) << ','
                << row.algorithm << ',' << row.protocol << ',' << row.channels << '\n';
        }
    }
}

void
ValidationReport::WriteJson(const ResultsFolder& folder) const
{
    using Json = nlohmann::ordered_json;
    Json json;
    json["all_limits_met"] = AllMeetLimits();
    json["mean_error_percent"] = GetOverallError();
    json["classes"] = Json::array();
    for (const SizeClass& sizeClass : GetSizeClasses())
    {
        json["classes"].push_back(
            {{"name", sizeClass.name}, {"limit_percent", sizeClass.limitPercent}});
    }
    json["tables"] = Json::array();
    for (const ValidatedTable& table : m_tables)
    {
        Json entry{{"table", table.table.name},
                   {"platform", table.table.platform},
                   {"test", table.table.test},
                   {"ranks", table.table.ranks},
                   {"fitted", table.table.fitted},
                   {"limits_met", table.MeetsLimits()},
                   {"failure", table.failure},
                   {"switches", table.DescribeSwitches()}};
        entry["errors_percent"] = Json::array();
        entry["biases_percent"] = Json::array();
        for (size_t c = 0; c < GetSizeClasses().size(); ++c)
        {
            const std::optional<double> error = table.GetError(c);
            entry["errors_percent"].push_back(error ? Json(*error) : Json());
            entry["biases_percent"].push_back(table.GetBias(c));
        }
        json["tables"].push_back(entry);
    }
    folder.Create("validation.json") << json.dump(2) << "\n";
}

void
ValidationReport::WritePage(std::ostream& out, const std::string& command) const
{
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"
           "Measured and simulated</title>\n<style>"
        << VALIDATION_STYLE
        << "</style>\n</head>\n<body>\n<h1>Measured and simulated nccl-tests</h1>\n<p "
           "class=\"note\"><code>"
        << EscapeXml(command)
        << "</code></p>\n<p>Mean absolute error of the time, percent. Constants of a platform were "
           "fitted on the tables that say so, and then left alone.</p>\n";
    WriteSummary(out);
    for (const ValidatedTable& table : m_tables)
    {
        out << "<h2 id=\"" << EscapeXml(table.table.name) << "\">" << EscapeXml(table.table.name)
            << "</h2>\n<p>" << EscapeXml(table.table.test) << ", " << table.table.ranks
            << " ranks, platform " << EscapeXml(table.table.platform) << ". "
            << EscapeXml(table.failure.empty() ? table.DescribeSwitches() : table.failure)
            << "</p>\n";
        if (!table.table.note.empty())
        {
            out << "<p class=\"note\">" << EscapeXml(table.table.note) << "</p>\n";
        }
        if (!table.rows.empty())
        {
            DrawBandwidth(out, table);
            DrawError(out, table);
        }
    }
    out << "</body>\n</html>\n";
}

void
ValidationReport::WriteSummary(std::ostream& out) const
{
    out << "<table>\n<tr><th></th><th>table</th>";
    for (const SizeClass& sizeClass : GetSizeClasses())
    {
        out << "<th>" << EscapeXml(sizeClass.name) << " (" << FixedText(sizeClass.limitPercent, 0)
            << ")</th>";
    }
    out << "<th>fitted</th></tr>\n";
    for (const ValidatedTable& table : m_tables)
    {
        const char* verdict = table.MeetsLimits() ? "ok" : "off";
        out << "<tr><td class=\"" << verdict << "\">" << verdict << "</td><td><a href=\"#"
            << EscapeXml(table.table.name) << "\">" << EscapeXml(table.table.name) << "</a></td>";
        for (size_t c = 0; c < GetSizeClasses().size(); ++c)
        {
            const std::optional<double> error = table.GetError(c);
            out << "<td class=\"number" << (IsAbove(error, c) ? " off" : "") << "\">"
                << PercentText(error) << "</td>";
        }
        out << "<td>" << (table.table.fitted ? "yes" : "no") << "</td></tr>\n";
    }
    out << "</table>\n<p>Mean of all rows: " << FixedText(GetOverallError(), 1) << " %.</p>\n";
}

void
ValidationReport::DrawBandwidth(std::ostream& out, const ValidatedTable& table)
{
    LinePlot plot{table.table.name, {"size (bytes)", true}, {"bus bandwidth (GB/s)", true}, {}};
    plot.curves = {{"measured", {}}, {"simulated", {}}};
    for (const ValidatedRow& row : table.rows)
    {
        const auto bytes = static_cast<double>(row.measured.bytes);
        plot.curves[0].points.emplace_back(bytes, row.measured.busGBps);
        plot.curves[1].points.emplace_back(bytes, row.busGBps);
    }
    WriteSvg(out, plot);
}

void
ValidationReport::DrawError(std::ostream& out, const ValidatedTable& table)
{
    LinePlot plot{table.table.name + ": error of the time",
                  {"size (bytes)", true},
                  {"(simulated - measured) / measured (%)", false},
                  {}};
    // A curve for each way to do it, so that the switch points are seen.
    for (const ValidatedRow& row : table.rows)
    {
        const std::string how = HowOf(row);
        auto curve = std::find_if(plot.curves.begin(), plot.curves.end(), [&how](const auto& c) {
            return c.name == how;
        });
        if (curve == plot.curves.end())
        {
            curve = plot.curves.insert(curve, {how, {}});
        }
        curve->points.emplace_back(static_cast<double>(row.measured.bytes), row.errorPercent);
    }
    WriteSvg(out, plot);
}

} // namespace ns3
