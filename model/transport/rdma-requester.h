// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

#include "message-record.h"
#include "verbs.h"

#include "ns3/fabric-frame.h"
#include "ns3/persistent-event.h"
#include "ns3/rdma-congestion-ops.h"

#include <algorithm>
#include <boost/circular_buffer.hpp>

namespace ns3
{

class QueuePair;

/**
 * @brief The sending half of a queue pair: cuts messages into frames, keeps them until they are
 * acknowledged, and goes back when one was lost (go-back-N, IBA vol. 1, 9.7).
 *
 * Sequence numbers are 64 bits wide here; the wire has their low 24. The transport timer runs from
 * a frame that asks for an acknowledgement until there is progress (IBA vol. 1, 9.7.6.1.3).
 */
class RdmaRequester
{
  public:
    /// @param qp whose half it is
    explicit RdmaRequester(QueuePair& qp);

    /// Starts at @p initialPsn. @param ops congestion control of this pair @param initialPsn PSN
    void Connect(Ptr<RdmaCongestionOps> ops, uint64_t initialPsn);

    /// Queues a message. @param request what to send; checked by the queue pair
    void Post(const SendWorkRequest& request);

    /// @return a frame could go now, as far as work and window are concerned
    bool HasFrame() const;

    /// @return when the pacing rate (or an RNR wait) lets the next frame go, or is to be looked at
    /// again, time steps
    int64_t GetNextSendTime() const
    {
        return std::max(m_nextSendTime, m_rnrUntil);
    }

    /// @param now time steps @return pacing rate and RNR wait let a frame go now
    bool MaySend(int64_t now);

    /// @param now time steps @return the next frame; HasFrame() must hold
    FramePtr NextFrame(int64_t now);

    /// An ACK, NAK or RNR NAK has come. @param frame it
    void ReceiveAck(const FabricFrame& frame);

    /// A CNP has come.
    void ReceiveCnp();

    /// Ends all work. @param status of the oldest message; the others are flushed
    void Fail(WcStatus status);

    /// @return work requests that are not completed
    size_t GetOutstanding() const
    {
        return m_wqes.size();
    }

    /// @return payload bytes sent and not acknowledged
    uint64_t GetInFlightBytes() const
    {
        return m_sentBytes - m_ackedBytes;
    }

    /// @return what congestion control has set
    const RdmaRateState& GetRateState() const
    {
        return m_rate;
    }

    /// @return congestion control
    Ptr<RdmaCongestionOps> GetCongestionOps() const
    {
        return m_ops;
    }

    /// @return bytes of memory of the queue of work requests
    size_t GetQueueMemoryBytes() const
    {
        return m_wqes.capacity() * sizeof(Wqe);
    }

  private:
    /// A message that is not completed.
    struct Wqe
    {
        SendWorkRequest request;
        uint64_t firstPsn;
        uint64_t frames;
        uint64_t startBytes; ///< payload bytes of all messages before it
        int64_t postedAt;
        TimeShares sharesAtPost;
        TimeShares sharesAtLastFrame; ///< when its last frame went out for the first time
    };

    uint32_t PayloadOf(const Wqe& wqe, uint64_t index) const;
    uint64_t BytesBefore(uint64_t psn) const;
    void FillHeaders(FabricFrame& frame, const Wqe& wqe, uint64_t index);
    void Account(FabricFrame& frame, Wqe& wqe, uint64_t index, int64_t now);
    void Pace(const FabricFrame& frame, int64_t now);
    void SetNextSendTime(int64_t now);
    void Repace(int64_t now);
    void CatchUp(int64_t now);
    void SettleGap(int64_t now, bool retransmission);
    void UpdateWindow();
    bool WindowIsFull() const;
    void Acknowledge(uint64_t nextExpected, const FabricFrame& ack);
    void CompleteOldest(WcStatus status, const FabricFrame* ack);
    void GoBack(uint64_t psn);
    void RetryOrFail(uint8_t& retries, uint8_t limit, WcStatus status, uint64_t psn);
    void ArmTimer(int64_t now);
    void TimerFired();

    QueuePair& m_qp;
    RdmaRateState m_rate;
    double m_pacedRate{0};    ///< the rate that m_stepsPerByte belongs to
    uint64_t m_window{0};     ///< in force at that rate, payload bytes; 0: none
    double m_stepsPerByte{0}; ///< time steps a byte at that rate; 0: not paced
    double m_owedBytes{0};    ///< wire bytes that the pace still has to wait for, as of m_owedAt
    int64_t m_owedAt{0};
    bool m_lookAgain{false}; ///< m_nextSendTime is when the rate grows, not yet a permission
    int64_t m_rnrUntil{0};   ///< the receiver asked for silence until then
    boost::circular_buffer<Wqe> m_wqes;
    size_t m_cursor{0};        ///< the message that m_sendPsn lies in
    uint64_t m_ackedPsn{0};    ///< all before are acknowledged
    uint64_t m_sendPsn{0};     ///< next to go
    uint64_t m_sentPsn{0};     ///< all before have gone at least once
    uint64_t m_endPsn{0};      ///< all before have been posted
    uint64_t m_askedPsn{0};    ///< an acknowledgement of all before has been asked for
    uint64_t m_sentBytes{0};   ///< payload bytes before m_sendPsn
    uint64_t m_ackedBytes{0};  ///< payload bytes before m_ackedPsn
    uint64_t m_postedBytes{0}; ///< payload bytes posted
    uint32_t m_sinceAckRequest{0};
    uint8_t m_retries{0};
    uint8_t m_rnrRetries{0};
    bool m_windowBlocked{false};
    int64_t m_nextSendTime{0};
    int64_t m_timeoutAt{NEVER};
    WakeUp<RdmaRequester, &RdmaRequester::TimerFired> m_timer;

    // where the time goes
    TimeShares m_shares;       ///< all time up to m_gapStart while there was work
    int64_t m_gapStart{0};     ///< end of the last frame's slot
    int64_t m_pauseClock{0};   ///< the class's paused time when that frame was started
    int64_t m_windowOpened{0}; ///< when an ACK last opened a full window
    Ptr<RdmaCongestionOps> m_ops;
};

} // namespace ns3

#endif // RDMA_REQUESTER_H
