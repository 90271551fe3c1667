// SPDX-License-Identifier: GPL-2.0-only
#ifndef RCCC_CONGESTION_OPS_H
#define RCCC_CONGESTION_OPS_H

#include "credit-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief RCCC, receiver-credit congestion control of Ultra Ethernet (specification 1.0, transport
 * layer, congestion management sublayer).
 *
 * As EQDS, from which it comes, with the specification's windows: a sender starts with MaxWindowBdp
 * of credit, its demand is granted up to that much ahead, and a sender that has been idle finds as
 * much again (the specification's receiver gives it that in the background, while nobody else
 * asks). Ultra Ethernet's receiver gives four frames in a turn: CreditPacer's Quantum.
 */
class RcccCongestionOps : public CreditCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    void Init(RdmaRateState& state, int64_t now) override;
};

} // namespace ns3

#endif // RCCC_CONGESTION_OPS_H
