// SPDX-License-Identifier: GPL-2.0-only
#ifndef PAIRWISE_ALGORITHM_H
#define PAIRWISE_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Pairwise exchange: all-to-all and all-to-all-v in n - 1 rounds, one peer at a time.
 *
 * In round i = 1 ... n - 1 a rank exchanges with rank XOR i where n is a power of two; else it
 * sends to rank + i and receives from rank - i (Thakur, Rabenseifner, Gropp, "Optimization of
 * collective communication operations in MPICH", IJHPCA 19(1), 2005, section 4.3: the choice for
 * long messages). It takes (n - 1) alpha + (n - 1) / n S beta. A rank begins a round when it has
 * sent and received what the round before has for it; a transfer without elements makes no message.
 */
class PairwiseAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::string Check(const CollectiveRequest& request, const RankLayout& layout) const override;
    std::shared_ptr<const CollectiveProgram> Emit(const CollectiveRequest& request,
                                                  const RankLayout& layout,
                                                  const CollectivePlan& plan) const override;
};

} // namespace ns3

#endif // PAIRWISE_ALGORITHM_H
