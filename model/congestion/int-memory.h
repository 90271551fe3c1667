// SPDX-License-Identifier: GPL-2.0-only
#ifndef INT_MEMORY_H
#define INT_MEMORY_H

#include "rdma-congestion-ops.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// What the egress port of one hop did between two answers.
struct IntHopInterval
{
    int64_t steps;          ///< between the two, time steps; above 0
    uint64_t txBytes;       ///< bytes of frames that it has sent in between
    uint64_t queueBytes;    ///< its queue now
    uint64_t oldQueueBytes; ///< its queue before
    uint64_t bitsPerSecond; ///< its rate now

    /// @return bits of frames a second that it has sent
    double GetTxRate() const;
};

/**
 * @brief What the hops of a path last told of themselves, for algorithms that need to know what
 * has changed since.
 *
 * One more hop, one less or another one is another path: of that nothing is known before its second
 * answer. An answer that is older than the last one tells nothing.
 */
class IntMemory
{
  public:
    /// What an answer is good for.
    enum class News
    {
        NOTHING,   ///< it has no hops, or is out of date
        PATH,      ///< the first one of a path
        INTERVALS, ///< GetIntervals() says what has happened since the last one
    };

    /**
     * Takes an answer in. Aborts where switches were passed that write no telemetry, or had no room
     * for it.
     * @param signal the answer
     * @return what it is good for
     */
    News Observe(const RdmaAckSignal& signal);

    /// @return of each hop, the first one first
    const std::vector<IntHopInterval>& GetIntervals() const
    {
        return m_intervals;
    }

  private:
    bool IsSamePath(const SwitchHeader& told) const;
    bool Compare(const SwitchHeader& told);

    std::vector<IntHop> m_hops;
    std::vector<IntHopInterval> m_intervals;
    uint16_t m_pathId{0};
};

} // namespace ns3

#endif // INT_MEMORY_H
