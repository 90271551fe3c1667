// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_PRESETS_H
#define HPCC_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/**
 * Sets of HPCC's parameters. Where each value is from: doc/congestion-int.rst.
 * @param lineRate of the links: some sets scale with it
 * @return paper, hpcc-simulator
 */
std::vector<CongestionPreset> HpccPresets(DataRate lineRate);

/**
 * Sets of HPCC-PINT's parameters.
 * @param lineRate of the links: all sets scale with it
 * @return paper (every answer is looked at), paper-16 (one in 16), paper-256 (one in 256)
 */
std::vector<CongestionPreset> HpccPintPresets(DataRate lineRate);

} // namespace ns3

#endif // HPCC_PRESETS_H
