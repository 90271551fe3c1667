// SPDX-License-Identifier: GPL-2.0-only
#ifndef DCTCP_CONGESTION_OPS_H
#define DCTCP_CONGESTION_OPS_H

#include "flight-round.h"
#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief DCTCP (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3; RFC 8257) on
 * RDMA: a window, or a rate, that is cut in proportion to the share of marked bytes.
 *
 * Once a window of data, alpha = (1 - Gain) alpha + Gain F, where F is the share of its bytes that
 * were marked. A mark multiplies the window by 1 - alpha/2, once a window of data; in the window of
 * data after it nothing grows, nor does an acknowledgement that speaks of marks (RFC 3168, 6.1.2).
 * Else the window grows by a frame a round trip, unless it is paced at line rate and not in use.
 * Lost frames halve it, a timeout starts again with MinWindow and slow start (RFC 5681).
 *
 * Form Window is the paper's: the window holds payload bytes and is paced at window / BaseRtt. Form
 * Rate is the HPCC simulator's: the same with a rate, which grows by RateAi a round trip; its
 * window, if any, is QueuePair's.
 *
 * The congestion point is a threshold: StepEcnMarker, or RedEcnMarker with Kmin = Kmax.
 */
class DctcpCongestionOps : public RdmaCongestionOps
{
  public:
    /// What the algorithm sets.
    enum Form
    {
        WINDOW,
        RATE,
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override;
    void NakReceived(RdmaRateState& state, int64_t now) override;
    void TimedOut(RdmaRateState& state, int64_t now) override;

    /// @return the estimate of congestion, 0 to 1
    double GetAlpha() const
    {
        return m_alpha;
    }

    /// @return form Window: the window, frames
    double GetWindowFrames() const
    {
        return m_window;
    }

  private:
    void EndRound();
    void Cut(RdmaRateState& state, double factor);
    void Grow(RdmaRateState& state, const RdmaAckSignal& signal, bool roundEnds);
    void Apply(RdmaRateState& state);

    // parameters
    int m_form{WINDOW};
    double m_gain{0};
    double m_initialAlpha{1};
    DataRate m_rateAi;
    DataRate m_minRate;
    double m_minWindow{1};     ///< frames
    double m_initialWindow{0}; ///< frames; 0: the bandwidth-delay product

    // variables
    double m_alpha{1};
    double m_window{0};         ///< frames
    double m_slowStartUntil{0}; ///< frames: slow start is below
    int64_t m_baseRtt{0};
    FlightRound m_round;    ///< of alpha
    FlightRound m_cutRound; ///< after a cut
    bool m_counting{false}; ///< the first round has begun
    uint64_t m_ackedBytes{0};
    uint64_t m_markedBytes{0};
    uint64_t m_inFlightBytes{0}; ///< as of the last answer
};

} // namespace ns3

#endif // DCTCP_CONGESTION_OPS_H
