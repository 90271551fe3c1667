// SPDX-License-Identifier: GPL-2.0-only
#ifndef DYNAMIC_THRESHOLD_POLICY_H
#define DYNAMIC_THRESHOLD_POLICY_H

#include "buffer-policy.h"

#include <algorithm>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Every account may hold alpha x (what is free of its pool); alpha is the class's.
 *
 * A. K. Choudhury, E. L. Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches", IEEE/ACM Transactions on Networking 6(2), 1998. With n accounts at their limit each
 * holds alpha / (1 + n alpha) of the pool, and 1 / (1 + n alpha) stays free for those to come.
 */
class DynamicThresholdPolicy : public BufferPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    static constexpr double MOST = 9e18; ///< no memory is larger, and 64 bits hold it

    /// @param alpha of the class @param freeBytes of its pool @return the limit, bytes
    static uint64_t Limit(double alpha, uint64_t freeBytes)
    {
        // By way of signed integers, which processors convert in one step.
        double limit = alpha * static_cast<double>(static_cast<int64_t>(freeBytes));
        return static_cast<uint64_t>(static_cast<int64_t>(std::min(limit, MOST)));
    }

    uint64_t IngressLimit(const SharedBuffer& buffer,
                          uint32_t port,
                          uint32_t trafficClass) override;
    uint64_t EgressLimit(const SharedBuffer& buffer, uint32_t port, uint32_t trafficClass) override;
};

} // namespace ns3

#endif // DYNAMIC_THRESHOLD_POLICY_H
