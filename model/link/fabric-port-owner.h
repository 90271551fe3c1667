// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PORT_OWNER_H
#define FABRIC_PORT_OWNER_H

#include "drop-reason.h"

#include "ns3/fabric-frame.h"

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief What stands behind a port: a switch, an RDMA NIC, a GPU's scale-up port.
 *
 * A switch fills the port's queues and hears of departures. An endpoint has no queue of data: the
 * port pulls from it when it is free.
 */
class FabricPortOwner
{
  public:
    virtual ~FabricPortOwner() = default;

    /**
     * A frame has arrived whole (pause frames stay with the port).
     * @param port where
     * @param frame the frame
     */
    virtual void ReceiveFrame(FabricNetDevice& port, FramePtr frame) = 0;

    /// @return whether a port is to pull frames from it: ReadyClasses() and what follows there
    virtual bool HasFrames() const
    {
        return true;
    }

    /**
     * A frame is going to arrive in a moment: has the processor fetch what ReceiveFrame() will
     * need.
     * @param port where
     * @param frame the frame; still on the cable
     */
    virtual void PrefetchReceive(const FabricNetDevice& port, const FabricFrame& frame) const
    {
        (void)port;
        (void)frame;
    }

    /// The port is going to be free in a moment: likewise for PullFrame(). @param port which
    virtual void PrefetchPull(const FabricNetDevice& port) const
    {
        (void)port;
    }

    /**
     * A frame has left the port's queue and its first bit is on the wire.
     * @param port where
     * @param frame the frame, still the caller's
     */
    virtual void FrameDeparts(FabricNetDevice& port, FabricFrame& frame)
    {
        (void)port;
        (void)frame;
    }

    /**
     * A frame that this owner queued is dropped from the queue, or was not let into it: it will not
     * depart. The port has counted it.
     * @param port where
     * @param frame the frame, still the caller's
     * @param reason why
     */
    virtual void FrameFlushed(FabricNetDevice& port, FabricFrame& frame, DropReason reason)
    {
        (void)port;
        (void)frame;
        (void)reason;
    }

    /**
     * @param port who asks
     * @param trafficClass 0 to 7
     * @return what of the frames that came in there still takes memory, bytes. When it becomes
     * less, the owner tells the port (FabricNetDevice::MemoryFreed)
     */
    virtual uint64_t HeldBytes(FabricNetDevice& port, uint32_t trafficClass)
    {
        (void)port;
        (void)trafficClass;
        return 0;
    }

    /**
     * The link has gone down (its queue is empty by now) or has come up. Nothing is pulled while it
     * is down.
     * @param port where
     * @param up which
     */
    virtual void LinkChanged(FabricNetDevice& port, bool up)
    {
        (void)port;
        (void)up;
    }

    /**
     * @param port who asks
     * @param now time steps
     * @return bit c: PullFrame(c) may give a frame of class c now
     */
    virtual uint8_t ReadyClasses(FabricNetDevice& port, int64_t now)
    {
        (void)port;
        (void)now;
        return 0;
    }

    /**
     * @param port who asks; it is free and the class is open
     * @param trafficClass one of ReadyClasses()
     * @param now when the frame will start, time steps: that may be a moment after the simulation's
     * time, see FabricNetDevice's PullAhead
     * @return the next frame, or null if nothing is left to send after all
     */
    virtual FramePtr PullFrame(FabricNetDevice& port, uint32_t trafficClass, int64_t now)
    {
        (void)port;
        (void)trafficClass;
        (void)now;
        return nullptr;
    }

    /**
     * @param port who asks
     * @param now time steps
     * @param closed bit c: flow control holds class c; what waits there does not count
     * @return when a frame will be ready: now or earlier if one is, NEVER if none waits
     */
    virtual int64_t NextReadyTime(FabricNetDevice& port, int64_t now, uint8_t closed)
    {
        (void)port;
        (void)now;
        (void)closed;
        return INT64_MAX;
    }
};

} // namespace ns3

#endif // FABRIC_PORT_OWNER_H
