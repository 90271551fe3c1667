// SPDX-License-Identifier: GPL-2.0-only
#ifndef DELAY_GRADIENT_CONGESTION_OPS_H
#define DELAY_GRADIENT_CONGESTION_OPS_H

#include "flight-round.h"
#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What TIMELY and Patched TIMELY have in common: a rate that completion events change, by
 * the round trip and by how it changes (Mittal et al., "TIMELY: RTT-based Congestion Control for
 * the Datacenter", SIGCOMM 2015, algorithm 1).
 *
 * A completion event is the acknowledgement of a segment (or of a window of data). The difference d
 * of its round trip to the one before moves an average D = (1 - Alpha) D + Alpha d; the gradient is
 * D / MinRtt. Below TLow the rate grows by RateAi. Above THigh it is multiplied by
 * 1 - Beta (1 - THigh / RTT). What is done between them is the subclass's.
 *
 * The first event only sets the round trip that the second one is compared with.
 */
class DelayGradientCongestionOps : public RdmaCongestionOps
{
  public:
    /// What is a completion event.
    enum Completion
    {
        SEGMENT, ///< Segment bytes are acknowledged
        ROUND,   ///< a window of data is
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override;

    /// @return the average difference of round trips over MinRtt, as of the last event
    double GetGradient() const
    {
        return m_gradient;
    }

  protected:
    /// A completion event has come, and GetGradient() is new. @param rttSteps its round trip
    virtual void NoteEvent(int64_t rttSteps);

    /// A round trip between the thresholds has come. @param rateBps present @param rttSteps it
    /// @return the next rate, bits a second; limits are the caller's
    virtual double ChangeBetween(double rateBps, int64_t rttSteps) const = 0;

    /// @return step of additive increase, bits a second, when the round trip is below TLow
    virtual double GetStepBelow() const;

    /// @return weight of a multiplicative decrease
    virtual double GetBeta() const = 0;

    /// @return the least step of additive increase, bits a second
    double GetRateAi() const
    {
        return static_cast<double>(m_rateAi.GetBitRate());
    }

    /// @return TLow, time steps
    int64_t GetLowSteps() const
    {
        return m_low.GetTimeStep();
    }

    /// @return THigh, time steps
    int64_t GetHighSteps() const
    {
        return m_high.GetTimeStep();
    }

  private:
    bool IsCompletion(const RdmaAckSignal& signal);
    double NextRate(double rateBps, int64_t rttSteps) const;

    // parameters
    double m_alpha{0};
    Time m_minRtt;
    Time m_low;
    Time m_high;
    DataRate m_rateAi;
    DataRate m_minRate;
    double m_minDecreaseFactor{0};
    double m_initialShare{1};
    int m_completion{SEGMENT};
    uint64_t m_segmentBytes{0};

    // variables
    double m_minRttSteps{0};
    double m_averageDifference{0}; ///< of successive round trips, time steps
    double m_gradient{0};
    int64_t m_lastRtt{0}; ///< time steps; 0: none yet
    uint64_t m_ackedBytes{0};
    FlightRound m_round;
};

} // namespace ns3

#endif // DELAY_GRADIENT_CONGESTION_OPS_H
