// SPDX-License-Identifier: GPL-2.0-only
#include "eqds-presets.h"

#include "eqds-congestion-ops.h"

#include "ns3/uinteger.h"

namespace ns3
{

std::vector<CongestionPreset>
EqdsPresets(DataRate)
{
    CongestionPreset paper{"eqds",
                           "paper",
                           "NSDI 2022; speculative window of a BDP, credit at 99 % of the link",
                           ObjectFactory(EqdsCongestionOps::GetTypeId().GetName())};

    // sim/datacenter/main_eqds.cpp of Broadcom/csg-htsim: both windows 50 frames (of 4096 bytes).
    constexpr uint64_t HTSIM_WINDOW = 50 * 4096;
    CongestionPreset htsim = paper;
    htsim.name = "htsim";
    htsim.description = "the simulator's defaults: windows of 205 kB, credit at 99 %";
    htsim.ops.Set("SpeculativeWindow", UintegerValue(HTSIM_WINDOW));
    htsim.ops.Set("CreditWindow", UintegerValue(HTSIM_WINDOW));
    return {paper, htsim};
}

} // namespace ns3
