// SPDX-License-Identifier: GPL-2.0-only
#ifndef QUEUE_PAIR_H
#define QUEUE_PAIR_H

#include "completion-queue.h"
#include "rdma-requester.h"
#include "rdma-responder.h"

#include "ns3/ipv4-address.h"
#include "ns3/object.h"

namespace ns3
{

class RdmaNic;

/**
 * @ingroup ai-fabric
 * @brief A reliable connected (RC) queue pair.
 *
 * Made by RdmaStack::CreateQueuePair, connected to its peer by Connect(). Messages posted to it
 * arrive in order and exactly once, or the pair goes to ERROR and every work request gets a
 * completion that says so.
 */
class QueuePair : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    QueuePair();
    ~QueuePair() override;

    /// Called by RdmaNic. @param nic where it lives @param number 24 bits
    void Attach(RdmaNic* nic, uint32_t number);

    /// @param queue where completions of sends and receives go
    void SetCompletionQueue(Ptr<CompletionQueue> queue);

    /// @param ops congestion control; a Fork() of it is used
    void SetCongestionControl(Ptr<RdmaCongestionOps> ops);

    /**
     * Connects two pairs with each other; both must be in RESET. (The exchange of a connection
     * manager is not modelled: it takes no time.)
     * @param a one
     * @param b the other
     */
    static void Connect(Ptr<QueuePair> a, Ptr<QueuePair> b);

    /// @param request what to send @return POSTED, or why not
    [[nodiscard]] PostResult PostSend(const SendWorkRequest& request);

    /// @param request room for a SEND or a WRITE_WITH_IMM @return POSTED, or why not
    [[nodiscard]] PostResult PostReceive(const ReceiveWorkRequest& request);

    /// @return the state
    QpState GetState() const
    {
        return m_state;
    }

    /// @return the number, 24 bits, unique on its NIC
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /// @param job number that reports group its messages by
    void SetJob(uint32_t job)
    {
        m_job = job;
    }

    /// @return number that reports group its messages by
    uint32_t GetJob() const
    {
        return m_job;
    }

    /// @return the sending half
    const RdmaRequester& GetRequester() const
    {
        return m_requester;
    }

    /// @return the receiving half
    const RdmaResponder& GetResponder() const
    {
        return m_responder;
    }

    /// @return bytes of memory of this pair, its queues and its congestion control
    size_t GetMemoryBytes() const;

    // ---- for the two halves and the NIC

    /// A frame for this pair has come. @param frame it
    void ReceiveFrame(const FabricFrame& frame);
    /// Goes to ERROR. @param status of the oldest send
    void Fail(WcStatus status);
    /// @param frame gets the addresses, class, UDP port and QP number of this connection
    void FillAddresses(FabricFrame& frame) const;
    /// @param completion the entry; the QP number is filled in
    void Complete(WorkCompletion completion);

    RdmaNic& GetNic()
    {
        return *m_nic;
    }

    uint32_t GetMtu() const
    {
        return m_mtu;
    }

    uint8_t GetTrafficClass() const
    {
        return m_trafficClass;
    }

    uint32_t GetAckInterval() const
    {
        return m_ackInterval;
    }

    uint64_t GetWindowBytes() const
    {
        return m_windowBytes;
    }

    /// @return the window shrinks and grows with the rate
    bool HasVariableWindow() const
    {
        return m_variableWindow;
    }

    uint8_t GetRetryCount() const
    {
        return m_retryCount;
    }

    uint8_t GetRnrRetryCount() const
    {
        return m_rnrRetryCount;
    }

    uint8_t GetMinRnrTimer() const
    {
        return m_minRnrTimer;
    }

    uint32_t GetRemoteAddress() const
    {
        return m_remoteAddress;
    }

    uint32_t GetLocalAddress() const;

    uint32_t GetRemoteNumber() const
    {
        return m_remoteNumber;
    }

    uint16_t GetUdpSourcePort() const
    {
        return m_udpSourcePort;
    }

    /// @return the transport timer, time steps; 0: off
    int64_t GetTimeoutSteps() const;

  protected:
    void DoDispose() override;

  private:
    friend class RdmaNic;

    /// Where the NIC's scheduler has it.
    enum class Place : uint8_t
    {
        IDLE,  ///< nothing to send, or the window is full
        READY, ///< in its class's round
        PACED, ///< waits for its next send time
    };

    void ConnectTo(const QueuePair& peer);

    RdmaNic* m_nic{nullptr};
    QueuePair* m_nextReady{nullptr};
    Place m_place{Place::IDLE};
    int64_t m_pacedUntil{0};  ///< PACED: its entry in the NIC's heap
    uint64_t m_pacedOrder{0}; ///< likewise
    QpState m_state{QpState::RESET};
    uint8_t m_trafficClass{3};
    uint8_t m_dscp{26};
    uint8_t m_timeout{14};
    uint8_t m_retryCount{7};
    uint8_t m_rnrRetryCount{7};
    uint8_t m_minRnrTimer{1};
    bool m_ecnCapable{true};
    uint16_t m_udpSourcePort{0};
    uint32_t m_job{0};
    uint32_t m_number{0};
    uint32_t m_mtu{4096};
    uint32_t m_ackInterval{1};
    bool m_variableWindow{false};
    uint64_t m_windowBytes{0};
    uint32_t m_maxSendWr{0};
    uint32_t m_maxReceiveWr{0};
    uint32_t m_initialPsn{0};
    uint32_t m_remoteNumber{0};
    uint32_t m_remoteAddress{0};
    uint32_t m_flowHash{0};
    Mac48Address m_remoteMac;
    RdmaRequester m_requester;
    RdmaResponder m_responder;
    Ptr<CompletionQueue> m_completions;
    Ptr<RdmaCongestionOps> m_ops;
};

} // namespace ns3

#endif // QUEUE_PAIR_H
