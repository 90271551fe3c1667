// SPDX-License-Identifier: GPL-2.0-only
#ifndef TIMELY_PRESETS_H
#define TIMELY_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/// Sets of TIMELY's parameters. Where each value is from: doc/congestion-delay.rst.
/// @param lineRate of the links: some sets scale with it
/// @return paper, hpcc-simulator
std::vector<CongestionPreset> TimelyPresets(DataRate lineRate);

/// Sets of Patched TIMELY's parameters. @param lineRate of the links
/// @return paper
std::vector<CongestionPreset> PatchedTimelyPresets(DataRate lineRate);

} // namespace ns3

#endif // TIMELY_PRESETS_H
