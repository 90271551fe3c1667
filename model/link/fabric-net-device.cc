// SPDX-License-Identifier: GPL-2.0-only
// The way of a frame through a port: queues, transmission, reception, flow control, link state.
// Attributes are in fabric-net-device-settings.cc, ns-3's packets in fabric-net-device-packets.cc.
#include "fabric-net-device.h"

#include "fabric-channel.h"
#include "pfc-flow-control.h"

#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Frames that so many bytes waited behind have left the processor's cache.
constexpr uint64_t DEEP_QUEUE_BYTES = 256 * 1024;

} // namespace

FabricNetDevice::FabricNetDevice()
    : m_wakeUp(this),
      m_flowControl(std::make_unique<PfcFlowControl>(*this))
{
}

FabricNetDevice::~FabricNetDevice() = default;

void
FabricNetDevice::DoDispose()
{
    SetOwner(nullptr);
    m_cable = nullptr;
    m_channel = nullptr;
    m_node = nullptr;
    m_linkFrame = nullptr;
    m_taken = nullptr;
    for (Class& each : m_classes)
    {
        each.queue.Clear();
    }
    m_queued = 0;
    m_receiveCallback = ReceiveCallback();
    m_promiscCallback = PromiscReceiveCallback();
    m_txQueue = nullptr;
    m_receiveBuffer = nullptr;
    NetDevice::DoDispose();
}

void
FabricNetDevice::NotifyNewAggregate()
{
    if (Ptr<NetDeviceQueueInterface> queues = GetObject<NetDeviceQueueInterface>())
    {
        m_txQueue = queues->GetTxQueue(0);
    }
    NetDevice::NotifyNewAggregate();
}

// ---------------------------------------------------------------- sending

void
FabricNetDevice::Enqueue(FramePtr frame)
{
    int64_t now = NowSteps();
    uint32_t trafficClass = frame->trafficClass;
    if (now >= m_busyUntil && m_queued == 0 && !m_linkFrame && m_wakeUp.When() > now &&
        (m_direct & ~GetPausedClasses(now) & (1U << trafficClass)))
    {
        Prepare(*frame);
        StartTransmission(std::move(frame), now); // nothing to wait for, nothing to schedule
        return;
    }
    if (m_refused & (1U << trafficClass))
    {
        Refuse(*frame, WhyRefused());
        return;
    }
    Prepare(*frame);
    frame->enqueueTime = now;
    frame->pauseClock = PausedSteps(trafficClass, now);
    CountQueue(now);
    m_classes[trafficClass].bytes += frame->sizeBytes;
    m_totalQueuedBytes += frame->sizeBytes;
    m_counters.peakQueueBytes = std::max(m_counters.peakQueueBytes, m_totalQueuedBytes);
    m_queued |= 1U << trafficClass;
    m_classes[trafficClass].queue.Push(std::move(frame));
    if (m_wakeUp.When() > m_busyUntil)
    {
        ArmWakeUp(now);
    }
}

void
FabricNetDevice::Kick()
{
    int64_t now = NowSteps();
    if (now >= m_busyUntil)
    {
        TransmitNext();
    }
    else if (m_wakeUp.When() > m_busyUntil)
    {
        ArmWakeUp(now);
    }
}

void
FabricNetDevice::SendPause(uint8_t classes, uint16_t quanta)
{
    classes &= m_pfcSendClasses;
    if (quanta == 0)
    {
        m_pauseLost &= ~classes;
    }
    if (!classes || m_down || (m_globalPause && !JoinPause(classes, quanta)))
    {
        return;
    }
    if (!m_linkFrame)
    {
        MakePauseFrame(m_globalPause ? FrameKind::PAUSE : FrameKind::PFC);
    }
    m_linkFrame->pauseClasses |= classes;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if ((classes & (1U << c)) || m_globalPause)
        {
            m_linkFrame->pauseQuanta[c] = quanta;
        }
    }
    Kick();
}

bool
FabricNetDevice::JoinPause(uint8_t classes, uint16_t quanta)
{
    // The link goes on only when no class needs it stopped any more.
    m_asked = quanta ? m_asked | classes : m_asked & ~classes;
    return quanta > 0 || m_asked == 0;
}

void
FabricNetDevice::MakePauseFrame(FrameKind kind)
{
    static const Mac48Address macControl("01:80:c2:00:00:01");
    m_linkFrame = FabricFrame::Create();
    m_linkFrame->kind = kind;
    m_linkFrame->etherType = wire::ETHERTYPE_MAC_CONTROL;
    m_linkFrame->srcMac = m_address;
    m_linkFrame->dstMac = macControl;
    m_linkFrame->ComputeSize();
}

void
FabricNetDevice::SendLinkFrame()
{
    if (m_linkFrame || m_down)
    {
        return; // one that waits is filled in when it leaves
    }
    m_linkFrame = FabricFrame::Create();
    m_linkFrame->kind = FrameKind::LINK_CREDIT;
    m_linkFrame->etherType = wire::ETHERTYPE_EXPERIMENTAL_2;
    m_linkFrame->srcMac = m_address;
    Kick();
}

int64_t
FabricNetDevice::GetPauseRefreshSteps(uint16_t quanta) const
{
    int64_t pause = SerializationSteps(quanta * uint64_t{wire::PAUSE_QUANTUM_BITS} / 8);
    auto steps = static_cast<int64_t>(m_pauseRefresh * static_cast<double>(pause));
    return steps > 0 ? steps : NEVER;
}

FramePtr
FabricNetDevice::TakeLinkFrame()
{
    FramePtr frame;
    frame.swap(m_linkFrame);
    if (frame->kind == FrameKind::LINK_CREDIT)
    {
        m_flowControl->Fill(*frame);
        ++m_counters.creditsSent;
    }
    else
    {
        const auto& quanta = frame->pauseQuanta;
        bool stops = std::any_of(quanta.begin(), quanta.end(), [](uint16_t q) { return q > 0; });
        ++(stops ? m_counters.pausesSent : m_counters.resumesSent);
    }
    if (m_packetsWatched)
    {
        Trace(*frame, {&m_macTxTrace});
    }
    return frame;
}

void
FabricNetDevice::TransmitNext()
{
    int64_t now = NowSteps();
    if (now >= m_busyUntil)
    {
        if (HasTaken())
        {
            StartTransmission(std::move(m_taken), now);
        }
        else if (FramePtr frame = NextFrame(now))
        {
            StartTransmission(std::move(frame), now);
            TakeAhead(now);
        }
    }
    ArmWakeUp(now);
}

void
FabricNetDevice::TakeAhead(int64_t now)
{
    const int64_t start = m_busyUntil;
    if (start - now > m_aheadSteps || m_buffers || !m_cable ||
        start >= m_cable->GetQuietUntil(m_end, now))
    {
        return;
    }
    FramePtr frame = NextFrame(start);
    if (frame && IsWatched())
    {
        m_taken = std::move(frame); // its traces have the time at which it leaves
    }
    else if (frame)
    {
        StartTransmission(std::move(frame), start);
    }
}

void
FabricNetDevice::Prefetch(FabricEvent::Stage stage) const
{
    if (stage == FabricEvent::FAR)
    {
        __builtin_prefetch(&m_cable);
        __builtin_prefetch(&m_counters, 1);
        __builtin_prefetch(&m_scheduler, 1);
        if (m_queued)
        {
            __builtin_prefetch(&m_classes[__builtin_ctz(m_queued)], 1);
        }
        return;
    }
    if (m_cable)
    {
        m_cable->PrefetchSend(m_end);
    }
    if (m_queued)
    {
        m_classes[__builtin_ctz(m_queued)].queue.PrefetchFront();
    }
    else if (m_pulls)
    {
        m_owner->PrefetchPull(*this);
    }
}

FramePtr
FabricNetDevice::NextFrame(int64_t now)
{
    if (m_linkFrame)
    {
        return TakeLinkFrame();
    }
    uint8_t open = ~GetPausedClasses(now);
    if (m_shaper)
    {
        open &= ~m_shaper->GetClosedClasses(now);
    }
    uint8_t pulled = m_pulls ? m_owner->ReadyClasses(*this, now) : 0;
    while (uint8_t ready = (m_queued | pulled) & open)
    {
        uint32_t trafficClass = m_scheduler.Pick(ready);
        FramePtr frame = (m_queued & (1U << trafficClass)) ? TakeQueued(trafficClass, now)
                                                           : Pull(trafficClass, now);
        if (frame)
        {
            m_scheduler.Charge(trafficClass, frame->sizeBytes);
            return frame;
        }
        pulled = m_owner->ReadyClasses(*this, now); // that class had nothing left after all
    }
    return nullptr;
}

FramePtr
FabricNetDevice::Pull(uint32_t trafficClass, int64_t now)
{
    FramePtr frame = m_owner->PullFrame(*this, trafficClass, now);
    if (frame)
    {
        Prepare(*frame);
    }
    return frame;
}

FramePtr
FabricNetDevice::TakeQueued(uint32_t trafficClass, int64_t now)
{
    CountQueue(now);
    FramePtr frame = m_classes[trafficClass].queue.Pop();
    m_classes[trafficClass].bytes -= frame->sizeBytes;
    m_totalQueuedBytes -= frame->sizeBytes;
    if (m_classes[trafficClass].queue.IsEmpty())
    {
        m_queued &= ~(1U << trafficClass);
    }
    m_classes[trafficClass].queue.PrefetchFront();
    if (m_totalQueuedBytes > DEEP_QUEUE_BYTES)
    {
        frame->PrefetchWhole();
    }
    int64_t paused = PausedSteps(trafficClass, now) - frame->pauseClock;
    frame->journey.paused += paused;
    frame->journey.queueing += now - frame->enqueueTime - paused;
    return frame;
}

void
FabricNetDevice::StartTransmission(FramePtr frame, int64_t start)
{
    int64_t lastBit = SerializationSteps(m_preambleBytes + uint64_t{frame->sizeBytes});
    int64_t slot = SerializationSteps(uint64_t{frame->sizeBytes} + m_preambleBytes + m_gapBytes);
    m_busyUntil = start + slot;
    m_counters.busySteps += slot;
    ++m_counters.txFrames;
    m_counters.txBytes += frame->sizeBytes;
    m_counters.txPayloadBytes += frame->payloadBytes;
    if (frame->ingressPort == FROM_STACK)
    {
        StackFrameLeaves(*frame); // the owner has not seen it come
    }
    else if (m_owner && !frame->IsOfLink())
    {
        uint32_t bytes = frame->sizeBytes;
        m_owner->FrameDeparts(*this, *frame);
        if (frame->sizeBytes != bytes) // a switch has added telemetry
        {
            // Of the whole frame anew: a part by itself would be rounded by itself.
            int64_t more =
                SerializationSteps(uint64_t{frame->sizeBytes} + m_preambleBytes + m_gapBytes) -
                slot;
            lastBit += more;
            m_busyUntil += more;
            m_counters.busySteps += more;
            m_counters.txBytes += frame->sizeBytes - bytes;
        }
    }
    if (m_charges && !frame->IsOfLink())
    {
        ChargeFrame(*frame, start);
    }
    if (m_framesWatched)
    {
        m_frameTxTrace(*frame);
    }
    if (m_packetsWatched)
    {
        TraceTransmission(*frame, lastBit);
    }
    if (m_cable)
    {
        m_cable->Transmit(m_end, std::move(frame), lastBit, start);
    }
}

void
FabricNetDevice::ChargeFrame(const FabricFrame& frame, int64_t now)
{
    if (m_shaper)
    {
        m_shaper->Charge(frame.trafficClass, uint64_t{frame.sizeBytes} + GetFrameOverhead(), now);
    }
    m_flowControl->FrameSent(frame, m_busyUntil);
}

void
FabricNetDevice::Trace(const FabricFrame& frame, std::initializer_list<PacketTrace*> traces)
{
    Ptr<const Packet> packet; // its bytes are made once, and only if someone wants them
    for (PacketTrace* trace : traces)
    {
        if (!trace->IsEmpty())
        {
            packet = packet ? packet : Ptr<const Packet>(frame.ToPacket());
            (*trace)(packet);
        }
    }
}

void
FabricNetDevice::TraceTransmission(const FabricFrame& frame, int64_t lastBit)
{
    Trace(frame, {&m_phyTxBeginTrace, &m_snifferTrace, &m_promiscSnifferTrace});
    if (!m_phyTxEndTrace.IsEmpty())
    {
        Ptr<const Packet> packet = frame.ToPacket(); // now: the next hop may change the frame
        Simulator::Schedule(TimeStep(lastBit), &FabricNetDevice::TraceTransmitted, this, packet);
    }
}

void
FabricNetDevice::TraceTransmitted(Ptr<const Packet> packet)
{
    m_phyTxEndTrace(packet);
}

void
FabricNetDevice::ArmWakeUp(int64_t now)
{
    uint8_t paused = GetPausedClasses(now);
    uint8_t closed = m_shaper ? paused | m_shaper->GetClosedClasses(now) : paused;
    int64_t when = NEVER;
    if (HasTaken() || m_linkFrame || (m_queued & ~closed))
    {
        when = m_busyUntil;
    }
    else if (m_pulls)
    {
        when = std::max(m_busyUntil, m_owner->NextReadyTime(*this, now, closed));
    }
    if (closed)
    {
        uint8_t waiting = closed & (m_queued | (m_pulls ? m_owner->ReadyClasses(*this, now) : 0));
        when = std::min(when, NextOpening(waiting, paused));
    }
    if (when != NEVER)
    {
        m_wakeUp.At(m_nodeId, std::max(when, now), now);
    }
}

int64_t
FabricNetDevice::NextOpening(uint8_t classes, uint8_t paused) const
{
    // Frames behind a pause may go when its timer runs out, if no resume comes before.
    int64_t first = NEVER;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (classes & (1U << c))
        {
            int64_t when = (paused & (1U << c)) ? m_pausedUntil[c] : 0;
            when = m_shaper ? std::max(when, m_shaper->ReadyAt(c)) : when;
            first = std::min(first, std::max(m_busyUntil, when));
        }
    }
    return first;
}

void
FabricNetDevice::CountQueue(int64_t now)
{
    m_counters.queueByteSteps +=
        static_cast<double>(m_totalQueuedBytes) * static_cast<double>(now - m_queueCountedAt);
    m_queueCountedAt = now;
}

const PortCounters&
FabricNetDevice::GetCounters()
{
    CountQueue(NowSteps());
    return m_counters;
}

PortStatistics
FabricNetDevice::GetStatistics() const
{
    PortStatistics statistics{m_counters,
                              m_totalQueuedBytes,
                              m_queueCountedAt,
                              m_paused,
                              m_pausedUntil,
                              m_pausedSince,
                              {}};
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        statistics.pausedSteps[c] = m_classes[c].pausedSteps;
    }
    return statistics;
}

void
FabricNetDevice::SetStatistics(const PortStatistics& statistics)
{
    m_counters = statistics.counters;
    m_totalQueuedBytes = statistics.queuedBytes;
    m_queueCountedAt = statistics.queueCountedAt;
    m_paused = statistics.paused;
    m_pausedUntil = statistics.pausedUntil;
    m_pausedSince = statistics.pausedSince;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        m_classes[c].pausedSteps = statistics.pausedSteps[c];
    }
}

// ---------------------------------------------------------------- receiving

void
FabricNetDevice::Receive(FramePtr frame)
{
    ++m_counters.rxFrames;
    m_counters.rxBytes += frame->sizeBytes;
    if (m_framesWatched)
    {
        m_frameRxTrace(*frame);
    }
    if (m_packetsWatched)
    {
        Trace(*frame, {&m_phyRxEndTrace, &m_macRxTrace, &m_snifferTrace, &m_promiscSnifferTrace});
    }
    if (frame->IsOfLink())
    {
        m_flowControl->Obey(*frame);
    }
    else if (m_buffers)
    {
        ReceiveBuffered(std::move(frame));
    }
    else
    {
        PassOn(std::move(frame));
    }
}

void
FabricNetDevice::ReceiveBuffered(FramePtr frame)
{
    uint32_t trafficClass = frame->trafficClass;
    m_flowControl->FrameArrived(trafficClass, frame->sizeBytes);
    if (m_receiveBuffer)
    {
        m_receiveBuffer->Arrive(std::move(frame));
    }
    else
    {
        PassOn(std::move(frame));
    }
    m_flowControl->MemoryChanged(trafficClass);
}

uint64_t
FabricNetDevice::GetHeldBytes(uint32_t trafficClass)
{
    uint64_t waiting = m_receiveBuffer ? m_receiveBuffer->GetBytes(trafficClass) : 0;
    return waiting + (m_owner ? m_owner->HeldBytes(*this, trafficClass) : 0);
}

void
FabricNetDevice::PassOn(FramePtr frame)
{
    if (m_owner)
    {
        m_owner->ReceiveFrame(*this, std::move(frame));
    }
    else
    {
        DeliverToStack(*frame);
    }
}

void
FabricNetDevice::NotifyLost(const FabricFrame& frame)
{
    ++m_counters.lostFrames;
    m_frameLostTrace(frame);
    Trace(frame, {&m_phyRxDropTrace});
}

void
FabricNetDevice::NotifyPauseLost(const FabricFrame& frame)
{
    uint8_t stopped = 0;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        stopped |= (frame.pauseQuanta[c] > 0) << c;
    }
    m_pauseLost |= frame.pauseClasses & stopped;
    m_counters.pausesLost += stopped != 0;
}

void
FabricNetDevice::NotifyDrop(const FabricFrame& frame, DropReason reason)
{
    CountDrop(frame, reason);
    Trace(frame, {&m_macRxDropTrace});
}

void
FabricNetDevice::CountDrop(const FabricFrame& frame, DropReason reason)
{
    ++m_counters.droppedFrames;
    ++m_counters.dropsByReason[static_cast<size_t>(reason)];
    m_frameDropTrace(frame);
}

NetDevice::PacketType
FabricNetDevice::TypeOf(const FabricFrame& frame) const
{
    return frame.dstMac == m_address    ? PACKET_HOST
           : frame.dstMac.IsBroadcast() ? PACKET_BROADCAST
           : frame.dstMac.IsGroup()     ? PACKET_MULTICAST
                                        : PACKET_OTHERHOST;
}

// ---------------------------------------------------------------- flow control

void
FabricNetDevice::NotifyPauseReceived(uint8_t stopped)
{
    int64_t now = NowSteps();
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        m_lastPause[c] = (stopped & (1U << c)) ? now : m_lastPause[c];
    }
    m_counters.pausesReceived += stopped != 0;
}

void
FabricNetDevice::HoldClass(uint32_t trafficClass, int64_t since, int64_t until)
{
    m_pausedUntil[trafficClass] = until;
    if (!(m_paused & (1U << trafficClass)))
    {
        m_paused |= 1U << trafficClass;
        m_pausedSince[trafficClass] = since;
        (m_flowControl->CountsFrames() ? m_creditTrace : m_pauseTrace)(trafficClass, true);
    }
}

void
FabricNetDevice::OpenClass(uint32_t trafficClass, int64_t now)
{
    if (!(m_paused & (1U << trafficClass)))
    {
        return;
    }
    m_classes[trafficClass].pausedSteps += std::max<int64_t>(0, now - m_pausedSince[trafficClass]);
    m_paused &= ~(1U << trafficClass);
    (m_flowControl->CountsFrames() ? m_creditTrace : m_pauseTrace)(trafficClass, false);
}

uint8_t
FabricNetDevice::GetPausedClasses(int64_t now)
{
    if (m_paused == 0)
    {
        return 0;
    }
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if ((m_paused & (1U << c)) && m_pausedUntil[c] <= now)
        {
            OpenClass(c, m_pausedUntil[c]);
        }
    }
    return m_paused;
}

int64_t
FabricNetDevice::StuckSince(uint32_t trafficClass, int64_t now)
{
    if (!(GetPausedClasses(now) & m_queued & (1U << trafficClass)))
    {
        return NEVER;
    }
    return std::max(m_pausedSince[trafficClass], m_classes[trafficClass].queue.Front().enqueueTime);
}

// ---------------------------------------------------------------- link state and faults

void
FabricNetDevice::NotifyLink(bool up)
{
    if (up)
    {
        ComeUp(NowSteps());
    }
    else
    {
        GoDown(NowSteps());
    }
    m_flowControl->LinkChanged(up);
    if (m_receiveBuffer)
    {
        m_receiveBuffer->LinkChanged(up);
    }
    if (m_owner)
    {
        m_owner->LinkChanged(*this, up);
    }
    m_linkChange();
    Kick();
}

void
FabricNetDevice::GoDown(int64_t now)
{
    m_down = true;
    if (m_taken)
    {
        StartTransmission(std::move(m_taken), m_busyUntil); // is lost with what is on the cable
    }
    m_busyBeforeDown = m_busyUntil;
    m_busyUntil = NEVER;
    UpdateDirect();
    m_linkFrame = nullptr;
    m_storm.Reset();
    m_asked = 0;
    m_pauseLost = 0;
    uint8_t paused = GetPausedClasses(now);
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        FlushClass(c, WhyRefused());
        if (paused & (1U << c))
        {
            OpenClass(c, now);
        }
    }
}

void
FabricNetDevice::ComeUp(int64_t now)
{
    m_down = false;
    m_busyUntil = std::max(m_busyBeforeDown, now);
    UpdateDirect();
    if (m_stormClasses)
    {
        m_storm.PauseClasses(m_stormClasses);
    }
}

void
FabricNetDevice::SetRunning(bool running)
{
    m_running = running;
    if (m_cable)
    {
        m_cable->UpdateState();
    }
}

void
FabricNetDevice::FlushClass(uint32_t trafficClass, DropReason reason)
{
    int64_t now = NowSteps();
    while (m_queued & (1U << trafficClass))
    {
        FramePtr frame = TakeQueued(trafficClass, now);
        Refuse(*frame, reason);
    }
}

void
FabricNetDevice::Refuse(FabricFrame& frame, DropReason reason)
{
    CountDrop(frame, reason);
    Trace(frame, {&m_macTxDropTrace});
    if (frame.ingressPort == FROM_STACK)
    {
        StackFrameLeaves(frame);
    }
    else if (m_owner)
    {
        m_owner->FrameFlushed(*this, frame, reason);
    }
}

DropReason
FabricNetDevice::WhyRefused() const
{
    return !m_down     ? DropReason::WATCHDOG
           : m_running ? DropReason::LINK_DOWN
                       : DropReason::SWITCH_DOWN;
}

void
FabricNetDevice::UpdateDirect()
{
    m_refused = m_down ? 0xff : m_barred;
    m_direct = m_shaper ? 0 : ~m_refused;
}

void
FabricNetDevice::SetBarredClasses(uint8_t classes)
{
    m_barred = classes;
    UpdateDirect();
}

void
FabricNetDevice::SetUnpausableClasses(uint8_t classes)
{
    m_unpausable = classes;
    int64_t now = NowSteps();
    uint8_t paused = GetPausedClasses(now) & classes;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (paused & (1U << c))
        {
            OpenClass(c, now);
        }
    }
    Kick();
}

void
FabricNetDevice::StartPauseStorm(uint8_t classes)
{
    m_stormClasses = classes;
    m_storm.Configure(*this, UINT16_MAX);
    m_storm.Reset();
    m_storm.PauseClasses(classes);
}

void
FabricNetDevice::StopPauseStorm()
{
    m_asked &= ~m_stormClasses; // an owner that needs one of them stopped says so again
    m_stormClasses = 0;
    m_storm.Reset();
}

} // namespace ns3
