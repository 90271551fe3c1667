// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief TCP through the same ports and switches as RDMA: ECN for DCTCP, shares beside RDMA.
 */

#include "ip-fixture.h"

using namespace ns3;

namespace
{

constexpr uint32_t TCP_CLASS = 0;
constexpr uint32_t RDMA_CLASS = 3;
constexpr uint16_t SINK_PORT = 5001;
constexpr uint32_t SEGMENT = 1448;
/// Ethernet 14, IPv4 20, TCP 20 with 12 of time stamps, FCS 4.
constexpr uint32_t FRAME = 14 + 20 + 32 + SEGMENT + 4;
constexpr uint32_t ON_WIRE = FRAME + 8 + 12; ///< preamble and gap

void
ConfigureTcp(TypeId congestionControl, bool ecn)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(congestionControl));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(ecn ? "On" : "Off"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(16 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(16 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(10)));
}

/// A sender of as many bytes as go. @return the application
ApplicationContainer
Bulk(Ptr<Node> node, Ipv4Address to, Time start)
{
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(to, SINK_PORT));
    bulk.SetAttribute("SendSize", UintegerValue(64 * 1024));
    ApplicationContainer app = bulk.Install(node);
    app.Start(start);
    return app;
}

// ---------------------------------------------------------------- two senders, one port

/// Two TCP senders at 10 Gb/s into one port; looked at after they have settled.
class TwoSenders : public IpFixture
{
  protected:
    static constexpr uint32_t SENDERS = 2;
    static constexpr uint32_t PACKETS = 65; ///< K, as in the DCTCP paper's hosts at 10 Gb/s
    const Time LINK = MicroSeconds(10);
    const Time SETTLED = MilliSeconds(30);
    const Time END = MilliSeconds(100);

    void Run()
    {
        fabric.SetEcn(
            [](DataRate) {
                return EcnThresholds{PACKETS * FRAME, PACKETS * FRAME, 1.0};
            },
            1 << TCP_CLASS);
        fabric.SetSwitchAttribute("Pfc", BooleanValue(false));
        fabric.SetBufferAttribute("Size", UintegerValue(SIZE));
        fabric.SetDeviceAttribute("PacketQueueBytes", UintegerValue(16 << 20));
        BuildStar(SENDERS + 1, "10Gbps", LINK);
        for (uint32_t h = 0; h <= SENDERS; ++h)
        {
            // A plain FIFO above the port, so that only the switch decides.
            TrafficControlHelper fifo;
            fifo.SetRootQueueDisc("ns3::PfifoFastQueueDisc", "MaxSize", StringValue("100000p"));
            fifo.Install(NetDeviceContainer(Port(h)));
        }
        AssignIpv4();
        FabricHelper::FillNeighborCaches(network);
        PacketSinkHelper sinks("ns3::TcpSocketFactory",
                               InetSocketAddress(Ipv4Address::GetAny(), SINK_PORT));
        auto sink = DynamicCast<PacketSink>(sinks.Install(Host(SENDERS)).Get(0));
        for (uint32_t s = 0; s < SENDERS; ++s)
        {
            Bulk(Host(s), Ipv4Of(SENDERS), MicroSeconds(100 * s));
        }
        out = Switch()->GetPort(SENDERS);
        uint64_t before = 0;
        Simulator::Schedule(SETTLED, [&] {
            before = sink->GetTotalRx();
            Sample();
        });
        Simulator::Stop(END);
        Simulator::Run();
        double seconds = (END - SETTLED).GetSeconds();
        goodput = 8 * static_cast<double>(sink->GetTotalRx() - before) / seconds;
    }

    void Sample()
    {
        double packets = static_cast<double>(out->GetQueuedBytes(TCP_CLASS)) / FRAME;
        most = std::max(most, packets);
        sum += packets;
        ++samples;
        Simulator::Schedule(MicroSeconds(1), &TwoSenders::Sample, this);
    }

    /// Reserves of 3 ports x 8 classes x 4096 B, and 1.2 MB to share.
    static constexpr uint64_t SHARED = 1200000;
    static constexpr uint64_t SIZE = 3 * 8 * 4096 + SHARED;
    static constexpr double LINK_GOODPUT = 10e9 * SEGMENT / ON_WIRE;

    Ptr<FabricNetDevice> out;
    double goodput{0};
    double most{0};
    double sum{0};
    uint64_t samples{0};
};

TEST_F(TwoSenders, DctcpKeepsTheQueueAtTheMarkingThreshold)
{
    // Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, 3.3: with N synchronized senders
    // the queue goes up to K + N packets and down from there by A = sqrt(2 N (C RTT + K)) / 2. Here
    // K = 65, N = 2, C RTT = 10 Gb/s x 4 cables of 10 us = 50,000 B = 33 packets: from 57 to 67.
    ConfigureTcp(TcpDctcp::GetTypeId(), true);
    Run();
    double bdp = 10e9 / 8 * 40e-6 / ON_WIRE;
    double amplitude = std::sqrt(2 * SENDERS * (bdp + PACKETS)) / 2;
    EXPECT_GT(out->GetCounters().ecnMarks, 100u);
    EXPECT_EQ(Switch()->GetLossyDrops(), 0u);
    EXPECT_NEAR(most, PACKETS + SENDERS, 0.15 * PACKETS);
    EXPECT_LT(sum / samples, PACKETS + SENDERS);
    EXPECT_GT(sum / samples, PACKETS + SENDERS - 2 * amplitude);
    EXPECT_GT(goodput, 0.9 * LINK_GOODPUT);
    EXPECT_LE(goodput, LINK_GOODPUT);
    RecordProperty("most", std::to_string(most));
    RecordProperty("mean", std::to_string(sum / samples));
}

TEST_F(TwoSenders, NewRenoFillsTheMemory)
{
    // Without ECN only a drop slows a sender. A packet is dropped once queue + packet exceeds what
    // is free, SHARED - (queue - two ingress reserves of 4096 B): so at half of their sum.
    ConfigureTcp(TcpNewReno::GetTypeId(), false);
    Run();
    EXPECT_EQ(out->GetCounters().ecnMarks, 0u);
    EXPECT_GT(Switch()->GetLossyDrops(), 0u);
    double limit = (SHARED + 2 * 4096) / 2.0;
    EXPECT_NEAR(out->GetCounters().peakQueueBytes, limit, 2 * FRAME);
    EXPECT_GT(goodput, 0.9 * LINK_GOODPUT);
}

TEST_F(TwoSenders, AMarkReachesTheReceiversIpHeader)
{
    // What the receiver's stack gets is marked as often as the switch says, over IPv4.
    ConfigureTcp(TcpDctcp::GetTypeId(), true);
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true)); // a wrong IPv4 checksum is a drop
    uint64_t marked = 0;
    uint64_t drops = 0;
    Simulator::Schedule(Time(0), [&] {
        Ptr<Ipv4L3Protocol> ip = Host(SENDERS)->GetObject<Ipv4L3Protocol>();
        ip->TraceConnectWithoutContext("Rx",
                                       Callback<void, Ptr<const Packet>, Ptr<Ipv4>, uint32_t>(
                                           [&](Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t) {
                                               Ipv4Header header;
                                               header.EnableChecksum();
                                               packet->PeekHeader(header);
                                               EXPECT_TRUE(header.IsChecksumOk());
                                               marked += header.GetEcn() == Ipv4Header::ECN_CE;
                                           }));
        ip->TraceConnectWithoutContext("Drop",
                                       Callback<void,
                                                const Ipv4Header&,
                                                Ptr<const Packet>,
                                                Ipv4L3Protocol::DropReason,
                                                Ptr<Ipv4>,
                                                uint32_t>([&](const Ipv4Header&,
                                                              Ptr<const Packet>,
                                                              Ipv4L3Protocol::DropReason,
                                                              Ptr<Ipv4>,
                                                              uint32_t) { ++drops; }));
    });
    Run();
    EXPECT_EQ(drops, 0u);
    // Marked on arrival in the queue, counted on arrival at the host: a queue and a cable apart.
    EXPECT_LE(marked, out->GetCounters().ecnMarks);
    EXPECT_GE(marked + PACKETS + 40, out->GetCounters().ecnMarks);
    EXPECT_GT(marked, 100u);
}

// ---------------------------------------------------------------- beside RDMA

class BesideRdma : public testing::TestWithParam<bool>
{
};

TEST_P(BesideRdma, ClassesShareALinkByTheirQuanta)
{
    // Both classes always have something for one port: either both at the sender's own port, or
    // from two senders at the switch's. Equal quanta: half of the bytes each.
    bool oneSender = GetParam();
    constexpr uint32_t FROM_TCP = 0;
    uint32_t fromRdma = oneSender ? 0 : 1;
    constexpr uint32_t TO = 2;
    ConfigureTcp(TcpNewReno::GetTypeId(), false);
    // A window that keeps a queue in the switch, yet is below what TCP's class may use there.
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(8 << 20));
    f.fabric.SetDeviceAttribute("PacketQueueBytes", UintegerValue(100000));
    f.BuildStar(3, "10Gbps", MicroSeconds(1));
    InternetStackHelper().Install(f.network.hosts);
    TrafficControlHelper fifo;
    fifo.SetRootQueueDisc("ns3::PfifoFastQueueDisc", "MaxSize", StringValue("100000p"));
    fifo.Install(f.network.GetHostDevices());
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(f.network.GetHostDevices());
    FabricHelper::FillNeighborCaches(f.network);
    PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), SINK_PORT))
        .Install(f.network.hosts.Get(TO));
    Bulk(f.network.hosts.Get(FROM_TCP), f.Port(TO)->GetIpv4Address(), Time(0));
    f.Post(f.Connect(fromRdma, TO), uint64_t{1} << 30);

    uint64_t classBytes[N_TRAFFIC_CLASSES] = {};
    const Time settled = MilliSeconds(10);
    Ptr<FabricNetDevice> shared = oneSender ? f.Port(0) : f.Port(TO)->GetPeer();
    shared->TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame&>([&](const FabricFrame& frame) {
            if (Simulator::Now() > settled)
            {
                classBytes[frame.trafficClass] += frame.sizeBytes;
            }
        }));
    Simulator::Stop(MilliSeconds(40));
    Simulator::Run();
    double both = static_cast<double>(classBytes[TCP_CLASS] + classBytes[RDMA_CLASS]);
    EXPECT_NEAR(classBytes[TCP_CLASS] / both, 0.5, 0.03 / 2);
    EXPECT_GT(both, 0.95 * 10e9 / 8 * 30e-3 * FRAME / ON_WIRE) << "the link is never idle";
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ports, BesideRdma, testing::Bool());

} // namespace
