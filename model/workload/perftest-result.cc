// SPDX-License-Identifier: GPL-2.0-only
#include "perftest-result.h"

#include "ns3/abort.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

double
StepsPerSecond()
{
    return static_cast<double>(Seconds(1).GetTimeStep());
}

/// A point of the postings' staircase: message i is posted when i messages are posted.
struct Point
{
    double messages;
    double when;
};

/// @return b lies on or below the line from a to c
bool
IsBelow(const Point& a, const Point& b, const Point& c)
{
    return (b.when - a.when) * (c.messages - a.messages) <=
           (c.when - a.when) * (b.messages - a.messages);
}

double
Slope(const Point& a, const Point& b)
{
    return (b.when - a.when) / (b.messages - a.messages);
}

/**
 * The least time a message from any posting to any completion after it.
 *
 * Seen from a completion, only the upper convex hull of the postings before it counts, and along
 * the hull the slope to the completion falls, then rises: so the pairs need not all be tried.
 */
double
LeastStepsPerMessage(const std::vector<int64_t>& posted,
                     const std::vector<PerftestProgress>& completed)
{
    std::vector<Point> hull;
    double least = INFINITY;
    size_t next = 0;
    for (const PerftestProgress& completion : completed)
    {
        for (; next < completion.messages; ++next)
        {
            Point point{static_cast<double>(next), static_cast<double>(posted[next])};
            while (hull.size() > 1 && IsBelow(hull[hull.size() - 2], hull.back(), point))
            {
                hull.pop_back();
            }
            hull.push_back(point);
        }
        Point end{static_cast<double>(completion.messages), static_cast<double>(completion.when)};
        size_t low = 0;
        size_t high = hull.size() - 1;
        while (low < high)
        {
            size_t middle = (low + high) / 2;
            if (Slope(hull[middle], end) <= Slope(hull[middle + 1], end))
            {
                high = middle;
            }
            else
            {
                low = middle + 1;
            }
        }
        least = std::min(least, Slope(hull[low], end));
    }
    return least;
}

} // namespace

PerftestBandwidth
MakePerftestBandwidth(uint64_t bytes,
                      const std::vector<int64_t>& posted,
                      const std::vector<PerftestProgress>& completed)
{
    NS_ABORT_MSG_IF(posted.empty() || completed.empty() ||
                        completed.back().messages != posted.size(),
                    "perftest: not every message that was posted is complete");
    constexpr double MIB = 1 << 20;
    double size = static_cast<double>(bytes);
    double all = static_cast<double>(completed.back().when - posted.front()) / StepsPerSecond();
    double least = LeastStepsPerMessage(posted, completed) / StepsPerSecond();
    double messages = static_cast<double>(posted.size());
    PerftestBandwidth result;
    result.peakMibPerSecond = size / least / MIB;
    result.averageMibPerSecond = messages * size / all / MIB;
    result.messagesPerMicrosecond = messages / all / 1e6;
    return result;
}

PerftestLatency
MakePerftestLatency(const std::vector<int64_t>& posted, uint32_t factor)
{
    constexpr size_t TAIL = 2;
    NS_ABORT_MSG_IF(posted.size() < TAIL + 3, "perftest: too few messages for a latency");
    double unit = StepsPerSecond() / 1e6 * factor;
    std::vector<double> times; // microseconds
    for (size_t i = 1; i < posted.size(); ++i)
    {
        times.push_back(static_cast<double>(posted[i] - posted[i - 1]) / unit);
    }
    std::sort(times.begin(), times.end());
    size_t count = times.size() - TAIL;

    PerftestLatency result;
    result.minimum = times.front();
    result.maximum = times[count];
    result.typical =
        count % 2 == 0 ? (times[count / 2] + times[count / 2 - 1]) / 2 : times[count / 2];
    for (size_t i = 0; i < count; ++i)
    {
        result.average += times[i] / static_cast<double>(count);
    }
    double squares = 0;
    for (size_t i = 0; i < count; ++i)
    {
        squares += (times[i] - result.average) * (times[i] - result.average);
    }
    result.deviation = std::sqrt(squares / static_cast<double>(count));
    auto at = [&](double share) {
        return times[static_cast<size_t>(std::ceil(static_cast<double>(count) * share))];
    };
    result.percentile99 = at(0.99);
    result.percentile999 = at(0.999);
    return result;
}

} // namespace ns3
