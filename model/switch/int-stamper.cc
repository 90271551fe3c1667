// SPDX-License-Identifier: GPL-2.0-only
#include "int-stamper.h"

#include "fabric-switch.h"

#include "ns3/abort.h"
#include "ns3/int-header.h"
#include "ns3/persistent-event.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IntStamper);

namespace
{

constexpr uint32_t PATH_ID_MASK = 0xfff; // 12 bits of HPCC's header

/// @param frame with an Ethernet header @return bytes of its L3 packet
uint32_t
PacketBytes(const FabricFrame& frame)
{
    return frame.sizeBytes - wire::ETHERNET_HEADER_BYTES - wire::FCS_BYTES -
           (frame.vlanTagged ? wire::VLAN_TAG_BYTES : 0);
}

/// Asks whether one more hop may be written; if not, says so in the frame as its format does.
/// @param frame it @param hopBytes of one more hop @param port by which it leaves
/// @return whether
bool
HasRoom(FabricFrame& frame, uint32_t hopBytes, const FabricNetDevice& port)
{
    SwitchHeader& header = *frame.switchHeader;
    bool hpcc = header.telemetryFormat == TelemetryFormat::HPCC;
    bool exceedsMtu = PacketBytes(frame) + hopBytes > port.GetMtu();
    NS_ABORT_MSG_IF(hpcc && header.hopsLeft == 0,
                    "IntStamper: HPCC's header has room for "
                        << +wire::HPCC_MAX_HOPS << " hops, and node " << port.GetNodeId()
                        << " is one more. Use IntMd.");
    NS_ABORT_MSG_IF(hpcc && exceedsMtu,
                    "IntStamper: at node " << port.GetNodeId() << " telemetry makes a packet of "
                                           << PacketBytes(frame) + hopBytes
                                           << " B; Mtu of the port is " << port.GetMtu());
    NS_ABORT_MSG_IF(hpcc && HpccRateCode(port.GetDataRate().GetBitRate()) == 0,
                    "IntStamper: HPCC's header has no code for "
                        << port.GetDataRate() << ", the rate of a port of node " << port.GetNodeId()
                        << ". Use IntMd.");
    header.hopsExceeded |= header.hopsLeft == 0;
    header.mtuExceeded |= header.hopsLeft > 0 && exceedsMtu;
    return header.hopsLeft > 0 && !exceedsMtu;
}

} // namespace

TypeId
IntStamper::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IntStamper")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IntStamper>();
    return tid;
}

void
IntStamper::Stamp(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame)
{
    SwitchHeader& header = *frame.switchHeader;
    if (!header.collectsTelemetry)
    {
        return;
    }
    FabricNetDevice& port = fabricSwitch.GetDevice(egress);
    uint32_t hopBytes = TelemetryHopBytes(header.telemetryFormat);
    if (!HasRoom(frame, hopBytes, port))
    {
        return;
    }
    frame.sizeBytes += hopBytes;
    IntHop hop;
    hop.switchId = fabricSwitch.GetNodeId();
    hop.ingressPort = frame.ingressPort;
    hop.egressPort = egress;
    hop.trafficClass = frame.trafficClass;
    hop.queueBytes = port.GetQueuedBytes(frame.trafficClass);
    hop.txBytes = port.GetCounters().txBytes + hopBytes; // the frame is in it as it came
    hop.time = NowSteps();
    hop.bitsPerSecond = port.GetDataRate().GetBitRate();
    header.telemetry.push_back(hop);
    header.pathId ^= static_cast<uint16_t>(hop.switchId & PATH_ID_MASK);
    --header.hopsLeft;
}

} // namespace ns3
