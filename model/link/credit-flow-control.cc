// SPDX-License-Identifier: GPL-2.0-only
#include "credit-flow-control.h"

#include "fabric-net-device.h"

#include "ns3/abort.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

CreditFlowControl::CreditFlowControl(FabricNetDevice& port, const Config& config)
    : m_port(port),
      m_config(config),
      m_bufferBlocks(config.bufferBytes / config.blockBytes),
      m_maxFrameBlocks(BlocksOf(config.maxFrameBytes)),
      m_mask(static_cast<uint16_t>((1U << config.counterBits) - 1)),
      m_refresh(this)
{
    std::string why = Check(config);
    NS_ABORT_MSG_UNLESS(why.empty(), "FabricNetDevice: " << why);
    uint64_t most = m_bufferBlocks - m_maxFrameBlocks; // or the sender could wait for ever
    uint64_t wanted = config.updateBytes ? BlocksOf(config.updateBytes) : m_bufferBlocks / 4;
    m_updateBlocks = std::max<uint64_t>(1, std::min(wanted, most));
}

std::string
CreditFlowControl::Check(const Config& config)
{
    std::ostringstream why;
    uint64_t blocks = config.bufferBytes / config.blockBytes;
    uint64_t frame = (config.maxFrameBytes + config.blockBytes - 1) / config.blockBytes;
    uint64_t most = uint64_t{1} << (config.counterBits - 1);
    if (blocks < frame)
    {
        why << "CreditBufferBytes is " << config.bufferBytes
            << ", which does not hold a frame of CreditMaxFrameBytes = " << config.maxFrameBytes
            << " B in blocks of " << config.blockBytes << " B";
    }
    else if (blocks > most)
    {
        why << "CreditBufferBytes is " << config.bufferBytes << ", that is " << blocks
            << " blocks; counters of " << config.counterBits << " bits allow at most " << most;
    }
    return why.str();
}

bool
CreditFlowControl::CountsFrames() const
{
    return true;
}

void
CreditFlowControl::Start()
{
    Ptr<FabricNetDevice> peer = m_port.GetPeer();
    const auto* other = dynamic_cast<const CreditFlowControl*>(peer->GetFlowControl());
    NS_ABORT_MSG_UNLESS(other && other->m_config.classes == m_config.classes &&
                            other->m_config.blockBytes == m_config.blockBytes &&
                            other->m_config.counterBits == m_config.counterBits,
                        "FabricNetDevice: both ends of a cable must have the same FlowControl, "
                        "CreditClasses, CreditBlockBytes and CreditCounterBits");
    // The link has been initialised before the simulation begins.
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        m_tx[c].limit = other->m_bufferBlocks;
        m_rx[c].announced = m_bufferBlocks;
    }
}

// ---------------------------------------------------------------- the sending side

void
CreditFlowControl::FrameSent(const FabricFrame& frame, int64_t slotEnd)
{
    uint32_t c = frame.trafficClass;
    if (!(m_config.classes & (1U << c)))
    {
        return;
    }
    NS_ABORT_MSG_IF(frame.sizeBytes > m_config.maxFrameBytes,
                    "FabricNetDevice: a frame of " << frame.sizeBytes
                                                   << " B on a link whose CreditMaxFrameBytes is "
                                                   << m_config.maxFrameBytes);
    m_tx[c].sent += BlocksOf(frame.sizeBytes);
    HoldOrOpen(c, slotEnd);
    KeepRefreshing();
}

void
CreditFlowControl::HoldOrOpen(uint32_t c, int64_t since)
{
    bool held = GetCreditBlocks(c) < m_maxFrameBlocks;
    if (held == m_tx[c].held)
    {
        return;
    }
    m_tx[c].held = held;
    held ? m_port.HoldClass(c, since, NEVER) : m_port.OpenClass(c, since);
}

void
CreditFlowControl::Obey(const FabricFrame& frame)
{
    if (frame.kind != FrameKind::LINK_CREDIT)
    {
        return; // pauses, from a far end that is set up otherwise
    }
    int64_t now = NowSteps();
    uint16_t half = m_mask / 2 + 1;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (!(frame.pauseClasses & m_config.classes & (1U << c)))
        {
            continue;
        }
        uint16_t lost = (frame.sentBlocks[c] - m_rx[c].arrived) & m_mask;
        m_rx[c].arrived += lost < half ? lost : 0;
        uint16_t more = (frame.creditLimits[c] - m_tx[c].limit) & m_mask;
        m_tx[c].limit += more <= half ? more : 0; // an old one says less
        HoldOrOpen(c, now);
        if (lost > 0)
        {
            MemoryChanged(c);
        }
    }
    m_port.NotifyCreditReceived();
    m_port.Kick();
}

// ---------------------------------------------------------------- the receiving side

uint64_t
CreditFlowControl::Limit(uint32_t c) const
{
    uint64_t held = BlocksOf(m_port.GetHeldBytes(c));
    NS_ABORT_MSG_IF(held > m_bufferBlocks,
                    "FabricNetDevice: " << m_port.GetHeldBytes(c) << " B of class " << c
                                        << " are held in a buffer of " << m_config.bufferBytes
                                        << " B: credits do not add up");
    return m_rx[c].arrived + m_bufferBlocks - held;
}

void
CreditFlowControl::FrameArrived(uint32_t c, uint32_t bytes)
{
    m_rx[c].arrived += BlocksOf(bytes);
    KeepRefreshing();
}

void
CreditFlowControl::MemoryChanged(uint32_t c)
{
    if (!(m_config.classes & (1U << c)))
    {
        return;
    }
    if (Limit(c) >= m_rx[c].announced + m_updateBlocks)
    {
        m_port.SendLinkFrame();
    }
}

void
CreditFlowControl::Fill(FabricFrame& frame)
{
    frame.sizeBytes = m_config.frameBytes;
    frame.pauseClasses = m_config.classes;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (m_config.classes & (1U << c))
        {
            m_rx[c].announced = std::max(m_rx[c].announced, Limit(c));
            frame.creditLimits[c] = static_cast<uint16_t>(m_rx[c].announced) & m_mask;
            frame.sentBlocks[c] = static_cast<uint16_t>(m_tx[c].sent) & m_mask;
        }
    }
}

void
CreditFlowControl::KeepRefreshing()
{
    m_moved = true;
    if (m_config.refresh.IsZero() || m_refresh.When() != NEVER)
    {
        return;
    }
    int64_t now = NowSteps();
    m_refresh.At(m_port.GetNodeId(), now + m_config.refresh.GetTimeStep(), now);
}

void
CreditFlowControl::Refresh()
{
    m_port.SendLinkFrame();
    if (m_moved)
    {
        KeepRefreshing(); // at least once after the last frame
        m_moved = false;
    }
}

void
CreditFlowControl::LinkChanged(bool up)
{
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        m_tx[c] = Sender();
        m_rx[c] = Receiver();
        if (up && (m_config.classes & (1U << c)))
        {
            HoldOrOpen(c, NowSteps()); // until the far end says what it has room for
        }
    }
    if (up)
    {
        m_port.SendLinkFrame();
    }
}

} // namespace ns3
