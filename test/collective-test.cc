// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Collectives: programs executed on paper, ring layouts, and what a run moves, when, and how
 * it fails.
 */

#include "fabric-fixture.h"

#include "ns3/collective-executor.h"
#include "ns3/gpu-cluster-helper.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/ring-algorithm.h"
#include "ns3/ring-order.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace ns3;

namespace
{

constexpr uint64_t MIB = 1 << 20;

// ---------------------------------------------------------------- a machine on paper

/**
 * Executes a program with numbers for data. The contribution of rank r to any element is 16^r, so
 * that a sum shows how often each rank is in it (up to 15 times, for up to 16 ranks).
 */
class PaperMachine
{
  public:
    PaperMachine(const CollectiveProgram& program, const CollectiveRequest& request, uint32_t ranks)
        : m_request(request),
          m_buffers(ranks)
    {
        for (uint32_t r = 0; r < ranks; ++r)
        {
            Fill(r);
            for (uint32_t t = 0; t < program.GetThreads(r); ++t)
            {
                m_threads.push_back({r, program.Open(r, t), ProgramStep(), false, false, {}});
            }
        }
        while (Turn())
        {
        }
    }

    /// @param rank a rank @return the sum of its contributions: 16^rank
    static uint64_t Contribution(uint32_t rank)
    {
        return uint64_t{1} << (4 * rank);
    }

    void ExpectDone() const
    {
        for (const auto& [key, queue] : m_wires)
        {
            EXPECT_TRUE(queue.empty()) << "a message that nobody takes";
        }
        for (const Thread& thread : m_threads)
        {
            EXPECT_TRUE(thread.ended) << "rank " << thread.rank << " waits for ever";
            EXPECT_TRUE(thread.inbox.empty()) << "rank " << thread.rank << " received for nothing";
        }
    }

    const std::vector<uint64_t>& GetBuffer(uint32_t rank) const
    {
        return m_buffers[rank];
    }

    /// @return bytes that a rank sent
    uint64_t GetSentBytes(uint32_t rank) const
    {
        auto found = m_sentBytes.find(rank);
        return found == m_sentBytes.end() ? 0 : found->second;
    }

  private:
    static constexpr uint64_t NOTHING = UINT64_MAX; ///< memory that has not been written

    struct Thread
    {
        uint32_t rank;
        std::unique_ptr<StepSource> steps;
        ProgramStep step;
        bool hasStep;
        bool ended;
        std::vector<uint64_t> inbox;
    };

    void Fill(uint32_t rank)
    {
        m_buffers[rank].assign(m_request.count, Contribution(rank));
        if (m_request.operation == CollectiveOperation::ALL_GATHER)
        {
            Part own = EvenPart(m_request.count, m_buffers.size(), rank);
            for (uint64_t i = 0; i < m_request.count; ++i)
            {
                bool inside = i >= own.offset && i < own.offset + own.count;
                m_buffers[rank][i] = inside ? Contribution(rank) : NOTHING;
            }
        }
    }

    /// One step of each thread that can do one. @return false: no thread could
    bool Turn()
    {
        bool moved = false;
        for (Thread& thread : m_threads)
        {
            if (!thread.hasStep && !thread.ended)
            {
                thread.hasStep = thread.steps->Next(thread.step);
                thread.ended = !thread.hasStep;
            }
            if (thread.hasStep && Do(thread))
            {
                thread.hasStep = false;
                moved = true;
            }
        }
        return moved;
    }

    bool Do(Thread& thread)
    {
        const ProgramStep& step = thread.step;
        EXPECT_GT(step.bytes, 0u);
        EXPECT_EQ(step.bytes % m_request.typeBytes, 0u);
        EXPECT_EQ(step.offset % m_request.typeBytes, 0u);
        EXPECT_LE(step.offset + step.bytes, m_request.GetBytes());
        uint64_t first = step.offset / m_request.typeBytes;
        uint64_t count = step.bytes / m_request.typeBytes;
        std::vector<uint64_t>& buffer = m_buffers[thread.rank];
        if (step.kind == ProgramStep::Kind::SEND)
        {
            m_sentBytes[thread.rank] += step.bytes;
            m_wires[{step.channel, thread.rank, step.peer}].emplace_back(buffer.begin() + first,
                                                                         buffer.begin() + first +
                                                                             count);
            return true;
        }
        if (step.kind == ProgramStep::Kind::RECEIVE)
        {
            auto& wire = m_wires[{step.channel, step.peer, thread.rank}];
            if (wire.empty())
            {
                return false;
            }
            EXPECT_TRUE(thread.inbox.empty()) << "the message before was not used";
            thread.inbox = wire.front();
            wire.pop_front();
            EXPECT_EQ(thread.inbox.size(), count);
            return true;
        }
        EXPECT_EQ(thread.inbox.size(), count);
        for (uint64_t i = 0; i < thread.inbox.size(); ++i)
        {
            EXPECT_NE(thread.inbox[i], NOTHING) << "memory was sent before it was written";
            bool reduce = step.kind == ProgramStep::Kind::REDUCE;
            buffer[first + i] = thread.inbox[i] + (reduce ? buffer[first + i] : 0);
        }
        thread.inbox.clear();
        return true;
    }

    CollectiveRequest m_request;
    std::vector<std::vector<uint64_t>> m_buffers;
    std::vector<Thread> m_threads;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::deque<std::vector<uint64_t>>> m_wires;
    std::map<uint32_t, uint64_t> m_sentBytes;
};

Ptr<RingAlgorithm>
MakeRing(uint32_t channels, uint64_t chunkBytes = 2 * MIB, uint64_t sliceBytes = 128 * 1024)
{
    return CreateObjectWithAttributes<RingAlgorithm>("Channels",
                                                     UintegerValue(channels),
                                                     "ChunkSize",
                                                     UintegerValue(chunkBytes),
                                                     "SliceSize",
                                                     UintegerValue(sliceBytes));
}

/// Runs a ring on paper and checks every element of every rank.
void
ExpectRingIsRight(const CollectiveRequest& request,
                  const RankLayout& layout,
                  Ptr<RingAlgorithm> ring)
{
    SCOPED_TRACE(std::string(ToString(request.operation)) + " of " + std::to_string(request.count) +
                 " x " + std::to_string(request.typeBytes) + " B by " +
                 std::to_string(layout.GetSize()) + " ranks in " +
                 std::to_string(layout.GetGroups().size()) + " groups on " +
                 std::to_string(ring->GetChannels(layout)) + " channels");
    ASSERT_EQ(ring->Check(request, layout), "");
    auto program = ring->Emit(request, layout);
    uint32_t n = layout.GetSize();
    PaperMachine machine(*program, request, n);
    machine.ExpectDone();
    uint64_t all = 0;
    for (uint32_t r = 0; r < n; ++r)
    {
        all += PaperMachine::Contribution(r);
    }
    for (uint32_t r = 0; r < n; ++r)
    {
        for (uint32_t b = 0; b < n; ++b)
        {
            Part block = EvenPart(request.count, n, b);
            if (request.operation == CollectiveOperation::REDUCE_SCATTER && b != r)
            {
                continue; // another rank's result: anything may lie here
            }
            uint64_t expected = request.operation == CollectiveOperation::ALL_GATHER
                                    ? PaperMachine::Contribution(b)
                                    : all;
            for (uint64_t i = block.offset; i < block.offset + block.count; ++i)
            {
                ASSERT_EQ(machine.GetBuffer(r)[i], expected) << "rank " << r << ", element " << i;
            }
        }
    }
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
    EXPECT_DOUBLE_EQ(BusBandwidthFactor(CollectiveOperation::ALL_REDUCE, 1), 0);
}

TEST(CollectiveRequest, NamesAreReadBack)
{
    EXPECT_STREQ(ToString(CollectiveOperation::REDUCE_SCATTER), "reduce-scatter");
    for (CollectiveOperation operation : OPERATIONS)
    {
        CollectiveOperation parsed{};
        EXPECT_TRUE(ParseCollectiveOperation(ToString(operation), parsed));
        EXPECT_EQ(parsed, operation);
    }
    CollectiveOperation none{};
    EXPECT_FALSE(ParseCollectiveOperation("all-to-none", none));
    EXPECT_EQ(GetCollectiveOperationNames().size(), std::size(OPERATIONS));
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

// ---------------------------------------------------------------- programs

TEST(RingProgram, EveryRankEndsWithEveryContributionOnce)
{
    for (uint32_t ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16})
    {
        for (uint32_t channels = 1; channels <= 8; ++channels)
        {
            for (uint64_t count : {0, 1, 2, 7, 97, 1001})
            {
                for (CollectiveOperation operation : OPERATIONS)
                {
                    // chunks of 10 elements, slices of 3: several loops, nothing divides evenly
                    ExpectRingIsRight({operation, count, 4},
                                      RankLayout::Regular(1, ranks),
                                      MakeRing(channels, 43, 13));
                }
            }
        }
    }
}

TEST(RingProgram, AnyLayoutWillDo)
{
    std::vector<RankLayout> layouts;
    for (auto [groups, each] : std::vector<std::pair<uint32_t, uint32_t>>{{2, 8},
                                                                          {4, 4},
                                                                          {8, 2},
                                                                          {16, 1},
                                                                          {3, 4},
                                                                          {3, 2},
                                                                          {5, 3},
                                                                          {2, 1},
                                                                          {7, 2}})
    {
        layouts.push_back(RankLayout::Regular(groups, each));
    }
    // groups of unlike sizes and rails, ranks not in the order of groups
    layouts.emplace_back(std::vector<RankPlace>{{7, 0}, {3, 5}, {7, 2}, {3, 1}, {7, 5}, {9, 0}});
    layouts.emplace_back(std::vector<RankPlace>{{0, 0}, {0, 0}, {1, 0}, {1, 0}, {2, 0}});
    for (const RankLayout& layout : layouts)
    {
        for (uint64_t count : {1, 16, 1001, 4096})
        {
            for (CollectiveOperation operation : OPERATIONS)
            {
                ExpectRingIsRight({operation, count, 2}, layout, MakeRing(0, 100, 30));
            }
        }
    }
}

TEST(RingProgram, SendsAsMuchAsIsNeededAndNoMore)
{
    constexpr uint32_t RANKS = 8;
    constexpr uint64_t COUNT = 8 * 4 * 1024; // divides by ranks, channels, chunks and slices
    for (CollectiveOperation operation : OPERATIONS)
    {
        CollectiveRequest request{operation, COUNT, 4};
        auto program = MakeRing(4, 4096, 1024)->Emit(request, RankLayout::Regular(1, RANKS));
        PaperMachine machine(*program, request, RANKS);
        uint64_t times = operation == CollectiveOperation::ALL_REDUCE ? 2 : 1;
        for (uint32_t r = 0; r < RANKS; ++r)
        {
            EXPECT_EQ(machine.GetSentBytes(r), times * (RANKS - 1) * request.GetBytes() / RANKS);
        }
    }
}

TEST(RingProgram, HugeBuffersDoNotOverflow)
{
    // 2^40 elements of 4 B by 5 ranks: the first steps, and where they lie.
    CollectiveRequest request{CollectiveOperation::ALL_GATHER, uint64_t{1} << 40, 4};
    auto program = MakeRing(1, 1 << 20, 1 << 20)->Emit(request, RankLayout::Regular(1, 5));
    auto steps = program->Open(4, 0);
    ProgramStep step;
    ASSERT_TRUE(steps->Next(step));
    EXPECT_EQ(step.kind, ProgramStep::Kind::SEND);
    // blocks 0 to 3 of 5 have 219902325556 elements but the last one: 2^40 = 5 x 219902325555 + 1
    EXPECT_EQ(step.offset, (4 * uint64_t{219902325555} + 1) * 4);
    EXPECT_LE(step.bytes, 1u << 20);
}

TEST(RingProgram, WhatItCannotDoIsRefused)
{
    Ptr<RingAlgorithm> ring = MakeRing(1);
    RankLayout two = RankLayout::Regular(1, 2);
    EXPECT_NE(ring->Check({CollectiveOperation::ALL_REDUCE, 1, 0}, two), "");
    EXPECT_NE(ring->Check({CollectiveOperation::ALL_REDUCE, 1, 128 * 1024 + 1}, two), "");
    EXPECT_NE(ring->Check({CollectiveOperation::ALL_REDUCE, uint64_t{1} << 62, 4}, two), "");
    EXPECT_NE(ring->Check({CollectiveOperation::ALL_REDUCE, 1, 4}, RankLayout()), "");
    EXPECT_EQ(ring->Check({CollectiveOperation::ALL_REDUCE, 1, 4}, two), "");
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
        executor = CreateObject<CollectiveExecutor>();
        executor->SetAttribute("LaunchLatency", TimeValue(LAUNCH));
        executor->SetCommunicator(communicator);
        executor->TraceConnectWithoutContext("CollectiveComplete",
                                             MakeCallback(&Cluster::Ended, this));
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
        CollectiveRequest request{operation, 4 * MIB, 1};
        CollectiveRecord record = c.Run(request, MakeRing(2));
        EXPECT_EQ(record.error, "");
        uint64_t times = operation == CollectiveOperation::ALL_REDUCE ? 2 : 1;
        uint64_t share = times * (RANKS - 1) * request.GetBytes() / RANKS;
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
    CollectiveRequest request{CollectiveOperation::ALL_REDUCE, 16 * MIB, 1};
    CollectiveRecord record = c.Run(request, MakeRing(8));
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.channels, 8u);
    uint64_t share = 2 * 15 * request.GetBytes() / 16 / 8; // of one ring
    for (const auto& gpu : c.cluster.gpus)
    {
        EXPECT_EQ(SentPayload(gpu->GetNicPort()), share);
        EXPECT_EQ(SentPayload(gpu->GetNicPort()->GetPeer()), share);
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
            EXPECT_EQ(SentPayload(fabricSwitch->GetPort(p)), spineOrLeaf ? 0 : share);
        }
    }
}

TEST(Collective, AnUncutRingTakesTwiceNMinusOneStepsInARow)
{
    // One channel, one loop, one slice a chunk: a rank sends a chunk when it has received and
    // reduced (or copied) the one before. So the steps are a chain:
    //   launch + (n - 1) (message + overhead + 3 B / HBM) + (n - 1) (message + overhead + 2 B /
    //   HBM)
    // ACKs that cross the data (some 0.2 % of the bytes) are left out.
    const Time delay = NanoSeconds(500);
    for (uint32_t ranks : {2, 3, 8})
    {
        Cluster c;
        c.BuildStar(ranks, delay);
        uint64_t chunk = 256 * 1024;
        CollectiveRequest request{CollectiveOperation::ALL_REDUCE, ranks * chunk / 4, 4};
        CollectiveRecord record = c.Run(request, MakeRing(1, chunk, chunk));
        Time step = MessageTime(chunk, delay) + MicroSeconds(3);
        Time expected = Cluster::LAUNCH + 2 * (ranks - 1) * step +
                        (ranks - 1) * (MemoryTime(chunk, 3) + MemoryTime(chunk, 2));
        EXPECT_NEAR(Share(record.end - record.start, expected), 1, 0.005) << ranks << " ranks";
        EXPECT_EQ(record.ranks, ranks);
        EXPECT_EQ(record.channels, 1u);
        EXPECT_EQ(record.algorithm, "ring");
        EXPECT_EQ(record.protocol, "simple");
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
    CollectiveRequest request{CollectiveOperation::ALL_REDUCE, 64 * MIB / 4, 4};
    CollectiveRecord record = c.Run(request, MakeRing(1));
    uint64_t messages = 96 * MIB / (128 * 1024);
    Time wire = OnWire("400Gbps", 96 * MIB + messages * (32 * 82 + 20));
    Time last = NanoSeconds(1000) + MicroSeconds(3) + MemoryTime(128 * 1024, 2);
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
        c.Run({CollectiveOperation::ALL_REDUCE, 64 * MIB / 4, 4}, MakeRing(0));
    double bound = 8 * 50e9 * 4096 / (4096 + 82);
    EXPECT_LT(record.GetBusBandwidth(), bound);
    EXPECT_GT(record.GetBusBandwidth(), 0.95 * bound);
}

TEST(Collective, NothingToDoTakesTheLaunchLatency)
{
    Cluster c;
    c.BuildStar(3);
    CollectiveRecord record = c.Run({CollectiveOperation::ALL_REDUCE, 0, 4}, MakeRing(2));
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.end - record.start, Cluster::LAUNCH);
    EXPECT_EQ(record.GetBusBandwidth(), 0);

    Cluster alone;
    alone.BuildStar(1);
    record = alone.Run({CollectiveOperation::ALL_GATHER, MIB, 4}, MakeRing(1));
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.end - record.start, Cluster::LAUNCH);
}

TEST(Collective, OddSizesComplete)
{
    for (uint64_t count : {1, 2, 3, 4095, 65537, 1000003})
    {
        Cluster c;
        c.BuildRails(2, 4);
        for (CollectiveOperation operation : OPERATIONS)
        {
            EXPECT_EQ(c.Run({operation, count, 1}, MakeRing(0, 65536, 16384)).error, "");
        }
        EXPECT_EQ(c.records.size(), std::size(OPERATIONS));
    }
}

TEST(Collective, ServersWithoutScaleUpUseTheirNics)
{
    Cluster c;
    c.helper.SetScaleUp(false);
    c.BuildRails(2, 2);
    CollectiveRequest request{CollectiveOperation::ALL_GATHER, 4 * MIB, 1};
    EXPECT_EQ(c.Run(request, MakeRing(2)).error, "");
    for (const auto& gpu : c.cluster.gpus)
    {
        EXPECT_EQ(SentPayload(gpu->GetNicPort()), 3 * MIB);
    }
}

TEST(Collective, GpusOfOneNicReachEachOtherThroughTheLeaf)
{
    Cluster c;
    c.helper.SetScaleUp(false);
    c.helper.SetGpusPerServer(2);
    c.BuildStar(2);
    EXPECT_EQ(c.Run({CollectiveOperation::ALL_GATHER, 4 * MIB, 1}, MakeRing(1)).error, "");
    for (uint32_t h = 0; h < 2; ++h)
    {
        EXPECT_EQ(SentPayload(c.fixture.Port(h)), 2 * 3 * MIB); // of two GPUs
    }
}

// ---------------------------------------------------------------- streams and order

TEST(Collective, ARankThatComesLateHoldsTheOthers)
{
    Cluster c;
    c.BuildStar(4);
    c.communicator->GetStream(2)->EnqueueKernel("slow kernel", MicroSeconds(100));
    CollectiveRecord record = c.Run({CollectiveOperation::ALL_REDUCE, 1024, 4}, MakeRing(1));
    EXPECT_EQ(record.start, Time(0)); // the first rank's
    EXPECT_GT(record.end, MicroSeconds(100) + Cluster::LAUNCH);
    EXPECT_EQ(record.rankEnds.size(), 4u);
    EXPECT_EQ(*std::max_element(record.rankEnds.begin(), record.rankEnds.end()), record.end);
    EXPECT_EQ(record.rankEnds[record.stragglerRank], record.end);
}

TEST(Collective, CollectivesOfACommunicatorFollowEachOther)
{
    Cluster c;
    c.BuildRails(2, 2);
    Ptr<RingAlgorithm> ring = MakeRing(0);
    for (CollectiveOperation operation : OPERATIONS)
    {
        c.executor->Launch({operation, MIB, 4}, ring);
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
                                   {CollectiveOperation::ALL_GATHER, 3 * MIB, 1},
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
        c.Run({CollectiveOperation::ALL_REDUCE, 2 * MIB + 3, 4}, MakeRing(0));
        c.Run({CollectiveOperation::ALL_GATHER, 2 * MIB + 3, 4}, MakeRing(0));
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
                                                  const RankLayout&) const override
    {
        return std::make_shared<Program>(threads);
    }

    static ProgramStep Step(ProgramStep::Kind kind, uint32_t peer, uint64_t bytes)
    {
        ProgramStep step;
        step.kind = kind;
        step.peer = peer;
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

using Kind = ProgramStep::Kind;

} // namespace

TEST(Executor, AThreadWaitsForAStepOfAnother)
{
    // Rank 1's thread 0 answers, but only after thread 1 has received what rank 2 sends late.
    Cluster c;
    c.BuildStar(3);
    auto algorithm = CreateObject<WrittenAlgorithm>();
    ProgramStep answer = WrittenAlgorithm::Step(Kind::SEND, 0, 1000);
    answer.after = {1, 0};
    algorithm->threads = {{{WrittenAlgorithm::Step(Kind::RECEIVE, 1, 1000)}},
                          {{answer}, {WrittenAlgorithm::Step(Kind::RECEIVE, 2, 2000)}},
                          {{WrittenAlgorithm::Step(Kind::SEND, 1, 2000)}}};
    c.communicator->GetStream(2)->EnqueueKernel("late", MicroSeconds(50));
    c.executor->Launch({CollectiveOperation::ALL_GATHER, 3000, 1}, algorithm);
    Simulator::Run();
    ASSERT_EQ(c.records.size(), 1u);
    EXPECT_EQ(c.records[0].error, "");
    // rank 2's kernel, launch, two messages one after the other, each with its step overhead
    Time expected = MicroSeconds(50) + Cluster::LAUNCH + MessageTime(2000, NanoSeconds(500)) +
                    MessageTime(1000, NanoSeconds(500)) + 2 * MicroSeconds(3);
    EXPECT_EQ(c.records[0].rankEnds[0], expected);
}

TEST(Executor, WhatWaitsForEverIsNamed)
{
    Cluster c;
    c.BuildStar(3);
    auto algorithm = CreateObject<WrittenAlgorithm>();
    ProgramStep send = WrittenAlgorithm::Step(Kind::SEND, 0, 1000);
    send.after = {1, 7};
    algorithm->threads = {{{WrittenAlgorithm::Step(Kind::RECEIVE, 1, 1000)}}, {{send}, {}}, {}};
    c.executor->LaunchRank(0, {CollectiveOperation::ALL_GATHER, 3000, 1}, algorithm);
    c.executor->LaunchRank(1, {CollectiveOperation::ALL_GATHER, 3000, 1}, algorithm);
    Simulator::Run();
    EXPECT_TRUE(c.records.empty());
    std::vector<std::string> lines = c.executor->DescribeBlocked();
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_NE(lines[0].find("all-gather 0 of communicator world (written), rank 0 (GPU 0): thread "
                            "0, step 0 waits for 1000 B from rank 1 on channel 0 by queue pair"),
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
    algorithm->threads = {{{WrittenAlgorithm::Step(Kind::SEND, 1, 1000)}},
                          {{WrittenAlgorithm::Step(Kind::RECEIVE, 0, 999)}}};
    c.executor->Launch({CollectiveOperation::ALL_GATHER, 2000, 1}, algorithm);
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
    c.executor->LaunchRank(0, {CollectiveOperation::ALL_REDUCE, 1000, 4}, ring);
    c.executor->LaunchRank(1, {CollectiveOperation::ALL_REDUCE, 1001, 4}, ring);
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
    c.executor->Launch({CollectiveOperation::ALL_REDUCE, 4 * MIB, 4}, ring);
    c.executor->Launch({CollectiveOperation::ALL_GATHER, 4 * MIB, 4}, ring); // waits behind it
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

    c.executor->Launch({CollectiveOperation::ALL_REDUCE, 1, 4}, ring);
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
    EXPECT_EQ(c.communicator->GetConnection(0, 0, 1).Describe(), "scale-up flow 0 of 100.64.0.1");
    // ranks 1 and 3 have their NICs at 10.0.0.2 and 10.0.0.4, queue pairs are numbered from 2
    EXPECT_EQ(c.communicator->GetConnection(0, 1, 3).Describe(),
              "queue pair 2 of 10.0.0.2 (to queue pair 2 of 10.0.0.4)");
    c.communicator->GetConnection(0, 1, 3);
    EXPECT_EQ(c.communicator->GetNConnections(), 2u);
    // Two rings of four have eight connections; that of channel 0 is 1 0 2 3, so all are new.
    c.Run({CollectiveOperation::ALL_REDUCE, MIB, 4}, MakeRing(2));
    size_t made = c.communicator->GetNConnections();
    EXPECT_EQ(made, 2u + 8);
    c.Run({CollectiveOperation::ALL_REDUCE, MIB, 4}, MakeRing(2));
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
        executors.back()->Launch({CollectiveOperation::ALL_REDUCE, MIB + 5, 2}, MakeRing(0));
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
