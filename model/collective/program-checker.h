// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROGRAM_CHECKER_H
#define PROGRAM_CHECKER_H

#include "collective-program.h"
#include "collective-request.h"
#include "rank-layout.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What the ranks of a program have done, counted by CheckProgram().
struct ProgramTotals
{
    /// What one rank has sent by one way; a message to a group counts once.
    struct Sent
    {
        uint64_t messages{0};
        uint64_t bytes{0}; ///< of data
    };

    /// By rank, then by MessageWay.
    std::vector<std::array<Sent, 4>> sent;
    std::vector<uint64_t> steps; ///< by rank
    /// Messages of the longest chain in which each was sent after the one before had come in: what
    /// a latency counts as often in the time of a small operation.
    uint64_t hops{0};

    /// @param rank a rank @param way a way @return what it has sent by it
    const Sent& Get(uint32_t rank, MessageWay way) const
    {
        return sent[rank][static_cast<size_t>(way)];
    }
};

/**
 * @ingroup ai-fabric
 * @brief Executes a program on symbols in place of data, and tells what is wrong with it.
 *
 * Each byte of a memory is a formal sum of input bytes, (rank, offset) with how often it is in it;
 * equal neighbours are one interval, so big counts cost no more than small ones. At the end every
 * output must be what the table of CollectiveRequest says, each contribution exactly once. Found
 * too: a read of undefined memory, an access outside of a buffer, a write to an input that is not
 * in place, cut elements, a step that makes no sense, ends of a message that differ in length,
 * messages that are left over, a connection that two threads of a rank use, and deadlock. A step is
 * done when its dependency is done, its message is there and the receiver of what it sends has
 * room, all at once: the strictest reading, so what passes here runs with any executor that is less
 * strict. The threads are run in two opposite orders, to catch results that depend on it.
 *
 * @param program what to check
 * @param request what it is to do; CheckRequest() has no objection
 * @param layout by whom
 * @param window messages that a connection's receiver has room for, at least 1
 * @param totals if not null, receives what was sent
 * @return empty, or the first thing that is wrong, with rank, thread and step, or output element
 */
std::string CheckProgram(const CollectiveProgram& program,
                         const CollectiveRequest& request,
                         const RankLayout& layout,
                         uint32_t window,
                         ProgramTotals* totals = nullptr);

} // namespace ns3

#endif // PROGRAM_CHECKER_H
