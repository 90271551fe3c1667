// SPDX-License-Identifier: GPL-2.0-only
#ifndef DROP_MIRROR_H
#define DROP_MIRROR_H

#include "ns3/drop-reason.h"
#include "ns3/fabric-frame.h"
#include "ns3/object.h"

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief Mirror on drop: sends the head of each frame that a switch drops, and why, to a collector.
 */
class DropMirror : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * A frame is dropped.
     * @param fabricSwitch where
     * @param frame the frame
     * @param ingress port number by which it came
     * @param egress port number by which it would have left; FabricSwitch::NO_PORT if unknown
     * @param reason why
     */
    void Mirror(FabricSwitch& fabricSwitch,
                const FabricFrame& frame,
                uint32_t ingress,
                uint32_t egress,
                DropReason reason);
};

} // namespace ns3

#endif // DROP_MIRROR_H
