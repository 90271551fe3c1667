// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Scale-up domains: planes, mesh, a rack, several domains a server; credits on their links;
 * bandwidth against closed forms, conservation, empty buffers at the end.
 *
 * All links of a GPU together have 4 Tb/s: 2 ps a byte.
 */

#include "scale-up-server.h"

using namespace ns3;

namespace
{

constexpr int64_t BYTE_PS = 2;
constexpr int64_t CABLE_PS = 25'000;
constexpr int64_t SWITCH_PS = 300'000;
constexpr int64_t PATH_PS = 2 * CABLE_PS + SWITCH_PS;
constexpr uint64_t PAYLOAD = 4096;
constexpr uint64_t FULL_FRAME = PAYLOAD + 16 * 16;
constexpr uint64_t MIB = 1 << 20;
constexpr int64_t CREDIT_BYTES = 16;

/// All that was sent has come, and nothing is left anywhere.
void
ExpectConserved(const ScaleUpServer& s)
{
    for (const ScaleUpDomain& domain : s.cluster.domains)
    {
        for (const auto& plane : domain.planes)
        {
            EXPECT_EQ(plane->GetBuffer()->GetUsedBytes(), 0u);
            EXPECT_EQ(plane->GetLosslessDrops() + plane->GetLossyDrops() +
                          plane->GetUnroutableDrops(),
                      0u);
        }
        for (const auto& device : domain.gpuPorts)
        {
            EXPECT_EQ(device->GetQueuedBytes() + device->GetPeer()->GetQueuedBytes(), 0u);
            EXPECT_EQ(device->GetCounters().txBytes, device->GetPeer()->GetCounters().rxBytes);
            EXPECT_EQ(device->GetCounters().rxBytes, device->GetPeer()->GetCounters().txBytes);
        }
    }
    for (const auto& gpu : s.cluster.gpus)
    {
        EXPECT_EQ(gpu->GetScaleUpPort()->GetQueuedBytes(), 0u);
    }
}

/// @return when the last message of all flows was whole, ps; each must have arrived
int64_t
LastArrival(const ScaleUpServer& s)
{
    int64_t last = 0;
    for (const auto& flow : s.flows)
    {
        EXPECT_EQ(flow->to[0]->arrived.size(), 1u);
        last = std::max(last, flow->DoneAt());
    }
    return last;
}

} // namespace

TEST(ScaleUpPlanes, AMessageIsSpreadEvenlyAndWholeWhenAllHasCome)
{
    for (uint32_t planes : {1, 2, 4, 16})
    {
        ScaleUpServer s(3);
        s.helper.SetPlanes(planes);
        s.Build();
        ASSERT_EQ(s.cluster.domains[0].planes.size(), planes);
        ASSERT_EQ(s.Port(0)->GetNLinks(), planes);
        auto& flow = s.Connect(0, 2);
        flow.Send(MIB);
        Simulator::Run();
        // Each plane has 256 / planes frames, at planes x 2 ps a byte, and stores the last one.
        int64_t frame = FULL_FRAME * BYTE_PS * planes;
        EXPECT_EQ(flow.DoneAt(), (256 / planes + 1) * frame + PATH_PS) << planes;
        EXPECT_EQ(flow.from[0]->departed.at(0).at, 256 / planes * frame);
        EXPECT_EQ(s.Port(0)->GetWireSteps(MIB), 256 / planes * frame);
        for (uint32_t plane = 0; plane < planes; ++plane)
        {
            EXPECT_EQ(s.Port(0)->GetDevice(plane)->GetCounters().txPayloadBytes, MIB / planes);
        }
        ExpectConserved(s);
    }
}

TEST(ScaleUpPlanes, MessagesOfAFlowArriveInOrderWithTheirLengths)
{
    ScaleUpServer s(2);
    s.helper.SetPlanes(5);
    s.Build();
    auto& flow = s.Connect(0, 1);
    const std::vector<uint64_t> lengths{100'000, 0, 1, 4096, 0, 8193, 1, 123457, 3, 40'000, 0};
    for (uint64_t length : lengths)
    {
        flow.Send(length);
    }
    Simulator::Run();
    ASSERT_EQ(flow.to[0]->arrived.size(), lengths.size());
    ASSERT_EQ(flow.from[0]->departed.size(), lengths.size());
    for (size_t i = 0; i < lengths.size(); ++i)
    {
        EXPECT_EQ(flow.to[0]->arrived[i].bytes, lengths[i]) << i;
        EXPECT_GE(flow.to[0]->arrived[i].at, flow.from[0]->departed[i].at) << i;
    }
    ExpectConserved(s);
}

TEST(ScaleUpPlanes, ShortMessagesOfManyFlowsMeetOnNoPlaneInParticular)
{
    ScaleUpServer s(8);
    s.helper.SetPlanes(4);
    s.Build();
    for (uint32_t from = 0; from < 8; ++from)
    {
        for (uint32_t to = 0; to < 8; ++to)
        {
            if (from != to)
            {
                s.Connect(from, to).Send(512);
            }
        }
    }
    Simulator::Run();
    LastArrival(s);
    for (const auto& device : s.cluster.domains[0].gpuPorts)
    {
        EXPECT_GE(device->GetCounters().txPayloadBytes, 512u); // seven messages over four planes:
        EXPECT_LE(device->GetCounters().txPayloadBytes, 3 * 512u); // one to three each
    }
    ExpectConserved(s);
}

TEST(ScaleUpPlanes, ReductionAndMulticastGoOverAllPlanes)
{
    ScaleUpServer s(4);
    s.helper.SetPlanes(4);
    s.Build();
    auto& sum = s.ConnectReduction({0, 1, 2, 3}, 1);
    sum.SendAll(MIB);
    sum.SendAll(5000);
    auto& copies = s.ConnectMulticast(2, {0, 1, 2, 3});
    copies.Send(MIB);
    Simulator::Run();
    ASSERT_EQ(sum.to[0]->arrived.size(), 2u);
    EXPECT_EQ(sum.to[0]->arrived[0].bytes, MIB);
    EXPECT_EQ(sum.to[0]->arrived[1].bytes, 5000u);
    for (const auto& end : copies.to)
    {
        ASSERT_EQ(end->arrived.size(), 1u);
        EXPECT_EQ(end->arrived[0].bytes, MIB);
    }
    for (const auto& plane : s.cluster.domains[0].planes)
    {
        EXPECT_GE(plane->GetReducer()->GetContributions(), 4 * 64u + 64u);
        EXPECT_EQ(plane->GetReducer()->GetUsedBytes(), 0u);
    }
    ExpectConserved(s);
}

TEST(ScaleUpMesh, EachPeerHasItsShareOfTheRateAndNoSwitchIsBetween)
{
    ScaleUpServer s(5); // four peers: 1 Tb/s each, 8 ps a byte
    s.helper.SetScaleUpType(ScaleUpType::MESH);
    s.Build();
    EXPECT_TRUE(s.cluster.domains[0].planes.empty());
    EXPECT_EQ(s.cluster.domains[0].channels.size(), 10u); // 5 x 4 / 2
    EXPECT_FALSE(s.Port(0)->HasFrameGroups());
    for (uint32_t from = 0; from < 5; ++from)
    {
        for (uint32_t to = 0; to < 5; ++to)
        {
            if (from != to)
            {
                s.Connect(from, to).Send(MIB);
            }
        }
    }
    Simulator::Run();
    // All at once, each on its own link, with the credits of the way back: one frame of 16 B for
    // each quarter of the buffer that is freed, at most one a frame.
    int64_t end = 256 * static_cast<int64_t>(FULL_FRAME) * 8 + CABLE_PS;
    for (const auto& flow : s.flows)
    {
        EXPECT_GE(flow->DoneAt(), end);
        EXPECT_LE(flow->DoneAt(), end + end / 200);
    }
    ExpectConserved(s);
}

TEST(ScaleUpMesh, OnePairAloneHasOneLink)
{
    ScaleUpServer s(5);
    s.helper.SetScaleUpType(ScaleUpType::MESH);
    s.Build();
    auto& flow = s.Connect(1, 3);
    flow.Send(MIB);
    Simulator::Run();
    EXPECT_EQ(flow.DoneAt(), 256 * static_cast<int64_t>(FULL_FRAME) * 8 + CABLE_PS);
    ExpectConserved(s);
}

TEST(ScaleUpRack, SeventyTwoGpusOfEighteenServersAreOneDomainOfEighteenPlanes)
{
    ScaleUpServer s(4);
    s.helper.SetDomainSize(72);
    s.helper.SetPlanes(18);
    s.Build(18);
    ASSERT_EQ(s.cluster.gpus.size(), 72u);
    ASSERT_EQ(s.cluster.domains.size(), 1u);
    EXPECT_EQ(s.cluster.domains[0].planes.size(), 18u);
    EXPECT_EQ(s.cluster.domains[0].gpuPorts.size(), 72u * 18u);
    EXPECT_EQ(s.cluster.gpus[71]->GetServer(), 17u);
    EXPECT_EQ(s.cluster.gpus[71]->GetScaleUpDomain(), 0u);
    EXPECT_EQ(s.cluster.domains[0].links.front().name, "server0/gpu0:0");
    EXPECT_EQ(s.cluster.domains[0].links.front().peer, "domain0/scale-up0:0");
    constexpr uint64_t EACH = 18 * PAYLOAD; // one frame on each plane
    for (uint32_t from = 0; from < 72; ++from)
    {
        for (uint32_t hop = 1; hop < 72; ++hop)
        {
            s.Connect(from, (from + hop) % 72).Send(EACH);
        }
    }
    Simulator::Run();
    int64_t last = LastArrival(s);
    int64_t bound = 71 * 18 * static_cast<int64_t>(FULL_FRAME) * BYTE_PS + PATH_PS;
    EXPECT_GE(last, bound);
    EXPECT_LE(last, bound * 12 / 10);
    ExpectConserved(s);
}

TEST(ScaleUpDomains, AServerMayHaveSeveral)
{
    ScaleUpServer s(8);
    s.helper.SetDomainSize(4);
    s.Build(2);
    ASSERT_EQ(s.cluster.domains.size(), 4u);
    for (uint32_t gpu = 0; gpu < 16; ++gpu)
    {
        EXPECT_EQ(s.cluster.gpus[gpu]->GetScaleUpDomain(), gpu / 4);
        EXPECT_EQ(s.cluster.gpus[gpu]->GetServer(), gpu / 8);
    }
    auto& flow = s.Connect(12, 15);
    flow.Send(1000);
    Simulator::Run();
    EXPECT_EQ(flow.to[0]->arrived.size(), 1u);
    ExpectConserved(s);
}

TEST(ScaleUpDomains, ASizeThatDoesNotFitIsRefused)
{
    ScaleUpServer s(8);
    s.helper.SetDomainSize(3);
    s.fixture.BuildStar(2, "400Gbps", NanoSeconds(500));
    std::string error;
    s.helper.Install(s.fixture.network, error);
    EXPECT_NE(error.find("domain of 3 GPUs: it must divide the 8 GPUs of server 0"),
              std::string::npos)
        << error;
}

// ---------------------------------------------------------------- credits

TEST(ScaleUpCredits, AnIncastIsHeldByCreditsAndLosesNothing)
{
    ScaleUpServer s(4);
    s.Build();
    for (uint32_t sender : {1, 2, 3})
    {
        s.Connect(sender, 0).Send(4 * MIB);
    }
    Simulator::Run();
    // The receiver's link never idles: 3 x 1024 frames, and the first one's way to the switch.
    int64_t frame = FULL_FRAME * BYTE_PS;
    EXPECT_EQ(LastArrival(s), 3 * 1024 * frame + frame + PATH_PS);
    const ScaleUpDomain& domain = s.cluster.domains[0];
    for (uint32_t gpu : {1, 2, 3})
    {
        Ptr<FabricNetDevice> device = domain.gpuPorts[gpu];
        EXPECT_GT(device->PausedSteps(3, NowSteps()), 0) << "it was out of credit";
        EXPECT_EQ(device->GetCounters().pausesReceived, 0u);
        EXPECT_GT(device->GetCounters().creditsReceived, 0u);
    }
    // What waits in the switch is no more than it has given credits for.
    EXPECT_LE(domain.fabricSwitch->GetBuffer()->GetPeakBytes(),
              3 * domain.gpuPorts[1]->GetPeer()->GetCreditBufferBytes());
    ExpectConserved(s);
}

TEST(ScaleUpCredits, OneMessageTakesAsLongAsWithPfc)
{
    int64_t ends[2];
    for (auto flowControl :
         {FabricNetDevice::FLOW_CONTROL_PFC, FabricNetDevice::FLOW_CONTROL_CREDITS})
    {
        ScaleUpServer s(2);
        s.helper.SetScaleUpFlowControl(flowControl);
        s.Build();
        auto& flow = s.Connect(0, 1);
        flow.Send(4 * MIB);
        Simulator::Run();
        ends[flowControl] = flow.DoneAt();
        EXPECT_EQ(s.Port(0)->GetDevice()->PausedSteps(3, NowSteps()), 0);
    }
    EXPECT_EQ(ends[0], 1025 * static_cast<int64_t>(FULL_FRAME) * BYTE_PS + PATH_PS);
    EXPECT_EQ(ends[1], ends[0]);
}

TEST(ScaleUpCredits, ASmallBufferLimitsTheBandwidthToItsShareOfTheRoundTrip)
{
    // A frame starts, goes over the cable and the switch's pipeline, leaves at once (the link out
    // is as fast), and its credit comes back behind nothing.
    constexpr int64_t LOOP = (FULL_FRAME + CREDIT_BYTES) * BYTE_PS + 2 * CABLE_PS + SWITCH_PS;
    for (uint64_t k : {4, 8, 16, 32, 64})
    {
        ScaleUpServer s(2);
        s.helper.SetScaleUpDeviceAttribute("CreditUpdateBytes", UintegerValue(1));
        s.helper.SetScaleUpSwitchDeviceAttribute("CreditUpdateBytes", UintegerValue(1));
        s.helper.SetCreditBuffer(k * FULL_FRAME);
        s.Build();
        auto& flow = s.Connect(0, 1);
        flow.Send(64 * MIB);
        Simulator::Run();
        double rate = 16384.0 * FULL_FRAME / static_cast<double>(flow.DoneAt());
        double expected = std::min(1.0 / BYTE_PS,
                                   static_cast<double>(k * FULL_FRAME) / static_cast<double>(LOOP));
        EXPECT_NEAR(rate, expected, 0.01 * expected) << k;
        ExpectConserved(s);
    }
}

TEST(ScaleUpCredits, LargeFramesForSpeedCarryTheSameBytes)
{
    ScaleUpServer s(4);
    s.helper.SetScaleUpPortAttribute("FramePayload", UintegerValue(64 << 10));
    s.Build();
    for (uint32_t from = 0; from < 4; ++from)
    {
        for (uint32_t to = 0; to < 4; ++to)
        {
            if (from != to)
            {
                s.Connect(from, to).Send(8 * MIB);
            }
        }
    }
    Simulator::Run();
    int64_t last = LastArrival(s);
    // 64 KiB are 256 link packets: 17 B for each 16. Each GPU sends and gets 3 x 128 frames.
    int64_t frame = 65536 / 16 * 17 * BYTE_PS;
    EXPECT_GE(last, 385 * frame + PATH_PS);
    EXPECT_LE(last, 385 * frame * 102 / 100 + PATH_PS);
    ExpectConserved(s);
}
