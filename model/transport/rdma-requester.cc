// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-requester.h"

#include "growing-ring.h"
#include "rdma-nic.h"

#include "ns3/aeth-syndrome.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRequester");

namespace
{

/// @param operation of the message @param first starts it @param last ends it
/// @return the opcode, as a reliable connection's
RdmaOpcode
OpcodeOf(RdmaOperation operation, bool first, bool last)
{
    using O = RdmaOpcode;
    static constexpr O TABLE[][4] = {
        {O::RC_SEND_FIRST, O::RC_SEND_MIDDLE, O::RC_SEND_LAST, O::RC_SEND_ONLY},
        {O::RC_SEND_FIRST, O::RC_SEND_MIDDLE, O::RC_SEND_LAST_IMM, O::RC_SEND_ONLY_IMM},
        {O::RC_SEND_FIRST, O::RC_SEND_MIDDLE, O::RC_SEND_LAST_INV, O::RC_SEND_ONLY_INV},
        {O::RC_WRITE_FIRST, O::RC_WRITE_MIDDLE, O::RC_WRITE_LAST, O::RC_WRITE_ONLY},
        {O::RC_WRITE_FIRST, O::RC_WRITE_MIDDLE, O::RC_WRITE_LAST_IMM, O::RC_WRITE_ONLY_IMM},
        {O::RC_READ_REQUEST, O::RC_READ_REQUEST, O::RC_READ_REQUEST, O::RC_READ_REQUEST},
        {O::RC_CMP_SWAP, O::RC_CMP_SWAP, O::RC_CMP_SWAP, O::RC_CMP_SWAP},
        {O::RC_FETCH_ADD, O::RC_FETCH_ADD, O::RC_FETCH_ADD, O::RC_FETCH_ADD},
    };
    size_t position = first ? (last ? 3 : 0) : (last ? 2 : 1);
    return TABLE[static_cast<size_t>(operation)][position];
}

/// @param operation of a message @return what its completion reports
WcOpcode
CompletionOpcodeOf(RdmaOperation operation)
{
    switch (operation)
    {
    case RdmaOperation::READ:
        return WcOpcode::READ;
    case RdmaOperation::COMPARE_SWAP:
        return WcOpcode::COMPARE_SWAP;
    case RdmaOperation::FETCH_ADD:
        return WcOpcode::FETCH_ADD;
    default:
        return IsSend(operation) ? WcOpcode::SEND : WcOpcode::WRITE;
    }
}

/// @param code of a NAK @return how the work request ends
WcStatus
StatusOf(NakCode code)
{
    switch (code)
    {
    case NakCode::REMOTE_ACCESS_ERROR:
        return WcStatus::REMOTE_ACCESS;
    case NakCode::REMOTE_OPERATIONAL_ERROR:
        return WcStatus::REMOTE_OPERATIONAL;
    default:
        return WcStatus::REMOTE_INVALID_REQUEST;
    }
}

/// Syndrome of the answer to a frame of which only the headers have come.
constexpr uint8_t TRIMMED =
    MakeSyndrome(AethKind::NAK, static_cast<uint8_t>(NakCode::FRAME_TRIMMED));

} // namespace

RdmaRequester::RdmaRequester(QueuePair& qp)
    : m_qp(qp),
      m_maxInFlight(0),
      m_selective(false),
      m_reliable(true),
      m_timer(this)
{
}

RdmaRequester::~RdmaRequester() = default;

std::vector<std::unique_ptr<RdmaRequester::Work>>&
RdmaRequester::WorkPool()
{
    static std::vector<std::unique_ptr<Work>> pool;
    return pool;
}

void
RdmaRequester::TakeWork()
{
    std::vector<std::unique_ptr<Work>>& pool = WorkPool();
    m_work = pool.empty() ? std::make_unique<Work>() : std::move(pool.back());
    if (!pool.empty())
    {
        pool.pop_back();
    }
    m_work->askedPsn = m_psn.acked;
}

void
RdmaRequester::ReturnWork()
{
    if (m_work)
    {
        m_doneBytes += m_work->postedBytes;
        m_work->wqes.clear(); // its memory stays, for the next one
        constexpr size_t KEPT_WQES = 256;
        if (m_work->wqes.capacity() > KEPT_WQES)
        {
            m_work->wqes.set_capacity(KEPT_WQES);
        }
        *m_work = Work{std::move(m_work->wqes)};
        WorkPool().push_back(std::move(m_work));
    }
}

void
RdmaRequester::Rest()
{
    if (!HasWork())
    {
        ReturnWork();
    }
}

void
RdmaRequester::Start(uint64_t initialPsn)
{
    m_psn = {initialPsn, initialPsn, initialPsn, initialPsn, initialPsn};
    ReturnWork();
    m_doneBytes = 0;
    m_rare.reset();
    m_selective = m_qp.IsSelective();
    m_reliable = m_qp.GetType() == QpType::RC;
    m_maxInFlight = static_cast<uint32_t>(m_qp.Reliability().GetMaxInFlight());
    m_posted = 0;
    m_rateBps = 0;
    UpdateWindow();
}

void
RdmaRequester::UpdateWindow()
{
    const RdmaRateState& rate = m_qp.GetPacer().GetState();
    if (rate.rateBps == m_rateBps && rate.windowBytes == m_ruleWindow)
    {
        return;
    }
    if (rate.rateBps != m_rateBps)
    {
        m_qp.GetNic().Trace().rate(m_qp, rate.rateBps);
    }
    m_rateBps = rate.rateBps;
    m_ruleWindow = rate.windowBytes;
    uint64_t window = rate.windowBytes;
    if (window == 0)
    {
        window = m_qp.GetWindowBytes();
        if (m_qp.HasVariableWindow() && window > 0)
        {
            double scaled = static_cast<double>(window) * rate.rateBps / rate.lineRateBps;
            window = std::max<uint64_t>(1, static_cast<uint64_t>(scaled));
        }
    }
    if (window != m_windowBytes)
    {
        m_windowBytes = window;
        m_qp.GetNic().Trace().window(m_qp, static_cast<double>(window));
    }
}

// ---------------------------------------------------------------- posting

void
RdmaRequester::Post(const SendWorkRequest& request)
{
    int64_t now = NowSteps();
    if (!m_work)
    {
        TakeWork();
    }
    if (!HasWork())
    {
        m_qp.Pacer().Resumed(now);
        m_qp.CongestionChanged();
    }
    bool idle = m_psn.send == m_psn.end;
    if (idle)
    {
        // Idle so far: time counts from here, or from the end of the frame that is on the wire.
        m_work->gapStart = std::max(m_work->gapStart, now);
        m_work->pauseClock = m_qp.GetPort().PausedSteps(m_qp.GetTrafficClass(), now);
    }
    else
    {
        SettleGap(now, m_psn.send < m_psn.sent);
    }
    GrowIfFull(m_work->wqes);
    Wqe wqe;
    wqe.request = request;
    wqe.firstPsn = m_psn.end;
    wqe.frames = std::max<uint64_t>(1, (request.bytes + m_qp.GetMtu() - 1) / m_qp.GetMtu());
    wqe.startBytes = m_work->postedBytes;
    wqe.responses = wqe.atomicOriginal = 0;
    wqe.responseSlot = 0;
    wqe.number = m_posted++ & wire::MASK_24;
    wqe.repeated = false;
    wqe.postedAt = now;
    wqe.hostReady = now;
    wqe.sharesAtPost = m_work->shares;
    wqe.sharesAtPost.serialization -=
        m_work->gapStart - now; // the frame on the wire is booked whole
    m_psn.end += wqe.frames;
    bool returns = ReturnsData(request.operation);
    m_work->postedBytes += returns ? 0 : request.bytes;
    m_work->returning += returns;
    if (RdmaHostInterface* host = m_qp.GetNic().Host())
    {
        wqe.hostReady = host->Post(Uncommon().hostQueue,
                                   m_qp.GetNumber(),
                                   static_cast<uint32_t>(request.inlined ? request.bytes : 0),
                                   static_cast<uint32_t>(request.pieces.size()),
                                   now);
    }
    m_work->wqes.push_back(std::move(wqe));
    if (idle)
    {
        PrepareNext(now);
    }
    AskForCredit(false);
}

void
RdmaRequester::PrepareNext(int64_t now)
{
    RdmaHostInterface* host = m_qp.GetNic().Host();
    if (!host || m_psn.send >= m_psn.end)
    {
        return;
    }
    const Wqe& wqe = m_work->wqes[m_work->cursor];
    uint64_t index = m_psn.send - wqe.firstPsn;
    m_work->hostReady = wqe.hostReady;
    if (index == 0)
    {
        m_work->hostReady = std::max(m_work->hostReady, Uncommon().hostQueue.turned);
    }
    uint32_t payload = PayloadOf(wqe, index);
    if (payload > 0 && !wqe.request.inlined && !ReturnsData(wqe.request.operation))
    {
        m_work->hostReady =
            std::max(m_work->hostReady, host->Fetch(payload, wqe.hostReady, index == 0, now));
    }
}

// ---------------------------------------------------------------- sending

bool
RdmaRequester::HasFrame() const
{
    if (m_psn.send >= m_psn.end || (m_work->refused > 0 && m_psn.send >= m_work->refused))
    {
        return false;
    }
    if (IsOutOfCredit())
    {
        return false;
    }
    if (m_selective && m_psn.send < m_psn.sent)
    {
        // It was in the window before; but the window may have shrunk. What the other side misses
        // most goes whatever the window is.
        return m_psn.send <= m_psn.confirmed || !NetworkIsFull();
    }
    // A full window holds only while an acknowledgement is on its way. Where congestion control has
    // shrunk it below what is in flight, one more frame goes, to ask for one. (A pair with nothing
    // in flight has a full window only where others share it: their acknowledgements open it.)
    bool answerComes = m_work->askedPsn > m_psn.acked || m_psn.send == m_psn.acked;
    if (answerComes && WindowIsFull())
    {
        return false;
    }
    return FitsInFlight() && !IsHeld();
}

bool
RdmaRequester::FitsInFlight() const
{
    uint64_t inFlight = m_psn.send - m_psn.acked;
    if (m_work->returning == 0 || inFlight == 0)
    {
        return inFlight < m_maxInFlight;
    }
    // A READ takes all its sequence numbers at once.
    const Wqe& wqe = m_work->wqes[m_work->cursor];
    return inFlight + SequenceNumbersOf(wqe, m_psn.send - wqe.firstPsn) <= m_maxInFlight;
}

bool
RdmaRequester::IsHeld() const
{
    if (m_work->returning == 0 && m_qp.GetState() == QpState::RTS)
    {
        return false; // the common case
    }
    const Wqe& wqe = m_work->wqes[m_work->cursor];
    if (m_psn.send != wqe.firstPsn || m_psn.send < m_psn.sent)
    {
        return false; // has started
    }
    return m_qp.GetState() != QpState::RTS || (wqe.request.fence && m_work->asking > 0) ||
           (ReturnsData(wqe.request.operation) && m_work->asking >= m_qp.GetMaxReads());
}

bool
RdmaRequester::IsOutOfCredit() const
{
    if (m_qp.GetPacer().IsBelowLimit() || m_psn.send >= m_psn.end)
    {
        return false;
    }
    const SendWorkRequest& request = m_work->wqes[m_work->cursor].request;
    return !ReturnsData(request.operation) && request.bytes > 0; // only payload needs credit
}

bool
RdmaRequester::WindowIsFull() const
{
    return m_windowBytes > 0 && m_qp.GetWindowedBytes() >= m_windowBytes;
}

bool
RdmaRequester::NetworkIsFull() const
{
    uint64_t frames = m_psn.sent - m_psn.confirmed;
    uint64_t gone = std::min(frames, m_qp.Reliability().GetGone());
    if (m_windowBytes == 0 || gone == frames)
    {
        return false;
    }
    uint64_t bytes = m_work->sentBytes - m_work->ackedBytes;
    return m_qp.GetWindowedBytes() - bytes / frames * gone >= m_windowBytes;
}

uint32_t
RdmaRequester::PayloadOf(const Wqe& wqe, uint64_t index) const
{
    uint64_t mtu = m_qp.GetMtu();
    uint64_t most = mtu * m_qp.GetSegmentsPerFrame();
    return static_cast<uint32_t>(std::min(most, wqe.request.bytes - index * mtu));
}

uint64_t
RdmaRequester::SequenceNumbersOf(const Wqe& wqe, uint64_t index) const
{
    if (wqe.request.operation != RdmaOperation::READ)
    {
        const uint64_t most = m_qp.GetSegmentsPerFrame();
        return most == 1 ? 1 : std::min(most, wqe.frames - index);
    }
    uint64_t end = wqe.frames;
    if (!wqe.responsesCome.empty())
    {
        end = index + 1;
        while (end < wqe.frames && !wqe.responsesCome[end])
        {
            ++end;
        }
    }
    return end - index;
}

FramePtr
RdmaRequester::NextFrame(int64_t now)
{
    Wqe& wqe = m_work->wqes[m_work->cursor];
    if (!wqe.request.pieces.empty() && !m_qp.MayUsePieces(wqe.request))
    {
        RefuseLocally(wqe.firstPsn); // the memory has been deregistered since it was posted
        return nullptr;
    }
    uint64_t index = m_psn.send - wqe.firstPsn;
    bool again = m_psn.send < m_psn.sent;
    FramePtr frame = FabricFrame::Create();
    FillHeaders(*frame, wqe, index);
    uint64_t count = SequenceNumbersOf(wqe, index);
    bool last = index + count >= wqe.frames;
    m_work->sentBytes += again && m_selective ? 0 : frame->payloadBytes;
    m_qp.GetNic().SetDataSize(*frame);
    if (frame->payloadBytes > m_qp.GetMtu())
    {
        m_qp.GetNic().SetCoarseSize(*frame, m_qp.GetMtu(), m_qp.GetPort().GetFrameOverhead());
    }
    Account(*frame, wqe, last, now);
    m_qp.Pacer().Sent(frame->sizeBytes + m_qp.GetPort().GetFrameOverhead(),
                      frame->payloadBytes,
                      now);
    m_qp.CongestionChanged();
    m_work->asking += !again && ReturnsData(wqe.request.operation);
    wqe.repeated |= again;

    m_psn.send += count;
    m_psn.sent = std::max(m_psn.sent, m_psn.send);
    m_work->cursor += last;
    m_work->windowBlocked = m_psn.send < m_psn.end && (WindowIsFull() || IsOutOfCredit());
    if (m_reliable)
    {
        m_work->sinceAckRequest +=
            ReturnsData(wqe.request.operation) ? 1 : static_cast<uint32_t>(count);
        AskForAck(*frame, last, now);
        if (again)
        {
            uint64_t next = m_qp.Reliability().NextAfter(m_psn);
            if (next != m_psn.send)
            {
                MoveTo(next);
            }
        }
    }
    else
    {
        m_psn.acked = m_psn.confirmed = m_psn.send;
        m_work->ackedBytes = m_work->sentBytes;
        if (last)
        {
            int64_t slot = m_work->gapStart - NowSteps(); // booked by Account()
            Simulator::Schedule(TimeStep(slot), &RdmaRequester::CompleteSent, this);
        }
    }
    if (last && m_qp.GetNic().Host())
    {
        m_qp.GetNic().Host()->Sent(Uncommon().hostQueue, m_work->gapStart);
    }
    PrepareNext(now);
    if (m_qp.GetFeedback().credit && !ReturnsData(wqe.request.operation))
    {
        TellDemand(*frame);
    }
    RdmaNicTraces& trace = m_qp.GetNic().Trace();
    (again ? trace.retransmit : trace.transmit)(m_qp, *frame);
    return frame;
}

void
RdmaRequester::AskForAck(FabricFrame& frame, bool last, int64_t now)
{
    // Who cannot go on must not wait for an acknowledgement that nobody was asked for.
    // Where others share the window, they may fill it without this pair: its first frame asks.
    bool others = m_qp.SharesPacer() && m_work->askedPsn <= m_psn.acked;
    bool stops = last || others || WindowIsFull() || m_psn.send - m_psn.acked >= m_maxInFlight ||
                 !m_qp.GetPacer().IsBelowLimit();
    if (m_work->sinceAckRequest < m_qp.GetAckInterval() && !stops)
    {
        return;
    }
    frame.ackRequest = true;
    m_work->sinceAckRequest = 0;
    m_work->askedPsn = std::max(m_work->askedPsn, m_psn.send);
    if (m_work->timeoutAt == NEVER)
    {
        ArmTimer(now);
    }
}

void
RdmaRequester::FillHeaders(FabricFrame& frame, const Wqe& wqe, uint64_t index)
{
    const SendWorkRequest& request = wqe.request;
    bool returns = ReturnsData(request.operation);
    bool last = returns || index + SequenceNumbersOf(wqe, index) == wqe.frames;
    RdmaOpcode opcode = OpcodeOf(request.operation, returns || index == 0, last);
    RdmaService service = m_selective                    ? RdmaService::SR
                          : m_qp.GetType() == QpType::RC ? RdmaService::RC
                          : m_qp.GetType() == QpType::UC ? RdmaService::UC
                                                         : RdmaService::UD;
    frame.opcode = MakeOpcode(service, opcode);
    frame.psn = static_cast<uint32_t>(m_psn.send) & wire::MASK_24;
    frame.solicited = request.solicited && last;
    frame.remoteAddress = request.remoteAddress;
    frame.remoteKey = request.operation == RdmaOperation::SEND_WITH_INVALIDATE
                          ? request.invalidateKey
                          : request.remoteKey;
    frame.dmaLength = static_cast<uint32_t>(request.bytes);
    frame.immediate = request.immediate;
    if (returns)
    {
        uint64_t offset = index * m_qp.GetMtu();
        uint64_t asked = SequenceNumbersOf(wqe, index) * m_qp.GetMtu();
        frame.remoteAddress += offset;
        frame.dmaLength = static_cast<uint32_t>(std::min(asked, request.bytes - offset));
        frame.atomicData = request.swapOrAdd;
        frame.atomicCompare = request.compare;
    }
    else
    {
        frame.payloadBytes = PayloadOf(wqe, index);
        FillPayload(frame, wqe, index);
        if (m_qp.CollectsTelemetry())
        {
            m_qp.AskForTelemetry(frame);
        }
    }
    if (m_qp.GetType() == QpType::UD)
    {
        m_qp.FillAddresses(frame, *request.path);
        frame.destQp = request.remoteQp;
        frame.qkey = request.qkey;
        frame.srcQp = m_qp.GetNumber();
        return;
    }
    m_qp.FillAddresses(frame);
    if (m_selective)
    {
        frame.messageNumber = wqe.number;
        frame.frameOffset = static_cast<uint32_t>(index * m_qp.GetMtu());
    }
}

void
RdmaRequester::FillPayload(FabricFrame& frame, const Wqe& wqe, uint64_t index) const
{
    uint64_t offset = index * m_qp.GetMtu();
    const SendWorkRequest& request = wqe.request;
    if (request.payload)
    {
        frame.payload =
            request.payload->CreateFragment(static_cast<uint32_t>(offset), frame.payloadBytes);
    }
    else if (!request.pieces.empty())
    {
        frame.payload = m_qp.GetDomain().Gather(request.pieces, offset, frame.payloadBytes);
    }
}

void
RdmaRequester::Account(FabricFrame& frame, Wqe& wqe, bool last, int64_t now)
{
    bool again = m_psn.send < m_psn.sent;
    SettleGap(now, again);
    if (!again && (last || ReturnsData(wqe.request.operation)))
    {
        wqe.sharesAtLastFrame = m_work->shares;
    }
    int64_t slot = m_qp.GetPort().SlotSteps(frame.sizeBytes);
    (again ? m_work->shares.retransmission : m_work->shares.serialization) += slot;
    m_work->gapStart = now + slot;
    frame.sentTime = static_cast<uint64_t>(now);

    RdmaNicCounters& counters = m_qp.GetNic().Count();
    ++counters.dataFramesSent;
    counters.retransmittedFrames += again;
}

void
RdmaRequester::SettleGap(int64_t now, bool retransmission)
{
    // Divides the time since the last frame's slot among what held the next one, outermost first.
    int64_t lastPauseClock = m_work->pauseClock;
    m_work->pauseClock = m_qp.GetPort().PausedSteps(m_qp.GetTrafficClass(), now);
    int64_t rest = now - m_work->gapStart;
    if (rest <= 0)
    {
        return;
    }
    if (retransmission)
    {
        m_work->shares.retransmission += rest;
    }
    else
    {
        int64_t paused = std::min(rest, m_work->pauseClock - lastPauseClock);
        m_work->shares.paused += paused;
        rest -= paused;
        int64_t opened =
            m_work->windowBlocked ? now : std::max(m_work->windowOpened, m_work->gapStart);
        int64_t window = std::min(rest, opened - m_work->gapStart);
        m_work->shares.window += window;
        rest -= window;
        int64_t paceEnd = std::min(m_qp.GetPacer().GetNextSendTime(), now);
        int64_t paced = std::clamp<int64_t>(paceEnd - opened, 0, rest);
        m_work->shares.congestionControl += paced;
        rest -= paced;
        int64_t hostEnd = std::min(m_work->hostReady, now);
        int64_t host = std::clamp<int64_t>(hostEnd - std::max(opened, paceEnd), 0, rest);
        m_work->shares.hostInterface += host;
        m_work->shares.nicContention += rest - host;
    }
    m_work->gapStart = now;
}

void
RdmaRequester::CompleteSent()
{
    if (HasWork() && m_work->wqes.front().EndPsn() <= m_psn.acked)
    {
        CompleteOldest(WcStatus::SUCCESS, nullptr);
    }
    Rest();
}

// ---------------------------------------------------------------- credit

RdmaRequester::Rare&
RdmaRequester::Uncommon()
{
    if (!m_rare)
    {
        m_rare = std::make_unique<Rare>();
    }
    return *m_rare;
}

uint64_t
RdmaRequester::GetDemandBytes()
{
    uint64_t sent = m_qp.GetPacer().GetSentBytes();
    if (!m_selective)
    {
        return sent + m_work->postedBytes - m_work->sentBytes; // it goes back and sends all again
    }
    // Which frames are to be repeated is not known beyond the next one. What the other side has
    // asked for because it was trimmed, it counts itself.
    uint64_t repeated = sent - m_doneBytes - m_work->sentBytes;
    uint64_t trimmed = Uncommon().trimmedBytes;
    bool one = m_psn.send < m_psn.sent && repeated >= trimmed;
    uint64_t more = std::max(repeated, trimmed) - trimmed + (one ? m_qp.GetMtu() : 0);
    return m_doneBytes + m_work->postedBytes + more;
}

void
RdmaRequester::TellDemand(FabricFrame& frame)
{
    Uncommon().toldBytes = GetDemandBytes();
    frame.demandBytes = Uncommon().toldBytes;
    frame.sentBytes = m_qp.GetPacer().GetSentBytes();
    frame.limitBytes = m_qp.GetPacer().GetState().sendLimitBytes;
}

void
RdmaRequester::AskForCredit(bool again)
{
    if (!m_qp.GetFeedback().credit || !m_work || !IsOutOfCredit())
    {
        return;
    }
    m_work->windowBlocked = true;
    bool known = m_qp.GetPacer().GetSentBytes() < Uncommon().toldBytes + Uncommon().trimmedBytes;
    if (known && !again)
    {
        return; // credit is on its way, and the next frame will tell the rest
    }
    FramePtr frame = FabricFrame::Create();
    frame->opcode = RdmaOpcode::CREDIT_REQUEST;
    TellDemand(*frame);
    m_qp.FillAddresses(*frame);
    if (m_work->timeoutAt == NEVER)
    {
        ArmTimer(NowSteps());
    }
    m_qp.GetNic().SendControl(m_qp.GetPort(), std::move(frame));
}

void
RdmaRequester::ReceiveCredit()
{
    if (!m_work || IsOutOfCredit())
    {
        return;
    }
    if (m_work->windowBlocked && !WindowIsFull())
    {
        m_work->windowBlocked = false;
        m_work->windowOpened = NowSteps();
    }
    if (m_psn.acked == m_psn.sent)
    {
        m_work->timeoutAt = NEVER; // it was this that the timer waited for
        m_work->retries = 0;
    }
    m_qp.Activate();
}

// ---------------------------------------------------------------- acknowledgements

void
RdmaRequester::ReceiveAck(const FabricFrame& frame)
{
    uint64_t psn = ExpandPsn(frame.psn, m_psn.acked);
    AethKind kind = SyndromeKind(frame.syndrome);
    // An ACK covers its PSN, a NAK all before.
    uint64_t nextExpected = kind == AethKind::ACK ? psn + 1 : psn;
    if (nextExpected > m_psn.sent || psn + PSN_WINDOW < m_psn.acked)
    {
        return; // speaks of what was never sent
    }
    if (frame.switchHeader && frame.switchHeader->telemetryFormat != TelemetryFormat::NONE)
    {
        m_qp.GetNic().Trace().telemetry(m_qp, frame);
    }
    Confirm(nextExpected);
    uint64_t limit = AckLimit(nextExpected);
    if (limit > m_psn.acked)
    {
        Acknowledge(limit, frame);
    }
    else if (HasWork() && frame.syndrome != TRIMMED)
    {
        m_qp.Pacer().Acked(SignalOf(frame, 0));
        m_qp.CongestionChanged();
    }
    if (m_qp.GetState() != QpState::RTS && m_qp.GetState() != QpState::SQD)
    {
        return; // a completion has ended it
    }
    FailIfRefused();
    Rest();
    if (!m_work)
    {
        return; // all is done
    }
    if (m_selective && GetOpcodeTraits(frame.opcode).hasSack && frame.sackBits != 0)
    {
        uint64_t before = m_psn.send;
        m_qp.Reliability().Sacked(m_psn, ExpandPsn(frame.sackBase, m_psn.acked), frame.sackBits);
        if (m_psn.send != before)
        {
            Repeat();
        }
    }
    if (m_selective && frame.syndrome == TRIMMED)
    {
        TellTrimmed(frame);
        uint64_t trimmedPsn = ExpandPsn(frame.sackBase, m_psn.acked);
        if (m_qp.GetFeedback().credit && trimmedPsn >= m_psn.acked && trimmedPsn < m_psn.sent)
        {
            const Wqe& wqe = m_work->wqes[FindWqe(trimmedPsn)];
            Uncommon().trimmedBytes += PayloadOf(wqe, trimmedPsn - wqe.firstPsn);
        }
        RepeatTrimmed(trimmedPsn);
    }
    else if (kind != AethKind::ACK && psn == m_psn.confirmed) // else it is long out of date
    {
        ReceiveNak(frame, psn);
    }
    if (m_work && m_psn.send < m_psn.sent)
    {
        m_qp.Activate(); // less is in the network than before
    }
}

void
RdmaRequester::RepeatTrimmed(uint64_t psn)
{
    uint64_t before = m_psn.send;
    m_qp.Reliability().Trimmed(m_psn, psn);
    if (m_psn.send != before)
    {
        Repeat();
    }
    if (psn == m_psn.acked && m_work->timeoutAt != NEVER)
    {
        ArmTimer(NowSteps()); // of the oldest frame there is news: its timer runs anew
    }
}

void
RdmaRequester::ReceiveNak(const FabricFrame& frame, uint64_t psn)
{
    int64_t now = NowSteps();
    bool retried = false;
    if (SyndromeKind(frame.syndrome) == AethKind::RNR_NAK)
    {
        constexpr uint8_t FOREVER = 7;
        uint8_t limit = m_qp.GetRnrRetryCount() == FOREVER ? UINT8_MAX : m_qp.GetRnrRetryCount();
        m_work->rnrUntil =
            now + MicroSeconds(RnrTimerMicroseconds(SyndromeValue(frame.syndrome))).GetTimeStep();
        retried = MayRetry(m_work->rnrRetries, limit, WcStatus::RNR_RETRY_EXCEEDED);
    }
    else if (auto code = static_cast<NakCode>(SyndromeValue(frame.syndrome));
             code == NakCode::PSN_SEQUENCE_ERROR)
    {
        m_qp.Pacer().NakReceived(now);
        m_qp.CongestionChanged();
        retried = MayRetry(m_work->retries, m_qp.GetRetryLimit(), WcStatus::RETRY_EXCEEDED);
    }
    else if (code == NakCode::FRAME_TRIMMED)
    {
        TellTrimmed(frame);
        retried = true; // the way is not broken, only full: no limit of retries holds
    }
    else
    {
        // A READ before it still succeeds: its data may be on their way behind this NAK.
        m_work->refused = psn;
        m_work->refusal = StatusOf(code);
        FailIfRefused();
    }
    if (retried)
    {
        m_qp.Reliability().SequenceNak(m_psn, psn);
        Repeat();
        if (m_work->rnrUntil > now && HasFrame())
        {
            m_work->timeoutAt = NEVER; // nothing is due while the receiver has asked for silence
        }
    }
}

void
RdmaRequester::RefuseLocally(uint64_t psn)
{
    m_work->refused = psn;
    m_work->refusal = WcStatus::LOCAL_PROTECTION;
    Simulator::ScheduleNow(&RdmaRequester::FailIfRefused, this); // not amid a frame
}

void
RdmaRequester::FailIfRefused()
{
    if (m_work && m_work->refused > 0 && m_psn.acked >= m_work->refused)
    {
        m_qp.Fail(m_work->refusal);
    }
}

void
RdmaRequester::Confirm(uint64_t nextExpected)
{
    if (nextExpected > m_psn.confirmed)
    {
        m_psn.confirmed = nextExpected;
        m_work->retries = m_work->rnrRetries = 0; // progress, even if an older READ is not complete
        m_qp.Reliability().Confirmed(m_psn);
    }
}

uint64_t
RdmaRequester::AckLimit(uint64_t nextExpected) const
{
    if (!m_work || m_work->asking == 0)
    {
        return nextExpected;
    }
    // A READ or atomic is done when its data are here, whatever is acknowledged behind it.
    for (const Wqe& wqe : m_work->wqes)
    {
        if (wqe.firstPsn >= nextExpected)
        {
            break;
        }
        if (ReturnsData(wqe.request.operation) && wqe.responses < wqe.frames)
        {
            return wqe.firstPsn + wqe.responses;
        }
    }
    return nextExpected;
}

void
RdmaRequester::Acknowledge(uint64_t nextExpected, const FabricFrame& ack)
{
    int64_t now = NowSteps();
    uint64_t bytesBefore = BytesBefore(nextExpected);
    uint64_t acked = bytesBefore - m_work->ackedBytes;
    m_psn.acked = nextExpected;
    m_work->ackedBytes = bytesBefore;
    if (m_psn.send < m_psn.acked)
    {
        m_psn.send = m_psn.acked; // the receiver had more than we went back for
        MoveTo(m_qp.Reliability().NextAfter(m_psn));
    }
    m_work->retries = 0;
    m_qp.Pacer().Acked(SignalOf(ack, acked));
    m_qp.CongestionChanged();
    if (m_work->windowBlocked && !WindowIsFull() && !IsOutOfCredit())
    {
        m_work->windowBlocked = false;
        m_work->windowOpened = now;
    }
    m_work->timeoutAt = NEVER;
    if (m_work->askedPsn > m_psn.acked || IsOutOfCredit()) // credit may be lost as well
    {
        ArmTimer(now);
    }
    while (HasWork() && m_work->wqes.front().EndPsn() <= m_psn.acked)
    {
        CompleteOldest(WcStatus::SUCCESS, &ack);
    }
    m_qp.Activate();
}

RdmaAckSignal
RdmaRequester::SignalOf(const FabricFrame& answer, uint64_t ackedBytes) const
{
    int64_t now = NowSteps();
    RdmaAckSignal signal;
    signal.now = now;
    signal.ackedBytes = ackedBytes;
    signal.inFlightBytes = m_qp.GetWindowedBytes();
    signal.rttSteps = m_qp.GetNic().Elapsed(static_cast<int64_t>(answer.sentTime), now);
    signal.endpointSteps = answer.endpointSteps;
    signal.ackedThrough = m_qp.GetAckedBytes();
    signal.sentThrough = signal.ackedThrough + signal.inFlightBytes;
    signal.ecnEcho = answer.becn;
    signal.hops = answer.hops;
    signal.telemetry = answer.switchHeader;
    return signal;
}

void
RdmaRequester::TellTrimmed(const FabricFrame& answer)
{
    m_qp.Pacer().Trimmed(SignalOf(answer, 0));
    m_qp.CongestionChanged();
}

uint64_t
RdmaRequester::BytesBefore(uint64_t psn) const
{
    size_t at = FindWqe(psn);
    if (at == m_work->wqes.size())
    {
        return m_work->postedBytes;
    }
    const Wqe& wqe = m_work->wqes[at];
    bool returns = ReturnsData(wqe.request.operation);
    return wqe.startBytes + (returns ? 0 : (psn - wqe.firstPsn) * m_qp.GetMtu());
}

size_t
RdmaRequester::FindWqe(uint64_t psn) const
{
    // What is acknowledged is mostly near the front; what is repeated may be anywhere.
    constexpr size_t NEAR = 4;
    size_t at = 0;
    for (; at < m_work->wqes.size() && m_work->wqes[at].EndPsn() <= psn; ++at)
    {
        if (at == NEAR)
        {
            auto ends = [psn](const Wqe& wqe) { return wqe.EndPsn() <= psn; };
            auto found =
                std::partition_point(m_work->wqes.begin() + NEAR, m_work->wqes.end(), ends);
            return static_cast<size_t>(found - m_work->wqes.begin());
        }
    }
    return at;
}

// ---------------------------------------------------------------- READ and atomics

void
RdmaRequester::ReceiveResponse(const FabricFrame& frame)
{
    uint64_t psn = ExpandPsn(frame.psn, m_psn.acked);
    if (psn < m_psn.acked || psn >= m_psn.sent)
    {
        return; // an answer to what was answered before
    }
    size_t at = FindWqe(psn);
    if (!ReturnsData(m_work->wqes[at].request.operation))
    {
        return; // or to something else
    }
    Wqe& wqe = m_work->wqes[at];
    uint64_t index = psn - wqe.firstPsn;
    wqe.responseSlot = std::max(wqe.responseSlot, m_qp.GetPort().SlotSteps(frame.sizeBytes));
    if (!wqe.request.pieces.empty() && !m_qp.MayUsePieces(wqe.request))
    {
        RefuseLocally(wqe.firstPsn); // there is no place for the data any more
        return;
    }
    Confirm(wqe.EndPsn()); // the responder works in order: it has taken this and all before
    uint64_t missing = AckLimit(wqe.EndPsn());
    if (m_selective)
    {
        TakeResponse(wqe, index, frame);
        missing = FindMissingResponse(psn);
    }
    else if (psn == missing)
    {
        TakeResponse(wqe, index, frame);
    }
    uint64_t limit = AckLimit(m_psn.confirmed);
    if (limit > m_psn.acked)
    {
        Acknowledge(limit, frame);
        FailIfRefused();
        Rest();
    }
    else if (missing < psn)
    {
        AskAgain(missing, psn);
    }
}

uint64_t
RdmaRequester::FindMissingResponse(uint64_t come)
{
    // All before `gapAsked` have come, or have been asked for again.
    uint64_t psn = std::max(m_psn.acked, m_work->gapAsked);
    for (size_t at = FindWqe(psn); psn < come; ++at)
    {
        const Wqe& wqe = m_work->wqes[at];
        uint64_t end = std::min(wqe.EndPsn(), come);
        while (psn < end && ReturnsData(wqe.request.operation))
        {
            if (!wqe.HasCome(psn - wqe.firstPsn))
            {
                m_work->gapAsked = psn;
                return psn;
            }
            ++psn;
        }
        psn = end;
    }
    m_work->gapAsked = std::max(m_work->gapAsked, come);
    return come;
}

void
RdmaRequester::AskAgain(uint64_t missing, uint64_t come)
{
    if (missing < m_work->gapAsked || !m_qp.Reliability().ResponseGap(m_psn, missing, come))
    {
        return;
    }
    m_work->gapAsked = come;
    if (m_selective)
    {
        const Wqe& wqe = m_work->wqes[FindWqe(missing)];
        m_work->gapAsked = missing + SequenceNumbersOf(wqe, missing - wqe.firstPsn);
    }
    else if (!MayRetry(m_work->retries, m_qp.GetRetryLimit(), WcStatus::RETRY_EXCEEDED))
    {
        return;
    }
    Repeat();
}

void
RdmaRequester::TakeResponse(Wqe& wqe, uint64_t index, const FabricFrame& frame)
{
    if (wqe.HasCome(index))
    {
        return;
    }
    StoreResponse(wqe, index, frame);
    wqe.atomicOriginal = frame.atomicData;
    if (!m_selective)
    {
        ++wqe.responses;
        return;
    }
    wqe.responsesCome.resize(wqe.frames);
    wqe.responsesCome[index] = true;
    while (wqe.responses < wqe.frames && wqe.responsesCome[wqe.responses])
    {
        ++wqe.responses;
    }
}

void
RdmaRequester::StoreResponse(const Wqe& wqe, uint64_t index, const FabricFrame& frame) const
{
    const SendWorkRequest& request = wqe.request;
    if (IsAtomic(request.operation))
    {
        if (!request.pieces.empty())
        {
            m_qp.GetDomain().StoreWord(request.pieces[0], frame.atomicData);
        }
    }
    else if (!request.pieces.empty())
    {
        m_qp.GetDomain().Scatter(request.pieces,
                                 index * m_qp.GetMtu(),
                                 frame.payloadBytes,
                                 frame.payload);
    }
    if (RdmaHostInterface* host = m_qp.GetNic().Host())
    {
        host->Place(frame.payloadBytes, NowSteps());
    }
}

// ---------------------------------------------------------------- completion

void
RdmaRequester::CompleteOldest(WcStatus status, const FabricFrame* ack)
{
    Wqe wqe = std::move(m_work->wqes.front());
    m_work->wqes.pop_front();
    if (m_work->cursor > 0)
    {
        --m_work->cursor;
    }
    if (ReturnsData(wqe.request.operation))
    {
        --m_work->returning;
        m_work->asking -= m_psn.sent > wqe.firstPsn;
    }
    FrameJourney journey = ack ? ack->journey : FrameJourney{};
    int64_t acknowledged = NowSteps();
    int64_t seen = acknowledged;
    RdmaHostInterface* host = m_qp.GetNic().Host();
    if (host && (wqe.request.signaled || status != WcStatus::SUCCESS))
    {
        seen = host->Report(host->Place(0, acknowledged));
    }
    Ending ending{status, ack != nullptr, journey, acknowledged};
    if (seen > acknowledged)
    {
        // What is freed here is free at once; the entry is seen later.
        Simulator::Schedule(TimeStep(seen - acknowledged),
                            [this, wqe = std::move(wqe), ending] { Report(wqe, ending); });
    }
    else
    {
        Report(wqe, ending);
    }
    if (m_qp.GetState() == QpState::SQD && !IsBusy())
    {
        m_qp.Drained();
    }
}

void
RdmaRequester::Report(const Wqe& wqe, const Ending& ending)
{
    const RdmaPath& path = wqe.request.path ? *wqe.request.path : m_qp.GetPath();
    MessageRecord record;
    record.workRequestId = wqe.request.id;
    record.job = m_qp.GetJob();
    record.operation = wqe.request.operation;
    record.status = ending.status;
    record.bytes = wqe.request.bytes;
    record.srcAddress = path.source.key;
    record.dstAddress = path.destination.key;
    record.srcQp = m_qp.GetNumber();
    record.dstQp = wqe.request.path ? wqe.request.remoteQp : m_qp.GetRemoteNumber();
    record.udpSourcePort = path.udpSourcePort;
    record.start = wqe.postedAt;
    record.end = NowSteps();
    record.shares = SharesOf(wqe, ending);
    m_qp.GetNic().Trace().message(record);

    if (wqe.request.signaled || ending.status != WcStatus::SUCCESS)
    {
        WorkCompletion completion;
        completion.id = wqe.request.id;
        completion.status = ending.status;
        completion.bytes = wqe.request.bytes;
        completion.opcode = CompletionOpcodeOf(wqe.request.operation);
        completion.atomicOriginal = wqe.atomicOriginal;
        m_qp.Complete(completion, false);
    }
}

TimeShares
RdmaRequester::SharesOf(const Wqe& wqe, const Ending& ending) const
{
    TimeShares shares;
    if (ending.status == WcStatus::SUCCESS)
    {
        shares = wqe.sharesAtLastFrame;
        shares -= wqe.sharesAtPost;
    }
    shares.serialization += ending.journey.serialization;
    shares.propagation += ending.journey.propagation;
    shares.queueing += ending.journey.queueing;
    shares.paused += ending.journey.paused;
    int64_t now = NowSteps();
    shares.hostInterface += now - ending.acknowledged;

    int64_t rest = now - wqe.postedAt - shares.Total();
    bool repeated = wqe.repeated || !ending.answered;
    if (!m_reliable && ending.status == WcStatus::SUCCESS)
    {
        shares.serialization += rest; // the last frame's own slot
    }
    else if (ReturnsData(wqe.request.operation) && !repeated)
    {
        // The responses before the last one, which came one after the other, and what held them.
        int64_t slots = static_cast<int64_t>(wqe.frames - 1) * wqe.responseSlot;
        int64_t sent = std::clamp<int64_t>(slots, 0, std::max<int64_t>(rest, 0));
        shares.serialization += sent;
        shares.nicContention += rest - sent;
    }
    else
    {
        // What neither the sender nor the last round trip explains was spent on repeating.
        shares.retransmission += rest;
    }
    return shares;
}

// ---------------------------------------------------------------- recovery

void
RdmaRequester::MoveTo(uint64_t psn)
{
    m_psn.send = psn;
    m_work->cursor = FindWqe(psn);
    if (!m_selective)
    {
        m_work->sentBytes = BytesBefore(psn);
    }
}

void
RdmaRequester::Repeat()
{
    // The timer of the oldest frame runs anew from its repetition, which asks for an answer. Else
    // it runs on: losses behind a READ whose response was lost must not put it off.
    if (m_psn.send <= m_psn.acked)
    {
        m_work->timeoutAt = NEVER;
    }
    MoveTo(m_psn.send);
    m_work->sinceAckRequest = m_qp.GetAckInterval() - 1;
    if (!m_selective)
    {
        m_work->askedPsn = m_psn.send;
    }
    m_work->windowBlocked = false;
    int64_t now = NowSteps();
    if (m_work->timeoutAt == NEVER && !HasFrame())
    {
        ArmTimer(now); // nothing can go that would start it
    }
    PrepareNext(now);
    AskForCredit(false);
    m_qp.GetPort().Activate(m_qp);
}

bool
RdmaRequester::MayRetry(uint8_t& retries, uint8_t limit, WcStatus status)
{
    if (retries >= limit)
    {
        m_qp.Fail(status);
        return false;
    }
    retries += limit != UINT8_MAX;
    return true;
}

void
RdmaRequester::ArmTimer(int64_t now)
{
    int64_t timeout = m_qp.Reliability().GetTimeoutSteps(m_psn, m_qp.GetTimeoutSteps());
    if (timeout > 0)
    {
        m_work->timeoutAt = now + timeout;
        m_timer.At(m_qp.GetPort().GetNodeId(), m_work->timeoutAt, NowSteps());
    }
}

void
RdmaRequester::TimerFired()
{
    if (!m_work || m_work->timeoutAt == NEVER)
    {
        return; // all is acknowledged
    }
    int64_t now = NowSteps();
    if (now < m_work->timeoutAt)
    {
        m_timer.At(m_qp.GetPort().GetNodeId(), m_work->timeoutAt, now); // there was progress
        return;
    }
    m_work->timeoutAt = NEVER;
    ++m_qp.GetNic().Count().timeouts;
    m_qp.Pacer().TimedOut(now);
    m_qp.CongestionChanged();
    if (MayRetry(m_work->retries, m_qp.GetRetryLimit(), WcStatus::RETRY_EXCEEDED))
    {
        m_work->gapAsked = 0;
        m_qp.Reliability().TimedOut(m_psn);
        Repeat();
        ArmTimer(now); // also where the repetition itself is held, by PFC for example
        AskForCredit(true);
    }
}

void
RdmaRequester::Fail(WcStatus status)
{
    uint64_t culprit = m_psn.acked;
    m_psn.send = m_psn.end; // nothing is left to send
    if (m_work)
    {
        m_work->timeoutAt = NEVER;
        m_work->windowBlocked = false;
    }
    while (HasWork())
    {
        const Wqe& oldest = m_work->wqes.front();
        bool caused = oldest.firstPsn <= culprit && culprit < oldest.EndPsn();
        CompleteOldest(caused ? status : WcStatus::FLUSHED, nullptr);
    }
    Rest();
}

void
RdmaRequester::Flush(SendWorkRequest request)
{
    WorkCompletion completion;
    completion.id = request.id;
    completion.status = WcStatus::FLUSHED;
    completion.opcode = CompletionOpcodeOf(request.operation);
    completion.bytes = request.bytes;
    m_qp.Complete(completion, false);
}

} // namespace ns3
