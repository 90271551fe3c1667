// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_RELIABILITY_H
#define RDMA_RELIABILITY_H

#include "psn.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// How far a requester is; PSNs are 64 bits wide.
struct RdmaSendWindow
{
    uint64_t acked{0};     ///< all before are acknowledged, and their data are back
    uint64_t confirmed{0}; ///< the responder has taken all requests before; never below `acked`
    uint64_t send{0};      ///< next to go
    uint64_t sent{0};      ///< all before have gone at least once
    uint64_t end{0};       ///< all before have been posted
};

/// What a responder does with a request that comes before an earlier one.
enum class EarlyFrames : uint8_t
{
    DISCARD, ///< dropped; a NAK asks for what is missing
    HOLD,    ///< kept; its message is delivered in order
    PLACE,   ///< put where it belongs; a message is delivered as soon as it is whole
};

/**
 * @ingroup ai-fabric
 * @brief How a reliable queue pair recovers from loss and lives with reordering.
 *
 * The queue pair cuts messages into frames, keeps time and counts retries; the strategy decides
 * which frame goes next after a loss, when a frame counts as lost, and what happens to frames that
 * arrive early. Each queue pair has its own object (Fork).
 *
 * A selective strategy travels in the manufacturer's opcodes 0xC0 to 0xDF, because the standard has
 * neither selective acknowledgements nor frames that can be placed alone: both sides of a
 * connection must be selective, or neither.
 */
class RdmaReliability : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return short name, as in scenario files
    virtual std::string GetName() const = 0;

    /// @return a fresh object with the same parameters, for another queue pair
    virtual Ptr<RdmaReliability> Fork() const = 0;

    /// @return acknowledgements say what has arrived beyond a gap
    virtual bool IsSelective() const
    {
        return false;
    }

    // ---- the responder's side

    /// @return what happens to requests that come early
    virtual EarlyFrames GetEarlyFrames() const
    {
        return EarlyFrames::DISCARD;
    }

    /// @return each early request is answered at once, not only when it asks for that
    virtual bool AnswersEarlyFrames() const
    {
        return false;
    }

    // ---- the requester's side

    /// A connection starts. @param firstPsn PSN of the first frame
    virtual void Start(uint64_t firstPsn);

    /// @param window `send` is just behind the frame that has gone @return what goes next
    virtual uint64_t NextAfter(const RdmaSendWindow& window);

    /// window.confirmed has moved on. @param window the requester's window
    virtual void Confirmed(const RdmaSendWindow& window);

    /**
     * A selective acknowledgement has come; window.confirmed is up to date.
     * @param window `send` may be changed
     * @param base PSN of bit 0
     * @param bits bit i: base + i has arrived
     */
    virtual void Sacked(RdmaSendWindow& window, uint64_t base, uint64_t bits);

    /**
     * Of a frame only the headers have come, for a switch has trimmed it.
     * @param window `send` may be changed
     * @param psn of the frame
     */
    virtual void Trimmed(RdmaSendWindow& window, uint64_t psn);

    /// The responder misses a PSN. @param window `send` may be changed @param psn it
    virtual void SequenceNak(RdmaSendWindow& window, uint64_t psn) = 0;

    /// The transport timer ran out. @param window `send` may be changed
    virtual void TimedOut(RdmaSendWindow& window) = 0;

    /**
     * Responses of a READ have come with a gap before them.
     * @param window `send` may be changed
     * @param missing PSN of the first response that is missing
     * @param come PSN of the response that came
     * @return the missing ones are asked for again
     */
    virtual bool ResponseGap(RdmaSendWindow& window, uint64_t missing, uint64_t come) = 0;

    /// @param window the window @param standardSteps the timer by the standard, time steps
    /// @return the timer in force, time steps
    virtual int64_t GetTimeoutSteps(const RdmaSendWindow& window, int64_t standardSteps) const;

    /// @return of the frames that have gone and are not confirmed, how many are known to have left
    /// the network: arrived, trimmed, or lost, and not repeated since
    virtual uint64_t GetGone() const
    {
        return 0;
    }

    /// @return most frames in flight
    virtual uint64_t GetMaxInFlight() const
    {
        return PSN_WINDOW;
    }

    /// @return bytes of memory besides the object itself
    virtual size_t GetMemoryBytes() const
    {
        return 0;
    }
};

} // namespace ns3

#endif // RDMA_RELIABILITY_H
