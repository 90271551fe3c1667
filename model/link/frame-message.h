// SPDX-License-Identifier: GPL-2.0-only
#ifndef FRAME_MESSAGE_H
#define FRAME_MESSAGE_H

#include "ns3/fabric-frame.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief Frames as bytes, for another process of the same program.
 *
 * All that the far end may ask for is in them: the decoded headers, what switches wrote, time
 * stamps, where its time went. They are not the wire image, which has no room for that and would
 * have to be parsed. A payload goes along with its tags; one
 * without an application's bytes costs next to none.
 */
class FrameMessage
{
  public:
    /// Most bytes of a message that ns-3's MPI simulators carry: MAX_MPI_MSG_SIZE less what they
    /// put before it, and what a serialized ns-3 packet has besides its bytes.
    static constexpr size_t MOST_BYTES_OF_NS3 = 2000 - 24 - 64;

    /// @param mostBytes that it may have
    explicit FrameMessage(size_t mostBytes = SIZE_MAX);

    /// @return no frame is in it
    bool IsEmpty() const
    {
        return m_bytes.empty();
    }

    /// @return its bytes
    const std::vector<uint8_t>& GetBytes() const
    {
        return m_bytes;
    }

    /// Empties it.
    void Clear()
    {
        m_bytes.clear();
    }

    /**
     * @param port to which it goes
     * @param frame a frame; aborts if it alone is too large, which an application's bytes can make
     * it
     * @return false: there is no room for it beside the others
     */
    bool Add(uint32_t port, const FabricFrame& frame);

    /// @param bytes of a message @param size how many @param receive called with each port and
    /// frame, in their order
    static void Read(const uint8_t* bytes,
                     size_t size,
                     const std::function<void(uint32_t, FramePtr)>& receive);

  private:
    size_t m_mostBytes;
    std::vector<uint8_t> m_bytes;
};

} // namespace ns3

#endif // FRAME_MESSAGE_H
