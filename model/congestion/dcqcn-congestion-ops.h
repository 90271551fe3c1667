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
 * On a CNP: target = rate, rate = rate (1 - alpha/2), alpha = (1 - g) alpha + g. Each AlphaInterval
 * without one: alpha = (1 - g) alpha. Each RateIncreaseInterval, and each ByteCounter bytes sent,
 * the rate grows: halfway to the target (fast recovery, the first F of both), after the target
 * was raised by RateAi (additive), or by RateHai once both have counted more than F (hyper).
 * After a CNP both counts start again.
 *
 * The notification point (CNP interval and delay) is in RdmaNic, the congestion point in
 * RedEcnMarker. Named parameter sets: DcqcnPresets.
 */
class DcqcnCongestionOps : public RdmaCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Sent(RdmaRateState& state, uint32_t wireBytes, int64_t now) override;
    void CnpReceived(RdmaRateState& state, int64_t now) override;

    /// Catches up with the timers. @param state rate @param now time steps
    void Advance(RdmaRateState& state, int64_t now);

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

  private:
    void CutRate(RdmaRateState& state, int64_t now);
    void IncreaseRate(RdmaRateState& state);
    void AlphaTick(bool marked);

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
    bool m_clampTarget{false};
    bool m_clampTargetAfterIncrease{false};
    bool m_timerDriven{false};

    // variables
    double m_alpha{1};
    double m_target{0};
    int64_t m_alphaDue{0};
    int64_t m_increaseDue{0};
    int64_t m_decreaseDue{0};  ///< timer driven: next look; else: no cut before this time
    uint64_t m_bytesSent{0};   ///< towards the byte counter
    uint32_t m_timeStage{0};
    uint32_t m_byteStage{0};
    bool m_reacting{false};    ///< a CNP has come, and the rate is not back at line rate
    bool m_started{false};     ///< a CNP has ever come
    bool m_cnpForAlpha{false}; ///< timer driven: a CNP came since the last alpha tick
    bool m_cnpForCut{false};   ///< timer driven: a CNP came since the last look
};

} // namespace ns3

#endif // DCQCN_CONGESTION_OPS_H
