// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief No allocation in steady state: while packets flow, no hop of one asks for memory.
 *
 * Every `operator new` of the process is counted. After a warm-up, in which rings grow to what they
 * need, a run with PFC, ECN marks and DCQCN goes on for a while, hundreds of thousands of hops: no
 * hop allocates. What is made or grows once, when it is first needed, may still come, however late
 * that is: a port's first wake-up on another simulator, a fuller bucket of the event queue. The
 * pool of frames is filled before, for it grows with the most frames that were ever alive at once.
 */

#include "fabric-fixture.h"

#include "ns3/congestion-presets.h"
#include "ns3/global-value.h"
#include "ns3/leaf-spine-topology.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace
{

std::atomic<uint64_t> g_allocations{0};

void*
CountedAllocation(std::size_t bytes, std::size_t alignment)
{
    ++g_allocations;
    const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, size > 0 ? size : alignment);
    if (!memory)
    {
        throw std::bad_alloc();
    }
    return memory;
}

} // namespace

// Not inlined: a compiler that sees malloc() behind one and not behind the other would warn.

[[gnu::noinline]] void*
operator new(std::size_t bytes)
{
    return CountedAllocation(bytes, alignof(std::max_align_t));
}

[[gnu::noinline]] void*
operator new(std::size_t bytes, std::align_val_t alignment)
{
    return CountedAllocation(bytes, static_cast<std::size_t>(alignment));
}

[[gnu::noinline]] void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

using namespace ns3;

namespace
{

/// What a stretch of simulated time has seen.
struct Stretch
{
    uint64_t allocations{0};
    uint64_t hops{0};
    uint64_t marks{0};
    uint64_t pauses{0};
};

/**
 * A permutation over 4 leaves and 4 spines at 100 Gb/s, as workload W2, long enough for the times
 * below, on a simulator that does not allocate for events itself (ns-3's default event queue, a
 * std::map, makes a node for each).
 */
class Allocation : public testing::TestWithParam<const char*>
{
  protected:
    void SetUp() override
    {
        const std::string simulator = GetParam();
        TypeId type;
        if (!TypeId::LookupByNameFailSafe(simulator, &type))
        {
            GTEST_SKIP() << "there is no " << simulator;
        }
        GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator));
        GlobalValue::Bind("SchedulerType", StringValue("ns3::PriorityQueueScheduler"));
    }

    static constexpr uint32_t LEAVES = 4;
    static constexpr uint32_t HOSTS_PER_LEAF = 4;
    static constexpr uint32_t HOSTS = LEAVES * HOSTS_PER_LEAF;
    static constexpr int64_t WARM_UP_US = 5000;
    static constexpr uint64_t FIRST_TIMES = 4; ///< things that are made once, late

    void Build(const std::string& algorithm, uint64_t bufferBytes)
    {
        const DataRate rate("100Gbps");
        LeafSpineParameters parameters;
        parameters.leaves = LEAVES;
        parameters.hostsPerLeaf = HOSTS_PER_LEAF;
        parameters.spines = LEAVES;
        parameters.linkRate = rate;
        parameters.uplinkRate = rate;
        parameters.linkDelay = MicroSeconds(1);
        parameters.uplinkDelay = MicroSeconds(1);
        FabricHelper fabric;
        fabric.SetBufferAttribute("Size", UintegerValue(bufferBytes));
        RdmaHelper rdma;
        if (algorithm == "dcqcn")
        {
            CongestionPreset preset = GetCongestionPreset("dcqcn", "hpcc-simulator", rate);
            const auto marking = *preset.marking;
            fabric.SetEcn([marking](DataRate) {
                return EcnThresholds{marking.kminBytes, marking.kmaxBytes, marking.pmax};
            });
            rdma.SetCongestionControl(preset.ops);
        }
        rdma.SetQueuePairAttribute("Mtu", UintegerValue(1000));
        rdma.SetQueuePairAttribute("AckInterval", UintegerValue(1));
        network = fabric.Install(MakeLeafSpine(parameters));
        fabric.AssignStreams(network, 1);
        rdma.Install(network.hosts);
        queue = CreateObject<CompletionQueue>();
        for (uint32_t h = 0; h < HOSTS; ++h)
        {
            // To the same place of another leaf, and two from each leaf to one host.
            const uint32_t to =
                h % HOSTS_PER_LEAF == 0 ? (h == 0 ? 5 : 1) : (h + HOSTS_PER_LEAF) % HOSTS;
            Ptr<QueuePair> sender = MakePair(h);
            QueuePair::Connect(sender, MakePair(to));
            SendWorkRequest request;
            request.bytes = 100'000'000;
            ASSERT_EQ(sender->PostSend(request), PostResult::POSTED);
        }
    }

    Ptr<QueuePair> MakePair(uint32_t host)
    {
        auto stack = network.hosts.Get(host)->GetObject<RdmaStack>();
        return stack->CreateQueuePair(network.ports[host][0], queue);
    }

    Stretch Count() const
    {
        Stretch sum;
        for (const auto& ports : network.ports)
        {
            for (const auto& port : ports)
            {
                sum.hops += port->GetCounters().rxFrames;
                sum.marks += port->GetCounters().ecnMarks;
                sum.pauses += port->GetCounters().pausesSent;
            }
        }
        sum.allocations = g_allocations;
        return sum;
    }

    /// Leaves more frames in the pool than are ever alive.
    static void FillPool()
    {
        constexpr size_t FRAMES = 100'000;
        std::vector<FramePtr> frames(FRAMES);
        for (FramePtr& frame : frames)
        {
            frame = FabricFrame::Create();
        }
    }

    /// @return what happens from a warm-up's end on
    Stretch RunSteadily(Time warmUp, Time length)
    {
        FillPool();
        Stretch before;
        Stretch after;
        Simulator::Schedule(warmUp, [&] { before = Count(); });
        Simulator::Schedule(warmUp + length, [&] {
            after = Count();
            Simulator::Stop();
        });
        Simulator::Run();
        return {after.allocations - before.allocations,
                after.hops - before.hops,
                after.marks - before.marks,
                after.pauses - before.pauses};
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    FabricNetwork network;
    Ptr<CompletionQueue> queue;
};

TEST(AllocationCounter, Counts)
{
    const uint64_t before = g_allocations;
    std::vector<int>* vector = new std::vector<int>(10);
    EXPECT_EQ(g_allocations - before, 2u);
    delete vector;
}

TEST_P(Allocation, NoneInSteadyStateWithDcqcn)
{
    Build("dcqcn", 32'000'000);
    const Stretch stretch = RunSteadily(MicroSeconds(WARM_UP_US), MicroSeconds(500));
    EXPECT_GT(stretch.hops, 100'000u);
    EXPECT_GT(stretch.marks, 0u);
    EXPECT_LE(stretch.allocations, FIRST_TIMES) << stretch.hops << " hops";
}

TEST_P(Allocation, NoneInSteadyStateWithPfcAlone)
{
    Build("none", 4'000'000);
    const Stretch stretch = RunSteadily(MicroSeconds(WARM_UP_US), MicroSeconds(500));
    EXPECT_GT(stretch.hops, 100'000u);
    EXPECT_GT(stretch.pauses, 0u);
    EXPECT_LE(stretch.allocations, FIRST_TIMES) << stretch.hops << " hops";
}

INSTANTIATE_TEST_SUITE_P(Simulators,
                         Allocation,
                         testing::Values("ns3::DefaultSimulatorImpl", "ns3::FabricSimulatorImpl"),
                         [](const auto& info) { return std::string(info.param).substr(5); });

} // namespace
