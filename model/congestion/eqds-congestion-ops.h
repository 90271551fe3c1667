// SPDX-License-Identifier: GPL-2.0-only
#ifndef EQDS_CONGESTION_OPS_H
#define EQDS_CONGESTION_OPS_H

#include "credit-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief EQDS (Olteanu et al., "An edge-queued datagram service for all datacenter traffic", NSDI
 * 2022), with its receiver-driven credit and trimming.
 *
 * A sender starts with a window of speculative credit; its frames say how much it has to send, and
 * the receiver grants that to all its senders in turn, a frame at a time, slightly slower than its
 * link, so that queues drain. A sender out of credit whose demand is not known yet asks with a
 * frame of headers alone (the paper's RTS, here CREDIT_REQUEST).
 */
class EqdsCongestionOps : public CreditCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
};

} // namespace ns3

#endif // EQDS_CONGESTION_OPS_H
