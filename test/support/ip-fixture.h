// SPDX-License-Identifier: GPL-2.0-only
#ifndef IP_FIXTURE_H
#define IP_FIXTURE_H

/**
 * @file
 * @brief A fabric whose hosts run ns-3's Internet stack.
 */

#include "fabric-fixture.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/fabric-helper.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-helper.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

/// A test with a fabric and IP on its hosts.
class IpFixture : public testing::Test
{
  protected:
    /// One switch. @param hosts around it @param rate of all cables @param delay of all cables
    void BuildStar(uint32_t hosts, const std::string& rate, Time delay)
    {
        FabricGraph graph;
        uint32_t center = graph.AddSwitch("switch");
        for (uint32_t h = 0; h < hosts; ++h)
        {
            uint32_t host = graph.AddHost("host" + std::to_string(h));
            graph.Connect({host, center, DataRate(rate), delay});
        }
        Build(graph);
    }

    /// @param graph any fabric: its hosts get an Internet stack, but no addresses yet
    void Build(const FabricGraph& graph)
    {
        network = fabric.Install(graph);
        InternetStackHelper().Install(network.hosts);
    }

    /// @param base network of the hosts' addresses, in order of their ports
    void AssignIpv4(const char* base = "10.0.0.0")
    {
        Ipv4AddressHelper(base, "255.255.255.0").Assign(network.GetHostDevices());
    }

    /// @param host its number @return its (first) port
    Ptr<FabricNetDevice> Port(uint32_t host) const
    {
        return network.GetHostPorts().at(host);
    }

    /// @param host its number @return its node
    Ptr<Node> Host(uint32_t host) const
    {
        return network.hosts.Get(host);
    }

    /// @return the first switch
    Ptr<FabricSwitch> Switch() const
    {
        return network.GetSwitches().at(0);
    }

    /// @param host its number @return its first IPv4 address
    Ipv4Address Ipv4Of(uint32_t host) const
    {
        return Host(host)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
    }

    /// Nothing is left in any switch's memory.
    void ExpectDrained() const
    {
        for (const auto& fabricSwitch : network.GetSwitches())
        {
            EXPECT_EQ(fabricSwitch->GetBuffer()->GetUsedBytes(), 0u);
        }
    }

    /**
     * Echo clients and servers.
     * @param from number of the client
     * @param server its address
     * @param to number of the server
     * @param count of packets @param payload bytes of each
     * @return replies that came back
     */
    uint32_t Echo(uint32_t from, Address server, uint32_t to, uint32_t count, uint32_t payload)
    {
        constexpr uint16_t PORT = 9;
        UdpEchoServerHelper servers(PORT);
        servers.Install(Host(to)).Start(Seconds(1));
        UdpEchoClientHelper clients(server, PORT);
        clients.SetAttribute("MaxPackets", UintegerValue(count));
        clients.SetAttribute("Interval", TimeValue(MilliSeconds(50))); // ARP holds three
        clients.SetAttribute("PacketSize", UintegerValue(payload));
        ApplicationContainer client = clients.Install(Host(from));
        client.Start(Seconds(3)); // after duplicate address detection
        uint32_t replies = 0;
        client.Get(0)->TraceConnectWithoutContext(
            "Rx",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                ++replies;
                EXPECT_EQ(packet->GetSize(), payload);
            }));
        Simulator::Stop(Seconds(8));
        Simulator::Run();
        return replies;
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    FabricHelper fabric;
    FabricNetwork network;
};

} // namespace ns3

#endif // IP_FIXTURE_H
