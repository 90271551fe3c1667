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
 *
 * A frame asks by SwitchHeader::collectsTelemetry (QueuePair's attribute CollectTelemetry). Its
 * format, too, is the sender's choice: it says how many bytes a hop takes and how many hops fit.
 * INT-MD has a rule for what does not fit: no hop is written, and a flag says so (E: no room for
 * one more hop; M: the frame would be longer than the port's Mtu). HPCC's header has none, so there
 * it stops the simulation, as does a port whose rate it has no code for.
 *
 * It keeps no state: all switches may share one.
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
