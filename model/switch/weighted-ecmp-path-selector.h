// SPDX-License-Identifier: GPL-2.0-only
#ifndef WEIGHTED_ECMP_PATH_SELECTOR_H
#define WEIGHTED_ECMP_PATH_SELECTOR_H

#include "ecmp-path-selector.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Weighted equal-cost multipath (WCMP): a hash picks the port, each port with a share of the
 * hashes that is its weight over the sum of all.
 *
 * The weights are those of the route; where it has none, by default the rates of the ports as they
 * are now. The shares are exact for any weights (to 2^-32), unlike those of switches that
 * repeat a port in a table of some size (Zhou et al., "WCMP: Weighted Cost Multipathing for
 * Improved Fairness in Data Centers", EuroSys 2014).
 */
class WeightedEcmpPathSelector : public EcmpPathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

  private:
    bool m_weightByRate{true};
    std::vector<uint32_t> m_rates; ///< of the ports asked about, Mb/s
};

} // namespace ns3

#endif // WEIGHTED_ECMP_PATH_SELECTOR_H
