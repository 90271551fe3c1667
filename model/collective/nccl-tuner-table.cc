// SPDX-License-Identifier: GPL-2.0-only
#include "nccl-tuner-table.h"

namespace ns3
{

bool
NcclTunerRule::Matches(CollectiveOperation wanted,
                       uint64_t bytes,
                       uint32_t ofNodes,
                       uint32_t ofRanks) const
{
    return operation == wanted && leastBytes <= bytes && bytes <= mostBytes &&
           nodes.value_or(ofNodes) == ofNodes && ranks.value_or(ofRanks) == ofRanks &&
           pipelineOps.value_or(1) == 1 && !registered.value_or(false);
}

} // namespace ns3
