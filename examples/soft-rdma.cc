// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief RDMA without an RDMA NIC: two hosts of an ordinary Ethernet segment (CSMA) speak RoCEv2
 * over their Internet stacks, as Linux does with soft-RoCE.
 *
 *     host 0 ----+---- host 1      10.1.1.1 and 10.1.1.2
 *              CSMA
 *
 * Prints the throughput of WRITEs that follow one another, and the latency of a small one alone.
 * With --pcap the segment is captured: tshark or Wireshark shows RoCEv2.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/csma-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // before anything else

    uint64_t bytes = 1 << 20;
    uint32_t messages = 32;
    std::string rate = "1Gbps";
    bool pcap = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "length of each large message", bytes);
    cmd.AddValue("messages", "how many of them", messages);
    cmd.AddValue("rate", "of the segment", rate);
    cmd.AddValue("pcap", "write soft-rdma-*.pcap", pcap);
    cmd.Parse(argc, argv);

    // ns-3 as always: nodes, devices, stack, addresses.
    NodeContainer hosts(2);
    CsmaHelper csma;
    csma.SetChannelAttribute("DataRate", StringValue(rate));
    csma.SetChannelAttribute("Delay", TimeValue(NanoSeconds(500)));
    NetDeviceContainer devices = csma.Install(hosts);
    InternetStackHelper().Install(hosts);
    Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(devices);
    NeighborCacheHelper().PopulateNeighborCache(); // no packet waits for ARP
    if (pcap)
    {
        csma.EnablePcap("soft-rdma", devices.Get(0), true);
    }

    // RDMA on top. The window keeps the segment, which is half duplex, from being filled by one
    // side; queue pairs get the MTU that fits the devices' 1500 bytes: 1024.
    SoftRdmaHelper rdma;
    rdma.SetQueuePairAttribute("Window", UintegerValue(64 << 10));
    std::vector<Ptr<RdmaNic>> nics = rdma.Install(devices);
    auto completions = CreateObject<CompletionQueue>();
    auto make = [&](uint32_t h) {
        return hosts.Get(h)->GetObject<RdmaStack>()->CreateQueuePair(nics[h], completions);
    };
    Ptr<QueuePair> sender = make(0);
    QueuePair::Connect(sender, make(1));

    // One small WRITE, and when it is complete, all the large ones.
    Time start;
    uint32_t complete = 0;
    auto post = [&](uint64_t length) {
        SendWorkRequest request;
        request.bytes = length;
        PostResult result = sender->PostSend(request);
        NS_ABORT_MSG_UNLESS(result == PostResult::POSTED, sender->Explain(result));
    };
    completions->SetCallback(Callback<void, const WorkCompletion&>([&](const WorkCompletion& wc) {
        NS_ABORT_MSG_UNLESS(wc.status == WcStatus::SUCCESS, ToString(wc.status));
        Time took = Simulator::Now() - start;
        if (complete == 0)
        {
            std::cout << "latency     " << took.As(Time::US) << " (8 bytes, to its completion)\n";
            start = Simulator::Now();
            for (uint32_t m = 0; m < messages; ++m)
            {
                post(bytes);
            }
        }
        else if (complete == messages)
        {
            double bits = 8.0 * static_cast<double>(bytes) * messages;
            std::cout << "throughput  " << 1e-6 * bits / took.GetSeconds() << " Mb/s of " << rate
                      << std::endl;
        }
        ++complete;
    }));
    post(8);
    Simulator::Run();
    Simulator::Destroy();
    return complete == messages + 1 ? 0 : 1;
}
