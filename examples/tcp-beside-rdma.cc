// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief TCP and RDMA on one fabric: who gets what of a link that both need?
 *
 *     host 0 --TCP--\                       /-- host 2
 *                    leaf 0 - spine - leaf 1
 *     host 1 -RDMA--/                       \-- host 3
 *
 * All links have one rate, so leaf 0's uplink is twice as wanted as it is wide. TCP (DCTCP, or
 * whatever --tcp names) goes by class 0, which may drop; RDMA WRITEs (DCQCN) by class 3, which PFC
 * keeps from dropping. Switches mark both, and share the link by the weights of the classes.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include <array>
#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t TCP_CLASS = 0;
constexpr uint32_t RDMA_CLASS = 3;
constexpr uint16_t PORT = 5001;

/// Bytes that leave by a port, by traffic class.
std::array<uint64_t, N_TRAFFIC_CLASSES> g_sent;

void
CountByClass(const FabricFrame& frame)
{
    g_sent[frame.trafficClass] += frame.sizeBytes;
}

void
ConfigureTcp(const std::string& kind)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + kind));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2 << 20));
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);

    DataRate rate("25Gbps");
    Time duration = MilliSeconds(20);
    uint32_t tcpFlows = 4;
    uint32_t rdmaPairs = 4;
    uint32_t tcpWeight = 10000;
    std::string tcp = "TcpDctcp";
    std::string prefix;
    CommandLine cmd(__FILE__);
    cmd.AddValue("rate", "of all links", rate);
    cmd.AddValue("duration", "simulated time", duration);
    cmd.AddValue("tcpFlows", "TCP connections from host 0 to host 2", tcpFlows);
    cmd.AddValue("rdmaPairs", "queue pairs from host 1 to host 3", rdmaPairs);
    cmd.AddValue("tcpWeight", "bytes of TCP's class in a round; RDMA's has 10000", tcpWeight);
    cmd.AddValue("tcp", "congestion control: TcpDctcp, TcpNewReno, TcpCubic, ...", tcp);
    cmd.AddValue("trace", "if given: prefix of pcap and ascii files of leaf 0", prefix);
    cmd.Parse(argc, argv);
    ConfigureTcp(tcp);

    LeafSpineParameters parameters;
    parameters.leaves = 2;
    parameters.hostsPerLeaf = 2;
    parameters.spines = 1;
    parameters.linkRate = rate;
    parameters.uplinkRate = rate;
    CongestionPreset dcqcn = GetCongestionPreset("dcqcn", "nic-default", rate);
    FabricHelper fabric;
    fabric.SetEcn(
        [&](DataRate) {
            return EcnThresholds{dcqcn.marking->kminBytes,
                                 dcqcn.marking->kmaxBytes,
                                 dcqcn.marking->pmax};
        },
        1 << TCP_CLASS | 1 << RDMA_CLASS);
    FabricNetwork network = fabric.Install(MakeLeafSpine(parameters));
    fabric.AssignStreams(network, 1);
    Ptr<FabricSwitch> leaf = network.GetSwitches()[0];
    Ptr<FabricNetDevice> uplink = leaf->GetPort(2);
    uplink->SetClassQuantum(TCP_CLASS, tcpWeight);
    uplink->TraceConnectWithoutContext("FrameTx", MakeCallback(&CountByClass));
    if (!prefix.empty())
    {
        fabric.EnablePcap(prefix, NodeContainer(leaf->GetObject<Node>()));
        fabric.EnableAscii(prefix, NodeContainer(leaf->GetObject<Node>()));
    }

    // TCP/IP: ns-3's own stack, helpers and applications.
    InternetStackHelper().Install(network.hosts);
    Ipv4InterfaceContainer interfaces =
        Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(network.GetHostDevices());
    FabricHelper::FillNeighborCaches(network);
    InetSocketAddress server(interfaces.GetAddress(2), PORT);
    PacketSinkHelper sinkHelper("ns3::TcpSocketFactory", server);
    auto sink = DynamicCast<PacketSink>(sinkHelper.Install(network.hosts.Get(2)).Get(0));
    BulkSendHelper bulk("ns3::TcpSocketFactory", server);
    for (uint32_t f = 0; f < tcpFlows; ++f)
    {
        bulk.Install(network.hosts.Get(0)).Start(MicroSeconds(10 * f));
    }

    // RDMA: more bytes than the time allows.
    RdmaHelper rdma;
    rdma.SetCongestionControl(dcqcn.ops);
    rdma.SetNicAttribute("CnpInterval", TimeValue(dcqcn.marking->cnpInterval));
    rdma.Install(network.hosts);
    auto stackOf = [&](uint32_t h) { return network.hosts.Get(h)->GetObject<RdmaStack>(); };
    for (uint32_t p = 0; p < rdmaPairs; ++p)
    {
        Ptr<QueuePair> sender = stackOf(1)->CreateQueuePair(network.ports[1][0], nullptr);
        QueuePair::Connect(sender, stackOf(3)->CreateQueuePair(network.ports[3][0], nullptr));
        SendWorkRequest request;
        request.bytes = 1 << 30;
        NS_ABORT_MSG_UNLESS(sender->PostSend(request) == PostResult::POSTED, "not posted");
    }

    Simulator::Stop(duration);
    Simulator::Run();

    double all = static_cast<double>(g_sent[TCP_CLASS] + g_sent[RDMA_CLASS]);
    auto gbps = [&](uint64_t bytes) {
        return 8e-9 * static_cast<double>(bytes) / duration.GetSeconds();
    };
    auto percent = [&](uint32_t c) { return 100 * static_cast<double>(g_sent[c]) / all; };
    std::cout << std::fixed << std::setprecision(2) << "leaf 0's uplink     Gb/s   share %\n"
              << "TCP   (class 0)  " << std::setw(7) << gbps(g_sent[TCP_CLASS]) << std::setw(10)
              << percent(TCP_CLASS) << "\nRDMA  (class 3)  " << std::setw(7)
              << gbps(g_sent[RDMA_CLASS]) << std::setw(10) << percent(RDMA_CLASS)
              << "\nTCP's goodput    " << std::setw(7) << gbps(sink->GetTotalRx()) << "\n"
              << "ECN marks        " << std::setw(7) << uplink->GetCounters().ecnMarks << "\n"
              << "drops: TCP " << leaf->GetLossyDrops() << ", RDMA " << leaf->GetLosslessDrops()
              << std::endl;
    Simulator::Destroy();
    return 0;
}
