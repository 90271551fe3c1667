// SPDX-License-Identifier: GPL-2.0-only
// What a port can be told: its attributes and trace sources, and what follows from them.
#include "credit-flow-control.h"
#include "fabric-channel.h"
#include "fabric-net-device.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum-attribute.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uint128.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

namespace
{

constexpr uint16_t LARGEST_VLAN_ID = 4094;

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
            .AddAttribute(
                "PullAhead",
                "Behind a frame that takes no more bytes of the wire than that, a NIC's "
                "port chooses the next one at once, if nothing can arrive until that one "
                "starts: an event less. Times stay what they are, unless the NIC's host posts "
                "something else in between. Not in distributed runs. 0: never.",
                UintegerValue(256),
                MakeUintegerAccessor(&FabricNetDevice::SetPullAhead,
                                     &FabricNetDevice::GetPullAhead),
                MakeUintegerChecker<uint32_t>())
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

void
FabricNetDevice::SetOwner(FabricPortOwner* owner)
{
    m_owner = owner;
    m_pulls = owner && owner->HasFrames();
    UpdatePullAhead();
}

void
FabricNetDevice::SetPullAhead(uint32_t bytes)
{
    m_pullAhead = bytes;
    UpdatePullAhead();
}

uint32_t
FabricNetDevice::GetPullAhead() const
{
    return m_pullAhead;
}

void
FabricNetDevice::UpdatePullAhead()
{
    m_aheadSteps = m_pulls && m_pullAhead ? SerializationSteps(m_pullAhead) : -1;
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
    UpdatePullAhead();
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

} // namespace ns3
