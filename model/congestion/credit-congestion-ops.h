// SPDX-License-Identifier: GPL-2.0-only
#ifndef CREDIT_CONGESTION_OPS_H
#define CREDIT_CONGESTION_OPS_H

#include "rdma-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What congestion controls share in which the receiver says how much may be sent.
 *
 * The sender starts at line rate with a first window that nobody has granted, and again whenever
 * work comes to a pair that had none. All else waits for credit. The receiver wants its sender to
 * have credit for all that it has to send, but for no more than a window ahead of what the last
 * frame that has come says to have been sent; CreditPacer gives it at the rate of the link.
 *
 * A frame that was trimmed is to be sent again, and needs credit anew: the receiver, who has seen
 * the headers, counts it as demand at once. What was lost without a trace is repeated within the
 * credit there is, or after the sender has asked for more (CREDIT_REQUEST).
 *
 * Windows are payload bytes of full frames: the bandwidth-delay product of the port and BaseRtt,
 * rounded up, unless an attribute says bytes.
 */
class CreditCongestionOps : public RdmaCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaFeedback GetFeedback() const override;
    void Init(RdmaRateState& state, int64_t now) override;
    void Resumed(RdmaRateState& state, int64_t now) override;
    uint64_t DataReceived(const RdmaArrivalSignal& signal) override;
    double GetCreditShare() const override;

    /// @return the first window, payload bytes
    uint64_t GetFirstBytes() const
    {
        return m_firstBytes;
    }

    /// @return most credit ahead of what has been sent, payload bytes; 0: not limited
    uint64_t GetAheadBytes() const
    {
        return m_aheadBytes;
    }

  protected:
    // Attributes of the subclasses. Windows: payload bytes; 0: in bandwidth-delay products.
    uint64_t m_firstWindow{0}; ///< that is sent before any credit has come
    double m_firstBdps{1};     ///< likewise
    uint64_t m_aheadWindow{0}; ///< most credit ahead of what has been sent
    double m_aheadBdps{0};     ///< likewise; both 0: no limit
    double m_creditShare{1};

  private:
    uint64_t BytesOf(uint64_t bytes, double bdps, const RdmaRateState& state) const;

    uint64_t m_firstBytes{0};
    uint64_t m_aheadBytes{0};
};

} // namespace ns3

#endif // CREDIT_CONGESTION_OPS_H
