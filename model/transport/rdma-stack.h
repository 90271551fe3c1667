// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_STACK_H
#define RDMA_STACK_H

#include "rdma-nic.h"

#include "ns3/object-factory.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief RDMA on a node: aggregated to it, it has an RdmaNic for each port and makes queue pairs.
 */
class RdmaStack : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaStack();
    ~RdmaStack() override;

    /**
     * Puts an RDMA NIC behind a port.
     * @param port a device of this node
     * @param factory makes the RdmaNic
     * @return the NIC
     */
    Ptr<RdmaNic> AddNic(Ptr<FabricNetDevice> port, ObjectFactory factory);

    /// @return the NICs, in the order in which they were added
    const std::vector<Ptr<RdmaNic>>& GetNics() const
    {
        return m_nics;
    }

    /// @param port a device of this node @return its NIC; null if there is none
    Ptr<RdmaNic> GetNic(Ptr<const FabricNetDevice> port) const;

    /// @param factory makes the queue pairs from now on: its attributes are their defaults
    void SetQueuePairFactory(ObjectFactory factory);

    /// @return a queue pair as it makes them, without a NIC: to read its settings
    Ptr<QueuePair> MakeSample() const;

    /// @return payload bytes of a full frame of the queue pairs that it makes
    uint32_t GetDefaultMtu() const;

    /// @param ops congestion control of the queue pairs from now on; each gets a Fork() of it
    void SetCongestionControl(Ptr<RdmaCongestionOps> ops);

    /// @param reliability recovery of the queue pairs from now on; each gets a Fork() of it
    void SetReliability(Ptr<RdmaReliability> reliability);

    /// @param nic one more NIC, with its ports
    void AddNic(Ptr<RdmaNic> nic);

    /**
     * @param nic whose port it goes to: of several, which are bonded, each in turn
     * @param completions where its completions go
     * @return a queue pair in RESET
     */
    Ptr<QueuePair> CreateQueuePair(Ptr<RdmaNic> nic, Ptr<CompletionQueue> completions);

    /**
     * @param port the device that it sends and receives by
     * @param completions where its completions go
     * @return a queue pair in RESET: set attributes now, then QueuePair::Connect
     */
    Ptr<QueuePair> CreateQueuePair(Ptr<FabricNetDevice> port, Ptr<CompletionQueue> completions);

  protected:
    void DoDispose() override;

  private:
    Ptr<QueuePair> Make(Ptr<CompletionQueue> completions) const;

    std::vector<Ptr<RdmaNic>> m_nics;
    ObjectFactory m_pairFactory;
    Ptr<RdmaCongestionOps> m_ops;
    Ptr<RdmaReliability> m_reliability;
};

} // namespace ns3

#endif // RDMA_STACK_H
