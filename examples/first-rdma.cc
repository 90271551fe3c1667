// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Two hosts, one switch, one RDMA WRITE: when is it complete?
 *
 *     host 0 ----- switch ----- host 1
 *
 * The program prints the simulated completion time beside the closed form: all frames one after the
 * other, the largest of them twice (two links of one rate are a pipeline that its largest piece
 * passes store-and-forward), and the way back of the acknowledgement.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // before anything else: at 400 Gb/s a byte takes 20 ps

    uint64_t bytes = 1 << 20;
    uint32_t mtu = 4096;
    DataRate rate("400Gbps");
    Time delay = NanoSeconds(500);
    bool pcap = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "length of the message", bytes);
    cmd.AddValue("mtu", "payload of a full frame", mtu);
    cmd.AddValue("rate", "of both links", rate);
    cmd.AddValue("delay", "of each link, one way", delay);
    cmd.AddValue("pcap", "write first-rdma-*.pcap", pcap);
    cmd.Parse(argc, argv);

    FabricGraph graph;
    uint32_t host0 = graph.AddHost("host0");
    uint32_t host1 = graph.AddHost("host1");
    uint32_t leaf = graph.AddSwitch("switch");
    graph.Connect({host0, leaf, rate, delay});
    graph.Connect({host1, leaf, rate, delay});
    FabricHelper fabric;
    FabricNetwork network = fabric.Install(graph);
    if (pcap)
    {
        fabric.EnablePcap("first-rdma", network.hosts, true);
    }

    RdmaHelper rdma;
    rdma.SetQueuePairAttribute("Mtu", UintegerValue(mtu));
    rdma.Install(network.hosts);
    auto completions = CreateObject<CompletionQueue>();
    auto make = [&](uint32_t host) {
        auto stack = network.nodes.Get(host)->GetObject<RdmaStack>();
        return stack->CreateQueuePair(network.ports[host][0], completions);
    };
    Ptr<QueuePair> sender = make(host0);
    QueuePair::Connect(sender, make(host1));

    Time completed;
    completions->SetCallback(Callback<void, const WorkCompletion&>(
        [&](const WorkCompletion&) { completed = Simulator::Now(); }));
    SendWorkRequest request;
    request.bytes = bytes;
    if (PostResult result = sender->PostSend(request); result != PostResult::POSTED)
    {
        std::cerr << "not posted: " << ToString(result) << std::endl;
        return 1;
    }
    Simulator::Run();

    // The closed form, in bytes on the wire. Each frame: preamble 8, Ethernet 14, IPv4 20, UDP 8,
    // BTH 12, ICRC 4, FCS 4, gap 12 = 82 besides payload and pad; the first one has a RETH of 16.
    auto pad = [](uint64_t payload) { return (payload + 3) / 4 * 4; };
    uint64_t frames = std::max<uint64_t>(1, (bytes + mtu - 1) / mtu);
    uint64_t lastPayload = bytes - (frames - 1) * mtu;
    uint64_t last = 70 + pad(lastPayload) + (frames == 1 ? 16 : 0); // without the gap after it
    uint64_t before = (frames - 1) * (82 + pad(mtu)) + (frames > 1 ? 16 : 0);
    uint64_t largest = frames == 1 ? last : 70 + pad(mtu) + 16;
    uint64_t ack = 8 + 66;
    Time wire = rate.CalculateBytesTxTime(before + last + largest + 2 * ack);
    Time expected = wire + 4 * delay;
    std::cout << bytes << " bytes in " << frames << " frames at " << rate << "\n"
              << "simulated   " << completed.GetPicoSeconds() << " ps"
              << "\n"
              << "closed form " << expected.GetPicoSeconds() << " ps" << std::endl;
    Simulator::Destroy();
    return 0;
}
