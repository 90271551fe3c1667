// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-cluster-helper.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/enum.h"
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
constexpr uint32_t MOST_PLANES = 18;

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
    // 300 ns; what a message costs in the GPU is in CollectiveCosts.
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
    m_type =
        enabled ? (m_type == ScaleUpType::NONE ? ScaleUpType::SWITCH : m_type) : ScaleUpType::NONE;
}

void
GpuClusterHelper::SetScaleUpType(ScaleUpType type)
{
    m_type = type;
}

void
GpuClusterHelper::SetPlanes(uint32_t planes)
{
    NS_ABORT_MSG_IF(planes == 0 || planes > MOST_PLANES,
                    "GpuClusterHelper: " << planes << " planes, of 1 to " << MOST_PLANES);
    m_planes = planes;
}

void
GpuClusterHelper::SetDomainSize(uint32_t gpus)
{
    m_domainSize = gpus;
}

void
GpuClusterHelper::SetScaleUpFlowControl(FabricNetDevice::FlowControl flowControl)
{
    m_flowControl = flowControl;
}

void
GpuClusterHelper::SetCreditBuffer(uint64_t bytes)
{
    m_creditBuffer = bytes;
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
    if (error.empty() && m_type != ScaleUpType::NONE)
    {
        error = InstallDomains(cluster);
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
    for (uint32_t g = 0; g < count; ++g)
    {
        Ptr<GpuEndpoint> gpu = m_gpu.Create<GpuEndpoint>();
        gpu->SetPlace(static_cast<uint32_t>(cluster.gpus.size()), server, g);
        size_t first = uint64_t{g} * nics.size() / count;
        size_t end = std::max(first + 1, uint64_t{g + 1} * nics.size() / count);
        gpu->SetNicPorts(node, {nics.begin() + first, nics.begin() + end});
        cluster.gpus.push_back(gpu);
    }
    return "";
}

// ---------------------------------------------------------------- scale-up domains

std::string
GpuClusterHelper::CheckDomainSize(const GpuCluster& cluster) const
{
    auto total = static_cast<uint32_t>(cluster.gpus.size());
    std::map<uint32_t, uint32_t> gpusOf; // by server
    for (const auto& gpu : cluster.gpus)
    {
        ++gpusOf[gpu->GetServer()];
    }
    for (auto [server, count] : gpusOf)
    {
        bool fits = count % m_domainSize == 0 ||
                    (m_domainSize % count == 0 && total % m_domainSize == 0) ||
                    m_domainSize >= total; // one domain that is not full
        if (!fits)
        {
            return "a scale-up domain of " + std::to_string(m_domainSize) +
                   " GPUs: it must divide the " + std::to_string(count) + " GPUs of server " +
                   std::to_string(server) + ", or be a multiple of them that divides all " +
                   std::to_string(total);
        }
    }
    return "";
}

std::string
GpuClusterHelper::InstallDomains(GpuCluster& cluster) const
{
    std::string why = m_domainSize > 0 ? CheckDomainSize(cluster) : "";
    for (size_t first = 0; first < cluster.gpus.size() && why.empty();)
    {
        size_t end = first + 1;
        auto belongs = [&](const GpuEndpoint& gpu) {
            return m_domainSize > 0 ? end - first < m_domainSize
                                    : gpu.GetServer() == cluster.gpus[first]->GetServer();
        };
        while (end < cluster.gpus.size() && belongs(*cluster.gpus[end]))
        {
            ++end;
        }
        if (end - first > 1)
        {
            why =
                InstallDomain(cluster, {cluster.gpus.begin() + first, cluster.gpus.begin() + end});
        }
        first = end;
    }
    NameLinks(cluster);
    return why;
}

std::string
GpuClusterHelper::InstallDomain(GpuCluster& cluster,
                                const std::vector<Ptr<GpuEndpoint>>& gpus) const
{
    ScaleUpDomain domain;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        if (gpu->GetNode()->GetSystemId() != gpus[0]->GetNode()->GetSystemId())
        {
            return "GPUs " + std::to_string(gpus[0]->GetId()) + " and " +
                   std::to_string(gpu->GetId()) +
                   " of one scale-up domain are on different MPI ranks";
        }
        domain.gpus.push_back(gpu->GetId());
        gpu->SetScaleUp(m_port.Create<ScaleUpPort>(),
                        static_cast<uint32_t>(cluster.domains.size()));
    }
    std::string why;
    if (m_type == ScaleUpType::MESH)
    {
        InstallMesh(domain, gpus);
    }
    for (uint32_t plane = 0; m_type == ScaleUpType::SWITCH && plane < m_planes; ++plane)
    {
        why = why.empty() ? InstallPlane(domain, plane, gpus) : why;
    }
    domain.fabricSwitch = domain.planes.empty() ? nullptr : domain.planes[0];
    cluster.domains.push_back(domain);
    return why.empty() ? "" : "scale-up switch: " + why;
}

Ptr<FabricNetDevice>
GpuClusterHelper::MakeGpuDevice(const GpuEndpoint& gpu, uint32_t links) const
{
    Ptr<FabricNetDevice> device = m_gpuDevice.Create<FabricNetDevice>();
    device->SetDataRate(DataRate(device->GetDataRate().GetBitRate() / links));
    uint32_t address = FIRST_SCALE_UP_ADDRESS + gpu.GetId();
    device->SetIpv4Address(Ipv4Address(address));
    device->SetAddress(MakeFabricMac(address));
    gpu.GetNode()->AddDevice(device);
    return device;
}

uint64_t
GpuClusterHelper::GetCreditBuffer(const FabricNetDevice& a, const FabricNetDevice& b) const
{
    if (m_creditBuffer > 0)
    {
        return m_creditBuffer;
    }
    constexpr uint64_t FRAMES = 4;
    constexpr uint64_t GRAIN = 4096;
    double steps =
        2 * static_cast<double>(m_channel.Create<FabricChannel>()->GetDelay().GetTimeStep()) +
        static_cast<double>(a.GetIngressLatencySteps() + b.GetIngressLatencySteps());
    double bytesPerStep = static_cast<double>(a.GetDataRate().GetBitRate()) / 8 /
                          static_cast<double>(Seconds(1).GetTimeStep());
    auto loop = static_cast<uint64_t>(steps * bytesPerStep) +
                FRAMES * m_port.Create<ScaleUpPort>()->GetMaxFrameBytes();
    return (2 * loop + GRAIN - 1) / GRAIN * GRAIN;
}

Ptr<FabricChannel>
GpuClusterHelper::Plug(Ptr<FabricNetDevice> a, Ptr<FabricNetDevice> b) const
{
    Ptr<ScaleUpPort> port = m_port.Create<ScaleUpPort>();
    uint64_t buffer = GetCreditBuffer(*a, *b);
    for (const auto& device : {a, b})
    {
        device->SetAttribute("FlowControl", EnumValue(m_flowControl));
        if (m_flowControl == FabricNetDevice::FLOW_CONTROL_CREDITS)
        {
            device->SetAttribute("CreditClasses", UintegerValue(1U << port->GetTrafficClass()));
            device->SetAttribute("CreditMaxFrameBytes", UintegerValue(port->GetMaxFrameBytes()));
            device->SetAttribute("CreditBufferBytes", UintegerValue(buffer));
        }
    }
    Ptr<FabricChannel> channel = m_channel.Create<FabricChannel>();
    channel->Attach(a);
    channel->Attach(b);
    return channel;
}

Ptr<FabricSwitch>
GpuClusterHelper::MakeSwitch() const
{
    Ptr<FabricSwitch> fabricSwitch = m_switch.Create<FabricSwitch>();
    Ptr<SharedBuffer> buffer = m_buffer.Create<SharedBuffer>();
    if (m_multicast)
    {
        fabricSwitch->SetAttribute("Reducer", PointerValue(m_reducer.Create<InNetworkReducer>()));
    }
    fabricSwitch->SetAttribute("Buffer", PointerValue(buffer));
    fabricSwitch->SetAttribute("MaxFrameBytes",
                               UintegerValue(m_port.Create<ScaleUpPort>()->GetMaxFrameBytes()));
    return fabricSwitch;
}

std::string
GpuClusterHelper::InstallPlane(ScaleUpDomain& domain,
                               uint32_t plane,
                               const std::vector<Ptr<GpuEndpoint>>& gpus) const
{
    Ptr<Node> switchNode = CreateObject<Node>(gpus[0]->GetNode()->GetSystemId());
    Ptr<FabricSwitch> fabricSwitch = MakeSwitch();
    switchNode->AggregateObject(fabricSwitch);
    uint64_t credits = 0;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        Ptr<FabricNetDevice> gpuDevice = MakeGpuDevice(*gpu, m_planes);
        Ptr<FabricNetDevice> switchDevice = m_switchDevice.Create<FabricNetDevice>();
        switchDevice->SetDataRate(DataRate(switchDevice->GetDataRate().GetBitRate() / m_planes));
        switchDevice->SetAddress(Mac48Address::Allocate());
        switchNode->AddDevice(switchDevice);
        domain.channels.push_back(Plug(gpuDevice, switchDevice));
        fabricSwitch->AddPort(switchDevice);
        gpu->GetScaleUpPort()->AddLink(gpuDevice);
        domain.gpuPorts.push_back(gpuDevice);
        credits += switchDevice->GetCreditClasses() ? switchDevice->GetCreditBufferBytes() : 0;
    }
    // All that credits are given for must have a place, beside what each port has reserved.
    constexpr uint64_t SHARED_OF_PORT = 128 << 10;
    UintegerValue size;
    fabricSwitch->GetBuffer()->GetAttribute("Size", size);
    fabricSwitch->GetBuffer()->SetAttribute(
        "Size",
        UintegerValue(
            std::max<uint64_t>(size.Get(),
                               credits > 0 ? credits + SHARED_OF_PORT * gpus.size() : 0)));
    domain.planes.push_back(fabricSwitch);
    std::string why = fabricSwitch->Configure();
    if (!why.empty())
    {
        return "plane " + std::to_string(plane) + ": " + why;
    }
    auto routing = CreateObject<FabricRouting>();
    routing->AddSwitch(fabricSwitch);
    for (size_t g = 0; g < gpus.size(); ++g)
    {
        routing->AddEndpoint(domain.gpuPorts[plane * gpus.size() + g]);
    }
    return routing->Compute();
}

void
GpuClusterHelper::InstallMesh(ScaleUpDomain& domain,
                              const std::vector<Ptr<GpuEndpoint>>& gpus) const
{
    auto count = static_cast<uint32_t>(gpus.size());
    domain.gpuPorts.resize(size_t{count} * (count - 1));
    for (uint32_t a = 0; a < count; ++a)
    {
        for (uint32_t b = a + 1; b < count; ++b)
        {
            Ptr<FabricNetDevice> ofA = MakeGpuDevice(*gpus[a], count - 1);
            Ptr<FabricNetDevice> ofB = MakeGpuDevice(*gpus[b], count - 1);
            domain.channels.push_back(Plug(ofA, ofB));
            domain.gpuPorts[size_t{a} * (count - 1) + b - 1] = ofA; // its peers but itself
            domain.gpuPorts[size_t{b} * (count - 1) + a] = ofB;
        }
    }
    for (size_t link = 0; link < domain.gpuPorts.size(); ++link)
    {
        gpus[link / (count - 1)]->GetScaleUpPort()->AddLink(domain.gpuPorts[link]);
    }
}

void
GpuClusterHelper::NameLinks(GpuCluster& cluster)
{
    bool byServer =
        std::all_of(cluster.domains.begin(),
                    cluster.domains.end(),
                    [&](const ScaleUpDomain& domain) {
                        const GpuEndpoint& first = *cluster.gpus[domain.gpus.front()];
                        return first.GetScaleUpDomain() == first.GetServer() &&
                               first.GetLocalIndex() == 0 &&
                               cluster.gpus[domain.gpus.back()]->GetServer() == first.GetServer();
                    });
    for (size_t d = 0; d < cluster.domains.size(); ++d)
    {
        ScaleUpDomain& domain = cluster.domains[d];
        std::string home = (byServer ? "server" : "domain") + std::to_string(d);
        size_t count = domain.gpus.size();
        auto nameOf = [&](size_t index) {
            const GpuEndpoint& gpu = *cluster.gpus[domain.gpus[index]];
            return "server" + std::to_string(gpu.GetServer()) + "/gpu" +
                   std::to_string(gpu.GetLocalIndex());
        };
        for (size_t link = 0; link < domain.gpuPorts.size(); ++link)
        {
            Ptr<FabricNetDevice> device = domain.gpuPorts[link];
            if (domain.planes.empty())
            {
                size_t a = link / (count - 1);
                size_t b = link % (count - 1) + (link % (count - 1) >= a);
                std::string name = nameOf(a) + ":" + std::to_string(domain.gpus[b]);
                std::string peer = nameOf(b) + ":" + std::to_string(domain.gpus[a]);
                domain.links.push_back({name, peer, device}); // the other end has its own turn
                continue;
            }
            size_t plane = link / count;
            bool many = domain.planes.size() > 1;
            std::string name =
                nameOf(link % count) + (many ? ":" + std::to_string(plane) : std::string());
            std::string peer = home + "/scale-up" + (many ? std::to_string(plane) : "") + ":" +
                               std::to_string(link % count);
            domain.links.push_back({name, peer, device});
            domain.links.push_back({peer, name, device->GetPeer()});
        }
    }
}

} // namespace ns3
