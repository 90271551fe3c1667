// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_HELPER_H
#define FABRIC_HELPER_H

#include "ns3/fabric-channel.h"
#include "ns3/fabric-graph.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-routing.h"
#include "ns3/fabric-switch.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// @param address IPv4 address of a port, host byte order
/// @return a locally administered MAC address that shows it
Mac48Address MakeFabricMac(uint32_t address);

/// A fabric that has been installed.
struct FabricNetwork
{
    NodeContainer nodes;                                  ///< by vertex of the graph
    NodeContainer hosts;                                  ///< those that are hosts
    NodeContainer switches;                               ///< those that are switches
    std::vector<std::vector<Ptr<FabricNetDevice>>> ports; ///< by vertex, in order of its cables
    std::vector<Ptr<FabricChannel>> channels;             ///< by edge of the graph
    Ptr<FabricRouting> routing;                           ///< fills the switches' tables

    /// @return the ports of all hosts, by vertex and cable
    std::vector<Ptr<FabricNetDevice>> GetHostPorts() const;
    /// @return the same as a container, for ns-3's other helpers
    NetDeviceContainer GetHostDevices() const;
    /// @return all switches, by vertex
    std::vector<Ptr<FabricSwitch>> GetSwitches() const;
    /**
     * Round trip of a full RoCEv2 frame and its acknowledgement between two hosts' ports of the
     * empty fabric, for QueuePair's BaseRtt. (Scenarios set it by themselves.)
     * @param from a port @param to another one @param mtu payload of the frame
     * @return it; aborts where no route joins the ports
     */
    Time BaseRtt(Ptr<FabricNetDevice> from, Ptr<FabricNetDevice> to, uint32_t mtu) const;
};

/// ECN thresholds of a port of some rate.
struct EcnThresholds
{
    uint64_t kminBytes;
    uint64_t kmaxBytes;
    double pmax;
};

/**
 * @ingroup ai-fabric
 * @brief Builds a fabric: nodes, ports, cables, switches, addresses, forwarding tables.
 *
 * Hosts' ports get a NetDeviceQueueInterface, so that ns-3's queue discs work above them. The
 * EnablePcap and EnableAscii families of ns-3 work on all ports, those of switches too.
 *
 * Time::SetResolution(Time::PS) must have been called before anything else.
 */
class FabricHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    FabricHelper();

    /// @param name attribute of FabricNetDevice @param value for all ports
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of FabricNetDevice @param value for the ports of hosts: beats the
    /// above
    void SetHostDeviceAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of FabricChannel @param value for cables made by the two-node Install
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of FabricSwitch @param value for all switches
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of SharedBuffer @param value for all switches
    void SetBufferAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param typeId a PathSelector; where it has an attribute Seed, each switch gets its own
     * @param shareSeed all switches get the same seed (to see hash polarization)
     */
    void SetPathSelector(const std::string& typeId, bool shareSeed = false);

    /// @param typeId attributes of path selectors @param name attribute @param value value
    void SetPathSelectorAttribute(const std::string& name, const AttributeValue& value);

    /// Makes the marker of a port of some rate.
    using EcnMarkerMaker = std::function<Ptr<EcnMarker>(DataRate)>;

    /**
     * Switches mark the ECN-capable frames of some classes by RED.
     * @param thresholds for a port of the given rate
     * @param classes bit c: class c
     */
    void SetEcn(std::function<EcnThresholds(DataRate)> thresholds, uint8_t classes = 1U << 3);

    /**
     * Switches mark the ECN-capable frames of some classes by a marker of any kind; other classes
     * keep what they have.
     * @param classes bit c: class c
     * @param make called once for each rate, or for each port if the marker keeps state; null:
     * these classes are not marked
     */
    void SetEcnMarker(uint8_t classes, EcnMarkerMaker make);

    /**
     * Gives each switch a part of its own.
     * @param attribute of FabricSwitch: IntStamper, FrameTrimmer, DropMirror, ...
     * @param part makes it
     */
    void SetSwitchPart(const std::string& attribute, const ObjectFactory& part);

    /// @param routes decides by which ports frames go; null: shortest paths. The object is used as
    /// it is, so by all fabrics that this helper installs.
    void SetRoutes(Ptr<RouteComputation> routes);

    /// @param name attribute of FabricRouting @param value for the fabric's control plane
    void SetRoutingAttribute(const std::string& name, const AttributeValue& value);

    /// @param first address of the first host's first port; the others follow (default 10.0.0.1)
    void SetFirstAddress(Ipv4Address first);

    /// @param seed of everything random about the fabric: ECMP seeds
    void SetSeed(uint32_t seed);

    /**
     * Divides what is installed from now on over the processes of one of ns-3's MPI simulators
     * (see RemoteFabricChannel), and gives arrivals an order that does not depend on how (see
     * ArrivalOrderScheduler). With one process, only the latter.
     * @param ranks by vertex of the graph: the process that simulates it
     */
    void SetRanks(const std::vector<uint32_t>& ranks);

    /**
     * Builds the whole graph; aborts if it cannot work. Hosts that no cables join have no route to
     * each other: FabricNetwork::routing->FindUnreachablePairs() tells.
     * @param graph the fabric
     * @return what was built
     */
    FabricNetwork Install(const FabricGraph& graph);

    /**
     * Builds the whole graph.
     * @param graph the fabric
     * @param error empty, or why it cannot work
     * @return what was built
     */
    FabricNetwork Install(const FabricGraph& graph, std::string& error);

    /**
     * A cable between two nodes, for scripts that build by hand. A node that is to be a switch must
     * have its FabricSwitch aggregated and be given its port by the script.
     * @param a one node
     * @param b another
     * @return the two ports
     */
    NetDeviceContainer Install(Ptr<Node> a, Ptr<Node> b);

    /**
     * Every host knows the MAC address of every other one from the start, so that no ARP or
     * neighbour discovery is seen: permanent entries for all IPv4 and IPv6 addresses that the
     * hosts' ports have now, in the caches of those that share a subnet (IPv6: and of all
     * link-local addresses). To be called once addresses are assigned.
     *
     * ns-3's NeighborCacheHelper looks at the ends of one channel, which here end at a switch.
     * @param network a fabric; hosts without an Internet stack are left out
     */
    static void FillNeighborCaches(const FabricNetwork& network);

    /// @param network a fabric @param stream first stream to use @return how many were used
    int64_t AssignStreams(const FabricNetwork& network, int64_t stream);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;
    Ptr<FabricNetDevice> AddPort(Ptr<Node> node, DataRate rate);
    static void Divide(const FabricNetwork& network);
    Ptr<FabricSwitch> MakeSwitch(uint32_t index);
    void SetMarkers(Ptr<FabricSwitch> fabricSwitch);
    std::string InstallSwitches(const FabricGraph& graph, FabricNetwork& network);
    std::string InstallRoutes(const FabricGraph& graph, FabricNetwork& network);

    ObjectFactory m_device;
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_hostDeviceAttributes;
    ObjectFactory m_channel;
    ObjectFactory m_switch;
    ObjectFactory m_buffer;
    ObjectFactory m_selector;
    ObjectFactory m_routing;
    std::map<std::string, ObjectFactory> m_switchParts; ///< by attribute
    Ptr<RouteComputation> m_routes;
    std::vector<uint32_t> m_ranks; ///< by vertex; empty: the simulation is not divided
    uint32_t m_firstAddress;
    bool m_shareSeed{false};
    uint32_t m_seed{1};
    std::array<EcnMarkerMaker, N_TRAFFIC_CLASSES> m_ecnMakers;
};

} // namespace ns3

#endif // FABRIC_HELPER_H
