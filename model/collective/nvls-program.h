// SPDX-License-Identifier: GPL-2.0-only
#ifndef NVLS_PROGRAM_H
#define NVLS_PROGRAM_H

#include "collective-plan.h"
#include "collective-program.h"
#include "collective-request.h"
#include "data-division.h"
#include "rank-layout.h"
#include "tree-order.h"

#include <string>
#include <vector>

namespace ns3
{

/// Channels of NVLS on Hopper in NCCL 2.26 (src/transport/nvls.cc).
constexpr uint32_t NVLS_DEFAULT_CHANNELS = 16;

/// Most heads of a group that an all-reduce has (NCCL_MAX_NVLS_ARITY, src/include/device.h at
/// v2.26.2-1).
constexpr uint32_t NVLS_MOST_HEADS = 32;

/// @param layout the ranks @return empty, or why there is no NVLS within its groups
std::string CheckNvlsGroups(const RankLayout& layout);

/**
 * @ingroup ai-fabric
 * @brief What NVLS and NVLS-tree have in common: groups whose switch adds up and copies.
 *
 * Each group has heads, one for each of its ranks (as many as the smallest group has; for an
 * all-reduce NVLS_MOST_HEADS at most), the same number in every group. A loop of a channel is a
 * chunk for each head. All ranks of a group send their chunks to its heads by reduction; a head
 * sends what it has by multicast. The roles of a channel are threads of a rank, as they are groups
 * of warps in NCCL (src/device/all_reduce.h, all_gather.h and reduce_scatter.h at v2.26.2-1,
 * without registered buffers), with as many warps. A loop's chunks are copied into the buffer that
 * the switch works on before the first one is sent to its head, and out of it when the last one has
 * come. A head without data in a loop has no message.
 */
class NvlsProgram : public CollectiveProgram
{
  public:
    /**
     * @param request all-reduce or barrier; with one group also all-gather or reduce-scatter
     * @param layout the ranks; groups of two at least, whose switches reduce
     * @param plan how
     */
    NvlsProgram(const CollectiveRequest& request,
                const RankLayout& layout,
                const CollectivePlan& plan);

    ProgramKind GetKind() const override;
    uint32_t GetChannels() const override;
    uint32_t GetThreads(uint32_t rank) const override;
    uint32_t GetWarps(uint32_t rank, uint32_t thread) const override;
    uint64_t GetScratchBytes(uint32_t rank) const override;
    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

    /// What a thread of a channel does.
    enum class Role : uint8_t
    {
        SCATTER, ///< sends own input to the heads, to be added up
        GATHER,  ///< receives results from the heads
        REDUCE,  ///< at a head: takes sums, passes them on
        SPREAD,  ///< at a head: takes a result (from the parent, or its input), passes it on
    };

    /// Where a chunk lies, in elements.
    struct Chunk
    {
        uint64_t input;
        uint64_t output;
        uint64_t count;
    };

    /// The head of a chunk in other groups.
    struct Neighbours
    {
        uint32_t parent; ///< RankTree::NONE if there is none
        std::vector<uint32_t> children;
    };

    static constexpr uint32_t NO_HEAD = UINT32_MAX;

    /// @param rank a rank @return its number as a head, or NO_HEAD
    uint32_t GetHead(uint32_t rank) const
    {
        return m_headOf[rank];
    }

    /// @return number of heads of each group
    uint32_t GetHeads() const
    {
        return m_heads;
    }

    /// @param rank a rank @param head a number @return the rank that is this head of its group
    uint32_t GetHeadRank(uint32_t rank, uint32_t head) const;

    /// @param channel which @return loops of it
    uint64_t GetLoops(uint32_t channel) const;

    /// @param channel which @param loop of it @param head number of a head @return its chunk
    Chunk Locate(uint32_t channel, uint64_t loop, uint32_t head) const;

    /// @param rank a head @param channel which @return its parent and children in the network
    Neighbours GetNeighbours(uint32_t rank, uint32_t channel) const;

    /// @param channel which @param up what for @return where a chunk may be kept, bytes
    uint64_t GetScratch(uint32_t channel, bool up) const;

    /**
     * @param channel which
     * @param head number of a head
     * @param scatter what for: sent to the head, or received from it
     * @return where the chunk is in the buffer that the switch works on, bytes
     */
    uint64_t GetBuffer(uint32_t channel, uint32_t head, bool scatter) const;

    /// @return the request
    const CollectiveRequest& GetRequest() const
    {
        return m_request;
    }

  private:
    uint32_t ChannelOf(uint32_t thread) const
    {
        return thread / static_cast<uint32_t>(m_roles.size());
    }

    Role RoleOf(uint32_t thread) const
    {
        return m_roles[thread % m_roles.size()];
    }

    bool IsByBlock() const;
    ChunkDivision Divide(uint32_t channel) const;

    CollectiveRequest m_request;
    CollectivePlan m_plan;
    std::vector<std::vector<uint32_t>> m_groups;
    std::vector<uint32_t> m_groupOf;
    std::vector<uint32_t> m_headOf;
    uint32_t m_heads;
    std::vector<RankTree> m_groupTrees; ///< of even and odd channels
    std::vector<Role> m_roles;
};

} // namespace ns3

#endif // NVLS_PROGRAM_H
