// SPDX-License-Identifier: GPL-2.0-only
#ifndef TRANSFER_TABLE_H
#define TRANSFER_TABLE_H

#include "collective-request.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A request that moves blocks, seen as transfers from rank to rank.
 *
 * Any operation that does not add is one: all-to-all, gather, scatter, all-gather, broadcast,
 * send-receive, and lists of transfers. Blocks of the regular operations are computed; only a list
 * takes memory, in proportion to its length.
 */
class TransferTable
{
  public:
    /// What goes from one rank to another; all in elements.
    struct Transfer
    {
        uint64_t inputOffset;  ///< in the source's input
        uint64_t outputOffset; ///< in the destination's output
        uint64_t count;
    };

    /// @param request what is asked for; it does not add @param ranks how many
    TransferTable(const CollectiveRequest& request, uint32_t ranks);

    /**
     * @param source a rank
     * @param destination a rank
     * @return transfers from one to the other: 1, or as many as a list has
     */
    uint32_t Count(uint32_t source, uint32_t destination) const;

    /**
     * @param source a rank
     * @param destination a rank
     * @param index less than Count()
     * @return the transfer, in the order of the list; its count may be 0
     */
    Transfer Get(uint32_t source, uint32_t destination, uint32_t index) const;

    /// @return elements of the longest transfer
    uint64_t GetLongest() const
    {
        return m_longest;
    }

    /**
     * @param rank a rank
     * @param transfer from it to itself
     * @return true: in place, so that there is nothing to copy
     */
    bool IsInPlace(uint32_t rank, const Transfer& transfer) const;

    /// @param request an operation @return true if it is one that this class can hold
    static bool Holds(const CollectiveRequest& request);

  private:
    /// A transfer of a list.
    struct Listed
    {
        uint32_t source;
        uint32_t destination;
        Transfer transfer;
    };

    /// @return index of the pair's first transfer in the list
    size_t Find(uint32_t source, uint32_t destination) const;
    void ReadList();

    CollectiveRequest m_request;
    uint32_t m_ranks;
    uint64_t m_longest{0};
    std::vector<Listed> m_list; ///< by source, then destination, then as it was given
};

} // namespace ns3

#endif // TRANSFER_TABLE_H
