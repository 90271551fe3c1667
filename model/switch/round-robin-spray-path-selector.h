// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROUND_ROBIN_SPRAY_PATH_SELECTOR_H
#define ROUND_ROBIN_SPRAY_PATH_SELECTOR_H

#include "path-selector.h"

#include <unordered_map>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Packet spraying in turn: every frame takes the port after that of the frame before it.
 *
 * What "before it" means is the Counter's business: one for each group of ports, for each
 * destination, or one for the switch; always one for each traffic class, so that acknowledgements
 * between the data do not shift data onto every other port. The Seed says where each begins, so
 * that switches do not march in step.
 *
 * Weights of a route are not looked at, nor are queues and links: a port that has gone down loses
 * its frames until the routes have changed.
 */
class RoundRobinSprayPathSelector : public PathSelector
{
  public:
    /// What has a counter of its own.
    enum Counter
    {
        PER_GROUP,       ///< ports that destinations share, told apart by their first and number
        PER_DESTINATION, ///< address
        PER_SWITCH,      ///< all frames of a class count on
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

  private:
    uint64_t KeyOf(const FabricFrame& frame, ForwardingTable::Ports ports) const;

    Counter m_counter{PER_GROUP};
    uint32_t m_seed{0};
    std::unordered_map<uint64_t, uint32_t> m_counts; ///< looked up only, never iterated
};

} // namespace ns3

#endif // ROUND_ROBIN_SPRAY_PATH_SELECTOR_H
