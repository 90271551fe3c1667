// SPDX-License-Identifier: GPL-2.0-only
#ifndef IN_NETWORK_REDUCER_H
#define IN_NETWORK_REDUCER_H

#include "ns3/data-rate.h"
#include "ns3/fabric-frame.h"
#include "ns3/frame-group-unit.h"
#include "ns3/nstime.h"
#include "ns3/persistent-event.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class FabricSwitch;
class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief A unit of a switch that adds frames up and multiplies them: NVLS in a scale-up domain,
 * SHARP-like reduction elsewhere.
 *
 * A group (FrameGroup) has slots; frame n of its senders meets its fellows in slot n. When all have
 * come, one frame leaves for each receiver, and the slot is free when the last of them has left its
 * port. So the unit's memory holds what waits for its fellows and what waits for its way out.
 *
 * It neither drops nor stops a link, for it never gets what it has no slot for: a sender may send
 * frame n only when the unit has granted it (GROUP_CREDIT frames, sent when a quarter of the
 * group's slots can be granted anew). Each group has one slot of its own, always; beyond that
 * groups share Capacity, each as much as is left free for others (and no more than GroupWindow).
 *
 * It cannot lock up. What a sender may send has a slot, so it never stands in the way of another
 * group's or another kind's frames; a frame that leaves needs nothing but its link; and each group
 * has a slot, so it goes on once all of its senders do, however far the others are ahead.
 *
 * A contribution is the payload of one frame; adding is exact and takes 1 / Throughput a byte, the
 * contributions of all groups one after the other, and Latency after the last one.
 */
class InNetworkReducer : public FrameGroupUnit
{
  public:
    /// Bit of FabricFrame::ingressPort, in a switch: the frame is in the memory of its reducer, and
    /// the other bits are the number of its group.
    static constexpr uint16_t IN_REDUCER = 0x8000;
    /// Most groups of a unit.
    static constexpr uint32_t MOST_GROUPS = 0x7ffe;
    /// Address of the first group: administratively scoped multicast (RFC 2365).
    static constexpr uint32_t FIRST_ADDRESS = 0xef000000; // 239.0.0.0

    /// @return the TypeId
    static TypeId GetTypeId();

    InNetworkReducer();
    ~InNetworkReducer() override;

    /// Called by the switch that it belongs to. @param fabricSwitch whose unit it is
    void SetSwitch(FabricSwitch& fabricSwitch);

    // FrameGroupUnit
    Ticket AddGroup(const FrameGroup& group) override;

    /**
     * Called by the switch with a frame that has no route.
     * @param ingress port by which it came
     * @param frame taken if it belongs to a group
     * @return whether it did
     */
    bool Take(uint32_t ingress, FramePtr& frame);

    /// Called by the switch: a frame of this unit has left, or was flushed. @param frame it
    void FrameLeaves(const FabricFrame& frame);

    /// @return bytes of slots that are in use: what waits for its fellows or to leave
    uint64_t GetUsedBytes() const
    {
        return m_usedBytes;
    }

    /// @return most bytes that were ever in use
    uint64_t GetPeakBytes() const
    {
        return m_peakBytes;
    }

    /// @return bytes of all slots that are granted now: of each group one, and what they share
    uint64_t GetGrantedBytes() const
    {
        return m_ownBytes + m_sharedBytes;
    }

    /// @return contributions taken so far
    uint64_t GetContributions() const
    {
        return m_contributions;
    }

    /// @return number of groups
    uint32_t GetNGroups() const
    {
        return static_cast<uint32_t>(m_groups.size());
    }

  protected:
    void DoDispose() override;

  private:
    /// Where frames of one number meet.
    struct Slot
    {
        uint32_t payloadBytes{0};
        uint16_t missing{0}; ///< senders whose frame has not come; 0: the sum is on its way out
        uint16_t copies{0};  ///< of the sum that have not left
    };

    struct Sender
    {
        FabricNetDevice* port;
        FrameGroup::Member member;
        uint64_t next{0}; ///< number of its next frame
    };

    struct Receiver
    {
        FabricNetDevice* port;
        FrameGroup::Member member;
    };

    struct Group
    {
        std::vector<Sender> senders;
        std::vector<Receiver> receivers;
        std::vector<uint16_t> senderOfPort; ///< by port of the switch; NO_SENDER
        std::vector<Slot> slots;            ///< number n is in n modulo their count
        uint32_t slotBytes{0};
        uint32_t window{1};  ///< slots that may be in use
        uint64_t base{0};    ///< number of the first frame whose slot is not free again
        uint64_t granted{0}; ///< frames below this number may come
    };

    static constexpr uint16_t NO_SENDER = UINT16_MAX;

    void Contribute(uint32_t number, Sender& sender, FramePtr frame);
    void Emit(FramePtr frame);
    void EmitDue();
    void SlotIsFree(uint32_t number);
    void AdaptWindow(Group& group);
    void Grant(uint32_t number, Sender& sender) const;
    int64_t BookAddition(uint32_t bytes, int64_t now);

    uint64_t m_capacity{0};
    uint64_t m_groupWindow{0};
    uint32_t m_creditBytes{0};
    uint8_t m_creditClass{0};
    DataRate m_throughput;
    Time m_latency;
    FabricSwitch* m_switch{nullptr};
    std::vector<Group> m_groups;
    uint64_t m_ownBytes{0};    ///< the slots that each group has for itself
    uint64_t m_sharedBytes{0}; ///< slots beyond these, of Capacity
    uint64_t m_usedBytes{0};
    uint64_t m_peakBytes{0};
    uint64_t m_contributions{0};
    int64_t m_freeAt{0}; ///< when the last contribution has been added, time steps
    FrameFifo m_due;     ///< sums that leave at their arrivalTime
    Ptr<PersistentEvent<InNetworkReducer, &InNetworkReducer::EmitDue>> m_emit;
};

} // namespace ns3

#endif // IN_NETWORK_REDUCER_H
