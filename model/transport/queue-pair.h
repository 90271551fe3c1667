// SPDX-License-Identifier: GPL-2.0-only
#ifndef QUEUE_PAIR_H
#define QUEUE_PAIR_H

#include "completion-queue.h"
#include "credit-pacer.h"
#include "protection-domain.h"
#include "rdma-pacer.h"
#include "rdma-reliability.h"
#include "rdma-requester.h"
#include "rdma-responder.h"
#include "shared-receive-queue.h"

#include "ns3/huge-page-arena.h"
#include "ns3/object.h"

#include <memory>
#include <string>

namespace ns3
{

class QueuePair;
class RdmaNic;
class RdmaPort;

/// Congestion control of several pairs that go to one destination: what the rate and the window
/// hold is the sum of them.
struct RdmaSharedPacer
{
    RdmaPacer pacer;
    std::vector<QueuePair*> users; ///< in the order in which they were connected
    uint64_t leftBytes{0};         ///< acknowledged of pairs that have left
};

/// The other side of a connection: what both sides tell each other before they connect.
struct QpRemote
{
    RdmaAddress address;
    Mac48Address mac; ///< of the other side's port; a route to a router comes before it
    uint32_t qpNumber{0};
    uint32_t initialPsn{0};
};

/// What QueuePair::Query answers.
struct QpAttributes
{
    QpType type;
    QpState state;
    uint32_t number;
    uint32_t mtu;
    uint32_t remoteNumber;   ///< connected services
    RdmaAddress remote;      ///< likewise
    uint32_t nextSendPsn;    ///< 24 bits
    uint32_t expectedPsn;    ///< 24 bits
    size_t sendsOutstanding; ///< work requests
    size_t receivesPosted;   ///< work requests of its own queue
};

/**
 * @ingroup ai-fabric
 * @brief A queue pair: RC, UC or UD.
 *
 * Made by RdmaStack::CreateQueuePair. Connect() brings two of them to RTS at once; Modify() is the
 * standard's way step by step, for programs and connection managers that exchange what the other
 * side must know. Messages posted to an RC pair arrive in order and exactly once, or the pair goes
 * to ERROR and every work request gets a completion that says so.
 */
class QueuePair : public Object, public InHugePages
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// How the UDP source port, a flow's entropy for ECMP, is chosen.
    enum SourcePortPolicy
    {
        PORT_BY_HASH,  ///< hash of both queue pair numbers, as Linux does
        PORT_FIXED,    ///< UdpSourcePort, the same for all pairs
        PORT_PER_PAIR, ///< counted up from UdpSourcePort by the pair's number
        PORT_LISTED,   ///< from UdpSourcePorts, in turn by the pair's number
    };

    /// Whom an instance of congestion control serves.
    enum CongestionScope
    {
        PER_PAIR,        ///< this pair alone
        PER_DESTINATION, ///< all pairs of the NIC with the same destination and traffic class
    };

    QueuePair();
    ~QueuePair() override;

    // ---- set-up

    /**
     * Reads a list of UDP source ports.
     * @param list ports with commas between them
     * @param error receives what is wrong
     * @return the ports
     */
    static std::vector<uint16_t> ParseSourcePorts(const std::string& list, std::string& error);

    /// Called by RdmaNic. @param nic where it lives @param port its port @param number 24 bits
    void Attach(RdmaNic* nic, RdmaPort* port, uint32_t number);

    /// @param queue where completions of sends and receives go
    void SetCompletionQueue(Ptr<CompletionQueue> queue);
    /// @param queue where completions of receives go instead
    void SetReceiveCompletionQueue(Ptr<CompletionQueue> queue);
    /// @param queue where it takes receives from, instead of its own queue
    void SetSharedReceiveQueue(Ptr<SharedReceiveQueue> queue);
    /// @param domain whose keys it may use; by default the NIC's open domain
    void SetProtectionDomain(Ptr<ProtectionDomain> domain);
    /// @param ops congestion control; a Fork() of it is used
    void SetCongestionControl(Ptr<RdmaCongestionOps> ops);
    /// @param reliability recovery from loss; a Fork() of it is used; by default go-back-N
    void SetReliability(Ptr<RdmaReliability> reliability);

    /**
     * Connects two RC or UC pairs with each other; both must be in RESET. (It takes no time: the
     * exchange on the wire is RdmaConnectionManager's.)
     * @param a one
     * @param b the other
     */
    static void Connect(Ptr<QueuePair> a, Ptr<QueuePair> b);

    /**
     * Changes the state (IBA vol. 1, 10.3.1): RESET, INIT, RTR, RTS, SQD and back to RTS; from any
     * to ERROR and to RESET.
     * @param state the new one
     * @param remote RTR of a connected service: the other side
     * @return MODIFIED, or why not
     */
    [[nodiscard]] ModifyResult Modify(QpState state, const QpRemote* remote = nullptr);

    /// @return what the other side must know of this one
    QpRemote GetLocal() const;

    /// @return state and progress
    QpAttributes Query() const;

    /**
     * UD: what a work request needs to reach a port, or a multicast group.
     * @param destination its address
     * @param mac its MAC address, if it is on the same link; not needed for a group
     * @return the address handle
     */
    RdmaAddressHandle CreateAddressHandle(const RdmaAddress& destination,
                                          Mac48Address mac = Mac48Address()) const;

    /// UD: also receives what is sent to a group. @param group IPv4 or IPv6 multicast address
    void AttachMulticast(const RdmaAddress& group);

    // ---- use

    /// @param request what to send @return POSTED, or why not
    [[nodiscard]] PostResult PostSend(const SendWorkRequest& request);

    /// @param request room for a SEND or a WRITE_WITH_IMM @return POSTED, or why not
    [[nodiscard]] PostResult PostReceive(const ReceiveWorkRequest& request);

    /**
     * Watches the memory that the other side writes: a program that polls there.
     * @param written called when a WRITE without immediate, which gives no completion, is placed;
     * with its length in bytes
     */
    void SetWrittenCallback(Callback<void, uint64_t> written);

    /// @param result of a call on this pair @return a message that names the pair and its state
    std::string Explain(PostResult result) const;
    /// @param result of a call on this pair @return a message that names the pair and its state
    std::string Explain(ModifyResult result) const;

    /// @return the transport service
    QpType GetType() const
    {
        return static_cast<QpType>(m_type);
    }

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

    /// @return the rate limiter
    const RdmaPacer& GetPacer() const
    {
        return *m_pacer;
    }

    /// @return bytes of memory of this pair, its queues and its strategies
    size_t GetMemoryBytes() const;

    /// Has the processor fetch what sending the next frame will need.
    void PrefetchSend() const
    {
        PrefetchLines(&m_nic, 2);
        PrefetchLines(&m_requester, 3);
        PrefetchLines(&m_ownPacer, 3);
    }

    /// Likewise for receiving one. @param frame that is going to come
    void PrefetchReceive(const FabricFrame& frame) const
    {
        if (GetOpcodeTraits(frame.opcode).ack)
        {
            PrefetchSend();
        }
        else
        {
            PrefetchLines(&m_nic, 2);
            PrefetchLines(&m_responder, 3);
        }
    }

    // ---- for the port's scheduler

    /// @return a frame could go now, as far as work and window are concerned
    bool HasFrame() const
    {
        return m_responder.HasResponse() || m_requester.HasFrame();
    }

    /// @return when the next frame may go, or is to be looked at again, time steps; HasFrame() must
    /// hold
    int64_t GetNextSendTime() const;
    /// @param now time steps @return a frame may go now
    bool MaySend(int64_t now);
    /// @param now time steps @return the next frame; HasFrame() and MaySend() must hold
    FramePtr NextFrame(int64_t now);

    // ---- for the two halves and the NIC

    /// A frame for this pair has come. @param frame it
    void ReceiveFrame(FabricFrame& frame);
    /// Goes to ERROR: all work is flushed. @param status of the oldest send
    void Fail(WcStatus status);
    /// All sends that had started are complete.
    void Drained();
    /// @param frame of this pair gets an empty telemetry header, for the hops to write in
    void AskForTelemetry(FabricFrame& frame) const;
    /// @param frame gets the addresses, class, UDP port and QP number of this connection
    void FillAddresses(FabricFrame& frame) const;
    /// @param frame gets the same for one destination @param path the way there
    void FillAddresses(FabricFrame& frame, const RdmaPath& path) const;
    /// Sends a CNP, unless one went a moment ago. @param frame that was marked
    void NotifyCongestion(const FabricFrame& frame);
    /// @param completion the entry; the QP number is filled in @param receive of a receive
    void Complete(WorkCompletion completion, bool receive);

    RdmaNic& GetNic() const
    {
        return *m_nic;
    }

    RdmaPort& GetPort() const
    {
        return *m_port;
    }

    RdmaPacer& Pacer()
    {
        return *m_pacer;
    }

    /// The rate or window may have changed.
    void CongestionChanged();

    /// It may be able to send, and so may those that share its congestion control.
    void Activate();

    /// @return payload bytes acknowledged since the start, of all pairs that share its congestion
    /// control
    uint64_t GetAckedBytes() const
    {
        return m_pacer == &m_ownPacer ? m_requester.GetAckedBytes() : GetSharedAcked();
    }

    /// @return payload bytes in flight that its window counts: of all pairs that share it
    uint64_t GetWindowedBytes() const
    {
        return m_pacer == &m_ownPacer ? m_requester.GetInFlightBytes() : GetSharedInFlight();
    }

    /// @return its congestion control is that of others, too
    bool SharesPacer() const
    {
        return m_pacer != &m_ownPacer;
    }

    /// @return what congestion control needs from the network and the other side
    const RdmaFeedback& GetFeedback() const
    {
        return m_feedback;
    }

    /// @return its own congestion control, which has the receiver's half
    RdmaCongestionOps& GetCongestionOps() const
    {
        return *m_ownPacer.GetOps();
    }

    /// @return what its sender has got, where this side gives credit
    CreditAccount& Credit();

    RdmaRequester& Requester()
    {
        return m_requester;
    }

    RdmaReliability& Reliability() const
    {
        return *m_reliability;
    }

    /// @return frames have the manufacturer's opcodes
    bool IsSelective() const
    {
        return m_selective;
    }

    /// @return it will be so when it is connected
    bool IsToBeSelective() const
    {
        return GetType() == QpType::RC && m_reliability && m_reliability->IsSelective();
    }

    ProtectionDomain& GetDomain() const;

    /// @param request a work request @return its pieces may be used as it needs, now
    bool MayUsePieces(const SendWorkRequest& request) const;

    /// @return who polls what the other side writes, or null
    const Callback<void, uint64_t>* GetWrittenCallback() const
    {
        return m_extras && !m_extras->written.IsNull() ? &m_extras->written : nullptr;
    }

    SharedReceiveQueue* GetSharedReceiveQueue() const
    {
        return m_extras ? PeekPointer(m_extras->sharedReceives) : nullptr;
    }

    uint32_t GetMtu() const
    {
        return m_mtu;
    }

    uint8_t GetTrafficClass() const
    {
        return m_trafficClass;
    }

    /// @return data frames ask the hops for telemetry
    bool CollectsTelemetry() const
    {
        return m_feedback.telemetry != TelemetryFormat::NONE;
    }

    uint32_t GetAckInterval() const
    {
        return m_ackInterval;
    }

    /// @return most frames of the wire that one simulated frame of a SEND or WRITE stands for
    uint32_t GetSegmentsPerFrame() const
    {
        return m_segmentsPerFrame;
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

    /// @return retries that it makes; UINT8_MAX: no end of them
    uint8_t GetRetryLimit() const
    {
        return m_retryForever ? UINT8_MAX : m_retryCount;
    }

    uint8_t GetRnrRetryCount() const
    {
        return m_rnrRetryCount;
    }

    uint8_t GetMinRnrTimer() const
    {
        return m_minRnrTimer;
    }

    /// @return READs and atomics that it may have outstanding
    uint8_t GetMaxReads() const
    {
        return m_maxReads;
    }

    /// @return READs and atomics of the other side that it serves at a time
    uint8_t GetMaxIncomingReads() const
    {
        return m_maxIncomingReads;
    }

    /// @return UD: datagrams with another queue key are dropped
    uint32_t GetQkey() const
    {
        return m_extras ? m_extras->qkey : DEFAULT_QKEY;
    }

    const RdmaPath& GetPath() const
    {
        return m_path;
    }

    /// @return IPv4 address of its port, or the low 32 bits of the IPv6 one, host byte order
    uint32_t GetLocalAddress() const
    {
        return m_path.source.key;
    }

    /// @return likewise of the other side
    uint32_t GetRemoteAddress() const
    {
        return m_path.destination.key;
    }

    uint32_t GetRemoteNumber() const
    {
        return m_remoteNumber;
    }

    /// @return the transport timer, time steps; 0: off
    int64_t GetTimeoutSteps() const;

  protected:
    void DoDispose() override;

  private:
    friend class RdmaPort;

    /// Where the port's scheduler has it.
    enum class Place : uint8_t
    {
        IDLE,  ///< nothing to send, or the window is full
        READY, ///< in its class's round
        PACED, ///< waits for its next send time
    };

    static constexpr uint32_t DEFAULT_QKEY = 0x11111111;

    /// What few pairs have.
    struct Extras
    {
        Ptr<CompletionQueue> receiveCompletions;
        Ptr<SharedReceiveQueue> sharedReceives;
        Ptr<ProtectionDomain> domain;
        uint32_t qkey{DEFAULT_QKEY};
        std::vector<uint16_t> sourcePorts;            ///< PORT_LISTED
        std::unique_ptr<CreditAccount> credit;        ///< made for the first frame that wants some
        std::shared_ptr<RdmaSharedPacer> sharedPacer; ///< PER_DESTINATION
        Callback<void, uint64_t> written;             ///< who polls what the other side writes
    };

    static void PrefetchLines(const void* first, size_t lines)
    {
        constexpr size_t LINE_BYTES = 64;
        for (size_t i = 0; i < lines; ++i)
        {
            __builtin_prefetch(static_cast<const char*>(first) + i * LINE_BYTES, 1);
        }
    }

    Extras& GetExtras();
    ModifyResult BecomeReadyToReceive(const QpRemote* remote);
    void BecomeReadyToSend();
    void Reset();
    void SetState(QpState state);
    uint16_t ChooseSourcePort(uint32_t remoteNumber) const;
    void FinishPath(RdmaPath& path, uint32_t remoteNumber) const;
    void SetQkey(uint32_t qkey);
    void SetBaseRtt(Time rtt);
    Time GetBaseRtt() const;
    RdmaSharedPacer* GetSharedPacer() const;
    void ForkCongestionControl();
    void LeaveSharedPacer();
    void ReceiveCredit(const FabricFrame& frame);
    RdmaRateState GetFacts() const;
    uint64_t GetSharedInFlight() const;
    uint64_t GetSharedAcked() const;
    PostResult CheckSend(const SendWorkRequest& request) const;
    PostResult CheckOperation(const SendWorkRequest& request) const;
    PostResult CheckPieces(const SendWorkRequest& request) const;
    void SetSourcePorts(std::string list);
    std::string GetSourcePorts() const;

    RdmaNic* m_nic{nullptr};
    RdmaPort* m_port{nullptr};
    QueuePair* m_nextReady{nullptr};
    Place m_place : 3; // the four share a byte: an idle pair is to be small
    QpState m_state : 3;
    bool m_responseTurn : 1;
    bool m_selective : 1;
    uint8_t m_trafficClass{3};
    uint8_t m_dscp{26};
    uint8_t m_timeout{14};
    uint8_t m_retryCount{7};
    bool m_retryForever{false};
    uint8_t m_rnrRetryCount{7};
    uint8_t m_minRnrTimer{1};
    uint8_t m_maxReads{16};
    uint8_t m_maxIncomingReads{16};
    uint8_t m_maxPieces{32};
    bool m_ecnCapable{true};
    bool m_ipv6{false};
    bool m_variableWindow{false};
    uint16_t m_udpSourcePort{0};
    uint8_t m_type{0}; ///< a QpType
    uint8_t m_portPolicy{PORT_BY_HASH};
    uint8_t m_telemetry{0}; ///< a TelemetryFormat
    uint8_t m_congestionScope{PER_PAIR};
    RdmaFeedback m_feedback;
    uint8_t m_segmentsPerFrame{1};
    uint16_t m_maxInline{0};
    int64_t m_pacedUntil{0};  ///< PACED: its entry in the port's heap
    uint64_t m_pacedOrder{0}; ///< likewise
    int64_t m_nextCnp{0};     ///< no CNP before, time steps
    uint32_t m_job{0};
    uint32_t m_number{0};
    uint32_t m_ackInterval{1};
    uint32_t m_mtu{4096};
    uint64_t m_windowBytes{0};
    uint32_t m_maxSendWr{0};
    uint32_t m_maxReceiveWr{0};
    uint32_t m_initialPsn{0};
    uint32_t m_remoteNumber{0};
    RdmaPath m_path;
    RdmaPacer* m_pacer{&m_ownPacer};
    RdmaPacer m_ownPacer;
    RdmaRequester m_requester;
    RdmaResponder m_responder;
    Ptr<CompletionQueue> m_completions;
    Ptr<RdmaCongestionOps> m_ops; ///< that is forked
    Ptr<RdmaReliability> m_reliability;
    std::unique_ptr<Extras> m_extras;
};

} // namespace ns3

#endif // QUEUE_PAIR_H
