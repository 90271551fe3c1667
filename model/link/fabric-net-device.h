// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_NET_DEVICE_H
#define FABRIC_NET_DEVICE_H

#include "class-scheduler.h"
#include "drop-reason.h"
#include "dscp-map.h"
#include "fabric-port-owner.h"
#include "link-flow-control.h"
#include "packet-trace.h"
#include "persistent-event.h"
#include "pfc-initiator.h"
#include "port-shaper.h"
#include "receive-buffer.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-frame.h"
#include "ns3/huge-page-arena.h"
#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class FabricChannel;
class NetDeviceQueue;

/// What a port has counted since the start.
struct PortCounters
{
    // What each frame touches: one cache line.
    uint64_t txFrames{0};       ///< frames sent, pause frames included
    uint64_t txBytes{0};        ///< their bytes, destination address to FCS
    uint64_t txPayloadBytes{0}; ///< application bytes in them
    uint64_t rxFrames{0};       ///< frames received whole
    uint64_t rxBytes{0};        ///< their bytes
    uint64_t peakQueueBytes{0}; ///< most bytes that ever waited
    double queueByteSteps{0};   ///< integral of waiting bytes over time (bytes x time steps)
    int64_t busySteps{0};       ///< time spent sending, gaps included

    uint64_t lostFrames{0};      ///< frames that the cable lost on the way here
    uint64_t pausesSent{0};      ///< PFC frames sent that stop a class
    uint64_t resumesSent{0};     ///< PFC frames sent that only open classes
    uint64_t pausesReceived{0};  ///< PFC frames received that stop a class
    uint64_t pausesLost{0};      ///< PFC frames sent that stop a class, lost by the cable
    uint64_t creditsSent{0};     ///< credit frames sent
    uint64_t creditsReceived{0}; ///< credit frames received
    uint64_t droppedFrames{0};   ///< frames dropped here, for any reason
    uint64_t ecnMarks{0};        ///< frames that left with CE set here
    std::array<uint64_t, size_t(DropReason::COUNT)> dropsByReason{}; ///< droppedFrames, by reason
};

/// What a port reports of a run: of plain values, so that another process can take it over.
struct PortStatistics
{
    PortCounters counters;
    uint64_t queuedBytes;   ///< since queueCountedAt
    int64_t queueCountedAt; ///< until then PortCounters::queueByteSteps has counted, time steps
    uint8_t paused;         ///< bit c: class c is held
    std::array<int64_t, N_TRAFFIC_CLASSES> pausedUntil; ///< of those, time steps
    std::array<int64_t, N_TRAFFIC_CLASSES> pausedSince; ///< likewise
    std::array<int64_t, N_TRAFFIC_CLASSES> pausedSteps; ///< without the time since then
};

/**
 * @ingroup ai-fabric
 * @brief A port: a full-duplex Ethernet MAC with 8 traffic classes and priority flow control.
 *
 * A frame takes its true time on the wire: preamble, header to FCS, inter-frame gap. A port has one
 * pending event at most, and none while nothing waits. Behind it stands a FabricPortOwner; without
 * one the port is an ordinary ns-3 NetDevice of its node (Send, receive callbacks).
 *
 * A packet that the node's stack sends goes by the traffic class of its DSCP, with or without an
 * owner. One that is well-formed RoCEv2 leaves decoded, as a NIC would have sent it; and a RoCE
 * frame that arrives where no owner is goes to the stack as its IP packet. So a node with two ports
 * and an Internet stack is a router between fabrics. Where a NetDeviceQueueInterface is aggregated,
 * its first queue is stopped while no largest packet more fits PacketQueueBytes.
 *
 * PFC (IEEE 802.1Qbb): the port obeys pause frames for the classes in PfcClasses, each with a timer
 * of quanta that runs out by itself, and sends those that its owner asks for ahead of all queues.
 * With GlobalPause it does both by the pause of IEEE 802.3 annex 31B, which stops the whole link.
 *
 * Or, by FlowControl, both ends go by credits (CreditFlowControl): a class that has none is neither
 * sent nor pulled.
 *
 * While its link is down nothing is sent or pulled; what waits, and what comes to wait, is dropped.
 */
class FabricNetDevice : public NetDevice, public InHugePages
{
  public:
    /// What keeps a sender from overrunning the far end's memory.
    enum FlowControl
    {
        FLOW_CONTROL_PFC,     ///< PfcFlowControl
        FLOW_CONTROL_CREDITS, ///< CreditFlowControl
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    FabricNetDevice();
    ~FabricNetDevice() override;

    // ---- set-up

    /// @param owner what stands behind the port; it must outlive the simulation's events
    void SetOwner(FabricPortOwner* owner);
    /// Called by FabricChannel::Attach. @param channel the cable @param end 0 or 1
    void AttachChannel(Ptr<FabricChannel> channel, uint32_t end);
    /// @param rate line rate, each way; the frame on the wire keeps the one that it started with
    void SetDataRate(DataRate rate);
    /// @return line rate
    DataRate GetDataRate() const;
    /// @param address the port's IPv4 address in the fabric
    void SetIpv4Address(Ipv4Address address);
    /// @return the port's IPv4 address in the fabric; 0.0.0.0: it has none
    Ipv4Address GetIpv4Address() const;

    /// @return the MAC address, as its own type
    Mac48Address GetMacAddress() const
    {
        return m_address;
    }

    /// @return the device at the other end of the cable, or null
    Ptr<FabricNetDevice> GetPeer() const;
    /// @param trafficClass 0 to 7 @param bytes its share in a round of DWRR
    void SetClassQuantum(uint32_t trafficClass, uint32_t bytes);

    /// @param rate at which what arrives is taken in, from the next frame on; 0: at once
    void SetReceiveRate(DataRate rate);
    /// @return the rate of SetReceiveRate()
    DataRate GetReceiveRate() const;

    // ---- faults

    /**
     * Switches off or on what stands behind the port: the link goes down with it. What waits in the
     * queues is dropped as SWITCH_DOWN.
     * @param running which
     */
    void SetRunning(bool running);

    /// @return false: switched off
    bool IsRunning() const
    {
        return m_running;
    }

    /// Sends pause frames without end, whatever the owner wants. @param classes bit c: of class c
    void StartPauseStorm(uint8_t classes);

    /// Sends no more of them: the last one runs out at the far end.
    void StopPauseStorm();

    /**
     * Drops what waits in a queue.
     * @param trafficClass 0 to 7
     * @param reason why
     */
    void FlushClass(uint32_t trafficClass, DropReason reason);

    /// @param classes bit c: what comes for the queue of class c is dropped (WATCHDOG)
    void SetBarredClasses(uint8_t classes);

    /// @param classes bit c: class c is sent whatever pause frames say
    void SetUnpausableClasses(uint8_t classes);

    // ---- what the owner does

    /**
     * Puts a frame into its class's queue, and on the wire if the port is free.
     * @param frame the frame, sizeBytes and trafficClass set
     */
    void Enqueue(FramePtr frame);

    /// The owner has something to send that it did not have at its last answer.
    void Kick();

    /**
     * Sends a PFC frame ahead of everything. One that still waits for the frame on the wire takes
     * the news in, so never more than one waits.
     * @param classes bit c: class c is meant
     * @param quanta how long to stop them, 0 to open them (units of 512 bit times)
     */
    void SendPause(uint8_t classes, uint16_t quanta);

    /// Memory behind the port has become free. @param trafficClass of what was there
    void MemoryFreed(uint32_t trafficClass)
    {
        m_flowControl->MemoryChanged(trafficClass);
    }

    /**
     * Hands a frame to the node's protocols, with the ECN field as switches have changed it.
     * @param frame kind PACKET, or ROCE, which becomes its IP packet
     */
    void DeliverToStack(const FabricFrame& frame);

    // ---- what the channel does

    /// The cable has its second end.
    void NotifyLinkUp();
    /// The link has gone down or come up. @param up which
    void NotifyLink(bool up);
    /// The cable has lost a pause frame that this port sent. @param frame the frame
    void NotifyPauseLost(const FabricFrame& frame);
    /// A frame has arrived. @param frame the frame
    void Receive(FramePtr frame);

    /// Has the processor fetch what Receive() will need of this port.
    void PrefetchReceive() const
    {
        __builtin_prefetch(&m_wakeUp);
        __builtin_prefetch(&m_cable);
        __builtin_prefetch(&m_counters, 1);
    }

    /// Likewise for what stands behind it. @param frame that is going to arrive
    void PrefetchPassOn(const FabricFrame& frame) const
    {
        if (m_owner)
        {
            m_owner->PrefetchReceive(*this, frame);
        }
    }

    /// Likewise for Enqueue(). @param trafficClass of the frame
    void PrefetchEnqueue(uint32_t trafficClass) const
    {
        PrefetchReceive();
        __builtin_prefetch(&m_classes[trafficClass], 1);
    }

    /// A frame to this port was lost on the cable. @param frame the frame
    void NotifyLost(const FabricFrame& frame);
    /// Gives a frame that has arrived to what stands behind the port. @param frame the frame
    void PassOn(FramePtr frame);
    /// Counts and traces a frame that has come in here and is dropped.
    /// @param frame the frame @param reason why
    void NotifyDrop(const FabricFrame& frame, DropReason reason);

    /// Counts a frame that left here newly marked.
    void NotifyMark()
    {
        ++m_counters.ecnMarks;
    }

    // ---- what the flow control does

    /**
     * Holds a traffic class, from now on.
     * @param trafficClass 0 to 7
     * @param since from when on that counts as held, time steps: not before the port is free
     * @param until when it opens by itself, time steps; NEVER: it does not
     */
    void HoldClass(uint32_t trafficClass, int64_t since, int64_t until);

    /// Opens a class, if it is held. @param trafficClass 0 to 7 @param now time steps
    void OpenClass(uint32_t trafficClass, int64_t now);

    /// A frame of the link itself (LINK_CREDIT) is to be sent ahead of everything; the flow control
    /// fills it in at the last moment.
    void SendLinkFrame();

    /// A pause frame has come. @param stopped bit c: it stops class c
    void NotifyPauseReceived(uint8_t stopped);

    /// A credit frame has come.
    void NotifyCreditReceived()
    {
        ++m_counters.creditsReceived;
    }

    /// @param trafficClass 0 to 7 @return what stands behind the port holds of it, bytes
    uint64_t GetHeldBytes(uint32_t trafficClass);

    // ---- what others read

    /// @return the flow control
    const LinkFlowControl* GetFlowControl() const
    {
        return m_flowControl.get();
    }

    /// @return bit c: class c goes by credits
    uint8_t GetCreditClasses() const
    {
        return m_flowControlKind == FLOW_CONTROL_CREDITS ? m_creditClasses : 0;
    }

    /// @return the buffer of a class by credits, at this end, bytes
    uint64_t GetCreditBufferBytes() const
    {
        return m_creditBufferBytes;
    }

    /// @return bit c: pause frames for class c are obeyed
    uint8_t GetPfcClasses() const
    {
        return m_pfcClasses;
    }

    /// @return bit c: class c is sent whatever pause frames say
    uint8_t GetUnpausableClasses() const
    {
        return m_unpausable;
    }

    /// @return whether it goes by pauses of the whole link
    bool PausesWholeLink() const
    {
        return m_globalPause;
    }

    /// @param bytes on the wire @return how long they take, time steps
    int64_t SerializationSteps(uint64_t bytes) const
    {
        auto steps = static_cast<int64_t>((bytes * m_byteTime + BYTE_TIME_HALF) >> BYTE_TIME_BITS);
        return m_unitSteps ? RoundToUnit(steps) : steps;
    }

    /// @return bytes on the wire of a frame besides its sizeBytes: preamble and gap
    uint32_t GetFrameOverhead() const
    {
        return m_preambleBytes + m_gapBytes;
    }

    /// @return preamble bytes: they precede a frame's first bit
    uint32_t GetPreambleBytes() const
    {
        return m_preambleBytes;
    }

    /// @return latency from the last bit's arrival to the owner, time steps
    int64_t GetIngressLatencySteps() const
    {
        return m_ingressLatencySteps;
    }

    /// @return the map from DSCP to traffic class
    const DscpMap& GetDscpMap() const
    {
        return m_dscpMap;
    }

    /// @return VLAN of what leaves here, 0: untagged
    uint16_t GetVlanId() const
    {
        return m_vlanId;
    }

    /// @return GetIfIndex(), without a call
    uint32_t GetNumber() const
    {
        return m_ifIndex;
    }

    /// @return id of the node, as an event context
    uint32_t GetNodeId() const
    {
        return m_nodeId;
    }

    /// @return when the frame on the wire (gap included) ends, time steps; NEVER: no link
    int64_t GetBusyUntil() const
    {
        return m_busyUntil;
    }

    /// @param trafficClass 0 to 7 @return bytes waiting in its queue
    uint64_t GetQueuedBytes(uint32_t trafficClass) const
    {
        return m_classes[trafficClass].bytes;
    }

    /// @return bytes waiting in all queues
    uint64_t GetQueuedBytes() const
    {
        return m_totalQueuedBytes;
    }

    /// @param trafficClass 0 to 7 @param visit called with each frame of its queue, oldest first
    template <typename Visitor>
    void VisitQueue(uint32_t trafficClass, Visitor visit) const
    {
        m_classes[trafficClass].queue.ForEach(visit);
    }

    /// @param now time steps @return bit c: flow control holds class c
    uint8_t GetPausedClasses(int64_t now);

    /// @param trafficClass 0 to 7 @param now time steps @return how long flow control has held it
    int64_t PausedSteps(uint32_t trafficClass, int64_t now) const
    {
        int64_t total = m_classes[trafficClass].pausedSteps;
        if (m_paused & (1U << trafficClass))
        {
            int64_t held = std::min(now, m_pausedUntil[trafficClass]) - m_pausedSince[trafficClass];
            total += std::max<int64_t>(0, held);
        }
        return total;
    }

    /**
     * @param trafficClass 0 to 7
     * @param now time steps
     * @return since when a frame waits there and PFC holds it (time steps); NEVER: it does not
     */
    int64_t StuckSince(uint32_t trafficClass, int64_t now);

    /// @param trafficClass 0 to 7 @return when a frame that stops it came last (time steps), or -1
    int64_t GetLastPauseSteps(uint32_t trafficClass) const
    {
        return m_lastPause[trafficClass];
    }

    /// @param trafficClass 0 to 7 @return true: since it was last opened by this port, the cable
    /// has lost a pause frame of this port that was to stop it
    bool WasPauseLost(uint32_t trafficClass) const
    {
        return m_pauseLost & (1U << trafficClass);
    }

    /// @param quanta of a pause @return after which time to repeat it (time steps), or NEVER
    int64_t GetPauseRefreshSteps(uint16_t quanta) const;

    /// @return what waits to be taken in, bytes: 0 without a ReceiveRate
    uint64_t GetReceiveQueueBytes() const
    {
        return m_receiveBuffer ? m_receiveBuffer->GetBytes() : 0;
    }

    /// @return what the port has counted; the queue integral is up to date
    const PortCounters& GetCounters();

    /// @return what it reports of the run so far
    PortStatistics GetStatistics() const;

    /// @param statistics of the same port in the process that has simulated it
    void SetStatistics(const PortStatistics& statistics);

    /// @return the time that a worst-case response to a pause frame takes at this port
    Time GetPauseResponseTime() const;

    // ---- NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

    /// Signature of the frame trace sources. @param frame the frame
    typedef void (*FrameTracedCallback)(const FabricFrame& frame);
    /// Signature of PauseState and CreditState. @param trafficClass the class @param paused stopped
    /// or opened
    typedef void (*PauseTracedCallback)(uint32_t trafficClass, bool paused);

  protected:
    void DoDispose() override;
    void NotifyNewAggregate() override;

  private:
    /// FabricFrame::ingressPort of a frame of the node's stack until it leaves: it is counted.
    static constexpr uint32_t FROM_STACK = UINT16_MAX;
    static constexpr uint32_t BYTE_TIME_BITS = 20;
    static constexpr uint64_t BYTE_TIME_HALF = uint64_t{1} << (BYTE_TIME_BITS - 1);

    /// A frame that is to leave here gets this port's tag, and is traced. @param frame the frame
    void Prepare(FabricFrame& frame)
    {
        if (m_vlanId && !frame.vlanTagged)
        {
            AddTag(frame);
        }
        if (m_packetsWatched)
        {
            Trace(frame, {&m_macTxTrace});
        }
    }

    void AddTag(FabricFrame& frame) const;
    FramePtr FrameOf(Ptr<const Packet> packet, uint16_t etherType) const;
    bool HasRoomForPacket() const;
    void StackFrameLeaves(FabricFrame& frame);
    void DropPacket(const FabricFrame& frame);
    static void Trace(const FabricFrame& frame, std::initializer_list<PacketTrace*> traces);
    void TraceTransmission(const FabricFrame& frame, int64_t lastBit);
    void TraceTransmitted(Ptr<const Packet> packet);
    PacketType TypeOf(const FabricFrame& frame) const;
    void SetDscpToClass(std::string text);
    std::string GetDscpToClass() const;
    void SetPullAhead(uint32_t bytes);
    uint32_t GetPullAhead() const;
    void UpdatePullAhead();

    /// @return whether someone listens to what it sends
    bool IsWatched() const
    {
        return m_framesWatched || m_packetsWatched;
    }

    /// @return whether a frame that was chosen ahead waits for its start, so that it be traced then
    bool HasTaken() const
    {
        return IsWatched() && m_taken;
    }

    void TransmitNext();
    void Prefetch(FabricEvent::Stage stage) const;
    FramePtr NextFrame(int64_t now);
    FramePtr TakeLinkFrame();
    FramePtr Pull(uint32_t trafficClass, int64_t now);
    FramePtr TakeQueued(uint32_t trafficClass, int64_t now);
    void TakeAhead(int64_t now);
    void StartTransmission(FramePtr frame, int64_t start);
    void ArmWakeUp(int64_t now);
    int64_t NextOpening(uint8_t classes, uint8_t paused) const;
    void CountQueue(int64_t now);
    void GoDown(int64_t now);
    void ComeUp(int64_t now);
    void Refuse(FabricFrame& frame, DropReason reason);
    DropReason WhyRefused() const;
    void CountDrop(const FabricFrame& frame, DropReason reason);
    void UpdateDirect();
    void MakePauseFrame(FrameKind kind);
    bool JoinPause(uint8_t classes, uint16_t quanta);
    void UpdateReceiveBuffer();
    void UpdatePortShaper();
    void SetPortShaper(DataRate rate);
    DataRate GetPortShaper() const;
    void SetPortShaperBurst(uint64_t bytes);
    uint64_t GetPortShaperBurst() const;
    void SetClassShapers(std::string text);
    std::string GetClassShapers() const;
    void SetEtsShares(std::string text);
    std::string GetEtsShares() const;
    void ChargeFrame(const FabricFrame& frame, int64_t now);
    void ReceiveBuffered(FramePtr frame);
    void StartFlowControl();
    void SetIngressLatency(Time latency);
    Time GetIngressLatency() const;
    void SetStrictClasses(uint8_t classes);
    uint8_t GetStrictClasses() const;
    void RefuseInexactRate() const;
    void SetWholeNanoseconds(bool whole);
    bool GetWholeNanoseconds() const;
    int64_t RoundToUnit(int64_t steps) const;

    /// Of a traffic class: half a cache line.
    struct Class
    {
        uint64_t bytes{0}; ///< in its queue
        FrameFifo queue;
        int64_t pausedSteps{0}; ///< how long flow control has held it, until it was last opened
    };

    // ---- the hot state of a port, by cache lines. First what its next event looks at first.
    alignas(64) WakeUp<FabricNetDevice,
                       &FabricNetDevice::TransmitNext,
                       &FabricNetDevice::Prefetch> m_wakeUp;
    int64_t m_busyUntil{0};
    FabricPortOwner* m_owner{nullptr};
    uint8_t m_queued{0};    ///< bit c: class c has frames in its queue
    uint8_t m_paused{0};    ///< bit c: flow control holds class c (until its time is over)
    uint8_t m_direct{0xff}; ///< bit c: a frame of class c may start at once if nothing is before it
    uint8_t m_refused{0};   ///< bit c: what comes for class c is dropped
    bool m_packetsWatched{false}; ///< someone listens to a trace source of packets
    bool m_framesWatched{false};  ///< or to one of frames
    bool m_charges{false};        ///< shapers or credits count what is sent
    bool m_buffers{false};        ///< what comes waits in a receive buffer, or credits count it

    // What else sending takes.
    alignas(64) FabricChannel* m_cable{nullptr};
    uint64_t m_byteTime{0}; ///< time steps a byte, times 2^20
    uint64_t m_totalQueuedBytes{0};
    int64_t m_queueCountedAt{0};
    FramePtr m_linkFrame; ///< a frame of the link itself that waits, ahead of all classes; or null
    std::unique_ptr<PortShaper> m_shaper; ///< null: nothing is shaped
    uint32_t m_nodeId{0xffffffff};
    uint32_t m_ifIndex{0};
    uint16_t m_vlanId{0};
    uint8_t m_end{0};
    bool m_pulls{false}; ///< the owner may have frames to pull
    uint8_t m_preambleBytes{wire::PREAMBLE_BYTES};
    uint8_t m_gapBytes{wire::INTER_FRAME_GAP_BYTES};
    uint16_t m_unitSteps{0}; ///< times on the wire are multiples of it; 0: of a time step

    alignas(64) PortCounters m_counters;
    alignas(64) std::array<Class, N_TRAFFIC_CLASSES> m_classes;
    alignas(64) ClassScheduler m_scheduler;
    int64_t m_aheadSteps{-1}; ///< PullAhead on the wire, where frames are pulled

    // ---- the rest
    FramePtr m_taken; ///< by TakeAhead(), leaves at m_busyUntil; or null
    int64_t m_ingressLatencySteps{0};
    std::unique_ptr<ReceiveBuffer> m_receiveBuffer; ///< null: frames are taken in at once
    std::unique_ptr<LinkFlowControl> m_flowControl;
    std::array<int64_t, N_TRAFFIC_CLASSES> m_pausedUntil{};
    std::array<int64_t, N_TRAFFIC_CLASSES> m_pausedSince{};
    Ptr<FabricChannel> m_channel;
    Ptr<Node> m_node;
    uint64_t m_exactFrameBytes{256};
    uint32_t m_pullAhead{256};
    DataRate m_rate;
    uint8_t m_strictClasses{0};
    uint8_t m_pfcClasses{0xff};
    uint8_t m_pfcSendClasses{0xff};
    bool m_globalPause{false};
    bool m_running{true};
    bool m_down{false};
    uint8_t m_barred{0};     ///< bit c: the watchdog bars class c
    uint8_t m_unpausable{0}; ///< bit c: the watchdog has class c sent all the same
    uint8_t m_pauseLost{0};  ///< see WasPauseLost()
    uint8_t m_asked{0};      ///< with GlobalPause, bit c: for class c the link is to be stopped
    uint8_t m_stormClasses{0};
    int64_t m_busyBeforeDown{0};
    double m_pauseRefresh{0};
    std::array<int64_t, N_TRAFFIC_CLASSES> m_lastPause{-1, -1, -1, -1, -1, -1, -1, -1};
    PfcInitiator m_storm;
    DataRate m_portShaper{0};
    uint64_t m_portShaperBurst{0};
    std::string m_classShapers;
    std::string m_etsShares;
    DataRate m_receiveRate{0};
    uint64_t m_receiveBufferBytes{0};
    uint64_t m_receiveXoffBytes{0};
    uint64_t m_receiveXonBytes{0};
    uint8_t m_packetClass{0};
    uint32_t m_packetQueueBytes{0};
    uint64_t m_stackBytes{0}; ///< of the node's stack, not yet on the wire
    Ptr<NetDeviceQueue> m_txQueue;
    DscpMap m_dscpMap;
    Time m_pauseResponse;
    FlowControl m_flowControlKind{FLOW_CONTROL_PFC};
    uint8_t m_creditClasses{0};
    uint64_t m_creditBufferBytes{0};
    uint64_t m_creditUpdateBytes{0};
    uint32_t m_creditMaxFrameBytes{0};
    uint32_t m_creditFrameBytes{0};
    uint32_t m_creditBlockBytes{0};
    uint32_t m_creditCounterBits{0};
    Time m_creditRefresh;
    uint16_t m_mtu{9216};
    Mac48Address m_address;
    Ipv4Address m_ipv4Address{Ipv4Address::GetAny()}; ///< any: none
    ReceiveCallback m_receiveCallback;
    PromiscReceiveCallback m_promiscCallback;

    WatchedTrace<const FabricFrame&> m_frameTxTrace{m_framesWatched};
    WatchedTrace<const FabricFrame&> m_frameRxTrace{m_framesWatched};
    TracedCallback<const FabricFrame&> m_frameDropTrace;
    TracedCallback<const FabricFrame&> m_frameLostTrace;
    TracedCallback<uint32_t, bool> m_pauseTrace;
    TracedCallback<uint32_t, bool> m_creditTrace;
    TracedCallback<> m_linkChange;
    PacketTrace m_macTxTrace{m_packetsWatched};
    PacketTrace m_macTxDropTrace{m_packetsWatched};
    PacketTrace m_macRxTrace{m_packetsWatched};
    PacketTrace m_macRxDropTrace{m_packetsWatched};
    PacketTrace m_phyTxBeginTrace{m_packetsWatched};
    PacketTrace m_phyTxEndTrace{m_packetsWatched};
    PacketTrace m_phyRxEndTrace{m_packetsWatched};
    PacketTrace m_phyRxDropTrace{m_packetsWatched};
    PacketTrace m_snifferTrace{m_packetsWatched};
    PacketTrace m_promiscSnifferTrace{m_packetsWatched};
};

} // namespace ns3

#endif // FABRIC_NET_DEVICE_H
