// SPDX-License-Identifier: GPL-2.0-only
#ifndef TIME_WEIGHTED_DISTRIBUTION_H
#define TIME_WEIGHTED_DISTRIBUTION_H

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief For how long something had which value: a queue's length, say. Kept in cells of values, so
 * that memory does not grow with time.
 */
class TimeWeightedDistribution
{
  public:
    /// @param cell values up to the next multiple of it count as that multiple; 0 is a cell alone
    explicit TimeWeightedDistribution(uint64_t cell = 1);

    /// @param value that it had @param steps for so long
    void Add(uint64_t value, int64_t steps);

    /// @return all time together
    int64_t GetSteps() const
    {
        return m_steps;
    }

    /// @return mean value over time, exactly
    double GetMean() const;

    /// @return largest value, exactly
    uint64_t GetLargest() const
    {
        return m_largest;
    }

    /// @param percent above 0 to 100 @return the value, rounded up to cells, that was not exceeded
    /// for this share of the time
    uint64_t GetPercentile(double percent) const;

    /// @param value some @return share of the time, 0 to 1, in which it was not exceeded (in cells)
    double GetShare(uint64_t value) const;

  private:
    uint64_t m_cell;
    int64_t m_steps{0};
    double m_weighted{0}; ///< sum of value x time
    uint64_t m_largest{0};
    std::map<uint64_t, int64_t> m_cells; ///< time by value, in cells
};

} // namespace ns3

#endif // TIME_WEIGHTED_DISTRIBUTION_H
