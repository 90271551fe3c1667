// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_REQUEST_H
#define COLLECTIVE_REQUEST_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What a collective does.
enum class CollectiveOperation : uint8_t
{
    ALL_REDUCE,     ///< every rank ends with the sum of all ranks' buffers
    ALL_GATHER,     ///< every rank ends with the blocks of all ranks
    REDUCE_SCATTER, ///< every rank ends with its block of the sum
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
 * @return 2 (n - 1) / n for all-reduce, (n - 1) / n for the others
 */
double BusBandwidthFactor(CollectiveOperation operation, uint32_t ranks);

/**
 * @brief What all ranks of a communicator ask for together.
 *
 * The size is nccl-tests': that of the whole buffer. Block r of n of an all-gather or
 * reduce-scatter is EvenPart(count, n, r).
 */
struct CollectiveRequest
{
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint64_t count{0};     ///< elements of the whole buffer; any number, 0 too
    uint32_t typeBytes{4}; ///< size of an element

    /// @return size of the whole buffer
    uint64_t GetBytes() const
    {
        return count * typeBytes;
    }

    bool operator==(const CollectiveRequest& o) const
    {
        return operation == o.operation && count == o.count && typeBytes == o.typeBytes;
    }
};

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
