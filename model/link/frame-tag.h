// SPDX-License-Identifier: GPL-2.0-only
#ifndef FRAME_TAG_H
#define FRAME_TAG_H

#include "ns3/fabric-frame.h"
#include "ns3/tag.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a simulation knows of a RoCE frame beside its bytes, while it is an IP packet of a
 * node's stack: when it was sent, where its time went, and what it asks for.
 *
 * A FabricNetDevice attaches it to what it hands to the stack, and takes it back from what the
 * stack sends. The time in between, in a router's queue discs and on other kinds of links, counts
 * as queueing.
 */
class FrameTag : public Tag
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FrameTag() = default;

    /// @param frame becomes a packet @param now time steps
    FrameTag(const FabricFrame& frame, int64_t now);

    /// @param frame gets what the tag holds @param now time steps
    void Restore(FabricFrame& frame, int64_t now) const;

    // Tag
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& os) const override;

  private:
    FrameJourney m_journey;
    uint64_t m_sentTime{0};
    uint64_t m_demandBytes{0}; ///< and what shares its storage
    uint64_t m_sentBytes{0};   ///< likewise
    uint64_t m_limitBytes{0};  ///< likewise
    int64_t m_since{0};        ///< when it became a packet, time steps
};

} // namespace ns3

#endif // FRAME_TAG_H
