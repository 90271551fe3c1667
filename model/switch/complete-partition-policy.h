// SPDX-License-Identifier: GPL-2.0-only
#ifndef COMPLETE_PARTITION_POLICY_H
#define COMPLETE_PARTITION_POLICY_H

#include "buffer-policy.h"

#include <array>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The shared pool is cut into fixed parts, one for each port and class; nobody borrows.
 *
 * A part is pool / (ports x classes in the pool). A lossless class has its part as an ingress
 * account, a lossy one as an egress queue. Where SharedBuffer has a ReferenceRate, a port's parts
 * are in proportion to its rate. (F. Kamoun, L. Kleinrock, "Analysis of Shared Finite Storage in a
 * Computer Network Node Environment Under General Traffic Conditions", IEEE Transactions on
 * Communications 28(7), 1980.)
 */
class CompletePartitionPolicy : public BufferPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string Configure(const SharedBuffer& buffer) override;
    uint64_t IngressLimit(const SharedBuffer& buffer,
                          uint32_t port,
                          uint32_t trafficClass) override;
    uint64_t EgressLimit(const SharedBuffer& buffer, uint32_t port, uint32_t trafficClass) override;

  private:
    uint64_t PartOf(uint32_t port, uint32_t trafficClass) const;

    uint8_t m_classes{0xff};
    std::array<std::vector<uint64_t>, 2> m_parts; ///< by pool and port
    std::array<uint8_t, 8> m_poolOf{};            ///< by class
};

} // namespace ns3

#endif // COMPLETE_PARTITION_POLICY_H
