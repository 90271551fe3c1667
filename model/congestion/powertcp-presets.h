// SPDX-License-Identifier: GPL-2.0-only
#ifndef POWERTCP_PRESETS_H
#define POWERTCP_PRESETS_H

#include "congestion-presets.h"

namespace ns3
{

/**
 * Sets of PowerTCP's parameters. Where each value is from: doc/congestion-int.rst.
 * @param lineRate of the links
 * @return paper, powertcp-simulator
 */
std::vector<CongestionPreset> PowerTcpPresets(DataRate lineRate);

/**
 * Sets of theta-PowerTCP's parameters.
 * @param lineRate of the links
 * @return paper, powertcp-simulator
 */
std::vector<CongestionPreset> ThetaPowerTcpPresets(DataRate lineRate);

} // namespace ns3

#endif // POWERTCP_PRESETS_H
