// SPDX-License-Identifier: GPL-2.0-only
#include "ndp-presets.h"

#include "ndp-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

std::vector<CongestionPreset>
NdpPresets(DataRate)
{
    CongestionPreset paper{"ndp",
                           "paper",
                           "SIGCOMM 2017; initial window of a BDP, pulls at link rate",
                           ObjectFactory(NdpCongestionOps::GetTypeId().GetName())};

    // sim/datacenter/main_ndp.cpp of Broadcom/csg-htsim: 15 frames (of its 9000 bytes), 0.99.
    constexpr uint64_t HTSIM_WINDOW = 15 * 9000;
    CongestionPreset htsim = paper;
    htsim.name = "htsim";
    htsim.description = "the simulator's defaults: initial window of 135 kB, pulls at 99 %";
    htsim.ops.Set("InitialWindow", UintegerValue(HTSIM_WINDOW));
    htsim.ops.Set("CreditShare", DoubleValue(0.99));
    return {paper, htsim};
}

} // namespace ns3
