// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What idle queue pairs cost in memory: 10,000 of them on one NIC, with DCQCN and each
 * reliability strategy, before their first message and after it.
 *
 * "Counted" is what QueuePair::GetMemoryBytes() adds up; "heap" is what the allocator has handed
 * out for a pair, its own overhead and what ns-3 keeps for each Object included.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <chrono>
#include <iomanip>
#include <iostream>
#include <malloc.h>

using namespace ns3;

namespace
{

constexpr uint32_t PAIRS = 10000;

size_t
HeapBytes()
{
    return mallinfo2().uordblks;
}

void
Measure(const std::string& strategy)
{
    FabricGraph graph;
    uint32_t center = graph.AddSwitch("switch");
    for (uint32_t h = 0; h < 2; ++h)
    {
        graph.Connect({graph.AddHost("host" + std::to_string(h)),
                       center,
                       DataRate("400Gbps"),
                       NanoSeconds(500)});
    }
    FabricHelper fabric;
    FabricNetwork network = fabric.Install(graph);
    RdmaHelper rdma;
    rdma.SetCongestionControl("ns3::DcqcnCongestionOps");
    rdma.Install(network.hosts);
    auto queue = CreateObject<CompletionQueue>();
    uint64_t completions = 0;
    queue->SetCallback(Callback<void, const WorkCompletion&>(
        [&completions](const WorkCompletion&) { ++completions; }));
    Ptr<RdmaReliability> reliability = ObjectFactory(strategy).Create<RdmaReliability>();

    size_t before = HeapBytes();
    auto start = std::chrono::steady_clock::now();
    std::vector<Ptr<QueuePair>> pairs;
    for (uint32_t p = 0; p < PAIRS; ++p)
    {
        Ptr<QueuePair> ends[2];
        for (uint32_t h = 0; h < 2; ++h)
        {
            auto stack = network.hosts.Get(h)->GetObject<RdmaStack>();
            ends[h] = stack->CreateQueuePair(stack->GetNics().at(0), queue);
            ends[h]->SetReliability(reliability);
        }
        QueuePair::Connect(ends[0], ends[1]);
        pairs.push_back(ends[0]);
    }
    std::chrono::duration<double> made = std::chrono::steady_clock::now() - start;
    size_t fresh = HeapBytes() - before;
    size_t freshCounted = pairs[0]->GetMemoryBytes();
    for (uint32_t p = 0; p < PAIRS; ++p)
    {
        SendWorkRequest request;
        request.bytes = 20000;
        Simulator::Schedule(MicroSeconds(p), [qp = pairs[p], request] {
            NS_ABORT_IF(qp->PostSend(request) != PostResult::POSTED);
        });
    }
    Simulator::Run();
    size_t used = HeapBytes() - before;
    std::cout << std::left << std::setw(26) << strategy << std::right << std::setw(8)
              << freshCounted << std::setw(8) << fresh / (2 * PAIRS) << std::setw(12)
              << pairs[0]->GetMemoryBytes() << std::setw(8) << used / (2 * PAIRS) << std::setw(12)
              << made.count() * 1e9 / (2 * PAIRS) << (completions == PAIRS ? "" : "  INCOMPLETE")
              << std::endl;
    Simulator::Destroy();
}

} // namespace

int
main()
{
    Time::SetResolution(Time::PS);
    std::cout
        << "bytes an idle pair:        fresh: counted, heap   used: counted, heap   ns to make"
        << std::endl;
    for (const char* strategy :
         {"ns3::GoBackN", "ns3::SelectiveRepeat", "ns3::OutOfOrderPlacement"})
    {
        Measure(strategy);
    }
    return 0;
}
