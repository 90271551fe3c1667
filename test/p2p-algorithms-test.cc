// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Direct, pairwise, Bruck, halving-doubling and hierarchical algorithms: results, bytes and
 * messages of each rank by their closed forms, NCCL's order of peers, and lists of transfers.
 */

#include "ns3/bruck-algorithm.h"
#include "ns3/buffer-layout.h"
#include "ns3/direct-algorithm.h"
#include "ns3/halving-doubling-algorithm.h"
#include "ns3/hierarchical-algorithm.h"
#include "ns3/pairwise-algorithm.h"
#include "ns3/peer-schedule.h"
#include "ns3/program-checker.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace ns3;

namespace
{

using Operation = CollectiveOperation;

constexpr uint32_t TYPE_BYTES = 4;

CollectiveRequest
Request(Operation operation, uint64_t count, bool inPlace = false, uint32_t root = 0)
{
    CollectiveRequest request;
    request.operation = operation;
    request.count = count;
    request.typeBytes = TYPE_BYTES;
    request.inPlace = inPlace;
    request.root = root;
    return request;
}

/// How a program is made and checked.
struct Setting
{
    uint32_t channels{1};
    uint64_t sliceBytes{128 * 1024};
    uint32_t window{8};
    uint64_t chunkBytes{2 * 1024 * 1024};
};

/// Emits a program and checks it. @return what was sent
ProgramTotals
Verify(const CollectiveAlgorithm& algorithm,
       const CollectiveRequest& request,
       const RankLayout& layout,
       const Setting& setting = Setting())
{
    ProgramTotals totals;
    EXPECT_EQ(CheckRequest(request, layout.GetSize()), "");
    EXPECT_EQ(algorithm.Check(request, layout), "");
    CollectivePlan plan = algorithm.MakePlan(request, layout);
    plan.channels = setting.channels;
    plan.sliceBytes = setting.sliceBytes;
    plan.chunkBytes = setting.chunkBytes;
    plan.window = setting.window;
    auto program = algorithm.Emit(request, layout, plan);
    EXPECT_EQ(CheckProgram(*program, request, layout, setting.window, &totals), "")
        << algorithm.GetName() << " " << ToString(request.operation) << ", "
        << layout.GetGroups().size() << " groups, " << layout.GetSize() << " ranks, "
        << request.count << " elements, root " << request.root
        << (request.inPlace ? ", in place, " : ", ") << setting.channels << " channels, slices of "
        << setting.sliceBytes << " B, window " << setting.window;
    return totals;
}

/// What a program's ranks send to each other.
uint64_t
Bytes(const ProgramTotals& totals, uint32_t rank)
{
    return totals.Get(rank, MessageWay::PEER).bytes;
}

uint64_t
Messages(const ProgramTotals& totals, uint32_t rank)
{
    return totals.Get(rank, MessageWay::PEER).messages;
}

/// One group of ranks: no scale-up domain divides them.
RankLayout
Flat(uint32_t ranks)
{
    return RankLayout::Regular(1, ranks);
}

bool
HasInPlace(Operation operation)
{
    return operation != Operation::ALL_TO_ALL && operation != Operation::SEND_RECEIVE;
}

/// Every operation of an algorithm that has no list, over layouts, counts, channels and slices.
void
VerifyAll(const CollectiveAlgorithm& algorithm, const std::vector<RankLayout>& layouts)
{
    const std::vector<Setting> settings = {{1}, {3, 8, 1, 16}, {2, 64, 2, 64}};
    for (const RankLayout& layout : layouts)
    {
        uint32_t n = layout.GetSize();
        for (const std::string& name : GetCollectiveOperationNames())
        {
            Operation operation = Operation::BARRIER;
            ASSERT_TRUE(ParseCollectiveOperation(name, operation));
            CollectiveRequest request = Request(operation, 1);
            if (operation == Operation::ALL_TO_ALL_V || operation == Operation::POINT_TO_POINT ||
                !algorithm.Check(request, layout).empty())
            {
                continue;
            }
            for (uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{n} * 7 + 3})
            {
                for (bool inPlace : {false, true})
                {
                    if (inPlace && !HasInPlace(operation))
                    {
                        continue;
                    }
                    uint32_t root = HasRoot(operation) ? (n - 1) / 2 : 0;
                    for (const Setting& setting : settings)
                    {
                        Verify(algorithm,
                               Request(operation, count, inPlace, root),
                               layout,
                               setting);
                        if (::testing::Test::HasFailure())
                        {
                            return;
                        }
                    }
                }
            }
        }
    }
}

std::vector<RankLayout>
FlatLayouts()
{
    std::vector<RankLayout> layouts;
    for (uint32_t n : {1, 2, 3, 4, 5, 7, 8, 13, 16, 24, 33, 64})
    {
        layouts.push_back(Flat(n));
    }
    return layouts;
}

/// Groups of any shape; the last one has its ranks dealt out over the groups in turn.
std::vector<RankLayout>
GroupedLayouts()
{
    std::vector<RankLayout> layouts;
    for (auto [groups, each] : std::vector<std::pair<uint32_t, uint32_t>>{{2, 1},
                                                                          {5, 1},
                                                                          {2, 2},
                                                                          {3, 2},
                                                                          {2, 3},
                                                                          {4, 4},
                                                                          {3, 5},
                                                                          {2, 8},
                                                                          {7, 3},
                                                                          {8, 8}})
    {
        layouts.push_back(RankLayout::Regular(groups, each));
    }
    std::vector<RankPlace> places;
    for (uint32_t rank = 0; rank < 12; ++rank)
    {
        places.push_back({rank % 3, rank / 3});
    }
    layouts.emplace_back(places);
    return layouts;
}

std::vector<RankLayout>
AllLayouts()
{
    std::vector<RankLayout> layouts = FlatLayouts();
    for (const RankLayout& layout : GroupedLayouts())
    {
        layouts.push_back(layout);
    }
    return layouts;
}

uint32_t
CeilLog(uint32_t n)
{
    uint32_t k = 0;
    while ((1U << k) < n)
    {
        ++k;
    }
    return k;
}

// ---------------------------------------------------------------- results

TEST(Results, Direct)
{
    // Few channels, so that slots get several transfers; then as many as by default.
    Ptr<DirectAlgorithm> few = CreateObject<DirectAlgorithm>();
    few->SetAttribute("PointToPointChannels", UintegerValue(2));
    std::vector<RankLayout> layouts = AllLayouts();
    layouts.push_back(RankLayout({{0, 0}, {0, 1}, {1, 0}, {0, 2}}));
    layouts.erase(std::remove_if(layouts.begin(),
                                 layouts.end(),
                                 [](const RankLayout& layout) { return layout.GetSize() > 33; }),
                  layouts.end());
    VerifyAll(*few, layouts);
    VerifyAll(*CreateObject<DirectAlgorithm>(), {Flat(8), RankLayout::Regular(2, 8)});
}

TEST(Results, DirectOf64Ranks)
{
    for (const RankLayout& layout : {Flat(64), RankLayout::Regular(8, 8)})
    {
        for (Operation operation :
             {Operation::ALL_TO_ALL, Operation::ALL_REDUCE, Operation::REDUCE_SCATTER})
        {
            Verify(*CreateObject<DirectAlgorithm>(),
                   Request(operation, 64 * 5 + 1),
                   layout,
                   {2, 8});
        }
    }
}

TEST(Results, Pairwise)
{
    VerifyAll(*CreateObject<PairwiseAlgorithm>(), FlatLayouts());
}

TEST(Results, Bruck)
{
    VerifyAll(*CreateObject<BruckAlgorithm>(), FlatLayouts());
}

TEST(Results, HalvingDoubling)
{
    VerifyAll(*CreateObject<HalvingDoublingAlgorithm>(), FlatLayouts());
}

TEST(Results, Hierarchical)
{
    VerifyAll(*CreateObject<HierarchicalAlgorithm>(), AllLayouts());
}

TEST(Results, RefusesWhatItCannot)
{
    RankLayout flat = Flat(4);
    CollectiveRequest broadcast = Request(Operation::BROADCAST, 8);
    EXPECT_EQ(CreateObject<BruckAlgorithm>()->Check(broadcast, flat),
              "Bruck's algorithm cannot do broadcast");
    EXPECT_EQ(CreateObject<PairwiseAlgorithm>()->Check(broadcast, flat),
              "pairwise exchange cannot do broadcast");
    EXPECT_EQ(CreateObject<HalvingDoublingAlgorithm>()->Check(broadcast, flat),
              "halving and doubling cannot do broadcast");
    EXPECT_EQ(CreateObject<HierarchicalAlgorithm>()->Check(broadcast, flat),
              "a hierarchical collective cannot do broadcast");
    RankLayout unequal({{0, 0}, {0, 1}, {1, 0}});
    EXPECT_EQ(
        CreateObject<HierarchicalAlgorithm>()->Check(Request(Operation::ALL_REDUCE, 8), unequal),
        "a hierarchical collective needs groups of equal size, not of 2 and 1 ranks");
}

// ---------------------------------------------------------------- closed forms

/// Elements that every rank count up to 16 divides, so that closed forms are whole numbers.
constexpr uint64_t EVEN = 720720;

TEST(ClosedForm, Pairwise)
{
    // n - 1 messages of S / n, n - 1 rounds one after the other (Thakur et al. 2005, 4.3).
    for (uint32_t n : {2, 4, 5, 8, 12, 16})
    {
        ProgramTotals totals = Verify(*CreateObject<PairwiseAlgorithm>(),
                                      Request(Operation::ALL_TO_ALL, EVEN),
                                      Flat(n),
                                      {1, 4 * EVEN});
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            EXPECT_EQ(Messages(totals, rank), n - 1);
            EXPECT_EQ(Bytes(totals, rank), (n - 1) * EVEN / n * TYPE_BYTES);
        }
        EXPECT_EQ(totals.hops, n - 1);
    }
}

TEST(ClosedForm, BruckAllGather)
{
    // ceil(log2 n) rounds, (n - 1) / n S (Bruck et al. 1997); a range of blocks that goes round the
    // end of the buffer is two messages.
    for (uint32_t n : {2, 3, 4, 7, 8, 13, 16})
    {
        ProgramTotals totals = Verify(*CreateObject<BruckAlgorithm>(),
                                      Request(Operation::ALL_GATHER, EVEN),
                                      Flat(n),
                                      {1, 4 * EVEN});
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            EXPECT_GE(Messages(totals, rank), CeilLog(n));
            EXPECT_LE(Messages(totals, rank), 2 * CeilLog(n));
            EXPECT_EQ(Bytes(totals, rank), (n - 1) * EVEN / n * TYPE_BYTES);
        }
        EXPECT_EQ(Messages(totals, 0), CeilLog(n)); // its blocks never go round the end
        EXPECT_EQ(totals.hops, CeilLog(n));
    }
}

TEST(ClosedForm, BruckAllToAll)
{
    // ceil(log2 n) messages; in round k of them one block for each i < n with bit k, so that with n
    // a power of two it is S / 2 a round (Bruck et al. 1997).
    for (uint32_t n : {2, 3, 4, 6, 8, 13, 16})
    {
        uint64_t blocks = 0;
        for (uint32_t i = 1; i < n; ++i)
        {
            blocks += __builtin_popcount(i);
        }
        if ((n & (n - 1)) == 0)
        {
            EXPECT_EQ(blocks, CeilLog(n) * n / 2);
        }
        ProgramTotals totals = Verify(*CreateObject<BruckAlgorithm>(),
                                      Request(Operation::ALL_TO_ALL, EVEN),
                                      Flat(n),
                                      {1, 4 * EVEN});
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            EXPECT_EQ(Messages(totals, rank), CeilLog(n));
            EXPECT_EQ(Bytes(totals, rank), blocks * EVEN / n * TYPE_BYTES);
        }
        EXPECT_EQ(totals.hops, CeilLog(n));
    }
}

TEST(ClosedForm, HalvingDoublingPowerOfTwo)
{
    // Reduce-scatter and all-gather: log2 n messages, (n - 1) / n S; all-reduce both (Thakur et al.
    // 2005, 4.4 and 4.5).
    Ptr<HalvingDoublingAlgorithm> algorithm = CreateObject<HalvingDoublingAlgorithm>();
    for (uint32_t n : {2, 4, 8, 16})
    {
        for (Operation operation :
             {Operation::ALL_REDUCE, Operation::REDUCE_SCATTER, Operation::ALL_GATHER})
        {
            uint32_t times = operation == Operation::ALL_REDUCE ? 2 : 1;
            ProgramTotals totals =
                Verify(*algorithm, Request(operation, EVEN), Flat(n), {1, 4 * EVEN});
            for (uint32_t rank = 0; rank < n; ++rank)
            {
                EXPECT_EQ(Messages(totals, rank), times * CeilLog(n));
                EXPECT_EQ(Bytes(totals, rank), times * (n - 1) * EVEN / n * TYPE_BYTES);
            }
            EXPECT_EQ(totals.hops, times * CeilLog(n));
        }
    }
}

TEST(ClosedForm, HalvingDoublingFolded)
{
    // All-reduce of n ranks, p = 2^k < n the largest: a folded rank sends S once; the one that
    // stands for it 2 (p - 1) / p S and S back; the others 2 (p - 1) / p S. 2 log2 p + 2 hops.
    Ptr<HalvingDoublingAlgorithm> algorithm = CreateObject<HalvingDoublingAlgorithm>();
    for (uint32_t n : {3, 5, 6, 7, 12, 13})
    {
        uint32_t p = 1U << (CeilLog(n) - 1);
        ProgramTotals totals =
            Verify(*algorithm, Request(Operation::ALL_REDUCE, EVEN), Flat(n), {1, 4 * EVEN});
        uint64_t members = 2 * (p - 1) * EVEN / p * TYPE_BYTES;
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            bool inPair = rank < 2 * (n - p);
            uint64_t whole = EVEN * TYPE_BYTES;
            uint64_t expected = !inPair ? members : rank % 2 == 0 ? whole : members + whole;
            EXPECT_EQ(Bytes(totals, rank), expected) << rank << " of " << n;
        }
        EXPECT_EQ(totals.hops, 2 * CeilLog(p) + 2);
    }
}

TEST(ClosedForm, Hierarchical)
{
    // m groups of g ranks. All-reduce: 2 (g - 1) / g S + 2 (m - 1) / (m g) S. Reduce-scatter:
    // (g - 1) / g S + (m - 1) / (m g) S; all-gather the same. All-to-all: in the group g - 1 times
    // m blocks, outside m - 1 times g blocks, of S / (m g) each.
    Ptr<HierarchicalAlgorithm> algorithm = CreateObject<HierarchicalAlgorithm>();
    for (auto [m, g] : std::vector<std::pair<uint32_t, uint32_t>>{{2, 4}, {3, 5}, {4, 2}, {2, 8}})
    {
        uint32_t n = m * g;
        uint64_t block = EVEN / n * TYPE_BYTES;
        for (auto [operation, bytes, hops] : std::vector<std::tuple<Operation, uint64_t, uint32_t>>{
                 {Operation::ALL_REDUCE, 2 * ((g - 1) * m + m - 1) * block, 2 * (g + m - 2)},
                 {Operation::REDUCE_SCATTER, ((g - 1) * m + m - 1) * block, g + m - 2},
                 {Operation::ALL_GATHER, ((g - 1) * m + m - 1) * block, g + m - 2},
                 {Operation::ALL_TO_ALL, ((g - 1) * m + (m - 1) * g) * block, g + m - 2}})
        {
            ProgramTotals totals = Verify(*algorithm,
                                          Request(operation, EVEN),
                                          RankLayout::Regular(m, g),
                                          {1, 4 * EVEN});
            for (uint32_t rank = 0; rank < n; ++rank)
            {
                EXPECT_EQ(Bytes(totals, rank), bytes) << ToString(operation);
            }
            EXPECT_EQ(totals.hops, hops) << ToString(operation) << " " << m << " x " << g;
        }
    }
}

TEST(ClosedForm, HierarchicalAllToAllSendsOneMessageToEachGroup)
{
    // Inside: m blocks to each of g - 1 peers; outside: one message to each of m - 1 groups.
    ProgramTotals totals = Verify(*CreateObject<HierarchicalAlgorithm>(),
                                  Request(Operation::ALL_TO_ALL, EVEN),
                                  RankLayout::Regular(4, 3),
                                  {1, 4 * EVEN});
    for (uint32_t rank = 0; rank < 12; ++rank)
    {
        EXPECT_EQ(Messages(totals, rank), 2 * 4 + 3);
    }
}

TEST(ClosedForm, Direct)
{
    Ptr<DirectAlgorithm> algorithm = CreateObject<DirectAlgorithm>();
    constexpr uint32_t N = 8;
    constexpr uint64_t WHOLE = EVEN * TYPE_BYTES;

    struct Case
    {
        Operation operation;
        uint64_t root;
        uint64_t others;
    };

    // What is sent at least: nothing is forwarded, so each rank sends each block to each who wants
    // it.
    for (const Case& c : {Case{Operation::ALL_TO_ALL, WHOLE / N * 7, WHOLE / N * 7},
                          Case{Operation::ALL_GATHER, WHOLE / N * 7, WHOLE / N * 7},
                          Case{Operation::REDUCE_SCATTER, WHOLE / N * 7, WHOLE / N * 7},
                          Case{Operation::ALL_REDUCE, WHOLE * 7, WHOLE * 7},
                          Case{Operation::BROADCAST, WHOLE * 7, 0},
                          Case{Operation::SCATTER, WHOLE / N * 7, 0},
                          Case{Operation::REDUCE, 0, WHOLE},
                          Case{Operation::GATHER, 0, WHOLE / N},
                          Case{Operation::SEND_RECEIVE, WHOLE, WHOLE}})
    {
        constexpr uint32_t ROOT = 5;
        uint32_t root = HasRoot(c.operation) ? ROOT : 0;
        ProgramTotals totals =
            Verify(*algorithm, Request(c.operation, EVEN, false, root), Flat(N), {4});
        for (uint32_t rank = 0; rank < N; ++rank)
        {
            EXPECT_EQ(Bytes(totals, rank), rank == root ? c.root : c.others)
                << ToString(c.operation) << " " << rank;
        }
        EXPECT_EQ(Verify(*algorithm, Request(c.operation, N, false, root), Flat(N)).hops, 1U)
            << ToString(c.operation);
    }
}

TEST(ClosedForm, DirectCutsIntoChunks)
{
    // 2 ranks, 1 channel: 3 MB + 4 B to the other rank in chunks of 128 KiB = 22.89 -> 23 chunks.
    CollectiveRequest request = Request(Operation::SEND_RECEIVE, 750001);
    ProgramTotals totals =
        Verify(*CreateObject<DirectAlgorithm>(), request, Flat(2), {1, 128 * 1024, 8, 128 * 1024});
    EXPECT_EQ(Messages(totals, 0), 23U);
    // With a slice shorter than the chunk, messages are slices: 3000004 / 32768 = 91.55.
    totals = Verify(*CreateObject<DirectAlgorithm>(), request, Flat(2), {1, 32768, 8, 131072});
    EXPECT_EQ(Messages(totals, 0), 92U);
}

// ---------------------------------------------------------------- NCCL's order of peers

TEST(PeerOrder, DistancesAreTriangularNumbers)
{
    // The sequence that NCCL's init.cc states for 16: 0, 1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14,
    // 11, 9, 8; what is too big for 5 ranks (modulo 8: 0 1 3 6 2 7 5 4) is left out.
    EXPECT_EQ(PeerSchedule::GetDistances(16),
              (std::vector<uint32_t>{0, 1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8}));
    EXPECT_EQ(PeerSchedule::GetDistances(5), (std::vector<uint32_t>{0, 1, 3, 2, 4}));
    EXPECT_EQ(PeerSchedule::GetDistances(1), (std::vector<uint32_t>{0}));
}

TEST(PeerOrder, GoesByGroupThenByPosition)
{
    // 2 groups of 4: rank 1 (group 0, position 1) sends to positions 1, 2, 0, 3 (distances 0 1 3 2)
    // of group 0, then of group 1, and receives from positions 1, 0, 2, 3.
    PeerSchedule schedule(RankLayout::Regular(2, 4));
    std::vector<uint32_t> to;
    std::vector<uint32_t> from;
    for (uint32_t round = 0; round < 8; ++round)
    {
        to.push_back(schedule.GetDestination(1, round));
        from.push_back(schedule.GetSource(1, round));
    }
    EXPECT_EQ(to, (std::vector<uint32_t>{1, 2, 0, 3, 5, 6, 4, 7}));
    EXPECT_EQ(from, (std::vector<uint32_t>{1, 0, 2, 3, 5, 4, 6, 7}));
}

TEST(PeerOrder, EveryPairMeetsOnceInTheSameRound)
{
    for (const RankLayout& layout : AllLayouts())
    {
        PeerSchedule schedule(layout);
        uint32_t n = layout.GetSize();
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            std::vector<bool> met(n, false);
            for (uint32_t round = 0; round < n; ++round)
            {
                uint32_t to = schedule.GetDestination(rank, round);
                EXPECT_FALSE(met[to]);
                met[to] = true;
                EXPECT_EQ(schedule.GetSource(to, round), rank);
            }
            EXPECT_EQ(schedule.GetDestination(rank, 0), rank);
        }
    }
}

TEST(PeerOrder, UnequalGroupsAreOne)
{
    PeerSchedule schedule(RankLayout({{0, 0}, {0, 1}, {1, 0}, {0, 2}}));
    EXPECT_EQ(schedule.GetGroupSize(), 4U);
    EXPECT_EQ(schedule.GetDestination(3, 1), 0U);
}

// ---------------------------------------------------------------- threads of point-to-point

/// @return threads of a rank
uint32_t
CountThreads(uint32_t groups, uint32_t each, uint32_t channels, uint64_t count)
{
    RankLayout layout = RankLayout::Regular(groups, each);
    CollectiveRequest request = Request(Operation::ALL_TO_ALL, count);
    Ptr<DirectAlgorithm> algorithm = CreateObject<DirectAlgorithm>();
    CollectivePlan plan = algorithm->MakePlan(request, layout);
    plan.channels = channels;
    plan.chunkBytes = plan.sliceBytes = 131072;
    return algorithm->Emit(request, layout, plan)->GetThreads(0);
}

TEST(Threads, AreBoundAsNcclBatches)
{
    // One server of 8: a round a channel, 1 part each: 8 channels with 1 slot of 2 threads.
    EXPECT_EQ(CountThreads(1, 8, 1, 8000), 2 * 8U);
    // 64 servers of 8, 1 part: 64 bundles of 8 rounds over 32 channels: 8 slots of 2 threads each.
    EXPECT_EQ(CountThreads(64, 8, 1, 512000), 2 * 8 * 32U);
    // One group of 512: 512 rounds over 32 channels, 16 a channel, 8 at once.
    EXPECT_EQ(CountThreads(1, 512, 1, 512000), 2 * 8 * 32U);
    // 2 servers of 8, blocks of 1 MiB and up to 4 channels each: 2 bundles of 8 over 2 x 4
    // channels.
    EXPECT_EQ(CountThreads(2, 8, 4, 16 * 262144), 2 * 8 * 8U);
}

TEST(Threads, ManyRanksAreCheap)
{
    // 512 ranks all-to-all: every step is made and counted: 511 sends and receives and a copy each.
    RankLayout layout = RankLayout::Regular(64, 8);
    CollectiveRequest request = Request(Operation::ALL_TO_ALL, 512 * 1024);
    Ptr<DirectAlgorithm> algorithm = CreateObject<DirectAlgorithm>();
    auto program = algorithm->Emit(request, layout, algorithm->MakePlan(request, layout));
    for (uint32_t rank : {0U, 511U})
    {
        uint64_t steps = 0;
        ProgramStep step;
        for (uint32_t thread = 0; thread < program->GetThreads(rank); ++thread)
        {
            auto source = program->Open(rank, thread);
            while (source->Next(step))
            {
                EXPECT_EQ(step.bytes, 1024 * TYPE_BYTES);
                ++steps;
            }
        }
        EXPECT_EQ(steps, 2 * 511 + 1U);
    }
}

// ---------------------------------------------------------------- lists of transfers

TEST(Transfers, OnlySomePairs)
{
    for (Operation operation : {Operation::ALL_TO_ALL_V, Operation::POINT_TO_POINT})
    {
        CollectiveRequest request =
            MakeTransfers(operation, {{0, 3, 100}, {3, 0, 7}, {2, 2, 5}, {1, 4, 0}}, 5, TYPE_BYTES);
        ProgramTotals totals = Verify(*CreateObject<DirectAlgorithm>(), request, Flat(5));
        EXPECT_EQ(Bytes(totals, 0), 400U);
        EXPECT_EQ(Bytes(totals, 3), 28U);
        EXPECT_EQ(Messages(totals, 1), 0U); // 0 elements: no message
        EXPECT_EQ(Messages(totals, 2), 0U); // to itself: a copy
        EXPECT_EQ(totals.steps[2], 1U);
    }
}

TEST(Transfers, EmptyList)
{
    for (Operation operation : {Operation::ALL_TO_ALL_V, Operation::POINT_TO_POINT})
    {
        CollectiveRequest request = MakeTransfers(operation, {}, 3, TYPE_BYTES);
        ProgramTotals totals = Verify(*CreateObject<DirectAlgorithm>(), request, Flat(3));
        EXPECT_EQ(totals.steps, (std::vector<uint64_t>{0, 0, 0}));
    }
}

TEST(Transfers, SeveralOfOnePairStayInOrder)
{
    // Point-to-point: inputs and outputs lie in the order of the list, other pairs in between.
    CollectiveRequest request = MakeTransfers(
        Operation::POINT_TO_POINT,
        {{0, 1, 10}, {2, 1, 3}, {0, 1, 20}, {0, 2, 1}, {1, 1, 4}, {0, 1, 0}, {0, 1, 30}, {1, 1, 2}},
        3,
        TYPE_BYTES);
    for (const Setting& setting : {Setting{1}, Setting{4, 8, 1, 16}})
    {
        ProgramTotals totals = Verify(*CreateObject<DirectAlgorithm>(), request, Flat(3), setting);
        EXPECT_EQ(Bytes(totals, 0), 61 * TYPE_BYTES);
    }
}

/// A matrix as of experts: random sizes, some of them 0, some pairs not there.
CollectiveRequest
RandomMatrix(uint32_t ranks, uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<PointToPoint> transfers;
    for (uint32_t source = 0; source < ranks; ++source)
    {
        for (uint32_t destination = 0; destination < ranks; ++destination)
        {
            uint64_t count = random() % 5000;
            if (random() % 4 > 0)
            {
                transfers.push_back({source, destination, count % 3 == 0 ? 0 : count});
            }
        }
    }
    std::shuffle(transfers.begin(), transfers.end(), random);
    return MakeTransfers(Operation::ALL_TO_ALL_V, transfers, ranks, TYPE_BYTES);
}

TEST(Transfers, AnyMatrix)
{
    for (uint32_t n : {2, 3, 8, 16, 24})
    {
        for (uint32_t channels : {1, 4})
        {
            CollectiveRequest request = RandomMatrix(n, n);
            std::vector<uint64_t> sent(n, 0);
            for (const PointToPoint& transfer : *request.transfers)
            {
                bool leaves = transfer.source != transfer.destination;
                sent[transfer.source] += leaves ? transfer.count * TYPE_BYTES : 0;
            }
            for (const Ptr<CollectiveAlgorithm>& algorithm :
                 {Ptr<CollectiveAlgorithm>(CreateObject<DirectAlgorithm>()),
                  Ptr<CollectiveAlgorithm>(CreateObject<PairwiseAlgorithm>())})
            {
                ProgramTotals totals =
                    Verify(*algorithm, request, Flat(n), {channels, 1024, 2, 4096});
                for (uint32_t rank = 0; rank < n; ++rank)
                {
                    EXPECT_EQ(Bytes(totals, rank), sent[rank]);
                }
            }
        }
    }
}

TEST(Transfers, ManyToOneInSlots)
{
    // More peers than slots: 100 ranks on 4 channels of 8 at once, to and from rank 0, window 1.
    std::vector<PointToPoint> transfers;
    for (uint32_t rank = 1; rank < 100; ++rank)
    {
        transfers.push_back({rank, 0, 1000});
        transfers.push_back({0, rank, 10});
    }
    CollectiveRequest request =
        MakeTransfers(Operation::POINT_TO_POINT, transfers, 100, TYPE_BYTES);
    Ptr<DirectAlgorithm> algorithm = CreateObject<DirectAlgorithm>();
    algorithm->SetAttribute("PointToPointChannels", UintegerValue(4));
    ProgramTotals totals = Verify(*algorithm, request, Flat(100), {1, 512, 1, 1024});
    EXPECT_EQ(Bytes(totals, 0), 99 * 10 * TYPE_BYTES);
    EXPECT_EQ(Bytes(totals, 57), 1000 * TYPE_BYTES);
}

} // namespace
