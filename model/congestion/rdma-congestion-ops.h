// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_CONGESTION_OPS_H
#define RDMA_CONGESTION_OPS_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/switch-header.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// What congestion control sets and a queue pair obeys, and what it knows of the pair.
struct RdmaRateState
{
    // set by the algorithm: a rate, a window, or both; or a limit, where the receiver gives credit
    double rateBps{0};       ///< pacing rate, of bits on the wire, bits a second
    uint64_t windowBytes{0}; ///< most payload bytes in flight; 0: no window. A window below a frame
                             ///< still lets one frame go: the rate holds what is slower
    uint64_t sendLimitBytes{UINT64_MAX}; ///< most payload bytes sent since the start, repetitions
                                         ///< included

    // kept by the transport
    uint64_t sentBytes{0}; ///< payload bytes sent since the start, repetitions included

    // given before Init()
    double lineRateBps{0};   ///< of the port: no rate is above it
    uint32_t mtuBytes{0};    ///< payload of a full frame
    uint32_t frameBytes{0};  ///< a full frame on the wire, preamble and gap included
    int64_t baseRttSteps{0}; ///< QueuePair's BaseRtt: round trip of a full frame and its answer
                             ///< through an empty network, time steps; 0: not known
};

/// What an answer (ACK, NAK, READ response) tells the sender.
struct RdmaAckSignal
{
    int64_t now;              ///< time steps
    uint64_t ackedBytes;      ///< payload bytes newly acknowledged; 0: none
    uint64_t inFlightBytes;   ///< payload bytes still in flight
    int64_t rttSteps;         ///< round trip of the frame that it answers, by the NIC's time stamps
                              ///< (RdmaNic's TimestampResolution)
    int64_t endpointSteps{0}; ///< the part of it that was spent in the receiver, from the frame's
                              ///< arrival to its answer
    uint64_t ackedThrough{0}; ///< payload bytes acknowledged since the start
    uint64_t sentThrough{0};  ///< payload bytes sent for the first time since the start
    bool ecnEcho{false};      ///< RdmaFeedback::ecnEcho: what it acknowledges was marked
    uint8_t hops{0};          ///< switches that it has passed on its way back
    const SwitchHeader* telemetry{nullptr}; ///< what the hops wrote into the frame that it answers
};

/// What a receiver sees of a data frame.
struct RdmaArrivalSignal
{
    int64_t now;           ///< time steps
    uint32_t payloadBytes; ///< as it was sent
    uint64_t demandBytes;  ///< payload bytes, since the start and with repetitions, that its sender
                           ///< had sent with this frame or would have sent at once
    bool trimmed;          ///< only the headers have come
    bool marked;           ///< congestion experienced
    uint64_t sentBytes{0}; ///< payload bytes, likewise, that its sender had sent with this frame
};

/// What an algorithm needs from the network and the other side. Both sides of a connection have
/// the same algorithm.
struct RdmaFeedback
{
    bool cnp{true};      ///< the receiver answers marked frames with CNPs, as DCQCN's NP
    bool ecnEcho{false}; ///< each answer says (BECN of its BTH) whether what it acknowledges was
                         ///< marked. Where marks begin or end amid coalesced frames the receiver
                         ///< answers at once, so that no byte counts for the wrong side (RFC 8257,
                         ///< section 3.2)
    TelemetryFormat telemetry{TelemetryFormat::NONE}; ///< hops write into data frames; answers echo
    bool credit{false};                               ///< the receiver gives credit
};

/**
 * @ingroup ai-fabric
 * @brief Congestion control of one queue pair, as TcpCongestionOps is of a TCP socket.
 *
 * Each queue pair has its own object (Fork), which keeps the algorithm's variables; attributes
 * hold the parameters. Hooks may change the RdmaRateState. Timers need no events: an algorithm
 * catches up with them, from time stamps, when a hook is called, and Sent() is called before each
 * use of the rate. With QueuePair's CongestionScope one object serves all pairs of a NIC that go to
 * one destination: the signals of all of them come here, and the window and rate hold their sum.
 *
 * The object of a pair also has the receiver's half: DataReceived() says how much the other side
 * may send in all, and the port hands that out, to all who want, at the rate of its link.
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

    /// @return what it needs from the network and the other side
    virtual RdmaFeedback GetFeedback() const;

    // ---- the sender's half

    /// A queue pair starts. @param state to fill @param now time steps
    virtual void Init(RdmaRateState& state, int64_t now);

    /// Work has come to a pair that had none. @param state rate @param now time steps
    virtual void Resumed(RdmaRateState& state, int64_t now);

    /// Catches up with the algorithm's timers. @param state rate @param now time steps
    virtual void Advance(RdmaRateState& state, int64_t now);

    /// @return when its timers will next raise the rate by themselves, time steps; INT64_MAX:
    /// never. A frame that waits at a low rate is looked at again then.
    virtual int64_t GetNextIncrease() const;

    /// A data frame goes out. @param state rate @param wireBytes its size @param now time steps
    virtual void Sent(RdmaRateState& state, uint32_t wireBytes, int64_t now);

    /// An answer has come, also one that acknowledges nothing new. @param state rate
    /// @param signal what is known
    virtual void Acked(RdmaRateState& state, const RdmaAckSignal& signal);

    /// An answer says that only the headers of its frame have arrived; by default a NAK. (Acked()
    /// is called before it only where the answer also acknowledges something new.) @param state
    /// rate @param signal what is known
    virtual void Trimmed(RdmaRateState& state, const RdmaAckSignal& signal);

    /// A congestion notification arrived. @param state rate @param now time steps
    virtual void CnpReceived(RdmaRateState& state, int64_t now);

    /// The receiver misses a frame. @param state rate @param now time steps
    virtual void NakReceived(RdmaRateState& state, int64_t now);

    /// The transport timer ran out. @param state rate @param now time steps
    virtual void TimedOut(RdmaRateState& state, int64_t now);

    /// Credit has come. @param state rate @param bytes payload bytes, since the start, that the
    /// receiver has let go @param now time steps
    virtual void CreditReceived(RdmaRateState& state, uint64_t bytes, int64_t now);

    // ---- the receiver's half

    /// A data frame, or what is left of it, has come. @param signal it
    /// @return payload bytes, since the start, that its sender should be let send in all; the port
    /// gives that out in turn with others
    virtual uint64_t DataReceived(const RdmaArrivalSignal& signal);

    /// @return share of the link's rate at which the receiver gives credit
    virtual double GetCreditShare() const;

  protected:
    /// @param state of the pair @return the round trip of an empty network, time steps: BaseRtt of
    /// this object, else of the pair. Aborts where neither says it.
    int64_t GetBaseRttSteps(const RdmaRateState& state) const;

  private:
    Time m_baseRtt;
};

} // namespace ns3

#endif // RDMA_CONGESTION_OPS_H
