// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "queue-pair.h"

#include "ns3/fabric-net-device.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <vector>

namespace ns3
{

/// What an RDMA NIC has counted since the start.
struct RdmaNicCounters
{
    uint64_t dataFramesSent{0};
    uint64_t retransmittedFrames{0}; ///< of them, sent before
    uint64_t dataFramesReceived{0};
    uint64_t acksSent{0};
    uint64_t naksSent{0};
    uint64_t rnrNaksSent{0};
    uint64_t cnpsSent{0};
    uint64_t cnpsReceived{0};
    uint64_t timeouts{0};
    uint64_t unknownQpFrames{0}; ///< frames for a queue pair that does not exist or has failed
};

/**
 * @ingroup ai-fabric
 * @brief An RDMA NIC on one port: its queue pairs, their scheduler, and DCQCN's notification point.
 *
 * The port pulls: when it is free it asks for a frame of an open class, and the NIC takes the next
 * queue pair of that class's round. A pair whose pacing rate holds it waits in a heap by its time;
 * a pair without work or with a full window is in neither. So what one pair waits for never delays
 * another.
 */
class RdmaNic : public Object, public FabricPortOwner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /// @param port the port that it owns from now on
    void SetDevice(Ptr<FabricNetDevice> port);

    /// @return the port
    Ptr<FabricNetDevice> GetDevice() const;

    /// @param qp a new pair: gets its number here
    void Add(Ptr<QueuePair> qp);

    /// @return all pairs, in order of creation
    const std::vector<Ptr<QueuePair>>& GetQueuePairs() const
    {
        return m_pairs;
    }

    /// @return what was counted
    const RdmaNicCounters& GetCounters() const
    {
        return m_counters;
    }

    // ---- for queue pairs

    /// @return the counters, to count in
    RdmaNicCounters& Count()
    {
        return m_counters;
    }

    /// @return the port
    FabricNetDevice& Port() const
    {
        return *m_port;
    }

    /// A pair may have something to send. @param qp the pair
    void Activate(QueuePair& qp);

    /// Sends an ACK, NAK or CNP. @param frame decoded fields; class, size and source are set here
    void SendControl(FramePtr frame);

    /// Sends a CNP after the NP's processing delay. @param frame it
    void SendCnp(FramePtr frame);

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
            frame.sizeBytes = frame.payloadBytes + m_dataOverhead;
        }
    }

    /// @param record a message of one of the pairs that has ended
    void NotifyMessage(const MessageRecord& record)
    {
        m_messageTrace(record);
    }

    // FabricPortOwner
    void ReceiveFrame(FabricNetDevice& port, FramePtr frame) override;
    uint8_t ReadyClasses(FabricNetDevice& port, int64_t now) override;
    FramePtr PullFrame(FabricNetDevice& port, uint32_t trafficClass, int64_t now) override;
    int64_t NextReadyTime(FabricNetDevice& port, int64_t now, uint8_t closed) override;

    /// Signature of MessageComplete. @param record the message
    typedef void (*MessageTracedCallback)(const MessageRecord& record);

  protected:
    void DoDispose() override;

  private:
    /// A class's round: pairs that may send, in turn.
    struct Round
    {
        QueuePair* head{nullptr};
        QueuePair* tail{nullptr};
    };

    /// A pair that waits for its pacing rate.
    struct Paced
    {
        int64_t when;
        uint64_t order; ///< breaks ties: first come, first served
        QueuePair* qp;

        bool operator<(const Paced& o) const // std::push_heap keeps the largest in front
        {
            return when != o.when ? when > o.when : order > o.order;
        }
    };

    void Place(QueuePair& qp, int64_t freeAt);
    void PutInRound(QueuePair& qp);
    void Promote(int64_t now);
    void SetCnpInterval(Time interval);
    Time GetCnpInterval() const;

    FabricNetDevice* m_port{nullptr};
    uint8_t m_ready{0}; ///< bit c: class c's round is not empty
    uint8_t m_controlClass{6};
    bool m_controlInDataClass{false};
    uint8_t m_controlDscp{48};
    uint32_t m_dataOverhead{0};
    uint32_t m_controlFrameBytes{0};
    int64_t m_cnpIntervalSteps{0};
    Time m_cnpDelay;
    std::array<Round, N_TRAFFIC_CLASSES> m_rounds;
    std::vector<Paced> m_paced; ///< heap
    uint64_t m_pacedOrder{0};
    std::vector<Ptr<QueuePair>> m_pairs;
    Ptr<FabricNetDevice> m_device;
    RdmaNicCounters m_counters;
    TracedCallback<const MessageRecord&> m_messageTrace;
};

} // namespace ns3

#endif // RDMA_NIC_H
