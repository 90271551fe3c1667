// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What runs on a GPU at once: who gets which SMs and which part of the memory bandwidth.
 *
 * The GPU of these tests has 100 SMs and a memory that moves a byte a picosecond, so that all times
 * can be worked out by hand.
 */

#include "fabric-fixture.h"

#include "ns3/fair-share.h"
#include "ns3/gpu-endpoint.h"
#include "ns3/measured-kernel-cost.h"

#include <gtest/gtest.h>
#include <memory>

using namespace ns3;

namespace
{

/// A GPU of 100 SMs and 1 B/ps, without interference beyond sharing.
class SharedGpu
{
  public:
    SharedGpu()
        : gpu(CreateObject<GpuEndpoint>())
    {
        gpu->SetAttribute("HbmBandwidth", DataRateValue(DataRate(8'000'000'000'000ULL)));
        gpu->SetAttribute("Multiprocessors", UintegerValue(100));
        gpu->SetAttribute("CommunicationMemoryPerSm", DataRateValue(DataRate(0)));
        processor = gpu->GetProcessor();
        processor->SetAttribute("ComputeInterference", DoubleValue(0));
    }

    ~SharedGpu()
    {
        gpu->Dispose();
        Simulator::Destroy();
    }

    /// Starts work. @return when it ended (ps), once it has
    std::shared_ptr<int64_t> Start(uint32_t sms, Time compute, uint64_t bytes)
    {
        auto end = std::make_shared<int64_t>(-1);
        GpuWork work;
        work.multiprocessors = sms;
        work.compute = compute;
        work.memoryBytes = bytes;
        processor->Start(work, [end]() { *end = Simulator::Now().GetPicoSeconds(); });
        return end;
    }

    /// Each SM of communication wants some bytes a second.
    void SetCommunicationMemory(uint64_t bytesPerSecond)
    {
        gpu->SetAttribute("CommunicationMemoryPerSm", DataRateValue(DataRate(8 * bytesPerSecond)));
    }

    Ptr<GpuEndpoint> gpu;
    Ptr<GpuProcessor> processor;
};

constexpr int64_t US = 1'000'000; // ps

} // namespace

// ---------------------------------------------------------------- fair shares

TEST(FairShare, IsMaxMin)
{
    // S. Keshav, "An Engineering Approach to Computer Networking", 1997, section 9.2: a capacity of
    // 10 among wants of 2, 2.6, 4 and 5 is 2, 2.6, 2.7 and 2.7.
    std::vector<double> shares = ShareFairly(10, {{2, 1}, {2.6, 1}, {4, 1}, {5, 1}});
    EXPECT_DOUBLE_EQ(shares[0], 2);
    EXPECT_DOUBLE_EQ(shares[1], 2.6);
    EXPECT_DOUBLE_EQ(shares[2], 2.7);
    EXPECT_DOUBLE_EQ(shares[3], 2.7);
}

TEST(FairShare, HasWeights)
{
    // The same book: 16 among wants of 4, 2, 10 and 4 with weights 2.5, 4, 0.5 and 1 is 4, 2, 6, 4.
    std::vector<double> shares = ShareFairly(16, {{4, 2.5}, {2, 4}, {10, 0.5}, {4, 1}});
    EXPECT_DOUBLE_EQ(shares[0], 4);
    EXPECT_DOUBLE_EQ(shares[1], 2);
    EXPECT_DOUBLE_EQ(shares[2], 6);
    EXPECT_DOUBLE_EQ(shares[3], 4);
}

TEST(FairShare, GivesAllThatIsWantedIfThereIsEnough)
{
    EXPECT_EQ(ShareFairly(10, {{3, 1}, {0, 1}, {7, 1}}), (std::vector<double>{3, 0, 7}));
    EXPECT_TRUE(ShareFairly(10, {}).empty());
}

// ---------------------------------------------------------------- kernels among each other

TEST(GpuSharing, AloneAKernelTakesTheLongerOfComputeAndMemory)
{
    SharedGpu g;
    auto computes = g.Start(100, MicroSeconds(10), 4 * US);
    Simulator::Run();
    EXPECT_EQ(*computes, 10 * US);
    auto moves = g.Start(100, MicroSeconds(3), 7 * US); // 7 MB at 1 B/ps
    Simulator::Run();
    EXPECT_EQ(*moves, 17 * US);
    EXPECT_DOUBLE_EQ(g.processor->GetMemoryBytes(), 11.0 * US);
}

TEST(GpuSharing, NothingToDoIsDoneAtOnce)
{
    SharedGpu g;
    auto end = g.Start(100, Time(0), 0);
    EXPECT_EQ(*end, -1) << "never before Start() has returned";
    Simulator::Run();
    EXPECT_EQ(*end, 0);
}

TEST(GpuSharing, TwoKernelsShareTheSms)
{
    // 50 SMs each. The short one has half the speed until it ends, at 8 us; the long one has done 4
    // of its 10 us by then, and is alone for the other 6.
    SharedGpu g;
    auto longer = g.Start(100, MicroSeconds(10), 0);
    auto shorter = g.Start(100, MicroSeconds(4), 0);
    Simulator::Run();
    EXPECT_EQ(*shorter, 8 * US);
    EXPECT_EQ(*longer, 14 * US);
}

TEST(GpuSharing, AKernelIsTimedAgainWhenAnotherOneBegins)
{
    // Alone until 3 us, then at half speed: the other one takes 2 x 2 us and ends at 7. By then 3 +
    // 2 of the first one's 10 us are done, and 5 are left.
    SharedGpu g;
    auto first = g.Start(100, MicroSeconds(10), 0);
    std::shared_ptr<int64_t> second;
    Simulator::Schedule(MicroSeconds(3), [&]() { second = g.Start(100, MicroSeconds(2), 0); });
    Simulator::Run();
    EXPECT_EQ(*second, 7 * US);
    EXPECT_EQ(*first, 12 * US);
}

TEST(GpuSharing, WhoAsksForLittleGetsIt)
{
    // 30 SMs are less than half: the large one gets the other 70, for 3 us; then 100.
    SharedGpu g;
    auto large = g.Start(100, MicroSeconds(10), 0);
    auto small = g.Start(30, MicroSeconds(3), 0);
    Simulator::Run();
    EXPECT_EQ(*small, 3 * US);
    EXPECT_EQ(*large, 3 * US + 7'900'000); // 10 - 3 x 0.7 us left
}

TEST(GpuSharing, KernelsThatFitDoNotMeet)
{
    SharedGpu g;
    auto one = g.Start(60, MicroSeconds(10), 0);
    auto other = g.Start(40, MicroSeconds(10), 0);
    Simulator::Run();
    EXPECT_EQ(*one, 10 * US);
    EXPECT_EQ(*other, 10 * US);
}

TEST(GpuSharing, TwoKernelsShareTheMemoryAndMoveWhatTheyMust)
{
    // Each wants all of the memory for 6 us and gets half: both end at 12. The memory is never
    // idle.
    SharedGpu g;
    auto one = g.Start(50, MicroSeconds(1), 6 * US);
    auto other = g.Start(50, MicroSeconds(1), 6 * US);
    Simulator::Schedule(MicroSeconds(5),
                        [&]() { EXPECT_DOUBLE_EQ(g.processor->GetMemoryBytes(), 5.0 * US); });
    Simulator::Run();
    EXPECT_EQ(*one, 12 * US);
    EXPECT_EQ(*other, 12 * US);
    EXPECT_NEAR(g.processor->GetMemoryBytes(), 12.0 * US, 1e-3);
}

TEST(GpuSharing, MemoryIsSharedEquallyWhateverTheSms)
{
    // Both want all of the memory and get half. One has moved its 2 MB at 4 us; then 2 of the other
    // one's 4 MB are left, and it is alone.
    SharedGpu g;
    auto longer = g.Start(80, MicroSeconds(1), 4 * US);
    auto shorter = g.Start(20, MicroSeconds(1), 2 * US);
    Simulator::Run();
    EXPECT_EQ(*shorter, 4 * US);
    EXPECT_EQ(*longer, 6 * US);
}

TEST(GpuSharing, ComputeAndMemoryBoundKernelsRunBesideEachOther)
{
    SharedGpu g;
    auto computes = g.Start(50, MicroSeconds(10), 0);
    auto moves = g.Start(50, MicroSeconds(5), 10 * US);
    Simulator::Run();
    EXPECT_EQ(*computes, 10 * US);
    EXPECT_EQ(*moves, 10 * US);
}

TEST(GpuSharing, BytesAreConservedWhateverHappens)
{
    SharedGpu g;
    uint64_t bytes = 0;
    for (uint64_t k = 0; k < 200; ++k)
    {
        uint64_t moved = 1000 * (k % 7) * (k % 11);
        bytes += moved;
        Simulator::Schedule(NanoSeconds(k * k % 97), [&g, k, moved]() {
            g.Start(1 + k * 13 % 100, NanoSeconds(k % 5), moved);
        });
    }
    Simulator::Run();
    EXPECT_NEAR(g.processor->GetMemoryBytes(), static_cast<double>(bytes), 1);
    EXPECT_EQ(g.processor->GetRunning(), 0u);
    // The memory moves a byte a picosecond at most.
    EXPECT_GE(Simulator::Now().GetPicoSeconds(), static_cast<int64_t>(bytes) - 1);
}

TEST(GpuSharing, OneEventIsPending)
{
    SharedGpu g;
    for (int k = 0; k < 1000; ++k)
    {
        g.Start(100, MicroSeconds(1), 0);
    }
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), MicroSeconds(1000));
    // The first kernel asked for an event at 1 us, when the others had not come; that one and the
    // one at the end are all.
    EXPECT_LE(Simulator::GetEventCount(), 3u);
}

// ---------------------------------------------------------------- communication

TEST(GpuSharing, CommunicationTakesItsSms)
{
    // A kernel on all SMs keeps 80 of 100; communication has the 20 that it asks for.
    SharedGpu g;
    auto end = g.Start(100, MicroSeconds(10), 0);
    g.gpu->BeginCommunication(20);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1);
    Simulator::Run();
    EXPECT_EQ(*end, 12'500'000); // 10 us / 0.8
    g.gpu->EndCommunication(20);
    EXPECT_EQ(g.processor->GetCommunications(), 0u);
}

TEST(GpuSharing, BothAreSlowedWhereNeitherFits)
{
    // A kernel and a communication kernel that want 100 and 80 of 100 SMs have 50 each.
    SharedGpu g;
    g.gpu->BeginCommunication(80);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1) << "alone";
    auto end = g.Start(100, MicroSeconds(10), 0);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1.6);
    Simulator::Run();
    EXPECT_EQ(*end, 20 * US);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1) << "alone again";
}

TEST(GpuSharing, CommunicationAndAKernelShareTheMemory)
{
    // 20 SMs of communication want three quarters of the memory, the kernel on the other 80 all of
    // it: each gets half. Communication takes 0.75 / 0.5 times as long, the kernel 10 us / 0.5.
    SharedGpu g;
    g.SetCommunicationMemory(37'500'000'000);
    g.gpu->BeginCommunication(20);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1);
    auto end = g.Start(100, MicroSeconds(5), 10 * US);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1.5);
    Simulator::Run();
    EXPECT_EQ(*end, 20 * US);
}

TEST(GpuSharing, CommunicationThatWantsLittleMemoryGetsIt)
{
    // A tenth is less than half; the kernel has nine tenths.
    SharedGpu g;
    g.SetCommunicationMemory(5'000'000'000);
    g.gpu->BeginCommunication(20);
    auto end = g.Start(100, MicroSeconds(5), 9 * US);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1);
    Simulator::Run();
    EXPECT_EQ(*end, 10 * US);
}

TEST(GpuSharing, TwoCommunicatorsShareTheMemory)
{
    // 10 SMs each, each wants 0.75 of the memory.
    SharedGpu g;
    g.SetCommunicationMemory(75'000'000'000);
    g.gpu->BeginCommunication(10);
    g.gpu->BeginCommunication(10);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1.5);
    g.gpu->EndCommunication(10);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1);
}

TEST(GpuSharing, ACommunicationKernelAloneIsNeverSlowed)
{
    // It asks for more SMs than there are, and for more memory bandwidth.
    SharedGpu g;
    g.SetCommunicationMemory(75'000'000'000);
    g.gpu->BeginCommunication(150);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1);
    g.gpu->EndCommunication(150);
}

TEST(GpuSharing, CommunicationComesAndGoes)
{
    // From 2 to 6 us the kernel has 75 of 100 SMs: 3 of these 4 us count; the end is at 11 us.
    SharedGpu g;
    auto end = g.Start(100, MicroSeconds(10), 0);
    Simulator::Schedule(MicroSeconds(2), &GpuEndpoint::BeginCommunication, g.gpu, 25);
    Simulator::Schedule(MicroSeconds(6), &GpuEndpoint::EndCommunication, g.gpu, 25);
    Simulator::Run();
    EXPECT_EQ(*end, 11 * US);
}

TEST(GpuSharing, InterferenceComesOnTop)
{
    SharedGpu g;
    g.processor->SetAttribute("ComputeInterference", DoubleValue(0.25));
    g.processor->SetAttribute("CommunicationInterference", DoubleValue(0.5));
    auto end = g.Start(10, MicroSeconds(10), 0);
    g.gpu->BeginCommunication(20);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1.5);
    Simulator::Run();
    EXPECT_EQ(*end, 12'500'000);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 1) << "no kernel beside it";
}

TEST(GpuSharing, TheDefaultsGiveTheMeasuredSlowdown)
{
    // Lee et al., arXiv 2507.03114: overlap slows compute by 18.9 % in the mean. An H100, whose
    // communication holds 16 SMs, beside a kernel that fills it: 132 / 116 x 1.045 = 1.189.
    auto gpu = CreateObject<GpuEndpoint>();
    gpu->BeginCommunication(16);
    GpuWork work;
    work.multiprocessors = 132;
    work.compute = MicroSeconds(1000);
    int64_t end = 0;
    gpu->GetProcessor()->Start(work, [&end]() { end = Simulator::Now().GetPicoSeconds(); });
    Simulator::Run();
    EXPECT_NEAR(end / 1e9, 1.189, 0.0005);
    gpu->Dispose();
    Simulator::Destroy();
}

TEST(GpuSharingDeathTest, CommunicationEndsAsItBegan)
{
    SharedGpu g;
    EXPECT_DEATH(g.gpu->EndCommunication(1), "has not begun");
    g.gpu->BeginCommunication(4);
    EXPECT_DEATH(g.gpu->EndCommunication(5), "has not begun");
}

// ---------------------------------------------------------------- a slow GPU, bookings

TEST(GpuSharing, ALowClockSlowsSmsNotMemory)
{
    SharedGpu g;
    g.processor->SetAttribute("Clock", DoubleValue(0.5));
    auto computes = g.Start(50, MicroSeconds(10), 0);
    auto moves = g.Start(50, MicroSeconds(5), 10 * US);
    g.gpu->BeginCommunication(0);
    EXPECT_DOUBLE_EQ(g.gpu->GetCommunicationSlowdown(), 2);
    Simulator::Run();
    EXPECT_EQ(*computes, 20 * US);
    EXPECT_EQ(*moves, 10 * US);
}

TEST(GpuSharing, BookingsHaveTheirPartOfTheMemory)
{
    // Alone a copy of 1000 B takes 2000 ps; beside a kernel that moves a byte a picosecond twice
    // that, for both want all there is; beside one that moves half as much, 1.5 times.
    SharedGpu g;
    EXPECT_EQ(g.gpu->BookCopy(1000, 0), 2000);
    g.Start(50, MicroSeconds(1), 1 * US);
    EXPECT_EQ(g.gpu->BookCopy(1000, 10'000), 14'000);
    Simulator::Run();
    g.Start(50, MicroSeconds(2), 1 * US);
    EXPECT_EQ(g.gpu->BookCopy(1000, 20'000), 23'000);
}
