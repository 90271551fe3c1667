// SPDX-License-Identifier: GPL-2.0-only
#include "collective-algorithms.h"

#include "bruck-algorithm.h"
#include "direct-algorithm.h"
#include "halving-doubling-algorithm.h"
#include "hierarchical-algorithm.h"
#include "nvls-algorithm.h"
#include "nvls-tree-algorithm.h"
#include "pairwise-algorithm.h"
#include "pat-algorithm.h"
#include "ring-algorithm.h"
#include "tree-algorithm.h"

#include "ns3/object-factory.h"

namespace ns3
{

const std::vector<CollectiveAlgorithmEntry>&
GetCollectiveAlgorithms()
{
    static const std::vector<CollectiveAlgorithmEntry> ENTRIES{
        {"ring", RingAlgorithm::GetTypeId(), "NCCL's rings: once or twice around"},
        {"tree", TreeAlgorithm::GetTypeId(), "NCCL's double binary tree over the groups"},
        {"pat", PatAlgorithm::GetTypeId(), "parallel aggregated trees, log2(n) messages"},
        {"nvls", NvlsAlgorithm::GetTypeId(), "in-switch reduction and multicast in one group"},
        {"nvls-tree", NvlsTreeAlgorithm::GetTypeId(), "NVLS in the groups, trees between them"},
        {"halving-doubling", HalvingDoublingAlgorithm::GetTypeId(), "recursive halving, doubling"},
        {"bruck", BruckAlgorithm::GetTypeId(), "Bruck's log2(n) rounds of combined blocks"},
        {"direct", DirectAlgorithm::GetTypeId(), "every pair of ranks at once"},
        {"pairwise", PairwiseAlgorithm::GetTypeId(), "every pair of ranks, one round each"},
        {"hierarchical", HierarchicalAlgorithm::GetTypeId(), "within groups, then between them"},
    };
    return ENTRIES;
}

Ptr<CollectiveAlgorithm>
MakeCollectiveAlgorithm(const std::string& name)
{
    ObjectFactory factory;
    for (const CollectiveAlgorithmEntry& entry : GetCollectiveAlgorithms())
    {
        if (entry.name == name)
        {
            factory.SetTypeId(entry.typeId);
            return factory.Create<CollectiveAlgorithm>();
        }
    }
    TypeId typeId;
    if (!TypeId::LookupByNameFailSafe(name, &typeId) || !typeId.HasConstructor() ||
        !typeId.IsChildOf(CollectiveAlgorithm::GetTypeId()))
    {
        return nullptr;
    }
    factory.SetTypeId(typeId);
    return factory.Create<CollectiveAlgorithm>();
}

} // namespace ns3
