// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "verbs.h"

#include "ns3/aeth-syndrome.h"
#include "ns3/fabric-frame.h"

#include <boost/circular_buffer.hpp>

namespace ns3
{

class QueuePair;

/**
 * @brief The receiving half of a queue pair: takes frames in order, answers with ACK, NAK and RNR
 * NAK, and hands messages over.
 */
class RdmaResponder
{
  public:
    /// @param qp whose half it is
    explicit RdmaResponder(QueuePair& qp);

    /// @param initialPsn PSN of the first frame
    void Connect(uint64_t initialPsn);

    /// Offers room. @param request the room
    void Post(const ReceiveWorkRequest& request);

    /// A request frame has come. @param frame it
    void ReceiveData(const FabricFrame& frame);

    /// Ends all work: what is posted is flushed.
    void Fail();

    /// @return receive work requests that wait
    size_t GetOutstanding() const
    {
        return m_receives.size();
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

    /// @return bytes of memory of the queue of receive work requests
    size_t GetQueueMemoryBytes() const
    {
        return m_receives.capacity() * sizeof(ReceiveWorkRequest);
    }

  private:
    bool Accept(const FabricFrame& frame, RdmaOpcodeTraits traits);
    void Deliver(const FabricFrame& frame, RdmaOpcodeTraits traits);
    void Answer(const FabricFrame& frame, uint8_t syndrome, uint64_t psn);
    void NotifyCongestion(const FabricFrame& frame);

    QueuePair& m_qp;
    uint64_t m_expected{0};       ///< PSN of the next frame in order
    uint64_t m_messages{0};       ///< low 24 bits: the MSN
    uint64_t m_messageBytes{0};   ///< of the message that is arriving
    uint64_t m_deliveredBytes{0}; ///< of all messages that have arrived
    int64_t m_nextCnp{0};         ///< no CNP before, time steps
    bool m_nakSent{false};        ///< for m_expected: one is enough
    boost::circular_buffer<ReceiveWorkRequest> m_receives;
};

} // namespace ns3

#endif // RDMA_RESPONDER_H
