// SPDX-License-Identifier: GPL-2.0-only
#ifndef TIMELY_CONGESTION_OPS_H
#define TIMELY_CONGESTION_OPS_H

#include "delay-gradient-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM
 * 2015, algorithm 1).
 *
 * Between the thresholds a gradient above 0 multiplies the rate by 1 - Beta gradient; another one
 * adds RateAi, or RateHai once HyperAfter events in a row had a gradient below 0 (hyperactive
 * increase). The HPCC simulator counts otherwise: every increase, also one below TLow, and from
 * then on all steps are RateHai (HyperCountsIncreases).
 *
 * TIMELY has no unique fixed point: what share a flow ends with depends on where it started (Zhu
 * et al., "ECN or Delay", CoNEXT 2016, section 4.2).
 */
class TimelyCongestionOps : public DelayGradientCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;

  protected:
    void NoteEvent(int64_t rttSteps) override;
    double ChangeBetween(double rateBps, int64_t rttSteps) const override;
    double GetStepBelow() const override;
    double GetBeta() const override;

  private:
    double GetStep() const;
    bool Grows(int64_t rttSteps) const;

    double m_beta{0};
    DataRate m_rateHai;
    uint32_t m_hyperAfter{0};
    bool m_hyperCountsIncreases{false};
    uint64_t m_inARow{0}; ///< events, as HyperCountsIncreases says, this one included
};

} // namespace ns3

#endif // TIMELY_CONGESTION_OPS_H
