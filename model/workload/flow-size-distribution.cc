// SPDX-License-Identifier: GPL-2.0-only
#include "flow-size-distribution.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{
constexpr double WHOLE = 100; ///< percent
}

FlowSizeDistribution::FlowSizeDistribution(uint64_t bytes)
    : FlowSizeDistribution(std::vector<Point>{{bytes, WHOLE}})
{
}

FlowSizeDistribution::FlowSizeDistribution(const std::vector<Point>& points)
    : m_points(points)
{
    size_t index = 0;
    const std::string error = Check(points, index);
    NS_ABORT_MSG_UNLESS(error.empty(), "FlowSizeDistribution: point " << index << ": " << error);
}

std::string
FlowSizeDistribution::Check(const std::vector<Point>& points, size_t& index)
{
    double percent = 0;
    uint64_t bytes = 0;
    for (index = 0; index < points.size(); ++index)
    {
        const Point& point = points[index];
        if (!(point.percent >= percent && point.percent <= WHOLE))
        {
            return "the percent must not be below the one before, nor above 100";
        }
        if (point.bytes < bytes)
        {
            return "the size must not be below the one before";
        }
        percent = point.percent;
        bytes = point.bytes;
    }
    index = points.empty() ? 0 : points.size() - 1;
    if (percent != WHOLE)
    {
        return "the last percent must be 100";
    }
    return bytes == 0 ? "the longest flow must have at least 1 byte" : "";
}

uint64_t
FlowSizeDistribution::GetSize(double share) const
{
    const double percent = share * WHOLE;
    auto above = std::upper_bound(m_points.begin(),
                                  m_points.end(),
                                  percent,
                                  [](double value, const Point& p) { return value < p.percent; });
    if (above == m_points.end())
    {
        return m_points.back().bytes;
    }
    double bytes = static_cast<double>(above->bytes);
    if (above != m_points.begin())
    {
        auto below = above - 1;
        bytes = static_cast<double>(below->bytes) +
                static_cast<double>(above->bytes - below->bytes) * (percent - below->percent) /
                    (above->percent - below->percent);
    }
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(bytes)));
}

double
FlowSizeDistribution::LineShare(double bytes) const
{
    // The last of the points at one size is where the line goes on.
    auto above =
        std::upper_bound(m_points.begin(), m_points.end(), bytes, [](double value, const Point& p) {
            return value < static_cast<double>(p.bytes);
        });
    if (above == m_points.begin())
    {
        return 0;
    }
    if (above == m_points.end())
    {
        return 1;
    }
    auto below = above - 1;
    const double part = (bytes - static_cast<double>(below->bytes)) /
                        static_cast<double>(above->bytes - below->bytes);
    return (below->percent + (above->percent - below->percent) * part) / WHOLE;
}

double
FlowSizeDistribution::GetShare(uint64_t bytes) const
{
    constexpr double ROUNDING = 0.5;
    return bytes == 0 ? 0 : LineShare(static_cast<double>(bytes) + ROUNDING);
}

double
FlowSizeDistribution::GetMeanBytes() const
{
    double sum = static_cast<double>(m_points[0].bytes) * m_points[0].percent;
    for (size_t p = 1; p < m_points.size(); ++p)
    {
        // Between whole numbers rounding changes no mean: what is lost below is won above.
        sum += static_cast<double>(m_points[p - 1].bytes + m_points[p].bytes) / 2 *
               (m_points[p].percent - m_points[p - 1].percent);
    }
    constexpr double ROUNDING = 0.5;
    return sum / WHOLE + LineShare(ROUNDING); // what would be 0 bytes is 1
}

double
FlowSizeDistribution::GetMeanFrames(uint32_t mtu) const
{
    // The mean of a count is the sum, over k, of the share that has more than k.
    double frames = 0;
    for (uint64_t bytes = 0; bytes < GetLongest(); bytes += mtu)
    {
        frames += 1 - GetShare(bytes);
    }
    return frames;
}

} // namespace ns3
