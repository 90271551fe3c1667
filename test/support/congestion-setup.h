// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONGESTION_SETUP_H
#define CONGESTION_SETUP_H

/**
 * @file
 * @brief A fabric under test with any congestion control, by its name and its default parameters.
 */

#include "fabric-fixture.h"

#include "ns3/congestion-presets.h"
#include "ns3/enum.h"
#include "ns3/fabric-switch.h"
#include "ns3/pointer.h"
#include "ns3/rdma-congestion-ops.h"

namespace ns3
{

/// @return every congestion control that there must be, by its scenario name, in the order of lists
inline std::vector<std::string>
AllCongestionControls()
{
    return {"none",
            "static",
            "dcqcn",
            "hpcc",
            "hpcc-pint",
            "powertcp",
            "theta-powertcp",
            "timely",
            "patched-timely",
            "dctcp",
            "swift",
            "irn",
            "nscc",
            "rccc",
            "eqds",
            "ndp"};
}

/// @param rate of both links @param delay of each cable @param mtu payload @return the round trip
/// of a full frame and its answer over one switch: 82 B and a RETH besides the payload, an ACK of
/// 74 B, no gap
inline Time
StarRoundTrip(DataRate rate, Time delay, uint32_t mtu)
{
    return 4 * delay + 2 * rate.CalculateBytesTxTime(mtu + 70 + 16 + 74);
}

/**
 * Sets up what one congestion control needs of switches and NICs. Before FabricFixture::Build.
 * @param f the fabric
 * @param algorithm a name of GetCongestionControlNames()
 * @param rate of the links
 * @param baseRtt round trip of the empty network
 */
inline void
UseCongestionControl(FabricFixture& f, const std::string& algorithm, DataRate rate, Time baseRtt)
{
    CongestionPreset preset = GetCongestionPreset(algorithm, "", rate);
    f.rdma.SetCongestionControl(preset.ops);
    f.rdma.SetQueuePairAttribute("BaseRtt", TimeValue(baseRtt));
    if (preset.marking)
    {
        CongestionMarking marking = *preset.marking;
        f.fabric.SetEcn([marking](DataRate) {
            return EcnThresholds{marking.kminBytes, marking.kmaxBytes, marking.pmax};
        });
        f.fabric.SetSwitchAttribute("MarkingPoint",
                                    EnumValue(marking.markAtDequeue
                                                  ? FabricSwitch::MARK_AT_DEQUEUE
                                                  : FabricSwitch::MARK_AT_ENQUEUE));
        f.rdma.SetNicAttribute("CnpInterval", TimeValue(marking.cnpInterval));
    }
    auto ops = preset.ops.Create<RdmaCongestionOps>();
    if (ops->GetFeedback().telemetry != TelemetryFormat::NONE)
    {
        ObjectFactory stamper("ns3::IntStamper");
        stamper.Set("PintBaseRtt", TimeValue(baseRtt));
        f.fabric.SetSwitchPart("IntStamper", stamper);
    }
}

/// @return congestion controls that send on credit of the receiver, or are made for trimming
inline std::vector<std::string>
AlgorithmsThatTrim()
{
    return {"nscc", "rccc", "eqds", "ndp"};
}

} // namespace ns3

#endif // CONGESTION_SETUP_H
