// SPDX-License-Identifier: GPL-2.0-only
#ifndef BUFFER_POLICY_H
#define BUFFER_POLICY_H

#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

class SharedBuffer;

/**
 * @ingroup ai-fabric
 * @brief Buffer management: how much of the shared memory an account may hold.
 *
 * SharedBuffer keeps the books, the policy gives the limits. Two kinds of account have one: what
 * has come in by a port and class (its sender is paused there if the class is lossless), and what
 * waits to leave by a port and class (a frame of a lossy class is dropped there). One file an
 * algorithm; a study brings its own by subclassing and naming the TypeId in SharedBuffer's
 * attribute Policy.
 *
 * A limit is asked for once or twice a frame, so it should be a few instructions.
 */
class BufferPolicy : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * The memory has been laid out: its pools and ports are known.
     * @param buffer whose policy this is
     * @return empty, or why this policy cannot work with it
     */
    virtual std::string Configure(const SharedBuffer& buffer)
    {
        (void)buffer;
        return "";
    }

    /**
     * @param buffer the account
     * @param port ingress port
     * @param trafficClass class
     * @return most bytes of the shared pool that this account may hold now
     */
    virtual uint64_t IngressLimit(const SharedBuffer& buffer,
                                  uint32_t port,
                                  uint32_t trafficClass) = 0;

    /**
     * @param buffer the account
     * @param port egress port
     * @param trafficClass class
     * @return most bytes that may wait to leave there now
     */
    virtual uint64_t EgressLimit(const SharedBuffer& buffer,
                                 uint32_t port,
                                 uint32_t trafficClass) = 0;

    /// @return true: FrameBooked() and FrameReleased() are to be called
    virtual bool WatchesFrames() const
    {
        return false;
    }

    /**
     * A frame has been booked.
     * @param buffer the account, this frame included
     * @param ingress port by which it came
     * @param egress port by which it is to leave
     * @param trafficClass its class
     */
    virtual void FrameBooked(const SharedBuffer& buffer,
                             uint32_t ingress,
                             uint32_t egress,
                             uint32_t trafficClass)
    {
        (void)buffer;
        (void)ingress;
        (void)egress;
        (void)trafficClass;
    }

    /**
     * A frame has been booked out.
     * @param buffer the account, without this frame
     * @param ingress port by which it came
     * @param egress port by which it leaves
     * @param trafficClass its class
     * @param bytes its size
     */
    virtual void FrameReleased(const SharedBuffer& buffer,
                               uint32_t ingress,
                               uint32_t egress,
                               uint32_t trafficClass,
                               uint64_t bytes)
    {
        (void)buffer;
        (void)ingress;
        (void)egress;
        (void)trafficClass;
        (void)bytes;
    }
};

} // namespace ns3

#endif // BUFFER_POLICY_H
