// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What collective programs do, executed on symbols: the checker finds what is broken, and
 * every algorithm of the registry does what the request says, for any number of ranks.
 */

#include "ns3/collective-algorithms.h"
#include "ns3/pat-schedule.h"
#include "ns3/program-checker.h"
#include "ns3/tree-order.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace ns3;

namespace
{

using Operation = CollectiveOperation;

// ---------------------------------------------------------------- programs by hand

/// A program that is a list of steps for each thread of each rank.
class ListProgram : public CollectiveProgram
{
  public:
    using Thread = std::vector<ProgramStep>;

    std::vector<std::vector<Thread>> ranks; ///< threads of each
    uint64_t scratchBytes{0};

    uint32_t GetChannels() const override
    {
        return 4;
    }

    uint32_t GetThreads(uint32_t rank) const override
    {
        return static_cast<uint32_t>(ranks[rank].size());
    }

    uint64_t GetScratchBytes(uint32_t) const override
    {
        return scratchBytes;
    }

    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override
    {
        return std::make_unique<ListSteps>(ranks[rank][thread]);
    }

  private:
    class ListSteps : public StepSource
    {
      public:
        explicit ListSteps(const Thread& steps)
            : m_steps(steps)
        {
        }

        bool Next(ProgramStep& step) override
        {
            if (m_next == m_steps.size())
            {
                return false;
            }
            step = m_steps[m_next++];
            return true;
        }

      private:
        const Thread& m_steps;
        size_t m_next{0};
    };
};

constexpr uint32_t TYPE_BYTES = 4;

ProgramMessage
Peer(uint32_t rank, uint32_t channel = 0)
{
    return {MessageWay::PEER, rank, channel};
}

ProgramOperand
Input(uint64_t element)
{
    return {ProgramBuffer::INPUT, element * TYPE_BYTES};
}

ProgramOperand
Output(uint64_t element)
{
    return {ProgramBuffer::OUTPUT, element * TYPE_BYTES};
}

ProgramStep
MakeStep(ProgramMessage receive,
         ProgramOperand source,
         ProgramOperand destination,
         ProgramMessage send,
         uint64_t elements)
{
    ProgramStep step;
    step.receive = receive;
    step.source = source;
    step.destination = destination;
    step.send = send;
    step.bytes = elements * TYPE_BYTES;
    return step;
}

CollectiveRequest
MakeRequest(Operation operation, uint64_t count, bool inPlace = false)
{
    CollectiveRequest request;
    request.operation = operation;
    request.count = count;
    request.typeBytes = TYPE_BYTES;
    request.inPlace = inPlace;
    return request;
}

constexpr uint64_t ELEMENTS = 10;

/// A right all-reduce of three ranks: rank 0 gets all, adds up, and sends the sum to the others.
ListProgram
MakeStarAllReduce()
{
    ListProgram program;
    program.scratchBytes = ELEMENTS * TYPE_BYTES;
    ProgramOperand scratch{ProgramBuffer::SCRATCH, 0};
    program.ranks.resize(3);
    program.ranks[0] = {{MakeStep(Peer(1), Input(0), scratch, {}, ELEMENTS),
                         MakeStep(Peer(2), scratch, Output(0), Peer(1), ELEMENTS),
                         MakeStep({}, Output(0), {}, Peer(2), ELEMENTS)}};
    for (uint32_t rank : {1, 2})
    {
        program.ranks[rank] = {{MakeStep({}, Input(0), {}, Peer(0), ELEMENTS),
                                MakeStep(Peer(0), {}, Output(0), {}, ELEMENTS)}};
    }
    return program;
}

std::string
CheckStar(const ListProgram& program, uint32_t window = 8)
{
    return CheckProgram(program,
                        MakeRequest(Operation::ALL_REDUCE, ELEMENTS),
                        RankLayout::Regular(3, 1),
                        window);
}

/// Expects that a text has all parts.
void
ExpectParts(const std::string& text, const std::vector<std::string>& parts)
{
    for (const std::string& part : parts)
    {
        EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
    }
}

TEST(ProgramChecker, ARightProgramPassesAndIsCounted)
{
    ProgramTotals totals;
    EXPECT_EQ(CheckProgram(MakeStarAllReduce(),
                           MakeRequest(Operation::ALL_REDUCE, ELEMENTS),
                           RankLayout::Regular(3, 1),
                           1,
                           &totals),
              "");
    // Rank 0 sends the sum twice, the others their input once; up and down are two hops.
    EXPECT_EQ(totals.Get(0, MessageWay::PEER).bytes, 2 * ELEMENTS * TYPE_BYTES);
    EXPECT_EQ(totals.Get(0, MessageWay::PEER).messages, 2u);
    EXPECT_EQ(totals.Get(1, MessageWay::PEER).bytes, ELEMENTS * TYPE_BYTES);
    EXPECT_EQ(totals.hops, 2u);
    EXPECT_EQ(totals.steps, (std::vector<uint64_t>{3, 2, 2}));
}

TEST(ProgramChecker, ALostContributionIsNamed)
{
    ListProgram program = MakeStarAllReduce();
    program.ranks[0][0][1].source = {}; // the sum of ranks 0 and 1 is forgotten
    ExpectParts(CheckStar(program),
                {"rank 0 ", "element 0 ", "all 3 ranks", "lacks the input of rank 0"});
}

TEST(ProgramChecker, ALostContributionInTheMiddleIsNamed)
{
    ListProgram program = MakeStarAllReduce();
    // Rank 2 has elements 0 to 6 in place of 3 to 9 for the second part of what it sends.
    program.ranks[0][0][1].bytes = 3 * TYPE_BYTES;
    ProgramStep rest = program.ranks[0][0][1];
    rest.source.offset = rest.destination.offset = 3 * TYPE_BYTES;
    rest.bytes = 7 * TYPE_BYTES;
    rest.source = Input(3); // not the scratch buffer with rank 1's in it
    program.ranks[0][0].insert(program.ranks[0][0].begin() + 2, rest);
    program.ranks[2][0][0].bytes = 3 * TYPE_BYTES;
    ProgramStep sendRest = program.ranks[2][0][0];
    sendRest.source = Input(3);
    sendRest.bytes = 7 * TYPE_BYTES;
    program.ranks[2][0].insert(program.ranks[2][0].begin() + 1, sendRest);
    ProgramStep receiveRest = program.ranks[1][0][1];
    program.ranks[1][0][1].bytes = 3 * TYPE_BYTES;
    receiveRest.destination = Output(3);
    receiveRest.bytes = 7 * TYPE_BYTES;
    program.ranks[1][0].push_back(receiveRest);
    ExpectParts(CheckStar(program), {"rank 0 ", "element 3 ", "lacks the input of rank 1"});
}

TEST(ProgramChecker, AContributionCountedTwiceIsNamed)
{
    ListProgram program = MakeStarAllReduce();
    program.ranks[2][0][1].source = Input(0); // adds its own once more to the result
    ExpectParts(CheckStar(program), {"rank 2 ", "element 0 ", "has the input of rank 2 2 times"});
}

TEST(ProgramChecker, AForeignContributionIsNamed)
{
    ListProgram program = MakeStarAllReduce();
    CollectiveRequest request = MakeRequest(Operation::BROADCAST, ELEMENTS);
    request.operation = Operation::SEND_RECEIVE; // rank 2 is to end with the input of rank 1 only
    program.ranks[0] = {{MakeStep(Peer(2), {}, Output(0), Peer(1), ELEMENTS),
                         MakeStep({}, Input(0), {}, Peer(2), ELEMENTS)}};
    program.ranks[1] = {{MakeStep(Peer(0), {}, Output(0), {}, ELEMENTS)}};
    program.ranks[2] = {{MakeStep({}, Input(0), {}, Peer(0), ELEMENTS),
                         MakeStep(Peer(0), {}, Output(0), {}, ELEMENTS)}};
    ExpectParts(CheckProgram(program, request, RankLayout::Regular(3, 1), 1),
                {"rank 1 ", "element 0 of rank 0", "lacks the input of rank 0"});
}

TEST(ProgramChecker, AnOutputThatIsNotWrittenIsNamed)
{
    ListProgram program = MakeStarAllReduce();
    program.ranks[1][0][1].destination = {};
    ExpectParts(CheckStar(program), {"rank 1 ", "element 0 ", "undefined"});
}

TEST(ProgramChecker, ADeadlockNamesWhoWaitsForWhat)
{
    ListProgram program = MakeStarAllReduce();
    std::swap(program.ranks[1][0][0], program.ranks[1][0][1]);
    ExpectParts(CheckStar(program),
                {"deadlock",
                 "rank 0 thread 0 step 0 waits for a message from rank 1, channel 0",
                 "rank 1 thread 0 step 0 waits for a message from rank 0, channel 0",
                 "rank 2 thread 0 step 1 waits for a message from rank 0, channel 0"});
}

TEST(ProgramChecker, ATooSmallWindowIsADeadlock)
{
    ListProgram program;
    // Both send two messages before they receive one: fine with room for two, not for one.
    for (uint32_t rank : {0, 1})
    {
        uint32_t peer = 1 - rank;
        program.ranks.push_back({{MakeStep({}, Input(0), {}, Peer(peer), 5),
                                  MakeStep({}, Input(5), {}, Peer(peer), 5),
                                  MakeStep(Peer(peer), {}, Output(0), {}, 5),
                                  MakeStep(Peer(peer), {}, Output(5), {}, 5)}});
    }
    CollectiveRequest request = MakeRequest(Operation::SEND_RECEIVE, ELEMENTS);
    RankLayout layout = RankLayout::Regular(2, 1);
    EXPECT_EQ(CheckProgram(program, request, layout, 2), "");
    ExpectParts(CheckProgram(program, request, layout, 1),
                {"deadlock",
                 "rank 0 thread 0 step 1 waits for room for a message to rank 1, channel 0 "
                 "(window 1)"});
}

TEST(ProgramChecker, EndsOfAMessageThatDifferInLengthAreNamed)
{
    ListProgram program = MakeStarAllReduce();
    program.ranks[1][0][0].bytes -= TYPE_BYTES;
    ExpectParts(CheckStar(program),
                {"rank 0 thread 0 step 0", "40 B", "from rank 1", "the message has 36 B"});
}

TEST(ProgramChecker, AReadOfUndefinedMemoryIsNamed)
{
    ListProgram program = MakeStarAllReduce();
    program.ranks[0][0][0].bytes -= 2 * TYPE_BYTES;
    program.ranks[1][0][0].bytes -= 2 * TYPE_BYTES;
    ExpectParts(CheckStar(program),
                {"rank 0 thread 0 step 1", "undefined", "element 8 ", "byte 32", "scratch"});
}

TEST(ProgramChecker, ALeftOverMessageIsNamed)
{
    ListProgram program = MakeStarAllReduce();
    program.ranks[2][0].push_back(MakeStep({}, Input(0), {}, Peer(1, 3), 1));
    ExpectParts(CheckStar(program), {"1 messages from rank 2, channel 3", "left over at rank 1"});
}

TEST(ProgramChecker, ThreadsMustNotShareAConnection)
{
    ListProgram program = MakeStarAllReduce();
    program.ranks[2].push_back({MakeStep({}, Input(0), {}, Peer(0), 1)});
    ExpectParts(CheckStar(program), {"rank 2 thread ", "to rank 0, channel 0", "that thread "});
}

TEST(ProgramChecker, ResultsThatDependOnTheOrderOfThreadsAreFound)
{
    ListProgram program;
    // One thread copies the input, another one clears... what it has read before, or after.
    program.scratchBytes = TYPE_BYTES;
    ProgramOperand scratch{ProgramBuffer::SCRATCH, 0};
    program.ranks = {
        {{MakeStep({}, Input(0), scratch, {}, 1)}, {MakeStep({}, scratch, Output(0), {}, 1)}}};
    CollectiveRequest request = MakeRequest(Operation::ALL_REDUCE, 1);
    ExpectParts(CheckProgram(program, request, RankLayout::Regular(1, 1), 1),
                {"rank 0 thread 1 step 0", "undefined"});
    program.ranks[0][1][0].after = {0, 0};
    EXPECT_EQ(CheckProgram(program, request, RankLayout::Regular(1, 1), 1), "");
}

TEST(ProgramChecker, StepsThatMakeNoSenseAreRefused)
{
    using Edit = std::function<void(ProgramStep&)>;
    std::vector<std::pair<Edit, std::string>> edits{
        {[](ProgramStep& step) { step.bytes = 6; }, "cuts an element"},
        {[](ProgramStep& step) { step.source.offset = 2, step.bytes = 8; }, "amid an element"},
        {[](ProgramStep& step) { step.source = Input(1); }, "reads 40 B at 4 of its input"},
        {[](ProgramStep& step) { step.source = {}; }, "has no value"},
        {[](ProgramStep& step) { step.destination = Input(0); }, "not in place"},
        {[](ProgramStep& step) { step.destination = Output(2); }, "writes 40 B at 8 of its output"},
        {[](ProgramStep& step) { step.accumulates = true; }, "a destination that it has not"},
        {[](ProgramStep& step) { step.send = Peer(3); }, "rank 3, which there is not"},
        {[](ProgramStep& step) { step.send = Peer(1); }, "its own rank"},
        {[](ProgramStep& step) { step.send = Peer(0, 9); }, "channel 9 of 4"},
        {[](ProgramStep& step) {
             step.after = {5, 0};
         },
         "no other thread"},
        {[](ProgramStep& step) { step.send.way = MessageWay::REDUCTION; }, "switch that reduces"},
    };
    for (const auto& [edit, expected] : edits)
    {
        ListProgram program = MakeStarAllReduce();
        edit(program.ranks[1][0][0]);
        ExpectParts(CheckStar(program), {"rank 1 thread 0 step 0", expected});
    }
}

/// All-reduce by the switch: rank 0 gets the sum and multicasts it.
ListProgram
MakeSwitchAllReduce(uint32_t ranks)
{
    ListProgram program;
    ProgramMessage up{MessageWay::REDUCTION, 0, 0};
    ProgramMessage down{MessageWay::MULTICAST, 0, 0};
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        program.ranks.push_back({{MakeStep({}, Input(0), {}, up, ELEMENTS)},
                                 {MakeStep(down, {}, Output(0), {}, ELEMENTS)}});
    }
    program.ranks[0].push_back({MakeStep(up, {}, {}, down, ELEMENTS)});
    return program;
}

TEST(ProgramChecker, TheSwitchAddsUpAndCopies)
{
    RankLayout layout = RankLayout::Regular(1, 5);
    layout.SetInSwitchReduction(true);
    CollectiveRequest request = MakeRequest(Operation::ALL_REDUCE, ELEMENTS);
    ProgramTotals totals;
    EXPECT_EQ(CheckProgram(MakeSwitchAllReduce(5), request, layout, 1, &totals), "");
    EXPECT_EQ(totals.hops, 2u);
    EXPECT_EQ(totals.Get(0, MessageWay::MULTICAST).messages, 1u);
    EXPECT_EQ(totals.Get(4, MessageWay::REDUCTION).bytes, ELEMENTS * TYPE_BYTES);

    ListProgram lacksOne = MakeSwitchAllReduce(5);
    lacksOne.ranks[3][0].clear();
    ExpectParts(CheckProgram(lacksOne, request, layout, 1),
                {"deadlock", "rank 0 thread 2 step 0 waits for a message by reduction to rank 0"});

    ListProgram notTaken = MakeSwitchAllReduce(5);
    notTaken.ranks[3][1].clear();
    ExpectParts(CheckProgram(notTaken, request, layout, 1),
                {"by multicast from rank 0", "left over at rank 3"});

    RankLayout twoGroups({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}});
    twoGroups.SetInSwitchReduction(true);
    ExpectParts(CheckProgram(MakeSwitchAllReduce(5), request, twoGroups, 1),
                {"rank 4 thread 0 step 0", "rank 0, which is in another group"});
}

// ---------------------------------------------------------------- all algorithms

/// How a request is cut.
struct Cut
{
    uint64_t count;
    uint32_t channels;
    uint64_t chunkBytes;
    uint64_t sliceBytes;
    uint32_t window;
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE};
};

/// Counts of all kinds: none, one, fewer than ranks, not divisible, several channels and loops.
std::vector<Cut>
GetCuts(uint32_t ranks)
{
    return {
        {0, 2, 64, 64, 1},
        {1, 3, 64, 64, 1},
        {ranks - 1, 2, 64, 16, 1},
        {1009, 2, 512, 128, 1},
        {30011, 4, 4096, 1024, 2},
        {40000, 3, 8192, 8192, 8, CollectiveProtocol::LL},
        {1048577, 5, 1 << 19, 1 << 18, 8, CollectiveProtocol::LL128},
    };
}

/// Groups of all kinds; their switches reduce.
std::vector<RankLayout>
GetLayouts(uint32_t ranks)
{
    std::vector<std::function<uint32_t(uint32_t)>> groupOf{
        [](uint32_t) { return 0; },
        [](uint32_t rank) { return rank; },
        [ranks](uint32_t rank) { return rank >= (ranks + 1) / 2 ? 1 : 0; },
        [](uint32_t rank) { return rank % 3; },
        // Uneven: 1, 2, 3, ... ranks.
        [](uint32_t rank) {
            uint32_t group = 0;
            for (uint32_t begin = 0; rank > begin + group; ++group)
            {
                begin += group + 1;
            }
            return group;
        },
        [](uint32_t rank) { return rank / 4; },
    };
    std::vector<RankLayout> layouts;
    for (const auto& group : groupOf)
    {
        std::vector<RankPlace> places;
        std::vector<uint32_t> used(ranks, 0);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            uint32_t number = group(rank);
            places.push_back({number, used[number]++});
        }
        layouts.emplace_back(places);
        layouts.back().SetInSwitchReduction(true);
    }
    return layouts;
}

/// A number of transfers between any ranks, also of a rank with itself, also of nothing.
std::vector<PointToPoint>
MakeTransferList(Operation operation, uint32_t ranks, uint64_t count)
{
    std::vector<PointToPoint> transfers;
    for (uint32_t source = 0; source < ranks; ++source)
    {
        for (uint32_t i = 0; i < std::min(ranks, 5u); ++i)
        {
            uint32_t destination = (source * 3 + i * 7) % ranks;
            PointToPoint transfer{source, destination, (count + source * 11 + i) % 1500};
            bool isTwice = std::any_of(transfers.begin(), transfers.end(), [&](const auto& t) {
                return t.source == source && t.destination == destination;
            });
            if (!isTwice || operation == Operation::POINT_TO_POINT)
            {
                transfers.push_back(transfer);
            }
        }
    }
    return transfers;
}

CollectivePlan
MakePlan(const CollectiveAlgorithm& algorithm, const Cut& cut)
{
    CollectivePlan plan;
    plan.algorithm = algorithm.GetName();
    plan.protocol = cut.protocol;
    plan.channels = cut.channels;
    plan.chunkBytes = cut.chunkBytes;
    plan.sliceBytes = cut.sliceBytes;
    plan.window = cut.window;
    return plan;
}

CollectiveRequest
MakeAnyRequest(Operation operation, uint32_t ranks, const Cut& cut, uint32_t root, bool inPlace)
{
    if (operation == Operation::ALL_TO_ALL_V || operation == Operation::POINT_TO_POINT)
    {
        return MakeTransfers(operation,
                             MakeTransferList(operation, ranks, cut.count),
                             ranks,
                             TYPE_BYTES);
    }
    if (operation == Operation::BARRIER)
    {
        return MakeBarrier();
    }
    CollectiveRequest request = MakeRequest(operation, cut.count, inPlace);
    request.root = root;
    return request;
}

/// @return whether the algorithm did it, and did it right
bool
TryOne(const CollectiveAlgorithm& algorithm,
       const CollectiveRequest& request,
       const RankLayout& layout,
       Cut cut)
{
    // The ranks of a ring all send before they receive.
    cut.window = std::max(cut.window, algorithm.GetName() == "ring" ? 2u : 1u);
    if (!CheckRequest(request, layout.GetSize()).empty() ||
        !algorithm.Check(request, layout).empty())
    {
        return false;
    }
    auto program = algorithm.Emit(request, layout, MakePlan(algorithm, cut));
    std::string wrong = CheckProgram(*program, request, layout, cut.window);
    EXPECT_EQ(wrong, "") << algorithm.GetName() << " " << ToString(request.operation) << " by "
                         << layout.GetSize() << " ranks in " << layout.GetGroups().size()
                         << " groups, " << request.count << " elements, root " << request.root
                         << (request.inPlace ? ", in place, " : ", ") << cut.channels
                         << " channels, chunk " << cut.chunkBytes << " B, slice " << cut.sliceBytes
                         << " B, window " << cut.window;
    return wrong.empty();
}

std::vector<Operation>
GetAllOperations()
{
    std::vector<Operation> operations;
    for (const std::string& name : GetCollectiveOperationNames())
    {
        operations.emplace_back();
        EXPECT_TRUE(ParseCollectiveOperation(name, operations.back()));
    }
    return operations;
}

class EveryAlgorithm : public testing::TestWithParam<std::string>
{
};

TEST_P(EveryAlgorithm, DoesWhatItAdmitsForFewRanksWhateverTheyAreAskedFor)
{
    Ptr<CollectiveAlgorithm> algorithm = MakeCollectiveAlgorithm(GetParam());
    uint32_t done = 0;
    for (uint32_t ranks = 1; ranks <= 6; ++ranks)
    {
        std::vector<RankLayout> layouts = GetLayouts(ranks);
        for (Operation operation : GetAllOperations())
        {
            uint32_t roots = HasRoot(operation) ? ranks : 1;
            for (size_t i = 0; i < layouts.size() * roots * 2; ++i)
            {
                const RankLayout& layout = layouts[i % layouts.size()];
                uint32_t root = static_cast<uint32_t>(i / layouts.size() % roots);
                bool inPlace = i / layouts.size() / roots == 1;
                for (const Cut& cut : GetCuts(ranks))
                {
                    CollectiveRequest request =
                        MakeAnyRequest(operation, ranks, cut, root, inPlace);
                    done += TryOne(*algorithm, request, layout, cut);
                    if (HasFailure())
                    {
                        return;
                    }
                }
            }
        }
    }
    EXPECT_GT(done, 100u);
}

TEST_P(EveryAlgorithm, DoesWhatItAdmitsForUpTo64Ranks)
{
    Ptr<CollectiveAlgorithm> algorithm = MakeCollectiveAlgorithm(GetParam());
    std::set<uint32_t> done;
    uint32_t turn = 0;
    for (uint32_t ranks = 1; ranks <= 64; ++ranks)
    {
        std::vector<RankLayout> layouts = GetLayouts(ranks);
        std::vector<Cut> cuts = GetCuts(ranks);
        for (Operation operation : GetAllOperations())
        {
            // Cuts, roots and places take turns; of many ranks, layouts do too. What sends each
            // transfer by itself has many steps, and so fewer turns.
            size_t stride = ranks <= 16 ? 1 : GetParam() == "direct" ? 12 : 3;
            size_t first = (ranks + static_cast<size_t>(operation)) % stride;
            for (size_t i = first; i < layouts.size(); i += stride, ++turn)
            {
                const Cut& cut = cuts[turn % cuts.size()];
                CollectiveRequest request =
                    MakeAnyRequest(operation, ranks, cut, turn * 5 % ranks, turn / 7 % 2 == 1);
                if (TryOne(*algorithm, request, layouts[i], cut))
                {
                    done.insert(ranks);
                }
                if (HasFailure())
                {
                    return;
                }
            }
        }
    }
    // NVLS needs two ranks at least, NVLS-tree two groups of two.
    uint32_t least = GetParam() == "nvls-tree" ? 4 : GetParam() == "nvls" ? 2 : 1;
    for (uint32_t ranks = least; ranks <= 64; ++ranks)
    {
        EXPECT_TRUE(done.count(ranks) == 1 || ranks == 1) << ranks << " ranks were not tried";
    }
}

INSTANTIATE_TEST_SUITE_P(Registry,
                         EveryAlgorithm,
                         testing::ValuesIn([] {
                             std::vector<std::string> names;
                             for (const auto& entry : GetCollectiveAlgorithms())
                             {
                                 names.push_back(entry.name);
                             }
                             return names;
                         }()),
                         [](const auto& info) {
                             std::string name = info.param;
                             name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                             return name;
                         });

TEST(CollectiveAlgorithms, AreMadeByNameOrTypeId)
{
    for (const CollectiveAlgorithmEntry& entry : GetCollectiveAlgorithms())
    {
        Ptr<CollectiveAlgorithm> byName = MakeCollectiveAlgorithm(entry.name);
        ASSERT_TRUE(byName) << entry.name;
        EXPECT_EQ(byName->GetName(), entry.name);
        ASSERT_TRUE(MakeCollectiveAlgorithm(entry.typeId.GetName())) << entry.name;
        EXPECT_FALSE(entry.description.empty());
    }
    EXPECT_FALSE(MakeCollectiveAlgorithm("no-such-algorithm"));
    EXPECT_FALSE(MakeCollectiveAlgorithm("ns3::CollectiveAlgorithm")); // it is abstract
    EXPECT_FALSE(MakeCollectiveAlgorithm("ns3::Node"));
}

TEST(CollectiveAlgorithms, WhatTheyCannotDoIsRefused)
{
    RankLayout two = RankLayout::Regular(2, 4);
    RankLayout one = RankLayout::Regular(1, 4);
    auto check = [](const char* name, Operation operation, RankLayout layout, bool reduces) {
        layout.SetInSwitchReduction(reduces);
        return MakeCollectiveAlgorithm(name)->Check(MakeRequest(operation, 8), layout);
    };
    ExpectParts(check("ring", Operation::ALL_TO_ALL, two, true), {"all-to-all"});
    ExpectParts(check("tree", Operation::ALL_GATHER, two, true), {"all-gather"});
    ExpectParts(check("pat", Operation::ALL_REDUCE, two, true), {"all-reduce"});
    ExpectParts(check("nvls", Operation::BROADCAST, one, true), {"broadcast"});
    ExpectParts(check("nvls", Operation::ALL_REDUCE, two, true), {"one group; there are 2"});
    ExpectParts(check("nvls", Operation::ALL_REDUCE, one, false), {"switches that reduce"});
    ExpectParts(check("nvls", Operation::ALL_REDUCE, RankLayout::Regular(1, 1), true),
                {"rank 0 is alone"});
    ExpectParts(check("nvls-tree", Operation::ALL_REDUCE, one, true), {"several groups"});
    ExpectParts(check("nvls-tree", Operation::ALL_GATHER, two, true), {"all-gather"});
    EXPECT_EQ(check("nvls", Operation::REDUCE_SCATTER, one, true), "");
    EXPECT_EQ(check("nvls-tree", Operation::ALL_REDUCE, two, true), "");
}

TEST(CollectiveAlgorithms, OrdersThatWereSetAreUsed)
{
    RankLayout layout = RankLayout::Regular(2, 2);
    auto orders = std::make_shared<ChannelOrders>();
    orders->rings = {{0, 2, 1, 3}};
    orders->chains = {{{1, 0}, {3, 2}}};
    layout.SetOrders(orders);
    CollectiveRequest request = MakeRequest(Operation::ALL_REDUCE, 4);
    for (auto [name, next] : {std::pair{"ring", 2u}, {"tree", 1u}})
    {
        Ptr<CollectiveAlgorithm> algorithm = MakeCollectiveAlgorithm(name);
        auto program = algorithm->Emit(request, layout, MakePlan(*algorithm, {4, 1, 64, 64, 2}));
        EXPECT_EQ(CheckProgram(*program, request, layout, 2), "");
        ProgramStep step;
        ASSERT_TRUE(program->Open(0, 0)->Next(step));
        EXPECT_EQ(step.send.peer, next) << name;
    }
}

// ---------------------------------------------------------------- closed forms

/// What an algorithm sends, for data that all cuts divide without rest.
struct Traffic
{
    uint64_t bytes;
    std::vector<uint64_t> peer; ///< bytes by rank
    std::vector<uint64_t> reduction;
    std::vector<uint64_t> multicast;
    std::vector<uint64_t> messages; ///< to peers
    uint64_t hops;
};

Traffic
Measure(const std::string& name,
        Operation operation,
        RankLayout layout,
        uint64_t bytes,
        uint32_t channels,
        uint64_t messageBytes = 1 << 20)
{
    layout.SetInSwitchReduction(true);
    Ptr<CollectiveAlgorithm> algorithm = MakeCollectiveAlgorithm(name);
    CollectiveRequest request = MakeRequest(operation, bytes / TYPE_BYTES);
    Cut cut{request.count, channels, messageBytes, messageBytes, 8};
    auto program = algorithm->Emit(request, layout, MakePlan(*algorithm, cut));
    ProgramTotals totals;
    EXPECT_EQ(CheckProgram(*program, request, layout, cut.window, &totals), "") << name;
    Traffic traffic{bytes, {}, {}, {}, {}, totals.hops};
    for (uint32_t rank = 0; rank < layout.GetSize(); ++rank)
    {
        traffic.peer.push_back(totals.Get(rank, MessageWay::PEER).bytes);
        traffic.messages.push_back(totals.Get(rank, MessageWay::PEER).messages);
        traffic.reduction.push_back(totals.Get(rank, MessageWay::REDUCTION).bytes);
        traffic.multicast.push_back(totals.Get(rank, MessageWay::MULTICAST).bytes);
    }
    return traffic;
}

uint64_t
Sum(const std::vector<uint64_t>& values)
{
    return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

TEST(ClosedForm, RingSendsTheLeastAndInAsManySteps)
{
    // Patarasuk and Yuan 2009: 2 (n - 1) / n of the data by each rank for all-reduce, half of that
    // for its two halves, in 2 (n - 1) and n - 1 steps. A chain sends all data on each of its
    // edges.
    for (uint32_t ranks : {2, 3, 8, 13})
    {
        RankLayout layout = RankLayout::Regular(1, ranks);
        uint64_t block = 16 << 10;
        uint64_t bytes = ranks * block;
        Traffic reduce = Measure("ring", Operation::ALL_REDUCE, layout, bytes, 1);
        EXPECT_EQ(reduce.peer, std::vector<uint64_t>(ranks, 2 * (ranks - 1) * block));
        EXPECT_EQ(reduce.hops, 2 * (ranks - 1));
        for (Operation operation : {Operation::ALL_GATHER, Operation::REDUCE_SCATTER})
        {
            Traffic half = Measure("ring", operation, layout, bytes, 1);
            EXPECT_EQ(half.peer, std::vector<uint64_t>(ranks, (ranks - 1) * block));
            EXPECT_EQ(half.hops, ranks - 1);
        }
        for (Operation operation : {Operation::BROADCAST, Operation::REDUCE})
        {
            Traffic chain = Measure("ring", operation, layout, bytes, 2);
            EXPECT_EQ(Sum(chain.peer), (ranks - 1) * bytes);
            EXPECT_EQ(*std::max_element(chain.peer.begin(), chain.peer.end()), bytes);
            EXPECT_EQ(chain.hops, ranks - 1);
        }
    }
}

TEST(ClosedForm, TreeSendsAllDataUpAndDownEachEdge)
{
    // n - 1 edges, each twice: up and down. Hops: twice the depth, log2 of the groups of one (each
    // a power of two), or n - 1 for the chain of a group.
    for (uint32_t groups : {1, 2, 4, 16})
    {
        for (uint32_t size : {1, 3, 8})
        {
            uint32_t ranks = groups * size;
            if (ranks == 1)
            {
                continue;
            }
            Traffic tree = Measure("tree",
                                   Operation::ALL_REDUCE,
                                   RankLayout::Regular(groups, size),
                                   256 << 10,
                                   2);
            EXPECT_EQ(Sum(tree.peer), 2 * (ranks - 1) * tree.bytes);
            uint32_t levels = 0;
            while (groups >> (levels + 1) != 0)
            {
                ++levels;
            }
            if (size == 1)
            {
                EXPECT_EQ(tree.hops, 2 * levels);
            }
            if (groups == 1)
            {
                EXPECT_EQ(tree.hops, 2 * (ranks - 1));
            }
        }
    }
}

TEST(ClosedForm, TwoTreesShareTheWork)
{
    // Groups of one, an even number: the second tree is the mirror of the first one, so a rank that
    // is a leaf in one (sends half of the data once) is inner node in the other (at most one up and
    // two down): 2 times the data at most.
    Traffic tree = Measure("tree", Operation::ALL_REDUCE, RankLayout::Regular(16, 1), 256 << 10, 2);
    EXPECT_EQ(*std::max_element(tree.peer.begin(), tree.peer.end()), 2 * tree.bytes);
}

TEST(ClosedForm, PatSendsTheLeastInLogarithmicallyManyMessages)
{
    // Jeaugey 2025: n - 1 blocks by each rank; ceil(log2 n) messages where they fit together.
    for (uint32_t ranks : {2, 3, 5, 8, 16, 23, 64})
    {
        RankLayout layout = RankLayout::Regular(ranks, 1);
        uint32_t rounds = 0;
        while ((1u << rounds) < ranks)
        {
            ++rounds;
        }
        for (Operation operation : {Operation::ALL_GATHER, Operation::REDUCE_SCATTER})
        {
            uint64_t block = 256;
            Traffic pat = Measure("pat", operation, layout, ranks * block, 1);
            EXPECT_EQ(pat.peer, std::vector<uint64_t>(ranks, (ranks - 1) * block));
            EXPECT_EQ(pat.messages, std::vector<uint64_t>(ranks, rounds));
            EXPECT_LE(pat.hops, rounds);
            if (ranks == 1u << rounds)
            {
                EXPECT_EQ(pat.hops, rounds);
            }
            Traffic large = Measure("pat", operation, layout, ranks * block, 1, 128);
            EXPECT_EQ(large.peer, pat.peer);
            // Two messages of 128 B for each block.
            EXPECT_EQ(large.messages, std::vector<uint64_t>(ranks, 2 * (ranks - 1)));
        }
    }
}

TEST(ClosedForm, PatKeepsFewSums)
{
    // What a reduce-scatter has begun at a time: a path from the root of each of 8 trees.
    constexpr uint32_t RANKS = 1024;
    Ptr<CollectiveAlgorithm> pat = MakeCollectiveAlgorithm("pat");
    CollectiveRequest request = MakeRequest(Operation::REDUCE_SCATTER, RANKS * 1024);
    auto program = pat->Emit(request,
                             RankLayout::Regular(RANKS, 1),
                             MakePlan(*pat, {request.count, 1, 4096, 4096, 8}));
    EXPECT_LE(program->GetScratchBytes(0), 8 * 8 * 4096u);
    EXPECT_GT(program->GetScratchBytes(0), 0u);
}

TEST(ClosedForm, NvlsSendsTheDataOnce)
{
    // Each rank sends its data to the switch once; of all-reduce the sums, n chunks together, are
    // multicast once. Two hops.
    for (uint32_t ranks : {2, 7, 8})
    {
        RankLayout layout = RankLayout::Regular(1, ranks);
        uint64_t block = 64 << 10;
        Traffic reduce = Measure("nvls", Operation::ALL_REDUCE, layout, ranks * block, 1);
        EXPECT_EQ(reduce.reduction, std::vector<uint64_t>(ranks, ranks * block));
        EXPECT_EQ(reduce.multicast, std::vector<uint64_t>(ranks, block));
        EXPECT_EQ(Sum(reduce.peer), 0u);
        EXPECT_EQ(reduce.hops, 2u);
        Traffic gather = Measure("nvls", Operation::ALL_GATHER, layout, ranks * block, 1);
        EXPECT_EQ(gather.multicast, std::vector<uint64_t>(ranks, block));
        EXPECT_EQ(Sum(gather.reduction) + Sum(gather.peer), 0u);
        EXPECT_EQ(gather.hops, 1u);
        Traffic scatter = Measure("nvls", Operation::REDUCE_SCATTER, layout, ranks * block, 1);
        EXPECT_EQ(scatter.reduction, std::vector<uint64_t>(ranks, ranks * block));
        EXPECT_EQ(Sum(scatter.multicast) + Sum(scatter.peer), 0u);
        EXPECT_EQ(scatter.hops, 1u);
    }
}

TEST(ClosedForm, NvlsHasThirtyTwoHeadsAtMost)
{
    // NCCL_MAX_NVLS_ARITY (src/include/device.h at v2.26.2-1): only so many ranks of 72 multicast.
    constexpr uint32_t RANKS = 72;
    constexpr uint32_t HEADS = 32;
    const uint64_t block = 64 << 10;
    RankLayout layout = RankLayout::Regular(1, RANKS);
    Traffic reduce = Measure("nvls", Operation::ALL_REDUCE, layout, HEADS * block, 1);
    EXPECT_EQ(reduce.reduction, std::vector<uint64_t>(RANKS, HEADS * block));
    for (uint32_t rank = 0; rank < RANKS; ++rank)
    {
        EXPECT_EQ(reduce.multicast[rank], rank < HEADS ? block : 0) << rank;
    }
}

/// @return the warps of the threads of a rank's channel, in their order
std::vector<uint32_t>
WarpsOf(const char* algorithm, Operation operation, const RankLayout& layout, uint32_t rank)
{
    Ptr<CollectiveAlgorithm> nvls = MakeCollectiveAlgorithm(algorithm);
    CollectiveRequest request = MakeRequest(operation, 1 << 20);
    auto program = nvls->Emit(request, layout, MakePlan(*nvls, {request.count, 1, 4096, 4096, 8}));
    std::vector<uint32_t> warps;
    for (uint32_t thread = 0; thread < program->GetThreads(rank); ++thread)
    {
        warps.push_back(program->GetWarps(rank, thread));
    }
    return warps;
}

// src/device/all_reduce.h, all_gather.h and reduce_scatter.h of NCCL at v2.26.2-1, without
// registered buffers, for NCCL_MAX_NTHREADS / WARP_SIZE = 20 warps.
TEST(NvlsWarps, AreThoseOfNccl)
{
    using Warps = std::vector<uint32_t>;
    const RankLayout eight = RankLayout::Regular(1, 8);
    // Scatter, gather, reduce.
    EXPECT_EQ(WarpsOf("nvls", Operation::ALL_REDUCE, eight, 0), (Warps{8, 7, 5}));
    EXPECT_EQ(WarpsOf("nvls", Operation::ALL_REDUCE, RankLayout::Regular(1, 6), 0),
              (Warps{7, 6, 7}));
    // Spread, gather; scatter, reduce.
    EXPECT_EQ(WarpsOf("nvls", Operation::ALL_GATHER, eight, 0), (Warps{4, 16}));
    EXPECT_EQ(WarpsOf("nvls", Operation::REDUCE_SCATTER, eight, 0), (Warps{15, 5}));
    // Scatter, gather, reduce, spread: one group is the root of a channel, the other has a parent.
    const RankLayout two = RankLayout::Regular(2, 8);
    std::set<Warps> ends{WarpsOf("nvls-tree", Operation::ALL_REDUCE, two, 0),
                         WarpsOf("nvls-tree", Operation::ALL_REDUCE, two, 8)};
    EXPECT_EQ(ends, (std::set<Warps>{{8, 7, 5, 0}, {6, 5, 5, 4}}));
}

TEST(ClosedForm, NvlsTreeSendsTheDataOverEachEdgeOfTheGroupsTwice)
{
    // As NVLS in each group; 2 (G - 1) times the data between G groups, spread evenly over the
    // heads; 2 log2(G) hops more.
    for (uint32_t groups : {2, 4, 8})
    {
        uint64_t bytes = 512 << 10;
        RankLayout layout = RankLayout::Regular(groups, 4);
        Traffic tree = Measure("nvls-tree", Operation::ALL_REDUCE, layout, bytes, 2);
        EXPECT_EQ(tree.reduction, std::vector<uint64_t>(4 * groups, bytes));
        EXPECT_EQ(tree.multicast, std::vector<uint64_t>(4 * groups, bytes / 4));
        EXPECT_EQ(Sum(tree.peer), 2 * (groups - 1) * bytes);
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            EXPECT_EQ(tree.peer[rank], tree.peer[0]);
        }
        uint32_t levels = groups == 2 ? 1 : groups == 4 ? 2 : 3;
        EXPECT_EQ(tree.hops, 2u + 2 * levels);
    }
}

TEST(ClosedForm, DataAreCutAsNcclCutsThem)
{
    // 1 MiB of floats, 8 ranks, all-reduce on 4 channels with chunks of 64 KiB in two slices: cells
    // are 8 KiB, 128 of them, 32 a channel (256 KiB); a loop takes 512 KiB, so there is one with
    // chunks of 32 KiB and slices of 16 KiB: 15 steps of 2 slices a channel.
    Ptr<CollectiveAlgorithm> ring = MakeCollectiveAlgorithm("ring");
    CollectiveRequest request = MakeRequest(Operation::ALL_REDUCE, (1 << 20) / TYPE_BYTES);
    RankLayout layout = RankLayout::Regular(1, 8);
    auto program =
        ring->Emit(request, layout, MakePlan(*ring, {request.count, 4, 64 << 10, 32 << 10, 8}));
    for (uint32_t channel = 0; channel < 4; ++channel)
    {
        auto steps = program->Open(5, channel);
        ProgramStep step;
        uint32_t count = 0;
        while (steps->Next(step))
        {
            EXPECT_EQ(step.bytes, 16u << 10);
            uint64_t offset = step.source ? step.source.offset : step.destination.offset;
            EXPECT_EQ(offset / (256 << 10), channel);
            ++count;
        }
        EXPECT_EQ(count, 30u);
    }
    // 9 cells over 8 channels: 2 cells each for the first 4, the rest for one more, none for 3.
    request.count = 9 * 2048 - 5;
    program =
        ring->Emit(request, layout, MakePlan(*ring, {request.count, 8, 64 << 10, 64 << 10, 8}));
    for (uint32_t channel = 0; channel < 8; ++channel)
    {
        ProgramStep step;
        EXPECT_EQ(program->Open(0, channel)->Next(step), channel < 5) << channel;
    }
}

TEST(ClosedForm, ARingOfFewElementsStillTakesAllSteps)
{
    // NCCL's ring sends empty chunks on: the latency of 2 (n - 1) steps is there for 1 element too.
    Traffic one = Measure("ring", Operation::ALL_REDUCE, RankLayout::Regular(2, 4), TYPE_BYTES, 1);
    EXPECT_EQ(one.hops, 14u);
    EXPECT_EQ(Sum(one.peer), 14 * uint64_t{TYPE_BYTES}); // the only chunk goes twice around
}

TEST(ClosedForm, HugeBuffersDoNotOverflow)
{
    constexpr uint64_t ENTITIES = uint64_t{1} << 38; // 1 TiB of floats
    for (const char* name : {"ring", "tree"})
    {
        Ptr<CollectiveAlgorithm> algorithm = MakeCollectiveAlgorithm(name);
        CollectiveRequest request = MakeRequest(Operation::ALL_REDUCE, ENTITIES);
        RankLayout layout = RankLayout::Regular(1, 3);
        Cut cut{ENTITIES, 2, uint64_t{1} << 36, uint64_t{1} << 36, 8};
        ProgramTotals totals;
        auto program = algorithm->Emit(request, layout, MakePlan(*algorithm, cut));
        EXPECT_EQ(CheckProgram(*program, request, layout, 8, &totals), "");
        uint64_t sent = 0;
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            sent += totals.Get(rank, MessageWay::PEER).bytes;
        }
        EXPECT_EQ(sent, 4 * ENTITIES * TYPE_BYTES);
    }
}

// ---------------------------------------------------------------- trees

TEST(BinaryTree, IsThatOfNcclsIllustrations)
{
    // The drawings in src/graph/trees.cc of NCCL: 14 nodes; 12 mirrored; 13 shifted.
    constexpr uint32_t NONE = RankTree::NONE;
    EXPECT_EQ(MakeBinaryTree(14, false).parent,
              (std::vector<uint32_t>{NONE, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12}));
    EXPECT_EQ(MakeBinaryTree(12, true).parent,
              (std::vector<uint32_t>{1, 3, 1, 11, 5, 7, 5, 3, 9, 7, 9, NONE}));
    EXPECT_EQ(MakeBinaryTree(13, true).parent,
              (std::vector<uint32_t>{9, NONE, 3, 5, 3, 9, 7, 5, 7, 1, 11, 0, 11}));
}

TEST(BinaryTree, ANodeIsInnerNodeOnceAtMost)
{
    // Sanders, Speck and Traff 2009: the two trees' inner nodes are disjoint, but for one.
    for (uint32_t nodes = 2; nodes <= 64; ++nodes)
    {
        RankTree first = MakeBinaryTree(nodes, false);
        RankTree second = MakeBinaryTree(nodes, true);
        uint32_t inBoth = 0;
        for (uint32_t node = 0; node < nodes; ++node)
        {
            EXPECT_LE(first.children[node].size(), 2u);
            EXPECT_LE(second.children[node].size(), 2u);
            inBoth += !first.children[node].empty() && !second.children[node].empty();
        }
        EXPECT_LE(inBoth, 1u) << nodes;
    }
}

TEST(RankTree, ChildrenOfAGroupAreSharedByTheFirstTwoOfItsChain)
{
    // Channel 0 of 4 groups of 4: groups 0 - 2 - {1, 3}; chains begin with the first rank. Group
    // 2 (ranks 8 to 11) has group 1 on the second of its chain and group 3 on the first.
    RankTree tree = MakeRankTree(RankLayout::Regular(4, 4), 0);
    EXPECT_EQ(tree.parent[8], 0u);
    EXPECT_EQ(tree.parent[4], 9u);
    EXPECT_EQ(tree.parent[12], 8u);
    EXPECT_EQ(tree.children[8], (std::vector<uint32_t>{9, 12}));
    EXPECT_EQ(tree.children[9], (std::vector<uint32_t>{10, 4}));
    EXPECT_EQ(GetDepth(tree), 6u); // 0 - 8 - 9 - 4 - 5 - 6 - 7
    // Channel 3: the second tree, chains begin with the second rank.
    RankTree other = MakeRankTree(RankLayout::Regular(4, 4), 3);
    EXPECT_EQ(other.parent[13], RankTree::NONE);
    EXPECT_EQ(other.parent[14], 13u);
    EXPECT_EQ(other.parent[12], 15u);
}

} // namespace
