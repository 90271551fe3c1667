// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Mirror on drop: each drop reaches the collector with its cause and the frame's first
 * bytes, as a UDP packet that any reader understands; never more of them than the rate allows.
 */

#include "fabric-fixture.h"
#include "tshark.h"
#include "wire-bytes.h"

#include "ns3/drop-mirror-collector.h"
#include "ns3/drop-mirror.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/pointer.h"
#include "ns3/udp-socket-factory.h"

using namespace ns3;
using namespace wire_test;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;
constexpr uint64_t UDP_HEADS = 14 + 20 + 8; // Ethernet, IPv4, UDP
constexpr uint64_t REPORT = 36;             // see DropMirrorHeader

/// A drop as the switch traces it.
struct Drop
{
    uint32_t ingress;
    uint32_t egress;
    DropReason reason;
    Time at;
    uint32_t psn;
    uint32_t sizeBytes;
    Bytes image;
};

/// Hosts 0 and 1 send into host 2 over a switch without a lossless class; host 3 collects.
class Mirror : public testing::Test
{
  protected:
    void Build()
    {
        mirror = CreateObject<DropMirror>();
        f.fabric.SetSwitchAttribute("LosslessClasses", UintegerValue(0));
        f.fabric.SetSwitchAttribute("DropMirror", PointerValue(mirror));
        f.fabric.SetBufferAttribute("Size", UintegerValue(400000));
        f.BuildStar(4, "100Gbps", DELAY);
        mirror->SetAttribute("Collector", Ipv4AddressValue(f.Port(3)->GetIpv4Address()));
        mirror->SetAttribute("MaxRate", DataRateValue(DataRate("100Gbps")));
        mirror->SetAttribute("Burst", UintegerValue(1 << 20));
        f.Switch()->TraceConnectWithoutContext(
            "Drop",
            Callback<void, const FabricFrame&, uint32_t, uint32_t, DropReason>(
                [this](const FabricFrame& frame, uint32_t in, uint32_t out, DropReason reason) {
                    if (frame.kind == FrameKind::ROCE)
                    {
                        drops.push_back({in,
                                         out,
                                         reason,
                                         Simulator::Now(),
                                         frame.psn,
                                         frame.sizeBytes,
                                         BytesOf(frame.ToPacket())});
                    }
                    else
                    {
                        ++reportDrops;
                    }
                }));
    }

    void Collect()
    {
        collector = CreateObject<DropMirrorCollector>();
        collector->Attach(f.Port(3));
    }

    /// Two messages at once: what does not fit is dropped, and repeated until all has come.
    void RunIncast(uint64_t frames = 256)
    {
        f.Post(f.Connect(0, 2), frames * MTU);
        f.Post(f.Connect(1, 2), frames * MTU);
        f.Run();
        f.ExpectAllSucceeded(2, 2 * frames * MTU);
        f.ExpectDrained();
    }

    FabricFixture f;
    Ptr<DropMirror> mirror;
    Ptr<DropMirrorCollector> collector;
    std::vector<Drop> drops;
    uint64_t reportDrops{0};
};

TEST_F(Mirror, TellsOfEachDropWhatTheSwitchKnew)
{
    Build();
    Collect();
    RunIncast();
    ASSERT_GT(drops.size(), 10u);
    const auto& reports = collector->GetReports();
    ASSERT_EQ(reports.size(), drops.size());
    EXPECT_EQ(mirror->GetReports(), drops.size());
    EXPECT_EQ(mirror->GetSuppressed(), 0u);
    for (size_t i = 0; i < drops.size(); ++i)
    {
        SCOPED_TRACE(i);
        const DropMirrorHeader& told = reports[i].header;
        const Drop& drop = drops[i];
        EXPECT_EQ(told.version, 1);
        EXPECT_EQ(told.sequence, i);
        EXPECT_EQ(told.suppressed, 0u);
        EXPECT_EQ(told.switchId, f.network.switches.Get(0)->GetId());
        EXPECT_EQ(told.ingressPort, drop.ingress);
        EXPECT_EQ(told.egressPort, 2u);
        EXPECT_EQ(drop.egress, 2u);
        EXPECT_EQ(told.reason, static_cast<uint8_t>(DropReason::LOSSY_FULL));
        EXPECT_EQ(drop.reason, DropReason::LOSSY_FULL);
        EXPECT_EQ(told.trafficClass, 3);
        EXPECT_EQ(told.nanoseconds, static_cast<uint64_t>(drop.at.GetNanoSeconds()));
        EXPECT_EQ(told.frameBytes, drop.sizeBytes);
        Bytes head(drop.image.begin(), drop.image.begin() + 128);
        EXPECT_EQ(ToHex(BytesOf(reports[i].head)), ToHex(head));
    }
}

TEST_F(Mirror, KeepsToItsRate)
{
    // At 1 Gb/s a report of 14 + 20 + 8 + 36 + 128 + 4 bytes, with preamble and gap 20, takes
    // 230 x 8 ns; without a burst one goes and then one every 1840 ns.
    Build();
    mirror->SetAttribute("MaxRate", DataRateValue(DataRate("1Gbps")));
    mirror->SetAttribute("Burst", UintegerValue(0));
    Collect();
    RunIncast();
    ASSERT_GT(drops.size(), 10u);
    const auto& reports = collector->GetReports();
    ASSERT_GT(reports.size(), 1u);
    EXPECT_EQ(reports.size() + mirror->GetSuppressed(), drops.size());
    EXPECT_GT(mirror->GetSuppressed(), 0u);
    for (size_t i = 1; i < reports.size(); ++i)
    {
        EXPECT_GE(reports[i].header.nanoseconds - reports[i - 1].header.nanoseconds, 1839u);
        EXPECT_EQ(reports[i].header.sequence, i);
        EXPECT_GE(reports[i].header.suppressed, reports[i - 1].header.suppressed);
    }
}

TEST_F(Mirror, NeverMirrorsAReport)
{
    // The collector is the congested host itself, and reports are in the congested class.
    Build();
    mirror->SetAttribute("Collector", Ipv4AddressValue(f.Port(2)->GetIpv4Address()));
    mirror->SetAttribute("TrafficClass", UintegerValue(3));
    collector = CreateObject<DropMirrorCollector>();
    collector->Attach(f.Port(2));
    RunIncast();
    EXPECT_GT(reportDrops, 0u);
    EXPECT_EQ(mirror->GetReports(), drops.size());
    EXPECT_EQ(collector->GetCount() + reportDrops, drops.size());
}

TEST_F(Mirror, ReachesAUdpSocket)
{
    Build();
    Ptr<Node> host = f.network.hosts.Get(3);
    InternetStackHelper().Install(host);
    auto ipv4 = host->GetObject<Ipv4>();
    uint32_t interface = ipv4->AddInterface(f.Port(3));
    ipv4->AddAddress(interface,
                     Ipv4InterfaceAddress(f.Port(3)->GetIpv4Address(), Ipv4Mask("255.0.0.0")));
    ipv4->SetUp(interface);
    Ptr<Socket> socket = Socket::CreateSocket(host, UdpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), 32768));
    uint64_t got = 0;
    socket->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> s) {
        while (Ptr<Packet> packet = s->Recv())
        {
            DropMirrorHeader header;
            packet->RemoveHeader(header);
            EXPECT_EQ(header.sequence, got);
            EXPECT_EQ(packet->GetSize(), 128u);
            ++got;
        }
    }));
    RunIncast();
    EXPECT_GT(got, 10u);
    EXPECT_EQ(got, drops.size());
    socket->Close();
}

TEST_F(Mirror, ReportsAreWhatTsharkCallsUdp)
{
    if (!tshark::IsInstalled())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    Build();
    Collect();
    std::vector<pcap::Bytes> frames;
    f.Port(3)->TraceConnectWithoutContext(
        "PhyRxEnd",
        Callback<void, Ptr<const Packet>>(
            [&](Ptr<const Packet> packet) { frames.push_back(BytesOf(packet)); }));
    RunIncast(128);
    ASSERT_GT(drops.size(), 0u);
    ASSERT_EQ(frames.size(), drops.size());
    tshark::TemporaryCapture capture(frames);
    EXPECT_EQ(tshark::Errors(capture.Path()), std::vector<std::string>());
    auto rows = tshark::Read(capture.Path(),
                             {"frame.len",
                              "ip.version",
                              "ip.len",
                              "ip.proto",
                              "udp.dstport",
                              "udp.length",
                              "ip.dst",
                              "ip.checksum.status"});
    ASSERT_EQ(rows.size(), drops.size());
    std::ostringstream address;
    address << f.Port(3)->GetIpv4Address();
    for (const tshark::Row& row : rows)
    {
        EXPECT_EQ(tshark::ToNumber(row.at("frame.len")), UDP_HEADS + REPORT + 128);
        EXPECT_EQ(tshark::ToNumber(row.at("ip.version")), 4u);
        EXPECT_EQ(tshark::ToNumber(row.at("ip.len")), 20 + 8 + REPORT + 128);
        EXPECT_EQ(tshark::ToNumber(row.at("ip.proto")), 17u);
        EXPECT_EQ(tshark::ToNumber(row.at("udp.dstport")), 32768u);
        EXPECT_EQ(tshark::ToNumber(row.at("udp.length")), 8 + REPORT + 128);
        EXPECT_EQ(row.at("ip.dst"), address.str());
    }
}

TEST(MirrorHeader, HasItsBytes)
{
    DropMirrorHeader header;
    header.reason = 1;
    header.trafficClass = 3;
    header.switchId = 0x01020304;
    header.ingressPort = 5;
    header.egressPort = UINT32_MAX;
    header.nanoseconds = 0x1122334455667788;
    header.sequence = 6;
    header.suppressed = 7;
    header.frameBytes = 4162;
    auto packet = Create<Packet>();
    packet->AddHeader(header);
    EXPECT_EQ(ToHex(BytesOf(packet)),
              "01010300"
              "01020304"
              "00000005"
              "ffffffff"
              "1122334455667788"
              "00000006"
              "00000007"
              "00001042");
    DropMirrorHeader read;
    packet->RemoveHeader(read);
    auto again = Create<Packet>();
    again->AddHeader(read);
    EXPECT_EQ(again->GetSize(), 36u);
    EXPECT_EQ(read.nanoseconds, header.nanoseconds);
    EXPECT_EQ(read.egressPort, UINT32_MAX);
}

using MirrorDeath = Mirror;

TEST_F(MirrorDeath, WithoutACollectorOfTheFabricIsRefused)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            Build();
            mirror->SetAttribute("Collector", Ipv4AddressValue(Ipv4Address("192.0.2.1")));
            RunIncast();
        },
        "no endpoint of this fabric");
}

} // namespace
