// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-requester.h"

#include "psn.h"
#include "rdma-nic.h"

#include "ns3/aeth-syndrome.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRequester");

namespace
{

constexpr size_t FIRST_QUEUE_CAPACITY = 4;

RdmaOpcode
OpcodeOf(RdmaOperation operation, bool first, bool last)
{
    // by operation: first, middle, last, only
    static constexpr RdmaOpcode TABLE[][4] = {
        {RdmaOpcode::RC_SEND_FIRST,
         RdmaOpcode::RC_SEND_MIDDLE,
         RdmaOpcode::RC_SEND_LAST,
         RdmaOpcode::RC_SEND_ONLY},
        {RdmaOpcode::RC_SEND_FIRST,
         RdmaOpcode::RC_SEND_MIDDLE,
         RdmaOpcode::RC_SEND_LAST_IMM,
         RdmaOpcode::RC_SEND_ONLY_IMM},
        {RdmaOpcode::RC_WRITE_FIRST,
         RdmaOpcode::RC_WRITE_MIDDLE,
         RdmaOpcode::RC_WRITE_LAST,
         RdmaOpcode::RC_WRITE_ONLY},
        {RdmaOpcode::RC_WRITE_FIRST,
         RdmaOpcode::RC_WRITE_MIDDLE,
         RdmaOpcode::RC_WRITE_LAST_IMM,
         RdmaOpcode::RC_WRITE_ONLY_IMM},
    };
    size_t position = first ? (last ? 3 : 0) : (last ? 2 : 1);
    return TABLE[static_cast<size_t>(operation)][position];
}

} // namespace

RdmaRequester::RdmaRequester(QueuePair& qp)
    : m_qp(qp),
      m_timer(this)
{
}

void
RdmaRequester::Connect(Ptr<RdmaCongestionOps> ops, uint64_t initialPsn)
{
    m_ops = ops;
    m_ackedPsn = m_sendPsn = m_sentPsn = m_endPsn = m_askedPsn = initialPsn;
    m_rate.lineRateBps = static_cast<double>(m_qp.GetNic().Port().GetDataRate().GetBitRate());
    m_ops->Init(m_rate, NowSteps());
    if (m_rate.windowBytes == 0)
    {
        m_rate.windowBytes = m_qp.GetWindowBytes();
    }
    UpdateWindow();
}

void
RdmaRequester::UpdateWindow()
{
    m_window = m_rate.windowBytes;
    if (m_qp.HasVariableWindow() && m_window > 0)
    {
        double scaled = static_cast<double>(m_window) * m_rate.rateBps / m_rate.lineRateBps;
        m_window = std::max<uint64_t>(1, static_cast<uint64_t>(scaled));
    }
}

// ---------------------------------------------------------------- posting

void
RdmaRequester::Post(const SendWorkRequest& request)
{
    int64_t now = NowSteps();
    if (m_sendPsn == m_endPsn)
    {
        // Idle so far: time counts from here, or from the end of the frame that is on the wire.
        m_gapStart = std::max(m_gapStart, now);
        m_pauseClock = m_qp.GetNic().Port().PausedSteps(m_qp.GetTrafficClass(), now);
    }
    else
    {
        SettleGap(now, m_sendPsn < m_sentPsn);
    }
    if (m_wqes.full())
    {
        m_wqes.set_capacity(std::max(FIRST_QUEUE_CAPACITY, 2 * m_wqes.capacity()));
    }
    Wqe wqe;
    wqe.request = request;
    wqe.firstPsn = m_endPsn;
    wqe.frames = std::max<uint64_t>(1, (request.bytes + m_qp.GetMtu() - 1) / m_qp.GetMtu());
    wqe.startBytes = m_postedBytes;
    wqe.postedAt = now;
    wqe.sharesAtPost = m_shares;
    wqe.sharesAtPost.serialization -= m_gapStart - now; // the frame on the wire is booked whole
    m_endPsn += wqe.frames;
    m_postedBytes += request.bytes;
    m_wqes.push_back(std::move(wqe));
}

// ---------------------------------------------------------------- sending

bool
RdmaRequester::HasFrame() const
{
    // A full window holds only while an acknowledgement is on its way. Where congestion control has
    // shrunk it below what is in flight, one more frame goes, to ask for one.
    bool held = WindowIsFull() && m_askedPsn > m_ackedPsn;
    return m_sendPsn < m_endPsn && !held && m_sendPsn - m_ackedPsn < PSN_WINDOW;
}

bool
RdmaRequester::WindowIsFull() const
{
    return m_window > 0 && m_sentBytes - m_ackedBytes >= m_window;
}

uint32_t
RdmaRequester::PayloadOf(const Wqe& wqe, uint64_t index) const
{
    uint64_t mtu = m_qp.GetMtu();
    return static_cast<uint32_t>(std::min(mtu, wqe.request.bytes - index * mtu));
}

FramePtr
RdmaRequester::NextFrame(int64_t now)
{
    Wqe& wqe = m_wqes[m_cursor];
    uint64_t index = m_sendPsn - wqe.firstPsn;
    FramePtr frame = FabricFrame::Create();
    FillHeaders(*frame, wqe, index);
    m_sentBytes += frame->payloadBytes;
    bool last = index + 1 == wqe.frames;
    m_qp.GetNic().SetDataSize(*frame);
    Account(*frame, wqe, index, now);
    Pace(*frame, now);
    ++m_sendPsn;
    m_sentPsn = std::max(m_sentPsn, m_sendPsn);
    m_cursor += last;
    m_windowBlocked = m_sendPsn < m_endPsn && WindowIsFull();
    // Who cannot go on must not wait for an acknowledgement that nobody was asked for.
    bool stops = last || WindowIsFull() || m_sendPsn - m_ackedPsn >= PSN_WINDOW;
    if (++m_sinceAckRequest >= m_qp.GetAckInterval() || stops)
    {
        frame->ackRequest = true;
        m_sinceAckRequest = 0;
        m_askedPsn = m_sendPsn;
        if (m_timeoutAt == NEVER)
        {
            ArmTimer(now);
        }
    }
    return frame;
}

void
RdmaRequester::FillHeaders(FabricFrame& frame, const Wqe& wqe, uint64_t index)
{
    const SendWorkRequest& request = wqe.request;
    frame.opcode = OpcodeOf(request.operation, index == 0, index + 1 == wqe.frames);
    frame.psn = static_cast<uint32_t>(m_sendPsn) & wire::MASK_24;
    frame.payloadBytes = PayloadOf(wqe, index);
    frame.remoteAddress = request.remoteAddress;
    frame.remoteKey = request.remoteKey;
    frame.dmaLength = static_cast<uint32_t>(request.bytes);
    frame.immediate = request.immediate;
    if (request.payload)
    {
        uint64_t offset = index * m_qp.GetMtu();
        frame.payload =
            request.payload->CreateFragment(static_cast<uint32_t>(offset), frame.payloadBytes);
    }
    m_qp.FillAddresses(frame);
}

void
RdmaRequester::Account(FabricFrame& frame, Wqe& wqe, uint64_t index, int64_t now)
{
    bool again = m_sendPsn < m_sentPsn;
    SettleGap(now, again);
    if (!again && index + 1 == wqe.frames)
    {
        wqe.sharesAtLastFrame = m_shares;
    }
    FabricNetDevice& port = m_qp.GetNic().Port();
    int64_t slot = port.SerializationSteps(uint64_t{frame.sizeBytes} + port.GetFrameOverhead());
    (again ? m_shares.retransmission : m_shares.serialization) += slot;
    m_gapStart = now + slot;
    frame.sentTime = static_cast<uint64_t>(now);

    RdmaNicCounters& counters = m_qp.GetNic().Count();
    ++counters.dataFramesSent;
    counters.retransmittedFrames += again;
}

void
RdmaRequester::SettleGap(int64_t now, bool retransmission)
{
    // Divides the time since the last frame's slot among what held the next one, outermost first.
    int64_t lastPauseClock = m_pauseClock;
    m_pauseClock = m_qp.GetNic().Port().PausedSteps(m_qp.GetTrafficClass(), now);
    int64_t rest = now - m_gapStart;
    if (rest <= 0)
    {
        return;
    }
    if (retransmission)
    {
        m_shares.retransmission += rest;
    }
    else
    {
        int64_t paused = std::min(rest, m_pauseClock - lastPauseClock);
        m_shares.paused += paused;
        rest -= paused;
        int64_t opened = m_windowBlocked ? now : std::max(m_windowOpened, m_gapStart);
        int64_t window = std::min(rest, opened - m_gapStart);
        m_shares.window += window;
        rest -= window;
        int64_t paced = std::clamp<int64_t>(std::min(m_nextSendTime, now) - opened, 0, rest);
        m_shares.congestionControl += paced;
        m_shares.nicContention += rest - paced;
    }
    m_gapStart = now;
}

void
RdmaRequester::Pace(const FabricFrame& frame, int64_t now)
{
    FabricNetDevice& port = m_qp.GetNic().Port();
    uint32_t wireBytes = frame.sizeBytes + port.GetFrameOverhead();
    m_ops->Sent(m_rate, wireBytes, now);
    m_owedBytes = wireBytes;
    SetNextSendTime(now);
}

void
RdmaRequester::SetNextSendTime(int64_t now)
{
    if (m_rate.rateBps != m_pacedRate)
    {
        m_pacedRate = m_rate.rateBps;
        double stepsPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
        // At line rate the wire itself is the pace.
        m_stepsPerByte = m_pacedRate < m_rate.lineRateBps ? 8 * stepsPerSecond / m_pacedRate : 0.0;
        UpdateWindow();
    }
    m_owedAt = now;
    m_nextSendTime = now + static_cast<int64_t>(m_owedBytes * m_stepsPerByte);
    m_lookAgain = m_nextSendTime > now && m_ops->GetNextIncrease() < m_nextSendTime;
    if (m_lookAgain)
    {
        m_nextSendTime = std::max(m_ops->GetNextIncrease(), now + 1);
    }
}

void
RdmaRequester::Repace(int64_t now)
{
    // What has been waited for at the old rate stays waited for.
    double paid =
        m_stepsPerByte > 0 ? static_cast<double>(now - m_owedAt) / m_stepsPerByte : m_owedBytes;
    m_owedBytes = std::max(0.0, m_owedBytes - paid);
    m_ops->Advance(m_rate, now);
    SetNextSendTime(now);
}

bool
RdmaRequester::MaySend(int64_t now)
{
    CatchUp(now);
    return GetNextSendTime() <= now;
}

void
RdmaRequester::CatchUp(int64_t now)
{
    while (m_lookAgain && m_nextSendTime <= now)
    {
        Repace(m_nextSendTime); // each at its own time: the rate differs before and after
    }
}

// ---------------------------------------------------------------- acknowledgements

void
RdmaRequester::ReceiveAck(const FabricFrame& frame)
{
    uint64_t psn = ExpandPsn(frame.psn, m_ackedPsn);
    AethKind kind = SyndromeKind(frame.syndrome);
    // An ACK covers its PSN, a NAK all before.
    uint64_t nextExpected = kind == AethKind::ACK ? psn + 1 : psn;
    if (nextExpected > m_sentPsn || psn + PSN_WINDOW < m_ackedPsn)
    {
        return; // speaks of what was never sent
    }
    bool progress = nextExpected > m_ackedPsn;
    if (progress)
    {
        Acknowledge(nextExpected, frame);
    }
    if (kind == AethKind::ACK || nextExpected < m_ackedPsn || m_qp.GetState() != QpState::RTS)
    {
        return;
    }
    int64_t now = NowSteps();
    if (kind == AethKind::RNR_NAK)
    {
        int64_t wait =
            MicroSeconds(RnrTimerMicroseconds(SyndromeValue(frame.syndrome))).GetTimeStep();
        constexpr uint8_t FOREVER = 7;
        RetryOrFail(m_rnrRetries,
                    m_qp.GetRnrRetryCount() == FOREVER ? UINT8_MAX : m_qp.GetRnrRetryCount(),
                    WcStatus::RNR_RETRY_EXCEEDED,
                    psn);
        m_rnrUntil = now + wait;
    }
    else if (static_cast<NakCode>(SyndromeValue(frame.syndrome)) == NakCode::PSN_SEQUENCE_ERROR)
    {
        m_ops->NakReceived(m_rate, now);
        GoBack(psn);
    }
    else
    {
        m_qp.Fail(WcStatus::REMOTE_INVALID_REQUEST);
        return;
    }
    m_qp.GetNic().Activate(m_qp);
}

void
RdmaRequester::Acknowledge(uint64_t nextExpected, const FabricFrame& ack)
{
    int64_t now = NowSteps();
    uint64_t bytesBefore = BytesBefore(nextExpected);
    uint64_t acked = bytesBefore - m_ackedBytes;
    m_ackedPsn = nextExpected;
    m_ackedBytes = bytesBefore;
    if (m_sendPsn < m_ackedPsn)
    {
        // The receiver had more than we went back for.
        m_sendPsn = m_ackedPsn;
        m_sentBytes = m_ackedBytes;
        while (m_cursor < m_wqes.size() &&
               m_wqes[m_cursor].firstPsn + m_wqes[m_cursor].frames <= m_sendPsn)
        {
            ++m_cursor;
        }
    }
    m_retries = m_rnrRetries = 0;
    CatchUp(now);
    m_ops->Acked(
        m_rate,
        {now, acked, m_sentBytes - m_ackedBytes, now - static_cast<int64_t>(ack.sentTime)});
    if (m_rate.rateBps != m_pacedRate)
    {
        Repace(now);
    }
    UpdateWindow();
    if (m_windowBlocked && !WindowIsFull())
    {
        m_windowBlocked = false;
        m_windowOpened = now;
    }
    m_timeoutAt = NEVER;
    if (m_askedPsn > m_ackedPsn)
    {
        ArmTimer(now);
    }
    while (!m_wqes.empty() && m_wqes.front().firstPsn + m_wqes.front().frames <= m_ackedPsn)
    {
        CompleteOldest(WcStatus::SUCCESS, &ack);
    }
    m_qp.GetNic().Activate(m_qp);
}

uint64_t
RdmaRequester::BytesBefore(uint64_t psn) const
{
    // Acknowledgements come for the oldest messages: a walk from the front is short.
    for (const Wqe& wqe : m_wqes)
    {
        if (psn < wqe.firstPsn + wqe.frames)
        {
            return wqe.startBytes + (psn - wqe.firstPsn) * m_qp.GetMtu();
        }
    }
    return m_postedBytes;
}

void
RdmaRequester::CompleteOldest(WcStatus status, const FabricFrame* ack)
{
    Wqe wqe = std::move(m_wqes.front());
    m_wqes.pop_front();
    if (m_cursor > 0)
    {
        --m_cursor;
    }
    MessageRecord record;
    record.workRequestId = wqe.request.id;
    record.job = m_qp.GetJob();
    record.operation = wqe.request.operation;
    record.status = status;
    record.bytes = wqe.request.bytes;
    record.srcAddress = m_qp.GetLocalAddress();
    record.dstAddress = m_qp.GetRemoteAddress();
    record.srcQp = m_qp.GetNumber();
    record.dstQp = m_qp.GetRemoteNumber();
    record.udpSourcePort = m_qp.GetUdpSourcePort();
    record.start = wqe.postedAt;
    record.end = NowSteps();
    if (ack)
    {
        record.shares = wqe.sharesAtLastFrame;
        record.shares -= wqe.sharesAtPost;
        record.shares.serialization += ack->journey.serialization;
        record.shares.propagation += ack->journey.propagation;
        record.shares.queueing += ack->journey.queueing;
        record.shares.paused += ack->journey.paused;
    }
    // What neither the sender nor the last round trip explains was spent on repeating.
    record.shares.retransmission += record.end - record.start - record.shares.Total();
    m_qp.GetNic().NotifyMessage(record);

    if (wqe.request.signaled || status != WcStatus::SUCCESS)
    {
        WorkCompletion completion;
        completion.id = wqe.request.id;
        completion.status = status;
        completion.bytes = wqe.request.bytes;
        bool send = wqe.request.operation == RdmaOperation::SEND ||
                    wqe.request.operation == RdmaOperation::SEND_WITH_IMM;
        completion.opcode = send ? WcOpcode::SEND : WcOpcode::WRITE;
        m_qp.Complete(completion);
    }
}

void
RdmaRequester::ReceiveCnp()
{
    int64_t now = NowSteps();
    CatchUp(now);
    m_ops->CnpReceived(m_rate, now);
    if (m_rate.rateBps != m_pacedRate)
    {
        Repace(now);
    }
}

// ---------------------------------------------------------------- recovery

void
RdmaRequester::GoBack(uint64_t psn)
{
    m_sendPsn = psn;
    m_sentBytes = BytesBefore(psn);
    m_cursor = 0;
    while (m_cursor < m_wqes.size() && m_wqes[m_cursor].firstPsn + m_wqes[m_cursor].frames <= psn)
    {
        ++m_cursor;
    }
    m_sinceAckRequest =
        m_qp.GetAckInterval() - 1; // the first repetition asks, and starts the timer
    m_askedPsn = psn;
    m_timeoutAt = NEVER;
    m_windowBlocked = false;
}

void
RdmaRequester::RetryOrFail(uint8_t& retries, uint8_t limit, WcStatus status, uint64_t psn)
{
    if (retries >= limit)
    {
        m_qp.Fail(status);
        return;
    }
    if (limit != UINT8_MAX)
    {
        ++retries;
    }
    GoBack(psn);
}

void
RdmaRequester::ArmTimer(int64_t now)
{
    int64_t timeout = m_qp.GetTimeoutSteps();
    if (timeout > 0)
    {
        m_timeoutAt = now + timeout;
        m_timer.At(m_qp.GetNic().Port().GetNodeId(), m_timeoutAt, now);
    }
}

void
RdmaRequester::TimerFired()
{
    if (m_timeoutAt == NEVER)
    {
        return; // all is acknowledged
    }
    int64_t now = NowSteps();
    if (now < m_timeoutAt)
    {
        m_timer.At(m_qp.GetNic().Port().GetNodeId(), m_timeoutAt, now); // there was progress
        return;
    }
    m_timeoutAt = NEVER;
    ++m_qp.GetNic().Count().timeouts;
    m_ops->TimedOut(m_rate, now);
    RetryOrFail(m_retries, m_qp.GetRetryCount(), WcStatus::RETRY_EXCEEDED, m_ackedPsn);
    if (m_qp.GetState() == QpState::RTS)
    {
        ArmTimer(now); // also where the repetition itself is held, by PFC for example
        m_qp.GetNic().Activate(m_qp);
    }
}

void
RdmaRequester::Fail(WcStatus status)
{
    m_timeoutAt = NEVER;
    m_sendPsn = m_endPsn; // nothing is left to send
    m_windowBlocked = false;
    while (!m_wqes.empty())
    {
        CompleteOldest(status, nullptr);
        status = WcStatus::FLUSHED;
    }
    m_cursor = 0;
}

} // namespace ns3
