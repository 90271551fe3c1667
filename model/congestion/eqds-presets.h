// SPDX-License-Identifier: GPL-2.0-only
#ifndef EQDS_PRESETS_H
#define EQDS_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/// Sets of EQDS' parameters. Where each value is from: doc/congestion-credit.rst.
/// @return paper, htsim
std::vector<CongestionPreset> EqdsPresets(DataRate lineRate);

} // namespace ns3

#endif // EQDS_PRESETS_H
