// SPDX-License-Identifier: GPL-2.0-only
#ifndef ECN_MARKER_H
#define ECN_MARKER_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Decides whether a frame of an ECN-capable transport is marked. A switch has one for each
 * port and class that marks; a study brings its own by subclassing.
 */
class EcnMarker : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param queueBytes bytes waiting in the frame's queue
     * @param now time steps; 0 where KeepsState() is false
     * @return true to mark it
     */
    virtual bool ShouldMark(uint64_t queueBytes, int64_t now) = 0;

    /**
     * A frame that may not be marked, or is, has been queued: a marker that keeps state hears of
     * it.
     * @param queueBytes bytes waiting in the frame's queue
     * @param now time steps
     */
    virtual void Observe(uint64_t queueBytes, int64_t now)
    {
        (void)queueBytes;
        (void)now;
    }

    /// @return true: it remembers its queue, so each port and class needs one of its own
    virtual bool KeepsState() const
    {
        return false;
    }

    /// @param stream first stream to use @return how many were used
    virtual int64_t AssignStreams(int64_t stream)
    {
        (void)stream;
        return 0;
    }
};

} // namespace ns3

#endif // ECN_MARKER_H
