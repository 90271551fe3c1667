// SPDX-License-Identifier: GPL-2.0-only
#include "in-network-reducer.h"

#include "fabric-switch.h"

#include "ns3/abort.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InNetworkReducer);

TypeId
InNetworkReducer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InNetworkReducer")
            .SetParent<FrameGroupUnit>()
            .SetGroupName("AiFabric")
            .AddConstructor<InNetworkReducer>()
            .AddAttribute("Capacity",
                          "Payload bytes that groups share for frames that wait for their fellows, "
                          "or to leave, beyond the one frame that each group has room for.",
                          UintegerValue(16 << 20),
                          MakeUintegerAccessor(&InNetworkReducer::m_capacity),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("GroupWindow",
                          "Most payload bytes that one group may have there, at least one frame.",
                          UintegerValue(512 << 10),
                          MakeUintegerAccessor(&InNetworkReducer::m_groupWindow),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Latency",
                          "From the last contribution to a frame until its sum is ready, beyond "
                          "what any frame takes through the switch (IngressLatency).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InNetworkReducer::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Throughput",
                          "Payload of contributions that it adds up, in all; 0: as they come.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&InNetworkReducer::m_throughput),
                          MakeDataRateChecker())
            .AddAttribute("CreditBytes",
                          "Size of a frame that grants slots (bytes).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&InNetworkReducer::m_creditBytes),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("CreditClass",
                          "Traffic class of such a frame.",
                          UintegerValue(N_TRAFFIC_CLASSES - 1),
                          MakeUintegerAccessor(&InNetworkReducer::m_creditClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1));
    return tid;
}

InNetworkReducer::InNetworkReducer()
    : m_emit(Create<PersistentEvent<InNetworkReducer, &InNetworkReducer::EmitDue>>(this))
{
}

InNetworkReducer::~InNetworkReducer()
{
    m_emit->Detach();
}

void
InNetworkReducer::DoDispose()
{
    m_emit->Detach();
    m_due.Clear();
    m_groups.clear();
    FrameGroupUnit::DoDispose();
}

void
InNetworkReducer::SetSwitch(FabricSwitch& fabricSwitch)
{
    m_switch = &fabricSwitch;
}

// ---------------------------------------------------------------- groups

FrameGroupUnit::Ticket
InNetworkReducer::AddGroup(const FrameGroup& group)
{
    NS_ABORT_MSG_UNLESS(m_switch, "InNetworkReducer: it belongs to no switch yet");
    NS_ABORT_MSG_IF(group.senders.empty() || group.receivers.empty() || group.maxPayloadBytes == 0,
                    "InNetworkReducer: a group needs a sender, a receiver and frames of at least "
                    "1 B; it has "
                        << group.senders.size() << ", " << group.receivers.size() << " and "
                        << group.maxPayloadBytes << " B");
    NS_ABORT_MSG_IF(m_groups.size() >= MOST_GROUPS,
                    "InNetworkReducer: no more than " << MOST_GROUPS << " groups");
    auto number = static_cast<uint32_t>(m_groups.size());
    Group made;
    made.senderOfPort.assign(m_switch->GetNPorts(), NO_SENDER);
    for (const FrameGroup::Member& member : group.senders)
    {
        uint16_t& sender = made.senderOfPort.at(m_switch->GetPortNumber(member.port));
        NS_ABORT_MSG_IF(sender != NO_SENDER,
                        "InNetworkReducer: two senders of a group are behind one port");
        sender = static_cast<uint16_t>(made.senders.size());
        made.senders.push_back({PeekPointer(member.port), member});
    }
    for (const FrameGroup::Member& member : group.receivers)
    {
        made.receivers.push_back({PeekPointer(member.port), member});
    }
    made.slotBytes = group.maxPayloadBytes;
    uint64_t most = std::max<uint64_t>(1, m_groupWindow / made.slotBytes);
    made.slots.resize(most);
    m_ownBytes += made.slotBytes;
    // As much as it leaves to others.
    uint64_t extra = std::min(most - 1, (m_capacity - m_sharedBytes) / 2 / made.slotBytes);
    m_sharedBytes += extra * made.slotBytes;
    made.window = static_cast<uint32_t>(1 + extra);
    made.granted = made.window;
    m_groups.push_back(std::move(made));
    return {FIRST_ADDRESS + number, m_groups.back().window};
}

void
InNetworkReducer::AdaptWindow(Group& group)
{
    uint64_t extra = uint64_t{group.window - 1} * group.slotBytes;
    uint64_t free = m_capacity - m_sharedBytes;
    if (extra > free)
    {
        --group.window;
        m_sharedBytes -= group.slotBytes;
    }
    else if (group.window < group.slots.size() && extra + group.slotBytes <= free)
    {
        ++group.window;
        m_sharedBytes += group.slotBytes;
    }
}

// ---------------------------------------------------------------- frames that come

bool
InNetworkReducer::Take(uint32_t ingress, FramePtr& frame)
{
    uint32_t number = frame->dstAddress - FIRST_ADDRESS;
    if (number >= m_groups.size())
    {
        return false;
    }
    Group& group = m_groups[number];
    uint16_t sender = group.senderOfPort[ingress];
    NS_ABORT_MSG_IF(sender == NO_SENDER,
                    "InNetworkReducer: a frame for group " << number << " came by port " << ingress
                                                           << ", where no sender of it is");
    Contribute(number, group.senders[sender], std::move(frame));
    return true;
}

void
InNetworkReducer::Contribute(uint32_t number, Sender& sender, FramePtr frame)
{
    Group& group = m_groups[number];
    uint64_t n = sender.next++;
    NS_ABORT_MSG_IF((n & wire::MASK_24) != frame->psn || n >= group.granted,
                    "InNetworkReducer: group " << number << ": frame " << frame->psn << " from "
                                               << frame->srcAddress << " came where frame "
                                               << (n & wire::MASK_24) << " below " << group.granted
                                               << " was due");
    Slot& slot = group.slots[n % group.slots.size()];
    if (slot.missing == 0)
    {
        slot.missing = static_cast<uint16_t>(group.senders.size());
        slot.payloadBytes = frame->payloadBytes;
        m_usedBytes += frame->payloadBytes;
        m_peakBytes = std::max(m_peakBytes, m_usedBytes);
    }
    NS_ABORT_MSG_IF(slot.payloadBytes != frame->payloadBytes ||
                        frame->payloadBytes > group.slotBytes,
                    "InNetworkReducer: group " << number << ": frame " << n << " has "
                                               << frame->payloadBytes << " B from one sender and "
                                               << slot.payloadBytes << " B from another one, of "
                                               << group.slotBytes << " B allowed");
    ++m_contributions;
    int64_t now = NowSteps();
    int64_t added = BookAddition(frame->payloadBytes, now);
    if (--slot.missing > 0)
    {
        return; // its payload is in the sum
    }
    slot.copies = static_cast<uint16_t>(group.receivers.size());
    frame->ingressPort = static_cast<uint16_t>(IN_REDUCER | number);
    int64_t ready = added + m_latency.GetTimeStep();
    if (ready <= now && m_due.IsEmpty())
    {
        Emit(std::move(frame));
        return;
    }
    frame->journey.queueing += ready - now;
    frame->arrivalTime = ready;
    if (m_due.IsEmpty())
    {
        m_emit->Schedule(m_switch->GetNodeId(), ready - now);
    }
    m_due.Push(std::move(frame));
}

int64_t
InNetworkReducer::BookAddition(uint32_t bytes, int64_t now)
{
    if (m_throughput.GetBitRate() == 0)
    {
        return now;
    }
    double steps = 8.0 * bytes * static_cast<double>(Seconds(1).GetTimeStep()) /
                   static_cast<double>(m_throughput.GetBitRate());
    m_freeAt = std::max(m_freeAt, now) + static_cast<int64_t>(steps + 0.5);
    return m_freeAt;
}

// ---------------------------------------------------------------- frames that leave

void
InNetworkReducer::EmitDue()
{
    FramePtr frame = m_due.Pop();
    if (!m_due.IsEmpty())
    {
        int64_t wait = m_due.Front().arrivalTime - frame->arrivalTime;
        m_emit->Schedule(m_switch->GetNodeId(), std::max<int64_t>(0, wait));
    }
    Emit(std::move(frame));
}

void
InNetworkReducer::Emit(FramePtr frame)
{
    uint32_t number = frame->ingressPort & ~uint32_t{IN_REDUCER};
    const Group& group = m_groups[number];
    frame->srcAddress = FIRST_ADDRESS + number;
    ++frame->hops;
    auto message = static_cast<uint32_t>(frame->messageId);
    for (size_t r = 0; r < group.receivers.size(); ++r)
    {
        const Receiver& receiver = group.receivers[r];
        FramePtr copy = r + 1 < group.receivers.size() ? frame->Clone() : std::move(frame);
        copy->dstAddress = receiver.member.address;
        copy->dstMac = receiver.member.mac;
        copy->messageId = uint64_t{receiver.member.flow} << 32 | message;
        receiver.port->Enqueue(std::move(copy));
    }
}

void
InNetworkReducer::FrameLeaves(const FabricFrame& frame)
{
    if (frame.kind == FrameKind::GROUP_CREDIT)
    {
        return;
    }
    uint32_t number = frame.ingressPort & ~uint32_t{IN_REDUCER};
    Group& group = m_groups[number];
    // The frame's number is at or above the first one that is in use, and near to it.
    uint64_t n = group.base + ((frame.psn - group.base) & wire::MASK_24);
    Slot& slot = group.slots[n % group.slots.size()];
    if (--slot.copies == 0)
    {
        m_usedBytes -= slot.payloadBytes;
        SlotIsFree(number);
    }
}

void
InNetworkReducer::SlotIsFree(uint32_t number)
{
    // Each receiver's copies leave in order, so slots become free in order.
    Group& group = m_groups[number];
    ++group.base;
    AdaptWindow(group);
    uint64_t grantable = group.base + group.window - group.granted;
    if (4 * grantable < group.window)
    {
        return;
    }
    group.granted += grantable;
    for (Sender& sender : group.senders)
    {
        Grant(number, sender);
    }
}

void
InNetworkReducer::Grant(uint32_t number, Sender& sender) const
{
    FramePtr credit = FabricFrame::Create();
    credit->kind = FrameKind::GROUP_CREDIT;
    credit->etherType = wire::ETHERTYPE_EXPERIMENTAL;
    credit->trafficClass = m_creditClass;
    credit->sizeBytes = m_creditBytes;
    credit->srcAddress = FIRST_ADDRESS + number;
    credit->dstAddress = sender.member.address;
    credit->dstMac = sender.member.mac;
    credit->messageId =
        uint64_t{sender.member.flow} << 32 | static_cast<uint32_t>(m_groups[number].granted);
    credit->ingressPort = static_cast<uint16_t>(IN_REDUCER | number);
    sender.port->Enqueue(std::move(credit));
}

} // namespace ns3
