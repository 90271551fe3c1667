// SPDX-License-Identifier: GPL-2.0-only
#ifndef FRAME_GROUP_UNIT_H
#define FRAME_GROUP_UNIT_H

#include "ns3/mac48-address.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class FabricNetDevice;

/**
 * @brief A group of frames that meet in a switch: frame n of all its senders become one frame, and
 * each receiver gets that one.
 *
 * Several senders and one receiver reduce; one sender and several receivers multicast; both at once
 * is an all-reduce in one go. All senders cut what they send alike: their frames of one number are
 * of one length.
 */
struct FrameGroup
{
    /// A sender or a receiver.
    struct Member
    {
        Ptr<FabricNetDevice> port; ///< the switch's port that leads there
        uint32_t address{0};       ///< destination of frames to it
        Mac48Address mac;          ///< likewise
        uint32_t flow{0};          ///< its own number of the flow
    };

    std::vector<Member> senders;   ///< at least one, each behind a port of its own
    std::vector<Member> receivers; ///< at least one
    uint32_t maxPayloadBytes{0};   ///< of a frame, at least 1
};

/**
 * @ingroup ai-fabric
 * @brief What a switch's node offers to those who want to have frames reduced or multiplied on the
 * way. It is found as an object that is aggregated to the node, so that endpoints need not know
 * switches.
 *
 * A sender's frame of a group has the group's address as destination, and numbers itself in
 * FabricFrame::psn (24 bits, from 0 on). It may be sent only if its number is below what the unit
 * has granted: first AddGroup()'s answer, then in frames of kind GROUP_CREDIT, whose messageId has
 * the sender's flow in the upper and the number in the lower 32 bits. What a receiver gets comes
 * from the group's address, and its messageId's upper 32 bits are the receiver's flow; the lower 32
 * bits and all the rest are as the last sender has set them.
 */
class FrameGroupUnit : public Object
{
  public:
    /// What a sender has to know of its group.
    struct Ticket
    {
        uint32_t address{0}; ///< of the group
        uint32_t granted{0}; ///< frames below this number may be sent at once
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Registers a group, as part of the set-up: it takes no time.
     * @param group who sends and who receives
     * @return what its senders have to know
     */
    virtual Ticket AddGroup(const FrameGroup& group) = 0;
};

} // namespace ns3

#endif // FRAME_GROUP_UNIT_H
