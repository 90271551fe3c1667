// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "verbs.h"

#include "ns3/aeth-syndrome.h"
#include "ns3/fabric-frame.h"

#include <boost/circular_buffer.hpp>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

class QueuePair;

/**
 * @brief The receiving half of a queue pair: takes requests, answers with ACK, NAK, RNR NAK and the
 * data that a READ or an atomic asks for, and hands messages over.
 *
 * RC takes requests in order. What comes early is dropped, held or placed, as the reliability
 * strategy says. UC gives a message up when a frame of it is missing. UD knows no order.
 */
class RdmaResponder
{
  public:
    /// @param qp whose half it is
    explicit RdmaResponder(QueuePair& qp);
    ~RdmaResponder();

    /// @param initialPsn PSN of the first request, 64 bits
    void Start(uint64_t initialPsn);

    /// Offers room. @param request the room
    void Post(const ReceiveWorkRequest& request);

    /// A request has come. @param frame it
    void ReceiveRequest(FabricFrame& frame);

    /// Of a request only the headers have come. @param frame it
    void ReceiveTrimmed(const FabricFrame& frame);

    /// @return data of a READ or an atomic wait to be sent
    bool HasResponse() const
    {
        return m_serving && !m_serving->responses.empty();
    }

    /// @return when the host's memory lets the next response go, time steps; HasResponse() must
    /// hold
    int64_t GetReadyTime() const
    {
        return m_serving->hostReady;
    }

    /// @param now time steps @return the next frame of a response; HasResponse() must hold
    FramePtr NextResponse(int64_t now);

    /// Ends all work: what is posted is flushed.
    void Fail();

    /// Gives a work request back that came too late. @param request it
    void Flush(ReceiveWorkRequest request);

    /// @return receive work requests that wait in the pair's own queue
    size_t GetOutstanding() const
    {
        return m_receives ? m_receives->size() : 0;
    }

    /// @return PSN of the next request in order, 64 bits
    uint64_t GetExpectedPsn() const
    {
        return m_expected;
    }

    /// @return payload bytes of all messages that have arrived whole
    uint64_t GetDeliveredBytes() const
    {
        return m_deliveredBytes;
    }

    /// @return messages that have arrived whole
    uint64_t GetDeliveredMessages() const
    {
        return m_messages;
    }

    /// @return frames that came early and wait for those before them
    size_t GetHeldFrames() const;

    /// @return messages of which a part has been placed
    size_t GetArrivingMessages() const
    {
        return m_beyond ? m_beyond->arriving.size() : 0;
    }

    /// @return bytes of memory of its queues
    size_t GetQueueMemoryBytes() const;

  private:
    /// A READ or an atomic that is being answered.
    struct Response
    {
        uint64_t psn;    ///< of the next frame
        uint64_t endPsn; ///< behind the last one
        uint64_t address;
        uint64_t bytesLeft;
        uint32_t key;
        bool started; ///< a frame of it has gone
        bool atomic;
        bool again;        ///< it was asked for before
        uint64_t original; ///< atomic: the value before
        int64_t requestedAt;
        int64_t sentTime;
        FrameJourney journey; ///< of the request
    };

    /// The result of an atomic, for a requester that did not hear it.
    struct AtomicResult
    {
        uint64_t psn;
        uint64_t original;
    };

    /// A message that is arriving.
    struct Arriving
    {
        ReceiveWorkRequest room;  ///< a SEND's
        uint64_t bytes{0};        ///< so far
        uint64_t wholeBytes{0};   ///< placed frames: known when the last one has come
        uint64_t address{0};      ///< WRITE: where to
        uint32_t key{0};          ///< WRITE: with which key
        bool hasRoom{false};      ///< `room` was taken for it
        bool lastCome{false};     ///< placed frames
        bool broken{false};       ///< UC: a frame is missing
        bool hasImmediate{false}; ///< the rest is of the last frame
        bool hasInvalidate{false};
        bool solicited{false};
        uint32_t immediate{0};
        uint32_t invalidateKey{0};

        void TakeLast(const FabricFrame& frame, RdmaOpcodeTraits traits);
    };

    /// What waits beyond a gap.
    struct Early
    {
        bool come{false};
        FramePtr held; ///< null: it is placed already
    };

    /// State that only a pair needs whose data are asked for.
    struct Serving
    {
        boost::circular_buffer<Response> responses;
        std::vector<AtomicResult> atomics;
        FramePtr answerAfter; ///< goes when all responses have gone
        int64_t hostReady{0}; ///< the next response's data are there
    };

    /// State that only a selective strategy needs.
    struct Selective
    {
        boost::circular_buffer<Early> early;   ///< from m_expected on
        std::map<uint32_t, Arriving> arriving; ///< by message number
        bool ackOwed{false};                   ///< a frame that asked for an ACK came early
    };

    void ReceiveReliable(FabricFrame& frame);
    void ReceiveUnreliable(FabricFrame& frame);
    void ReceiveDatagram(FabricFrame& frame);
    void ReceiveEarly(FabricFrame& frame, uint64_t psn);
    void AskForTrimmed(const FabricFrame& frame, uint64_t psn);
    void AskForExpected(const FabricFrame& frame, NakCode code);
    void ReceiveDuplicate(const FabricFrame& frame, uint64_t psn);
    bool Process(FabricFrame& frame, uint64_t psn);
    void TakeEarly(const FabricFrame& filler);
    bool ProcessData(const FabricFrame& frame, bool& whole);
    bool ProcessPlaced(const FabricFrame& frame, bool inOrder, bool& whole);
    Serving& Serve();
    Selective& Beyond();
    void Tidy();
    bool ServesTooMany() const;
    bool ProcessRead(const FabricFrame& frame, uint64_t psn);
    bool ProcessAtomic(const FabricFrame& frame, uint64_t psn);
    uint64_t SequenceNumbersOf(const FabricFrame& frame) const;
    bool HasRoom() const;
    bool TakeRoom(Arriving& message);
    bool MayWrite(const FabricFrame& frame) const;
    bool MayRead(const FabricFrame& frame) const;
    bool MayFill(const ReceiveWorkRequest& room) const;
    bool CheckWrite(const FabricFrame& frame);
    void Store(const FabricFrame& frame, const Arriving& message, uint64_t offset, bool send);
    void StoreIpHeader(const FabricFrame& frame, const ScatterGatherElement& place);
    void Deliver(const FabricFrame& frame, const Arriving& message, bool send);
    void Report(const WorkCompletion& completion);
    void NotifyWritten(uint64_t bytes);
    void AddResponse(const FabricFrame& frame, uint64_t psn, bool atomic, uint64_t original);
    void PrepareResponse();
    void RefuseUnfit(const FabricFrame& frame, Arriving& message);
    void Refuse(const FabricFrame& frame, NakCode code);
    void RefuseTooLong(const FabricFrame& frame, Arriving& message);
    bool RefuseNotReady(const FabricFrame& frame);
    void Acknowledge(const FabricFrame& frame, uint64_t psn);
    void Answer(const FabricFrame& frame, uint8_t syndrome, uint64_t psn);
    FramePtr MakeAnswer(const FabricFrame& frame, uint8_t syndrome, uint64_t psn) const;
    void NoteMark(const FabricFrame& frame);
    void WantCredit(const FabricFrame& frame);
    void FillSack(FabricFrame& answer, uint64_t base) const;
    void SendAnswer(FramePtr answer);
    void EndRoom(const ReceiveWorkRequest& room, WcStatus status);

    QueuePair& m_qp;
    uint64_t m_expected{0};       ///< PSN of the next request in order
    uint64_t m_messages{0};       ///< low 24 bits: the MSN
    uint64_t m_deliveredBytes{0}; ///< of all messages that have arrived
    int64_t m_placedAt{0};        ///< the last payload is visible in the host's memory
    uint64_t m_trimmedPsn{0};     ///< first one beyond m_expected that was trimmed
    bool m_marked{false};         ///< with ECN echo: the last frame was
    bool m_unanswered{false};     ///< likewise: frames have come that no answer has gone for
    bool m_nakSent{false};        ///< for m_expected: one is enough
    bool m_selective{false};
    bool m_refused{false}; ///< a request that ends the connection: none is taken any more
    Arriving m_arriving;   ///< in order: the message of the present
    std::unique_ptr<boost::circular_buffer<ReceiveWorkRequest>> m_receives; ///< made for the first
    std::unique_ptr<Serving> m_serving;  ///< made for the first READ or atomic
    std::unique_ptr<Selective> m_beyond; ///< made when there is something beyond a gap
};

} // namespace ns3

#endif // RDMA_RESPONDER_H
