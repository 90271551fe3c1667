// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/cm-messages.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");
NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaNic>()
            .AddAttribute("HostInterface",
                          "Doorbell, PCIe, processing and connection cache; null: they take no "
                          "time.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaNic::m_host),
                          MakePointerChecker<RdmaHostInterface>())
            .AddAttribute("ControlClass",
                          "Traffic class of ACK, NAK and CNP.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RdmaNic::m_controlClass),
                          MakeUintegerChecker<uint8_t>(0, N_TRAFFIC_CLASSES - 1))
            .AddAttribute("ControlInDataClass",
                          "ACK, NAK and CNP travel in the class of their queue pair instead.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaNic::m_controlInDataClass),
                          MakeBooleanChecker())
            .AddAttribute("ControlDscp",
                          "DSCP of ACK, NAK and CNP.",
                          UintegerValue(48),
                          MakeUintegerAccessor(&RdmaNic::m_controlDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("CnpInterval",
                          "Notification point: shortest time between two CNPs of a queue pair.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaNic::SetCnpInterval, &RdmaNic::GetCnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CnpDelay",
                          "Notification point: from the marked frame to its CNP.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNic::m_cnpDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TimestampResolution",
                          "A tick of the hardware time stamps that round trips are measured with; "
                          "0: as fine as the simulation.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNic::SetTimestampResolution,
                                           &RdmaNic::GetTimestampResolution),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DataOverhead",
                          "If above 0: bytes that a data frame has besides its payload, instead of "
                          "the RoCEv2 headers. For runs beside simulators with other headers.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNic::m_dataOverhead),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ControlFrameBytes",
                          "If above 0: size of ACK, NAK and CNP frames, likewise.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNic::m_controlFrameBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RepaceWaitingFrames",
                          "A change of the rate also moves the frame that waits for its turn by "
                          "the pace. Without, it waits as long as the rate said when the frame "
                          "before it left, as with DCQCN in the HPCC family of simulators.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaNic::m_repaceWaitingFrames),
                          MakeBooleanChecker())
            .AddAttribute("WaitingPairStopsTimer",
                          "While a pair only waits for answers, as it has sent all or its window "
                          "is full, no pace of another pair wakes a fabric port up; each frame "
                          "that comes does. A fault of the HPCC family of simulators, for runs "
                          "beside them.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaNic::m_waitingPairStopsTimer),
                          MakeBooleanChecker())
            .AddTraceSource("MessageComplete",
                            "A message has ended at its sender, with where its time went.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::message),
                            "ns3::RdmaNicTraces::MessageTracedCallback")
            .AddTraceSource("Post",
                            "A send work request is posted.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::post),
                            "ns3::RdmaNicTraces::PostTracedCallback")
            .AddTraceSource("Transmit",
                            "A request, or a response with data, leaves for the first time.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::transmit),
                            "ns3::RdmaNicTraces::FrameTracedCallback")
            .AddTraceSource("Retransmit",
                            "A request leaves once more.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::retransmit),
                            "ns3::RdmaNicTraces::FrameTracedCallback")
            .AddTraceSource("Receive",
                            "A frame has come for a queue pair: request, answer or CNP.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::receive),
                            "ns3::RdmaNicTraces::FrameTracedCallback")
            .AddTraceSource("Completion",
                            "A work request has ended.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::completion),
                            "ns3::RdmaNicTraces::CompletionTracedCallback")
            .AddTraceSource("State",
                            "A queue pair has changed its state.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::state),
                            "ns3::RdmaNicTraces::StateTracedCallback")
            .AddTraceSource("Drained",
                            "In SQD: all sends that had started are complete.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::drained),
                            "ns3::RdmaNicTraces::PairTracedCallback")
            .AddTraceSource("Rate",
                            "Congestion control has changed a pair's rate (bits a second).",
                            MakeTraceSourceAccessor(&RdmaNicTraces::rate),
                            "ns3::RdmaNicTraces::ValueTracedCallback")
            .AddTraceSource("Window",
                            "A pair's window has changed (payload bytes; 0: none).",
                            MakeTraceSourceAccessor(&RdmaNicTraces::window),
                            "ns3::RdmaNicTraces::ValueTracedCallback")
            .AddTraceSource("Written",
                            "A WRITE without immediate is whole in the memory of its target, where "
                            "a program that polls the memory sees it.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::written),
                            "ns3::RdmaNicTraces::WrittenTracedCallback")
            .AddTraceSource("Telemetry",
                            "An answer has come back with the telemetry of the frame that it "
                            "answers: SwitchHeader::telemetry has it, by hop, the first one first.",
                            MakeTraceSourceAccessor(&RdmaNicTraces::telemetry),
                            "ns3::RdmaNicTraces::FrameTracedCallback");
    return tid;
}

RdmaNic::RdmaNic() = default;
RdmaNic::~RdmaNic() = default;

void
RdmaNic::DoDispose()
{
    for (Ptr<QueuePair>& qp : m_pairs)
    {
        qp->Dispose();
    }
    m_pairs.clear();
    if (m_managementPair)
    {
        m_managementPair->Dispose();
        m_managementPair = nullptr;
    }
    m_groups.clear();
    for (Ptr<RdmaPort>& port : m_ports)
    {
        port->Dispose();
    }
    m_ports.clear();
    m_openDomain = nullptr;
    m_host = nullptr;
    Object::DoDispose();
}

// ---------------------------------------------------------------- set-up

void
RdmaNic::AddPort(Ptr<RdmaPort> port)
{
    port->SetNic(this);
    m_ports.push_back(port);
}

void
RdmaNic::SetDevice(Ptr<FabricNetDevice> device)
{
    auto port = CreateObject<FabricRdmaPort>();
    port->SetDevice(device);
    AddPort(port);
}

Ptr<FabricNetDevice>
RdmaNic::GetDevice() const
{
    auto port = m_ports.empty() ? nullptr : DynamicCast<FabricRdmaPort>(m_ports[0]);
    return port ? port->GetDevice() : nullptr;
}

void
RdmaNic::SetCnpInterval(Time interval)
{
    m_cnpIntervalSteps = interval.GetTimeStep();
}

Time
RdmaNic::GetCnpInterval() const
{
    return TimeStep(m_cnpIntervalSteps);
}

void
RdmaNic::SetTimestampResolution(Time resolution)
{
    m_stampSteps = resolution.GetTimeStep();
}

Time
RdmaNic::GetTimestampResolution() const
{
    return TimeStep(m_stampSteps);
}

std::shared_ptr<RdmaSharedPacer>
RdmaNic::SharePacer(const RdmaAddress& destination, uint8_t trafficClass)
{
    std::weak_ptr<RdmaSharedPacer>& known = m_sharedPacers[{destination, trafficClass}];
    std::shared_ptr<RdmaSharedPacer> pacer = known.lock();
    if (!pacer)
    {
        pacer = std::make_shared<RdmaSharedPacer>();
        known = pacer;
    }
    return pacer;
}

Ptr<RdmaHostInterface>
RdmaNic::GetHostInterface() const
{
    return m_host;
}

void
RdmaNic::Add(Ptr<QueuePair> qp, uint32_t port)
{
    NS_ABORT_MSG_IF(port >= m_ports.size(),
                    "RdmaNic: there is no port " << port << ", only " << m_ports.size());
    uint64_t number = FIRST_QP_NUMBER + m_pairs.size();
    NS_ABORT_MSG_IF(number >= MULTICAST_QP, "RdmaNic: all queue pair numbers are in use");
    qp->Attach(this, PeekPointer(m_ports[port]), static_cast<uint32_t>(number));
    m_pairs.push_back(qp);
}

uint32_t
RdmaNic::NextBondedPort()
{
    return m_nextBonded++ % static_cast<uint32_t>(m_ports.size());
}

Ptr<QueuePair>
RdmaNic::GetManagementPair()
{
    if (!m_managementPair)
    {
        NS_ABORT_MSG_IF(m_ports.empty(), "RdmaNic::GetManagementPair: the NIC has no port");
        m_managementPair = CreateObject<QueuePair>();
        m_managementPair->SetAttribute("Type", EnumValue(static_cast<int>(QpType::UD)));
        m_managementPair->SetAttribute("Qkey", UintegerValue(wire::GENERAL_SERVICES_QKEY));
        m_managementPair->Attach(this, PeekPointer(m_ports[0]), MANAGEMENT_QP);
    }
    return m_managementPair;
}

Ptr<ProtectionDomain>
RdmaNic::GetOpenDomain()
{
    if (!m_openDomain)
    {
        m_openDomain = CreateObject<ProtectionDomain>();
        m_openDomain->SetOpen(true);
    }
    return m_openDomain;
}

Ptr<ProtectionDomain>
RdmaNic::CreateProtectionDomain()
{
    // Tags from 1 on; 255 domains have different ones, more than that share them.
    auto domain = CreateObject<ProtectionDomain>();
    domain->SetKeyTag(static_cast<uint8_t>(1 + m_domains++ % UINT8_MAX));
    return domain;
}

void
RdmaNic::JoinGroup(const RdmaAddress& group, QueuePair& qp)
{
    std::vector<QueuePair*>& members = m_groups[group];
    if (std::find(members.begin(), members.end(), &qp) == members.end())
    {
        members.push_back(&qp);
        qp.GetPort().JoinGroup(group);
    }
}

// ---------------------------------------------------------------- receiving

void
RdmaNic::ReceiveFrame(FramePtr frame)
{
    if (!m_host)
    {
        Dispatch(std::move(frame));
        return;
    }
    // The connection's state must be at hand; frames stay in order.
    int64_t now = NowSteps();
    m_receiveFreeAt = std::max(m_receiveFreeAt, now + m_host->Context(frame->destQp, now));
    if (m_receiveFreeAt > now)
    {
        Simulator::Schedule(TimeStep(m_receiveFreeAt - now), &RdmaNic::Dispatch, this, frame);
    }
    else
    {
        Dispatch(std::move(frame));
    }
}

void
RdmaNic::Dispatch(FramePtr frame)
{
    if (frame->destQp == MULTICAST_QP)
    {
        DeliverToGroup(*frame);
        return;
    }
    QueuePair* qp = FindQueuePair(frame->destQp);
    if (!qp || qp->GetState() < QpState::RTR || qp->GetState() == QpState::ERROR)
    {
        ++m_counters.unknownQpFrames;
        return;
    }
    RdmaService service = GetService(frame->opcode);
    RdmaService own = qp->GetType() == QpType::RC
                          ? (qp->IsSelective() ? RdmaService::SR : RdmaService::RC)
                      : qp->GetType() == QpType::UC ? RdmaService::UC
                                                    : RdmaService::UD;
    if (service != own && service != RdmaService::CNP && service != RdmaService::CONTROL)
    {
        ++m_counters.unknownQpFrames;
        return;
    }
    qp->ReceiveFrame(*frame);
}

void
RdmaNic::DeliverToGroup(FabricFrame& frame)
{
    RdmaAddress group =
        frame.ipv6 ? RdmaAddress::FromIpv6(frame.dstIpv6) : RdmaAddress::FromIpv4(frame.dstAddress);
    auto members = m_groups.find(group);
    if (members == m_groups.end())
    {
        return; // flooded here, but nobody listens
    }
    for (QueuePair* qp : members->second)
    {
        if (qp->GetState() >= QpState::RTR && qp->GetState() != QpState::ERROR)
        {
            qp->ReceiveFrame(frame);
        }
    }
}

// ---------------------------------------------------------------- control frames

void
RdmaNic::SendControl(RdmaPort& port, FramePtr frame)
{
    if (!m_controlInDataClass)
    {
        frame->trafficClass = m_controlClass;
        frame->dscp = m_controlDscp;
    }
    frame->ecn = EcnField::NOT_ECT;
    if (m_controlFrameBytes > 0)
    {
        frame->sizeBytes =
            m_controlFrameBytes + (frame->switchHeader ? TelemetryBytes(*frame->switchHeader) : 0);
    }
    else
    {
        frame->ComputeSize();
    }
    port.SendNow(std::move(frame));
}

void
RdmaNic::SendCnp(RdmaPort& port, FramePtr frame)
{
    ++m_counters.cnpsSent;
    int64_t delay = m_cnpDelay.GetTimeStep() + (m_host ? m_host->GetCnpSteps() : 0);
    if (delay == 0)
    {
        SendControl(port, std::move(frame));
    }
    else
    {
        Simulator::Schedule(TimeStep(delay), [this, &port, frame] { SendControl(port, frame); });
    }
}

} // namespace ns3
