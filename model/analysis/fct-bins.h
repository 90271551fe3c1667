// SPDX-License-Identifier: GPL-2.0-only
#ifndef FCT_BINS_H
#define FCT_BINS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Bins of flow sizes: by fixed edges, or by rank, so that each has the same number of flows.
 *
 * By name:
 * - "hpcc": 20 bins of 5 % of the run's flows each, by rank, as fct_analysis.py of the HPCC
 *   simulator cuts them (bin i has ranks i n / 20 to (i + 1) n / 20 of the n flows by size);
 * - "hpcc-websearch", "hpcc-fb-hadoop": the same 20 bins of the distribution that flows are drawn
 *   from, which are the same in all runs;
 * - "decades": up to 1 kB, 10 kB, ..., 1 GB, and above.
 */
class FctBins
{
  public:
    /// @return the names
    static std::vector<std::string> GetNames();

    /// @param name of GetNames(); another one aborts @return the bins
    static FctBins ByName(const std::string& name);

    /// @param edges ascending, above 0: sizes up to and with each; above the last one more bin
    explicit FctBins(const std::vector<uint64_t>& edges);

    /// @return of bins by edges: the edges; empty: bins by rank
    const std::vector<uint64_t>& GetEdges() const
    {
        return m_edges;
    }

    /**
     * @param sizes of all flows, ascending
     * @return by bin: index of its first flow; and at last the number of flows. A bin may be empty.
     */
    std::vector<size_t> Cut(const std::vector<uint64_t>& sizes) const;

  private:
    FctBins() = default;

    std::vector<uint64_t> m_edges;
};

} // namespace ns3

#endif // FCT_BINS_H
