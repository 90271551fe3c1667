// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_FLOW_APPLICATION_H
#define RDMA_FLOW_APPLICATION_H

#include "ns3/application.h"
#include "ns3/message-record.h"
#include "ns3/queue-pair.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/// A flow that has ended.
struct FlowRecord
{
    uint64_t flowId;
    uint64_t bytes;
    int64_t start;   ///< time steps
    int64_t end;     ///< time steps
    WcStatus status; ///< of the first message that failed, or SUCCESS
};

/**
 * @ingroup ai-fabric
 * @brief Sends a number of bytes over a connected queue pair, as RDMA WRITEs of at most
 * MessageBytes (a message holds at most 2^31 bytes; a flow may hold any number).
 */
class RdmaFlowApplication : public Application
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaFlowApplication();
    ~RdmaFlowApplication() override;

    /// @param qp connected; its completion queue becomes this application's
    void SetQueuePair(Ptr<QueuePair> qp);

    /// @return the flow has ended, well or not
    bool IsDone() const
    {
        return m_done;
    }

    /// Signature of FlowComplete. @param record the flow
    typedef void (*FlowTracedCallback)(const FlowRecord& record);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void MessageCompleted(const WorkCompletion& completion);

    uint64_t m_bytes{0};
    uint64_t m_messageBytes{0};
    uint64_t m_flowId{0};
    uint64_t m_left{0}; ///< messages not completed
    int64_t m_started{0};
    WcStatus m_status{WcStatus::SUCCESS};
    bool m_done{false};
    Ptr<QueuePair> m_qp;
    Ptr<CompletionQueue> m_completions;
    TracedCallback<const FlowRecord&> m_flowTrace;
};

} // namespace ns3

#endif // RDMA_FLOW_APPLICATION_H
