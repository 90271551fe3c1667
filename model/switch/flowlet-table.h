// SPDX-License-Identifier: GPL-2.0-only
#ifndef FLOWLET_TABLE_H
#define FLOWLET_TABLE_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * @brief Which port the flowlets of a switch took last (Sinha, Kandula, Katabi, "Harnessing TCP's
 * Burstiness with Flowlet Switching", HotNets 2004).
 *
 * A flowlet is a train of frames of one flow without a gap longer than the timeout. Flows are told
 * apart by a hash only, as in hardware: two that fall onto one entry share their flowlets.
 *
 * The time of the last frame is kept as it is; hardware has an age bit instead that a timer
 * clears, and so finds gaps between one and two timeouts. The memory is taken at the first use.
 */
class FlowletTable
{
  public:
    /// No port was taken yet.
    static constexpr uint32_t NO_PORT = UINT32_MAX;

    /// What is known of the flows of an entry.
    struct Entry
    {
        int64_t lastFrame{std::numeric_limits<int64_t>::min() / 2}; ///< time steps
        uint32_t port{NO_PORT};                                     ///< that it took
    };

    /// @param hash of a flow @param size entries that the table is to have @return the flow's
    Entry& At(uint32_t hash, uint32_t size)
    {
        if (m_entries.size() != size)
        {
            m_entries.assign(size, Entry{});
        }
        return m_entries[(uint64_t{hash} * size) >> 32];
    }

  private:
    std::vector<Entry> m_entries;
};

} // namespace ns3

#endif // FLOWLET_TABLE_H
