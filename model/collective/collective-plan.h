// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_PLAN_H
#define COLLECTIVE_PLAN_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief How data and the news that they are there travel together, as in NCCL.
 *
 * LL: every 8 bytes carry 4 bytes of data and a 4 byte flag. LL128: every 128 bytes carry 120 of
 * data and a flag of 8. Simple: whole slices, and a flag after a fence.
 */
enum class CollectiveProtocol : uint8_t
{
    LL,
    LL128,
    SIMPLE,
};

/// @param protocol a protocol @return its name: "LL", "LL128", "Simple"
const char* ToString(CollectiveProtocol protocol);

/// @return the names of all protocols
std::vector<std::string> GetCollectiveProtocolNames();

/**
 * @param name as ToString() gives it, in any case of letters
 * @param protocol receives the protocol
 * @return false if there is none of that name
 */
bool ParseCollectiveProtocol(const std::string& name, CollectiveProtocol& protocol);

/**
 * @param protocol a protocol
 * @param bytes of data
 * @return bytes that go to the peer: twice the data for LL, 128 for each 120 or part of it for
 * LL128, the data for Simple
 */
uint64_t GetProtocolBytes(CollectiveProtocol protocol, uint64_t bytes);

/// Steps of a connection's buffer (NCCL_STEPS): slots that a sender may be ahead.
constexpr uint32_t PROTOCOL_STEPS = 8;

/// @param protocol a protocol @return size of a connection's buffer in NCCL, bytes on the wire
uint64_t GetProtocolBufferBytes(CollectiveProtocol protocol);

/**
 * @brief How a request is carried out: what a tuner chooses, and an algorithm and the executor
 * obey.
 */
struct CollectivePlan
{
    std::string algorithm; ///< its name
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE};
    /// Between servers, where it is another one there.
    std::optional<CollectiveProtocol> networkProtocol;
    uint32_t channels{0}; ///< that the data are divided over; at least 1
    /// That sends and receives of all peers are dealt out over; 0: as the algorithm has it.
    uint32_t workChannels{0};
    uint64_t chunkBytes{0}; ///< most bytes of data of a chunk: what an algorithm moves at a time
    uint64_t sliceBytes{0}; ///< most bytes of data of a slice: what one message carries
    uint64_t networkSliceBytes{0}; ///< likewise between servers; 0: as within them
    bool emptySlices{false};       ///< slices of a chunk without data are sent, too, as NCCL does
    uint32_t window{0};    ///< messages that a connection's receiver has room for; at least 1
    double predictedUs{0}; ///< what the tuner expects; 0 if nobody predicted
    std::string why;       ///< why this one, for reports

    /// @param network of a message between servers @return the protocol it goes by
    CollectiveProtocol GetProtocol(bool network) const
    {
        return network ? networkProtocol.value_or(protocol) : protocol;
    }
};

} // namespace ns3

#endif // COLLECTIVE_PLAN_H
