// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-rdma-port.h"

#include "rdma-nic.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricRdmaPort");
NS_OBJECT_ENSURE_REGISTERED(FabricRdmaPort);

namespace
{

/// @param address IPv4 or IPv6 @param bit counted from the front @return its value
bool
BitOf(const RdmaAddress& address, uint32_t bit)
{
    return address.ipv6 ? address.bytes[bit / 8] >> (7 - bit % 8) & 1
                        : address.key >> (31 - bit) & 1;
}

/// @param a address @param b address @param bits how many @return the first ones are equal
bool
SharePrefix(const RdmaAddress& a, const RdmaAddress& b, uint8_t bits)
{
    for (uint32_t bit = 0; bit < bits; ++bit)
    {
        if (BitOf(a, bit) != BitOf(b, bit))
        {
            return false;
        }
    }
    return a.ipv6 == b.ipv6;
}

} // namespace

TypeId
FabricRdmaPort::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricRdmaPort")
                            .SetParent<RdmaPort>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<FabricRdmaPort>();
    return tid;
}

FabricRdmaPort::FabricRdmaPort() = default;
FabricRdmaPort::~FabricRdmaPort() = default;

void
FabricRdmaPort::DoDispose()
{
    m_device = nullptr;
    RdmaPort::DoDispose();
}

void
FabricRdmaPort::SetDevice(Ptr<FabricNetDevice> device)
{
    m_device = device;
    m_port = PeekPointer(device);
    device->SetOwner(this);
}

Ptr<FabricNetDevice>
FabricRdmaPort::GetDevice() const
{
    return m_device;
}

void
FabricRdmaPort::AddRoute(const RdmaAddress& network, uint8_t prefixBits, Mac48Address router)
{
    m_routes.push_back({network, prefixBits, router});
}

double
FabricRdmaPort::GetLineRateBps() const
{
    return static_cast<double>(m_port->GetDataRate().GetBitRate());
}

int64_t
FabricRdmaPort::SlotSteps(uint32_t frameBytes) const
{
    return m_port->SerializationSteps(uint64_t{frameBytes} + m_port->GetFrameOverhead());
}

uint32_t
FabricRdmaPort::GetFrameOverhead() const
{
    return m_port->GetFrameOverhead();
}

uint32_t
FabricRdmaPort::GetNodeId() const
{
    return m_port->GetNodeId();
}

int64_t
FabricRdmaPort::PausedSteps(uint32_t trafficClass, int64_t now) const
{
    return m_port->PausedSteps(trafficClass, now);
}

RdmaAddress
FabricRdmaPort::GetAddress(bool ipv6) const
{
    uint32_t address = m_port->GetIpv4Address().Get();
    if (!ipv6)
    {
        return RdmaAddress::FromIpv4(address);
    }
    // A unique local prefix (RFC 4193); the low 32 bits are the IPv4 address, which switches route.
    std::array<uint8_t, 16> bytes{0xfd};
    for (size_t i = 0; i < 4; ++i)
    {
        bytes[12 + i] = static_cast<uint8_t>(address >> (8 * (3 - i)));
    }
    return RdmaAddress::FromIpv6(bytes);
}

Mac48Address
FabricRdmaPort::GetMac() const
{
    return m_port->GetMacAddress();
}

RdmaPath
FabricRdmaPort::ResolvePath(const RdmaAddress& destination, Mac48Address neighbor) const
{
    RdmaPath path;
    path.source = GetAddress(destination.ipv6);
    path.destination = destination;
    path.nextHop = neighbor;
    if (destination.IsMulticast())
    {
        path.nextHop = Mac48Address::ConvertFrom(
            destination.ipv6
                ? m_port->GetMulticast(Ipv6Address::Deserialize(destination.bytes.data()))
                : m_port->GetMulticast(Ipv4Address(destination.key)));
    }
    int longest = -1;
    for (const Route& route : m_routes)
    {
        if (route.prefixBits > longest && SharePrefix(route.network, destination, route.prefixBits))
        {
            longest = route.prefixBits;
            path.nextHop = route.router;
        }
    }
    return path;
}

void
FabricRdmaPort::SendNow(FramePtr frame)
{
    m_port->Enqueue(std::move(frame));
}

void
FabricRdmaPort::JoinGroup(const RdmaAddress&)
{
    // The fabric floods multicast, and the NIC looks at the group itself.
}

void
FabricRdmaPort::Kick()
{
    m_port->Kick();
}

void
FabricRdmaPort::PrefetchReceive(const FabricNetDevice&, const FabricFrame& frame) const
{
    GetNic().PrefetchReceive(frame);
}

void
FabricRdmaPort::PrefetchPull(const FabricNetDevice&) const
{
    RdmaPort::PrefetchPull();
}

void
FabricRdmaPort::ReceiveFrame(FabricNetDevice& device, FramePtr frame)
{
    if (frame->kind == FrameKind::ROCE)
    {
        GetNic().ReceiveFrame(std::move(frame));
        if (GetNic().WaitingPairStopsTimer())
        {
            Kick();
        }
    }
    else
    {
        device.DeliverToStack(*frame);
    }
}

uint8_t
FabricRdmaPort::ReadyClasses(FabricNetDevice&, int64_t now)
{
    return RdmaPort::ReadyClasses(now);
}

FramePtr
FabricRdmaPort::PullFrame(FabricNetDevice&, uint32_t trafficClass, int64_t now)
{
    return RdmaPort::PullFrame(trafficClass, now);
}

int64_t
FabricRdmaPort::NextReadyTime(FabricNetDevice&, int64_t now, uint8_t closed)
{
    int64_t ready = RdmaPort::NextReadyTime(now, closed);
    if (ready <= now || !GetNic().WaitingPairStopsTimer())
    {
        return ready;
    }
    // A timer that is set goes on; none is set while a pair waits.
    bool isSet = m_wakeUp > now;
    bool mayBeSet = isSet || (ready != NEVER && !HasWaitingPair(now));
    m_wakeUp = isSet ? std::min(m_wakeUp, ready) : mayBeSet ? ready : 0;
    return mayBeSet ? m_wakeUp : NEVER;
}

bool
FabricRdmaPort::HasWaitingPair(int64_t now) const
{
    const auto& pairs = GetNic().GetQueuePairs();
    return std::any_of(pairs.begin(), pairs.end(), [&](const Ptr<QueuePair>& qp) {
        return &qp->GetPort() == this && !qp->HasFrame() &&
               qp->GetRequester().GetOutstanding() > 0 && qp->GetPacer().GetNextSendTime() <= now;
    });
}

} // namespace ns3
