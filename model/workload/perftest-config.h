// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERFTEST_CONFIG_H
#define PERFTEST_CONFIG_H

#include "ns3/verbs.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What is measured, in the terms of linux-rdma/perftest; the defaults are perftest's.
 */
struct PerftestConfig
{
    std::string test{"write-bw"};        ///< see GetPerftestNames()
    std::string connection{"RC"};        ///< RC, UC or UD
    std::string atomic{"fetch-and-add"}; ///< or compare-and-swap
    std::vector<uint64_t> sizes;         ///< bytes; empty: 65536, for a latency 2, for atomics 8
    uint32_t iterations{0};              ///< messages of each pair; 0: 1000, for write-bw 5000
    uint32_t queuePairs{1};              ///< at most 16384; latency has one
    uint32_t txDepth{128};               ///< messages outstanding of each pair; latency: 1
    uint32_t rxDepth{512};               ///< receives posted of each pair, for SEND
    uint32_t cqModeration{0};            ///< each so many a completion; 0: 100, or 1 for one size
                                         ///< above 8 KiB that is not UD; at most txDepth
    std::optional<uint32_t> inlineBytes; ///< messages up to so long are inline; by default none,
                                         ///< for a latency 220 (WRITE), 236 (SEND), 188 (UD)
    uint32_t outstandingReads{16};       ///< READs and atomics under way of each pair, at most 255
    bool bidirectional{false};           ///< both sides send
};

/// @return all tests: write-bw, write-lat, send-bw, ...
std::vector<std::string> GetPerftestNames();

/// @return the connection types
std::vector<std::string> GetPerftestConnectionNames();

/// @return the atomic operations
std::vector<std::string> GetPerftestAtomicNames();

/// @param config a test @return it measures latency, not bandwidth
bool MeasuresLatency(const PerftestConfig& config);

/// @param config a test @return what its work requests do
RdmaOperation PerftestOperation(const PerftestConfig& config);

/// @param config a test @return the service of its queue pairs
QpType PerftestQpType(const PerftestConfig& config);

/// @param config as asked for @return with all defaults filled in
PerftestConfig CompletePerftest(PerftestConfig config);

/// What a test cannot be, and the key that is to blame.
struct PerftestObjection
{
    std::string key; ///< member of PerftestConfig; empty: there is none
    std::string found;
    std::string expected;
};

/// @param config complete @param mtu payload of a full frame @return what is wrong with it
PerftestObjection CheckPerftest(const PerftestConfig& config, uint32_t mtu);

} // namespace ns3

#endif // PERFTEST_CONFIG_H
