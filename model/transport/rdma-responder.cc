// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-responder.h"

#include "growing-ring.h"
#include "psn.h"
#include "rdma-nic.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaResponder");

namespace
{

constexpr uint32_t SACK_BITS = 64;

} // namespace

RdmaResponder::RdmaResponder(QueuePair& qp)
    : m_qp(qp)
{
}

RdmaResponder::~RdmaResponder() = default;

RdmaResponder::Serving&
RdmaResponder::Serve()
{
    if (!m_serving)
    {
        m_serving = std::make_unique<Serving>();
    }
    return *m_serving;
}

RdmaResponder::Selective&
RdmaResponder::Beyond()
{
    if (!m_beyond)
    {
        m_beyond = std::make_unique<Selective>();
    }
    return *m_beyond;
}

void
RdmaResponder::Tidy()
{
    if (m_beyond && m_beyond->early.empty() && m_beyond->arriving.empty() && !m_beyond->ackOwed)
    {
        m_beyond.reset();
    }
}

void
RdmaResponder::Start(uint64_t initialPsn)
{
    m_expected = initialPsn;
    m_messages = m_deliveredBytes = m_trimmedPsn = 0;
    m_nakSent = m_refused = m_marked = m_unanswered = false;
    m_arriving = {};
    m_selective = m_qp.IsSelective();
    m_serving.reset();
    if (m_beyond)
    {
        *m_beyond = Selective();
    }
}

void
RdmaResponder::Post(const ReceiveWorkRequest& request)
{
    if (!m_receives)
    {
        m_receives = std::make_unique<boost::circular_buffer<ReceiveWorkRequest>>();
    }
    GrowIfFull(*m_receives);
    m_receives->push_back(request);
}

void
RdmaResponder::ReceiveRequest(FabricFrame& frame)
{
    if (frame.ecn == EcnField::CE)
    {
        m_qp.NotifyCongestion(frame);
    }
    switch (m_qp.GetType())
    {
    case QpType::RC:
        if (m_qp.GetFeedback().ecnEcho)
        {
            NoteMark(frame);
        }
        if (m_qp.GetFeedback().credit)
        {
            WantCredit(frame);
        }
        ReceiveReliable(frame);
        break;
    case QpType::UC:
        ReceiveUnreliable(frame);
        break;
    case QpType::UD:
        ReceiveDatagram(frame);
        break;
    }
}

// ---------------------------------------------------------------- RC

void
RdmaResponder::ReceiveReliable(FabricFrame& frame)
{
    uint64_t psn = ExpandPsn(frame.psn, m_expected);
    if (m_refused && psn >= m_expected)
    {
        return; // the end has come, as soon as all before is answered
    }
    if (psn > m_expected)
    {
        ReceiveEarly(frame, psn);
    }
    else if (psn < m_expected)
    {
        ReceiveDuplicate(frame, psn);
    }
    else if (Process(frame, psn) && m_beyond)
    {
        TakeEarly(frame);
    }
    bool reached = m_selective && m_trimmedPsn > 0 && m_trimmedPsn <= m_expected;
    if (reached && m_qp.GetState() != QpState::ERROR)
    {
        // Nothing else may say so: what asked for an acknowledgement of them may be trimmed itself.
        m_trimmedPsn = 0;
        Acknowledge(frame, m_expected - 1);
    }
    Tidy();
}

bool
RdmaResponder::Process(FabricFrame& frame, uint64_t psn)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    bool places = m_selective && m_qp.Reliability().GetEarlyFrames() == EarlyFrames::PLACE;
    bool whole = false;
    bool taken = traits.readRequest ? ProcessRead(frame, psn)
                 : traits.atomic    ? ProcessAtomic(frame, psn)
                 : places           ? ProcessPlaced(frame, true, whole)
                                    : ProcessData(frame, whole);
    if (!taken)
    {
        return false;
    }
    m_nakSent = false;
    bool answer = frame.ackRequest && !traits.readRequest && !traits.atomic;
    uint64_t count = SequenceNumbersOf(frame);
    m_expected += count;
    if (m_beyond)
    {
        m_beyond->early.erase_begin(std::min<size_t>(count, m_beyond->early.size()));
        if (!m_beyond->early.empty() && m_beyond->early.front().come)
        {
            m_beyond->ackOwed |= frame.ackRequest; // one answer for all that fits now
            answer = false;
        }
    }
    if (answer)
    {
        Acknowledge(frame, m_expected - 1);
    }
    if (m_trimmedPsn > 0 && m_trimmedPsn <= m_expected && !m_selective)
    {
        AskForExpected(frame, NakCode::FRAME_TRIMMED); // all before it has come
    }
    if (whole)
    {
        Deliver(frame, m_arriving, traits.send);
    }
    return true;
}

uint64_t
RdmaResponder::SequenceNumbersOf(const FabricFrame& frame) const
{
    uint64_t mtu = m_qp.GetMtu();
    return GetOpcodeTraits(frame.opcode).readRequest
               ? std::max<uint64_t>(1, (frame.dmaLength + mtu - 1) / mtu)
               : frame.segments;
}

void
RdmaResponder::ReceiveEarly(FabricFrame& frame, uint64_t psn)
{
    EarlyFrames policy = m_qp.Reliability().GetEarlyFrames();
    if (policy == EarlyFrames::DISCARD)
    {
        if (!m_nakSent)
        {
            AskForExpected(frame, NakCode::PSN_SEQUENCE_ERROR);
        }
        return;
    }
    size_t at = psn - m_expected;
    boost::circular_buffer<Early>& early = Beyond().early;
    bool whole = false;
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    if (at >= early.size() || !early[at].come)
    {
        bool place = policy == EarlyFrames::PLACE && !traits.readRequest && !traits.atomic;
        if (place && !ProcessPlaced(frame, false, whole))
        {
            return;
        }
        uint64_t count = SequenceNumbersOf(frame);
        if (early.size() < at + count)
        {
            GrowTo(early, at + count);
            early.resize(at + count);
        }
        for (uint64_t i = 0; i < count; ++i)
        {
            early[at + i].come = true;
        }
        early[at].held = place ? nullptr : FramePtr(&frame);
    }
    Beyond().ackOwed |= frame.ackRequest;
    if (frame.ackRequest || m_qp.Reliability().AnswersEarlyFrames())
    {
        Acknowledge(frame, m_expected - 1);
    }
    if (whole)
    {
        Deliver(frame, m_arriving, traits.send);
    }
}

void
RdmaResponder::AskForExpected(const FabricFrame& frame, NakCode code)
{
    m_nakSent = true;
    m_trimmedPsn = 0; // all from here on comes again
    ++m_qp.GetNic().Count().naksSent;
    Answer(frame, MakeSyndrome(AethKind::NAK, static_cast<uint8_t>(code)), m_expected);
}

void
RdmaResponder::ReceiveTrimmed(const FabricFrame& frame)
{
    if (frame.ecn == EcnField::CE)
    {
        m_qp.NotifyCongestion(frame);
    }
    if (m_qp.GetType() != QpType::RC)
    {
        return; // as good as lost
    }
    if (m_qp.GetFeedback().ecnEcho)
    {
        NoteMark(frame);
    }
    uint64_t psn = ExpandPsn(frame.psn, m_expected);
    if (psn < m_expected)
    {
        ReceiveDuplicate(frame, psn);
    }
    else if (!m_refused)
    {
        AskForTrimmed(frame, psn);
    }
    if (m_qp.GetFeedback().credit)
    {
        WantCredit(frame);
    }
}

void
RdmaResponder::WantCredit(const FabricFrame& frame)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    if (traits.send || traits.write)
    {
        m_qp.GetPort().Credit().DataArrived(m_qp, frame);
    }
}

void
RdmaResponder::AskForTrimmed(const FabricFrame& frame, uint64_t psn)
{
    if (!m_selective)
    {
        // Headers overtake data: what is before this one may still come. A NAK for the expected one
        // is due each time that it has been trimmed, for each time it has been sent anew.
        if (psn == m_expected)
        {
            AskForExpected(frame, NakCode::FRAME_TRIMMED);
        }
        else if (m_trimmedPsn == 0 || psn < m_trimmedPsn)
        {
            m_trimmedPsn = psn;
        }
        return;
    }
    size_t at = psn - m_expected;
    if (m_beyond && at < m_beyond->early.size() && m_beyond->early[at].come)
    {
        if (frame.ackRequest)
        {
            Acknowledge(frame, m_expected - 1);
        }
        return;
    }
    if (psn > m_expected && (m_trimmedPsn == 0 || psn < m_trimmedPsn))
    {
        m_trimmedPsn = psn;
    }
    if (m_qp.GetFeedback().credit)
    {
        m_qp.Credit().trimmedBytes += frame.switchHeader->trimmedPayloadBytes;
    }
    ++m_qp.GetNic().Count().naksSent;
    auto code = static_cast<uint8_t>(NakCode::FRAME_TRIMMED);
    FramePtr answer = MakeAnswer(frame, MakeSyndrome(AethKind::NAK, code), m_expected);
    FillSack(*answer, psn);
    SendAnswer(std::move(answer)); // whatever else waits: a later answer does not speak for it
}

void
RdmaResponder::TakeEarly(const FabricFrame& filler)
{
    boost::circular_buffer<Early>& early = m_beyond->early;
    while (!early.empty() && early.front().come)
    {
        FramePtr held = std::move(early.front().held);
        if (!held)
        {
            early.pop_front();
            ++m_expected;
            continue;
        }
        early.front().come = false; // it is asked for again if there is no room for it
        held->ackRequest = false;   // it was answered when it came
        if (!Process(*held, m_expected))
        {
            return;
        }
    }
    if (m_beyond->ackOwed && m_qp.GetState() != QpState::ERROR)
    {
        m_beyond->ackOwed = !early.empty();
        Acknowledge(filler, m_expected - 1);
    }
}

void
RdmaResponder::ReceiveDuplicate(const FabricFrame& frame, uint64_t psn)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    if (traits.readRequest)
    {
        // Its responses were lost: they are given again, from where the requester wants them.
        if (MayRead(frame))
        {
            AddResponse(frame, psn, false, 0);
        }
    }
    else if (traits.atomic)
    {
        const std::vector<AtomicResult>& results = Serve().atomics;
        auto same = [psn](const AtomicResult& result) { return result.psn == psn; };
        auto result = std::find_if(results.begin(), results.end(), same);
        if (result != results.end())
        {
            AddResponse(frame, psn, true, result->original);
        }
    }
    else if (frame.ackRequest && !m_refused)
    {
        Acknowledge(frame, m_expected - 1); // its acknowledgement was lost
    }
}

// ---------------------------------------------------------------- SEND and WRITE

bool
RdmaResponder::ProcessData(const FabricFrame& frame, bool& whole)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    Arriving& message = m_arriving;
    if (traits.first)
    {
        if (traits.write && !CheckWrite(frame))
        {
            return false;
        }
        message = {};
        message.address = frame.remoteAddress;
        message.key = frame.remoteKey;
    }
    // A SEND needs room from its first frame on, an immediate when it comes.
    bool needsRoom = (traits.send && traits.first) || (traits.write && traits.hasImmediate);
    if (needsRoom && !TakeRoom(message))
    {
        return RefuseNotReady(frame);
    }
    if (traits.send && message.bytes + frame.payloadBytes > message.room.bytes)
    {
        RefuseTooLong(frame, message);
        return false;
    }
    if (traits.send && !MayFill(message.room))
    {
        RefuseUnfit(frame, message);
        return false;
    }
    Store(frame, message, message.bytes, traits.send);
    message.bytes += frame.payloadBytes;
    if (traits.last)
    {
        message.TakeLast(frame, traits);
        ++m_messages; // the ACK carries the new MSN
        whole = true;
    }
    return true;
}

void
RdmaResponder::Arriving::TakeLast(const FabricFrame& frame, RdmaOpcodeTraits traits)
{
    hasImmediate = traits.hasImmediate;
    hasInvalidate = traits.hasInvalidate;
    immediate = hasImmediate ? frame.immediate : 0;
    invalidateKey = frame.remoteKey;
    solicited = frame.solicited;
}

bool
RdmaResponder::ProcessPlaced(const FabricFrame& frame, bool inOrder, bool& whole)
{
    // An early frame that cannot be taken is dropped: it comes again, and in order at last.
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    if (traits.write && !MayWrite(frame))
    {
        return inOrder && CheckWrite(frame);
    }
    auto [entry, isNew] = Beyond().arriving.try_emplace(frame.messageNumber);
    Arriving& message = entry->second;
    bool needsRoom = traits.send || (traits.write && traits.hasImmediate);
    if (needsRoom && !message.hasRoom && !TakeRoom(message))
    {
        if (isNew)
        {
            m_beyond->arriving.erase(entry);
        }
        return inOrder && RefuseNotReady(frame);
    }
    uint64_t end = uint64_t{frame.frameOffset} + frame.payloadBytes;
    if (traits.send && end > message.room.bytes)
    {
        if (inOrder)
        {
            RefuseTooLong(frame, message);
        }
        return false;
    }
    if (traits.send && !MayFill(message.room))
    {
        if (inOrder)
        {
            RefuseUnfit(frame, message);
        }
        return false;
    }
    message.address = frame.remoteAddress;
    message.key = frame.remoteKey;
    Store(frame, message, frame.frameOffset, traits.send);
    message.bytes += frame.payloadBytes;
    if (traits.last)
    {
        message.lastCome = true;
        message.wholeBytes = end;
        message.TakeLast(frame, traits);
    }
    if (message.lastCome && message.bytes == message.wholeBytes)
    {
        m_arriving = message;
        m_beyond->arriving.erase(entry);
        ++m_messages;
        whole = true;
    }
    return true;
}

bool
RdmaResponder::MayWrite(const FabricFrame& frame) const
{
    return frame.dmaLength == 0 || m_qp.GetDomain().Allows(frame.remoteKey,
                                                           frame.remoteAddress,
                                                           frame.dmaLength,
                                                           REMOTE_WRITE);
}

bool
RdmaResponder::MayRead(const FabricFrame& frame) const
{
    return frame.dmaLength == 0 || m_qp.GetDomain().Allows(frame.remoteKey,
                                                           frame.remoteAddress,
                                                           frame.dmaLength,
                                                           REMOTE_READ);
}

bool
RdmaResponder::CheckWrite(const FabricFrame& frame)
{
    if (MayWrite(frame))
    {
        return true;
    }
    Refuse(frame, NakCode::REMOTE_ACCESS_ERROR);
    return false;
}

bool
RdmaResponder::HasRoom() const
{
    const SharedReceiveQueue* shared = m_qp.GetSharedReceiveQueue();
    return shared ? shared->GetSize() > 0 : GetOutstanding() > 0;
}

bool
RdmaResponder::MayFill(const ReceiveWorkRequest& room) const
{
    // Checked when it was posted, but a region can be deregistered since, and a shared receive
    // queue knows no domain.
    const ScatterGatherElement& place = room.place;
    return place.bytes == 0 ||
           m_qp.GetDomain().Allows(place.localKey, place.address, place.bytes, LOCAL_WRITE);
}

bool
RdmaResponder::TakeRoom(Arriving& message)
{
    if (!HasRoom())
    {
        return false;
    }
    if (SharedReceiveQueue* shared = m_qp.GetSharedReceiveQueue())
    {
        message.room = shared->Take();
    }
    else
    {
        message.room = m_receives->front();
        m_receives->pop_front();
    }
    message.hasRoom = true;
    return true;
}

void
RdmaResponder::Store(const FabricFrame& frame, const Arriving& message, uint64_t offset, bool send)
{
    if (RdmaHostInterface* host = m_qp.GetNic().Host())
    {
        m_placedAt = host->Place(frame.payloadBytes, NowSteps());
    }
    if (frame.payloadBytes == 0)
    {
        return;
    }
    if (send)
    {
        const ScatterGatherElement& place = message.room.place;
        m_qp.GetDomain().Store(place.localKey,
                               place.address + offset,
                               frame.payloadBytes,
                               frame.payload);
    }
    else
    {
        m_qp.GetDomain().Store(message.key,
                               message.address + offset,
                               frame.payloadBytes,
                               frame.payload);
    }
}

void
RdmaResponder::Deliver(const FabricFrame& frame, const Arriving& message, bool send)
{
    m_deliveredBytes += message.bytes;
    if (!message.hasRoom)
    {
        NotifyWritten(message.bytes); // a plain WRITE is silent at its target
        return;
    }
    WorkCompletion completion;
    completion.id = message.room.id;
    completion.opcode = send ? WcOpcode::RECV : WcOpcode::RECV_WRITE_IMM;
    completion.bytes = message.bytes;
    completion.hasImmediate = message.hasImmediate;
    completion.immediate = message.immediate;
    completion.solicited = message.solicited;
    if (message.hasInvalidate)
    {
        completion.invalidated = true;
        completion.immediate = message.invalidateKey;
        if (MemoryRegion* region = m_qp.GetDomain().Find(message.invalidateKey))
        {
            region->Invalidate();
        }
    }
    if (m_qp.GetType() == QpType::UD)
    {
        completion.bytes += UD_RECEIVE_HEADER_BYTES;
        completion.sourceQp = frame.srcQp;
        completion.sourceMac = frame.srcMac;
    }
    m_arriving.hasRoom = false; // reported: nothing is left to flush
    Report(completion);
}

void
RdmaResponder::Report(const WorkCompletion& completion)
{
    RdmaHostInterface* host = m_qp.GetNic().Host();
    int64_t now = NowSteps();
    int64_t seen = host ? host->Report(m_placedAt) : now;
    if (seen > now)
    {
        Simulator::Schedule(TimeStep(seen - now), &QueuePair::Complete, &m_qp, completion, true);
    }
    else
    {
        m_qp.Complete(completion, true);
    }
}

void
RdmaResponder::NotifyWritten(uint64_t bytes)
{
    const Callback<void, uint64_t>* watcher = m_qp.GetWrittenCallback();
    if (!watcher && m_qp.GetNic().Trace().written.IsEmpty())
    {
        return;
    }
    int64_t wait = m_qp.GetNic().Host() ? m_placedAt - NowSteps() : 0;
    auto notify = [this, watcher, bytes] {
        m_qp.GetNic().Trace().written(m_qp, bytes);
        if (watcher)
        {
            (*watcher)(bytes);
        }
    };
    if (wait > 0)
    {
        Simulator::Schedule(TimeStep(wait), notify);
    }
    else
    {
        notify();
    }
}

// ---------------------------------------------------------------- READ and atomics

bool
RdmaResponder::ServesTooMany() const
{
    auto isNew = [](const Response& response) { return !response.again; };
    return HasResponse() &&
           std::count_if(m_serving->responses.begin(), m_serving->responses.end(), isNew) >=
               m_qp.GetMaxIncomingReads();
}

bool
RdmaResponder::ProcessRead(const FabricFrame& frame, uint64_t psn)
{
    if (ServesTooMany())
    {
        Refuse(frame, NakCode::INVALID_REQUEST);
        return false;
    }
    if (!MayRead(frame))
    {
        Refuse(frame, NakCode::REMOTE_ACCESS_ERROR);
        return false;
    }
    ++m_messages;
    AddResponse(frame, psn, false, 0);
    return true;
}

bool
RdmaResponder::ProcessAtomic(const FabricFrame& frame, uint64_t psn)
{
    constexpr uint64_t WORD_BYTES = 8;
    if (frame.remoteAddress % WORD_BYTES != 0 || ServesTooMany())
    {
        Refuse(frame, NakCode::INVALID_REQUEST);
        return false;
    }
    ProtectionDomain& domain = m_qp.GetDomain();
    if (!domain.Allows(frame.remoteKey, frame.remoteAddress, WORD_BYTES, REMOTE_ATOMIC))
    {
        Refuse(frame, NakCode::REMOTE_ACCESS_ERROR);
        return false;
    }
    MemoryRegion* found = domain.Find(frame.remoteKey);
    MemoryRegion& memory = found ? *found : domain.GetOpenMemory();
    uint64_t original = memory.ReadWord(frame.remoteAddress);
    if (GetRcForm(frame.opcode) == RdmaOpcode::RC_FETCH_ADD)
    {
        memory.WriteWord(frame.remoteAddress, original + frame.atomicData);
    }
    else if (original == frame.atomicCompare)
    {
        memory.WriteWord(frame.remoteAddress, frame.atomicData);
    }
    // As many results are kept as the requester may have outstanding.
    std::vector<AtomicResult>& results = Serve().atomics;
    if (results.size() >= m_qp.GetMaxIncomingReads())
    {
        results.erase(results.begin());
    }
    results.push_back({psn, original});
    ++m_messages;
    AddResponse(frame, psn, true, original);
    return true;
}

void
RdmaResponder::AddResponse(const FabricFrame& frame, uint64_t psn, bool atomic, uint64_t original)
{
    Response response{};
    response.psn = psn;
    response.endPsn = psn + SequenceNumbersOf(frame);
    response.address = frame.remoteAddress;
    response.bytesLeft = atomic ? 0 : frame.dmaLength;
    response.key = frame.remoteKey;
    response.atomic = atomic;
    response.original = original;
    response.again = psn < m_expected;
    response.requestedAt = NowSteps();
    response.sentTime = static_cast<int64_t>(frame.sentTime);
    response.journey = frame.journey;
    // What is asked for anew is not sent twice, and the order is that of the requests.
    auto covers = [](const Response& a, const Response& b) {
        return a.psn <= b.psn && b.endPsn <= a.endPsn;
    };
    boost::circular_buffer<Response>& responses = Serve().responses;
    for (const Response& other : responses)
    {
        if (covers(other, response))
        {
            return;
        }
    }
    auto covered = [&](const Response& other) { return covers(response, other); };
    responses.erase(std::remove_if(responses.begin(), responses.end(), covered), responses.end());
    GrowIfFull(responses);
    auto later = [](const Response& a, const Response& b) { return a.psn < b.psn; };
    responses.insert(std::upper_bound(responses.begin(), responses.end(), response, later),
                     response);
    PrepareResponse();
    m_qp.GetPort().Activate(m_qp);
}

void
RdmaResponder::PrepareResponse()
{
    RdmaHostInterface* host = m_qp.GetNic().Host();
    if (!host || !HasResponse())
    {
        return;
    }
    const Response& response = m_serving->responses.front();
    uint64_t bytes = std::min<uint64_t>(m_qp.GetMtu(), response.bytesLeft);
    constexpr uint64_t WORD_BYTES = 8;
    m_serving->hostReady = host->Fetch(response.atomic ? WORD_BYTES : bytes,
                                       response.requestedAt,
                                       !response.started,
                                       NowSteps());
}

FramePtr
RdmaResponder::NextResponse(int64_t now)
{
    Response& response = m_serving->responses.front();
    FramePtr frame = FabricFrame::Create();
    bool first = !response.started;
    bool last = response.psn + 1 == response.endPsn;
    RdmaOpcode opcode =
        response.atomic ? RdmaOpcode::RC_ATOMIC_ACK
        : first ? (last ? RdmaOpcode::RC_READ_RESPONSE_ONLY : RdmaOpcode::RC_READ_RESPONSE_FIRST)
        : last  ? RdmaOpcode::RC_READ_RESPONSE_LAST
                : RdmaOpcode::RC_READ_RESPONSE_MIDDLE;
    frame->opcode = MakeOpcode(m_selective ? RdmaService::SR : RdmaService::RC, opcode);
    frame->psn = static_cast<uint32_t>(response.psn) & wire::MASK_24;
    frame->syndrome = MakeSyndrome(AethKind::ACK, AETH_CREDIT_INVALID);
    frame->msn = static_cast<uint32_t>(m_messages) & wire::MASK_24;
    frame->atomicData = response.original;
    frame->payloadBytes =
        static_cast<uint32_t>(std::min<uint64_t>(m_qp.GetMtu(), response.bytesLeft));
    if (frame->payloadBytes > 0)
    {
        frame->payload = m_qp.GetDomain().Load(response.key, response.address, frame->payloadBytes);
    }
    frame->journey = response.journey;
    frame->sentTime = static_cast<uint64_t>(response.sentTime);
    m_qp.FillAddresses(*frame);
    m_qp.GetNic().SetDataSize(*frame);
    m_qp.Pacer().Sent(frame->sizeBytes + m_qp.GetPort().GetFrameOverhead(), 0, now);
    m_qp.CongestionChanged();
    ++m_qp.GetNic().Count().dataFramesSent;
    m_qp.GetNic().Trace().transmit(m_qp, *frame);

    response.started = true;
    ++response.psn;
    response.address += frame->payloadBytes;
    response.bytesLeft -= frame->payloadBytes;
    if (last)
    {
        m_serving->responses.pop_front();
    }
    if (m_serving->responses.empty() && m_serving->answerAfter)
    {
        // Behind the response: the wire takes this frame first.
        Simulator::ScheduleNow(&RdmaResponder::SendAnswer, this, m_serving->answerAfter);
        m_serving->answerAfter = nullptr;
        if (m_refused)
        {
            Simulator::ScheduleNow(&QueuePair::Fail, &m_qp, WcStatus::FLUSHED);
        }
    }
    PrepareResponse();
    return frame;
}

// ---------------------------------------------------------------- UC and UD

void
RdmaResponder::ReceiveUnreliable(FabricFrame& frame)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(frame.opcode);
    uint64_t psn = ExpandPsn(frame.psn, m_expected);
    bool inOrder = psn == m_expected;
    m_expected = psn + 1;
    Arriving& message = m_arriving;
    if (!inOrder && !traits.first && !message.broken)
    {
        message.broken = true; // the rest of this message is of no use
        ++m_qp.GetNic().Count().brokenMessages;
    }
    if (traits.first)
    {
        if (!inOrder && message.bytes > 0 && !message.broken)
        {
            ++m_qp.GetNic().Count().brokenMessages; // its end is missing
        }
        // A receive that a broken SEND had taken is used for the next one.
        bool hasRoom = message.hasRoom;
        ReceiveWorkRequest room = message.room;
        message = {};
        message.hasRoom = hasRoom;
        message.room = room;
        message.address = frame.remoteAddress;
        message.key = frame.remoteKey;
        message.broken = traits.write && !MayWrite(frame);
        m_qp.GetNic().Count().brokenMessages += message.broken;
    }
    bool needsRoom = (traits.send && traits.first) || (traits.write && traits.hasImmediate);
    if (!message.broken && needsRoom && !message.hasRoom && !TakeRoom(message))
    {
        message.broken = true;
        ++m_qp.GetNic().Count().brokenMessages;
    }
    if (message.broken)
    {
        return;
    }
    bool tooLong = message.bytes + frame.payloadBytes > message.room.bytes;
    if (traits.send && (tooLong || !MayFill(message.room)))
    {
        message.hasRoom = false;
        EndRoom(message.room, tooLong ? WcStatus::LOCAL_LENGTH : WcStatus::LOCAL_PROTECTION);
        m_qp.Fail(WcStatus::FLUSHED);
        return;
    }
    Store(frame, message, message.bytes, traits.send);
    message.bytes += frame.payloadBytes;
    if (traits.last)
    {
        message.TakeLast(frame, traits);
        ++m_messages;
        Arriving whole = message;
        whole.hasRoom = message.hasRoom && (traits.send || traits.hasImmediate);
        message.bytes = 0;
        Deliver(frame, whole, traits.send);
    }
}

void
RdmaResponder::ReceiveDatagram(FabricFrame& frame)
{
    Arriving message;
    if (frame.qkey != m_qp.GetQkey() || !TakeRoom(message))
    {
        ++m_qp.GetNic().Count().droppedDatagrams;
        return;
    }
    bool tooLong = frame.payloadBytes + UD_RECEIVE_HEADER_BYTES > message.room.bytes;
    if (tooLong || !MayFill(message.room))
    {
        EndRoom(message.room, tooLong ? WcStatus::LOCAL_LENGTH : WcStatus::LOCAL_PROTECTION);
        return;
    }
    StoreIpHeader(frame, message.room.place);
    Store(frame, message, UD_RECEIVE_HEADER_BYTES, true);
    message.bytes = frame.payloadBytes;
    message.TakeLast(frame, GetOpcodeTraits(frame.opcode));
    ++m_messages;
    Deliver(frame, message, true);
}

void
RdmaResponder::StoreIpHeader(const FabricFrame& frame, const ScatterGatherElement& place)
{
    const MemoryRegion* region = m_qp.GetDomain().Find(place.localKey);
    if (!region || !region->IsBacked())
    {
        return; // nobody could read it
    }
    // At the end of the room that InfiniBand's global routing header would fill (annex A17).
    uint32_t bytes = frame.ipv6 ? wire::IPV6_BYTES : wire::IPV4_BYTES;
    m_qp.GetDomain().Store(place.localKey,
                           place.address + UD_RECEIVE_HEADER_BYTES - bytes,
                           bytes,
                           frame.ToIpPacket()->CreateFragment(0, bytes));
}

// ---------------------------------------------------------------- answers

bool
RdmaResponder::RefuseNotReady(const FabricFrame& frame)
{
    m_nakSent = true; // what follows is out of order: no further NAK
    ++m_qp.GetNic().Count().rnrNaksSent;
    Answer(frame, MakeSyndrome(AethKind::RNR_NAK, m_qp.GetMinRnrTimer()), m_expected);
    return false;
}

void
RdmaResponder::RefuseTooLong(const FabricFrame& frame, Arriving& message)
{
    message.hasRoom = false;
    EndRoom(message.room, WcStatus::LOCAL_LENGTH);
    Refuse(frame, NakCode::INVALID_REQUEST);
}

void
RdmaResponder::RefuseUnfit(const FabricFrame& frame, Arriving& message)
{
    message.hasRoom = false;
    EndRoom(message.room, WcStatus::LOCAL_PROTECTION);
    Refuse(frame, NakCode::REMOTE_OPERATIONAL_ERROR);
}

void
RdmaResponder::Refuse(const FabricFrame& frame, NakCode code)
{
    // The requester's work request is at fault; this side cannot go on either (IBA vol. 1,
    // 9.9.3.1: responder class C).
    ++m_qp.GetNic().Count().naksSent;
    Answer(frame,
           MakeSyndrome(AethKind::NAK, static_cast<uint8_t>(code)),
           ExpandPsn(frame.psn, m_expected));
    m_refused = true;
    if (!HasResponse())
    {
        m_qp.Fail(WcStatus::FLUSHED);
    }
}

void
RdmaResponder::Acknowledge(const FabricFrame& frame, uint64_t psn)
{
    Answer(frame, MakeSyndrome(AethKind::ACK, AETH_CREDIT_INVALID), psn);
}

FramePtr
RdmaResponder::MakeAnswer(const FabricFrame& frame, uint8_t syndrome, uint64_t psn) const
{
    FramePtr answer = FabricFrame::Create();
    answer->opcode = m_selective ? RdmaOpcode::SR_ACK : RdmaOpcode::RC_ACK;
    answer->syndrome = syndrome;
    answer->psn = static_cast<uint32_t>(psn) & wire::MASK_24;
    answer->msn = static_cast<uint32_t>(m_messages) & wire::MASK_24;
    answer->journey = frame.journey;
    answer->sentTime = frame.sentTime;
    answer->becn = m_marked;
    if (frame.arrivalTime > 0) // else it came over a network whose arrivals are not known
    {
        answer->endpointSteps = m_qp.GetNic().Elapsed(frame.arrivalTime, NowSteps());
    }
    if (m_beyond)
    {
        // The last 64 that came, if there are more: what is older the requester has heard before.
        const boost::circular_buffer<Early>& early = m_beyond->early;
        size_t from = early.size() > SACK_BITS ? early.size() - SACK_BITS : 0;
        FillSack(*answer, m_expected + from);
    }
    if (frame.switchHeader && frame.switchHeader->collectsTelemetry)
    {
        SwitchHeader& echo = answer->MakeSwitchHeader();
        echo = *frame.switchHeader;
        echo.collectsTelemetry = false;
        echo.trimmed = false;
    }
    m_qp.FillAddresses(*answer);
    return answer;
}

void
RdmaResponder::FillSack(FabricFrame& answer, uint64_t base) const
{
    answer.sackBase = static_cast<uint32_t>(base) & wire::MASK_24;
    answer.sackBits = 0;
    size_t from = base - m_expected;
    size_t end = m_beyond ? std::min(m_beyond->early.size(), from + SACK_BITS) : 0;
    for (size_t i = from; i < end; ++i)
    {
        answer.sackBits |= uint64_t{m_beyond->early[i].come} << (i - from);
    }
}

void
RdmaResponder::NoteMark(const FabricFrame& frame)
{
    bool marked = frame.ecn == EcnField::CE;
    if (marked != m_marked && m_unanswered)
    {
        Acknowledge(frame, m_expected - 1); // for those before it, while m_marked speaks of them
    }
    m_marked = marked;
    m_unanswered = true;
}

void
RdmaResponder::Answer(const FabricFrame& frame, uint8_t syndrome, uint64_t psn)
{
    m_unanswered = false;
    FramePtr answer = MakeAnswer(frame, syndrome, psn);
    m_qp.GetNic().Count().acksSent += SyndromeKind(syndrome) == AethKind::ACK;
    if (!HasResponse())
    {
        SendAnswer(std::move(answer));
        return;
    }
    // Answers keep the order of the requests. The newest speaks for all, but an ACK does not ask
    // for what a NAK that is still true asks for.
    FramePtr& waiting = m_serving->answerAfter;
    bool nakWaits = waiting && SyndromeKind(waiting->syndrome) != AethKind::ACK &&
                    waiting->psn == (m_expected & wire::MASK_24);
    if (!nakWaits || SyndromeKind(syndrome) != AethKind::ACK)
    {
        waiting = std::move(answer);
    }
}

void
RdmaResponder::SendAnswer(FramePtr answer)
{
    m_qp.GetNic().SendControl(m_qp.GetPort(), std::move(answer));
}

void
RdmaResponder::Fail()
{
    if (m_arriving.hasRoom)
    {
        m_arriving.hasRoom = false;
        EndRoom(m_arriving.room, WcStatus::FLUSHED);
    }
    if (m_beyond)
    {
        for (const auto& [number, message] : m_beyond->arriving)
        {
            if (message.hasRoom)
            {
                EndRoom(message.room, WcStatus::FLUSHED);
            }
        }
        m_beyond->arriving.clear();
        m_beyond->early.clear();
    }
    if (m_serving)
    {
        m_serving->responses.clear();
        if (m_serving->answerAfter)
        {
            SendAnswer(std::move(m_serving->answerAfter));
            m_serving->answerAfter = nullptr;
        }
    }
    while (GetOutstanding() > 0)
    {
        ReceiveWorkRequest room = m_receives->front();
        m_receives->pop_front();
        EndRoom(room, WcStatus::FLUSHED);
    }
}

void
RdmaResponder::EndRoom(const ReceiveWorkRequest& room, WcStatus status)
{
    WorkCompletion completion;
    completion.id = room.id;
    completion.status = status;
    completion.opcode = WcOpcode::RECV;
    m_qp.Complete(completion, true);
}

void
RdmaResponder::Flush(ReceiveWorkRequest request)
{
    EndRoom(request, WcStatus::FLUSHED);
}

size_t
RdmaResponder::GetHeldFrames() const
{
    return m_beyond ? m_beyond->early.size() : 0;
}

size_t
RdmaResponder::GetQueueMemoryBytes() const
{
    size_t bytes =
        m_receives ? sizeof(*m_receives) + m_receives->capacity() * sizeof(ReceiveWorkRequest) : 0;
    if (m_serving)
    {
        bytes += sizeof(Serving) + m_serving->responses.capacity() * sizeof(Response) +
                 m_serving->atomics.capacity() * sizeof(AtomicResult);
    }
    if (m_beyond)
    {
        bytes += sizeof(Selective) + m_beyond->early.capacity() * sizeof(Early);
    }
    return bytes;
}

} // namespace ns3
