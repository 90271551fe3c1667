// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROUND_PROGRAM_H
#define ROUND_PROGRAM_H

#include "collective-program.h"

#include <vector>

namespace ns3
{

/**
 * @brief What a rank does in a round on a channel: each part of it of any length.
 *
 * The outgoing parts are one thread's, the incoming ones another's. Parts of 0 bytes are left out.
 */
class RoundMoves
{
  public:
    /// @param rank whose moves @param channel on which
    RoundMoves(uint32_t rank, uint32_t channel)
        : m_rank(rank),
          m_channel(channel)
    {
    }

    /// Sends. @param to a rank @param source what @param bytes of it
    void Send(uint32_t to, const ProgramOperand& source, uint64_t bytes);

    /// Receives. @param from a rank @param destination whereto @param bytes of it
    void Receive(uint32_t from, const ProgramOperand& destination, uint64_t bytes);

    /**
     * Receives and adds.
     * @param from a rank
     * @param addend is added to what comes
     * @param destination gets the sum; may be the addend
     * @param bytes of each
     */
    void ReceiveReduce(uint32_t from,
                       const ProgramOperand& addend,
                       const ProgramOperand& destination,
                       uint64_t bytes);

    /// Copies before what is sent next. @param source what @param destination whereto @param bytes
    void CopyOut(const ProgramOperand& source, const ProgramOperand& destination, uint64_t bytes);

    /// Copies after what was received. @param source what @param destination whereto @param bytes
    void CopyIn(const ProgramOperand& source, const ProgramOperand& destination, uint64_t bytes);

    /// Forgets them all.
    void Clear()
    {
        m_out.clear();
        m_in.clear();
    }

    /// @param incoming which of the two @return its parts, as steps of any length
    const std::vector<ProgramStep>& Get(bool incoming) const
    {
        return incoming ? m_in : m_out;
    }

  private:
    ProgramStep& Add(std::vector<ProgramStep>& side, uint64_t bytes);

    uint32_t m_rank;
    uint32_t m_channel;
    std::vector<ProgramStep> m_out;
    std::vector<ProgramStep> m_in;
};

/**
 * @ingroup ai-fabric
 * @brief A program in rounds: in a round a rank sends and receives at the same time, and it begins
 * the next one when both are done.
 *
 * That is the form in which algorithms by pairs (recursive halving and doubling, Bruck, pairwise)
 * are published, and their closed-form times hold for it: each round costs a latency and its bytes.
 * A channel has two threads, one that sends and one that receives; the first step of a round of
 * either waits for the other's last step of the rounds before. So what a round sends may be what an
 * earlier one received, and what it receives may overwrite what an earlier one sent. Within a round
 * the two must not touch the same memory. Messages are slices: parts of a move that differ by one
 * element at most.
 */
class RoundProgram : public CollectiveProgram
{
  public:
    /**
     * @param channels threads of either kind
     * @param sliceBytes most bytes of a message
     * @param typeBytes of an element, which no message cuts
     */
    RoundProgram(uint32_t channels, uint64_t sliceBytes, uint32_t typeBytes);

    uint32_t GetChannels() const override
    {
        return m_channels;
    }

    uint32_t GetThreads(uint32_t) const override
    {
        return 2 * m_channels;
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

    /// @return number of rounds
    virtual uint64_t GetRounds() const = 0;

    /**
     * @param rank a rank
     * @param channel a channel
     * @param round a round
     * @param moves receives what the rank does in it
     */
    virtual void MakeMoves(uint32_t rank,
                           uint32_t channel,
                           uint64_t round,
                           RoundMoves& moves) const = 0;

    /// @return elements of a full slice
    uint64_t GetSliceCount() const
    {
        return m_sliceCount;
    }

    /// @return size of an element
    uint32_t GetTypeBytes() const
    {
        return m_typeBytes;
    }

  private:
    uint32_t m_channels;
    uint64_t m_sliceCount;
    uint32_t m_typeBytes;
};

/**
 * @param operand a place, or none
 * @param bytes how much further
 * @return the place there; none stays none
 */
constexpr ProgramOperand
Advance(const ProgramOperand& operand, uint64_t bytes)
{
    return operand.buffer == ProgramBuffer::NONE
               ? operand
               : ProgramOperand{operand.buffer, operand.offset + bytes};
}

} // namespace ns3

#endif // ROUND_PROGRAM_H
