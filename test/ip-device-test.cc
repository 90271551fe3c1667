// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief FabricNetDevice as ns-3's stack sees it: sending and receiving, flow control, classes,
 * VLAN tags, traces, pcap and ascii.
 */

#include "ip-fixture.h"
#include "pcap-file.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint16_t IPV4 = 0x0800;
constexpr uint16_t OWN_ETHERTYPE = 0x88b5; ///< IEEE: local experimental
const Time DELAY = NanoSeconds(500);

/// Two nodes and a cable, 10 Gb/s: 0.8 ns a byte.
class IpDevice : public testing::Test
{
  protected:
    void Build()
    {
        helper.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
        helper.SetChannelAttribute("Delay", TimeValue(DELAY));
        nodes.Create(2);
        NetDeviceContainer devices = helper.Install(nodes.Get(0), nodes.Get(1));
        a = DynamicCast<FabricNetDevice>(devices.Get(0));
        b = DynamicCast<FabricNetDevice>(devices.Get(1));
        b->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame&>(
                [this](const FabricFrame& f) { got.push_back(f.Clone()); }));
    }

    /// @param dscp of the header @param bytes of the packet @param ecn field @return IP and UDP
    Ptr<Packet> Udp(uint8_t dscp, uint32_t bytes, uint16_t port = 5000, uint8_t ecn = 0) const
    {
        Ptr<Packet> packet = Create<Packet>(bytes - 28);
        UdpHeader udp;
        udp.SetSourcePort(1000);
        udp.SetDestinationPort(port);
        packet->AddHeader(udp);
        Ipv4Header ip;
        ip.SetSource("192.168.7.1");
        ip.SetDestination("192.168.7.2");
        ip.SetProtocol(17);
        ip.SetPayloadSize(static_cast<uint16_t>(bytes - 20));
        ip.SetTos(static_cast<uint8_t>(dscp << 2 | ecn));
        packet->AddHeader(ip);
        return packet;
    }

    void Run()
    {
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    FabricHelper helper;
    NodeContainer nodes;
    Ptr<FabricNetDevice> a;
    Ptr<FabricNetDevice> b;
    std::vector<FramePtr> got; ///< that b has received
};

// ---------------------------------------------------------------- the NetDevice

TEST_F(IpDevice, SaysWhenItsCableIsWhole)
{
    nodes.Create(2);
    Ptr<FabricChannel> cable = CreateObject<FabricChannel>();
    std::vector<int> changes(2);
    for (int end : {0, 1})
    {
        Ptr<FabricNetDevice> device = CreateObject<FabricNetDevice>();
        nodes.Get(end)->AddDevice(device);
        device->AddLinkChangeCallback(Callback<void>([&changes, end] { ++changes[end]; }));
        device->SetAddress(Mac48Address::Allocate());
        EXPECT_FALSE(device->IsLinkUp());
        EXPECT_FALSE(device->Send(Create<Packet>(10), device->GetBroadcast(), OWN_ETHERTYPE));
        EXPECT_EQ(device->GetCounters().droppedFrames, 1u);
        cable->Attach(device);
    }
    EXPECT_EQ(changes, (std::vector<int>{1, 1}));
    EXPECT_TRUE(cable->GetDevice(0)->IsLinkUp());
    EXPECT_TRUE(cable->GetDevice(0)->IsPointToPoint()) << "ns-3's MPI simulators cut there";
}

TEST_F(IpDevice, HandsUpWhatItsAddressesSay)
{
    Build();

    struct Arrival
    {
        NetDevice::PacketType type;
        uint32_t bytes;
        bool promiscuous;
    };

    std::vector<Arrival> arrivals;
    for (bool promiscuous : {false, true})
    {
        nodes.Get(1)->RegisterProtocolHandler(
            Node::ProtocolHandler([&arrivals, promiscuous](Ptr<NetDevice>,
                                                           Ptr<const Packet> packet,
                                                           uint16_t protocol,
                                                           const Address&,
                                                           const Address&,
                                                           NetDevice::PacketType type) {
                EXPECT_EQ(protocol, OWN_ETHERTYPE);
                arrivals.push_back({type, packet->GetSize(), promiscuous});
            }),
            OWN_ETHERTYPE,
            b,
            promiscuous);
    }
    EXPECT_TRUE(a->Send(Create<Packet>(100), b->GetAddress(), OWN_ETHERTYPE));
    EXPECT_TRUE(a->Send(Create<Packet>(101), a->GetBroadcast(), OWN_ETHERTYPE));
    EXPECT_TRUE(
        a->Send(Create<Packet>(102), a->GetMulticast(Ipv4Address("224.0.0.1")), OWN_ETHERTYPE));
    EXPECT_TRUE(a->Send(Create<Packet>(103), Mac48Address("02:ff:00:00:00:01"), OWN_ETHERTYPE));
    Run();
    auto count = [&](NetDevice::PacketType type, uint32_t bytes, bool promiscuous) {
        return std::count_if(arrivals.begin(), arrivals.end(), [&](const Arrival& arrival) {
            return (arrival.type == type || !promiscuous) && arrival.bytes == bytes &&
                   arrival.promiscuous == promiscuous;
        });
    };
    EXPECT_EQ(arrivals.size(), 4u + 3);
    for (uint32_t bytes : {100, 101, 102}) // ns-3's node tells the type to promiscuous ones only
    {
        EXPECT_EQ(count(NetDevice::PACKET_HOST, bytes, false), 1);
    }
    EXPECT_EQ(count(NetDevice::PACKET_HOST, 100, true), 1);
    EXPECT_EQ(count(NetDevice::PACKET_BROADCAST, 101, true), 1);
    EXPECT_EQ(count(NetDevice::PACKET_MULTICAST, 102, true), 1);
    EXPECT_EQ(count(NetDevice::PACKET_OTHERHOST, 103, true), 1);
    EXPECT_EQ(b->GetCounters().droppedFrames, 0u);
}

TEST_F(IpDevice, DropsAndCountsWhatNobodyTakes)
{
    Build();
    a->Send(Create<Packet>(100), b->GetAddress(), OWN_ETHERTYPE); // no such protocol at b
    FramePtr roce = FabricFrame::Create();
    roce->dstMac = b->GetMacAddress();
    roce->ComputeSize();
    a->Enqueue(roce); // no NIC and no stack
    Run();
    EXPECT_EQ(got.size(), 2u);
    EXPECT_EQ(b->GetCounters().droppedFrames, 2u);
}

TEST_F(IpDevice, RefusesAPacketAboveItsMtu)
{
    helper.SetDeviceAttribute("Mtu", UintegerValue(1500));
    Build();
    EXPECT_TRUE(a->Send(Create<Packet>(1500), b->GetAddress(), OWN_ETHERTYPE));
    EXPECT_FALSE(a->Send(Create<Packet>(1501), b->GetAddress(), OWN_ETHERTYPE));
    Run();
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0]->sizeBytes, 14u + 1500 + 4);
}

// ---------------------------------------------------------------- flow control

TEST_F(IpDevice, StopsTheQueueAboveItAndWakesIt)
{
    // 10,000 B may wait; a largest packet is 1500 + 18 B. Frames of 1018 B: with eight there is
    // room for one more of any size (8144 + 1518 <= 10,000), with nine there is not.
    helper.SetDeviceAttribute("Mtu", UintegerValue(1500));
    helper.SetDeviceAttribute("PacketQueueBytes", UintegerValue(10000));
    Build();
    Ptr<NetDeviceQueue> queue = a->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
    std::vector<Time> wakes;
    queue->SetWakeCallback(Callback<void>([&] { wakes.push_back(Simulator::Now()); }));
    auto send = [&] { return a->Send(Create<Packet>(1000), b->GetAddress(), OWN_ETHERTYPE); };
    send(); // leaves at once
    for (int i = 0; i < 8; ++i)
    {
        EXPECT_TRUE(send());
        EXPECT_FALSE(queue->IsStopped()) << i;
    }
    EXPECT_TRUE(send());
    EXPECT_TRUE(queue->IsStopped());
    EXPECT_FALSE(send()) << "10,180 B would wait";
    EXPECT_EQ(a->GetCounters().droppedFrames, 1u);
    Run();
    EXPECT_FALSE(queue->IsStopped());
    // When the first of the nine leaves: after one slot of 8 + 1018 + 12 B.
    ASSERT_EQ(wakes.size(), 1u);
    EXPECT_EQ(wakes[0], PicoSeconds(800 * (8 + 1018 + 12)));
    EXPECT_EQ(got.size(), 10u);
}

TEST_F(IpDevice, WakesAlsoWhereTheQueueIsShorterThanAPacket)
{
    helper.SetDeviceAttribute("PacketQueueBytes", UintegerValue(2000));
    Build(); // Mtu 9216
    Ptr<NetDeviceQueue> queue = a->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
    EXPECT_TRUE(a->Send(Create<Packet>(1000), b->GetAddress(), OWN_ETHERTYPE));
    EXPECT_FALSE(queue->IsStopped()) << "it is on the wire";
    EXPECT_TRUE(a->Send(Create<Packet>(1000), b->GetAddress(), OWN_ETHERTYPE));
    EXPECT_TRUE(queue->IsStopped());
    Run();
    EXPECT_FALSE(queue->IsStopped());
}

struct QueueDiscKind
{
    const char* typeId;
    bool byteLimits; ///< with ns-3's dynamic queue limits between disc and port
};

class QueueDiscs : public IpFixture, public testing::WithParamInterface<QueueDiscKind>
{
};

TEST_P(QueueDiscs, HoldWhatThePortDoesNotTake)
{
    // 20 datagrams at once into a port that may hold 3 frames: all others wait in the queue disc,
    // and none is lost.
    fabric.SetDeviceAttribute("PacketQueueBytes", UintegerValue(3200));
    fabric.SetDeviceAttribute("Mtu", UintegerValue(1500));
    BuildStar(2, "10Gbps", DELAY);
    TrafficControlHelper control;
    control.SetRootQueueDisc(GetParam().typeId);
    if (GetParam().byteLimits)
    {
        control.SetQueueLimits("ns3::DynamicQueueLimits");
    }
    QueueDiscContainer discs = control.Install(network.GetHostDevices());
    AssignIpv4();
    FabricHelper::FillNeighborCaches(network);
    Ptr<Socket> socket = Socket::CreateSocket(Host(0), UdpSocketFactory::GetTypeId());
    uint32_t received = 0;
    Ptr<Socket> sink = Socket::CreateSocket(Host(1), UdpSocketFactory::GetTypeId());
    sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
    sink->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> from) {
        while (from->Recv())
        {
            ++received;
        }
    }));
    socket->Connect(InetSocketAddress(Ipv4Of(1), 9));
    uint32_t waiting = 0;
    Simulator::Schedule(MilliSeconds(1), [&] {
        for (int i = 0; i < 20; ++i)
        {
            socket->Send(Create<Packet>(1000));
        }
        waiting = discs.Get(0)->GetNPackets();
    });
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    // One is on the wire. Frames are 1046 B: one more waits (1046 + 1518 <= 3200), and the second
    // stops the queue. Dynamic limits may let fewer pass.
    EXPECT_GE(waiting, 20u - 3);
    EXPECT_LE(waiting, GetParam().byteLimits ? 19u : 20u - 3);
    EXPECT_EQ(received, 20u);
    EXPECT_EQ(Port(0)->GetCounters().droppedFrames, 0u);
    EXPECT_EQ(discs.Get(0)->GetStats().nTotalDroppedPackets, 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         QueueDiscs,
                         testing::Values(QueueDiscKind{"ns3::PfifoFastQueueDisc", false},
                                         QueueDiscKind{"ns3::FqCoDelQueueDisc", false},
                                         QueueDiscKind{"ns3::RedQueueDisc", false},
                                         QueueDiscKind{"ns3::PfifoFastQueueDisc", true}));

// ---------------------------------------------------------------- classes and tags

TEST_F(IpDevice, SendsByTheClassOfTheDscp)
{
    helper.SetDeviceAttribute("DscpToClass", StringValue("46:5,48-55:6"));
    helper.SetDeviceAttribute("PacketClass", UintegerValue(1));
    Build();
    for (uint8_t dscp : {0, 46, 47, 48, 55})
    {
        a->Send(Udp(dscp, 100, 5000, dscp == 46 ? 1 : 2), b->GetAddress(), IPV4);
    }
    a->Send(Create<Packet>(100), b->GetAddress(), OWN_ETHERTYPE);
    Run();
    ASSERT_EQ(got.size(), 6u);
    std::map<uint32_t, uint32_t> classOf;
    for (const FramePtr& f : got)
    {
        if (f->etherType == OWN_ETHERTYPE)
        {
            EXPECT_EQ(f->trafficClass, 1);
            continue;
        }
        classOf[f->dscp] = f->trafficClass;
        EXPECT_EQ(f->ecn, f->dscp == 46 ? EcnField::ECT1 : EcnField::ECT0);
        EXPECT_EQ(f->dstAddress, Ipv4Address("192.168.7.2").Get());
    }
    EXPECT_EQ(classOf, (std::map<uint32_t, uint32_t>{{0, 1}, {46, 5}, {47, 1}, {48, 6}, {55, 6}}));
}

TEST_F(IpDevice, LeavesAloneWhatOnlyLooksLikeRoce)
{
    // UDP port 4791, but what follows is no BTH with a right ICRC.
    Build();
    a->Send(Udp(0, 100, 4791), b->GetAddress(), IPV4);
    Run();
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0]->kind, FrameKind::PACKET);
    EXPECT_EQ(got[0]->payload->GetSize(), 100u);
}

using IpDeviceDeathTest = IpDevice;

TEST_F(IpDeviceDeathTest, ABadMapStopsTheProgram)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    Ptr<FabricNetDevice> device = CreateObject<FabricNetDevice>();
    EXPECT_DEATH(device->SetAttribute("DscpToClass", StringValue("46:9")), "\"46:9\".*0 to 7");
}

/// One switch; host 0's port tags, and so would the switch's if it could.
class Tagged : public IpFixture
{
  protected:
    void SetUp() override
    {
        fabric.SetDeviceAttribute("VlanId", UintegerValue(42));
        BuildStar(2, "10Gbps", DELAY);
        AssignIpv4();
    }
};

TEST_F(Tagged, CarriesIpInTaggedFrames)
{
    std::vector<FramePtr> frames;
    Port(1)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>(
            [&](const FabricFrame& f) { frames.push_back(f.Clone()); }));
    EXPECT_EQ(Echo(0, Ipv4Of(1), 1, 1, 1000), 1u);
    uint32_t large = 0;
    for (const FramePtr& f : frames)
    {
        EXPECT_TRUE(f->vlanTagged);
        EXPECT_EQ(f->vlanTci & 0xfff, 42);
        if (f->sizeBytes > 1000)
        {
            ++large;
            EXPECT_EQ(f->sizeBytes, 14u + 4 + 20 + 8 + 1000 + 4);
            EXPECT_EQ(f->ToPacket()->GetSize(), f->sizeBytes - 4);
        }
    }
    EXPECT_EQ(large, 1u);
    ExpectDrained();
}

TEST_F(Tagged, TagsWhatANicSendsOnce)
{
    Port(0)->SetAttribute("VlanId", UintegerValue(7));
    FramePtr sent = FabricFrame::Create();
    sent->opcode = RdmaOpcode::RC_WRITE_ONLY_IMM;
    sent->trafficClass = 3;
    sent->payloadBytes = 4096;
    sent->dstAddress = Port(1)->GetIpv4Address().Get();
    sent->dstMac = Port(1)->GetMacAddress();
    sent->ComputeSize();
    FramePtr arrived;
    Port(1)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>([&](const FabricFrame& f) {
            arrived = f.kind == FrameKind::ROCE ? f.Clone() : arrived;
        }));
    Port(0)->Enqueue(sent->Clone());
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->vlanTci, 3 << 13 | 7);
    // The largest frame of RC over IPv4: 62 + RETH 16 + immediate 4 + 4096, and the tag.
    EXPECT_EQ(arrived->sizeBytes, 62u + 16 + 4 + 4096 + 4);
    EXPECT_EQ(arrived->ToPacket()->GetSize(), arrived->sizeBytes - 4);
    ExpectDrained();
}

// ---------------------------------------------------------------- traces

TEST_F(IpDevice, TracesPacketsAsPointToPointDevicesDo)
{
    Build();
    std::vector<std::string> log;
    auto listen = [&](Ptr<FabricNetDevice> device, const std::string& name) {
        std::string where = (device == a ? "a " : "b ") + name;
        ASSERT_TRUE(device->TraceConnectWithoutContext(
            name,
            Callback<void, Ptr<const Packet>>([&log, where](Ptr<const Packet> packet) {
                std::ostringstream line;
                line << Simulator::Now().GetPicoSeconds() << ' ' << where << ' '
                     << packet->GetSize();
                log.push_back(line.str());
            })));
    };
    for (const char* name : {"MacTx", "MacTxDrop", "PhyTxBegin", "PhyTxEnd", "Sniffer"})
    {
        listen(a, name);
    }
    for (const char* name : {"PhyRxEnd", "MacRx", "MacRxDrop", "PhyRxDrop", "PromiscSniffer"})
    {
        listen(b, name);
    }
    // 1000 B of payload: an image of 1014 B, 1018 with the FCS. The last bit leaves after 8 + 1018
    // bytes at 0.8 ns and arrives 500 ns later, where no protocol takes it.
    a->Send(Create<Packet>(1000), b->GetAddress(), OWN_ETHERTYPE);
    a->Send(Create<Packet>(9217), b->GetAddress(), OWN_ETHERTYPE); // above the MTU
    Run();
    EXPECT_EQ(log,
              (std::vector<std::string>{"0 a MacTx 1014",
                                        "0 a PhyTxBegin 1014",
                                        "0 a Sniffer 1014",
                                        "0 a MacTxDrop 9231",
                                        "820800 a PhyTxEnd 1014",
                                        "1320800 b PhyRxEnd 1014",
                                        "1320800 b MacRx 1014",
                                        "1320800 b PromiscSniffer 1014",
                                        "1320800 b MacRxDrop 1014"}));
    log.clear();
    DynamicCast<FabricChannel>(a->GetChannel())->SetAttribute("LossRate", DoubleValue(1));
    a->Send(Create<Packet>(1000), b->GetAddress(), OWN_ETHERTYPE);
    Run();
    ASSERT_FALSE(log.empty());
    EXPECT_NE(log.back().find("b PhyRxDrop 1014"), std::string::npos);
}

/// @param name of a file @return its lines; the file is removed
std::vector<std::string>
LinesOf(const std::string& name)
{
    std::ifstream file(name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
        lines.push_back(line);
    }
    file.close();
    std::remove(name.c_str());
    return lines;
}

/// @param name of a pcap file @return the first frame's time, ns; -1: it counts in something else
int64_t
FirstStampOf(const std::string& name)
{
    std::ifstream in(name, std::ios::binary);
    pcap::Bytes file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const int64_t seconds = pcap::WordAt(file, pcap::FILE_HEADER_BYTES, false);
    const int64_t rest = pcap::WordAt(file, pcap::FILE_HEADER_BYTES + 4, false);
    const bool nanoseconds = pcap::WordAt(file, 0, false) == pcap::MAGIC_NANOSECONDS;
    return nanoseconds ? seconds * 1'000'000'000 + rest : -1;
}

class Ascii : public IpFixture
{
  protected:
    /// A RoCE frame from host 0 to host 1 over the switch.
    void SendRoce()
    {
        FramePtr frame = FabricFrame::Create();
        frame->opcode = RdmaOpcode::RC_WRITE_ONLY;
        frame->trafficClass = 3;
        frame->payloadBytes = 64;
        frame->psn = 4711;
        frame->dstAddress = Port(1)->GetIpv4Address().Get();
        frame->dstMac = Port(1)->GetMacAddress();
        frame->ComputeSize();
        Port(0)->Enqueue(frame);
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
    }
};

TEST_F(Ascii, ShowsTheWayOfAFrameThroughSwitchPorts)
{
    // In one stream, with contexts: queued and sent by the host, received, queued and sent by the
    // switch, received by host 1, where neither NIC nor IP takes it.
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    graph.Connect({graph.AddHost("0"), center, DataRate("10Gbps"), DELAY});
    graph.Connect({graph.AddHost("1"), center, DataRate("10Gbps"), DELAY});
    network = fabric.Install(graph);
    std::string name = testing::TempDir() + "ascii.tr";
    AsciiTraceHelper ascii;
    fabric.EnableAsciiAll(ascii.CreateFileStream(name));
    SendRoce();
    Simulator::Destroy();
    std::vector<std::string> lines = LinesOf(name);
    std::string events;
    for (const std::string& line : lines)
    {
        events += line.substr(0, 1);
        EXPECT_NE(line.find("4711"), std::string::npos) << "the decoded BTH: " << line;
    }
    EXPECT_EQ(events, "+-r+-rd");
    ASSERT_EQ(lines.size(), 7u);
    EXPECT_NE(lines[0].find("/NodeList/1/DeviceList/0/$ns3::FabricNetDevice/MacTx"),
              std::string::npos)
        << lines[0];
    EXPECT_NE(lines[3].find("/NodeList/0/DeviceList/1/$ns3::FabricNetDevice/MacTx"),
              std::string::npos)
        << lines[3];
}

TEST_F(Ascii, WritesAFileADeviceAndAPcapBeside)
{
    BuildStar(2, "10Gbps", DELAY);
    std::string prefix = testing::TempDir() + "one";
    fabric.EnableAscii(prefix, network.switches);
    fabric.EnablePcapAll(prefix, false);
    SendRoce();
    Simulator::Destroy();
    network = {}; // a pcap file is written to the end when its device goes
    std::string events;
    for (const std::string& line : LinesOf(prefix + "-0-0.tr"))
    {
        events += line.find("4711") == std::string::npos ? "" : line.substr(0, 1);
    }
    EXPECT_EQ(events, "r") << "the switch's first port receives it";
    std::remove((prefix + "-0-1.tr").c_str());
    // Sent at 0 by host 0, whose cable goes to the switch's first port, and passed on at once.
    const int64_t hop = (OnWire("10Gbps", 8 + 142) + DELAY).GetNanoSeconds();
    const std::map<std::string, int64_t> stamps{{"-1-0.pcap", 0},
                                                {"-0-0.pcap", hop},
                                                {"-0-1.pcap", hop},
                                                {"-2-0.pcap", 2 * hop}};
    for (const char* file : {"-0-0.pcap", "-0-1.pcap", "-1-0.pcap", "-2-0.pcap"})
    {
        std::ifstream capture(prefix + file, std::ios::binary | std::ios::ate);
        // File header 24 and a record of 16 + 62 + 16 + 64 - 4, at least.
        EXPECT_GE(static_cast<int64_t>(capture.tellg()), 24 + 16 + 138) << file;
        EXPECT_EQ(FirstStampOf(prefix + file), stamps.at(file)) << file;
        capture.close();
        std::remove((prefix + file).c_str());
    }
}

} // namespace
