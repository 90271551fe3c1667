// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief ns-3's Internet stack over a fabric: who is found how, where frames are flooded, and
 * routers that RoCE passes.
 */

#include "ip-fixture.h"

#include "ns3/red-queue-disc.h"

#include <numeric>

using namespace ns3;

namespace
{

constexpr uint16_t ARP = 0x0806;
constexpr uint16_t OWN_ETHERTYPE = 0x88b5; ///< IEEE: local experimental
const Time DELAY = NanoSeconds(500);

class IpFabric : public IpFixture
{
  protected:
    /// Two leaves of two hosts, two spines, so that there are loops.
    void BuildLeafSpine()
    {
        FabricGraph graph;
        for (int h = 0; h < 4; ++h)
        {
            graph.AddHost("host" + std::to_string(h));
        }
        uint32_t leaf[] = {graph.AddSwitch("leaf0"), graph.AddSwitch("leaf1")};
        uint32_t spine[] = {graph.AddSwitch("spine0"), graph.AddSwitch("spine1")};
        for (uint32_t h = 0; h < 4; ++h)
        {
            graph.Connect({h, leaf[h / 2], DataRate("100Gbps"), DELAY});
        }
        for (uint32_t l : leaf)
        {
            for (uint32_t s : spine)
            {
                graph.Connect({l, s, DataRate("100Gbps"), DELAY});
                graph.Connect({l, s, DataRate("100Gbps"), DELAY}); // a parallel one
            }
        }
        Build(graph);
    }

    /// Counts what each host gets of our own EtherType.
    void CountArrivals()
    {
        arrivals.assign(network.hosts.GetN(), 0);
        for (uint32_t h = 0; h < network.hosts.GetN(); ++h)
        {
            Host(h)->RegisterProtocolHandler(
                Node::ProtocolHandler([this, h](Ptr<NetDevice>,
                                                Ptr<const Packet>,
                                                uint16_t,
                                                const Address&,
                                                const Address&,
                                                NetDevice::PacketType) { ++arrivals[h]; }),
                OWN_ETHERTYPE,
                nullptr);
        }
    }

    /// Counts the frames that hosts send. @param etherType of those to count
    void CountSent(uint16_t etherType)
    {
        for (const auto& port : network.GetHostPorts())
        {
            port->TraceConnectWithoutContext(
                "FrameTx",
                Callback<void, const FabricFrame&>([this, etherType](const FabricFrame& frame) {
                    sent += frame.kind == FrameKind::PACKET && frame.etherType == etherType;
                }));
        }
    }

    std::vector<uint32_t> arrivals;
    uint32_t sent{0};
};

// ---------------------------------------------------------------- flooding

TEST_F(IpFabric, FloodsABroadcastOnceToEveryOther)
{
    BuildLeafSpine();
    CountArrivals();
    uint32_t betweenSwitches = 0;
    for (const auto& fabricSwitch : network.GetSwitches())
    {
        for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
        {
            if (fabricSwitch->GetPort(p)->GetPeer()->GetNode()->GetObject<FabricSwitch>())
            {
                fabricSwitch->GetPort(p)->TraceConnectWithoutContext(
                    "FrameTx",
                    Callback<void, const FabricFrame&>(
                        [&](const FabricFrame&) { ++betweenSwitches; }));
            }
        }
    }
    for (uint32_t h = 0; h < 4; ++h)
    {
        Port(h)->Send(Create<Packet>(100), Port(h)->GetBroadcast(), OWN_ETHERTYPE);
    }
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    // Each of four hosts hears the three others; each broadcast crosses the three edges of a tree
    // over four switches.
    EXPECT_EQ(arrivals, std::vector<uint32_t>(4, 3));
    EXPECT_EQ(betweenSwitches, 4u * 3);
    ExpectDrained();
}

TEST_F(IpFabric, FloodsAlongATree)
{
    BuildLeafSpine();
    // Four switches: three edges, two ports each; and all four hosts.
    size_t ports = 0;
    for (const auto& fabricSwitch : network.GetSwitches())
    {
        ports += fabricSwitch->GetFloodPorts().size();
    }
    EXPECT_EQ(ports, 2u * 3 + 4);
}

TEST_F(IpFabric, FloodsMulticastAndUnknownAddressesButNoKnownOne)
{
    BuildLeafSpine();
    CountArrivals();
    Port(0)->Send(Create<Packet>(100), Mac48Address("01:00:5e:00:00:01"), OWN_ETHERTYPE);
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(arrivals, (std::vector<uint32_t>{0, 1, 1, 1}));
    uint64_t before = Port(2)->GetCounters().rxFrames;
    Port(0)->Send(Create<Packet>(100), Mac48Address("02:11:22:33:44:55"), OWN_ETHERTYPE);
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(arrivals, (std::vector<uint32_t>{0, 1, 1, 1})) << "a port passes on what is its own";
    EXPECT_EQ(Port(2)->GetCounters().rxFrames, before + 1);
    Port(0)->Send(Create<Packet>(100), Port(3)->GetAddress(), OWN_ETHERTYPE);
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(arrivals, (std::vector<uint32_t>{0, 1, 1, 2}));
    EXPECT_EQ(Port(2)->GetCounters().rxFrames, before + 1);
    ExpectDrained();
}

TEST_F(IpFabric, FloodsAMulticastOfRdma)
{
    BuildLeafSpine();
    std::vector<uint32_t> got(4);
    for (uint32_t h = 0; h < 4; ++h)
    {
        Port(h)->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame&>([&got, h](const FabricFrame& frame) {
                got[h] += frame.kind == FrameKind::ROCE && frame.payloadBytes == 256;
            }));
    }
    FramePtr frame = FabricFrame::Create();
    frame->opcode = RdmaOpcode::UD_SEND_ONLY;
    frame->trafficClass = 3; // lossless, each copy too
    frame->dstAddress = Ipv4Address("239.1.2.3").Get();
    frame->dstMac = Mac48Address::GetMulticast(Ipv4Address("239.1.2.3"));
    frame->payloadBytes = 256;
    frame->ComputeSize();
    Port(2)->Enqueue(frame);
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(got, (std::vector<uint32_t>{1, 1, 0, 1}));
    ExpectDrained();
}

TEST_F(IpFabric, BooksEachCopyOfAFlood)
{
    // Ports of 100 and 1 Gb/s: a burst of broadcasts fits the fast ones, but not the memory that
    // the slow one may use. Its drops do not touch the others.
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (const char* rate : {"100Gbps", "100Gbps", "1Gbps"})
    {
        graph.Connect({graph.AddHost(rate), center, DataRate(rate), DELAY});
    }
    fabric.SetSwitchAttribute("Pfc", BooleanValue(false));
    // Reserves of 3 x 8 x 4096 B, and 40,000 B to share.
    fabric.SetBufferAttribute("Size", UintegerValue(3 * 8 * 4096 + 40000));
    Build(graph);
    CountArrivals();
    constexpr uint32_t BURST = 100;
    for (uint32_t i = 0; i < BURST; ++i)
    {
        Port(0)->Send(Create<Packet>(982), Port(0)->GetBroadcast(), OWN_ETHERTYPE); // 1000 B
    }
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    EXPECT_EQ(arrivals[0], 0u);
    EXPECT_EQ(arrivals[1], BURST);
    EXPECT_LT(arrivals[2], 30u); // half of what is shared, the reserve, and what leaves meanwhile
    EXPECT_GT(arrivals[2], 20u);
    EXPECT_EQ(Switch()->GetLossyDrops(), BURST - arrivals[2]);
    ExpectDrained();
}

// ---------------------------------------------------------------- who is found how

TEST_F(IpFabric, FindsByArpWhoeverHasWhichAddress)
{
    // The stack's addresses are the fabric's in reverse order: a switch that went by IP addresses
    // would send each packet to the wrong host.
    BuildLeafSpine();
    CountSent(ARP);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    for (uint32_t h = 4; h-- > 0;)
    {
        addresses.Assign(NetDeviceContainer(Port(h)));
    }
    ASSERT_EQ(Ipv4Of(3), Ipv4Address("10.0.0.1"));
    ASSERT_EQ(Port(0)->GetIpv4Address(), Ipv4Address("10.0.0.1"));
    EXPECT_EQ(Echo(0, Ipv4Of(2), 2, 10, 1000), 10u);
    EXPECT_EQ(sent, 2u + 2) << "request and reply, each way, for neither learns from a request";
}

TEST_F(IpFabric, NeedsNoArpWithFilledCaches)
{
    BuildLeafSpine();
    CountSent(ARP);
    AssignIpv4("192.168.1.0");
    FabricHelper::FillNeighborCaches(network);
    EXPECT_EQ(Echo(0, Ipv4Of(3), 3, 10, 1000), 10u);
    EXPECT_EQ(sent, 0u);
}

class IpFabricV6 : public IpFabric, public testing::WithParamInterface<bool>
{
};

TEST_P(IpFabricV6, FindsWhateverTheLowBitsAre)
{
    // The low 32 bits of each address are the fabric address of the next host.
    BuildLeafSpine();
    uint32_t solicitations = 0;
    for (uint32_t h = 0; h < 4; ++h)
    {
        Ptr<Ipv6> ip = Host(h)->GetObject<Ipv6>();
        uint32_t interface = ip->AddInterface(Port(h));
        std::string low = std::to_string((h + 1) % 4 + 1);
        Ipv6Address address(("2001:db8::a00:" + low).c_str());
        ip->AddAddress(interface, Ipv6InterfaceAddress(address, Ipv6Prefix(64)));
        ip->SetUp(interface);
    }
    if (GetParam())
    {
        FabricHelper::FillNeighborCaches(network);
    }
    // Solicitations after duplicate address detection (the first two seconds).
    Port(0)->TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame&>([&](const FabricFrame& frame) {
            solicitations += frame.dstMac.IsGroup() && Simulator::Now() > Seconds(2.5) &&
                             Simulator::Now() < Seconds(3.5);
        }));
    Ipv6Address server = Host(2)->GetObject<Ipv6>()->GetAddress(1, 0).GetAddress();
    ASSERT_EQ(server, Ipv6Address("2001:db8::a00:4"));
    EXPECT_EQ(Echo(0, server, 2, 10, 1000), 10u);
    EXPECT_EQ(solicitations > 0, !GetParam());
    ExpectDrained();
}

INSTANTIATE_TEST_SUITE_P(Caches, IpFabricV6, testing::Bool());

TEST_F(IpFabric, AnswersAPing)
{
    BuildLeafSpine();
    AssignIpv4();
    Ptr<Socket> socket = Socket::CreateSocket(Host(0), Ipv4RawSocketFactory::GetTypeId());
    socket->SetAttribute("Protocol", UintegerValue(Icmpv4L4Protocol::PROT_NUMBER));
    uint32_t replies = 0;
    Time at;
    socket->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> from) {
        Address address;
        Ptr<Packet> packet = from->RecvFrom(address);
        Ipv4Header ip;
        Icmpv4Header icmp;
        packet->RemoveHeader(ip);
        packet->RemoveHeader(icmp);
        replies += ip.GetSource() == Ipv4Of(3) && icmp.GetType() == Icmpv4Header::ICMPV4_ECHO_REPLY;
        at = Simulator::Now();
    }));
    socket->Connect(InetSocketAddress(Ipv4Of(3), 0));
    Simulator::Schedule(Seconds(1), [&] {
        Ptr<Packet> packet = Create<Packet>();
        Icmpv4Echo echo;
        echo.SetData(Create<Packet>(1000));
        packet->AddHeader(echo);
        Icmpv4Header header;
        header.SetType(Icmpv4Header::ICMPV4_ECHO);
        packet->AddHeader(header);
        socket->Send(packet);
    });
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    EXPECT_EQ(replies, 1u);
}

// ---------------------------------------------------------------- routers

/// An RDMA NIC in miniature: keeps RoCE frames and leaves the rest to the stack.
class Recorder : public FabricPortOwner
{
  public:
    void ReceiveFrame(FabricNetDevice& port, FramePtr frame) override
    {
        if (frame->kind == FrameKind::ROCE)
        {
            frames.push_back(frame);
        }
        else
        {
            port.DeliverToStack(*frame);
        }
    }

    std::vector<FramePtr> frames;
};

class ThereAndBack : public testing::TestWithParam<bool>
{
};

TEST_P(ThereAndBack, ARoceFrameIsAnIpPacketToAStackAndBackAgain)
{
    // The node behind port b has no NIC; its protocol returns each packet to the sender.
    bool ipv6 = GetParam();
    NodeContainer nodes(2);
    NetDeviceContainer devices = FabricHelper().Install(nodes.Get(0), nodes.Get(1));
    auto a = DynamicCast<FabricNetDevice>(devices.Get(0));
    auto b = DynamicCast<FabricNetDevice>(devices.Get(1));
    b->SetAttribute("DscpToClass", StringValue("26:4"));
    Recorder atA;
    a->SetOwner(&atA);
    uint32_t packetBytes = 0;
    nodes.Get(1)->RegisterProtocolHandler(Node::ProtocolHandler([&](Ptr<NetDevice> device,
                                                                    Ptr<const Packet> packet,
                                                                    uint16_t protocol,
                                                                    const Address& from,
                                                                    const Address&,
                                                                    NetDevice::PacketType) {
                                              EXPECT_EQ(protocol, ipv6 ? 0x86dd : 0x0800);
                                              packetBytes = packet->GetSize();
                                              device->Send(packet->Copy(), from, protocol);
                                          }),
                                          0,
                                          b);
    FramePtr frame = FabricFrame::Create();
    frame->opcode = RdmaOpcode::RC_SEND_LAST_IMM;
    frame->ipv6 = ipv6;
    if (ipv6)
    {
        for (uint8_t i = 0; i < 16; ++i)
        {
            frame->srcIpv6[i] = i;
            frame->dstIpv6[i] = 100 + i;
        }
        frame->ipv6FlowLabel = 0x12345;
    }
    else
    {
        frame->srcAddress = 0x0a000001;
        frame->dstAddress = 0x0a000002;
    }
    frame->trafficClass = 3;
    frame->dscp = 26;
    frame->ecn = EcnField::CE;
    frame->psn = 4711;
    frame->immediate = 0xdeadbeef;
    frame->payload = Create<Packet>(reinterpret_cast<const uint8_t*>("seven b"), 7);
    frame->payloadBytes = 7;
    frame->srcMac = a->GetMacAddress();
    frame->dstMac = b->GetMacAddress();
    frame->ComputeSize();
    a->Enqueue(frame->Clone());
    Simulator::Run();
    // UDP 8, BTH 12, ImmDt 4, payload 7 and pad 1, ICRC 4.
    EXPECT_EQ(packetBytes, (ipv6 ? 40u : 20u) + 36);
    ASSERT_EQ(atA.frames.size(), 1u);
    const FabricFrame& got = *atA.frames[0];
    EXPECT_EQ(got.trafficClass, 4);
    EXPECT_EQ(got.srcMac, b->GetMacAddress());
    EXPECT_EQ(got.dstMac, a->GetMacAddress());
    EXPECT_EQ(got.sizeBytes, frame->sizeBytes);
    auto bytesOf = [](const FabricFrame& f) {
        Ptr<Packet> packet = f.ToIpPacket();
        std::vector<uint8_t> image(packet->GetSize());
        packet->CopyData(image.data(), packet->GetSize());
        return image;
    };
    EXPECT_EQ(bytesOf(got), bytesOf(*frame));
    Simulator::Destroy();
}

INSTANTIATE_TEST_SUITE_P(Ip, ThereAndBack, testing::Bool());

class MarkedInIp : public IpFixture, public testing::WithParamInterface<bool>
{
};

TEST_P(MarkedInIp, ACeOfTheSwitchIsInTheHeaderThatTheStackGets)
{
    // From 100 into 1 Gb/s with Kmin = Kmax = 0: all but those that find the queue empty (the one
    // that goes out at once and the one behind it) are marked. Traffic class 0xb8: DSCP 46.
    bool ipv6 = GetParam();
    fabric.SetEcn([](DataRate) { return EcnThresholds{0, 0, 1}; }, 1);
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    graph.Connect({graph.AddHost("0"), center, DataRate("100Gbps"), DELAY});
    graph.Connect({graph.AddHost("1"), center, DataRate("1Gbps"), DELAY});
    network = fabric.Install(graph);
    uint16_t etherType = ipv6 ? 0x86dd : 0x0800;
    std::vector<uint32_t> tos;
    Host(1)->RegisterProtocolHandler(Node::ProtocolHandler([&](Ptr<NetDevice>,
                                                               Ptr<const Packet> packet,
                                                               uint16_t,
                                                               const Address&,
                                                               const Address&,
                                                               NetDevice::PacketType) {
                                         Ipv4Header ip4;
                                         ip4.EnableChecksum();
                                         Ipv6Header ip6;
                                         ipv6 ? packet->PeekHeader(ip6) : packet->PeekHeader(ip4);
                                         tos.push_back(ipv6 ? ip6.GetTrafficClass() : ip4.GetTos());
                                         EXPECT_TRUE(ip4.IsChecksumOk());
                                         EXPECT_EQ(packet->GetSize(), (ipv6 ? 40u : 20u) + 1000);
                                     }),
                                     etherType,
                                     Port(1));
    constexpr uint8_t NOT_ECT = 0xb8;
    for (uint8_t sent : {0xba, 0xba, 0xba, 0xb9, 0xb8, 0xbb})
    {
        Ptr<Packet> packet = Create<Packet>(1000);
        if (ipv6)
        {
            Ipv6Header ip;
            ip.SetTrafficClass(sent);
            ip.SetNextHeader(59);
            ip.SetPayloadLength(1000);
            packet->AddHeader(ip);
        }
        else
        {
            Ipv4Header ip;
            ip.EnableChecksum();
            ip.SetTos(sent);
            ip.SetProtocol(253);
            ip.SetPayloadSize(1000);
            packet->AddHeader(ip);
        }
        EXPECT_TRUE(Port(0)->Send(packet, Port(1)->GetAddress(), etherType));
    }
    Simulator::Run();
    EXPECT_EQ(tos, (std::vector<uint32_t>{0xba, 0xba, 0xbb, 0xbb, NOT_ECT, 0xbb}));
    EXPECT_EQ(Switch()->GetPort(1)->GetCounters().ecnMarks, 2u);
}

INSTANTIATE_TEST_SUITE_P(Ip, MarkedInIp, testing::Bool());

/**
 * host A - switch - router 1 - router 2 - switch - host B, the link between routers slower, with
 * RED and ECN.
 */
class Routed : public IpFixture
{
  protected:
    void SetUp() override
    {
        BuildStar(2, "100Gbps", DELAY); // host 0 is A, host 1 is router 1
        AssignIpv4("10.0.0.0");
        first = network;
        fabric.SetFirstAddress(Ipv4Address("10.1.0.1"));
        BuildStar(2, "100Gbps", DELAY); // host 0 is B, host 1 is router 2
        AssignIpv4("10.1.0.0");
        second = network;
        fabric.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
        NetDeviceContainer link = fabric.Install(first.hosts.Get(1), second.hosts.Get(1));
        for (uint32_t i = 0; i < 2; ++i)
        {
            // No more than one frame waits below the queue disc.
            link.Get(i)->SetAttribute("PacketQueueBytes", UintegerValue(9300));
        }
        TrafficControlHelper red;
        red.SetRootQueueDisc(
            "ns3::RedQueueDisc",
            "UseEcn",
            BooleanValue(true),
            "UseHardDrop",
            BooleanValue(false),
            "QW",
            DoubleValue(0.99), // the queue itself, not its average over time (1 means "automatic")
            "LinkBandwidth",
            StringValue("10Gbps"),
            "MinTh",
            DoubleValue(5),
            "MaxTh",
            DoubleValue(15),
            "MaxSize",
            StringValue("1000p"));
        disc = red.Install(link).Get(0);
        Ipv4AddressHelper("10.9.0.0", "255.255.255.0").Assign(link);
        auto route = [](Ptr<Node> node, const char* to, const char* via) {
            Ptr<Ipv4> ip = node->GetObject<Ipv4>();
            uint32_t out = ip->GetInterfaceForPrefix(via, "255.255.255.0");
            Ipv4StaticRoutingHelper().GetStaticRouting(ip)->AddNetworkRouteTo(to,
                                                                              "255.255.255.0",
                                                                              via,
                                                                              out);
        };
        route(first.hosts.Get(1), "10.1.0.0", "10.9.0.2");
        route(second.hosts.Get(1), "10.0.0.0", "10.9.0.1");
        a = first.GetHostPorts()[0];
        b = second.GetHostPorts()[0];
        a->SetOwner(&atA);
        b->SetOwner(&atB);
    }

    /// A WRITE's only frame, from A to B by way of router 1.
    FramePtr Write(uint32_t psn, uint32_t payloadBytes) const
    {
        FramePtr frame = FabricFrame::Create();
        frame->opcode = RdmaOpcode::RC_WRITE_ONLY;
        frame->ecn = EcnField::ECT0;
        frame->dscp = 26;
        frame->trafficClass = 3;
        frame->srcAddress = a->GetIpv4Address().Get();
        frame->dstAddress = b->GetIpv4Address().Get();
        frame->srcMac = a->GetMacAddress();
        frame->dstMac = first.GetHostPorts()[1]->GetMacAddress();
        frame->udpSourcePort = 50000;
        frame->ackRequest = true;
        frame->destQp = 77;
        frame->psn = psn;
        frame->remoteAddress = 0x1122334455667788;
        frame->remoteKey = 0x99aabbcc;
        frame->dmaLength = payloadBytes;
        frame->payloadBytes = payloadBytes;
        frame->ComputeSize();
        return frame;
    }

    FabricNetwork first;
    FabricNetwork second;
    Ptr<FabricNetDevice> a;
    Ptr<FabricNetDevice> b;
    Recorder atA;
    Recorder atB;
    Ptr<QueueDisc> disc;
};

TEST_F(Routed, ARoceFrameStaysWhatItIs)
{
    for (const auto& port : second.GetHostPorts())
    {
        port->SetAttribute("DscpToClass", StringValue("26:5"));
    }
    std::vector<uint8_t> data(1001);
    std::iota(data.begin(), data.end(), uint8_t{0});
    FramePtr frame = Write(123, 1001);
    frame->payload = Create<Packet>(data.data(), 1001);
    Simulator::Schedule(Seconds(1), [&] { a->Enqueue(frame->Clone()); });
    Simulator::Stop(Seconds(2));
    Simulator::Run();
    ASSERT_EQ(atB.frames.size(), 1u);
    const FabricFrame& got = *atB.frames[0];
    EXPECT_EQ(got.ttl, 64 - 2);
    EXPECT_EQ(got.trafficClass, 5) << "the second router's map";
    EXPECT_EQ(got.srcMac, second.GetHostPorts()[1]->GetMacAddress());
    EXPECT_EQ(got.dstMac, b->GetMacAddress());
    // All else is as it was, to the byte: Ethernet 14, then the IP header's TTL and checksum.
    auto bytesOf = [](const FabricFrame& f) {
        Ptr<Packet> packet = f.ToPacket();
        std::vector<uint8_t> image(packet->GetSize());
        packet->CopyData(image.data(), packet->GetSize());
        for (uint32_t changed : {22, 24, 25})
        {
            image.at(changed) = 0;
        }
        return std::vector<uint8_t>(image.begin() + 12, image.end());
    };
    EXPECT_EQ(bytesOf(got), bytesOf(*frame));
    EXPECT_EQ(got.sizeBytes, frame->sizeBytes);
}

TEST_F(Routed, WhatIsKnownOfAFrameCrossesRouters)
{
    // The parts of its time are the whole, whatever waited for ARP in between.
    FramePtr frame = Write(123, 1000);
    frame->sentTime = 4711;
    Time start = Seconds(1);
    Time arrival;
    b->TraceConnectWithoutContext("FrameRx",
                                  Callback<void, const FabricFrame&>([&](const FabricFrame& f) {
                                      arrival =
                                          f.kind == FrameKind::ROCE ? Simulator::Now() : arrival;
                                  }));
    Simulator::Schedule(start, [&] { a->Enqueue(frame->Clone()); });
    Simulator::Stop(Seconds(2));
    Simulator::Run();
    ASSERT_EQ(atB.frames.size(), 1u);
    const FrameJourney& journey = atB.frames[0]->journey;
    EXPECT_EQ(atB.frames[0]->sentTime, 4711u);
    // 8 + 62 + 16 + 1000 B on four links of 100 Gb/s (80 ps a byte) and one of 10 Gb/s; the delay
    // of the latter is the attribute's default, as long.
    EXPECT_EQ(journey.serialization, 1086 * (4 * 80 + 800));
    EXPECT_EQ(TimeStep(journey.propagation), 5 * DELAY);
    EXPECT_EQ(TimeStep(journey.serialization + journey.propagation + journey.queueing),
              arrival - start);
    EXPECT_EQ(journey.paused, 0);
}

TEST_F(Routed, MarksOfItsQueueDiscsSurvive)
{
    constexpr uint32_t COUNT = 100; // at 100 Gb/s into 10 Gb/s: 90 of them queue up
    Simulator::Schedule(Seconds(0.5), [&] { a->Enqueue(Write(0, 0)); }); // routers find the way
    Simulator::Schedule(Seconds(1), [&] {
        atB.frames.clear();
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            a->Enqueue(Write(i, 4096));
        }
    });
    Simulator::Stop(Seconds(2));
    Simulator::Run();
    const QueueDisc::Stats& stats = disc->GetStats();
    uint32_t marks = stats.GetNMarkedPackets(RedQueueDisc::UNFORCED_MARK) +
                     stats.GetNMarkedPackets(RedQueueDisc::FORCED_MARK);
    ASSERT_EQ(stats.nTotalDroppedPackets, 0u);
    ASSERT_EQ(atB.frames.size(), COUNT);
    uint32_t marked = 0;
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        EXPECT_EQ(atB.frames[i]->psn, i);
        marked += atB.frames[i]->ecn == EcnField::CE;
    }
    EXPECT_EQ(marked, marks);
    EXPECT_GT(marks, 0u);
}

TEST_F(Routed, TheStackOfAHostWithANicWorksBesideIt)
{
    // From A's UDP socket to B's: both nodes have a port owner that takes RoCE only.
    network = first;
    Ptr<Ipv4> ip = Host(0)->GetObject<Ipv4>();
    Ipv4StaticRoutingHelper().GetStaticRouting(ip)->SetDefaultRoute("10.0.0.2", 1);
    ip = second.hosts.Get(0)->GetObject<Ipv4>();
    Ipv4StaticRoutingHelper().GetStaticRouting(ip)->SetDefaultRoute("10.1.0.2", 1);
    UdpEchoServerHelper(9).Install(second.hosts.Get(0));
    EXPECT_EQ(Echo(0, Ipv4Address("10.1.0.1"), 0, 10, 1000), 10u);
    EXPECT_TRUE(atA.frames.empty());
    EXPECT_TRUE(atB.frames.empty());
}

} // namespace
