// SPDX-License-Identifier: GPL-2.0-only
#ifndef COLLECTIVE_RECORD_H
#define COLLECTIVE_RECORD_H

#include "collective-plan.h"
#include "collective-request.h"

#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{

/// A collective that has ended, as CollectiveExecutor reports it.
struct CollectiveRecord
{
    uint64_t sequence{0};     ///< how many came before it on its communicator
    std::string communicator; ///< name of the communicator
    CollectiveRequest request;
    CollectivePlan plan; ///< how it was carried out
    uint32_t ranks{0};
    Time start;                 ///< the first rank's stream came to it
    Time end;                   ///< the last rank was done, or it failed
    std::vector<Time> rankEnds; ///< by rank
    /// By rank: how long it waited for messages and for room at receivers, the mean of its threads.
    std::vector<Time> rankWaits;
    /// The one that the others waited for: by far the least wait of its own; or else the source of
    /// the connection at which both ends waited longest.
    uint32_t stragglerRank{0};
    std::string error; ///< empty, or why it failed

    /// @return size over time, bytes a second; 0 if it took no time
    double GetAlgorithmBandwidth() const
    {
        double seconds = (end - start).GetSeconds();
        return seconds > 0 ? static_cast<double>(request.GetBytes()) / seconds : 0;
    }

    /// @return nccl-tests' bus bandwidth, bytes a second
    double GetBusBandwidth() const
    {
        return GetAlgorithmBandwidth() * BusBandwidthFactor(request.operation, ranks);
    }
};

} // namespace ns3

#endif // COLLECTIVE_RECORD_H
