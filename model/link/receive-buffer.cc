// SPDX-License-Identifier: GPL-2.0-only
#include "receive-buffer.h"

#include "fabric-channel.h"
#include "fabric-net-device.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * Bytes that may still come after the decision to stop the sender: the frame that passed the
 * threshold, what comes while the pause frame waits behind a largest frame and travels there, the
 * peer's response and the largest frame that it has just started, and the way back.
 */
uint64_t
HeadroomBytes(const FabricNetDevice& port, const FabricNetDevice& peer)
{
    constexpr uint64_t TAGGED =
        wire::ETHERNET_HEADER_BYTES + wire::VLAN_TAG_BYTES + wire::FCS_BYTES;
    uint64_t largest = std::max(port.GetMtu(), peer.GetMtu()) + TAGGED + port.GetFrameOverhead();
    uint64_t pauseFrame = wire::MIN_FRAME_BYTES + port.GetFrameOverhead();
    Time cable = DynamicCast<FabricChannel>(port.GetChannel())->GetDelay();
    int64_t steps = 2 * cable.GetTimeStep() + port.GetIngressLatencySteps() +
                    peer.GetIngressLatencySteps() + peer.GetPauseResponseTime().GetTimeStep();
    auto inFlight = static_cast<uint64_t>(steps / static_cast<double>(peer.SerializationSteps(1)));
    return inFlight + 1 + pauseFrame + 3 * largest;
}

} // namespace

ReceiveBuffer::ReceiveBuffer(FabricNetDevice& port, const Config& config)
    : m_port(port),
      m_config(config),
      m_drain(this)
{
    if (m_config.xoffBytes == 0)
    {
        uint64_t headroom = HeadroomBytes(port, *port.GetPeer());
        NS_ABORT_MSG_IF(headroom >= m_config.sizeBytes,
                        "FabricNetDevice: ReceiveBufferBytes is "
                            << m_config.sizeBytes << ", but after a pause " << headroom
                            << " B may still come: raise it, or set ReceiveXoffBytes yourself");
        m_config.xoffBytes = m_config.sizeBytes - headroom;
    }
    if (m_config.xonBytes == 0)
    {
        m_config.xonBytes = m_config.xoffBytes / 2;
    }
    NS_ABORT_MSG_IF(m_config.xonBytes > m_config.xoffBytes,
                    "FabricNetDevice: ReceiveXonBytes " << m_config.xonBytes << " is above "
                                                        << "ReceiveXoffBytes "
                                                        << m_config.xoffBytes);
    m_pfc.Configure(port, m_config.pauseQuanta);
}

void
ReceiveBuffer::SetRate(DataRate rate)
{
    m_bitRate = rate.GetBitRate();
    if (m_bitRate > 0)
    {
        return;
    }
    while (!m_frames.IsEmpty())
    {
        PassOn();
    }
}

void
ReceiveBuffer::Arrive(FramePtr frame)
{
    if (m_bitRate == 0)
    {
        m_port.PassOn(std::move(frame));
        return;
    }
    if (m_bytes + frame->sizeBytes > m_config.sizeBytes)
    {
        m_port.NotifyDrop(*frame, DropReason::RECEIVE_FULL);
        return;
    }
    m_bytes += frame->sizeBytes;
    m_bytesOf[frame->trafficClass] += frame->sizeBytes;
    bool first = m_frames.IsEmpty();
    m_frames.Push(std::move(frame));
    StopOrOpen();
    if (first)
    {
        TakeUpFirst();
    }
}

void
ReceiveBuffer::TakeUpFirst()
{
    double bits = 8.0 * m_frames.Front().sizeBytes;
    double steps =
        bits * static_cast<double>(Seconds(1).GetTimeStep()) / static_cast<double>(m_bitRate);
    int64_t now = NowSteps();
    m_firstDoneAt = now + static_cast<int64_t>(steps + 0.5);
    m_drain.At(m_port.GetNodeId(), m_firstDoneAt, now);
}

void
ReceiveBuffer::Drain()
{
    if (m_frames.IsEmpty())
    {
        return; // drained at once meanwhile
    }
    int64_t now = NowSteps();
    if (now < m_firstDoneAt)
    {
        m_drain.At(m_port.GetNodeId(), m_firstDoneAt, now);
        return;
    }
    PassOn();
    if (!m_frames.IsEmpty())
    {
        TakeUpFirst();
    }
}

void
ReceiveBuffer::PassOn()
{
    FramePtr frame = m_frames.Pop();
    uint32_t trafficClass = frame->trafficClass;
    m_bytes -= frame->sizeBytes;
    m_bytesOf[trafficClass] -= frame->sizeBytes;
    StopOrOpen();
    m_port.PassOn(std::move(frame));
    m_port.MemoryFreed(trafficClass);
}

void
ReceiveBuffer::StopOrOpen()
{
    bool stopped = m_pfc.GetPausing();
    if (!stopped && m_bytes > m_config.xoffBytes)
    {
        m_pfc.PauseClasses(m_config.classes);
    }
    else if (stopped && m_bytes <= m_config.xonBytes)
    {
        m_pfc.ResumeClasses(m_config.classes);
    }
}

void
ReceiveBuffer::LinkChanged(bool up)
{
    m_pfc.Reset();
    if (up)
    {
        StopOrOpen();
    }
}

} // namespace ns3
