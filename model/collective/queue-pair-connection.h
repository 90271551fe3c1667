// SPDX-License-Identifier: GPL-2.0-only
#ifndef QUEUE_PAIR_CONNECTION_H
#define QUEUE_PAIR_CONNECTION_H

#include "collective-connection.h"
#include "message-order.h"

#include "ns3/gpu-endpoint.h"
#include "ns3/queue-pair.h"

#include <vector>

namespace ns3
{

/// How the messages of a connection are spread over its pairs of queue pairs.
enum class Striping : uint8_t
{
    ROUND_ROBIN, ///< whole messages in turn
    SPLIT,       ///< each message in equal parts over all
};

/**
 * @brief A connection over the network: one or more pairs of RC queue pairs on the NIC ports of the
 * two GPUs.
 *
 * Several pairs give ECMP several flows to spread (NCCL_IB_QPS_PER_CONNECTION). Split parts are
 * multiples of 128 bytes, and a pair without a part carries an empty one, as NCCL does
 * (NCCL_IB_SPLIT_DATA_ON_QPS). Where the GPUs have several NIC ports for each other, the pairs take
 * them in turn.
 *
 * Each message is an RDMA WRITE with immediate; the immediate is the number of the message, and its
 * completion at the receiver is the arrival. The receiver always has receives posted, so that it is
 * never not ready. A completion with an error fails the connection.
 */
class QueuePairConnection : public CollectiveConnection
{
  public:
    /**
     * @param ends which ranks it joins
     * @param from GPU of the source
     * @param to GPU of the destination
     * @param pairs how many pairs of queue pairs, at least 1
     * @param striping how messages are spread over them
     * @param completions gets the completions of all pairs; the upper half of their ids is @p id
     * @param id of this connection
     * @param failure called when it cannot go on
     */
    QueuePairConnection(const Ends& ends,
                        const GpuEndpoint& from,
                        const GpuEndpoint& to,
                        uint32_t pairs,
                        Striping striping,
                        Ptr<CompletionQueue> completions,
                        uint32_t id,
                        FailureCallback failure);

    /// @param job number that reports group its messages by
    void SetJob(uint32_t job);

    /// A completion of one of the pairs has come. @param completion it
    void Completed(const WorkCompletion& completion);

    std::string Describe() const override;

  protected:
    void Transmit(uint64_t bytes, uint32_t number) override;

  private:
    /// One of the pairs of queue pairs.
    struct Stripe
    {
        Ptr<QueuePair> sender;
        Ptr<QueuePair> receiver;
    };

    void PostReceive(uint32_t stripe);
    void TransmitBy(const Stripe& stripe, uint64_t bytes, uint32_t number);

    uint32_t m_id;
    Striping m_striping;
    std::vector<Stripe> m_stripes;
    MessageOrder m_departures; ///< at the sender
    MessageOrder m_arrivals;   ///< at the receiver
};

} // namespace ns3

#endif // QUEUE_PAIR_CONNECTION_H
