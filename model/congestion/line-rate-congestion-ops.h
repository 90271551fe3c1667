// SPDX-License-Identifier: GPL-2.0-only
#ifndef LINE_RATE_CONGESTION_OPS_H
#define LINE_RATE_CONGESTION_OPS_H

#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief No congestion control: line rate (or a fixed rate), and a fixed window or none. What PFC
 * alone does is seen with this.
 */
class LineRateCongestionOps : public RdmaCongestionOps
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<RdmaCongestionOps> Fork() const override;
    void Init(RdmaRateState& state, int64_t now) override;

  private:
    DataRate m_rate;
    uint64_t m_windowBytes{0};
};

} // namespace ns3

#endif // LINE_RATE_CONGESTION_OPS_H
