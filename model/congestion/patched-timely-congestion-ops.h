// SPDX-License-Identifier: GPL-2.0-only
#ifndef PATCHED_TIMELY_CONGESTION_OPS_H
#define PATCHED_TIMELY_CONGESTION_OPS_H

#include "delay-gradient-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Patched TIMELY (Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and
 * TIMELY", CoNEXT 2016, section 4.3).
 *
 * Between the thresholds the decrease is by how far the round trip is from TLow, and the gradient g
 * only weighs it: with w(g) = 2 g + 1/2, kept between 0 and 1, and e = (RTT - TLow) / TLow,
 *
 *     rate = RateAi (1 - w) + rate (1 - Beta w e).
 *
 * So there is one fixed point: N flows at C have C/N each, at a round trip of
 * TLow (1 + N RateAi / (Beta C)).
 */
class PatchedTimelyCongestionOps : public DelayGradientCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;

  protected:
    double ChangeBetween(double rateBps, int64_t rttSteps) const override;
    double GetBeta() const override;

  private:
    double m_beta{0};
};

} // namespace ns3

#endif // PATCHED_TIMELY_CONGESTION_OPS_H
