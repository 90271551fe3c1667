// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The time of every collective algorithm for large sizes against its closed form: bytes of
 * the rank that sends or receives most over the rate of its port, on a star that nobody else uses.
 */

#include "fabric-fixture.h"

#include "ns3/collective-algorithms.h"
#include "ns3/collective-executor.h"
#include "ns3/gpu-cluster-helper.h"
#include "ns3/rail-optimized-topology.h"

#include <algorithm>

using namespace ns3;

namespace
{

using Operation = CollectiveOperation;

constexpr uint32_t RANKS = 8;
constexpr uint64_t MIB = 1 << 20;
constexpr uint64_t SIZE = 64 * MIB;
constexpr uint64_t MESSAGE = 128 * 1024;

/// One communicator; kernels, proxies and steps cost nothing, so that links and memory are all.
class FreeCluster
{
  public:
    DataRate switchRate{100'000'000'000'000}; ///< of the 20 warps of a block, with NVLS

    /// Ranks at a switch, one NIC of 400 Gb/s each.
    void BuildStar()
    {
        fixture.BuildStar(RANKS, "400Gbps", NanoSeconds(500));
        Join();
    }

    /// One server of 8 GPUs at a scale-up switch.
    void BuildServer()
    {
        BuildServers(1, RANKS);
    }

    /// Servers with GPUs at a scale-up switch each, and a NIC of 400 Gb/s for each GPU.
    void BuildServers(uint32_t servers, uint32_t gpus)
    {
        RailOptimizedParameters parameters;
        parameters.servers = servers;
        parameters.gpusPerServer = gpus;
        fixture.Build(MakeRailOptimized(parameters.Resolved()));
        Join();
    }

    /// @return what a collective took
    Time Run(const std::string& name, Operation operation)
    {
        Ptr<CollectiveAlgorithm> algorithm = MakeCollectiveAlgorithm(name);
        algorithm->SetAttribute("Channels", UintegerValue(2));
        algorithm->SetAttribute("ChunkSize", UintegerValue(2 * MIB));
        algorithm->SetAttribute("SliceSize", UintegerValue(MESSAGE));
        algorithm->SetAttribute("Window", UintegerValue(2 * MIB / MESSAGE + 1));
        CollectiveRequest request;
        request.operation = operation;
        request.count = SIZE / request.typeBytes;
        Time took;
        executor->Launch(request, algorithm, [&](const CollectiveRecord& record) {
            EXPECT_EQ(record.error, "");
            took = record.end - record.start;
        });
        Simulator::Run();
        EXPECT_EQ(executor->GetOutstanding(), 0u);
        EXPECT_EQ(fixture.Drops(), 0u);
        return took;
    }

  private:
    void Join()
    {
        GpuCluster cluster = helper.Install(fixture.network);
        kept = cluster;
        communicator = CreateObject<Communicator>();
        communicator->SetRanks("world", cluster.gpus);
        auto costs = CreateObject<CollectiveCosts>();
        for (const char* name : {"LaunchLatency",
                                 "SimpleLaunch",
                                 "SwitchLaunch",
                                 "SwitchNetworkLaunch",
                                 "ProxyPost",
                                 "SimpleStep",
                                 "SimpleNetworkStep",
                                 "ReductionStep",
                                 "MulticastStep",
                                 "SlotReturn"})
        {
            costs->SetAttribute(name, TimeValue(Time(0)));
        }
        for (const char* name : {"SimpleThreadRate", "SimpleNetworkRate", "LocalThreadRate"})
        {
            costs->SetAttribute(name, DataRateValue(DataRate(100'000'000'000'000)));
        }
        costs->SetAttribute("SwitchThreadRate", DataRateValue(switchRate));
        communicator->SetCosts(costs);
        executor = CreateObject<CollectiveExecutor>();
        executor->SetCommunicator(communicator);
    }

    FabricFixture fixture;
    GpuClusterHelper helper;
    GpuCluster kept;
    Ptr<Communicator> communicator;
    Ptr<CollectiveExecutor> executor;
};

/// Time of data on a wire of 400 Gb/s: frames of 4096 B and 82 B more, 20 B more in each message.
double
WireSeconds(double bytes)
{
    double overhead = 82.0 / 4096 + 20.0 / MESSAGE;
    return bytes * (1 + overhead) * 8 / 400e9;
}

/// An algorithm, an operation, and what its closed form has.
struct LargeCase
{
    const char* algorithm;
    Operation operation;
    double sizes;     ///< that the busiest port carries in one direction, of the whole buffer
    uint32_t hops;    ///< of a message before the last rank can begin
    double copies{0}; ///< of the whole buffer in a rank's memory, while the network waits
};

class LargeCollective : public testing::TestWithParam<LargeCase>
{
};

TEST_P(LargeCollective, TakesTheTimeOfItsBytes)
{
    const auto& [algorithm, operation, sizes, hops, copies] = GetParam();
    FreeCluster cluster;
    cluster.BuildStar();
    double took = cluster.Run(algorithm, operation).GetSeconds();
    double bytes = WireSeconds(sizes * SIZE);
    // A hop takes two cables of 500 ns, a message on the wire, which those of the two channels
    // share frame by frame, and a frame in the switch.
    double hop = 2 * 500e-9 + WireSeconds(2 * MESSAGE + 4096);
    // A copy reads and writes the memory of an H100, 3.35 TB/s.
    double expected = bytes + hops * hop + copies * 2 * SIZE / 3.35e12;
    RecordProperty("share", std::to_string(took / expected));
    EXPECT_GE(took, bytes) << "faster than the wire";
    EXPECT_NEAR(took / expected, 1, 0.02);
}

// Ring: Patarasuk and Yuan 2009. Broadcast and reduce: a chain of n - 1 hops, of which the last
// one is in the time of the bytes. Tree: an inner node of one tree (one up, two down) is a leaf in
// the other, 2 S; twice its depth. PAT: n - 1 blocks. Halving and doubling: as a ring (Thakur,
// Rabenseifner, Gropp 2005). All-to-all: n - 1 blocks, as nothing is forwarded.
// Bruck et al. 1997: the all-gather sends 1, 2 and 4 of 8 blocks, n - 1 in all; the all-to-all
// forwards in each of log2 n = 3 rounds the half of the blocks whose distance has that bit, 3 S /
// 2, between the rotation of all blocks and its inverse. A round begins when the one before it has
// come: three hops. Hierarchical: at a star each rank is a group, so that it has the outer ring
// alone, 2 (m - 1) / m S of m = 8 groups, as a ring.
INSTANTIATE_TEST_SUITE_P(
    Star,
    LargeCollective,
    testing::Values(LargeCase{"ring", Operation::ALL_REDUCE, 1.75, 1},
                    LargeCase{"ring", Operation::ALL_GATHER, 0.875, 1},
                    LargeCase{"ring", Operation::REDUCE_SCATTER, 0.875, 1},
                    LargeCase{"ring", Operation::BROADCAST, 1, 6},
                    LargeCase{"ring", Operation::REDUCE, 1, 6},
                    LargeCase{"tree", Operation::ALL_REDUCE, 2, 5},
                    LargeCase{"pat", Operation::ALL_GATHER, 0.875, 1},
                    LargeCase{"pat", Operation::REDUCE_SCATTER, 0.875, 1},
                    LargeCase{"halving-doubling", Operation::ALL_REDUCE, 1.75, 1},
                    LargeCase{"halving-doubling", Operation::REDUCE_SCATTER, 0.875, 1},
                    LargeCase{"direct", Operation::ALL_TO_ALL, 0.875, 1},
                    LargeCase{"direct", Operation::ALL_GATHER, 0.875, 1},
                    LargeCase{"pairwise", Operation::ALL_TO_ALL, 0.875, 1},
                    LargeCase{"bruck", Operation::ALL_GATHER, 0.875, 3},
                    LargeCase{"bruck", Operation::ALL_TO_ALL, 1.5, 3, 2},
                    LargeCase{"hierarchical", Operation::ALL_REDUCE, 1.75, 1},
                    LargeCase{"hierarchical", Operation::ALL_GATHER, 0.875, 1},
                    LargeCase{"hierarchical", Operation::REDUCE_SCATTER, 0.875, 1},
                    LargeCase{"hierarchical", Operation::ALL_TO_ALL, 0.875, 1}),
    [](const auto& info) {
        std::string name = std::string(info.param.algorithm) + ToString(info.param.operation);
        name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
        return name;
    });

// Two servers of four GPUs: a reduce-scatter in the server, an all-reduce along the rail and an
// all-gather in the server, one after the other. A rank sends 2 (g - 1) / g S = 1.5 S by scale-up
// links, 450 GB/s each way (H100) but for headers, and 2 (m - 1) / (m g) S = S / 4 by its NIC.
TEST(LargeHierarchical, TakesBothLevels)
{
    FreeCluster cluster;
    cluster.BuildServers(2, 4);
    double took = cluster.Run("hierarchical", Operation::ALL_REDUCE).GetSeconds();
    double network = WireSeconds(SIZE / 4.);
    double bytes = network + 1.5 * SIZE / 450e9;
    EXPECT_GE(took, bytes) << "faster than the links";
    EXPECT_LE(took, network * 1.02 + 1.12 * 1.5 * SIZE / 450e9 + 20e-6);
}

// All-reduce: the data to the switch, and a rank's share of the sums; all-gather and
// reduce-scatter: all data in one direction.
TEST(LargeNvls, SendsTheDataOnce)
{
    for (auto [operation, sizes] : {std::pair{Operation::ALL_REDUCE, 1.125},
                                    {Operation::ALL_GATHER, 1.0},
                                    {Operation::REDUCE_SCATTER, 1.0}})
    {
        FreeCluster cluster;
        cluster.BuildServer();
        double took = cluster.Run("nvls", operation).GetSeconds();
        // 450 GB/s each way (H100), of which headers take their part: less than a tenth. A first
        // chunk of a channel makes its way before the links are full.
        double bytes = sizes * SIZE / 450e9;
        EXPECT_GE(took, bytes) << "faster than the scale-up link";
        EXPECT_LE(took, 1.12 * bytes) << ToString(operation);
    }
}

// Warps that are slower than all else: of 20, 8 scatter and 7 gather (all_reduce.h of NCCL). A
// channel has half of the data, in loops of a message for each of 8 heads. The first loop is
// scattered before it can be gathered; from then on the gathering warps are the slowest.
TEST(LargeNvls, WarpsOfARoleAreItsOwn)
{
    FreeCluster cluster;
    cluster.switchRate = DataRate("40Gbps");
    cluster.BuildServer();
    const double took = cluster.Run("nvls", Operation::ALL_REDUCE).GetSeconds();
    const double warp = 40e9 / 8 / 20; // bytes a second
    const double expected = RANKS * MESSAGE / (8 * warp) + SIZE / 2. / (7 * warp);
    EXPECT_NEAR(took, expected, 0.02 * expected);
}

} // namespace
