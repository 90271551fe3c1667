// SPDX-License-Identifier: GPL-2.0-only
#include "collective-request.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// An operation and what is known of it.
struct OperationFacts
{
    CollectiveOperation operation;
    const char* name;
    bool hasRoot;
    bool reduces;
};

constexpr OperationFacts OPERATIONS[] = {
    {CollectiveOperation::ALL_REDUCE, "all-reduce", false, true},
    {CollectiveOperation::ALL_GATHER, "all-gather", false, false},
    {CollectiveOperation::REDUCE_SCATTER, "reduce-scatter", false, true},
    {CollectiveOperation::BROADCAST, "broadcast", true, false},
    {CollectiveOperation::REDUCE, "reduce", true, true},
    {CollectiveOperation::ALL_TO_ALL, "all-to-all", false, false},
    {CollectiveOperation::ALL_TO_ALL_V, "all-to-all-v", false, false},
    {CollectiveOperation::GATHER, "gather", true, false},
    {CollectiveOperation::SCATTER, "scatter", true, false},
    {CollectiveOperation::SEND_RECEIVE, "send-receive", false, false},
    {CollectiveOperation::POINT_TO_POINT, "point-to-point", false, false},
    {CollectiveOperation::BARRIER, "barrier", false, true},
};

const OperationFacts&
FactsOf(CollectiveOperation operation)
{
    return OPERATIONS[static_cast<size_t>(operation)];
}

} // namespace

const char*
ToString(CollectiveOperation operation)
{
    return FactsOf(operation).name;
}

std::vector<std::string>
GetCollectiveOperationNames()
{
    std::vector<std::string> names;
    for (const OperationFacts& facts : OPERATIONS)
    {
        names.emplace_back(facts.name);
    }
    return names;
}

bool
ParseCollectiveOperation(const std::string& name, CollectiveOperation& operation)
{
    for (const OperationFacts& facts : OPERATIONS)
    {
        if (name == facts.name)
        {
            operation = facts.operation;
            return true;
        }
    }
    return false;
}

bool
HasRoot(CollectiveOperation operation)
{
    return FactsOf(operation).hasRoot;
}

bool
Reduces(CollectiveOperation operation)
{
    return FactsOf(operation).reduces;
}

double
BusBandwidthFactor(CollectiveOperation operation, uint32_t ranks)
{
    double share = (ranks - 1.0) / ranks;
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::BARRIER:
        return 2 * share;
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::REDUCE_SCATTER:
    case CollectiveOperation::ALL_TO_ALL:
    case CollectiveOperation::ALL_TO_ALL_V:
    case CollectiveOperation::GATHER:
    case CollectiveOperation::SCATTER:
        return share;
    case CollectiveOperation::BROADCAST:
    case CollectiveOperation::REDUCE:
    case CollectiveOperation::SEND_RECEIVE:
    case CollectiveOperation::POINT_TO_POINT:
        break;
    }
    return 1;
}

CollectiveRequest
MakeTransfers(CollectiveOperation operation,
              std::vector<PointToPoint> transfers,
              uint32_t ranks,
              uint32_t typeBytes)
{
    CollectiveRequest request;
    request.operation = operation;
    request.typeBytes = typeBytes;
    std::vector<uint64_t> inputs(ranks, 0);
    for (const PointToPoint& transfer : transfers)
    {
        if (transfer.source < ranks)
        {
            inputs[transfer.source] += transfer.count;
            request.count = std::max(request.count, inputs[transfer.source]);
        }
    }
    request.transfers = std::make_shared<const std::vector<PointToPoint>>(std::move(transfers));
    return request;
}

CollectiveRequest
MakeBarrier(uint32_t typeBytes)
{
    CollectiveRequest request;
    request.operation = CollectiveOperation::BARRIER;
    request.count = 1;
    request.typeBytes = typeBytes;
    return request;
}

namespace
{

std::string
CheckTransfers(const CollectiveRequest& request, uint32_t ranks)
{
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (const PointToPoint& transfer : *request.transfers)
    {
        std::string text = "the transfer from rank " + std::to_string(transfer.source) +
                           " to rank " + std::to_string(transfer.destination);
        if (transfer.source >= ranks || transfer.destination >= ranks)
        {
            return text + " is not between ranks 0 to " + std::to_string(ranks - 1);
        }
        if (request.operation == CollectiveOperation::ALL_TO_ALL_V &&
            !pairs.insert({transfer.source, transfer.destination}).second)
        {
            return text + " is there twice, and all-to-all-v has one block a pair";
        }
    }
    return "";
}

} // namespace

std::string
CheckRequest(const CollectiveRequest& request, uint32_t ranks)
{
    if (ranks == 0)
    {
        return "the communicator has no rank";
    }
    if (request.typeBytes == 0)
    {
        return "an element has 0 B; it must have 1 B at least";
    }
    if (request.count > UINT64_MAX / request.typeBytes)
    {
        return std::to_string(request.count) + " elements of " + std::to_string(request.typeBytes) +
               " B are more than 2^64 bytes";
    }
    if (HasRoot(request.operation) && request.root >= ranks)
    {
        return "root " + std::to_string(request.root) + " is not one of ranks 0 to " +
               std::to_string(ranks - 1);
    }
    bool listed = request.operation == CollectiveOperation::ALL_TO_ALL_V ||
                  request.operation == CollectiveOperation::POINT_TO_POINT;
    if (listed != (request.transfers != nullptr))
    {
        return std::string(ToString(request.operation)) +
               (listed ? " needs a list of transfers" : " takes no list of transfers");
    }
    if (request.inPlace && (listed || request.operation == CollectiveOperation::SEND_RECEIVE ||
                            request.operation == CollectiveOperation::ALL_TO_ALL))
    {
        return std::string(ToString(request.operation)) + " cannot be done in place";
    }
    return listed ? CheckTransfers(request, ranks) : "";
}

} // namespace ns3
