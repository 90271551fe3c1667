// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Reduction and multicast in a scale-up switch: bytes on each link, times, memory, no
 * lock-up.
 *
 * A byte takes 2 ps on a link. Unless a test says otherwise all figures are of frames of 4096 B
 * payload: 16 link packets of 256 B with 16 B each.
 */

#include "scale-up-server.h"

using namespace ns3;

namespace
{

constexpr int64_t BYTE_PS = 2;
constexpr int64_t CABLE_PS = 25'000;
constexpr int64_t SWITCH_PS = 300'000;
constexpr uint64_t PAYLOAD = 4096;
constexpr uint64_t FULL_FRAME = PAYLOAD + 16 * 16;
constexpr uint64_t MIB = 1 << 20;

std::vector<uint32_t>
All(uint32_t count)
{
    std::vector<uint32_t> all(count);
    for (uint32_t i = 0; i < count; ++i)
    {
        all[i] = i;
    }
    return all;
}

Ptr<InNetworkReducer>
ReducerOf(const ScaleUpServer& s)
{
    return s.cluster.domains[0].fabricSwitch->GetReducer();
}

const PortCounters&
Counters(const ScaleUpServer& s, uint32_t gpu)
{
    return s.Port(gpu)->GetDevice()->GetCounters();
}

/// Nothing is left anywhere.
void
ExpectEmpty(const ScaleUpServer& s)
{
    for (const ScaleUpDomain& domain : s.cluster.domains)
    {
        Ptr<FabricSwitch> fabricSwitch = domain.fabricSwitch;
        EXPECT_EQ(fabricSwitch->GetReducer()->GetUsedBytes(), 0u);
        EXPECT_EQ(fabricSwitch->GetBuffer()->GetUsedBytes(), 0u);
        EXPECT_EQ(fabricSwitch->GetLosslessDrops() + fabricSwitch->GetLossyDrops() +
                      fabricSwitch->GetUnroutableDrops(),
                  0u);
    }
    for (const auto& gpu : s.cluster.gpus)
    {
        EXPECT_EQ(gpu->GetScaleUpPort()->GetQueuedBytes(), 0u);
    }
}

} // namespace

TEST(InNetworkReduction, TheSumComesOnceAndTakesNoLongerThanOneMessage)
{
    ScaleUpServer s(4);
    s.helper.SetScaleUpFlowControl(FabricNetDevice::FLOW_CONTROL_PFC); // no credits on the links
    s.Build();
    auto& flow = s.ConnectReduction(All(4), 2);
    flow.SendAll(MIB);
    Simulator::Run();
    // All send in step: 256 frames, the last one once more from the switch to its owner.
    int64_t frame = FULL_FRAME * BYTE_PS;
    ASSERT_EQ(flow.to[0]->arrived.size(), 1u);
    EXPECT_EQ(flow.to[0]->arrived[0].bytes, MIB);
    // The owner's way down also carries grants: of 128 slots, 32 at a time.
    EXPECT_GE(flow.DoneAt(), 257 * frame + 2 * CABLE_PS + SWITCH_PS);
    EXPECT_LE(flow.DoneAt(), 257 * frame + 2 * CABLE_PS + SWITCH_PS + 8 * 16 * BYTE_PS);
    for (uint32_t gpu = 0; gpu < 4; ++gpu)
    {
        ASSERT_EQ(flow.from[gpu]->departed.size(), 1u);
        EXPECT_EQ(flow.from[gpu]->departed[0].at, 256 * frame);
        EXPECT_EQ(Counters(s, gpu).txPayloadBytes, MIB);
        EXPECT_EQ(s.Port(gpu)->GetDevice()->GetPeer()->GetCounters().txPayloadBytes,
                  gpu == 2 ? MIB : 0);
    }
    EXPECT_EQ(ReducerOf(s)->GetContributions(), 4 * 256u);
    ExpectEmpty(s);
}

TEST(InNetworkReduction, AMulticastReachesEveryMemberAtOnce)
{
    ScaleUpServer s(4);
    s.helper.SetScaleUpFlowControl(FabricNetDevice::FLOW_CONTROL_PFC); // no credits on the links
    s.Build();
    auto& flow = s.ConnectMulticast(1, All(4));
    flow.Send(MIB);
    Simulator::Run();
    for (uint32_t gpu = 0; gpu < 4; ++gpu)
    {
        ASSERT_EQ(flow.to[gpu]->arrived.size(), 1u) << gpu;
        EXPECT_EQ(flow.to[gpu]->arrived[0].bytes, MIB);
        // Only the source's way down also carries grants, of 16 B each, before some of its frames.
        int64_t most = gpu == 1 ? 256 * 16 * BYTE_PS : 0;
        int64_t end = 257 * FULL_FRAME * BYTE_PS + 2 * CABLE_PS + SWITCH_PS;
        EXPECT_GE(flow.DoneAt(gpu), end);
        EXPECT_LE(flow.DoneAt(gpu), end + most);
        EXPECT_EQ(s.Port(gpu)->GetDevice()->GetPeer()->GetCounters().txPayloadBytes, MIB);
        EXPECT_EQ(Counters(s, gpu).txPayloadBytes, gpu == 1 ? MIB : 0);
    }
    ExpectEmpty(s);
}

TEST(InNetworkReduction, BytesOfAnAllReduceEqualTheClosedForm)
{
    // Each of n GPUs owns S/n. It sends S/n to each owner's group, itself included, that is S, and
    // its own sum, S/n, once to all. It gets the sum of its part, S/n, and n parts of S/n: S. Up
    // and down the link that is S (1 + 1/n) each way, as published for NVLS.
    for (uint32_t n : {2, 3, 8})
    {
        ScaleUpServer s(n);
        s.Build();
        const uint64_t part = 5 * PAYLOAD + 100;
        for (uint32_t owner = 0; owner < n; ++owner)
        {
            s.ConnectReduction(All(n), owner).SendAll(part);
            s.ConnectMulticast(owner, All(n)).Send(part);
        }
        Simulator::Run();
        for (uint32_t gpu = 0; gpu < n; ++gpu)
        {
            EXPECT_EQ(Counters(s, gpu).txPayloadBytes, (n + 1) * part) << n;
            EXPECT_EQ(s.Port(gpu)->GetDevice()->GetPeer()->GetCounters().txPayloadBytes,
                      (n + 1) * part)
                << n;
        }
        ExpectEmpty(s);
    }
}

TEST(InNetworkReduction, MessagesKeepTheirLengthsAndOrder)
{
    ScaleUpServer s(3);
    s.Build();
    auto& sum = s.ConnectReduction(All(3), 0);
    auto& copies = s.ConnectMulticast(2, {0, 1});
    const std::vector<uint64_t> lengths{1, 0, PAYLOAD, PAYLOAD + 1, 0, 77777};
    for (uint64_t length : lengths)
    {
        sum.SendAll(length);
        copies.Send(length);
    }
    Simulator::Run();
    for (const auto* end : {sum.to[0].get(), copies.to[0].get(), copies.to[1].get()})
    {
        ASSERT_EQ(end->arrived.size(), lengths.size());
        for (size_t i = 0; i < lengths.size(); ++i)
        {
            EXPECT_EQ(end->arrived[i].bytes, lengths[i]);
        }
    }
    for (const auto& end : sum.from)
    {
        EXPECT_EQ(end->departed.size(), lengths.size());
    }
    ExpectEmpty(s);
}

TEST(InNetworkReduction, AnUnusedMemberHoldsItsGroupAndNobodyElse)
{
    ScaleUpServer s(3);
    s.Build();
    auto& held = s.ConnectReduction(All(3), 0);
    auto& other = s.Connect(1, 2);
    held.Send(4 * MIB, 0);
    held.Send(4 * MIB, 1); // 2 does not send yet
    other.Send(MIB);
    Simulator::Schedule(MilliSeconds(1), [&] {
        EXPECT_TRUE(held.to[0]->arrived.empty());
        EXPECT_EQ(other.to[0]->arrived.size(), 1u);
        // GroupWindow, 512 KiB: what waits for a fellow is stored once.
        EXPECT_EQ(ReducerOf(s)->GetUsedBytes(), 512u << 10);
        EXPECT_EQ(Counters(s, 0).txPayloadBytes, 512u << 10);
        held.Send(4 * MIB, 2);
    });
    Simulator::Run();
    EXPECT_EQ(held.to[0]->arrived.size(), 1u);
    EXPECT_LE(ReducerOf(s)->GetPeakBytes(), 512u << 10);
    ExpectEmpty(s);
}

TEST(InNetworkReduction, ManyGroupsInOppositeOrdersDoNotLockUpWithOneFrameEach)
{
    // The worst order: member 0 sends to groups 0, 1, 2, ... one after the other, each only when
    // the last message has left, member 1 from the last to the first; and nothing but one slot a
    // group. A unit that let one group's frames stand before another's would never end.
    constexpr uint32_t GROUPS = 24;
    ScaleUpServer s(2);
    s.helper.SetScaleUpReducerAttribute("Capacity", UintegerValue(0));
    s.Build();
    for (uint32_t g = 0; g < GROUPS; ++g)
    {
        s.ConnectReduction({0, 1}, g % 2);
    }
    for (uint32_t g = 0; g < GROUPS; ++g)
    {
        s.flows[g]->Send(10 * PAYLOAD, 0);
        s.flows[GROUPS - 1 - g]->Send(10 * PAYLOAD, 1);
    }
    Simulator::Run();
    for (const auto& flow : s.flows)
    {
        EXPECT_EQ(flow->to[0]->arrived.size(), 1u);
    }
    EXPECT_LE(ReducerOf(s)->GetPeakBytes(), GROUPS * PAYLOAD);
    EXPECT_EQ(ReducerOf(s)->GetGrantedBytes(), GROUPS * PAYLOAD);
    ExpectEmpty(s);
}

TEST(InNetworkReduction, OneFrameAtATimeTakesARoundTripEach)
{
    ScaleUpServer s(2);
    s.helper.SetScaleUpFlowControl(FabricNetDevice::FLOW_CONTROL_PFC); // no credits on the links
    s.helper.SetScaleUpReducerAttribute("Capacity", UintegerValue(0));
    s.Build();
    auto& flow = s.ConnectReduction({0, 1}, 0);
    flow.SendAll(10 * PAYLOAD);
    Simulator::Run();
    // Up; then, when the sum begins to leave, its slot is free and the grant goes: to member 1 at
    // once, to the owner behind the sum. Its next frame is the later one, and the grant that it
    // waits for goes down its cable in 16 B more.
    int64_t frame = FULL_FRAME * BYTE_PS;
    int64_t grant = 16 * BYTE_PS;
    int64_t round = frame + CABLE_PS + SWITCH_PS + frame + grant + CABLE_PS;
    EXPECT_EQ(flow.DoneAt(), 9 * round + 2 * frame + 2 * CABLE_PS + SWITCH_PS);
}

TEST(InNetworkReduction, LatencyAndThroughputOfTheUnit)
{
    ScaleUpServer s(4);
    s.helper.SetScaleUpFlowControl(FabricNetDevice::FLOW_CONTROL_PFC); // no credits on the links
    s.helper.SetScaleUpReducerAttribute("Latency", TimeValue(NanoSeconds(250)));
    s.helper.SetScaleUpReducerAttribute("Throughput",
                                        DataRateValue(DataRate(8'000'000'000'000ULL))); // 1 B a ps
    s.Build();
    auto& flow = s.ConnectReduction(All(4), 0);
    flow.SendAll(256 * PAYLOAD);
    Simulator::Run();
    // 4 x 256 contributions of 4096 ps are more than the 256 x 8704 ps of the links: the unit sets
    // the pace from the first arrival on; GroupWindow is enough for it never to wait.
    int64_t frame = FULL_FRAME * BYTE_PS;
    int64_t first = frame + CABLE_PS + SWITCH_PS;
    int64_t added = 4 * 256 * int64_t{PAYLOAD};
    EXPECT_EQ(flow.DoneAt(), first + added + 250'000 + frame + CABLE_PS);
    ExpectEmpty(s);
}

TEST(InNetworkReduction, GroupsShareTheCapacityEvenlyWhenItIsScarce)
{
    ScaleUpServer s(2);
    s.helper.SetScaleUpReducerAttribute("Capacity", UintegerValue(64 * PAYLOAD));
    s.helper.SetScaleUpReducerAttribute("GroupWindow", UintegerValue(64 * PAYLOAD));
    s.Build();
    // The first group gets half of the capacity, the second one half of the rest, ...
    for (uint32_t g = 0; g < 4; ++g)
    {
        s.ConnectReduction({0, 1}, 0);
    }
    EXPECT_EQ(ReducerOf(s)->GetGrantedBytes(), (4 + 32 + 16 + 8 + 4) * PAYLOAD);
    for (const auto& flow : s.flows)
    {
        flow->SendAll(16 * MIB);
    }
    Simulator::Run();
    // ... until each has as much as is left: of 64, a fifth, 12 or 13, for each of the four.
    EXPECT_GE(ReducerOf(s)->GetGrantedBytes(), (4 + 4 * 12) * PAYLOAD);
    EXPECT_LE(ReducerOf(s)->GetGrantedBytes(), (4 + 4 * 13) * PAYLOAD);
    ExpectEmpty(s);
}

TEST(InNetworkReduction, AnAllReduceRunsAtTheLinkRate)
{
    // S (1 + 1/n) up and down each link: 8 GPUs, parts of 2 MiB, pieces of 128 KiB that go out as
    // soon as their sum is there.
    constexpr uint32_t N = 8;
    constexpr uint64_t PIECE = 128 << 10;
    constexpr uint32_t PIECES = 16;
    ScaleUpServer s(N);
    s.Build();
    std::vector<ScaleUpServer::Flow*> multicasts;
    for (uint32_t owner = 0; owner < N; ++owner)
    {
        multicasts.push_back(&s.ConnectMulticast(owner, All(N)));
    }
    for (uint32_t owner = 0; owner < N; ++owner)
    {
        auto& flow = s.ConnectReduction(All(N), owner);
        for (uint32_t p = 0; p < PIECES; ++p)
        {
            flow.SendAll(PIECE);
        }
    }
    // Each sum that arrives is multicast: poll, for the ends only record.
    std::vector<size_t> sent(N, 0);
    std::function<void()> relay = [&] {
        size_t done = 0;
        for (uint32_t owner = 0; owner < N; ++owner)
        {
            for (; sent[owner] < s.flows[N + owner]->to[0]->arrived.size(); ++sent[owner])
            {
                multicasts[owner]->Send(PIECE);
            }
            done += sent[owner];
        }
        if (done < N * PIECES)
        {
            Simulator::Schedule(NanoSeconds(10), relay);
        }
    };
    Simulator::ScheduleNow(relay);
    Simulator::Run();
    int64_t last = 0;
    for (auto* flow : multicasts)
    {
        for (uint32_t r = 0; r < N; ++r)
        {
            ASSERT_EQ(flow->to[r]->arrived.size(), PIECES);
            last = std::max(last, flow->DoneAt(r));
        }
    }
    int64_t frames = PIECES * PIECE / PAYLOAD * (N + 1);
    int64_t bound = frames * int64_t{FULL_FRAME} * BYTE_PS;
    EXPECT_GE(last, bound);
    // The first sums are whole after a piece of each owner, and the last ones go to all after that.
    EXPECT_LE(last, bound * (PIECES * (N + 1) + 2 * N) / (PIECES * (N + 1)));
    ExpectEmpty(s);
}

TEST(InNetworkReductionDeathTest, MembersMustSendAlike)
{
    ScaleUpServer s(2);
    s.Build();
    auto& flow = s.ConnectReduction({0, 1}, 0);
    flow.Send(100, 0);
    flow.Send(101, 1);
    EXPECT_DEATH(Simulator::Run(), "frame 0 has 101 B from one sender and 100 B from another one");
}

TEST(InNetworkReductionDeathTest, ADomainWithoutTheUnitRefuses)
{
    ScaleUpServer s(2);
    s.helper.SetMulticast(false);
    s.Build();
    EXPECT_FALSE(s.Port(0)->HasFrameGroups());
    EXPECT_DEATH(s.ConnectReduction({0, 1}, 0), "FabricSwitch::Reducer");
}
