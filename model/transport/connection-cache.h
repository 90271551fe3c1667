// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONNECTION_CACHE_H
#define CONNECTION_CACHE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Which connections' state a NIC has at hand: a set-associative cache, least recently used
 * first out of a set.
 *
 * A NIC keeps the contexts of its queue pairs in host memory and a bounded number of them on the
 * chip. Who talks over more pairs than that waits for the host's memory again and again.
 */
class ConnectionCache
{
  public:
    /**
     * Empties the cache.
     * @param entries connections that it holds; 0: all there are
     * @param ways places of a set, one of which a connection may have; as many as there are entries
     * make a fully associative cache, whose look-ups take time in proportion. They divide the
     * entries.
     */
    void Configure(uint32_t entries, uint32_t ways);

    /// @param connection its number @return it was there; in any case it is there now
    bool Touch(uint32_t connection);

    /// @return connections that it holds; 0: all there are
    uint32_t GetEntries() const
    {
        return m_entries;
    }

  private:
    uint32_t m_entries{0};
    uint32_t m_ways{1};
    std::vector<uint64_t>
        m_lines; ///< set after set, each from the latest to the oldest: number + 1
};

} // namespace ns3

#endif // CONNECTION_CACHE_H
