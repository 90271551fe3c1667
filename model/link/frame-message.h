// SPDX-License-Identifier: GPL-2.0-only
#ifndef FRAME_MESSAGE_H
#define FRAME_MESSAGE_H

#include "ns3/fabric-frame.h"
#include "ns3/packet.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief Frames as the bytes of a packet, for another process of the same program.
 *
 * All that the far end may ask for is in them: the decoded headers, what switches wrote, time
 * stamps, where its time went. They are not the wire image, which has no room for that and would
 * have to be parsed. Words that are zero take a bit.
 *
 * A payload without an application's bytes costs none here either. One that has bytes or tags goes
 * along with them, in a message of its own.
 */
class FrameMessage
{
  public:
    /// Most bytes of a serialized message: those of ns-3's MPI simulators (MAX_MPI_MSG_SIZE) less
    /// what they put before it.
    static constexpr uint32_t MOST_BYTES = 2000 - 24;

    FrameMessage();

    /// @return no frame is in it
    bool IsEmpty() const
    {
        return m_count == 0;
    }

    /**
     * @param port to which it goes
     * @param frame a frame
     * @return false: there is no room for it; or it has a payload, and the message is not empty
     */
    bool Add(uint32_t port, const FabricFrame& frame);

    /// @return the message; it is empty then. Aborts if an application's bytes are too many.
    Ptr<Packet> Take();

    /// @param message from Take() @param receive called with each port and frame, in their order
    static void Read(Ptr<Packet> message, const std::function<void(uint32_t, FramePtr)>& receive);

  private:
    std::vector<uint8_t> m_bytes;
    uint32_t m_count{0};
    Ptr<Packet> m_payload;
};

} // namespace ns3

#endif // FRAME_MESSAGE_H
