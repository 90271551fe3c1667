// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCALE_UP_CONNECTION_H
#define SCALE_UP_CONNECTION_H

#include "collective-connection.h"

#include "ns3/gpu-endpoint.h"

#include <vector>

namespace ns3
{

/// A connection within a scale-up domain: flows of memory writes, from peer to peer or by way of
/// the domain's switch, which adds up or copies.
class ScaleUpConnection : public CollectiveConnection
{
  public:
    /**
     * @param ends which ranks it joins
     * @param from GPUs of the sources
     * @param to GPUs of the destinations, in the same domain
     * @param costs overheads
     * @param failure called when it cannot go on
     */
    ScaleUpConnection(const Ends& ends,
                      const std::vector<Ptr<GpuEndpoint>>& from,
                      const std::vector<Ptr<GpuEndpoint>>& to,
                      Ptr<const CollectiveCosts> costs,
                      FailureCallback failure);

    std::string Describe() const override;

  protected:
    void Transmit(uint32_t sender,
                  uint64_t bytes,
                  int64_t pace,
                  const MessageBatch& batch) override;

  private:
    /// A sending end.
    struct Flow
    {
        Ptr<ScaleUpPort> port;
        uint32_t number;
    };

    void MessageDeparted(uint32_t sender);
    void MessageArrived(uint32_t receiver, uint64_t bytes);

    std::vector<Flow> m_flows; ///< by source
};

} // namespace ns3

#endif // SCALE_UP_CONNECTION_H
