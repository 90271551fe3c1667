// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_CHUNKING_H
#define NCCL_CHUNKING_H

#include "collective-plan.h"
#include "collective-request.h"
#include "nccl-graph.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/// A communicator, as far as chunks depend on it.
struct NcclCommunicator
{
    const NcclConstants& constants;
    const NcclEnvironment& environment;
    const CollectivePlatform& platform;
    NcclGraphs graphs;
    uint32_t ranks;
};

/**
 * @brief Divides a collective as NCCL's plan does (src/enqueue.cc).
 *
 * Channels: as many as there are, less where a thread would have too little to do (thread
 * thresholds); then each channel gets at least 16 or 32 KiB of traffic (cells). Chunk: the steps of
 * the protocol's buffer that a primitive takes (4 in a Simple ring, else 1), smaller where a
 * channel would have few of them. Slice: half a chunk in a Simple ring, else the chunk. Window: the
 * steps of the buffer over those of a slice.
 *
 * @param communicator the communicator
 * @param request all-reduce, all-gather, reduce-scatter, broadcast or reduce
 * @param algorithm that was chosen
 * @param protocol that was chosen
 * @param most channels that a tuner plugin allows, in place of those by thread thresholds
 * @return the plan; predictedUs and why are the caller's
 */
CollectivePlan PlanNcclCollective(const NcclCommunicator& communicator,
                                  const CollectiveRequest& request,
                                  NcclAlgorithm algorithm,
                                  CollectiveProtocol protocol,
                                  std::optional<uint32_t> most = {});

/**
 * @brief Divides sends and receives as NCCL does (src/enqueue.cc, src/graph/paths.cc): each is cut
 * into parts that go by channels of their own; small ones by LL.
 *
 * A plan is one for all transfers of a request: that of the largest. Its channels are what a
 * transfer may have at most, workChannels those of all transfers, chunkBytes what parts are
 * measured by, sliceBytes what a message carries.
 *
 * @param communicator the communicator
 * @param request any operation that NCCL does by grouped send and receive
 * @return the plan: algorithm "direct"
 */
CollectivePlan PlanNcclPointToPoint(const NcclCommunicator& communicator,
                                    const CollectiveRequest& request);

} // namespace ns3

#endif // NCCL_CHUNKING_H
