// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROGRAM_BUILDER_H
#define PROGRAM_BUILDER_H

#include "collective-algorithm.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// @param offset bytes @return a place in the rank's input
constexpr ProgramOperand
InputAt(uint64_t offset)
{
    return {ProgramBuffer::INPUT, offset};
}

/// @param offset bytes @return a place in the rank's output
constexpr ProgramOperand
OutputAt(uint64_t offset)
{
    return {ProgramBuffer::OUTPUT, offset};
}

/// @param offset bytes @return a place in the rank's scratch
constexpr ProgramOperand
ScratchAt(uint64_t offset)
{
    return {ProgramBuffer::SCRATCH, offset};
}

/**
 * @brief Writes the steps of one thread, one after the other.
 *
 * Each call adds a step, named by what it does in the order in which it does it. A thread is for as
 * long as its ProgramBuilder lives.
 */
class ThreadBuilder
{
  public:
    using Steps = std::vector<ProgramStep>;

    /// @param steps where they go
    explicit ThreadBuilder(Steps& steps)
        : m_steps(&steps)
    {
    }

    /// All messages from here on. @param channel that they use; 0 at first @return this
    ThreadBuilder& Channel(uint32_t channel);

    /**
     * The next step waits.
     * @param thread of the same rank
     * @param step number of its step that must be done, from 0
     * @return this
     */
    ThreadBuilder& After(uint32_t thread, uint64_t step);

    /// @param to a rank @param source what @param bytes of it @return this
    ThreadBuilder& Send(uint32_t to, const ProgramOperand& source, uint64_t bytes);

    /// @param from a rank @param destination whereto @param bytes of it @return this
    ThreadBuilder& Receive(uint32_t from, const ProgramOperand& destination, uint64_t bytes);

    /// @param source what @param destination whereto @param bytes of it @return this
    ThreadBuilder& Copy(const ProgramOperand& source,
                        const ProgramOperand& destination,
                        uint64_t bytes);

    /// @param source what @param destination that it is added to @param bytes of it @return this
    ThreadBuilder& Reduce(const ProgramOperand& source,
                          const ProgramOperand& destination,
                          uint64_t bytes);

    /// Passes on what comes. @param from a rank @param to a rank @param bytes of it @return this
    ThreadBuilder& ReceiveSend(uint32_t from, uint32_t to, uint64_t bytes);

    /// Likewise, and keeps it. @param from a rank @param destination whereto @param to a rank
    /// @param bytes of it @return this
    ThreadBuilder& ReceiveCopySend(uint32_t from,
                                   const ProgramOperand& destination,
                                   uint32_t to,
                                   uint64_t bytes);

    /// Adds the source to what comes. @param from a rank @param source what is added
    /// @param destination of the sum @param bytes of it @return this
    ThreadBuilder& ReceiveReduceCopy(uint32_t from,
                                     const ProgramOperand& source,
                                     const ProgramOperand& destination,
                                     uint64_t bytes);

    /// Adds the source to what comes. @param from a rank @param source what is added @param to whom
    /// the sum goes @param bytes of it @return this
    ThreadBuilder& ReceiveReduceSend(uint32_t from,
                                     const ProgramOperand& source,
                                     uint32_t to,
                                     uint64_t bytes);

    /// Both. @param from a rank @param source what is added @param destination of the sum
    /// @param to whom it goes @param bytes of it @return this
    ThreadBuilder& ReceiveReduceCopySend(uint32_t from,
                                         const ProgramOperand& source,
                                         const ProgramOperand& destination,
                                         uint32_t to,
                                         uint64_t bytes);

    /// Does nothing but what After() says. @return this
    ThreadBuilder& Wait();

    /// Any step; its dependency is After()'s if there is one. @param step the step @return this
    ThreadBuilder& Add(const ProgramStep& step);

    /// @return number of steps so far
    uint64_t GetSize() const
    {
        return m_steps->size();
    }

  private:
    ProgramMessage Peer(uint32_t rank) const;

    Steps* m_steps;
    uint32_t m_channel{0};
    ProgramStep::Dependency m_after;
};

/**
 * @ingroup ai-fabric
 * @brief A collective program written by hand.
 *
 *     ProgramBuilder program(2); // both ranks end with rank 0's 1000 bytes
 *     program.Thread(0, 0).Copy(InputAt(0), OutputAt(0), 1000).Send(1, InputAt(0), 1000);
 *     program.Thread(1, 0).Receive(0, OutputAt(0), 1000);
 *     auto built = program.Build();
 *
 * Nothing is checked here: CheckProgram() does.
 */
class ProgramBuilder
{
  public:
    /// @param ranks how many
    explicit ProgramBuilder(uint32_t ranks);

    /**
     * @param rank a rank
     * @param thread of it; those up to it come into being
     * @return it, to be written on
     */
    ThreadBuilder& Thread(uint32_t rank, uint32_t thread);

    /// @param rank a rank @param bytes of its scratch; 0 at first
    void SetScratch(uint32_t rank, uint64_t bytes);

    /// @return what has been written so far
    std::shared_ptr<const CollectiveProgram> Build() const;

  private:
    /// What a thread consists of; it does not move once it is there.
    struct ThreadText
    {
        ThreadText()
            : builder(steps)
        {
        }

        ThreadBuilder::Steps steps;
        ThreadBuilder builder;
    };

    std::vector<std::vector<std::unique_ptr<ThreadText>>> m_threads; ///< by rank
    std::vector<uint64_t> m_scratchBytes;
};

/**
 * @ingroup ai-fabric
 * @brief Serves one request by one program, whatever the plan says.
 */
class ProgramAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param name what reports call it
     * @param request what it serves
     * @param ranks by how many
     * @param program how
     */
    void Set(const std::string& name,
             const CollectiveRequest& request,
             uint32_t ranks,
             std::shared_ptr<const CollectiveProgram> program);

    std::string GetName() const override;
    std::string Check(const CollectiveRequest& request, const RankLayout& layout) const override;
    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                  const RankLayout& layout,
                                                  const CollectivePlan& plan) const override;

  private:
    std::string m_name{"program"};
    CollectiveRequest m_request;
    uint32_t m_ranks{0};
    std::shared_ptr<const CollectiveProgram> m_program;
};

} // namespace ns3

#endif // PROGRAM_BUILDER_H
