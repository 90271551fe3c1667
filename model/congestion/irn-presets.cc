// SPDX-License-Identifier: GPL-2.0-only
#include "irn-presets.h"

#include "irn-congestion-ops.h"

namespace ns3
{

std::vector<CongestionPreset>
IrnPresets(DataRate)
{
    return {{"irn",
             "paper",
             "SIGCOMM 2018: one bandwidth-delay product in flight",
             ObjectFactory(IrnCongestionOps::GetTypeId().GetName())}};
}

} // namespace ns3
