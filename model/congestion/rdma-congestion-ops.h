// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_CONGESTION_OPS_H
#define RDMA_CONGESTION_OPS_H

#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// What congestion control sets and a queue pair obeys.
struct RdmaRateState
{
    double rateBps{0};       ///< pacing rate, of bits on the wire, bits a second
    uint64_t windowBytes{0}; ///< most payload bytes in flight; 0: no window
    double lineRateBps{0};   ///< of the port: no rate is above it
};

/// What an acknowledgement tells the sender.
struct RdmaAckSignal
{
    int64_t now;            ///< time steps
    uint64_t ackedBytes;    ///< payload bytes newly acknowledged
    uint64_t inFlightBytes; ///< payload bytes still in flight
    int64_t rttSteps;       ///< round trip of the frame that it answers, by hardware time stamps
};

/**
 * @ingroup ai-fabric
 * @brief Congestion control of one queue pair, as TcpCongestionOps is of a TCP socket.
 *
 * Each queue pair has its own object (Fork), which keeps the algorithm's variables; attributes
 * hold the parameters. Hooks may change the RdmaRateState. Timers need no events: an algorithm
 * catches up with them, from time stamps, when a hook is called, and Sent() is called before each
 * use of the rate.
 *
 * To add an algorithm: one file, a subclass with a TypeId, and its name in the scenario (or in
 * RdmaHelper::SetCongestionControl).
 */
class RdmaCongestionOps : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return short name, as in scenario files
    virtual std::string GetName() const = 0;

    /// @return a fresh object with the same parameters, for another queue pair
    virtual Ptr<RdmaCongestionOps> Fork() const = 0;

    /// A queue pair starts. @param state to fill; the line rate is set @param now time steps
    virtual void Init(RdmaRateState& state, int64_t now);

    /// Catches up with the algorithm's timers. @param state rate @param now time steps
    virtual void Advance(RdmaRateState& state, int64_t now);

    /// @return when its timers will next raise the rate by themselves, time steps; INT64_MAX:
    /// never. A frame that waits at a low rate is looked at again then.
    virtual int64_t GetNextIncrease() const;

    /// A data frame goes out. @param state rate @param wireBytes its size @param now time steps
    virtual void Sent(RdmaRateState& state, uint32_t wireBytes, int64_t now);

    /// New data was acknowledged. @param state rate @param signal what is known
    virtual void Acked(RdmaRateState& state, const RdmaAckSignal& signal);

    /// A congestion notification arrived. @param state rate @param now time steps
    virtual void CnpReceived(RdmaRateState& state, int64_t now);

    /// The receiver asks for retransmission. @param state rate @param now time steps
    virtual void NakReceived(RdmaRateState& state, int64_t now);

    /// The transport timer ran out. @param state rate @param now time steps
    virtual void TimedOut(RdmaRateState& state, int64_t now);
};

} // namespace ns3

#endif // RDMA_CONGESTION_OPS_H
