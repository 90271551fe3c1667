// SPDX-License-Identifier: GPL-2.0-only
#ifndef RCCC_PRESETS_H
#define RCCC_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/// Sets of RCCC's parameters. Where each value is from: doc/congestion-credit.rst.
/// @return paper
std::vector<CongestionPreset> RcccPresets(DataRate lineRate);

} // namespace ns3

#endif // RCCC_PRESETS_H
