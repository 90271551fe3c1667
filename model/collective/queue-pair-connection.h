// SPDX-License-Identifier: GPL-2.0-only
#ifndef QUEUE_PAIR_CONNECTION_H
#define QUEUE_PAIR_CONNECTION_H

#include "collective-connection.h"

#include "ns3/gpu-endpoint.h"
#include "ns3/queue-pair.h"

namespace ns3
{

/**
 * @brief A connection over the network: a pair of RC queue pairs on the NIC ports of the two GPUs.
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
     * @param completions gets the completions of both pairs; their ids are @p id
     * @param id of this connection
     * @param failure called when it cannot go on
     */
    QueuePairConnection(const Ends& ends,
                        const GpuEndpoint& from,
                        const GpuEndpoint& to,
                        Ptr<CompletionQueue> completions,
                        uint64_t id,
                        FailureCallback failure);

    /// @param job number that reports group its messages by
    void SetJob(uint32_t job);

    /// A completion of one of the pairs has come. @param completion it
    void Completed(const WorkCompletion& completion);

    std::string Describe() const override;

  protected:
    void Transmit(uint64_t bytes, uint32_t number) override;

  private:
    void PostReceive();

    uint64_t m_id;
    uint32_t m_expected{0}; ///< number of the next message, at the receiver
    Ptr<QueuePair> m_sender;
    Ptr<QueuePair> m_receiver;
};

} // namespace ns3

#endif // QUEUE_PAIR_CONNECTION_H
