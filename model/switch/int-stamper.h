// SPDX-License-Identifier: GPL-2.0-only
#ifndef INT_STAMPER_H
#define INT_STAMPER_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief In-band network telemetry: writes what a hop knows of itself into frames that ask for it.
 */
class IntStamper : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Adds a hop to a frame that collects telemetry, and its bytes to the frame's size.
     * @param fabricSwitch where
     * @param egress port number by which it leaves now
     * @param frame the frame
     */
    void Stamp(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame);
};

} // namespace ns3

#endif // INT_STAMPER_H
