// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCALE_UP_PORT_H
#define SCALE_UP_PORT_H

#include "ns3/callback.h"
#include "ns3/fabric-net-device.h"
#include "ns3/object.h"
#include "ns3/persistent-event.h"

#include <boost/circular_buffer.hpp>
#include <deque>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A GPU's port to its scale-up domain (NVLink-like): memory writes to other GPUs.
 *
 * A flow goes one way, from this port to another; its messages arrive in order. Flows that have
 * something to send take turns, a frame each, so that channels share the link fairly. The port
 * pulls from here, as it does from an RDMA NIC.
 *
 * A frame stands for a train of link packets, each of up to PacketPayload bytes with PacketOverhead
 * bytes of header and CRC: 256 B and one 16 B flit, which is the 94 % that NVLink's format allows
 * (Foley and Danskin, "Ultra-Performance Pascal GPU and NVLink Interconnect", IEEE Micro 37(2),
 * 2017; later generations are not published and are assumed to be alike).
 *
 * The domain must be lossless (a switch that PFC guards): nothing is repeated here. A frame that is
 * lost or dropped on this port's cable, at either end, ends the program with a message at that
 * moment, and so does a frame that comes out of turn.
 */
class ScaleUpPort : public Object, public FabricPortOwner
{
  public:
    /// Called when the last bit of a flow's oldest message has left.
    using DepartedCallback = Callback<void>;
    /// Called when a flow's next message is whole, with its length in bytes.
    using ArrivedCallback = Callback<void, uint64_t>;

    /// @return the TypeId
    static TypeId GetTypeId();

    ScaleUpPort();
    ~ScaleUpPort() override;

    /// @param device the port that it owns from now on; its cable must be plugged in
    void SetDevice(Ptr<FabricNetDevice> device);

    /// @return the port
    Ptr<FabricNetDevice> GetDevice() const;

    /**
     * Opens a flow, as part of the set-up: it takes no time.
     * @param from sender
     * @param to receiver, in the same domain
     * @param departed called at the sender, once for each message, in order
     * @param arrived called at the receiver, once for each message, in order
     * @return the sender's number of the flow
     */
    static uint32_t Connect(Ptr<ScaleUpPort> from,
                            Ptr<ScaleUpPort> to,
                            DepartedCallback departed,
                            ArrivedCallback arrived);

    /**
     * Queues a message.
     * @param flow what Connect() returned
     * @param bytes its length; 0 is a message too
     */
    void Send(uint32_t flow, uint64_t bytes);

    /// @return payload bytes queued and not yet on the wire
    uint64_t GetQueuedBytes() const
    {
        return m_queuedBytes;
    }

    /// @return the traffic class of its frames
    uint8_t GetTrafficClass() const
    {
        return m_trafficClass;
    }

    /// @return size of a frame with a full payload (bytes)
    uint32_t GetMaxFrameBytes() const
    {
        return FrameSize(m_framePayload);
    }

    // FabricPortOwner
    void ReceiveFrame(FabricNetDevice& port, FramePtr frame) override;
    uint8_t ReadyClasses(FabricNetDevice& port, int64_t now) override;
    FramePtr PullFrame(FabricNetDevice& port, uint32_t trafficClass, int64_t now) override;
    int64_t NextReadyTime(FabricNetDevice& port, int64_t now, uint8_t closed) override;

  protected:
    void DoDispose() override;

  private:
    /// The sending end of a flow.
    struct TxFlow
    {
        uint32_t destination; ///< address of the receiver
        Mac48Address destinationMac;
        uint32_t remoteFlow;                       ///< the receiver's number of the flow
        uint32_t message{0};                       ///< number of the message that is being sent
        uint32_t frame{0};                         ///< number of its next frame, over all messages
        uint64_t sent{0};                          ///< bytes of it that have been sent
        boost::circular_buffer<uint64_t> messages; ///< lengths, the one being sent in front
        DepartedCallback departed;
        TxFlow* nextReady{nullptr};
    };

    /// The receiving end of a flow.
    struct RxFlow
    {
        uint32_t source;      ///< address of the sender
        uint32_t message{0};  ///< number of the message that arrives
        uint32_t frame{0};    ///< number of the next frame
        uint64_t received{0}; ///< bytes of the message so far
        ArrivedCallback arrived;
    };

    /// A message whose last frame is on the wire.
    struct Departure
    {
        TxFlow* flow;
        int64_t when;
    };

    uint32_t FrameSize(uint32_t payload) const;
    void PutInRound(TxFlow& flow);
    void EndMessage(TxFlow& flow, int64_t lastBit, int64_t now);
    void Depart();
    void FrameLost(const FabricFrame& frame);
    void ListenForLoss(FabricNetDevice& device);

    FabricNetDevice* m_port{nullptr};
    uint8_t m_trafficClass{3};
    uint32_t m_framePayload{0};
    uint32_t m_packetPayload{0};
    uint32_t m_packetOverhead{0};
    uint64_t m_queuedBytes{0};
    TxFlow* m_roundHead{nullptr};
    TxFlow* m_roundTail{nullptr};
    std::deque<TxFlow> m_txFlows; ///< stable addresses
    std::deque<RxFlow> m_rxFlows;
    boost::circular_buffer<Departure> m_departures;
    Ptr<PersistentEvent<ScaleUpPort, &ScaleUpPort::Depart>> m_departEvent;
    Ptr<FabricNetDevice> m_device;
};

} // namespace ns3

#endif // SCALE_UP_PORT_H
