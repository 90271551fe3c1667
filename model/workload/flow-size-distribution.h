// SPDX-License-Identifier: GPL-2.0-only
#ifndef FLOW_SIZE_DISTRIBUTION_H
#define FLOW_SIZE_DISTRIBUTION_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief How long flows are: a cumulative distribution by points, straight lines between them, as
 * the public traffic generators read it.
 *
 * The line's value is rounded to whole bytes, at least 1; the mean is that of the rounded sizes,
 * exactly.
 */
class FlowSizeDistribution
{
  public:
    /// A point of the cumulative distribution.
    struct Point
    {
        uint64_t bytes;
        double percent; ///< of flows that are not longer
    };

    /// All flows are of one size. @param bytes it, at least 1
    explicit FlowSizeDistribution(uint64_t bytes = 1);

    /// @param points for which Check() finds nothing; aborts otherwise
    explicit FlowSizeDistribution(const std::vector<Point>& points);

    /**
     * @param points some
     * @param index set to the point that is wrong
     * @return what is wrong; empty: nothing. Both columns ascend, the last percent is 100; flows of
     * the first point's size have its percent.
     */
    static std::string Check(const std::vector<Point>& points, size_t& index);

    /// @param share 0 to below 1, uniformly drawn @return a size, bytes
    uint64_t GetSize(double share) const;

    /// @param bytes a size @return share of flows that are not longer, 0 to 1
    double GetShare(uint64_t bytes) const;

    /// @return mean size, bytes
    double GetMeanBytes() const;

    /// @param mtu payload of a full frame @return mean number of frames of a flow
    double GetMeanFrames(uint32_t mtu) const;

    /// @return the longest flow, bytes
    uint64_t GetLongest() const
    {
        return m_points.back().bytes;
    }

    /// @return the points
    const std::vector<Point>& GetPoints() const
    {
        return m_points;
    }

  private:
    double LineShare(double bytes) const;

    std::vector<Point> m_points;
};

} // namespace ns3

#endif // FLOW_SIZE_DISTRIBUTION_H
