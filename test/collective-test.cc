// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Collectives: requests, where their blocks lie, ring layouts, and what a run moves, when,
 * and how it fails. What programs compute is in algorithm-semantics-test.cc.
 */

#include "fabric-fixture.h"

#include "ns3/buffer-layout.h"
#include "ns3/collective-executor.h"
#include "ns3/gpu-cluster-helper.h"
#include "ns3/program-checker.h"
#include "ns3/queue-pair-connection.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/ring-algorithm.h"
#include "ns3/ring-order.h"

#include <algorithm>
#include <map>
#include <set>

using namespace ns3;

namespace
{

constexpr uint64_t MIB = 1 << 20;

constexpr uint32_t WINDOW = 17; // room for a chunk of 16 slices and one slice more

Ptr<RingAlgorithm>
MakeRing(uint32_t channels, uint64_t chunkBytes = 2 * MIB, uint64_t sliceBytes = 128 * 1024)
{
    return CreateObjectWithAttributes<RingAlgorithm>("Channels",
                                                     UintegerValue(channels),
                                                     "ChunkSize",
                                                     UintegerValue(chunkBytes),
                                                     "SliceSize",
                                                     UintegerValue(sliceBytes),
                                                     "Window",
                                                     UintegerValue(WINDOW));
}

constexpr CollectiveOperation OPERATIONS[] = {CollectiveOperation::ALL_REDUCE,
                                              CollectiveOperation::ALL_GATHER,
                                              CollectiveOperation::REDUCE_SCATTER};

} // namespace

// ---------------------------------------------------------------- requests

TEST(CollectiveRequest, BusBandwidthFactorsAreThoseOfNcclTests)
{
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::ALL_REDUCE, 8), 1.75);
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::ALL_GATHER, 8), 0.875);
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::REDUCE_SCATTER, 16), 0.9375);
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::ALL_TO_ALL, 8), 0.875);
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::GATHER, 4), 0.75);
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::BROADCAST, 8), 1);
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::SEND_RECEIVE, 8), 1);
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::ALL_REDUCE, 1), 0);
}

TEST(CollectiveRequest, NamesAreReadBack)
{
    EXPECT_STREQ(ToString(CollectiveOperation::REDUCE_SCATTER), "reduce-scatter");
    for (const std::string& name : GetCollectiveOperationNames())
    {
        CollectiveOperation parsed{};
        EXPECT_TRUE(ParseCollectiveOperation(name, parsed));
        EXPECT_EQ(ToString(parsed), name);
    }
    CollectiveOperation none{};
    EXPECT_FALSE(ParseCollectiveOperation("all-to-none", none));
    EXPECT_EQ(GetCollectiveOperationNames().size(), 12u);
}

TEST(CollectiveRequest, WhatNobodyCouldServeIsRefused)
{
    using Operation = CollectiveOperation;
    auto check = [](const CollectiveRequest& request) { return CheckRequest(request, 4); };
    CollectiveRequest request;
    request.count = 10;
    EXPECT_EQ(check(request), "");
    EXPECT_NE(CheckRequest(request, 0), "");
    request.typeBytes = 0;
    EXPECT_NE(check(request).find("0 B"), std::string::npos);
    request.typeBytes = 4;
    request.count = uint64_t{1} << 62;
    EXPECT_NE(check(request).find("2^64"), std::string::npos);
    request.count = 10;
    request.operation = Operation::REDUCE;
    request.root = 4;
    EXPECT_NE(check(request).find("root 4"), std::string::npos);
    request.operation = Operation::ALL_TO_ALL;
    EXPECT_EQ(check(request), "") << "it has no root";
    request.inPlace = true;
    EXPECT_NE(check(request).find("in place"), std::string::npos);
    request.inPlace = false;
    request.operation = Operation::ALL_TO_ALL_V;
    EXPECT_NE(check(request).find("list of transfers"), std::string::npos);
    EXPECT_EQ(check(MakeTransfers(Operation::ALL_TO_ALL_V, {{0, 1, 5}, {3, 3, 1}}, 4, 4)), "");
    EXPECT_NE(check(MakeTransfers(Operation::ALL_TO_ALL_V, {{0, 1, 5}, {0, 1, 1}}, 4, 4)), "");
    EXPECT_EQ(check(MakeTransfers(Operation::POINT_TO_POINT, {{0, 1, 5}, {0, 1, 1}}, 4, 4)), "");
    EXPECT_NE(check(MakeTransfers(Operation::POINT_TO_POINT, {{0, 4, 5}}, 4, 4)), "");
    EXPECT_EQ(check(MakeBarrier()), "");
}

TEST(CollectiveRequest, BlocksLieWhereTheTableSays)
{
    // 10 elements by 3 ranks: blocks of 4, 3, 3.
    using Operation = CollectiveOperation;
    auto expect = [](const Part& part, uint64_t offset, uint64_t count) {
        EXPECT_EQ(part.offset, offset);
        EXPECT_EQ(part.count, count);
    };
    CollectiveRequest request;
    request.count = 10;
    request.operation = Operation::ALL_GATHER;
    EXPECT_EQ(GetInputCount(request, 3, 1), 3u);
    EXPECT_EQ(GetOutputCount(request, 3, 1), 10u);
    expect(GetInputBlock(request, 3, 1, 2), 0, 3);
    expect(GetOutputBlock(request, 3, 1, 2), 4, 3);
    EXPECT_EQ(GetInPlaceOffsets(request, 3, 2), (std::pair<uint64_t, uint64_t>{7, 0}));
    request.operation = Operation::REDUCE_SCATTER;
    EXPECT_EQ(GetInputCount(request, 3, 0), 10u);
    EXPECT_EQ(GetOutputCount(request, 3, 0), 4u);
    expect(GetInputBlock(request, 3, 0, 2), 7, 3);
    expect(GetOutputBlock(request, 3, 0, 2), 0, 3);
    EXPECT_EQ(GetInPlaceOffsets(request, 3, 2), (std::pair<uint64_t, uint64_t>{0, 7}));
    request.operation = Operation::ALL_TO_ALL;
    EXPECT_EQ(GetOutputCount(request, 3, 1), 9u); // three blocks of 3
    expect(GetInputBlock(request, 3, 0, 1), 4, 3);
    expect(GetOutputBlock(request, 3, 2, 1), 6, 3);
    request.operation = Operation::GATHER;
    request.root = 1;
    EXPECT_EQ(GetOutputCount(request, 3, 0), 0u);
    EXPECT_EQ(GetOutputCount(request, 3, 1), 10u);
    expect(GetInputBlock(request, 3, 0, 2), 0, 0);
    request.operation = Operation::SEND_RECEIVE;
    expect(GetInputBlock(request, 3, 2, 0), 0, 10);
    expect(GetInputBlock(request, 3, 0, 2), 0, 0);
    request = MakeTransfers(Operation::ALL_TO_ALL_V, {{0, 2, 5}, {0, 1, 6}, {1, 2, 7}}, 3, 4);
    EXPECT_EQ(request.count, 11u); // the largest input
    EXPECT_EQ(GetOutputCount(request, 3, 2), 12u);
    expect(GetInputBlock(request, 3, 0, 2), 6, 5); // by destination, whatever the list's order
    expect(GetOutputBlock(request, 3, 1, 2), 5, 7);
}

TEST(EvenPart, PartsFollowEachOtherAndDifferByOne)
{
    static_assert(EvenPart(10, 4, 0).count == 3 && EvenPart(10, 4, 1).count == 3);
    static_assert(EvenPart(10, 4, 2).count == 2 && EvenPart(10, 4, 3).offset == 8);
    for (uint64_t total : {0, 1, 5, 6, 7, 1000})
    {
        for (uint64_t parts : {1, 2, 6, 7})
        {
            uint64_t next = 0;
            for (uint64_t i = 0; i < parts; ++i)
            {
                Part part = EvenPart(total, parts, i);
                EXPECT_EQ(part.offset, next);
                EXPECT_LE(part.count - total / parts, 1u);
                next += part.count;
            }
            EXPECT_EQ(next, total);
        }
    }
    // 64 bits throughout: the last of 3 parts of 2^63
    EXPECT_EQ(EvenPart(uint64_t{1} << 63, 3, 2).offset, 6148914691236517206u);
}

// ---------------------------------------------------------------- layout of rings

namespace
{

/// How often each rank is the exit and the entry of a group.
struct Crossings
{
    std::map<uint32_t, uint32_t> exits;
    std::map<uint32_t, uint32_t> entries;
    uint32_t railChanges{0};
};

Crossings
CountCrossings(const RankLayout& layout, uint32_t channels)
{
    std::map<uint32_t, size_t> groupOf;
    for (size_t g = 0; g < layout.GetGroups().size(); ++g)
    {
        for (uint32_t rank : layout.GetGroups()[g])
        {
            groupOf[rank] = g;
        }
    }
    Crossings crossings;
    for (uint32_t c = 0; c < channels; ++c)
    {
        std::vector<uint32_t> order = MakeRingOrder(layout, c);
        EXPECT_EQ(std::set<uint32_t>(order.begin(), order.end()).size(), layout.GetSize());
        EXPECT_EQ(order.size(), layout.GetSize());
        uint32_t changes = 0;
        for (size_t i = 0; i < order.size(); ++i)
        {
            uint32_t from = order[i];
            uint32_t to = order[(i + 1) % order.size()];
            if (groupOf[from] != groupOf[to])
            {
                ++crossings.exits[from];
                ++crossings.entries[to];
                crossings.railChanges += layout.GetRail(from) != layout.GetRail(to);
                ++changes;
            }
        }
        EXPECT_EQ(changes, layout.GetGroups().size() > 1 ? layout.GetGroups().size() : 0);
    }
    return crossings;
}

} // namespace

TEST(RingOrder, EveryNicIsExitOnceAndEntryOnce)
{
    for (auto [groups, each] : std::vector<std::pair<uint32_t, uint32_t>>{{2, 8},
                                                                          {4, 8},
                                                                          {3, 4},
                                                                          {5, 3},
                                                                          {16, 8},
                                                                          {2, 2},
                                                                          {9, 1}})
    {
        SCOPED_TRACE(std::to_string(groups) + "x" + std::to_string(each));
        Crossings crossings = CountCrossings(RankLayout::Regular(groups, each), each);
        EXPECT_EQ(crossings.exits.size(), groups * each);
        EXPECT_EQ(crossings.entries.size(), groups * each);
        for (const auto& counts : {crossings.exits, crossings.entries})
        {
            for (auto [rank, count] : counts)
            {
                EXPECT_EQ(count, 1u) << "rank " << rank;
            }
        }
        EXPECT_EQ(crossings.railChanges, 0u);
    }
}

TEST(RingOrder, AnOddNumberOfPairsChangesRailsOnce)
{
    // Each group would have to swap the two rails, and an odd number of swaps does not close.
    Crossings crossings = CountCrossings(RankLayout::Regular(3, 2), 2);
    for (uint32_t rank = 0; rank < 6; ++rank)
    {
        EXPECT_EQ(crossings.exits[rank], 1u);
        EXPECT_EQ(crossings.entries[rank], 1u);
    }
    EXPECT_EQ(crossings.railChanges, 2u); // one a ring
}

// ---------------------------------------------------------------- runs

namespace
{

/// A cluster with one communicator of all its GPUs.
class Cluster
{
  public:
    void BuildStar(uint32_t hosts, Time delay = NanoSeconds(500))
    {
        fixture.BuildStar(hosts, "400Gbps", delay);
        Join();
    }

    void BuildRails(uint32_t servers, uint32_t gpusPerServer)
    {
        RailOptimizedParameters parameters;
        parameters.servers = servers;
        parameters.gpusPerServer = gpusPerServer;
        fixture.Build(MakeRailOptimized(parameters.Resolved()));
        Join();
    }

    void Join()
    {
        cluster = helper.Install(fixture.network);
        communicator = CreateObject<Communicator>();
        communicator->SetRanks("world", cluster.gpus);
        communicator->SetCosts(MakeCosts());
        executor = CreateObject<CollectiveExecutor>();
        executor->SetCommunicator(communicator);
        executor->TraceConnectWithoutContext("CollectiveComplete",
                                             MakeCallback(&Cluster::Ended, this));
    }

    /// A launch, an overhead for each message by the network, and threads that never hold anything
    /// up: only links and memory take time besides.
    static Ptr<CollectiveCosts> MakeCosts()
    {
        auto costs = CreateObject<CollectiveCosts>();
        costs->SetAttribute("LaunchLatency", TimeValue(LAUNCH));
        costs->SetAttribute("SimpleLaunch", TimeValue(Time(0)));
        costs->SetAttribute("ProxyPost", TimeValue(Time(0)));
        costs->SetAttribute("SimpleNetworkStep", TimeValue(OVERHEAD));
        for (const char* name : {"SimpleThreadRate", "SimpleNetworkRate", "LocalThreadRate"})
        {
            costs->SetAttribute(name, DataRateValue(DataRate(100'000'000'000'000)));
        }
        return costs;
    }

    /// Runs one collective alone.
    CollectiveRecord Run(const CollectiveRequest& request, Ptr<RingAlgorithm> ring)
    {
        executor->Launch(request, ring);
        Simulator::Run();
        EXPECT_EQ(executor->GetOutstanding(), 0u);
        for (const std::string& line : executor->DescribeBlocked())
        {
            ADD_FAILURE() << line;
        }
        return records.back();
    }

    void Ended(const CollectiveRecord& record)
    {
        records.push_back(record);
    }

    static inline const Time LAUNCH = MicroSeconds(5);
    static inline const Time OVERHEAD = MicroSeconds(3);

    FabricFixture fixture;
    GpuClusterHelper helper;
    GpuCluster cluster;
    Ptr<Communicator> communicator;
    Ptr<CollectiveExecutor> executor;
    std::vector<CollectiveRecord> records;
};

uint64_t
SentPayload(Ptr<FabricNetDevice> port)
{
    return port->GetCounters().txPayloadBytes;
}

/// Time of a message alone on its way through the star, until the last bit has arrived.
Time
MessageTime(uint64_t payload, Time delay)
{
    // Frames of up to 4096 B one after the other (each 82 B more, a RETH of 16 in the first one, 4
    // B immediate in the last one, whose gap of 12 does not count), and the largest one a second
    // time behind the switch.
    uint64_t frames = (payload + 4095) / 4096;
    uint64_t largest = 70 + (frames > 1 ? 4096 + 16 : payload + 20);
    return OnWire("400Gbps", payload + frames * 82 + 20 - 12 + largest) + 2 * delay;
}

/// What the memory takes for a number of accesses.
Time
MemoryTime(uint64_t bytes, uint64_t accesses)
{
    return Seconds(static_cast<double>(bytes * accesses) / 3.35e12);
}

/// What each rank writes back for the messages that it gets by a ring: that they can be sent again.
uint64_t
ClearToSendBytes(const CollectiveRequest& request,
                 const RankLayout& layout,
                 Ptr<RingAlgorithm> ring)
{
    ProgramTotals totals;
    auto program = ring->Emit(request, layout, ring->MakePlan(request, layout));
    EXPECT_EQ(CheckProgram(*program, request, layout, WINDOW, &totals), "");
    return totals.Get(0, MessageWay::PEER).messages * QueuePairConnection::CLEAR_TO_SEND_BYTES;
}

CollectiveRequest
MakeRequest(CollectiveOperation operation, uint64_t count, uint32_t typeBytes)
{
    CollectiveRequest request;
    request.operation = operation;
    request.count = count;
    request.typeBytes = typeBytes;
    return request;
}

double
Share(Time a, Time b)
{
    return a.GetSeconds() / b.GetSeconds();
}

} // namespace

TEST(Collective, EveryLinkOfAStarCarriesItsExactShare)
{
    constexpr uint32_t RANKS = 4;
    for (CollectiveOperation operation : OPERATIONS)
    {
        Cluster c;
        c.BuildStar(RANKS);
        CollectiveRequest request = MakeRequest(operation, 4 * MIB, 1);
        Ptr<RingAlgorithm> ring = MakeRing(2);
        CollectiveRecord record = c.Run(request, ring);
        EXPECT_EQ(record.error, "");
        uint64_t times = operation == CollectiveOperation::ALL_REDUCE ? 2 : 1;
        uint64_t share = times * (RANKS - 1) * request.GetBytes() / RANKS +
                         ClearToSendBytes(request, c.communicator->GetLayout(), ring);
        for (uint32_t r = 0; r < RANKS; ++r)
        {
            EXPECT_EQ(SentPayload(c.fixture.Port(r)), share);
            EXPECT_EQ(SentPayload(c.fixture.Port(r)->GetPeer()), share);
        }
        c.fixture.ExpectDrained();
        EXPECT_EQ(c.fixture.Drops(), 0u);
    }
}

TEST(Collective, RailsAndScaleUpLinksCarryTheirExactShares)
{
    // 2 servers of 8, and 8 rings. Each NIC is passed by one ring outwards and by one inwards, and
    // each scale-up port by the seven others.
    Cluster c;
    c.BuildRails(2, 8);
    CollectiveRequest request = MakeRequest(CollectiveOperation::ALL_REDUCE, 16 * MIB, 1);
    Ptr<RingAlgorithm> ring = MakeRing(8);
    CollectiveRecord record = c.Run(request, ring);
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.plan.channels, 8u);
    uint64_t share = 2 * 15 * request.GetBytes() / 16 / 8; // of one ring
    uint64_t clearToSend = ClearToSendBytes(request, c.communicator->GetLayout(), ring) / 8;
    for (const auto& gpu : c.cluster.gpus)
    {
        EXPECT_EQ(SentPayload(gpu->GetNicPort()), share + clearToSend);
        EXPECT_EQ(SentPayload(gpu->GetNicPort()->GetPeer()), share + clearToSend);
        EXPECT_EQ(SentPayload(gpu->GetScaleUpPort()->GetDevice()), 7 * share);
        EXPECT_EQ(SentPayload(gpu->GetScaleUpPort()->GetDevice()->GetPeer()), 7 * share);
    }
    EXPECT_EQ(c.fixture.Drops(), 0u);
    // All traffic between servers stays on its rail: nothing passes the leaf's other ports.
    for (const auto& fabricSwitch : c.fixture.network.GetSwitches())
    {
        for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
        {
            bool spineOrLeaf =
                fabricSwitch->GetPort(p)->GetPeer()->GetNode()->GetObject<FabricSwitch>() !=
                nullptr;
            EXPECT_EQ(SentPayload(fabricSwitch->GetPort(p)), spineOrLeaf ? 0 : share + clearToSend);
        }
    }
}

TEST(Collective, AnUncutRingTakesTwiceNMinusOneStepsInARow)
{
    // One channel, one loop, one slice a chunk: a rank sends a chunk when it has received and
    // reduced (or copied) the one before. So the steps are a chain:
    //   launch + 2 (n - 1) (message + overhead) + (n - 1) 3 B / HBM + n 2 B / HBM
    // as the first step reads and the last n - 1 write (2 accesses each), and the others add up.
    // ACKs that cross the data (some 0.2 % of the bytes) are left out.
    const Time delay = NanoSeconds(500);
    for (uint32_t ranks : {2, 3, 8})
    {
        Cluster c;
        c.BuildStar(ranks, delay);
        uint64_t chunk = 256 * 1024;
        CollectiveRequest request =
            MakeRequest(CollectiveOperation::ALL_REDUCE, ranks * chunk / 4, 4);
        CollectiveRecord record = c.Run(request, MakeRing(1, chunk, chunk));
        Time step = MessageTime(chunk, delay) + Cluster::OVERHEAD;
        Time expected = Cluster::LAUNCH + 2 * (ranks - 1) * step +
                        (ranks - 1) * MemoryTime(chunk, 3) + ranks * MemoryTime(chunk, 2);
        EXPECT_NEAR(Share(record.end - record.start, expected), 1, 0.005) << ranks << " ranks";
        EXPECT_EQ(record.ranks, ranks);
        EXPECT_EQ(record.plan.channels, 1u);
        EXPECT_EQ(record.plan.algorithm, "ring");
        EXPECT_EQ(record.plan.protocol, CollectiveProtocol::SIMPLE);
        EXPECT_EQ(record.request.GetBytes(), ranks * chunk);
    }
}

TEST(Collective, ASlicedRingKeepsTheWireBusy)
{
    // Slices are forwarded while the next ones arrive, so that a rank's link waits at the start and
    // for some 4 us between two loops only, of which there are 8, each of 6 x 2 MiB (250 us):
    //   launch + all its frames on the wire + the way of the last slice.
    // 2 (n - 1) / n S = 96 MiB in slices of 128 KiB: 32 frames of 82 B overhead, and 20 B a
    // message.
    Cluster c;
    c.BuildStar(4);
    CollectiveRequest request = MakeRequest(CollectiveOperation::ALL_REDUCE, 64 * MIB / 4, 4);
    CollectiveRecord record = c.Run(request, MakeRing(1));
    uint64_t messages = 96 * MIB / (128 * 1024);
    Time wire = OnWire("400Gbps", 96 * MIB + messages * (32 * 82 + 20));
    Time last = NanoSeconds(1000) + Cluster::OVERHEAD + MemoryTime(128 * 1024, 2);
    EXPECT_NEAR(Share(record.end - record.start, Cluster::LAUNCH + wire + last), 1, 0.02);
    // nccl-tests' figures of it
    double seconds = (record.end - record.start).GetSeconds();
    EXPECT_DOUBLE_EQ(record.GetAlgorithmBandwidth(), 64 * MIB / seconds);
    EXPECT_DOUBLE_EQ(record.GetBusBandwidth(), 64 * MIB / seconds * 1.5);
}

TEST(Collective, TwoServersOfEightReachTheRateOfTheirNics)
{
    // 8 NICs of 50 GB/s a server are the bottleneck of the rings (a GPU's scale-up port has 450 for
    // the same bytes). Of the wire, 4096 of 4096 + 82 B is payload: 392 GB/s; the start of the
    // pipeline costs a large buffer less than 3 %.
    Cluster c;
    c.BuildRails(2, 8);
    CollectiveRecord record =
        c.Run(MakeRequest(CollectiveOperation::ALL_REDUCE, 64 * MIB / 4, 4), MakeRing(0));
    double bound = 8 * 50e9 * 4096 / (4096 + 82);
    EXPECT_LT(record.GetBusBandwidth(), bound);
    EXPECT_GT(record.GetBusBandwidth(), 0.95 * bound);
}

TEST(Collective, NothingToDoTakesTheLaunchLatency)
{
    Cluster c;
    c.BuildStar(3);
    CollectiveRecord record =
        c.Run(MakeRequest(CollectiveOperation::ALL_REDUCE, 0, 4), MakeRing(2));
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.end - record.start, Cluster::LAUNCH);
    EXPECT_EQ(record.GetBusBandwidth(), 0);

    Cluster alone;
    alone.BuildStar(1);
    CollectiveRequest request = MakeRequest(CollectiveOperation::ALL_GATHER, MIB, 4);
    request.inPlace = true;
    record = alone.Run(request, MakeRing(1));
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.end - record.start, Cluster::LAUNCH);
    // Out of place, there is a copy.
    request.inPlace = false;
    record = alone.Run(request, MakeRing(1));
    EXPECT_NEAR(Share(record.end - record.start, Cluster::LAUNCH + MemoryTime(4 * MIB, 2)),
                1,
                1e-6);
}

TEST(Collective, OddSizesComplete)
{
    for (uint64_t count : {1, 2, 3, 4095, 65537, 1000003})
    {
        Cluster c;
        c.BuildRails(2, 4);
        for (CollectiveOperation operation : OPERATIONS)
        {
            EXPECT_EQ(c.Run(MakeRequest(operation, count, 1), MakeRing(0, 65536, 16384)).error, "");
        }
        EXPECT_EQ(c.records.size(), std::size(OPERATIONS));
    }
}

TEST(Collective, ServersWithoutScaleUpUseTheirNics)
{
    Cluster c;
    c.helper.SetScaleUp(false);
    c.BuildRails(2, 2);
    CollectiveRequest request = MakeRequest(CollectiveOperation::ALL_GATHER, 4 * MIB, 1);
    Ptr<RingAlgorithm> ring = MakeRing(2);
    EXPECT_EQ(c.Run(request, ring).error, "");
    uint64_t clearToSend = ClearToSendBytes(request, c.communicator->GetLayout(), ring);
    for (const auto& gpu : c.cluster.gpus)
    {
        EXPECT_EQ(SentPayload(gpu->GetNicPort()), 3 * MIB + clearToSend);
    }
}

TEST(Collective, GpusOfOneNicReachEachOtherThroughTheLeaf)
{
    Cluster c;
    c.helper.SetScaleUp(false);
    c.helper.SetGpusPerServer(2);
    c.BuildStar(2);
    CollectiveRequest request = MakeRequest(CollectiveOperation::ALL_GATHER, 4 * MIB, 1);
    Ptr<RingAlgorithm> ring = MakeRing(1);
    EXPECT_EQ(c.Run(request, ring).error, "");
    uint64_t each = 3 * MIB + ClearToSendBytes(request, c.communicator->GetLayout(), ring);
    for (uint32_t h = 0; h < 2; ++h)
    {
        EXPECT_EQ(SentPayload(c.fixture.Port(h)), 2 * each); // of two GPUs
    }
}

// ---------------------------------------------------------------- streams and order

TEST(Collective, ARankThatComesLateHoldsTheOthers)
{
    Cluster c;
    c.BuildStar(4);
    c.communicator->GetStream(2)->EnqueueKernel("slow kernel", MicroSeconds(100));
    CollectiveRecord record =
        c.Run(MakeRequest(CollectiveOperation::ALL_REDUCE, 1024, 4), MakeRing(1));
    EXPECT_EQ(record.start, Time(0)); // the first rank's
    EXPECT_GT(record.end, MicroSeconds(100) + Cluster::LAUNCH);
    EXPECT_EQ(record.rankEnds.size(), 4u);
    EXPECT_EQ(*std::max_element(record.rankEnds.begin(), record.rankEnds.end()), record.end);
    EXPECT_EQ(record.stragglerRank, 2u);
}

TEST(Collective, CollectivesOfACommunicatorFollowEachOther)
{
    Cluster c;
    c.BuildRails(2, 2);
    Ptr<RingAlgorithm> ring = MakeRing(0);
    for (CollectiveOperation operation : OPERATIONS)
    {
        c.executor->Launch(MakeRequest(operation, MIB, 4), ring);
    }
    EXPECT_EQ(c.executor->GetOutstanding(), 3u);
    Simulator::Run();
    ASSERT_EQ(c.records.size(), 3u);
    for (size_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(c.records[i].sequence, i);
        EXPECT_EQ(c.records[i].request.operation, OPERATIONS[i]);
        EXPECT_EQ(c.records[i].error, "");
    }
    for (size_t i = 1; i < 3; ++i)
    {
        // The next one starts on the rank that is first done with this one.
        const std::vector<Time>& ends = c.records[i - 1].rankEnds;
        EXPECT_EQ(c.records[i].start, *std::min_element(ends.begin(), ends.end()));
        EXPECT_GT(c.records[i].end, c.records[i - 1].end);
    }
}

TEST(Collective, RanksMayBeLaunchedOneByOne)
{
    Cluster c;
    c.BuildStar(3);
    Ptr<RingAlgorithm> ring = MakeRing(1);
    std::vector<Time> done(3);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        Callback<void> launch([&, rank]() {
            c.executor->LaunchRank(rank,
                                   MakeRequest(CollectiveOperation::ALL_GATHER, 3 * MIB, 1),
                                   ring,
                                   [&, rank]() { done[rank] = Simulator::Now(); });
        });
        Simulator::Schedule(MicroSeconds(10 * (rank + 1)), [launch]() { launch(); });
    }
    Simulator::Run();
    ASSERT_EQ(c.records.size(), 1u);
    EXPECT_EQ(c.records[0].start, MicroSeconds(10));
    EXPECT_EQ(c.records[0].rankEnds, done);
    EXPECT_EQ(c.records[0].error, "");
}

TEST(Collective, TheSameRunTwiceGivesTheSameTimes)
{
    auto run = []() {
        Cluster c;
        c.fixture.rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
        c.fixture.fabric.SetEcn([](DataRate) { return EcnThresholds{100000, 400000, 0.2}; });
        c.BuildRails(2, 4);
        c.Run(MakeRequest(CollectiveOperation::ALL_REDUCE, 2 * MIB + 3, 4), MakeRing(0));
        c.Run(MakeRequest(CollectiveOperation::ALL_GATHER, 2 * MIB + 3, 4), MakeRing(0));
        std::vector<Time> times;
        for (const CollectiveRecord& record : c.records)
        {
            times.push_back(record.start);
            times.push_back(record.end);
            times.insert(times.end(), record.rankEnds.begin(), record.rankEnds.end());
        }
        return times;
    };
    EXPECT_EQ(run(), run());
}

// ---------------------------------------------------------------- programs written by hand

namespace
{

/// A program given step by step.
class WrittenAlgorithm : public CollectiveAlgorithm
{
  public:
    using Steps = std::vector<ProgramStep>;

    /// By rank and thread.
    std::vector<std::vector<Steps>> threads;

    std::string GetName() const override
    {
        return "written";
    }

    std::string Check(const CollectiveRequest&, const RankLayout&) const override
    {
        return "";
    }

    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest&,
                                                  const RankLayout&,
                                                  const CollectivePlan&) const override
    {
        return std::make_shared<Program>(threads);
    }

    /// The steps touch no memory, which the executor does not mind.
    static ProgramStep Send(uint32_t peer, uint64_t bytes)
    {
        ProgramStep step;
        step.send = {MessageWay::PEER, peer, 0};
        step.bytes = bytes;
        return step;
    }

    static ProgramStep Receive(uint32_t peer, uint64_t bytes)
    {
        ProgramStep step;
        step.receive = {MessageWay::PEER, peer, 0};
        step.bytes = bytes;
        return step;
    }

  private:
    struct Source : public StepSource
    {
        const Steps& steps;
        size_t next{0};

        explicit Source(const Steps& s)
            : steps(s)
        {
        }

        bool Next(ProgramStep& step) override
        {
            if (next == steps.size())
            {
                return false;
            }
            step = steps[next++];
            return true;
        }
    };

    struct Program : public CollectiveProgram
    {
        std::vector<std::vector<Steps>> threads;

        explicit Program(std::vector<std::vector<Steps>> t)
            : threads(std::move(t))
        {
        }

        uint32_t GetChannels() const override
        {
            return 1;
        }

        uint32_t GetThreads(uint32_t rank) const override
        {
            return static_cast<uint32_t>(threads[rank].size());
        }

        std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override
        {
            return std::make_unique<Source>(threads[rank][thread]);
        }
    };
};

} // namespace

TEST(Executor, AThreadWaitsForAStepOfAnother)
{
    // Rank 1's thread 0 answers, but only after thread 1 has received what rank 2 sends late.
    Cluster c;
    c.BuildStar(3);
    auto algorithm = CreateObject<WrittenAlgorithm>();
    ProgramStep answer = WrittenAlgorithm::Send(0, 1000);
    answer.after = {1, 0};
    algorithm->threads = {{{WrittenAlgorithm::Receive(1, 1000)}},
                          {{answer}, {WrittenAlgorithm::Receive(2, 2000)}},
                          {{WrittenAlgorithm::Send(1, 2000)}}};
    c.communicator->GetStream(2)->EnqueueKernel("late", MicroSeconds(50));
    c.executor->Launch(MakeRequest(CollectiveOperation::ALL_GATHER, 3000, 1), algorithm);
    Simulator::Run();
    ASSERT_EQ(c.records.size(), 1u);
    EXPECT_EQ(c.records[0].error, "");
    // Rank 2's kernel, launch, two messages one after the other, each with its step overhead, and
    // the threads' work at 80 fs a byte, twice that where two threads share a block, at rank 1: on
    // 2000 B at both ends, on 1000 B at rank 0. At rank 1 the answer is written while the port
    // sends the clear-to-send for the question.
    Time clearToSend = OnWire("400Gbps", QueuePairConnection::CLEAR_TO_SEND_BYTES + 16 + 82);
    Time expected = MicroSeconds(50) + Cluster::LAUNCH + MessageTime(2000, NanoSeconds(500)) +
                    MessageTime(1000, NanoSeconds(500)) + 2 * Cluster::OVERHEAD + clearToSend +
                    PicoSeconds(160 + 2 * 160 + 80);
    EXPECT_EQ(c.records[0].rankEnds[0], expected);
}

TEST(Executor, WhatWaitsForEverIsNamed)
{
    Cluster c;
    c.BuildStar(3);
    auto algorithm = CreateObject<WrittenAlgorithm>();
    ProgramStep send = WrittenAlgorithm::Send(0, 1000);
    send.after = {1, 7};
    algorithm->threads = {{{WrittenAlgorithm::Receive(1, 1000)}}, {{send}, {}}, {}};
    c.executor->LaunchRank(0, MakeRequest(CollectiveOperation::ALL_GATHER, 3000, 1), algorithm);
    c.executor->LaunchRank(1, MakeRequest(CollectiveOperation::ALL_GATHER, 3000, 1), algorithm);
    Simulator::Run();
    EXPECT_TRUE(c.records.empty());
    std::vector<std::string> lines = c.executor->DescribeBlocked();
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_NE(
        lines[0].find("all-gather 0 of communicator world (written), rank 0 (GPU 0): thread "
                      "0, step 0 waits for 1000 B from rank 1 to rank 0, channel 0, by queue pair"),
        std::string::npos)
        << lines[0];
    EXPECT_NE(lines[1].find("rank 1 (GPU 1): thread 0, step 0 waits for step 7 of thread 1"),
              std::string::npos)
        << lines[1];
    EXPECT_NE(lines[2].find("rank 2 (GPU 2): was never launched"), std::string::npos) << lines[2];
}

TEST(Executor, AMessageOfTheWrongLengthFailsTheCollective)
{
    Cluster c;
    c.BuildStar(2);
    auto algorithm = CreateObject<WrittenAlgorithm>();
    algorithm->threads = {{{WrittenAlgorithm::Send(1, 1000)}},
                          {{WrittenAlgorithm::Receive(0, 999)}}};
    c.executor->Launch(MakeRequest(CollectiveOperation::ALL_GATHER, 2000, 1), algorithm);
    Simulator::Run();
    ASSERT_EQ(c.records.size(), 1u);
    EXPECT_NE(c.records[0].error.find("rank 0 to rank 1, channel 0"), std::string::npos);
    EXPECT_NE(c.records[0].error.find("1000 B came where the program expects 999 B"),
              std::string::npos)
        << c.records[0].error;
}

// ---------------------------------------------------------------- failures

TEST(Executor, RanksMustAskForTheSame)
{
    Cluster c;
    c.BuildStar(2);
    Ptr<RingAlgorithm> ring = MakeRing(1);
    c.executor->LaunchRank(0, MakeRequest(CollectiveOperation::ALL_REDUCE, 1000, 4), ring);
    c.executor->LaunchRank(1, MakeRequest(CollectiveOperation::ALL_REDUCE, 1001, 4), ring);
    Simulator::Run();
    ASSERT_EQ(c.records.size(), 1u);
    EXPECT_EQ(
        c.records[0].error,
        "communicator world: rank 1 asks for all-reduce of 1001 x 4 B (ring) as collective 0, "
        "where others ask for all-reduce of 1000 x 4 B (ring)");
}

TEST(Executor, ADeadCableFailsTheCollectiveAndAllLaterOnes)
{
    Cluster c;
    c.fixture.rdma.SetQueuePairAttribute("Timeout", UintegerValue(4)); // 65.5 us
    c.fixture.rdma.SetQueuePairAttribute("RetryCount", UintegerValue(2));
    c.BuildStar(4);
    // The cable of rank 2 carries nothing from 20 us on, in the middle of the collective.
    c.fixture.Cable(2)->SetLossFilter(Callback<bool, const FabricFrame&>(
        [](const FabricFrame&) { return Simulator::Now() > MicroSeconds(20); }));
    Ptr<RingAlgorithm> ring = MakeRing(1);
    c.executor->Launch(MakeRequest(CollectiveOperation::ALL_REDUCE, 4 * MIB, 4), ring);
    c.executor->Launch(MakeRequest(CollectiveOperation::ALL_GATHER, 4 * MIB, 4),
                       ring); // waits behind it
    Ptr<GpuStream> stream = c.communicator->GetStream(3);
    stream->EnqueueKernel("after", MicroSeconds(1));
    Simulator::Run();

    ASSERT_EQ(c.records.size(), 2u);
    for (const CollectiveRecord& record : c.records)
    {
        // Either rank 2 itself or the rank before it is the first to give up.
        EXPECT_EQ(record.error.find("communicator world: rank "), 0u) << record.error;
        EXPECT_TRUE(record.error.find("rank 1 to rank 2") != std::string::npos ||
                    record.error.find("rank 2 to rank 3") != std::string::npos)
            << record.error;
        EXPECT_NE(record.error.find("channel 0, by queue pair "), std::string::npos);
        EXPECT_NE(record.error.find(ToString(WcStatus::RETRY_EXCEEDED)), std::string::npos);
    }
    // Three waits of 65.536 us (one, and two repetitions) after the last progress, which was an
    // acknowledgement some time before 20 us: one comes every 16 frames, 1.3 us.
    EXPECT_GT(c.records[0].end, MicroSeconds(15) + 3 * NanoSeconds(65536));
    EXPECT_LT(c.records[0].end, MicroSeconds(21) + 3 * NanoSeconds(65536));
    EXPECT_EQ(c.executor->GetOutstanding(), 0u);
    EXPECT_TRUE(c.executor->DescribeBlocked().empty());
    EXPECT_EQ(stream->GetPending(), 0u) << "the stream goes on behind a failed collective";

    c.executor->Launch(MakeRequest(CollectiveOperation::ALL_REDUCE, 1, 4), ring);
    Simulator::Run();
    ASSERT_EQ(c.records.size(), 3u);
    EXPECT_EQ(c.records[2].error, c.records[0].error);
}

// ---------------------------------------------------------------- communicators

TEST(Communicator, ConnectionsAreMadeWhenUsedAndByTheRightPorts)
{
    Cluster c;
    c.BuildRails(2, 2);
    EXPECT_EQ(c.communicator->GetNConnections(), 0u);
    auto connection = [&](uint32_t from, uint32_t to) -> const CollectiveConnection& {
        return c.communicator->GetConnection({MessageWay::PEER, to, 0}, from, true);
    };
    EXPECT_EQ(connection(0, 1).Describe(), "scale-up flow 0 of 100.64.0.1");
    // ranks 1 and 3 have their NICs at 10.0.0.2 and 10.0.0.4, queue pairs are numbered from 2
    EXPECT_EQ(connection(1, 3).Describe(),
              "queue pair 2 of 10.0.0.2 (to queue pair 2 of 10.0.0.4)");
    connection(1, 3);
    EXPECT_EQ(c.communicator->GetNConnections(), 2u);
    // Two rings of four have eight connections; that of channel 0 is 1 0 2 3, so all are new.
    c.Run(MakeRequest(CollectiveOperation::ALL_REDUCE, MIB, 4), MakeRing(2));
    size_t made = c.communicator->GetNConnections();
    EXPECT_EQ(made, 2u + 8);
    c.Run(MakeRequest(CollectiveOperation::ALL_REDUCE, MIB, 4), MakeRing(2));
    EXPECT_EQ(c.communicator->GetNConnections(), made) << "connections are kept";
}

TEST(Communicator, AnySubsetInAnyOrderWillDo)
{
    Cluster c;
    c.BuildRails(3, 4);
    // ranks scattered over the servers; two communicators share GPUs and run at the same time
    const std::vector<std::vector<uint32_t>> groups{{11, 0, 5, 2, 7}, {0, 4, 8}, {1, 2, 3}};
    std::vector<Ptr<CollectiveExecutor>> executors;
    for (const auto& ids : groups)
    {
        std::vector<Ptr<GpuEndpoint>> gpus;
        for (uint32_t id : ids)
        {
            gpus.push_back(c.cluster.gpus[id]);
        }
        auto communicator = CreateObject<Communicator>();
        communicator->SetRanks("group", gpus);
        executors.push_back(CreateObject<CollectiveExecutor>());
        executors.back()->SetCommunicator(communicator);
        executors.back()->TraceConnectWithoutContext("CollectiveComplete",
                                                     MakeCallback(&Cluster::Ended, &c));
        executors.back()->Launch(MakeRequest(CollectiveOperation::ALL_REDUCE, MIB + 5, 2),
                                 MakeRing(0));
    }
    Simulator::Run();
    ASSERT_EQ(c.records.size(), groups.size());
    for (const CollectiveRecord& record : c.records)
    {
        EXPECT_EQ(record.error, "");
    }
}

TEST(CommunicatorDeathTest, AGpuHasOneRank)
{
    FabricFixture fixture;
    auto gpu = CreateObject<GpuEndpoint>();
    EXPECT_DEATH(CreateObject<Communicator>()->SetRanks("twice", {gpu, gpu}), "two ranks");
    EXPECT_DEATH(CreateObject<Communicator>()->SetRanks("empty", {}), "no rank");
}
