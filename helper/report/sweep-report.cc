// SPDX-License-Identifier: GPL-2.0-only
#include "sweep-report.h"

#include "plot.h"
#include "report-page.h"
#include "topology-picture.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

using OrderedJson = nlohmann::ordered_json;
using NamedFigures = std::vector<std::pair<std::string, OrderedJson>>;

/// What a table of a sweep may show, the most telling first.
const std::vector<std::pair<const char*, const char*>> MAIN_FIGURES{
    {"outcome", "outcome"},
    {"simulated_us", "time us"},
    {"flows.completion_us.p50", "FCT p50 us"},
    {"flows.completion_us.p99", "FCT p99 us"},
    {"flows.goodput_gbps", "goodput Gb/s"},
    {"largest_collective.time_us", "collective us"},
    {"largest_collective.busbw_gbytes_per_s", "busbw GB/s"},
    {"largest_collective.algorithm", "algorithm"},
    {"largest_collective.protocol", "protocol"},
    {"largest_perftest.bw_average_mib_per_s", "perftest MiB/s"},
    {"largest_perftest.t_typical_us", "perftest us"},
    {"flows.completed", "flows done"},
    {"flows.failed", "failed"},
    {"fabric.drops", "drops"},
    {"fabric.pauses", "pauses"},
    {"fabric.ecn_marks", "ECN marks"},
    {"fabric.retransmitted_frames", "repeated"},
    {"flows.slowdown.p99", "slowdown p99"},
    {"fabric.peak_queue_bytes", "peak queue B"},
    {"flows.completion_us.max", "FCT max us"},
    {"fabric.paused_us", "paused us"},
    {"fabric.cnps", "CNPs"},
    {"fabric.lost_frames", "lost"},
    {"fabric.timeouts", "timeouts"},
    {"fabric.hottest_link_utilization", "hottest link"},
    {"fabric.frame_hops", "frame hops"},
};
constexpr size_t MOST_TERMINAL_WIDTH = 118;
const char* const COST_NAMES[] = {"wall_s", "user_s", "peak_mib"};

bool
IsNumber(const std::string& text)
{
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0';
}

std::string
TextOfFigure(const OrderedJson& value)
{
    return value.is_number_float() ? DigitsText(value.get<double>())
           : value.is_string()     ? value.get<std::string>()
                                   : value.dump();
}

/// @param object of a list @return what it is about, in words
std::string
NameOfElement(const OrderedJson& object)
{
    std::string name;
    for (const char* key : {"job", "test", "op", "type", "where", "bytes", "size_bytes"})
    {
        if (object.contains(key))
        {
            name += (name.empty() ? "" : " ") + TextOfFigure(object[key]);
        }
    }
    return name;
}

void
Flatten(const OrderedJson& value, const std::string& path, NamedFigures& figures)
{
    std::map<std::string, uint32_t> seen;
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const auto& [key, element] : value.items())
    {
        std::string name = prefix + key;
        if (value.is_array())
        {
            if (!element.is_object())
            {
                continue; // lines for people
            }
            name = prefix + NameOfElement(element);
            const uint32_t number = ++seen[name];
            name += number > 1 ? " #" + std::to_string(number) : "";
        }
        if (element.is_primitive())
        {
            figures.emplace_back(name, element);
        }
        else
        {
            Flatten(element, name, figures);
        }
    }
}

/// Adds the last of those elements of a list that are about the most bytes.
void
AddLargest(const OrderedJson& summary,
           const char* list,
           const char* size,
           const char* name,
           NamedFigures& figures)
{
    if (!summary.contains(list) || summary[list].empty())
    {
        return;
    }
    const OrderedJson* largest = nullptr;
    for (const OrderedJson& element : summary[list])
    {
        if (!largest || element.value(size, 0.0) >= largest->value(size, 0.0))
        {
            largest = &element;
        }
    }
    Flatten(largest->contains("out_of_place") ? (*largest)["out_of_place"] : *largest,
            name,
            figures);
}

std::string
StatusText(int status)
{
    return status < 0 ? "signal " + std::to_string(-status) : std::to_string(status);
}

/// A column of a table on the terminal.
struct TextColumn
{
    std::vector<std::string> cells; ///< the head first
    size_t width{0};
    bool isRight{true}; ///< all but the head are numbers

    explicit TextColumn(const std::string& head)
        : cells{head},
          width(head.size())
    {
    }

    void Add(const std::string& cell)
    {
        cells.push_back(cell);
        width = std::max(width, cell.size());
        isRight = isRight && (cell.empty() || IsNumber(cell));
    }
};

void
PrintColumns(std::ostream& out, const std::vector<TextColumn>& columns)
{
    for (size_t row = 0; row < columns.front().cells.size(); ++row)
    {
        std::string line;
        for (const TextColumn& column : columns)
        {
            const std::string& cell = column.cells[row];
            const std::string blanks(column.width - cell.size(), ' ');
            line += (line.empty() ? "" : "  ") + (column.isRight ? blanks + cell : cell + blanks);
        }
        out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
    }
}

} // namespace

std::vector<std::pair<std::string, nlohmann::ordered_json>>
FlattenSummary(const OrderedJson& summary)
{
    NamedFigures figures;
    Flatten(summary, "", figures);
    AddLargest(summary, "collectives", "bytes", "largest_collective", figures);
    AddLargest(summary, "ncclTests", "size_bytes", "largest_collective", figures);
    AddLargest(summary, "perftests", "bytes", "largest_perftest", figures);
    return figures;
}

SweepReport::SweepReport(const std::string& title,
                         const std::vector<SweepAxis>& axes,
                         const std::vector<SweepRun>& runs,
                         uint32_t seeds,
                         const ResultsFolder& folder)
    : m_title(title),
      m_axes(axes),
      m_runs(runs),
      m_seeds(seeds),
      m_folder(folder)
{
    for (const SweepRun& run : runs)
    {
        m_figures.push_back(ReadFigures(run));
    }
    for (size_t a = 0; a < axes.size(); ++a)
    {
        // Only numbers have a place on an axis; of those the axis with the most.
        const auto rank = [&](size_t axis) {
            return std::pair(GetSweepNumbers(axes[axis]).has_value(), axes[axis].values.size());
        };
        m_xAxis = rank(a) > rank(m_xAxis) ? a : m_xAxis;
    }
    ComputeMeans();
}

SweepReport::Figures
SweepReport::ReadFigures(const SweepRun& run)
{
    Figures figures;
    std::ifstream file(m_folder.PathOf(run.folder + "/summary.json"));
    const OrderedJson summary = OrderedJson::parse(file, nullptr, false);
    if (summary.is_object())
    {
        for (const auto& [name, value] : FlattenSummary(summary))
        {
            if (figures.emplace(name, TextOfFigure(value)).second &&
                std::find(m_names.begin(), m_names.end(), name) == m_names.end())
            {
                m_names.push_back(name);
            }
        }
    }
    figures[COST_NAMES[0]] = FixedText(run.wallSeconds, 2);
    figures[COST_NAMES[1]] = FixedText(run.userSeconds, 2);
    figures[COST_NAMES[2]] = FixedText(run.peakMib, 1);
    return figures;
}

void
SweepReport::ComputeMeans()
{
    for (size_t first = 0; first < m_runs.size(); first += m_seeds)
    {
        std::map<std::string, std::vector<double>> numbers;
        Figures words;
        for (size_t r = first; r < first + m_seeds; ++r)
        {
            for (const auto& [name, text] : m_runs[r].status == 0 ? m_figures[r] : Figures())
            {
                if (IsNumber(text))
                {
                    numbers[name].push_back(std::atof(text.c_str()));
                    continue;
                }
                const auto word = words.emplace(name, text).first;
                word->second = word->second == text ? text : "differs";
            }
        }
        for (const auto& [name, values] : numbers)
        {
            double sum = 0;
            for (double value : values)
            {
                sum += value;
            }
            words[name] = DigitsText(sum / static_cast<double>(values.size()));
        }
        m_means.push_back(words);
    }
}

std::vector<SweepReport::Column>
SweepReport::ColumnsThatDiffer(const std::vector<Figures>& rows) const
{
    std::vector<Column> columns;
    for (const auto& [name, label] : MAIN_FIGURES)
    {
        const std::string first = CellOf(rows.front(), name);
        const bool differs = std::any_of(rows.begin(), rows.end(), [&](const Figures& row) {
            return CellOf(row, name) != first;
        });
        if (differs || (rows.size() == 1 && !first.empty()))
        {
            columns.push_back({name, label});
        }
    }
    columns.push_back({COST_NAMES[0], "wall s"});
    return columns;
}

// ---------------------------------------------------------------- tables

std::vector<std::string>
SweepReport::HeadOf(bool means) const
{
    std::vector<std::string> cells;
    for (const SweepAxis& axis : m_axes)
    {
        cells.push_back(axis.label);
    }
    if (m_seeds > 1 && !means)
    {
        cells.emplace_back("seed");
    }
    cells.emplace_back(means ? "runs" : "status");
    return cells;
}

std::vector<std::string>
SweepReport::RowOf(size_t row, bool means) const
{
    const SweepRun& run = m_runs[means ? row * m_seeds : row];
    std::vector<std::string> cells(run.values);
    if (means)
    {
        const auto ended = std::count_if(m_runs.begin() + row * m_seeds,
                                         m_runs.begin() + (row + 1) * m_seeds,
                                         [](const SweepRun& each) { return each.status == 0; });
        cells.push_back(std::to_string(ended) + " of " + std::to_string(m_seeds));
        return cells;
    }
    if (m_seeds > 1)
    {
        cells.push_back(std::to_string(run.seed));
    }
    cells.push_back(StatusText(run.status));
    return cells;
}

std::string
SweepReport::CellOf(const Figures& figures, const std::string& name)
{
    const auto found = figures.find(name);
    return found == figures.end() ? "" : found->second;
}

void
SweepReport::PrintTable(std::ostream& out, bool means) const
{
    const std::vector<Figures>& rows = means ? m_means : m_figures;
    std::vector<TextColumn> table;
    for (const std::string& head : HeadOf(means))
    {
        table.emplace_back(head);
    }
    for (size_t r = 0; r < rows.size(); ++r)
    {
        const std::vector<std::string> cells = RowOf(r, means);
        for (size_t c = 0; c < cells.size(); ++c)
        {
            table[c].Add(cells[c]);
        }
    }
    constexpr size_t GAP = 2;
    constexpr size_t COST_WIDTH = 10; // of the last column, which is always there
    size_t width = COST_WIDTH;
    for (const TextColumn& column : table)
    {
        width += column.width + GAP;
    }
    size_t left = 0;
    const std::vector<Column> columns = ColumnsThatDiffer(rows);
    for (const Column& figure : columns)
    {
        TextColumn column(figure.label);
        for (const Figures& row : rows)
        {
            column.Add(CellOf(row, figure.name));
        }
        const bool isLast = &figure == &columns.back();
        if (!isLast && width + column.width + GAP > MOST_TERMINAL_WIDTH)
        {
            ++left;
            continue;
        }
        width += column.width + GAP;
        table.push_back(column);
    }
    PrintColumns(out, table);
    if (left > 0)
    {
        out << left << " more figures that differ are in report.html; sweep.csv has all\n";
    }
}

void
SweepReport::Print(std::ostream& out) const
{
    PrintTable(out, false);
    if (m_seeds > 1)
    {
        out << "\nmeans over seeds 1 to " << m_seeds << ", of the runs that have ended well\n";
        PrintTable(out, true);
    }
}

void
SweepReport::WriteCsv(const std::string& file, const std::vector<Figures>& rows, bool means) const
{
    std::ofstream out = m_folder.Create(file);
    for (const SweepAxis& axis : m_axes)
    {
        out << CsvCell(axis.path) << ',';
    }
    out << (means ? "runs_that_ended_well" : "seed,status");
    std::vector<std::string> names = m_names;
    names.insert(names.end(), std::begin(COST_NAMES), std::end(COST_NAMES));
    for (const std::string& name : names)
    {
        out << ',' << CsvCell(name);
    }
    out << (means ? "\n" : ",folder\n");
    for (size_t r = 0; r < rows.size(); ++r)
    {
        const SweepRun& run = m_runs[means ? r * m_seeds : r];
        for (const std::string& value : run.values)
        {
            out << CsvCell(value) << ',';
        }
        if (means)
        {
            out << RowOf(r, true).back();
        }
        else
        {
            out << run.seed << ',' << StatusText(run.status);
        }
        for (const std::string& name : names)
        {
            out << ',' << CsvCell(CellOf(rows[r], name));
        }
        out << (means ? "" : "," + CsvCell(run.folder)) << '\n';
    }
}

// ---------------------------------------------------------------- the page

void
SweepReport::Write(const std::string& command) const
{
    WriteCsv("sweep.csv", m_figures, false);
    std::error_code ignored;
    std::filesystem::remove(m_folder.PathOf("means.csv"), ignored);
    if (m_seeds > 1)
    {
        WriteCsv("means.csv", m_means, true);
    }
    std::ofstream page = m_folder.Create("report.html");
    BeginReportPage(page, m_title);
    page << "<p class=\"note\"><code>" << EscapeXml(command) << "</code></p>\n";
    DrawAll(page);
    if (m_seeds > 1)
    {
        page << "<h2>Means over seeds 1 to " << m_seeds << "</h2>\n";
        WriteTable(page, true);
    }
    page << "<h2>Runs</h2>\n";
    WriteTable(page, false);
    page
        << "<p class=\"note\">What is the same in all runs is left out here; sweep.csv has it. The "
           "status is the exit status: 0 done, 3 stalled or failed.</p>\n";
    EndReportPage(page);
}

void
SweepReport::WriteTable(std::ostream& out, bool means) const
{
    const std::vector<Figures>& rows = means ? m_means : m_figures;
    std::vector<Column> columns = ColumnsThatDiffer(rows);
    columns.push_back({COST_NAMES[1], "user s"});
    columns.push_back({COST_NAMES[2], "peak MiB"});
    out << "<table>\n<tr>";
    for (const std::string& head : HeadOf(means))
    {
        out << "<th>" << EscapeXml(head) << "</th>";
    }
    for (const Column& column : columns)
    {
        out << "<th>" << EscapeXml(column.label) << "</th>";
    }
    out << (means ? "" : "<th>results</th>") << "</tr>\n";
    for (size_t r = 0; r < rows.size(); ++r)
    {
        const std::vector<std::string> head = RowOf(r, means);
        out << "<tr>";
        for (size_t c = 0; c < head.size(); ++c)
        {
            const bool isStatus = !means && c + 1 == head.size();
            out << (isStatus ? head[c] == "0" ? "<td class=\"ok\">" : "<td class=\"off\">" : "<td>")
                << EscapeXml(head[c]) << "</td>";
        }
        for (const Column& column : columns)
        {
            out << "<td class=\"number\">" << EscapeXml(CellOf(rows[r], column.name)) << "</td>";
        }
        if (!means)
        {
            const std::string page = m_runs[r].folder + "/report.html";
            const bool isThere = std::filesystem::exists(m_folder.PathOf(page));
            const std::string link = isThere ? page : m_runs[r].folder + "/log.txt";
            out << "<td><a href=\"" << EscapeXml(link) << "\">" << (isThere ? "report" : "log")
                << "</a></td>";
        }
        out << "</tr>\n";
    }
    out << "</table>\n";
}

void
SweepReport::DrawAll(std::ostream& out) const
{
    if (m_axes.empty() || m_axes[m_xAxis].values.size() < 2)
    {
        return;
    }
    for (const Column& column : ColumnsThatDiffer(m_means))
    {
        const bool hasNumbers = std::any_of(m_means.begin(), m_means.end(), [&](const auto& row) {
            return IsNumber(CellOf(row, column.name));
        });
        if (hasNumbers)
        {
            Draw(out, column);
        }
    }
}

std::string
SweepReport::CurveOf(const SweepPoint& point) const
{
    std::string name;
    for (size_t a = 0; a < m_axes.size(); ++a)
    {
        if (a != m_xAxis && m_axes[a].values.size() > 1)
        {
            name += (name.empty() ? "" : ", ") + m_axes[a].label + " " + point[a];
        }
    }
    return name;
}

void
SweepReport::Draw(std::ostream& out, const Column& column) const
{
    constexpr double WIDE = 7; // steps by powers of two, for example
    const SweepAxis& axis = m_axes[m_xAxis];
    BarPlot bars;
    bars.title = column.label;
    bars.y.label = column.label;
    bars.groups = axis.values;
    bars.groupsLabel = axis.label;
    for (size_t p = 0; p < m_means.size(); ++p)
    {
        const std::string cell = CellOf(m_means[p], column.name);
        if (!IsNumber(cell))
        {
            continue;
        }
        const SweepPoint& point = m_runs[p * m_seeds].values;
        const std::string name = CurveOf(point);
        auto series = std::find_if(bars.series.begin(),
                                   bars.series.end(),
                                   [&](const BarSeries& each) { return each.name == name; });
        if (series == bars.series.end())
        {
            series = bars.series.insert(series, {name, {}});
            series->values.resize(bars.groups.size());
        }
        const auto x = std::find(axis.values.begin(), axis.values.end(), point[m_xAxis]);
        series->values[x - axis.values.begin()] = std::atof(cell.c_str());
    }
    const std::optional<std::vector<double>> numbers = GetSweepNumbers(axis);
    if (!numbers)
    {
        WriteSvg(out, bars);
        return;
    }
    const auto [least, most] = std::minmax_element(numbers->begin(), numbers->end());
    const bool isLog = *least > 0 && *most / *least > WIDE;
    LinePlot lines{column.label, {axis.label, isLog}, {column.label, false}, {}};
    for (const BarSeries& series : bars.series)
    {
        PlotCurve curve{series.name, {}};
        for (size_t x = 0; x < numbers->size(); ++x)
        {
            if (series.values[x])
            {
                curve.points.emplace_back((*numbers)[x], *series.values[x]);
            }
        }
        std::sort(curve.points.begin(), curve.points.end());
        lines.curves.push_back(curve);
    }
    WriteSvg(out, lines);
}

} // namespace ns3
