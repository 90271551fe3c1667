// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "coarse-frame.h"
#include "fabric-rdma-port.h"
#include "message-record.h"
#include "queue-pair.h"
#include "rdma-host-interface.h"

#include "ns3/huge-page-arena.h"
#include "ns3/int-header.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <map>
#include <vector>

namespace ns3
{

/// What an RDMA NIC has counted since the start.
struct RdmaNicCounters
{
    uint64_t dataFramesSent{0};      ///< requests and READ responses with data
    uint64_t retransmittedFrames{0}; ///< of them, sent before
    uint64_t dataFramesReceived{0};
    uint64_t acksSent{0};
    uint64_t naksSent{0};
    uint64_t rnrNaksSent{0};
    uint64_t cnpsSent{0};
    uint64_t cnpsReceived{0};
    uint64_t timeouts{0};
    uint64_t unknownQpFrames{0};       ///< frames for a pair that does not exist or cannot receive
    uint64_t droppedDatagrams{0};      ///< UD: no room, or a wrong queue key
    uint64_t brokenMessages{0};        ///< UC: messages that did not arrive whole
    uint64_t trimmedFramesReceived{0}; ///< headers of data frames that a switch has trimmed
};

/**
 * @brief What an RdmaNic lets others watch, under the names of its TypeId; a source that nobody is
 * connected to costs a test.
 */
struct RdmaNicTraces
{
    /// Signature of MessageComplete. @param record the message
    typedef void (*MessageTracedCallback)(const MessageRecord& record);
    /// Signature of Post. @param qp the pair @param request what was posted
    typedef void (*PostTracedCallback)(const QueuePair& qp, const SendWorkRequest& request);
    /// Signature of the frame sources. @param qp the pair @param frame the frame
    typedef void (*FrameTracedCallback)(const QueuePair& qp, const FabricFrame& frame);
    /// Signature of Completion. @param qp the pair @param completion the entry
    typedef void (*CompletionTracedCallback)(const QueuePair& qp, const WorkCompletion& completion);
    /// Signature of State. @param qp the pair @param before old state @param after new state
    typedef void (*StateTracedCallback)(const QueuePair& qp, QpState before, QpState after);
    /// Signature of Rate and Window. @param qp the pair @param value bits a second, or bytes
    typedef void (*ValueTracedCallback)(const QueuePair& qp, double value);

    /// Signature of Drained. @param qp the pair
    typedef void (*PairTracedCallback)(const QueuePair& qp);
    /// Signature of Written. @param qp the pair @param bytes of the message
    typedef void (*WrittenTracedCallback)(const QueuePair& qp, uint64_t bytes);

    TracedCallback<const MessageRecord&> message;
    TracedCallback<const QueuePair&, const SendWorkRequest&> post;
    TracedCallback<const QueuePair&, const FabricFrame&> transmit;
    TracedCallback<const QueuePair&, const FabricFrame&> retransmit;
    TracedCallback<const QueuePair&, const FabricFrame&> receive;
    TracedCallback<const QueuePair&, const WorkCompletion&> completion;
    TracedCallback<const QueuePair&, QpState, QpState> state;
    TracedCallback<const QueuePair&> drained;
    TracedCallback<const QueuePair&, double> rate;
    TracedCallback<const QueuePair&, double> window;
    TracedCallback<const QueuePair&, uint64_t> written;
    TracedCallback<const QueuePair&, const FabricFrame&> telemetry;
};

/**
 * @ingroup ai-fabric
 * @brief An RDMA NIC: its ports, its queue pairs, its way to the host's memory, and DCQCN's
 * notification point.
 *
 * A NIC with several ports either joins different networks with them (planes), or bonds them: ports
 * with one address, over which new queue pairs are spread. A frame for a pair may come in by any
 * port.
 */
class RdmaNic : public Object, public RdmaNicTraces, public InHugePages
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    // ---- set-up

    /// @param port one more port
    void AddPort(Ptr<RdmaPort> port);

    /// @param device a fabric device: a FabricRdmaPort on it becomes one more port
    void SetDevice(Ptr<FabricNetDevice> device);

    /// @return the ports, in the order in which they were added
    const std::vector<Ptr<RdmaPort>>& GetPorts() const
    {
        return m_ports;
    }

    /// @return the device of the first port; null if that is not on a fabric
    Ptr<FabricNetDevice> GetDevice() const;

    /// @param port index of a port @param qp a new pair: gets its number here
    void Add(Ptr<QueuePair> qp, uint32_t port = 0);

    /// @return the port that the next pair of a bonded NIC goes to
    uint32_t NextBondedPort();

    /// @return all pairs, in order of creation
    const std::vector<Ptr<QueuePair>>& GetQueuePairs() const
    {
        return m_pairs;
    }

    /// @return a change of the rate moves the frame that waits
    bool RepacesWaitingFrames() const
    {
        return m_repaceWaitingFrames;
    }

    /// @return a pair that only waits for answers keeps its port from waking up for others
    bool WaitingPairStopsTimer() const
    {
        return m_waitingPairStopsTimer;
    }

    /// @param number a queue pair number @return the pair; null if there is none
    QueuePair* FindQueuePair(uint32_t number) const
    {
        uint32_t index = number - FIRST_QP_NUMBER;
        return index < m_pairs.size()    ? PeekPointer(m_pairs[index])
               : number == MANAGEMENT_QP ? PeekPointer(m_managementPair)
                                         : nullptr;
    }

    /// @return the general services queue pair (number 1), made when first asked for
    Ptr<QueuePair> GetManagementPair();

    /// @return the domain whose key 0 covers all memory
    Ptr<ProtectionDomain> GetOpenDomain();

    /// @return the same, without a count of references
    ProtectionDomain& OpenDomain()
    {
        return m_openDomain ? *m_openDomain : *GetOpenDomain();
    }

    /// @return a new domain, whose keys cover what is registered
    Ptr<ProtectionDomain> CreateProtectionDomain();

    /// @return what was counted
    const RdmaNicCounters& GetCounters() const
    {
        return m_counters;
    }

    /// @return the way to the host; null: it takes no time
    Ptr<RdmaHostInterface> GetHostInterface() const;

    // ---- for queue pairs and ports

    /// @return the counters, to count in
    RdmaNicCounters& Count()
    {
        return m_counters;
    }

    /// @return the way to the host; null: it takes no time
    RdmaHostInterface* Host() const
    {
        return PeekPointer(m_host);
    }

    /// Has the processor fetch what ReceiveFrame() will need. @param frame that is going to come
    void PrefetchReceive(const FabricFrame& frame) const
    {
        __builtin_prefetch(&m_counters, 1);
        __builtin_prefetch(static_cast<const RdmaNicTraces*>(this));
        if (const QueuePair* qp = FindQueuePair(frame.destQp))
        {
            qp->PrefetchReceive(frame);
        }
    }

    /// A RoCE frame has come by one of the ports. @param frame it
    void ReceiveFrame(FramePtr frame);

    /// Sends an ACK or NAK. @param port the way @param frame decoded fields; class and size are set
    /// here
    void SendControl(RdmaPort& port, FramePtr frame);

    /// Sends a CNP after the NP's processing delay. @param port the way @param frame it
    void SendCnp(RdmaPort& port, FramePtr frame);

    /// @param from earlier @param to later, time steps @return the time between them, as far as the
    /// NIC's time stamps tell
    int64_t Elapsed(int64_t from, int64_t to) const
    {
        return m_stampSteps <= 1 ? to - from
                                 : (to / m_stampSteps - from / m_stampSteps) * m_stampSteps;
    }

    /**
     * Congestion control that all pairs to one destination share.
     * @param destination address of the other side
     * @param trafficClass of the pairs
     * @return the limiter; a new one has no ops yet
     */
    std::shared_ptr<RdmaSharedPacer> SharePacer(const RdmaAddress& destination,
                                                uint8_t trafficClass);

    /// @return shortest time between two CNPs of a pair, time steps
    int64_t GetCnpIntervalSteps() const
    {
        return m_cnpIntervalSteps;
    }

    /// @param frame gets its size, by the standard or by DataOverhead
    void SetDataSize(FabricFrame& frame) const
    {
        if (m_dataOverhead == 0)
        {
            frame.ComputeSize();
        }
        else
        {
            frame.sizeBytes = frame.payloadBytes + m_dataOverhead +
                              (frame.switchHeader ? TelemetryBytes(*frame.switchHeader) : 0);
        }
    }

    /// @param frame of more payload than one frame of the wire, gets its size and segments
    /// @param mtu payload of a full frame of the wire @param gapBytes between two of them
    void SetCoarseSize(FabricFrame& frame, uint32_t mtu, uint32_t gapBytes) const
    {
        frame.segments = static_cast<uint8_t>((frame.payloadBytes + mtu - 1) / mtu);
        frame.sizeBytes = CoarseFrameBytes(frame, mtu, m_dataOverhead, gapBytes);
    }

    /// A UD pair hears a group. @param group its address @param qp the pair
    void JoinGroup(const RdmaAddress& group, QueuePair& qp);

    /// @return the trace sources, for queue pairs to fire
    RdmaNicTraces& Trace()
    {
        return *this;
    }

  protected:
    void DoDispose() override;

  private:
    /// Numbers 0 and 1 are the management queue pairs of a port (IBA vol. 1, 3.9).
    static constexpr uint32_t FIRST_QP_NUMBER = 2;
    static constexpr uint32_t MANAGEMENT_QP = 1; // wire::GENERAL_SERVICES_QP
    static constexpr uint32_t MULTICAST_QP = 0xffffff;

    void Dispatch(FramePtr frame);
    void DeliverToGroup(FabricFrame& frame);
    void SetCnpInterval(Time interval);
    Time GetCnpInterval() const;
    void SetTimestampResolution(Time resolution);
    Time GetTimestampResolution() const;

    std::vector<Ptr<QueuePair>> m_pairs;
    Ptr<RdmaHostInterface> m_host;
    uint8_t m_controlClass{6};
    bool m_controlInDataClass{false};
    bool m_repaceWaitingFrames{true};
    bool m_waitingPairStopsTimer{false};
    uint8_t m_controlDscp{48};
    uint32_t m_dataOverhead{0};
    uint32_t m_controlFrameBytes{0};
    uint32_t m_nextBonded{0};
    uint32_t m_domains{0}; ///< made so far
    int64_t m_cnpIntervalSteps{0};
    int64_t m_stampSteps{0};    ///< a tick of its time stamps
    int64_t m_receiveFreeAt{0}; ///< frames that waited for a context keep their order
    Time m_cnpDelay;
    RdmaNicCounters m_counters;
    std::vector<Ptr<RdmaPort>> m_ports;
    Ptr<QueuePair> m_managementPair;
    Ptr<ProtectionDomain> m_openDomain;
    std::map<RdmaAddress, std::vector<QueuePair*>> m_groups;
    std::map<std::pair<RdmaAddress, uint8_t>, std::weak_ptr<RdmaSharedPacer>> m_sharedPacers;
};

} // namespace ns3

#endif // RDMA_NIC_H
