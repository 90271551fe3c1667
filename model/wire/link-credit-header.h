// SPDX-License-Identifier: GPL-2.0-only
#ifndef LINK_CREDIT_HEADER_H
#define LINK_CREDIT_HEADER_H

#include "wire-format.h"

#include "ns3/header.h"

#include <array>
#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What captures show of a credit frame: 33 bytes after EtherType 88b6, all big-endian.
 *
 * @verbatim
   byte  0         1 .. 32
         classes   8 x (2 bytes FCTBS, 2 bytes FCCL), class 0 first
   @endverbatim
 * The format is the model's own, like ScaleUpHeader's, and does not set the frame's size on the
 * link. InfiniBand has 12 bits of each and a packet a virtual lane.
 */
class LinkCreditHeader : public Header
{
  public:
    static constexpr uint32_t BYTES = 1 + 4 * N_TRAFFIC_CLASSES; ///< size in the image

    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator i) const override;
    uint32_t Deserialize(Buffer::Iterator i) override;

    uint8_t classes{0};                                   ///< bit c: class c is meant
    std::array<uint16_t, N_TRAFFIC_CLASSES> sentBlocks{}; ///< blocks sent so far (FCTBS)
    std::array<uint16_t, N_TRAFFIC_CLASSES> limits{};     ///< blocks that may be sent (FCCL)
};

} // namespace ns3

#endif // LINK_CREDIT_HEADER_H
