// SPDX-License-Identifier: GPL-2.0-only
#ifndef FLOW_SIZE_TABLES_H
#define FLOW_SIZE_TABLES_H

#include "flow-size-distribution.h"

namespace ns3
{

/// A distribution of flow sizes that has been published.
struct FlowSizeTable
{
    std::string name;   ///< as in scenario files
    std::string source; ///< who measured it, and the file that the points are from
    std::vector<FlowSizeDistribution::Point> points;
};

/// @return the names that FindFlowSizeTable knows
std::vector<std::string> GetFlowSizeTableNames();

/// @param name of a distribution @return it; null: there is none of this name
const FlowSizeTable* FindFlowSizeTable(const std::string& name);

} // namespace ns3

#endif // FLOW_SIZE_TABLES_H
