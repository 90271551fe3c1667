// SPDX-License-Identifier: GPL-2.0-only
#ifndef QUEUE_PAIR_CONNECTION_H
#define QUEUE_PAIR_CONNECTION_H

#include "collective-connection.h"
#include "message-batches.h"
#include "message-order.h"
#include "proxy-thread.h"

#include "ns3/gpu-endpoint.h"
#include "ns3/pcie-tree.h"
#include "ns3/queue-pair.h"

#include <boost/circular_buffer.hpp>
#include <memory>
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
 * @brief A connection over the network: one or more pairs of RC queue pairs on the NIC ports of two
 * GPUs.
 *
 * Several pairs give ECMP several flows to spread (NCCL_IB_QPS_PER_CONNECTION). Split parts are
 * multiples of 128 bytes, and a pair without a part carries an empty one, as NCCL does
 * (NCCL_IB_SPLIT_DATA_ON_QPS). Where the GPUs have several NIC ports for each other, the pairs take
 * them in turn.
 *
 * Each message is an RDMA WRITE with immediate; the immediate is the number of the message, and its
 * completion at the receiver is the arrival. The receiver always has receives posted, so that it is
 * never not ready. Each slot that it has freed it announces by a WRITE of 64 bytes into the
 * sender's FIFO (NCCL's clear-to-send); the slots of a new connection are free. A completion with
 * an error fails the connection.
 *
 * With adaptive routing (CollectiveCosts::AdaptiveRouting) a long message is a WRITE, and an empty
 * WRITE with immediate follows when it is acknowledged; until then the queue pair sends nothing
 * else of the connection.
 *
 * Where the servers have PCIe trees, what is sent passes that of the sender, and what arrives that
 * of the receiver, cut through: the NIC sends no faster than it can read, and a message is there no
 * earlier than it can be written. The proxies of both ends serve one message after the other.
 *
 * The NIC may be that of another GPU in the sender's scale-up domain, the carrier (NCCL's PXN): the
 * message then goes there by scale-up links first.
 */
class QueuePairConnection : public CollectiveConnection
{
  public:
    /// Bytes of the WRITE that announces a free slot.
    static constexpr uint64_t CLEAR_TO_SEND_BYTES = 64;

    void BatchMayGo();
    void BatchHasCome();
    using DepartingBatches = MessageBatches<QueuePairConnection, &QueuePairConnection::BatchMayGo>;
    using ArrivingBatches = MessageBatches<QueuePairConnection, &QueuePairConnection::BatchHasCome>;

    /// Where messages of several connections wait for each other: those by one NIC to one rank.
    struct Batches
    {
        DepartingBatches departing; ///< at the senders
        ArrivingBatches arriving;   ///< at the receiver
    };

    /// What the connection consists of.
    struct Parts
    {
        Ptr<GpuEndpoint> from;    ///< GPU of the source
        Ptr<GpuEndpoint> carrier; ///< GPU whose NIC sends: the source's, or one in its domain
        Ptr<GpuEndpoint> to;      ///< GPU of the destination
        uint32_t pairs{1};        ///< pairs of queue pairs, at least 1
        Striping striping{Striping::ROUND_ROBIN};
        ProxyThread* sending;      ///< of the carrier
        ProxyThread* receiving;    ///< of the destination
        Batches* batches{nullptr}; ///< null: messages are on their own
    };

    /**
     * @param ends which ranks it joins
     * @param parts what it consists of
     * @param costs overheads
     * @param completions gets the completions of all pairs; the upper half of their ids is @p id
     * @param id of this connection
     * @param failure called when it cannot go on
     */
    QueuePairConnection(const Ends& ends,
                        const Parts& parts,
                        Ptr<const CollectiveCosts> costs,
                        Ptr<CompletionQueue> completions,
                        uint32_t id,
                        FailureCallback failure);

    /// @param job number that reports group its messages by
    void SetJob(uint32_t job);

    /// A completion of one of the pairs has come. @param completion it
    void Completed(const WorkCompletion& completion);

    std::string Describe() const override;

  protected:
    void Transmit(uint32_t sender,
                  uint64_t bytes,
                  int64_t pace,
                  const MessageBatch& batch) override;
    int64_t GetArrivalOfAll(const MessageBatch& batch, int64_t arrival) override;
    void ReturnSlot(uint32_t receiver) override;

  private:
    /// The way between a GPU's memory and a NIC of its server.
    struct HostWay
    {
        Ptr<PcieTree> tree; ///< null: it costs nothing
        uint32_t gpu{0};    ///< node of the tree
        uint32_t nic{0};    ///< likewise
    };

    /// A message, or a part of one, that waits for its passage to or from the NIC.
    struct Passage
    {
        uint64_t bytes;
        uint32_t number;
        uint32_t stripe;
        int64_t when;        ///< time steps
        bool served{false};  ///< the proxy has taken it up
        bool inBatch{false}; ///< one request with others, which the receiver's proxy takes up once
    };

    /// One of the pairs of queue pairs.
    struct Stripe
    {
        Ptr<QueuePair> sender;
        Ptr<QueuePair> receiver;
        HostWay out;          ///< at the sender
        HostWay in;           ///< at the receiver
        DataRate nicOut;      ///< line rate of the sender's NIC
        DataRate nicIn;       ///< of the receiver's
        bool ordering{false}; ///< the immediate of a message waits for an acknowledgement
        Passage ordered{};    ///< that message
        boost::circular_buffer<Passage> held{}; ///< messages behind it
        uint64_t written{0}; ///< bytes at the receiver whose immediate has not come
    };

    void MakeStripe(const NicWay& way, const Parts& parts, Ptr<CompletionQueue> completions);
    void PostReceive(uint32_t stripe);
    void HandToProxy(uint64_t bytes);
    void HandToProxyAfter(uint64_t bytes, int64_t pace);
    void ProxyPosts();
    bool BatchIsComplete(const Passage& message);
    void Post(const Passage& message);
    void PostWrite(RdmaOperation operation, const Passage& message, uint32_t id);
    void Acknowledged(uint32_t stripe);
    void Announce();
    void DataWritten(uint32_t stripe, uint64_t bytes);
    void TransmitByAll(uint64_t bytes, uint32_t number, int64_t pace);
    void TransmitBy(uint32_t stripe, uint64_t bytes, uint32_t number, int64_t pace);
    void PartArrived(uint32_t stripe, uint64_t bytes, uint32_t immediate);
    void ReportArrived();
    static HostWay FindHostWay(const GpuEndpoint& gpu, const FabricNetDevice& port);
    void CheckPosted(const char* what, PostResult result);
    void ClearToSend(uint64_t bytes);

    uint32_t m_id;
    Striping m_striping;
    std::vector<Stripe> m_stripes;
    MessageOrder m_departures; ///< at the sender
    MessageOrder m_arrivals;   ///< at the receiver
    Ptr<ScaleUpPort> m_port;   ///< of the source, where another GPU carries
    uint32_t m_flow{0};        ///< to the carrier
    uint32_t m_posted{0};      ///< messages
    uint32_t m_slotsReturned{0};
    uint32_t m_senderNode;
    ProxyThread& m_sendingProxy;
    ProxyThread& m_receivingProxy;
    boost::circular_buffer<Passage> m_toPost;  ///< that the proxy is to post
    boost::circular_buffer<Passage> m_passing; ///< that have come and are on their way to the GPU
    /// Stripes whose long message is acknowledged, and when its immediate goes.
    boost::circular_buffer<std::pair<uint32_t, int64_t>> m_toAnnounce;
    Batches* m_batches;
    boost::circular_buffer<MessageBatch> m_batchOf; ///< messages that are not posted; if m_batches
    uint32_t m_firstOfBatchOf{0};                   ///< number of the first of them
    std::shared_ptr<const DepartingBatches::Batch> m_departing; ///< that the first one waits in
    std::shared_ptr<const ArrivingBatches::Batch> m_arriving;   ///< likewise at the receiver
    uint32_t m_slotsFreed{0};                                   ///< as the sender knows
    WakeUp<QueuePairConnection, &QueuePairConnection::ProxyPosts> m_proxyEvent;
    WakeUp<QueuePairConnection, &QueuePairConnection::Announce> m_announceEvent;
    WakeUp<QueuePairConnection, &QueuePairConnection::ReportArrived> m_arrivalEvent;
};

} // namespace ns3

#endif // QUEUE_PAIR_CONNECTION_H
