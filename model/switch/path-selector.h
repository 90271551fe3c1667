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
 * @brief Chooses one of a route's ports for a frame. A switch has one; a study brings its own
 * by subclassing and naming the TypeId in FabricSwitch's attribute PathSelector.
 *
 * Select() is all that most need. One that also watches frames come and go, for a protocol between
 * switches, says so in WatchesFrames().
 */
class PathSelector : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * The switch has all its ports and routes; called again when routes have changed.
     * @param fabricSwitch whose selector this is
     */
    virtual void Configure(FabricSwitch& fabricSwitch)
    {
        (void)fabricSwitch;
    }

    /**
     * @param fabricSwitch the switch that asks: its ports' queues may be read
     * @param ingress port number by which the frame came in
     * @param frame the frame; its switch header may be written
     * @param ports at least two
     * @return one of @p ports
     */
    virtual uint32_t Select(FabricSwitch& fabricSwitch,
                            uint32_t ingress,
                            FabricFrame& frame,
                            ForwardingTable::Ports ports) = 0;

    /**
     * What Select() will probably answer, so that the processor can fetch that port's state.
     * @param frame the frame
     * @param ports at least two
     * @return one of @p ports; UINT32_MAX: it cannot be told
     */
    virtual uint32_t Foresee(const FabricFrame& frame, ForwardingTable::Ports ports) const
    {
        (void)frame;
        (void)ports;
        return UINT32_MAX;
    }

    /// @return true: FrameArrives() and FrameDeparts() are to be called
    virtual bool WatchesFrames() const
    {
        return false;
    }

    /**
     * A frame has come in, before it is looked up.
     * @param fabricSwitch the switch
     * @param ingress port number
     * @param frame the frame; whoever takes it moves it away
     * @return true: the selector has taken it, nothing else happens to it
     */
    virtual bool FrameArrives(FabricSwitch& fabricSwitch, uint32_t ingress, FramePtr& frame)
    {
        (void)fabricSwitch;
        (void)ingress;
        (void)frame;
        return false;
    }

    /**
     * A frame's first bit leaves.
     * @param fabricSwitch the switch
     * @param egress port number
     * @param frame the frame
     */
    virtual void FrameDeparts(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame)
    {
        (void)fabricSwitch;
        (void)egress;
        (void)frame;
    }

    /// @param stream first stream to use @return how many were used
    virtual int64_t AssignStreams(int64_t stream)
    {
        (void)stream;
        return 0;
    }
};

} // namespace ns3

#endif // PATH_SELECTOR_H
