// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-switch.h"

#include "ecmp-path-selector.h"
#include "pfc-headroom.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/enum-attribute.h"
#include "ns3/fabric-channel.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");
NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

namespace
{

/// What the largest RoCEv2 frame has besides its payload: VLAN tag, IPv6, and the headers of a
/// WRITE with immediate in one frame with our placement header.
constexpr uint32_t MOST_HEADER_BYTES = wire::ROCEV2_BASE_BYTES + wire::VLAN_TAG_BYTES +
                                       (wire::IPV6_BYTES - wire::IPV4_BYTES) +
                                       wire::PLACEMENT_BYTES + wire::RETH_BYTES + wire::IMMDT_BYTES;
constexpr uint32_t LARGEST_PATH_MTU = 4096;

#ifdef NS3_ASSERT_ENABLE
constexpr bool IS_CHECKED_BUILD = true;
#else
constexpr bool IS_CHECKED_BUILD = false;
#endif

/// @param device a port @param attribute of it @return bit c: class c
uint8_t
ClassesOf(const FabricNetDevice& device, const std::string& attribute)
{
    UintegerValue classes(0xff);
    device.GetAttributeFailSafe(attribute, classes);
    return static_cast<uint8_t>(classes.Get());
}

bool
PausesWholeLink(const FabricNetDevice& device)
{
    BooleanValue global(false);
    device.GetAttributeFailSafe("GlobalPause", global);
    return global.Get();
}

/// @param device a port @param from its other end
/// @return bit c: it stops class c when the other end asks for that
uint8_t
ObeyedClasses(const FabricNetDevice& device, const FabricNetDevice& from)
{
    if (PausesWholeLink(device) != PausesWholeLink(from))
    {
        return 0; // they do not understand each other
    }
    return PausesWholeLink(device) ? 0xff : ClassesOf(device, "PfcClasses");
}

/// @param classes bit c: class c @return "3, 4"
std::string
ListClasses(uint8_t classes)
{
    std::string list;
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (classes & (1U << c))
        {
            list += (list.empty() ? "" : ", ") + std::to_string(c);
        }
    }
    return list;
}

} // namespace

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricSwitch")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricSwitch>()
            .AddAttribute("LosslessClasses",
                          "Bit c: class c is lossless, so PFC guards it and has headroom.",
                          UintegerValue(1U << 3),
                          MakeUintegerAccessor(&FabricSwitch::m_losslessClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Pfc",
                          "Send pause frames. Without, every class is lossy.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricSwitch::m_pfc),
                          MakeBooleanChecker())
            .AddAttribute("MarkingPoint",
                          "When a frame's queue is looked at.",
                          EnumValue(FabricSwitch::MARK_AT_ENQUEUE),
                          MakeEnumAccessorFor<MarkingPoint>(&FabricSwitch::m_markingPoint),
                          MakeEnumChecker(FabricSwitch::MARK_AT_ENQUEUE,
                                          "Enqueue",
                                          FabricSwitch::MARK_AT_DEQUEUE,
                                          "Dequeue"))
            .AddAttribute("PauseQuanta",
                          "Time that a pause frame asks for (units of 512 bit times). It is "
                          "repeated at half of that while the class stays stopped.",
                          UintegerValue(0xffff),
                          MakeUintegerAccessor(&FabricSwitch::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("MaxFrameBytes",
                          "Largest frame on the switch's cables, of any class, for the headroom "
                          "(bytes, destination address to FCS). Where a class is lossless a larger "
                          "one stops the simulation.",
                          UintegerValue(LARGEST_PATH_MTU + MOST_HEADER_BYTES),
                          MakeUintegerAccessor(&FabricSwitch::m_maxFrameBytes),
                          MakeUintegerChecker<uint32_t>(wire::MIN_FRAME_BYTES))
            .AddAttribute("HeadroomBytes",
                          "Headroom of each lossless class at each port (bytes). 0: what each port "
                          "needs.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricSwitch::m_givenHeadroom),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AllowShortHeadroom",
                          "Accept HeadroomBytes below what a port needs, to study what is lost "
                          "then.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricSwitch::m_allowShortHeadroom),
                          MakeBooleanChecker())
            .AddAttribute(
                "LossyWithoutPfc",
                "Where a port does not ask for pauses of a lossless class "
                "(PfcSendClasses) or its peer does not obey them (PfcClasses), treat what "
                "comes in there as lossy, instead of refusing the configuration.",
                BooleanValue(false),
                MakeBooleanAccessor(&FabricSwitch::m_lossyWithoutPfc),
                MakeBooleanChecker())
            .AddAttribute("PhyMacDelay",
                          "Delay of one pass through a MAC and its PHY, at either end of a cable, "
                          "that headroom must cover beyond what the model itself has "
                          "(IngressLatency, the cable's Delay).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricSwitch::m_phyMacDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CheckConservation",
                          "At each frame, check that received = forwarded + dropped + buffered and "
                          "that the memory's accounts add up. On in builds with assertions.",
                          BooleanValue(IS_CHECKED_BUILD),
                          MakeBooleanAccessor(&FabricSwitch::m_checkConservation),
                          MakeBooleanChecker())
            .AddAttribute("PathSelector",
                          "Chooses among equal-cost ports.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_selector),
                          MakePointerChecker<PathSelector>())
            .AddAttribute("Buffer",
                          "The packet memory.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_buffer),
                          MakePointerChecker<SharedBuffer>())
            .AddAttribute("IntStamper",
                          "Writes in-band telemetry; null: this switch does not.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_intStamper),
                          MakePointerChecker<IntStamper>())
            .AddAttribute(
                "FrameTrimmer",
                "Cuts the payload off frames of lossy classes for which there is no room; "
                "null: they are dropped.",
                PointerValue(),
                MakePointerAccessor(&FabricSwitch::m_trimmer),
                MakePointerChecker<FrameTrimmer>())
            .AddAttribute("DropMirror",
                          "Sends the heads of dropped frames to a collector; null: nobody hears.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_mirror),
                          MakePointerChecker<DropMirror>())
            .AddAttribute("Reducer",
                          "Adds up and multiplies the frames of groups (FrameGroup); null: no "
                          "frame of a group has a way through this switch.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_reducer),
                          MakePointerChecker<InNetworkReducer>())
            .AddTraceSource("Drop",
                            "A frame is dropped: it, the port by which it came, the port by which "
                            "it would have left, and why.",
                            MakeTraceSourceAccessor(&FabricSwitch::m_dropTrace),
                            "ns3::FabricSwitch::DropTracedCallback")
            .AddAttribute("PfcWatchdog",
                          "Keeps pause storms from spreading; null: nobody does. Switches may "
                          "share one.",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_watchdog),
                          MakePointerChecker<PfcWatchdog>());
    return tid;
}

FabricSwitch::FabricSwitch() = default;
FabricSwitch::~FabricSwitch() = default;

void
FabricSwitch::NotifyConstructionCompleted()
{
    Object::NotifyConstructionCompleted();
    if (!m_selector)
    {
        m_selector = CreateObject<EcmpPathSelector>();
    }
    if (!m_buffer)
    {
        m_buffer = CreateObject<SharedBuffer>();
    }
}

void
FabricSwitch::DoDispose()
{
    m_ports.clear();
    m_linkChange = LinkChangeCallback();
    m_selector = nullptr;
    m_buffer = nullptr;
    m_reducer = nullptr;
    Object::DoDispose();
}

uint32_t
FabricSwitch::AddPort(Ptr<FabricNetDevice> device)
{
    constexpr uint32_t MOST_PORTS = InNetworkReducer::IN_REDUCER;
    NS_ABORT_MSG_IF(m_ports.size() >= MOST_PORTS,
                    "FabricSwitch: no more than " << MOST_PORTS << " ports");
    auto number = static_cast<uint32_t>(m_ports.size());
    auto port = std::make_unique<Port>();
    port->device = PeekPointer(device);
    port->keepDevice = device;
    m_ports.push_back(std::move(port));
    uint32_t ifIndex = device->GetIfIndex();
    if (m_portOfIfIndex.size() <= ifIndex)
    {
        m_portOfIfIndex.resize(ifIndex + 1, UINT32_MAX);
    }
    m_portOfIfIndex[ifIndex] = number;
    device->SetOwner(this);
    device->SetAttribute("VlanId", UintegerValue(0));
    return number;
}

std::string
FabricSwitch::Configure()
{
    m_select = PeekPointer(m_selector);
    m_selectorWatches = m_selector->WatchesFrames();
    m_account = PeekPointer(m_buffer);
    m_stamper = PeekPointer(m_intStamper);
    if (m_reducer)
    {
        InstallReducer();
    }
    if (!m_pfc)
    {
        m_losslessClasses = 0;
    }
    std::vector<BufferPort> ports;
    for (uint32_t number = 0; number < GetNPorts(); ++number)
    {
        Port& port = *m_ports[number];
        port.pfc.Configure(*port.device, m_pauseQuanta);
        std::string why =
            port.device->GetCreditClasses() ? ConfigureCredits(number) : ConfigurePfc(number);
        if (!why.empty())
        {
            return why;
        }
        if (m_watchdog)
        {
            m_watchdog->Watch(port.keepDevice, port.losslessClasses);
        }
        ports.push_back({port.losslessClasses,
                         port.headroomBytes,
                         port.device->GetDataRate().GetBitRate(),
                         port.device->GetFrameOverhead()});
    }
    if (m_checkConservation)
    {
        m_audit = std::make_unique<SwitchAudit>(*this);
    }
    return m_buffer->Configure(ports);
}

void
FabricSwitch::InstallReducer()
{
    Ptr<Node> node = m_ports.at(0)->device->GetNode();
    m_reducer->SetSwitch(*this);
    if (!node->GetObject<FrameGroupUnit>())
    {
        node->AggregateObject(m_reducer); // where endpoints find it
    }
}

std::string
FabricSwitch::ConfigureCredits(uint32_t number)
{
    Port& port = *m_ports[number];
    port.creditClasses = port.device->GetCreditClasses();
    port.losslessClasses = m_losslessClasses;
    port.headroomBytes = port.device->GetCreditBufferBytes();
    if (m_losslessClasses != port.creditClasses)
    {
        return "port " + std::to_string(number) + " has credits for class " +
               ListClasses(port.creditClasses) + ", but LosslessClasses are " +
               ListClasses(m_losslessClasses) + ": set both alike";
    }
    if (m_buffer->GetCellBytes() > 1)
    {
        return "port " + std::to_string(number) +
               " goes by credits, which count bytes: set the buffer's CellBytes to 0, not " +
               std::to_string(m_buffer->GetCellBytes());
    }
    return "";
}

std::string
FabricSwitch::ConfigurePfc(uint32_t number)
{
    Port& port = *m_ports[number];
    Ptr<FabricNetDevice> peer = port.device->GetPeer();
    NS_ABORT_MSG_UNLESS(peer, "FabricSwitch: a port has no cable");
    uint8_t asked = ClassesOf(*port.device, "PfcSendClasses");
    uint8_t obeyed = ObeyedClasses(*peer, *port.device);
    uint8_t bare = m_losslessClasses & ~(asked & obeyed);
    if (bare && !m_lossyWithoutPfc)
    {
        std::ostringstream why;
        why << "lossless class " << ListClasses(bare) << " at port " << number << ", from node "
            << peer->GetNodeId() << ": ";
        if (bare & ~asked)
        {
            why << "the port sends no pause for class " << ListClasses(bare & ~asked)
                << " (PfcSendClasses)";
        }
        if (bare & ~obeyed)
        {
            why << (bare & ~asked ? ", " : "") << "the other end does not obey one for class "
                << ListClasses(bare & ~obeyed) << " (PfcClasses, GlobalPause)";
        }
        why << ", so it cannot be held. Take it out of LosslessClasses, or set LossyWithoutPfc";
        return why.str();
    }
    port.losslessClasses = m_losslessClasses & ~bare;
    port.pfcClasses = port.losslessClasses;
    std::string quanta = CheckPauseQuanta(*port.device);
    return !quanta.empty() ? quanta
                           : ConfigureHeadroom(number, NeededHeadroom(*port.device, *peer));
}

std::string
FabricSwitch::ConfigureHeadroom(uint32_t number, uint64_t needed)
{
    Port& port = *m_ports[number];
    bool given = m_givenHeadroom > 0;
    port.headroomBytes = port.losslessClasses == 0 ? 0 : given ? m_givenHeadroom : needed;
    if (port.losslessClasses == 0 || !given || m_givenHeadroom >= needed || m_allowShortHeadroom)
    {
        return "";
    }
    std::ostringstream why;
    why << "a lossless class at port " << number << ", from node "
        << port.device->GetPeer()->GetNodeId() << ", needs " << needed
        << " B of headroom, HeadroomBytes gives it " << m_givenHeadroom
        << " B (AllowShortHeadroom accepts that, and loss)";
    return why.str();
}

uint64_t
FabricSwitch::NeededHeadroom(const FabricNetDevice& device, const FabricNetDevice& peer) const
{
    PfcHeadroomInput in;
    in.rate = device.GetDataRate();
    in.propagation = DynamicCast<FabricChannel>(device.GetChannel())->GetDelay();
    in.ingressLatency = TimeStep(device.GetIngressLatencySteps() + peer.GetIngressLatencySteps());
    in.response = peer.GetPauseResponseTime();
    in.maxFrameBytes = m_maxFrameBytes;
    in.frameOverhead = device.GetFrameOverhead();
    in.phyMacDelay = m_phyMacDelay;
    in.cellBytes = m_buffer->GetCellBytes();
    return ComputePfcHeadroom(in);
}

std::string
FabricSwitch::CheckPauseQuanta(const FabricNetDevice& port) const
{
    // A pause is repeated before its time is over; the repetition may have to wait for a largest
    // frame. Where it is never repeated (PauseRefresh 0) that is on purpose.
    uint64_t largest = uint64_t{m_maxFrameBytes} + port.GetFrameOverhead();
    uint64_t pauseBytes = m_pauseQuanta * uint64_t{wire::PAUSE_QUANTUM_BITS} / 8;
    int64_t refresh = port.GetPauseRefreshSteps(m_pauseQuanta);
    int64_t left = port.SerializationSteps(pauseBytes) - refresh;
    if (m_losslessClasses == 0 || refresh == NEVER || left >= port.SerializationSteps(largest))
    {
        return "";
    }
    std::ostringstream why;
    why << "a pause of " << m_pauseQuanta << " quanta lasts for " << pauseBytes << " B; repeated "
        << left / std::max<int64_t>(1, port.SerializationSteps(1))
        << " B before its end, behind a frame of " << largest
        << " B, it comes too late to hold a lossless class";
    return why.str();
}

Ptr<FabricNetDevice>
FabricSwitch::GetPort(uint32_t port) const
{
    return m_ports.at(port)->keepDevice;
}

void
FabricSwitch::SetMacTable(std::shared_ptr<const MacTable> table)
{
    m_macs = std::move(table);
}

void
FabricSwitch::SetFloodPorts(std::vector<uint32_t> ports)
{
    m_floodPorts = std::move(ports);
}

Ptr<SharedBuffer>
FabricSwitch::GetBuffer() const
{
    return m_buffer;
}

void
FabricSwitch::SetEcnMarker(uint32_t port, uint32_t trafficClass, Ptr<EcnMarker> marker)
{
    m_ports.at(port)->keepMarkers.at(trafficClass) = marker;
    m_ports.at(port)->markers.at(trafficClass) = PeekPointer(marker);
    bool timed = marker && marker->KeepsState();
    uint8_t others = m_ports.at(port)->timedMarkers & ~(1U << trafficClass);
    m_ports.at(port)->timedMarkers = others | (timed ? 1U << trafficClass : 0);
}

uint64_t
FabricSwitch::GetHeadroomBytes(uint32_t port) const
{
    return m_ports.at(port)->headroomBytes;
}

bool
FabricSwitch::IsPausing(uint32_t port, uint32_t trafficClass) const
{
    return m_ports.at(port)->pfc.IsPausing(trafficClass);
}

int64_t
FabricSwitch::AssignStreams(int64_t stream)
{
    int64_t used = 0;
    std::vector<EcnMarker*> done; // ports of one rate share markers
    for (const auto& port : m_ports)
    {
        for (EcnMarker* marker : port->markers)
        {
            if (marker && std::find(done.begin(), done.end(), marker) == done.end())
            {
                used += marker->AssignStreams(stream + used);
                done.push_back(marker);
            }
        }
    }
    used += m_selector->AssignStreams(stream + used);
    return used + (m_intStamper ? m_intStamper->AssignStreams(stream + used) : 0);
}

uint32_t
FabricSwitch::PortOf(const FabricNetDevice& device) const
{
    return m_portOfIfIndex[device.GetNumber()];
}

ForwardingTable::Ports
FabricSwitch::LookupMac(Mac48Address mac) const
{
    uint32_t address = 0;
    bool known = m_macs && m_macs->Find(mac, address);
    return known ? m_table.Lookup(address) : ForwardingTable::Ports{nullptr, 0};
}

ForwardingTable::Ports
FabricSwitch::Lookup(const FabricFrame& frame) const
{
    // The stack's addresses need not be the fabric's; what ARP has found is always right.
    return frame.kind == FrameKind::PACKET ? LookupMac(frame.dstMac)
                                           : m_table.Lookup(frame.dstAddress);
}

bool
FabricSwitch::HasFrames() const
{
    return false; // they stand in the queues of the ports
}

void
FabricSwitch::PrefetchReceive(const FabricNetDevice& device, const FabricFrame& frame) const
{
    ForwardingTable::Ports ports = m_table.Lookup(frame.dstAddress);
    if (ports.count == 0)
    {
        return;
    }
    uint32_t egress = ports.count == 1 ? *ports.first : m_select->Foresee(frame, ports);
    if (egress < m_ports.size())
    {
        uint32_t ingress = PortOf(device);
        __builtin_prefetch(m_ports[ingress].get());
        __builtin_prefetch(m_ports[egress].get());
        m_account->Prefetch(ingress, egress, frame.trafficClass);
        m_ports[egress]->device->PrefetchEnqueue(frame.trafficClass);
    }
}

// The way of each frame: what it calls stands in one piece, but for what is rare.
[[gnu::flatten]] void
FabricSwitch::ReceiveFrame(FabricNetDevice& device, FramePtr frame)
{
    uint32_t ingress = PortOf(device);
    if (m_selectorWatches && m_select->FrameArrives(*this, ingress, frame))
    {
        return;
    }
    Switch(ingress, std::move(frame));
}

void
FabricSwitch::Switch(uint32_t ingress, FramePtr&& frame)
{
    ForwardingTable::Ports ports = Lookup(*frame);
    if (ports.count == 0)
    {
        ReceiveUnrouted(ingress, std::move(frame));
        return;
    }
    Route(ingress, ports, std::move(frame));
}

[[gnu::noinline]] void
FabricSwitch::ReceiveUnrouted(uint32_t ingress, FramePtr frame)
{
    static const Mac48Address none("00:00:00:00:00:00");
    if (m_reducer && m_reducer->Take(ingress, frame))
    {
        return;
    }
    if (frame->kind == FrameKind::SCALE_UP || frame->dstMac == none)
    {
        Drop(ingress, NO_PORT, *frame, DropReason::NO_ROUTE);
        return;
    }
    uint32_t address = 0;
    if (m_macs && m_macs->Find(frame->dstMac, address)) // a router, or an endpoint out of reach
    {
        ForwardingTable::Ports ports = m_table.Lookup(address);
        if (ports.count == 0)
        {
            Drop(ingress, NO_PORT, *frame, DropReason::NO_ROUTE);
            return;
        }
        Route(ingress, ports, std::move(frame));
        return;
    }
    for (uint32_t egress : m_floodPorts)
    {
        if (egress != ingress)
        {
            Forward(ingress, egress, frame->Clone());
        }
    }
}

void
FabricSwitch::Route(uint32_t ingress, ForwardingTable::Ports ports, FramePtr&& frame)
{
    uint32_t egress =
        ports.count == 1 ? *ports.first : m_select->Select(*this, ingress, *frame, ports);
    Forward(ingress, egress, std::move(frame));
}

[[gnu::noinline]] void
FabricSwitch::RefuseTooLarge(const FabricFrame& frame) const
{
    NS_ABORT_MSG("FabricSwitch: a frame of "
                 << frame.sizeBytes << " B (telemetry included) came in class "
                 << +frame.trafficClass
                 << ", but the headroom of lossless classes is for frames of MaxFrameBytes = "
                 << m_maxFrameBytes << " B. Raise it, or lower the sender's MTU.");
}

void
FabricSwitch::Forward(uint32_t ingress, uint32_t egress, FramePtr&& frame)
{
    if (Book(ingress, egress, frame))
    {
        Queue(egress, std::move(frame));
    }
}

bool
FabricSwitch::Book(uint32_t ingress, uint32_t egress, FramePtr& frame)
{
    if (frame->sizeBytes > m_maxFrameBytes && m_losslessClasses)
    {
        RefuseTooLarge(*frame);
    }
    uint32_t trafficClass = frame->trafficClass;
    if (!m_account->Admit(ingress, egress, trafficClass, frame->sizeBytes))
    {
        NoRoom(ingress, egress, std::move(frame));
        return false;
    }
    frame->ingressPort = static_cast<uint16_t>(ingress);
    ++frame->hops;
    Port& in = *m_ports[ingress];
    if ((in.pfcClasses & (1U << trafficClass)) && !in.pfc.IsPausing(trafficClass) &&
        m_account->MustPause(ingress, trafficClass))
    {
        in.pfc.Pause(trafficClass);
    }
    return true;
}

void
FabricSwitch::Queue(uint32_t egress, FramePtr&& frame)
{
    Port& out = *m_ports[egress];
    if (m_markingPoint == MARK_AT_ENQUEUE)
    {
        MarkIfCongested(out, *frame, out.device->GetQueuedBytes(frame->trafficClass));
    }
    out.device->Enqueue(std::move(frame));
}

void
FabricSwitch::FrameDeparts(FabricNetDevice& device, FabricFrame& frame)
{
    if (frame.ingressPort & InNetworkReducer::IN_REDUCER)
    {
        m_reducer->FrameLeaves(frame); // it was never in the packet memory
        return;
    }
    uint32_t trafficClass = frame.trafficClass;
    uint32_t egress = PortOf(device);
    if (m_markingPoint == MARK_AT_DEQUEUE)
    {
        MarkIfCongested(*m_ports[egress], frame, device.GetQueuedBytes(trafficClass));
    }
    uint32_t ingress = frame.ingressPort;
    m_account->Release(ingress, egress, trafficClass, frame.sizeBytes);
    if (frame.switchHeader && m_stamper)
    {
        m_stamper->Stamp(*this, egress, frame);
    }
    if (m_selectorWatches)
    {
        m_select->FrameDeparts(*this, egress, frame);
    }
    ResumeIfDrained(ingress, trafficClass);
}

void
FabricSwitch::ResumeIfDrained(uint32_t ingress, uint32_t trafficClass)
{
    Port& in = *m_ports[ingress];
    if (in.creditClasses)
    {
        in.device->MemoryFreed(trafficClass);
        return;
    }
    PfcInitiator& pfc = in.pfc;
    if (pfc.IsPausing(trafficClass) && m_account->MayResume(ingress, trafficClass))
    {
        pfc.Resume(trafficClass);
    }
}

void
FabricSwitch::FrameFlushed(FabricNetDevice& device, FabricFrame& frame, DropReason reason)
{
    uint32_t egress = PortOf(device);
    uint32_t ingress = frame.ingressPort;
    ++m_faultDrops;
    if (ingress & InNetworkReducer::IN_REDUCER)
    {
        m_reducer->FrameLeaves(frame);
        m_dropTrace(frame, NO_PORT, egress, reason);
        return;
    }
    m_account->Release(ingress, egress, frame.trafficClass, frame.sizeBytes);
    m_dropTrace(frame, ingress, egress, reason);
    if (m_mirror)
    {
        m_mirror->Mirror(*this, frame, ingress, egress, reason);
    }
    ResumeIfDrained(ingress, frame.trafficClass);
}

void
FabricSwitch::LinkChanged(FabricNetDevice& device, bool up)
{
    uint32_t number = PortOf(device);
    PfcInitiator& pfc = m_ports[number]->pfc;
    pfc.Reset(); // the far end has forgotten it too
    for (uint32_t c = 0; up && c < N_TRAFFIC_CLASSES; ++c)
    {
        if ((m_ports[number]->pfcClasses & (1U << c)) && m_account->MustPause(number, c))
        {
            pfc.Pause(c); // what came by this port before is still in the way
        }
    }
    if (!m_linkChange.IsNull())
    {
        m_linkChange(m_ports[number]->keepDevice, up);
    }
}

uint64_t
FabricSwitch::HeldBytes(FabricNetDevice& device, uint32_t trafficClass)
{
    return m_account->GetIngressBytes(PortOf(device), trafficClass);
}

void
FabricSwitch::SetRunning(bool running)
{
    for (const auto& port : m_ports)
    {
        port->device->SetRunning(running);
    }
}

[[gnu::noinline]] void
FabricSwitch::NoRoom(uint32_t ingress, uint32_t egress, FramePtr frame)
{
    bool lossless = m_ports[ingress]->losslessClasses & (1U << frame->trafficClass);
    // A trimmed frame that finds no room either is dropped: Trim() refuses it.
    if (!lossless && m_trimmer && m_trimmer->Trim(*frame))
    {
        NS_ABORT_MSG_IF(m_ports[ingress]->losslessClasses & (1U << frame->trafficClass),
                        "FabricSwitch: FrameTrimmer's TrimClass is "
                            << +frame->trafficClass
                            << ", which is lossless: PFC would stop the wrong senders");
        Forward(ingress, egress, std::move(frame));
        return;
    }
    bool pauseLost = m_ports[ingress]->device->WasPauseLost(frame->trafficClass);
    Drop(ingress,
         egress,
         *frame,
         !lossless   ? DropReason::LOSSY_FULL
         : pauseLost ? DropReason::PAUSE_LOST
                     : DropReason::HEADROOM_FULL);
}

void
FabricSwitch::Drop(uint32_t ingress, uint32_t egress, const FabricFrame& frame, DropReason reason)
{
    switch (reason)
    {
    case DropReason::NO_ROUTE:
        ++m_unroutableDrops;
        break;
    case DropReason::LOSSY_FULL:
        ++m_lossyDrops;
        break;
    default:
        ++m_losslessDrops;
    }
    m_ports[ingress]->device->NotifyDrop(frame, reason);
    m_dropTrace(frame, ingress, egress, reason);
    if (m_mirror)
    {
        m_mirror->Mirror(*this, frame, ingress, egress, reason);
    }
}

void
FabricSwitch::MarkIfCongested(Port& out, FabricFrame& frame, uint64_t queueBytes)
{
    // Only an ECN-capable transport may be marked (RFC 3168, 5); the others are left alone.
    EcnMarker* marker = out.markers[frame.trafficClass];
    if (!marker)
    {
        return;
    }
    bool timed = out.timedMarkers & (1U << frame.trafficClass);
    int64_t now = timed ? NowSteps() : 0;
    if (frame.ecn == EcnField::NOT_ECT || frame.ecn == EcnField::CE)
    {
        if (timed)
        {
            marker->Observe(queueBytes, now);
        }
        return;
    }
    bool marked = marker->ShouldMark(queueBytes, now);
    for (uint32_t more = 1; more < frame.segments && !marked; ++more)
    {
        marked = marker->ShouldMark(queueBytes, now); // as if each of its segments had come
    }
    if (marked)
    {
        frame.ecn = EcnField::CE;
        out.device->NotifyMark();
    }
}

} // namespace ns3
