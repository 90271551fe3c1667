// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_REQUEST_H
#define COLLECTIVE_REQUEST_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// What a collective does.
enum class CollectiveOperation : uint8_t
{
    ALL_REDUCE,     ///< every rank ends with the sum of all ranks' inputs
    ALL_GATHER,     ///< every rank ends with the blocks of all ranks
    REDUCE_SCATTER, ///< every rank ends with its block of the sum
    BROADCAST,      ///< every rank ends with the root's input
    REDUCE,         ///< the root ends with the sum of all ranks' inputs
    ALL_TO_ALL,     ///< rank d ends with block d of every rank's input
    ALL_TO_ALL_V,   ///< likewise, with the block sizes of a matrix
    GATHER,         ///< the root ends with the blocks of all ranks
    SCATTER,        ///< rank d ends with block d of the root's input
    SEND_RECEIVE,   ///< rank r ends with the input of rank r - 1, as nccl-tests' sendrecv
    POINT_TO_POINT, ///< a group of sends and receives, any number between any ranks
    BARRIER,        ///< nobody ends before all have begun: an all-reduce of one element
};

/// @param operation an operation @return its name, for example "all-reduce"
const char* ToString(CollectiveOperation operation);

/// @return the names of all operations
std::vector<std::string> GetCollectiveOperationNames();

/**
 * @param name as ToString() gives it
 * @param operation receives the operation
 * @return false if there is none of that name
 */
bool ParseCollectiveOperation(const std::string& name, CollectiveOperation& operation);

/**
 * @brief Bus bandwidth over algorithm bandwidth, as nccl-tests defines it (its PERFORMANCE.md):
 * what each rank must send, at least, over the size of the operation.
 * @param operation what was done
 * @param ranks by how many
 * @return 2 (n - 1) / n for all-reduce; (n - 1) / n for all-gather, reduce-scatter, the
 * all-to-alls, gather and scatter; 1 for the others
 */
double BusBandwidthFactor(CollectiveOperation operation, uint32_t ranks);

/// @param operation an operation @return true if it has a root
bool HasRoot(CollectiveOperation operation);

/// @param operation an operation @return true if it adds what ranks contribute
bool Reduces(CollectiveOperation operation);

/// One send and its receive.
struct PointToPoint
{
    uint32_t source;      ///< rank
    uint32_t destination; ///< rank; may be the source
    uint64_t count;       ///< elements

    bool operator==(const PointToPoint& o) const
    {
        return source == o.source && destination == o.destination && count == o.count;
    }
};

/**
 * @brief What all ranks of a communicator ask for together.
 *
 * The size is nccl-tests': that of the whole buffer. Each rank has an input and an output; with n
 * ranks and B(r) = EvenPart(count, n, r) they are:
 *
 * | operation | input of rank r | output of rank r |
 * | --- | --- | --- |
 * | all-reduce, barrier | count | count |
 * | all-gather | B(r) | count |
 * | reduce-scatter | count | B(r) |
 * | broadcast | count (root) | count |
 * | reduce | count | count (root) |
 * | all-to-all | count: B(d) for each d | n times B(r), by source |
 * | all-to-all-v | its row of the matrix | its column, by source |
 * | gather | B(r) | count (root) |
 * | scatter | count (root) | B(r) |
 * | send-receive | count | count |
 * | point-to-point | what it sends, in the list's order | what it receives, likewise |
 *
 * Locate input and output blocks with buffer-layout.h. In place, the two are one memory: the
 * smaller lies in the larger at the rank's block (all-gather, reduce-scatter, gather, scatter),
 * else at its start. The all-to-alls, send-receive and point-to-point are never in place.
 */
struct CollectiveRequest
{
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint64_t count{0};     ///< elements of the whole buffer; any number, 0 too
    uint32_t typeBytes{4}; ///< size of an element
    uint32_t root{0};      ///< of broadcast, reduce, gather, scatter
    bool inPlace{false};   ///< input and output are one memory
    /// Of all-to-all-v (at most one for each pair of ranks) and point-to-point; else null.
    std::shared_ptr<const std::vector<PointToPoint>> transfers;

    /// @return size of the whole buffer
    uint64_t GetBytes() const
    {
        return count * typeBytes;
    }

    /// @param o another one @return true if they ask for the same
    bool operator==(const CollectiveRequest& o) const
    {
        bool sameTransfers =
            transfers == o.transfers || (transfers && o.transfers && *transfers == *o.transfers);
        return operation == o.operation && count == o.count && typeBytes == o.typeBytes &&
               root == o.root && inPlace == o.inPlace && sameTransfers;
    }
};

/**
 * @param operation ALL_TO_ALL_V or POINT_TO_POINT
 * @param transfers what goes from whom to whom
 * @param ranks of the communicator
 * @param typeBytes size of an element
 * @return the request; its count is the largest input of a rank
 */
CollectiveRequest MakeTransfers(CollectiveOperation operation,
                                std::vector<PointToPoint> transfers,
                                uint32_t ranks,
                                uint32_t typeBytes);

/// @param typeBytes size of the element that goes round @return a barrier
CollectiveRequest MakeBarrier(uint32_t typeBytes = 4);

/**
 * @param request a request @param ranks of the communicator
 * @return empty, or why no algorithm could serve it: a root or a transfer of a rank that there is
 * not, a missing list of transfers, no element size, more than 2^64 bytes
 */
std::string CheckRequest(const CollectiveRequest& request, uint32_t ranks);

/// A part of a whole.
struct Part
{
    uint64_t offset;
    uint64_t count;
};

/**
 * @brief Cuts a whole into parts that differ by one at most; the first ones are the longer ones.
 * @param total what to cut
 * @param parts how many, at least 1
 * @param index which one
 * @return the part
 */
constexpr Part
EvenPart(uint64_t total, uint64_t parts, uint64_t index)
{
    uint64_t base = total / parts;
    uint64_t longer = total % parts;
    return {index * base + (index < longer ? index : longer), base + (index < longer ? 1 : 0)};
}

} // namespace ns3

#endif // COLLECTIVE_REQUEST_H
