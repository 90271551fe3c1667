// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The soft attachment: RDMA over ns-3's Internet stack and its own devices, alone and
 * together with hardware.
 */

#include "ip-fixture.h"
#include "tshark.h"
#include "wire-bytes.h"

#include "ns3/csma-module.h"
#include "ns3/error-model.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/point-to-point-module.h"
#include "ns3/soft-rdma-helper.h"
#include "ns3/traffic-control-module.h"

#ifdef AI_FABRIC_HAS_WIFI
#include "ns3/mobility-helper.h"
#include "ns3/wifi-module.h"
#endif

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

constexpr uint64_t ADDRESS = 0x100000; ///< where every region of these tests starts
constexpr uint32_t MTU = 1024;         ///< the largest of the standard's that 1500 bytes hold

/// @param bytes how many @param salt makes one pattern differ from another @return a pattern
Bytes
Pattern(uint64_t bytes, uint64_t salt)
{
    Bytes pattern(bytes);
    for (uint64_t i = 0; i < bytes; ++i)
    {
        pattern[i] = static_cast<uint8_t>(salt + i * 7 + i / 251);
    }
    return pattern;
}

/// One end of a connection: a queue pair with memory that holds real bytes.
struct End
{
    Ptr<QueuePair> qp;
    Ptr<MemoryRegion> memory;

    /// @param offset in the region @param bytes how many @return that piece of local memory
    ScatterGatherElement Piece(uint64_t offset, uint64_t bytes) const
    {
        return {ADDRESS + offset, bytes, memory->GetLocalKey()};
    }
};

/// Soft endpoints, and what happened to their work requests.
class SoftRdma : public testing::Test
{
  protected:
    SoftRdma()
        : m_queue(CreateObject<CompletionQueue>())
    {
        m_queue->SetCallback(Callback<void, const WorkCompletion&>([this](const WorkCompletion& c) {
            completions.push_back(c);
            completedAt.push_back(Simulator::Now());
        }));
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// Nodes on a CSMA segment, with IPv4 addresses 10.1.1.1 and on, that know each other.
    void BuildCsma(uint32_t count, const std::string& rate)
    {
        nodes.Create(count);
        csma.SetChannelAttribute("DataRate", StringValue(rate));
        csma.SetChannelAttribute("Delay", TimeValue(NanoSeconds(500)));
        devices = csma.Install(nodes);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(devices);
        NeighborCacheHelper().PopulateNeighborCache();
    }

    /// @param nic where @param bytes of its memory @return a queue pair in RESET with memory
    End MakeEnd(Ptr<RdmaNic> nic, uint64_t bytes = 1 << 20)
    {
        Ptr<ProtectionDomain> domain = nic->CreateProtectionDomain();
        End end;
        end.memory = domain->Register(ADDRESS, bytes, ALL_ACCESS);
        end.memory->Back();
        Ptr<Node> node = NodeList::GetNode(nic->GetPorts().at(0)->GetNodeId());
        end.qp = node->GetObject<RdmaStack>()->CreateQueuePair(nic, m_queue);
        end.qp->SetProtectionDomain(domain);
        return end;
    }

    /// Connects NICs and fills the memory of the first one. @param bytes of memory of each
    void Connect(Ptr<RdmaNic> from, Ptr<RdmaNic> to, uint64_t bytes = 1 << 20)
    {
        a = MakeEnd(from, bytes);
        b = MakeEnd(to, bytes);
        QueuePair::Connect(a.qp, b.qp);
        a.memory->Write(ADDRESS, Pattern(bytes, 1));
    }

    /// @param operation WRITE, SEND or READ, from @p at of a's memory to the same of b's, or back
    /// @param at offset @param bytes length @return the request
    SendWorkRequest Request(RdmaOperation operation, uint64_t at, uint64_t bytes) const
    {
        SendWorkRequest request;
        request.id = ++m_lastId;
        request.operation = operation;
        request.bytes = bytes;
        request.pieces = {a.Piece(at, bytes)};
        request.remoteAddress = ADDRESS + at;
        request.remoteKey = b.memory->GetRemoteKey();
        return request;
    }

    /// Posts at a's end. @param request what @param when simulation time
    void PostAt(Time when, const SendWorkRequest& request)
    {
        Simulator::Schedule(when - Simulator::Now(), [this, request] {
            ASSERT_EQ(a.qp->PostSend(request), PostResult::POSTED);
        });
    }

    /// A WRITE of all of a's memory in messages. @param when to post @param count of messages
    void WriteAll(Time when, uint64_t count)
    {
        uint64_t bytes = a.memory->GetBytes() / count;
        for (uint64_t m = 0; m < count; ++m)
        {
            PostAt(when, Request(RdmaOperation::WRITE, m * bytes, bytes));
        }
    }

    /// All messages ended once, in order, with success; b's memory has become a's.
    void ExpectAllWritten(uint64_t count)
    {
        ASSERT_EQ(completions.size(), count);
        for (uint64_t m = 0; m < count; ++m)
        {
            EXPECT_EQ(completions[m].status, WcStatus::SUCCESS) << m;
            EXPECT_EQ(completions[m].id, m + 1);
            EXPECT_EQ(completions[m].bytes, a.memory->GetBytes() / count);
        }
        EXPECT_EQ(b.memory->Read(ADDRESS, b.memory->GetBytes()),
                  a.memory->Read(ADDRESS, a.memory->GetBytes()));
        EXPECT_EQ(a.qp->GetRequester().GetOutstanding(), 0u);
    }

    /// Ends the simulation, and with the devices their captures.
    void CloseCaptures()
    {
        a = b = End();
        nodes = NodeContainer();
        devices = NetDeviceContainer();
        Simulator::Destroy();
    }

    /// @param nic with a soft port @return that
    static Ptr<UdpRdmaPort> PortOf(Ptr<RdmaNic> nic)
    {
        return DynamicCast<UdpRdmaPort>(nic->GetPorts().at(0));
    }

    NodeContainer nodes;
    NetDeviceContainer devices;
    CsmaHelper csma;
    SoftRdmaHelper rdma;
    End a;
    End b;
    std::vector<WorkCompletion> completions;
    std::vector<Time> completedAt;

  private:
    Ptr<CompletionQueue> m_queue;
    mutable uint64_t m_lastId{0};
};

/// A capture file that goes with the object.
class Capture
{
  public:
    Capture()
    {
        const char* directory = std::getenv("TMPDIR");
        path = std::string(directory ? directory : "/tmp") + "/ai-fabric-soft-" +
               std::to_string(getpid()) + ".pcap";
    }

    ~Capture()
    {
        std::remove(path.c_str());
    }

    std::string path;
};

// ---------------------------------------------------------------- over CSMA, byte for byte

/// Whether ns-3 computes checksums.
class SoftRdmaBytes : public SoftRdma, public testing::WithParamInterface<bool>
{
};

TEST_P(SoftRdmaBytes, EveryVerbIsRightOnTheWire)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(GetParam()));
    Capture capture;
    BuildCsma(2, "1Gbps");
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    csma.EnablePcap(capture.path, devices.Get(0), true, true);
    Connect(nics[0], nics[1]);

    // 10,000 B by WRITE, 5000 B by SEND, 7001 B by READ, an addition, a swap; a millisecond apart,
    // so that each has its own ACK.
    PostAt(MilliSeconds(1), Request(RdmaOperation::WRITE, 0, 10000));
    ASSERT_EQ(b.qp->PostReceive({77, 6000, b.Piece(20000, 6000)}), PostResult::POSTED);
    PostAt(MilliSeconds(2), Request(RdmaOperation::SEND, 10000, 5000));
    b.memory->Write(ADDRESS + 40000, Pattern(7001, 9));
    PostAt(MilliSeconds(3), Request(RdmaOperation::READ, 40000, 7001));
    b.memory->WriteWord(ADDRESS + 50000, 1000);
    SendWorkRequest add = Request(RdmaOperation::FETCH_ADD, 60000, 8);
    add.remoteAddress = ADDRESS + 50000;
    add.swapOrAdd = 234;
    PostAt(MilliSeconds(4), add);
    SendWorkRequest swap = Request(RdmaOperation::COMPARE_SWAP, 60008, 8);
    swap.remoteAddress = ADDRESS + 50000;
    swap.compare = 1234;
    swap.swapOrAdd = 5678;
    PostAt(MilliSeconds(5), swap);
    Simulator::Run();

    ASSERT_EQ(completions.size(), 6u); // five sends and a receive
    for (const WorkCompletion& completion : completions)
    {
        EXPECT_EQ(completion.status, WcStatus::SUCCESS) << completion.id;
    }
    EXPECT_EQ(b.memory->Read(ADDRESS, 10000), a.memory->Read(ADDRESS, 10000));
    EXPECT_EQ(b.memory->Read(ADDRESS + 20000, 5000), a.memory->Read(ADDRESS + 10000, 5000));
    EXPECT_EQ(a.memory->Read(ADDRESS + 40000, 7001), Pattern(7001, 9));
    EXPECT_EQ(completions[4].atomicOriginal, 1000u);
    EXPECT_EQ(completions[5].atomicOriginal, 1234u);
    EXPECT_EQ(b.memory->ReadWord(ADDRESS + 50000), 5678u);

    // Packets each way: 10 + 5 of data, a READ request, two atomics; ACKs of WRITE and SEND, 7 READ
    // responses, two atomic responses.
    EXPECT_EQ(PortOf(nics[0])->GetCounters().sentPackets, 18u);
    EXPECT_EQ(PortOf(nics[1])->GetCounters().receivedPackets, 18u);
    EXPECT_EQ(PortOf(nics[1])->GetCounters().sentPackets, 11u);
    EXPECT_EQ(PortOf(nics[0])->GetCounters().receivedPackets, 11u);
    EXPECT_EQ(PortOf(nics[0])->GetCounters().refusedPackets, 0u);
    EXPECT_EQ(PortOf(nics[1])->GetCounters().refusedPackets, 0u);
    nics.clear();
    CloseCaptures();

    // IP bytes: IPv4 20, UDP 8, BTH 12, ICRC 4 each; RETH 16, AETH 4, AtomicETH 28, AtomicAckETH 8.
    constexpr uint64_t ALL = 20 + 8 + 12 + 4;
    uint64_t expected[] = {
        (10 * ALL + 16 + 10000) + (5 * ALL + 5000) + (ALL + 16) + 2 * (ALL + 28),
        2 * (ALL + 4) + (7 * ALL + 2 * 4 + 7004) + 2 * (ALL + 4 + 8),
    };
    uint64_t captured[] = {0, 0};
    size_t packets = 0;
    for (const Bytes& frame : pcap::Read(capture.path))
    {
        uint32_t ipBytes = wire_test::BigEndian16(frame, 14 + 2);
        ASSERT_GE(frame.size(), 14 + ipBytes);
        Bytes ip(frame.begin() + 14, frame.begin() + 14 + ipBytes);
        ASSERT_EQ(wire_test::BigEndian16(ip, 22), 4791u);
        captured[ip[15] - 1] += ip.size(); // by the source address, 10.1.1.1 or .2
        EXPECT_EQ(ip[6] >> 5, 2) << "do not fragment";
        Bytes covered(ip.begin(), ip.end() - 4);
        EXPECT_EQ(wire_test::IcrcAtEnd(ip), wire_test::SlowIcrc(covered)) << "packet " << packets;
        ++packets;
    }
    EXPECT_EQ(packets, 29u);
    EXPECT_EQ(captured[0], expected[0]);
    EXPECT_EQ(captured[1], expected[1]);

    if (!tshark::IsInstalled())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    EXPECT_EQ(tshark::Errors(capture.path), std::vector<std::string>{});
    EXPECT_EQ(tshark::Read(capture.path, {"infiniband.bth.opcode"}, "infiniband").size(), 29u);
}

INSTANTIATE_TEST_SUITE_P(Checksums, SoftRdmaBytes, testing::Bool());

TEST_F(SoftRdma, LeavesOtherDatagramsToUdp)
{
    BuildCsma(2, "1Gbps");
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    Connect(nics[0], nics[1]);
    WriteAll(Seconds(1), 4);
    UdpEchoServerHelper(9).Install(nodes.Get(1));
    UdpEchoClientHelper clients(Ipv4Address("10.1.1.2"), 9);
    clients.SetAttribute("MaxPackets", UintegerValue(10));
    clients.SetAttribute("Interval", TimeValue(MilliSeconds(1)));
    ApplicationContainer client = clients.Install(nodes.Get(0));
    client.Start(Seconds(1));
    uint32_t replies = 0;
    client.Get(0)->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) { ++replies; }));
    Simulator::Stop(Seconds(3));
    Simulator::Run();
    EXPECT_EQ(replies, 10u);
    ExpectAllWritten(4);
}

TEST_F(SoftRdma, TakesWorkBeforeTheSimulationStarts)
{
    BuildCsma(2, "1Gbps");
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    Connect(nics[0], nics[1]);
    for (uint64_t half : {0, 1})
    {
        ASSERT_EQ(a.qp->PostSend(Request(RdmaOperation::WRITE, half << 19, 1 << 19)),
                  PostResult::POSTED);
    }
    Simulator::Run();
    ExpectAllWritten(2);
}

TEST_F(SoftRdma, RefusesAWrongIcrc)
{
    BuildCsma(2, "1Gbps");
    Ptr<UdpRdmaPort> port = PortOf(rdma.Install(devices).at(1));
    std::string why;
    port->TraceConnectWithoutContext(
        "Refused",
        Callback<void, Ptr<const Packet>, const std::string&>(
            [&](Ptr<const Packet>, const std::string& text) { why = text; }));
    FramePtr frame = FabricFrame::Create();
    frame->srcAddress = Ipv4Address("10.1.1.1").Get();
    frame->dstAddress = Ipv4Address("10.1.1.2").Get();
    frame->payloadBytes = 100;
    Bytes bytes = wire_test::BytesOf(frame->ToIpPacket());
    port->ReceivePacket(wire_test::PacketOf(bytes), wire::ETHERTYPE_IPV4);
    EXPECT_EQ(port->GetCounters().receivedPackets, 1u);
    bytes[60] ^= 1; // a byte of the payload
    port->ReceivePacket(wire_test::PacketOf(bytes), wire::ETHERTYPE_IPV4);
    EXPECT_EQ(port->GetCounters().receivedPackets, 1u);
    EXPECT_EQ(port->GetCounters().refusedPackets, 1u);
    EXPECT_NE(why.find("ICRC"), std::string::npos) << why;
}

TEST_F(SoftRdma, ReportsWhatHasNoRoute)
{
    BuildCsma(2, "1Gbps");
    rdma.SetQueuePairAttribute("Timeout", UintegerValue(1)); // 8.192 us
    rdma.SetQueuePairAttribute("RetryCount", UintegerValue(2));
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    Connect(nics[0], nics[1]);
    Ptr<Ipv4> ip = nodes.Get(0)->GetObject<Ipv4>();
    Ipv4StaticRoutingHelper().GetStaticRouting(ip)->RemoveRoute(1); // 0 is the loopback's
    PostAt(MilliSeconds(1), Request(RdmaOperation::WRITE, 0, 100));
    Simulator::Run();
    ASSERT_EQ(completions.size(), 1u);
    EXPECT_EQ(completions[0].status, WcStatus::RETRY_EXCEEDED);
    EXPECT_EQ(PortOf(nics[0])->GetCounters().unroutedPackets, 3u); // one, and two repetitions
    EXPECT_EQ(PortOf(nics[0])->GetCounters().sentPackets, 0u);
}

TEST_F(SoftRdma, ReachesItsOwnNode)
{
    BuildCsma(1, "1Gbps");
    Ptr<RdmaNic> nic = rdma.Install(devices.Get(0));
    Connect(nic, nic);
    WriteAll(MilliSeconds(1), 4);
    Simulator::Run();
    ExpectAllWritten(4);
}

TEST_F(SoftRdma, SurvivesLossExactlyOnce)
{
    BuildCsma(2, "1Gbps");
    for (uint32_t d = 0; d < 2; ++d)
    {
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(0.02);
        errors->AssignStreams(1 + d);
        devices.Get(d)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    }
    rdma.SetQueuePairAttribute("Timeout", UintegerValue(9));       // 2 ms
    rdma.SetQueuePairAttribute("Window", UintegerValue(32 * MTU)); // leaves room for the ACKs
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    Connect(nics[0], nics[1]);
    WriteAll(MilliSeconds(1), 64);
    Simulator::Run();
    ExpectAllWritten(64);
    EXPECT_GT(nics[0]->GetCounters().retransmittedFrames, 0u);
}

// ---------------------------------------------------------------- set-up

TEST_F(SoftRdma, ChoosesTheLargestMtuThatFits)
{
    // Beside the payload: IPv4 20, UDP 8, BTH 12, RETH 16, ImmDt 4, ICRC 4.
    BuildCsma(1, "1Gbps");
    ASSERT_EQ(devices.Get(0)->GetMtu(), 1500);
    Ptr<RdmaNic> nic = rdma.Install(devices.Get(0));
    EXPECT_EQ(PortOf(nic)->GetLargestMtu(false), 1500u - 64);
    EXPECT_EQ(PortOf(nic)->GetLargestMtu(true), 1500u - 84);
    EXPECT_EQ(nodes.Get(0)->GetObject<RdmaStack>()->GetDefaultMtu(), 1024u);
}

TEST_F(SoftRdma, RefusesAnMtuThatDoesNotFit)
{
    BuildCsma(2, "1Gbps");
    rdma.SetQueuePairAttribute("Mtu", UintegerValue(2048));
    EXPECT_DEATH(rdma.Install(devices), "MTU of 2048 .* MTU is 1500, has room for 1436");
}

TEST_F(SoftRdma, RefusesAFrameThatDoesNotFit)
{
    BuildCsma(2, "1Gbps");
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    a = MakeEnd(nics[0]);
    b = MakeEnd(nics[1]);
    a.qp->SetAttribute("Mtu", UintegerValue(2048));
    b.qp->SetAttribute("Mtu", UintegerValue(2048));
    QueuePair::Connect(a.qp, b.qp);
    // IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4 and 2048.
    PostAt(MilliSeconds(1), Request(RdmaOperation::WRITE, 0, 4096));
    EXPECT_DEATH(Simulator::Run(), "packet of 2108 bytes; .* takes 1500, .* at most 1436");
}

TEST_F(SoftRdma, RefusesADeviceWithoutAddress)
{
    nodes.Create(2);
    devices = csma.Install(nodes);
    EXPECT_DEATH(rdma.Install(devices), "has no IP address");
}

TEST_F(SoftRdma, RefusesASecondPortOnADevice)
{
    BuildCsma(1, "1Gbps");
    rdma.Install(devices);
    EXPECT_DEATH(rdma.Install(devices), "a device has one RDMA port");
}

// ---------------------------------------------------------------- the time it takes

TEST_F(SoftRdma, TakesTheTimeOfItsBytes)
{
    // A point-to-point link needs no ARP, shares nothing, and takes 2 bytes of PPP besides IP.
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(5)));
    devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(devices);
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(nodes);
    ASSERT_EQ(nics.size(), 2u); // not the loopback
    EXPECT_EQ(nics[0]->GetPorts()[0]->GetLineRateBps(), 1e9);
    std::vector<MessageRecord> records;
    nics[0]->TraceConnectWithoutContext(
        "MessageComplete",
        Callback<void, const MessageRecord&>(
            [&](const MessageRecord& record) { records.push_back(record); }));
    Connect(nics[0], nics[1], 10 * MTU);
    WriteAll(MilliSeconds(1), 1);
    Simulator::Run();
    ExpectAllWritten(1);
    // The port sends 9 frames at the rate of Ethernet frames of that size; then the last one
    // crosses the link, and its ACK.
    Time byte = NanoSeconds(8);
    Time expected = byte * static_cast<int64_t>(9 * bytes::Frame(MTU) + bytes::RETH) +
                    byte * (20 + 8 + 12 + MTU + 4 + 2) + byte * (20 + 8 + 12 + 4 + 4 + 2) +
                    2 * MicroSeconds(5);
    EXPECT_EQ((completedAt.at(0) - MilliSeconds(1)).GetTimeStep(), expected.GetTimeStep());
    // Nothing was repeated; all that was spent in ns-3's network counts as queueing.
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].shares.Total(), expected.GetTimeStep());
    EXPECT_EQ(records[0].shares.retransmission, 0);
    EXPECT_EQ(records[0].shares.queueing,
              (byte * (20 + 8 + 12 + MTU + 4 + 2) + byte * (20 + 8 + 12 + 4 + 4 + 2) +
               2 * MicroSeconds(5))
                  .GetTimeStep());
}

TEST_F(SoftRdma, RunsOverAFabric)
{
    // host - switch - host, and the hosts have no RDMA NICs.
    FabricHelper fabric;
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (const char* name : {"host0", "host1"})
    {
        graph.Connect({graph.AddHost(name), center, DataRate("100Gbps"), MicroSeconds(1)});
    }
    FabricNetwork network = fabric.Install(graph);
    InternetStackHelper().Install(network.hosts);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(network.GetHostDevices());
    FabricHelper::FillNeighborCaches(network);
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(network.GetHostDevices());
    Connect(nics[0], nics[1], 1000 * 4096); // of 9216 bytes, the standard's MTUs use 4096
    WriteAll(MilliSeconds(1), 1);
    Simulator::Run();
    ExpectAllWritten(1);
    // 80 ps a byte; preamble, frame and gap follow one another without a break. Then the last frame
    // crosses both cables (store and forward), and so does its ACK. The first frame's RETH delays
    // all others on each of the two cables.
    uint64_t frame = bytes::PREAMBLE + bytes::Frame(4096);
    uint64_t ack = bytes::PREAMBLE + bytes::ACK;
    Time expected = PicoSeconds(80) * static_cast<int64_t>(999 * (frame + bytes::GAP) +
                                                           2 * bytes::RETH + 2 * frame + 2 * ack) +
                    4 * MicroSeconds(1);
    EXPECT_EQ((completedAt.at(0) - MilliSeconds(1)).GetTimeStep(), expected.GetTimeStep());
}

TEST_F(SoftRdma, SendsNoFasterThanItsRate)
{
    BuildCsma(2, "1Gbps");
    rdma.SetPortAttribute("DataRate", StringValue("100Mbps"));
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    Connect(nics[0], nics[1], 1000 * MTU);
    WriteAll(MilliSeconds(1), 1);
    Simulator::Run();
    ExpectAllWritten(1);
    // 80 ns a byte; what follows the last frame's start is less than one frame's time.
    Time slots = NanoSeconds(80) * static_cast<int64_t>(999 * bytes::Frame(MTU) + bytes::RETH);
    EXPECT_GT(completedAt.at(0) - MilliSeconds(1), slots);
    EXPECT_LT(completedAt.at(0) - MilliSeconds(1),
              slots + NanoSeconds(80) * static_cast<int64_t>(bytes::Frame(MTU)));
}

// ---------------------------------------------------------------- IPv6, datagrams, Wi-Fi

/// Nodes on a CSMA segment that speak IPv6.
class SoftRdmaV6 : public SoftRdma
{
  protected:
    void BuildCsmaV6(uint32_t count)
    {
        nodes.Create(count);
        csma.SetChannelAttribute("DataRate", StringValue("1Gbps"));
        devices = csma.Install(nodes);
        InternetStackHelper().Install(nodes);
        Ipv6AddressHelper("2001:db8::", 64).Assign(devices);
        rdma.SetQueuePairAttribute("Ipv6", BooleanValue(true));
    }
};

TEST_F(SoftRdmaV6, WritesOverIpv6)
{
    Capture capture;
    BuildCsmaV6(2);
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    csma.EnablePcap(capture.path, devices.Get(0), true, true);
    Connect(nics[0], nics[1], 100 * MTU);
    WriteAll(Seconds(3), 2); // after duplicate address detection
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    ExpectAllWritten(2);
    EXPECT_EQ(PortOf(nics[1])->GetCounters().refusedPackets, 0u);
    nics.clear();
    CloseCaptures();

    uint32_t roce = 0;
    for (const Bytes& frame : pcap::Read(capture.path))
    {
        if (wire_test::BigEndian16(frame, 12) == 0x86dd && frame.at(20) == 17)
        {
            uint32_t ipBytes = 40 + wire_test::BigEndian16(frame, 18);
            Bytes ip(frame.begin() + 14, frame.begin() + 14 + ipBytes);
            Bytes covered(ip.begin(), ip.end() - 4);
            EXPECT_EQ(wire_test::IcrcAtEnd(ip), wire_test::SlowIcrc(covered));
            ++roce;
            if (ip.size() > 1000) // data: DSCP 26, ECT(0)
            {
                EXPECT_EQ((ip[0] << 4 & 0xf0) | ip[1] >> 4, 26 << 2 | 2);
            }
        }
    }
    EXPECT_GE(roce, 100u + 2); // no more than Neighbor Discovery has cost
    if (tshark::IsInstalled())
    {
        EXPECT_EQ(tshark::Errors(capture.path), std::vector<std::string>{});
    }
}

/// A multicast of UD over one IP version.
class SoftRdmaMulticast : public SoftRdmaV6, public testing::WithParamInterface<bool>
{
};

TEST_P(SoftRdmaMulticast, ReachesTheMembersOfAGroup)
{
    bool ipv6 = GetParam();
    ipv6 ? BuildCsmaV6(4) : BuildCsma(4, "1Gbps");
    rdma.SetQueuePairAttribute("Type", StringValue("UD"));
    rdma.SetQueuePairAttribute("Qkey", UintegerValue(0x1234));
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    RdmaAddress group = RdmaAddress::FromIpv4(Ipv4Address("239.1.2.3").Get());
    if (ipv6)
    {
        Ipv6Bytes address{};
        Ipv6Address("ff0e::1:2:3").GetBytes(address.data());
        group = RdmaAddress::FromIpv6(address);
    }
    std::vector<Ptr<CompletionQueue>> queues;
    std::vector<Ptr<QueuePair>> pairs;
    for (uint32_t n = 0; n < 4; ++n)
    {
        queues.push_back(CreateObject<CompletionQueue>());
        pairs.push_back(nodes.Get(n)->GetObject<RdmaStack>()->CreateQueuePair(nics[n], queues[n]));
        ASSERT_EQ(pairs[n]->Modify(QpState::INIT), ModifyResult::MODIFIED);
        ASSERT_EQ(pairs[n]->Modify(QpState::RTR), ModifyResult::MODIFIED);
        ASSERT_EQ(pairs[n]->Modify(QpState::RTS), ModifyResult::MODIFIED);
        ASSERT_EQ(pairs[n]->PostReceive({n, 1000 + UD_RECEIVE_HEADER_BYTES}), PostResult::POSTED);
        if (n == 1 || n == 2)
        {
            pairs[n]->AttachMulticast(group);
        }
    }
    Simulator::Schedule(Seconds(3), [&] {
        SendWorkRequest request;
        request.operation = RdmaOperation::SEND;
        request.bytes = 1000;
        request.path = pairs[0]->CreateAddressHandle(group);
        request.remoteQp = 0xffffff;
        request.qkey = 0x1234;
        ASSERT_EQ(pairs[0]->PostSend(request), PostResult::POSTED);
    });
    Simulator::Stop(Seconds(4));
    Simulator::Run();
    EXPECT_EQ(queues[0]->GetSize(), 1u); // of the send
    for (uint32_t member : {1, 2})
    {
        std::vector<WorkCompletion> got = queues[member]->Poll();
        ASSERT_EQ(got.size(), 1u);
        EXPECT_EQ(got[0].opcode, WcOpcode::RECV);
        EXPECT_EQ(got[0].bytes, 1000 + UD_RECEIVE_HEADER_BYTES);
    }
    EXPECT_EQ(queues[3]->GetSize(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ip, SoftRdmaMulticast, testing::Bool());

#ifdef AI_FABRIC_HAS_WIFI
TEST_F(SoftRdma, CrossesWifi)
{
    nodes.Create(2);
    MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.SetPositionAllocator("ns3::GridPositionAllocator"); // a metre apart
    mobility.Install(nodes);
    YansWifiChannelHelper channel = YansWifiChannelHelper::Default();
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("OfdmRate54Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    devices = wifi.Install(phy, mac, nodes);
    wifi.AssignStreams(devices, 1);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(devices);
    NeighborCacheHelper().PopulateNeighborCache();
    rdma.SetPortAttribute("DataRate", StringValue("20Mbps")); // leaves time for ACKs and backoff
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    Connect(nics[0], nics[1], 256 * MTU);
    WriteAll(Seconds(1), 4);
    Simulator::Stop(Seconds(3));
    Simulator::Run();
    ExpectAllWritten(4);
    // The device has room for 2296 bytes, so the MTU is 2048. At the port's rate a byte of the
    // Ethernet frame takes 400 ns.
    Time slots =
        NanoSeconds(400) * static_cast<int64_t>(127 * bytes::Frame(2048) + 4 * bytes::RETH);
    EXPECT_GT(completedAt.at(3) - Seconds(1), slots);
    EXPECT_LT(completedAt.at(3) - Seconds(1), slots + MilliSeconds(5));
}
#endif

// ---------------------------------------------------------------- routers with RED and ECN

/// @param rate of the link below @return RED that marks by the queue itself, not by its average
TrafficControlHelper
RedWithEcn(const std::string& rate)
{
    TrafficControlHelper red;
    red.SetRootQueueDisc("ns3::RedQueueDisc",
                         "UseEcn",
                         BooleanValue(true),
                         "UseHardDrop",
                         BooleanValue(false),
                         "QW",
                         DoubleValue(0.99),
                         "LinkBandwidth",
                         StringValue(rate),
                         "MinTh",
                         DoubleValue(5),
                         "MaxTh",
                         DoubleValue(15),
                         "MaxSize",
                         StringValue("1000p"));
    return red;
}

/// @param disc RED @return packets that it has marked
uint64_t
Marks(Ptr<QueueDisc> disc)
{
    return disc->GetStats().GetNMarkedPackets(RedQueueDisc::UNFORCED_MARK) +
           disc->GetStats().GetNMarkedPackets(RedQueueDisc::FORCED_MARK);
}

/// Bottlenecks, and rates as congestion control has set them.
class SoftRdmaRouted : public SoftRdma
{
  protected:
    /// Records a's rates, and checks that they follow DCQCN. @param nic of a
    void WatchRate(Ptr<RdmaNic> nic)
    {
        nic->TraceConnectWithoutContext(
            "Rate",
            Callback<void, const QueuePair&, double>([this](const QueuePair& qp, double rate) {
                if (&qp == PeekPointer(a.qp))
                {
                    rates.push_back(rate);
                }
            }));
    }

    /**
     * host a - router - router - host b: links of 1 Gb/s, but the middle one of 100 Mb/s.
     * @param disc of the first router towards the second one
     */
    void BuildDumbbell(TrafficControlHelper disc)
    {
        nodes.Create(4);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
        for (uint32_t n = 0; n < 3; ++n)
        {
            PointToPointHelper link;
            link.SetDeviceAttribute("DataRate", StringValue(n == 1 ? "100Mbps" : "1Gbps"));
            link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(5)));
            if (n == 1)
            {
                link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
            }
            NetDeviceContainer ends = link.Install(nodes.Get(n), nodes.Get(n + 1));
            if (n == 1)
            {
                bottleneck = disc.Install(ends).Get(0);
            }
            addresses.Assign(ends);
            addresses.NewNetwork();
            if (n != 1)
            {
                devices.Add(ends.Get(n / 2));
            }
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    Ptr<QueueDisc> bottleneck;
    std::vector<double> rates;
};

TEST_F(SoftRdmaRouted, MarksOfARouterLeadToCnps)
{
    BuildDumbbell(RedWithEcn("100Mbps"));
    rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
    rdma.SetCongestionControlAttribute("MinRate", StringValue("10Mbps"));
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    WatchRate(nics[0]);
    Connect(nics[0], nics[1], 1000 * MTU);
    WriteAll(MilliSeconds(1), 4);
    Simulator::Run();
    ExpectAllWritten(4);
    EXPECT_EQ(bottleneck->GetStats().nTotalDroppedPackets, 0u);
    EXPECT_EQ(nics[0]->GetCounters().retransmittedFrames, 0u);
    uint64_t marks = Marks(bottleneck);
    EXPECT_GT(marks, 0u);
    EXPECT_GT(nics[1]->GetCounters().cnpsSent, 0u);
    EXPECT_LE(nics[1]->GetCounters().cnpsSent, marks);
    EXPECT_EQ(nics[0]->GetCounters().cnpsReceived, nics[1]->GetCounters().cnpsSent);
    // DCQCN's first cut, with alpha 1: from line rate to half of it.
    ASSERT_GE(rates.size(), 2u);
    EXPECT_DOUBLE_EQ(rates[0], 1e9);
    EXPECT_DOUBLE_EQ(rates[1], 0.5e9);
    EXPECT_LT(*std::min_element(rates.begin(), rates.end()), 0.1e9);
    // Not before the bottleneck could: IP packets and 2 bytes of PPP, 80 ns a byte.
    EXPECT_GT(completedAt.at(3) - MilliSeconds(1),
              NanoSeconds(80) * (1000 * (20 + 8 + 12 + MTU + 4 + 2)));
}

TEST_F(SoftRdmaRouted, LossesOfARouterAreRepeated)
{
    TrafficControlHelper small;
    small.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("20p"));
    BuildDumbbell(small);
    rdma.SetQueuePairAttribute("EcnCapable", BooleanValue(false));
    rdma.SetQueuePairAttribute("Timeout", UintegerValue(11));      // 8 ms
    rdma.SetQueuePairAttribute("Window", UintegerValue(64 * MTU)); // thrice what the queue holds
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    Connect(nics[0], nics[1], 1000 * MTU);
    WriteAll(MilliSeconds(1), 4);
    Simulator::Run();
    ExpectAllWritten(4);
    EXPECT_GT(bottleneck->GetStats().nTotalDroppedPackets, 0u);
    EXPECT_GT(nics[0]->GetCounters().retransmittedFrames, 0u);
    EXPECT_EQ(nics[1]->GetCounters().cnpsSent, 0u);
}

/// Which end is the hardware.
class SoftAndHardware : public SoftRdmaRouted, public testing::WithParamInterface<bool>
{
};

TEST_P(SoftAndHardware, TalkAcrossARouter)
{
    // hardware - fabric switch - router - point-to-point link - soft; the router's way out to the
    // receiver is the slow one.
    bool fromHardware = GetParam();
    std::string fabricRate = fromHardware ? "1Gbps" : "100Mbps";
    std::string linkRate = fromHardware ? "100Mbps" : "1Gbps";
    FabricHelper fabric;
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (const char* name : {"hardware", "router"})
    {
        graph.Connect({graph.AddHost(name), center, DataRate(fabricRate), MicroSeconds(1)});
    }
    FabricNetwork network = fabric.Install(graph);
    Ptr<Node> router = network.hosts.Get(1);
    Ptr<FabricNetDevice> routerPort = network.GetHostPorts()[1];
    Ptr<Node> host = CreateObject<Node>();
    InternetStackHelper().Install(network.hosts);
    InternetStackHelper().Install(host);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(network.GetHostDevices());
    FabricHelper::FillNeighborCaches(network);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(linkRate));
    link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(5)));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
    devices = link.Install(router, host);
    // No more than one frame waits below the queue disc.
    routerPort->SetAttribute("PacketQueueBytes", UintegerValue(9300));
    Ptr<NetDevice> out = fromHardware ? devices.Get(0) : Ptr<NetDevice>(routerPort);
    if (Ptr<TrafficControlLayer> control = router->GetObject<TrafficControlLayer>();
        control->GetRootQueueDiscOnDevice(out))
    {
        control->DeleteRootQueueDiscOnDevice(out); // of the address helper
    }
    bottleneck = RedWithEcn("100Mbps").Install(out).Get(0);
    Ipv4AddressHelper("10.9.0.0", "255.255.255.0").Assign(devices);
    Ipv4StaticRoutingHelper()
        .GetStaticRouting(host->GetObject<Ipv4>())
        ->SetDefaultRoute("10.9.0.1", 1);

    RdmaHelper hardware;
    for (RdmaSettings* settings :
         {static_cast<RdmaSettings*>(&hardware), static_cast<RdmaSettings*>(&rdma)})
    {
        settings->SetQueuePairAttribute("Mtu", UintegerValue(MTU));
        settings->SetCongestionControl("ns3::DcqcnCongestionOps");
        settings->SetCongestionControlAttribute("MinRate", StringValue("10Mbps"));
    }
    Ptr<RdmaNic> hard = hardware.Install(network.hosts.Get(0))->GetNics()[0];
    DynamicCast<FabricRdmaPort>(hard->GetPorts()[0])
        ->AddRoute(RdmaAddress::FromIpv4(Ipv4Address("10.9.0.0").Get()),
                   24,
                   routerPort->GetMacAddress());
    Ptr<RdmaNic> soft = rdma.Install(devices.Get(1));
    Ptr<RdmaNic> from = fromHardware ? hard : soft;
    Ptr<RdmaNic> to = fromHardware ? soft : hard;
    WatchRate(from);
    Connect(from, to, 1000 * MTU);
    WriteAll(MilliSeconds(1), 4);
    Simulator::Run();

    ExpectAllWritten(4);
    EXPECT_EQ(PortOf(soft)->GetCounters().refusedPackets, 0u);
    EXPECT_EQ(bottleneck->GetStats().nTotalDroppedPackets, 0u);
    EXPECT_EQ(from->GetCounters().retransmittedFrames, 0u);
    uint64_t marks = Marks(bottleneck);
    EXPECT_GT(marks, 0u);
    EXPECT_GT(to->GetCounters().cnpsSent, 0u);
    EXPECT_LE(to->GetCounters().cnpsSent, marks);
    EXPECT_EQ(from->GetCounters().cnpsReceived, to->GetCounters().cnpsSent);
    ASSERT_GE(rates.size(), 2u);
    EXPECT_DOUBLE_EQ(rates[0], 1e9);
    EXPECT_DOUBLE_EQ(rates[1], 0.5e9);
    EXPECT_LT(*std::min_element(rates.begin(), rates.end()), 0.1e9);
}

INSTANTIATE_TEST_SUITE_P(From, SoftAndHardware, testing::Bool());

} // namespace
