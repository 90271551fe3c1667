// SPDX-License-Identifier: GPL-2.0-only
#include "credit-pacer.h"

#include "growing-ring.h"
#include "rdma-nic.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CreditPacer);

TypeId
CreditPacer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CreditPacer")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<CreditPacer>()
                            .AddAttribute("Quantum",
                                          "Most credit that a queue pair gets in its turn, full "
                                          "frames. NDP and EQDS: 1; Ultra Ethernet: 4.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&CreditPacer::m_quantum),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

CreditPacer::CreditPacer()
    : m_wakeUp(this)
{
}

CreditPacer::~CreditPacer() = default;

void
CreditPacer::DataArrived(QueuePair& qp, const FabricFrame& frame)
{
    uint32_t payload =
        frame.IsTrimmed() ? frame.switchHeader->trimmedPayloadBytes : frame.payloadBytes;
    Arrived(qp, frame, payload);
}

void
CreditPacer::RequestArrived(QueuePair& qp, const FabricFrame& frame)
{
    Arrived(qp, frame, 0);
    if (qp.Credit().granted > frame.limitBytes)
    {
        Tell(qp); // a frame that said so was lost
    }
}

void
CreditPacer::Arrived(QueuePair& qp, const FabricFrame& frame, uint32_t payloadBytes)
{
    CreditAccount& account = qp.Credit();
    RdmaArrivalSignal signal{};
    signal.now = NowSteps();
    signal.payloadBytes = payloadBytes;
    signal.demandBytes = frame.demandBytes + account.trimmedBytes;
    signal.trimmed = frame.IsTrimmed();
    signal.marked = frame.ecn == EcnField::CE;
    signal.sentBytes = frame.sentBytes;
    // What a sender lets itself send, such as a first window, needs no credit.
    account.granted = std::max(account.granted, frame.limitBytes);
    account.target = std::max(account.target, qp.GetCongestionOps().DataReceived(signal));
    if (account.target > account.granted && !account.waits)
    {
        account.waits = true;
        GrowIfFull(m_waiting);
        m_waiting.push_back(&qp);
        Serve();
    }
}

void
CreditPacer::Serve()
{
    int64_t now = NowSteps();
    while (!m_waiting.empty() && m_freeAt <= now)
    {
        QueuePair& qp = *m_waiting.front();
        m_waiting.pop_front();
        Grant(qp, now);
    }
    if (!m_waiting.empty())
    {
        m_wakeUp.At(m_port->GetNodeId(), m_freeAt, now);
    }
}

void
CreditPacer::Grant(QueuePair& qp, int64_t now)
{
    CreditAccount& account = qp.Credit();
    account.waits = false;
    bool receives = qp.GetState() >= QpState::RTR && qp.GetState() != QpState::ERROR;
    if (!receives || account.target <= account.granted)
    {
        return; // it has failed, or its sender has helped itself since
    }
    const uint64_t mtu = qp.GetMtu();
    uint64_t bytes = std::min(account.target - account.granted, m_quantum * mtu);
    account.granted += bytes;
    m_grantedBytes += bytes;
    Tell(qp);

    // (The rate state is there once the pair may send, too.)
    uint64_t overhead = std::max<uint64_t>(qp.GetPacer().GetState().frameBytes, mtu) - mtu;
    uint64_t wireBytes = bytes + (bytes + mtu - 1) / mtu * overhead;
    double bits = 8 * static_cast<double>(wireBytes);
    double seconds = bits / (m_port->GetLineRateBps() * qp.GetCongestionOps().GetCreditShare());
    double steps = seconds * static_cast<double>(Seconds(1).GetTimeStep());
    m_freeAt = now + std::max<int64_t>(1, std::llround(steps));
    if (account.target > account.granted)
    {
        account.waits = true;
        m_waiting.push_back(&qp); // it has just left a place
    }
}

void
CreditPacer::Tell(QueuePair& qp)
{
    ++m_grants;
    FramePtr frame = FabricFrame::Create();
    frame->opcode = RdmaOpcode::CREDIT;
    frame->creditBytes = qp.Credit().granted;
    qp.FillAddresses(*frame);
    qp.GetNic().SendControl(qp.GetPort(), std::move(frame));
}

} // namespace ns3
