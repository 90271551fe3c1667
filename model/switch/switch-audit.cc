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

void
SwitchAudit::ReceiveFrame(FabricNetDevice& device, FramePtr frame)
{
    uint32_t port = m_switch.GetPortNumber(&device);
    Books& books = m_books[port];
    bool mayMultiply = m_switch.MakesFrames() || m_switch.Lookup(*frame).count == 0;
    // It is to wait, or a port is free and calls FrameDeparts() meanwhile, or it is dropped on the
    // way in or out.
    auto accountedFor = [&] { return Buffered(port) + books.forwarded + books.dropped; };
    auto droppedOnTheWayIn = [&] { return device.GetCounters().droppedFrames - books.flushed; };
    uint64_t before = accountedFor();
    uint64_t drops = droppedOnTheWayIn();
    ++books.received;
    ++m_receiving;

    m_switch.ReceiveFrame(device, std::move(frame));

    --m_receiving;
    books.dropped += droppedOnTheWayIn() - drops;
    auto became = static_cast<int64_t>(accountedFor() - before);
    books.made += became - 1;
    NS_ABORT_MSG_IF(became != 1 && !mayMultiply,
                    "SwitchAudit: a frame that came in at port "
                        << port << " of node " << device.GetNodeId() << " became " << became);
    Verify(port, port);
}

void
SwitchAudit::FrameDeparts(FabricNetDevice& device, FabricFrame& frame)
{
    uint32_t egress = m_switch.GetPortNumber(&device);
    uint32_t ingress = frame.ingressPort;
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
    uint32_t ingress = frame.ingressPort;
    uint64_t buffered = Buffered(ingress);
    uint32_t egress = m_switch.GetPortNumber(&device);
    ++m_books[ingress].dropped;
    ++m_books[egress].flushed;
    m_switch.FrameFlushed(device, frame, reason);
    m_books[ingress].made += static_cast<int64_t>(Buffered(ingress) + 1 - buffered);
    Verify(ingress, egress);
}

void
SwitchAudit::LinkChanged(FabricNetDevice& device, bool up)
{
    m_switch.LinkChanged(device, up);
}

std::string
SwitchAudit::CheckBooks(uint32_t port) const
{
    const Books& books = m_books[port];
    uint64_t buffered = Buffered(port);
    // In the name of a port a part may also make frames outside of these calls (a timer of its
    // own).
    if (m_switch.MakesFrames() || books.received + static_cast<uint64_t>(books.made) ==
                                      books.forwarded + books.dropped + buffered)
    {
        return "";
    }
    std::ostringstream why;
    why << "port " << port << " received " << books.received << " frames and " << books.made
        << " were made, but " << books.forwarded << " were forwarded, " << books.dropped
        << " dropped, " << buffered << " are buffered";
    return why.str();
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
    // In the middle of a call only the memory is up to date.
    return why.empty() && m_receiving == 0 ? CheckBooks(ingress) : why;
}

void
SwitchAudit::Verify(uint32_t ingress, uint32_t egress)
{
    bool full = ++m_checks % FULL_CHECK_PERIOD == 0 && m_receiving == 0;
    std::string why = full ? Check() : CheckFrame(ingress, egress);
    NS_ABORT_MSG_UNLESS(why.empty(), "SwitchAudit: switch " << m_switch.GetNodeId() << ": " << why);
}

} // namespace ns3
