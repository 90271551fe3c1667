// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief The audit of a switch: at each port and after each frame, received = forwarded + dropped +
 * buffered, the accounts of the memory add up, and at the end all are zero. In any build.
 */

#include "fabric-fixture.h"

#include "ns3/switch-audit.h"

using namespace ns3;

namespace
{

const Time DELAY = NanoSeconds(500);

/// A star that is audited.
class Audited : public FabricFixture
{
  public:
    explicit Audited(uint32_t hosts, uint64_t bufferBytes = 700000)
    {
        fabric.SetSwitchAttribute("CheckConservation", BooleanValue(true));
        fabric.SetBufferAttribute("Size", UintegerValue(bufferBytes));
        rdma.SetQueuePairAttribute("Timeout", UintegerValue(8));
        BuildStar(hosts, "100Gbps", DELAY);
    }

    const SwitchAudit& Audit() const
    {
        return *Switch()->GetAudit();
    }

    /// @return the books of all ports, summed
    SwitchAudit::Books Sum() const
    {
        SwitchAudit::Books sum;
        for (uint32_t p = 0; p < Switch()->GetNPorts(); ++p)
        {
            const SwitchAudit::Books& books = Audit().GetBooks(p);
            sum.received += books.received;
            sum.forwarded += books.forwarded;
            sum.dropped += books.dropped;
            sum.made += books.made;
        }
        return sum;
    }

    void SendRaw(uint32_t from, uint32_t address, uint32_t trafficClass)
    {
        FramePtr frame = FabricFrame::Create();
        frame->sizeBytes = 1000;
        frame->dstAddress = address;
        frame->trafficClass = trafficClass;
        Port(from)->Enqueue(std::move(frame));
    }
};

TEST(Conservation, HoldsAtEachFrameOfAnIncast)
{
    Audited f(9);
    for (uint32_t h = 1; h < 9; ++h)
    {
        f.Post(f.Connect(h, 0), 1 << 20);
    }
    f.Run();
    f.ExpectAllSucceeded(8, 8 << 20);
    f.ExpectDrained();
    SwitchAudit::Books sum = f.Sum();
    // 256 frames a message and their ACKs come, and all of them leave.
    EXPECT_GE(sum.received, 8 * 256u + 8);
    EXPECT_EQ(sum.received, sum.forwarded);
    EXPECT_EQ(sum.dropped, 0u);
    EXPECT_EQ(sum.made, 0);
    EXPECT_EQ(f.Audit().GetChecks(), sum.received + sum.forwarded);
    EXPECT_EQ(f.Audit().Check(), "");
}

TEST(Conservation, HoldsWithDrops)
{
    // Class 0 is lossy; frames to nobody are dropped as well.
    Audited f(5);
    uint32_t to = f.Port(0)->GetIpv4Address().Get();
    for (uint32_t h = 1; h < 5; ++h)
    {
        for (int i = 0; i < 500; ++i)
        {
            f.SendRaw(h, to, 0);
        }
        f.SendRaw(h, 0xffffffff, 0);
    }
    f.Run();
    SwitchAudit::Books sum = f.Sum();
    EXPECT_EQ(sum.received, 4 * 501u);
    EXPECT_GT(f.Switch()->GetLossyDrops(), 0u);
    EXPECT_EQ(f.Switch()->GetUnroutableDrops(), 4u);
    EXPECT_EQ(sum.dropped, f.Switch()->GetLossyDrops() + 4);
    EXPECT_EQ(sum.received, sum.forwarded + sum.dropped);
    EXPECT_EQ(sum.made, 0);
    EXPECT_EQ(f.Switch()->GetBuffer()->GetUsedBytes(), 0u);
    EXPECT_EQ(f.Audit().Check(), "");
}

TEST(Conservation, CountsCopiesOfFloodedFrames)
{
    // A broadcast on one of five ports becomes four frames: three more than came.
    Audited f(5);
    FramePtr frame = FabricFrame::Create();
    frame->kind = FrameKind::PACKET;
    frame->sizeBytes = 1000;
    frame->dstMac = Mac48Address::GetBroadcast();
    frame->payload = Create<Packet>(900);
    f.Port(2)->Enqueue(std::move(frame));
    f.Run();
    EXPECT_EQ(f.Audit().GetBooks(2).received, 1u);
    EXPECT_EQ(f.Audit().GetBooks(2).forwarded, 4u);
    EXPECT_EQ(f.Audit().GetBooks(2).made, 3);
    EXPECT_EQ(f.Audit().Check(), "");
}

TEST(Conservation, ChangesNoResult)
{
    auto end = [](bool audited) {
        FabricFixture f;
        f.fabric.SetSwitchAttribute("CheckConservation", BooleanValue(audited));
        f.fabric.SetBufferAttribute("Size", UintegerValue(400000));
        f.BuildStar(5, "100Gbps", DELAY);
        for (uint32_t h = 1; h < 5; ++h)
        {
            f.Post(f.Connect(h, 0), 300000);
        }
        f.Run();
        EXPECT_EQ(f.Switch()->GetAudit() != nullptr, audited);
        return f.records.back().end;
    };
    EXPECT_EQ(end(true), end(false));
}

using ConservationDeathTest = testing::Test;

TEST(ConservationDeathTest, AFrameThatNobodySentStopsTheRun)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(
        {
            Audited f(3);
            f.Post(f.Connect(1, 0), 100000);
            Simulator::Schedule(MicroSeconds(3),
                                [&f] { f.Switch()->GetBuffer()->Admit(1, 0, 3, 1000); });
            f.Run();
        },
        "SwitchAudit: switch .* B booked to leave by port 0 in class 3 only");
}

TEST(ConservationDeathTest, AFrameThatVanishesStopsTheRun)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(
        {
            Audited f(4);
            f.Post(f.Connect(1, 0), 1000000);
            f.Post(f.Connect(2, 0), 1000000);
            Simulator::Schedule(MicroSeconds(30),
                                [&f] { f.Switch()->GetBuffer()->Release(1, 0, 3, 4158); });
            f.Run();
        },
        "SwitchAudit: switch .*port 1 received");
}

} // namespace
