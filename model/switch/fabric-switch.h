// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "drop-mirror.h"
#include "ecn-marker.h"
#include "forwarding-table.h"
#include "frame-trimmer.h"
#include "in-network-reducer.h"
#include "int-stamper.h"
#include "mac-table.h"
#include "path-selector.h"
#include "pfc-watchdog.h"
#include "shared-buffer.h"
#include "switch-audit.h"

#include "ns3/fabric-net-device.h"
#include "ns3/huge-page-arena.h"
#include "ns3/object.h"
#include "ns3/pfc-initiator.h"
#include "ns3/traced-callback.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A shared-memory switch: store and forward, lossless classes by PFC or credits, ECN
 * marking.
 *
 * Aggregated to its node. A frame that comes in is looked up, booked in the SharedBuffer (or
 * dropped and counted), and queued at its egress port; when it leaves, it is booked out.
 *
 * RoCE and scale-up frames are looked up by their destination address in the fabric, packets of
 * ns-3's own stack by their MAC address, as are RoCE frames to an address that is none of the
 * fabric's (a router's). Broadcast, multicast and unknown MAC addresses are flooded along a tree.
 *
 * The ingress account decides on PFC: XOFF when it passes its threshold, XON when it has drained.
 * A class that goes by credits (FabricNetDevice's FlowControl) has its buffer as headroom there.
 *
 * What else happens to a frame is done by parts of its own, each an attribute: PathSelector,
 * Buffer, the EcnMarker of a port and class, IntStamper, FrameTrimmer, DropMirror, Reducer.
 */
class FabricSwitch : public Object, public FabricPortOwner
{
  public:
    /// No port in particular.
    static constexpr uint32_t NO_PORT = UINT16_MAX;

    /// When a frame's queue is looked at for ECN.
    enum MarkingPoint
    {
        MARK_AT_ENQUEUE, ///< on arrival, as in the DCQCN paper
        MARK_AT_DEQUEUE, ///< on departure: earlier news of the queue behind it
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    FabricSwitch();
    ~FabricSwitch() override;

    /**
     * Takes a device over as its next port; it adds no VLAN tags from now on.
     * @param port a device of the switch's node
     * @return its port number
     */
    uint32_t AddPort(Ptr<FabricNetDevice> port);

    /**
     * Lays out the buffer once all ports have their cables. The headroom of each port follows from
     * its rate, cable, largest frame, MAC and PHY, and its peer's response time.
     * @return empty, or why the configuration cannot be lossless, with the figures
     */
    std::string Configure();

    /// @return number of ports
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /// @param port number @return the device
    Ptr<FabricNetDevice> GetPort(uint32_t port) const;

    /// @param device one of the switch's ports @return its number
    uint32_t GetPortNumber(Ptr<const FabricNetDevice> device) const
    {
        return PortOf(*device);
    }

    /// @return the forwarding table, to fill
    ForwardingTable& GetForwardingTable()
    {
        return m_table;
    }

    /// @param table the MAC addresses of the fabric's endpoints; null: no frame goes by MAC
    void SetMacTable(std::shared_ptr<const MacTable> table);

    /// @param address of an endpoint of the fabric @param mac receives its MAC address
    /// @return whether it is known
    bool FindMac(uint32_t address, Mac48Address& mac) const
    {
        return m_macs && m_macs->FindMac(address, mac);
    }

    /// @param ports where frames are flooded to: all endpoints, and of the links to other switches
    /// those that make a tree
    void SetFloodPorts(std::vector<uint32_t> ports);

    /// @return the ports of SetFloodPorts()
    const std::vector<uint32_t>& GetFloodPorts() const
    {
        return m_floodPorts;
    }

    /// Who hears that a link of this switch goes down or comes up.
    using LinkChangeCallback = Callback<void, Ptr<FabricNetDevice>, bool>;

    /// @param callback called with the port and whether its link is up; null: nobody
    void SetLinkChangeCallback(LinkChangeCallback callback)
    {
        m_linkChange = callback;
    }

    /// @return the buffer
    Ptr<SharedBuffer> GetBuffer() const;

    /// @param port number @param trafficClass class @param marker decides about the ECN-capable
    /// frames of that class that leave there; null: none is marked
    void SetEcnMarker(uint32_t port, uint32_t trafficClass, Ptr<EcnMarker> marker);

    /// @param port number @return headroom of a lossless class there, bytes
    uint64_t GetHeadroomBytes(uint32_t port) const;

    /// @return frames dropped in lossless classes: 0 unless something is wrong
    uint64_t GetLosslessDrops() const
    {
        return m_losslessDrops;
    }

    /// @return frames dropped in lossy classes
    uint64_t GetLossyDrops() const
    {
        return m_lossyDrops;
    }

    /// @return frames dropped from its queues: a link was down, the switch off, a watchdog at work
    uint64_t GetFaultDrops() const
    {
        return m_faultDrops;
    }

    /**
     * Switches it off or on. All of its links go down with it, and what it holds is dropped; they
     * come up again with it, but those that are down for a reason of their own.
     * @param running which
     */
    void SetRunning(bool running);

    /// @return frames dropped because no route leads to their destination
    uint64_t GetUnroutableDrops() const
    {
        return m_unroutableDrops;
    }

    /// @param port number @param trafficClass class @return true: its sender is stopped
    bool IsPausing(uint32_t port, uint32_t trafficClass) const;

    /// @param port number @return what stops the sender there
    PfcInitiator& GetPfcInitiator(uint32_t port)
    {
        return m_ports.at(port)->pfc;
    }

    /// @return the path selector
    Ptr<PathSelector> GetPathSelector() const
    {
        return m_selector;
    }

    /// @return the unit that reduces and multiplies frames, or null
    Ptr<InNetworkReducer> GetReducer() const
    {
        return m_reducer;
    }

    /// @return id of the node, the switch's name among switches
    uint32_t GetNodeId() const
    {
        return m_ports.front()->device->GetNodeId();
    }

    // ---- for the parts of a switch

    /// @param port number @return the device, without a check or a count of references
    FabricNetDevice& GetDevice(uint32_t port) const
    {
        return *m_ports[port]->device;
    }

    /**
     * Looks a frame up, books it and queues it, as if it had just come in; or drops and counts it.
     * @param ingress port number by which it came: its account is charged
     * @param frame the frame
     */
    void Switch(uint32_t ingress, FramePtr&& frame);

    /**
     * Books a frame for a port and queues it there; or drops and counts it.
     * @param ingress port number by which it came: its account is charged
     * @param egress port number
     * @param frame the frame
     */
    void Forward(uint32_t ingress, uint32_t egress, FramePtr&& frame);

    /**
     * Books a frame, without queueing it yet: with pause and drop as they come.
     * @param ingress port number by which it came
     * @param egress port number by which it is to leave
     * @param frame the frame
     * @return false: there was no room; it was trimmed and sent on, or dropped and counted
     */
    bool Book(uint32_t ingress, uint32_t egress, FramePtr& frame);

    /// Queues a frame that was booked. @param egress the port of Book() @param frame the frame
    void Queue(uint32_t egress, FramePtr&& frame);

    /// @param frame of any destination @return the ports it may leave by
    ForwardingTable::Ports Lookup(const FabricFrame& frame) const;

    /// @return bit c: class c is lossless
    uint8_t GetLosslessClasses() const
    {
        return m_losslessClasses;
    }

    /// @param port number @return bit c: what comes in there in class c is not to be dropped
    uint8_t GetLosslessClasses(uint32_t port) const
    {
        return m_ports[port]->losslessClasses;
    }

    /// @return true: a part may make frames of its own, or take some for itself
    bool MakesFrames() const
    {
        return m_selectorWatches || m_mirror;
    }

    /// @return the audit, null unless CheckConservation
    const SwitchAudit* GetAudit() const
    {
        return m_audit.get();
    }

    /// @param stream first stream to use @return how many were used
    int64_t AssignStreams(int64_t stream);

    // FabricPortOwner
    bool HasFrames() const override;
    void PrefetchReceive(const FabricNetDevice& port, const FabricFrame& frame) const override;
    void ReceiveFrame(FabricNetDevice& port, FramePtr frame) override;
    void FrameDeparts(FabricNetDevice& port, FabricFrame& frame) override;
    void FrameFlushed(FabricNetDevice& port, FabricFrame& frame, DropReason reason) override;
    void LinkChanged(FabricNetDevice& port, bool up) override;
    uint64_t HeldBytes(FabricNetDevice& port, uint32_t trafficClass) override;

    /// Signature of Drop. @param frame it @param ingress port by which it came @param egress port
    /// by which it would have left, or NO_PORT @param reason why
    typedef void (*DropTracedCallback)(const FabricFrame& frame,
                                       uint32_t ingress,
                                       uint32_t egress,
                                       DropReason reason);

  protected:
    void DoDispose() override;
    void NotifyConstructionCompleted() override;

  private:
    struct alignas(64) Port : InHugePages
    {
        // First what each frame touches.
        FabricNetDevice* device;
        uint8_t losslessClasses{0}; ///< of those that come in here
        uint8_t pfcClasses{0};      ///< those of them that PFC guards
        uint8_t creditClasses{0};   ///< and those that credits do
        uint8_t timedMarkers{0};    ///< bit c: the marker of class c is to know the time
        std::array<EcnMarker*, N_TRAFFIC_CLASSES> markers{};
        PfcInitiator pfc;
        uint64_t headroomBytes{0};
        Ptr<FabricNetDevice> keepDevice;
        std::array<Ptr<EcnMarker>, N_TRAFFIC_CLASSES> keepMarkers;
    };

    uint32_t PortOf(const FabricNetDevice& device) const;
    ForwardingTable::Ports LookupMac(Mac48Address mac) const;
    void ReceiveUnrouted(uint32_t ingress, FramePtr frame);
    void Route(uint32_t ingress, ForwardingTable::Ports ports, FramePtr&& frame);
    void InstallReducer();
    void RefuseTooLarge(const FabricFrame& frame) const;
    std::string CheckPauseQuanta(const FabricNetDevice& port) const;
    std::string ConfigureCredits(uint32_t number);
    std::string ConfigurePfc(uint32_t number);
    std::string ConfigureHeadroom(uint32_t number, uint64_t needed);
    uint64_t NeededHeadroom(const FabricNetDevice& device, const FabricNetDevice& peer) const;
    void ResumeIfDrained(uint32_t ingress, uint32_t trafficClass);
    void NoRoom(uint32_t ingress, uint32_t egress, FramePtr frame);
    void Drop(uint32_t ingress, uint32_t egress, const FabricFrame& frame, DropReason reason);
    void MarkIfCongested(Port& out, FabricFrame& frame, uint64_t queueBytes);

    std::vector<std::unique_ptr<Port>> m_ports; ///< events of its initiator point to a port
    std::vector<uint32_t> m_portOfIfIndex;
    ForwardingTable m_table;
    std::shared_ptr<const MacTable> m_macs;
    std::vector<uint32_t> m_floodPorts;
    LinkChangeCallback m_linkChange;
    PathSelector* m_select{nullptr};
    bool m_selectorWatches{false};
    IntStamper* m_stamper{nullptr};
    SharedBuffer* m_account{nullptr};
    uint8_t m_losslessClasses{0};
    bool m_pfc{true};
    MarkingPoint m_markingPoint{MARK_AT_ENQUEUE};
    uint16_t m_pauseQuanta{0};
    uint32_t m_maxFrameBytes{0};
    uint64_t m_givenHeadroom{0};
    bool m_allowShortHeadroom{false};
    bool m_lossyWithoutPfc{false};
    bool m_checkConservation{false};
    Time m_phyMacDelay;
    uint64_t m_losslessDrops{0};
    uint64_t m_lossyDrops{0};
    uint64_t m_unroutableDrops{0};
    uint64_t m_faultDrops{0};
    Ptr<PathSelector> m_selector;
    Ptr<SharedBuffer> m_buffer;
    Ptr<IntStamper> m_intStamper;
    Ptr<FrameTrimmer> m_trimmer;
    Ptr<DropMirror> m_mirror;
    Ptr<InNetworkReducer> m_reducer;
    TracedCallback<const FabricFrame&, uint32_t, uint32_t, DropReason> m_dropTrace;
    Ptr<PfcWatchdog> m_watchdog;
    std::unique_ptr<SwitchAudit> m_audit;
};

} // namespace ns3

#endif // FABRIC_SWITCH_H
