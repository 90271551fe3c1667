// SPDX-License-Identifier: GPL-2.0-only
#include "int-stamper.h"

#include "fabric-switch.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/int-header.h"
#include "ns3/persistent-event.h"
#include "ns3/uinteger.h"

#include <algorithm>

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
                            .AddConstructor<IntStamper>()
                            .AddAttribute("HpccUnits",
                                          "HPCC's format: counters are rounded down to so many "
                                          "units of its fields (queue 80 bytes, sent 128 bytes), "
                                          "times to nanoseconds, as INT_MULTI does in its authors' "
                                          "simulator; 0: not rounded.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&IntStamper::m_hpccUnits),
                                          MakeUintegerChecker<uint32_t>())
                            .AddAttribute("PintBaseRtt",
                                          "PINT: what a port's utilization is averaged over, the "
                                          "same for all switches: the largest round trip of an "
                                          "empty network.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&IntStamper::m_pintBaseRtt),
                                          MakeTimeChecker(Time(0)))
                            .AddAttribute("PintLogBase",
                                          "PINT: ratio of the values of neighbouring codes.",
                                          DoubleValue(PintCode::DEFAULT_BASE),
                                          MakeDoubleAccessor(&IntStamper::m_pintLogBase),
                                          MakeDoubleChecker<double>(1.0001, 2));
    return tid;
}

IntStamper::IntStamper()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

int64_t
IntStamper::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
IntStamper::Stamp(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame)
{
    SwitchHeader& header = *frame.switchHeader;
    if (!header.collectsTelemetry)
    {
        return;
    }
    if (IsDigest(header.telemetryFormat))
    {
        StampDigest(fabricSwitch, egress, frame);
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
    if (m_hpccUnits > 0 && header.telemetryFormat == TelemetryFormat::HPCC)
    {
        Coarsen(hop);
    }
    header.telemetry.push_back(hop);
    header.pathId ^= static_cast<uint16_t>(hop.switchId & PATH_ID_MASK);
    --header.hopsLeft;
}

void
IntStamper::Coarsen(IntHop& hop) const
{
    hop.queueBytes -= hop.queueBytes % (wire::HPCC_QUEUE_UNIT_BYTES * m_hpccUnits);
    hop.txBytes -= hop.txBytes % (wire::HPCC_TX_UNIT_BYTES * m_hpccUnits);
    hop.time -= hop.time % NanoSeconds(1).GetTimeStep();
}

// ---- PINT

uint64_t
IntStamper::KeyOf(const FabricSwitch& fabricSwitch, uint32_t egress)
{
    return uint64_t{fabricSwitch.GetNodeId()} << 32 | egress;
}

double
IntStamper::GetUtilization(const FabricSwitch& fabricSwitch, uint32_t egress) const
{
    auto found = m_loads.find(KeyOf(fabricSwitch, egress));
    return found == m_loads.end() ? 0 : found->second.utilization;
}

void
IntStamper::StampDigest(FabricSwitch& fabricSwitch, uint32_t egress, FabricFrame& frame)
{
    NS_ABORT_MSG_IF(m_pintBaseRtt.IsZero(),
                    "IntStamper: a frame collects PINT's digest; set PintBaseRtt, which the "
                    "utilization is averaged over");
    SwitchHeader& header = *frame.switchHeader;
    PortLoad& load = m_loads[KeyOf(fabricSwitch, egress)];
    Look(load, fabricSwitch.GetDevice(egress), frame.sizeBytes);
    uint16_t maxCode = header.telemetryFormat == TelemetryFormat::PINT ? PintCode::MAX_OF_ONE_BYTE
                                                                       : PintCode::MAX_OF_TWO_BYTES;
    uint16_t code = PintCode{m_pintLogBase}.Encode(load.utilization, m_random->GetValue(), maxCode);
    header.digest = std::max(header.digest, code);
}

/// @param load to update @param port whose it is @param frameBytes of the frame that leaves now
void
IntStamper::Look(PortLoad& load, FabricNetDevice& port, uint32_t frameBytes) const
{
    int64_t now = NowSteps();
    int64_t interval = now - load.lookedAt;
    uint64_t sentBytes = port.GetCounters().txBytes - frameBytes; // the frame is in it already
    if (interval > 0)
    {
        auto average = static_cast<double>(m_pintBaseRtt.GetTimeStep());
        double bitsPerStep = static_cast<double>(port.GetDataRate().GetBitRate()) /
                             static_cast<double>(Seconds(1).GetTimeStep());
        double sent = 8 * static_cast<double>(sentBytes - load.sentBytes) / interval;
        double queue = 8 * static_cast<double>(port.GetQueuedBytes()) / average;
        double weight = std::min(1.0, static_cast<double>(interval) / average);
        load.utilization += weight * ((sent + queue) / bitsPerStep - load.utilization);
    }
    load.sentBytes = sentBytes;
    load.lookedAt = now;
}

} // namespace ns3
