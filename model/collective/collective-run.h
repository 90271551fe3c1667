// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_RUN_H
#define COLLECTIVE_RUN_H

#include "collective-executor.h"
#include "program-thread.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief One collective while it runs: which rank is how far.
 */
class CollectiveRun
{
  public:
    /**
     * @param executor what runs it
     * @param sequence its number on the communicator
     * @param request what to do
     * @param algorithm what makes the program
     * @param plan how
     */
    CollectiveRun(CollectiveExecutor& executor,
                  uint64_t sequence,
                  const CollectiveRequest& request,
                  const CollectiveAlgorithm& algorithm,
                  const CollectivePlan& plan);

    /// @return what is known of it so far
    const CollectiveRecord& GetRecord() const
    {
        return m_record;
    }

    /// @return how it is carried out
    const CollectivePlan& GetPlan() const
    {
        return m_record.plan;
    }

    /// @return from a stream's operation until its program's first step
    Time GetLaunchLatency() const;

    /// @return what its program is
    ProgramKind GetKind() const
    {
        return m_program->GetKind();
    }

    /// @param rank a rank @param block of which a thread begins to work
    void WorkBegins(uint32_t rank, uint32_t block)
    {
        ++m_ranks[rank].working[block];
    }

    /// @param rank a rank @param block of which a thread has worked
    void WorkEnds(uint32_t rank, uint32_t block)
    {
        --m_ranks[rank].working[block];
    }

    /// @param rank a rank @param block a thread block @return threads of it that are at work
    uint32_t GetWorking(uint32_t rank, uint32_t block) const
    {
        return m_ranks[rank].working[block];
    }

    /// @param rank a rank @return by how much its SMs are slower than those of an idle GPU
    double GetSlowdown(uint32_t rank) const;

    /// @param rank a rank @param thread one of its threads @return the thread block it belongs to
    uint32_t GetBlock(uint32_t rank, uint32_t thread) const
    {
        return m_program->GetBlock(rank, thread);
    }

    /// @return the communicator
    Communicator& GetCommunicator() const
    {
        return *m_communicator;
    }

    /// @param end called when it has ended
    void SetEndCallback(CollectiveExecutor::EndCallback end)
    {
        m_end = std::move(end);
    }

    /// Makes all connections that its program uses, in the order of its steps.
    void Connect();

    /**
     * @param communicator that has done a collective
     * @param record of it
     * @return the rank that the others waited for, see CollectiveRecord::stragglerRank
     */
    static uint32_t FindStraggler(const Communicator& communicator, const CollectiveRecord& record);

    /// @param rank has been launched @param done called when it is done; may be empty
    void RankLaunched(uint32_t rank, CollectiveExecutor::RankDoneCallback done);

    /// A rank's stream has come to it. @param rank which @param done tells the stream to go on
    void RankStarts(uint32_t rank, GpuStream::Done done);

    /// The launch latency of a rank has passed. @param rank which
    void RankRuns(uint32_t rank);

    /// Ends it for all ranks. @param why the reason
    void Fail(const std::string& why);

    /// @return true: all ranks are done, or it failed
    bool HasEnded() const
    {
        return m_ended;
    }

    /// @param lines gets one for each rank that is not done
    void DescribeBlocked(std::vector<std::string>& lines) const;

    // ---- for its threads

    /// @param rank a rank @param thread index @return the thread; null if there is none
    ProgramThread* GetThread(uint32_t rank, uint32_t thread) const;
    /// @param rank whose message was posted
    void SendStarted(uint32_t rank);
    /// @param rank whose message has gone
    void SendCompleted(uint32_t rank);
    /// @param rank whose thread has executed its last step
    void ThreadEnded(uint32_t rank);

    /// Reports the end. Called by the executor.
    void ReportEnd()
    {
        if (m_end)
        {
            m_end(m_record);
        }
    }

  private:
    /// Where a rank stands.
    enum class Stage : uint8_t
    {
        ABSENT,   ///< not launched
        QUEUED,   ///< in its stream
        STARTING, ///< its launch latency runs
        RUNNING,  ///< its threads run
        DONE,
    };

    struct Rank
    {
        Stage stage{Stage::ABSENT};
        uint32_t threadsRunning{0};
        std::vector<uint32_t> working; ///< by thread block, threads that are not waiting
        uint64_t sendsPending{0};
        std::vector<std::unique_ptr<ProgramThread>> threads;
        Ptr<GpuEndpoint> gpu; ///< while its kernel runs
        GpuStream::Done streamDone;
        CollectiveExecutor::RankDoneCallback done;
    };

    void ShareWarps(uint32_t rank);
    void CheckDone(uint32_t rank);
    static uint32_t FindSlowestConnection(const Communicator& communicator,
                                          uint64_t sequence,
                                          uint32_t otherwise);
    static Time GetWaited(const Rank& rank);
    void Finish(Rank& rank);
    void End();
    std::string DescribeRank(uint32_t rank) const;

    CollectiveExecutor& m_executor;
    Communicator* m_communicator;
    CollectiveRecord m_record;
    std::shared_ptr<const CollectiveProgram> m_program;
    std::vector<Rank> m_ranks;
    uint32_t m_ranksLeft; ///< of this process
    bool m_started{false};
    bool m_ended{false};
    CollectiveExecutor::EndCallback m_end;
};

} // namespace ns3

#endif // COLLECTIVE_RUN_H
