// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");
NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

namespace
{
/// Numbers 0 and 1 are the management queue pairs of a port (IBA vol. 1, 3.9).
constexpr uint32_t FIRST_QP_NUMBER = 2;
} // namespace

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaNic>()
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
            .AddTraceSource("MessageComplete",
                            "A message has ended at its sender, with where its time went.",
                            MakeTraceSourceAccessor(&RdmaNic::m_messageTrace),
                            "ns3::RdmaNic::MessageTracedCallback");
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
    m_paced.clear();
    m_rounds = {};
    m_ready = 0;
    m_device = nullptr;
    Object::DoDispose();
}

void
RdmaNic::SetDevice(Ptr<FabricNetDevice> port)
{
    m_device = port;
    m_port = PeekPointer(port);
    port->SetOwner(this);
}

Ptr<FabricNetDevice>
RdmaNic::GetDevice() const
{
    return m_device;
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
RdmaNic::Add(Ptr<QueuePair> qp)
{
    uint64_t number = FIRST_QP_NUMBER + m_pairs.size();
    NS_ABORT_MSG_IF(number > wire::MASK_24, "RdmaNic: all 2^24 queue pair numbers are in use");
    qp->Attach(this, static_cast<uint32_t>(number));
    m_pairs.push_back(qp);
}

// ---------------------------------------------------------------- scheduler

void
RdmaNic::Activate(QueuePair& qp)
{
    if (!qp.m_requester.HasFrame())
    {
        return;
    }
    bool sooner =
        qp.m_place == QueuePair::Place::PACED && qp.m_requester.GetNextSendTime() < qp.m_pacedUntil;
    if (qp.m_place == QueuePair::Place::IDLE || sooner)
    {
        Place(qp, NowSteps());
        m_port->Kick();
    }
}

void
RdmaNic::Place(QueuePair& qp, int64_t freeAt)
{
    int64_t when = qp.m_requester.GetNextSendTime();
    if (when <= freeAt)
    {
        PutInRound(qp);
        return;
    }
    qp.m_place = QueuePair::Place::PACED;
    qp.m_pacedUntil = when;
    qp.m_pacedOrder = m_pacedOrder;
    m_paced.push_back({when, m_pacedOrder++, &qp});
    std::push_heap(m_paced.begin(), m_paced.end());
}

void
RdmaNic::PutInRound(QueuePair& qp)
{
    Round& round = m_rounds[qp.m_trafficClass];
    qp.m_place = QueuePair::Place::READY;
    qp.m_nextReady = nullptr;
    (round.tail ? round.tail->m_nextReady : round.head) = &qp;
    round.tail = &qp;
    m_ready |= 1U << qp.m_trafficClass;
}

void
RdmaNic::Promote(int64_t now)
{
    while (!m_paced.empty() && m_paced.front().when <= now)
    {
        std::pop_heap(m_paced.begin(), m_paced.end());
        Paced entry = m_paced.back();
        m_paced.pop_back();
        bool valid =
            entry.qp->m_place == QueuePair::Place::PACED && entry.qp->m_pacedOrder == entry.order;
        if (valid) // else it was placed anew, for a sooner time
        {
            PutInRound(*entry.qp);
        }
    }
}

uint8_t
RdmaNic::ReadyClasses(FabricNetDevice&, int64_t now)
{
    Promote(now);
    return m_ready;
}

FramePtr
RdmaNic::PullFrame(FabricNetDevice& port, uint32_t trafficClass, int64_t now)
{
    Round& round = m_rounds[trafficClass];
    QueuePair& qp = *round.head;
    round.head = qp.m_nextReady;
    if (!round.head)
    {
        round.tail = nullptr;
        m_ready &= ~(1U << trafficClass);
    }
    qp.m_place = QueuePair::Place::IDLE;
    if (!qp.m_requester.HasFrame())
    {
        return nullptr; // acknowledged or failed since it was put here
    }
    if (!qp.m_requester.MaySend(now))
    {
        Place(qp, now); // told to wait since it was put here
        return nullptr;
    }
    FramePtr frame = qp.m_requester.NextFrame(now);
    if (qp.m_requester.HasFrame())
    {
        int64_t slot =
            port.SerializationSteps(uint64_t{frame->sizeBytes} + port.GetFrameOverhead());
        Place(qp, now + slot);
    }
    return frame;
}

int64_t
RdmaNic::NextReadyTime(FabricNetDevice&, int64_t now, uint8_t closed)
{
    if (m_ready & ~closed)
    {
        return now;
    }
    return m_paced.empty() ? NEVER : m_paced.front().when;
}

// ---------------------------------------------------------------- receiving and control frames

void
RdmaNic::ReceiveFrame(FabricNetDevice& port, FramePtr frame)
{
    if (frame->kind == FrameKind::PACKET)
    {
        port.DeliverToStack(*frame);
        return;
    }
    uint32_t index = frame->destQp - FIRST_QP_NUMBER;
    if (frame->kind != FrameKind::ROCE || index >= m_pairs.size() ||
        m_pairs[index]->GetState() != QpState::RTS)
    {
        ++m_counters.unknownQpFrames;
        return;
    }
    m_pairs[index]->ReceiveFrame(*frame);
}

void
RdmaNic::SendControl(FramePtr frame)
{
    if (!m_controlInDataClass)
    {
        frame->trafficClass = m_controlClass;
        frame->dscp = m_controlDscp;
    }
    frame->ecn = EcnField::NOT_ECT;
    if (m_controlFrameBytes > 0)
    {
        frame->sizeBytes = m_controlFrameBytes;
    }
    else
    {
        frame->ComputeSize();
    }
    m_port->Enqueue(std::move(frame));
}

void
RdmaNic::SendCnp(FramePtr frame)
{
    ++m_counters.cnpsSent;
    if (m_cnpDelay.IsZero())
    {
        SendControl(std::move(frame));
    }
    else
    {
        Simulator::Schedule(m_cnpDelay, &RdmaNic::SendControl, this, frame);
    }
}

} // namespace ns3
