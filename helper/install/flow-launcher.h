// SPDX-License-Identifier: GPL-2.0-only
#ifndef FLOW_LAUNCHER_H
#define FLOW_LAUNCHER_H

#include "fabric-run.h"
#include "rank-ports.h"

#include "ns3/completion-queue.h"
#include "ns3/flow-generator.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Lets generated flows happen: each is one WRITE on a queue pair of its own, posted when its
 * time comes.
 *
 * Queue pairs of flows that have ended are used again (reset, and connected anew), once they have
 * been idle for so long that nothing of the old flow is under way any more; so memory grows with
 * the flows at a time, not with all.
 */
class FlowLauncher
{
  public:
    /// What all flows have in common.
    struct Settings
    {
        uint32_t job{0};
        uint8_t trafficClass{3};
        Time start;   ///< of the generator's time
        Time baseRtt; ///< of all pairs; 0: of each by the topology
    };

    /// A flow that has ended.
    struct Ended
    {
        FlowRecord record;
        uint32_t source;      ///< address of its port
        uint32_t destination; ///< address of its port
        bool incast;
    };

    /**
     * @param run has the fabric, and hears of each flow as a piece of work
     * @param ports of the ranks, which are the generator's hosts
     * @param generator makes the flows
     * @param settings of all
     * @param newId gives each flow its number
     * @param ended hears of each end, and is to call FabricRun::WorkEnded()
     */
    FlowLauncher(FabricRun& run,
                 const RankPorts& ports,
                 const FlowGenerator& generator,
                 const Settings& settings,
                 std::function<uint64_t()> newId,
                 std::function<void(const Ended&)> ended);

    FlowLauncher(const FlowLauncher&) = delete;
    FlowLauncher& operator=(const FlowLauncher&) = delete;

    /// Schedules the first flow; each schedules the next one.
    void Start();

    /// @return queue pairs made so far
    size_t GetPairs() const
    {
        return m_pairs;
    }

  private:
    /// A queue pair whose flow has ended.
    struct IdlePair
    {
        Ptr<QueuePair> pair;
        int64_t since; ///< time steps
    };

    /// A flow under way.
    struct ActiveFlow
    {
        Ended end; ///< but for its end and status
        Ptr<QueuePair> sender;
        Ptr<QueuePair> receiver;
        RankPorts::Port from;
        RankPorts::Port to;
    };

    void ScheduleNext();
    void Launch();
    void Completed(const WorkCompletion& completion);
    Ptr<QueuePair> TakePair(const RankPorts::Port& port);
    void GiveBack(const RankPorts::Port& port, Ptr<QueuePair> pair);

    FabricRun& m_run;
    RankPorts m_ports;
    FlowGenerator m_generator;
    Settings m_settings;
    std::function<uint64_t()> m_newId;
    std::function<void(const Ended&)> m_ended;
    Ptr<CompletionQueue> m_completions;
    GeneratedFlow m_next{};
    std::map<std::pair<uint32_t, uint32_t>, std::deque<IdlePair>> m_idle; ///< by vertex, port
    std::unordered_map<uint64_t, ActiveFlow> m_active; ///< by number; never iterated over
    size_t m_pairs{0};
};

} // namespace ns3

#endif // FLOW_LAUNCHER_H
