// SPDX-License-Identifier: GPL-2.0-only
#include "efficiency-curve.h"

#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

/// @return whether the text is a number and nothing else
bool
ReadNumber(const std::string& text, double& number)
{
    std::istringstream stream(text);
    return (stream >> number) && stream.eof();
}

} // namespace

std::string
EfficiencyCurve::Parse(const std::string& text)
{
    std::vector<Point> points;
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        size_t colon = word.find(':');
        bool constant = colon == std::string::npos;
        Point point{1, 0};
        if ((!constant && !ReadNumber(word.substr(0, colon), point.size)) ||
            !ReadNumber(constant ? word : word.substr(colon + 1), point.efficiency))
        {
            return "\"" + word + "\" is neither EFFICIENCY nor SIZE:EFFICIENCY";
        }
        if (!(point.efficiency > 0 && point.efficiency <= 1))
        {
            return "\"" + word + "\": an efficiency is above 0 and at most 1";
        }
        if (!(point.size > (points.empty() ? 0 : points.back().size)))
        {
            return "\"" + word + "\": sizes are above 0 and go upwards";
        }
        points.push_back(point);
    }
    if (points.empty())
    {
        return "no efficiency";
    }
    m_points = points;
    return "";
}

std::string
EfficiencyCurve::ToString() const
{
    std::ostringstream text;
    for (const Point& point : m_points)
    {
        text << (text.tellp() > 0 ? " " : "") << point.size << ":" << point.efficiency;
    }
    return m_points.empty() ? "1" : text.str();
}

double
EfficiencyCurve::Get(double size) const
{
    if (m_points.empty() || size <= m_points.front().size)
    {
        return m_points.empty() ? 1 : m_points.front().efficiency;
    }
    for (size_t p = 1; p < m_points.size(); ++p)
    {
        const Point& below = m_points[p - 1];
        const Point& above = m_points[p];
        if (size <= above.size)
        {
            double part = std::log(size / below.size) / std::log(above.size / below.size);
            return below.efficiency + part * (above.efficiency - below.efficiency);
        }
    }
    return m_points.back().efficiency;
}

} // namespace ns3
