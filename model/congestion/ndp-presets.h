// SPDX-License-Identifier: GPL-2.0-only
#ifndef NDP_PRESETS_H
#define NDP_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/// Sets of NDP's parameters. Where each value is from: doc/congestion-credit.rst.
/// @return paper, htsim
std::vector<CongestionPreset> NdpPresets(DataRate lineRate);

} // namespace ns3

#endif // NDP_PRESETS_H
