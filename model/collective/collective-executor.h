// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_EXECUTOR_H
#define COLLECTIVE_EXECUTOR_H

#include "collective-algorithm.h"
#include "collective-record.h"
#include "communicator.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/persistent-event.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class CollectiveRun;

/**
 * @ingroup ai-fabric
 * @brief Runs the collectives of a communicator.
 *
 * A collective is an operation of one stream of each rank. When a rank's stream comes to it, the
 * rank waits CollectiveCosts::LaunchLatency and then executes its program's threads; it is done
 * when it has received everything and everything it sent has gone. The collective has ended when
 * every rank is done. The i-th collective of one rank is the i-th of all ranks, as with NCCL.
 *
 * When a connection fails, all collectives that have not ended end with the reason in their record,
 * and so does every later one: a failed communicator never hangs.
 *
 * In a simulation that is divided over processes each launches a collective at the same time, and
 * carries out the ranks whose GPUs' nodes are its own: what it hears of the others is what their
 * messages say. The collective ends in each process with its own ranks, and the record is of those.
 *
 * The executor must live until its collectives have ended or the simulation has.
 */
class CollectiveExecutor : public Object
{
  public:
    /// Called when a collective has ended.
    using EndCallback = std::function<void(const CollectiveRecord&)>;
    /// Called when one rank is done with a collective, or it failed.
    using RankDoneCallback = std::function<void()>;

    /// @return the TypeId
    static TypeId GetTypeId();

    CollectiveExecutor();
    ~CollectiveExecutor() override;

    /// @param communicator whose collectives it runs; the only executor of it
    void SetCommunicator(Ptr<Communicator> communicator);

    /// @return the communicator
    Ptr<Communicator> GetCommunicator() const;

    /**
     * Puts a collective into the streams of all ranks now.
     * @param request what to do; aborts where the algorithm's Check() objects, so ask that first
     * @param algorithm what makes the program
     * @param plan how; for example what a tuner chose
     * @param end called when it has ended; may be empty
     * @return its number on this communicator, from 0
     */
    uint64_t Launch(const CollectiveRequest& request,
                    Ptr<const CollectiveAlgorithm> algorithm,
                    const CollectivePlan& plan,
                    EndCallback end = EndCallback());

    /**
     * Likewise, by the plan of the algorithm's attributes.
     * @param request what to do
     * @param algorithm how
     * @param end called when it has ended; may be empty
     * @return its number on this communicator, from 0
     */
    uint64_t Launch(const CollectiveRequest& request,
                    Ptr<const CollectiveAlgorithm> algorithm,
                    EndCallback end = EndCallback());

    /**
     * Puts a rank's next collective into its stream: for ranks that come to it at different times.
     * A request or an algorithm unlike that of the ranks that came first breaks the communicator.
     * @param rank a rank
     * @param request what to do
     * @param algorithm what makes the program
     * @param plan how; that of the rank that came first counts
     * @param done called when this rank is done; may be empty
     * @return its number on this communicator, from 0
     */
    uint64_t LaunchRank(uint32_t rank,
                        const CollectiveRequest& request,
                        Ptr<const CollectiveAlgorithm> algorithm,
                        const CollectivePlan& plan,
                        RankDoneCallback done = RankDoneCallback());

    /**
     * Likewise, by the plan of the algorithm's attributes.
     * @param rank a rank
     * @param request what to do
     * @param algorithm how
     * @param done called when this rank is done; may be empty
     * @return its number on this communicator, from 0
     */
    uint64_t LaunchRank(uint32_t rank,
                        const CollectiveRequest& request,
                        Ptr<const CollectiveAlgorithm> algorithm,
                        RankDoneCallback done = RankDoneCallback());

    /// @param sequence number of a collective that has been launched and has not ended
    /// @return what is known of it
    const CollectiveRecord& GetRecord(uint64_t sequence) const;

    /// @param rank a rank @return this process simulates its GPU
    bool IsOwn(uint32_t rank) const;

    /// @return collectives that have been launched and have not ended
    size_t GetOutstanding() const
    {
        return m_outstanding;
    }

    /// @return one line for each rank that waits, and what for: the report of a stalled run
    std::vector<std::string> DescribeBlocked() const;

    // ---- for the runs

    /// A run has ended. @param run which
    void RunEnded(CollectiveRun& run);

    /// Signature of CollectiveComplete. @param record the collective
    typedef void (*CollectiveTracedCallback)(const CollectiveRecord& record);

  protected:
    void DoDispose() override;

  private:
    CollectiveRun& MakeRun(const CollectiveRequest& request,
                           Ptr<const CollectiveAlgorithm> algorithm,
                           const CollectivePlan& plan);
    CollectiveRun* FindRun(uint64_t sequence) const;
    void StartRank(uint64_t sequence, uint32_t rank, GpuStream::Done done);
    void RunRank(uint64_t sequence, uint32_t rank);
    void CommunicatorFailed();
    void Sweep();
    static std::string Describe(const CollectiveRequest& request, const std::string& algorithm);
    static void Call(RankDoneCallback done);

    Ptr<Communicator> m_communicator;
    bool m_connectsFirst{false};
    std::vector<uint64_t> m_nextSequence;              ///< by rank
    uint64_t m_firstSequence{0};                       ///< of m_runs.front()
    std::deque<std::unique_ptr<CollectiveRun>> m_runs; ///< by sequence; ended ones go when swept
    size_t m_outstanding{0};
    Ptr<PersistentEvent<CollectiveExecutor, &CollectiveExecutor::Sweep>> m_sweepEvent;
    TracedCallback<const CollectiveRecord&> m_collectiveTrace;
};

} // namespace ns3

#endif // COLLECTIVE_EXECUTOR_H
