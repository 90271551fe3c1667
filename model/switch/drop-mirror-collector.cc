// SPDX-License-Identifier: GPL-2.0-only
#include "drop-mirror-collector.h"

#include "ns3/fabric-net-device.h"
#include "ns3/ipv4-header.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/udp-header.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DropMirrorCollector);

TypeId
DropMirrorCollector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DropMirrorCollector")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<DropMirrorCollector>()
            .AddAttribute("UdpPort",
                          "As DropMirror::UdpPort.",
                          UintegerValue(32768),
                          MakeUintegerAccessor(&DropMirrorCollector::m_udpPort),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("MaxReports",
                          "Most reports that are kept; all are counted and traced.",
                          UintegerValue(10000),
                          MakeUintegerAccessor(&DropMirrorCollector::m_maxReports),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Report",
                            "A report has come.",
                            MakeTraceSourceAccessor(&DropMirrorCollector::m_reportTrace),
                            "ns3::DropMirrorCollector::ReportTracedCallback");
    return tid;
}

void
DropMirrorCollector::Attach(Ptr<FabricNetDevice> device)
{
    device->SetReceiveCallback(MakeCallback(&DropMirrorCollector::Receive, this));
}

bool
DropMirrorCollector::Parse(Ptr<const Packet> packet, uint16_t udpPort, Report& report)
{
    constexpr uint8_t PROTOCOL_UDP = 17;
    Ptr<Packet> rest = packet->Copy();
    Ipv4Header ipv4;
    UdpHeader udp;
    if (rest->GetSize() < wire::IPV4_BYTES + wire::UDP_BYTES + DropMirrorHeader::BYTES)
    {
        return false;
    }
    rest->RemoveHeader(ipv4);
    if (ipv4.GetProtocol() != PROTOCOL_UDP)
    {
        return false;
    }
    rest->RemoveHeader(udp);
    if (udp.GetDestinationPort() != udpPort || rest->GetSize() < DropMirrorHeader::BYTES)
    {
        return false;
    }
    rest->RemoveHeader(report.header);
    report.head = rest;
    return report.header.version == DropMirrorHeader::VERSION;
}

bool
DropMirrorCollector::Receive(Ptr<NetDevice>,
                             Ptr<const Packet> packet,
                             uint16_t etherType,
                             const Address&)
{
    Report report;
    if (etherType != wire::ETHERTYPE_IPV4 || !Parse(packet, m_udpPort, report))
    {
        return false;
    }
    ++m_count;
    m_reportTrace(report.header, report.head);
    if (m_reports.size() < m_maxReports)
    {
        m_reports.push_back(report);
    }
    return true;
}

} // namespace ns3
