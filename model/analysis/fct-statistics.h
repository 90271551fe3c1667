// SPDX-License-Identifier: GPL-2.0-only
#ifndef FCT_STATISTICS_H
#define FCT_STATISTICS_H

#include "fct-bins.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/// @param sorted values, ascending, at least one @param percent above 0 to 100
/// @return the nearest-rank percentile: the smallest value that at least this share does not exceed
double NearestRank(const std::vector<double>& sorted, double percent);

/// @param shares what each gets, 0 or more @return Jain's index: 1 where all get the same, 1/n
/// where one gets all; 1 where there are none or all get nothing
double JainIndex(const std::vector<double>& shares);

/// Slowdowns of the flows of one bin of sizes.
struct FctBin
{
    uint64_t above{0}; ///< sizes above this, bytes; of bins by rank: smallest size in it
    uint64_t upTo{0};  ///< up to this; UINT64_MAX: no limit; of bins by rank: largest size in it
    uint64_t flows{0};
    uint64_t bytes{0};               ///< of all of them
    double mean{0};                  ///< slowdown
    std::vector<double> percentiles; ///< slowdown, as asked for; none where there are no flows
};

/**
 * @ingroup ai-fabric
 * @brief Flow completion times as papers show them: slowdown (completion time over the exact time
 * of the flow alone in the fabric) by flow size.
 */
class FctStatistics
{
  public:
    /// @param bytes size of a flow @param slowdown its completion time over its ideal one
    void Add(uint64_t bytes, double slowdown)
    {
        m_flows.emplace_back(bytes, slowdown);
    }

    /// @return flows added
    size_t GetCount() const
    {
        return m_flows.size();
    }

    /**
     * @param bins of sizes
     * @param percents each above 0 to 100
     * @return by bin
     */
    std::vector<FctBin> Evaluate(const FctBins& bins, const std::vector<double>& percents) const;

    /// @param percents each above 0 to 100 @return all flows as one bin
    FctBin EvaluateAll(const std::vector<double>& percents) const;

  private:
    std::vector<std::pair<uint64_t, double>> m_flows; ///< size, slowdown
};

} // namespace ns3

#endif // FCT_STATISTICS_H
