// SPDX-License-Identifier: GPL-2.0-only
#ifndef UDP_RDMA_PORT_H
#define UDP_RDMA_PORT_H

#include "rdma-port.h"

#include "ns3/class-scheduler.h"
#include "ns3/data-rate.h"
#include "ns3/net-device.h"
#include "ns3/persistent-event.h"
#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

class Ipv4;
class Ipv6;
class RoceReceiver;

/// What a UdpRdmaPort has counted since the start.
struct UdpRdmaPortCounters
{
    uint64_t sentPackets{0};
    uint64_t receivedPackets{0}; ///< whole and well-formed, with a right ICRC
    uint64_t refusedPackets{0};  ///< to UDP port 4791, but malformed or with a wrong ICRC
    uint64_t unroutedPackets{0}; ///< dropped here: the node had no route
};

/**
 * @ingroup ai-fabric
 * @brief The soft attachment: RDMA over a node's Internet stack, by any NetDevice, as Linux's
 * soft-RoCE (rxe) has it.
 *
 * Frames leave as IP packets with the bytes and the ICRC that a NIC would give them; routing, ARP,
 * queue discs and the device are ns-3's. On the interface of its device the port takes the UDP
 * datagrams to port 4791 and leaves all others to the node's UDP. An IP header that says CE leads
 * to a CNP, as on the fabric.
 *
 * The port sends at most at DataRate, and knows nothing of the queues below it. Nothing is
 * fragmented: a frame that does not fit into the device's MTU ends the program with the figures.
 */
class UdpRdmaPort : public RdmaPort
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    UdpRdmaPort();
    ~UdpRdmaPort() override;

    /**
     * Attaches the port to an interface of the device's node.
     * @param device its node has an Internet stack, in which the device has an address
     */
    void SetDevice(Ptr<NetDevice> device);

    /// @return the device
    Ptr<NetDevice> GetDevice() const;

    /// @param ipv6 which IP version @return largest QueuePair::Mtu whose frames all fit the device
    uint32_t GetLargestMtu(bool ipv6) const;

    /// @return what was counted
    const UdpRdmaPortCounters& GetCounters() const
    {
        return m_counters;
    }

    /// A UDP datagram to port 4791 has come. @param packet from its IP header on
    /// @param etherType IPv4 or IPv6
    void ReceivePacket(Ptr<const Packet> packet, uint16_t etherType);

    // RdmaPort
    double GetLineRateBps() const override;
    int64_t SlotSteps(uint32_t frameBytes) const override;
    uint32_t GetFrameOverhead() const override;
    uint32_t GetNodeId() const override;
    int64_t PausedSteps(uint32_t trafficClass, int64_t now) const override;
    RdmaAddress GetAddress(bool ipv6) const override;
    Mac48Address GetMac() const override;
    RdmaPath ResolvePath(const RdmaAddress& destination, Mac48Address neighbor) const override;
    void SendNow(FramePtr frame) override;
    void JoinGroup(const RdmaAddress& group) override;

    /// Signature of Refused. @param packet from its IP header on @param why what is wrong with it
    typedef void (*RefusedTracedCallback)(Ptr<const Packet> packet, const std::string& why);
    /// Signature of Unrouted. @param frame that is dropped
    typedef void (*FrameTracedCallback)(const FabricFrame& frame);

  protected:
    void Kick() override;
    void DoDispose() override;

  private:
    void TransmitNext();
    void ArmWakeUp(int64_t now);
    FramePtr NextFrame(int64_t now);
    void Transmit(const FabricFrame& frame, int64_t now);
    bool SendIpv4(Ptr<Packet> packet);
    bool SendIpv6(Ptr<Packet> packet);
    void CheckSize(const FabricFrame& frame, uint32_t packetBytes) const;
    DataRate DeviceRate() const;

    DataRate m_rate;
    double m_stepsPerByte{0};
    int64_t m_busyUntil{0};
    uint32_t m_nodeId{0};
    uint32_t m_overhead{0}; ///< bytes that a frame takes on the wire besides its own
    int32_t m_interface4{-1};
    int32_t m_interface6{-1};
    WakeUp<UdpRdmaPort, &UdpRdmaPort::TransmitNext> m_wakeUp;
    ClassScheduler m_scheduler;
    Ptr<NetDevice> m_device;
    Ptr<Ipv4> m_ipv4;
    Ptr<Ipv6> m_ipv6;
    Ptr<RoceReceiver> m_receiver;
    UdpRdmaPortCounters m_counters;
    TracedCallback<Ptr<const Packet>, const std::string&> m_refusedTrace;
    TracedCallback<const FabricFrame&> m_unroutedTrace;
};

} // namespace ns3

#endif // UDP_RDMA_PORT_H
