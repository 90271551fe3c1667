// SPDX-License-Identifier: GPL-2.0-only
#include "scale-up-connection.h"

#include <sstream>

namespace ns3
{

namespace
{

std::vector<uint32_t>
NodesOf(const std::vector<Ptr<GpuEndpoint>>& gpus)
{
    std::vector<uint32_t> nodes;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        nodes.push_back(gpu->GetNode()->GetId());
    }
    return nodes;
}

std::vector<Ptr<ScaleUpPort>>
PortsOf(const std::vector<Ptr<GpuEndpoint>>& gpus)
{
    std::vector<Ptr<ScaleUpPort>> ports;
    for (const Ptr<GpuEndpoint>& gpu : gpus)
    {
        ports.push_back(gpu->GetScaleUpPort());
    }
    return ports;
}

} // namespace

ScaleUpConnection::ScaleUpConnection(const Ends& ends,
                                     const std::vector<Ptr<GpuEndpoint>>& from,
                                     const std::vector<Ptr<GpuEndpoint>>& to,
                                     Ptr<const CollectiveCosts> costs,
                                     FailureCallback failure)
    : CollectiveConnection(ends, NodesOf(to), costs, false, std::move(failure))
{
    std::vector<Ptr<ScaleUpPort>> senders = PortsOf(from);
    std::vector<Ptr<ScaleUpPort>> receivers = PortsOf(to);
    std::vector<ScaleUpPort::DepartedCallback> departed;
    std::vector<ScaleUpPort::ArrivedCallback> arrived;
    for (uint32_t s = 0; s < senders.size(); ++s)
    {
        departed.push_back(MakeCallback(&ScaleUpConnection::MessageDeparted, this).Bind(s));
    }
    for (uint32_t r = 0; r < receivers.size(); ++r)
    {
        arrived.push_back(MakeCallback(&ScaleUpConnection::MessageArrived, this).Bind(r));
    }
    std::vector<uint32_t> numbers;
    switch (ends.way)
    {
    case MessageWay::REDUCTION:
        numbers = ScaleUpPort::ConnectReduction(senders, receivers[0], departed, arrived[0]);
        break;
    case MessageWay::MULTICAST:
        numbers = {ScaleUpPort::ConnectMulticast(senders[0], receivers, departed[0], arrived)};
        break;
    default:
        numbers = {ScaleUpPort::Connect(senders[0], receivers[0], departed[0], arrived[0])};
        break;
    }
    for (size_t s = 0; s < senders.size(); ++s)
    {
        m_flows.push_back({senders[s], numbers[s]});
    }
}

void
ScaleUpConnection::Transmit(uint32_t sender, uint64_t bytes, int64_t pace, const MessageBatch&)
{
    m_flows[sender].port->Send(m_flows[sender].number, bytes, pace);
}

void
ScaleUpConnection::MessageDeparted(uint32_t sender)
{
    Departed(sender);
}

void
ScaleUpConnection::MessageArrived(uint32_t receiver, uint64_t bytes)
{
    Arrived(receiver, bytes);
}

std::string
ScaleUpConnection::Describe() const
{
    std::ostringstream os;
    const Flow& first = m_flows.front();
    os << "scale-up flow " << first.number << " of " << first.port->GetDevice()->GetIpv4Address();
    if (m_flows.size() > 1)
    {
        os << " and " << m_flows.size() - 1 << " more";
    }
    return os.str();
}

} // namespace ns3
