// SPDX-License-Identifier: GPL-2.0-only
// A port as ns-3's Internet stack sees it: a NetDevice that takes and gives packets.
#include "fabric-channel.h"
#include "fabric-net-device.h"
#include "frame-tag.h"

#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"

namespace ns3
{

namespace
{

constexpr uint32_t PCP_SHIFT = 13; ///< priority: the upper 3 bits of the tag control information

bool
IsIp(uint16_t etherType)
{
    return etherType == wire::ETHERTYPE_IPV4 || etherType == wire::ETHERTYPE_IPV6;
}

} // namespace

void
FabricNetDevice::DeliverToStack(const FabricFrame& frame)
{
    bool isRoce = frame.kind == FrameKind::ROCE;
    if (!(isRoce || frame.payload) || m_receiveCallback.IsNull())
    {
        NotifyDrop(frame, DropReason::NO_RECEIVER);
        return;
    }
    PacketType type = TypeOf(frame);
    if (type == PACKET_OTHERHOST && m_promiscCallback.IsNull())
    {
        return; // flooded by a switch, for another one
    }
    Ptr<Packet> packet = frame.ToIpPacket();
    if (isRoce)
    {
        FrameTag tag(frame, NowSteps());
        packet->ReplacePacketTag(tag);
    }
    uint16_t etherType = !isRoce      ? frame.etherType
                         : frame.ipv6 ? wire::ETHERTYPE_IPV6
                                      : wire::ETHERTYPE_IPV4;
    bool taken = false;
    if (!m_promiscCallback.IsNull())
    {
        taken =
            m_promiscCallback(this, packet->Copy(), etherType, frame.srcMac, frame.dstMac, type);
    }
    if (type != PACKET_OTHERHOST)
    {
        taken = m_receiveCallback(this, packet, etherType, frame.srcMac) || taken;
        if (!taken)
        {
            NotifyDrop(frame, DropReason::NO_RECEIVER); // no protocol of this node handles it
        }
    }
}

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
FabricNetDevice::SendFrom(Ptr<Packet> packet,
                          const Address& source,
                          const Address& dest,
                          uint16_t protocolNumber)
{
    FramePtr frame = FrameOf(packet, protocolNumber);
    frame->srcMac = Mac48Address::ConvertFrom(source);
    frame->dstMac = Mac48Address::ConvertFrom(dest);
    if (m_vlanId)
    {
        AddTag(*frame);
    }
    if (!IsLinkUp() || packet->GetSize() > m_mtu ||
        m_stackBytes + frame->sizeBytes > m_packetQueueBytes)
    {
        CountDrop(*frame, IsLinkUp() ? DropReason::HOST_QUEUE : DropReason::LINK_DOWN);
        Trace(*frame, {&m_macTxDropTrace});
        return false;
    }
    frame->ingressPort = FROM_STACK;
    m_stackBytes += frame->sizeBytes;
    if (m_txQueue)
    {
        m_txQueue->NotifyQueuedBytes(frame->sizeBytes);
        if (!HasRoomForPacket())
        {
            m_txQueue->Stop();
        }
    }
    Enqueue(std::move(frame));
    return true;
}

FramePtr
FabricNetDevice::FrameOf(Ptr<const Packet> packet, uint16_t etherType) const
{
    FramePtr frame;
    if (IsIp(etherType))
    {
        frame = FabricFrame::FromIpPacket(packet, etherType);
    }
    if (!frame)
    {
        frame = FabricFrame::Create(); // not IP, or not what its headers say: left as it is
        frame->kind = FrameKind::PACKET;
        frame->etherType = etherType;
        frame->payload = packet->Copy();
        frame->payloadBytes = packet->GetSize();
    }
    FrameTag tag;
    if (frame->kind == FrameKind::ROCE && packet->PeekPacketTag(tag))
    {
        tag.Restore(*frame, NowSteps());
    }
    frame->ComputeSize();
    frame->trafficClass =
        IsIp(etherType) ? m_dscpMap.ClassOf(frame->dscp, m_packetClass) : m_packetClass;
    return frame;
}

bool
FabricNetDevice::HasRoomForPacket() const
{
    uint64_t largest = m_mtu + wire::ETHERNET_HEADER_BYTES + (m_vlanId ? wire::VLAN_TAG_BYTES : 0) +
                       wire::FCS_BYTES;
    return m_stackBytes == 0 || m_stackBytes + largest <= m_packetQueueBytes;
}

void
FabricNetDevice::StackFrameLeaves(FabricFrame& frame)
{
    frame.ingressPort = 0;
    m_stackBytes -= frame.sizeBytes;
    if (m_txQueue)
    {
        m_txQueue->NotifyTransmittedBytes(frame.sizeBytes);
        if (HasRoomForPacket())
        {
            m_txQueue->Wake();
        }
    }
}

void
FabricNetDevice::AddTag(FabricFrame& frame) const
{
    if (frame.kind != FrameKind::ROCE && frame.kind != FrameKind::PACKET)
    {
        return;
    }
    frame.vlanTagged = true;
    frame.vlanTci = static_cast<uint16_t>(frame.trafficClass << PCP_SHIFT | m_vlanId);
    if (frame.kind == FrameKind::PACKET)
    {
        frame.ComputeSize(); // the smallest frame is as small with a tag
    }
    else
    {
        frame.sizeBytes += wire::VLAN_TAG_BYTES; // of what its NIC says, which need not be standard
    }
}

void
FabricNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricNetDevice::GetChannel() const
{
    return m_channel;
}

void
FabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricNetDevice::GetAddress() const
{
    return m_address;
}

bool
FabricNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
FabricNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
FabricNetDevice::IsLinkUp() const
{
    return m_channel && m_channel->GetNDevices() == 2 && m_channel->IsUp();
}

void
FabricNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

void
FabricNetDevice::NotifyLinkUp()
{
    // What they need to know of the cable and of each other is known now.
    StartFlowControl();
    GetPeer()->StartFlowControl();
    m_flowControl->Start();
    UpdateReceiveBuffer();
    m_linkChange();
}

bool
FabricNetDevice::IsBroadcast() const
{
    return true;
}

Address
FabricNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricNetDevice::IsMulticast() const
{
    return true;
}

Address
FabricNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
FabricNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
FabricNetDevice::IsBridge() const
{
    return false;
}

bool
FabricNetDevice::IsPointToPoint() const
{
    return true; // ns-3's MPI simulators cut at channels between such devices
}

Ptr<Node>
FabricNetDevice::GetNode() const
{
    return m_node;
}

void
FabricNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    m_nodeId = node->GetId();
    if (m_cable)
    {
        m_cable->UpdateReceivers();
    }
}

bool
FabricNetDevice::NeedsArp() const
{
    return true;
}

void
FabricNetDevice::SetReceiveCallback(ReceiveCallback cb)
{
    m_receiveCallback = cb;
}

void
FabricNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscCallback = cb;
}

bool
FabricNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace ns3
