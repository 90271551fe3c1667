// SPDX-License-Identifier: GPL-2.0-only
#ifndef ECMP_PATH_SELECTOR_H
#define ECMP_PATH_SELECTOR_H

#include "path-choice.h"
#include "path-selector.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Equal-cost multipath: a hash of a flow's fields and the switch's seed picks the port, so
 * that a flow keeps to one path (RFC 2992).
 *
 * Each switch needs a seed of its own. Where all share one, every tier makes the same choice and
 * half of the paths stay empty (hash polarization).
 *
 * With the destination queue pair among the fields, pairs that share a UDP source port part: the
 * "enhanced ECMP" of Gangidi et al., "RDMA over Ethernet for Distributed AI Training at Meta
 * Scale", SIGCOMM 2024.
 */
class EcmpPathSelector : public PathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;
    uint32_t Foresee(const FabricFrame& frame, ForwardingTable::Ports ports) const override;

  protected:
    /// @param frame any @return the hash of its flow at this switch
    uint32_t HashOf(const FabricFrame& frame) const
    {
        return MixHash(HashFlow(frame, m_fields), m_seed);
    }

  private:
    FlowFields m_fields{HASH_FIVE_TUPLE};
    uint32_t m_seed{0};
};

} // namespace ns3

#endif // ECMP_PATH_SELECTOR_H
