// SPDX-License-Identifier: GPL-2.0-only
#include "experiment-report.h"

#include "plot.h"
#include "report-page.h"
#include "topology-picture.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace ns3
{

namespace
{

const char*
VerdictOf(const ExpectationOutcome& outcome)
{
    return !outcome.isChecked ? "-" : outcome.holds ? "ok" : "off";
}

/// @param title of a plot @return a file's name
std::string
FileNameOf(const std::string& title)
{
    std::string name;
    for (unsigned char c : title)
    {
        if (std::isalnum(c))
        {
            name += static_cast<char>(std::tolower(c));
        }
        else if (!name.empty() && name.back() != '-')
        {
            name += '-';
        }
    }
    return name.substr(0, name.find_last_not_of('-') + 1);
}

/// Breaks text into lines, the first of which starts where the cursor is.
void
PrintWrapped(std::ostream& out, const std::string& text, size_t indent)
{
    constexpr size_t WIDTH = 100;
    std::istringstream words(text);
    std::string word;
    size_t column = indent;
    const char* separator = "";
    while (words >> word)
    {
        if (column + word.size() >= WIDTH && column > indent)
        {
            out << "\n" << std::string(indent, ' ');
            column = indent;
            separator = "";
        }
        out << separator << word;
        column += word.size() + 1;
        separator = " ";
    }
    out << "\n";
}

} // namespace

ExperimentReport::ExperimentReport(const Experiment& experiment,
                                   const std::string& form,
                                   const std::vector<ExperimentVariant>& variants,
                                   const std::vector<std::vector<std::string>>& runs)
    : m_experiment(experiment),
      m_form(form),
      m_variants(variants)
{
    for (const ExperimentMeasure& measure : experiment.measures)
    {
        m_curves.emplace_back();
        for (const std::vector<std::string>& folders : runs)
        {
            std::vector<std::vector<MeasuredCurve>> seeds;
            for (const std::string& folder : folders)
            {
                seeds.push_back(Measure(measure, folder, experiment.file));
            }
            m_curves.back().push_back(MeanOfRuns(seeds));
        }
    }
    for (const ExperimentExpectation& expectation : experiment.expectations)
    {
        m_outcomes.push_back(expectation.order.empty() ? CheckBand(expectation)
                                                       : CheckOrder(expectation));
    }
}

bool
ExperimentReport::AllHold() const
{
    return std::all_of(m_outcomes.begin(), m_outcomes.end(), [](const ExpectationOutcome& outcome) {
        return !outcome.isChecked || outcome.holds;
    });
}

const ExperimentReport::Curves&
ExperimentReport::CurvesOf(const std::string& measure) const
{
    return m_curves[&FindMeasure(m_experiment, measure) - m_experiment.measures.data()];
}

std::optional<double>
ExperimentReport::FigureOf(const std::string& measure, const std::string& variant) const
{
    for (size_t v = 0; v < m_variants.size(); ++v)
    {
        if (m_variants[v].name == variant)
        {
            return CurvesOf(measure)[v].front().points.front().second;
        }
    }
    return std::nullopt;
}

std::vector<size_t>
ExperimentReport::VariantsOf(const std::vector<std::string>& patterns) const
{
    std::vector<size_t> found;
    for (size_t v = 0; v < m_variants.size(); ++v)
    {
        if (patterns.empty() ||
            std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
                return FitsVariant(pattern, m_variants[v]);
            }))
        {
            found.push_back(v);
        }
    }
    return found;
}

// ---------------------------------------------------------------- expectations

ExpectationOutcome
ExperimentReport::CheckBand(const ExperimentExpectation& expectation) const
{
    ExpectationOutcome outcome{&expectation, "", ""};
    const bool isRatio = !expectation.over.empty() || !expectation.overMeasure.empty();
    outcome.expected = isRatio ? "ratio " : "";
    outcome.expected += expectation.min ? "at least " + DigitsText(*expectation.min) : "";
    outcome.expected += expectation.min && expectation.max ? ", " : "";
    outcome.expected += expectation.max ? "at most " + DigitsText(*expectation.max) : "";
    size_t checked = 0;
    for (size_t v : VariantsOf(expectation.of))
    {
        const std::string& name = m_variants[v].name;
        double value = *FigureOf(expectation.measure, name);
        if (isRatio)
        {
            const std::string over =
                expectation.over.empty() ? name : ResolvePattern(expectation.over, m_variants[v]);
            const std::string& measure =
                expectation.overMeasure.empty() ? expectation.measure : expectation.overMeasure;
            const std::optional<double> divisor = FigureOf(measure, over);
            if (!divisor)
            {
                continue; // this form does without that variant
            }
            value /= *divisor;
        }
        const bool holds = value >= expectation.min.value_or(value) &&
                           value <= expectation.max.value_or(value); // false for NaN
        outcome.holds = outcome.holds && holds;
        outcome.found +=
            (checked++ > 0 ? ", " : "") + name + " " + ShortNumber(value) + (holds ? "" : " (off)");
    }
    outcome.isChecked = checked > 0 && (expectation.form.empty() || expectation.form == m_form);
    return outcome;
}

ExpectationOutcome
ExperimentReport::CheckOrder(const ExperimentExpectation& expectation) const
{
    ExpectationOutcome outcome{&expectation, "", ""};
    std::optional<double> last;
    size_t checked = 0;
    for (const std::string& name : expectation.order)
    {
        outcome.expected += (outcome.expected.empty() ? "" : " <= ") + name;
        const std::optional<double> value = FigureOf(expectation.measure, name);
        if (!value)
        {
            continue;
        }
        outcome.holds = outcome.holds && (!last || *last <= *value * (1 + expectation.slack));
        outcome.found += (checked++ > 0 ? ", " : "") + name + " " + ShortNumber(*value);
        last = value;
    }
    outcome.isChecked = checked > 1 && (expectation.form.empty() || expectation.form == m_form);
    return outcome;
}

void
ExperimentReport::Print(std::ostream& out) const
{
    constexpr size_t INDENT = 16;
    out << m_experiment.name << ", " << m_form << " form: " << m_experiment.title << "\n";
    for (const ExpectationOutcome& outcome : m_outcomes)
    {
        const std::string verdict = VerdictOf(outcome);
        out << "\n  " << verdict << std::string(4 - verdict.size(), ' ');
        PrintWrapped(out, outcome.expectation->claim, 6);
        out << "      expected  ";
        PrintWrapped(out, outcome.expected, INDENT);
        out << "      found     ";
        PrintWrapped(out, outcome.isChecked ? outcome.found : "not in this form", INDENT);
        out << "      source    ";
        PrintWrapped(out, outcome.expectation->source, INDENT);
    }
    const auto checked = std::count_if(m_outcomes.begin(), m_outcomes.end(), [](const auto& o) {
        return o.isChecked;
    });
    const auto held = std::count_if(m_outcomes.begin(), m_outcomes.end(), [](const auto& o) {
        return o.isChecked && o.holds;
    });
    out << "\n" << held << " of " << checked << " expectations hold\n";
}

// ---------------------------------------------------------------- files

void
ExperimentReport::Write(const ResultsFolder& folder, const std::string& command) const
{
    WriteData(folder);
    WriteExpectations(folder);
    for (const ExperimentPlot& plot : m_experiment.plots)
    {
        std::ofstream picture = folder.Create(FileNameOf(plot.title) + ".svg");
        Draw(picture, plot);
    }
    std::ofstream page = folder.Create("report.html");
    WritePage(page, command);
}

void
ExperimentReport::WriteData(const ResultsFolder& folder) const
{
    std::ofstream data = folder.Create("data.csv");
    data << "measure,variant,curve,x,value\n";
    for (size_t m = 0; m < m_curves.size(); ++m)
    {
        const ExperimentMeasure& measure = m_experiment.measures[m];
        for (size_t v = 0; v < m_variants.size(); ++v)
        {
            for (const MeasuredCurve& curve : m_curves[m][v])
            {
                for (const auto& [x, y] : curve.points)
                {
                    data << measure.name << ',' << m_variants[v].name << ',' << CsvCell(curve.name)
                         << ',' << (measure.by.empty() ? "" : DigitsText(x)) << ',' << DigitsText(y)
                         << '\n';
                }
            }
        }
    }
}

void
ExperimentReport::WriteExpectations(const ResultsFolder& folder) const
{
    std::ofstream file = folder.Create("expectations.csv");
    file << "verdict,claim,expected,found,source\n";
    for (const ExpectationOutcome& outcome : m_outcomes)
    {
        file << VerdictOf(outcome) << ',' << CsvCell(outcome.expectation->claim) << ','
             << CsvCell(outcome.expected) << ','
             << CsvCell(outcome.isChecked ? outcome.found : "not in this form") << ','
             << CsvCell(outcome.expectation->source) << '\n';
    }
}

void
ExperimentReport::WritePage(std::ostream& out, const std::string& command) const
{
    BeginReportPage(out, m_experiment.title);
    out << "<p>" << EscapeXml(m_experiment.paper) << "; " << EscapeXml(m_experiment.figure) << ". "
        << EscapeXml(m_experiment.compares) << "</p>\n<p class=\"note\">The " << m_form
        << " form: <code>" << EscapeXml(command) << "</code></p>\n";
    out << "<h2>Expected and found</h2>\n<table>\n<tr><th></th><th>claim</th><th>expected</th>"
           "<th>found</th><th>source</th></tr>\n";
    for (const ExpectationOutcome& outcome : m_outcomes)
    {
        const std::string verdict = VerdictOf(outcome);
        out << "<tr><td class=\"" << verdict << "\">" << verdict << "</td><td>"
            << EscapeXml(outcome.expectation->claim) << "</td><td>" << EscapeXml(outcome.expected)
            << "</td><td>" << EscapeXml(outcome.isChecked ? outcome.found : "not in this form")
            << "</td><td>" << EscapeXml(outcome.expectation->source) << "</td></tr>\n";
    }
    out << "</table>\n";
    for (const ExperimentPlot& plot : m_experiment.plots)
    {
        Draw(out, plot);
    }
    WriteFigures(out);
    EndReportPage(out);
}

void
ExperimentReport::WriteFigures(std::ostream& out) const
{
    out << "<h2>Figures</h2>\n<table>\n<tr><th>variant</th>";
    for (const ExperimentMeasure& measure : m_experiment.measures)
    {
        out << (measure.by.empty() ? "<th>" + EscapeXml(measure.label) + "</th>" : "");
    }
    out << "</tr>\n";
    for (size_t v = 0; v < m_variants.size(); ++v)
    {
        out << "<tr><td>" << EscapeXml(m_variants[v].name) << "</td>";
        for (size_t m = 0; m < m_curves.size(); ++m)
        {
            if (m_experiment.measures[m].by.empty())
            {
                out << "<td class=\"number\">"
                    << DigitsText(m_curves[m][v].front().points.front().second) << "</td>";
            }
        }
        out << "</tr>\n";
    }
    out << "</table>\n";
}

// ---------------------------------------------------------------- plots

size_t
ExperimentReport::AxisNumber(const std::string& name) const
{
    auto found = std::find_if(m_experiment.axes.begin(),
                              m_experiment.axes.end(),
                              [&name](const ExperimentAxis& axis) { return axis.name == name; });
    return found - m_experiment.axes.begin();
}

std::string
ExperimentReport::WithoutAxis(size_t variant, size_t axis) const
{
    std::string name;
    for (size_t a = 0; a < m_variants[variant].values.size(); ++a)
    {
        if (a != axis)
        {
            name += (name.empty() ? "" : "/") + m_variants[variant].values[a];
        }
    }
    return name;
}

void
ExperimentReport::Draw(std::ostream& out, const ExperimentPlot& plot) const
{
    if (!FindMeasure(m_experiment, plot.measure).by.empty())
    {
        DrawCurves(out, plot);
    }
    else if (plot.kind == "lines")
    {
        DrawAxis(out, plot);
    }
    else
    {
        DrawBars(out, plot);
    }
}

void
ExperimentReport::DrawCurves(std::ostream& out, const ExperimentPlot& plot) const
{
    const ExperimentMeasure& measure = FindMeasure(m_experiment, plot.measure);
    LinePlot lines{plot.title, {plot.xLabel, plot.xLog}, {measure.label, plot.yLog}, {}};
    const std::vector<size_t> variants = VariantsOf(plot.of);
    for (size_t v : variants)
    {
        for (const MeasuredCurve& curve : CurvesOf(plot.measure)[v])
        {
            std::string name = curve.name.empty() || variants.size() > 1 ? m_variants[v].name : "";
            name += (name.empty() || curve.name.empty() ? "" : " ") + curve.name;
            lines.curves.push_back({name, curve.points});
        }
    }
    WriteSvg(out, lines);
}

void
ExperimentReport::DrawAxis(std::ostream& out, const ExperimentPlot& plot) const
{
    const ExperimentMeasure& measure = FindMeasure(m_experiment, plot.measure);
    LinePlot lines{plot.title,
                   {plot.xLabel.empty() ? plot.axis : plot.xLabel, plot.xLog},
                   {measure.label, plot.yLog},
                   {}};
    const size_t axis = AxisNumber(plot.axis);
    for (size_t v : VariantsOf(plot.of))
    {
        const std::string name = WithoutAxis(v, axis);
        auto curve = std::find_if(lines.curves.begin(), lines.curves.end(), [&](const auto& c) {
            return c.name == name;
        });
        if (curve == lines.curves.end())
        {
            curve = lines.curves.insert(curve, {name, {}});
        }
        curve->points.emplace_back(std::atof(m_variants[v].values[axis].c_str()),
                                   *FigureOf(plot.measure, m_variants[v].name));
    }
    WriteSvg(out, lines);
}

void
ExperimentReport::DrawBars(std::ostream& out, const ExperimentPlot& plot) const
{
    const ExperimentMeasure& measure = FindMeasure(m_experiment, plot.measure);
    BarPlot bars{plot.title, {measure.label, plot.yLog}, {}, {}};
    bars.groupsLabel = plot.xLabel.empty() ? plot.axis : plot.xLabel;
    const size_t axis = plot.axis.empty() ? SIZE_MAX : AxisNumber(plot.axis);
    const std::vector<size_t> variants = VariantsOf(plot.of);
    auto groupOf = [&](size_t v) {
        return axis == SIZE_MAX ? m_variants[v].name : m_variants[v].values[axis];
    };
    auto numberIn = [](const auto& list, const auto& fits) {
        return static_cast<size_t>(std::find_if(list.begin(), list.end(), fits) - list.begin());
    };
    for (size_t v : variants)
    {
        const std::string group = groupOf(v);
        if (std::find(bars.groups.begin(), bars.groups.end(), group) == bars.groups.end())
        {
            bars.groups.push_back(group);
        }
    }
    for (size_t v : variants)
    {
        const std::string name = axis == SIZE_MAX ? "" : WithoutAxis(v, axis);
        const size_t series = numberIn(bars.series, [&](const auto& s) { return s.name == name; });
        if (series == bars.series.size())
        {
            bars.series.push_back({name, std::vector<std::optional<double>>(bars.groups.size())});
        }
        const std::string group = groupOf(v);
        bars.series[series]
            .values[numberIn(bars.groups, [&](const auto& g) { return g == group; })] =
            FigureOf(plot.measure, m_variants[v].name);
    }
    WriteSvg(out, bars);
}

} // namespace ns3
