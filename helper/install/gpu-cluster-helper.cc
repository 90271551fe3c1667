// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-cluster-helper.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/fabric-routing.h"
#include "ns3/graph-measures.h"
#include "ns3/pointer.h"
#include "ns3/rdma-stack.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// GPUs have consecutive scale-up addresses from here on (shared address space, RFC 6598).
constexpr uint32_t FIRST_SCALE_UP_ADDRESS = 0x64400001; // 100.64.0.1

/// @param network a fabric @return by vertex: its ports, and the networks that they lead into
std::vector<std::vector<GpuNicPort>>
FindPorts(const FabricNetwork& network)
{
    FabricGraph graph;                     // on paper again
    std::map<uint32_t, uint32_t> vertexOf; // by node id
    for (uint32_t v = 0; v < network.nodes.GetN(); ++v)
    {
        bool isSwitch = network.nodes.Get(v)->GetObject<FabricSwitch>() != nullptr;
        vertexOf[network.nodes.Get(v)->GetId()] =
            isSwitch ? graph.AddSwitch("") : graph.AddHost("");
    }
    for (const auto& channel : network.channels)
    {
        graph.Connect({vertexOf.at(channel->GetDevice(0)->GetNode()->GetId()),
                       vertexOf.at(channel->GetDevice(1)->GetNode()->GetId()),
                       DataRate(),
                       Time()});
    }
    const std::vector<uint32_t> networks = GetNetworks(graph);
    std::vector<std::vector<GpuNicPort>> ports(graph.GetVertices().size());
    for (size_t e = 0; e < networks.size(); ++e)
    {
        for (uint32_t v : {graph.GetEdges()[e].a, graph.GetEdges()[e].b})
        {
            ports[v].push_back({network.ports[v][ports[v].size()], networks[e]});
        }
    }
    return ports;
}

} // namespace

GpuClusterHelper::GpuClusterHelper()
{
    m_gpu.SetTypeId(GpuEndpoint::GetTypeId());
    m_port.SetTypeId(ScaleUpPort::GetTypeId());
    m_gpuDevice.SetTypeId(FabricNetDevice::GetTypeId());
    m_switchDevice.SetTypeId(FabricNetDevice::GetTypeId());
    m_channel.SetTypeId(FabricChannel::GetTypeId());
    m_switch.SetTypeId(FabricSwitch::GetTypeId());
    m_buffer.SetTypeId(SharedBuffer::GetTypeId());
    m_reducer.SetTypeId(InNetworkReducer::GetTypeId());
    for (ObjectFactory* device : {&m_gpuDevice, &m_switchDevice})
    {
        device->Set("Preamble", UintegerValue(0)); // a ScaleUpPort counts all overhead itself
        device->Set("InterFrameGap", UintegerValue(0));
        device->Set("ExactFrameBytes", UintegerValue(1024)); // most frames are several KiB
    }
    // Latencies of scale-up links are not published. Half a metre of board, and a switch of some
    // 300 ns; what a message costs in the GPU is in GpuEndpoint's attribute ScaleUpStepOverhead.
    m_channel.Set("Delay", TimeValue(NanoSeconds(25)));
    m_channel.Set("LossRate", DoubleValue(0)); // whatever the network's cables do
    m_switchDevice.Set("IngressLatency", TimeValue(NanoSeconds(300)));
    SetPreset(*FindGpuPreset("h100-sxm"));
}

void
GpuClusterHelper::SetPreset(const GpuPreset& preset)
{
    m_gpuDevice.Set("DataRate", DataRateValue(preset.scaleUpRate));
    m_switchDevice.Set("DataRate", DataRateValue(preset.scaleUpRate));
    ApplyGpuPreset(preset, m_gpu);
}

void
GpuClusterHelper::SetGpusPerServer(uint32_t count)
{
    m_gpusPerServer = count;
}

void
GpuClusterHelper::SetScaleUp(bool enabled)
{
    m_scaleUp = enabled;
}

void
GpuClusterHelper::SetGpuAttribute(const std::string& name, const AttributeValue& value)
{
    m_gpu.Set(name, value);
}

void
GpuClusterHelper::SetScaleUpPortAttribute(const std::string& name, const AttributeValue& value)
{
    m_port.Set(name, value);
}

void
GpuClusterHelper::SetScaleUpDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_gpuDevice.Set(name, value);
}

void
GpuClusterHelper::SetScaleUpSwitchDeviceAttribute(const std::string& name,
                                                  const AttributeValue& value)
{
    m_switchDevice.Set(name, value);
}

void
GpuClusterHelper::SetScaleUpChannelAttribute(const std::string& name, const AttributeValue& value)
{
    m_channel.Set(name, value);
}

void
GpuClusterHelper::SetScaleUpSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switch.Set(name, value);
}

void
GpuClusterHelper::SetScaleUpBufferAttribute(const std::string& name, const AttributeValue& value)
{
    m_buffer.Set(name, value);
}

void
GpuClusterHelper::SetMulticast(bool enabled)
{
    m_multicast = enabled;
}

void
GpuClusterHelper::SetScaleUpReducerAttribute(const std::string& name, const AttributeValue& value)
{
    m_reducer.Set(name, value);
}

GpuCluster
GpuClusterHelper::Install(const FabricNetwork& network) const
{
    std::string error;
    GpuCluster cluster = Install(network, error);
    NS_ABORT_MSG_UNLESS(error.empty(), "GpuClusterHelper: " << error);
    return cluster;
}

GpuCluster
GpuClusterHelper::Install(const FabricNetwork& network, std::string& error) const
{
    GpuCluster cluster;
    error.clear();
    const std::vector<std::vector<GpuNicPort>> ports = FindPorts(network);
    uint32_t server = 0;
    for (uint32_t v = 0; v < network.nodes.GetN() && error.empty(); ++v)
    {
        Ptr<Node> node = network.nodes.Get(v);
        if (node->GetObject<FabricSwitch>())
        {
            continue;
        }
        std::string why = InstallServer(cluster, node, ports[v]);
        if (!why.empty())
        {
            error = "server " + std::to_string(server) + ": " + why;
        }
        ++server;
    }
    return cluster;
}

std::string
GpuClusterHelper::InstallServer(GpuCluster& cluster,
                                Ptr<Node> node,
                                const std::vector<GpuNicPort>& nics) const
{
    if (nics.empty())
    {
        return "it has no NIC port";
    }
    if (!node->GetObject<RdmaStack>())
    {
        return "it has no RDMA: install that first, or it would take the scale-up ports too";
    }
    uint32_t count = m_gpusPerServer > 0 ? m_gpusPerServer : static_cast<uint32_t>(nics.size());
    auto server = cluster.gpus.empty() ? 0 : cluster.gpus.back()->GetServer() + 1;
    std::vector<Ptr<GpuEndpoint>> gpus;
    for (uint32_t g = 0; g < count; ++g)
    {
        Ptr<GpuEndpoint> gpu = m_gpu.Create<GpuEndpoint>();
        gpu->SetPlace(static_cast<uint32_t>(cluster.gpus.size()), server, g);
        size_t first = uint64_t{g} * nics.size() / count;
        size_t end = std::max(first + 1, uint64_t{g + 1} * nics.size() / count);
        gpu->SetNicPorts(node, {nics.begin() + first, nics.begin() + end});
        gpus.push_back(gpu);
        cluster.gpus.push_back(gpu);
    }
    return m_scaleUp && count > 1 ? InstallDomain(cluster, gpus) : "";
}

std::string
GpuClusterHelper::InstallDomain(GpuCluster& cluster,
                                const std::vector<Ptr<GpuEndpoint>>& gpus) const
{
    ScaleUpDomain domain;
    Ptr<Node> switchNode = CreateObject<Node>(gpus[0]->GetNode()->GetSystemId());
    domain.fabricSwitch = m_switch.Create<FabricSwitch>();
    domain.fabricSwitch->SetAttribute("Buffer", PointerValue(m_buffer.Create<SharedBuffer>()));
    if (m_multicast)
    {
        domain.fabricSwitch->SetAttribute("Reducer", PointerValue(m_reducer.Create<InNetworkReducer>()));
    }
    switchNode->AggregateObject(domain.fabricSwitch);
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        Ptr<ScaleUpPort> port = m_port.Create<ScaleUpPort>();
        domain.fabricSwitch->SetAttribute("MaxFrameBytes", UintegerValue(port->GetMaxFrameBytes()));
        Ptr<FabricNetDevice> gpuDevice = m_gpuDevice.Create<FabricNetDevice>();
        Ptr<FabricNetDevice> switchDevice = m_switchDevice.Create<FabricNetDevice>();
        uint32_t address = FIRST_SCALE_UP_ADDRESS + gpu->GetId();
        gpuDevice->SetIpv4Address(Ipv4Address(address));
        gpuDevice->SetAddress(MakeFabricMac(address));
        switchDevice->SetAddress(Mac48Address::Allocate());
        gpu->GetNode()->AddDevice(gpuDevice);
        switchNode->AddDevice(switchDevice);
        Ptr<FabricChannel> channel = m_channel.Create<FabricChannel>();
        channel->Attach(gpuDevice);
        channel->Attach(switchDevice);
        domain.fabricSwitch->AddPort(switchDevice);
        port->AddLink(gpuDevice);
        gpu->SetScaleUp(port, static_cast<uint32_t>(cluster.domains.size()));
        domain.gpuPorts.push_back(gpuDevice);
        domain.channels.push_back(channel);
    }
    cluster.domains.push_back(domain);
    std::string why = domain.fabricSwitch->Configure();
    if (!why.empty())
    {
        return "scale-up switch: " + why;
    }
    auto routing = CreateObject<FabricRouting>();
    routing->AddSwitch(domain.fabricSwitch);
    for (const auto& port : domain.gpuPorts)
    {
        routing->AddEndpoint(port);
    }
    return routing->Compute();
}

} // namespace ns3
