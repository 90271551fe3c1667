// SPDX-License-Identifier: GPL-2.0-only
#ifndef NSCC_CONGESTION_OPS_H
#define NSCC_CONGESTION_OPS_H

#include "rdma-congestion-ops.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief NSCC, network-signalled congestion control of Ultra Ethernet (specification 1.0, transport
 * layer, congestion management sublayer), with the constants of the consortium's simulator.
 *
 * A window, moved by each answer: by whether its frame was marked, and by its queueing delay
 * d = round trip - receiver's part - base round trip, against a target.
 *
 * | | d below the target | d at or above it |
 * | --- | --- | --- |
 * | not marked | proportional increase | fair increase |
 * | marked | fair decrease | multiplicative decrease |
 *
 * Proportional increase adds alpha (target - d) a round trip, and, where there has been no queue
 * for a window's worth of bytes, a share of what is acknowledged (fast increase). Fair increase
 * adds a constant. A mark without delay tells of one path among many: the specification leaves the
 * window as it is and changes the path (FairDecrease above 0 also shrinks the window, in proportion
 * to its size). Multiplicative decrease goes by the average delay, at most once a base round trip,
 * and by half at most.
 *
 * Quick adapt: once a base round trip and target delay it is looked whether something was lost or
 * trimmed, or the delay is excessive, while less than MaxWindow / 2^QuickAdaptGate was achieved. If
 * so, the window becomes what was achieved, and answers for what was in flight are ignored.
 * Otherwise each trimmed or lost frame takes its size off the window.
 *
 * Increases are summed, and are put into force after AdjustBytes or a base round trip; then Eta is
 * added, too. All constants scale with a = BDP / (100 Gb/s 12 us). Equations:
 * doc/congestion-credit.rst.
 */
class NsccCongestionOps : public RdmaCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override;
    void Trimmed(RdmaRateState& state, const RdmaAckSignal& signal) override;
    void NakReceived(RdmaRateState& state, int64_t now) override;
    void TimedOut(RdmaRateState& state, int64_t now) override;

    /// @return the window, payload bytes
    double GetWindow() const
    {
        return m_window;
    }

    /// @return the largest window, payload bytes
    double GetMaxWindow() const
    {
        return m_maxWindow;
    }

    /// @return average of the queueing delay, time steps
    double GetAverageDelay() const
    {
        return m_averageDelay;
    }

    /// @return target of the queueing delay, time steps
    double GetTargetDelay() const
    {
        return m_target;
    }

  private:
    double MeasureDelay(const RdmaAckSignal& signal);
    void AverageDelay(double delay, bool marked);
    void SetBaseRtt(double steps);
    bool QuickAdapt(int64_t now, bool marked, double delay, bool lost);
    void Increase(double bytes, double delay);
    bool FastIncrease(double bytes, double delay);
    void DecreaseFairly(double bytes);
    void DecreaseByDelay(int64_t now);
    void PutInForce(int64_t now);
    void LoseFrame(RdmaRateState& state, int64_t now);
    void Bound();
    void SetWindow(RdmaRateState& state);

    // parameters
    Time m_targetDelay;
    bool m_trimming{true};
    bool m_lowersBaseRtt{true};
    double m_maxWindowBdps{0};
    double m_alphaFrames{0};
    double m_fairFrames{0};
    double m_etaFrames{0};
    double m_fastShare{0};
    Time m_fastDelay;
    double m_gamma{0};
    double m_maxDecrease{0};
    double m_fairDecrease{0};
    double m_delayGain{0};
    uint32_t m_adjustFrames{0};
    bool m_quickAdapt{true};
    uint32_t m_quickAdaptGate{0};
    double m_quickAdaptDelays{0};

    // of the pair
    double m_bytesPerStep{0}; ///< payload at line rate
    double m_frame{0};        ///< payload of a full frame: the smallest window
    double m_networkRtt{0};   ///< base round trip as configured, time steps
    double m_baseRtt{0};      ///< the smallest measured since, time steps
    double m_bdp{0};          ///< payload bytes
    double m_maxWindow{0};    ///< payload bytes
    double m_target{0};       ///< time steps
    double m_alpha{0};        ///< bytes a step of delay below the target
    double m_fair{0};         ///< bytes a round trip
    double m_eta{0};          ///< bytes
    double m_fast{0};         ///< share of acknowledged bytes

    // variables
    double m_window{0};
    double m_averageDelay{0};
    double m_increments{0};    ///< bytes squared: over the window they are to be added
    double m_receivedBytes{0}; ///< since they were last put in force
    int64_t m_adjustedAt{0};
    double m_emptyBytes{0}; ///< acknowledged without queueing, in a row
    bool m_isFast{false};
    int64_t m_decreasedAt{0};
    bool m_hasDecreased{false};
    double m_achievedBytes{0}; ///< in the present look of quick adapt
    int64_t m_lookAt{0};       ///< its end; 0: none has begun
    bool m_lossSeen{false};
    double m_bytesToIgnore{0};
    double m_bytesIgnored{0};
    double m_inFlight{0}; ///< as the last answer said
};

} // namespace ns3

#endif // NSCC_CONGESTION_OPS_H
