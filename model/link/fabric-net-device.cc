// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-net-device.h"

#include "credit-flow-control.h"
#include "fabric-channel.h"
#include "frame-tag.h"
#include "pfc-flow-control.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum-attribute.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uint128.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNetDevice");
NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

namespace
{

constexpr uint32_t PCP_SHIFT = 13; ///< priority: the upper 3 bits of the tag control information
constexpr uint16_t LARGEST_VLAN_ID = 4094;

/// Frames that so many bytes waited behind have left the processor's cache.
constexpr uint64_t DEEP_QUEUE_BYTES = 256 * 1024;

bool
IsIp(uint16_t etherType)
{
    return etherType == wire::ETHERTYPE_IPV4 || etherType == wire::ETHERTYPE_IPV6;
}

} // namespace

TypeId
FabricNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricNetDevice>()
            .AddAttribute("ExactFrameBytes",
                          "Size of the smallest frame whose time must be right to 0.1 %: a rate "
                          "at which it takes less than 500 time steps is refused. The default is "
                          "the smallest path MTU.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&FabricNetDevice::m_exactFrameBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute(
                "WholeNanoseconds",
                "What frames take on the wire is rounded to nanoseconds, as in simulators "
                "whose clock counts these; only to compare with them.",
                BooleanValue(false),
                MakeBooleanAccessor(&FabricNetDevice::SetWholeNanoseconds,
                                    &FabricNetDevice::GetWholeNanoseconds),
                MakeBooleanChecker())
            .AddAttribute(
                "DataRate",
                "Line rate, each way.",
                DataRateValue(DataRate("400Gbps")),
                MakeDataRateAccessor(&FabricNetDevice::SetDataRate, &FabricNetDevice::GetDataRate),
                MakeDataRateChecker())
            .AddAttribute("Address",
                          "MAC address.",
                          Mac48AddressValue(Mac48Address("00:00:00:00:00:00")),
                          MakeMac48AddressAccessor(&FabricNetDevice::m_address),
                          MakeMac48AddressChecker())
            .AddAttribute("Mtu",
                          "Largest L3 packet that ns-3's own stack may send (bytes). RDMA has its "
                          "path MTU a queue pair.",
                          UintegerValue(9216),
                          MakeUintegerAccessor(&FabricNetDevice::SetMtu, &FabricNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>(68))
            .AddAttribute("Preamble",
                          "Bytes before each frame: preamble and start-of-frame delimiter.",
                          UintegerValue(wire::PREAMBLE_BYTES),
                          MakeUintegerAccessor(&FabricNetDevice::m_preambleBytes),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("InterFrameGap",
                          "Bytes of silence after each frame.",
                          UintegerValue(wire::INTER_FRAME_GAP_BYTES),
                          MakeUintegerAccessor(&FabricNetDevice::m_gapBytes),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("IngressLatency",
                          "Fixed time from the arrival of a frame's last bit until what stands "
                          "behind the port has it: a switch's pipeline, a NIC's receive path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricNetDevice::SetIngressLatency,
                                           &FabricNetDevice::GetIngressLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("StrictClasses",
                          "Bit c: class c is served strictly first (higher number first); the "
                          "others share by deficit weighted round robin.",
                          UintegerValue(0xc0),
                          MakeUintegerAccessor(&FabricNetDevice::SetStrictClasses,
                                               &FabricNetDevice::GetStrictClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "EtsShares",
                "If not empty: classes that share by ETS what the strict classes leave, "
                "in percent that add up to 100, as in 0:20,3:50,4+5:30, where 4 and 5 "
                "are one group. They are not strict then; a class that is neither "
                "strict nor here is served when no other is ready.",
                StringValue(""),
                MakeStringAccessor(&FabricNetDevice::SetEtsShares, &FabricNetDevice::GetEtsShares),
                MakeStringChecker())
            .AddAttribute("PortShaper",
                          "If above 0: the port sends no more than that, preamble and gap counted.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&FabricNetDevice::SetPortShaper,
                                               &FabricNetDevice::GetPortShaper),
                          MakeDataRateChecker())
            .AddAttribute("PortShaperBurst",
                          "Bucket of PortShaper (bytes): so much may go at the line rate.",
                          UintegerValue(9238),
                          MakeUintegerAccessor(&FabricNetDevice::SetPortShaperBurst,
                                               &FabricNetDevice::GetPortShaperBurst),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ClassShaper",
                          "Rates of classes: entries CLASS:RATE or CLASS:RATE:BURST, the burst in "
                          "bytes, separated by commas, as in 3:100Gbps,4:25Gbps:65536.",
                          StringValue(""),
                          MakeStringAccessor(&FabricNetDevice::SetClassShapers,
                                             &FabricNetDevice::GetClassShapers),
                          MakeStringChecker())
            .AddAttribute("PfcSendClasses",
                          "Bit c: class c is stopped at the far end if the owner asks for it.",
                          UintegerValue(0xff),
                          MakeUintegerAccessor(&FabricNetDevice::m_pfcSendClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("GlobalPause",
                          "Flow control by pause frames for the whole link (IEEE 802.3 annex 31B) "
                          "instead of by priority; the port obeys those alone. To be set at both "
                          "ends.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricNetDevice::m_globalPause),
                          MakeBooleanChecker())
            .AddAttribute("PauseRefresh",
                          "A pause that is still needed is repeated after this share of its time; "
                          "0: never.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&FabricNetDevice::m_pauseRefresh),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("ReceiveRate",
                          "If above 0: a NIC that takes frames in no faster than that (bytes from "
                          "destination address to FCS). May be changed during a run.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&FabricNetDevice::SetReceiveRate,
                                               &FabricNetDevice::GetReceiveRate),
                          MakeDataRateChecker())
            .AddAttribute("ReceiveBufferBytes",
                          "Memory for frames that wait because of ReceiveRate (bytes).",
                          UintegerValue(2 << 20),
                          MakeUintegerAccessor(&FabricNetDevice::m_receiveBufferBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("ReceiveXoffBytes",
                          "Above this the classes of PfcSendClasses are stopped (bytes); 0: "
                          "ReceiveBufferBytes less the headroom that the link needs.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNetDevice::m_receiveXoffBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ReceiveXonBytes",
                          "At this or below they are opened again (bytes); 0: half of "
                          "ReceiveXoffBytes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNetDevice::m_receiveXonBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PfcClasses",
                          "Bit c: pause frames for class c are obeyed.",
                          UintegerValue(0xff),
                          MakeUintegerAccessor(&FabricNetDevice::m_pfcClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PauseResponseTime",
                          "From the reception of a pause frame until no new frame of the class is "
                          "started.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricNetDevice::m_pauseResponse),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowControl",
                          "What keeps a sender from overrunning the far end's memory. To be set "
                          "at both ends, before the cable is plugged in, as are those of credits.",
                          EnumValue(FabricNetDevice::FLOW_CONTROL_PFC),
                          MakeEnumAccessorFor<FlowControl>(&FabricNetDevice::m_flowControlKind),
                          MakeEnumChecker(FabricNetDevice::FLOW_CONTROL_PFC,
                                          "Pfc",
                                          FabricNetDevice::FLOW_CONTROL_CREDITS,
                                          "Credits"))
            .AddAttribute("CreditClasses",
                          "Bit c: class c goes by credits. The others are not held.",
                          UintegerValue(1U << 3),
                          MakeUintegerAccessor(&FabricNetDevice::m_creditClasses),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("CreditBufferBytes",
                          "Memory behind this port for what comes in a class by credits, each "
                          "class its own (bytes): at least a largest frame.",
                          UintegerValue(512 << 10),
                          MakeUintegerAccessor(&FabricNetDevice::m_creditBufferBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("CreditMaxFrameBytes",
                          "Largest frame of these classes (bytes): a class without credit for one "
                          "is not sent.",
                          UintegerValue(4352),
                          MakeUintegerAccessor(&FabricNetDevice::m_creditMaxFrameBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CreditUpdateBytes",
                          "Freed memory that is worth a credit frame (bytes); 0: a quarter of the "
                          "buffer. Never more than what a largest frame leaves of the buffer.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNetDevice::m_creditUpdateBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("CreditRefresh",
                          "A credit frame is repeated after that, while frames come and once more; "
                          "0: never. (InfiniBand: 65,536 symbol times.)",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricNetDevice::m_creditRefresh),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CreditFrameBytes",
                          "Size of a credit frame (bytes).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&FabricNetDevice::m_creditFrameBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CreditBlockBytes",
                          "Unit of credit; a frame takes whole ones (bytes).",
                          UintegerValue(64),
                          MakeUintegerAccessor(&FabricNetDevice::m_creditBlockBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CreditCounterBits",
                          "Width of the counters in a credit frame (InfiniBand: 12): a buffer has "
                          "at most half as many blocks as they count.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&FabricNetDevice::m_creditCounterBits),
                          MakeUintegerChecker<uint32_t>(2, 16))
            .AddAttribute("PacketClass",
                          "Traffic class of packets of ns-3's own stack whose DSCP has no entry in "
                          "DscpToClass, and of ARP.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNetDevice::m_packetClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddAttribute("PacketQueueBytes",
                          "Packets of ns-3's own stack are dropped when more bytes than this wait, "
                          "in all classes. With a NetDeviceQueueInterface the queue disc above is "
                          "stopped before that.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&FabricNetDevice::m_packetQueueBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "DscpToClass",
                "Traffic class by DSCP: entries DSCP:CLASS or FIRST-LAST:CLASS, separated "
                "by commas, as in 46:5,26:3,48-55:6. All others go by PacketClass.",
                StringValue(""),
                MakeStringAccessor(&FabricNetDevice::SetDscpToClass,
                                   &FabricNetDevice::GetDscpToClass),
                MakeStringChecker())
            .AddAttribute("VlanId",
                          "If above 0: packets and RoCE frames that this port's node sends leave "
                          "with an 802.1Q tag of this VLAN and the traffic class as its priority. "
                          "Switches leave tags alone.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNetDevice::m_vlanId),
                          MakeUintegerChecker<uint16_t>(0, LARGEST_VLAN_ID))
            .AddTraceSource("FrameTx",
                            "The first bit of a frame is on the wire.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_frameTxTrace),
                            "ns3::FabricNetDevice::FrameTracedCallback")
            .AddTraceSource("FrameRx",
                            "A frame has arrived whole.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_frameRxTrace),
                            "ns3::FabricNetDevice::FrameTracedCallback")
            .AddTraceSource(
                "FrameDrop",
                "A frame is dropped at this port: no buffer, no route, a full queue, no "
                "link.",
                MakeTraceSourceAccessor(&FabricNetDevice::m_frameDropTrace),
                "ns3::FabricNetDevice::FrameTracedCallback")
            .AddTraceSource("FrameLost",
                            "A frame to this port was lost on the cable.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_frameLostTrace),
                            "ns3::FabricNetDevice::FrameTracedCallback")
            .AddTraceSource("PauseState",
                            "A pause frame stops or opens a class of this port.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_pauseTrace),
                            "ns3::FabricNetDevice::PauseTracedCallback")
            .AddTraceSource("CreditState",
                            "A class of this port has run out of credit, or has some again.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_creditTrace),
                            "ns3::FabricNetDevice::PauseTracedCallback")
            .AddTraceSource("MacTx",
                            "A frame was taken for transmission: queued, or drawn from what "
                            "stands behind the port. Its bytes from the destination address on, "
                            "as in all that follow.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of the node's stack was refused: no cable, too large, a "
                            "full queue.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A frame that has arrived is passed on, or is obeyed (pause).",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRxDrop",
                            "A frame that has arrived is dropped: no buffer, no route, no "
                            "taker.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "The first bit of a frame is on the wire.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "The last bit of a frame is on the wire.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A frame has arrived whole.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame to this port was lost on the cable.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Every frame sent and received, as a capture has it.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "The same: a cable has no other listeners.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

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

// ---------------------------------------------------------------- set-up

void
FabricNetDevice::SetOwner(FabricPortOwner* owner)
{
    m_owner = owner;
    m_pulls = owner && owner->HasFrames();
}

void
FabricNetDevice::AttachChannel(Ptr<FabricChannel> channel, uint32_t end)
{
    RefuseInexactRate();
    m_channel = channel;
    m_cable = PeekPointer(channel);
    m_end = static_cast<uint8_t>(end);
}

void
FabricNetDevice::SetDataRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "FabricNetDevice: DataRate must be above 0 bps");
    m_rate = rate;
    // 128 bits: 8 x 10^15 steps a second x 2^20 does not fit 64.
    Uint128 stepsPerSecond = Seconds(1).GetTimeStep();
    Uint128 scaled = (8 * stepsPerSecond) << BYTE_TIME_BITS;
    m_byteTime = static_cast<uint64_t>((scaled + rate.GetBitRate() / 2) / rate.GetBitRate());
    if (m_channel)
    {
        RefuseInexactRate();
    }
}

DataRate
FabricNetDevice::GetDataRate() const
{
    return m_rate;
}

void
FabricNetDevice::SetWholeNanoseconds(bool whole)
{
    const int64_t steps = NanoSeconds(1).GetTimeStep();
    NS_ABORT_MSG_IF(whole && steps > UINT16_MAX,
                    "FabricNetDevice: WholeNanoseconds with a resolution of the time finer than "
                    "picoseconds");
    m_unitSteps = whole ? static_cast<uint16_t>(steps) : 0;
}

bool
FabricNetDevice::GetWholeNanoseconds() const
{
    return m_unitSteps > 0;
}

int64_t
FabricNetDevice::RoundToUnit(int64_t steps) const
{
    return (steps + m_unitSteps / 2) / m_unitSteps * m_unitSteps;
}

void
FabricNetDevice::RefuseInexactRate() const
{
    // A frame's time is rounded to a step: half a step must be below 0.1 % of it.
    constexpr uint64_t HALF_STEP_SHARE = 500; // 0.5 / 0.1 %
    if (((m_exactFrameBytes * m_byteTime) >> BYTE_TIME_BITS) < HALF_STEP_SHARE)
    {
        NS_FATAL_ERROR("FabricNetDevice: at "
                       << m_rate << " a frame of " << m_exactFrameBytes << " B takes "
                       << static_cast<double>(m_exactFrameBytes) * 8e9 /
                              static_cast<double>(m_rate.GetBitRate())
                       << " ns, which the time resolution in force cannot express to 0.1 %. Call "
                          "Time::SetResolution(Time::PS) (or Time::FS) before anything else.");
    }
}

void
FabricNetDevice::SetIpv4Address(Ipv4Address address)
{
    m_ipv4Address = address;
}

Ipv4Address
FabricNetDevice::GetIpv4Address() const
{
    return m_ipv4Address;
}

Ptr<FabricNetDevice>
FabricNetDevice::GetPeer() const
{
    if (!m_channel || m_channel->GetNDevices() < 2)
    {
        return nullptr;
    }
    return DynamicCast<FabricNetDevice>(m_channel->GetDevice(1 - m_end));
}

void
FabricNetDevice::SetClassQuantum(uint32_t trafficClass, uint32_t bytes)
{
    NS_ABORT_MSG_IF(trafficClass >= N_TRAFFIC_CLASSES || bytes == 0,
                    "FabricNetDevice: class " << trafficClass << " must be 0 to 7, its quantum "
                                              << bytes << " at least 1 byte");
    m_scheduler.SetQuantum(trafficClass, bytes);
}

void
FabricNetDevice::SetDscpToClass(std::string text)
{
    std::string error;
    m_dscpMap = DscpMap::Parse(text, error);
    if (!error.empty())
    {
        NS_FATAL_ERROR("FabricNetDevice: " << error);
    }
}

std::string
FabricNetDevice::GetDscpToClass() const
{
    return m_dscpMap.ToString();
}

void
FabricNetDevice::SetStrictClasses(uint8_t classes)
{
    m_strictClasses = classes;
    m_scheduler.SetStrictClasses(classes);
}

uint8_t
FabricNetDevice::GetStrictClasses() const
{
    return m_strictClasses;
}

void
FabricNetDevice::SetEtsShares(std::string text)
{
    m_etsShares = text;
    if (text.empty())
    {
        m_scheduler.SetEts(nullptr);
        return;
    }
    auto ets = std::make_unique<EtsScheduler>();
    std::string wrong = ets->Configure(text);
    NS_ABORT_MSG_IF(!wrong.empty(), "FabricNetDevice: EtsShares: " << wrong);
    m_scheduler.SetEts(std::move(ets));
}

std::string
FabricNetDevice::GetEtsShares() const
{
    return m_etsShares;
}

void
FabricNetDevice::UpdatePortShaper()
{
    auto shaper = std::make_unique<PortShaper>();
    if (m_portShaper.GetBitRate() > 0)
    {
        shaper->SetPortBucket(TokenBucket(m_portShaper, m_portShaperBurst));
    }
    std::string wrong = shaper->SetClassBuckets(m_classShapers);
    NS_ABORT_MSG_IF(!wrong.empty(), "FabricNetDevice: ClassShaper: " << wrong);
    m_shaper = shaper->IsLimiting() ? std::move(shaper) : nullptr;
    m_charges = m_shaper || m_flowControl->CountsFrames();
    UpdateDirect();
}

void
FabricNetDevice::SetPortShaper(DataRate rate)
{
    m_portShaper = rate;
    UpdatePortShaper();
}

DataRate
FabricNetDevice::GetPortShaper() const
{
    return m_portShaper;
}

void
FabricNetDevice::SetPortShaperBurst(uint64_t bytes)
{
    m_portShaperBurst = bytes;
    UpdatePortShaper();
}

uint64_t
FabricNetDevice::GetPortShaperBurst() const
{
    return m_portShaperBurst;
}

void
FabricNetDevice::SetClassShapers(std::string text)
{
    m_classShapers = text;
    UpdatePortShaper();
}

std::string
FabricNetDevice::GetClassShapers() const
{
    return m_classShapers;
}

void
FabricNetDevice::SetReceiveRate(DataRate rate)
{
    m_receiveRate = rate;
    UpdateReceiveBuffer();
}

DataRate
FabricNetDevice::GetReceiveRate() const
{
    return m_receiveRate;
}

void
FabricNetDevice::UpdateReceiveBuffer()
{
    bool slow = m_receiveRate.GetBitRate() > 0;
    if (slow && !m_receiveBuffer && GetPeer())
    {
        ReceiveBuffer::Config config;
        config.sizeBytes = m_receiveBufferBytes;
        config.xoffBytes = m_receiveXoffBytes;
        config.xonBytes = m_receiveXonBytes;
        config.classes = m_flowControl->CountsFrames() ? 0 : m_pfcSendClasses;
        config.pauseQuanta = UINT16_MAX;
        m_receiveBuffer = std::make_unique<ReceiveBuffer>(*this, config);
    }
    if (m_receiveBuffer)
    {
        m_receiveBuffer->SetRate(m_receiveRate);
    }
    m_buffers = m_receiveBuffer || m_flowControl->CountsFrames();
}

void
FabricNetDevice::StartFlowControl()
{
    if (m_flowControlKind == FLOW_CONTROL_CREDITS && !m_flowControl->CountsFrames())
    {
        CreditFlowControl::Config config;
        config.classes = m_creditClasses;
        config.bufferBytes = m_creditBufferBytes;
        config.blockBytes = m_creditBlockBytes;
        config.counterBits = m_creditCounterBits;
        config.maxFrameBytes = m_creditMaxFrameBytes;
        config.updateBytes = m_creditUpdateBytes;
        config.frameBytes = m_creditFrameBytes;
        config.refresh = m_creditRefresh;
        m_flowControl = std::make_unique<CreditFlowControl>(*this, config);
        m_charges = true;
    }
}

void
FabricNetDevice::SetIngressLatency(Time latency)
{
    m_ingressLatencySteps = latency.GetTimeStep();
    if (m_cable)
    {
        m_cable->UpdateReceivers();
    }
}

Time
FabricNetDevice::GetIngressLatency() const
{
    return TimeStep(m_ingressLatencySteps);
}

Time
FabricNetDevice::GetPauseResponseTime() const
{
    return m_pauseResponse;
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
        if (FramePtr frame = NextFrame(now))
        {
            StartTransmission(std::move(frame), now);
        }
    }
    ArmWakeUp(now);
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
FabricNetDevice::StartTransmission(FramePtr frame, int64_t now)
{
    int64_t lastBit = SerializationSteps(m_preambleBytes + uint64_t{frame->sizeBytes});
    int64_t slot = SerializationSteps(uint64_t{frame->sizeBytes} + m_preambleBytes + m_gapBytes);
    m_busyUntil = now + slot;
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
            int64_t more = SerializationSteps(uint64_t{frame->sizeBytes} - bytes);
            lastBit += more;
            m_busyUntil += more;
            m_counters.busySteps += more;
            m_counters.txBytes += frame->sizeBytes - bytes;
        }
    }
    if (m_charges && !frame->IsOfLink())
    {
        ChargeFrame(*frame, now);
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
        m_cable->Transmit(m_end, std::move(frame), lastBit, now);
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
    if (m_linkFrame || (m_queued & ~closed))
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

void
FabricNetDevice::DeliverToStack(const FabricFrame& frame)
{
    bool isRoce = frame.kind == FrameKind::ROCE;
    if (!(isRoce || frame.payload) || m_receiveCallback.IsNull())
    {
        NotifyDrop(frame, DropReason::NO_RECEIVER);
        return;
    }
    PacketType type = TypeOf(frame);
    if (type == PACKET_OTHERHOST && m_promiscCallback.IsNull())
    {
        return; // flooded by a switch, for another one
    }
    Ptr<Packet> packet = frame.ToIpPacket();
    if (isRoce)
    {
        FrameTag tag(frame, NowSteps());
        packet->ReplacePacketTag(tag);
    }
    uint16_t etherType = !isRoce      ? frame.etherType
                         : frame.ipv6 ? wire::ETHERTYPE_IPV6
                                      : wire::ETHERTYPE_IPV4;
    bool taken = false;
    if (!m_promiscCallback.IsNull())
    {
        taken =
            m_promiscCallback(this, packet->Copy(), etherType, frame.srcMac, frame.dstMac, type);
    }
    if (type != PACKET_OTHERHOST)
    {
        taken = m_receiveCallback(this, packet, etherType, frame.srcMac) || taken;
        if (!taken)
        {
            NotifyDrop(frame, DropReason::NO_RECEIVER); // no protocol of this node handles it
        }
    }
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

// ---------------------------------------------------------------- NetDevice

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
FabricNetDevice::SendFrom(Ptr<Packet> packet,
                          const Address& source,
                          const Address& dest,
                          uint16_t protocolNumber)
{
    FramePtr frame = FrameOf(packet, protocolNumber);
    frame->srcMac = Mac48Address::ConvertFrom(source);
    frame->dstMac = Mac48Address::ConvertFrom(dest);
    if (m_vlanId)
    {
        AddTag(*frame);
    }
    if (!IsLinkUp() || packet->GetSize() > m_mtu ||
        m_stackBytes + frame->sizeBytes > m_packetQueueBytes)
    {
        CountDrop(*frame, IsLinkUp() ? DropReason::HOST_QUEUE : DropReason::LINK_DOWN);
        Trace(*frame, {&m_macTxDropTrace});
        return false;
    }
    frame->ingressPort = FROM_STACK;
    m_stackBytes += frame->sizeBytes;
    if (m_txQueue)
    {
        m_txQueue->NotifyQueuedBytes(frame->sizeBytes);
        if (!HasRoomForPacket())
        {
            m_txQueue->Stop();
        }
    }
    Enqueue(std::move(frame));
    return true;
}

FramePtr
FabricNetDevice::FrameOf(Ptr<const Packet> packet, uint16_t etherType) const
{
    FramePtr frame;
    if (IsIp(etherType))
    {
        frame = FabricFrame::FromIpPacket(packet, etherType);
    }
    if (!frame)
    {
        frame = FabricFrame::Create(); // not IP, or not what its headers say: left as it is
        frame->kind = FrameKind::PACKET;
        frame->etherType = etherType;
        frame->payload = packet->Copy();
        frame->payloadBytes = packet->GetSize();
    }
    FrameTag tag;
    if (frame->kind == FrameKind::ROCE && packet->PeekPacketTag(tag))
    {
        tag.Restore(*frame, NowSteps());
    }
    frame->ComputeSize();
    frame->trafficClass =
        IsIp(etherType) ? m_dscpMap.ClassOf(frame->dscp, m_packetClass) : m_packetClass;
    return frame;
}

bool
FabricNetDevice::HasRoomForPacket() const
{
    uint64_t largest = m_mtu + wire::ETHERNET_HEADER_BYTES + (m_vlanId ? wire::VLAN_TAG_BYTES : 0) +
                       wire::FCS_BYTES;
    return m_stackBytes == 0 || m_stackBytes + largest <= m_packetQueueBytes;
}

void
FabricNetDevice::StackFrameLeaves(FabricFrame& frame)
{
    frame.ingressPort = 0;
    m_stackBytes -= frame.sizeBytes;
    if (m_txQueue)
    {
        m_txQueue->NotifyTransmittedBytes(frame.sizeBytes);
        if (HasRoomForPacket())
        {
            m_txQueue->Wake();
        }
    }
}

void
FabricNetDevice::AddTag(FabricFrame& frame) const
{
    if (frame.kind != FrameKind::ROCE && frame.kind != FrameKind::PACKET)
    {
        return;
    }
    frame.vlanTagged = true;
    frame.vlanTci = static_cast<uint16_t>(frame.trafficClass << PCP_SHIFT | m_vlanId);
    if (frame.kind == FrameKind::PACKET)
    {
        frame.ComputeSize(); // the smallest frame is as small with a tag
    }
    else
    {
        frame.sizeBytes += wire::VLAN_TAG_BYTES; // of what its NIC says, which need not be standard
    }
}

void
FabricNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricNetDevice::GetChannel() const
{
    return m_channel;
}

void
FabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricNetDevice::GetAddress() const
{
    return m_address;
}

bool
FabricNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
FabricNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
FabricNetDevice::IsLinkUp() const
{
    return m_channel && m_channel->GetNDevices() == 2 && m_channel->IsUp();
}

void
FabricNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

void
FabricNetDevice::NotifyLinkUp()
{
    // What they need to know of the cable and of each other is known now.
    StartFlowControl();
    GetPeer()->StartFlowControl();
    m_flowControl->Start();
    UpdateReceiveBuffer();
    m_linkChange();
}

bool
FabricNetDevice::IsBroadcast() const
{
    return true;
}

Address
FabricNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricNetDevice::IsMulticast() const
{
    return true;
}

Address
FabricNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
FabricNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
FabricNetDevice::IsBridge() const
{
    return false;
}

bool
FabricNetDevice::IsPointToPoint() const
{
    return true; // ns-3's MPI simulators cut at channels between such devices
}

Ptr<Node>
FabricNetDevice::GetNode() const
{
    return m_node;
}

void
FabricNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    m_nodeId = node->GetId();
    if (m_cable)
    {
        m_cable->UpdateReceivers();
    }
}

bool
FabricNetDevice::NeedsArp() const
{
    return true;
}

void
FabricNetDevice::SetReceiveCallback(ReceiveCallback cb)
{
    m_receiveCallback = cb;
}

void
FabricNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscCallback = cb;
}

bool
FabricNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace ns3
