// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONWEAVE_DESTINATION_H
#define CONWEAVE_DESTINATION_H

#include "conweave-parameters.h"

#include "ns3/persistent-event.h"

#include <list>
#include <unordered_map>
#include <vector>

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief ConWeave at the switch where a flow leaves: keeps its frames in order, and answers.
 *
 * A rerouted frame that arrives before the old path's last one (TAIL) waits in a reorder queue of
 * its egress port, in the switch's buffer, until the TAIL has passed; all of them then go in order,
 * and CLEAR tells the source. Where the TAIL does not come by the time it is expected, the queue is
 * opened all the same. The expectation: a frame of the old path took (its arrival - its departure),
 * the TAIL departed at a time that rerouted frames tell, so it should arrive at that frame's
 * arrival
 * + (the TAIL's departure - that frame's departure), and a margin.
 */
class ConWeaveDestination
{
  public:
    /// @param parameters of the switch @param counters of the switch
    ConWeaveDestination(const ConWeaveParameters& parameters, ConWeaveCounters& counters);

    /**
     * @param fabricSwitch the switch where it leaves
     * @param ingress port number by which it came
     * @param egress port number by which it leaves
     * @param frame DATA; moved away if it was taken
     * @return true: the frame has been taken
     */
    bool Receive(FabricSwitch& fabricSwitch, uint32_t ingress, uint32_t egress, FramePtr& frame);

  private:
    struct Flow;

    /// Frames of a flow that have overtaken others.
    struct ReorderQueue
    {
        FabricSwitch* fabricSwitch;
        uint32_t ingress; ///< by which the first one came
        uint32_t egress;
        Flow* flow;
        int64_t deadline{0}; ///< when it is opened at the latest, time steps
        FrameFifo frames;
    };

    using Queues = std::list<ReorderQueue>;

    struct Flow
    {
        int64_t oldTxTime{0}; ///< of the newest frame of the old path: departure
        int64_t oldRxTime{0}; ///< and arrival
        int64_t tailTime{0};  ///< departure of the TAIL
        uint8_t epoch{0};
        bool isNew{true};
        bool sawOldPath{false}; ///< the first two times are of this epoch
        bool tailSeen{false};   ///< or no longer waited for
        bool holds{false};      ///< it has a queue
        Queues::iterator queue;
    };

    bool BelongsToEpoch(Flow& flow, uint8_t epoch);
    bool OldPathFrame(Flow& flow, FabricSwitch& fabricSwitch, uint32_t ingress, FramePtr& frame);
    bool Hold(Flow& flow,
              FabricSwitch& fabricSwitch,
              uint32_t ingress,
              uint32_t egress,
              FramePtr& frame);
    int64_t Expected(const Flow& flow) const;
    void SetDeadline(ReorderQueue& queue, int64_t deadline);
    void Release(Flow& flow);
    void OpenOverdue();
    void Answer(FabricSwitch& fabricSwitch,
                uint32_t ingress,
                const FabricFrame& frame,
                ConWeaveFields::Type type);

    const ConWeaveParameters& m_parameters;
    ConWeaveCounters& m_counters;
    std::unordered_map<ConWeaveFlowKey, Flow, ConWeaveFlowKey::Hash> m_flows;
    Queues m_queues;                      ///< in use, the oldest first
    std::vector<uint32_t> m_queuesOfPort; ///< how many are in use, by egress
    WakeUp<ConWeaveDestination, &ConWeaveDestination::OpenOverdue> m_wakeUp;
};

} // namespace ns3

#endif // CONWEAVE_DESTINATION_H
