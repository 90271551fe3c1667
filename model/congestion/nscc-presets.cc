// SPDX-License-Identifier: GPL-2.0-only
#include "nscc-presets.h"

#include "nscc-congestion-ops.h"

#include "ns3/boolean.h"

namespace ns3
{

namespace
{

// Marks from 0.2 to 0.8 BDP, at a round trip of 12 us: what the consortium's simulator takes where
// nothing else is said (main_uec.cpp), and that as the frames leave.
CongestionMarking
NsccMarking(DataRate lineRate)
{
    constexpr double RTT_SECONDS = 12e-6;
    double bdp = static_cast<double>(lineRate.GetBitRate()) / 8 * RTT_SECONDS;
    CongestionMarking marking;
    marking.kminBytes = static_cast<uint64_t>(0.2 * bdp);
    marking.kmaxBytes = static_cast<uint64_t>(0.8 * bdp);
    marking.pmax = 1;
    marking.markAtDequeue = true;
    return marking;
}

} // namespace

std::vector<CongestionPreset>
NsccPresets(DataRate lineRate)
{
    CongestionPreset paper{"nscc",
                           "paper",
                           "Ultra Ethernet 1.0, for networks that trim; marks at 0.2 to 0.8 BDP",
                           ObjectFactory(NsccCongestionOps::GetTypeId().GetName()),
                           NsccMarking(lineRate)};

    CongestionPreset lossy = paper;
    lossy.name = "no-trimming";
    lossy.description = "the same for networks that do not: target delay of a base round trip";
    lossy.ops.Set("Trimming", BooleanValue(false));
    return {paper, lossy};
}

} // namespace ns3
