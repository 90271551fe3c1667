// SPDX-License-Identifier: GPL-2.0-only
#include "buffer-layout.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

using Operation = CollectiveOperation;

/// Sum of the transfers that a rank sends (or receives), those before a given peer only.
uint64_t
SumTransfers(const CollectiveRequest& request, bool sent, uint32_t rank, uint32_t before)
{
    uint64_t sum = 0;
    for (const PointToPoint& transfer : *request.transfers)
    {
        uint32_t own = sent ? transfer.source : transfer.destination;
        uint32_t other = sent ? transfer.destination : transfer.source;
        sum += own == rank && other < before ? transfer.count : 0;
    }
    return sum;
}

uint64_t
TransferCount(const CollectiveRequest& request, uint32_t source, uint32_t destination)
{
    for (const PointToPoint& transfer : *request.transfers)
    {
        if (transfer.source == source && transfer.destination == destination)
        {
            return transfer.count;
        }
    }
    return 0;
}

} // namespace

uint64_t
GetInputCount(const CollectiveRequest& request, uint32_t ranks, uint32_t rank)
{
    switch (request.operation)
    {
    case Operation::ALL_GATHER:
    case Operation::GATHER:
        return EvenPart(request.count, ranks, rank).count;
    case Operation::BROADCAST:
    case Operation::SCATTER:
        return rank == request.root ? request.count : 0;
    case Operation::ALL_TO_ALL_V:
    case Operation::POINT_TO_POINT:
        return SumTransfers(request, true, rank, ranks);
    default:
        return request.count;
    }
}

uint64_t
GetOutputCount(const CollectiveRequest& request, uint32_t ranks, uint32_t rank)
{
    switch (request.operation)
    {
    case Operation::REDUCE_SCATTER:
    case Operation::SCATTER:
        return EvenPart(request.count, ranks, rank).count;
    case Operation::ALL_TO_ALL:
        return ranks * EvenPart(request.count, ranks, rank).count;
    case Operation::REDUCE:
    case Operation::GATHER:
        return rank == request.root ? request.count : 0;
    case Operation::ALL_TO_ALL_V:
    case Operation::POINT_TO_POINT:
        return SumTransfers(request, false, rank, ranks);
    default:
        return request.count;
    }
}

Part
GetInputBlock(const CollectiveRequest& request,
              uint32_t ranks,
              uint32_t source,
              uint32_t destination)
{
    switch (request.operation)
    {
    case Operation::ALL_GATHER:
        return {0, EvenPart(request.count, ranks, source).count};
    case Operation::GATHER:
        return {0, destination == request.root ? EvenPart(request.count, ranks, source).count : 0};
    case Operation::REDUCE_SCATTER:
    case Operation::ALL_TO_ALL:
        return EvenPart(request.count, ranks, destination);
    case Operation::SCATTER:
        return source == request.root ? EvenPart(request.count, ranks, destination) : Part{0, 0};
    case Operation::BROADCAST:
        return {0, source == request.root ? request.count : 0};
    case Operation::REDUCE:
        return {0, destination == request.root ? request.count : 0};
    case Operation::SEND_RECEIVE:
        return {0, (source + 1) % ranks == destination ? request.count : 0};
    case Operation::ALL_TO_ALL_V:
        return {SumTransfers(request, true, source, destination),
                TransferCount(request, source, destination)};
    case Operation::ALL_REDUCE:
    case Operation::BARRIER:
        return {0, request.count};
    case Operation::POINT_TO_POINT:
        break;
    }
    NS_ABORT_MSG("GetInputBlock: point-to-point has no blocks, but a list");
}

Part
GetOutputBlock(const CollectiveRequest& request,
               uint32_t ranks,
               uint32_t source,
               uint32_t destination)
{
    uint64_t count = GetInputBlock(request, ranks, source, destination).count;
    switch (request.operation)
    {
    case Operation::ALL_GATHER:
    case Operation::GATHER:
        return {EvenPart(request.count, ranks, source).offset, count};
    case Operation::ALL_TO_ALL:
        return {source * count, count};
    case Operation::ALL_TO_ALL_V:
        return {SumTransfers(request, false, destination, source), count};
    default:
        return {0, count};
    }
}

std::pair<uint64_t, uint64_t>
GetInPlaceOffsets(const CollectiveRequest& request, uint32_t ranks, uint32_t rank)
{
    Part own = EvenPart(request.count, ranks, rank);
    switch (request.operation)
    {
    case Operation::ALL_GATHER:
        return {own.offset, 0};
    case Operation::GATHER:
        return {rank == request.root ? own.offset : 0, 0};
    case Operation::REDUCE_SCATTER:
        return {0, own.offset};
    case Operation::SCATTER:
        return {0, rank == request.root ? own.offset : 0};
    default:
        return {0, 0};
    }
}

} // namespace ns3
