// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_PROGRAM_H
#define COLLECTIVE_PROGRAM_H

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @brief A step of a collective program.
 *
 * Each rank has one working buffer, as long as the request: it starts with the rank's contribution
 * (all-gather: its own block) and ends with the result (reduce-scatter: in its own block). A
 * message that has been received is consumed by the REDUCE or COPY after it.
 */
struct ProgramStep
{
    /// What it does.
    enum class Kind : uint8_t
    {
        SEND,    ///< sends buffer[offset, offset + bytes) to the peer; done once it is posted
        RECEIVE, ///< waits for the next message of the peer on the channel
        REDUCE,  ///< adds the received message to buffer[offset, offset + bytes)
        COPY,    ///< puts the received message there
    };

    /// A step of another thread that must be done first.
    struct Dependency
    {
        static constexpr uint32_t NONE = UINT32_MAX;
        uint32_t thread{NONE}; ///< thread of the same rank; NONE: no dependency
        uint64_t step{0};      ///< number of its step, from 0
    };

    Kind kind{Kind::SEND};
    uint32_t channel{0}; ///< SEND, RECEIVE: which of the connections with the peer
    uint32_t peer{0};    ///< SEND, RECEIVE: rank
    uint64_t offset{0};  ///< in the buffer, bytes
    uint64_t bytes{0};   ///< length of the chunk or slice
    Dependency after;    ///< besides the step before it in its own thread
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

/**
 * @ingroup ai-fabric
 * @brief What all ranks do in a collective: the intermediate form between algorithms and executor.
 *
 * A rank has one or more threads (in NCCL's terms thread blocks). The steps of a thread are
 * executed in order; threads run beside each other and wait for each other only where a step says
 * so. Messages between two ranks on a channel are matched in the order in which they are sent, so
 * each connection (channel, source, destination) is used by one thread at either end. Steps are
 * made when they are needed: a program takes no memory for them.
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
     * @return its steps; valid as long as the program
     */
    virtual std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const = 0;
};

} // namespace ns3

#endif // COLLECTIVE_PROGRAM_H
