// SPDX-License-Identifier: GPL-2.0-only
#ifndef CREDIT_PACER_H
#define CREDIT_PACER_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"
#include "ns3/persistent-event.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>

namespace ns3
{

class QueuePair;
class RdmaPort;

/// What a receiver has given to the sender of one queue pair: payload bytes since the start.
struct CreditAccount
{
    uint64_t granted{0};      ///< that the sender may send, by this side's credit or by itself
    uint64_t target{0};       ///< that it should be let send
    uint64_t trimmedBytes{0}; ///< asked for again because they were trimmed
    bool waits{false};        ///< stands in the pacer's queue
};

/**
 * @ingroup ai-fabric
 * @brief Gives the credit of all queue pairs that receive by one port, no faster than their data
 * fit into the port's link.
 *
 * Pairs whose senders want more (RdmaCongestionOps::DataReceived) are served in turn, Quantum full
 * frames at a time. Each grant is a CREDIT frame with all the credit since the start, so that a
 * later one speaks for one that was lost; the next grant follows after the time that the granted
 * frames take on the link, divided by RdmaCongestionOps::GetCreditShare(). A sender that asks again
 * (CREDIT_REQUEST) is told at once what it seems not to have heard.
 *
 * A frame of a pair without such congestion control costs nothing here.
 */
class CreditPacer : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    CreditPacer();
    ~CreditPacer() override;

    /// @param port whose link the credited data come by
    void SetPort(RdmaPort* port)
    {
        m_port = port;
    }

    /// A data frame, or what is left of it, has come. @param qp its pair @param frame it
    void DataArrived(QueuePair& qp, const FabricFrame& frame);

    /// A sender asks. @param qp its pair @param frame the CREDIT_REQUEST
    void RequestArrived(QueuePair& qp, const FabricFrame& frame);

    /// @return CREDIT frames sent
    uint64_t GetGrants() const
    {
        return m_grants;
    }

    /// @return payload bytes granted
    uint64_t GetGrantedBytes() const
    {
        return m_grantedBytes;
    }

    /// @return pairs that wait for their turn
    size_t GetWaiting() const
    {
        return m_waiting.size();
    }

  private:
    void Arrived(QueuePair& qp, const FabricFrame& frame, uint32_t payloadBytes);
    void Serve();
    void Grant(QueuePair& qp, int64_t now);
    void Tell(QueuePair& qp);

    RdmaPort* m_port{nullptr};
    uint32_t m_quantum{1};
    int64_t m_freeAt{0}; ///< no grant before, time steps
    uint64_t m_grants{0};
    uint64_t m_grantedBytes{0};
    boost::circular_buffer<QueuePair*> m_waiting;
    WakeUp<CreditPacer, &CreditPacer::Serve> m_wakeUp;
};

} // namespace ns3

#endif // CREDIT_PACER_H
