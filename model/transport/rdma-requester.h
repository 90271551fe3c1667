// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

#include "message-record.h"
#include "rdma-host-interface.h"
#include "rdma-reliability.h"
#include "verbs.h"

#include "ns3/fabric-frame.h"
#include "ns3/persistent-event.h"
#include "ns3/rdma-congestion-ops.h"

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <memory>
#include <vector>

namespace ns3
{

class QueuePair;

/**
 * @brief The sending half of a queue pair: cuts messages into frames, keeps them until they are
 * acknowledged, and repeats what the reliability strategy says.
 *
 * Sequence numbers are 64 bits wide here; the wire has their low 24. The transport timer runs from
 * a frame that asks for an acknowledgement until there is progress (IBA vol. 1, 9.7.6.1.3). A READ
 * is one frame that takes as many sequence numbers as it has responses. Unreliable services count a
 * frame as acknowledged when it is on the wire.
 */
class RdmaRequester
{
  public:
    /// @param qp whose half it is
    explicit RdmaRequester(QueuePair& qp);
    ~RdmaRequester();

    /// Starts. @param initialPsn PSN of the first frame, 64 bits
    void Start(uint64_t initialPsn);

    /// Queues a message. @param request what to send; checked by the queue pair
    void Post(const SendWorkRequest& request);

    /// @return a frame could go now, as far as work and window are concerned
    bool HasFrame() const;

    /// @return when an RNR wait and the host's memory let the next frame go, time steps; HasFrame()
    /// must hold
    int64_t GetReadyTime() const
    {
        return std::max(m_work->rnrUntil, m_work->hostReady);
    }

    /// @param now time steps @return the next frame; HasFrame() must hold
    FramePtr NextFrame(int64_t now);

    /// An ACK, NAK or RNR NAK has come. @param frame it
    void ReceiveAck(const FabricFrame& frame);

    /// Data of a READ, or the result of an atomic, have come. @param frame it
    void ReceiveResponse(const FabricFrame& frame);

    /// Credit has come; the limiter knows it.
    void ReceiveCredit();

    /// The rate may have changed.
    void UpdateWindow();

    /// Ends all work. @param status of the oldest message; the others are flushed
    void Fail(WcStatus status);

    /// Gives a work request back that came too late. @param request it
    void Flush(SendWorkRequest request);

    /// @return a message has started and is not complete
    bool IsBusy() const
    {
        return HasWork() && m_psn.sent > m_work->wqes.front().firstPsn;
    }

    /// @return work requests that are not completed
    size_t GetOutstanding() const
    {
        return m_work ? m_work->wqes.size() : 0;
    }

    /// @return payload bytes sent and not acknowledged
    uint64_t GetInFlightBytes() const
    {
        return m_work ? m_work->sentBytes - m_work->ackedBytes : 0;
    }

    /// @return payload bytes acknowledged since the start
    uint64_t GetAckedBytes() const
    {
        return m_doneBytes + (m_work ? m_work->ackedBytes : 0);
    }

    /// @return sequence numbers of the present
    const RdmaSendWindow& GetWindow() const
    {
        return m_psn;
    }

    /// @return bytes of memory besides the object itself
    size_t GetQueueMemoryBytes() const
    {
        return m_work ? sizeof(Work) + m_work->wqes.capacity() * sizeof(Wqe) : 0;
    }

  private:
    /// A message that is not completed.
    struct Wqe
    {
        SendWorkRequest request;
        uint64_t firstPsn;
        uint64_t frames;     ///< sequence numbers that it takes
        uint64_t startBytes; ///< payload bytes that messages before it send
        uint64_t responses;  ///< READ, atomic: how many have come
        uint64_t atomicOriginal;
        uint32_t number;      ///< counted over the connection
        bool repeated;        ///< a frame of it has gone more than once
        int64_t responseSlot; ///< READ: longest time of a response on the wire
        int64_t postedAt;
        int64_t hostReady; ///< when the NIC knew it
        TimeShares sharesAtPost;
        TimeShares sharesAtLastFrame;    ///< when its last frame went out for the first time
        std::vector<bool> responsesCome; ///< READ with a selective strategy: which ones

        uint64_t EndPsn() const
        {
            return firstPsn + frames;
        }

        bool HasCome(uint64_t index) const
        {
            return index < responses || (!responsesCome.empty() && responsesCome[index]);
        }
    };

    /// What it keeps while work requests are outstanding. An idle pair has none: a pool keeps it,
    /// with its queue's memory, for the next pair that is busy.
    struct Work
    {
        boost::circular_buffer<Wqe> wqes;
        size_t cursor{0};        ///< the message that m_psn.send lies in
        uint64_t askedPsn{0};    ///< an acknowledgement of all before has been asked for
        uint64_t sentBytes{0};   ///< payload bytes before m_psn.send (selective: m_psn.sent)
        uint64_t ackedBytes{0};  ///< payload bytes before m_psn.acked
        uint64_t postedBytes{0}; ///< payload bytes posted
        int64_t rnrUntil{0};     ///< the receiver asked for silence until then
        int64_t hostReady{0};    ///< the next frame's payload is there
        int64_t timeoutAt{NEVER};
        uint32_t sinceAckRequest{0};
        uint32_t returning{0}; ///< READs and atomics that are posted and not complete
        uint32_t asking{0};    ///< of them, started
        uint8_t retries{0};
        uint8_t rnrRetries{0};
        bool windowBlocked{false};
        WcStatus refusal{WcStatus::SUCCESS}; ///< how the work request of `refused` ends
        uint64_t refused{0};                 ///< PSN that a NAK has refused for good; 0: none
        uint64_t gapAsked{0};                ///< READ responses before have been asked for again

        // where the time goes
        TimeShares shares{};     ///< all time up to gapStart
        int64_t gapStart{0};     ///< end of the last frame's slot
        int64_t pauseClock{0};   ///< the class's paused time when that frame was started
        int64_t windowOpened{0}; ///< when an ACK last opened a full window
    };

    /// What few pairs need, also while they are idle.
    struct Rare
    {
        RdmaHostQueue hostQueue;
        uint64_t toldBytes{0};    ///< demand for credit that the other side has been told
        uint64_t trimmedBytes{0}; ///< that the other side has asked for because they were trimmed
    };

    /// How a message ended.
    struct Ending
    {
        WcStatus status;
        bool answered;        ///< by an acknowledgement or a response
        FrameJourney journey; ///< of the frame that it answered, and of the answer
        int64_t acknowledged; ///< when
    };

    static std::vector<std::unique_ptr<Work>>& WorkPool();
    void TakeWork();
    void ReturnWork();
    void Rest();

    bool HasWork() const
    {
        return m_work && !m_work->wqes.empty();
    }

    bool FitsInFlight() const;
    bool IsHeld() const;
    uint32_t PayloadOf(const Wqe& wqe, uint64_t index) const;
    uint64_t BytesBefore(uint64_t psn) const;
    size_t FindWqe(uint64_t psn) const;
    void FillHeaders(FabricFrame& frame, const Wqe& wqe, uint64_t index);
    void FillPayload(FabricFrame& frame, const Wqe& wqe, uint64_t index) const;
    uint64_t SequenceNumbersOf(const Wqe& wqe, uint64_t index) const;
    void AskForAck(FabricFrame& frame, bool last, int64_t now);
    void Account(FabricFrame& frame, Wqe& wqe, bool last, int64_t now);
    void SettleGap(int64_t now, bool retransmission);
    void PrepareNext(int64_t now);
    void CompleteSent();
    bool WindowIsFull() const;
    bool NetworkIsFull() const;
    uint64_t AckLimit(uint64_t nextExpected) const;
    void Acknowledge(uint64_t nextExpected, const FabricFrame& ack);
    void CompleteOldest(WcStatus status, const FabricFrame* ack);
    void Report(const Wqe& wqe, const Ending& ending);
    TimeShares SharesOf(const Wqe& wqe, const Ending& ending) const;
    void TakeResponse(Wqe& wqe, uint64_t index, const FabricFrame& frame);
    uint64_t FindMissingResponse(uint64_t come);
    void StoreResponse(const Wqe& wqe, uint64_t index, const FabricFrame& frame) const;
    void ReceiveNak(const FabricFrame& frame, uint64_t psn);
    RdmaAckSignal SignalOf(const FabricFrame& answer, uint64_t ackedBytes) const;
    void TellTrimmed(const FabricFrame& answer);
    bool IsOutOfCredit() const;
    Rare& Uncommon();
    uint64_t GetDemandBytes();
    void TellDemand(FabricFrame& frame);
    void AskForCredit(bool again);
    void RepeatTrimmed(uint64_t psn);
    void RefuseLocally(uint64_t psn);
    void FailIfRefused();
    void Confirm(uint64_t nextExpected);
    void MoveTo(uint64_t psn);
    void Repeat();
    void AskAgain(uint64_t missing, uint64_t come);
    bool MayRetry(uint8_t& retries, uint8_t limit, WcStatus status);
    void ArmTimer(int64_t now);
    void TimerFired();

    QueuePair& m_qp;
    RdmaSendWindow m_psn;
    std::unique_ptr<Work> m_work;
    double m_rateBps{0};          ///< that m_windowBytes belongs to
    uint64_t m_ruleWindow{0};     ///< likewise: what congestion control said
    uint64_t m_windowBytes{0};    ///< in force at the present rate, payload bytes; 0: none
    uint64_t m_doneBytes{0};      ///< payload bytes of all messages before those in m_work
    std::unique_ptr<Rare> m_rare; ///< made when a host interface or credit first needs it
    uint32_t m_maxInFlight : 30;  ///< frames: fewer than half of the 24-bit PSNs
    uint32_t m_selective : 1;
    uint32_t m_reliable : 1;
    uint32_t m_posted{0}; ///< messages
    WakeUp<RdmaRequester, &RdmaRequester::TimerFired> m_timer;
};

} // namespace ns3

#endif // RDMA_REQUESTER_H
