// SPDX-License-Identifier: GPL-2.0-only
#ifndef NSCC_PRESETS_H
#define NSCC_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/// Sets of NSCC's parameters. Where each value is from: doc/congestion-credit.rst.
/// @param lineRate of the links: the marking thresholds scale with it
/// @return paper, no-trimming
std::vector<CongestionPreset> NsccPresets(DataRate lineRate);

} // namespace ns3

#endif // NSCC_PRESETS_H
