// SPDX-License-Identifier: GPL-2.0-only
#ifndef PROGRAM_THREAD_H
#define PROGRAM_THREAD_H

#include "collective-connection.h"
#include "collective-program.h"

#include "ns3/persistent-event.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class CollectiveRun;

/**
 * @brief Executes the steps of one thread of one rank, in order: what a CUDA thread block of a
 * communication kernel does.
 *
 * A step waits for the step that it depends on, for its message, and for room for the message that
 * it sends. Then the thread works on it: for the bytes over the thread rate of the protocol
 * (CollectiveCosts), slower by as much as the GPU is crowded, and no faster than its memory. What
 * it sends goes out while it is written, but ends no sooner than the work. With the end of the work
 * the slot of the received message is free.
 */
class ProgramThread : public CollectiveConnectionUser
{
  public:
    /**
     * @param run what it is part of
     * @param rank whose thread
     * @param index of the thread in its rank
     * @param steps what to do
     */
    ProgramThread(CollectiveRun& run,
                  uint32_t rank,
                  uint32_t index,
                  std::unique_ptr<StepSource> steps);
    ~ProgramThread() override;

    /// Fetches the first step; a thread without one has ended.
    void Start();

    /// @param share of the warps of its block that it has, above 0 to 1
    void SetShare(double share)
    {
        m_share = share;
    }

    /// Goes on with the current step.
    void Continue();

    /// @return true: all steps are done
    bool HasEnded() const
    {
        return m_ended;
    }

    /// @return how long it has waited for messages and for room, time steps
    int64_t GetWaited() const
    {
        return m_waited;
    }

    /// @return what it waits for, as a sentence's end
    std::string DescribeWait() const;

    // CollectiveConnectionUser
    void SendCompleted() override;
    void MayGoOn() override;

  private:
    /// How far the current step is.
    enum class Stage : uint8_t
    {
        FETCH,    ///< there is no current step
        DEPENDS,  ///< waits for a step of another thread
        RECEIVES, ///< waits for its message
        SENDS,    ///< waits for room at the receiver
        WORKS,    ///< works
    };

    /// The connection of the last message, since most steps use the same ones.
    struct Way
    {
        ProgramMessage message;
        CollectiveConnection* connection{nullptr};
    };

    void Awake();
    bool Advance();
    bool Fetch();
    bool DependencyIsMet();
    bool MessageIsThere();
    bool RoomIsThere();
    bool Waits();
    void HasWaited(CollectiveConnection& connection, bool forRoom);
    bool BeginWork();
    bool FinishStep();
    bool WaitFor(int64_t steps, Stage stage);
    bool IsNetworkStep() const;
    MessageBatch BatchOf(const ProgramMessage& message) const;
    int64_t GetWork() const;
    CollectiveConnection& Connection(Way& way, const ProgramMessage& message, bool sends);

    CollectiveRun& m_run;
    uint32_t m_rank;
    uint32_t m_index;
    uint32_t m_block;  ///< thread block, whose SM it shares
    double m_share{1}; ///< of its block's warps
    Stage m_stage{Stage::FETCH};
    bool m_asleep{false}; ///< its event is on the way
    bool m_ended{false};
    uint64_t m_stepsDone{0};
    int64_t m_waitsSince{NEVER}; ///< for its message, or for room; time steps
    int64_t m_waited{0};
    ProgramStep m_step;
    Way m_in;
    Way m_out;
    std::unique_ptr<StepSource> m_steps;
    std::vector<ProgramThread*> m_followers; ///< threads that wait for a step of this one
    Ptr<PersistentEvent<ProgramThread, &ProgramThread::Awake>> m_event;
};

} // namespace ns3

#endif // PROGRAM_THREAD_H
