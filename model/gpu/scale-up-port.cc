// SPDX-License-Identifier: GPL-2.0-only
#include "scale-up-port.h"

#include "ns3/abort.h"
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
    : m_departEvent(Create<PersistentEvent<ScaleUpPort, &ScaleUpPort::Depart>>(this))
{
}

ScaleUpPort::~ScaleUpPort()
{
    m_departEvent->Detach();
}

void
ScaleUpPort::DoDispose()
{
    m_departEvent->Detach();
    m_roundHead = m_roundTail = nullptr;
    m_departures.clear();
    m_txFlows.clear();
    m_rxFlows.clear();
    m_device = nullptr;
    Object::DoDispose();
}

void
ScaleUpPort::SetDevice(Ptr<FabricNetDevice> device)
{
    m_device = device;
    m_port = PeekPointer(device);
    device->SetOwner(this);
    NS_ABORT_MSG_UNLESS(device->GetPeer(), "ScaleUpPort::SetDevice: plug the cable in first");
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
    if (frame.kind == FrameKind::SCALE_UP)
    {
        NS_FATAL_ERROR("ScaleUpPort: a frame from " << Ipv4Address(frame.srcAddress) << " to "
                                                    << Ipv4Address(frame.dstAddress)
                                                    << " was lost or dropped. A scale-up domain "
                                                       "must be lossless: loss on its links is not "
                                                       "supported.");
    }
}

Ptr<FabricNetDevice>
ScaleUpPort::GetDevice() const
{
    return m_device;
}

uint32_t
ScaleUpPort::Connect(Ptr<ScaleUpPort> from,
                     Ptr<ScaleUpPort> to,
                     DepartedCallback departed,
                     ArrivedCallback arrived)
{
    NS_ABORT_MSG_IF(!from->m_port || !to->m_port, "ScaleUpPort::Connect: a port has no device");
    RxFlow rx;
    rx.source = from->m_port->GetIpv4Address().Get();
    rx.arrived = arrived;
    to->m_rxFlows.push_back(rx);

    TxFlow tx;
    tx.destination = to->m_port->GetIpv4Address().Get();
    tx.destinationMac = to->m_port->GetMacAddress();
    tx.remoteFlow = static_cast<uint32_t>(to->m_rxFlows.size() - 1);
    tx.departed = departed;
    from->m_txFlows.push_back(tx);
    return static_cast<uint32_t>(from->m_txFlows.size() - 1);
}

// ---------------------------------------------------------------- sending

void
ScaleUpPort::Send(uint32_t number, uint64_t bytes)
{
    TxFlow& flow = m_txFlows.at(number);
    bool idle = flow.messages.empty();
    Grow(flow.messages);
    flow.messages.push_back(bytes);
    m_queuedBytes += bytes;
    if (idle)
    {
        PutInRound(flow);
        m_port->Kick();
    }
}

void
ScaleUpPort::PutInRound(TxFlow& flow)
{
    flow.nextReady = nullptr;
    (m_roundTail ? m_roundTail->nextReady : m_roundHead) = &flow;
    m_roundTail = &flow;
}

uint8_t
ScaleUpPort::ReadyClasses(FabricNetDevice&, int64_t)
{
    return m_roundHead ? 1U << m_trafficClass : 0;
}

int64_t
ScaleUpPort::NextReadyTime(FabricNetDevice&, int64_t now, uint8_t closed)
{
    return m_roundHead && !(closed & (1U << m_trafficClass)) ? now : NEVER;
}

uint32_t
ScaleUpPort::FrameSize(uint32_t payload) const
{
    uint32_t packets = std::max(1U, (payload + m_packetPayload - 1) / m_packetPayload);
    return payload + packets * m_packetOverhead;
}

FramePtr
ScaleUpPort::PullFrame(FabricNetDevice& port, uint32_t, int64_t now)
{
    TxFlow& flow = *m_roundHead;
    m_roundHead = flow.nextReady;
    if (!m_roundHead)
    {
        m_roundTail = nullptr;
    }
    FramePtr frame = FabricFrame::Create();
    uint64_t rest = flow.messages.front() - flow.sent;
    frame->kind = FrameKind::SCALE_UP;
    frame->etherType = wire::ETHERTYPE_EXPERIMENTAL;
    frame->trafficClass = m_trafficClass;
    frame->payloadBytes = static_cast<uint32_t>(std::min<uint64_t>(rest, m_framePayload));
    frame->sizeBytes = FrameSize(frame->payloadBytes);
    frame->srcAddress = port.GetIpv4Address().Get();
    frame->dstAddress = flow.destination;
    frame->srcMac = port.GetMacAddress();
    frame->dstMac = flow.destinationMac;
    frame->messageId = uint64_t{flow.remoteFlow} << 32 | flow.message;
    frame->psn = flow.frame++ & wire::MASK_24;
    frame->solicited = rest == frame->payloadBytes; // the receiver is told of the message then
    flow.sent += frame->payloadBytes;
    m_queuedBytes -= frame->payloadBytes;
    if (frame->solicited)
    {
        uint32_t wireBytes = port.GetPreambleBytes() + frame->sizeBytes;
        EndMessage(flow, now + port.SerializationSteps(wireBytes), now);
    }
    if (!flow.messages.empty())
    {
        PutInRound(flow);
    }
    return frame;
}

void
ScaleUpPort::EndMessage(TxFlow& flow, int64_t lastBit, int64_t now)
{
    flow.messages.pop_front();
    flow.sent = 0;
    ++flow.message;
    if (m_departures.empty())
    {
        m_departEvent->Schedule(m_port->GetNodeId(), lastBit - now);
    }
    Grow(m_departures);
    m_departures.push_back({&flow, lastBit});
}

void
ScaleUpPort::Depart()
{
    Departure departure = m_departures.front();
    m_departures.pop_front();
    if (!m_departures.empty())
    {
        m_departEvent->Schedule(m_port->GetNodeId(), m_departures.front().when - departure.when);
    }
    if (!departure.flow->departed.IsNull())
    {
        departure.flow->departed();
    }
}

// ---------------------------------------------------------------- receiving

void
ScaleUpPort::ReceiveFrame(FabricNetDevice& port, FramePtr frame)
{
    auto number = static_cast<uint32_t>(frame->messageId >> 32);
    if (frame->kind != FrameKind::SCALE_UP || number >= m_rxFlows.size())
    {
        port.NotifyDrop(*frame, DropReason::NO_RECEIVER); // and FrameLost() ends the program, if
                                                          // the frame is one of ours
        return;
    }
    RxFlow& flow = m_rxFlows[number];
    NS_ABORT_MSG_IF(flow.source != frame->srcAddress ||
                        flow.message != static_cast<uint32_t>(frame->messageId) ||
                        (flow.frame & wire::MASK_24) != frame->psn,
                    "ScaleUpPort " << port.GetIpv4Address() << ": frame " << frame->psn
                                   << " of message " << static_cast<uint32_t>(frame->messageId)
                                   << " from " << Ipv4Address(frame->srcAddress)
                                   << " came where frame " << (flow.frame & wire::MASK_24)
                                   << " of message " << flow.message << " from "
                                   << Ipv4Address(flow.source)
                                   << " was due: the scale-up domain lost or reordered frames");
    ++flow.frame;
    flow.received += frame->payloadBytes;
    if (frame->solicited)
    {
        uint64_t bytes = flow.received;
        flow.received = 0;
        ++flow.message;
        if (!flow.arrived.IsNull())
        {
            flow.arrived(bytes);
        }
    }
}

} // namespace ns3
