// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief What installed GPUs look like to a tuner, and to the search of channels.
 */

#include "fabric-fixture.h"

#include "ns3/channel-orders.h"
#include "ns3/channel-search.h"
#include "ns3/gpu-cluster-helper.h"
#include "ns3/gpu-platform.h"
#include "ns3/nccl-tuner.h"

using namespace ns3;

namespace
{

/// Servers with a cable for each of some NICs, around one switch.
GpuCluster
BuildServers(FabricFixture& fixture, uint32_t servers, uint32_t nics, GpuClusterHelper& helper)
{
    FabricGraph graph;
    uint32_t leaf = graph.AddSwitch("switch");
    for (uint32_t s = 0; s < servers; s++)
    {
        uint32_t host = graph.AddHost("server-" + std::to_string(s));
        for (uint32_t n = 0; n < nics; n++)
        {
            graph.Connect({host, leaf, DataRate("400Gbps"), NanoSeconds(500)});
        }
    }
    fixture.Build(graph);
    return helper.Install(fixture.network);
}

} // namespace

TEST(GpuPlatform, DescribesServersOfH100)
{
    FabricFixture fixture;
    GpuClusterHelper helper;
    helper.SetPreset(*FindGpuPreset("h100-sxm"));
    helper.SetGpusPerServer(8);
    GpuCluster cluster = BuildServers(fixture, 2, 8, helper);
    CollectivePlatform platform = MakePlatform(cluster.gpus, FindGpuPreset("h100-sxm"), "amd");
    EXPECT_EQ(platform.computeCapability, 90);
    EXPECT_EQ(platform.scaleUpGBps, 450); // 900 GB/s both ways, by NVIDIA's data sheet
    EXPECT_EQ(platform.scaleUpLinks, 18);
    EXPECT_TRUE(platform.hasSwitch);
    EXPECT_EQ(platform.nicGBps, 50);
    EXPECT_EQ(platform.nicsPerGroup, 8);
    EXPECT_EQ(platform.cpuVendor, "amd");

    // As NCCL finds on two such servers: 8 rings of 45 GB/s, 16 channels.
    RankLayout layout = RankLayout::Regular(2, 8);
    NcclGraphs graphs = CreateObject<NcclTuner>()->FindGraphs(layout, platform);
    EXPECT_EQ(graphs.ring.channels, 8);
    EXPECT_EQ(graphs.ring.intraGBps, 45);
    EXPECT_EQ(graphs.ringChannels, 16);

    ServerGraph graph = MakeServerGraph({cluster.gpus.begin(), cluster.gpus.begin() + 8});
    EXPECT_TRUE(graph.switched);
    EXPECT_EQ(graph.GetNics(), 8);
    std::string error;
    ChannelOrders orders = FindChannelOrders(layout, graph, 8, {}, error);
    ASSERT_EQ(error, "");
    EXPECT_EQ(orders.rings[2],
              (std::vector<uint32_t>{2, 1, 0, 7, 6, 5, 4, 3, 10, 9, 8, 15, 14, 13, 12, 11}));
}

TEST(GpuPlatform, DescribesGpusWithoutScaleUp)
{
    FabricFixture fixture;
    GpuClusterHelper helper;
    helper.SetScaleUp(false);
    helper.SetGpusPerServer(4);
    GpuCluster cluster = BuildServers(fixture, 2, 2, helper);
    CollectivePlatform platform = MakePlatform(cluster.gpus);
    EXPECT_EQ(platform.scaleUpGBps, 0);
    EXPECT_EQ(platform.scaleUpLinks, 0);
    EXPECT_FALSE(platform.hasInSwitchReduction);
    EXPECT_EQ(platform.pcieGBps, 48); // generation 5, as NCCL counts
    EXPECT_EQ(platform.nicsPerGroup, 2);

    ServerGraph graph = MakeServerGraph({cluster.gpus.begin(), cluster.gpus.begin() + 4});
    EXPECT_EQ(graph.gpuPaths[0][1], ServerPath::PHB);
    EXPECT_EQ(graph.nicPaths[0][0], ServerPath::PIX);
    EXPECT_EQ(graph.nicPaths[1][0], ServerPath::PIX); // two GPUs share a NIC
    EXPECT_EQ(graph.nicPaths[2][0], ServerPath::SYS);
    std::string error;
    ChannelOrders orders = FindChannelOrders(RankLayout::Regular(2, 4), graph, 2, {}, error);
    ASSERT_EQ(error, "");
    EXPECT_EQ(orders.rings[0][0] / 2, 0); // in by a GPU at NIC 0, and out by one
    EXPECT_EQ(orders.rings[0][3] / 2, 0);
    EXPECT_EQ(orders.rings[1][0] / 2, 1);
    EXPECT_EQ(orders.rings[1][3] / 2, 1);
}

// A file's server takes the place of what was installed: 4 PCIe switches with two GPUs each.
TEST(ChannelOrders, AreFoundOnTheServerOfAFile)
{
    FabricFixture fixture;
    GpuClusterHelper helper;
    helper.SetGpusPerServer(8);
    GpuCluster cluster = BuildServers(fixture, 2, 8, helper);
    auto communicator = CreateObject<Communicator>();
    communicator->SetRanks("world", cluster.gpus);
    NcclEnvironment environment;
    CollectivePlatform platform = MakePlatform(cluster.gpus);
    std::string error;
    auto orders = FindOrders(*communicator, environment, 8, platform, error);
    ASSERT_TRUE(orders) << error;
    EXPECT_EQ(orders->rings[1][7], 2); // by PXN, as GPU 1 alone is at NIC 1
    EXPECT_EQ(platform.computeCapability, 90);

    const std::string folder = std::string(AI_FABRIC_SOURCE_DIR) + "/examples/nccl/";
    ASSERT_EQ(environment.SetAll("NCCL_PXN_DISABLE=1 NCCL_TOPO_FILE=" + folder +
                                 "a100-4-switches-like.xml"),
              "");
    orders = FindOrders(*communicator, environment, 16, platform, error);
    ASSERT_TRUE(orders) << error;
    EXPECT_EQ(orders->rings[4][0] / 2, 1); // NIC 4 is at the second switch, with GPUs 2 and 3
    EXPECT_EQ(orders->rings[4][7] / 2, 1);
    EXPECT_EQ(platform.computeCapability, 80);
    EXPECT_EQ(platform.nicsPerGroup, 16);

    ASSERT_EQ(environment.SetAll("NCCL_TOPO_FILE=" + folder + "hgx-h100-like.xml"), "");
    EXPECT_FALSE(FindOrders(*communicator, environment, 8, platform, error));
    EXPECT_EQ(error, "no ring of all GPUs leads from GPU 0 to NIC 0");
    communicator->Dispose();
}
