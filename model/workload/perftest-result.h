// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERFTEST_RESULT_H
#define PERFTEST_RESULT_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// One row of a bandwidth test. MiB are 2^20 bytes.
struct PerftestBandwidth
{
    double peakMibPerSecond{0};    ///< best from any posting to any completion after it
    double averageMibPerSecond{0}; ///< from the first posting to the last completion
    double messagesPerMicrosecond{0};
};

/// One row of a latency test, microseconds.
struct PerftestLatency
{
    double minimum{0};
    double maximum{0};
    double typical{0}; ///< median
    double average{0};
    double deviation{0};
    double percentile99{0};
    double percentile999{0};
};

/// What a test of one size gave.
struct PerftestResult
{
    uint64_t bytes{0};      ///< of a message
    uint64_t iterations{0}; ///< messages of all pairs
    bool isLatency{false};
    PerftestBandwidth bandwidth;
    PerftestLatency latency;
    std::string error; ///< empty, or why it failed
};

/// Completions up to a time.
struct PerftestProgress
{
    uint64_t messages; ///< complete by then
    int64_t when;      ///< time steps
};

/**
 * @param bytes of a message
 * @param posted when each message was posted, time steps, in order
 * @param completed each completion, in order; the last one completes all
 * @return the row
 */
PerftestBandwidth MakePerftestBandwidth(uint64_t bytes,
                                        const std::vector<int64_t>& posted,
                                        const std::vector<PerftestProgress>& completed);

/**
 * Leaves the two longest intervals out of everything but the maximum, which is the shorter one of
 * these, as perftest does.
 * @param posted when each message was posted, time steps, in order; at least 5
 * @param factor what an interval between them is divided by: 2 for a ping-pong
 * @return the row
 */
PerftestLatency MakePerftestLatency(const std::vector<int64_t>& posted, uint32_t factor);

} // namespace ns3

#endif // PERFTEST_RESULT_H
