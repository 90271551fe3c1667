// SPDX-License-Identifier: GPL-2.0-only
#ifndef PERFTEST_SIDE_H
#define PERFTEST_SIDE_H

#include "perftest-config.h"

#include "ns3/queue-pair.h"
#include "ns3/rdma-stack.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief One of the two sides of a perftest: its queue pairs, and what it posts to them.
 *
 * Work requests have the index of their pair for an id, so that completions say whose they are.
 */
class PerftestSide
{
  public:
    /// Hears of a completion of a pair. @param pair its index @param completion the entry
    using Handler = std::function<void(uint32_t pair, const WorkCompletion& completion)>;

    PerftestSide() = default;
    PerftestSide(const PerftestSide&) = delete;
    PerftestSide& operator=(const PerftestSide&) = delete;
    ~PerftestSide();

    /// Forgets the pairs and everyone who listens.
    void Clear();

    /**
     * Makes the pairs.
     * @param config complete
     * @param stack of the node
     * @param port of the node
     */
    void Create(const PerftestConfig& config, Ptr<RdmaStack> stack, Ptr<FabricNetDevice> port);

    /// Connects the pairs of two sides, the first one with the first one and so on.
    static void Connect(const PerftestConfig& config, PerftestSide& a, PerftestSide& b);

    /// @param bytes of each message from now on
    void SetMessage(uint64_t bytes);

    /// @param handler hears of completions of what is sent from now on; null: of none
    void SetSendHandler(Handler handler)
    {
        m_sendHandler = std::move(handler);
    }

    /// @param handler hears of messages that have come to a pair, visible in memory; null: of none
    void SetArrivalHandler(std::function<void(uint32_t pair)> handler)
    {
        m_arrivalHandler = std::move(handler);
    }

    /// @param handler hears what went wrong with a work request
    void SetErrorHandler(std::function<void(const std::string&)> handler)
    {
        m_errorHandler = std::move(handler);
    }

    /// @return number of pairs
    uint32_t GetN() const
    {
        return static_cast<uint32_t>(m_ends.size());
    }

    /// @param pair index @return it
    Ptr<QueuePair> GetPair(uint32_t pair) const
    {
        return m_ends[pair].qp;
    }

    /// Posts a message. @param pair index @param signaled it has a completion
    void Send(uint32_t pair, bool signaled);

    /// SEND: posts receives up to the depth; from then on each that is used is replaced.
    void FillReceives();

  private:
    /// A pair and what it posts.
    struct End
    {
        Ptr<QueuePair> qp;
        SendWorkRequest request;
        uint64_t receives{0}; ///< posted and not used
    };

    void Sent(const WorkCompletion& completion);
    void Received(const WorkCompletion& completion);
    void Written(const QueuePair& qp, uint64_t bytes);
    void FillReceives(uint32_t pair);

    PerftestConfig m_config;
    uint64_t m_room{0}; ///< bytes of a receive
    std::vector<End> m_ends;
    Ptr<RdmaNic> m_nic;
    std::vector<uint32_t> m_indexOf; ///< by queue pair number: index + 1, or 0
    Ptr<CompletionQueue> m_sends;
    Ptr<CompletionQueue> m_receives;
    Handler m_sendHandler;
    std::function<void(uint32_t)> m_arrivalHandler;
    std::function<void(const std::string&)> m_errorHandler;
};

} // namespace ns3

#endif // PERFTEST_SIDE_H
