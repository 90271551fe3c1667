// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What it costs to set connections up by RDMA-CM, beside QueuePair::Connect(), which costs
 * nothing.
 *
 *     client 0 ----+
 *        ...      switch ---- server
 *     client n ----+
 *
 * The clients ask the server for connections, all at once. A client may send when its REQ is
 * answered (two ways over the network), the server knows it when the RTU has come (three ways), and
 * each host takes its time for each message. With --pcap the server's messages are captured.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 18515;

/// Set-up times of a run.
struct SetUp
{
    uint32_t count{0};
    Time first; ///< a client's, and so on
    Time last;
    Time server; ///< the server's last one
};

/// Connects all clients. @param clients how many @param each connections of each of them
/// @param processing time of a host for a message @param pcap capture at the server @return times
SetUp
Run(uint32_t clients, uint32_t each, Time processing, bool pcap)
{
    FabricHelper fabric;
    FabricNetwork network =
        fabric.Install(MakeStar({clients + 1, DataRate("100Gbps"), NanoSeconds(500)}));
    RdmaHelper().Install(network.hosts);
    if (pcap)
    {
        fabric.EnablePcap("rdma-cm", NodeContainer(network.hosts.Get(clients)), true);
    }
    auto completions = CreateObject<CompletionQueue>();
    auto nic = [&](uint32_t h) {
        return network.hosts.Get(h)->GetObject<RdmaStack>()->GetNics()[0];
    };
    auto make = [&](uint32_t h) {
        return network.hosts.Get(h)->GetObject<RdmaStack>()->CreateQueuePair(nic(h), completions);
    };
    auto manager = [&](uint32_t h) {
        Ptr<RdmaConnectionManager> m = RdmaConnectionManager::Of(nic(h));
        m->SetAttribute("ProcessingTime", TimeValue(processing));
        return m;
    };

    SetUp result;
    manager(clients)->Listen(
        PORT,
        RdmaConnectionCallback([&](Ptr<RdmaConnection> connection, RdmaConnectionEvent event) {
            if (event == RdmaConnectionEvent::CONNECT_REQUEST)
            {
                connection->Accept(make(clients));
            }
            result.server = Simulator::Now();
        }));
    RdmaConnectionCallback established([&](Ptr<RdmaConnection> connection, RdmaConnectionEvent e) {
        NS_ABORT_MSG_UNLESS(e == RdmaConnectionEvent::ESTABLISHED,
                            ToString(e) << ": " << ToString(connection->GetReason()));
        result.first = result.count == 0 ? Simulator::Now() : result.first;
        result.last = Simulator::Now();
        ++result.count;
    });
    QpRemote server = make(clients)->GetLocal();
    for (uint32_t i = 0; i < clients * each; ++i)
    {
        uint32_t client = i % clients;
        manager(client)->Connect(make(client), server.address, server.mac, PORT, established);
    }
    Simulator::Run();
    Simulator::Destroy();
    return result;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // before anything else

    uint32_t clients = 10;
    uint32_t each = 100;
    TimeValue processing;
    CreateObject<RdmaConnectionManager>()->GetAttribute("ProcessingTime", processing);
    Time host = processing.Get();
    bool pcap = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("clients", "how many", clients);
    cmd.AddValue("each", "connections of each client", each);
    cmd.AddValue("processing", "what a host takes for each message", host);
    cmd.AddValue("pcap", "write rdma-cm-*.pcap", pcap);
    cmd.Parse(argc, argv);

    std::cout << "set-up time, us       first client   last client        server\n"
              << std::fixed << std::setprecision(2);
    auto print = [](const std::string& what, const SetUp& s) {
        std::cout << std::left << std::setw(20) << what << std::right;
        for (Time t : {s.first, s.last, s.server})
        {
            std::cout << std::setw(14) << static_cast<double>(t.GetPicoSeconds()) / 1e6;
        }
        std::cout << "\n";
    };
    print("direct", SetUp{});
    print("1, hosts take 0", Run(1, 1, Time(0), false));
    print("1", Run(1, 1, host, false));
    std::string all = std::to_string(clients * each);
    print(all + ", hosts take 0", Run(clients, each, Time(0), false));
    print(all, Run(clients, each, host, pcap));
    std::cout.flush();
    return 0;
}
