// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONGA_LEAF_TABLES_H
#define CONGA_LEAF_TABLES_H

#include "ns3/switch-header.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @brief What a CONGA leaf knows of the other leaves (Alizadeh et al., SIGCOMM 2014, section 3.3):
 * the congestion of its own paths to each, which they report, and of their paths to it, which it
 * sees and reports to them. Also which leaf an address is behind.
 *
 * Everything is learned from frames that arrive: no table is given, none spans switches.
 */
class CongaLeafTables
{
  public:
    /// A leaf, by its node id, of which nothing is known.
    static constexpr uint32_t UNKNOWN_LEAF = UINT32_MAX;

    /**
     * A frame has come from another leaf.
     * @param fields what it carries, valid
     * @param source address of the sending host; 0: none
     * @param now time steps
     */
    void Arrived(const CongaFields& fields, uint32_t source, int64_t now);

    /// @param address of a host @return node id of its leaf, or UNKNOWN_LEAF
    uint32_t GetLeafOf(uint32_t address) const
    {
        auto found = m_leafOf.find(address);
        return found == m_leafOf.end() ? UNKNOWN_LEAF : found->second;
    }

    /**
     * @param leaf destination
     * @param uplink of this leaf
     * @param now time steps
     * @param aging a metric stands for so long, and fades to 0 within as long again (time steps)
     * @return congestion of the path by that uplink, as last reported; 0 if unknown
     */
    uint32_t GetMetric(uint32_t leaf, uint32_t uplink, int64_t now, int64_t aging) const;

    /**
     * Picks what a frame to another leaf reports: metrics in turn, those first that have changed
     * since they were last reported; none that is older than the aging time.
     * @param leaf destination of the frame
     * @param fields its feedback fields are written
     * @param now time steps
     * @param aging time steps
     */
    void GiveFeedback(uint32_t leaf, CongaFields& fields, int64_t now, int64_t aging);

  private:
    /// A metric and when it was learned.
    struct Metric
    {
        uint8_t value{0};
        bool isKnown{false};
        bool hasChanged{false}; ///< since it was last reported
        int64_t at{0};
    };

    struct Leaf
    {
        std::vector<Metric> to;   ///< by own uplink
        std::vector<Metric> from; ///< by the leaf's uplink
        uint32_t nextFeedback{0};
    };

    static Metric& At(std::vector<Metric>& metrics, uint32_t index);

    std::unordered_map<uint32_t, Leaf> m_leaves;     ///< by node id; never iterated
    std::unordered_map<uint32_t, uint32_t> m_leafOf; ///< by host address; never iterated
};

} // namespace ns3

#endif // CONGA_LEAF_TABLES_H
