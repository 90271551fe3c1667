// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWIFT_CONGESTION_OPS_H
#define SWIFT_CONGESTION_OPS_H

#include "rdma-congestion-ops.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Swift (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020, section 3 and algorithm 1).
 *
 * Two windows, in frames: one for the fabric, by the round trip without the time in the receiver,
 * and one for the receiver, by that time. The smaller of them holds. Each grows by Ai frames a
 * round trip while its delay is below its target, and is multiplied by
 * max(1 - Beta (delay - target) / delay, 1 - MaxDecrease) else, once a round trip. The fabric's
 * target is
 *
 *     BaseTarget + hops x HopDelay + min(max(a / sqrt(w) + b, 0), FsRange BaseTarget)
 *
 * where w is its window, and a and b make the last term FsRange BaseTarget at FsMinWindow and 0 at
 * FsMaxWindow (section 3.5). A window below 1 is one frame, paced a round trip / window apart.
 *
 * Lost frames multiply both windows by 1 - MaxDecrease, once a round trip; so does a timeout, until
 * RetransmitResetThreshold of them in a row set both to MinWindow.
 */
class SwiftCongestionOps : public RdmaCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Acked(RdmaRateState& state, const RdmaAckSignal& signal) override;
    void NakReceived(RdmaRateState& state, int64_t now) override;
    void TimedOut(RdmaRateState& state, int64_t now) override;

    /// @return the fabric's window, frames
    double GetFabricWindow() const
    {
        return m_fabric.frames;
    }

    /// @return the receiver's window, frames
    double GetEndpointWindow() const
    {
        return m_endpoint.frames;
    }

    /// @param hops switches on the way @return the fabric's target at the present window, time
    /// steps
    double GetTargetSteps(uint8_t hops) const;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// A window and when it was last cut.
    struct Window
    {
        double frames{0};
        int64_t lastCut{0};
    };

    /// A sample of a delay and what it should be, time steps.
    struct Delay
    {
        double measured;
        double target;
    };

    void Adjust(Window& window, const Delay& delay, double ackedFrames, int64_t now) const;
    void Cut(Window& window, double factor, int64_t now) const;
    void CutForLoss(RdmaRateState& state, int64_t now);
    void Bound(Window& window, double targetSteps) const;
    void Apply(RdmaRateState& state) const;

    // parameters
    Time m_baseTarget;
    double m_baseTargetRtts{0};
    Time m_hopDelay;
    Time m_endpointTarget;
    double m_fsRange{0};
    double m_fsMinWindow{0};
    double m_fsMaxWindow{0};
    double m_ai{0};
    double m_beta{0};
    double m_maxDecrease{0};
    double m_minWindow{0};
    double m_maxWindow{0};
    double m_initialWindow{0};
    uint32_t m_resetThreshold{0};

    // variables
    double m_baseSteps{0};     ///< BaseTarget
    double m_framesPerStep{0}; ///< that line rate sends
    Window m_fabric;
    Window m_endpoint;
    int64_t m_rtt{0}; ///< the last one
    uint32_t m_timeouts{0};
};

} // namespace ns3

#endif // SWIFT_CONGESTION_OPS_H
