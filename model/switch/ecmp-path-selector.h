// SPDX-License-Identifier: GPL-2.0-only
#ifndef ECMP_PATH_SELECTOR_H
#define ECMP_PATH_SELECTOR_H

#include "path-selector.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Equal-cost multipath: a hash of the 5-tuple and the switch's seed picks the port, so that
 * a flow keeps to one path (RFC 2992).
 *
 * Each switch needs a seed of its own. Where all share one, every tier makes the same choice and
 * half of the paths stay empty (hash polarization).
 */
class EcmpPathSelector : public PathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    uint32_t Select(const FabricSwitch& fabricSwitch,
                    const FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

  private:
    uint32_t m_seed{0};
};

} // namespace ns3

#endif // ECMP_PATH_SELECTOR_H
