// SPDX-License-Identifier: GPL-2.0-only
#include "udp-rdma-port.h"

#include "rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/channel.h"
#include "ns3/frame-tag.h"
#include "ns3/ip-l4-protocol.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"

#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("UdpRdmaPort");

/**
 * @brief Stands before the UDP of one interface and takes what is RoCEv2.
 *
 * A socket on port 4791 would not do: it hands out neither the IP identification nor the flags,
 * which the ICRC covers, and ns-3's UDP drops datagrams without a checksum where checksums are
 * enabled.
 */
class RoceReceiver : public IpL4Protocol
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RoceReceiver")
                                .SetParent<IpL4Protocol>()
                                .SetGroupName("AiFabric")
                                .HideFromDocumentation()
                                .AddConstructor<RoceReceiver>();
        return tid;
    }

    /// @param port gets what is RoCEv2; null: from now on nobody does
    void SetPort(UdpRdmaPort* port)
    {
        m_port = port;
    }

    /// @param udp gets everything else
    void SetUdp(Ptr<IpL4Protocol> udp)
    {
        m_udp = udp;
    }

    int GetProtocolNumber() const override
    {
        return UdpL4Protocol::PROT_NUMBER;
    }

    RxStatus Receive(Ptr<Packet> packet,
                     const Ipv4Header& header,
                     Ptr<Ipv4Interface> interface) override
    {
        return Receive(packet, header, interface, wire::ETHERTYPE_IPV4);
    }

    RxStatus Receive(Ptr<Packet> packet,
                     const Ipv6Header& header,
                     Ptr<Ipv6Interface> interface) override
    {
        return Receive(packet, header, interface, wire::ETHERTYPE_IPV6);
    }

    // Nothing is sent by it.
    void SetDownTarget(DownTargetCallback) override
    {
    }

    void SetDownTarget6(DownTargetCallback6) override
    {
    }

    DownTargetCallback GetDownTarget() const override
    {
        return {};
    }

    DownTargetCallback6 GetDownTarget6() const override
    {
        return {};
    }

  private:
    /// @tparam IpHeader of a version @tparam Interface likewise
    template <typename IpHeader, typename Interface>
    RxStatus Receive(Ptr<Packet> packet,
                     const IpHeader& header,
                     Ptr<Interface> interface,
                     uint16_t etherType)
    {
        UdpHeader udp;
        bool whole = packet->GetSize() >= wire::UDP_BYTES && packet->PeekHeader(udp) > 0;
        if (!m_port || !whole || udp.GetDestinationPort() != wire::ROCEV2_UDP_PORT)
        {
            return m_udp->Receive(packet, header, interface);
        }
        packet->AddHeader(header);
        m_port->ReceivePacket(packet, etherType);
        return RX_OK;
    }

    UdpRdmaPort* m_port{nullptr};
    Ptr<IpL4Protocol> m_udp;
};

NS_OBJECT_ENSURE_REGISTERED(RoceReceiver);
NS_OBJECT_ENSURE_REGISTERED(UdpRdmaPort);

namespace
{

/// Rate of a device that does not say its own, such as a Wi-Fi device.
constexpr uint64_t DEFAULT_RATE_BPS = 1000000000;

/// @param object a device or a channel, or null @return its attribute DataRate; 0 without one
uint64_t
RateOf(Ptr<const Object> object)
{
    DataRateValue rate(DataRate(0));
    return object && object->GetAttributeFailSafe("DataRate", rate) ? rate.Get().GetBitRate() : 0;
}

/**
 * Puts the receiver before the UDP of an interface.
 * @tparam Ip Ipv4 or Ipv6
 * @param ip of the node; may be null
 * @param device a device of the node
 * @param receiver what to insert
 * @return the interface; -1 if the device has none with an address
 */
template <typename Ip>
int32_t
Claim(Ptr<Ip> ip, Ptr<NetDevice> device, Ptr<RoceReceiver> receiver)
{
    int32_t interface = ip ? ip->GetInterfaceForDevice(device) : -1;
    if (interface < 0 || ip->GetNAddresses(interface) == 0)
    {
        return -1;
    }
    Ptr<IpL4Protocol> udp = ip->GetProtocol(UdpL4Protocol::PROT_NUMBER);
    NS_ABORT_MSG_UNLESS(udp, "UdpRdmaPort: the node's Internet stack has no UDP");
    NS_ABORT_MSG_IF(ip->GetProtocol(UdpL4Protocol::PROT_NUMBER, interface) != udp,
                    "UdpRdmaPort: the UDP of interface "
                        << interface << " of node " << device->GetNode()->GetId()
                        << " is taken already: a device has one RDMA port");
    receiver->SetUdp(udp);
    ip->Insert(receiver, interface);
    return interface;
}

} // namespace

TypeId
UdpRdmaPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::UdpRdmaPort")
            .SetParent<RdmaPort>()
            .SetGroupName("AiFabric")
            .AddConstructor<UdpRdmaPort>()
            .AddAttribute("DataRate",
                          "Most that the port sends, in Ethernet frames from destination address "
                          "to FCS (over a FabricNetDevice with preamble and gap): what its CPU can "
                          "do. 0: the device's attribute DataRate, or its channel's; 1 Gb/s where "
                          "neither has one.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&UdpRdmaPort::m_rate),
                          MakeDataRateChecker())
            .AddTraceSource("Refused",
                            "A datagram to UDP port 4791 is dropped: it is malformed, or its ICRC "
                            "is wrong.",
                            MakeTraceSourceAccessor(&UdpRdmaPort::m_refusedTrace),
                            "ns3::UdpRdmaPort::RefusedTracedCallback")
            .AddTraceSource("Unrouted",
                            "A frame is dropped: the node has no route to its destination.",
                            MakeTraceSourceAccessor(&UdpRdmaPort::m_unroutedTrace),
                            "ns3::UdpRdmaPort::FrameTracedCallback");
    return tid;
}

UdpRdmaPort::UdpRdmaPort()
    : m_wakeUp(this)
{
}

UdpRdmaPort::~UdpRdmaPort() = default;

void
UdpRdmaPort::DoDispose()
{
    if (m_receiver)
    {
        m_receiver->SetPort(nullptr);
    }
    m_receiver = nullptr;
    m_ipv4 = nullptr;
    m_ipv6 = nullptr;
    m_device = nullptr;
    RdmaPort::DoDispose();
}

// ---------------------------------------------------------------- set-up

void
UdpRdmaPort::SetDevice(Ptr<NetDevice> device)
{
    NS_ABORT_MSG_IF(m_device, "UdpRdmaPort::SetDevice: the port has a device already");
    m_device = device;
    m_nodeId = device->GetNode()->GetId();
    m_ipv4 = device->GetNode()->GetObject<Ipv4>();
    m_ipv6 = device->GetNode()->GetObject<Ipv6>();
    m_receiver = CreateObject<RoceReceiver>();
    m_receiver->SetPort(this);
    m_interface4 = Claim(m_ipv4, device, m_receiver);
    m_interface6 = Claim(m_ipv6, device, m_receiver);
    NS_ABORT_MSG_IF(m_interface4 < 0 && m_interface6 < 0,
                    "UdpRdmaPort::SetDevice: device "
                        << device->GetIfIndex() << " of node " << m_nodeId
                        << " has no IP address: install the Internet stack and assign addresses "
                           "before RDMA");
    if (m_rate.GetBitRate() == 0)
    {
        m_rate = DeviceRate();
    }
    if (Ptr<FabricNetDevice> fabric = DynamicCast<FabricNetDevice>(device))
    {
        m_overhead = fabric->GetFrameOverhead(); // ns-3's own devices have no preamble and gap
    }
    m_stepsPerByte = 8 * static_cast<double>(Seconds(1).GetTimeStep()) /
                     static_cast<double>(m_rate.GetBitRate());
}

DataRate
UdpRdmaPort::DeviceRate() const
{
    uint64_t rate = RateOf(m_device);
    if (rate == 0)
    {
        rate = RateOf(m_device->GetChannel());
    }
    return DataRate(rate > 0 ? rate : DEFAULT_RATE_BPS);
}

Ptr<NetDevice>
UdpRdmaPort::GetDevice() const
{
    return m_device;
}

uint32_t
UdpRdmaPort::GetLargestMtu(bool ipv6) const
{
    // A WRITE with immediate of one frame has the longest headers of the standard's opcodes.
    constexpr uint32_t HEADERS =
        wire::UDP_BYTES + wire::BTH_BYTES + wire::RETH_BYTES + wire::IMMDT_BYTES + wire::ICRC_BYTES;
    uint32_t headers = HEADERS + (ipv6 ? wire::IPV6_BYTES : wire::IPV4_BYTES);
    uint32_t room = m_device->GetMtu();
    return room > headers ? (room - headers) / 4 * 4 : 0; // the payload is padded to 4 bytes
}

double
UdpRdmaPort::GetLineRateBps() const
{
    return static_cast<double>(m_rate.GetBitRate());
}

int64_t
UdpRdmaPort::SlotSteps(uint32_t frameBytes) const
{
    return std::llround((frameBytes + m_overhead) * m_stepsPerByte);
}

uint32_t
UdpRdmaPort::GetFrameOverhead() const
{
    return m_overhead;
}

uint32_t
UdpRdmaPort::GetNodeId() const
{
    return m_nodeId;
}

int64_t
UdpRdmaPort::PausedSteps(uint32_t, int64_t) const
{
    return 0;
}

RdmaAddress
UdpRdmaPort::GetAddress(bool ipv6) const
{
    NS_ABORT_MSG_IF((ipv6 ? m_interface6 : m_interface4) < 0,
                    "UdpRdmaPort: device " << m_device->GetIfIndex() << " of node " << m_nodeId
                                           << " had no IPv" << (ipv6 ? 6 : 4)
                                           << " address when RDMA was installed");
    if (!ipv6)
    {
        return RdmaAddress::FromIpv4(m_ipv4->GetAddress(m_interface4, 0).GetLocal().Get());
    }
    uint32_t index = 0; // the first global address; a link-local one where there is none
    for (uint32_t i = 0; i < m_ipv6->GetNAddresses(m_interface6); ++i)
    {
        if (m_ipv6->GetAddress(m_interface6, i).GetScope() == Ipv6InterfaceAddress::GLOBAL)
        {
            index = i;
            break;
        }
    }
    Ipv6Bytes bytes;
    m_ipv6->GetAddress(m_interface6, index).GetAddress().GetBytes(bytes.data());
    return RdmaAddress::FromIpv6(bytes);
}

Mac48Address
UdpRdmaPort::GetMac() const
{
    return Mac48Address(); // Ethernet, where there is one, is below IP
}

RdmaPath
UdpRdmaPort::ResolvePath(const RdmaAddress& destination, Mac48Address) const
{
    RdmaPath path;
    path.source = GetAddress(destination.ipv6);
    path.destination = destination;
    return path;
}

void
UdpRdmaPort::JoinGroup(const RdmaAddress& group)
{
    NS_ABORT_MSG_UNLESS(m_device->IsMulticast(),
                        "UdpRdmaPort::JoinGroup: device " << m_device->GetIfIndex() << " of node "
                                                          << m_nodeId << " has no multicast");
    GetAddress(group.ipv6); // the node speaks that version
    if (group.ipv6)
    {
        DynamicCast<Ipv6L3Protocol>(m_ipv6)->AddMulticastAddress(
            Ipv6Address::Deserialize(group.bytes.data()),
            static_cast<uint32_t>(m_interface6));
    }
    // IPv4: ns-3 hands every group to the protocols above, and the NIC looks at the group itself.
}

// ---------------------------------------------------------------- sending

void
UdpRdmaPort::Kick()
{
    int64_t now = NowSteps();
    if (!m_device->GetNode()->IsInitialized())
    {
        m_wakeUp.At(m_nodeId, now, now); // ns-3's queue discs start with the simulation
    }
    else if (now >= m_busyUntil)
    {
        TransmitNext();
    }
    else if (m_wakeUp.When() > m_busyUntil)
    {
        ArmWakeUp(now);
    }
}

void
UdpRdmaPort::TransmitNext()
{
    int64_t now = NowSteps();
    if (now >= m_busyUntil)
    {
        if (FramePtr frame = NextFrame(now))
        {
            Transmit(*frame, now);
        }
    }
    ArmWakeUp(now);
}

void
UdpRdmaPort::ArmWakeUp(int64_t now)
{
    int64_t ready = NextReadyTime(now, 0);
    if (ready != NEVER)
    {
        m_wakeUp.At(m_nodeId, std::max(ready, m_busyUntil), now);
    }
}

FramePtr
UdpRdmaPort::NextFrame(int64_t now)
{
    while (uint8_t ready = ReadyClasses(now))
    {
        uint32_t trafficClass = m_scheduler.Pick(ready);
        if (FramePtr frame = PullFrame(trafficClass, now))
        {
            m_scheduler.Charge(trafficClass, frame->sizeBytes);
            return frame;
        }
    }
    return nullptr;
}

void
UdpRdmaPort::SendNow(FramePtr frame)
{
    Transmit(*frame, NowSteps());
}

void
UdpRdmaPort::Transmit(const FabricFrame& frame, int64_t now)
{
    // First of all: where the destination is this node, the answer is here before Send returns.
    m_busyUntil = std::max(now, m_busyUntil) + SlotSteps(frame.sizeBytes);

    Ptr<Packet> packet = frame.ToIpPacket();
    CheckSize(frame, packet->GetSize());
    SocketPriorityTag priority; // of queue discs and Wi-Fi, as 802.1p is of the fabric
    priority.SetPriority(frame.trafficClass);
    packet->ReplacePacketTag(priority);
    FrameTag stamps(frame, now); // simulation metadata, for the round trip as a whole
    packet->ReplacePacketTag(stamps);
    if (frame.ipv6 ? SendIpv6(packet) : SendIpv4(packet))
    {
        ++m_counters.sentPackets;
        return;
    }
    NS_LOG_WARN("node " << m_nodeId << " has no route for a frame to queue pair " << frame.destQp);
    ++m_counters.unroutedPackets;
    m_unroutedTrace(frame);
}

void
UdpRdmaPort::CheckSize(const FabricFrame& frame, uint32_t packetBytes) const
{
    NS_ABORT_MSG_IF(packetBytes > m_device->GetMtu(),
                    "UdpRdmaPort: a frame with "
                        << frame.payloadBytes << " bytes of payload is an IP packet of "
                        << packetBytes << " bytes; device " << m_device->GetIfIndex() << " of node "
                        << m_nodeId << " takes " << m_device->GetMtu()
                        << ", and RoCEv2 is not fragmented. QueuePair::Mtu may be at most "
                        << GetLargestMtu(frame.ipv6) << " there.");
}

bool
UdpRdmaPort::SendIpv4(Ptr<Packet> packet)
{
    Ipv4Header header;
    packet->RemoveHeader(header);
    Ptr<Ipv4Route> route;
    if (header.GetDestination().IsMulticast())
    {
        route = Create<Ipv4Route>(); // by our device, whatever the unicast routes say
        route->SetDestination(header.GetDestination());
        route->SetSource(header.GetSource());
        route->SetGateway(Ipv4Address::GetZero());
        route->SetOutputDevice(m_device);
    }
    else
    {
        Socket::SocketErrno error;
        route = m_ipv4->GetRoutingProtocol()->RouteOutput(packet, header, m_device, error);
    }
    if (route)
    {
        // Not Ipv4::Send, which would set an identification of its own: the ICRC covers it.
        m_ipv4->SendWithHeader(packet, header, route);
    }
    return static_cast<bool>(route);
}

bool
UdpRdmaPort::SendIpv6(Ptr<Packet> packet)
{
    Ipv6Header header;
    packet->RemoveHeader(header);
    Ptr<Ipv6Route> route;
    if (header.GetDestination().IsMulticast())
    {
        route = Create<Ipv6Route>();
        route->SetDestination(header.GetDestination());
        route->SetSource(header.GetSource());
        route->SetGateway(Ipv6Address::GetZero());
        route->SetOutputDevice(m_device);
    }
    else
    {
        Socket::SocketErrno error;
        route = m_ipv6->GetRoutingProtocol()->RouteOutput(packet, header, m_device, error);
    }
    if (!route)
    {
        return false;
    }
    // What Ipv6::Send sets otherwise, the flow label, is not under the ICRC.
    SocketIpv6TclassTag trafficClass;
    trafficClass.SetTclass(header.GetTrafficClass());
    packet->ReplacePacketTag(trafficClass);
    SocketIpv6HopLimitTag hopLimit;
    hopLimit.SetHopLimit(header.GetHopLimit());
    packet->ReplacePacketTag(hopLimit);
    m_ipv6->Send(packet,
                 header.GetSource(),
                 header.GetDestination(),
                 header.GetNextHeader(),
                 route);
    return true;
}

// ---------------------------------------------------------------- receiving

void
UdpRdmaPort::ReceivePacket(Ptr<const Packet> packet, uint16_t etherType)
{
    std::string error = "an IP header that RoCEv2 does not have";
    FramePtr frame = FabricFrame::FromIpPacket(packet, etherType, &error);
    if (!frame || frame->kind != FrameKind::ROCE)
    {
        NS_LOG_WARN("node " << m_nodeId << " refuses a packet to UDP port 4791: " << error);
        ++m_counters.refusedPackets;
        m_refusedTrace(packet, error);
        return;
    }
    FrameTag stamps;
    if (packet->PeekPacketTag(stamps))
    {
        stamps.Restore(*frame, NowSteps());
    }
    ++m_counters.receivedPackets;
    GetNic().ReceiveFrame(std::move(frame));
}

} // namespace ns3
