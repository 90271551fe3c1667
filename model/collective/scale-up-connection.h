// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCALE_UP_CONNECTION_H
#define SCALE_UP_CONNECTION_H

#include "collective-connection.h"

#include "ns3/gpu-endpoint.h"

namespace ns3
{

/// A connection within a scale-up domain: a flow of memory writes.
class ScaleUpConnection : public CollectiveConnection
{
  public:
    /**
     * @param ends which ranks it joins
     * @param from GPU of the source
     * @param to GPU of the destination, in the same domain
     * @param failure called when it cannot go on
     */
    ScaleUpConnection(const Ends& ends,
                      const GpuEndpoint& from,
                      const GpuEndpoint& to,
                      FailureCallback failure);

    std::string Describe() const override;

  protected:
    void Transmit(uint64_t bytes, uint32_t number) override;

  private:
    void MessageDeparted();
    void MessageArrived(uint64_t bytes);

    Ptr<ScaleUpPort> m_port;
    uint32_t m_flow;
};

} // namespace ns3

#endif // SCALE_UP_CONNECTION_H
