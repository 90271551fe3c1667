// SPDX-License-Identifier: GPL-2.0-only
#ifndef STATIC_THRESHOLD_POLICY_H
#define STATIC_THRESHOLD_POLICY_H

#include "buffer-policy.h"
#include "class-values.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Every account may hold a fixed number of bytes, as long as its pool has them.
 *
 * Where SharedBuffer has a ReferenceRate, the number is for a port of that rate and scales with the
 * port's own.
 */
class StaticThresholdPolicy : public BufferPolicy
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
    uint64_t m_ingressBytes{0};
    uint64_t m_egressBytes{0};
    std::string m_ingressText;
    std::string m_egressText;
    ClassValues m_ingressOfClass;
    ClassValues m_egressOfClass;
};

} // namespace ns3

#endif // STATIC_THRESHOLD_POLICY_H
