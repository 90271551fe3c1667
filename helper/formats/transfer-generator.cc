// SPDX-License-Identifier: GPL-2.0-only
#include "transfer-generator.h"

#include <cmath>

namespace ns3
{

namespace
{

/// @return by rank: how much it gets, in proportion
std::vector<double>
DemandOf(const TransfersConfig& config, uint32_t ranks)
{
    std::vector<double> demand;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        demand.push_back(config.kind == "zipf"    ? std::pow(rank + 1.0, -config.exponent)
                         : rank < config.hotRanks ? config.factor
                                                  : 1);
    }
    return demand;
}

} // namespace

std::vector<PointToPoint>
GenerateTransfers(const TransfersConfig& config, uint64_t bytes, uint32_t typeBytes, uint32_t ranks)
{
    std::vector<PointToPoint> transfers;
    if (config.kind == "list" || config.kind == "file")
    {
        for (const TransferConfig& transfer : config.list)
        {
            transfers.push_back(
                {transfer.source, transfer.destination, transfer.bytes / typeBytes});
        }
        return transfers;
    }
    const std::vector<double> demand = DemandOf(config, ranks);
    double all = 0;
    for (double share : demand)
    {
        all += share;
    }
    // By sums, so that the parts make up the whole.
    const uint64_t count = bytes / typeBytes;
    std::vector<uint64_t> counts;
    double sum = 0;
    uint64_t given = 0;
    for (uint32_t destination = 0; destination < ranks; ++destination)
    {
        sum += demand[destination];
        const uint64_t until =
            destination + 1 == ranks
                ? count
                : static_cast<uint64_t>(std::llround(sum / all * static_cast<double>(count)));
        counts.push_back(until - given);
        given = until;
    }
    for (uint32_t source = 0; source < ranks; ++source)
    {
        for (uint32_t destination = 0; destination < ranks; ++destination)
        {
            if (counts[destination] > 0)
            {
                transfers.push_back({source, destination, counts[destination]});
            }
        }
    }
    return transfers;
}

} // namespace ns3
