// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief A tuner of one's own, written in the script, beside NCCL's.
 *
 * Servers of GPUs with NVLink, a NIC for each GPU, one switch. SplitTuner does small all-reduces by
 * recursive halving and doubling, whose steps grow with the logarithm of the ranks, and asks NCCL's
 * cost model for all others. Nothing in the module knows of it: its TypeId's name is enough, here
 * and as "tuner" of a scenario's workload. doc/nccl-tuner.rst says what a tuner is told.
 *
 *     own-tuner --tuner=SplitTuner --servers=2 --gpus=8 --version=2.26.2
 *     own-tuner --tuner=ns3::NcclTuner --environment=NCCL_ALGO=ring+NCCL_MAX_NCHANNELS=4
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

using namespace ns3;

/// Halving and doubling for small all-reduces, NCCL's choice for the rest.
class SplitTuner : public NcclTuner
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("SplitTuner")
                .SetParent<NcclTuner>()
                .AddConstructor<SplitTuner>()
                .AddAttribute("SmallBytes",
                              "All-reduces up to this size are done by halving and doubling.",
                              UintegerValue(256 * 1024),
                              MakeUintegerAccessor(&SplitTuner::m_smallBytes),
                              MakeUintegerChecker<uint64_t>());
        return tid;
    }

    std::string GetName() const override
    {
        return "split";
    }

    CollectivePlan Choose(const CollectiveRequest& request,
                          const RankLayout& layout,
                          const CollectivePlatform& platform,
                          std::string& error) const override
    {
        if (request.operation != CollectiveOperation::ALL_REDUCE ||
            request.GetBytes() > m_smallBytes)
        {
            return NcclTuner::Choose(request, layout, platform, error);
        }
        error.clear();
        CollectivePlan plan;
        plan.algorithm = "halving-doubling";
        plan.protocol = CollectiveProtocol::LL;
        plan.channels = 1;
        plan.chunkBytes = plan.sliceBytes = 32 * 1024;
        plan.window = PROTOCOL_STEPS;
        plan.why = "at most " + std::to_string(m_smallBytes) + " B";
        return plan;
    }

  private:
    uint64_t m_smallBytes{0};
};

NS_OBJECT_ENSURE_REGISTERED(SplitTuner);

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // before anything else

    std::string tunerName = "SplitTuner";
    std::string version = "2.26.2";
    std::string environment;
    uint32_t servers = 2;
    uint32_t gpus = 4;
    CommandLine cmd(__FILE__);
    cmd.AddValue("tuner", "TypeId of the tuner: SplitTuner, or ns3::NcclTuner", tunerName);
    cmd.AddValue("version", "of NCCL", version);
    cmd.AddValue("environment", "NCCL's variables: NAME=VALUE, joined by +", environment);
    cmd.AddValue("servers", "how many", servers);
    cmd.AddValue("gpus", "of each server", gpus);
    cmd.Parse(argc, argv);
    std::replace(environment.begin(), environment.end(), '+', ' ');

    FabricGraph graph;
    uint32_t spine = graph.AddSwitch("switch");
    for (uint32_t s = 0; s < servers; s++)
    {
        uint32_t host = graph.AddHost("server-" + std::to_string(s));
        for (uint32_t g = 0; g < gpus; g++)
        {
            graph.Connect({host, spine, DataRate("400Gbps"), NanoSeconds(500)});
        }
    }
    FabricHelper fabric;
    FabricNetwork network = fabric.Install(graph);
    RdmaHelper rdma;
    rdma.Install(network.hosts);
    const GpuPreset* preset = FindGpuPreset("h100-sxm");
    GpuClusterHelper helper;
    helper.SetPreset(*preset);
    helper.SetGpusPerServer(gpus);
    GpuCluster cluster = helper.Install(network);

    auto communicator = CreateObject<Communicator>();
    communicator->SetRanks("world", cluster.gpus);
    auto executor = CreateObject<CollectiveExecutor>();
    executor->SetCommunicator(communicator);

    ObjectFactory factory(tunerName);
    factory.Set("Version", StringValue(version));
    factory.Set("Environment", StringValue(environment));
    Ptr<CollectiveTuner> tuner = factory.Create<CollectiveTuner>();
    CollectivePlatform platform = MakePlatform(cluster.gpus, preset);

    for (uint64_t bytes = 1024; bytes <= 64 << 20; bytes *= 16)
    {
        CollectiveRequest request;
        request.operation = CollectiveOperation::ALL_REDUCE;
        request.count = bytes / request.typeBytes;
        std::string error;
        CollectivePlan plan = tuner->Choose(request, communicator->GetLayout(), platform, error);
        if (!error.empty())
        {
            std::cerr << error << std::endl;
            return 2;
        }
        executor->Launch(request,
                         MakeCollectiveAlgorithm(plan.algorithm),
                         plan,
                         [bytes](const CollectiveRecord& record) {
                             std::printf("%10llu B  %-17s %-6s %2u channels  %9.1f us  (%s)\n",
                                         static_cast<unsigned long long>(bytes),
                                         record.plan.algorithm.c_str(),
                                         ToString(record.plan.protocol),
                                         record.plan.channels,
                                         (record.end - record.start).GetSeconds() * 1e6,
                                         record.plan.why.c_str());
                         });
    }
    Simulator::Run();
    executor->Dispose();
    communicator->Dispose();
    Simulator::Destroy();
    return 0;
}
