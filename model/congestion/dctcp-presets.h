// SPDX-License-Identifier: GPL-2.0-only
#ifndef DCTCP_PRESETS_H
#define DCTCP_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/// Sets of DCTCP's parameters. Where each value is from: doc/congestion-delay.rst.
/// @param lineRate of the links: the thresholds scale with it
/// @return paper, hpcc-simulator
std::vector<CongestionPreset> DctcpPresets(DataRate lineRate);

} // namespace ns3

#endif // DCTCP_PRESETS_H
