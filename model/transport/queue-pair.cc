// SPDX-License-Identifier: GPL-2.0-only
#include "queue-pair.h"

#include "coarse-frame.h"
#include "fabric-rdma-port.h"
#include "go-back-n.h"
#include "rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/enum-attribute.h"
#include "ns3/int-header.h"
#include "ns3/line-rate-congestion-ops.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QueuePair");
NS_OBJECT_ENSURE_REGISTERED(QueuePair);

namespace
{

/// A whole PSN space above 0, so that numbers just before the first one need no negative values.
constexpr uint64_t PSN_SPACE = uint64_t{wire::MASK_24} + 1;

/// First of the dynamic ports, and how many there are.
constexpr uint32_t DYNAMIC_PORTS = 0xc000;
constexpr uint32_t N_DYNAMIC_PORTS = 0x4000;

/// @return the recovery of pairs that nobody gave one
Ptr<RdmaReliability>
DefaultReliability()
{
    static Ptr<RdmaReliability> goBackN = CreateObject<GoBackN>();
    return goBackN;
}

} // namespace

TypeId
QueuePair::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QueuePair")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<QueuePair>()
            .AddAttribute("Type",
                          "Transport service: reliable connected, unreliable connected, or "
                          "unreliable datagram.",
                          EnumValue(static_cast<int>(QpType::RC)),
                          MakeEnumAccessorFor<int>(&QueuePair::m_type),
                          MakeEnumChecker(static_cast<int>(QpType::RC),
                                          "RC",
                                          static_cast<int>(QpType::UC),
                                          "UC",
                                          static_cast<int>(QpType::UD),
                                          "UD"))
            .AddAttribute("Mtu",
                          "Payload bytes of a full frame. The standard's path MTUs are 256, 512, "
                          "1024, 2048 and 4096; any size is allowed.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&QueuePair::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, 1U << 30))
            .AddAttribute("Ipv6",
                          "Frames go over IPv6.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QueuePair::m_ipv6),
                          MakeBooleanChecker())
            .AddAttribute("TrafficClass",
                          "Class of data frames, 0 to 7.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&QueuePair::m_trafficClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddAttribute("Dscp",
                          "DSCP of data frames.",
                          UintegerValue(26),
                          MakeUintegerAccessor(&QueuePair::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("EcnCapable",
                          "Data frames are sent as ECT(0); otherwise no switch may mark them.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&QueuePair::m_ecnCapable),
                          MakeBooleanChecker())
            .AddAttribute("UdpSourcePortPolicy",
                          "How the UDP source port, a flow's entropy for ECMP, is chosen: Hash of "
                          "the queue pair numbers into 49152 to 65535, as Linux does; Fixed to "
                          "UdpSourcePort for all pairs; PerPair, counted up from UdpSourcePort; "
                          "Listed, from UdpSourcePorts in turn. With Hash, a UdpSourcePort that is "
                          "not 0 is taken as it is.",
                          EnumValue(QueuePair::PORT_BY_HASH),
                          MakeEnumAccessorFor<int>(&QueuePair::m_portPolicy),
                          MakeEnumChecker(QueuePair::PORT_BY_HASH,
                                          "Hash",
                                          QueuePair::PORT_FIXED,
                                          "Fixed",
                                          QueuePair::PORT_PER_PAIR,
                                          "PerPair",
                                          QueuePair::PORT_LISTED,
                                          "Listed"))
            .AddAttribute("UdpSourcePort",
                          "UDP source port of Fixed, first one of PerPair; 0 is 49152 there, and "
                          "for Hash none.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QueuePair::m_udpSourcePort),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute(
                "UdpSourcePorts",
                "UDP source ports of Listed, with commas between them.",
                StringValue(""),
                MakeStringAccessor(&QueuePair::SetSourcePorts, &QueuePair::GetSourcePorts),
                MakeStringChecker())
            .AddAttribute(
                "AckInterval",
                "An acknowledgement is asked for every so many frames, at the end of each "
                "message, and when the window is full.",
                UintegerValue(16),
                MakeUintegerAccessor(&QueuePair::m_ackInterval),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "SegmentsPerFrame",
                "Coarse packets: one simulated frame of a SEND or WRITE stands for up to so many "
                "frames of the wire, one right behind the other. Only of RC with go-back-N, and "
                "where congestion control needs neither telemetry nor credit. 1: all are "
                "simulated.",
                UintegerValue(1),
                MakeUintegerAccessor(&QueuePair::m_segmentsPerFrame),
                MakeUintegerChecker<uint8_t>(1, MOST_SEGMENTS_PER_FRAME))
            .AddAttribute("Window",
                          "A frame may go while fewer payload bytes than this are in flight, where "
                          "congestion control sets no window; 0 is no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QueuePair::m_windowBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("VariableWindow",
                          "This Window is scaled with the pacing rate's share of the line rate.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QueuePair::m_variableWindow),
                          MakeBooleanChecker())
            .AddAttribute("Timeout",
                          "n of the transport timer, 4.096 us x 2^n from a frame that asks for an "
                          "acknowledgement; 0 switches it off.",
                          UintegerValue(14),
                          MakeUintegerAccessor(&QueuePair::m_timeout),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("RetryCount",
                          "Timeouts and sequence NAKs in a row without progress before the pair "
                          "goes to error.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&QueuePair::m_retryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("RetryForever",
                          "It never gives up, whatever RetryCount says: no NIC does that, but the "
                          "simulators of many papers do.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QueuePair::m_retryForever),
                          MakeBooleanChecker())
            .AddAttribute("RnrRetryCount",
                          "Likewise for receiver-not-ready; 7 is for ever.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&QueuePair::m_rnrRetryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("MinRnrTimer",
                          "Code of the time that this pair asks for when it is not ready (1 is "
                          "10 us).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&QueuePair::m_minRnrTimer),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("InitialPsn",
                          "PSN of the first frame.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QueuePair::m_initialPsn),
                          MakeUintegerChecker<uint32_t>(0, wire::MASK_24))
            .AddAttribute("MaxReads",
                          "READs and atomics that may be outstanding; what comes behind waits.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&QueuePair::m_maxReads),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("MaxIncomingReads",
                          "READs and atomics of the other side that are served at a time; one more "
                          "is an invalid request.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&QueuePair::m_maxIncomingReads),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("MaxSendWr",
                          "Most send work requests outstanding.",
                          UintegerValue(UINT32_MAX),
                          MakeUintegerAccessor(&QueuePair::m_maxSendWr),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxReceiveWr",
                          "Most receive work requests outstanding.",
                          UintegerValue(UINT32_MAX),
                          MakeUintegerAccessor(&QueuePair::m_maxReceiveWr),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxSge",
                          "Most scatter/gather pieces of a work request.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&QueuePair::m_maxPieces),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("MaxInline",
                          "Most bytes of an inline work request.",
                          UintegerValue(220),
                          MakeUintegerAccessor(&QueuePair::m_maxInline),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("BaseRtt",
                          "Round trip of a full frame and its answer through an empty network, "
                          "for congestion control that must know it; 0: not known.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&QueuePair::SetBaseRtt, &QueuePair::GetBaseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CongestionScope",
                          "Whom one instance of congestion control serves: this pair, or all pairs "
                          "of the NIC with the same destination and traffic class.",
                          EnumValue(QueuePair::PER_PAIR),
                          MakeEnumAccessorFor<int>(&QueuePair::m_congestionScope),
                          MakeEnumChecker(QueuePair::PER_PAIR,
                                          "Pair",
                                          QueuePair::PER_DESTINATION,
                                          "Destination"))
            .AddAttribute("CollectTelemetry",
                          "SENDs and WRITEs ask the switches for in-band telemetry, in this "
                          "format; answers echo it, and the trace source Telemetry of RdmaNic "
                          "shows it. On a fabric only. None: what congestion control needs.",
                          EnumValue(static_cast<int>(TelemetryFormat::NONE)),
                          MakeEnumAccessorFor<int>(&QueuePair::m_telemetry),
                          MakeEnumChecker(static_cast<int>(TelemetryFormat::NONE),
                                          "None",
                                          static_cast<int>(TelemetryFormat::INT_MD),
                                          "IntMd",
                                          static_cast<int>(TelemetryFormat::HPCC),
                                          "Hpcc",
                                          static_cast<int>(TelemetryFormat::PINT),
                                          "Pint",
                                          static_cast<int>(TelemetryFormat::PINT_16),
                                          "Pint16"))
            .AddAttribute("Qkey",
                          "UD: datagrams with another queue key are dropped.",
                          UintegerValue(DEFAULT_QKEY),
                          MakeUintegerAccessor(&QueuePair::SetQkey, &QueuePair::GetQkey),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

QueuePair::QueuePair()
    : m_place(Place::IDLE),
      m_state(QpState::RESET),
      m_responseTurn(true),
      m_selective(false),
      m_requester(*this),
      m_responder(*this)
{
}

QueuePair::~QueuePair() = default;

void
QueuePair::DoDispose()
{
    LeaveSharedPacer();
    m_completions = nullptr;
    m_extras.reset();
    m_ops = nullptr;
    m_reliability = nullptr;
    Object::DoDispose();
}

// ---------------------------------------------------------------- set-up

void
QueuePair::Attach(RdmaNic* nic, RdmaPort* port, uint32_t number)
{
    m_nic = nic;
    m_port = port;
    m_number = number;
}

QueuePair::Extras&
QueuePair::GetExtras()
{
    if (!m_extras)
    {
        m_extras = std::make_unique<Extras>();
    }
    return *m_extras;
}

void
QueuePair::SetCompletionQueue(Ptr<CompletionQueue> queue)
{
    m_completions = queue;
}

void
QueuePair::SetReceiveCompletionQueue(Ptr<CompletionQueue> queue)
{
    GetExtras().receiveCompletions = queue;
}

void
QueuePair::SetSharedReceiveQueue(Ptr<SharedReceiveQueue> queue)
{
    GetExtras().sharedReceives = queue;
}

void
QueuePair::SetProtectionDomain(Ptr<ProtectionDomain> domain)
{
    GetExtras().domain = domain;
}

ProtectionDomain&
QueuePair::GetDomain() const
{
    return m_extras && m_extras->domain ? *m_extras->domain : m_nic->OpenDomain();
}

void
QueuePair::SetCongestionControl(Ptr<RdmaCongestionOps> ops)
{
    m_ops = ops;
}

void
QueuePair::SetReliability(Ptr<RdmaReliability> reliability)
{
    m_reliability = reliability;
}

std::vector<uint16_t>
QueuePair::ParseSourcePorts(const std::string& list, std::string& error)
{
    std::vector<uint16_t> ports;
    std::istringstream text(list);
    for (std::string item; std::getline(text, item, ',');)
    {
        std::istringstream number(item);
        uint32_t port = 0;
        bool good = number >> port && number.eof() && port > 0 && port <= UINT16_MAX;
        if (!good)
        {
            error = "UdpSourcePorts: \"" + item + "\" in \"" + list + "\" is no port (1 to 65535)";
            return {};
        }
        ports.push_back(static_cast<uint16_t>(port));
    }
    return ports;
}

void
QueuePair::SetSourcePorts(std::string list)
{
    std::string error;
    std::vector<uint16_t> ports = ParseSourcePorts(list, error);
    if (!ports.empty() || m_extras)
    {
        GetExtras().sourcePorts = ports;
    }
    NS_ABORT_MSG_UNLESS(error.empty(), "QueuePair::" << error);
}

std::string
QueuePair::GetSourcePorts() const
{
    std::ostringstream text;
    for (size_t i = 0; m_extras && i < m_extras->sourcePorts.size(); ++i)
    {
        text << (i > 0 ? "," : "") << m_extras->sourcePorts[i];
    }
    return text.str();
}

uint16_t
QueuePair::ChooseSourcePort(uint32_t remoteNumber) const
{
    uint32_t first = m_udpSourcePort > 0 ? m_udpSourcePort : DYNAMIC_PORTS;
    switch (m_portPolicy)
    {
    case PORT_FIXED:
        return static_cast<uint16_t>(first);
    case PORT_PER_PAIR:
        return static_cast<uint16_t>(first + m_number % (UINT16_MAX + 1 - first));
    case PORT_LISTED:
        NS_ABORT_MSG_IF(!m_extras || m_extras->sourcePorts.empty(),
                        "QueuePair: UdpSourcePortPolicy is Listed, but UdpSourcePorts is empty");
        return m_extras->sourcePorts[m_number % m_extras->sourcePorts.size()];
    default: {
        if (m_udpSourcePort > 0)
        {
            return m_udpSourcePort;
        }
        // As Linux does: both numbers make a flow label of 20 bits, whose upper 6 are folded into
        // the 14 that tell the dynamic ports apart.
        constexpr uint64_t FLOW_LABEL_MASK = 0xfffff;
        constexpr uint32_t PORT_BITS = 14;
        uint64_t v = uint64_t{m_number} * remoteNumber;
        v ^= v >> 20;
        v ^= v >> 40;
        v &= FLOW_LABEL_MASK;
        v ^= v >> PORT_BITS;
        return static_cast<uint16_t>(DYNAMIC_PORTS | (v & (N_DYNAMIC_PORTS - 1)));
    }
    }
}

void
QueuePair::FinishPath(RdmaPath& path, uint32_t remoteNumber) const
{
    path.udpSourcePort = ChooseSourcePort(remoteNumber);
    path.flowHash =
        path.source.ipv6
            ? FlowHash6(path.source.bytes, path.destination.bytes, 0, path.udpSourcePort)
            : FlowHash(path.source.key, path.destination.key, path.udpSourcePort);
}

void
QueuePair::Connect(Ptr<QueuePair> a, Ptr<QueuePair> b)
{
    NS_ABORT_MSG_IF(a->m_state != QpState::RESET || b->m_state != QpState::RESET,
                    "QueuePair::Connect: both pairs must be in RESET");
    NS_ABORT_MSG_IF(a->m_type != b->m_type || a->GetType() == QpType::UD,
                    "QueuePair::Connect: both pairs must be RC, or both UC");
    NS_ABORT_MSG_IF(a->m_mtu != b->m_mtu,
                    "QueuePair::Connect: the pairs have an Mtu of " << a->m_mtu << " and "
                                                                    << b->m_mtu);
    for (auto [pair, other] : {std::pair(a, b), std::pair(b, a)})
    {
        QpRemote remote = other->GetLocal();
        for (QpState next : {QpState::INIT, QpState::RTR, QpState::RTS})
        {
            ModifyResult result = pair->Modify(next, &remote);
            NS_ABORT_MSG_UNLESS(result == ModifyResult::MODIFIED, pair->Explain(result));
        }
    }
    NS_ABORT_MSG_IF(a->m_selective != b->m_selective,
                    "QueuePair::Connect: the strategies "
                        << a->m_reliability->GetName() << " and " << b->m_reliability->GetName()
                        << " have different frames: both sides must be selective, or neither");
}

QpRemote
QueuePair::GetLocal() const
{
    return {m_port->GetAddress(m_ipv6), m_port->GetMac(), m_number, m_initialPsn};
}

ModifyResult
QueuePair::Modify(QpState state, const QpRemote* remote)
{
    if (state == QpState::ERROR)
    {
        Fail(WcStatus::FLUSHED);
        return ModifyResult::MODIFIED;
    }
    if (state == QpState::RESET)
    {
        Reset();
        return ModifyResult::MODIFIED;
    }
    if (state == QpState::RTR && m_state == QpState::INIT)
    {
        return BecomeReadyToReceive(remote);
    }
    if (state == QpState::RTS && m_state == QpState::RTR)
    {
        BecomeReadyToSend();
        return ModifyResult::MODIFIED;
    }
    bool stays = state == m_state && state != QpState::RTR; // the standard lets attributes change
    bool allowed = stays || (state == QpState::INIT && m_state == QpState::RESET) ||
                   (state == QpState::SQD && m_state == QpState::RTS) ||
                   (state == QpState::RTS && m_state == QpState::SQD);
    if (!allowed)
    {
        return ModifyResult::WRONG_TRANSITION;
    }
    SetState(state);
    if (state == QpState::SQD && !stays && !m_requester.IsBusy())
    {
        Drained(); // nothing had started
    }
    m_port->Activate(*this); // what waited in SQD
    return ModifyResult::MODIFIED;
}

ModifyResult
QueuePair::BecomeReadyToReceive(const QpRemote* remote)
{
    uint64_t remotePsn = 0;
    if (GetType() != QpType::UD)
    {
        if (!remote)
        {
            return ModifyResult::NO_REMOTE;
        }
        if (remote->qpNumber > wire::MASK_24 || remote->initialPsn > wire::MASK_24 ||
            remote->address.ipv6 != m_ipv6)
        {
            return ModifyResult::BAD_REMOTE;
        }
        m_remoteNumber = remote->qpNumber;
        m_path = m_port->ResolvePath(remote->address, remote->mac);
        FinishPath(m_path, m_remoteNumber);
        remotePsn = remote->initialPsn;
    }
    m_reliability = (m_reliability ? m_reliability : DefaultReliability())->Fork();
    m_selective = GetType() == QpType::RC && m_reliability->IsSelective();
    ForkCongestionControl();
    if (m_extras && m_extras->credit)
    {
        bool waits = m_extras->credit->waits; // of an earlier connection
        *m_extras->credit = CreditAccount();
        m_extras->credit->waits = waits;
    }
    m_responder.Start(PSN_SPACE + remotePsn);
    SetState(QpState::RTR);
    return ModifyResult::MODIFIED;
}

void
QueuePair::BecomeReadyToSend()
{
    if (m_pacer == &m_ownPacer || !m_pacer->GetOps())
    {
        m_pacer->Start(m_ownPacer.GetOps(), GetFacts(), m_nic->RepacesWaitingFrames(), NowSteps());
    }
    if (!m_feedback.credit)
    {
        m_pacer->LiftLimit(); // such as a service whose frames nobody answers
    }
    NS_ABORT_MSG_IF(
        CollectsTelemetry() && !dynamic_cast<FabricRdmaPort*>(m_port),
        "QueuePair: CollectTelemetry is set, but the pair's port is on no fabric, whose "
        "switches alone give it");
    m_reliability->Start(PSN_SPACE + m_initialPsn);
    m_requester.Start(PSN_SPACE + m_initialPsn);
    SetState(QpState::RTS);
}

void
QueuePair::SetQkey(uint32_t qkey)
{
    if (qkey != GetQkey())
    {
        GetExtras().qkey = qkey;
    }
}

void
QueuePair::SetBaseRtt(Time rtt)
{
    m_ownPacer.SetBaseRtt(rtt.GetTimeStep());
}

Time
QueuePair::GetBaseRtt() const
{
    return TimeStep(m_ownPacer.GetState().baseRttSteps);
}

RdmaSharedPacer*
QueuePair::GetSharedPacer() const
{
    return m_pacer == &m_ownPacer ? nullptr : m_extras->sharedPacer.get();
}

void
QueuePair::ForkCongestionControl()
{
    Ptr<RdmaCongestionOps> ops =
        m_ops ? m_ops->Fork() : Ptr<RdmaCongestionOps>(CreateObject<LineRateCongestionOps>());
    m_feedback = ops->GetFeedback();
    if (m_telemetry != static_cast<uint8_t>(TelemetryFormat::NONE))
    {
        m_feedback.telemetry = static_cast<TelemetryFormat>(m_telemetry);
    }
    m_feedback.credit = m_feedback.credit && GetType() == QpType::RC;
    NS_ABORT_MSG_IF(m_segmentsPerFrame > 1 && (GetType() != QpType::RC || m_selective ||
                                               m_feedback.credit || CollectsTelemetry()),
                    "QueuePair: SegmentsPerFrame above 1 needs RC, go-back-N, and a congestion "
                    "control without telemetry and credit");
    NS_ABORT_MSG_IF(m_feedback.credit && m_congestionScope == PER_DESTINATION,
                    "QueuePair: CongestionScope is Destination, but with "
                        << ops->GetName() << " the receiver gives credit to each pair");
    m_ownPacer.SetOps(ops);
    if (m_congestionScope == PER_DESTINATION && GetType() != QpType::UD)
    {
        std::shared_ptr<RdmaSharedPacer>& shared = GetExtras().sharedPacer;
        shared = m_nic->SharePacer(m_path.destination, m_trafficClass);
        shared->users.push_back(this);
        m_pacer = &shared->pacer;
    }
}

RdmaRateState
QueuePair::GetFacts() const
{
    RdmaRateState facts;
    facts.lineRateBps = m_port->GetLineRateBps();
    facts.mtuBytes = m_mtu;
    facts.baseRttSteps = m_ownPacer.GetState().baseRttSteps;
    FramePtr full = FabricFrame::Create();
    full->opcode =
        MakeOpcode(m_selective ? RdmaService::SR : RdmaService::RC, RdmaOpcode::RC_WRITE_MIDDLE);
    full->payloadBytes = m_mtu;
    full->ipv6 = m_ipv6;
    m_nic->SetDataSize(*full);
    facts.frameBytes = full->sizeBytes + m_port->GetFrameOverhead();
    return facts;
}

void
QueuePair::LeaveSharedPacer()
{
    if (RdmaSharedPacer* shared = GetSharedPacer())
    {
        std::vector<QueuePair*>& users = shared->users;
        users.erase(std::remove(users.begin(), users.end(), this), users.end());
        shared->leftBytes += m_requester.GetAckedBytes();
        m_pacer = &m_ownPacer;
        m_extras->sharedPacer.reset();
    }
}

void
QueuePair::CongestionChanged()
{
    RdmaSharedPacer* shared = GetSharedPacer();
    if (!shared)
    {
        m_requester.UpdateWindow();
        return;
    }
    for (QueuePair* user : shared->users)
    {
        user->m_requester.UpdateWindow();
    }
}

void
QueuePair::Activate()
{
    RdmaSharedPacer* shared = GetSharedPacer();
    if (!shared)
    {
        m_port->Activate(*this);
        return;
    }
    for (QueuePair* user : shared->users)
    {
        user->m_port->Activate(*user);
    }
}

uint64_t
QueuePair::GetSharedAcked() const
{
    uint64_t bytes = m_extras->sharedPacer->leftBytes;
    for (const QueuePair* user : m_extras->sharedPacer->users)
    {
        bytes += user->m_requester.GetAckedBytes();
    }
    return bytes;
}

uint64_t
QueuePair::GetSharedInFlight() const
{
    uint64_t bytes = 0;
    for (const QueuePair* user : m_extras->sharedPacer->users)
    {
        bytes += user->m_requester.GetInFlightBytes();
    }
    return bytes;
}

void
QueuePair::Reset()
{
    // Unlike in ERROR, what is outstanding is forgotten: nobody hears of it (IBA vol. 1, 10.3.1.1).
    Ptr<CompletionQueue> completions = m_completions;
    Ptr<CompletionQueue> receiveCompletions;
    m_completions = nullptr;
    if (m_extras)
    {
        std::swap(receiveCompletions, m_extras->receiveCompletions);
    }
    Fail(WcStatus::FLUSHED);
    LeaveSharedPacer();
    m_completions = completions;
    if (m_extras)
    {
        m_extras->receiveCompletions = receiveCompletions;
    }
    SetState(QpState::RESET);
}

void
QueuePair::SetState(QpState state)
{
    QpState before = m_state;
    m_state = state;
    if (state != before)
    {
        m_nic->Trace().state(*this, before, state);
    }
}

QpAttributes
QueuePair::Query() const
{
    QpAttributes attributes;
    attributes.type = GetType();
    attributes.state = m_state;
    attributes.number = m_number;
    attributes.mtu = m_mtu;
    attributes.remoteNumber = m_remoteNumber;
    attributes.remote = m_path.destination;
    attributes.nextSendPsn = m_requester.GetWindow().send & wire::MASK_24;
    attributes.expectedPsn = m_responder.GetExpectedPsn() & wire::MASK_24;
    attributes.sendsOutstanding = m_requester.GetOutstanding();
    attributes.receivesPosted = m_responder.GetOutstanding();
    return attributes;
}

RdmaAddressHandle
QueuePair::CreateAddressHandle(const RdmaAddress& destination, Mac48Address mac) const
{
    RdmaPath path = m_port->ResolvePath(destination, mac);
    FinishPath(path, destination.key);
    return std::make_shared<const RdmaPath>(path);
}

void
QueuePair::AttachMulticast(const RdmaAddress& group)
{
    NS_ABORT_MSG_UNLESS(GetType() == QpType::UD && group.IsMulticast(),
                        "QueuePair::AttachMulticast: a " << ToString(GetType()) << " pair and "
                                                         << group.ToString()
                                                         << ": only UD hears multicast groups");
    m_nic->JoinGroup(group, *this);
}

// ---------------------------------------------------------------- posting

PostResult
QueuePair::PostSend(const SendWorkRequest& request)
{
    PostResult result = CheckSend(request);
    if (result != PostResult::POSTED)
    {
        return result;
    }
    if (m_state == QpState::ERROR)
    {
        // Taken, and flushed at once (IBA vol. 1, 10.3.1.7).
        Simulator::ScheduleNow(&RdmaRequester::Flush, &m_requester, request);
        return PostResult::POSTED;
    }
    m_nic->Trace().post(*this, request);
    if (request.inlined && !request.payload && !request.pieces.empty())
    {
        SendWorkRequest copied = request; // the memory may change from now on
        copied.payload =
            GetDomain().Gather(request.pieces, 0, static_cast<uint32_t>(request.bytes));
        copied.pieces.clear();
        m_requester.Post(copied);
    }
    else
    {
        m_requester.Post(request);
    }
    m_port->Activate(*this);
    return PostResult::POSTED;
}

PostResult
QueuePair::CheckSend(const SendWorkRequest& request) const
{
    if (m_state < QpState::RTS)
    {
        return PostResult::WRONG_STATE;
    }
    uint64_t longest = GetType() == QpType::UD ? m_mtu : wire::MAX_MESSAGE_BYTES;
    if (request.bytes > longest)
    {
        return PostResult::MESSAGE_TOO_LONG;
    }
    if (m_requester.GetOutstanding() >= m_maxSendWr)
    {
        return PostResult::QUEUE_FULL;
    }
    if (request.payload && request.payload->GetSize() != request.bytes)
    {
        return PostResult::PAYLOAD_MISMATCH;
    }
    if (PostResult result = CheckOperation(request); result != PostResult::POSTED)
    {
        return result;
    }
    return request.pieces.empty() ? PostResult::POSTED : CheckPieces(request);
}

PostResult
QueuePair::CheckOperation(const SendWorkRequest& request) const
{
    RdmaOperation operation = request.operation;
    bool plainSend = operation == RdmaOperation::SEND || operation == RdmaOperation::SEND_WITH_IMM;
    bool write = operation == RdmaOperation::WRITE || operation == RdmaOperation::WRITE_WITH_IMM;
    bool known = GetType() == QpType::RC || plainSend || (GetType() == QpType::UC && write);
    if (!known)
    {
        return PostResult::WRONG_OPERATION;
    }
    if (GetType() == QpType::UD && !request.path)
    {
        return PostResult::NO_DESTINATION;
    }
    if (request.inlined && (ReturnsData(operation) || request.bytes > m_maxInline))
    {
        return PostResult::INLINE_TOO_LONG;
    }
    constexpr uint64_t WORD_BYTES = 8;
    if (IsAtomic(operation) &&
        (request.bytes != WORD_BYTES || request.remoteAddress % WORD_BYTES != 0))
    {
        return PostResult::BAD_ATOMIC;
    }
    return PostResult::POSTED;
}

PostResult
QueuePair::CheckPieces(const SendWorkRequest& request) const
{
    if (request.pieces.size() > m_maxPieces)
    {
        return PostResult::TOO_MANY_PIECES;
    }
    if (!MayUsePieces(request))
    {
        return PostResult::BAD_LOCAL_KEY;
    }
    uint64_t bytes = 0;
    for (const ScatterGatherElement& piece : request.pieces)
    {
        bytes += piece.bytes;
    }
    return bytes == request.bytes ? PostResult::POSTED : PostResult::PAYLOAD_MISMATCH;
}

bool
QueuePair::MayUsePieces(const SendWorkRequest& request) const
{
    uint8_t access = ReturnsData(request.operation) ? LOCAL_WRITE : 0;
    auto allowed = [&](const ScatterGatherElement& piece) {
        return GetDomain().Allows(piece.localKey, piece.address, piece.bytes, access);
    };
    return std::all_of(request.pieces.begin(), request.pieces.end(), allowed);
}

PostResult
QueuePair::PostReceive(const ReceiveWorkRequest& request)
{
    if (GetSharedReceiveQueue())
    {
        return PostResult::SHARED_RECEIVES;
    }
    if (m_state == QpState::RESET)
    {
        return PostResult::WRONG_STATE;
    }
    if (m_responder.GetOutstanding() >= m_maxReceiveWr)
    {
        return PostResult::QUEUE_FULL;
    }
    const ScatterGatherElement& place = request.place;
    bool placed = place.bytes > 0;
    if (placed && !GetDomain().Allows(place.localKey, place.address, place.bytes, LOCAL_WRITE))
    {
        return PostResult::BAD_LOCAL_KEY;
    }
    if (placed && place.bytes != request.bytes)
    {
        return PostResult::PAYLOAD_MISMATCH;
    }
    if (m_state == QpState::ERROR)
    {
        Simulator::ScheduleNow(&RdmaResponder::Flush, &m_responder, request);
        return PostResult::POSTED;
    }
    m_responder.Post(request);
    return PostResult::POSTED;
}

namespace
{

/// @param qp a pair @param what has happened to it @return both in a sentence
std::string
Sentence(const QueuePair& qp, const char* what)
{
    std::ostringstream text;
    text << ToString(qp.GetType()) << " queue pair " << qp.GetNumber() << " of node "
         << qp.GetPort().GetNodeId() << " (" << ToString(qp.GetState()) << "): " << what;
    return text.str();
}

} // namespace

void
QueuePair::SetWrittenCallback(Callback<void, uint64_t> written)
{
    GetExtras().written = written;
}

std::string
QueuePair::Explain(PostResult result) const
{
    return Sentence(*this, ns3::ToString(result));
}

std::string
QueuePair::Explain(ModifyResult result) const
{
    return Sentence(*this, ns3::ToString(result));
}

// ---------------------------------------------------------------- frames out

int64_t
QueuePair::GetNextSendTime() const
{
    // One of the two halves has a frame: mostly the requester alone, which is not asked again.
    bool response = m_responder.HasResponse();
    int64_t ready = response ? m_responder.GetReadyTime() : m_requester.GetReadyTime();
    if (response && m_requester.HasFrame())
    {
        ready = std::min(ready, m_requester.GetReadyTime());
    }
    return std::max(ready, m_pacer->GetNextSendTime());
}

bool
QueuePair::MaySend(int64_t now)
{
    return m_pacer->MaySend(now) && GetNextSendTime() <= now;
}

FramePtr
QueuePair::NextFrame(int64_t now)
{
    if (!m_responder.HasResponse())
    {
        return m_requester.NextFrame(now);
    }
    bool response = m_responder.GetReadyTime() <= now;
    bool request = m_requester.HasFrame() && m_requester.GetReadyTime() <= now;
    if (response && request)
    {
        m_responseTurn = !m_responseTurn; // they share the pair's rate
        response = m_responseTurn;
    }
    return response ? m_responder.NextResponse(now) : m_requester.NextFrame(now);
}

void
QueuePair::AskForTelemetry(FabricFrame& frame) const
{
    SwitchHeader& header = frame.MakeSwitchHeader();
    header.collectsTelemetry = true;
    header.telemetryFormat = m_feedback.telemetry;
    header.hopsLeft = TelemetryMaxHops(header.telemetryFormat);
}

void
QueuePair::FillAddresses(FabricFrame& frame) const
{
    FillAddresses(frame, m_path);
    frame.destQp = m_remoteNumber;
}

void
QueuePair::FillAddresses(FabricFrame& frame, const RdmaPath& path) const
{
    frame.trafficClass = m_trafficClass;
    frame.dscp = m_dscp;
    frame.ecn = m_ecnCapable ? EcnField::ECT0 : EcnField::NOT_ECT;
    frame.srcAddress = path.source.key;
    frame.dstAddress = path.destination.key;
    if (path.source.ipv6)
    {
        frame.ipv6 = true;
        frame.srcIpv6 = path.source.bytes;
        frame.dstIpv6 = path.destination.bytes;
    }
    frame.srcMac = m_port->GetMac();
    frame.dstMac = path.nextHop;
    frame.udpSourcePort = path.udpSourcePort;
    frame.flowHash = path.flowHash;
}

// ---------------------------------------------------------------- frames in

void
QueuePair::ReceiveFrame(FabricFrame& frame)
{
    m_nic->Trace().receive(*this, frame);
    if (frame.opcode == RdmaOpcode::CNP)
    {
        ++m_nic->Count().cnpsReceived;
        m_pacer->CnpReceived(NowSteps());
        CongestionChanged();
        return;
    }
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    if (traits.hasCredit || traits.hasDemand)
    {
        ReceiveCredit(frame);
    }
    else if (frame.IsTrimmed())
    {
        ++m_nic->Count().trimmedFramesReceived;
        if (traits.request)
        {
            m_responder.ReceiveTrimmed(frame);
        }
    }
    else if (traits.ack && !traits.hasAtomicAckEth)
    {
        m_requester.ReceiveAck(frame);
    }
    else if (traits.request)
    {
        ++m_nic->Count().dataFramesReceived;
        m_responder.ReceiveRequest(frame);
    }
    else
    {
        ++m_nic->Count().dataFramesReceived;
        if (frame.ecn == EcnField::CE)
        {
            NotifyCongestion(frame);
        }
        m_requester.ReceiveResponse(frame);
    }
}

CreditAccount&
QueuePair::Credit()
{
    std::unique_ptr<CreditAccount>& credit = GetExtras().credit;
    if (!credit)
    {
        credit = std::make_unique<CreditAccount>();
    }
    return *credit;
}

void
QueuePair::ReceiveCredit(const FabricFrame& frame)
{
    if (!m_feedback.credit)
    {
        return; // the two sides have different congestion control
    }
    if (frame.opcode == RdmaOpcode::CREDIT_REQUEST)
    {
        m_port->Credit().RequestArrived(*this, frame);
        return;
    }
    m_pacer->CreditReceived(frame.creditBytes, NowSteps());
    CongestionChanged();
    m_requester.ReceiveCredit();
}

void
QueuePair::NotifyCongestion(const FabricFrame& frame)
{
    int64_t now = NowSteps();
    if (now < m_nextCnp || GetType() == QpType::UD || !m_feedback.cnp)
    {
        return; // a datagram has no rate that a CNP could cut
    }
    m_nextCnp = now + m_nic->GetCnpIntervalSteps();
    FramePtr cnp = FabricFrame::Create();
    cnp->opcode = RdmaOpcode::CNP;
    cnp->becn = true;
    cnp->pkey = frame.pkey;
    FillAddresses(*cnp);
    m_nic->SendCnp(*m_port, std::move(cnp));
}

// ---------------------------------------------------------------- ends

void
QueuePair::Fail(WcStatus status)
{
    if (m_state != QpState::ERROR)
    {
        SetState(QpState::ERROR);
        m_requester.Fail(status);
        m_responder.Fail();
        if (GetSharedPacer())
        {
            Activate(); // the others, for which a shared window has room now
        }
    }
}

void
QueuePair::Drained()
{
    m_nic->Trace().drained(*this);
}

void
QueuePair::Complete(WorkCompletion completion, bool receive)
{
    completion.qpNumber = m_number;
    m_nic->Trace().completion(*this, completion);
    bool separate = receive && m_extras && m_extras->receiveCompletions;
    CompletionQueue* queue = PeekPointer(separate ? m_extras->receiveCompletions : m_completions);
    if (queue && !queue->Add(completion))
    {
        Fail(WcStatus::FLUSHED);
    }
}

int64_t
QueuePair::GetTimeoutSteps() const
{
    return m_timeout == 0 ? 0 : (NanoSeconds(4096) * (int64_t{1} << m_timeout)).GetTimeStep();
}

size_t
QueuePair::GetMemoryBytes() const
{
    size_t bytes =
        sizeof(*this) + m_requester.GetQueueMemoryBytes() + m_responder.GetQueueMemoryBytes();
    if (m_ownPacer.GetOps())
    {
        bytes += m_ownPacer.GetOps()->GetInstanceTypeId().GetSize();
    }
    if (m_selective)
    {
        bytes += m_reliability->GetInstanceTypeId().GetSize() + m_reliability->GetMemoryBytes();
    }
    return bytes;
}

} // namespace ns3
