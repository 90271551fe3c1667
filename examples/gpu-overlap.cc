// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief Matrix products beside an all-reduce on the same GPUs: what each costs the other.
 *
 * A server of eight GPUs. A stream of each GPU multiplies matrices, another one all-reduces over
 * the scale-up links. The program runs each alone and then both together. The all-reduce holds an
 * SM a channel and wants its part of the memory bandwidth; the products want all SMs: see
 * doc/gpu.rst for who gets what.
 *
 *     gpu-overlap --m=8192 --n=8192 --k=8192 --kernels=2 --bytes=268435456 --channels=16
 *
 * With --m=1 the products only read a matrix: then the two meet at the memory.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <cstdio>
#include <iostream>

using namespace ns3;

namespace
{

/// What is run.
struct Settings
{
    std::string gpu{"h100-sxm"};
    uint32_t gpus{8};
    uint64_t m{8192};
    uint64_t n{8192};
    uint64_t k{8192};
    uint32_t kernels{2};
    uint64_t bytes{256 << 20};
    uint32_t channels{16};
};

/// When each was done.
struct Times
{
    Time products;
    Time allReduce;
};

/// Runs one or both on a new server.
Times
Run(const Settings& settings, bool products, bool allReduce)
{
    FabricGraph graph; // the scale-out network, which an all-reduce within a server does not use
    uint32_t leaf = graph.AddSwitch("leaf");
    graph.Connect({graph.AddHost("server"), leaf, DataRate("400Gbps"), NanoSeconds(500)});
    FabricHelper fabric;
    FabricNetwork network = fabric.Install(graph);
    RdmaHelper rdma;
    rdma.Install(network.hosts);
    GpuClusterHelper helper;
    helper.SetPreset(*FindGpuPreset(settings.gpu));
    helper.SetGpusPerServer(settings.gpus);
    GpuCluster cluster = helper.Install(network);

    Times times;
    if (products)
    {
        auto gemm =
            RooflineKernelCost::MakeGemm(settings.m, settings.n, settings.k, GpuPrecision::BF16);
        gemm->SetAttribute("ComputeEfficiency", StringValue("0.7"));
        gemm->SetAttribute("MemoryEfficiency", StringValue("0.9"));
        for (const Ptr<GpuEndpoint>& gpu : cluster.gpus)
        {
            Ptr<GpuStream> stream = gpu->CreateStream();
            for (uint32_t i = 0; i < settings.kernels; ++i)
            {
                stream->LaunchKernel("product " + std::to_string(i), gemm);
            }
            stream->EnqueueHostFunction("products done",
                                        [&times]() { times.products = Simulator::Now(); });
        }
    }

    auto communicator = CreateObject<Communicator>();
    communicator->SetRanks("world", cluster.gpus);
    auto executor = CreateObject<CollectiveExecutor>();
    executor->SetCommunicator(communicator);
    if (allReduce)
    {
        CollectiveRequest request;
        request.operation = CollectiveOperation::ALL_REDUCE;
        request.count = settings.bytes / request.typeBytes;
        Ptr<CollectiveAlgorithm> ring = MakeCollectiveAlgorithm("ring");
        ring->SetAttribute("Channels", UintegerValue(settings.channels));
        executor->Launch(request, ring, [&times](const CollectiveRecord& record) {
            times.allReduce = record.end;
        });
    }
    Simulator::Run();
    executor->Dispose();
    communicator->Dispose();
    Simulator::Destroy();
    return times;
}

void
Print(const char* name, Time alone, Time together)
{
    std::printf("%-12s %10.1f us alone %10.1f us together   x %.3f\n",
                name,
                alone.GetSeconds() * 1e6,
                together.GetSeconds() * 1e6,
                together.GetSeconds() / alone.GetSeconds());
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // before anything else

    Settings settings;
    CommandLine cmd(__FILE__);
    cmd.AddValue("gpu", "preset of the GPUs", settings.gpu);
    cmd.AddValue("gpus", "GPUs of the server", settings.gpus);
    cmd.AddValue("m", "rows of the product", settings.m);
    cmd.AddValue("n", "columns of the product", settings.n);
    cmd.AddValue("k", "what is summed over", settings.k);
    cmd.AddValue("kernels", "products one after the other", settings.kernels);
    cmd.AddValue("bytes", "of the all-reduce", settings.bytes);
    cmd.AddValue("channels", "of the all-reduce, an SM each", settings.channels);
    cmd.Parse(argc, argv);
    if (!FindGpuPreset(settings.gpu))
    {
        std::cerr << "no GPU preset \"" << settings.gpu << "\"" << std::endl;
        return 2;
    }

    Times products = Run(settings, true, false);
    Times allReduce = Run(settings, false, true);
    Times both = Run(settings, true, true);
    Print("products", products.products, both.products);
    Print("all-reduce", allReduce.allReduce, both.allReduce);
    Time serial = products.products + allReduce.allReduce;
    Time overlapped = std::max(both.products, both.allReduce);
    std::printf("one after the other %.1f us, together %.1f us: %.1f %% saved\n",
                serial.GetSeconds() * 1e6,
                overlapped.GetSeconds() * 1e6,
                100 * (1 - overlapped.GetSeconds() / serial.GetSeconds()));
    return 0;
}
