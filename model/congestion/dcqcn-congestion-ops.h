// SPDX-License-Identifier: GPL-2.0-only
#ifndef DCQCN_CONGESTION_OPS_H
#define DCQCN_CONGESTION_OPS_H

#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief DCQCN's reaction point (Zhu et al., "Congestion Control for Large-Scale RDMA
 * Deployments", SIGCOMM 2015, section 3.1).
 *
 * On a CNP: target = rate, rate = rate (1 - alpha/2), alpha = (1 - g) alpha + g. After each
 * AlphaInterval without one: alpha = (1 - g) alpha. After each RateIncreaseInterval, and after each
 * ByteCounter bytes sent, the rate moves halfway to the target; the first F of them leave the
 * target as it is (fast recovery), then each raises it before, by RateAi (additive increase), or by
 * RateHai once timer and byte counter have both counted more than F (hyper increase). A cut starts
 * both counts again.
 *
 * The timer-driven form is that of NICs and of the HPCC simulator: CNPs may come with every marked
 * frame, and are looked at once a period. Where timers run out together, alpha goes first, then the
 * increase, then the cut; a CNP at that moment comes after them.
 *
 * There are no events: a hook first catches up with all timers that have run out. However
 * long that is, the work is bounded: alpha stops at 0, the rate at line rate.
 *
 * The notification point (CNP interval and delay) is in RdmaNic, the congestion point in
 * RedEcnMarker. Named parameter sets: DcqcnPresets(). Sources of each rule: doc/congestion.rst.
 */
class DcqcnCongestionOps : public RdmaCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Advance(RdmaRateState& state, int64_t now) override;
    int64_t GetNextIncrease() const override;
    void Sent(RdmaRateState& state, uint32_t wireBytes, int64_t now) override;
    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override;
    void CnpReceived(RdmaRateState& state, int64_t now) override;

    /// @return the estimate of congestion, 0 to 1
    double GetAlpha() const
    {
        return m_alpha;
    }

    /// @return the rate that recovery heads for, bits a second
    double GetTargetRate() const
    {
        return m_target;
    }

    /// @return increases by the timer since the last cut
    uint64_t GetTimeStage() const
    {
        return m_timeStage;
    }

    /// @return increases by the byte counter since the last cut
    uint64_t GetByteStage() const
    {
        return m_byteStage;
    }

  private:
    void AdvanceAlpha(int64_t now);
    void AdvanceIncrease(RdmaRateState& state, int64_t now);
    void CutRate(RdmaRateState& state, int64_t now);
    void IncreaseRate(RdmaRateState& state);
    int64_t CutPeriod() const;
    static int64_t TicksUntil(int64_t now, int64_t due, int64_t period);

    // parameters
    double m_gain{0};
    double m_initialAlpha{1};
    Time m_alphaInterval;
    Time m_increaseInterval;
    Time m_decreaseInterval;
    uint64_t m_byteCounter{0};
    uint32_t m_fastRecovery{0};
    DataRate m_rateAi;
    DataRate m_rateHai;
    DataRate m_minRate;
    double m_minDecreaseFactor{0};
    bool m_hyperGrows{false};
    bool m_clampTarget{false};
    bool m_clampTargetAfterIncrease{false};
    bool m_timerDriven{false};
    bool m_cnpByEcnEcho{false};

    // variables
    double m_alpha{1};
    double m_target{0};
    int64_t m_alphaDue{0};
    int64_t m_increaseDue{0};
    int64_t m_cutDue{0};     ///< timer driven: next look at the flag; else: no cut before
    uint64_t m_bytesSent{0}; ///< towards the byte counter
    uint64_t m_timeStage{0};
    uint64_t m_byteStage{0};
    bool m_started{false};     ///< a CNP has ever come
    bool m_recovering{false};  ///< the rate has been cut, and is not back at line rate
    bool m_cnpForAlpha{false}; ///< timer driven: a CNP came since the last look of alpha's timer
    bool m_cnpForCut{false};   ///< timer driven: a CNP came since the last look of the cut's timer
};

} // namespace ns3

#endif // DCQCN_CONGESTION_OPS_H
