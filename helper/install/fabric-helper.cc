// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-helper.h"

#include "ns3/abort.h"
#include "ns3/arp-cache.h"
#include "ns3/base-rtt.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ecmp-path-selector.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ndisc-cache.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/pointer.h"
#include "ns3/red-ecn-marker.h"
#include "ns3/remote-fabric-channel.h"
#include "ns3/uinteger.h"

#include <map>

namespace ns3
{

namespace
{

/// Unless told otherwise, hosts have consecutive addresses from here on.
constexpr uint32_t FIRST_HOST_ADDRESS = 0x0a000001; // 10.0.0.1

/// Well-mixed 32 bits of seed and index (splitmix64's finalizer).
uint32_t
MixSeed(uint32_t seed, uint32_t index)
{
    uint64_t z = (uint64_t{seed} << 32 | index) + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<uint32_t>(z ^ (z >> 31));
}

/// @param port of a host @return its IPv4 interface, or null
Ptr<Ipv4Interface>
Ipv4InterfaceOf(const Ptr<FabricNetDevice>& port)
{
    Ptr<Ipv4L3Protocol> ip = port->GetNode()->GetObject<Ipv4L3Protocol>();
    int32_t index = ip ? ip->GetInterfaceForDevice(port) : -1;
    return index < 0 ? nullptr : ip->GetInterface(index);
}

/// @param port of a host @return its IPv6 interface, or null
Ptr<Ipv6Interface>
Ipv6InterfaceOf(const Ptr<FabricNetDevice>& port)
{
    Ptr<Ipv6L3Protocol> ip = port->GetNode()->GetObject<Ipv6L3Protocol>();
    int32_t index = ip ? ip->GetInterfaceForDevice(port) : -1;
    return index < 0 ? nullptr : ip->GetInterface(index);
}

/// What others need to know of a port.
struct Endpoint
{
    Mac48Address mac;
    Ptr<Ipv4Interface> ipv4; ///< null if it has none
    Ptr<Ipv6Interface> ipv6; ///< likewise
};

Ipv4Address
AddressOf(const Ipv4InterfaceAddress& address)
{
    return address.GetLocal();
}

Ipv6Address
AddressOf(const Ipv6InterfaceAddress& address)
{
    return address.GetAddress();
}

bool
IsInSubnet(Ipv4Address address, const Ipv4InterfaceAddress& of)
{
    return of.GetMask().IsMatch(of.GetLocal(), address);
}

bool
IsInSubnet(Ipv6Address address, const Ipv6InterfaceAddress& of)
{
    return of.GetPrefix().IsMatch(of.GetAddress(), address);
}

/// @param own an interface @param cache its neighbours: it gets to know those addresses of
/// @param other that are in a subnet of its own @param mac where they are
template <typename Interface, typename Cache>
void
Introduce(Ptr<Interface> own, Ptr<Interface> other, Ptr<Cache> cache, Mac48Address mac)
{
    for (uint32_t i = 0; cache && i < other->GetNAddresses(); ++i)
    {
        auto address = AddressOf(other->GetAddress(i));
        for (uint32_t j = 0; j < own->GetNAddresses(); ++j)
        {
            if (IsInSubnet(address, own->GetAddress(j)))
            {
                auto* entry = cache->Lookup(address);
                entry = entry ? entry : cache->Add(address);
                entry->SetMacAddress(mac);
                entry->MarkPermanent();
                break;
            }
        }
    }
}

void
SniffToPcap(Ptr<PcapFileWrapper> file, Ptr<const Packet> packet)
{
    file->Write(Simulator::Now(), packet);
}

} // namespace

Mac48Address
MakeFabricMac(uint32_t address)
{
    uint8_t bytes[6] = {0x02,
                        0x00,
                        static_cast<uint8_t>(address >> 24),
                        static_cast<uint8_t>(address >> 16),
                        static_cast<uint8_t>(address >> 8),
                        static_cast<uint8_t>(address)};
    Mac48Address mac;
    mac.CopyFrom(bytes);
    return mac;
}

std::vector<Ptr<FabricNetDevice>>
FabricNetwork::GetHostPorts() const
{
    std::vector<Ptr<FabricNetDevice>> all;
    for (uint32_t v = 0; v < nodes.GetN(); ++v)
    {
        if (!nodes.Get(v)->GetObject<FabricSwitch>())
        {
            all.insert(all.end(), ports[v].begin(), ports[v].end());
        }
    }
    return all;
}

Time
FabricNetwork::BaseRtt(Ptr<FabricNetDevice> from, Ptr<FabricNetDevice> to, uint32_t mtu) const
{
    const int64_t steps = BaseRttTable().GetSteps(from, to, MakeRoundTripFrames(mtu));
    NS_ABORT_MSG_IF(steps == 0, "FabricNetwork::BaseRtt: no route joins the ports");
    return TimeStep(static_cast<uint64_t>(steps));
}

NetDeviceContainer
FabricNetwork::GetHostDevices() const
{
    NetDeviceContainer devices;
    for (const auto& port : GetHostPorts())
    {
        devices.Add(port);
    }
    return devices;
}

std::vector<Ptr<FabricSwitch>>
FabricNetwork::GetSwitches() const
{
    std::vector<Ptr<FabricSwitch>> all;
    for (uint32_t s = 0; s < switches.GetN(); ++s)
    {
        all.push_back(switches.Get(s)->GetObject<FabricSwitch>());
    }
    return all;
}

FabricHelper::FabricHelper()
    : m_firstAddress(FIRST_HOST_ADDRESS)
{
    m_device.SetTypeId(FabricNetDevice::GetTypeId());
    m_channel.SetTypeId(FabricChannel::GetTypeId());
    m_switch.SetTypeId(FabricSwitch::GetTypeId());
    m_buffer.SetTypeId(SharedBuffer::GetTypeId());
    m_selector.SetTypeId(EcmpPathSelector::GetTypeId());
    m_routing.SetTypeId(FabricRouting::GetTypeId());
}

void
FabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_device.Set(name, value);
}

void
FabricHelper::SetHostDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_hostDeviceAttributes.emplace_back(name, value.Copy());
}

void
FabricHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    m_channel.Set(name, value);
}

void
FabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switch.Set(name, value);
}

void
FabricHelper::SetBufferAttribute(const std::string& name, const AttributeValue& value)
{
    m_buffer.Set(name, value);
}

void
FabricHelper::SetPathSelector(const std::string& typeId, bool shareSeed)
{
    m_selector = ObjectFactory();
    m_selector.SetTypeId(typeId);
    m_shareSeed = shareSeed;
}

void
FabricHelper::SetPathSelectorAttribute(const std::string& name, const AttributeValue& value)
{
    m_selector.Set(name, value);
}

void
FabricHelper::SetEcn(std::function<EcnThresholds(DataRate)> thresholds, uint8_t classes)
{
    SetEcnMarker(classes, [thresholds = std::move(thresholds)](DataRate rate) {
        EcnThresholds at = thresholds(rate);
        return CreateObjectWithAttributes<RedEcnMarker>("Kmin",
                                                        UintegerValue(at.kminBytes),
                                                        "Kmax",
                                                        UintegerValue(at.kmaxBytes),
                                                        "Pmax",
                                                        DoubleValue(at.pmax));
    });
}

void
FabricHelper::SetEcnMarker(uint8_t classes, EcnMarkerMaker make)
{
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (classes & (1U << c))
        {
            m_ecnMakers[c] = make;
        }
    }
}

void
FabricHelper::SetSwitchPart(const std::string& attribute, const ObjectFactory& part)
{
    m_switchParts[attribute] = part;
}

void
FabricHelper::SetRoutes(Ptr<RouteComputation> routes)
{
    m_routes = routes;
}

void
FabricHelper::SetRoutingAttribute(const std::string& name, const AttributeValue& value)
{
    m_routing.Set(name, value);
}

void
FabricHelper::SetFirstAddress(Ipv4Address first)
{
    m_firstAddress = first.Get();
}

void
FabricHelper::SetSeed(uint32_t seed)
{
    m_seed = seed;
}

void
FabricHelper::SetRanks(const std::vector<uint32_t>& ranks)
{
    m_ranks = ranks;
    m_channel.SetTypeId(RemoteFabricChannel::GetTypeId());
}

void
FabricHelper::Divide(const FabricNetwork& network)
{
    std::map<const FabricNetDevice*, uint32_t> numbers;
    for (const auto& ports : network.ports)
    {
        for (const auto& port : ports)
        {
            numbers.emplace(PeekPointer(port), static_cast<uint32_t>(numbers.size()));
        }
    }
    auto numberOf = [&numbers](const Ptr<NetDevice>& device) {
        return numbers.at(dynamic_cast<const FabricNetDevice*>(PeekPointer(device)));
    };
    for (const auto& channel : network.channels)
    {
        DynamicCast<RemoteFabricChannel>(channel)->Divide(numberOf(channel->GetDevice(0)),
                                                          numberOf(channel->GetDevice(1)));
    }
}

Ptr<FabricNetDevice>
FabricHelper::AddPort(Ptr<Node> node, DataRate rate)
{
    Ptr<FabricNetDevice> device = m_device.Create<FabricNetDevice>();
    device->SetDataRate(rate);
    node->AddDevice(device);
    return device;
}

Ptr<FabricSwitch>
FabricHelper::MakeSwitch(uint32_t index)
{
    Ptr<PathSelector> selector = m_selector.Create<PathSelector>();
    selector->SetAttributeFailSafe("Seed",
                                   UintegerValue(MixSeed(m_seed, m_shareSeed ? 0 : index + 1)));
    Ptr<FabricSwitch> fabricSwitch = m_switch.Create<FabricSwitch>();
    fabricSwitch->SetAttribute("PathSelector", PointerValue(selector));
    fabricSwitch->SetAttribute("Buffer", PointerValue(m_buffer.Create<SharedBuffer>()));
    for (const auto& [attribute, part] : m_switchParts)
    {
        fabricSwitch->SetAttribute(attribute, PointerValue(part.Create()));
    }
    return fabricSwitch;
}

void
FabricHelper::SetMarkers(Ptr<FabricSwitch> fabricSwitch)
{
    std::map<std::pair<uint32_t, uint64_t>, Ptr<EcnMarker>> shared; // by class and rate
    for (uint32_t p = 0; p < fabricSwitch->GetNPorts(); ++p)
    {
        DataRate rate = fabricSwitch->GetPort(p)->GetDataRate();
        for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            if (!m_ecnMakers[c])
            {
                continue;
            }
            Ptr<EcnMarker>& marker = shared[{c, rate.GetBitRate()}];
            if (!marker || marker->KeepsState())
            {
                marker = m_ecnMakers[c](rate);
            }
            fabricSwitch->SetEcnMarker(p, c, marker);
        }
    }
}

FabricNetwork
FabricHelper::Install(const FabricGraph& graph)
{
    std::string error;
    FabricNetwork network = Install(graph, error);
    NS_ABORT_MSG_UNLESS(error.empty(), "FabricHelper: " << error);
    return network;
}

FabricNetwork
FabricHelper::Install(const FabricGraph& graph, std::string& error)
{
    FabricNetwork network;
    const auto& vertices = graph.GetVertices();
    NS_ABORT_MSG_UNLESS(m_ranks.empty() || m_ranks.size() == vertices.size(),
                        "FabricHelper: SetRanks() was for another graph");
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        network.nodes.Add(CreateObject<Node>(m_ranks.empty() ? 0 : m_ranks[v]));
    }
    network.ports.resize(vertices.size());
    for (uint32_t v = 0; v < vertices.size(); ++v)
    {
        Ptr<Node> node = network.nodes.Get(v);
        bool isSwitch = vertices[v].role == FabricGraph::Role::SWITCH;
        (isSwitch ? network.switches : network.hosts).Add(node);
        if (isSwitch)
        {
            node->AggregateObject(MakeSwitch(v));
        }
    }
    for (const FabricGraph::Edge& edge : graph.GetEdges())
    {
        Ptr<FabricChannel> channel = m_channel.Create<FabricChannel>();
        channel->SetDelay(edge.delay);
        if (edge.lossRate > 0) // else the attribute's own default
        {
            channel->SetAttribute("LossRate", DoubleValue(edge.lossRate));
        }
        for (uint32_t v : {edge.a, edge.b})
        {
            Ptr<FabricNetDevice> port = AddPort(network.nodes.Get(v), edge.rate);
            if (vertices[v].role == FabricGraph::Role::HOST)
            {
                for (const auto& [name, value] : m_hostDeviceAttributes)
                {
                    port->SetAttribute(name, *value);
                }
            }
            channel->Attach(port);
            network.ports[v].push_back(port);
        }
        network.channels.push_back(channel);
    }
    if (!m_ranks.empty())
    {
        Divide(network);
    }

    std::vector<Ptr<FabricNetDevice>> hostPorts = network.GetHostPorts();
    uint32_t address = m_firstAddress;
    for (const auto& port : hostPorts)
    {
        port->AggregateObject(CreateObject<NetDeviceQueueInterface>());
        port->SetIpv4Address(Ipv4Address(address));
        port->SetAddress(MakeFabricMac(address));
        ++address;
    }

    error = InstallSwitches(graph, network);
    if (error.empty())
    {
        error = InstallRoutes(graph, network);
    }
    return network;
}

std::string
FabricHelper::InstallSwitches(const FabricGraph& graph, FabricNetwork& network)
{
    for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
    {
        Ptr<FabricSwitch> fabricSwitch = network.nodes.Get(v)->GetObject<FabricSwitch>();
        if (!fabricSwitch)
        {
            continue;
        }
        std::string name = "switch " + graph.GetVertices()[v].name;
        if (network.ports[v].empty())
        {
            return name + " has no cable";
        }
        for (const auto& port : network.ports[v])
        {
            fabricSwitch->AddPort(port);
        }
        std::string why = fabricSwitch->Configure();
        if (!why.empty())
        {
            return name + ": " + why;
        }
        SetMarkers(fabricSwitch);
    }
    return "";
}

std::string
FabricHelper::InstallRoutes(const FabricGraph& graph, FabricNetwork& network)
{
    network.routing = m_routing.Create<FabricRouting>();
    if (m_routes)
    {
        network.routing->SetComputation(m_routes);
    }
    for (uint32_t v = 0; v < graph.GetVertices().size(); ++v)
    {
        const FabricGraph::Vertex& vertex = graph.GetVertices()[v];
        if (vertex.role == FabricGraph::Role::SWITCH)
        {
            network.routing->AddSwitch(network.nodes.Get(v)->GetObject<FabricSwitch>(),
                                       vertex.tier,
                                       vertex.name);
        }
    }
    for (const auto& port : network.GetHostPorts())
    {
        network.routing->AddEndpoint(port);
    }
    for (size_t e = 0; e < graph.GetEdges().size(); ++e)
    {
        if (graph.GetEdges()[e].weight != 1)
        {
            network.routing->SetLinkWeight(network.channels[e], graph.GetEdges()[e].weight);
        }
    }
    return network.routing->Compute();
}

NetDeviceContainer
FabricHelper::Install(Ptr<Node> a, Ptr<Node> b)
{
    Ptr<FabricChannel> channel = m_channel.Create<FabricChannel>();
    NetDeviceContainer devices;
    for (const Ptr<Node>& node : {a, b})
    {
        Ptr<FabricNetDevice> device = m_device.Create<FabricNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->AggregateObject(CreateObject<NetDeviceQueueInterface>());
        node->AddDevice(device);
        channel->Attach(device);
        devices.Add(device);
    }
    return devices;
}

void
FabricHelper::FillNeighborCaches(const FabricNetwork& network)
{
    std::vector<Endpoint> endpoints;
    for (const auto& port : network.GetHostPorts())
    {
        endpoints.push_back({port->GetMacAddress(), Ipv4InterfaceOf(port), Ipv6InterfaceOf(port)});
    }
    for (const Endpoint& own : endpoints)
    {
        for (const Endpoint& other : endpoints)
        {
            if (&own != &other && own.ipv4 && other.ipv4)
            {
                Introduce(own.ipv4, other.ipv4, own.ipv4->GetArpCache(), other.mac);
            }
            if (&own != &other && own.ipv6 && other.ipv6)
            {
                Introduce(own.ipv6, other.ipv6, own.ipv6->GetNdiscCache(), other.mac);
            }
        }
    }
}

int64_t
FabricHelper::AssignStreams(const FabricNetwork& network, int64_t stream)
{
    int64_t first = stream;
    for (const auto& channel : network.channels)
    {
        stream += channel->AssignStreams(stream);
    }
    for (const auto& fabricSwitch : network.GetSwitches())
    {
        stream += fabricSwitch->AssignStreams(stream);
    }
    return stream - first;
}

void
FabricHelper::EnablePcapInternal(std::string prefix,
                                 Ptr<NetDevice> netDevice,
                                 bool promiscuous,
                                 bool explicitFilename)
{
    Ptr<FabricNetDevice> device = DynamicCast<FabricNetDevice>(netDevice);
    if (!device)
    {
        return; // a device of another kind on the same node
    }
    PcapHelper pcap;
    std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    // Not PcapHelper's file, whose stamps are microseconds: 12 frames of 4 KiB at 400 Gb/s.
    auto file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true));
    file->Open(name, std::ios::out);
    file->Init(PcapHelper::DLT_EN10MB);
    NS_ABORT_MSG_IF(file->Fail(), "FabricHelper: " << name << " cannot be written");
    device->TraceConnectWithoutContext(promiscuous ? "PromiscSniffer" : "Sniffer",
                                       MakeBoundCallback(&SniffToPcap, file));
}

void
FabricHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                  std::string prefix,
                                  Ptr<NetDevice> netDevice,
                                  bool explicitFilename)
{
    Ptr<FabricNetDevice> device = DynamicCast<FabricNetDevice>(netDevice);
    if (!device)
    {
        return; // a device of another kind on the same node
    }
    Packet::EnablePrinting();
    AsciiTraceHelper ascii;
    if (!stream) // a file for this device: its lines need not say which one it is
    {
        stream = ascii.CreateFileStream(
            explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
        ascii.HookDefaultEnqueueSinkWithoutContext(device, "MacTx", stream);
        ascii.HookDefaultDequeueSinkWithoutContext(device, "PhyTxBegin", stream);
        ascii.HookDefaultReceiveSinkWithoutContext(device, "MacRx", stream);
        for (const char* drop : {"MacTxDrop", "MacRxDrop", "PhyRxDrop"})
        {
            ascii.HookDefaultDropSinkWithoutContext(device, drop, stream);
        }
        return;
    }
    std::string path = "/NodeList/" + std::to_string(device->GetNode()->GetId()) + "/DeviceList/" +
                       std::to_string(device->GetIfIndex()) + "/$ns3::FabricNetDevice/";
    auto connect = [&](const std::string& source, auto sink) {
        device->TraceConnect(source, path + source, MakeBoundCallback(sink, stream));
    };
    connect("MacTx", &AsciiTraceHelper::DefaultEnqueueSinkWithContext);
    connect("PhyTxBegin", &AsciiTraceHelper::DefaultDequeueSinkWithContext);
    connect("MacRx", &AsciiTraceHelper::DefaultReceiveSinkWithContext);
    for (const char* drop : {"MacTxDrop", "MacRxDrop", "PhyRxDrop"})
    {
        connect(drop, &AsciiTraceHelper::DefaultDropSinkWithContext);
    }
}

} // namespace ns3
