// SPDX-License-Identifier: GPL-2.0-only
#ifndef POWERTCP_CONGESTION_OPS_H
#define POWERTCP_CONGESTION_OPS_H

#include "int-memory.h"
#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"

#include <algorithm>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief PowerTCP (Addanki, Michel and Schmid, "PowerTCP: Pushing the Performance Limits of
 * Datacenter Networks", NSDI 2022, section 3, algorithm 1).
 *
 * Power is what flows in (current) times what is on the way (voltage). Of each hop of rate b, with
 * the round trip tau of an empty network, the telemetry of two answers gives
 *
 *     power = (d queue/dt + txRate) (queue + b tau) / (b b tau)
 *
 * which is 1 where the hop is full and its queue empty. The highest of the path goes into a
 * moving average over tau, and with each answer
 *
 *     window = gamma (old window / power + beta) + (1 - gamma) window,   pace = window / tau
 *
 * The old window is the one of the round's begin; a round is one round trip, as in
 * HpccCongestionOps. It is what the paper has for the window with which the answered frame was
 * sent. The current counts as MinCurrent at least.
 *
 * Equations, parameters and limits: doc/congestion-int.rst.
 */
class PowerTcpCongestionOps : public RdmaCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override;
    /// The headers have collected telemetry, too: as Acked(). @param state rate
    /// @param signal what is known
    void Trimmed(RdmaRateState& state, const RdmaAckSignal& signal) override;

    /// @return the moving average of the power
    double GetPower() const
    {
        return m_power;
    }

    /// @return the window, bytes on the wire
    double GetWindow() const
    {
        return m_window;
    }

    /// @return the window of the round's begin, bytes on the wire
    double GetOldWindow() const
    {
        return m_oldWindow;
    }

  protected:
    /// @param power that was measured, normalized @param steps between the two answers
    void Average(double power, int64_t steps);
    /// Applies the control law. @param state to set
    void UpdateWindow(RdmaRateState& state);

    /// @param signal an answer @return its frame was sent after the round's begin
    bool EndsRound(const RdmaAckSignal& signal) const
    {
        return signal.ackedThrough > m_roundEnd;
    }

    /// The window is the next round's old one. @param signal the answer that ends the round
    void BeginRound(const RdmaAckSignal& signal);

    /// @param share of the link's rate that arrives @return it, or MinCurrent
    double CurrentOf(double share) const
    {
        return std::max(share, m_minCurrent);
    }

    /// @return round trip of an empty network, time steps
    double GetRttSteps() const
    {
        return m_rttSteps;
    }

  private:
    double PowerOf(const IntHopInterval& hop) const;

    // parameters
    int m_telemetry{0};
    double m_gamma{0};
    uint32_t m_expectedFlows{0};
    DataRate m_betaRate;
    double m_targetPower{0};
    double m_minCurrent{0};
    DataRate m_minRate;

    // variables
    double m_rttSteps{0}; ///< tau
    double m_beta{0};     ///< bytes
    double m_least{0};    ///< no window is below, bytes
    double m_most{0};     ///< or above
    double m_power{1};
    double m_window{0};
    double m_oldWindow{0};
    uint64_t m_roundEnd{0}; ///< bytes sent when the round began
    IntMemory m_memory;
};

} // namespace ns3

#endif // POWERTCP_CONGESTION_OPS_H
