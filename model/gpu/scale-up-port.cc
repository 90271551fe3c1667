// SPDX-License-Identifier: GPL-2.0-only
#include "scale-up-port.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ScaleUpPort);

namespace
{

/// Makes room for one more.
template <typename T>
void
Grow(boost::circular_buffer<T>& buffer)
{
    constexpr size_t FIRST_CAPACITY = 4;
    if (buffer.full())
    {
        buffer.set_capacity(std::max(FIRST_CAPACITY, 2 * buffer.capacity()));
    }
}

} // namespace

TypeId
ScaleUpPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ScaleUpPort")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<ScaleUpPort>()
            .AddAttribute("TrafficClass",
                          "Class of its frames; the domain's switch must be lossless in it.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&ScaleUpPort::m_trafficClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddAttribute("FramePayload",
                          "Payload bytes of a full frame: how finely the model cuts messages. A "
                          "frame is a train of link packets.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&ScaleUpPort::m_framePayload),
                          MakeUintegerChecker<uint32_t>(1, 1U << 24))
            .AddAttribute("FramesPerMessage",
                          "Frames that a message is cut into where full ones would be fewer, so "
                          "that it can be sent while it is written; none below MinFramePayload.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&ScaleUpPort::m_framesPerMessage),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinFramePayload",
                          "Payload bytes of the smallest frame that a message is cut into.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&ScaleUpPort::m_minFramePayload),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("PacketPayload",
                          "Payload bytes of a full link packet.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&ScaleUpPort::m_packetPayload),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("PacketOverhead",
                          "Bytes of a link packet besides its payload.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&ScaleUpPort::m_packetOverhead),
                          MakeUintegerChecker<uint32_t>(1, 4096));
    return tid;
}

ScaleUpPort::ScaleUpPort()
    : m_writtenEvent(this)
{
}

ScaleUpPort::~ScaleUpPort() = default;

void
ScaleUpPort::DoDispose()
{
    m_links.clear();
    m_txFlows.clear();
    m_rxFlows.clear();
    Object::DoDispose();
}

// ---------------------------------------------------------------- set-up

ScaleUpPort::Link::Link(ScaleUpPort& owner, uint32_t index, Ptr<FabricNetDevice> itsDevice)
    : port(owner),
      number(index),
      device(PeekPointer(itsDevice)),
      departEvent(Create<PersistentEvent<Link, &Link::Depart>>(this)),
      keepDevice(itsDevice)
{
    device->SetOwner(this);
}

ScaleUpPort::Link::~Link()
{
    departEvent->Detach();
}

void
ScaleUpPort::AddLink(Ptr<FabricNetDevice> device)
{
    NS_ABORT_MSG_UNLESS(device->GetPeer(), "ScaleUpPort::AddLink: plug the cable in first");
    m_links.emplace_back(*this, static_cast<uint32_t>(m_links.size()), device);
    ListenForLoss(*device);
    ListenForLoss(*device->GetPeer());
}

void
ScaleUpPort::ListenForLoss(FabricNetDevice& device)
{
    for (const char* source : {"FrameLost", "FrameDrop"})
    {
        device.TraceConnectWithoutContext(source, MakeCallback(&ScaleUpPort::FrameLost, this));
    }
}

void
ScaleUpPort::FrameLost(const FabricFrame& frame)
{
    if (frame.kind == FrameKind::SCALE_UP || frame.kind == FrameKind::GROUP_CREDIT)
    {
        NS_FATAL_ERROR("ScaleUpPort: a frame from " << Ipv4Address(frame.srcAddress) << " to "
                                                    << Ipv4Address(frame.dstAddress)
                                                    << " was lost or dropped. A scale-up domain "
                                                       "must be lossless: loss on its links is not "
                                                       "supported.");
    }
}

Ptr<FabricNetDevice>
ScaleUpPort::GetDevice(uint32_t link) const
{
    return m_links.at(link).keepDevice;
}

/// @return the links of one that lead to the other: their own, or else all (switch planes)
ScaleUpPort::LinkRange
ScaleUpPort::FindLinks(const ScaleUpPort& from, const ScaleUpPort& to)
{
    NS_ABORT_MSG_IF(from.m_links.empty() || to.m_links.empty(),
                    "ScaleUpPort: a port without a link cannot be connected");
    LinkRange links;
    bool toSwitches = true;
    for (const Link& link : from.m_links)
    {
        Ptr<FabricNetDevice> peer = link.device->GetPeer();
        toSwitches = toSwitches && peer->GetIpv4Address().IsAny();
        bool direct = std::any_of(to.m_links.begin(), to.m_links.end(), [&](const Link& other) {
            return other.keepDevice == peer;
        });
        if (direct)
        {
            links.first = links.count ? links.first : link.number;
            ++links.count;
            NS_ABORT_MSG_IF(link.number != links.first + links.count - 1,
                            "ScaleUpPort: the links from "
                                << from.m_links[0].device->GetIpv4Address() << " to "
                                << to.m_links[0].device->GetIpv4Address()
                                << " are not one after the other");
        }
    }
    if (links.count == 0)
    {
        NS_ABORT_MSG_IF(!toSwitches || from.m_links.size() != to.m_links.size(),
                        "ScaleUpPort: no link leads from "
                            << from.m_links[0].device->GetIpv4Address() << " to "
                            << to.m_links[0].device->GetIpv4Address());
        links.count = from.GetNLinks();
    }
    return links;
}

ScaleUpPort::TxFlow&
ScaleUpPort::AddTxFlow(LinkRange links, uint32_t offset, DepartedCallback departed)
{
    m_txFlows.emplace_back();
    TxFlow& flow = m_txFlows.back();
    m_spread = links.count; // alike for all flows: planes, or links to each peer
    flow.links = links;
    flow.link = links.first + offset % links.count;
    flow.lastLink = flow.link;
    flow.departed = departed;
    return flow;
}

ScaleUpPort::RxFlow&
ScaleUpPort::AddRxFlow(LinkRange links, ArrivedCallback arrived)
{
    m_rxFlows.emplace_back();
    RxFlow& flow = m_rxFlows.back();
    flow.links = links;
    flow.frames.resize(links.count);
    flow.arrived = arrived;
    return flow;
}

uint32_t
ScaleUpPort::Connect(Ptr<ScaleUpPort> from,
                     Ptr<ScaleUpPort> to,
                     DepartedCallback departed,
                     ArrivedCallback arrived)
{
    LinkRange links = FindLinks(*from, *to);
    auto number = static_cast<uint32_t>(from->m_txFlows.size());
    uint32_t source = from->m_links[0].device->GetIpv4Address().Get();
    to->AddRxFlow(FindLinks(*to, *from), arrived).source = source;
    uint32_t destination = to->m_links[0].device->GetIpv4Address().Get();
    // Short messages of many flows are to meet on no link in particular, at neither end.
    uint32_t offset = source + destination + from->m_flowsTo[destination]++;
    TxFlow& tx = from->AddTxFlow(links, offset, departed);
    tx.destination = destination;
    tx.destinationMac = to->m_links[0].device->GetMacAddress();
    tx.remoteFlow = static_cast<uint32_t>(to->m_rxFlows.size() - 1);
    return number;
}

FrameGroupUnit*
ScaleUpPort::GetUnit(uint32_t link) const
{
    Ptr<Node> node = m_links[link].device->GetPeer()->GetNode();
    return PeekPointer(node->GetObject<FrameGroupUnit>());
}

bool
ScaleUpPort::HasFrameGroups() const
{
    return !m_links.empty() && std::all_of(m_links.begin(), m_links.end(), [this](const Link& l) {
        return GetUnit(l.number) != nullptr;
    });
}

FrameGroup::Member
ScaleUpPort::MemberOf(uint32_t link, uint32_t flow) const
{
    FabricNetDevice& device = *m_links[link].device;
    return {device.GetPeer(), device.GetIpv4Address().Get(), device.GetMacAddress(), flow};
}

void
ScaleUpPort::JoinGroup(const std::vector<Ptr<ScaleUpPort>>& senders,
                       const std::vector<uint32_t>& txFlows,
                       const std::vector<Ptr<ScaleUpPort>>& receivers,
                       const std::vector<uint32_t>& rxFlows)
{
    for (uint32_t link = 0; link < senders[0]->GetNLinks(); ++link)
    {
        FrameGroup group;
        group.maxPayloadBytes = senders[0]->m_framePayload;
        for (size_t s = 0; s < senders.size(); ++s)
        {
            group.senders.push_back(senders[s]->MemberOf(link, txFlows[s]));
        }
        for (size_t r = 0; r < receivers.size(); ++r)
        {
            group.receivers.push_back(receivers[r]->MemberOf(link, rxFlows[r]));
        }
        FrameGroupUnit::Ticket ticket = senders[0]->GetUnit(link)->AddGroup(group);
        for (size_t s = 0; s < senders.size(); ++s)
        {
            TxFlow& flow = senders[s]->m_txFlows[txFlows[s]];
            flow.group = flow.group ? std::move(flow.group) : std::make_unique<GroupState>();
            flow.group->tickets.push_back(ticket);
        }
        for (size_t r = 0; r < receivers.size(); ++r)
        {
            receivers[r]->m_rxFlows[rxFlows[r]].sources.push_back(ticket.address);
        }
    }
}

namespace
{

/// @param ports members of a group of frames: aborts unless the domain can serve them
void
RefuseIfUnable(const std::vector<Ptr<ScaleUpPort>>& ports, size_t callbacks)
{
    NS_ABORT_MSG_IF(ports.empty() || ports.size() != callbacks,
                    "ScaleUpPort: " << ports.size() << " members with " << callbacks
                                    << " callbacks");
    for (const auto& port : ports)
    {
        NS_ABORT_MSG_UNLESS(port->HasFrameGroups() && port->GetNLinks() == ports[0]->GetNLinks(),
                            "ScaleUpPort: reduction and multicast need a domain whose switches "
                            "have a unit for that (FabricSwitch::Reducer)");
    }
}

} // namespace

std::vector<uint32_t>
ScaleUpPort::ConnectReduction(const std::vector<Ptr<ScaleUpPort>>& members,
                              Ptr<ScaleUpPort> owner,
                              const std::vector<DepartedCallback>& departed,
                              ArrivedCallback arrived)
{
    RefuseIfUnable(members, departed.size());
    RefuseIfUnable({owner}, 1);
    LinkRange all{0, owner->GetNLinks()};
    auto rxFlow = static_cast<uint32_t>(owner->m_rxFlows.size());
    owner->AddRxFlow(all, arrived);
    std::vector<uint32_t> txFlows;
    for (size_t m = 0; m < members.size(); ++m)
    {
        txFlows.push_back(static_cast<uint32_t>(members[m]->m_txFlows.size()));
        members[m]->AddTxFlow(all, rxFlow, departed[m]); // all of them begin at the same link
    }
    JoinGroup(members, txFlows, {owner}, {rxFlow});
    return txFlows;
}

uint32_t
ScaleUpPort::ConnectMulticast(Ptr<ScaleUpPort> source,
                              const std::vector<Ptr<ScaleUpPort>>& members,
                              DepartedCallback departed,
                              const std::vector<ArrivedCallback>& arrived)
{
    RefuseIfUnable(members, arrived.size());
    RefuseIfUnable({source}, 1);
    LinkRange all{0, source->GetNLinks()};
    std::vector<uint32_t> rxFlows;
    for (size_t m = 0; m < members.size(); ++m)
    {
        rxFlows.push_back(static_cast<uint32_t>(members[m]->m_rxFlows.size()));
        members[m]->AddRxFlow(all, arrived[m]);
    }
    auto txFlow = static_cast<uint32_t>(source->m_txFlows.size());
    source->AddTxFlow(all, txFlow, departed);
    JoinGroup({source}, {txFlow}, members, rxFlows);
    return txFlow;
}

// ---------------------------------------------------------------- sending

void
ScaleUpPort::Send(uint32_t number, uint64_t bytes, int64_t pace)
{
    TxFlow& flow = m_txFlows.at(number);
    bool idle = flow.messages.empty();
    Grow(flow.messages);
    flow.messages.push_back({bytes, NowSteps(), pace});
    m_queuedBytes += bytes;
    if (idle)
    {
        PutInRound(flow);
    }
}

uint32_t
ScaleUpPort::GetFramePayload(uint64_t messageBytes) const
{
    uint64_t share = (messageBytes + m_framesPerMessage - 1) / m_framesPerMessage;
    return static_cast<uint32_t>(
        std::clamp<uint64_t>(share, std::min(m_minFramePayload, m_framePayload), m_framePayload));
}

int64_t
ScaleUpPort::GetWrittenTime(const TxFlow& flow) const
{
    const Message& message = flow.messages.front();
    uint64_t end = std::min(message.bytes, flow.sent + GetFramePayload(message.bytes));
    if (message.bytes == 0)
    {
        return message.begin + message.pace;
    }
    auto share = static_cast<double>(end) / static_cast<double>(message.bytes);
    return message.begin + static_cast<int64_t>(static_cast<double>(message.pace) * share);
}

void
ScaleUpPort::PutInRound(TxFlow& flow)
{
    int64_t now = NowSteps();
    int64_t written = flow.messages.front().pace > 0 ? GetWrittenTime(flow) : now;
    if (written <= now)
    {
        TakeTurn(flow);
        return;
    }
    m_writing.push({written, m_writingOrder++, &flow});
    m_writtenEvent.At(m_links[flow.link].device->GetNodeId(), written, now);
}

void
ScaleUpPort::FramesWritten()
{
    int64_t now = NowSteps();
    while (!m_writing.empty() && m_writing.top().when <= now)
    {
        TxFlow& flow = *m_writing.top().flow;
        m_writing.pop();
        TakeTurn(flow);
    }
    if (!m_writing.empty())
    {
        m_writtenEvent.At(m_links[0].device->GetNodeId(), m_writing.top().when, now);
    }
}

void
ScaleUpPort::TakeTurn(TxFlow& flow)
{
    if (flow.group)
    {
        uint32_t granted = flow.group->tickets[flow.link - flow.links.first].granted;
        flow.group->waits = static_cast<int32_t>(granted - flow.frame) <= 0;
        if (flow.group->waits)
        {
            return;
        }
    }
    m_links[flow.link].PutInRound(flow);
}

void
ScaleUpPort::Link::PutInRound(TxFlow& flow)
{
    flow.nextReady = nullptr;
    (roundTail ? roundTail->nextReady : roundHead) = &flow;
    roundTail = &flow;
    if (!pulling) // else it looks again after this frame
    {
        device->Kick();
    }
}

uint8_t
ScaleUpPort::Link::ReadyClasses(FabricNetDevice&, int64_t)
{
    return roundHead ? 1U << port.m_trafficClass : 0;
}

int64_t
ScaleUpPort::Link::NextReadyTime(FabricNetDevice&, int64_t now, uint8_t closed)
{
    return roundHead && !(closed & (1U << port.m_trafficClass)) ? now : NEVER;
}

FramePtr
ScaleUpPort::Link::PullFrame(FabricNetDevice&, uint32_t, int64_t now)
{
    pulling = true;
    FramePtr frame = port.NextFrame(*this, now);
    pulling = false;
    return frame;
}

uint32_t
ScaleUpPort::FrameSize(uint32_t payload) const
{
    uint32_t packets = std::max(1U, (payload + m_packetPayload - 1) / m_packetPayload);
    return payload + packets * m_packetOverhead;
}

int64_t
ScaleUpPort::GetWireSteps(uint64_t bytes) const
{
    const FabricNetDevice& device = *m_links[0].device;
    auto steps = [&](uint64_t payload) {
        return device.SerializationSteps(device.GetPreambleBytes() +
                                         FrameSize(static_cast<uint32_t>(payload)));
    };
    uint32_t payload = GetFramePayload(bytes);
    uint64_t full = bytes / payload;
    uint64_t rest = bytes % payload;
    // Its links take full frames in turn; the rest comes last.
    auto each = static_cast<int64_t>(full / m_spread);
    bool uneven = full % m_spread > 0;
    return (each + uneven) * steps(payload) +
           (!uneven && (rest > 0 || full == 0) ? steps(rest) : 0);
}

FramePtr
ScaleUpPort::NextFrame(Link& link, int64_t now)
{
    TxFlow& flow = *link.roundHead;
    link.roundHead = flow.nextReady;
    if (!link.roundHead)
    {
        link.roundTail = nullptr;
    }
    FabricNetDevice& device = *link.device;
    FramePtr frame = FabricFrame::Create();
    uint64_t length = flow.messages.front().bytes;
    uint64_t rest = length - flow.sent;
    frame->kind = FrameKind::SCALE_UP;
    frame->etherType = wire::ETHERTYPE_EXPERIMENTAL;
    frame->trafficClass = m_trafficClass;
    frame->payloadBytes = static_cast<uint32_t>(std::min<uint64_t>(rest, GetFramePayload(length)));
    frame->sizeBytes = FrameSize(frame->payloadBytes);
    frame->srcAddress = device.GetIpv4Address().Get();
    frame->dstAddress =
        flow.group ? flow.group->tickets[flow.link - flow.links.first].address : flow.destination;
    frame->srcMac = device.GetMacAddress();
    frame->dstMac = flow.destinationMac;
    frame->messageId = uint64_t{flow.remoteFlow} << 32 | flow.message;
    frame->messageBytes = length;
    frame->psn = flow.frame & wire::MASK_24;
    frame->solicited = rest == frame->payloadBytes; // the last one of its message
    flow.sent += frame->payloadBytes;
    m_queuedBytes -= frame->payloadBytes;
    int64_t lastBit = now + device.SerializationSteps(device.GetPreambleBytes() + frame->sizeBytes);
    if (lastBit > flow.lastBit)
    {
        flow.lastBit = lastBit;
        flow.lastLink = flow.link;
    }
    NextLink(flow);
    if (frame->solicited)
    {
        EndMessage(flow);
    }
    if (!flow.messages.empty())
    {
        PutInRound(flow);
    }
    return frame;
}

void
ScaleUpPort::NextLink(TxFlow& flow)
{
    if (++flow.turn == flow.links.count)
    {
        flow.turn = 0;
        ++flow.frame;
    }
    if (++flow.link == flow.links.first + flow.links.count)
    {
        flow.link = flow.links.first;
    }
}

void
ScaleUpPort::EndMessage(TxFlow& flow)
{
    flow.messages.pop_front();
    flow.sent = 0;
    ++flow.message;
    m_links[flow.lastLink].AddDeparture(flow, flow.lastBit);
}

void
ScaleUpPort::Link::AddDeparture(TxFlow& flow, int64_t when)
{
    // The frame of that last bit is on this link now, so earlier ones are in front.
    if (departures.empty())
    {
        departEvent->Schedule(device->GetNodeId(), when - NowSteps());
    }
    Grow(departures);
    departures.push_back({&flow, when});
}

void
ScaleUpPort::Link::Depart()
{
    Departure departure = departures.front();
    departures.pop_front();
    if (!departures.empty())
    {
        departEvent->Schedule(device->GetNodeId(), departures.front().when - departure.when);
    }
    if (!departure.flow->departed.IsNull())
    {
        departure.flow->departed();
    }
}

// ---------------------------------------------------------------- receiving

void
ScaleUpPort::Link::ReceiveFrame(FabricNetDevice& from, FramePtr frame)
{
    auto flow = static_cast<uint32_t>(frame->messageId >> 32);
    if (frame->kind == FrameKind::SCALE_UP && flow < port.m_rxFlows.size())
    {
        port.Receive(*this, *frame);
    }
    else if (frame->kind == FrameKind::GROUP_CREDIT && flow < port.m_txFlows.size())
    {
        port.Granted(*this, *frame);
    }
    else
    {
        from.NotifyDrop(*frame, DropReason::NO_RECEIVER); // and FrameLost() ends the program, if
                                                          // the frame is one of ours
    }
}

void
ScaleUpPort::Granted(Link& link, const FabricFrame& credit)
{
    TxFlow& flow = m_txFlows[credit.messageId >> 32];
    FrameGroupUnit::Ticket& ticket = flow.group->tickets.at(link.number - flow.links.first);
    ticket.granted = static_cast<uint32_t>(credit.messageId);
    if (flow.group->waits && flow.link == link.number)
    {
        TakeTurn(flow);
    }
}

void
ScaleUpPort::CheckOrder(const Link& link, const RxFlow& flow, const FabricFrame& frame) const
{
    uint32_t index = link.number - flow.links.first;
    uint32_t source = flow.sources.empty() ? flow.source : flow.sources[index];
    uint32_t ahead = static_cast<uint32_t>(frame.messageId) - flow.message;
    NS_ABORT_MSG_IF(index >= flow.links.count || source != frame.srcAddress ||
                        (flow.links.count == 1 ? ahead != 0 : static_cast<int32_t>(ahead) < 0) ||
                        (flow.frames[index] & wire::MASK_24) != frame.psn,
                    "ScaleUpPort " << link.device->GetIpv4Address() << ": frame " << frame.psn
                                   << " of message " << static_cast<uint32_t>(frame.messageId)
                                   << " from " << Ipv4Address(frame.srcAddress)
                                   << " came where frame " << (flow.frames[index] & wire::MASK_24)
                                   << " of message " << flow.message << " from "
                                   << Ipv4Address(source)
                                   << " was due: the scale-up domain lost or reordered frames");
}

void
ScaleUpPort::Receive(Link& link, const FabricFrame& frame)
{
    RxFlow& flow = m_rxFlows[frame.messageId >> 32];
    CheckOrder(link, flow, frame);
    ++flow.frames[link.number - flow.links.first];
    uint32_t ahead = static_cast<uint32_t>(frame.messageId) - flow.message;
    while (ahead > flow.others.size())
    {
        Grow(flow.others);
        flow.others.push_back(Arrival());
    }
    Arrival& message = ahead == 0 ? flow.current : flow.others[ahead - 1];
    message.received += frame.payloadBytes;
    message.whole = message.received == frame.messageBytes;
    while (flow.current.whole)
    {
        uint64_t bytes = flow.current.received;
        ++flow.message;
        flow.current = Arrival();
        if (!flow.others.empty())
        {
            flow.current = flow.others.front();
            flow.others.pop_front();
        }
        if (!flow.arrived.IsNull())
        {
            flow.arrived(bytes);
        }
    }
}

} // namespace ns3
