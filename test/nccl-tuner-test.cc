// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief NcclTuner against NCCL's published cost model (stepped by hand in data/nccl-tuner.py),
 * against channels and chunks worked out from its rules, and against switch points that were
 * measured.
 */

#include "ns3/nccl-tuner.h"
#include "ns3/string.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint64_t KIB = 1 << 10;
constexpr uint64_t MIB = 1 << 20;
constexpr uint64_t GIB = 1 << 30;

using Operation = CollectiveOperation;

Ptr<NcclTuner>
MakeTuner(const std::string& version, const std::string& environment = "")
{
    auto tuner = CreateObject<NcclTuner>();
    tuner->SetAttribute("Version", StringValue(version));
    tuner->SetAttribute("Environment", StringValue(environment));
    return tuner;
}

CollectiveRequest
MakeRequest(Operation operation, uint64_t bytes, uint32_t typeBytes = 4)
{
    CollectiveRequest request;
    request.operation = operation;
    request.typeBytes = typeBytes;
    request.count = bytes / typeBytes;
    return request;
}

/// Machines and ranks.
struct Cluster
{
    CollectivePlatform platform;
    RankLayout layout;

    CollectivePlan Choose(const Ptr<NcclTuner>& tuner, const CollectiveRequest& request) const
    {
        std::string error;
        CollectivePlan plan = tuner->Choose(request, layout, platform, error);
        EXPECT_EQ(error, "");
        return plan;
    }

    std::string Name(const Ptr<NcclTuner>& tuner, uint64_t bytes) const
    {
        CollectivePlan plan = Choose(tuner, MakeRequest(Operation::ALL_REDUCE, bytes));
        return plan.algorithm + " " + ToString(plan.protocol);
    }
};

Cluster
MakeCluster(uint32_t capability,
            uint32_t nodes,
            uint32_t ofNode,
            uint32_t links,
            uint32_t nics,
            double nicGBps,
            const std::string& cpu = "intel")
{
    Cluster cluster;
    cluster.platform.computeCapability = capability;
    cluster.platform.scaleUpGBps = links * (capability >= 100 ? 50 : 25);
    cluster.platform.scaleUpLinks = links;
    cluster.platform.hasInSwitchReduction = capability >= 90;
    cluster.platform.nicGBps = nicGBps;
    cluster.platform.nicsPerGroup = nics;
    cluster.platform.cpuVendor = cpu;
    cluster.layout = RankLayout::Regular(nodes, ofNode);
    cluster.layout.SetInSwitchReduction(capability >= 90);
    return cluster;
}

const Cluster A100_1X8 = MakeCluster(80, 1, 8, 12, 0, 0, "amd");
const Cluster A100_2X8 = MakeCluster(80, 2, 8, 12, 16, 12.5, "amd");
const Cluster H200_1X8 = MakeCluster(90, 1, 8, 18, 0, 0);
const Cluster H200_2X8 = MakeCluster(90, 2, 8, 18, 8, 50);
const Cluster H200_2X1 = MakeCluster(90, 2, 1, 18, 1, 50);
const Cluster B200_1X8 = MakeCluster(100, 1, 8, 18, 0, 0);
const Cluster B200_2X8 = MakeCluster(100, 2, 8, 18, 8, 50);
const Cluster NVL72 = MakeCluster(100, 1, 72, 18, 0, 0, "arm");

} // namespace

// ------------------------------------------------------------------------------ the cost model

TEST(NcclCostModel, PredictsWhatThePublishedTablePredicts)
{
    std::ifstream in(std::string(AI_FABRIC_SOURCE_DIR) + "/test/data/nccl-tuner.csv");
    std::string line;
    ASSERT_TRUE(std::getline(in, line));
    uint32_t rows = 0;
    std::map<std::string, Ptr<NcclTuner>> tuners;
    while (std::getline(in, line))
    {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream words(line);
        std::string version;
        std::string machine;
        std::string cpu;
        std::string operation;
        std::string algorithm;
        std::string protocol;
        uint32_t capability = 0;
        uint32_t nodes = 0;
        uint32_t ofNode = 0;
        uint32_t links = 0;
        uint32_t nics = 0;
        double nic = 0;
        uint64_t bytes = 0;
        double time = 0;
        words >> version >> machine >> capability >> nodes >> ofNode >> cpu >> links >> nics >>
            nic >> operation >> algorithm >> protocol >> bytes >> time;
        ASSERT_TRUE(words) << line;
        Cluster cluster = MakeCluster(capability, nodes, ofNode, links, nics, nic, cpu);
        Ptr<NcclTuner>& tuner = tuners[version];
        tuner = tuner ? tuner : MakeTuner(version);
        CollectiveRequest request = MakeRequest(Operation::ALL_REDUCE, bytes);
        ASSERT_TRUE(ParseCollectiveOperation(operation, request.operation)) << line;
        bool found = false;
        for (const auto& candidate : tuner->Compare(request, cluster.layout, cluster.platform))
        {
            if (ToString(candidate.algorithm) == algorithm &&
                ToString(candidate.protocol) == protocol)
            {
                found = true;
                EXPECT_NEAR(candidate.timeUs / time, 1, 1e-6) << line;
            }
        }
        EXPECT_TRUE(found) << line;
        rows++;
    }
    EXPECT_EQ(rows, 3101);
}

// The floor that nccl-model.md gives: best algorithm, no data. 15.0 us is a ring by LL: 6.6 + 14 x
// 0.6; 25.2 is a tree by LL: 6.8 + 2 x (7 x 0.6 + 5).
TEST(NcclCostModel, HasThePublishedFloors)
{
    auto tuner = MakeTuner("2.30.7");
    auto floorOf = [&](const Cluster& cluster, Operation operation) {
        return cluster.Choose(tuner, MakeRequest(operation, 8)).predictedUs;
    };
    EXPECT_NEAR(floorOf(H200_1X8, Operation::ALL_REDUCE), 15.0, .05);
    EXPECT_NEAR(floorOf(B200_1X8, Operation::ALL_REDUCE), 15.0, .05);
    EXPECT_NEAR(floorOf(B200_1X8, Operation::ALL_GATHER), 10.8, .05);
    EXPECT_NEAR(floorOf(B200_2X8, Operation::ALL_REDUCE), 25.2, .05);
    EXPECT_NEAR(floorOf(H200_2X8, Operation::ALL_GATHER), 23.3, .05);
}

// -------------------------------------------------------------------------------- the channels

struct ExpectedGraphs
{
    const Cluster* cluster;
    const char* version;
    NcclGraph ring;
    NcclGraph tree;
    NcclGraph nvls;
    uint32_t ringChannels;
    uint32_t nvlsChannels;
};

// Sums of links, by the rules in nccl-graph.h. 24 channels on 8 A100 and on 8 H100, with 16 of
// NVLS, are also what NCCL's logs say of those machines ("24 coll channels, 16 nvls channels").
TEST(NcclGraphs, AreWhatTheLinksCarry)
{
    const std::vector<ExpectedGraphs> all{
        // 240 = 6 x 40; 2 x 6 of 20. NVLS needs Hopper.
        {&A100_1X8, "2.21.5", {12, 20, 20}, {12, 20, 20}, {}, 24, 0},
        // 16 ports of 12.5: 16 of 12. Trees: 16 x (7 x 15 + 6) / 8 = 222 <= 240, 18: 264.
        {&A100_2X8, "2.18.6", {16, 12, 12}, {16, 15, 12}, {}, 32, 0},
        // 360 = 6 x 60, doubled at the end; 9 x 40 = 360 for NVLS.
        {&H200_1X8, "2.18.6", {12, 30, 30}, {12, 30, 30}, {8, 40, 40}, 24, 16},
        // 370.8: 6 x 60; NVLS may raise the speed that does not matter in one node to 60.
        {&H200_1X8, "2.20.5", {12, 30, 30}, {12, 30, 30}, {8, 40, 60}, 24, 16},
        // 8 x 45 = 360 <= 370.8 < 8 x 48. Not above 45, so not doubled: 16.
        {&H200_2X8, "2.26.2", {8, 45, 45}, {8, 48, 48}, {8, 40, 48}, 16, 16},
        // One NIC: 1 x 48, doubled; trees have no step in the node.
        {&H200_2X1, "2.26.2", {2, 24, 24}, {2, 48, 24}, {}, 4, 0},
        // 720: 8 x 90, doubled; trees in one order: 16 x 40, there is no 45 yet.
        {&B200_1X8, "2.26.2", {16, 45, 45}, {16, 40, 40}, {8, 80, 90}, 32, 32},
        {&B200_1X8, "2.30.7", {16, 45, 45}, {16, 45, 45}, {8, 80, 90}, 32, 24},
        // NICs: 8 x 48. NVLS: 9 x 48 = 432 <= 720.
        {&B200_2X8, "2.26.2", {8, 48, 48}, {8, 48, 48}, {8, 48, 48}, 16, 32},
        // 32 heads of 72: 33 x 20 = 660 <= 720.
        {&NVL72, "2.26.2", {16, 45, 45}, {16, 40, 40}, {32, 20, 40}, 32, 32},
    };
    for (const ExpectedGraphs& expected : all)
    {
        NcclGraphs found = MakeTuner(expected.version)
                               ->FindGraphs(expected.cluster->layout, expected.cluster->platform);
        auto expectSame = [&](const NcclGraph& a, const NcclGraph& b, const char* what) {
            auto place = std::to_string(&expected - all.data()) + " " + what;
            EXPECT_EQ(a.channels, b.channels) << place;
            EXPECT_NEAR(a.intraGBps, b.intraGBps, 1e-9) << place;
            EXPECT_NEAR(a.interGBps, b.interGBps, 1e-9) << place;
        };
        expectSame(found.ring, expected.ring, "ring");
        expectSame(found.tree, expected.tree, "tree");
        expectSame(found.nvls, expected.nvls, "NVLS");
        EXPECT_EQ(found.ringChannels, expected.ringChannels) << &expected - all.data();
        EXPECT_EQ(found.nvlsChannels, expected.nvlsChannels) << &expected - all.data();
    }
}

TEST(NcclGraphs, ObeyTheUser)
{
    auto channels = [](const std::string& environment) {
        return MakeTuner("2.26.2", environment)->FindGraphs(H200_1X8.layout, H200_1X8.platform);
    };
    EXPECT_EQ(channels("NCCL_MAX_NCHANNELS=8").ringChannels, 8);
    EXPECT_EQ(channels("NCCL_MIN_NCHANNELS=28").ringChannels, 28);
    EXPECT_EQ(channels("NCCL_MAX_CTAS=4").nvlsChannels, 4);
    EXPECT_EQ(channels("NCCL_NVLS_ENABLE=0").nvlsChannels, 0);
    EXPECT_EQ(channels("NCCL_NVLS_NCHANNELS=20").nvlsChannels, 20);
}

// ---------------------------------------------------------------------------- the switch points

// Measured (a100_oci_2n16g_allreduce_roce.csv): 156 GB/s at 512 MiB, 219 GB/s at 1 GiB. Trees by
// LL128 take 14 + 2 x (7 x 1.25 + 8.5) = 48.5 us and give 16 x 15 x .92 x 120 / 128 / 2 = 103.5
// GB/s; by Simple, in 2.19 to 2.22, 2 x (7 x 28 + 28) = 448 us and 16 x 15 x .92 / 2 = 110.4 GB/s:
// they meet at 399.5 us / (1 / 103.5 - 1 / 110.4) = 661.6 MB. Below 512 MiB trees by Simple get
// 9/10.
TEST(NcclTuner, GoesFromLl128ToSimpleBetween512MebibytesAnd1Gibibyte)
{
    for (const char* version : {"2.19.4", "2.20.5", "2.21.5", "2.22.3"})
    {
        auto tuner = MakeTuner(version);
        EXPECT_EQ(A100_2X8.Name(tuner, 256 * MIB), "tree LL128") << version;
        EXPECT_EQ(A100_2X8.Name(tuner, 512 * MIB), "tree LL128") << version;
        EXPECT_EQ(A100_2X8.Name(tuner, 661000000), "tree LL128") << version;
        EXPECT_EQ(A100_2X8.Name(tuner, 662000000), "tree Simple") << version;
        EXPECT_EQ(A100_2X8.Name(tuner, GIB), "tree Simple") << version;
        EXPECT_EQ(A100_2X8.Name(tuner, 8 * GIB), "tree Simple") << version;
    }
}

// Without LL128: a ring takes 1.4 x (8.4 + 26 x 6 + 4 x 14) = 308.6 us and gives 16 x 12 x 16 / 30
// = 102.4 GB/s; a tree takes 448 us and gives 99.4 up to where its correction ends, at 2^29 bytes,
// then 110.4: 5552 and 5851 us before, 5551 and 5311 us after.
TEST(NcclTuner, GoesFromRingToTreeWhereTheCorrectionEnds)
{
    auto tuner = MakeTuner("2.21.5", "NCCL_PROTO=^LL128");
    EXPECT_EQ(A100_2X8.Name(tuner, 128 * MIB), "ring Simple");
    EXPECT_EQ(A100_2X8.Name(tuner, 512 * MIB - 64), "ring Simple");
    EXPECT_EQ(A100_2X8.Name(tuner, 512 * MIB), "tree Simple");
}

// Ring by LL takes 15 us and S / 80.6 GB/s (141 x 8 / 14), NVLS 25 us and S / 266.7 GB/s (8 x 40 x
// 5 / 6): they meet at 10 us / (1 / 80.57 - 1 / 266.7) = 1.155 MB.
TEST(NcclTuner, GoesFromRingToNvlsBetweenOneAndTwoMebibytes)
{
    for (const char* version : {"2.21.5", "2.23.4", "2.26.2"})
    {
        auto tuner = MakeTuner(version);
        EXPECT_EQ(H200_1X8.Name(tuner, MIB), "ring LL") << version;
        EXPECT_EQ(H200_1X8.Name(tuner, 1150000), "ring LL") << version;
        EXPECT_EQ(H200_1X8.Name(tuner, 1160000), "nvls Simple") << version;
        EXPECT_EQ(H200_1X8.Name(tuner, 2 * MIB), "nvls Simple") << version;
        EXPECT_EQ(H200_1X8.Name(tuner, 8 * GIB), "nvls Simple") << version;
    }
    // 2.20: LL gives 87.7 x 8 / 14 = 50.1 GB/s, NVLS takes 23 us: 8 us / (1 / 50.1 - 1 / 266.7)
    // = 493 kB.
    auto tuner = MakeTuner("2.20.5");
    EXPECT_EQ(H200_1X8.Name(tuner, 490000), "ring LL");
    EXPECT_EQ(H200_1X8.Name(tuner, 497000), "nvls Simple");
}

TEST(NcclTuner, NamesAllCandidatesBestFirst)
{
    CollectivePlan plan =
        H200_1X8.Choose(MakeTuner("2.26.2"), MakeRequest(Operation::ALL_REDUCE, 8));
    EXPECT_EQ(plan.why,
              "ring LL 15.0 us; tree LL 15.2; nvls Simple 25.0; tree LL128 31.5; ring LL128 40.6; "
              "ring Simple 56.0; tree Simple 64.4");
}

TEST(NcclTuner, UsesPatWhereEachNodeHasOneGpu)
{
    Cluster cluster = MakeCluster(90, 16, 1, 18, 1, 50);
    auto chosen = [&](const std::string& version, const std::string& environment) {
        auto tuner = MakeTuner(version, "NCCL_PROTO=Simple " + environment);
        return cluster.Choose(tuner, MakeRequest(Operation::ALL_GATHER, 64 * KIB)).algorithm;
    };
    EXPECT_EQ(chosen("2.26.2", ""), "pat");
    EXPECT_EQ(chosen("2.26.2", "NCCL_PAT_ENABLE=0"), "ring");
    EXPECT_EQ(chosen("2.21.5", ""), "ring");
}

// Until 2.27 connectRings() copies channels until there are as many as NVLS has; 2.28 does not.
TEST(NcclTuner, RingsHaveAsManyChannelsAsNvlsUntil227)
{
    auto channels = [](const std::string& version) {
        return B200_2X8
            .Choose(MakeTuner(version, "NCCL_ALGO=ring NCCL_PROTO=Simple"),
                    MakeRequest(Operation::ALL_GATHER, GIB))
            .channels;
    };
    EXPECT_EQ(channels("2.26.2"), 32);
    EXPECT_EQ(channels("2.27.7"), 32);
    EXPECT_EQ(channels("2.28.3"), 16);
    EXPECT_EQ(channels("2.30.7"), 16);
}

// ------------------------------------------------------------------------------------ the chunks

// With c channels and 8 heads chunks grow to 32 KiB at 2 x 8 c x 32 KiB, to 64 at 8 x 8 c x 64, to
// 128 at 64 x 8 c x 128.
TEST(NcclChunks, OfNvlsGrowWithTheSize)
{
    struct Case
    {
        const Cluster& cluster;
        const char* version;
        std::array<uint64_t, 3> from; ///< where chunks of 32, 64 and 128 KiB begin
        uint32_t channels;
    };

    const std::vector<Case> all{
        {H200_1X8, "2.20.5", {8 * MIB, 64 * MIB, GIB}, 16},
        {B200_1X8, "2.27.7", {12 * MIB, 96 * MIB, 1536 * MIB}, 24},
        {B200_1X8, "2.30.7", {12 * MIB, 96 * MIB, 1536 * MIB}, 24},
        {B200_1X8, "2.26.2", {16 * MIB, 128 * MIB, 2 * GIB}, 32},
    };
    for (const Case& one : all)
    {
        auto tuner = MakeTuner(one.version, "NCCL_ALGO=nvls");
        auto chunk = [&](uint64_t bytes) {
            CollectivePlan plan =
                one.cluster.Choose(tuner, MakeRequest(Operation::ALL_REDUCE, bytes));
            EXPECT_EQ(plan.channels, one.channels) << one.version;
            EXPECT_EQ(plan.window, 8);
            return plan.chunkBytes;
        };
        for (uint32_t i = 0; i < 3; i++)
        {
            EXPECT_EQ(chunk(one.from[i]), (32 * KIB) << i) << one.version;
            EXPECT_EQ(chunk(one.from[i] - MIB), (16 * KIB) << i) << one.version;
        }
    }
}

TEST(NcclChunks, OfRingsAreTheStepsOfTheBuffer)
{
    auto plan = [](const std::string& environment, Operation operation, uint64_t bytes) {
        return H200_2X8.Choose(MakeTuner("2.26.2", "NCCL_ALGO=ring " + environment),
                               MakeRequest(operation, bytes));
    };
    // 4 of 8 steps of 512 KiB are a chunk, 2 a slice.
    CollectivePlan simple = plan("NCCL_PROTO=Simple", Operation::ALL_REDUCE, GIB);
    EXPECT_EQ(simple.chunkBytes, 2 * MIB);
    EXPECT_EQ(simple.sliceBytes, MIB);
    EXPECT_EQ(simple.window, 4);
    EXPECT_EQ(simple.channels, 16);
    // A step each: 64 KiB with flags, 600 KiB of lines of 128 B.
    CollectivePlan ll = plan("NCCL_PROTO=LL", Operation::ALL_REDUCE, GIB);
    EXPECT_EQ(ll.chunkBytes, 32 * KIB);
    EXPECT_EQ(ll.sliceBytes, 32 * KIB);
    EXPECT_EQ(ll.window, 8);
    EXPECT_EQ(plan("NCCL_PROTO=LL128", Operation::ALL_REDUCE, GIB).chunkBytes, 576000);
    EXPECT_EQ(plan("NCCL_PROTO=Simple", Operation::BROADCAST, GIB).chunkBytes, 512 * KIB);
    EXPECT_EQ(plan("NCCL_PROTO=Simple", Operation::BROADCAST, GIB).window, 8);
    EXPECT_EQ(
        plan("NCCL_PROTO=Simple NCCL_BUFFSIZE=8388608", Operation::ALL_REDUCE, GIB).chunkBytes,
        4 * MIB);
}

// A thread is to have 8 x ranks bytes (LL in a ring) or 64 (Simple); 512 threads. And a channel at
// least 16 KiB of traffic: bytes times 2, 8 with LL.
TEST(NcclChunks, SmallSizesUseFewChannels)
{
    auto channels = [](const std::string& environment, uint64_t bytes) {
        return H200_1X8
            .Choose(MakeTuner("2.26.2", "NCCL_ALGO=ring " + environment),
                    MakeRequest(Operation::ALL_REDUCE, bytes))
            .channels;
    };
    EXPECT_EQ(channels("NCCL_PROTO=LL", 8), 1);
    EXPECT_EQ(channels("NCCL_PROTO=LL", 32 * KIB), 1);       // 512 x 64 B
    EXPECT_EQ(channels("NCCL_PROTO=LL", 64 * KIB), 2);       // 2 x 512 x 64 B
    EXPECT_EQ(channels("NCCL_PROTO=LL", 24 * 32 * KIB), 24); // all
    EXPECT_EQ(channels("NCCL_PROTO=Simple", 64 * KIB), 2);   // 2 x 512 x 64 B
    // Fewer threads, more channels: 4 x 128 x 64 B; then cells of 8 KiB: 4.
    EXPECT_EQ(channels("NCCL_PROTO=Simple NCCL_NTHREADS=128", 32 * KIB), 4);
    EXPECT_EQ(channels("NCCL_PROTO=Simple NCCL_NTHREADS=64", 32 * KIB), 4);
    // 24 channels of 20 MB in cells of 8 KiB: 2560 cells, 107 each, 24 channels.
    EXPECT_EQ(channels("NCCL_PROTO=Simple", 20 * MIB), 24);
}

TEST(NcclChunks, OfTreesByLl128FollowTheDepth)
{
    // 2 nodes of 8: 1 + 1 + .8 = 2.8 steps; halved while a channel has fewer than 2.8 x 64 / 8 =
    // 22.4 chunks, down to 128 KiB, then fewer than 5.6, down to 32 KiB; a multiple of 1920 B.
    auto plan = [](uint64_t bytes) {
        return H200_2X8.Choose(MakeTuner("2.26.2", "NCCL_ALGO=tree NCCL_PROTO=LL128"),
                               MakeRequest(Operation::ALL_REDUCE, bytes));
    };
    EXPECT_EQ(plan(GIB).chunkBytes, 576000);       // 64 MiB a channel: 116
    EXPECT_EQ(plan(128 * MIB).chunkBytes, 288000); // 8 MiB: 14 of 576000, 29 of 288000
    EXPECT_EQ(plan(16 * MIB).chunkBytes, 71040);   // 1 MiB: 14 of 72000, not below 128 KiB
}

// ------------------------------------------------------------------------------ send and receive

TEST(NcclPointToPoint, DividesTransfersAsNcclDoes)
{
    // One node: 24 channels, 32 for sends and receives; 36 by links, so 32 at most for a peer.
    // Parts of 64 KiB to 16 MiB; LL up to 32 x 16 KiB.
    CollectivePlan big =
        H200_1X8.Choose(MakeTuner("2.26.2"), MakeRequest(Operation::ALL_TO_ALL, 8 * GIB));
    EXPECT_EQ(big.algorithm, "direct");
    EXPECT_EQ(big.protocol, CollectiveProtocol::SIMPLE);
    EXPECT_EQ(big.workChannels, 32);
    EXPECT_EQ(big.channels, 32);
    EXPECT_EQ(big.chunkBytes, 512 * KIB);
    EXPECT_EQ(big.sliceBytes, 512 * KIB);
    CollectivePlan small =
        H200_1X8.Choose(MakeTuner("2.26.2"), MakeRequest(Operation::ALL_TO_ALL, 4 * MIB));
    EXPECT_EQ(small.protocol, CollectiveProtocol::LL); // 512 KiB a peer
    EXPECT_EQ(small.sliceBytes, 32 * KIB);
    EXPECT_EQ(
        H200_1X8.Choose(MakeTuner("2.26.2"), MakeRequest(Operation::ALL_TO_ALL, 5 * MIB)).protocol,
        CollectiveProtocol::SIMPLE);

    // Two nodes: 2 channels to a peer, steps of 128 KiB, a quarter below one and half below 8.
    auto between = [](uint64_t ofPeer, const std::string& environment = "") {
        return H200_2X8.Choose(MakeTuner("2.26.2", environment),
                               MakeRequest(Operation::ALL_TO_ALL, 16 * ofPeer));
    };
    EXPECT_EQ(between(64 * MIB).channels, 2);
    EXPECT_EQ(between(64 * MIB).sliceBytes, 128 * KIB);
    EXPECT_EQ(between(512 * KIB).sliceBytes, 64 * KIB);
    EXPECT_EQ(between(64 * KIB).sliceBytes, 32 * KIB);
    EXPECT_EQ(between(32 * KIB).protocol, CollectiveProtocol::LL); // 2 x 16 KiB
    EXPECT_EQ(between(33 * KIB).protocol, CollectiveProtocol::SIMPLE);
    EXPECT_EQ(between(32 * KIB, "NCCL_P2P_LL_THRESHOLD=0").protocol, CollectiveProtocol::SIMPLE);
    EXPECT_EQ(between(64 * MIB, "NCCL_P2P_NET_CHUNKSIZE=262144").sliceBytes, 256 * KIB);
    EXPECT_EQ(between(64 * MIB, "NCCL_NCHANNELS_PER_NET_PEER=4").channels, 4);
}

TEST(NcclPointToPoint, ServesWhatNcclHasNoCollectiveFor)
{
    auto tuner = MakeTuner("2.26.2");
    for (Operation operation : {Operation::GATHER, Operation::SCATTER, Operation::SEND_RECEIVE})
    {
        EXPECT_EQ(H200_2X8.Choose(tuner, MakeRequest(operation, MIB)).algorithm, "direct");
    }
    CollectiveRequest matrix =
        MakeTransfers(Operation::ALL_TO_ALL_V, {{0, 1, 9}, {2, 3, 0}}, 16, 4);
    EXPECT_EQ(H200_2X8.Choose(tuner, matrix).protocol, CollectiveProtocol::LL);
    EXPECT_EQ(H200_2X8.Choose(tuner, MakeBarrier()).algorithm, "tree");
}

// -------------------------------------------------------------------------- degenerate requests

TEST(NcclTuner, ServesOneRankNoDataAndOddNumbers)
{
    Cluster one = MakeCluster(90, 1, 1, 18, 1, 50);
    EXPECT_EQ(one.Choose(MakeTuner("2.26.2"), MakeRequest(Operation::ALL_REDUCE, MIB)).channels, 1);
    for (const char* version : {"2.18.6", "2.20.5", "2.22.3", "2.30.7"})
    {
        for (uint32_t ranks : {1, 2, 3, 5, 7, 13})
        {
            for (uint64_t bytes : {uint64_t{0}, uint64_t{4}, 100 * KIB, 3 * GIB})
            {
                for (const char* name : {"all-reduce",
                                         "all-gather",
                                         "reduce-scatter",
                                         "reduce",
                                         "broadcast",
                                         "all-to-all",
                                         "gather",
                                         "barrier"})
                {
                    Cluster cluster = MakeCluster(90, ranks % 2 + 1, ranks, 18, 1, 50);
                    CollectiveRequest request = MakeRequest(Operation::ALL_REDUCE, bytes);
                    ASSERT_TRUE(ParseCollectiveOperation(name, request.operation));
                    CollectivePlan plan = cluster.Choose(MakeTuner(version), request);
                    EXPECT_GE(plan.channels, 1) << name;
                    EXPECT_GE(plan.chunkBytes, 16) << name;
                    EXPECT_GE(plan.sliceBytes, 16) << name;
                    EXPECT_GE(plan.window, 1) << name;
                }
            }
        }
    }
}

// ------------------------------------------------------------------------------- the environment

TEST(NcclEnvironment, ReadsListsOfNames)
{
    NcclEnvironment all;
    EXPECT_EQ(all.Set("NCCL_ALGO", "Ring;allreduce:^NVLS,ring"), "");
    EXPECT_TRUE(all.Allows(Operation::BROADCAST, NcclAlgorithm::RING));
    EXPECT_FALSE(all.Allows(Operation::ALL_GATHER, NcclAlgorithm::PAT));
    EXPECT_TRUE(all.Allows(Operation::ALL_REDUCE, NcclAlgorithm::TREE));
    EXPECT_FALSE(all.Allows(Operation::ALL_REDUCE, NcclAlgorithm::RING));
    EXPECT_FALSE(all.Allows(Operation::ALL_REDUCE, NcclAlgorithm::NVLS));
    EXPECT_EQ(all.Set("NCCL_PROTO", "allreduce:ll128"), "");
    EXPECT_EQ(all.Allows(Operation::ALL_REDUCE, CollectiveProtocol::LL128), true);
    EXPECT_EQ(all.Allows(Operation::ALL_REDUCE, CollectiveProtocol::LL), false);
    EXPECT_EQ(all.Allows(Operation::REDUCE, CollectiveProtocol::LL), std::nullopt);
    EXPECT_EQ(all.Set("NCCL_ALGO", "^collnetdirect"), "");
}

TEST(NcclEnvironment, ReadsThreadThresholds)
{
    NcclEnvironment environment;
    EXPECT_EQ(environment.SetAll("NCCL_THREAD_THRESHOLDS=1,2,-1,16"), "");
    EXPECT_EQ(environment.GetThreadThreshold(NcclAlgorithm::TREE, CollectiveProtocol::LL), 1);
    EXPECT_EQ(environment.GetThreadThreshold(NcclAlgorithm::TREE, CollectiveProtocol::SIMPLE),
              std::nullopt);
    EXPECT_EQ(environment.GetThreadThreshold(NcclAlgorithm::RING, CollectiveProtocol::LL), 16);
    EXPECT_EQ(environment.GetThreadThreshold(NcclAlgorithm::RING, CollectiveProtocol::SIMPLE),
              std::nullopt);
    // A ring by LL with 16 B a thread, not 64: 4 channels of 512 threads for 32 KiB.
    EXPECT_EQ(H200_1X8
                  .Choose(MakeTuner("2.26.2",
                                    "NCCL_ALGO=ring NCCL_PROTO=LL "
                                    "NCCL_THREAD_THRESHOLDS=-1,-1,-1,16"),
                          MakeRequest(Operation::ALL_REDUCE, 32 * KIB))
                  .channels,
              4);
}

TEST(NcclEnvironment, RefusesWhatItDoesNotKnow)
{
    NcclEnvironment environment;
    auto refused = [&](const char* name, const char* value, const char* part) {
        std::string error = environment.Set(name, value);
        EXPECT_NE(error.find(part), std::string::npos) << error;
    };
    refused("NCCL_ALGOS", "ring", "the nearest one that has is NCCL_ALGO");
    refused("NCCL_IB_QPS_PER_CONECTION", "4", "NCCL_IB_QPS_PER_CONNECTION");
    refused("PATH", "/bin", "PATH is not a variable of NCCL");
    refused("NCCL_DEBUG", "INFO", "has an effect here");
    refused("NCCL_ALGO", "rnig", "\"rnig\" is not known");
    refused("NCCL_ALGO", "ring;tree", "all entries but the first need a function");
    refused("NCCL_ALGO", "alreduce:ring", "is not a function");
    refused("NCCL_ALGO", "collnetchain", "SHARP");
    refused("NCCL_ALGO", "", "nothing");
    refused("NCCL_IB_TIMEOUT", "32", "from 0 to 31");
    refused("NCCL_BUFFSIZE", "4M", "not a whole number");
    refused("NCCL_THREAD_THRESHOLDS", "1 2 x", "6 whole numbers");
    EXPECT_TRUE(environment.GetSettings().empty());
    EXPECT_NE(environment.SetAll("NCCL_ALGO"), "");
}

TEST(NcclEnvironment, SaysWhatConcernsConnections)
{
    NcclEnvironment environment;
    EXPECT_EQ(environment.SetAll("NCCL_IB_QPS_PER_CONNECTION=4 NCCL_IB_SPLIT_DATA_ON_QPS=1 "
                                 "NCCL_IB_TIMEOUT=22 NCCL_IB_RETRY_CNT=7 NCCL_IB_TC=106 "
                                 "NCCL_IB_ADAPTIVE_ROUTING=1 NCCL_IB_AR_THRESHOLD=4096 "
                                 "NCCL_PXN_DISABLE=1 NCCL_CROSS_NIC=1"),
              "");
    NcclTransportSettings settings = environment.GetTransport();
    EXPECT_EQ(settings.adaptiveRouting, true);
    EXPECT_EQ(settings.adaptiveRoutingThreshold, 4096U);
    EXPECT_EQ(settings.queuePairsPerConnection, 4);
    EXPECT_EQ(settings.splitData, true);
    EXPECT_EQ(settings.ackTimeoutPs, int64_t{17179869184} * 1000); // 4.096 us x 2^22 = 17.18 s
    EXPECT_EQ(settings.retries, 7);
    EXPECT_EQ(settings.trafficClass, 106);
    EXPECT_EQ(settings.pxn, false);
    EXPECT_EQ(settings.crossNic, true);
    EXPECT_FALSE(NcclEnvironment().GetTransport().pxn.has_value());
}

TEST(NcclTuner, SaysThatAChoiceCannotServe)
{
    auto errorOf = [](const Cluster& cluster, const std::string& environment, Operation operation) {
        std::string error;
        MakeTuner("2.26.2", environment)
            ->Choose(MakeRequest(operation, MIB), cluster.layout, cluster.platform, error);
        return error;
    };
    EXPECT_EQ(
        errorOf(H200_1X8, "NCCL_ALGO=tree", Operation::ALL_GATHER),
        "NCCL 2.26.2 has no algorithm left for all-gather on these GPUs; NCCL_ALGO is \"tree\"");
    EXPECT_NE(errorOf(A100_1X8, "NCCL_ALGO=nvls", Operation::ALL_REDUCE), "");
    EXPECT_NE(errorOf(H200_1X8, "NCCL_ALGO=nvls NCCL_PROTO=LL", Operation::ALL_REDUCE), "");
    EXPECT_EQ(errorOf(H200_1X8, "NCCL_ALGO=nvls", Operation::ALL_REDUCE), "");
    EXPECT_EQ(errorOf(H200_1X8, "NCCL_ALGO=tree;allgather:ring", Operation::ALL_GATHER), "");
}

TEST(NcclTuner, EnablesLl128OnlyWhereStoresArriveWhole)
{
    auto has = [](const Cluster& cluster, const std::string& environment) {
        auto tuner = MakeTuner("2.26.2", environment);
        CollectiveRequest request = MakeRequest(Operation::ALL_REDUCE, MIB);
        for (const auto& one : tuner->Compare(request, cluster.layout, cluster.platform))
        {
            if (one.protocol == CollectiveProtocol::LL128)
            {
                return true;
            }
        }
        return false;
    };
    EXPECT_TRUE(has(H200_2X8, ""));
    EXPECT_TRUE(has(A100_2X8, ""));
    EXPECT_FALSE(has(H200_2X8, "NCCL_PXN_DISABLE=1"));
    EXPECT_TRUE(has(H200_2X8, "NCCL_PXN_DISABLE=1 NCCL_PROTO=LL128")); // as the user wants
    EXPECT_FALSE(has(H200_2X8, "NCCL_PROTO=^LL128"));
    Cluster pcie = MakeCluster(80, 1, 4, 0, 0, 0);
    pcie.platform.pcieGBps = 24;
    EXPECT_FALSE(has(pcie, ""));
}

TEST(NcclVersion, IsKnownFrom218On)
{
    uint32_t version = 0;
    EXPECT_EQ(ParseNcclVersion("2.26.2", version), "");
    EXPECT_EQ(version, 22602);
    EXPECT_EQ(ParseNcclVersion("2.18", version), "");
    EXPECT_EQ(GetNcclConstants(version).since, 21800);
    EXPECT_EQ(ParseNcclVersion("2.31.1", version), "");
    EXPECT_EQ(GetNcclConstants(version).since, 23000);
    for (const char* wrong : {"2.17.1", "2", "", "2.26.2-1", "x", "3.0.0"})
    {
        EXPECT_NE(ParseNcclVersion(wrong, version), "") << wrong;
    }
}
