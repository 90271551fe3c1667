// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-port.h"

#include "credit-pacer.h"
#include "queue-pair.h"

#include "ns3/persistent-event.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPort);

TypeId
RdmaPort::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPort").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

RdmaPort::RdmaPort() = default;
RdmaPort::~RdmaPort() = default;

void
RdmaPort::DoDispose()
{
    m_paced.clear();
    m_rounds = {};
    m_lastSender = nullptr;
    m_ready = 0;
    m_credit = nullptr;
    m_nic = nullptr;
    Object::DoDispose();
}

CreditPacer&
RdmaPort::Credit()
{
    if (!m_credit)
    {
        m_credit = CreateObject<CreditPacer>();
        m_credit->SetPort(this);
    }
    return *m_credit;
}

void
RdmaPort::Activate(QueuePair& qp)
{
    if (!qp.HasFrame())
    {
        return;
    }
    bool sooner = qp.m_place == QueuePair::Place::PACED && qp.GetNextSendTime() < qp.m_pacedUntil;
    if (qp.m_place == QueuePair::Place::IDLE || sooner)
    {
        Place(qp, NowSteps());
        Kick();
    }
}

void
RdmaPort::Place(QueuePair& qp, int64_t freeAt)
{
    int64_t when = qp.GetNextSendTime();
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
RdmaPort::PutInRound(QueuePair& qp)
{
    Round& round = m_rounds[qp.GetTrafficClass()];
    qp.m_place = QueuePair::Place::READY;
    qp.m_nextReady = nullptr;
    (round.tail ? round.tail->m_nextReady : round.head) = &qp;
    round.tail = &qp;
    m_ready |= 1U << qp.GetTrafficClass();
}

void
RdmaPort::LineUpLastSender()
{
    if (m_lastSender)
    {
        PutInRound(*m_lastSender);
        m_lastSender = nullptr;
    }
}

void
RdmaPort::Promote(int64_t now)
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

void
RdmaPort::PrefetchPull() const
{
    if (m_ready)
    {
        const QueuePair* next = m_rounds[__builtin_ctz(m_ready)].head;
        (next ? next : m_lastSender)->PrefetchSend();
    }
    else if (!m_paced.empty())
    {
        m_paced.front().qp->PrefetchSend();
    }
}

uint8_t
RdmaPort::ReadyClasses(int64_t now)
{
    Promote(now);
    return m_ready;
}

FramePtr
RdmaPort::PullFrame(uint32_t trafficClass, int64_t now)
{
    LineUpLastSender();
    Round& round = m_rounds[trafficClass];
    QueuePair& qp = *round.head;
    round.head = qp.m_nextReady;
    if (!round.head)
    {
        round.tail = nullptr;
        m_ready &= ~(1U << trafficClass);
    }
    qp.m_place = QueuePair::Place::IDLE;
    if (!qp.HasFrame())
    {
        return nullptr; // acknowledged or failed since it was put here
    }
    if (!qp.MaySend(now))
    {
        Place(qp, now); // told to wait since it was put here
        return nullptr;
    }
    FramePtr frame = qp.NextFrame(now);
    if (!frame)
    {
        return nullptr; // its memory is gone: the pair fails
    }
    const int64_t freeAt = now + SlotSteps(frame->sizeBytes);
    if (!qp.HasFrame())
    {
        return frame;
    }
    if (qp.GetNextSendTime() <= freeAt)
    {
        qp.m_place = QueuePair::Place::READY;
        m_ready |= 1U << trafficClass;
        m_lastSender = &qp;
    }
    else
    {
        Place(qp, freeAt);
    }
    return frame;
}

int64_t
RdmaPort::NextReadyTime(int64_t now, uint8_t closed) const
{
    if (m_ready & ~closed)
    {
        return now;
    }
    return m_paced.empty() ? NEVER : m_paced.front().when;
}

} // namespace ns3
