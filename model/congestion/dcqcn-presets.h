// SPDX-License-Identifier: GPL-2.0-only
#ifndef DCQCN_PRESETS_H
#define DCQCN_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/**
 * Sets of DCQCN's parameters: reaction point, congestion point, notification point. Where each
 * value is from: doc/congestion.rst.
 * @param lineRate of the links: some sets scale with it
 * @return nic-default, paper, hpcc-simulator
 */
std::vector<CongestionPreset> DcqcnPresets(DataRate lineRate);

} // namespace ns3

#endif // DCQCN_PRESETS_H
