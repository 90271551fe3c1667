// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCALE_UP_HEADER_H
#define SCALE_UP_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What captures show of a scale-up frame: 20 bytes after EtherType 88b5, all big-endian.
 *
 * @verbatim
   byte  0 .. 3         4 .. 7     8 .. 15       16 .. 19
         destination    source     message id    payload bytes
   @endverbatim
 * The formats of real scale-up links are not public. This one is the model's own: it makes the
 * frame's contents visible to packet tools and lets it be parsed again. It does not set the frame's
 * size on the link, which FabricFrame::sizeBytes holds.
 */
class ScaleUpHeader : public Header
{
  public:
    static constexpr uint32_t BYTES = 20; ///< size in the image

    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint32_t dstAddress{0};   ///< address of the receiving port
    uint32_t srcAddress{0};   ///< address of the sending port
    uint64_t messageId{0};    ///< which message of the sender these bytes belong to
    uint32_t payloadBytes{0}; ///< bytes that follow
};

} // namespace ns3

#endif // SCALE_UP_HEADER_H
