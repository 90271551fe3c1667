// SPDX-License-Identifier: GPL-2.0-only
#include "plot.h"

#include "results-folder.h"
#include "topology-picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace ns3
{

namespace
{

// Eight colours that also colour-blind people tell apart (Okabe and Ito, 2008).
const char* const COLORS[] =
    {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a7a00"};
const char* const DASHES[] = {"", "7 3", "2 3", "9 3 2 3"};
constexpr size_t N_COLORS = std::size(COLORS);

constexpr double WIDTH = 860;
constexpr double HEIGHT = 380;
constexpr double LEFT = 74;
constexpr double RIGHT = 620; ///< of the frame; the legend is beyond
constexpr double TOP = 40;
constexpr double BOTTOM = 324;
constexpr size_t MOST_MARKED = 40; ///< points of a curve that each get a dot
constexpr size_t MOST_LEGEND = 18; ///< entries

const char*
ColorOfCurve(size_t index)
{
    return COLORS[index % N_COLORS];
}

/// A pixel's position, with a tenth at most.
std::string
Pixel(double value)
{
    return FixedText(value, 1);
}

/// Where values of an axis lie in the picture.
class Scale
{
  public:
    Scale(bool isLog, double from, double to)
        : m_isLog(isLog),
          m_from(from),
          m_to(to)
    {
    }

    /// Takes a value in.
    void Include(double value)
    {
        if (std::isfinite(value) && (!m_isLog || value > 0))
        {
            m_low = std::min(m_low, value);
            m_high = std::max(m_high, value);
        }
    }

    /// All values are in: makes the ends round.
    void Close()
    {
        if (m_low > m_high)
        {
            m_low = m_isLog ? 1 : 0;
            m_high = m_isLog ? 10 : 1;
        }
        if (m_isLog)
        {
            m_high = m_high > m_low * 1.01 ? m_high : m_low * 2;
            return;
        }
        m_step = Step((m_high > m_low ? m_high - m_low : std::max(1.0, std::abs(m_low))));
        m_low = std::floor(m_low / m_step + 1e-9) * m_step;
        m_high = std::ceil(m_high / m_step - 1e-9) * m_step;
        m_high = m_high > m_low ? m_high : m_low + m_step;
    }

    bool Has(double value) const
    {
        return std::isfinite(value) && (!m_isLog || value > 0);
    }

    double At(double value) const
    {
        const double share = m_isLog ? std::log(value / m_low) / std::log(m_high / m_low)
                                     : (value - m_low) / (m_high - m_low);
        return m_from + share * (m_to - m_from);
    }

    /// @return the least value of the frame
    double Low() const
    {
        return m_low;
    }

    std::vector<double> Ticks() const
    {
        std::vector<double> ticks;
        if (!m_isLog)
        {
            for (double i = 0; m_low + i * m_step <= m_high + m_step / 2; ++i)
            {
                ticks.push_back(m_low + i * m_step);
            }
            return ticks;
        }
        const double decades = std::log10(m_high / m_low);
        for (int exponent = static_cast<int>(std::floor(std::log10(m_low)));
             exponent <= static_cast<int>(std::ceil(std::log10(m_high)));
             ++exponent)
        {
            for (double digit : {1.0, 2.0, 5.0})
            {
                const double tick = digit * std::pow(10, exponent);
                if ((digit == 1 || decades < 3) && tick >= m_low * 0.999 && tick <= m_high * 1.001)
                {
                    ticks.push_back(tick);
                }
            }
        }
        return ticks;
    }

  private:
    /// @param span of values @return 1, 2 or 5 times a power of ten: four to nine steps
    static double Step(double span)
    {
        const double power = std::pow(10, std::floor(std::log10(span / 4)));
        const double digit = span / 4 / power;
        return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
    }

    bool m_isLog;
    double m_from; ///< pixel of the least value
    double m_to;   ///< pixel of the greatest one
    double m_low{std::numeric_limits<double>::infinity()};
    double m_high{-std::numeric_limits<double>::infinity()};
    double m_step{1};
};

void
Text(std::ostream& out, double x, double y, const char* anchor, const std::string& text, int size)
{
    out << "<text x=\"" << Pixel(x) << "\" y=\"" << Pixel(y) << "\" text-anchor=\"" << anchor
        << "\" font-size=\"" << size << "\">" << EscapeXml(text) << "</text>\n";
}

void
Begin(std::ostream& out, const std::string& title, const std::string& yLabel)
{
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << WIDTH << "\" height=\"" << HEIGHT
        << "\" viewBox=\"0 0 " << WIDTH << ' ' << HEIGHT
        << "\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#1d2b38\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    Text(out, LEFT, 22, "start", title, 15);
    const double middle = (TOP + BOTTOM) / 2;
    out << "<text x=\"16\" y=\"" << Pixel(middle) << "\" text-anchor=\"middle\" font-size=\"12\" "
        << "transform=\"rotate(-90 16 " << Pixel(middle) << ")\">" << EscapeXml(yLabel)
        << "</text>\n";
}

void
Frame(std::ostream& out)
{
    out << "<rect x=\"" << LEFT << "\" y=\"" << TOP << "\" width=\"" << RIGHT - LEFT
        << "\" height=\"" << BOTTOM - TOP << "\" fill=\"none\" stroke=\"#8090a0\"/>\n";
}

void
YGrid(std::ostream& out, const Scale& y)
{
    for (double tick : y.Ticks())
    {
        const double at = y.At(tick);
        out << "<line x1=\"" << LEFT << "\" x2=\"" << RIGHT << "\" y1=\"" << Pixel(at) << "\" y2=\""
            << Pixel(at) << "\" stroke=\"#e3e8ed\"/>\n";
        Text(out, LEFT - 6, at + 4, "end", ShortNumber(tick), 11);
    }
}

/// An entry of the legend: a bar, or a line with this dash.
void
Legend(std::ostream& out, size_t index, const std::string& name, const char* dash)
{
    if (index > MOST_LEGEND)
    {
        return;
    }
    const double y = TOP + 8 + 17 * static_cast<double>(index);
    if (index == MOST_LEGEND)
    {
        Text(out, RIGHT + 16, y + 4, "start", "and more", 12);
        return;
    }
    out << "<line x1=\"" << RIGHT + 16 << "\" x2=\"" << RIGHT + 40 << "\" y1=\"" << Pixel(y)
        << "\" y2=\"" << Pixel(y) << "\" stroke=\"" << ColorOfCurve(index) << "\" stroke-width=\""
        << (dash ? 2 : 10) << "\"";
    if (dash && *dash)
    {
        out << " stroke-dasharray=\"" << dash << "\"";
    }
    out << "/>\n";
    Text(out, RIGHT + 46, y + 4, "start", name, 12);
}

const char*
DashOf(size_t index)
{
    return DASHES[index / N_COLORS % std::size(DASHES)];
}

void
Curve(std::ostream& out, const PlotCurve& curve, size_t index, const Scale& x, const Scale& y)
{
    std::string path;
    std::string dots;
    size_t points = 0;
    for (const auto& [px, py] : curve.points)
    {
        if (!x.Has(px) || !y.Has(py))
        {
            continue;
        }
        const std::string atX = Pixel(x.At(px));
        const std::string atY = Pixel(y.At(py));
        path += (points++ == 0 ? "M" : "L") + atX + " " + atY;
        dots += "<circle cx=\"" + atX + "\" cy=\"" + atY + "\" r=\"2.6\"><title>" +
                EscapeXml(curve.name) + ": " + ShortNumber(px) + ", " + ShortNumber(py) +
                "</title></circle>";
    }
    out << "<path d=\"" << path << "\" fill=\"none\" stroke=\"" << ColorOfCurve(index)
        << "\" stroke-width=\"1.6\" stroke-linejoin=\"round\"";
    if (*DashOf(index))
    {
        out << " stroke-dasharray=\"" << DashOf(index) << "\"";
    }
    out << "/>\n";
    if (points <= MOST_MARKED)
    {
        out << "<g fill=\"" << ColorOfCurve(index) << "\">" << dots << "</g>\n";
    }
}

} // namespace

void
WriteSvg(std::ostream& out, const LinePlot& plot)
{
    Scale x(plot.x.isLog, LEFT, RIGHT);
    Scale y(plot.y.isLog, BOTTOM, TOP);
    if (!plot.y.isLog)
    {
        y.Include(0);
    }
    for (const PlotCurve& curve : plot.curves)
    {
        for (const auto& [px, py] : curve.points)
        {
            x.Include(px);
            y.Include(py);
        }
    }
    x.Close();
    y.Close();
    Begin(out, plot.title, plot.y.label);
    YGrid(out, y);
    for (double tick : x.Ticks())
    {
        const double at = x.At(tick);
        out << "<line x1=\"" << Pixel(at) << "\" x2=\"" << Pixel(at) << "\" y1=\"" << TOP
            << "\" y2=\"" << BOTTOM << "\" stroke=\"#e3e8ed\"/>\n";
        Text(out, at, BOTTOM + 17, "middle", ShortNumber(tick), 11);
    }
    Frame(out);
    Text(out, (LEFT + RIGHT) / 2, HEIGHT - 16, "middle", plot.x.label, 12);
    for (size_t i = 0; i < plot.curves.size(); ++i)
    {
        Curve(out, plot.curves[i], i, x, y);
        Legend(out, i, plot.curves[i].name, DashOf(i));
    }
    out << "</svg>\n";
}

void
WriteSvg(std::ostream& out, const BarPlot& plot)
{
    Scale y(plot.y.isLog, BOTTOM, TOP);
    if (!plot.y.isLog)
    {
        y.Include(0);
    }
    for (const BarSeries& series : plot.series)
    {
        for (const auto& value : series.values)
        {
            y.Include(value.value_or(std::numeric_limits<double>::quiet_NaN()));
        }
    }
    if (plot.y.isLog) // the shortest bar shall be seen as well
    {
        Scale ends = y;
        ends.Close();
        y.Include(ends.Low() / 2);
    }
    y.Close();
    Begin(out, plot.title, plot.y.label);
    YGrid(out, y);
    const double group = (RIGHT - LEFT) / static_cast<double>(plot.groups.size());
    const double bar = std::min(60.0, 0.8 * group / static_cast<double>(plot.series.size()));
    const bool turned = plot.groups.size() > 8;
    for (size_t g = 0; g < plot.groups.size(); ++g)
    {
        const double center = LEFT + (static_cast<double>(g) + 0.5) * group;
        const double first = center - bar * static_cast<double>(plot.series.size()) / 2;
        for (size_t s = 0; s < plot.series.size(); ++s)
        {
            const auto& value = plot.series[s].values.at(g);
            if (!value || !y.Has(*value))
            {
                continue;
            }
            const double top = y.At(*value);
            const double foot = plot.y.isLog ? BOTTOM : y.At(0);
            out << "<rect x=\"" << Pixel(first + bar * static_cast<double>(s) + 0.5) << "\" y=\""
                << Pixel(std::min(top, foot)) << "\" width=\"" << Pixel(bar - 1) << "\" height=\""
                << Pixel(std::abs(foot - top)) << "\" fill=\"" << ColorOfCurve(s) << "\"><title>"
                << EscapeXml(plot.series[s].name + " " + plot.groups[g]) << ": "
                << ShortNumber(*value) << "</title></rect>\n";
            if (bar >= 26)
            {
                Text(out,
                     first + bar * (static_cast<double>(s) + 0.5),
                     std::min(top, foot) - 3,
                     "middle",
                     ShortNumber(*value),
                     10);
            }
        }
        if (turned)
        {
            out << "<text x=\"" << Pixel(center) << "\" y=\"" << BOTTOM + 14
                << "\" text-anchor=\"end\" font-size=\"10\" transform=\"rotate(-30 "
                << Pixel(center) << ' ' << BOTTOM + 14 << ")\">" << EscapeXml(plot.groups[g])
                << "</text>\n";
        }
        else
        {
            Text(out, center, BOTTOM + 17, "middle", plot.groups[g], 11);
        }
    }
    Frame(out);
    Text(out, (LEFT + RIGHT) / 2, HEIGHT - 16, "middle", plot.groupsLabel, 12);
    for (size_t s = 0; s < plot.series.size() && plot.series.size() > 1; ++s)
    {
        Legend(out, s, plot.series[s].name, nullptr);
    }
    out << "</svg>\n";
}

std::string
ShortNumber(double value)
{
    if (!std::isfinite(value))
    {
        return std::isnan(value) ? "none" : "infinite";
    }

    struct Unit
    {
        double size;
        const char* name;
    };

    for (const Unit& unit : {Unit{1e9, "G"}, Unit{1e6, "M"}, Unit{1e3, "k"}})
    {
        if (std::abs(value) >= (unit.size > 1e3 ? unit.size : 1e4))
        {
            char text[32];
            std::snprintf(text, sizeof(text), "%.4g%s", value / unit.size, unit.name);
            return text;
        }
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.4g", std::abs(value) < 1e-12 ? 0 : value);
    return text;
}

} // namespace ns3
