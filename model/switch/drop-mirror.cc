// SPDX-License-Identifier: GPL-2.0-only
#include "drop-mirror.h"

#include "fabric-switch.h"

#include "ns3/abort.h"
#include "ns3/drop-mirror-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/persistent-event.h"
#include "ns3/simulator.h"
#include "ns3/udp-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DropMirror);

namespace
{

constexpr uint8_t PROTOCOL_UDP = 17;
constexpr uint32_t LINK_LOCAL = 0xa9fe0000; // 169.254.0.0/16 (RFC 3927): a switch has no address
constexpr uint32_t LINK_LOCAL_HOSTS = 0xffff;

} // namespace

TypeId
DropMirror::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DropMirror")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<DropMirror>()
            .AddAttribute("Collector",
                          "Address in the fabric of the host port that the reports go to.",
                          Ipv4AddressValue(Ipv4Address("0.0.0.0")),
                          MakeIpv4AddressAccessor(&DropMirror::m_collector),
                          MakeIpv4AddressChecker())
            .AddAttribute("UdpPort",
                          "UDP port of the reports, source and destination.",
                          UintegerValue(32768),
                          MakeUintegerAccessor(&DropMirror::m_udpPort),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("SnapBytes",
                          "Most bytes of the dropped frame in its report, from the destination "
                          "address on.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&DropMirror::m_snapBytes),
                          MakeUintegerChecker<uint32_t>(0, 9000))
            .AddAttribute("TrafficClass",
                          "Traffic class of the reports.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&DropMirror::m_trafficClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddAttribute("Dscp",
                          "DSCP of the reports.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&DropMirror::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("MaxRate",
                          "Most bits a second of reports on the wire, preamble and gap included.",
                          DataRateValue(DataRate("1Gbps")),
                          MakeDataRateAccessor(&DropMirror::m_maxRate),
                          MakeDataRateChecker())
            .AddAttribute("Burst",
                          "So much may go at once after a silence (bytes on the wire); at least "
                          "one report always may.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&DropMirror::m_burstBytes),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

bool
DropMirror::IsReport(const FabricFrame& frame) const
{
    constexpr uint32_t PORT_AT = wire::IPV4_BYTES + 2; // UDP destination port
    if (frame.kind != FrameKind::PACKET || frame.dstAddress != m_collector.Get() ||
        frame.etherType != wire::ETHERTYPE_IPV4 || !frame.payload ||
        frame.payload->GetSize() < PORT_AT + 2)
    {
        return false;
    }
    std::array<uint8_t, PORT_AT + 2> head;
    frame.payload->CopyData(head.data(), head.size());
    return head[9] == PROTOCOL_UDP && (head[PORT_AT] << 8 | head[PORT_AT + 1]) == m_udpPort;
}

bool
DropMirror::FitsRate(uint32_t wireBytes, int64_t now)
{
    int64_t credit = m_maxRate.CalculateBytesTxTime(m_burstBytes).GetTimeStep();
    int64_t cost = m_maxRate.CalculateBytesTxTime(wireBytes).GetTimeStep();
    int64_t paid = std::max(m_paidUntil, now);
    if (paid > now && paid + cost > now + credit)
    {
        return false;
    }
    m_paidUntil = paid + cost;
    return true;
}

FramePtr
DropMirror::MakeReport(const FabricSwitch& fabricSwitch,
                       uint32_t ingress,
                       Ptr<Packet> contents) const
{
    UdpHeader udp;
    udp.SetSourcePort(m_udpPort);
    udp.SetDestinationPort(m_udpPort);
    contents->AddHeader(udp);
    Ipv4Header ipv4;
    ipv4.EnableChecksum();
    ipv4.SetTos(static_cast<uint8_t>(m_dscp << 2));
    ipv4.SetTtl(64);
    ipv4.SetProtocol(PROTOCOL_UDP);
    ipv4.SetPayloadSize(static_cast<uint16_t>(contents->GetSize()));
    ipv4.SetSource(Ipv4Address(LINK_LOCAL | (fabricSwitch.GetNodeId() & LINK_LOCAL_HOSTS)));
    ipv4.SetDestination(m_collector);
    contents->AddHeader(ipv4);
    std::string error = "its UDP port is one of RoCEv2's";
    FramePtr frame = FabricFrame::FromIpPacket(contents, wire::ETHERTYPE_IPV4, &error);
    NS_ABORT_MSG_IF(!frame || frame->kind != FrameKind::PACKET, "DropMirror: UdpPort: " << error);
    frame->etherType = wire::ETHERTYPE_IPV4;
    frame->srcMac = fabricSwitch.GetDevice(ingress).GetMacAddress();
    NS_ABORT_MSG_UNLESS(fabricSwitch.FindMac(m_collector.Get(), frame->dstMac),
                        "DropMirror: Collector is " << m_collector
                                                    << ", which is no endpoint of this fabric");
    frame->trafficClass = m_trafficClass;
    return frame;
}

void
DropMirror::Mirror(FabricSwitch& fabricSwitch,
                   const FabricFrame& frame,
                   uint32_t ingress,
                   uint32_t egress,
                   DropReason reason)
{
    if (reason == DropReason::SWITCH_DOWN || IsReport(frame))
    {
        return; // who restarts tells nobody
    }
    Ptr<const Packet> image = frame.ToPacket();
    Ptr<Packet> contents = image->CreateFragment(0, std::min(m_snapBytes, image->GetSize()));
    DropMirrorHeader header;
    header.reason = static_cast<uint8_t>(reason);
    header.trafficClass = frame.trafficClass;
    header.switchId = fabricSwitch.GetNodeId();
    header.ingressPort = ingress;
    header.egressPort = egress;
    header.nanoseconds = static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
    header.sequence = static_cast<uint32_t>(m_reports);
    header.suppressed = static_cast<uint32_t>(m_suppressed);
    header.frameBytes = frame.sizeBytes;
    contents->AddHeader(header);
    FramePtr report = MakeReport(fabricSwitch, ingress, contents);
    uint32_t overhead = fabricSwitch.GetDevice(ingress).GetFrameOverhead();
    if (!FitsRate(report->sizeBytes + overhead, NowSteps()))
    {
        ++m_suppressed;
        return;
    }
    ++m_reports;
    // Not amid the drop of another frame: who drops may be in the middle of a queue.
    Ptr<FabricSwitch> keep(&fabricSwitch);
    Simulator::ScheduleNow(
        [keep, ingress, report]() mutable { keep->Switch(ingress, std::move(report)); });
}

} // namespace ns3
