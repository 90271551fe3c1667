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
 * @brief Executes the steps of one thread of one rank, in order.
 *
 * A SEND is posted and the next step goes on; a RECEIVE waits for its message; REDUCE and COPY take
 * the time that the GPU's memory needs.
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

    /// Goes on with the current step.
    void Continue();

    /// @return true: all steps are done
    bool HasEnded() const
    {
        return m_ended;
    }

    /// @return what it waits for, as a sentence's end
    std::string DescribeWait() const;

    // CollectiveConnectionUser
    void SendCompleted() override;
    void MessageReady() override;

  private:
    bool Execute();
    bool DependencyIsMet();
    bool WaitUntil(int64_t when);
    void MemoryDone();
    void FinishStep();

    CollectiveRun& m_run;
    uint32_t m_rank;
    uint32_t m_index;
    bool m_hasStep{false};
    bool m_follows{false}; ///< waits for a step of another thread
    bool m_ended{false};
    uint64_t m_stepsDone{0};
    ProgramStep m_step;
    std::unique_ptr<StepSource> m_steps;
    std::vector<ProgramThread*> m_followers; ///< threads that wait for a step of this one
    Ptr<PersistentEvent<ProgramThread, &ProgramThread::MemoryDone>> m_memoryEvent;
};

} // namespace ns3

#endif // PROGRAM_THREAD_H
