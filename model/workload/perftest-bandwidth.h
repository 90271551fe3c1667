// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERFTEST_BANDWIDTH_H
#define PERFTEST_BANDWIDTH_H

#include "perftest-result.h"
#include "perftest-side.h"

#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief A bandwidth test in one direction: each pair of a side keeps as many messages outstanding
 * as TX depth and completions allow, until it has sent its number.
 *
 * Only each CQ-moderation-th message (and the last one) has a completion, which stands for all
 * before it; so a pair with a depth of 128 and a moderation of 100 posts 100 at a time.
 */
class PerftestBandwidthTest
{
  public:
    /**
     * @param config complete
     * @param sender who sends, or reads
     * @param receiver the other side
     * @param ended called when all is complete
     */
    PerftestBandwidthTest(const PerftestConfig& config,
                          PerftestSide& sender,
                          PerftestSide& receiver,
                          std::function<void()> ended);

    /// Sends. @param bytes of each message
    void Start(uint64_t bytes);

    /// @return the row
    PerftestBandwidth GetResult() const;

  private:
    /// A pair's progress.
    struct Pair
    {
        uint64_t posted{0};
        uint64_t completed{0};
    };

    void Fill(uint32_t pair);
    void Completed(uint32_t pair);

    PerftestConfig m_config;
    PerftestSide& m_sender;
    PerftestSide& m_receiver;
    std::function<void()> m_ended;
    uint64_t m_bytes{0};
    std::vector<Pair> m_pairs;
    std::vector<int64_t> m_posted; ///< of all pairs, time steps
    std::vector<PerftestProgress> m_completed;
};

} // namespace ns3

#endif // PERFTEST_BANDWIDTH_H
