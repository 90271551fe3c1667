// SPDX-License-Identifier: GPL-2.0-only
#ifndef RANDOM_SPRAY_PATH_SELECTOR_H
#define RANDOM_SPRAY_PATH_SELECTOR_H

#include "path-selector.h"

namespace ns3
{

class UniformRandomVariable;

/**
 * @ingroup ai-fabric
 * @brief Packet spraying: every frame takes a port at random, by the route's weights if it has any
 * (Dixit et al., "On the Impact of Packet Spraying in Data Center Networks", INFOCOM 2013).
 *
 * Frames overtake each other: the transport must place them out of order. It looks at no queue and
 * no link: a port that has gone down loses its frames until the routes have changed.
 */
class RandomSprayPathSelector : public PathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RandomSprayPathSelector();

    uint32_t Select(FabricSwitch& fabricSwitch,
                    uint32_t ingress,
                    FabricFrame& frame,
                    ForwardingTable::Ports ports) override;

    int64_t AssignStreams(int64_t stream) override;

  private:
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3

#endif // RANDOM_SPRAY_PATH_SELECTOR_H
