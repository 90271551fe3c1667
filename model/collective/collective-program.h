// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_PROGRAM_H
#define COLLECTIVE_PROGRAM_H

#include <cstdint>
#include <memory>

namespace ns3
{

/// A memory of a rank that steps work on.
enum class ProgramBuffer : uint8_t
{
    NONE,
    INPUT,   ///< what the rank contributes
    OUTPUT,  ///< what it is to end with; begins undefined, or as the input where they are one
    SCRATCH, ///< the program's own
};

/// A place in a rank's memory; the length is the step's.
struct ProgramOperand
{
    ProgramBuffer buffer{ProgramBuffer::NONE};
    uint64_t offset{0}; ///< bytes

    /// @return true if there is one
    explicit operator bool() const
    {
        return buffer != ProgramBuffer::NONE;
    }
};

/// By which way a message travels.
enum class MessageWay : uint8_t
{
    NONE,
    PEER,      ///< from one rank to another
    REDUCTION, ///< from all ranks of a group to one of them; the group's switch adds them up
    MULTICAST, ///< from one rank to all ranks of its group, itself too; the switch copies
};

/// Messages of several ranks to one, on one channel, that travel as one request where they go by
/// one NIC: none leaves before all can, and none is there before all are.
struct MessageBatch
{
    uint32_t messages{1};   ///< how many; 1: none but this one
    uint64_t number{0};     ///< tells batches of one receiver and channel apart
    uint64_t collective{0}; ///< likewise, those of several collectives; the executor's
};

/**
 * @brief One end of a message.
 *
 * The group of a REDUCTION or MULTICAST is the rank's own in the RankLayout. The peer of a
 * reduction is the rank that gets the sum, at either end; that of a multicast is the rank that
 * sends, at either end.
 */
struct ProgramMessage
{
    MessageWay way{MessageWay::NONE};
    uint32_t peer{0};     ///< rank
    uint32_t channel{0};  ///< which of the connections of that way with that peer
    MessageBatch batch{}; ///< that it is one of

    /// @return true if there is one
    explicit operator bool() const
    {
        return way != MessageWay::NONE;
    }
};

/**
 * @brief A step of a collective program: what NCCL calls a primitive (recvReduceCopySend and parts
 * of it), and MSCCL's instruction set.
 *
 * The value is the received message plus the source, whichever of them there is. It goes to the
 * destination (replacing what is there, or added to it: then the value is that sum) and to the
 * peer, whichever of them there is. A step without any of the four waits for its dependency only.
 */
struct ProgramStep
{
    /// A step of another thread that must be done first.
    struct Dependency
    {
        static constexpr uint32_t NONE = UINT32_MAX;
        uint32_t thread{NONE}; ///< thread of the same rank; NONE: no dependency
        uint64_t step{0};      ///< number of its step, from 0
    };

    ProgramMessage receive;     ///< the message that comes in
    ProgramOperand source;      ///< what is read
    ProgramOperand destination; ///< what is written
    ProgramMessage send;        ///< the message that goes out
    bool accumulates{false};    ///< the destination is added to, not replaced
    uint64_t bytes{0};          ///< of data; of each of the four
    Dependency after;           ///< besides the step before it in its own thread
};

/// What a program is to the GPU that executes it.
enum class ProgramKind : uint8_t
{
    COLLECTIVE,         ///< all that is none of the following
    SEND_RECEIVE,       ///< sends and receives: from an input, into an output
    EXCHANGE,           ///< likewise, those that an all-to-all, gather or scatter is made of
    SWITCH,             ///< the scale-up switch adds up and copies, within one domain (NVLS)
    SWITCH_AND_NETWORK, ///< likewise, and messages go on to other domains (NVLS tree)
};

/// Gives the steps of one thread of one rank, one after the other.
class StepSource
{
  public:
    virtual ~StepSource() = default;

    /**
     * @param step receives the next step
     * @return false if there is none
     */
    virtual bool Next(ProgramStep& step) = 0;
};

/// Warps of a thread block in NCCL: 640 threads (NCCL_MAX_NTHREADS, src/include/device.h at
/// v2.26.2-1) in warps of 32.
constexpr uint32_t BLOCK_WARPS = 20;

/**
 * @ingroup ai-fabric
 * @brief What all ranks do in a collective: the intermediate form between algorithms and executor.
 *
 * A rank has one or more threads (in NCCL's terms warps of a thread block). The steps of a thread
 * are executed in order; threads run beside each other and wait for each other only where a step
 * says so. Messages of a connection (way, channel, source, destination) are matched in the order in
 * which they are sent, so each connection is used by one thread at either end; both ends give a
 * message the same length. A message of 0 bytes is a message too. A receiver has room for a plan's
 * window of messages, so a program must not need more to be on the way. Steps are made when they
 * are needed: a program takes no memory for them.
 */
class CollectiveProgram
{
  public:
    virtual ~CollectiveProgram() = default;

    /// @return channels that it uses, at most
    virtual uint32_t GetChannels() const = 0;

    /// @param rank a rank @return number of its threads
    virtual uint32_t GetThreads(uint32_t rank) const = 0;

    /**
     * @param rank a rank
     * @param thread one of its threads
     * @return the thread block, counted from 0, that the thread is a part of: those of a block
     * share an SM. By default those of a channel do, which follow each other.
     */
    virtual uint32_t GetBlock(uint32_t rank, uint32_t thread) const
    {
        uint32_t perChannel = (GetThreads(rank) + GetChannels() - 1) / GetChannels();
        return thread / perChannel;
    }

    /**
     * @param rank a rank
     * @param thread one of its threads
     * @return warps, of BLOCK_WARPS of its block, that are the thread's own; 0: the threads of the
     * block that have steps share its warps alike
     */
    virtual uint32_t GetWarps([[maybe_unused]] uint32_t rank,
                              [[maybe_unused]] uint32_t thread) const
    {
        return 0;
    }

    /// @param rank a rank @return bytes of its scratch buffer
    virtual uint64_t GetScratchBytes([[maybe_unused]] uint32_t rank) const
    {
        return 0;
    }

    /// @return what it is; one of the SWITCH kinds if it has messages by MessageWay::REDUCTION or
    /// MULTICAST
    virtual ProgramKind GetKind() const
    {
        return ProgramKind::COLLECTIVE;
    }

    /**
     * @param rank a rank
     * @param thread one of its threads
     * @return its steps; valid as long as the program
     */
    virtual std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const = 0;
};

} // namespace ns3

#endif // COLLECTIVE_PROGRAM_H
