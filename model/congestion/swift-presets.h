// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWIFT_PRESETS_H
#define SWIFT_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/// Sets of Swift's parameters. Where each value is from: doc/congestion-delay.rst.
/// @param lineRate of the links
/// @return base-rtt, paper
std::vector<CongestionPreset> SwiftPresets(DataRate lineRate);

} // namespace ns3

#endif // SWIFT_PRESETS_H
