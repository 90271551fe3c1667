// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_TUNER_TABLE_H
#define NCCL_TUNER_TABLE_H

#include "collective-plan.h"
#include "collective-request.h"
#include "nccl-constants.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// For some requests of some communicators: what NCCL is to do, whatever its cost model says.
struct NcclTunerRule
{
    CollectiveOperation operation; ///< one that NCCL has an algorithm for
    uint64_t leastBytes{0};        ///< of the whole buffer
    uint64_t mostBytes{UINT64_MAX};
    NcclAlgorithm algorithm;
    CollectiveProtocol protocol;
    std::optional<uint32_t> channels;    ///< at most; else as many as NCCL takes
    std::optional<uint32_t> nodes;       ///< else any number
    std::optional<uint32_t> ranks;       ///< likewise
    std::optional<uint32_t> pipelineOps; ///< collectives in a group; here each is alone
    std::optional<bool> registered;      ///< whether buffers are; here they are not
    std::string name{};                  ///< what reports call it

    /**
     * @param wanted what is asked for
     * @param bytes of the whole buffer
     * @param ofNodes of the communicator
     * @param ofRanks likewise
     * @return whether it is for that
     */
    bool Matches(CollectiveOperation wanted,
                 uint64_t bytes,
                 uint32_t ofNodes,
                 uint32_t ofRanks) const;
};

/// The rules of a tuner plugin; the first that matches, and names what NCCL can do, counts.
using NcclTunerTable = std::vector<NcclTunerRule>;

} // namespace ns3

#endif // NCCL_TUNER_TABLE_H
