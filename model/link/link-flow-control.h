// SPDX-License-Identifier: GPL-2.0-only
#ifndef LINK_FLOW_CONTROL_H
#define LINK_FLOW_CONTROL_H

#include "ns3/fabric-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief How the two ends of a cable keep the sender from overrunning the receiver's memory.
 *
 * A port has one. It tells its port which traffic classes must wait (FabricNetDevice::HoldClass and
 * OpenClass), from what it hears in frames of the link itself, and it has such frames sent
 * (FabricNetDevice::SendLinkFrame, or SendPause). Nothing else crosses the cable.
 *
 * PfcFlowControl stops and opens classes; CreditFlowControl counts what fits.
 */
class LinkFlowControl
{
  public:
    virtual ~LinkFlowControl() = default;

    /// The cable has both ends now, and they are set up. Called once, at the beginning.
    virtual void Start()
    {
    }

    /// A frame of the link itself has come (FabricFrame::IsOfLink). @param frame it
    virtual void Obey(const FabricFrame& frame) = 0;

    /// The link has gone down (the port has opened all classes) or come up. @param up which
    virtual void LinkChanged(bool up) = 0;

    /// @return true: FrameSent() and MemoryChanged() are to be called
    virtual bool CountsFrames() const
    {
        return false;
    }

    /**
     * The first bit of a frame is on the wire.
     * @param frame it, not one of the link itself
     * @param slotEnd when the port is free again, time steps
     */
    virtual void FrameSent(const FabricFrame& frame, int64_t slotEnd)
    {
        (void)frame;
        (void)slotEnd;
    }

    /// A frame has come in. @param trafficClass its class @param bytes its size
    virtual void FrameArrived(uint32_t trafficClass, uint32_t bytes)
    {
        (void)trafficClass;
        (void)bytes;
    }

    /// What stands behind the port has taken a frame in, or has freed its memory.
    /// @param trafficClass the frame's class
    virtual void MemoryChanged(uint32_t trafficClass)
    {
        (void)trafficClass;
    }

    /// The frame that SendLinkFrame() asked for is about to leave. @param frame to fill in
    virtual void Fill(FabricFrame& frame)
    {
        (void)frame;
    }
};

} // namespace ns3

#endif // LINK_FLOW_CONTROL_H
