// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief NICs with two ports, bonded or in two planes, and the UDP source ports that spread flows.
 */

#include "verbs-fixture.h"

#include "ns3/leaf-spine-topology.h"
#include "ns3/node.h"

#include <algorithm>
#include <map>
#include <set>

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 4096;

// ---------------------------------------------------------------- two ports

/// Host 0 has two ports on one NIC, host 1 has one on another.
class TwoPorts
{
  public:
    /// @param planes two switches, each with a port of both hosts; else one switch, and host 0's
    /// ports have one address
    explicit TwoPorts(bool planes)
    {
        FabricGraph graph;
        uint32_t hosts[] = {graph.AddHost("host0"), graph.AddHost("host1")};
        uint32_t first = graph.AddSwitch("switch0");
        uint32_t second = planes ? graph.AddSwitch("switch1") : first;
        graph.Connect({hosts[0], first, DataRate("100Gbps"), NanoSeconds(500)});
        graph.Connect({hosts[0], second, DataRate("100Gbps"), NanoSeconds(500)});
        graph.Connect({hosts[1], first, DataRate("200Gbps"), NanoSeconds(500)});
        if (planes)
        {
            graph.Connect({hosts[1], second, DataRate("200Gbps"), NanoSeconds(500)});
            // FabricHelper wants one fabric; nothing takes this cable.
            graph.Connect({first, second, DataRate("1Gbps"), NanoSeconds(500)});
        }
        network = FabricHelper().Install(graph);
        for (uint32_t host : {0, 1})
        {
            nics[host] = CreateObject<RdmaNic>();
            for (const auto& port : network.ports[host])
            {
                nics[host]->SetDevice(port);
            }
            stacks[host] = CreateObject<RdmaStack>();
            stacks[host]->AddNic(nics[host]);
            network.hosts.Get(host)->AggregateObject(stacks[host]);
        }
        if (!planes)
        {
            // Both ports lead to the one address.
            Ipv4Address address = Port(0, 0)->GetIpv4Address();
            Port(0, 1)->SetIpv4Address(address);
            network.GetSwitches()[0]->GetForwardingTable().SetRoute(address.Get(), {0, 1});
        }
        queue->SetCallback(Callback<void, const WorkCompletion&>([this](const WorkCompletion& wc) {
            EXPECT_EQ(wc.status, WcStatus::SUCCESS);
            last = Simulator::Now();
            ++completions;
        }));
    }

    ~TwoPorts()
    {
        Simulator::Destroy();
    }

    Ptr<FabricNetDevice> Port(uint32_t host, uint32_t index) const
    {
        return network.ports[host][index];
    }

    /// A pair of bonded NICs, connected. @return host 0's
    Ptr<QueuePair> Connect()
    {
        Ptr<QueuePair> a = stacks[0]->CreateQueuePair(nics[0], queue);
        Ptr<QueuePair> b = stacks[1]->CreateQueuePair(nics[1], queue);
        QueuePair::Connect(a, b);
        peers.push_back(b);
        return a;
    }

    FabricNetwork network;
    Ptr<RdmaNic> nics[2];
    Ptr<RdmaStack> stacks[2];
    Ptr<CompletionQueue> queue{CreateObject<CompletionQueue>()};
    std::vector<Ptr<QueuePair>> peers;
    Time last;
    uint32_t completions{0};
};

/// @param qp sends @param count bytes
void
PostWrite(const Ptr<QueuePair>& qp, uint64_t count)
{
    SendWorkRequest request;
    request.bytes = count;
    ASSERT_EQ(qp->PostSend(request), PostResult::POSTED);
}

TEST(Bond, SpreadsPairsAndReachesTwiceTheRate)
{
    constexpr uint64_t COUNT = 4 << 20;
    Time alone;
    for (uint32_t pairs : {1, 2, 4})
    {
        TwoPorts f(false);
        std::vector<Ptr<QueuePair>> made;
        for (uint32_t i = 0; i < pairs; ++i)
        {
            made.push_back(f.Connect());
            EXPECT_EQ(made.back()->GetLocal().mac, f.Port(0, i % 2)->GetMacAddress()) << "in turn";
            EXPECT_EQ(made.back()->GetLocal().address.key, f.Port(0, 0)->GetIpv4Address().Get())
                << "one address";
        }
        for (const auto& qp : made)
        {
            PostWrite(qp, COUNT);
        }
        Simulator::Run();
        EXPECT_EQ(f.completions, pairs);
        if (pairs == 1)
        {
            // The first link decides: 1024 frames of 4178 bytes and a RETH at 100 Gb/s, 336 us.
            alone = f.last;
            double wire = (1024 * 4178.0 + 16) * 8 / 100e9;
            EXPECT_NEAR(alone.GetSeconds(), wire, 0.02 * wire);
        }
        else
        {
            // As long for two as for one, within the second link's wait for a frame.
            double expected = alone.GetSeconds() * pairs / 2;
            EXPECT_NEAR(f.last.GetSeconds(), expected, 0.01 * expected);
            EXPECT_EQ(f.Port(0, 0)->GetCounters().txPayloadBytes, pairs / 2 * COUNT);
            EXPECT_EQ(f.Port(0, 1)->GetCounters().txPayloadBytes, pairs / 2 * COUNT);
        }
    }
}

TEST(Bond, TakesFramesOfAPairFromEitherPort)
{
    // The switch spreads by flow: what comes for a pair comes by the port that the hash says.
    TwoPorts f(false);
    constexpr uint32_t PAIRS = 16;
    std::map<uint32_t, std::set<uint32_t>> portsOf; // of the frames for a pair of host 0
    for (uint32_t p : {0, 1})
    {
        f.Port(0, p)->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame&>(
                [&portsOf, p](const FabricFrame& frame) { portsOf[frame.destQp].insert(p); }));
    }
    std::map<uint32_t, Mac48Address> ownMac;
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        Ptr<QueuePair> qp = f.Connect();
        ownMac[qp->GetNumber()] = qp->GetLocal().mac;
        PostWrite(f.peers.back(), 20000); // to host 0
        PostWrite(qp, 20000);             // and from it
    }
    Simulator::Run();
    EXPECT_EQ(f.completions, 2 * PAIRS);
    uint32_t byTheOther = 0;
    for (const auto& [number, ports] : portsOf)
    {
        ASSERT_EQ(ports.size(), 1u) << "a flow keeps its path";
        byTheOther += f.Port(0, *ports.begin())->GetMacAddress() != ownMac[number];
    }
    EXPECT_EQ(portsOf.size(), PAIRS);
    EXPECT_GT(byTheOther, 0u);
    EXPECT_LT(byTheOther, PAIRS);
    EXPECT_EQ(f.nics[0]->GetCounters().unknownQpFrames, 0u);
}

TEST(Planes, AreSeparateNetworksOfOneNic)
{
    TwoPorts f(true);
    constexpr uint64_t COUNT = 1 << 20;
    EXPECT_NE(f.Port(0, 0)->GetIpv4Address(), f.Port(0, 1)->GetIpv4Address());
    Time alone;
    for (uint32_t plane : {0, 1})
    {
        Ptr<QueuePair> a = f.stacks[0]->CreateQueuePair(f.Port(0, plane), f.queue);
        Ptr<QueuePair> b = f.stacks[1]->CreateQueuePair(f.Port(1, plane), f.queue);
        QueuePair::Connect(a, b);
        EXPECT_EQ(a->GetLocal().address.key, f.Port(0, plane)->GetIpv4Address().Get());
        PostWrite(a, COUNT);
    }
    EXPECT_EQ(f.nics[0]->GetQueuePairs().size(), 2u) << "one NIC, one number space";
    Simulator::Run();
    EXPECT_EQ(f.completions, 2u);
    for (uint32_t plane : {0, 1})
    {
        EXPECT_EQ(f.Port(0, plane)->GetCounters().txPayloadBytes, COUNT);
        EXPECT_GE(f.Port(1, plane)->GetCounters().rxBytes, COUNT);
    }
    double wire = (256 * 4178.0 + 16) * 8 / 100e9; // both at once
    EXPECT_NEAR(f.last.GetSeconds(), wire, 0.05 * wire);
}

// ---------------------------------------------------------------- UDP source ports

/// @param configure gets each pair @return the ports of eight pairs by their numbers
std::map<uint32_t, uint16_t>
SourcePorts(const VerbsFixture::Configure& configure)
{
    VerbsFixture f(MTU);
    f.Build();
    std::map<uint32_t, uint16_t> ports;
    std::vector<Link> links;
    f.Watch(1, "FrameRx", [&](const FabricFrame& frame) {
        ports[frame.destQp] = frame.udpSourcePort;
    });
    for (int i = 0; i < 8; ++i)
    {
        // Created together, so that both sides have the same number.
        links.push_back(f.MakeLink(QpType::RC, configure));
        EXPECT_EQ(links.back().a->qp->GetNumber(), links.back().b->qp->GetNumber());
        EXPECT_EQ(links.back().a->qp->PostSend(
                      VerbsFixture::Request(links.back(), RdmaOperation::WRITE, 8)),
                  PostResult::POSTED);
    }
    f.Run();
    EXPECT_EQ(ports.size(), 8u);
    return ports;
}

VerbsFixture::Configure
Policy(const std::string& name, uint16_t port)
{
    return [name, port](Ptr<QueuePair> qp) {
        qp->SetAttribute("UdpSourcePortPolicy", StringValue(name));
        qp->SetAttribute("UdpSourcePort", UintegerValue(port));
    };
}

TEST(UdpSourcePort, FollowsItsPolicy)
{
    for (const auto& [number, port] : SourcePorts(Policy("Fixed", 0)))
    {
        EXPECT_EQ(port, 49152) << number;
    }
    for (const auto& [number, port] : SourcePorts(Policy("Fixed", 5000)))
    {
        EXPECT_EQ(port, 5000) << number;
    }
    for (const auto& [number, port] : SourcePorts(Policy("PerPair", 0)))
    {
        EXPECT_EQ(port, 49152 + number);
    }
    for (const auto& [number, port] : SourcePorts(Policy("PerPair", 65532)))
    {
        EXPECT_EQ(port, 65532 + number % 4) << "from the last port back to the first";
    }
    for (const auto& [number, port] : SourcePorts([](Ptr<QueuePair> qp) {
             qp->SetAttribute("UdpSourcePortPolicy", StringValue("Listed"));
             qp->SetAttribute("UdpSourcePorts", StringValue("7000,7010,7020"));
         }))
    {
        EXPECT_EQ(port, 7000 + 10 * (number % 3));
    }
    for (const auto& [number, port] : SourcePorts(Policy("Hash", 6000)))
    {
        EXPECT_EQ(port, 6000) << "given, it is taken as it is " << number;
    }
}

TEST(UdpSourcePort, ByHashIsLinuxs)
{
    // Linux' ib_verbs.h, rdma_calc_flow_label and rdma_flow_label_to_udp_sport: the product of both
    // numbers, xor its bits from 20 on, xor the result's from 40 on, cut to 20 bits; the upper 6 of
    // these are folded into the lower 14; 0xC000 is set. By hand:
    //   2 x 2 = 4: 0xC004.  300 x 300 = 90000 = 0x15f90: low 14 bits 0x1f90, upper 5: 0x1f95.
    for (auto [number, expected] : {std::pair<uint32_t, uint16_t>{2, 0xc004}, {300, 0xdf95}})
    {
        VerbsFixture f(MTU);
        f.Build();
        std::vector<Link> links;
        do
        {
            links.push_back({f.MakeEnd(0), f.MakeEnd(1)});
        } while (links.back().a->qp->GetNumber() < number);
        const Link& link = links.back();
        QueuePair::Connect(link.a->qp, link.b->qp);
        uint16_t port = 0;
        f.Watch(1, "FrameRx", [&](const FabricFrame& frame) { port = frame.udpSourcePort; });
        ASSERT_EQ(link.a->qp->PostSend(VerbsFixture::Request(link, RdmaOperation::WRITE, 8)),
                  PostResult::POSTED);
        f.Run();
        EXPECT_EQ(port, expected) << number;
    }
}

/// @param policy of the source ports @return frames over each of the first leaf's four uplinks
std::vector<uint64_t>
UplinkFrames(const std::string& policy)
{
    VerbsFixture f(MTU);
    LeafSpineParameters parameters;
    parameters.leaves = 2;
    parameters.hostsPerLeaf = 1;
    parameters.spines = 4;
    f.FabricFixture::Build(MakeLeafSpine(parameters));
    std::vector<Link> links;
    for (int i = 0; i < 64; ++i)
    {
        links.push_back(f.MakeLink(QpType::RC, Policy(policy, 0)));
        EXPECT_EQ(links.back().a->qp->PostSend(
                      VerbsFixture::Request(links.back(), RdmaOperation::WRITE, 8)),
                  PostResult::POSTED);
    }
    f.Run();
    std::vector<uint64_t> frames;
    Ptr<FabricSwitch> leaf = f.Switch(0);
    for (uint32_t p = 0; p < leaf->GetNPorts(); ++p)
    {
        Ptr<FabricNetDevice> port = leaf->GetPort(p);
        auto cable = DynamicCast<FabricChannel>(port->GetChannel());
        bool toHost = cable == f.Cable(0);
        if (!toHost)
        {
            frames.push_back(port->GetCounters().txFrames);
        }
    }
    return frames;
}

TEST(UdpSourcePort, IsWhatEcmpSpreadsFlowsBy)
{
    std::vector<uint64_t> spread = UplinkFrames("PerPair");
    ASSERT_EQ(spread.size(), 4u);
    for (uint64_t frames : spread)
    {
        EXPECT_GT(frames, 0u) << "64 flows, 16 a spine in the mean";
        EXPECT_LT(frames, 32u);
    }
    std::vector<uint64_t> one = UplinkFrames("Fixed");
    std::sort(one.begin(), one.end());
    EXPECT_EQ(one, (std::vector<uint64_t>{0, 0, 0, 64})) << "all flows look alike";
}

} // namespace
