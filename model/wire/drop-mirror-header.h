// SPDX-License-Identifier: GPL-2.0-only
#ifndef DROP_MIRROR_HEADER_H
#define DROP_MIRROR_HEADER_H

#include "ns3/header.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a switch tells a collector of a frame that it dropped: the first bytes of the UDP
 * payload, before those of the frame.
 *
 * The format is ours. All fields are big-endian:
 *
 *     version 8 (1), reason 8 (a DropReason), traffic class 8, reserved 8
 *     node id of the switch 32
 *     ingress port 32
 *     egress port 32; all ones: not known
 *     time of the drop 64, nanoseconds
 *     number of the report, from 0 on 32
 *     drops that were not reported so far, for there were too many 32
 *     size of the dropped frame, FCS included 32
 */
class DropMirrorHeader : public Header
{
  public:
    static constexpr uint32_t BYTES = 36;
    static constexpr uint8_t VERSION = 1;

    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    uint8_t version{VERSION};
    uint8_t reason{0};
    uint8_t trafficClass{0};
    uint32_t switchId{0};
    uint32_t ingressPort{0};
    uint32_t egressPort{0};
    uint64_t nanoseconds{0};
    uint32_t sequence{0};
    uint32_t suppressed{0};
    uint32_t frameBytes{0};
};

} // namespace ns3

#endif // DROP_MIRROR_HEADER_H
