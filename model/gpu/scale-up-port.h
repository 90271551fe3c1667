// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCALE_UP_PORT_H
#define SCALE_UP_PORT_H

#include "ns3/callback.h"
#include "ns3/fabric-net-device.h"
#include "ns3/frame-group-unit.h"
#include "ns3/object.h"
#include "ns3/persistent-event.h"

#include <boost/circular_buffer.hpp>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A GPU's way into its scale-up domain (NVLink-like): memory writes to other GPUs.
 *
 * A flow goes one way, from this port to another; its messages arrive in order. Flows that have
 * something to send take turns, a frame each, so that channels share the links fairly. The links
 * pull from here, as from an RDMA NIC.
 *
 * The port has one link (the lumped domain: all links of the GPU as one), a link to each of several
 * switch planes, or links to each of its peers (a mesh). A flow's frames take the links that lead
 * to its destination in turn, beginning with one that depends on both ends; so they arrive in order
 * on each link but not over all of them, and a message is whole when all of its bytes have come.
 *
 * A reduction is a flow from several ports to one: the domain's switches add up what they send
 * (FrameGroupUnit), and one sum of each message arrives. A multicast is a flow from one port to
 * several. Their frames go when the switch has room for them.
 *
 * A frame stands for a train of link packets, each of up to PacketPayload bytes with PacketOverhead
 * bytes of header and CRC: 256 B and one 16 B flit, which is the 94 % that NVLink's format allows
 * (Foley and Danskin, "Ultra-Performance Pascal GPU and NVLink Interconnect", IEEE Micro 37(2),
 * 2017; later generations are not published and are assumed to be alike).
 *
 * The domain must be lossless: nothing is repeated here. A frame that is lost or dropped on one of
 * this port's cables, at either end, ends the program with a message at that moment, and so does a
 * frame that comes out of turn.
 */
class ScaleUpPort : public Object
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

    /**
     * Adds a link; those of several planes in the same order at all ports, those to one peer one
     * after the other.
     * @param device that the port owns from now on; its cable must be plugged in
     */
    void AddLink(Ptr<FabricNetDevice> device);

    /// @return number of links
    uint32_t GetNLinks() const
    {
        return static_cast<uint32_t>(m_links.size());
    }

    /// @param link number, from 0 on @return the device
    Ptr<FabricNetDevice> GetDevice(uint32_t link = 0) const;

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

    /// @return whether its switches can reduce and multicast
    bool HasFrameGroups() const;

    /**
     * Opens a flow that the switches reduce, as part of the set-up: it takes no time. All members
     * must send messages of the same lengths in the same order.
     * @param members the senders
     * @param owner where the sum arrives; it may be a member too
     * @param departed called at each member, once for each message, in order
     * @param arrived called at the owner when the sum of a message is whole
     * @return each member's number of the flow
     */
    static std::vector<uint32_t> ConnectReduction(const std::vector<Ptr<ScaleUpPort>>& members,
                                                  Ptr<ScaleUpPort> owner,
                                                  const std::vector<DepartedCallback>& departed,
                                                  ArrivedCallback arrived);

    /**
     * Opens a flow that the switches multiply, as part of the set-up: it takes no time.
     * @param source the sender
     * @param members where its messages arrive; it may be one of them
     * @param departed called at the source, once for each message, in order
     * @param arrived called at each member, once for each message, in order
     * @return the source's number of the flow
     */
    static uint32_t ConnectMulticast(Ptr<ScaleUpPort> source,
                                     const std::vector<Ptr<ScaleUpPort>>& members,
                                     DepartedCallback departed,
                                     const std::vector<ArrivedCallback>& arrived);

    /**
     * Queues a message. It may be sent while it is written, as far as it has been.
     * @param flow what Connect() returned
     * @param bytes its length; 0 is a message too
     * @param pace time that the writer takes for all of it, from now on, time steps
     */
    void Send(uint32_t flow, uint64_t bytes, int64_t pace = 0);

    /// @return payload bytes queued and not yet on a link
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

    /// @param bytes of a message @return the time that its frames take on the links that they
    /// A message that is to be sent.
    struct Message
    {
        uint64_t bytes;
        int64_t begin; ///< time steps: it was posted
        int64_t pace;  ///< time steps that writing it takes
    };

    /// share, time steps
    int64_t GetWireSteps(uint64_t bytes) const;

  protected:
    void DoDispose() override;

  private:
    struct TxFlow;

    /// A message whose last bit leaves at a known time.
    struct Departure
    {
        TxFlow* flow;
        int64_t when;
    };

    /// A link: what its device reports to and pulls from.
    class Link : public FabricPortOwner
    {
      public:
        Link(ScaleUpPort& port, uint32_t number, Ptr<FabricNetDevice> device);
        ~Link() override;
        void PutInRound(TxFlow& flow);
        void AddDeparture(TxFlow& flow, int64_t when);
        void Depart();

        // FabricPortOwner
        void ReceiveFrame(FabricNetDevice& device, FramePtr frame) override;
        uint8_t ReadyClasses(FabricNetDevice& device, int64_t now) override;
        FramePtr PullFrame(FabricNetDevice& device, uint32_t trafficClass, int64_t now) override;
        int64_t NextReadyTime(FabricNetDevice& device, int64_t now, uint8_t closed) override;

        ScaleUpPort& port;
        uint32_t number;
        FabricNetDevice* device;
        bool pulling{false}; ///< the device is being given a frame
        TxFlow* roundHead{nullptr};
        TxFlow* roundTail{nullptr};
        boost::circular_buffer<Departure> departures;
        Ptr<PersistentEvent<Link, &Link::Depart>> departEvent;
        Ptr<FabricNetDevice> keepDevice;
    };

    /// Consecutive links that a flow takes in turn.
    struct LinkRange
    {
        uint32_t first{0};
        uint32_t count{0};
    };

    /// What a switch's FrameGroupUnit has granted, by link of the flow's range.
    struct GroupState
    {
        std::vector<FrameGroupUnit::Ticket> tickets;
        bool waits{false}; ///< for a grant, with its next frame
    };

    /// The sending end of a flow.
    struct TxFlow
    {
        uint32_t destination; ///< address of the receiver, or of the group
        Mac48Address destinationMac;
        uint32_t remoteFlow; ///< the receiver's number of the flow
        LinkRange links;
        uint32_t link{0};     ///< where its next frame goes
        uint32_t turn{0};     ///< links of this turn that have had their frame
        uint32_t frame{0};    ///< number of its next frame, among those of one link
        uint32_t message{0};  ///< number of the message that is being sent
        uint64_t sent{0};     ///< bytes of it that have been sent
        int64_t lastBit{0};   ///< when all that has been sent will have left, time steps
        uint32_t lastLink{0}; ///< the link of that
        boost::circular_buffer<Message> messages; ///< the one being sent in front
        DepartedCallback departed;
        std::unique_ptr<GroupState> group; ///< null: an ordinary flow
        TxFlow* nextReady{nullptr};
    };

    /// A message of which some frames have come.
    struct Arrival
    {
        uint64_t received{0};
        bool whole{false};
    };

    /// The receiving end of a flow.
    struct RxFlow
    {
        uint32_t source{0}; ///< address of the sender, or of the group
        LinkRange links;
        std::vector<uint32_t> sources;          ///< of a group: by link of the range; else empty
        std::vector<uint32_t> frames;           ///< number of the next one, by link of the range
        uint32_t message{0};                    ///< number of the message that arrives
        Arrival current;                        ///< of that one
        boost::circular_buffer<Arrival> others; ///< of those after it
        ArrivedCallback arrived;
    };

    static LinkRange FindLinks(const ScaleUpPort& from, const ScaleUpPort& to);
    FrameGroup::Member MemberOf(uint32_t link, uint32_t flow) const;
    FrameGroupUnit* GetUnit(uint32_t link) const;
    TxFlow& AddTxFlow(LinkRange links, uint32_t offset, DepartedCallback departed);
    RxFlow& AddRxFlow(LinkRange links, ArrivedCallback arrived);
    static void JoinGroup(const std::vector<Ptr<ScaleUpPort>>& senders,
                          const std::vector<uint32_t>& txFlows,
                          const std::vector<Ptr<ScaleUpPort>>& receivers,
                          const std::vector<uint32_t>& rxFlows);

    uint32_t FrameSize(uint32_t payload) const;
    uint32_t GetFramePayload(uint64_t messageBytes) const;
    int64_t GetWrittenTime(const TxFlow& flow) const;
    void PutInRound(TxFlow& flow);
    void TakeTurn(TxFlow& flow);
    void FramesWritten();
    FramePtr NextFrame(Link& link, int64_t now);
    static void NextLink(TxFlow& flow);
    void EndMessage(TxFlow& flow);
    void Granted(Link& link, const FabricFrame& credit);
    void Receive(Link& link, const FabricFrame& frame);
    void CheckOrder(const Link& link, const RxFlow& flow, const FabricFrame& frame) const;
    void FrameLost(const FabricFrame& frame);
    void ListenForLoss(FabricNetDevice& device);

    uint8_t m_trafficClass{3};
    uint32_t m_framePayload{0};
    uint32_t m_framesPerMessage{1};
    uint32_t m_minFramePayload{0};
    uint32_t m_packetPayload{0};
    uint32_t m_packetOverhead{0};
    uint64_t m_queuedBytes{0};
    uint32_t m_spread{1};     ///< links that a flow takes in turn
    std::deque<Link> m_links; ///< stable addresses
    std::deque<TxFlow> m_txFlows;
    std::deque<RxFlow> m_rxFlows;
    std::map<uint32_t, uint32_t> m_flowsTo; ///< how many there are, by destination

    /// A flow whose next frame is being written.
    struct Writing
    {
        int64_t when; ///< time steps: it will have been
        uint64_t order;
        TxFlow* flow;

        /// @param o another one @return this one comes later
        bool operator<(const Writing& o) const
        {
            return when != o.when ? when > o.when : order > o.order;
        }
    };

    std::priority_queue<Writing> m_writing; ///< the next one on top
    uint64_t m_writingOrder{0};
    WakeUp<ScaleUpPort, &ScaleUpPort::FramesWritten> m_writtenEvent;
};

} // namespace ns3

#endif // SCALE_UP_PORT_H
