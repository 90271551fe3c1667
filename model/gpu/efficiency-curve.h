// SPDX-License-Identifier: GPL-2.0-only
#ifndef EFFICIENCY_CURVE_H
#define EFFICIENCY_CURVE_H

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Which part of a peak rate work of a size reaches: points of size and efficiency.
 *
 * Between two points it is linear in the logarithm of the size; outside them it is that of the
 * nearest one.
 */
class EfficiencyCurve
{
  public:
    /**
     * @param text one efficiency for all sizes ("0.8"), or SIZE:EFFICIENCY with spaces between, by
     * size upwards ("1e9:0.3 1e12:0.8"); an efficiency is above 0 and at most 1
     * @return empty, or what is wrong with it; then the curve is as before
     */
    std::string Parse(const std::string& text);

    /// @return a text that Parse() takes
    std::string ToString() const;

    /// @param size of the work @return its efficiency; 1 if there are no points
    double Get(double size) const;

  private:
    struct Point
    {
        double size;
        double efficiency;
    };

    std::vector<Point> m_points;
};

} // namespace ns3

#endif // EFFICIENCY_CURVE_H
