// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_COSTS_H
#define COLLECTIVE_COSTS_H

#include "collective-plan.h"
#include "collective-program.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a communication kernel costs on a GPU besides the links: the constants that a
 * platform is calibrated by.
 *
 * A collective begins LaunchLatency after its stream has come to it. A thread of the program (a
 * CUDA thread block) works on a step for its bytes over the thread rate of the protocol. A message
 * can be taken a step overhead after its last bit has come, and its slot is free again for the
 * sender SlotReturn after it has been worked on. What goes by the network is handed over to a proxy
 * on the host, which posts it ProxyPost after it has been written, one message of a connection
 * after the other; with ProxyWork it is busy with each message of all of a rank's connections.
 *
 * The defaults are modest: see doc/validation.rst for what real platforms need, and
 * collective-platforms for their values.
 */
class CollectiveCosts : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param protocol a protocol
     * @param kind of the program
     * @return from a stream's operation until its program's first step
     */
    Time GetLaunchLatency(CollectiveProtocol protocol, ProgramKind kind) const;

    /**
     * @param protocol a protocol
     * @param way of the message
     * @param network it comes by the network
     * @return from the arrival of a message until the thread that waits goes on, time steps
     */
    int64_t GetStepOverhead(CollectiveProtocol protocol, MessageWay way, bool network) const;

    /// Where a thread works on a step.
    struct Workplace
    {
        ProgramKind kind;            ///< of its program
        CollectiveProtocol protocol; ///< of the step
        bool network;                ///< the step receives from or sends to the network
        bool writesPeer;             ///< it sends by scale-up links
        uint32_t working;            ///< threads of the block that are at work, not waiting
        double share;    ///< of the block's warps that are the thread's, whoever waits, 0 to 1
        double slowdown; ///< by how much bytes take longer than on an SM of an idle GPU
    };

    /**
     * @param step what a thread does
     * @param place where
     * @return the time that a thread works on it, time steps: what each step takes (barriers,
     * fence, flags), and the bytes over the thread rate. What the switch reads from the GPU's
     * memory or writes there is no work for a thread.
     */
    int64_t GetWork(const ProgramStep& step, const Workplace& place) const;

    /// @return from the end of work on a message until its sender may use the slot, time steps
    int64_t GetSlotReturn() const
    {
        return m_slotReturn.GetTimeStep();
    }

    /// @return for how long a proxy is busy with a message, time steps
    int64_t GetProxyWork() const
    {
        return m_proxyWork.GetTimeStep();
    }

    /// @return from the end of work on a message until the proxy has posted it, time steps
    int64_t GetProxyPost() const
    {
        return m_proxyPost.GetTimeStep();
    }

    /**
     * @param bytes of a message on the wire
     * @param grouped it is one of several that are received by one request
     * @return whether an immediate announces it that goes after the data, and waits for them:
     * adaptive routing (NCCL_IB_ADAPTIVE_ROUTING, NCCL_IB_AR_THRESHOLD)
     */
    bool AnnouncesApart(uint64_t bytes, bool grouped) const
    {
        return m_adaptiveRouting && (grouped || bytes > m_adaptiveRoutingThreshold);
    }

    /// @return from the acknowledgement of such a message until its immediate goes, time steps
    int64_t GetAdaptiveRoutingWait() const
    {
        return m_adaptiveRoutingWait.GetTimeStep();
    }

  private:
    const DataRate& GetThreadRate(CollectiveProtocol protocol, bool network) const;
    int64_t GetSwitchWork(const ProgramStep& step, const Workplace& place) const;
    int64_t GetSimpleWork(const ProgramStep& step, const Workplace& place) const;
    static int CountMoreAccesses(const ProgramStep& step, bool direct);
    static double CountParts(const ProgramStep& step, const Workplace& place, bool whole);
    static int64_t GetWorkOf(uint64_t bytes, const DataRate& rate, double slowdown);

    Time m_launchLatency;
    Time m_ll128Launch;
    Time m_simpleLaunch;
    Time m_switchLaunch;
    Time m_switchNetworkLaunch;
    Time m_slotReturn;
    Time m_proxyPost;
    Time m_proxyWork;
    bool m_adaptiveRouting;
    uint64_t m_adaptiveRoutingThreshold;
    Time m_adaptiveRoutingWait;
    Time m_llStep;
    Time m_llNetworkStep;
    uint64_t m_llRound;
    DataRate m_llThreadRate;
    DataRate m_llNetworkRate;
    Time m_ll128Step;
    Time m_ll128NetworkStep;
    DataRate m_ll128ThreadRate;
    DataRate m_ll128NetworkRate;
    Time m_simpleStep;
    Time m_simpleNetworkStep;
    DataRate m_simpleThreadRate;
    DataRate m_simpleBlockRate;
    DataRate m_simpleNetworkRate;
    DataRate m_simpleNetworkBlockRate;
    double m_moreAccesses;
    bool m_directReceive;
    bool m_directSends;
    Time m_ll128StepWork;
    Time m_simpleStepWork;
    Time m_simpleNetworkStepWork;
    Time m_switchStepWork;
    Time m_switchNetworkStepWork;
    Time m_reductionStep;
    Time m_multicastStep;
    DataRate m_localThreadRate;
    DataRate m_switchThreadRate;
};

} // namespace ns3

#endif // COLLECTIVE_COSTS_H
