// SPDX-License-Identifier: GPL-2.0-only
#ifndef IRN_CONGESTION_OPS_H
#define IRN_CONGESTION_OPS_H

#include "rdma-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief BDP-FC, the flow control of IRN (Mittal et al., "Revisiting Network Support for RDMA",
 * SIGCOMM 2018, section 3.2): line rate, and no more frames in flight than line rate sends in the
 * base round trip. IRN's other half, selective retransmission, is SelectiveRepeat.
 *
 * The paper has the product of the longest path for all pairs: set BaseRtt of this class, or
 * BdpFrames.
 */
class IrnCongestionOps : public RdmaCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;

  private:
    uint64_t m_bdpFrames{0};
};

} // namespace ns3

#endif // IRN_CONGESTION_OPS_H
