// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERFTEST_LATENCY_H
#define PERFTEST_LATENCY_H

#include "perftest-result.h"
#include "perftest-side.h"

#include <array>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief A latency test: WRITE and SEND go to and fro, half of a round is the latency; READ and
 * atomics come back by themselves.
 *
 * A WRITE has come when who looks at the last byte of the memory sees it, a SEND when its
 * completion is seen. Each side also waits for the completion of what it sent before it sends
 * again.
 */
class PerftestLatencyTest
{
  public:
    /**
     * @param config complete
     * @param client who begins, and takes the time
     * @param server who answers
     * @param ended called when all is complete
     */
    PerftestLatencyTest(const PerftestConfig& config,
                        PerftestSide& client,
                        PerftestSide& server,
                        std::function<void()> ended);

    /// Begins. @param bytes of each message
    void Start(uint64_t bytes);

    /// @return the row
    PerftestLatency GetResult() const;

  private:
    /// A side's progress.
    struct Player
    {
        PerftestSide* side;
        uint64_t sent{0};
        uint64_t completed{0};
        uint64_t arrived{0};
    };

    void Go(uint32_t player);
    bool IsOver() const;

    PerftestConfig m_config;
    bool m_comesBack; ///< by itself
    std::array<Player, 2> m_players;
    std::function<void()> m_ended;
    std::vector<int64_t> m_posted; ///< by the client, time steps
};

} // namespace ns3

#endif // PERFTEST_LATENCY_H
