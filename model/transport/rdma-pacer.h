// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_PACER_H
#define RDMA_PACER_H

#include "ns3/rdma-congestion-ops.h"

namespace ns3
{

/**
 * @brief The rate limiter of a queue pair: spaces its data frames by the rate that congestion
 * control sets.
 *
 * Requests and READ responses of a pair go through the same limiter, as CNPs do not say which of
 * them they mean.
 */
class RdmaPacer
{
  public:
    /// @param ops congestion control of this pair @param facts what it is told
    /// @param repaces a change of the rate moves the frame that waits (RdmaNic's
    /// RepaceWaitingFrames) @param now time steps
    void Start(Ptr<RdmaCongestionOps> ops, const RdmaRateState& facts, bool repaces, int64_t now);

    /// Before Start(). @param ops congestion control of this pair
    void SetOps(Ptr<RdmaCongestionOps> ops)
    {
        m_ops = ops;
    }

    /// Before Start(). @param steps round trip of an empty network, time steps
    void SetBaseRtt(int64_t steps)
    {
        m_rate.baseRttSteps = steps;
    }

    /// Work has come to a pair that had none. @param now time steps
    void Resumed(int64_t now);

    /// A data frame goes out. @param wireBytes its size, preamble and gap included
    /// @param payloadBytes that count against a send limit @param now time steps
    void Sent(uint32_t wireBytes, uint32_t payloadBytes, int64_t now);

    /// @return the send limit lets a frame go
    bool IsBelowLimit() const
    {
        return m_rate.sentBytes < m_rate.sendLimitBytes;
    }

    /// @return payload bytes sent since the start, repetitions included
    uint64_t GetSentBytes() const
    {
        return m_rate.sentBytes;
    }

    /// From now on nobody gives credit, and nobody needs any.
    void LiftLimit()
    {
        m_rate.sendLimitBytes = UINT64_MAX;
    }

    /// @return when the next frame may go, or when to look again, time steps
    int64_t GetNextSendTime() const
    {
        return m_nextSendTime;
    }

    /// @param now time steps @return the rate lets a frame go now
    bool MaySend(int64_t now);

    /// An answer has come. @param signal what is known
    void Acked(const RdmaAckSignal& signal);
    /// An answer says that its frame was trimmed. @param signal what is known
    void Trimmed(const RdmaAckSignal& signal);
    /// A congestion notification arrived. @param now time steps
    void CnpReceived(int64_t now);
    /// The receiver asks for retransmission. @param now time steps
    void NakReceived(int64_t now);
    /// The transport timer ran out. @param now time steps
    void TimedOut(int64_t now);
    /// Credit has come. @param bytes payload bytes since the start @param now time steps
    void CreditReceived(uint64_t bytes, int64_t now);

    /// @return what congestion control has set
    const RdmaRateState& GetState() const
    {
        return m_rate;
    }

    /// @return congestion control
    const Ptr<RdmaCongestionOps>& GetOps() const
    {
        return m_ops;
    }

  private:
    /// @param hook lets congestion control hear of something @param now time steps
    template <typename Hook>
    void Tell(int64_t now, Hook hook)
    {
        CatchUp(now);
        double before = m_rate.rateBps;
        hook(*m_ops, m_rate);
        if (m_rate.rateBps != before)
        {
            Repace(now, before);
        }
    }

    void CatchUp(int64_t now);
    void Repace(int64_t now, double rateBefore);
    void SetPace(double rateBefore);
    void SetNextSendTime(int64_t now);

    Ptr<RdmaCongestionOps> m_ops;
    RdmaRateState m_rate;
    double m_stepsPerByte{0}; ///< time steps a byte at the present rate; 0: not paced
    double m_owedBytes{0};    ///< wire bytes that the pace still has to wait for, as of m_owedAt
    int64_t m_owedAt{0};
    int64_t m_nextSendTime{0};
    bool m_repaces{true};    ///< RdmaNic's RepaceWaitingFrames
    bool m_lookAgain{false}; ///< m_nextSendTime is when the rate grows, not yet a permission
};

} // namespace ns3

#endif // RDMA_PACER_H
