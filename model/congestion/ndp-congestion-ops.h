// SPDX-License-Identifier: GPL-2.0-only
#ifndef NDP_CONGESTION_OPS_H
#define NDP_CONGESTION_OPS_H

#include "credit-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief NDP (Handley et al., "Re-architecting datacenter networks and stacks for low latency and
 * high performance", SIGCOMM 2017, section 3.2).
 *
 * A sender pushes its initial window at line rate; after that each frame or trimmed header that
 * arrives pulls one more frame, new or to be repeated, so that never more than the initial window
 * is on its way. The receiver spaces its pulls so that what they ask for fits its link, and serves
 * senders in turn. It goes with switches that trim (FrameTrimmer) and spray, and with a selective
 * reliability; it works without either, too.
 */
class NdpCongestionOps : public CreditCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    void Init(RdmaRateState& state, int64_t now) override;
};

} // namespace ns3

#endif // NDP_CONGESTION_OPS_H
