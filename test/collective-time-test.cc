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
    /// Ranks at a switch, one NIC of 400 Gb/s each.
    void BuildStar()
    {
        fixture.BuildStar(RANKS, "400Gbps", NanoSeconds(500));
        Join();
    }

    /// One server of 8 GPUs at a scale-up switch.
    void BuildServer()
    {
        RailOptimizedParameters parameters;
        parameters.servers = 1;
        parameters.gpusPerServer = RANKS;
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
        for (const char* name :
             {"SimpleThreadRate", "SimpleNetworkRate", "LocalThreadRate", "SwitchThreadRate"})
        {
            costs->SetAttribute(name, DataRateValue(DataRate(100'000'000'000'000)));
        }
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
    double sizes;  ///< that the busiest port carries in one direction, of the whole buffer
    uint32_t hops; ///< of a message before the last rank can begin
};

class LargeCollective : public testing::TestWithParam<LargeCase>
{
};

TEST_P(LargeCollective, TakesTheTimeOfItsBytes)
{
    const auto& [algorithm, operation, sizes, hops] = GetParam();
    FreeCluster cluster;
    cluster.BuildStar();
    double took = cluster.Run(algorithm, operation).GetSeconds();
    double bytes = WireSeconds(sizes * SIZE);
    // A hop takes two cables of 500 ns, a message on the wire, which those of the two channels
    // share frame by frame, and a frame in the switch.
    double hop = 2 * 500e-9 + WireSeconds(2 * MESSAGE + 4096);
    RecordProperty("share", std::to_string(took / (bytes + hops * hop)));
    EXPECT_GE(took, bytes) << "faster than the wire";
    EXPECT_NEAR(took / (bytes + hops * hop), 1, 0.02);
}

// Ring: Patarasuk and Yuan 2009. Broadcast and reduce: a chain of n - 1 hops, of which the last
// one is in the time of the bytes. Tree: an inner node of one tree (one up, two down) is a leaf in
// the other, 2 S; twice its depth. PAT: n - 1 blocks. Halving and doubling: as a ring (Thakur,
// Rabenseifner, Gropp 2005). All-to-all: n - 1 blocks, as nothing is forwarded.
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
                    LargeCase{"pairwise", Operation::ALL_TO_ALL, 0.875, 1}),
    [](const auto& info) {
        std::string name = std::string(info.param.algorithm) + ToString(info.param.operation);
        name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
        return name;
    });

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

} // namespace
