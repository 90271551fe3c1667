// SPDX-License-Identifier: GPL-2.0-only
#ifndef THETA_POWERTCP_CONGESTION_OPS_H
#define THETA_POWERTCP_CONGESTION_OPS_H

#include "powertcp-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief theta-PowerTCP (Addanki, Michel and Schmid, "PowerTCP: Pushing the Performance Limits of
 * Datacenter Networks", NSDI 2022, section 3.5, algorithm 2): PowerTCP without switches.
 *
 * At a full bottleneck the round trip theta grows as the queue does, so that
 *
 *     power = (d theta/dt + 1) theta / tau
 *
 * which each answer's round trip updates; the window moves once a round trip. A delay cannot tell
 * how full an empty queue's link is: power is 1 at least while delays do not fall, and a flow finds
 * free bandwidth by beta alone.
 */
class ThetaPowerTcpCongestionOps : public PowerTcpCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override;
    /// The round trip of headers that have overtaken data says nothing of the queue. @param state
    /// rate @param signal what is known
    void Trimmed(RdmaRateState& state, const RdmaAckSignal& signal) override;

  private:
    int64_t m_lastRtt{0}; ///< time steps; 0: none yet
    int64_t m_lastAck{0}; ///< time steps
};

} // namespace ns3

#endif // THETA_POWERTCP_CONGESTION_OPS_H
