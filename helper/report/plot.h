// SPDX-License-Identifier: GPL-2.0-only
#ifndef PLOT_H
#define PLOT_H

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// An axis of a plot.
struct PlotAxis
{
    std::string label; ///< with its unit
    bool isLog{false}; ///< values must be above 0; others are left out
};

/// A line of a plot.
struct PlotCurve
{
    std::string name;
    std::vector<std::pair<double, double>> points; ///< ascending in x
};

/// Curves over a common x axis.
struct LinePlot
{
    std::string title;
    PlotAxis x;
    PlotAxis y; ///< from 0, where it is not logarithmic
    std::vector<PlotCurve> curves;
};

/// Bars of one colour.
struct BarSeries
{
    std::string name;
    std::vector<std::optional<double>> values; ///< by group; none: no bar
};

/// Groups of bars, one of each series.
struct BarPlot
{
    std::string title;
    PlotAxis y; ///< from 0, where it is not logarithmic
    std::vector<std::string> groups;
    std::vector<BarSeries> series;
    std::string groupsLabel{}; ///< what tells groups apart
};

/**
 * @ingroup ai-fabric
 * @brief A plot as one SVG element that needs nothing else; as a file of its own it is a picture.
 * @param out where to
 * @param plot what to draw
 */
void WriteSvg(std::ostream& out, const LinePlot& plot);

/// @param out where to @param plot what to draw, as an SVG element
void WriteSvg(std::ostream& out, const BarPlot& plot);

/// @param value some @return it with at most four digits, and k, M or G: "12.5k"
std::string ShortNumber(double value);

} // namespace ns3

#endif // PLOT_H
