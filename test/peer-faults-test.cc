// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Faults that users of other simulators met in switches, links and topologies: one test each
 * of how it is here, named after the behaviour. (Loss at any rate: loss-test; 512 ports, long-haul
 * headroom: switch-test; several NICs: bond-test; ConWeave on other fabrics: conweave-test.)
 */

#include "fabric-fixture.h"

#include "ns3/fat-tree-topology.h"

#include <set>

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);
constexpr uint64_t MTU = 4096;
constexpr uint64_t SLOT = 8 + 62 + MTU + 12;

uint64_t
PausesSent(const FabricFixture& f)
{
    uint64_t sum = 0;
    for (const auto& ports : f.network.ports)
    {
        for (const auto& port : ports)
        {
            sum += port->GetCounters().pausesSent;
        }
    }
    return sum;
}

/// Hosts 1 to n send to host 0 at once. @param f built @param senders n @param message bytes each
void
Incast(FabricFixture& f, uint32_t senders, uint64_t message)
{
    for (uint32_t h = 1; h <= senders; ++h)
    {
        f.Post(f.Connect(h, 0), message);
    }
    f.Run();
    f.ExpectAllSucceeded(senders, senders * message);
    f.ExpectDrained();
}

/// @param hosts of a star at 100 Gb/s @return it
FabricGraph
Star(uint32_t hosts)
{
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (uint32_t h = 0; h < hosts; ++h)
    {
        graph.Connect(
            {graph.AddHost("host" + std::to_string(h)), center, DataRate("100Gbps"), DELAY});
    }
    return graph;
}

// ---------------------------------------------------------------- lossless or refused

TEST(LosslessSwitch, OfTooLittleMemoryForAThousandPortsIsRefused)
{
    // 8 MB among 1001 ports are 8 kB each; three frames in flight are more than that.
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(8'000'000));
    std::string error;
    f.fabric.Install(Star(1001), error);
    EXPECT_NE(error.find("8000000 B"), std::string::npos) << error;
    EXPECT_NE(error.find("1001 ports"), std::string::npos) << error;
}

TEST(LosslessSwitch, DropsNothingOfAThousandWayIncast)
{
    FabricFixture f;
    f.Build(Star(1001));
    Incast(f, 1000, 100000);
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_GT(PausesSent(f), 0u);
    EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames), 0u);
}

TEST(LosslessSwitch, DropsNothingOverShortCablesOfHighRate)
{
    // 1 m of cable at 800 Gb/s holds 500 B: headroom is frames that cannot be stopped.
    FabricFixture f;
    f.BuildStar(9, "800Gbps", NanoSeconds(5));
    Incast(f, 8, 10'000'000);
    EXPECT_EQ(f.Drops(), 0u);
    EXPECT_GT(PausesSent(f), 0u);
    uint64_t used = f.Switch()->GetBuffer()->GetPeakHeadroomBytes();
    EXPECT_GT(used, 0u);
    EXPECT_LE(used, f.Switch()->GetHeadroomBytes(0));
}

TEST(Pfc, IsSilentWhereTheBufferTakesTheBurstAndSpeaksWhereItDoesNot)
{
    // 64 MB of memory: a port may use a share of it that is far above 50 kB, and far below the
    // 40 MB that each of eight has.
    for (auto [message, pauses] :
         {std::pair{uint64_t{50'000}, false}, {uint64_t{40'000'000}, true}})
    {
        FabricFixture f;
        f.BuildStar(9, "100Gbps", DELAY);
        Incast(f, 8, message);
        EXPECT_EQ(PausesSent(f) > 0, pauses) << message;
        EXPECT_EQ(f.Drops(), 0u);
    }
}

TEST(Pfc, WorksWithoutCongestionControlAndCanBeTurnedOff)
{
    for (bool pfc : {true, false})
    {
        FabricFixture f;
        f.fabric.SetSwitchAttribute("Pfc", BooleanValue(pfc));
        f.fabric.SetBufferAttribute("Size", UintegerValue(2'000'000));
        f.rdma.SetQueuePairAttribute("Timeout",
                                     UintegerValue(8)); // 1 ms: the last frame may be lost
        f.BuildStar(9, "100Gbps", DELAY);
        Incast(f, 8, 2'000'000);
        EXPECT_EQ(PausesSent(f) > 0, pfc);
        EXPECT_EQ(f.Drops() > 0, !pfc);
        EXPECT_EQ(f.Total(&RdmaNicCounters::retransmittedFrames) > 0, !pfc);
        EXPECT_EQ(f.Total(&RdmaNicCounters::cnpsSent), 0u);
    }
}

// ---------------------------------------------------------------- paths

TEST(Ecmp, UsesEveryCoreLinkOfAFatTreeUnlessAllSwitchesShareASeed)
{
    // 8-port switches: 16 core switches. 128 hosts send 8 flows each to other pods. Where
    // aggregation switches choose by the bits by which edge switches have chosen already, those
    // that one of them gets are all alike, and most cores see nothing.
    FatTreeParameters tree;
    tree.k = 8;
    tree.linkRate = DataRate("100Gbps");
    for (bool shareSeed : {false, true})
    {
        FabricFixture f;
        f.fabric.SetPathSelector("ns3::EcmpPathSelector", shareSeed);
        f.Build(MakeFatTree(tree));
        const uint32_t hosts = f.network.hosts.GetN();
        for (uint32_t h = 0; h < hosts; ++h)
        {
            for (uint32_t i = 0; i < 8; ++i)
            {
                f.Post(f.Connect(h, (h + 16 + 13 * i) % hosts), 10000);
            }
        }
        f.Run();
        uint32_t silent = 0;
        for (uint32_t core = f.network.switches.GetN() - 16; core < f.network.switches.GetN();
             ++core)
        {
            uint64_t payload = 0;
            for (uint32_t p = 0; p < f.Switch(core)->GetNPorts(); ++p)
            {
                payload += f.Switch(core)->GetPort(p)->GetCounters().txPayloadBytes;
            }
            silent += payload == 0;
        }
        // Of the 4 x 4 pairs of choices, a shared hash makes the 4 equal ones only.
        EXPECT_EQ(silent, shareSeed ? 12u : 0u);
    }
}

TEST(ParallelLinks, AreAllUsed)
{
    // Four cables between two switches: with many flows each carries its part. 16 x 16 flows of
    // 250 kB are 64 MB; one cable alone would take 5.1 ms, four take 1.3 ms, and an uneven hash
    // somewhat more (128 flows and more a cable: less than half as much again).
    FabricFixture f;
    f.BuildTwoSwitches(16, "100Gbps", 4, "100Gbps", DELAY);
    for (uint32_t h = 0; h < 16; ++h)
    {
        for (uint32_t i = 0; i < 16; ++i)
        {
            f.Post(f.Connect(h, 16 + (h + i) % 16), 250'000);
        }
    }
    f.Run();
    f.ExpectAllSucceeded(256, 64'000'000);
    for (uint32_t cable = 0; cable < 4; ++cable)
    {
        EXPECT_GT(f.Switch(0)->GetPort(16 + cable)->GetCounters().txPayloadBytes, 10'000'000u);
    }
    EXPECT_LT(TimeStep(f.records.back().end), MicroSeconds(1950));
}

// ---------------------------------------------------------------- time

TEST(LinkLatency, IsPaidOnceByEachFrame)
{
    // Cables of 1 and 3 us: 4 us, and the frame bit by bit on each, 4182 B of 80 ps.
    FabricGraph graph;
    uint32_t near = graph.AddHost("near");
    uint32_t middle = graph.AddSwitch("middle");
    uint32_t far = graph.AddHost("far");
    graph.Connect({near, middle, DataRate("100Gbps"), MicroSeconds(1)});
    graph.Connect({middle, far, DataRate("100Gbps"), MicroSeconds(3)});
    FabricFixture f;
    f.Build(graph);
    Time arrival;
    f.Port(1)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame&>(
            [&](const FabricFrame&) { arrival = Simulator::Now(); }));
    f.Post(f.Connect(0, 1), MTU);
    f.Run();
    EXPECT_EQ(arrival, MicroSeconds(4) + 2 * OnWire("100Gbps", 8 + 62 + 16 + MTU));
    // The acknowledgement, too: 8 + 66 B.
    EXPECT_EQ(TimeStep(f.records.at(0).end),
              MicroSeconds(8) + 2 * OnWire("100Gbps", 8 + 62 + 16 + MTU) +
                  2 * OnWire("100Gbps", 8 + 66));
}

class LongHaul : public testing::TestWithParam<const char*>
{
};

TEST_P(LongHaul, TenMillisecondsCarryALineRateFlow)
{
    // 10 ms at 400 Gb/s are 500 MB in flight on each cable, at 800 Gb/s 1 GB: bytes in flight,
    // headroom (twice that and frames) and thresholds need more than 32 bits.
    const std::string rate = GetParam();
    const Time cable = MilliSeconds(10);
    constexpr uint64_t FRAMES = 30000;
    FabricFixture f;
    f.fabric.SetBufferAttribute("Size", UintegerValue(uint64_t{1} << 33));
    f.BuildStar(2, rate, cable);
    // Of the bits on two cables 20 B of 4230 are preamble and gap, which no buffer takes.
    uint64_t onCables = 2 * DataRate(rate).GetBitRate() / 100 / 8;
    EXPECT_GT(f.Switch()->GetHeadroomBytes(0), onCables * 4210 / 4230);
    EXPECT_LT(f.Switch()->GetHeadroomBytes(0), onCables * 4211 / 4230);
    f.Post(f.Connect(0, 1), FRAMES * MTU);
    f.Run();
    f.ExpectAllSucceeded(1, FRAMES * MTU);
    f.ExpectDrained();
    EXPECT_EQ(PausesSent(f), 0u);
    EXPECT_EQ(TimeStep(f.records.at(0).end),
              4 * cable + OnWire(rate, 8 + 62 + 16 + MTU) // the first frame to the switch
                  + OnWire(rate, FRAMES * SLOT + 16 - 12) // all of them from there
                  + 2 * OnWire(rate, 8 + 66));            // the last ACK
}

INSTANTIATE_TEST_SUITE_P(Rates, LongHaul, testing::Values("400Gbps", "800Gbps"));

// ---------------------------------------------------------------- addresses

TEST(Addresses, OfMoreThan65536PortsAreDistinctAndRouted)
{
    constexpr uint32_t FIRST = 0x0a000001;
    constexpr uint32_t COUNT = 100'000;
    std::set<Mac48Address> macs;
    ForwardingTable table;
    table.Reset(FIRST, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        macs.insert(MakeFabricMac(FIRST + i));
        table.SetRoute(FIRST + i, {i % 64});
    }
    EXPECT_EQ(macs.size(), COUNT);
    for (uint32_t i : {0U, 255U, 65535U, 65536U, 65537U, COUNT - 1})
    {
        ForwardingTable::Ports ports = table.Lookup(FIRST + i);
        ASSERT_EQ(ports.count, 1u);
        EXPECT_EQ(*ports.first, i % 64);
    }
    EXPECT_EQ(table.Lookup(FIRST + COUNT).count, 0u);
}

TEST(Addresses, MayCrossTheBoundaryOf16Bits)
{
    FabricFixture f;
    f.fabric.SetFirstAddress("10.0.255.254");
    f.BuildStar(5, "100Gbps", DELAY);
    EXPECT_EQ(f.Port(4)->GetIpv4Address(), Ipv4Address("10.1.0.2"));
    Incast(f, 4, 100000);
    f.ExpectDrained();
}

} // namespace
