// SPDX-License-Identifier: GPL-2.0-only
#ifndef PATH_SELECTOR_H
#define PATH_SELECTOR_H

#include "forwarding-table.h"

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief Chooses one of the equal-cost ports for a frame. A switch has one; a study brings its own
 * by subclassing and naming the TypeId in FabricSwitch's attribute PathSelector.
 */
class PathSelector : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param fabricSwitch the switch that asks: its ports' queues may be read
     * @param frame the frame
     * @param ports at least two
     * @return one of @p ports
     */
    virtual uint32_t Select(const FabricSwitch& fabricSwitch,
                            const FabricFrame& frame,
                            ForwardingTable::Ports ports) = 0;
};

} // namespace ns3

#endif // PATH_SELECTOR_H
