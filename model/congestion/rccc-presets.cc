// SPDX-License-Identifier: GPL-2.0-only
#include "rccc-presets.h"

#include "rccc-congestion-ops.h"

namespace ns3
{

std::vector<CongestionPreset>
RcccPresets(DataRate)
{
    return {{"rccc",
             "paper",
             "Ultra Ethernet 1.0; windows of 1.5 BDP, credit at 99 % of the link",
             ObjectFactory(RcccCongestionOps::GetTypeId().GetName())}};
}

} // namespace ns3
