// SPDX-License-Identifier: GPL-2.0-only
#ifndef ENTROPY_PATH_SELECTOR_H
#define ENTROPY_PATH_SELECTOR_H

#include "ecmp-path-selector.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Source-routed entropy: the sender enumerates the paths by its UDP source port, whose
 * digits the switches on the way read, each tier another one.
 *
 * The number of a path is the source port less BasePort. It is written in mixed radix, the lowest
 * digit first. Where a frame climbs, the switch of tier t (1 next to the hosts) reads digit t - 1;
 * where it descends from tier t in a fabric of T tiers, digit 2 T - 1 - t, so that the choices on a
 * way up and down are those of digits 0, 1, 2, ... in the order of its switches. The digit modulo
 * the number of ports says which of the route's ports is taken, in ascending order.
 *
 * Leaf-spine: digit 0 is the uplink of the leaf, digit 1 the cable from the spine to the leaf where
 * several are parallel. Fat tree of k ports: digit 0 (of k/2) the aggregation switch, digit 1 (of
 * k/2) the core; k^2/4 consecutive source ports take every path once.
 *
 * The radix of a digit is the most ports that any switch of the fabric offers there, found once
 * from the cables; or Radices says it, and must where tiers mean nothing (a torus, a dragonfly).
 * Frames other than RoCE's go by the hash of EcmpPathSelector. Queues and links are not looked at.
 */
class EntropyPathSelector : public EcmpPathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Configure(FabricSwitch& fabricSwitch) override;

    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

    /// @return the radix of each digit, once configured
    const std::vector<uint32_t>& GetRadices() const
    {
        return m_radices;
    }

    /// @return product of all radices: path numbers from there on repeat the first ones
    uint64_t GetPathCount() const;

    /// @return the switch's tier as its cables say, 1 next to hosts
    uint32_t GetTier() const
    {
        return m_tier;
    }

  private:
    void SetRadixList(std::string list);
    std::string GetRadixList() const;

    uint16_t m_basePort{0};
    std::vector<uint32_t> m_givenRadices;
    std::vector<uint32_t> m_radices;
    uint32_t m_tier{0};
    std::vector<uint32_t> m_digitOfPort; ///< by egress port: which digit a route by it reads
};

} // namespace ns3

#endif // ENTROPY_PATH_SELECTOR_H
