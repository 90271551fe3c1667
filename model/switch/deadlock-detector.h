// SPDX-License-Identifier: GPL-2.0-only
#ifndef DEADLOCK_DETECTOR_H
#define DEADLOCK_DETECTOR_H

#include "buffer-dependencies.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Finds switches that have stopped each other for good, while the simulation runs.
 *
 * A queue (port, class) is stuck if the switch behind the port pauses it, and all frames of that
 * class that the other switch holds from this link stand in stuck queues themselves: none will
 * leave, so the pause will not end. Whoever else pauses a queue, such as a slow host, may open it
 * again; frames that wait for that are not stuck.
 *
 * Stuck queues wait for each other in circles. A circle counts as a deadlock when the frame at the
 * head of each of its queues is the same as at the look before.
 */
class DeadlockDetector : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    DeadlockDetector();
    ~DeadlockDetector() override;

    /// @param routing of the fabric to watch
    void SetRouting(Ptr<const FabricRouting> routing);

    /// Looks every Interval from now on, until nothing else is left to simulate or Stop().
    void Start();

    /// Looks no more.
    void Stop();

    /**
     * Looks now.
     * @return the deadlocks: circles of stuck queues that are as at the look before. One for each
     * set of queues that wait for each other, a shortest circle.
     */
    std::vector<BufferCycle> Look();

    /// @return the deadlocks that were found so far, each once
    const std::vector<BufferCycle>& GetDeadlocks() const
    {
        return m_deadlocks;
    }

    /// Signature of Deadlock. @param cycle the queues that wait for each other
    typedef void (*DeadlockTracedCallback)(const BufferCycle& cycle);

  protected:
    void DoDispose() override;

  private:
    /// A frame, so that it can be told from any other.
    struct FrameMark
    {
        const FabricFrame* frame;
        int64_t enqueueTime;

        bool operator==(const FrameMark& o) const
        {
            return frame == o.frame && enqueueTime == o.enqueueTime;
        }
    };

    /// Egress queues of one class that wait for each other.
    class ClassView;

    void LookAndGoOn(uint64_t start);

    Ptr<const FabricRouting> m_routing;
    Time m_interval;
    uint64_t m_start{0}; ///< which call of Start() or Stop() was the last
    std::array<std::vector<FrameMark>, N_TRAFFIC_CLASSES> m_heads; ///< by queue, at the last look
    std::vector<BufferCycle> m_deadlocks;
    std::set<std::pair<uint32_t, std::vector<uint32_t>>> m_known; ///< class, queues
    TracedCallback<const BufferCycle&> m_deadlockTrace;
};

} // namespace ns3

#endif // DEADLOCK_DETECTOR_H
