// SPDX-License-Identifier: GPL-2.0-only
#ifndef MSCCL_ALGORITHM_H
#define MSCCL_ALGORITHM_H

#include "collective-algorithm.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// What a step of an MSCCL program does.
enum class MscclStepType : uint8_t
{
    SEND,                     ///< s
    RECEIVE,                  ///< r
    COPY,                     ///< cpy
    REDUCE,                   ///< re
    RECEIVE_COPY_SEND,        ///< rcs
    RECEIVE_REDUCE_COPY,      ///< rrc
    RECEIVE_REDUCE_SEND,      ///< rrs
    RECEIVE_REDUCE_COPY_SEND, ///< rrcs
    NOP,                      ///< nop: waits for its dependency only
};

/// What a type of step has.
struct MscclStepFacts
{
    const char* name; ///< in the file
    bool receives;
    bool reads;  ///< its source
    bool writes; ///< its destination
    bool sends;
    bool accumulates; ///< adds to its destination
};

/// @param type a type @return what it has
const MscclStepFacts& GetMscclStepFacts(MscclStepType type);

/// A step, with chunks as unit of place and length.
struct MscclStep
{
    MscclStepType type{MscclStepType::NOP};
    ProgramBuffer sourceBuffer{ProgramBuffer::NONE};
    uint64_t sourceChunk{0};
    ProgramBuffer destinationBuffer{ProgramBuffer::NONE};
    uint64_t destinationChunk{0};
    uint64_t chunks{0};            ///< neighbours that it works on
    ProgramStep::Dependency after; ///< step of a thread block of the same GPU
};

/// A thread block: the peers of its messages, and its steps.
struct MscclThreadBlock
{
    static constexpr uint32_t NO_PEER = UINT32_MAX;
    uint32_t sendPeer{NO_PEER};
    uint32_t receivePeer{NO_PEER};
    uint32_t channel{0};
    std::vector<MscclStep> steps;
};

/// A GPU: its scratch and thread blocks.
struct MscclGpu
{
    uint64_t scratchChunks{0};
    std::vector<MscclThreadBlock> threadBlocks; ///< by id
};

/// An MSCCL program: an operation written for buffers of so many chunks, of any size.
struct MscclProgram
{
    std::string name;
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE};
    uint32_t channels{1};
    uint64_t chunksPerLoop{1}; ///< that the whole buffer is divided into
    bool inPlace{false};       ///< serves requests in place
    bool outOfPlace{true};     ///< and others
    uint64_t minBytes{0};
    uint64_t maxBytes{UINT64_MAX};
    std::vector<MscclGpu> gpus; ///< by rank
};

/**
 * @ingroup ai-fabric
 * @brief Runs an MSCCL program for requests of any size, as MSCCL's interpreter does.
 *
 * The whole buffer is divided into the program's chunks. Where a chunk has more than the plan's
 * chunk size, all steps are done over and over, each time for the next piece of that size of every
 * chunk; where it has less, a step over several neighbours takes as many of them together as fit in
 * it. What is moved at a time goes in slices, each a message. Waiting for a step of another thread
 * block means that of the same iteration.
 *
 * The plan's sizes are those of MSCCL (msccl.h: 4 steps of NCCL's buffer a chunk, 2 a slice; one
 * step with LL and LL128). A count that the program's chunks do not divide is refused, as are sizes
 * outside of minBytes to maxBytes: MSCCL itself would leave those to NCCL.
 */
class MscclAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param program what to run
    void SetProgram(std::shared_ptr<const MscclProgram> program);

    /// @return what it runs
    const MscclProgram& GetProgram() const
    {
        return *m_program;
    }

    /**
     * @param bytes of the whole buffer
     * @param typeBytes of an element
     * @return the next size from there on that the program's chunks divide
     */
    uint64_t RoundUp(uint64_t bytes, uint32_t typeBytes) const;

    std::string GetName() const override;
    std::string Check(const CollectiveRequest& request, const RankLayout& layout) const override;
    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                  const RankLayout& layout,
                                                  const CollectivePlan& plan) const override;

  private:
    std::shared_ptr<const MscclProgram> m_program;
};

} // namespace ns3

#endif // MSCCL_ALGORITHM_H
