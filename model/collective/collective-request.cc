// SPDX-License-Identifier: GPL-2.0-only
#include "collective-request.h"

namespace ns3
{

namespace
{

constexpr CollectiveOperation ALL_OPERATIONS[] = {
    CollectiveOperation::ALL_REDUCE,
    CollectiveOperation::ALL_GATHER,
    CollectiveOperation::REDUCE_SCATTER,
};

} // namespace

const char*
ToString(CollectiveOperation operation)
{
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        return "all-reduce";
    case CollectiveOperation::ALL_GATHER:
        return "all-gather";
    case CollectiveOperation::REDUCE_SCATTER:
        return "reduce-scatter";
    }
    return "unknown";
}

std::vector<std::string>
GetCollectiveOperationNames()
{
    std::vector<std::string> names;
    for (CollectiveOperation operation : ALL_OPERATIONS)
    {
        names.emplace_back(ToString(operation));
    }
    return names;
}

bool
ParseCollectiveOperation(const std::string& name, CollectiveOperation& operation)
{
    for (CollectiveOperation candidate : ALL_OPERATIONS)
    {
        if (name == ToString(candidate))
        {
            operation = candidate;
            return true;
        }
    }
    return false;
}

double
BusBandwidthFactor(CollectiveOperation operation, uint32_t ranks)
{
    double share = (ranks - 1.0) / ranks;
    return operation == CollectiveOperation::ALL_REDUCE ? 2 * share : share;
}

} // namespace ns3
