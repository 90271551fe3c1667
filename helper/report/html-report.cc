// SPDX-License-Identifier: GPL-2.0-only
#include "html-report.h"

#include "results-folder.h"
#include "topology-picture.h"

#include "ns3/quantity.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr size_t HOTTEST = 20;
constexpr size_t MOST_TROUBLED = 100;
constexpr size_t MOST_ROWS = 200;

const char* const STYLE = R"(
body { font: 14px/1.45 Helvetica, Arial, sans-serif; color: #1d2b38; margin: 2em auto;
       max-width: 1280px; padding: 0 1em; }
h1 { font-size: 1.6em; margin-bottom: 0; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2em .8em; text-align: right; border-bottom: 1px solid #dde3e9; }
th { background: #f1f4f7; } th:first-child, td:first-child { text-align: left; }
.picture { overflow: auto; border: 1px solid #dde3e9; }
.note { color: #607080; }
)";

/// @param value of the summary @return as text
std::string
Text(const Json& value)
{
    if (value.is_number_float())
    {
        return FixedText(value.get<double>(), 3);
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// @param name of a key: words with underscores @return with blanks
std::string
Heading(std::string name)
{
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

void
WriteRow(std::ostream& out, const std::vector<std::string>& cells, bool head = false)
{
    out << "<tr>";
    for (const std::string& cell : cells)
    {
        out << (head ? "<th>" : "<td>") << EscapeXml(cell) << (head ? "</th>" : "</td>");
    }
    out << "</tr>\n";
}

/// A table of two columns: what an object of the summary has as plain values.
void
WriteFigures(std::ostream& out, const Json& object)
{
    out << "<table>\n";
    for (const auto& [key, value] : object.items())
    {
        if (value.is_primitive())
        {
            WriteRow(out, {Heading(key), Text(value)});
        }
    }
    out << "</table>\n";
}

/// A table whose rows are objects of the summary that have the same keys.
void
WriteTable(std::ostream& out, const std::string& title, const Json& rows)
{
    out << "<h2>" << EscapeXml(title) << "</h2>\n<table>\n";
    std::vector<std::string> keys;
    std::vector<std::string> head;
    for (const auto& [key, value] : rows.front().items())
    {
        if (value.is_primitive())
        {
            keys.push_back(key);
            head.push_back(Heading(key));
        }
    }
    WriteRow(out, head, true);
    for (size_t row = 0; row < std::min(rows.size(), MOST_ROWS); ++row)
    {
        std::vector<std::string> cells;
        for (const std::string& key : keys)
        {
            cells.push_back(rows[row].contains(key) ? Text(rows[row][key]) : "");
        }
        WriteRow(out, cells);
    }
    out << "</table>\n";
    if (rows.size() > MOST_ROWS)
    {
        out << "<p class=\"note\">and " << rows.size() - MOST_ROWS << " more</p>\n";
    }
}

PortLoad
LoadOf(const ReportedPort& reported, int64_t elapsed)
{
    const PortCounters& counters = reported.port->GetCounters();
    PortLoad load;
    load.utilization =
        elapsed > 0 ? static_cast<double>(counters.busySteps) / static_cast<double>(elapsed) : 0;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        load.pausedSteps += reported.port->PausedSteps(c, NowSteps());
    }
    load.drops = counters.droppedFrames + counters.lostFrames;
    return load;
}

void
WritePorts(std::ostream& out,
           const std::vector<ReportedPort>& ports,
           const std::vector<PortLoad>& loads,
           const std::vector<size_t>& which)
{
    out << "<table>\n";
    WriteRow(out,
             {"port",
              "to",
              "rate",
              "busy %",
              "payload bytes",
              "peak queue",
              "ECN marks",
              "paused us",
              "dropped or lost"},
             true);
    for (size_t p : which)
    {
        const PortCounters& counters = ports[p].port->GetCounters();
        WriteRow(out,
                 {ports[p].name,
                  ports[p].peer,
                  FormatDataRate(ports[p].port->GetDataRate()),
                  FixedText(100 * loads[p].utilization, 1),
                  std::to_string(counters.txPayloadBytes),
                  std::to_string(counters.peakQueueBytes),
                  std::to_string(counters.ecnMarks),
                  MicrosecondText(loads[p].pausedSteps),
                  std::to_string(loads[p].drops)});
    }
    out << "</table>\n";
}

void
WriteHottest(std::ostream& out,
             const std::vector<ReportedPort>& ports,
             const std::vector<PortLoad>& loads)
{
    std::vector<size_t> busy;
    std::vector<size_t> troubled;
    for (size_t p = 0; p < ports.size(); ++p)
    {
        if (loads[p].utilization > 0)
        {
            busy.push_back(p);
        }
        if (loads[p].pausedSteps > 0 || loads[p].drops > 0)
        {
            troubled.push_back(p);
        }
    }
    std::stable_sort(busy.begin(), busy.end(), [&loads](size_t one, size_t other) {
        return loads[one].utilization > loads[other].utilization;
    });
    busy.resize(std::min(busy.size(), HOTTEST));
    out << "<h2>Hottest links</h2>\n";
    WritePorts(out, ports, loads, busy);
    out << "<h2>Ports that were paused, or dropped</h2>\n";
    if (troubled.empty())
    {
        out << "<p>None.</p>\n";
        return;
    }
    const size_t more = troubled.size() - std::min(troubled.size(), MOST_TROUBLED);
    troubled.resize(troubled.size() - more);
    WritePorts(out, ports, loads, troubled);
    if (more > 0)
    {
        out << "<p class=\"note\">and " << more << " more: links.csv has them all</p>\n";
    }
}

} // namespace

void
WriteHtmlReport(std::ostream& out,
                const Json& summary,
                const FabricGraph& graph,
                const std::vector<ReportedPort>& ports,
                int64_t elapsed)
{
    std::vector<PortLoad> loads;
    for (const ReportedPort& port : ports)
    {
        loads.push_back(LoadOf(port, elapsed));
    }
    std::vector<CableLoad> cables;
    for (size_t e = 0; e < graph.GetEdges().size(); ++e)
    {
        cables.push_back({loads.at(2 * e), loads.at(2 * e + 1)});
    }

    const std::string name = summary.contains("name") ? Text(summary["name"]) : "run";
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"
        << EscapeXml(name) << "</title>\n<style>" << STYLE << "</style>\n</head>\n<body>\n<h1>"
        << EscapeXml(name) << "</h1>\n";
    WriteFigures(out, summary);
    out << "<h2>Fabric</h2>\n<div class=\"picture\">\n";
    WriteTopologySvg(out, graph, cables);
    out << "</div>\n";
    WriteLoadLegend(out);
    out << "<p class=\"note\">Each half of a line has the colour of the direction that leaves its "
           "end, over the whole run. Rest the pointer on a line for its figures.</p>\n";
    WriteHottest(out, ports, loads);
    for (const auto& [key, value] : summary.items())
    {
        if (value.is_array() && !value.empty() && value.front().is_object())
        {
            std::string title = Heading(key);
            title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
            WriteTable(out, title, value);
        }
    }
    if (summary.contains("fabric"))
    {
        out << "<h2>Totals</h2>\n";
        WriteFigures(out, summary["fabric"]);
    }
    if (summary.contains("blocked"))
    {
        out << "<h2>What did not end</h2>\n<ul>\n";
        for (const auto& line : summary["blocked"])
        {
            out << "<li>" << EscapeXml(Text(line)) << "</li>\n";
        }
        out << "</ul>\n";
    }
    out << "</body>\n</html>\n";
}

} // namespace ns3
