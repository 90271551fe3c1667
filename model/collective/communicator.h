// SPDX-License-Identifier: GPL-2.0-only
#ifndef COMMUNICATOR_H
#define COMMUNICATOR_H

#include "collective-connection.h"
#include "collective-costs.h"
#include "proxy-thread.h"
#include "queue-pair-connection.h"
#include "rank-layout.h"

#include "ns3/completion-queue.h"
#include "ns3/gpu-endpoint.h"
#include "ns3/object.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A group of GPUs that do collectives together: rank r is the r-th of them.
 *
 * A connection between two ranks on a channel is made when it is first used, and kept: over the
 * scale-up ports where both are in one domain, by a pair of queue pairs on the ranks' own NIC ports
 * otherwise. Connections may also be made beforehand, by asking for them.
 *
 * The first connection that fails breaks the communicator for good.
 */
class Communicator : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    Communicator();
    ~Communicator() override;

    /**
     * @param name what reports call it
     * @param gpus by rank; at least one, each at most once
     */
    void SetRanks(const std::string& name, const std::vector<Ptr<GpuEndpoint>>& gpus);

    /// @param job number that reports group its messages by (QueuePair::SetJob)
    void SetJob(uint32_t job)
    {
        m_job = job;
    }

    /// @return what reports call it
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @return number of ranks
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_gpus.size());
    }

    /// @param rank a rank @return its GPU
    Ptr<GpuEndpoint> GetGpu(uint32_t rank) const
    {
        return m_gpus.at(rank);
    }

    /// @param rank a rank @return the stream that its collectives run on; made when first asked for
    Ptr<GpuStream> GetStream(uint32_t rank);

    /// @param rank a rank @param stream of its GPU: what its collectives are to run on
    void SetStream(uint32_t rank, Ptr<GpuStream> stream);

    /// @return how the ranks sit: grouped by scale-up domain, or by server where they have none
    const RankLayout& GetLayout() const
    {
        return m_layout;
    }

    /// @param orders of its rings and trees by channel, instead of the built-in ones
    void SetOrders(std::shared_ptr<const ChannelOrders> orders)
    {
        m_layout.SetOrders(std::move(orders));
    }

    /**
     * @param message one end of a message
     * @param rank whose end
     * @param sends it is the sending end
     * @return the connection that carries it
     */
    CollectiveConnection& GetConnection(const ProgramMessage& message, uint32_t rank, bool sends);

    /// @return what its kernels cost
    Ptr<CollectiveCosts> GetCosts() const
    {
        return m_costs;
    }

    /// @param costs what its kernels cost; before the first collective
    void SetCosts(Ptr<CollectiveCosts> costs)
    {
        m_costs = costs;
    }

    /// @return the connections made so far, in that order
    const std::vector<std::unique_ptr<CollectiveConnection>>& GetConnections() const
    {
        return m_connections;
    }

    /// @return number of connections made so far
    size_t GetNConnections() const
    {
        return m_connections.size();
    }

    /// @return empty, or why the communicator is broken
    const std::string& GetError() const
    {
        return m_error;
    }

    /**
     * Breaks it: all who wait hear of it, in an event of its own.
     * @param why the reason
     */
    void Fail(const std::string& why);

    /// @param callback called once when the communicator breaks
    void AddFailureCallback(std::function<void()> callback);

  protected:
    void DoDispose() override;

  private:
    /// Way, channel and destination of a connection; a reduction has no source, a multicast no
    /// destination.
    using ConnectionKey = std::tuple<MessageWay, uint32_t, uint32_t>;

    CollectiveConnection::Ends FindEnds(const ProgramMessage& message,
                                        uint32_t rank,
                                        bool sends) const;
    std::unique_ptr<CollectiveConnection> MakeConnection(const CollectiveConnection::Ends& ends);
    std::unique_ptr<CollectiveConnection> MakeNetworkConnection(
        const CollectiveConnection::Ends& ends);
    uint32_t FindCarrier(uint32_t source, uint32_t destination) const;
    /// @return all ranks of the source's group send to the destination by one NIC
    bool HaveOneCarrier(uint32_t source, uint32_t destination) const;
    void Completed(const WorkCompletion& completion);
    void ReportFailure();

    uint32_t m_job{0};
    uint32_t m_queuePairs{1};
    bool m_splits{false};
    bool m_pxn{true};
    Ptr<CollectiveCosts> m_costs;
    std::string m_name;
    std::string m_error;
    std::vector<Ptr<GpuEndpoint>> m_gpus;
    std::vector<Ptr<GpuStream>> m_streams;
    RankLayout m_layout;
    std::vector<ProxyThread> m_proxies; ///< by rank
    Ptr<CompletionQueue> m_completions;
    std::vector<std::unique_ptr<CollectiveConnection>> m_connections;
    /// By carrier, destination and channel.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, QueuePairConnection::Batches> m_batches;
    std::vector<QueuePairConnection*> m_networkConnections; ///< by id of their work requests
    /// by source, or the rank that a reduction ends at
    std::vector<std::map<ConnectionKey, CollectiveConnection*>> m_bySource;
    std::vector<std::function<void()>> m_failureCallbacks;
};

} // namespace ns3

#endif // COMMUNICATOR_H
