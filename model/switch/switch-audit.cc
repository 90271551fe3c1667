// SPDX-License-Identifier: GPL-2.0-only
#include "switch-audit.h"

#include "fabric-switch.h"

#include "ns3/abort.h"

#include <sstream>

namespace ns3
{

SwitchAudit::SwitchAudit(FabricSwitch& fabricSwitch)
    : m_switch(fabricSwitch),
      m_books(fabricSwitch.GetNPorts())
{
    for (uint32_t p = 0; p < m_switch.GetNPorts(); ++p)
    {
        m_switch.GetDevice(p).SetOwner(this);
    }
}

uint64_t
SwitchAudit::Buffered(uint32_t port) const
{
    return m_switch.GetBuffer()->GetIngressFrames(port);
}

uint64_t
SwitchAudit::AccountedFor(uint32_t port) const
{
    return Buffered(port) + m_books[port].forwarded + m_books[port].dropped;
}

void
SwitchAudit::Reconcile(uint32_t port)
{
    // Frames that a part has given to the switch since, which is then all that there are more.
    Books& books = m_books[port];
    auto more = static_cast<int64_t>(AccountedFor(port) - books.received - books.made);
    if (m_receiving == 0 && more > 0)
    {
        books.made += more;
    }
}

void
SwitchAudit::ReceiveFrame(FabricNetDevice& device, FramePtr frame)
{
    uint32_t port = m_switch.GetPortNumber(&device);
    Books& books = m_books[port];
    bool mayMultiply = m_switch.MakesFrames() || m_switch.Lookup(*frame).count == 0;
    // It is to wait, or a port is free and calls FrameDeparts() meanwhile, or it is dropped on the
    // way in or out.
    auto droppedOnTheWayIn = [&] { return device.GetCounters().droppedFrames - books.flushed; };
    Reconcile(port);
    uint64_t before = AccountedFor(port);
    uint64_t drops = droppedOnTheWayIn();
    ++books.received;
    ++m_receiving;

    m_switch.ReceiveFrame(device, std::move(frame));

    --m_receiving;
    books.dropped += droppedOnTheWayIn() - drops;
    auto became = static_cast<int64_t>(AccountedFor(port) - before);
    books.made += became - 1;
    NS_ABORT_MSG_IF(became != 1 && !mayMultiply,
                    "SwitchAudit: a frame that came in at port "
                        << port << " of node " << device.GetNodeId() << " became " << became);
    Verify(port, port);
}

void
SwitchAudit::FrameDeparts(FabricNetDevice& device, FabricFrame& frame)
{
    if (frame.ingressPort & InNetworkReducer::IN_REDUCER)
    {
        m_switch.FrameDeparts(device, frame); // the reducer keeps its own books
        return;
    }
    uint32_t egress = m_switch.GetPortNumber(&device);
    uint32_t ingress = frame.ingressPort;
    Reconcile(ingress);
    uint64_t buffered = Buffered(ingress);
    ++m_books[ingress].forwarded;

    m_switch.FrameDeparts(device, frame);

    m_books[ingress].made += static_cast<int64_t>(Buffered(ingress) + 1 - buffered);
    NS_ABORT_MSG_IF(Buffered(ingress) + 1 != buffered && !m_switch.MakesFrames(),
                    "SwitchAudit: a frame left port "
                        << egress << " of node " << device.GetNodeId() << ", and of port "
                        << ingress << " " << Buffered(ingress) << " frames of " << buffered
                        << " are left in the memory");
    Verify(ingress, egress);
}

void
SwitchAudit::FrameFlushed(FabricNetDevice& device, FabricFrame& frame, DropReason reason)
{
    if (frame.ingressPort & InNetworkReducer::IN_REDUCER)
    {
        m_switch.FrameFlushed(device, frame, reason);
        return;
    }
    uint32_t ingress = frame.ingressPort;
    Reconcile(ingress);
    uint64_t buffered = Buffered(ingress);
    uint32_t egress = m_switch.GetPortNumber(&device);
    ++m_books[ingress].dropped;
    ++m_books[egress].flushed;
    m_switch.FrameFlushed(device, frame, reason);
    m_books[ingress].made += static_cast<int64_t>(Buffered(ingress) + 1 - buffered);
    ++m_receiving; // the queue that is being emptied may be ahead of the memory
    Verify(ingress, egress);
    --m_receiving;
}

void
SwitchAudit::LinkChanged(FabricNetDevice& device, bool up)
{
    m_switch.LinkChanged(device, up);
}

uint64_t
SwitchAudit::HeldBytes(FabricNetDevice& device, uint32_t trafficClass)
{
    return m_switch.HeldBytes(device, trafficClass);
}

std::string
SwitchAudit::CheckBooks(uint32_t port) const
{
    const Books& books = m_books[port];
    // More may have been made since: that shows at the next frame, or in CheckQueue().
    if (m_switch.MakesFrames() ||
        static_cast<int64_t>(AccountedFor(port) - books.received - books.made) >= 0)
    {
        return "";
    }
    std::ostringstream why;
    why << "port " << port << " received " << books.received << " frames and " << books.made
        << " were made, but " << books.forwarded << " were forwarded, " << books.dropped
        << " dropped, " << Buffered(port) << " are buffered";
    return why.str();
}

std::string
SwitchAudit::CheckQueue(uint32_t port) const
{
    const SharedBuffer& buffer = *m_switch.GetBuffer();
    const FabricNetDevice& device = m_switch.GetDevice(port);
    if (m_switch.MakesFrames() || buffer.GetCellBytes() > 1)
    {
        return ""; // a part may hold booked frames back; a queue counts bytes, not cells
    }
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (buffer.GetEgressBytes(port, c) > device.GetQueuedBytes(c))
        {
            std::ostringstream why;
            why << "of " << buffer.GetEgressBytes(port, c) << " B booked to leave by port " << port
                << " in class " << c << " only " << device.GetQueuedBytes(c) << " B are queued";
            return why.str();
        }
    }
    return "";
}

std::string
SwitchAudit::Check() const
{
    for (uint32_t p = 0; p < m_books.size(); ++p)
    {
        if (std::string why = CheckBooks(p); !why.empty())
        {
            return why;
        }
    }
    return m_switch.GetBuffer()->CheckInvariants();
}

std::string
SwitchAudit::CheckFrame(uint32_t ingress, uint32_t egress)
{
    std::string why = m_switch.GetBuffer()->CheckPort(ingress);
    why = why.empty() ? m_switch.GetBuffer()->CheckPort(egress) : why;
    if (!why.empty() || m_receiving > 0)
    {
        return why; // in the middle of a call only the memory is up to date
    }
    why = CheckBooks(ingress);
    return why.empty() ? CheckQueue(egress) : why;
}

void
SwitchAudit::Verify(uint32_t ingress, uint32_t egress)
{
    bool full = ++m_checks % FULL_CHECK_PERIOD == 0 && m_receiving == 0;
    std::string why = full ? Check() : CheckFrame(ingress, egress);
    NS_ABORT_MSG_UNLESS(why.empty(), "SwitchAudit: switch " << m_switch.GetNodeId() << ": " << why);
}

} // namespace ns3
