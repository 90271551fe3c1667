// SPDX-License-Identifier: GPL-2.0-only
#ifndef SCENARIO_DESCRIPTION_H
#define SCENARIO_DESCRIPTION_H

#include "ns3/scenario.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What `ai-fabric describe` says: the fabric in numbers, the jobs, and the attributes that
 * are not at their defaults.
 * @param out where to
 * @param scenario as read
 * @param graph its topology
 */
void DescribeScenario(std::ostream& out, const Scenario& scenario, const FabricGraph& graph);

} // namespace ns3

#endif // SCENARIO_DESCRIPTION_H
