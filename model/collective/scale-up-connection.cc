// SPDX-License-Identifier: GPL-2.0-only
#include "scale-up-connection.h"

#include <sstream>

namespace ns3
{

ScaleUpConnection::ScaleUpConnection(const Ends& ends,
                                     const GpuEndpoint& from,
                                     const GpuEndpoint& to,
                                     FailureCallback failure)
    : CollectiveConnection(ends,
                           to.GetNode()->GetId(),
                           to.GetScaleUpStepOverhead().GetTimeStep(),
                           std::move(failure)),
      m_port(from.GetScaleUpPort())
{
    m_flow = ScaleUpPort::Connect(m_port,
                                  to.GetScaleUpPort(),
                                  MakeCallback(&ScaleUpConnection::MessageDeparted, this),
                                  MakeCallback(&ScaleUpConnection::MessageArrived, this));
}

void
ScaleUpConnection::Transmit(uint64_t bytes, uint32_t)
{
    m_port->Send(m_flow, bytes); // the port itself refuses messages out of order
}

void
ScaleUpConnection::MessageDeparted()
{
    Departed();
}

void
ScaleUpConnection::MessageArrived(uint64_t bytes)
{
    Arrived(bytes);
}

std::string
ScaleUpConnection::Describe() const
{
    std::ostringstream os;
    os << "scale-up flow " << m_flow << " of " << m_port->GetDevice()->GetIpv4Address();
    return os.str();
}

} // namespace ns3
