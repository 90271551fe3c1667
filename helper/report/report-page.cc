// SPDX-License-Identifier: GPL-2.0-only
#include "report-page.h"

#include "topology-picture.h"

#include <sstream>

namespace ns3
{

namespace
{

const char* const REPORT_PAGE_STYLE = R"(
body { font: 14px/1.45 Helvetica, Arial, sans-serif; color: #1d2b38; margin: 2em auto;
       max-width: 1280px; padding: 0 1em; }
h1 { font-size: 1.6em; margin-bottom: 0; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25em .8em; text-align: left; border-bottom: 1px solid #dde3e9;
         vertical-align: top; }
th { background: #f1f4f7; } td.number { text-align: right; }
.ok { color: #007a3d; font-weight: bold; } .off { color: #c00000; font-weight: bold; }
.note { color: #607080; } code { background: #f1f4f7; padding: .1em .3em; }
)";

} // namespace

std::string
CsvCell(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (char c : text)
    {
        quoted += c == '"' ? "\"\"" : std::string{c};
    }
    return quoted + "\"";
}

std::string
DigitsText(double value)
{
    std::ostringstream text;
    text.precision(6);
    text << value;
    return text.str();
}

void
BeginReportPage(std::ostream& out, const std::string& title)
{
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"
        << EscapeXml(title) << "</title>\n<style>" << REPORT_PAGE_STYLE
        << "</style>\n</head>\n<body>\n<h1>" << EscapeXml(title) << "</h1>\n";
}

void
EndReportPage(std::ostream& out)
{
    out << "</body>\n</html>\n";
}

} // namespace ns3
