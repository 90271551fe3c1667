// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief PCIe: what a link carries, who is near whom, and when a transfer is through.
 */

#include "fabric-fixture.h"
#include "program-run.h"

#include "ns3/enum.h"
#include "ns3/pcie-presets.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

// Data a second on 16 lanes, in packets of 256 B and 24 B more; 57.88 of 62.96 Gb/s is what a
// link's own packets leave (Neugebauer et al., SIGCOMM 2018).
constexpr double GEN4 = 16 * 16e9 * 128 / 130 * (57.88 / 62.96) * 256 / 280;
constexpr double GEN5 = 2 * GEN4;
constexpr int64_t SWITCH = 110'000;      // ps
constexpr int64_t HOST_BRIDGE = 250'000; // ps

/// @return ps that bytes take at a rate
double
Ps(double bytes, double rate)
{
    return bytes * 8 / rate * 1e12;
}

Ptr<PcieTree>
Tree(const std::string& preset, uint32_t gpus = 8, uint32_t nics = 8)
{
    std::string error;
    Ptr<PcieTree> tree = MakePcieTree(preset, gpus, nics, error);
    EXPECT_EQ(error, "");
    return tree;
}

std::vector<uint32_t>
NearestNics(const PcieTree& tree, uint32_t gpus)
{
    std::vector<uint32_t> nics;
    for (uint32_t g = 0; g < gpus; ++g)
    {
        nics.push_back(tree.GetNearestNic(g));
    }
    return nics;
}

constexpr uint64_t MB = 1'000'000;

} // namespace

// ---------------------------------------------------------------- links

TEST(PcieLinkRate, IsThePublishedOne)
{
    // Neugebauer et al.: 8 lanes of generation 3 are 62.96 Gb/s after line encoding (they cut off
    // what is 63.015), and 57.88 Gb/s for transaction packets. A memory write with a 64-bit address
    // has 24 B of header and framing.
    PcieLink link{3, 8};
    EXPECT_DOUBLE_EQ(link.GetRawRate(), 64e9);
    EXPECT_NEAR(link.GetPacketRate(), 57.88e9, 0.1e9);
    EXPECT_EQ(link.GetPacketOverhead(), 24u);
    EXPECT_NEAR(link.GetDataRate(256), 57.88e9 * 256 / 280, 0.1e9);
}

TEST(PcieLinkRate, OfEachGenerationIsTwiceTheOneBefore)
{
    // GT/s a lane: 2.5, 5, 8, 16, 32, 64; encoding 8b/10b, 8b/10b, then 128b/130b.
    const std::vector<double> raw{2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9};
    for (uint32_t generation = 1; generation <= 6; ++generation)
    {
        EXPECT_DOUBLE_EQ((PcieLink{generation, 16}.GetRawRate()), 16 * raw[generation - 1]);
        EXPECT_EQ((PcieLink{generation, 16}.Check()), "");
    }
    EXPECT_DOUBLE_EQ((PcieLink{4, 16}.GetDataRate(256)), GEN4); // 26.5 GB/s
    EXPECT_DOUBLE_EQ((PcieLink{5, 16}.GetDataRate(256)), GEN5); // 53.0 GB/s
    // Flits: 236 of 256 B are packets, and a packet has 16 B of header and no framing.
    EXPECT_DOUBLE_EQ((PcieLink{6, 16}.GetDataRate(256)), 16 * 64e9 * 236 / 256 * 256 / 272);
}

TEST(PcieLinkRate, KnowsWhatThereIs)
{
    EXPECT_EQ((PcieLink{7, 16}.Check()), "PCIe generation 7; known are 1 to 6");
    EXPECT_EQ((PcieLink{5, 3}.Check()), "a PCIe link of 3 lanes; there are 1, 2, 4, 8, 12, 16, 32");
}

// ---------------------------------------------------------------- who is where

TEST(PcieTreePaths, HaveNvidiasNames)
{
    auto h100 = Tree("dgx-h100-like");
    EXPECT_EQ(ToString(h100->GetPathKind(h100->GetGpu(3), h100->GetNic(3))), "PIX");
    EXPECT_EQ(ToString(h100->GetPathKind(h100->GetGpu(0), h100->GetNic(3))), "PHB");
    EXPECT_EQ(ToString(h100->GetPathKind(h100->GetGpu(0), h100->GetNic(4))), "SYS");
    EXPECT_EQ(ToString(h100->GetPathKind(h100->GetGpu(0), h100->Find("cpu0"))), "PHB");
    EXPECT_EQ(ToString(h100->GetPathKind(h100->GetGpu(0), h100->Find("cpu1"))), "SYS");
    auto a100 = Tree("a100-4-switches");
    EXPECT_EQ(ToString(a100->GetPathKind(a100->GetGpu(0), a100->GetNic(1))), "PIX");
    EXPECT_EQ(ToString(a100->GetPathKind(a100->GetGpu(0), a100->GetNic(2))), "PHB");
    EXPECT_EQ(ToString(a100->GetPathKind(a100->GetGpu(3), a100->GetNic(4))), "SYS");
    auto flat = Tree("flat");
    EXPECT_EQ(ToString(flat->GetPathKind(flat->GetGpu(0), flat->GetNic(0))), "PHB");
    // A switch below a switch.
    auto deep = CreateObject<PcieTree>();
    deep->AddNode("upper", PcieNodeKind::SWITCH);
    deep->AddNode("lower", PcieNodeKind::SWITCH);
    deep->AddNode("gpu0", PcieNodeKind::GPU);
    deep->AddNode("nic0", PcieNodeKind::NIC);
    deep->Connect("upper", "lower", {5, 16});
    deep->Connect("upper", "nic0", {5, 16});
    deep->Connect("lower", "gpu0", {5, 16});
    EXPECT_EQ(ToString(deep->GetPathKind(deep->GetGpu(0), deep->GetNic(0))), "PXB");
}

TEST(PcieTreePaths, AreAsFastAsTheirSlowestLink)
{
    auto tree = CreateObject<PcieTree>();
    tree->AddNode("cpu0", PcieNodeKind::HOST_BRIDGE);
    tree->AddNode("gpu0", PcieNodeKind::GPU);
    tree->AddNode("nic0", PcieNodeKind::NIC);
    tree->Connect("cpu0", "gpu0", {5, 16});
    tree->Connect("cpu0", "nic0", {4, 16});
    EXPECT_EQ(tree->GetPathRate(tree->GetGpu(0), tree->GetNic(0)),
              DataRate(static_cast<uint64_t>(GEN4)));
}

TEST(PcieTreeAffinity, IsTheNearestNic)
{
    const std::vector<uint32_t> own{0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(NearestNics(*Tree("dgx-h100-like"), 8), own);
    EXPECT_EQ(NearestNics(*Tree("a100-4-switches"), 8), own) << "two under a switch take turns";
    EXPECT_EQ(NearestNics(*Tree("flat"), 8), own) << "all are as near";
    const std::vector<uint32_t> pairs{0, 0, 1, 1, 2, 2, 3, 3};
    EXPECT_EQ(NearestNics(*Tree("a100-4-switches", 8, 4), 8), pairs);
    // Four NICs at the even ones of eight switches: the GPUs at the odd ones take turns with those
    // of their socket.
    const std::vector<uint32_t> far{0, 0, 1, 1, 2, 2, 3, 3};
    EXPECT_EQ(NearestNics(*Tree("dgx-h100-like", 8, 4), 8), far);
    EXPECT_EQ(Tree("flat", 2, 0)->GetNearestNic(1), PcieTree::NO_NODE);
}

// ---------------------------------------------------------------- transfers

TEST(PcieTreeTransfer, CutsThroughTheSwitch)
{
    // One link for all bytes, one more for the first packet, and the switch.
    auto tree = Tree("dgx-h100-like");
    int64_t end = tree->Book(tree->GetGpu(0), tree->GetNic(0), MB, 500);
    EXPECT_NEAR(end, 500 + Ps(MB + 256, GEN5) + SWITCH, 2);
    EXPECT_EQ(tree->GetBookedBytes(tree->GetGpu(0), tree->Find("switch0")), MB);
    EXPECT_EQ(tree->GetBookedBytes(tree->Find("switch0"), tree->GetNic(0)), MB);
    EXPECT_EQ(tree->GetBookedBytes(tree->GetNic(0), tree->Find("switch0")), 0u);
    EXPECT_EQ(tree->Book(tree->GetGpu(5), tree->GetGpu(5), MB, 7), 7) << "nowhere to go";
}

TEST(PcieTreeTransfer, ASlowLinkInFrontHoldsTheLastByteUp)
{
    // The last byte leaves the slow link at its end, and needs no more than the bridge behind it.
    auto tree = CreateObject<PcieTree>();
    tree->AddNode("cpu0", PcieNodeKind::HOST_BRIDGE);
    tree->AddNode("gpu0", PcieNodeKind::GPU);
    tree->AddNode("gpu1", PcieNodeKind::GPU);
    tree->Connect("cpu0", "gpu0", {4, 16});
    tree->Connect("cpu0", "gpu1", {5, 16});
    EXPECT_NEAR(tree->Book(tree->GetGpu(0), tree->GetGpu(1), MB, 0), Ps(MB, GEN4) + HOST_BRIDGE, 2);
    // The other way round the slow one is the last, and begins with the first packet.
    EXPECT_NEAR(tree->Book(tree->GetGpu(1), tree->GetGpu(0), MB, 0),
                Ps(256, GEN5) + HOST_BRIDGE + Ps(MB, GEN4),
                2);
}

TEST(PcieTreeTransfer, SharedLinksServeOneAfterTheOther)
{
    // Two GPUs under a switch write to the host: the uplink carries the second one's bytes after
    // the first one's.
    auto tree = Tree("a100-4-switches");
    uint32_t host = tree->Find("cpu0");
    double once = Ps(MB, GEN4);
    EXPECT_NEAR(tree->Book(tree->GetGpu(0), host, MB, 0), once + Ps(256, GEN4) + SWITCH, 2);
    EXPECT_NEAR(tree->Book(tree->GetGpu(1), host, MB, 0), 2 * once + Ps(256, GEN4) + SWITCH, 3);
    // The other way is free, and so is the way to the NICs below the switch.
    EXPECT_NEAR(tree->Book(host, tree->GetGpu(0), MB, 0), once + Ps(256, GEN4) + SWITCH, 2);
    EXPECT_NEAR(tree->Book(tree->GetNic(0), tree->GetGpu(1), MB, 0),
                once + Ps(256, GEN4) + SWITCH,
                2);
}

TEST(PcieTreeTransfer, EachPairUnderItsSwitchMeetsNobody)
{
    auto tree = Tree("dgx-h100-like");
    for (uint32_t g = 0; g < 8; ++g)
    {
        EXPECT_NEAR(tree->Book(tree->GetGpu(g), tree->GetNic(g), MB, 0),
                    Ps(MB + 256, GEN5) + SWITCH,
                    2);
    }
}

TEST(PcieTreeTransfer, AcrossSocketsTheirLinkIsTheBottleneck)
{
    // gpu0 - switch - cpu0 - cpu1 - switch - nic4: two switches, two bridges, a packet on each of
    // the fast links before, 22 GB/s between the sockets. GPU direct must be allowed that far.
    auto tree = Tree("dgx-h100-like");
    tree->SetAttribute("GpuDirectReach", EnumValue(PcieTree::SYS));
    double sockets = 22e9 * 8;
    int64_t latency = 2 * SWITCH + 2 * HOST_BRIDGE;
    EXPECT_NEAR(tree->Book(tree->GetGpu(0), tree->GetNic(4), MB, 0),
                2 * Ps(256, GEN5) + Ps(MB, sockets) + latency,
                4);
    // A second one from the other GPUs of the socket waits for that link only.
    EXPECT_NEAR(tree->Book(tree->GetGpu(1), tree->GetNic(5), MB, 0),
                2 * Ps(256, GEN5) + 2 * Ps(MB, sockets) + latency,
                4);
}

TEST(PcieTreeTransfer, WithoutGpuDirectThereAreTwoPasses)
{
    // gpu0 - switch0 - cpu0, all of it; then cpu0 - switch0 - nic0.
    auto tree = Tree("dgx-h100-like");
    tree->SetAttribute("GpuDirect", BooleanValue(false));
    EXPECT_FALSE(tree->IsGpuDirect(tree->GetGpu(0), tree->GetNic(0)));
    double pass = Ps(MB + 256, GEN5) + SWITCH;
    EXPECT_NEAR(tree->Book(tree->GetGpu(0), tree->GetNic(0), MB, 0), 2 * pass, 4);
    EXPECT_NEAR(tree->Book(tree->GetNic(1), tree->GetGpu(1), MB, 0), 2 * pass, 4);
    uint32_t memory = tree->Find("cpu0");
    EXPECT_EQ(tree->GetBookedBytes(tree->Find("switch0"), memory), MB);
    EXPECT_EQ(tree->GetBookedBytes(memory, tree->Find("switch0")), MB);
}

TEST(PcieTreeTransfer, GpuDirectReachesAsFarAsNcclLetsIt)
{
    // NCCL's default is PXB: over a host bridge it goes by the host's memory. The first pass ends
    // at cpu0; the second one is cpu0 - switch1 - nic1.
    auto tree = Tree("dgx-h100-like");
    EXPECT_TRUE(tree->IsGpuDirect(tree->GetGpu(0), tree->GetNic(0)));
    EXPECT_FALSE(tree->IsGpuDirect(tree->GetGpu(0), tree->GetNic(1)));
    double pass = Ps(MB + 256, GEN5) + SWITCH;
    EXPECT_NEAR(tree->Book(tree->GetGpu(0), tree->GetNic(1), MB, 0), 2 * pass, 4);
    tree->SetAttribute("GpuDirectReach", EnumValue(PcieTree::PHB));
    EXPECT_TRUE(tree->IsGpuDirect(tree->GetGpu(0), tree->GetNic(1)));
    EXPECT_NEAR(tree->Book(tree->GetGpu(2), tree->GetNic(3), MB, 0),
                Ps(MB + 3 * 256, GEN5) + 2 * SWITCH + HOST_BRIDGE,
                4);
}

// ---------------------------------------------------------------- errors

TEST(PcieTreeDeathTest, RefusesWhatIsNoTree)
{
    auto tree = CreateObject<PcieTree>();
    tree->AddNode("cpu0", PcieNodeKind::HOST_BRIDGE);
    tree->AddNode("switch0", PcieNodeKind::SWITCH);
    tree->AddNode("gpu0", PcieNodeKind::GPU);
    tree->Connect("cpu0", "switch0", {5, 16});
    tree->Connect("switch0", "gpu0", {5, 16});
    EXPECT_DEATH(tree->AddNode("gpu0", PcieNodeKind::NIC), "two nodes named gpu0");
    EXPECT_DEATH(tree->Connect("cpu0", "gpu0", {5, 16}), "cpu0 and gpu0 are joined already");
    EXPECT_DEATH(tree->Connect("cpu0", "nic0", {5, 16}), "no node named nic0");
    EXPECT_DEATH(tree->Connect("switch0", "cpu0", {5, 16}), "host bridge, which nothing is above");
    EXPECT_DEATH(tree->ConnectSockets("cpu0", "gpu0"), "gpu0 is not a host bridge");
    tree->AddNode("nic0", PcieNodeKind::NIC);
    EXPECT_DEATH(tree->Connect("cpu0", "nic0", {5, 5}), "cpu0 to nic0: a PCIe link of 5 lanes");
    EXPECT_DEATH(tree->Book(tree->GetGpu(0), tree->GetNic(0), 1, 0), "nothing joins gpu0 and nic0");
}

TEST(PciePresets, AreNamedInTheError)
{
    std::string error;
    EXPECT_EQ(MakePcieTree("dgx", 8, 8, error), nullptr);
    EXPECT_EQ(error, "no PCIe preset \"dgx\"; known are dgx-h100-like a100-4-switches flat");
}

// ---------------------------------------------------------------- a scenario's PCIe

namespace
{

/// @param pcie of the servers @return GB/s at which a broadcast of 256 MiB went by 800 Gb/s
double
BroadcastRate(const std::string& pcie)
{
    test::TemporaryFolder folder;
    folder.Write("s.json",
                 R"({ "topology": { "type": "rail-only", "servers": 2, "gpusPerServer": 1,
                                    "linkRate": "800Gbps" },
                      "network": { "congestionControl": "none" },
                      "gpu": { "model": "h100-sxm", "pcie": ")" +
                     pcie + R"(" },
                      "communication": { "SimpleThreadRate": "10Tbps",
                                         "SimpleNetworkRate": "10Tbps" },
                      "jobs": [ { "workload": { "type": "collective", "op": "broadcast",
                                                "algorithm": "ring", "protocol": "Simple",
                                                "channels": 1, "sizes": "256MiB" } } ] })");
    test::ProgramResult run =
        test::RunProgram("run " + folder.PathOf("s.json") + " --quiet --out " + folder.PathOf("r"));
    EXPECT_EQ(run.status, 0) << run.output;
    std::vector<test::CsvRow> rows = test::ReadCsv(folder.PathOf("r/collectives.csv"));
    return rows.size() == 1 ? std::stod(rows[0].at("algbw_gbytes_per_s")) : 0;
}

} // namespace

TEST(PcieOfAScenario, LimitsWhatTheNicCouldSend)
{
    // 800 Gb/s carry 4096 of 4178 bytes: 98.0 GB/s; 16 lanes of generation 5 53.0. Launch and the
    // first slice take a few percent of it.
    EXPECT_NEAR(BroadcastRate("none"), 98.0, 5);
    EXPECT_NEAR(BroadcastRate("dgx-h100-like"), GEN5 / 8e9, .05 * GEN5 / 8e9);
    EXPECT_LT(BroadcastRate("flat"), GEN5 / 8e9);
}

TEST(PcieOfAScenario, RefusesATreeThatDoesNotExist)
{
    test::TemporaryFolder folder;
    folder.Write("s.json", R"({ "topology": { "type": "rail-only", "servers": 2 },
                               "gpu": { "pcie": "ring" } })");
    test::ProgramResult run = test::RunProgram("run " + folder.PathOf("s.json"));
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.output.find("gpu.pcie: \"ring\""), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("dgx-h100-like"), std::string::npos) << run.output;
}
