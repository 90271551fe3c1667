// SPDX-License-Identifier: GPL-2.0-only
#ifndef FRAME_TRIMMER_H
#define FRAME_TRIMMER_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Packet trimming: where there is no room for a data frame, its headers go on alone.
 *
 * (Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
 * performance", SIGCOMM 2017, section 3.1; Ultra Ethernet has it, too.) The receiver so learns at
 * once which frame is missing. The headers travel in a class of their own, by default a strict one:
 * they are small and they are news.
 *
 * Trimmed are SENDs and WRITEs of reliable connections in lossy classes. All else that finds no
 * room is dropped: answers and CNPs have no payload; nobody answers READ responses, which the
 * requester asks for again by the gap; unreliable services repeat nothing.
 *
 * A trimmed frame ends with its headers: IP and UDP lengths are set anew, BTH is left alone, and
 * the ICRC has gone with the payload. Its DSCP (wire::TRIMMED_DSCP) says what it is.
 *
 * It keeps no state but a count: switches may share one.
 */
class FrameTrimmer : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Cuts the payload off a frame for which there was no room, and moves it to the class of
     * trimmed frames.
     * @param frame the frame, its size and class not booked anywhere
     * @return false: it is none that may be trimmed, and was not changed
     */
    bool Trim(FabricFrame& frame);

    /// @return the class of trimmed frames
    uint8_t GetTrimClass() const
    {
        return m_trimClass;
    }

    /// @return frames that were trimmed
    uint64_t GetTrimmedFrames() const
    {
        return m_trimmedFrames;
    }

    /// @return payload bytes that were cut off
    uint64_t GetTrimmedBytes() const
    {
        return m_trimmedBytes;
    }

  private:
    uint8_t m_trimClass{0};
    uint32_t m_minBytes{0};
    uint64_t m_trimmedFrames{0};
    uint64_t m_trimmedBytes{0};
};

} // namespace ns3

#endif // FRAME_TRIMMER_H
