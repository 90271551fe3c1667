// SPDX-License-Identifier: GPL-2.0-only
#include "channel-orders.h"

#include "ns3/channel-search.h"
#include "ns3/gpu-platform.h"
#include "ns3/nccl-topology.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The GPUs of a communicator's first group, in the layout's order.
std::vector<Ptr<GpuEndpoint>>
FirstGroupOf(const Communicator& communicator)
{
    std::vector<Ptr<GpuEndpoint>> gpus;
    for (uint32_t rank : communicator.GetLayout().GetGroups().front())
    {
        gpus.push_back(communicator.GetGpu(rank));
    }
    return gpus;
}

} // namespace

std::shared_ptr<const ChannelOrders>
FindOrders(const Communicator& communicator,
           const NcclEnvironment& environment,
           uint32_t channels,
           CollectivePlatform& platform,
           std::string& error)
{
    error.clear();
    std::vector<Ptr<GpuEndpoint>> gpus = FirstGroupOf(communicator);
    NcclTransportSettings transport = environment.GetTransport();
    ChannelRules rules{transport.pxn.value_or(platform.pxn), transport.crossNic.value_or(false)};
    ServerGraph graph;
    if (std::string file = environment.GetText("NCCL_TOPO_FILE"); !file.empty())
    {
        NcclTopology server = ReadNcclTopology(file);
        std::vector<uint32_t> used;
        for (const Ptr<GpuEndpoint>& gpu : gpus)
        {
            used.push_back(gpu->GetLocalIndex());
        }
        if (*std::max_element(used.begin(), used.end()) >= server.gpus.size())
        {
            error = file + " has " + std::to_string(server.gpus.size()) +
                    " GPUs, but there is a rank on GPU " +
                    std::to_string(*std::max_element(used.begin(), used.end()));
            return nullptr;
        }
        graph = server.MakeServerGraph().Select(used);
        bool pxn = platform.pxn;
        platform = server.MakePlatform();
        platform.pxn = pxn;
    }
    else
    {
        graph = MakeServerGraph(gpus);
    }
    auto orders = std::make_shared<ChannelOrders>(
        FindChannelOrders(communicator.GetLayout(), graph, channels, rules, error));
    return error.empty() ? orders : nullptr;
}

} // namespace ns3
