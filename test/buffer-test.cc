// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The packet memory and its policies: limits, pools, headroom, cells, against the published
 * formulas, worked out by hand.
 */

#include "ns3/abm-buffer-policy.h"
#include "ns3/boolean.h"
#include "ns3/class-values.h"
#include "ns3/double.h"
#include "ns3/pfc-headroom.h"
#include "ns3/shared-buffer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/switch-presets.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>

using namespace ns3;

namespace
{

const bool g_countsPicoseconds = [] {
    Time::SetResolution(Time::PS);
    return true;
}();

constexpr uint32_t LOSSLESS = 3;
constexpr uint32_t LOSSY = 0;
constexpr uint64_t FRAME = 1000;
constexpr uint64_t GBPS_100 = 100000000000;

/// Ports as the tests need them, all alike.
std::vector<BufferPort>
Ports(uint32_t count, uint64_t headroom = 10000, uint8_t lossless = 1 << LOSSLESS)
{
    return std::vector<BufferPort>(count, {lossless, headroom, GBPS_100, 20});
}

/// A memory without reserves of which @p shared bytes are shared by @p ports.
Ptr<SharedBuffer>
MakeBuffer(uint64_t shared, uint32_t ports, const std::string& policy)
{
    auto buffer = CreateObject<SharedBuffer>();
    buffer->SetAttribute("Size", UintegerValue(shared + ports * 10000));
    buffer->SetAttribute("Reserved", UintegerValue(0));
    buffer->SetAttribute("Policy", StringValue(policy));
    return buffer;
}

/// Books frames until one does not fit or @p most are in. @return how many were booked
uint32_t
Fill(Ptr<SharedBuffer> buffer,
     uint32_t ingress,
     uint32_t egress,
     uint32_t trafficClass,
     uint32_t most = 1000000)
{
    uint32_t count = 0;
    while (count < most && buffer->Admit(ingress, egress, trafficClass, FRAME))
    {
        ++count;
    }
    return count;
}

/// Books frames until the class is to be paused. @return how many
uint32_t
FillUntilPause(Ptr<SharedBuffer> buffer, uint32_t ingress, uint32_t egress, uint64_t bytes = FRAME)
{
    uint32_t count = 0;
    while (!buffer->MustPause(ingress, LOSSLESS))
    {
        EXPECT_TRUE(buffer->Admit(ingress, egress, LOSSLESS, bytes));
        ++count;
    }
    return count;
}

// ---------------------------------------------------------------- values of single classes

TEST(ClassValues, AreReadOrRefused)
{
    std::string error;
    ClassValues values = ClassValues::Parse("3:0.125,0:1", error);
    EXPECT_EQ(error, "");
    EXPECT_EQ(values.Get(3, 9), 0.125);
    EXPECT_EQ(values.Get(0, 9), 1.0);
    EXPECT_EQ(values.Get(1, 9), 9.0);
    EXPECT_EQ(values.GetClasses(), 0x09);
    for (const char* bad : {"8:1", "3", "3:", ":1", "3:x", "3:1,3:2", "3:-1", "3:1,,4:1", "3.5:1"})
    {
        ClassValues::Parse(bad, error);
        EXPECT_NE(error.find(bad), std::string::npos) << bad;
    }
}

TEST(ClassValues, ThatMakeNoSenseAreRefusedAtSetUp)
{
    for (const char* attribute : {"IngressAlpha", "EgressAlpha", "ClassReserved", "ClassXonOffset"})
    {
        Ptr<SharedBuffer> buffer = MakeBuffer(100000, 2, "ns3::DynamicThresholdPolicy");
        buffer->SetAttribute(attribute, StringValue("3:1,9:2"));
        std::string why = buffer->Configure(Ports(2));
        EXPECT_NE(why.find(attribute), std::string::npos) << why;
        EXPECT_NE(why.find("9:2"), std::string::npos) << why;
    }
    Ptr<SharedBuffer> buffer =
        MakeBuffer(100000, 2, "ns3::StaticThresholdPolicy[IngressClassBytes=3-5]");
    EXPECT_NE(buffer->Configure(Ports(2)).find("IngressClassBytes"), std::string::npos);
    buffer = MakeBuffer(100000, 2, "ns3::SharedBuffer");
    EXPECT_NE(buffer->Configure(Ports(2)).find("is not a buffer policy"), std::string::npos);
}

// ---------------------------------------------------------------- dynamic threshold

TEST(DynamicThreshold, LeavesTheShareOfTheFormulaFree)
{
    // Choudhury and Hahne: n accounts at their limit hold alpha / (1 + n alpha) of the pool each.
    // They are filled by turns: the threshold meets their common size q where q = alpha (B - n q),
    // and everyone stops within a frame of it.
    for (double alpha : {0.125, 0.5, 1.0, 4.0})
    {
        for (uint32_t n : {1u, 2u, 7u})
        {
            constexpr uint64_t POOL = 10000000;
            Ptr<SharedBuffer> buffer = MakeBuffer(POOL, 8, "ns3::DynamicThresholdPolicy");
            buffer->SetAttribute("LossyAlpha", DoubleValue(alpha));
            ASSERT_EQ(buffer->Configure(Ports(8)), "");
            bool grew = true;
            while (grew)
            {
                grew = false;
                for (uint32_t egress = 1; egress <= n; ++egress)
                {
                    grew |= buffer->Admit(0, egress, LOSSY, FRAME);
                }
            }
            double expected = alpha / (1 + n * alpha) * POOL;
            for (uint32_t egress = 1; egress <= n; ++egress)
            {
                EXPECT_NEAR(static_cast<double>(buffer->GetEgressBytes(egress, LOSSY)),
                            expected,
                            2 * FRAME)
                    << "alpha " << alpha << " n " << n;
            }
            EXPECT_EQ(buffer->CheckInvariants(), "");
        }
    }
}

TEST(DynamicThreshold, MayDifferByClass)
{
    // Class 4 has alpha 1 and meets its threshold at half of the pool; class 3 the common 1/8: s
    // where s = (50,000 - s) / 8, 5555 B, so the sixth frame is the first beyond.
    Ptr<SharedBuffer> buffer = MakeBuffer(100000, 2, "ns3::DynamicThresholdPolicy");
    buffer->SetAttribute("Size", UintegerValue(100000 + 4 * 10000));
    buffer->SetAttribute("IngressAlpha", StringValue("4:1"));
    ASSERT_EQ(buffer->Configure(Ports(2, 10000, 0x18)), "");
    uint32_t frames = 0;
    while (!buffer->MustPause(0, 4))
    {
        ASSERT_TRUE(buffer->Admit(0, 1, 4, FRAME));
        ++frames;
    }
    EXPECT_EQ(frames, 50u);
    EXPECT_EQ(FillUntilPause(buffer, 1, 0), 6u);
    EXPECT_EQ(buffer->GetUsedHeadroomBytes(), FRAME);
}

TEST(DynamicThreshold, ScalesWithTheRateOfThePort)
{
    // For 100 Gb/s: alpha 1/4 and 1000 B of reserve. A port of 400 Gb/s has alpha 1 and 4000 B.
    Ptr<SharedBuffer> buffer = MakeBuffer(100000, 2, "ns3::DynamicThresholdPolicy");
    buffer->SetAttribute("Size", UintegerValue(100000 + 20000 + 8 * (1000 + 4000)));
    buffer->SetAttribute("Reserved", UintegerValue(1000));
    buffer->SetAttribute("Alpha", DoubleValue(0.25));
    buffer->SetAttribute("ReferenceRate", DataRateValue(DataRate("100Gbps")));
    std::vector<BufferPort> ports = Ports(2);
    ports[1].bitsPerSecond = 4 * GBPS_100;
    ASSERT_EQ(buffer->Configure(ports), "");
    EXPECT_EQ(buffer->GetSharedBytes(), 100000u);
    EXPECT_EQ(FillUntilPause(buffer, 1, 0), 4u + 50u);
    // s = (50,000 - s) / 4 at 10,000: after 1 + 10 frames.
    EXPECT_EQ(FillUntilPause(buffer, 0, 1), 1u + 10u);
}

// ---------------------------------------------------------------- static threshold

TEST(StaticThreshold, PausesAndDropsAtFixedBytes)
{
    Ptr<SharedBuffer> buffer =
        MakeBuffer(1000000,
                   3,
                   "ns3::StaticThresholdPolicy[IngressBytes=50000|EgressBytes=30000|"
                   "EgressClassBytes=1:7000]");
    ASSERT_EQ(buffer->Configure(Ports(3)), "");
    EXPECT_EQ(FillUntilPause(buffer, 0, 1), 50u);
    EXPECT_EQ(FillUntilPause(buffer, 1, 2), 50u) << "whatever others hold";
    EXPECT_EQ(Fill(buffer, 0, 1, LOSSY), 30u);
    EXPECT_EQ(Fill(buffer, 2, 1, LOSSY), 0u) << "the queue is full for all";
    EXPECT_EQ(Fill(buffer, 2, 0, LOSSY), 30u) << "but not the next one";
    EXPECT_EQ(Fill(buffer, 2, 0, 1), 7u);
    EXPECT_EQ(buffer->CheckInvariants(), "");
}

TEST(StaticThreshold, ScalesWithTheRateOfThePort)
{
    Ptr<SharedBuffer> buffer =
        MakeBuffer(1000000, 2, "ns3::StaticThresholdPolicy[IngressBytes=40000]");
    buffer->SetAttribute("ReferenceRate", DataRateValue(DataRate("400Gbps")));
    std::vector<BufferPort> ports = Ports(2);
    ports[1].bitsPerSecond = 8 * GBPS_100;
    ASSERT_EQ(buffer->Configure(ports), "");
    EXPECT_EQ(FillUntilPause(buffer, 0, 1), 10u);
    EXPECT_EQ(FillUntilPause(buffer, 1, 0), 80u);
}

/// A study's own policy: nobody gets anything but its reserve.
class NothingShared : public BufferPolicy
{
  public:
    uint64_t IngressLimit(const SharedBuffer&, uint32_t, uint32_t) override
    {
        return 0;
    }

    uint64_t EgressLimit(const SharedBuffer&, uint32_t, uint32_t) override
    {
        return 0;
    }
};

TEST(BufferPolicy, MayBeOnesOwn)
{
    Ptr<SharedBuffer> buffer = MakeBuffer(100000, 2, "ns3::DynamicThresholdPolicy");
    buffer->SetAttribute("Size", UintegerValue(100000 + 20000 + 16 * 3000));
    buffer->SetAttribute("Reserved", UintegerValue(3000));
    buffer->SetPolicy(CreateObject<NothingShared>());
    ASSERT_EQ(buffer->Configure(Ports(2)), "");
    EXPECT_EQ(Fill(buffer, 0, 1, LOSSY), 3u);
    EXPECT_EQ(Fill(buffer, 0, 1, LOSSLESS), 3u + 10u);
}

// ---------------------------------------------------------------- complete partition

TEST(CompletePartition, GivesEachPortAndClassTheShareOfTheDcqcnPaper)
{
    // Zhu et al. (SIGCOMM 2015), section 4: a switch of 12 MB with 32 ports, 8 classes and 22.4 KB
    // of headroom each has t_PFC = (B - 8 n t_flight) / (8 n) = 24.47 KB: 24,475 B.
    auto buffer = CreateObject<SharedBuffer>();
    buffer->SetAttribute("Size", UintegerValue(12000000));
    buffer->SetAttribute("Reserved", UintegerValue(0));
    buffer->SetAttribute("Policy", StringValue("ns3::CompletePartitionPolicy"));
    ASSERT_EQ(buffer->Configure(Ports(32, 22400, 0xff)), "");
    constexpr uint64_t PART = 55 * 445;
    static_assert(PART == 24475);
    // All at once, and all of the headroom beyond.
    for (uint32_t port = 0; port < 32; ++port)
    {
        for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            for (uint64_t frame = 0; frame < 55; ++frame)
            {
                ASSERT_FALSE(buffer->MustPause(port, c)) << frame;
                ASSERT_TRUE(buffer->Admit(port, 0, c, 445));
            }
            ASSERT_TRUE(buffer->MustPause(port, c));
            ASSERT_EQ(buffer->GetIngressSharedBytes(port, c), PART);
            for (int frame = 0; frame < 50; ++frame)
            {
                ASSERT_TRUE(buffer->Admit(port, 0, c, 448)); // 50 x 448: 22,400
            }
            ASSERT_FALSE(buffer->Admit(port, 0, c, 1));
        }
    }
    EXPECT_EQ(buffer->GetUsedBytes(), 12000000u);
    EXPECT_EQ(buffer->CheckInvariants(), "");
}

TEST(CompletePartition, OfClassesThatAreUsed)
{
    // Two classes, four ports, 80,000 B: 10,000 each. The lossy one has its part at the egress.
    Ptr<SharedBuffer> buffer = MakeBuffer(80000, 4, "ns3::CompletePartitionPolicy[Classes=9]");
    ASSERT_EQ(buffer->Configure(Ports(4)), "");
    EXPECT_EQ(FillUntilPause(buffer, 0, 1), 10u);
    EXPECT_EQ(Fill(buffer, 0, 1, LOSSY), 10u);
    EXPECT_EQ(Fill(buffer, 1, 1, LOSSY), 0u);
    EXPECT_EQ(Fill(buffer, 1, 2, LOSSY), 10u);
    EXPECT_EQ(Fill(buffer, 1, 2, 5), 0u) << "no part, no reserve";
}

// ---------------------------------------------------------------- ABM

TEST(Abm, DividesByTheNumberOfCongestedQueues)
{
    // alpha 1/2, B = 1,000,000, nothing drains, so mu/b is 1.
    // First queue, n = 1: q <= (B - q) / 2: 333 frames. It is congested.
    // Second: q <= (667,000 - q) / 2, but at 0.9 of that, 207,000, it is congested itself, n = 2,
    // and the limit is (460,000) / 4 = 115,000: 207 frames (dynamic threshold: 222).
    // Third, n = 2: congested from q >= 0.9 (460,000 - q) / 4 on, at 85,000: then n = 3.
    Ptr<SharedBuffer> buffer = MakeBuffer(1000000, 5, "ns3::AbmBufferPolicy");
    buffer->SetAttribute("LossyAlpha", DoubleValue(0.5));
    ASSERT_EQ(buffer->Configure(Ports(5)), "");
    auto abm = DynamicCast<AbmBufferPolicy>(buffer->GetPolicy());
    ASSERT_TRUE(abm);
    EXPECT_EQ(Fill(buffer, 4, 0, LOSSY), 333u);
    EXPECT_EQ(abm->GetCongestedEgressQueues(LOSSY), 1u);
    EXPECT_EQ(Fill(buffer, 4, 1, LOSSY), 207u);
    EXPECT_EQ(abm->GetCongestedEgressQueues(LOSSY), 2u);
    EXPECT_EQ(Fill(buffer, 4, 2, LOSSY), 85u);
    EXPECT_EQ(abm->GetCongestedEgressQueues(LOSSY), 3u);
    // Another class has no congested queue: free are 375,000, a third of it fits.
    EXPECT_EQ(Fill(buffer, 4, 3, 1), 125u);
    // A queue that empties counts no more.
    for (int frame = 0; frame < 333; ++frame)
    {
        buffer->Release(4, 0, LOSSY, FRAME);
    }
    EXPECT_EQ(abm->GetCongestedEgressQueues(LOSSY), 2u);
    EXPECT_EQ(buffer->CheckInvariants(), "");
}

TEST(Abm, GivesAQueueLessThatDrainsAtHalfRate)
{
    // Frames of 1230 B, 1250 B on the wire: 100 ns at 100 Gb/s. One leaves each 200 ns, so in a
    // window of 10 us 50 frames do, half of what the line could carry. The first window begins with
    // an empty queue and counts for nothing.
    Ptr<SharedBuffer> buffer = MakeBuffer(1000000, 2, "ns3::AbmBufferPolicy");
    buffer->SetAttribute("LossyAlpha", DoubleValue(1));
    ASSERT_EQ(buffer->Configure(Ports(2)), "");
    auto abm = DynamicCast<AbmBufferPolicy>(buffer->GetPolicy());
    for (int frame = 0; frame < 200; ++frame)
    {
        ASSERT_TRUE(buffer->Admit(0, 1, LOSSY, 1230));
    }
    for (int frame = 1; frame <= 100; ++frame)
    {
        Simulator::Schedule(NanoSeconds(200 * frame), [=] { buffer->Release(0, 1, LOSSY, 1230); });
    }
    Simulator::Schedule(NanoSeconds(15000), [=] {
        EXPECT_EQ(abm->GetEgressDrain(1, LOSSY), 1.0);
        EXPECT_EQ(abm->EgressLimit(*buffer, 1, LOSSY), 1000000u - 125 * 1230);
    });
    Simulator::Schedule(NanoSeconds(20001), [=] {
        EXPECT_DOUBLE_EQ(abm->GetEgressDrain(1, LOSSY), 0.5);
        EXPECT_EQ(abm->EgressLimit(*buffer, 1, LOSSY), (1000000u - 100 * 1230) / 2);
    });
    Simulator::Run();
    Simulator::Destroy();
}

TEST(Abm, PausesALosslessClassByItsIngressAccount)
{
    // alpha 1 at the ingress: q = B - q at 50,000; from 0.9 of the limit on, at 47,400 of 52,600,
    // it is congested itself, which changes nothing for one.
    Ptr<SharedBuffer> buffer = MakeBuffer(100000, 2, "ns3::AbmBufferPolicy");
    buffer->SetAttribute("Alpha", DoubleValue(1));
    ASSERT_EQ(buffer->Configure(Ports(2)), "");
    EXPECT_EQ(FillUntilPause(buffer, 0, 1), 50u);
    auto abm = DynamicCast<AbmBufferPolicy>(buffer->GetPolicy());
    EXPECT_EQ(abm->GetCongestedIngressAccounts(LOSSLESS), 1u);
    EXPECT_EQ(abm->GetCongestedEgressQueues(LOSSY), 0u);
}

// ---------------------------------------------------------------- pools

TEST(Pools, OfLossyAndLosslessClassesAreApart)
{
    // Of 100,000 B 30,000 are for lossy classes: alpha 1 gives one queue half of these.
    Ptr<SharedBuffer> buffer = MakeBuffer(100000, 3, "ns3::DynamicThresholdPolicy");
    buffer->SetAttribute("Alpha", DoubleValue(1));
    buffer->SetAttribute("LossyPool", UintegerValue(30000));
    ASSERT_EQ(buffer->Configure(Ports(3)), "");
    EXPECT_EQ(buffer->GetPoolBytes(SharedBuffer::MAIN_POOL), 70000u);
    EXPECT_EQ(Fill(buffer, 0, 1, LOSSY), 15u);
    EXPECT_EQ(buffer->GetFreeBytes(LOSSLESS), 70000u);
    EXPECT_EQ(FillUntilPause(buffer, 0, 2), 35u);
    EXPECT_EQ(buffer->GetFreeBytes(LOSSY), 15000u);
    EXPECT_EQ(buffer->CheckInvariants(), "");
    buffer->SetAttribute("LossyPool", UintegerValue(100000));
    EXPECT_NE(buffer->Configure(Ports(3)).find("LossyPool of 100000 B"), std::string::npos);
}

TEST(Pools, OfTheEgressBoundWhatWaitsInAllQueues)
{
    // Lossy queues may hold 20,000 B together, and each alpha x (what is free of that): half, and
    // half of the rest. Lossless ones 40,000 B together; what comes beyond goes into headroom.
    Ptr<SharedBuffer> buffer = MakeBuffer(1000000, 3, "ns3::DynamicThresholdPolicy");
    buffer->SetAttribute("Alpha", DoubleValue(1));
    buffer->SetAttribute("EgressLossyPool", UintegerValue(20000));
    buffer->SetAttribute("EgressLosslessPool", UintegerValue(40000));
    ASSERT_EQ(buffer->Configure(Ports(3)), "");
    EXPECT_EQ(Fill(buffer, 0, 1, LOSSY), 10u);
    EXPECT_EQ(Fill(buffer, 0, 2, LOSSY), 5u);
    EXPECT_EQ(FillUntilPause(buffer, 0, 1), 41u);
    EXPECT_EQ(buffer->GetUsedHeadroomBytes(), FRAME);
    EXPECT_EQ(buffer->CheckInvariants(), "");
}

TEST(EgressLimit, OneHotPortCannotTakeTheWholeMemory)
{
    // Fifteen ports send to one, as much as it takes: with alpha 1 half of the pool. Whoever wants
    // to go elsewhere then still has a quarter of it.
    Ptr<SharedBuffer> buffer = MakeBuffer(1000000, 16, "ns3::DynamicThresholdPolicy");
    ASSERT_EQ(buffer->Configure(Ports(16)), "");
    uint32_t hot = 0;
    for (uint32_t ingress = 1; ingress < 16; ++ingress)
    {
        hot += Fill(buffer, ingress, 0, LOSSY);
    }
    EXPECT_EQ(hot, 500u);
    EXPECT_EQ(Fill(buffer, 1, 2, LOSSY), 250u);
}

TEST(EgressLimit, HoldsALosslessClassByPausingItsSenders)
{
    // alpha 1/4 for the queue of class 3: it may hold 200 frames of 1 MB. The next frame goes into
    // headroom, its sender is paused; who sends elsewhere is not.
    Ptr<SharedBuffer> buffer = MakeBuffer(1000000, 4, "ns3::DynamicThresholdPolicy");
    buffer->SetAttribute("Alpha", DoubleValue(1));
    buffer->SetAttribute("EgressAlpha", StringValue("3:0.25"));
    ASSERT_EQ(buffer->Configure(Ports(4)), "");
    EXPECT_EQ(FillUntilPause(buffer, 0, 1), 201u);
    EXPECT_EQ(buffer->GetEgressBytes(1, LOSSLESS), 201 * FRAME);
    EXPECT_EQ(buffer->GetUsedHeadroomBytes(), FRAME);
    EXPECT_EQ(FillUntilPause(buffer, 2, 1), 1u) << "the same queue";
    ASSERT_TRUE(buffer->Admit(3, 2, LOSSLESS, FRAME));
    EXPECT_FALSE(buffer->MustPause(3, LOSSLESS)) << "another queue";
    buffer->Release(0, 1, LOSSLESS, FRAME);
    EXPECT_TRUE(buffer->MayResume(0, LOSSLESS));
}

TEST(IngressLimit, OfALossyClassThatIsNamed)
{
    // Class 0 gets alpha 1/4 at the ingress, too: 200 frames from one port to ten queues.
    Ptr<SharedBuffer> buffer = MakeBuffer(1000000, 12, "ns3::DynamicThresholdPolicy");
    buffer->SetAttribute("IngressAlpha", StringValue("0:0.25"));
    ASSERT_EQ(buffer->Configure(Ports(12)), "");
    uint32_t booked = 0;
    for (uint32_t egress = 1; egress < 12; ++egress)
    {
        booked += Fill(buffer, 0, egress, LOSSY, 50);
    }
    EXPECT_EQ(booked, 200u);
}

// ---------------------------------------------------------------- headroom

TEST(HeadroomPool, SmallerThanTheSumIsRefusedUnlessOversubscriptionIsAccepted)
{
    // Four ports that need 10,000 B each share 20,000.
    auto make = [](double oversubscription, uint64_t pool) {
        Ptr<SharedBuffer> buffer =
            MakeBuffer(100000, 4, "ns3::StaticThresholdPolicy[IngressBytes=1000]");
        buffer->SetAttribute("HeadroomPool", UintegerValue(pool));
        buffer->SetAttribute("HeadroomOversubscription", DoubleValue(oversubscription));
        return buffer;
    };
    std::string why = make(1, 20000)->Configure(Ports(4));
    EXPECT_NE(why.find("20000 B"), std::string::npos) << why;
    EXPECT_NE(why.find("40000 B"), std::string::npos) << why;
    EXPECT_NE(why.find("only 2 of them"), std::string::npos) << why;
    EXPECT_NE(make(1.9, 20000)->Configure(Ports(4)), "");
    why = make(8, 9000)->Configure(Ports(4));
    EXPECT_NE(why.find("not even the largest of them, 10000 B"), std::string::npos) << why;

    Ptr<SharedBuffer> enough = make(1, 40000);
    EXPECT_EQ(enough->Configure(Ports(4)), "");
    EXPECT_EQ(enough->GetGuaranteedPauses(), 4u);

    Ptr<SharedBuffer> buffer = make(2, 20000);
    ASSERT_EQ(buffer->Configure(Ports(4)), "");
    EXPECT_EQ(buffer->GetHeadroomBytes(), 20000u);
    EXPECT_EQ(buffer->GetGuaranteedPauses(), 2u);
    // Two ports get all they need, at once; the third one gets nothing.
    EXPECT_EQ(Fill(buffer, 0, 3, LOSSLESS), 1u + 10u);
    EXPECT_EQ(Fill(buffer, 1, 3, LOSSLESS), 1u + 10u);
    EXPECT_EQ(Fill(buffer, 2, 3, LOSSLESS), 1u);
    buffer->Release(0, 3, LOSSLESS, FRAME);
    EXPECT_EQ(Fill(buffer, 2, 3, LOSSLESS), 1u);
    EXPECT_EQ(buffer->CheckInvariants(), "");
}

TEST(HeadroomOfThePort, IsForItsLosslessClassesOnly)
{
    // Class 3 is lossless at port 0 and lossy at port 1, which has no headroom then.
    std::vector<BufferPort> ports = Ports(2);
    ports[1].losslessClasses = 0;
    Ptr<SharedBuffer> buffer =
        MakeBuffer(100000, 1, "ns3::StaticThresholdPolicy[IngressBytes=5000|EgressBytes=8000]");
    ASSERT_EQ(buffer->Configure(ports), "");
    EXPECT_EQ(buffer->GetHeadroomBytes(), 10000u);
    EXPECT_EQ(Fill(buffer, 0, 1, LOSSLESS), 5u + 10u);
    EXPECT_EQ(Fill(buffer, 1, 0, LOSSLESS), 8u) << "as a lossy queue";
}

// ---------------------------------------------------------------- cells

TEST(Cells, AreTakenWhole)
{
    auto buffer = CreateObject<SharedBuffer>();
    buffer->SetAttribute("CellSize", UintegerValue(208));
    ASSERT_EQ(buffer->Configure(Ports(2)), "");
    uint64_t expected = 0;
    for (auto [bytes, cells] :
         {std::pair<uint64_t, uint64_t>{64, 1}, {208, 1}, {209, 2}, {4210, 21}})
    {
        ASSERT_TRUE(buffer->Admit(0, 1, LOSSY, bytes));
        expected += 208 * cells;
        EXPECT_EQ(buffer->GetUsedBytes(), expected);
        EXPECT_EQ(buffer->GetEgressBytes(1, LOSSY), expected);
    }
    EXPECT_EQ(buffer->GetIngressFrames(0), 4u);
    for (uint64_t bytes : {4210, 209, 208, 64})
    {
        buffer->Release(0, 1, LOSSY, bytes);
    }
    EXPECT_EQ(buffer->GetUsedBytes(), 0u);
    EXPECT_EQ(buffer->CheckInvariants(), "");
}

// ---------------------------------------------------------------- sizes

TEST(Radix, Of1024PortsAndSizesBeyond32Bits)
{
    // 1024 ports x 8 classes x 1 GB of headroom: 8.192 TB, and 1024 x 8 x 4096 B of reserves.
    auto buffer = CreateObject<SharedBuffer>();
    std::vector<BufferPort> ports = Ports(1024, 1000000000, 0xff);
    std::string why = buffer->Configure(ports);
    EXPECT_NE(why.find("8192000000000 B of headroom"), std::string::npos) << why;
    EXPECT_NE(why.find("33554432 B of reserves"), std::string::npos) << why;
    EXPECT_NE(why.find("67108864 B"), std::string::npos) << why;

    buffer->SetAttribute("Size", UintegerValue(10000000000000));
    ASSERT_EQ(buffer->Configure(ports), "");
    EXPECT_EQ(buffer->GetSharedBytes(), 10000000000000u - 8192000000000u - 33554432u);
    // One port takes more than 2^32 B: alpha 1/8 of 1.8 TB, met at 1/9.
    uint64_t booked = 0;
    while (!buffer->MustPause(1023, 7))
    {
        ASSERT_TRUE(buffer->Admit(1023, 1022, 7, 1000000000));
        booked += 1000000000;
    }
    EXPECT_NEAR(static_cast<double>(booked), (10e12 - 8192e9 - 33554432) / 9, 2e9);
    EXPECT_EQ(buffer->CheckInvariants(), "");
}

TEST(Radix, HeadroomThatAddsUpToMoreThanTheMemoryIsRefusedAlsoWhereItWouldWrap32Bits)
{
    // 43 ports x 100 MB: 4.3 GB, 5 MB beyond 2^32. In 32 bits the memory of 64 MB would hold that.
    auto buffer = CreateObject<SharedBuffer>();
    EXPECT_NE(buffer->Configure(Ports(43, 100000000)).find("4300000000 B"), std::string::npos);
}

TEST(Radix, TakesMemoryOfItsOwnPortsOnly)
{
    // 64 memories of 1024 ports: 8 accounts of 64 B and 8 queues of 16 B a port are 42 MB. A table
    // of port pairs would be 64 x 1024 x 1024 x 8 B = 512 MB.
    auto residentKilobytes = [] {
        rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    int64_t before = residentKilobytes();
    std::vector<Ptr<SharedBuffer>> buffers;
    for (int i = 0; i < 64; ++i)
    {
        buffers.push_back(CreateObject<SharedBuffer>());
        ASSERT_EQ(buffers.back()->Configure(Ports(1024, 1000)), "");
    }
    EXPECT_LT(residentKilobytes() - before, 64 * 1024);
}

// ---------------------------------------------------------------- books

TEST(Books, AddUpWithEachPolicyWhateverComes)
{
    for (const char* policy : {"ns3::DynamicThresholdPolicy",
                               "ns3::StaticThresholdPolicy",
                               "ns3::CompletePartitionPolicy",
                               "ns3::AbmBufferPolicy"})
    {
        struct Held
        {
            uint32_t in, out, trafficClass;
            uint64_t bytes;
        };

        std::mt19937 random(1);
        auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
        Ptr<SharedBuffer> buffer = MakeBuffer(200000, 8, policy);
        buffer->SetAttribute("Size", UintegerValue(500000));
        buffer->SetAttribute("Reserved", UintegerValue(700));
        buffer->SetAttribute("LossyPool", UintegerValue(50000));
        buffer->SetAttribute("CellSize", UintegerValue(100));
        buffer->SetAttribute("EgressAlpha", StringValue("3:0.5"));
        ASSERT_EQ(buffer->Configure(Ports(8)), "");
        std::vector<Held> held;
        uint32_t refused = 0;
        for (int step = 0; step < 20000; ++step)
        {
            if (held.empty() || draw(100) < 52)
            {
                Held frame{draw(8), draw(3), draw(8), 64 + draw(4000)};
                bool fits = buffer->Admit(frame.in, frame.out, frame.trafficClass, frame.bytes);
                refused += !fits;
                if (fits)
                {
                    held.push_back(frame);
                }
            }
            else
            {
                std::swap(held[draw(static_cast<uint32_t>(held.size()))], held.back());
                const Held& frame = held.back();
                buffer->Release(frame.in, frame.out, frame.trafficClass, frame.bytes);
                held.pop_back();
            }
            std::string why = buffer->CheckInvariants();
            ASSERT_EQ(why, "") << policy << " step " << step;
        }
        EXPECT_GT(refused, 0u) << policy;
        for (const Held& frame : held)
        {
            buffer->Release(frame.in, frame.out, frame.trafficClass, frame.bytes);
        }
        EXPECT_EQ(buffer->GetUsedBytes(), 0u) << policy;
        EXPECT_EQ(buffer->CheckInvariants(), "") << policy;
    }
}

// ---------------------------------------------------------------- presets

TEST(SwitchPresets, HaveThePublishedCapacityAndHoldALosslessClass)
{
    struct
    {
        const char* name;
        double terabits; ///< as announced
    } published[] = {{"trident2", 1.28},
                     {"tomahawk", 3.2},
                     {"tomahawk2", 6.4},
                     {"tomahawk3", 12.8},
                     {"tomahawk4", 25.6},
                     {"tomahawk5", 51.2},
                     {"spectrum", 3.2},
                     {"spectrum2", 6.4},
                     {"spectrum3", 12.8},
                     {"spectrum4", 51.2},
                     {"jericho2", 4.8}};

    ASSERT_EQ(GetSwitchPresetNames().size(), std::size(published));
    for (const auto& p : published)
    {
        SwitchPreset preset = GetSwitchPreset(p.name);
        EXPECT_DOUBLE_EQ(preset.ports * preset.portRate.GetBitRate() / 1e12, p.terabits) << p.name;
        // Rows of 100 m of cable, frames of 4 KB, as a lossless class needs it.
        PfcHeadroomInput in{preset.portRate, NanoSeconds(500), Time(0), Time(0), 4210, 20};
        in.cellBytes = preset.cellBytes;
        auto buffer = CreateObject<SharedBuffer>();
        buffer->SetAttribute("Size", UintegerValue(preset.bufferBytes));
        buffer->SetAttribute("CellSize", UintegerValue(preset.cellBytes));
        EXPECT_EQ(buffer->Configure(Ports(preset.ports, ComputePfcHeadroom(in))), "") << p.name;
    }
    EXPECT_EQ(GetSwitchPreset("tomahawk").bufferBytes, 16777216u);
    EXPECT_EQ(GetSwitchPreset("tomahawk5").bufferBytes, 167546528u); // SONiC's bound
}

using SwitchPresetsDeathTest = testing::Test;

TEST(SwitchPresetsDeathTest, AnUnknownNameStopsWithTheKnownOnes)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(GetSwitchPreset("tomahawk9"), "tomahawk9.*tomahawk5");
}

} // namespace
