// SPDX-License-Identifier: GPL-2.0-only
#ifndef IRN_PRESETS_H
#define IRN_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/// Sets of IRN's parameters. @param lineRate of the links
/// @return paper
std::vector<CongestionPreset> IrnPresets(DataRate lineRate);

} // namespace ns3

#endif // IRN_PRESETS_H
